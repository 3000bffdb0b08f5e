/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GST_TFRC_PROTECT_RAISED_TTL: plain packets first, protected ones from the switch on. */
#include "keysends.h"

static void
start (Pair *pair, Mode mode, guint seed)
{
  pair_init_with (pair, &sinks[mode], &srcs[mode], GST_TFRC_PROTECT_RAISED_TTL, 0);
  pair->random = seed;
  pair_start (pair);
  pair_run (pair, 2 * GST_SECOND);
  fail_unless (src_stats (pair).established);
  fail_if (src_stats (pair).in_force || sink_stats (pair).in_force);
}

static void
raise_ttl (Pair *pair)
{
  gst_tfrc_sink_keys_seal_from_now_on (pair->sink, pair->now_ns);
}

static gboolean
takes_plain_data (Pair *pair, guint16 seq)
{
  guint32 words[DATA_BYTES];
  gsize size = write_data ((guint8 *) words, SINK_SSRC, seq);

  return deliver_to_src (pair, &pair->sink_address, (guint8 *) words, &size);
}

GST_START_TEST (packets_are_plain_before_the_switch)
{
  guint32 words[DATA_BYTES];
  guint8 *bytes = (guint8 *) words;
  Pair pair;

  start (&pair, BY_PSK, 1);
  fail_unless (sink_stats (&pair).established);
  fail_unless_equals_int (
      gst_tfrc_sink_keys_protect (pair.sink, FALSE, bytes, write_data (bytes, SINK_SSRC, pair.seq)),
      DATA_BYTES);
  fail_unless_equals_int (gst_tfrc_src_keys_protect (
                              pair.src, &pair.sink_address, bytes, write_report (bytes, SRC_SSRC)),
      28);
  assert_nothing_refused (&pair);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (no_packet_is_refused_at_the_switch)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint seed = 1; seed <= 20; seed++) {
      start (&pair, mode, seed);
      pair.jitter_ns = 60 * MS;
      pair.loss_percent = seed % 2 * 30;
      pair.data_interval_ns = 2 * MS;
      pair_run (&pair, GST_SECOND + seed * 7 * MS);
      raise_ttl (&pair);
      pair_run (&pair, 10 * GST_SECOND);
      fail_unless (src_stats (&pair).in_force && sink_stats (&pair).in_force);
      assert_nothing_refused (&pair);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

GST_START_TEST (plaintext_is_refused_after_the_grace)
{
  guint32 words[DATA_BYTES];
  guint8 *bytes = (guint8 *) words;
  guint16 before;
  gsize size;
  Pair pair;

  start (&pair, BY_PSK, 1);
  before = pair.seq - 1;
  raise_ttl (&pair);
  pair_run (&pair, 100 * MS);
  fail_unless (takes_plain_data (&pair, before));
  fail_if (takes_plain_data (&pair, pair.seq)); /* leaves after the switch */
  size = write_report (bytes, SRC_SSRC);
  fail_unless (gst_tfrc_sink_keys_unprotect (pair.sink, TRUE, bytes, &size, pair.now_ns));
  pair_run (&pair, 2 * GST_SECOND);
  fail_if (takes_plain_data (&pair, before));
  size = write_report (bytes, SINK_SSRC);
  fail_if (deliver_to_src (&pair, &pair.sink_address, bytes, &size));
  size = write_report (bytes, SRC_SSRC);
  fail_if (gst_tfrc_sink_keys_unprotect (pair.sink, TRUE, bytes, &size, pair.now_ns));
  fail_unless_equals_int (src_stats (&pair).refused.plaintext, 3);
  fail_unless_equals_int (sink_stats (&pair).refused.plaintext, 1);
  pair_clear (&pair);
}
GST_END_TEST;

/* The sender's offer leaves protected although data does not. */
GST_START_TEST (a_rekeying_before_the_switch_does_not_switch)
{
  GstTfrcKeyTime time;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode, 1);
    fail_unless (sink_stats (&pair).established);
    time = sink_time (&pair);
    gst_tfrc_sink_keys_rekey (pair.sink, time.now_ns);
    pair_run (&pair, 5 * GST_SECOND);
    fail_unless_equals_int (sink_stats (&pair).rekeyings, 1);
    fail_if (src_stats (&pair).in_force || sink_stats (&pair).in_force);
    assert_nothing_refused (&pair);
    raise_ttl (&pair);
    pair_run (&pair, GST_SECOND);
    fail_unless (src_stats (&pair).in_force);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static Suite *
keysraisedttl_suite (void)
{
  Suite *suite = suite_create ("keysraisedttl");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, packets_are_plain_before_the_switch);
  tcase_add_test (tcase, no_packet_is_refused_at_the_switch);
  tcase_add_test (tcase, plaintext_is_refused_after_the_grace);
  tcase_add_test (tcase, a_rekeying_before_the_switch_does_not_switch);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysraisedttl);
