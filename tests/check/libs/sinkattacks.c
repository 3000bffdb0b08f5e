/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An attacker says that the receiver has moved, or sends in the name of the receiver. The tests
 * check what a sender does not believe, see gst/flow/sendpaths.h. */
#include "migrationtest.h"

/* The attacker's copy of each feedback comes first. It says that all packets are lost. */
static void
race (SessionTest *test, const guint8 *data, gsize size)
{
  guint8 forged[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (tfrc_wire_parse_rtcp (data, size, 0, &rtcp), TFRC_WIRE_OK);
  if (!rtcp.has_feedback)
    return;
  rtcp.feedback.p = 1;
  rtcp.feedback.x_recv_Bps = 1;
  size = tfrc_wire_write_feedback (
      forged, rtcp.sender_ssrc, rtcp.media_ssrc, &rtcp.feedback, &rtcp.state);
  forge_from (ATTACKER, forged, size);
}

GST_START_TEST (feedback_from_an_address_that_does_not_answer_changes_nothing)
{
  guint64 received = t.data_received, feedbacks = sender_stats (&t).feedbacks_received,
          own = t.feedbacks;

  t.overhear = race;
  run (&t, 20 * S);
  fail_unless (peer_is (HOME));
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 0);
  fail_unless (gst_tfrc_send_paths_get_failures (paths_of (t.sink)) >= 5);
  /* the stream goes on as without the attacker */
  fail_unless (sender_stats (&t).p < 0.01);
  fail_unless (t.data_received - received > 20 * 180);
  fail_unless (sender_stats (&t).feedbacks_received - feedbacks + 1 >= t.feedbacks - own);
  /* the attacker's address was challenged, with no more than had come from there */
  fail_unless (at[ATTACKER].packets > 10);
  fail_unless_equals_int (at[ATTACKER].data, 0);
  fail_unless (at[ATTACKER].bytes <= forged_bytes[ATTACKER]);
  fail_unless (at[ATTACKER].packets <= forged_packets[ATTACKER]);
}

GST_END_TEST;

GST_START_TEST (an_attacker_who_races_the_receiver_does_not_delay_its_move)
{
  guint64 left_ns;

  t.overhear = race;
  run (&t, 2 * S);
  left_ns = leave_home ();
  t.overhear = race;
  run (&t, left_ns + RTT + DELAY + MS - t.now_ns);
  fail_unless (peer_is (AWAY));
  run (&t, 10 * S);
  fail_unless (peer_is (AWAY));
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 1);
}

GST_END_TEST;

/* The copies are unchanged, and the attacker answers challenges for the receiver. */
static void
copy_and_answer (SessionTest *test, const guint8 *data, gsize size)
{
  static const guint8 none[TFRC_WIRE_PATH_DATA_BYTES];
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];

  forge_from (ATTACKER, data, size);
  if (memcmp (at[ATTACKER].challenge, none, sizeof none) == 0)
    return;
  size = tfrc_wire_write_path_response (response, OWN_SSRC, at[ATTACKER].challenge);
  forge_from (ATTACKER, response, size);
}

GST_START_TEST (a_stream_that_copies_have_diverted_returns_when_the_copies_are_late)
{
  guint64 received, moved_ns;

  /* the attacker answers all challenges, and has credit for all packets */
  forged_bytes[ATTACKER] = forged_packets[ATTACKER] = G_MAXUINT32 / 2;
  t.overhear = copy_and_answer;
  for (guint i = 0; !peer_is (ATTACKER); i++) {
    fail_unless (i < 10000);
    run (&t, MS / 10);
  }
  moved_ns = t.now_ns;
  t.overhear = NULL;
  received = t.data_received;
  /* the receiver's address is challenged; the receiver answers, and data goes there again */
  run (&t, RTT + MS);
  fail_unless (peer_is (HOME));
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 2);
  run (&t, moved_ns + 10 * S - t.now_ns);
  fail_unless (peer_is (HOME));
  fail_unless (t.data_received - received > 5 * 150);
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 2);
}

GST_END_TEST;

GST_START_TEST (a_diverted_stream_returns_also_if_the_first_feedback_is_lost)
{
  forged_bytes[ATTACKER] = forged_packets[ATTACKER] = G_MAXUINT32 / 2;
  t.overhear = copy_and_answer;
  for (guint i = 0; !peer_is (ATTACKER); i++) {
    fail_unless (i < 10000);
    run (&t, MS / 10);
  }
  t.overhear = NULL;
  t.lose_feedbacks = 1;
  run (&t, 10 * S);
  fail_unless_equals_int (t.lose_feedbacks, 0);
  fail_unless (peer_is (HOME));
}

GST_END_TEST;

GST_START_TEST (a_copy_of_feedback_that_was_used_is_refused)
{
  guint refused;

  await_feedback ();
  refused = t.rtcp_results[GST_TFRC_RTCP_FOREIGN];
  run (&t, RTT);
  fail_unless_equals_int (forge_from (ATTACKER, heard, heard_size), GST_TFRC_RTCP_FOREIGN);
  run (&t, 5 * S);
  fail_unless_equals_int (at[ATTACKER].packets, 0);
  fail_unless_equals_int (t.rtcp_results[GST_TFRC_RTCP_FOREIGN], refused);
  fail_unless (peer_is (HOME));
}

GST_END_TEST;

/* Feedback that is not the receiver's, or that is impossible */
GST_START_TEST (feedback_with_a_wrong_field_is_refused)
{
  const struct
  {
    guint32 ssrc, media_ssrc, later_us, number;
    gdouble p;
    gboolean no_state;
    GstTfrcRtcpResult result;
  } cases[] = {
    { 1, 0, 0, 1, 0, FALSE, GST_TFRC_RTCP_FOREIGN },
    { 0, 1, 0, 1, 0, FALSE, GST_TFRC_RTCP_FOREIGN },
    /* feedback about a packet that was not sent */
    { 0, 0, 10000000, 1, 0, FALSE, GST_TFRC_RTCP_FOREIGN },
    /* with a number that was used, or a number that is too low */
    { 0, 0, 0, 0, 0, FALSE, GST_TFRC_RTCP_FOREIGN },
    { 0, 0, 0, -1000u, 0, FALSE, GST_TFRC_RTCP_FOREIGN },
    { 0, 0, 0, 1, 0, TRUE, GST_TFRC_RTCP_FOREIGN },
    { 0, 0, 0, 1, 0.01, FALSE, GST_TFRC_RTCP_USED },
  };

  /* the last feedback that was used is old then */
  t.deaf = TRUE;
  run (&t, 2 * S);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
    TfrcWireState state = *gst_tfrc_receiver_view_get_says (receiver_of (t.sink));
    TfrcFeedback feedback = { .p = cases[i].p,
      .recv_data_us = t.header.send_time_us + cases[i].later_us };
    gsize size;

    state.feedback_number += cases[i].number;
    size = tfrc_wire_write_feedback (packet, OWN_SSRC + cases[i].ssrc,
        numbers_of (t.sink).ssrc + cases[i].media_ssrc, &feedback,
        cases[i].no_state ? NULL : &state);
    fail_unless_equals_int (forge_from (ATTACKER, packet, size), cases[i].result);
  }
}

GST_END_TEST;

/* The sender begins to validate the attacker's address. The reason is a true copy of feedback that
 * is on its way. */
static void
provoke_challenge (void)
{
  await_feedback ();
  fail_unless_equals_int (forge_from (ATTACKER, heard, heard_size), GST_TFRC_RTCP_USED);
  run (&t, DELAY + MS);
  fail_unless (at[ATTACKER].packets > 0);
}

static GstTfrcRtcpResult
respond_from (guint number, guint32 ssrc, const guint8 *data)
{
  guint8 packet[TFRC_WIRE_MIN_PATH_BYTES];
  gsize size = tfrc_wire_write_path_response (packet, ssrc, data);

  return forge_from (number, packet, size);
}

GST_START_TEST (responses_with_other_bytes_are_refused)
{
  provoke_challenge ();
  for (guint bit = 0; bit < 64; bit++) {
    guint8 data[TFRC_WIRE_PATH_DATA_BYTES];

    memcpy (data, at[ATTACKER].challenge, sizeof data);
    data[bit / 8] ^= 1 << bit % 8;
    fail_unless_equals_int (respond_from (ATTACKER, OWN_SSRC, data), GST_TFRC_RTCP_FOREIGN);
  }
  /* the response of another SSRC is refused, too */
  fail_unless_equals_int (
      respond_from (ATTACKER, OWN_SSRC + 1, at[ATTACKER].challenge), GST_TFRC_RTCP_FOREIGN);
  fail_unless (peer_is (HOME));
}

GST_END_TEST;

GST_START_TEST (responses_from_a_third_address_are_refused)
{
  provoke_challenge ();
  fail_unless_equals_int (
      respond_from (ATTACKER + 1, OWN_SSRC, at[ATTACKER].challenge), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (
      respond_from (HOME, OWN_SSRC, at[ATTACKER].challenge), GST_TFRC_RTCP_FOREIGN);
  fail_unless (peer_is (HOME));
  run (&t, 5 * S);
  fail_unless_equals_int (at[ATTACKER + 1].packets, 0);
}

GST_END_TEST;

/* The challenge was answered. But meanwhile the receiver has sent newer feedback from its old
 * address. */
GST_START_TEST (an_address_without_newer_feedback_is_no_move)
{
  provoke_challenge ();
  run (&t, 2 * RTT);
  fail_unless_equals_int (
      respond_from (ATTACKER, OWN_SSRC, at[ATTACKER].challenge), GST_TFRC_RTCP_USED);
  fail_unless (peer_is (HOME));
  fail_unless_equals_uint64 (gst_tfrc_send_paths_get_migrations (paths_of (t.sink)), 0);
}

GST_END_TEST;

GST_START_TEST (forged_addresses_do_not_take_the_receivers_place)
{
  guint64 left_ns;

  for (guint i = 0; i < 4 * GST_TFRC_CANDIDATES; i++) {
    overhear_feedback ();
    forge_from (ATTACKER + i, heard, heard_size);
  }
  left_ns = leave_home ();
  /* and then a copy for each free place besides the receiver's own address */
  run (&t, DELAY + MS);
  for (guint i = 1; i < GST_TFRC_CANDIDATES; i++)
    forge_from (ATTACKER + 100 + i, heard, heard_size);
  run (&t, left_ns + RTT + DELAY + MS - t.now_ns);
  fail_unless (peer_is (AWAY));
}

GST_END_TEST;

/* Any number of addresses may be claimed. The limit is 10 challenges at once and 10 per second. */
GST_START_TEST (challenges_to_all_addresses_together_are_few)
{
  guint64 begin_ns = t.now_ns;
  guint packets = 0, copies = 0;

  while (t.now_ns < begin_ns + 10 * S) {
    overhear_feedback ();
    for (guint i = 0; i < 8; i++)
      forge_from (ATTACKER + copies++ % 128, heard, heard_size);
  }
  t.overhear = NULL;
  run (&t, DELAY);
  for (guint i = 0; i < 128; i++)
    packets += at[ATTACKER + i].packets;
  fail_unless (copies > 1000);
  fail_unless (packets > 100 && packets <= 10 + 10 * 10 + 1);
  fail_unless (peer_is (HOME));
}

GST_END_TEST;

GST_START_TEST (bye_from_another_address_is_foreign)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size = tfrc_wire_write_bye (packet, OWN_SSRC, "test");

  fail_unless_equals_int (forge_from (ATTACKER, packet, size), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
  /* the same holds for an address that is on probation */
  provoke_challenge ();
  fail_unless_equals_int (forge_from (ATTACKER, packet, size), GST_TFRC_RTCP_FOREIGN);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

/* A BYE can be forged. A receiver that moves says nothing more from its old address. */
GST_START_TEST (a_forged_bye_does_not_keep_the_receiver_from_moving)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size = tfrc_wire_write_bye (packet, OWN_SSRC, "test");
  guint64 left_ns = leave_home ();

  run (&t, DELAY - MS);
  fail_unless_equals_int (forge_from (HOME, packet, size), GST_TFRC_RTCP_USED);
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_GONE);
  run (&t, left_ns + RTT + DELAY + MS - t.now_ns);
  fail_unless (peer_is (AWAY));
  fail_unless_equals_int (peer_state_of (t.sink), GST_TFRC_PEER_CONNECTED);
}

GST_END_TEST;

GST_START_TEST (multicast_addresses_are_not_challenged)
{
  struct sockaddr_in v4 = {
    .sin_family = AF_INET, .sin_port = htons (5004), .sin_addr.s_addr = htonl (0xe0000001)
  };
  GstTfrcReceivedPacket packet;
  GstTfrcAddress group;

  gst_tfrc_address_from_sockaddr (&group, (struct sockaddr *) &v4, sizeof v4);
  overhear_feedback ();
  packet = received_from (&t, &group, heard, heard_size);
  gst_tfrc_send_session_on_rtcp (t.sink, &packet);
  fail_unless (gst_tfrc_send_paths_next_ns (paths_of (t.sink)) == NEVER);
}

GST_END_TEST;

static Suite *
sinkattacks_suite (void)
{
  Suite *s = suite_create ("sinkattacks");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, feedback_from_an_address_that_does_not_answer_changes_nothing);
  tcase_add_test (tc, an_attacker_who_races_the_receiver_does_not_delay_its_move);
  tcase_add_test (tc, a_stream_that_copies_have_diverted_returns_when_the_copies_are_late);
  tcase_add_test (tc, a_diverted_stream_returns_also_if_the_first_feedback_is_lost);
  tcase_add_test (tc, a_copy_of_feedback_that_was_used_is_refused);
  tcase_add_test (tc, feedback_with_a_wrong_field_is_refused);
  tcase_add_test (tc, responses_with_other_bytes_are_refused);
  tcase_add_test (tc, responses_from_a_third_address_are_refused);
  tcase_add_test (tc, an_address_without_newer_feedback_is_no_move);
  tcase_add_test (tc, forged_addresses_do_not_take_the_receivers_place);
  tcase_add_test (tc, challenges_to_all_addresses_together_are_few);
  tcase_add_test (tc, bye_from_another_address_is_foreign);
  tcase_add_test (tc, a_forged_bye_does_not_keep_the_receiver_from_moving);
  tcase_add_test (tc, multicast_addresses_are_not_challenged);
  return s;
}

GST_CHECK_MAIN (sinkattacks);
