/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of offers that a receiver has answered, see gst/keys/offers.h. */
#include "gst/keys/offers.h"

#include "testnet.h"

#define S GST_SECOND
#define START_NS (100 * S)
#define PLACES GST_TFRC_MAX_OFFERS

static GstTfrcOffers *offers;
static guint64 now;

static void
setup (void)
{
  offers = gst_tfrc_offers_new ();
  now = START_NS;
}

static void
teardown (void)
{
  gst_tfrc_offers_free (offers);
}

/* Hosts have different last bytes. */
static GstTfrcExchange *
contact_with (guint host, guint16 port)
{
  GstTfrcExchange *contact = gst_tfrc_exchange_new (GST_TFRC_SRTP_RECEIVER, NULL);
  gchar *text = g_strdup_printf ("192.0.2.%u", host);
  GstTfrcAddress address = test_address (text, port);

  g_free (text);
  gst_tfrc_exchange_begin_with (contact, &address, NULL);
  return contact;
}

/* An offer with this number is answered, by its number, a millisecond after the one before. */
static void
answer_to (guint host, guint16 port, guint32 csb_id, gboolean is_sealed)
{
  GstTfrcExchange *contact = contact_with (host, port);
  GstTfrcKeyNews news = { .stream = { .csb_id = csb_id, .ssrc = csb_id },
    .is_sealed = is_sealed,
    .answer = g_bytes_new (&csb_id, sizeof csb_id) };

  now += GST_MSECOND;
  gst_tfrc_offers_add (offers, contact, &news, now);
  g_bytes_unref (news.answer);
  gst_tfrc_exchange_free (contact);
  fail_unless_equals_string (gst_tfrc_offers_check (offers), NULL);
}

/* The offer comes again. @return whether it gets the answer that it has had */
static gboolean
comes_again (guint host, guint16 port, guint32 csb_id)
{
  GstTfrcExchange *contact = contact_with (host, port);
  GBytes *answer = gst_tfrc_offers_find_answer (offers, contact, csb_id, now);

  if (answer)
    fail_unless_equals_int (*(const guint32 *) g_bytes_get_data (answer, NULL), csb_id);
  gst_tfrc_exchange_free (contact);
  return answer != NULL;
}

/* Of hosts 1 to @n, each with the number of its host */
static void
fill_places (guint n)
{
  for (guint host = 1; host <= n; host++)
    answer_to (host, 5004, host, FALSE);
}

GST_START_TEST (an_offer_that_comes_again_gets_the_same_answer_until_10_s_of_silence)
{
  answer_to (1, 5004, 7, FALSE);
  fail_unless (gst_tfrc_offers_has_open (offers) && gst_tfrc_offers_has_stream (offers, 7));
  for (guint i = 0; i < 3; i++) {
    now += 10 * S - 1;
    gst_tfrc_offers_on_time (offers, now);
    fail_unless (comes_again (1, 5004, 7));
  }
  fail_if (comes_again (1, 5005, 7));
  fail_if (comes_again (2, 5004, 7));
  fail_if (comes_again (1, 5004, 8));
  now += 10 * S;
  gst_tfrc_offers_on_time (offers, now);
  fail_if (comes_again (1, 5004, 7));
  fail_if (gst_tfrc_offers_has_open (offers) || gst_tfrc_offers_has_stream (offers, 7));
}

GST_END_TEST;

GST_START_TEST (the_offer_that_was_silent_for_longest_gives_way)
{
  fill_places (PLACES);
  fail_unless (comes_again (1, 5004, 1));
  answer_to (200, 5004, 200, FALSE);
  fail_if (comes_again (2, 5004, 2));
  for (guint host = 1; host <= PLACES; host++)
    fail_unless (host == 2 || comes_again (host, 5004, host));
  fail_unless (comes_again (200, 5004, 200));
}

GST_END_TEST;

/* Otherwise one host could take the places of all others by offers that it has recorded. */
GST_START_TEST (an_offer_of_the_same_host_gives_way_before_an_older_one_of_another)
{
  fill_places (PLACES);
  answer_to (PLACES, 6000, 200, FALSE);
  fail_if (comes_again (PLACES, 5004, PLACES));
  for (guint host = 1; host < PLACES; host++)
    fail_unless (comes_again (host, 5004, host));
}

GST_END_TEST;

/* Nobody can have recorded it. */
GST_START_TEST (an_offer_that_came_protected_gives_way_last)
{
  answer_to (100, 5004, 100, TRUE);
  fill_places (PLACES - 1);
  for (guint16 i = 0; i < 3 * PLACES; i++)
    answer_to (i < PLACES ? 100 : 101 + i % 150, (guint16) (6000 + i), 1000u + i, FALSE);
  fail_unless (comes_again (100, 5004, 100));
  for (guint host = 1; host < PLACES; host++)
    fail_if (comes_again (host, 5004, host));
}

GST_END_TEST;

/* Whoever has recorded an offer sends it from many addresses. */
GST_START_TEST (copies_of_one_offer_take_half_of_the_places)
{
  fill_places (PLACES / 2);
  for (guint host = 100; host < 200; host++)
    answer_to (host, 5004, 500, FALSE);
  for (guint host = 1; host <= PLACES / 2; host++)
    fail_unless (comes_again (host, 5004, host));
  for (guint host = 100; host < 200; host++)
    fail_unless (comes_again (host, 5004, 500) == (host >= 200 - PLACES / 2));
}

GST_END_TEST;

static Suite *
offers_suite (void)
{
  Suite *suite = suite_create ("offers");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, an_offer_that_comes_again_gets_the_same_answer_until_10_s_of_silence);
  tcase_add_test (tc, the_offer_that_was_silent_for_longest_gives_way);
  tcase_add_test (tc, an_offer_of_the_same_host_gives_way_before_an_older_one_of_another);
  tcase_add_test (tc, an_offer_that_came_protected_gives_way_last);
  tcase_add_test (tc, copies_of_one_offer_take_half_of_the_places);
  return suite;
}

GST_CHECK_MAIN (offers);
