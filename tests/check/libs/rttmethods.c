/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods that make R of the samples, and t_RTO of enhanced TFRC (eq. 3 and 4). */
#include <gst/check/gstcheck.h>
#include <tfrc/rtt.h>
#include <tfrc/units.h>

#include "closeto.h"
#include "vectors.h"

#define MS GST_MSECOND

static void
init (TfrcRtt *rtt, TfrcRttMethod method)
{
  const TfrcRttConfig config = { method, TFRC_RTO_POLICY_ADAPTIVE, 8, MS };

  tfrc_rtt_init (rtt, &config);
}

static void
take (TfrcRtt *rtt, guint64 ms)
{
  tfrc_rtt_on_sample (rtt, ms * MS, FALSE);
}

/* Takes samples that grow by 5 ms each, from 55 ms to 200 ms, after some of 50 ms. */
static void
fill_queue (TfrcRtt *rtt)
{
  for (guint i = 0; i < 3; i++)
    take (rtt, 50);
  for (guint ms = 55; ms <= 200; ms += 5)
    take (rtt, ms);
}

static TfrcRttMethod
method_of (const gchar *name)
{
  const gchar *names[] = { "ewma", "adaptive", "adaptive-bounded" };
  const TfrcRttMethod methods[] = { TFRC_RTT_METHOD_EWMA, TFRC_RTT_METHOD_ADAPTIVE,
    TFRC_RTT_METHOD_ADAPTIVE_BOUNDED };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return methods[i];
  fail ("no method %s", name);
  return TFRC_RTT_METHOD_EWMA;
}

GST_START_TEST (test_r_average_and_rto_match_reference_values)
{
  gchar *last = g_strdup ("");
  TfrcRtt rtt;
  Vectors v;

  vectors_open (&v, "rtt.csv", "case,method,k,rise_ns,sample_ns,link_error,R,A,rto");
  while (vectors_next (&v)) {
    gchar *name = g_strconcat (v.cells[0], v.cells[1], NULL);

    if (!g_str_equal (name, last)) {
      const TfrcRttConfig config = { method_of (v.cells[1]), TFRC_RTO_POLICY_ADAPTIVE,
        (guint32) vectors_number (&v, 2), (guint64) vectors_number (&v, 3) };

      tfrc_rtt_init (&rtt, &config);
    }
    tfrc_rtt_on_sample (&rtt, (guint64) vectors_number (&v, 4), vectors_number (&v, 5) != 0);
    vectors_assert (&v, 6, rtt.r_s, 1e-13);
    vectors_assert (&v, 7, rtt.average_s, 1e-13);
    vectors_assert (&v, 8, tfrc_rtt_rto_s (&rtt), 1e-13);
    g_free (last);
    last = name;
  }
  g_free (last);
}

GST_END_TEST;

GST_START_TEST (test_each_method_has_a_function)
{
  fail_unless (tfrc_rtt_method_find (TFRC_RTT_METHOD_EWMA) != NULL);
  fail_unless (tfrc_rtt_method_find (TFRC_RTT_METHOD_ADAPTIVE) != NULL);
  fail_unless (tfrc_rtt_method_find (TFRC_RTT_METHOD_ADAPTIVE_BOUNDED) != NULL);
  fail_unless (tfrc_rtt_method_find ((TfrcRttMethod) 77) == NULL);
  fail_unless (tfrc_rtt_method_find ((TfrcRttMethod) -1) == NULL);
}

GST_END_TEST;

GST_START_TEST (test_rising_samples_add_their_spread)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE);
  take (&rtt, 100);
  take (&rtt, 110);
  /* 0.9 100 + 0.1 110 + (110 - 100) */
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 111 * MS);
  fail_unless_equals_uint64 (tfrc_rtt_average_ns (&rtt), 101 * MS);
  /* 0.9 111 + 0.1 120 + (120 - 100): the recursion is on R itself */
  take (&rtt, 120);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 131900000);
  fail_unless_equals_uint64 (tfrc_rtt_average_ns (&rtt), 102900000);
  /* no rise: 0.9 131.9 + 0.1 120 */
  take (&rtt, 120);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 130710000);
}

GST_END_TEST;

GST_START_TEST (test_rise_of_exactly_the_threshold_is_no_rise)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE);
  take (&rtt, 100);
  take (&rtt, 101);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), tfrc_rtt_average_ns (&rtt));
  tfrc_rtt_on_sample (&rtt, 102 * MS + 1, FALSE);
  fail_unless (tfrc_rtt_ns (&rtt) > tfrc_rtt_average_ns (&rtt) + 2 * MS);
}

GST_END_TEST;

/* k = 8: the ninth sample pushes the first one out. */
GST_START_TEST (test_spread_is_that_of_the_most_recent_samples)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED);
  take (&rtt, 10);
  for (guint i = 0; i < 7; i++)
    take (&rtt, 100);
  fail_unless_equals_uint64 (rtt.samples.known, 8);
  take (&rtt, 102);
  assert_within (rtt.r_s, rtt.average_s + 0.002, 1e-14);
}

GST_END_TEST;

/* Eq. 3 adds the spread again with each rise, and forgets a tenth of R: R nears ten times the
 * spread. */
GST_START_TEST (test_r_of_eq_3_is_far_above_every_sample_while_a_queue_fills)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE);
  fill_queue (&rtt);
  assert_within (rtt.r_s, 0.4861004, 1e-6);
  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED);
  fill_queue (&rtt);
  assert_within (rtt.average_s, 0.1569076, 1e-6);
  /* A + 35 ms, the spread of eight samples */
  assert_within (rtt.r_s, rtt.average_s + 0.035, 1e-14);
}

GST_END_TEST;

/* Samples that are evenly distributed over 50 to 60 ms; docs/results.md, "Enhanced TFRC", has the
 * numbers. */
GST_START_TEST (test_eq_3_takes_jitter_for_congestion)
{
  const gdouble means_ms[] = { 54.9985, 86.6764, 56.5743 },
                largest_ms[] = { 57.6914, 120.9139, 60 };

  for (guint m = 0; m < G_N_ELEMENTS (means_ms); m++) {
    const guint n = 400000;
    gdouble sum_s = 0, largest_s = 0;
    guint64 state = 1;
    TfrcRtt rtt;

    init (&rtt, (TfrcRttMethod) m);
    for (guint i = 0; i < n; i++) {
      state = state * G_GUINT64_CONSTANT (6364136223846793005)
          + G_GUINT64_CONSTANT (1442695040888963407);
      tfrc_rtt_on_sample (&rtt, 50 * MS + (state >> 32) % (10 * MS), FALSE);
      sum_s += rtt.r_s;
      largest_s = MAX (largest_s, rtt.r_s);
    }
    assert_within (sum_s / n * 1e3, means_ms[m], 1e-5);
    assert_within (largest_s * 1e3, largest_ms[m], 1e-5);
  }
}

GST_END_TEST;

GST_START_TEST (test_bounded_r_is_between_the_average_and_the_longest_sample)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED);
  take (&rtt, 100);
  take (&rtt, 200);
  /* A = 110, A + 100 > 200 */
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 200 * MS);
  take (&rtt, 190);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 118 * MS);

  /* the average is above all recent samples */
  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED);
  take (&rtt, 1000);
  for (guint i = 0; i < 8; i++)
    take (&rtt, 10);
  take (&rtt, 20);
  fail_unless (rtt.average_s > 0.02);
  fail_unless (rtt.r_s == rtt.average_s);
}

GST_END_TEST;

GST_START_TEST (test_link_error_counts_as_a_rise)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE);
  take (&rtt, 100);
  tfrc_rtt_on_sample (&rtt, 90 * MS, TRUE);
  /* 0.9 100 + 0.1 90 + (100 - 90) */
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 109 * MS);

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED);
  take (&rtt, 100);
  tfrc_rtt_on_sample (&rtt, 90 * MS, TRUE);
  /* A = 99, at most the longest */
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 100 * MS);

  init (&rtt, TFRC_RTT_METHOD_EWMA);
  take (&rtt, 100);
  tfrc_rtt_on_sample (&rtt, 90 * MS, TRUE);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 99 * MS);
}

GST_END_TEST;

/* Eq. 4 scales t_RTO by the same factor as R. */
GST_START_TEST (test_rto_stays_four_r_through_link_errors)
{
  const TfrcRttMethod methods[] = { TFRC_RTT_METHOD_ADAPTIVE, TFRC_RTT_METHOD_ADAPTIVE_BOUNDED };

  guint different = 0;

  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    TfrcRtt rtt;

    init (&rtt, methods[m]);
    fail_unless (tfrc_rtt_rto_s (&rtt) == 0);
    take (&rtt, 40);
    for (guint i = 0; i < 1000; i++) {
      tfrc_rtt_on_sample (&rtt, (40 + i * 37 % 101) * MS, TRUE);
      assert_within (tfrc_rtt_rto_s (&rtt), 4 * rtt.r_s, 1e-12);
      different += tfrc_rtt_rto_s (&rtt) != 4 * rtt.r_s;
    }
    take (&rtt, 40);
    fail_unless (tfrc_rtt_rto_s (&rtt) == 4 * rtt.r_s);
  }
  /* Eq. 4 rounds in other places. */
  fail_unless (different > 0);
}

GST_END_TEST;

GST_START_TEST (test_r_is_at_most_what_a_packet_can_say)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE);
  for (guint i = 0; i < 20; i++) {
    take (&rtt, 1000);
    take (&rtt, 16000);
    fail_unless (tfrc_rtt_ns (&rtt) <= TFRC_MAX_RTT_NS);
  }
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), TFRC_MAX_RTT_NS);
}

GST_END_TEST;

GST_START_TEST (test_reset_forgets_the_samples)
{
  TfrcRtt rtt;

  init (&rtt, TFRC_RTT_METHOD_ADAPTIVE);
  take (&rtt, 10);
  take (&rtt, 500);
  tfrc_rtt_reset (&rtt);
  fail_if (tfrc_rtt_is_known (&rtt));
  fail_unless_equals_uint64 (tfrc_rtt_average_ns (&rtt), 0);
  fail_unless (tfrc_rtt_rto_s (&rtt) == 0);
  /* the method, k and Lt stay */
  take (&rtt, 100);
  take (&rtt, 110);
  fail_unless_equals_uint64 (tfrc_rtt_ns (&rtt), 111 * MS);
}

GST_END_TEST;

static Suite *
rttmethods_suite (void)
{
  Suite *suite = suite_create ("rttmethods");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_r_average_and_rto_match_reference_values);
  tcase_add_test (tc, test_each_method_has_a_function);
  tcase_add_test (tc, test_rising_samples_add_their_spread);
  tcase_add_test (tc, test_rise_of_exactly_the_threshold_is_no_rise);
  tcase_add_test (tc, test_spread_is_that_of_the_most_recent_samples);
  tcase_add_test (tc, test_r_of_eq_3_is_far_above_every_sample_while_a_queue_fills);
  tcase_add_test (tc, test_eq_3_takes_jitter_for_congestion);
  tcase_add_test (tc, test_bounded_r_is_between_the_average_and_the_longest_sample);
  tcase_add_test (tc, test_link_error_counts_as_a_rise);
  tcase_add_test (tc, test_rto_stays_four_r_through_link_errors);
  tcase_add_test (tc, test_r_is_at_most_what_a_packet_can_say);
  tcase_add_test (tc, test_reset_forgets_the_samples);
  return suite;
}

GST_CHECK_MAIN (rttmethods);
