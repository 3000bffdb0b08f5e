/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TTL of a session follows the route, in virtual time: feedback, ICMP, and silence. See
 * gst/flow/adaptivettl.h. */
#include "sinkttltest.h"

/* ---- the route changes --------------------------------------------------- */

GST_START_TEST (the_ttl_is_the_number_of_hops)
{
  begin_protected ();
  check_ttl (4, 4);
  fail_unless_equals_int (last_ttl, 4);
  fail_unless_equals_int (t.feedback.state.ttl, 1);
  fail_unless_equals_int (src_stats (&t).ttl, 1);
  fail_unless_equals_int (src_stats (&t).hops, 4);
}

GST_END_TEST;

/* Until the first message the packets of one half of R die: those that left while it came. The
 * receiver stands for all routers here, so that the time is R. */
GST_START_TEST (a_longer_route_costs_the_packets_of_one_rtt)
{
  guint64 lost_at_first;

  begin_protected ();
  routers = 12;
  run (&t, RTT);
  fail_unless (died > 0);
  fail_unless (gst_tfrc_adaptive_ttl_get (ttl_of (t.sink)) > 12);
  lost_at_first = died;
  run (&t, S);
  fail_unless_equals_int (died, lost_at_first);
  check_ttl (13, 13);
  fail_if (gst_tfrc_adaptive_ttl_take_warning (ttl_of (t.sink)));
}

GST_END_TEST;

GST_START_TEST (a_shorter_route_costs_nothing)
{
  begin_protected ();
  routers = 12;
  run (&t, S);
  died = 0;
  routers = 3;
  run (&t, S);
  fail_unless_equals_int (died, 0);
  check_ttl (4, 4);
}

GST_END_TEST;

GST_START_TEST (a_shorter_route_and_a_longer_one_are_followed_in_turn)
{
  static const guint lengths[] = { 0, 5, 63, 1, 30, 2 };

  begin_protected ();
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    routers = lengths[i];
    run (&t, 2 * S);
    check_ttl (lengths[i] + 1, lengths[i] + 1);
  }
}

GST_END_TEST;

GST_START_TEST (without_icmp_silence_raises_the_ttl)
{
  guint64 before;

  begin_protected ();
  tells_by_icmp = FALSE;
  routers = 12;
  before = sender_stats (&t).nofeedback_expirations;
  while (sender_stats (&t).nofeedback_expirations == before) {
    fail_unless_equals_int (stats ().ttl, 4);
    run (&t, MS);
  }
  fail_unless_equals_int (stats ().ttl, TTL_MAX);
  run (&t, DELAY); /* what was on the way dies */
  died = 0;
  run (&t, 2 * S);
  check_ttl (13, 13);
  fail_unless_equals_int (died, 0);
}

GST_END_TEST;

GST_START_TEST (the_silence_of_an_idle_stream_says_nothing)
{
  begin_protected ();
  t.backlog = 0;
  run (&t, S);
  for (guint i = 0; i < 100; i++) {
    fail_unless_equals_int (stats ().ttl, 4);
    run (&t, S);
  }
}

GST_END_TEST;

/* ---- without protection -------------------------------------------------- */

GST_START_TEST (without_protection_the_stream_warns_once_and_keeps_its_ttl)
{
  begin_unprotected ();
  check_ttl (4, 4);
  fail_if (gst_tfrc_adaptive_ttl_take_warning (ttl_of (t.sink)));
  routers = 12;
  run (&t, 10 * S);
  fail_unless_equals_int (stats ().ttl, START);
  fail_unless (gst_tfrc_adaptive_ttl_take_warning (ttl_of (t.sink)));
  run (&t, 10 * S);
  fail_unless_equals_int (last_ttl, START);
  fail_if (gst_tfrc_adaptive_ttl_take_warning (ttl_of (t.sink)));
}

GST_END_TEST;

GST_START_TEST (without_protection_a_lowered_ttl_rises_to_its_start_again)
{
  begin_unprotected ();
  routers = 6;
  run (&t, 3 * S);
  check_ttl (7, 7);
  died = 0;
  run (&t, S);
  fail_unless_equals_int (died, 0);
}

GST_END_TEST;

/* Every packet that leaves has a header with a TTL of at most START. */
GST_START_TEST (without_protection_no_event_raises_the_ttl_above_its_start)
{
  GstTfrcSendSessionConfig config = config_of (FALSE);

  config.media.adaptive_ttl.min = 32;
  begin (&config);
  for (guint i = 0; i < 200; i++) {
    routers = i % 8;
    lie = (gint) (i % 3);
    tells_by_icmp = i % 2;
    gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
    run (&t, 50 * MS);
    fail_unless (stats ().ttl <= START && last_ttl <= START);
  }
}

GST_END_TEST;

/* The receiver announces its move to a link with a longer route, while packets still come over the old one. */
GST_START_TEST (a_handover_to_a_longer_route_costs_nothing)
{
  tells_by_icmp = FALSE;
  begin_protected ();
  check_ttl (4, 4);
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  run (&t, S / 2);
  check_ttl (START, 0);
  routers = 6;
  t.link = 1;
  run (&t, 2 * S);
  fail_unless_equals_int (died, 0);
  check_ttl (7, 7);
}

GST_END_TEST;

static Suite *
sinkttl_suite (void)
{
  Suite *s = suite_create ("sinkttl");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, the_ttl_is_the_number_of_hops);
  tcase_add_test (tc, a_longer_route_costs_the_packets_of_one_rtt);
  tcase_add_test (tc, a_shorter_route_costs_nothing);
  tcase_add_test (tc, a_shorter_route_and_a_longer_one_are_followed_in_turn);
  tcase_add_test (tc, without_icmp_silence_raises_the_ttl);
  tcase_add_test (tc, the_silence_of_an_idle_stream_says_nothing);
  tcase_add_test (tc, a_handover_to_a_longer_route_costs_nothing);
  tcase_add_test (tc, without_protection_the_stream_warns_once_and_keeps_its_ttl);
  tcase_add_test (tc, without_protection_a_lowered_ttl_rises_to_its_start_again);
  tcase_add_test (tc, without_protection_no_event_raises_the_ttl_above_its_start);
  return s;
}

GST_CHECK_MAIN (sinkttl);
