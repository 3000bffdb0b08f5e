/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender believes of its receiver, see lib/tfrc/distrust.h. */
#include <tfrc/distrust.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define INTERVAL (100 * MS)
#define BYTES 1000

static TfrcDistrust distrust;

static void
setup (void)
{
  tfrc_distrust_init (&distrust, false);
}

/* ---- X_recv ------------------------------------------------------------------- */

/* Ten packets in 90 ms */
static void
send_burst (guint64 at_ns)
{
  for (guint i = 0; i < 10; i++)
    tfrc_distrust_on_packet (&distrust, BYTES, INTERVAL, at_ns + 10 * i * MS);
}

static guint32
believed (guint64 interval_ns, gboolean rtt_is_known, guint64 now_ns)
{
  TfrcDistrustContext context = { .interval_ns = interval_ns,
    .longest_interval_ns = interval_ns,
    .rtt_is_known = rtt_is_known,
    .segment_bytes = BYTES,
    .t_new_ns = now_ns,
    .now_ns = now_ns };

  return tfrc_distrust_x_recv_Bps (&distrust, 1000000, &context);
}

GST_START_TEST (test_no_more_is_received_than_was_sent_and_a_packet)
{
  send_burst (SECOND);
  fail_unless_equals_int (believed (INTERVAL, TRUE, SECOND + 90 * MS), 11 * BYTES * 10);
  assert_close (tfrc_distrust_most_Bps (&distrust), 2 * 11 * BYTES * 10);
}

GST_END_TEST;

/* R has doubled since: the receiver has measured over the R of before. */
GST_START_TEST (test_the_rate_is_that_of_the_shorter_of_two_intervals)
{
  send_burst (SECOND);
  believed (INTERVAL, TRUE, SECOND + 90 * MS);
  fail_unless_equals_int (believed (2 * INTERVAL, TRUE, SECOND + 150 * MS), 11 * BYTES * 10);
  fail_unless_equals_int (believed (2 * INTERVAL, TRUE, SECOND + 160 * MS), 11 * BYTES * 5);
}

GST_END_TEST;

/* What stood for R before the first sample was no interval of the receiver's. */
GST_START_TEST (test_the_interval_before_r_was_known_does_not_count)
{
  send_burst (SECOND);
  believed (INTERVAL, FALSE, SECOND + 90 * MS);
  fail_unless_equals_int (believed (2 * INTERVAL, TRUE, SECOND + 150 * MS), 11 * BYTES * 5);
}

GST_END_TEST;

GST_START_TEST (test_without_a_limit_x_is_twice_what_was_sent_or_the_first_rate)
{
  send_burst (SECOND);
  believed (INTERVAL, TRUE, SECOND + 90 * MS);
  assert_close (tfrc_distrust_recv_limit_Bps (&distrust, INFINITY, 43800), 220000);
  assert_close (tfrc_distrust_recv_limit_Bps (&distrust, INFINITY, 438000), 438000);
  assert_close (tfrc_distrust_recv_limit_Bps (&distrust, 1e6, 43800), 1e6);
}

GST_END_TEST;

/* ---- p -------------------------------------------------------------------------- */

GST_START_TEST (test_only_a_handover_brings_p_back_to_nothing)
{
  static const struct
  {
    TfrcFeedback feedback;
    guint64 now_ns;
    double p;
  } cases[] = {
    { { .has_state = TRUE, .loss_events = 1 }, SECOND, 0.1 },
    /* no losses have been reported, or it is not known */
    { { .has_state = TRUE }, SECOND, 0 },
    { { .loss_events = 1 }, SECOND, 0 },
    /* a notification, and the history of a new link while the rate is held */
    { { .has_state = TRUE, .loss_events = 1, .handover = TRUE }, SECOND, 0 },
    { { .has_state = TRUE, .loss_events = 1, .new_link = TRUE }, SECOND, 0 },
    { { .has_state = TRUE, .loss_events = 1, .new_link = TRUE }, 2 * SECOND - 1, 0 },
    { { .has_state = TRUE, .loss_events = 1, .new_link = TRUE }, 2 * SECOND, 0.1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    double p = tfrc_distrust_p (&distrust, 0, 0.1, &cases[i].feedback, 2 * SECOND, cases[i].now_ns);

    fail_unless (p == cases[i].p, "case %u: %g", i, p);
    assert_close (
        tfrc_distrust_p (&distrust, 0.01, 0.1, &cases[i].feedback, 2 * SECOND, cases[i].now_ns),
        0.01);
  }
}

GST_END_TEST;

/* ---- R -------------------------------------------------------------------------- */

GST_START_TEST (test_a_sample_above_ten_times_r_and_100_ms_is_used_if_the_next_is_as_long)
{
  fail_unless (tfrc_distrust_takes_sample (&distrust, 20 * MS, 200 * MS));
  fail_if (tfrc_distrust_takes_sample (&distrust, 20 * MS, 200 * MS + 1));
  fail_unless (tfrc_distrust_takes_sample (&distrust, 20 * MS, 200 * MS + 1));
  fail_unless (tfrc_distrust_takes_sample (&distrust, MS, 100 * MS));
  fail_if (tfrc_distrust_takes_sample (&distrust, MS, 100 * MS + 1));
  fail_unless (tfrc_distrust_takes_sample (&distrust, MS, MS));
  fail_if (tfrc_distrust_takes_sample (&distrust, MS, 100 * MS + 1));
  fail_unless (tfrc_distrust_refutes_first_sample (&distrust, 100 * MS, 10 * MS - 1));
  fail_if (tfrc_distrust_refutes_first_sample (&distrust, 100 * MS, 10 * MS));
}

GST_END_TEST;

/* ---- a cut of X ------------------------------------------------------------------ */

#define ROUNDING TFRC_RTT_ROUNDING_NS

GST_START_TEST (test_after_a_cut_by_more_than_half_a_packet_may_leave_an_interval_later)
{
  static const struct
  {
    double x_Bps;
    guint64 ipi_ns, probe_ns;
  } cases[] = {
    { 50000, SECOND, TFRC_TIME_NEVER },
    { 49999, SECOND, 10 * SECOND + INTERVAL + ROUNDING },
    { 40000, SECOND, 10 * SECOND + INTERVAL + ROUNDING },
    /* X allows the next packet by then */
    { 10000, INTERVAL + ROUNDING, TFRC_TIME_NEVER },
    { 10000, INTERVAL + ROUNDING + 1, 10 * SECOND + INTERVAL + ROUNDING },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    setup ();
    tfrc_distrust_on_rate (
        &distrust, 100000, cases[i].x_Bps, cases[i].ipi_ns, INTERVAL, 10 * SECOND);
    fail_unless_equals_uint64 (
        tfrc_distrust_next_ns (&distrust, TFRC_TIME_NEVER), cases[i].probe_ns);
  }
}

GST_END_TEST;

/* ---- RFC 5348 as it is ------------------------------------------------------------- */

GST_START_TEST (test_the_strict_rules_believe_all)
{
  const TfrcFeedback lie = { .has_state = TRUE, .loss_events = 1 };

  tfrc_distrust_init (&distrust, true);
  fail_unless_equals_int (believed (INTERVAL, TRUE, SECOND), 1000000);
  fail_unless (isinf (tfrc_distrust_recv_limit_Bps (&distrust, INFINITY, 43800)));
  fail_unless (tfrc_distrust_p (&distrust, 0, 0.1, &lie, 0, SECOND) == 0);
  fail_unless (tfrc_distrust_takes_sample (&distrust, MS, SECOND));
  fail_if (tfrc_distrust_refutes_first_sample (&distrust, SECOND, MS));
  tfrc_distrust_on_rate (&distrust, 100000, 1, 1000 * SECOND, INTERVAL, SECOND);
  fail_unless_equals_uint64 (tfrc_distrust_next_ns (&distrust, TFRC_TIME_NEVER), TFRC_TIME_NEVER);
}

GST_END_TEST;

static Suite *
distrust_suite (void)
{
  Suite *suite = suite_create ("distrust");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, test_no_more_is_received_than_was_sent_and_a_packet);
  tcase_add_test (tcase, test_the_rate_is_that_of_the_shorter_of_two_intervals);
  tcase_add_test (tcase, test_the_interval_before_r_was_known_does_not_count);
  tcase_add_test (tcase, test_without_a_limit_x_is_twice_what_was_sent_or_the_first_rate);
  tcase_add_test (tcase, test_only_a_handover_brings_p_back_to_nothing);
  tcase_add_test (tcase, test_a_sample_above_ten_times_r_and_100_ms_is_used_if_the_next_is_as_long);
  tcase_add_test (tcase, test_after_a_cut_by_more_than_half_a_packet_may_leave_an_interval_later);
  tcase_add_test (tcase, test_the_strict_rules_believe_all);
  return suite;
}

GST_CHECK_MAIN (distrust);
