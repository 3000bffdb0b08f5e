/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TTL of a session while messages are forged, and what else happens to a stream with an adaptive
 * TTL, in virtual time. See gst/flow/adaptivettl.h. */
#include "sinkttltest.h"

/* ---- forged messages ----------------------------------------------------- */

GST_START_TEST (time_exceeded_for_another_destination_has_no_effect)
{
  GstTfrcAddress other;
  struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons (5004) };

  gst_tfrc_address_from_sockaddr (&other, (struct sockaddr *) &v4, sizeof v4);
  begin_protected ();
  gst_tfrc_send_session_on_time_exceeded (t.sink, &other);
  check_ttl (4, 4);
}

GST_END_TEST;

GST_START_TEST (time_exceeded_before_the_first_packet_has_no_effect)
{
  GstTfrcSendSessionConfig config = config_of (TRUE);

  session_test_restart_sink (&t, &config);
  gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
  check_ttl (START, 0);
}

GST_END_TEST;

GST_START_TEST (a_forged_time_exceeded_raises_the_ttl_for_one_rtt)
{
  begin_protected ();
  gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
  check_ttl (TTL_MAX, 4);
  for (guint i = 0; i < 1000; i++)
    gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
  check_ttl (TTL_MAX, 4);
  run (&t, 2 * RTT + 10 * MS);
  check_ttl (4, 4);
}

GST_END_TEST;

GST_START_TEST (a_flood_of_forged_messages_costs_no_packet)
{
  begin_protected ();
  for (guint i = 0; i < 1000; i++) {
    gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
    run (&t, MS);
    fail_unless (stats ().ttl == 4 || stats ().ttl == TTL_MAX);
  }
  fail_unless_equals_int (died, 0);
  run (&t, S);
  check_ttl (4, 4);
}

GST_END_TEST;

/* The receiver says that packets arrive with a larger TTL than they do. The stream loses packets,
 * the TTL stays in its limits, and the signals bring the stream back. */
GST_START_TEST (a_lying_receiver_moves_the_ttl_in_its_limits)
{
  GstTfrcSendSessionConfig config = config_of (TRUE);

  config.media.adaptive_ttl.min = 2;
  begin (&config);
  lie = 3;
  for (guint i = 0; i < 100; i++) {
    run (&t, 20 * MS);
    fail_unless (stats ().ttl >= 2 && stats ().ttl <= TTL_MAX);
  }
  lie = 0;
  run (&t, 2 * S);
  check_ttl (4, 4);
}

GST_END_TEST;

/* ---- what else happens to a stream --------------------------------------- */

GST_START_TEST (the_application_can_set_another_ttl)
{
  begin_unprotected ();
  gst_tfrc_adaptive_ttl_set_start (ttl_of (t.sink), START);
  check_ttl (4, 4);
  gst_tfrc_adaptive_ttl_set_start (ttl_of (t.sink), 20);
  check_ttl (20, 0);
  run (&t, DELAY);
  routers = 12;
  run (&t, S);
  check_ttl (13, 13);
  fail_unless_equals_int (died, 0);
}

GST_END_TEST;

GST_START_TEST (rtcp_to_the_receiver_has_the_same_ttl)
{
  GstTfrcAddress other;
  struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons (5004) };

  gst_tfrc_address_from_sockaddr (&other, (struct sockaddr *) &v4, sizeof v4);
  begin_protected ();
  fail_unless_equals_int (gst_tfrc_send_session_get_rtcp_ttl (t.sink, peer_of (t.sink)), 4);
  fail_unless_equals_int (gst_tfrc_send_session_get_rtcp_ttl (t.sink, &other), 0);
}

GST_END_TEST;

/* The header of a stream without an adaptive TTL is as before, and its hops are known. */
GST_START_TEST (without_adaptation_the_header_tells_no_ttl)
{
  GstTfrcSendSessionConfig config = { .media.ttl = START };

  begin (&config);
  fail_if (t.header.has_flags);
  check_ttl (START, 4);
  fail_unless_equals_int (gst_tfrc_send_session_get_rtcp_ttl (t.sink, peer_of (t.sink)), 0);
  fail_unless_equals_int (src_stats (&t).hops, 0);
  gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
  check_ttl (START, 4);
}

GST_END_TEST;

/* The bytes of a sealed packet tell the TTL with which the packet has to leave. */
GST_START_TEST (a_sealed_packet_keeps_its_ttl)
{
  GstTfrcOutgoing *packet;

  begin_protected ();
  packet = new_packet (&t);
  t.now_ns = MAX (t.now_ns, gst_tfrc_rate_control_next_send_ns (control_of (t.sink)));
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
  fail_unless (seal (&t, packet));
  gst_tfrc_send_session_take_back (t.sink, packet);
  gst_tfrc_send_session_on_time_exceeded (t.sink, peer_of (t.sink));
  fail_unless_equals_int (stats ().ttl, TTL_MAX);
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
  fail_unless_equals_int (get_header (&t, packet).ttl, 4);
  fail_unless_equals_int (gst_tfrc_outgoing_get_ttl (packet), 4);
  gst_tfrc_outgoing_free (packet);
}

GST_END_TEST;

static Suite *
sinkttlforged_suite (void)
{
  Suite *s = suite_create ("sinkttlforged");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, time_exceeded_for_another_destination_has_no_effect);
  tcase_add_test (tc, time_exceeded_before_the_first_packet_has_no_effect);
  tcase_add_test (tc, a_forged_time_exceeded_raises_the_ttl_for_one_rtt);
  tcase_add_test (tc, a_flood_of_forged_messages_costs_no_packet);
  tcase_add_test (tc, a_lying_receiver_moves_the_ttl_in_its_limits);
  tcase_add_test (tc, the_application_can_set_another_ttl);
  tcase_add_test (tc, rtcp_to_the_receiver_has_the_same_ttl);
  tcase_add_test (tc, without_adaptation_the_header_tells_no_ttl);
  tcase_add_test (tc, a_sealed_packet_keeps_its_ttl);
  return s;
}

GST_CHECK_MAIN (sinkttlforged);
