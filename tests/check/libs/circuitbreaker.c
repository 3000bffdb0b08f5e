/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The congestion circuit breaker of RFC 8083 section 4.3, alone and in a session. */
#include "gst/flow/circuitbreaker.h"
#include "sessiontest.h"

/* Sends 1000 byte/s with feedback, and reports each 4 s.  @equation_Bps: the rate of the equation */
static gboolean
pass_interval (GstTfrcCircuitBreaker *breaker, guint i, gdouble equation_Bps)
{
  GstTfrcCircuitBreakerReport report = { (i + 1) * 4 * S, 4000 * i, i, equation_Bps };

  return gst_tfrc_circuit_breaker_on_report (breaker, &report);
}

GST_START_TEST (three_intervals_above_ten_times_the_equation_end_the_stream)
{
  GstTfrcCircuitBreaker breaker = { 0 };

  fail_if (pass_interval (&breaker, 0, 99));
  fail_if (pass_interval (&breaker, 1, 99));
  fail_if (pass_interval (&breaker, 2, 99));
  fail_unless (pass_interval (&breaker, 3, 99));
  fail_unless (breaker.is_open);
  fail_if (pass_interval (&breaker, 4, 99));
  fail_unless (breaker.is_open);
}

GST_END_TEST;

GST_START_TEST (ten_times_the_equation_is_allowed)
{
  GstTfrcCircuitBreaker breaker = { 0 };

  for (guint i = 0; i < 20; i++)
    fail_if (pass_interval (&breaker, i, 100));
}

GST_END_TEST;

GST_START_TEST (one_interval_that_is_slow_enough_counts_anew)
{
  GstTfrcCircuitBreaker breaker = { 0 };

  for (guint i = 0; i < 20; i++)
    fail_if (pass_interval (&breaker, i, i % 3 == 0 ? 100 : 99));
}

GST_END_TEST;

GST_START_TEST (a_path_without_loss_has_no_limit)
{
  GstTfrcCircuitBreaker breaker = { 0 };

  for (guint i = 0; i < 20; i++)
    fail_if (pass_interval (&breaker, i, 0));
}

GST_END_TEST;

/* s = 1000, R = 100 ms, t_RTO = 4 R, p = 1e-4: Reno has 1.22 MB/s, CUBIC more. */
GST_START_TEST (the_limit_is_renos_with_all_losses)
{
  TfrcSenderStats stats = { .x_eq_Bps = 9e6,
    .p = 1e-4,
    .congestion_p = 0,
    .segment_size_bytes = 1000,
    .rtt_ns = S / 10,
    .equation_rto_ns = S * 4 / 10,
    .bytes_sent = 5,
    .feedbacks_received = 6 };
  GstTfrcCircuitBreakerReport report = gst_tfrc_circuit_breaker_make_report (&stats, 7 * S);

  fail_unless_equals_int64 (report.now_ns, 7 * S);
  fail_unless_equals_int (report.bytes_sent, 5);
  fail_unless_equals_int (report.feedbacks, 6);
  fail_unless_equals_float (
      report.equation_rate_Bps, tfrc_equation_rate_Bps (1000, 0.1, 0.4, 1e-4));
  stats.p = 0;
  report = gst_tfrc_circuit_breaker_make_report (&stats, 7 * S);
  fail_unless_equals_float (report.equation_rate_Bps, 0);
}

GST_END_TEST;

GST_START_TEST (an_interval_without_feedback_says_nothing)
{
  GstTfrcCircuitBreaker breaker = { 0 };
  GstTfrcCircuitBreakerReport silent = { 12 * S, 8000, 1, 99 };

  pass_interval (&breaker, 0, 99);
  pass_interval (&breaker, 1, 99);
  fail_if (gst_tfrc_circuit_breaker_on_report (&breaker, &silent));
  fail_if (pass_interval (&breaker, 3, 99));
  fail_unless (pass_interval (&breaker, 4, 99));
}

GST_END_TEST;

/* ---- in a session ----------------------------------------------------------- */

static SessionTest t;
static guint arrived;

static void
setup (void)
{
  arrived = 0;
  session_test_init (&t);
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* Two of three packets are lost. */
static guint8
lossy (SessionTest *test, const InFlight *packet)
{
  return arrived++ % 3 == 0 ? 60 : 0;
}

static void
play_through_loss (guint64 min_bitrate)
{
  t.delay_ns = 500 * MS;
  session_test_connect (&t);
  gst_tfrc_rate_control_set_limits (control_of (t.sink), min_bitrate, 0);
  t.arrival_ttl = lossy;
  t.backlog = 100000;
  run (&t, 30 * S);
}

GST_START_TEST (a_minimum_rate_against_heavy_loss_ends_the_stream)
{
  guint64 sent;

  /* 300 packets in a round-trip time: TCP would send 21 */
  play_through_loss (8 * 300 * SEGMENT);
  fail_unless (gst_tfrc_rate_control_is_broken (control_of (t.sink)));
  fail_unless_equals_uint64 (gst_tfrc_rate_control_next_send_ns (control_of (t.sink)), NEVER);
  sent = t.data_sent;
  run (&t, 10 * S);
  fail_unless_equals_uint64 (t.data_sent, sent);
}

GST_END_TEST;

GST_START_TEST (tfrc_alone_never_ends_a_stream)
{
  play_through_loss (0);
  fail_if (gst_tfrc_rate_control_is_broken (control_of (t.sink)));
}

GST_END_TEST;

static Suite *
circuitbreaker_suite (void)
{
  Suite *s = suite_create ("circuitbreaker");
  TCase *alone = tcase_create ("alone"), *session = tcase_create ("session");

  suite_add_tcase (s, alone);
  tcase_add_test (alone, three_intervals_above_ten_times_the_equation_end_the_stream);
  tcase_add_test (alone, ten_times_the_equation_is_allowed);
  tcase_add_test (alone, one_interval_that_is_slow_enough_counts_anew);
  tcase_add_test (alone, a_path_without_loss_has_no_limit);
  tcase_add_test (alone, an_interval_without_feedback_says_nothing);
  tcase_add_test (alone, the_limit_is_renos_with_all_losses);
  suite_add_tcase (s, session);
  tcase_add_checked_fixture (session, setup, teardown);
  tcase_add_test (session, a_minimum_rate_against_heavy_loss_ends_the_stream);
  tcase_add_test (session, tfrc_alone_never_ends_a_stream);
  return s;
}

GST_CHECK_MAIN (circuitbreaker);
