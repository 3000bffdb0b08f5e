/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys that are replaced while the stream runs, see gst/keys/sinkkeys.h. */
#include "gst/security/srtp.h"
#include "keysends.h"

#define REKEYED GST_TFRC_EVENT_SECURITY_REKEYED
#define REKEY_FAILED GST_TFRC_EVENT_SECURITY_REKEY_FAILED

static void
rekey_sink (Pair *pair)
{
  GstTfrcKeyTime time = sink_time (pair);

  gst_tfrc_sink_keys_rekey (pair->sink, time.now_ns);
}

static void
start_with (Pair *pair, Mode mode, guint64 interval_ns)
{
  pair_init_with (pair, &sinks[mode], &srcs[mode], GST_TFRC_PROTECT_ALL, interval_ns);
  pair_start (pair);
  pair_run (pair, 2 * GST_SECOND);
  assert_established (pair);
}

static void
assert_rekeyed (const Pair *pair, guint n)
{
  fail_unless_equals_int (pair->sink_events.n[REKEYED], n);
  fail_unless_equals_int (pair->src_events.n[REKEYED], n);
  fail_unless_equals_int (sink_stats (pair).rekeyings, n);
  fail_unless_equals_int (src_stats (pair).rekeyings, n);
  fail_unless_equals_int (pair->sink_events.n[REKEY_FAILED], 0);
}

GST_START_TEST (by_interval)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 10 * GST_SECOND);
    pair_run (&pair, 30 * GST_SECOND);
    assert_rekeyed (&pair, 3);
    assert_nothing_refused (&pair);
    fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (by_a_call_at_the_sender)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 0);
    for (guint i = 1; i <= 3; i++) {
      rekey_sink (&pair);
      rekey_sink (&pair); /* one is under way */
      pair_run (&pair, 2 * GST_SECOND);
      assert_rekeyed (&pair, i);
    }
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (by_a_call_at_the_source)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 0);
    gst_tfrc_src_keys_rekey (pair.src);
    pair_run (&pair, 2 * GST_SECOND);
    assert_rekeyed (&pair, 1);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* The call comes from another thread at any time: the flow's own deadline tells the loop. */
GST_START_TEST (a_call_at_the_source_is_due_at_once_and_once)
{
  Pair pair;

  start_with (&pair, 0, 0);
  fail_unless_equals_uint64 (gst_tfrc_src_keys_next_ns (pair.src), G_MAXUINT64);
  gst_tfrc_src_keys_rekey (pair.src);
  fail_unless_equals_uint64 (gst_tfrc_src_keys_next_ns (pair.src), 0);
  pair_run (&pair, 2 * GST_SECOND);
  fail_unless_equals_uint64 (gst_tfrc_src_keys_next_ns (pair.src), G_MAXUINT64);
  assert_rekeyed (&pair, 1);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (without_credentials_a_call_at_the_source_is_never_due)
{
  const GstTfrcSecurityConfig open = { 0 };
  const guint8 secret[GST_TFRC_SECRET_BYTES] = { 0 };
  GstTfrcSrcKeys *keys = gst_tfrc_src_keys_new (&open, secret, 1, NULL);

  gst_tfrc_src_keys_rekey (keys);
  fail_unless_equals_uint64 (gst_tfrc_src_keys_next_ns (keys), G_MAXUINT64);
  gst_tfrc_src_keys_free (keys);
}
GST_END_TEST;

GST_START_TEST (by_calls_at_both_ends)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint ms = 0; ms < 100; ms += 10) {
      start_with (&pair, mode, 0);
      rekey_sink (&pair);
      pair_run (&pair, ms * MS);
      gst_tfrc_src_keys_rekey (pair.src);
      pair_run (&pair, 3 * GST_SECOND);
      fail_unless (src_stats (&pair).rekeyings >= 1 && src_stats (&pair).rekeyings <= 2);
      assert_rekeyed (&pair, src_stats (&pair).rekeyings);
      assert_nothing_refused (&pair);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

GST_START_TEST (no_packet_is_refused_in_fifty_rekeyings)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 0);
    pair.jitter_ns = 40 * MS;
    pair.data_interval_ns = 5 * MS;
    for (guint i = 0; i < 50; i++) {
      rekey_sink (&pair);
      pair_run (&pair, 2 * GST_SECOND);
    }
    assert_rekeyed (&pair, 50);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* With a tenth of the packets lost some re-keyings need several offers. */
GST_START_TEST (no_packet_is_refused_with_loss)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 0);
    pair.jitter_ns = 20 * MS;
    pair.loss_percent = 10;
    for (guint i = 0; i < 50; i++) {
      rekey_sink (&pair);
      pair_run (&pair, 3 * GST_SECOND);
      while (gst_tfrc_sink_keys_get_state (pair.sink) == GST_TFRC_SINK_KEYS_REKEYING)
        pair_run (&pair, 100 * MS);
    }
    fail_unless_equals_int (sink_stats (&pair).rekeyings, 50);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (a_rekeying_without_an_answer_fails_and_is_tried_again)
{
  guint taken;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 0);
    pair.loses_all_keys = TRUE;
    rekey_sink (&pair);
    pair_run (&pair, 10 * GST_SECOND - 1);
    fail_unless_equals_int (pair.sink_events.n[REKEY_FAILED], 0);
    taken = pair.data_taken;
    pair_run (&pair, 20 * GST_SECOND);
    fail_unless_equals_int (pair.sink_events.n[REKEY_FAILED], 1);
    fail_unless (pair.data_taken > taken + 1900);
    pair.loses_all_keys = FALSE;
    pair_run (&pair, 2 * GST_SECOND); /* 30 s after the first try */
    fail_unless_equals_int (pair.sink_events.n[REKEYED], 1);
    fail_unless_equals_int (pair.src_events.n[REKEYED], 1);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* The source has the new keys, and the sender does not know: the sender goes on with the old ones,
 * and its next offer must not make the source forget these. */
GST_START_TEST (answers_that_are_lost_cost_no_data)
{
  static const guint arrive[N_MODES] = { 1, 2, 6 };
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 0);
    rekey_sink (&pair);
    pair.report_ns = G_MAXUINT64;
    /* The offer arrives, or ask, request and grant do; then nothing does. */
    pair.lost_keys = G_MAXUINT64 << (pair.key_packets + arrive[mode]);
    pair_run (&pair, 15 * GST_SECOND);
    fail_unless_equals_int (pair.sink_events.n[REKEY_FAILED], 1);
    pair.lost_keys = 0;
    pair.report_ns = pair.now_ns;
    pair_run (&pair, 30 * GST_SECOND);
    fail_unless_equals_int (pair.sink_events.n[REKEYED], 1);
    assert_nothing_refused (&pair);
    fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* A host in the receiver's name says that it has no keys, ten times a second. */
static void
forge_asks (Pair *pair, guint seconds)
{
  guint8 ask[GST_TFRC_KEY_PACKET_HEADER_BYTES];
  gsize size = gst_tfrc_key_packet_write_request (ask, SRC_SSRC, 0, sizeof ask);

  for (guint i = 0; i < 10 * seconds; i++) {
    GstTfrcKeyTime time = sink_time (pair);

    gst_tfrc_sink_keys_on_packet (pair->sink, ask, size, pair->seq, &time);
    pair_run (pair, 100 * MS);
  }
}

/* A receiver that has keys is heard, or at least answers the offer. No offer leaves in the clear. */
GST_START_TEST (asks_in_the_name_of_a_receiver_with_keys_unseal_no_offer)
{
  const gboolean is_silent = __i__ % 2;
  guint32 csb_id;
  Pair pair;

  start_with (&pair, __i__ / 2, 0);
  csb_id = pair.csb_id;
  rekey_sink (&pair);
  if (is_silent) {
    pair.data_interval_ns = 0;
    pair.report_ns = G_MAXUINT64;
  }
  forge_asks (&pair, 10);
  fail_unless (pair.csb_id == csb_id);
  fail_unless (sink_stats (&pair).rekeyings <= 10);
  fail_unless_equals_int (pair.sink_events.n[REKEY_FAILED], 0);
  pair_run (&pair, GST_SECOND);
  assert_nothing_refused (&pair);
  pair_clear (&pair);
}
GST_END_TEST;

/* Half of what a key may protect: re-keying without an interval */
GST_START_TEST (by_the_use_of_a_key)
{
  Pair pair;

  for (guint interval_s = 0; interval_s <= 1000; interval_s += 1000) {
    start_with (&pair, BY_PSK, interval_s * GST_SECOND);
    gst_tfrc_srtp_set_limits (gst_tfrc_sink_keys_get_srtp (pair.sink), 1000, G_MAXUINT64);
    pair_run (&pair, 20 * GST_SECOND);
    fail_unless (sink_stats (&pair).rekeyings >= 4 && sink_stats (&pair).rekeyings <= 5);
    fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_EXPIRED], 0);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (a_key_at_its_limit_expires)
{
  guint sent, keys;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start_with (&pair, mode, 20 * GST_SECOND);
    gst_tfrc_srtp_set_limits (gst_tfrc_sink_keys_get_srtp (pair.sink), 1500, G_MAXUINT64);
    pair.loses_all_keys = TRUE;
    pair_run (&pair, 20 * GST_SECOND);
    fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_EXPIRED], 1);
    fail_if (gst_tfrc_sink_keys_may_send (pair.sink));
    sent = pair.data_sent;
    keys = pair.keys_from_sink;
    pair.loses_all_keys = FALSE;
    rekey_sink (&pair);
    gst_tfrc_src_keys_rekey (pair.src);
    pair_run (&pair, 100 * GST_SECOND);
    fail_if (gst_tfrc_sink_keys_may_send (pair.sink));
    fail_unless_equals_int (pair.data_sent, sent);
    fail_unless_equals_int (pair.keys_from_sink, keys);
    fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_EXPIRED], 1);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static Suite *
keysrekey_suite (void)
{
  Suite *suite = suite_create ("keysrekey");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, by_interval);
  tcase_add_test (tcase, by_a_call_at_the_sender);
  tcase_add_test (tcase, by_a_call_at_the_source);
  tcase_add_test (tcase, a_call_at_the_source_is_due_at_once_and_once);
  tcase_add_test (tcase, without_credentials_a_call_at_the_source_is_never_due);
  tcase_add_test (tcase, by_calls_at_both_ends);
  tcase_add_test (tcase, no_packet_is_refused_in_fifty_rekeyings);
  tcase_add_test (tcase, no_packet_is_refused_with_loss);
  tcase_add_test (tcase, a_rekeying_without_an_answer_fails_and_is_tried_again);
  tcase_add_test (tcase, answers_that_are_lost_cost_no_data);
  tcase_add_loop_test (
      tcase, asks_in_the_name_of_a_receiver_with_keys_unseal_no_offer, 0, 2 * N_MODES);
  tcase_add_test (tcase, by_the_use_of_a_key);
  tcase_add_test (tcase, a_key_at_its_limit_expires);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysrekey);
