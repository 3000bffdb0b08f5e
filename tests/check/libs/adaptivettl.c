/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which observations and signals the TTL follows, see gst/flow/adaptivettl.h. ttlequation.c tests
 * the equation. */
#include <gst/check/gstcheck.h>

#include "gst/flow/adaptivettl.h"

static const GstTfrcAdaptiveTtlConfig usual = { TRUE, 1, 64, 0.5 };
static GstTfrcAdaptiveTtl ttl;

static void
start (const GstTfrcAdaptiveTtlConfig *config, guint with, gboolean is_protected)
{
  gst_tfrc_adaptive_ttl_init (&ttl, config, with, is_protected);
}

/* A packet leaves at @time_us. Feedback about the packet comes from behind this number of
 * routers. */
static void
observe (guint32 time_us, guint routers)
{
  guint8 sent = gst_tfrc_adaptive_ttl_on_send (&ttl, time_us);

  fail_unless (sent > routers, "the packet dies");
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, time_us, (guint8) (sent - routers));
}

/* ---- observations -------------------------------------------------------- */

GST_START_TEST (the_first_observation_has_no_predecessor)
{
  start (&usual, 64, TRUE);
  fail_unless_equals_int (ttl.hops, 0);
  observe (1000, 3);
  fail_unless_equals_int (ttl.hops, 4);
  fail_unless_equals_int (ttl.in_use, 4);
}

GST_END_TEST;

GST_START_TEST (a_host_on_the_same_link_is_one_hop_away)
{
  start (&usual, 64, FALSE);
  observe (1000, 0);
  fail_unless_equals_int (ttl.hops, 1);
  fail_unless_equals_int (ttl.in_use, 1);
}

GST_END_TEST;

GST_START_TEST (two_observations_are_the_terms_of_equation_11)
{
  const GstTfrcAdaptiveTtlConfig config = { TRUE, 20, 64, 0.5 };

  start (&config, 64, TRUE);
  observe (1000, 3); /* 4 hops, so that TTL_min holds */
  fail_unless_equals_int (ttl.in_use, 20);
  observe (2000, 16); /* 17 + 0.5 * 13 = 23.5 */
  fail_unless_equals_int (ttl.in_use, 24);
  observe (3000, 16);
  fail_unless_equals_int (ttl.in_use, 20);
  observe (4000, 3);
  fail_unless_equals_int (ttl.in_use, 20);
}

GST_END_TEST;

/* Send times wrap after 71.6 min, and lie in the future of what was half as long ago. */
GST_START_TEST (a_ttl_that_has_stayed_for_hours_is_known)
{
  start (&usual, 64, TRUE);
  for (guint32 minute = 0; minute < 200; minute++) {
    observe (minute * 60000000u, 3);
    fail_unless_equals_int (ttl.in_use, 4);
  }
  observe (200 * 60000000u, 2);
  fail_unless_equals_int (ttl.hops, 3);
}

GST_END_TEST;

/* So that a TTL that stays does not drive the changes before it from memory. */
GST_START_TEST (a_ttl_that_stays_is_remembered_anew_after_ten_minutes)
{
  start (&usual, 64, TRUE);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 0);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 600 * 1000000u - 1);
  fail_unless_equals_int (ttl.n_changes, 1);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 600 * 1000000u);
  fail_unless_equals_int (ttl.n_changes, 2);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 1200 * 1000000u - 1);
  fail_unless_equals_int (ttl.n_changes, 2);
}

GST_END_TEST;

GST_START_TEST (a_shorter_route_leaves_enough_to_arrive)
{
  start (&usual, 64, TRUE);
  observe (1000, 12);
  fail_unless_equals_int (ttl.in_use, 13);
  observe (2000, 3); /* the paper's TTL_rt is -0.5 */
  fail_unless_equals_int (ttl.in_use, 13);
  observe (3000, 3);
  fail_unless_equals_int (ttl.in_use, 4);
}

GST_END_TEST;

GST_START_TEST (one_observation_alone_does_not_lower_the_ttl)
{
  start (&usual, 64, TRUE);
  observe (1000, 12);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 2000);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 3000);
  /* two feedback packets about one data packet */
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, 13);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, 13);
  fail_unless_equals_int (ttl.in_use, 13);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 3000, 1);
  fail_unless_equals_int (ttl.hops, 13);
}

GST_END_TEST;

/* The TTL has changed while the packet was on the way. */
GST_START_TEST (an_observation_uses_the_ttl_with_which_its_packet_left)
{
  start (&usual, 64, TRUE);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 1000), 64);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 1500), 64);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 61);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 2000), 4);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1500, 61);
  fail_unless_equals_int (ttl.in_use, 4);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, 1);
  fail_unless_equals_int (ttl.hops, 4);
}

GST_END_TEST;

GST_START_TEST (send_times_may_wrap)
{
  start (&usual, 64, TRUE);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 0xffffff00), 64);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 0xffffff00, 61);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 0x100), 4);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 0xffffff80, 60);
  fail_unless_equals_int (ttl.hops, 5);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 0x200, 1);
  fail_unless_equals_int (ttl.hops, 4);
}

GST_END_TEST;

GST_START_TEST (feedback_about_a_packet_before_all_remembered_changes_gives_no_estimate)
{
  guint32 time_us = 1000;

  start (&usual, 64, TRUE);
  observe (time_us, 3);
  for (guint i = 0; i < GST_TFRC_TTL_CHANGES; i++) {
    gst_tfrc_adaptive_ttl_on_signal (&ttl);
    observe (time_us += 1000, i % 2 ? 3 : 5);
  }
  fail_unless_equals_int (ttl.hops, 4);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 50);
  fail_unless_equals_int (ttl.hops, 4);
}

GST_END_TEST;

/* ---- lies ---------------------------------------------------------------- */

GST_START_TEST (a_ttl_that_cannot_be_true_is_ignored)
{
  start (&usual, 40, TRUE);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 30); /* nothing has left */
  fail_unless_equals_int (ttl.hops, 0);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 1000);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 41);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 255);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 0);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 999, 30);
  fail_unless_equals_int (ttl.hops, 0);
  fail_unless_equals_int (ttl.in_use, 40);
}

GST_END_TEST;

GST_START_TEST (no_ttl_byte_leads_out_of_the_limits)
{
  const GstTfrcAdaptiveTtlConfig config = { TRUE, 10, 50, 0.9 };

  for (guint first = 0; first <= 255; first++) {
    for (guint second = 0; second <= 255; second++) {
      start (&config, 50, TRUE);
      gst_tfrc_adaptive_ttl_on_send (&ttl, 1000);
      gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, (guint8) first);
      gst_tfrc_adaptive_ttl_on_send (&ttl, 2000);
      gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, (guint8) second);
      fail_unless (ttl.in_use >= 10 && ttl.in_use <= 50);
    }
  }
}

GST_END_TEST;

/* ---- signals ------------------------------------------------------------- */

GST_START_TEST (a_signal_raises_the_ttl_to_its_maximum_and_observations_lower_it_again)
{
  start (&usual, 8, TRUE);
  observe (1000, 3);
  fail_unless_equals_int (ttl.in_use, 4);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 2000);
  gst_tfrc_adaptive_ttl_on_signal (&ttl);
  fail_unless_equals_int (ttl.in_use, 64);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 3000), 64);

  /* late feedback about the old route */
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, 1);
  fail_unless_equals_int (ttl.in_use, 64);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 3000, 64 - 12); /* 13 + 0.5 * 9 = 17.5 */
  fail_unless_equals_int (ttl.in_use, 18);
  observe (4000, 12);
  fail_unless_equals_int (ttl.in_use, 13);
}

GST_END_TEST;

GST_START_TEST (signals_without_end_do_not_keep_the_ttl_up)
{
  start (&usual, 64, TRUE);
  observe (1000, 3);
  gst_tfrc_adaptive_ttl_on_signal (&ttl);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 2000);
  for (guint i = 0; i < 1000; i++)
    gst_tfrc_adaptive_ttl_on_signal (&ttl);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, 61);
  fail_unless_equals_int (ttl.in_use, 4);
}

GST_END_TEST;

GST_START_TEST (a_signal_never_lowers_the_ttl)
{
  start (&usual, 128, TRUE);
  gst_tfrc_adaptive_ttl_on_signal (&ttl);
  fail_unless_equals_int (ttl.in_use, 128);
}

GST_END_TEST;

/* ---- without protection, and without adaptation -------------------------- */

GST_START_TEST (without_protection_the_ttl_is_never_raised_above_its_start)
{
  const GstTfrcAdaptiveTtlConfig high = { TRUE, 32, 64, 0.5 };

  start (&usual, 8, FALSE);
  observe (1000, 3);
  fail_unless_equals_int (ttl.in_use, 4);
  fail_if (ttl.was_capped);
  gst_tfrc_adaptive_ttl_on_signal (&ttl);
  fail_unless_equals_int (ttl.in_use, 8);
  fail_unless (ttl.was_capped);

  /* neither by TTL_min, nor by TTL_rt: 7 + 0.5 * 3 = 8.5 */
  start (&high, 8, FALSE);
  observe (1000, 3);
  fail_unless_equals_int (ttl.in_use, 8);
  fail_unless (ttl.was_capped);
  start (&usual, 8, FALSE);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 1000);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 1100);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 5);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1100, 2);
  fail_unless_equals_int (ttl.in_use, 8);
  fail_unless (ttl.was_capped);
}

GST_END_TEST;

GST_START_TEST (a_restart_forgets_the_hops_and_what_is_on_the_way)
{
  start (&usual, 8, FALSE);
  observe (1000, 3);
  gst_tfrc_adaptive_ttl_on_send (&ttl, 2000);
  gst_tfrc_adaptive_ttl_restart (&ttl, 20);
  fail_unless_equals_int (ttl.hops, 0);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 2000, 1);
  fail_unless_equals_int (ttl.hops, 0);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 3000), 20);
  fail_if (ttl.was_capped);
}

GST_END_TEST;

GST_START_TEST (without_adaptation_the_hops_are_counted_and_the_ttl_stays)
{
  const GstTfrcAdaptiveTtlConfig off = { FALSE, 0, 0, 0 };

  start (&off, 64, TRUE);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 1000), 0);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 61);
  gst_tfrc_adaptive_ttl_on_signal (&ttl);
  fail_unless_equals_int (ttl.hops, 4);
  fail_unless_equals_int (ttl.in_use, 64);
}

GST_END_TEST;

GST_START_TEST (an_unknown_ttl_is_not_adapted)
{
  start (&usual, 0, TRUE);
  fail_unless_equals_int (gst_tfrc_adaptive_ttl_on_send (&ttl, 1000), 0);
  gst_tfrc_adaptive_ttl_on_feedback (&ttl, 1000, 61);
  gst_tfrc_adaptive_ttl_on_signal (&ttl);
  fail_unless_equals_int (ttl.hops, 0);
  fail_unless_equals_int (ttl.in_use, 0);
}

GST_END_TEST;

static Suite *
adaptivettl_suite (void)
{
  Suite *s = suite_create ("adaptivettl");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_first_observation_has_no_predecessor);
  tcase_add_test (tc, a_host_on_the_same_link_is_one_hop_away);
  tcase_add_test (tc, two_observations_are_the_terms_of_equation_11);
  tcase_add_test (tc, a_ttl_that_has_stayed_for_hours_is_known);
  tcase_add_test (tc, a_ttl_that_stays_is_remembered_anew_after_ten_minutes);
  tcase_add_test (tc, a_shorter_route_leaves_enough_to_arrive);
  tcase_add_test (tc, one_observation_alone_does_not_lower_the_ttl);
  tcase_add_test (tc, an_observation_uses_the_ttl_with_which_its_packet_left);
  tcase_add_test (tc, send_times_may_wrap);
  tcase_add_test (tc, feedback_about_a_packet_before_all_remembered_changes_gives_no_estimate);
  tcase_add_test (tc, a_ttl_that_cannot_be_true_is_ignored);
  tcase_add_test (tc, no_ttl_byte_leads_out_of_the_limits);
  tcase_add_test (tc, a_signal_raises_the_ttl_to_its_maximum_and_observations_lower_it_again);
  tcase_add_test (tc, signals_without_end_do_not_keep_the_ttl_up);
  tcase_add_test (tc, a_signal_never_lowers_the_ttl);
  tcase_add_test (tc, without_protection_the_ttl_is_never_raised_above_its_start);
  tcase_add_test (tc, a_restart_forgets_the_hops_and_what_is_on_the_way);
  tcase_add_test (tc, without_adaptation_the_hops_are_counted_and_the_ttl_stays);
  tcase_add_test (tc, an_unknown_ttl_is_not_adapted);
  return s;
}

GST_CHECK_MAIN (adaptivettl);
