/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue guard: the limit itself, a sender that has it, and a movie. */
#include "queueguardtest.h"
#include "simlink.h"

GST_START_TEST (test_no_limit_before_a_queue_is_seen)
{
  GuardTest t;

  begin (&t);
  hear (&t, 200000, RTT_S);
  hear (&t, 100000, RTT_S + 0.0124);
  fail_unless (isinf (limit_of (&t)));
}

GST_END_TEST;

GST_START_TEST (test_after_ten_seconds_at_most_one_and_a_half_times_the_recent_rate)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear_often (&t, 99, 80000, RTT_S);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 80000, RTT_S);
  assert_close (limit_of (&t), 150000);
  hear (&t, 150000, RTT_S);
  assert_close (limit_of (&t), 225000);
}

GST_END_TEST;

GST_START_TEST (test_queue_below_5_ms_is_none)
{
  GuardTest t;

  t.now = SECOND;
  t.sent_bytes = 0;
  tfrc_queue_guard_init (&t.guard);
  hear (&t, 100000, 0.001);
  hear (&t, 100000, 0.0059);
  fail_unless (isinf (limit_of (&t)));
  hear (&t, 100000, 0.0061);
  assert_close (limit_of (&t), 100000 + S / 0.0061);
}

GST_END_TEST;

GST_START_TEST (test_first_samples_of_a_queue_limit_to_the_greatest_mean)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, RTT_S);
  hear (&t, 200000, QUEUEING_S);
  assert_close (limit_of (&t), 200000 + ONE_PACKET);
  hear (&t, 150000, QUEUEING_S);
  assert_close (limit_of (&t), 200000 + ONE_PACKET);
}

GST_END_TEST;

GST_START_TEST (test_third_sample_of_a_queue_makes_the_path_known)
{
  GuardTest t;

  begin (&t);
  hear (&t, 200000, QUEUEING_S);
  hear (&t, 150000, QUEUEING_S);
  hear (&t, 160000, QUEUEING_S);
  assert_close (limit_of (&t), 170000 + ONE_PACKET);
}

GST_END_TEST;

GST_START_TEST (test_mean_is_of_eight_samples)
{
  GuardTest t;

  begin (&t);
  hear (&t, 120000, QUEUEING_S);
  hear_often (&t, 7, 100000, QUEUEING_S);
  assert_close (limit_of (&t), 102500 + ONE_PACKET);
  hear (&t, 100000, QUEUEING_S);
  assert_close (limit_of (&t), 100000 + ONE_PACKET);
}

GST_END_TEST;

GST_START_TEST (test_known_path_is_not_forgotten_by_two_samples)
{
  GuardTest t;

  begin (&t);
  hear_often (&t, 3, 150000, QUEUEING_S);
  hear (&t, 150000, RTT_S);
  hear_often (&t, 2, 100000, QUEUEING_S);
  assert_close (limit_of (&t), 150000 + ONE_PACKET);
  hear (&t, 100000, QUEUEING_S);
  assert_close (limit_of (&t), 100000 + ONE_PACKET);
}

GST_END_TEST;

GST_START_TEST (test_rate_without_queue_is_raised_by_a_fifth)
{
  GuardTest t;

  begin (&t);
  hear (&t, 100000, QUEUEING_S);
  hear (&t, 80000, RTT_S);
  assert_close (limit_of (&t), 100000 + ONE_PACKET);
  hear (&t, 110000, RTT_S);
  assert_close (limit_of (&t), 132000);
}

GST_END_TEST;

/* There are four round-trip times without a queue, and one with a queue. */
static TfrcSenderStats
stats_after_a_queue (gboolean queue_guard)
{
  TfrcSenderConfig config = default_config ();
  TfrcSenderStats stats;
  SenderTest t;

  config.queue_guard = queue_guard;
  config.oscillation_reduction = FALSE;
  sender_test_init (&t, &config);
  start (&t, 100 * MS);
  run_rtts (&t, 4, 100 * MS, 100000);
  run_rtts (&t, 1, 200 * MS, 100000);
  stats = stats_of (&t);
  fail_unless (tfrc_sender_get_inst_rate_Bps (t.sender) == stats.x_inst_Bps);
  sender_test_clear (&t);
  return stats;
}

GST_START_TEST (test_guarded_sender_is_slowed_down_by_a_queue)
{
  TfrcSenderStats stats = stats_after_a_queue (TRUE);

  assert_close (stats.x_Bps, 200000);
  assert_within (stats.x_inst_Bps, 100000 + S / 0.2, 1e-3);
}

GST_END_TEST;

GST_START_TEST (test_sender_without_guard_is_not)
{
  TfrcSenderStats stats = stats_after_a_queue (FALSE);

  assert_close (stats.x_Bps, 200000);
  assert_close (stats.x_inst_Bps, 200000);
}

GST_END_TEST;

/* A movie of ten minutes: 8 s of 0.5 Mbit/s and 0.4 s of 3.4 Mbit/s in turn. The path has 2 Mbit/s
 * and a queue of 20 packets. Returns the number of lost packets after the first fast scene. The
 * sender does not know the path before that scene. */
static guint64
lost_after_first_scene (gboolean queue_guard)
{
  static guint frames[210];
  const SimLink link = { .rate_bps = 2e6, .queue_packets = 21, .delay_ns = 60 * SIM_MS };
  TfrcSenderConfig config = default_config ();
  Sim *sim = sim_new (&link, 7);
  SimFlow *flow;
  guint64 lost;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = i < 200 ? 2 : 13;
  config.queue_guard = queue_guard;
  config.burst_limit_ns = 10 * SIM_MS;
  flow = sim_add_flow (sim, &config, 0);
  flow->frames = frames;
  flow->n_frames = G_N_ELEMENTS (frames);
  flow->frame_ns = 40 * SIM_MS;
  sim_run_until (sim, 12 * SIM_SECOND);
  lost = flow->dropped;
  sim_run_until (sim, 600 * SIM_SECOND);
  fail_unless (flow->sent > 35000);
  fail_unless (flow->max_waiting < 130); /* packets of one fast scene */
  lost = flow->dropped - lost;
  sim_free (sim);
  return lost;
}

GST_START_TEST (test_known_path_loses_no_packet_of_fast_scenes)
{
  guint64 without = lost_after_first_scene (FALSE);
  guint64 with = lost_after_first_scene (TRUE);

  GST_INFO ("lost %" G_GUINT64_FORMAT ", without guard %" G_GUINT64_FORMAT, with, without);
  fail_unless_equals_uint64 (with, 0);
  fail_unless (without >= 50, "%" G_GUINT64_FORMAT, without);
}

GST_END_TEST;

static Suite *
queueguard_suite (void)
{
  Suite *suite = suite_create ("queueguard");
  TCase *tc = tcase_create ("limit");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_no_limit_before_a_queue_is_seen);
  tcase_add_test (tc, test_after_ten_seconds_at_most_one_and_a_half_times_the_recent_rate);
  tcase_add_test (tc, test_queue_below_5_ms_is_none);
  tcase_add_test (tc, test_first_samples_of_a_queue_limit_to_the_greatest_mean);
  tcase_add_test (tc, test_third_sample_of_a_queue_makes_the_path_known);
  tcase_add_test (tc, test_mean_is_of_eight_samples);
  tcase_add_test (tc, test_known_path_is_not_forgotten_by_two_samples);
  tcase_add_test (tc, test_rate_without_queue_is_raised_by_a_fifth);
  tcase_add_test (tc, test_guarded_sender_is_slowed_down_by_a_queue);
  tcase_add_test (tc, test_sender_without_guard_is_not);
  tcase_add_test (tc, test_known_path_loses_no_packet_of_fast_scenes);
  return suite;
}

GST_CHECK_MAIN (queueguard);
