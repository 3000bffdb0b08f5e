/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pacing: nominal send times, t_delta, credit and bursts (RFC 5348 sections
 * 4.6 and 8.3). */
#include "pacertest.h"

GST_START_TEST (test_first_packet_leaves_at_once)
{
  TfrcPacer pacer;

  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, MS);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, GST_SECOND, 0), 0);
  fail_unless_equals_int (burst (&pacer, GST_SECOND, 0, 0), 1);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, GST_SECOND, 0), GST_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_nominal_times_are_one_interval_apart)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, MS);
  for (guint i = 1; i <= 1000; i++) {
    guint64 next_ns = tfrc_pacer_next_ns (&pacer, IPI, RTT);

    /* each packet is t_delta early; these times do not add up */
    fail_unless_equals_uint64 (next_ns, START + i * IPI - MS / 2);
    fail_unless_equals_int (burst (&pacer, IPI, RTT, next_ns - 1), 0);
    fail_unless_equals_int (burst (&pacer, IPI, RTT, next_ns), 1);
    fail_unless_equals_uint64 (pacer.nominal_ns, START + i * IPI);
  }
}

GST_END_TEST;

GST_START_TEST (test_t_delta_is_half_of_interval_granularity_or_rtt)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, 20 * MS);
  fail_unless_equals_uint64 (
      tfrc_pacer_next_ns (&pacer, 10 * MS, 100 * MS), START + 10 * MS - 5 * MS);
  fail_unless_equals_uint64 (
      tfrc_pacer_next_ns (&pacer, 50 * MS, 100 * MS), START + 50 * MS - 10 * MS);
  fail_unless_equals_uint64 (
      tfrc_pacer_next_ns (&pacer, 50 * MS, 4 * MS), START + 50 * MS - 2 * MS);
  /* without a round-trip time no packet is early */
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, 50 * MS, 0), START + 50 * MS);
}

GST_END_TEST;

/* The example of section 8.3: t_ipi 1 ms, R 100 ms, t_gran 10 ms */
GST_START_TEST (test_half_an_interval_early_and_one_rtt_of_credit)
{
  TfrcPacer pacer;

  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, 10 * MS);
  tfrc_pacer_on_packet (&pacer, MS, RTT, START);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, MS, RTT), START + 500 * US);
  fail_unless_equals_int (burst (&pacer, MS, RTT, START + GST_SECOND), 100);
}

GST_END_TEST;

GST_START_TEST (test_at_most_one_packet_leaves_before_its_time)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, GST_SECOND);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, START + IPI / 2), 1);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, START + IPI), 0);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, START + IPI + IPI / 2), 1);
}

GST_END_TEST;

GST_START_TEST (test_late_wakeups_do_not_lower_the_average_rate)
{
  GRand *rand = g_rand_new_with_seed (2);
  TfrcPacer pacer;
  guint64 now_ns = START;
  guint packets = 0;

  start (&pacer, GST_CLOCK_TIME_NONE, MS);
  while (now_ns < START + 100 * GST_SECOND) {
    now_ns = tfrc_pacer_next_ns (&pacer, IPI, RTT) + g_rand_int_range (rand, 0, 80 * MS);
    packets += burst (&pacer, IPI, RTT, now_ns);
  }
  fail_unless_equals_int (packets, (now_ns + MS / 2 - START) / IPI);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_rate_change_takes_effect_at_once)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, 0);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, IPI, RTT), START + IPI);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, IPI / 10, RTT), START + IPI / 10);
  fail_unless_equals_uint64 (
      tfrc_pacer_next_ns (&pacer, 64 * GST_SECOND, RTT), START + 64 * GST_SECOND);
  tfrc_pacer_on_packet (&pacer, IPI / 10, RTT, START + IPI / 10);
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, IPI, RTT), START + IPI / 10 + IPI);
}

GST_END_TEST;

GST_START_TEST (test_exhausted_once_all_that_is_allowed_has_left)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, MS);
  fail_unless (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, START));
  fail_if (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, START + IPI));
  for (guint i = 1; i < 10; i++) {
    tfrc_pacer_on_packet (&pacer, IPI, RTT, 2 * START);
    fail_if (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, 2 * START));
  }
  tfrc_pacer_on_packet (&pacer, IPI, RTT, 2 * START);
  fail_unless (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, 2 * START));
}

GST_END_TEST;

/* The burst limit forbids a burst that the RFC allows. So the sender is still data-limited. */
GST_START_TEST (test_burst_limit_does_not_make_a_sender_look_exhausted)
{
  TfrcPacer pacer;

  start (&pacer, 0, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 2 * START), 1);
  fail_if (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, 2 * START));
  for (guint64 now_ns = 2 * START + 2 * IPI; now_ns < 3 * START; now_ns += 2 * IPI) {
    fail_unless_equals_int (burst (&pacer, IPI, RTT, now_ns), 1);
    fail_if (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, now_ns));
  }
}

GST_END_TEST;

/* The credit that the sender may not use is gone after a round-trip time. */
GST_START_TEST (test_sender_that_always_waits_uses_its_credit_up)
{
  TfrcPacer pacer;
  guint packets = 0;

  start (&pacer, 0, MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 2 * START), 1);
  for (guint64 now_ns = 2 * START + IPI; packets < 20; now_ns += IPI) {
    fail_unless_equals_int (burst (&pacer, IPI, RTT, now_ns), 1);
    packets++;
    if (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, now_ns))
      break;
  }
  fail_unless (packets >= 5, "%u", packets);
  fail_unless (packets <= RTT / IPI, "%u", packets);
}

GST_END_TEST;

GST_START_TEST (test_release_allows_one_packet)
{
  TfrcPacer pacer;
  guint64 ipi_ns = 64 * GST_SECOND, now_ns = 70 * GST_SECOND;

  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, MS);
  tfrc_pacer_on_packet (&pacer, ipi_ns, RTT, 69 * GST_SECOND);
  fail_unless_equals_int (burst (&pacer, ipi_ns, RTT, now_ns), 0);
  tfrc_pacer_release (&pacer, ipi_ns, now_ns);
  fail_unless_equals_int (burst (&pacer, ipi_ns, RTT, now_ns), 1);
  fail_unless (tfrc_pacer_is_exhausted (&pacer, ipi_ns, RTT, now_ns));
  fail_unless_equals_uint64 (tfrc_pacer_next_ns (&pacer, ipi_ns, RTT), now_ns + ipi_ns - MS / 2);
}

GST_END_TEST;

GST_START_TEST (test_release_within_the_first_interval_of_the_clock)
{
  TfrcPacer pacer;
  guint64 ipi_ns = 64 * GST_SECOND, now_ns = 2 * GST_SECOND;

  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, MS);
  tfrc_pacer_on_packet (&pacer, ipi_ns, RTT, GST_SECOND);
  tfrc_pacer_release (&pacer, ipi_ns, now_ns);
  fail_unless_equals_int (burst (&pacer, ipi_ns, RTT, now_ns), 1);
}

GST_END_TEST;

GST_START_TEST (test_release_takes_no_credit_away)
{
  TfrcPacer pacer;

  start (&pacer, GST_CLOCK_TIME_NONE, MS);
  tfrc_pacer_release (&pacer, IPI, START + 35 * MS);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, START + 35 * MS), 3);
  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, MS);
  tfrc_pacer_release (&pacer, IPI, START);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, START), 1);
}

GST_END_TEST;

GST_START_TEST (test_times_saturate_at_the_ends_of_the_clock)
{
  TfrcPacer pacer;

  init (&pacer, GST_CLOCK_TIME_NONE, CREDIT_FLOOR, GST_SECOND);
  tfrc_pacer_on_packet (&pacer, IPI, RTT, 0);
  fail_unless_equals_int (burst (&pacer, IPI, RTT, 60 * MS), 6);
  tfrc_pacer_on_packet (&pacer, IPI, RTT, G_MAXUINT64 - 1);
  fail_unless (tfrc_pacer_next_ns (&pacer, G_MAXUINT64 / 4, RTT) >= G_MAXUINT64 - RTT);
}

GST_END_TEST;

static Suite *
pacer_suite (void)
{
  Suite *suite = suite_create ("pacer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_first_packet_leaves_at_once);
  tcase_add_test (tc, test_nominal_times_are_one_interval_apart);
  tcase_add_test (tc, test_t_delta_is_half_of_interval_granularity_or_rtt);
  tcase_add_test (tc, test_half_an_interval_early_and_one_rtt_of_credit);
  tcase_add_test (tc, test_at_most_one_packet_leaves_before_its_time);
  tcase_add_test (tc, test_late_wakeups_do_not_lower_the_average_rate);
  tcase_add_test (tc, test_rate_change_takes_effect_at_once);
  tcase_add_test (tc, test_exhausted_once_all_that_is_allowed_has_left);
  tcase_add_test (tc, test_burst_limit_does_not_make_a_sender_look_exhausted);
  tcase_add_test (tc, test_sender_that_always_waits_uses_its_credit_up);
  tcase_add_test (tc, test_release_allows_one_packet);
  tcase_add_test (tc, test_release_within_the_first_interval_of_the_clock);
  tcase_add_test (tc, test_release_takes_no_credit_away);
  tcase_add_test (tc, test_times_saturate_at_the_ends_of_the_clock);
  return suite;
}

GST_CHECK_MAIN (pacer);
