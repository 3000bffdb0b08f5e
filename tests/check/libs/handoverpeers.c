/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation to links of another bandwidth, and with peers that do not know of the
 * handover or suppress marks. See handovertest.h for the setting. */
#include "handovertest.h"

#define DIRECT TFRC_HANDOVER_MODE_DIRECT

/* ---- peers that do not know of the handover ------------------------------ */

static gboolean
hides_the_handover (TfrcFeedback *feedback, gpointer user)
{
  feedback->handover = feedback->new_link = feedback->suppress_echo = feedback->bandwidth = FALSE;
  return FALSE;
}

GST_START_TEST (test_sender_that_sees_no_notification_does_plain_tfrc)
{
  static const guint ways_ms[][2] = { { LONG_MS, SHORT_MS }, { SHORT_MS, LONG_MS } };
  guint i, told;

  for (i = 0; i < 2; i++) {
    SimLink from = link_of (RATE_BPS, ways_ms[i][0]);
    SimLink to = link_of (RATE_BPS, ways_ms[i][1]);
    double bps[2];
    guint lost[2];

    for (told = 0; told < 2; told++) {
      HandoverTest t;

      handover_test_init (&t, &from, DIRECT, 0);
      run_for (&t, 30000);
      t.sim->loses_feedback = hides_the_handover;
      change_link (&t, &to, 1);
      if (told)
        tell (&t, 0, FALSE);
      run_for (&t, 10000);
      bps[told] = throughput_bps (&t);
      lost[told] = drops (&t);
      fail_unless_equals_int (sim_receiver_stats (t.flow).handover_phase, TFRC_HANDOVER_NORMAL);
      fail_unless_equals_uint64 (sim_receiver_stats (t.flow).handovers_abandoned, told);
      fail_unless_equals_uint64 (sim_sender_stats (t.flow).handovers, 0);
      handover_test_clear (&t);
    }
    GST_INFO ("%u, %u drops, %.0f, %.0f bit/s", lost[0], lost[1], bps[0], bps[1]);
    fail_unless (lost[1] <= 1.25 * lost[0], "%u, %u", lost[1], lost[0]);
    fail_unless (bps[1] >= 0.95 * bps[0], "%f, %f", bps[1], bps[0]);
  }
}

GST_END_TEST;

static gboolean
hides_the_link (TfrcData *data, gpointer user)
{
  data->link = 0;
  return FALSE;
}

GST_START_TEST (test_receiver_that_does_not_see_the_link_does_plain_tfrc)
{
  SimLink from = link_of (RATE_BPS, LONG_MS), to = link_of (RATE_BPS, SHORT_MS);
  TfrcReceiverStats stats[2];
  guint hidden;

  for (hidden = 0; hidden < 2; hidden++) {
    HandoverTest t;

    handover_test_init (&t, &from, DIRECT, 0);
    run_for (&t, 30000);
    if (hidden)
      t.sim->loses_data = hides_the_link;
    change_link (&t, &to, 1);
    run_for (&t, 5000);
    stats[hidden] = sim_receiver_stats (t.flow);
    fail_unless_equals_uint64 (stats[hidden].handovers, 0);
    handover_test_clear (&t);
  }
  fail_unless (memcmp (&stats[0], &stats[1], sizeof stats[0]) == 0);
}

GST_END_TEST;

GST_START_TEST (test_marks_may_be_suppressed)
{
  static const guint ways_ms[][2] = { { LONG_MS, SHORT_MS }, { SHORT_MS, LONG_MS } };
  guint i;

  for (i = 0; i < 2; i++) {
    SimLink from = link_of (RATE_BPS, ways_ms[i][0]);
    SimLink to = link_of (RATE_BPS, ways_ms[i][1]);
    HandoverTest t;

    handover_test_init (&t, &from, DIRECT, 0);
    run_for (&t, 30000);
    change_link (&t, &to, 1);
    tell (&t, 0, TRUE);
    run_for (&t, 5000);
    GST_INFO ("%u drops, %.0f bit/s", drops (&t), throughput_bps (&t));
    fail_unless_equals_int (completed (&t), 1);
    fail_unless (drops (&t) <= 2);
    fail_unless (throughput_bps (&t) >= 4.9e6);
    handover_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_only_a_change_of_the_link_number_counts)
{
  SimLink links[] = { link_of (RATE_BPS, LONG_MS), link_of (RATE_BPS, SHORT_MS) };
  guint number;

  for (number = 0; number < 256; number += 5) {
    HandoverTest t;

    handover_test_init (&t, &links[0], DIRECT, 0);
    sim_switch_link (t.sim, &links[0], number + 1);
    run_for (&t, 30000);
    change_link (&t, &links[1], number);
    tell (&t, 0, FALSE);
    run_for (&t, 2000);
    fail_unless_equals_int (drops (&t), 0);
    fail_unless_equals_int (completed (&t), 1);
    handover_test_clear (&t);
  }
}

GST_END_TEST;

/* ---- links of another bandwidth ---------------------------------------- */

static void
check_bandwidth (double rate_bps, gboolean known, guint from_ms, guint to_ms, guint most_drops,
    double least_share)
{
  SimLink from = link_of (RATE_BPS, from_ms), to = link_of (rate_bps, to_ms);
  HandoverTest t;

  handover_test_init (&t, &from, DIRECT, 0);
  run_for (&t, 30000);
  change_link (&t, &to, 1);
  tell (&t, known ? rate_bps : 0, FALSE);
  run_for (&t, 5000);
  GST_INFO ("%.0f bit/s %d, %u -> %u ms: %u drops, %.0f", rate_bps, known, from_ms, to_ms,
      drops (&t), throughput_bps (&t));
  fail_unless_equals_int (completed (&t), 1);
  fail_unless (drops (&t) <= most_drops, "%u", drops (&t));
  fail_unless (throughput_bps (&t) >= least_share * rate_bps, "%f", throughput_bps (&t));
  handover_test_clear (&t);
}

GST_START_TEST (test_known_bandwidth_is_used_at_once)
{
  check_bandwidth (10e6, TRUE, LONG_MS, SHORT_MS, 0, 0.95);
  check_bandwidth (10e6, TRUE, SHORT_MS, LONG_MS, 0, 0.95);
  check_bandwidth (2.5e6, TRUE, SHORT_MS, LONG_MS, 40, 0.93);
  check_bandwidth (2.5e6, TRUE, LONG_MS, SHORT_MS, 40, 0.95);
}

GST_END_TEST;

GST_START_TEST (test_unknown_half_of_the_bandwidth_is_found)
{
  check_bandwidth (2.5e6, FALSE, SHORT_MS, LONG_MS, 500, 0.8);
  check_bandwidth (2.5e6, FALSE, LONG_MS, SHORT_MS, 500, 0.8);
}

GST_END_TEST;

static Suite *
handoverpeers_suite (void)
{
  Suite *suite = suite_create ("handoverpeers");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_sender_that_sees_no_notification_does_plain_tfrc);
  tcase_add_test (tc, test_receiver_that_does_not_see_the_link_does_plain_tfrc);
  tcase_add_test (tc, test_marks_may_be_suppressed);
  tcase_add_test (tc, test_only_a_change_of_the_link_number_counts);
  tcase_add_test (tc, test_known_bandwidth_is_used_at_once);
  tcase_add_test (tc, test_unknown_half_of_the_bandwidth_is_found);
  return suite;
}

GST_CHECK_MAIN (handoverpeers);
