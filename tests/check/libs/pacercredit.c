/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pacing: the credit for unused send times (RFC 5348 section 4.6), and its limits. */
#include "pacertest.h"

GST_START_TEST (test_burst_is_at_most_one_round_trip_time_of_packets)
{
  const guint64 granularities_ns[] = { 0, 1, MS, GST_SECOND };

  for (guint g = 0; g < G_N_ELEMENTS (granularities_ns); g++) {
    for (guint64 ipi_ns = 300 * US; ipi_ns < 250 * MS; ipi_ns += 777777) {
      TfrcPacer pacer;

      start (&pacer, GST_CLOCK_TIME_NONE, granularities_ns[g]);
      /* the burst is the whole packets that R is worth; one packet may always leave when it is
       * due */
      fail_unless_equals_int (burst (&pacer, ipi_ns, RTT, 9 * START), MAX (1, RTT / ipi_ns));
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_burst_limit_below_a_round_trip_time)
{
  TfrcPacer pacer;

  start (&pacer, 35 * MS, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 9 * START), 3);
  start (&pacer, IPI, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 9 * START), 1);
  start (&pacer, 0, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 9 * START), 1);
}

GST_END_TEST;

GST_START_TEST (test_burst_limit_above_a_round_trip_time_has_no_effect)
{
  TfrcPacer pacer;

  start (&pacer, 10 * RTT, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 9 * START), 10);
}

GST_END_TEST;

/* Below the floor, the credit does not depend on the round-trip time; above, it is that time. */
GST_START_TEST (test_credit_has_a_floor)
{
  static const struct
  {
    guint64 rtt_ns, limit_ns;
    gint packets;
  } cases[] = {
    { 30 * US, GST_CLOCK_TIME_NONE, 20 },
    { CREDIT_FLOOR, GST_CLOCK_TIME_NONE, 20 },
    { CREDIT_FLOOR + 100 * US, GST_CLOCK_TIME_NONE, 21 },
    { 30 * US, 10 * MS, 20 },
    { 30 * US, 500 * US, 5 },
    { 30 * US, 0, 1 },
  };
  TfrcPacer pacer;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    start (&pacer, cases[i].limit_ns, MS);
    fail_unless_equals_int (burst (&pacer, 100 * US, cases[i].rtt_ns, 9 * START), cases[i].packets);
  }
  init (&pacer, GST_CLOCK_TIME_NONE, 0, MS);
  tfrc_pacer_on_packet (&pacer, 100 * US, 30 * US, START);
  fail_unless_equals_int (burst (&pacer, 100 * US, 30 * US, 9 * START), 1);
}

GST_END_TEST;

GST_START_TEST (test_idle_credit_is_bounded)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, START + 45 * MS), 4);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 3600 * GST_SECOND), 10);
  /* afterwards packets leave at the allowed rate again */
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 3600 * GST_SECOND + 9 * MS), 0);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 3600 * GST_SECOND + IPI), 1);
}

GST_END_TEST;

GST_START_TEST (test_no_credit_before_a_round_trip_time_is_known)
{
  TfrcPacer pacer;

  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, MS);
  tfrc_pacer_on_packet (&pacer, GST_SECOND, 0, START);
  fail_unless_equals_int (burst (&pacer, GST_SECOND, 0, START + 999 * MS), 0);
  fail_unless_equals_int (burst (&pacer, GST_SECOND, 0, START + 9500 * MS), 1);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, GST_SECOND, 0), START + 10500 * MS);
  fail_unless_equals_int (burst (&pacer, 100 * US, 0, 2 * START + 10500 * MS), 1);
}

GST_END_TEST;

/* Sends @n packets, and returns how many of them left in the first @window. */
static guint
packets_in (TfrcPacer *pacer, guint n, guint64 begin_ns, guint64 window_ns)
{
  guint in_time = 0;

  for (guint64 now_ns = begin_ns; n > 0; n--) {
    now_ns = MAX (now_ns, tfrc_pacer_next_ns (pacer, IPI, RTT));
    tfrc_pacer_on_packet (pacer, IPI, RTT, now_ns);
    in_time += now_ns < begin_ns + window_ns;
  }
  return in_time;
}

/* Ten packets are R's worth. A burst limit of one packet lets one of them leave at once, and the others one by one. */
GST_START_TEST (test_spent_credit_leaves_at_twice_x)
{
  TfrcPacer pacer;
  guint64 idle_ns = 9 * START;

  start (&pacer, IPI, 0);
  fail_unless_equals_int (packets_in (&pacer, 60, idle_ns, RTT), 10);

  start (&pacer, IPI, 0);
  tfrc_pacer_spend_credit (&pacer, TRUE);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, idle_ns), 1);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, IPI, RTT), idle_ns + IPI / 2);
  fail_unless_equals_int (packets_in (&pacer, 60, idle_ns, RTT), 18);

  /* nine packets more than X gives, in all */
  start (&pacer, IPI, 0);
  tfrc_pacer_spend_credit (&pacer, TRUE);
  fail_unless_equals_int (packets_in (&pacer, 60, idle_ns, 4 * RTT), 49);
}

GST_END_TEST;

/* After idle time one packet more than the limit leaves at once, as the first one does not spend yet, and after a late
 * wake-up none. */
GST_START_TEST (test_spent_credit_keeps_the_burst_limit)
{
  TfrcPacer pacer;

  start (&pacer, 35 * MS, 0);
  tfrc_pacer_spend_credit (&pacer, TRUE);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 9 * START), 4);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 9 * START + 60 * MS), 3);
}

GST_END_TEST;

/* Who waits at X keeps the credit, and can spend it later. */
GST_START_TEST (test_credit_stays_while_packets_leave_at_x)
{
  for (guint waited = 0; waited <= 30; waited += 3) {
    TfrcPacer pacer;
    guint64 idle_ns = 9 * START, now_ns = idle_ns + waited * IPI;

    start (&pacer, IPI, 0);
    packets_in (&pacer, 1 + waited, idle_ns, 0);
    fail_unless_equals_uint64 (now_ns - tfrc_pacer_used_until_ns (&pacer), RTT - IPI);
    tfrc_pacer_spend_credit (&pacer, TRUE);
    fail_unless_equals_int (packets_in (&pacer, 60, now_ns, 2 * RTT), 20 - 1 + 9);
  }
}

GST_END_TEST;

/* Until the first feedback X is a packet a second.  From then on ten packets are R's worth. */
GST_START_TEST (test_a_wait_for_x_is_no_credit_at_the_next_x)
{
  TfrcPacer pacer;
  guint64 now_ns = START + 500 * MS;

  init (&pacer, IPI, CREDIT_FLOOR, 0);
  tfrc_pacer_on_packet (&pacer, GST_SECOND, 0, START);
  tfrc_pacer_on_new_rate (&pacer, GST_SECOND, now_ns);
  fail_unless_equals_uint64 (tfrc_pacer_used_until_ns (&pacer), now_ns);
  tfrc_pacer_spend_credit (&pacer, TRUE);
  fail_unless_equals_int (packets_in (&pacer, 60, now_ns, RTT), 10);
}

GST_END_TEST;

GST_START_TEST (test_unused_time_stays_credit_at_the_next_x)
{
  TfrcPacer pacer;

  start (&pacer, IPI, 0);
  tfrc_pacer_on_new_rate (&pacer, IPI, START + IPI);
  fail_unless_equals_uint64 (tfrc_pacer_used_until_ns (&pacer), START);
  tfrc_pacer_spend_credit (&pacer, TRUE);
  fail_unless_equals_int (packets_in (&pacer, 60, 9 * START, RTT), 19);
}

GST_END_TEST;

GST_START_TEST (test_there_is_no_credit_before_the_first_packet)
{
  TfrcPacer pacer;

  init (&pacer, IPI, CREDIT_FLOOR, 0);
  fail_unless_equals_uint64 (tfrc_pacer_used_until_ns (&pacer), G_MAXUINT64);
  tfrc_pacer_on_packet (&pacer, IPI, RTT, START);
  fail_unless_equals_uint64 (tfrc_pacer_used_until_ns (&pacer), START);
}

GST_END_TEST;

/* However the sender is woken up, and whenever it spends credit: the packets in any window are worth no more than the
 * window and the credit. */
static void
check_windows (gboolean may_spend)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint round = 0; round < 200; round++) {
    TfrcPacer pacer;
    guint64 sent_ns[300], now_ns = START;
    guint64 ipi_ns = g_rand_int_range (rand, 1000, 20 * MS);
    guint64 rtt_ns = g_rand_int_range (rand, 1000, 100 * MS);
    guint64 limit_ns = g_rand_int_range (rand, 0, 120 * MS);
    /* a lone packet may always leave t_delta before its time */
    guint64 floor_ns = g_rand_int_range (rand, 0, 5 * MS);
    guint64 most_ns = MAX (rtt_ns, floor_ns);
    guint64 credit_ns = MAX (ipi_ns + ipi_ns / 2, may_spend ? most_ns : MIN (most_ns, limit_ns));
    guint n = 0;

    init (&pacer, limit_ns, floor_ns, g_rand_int_range (rand, 0, 5 * MS));
    while (n < G_N_ELEMENTS (sent_ns)) {
      if (tfrc_pacer_next_ns (&pacer, ipi_ns, rtt_ns) > now_ns) {
        now_ns += g_rand_int_range (rand, 1, 3 * ipi_ns);
        continue;
      }
      tfrc_pacer_on_packet (&pacer, ipi_ns, rtt_ns, now_ns);
      if (may_spend)
        tfrc_pacer_spend_credit (&pacer, g_rand_boolean (rand));
      sent_ns[n++] = now_ns;
    }
    for (guint i = 0; i < n; i++) {
      for (guint k = i; k < n; k++) {
        guint64 window_ns = sent_ns[k] - sent_ns[i];

        if ((k - i + 1) * ipi_ns > credit_ns + window_ns)
          fail ("round %u: %u packets", round, k - i + 1);
      }
    }
  }
  g_rand_free (rand);
}

GST_START_TEST (test_packets_in_any_window_are_worth_at_most_the_window_and_the_credit)
{
  check_windows (FALSE);
}

GST_END_TEST;

GST_START_TEST (test_spent_credit_is_one_round_trip_time_at_most)
{
  check_windows (TRUE);
}

GST_END_TEST;

static Suite *
pacercredit_suite (void)
{
  Suite *suite = suite_create ("pacercredit");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_burst_is_at_most_one_round_trip_time_of_packets);
  tcase_add_test (tc, test_burst_limit_below_a_round_trip_time);
  tcase_add_test (tc, test_burst_limit_above_a_round_trip_time_has_no_effect);
  tcase_add_test (tc, test_credit_has_a_floor);
  tcase_add_test (tc, test_idle_credit_is_bounded);
  tcase_add_test (tc, test_no_credit_before_a_round_trip_time_is_known);
  tcase_add_test (tc, test_spent_credit_leaves_at_twice_x);
  tcase_add_test (tc, test_spent_credit_keeps_the_burst_limit);
  tcase_add_test (tc, test_credit_stays_while_packets_leave_at_x);
  tcase_add_test (tc, test_a_wait_for_x_is_no_credit_at_the_next_x);
  tcase_add_test (tc, test_unused_time_stays_credit_at_the_next_x);
  tcase_add_test (tc, test_there_is_no_credit_before_the_first_packet);
  tcase_add_test (tc, test_packets_in_any_window_are_worth_at_most_the_window_and_the_credit);
  tcase_add_test (tc, test_spent_credit_is_one_round_trip_time_at_most);
  return suite;
}

GST_CHECK_MAIN (pacercredit);
