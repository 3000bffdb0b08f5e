/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends that begin anew, come late, or have no keys, see gst/keys/sinkkeys.h and srckeys.h. */
#include "keysends.h"

#define OTHER_SSRC 0x55667788u

static void
start (Pair *pair, Mode mode)
{
  pair_of (pair, mode);
  pair_start (pair);
  pair_run (pair, 2 * GST_SECOND);
  assert_established (pair);
}

static void
restart_source (Pair *pair, Mode mode)
{
  gst_tfrc_src_keys_free (pair->src);
  pair->src = new_src (&srcs[mode], GST_TFRC_PROTECT_ALL, &pair->src_waiting);
  pair->data_taken = 0;
  memset (&pair->src_events, 0, sizeof pair->src_events);
}

static void
restart_sink_with (Pair *pair, Mode mode, guint32 ssrc)
{
  const GstTfrcSecurityConfig config = security_of (&sinks[mode], GST_TFRC_PROTECT_ALL, 0);

  gst_tfrc_sink_keys_free (pair->sink);
  pair->sink = gst_tfrc_sink_keys_new (&config, &pair->sink_waiting);
  pair->ssrc = ssrc;
  memset (&pair->sink_events, 0, sizeof pair->sink_events);
  pair_start (pair);
}

static void
restart_sink (Pair *pair, Mode mode)
{
  restart_sink_with (pair, mode, OTHER_SSRC);
}

/* The new source has keys, and data is readable after the ask, 250 ms in which a source with keys would be
 * heard, the offer (reverse mode: the ask, the packet that asks, request and grant), and the time until the
 * next data. */
GST_START_TEST (the_source_restarts)
{
  static const guint limit_ms[N_MODES] = { 350, 350, 390 };
  guint64 begin_ns;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    restart_source (&pair, mode);
    begin_ns = pair.now_ns;
    pair_run (&pair, GST_SECOND);
    fail_unless (src_stats (&pair).established);
    fail_unless (pair.first_data_ns - begin_ns <= limit_ms[mode] * MS, "%u ms",
        (guint) ((pair.first_data_ns - begin_ns) / MS));
    fail_unless_equals_int (sink_stats (&pair).rekeyings, 1);
    fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 1);
    fail_unless_equals_int (sink_stats (&pair).refused.forged, 0);
    pair_run (&pair, 10 * GST_SECOND);
    fail_unless_equals_int (sink_stats (&pair).rekeyings, 1);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (the_source_restarts_and_packets_are_lost)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint seed = 1; seed <= 10; seed++) {
      start (&pair, mode);
      pair.random = seed;
      pair.loss_percent = 30;
      restart_source (&pair, mode);
      pair_run (&pair, 20 * GST_SECOND);
      fail_unless (src_stats (&pair).established);
      fail_unless (pair.data_taken > 500);
      fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

GST_START_TEST (the_sender_restarts)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    restart_sink (&pair, mode);
    pair_run (&pair, GST_SECOND);
    fail_unless (sink_stats (&pair).established);
    fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 2);
    fail_unless (sink_stats (&pair).refused.forged <= 2); /* reports for the sender before */
    fail_unless_equals_int (src_stats (&pair).refused.forged, 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* The rollover counter is 1 by then. */
GST_START_TEST (the_source_joins_after_70000_packets)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    pair.data_interval_ns = 100 * GST_USECOND;
    while (pair.data_sent < 70000)
      pair_run (&pair, 10 * MS);
    pair.data_interval_ns = 10 * MS;
    restart_source (&pair, mode);
    pair_run (&pair, GST_SECOND);
    fail_unless (src_stats (&pair).established);
    fail_unless (pair.data_taken >= 60, "%u", pair.data_taken);
    /* The sender uses the new keys once it has the answer. */
    fail_unless (src_stats (&pair).refused.forged <= 5);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (another_ssrc_after_bye)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    pair_run (&pair, GST_SECOND);
    pair_drop_flying (&pair);
    pair.ssrc = OTHER_SSRC;
    pair_start (&pair);
    pair_start (&pair); /* does nothing */
    pair_run (&pair, GST_SECOND);
    fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 2);
    fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 2);
    fail_unless (sink_stats (&pair).refused.forged <= 2); /* reports for the stream before */
    fail_unless_equals_int (src_stats (&pair).refused.forged, 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* Carries the source's next key packet to a sender. */
static void
answer_to (Pair *pair, GstTfrcSinkKeys *sink)
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcKeyTime time = sink_time (pair);
  GstTfrcAddress to, local;
  gsize size = gst_tfrc_src_keys_write (pair->src, (guint8 *) words, &to, &local);

  fail_unless (gst_tfrc_sink_keys_on_packet (sink, (guint8 *) words, size, 1, &time));
}

/* Another sender with the same passphrase gets keys: its offer, and the proof that it has the answer */
static void
offer_as (Pair *pair, guint32 ssrc, guint32 host)
{
  const GstTfrcSecurityConfig config = security_of (&sinks[BY_PSK], GST_TFRC_PROTECT_ALL, 0);
  GstTfrcSinkKeys *sink = gst_tfrc_sink_keys_new (&config, NULL);
  GstTfrcAddress from = host_address (host);
  GstTfrcKeyTime time = sink_time (pair);
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  guint8 *bytes = (guint8 *) words;
  gsize size;

  gst_tfrc_sink_keys_start (sink, ssrc, 1, &time);
  size = gst_tfrc_sink_keys_write (sink, 0, pair->now_ns, bytes);
  fail_if (deliver_to_src (pair, &from, bytes, &size));
  fail_if (gst_tfrc_src_keys_has_stream (pair->src, ssrc));
  answer_to (pair, sink);
  size = gst_tfrc_sink_keys_write (sink, 0, pair->now_ns, bytes);
  fail_if (deliver_to_src (pair, &from, bytes, &size));
  fail_unless (gst_tfrc_src_keys_has_stream (pair->src, ssrc));
  gst_tfrc_sink_keys_free (sink);
}

/* The numbers of the packets begin anew, and they are those of packets that were played before. Two streams
 * that begin later take the place of what the source knows of the stream. */
GST_START_TEST (a_sender_that_begins_anew_with_its_ssrc_is_not_played)
{
  guint taken;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    pair_run (&pair, 20 * GST_SECOND);
    pair_drop_flying (&pair);
    taken = pair.data_taken;
    restart_sink_with (&pair, mode, SINK_SSRC);
    pair.seq = 1000;
    pair_run (&pair, 9 * GST_SECOND);
    fail_unless (sink_stats (&pair).established);
    fail_unless_equals_int (pair.data_taken, taken);
    fail_unless (src_stats (&pair).refused.replayed >= 890);
    if (mode != BY_PSK) {
      pair_clear (&pair);
      continue;
    }
    gst_tfrc_src_keys_set_peer (pair.src, &pair.sink_address, OTHER_SSRC);
    offer_as (&pair, OTHER_SSRC, 50);
    pair_run (&pair, GST_SECOND);
    offer_as (&pair, OTHER_SSRC + 1, 51);
    fail_if (gst_tfrc_src_keys_has_stream (pair.src, SINK_SSRC));
    pair_run (&pair, 5 * GST_SECOND);
    fail_unless (pair.data_taken > taken + 350, "%u", pair.data_taken - taken);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (senders_in_turn_leave_the_peers_keys)
{
  Pair pair;

  start (&pair, BY_PSK);
  for (guint i = 0; i < 20; i++) {
    offer_as (&pair, OTHER_SSRC + i, 50 + i);
    pair_run (&pair, 100 * MS);
    fail_unless (gst_tfrc_src_keys_has_stream (pair.src, OTHER_SSRC + i));
    fail_unless (gst_tfrc_src_keys_has_stream (pair.src, SINK_SSRC));
  }
  assert_nothing_refused (&pair);
  fail_unless (pair.data_taken >= pair.data_sent - 3);
  /* The peer changes, and with it the keys that stay. */
  gst_tfrc_src_keys_set_peer (pair.src, &pair.sink_address, OTHER_SSRC + 19);
  offer_as (&pair, OTHER_SSRC + 20, 80);
  fail_unless (gst_tfrc_src_keys_has_stream (pair.src, OTHER_SSRC + 19));
  fail_if (gst_tfrc_src_keys_has_stream (pair.src, SINK_SSRC));
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (both_ends_may_have_the_same_ssrc)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_of (&pair, mode);
    pair.ssrc = SRC_SSRC;
    gst_tfrc_src_keys_set_peer (pair.src, &pair.sink_address, SRC_SSRC);
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    assert_established (&pair);
    fail_unless_equals_int (pair.reports_taken, pair.reports_sent - 1);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* ---- never plaintext ----------------------------------------------------- */

static gboolean
takes_plain (Pair *pair, gboolean to_sink, gboolean is_rtcp)
{
  guint32 words[DATA_BYTES];
  guint8 *bytes = (guint8 *) words;
  gsize size = is_rtcp ? write_report (bytes, to_sink ? SRC_SSRC : SINK_SSRC)
                       : write_data (bytes, SINK_SSRC, pair->seq);

  return to_sink ? gst_tfrc_sink_keys_unprotect (pair->sink, TRUE, bytes, &size, pair->now_ns)
                 : deliver_to_src (pair, &pair->sink_address, bytes, &size);
}

/* What leaves is nothing, or a protected packet. */
static void
assert_no_plaintext_leaves (Pair *pair)
{
  guint32 words[DATA_BYTES];
  guint8 *bytes = (guint8 *) words;
  GstTfrcAddress stranger_address = host_address (9);
  gsize size = write_data (bytes, SINK_SSRC, pair->seq++);

  size = gst_tfrc_sink_keys_protect (pair->sink, FALSE, bytes, size);
  fail_unless (size == 0 || size == DATA_BYTES + 16);
  size = gst_tfrc_sink_keys_protect (pair->sink, TRUE, bytes, write_report (bytes, SINK_SSRC));
  fail_unless (size == 0 || size == 28 + 20);
  size = gst_tfrc_src_keys_protect (
      pair->src, &pair->sink_address, bytes, write_report (bytes, SRC_SSRC));
  fail_unless (size == 0 || size == 28 + 20);
  size = write_report (bytes, SRC_SSRC);
  fail_unless_equals_int (gst_tfrc_src_keys_protect (pair->src, &stranger_address, bytes, size), 0);
}

static void
assert_no_plaintext (Pair *pair)
{
  guint64 sink = sink_stats (pair).refused.plaintext + sink_stats (pair).refused.no_key;
  guint64 src = src_stats (pair).refused.plaintext;

  fail_if (takes_plain (pair, TRUE, TRUE));
  fail_if (takes_plain (pair, FALSE, TRUE) || takes_plain (pair, FALSE, FALSE));
  fail_unless_equals_int (
      sink_stats (pair).refused.plaintext + sink_stats (pair).refused.no_key, sink + 1);
  fail_unless_equals_int (src_stats (pair).refused.plaintext, src + 2);
  assert_no_plaintext_leaves (pair);
}

GST_START_TEST (no_state_takes_or_sends_plaintext)
{
  GstTfrcKeyTime time;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_of (&pair, mode);
    assert_no_plaintext (&pair); /* before the start */
    pair_start (&pair);
    for (guint i = 0; i < 15; i++) { /* in each step of the exchange */
      pair_run (&pair, 10 * MS);
      assert_no_plaintext (&pair);
    }
    fail_unless (sink_stats (&pair).established);
    time = sink_time (&pair);
    gst_tfrc_sink_keys_rekey (pair.sink, time.now_ns);
    for (guint i = 0; i < 15; i++) {
      pair_run (&pair, 10 * MS);
      assert_no_plaintext (&pair);
    }
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (ends_that_have_failed_send_nothing)
{
  Pair pair;

  pair_init (&pair, &sinks[BY_PSK], &other_psk);
  pair_start (&pair);
  pair_run (&pair, 10 * GST_SECOND);
  assert_no_plaintext (&pair);
  fail_unless_equals_int (pair.reports_sent, 0);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (a_source_without_keys_says_so_once)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_init (&pair, &sinks[mode], NULL);
    pair_start (&pair);
    pair_run (&pair, 10 * GST_SECOND);
    fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_NO_KEYS], 1);
    fail_unless (src_stats (&pair).peer_is_protected && !src_stats (&pair).is_protected);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (a_source_with_keys_refuses_a_plain_sender)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_init (&pair, NULL, &srcs[mode]);
    pair_run (&pair, 5 * GST_SECOND);
    fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 1);
    fail_unless_equals_int (
        pair.src_events.first_ns[GST_TFRC_EVENT_SECURITY_FAILED] - START_NS, 2020 * MS);
    fail_unless (g_str_has_prefix (pair.src_events.reason, "The sender's stream is not protected"));
    fail_unless_equals_int (pair.data_taken, 0);
    fail_unless_equals_int (pair.key_packets, 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static Suite *
keysrestart_suite (void)
{
  Suite *suite = suite_create ("keysrestart");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, the_source_restarts);
  tcase_add_test (tcase, the_source_restarts_and_packets_are_lost);
  tcase_add_test (tcase, the_sender_restarts);
  tcase_add_test (tcase, the_source_joins_after_70000_packets);
  tcase_add_test (tcase, another_ssrc_after_bye);
  tcase_add_test (tcase, a_sender_that_begins_anew_with_its_ssrc_is_not_played);
  tcase_add_test (tcase, senders_in_turn_leave_the_peers_keys);
  tcase_add_test (tcase, both_ends_may_have_the_same_ssrc);
  tcase_add_test (tcase, no_state_takes_or_sends_plaintext);
  tcase_add_test (tcase, ends_that_have_failed_send_nothing);
  tcase_add_test (tcase, a_source_without_keys_says_so_once);
  tcase_add_test (tcase, a_source_with_keys_refuses_a_plain_sender);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysrestart);
