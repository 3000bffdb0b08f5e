/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation at the receiver, step by step: its phases, and the feedback in each. */
#include "handoverphasetest.h"

static void
assert_feedback_is_untouched (void)
{
  TfrcFeedback feedback = fill ();

  fail_if (feedback.handover || feedback.new_link || feedback.suppress_echo || feedback.bandwidth);
  fail_unless_equals_int (feedback.x_recv_Bps, 123456);
  fail_unless (feedback.p == 0.01);
}

GST_START_TEST (test_nothing_happens_without_a_handover)
{
  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
  data (0, T0);
  data (7, T0 + MS);
  marked (7, TRUE, 0, 50000, T0 + 2 * MS);
  fail_if (action.urgent || action.first_on_new_link || action.rebuild_rtt_us);
  assert_phase (NORMAL);
  assert_feedback_is_untouched ();
}

GST_END_TEST;

GST_START_TEST (test_phases_of_direct_mode)
{
  TfrcFeedback feedback;
  guint i;

  start (TFRC_HANDOVER_MODE_DIRECT);
  assert_phase (STARTED);
  for (i = 0; i < 5; i++) {
    data (0, T0 + i * MS);
    assert_phase (OLD_LINK);
    fail_unless (action.urgent && !action.first_on_new_link);
    feedback = fill ();
    fail_unless (feedback.handover && !feedback.new_link);
    fail_unless (!feedback.suppress_echo && !feedback.bandwidth);
    fail_unless_equals_int (feedback.handover_number, 1);
    fail_unless_equals_int (feedback.x_recv_Bps, 250000);
    fail_unless (feedback.p == 0.01);
  }
  for (i = 0; i < 5; i++) {
    data (1, T0 + (10 + i) * MS);
    assert_phase (NEW_LINK);
    fail_unless_equals_int (action.first_on_new_link, i == 0);
    fail_unless_equals_int (action.urgent, i < 3);
    feedback = fill ();
    fail_unless (feedback.handover && feedback.new_link);
    fail_unless_equals_int (feedback.x_recv_Bps, 250000);
    fail_unless (feedback.p == 0.01);
  }
  /* R was sampled half on the old link */
  marked (1, FALSE, 1, 80000, T0 + 30 * MS);
  assert_phase (NEW_LINK);
  fail_unless_equals_int (action.rebuild_rtt_us, 0);
  marked (1, TRUE, 1, 60000, T0 + 40 * MS);
  assert_phase (ECHO);
  fail_unless_equals_int (action.rebuild_rtt_us, 60000);
  fail_unless (action.urgent);
  assert_feedback_is_untouched ();
  marked (1, TRUE, 1, 60000, T0 + 50 * MS);
  assert_phase (ECHO);
  fail_if (action.urgent || action.rebuild_rtt_us);
  data (1, T0 + 60 * MS);
  assert_phase (NORMAL);
  fail_unless_equals_uint64 (handover.completed, 1);
  fail_unless_equals_uint64 (handover.abandoned, 0);
  assert_feedback_is_untouched ();
}

GST_END_TEST;

GST_START_TEST (test_phases_of_paper_mode)
{
  TfrcFeedback feedback;

  start (TFRC_HANDOVER_MODE_PAPER);
  data (0, T0);
  fail_unless (action.urgent);
  feedback = fill ();
  fail_unless (feedback.handover && feedback.p == 0);
  fail_unless_equals_int (feedback.x_recv_Bps, 250000);
  data (1, T0 + 10 * MS);
  fail_unless (action.urgent && action.first_on_new_link);
  feedback = fill ();
  fail_unless (feedback.handover && feedback.new_link && feedback.p == 0);
  /* periodic feedback: the rate stays frozen, but HOn is not set */
  data (1, T0 + 20 * MS);
  fail_if (action.urgent);
  feedback = fill ();
  fail_unless (!feedback.handover && feedback.p == 0);
  fail_unless_equals_int (feedback.x_recv_Bps, 250000);
  /* R of the new link alone is 2 * 80 - 100 ms */
  marked (1, FALSE, 1, 80000, T0 + 30 * MS);
  assert_phase (ECHO);
  fail_unless_equals_int (action.rebuild_rtt_us, 60000);
  fail_if (action.urgent);
  assert_feedback_is_untouched ();
  data (1, T0 + 40 * MS);
  assert_phase (NORMAL);
  fail_unless_equals_uint64 (handover.completed, 1);
}

GST_END_TEST;

GST_START_TEST (test_estimate_of_the_paper_stays_within_round_trip_times)
{
  static const struct
  {
    guint32 half_us, new_us;
  } cases[] = { { 100000, 100000 }, { 50001, 2 }, { 50000, 1 }, { 1, 1 }, { 0x7fffffff, 0xffffff },
    { 0xffffffff, 0xffffff } };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    start (TFRC_HANDOVER_MODE_PAPER);
    data (1, T0);
    marked (1, FALSE, 1, cases[i].half_us, T0 + MS);
    fail_unless_equals_int (action.rebuild_rtt_us, cases[i].new_us);
  }
}

GST_END_TEST;

GST_START_TEST (test_steps_may_be_left_out)
{
  start (TFRC_HANDOVER_MODE_DIRECT);
  data (1, T0);
  fail_unless (action.first_on_new_link);
  marked (1, TRUE, 1, 60000, T0 + MS);
  assert_phase (ECHO);
  data (1, T0 + 2 * MS);
  assert_phase (NORMAL);
  fail_unless_equals_uint64 (handover.completed, 1);
}

GST_END_TEST;

GST_START_TEST (test_late_packets_change_nothing)
{
  TfrcData late = {
    .rtt_us = 60000, .link = 1, .echo = TRUE, .direct = TRUE, .handover_number = 1
  };

  start (TFRC_HANDOVER_MODE_DIRECT);
  action = tfrc_receiver_handover_on_data (&handover, &late, FALSE, T0);
  assert_phase (STARTED);
  data (1, T0 + MS);
  action = tfrc_receiver_handover_on_data (&handover, &late, FALSE, T0 + MS);
  assert_phase (NEW_LINK);
  fail_if (action.urgent || action.rebuild_rtt_us);
  marked (1, TRUE, 1, 60000, T0 + 2 * MS);
  late.direct = late.echo = FALSE;
  action = tfrc_receiver_handover_on_data (&handover, &late, FALSE, T0 + MS);
  assert_phase (ECHO);
}

GST_END_TEST;

/* A phase ends after 4 round-trip times, but not before a second. */
static void
check_patience (guint32 rtt_us, guint64 patience)
{
  TfrcHandoverBefore slow = before;
  guint steps;

  slow.rtt_us = rtt_us;
  for (steps = 0; steps < 4; steps++) {
    guint too_late;

    for (too_late = 0; too_late < 2; too_late++) {
      guint64 now = T0 + patience + too_late;
      gboolean old_link;

      tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
      tell (1, slow, T0);
      if (steps == 1)
        data (0, T0);
      if (steps >= 2)
        data (1, T0);
      if (steps == 3)
        marked (1, TRUE, 1, 60000, T0);
      /* a packet that changes nothing; only its time counts */
      old_link = steps < 2;
      if (steps == 3)
        marked (1, TRUE, 1, 60000, now);
      else
        data (old_link ? 0 : 1, now);
      fail_unless_equals_int (handover.phase == TFRC_HANDOVER_NORMAL, too_late);
      fail_unless_equals_uint64 (handover.abandoned, too_late);
      fail_unless_equals_uint64 (handover.completed, 0);
    }
    assert_feedback_is_untouched ();
  }
}

GST_START_TEST (test_each_phase_ends_after_a_time)
{
  check_patience (100000, SECOND);
  check_patience (400000, 1600 * MS);
}

GST_END_TEST;

GST_START_TEST (test_without_marks_the_new_rtt_is_taken_after_a_time)
{
  TfrcHandover told = { .link = 1, .suppress_echo = TRUE };
  TfrcFeedback feedback;

  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
  tfrc_receiver_handover_start (&handover, &told, &before, T0);
  data (1, T0 + 10 * MS);
  feedback = fill ();
  fail_unless (feedback.handover && feedback.suppress_echo);
  data_with_rtt (1, 60000, T0 + 210 * MS - 1);
  fail_unless_equals_int (action.rebuild_rtt_us, 0);
  data_with_rtt (1, 120000, T0 + 210 * MS);
  fail_unless_equals_int (action.rebuild_rtt_us, 0);
  data_with_rtt (1, 60000, T0 + 210 * MS);
  fail_unless_equals_int (action.rebuild_rtt_us, 60000);
}

GST_END_TEST;

GST_START_TEST (test_marks_of_another_handover_do_not_count)
{
  guint i;

  start (TFRC_HANDOVER_MODE_DIRECT);
  for (i = 2; i <= 6; i++) {
    tell (i % 2, before, T0);
    data (i % 2, T0);
    fail_unless_equals_int (fill ().handover_number, i % 4);
    marked (i % 2, TRUE, (i - 1) % 4, 60000, T0);
    fail_unless_equals_int (action.rebuild_rtt_us, 0);
    marked (i % 2, TRUE, i % 4, 60000, T0);
    fail_unless_equals_int (action.rebuild_rtt_us, 60000);
  }
  fail_unless_equals_uint64 (handover.started, 6);
  fail_unless_equals_uint64 (handover.abandoned, 5);
}

GST_END_TEST;

static Suite *
handover_suite (void)
{
  Suite *s = suite_create ("handover");
  TCase *tc = tcase_create ("phases");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_nothing_happens_without_a_handover);
  tcase_add_test (tc, test_phases_of_direct_mode);
  tcase_add_test (tc, test_phases_of_paper_mode);
  tcase_add_test (tc, test_estimate_of_the_paper_stays_within_round_trip_times);
  tcase_add_test (tc, test_steps_may_be_left_out);
  tcase_add_test (tc, test_late_packets_change_nothing);
  tcase_add_test (tc, test_each_phase_ends_after_a_time);
  tcase_add_test (tc, test_without_marks_the_new_rtt_is_taken_after_a_time);
  tcase_add_test (tc, test_marks_of_another_handover_do_not_count);
  return s;
}

GST_CHECK_MAIN (handover);
