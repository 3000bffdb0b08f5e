/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN between both sessions of a stream, in virtual time: what leaves, what the receiver reports, and
 * how a path that treats ECN badly is found. See gst/flow/sendmedia.c and <tfrc/ecn.h>. */
#include <math.h>

#include "sessiontest.h"

static SessionTest t;
static guint ect_left, ect_lost, others_left; /* packets of data that came to the path */
static guint marked_of; /* the path marks one in this number of packets with ECT; 0: none */

static gint
pass (SessionTest *test, guint8 ecn)
{
  if (ecn == TFRC_ECN_FIELD_NOT_ECT) {
    others_left++;
    return ecn;
  }
  fail_unless_equals_int (ecn, TFRC_ECN_FIELD_ECT_0);
  ect_left++;
  return marked_of > 0 && ect_left % marked_of == 0 ? TFRC_ECN_FIELD_CE : ecn;
}

static gint
bleach (SessionTest *test, guint8 ecn)
{
  pass (test, ecn);
  return TFRC_ECN_FIELD_NOT_ECT;
}

static gint
drop_ect (SessionTest *test, guint8 ecn)
{
  gboolean dies = pass (test, ecn) != TFRC_ECN_FIELD_NOT_ECT;

  ect_lost += dies;
  return dies ? -1 : TFRC_ECN_FIELD_NOT_ECT;
}

static void
setup (void)
{
  const GstTfrcSendSessionConfig config = { .media.ecn = TRUE };

  session_test_init (&t);
  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  t.arrival_ecn = pass;
  t.backlog = 1000000;
  ect_left = ect_lost = others_left = marked_of = 0;
}

static void
teardown (void)
{
  session_test_clear (&t);
}

static GstTfrcSendSessionStats
stats (void)
{
  GstTfrcSendSessionStats result;

  gst_tfrc_send_session_get_stats (t.sink, &result);
  return result;
}

#define assert_ecn(state_name, problem_name) \
  do { \
    const TfrcEcnStats ecn_stats = stats ().ecn; \
\
    fail_unless_equals_string (tfrc_ecn_state_to_string (ecn_stats.state), state_name); \
    fail_unless_equals_string (tfrc_ecn_problem_to_string (ecn_stats.problem), problem_name); \
  } while (0)

/* ---- a path that works ------------------------------------------------------ */

GST_START_TEST (a_receiver_that_does_not_report_ecn_gets_no_ect)
{
  t.arrival_ecn = NULL;
  run (&t, 5 * S);
  assert_ecn ("off", "none");
  fail_unless_equals_uint64 (stats ().ecn.ect_sent, 0);
  fail_unless_equals_int (t.feedback.state.flags & TFRC_WIRE_STATE_ECN, 0);
}

GST_END_TEST;

GST_START_TEST (a_stream_that_does_not_want_ecn_has_none)
{
  const GstTfrcSendSessionConfig config = { .media.ecn = FALSE };

  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  run (&t, 5 * S);
  assert_ecn ("off", "none");
  fail_unless_equals_int (ect_left, 0);
  fail_unless (t.feedback.state.flags & TFRC_WIRE_STATE_ECN);
}

GST_END_TEST;

/* One round-trip time for the first feedback, and a few for four probes among packets of slow start */
GST_START_TEST (all_packets_have_ect_after_six_round_trip_times)
{
  run (&t, 6 * RTT);
  assert_ecn ("capable", "none");
  run (&t, 5 * S);
  fail_unless_equals_uint64 (
      stats ().ecn.ect_sent + others_left, stats ().sender.packets_sent + t.srs);
  fail_unless_equals_uint64 (src_stats (&t).receiver.packets_ect0, ect_left);
  fail_unless (ect_left > 900);
  fail_unless (others_left - t.srs < 60);
}

GST_END_TEST;

/* Reports carry no ECT: everything that left with ECT was data. */
GST_START_TEST (rtcp_carries_no_ect)
{
  run (&t, 60 * S);
  fail_unless (t.srs > 10);
  fail_unless (ect_left <= stats ().ecn.ect_sent);
  fail_unless_equals_uint64 (ect_left, src_stats (&t).receiver.packets_ect0);
}

GST_END_TEST;

static gint
drop_one_in_100 (SessionTest *test, guint8 ecn)
{
  return ++others_left % 100 == 0 ? -1 : TFRC_ECN_FIELD_NOT_ECT;
}

/* Returns the loss event rate after two minutes. */
static gdouble
measure_p (gboolean ecn)
{
  const GstTfrcSendSessionConfig config = { .media.ecn = ecn };

  teardown ();
  setup ();
  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  if (ecn)
    marked_of = 100;
  else
    t.arrival_ecn = drop_one_in_100;
  run (&t, 120 * S);
  return sender_stats (&t).p;
}

/* RFC 5348 section 5 */
GST_START_TEST (one_mark_in_100_packets_gives_the_p_of_one_loss_in_100)
{
  gdouble p = measure_p (FALSE);

  fail_unless (fabs (p - 0.01) < 0.0005, "p is %g", p);
  fail_unless (stats ().packets_lost > 100);
  p = measure_p (TRUE);
  fail_unless (fabs (p - 0.01) < 0.0005, "p is %g", p);
  assert_ecn ("capable", "none");
  fail_unless_equals_uint64 (stats ().packets_lost, 0);
  fail_unless (stats ().ce_marks > 100);
  fail_unless_equals_uint64 (stats ().ce_marks, src_stats (&t).receiver.packets_ce);
}

GST_END_TEST;

/* ---- paths that do not -------------------------------------------------------- */

GST_START_TEST (bleaching_is_found_in_the_first_second_and_costs_nothing)
{
  t.arrival_ecn = bleach;
  run (&t, S);
  assert_ecn ("failed", "bleaching");
  fail_unless (ect_left <= 7);
  run (&t, 50 * S);
  fail_unless (ect_left <= 7);
  fail_unless_equals_uint64 (stats ().packets_lost, 0);
  fail_unless_equals_uint64 (stats ().loss_events, 0);
}

GST_END_TEST;

GST_START_TEST (a_black_hole_is_found_in_the_first_second_and_costs_seven_packets_at_most)
{
  t.arrival_ecn = drop_ect;
  run (&t, S);
  assert_ecn ("failed", "black-hole");
  run (&t, 50 * S);
  fail_unless (ect_lost <= 7);
  fail_unless_equals_uint64 (stats ().packets_lost, ect_lost);
}

GST_END_TEST;

static gint
mark_all (SessionTest *test, guint8 ecn)
{
  return TFRC_ECN_FIELD_CE;
}

GST_START_TEST (marks_on_packets_without_ect_are_no_congestion)
{
  const GstTfrcSendSessionConfig config = { .media.ecn = FALSE };

  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  t.arrival_ecn = mark_all;
  run (&t, 20 * S);
  fail_unless_equals_float (sender_stats (&t).p, 0);
  fail_unless_equals_float (sender_stats (&t).x_Bps, MAX_RATE_BPS);
  fail_unless (src_stats (&t).ce_ignored > 1000);
  fail_unless_equals_uint64 (src_stats (&t).ce_ignored, src_stats (&t).receiver.packets_ce);
}

GST_END_TEST;

GST_START_TEST (a_path_that_marks_all_packets_costs_no_rate)
{
  t.arrival_ecn = mark_all;
  run (&t, 20 * S);
  assert_ecn ("failed", "mangling");
  fail_unless_equals_float (sender_stats (&t).p, 0);
  fail_unless_equals_float (sender_stats (&t).x_Bps, MAX_RATE_BPS);
}

GST_END_TEST;

/* Before the marks ECN has worked: they are congestion, until no packet comes with ECT any more. */
GST_START_TEST (the_rate_comes_back_when_a_path_begins_to_mark_all_packets)
{
  run (&t, 20 * S);
  assert_ecn ("capable", "none");
  t.arrival_ecn = mark_all;
  run (&t, S);
  fail_unless (sender_stats (&t).x_Bps < MAX_RATE_BPS / 2);
  run (&t, 59 * S);
  fail_unless_equals_float (sender_stats (&t).x_Bps, MAX_RATE_BPS);
}

GST_END_TEST;

GST_START_TEST (a_failed_path_is_tried_again_after_a_minute)
{
  t.arrival_ecn = bleach;
  run (&t, 55 * S);
  assert_ecn ("failed", "bleaching");
  t.arrival_ecn = pass;
  run (&t, 10 * S);
  assert_ecn ("capable", "none");
  fail_unless_equals_uint64 (stats ().ecn.failures, 1);
}

GST_END_TEST;

/* No packet arrives any more, so that no feedback comes: the nofeedback timer expires. */
GST_START_TEST (a_stream_goes_on_when_its_path_becomes_a_black_hole)
{
  guint64 received;

  run (&t, 5 * S);
  assert_ecn ("capable", "none");
  t.arrival_ecn = drop_ect;
  run (&t, 30 * S);
  assert_ecn ("failed", "black-hole");
  received = t.data_received;
  run (&t, 10 * S);
  fail_unless (t.data_received > received + 100);
}

GST_END_TEST;

GST_START_TEST (a_stream_goes_on_when_its_path_begins_to_bleach)
{
  run (&t, 5 * S);
  t.arrival_ecn = bleach;
  run (&t, S);
  assert_ecn ("failed", "bleaching");
  fail_unless_equals_uint64 (stats ().packets_lost, 0);
}

GST_END_TEST;

/* ---- another path -------------------------------------------------------------- */

GST_START_TEST (a_handover_is_a_new_path)
{
  t.arrival_ecn = bleach;
  run (&t, 5 * S);
  assert_ecn ("failed", "bleaching");
  t.arrival_ecn = pass;
  t.link = 1;
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  run (&t, 3 * S);
  assert_ecn ("capable", "none");
}

GST_END_TEST;

static guint8 last_ttl;

static guint8
arrival_ttl (SessionTest *test, const InFlight *packet)
{
  return last_ttl;
}

static void
fail_over_a_route (guint8 ttl)
{
  const GstTfrcSendSessionConfig config = { .media.ecn = TRUE, .media.ttl = 64 };

  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  t.arrival_ttl = arrival_ttl;
  t.arrival_ecn = bleach;
  last_ttl = 60;
  run (&t, 5 * S);
  assert_ecn ("failed", "bleaching");
  t.arrival_ecn = pass;
  last_ttl = ttl;
  run (&t, 3 * S);
}

GST_START_TEST (another_number_of_hops_is_a_new_path)
{
  fail_over_a_route (61);
  assert_ecn ("capable", "none");
}

GST_END_TEST;

GST_START_TEST (the_same_number_of_hops_is_no_new_path)
{
  fail_over_a_route (60);
  assert_ecn ("failed", "bleaching");
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_loses_sight_of_the_field_says_so)
{
  run (&t, 5 * S);
  assert_ecn ("capable", "none");
  t.arrival_ecn = NULL;
  run (&t, S);
  assert_ecn ("off", "none");
  t.arrival_ecn = pass;
  run (&t, 5 * S);
  assert_ecn ("off", "none"); /* its counts lack packets */
}

GST_END_TEST;

/* ---- the own system -------------------------------------------------------------- */

static gsize
keep (gpointer user, guint8 *datagram, gsize size)
{
  return size;
}

GST_START_TEST (a_sealed_packet_that_was_refused_leaves_without_ect)
{
  const GstTfrcSendSessionConfig config = { .media.ecn = TRUE,
    .media.streams[GST_TFRC_RTP_MEDIA].protector = { .protect = keep } };
  GstTfrcOutgoing *packet;

  session_test_restart_sink (&t, &config);
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  run (&t, 5 * S);
  assert_ecn ("capable", "none");
  packet = new_packet (&t);
  t.backlog = 0;
  run (&t, S);
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
  fail_unless_equals_int (gst_tfrc_outgoing_get_ecn (packet), TFRC_ECN_FIELD_ECT_0);
  fail_unless (seal (&t, packet));
  gst_tfrc_send_session_take_back (t.sink, packet);
  tfrc_ecn_refuse (ecn_of (t.sink));
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
  fail_unless_equals_int (gst_tfrc_outgoing_get_ecn (packet), TFRC_ECN_FIELD_NOT_ECT);
  gst_tfrc_outgoing_free (packet);
  assert_ecn ("off", "refused");
}

GST_END_TEST;

/* A full queue of the own interface: packets come back, and one number is left out. */
GST_START_TEST (packets_that_are_taken_back_do_not_look_like_a_black_hole)
{
  run (&t, 5 * S);
  for (guint i = 0; i < 200; i++) {
    GstTfrcOutgoing *packet = new_packet (&t);

    t.backlog = 0;
    run (&t, 100 * MS);
    fail_unless_equals_int (
        gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
    gst_tfrc_send_session_take_back (t.sink, packet);
    gst_tfrc_outgoing_free (packet);
    if (i % 10 == 0)
      gst_tfrc_rate_control_on_local_drop (control_of (t.sink), 1);
    t.backlog = 4;
    run (&t, 100 * MS);
  }
  assert_ecn ("capable", "none");
  fail_unless_equals_uint64 (stats ().ecn.failures, 0);
}

GST_END_TEST;

static Suite *
sinkecn_suite (void)
{
  Suite *s = suite_create ("sinkecn");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_receiver_that_does_not_report_ecn_gets_no_ect);
  tcase_add_test (tc, a_stream_that_does_not_want_ecn_has_none);
  tcase_add_test (tc, all_packets_have_ect_after_six_round_trip_times);
  tcase_add_test (tc, rtcp_carries_no_ect);
  tcase_add_test (tc, one_mark_in_100_packets_gives_the_p_of_one_loss_in_100);
  tcase_add_test (tc, bleaching_is_found_in_the_first_second_and_costs_nothing);
  tcase_add_test (tc, a_black_hole_is_found_in_the_first_second_and_costs_seven_packets_at_most);
  tcase_add_test (tc, marks_on_packets_without_ect_are_no_congestion);
  tcase_add_test (tc, a_path_that_marks_all_packets_costs_no_rate);
  tcase_add_test (tc, the_rate_comes_back_when_a_path_begins_to_mark_all_packets);
  tcase_add_test (tc, a_failed_path_is_tried_again_after_a_minute);
  tcase_add_test (tc, a_stream_goes_on_when_its_path_becomes_a_black_hole);
  tcase_add_test (tc, a_stream_goes_on_when_its_path_begins_to_bleach);
  tcase_add_test (tc, a_handover_is_a_new_path);
  tcase_add_test (tc, another_number_of_hops_is_a_new_path);
  tcase_add_test (tc, the_same_number_of_hops_is_no_new_path);
  tcase_add_test (tc, a_receiver_that_loses_sight_of_the_field_says_so);
  tcase_add_test (tc, a_sealed_packet_that_was_refused_leaves_without_ect);
  tcase_add_test (tc, packets_that_are_taken_back_do_not_look_like_a_black_hole);
  return s;
}

GST_CHECK_MAIN (sinkecn)
