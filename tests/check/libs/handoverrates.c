/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation at the receiver: the rate that the receiver keeps, and the rate of the new
 * history. */
#include "handoverphasetest.h"

static void
check_rates (TfrcHandoverBefore what, double hold_Bps, double rebuild_Bps)
{
  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
  tell (1, what, T0);
  assert_close (handover.hold_Bps, hold_Bps);
  assert_close (handover.rebuild_Bps, rebuild_Bps);
}

GST_START_TEST (test_wanted_rate_is_what_was_received_or_allowed)
{
  TfrcHandoverBefore what = before;

  check_rates (what, 500000, 500000);
  what.x_eq_Bps = 400000;
  check_rates (what, 500000, 500000);
  what.x_eq_Bps = 625000;
  check_rates (what, 500000, 500000);
  /* the allowed rate counts if the application did not use it */
  what.x_eq_Bps = 625001;
  check_rates (what, 500000, 625001);
  /* no limit on the allowed rate: the sender's recv_limit says how fast the sender reaches it */
  what.x_eq_Bps = 2000000;
  check_rates (what, 500000, 2000000);
  /* slow start goes on */
  what.x_eq_Bps = INFINITY;
  check_rates (what, 500000, INFINITY);
}

GST_END_TEST;

GST_START_TEST (test_known_bandwidth_is_the_wanted_rate)
{
  TfrcHandover told = { .link = 1, .bandwidth_Bps = 2000000 };
  TfrcHandoverBefore slow_start = before;

  slow_start.x_eq_Bps = INFINITY;
  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
  tfrc_receiver_handover_start (&handover, &told, &slow_start, T0);
  assert_close (handover.rebuild_Bps, 2000000);
  data (0, T0);
  fail_unless (fill ().bandwidth);
  fail_unless_equals_int (fill ().x_recv_Bps, 1000000);
}

GST_END_TEST;

GST_START_TEST (test_rates_within_a_handover_are_those_of_the_first)
{
  TfrcHandoverBefore mixed = { .x_recv_Bps = 900000, .x_eq_Bps = 800000, .rtt_us = 100000 };

  start (TFRC_HANDOVER_MODE_DIRECT);
  data (0, T0);
  tell (2, mixed, T0 + MS);
  assert_phase (STARTED);
  assert_close (handover.hold_Bps, 500000);
  assert_close (handover.rebuild_Bps, 500000);
}

GST_END_TEST;

/* A handover at T0 from a link of 500000 byte/s and 100 ms to one of 60 ms that is completed at once,
 * and the start of the next one. */
static void
complete_and_start_again (TfrcHandoverBefore mixed, guint64 after_ns)
{
  start (TFRC_HANDOVER_MODE_DIRECT);
  data (1, T0);
  marked (1, TRUE, 1, 60000, T0);
  data (1, T0);
  assert_phase (NORMAL);
  tell (0, mixed, T0 + after_ns);
}

/* For three round-trip times, of the longer of both links, X_recv is that of both links. */
GST_START_TEST (test_rates_after_a_handover_are_no_higher)
{
  TfrcHandoverBefore mixed = { .x_recv_Bps = 900000, .x_eq_Bps = 800000, .rtt_us = 60000 };

  complete_and_start_again (mixed, 300 * MS - 1);
  assert_close (handover.hold_Bps, 500000);
  assert_close (handover.rebuild_Bps, 500000);
  /* feedback has shown that the new link is slower */
  mixed.x_eq_Bps = 300000;
  complete_and_start_again (mixed, 300 * MS - 1);
  assert_close (handover.hold_Bps, 300000);
  assert_close (handover.rebuild_Bps, 300000);
  complete_and_start_again (mixed, 300 * MS);
  assert_close (handover.hold_Bps, 900000);
  assert_close (handover.rebuild_Bps, 900000);
}

GST_END_TEST;

/* A bandwidth is that of a link which is being left: on the next one no more is kept than was received. */
GST_START_TEST (test_a_bandwidth_is_not_that_of_the_next_link)
{
  TfrcHandover fast = { .link = 1, .bandwidth_Bps = 2000000 };
  TfrcHandover slow = { .link = 1, .bandwidth_Bps = 100000 };

  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
  tfrc_receiver_handover_start (&handover, &fast, &before, T0);
  assert_close (handover.hold_Bps, 2000000);
  tell (2, before, T0 + MS);
  assert_close (handover.hold_Bps, 500000);
  assert_close (handover.rebuild_Bps, 500000);
  /* and not more than a slow link has */
  tfrc_receiver_handover_init (&handover, TFRC_HANDOVER_MODE_DIRECT);
  tfrc_receiver_handover_start (&handover, &slow, &before, T0);
  tell (2, before, T0 + MS);
  assert_close (handover.hold_Bps, 100000);
  assert_close (handover.rebuild_Bps, 100000);
}

GST_END_TEST;

static Suite *
handoverrates_suite (void)
{
  Suite *s = suite_create ("handoverrates");
  TCase *tc = tcase_create ("rates");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_wanted_rate_is_what_was_received_or_allowed);
  tcase_add_test (tc, test_known_bandwidth_is_the_wanted_rate);
  tcase_add_test (tc, test_rates_within_a_handover_are_those_of_the_first);
  tcase_add_test (tc, test_rates_after_a_handover_are_no_higher);
  tcase_add_test (tc, test_a_bandwidth_is_not_that_of_the_next_link);
  return s;
}

GST_CHECK_MAIN (handoverrates);
