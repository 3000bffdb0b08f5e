/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strangers of a sender that listens for receivers, see gst/strangers/pending.h: who calls has to answer
 * a challenge before anything is kept of the call. */
#include <gst/check/gstcheck.h>
#include <malloc.h>
#include <string.h>

#include "gst/strangers/pending.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define SSRC 0x12345678
#define CALL_BYTES 28

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 42 };
static GstTfrcCookies cookies;
static GstTfrcPending *o;
static guint64 now;
static guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES]; /* the last one ... */
static GstTfrcAddress challenged, challenged_from;  /* ... and its addresses */

/* A receiver that is there reports, or challenges the sender whose address it was told. */
static gboolean
is_call (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_rr || rtcp->has_challenge;
}

static const GstTfrcRole listening_sender = { is_call, FALSE, TRUE };

static void
setup (void)
{
  now = 1000 * S;
  gst_tfrc_cookies_init (&cookies, secret);
  o = gst_tfrc_pending_new (&listening_sender, &cookies);
}

static void
teardown (void)
{
  gst_tfrc_pending_free (o);
}

static void
check (void)
{
  const gchar *broken = gst_tfrc_pending_check (o);

  fail_unless (broken == NULL, "%s", broken);
}

static GstTfrcReceivedPacket
packet_from (const GstTfrcAddress *from, gsize size)
{
  GstTfrcReceivedPacket packet = { 0 };

  packet.size = size;
  packet.from = from;
  packet.local = test_address ("192.0.2.99", 0);
  packet.arrival_ns = packet.read_ns = now;
  return packet;
}

static gboolean
calls (const GstTfrcAddress *from, gsize size)
{
  GstTfrcReceivedPacket packet = packet_from (from, size);
  TfrcWireRtcp rtcp = { .sender_ssrc = SSRC, .has_rr = TRUE };
  gboolean is_call = gst_tfrc_pending_on_call (o, &packet, &rtcp);

  check ();
  return is_call;
}

/* Returns the number of challenges that leave now. */
static guint
challenges (void)
{
  guint n = 0;

  gst_tfrc_pending_on_time (o, now);
  while (gst_tfrc_pending_take_challenge (o, now, challenge, &challenged, &challenged_from))
    n++;
  check ();
  return n;
}

static gboolean
answers (const GstTfrcAddress *from)
{
  GstTfrcReceivedPacket packet = packet_from (from, TFRC_WIRE_MIN_PATH_BYTES);

  if (!gst_tfrc_cookies_check (&cookies, from, now, challenge))
    return FALSE;
  gst_tfrc_pending_on_validated (o, &packet, SSRC, challenge);
  check ();
  return TRUE;
}

static guint
candidates (void)
{
  guint n = 0;

  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++)
    n += gst_tfrc_pending_get (o, i) != NULL;
  return n;
}

GST_START_TEST (an_unknown_address_gets_a_challenge_and_no_place)
{
  GstTfrcAddress caller = test_address ("192.0.2.1", 5004);
  GstTfrcAddress local = test_address ("192.0.2.99", 0);

  fail_unless (calls (&caller, CALL_BYTES));
  fail_unless_equals_uint64 (gst_tfrc_pending_next_ns (o), 0);
  fail_unless_equals_int (challenges (), 1);
  fail_unless (gst_tfrc_address_equal (&challenged, &caller));
  fail_unless (gst_tfrc_address_same_host (&challenged_from, &local));
  fail_unless_equals_int (candidates (), 0);
  fail_unless_equals_uint64 (gst_tfrc_pending_next_ns (o), G_MAXUINT64);
}

GST_END_TEST;

GST_START_TEST (who_answers_is_a_candidate_with_its_stream)
{
  GstTfrcAddress caller = test_address ("192.0.2.1", 5004);
  const GstTfrcPendingPeer *candidate;

  calls (&caller, CALL_BYTES);
  fail_unless_equals_int (challenges (), 1);
  now += 50 * MS;
  fail_unless (answers (&caller));
  fail_unless_equals_int (candidates (), 1);
  candidate = gst_tfrc_pending_get (o, 0);
  fail_unless (candidate->base.validated);
  fail_unless (gst_tfrc_peer_id_is (&candidate->base.id, &caller, SSRC));
  fail_unless (gst_tfrc_address_same_host (&candidate->local, &challenged_from));
  fail_unless_equals_uint64 (candidate->call_ns, 0);
  /* It need not prove its address again, and the next call tells the rest. */
  now += 50 * MS;
  calls (&caller, CALL_BYTES);
  fail_unless_equals_int (challenges (), 0);
  fail_unless_equals_uint64 (candidate->call_ns, now);
  fail_unless (candidate->call.has_rr);
  /* It is forgotten as any pending peer. */
  now += GST_TFRC_PENDING_SILENCE_NS;
  fail_unless_equals_int (challenges (), 0);
  fail_unless_equals_int (candidates (), 0);
}

GST_END_TEST;

GST_START_TEST (the_answer_of_another_address_or_a_later_time_is_refused)
{
  GstTfrcAddress caller = test_address ("192.0.2.1", 5004);
  GstTfrcAddress port = test_address ("192.0.2.1", 5006), host = test_address ("192.0.2.2", 5004);

  calls (&caller, CALL_BYTES);
  fail_unless_equals_int (challenges (), 1);
  fail_if (answers (&port));
  fail_if (answers (&host));
  now += 20 * S;
  fail_if (answers (&caller));
  fail_unless_equals_int (candidates (), 0);
}

GST_END_TEST;

GST_START_TEST (what_is_no_call_or_smaller_than_a_challenge_gets_none)
{
  GstTfrcAddress caller = test_address ("192.0.2.1", 5004);
  GstTfrcReceivedPacket packet = packet_from (&caller, CALL_BYTES);
  TfrcWireRtcp report = { .sender_ssrc = SSRC, .has_sr = TRUE };

  fail_if (gst_tfrc_pending_on_call (o, &packet, &report));
  fail_unless (calls (&caller, TFRC_WIRE_MIN_PATH_BYTES - 1));
  fail_unless_equals_int (challenges (), 0);
}

GST_END_TEST;

GST_START_TEST (a_batch_of_calls_is_answered_and_not_more)
{
  for (guint16 i = 0; i < 2 * GST_TFRC_MAX_CALLS; i++) {
    GstTfrcAddress caller;
    gchar host[32];

    g_snprintf (host, sizeof host, "192.0.2.%u", i + 1);
    caller = test_address (host, 5004);
    calls (&caller, CALL_BYTES);
  }
  fail_unless_equals_int (challenges (), GST_TFRC_MAX_CALLS);
}

GST_END_TEST;

/* Bytes that the program has allocated; 0 under sanitizers, and where the C library does not tell */
static gsize
allocated (void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
  return mallinfo2 ().uordblks;
#else
  return 0;
#endif
}

/* A call each millisecond. Challenges leave as often as there are tokens: 100, and one every 2 ms. */
GST_START_TEST (ten_thousand_unknown_addresses_cost_no_memory)
{
  GstTfrcAddress stranger = test_address ("10.0.0.0", 5004);
  GstTfrcAddress caller = test_address ("192.0.2.1", 5004);
  guint sent = 0;
  gsize before = 0;

  for (guint32 i = 0; i < 10001; i++) {
    if (i == 10) /* the libraries have made their caches */
      before = allocated ();
    stranger.u.v4.sin_addr.s_addr = g_htonl (0x0a000000 + i);
    calls (&stranger, CALL_BYTES);
    sent += challenges ();
    now += MS;
  }
  fail_unless (allocated () <= before, "%" G_GSIZE_FORMAT " bytes", allocated () - before);
  fail_unless_equals_int (candidates (), 0);
  fail_unless (sent > 5000 && sent <= 100 + 5000, "%u", sent);
  /* The next one who calls and answers has a place. */
  now += 2 * MS;
  calls (&caller, CALL_BYTES);
  fail_unless_equals_int (challenges (), 1);
  fail_unless (answers (&caller));
  fail_unless_equals_int (candidates (), 1);
}

GST_END_TEST;

static Suite *
strangerslistening_suite (void)
{
  Suite *s = suite_create ("strangerslistening");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, an_unknown_address_gets_a_challenge_and_no_place);
  tcase_add_test (tc, who_answers_is_a_candidate_with_its_stream);
  tcase_add_test (tc, the_answer_of_another_address_or_a_later_time_is_refused);
  tcase_add_test (tc, what_is_no_call_or_smaller_than_a_challenge_gets_none);
  tcase_add_test (tc, a_batch_of_calls_is_answered_and_not_more);
  tcase_add_test (tc, ten_thousand_unknown_addresses_cost_no_memory);
  return s;
}

GST_CHECK_MAIN (strangerslistening);
