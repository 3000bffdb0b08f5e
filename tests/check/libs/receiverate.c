/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv (RFC 5348 section 6.2 step 2). */
#include <gst/check/gstcheck.h>
#include <tfrc/receive_rate.h>

#define MS GST_MSECOND
#define WINDOW (100 * MS)
#define START GST_SECOND

static TfrcReceiveRate rate;

/* The feedback timer expires. */
static void
expire (guint64 now_ns)
{
  tfrc_receive_rate_mark (&rate, WINDOW, now_ns);
}

static void
start (void)
{
  tfrc_receive_rate_init (&rate);
  expire (START);
}

static void
assert_rate (guint64 now_ns, gdouble expected_Bps)
{
  fail_unless_equals_float (tfrc_receive_rate_Bps (&rate, WINDOW, now_ns), expected_Bps);
}

GST_START_TEST (test_rate_since_the_last_expiration)
{
  start ();
  tfrc_receive_rate_on_bytes (&rate, 5000);
  expire (START + WINDOW);
  for (guint i = 0; i < 7; i++)
    tfrc_receive_rate_on_bytes (&rate, 1000);
  assert_rate (START + 2 * WINDOW, 70000);
  expire (START + 2 * WINDOW);
  assert_rate (START + 3 * WINDOW, 0);
}

GST_END_TEST;

GST_START_TEST (test_late_expiration_measures_over_the_longer_time)
{
  start ();
  tfrc_receive_rate_on_bytes (&rate, 5000);
  assert_rate (START + 125 * MS, 40000);
}

GST_END_TEST;

GST_START_TEST (test_rate_counts_at_least_a_round_trip_time)
{
  start ();
  tfrc_receive_rate_on_bytes (&rate, 5000);
  /* a stream that began 10 ms ago has not received 500 kB/s */
  assert_rate (START + 10 * MS, 50000);
  assert_rate (START, 50000);
  tfrc_receive_rate_init (&rate);
  tfrc_receive_rate_on_bytes (&rate, 5000);
  assert_rate (START, 50000);
}

GST_END_TEST;

/* The measurement begins at the newest expiration that was at least R ago. */
GST_START_TEST (test_early_feedback_measures_over_a_round_trip_time_or_more)
{
  start ();
  tfrc_receive_rate_on_bytes (&rate, 10000);
  expire (START + 100 * MS);
  tfrc_receive_rate_on_bytes (&rate, 3000);
  assert_rate (START + 130 * MS, 100000);
  expire (START + 130 * MS);
  tfrc_receive_rate_on_bytes (&rate, 5000);
  /* 8000 bytes since START + 100 ms; 30 ms later, 6000 bytes since START + 130 ms */
  assert_rate (START + 200 * MS, 80000);
  tfrc_receive_rate_on_bytes (&rate, 1000);
  assert_rate (START + 230 * MS, 60000);
}

GST_END_TEST;

GST_START_TEST (test_window_may_change)
{
  start ();
  tfrc_receive_rate_on_bytes (&rate, 1000);
  expire (START + 100 * MS);
  tfrc_receive_rate_on_bytes (&rate, 6000);
  expire (START + 200 * MS);
  tfrc_receive_rate_on_bytes (&rate, 3000);
  fail_unless_equals_float (tfrc_receive_rate_Bps (&rate, 50 * MS, START + 250 * MS), 60000);
  fail_unless_equals_float (tfrc_receive_rate_Bps (&rate, 150 * MS, START + 250 * MS), 60000);
  fail_unless_equals_float (tfrc_receive_rate_Bps (&rate, 250 * MS, START + 250 * MS), 40000);
  fail_unless_equals_float (tfrc_receive_rate_Bps (&rate, 500 * MS, START + 250 * MS), 20000);
}

GST_END_TEST;

/* The least X_recv is one packet per round-trip time. */
GST_START_TEST (test_silence_does_not_count)
{
  start ();
  tfrc_receive_rate_on_bytes (&rate, 50000);
  expire (START + 100 * MS);
  tfrc_receive_rate_resume (&rate, WINDOW, 60 * START);
  tfrc_receive_rate_on_bytes (&rate, 1316);
  assert_rate (60 * START, 13160);
  expire (60 * START);
  tfrc_receive_rate_on_bytes (&rate, 2632);
  assert_rate (60 * START + 50 * MS, 26320);
  assert_rate (60 * START + 100 * MS, 26320);
}

GST_END_TEST;

GST_START_TEST (test_resume_near_the_start_of_the_clock)
{
  tfrc_receive_rate_init (&rate);
  tfrc_receive_rate_resume (&rate, WINDOW, 50 * MS);
  tfrc_receive_rate_on_bytes (&rate, 1316);
  assert_rate (50 * MS, 13160);
}

GST_END_TEST;

GST_START_TEST (test_many_expirations_in_one_round_trip_time)
{
  tfrc_receive_rate_init (&rate);
  expire (START);
  for (guint64 ms = 1; ms <= 2000; ms++) {
    tfrc_receive_rate_on_bytes (&rate, 1000);
    if (ms >= 100)
      assert_rate (START + ms * MS, 1000000);
    /* an expiration every 3 ms: more expirations than are remembered */
    if (ms % 3 == 0)
      expire (START + ms * MS);
  }
}

GST_END_TEST;

GST_START_TEST (test_rate_follows_within_two_rtts_despite_many_expirations)
{
  tfrc_receive_rate_init (&rate);
  expire (START);
  for (guint64 ms = 1; ms <= 1000; ms++) {
    tfrc_receive_rate_on_bytes (&rate, ms <= 500 ? 1000 : 100);
    /* no more than two round-trip times count */
    if (ms >= 700)
      assert_rate (START + ms * MS, 100000);
    expire (START + ms * MS);
  }
}

GST_END_TEST;

/* However many expirations there are: X_recv covers R at least, and a quarter more at most. */
GST_START_TEST (test_window_is_known_by_time_despite_many_expirations)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint round = 0; round < 50; round++) {
    guint64 burst_ms = g_rand_int_range (rand, 200, 500);

    tfrc_receive_rate_init (&rate);
    expire (START);
    for (guint64 ms = 1; ms <= 700; ms++) {
      if (ms == burst_ms)
        tfrc_receive_rate_on_bytes (&rate, 100000);
      if (ms >= burst_ms && ms < burst_ms + 100)
        fail_unless (tfrc_receive_rate_Bps (&rate, WINDOW, START + ms * MS) >= 800000);
      if (ms >= burst_ms + 125)
        assert_rate (START + ms * MS, 0);
      if (g_rand_boolean (rand))
        expire (START + ms * MS);
    }
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_one_expiration_per_round_trip_time_for_ever)
{
  start ();
  for (guint64 i = 1; i <= 100; i++) {
    tfrc_receive_rate_on_bytes (&rate, (guint32) (1000 * i));
    assert_rate (START + i * WINDOW, 10000.0 * i);
    expire (START + i * WINDOW);
  }
}

GST_END_TEST;

static Suite *
receiverate_suite (void)
{
  Suite *suite = suite_create ("receiverate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_rate_since_the_last_expiration);
  tcase_add_test (tc, test_late_expiration_measures_over_the_longer_time);
  tcase_add_test (tc, test_rate_counts_at_least_a_round_trip_time);
  tcase_add_test (tc, test_early_feedback_measures_over_a_round_trip_time_or_more);
  tcase_add_test (tc, test_window_may_change);
  tcase_add_test (tc, test_silence_does_not_count);
  tcase_add_test (tc, test_resume_near_the_start_of_the_clock);
  tcase_add_test (tc, test_many_expirations_in_one_round_trip_time);
  tcase_add_test (tc, test_rate_follows_within_two_rtts_despite_many_expirations);
  tcase_add_test (tc, test_window_is_known_by_time_despite_many_expirations);
  tcase_add_test (tc, test_one_expiration_per_round_trip_time_for_ever);
  return suite;
}

GST_CHECK_MAIN (receiverate);
