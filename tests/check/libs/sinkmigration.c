/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver moves to another address, see gst/flow/sendpaths.h. */
#include "gst/flow/slack.h"
#include "migrationtest.h"

GST_START_TEST (data_comes_to_the_new_address_within_two_round_trip_times)
{
  guint64 left_ns = leave_home (), sent, lost;
  guint64 interval_ns = S * SEGMENT / MAX_RATE_BPS;

  /* feedback, challenge and response take three delays; then data leaves as soon as the rate
   * allows */
  while (t.now_ns < left_ns + 3 * DELAY - MS) {
    run (&t, MS / 10);
    fail_unless (peer_is (HOME));
  }
  run (&t, MS);
  fail_unless (peer_is (AWAY));
  sent = t.data_received;
  run (&t, left_ns + 2 * RTT + interval_ns - t.now_ns);
  fail_unless (t.data_received > sent);
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 1);
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_failures (paths_of (t.sink)), 0);
  /* all data goes to the new address, at the same rate as before */
  lost = at[HOME].data;
  sent = t.data_received;
  run (&t, 5 * S);
  fail_unless_equals_uint64 (at[HOME].data, lost);
  fail_unless (t.data_received - sent > 5 * 150);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  fail_unless (gst_tfrc_send_paths_is_validated (paths_of (t.sink)));
}

GST_END_TEST;

GST_START_TEST (the_old_path_is_in_use_until_the_new_one_has_answered)
{
  guint64 sent = at[HOME].data;

  t.is_old_peer = TRUE;
  leave_home ();
  run (&t, 2 * S);
  fail_unless (peer_is (HOME));
  fail_unless (at[HOME].data > sent + 50);
  fail_unless_equals_int (at[AWAY].data, 0);
  /* the new address is validated again after each timeout */
  run (&t, 8 * S);
  fail_unless (gst_tfrc_send_paths_get_failures (paths_of (t.sink)) >= 2);
  fail_unless (peer_is (HOME));
}

GST_END_TEST;

/* A receiver that has called this host knows the address that it has called, and may use another one later. */
static void
check_local (gboolean was_called)
{
  const GstTfrcAddress none = { .len = 0 }, home = host (HOME), away = host (AWAY),
                       called = host (10), other = host (11);
  const GstTfrcReceivedPacket packet = {
    .from = &away, .local = other, .size = 2000, .arrival_ns = t.now_ns
  };
  const TfrcWireRtcp rtcp = { .has_feedback = TRUE, .has_state = TRUE, .state.feedback_number = 5 };
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcAddress to, local;
  GstTfrcSendPaths paths;

  gst_tfrc_send_paths_init (
      &paths, &home, was_called ? &called : &none, GST_TFRC_ALLOW_MIGRATION_ALWAYS, FALSE);
  fail_unless (!gst_tfrc_send_paths_on_feedback (&paths, &packet, &rtcp, RTT));
  fail_unless (gst_tfrc_address_equal (
      gst_tfrc_send_paths_get_local (&paths), was_called ? &called : &none));
  fail_unless (gst_tfrc_send_paths_take_challenge (&paths, t.now_ns, &to, &local, data) > 0);
  fail_unless (gst_tfrc_address_equal (&to, &away));
  fail_unless (gst_tfrc_address_equal (&local, was_called ? &other : &none));
  fail_unless_equals_int (
      gst_tfrc_send_paths_on_response (&paths, &away, data, 4, RTT, t.now_ns + MS),
      GST_TFRC_RESPONSE_MIGRATED);
  fail_unless (
      gst_tfrc_address_equal (gst_tfrc_send_paths_get_local (&paths), was_called ? &other : &none));
  gst_tfrc_send_paths_set_local (&paths, &called);
  fail_unless (gst_tfrc_address_equal (
      gst_tfrc_send_paths_get_local (&paths), was_called ? &called : &none));
  gst_tfrc_send_paths_clear (&paths);
}

GST_START_TEST (what_goes_to_a_receiver_leaves_from_the_address_that_it_sends_to)
{
  check_local (TRUE);
  check_local (FALSE);
}

GST_END_TEST;

/* A router on the way gives the receiver another address. The receiver does not know. */
GST_START_TEST (a_receiver_that_does_not_know_is_followed)
{
  GstTfrcAddress away = host (AWAY);

  vanish_to (&away);
  run (&t, 2 * RTT);
  fail_unless (peer_is (AWAY));
  fail_unless_equals_uint64 (sender_stats (&t).handovers, 0);
  run (&t, 5 * S);
  fail_unless (peer_is (AWAY));
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 1);
}

GST_END_TEST;

GST_START_TEST (an_unannounced_move_begins_with_the_initial_rate)
{
  const guint64 delay_ns = 4 * DELAY;
  GstTfrcAddress away = host (AWAY);

  t.delay_ns = delay_ns;
  appear_at (&away);
  fail_unless_equals_int (sender_stats (&t).rtt_ns / MS, 2 * delay_ns / MS);
  fail_unless (sender_stats (&t).x_Bps * 2 * delay_ns / S < 4381);
  run (&t, 10 * S);
  /* packets to the old address are lost, and these losses lower the rate as usual */
  fail_unless (sender_stats (&t).p > 0);
  fail_unless_equals_float (sender_stats (&t).x_Bps, sender_stats (&t).x_eq_Bps);
}

GST_END_TEST;

/* Data goes to the old address, and the feedback that reports the last data is lost. The next
 * feedback leaves after half a second without data, and another one half a second later. */
static void
move_without_feedback (guint lost_feedbacks, guint64 delay_ns)
{
  GstTfrcAddress away = host (AWAY);
  guint64 received;

  t.delay_ns = delay_ns;
  run (&t, 10 * S);
  run_to_report (&t); /* each is answered with feedback */
  run (&t, 2 * delay_ns + MS);
  vanish_to (&away);
  t.lose_feedbacks = lost_feedbacks;
  received = t.data_received;
  run (&t, lost_feedbacks * 500 * MS - 10 * MS);
  fail_unless_equals_int (t.lose_feedbacks, 0);
  fail_unless (peer_is (HOME));
  run (&t, 510 * MS + 4 * delay_ns);
  fail_unless (peer_is (AWAY));
  fail_unless (t.data_received > received);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_START_TEST (a_move_is_noticed_also_if_the_first_feedback_is_lost)
{
  move_without_feedback (1, DELAY);
}

GST_END_TEST;

GST_START_TEST (a_move_is_noticed_within_a_second_on_a_short_path)
{
  move_without_feedback (1, MS);
}

GST_END_TEST;

GST_START_TEST (a_move_is_noticed_within_a_second_on_a_long_path)
{
  move_without_feedback (1, 100 * MS);
}

GST_END_TEST;

GST_START_TEST (a_move_is_noticed_also_if_more_feedback_is_lost)
{
  move_without_feedback (3, DELAY);
}

GST_END_TEST;

/* No data is sent, so there is no reason for feedback either. */
GST_START_TEST (an_idle_stream_is_followed)
{
  t.backlog = 0;
  run (&t, 20 * S);
  t.address = host (AWAY);
  run (&t, 14 * S);
  fail_unless (peer_is (AWAY));
}

GST_END_TEST;

/* After 71.6 minutes the age of the last packet has wrapped in the feedback. */
GST_START_TEST (a_stream_that_was_idle_for_hours_is_followed)
{
  t.backlog = 0;
  run (&t, 80 * 60 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  t.address = host (AWAY);
  run (&t, 14 * S);
  fail_unless (peer_is (AWAY));
}

GST_END_TEST;

/* The receiver moves during the pause, and data comes after it. */
GST_START_TEST (data_after_an_idle_hour_and_a_half_comes_to_the_new_address)
{
  guint64 sent;

  t.backlog = 0;
  run (&t, 80 * 60 * S);
  t.address = host (AWAY);
  run (&t, 2 * S);
  sent = t.data_received;
  t.backlog = 100000;
  run (&t, 30 * S);
  fail_unless (t.data_received > sent);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

/* The same with a receiver that announces it */
GST_START_TEST (a_handover_after_an_idle_hour_and_a_half_is_followed)
{
  t.backlog = 0;
  run (&t, 80 * 60 * S);
  move (AWAY);
  run (&t, 14 * S);
  fail_unless (peer_is (AWAY));
}

GST_END_TEST;

/* A router on the way has forgotten the receiver and gives it another port. The path is the
 * same. */
GST_START_TEST (another_port_of_the_same_host_keeps_the_rate)
{
  GstTfrcAddress address = host (HOME);
  gdouble x_Bps = sender_stats (&t).x_Bps;

  address.u.v4.sin_port = htons (5006);
  t.elsewhere = note_elsewhere;
  appear_at (&address);
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 1);
  fail_unless_equals_float (sender_stats (&t).x_Bps, x_Bps);
}

GST_END_TEST;

GST_START_TEST (an_announced_handover_keeps_the_rate)
{
  gdouble x_Bps = sender_stats (&t).x_Bps;

  move (AWAY);
  while (!peer_is (AWAY))
    run (&t, MS / 10);
  /* the nofeedback timer may halve the rate until feedback comes from the new address */
  fail_unless (sender_stats (&t).x_Bps >= x_Bps / 2);
  run (&t, RTT);
  fail_unless (sender_stats (&t).x_Bps > 0.8 * x_Bps);
}

GST_END_TEST;

GST_START_TEST (a_migration_that_is_not_allowed_does_not_happen)
{
  const GstTfrcAllowMigration not_allowed[] = { GST_TFRC_ALLOW_MIGRATION_NEVER,
    GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED };

  for (guint i = 0; i < G_N_ELEMENTS (not_allowed); i++) {
    guint foreign;

    teardown ();
    setup_with (not_allowed[i]);
    foreign = t.rtcp_results[GST_TFRC_RTCP_FOREIGN];
    move (AWAY);
    run (&t, 5 * S);
    fail_unless (peer_is (HOME));
    fail_unless_equals_int (at[AWAY].packets, 0);
    fail_unless (t.rtcp_results[GST_TFRC_RTCP_FOREIGN] > foreign);
  }
}

GST_END_TEST;

GST_START_TEST (handovers_are_reported_as_the_receiver_notifies_them)
{
  const GstTfrcHandoverEventKind kinds[] = { GST_TFRC_HANDOVER_EVENT_STARTED,
    GST_TFRC_HANDOVER_EVENT_PHASE, GST_TFRC_HANDOVER_EVENT_PHASE, GST_TFRC_HANDOVER_EVENT_PHASE,
    GST_TFRC_HANDOVER_EVENT_COMPLETED };
  const TfrcHandoverPhase phases[] = { TFRC_HANDOVER_OLD_LINK, TFRC_HANDOVER_OLD_LINK,
    TFRC_HANDOVER_NEW_LINK, TFRC_HANDOVER_NORMAL, TFRC_HANDOVER_NORMAL };
  GstTfrcEvent event;

  move (AWAY);
  run (&t, 2 * S);
  fail_unless_equals_uint64 (sender_stats (&t).handovers, 1);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const GstTfrcHandoverEvent *news = &event.of.handover;

    fail_unless (gst_tfrc_events_take (&t.sink_waiting, &event));
    fail_unless_equals_int (event.kind, GST_TFRC_EVENT_HANDOVER);
    fail_unless_equals_int (news->kind, kinds[i]);
    fail_unless_equals_int (news->phase, phases[i]);
    if (i == 4) {
      fail_unless (news->completed);
      fail_unless (news->before.rtt_ns / MS == RTT / MS);
      fail_unless (news->after.rtt_ns / MS == RTT / MS);
      fail_unless (news->before.rate_bps > 0 && news->after.rate_bps > 0);
      fail_unless (news->duration_ns >= RTT && news->duration_ns < 10 * RTT);
    }
  }
  fail_if (gst_tfrc_events_are_waiting (&t.sink_waiting));
}

GST_END_TEST;

GST_START_TEST (a_handover_ends_with_the_receiver)
{
  GstTfrcEvent event;
  gboolean completed = TRUE;

  move (AWAY);
  while (gst_tfrc_send_handover_get_phase (handover_of (t.sink)) == TFRC_HANDOVER_NORMAL)
    run (&t, MS);
  t.deaf = TRUE;
  run (&t, 20 * S);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_LOST);
  fail_unless_equals_int (
      gst_tfrc_send_handover_get_phase (handover_of (t.sink)), TFRC_HANDOVER_NORMAL);
  while (gst_tfrc_events_take (&t.sink_waiting, &event)) {
    if (event.of.handover.kind == GST_TFRC_HANDOVER_EVENT_COMPLETED)
      completed = event.of.handover.completed;
  }
  fail_if (completed);
}

GST_END_TEST;

/* A sender without feedback waits long between packets. */
GST_START_TEST (data_leaves_as_soon_as_a_lost_receiver_has_answered)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireState state;
  TfrcFeedback feedback = { 0 };
  gsize size;

  t.deaf = TRUE;
  run (&t, 60 * S);
  state = *gst_tfrc_receiver_view_get_says (receiver_of (t.sink));
  state.feedback_number++;
  feedback.recv_data_us = t.header.send_time_us;
  size = tfrc_wire_write_feedback (packet, OWN_SSRC, numbers_of (t.sink).ssrc, &feedback, &state);
  fail_unless_equals_int (forge_from (AWAY, packet, size), GST_TFRC_RTCP_USED);
  run (&t, DELAY);
  fail_unless (gst_tfrc_rate_control_next_send_ns (control_of (t.sink)) > t.now_ns + S);
  size = tfrc_wire_write_path_response (packet, OWN_SSRC, at[AWAY].challenge);
  fail_unless_equals_int (forge_from (AWAY, packet, size), GST_TFRC_RTCP_USED);
  fail_unless (peer_is (AWAY));
  fail_unless (gst_tfrc_rate_control_next_send_ns (control_of (t.sink)) <= t.now_ns);
}

GST_END_TEST;

/* What is longer on the new path is no queueing: packets that can be played in time are not dropped. The receiver moves
 * and does not know, or hands over to a link with the same address. */
GST_START_TEST (on_a_new_path_the_slack_begins_anew)
{
  const GstTfrcPlayout told = { .queueing_ns = GST_TFRC_QUEUEING_UNKNOWN };
  const GstTfrcAddress away = host (AWAY);
  GstTfrcSlack slack = { 0 };

  fail_unless_equals_uint64 (gst_tfrc_slack_update (&slack, t.sink, &told, S), S);
  t.delay_ns = 4 * DELAY;
  if (__i__ == 0)
    vanish_to (&away);
  else
    move (HOME);
  run (&t, 10 * S);
  fail_unless_equals_uint64 (
      gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), __i__ == 0 ? 1 : 0);
  fail_unless_equals_uint64 (sender_stats (&t).handovers, __i__ == 0 ? 0 : 1);
  fail_unless_equals_int (sender_stats (&t).rtt_sample_ns / MS, 8 * DELAY / MS);
  fail_unless_equals_uint64 (gst_tfrc_slack_update (&slack, t.sink, &told, S), S);
}

GST_END_TEST;

static Suite *
sinkmigration_suite (void)
{
  Suite *s = suite_create ("sinkmigration");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, data_comes_to_the_new_address_within_two_round_trip_times);
  tcase_add_test (tc, the_old_path_is_in_use_until_the_new_one_has_answered);
  tcase_add_test (tc, a_receiver_that_does_not_know_is_followed);
  tcase_add_test (tc, an_unannounced_move_begins_with_the_initial_rate);
  tcase_add_test (tc, a_move_is_noticed_also_if_the_first_feedback_is_lost);
  tcase_add_test (tc, a_move_is_noticed_within_a_second_on_a_short_path);
  tcase_add_test (tc, a_move_is_noticed_within_a_second_on_a_long_path);
  tcase_add_test (tc, a_move_is_noticed_also_if_more_feedback_is_lost);
  tcase_add_test (tc, an_idle_stream_is_followed);
  tcase_add_test (tc, a_stream_that_was_idle_for_hours_is_followed);
  tcase_add_test (tc, data_after_an_idle_hour_and_a_half_comes_to_the_new_address);
  tcase_add_test (tc, a_handover_after_an_idle_hour_and_a_half_is_followed);
  tcase_add_test (tc, another_port_of_the_same_host_keeps_the_rate);
  tcase_add_test (tc, what_goes_to_a_receiver_leaves_from_the_address_that_it_sends_to);
  tcase_add_test (tc, an_announced_handover_keeps_the_rate);
  tcase_add_test (tc, a_migration_that_is_not_allowed_does_not_happen);
  tcase_add_test (tc, handovers_are_reported_as_the_receiver_notifies_them);
  tcase_add_test (tc, a_handover_ends_with_the_receiver);
  tcase_add_test (tc, data_leaves_as_soon_as_a_lost_receiver_has_answered);
  tcase_add_loop_test (tc, on_a_new_path_the_slack_begins_anew, 0, 2);
  return s;
}

GST_CHECK_MAIN (sinkmigration);
