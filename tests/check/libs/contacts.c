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

/* Of a host that has no place and shows no cookie. Returns whether a cookie leaves at once.
 * @to, @local: set if one does */
static gboolean
gets_cookie (const GstTfrcReceivedPacket *packet, gboolean has_stream, GstTfrcAddress *to,
    GstTfrcAddress *local)
{
  const GstTfrcKeyPacket parsed = { .number = 7, .total = 6 };
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];

  fail_unless (gst_tfrc_contacts_admit (contacts, packet, &parsed, has_stream, now) == NULL);
  return gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, to, local) > 0;
}

/* Otherwise a host could have others sent more bytes than it sends itself. */
GST_START_TEST (a_packet_that_is_shorter_than_a_cookie_gets_none)
{
  const GstTfrcAddress from = address_of (PLACES + 1, 5004);
  GstTfrcReceivedPacket packet = { .size = 27, .from = &from };
  GstTfrcAddress to, local;

  fill_places (PLACES);
  packet.local = address_of (99, 0);
  fail_if (gets_cookie (&packet, FALSE, &to, &local));
  packet.size = 28;
  fail_unless (gets_cookie (&packet, FALSE, &to, &local));
  fail_unless (gst_tfrc_address_equal (&to, &from));
  fail_unless (gst_tfrc_address_equal (&local, &packet.local));
}
GST_END_TEST;

/* What is not read in time loses packets of the stream: 64 at once, and one in a millisecond. */
GST_START_TEST (while_a_stream_plays_a_flood_gets_1000_cookies_a_second)
{
  guint at_once = 0, in_a_second = 0;

  fill_places (PLACES);
  for (guint i = 0; i < 1100; i++) {
    const GstTfrcAddress from = address_of (100 + i % 100, (guint16) (5000 + i));
    const GstTfrcReceivedPacket packet = { .size = 100, .from = &from };
    GstTfrcAddress to, local;

    if (i >= 100)
      now += GST_MSECOND;
    for (guint n = 0; n < 2; n++)
      *(i < 100 ? &at_once : &in_a_second) += gets_cookie (&packet, TRUE, &to, &local);
    fail_unless (gets_cookie (&packet, FALSE, &to, &local)); /* nothing is lost without a stream */
  }
  fail_unless_equals_int (at_once, 64);
  fail_unless_equals_int (in_a_second, 1000);
}
GST_END_TEST;

/* In a flood the true sender's cookie is among the newest ones, which its packet has come for just now. */
GST_START_TEST (the_newest_32_cookies_leave_in_their_order)
{
  const GstTfrcKeyPacket parsed = { .number = 7, .total = 6 };
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GstTfrcAddress to, local;

  fill_places (PLACES);
  for (guint16 port = 5000; port < 5040; port++) {
    const GstTfrcAddress from = address_of (100, port);
    const GstTfrcReceivedPacket packet = { .size = 100, .from = &from };

    fail_unless (gst_tfrc_contacts_admit (contacts, &packet, &parsed, FALSE, now) == NULL);
  }
  for (guint16 port = 5008; port < 5040; port++) {
    const GstTfrcAddress from = address_of (100, port);

    fail_unless_equals_int (gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, &to, &local),
        GST_TFRC_KEY_COOKIE_PACKET_BYTES);
    fail_unless (gst_tfrc_address_equal (&to, &from), "not to port %u", port);
  }
  fail_unless_equals_int (gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, &to, &local), 0);
}
GST_END_TEST;

/* Each place that is taken ends the exchange that was there. */
GST_START_TEST (a_host_takes_40_places_at_once_and_20_a_second)
{
  GstTfrcAddress to, local;
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];

  for (guint proven = 0; proven < 2; proven++) {
    guint16 port = (guint16) (5000 + 100 * proven);
    GstTfrcAddress address;

    for (guint i = 0; i < 40; i++) {
      address = address_of (1, port++);
      fail_unless (proven ? shows_cookie (&address) : message_comes (&address, NULL));
    }
    for (guint i = 0; i < 2; i++) {
      address = address_of (1, port++);
      fail_if (proven ? shows_cookie (&address) : message_comes (&address, NULL));
      /* who has a cookie needs no other */
      fail_unless_equals_int (gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, &to, &local),
          proven ? 0 : GST_TFRC_KEY_COOKIE_PACKET_BYTES);
      now += 50 * GST_MSECOND;
      fail_unless (proven ? shows_cookie (&address) : message_comes (&address, NULL));
    }
  }
}
GST_END_TEST;

/* The right cookie was given before this source began anew, or to another address. */
GST_START_TEST (who_shows_a_wrong_cookie_gets_another)
{
  const GstTfrcAddress address = address_of (1, 5004);
  const guint8 wrong[TFRC_WIRE_PATH_DATA_BYTES] = { 1 };
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GstTfrcAddress to, local;

  fail_if (message_comes (&address, wrong));
  fail_if (has (1, 5004));
  fail_unless_equals_int (gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, &to, &local),
      GST_TFRC_KEY_COOKIE_PACKET_BYTES);
}
GST_END_TEST;

/* The sender expects the answer from there. */
GST_START_TEST (a_question_leaves_from_the_address_that_the_sender_has_sent_to)
{
  const GstTfrcAddress from = address_of (1, 5004);
  const GstTfrcReceivedPacket packet = { .size = 1400, .from = &from, .local = address_of (99, 0) };
  GstTfrcExchange *exchange = gst_tfrc_contacts_get (contacts, &packet, FALSE, now);
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GstTfrcAddress to, local;

  gst_tfrc_exchange_ask (exchange, now);
  fail_unless (gst_tfrc_contacts_write (contacts, OWN_SSRC, buffer, &to, &local) > 0);
  fail_unless (gst_tfrc_address_equal (&to, &from));
  fail_unless (gst_tfrc_address_equal (&local, &packet.local));
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
  tcase_add_test (tcase, a_packet_that_is_shorter_than_a_cookie_gets_none);
  tcase_add_test (tcase, while_a_stream_plays_a_flood_gets_1000_cookies_a_second);
  tcase_add_test (tcase, the_newest_32_cookies_leave_in_their_order);
  tcase_add_test (tcase, a_host_takes_40_places_at_once_and_20_a_second);
  tcase_add_test (tcase, who_shows_a_wrong_cookie_gets_another);
  tcase_add_test (tcase, a_question_leaves_from_the_address_that_the_sender_has_sent_to);
  return suite;
}

GST_CHECK_MAIN (contacts);
