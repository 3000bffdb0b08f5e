/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set (RFC 5348 sections 4.3 and 8.2.2). */
#include <math.h>

#include <gst/check/gstcheck.h>
#include <tfrc/recv_set.h>

#define RTT (100 * GST_MSECOND)
#define START GST_SECOND

GST_START_TEST (test_set_starts_with_infinity)
{
  TfrcRecvSet set;

  tfrc_recv_set_init (&set, START);
  fail_unless_equals_int (set.n, 1);
  fail_unless (tfrc_recv_set_max (&set) == INFINITY);
}

GST_END_TEST;

GST_START_TEST (test_infinity_limits_nothing_for_two_round_trip_times)
{
  TfrcRecvSet set;

  tfrc_recv_set_init (&set, START);
  tfrc_recv_set_update (&set, 1000, RTT, START + RTT);
  fail_unless (tfrc_recv_set_max (&set) == INFINITY);
  tfrc_recv_set_update (&set, 2000, RTT, START + 2 * RTT);
  fail_unless (tfrc_recv_set_max (&set) == INFINITY);
  tfrc_recv_set_update (&set, 1500, RTT, START + 2 * RTT + 1);
  fail_unless (tfrc_recv_set_max (&set) == 2000);
}

GST_END_TEST;

GST_START_TEST (test_update_deletes_what_is_older_than_two_round_trip_times)
{
  TfrcRecvSet set;

  tfrc_recv_set_replace (&set, 5000, START);
  tfrc_recv_set_update (&set, 1000, RTT, START + RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 5000);
  tfrc_recv_set_update (&set, 900, RTT, START + 2 * RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 5000);
  fail_unless_equals_int (set.n, 3);
  tfrc_recv_set_update (&set, 800, RTT, START + 3 * RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 1000);
  tfrc_recv_set_update (&set, 700, RTT, START + 9 * RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 700);
  fail_unless_equals_int (set.n, 1);
  /* by age, and not because the set is full */
  tfrc_recv_set_replace (&set, 5000, START);
  tfrc_recv_set_update (&set, 1000, RTT, START + 2 * RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 5000);
  tfrc_recv_set_replace (&set, 5000, START);
  tfrc_recv_set_update (&set, 1000, RTT, START + 2 * RTT + 1);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 1000);
  fail_unless_equals_int (set.n, 1);
}

GST_END_TEST;

GST_START_TEST (test_update_keeps_the_three_most_recent_values)
{
  TfrcRecvSet set;

  tfrc_recv_set_replace (&set, 5000, START);
  for (guint i = 1; i <= 2; i++)
    tfrc_recv_set_update (&set, 1000 * i, RTT, START + i);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 5000);
  tfrc_recv_set_update (&set, 1500, RTT, START + 3);
  fail_unless_equals_int (set.n, 3);
  fail_unless_equals_float (set.items[0].x_recv_Bps, 1000);
  fail_unless_equals_float (set.items[1].x_recv_Bps, 2000);
  fail_unless_equals_float (set.items[2].x_recv_Bps, 1500);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 2000);
}

GST_END_TEST;

GST_START_TEST (test_update_near_the_start_of_the_clock)
{
  TfrcRecvSet set;

  tfrc_recv_set_replace (&set, 5000, 0);
  tfrc_recv_set_update (&set, 1, RTT, RTT);
  tfrc_recv_set_update (&set, 2, RTT, 2 * RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 5000);
}

GST_END_TEST;

GST_START_TEST (test_maximize_keeps_the_largest_with_a_new_timestamp)
{
  TfrcRecvSet set;

  tfrc_recv_set_replace (&set, 5000, START);
  tfrc_recv_set_update (&set, 1000, RTT, START + RTT);
  tfrc_recv_set_maximize (&set, 3000, START + 2 * RTT);
  fail_unless_equals_int (set.n, 1);
  fail_unless_equals_float (set.items[0].x_recv_Bps, 5000);
  fail_unless_equals_uint64 (set.items[0].time_ns, START + 2 * RTT);
  /* the item lasts as long as the data-limited period does */
  tfrc_recv_set_maximize (&set, 3000, START + 20 * RTT);
  tfrc_recv_set_update (&set, 100, RTT, START + 22 * RTT);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 5000);
  tfrc_recv_set_update (&set, 200, RTT, START + 22 * RTT + 1);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 200);
}

GST_END_TEST;

GST_START_TEST (test_maximize_takes_a_larger_new_value)
{
  TfrcRecvSet set;

  tfrc_recv_set_replace (&set, 5000, START);
  tfrc_recv_set_maximize (&set, 7000, START + 1);
  fail_unless_equals_int (set.n, 1);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 7000);
}

GST_END_TEST;

GST_START_TEST (test_maximize_deletes_infinity)
{
  TfrcRecvSet set;

  tfrc_recv_set_init (&set, START);
  tfrc_recv_set_maximize (&set, 3000, START + 1);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 3000);

  tfrc_recv_set_init (&set, START);
  tfrc_recv_set_update (&set, 4000, RTT, START + 1);
  tfrc_recv_set_maximize (&set, 3000, START + 2);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 4000);
  fail_unless_equals_int (set.n, 1);
}

GST_END_TEST;

GST_START_TEST (test_halve_halves_every_value)
{
  TfrcRecvSet set;

  tfrc_recv_set_init (&set, START);
  tfrc_recv_set_halve (&set);
  fail_unless (tfrc_recv_set_max (&set) == INFINITY);

  tfrc_recv_set_replace (&set, 5000, START);
  tfrc_recv_set_update (&set, 1000, RTT, START + 1);
  tfrc_recv_set_halve (&set);
  fail_unless_equals_float (set.items[0].x_recv_Bps, 2500);
  fail_unless_equals_float (set.items[1].x_recv_Bps, 500);
  fail_unless_equals_uint64 (set.items[0].time_ns, START);
}

GST_END_TEST;

GST_START_TEST (test_replace_leaves_a_single_value)
{
  TfrcRecvSet set;

  tfrc_recv_set_init (&set, START);
  for (guint i = 0; i < 5; i++)
    tfrc_recv_set_update (&set, 1000, RTT, START + i);
  tfrc_recv_set_replace (&set, 10, START + 5);
  fail_unless_equals_int (set.n, 1);
  fail_unless_equals_float (tfrc_recv_set_max (&set), 10);
}

GST_END_TEST;

static Suite *
recvset_suite (void)
{
  Suite *suite = suite_create ("recvset");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_set_starts_with_infinity);
  tcase_add_test (tc, test_infinity_limits_nothing_for_two_round_trip_times);
  tcase_add_test (tc, test_update_deletes_what_is_older_than_two_round_trip_times);
  tcase_add_test (tc, test_update_keeps_the_three_most_recent_values);
  tcase_add_test (tc, test_update_near_the_start_of_the_clock);
  tcase_add_test (tc, test_maximize_keeps_the_largest_with_a_new_timestamp);
  tcase_add_test (tc, test_maximize_takes_a_larger_new_value);
  tcase_add_test (tc, test_maximize_deletes_infinity);
  tcase_add_test (tc, test_halve_halves_every_value);
  tcase_add_test (tc, test_replace_leaves_a_single_value);
  return suite;
}

GST_CHECK_MAIN (recvset);
