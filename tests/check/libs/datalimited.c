/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals (RFC 5348 sections 4.3 and 8.2.1). */
#include <gst/check/gstcheck.h>
#include <tfrc/data_limited.h>
#include <tfrc/pacer.h>

#define MS GST_MSECOND
#define RTT (100 * MS)
#define IPI (10 * MS)
#define START GST_SECOND

static TfrcDataLimited limited;

/* Feedback about data that was sent at t_new_ms arrives at now_ms. */
static gboolean
feedback (guint64 t_new_ms, guint64 now_ms)
{
  return tfrc_data_limited_on_feedback (&limited, t_new_ms * MS, RTT, now_ms * MS);
}

/* The sender has sent all data that it may send. */
static void
reach_limit (guint64 now_ms)
{
  tfrc_data_limited_on_limit_reached (&limited, now_ms * MS);
}

GST_START_TEST (test_always_data_limited_without_reaching_the_limit)
{
  tfrc_data_limited_init (&limited);
  for (guint64 ms = 100; ms < 2000; ms += 100)
    fail_unless (feedback (ms, ms + 50));
}

GST_END_TEST;

GST_START_TEST (test_interval_is_open_below_and_closed_above)
{
  const struct
  {
    guint64 limit_ns;
    gboolean data_limited;
  } cases[] = {
    { 1000 * MS - RTT, TRUE },
    { 1000 * MS - RTT + 1, FALSE },
    { 1000 * MS, FALSE },
    { 1000 * MS + 1, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    tfrc_data_limited_init (&limited);
    tfrc_data_limited_on_limit_reached (&limited, cases[i].limit_ns);
    fail_unless_equals_int (feedback (1000, 1050), cases[i].data_limited);
    /* the same as the second of the two times */
    tfrc_data_limited_init (&limited);
    reach_limit (800);
    tfrc_data_limited_on_limit_reached (&limited, cases[i].limit_ns);
    fail_unless_equals_int (feedback (1000, 1050), cases[i].data_limited);
  }
}

GST_END_TEST;

/* Checks each assignment of the pseudocode and the variables after it. */
GST_START_TEST (test_two_times_are_remembered_as_the_pseudocode_says)
{
  tfrc_data_limited_init (&limited);
  reach_limit (1000);
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1000 * MS);
  /* NotLimited1 > t_new = 0, NotLimited2 <= t_next = 0 */
  reach_limit (1010);
  fail_unless_equals_uint64 (limited.not_limited2_ns, 1010 * MS);
  /* both times are later than their goals */
  reach_limit (1020);
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1000 * MS);
  fail_unless_equals_uint64 (limited.not_limited2_ns, 1010 * MS);

  /* NotLimited1 is in (905, 1005]; then NotLimited2 takes its place */
  fail_if (feedback (1005, 1105));
  fail_unless_equals_uint64 (limited.t_new_ns, 1005 * MS);
  fail_unless_equals_uint64 (limited.t_next_ns, 1105 * MS);
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1010 * MS);
  fail_unless_equals_uint64 (limited.not_limited2_ns, 1010 * MS);

  /* NotLimited1 > t_new already: the sender looks for a time after t_next */
  reach_limit (1106);
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1010 * MS);
  fail_unless_equals_uint64 (limited.not_limited2_ns, 1106 * MS);

  fail_if (feedback (1105, 1205));
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1106 * MS);
  /* NotLimited1 = 1106 is in (1105, 1205] */
  fail_if (feedback (1205, 1305));
  /* no time is in (1205, 1305]: nothing was sent after 1106 */
  fail_unless (feedback (1305, 1405));
  /* both times are old: the first is set again */
  reach_limit (1410);
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1410 * MS);
  fail_unless_equals_uint64 (limited.not_limited2_ns, 1106 * MS);
}

GST_END_TEST;

/* A time that equals t_new is replaced, both on feedback and by the next such time. */
GST_START_TEST (test_times_that_equal_t_new_are_old)
{
  tfrc_data_limited_init (&limited);
  reach_limit (1000);
  reach_limit (1010);
  /* NotLimited1 = t_new, NotLimited2 > t_new */
  fail_if (feedback (1000, 1100));
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1010 * MS);
  /* NotLimited2 = t_new does not take the place of NotLimited1 */
  tfrc_data_limited_init (&limited);
  reach_limit (1000);
  reach_limit (1010);
  fail_if (feedback (1010, 1110));
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1000 * MS);

  tfrc_data_limited_init (&limited);
  reach_limit (1000);
  fail_if (feedback (1000, 1100));
  reach_limit (1110);
  fail_unless_equals_uint64 (limited.not_limited1_ns, 1110 * MS);
  fail_unless_equals_uint64 (limited.not_limited2_ns, 0);
}

GST_END_TEST;

GST_START_TEST (test_limit_reached_once_per_round_trip_time)
{
  tfrc_data_limited_init (&limited);
  for (guint64 ms = 1000; ms < 3000; ms += 100) {
    reach_limit (ms);
    if (ms > 1000)
      fail_if (feedback (ms - 50, ms + 50));
  }
}

GST_END_TEST;

GST_START_TEST (test_pause_is_data_limited_and_its_end_is_not)
{
  tfrc_data_limited_init (&limited);
  reach_limit (1000);
  fail_if (feedback (1000, 1100));
  /* few packets, far below the limit */
  fail_unless (feedback (1300, 1400));
  fail_unless (feedback (1600, 1700));
  reach_limit (1750);
  /* first still about (1500, 1600], then about (1660, 1760] */
  fail_unless (feedback (1600, 1750));
  fail_if (feedback (1760, 1860));
}

GST_END_TEST;

GST_START_TEST (test_feedback_near_the_start_of_the_clock)
{
  tfrc_data_limited_init (&limited);
  fail_unless (feedback (1, 2));
  reach_limit (3);
  fail_if (feedback (4, 5));
}

GST_END_TEST;

/* Sends `packets' every `period_ms' through the pacer, with feedback about the newest packet in
 * each round-trip time. The first two intervals do not count. Returns how many of the next eight,
 * which last one second, were data-limited. */
static guint
count_data_limited (guint packets, guint period_ms)
{
  const TfrcPacerConfig config = { GST_CLOCK_TIME_NONE, 0, MS };
  TfrcPacer pacer;
  guint n = 0;
  guint64 last_ms = 0;

  tfrc_pacer_init (&pacer, &config);
  tfrc_data_limited_init (&limited);
  for (guint64 ms = 1000; ms <= 2000; ms++) {
    guint64 now_ns = ms * MS;

    for (guint i = 0; ms % period_ms == 0 && i < packets; i++) {
      if (tfrc_pacer_next_ns (&pacer, IPI, RTT) > now_ns)
        break;
      tfrc_pacer_on_packet (&pacer, IPI, RTT, now_ns);
      if (tfrc_pacer_is_exhausted (&pacer, IPI, RTT, now_ns))
        reach_limit (ms);
      last_ms = ms;
    }
    if (ms % 100 == 50 && feedback (last_ms - 50, ms) && ms > 1200)
      n++;
  }
  return n;
}

GST_START_TEST (test_full_rate_is_not_data_limited)
{
  fail_unless_equals_int (count_data_limited (1, 10), 0);
}

GST_END_TEST;

/* The example of section 4.3: the full rate, but two packets at a time */
GST_START_TEST (test_full_rate_in_pairs_is_not_data_limited)
{
  fail_unless_equals_int (count_data_limited (2, 20), 0);
}

GST_END_TEST;

GST_START_TEST (test_full_rate_in_bursts_of_a_round_trip_time)
{
  fail_unless_equals_int (count_data_limited (10, 100), 0);
}

GST_END_TEST;

GST_START_TEST (test_half_the_rate_is_data_limited)
{
  fail_unless_equals_int (count_data_limited (1, 20), 8);
  fail_unless_equals_int (count_data_limited (2, 40), 8);
}

GST_END_TEST;

static Suite *
datalimited_suite (void)
{
  Suite *suite = suite_create ("datalimited");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_always_data_limited_without_reaching_the_limit);
  tcase_add_test (tc, test_interval_is_open_below_and_closed_above);
  tcase_add_test (tc, test_two_times_are_remembered_as_the_pseudocode_says);
  tcase_add_test (tc, test_times_that_equal_t_new_are_old);
  tcase_add_test (tc, test_limit_reached_once_per_round_trip_time);
  tcase_add_test (tc, test_pause_is_data_limited_and_its_end_is_not);
  tcase_add_test (tc, test_feedback_near_the_start_of_the_clock);
  tcase_add_test (tc, test_full_rate_is_not_data_limited);
  tcase_add_test (tc, test_full_rate_in_pairs_is_not_data_limited);
  tcase_add_test (tc, test_full_rate_in_bursts_of_a_round_trip_time);
  tcase_add_test (tc, test_half_the_rate_is_data_limited);
  return suite;
}

GST_CHECK_MAIN (datalimited);
