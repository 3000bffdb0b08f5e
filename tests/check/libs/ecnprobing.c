/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states of ECN, see <tfrc/ecn.h>: how probing begins, and how it ends. */
#include "ecntest.h"

GST_START_TEST (no_packet_has_ect_before_the_receiver_reports_the_field)
{
  fail_unless_equals_int (send_packets (1000), 0);
  fail_unless_equals_int (tfrc_ecn_on_report (ecn, NULL, now), TFRC_OK);
  fail_unless_equals_int (send_packets (1000), 0);
  assert_state ("off");
  assert_problem ("none");
}

GST_END_TEST;

GST_START_TEST (probes_are_every_fourth_packet_and_four_at_most_without_a_report)
{
  begin_probing ();
  for (guint i = 0; i < 4; i++) {
    fail_unless (send_packet ());
    fail_unless_equals_int (send_packets (3), 0);
  }
  fail_unless_equals_int (send_packets (1000), 0);
  fail_unless_equals_uint64 (get_stats ().ect_sent, 4);
}

GST_END_TEST;

GST_START_TEST (four_probes_that_have_come_make_the_path_capable)
{
  begin_probing ();
  send_and_report (12);
  assert_state ("probing"); /* three probes */
  send_and_report (1);
  assert_state ("capable");
  fail_unless_equals_int (send_packets (1000), 1000);
  fail_unless_equals_uint64 (get_stats ().ect_sent, 1004);
}

GST_END_TEST;

GST_START_TEST (a_path_that_bleaches_fails_after_four_probes)
{
  path_kind = PATH_BLEACHES;
  begin_probing ();
  send_and_report (12);
  assert_state ("probing");
  send_and_report (1);
  assert_state ("failed");
  assert_problem ("bleaching");
  fail_unless_equals_int (send_packets (1000), 0);
}

GST_END_TEST;

GST_START_TEST (a_black_hole_costs_four_packets_if_reports_come_fast)
{
  path_kind = PATH_DROPS_ECT;
  begin_probing ();
  send_and_report (1000);
  assert_state ("failed");
  assert_problem ("black-hole");
  fail_unless_equals_int (lost_ect, 4);
}

GST_END_TEST;

/* Whenever reports come: at most three probes are reported as lost and four are not reported. */
GST_START_TEST (a_black_hole_costs_seven_packets_at_most)
{
  guint most = 0;

  for (guint wait = 1; wait < 40; wait++) {
    for (guint gap = 1; gap < 40; gap++) {
      teardown ();
      setup ();
      path_kind = PATH_DROPS_ECT;
      begin_probing ();
      send_packets (wait);
      for (guint i = 0; i < 20; i++) {
        report ();
        send_packets (gap);
      }
      assert_problem ("black-hole");
      most = MAX (most, lost_ect);
    }
  }
  fail_unless_equals_int (most, 7);
}

GST_END_TEST;

/* Probes say nothing while nothing comes. */
GST_START_TEST (a_path_that_drops_everything_is_no_black_hole)
{
  begin_probing ();
  path_kind = PATH_DROPS_ALL;
  send_and_report (200);
  path_kind = PATH_GOOD;
  assert_state ("probing");
  send_and_report (100);
  assert_state ("capable");
}

GST_END_TEST;

GST_START_TEST (one_lost_probe_asks_for_more_probes)
{
  begin_probing ();
  path_kind = PATH_DROPS_ECT;
  send_and_report (1);
  path_kind = PATH_GOOD;
  send_and_report (27);
  assert_state ("probing"); /* six of seven probes have come */
  send_and_report (1);
  assert_state ("capable");
  fail_unless_equals_int (sent_ect, 8);
}

GST_END_TEST;

/* Of four probes, 2 or 3 are lost, and no other packet: too many for six of eight, too few for none of
 * four. */
static void
lose_probes (guint lost_of_four)
{
  begin_probing ();
  for (guint i = 0; i < 32; i++) {
    assert_state ("probing");
    path_kind = i % 4 < lost_of_four && i != 0 ? PATH_DROPS_ECT : PATH_GOOD;
    send_and_report (i < 31 ? 4 : 1);
  }
}

GST_START_TEST (a_path_that_loses_half_of_the_probes_is_capable_after_32)
{
  lose_probes (2);
  assert_state ("capable");
}

GST_END_TEST;

GST_START_TEST (a_path_that_loses_three_quarters_of_the_probes_fails_after_32)
{
  lose_probes (3);
  assert_problem ("black-hole");
}

GST_END_TEST;

GST_START_TEST (ce_on_all_probes_is_mangling_if_the_other_packets_come)
{
  path_kind = PATH_SETS_CE;
  begin_probing ();
  send_and_report (28);
  assert_state ("probing"); /* seven probes */
  send_and_report (1);
  assert_problem ("mangling");
}

GST_END_TEST;

/* A queue that marks every packet with ECT would have dropped the others. */
GST_START_TEST (ce_on_all_probes_is_congestion_if_the_other_packets_are_lost)
{
  begin_probing ();
  for (guint i = 0; i < 31; i++) {
    path_kind = PATH_SETS_CE;
    send_and_report (1);
    path_kind = PATH_DROPS_ALL;
    send_and_report (3);
    assert_state ("probing");
  }
  path_kind = PATH_SETS_CE;
  send_and_report (1);
  assert_state ("capable");
}

GST_END_TEST;

GST_START_TEST (ce_on_packets_without_ect_is_mangling)
{
  begin_probing ();
  path_kind = PATH_SETS_CE_ON_ALL;
  send_and_report (13);
  assert_problem ("mangling");
}

GST_END_TEST;

GST_START_TEST (ect_1_that_was_not_sent_is_mangling)
{
  path_kind = PATH_SETS_ECT_1;
  begin_probing ();
  send_and_report (13);
  assert_problem ("mangling");
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_reports_no_more_ends_ecn_at_once)
{
  begin_capable ();
  fail_unless_equals_int (tfrc_ecn_on_report (ecn, NULL, now), TFRC_OK);
  assert_state ("off");
  fail_unless_equals_int (send_packets (100), 0);
  report ();
  assert_state ("probing");
}

GST_END_TEST;

GST_START_TEST (another_receiver_begins_anew)
{
  begin_capable ();
  tfrc_ecn_on_new_receiver (ecn);
  assert_state ("off");
  fail_unless_equals_int (send_packets (4), 0);
  counts.ect0 = counts.ect1 = counts.ce = counts.not_ect = 0;
  report (); /* its counters went back, but honestly */
  assert_state ("probing");
  send_and_report (13);
  assert_state ("capable");
}

GST_END_TEST;

GST_START_TEST (a_system_that_refuses_ect_is_never_asked_again)
{
  begin_capable ();
  tfrc_ecn_cancel (ecn);
  tfrc_ecn_refuse (ecn);
  assert_state ("off");
  assert_problem ("refused");
  tfrc_ecn_on_new_path (ecn);
  tfrc_ecn_on_new_receiver (ecn);
  send_and_report (100);
  assert_state ("off");
  fail_unless_equals_int (sent_ect, 0);
}

GST_END_TEST;

GST_START_TEST (packets_that_did_not_leave_are_not_missed)
{
  begin_probing ();
  for (guint i = 0; i < 100; i++) {
    tfrc_ecn_on_packet (ecn, next_seq, now);
    tfrc_ecn_on_packet (ecn, (guint16) (next_seq + 1), now);
    tfrc_ecn_cancel (ecn);
    tfrc_ecn_cancel (ecn);
    send_packet ();
    report ();
  }
  assert_state ("capable");
  send_and_report (1000);
  assert_state ("capable");
  fail_unless_equals_uint64 (get_stats ().ect_sent, sent_ect);
}

GST_END_TEST;

/* Numbers that the sender leaves out count as packets without ECT that are lost. */
GST_START_TEST (numbers_that_are_left_out_are_no_probes)
{
  begin_probing ();
  for (guint i = 0; i < 40; i++) {
    next_seq += i % 4 == 0;
    send_and_report (1);
  }
  assert_state ("capable");
  fail_unless_equals_uint64 (get_stats ().ect_sent, sent_ect);
}

GST_END_TEST;

GST_START_TEST (a_report_about_a_packet_before_a_gap_is_true)
{
  begin_capable ();
  next_seq += 100;
  path_kind = PATH_DROPS_ALL;
  send_and_report (1);
  assert_state ("capable");
}

GST_END_TEST;

GST_START_TEST (without_an_object_no_packet_has_ect)
{
  TfrcEcnStats stats;

  fail_unless_equals_int (tfrc_ecn_new (NULL), TFRC_ERROR_ARGUMENT);
  fail_if (tfrc_ecn_on_packet (NULL, 1, now));
  tfrc_ecn_cancel (NULL);
  tfrc_ecn_refuse (NULL);
  fail_unless_equals_int (tfrc_ecn_on_report (NULL, &counts, now), TFRC_OK);
  tfrc_ecn_on_silence (NULL, now);
  tfrc_ecn_on_new_path (NULL);
  tfrc_ecn_on_new_receiver (NULL);
  tfrc_ecn_free (NULL);
  fail_unless_equals_int (tfrc_ecn_get_state (NULL), TFRC_ECN_OFF);
  fail_unless_equals_int (tfrc_ecn_get_problem (NULL), TFRC_ECN_PROBLEM_NONE);
  fail_unless_equals_int (tfrc_ecn_get_stats (NULL, &stats), TFRC_OK);
  fail_unless_equals_uint64 (stats.ect_sent, 0);
  fail_unless_equals_int (tfrc_ecn_get_stats (ecn, NULL), TFRC_ERROR_ARGUMENT);
}

GST_END_TEST;

GST_START_TEST (names_of_unknown_values_are_unknown)
{
  fail_unless_equals_string (tfrc_ecn_state_to_string ((TfrcEcnState) 99), "unknown");
  fail_unless_equals_string (tfrc_ecn_problem_to_string ((TfrcEcnProblem) 99), "unknown");
  fail_unless_equals_string (tfrc_ecn_problem_to_string (TFRC_ECN_PROBLEM_REFUSED), "refused");
}

GST_END_TEST;

static Suite *
ecnprobing_suite (void)
{
  Suite *suite = suite_create ("ecnprobing");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, no_packet_has_ect_before_the_receiver_reports_the_field);
  tcase_add_test (tcase, probes_are_every_fourth_packet_and_four_at_most_without_a_report);
  tcase_add_test (tcase, four_probes_that_have_come_make_the_path_capable);
  tcase_add_test (tcase, a_path_that_bleaches_fails_after_four_probes);
  tcase_add_test (tcase, a_black_hole_costs_four_packets_if_reports_come_fast);
  tcase_add_test (tcase, a_black_hole_costs_seven_packets_at_most);
  tcase_add_test (tcase, a_path_that_drops_everything_is_no_black_hole);
  tcase_add_test (tcase, one_lost_probe_asks_for_more_probes);
  tcase_add_test (tcase, a_path_that_loses_half_of_the_probes_is_capable_after_32);
  tcase_add_test (tcase, a_path_that_loses_three_quarters_of_the_probes_fails_after_32);
  tcase_add_test (tcase, ce_on_all_probes_is_mangling_if_the_other_packets_come);
  tcase_add_test (tcase, ce_on_all_probes_is_congestion_if_the_other_packets_are_lost);
  tcase_add_test (tcase, ce_on_packets_without_ect_is_mangling);
  tcase_add_test (tcase, ect_1_that_was_not_sent_is_mangling);
  tcase_add_test (tcase, a_receiver_that_reports_no_more_ends_ecn_at_once);
  tcase_add_test (tcase, another_receiver_begins_anew);
  tcase_add_test (tcase, a_system_that_refuses_ect_is_never_asked_again);
  tcase_add_test (tcase, packets_that_did_not_leave_are_not_missed);
  tcase_add_test (tcase, numbers_that_are_left_out_are_no_probes);
  tcase_add_test (tcase, a_report_about_a_packet_before_a_gap_is_true);
  tcase_add_test (tcase, without_an_object_no_packet_has_ect);
  tcase_add_test (tcase, names_of_unknown_values_are_unknown);
  return suite;
}

GST_CHECK_MAIN (ecnprobing)
