/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN on a path that changes, and reports that are not true, see <tfrc/ecn.h>. */
#include "ecntest.h"

/* ---- while all packets have ECT ------------------------------------------ */

GST_START_TEST (marks_and_losses_do_not_end_ecn)
{
  begin_capable ();
  for (guint i = 0; i < 5000; i++) {
    path_kind = i % 10 == 0 ? PATH_DROPS_ALL : i % 3 == 0 ? PATH_SETS_CE : PATH_GOOD;
    send_and_report (1);
    now += S / 100;
  }
  assert_state ("capable");
  assert_problem ("none");
  fail_unless_equals_int (sent_ect, 5000);
}

GST_END_TEST;

GST_START_TEST (a_path_that_begins_to_bleach_fails_within_a_quarter_of_a_window)
{
  begin_capable ();
  send_and_report (63); /* the window is almost full */
  path_kind = PATH_BLEACHES;
  sent_ect = 0;
  send_and_report (1000);
  assert_state ("failed");
  assert_problem ("bleaching");
  fail_unless_equals_int (sent_ect, 10); /* the last one of the old window, and nine of the new */
}

GST_END_TEST;

GST_START_TEST (single_bleached_packets_do_not_end_ecn)
{
  begin_capable ();
  for (guint i = 0; i < 1000; i++) {
    path_kind = i % 5 == 0 ? PATH_BLEACHES : PATH_GOOD;
    send_and_report (1);
  }
  assert_state ("capable");
}

GST_END_TEST;

/* All packets are lost, so that no report comes. */
GST_START_TEST (silence_is_answered_with_probes_that_find_a_black_hole)
{
  begin_capable ();
  path_kind = PATH_DROPS_ECT;
  send_packets (100);
  tfrc_ecn_on_silence (ecn, now);
  assert_state ("probing");
  lost_ect = 0;
  send_and_report (1000);
  assert_state ("failed");
  assert_problem ("black-hole");
  fail_unless_equals_int (lost_ect, 4);
}

GST_END_TEST;

/* An idle sender's nofeedback timer expires as well. */
GST_START_TEST (silence_after_all_packets_have_come_is_no_black_hole)
{
  begin_capable ();
  for (guint i = 0; i < 5; i++) {
    tfrc_ecn_on_silence (ecn, now);
    assert_state ("capable");
    send_and_report (1);
    now += S;
  }
  send_packets (1);
  tfrc_ecn_on_silence (ecn, now);
  assert_state ("probing");
}

GST_END_TEST;

GST_START_TEST (an_outage_costs_no_more_than_a_second_probing)
{
  begin_capable ();
  path_kind = PATH_DROPS_ALL;
  send_packets (100);
  tfrc_ecn_on_silence (ecn, now);
  tfrc_ecn_on_silence (ecn, now);
  path_kind = PATH_GOOD;
  send_and_report (1); /* the base: everything before has left earlier */
  assert_state ("probing");
  send_and_report (13);
  assert_state ("capable");
  fail_unless_equals_uint64 (get_stats ().failures, 0);
}

GST_END_TEST;

/* In a new window: packets that arrive, packets that are lost, and one more that arrives */
static void
check_loss (guint good, guint lost, const gchar *state)
{
  teardown ();
  setup ();
  begin_capable ();
  send_and_report (good);
  path_kind = PATH_DROPS_ECT;
  send_and_report (lost);
  path_kind = PATH_GOOD;
  assert_state ("capable");
  send_and_report (1);
  assert_state (state);
}

GST_START_TEST (sixteen_lost_packets_are_many_if_they_are_more_than_half)
{
  check_loss (0, 15, "capable");
  check_loss (0, 16, "probing");
  check_loss (14, 16, "probing");
  check_loss (15, 16, "capable");
}

GST_END_TEST;

GST_START_TEST (ect_1_that_was_not_sent_ends_ecn_after_nine_packets)
{
  begin_capable ();
  path_kind = PATH_SETS_ECT_1;
  send_and_report (8);
  assert_state ("capable");
  send_and_report (1);
  assert_state ("failed");
  assert_problem ("mangling");
}

GST_END_TEST;

GST_START_TEST (ce_on_everything_is_answered_with_probes)
{
  begin_capable ();
  path_kind = PATH_SETS_CE;
  send_and_report (63);
  assert_state ("capable");
  send_and_report (1);
  assert_state ("probing");
  send_and_report (100);
  assert_state ("failed");
  assert_problem ("mangling");
}

GST_END_TEST;

GST_START_TEST (a_third_suspicion_in_a_row_fails)
{
  begin_capable ();
  for (guint i = 0; i < 2; i++) {
    send_packets (1);
    tfrc_ecn_on_silence (ecn, now);
    assert_state ("probing");
    send_and_report (14);
    assert_state ("capable");
    now += 10 * S - 1;
  }
  send_packets (1);
  tfrc_ecn_on_silence (ecn, now);
  assert_state ("failed");
  assert_problem ("black-hole");
}

GST_END_TEST;

GST_START_TEST (suspicions_that_are_ten_seconds_apart_do_not_add_up)
{
  begin_capable ();
  for (guint i = 0; i < 10; i++) {
    now += 10 * S;
    send_packets (1);
    tfrc_ecn_on_silence (ecn, now);
    assert_state ("probing");
    send_and_report (14);
    assert_state ("capable");
  }
}

GST_END_TEST;

/* ---- retries -------------------------------------------------------------- */

GST_START_TEST (a_failed_path_is_tried_after_60_s_then_after_twice_the_time_to_10_min)
{
  const guint64 waits_s[] = { 60, 120, 240, 480, 600, 600 };

  path_kind = PATH_DROPS_ECT;
  begin_probing ();
  send_and_report (14);
  for (guint i = 0; i < G_N_ELEMENTS (waits_s); i++) {
    assert_state ("failed");
    fail_unless_equals_uint64 (get_stats ().failures, i + 1);
    fail_unless_equals_uint64 (get_stats ().retry_ns, now + waits_s[i] * S);
    now += waits_s[i] * S - 1;
    fail_unless_equals_int (send_packets (100), 0);
    report ();
    now++;
    lost_ect = 0;
    send_and_report (14);
    fail_unless_equals_int (lost_ect, 4);
  }
}

GST_END_TEST;

GST_START_TEST (a_path_that_is_repaired_is_capable_after_the_next_try)
{
  path_kind = PATH_BLEACHES;
  begin_probing ();
  send_and_report (13);
  assert_state ("failed");
  path_kind = PATH_GOOD;
  now += 60 * S;
  send_and_report (13);
  assert_state ("capable");
  assert_problem ("none");
  fail_unless_equals_uint64 (get_stats ().failures, 1);
  now += 10 * S;
  send_and_report (64); /* the path has proven itself: the next failure waits for 60 s again */
  path_kind = PATH_BLEACHES;
  send_and_report (64);
  fail_unless_equals_uint64 (get_stats ().retry_ns, now + 60 * S);
}

GST_END_TEST;

GST_START_TEST (a_new_path_is_probed_at_once)
{
  path_kind = PATH_BLEACHES;
  begin_probing ();
  send_and_report (13);
  assert_state ("failed");
  path_kind = PATH_GOOD;
  tfrc_ecn_on_new_path (ecn);
  assert_state ("probing");
  send_and_report (14);
  assert_state ("capable");
}

GST_END_TEST;

/* The packets with ECT that were on their way are lost with the old path. */
GST_START_TEST (losses_on_the_old_path_say_nothing_about_the_new_one)
{
  begin_capable ();
  path_kind = PATH_DROPS_ALL;
  send_packets (50);
  tfrc_ecn_on_new_path (ecn);
  path_kind = PATH_GOOD;
  fail_unless_equals_int (send_packets (10), 0); /* no probe before a report of the new path */
  report ();
  send_and_report (13);
  assert_state ("capable");
}

GST_END_TEST;

GST_START_TEST (a_new_path_without_a_receiver_changes_nothing)
{
  tfrc_ecn_on_new_path (ecn);
  tfrc_ecn_on_silence (ecn, now);
  assert_state ("off");
}

GST_END_TEST;

/* ---- reports that are not true --------------------------------------------- */

static void
assert_false_report (void)
{
  report ();
  assert_state ("failed");
  assert_problem ("false-report");
  fail_unless_equals_int (send_packets (1000), 0);
}

GST_START_TEST (counters_that_go_back_end_ecn)
{
  guint32 *const counters[] = { &counts.ect0, &counts.ect1, &counts.ce, &counts.not_ect };

  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    teardown ();
    setup ();
    begin_capable ();
    (*counters[i])--;
    assert_false_report ();
  }
}

GST_END_TEST;

GST_START_TEST (a_number_that_was_not_sent_ends_ecn)
{
  begin_capable ();
  counts.highest_seq++;
  assert_false_report ();
}

GST_END_TEST;

GST_START_TEST (a_highest_number_that_goes_back_ends_ecn)
{
  begin_capable ();
  counts.highest_seq--;
  assert_false_report ();
}

GST_END_TEST;

GST_START_TEST (more_packets_than_have_left_end_ecn)
{
  begin_capable ();
  send_packets (32);
  counts.ect0 += 8 + 2;
  report ();
  assert_state ("capable"); /* packets that were late */
  counts.ect0++;
  assert_false_report ();
}

GST_END_TEST;

GST_START_TEST (a_number_that_was_never_sent_does_not_begin_ecn)
{
  send_packets (10);
  counts.highest_seq++;
  report ();
  assert_state ("off");
  assert_problem ("none");
}

GST_END_TEST;

GST_START_TEST (a_reserved_word_is_refused)
{
  send_packets (10);
  counts.reserved[2] = 1;
  fail_unless_equals_int (tfrc_ecn_on_report (ecn, &counts, now), TFRC_ERROR_ARGUMENT);
  assert_state ("off");
}

GST_END_TEST;

/* A liar who says what it likes gains nothing but ECT on packets, and ECT stops within a few of its
 * reports if they contradict each other. */
GST_START_TEST (random_reports_never_break_the_rules)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint unreported = 0;

  send_packets (1);
  for (guint i = 0; i < 20000; i++) {
    TfrcEcnState before = tfrc_ecn_get_state (ecn);
    gboolean ect = send_packet ();

    fail_if (ect && before == TFRC_ECN_OFF);
    unreported = ect && before == TFRC_ECN_PROBING ? unreported + 1 : unreported;
    fail_unless (before == TFRC_ECN_CAPABLE || unreported <= 4);
    if (g_rand_int_range (rand, 0, 8) == 0) {
      counts.highest_seq = (guint16) (next_seq - g_rand_int_range (rand, 0, 20));
      counts.ect0 += g_rand_int_range (rand, -1, 20);
      counts.ce += g_rand_int_range (rand, -1, 5);
      report ();
      unreported = 0;
    }
    now += S / 50;
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* ---- what is forgotten ------------------------------------------------------ */

static void
suspect_twice (void)
{
  begin_capable ();
  for (guint i = 0; i < 2; i++) {
    send_packets (1);
    tfrc_ecn_on_silence (ecn, now);
    send_and_report (14);
    assert_state ("capable");
  }
}

GST_START_TEST (suspicions_before_a_failure_do_not_count_after_it)
{
  suspect_twice ();
  path_kind = PATH_BLEACHES;
  send_and_report (10);
  assert_state ("failed");
  path_kind = PATH_GOOD;
  now += 60 * S;
  send_and_report (14);
  assert_state ("capable");
  send_packets (1);
  tfrc_ecn_on_silence (ecn, now);
  assert_state ("probing");
}

GST_END_TEST;

/* They were the path's, or the receiver's. */
GST_START_TEST (failures_before_a_new_path_or_receiver_do_not_count_after_it)
{
  for (guint i = 0; i < 2; i++) {
    teardown ();
    setup ();
    path_kind = PATH_BLEACHES;
    begin_probing ();
    send_and_report (14);
    assert_state ("failed");
    if (i == 0)
      tfrc_ecn_on_new_path (ecn);
    else
      tfrc_ecn_on_new_receiver (ecn);
    send_and_report (15);
    assert_state ("failed");
    fail_unless_equals_uint64 (get_stats ().failures, 2);
    fail_unless_equals_uint64 (get_stats ().retry_ns, now + 60 * S);
  }
}

GST_END_TEST;

/* A report of the new path has to come before packets are compared: only the counters show the lie. */
GST_START_TEST (counters_that_go_back_on_a_new_path_end_ecn)
{
  guint32 *const counters[] = { &counts.ect0, &counts.ect1, &counts.ce, &counts.not_ect };

  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    teardown ();
    setup ();
    begin_capable ();
    send_packets (5);
    tfrc_ecn_on_new_path (ecn);
    (*counters[i]) -= 10;
    assert_false_report ();
  }
}

GST_END_TEST;

/* Its counters are compared with each other from then on, and not with those of before. */
GST_START_TEST (a_receiver_that_counts_anew_is_believed_at_the_next_try)
{
  begin_capable ();
  send_and_report (2000);
  counts.ect0 = counts.ect1 = counts.ce = counts.not_ect = 0;
  assert_false_report ();
  report ();
  now += 60 * S;
  send_and_report (14);
  assert_state ("capable");
  fail_unless_equals_uint64 (get_stats ().failures, 1);
}

GST_END_TEST;

/* A hundred packets with ECT were lost at the third suspicion, and no report has come since. */
GST_START_TEST (a_try_waits_for_a_report_about_all_packets_with_ect_before_it)
{
  suspect_twice ();
  path_kind = PATH_DROPS_ALL;
  fail_unless_equals_int (send_packets (100), 100);
  tfrc_ecn_on_silence (ecn, now);
  assert_state ("failed");
  path_kind = PATH_GOOD;
  now += 60 * S;
  fail_unless_equals_int (send_packets (10), 0);
  send_and_report (14);
  assert_state ("capable");
}

GST_END_TEST;

static Suite *
ecnfallback_suite (void)
{
  Suite *suite = suite_create ("ecnfallback");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, marks_and_losses_do_not_end_ecn);
  tcase_add_test (tcase, a_path_that_begins_to_bleach_fails_within_a_quarter_of_a_window);
  tcase_add_test (tcase, single_bleached_packets_do_not_end_ecn);
  tcase_add_test (tcase, silence_is_answered_with_probes_that_find_a_black_hole);
  tcase_add_test (tcase, silence_after_all_packets_have_come_is_no_black_hole);
  tcase_add_test (tcase, an_outage_costs_no_more_than_a_second_probing);
  tcase_add_test (tcase, sixteen_lost_packets_are_many_if_they_are_more_than_half);
  tcase_add_test (tcase, ect_1_that_was_not_sent_ends_ecn_after_nine_packets);
  tcase_add_test (tcase, ce_on_everything_is_answered_with_probes);
  tcase_add_test (tcase, a_third_suspicion_in_a_row_fails);
  tcase_add_test (tcase, suspicions_that_are_ten_seconds_apart_do_not_add_up);
  tcase_add_test (tcase, a_failed_path_is_tried_after_60_s_then_after_twice_the_time_to_10_min);
  tcase_add_test (tcase, a_path_that_is_repaired_is_capable_after_the_next_try);
  tcase_add_test (tcase, a_new_path_is_probed_at_once);
  tcase_add_test (tcase, losses_on_the_old_path_say_nothing_about_the_new_one);
  tcase_add_test (tcase, a_new_path_without_a_receiver_changes_nothing);
  tcase_add_test (tcase, counters_that_go_back_end_ecn);
  tcase_add_test (tcase, a_number_that_was_not_sent_ends_ecn);
  tcase_add_test (tcase, a_highest_number_that_goes_back_ends_ecn);
  tcase_add_test (tcase, more_packets_than_have_left_end_ecn);
  tcase_add_test (tcase, a_number_that_was_never_sent_does_not_begin_ecn);
  tcase_add_test (tcase, suspicions_before_a_failure_do_not_count_after_it);
  tcase_add_test (tcase, failures_before_a_new_path_or_receiver_do_not_count_after_it);
  tcase_add_test (tcase, counters_that_go_back_on_a_new_path_end_ecn);
  tcase_add_test (tcase, a_receiver_that_counts_anew_is_believed_at_the_next_try);
  tcase_add_test (tcase, a_try_waits_for_a_report_about_all_packets_with_ect_before_it);
  tcase_add_test (tcase, a_reserved_word_is_refused);
  tcase_add_test (tcase, random_reports_never_break_the_rules);
  return suite;
}

GST_CHECK_MAIN (ecnfallback)
