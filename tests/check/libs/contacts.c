/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places and cookies of the addresses that a receiver exchanges keys with, see gst/keys/contacts.h. */
#include "mikeytest.h"

#include "gst/keys/contacts.h"
#include "gst/keys/keysending.h"
#include "gst/strangers/cookies.h"
#include "testnet.h"

#define PLACES 8
#define START_NS (100 * GST_SECOND)
#define OWN_SSRC 0x0a0b0c0du

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1, 2, 3 };
static GstTfrcCredentials credentials;
static GstTfrcKeyParties *parties;
static GstTfrcContacts *contacts;
static GstTfrcCookies cookies;
static guint64 now;

static void
setup (void)
{
  credentials = psk_credentials (1);
  parties = gst_tfrc_key_parties_new (&credentials, secret);
  contacts = gst_tfrc_contacts_new (parties, secret);
  gst_tfrc_cookies_init (&cookies, secret);
  now = START_NS;
}

static void
teardown (void)
{
  gst_tfrc_contacts_free (contacts);
  gst_tfrc_key_parties_free (parties);
}

/* Hosts have different last bytes. */
static GstTfrcAddress
address_of (guint host, guint16 port)
{
  gchar *text = g_strdup_printf ("192.0.2.%u", host);
  GstTfrcAddress address = test_address (text, port);

  g_free (text);
  return address;
}

/* A whole message comes. Returns whether it is to be read. */
static gboolean
message_comes (const GstTfrcAddress *from, const guint8 *cookie)
{
  const GstTfrcReceivedPacket packet = { .size = 100, .from = from };
  const GstTfrcKeyPacket parsed = { .number = 7, .total = 6, .cookie = cookie };

  return gst_tfrc_contacts_admit (contacts, &packet, &parsed, FALSE, now) != NULL;
}

static gboolean
shows_cookie (const GstTfrcAddress *from)
{
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES];

  gst_tfrc_cookies_get (&cookies, from, now, cookie);
  return message_comes (from, cookie);
}

/* Of the eight places, as hosts 1 to n that have shown a cookie, each a millisecond after the one before */
static void
fill_places (guint n)
{
  for (guint host = 1; host <= n; host++) {
    GstTfrcAddress address = address_of (host, 5004);

    now += GST_MSECOND;
    fail_unless (shows_cookie (&address));
  }
}

static gboolean
has (guint host, guint16 port)
{
  GstTfrcAddress address = address_of (host, port);

  return gst_tfrc_contacts_has (contacts, &address);
}

/* Otherwise whoever forges its address would use up the tokens that its cookie has brought. */
GST_START_TEST (who_has_shown_a_cookie_needs_the_cookie_for_20_s)
{
  GstTfrcAddress address = address_of (1, 5004), to, local;
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];

  fail_unless (message_comes (&address, NULL));
  fail_unless (shows_cookie (&address));
  fail_if (message_comes (&address, NULL));
  fail_unless_equals_int (gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, &to, &local),
      GST_TFRC_KEY_COOKIE_PACKET_BYTES);
  now += 20 * GST_SECOND - 1;
  fail_if (message_comes (&address, NULL));
  now += 1;
  fail_unless (message_comes (&address, NULL));
}
GST_END_TEST;

GST_START_TEST (a_host_that_shows_a_cookie_takes_places_of_its_own_first)
{
  fill_places (PLACES);
  for (guint16 port = 5005; port < 5015; port++) {
    GstTfrcAddress address = address_of (PLACES, port);

    now += GST_MSECOND;
    fail_unless (shows_cookie (&address));
    fail_unless (has (PLACES, port));
    fail_if (has (PLACES, port - 1));
  }
  for (guint host = 1; host < PLACES; host++)
    fail_unless (has (host, 5004), "host %u has lost its place", host);
}
GST_END_TEST;

/* The one that has been silent for longest gives way. */
GST_START_TEST (another_host_that_shows_a_cookie_takes_the_oldest_place)
{
  GstTfrcAddress address = address_of (PLACES + 1, 5004);

  fill_places (PLACES);
  fail_if (message_comes (&address, NULL));
  fail_unless (shows_cookie (&address));
  fail_if (has (1, 5004));
  for (guint host = 2; host <= PLACES + 1; host++)
    fail_unless (has (host, 5004), "host %u has lost its place", host);
}
GST_END_TEST;

GST_START_TEST (a_place_that_was_given_up_needs_no_cookie)
{
  GstTfrcAddress gone = address_of (3, 5004), next = address_of (PLACES + 1, 5004);

  fill_places (PLACES);
  fail_if (message_comes (&next, NULL));
  gst_tfrc_contacts_forget (contacts, &gone);
  fail_if (has (3, 5004));
  fail_unless (message_comes (&next, NULL));
  for (guint host = 1; host <= PLACES; host++)
    fail_unless (has (host, 5004) == (host != 3), "host %u", host);
}
GST_END_TEST;

/* A host that sends data for hours before it is asked could otherwise have any number of packets sent to it, or to
 * whoever has its address then. */
GST_START_TEST (an_address_has_64_kib_to_its_credit_at_most)
{
  GstTfrcKeySending *sending = gst_tfrc_key_sending_new (GST_TFRC_SRTP_RECEIVER);
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  guint bytes = 0;
  gsize size;

  for (guint i = 0; i < 100; i++)
    gst_tfrc_key_sending_add_credit (sending, 1400);
  do {
    gst_tfrc_key_sending_ask (sending, now);
    size = gst_tfrc_key_sending_write (sending, OWN_SSRC, 0, now, buffer);
    bytes += size;
  } while (size > 0);
  fail_unless_equals_int (bytes, 65536 / 20 * 20);
  gst_tfrc_key_sending_free (sending);
}
GST_END_TEST;

/* Neither credit nor cookie are those of the next address. */
GST_START_TEST (the_next_address_has_nothing_of_the_one_before)
{
  const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 1 };
  GstTfrcKeySending *sending = gst_tfrc_key_sending_new (GST_TFRC_SRTP_RECEIVER);
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];

  gst_tfrc_key_sending_add_credit (sending, 1400);
  gst_tfrc_key_sending_set_cookie (sending, cookie);
  gst_tfrc_key_sending_restart (sending);
  fail_unless (gst_tfrc_key_sending_is_other_cookie (sending, cookie));
  gst_tfrc_key_sending_ask (sending, now);
  fail_unless_equals_int (gst_tfrc_key_sending_write (sending, OWN_SSRC, 0, now, buffer), 0);
  gst_tfrc_key_sending_free (sending);
}
GST_END_TEST;

static Suite *
contacts_suite (void)
{
  Suite *suite = suite_create ("contacts");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, who_has_shown_a_cookie_needs_the_cookie_for_20_s);
  tcase_add_test (tcase, a_host_that_shows_a_cookie_takes_places_of_its_own_first);
  tcase_add_test (tcase, another_host_that_shows_a_cookie_takes_the_oldest_place);
  tcase_add_test (tcase, a_place_that_was_given_up_needs_no_cookie);
  tcase_add_test (tcase, an_address_has_64_kib_to_its_credit_at_most);
  tcase_add_test (tcase, the_next_address_has_nothing_of_the_one_before);
  return suite;
}

GST_CHECK_MAIN (contacts);
