/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attackers that send key packets, see "the bounds" of gst/keys/srckeys.h. */
#include "keysattacks.h"

#define PER_S 100000
#define VICTIM 1000 /* the first of the attackers' hosts */

/* What a host has sent and got */
typedef struct
{
  guint64 sent, got;
} Balance;

static Balance balances[VICTIM + 4 * PER_S];
static guint answers, cookies; /* key packets to attackers */

static void
read_answers (Pair *pair)
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcAddress to, local;
  GstTfrcKeyPacket parsed;
  gsize size;

  while ((size = gst_tfrc_src_keys_write (pair->src, (guint8 *) words, &to, &local)) > 0) {
    guint32 host = ntohl (to.u.v4.sin_addr.s_addr) - 0x0a000000u;

    if (host == SINK_HOST) {
      put (pair, TRUE, TRUE, (guint8 *) words, size);
      continue;
    }
    /* A check that holds costs a write to a pipe. */
    if (!gst_tfrc_key_packet_parse ((guint8 *) words, size, &parsed))
      fail ("an answer cannot be parsed");
    if (parsed.given)
      cookies++;
    else
      answers++;
    balances[host].got += size;
    if (balances[host].got > balances[host].sent)
      fail ("more bytes to a host than from there");
  }
}

static void
attack (Pair *pair, guint32 host, const guint8 *bytes, gsize size)
{
  GstTfrcAddress from = host_address (host);
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];

  memcpy (words, bytes, size);
  balances[host].sent += size;
  if (deliver_to_src (pair, &from, (guint8 *) words, &size))
    fail ("an attacker's packet is used");
  read_answers (pair);
}

/* Floods for 2 s.  The sender has its keys replaced meanwhile. */
static void
flood (Pair *pair, const guint8 *bytes, gsize size, gboolean is_one_host, gboolean rekeys)
{
  guint64 end_ns = pair->now_ns + 2 * GST_SECOND, rekey_ns = pair->now_ns + GST_SECOND / 2;
  GstTfrcKeyTime time;

  for (guint i = 0; pair->now_ns < end_ns; i++) {
    attack (pair, VICTIM + (is_one_host ? 0 : i), bytes, size);
    if (rekeys && pair->now_ns >= rekey_ns) {
      time = sink_time (pair);
      gst_tfrc_sink_keys_rekey (pair->sink, time.now_ns);
      rekeys = FALSE;
    }
    if (next_time (pair) <= pair->now_ns + GST_SECOND / PER_S)
      pair_run (pair, GST_SECOND / PER_S);
    else
      pair->now_ns += GST_SECOND / PER_S;
  }
}

/* At most burst + 2 s of tokens are read; nothing waits, nothing grows. */
static void
flood_is_bounded (Mode mode, gboolean is_one_host)
{
  static const guint per_host[N_MODES] = { 40 + 2 * 20, 4 + 2 * 2, 4 + 2 * 2 };
  static const guint all[N_MODES] = { 500 + 2 * 500, 20 + 2 * 20, 20 + 2 * 20 };
  static const guint packets[N_MODES] = { 2 * 2, 2 * 3, 2 * 4 };
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GBytes *offer = make_false_offer (mode);
  gsize size = gst_tfrc_key_packet_write (bytes, 77, 1, offer, 0);
  guint read;
  Pair pair;

  memset (balances, 0, sizeof balances);
  cookies = 0;
  pair_of (&pair, mode);
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  messages_read = 0;
  flood (&pair, bytes, size, is_one_host, TRUE);
  read = messages_read - 1; /* without the sender's own message */
  fail_unless (read <= (is_one_host ? per_host : all)[mode], "%u read", read);
  fail_unless (read >= (is_one_host ? per_host : all)[mode] * 3 / 4, "%u read", read);
  fail_unless (cookies >= 2000 && cookies <= 2064, "%u cookies", cookies);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  fail_unless_equals_int (sink_stats (&pair).rekeyings, 1);
  fail_unless_equals_int (pair.keys_from_sink, packets[mode]); /* each offer once, and its proof */
  assert_nothing_refused (&pair);
  fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
  pair_clear (&pair);
  g_bytes_unref (offer);
}

GST_START_TEST (messages_of_one_host)
{
  flood_is_bounded (__i__, TRUE);
}
GST_END_TEST;

GST_START_TEST (messages_of_many_hosts)
{
  flood_is_bounded (__i__, FALSE);
}
GST_END_TEST;

/* Parts of messages with the sender's address do not mix with the sender's own message. */
GST_START_TEST (fragments_with_the_senders_address)
{
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GBytes *offer = make_false_offer (BY_RSA);
  gsize size = gst_tfrc_key_packet_write (bytes, SINK_SSRC, 99, offer, 0);
  GstTfrcKeyTime time;
  Pair pair;

  memset (balances, 0, sizeof balances);
  GST_WRITE_UINT16_BE (bytes + 16, 1201); /* one of two */
  gst_tfrc_key_packet_write_request (bytes, SINK_SSRC, 0, GST_TFRC_KEY_PACKET_FULL_BYTES);
  GST_WRITE_UINT16_BE (bytes + 16, 2000);
  size = GST_TFRC_KEY_PACKET_FULL_BYTES;
  pair_of (&pair, BY_RSA);
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  time = sink_time (&pair);
  gst_tfrc_sink_keys_rekey (pair.sink, time.now_ns);
  pair.jitter_ns = 10 * MS;
  for (guint i = 0; i < 10000; i++) {
    pair_run (&pair, 10 * GST_USECOND);
    attack (&pair, SINK_HOST, bytes, size);
  }
  fail_unless_equals_int (sink_stats (&pair).rekeyings, 1);
  fail_unless_equals_int (pair.keys_from_sink, 6);
  pair_clear (&pair);
  g_bytes_unref (offer);
}
GST_END_TEST;

/* The first parts of false offers come from twenty hosts, all of a sudden: before the sender's offer, which
 * then needs a cookie, and between its two parts. */
GST_START_TEST (first_parts_from_elsewhere_displace_no_offer)
{
  static const gint strike_ms[] = { 19, 25 };
  static const guint first_data_ms[] = { 100, 70 };
  const guint64 strike_ns = START_NS + (guint) strike_ms[__i__] * MS;
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];
  gboolean is_first = TRUE;
  Pair pair;

  memset (balances, 0, sizeof balances);
  make_offer_of (BY_RSA);
  memcpy (bytes, false_offer, false_offer_bytes);
  memset (bytes + false_offer_bytes, 0, sizeof bytes - false_offer_bytes);
  GST_WRITE_UINT16_BE (bytes + 2, GST_TFRC_KEY_PACKET_FULL_BYTES / 4 - 1);
  GST_WRITE_UINT16_BE (bytes + 16, 2 * GST_TFRC_KEY_FRAGMENT_BYTES);
  pair_of (&pair, BY_RSA);
  pair_start (&pair);
  pair_run (&pair, 0);
  for (guint i = 0; i < pair.flying->len; i++) {
    Flying *flying = pair.flying->pdata[i];

    if (!is_first)
      flying->at_ns += 10 * MS;
    is_first = FALSE;
  }
  pair_run (&pair, strike_ns - pair.now_ns);
  for (guint i = 0; i < 20; i++)
    attack (&pair, VICTIM + i, bytes, GST_TFRC_KEY_PACKET_FULL_BYTES);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  fail_unless_equals_int (pair.first_data_ns - START_NS, first_data_ms[__i__] * MS);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (packets_that_ask_for_requests)
{
  guint8 bytes[20];
  Pair pair;

  for (guint big = 0; big < 2; big++) {
    guint8 packet[GST_TFRC_KEY_PACKET_MAX_BYTES];
    gsize size = gst_tfrc_key_packet_write_request (
        packet, 77, 0, big ? GST_TFRC_KEY_PACKET_FULL_BYTES : sizeof bytes);

    memset (balances, 0, sizeof balances);
    answers = 0;
    pair_of (&pair, BY_RSA_R);
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    messages_read = 0;
    flood (&pair, packet, size, FALSE, TRUE);
    fail_unless (messages_read <= 60, "%u", messages_read);
    fail_unless (answers <= 61 && (answers > 0) == (big > 0), "%u answers", answers);
    assert_established (&pair);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* Data of an unknown stream, to a source that has its keys; see flood(). */
static void
flood_with_data (Pair *pair, gboolean is_one_host, gboolean rekeys)
{
  guint32 words[DATA_BYTES / 4];
  gsize size = write_data ((guint8 *) words, 0x99, 5);

  memset (balances, 0, sizeof balances);
  answers = 0;
  pair_of (pair, BY_PSK);
  pair_start (pair);
  pair_run (pair, GST_SECOND);
  ((guint8 *) words)[12] = 0; /* not plain */
  flood (pair, (guint8 *) words, size, is_one_host, rekeys);
}

/* Their senders are asked, 50 in a second. */
GST_START_TEST (data_of_many_hosts)
{
  Pair pair;

  flood_with_data (&pair, FALSE, TRUE);
  fail_unless (answers <= 50 + 2 * 50, "%u answers", answers);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  fail_unless_equals_int (sink_stats (&pair).rekeyings, 1);
  pair_clear (&pair);
}
GST_END_TEST;

/* The data may be forged: who is said to send it is asked once a second. */
GST_START_TEST (data_of_one_host)
{
  Pair pair;

  flood_with_data (&pair, TRUE, FALSE);
  fail_unless_equals_int (answers, 2);
  pair_clear (&pair);
}
GST_END_TEST;

/* ---- the start, while others flood ------------------------------------------ */

/* As start_while(). */
static void
start_under (Pair *pair, guint per_s, void (*strike) (Pair *pair, guint number))
{
  memset (balances, 0, sizeof balances);
  start_while (pair, per_s, strike);
}

static void
offer_from_elsewhere (Pair *pair, guint number)
{
  attack (pair, VICTIM + number, false_offer, false_offer_bytes);
}

static void
offer_of_the_sender (Pair *pair, guint number)
{
  (void) number;
  attack (pair, SINK_HOST, false_offer, false_offer_bytes);
}

/* The keys are there when the first offer has come, after the delay of the link, and its answer. */
static void
assert_starts_at_once (Pair *pair, const gchar *what)
{
  assert_established (pair);
  fail_unless (pair->first_data_ns == START_NS + 60 * MS, "%s: %u ms", what,
      (guint) ((pair->first_data_ns - START_NS) / MS));
}

GST_START_TEST (offers_of_another_mode_delay_no_start)
{
  static const struct
  {
    Mode mode, other;
  } cases[] = { { BY_RSA, BY_PSK }, { BY_PSK, BY_RSA } };
  static const guint per_s[] = { 20, 200, 10000 };

  for (guint i = 0; i < G_N_ELEMENTS (per_s); i++) {
    Pair pair;

    make_offer_of (cases[__i__].other);
    pair_of (&pair, cases[__i__].mode);
    start_under (&pair, per_s[i], offer_from_elsewhere);
    assert_starts_at_once (&pair, "from elsewhere");
    pair_clear (&pair);
    pair_of (&pair, cases[__i__].mode);
    start_under (&pair, per_s[i], offer_of_the_sender);
    assert_starts_at_once (&pair, "with the sender's address");
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* Messages that a source never reads, packets that ask a source which requests nothing, and data of
 * unknown streams */
static void
send_what_is_not_read (Pair *pair, guint number)
{
  static const guint8 types[] = { 1, 3, 6, 9, 77 };
  guint32 words[DATA_BYTES / 4];
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];
  gsize size = gst_tfrc_key_packet_write_request (bytes, 77, 0, GST_TFRC_KEY_PACKET_FULL_BYTES);

  attack (pair, VICTIM + 3 * number, bytes, size);
  memcpy (bytes, false_offer, false_offer_bytes);
  bytes[GST_TFRC_KEY_PACKET_HEADER_BYTES + 1] = types[number % G_N_ELEMENTS (types)];
  attack (pair, VICTIM + 3 * number + 1, bytes, false_offer_bytes);
  size = write_data ((guint8 *) words, 0x99, 5);
  ((guint8 *) words)[12] = 0; /* not plain */
  attack (pair, VICTIM + 3 * number + 2, (guint8 *) words, size);
}

/* The two halves of an offer come apart, and between them 30 packets of 30 hosts. */
GST_START_TEST (what_is_not_read_displaces_no_message)
{
  Pair pair;

  make_offer_of (BY_RSA);
  pair_of (&pair, BY_RSA);
  pair.jitter_ns = 15 * MS;
  start_under (&pair, 10000, send_what_is_not_read);
  assert_established (&pair);
  fail_unless_equals_int (pair.keys_from_sink, 3); /* the offer, and its proof */
  pair_clear (&pair);
}
GST_END_TEST;

/* Offers of the right type, or in reverse mode packets that ask. With the cookie of the first answer the
 * sender's message is read. */
static void
make_what_is_read (Mode mode)
{
  if (mode != BY_RSA_R)
    make_offer_of (mode);
  else
    false_offer_bytes = gst_tfrc_key_packet_write_request (
        false_offer, 77, 1, GST_TFRC_KEY_PACKET_FULL_BYTES);
}

/* First parts of long messages, which take places */
static void
begin_from_elsewhere (Pair *pair, guint number)
{
  guint8 bytes[GST_TFRC_KEY_PACKET_FULL_BYTES] = { 0 };

  gst_tfrc_key_packet_write_request (bytes, 77, number, sizeof bytes);
  memcpy (bytes + GST_TFRC_KEY_PACKET_HEADER_BYTES, false_offer + GST_TFRC_KEY_PACKET_HEADER_BYTES,
      false_offer_bytes - GST_TFRC_KEY_PACKET_HEADER_BYTES);
  GST_WRITE_UINT16_BE (bytes + 16, 8000);
  attack (pair, VICTIM + number, bytes, sizeof bytes);
}

/* Packets with cookies that are wrong */
static void
guess_from_elsewhere (Pair *pair, guint number)
{
  static const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 1, 2, 3, 4 };
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];

  memcpy (bytes, false_offer, false_offer_bytes);
  attack (pair, VICTIM + number, bytes,
      gst_tfrc_key_packet_add_cookie (bytes, false_offer_bytes, cookie));
}

static void
guess_for_the_sender (Pair *pair, guint number)
{
  static const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 1, 2, 3, 4 };
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];

  (void) number;
  memcpy (bytes, false_offer, false_offer_bytes);
  attack (
      pair, SINK_HOST, bytes, gst_tfrc_key_packet_add_cookie (bytes, false_offer_bytes, cookie));
}

/* Questions with the sender's address, that give the receiver a false cookie each */
static void
ask_for_the_sender (Pair *pair, guint number)
{
  const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 1, (guint8) number, (guint8) (number >> 8) };
  guint8 bytes[GST_TFRC_KEY_PACKET_FULL_BYTES];

  memcpy (bytes, false_offer, sizeof bytes);
  gst_tfrc_key_packet_give_cookie (bytes, cookie);
  attack (pair, SINK_HOST, bytes, sizeof bytes);
}

/* The start needs at most one round trip more, of 40 ms, for the cookie. */
GST_START_TEST (messages_that_are_read_delay_a_start_by_one_round_trip)
{
  static void (*const strikes[]) (Pair *, guint) = { offer_from_elsewhere, offer_of_the_sender,
    begin_from_elsewhere, guess_from_elsewhere, guess_for_the_sender, ask_for_the_sender };
  static const guint per_s[] = { 20, 100, 200, 10000 };
  static const guint first_ms[N_MODES] = { 60, 60, 100 };
  Mode mode = __i__;

  make_what_is_read (mode);
  for (guint i = 0; i < G_N_ELEMENTS (per_s) * G_N_ELEMENTS (strikes); i++) {
    guint rate = per_s[i % G_N_ELEMENTS (per_s)], kind = i / G_N_ELEMENTS (per_s), first;
    Pair pair;

    if (strikes[kind] == (mode == BY_RSA_R ? begin_from_elsewhere : ask_for_the_sender))
      continue;
    pair_of (&pair, mode);
    start_under (&pair, rate, strikes[kind]);
    first = (guint) ((pair.first_data_ns - START_NS) / MS);
    fail_unless (pair.first_data_ns > 0 && first <= first_ms[mode] + 40,
        "kind %u, %u a second: %u ms", kind, rate, first);
    assert_established (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* ---- requests at a sender, with the receiver's address ----------------------- */

static GBytes *false_request;
static GstTfrcCredentials long_receiver; /* whose requests have two parts */

static void
make_long_requests (void)
{
  GstTfrcMikeyExchange *exchange = NULL;
  GstTfrcCredentials other;

  certificate_units = 10;
  long_receiver = rsa_credentials (
      receiver_key, make_certificate ("receiver", receiver_key, ca_certificate, ca_key), NULL);
  other = rsa_credentials (
      stranger_key, make_certificate ("stranger", stranger_key, NULL, stranger_key), NULL);
  certificate_units = 0;
  false_request = gst_tfrc_mikey_request (&other, WALL_NS + START_NS + GST_SECOND, &exchange, NULL);
  fail_unless (g_bytes_get_size (false_request) > GST_TFRC_KEY_FRAGMENT_BYTES);
  gst_tfrc_mikey_exchange_free (exchange);
  X509_free (other.certificate);
}

static void
strike_sink (Pair *pair, guint8 *bytes, gsize size)
{
  GstTfrcKeyTime time = sink_time (pair);

  gst_tfrc_sink_keys_on_packet (pair->sink, bytes, size, pair->seq, &time);
}

/* @cookie: NULL: none */
static void
request_at_sink (Pair *pair, guint number, gsize bytes_of_it, const guint8 *cookie)
{
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];

  for (gsize offset = 0; offset < bytes_of_it; offset += GST_TFRC_KEY_FRAGMENT_BYTES) {
    gsize size = gst_tfrc_key_packet_write (bytes, SRC_SSRC, number, false_request, offset);

    GST_WRITE_UINT32_BE (bytes + 24, offset == 0 ? number : GST_READ_UINT32_BE (bytes + 24));
    size = cookie ? gst_tfrc_key_packet_add_cookie (bytes, size, cookie) : size;
    strike_sink (pair, bytes, size);
  }
}

static void
request_of_the_receiver (Pair *pair, guint number)
{
  request_at_sink (pair, number, g_bytes_get_size (false_request), NULL);
}

static void
begin_a_request (Pair *pair, guint number)
{
  request_at_sink (pair, number, 1, NULL);
}

static void
guess_for_the_receiver (Pair *pair, guint number)
{
  static const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 1, 2, 3, 4 };

  request_at_sink (pair, number, g_bytes_get_size (false_request), cookie);
}

/* The number of the receiver's first message */
static void
begin_the_receivers_request (Pair *pair, guint number)
{
  (void) number;
  request_at_sink (pair, 1, 1, NULL);
}

/* The two parts of the receiver's request come apart. */
GST_START_TEST (requests_with_the_receivers_address_delay_no_start)
{
  static void (*const strikes[]) (Pair *, guint) = { request_of_the_receiver, begin_a_request,
    guess_for_the_receiver, begin_the_receivers_request };
  static const guint per_s[] = { 1, 20, 1000, 10000 };

  make_long_requests ();
  for (guint i = 0; i < G_N_ELEMENTS (per_s); i++) {
    guint first;
    Pair pair;

    pair_init (&pair, &sinks[BY_RSA_R], &long_receiver);
    pair.jitter_ns = 10 * MS;
    pair_start (&pair);
    for (guint k = 0; k < 600; k++) /* the sender's tokens are gone */
      strikes[__i__](&pair, k);
    for (guint k = 600; pair.now_ns < START_NS + GST_SECOND; k++) {
      strikes[__i__](&pair, k);
      pair_run (&pair, GST_SECOND / per_s[i]);
    }
    first = (guint) ((pair.first_data_ns - START_NS) / MS);
    fail_unless (pair.first_data_ns > 0 && first <= 140, "%u a second: %u ms", per_s[i], first);
    assert_established (&pair);
    pair_clear (&pair);
  }
  g_bytes_unref (false_request);
  X509_free (long_receiver.certificate);
}
GST_END_TEST;

/* The receiver does not answer. */
GST_START_TEST (requests_without_the_senders_cookie_end_no_exchange)
{
  Pair pair;

  make_long_requests ();
  pair_init (&pair, &sinks[BY_RSA_R], &long_receiver);
  pair.loses_all_keys = TRUE;
  pair_start (&pair);
  for (guint k = 0; k < 100; k++) {
    request_of_the_receiver (&pair, k);
    pair_run (&pair, 100 * MS);
  }
  fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
  pair_clear (&pair);
  g_bytes_unref (false_request);
  X509_free (long_receiver.certificate);
}
GST_END_TEST;

/* The sender's first offer has left, and nothing of the keys arrives. */
static void
offer_that_is_lost (Pair *pair)
{
  pair_of (pair, BY_PSK);
  pair->loses_all_keys = TRUE;
  pair->rtt_ns = GST_SECOND; /* the offer is repeated after 2 s */
  pair_start (pair);
  pair_run (pair, 10 * MS);
}

/* A cookie for the message that is leaving hurries it, once a second, twice at once; one for another message
 * does nothing. Nothing else leaves that did not leave before. */
GST_START_TEST (a_sender_takes_cookies_for_its_own_message)
{
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES] = { 0 }, bytes[GST_TFRC_KEY_COOKIE_PACKET_BYTES];
  GstTfrcKeyTime time;
  Pair pair;

  offer_that_is_lost (&pair);
  fail_unless_equals_int (pair.keys_from_sink, 1);
  for (guint i = 0; i < 100; i++) {
    cookie[0] = (guint8) i;
    time = sink_time (&pair);
    gst_tfrc_key_packet_write_cookie (bytes, SRC_SSRC, pair.message_number + 1 + i, cookie);
    gst_tfrc_sink_keys_on_packet (pair.sink, bytes, sizeof bytes, pair.seq, &time);
    pair_run (&pair, MS);
  }
  fail_unless_equals_int (pair.keys_from_sink, 1);
  for (guint i = 0; i < 100; i++) {
    cookie[0] = (guint8) i;
    time = sink_time (&pair);
    gst_tfrc_key_packet_write_cookie (bytes, SRC_SSRC, pair.message_number, cookie);
    gst_tfrc_sink_keys_on_packet (pair.sink, bytes, sizeof bytes, pair.seq, &time);
    pair_run (&pair, MS);
  }
  fail_unless_equals_int (pair.keys_from_sink, 1 + 2);
  pair_clear (&pair);
}
GST_END_TEST;

/* Any host can ask in the receiver's name. The offer that is leaving hurries once a second, twice at once. */
GST_START_TEST (a_sender_that_is_asked_all_the_time_sends_two_offers_at_once)
{
  guint8 bytes[GST_TFRC_KEY_PACKET_HEADER_BYTES];
  Pair pair;

  offer_that_is_lost (&pair);
  for (guint i = 0; i < 100; i++) {
    gst_tfrc_key_packet_write_request (bytes, SRC_SSRC, 0, sizeof bytes);
    strike_sink (&pair, bytes, sizeof bytes);
    pair_run (&pair, MS);
  }
  fail_unless_equals_int (pair.keys_from_sink, 1 + 2);
  pair_clear (&pair);
}
GST_END_TEST;

/* An answer that was lost leaves again for each copy, while there is a token. */
GST_START_TEST (copies_of_an_offer_are_answered_fifty_times_at_once)
{
  const Flying *offer;
  guint before;
  Pair pair;

  memset (balances, 0, sizeof balances);
  pair_of (&pair, BY_PSK);
  pair.data_interval_ns = 0;
  pair.record = g_ptr_array_new_with_free_func (g_free);
  pair_start (&pair);
  pair_run (&pair, 30 * MS);
  offer = pair.record->pdata[0];
  before = pair.key_packets;
  for (guint i = 0; i < 1000; i++)
    attack (&pair, SINK_HOST, (const guint8 *) offer->words, offer->size);
  fail_unless_equals_int (pair.key_packets - before, 50);
  pair_clear (&pair);
}
GST_END_TEST;

static Suite *
keysflood_suite (void)
{
  Suite *suite = suite_create ("keysflood");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_loop_test (tcase, messages_of_one_host, 0, N_MODES);
  tcase_add_loop_test (tcase, messages_of_many_hosts, 0, N_MODES);
  tcase_add_test (tcase, fragments_with_the_senders_address);
  tcase_add_loop_test (tcase, first_parts_from_elsewhere_displace_no_offer, 0, 2);
  tcase_add_test (tcase, packets_that_ask_for_requests);
  tcase_add_test (tcase, data_of_many_hosts);
  tcase_add_test (tcase, data_of_one_host);
  tcase_add_loop_test (tcase, offers_of_another_mode_delay_no_start, 0, 2);
  tcase_add_test (tcase, what_is_not_read_displaces_no_message);
  tcase_add_loop_test (tcase, messages_that_are_read_delay_a_start_by_one_round_trip, 0, N_MODES);
  tcase_add_loop_test (tcase, requests_with_the_receivers_address_delay_no_start, 0, 4);
  tcase_add_test (tcase, requests_without_the_senders_cookie_end_no_exchange);
  tcase_add_test (tcase, a_sender_takes_cookies_for_its_own_message);
  tcase_add_test (tcase, a_sender_that_is_asked_all_the_time_sends_two_offers_at_once);
  tcase_add_test (tcase, copies_of_an_offer_are_answered_fifty_times_at_once);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysflood);
