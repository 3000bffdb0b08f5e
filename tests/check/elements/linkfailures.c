/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Link changes of tfrcsrc that fail, and challenges, which show a sender whether a change has
 * succeeded. */
#include <string.h>

#include "linktest.h"

/* ---- challenges ---------------------------------------------------------- */

static gboolean
is_response (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_response;
}

static void
challenge (const gchar *host, const gchar *data)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  peer->host = host;
  test_peer_send (peer, receiver->port, packet,
      tfrc_wire_write_path_challenge (packet, 100, peer->ssrc, (const guint8 *) data));
}

static void
check_answered (const gchar *host, const gchar *data)
{
  TfrcWireRtcp rtcp;

  challenge (host, data);
  rtcp = test_peer_receive_rtcp (peer, is_response);
  fail_unless (memcmp (rtcp.response, data, sizeof rtcp.response) == 0);
  check_from (host);
}

static void
check_challenges (const gchar *properties)
{
  start (properties);
  begin_stream ();
  check_answered (OLD_LINK, "1st data");
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  check_answered (OLD_LINK, "2nd data");
  check_answered (NEW_LINK, "3rd data");
  finish ();
}

GST_START_TEST (test_challenges_are_answered_from_the_address_challenged)
{
  check_challenges ("address=0.0.0.0");
  check_challenges ("address=" OLD_LINK);
}

GST_END_TEST;

GST_START_TEST (test_challenges_of_others_are_not_answered)
{
  TestPeer *sender, *other = test_peer_new (0);
  TfrcWireRtcp rtcp;

  start ("address=0.0.0.0");
  challenge (OLD_LINK, "too soon");
  begin_stream ();
  peer->ssrc++;
  challenge (OLD_LINK, "not mine");
  peer->ssrc--;
  sender = peer;
  peer = other;
  challenge (OLD_LINK, "another!");
  peer = sender;
  challenge (OLD_LINK, "it is me");
  rtcp = test_peer_receive_rtcp (peer, is_response);
  fail_unless (memcmp (rtcp.response, "it is me", 8) == 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "foreign-packets"), 3);
  fail_unless_equals_int (test_peer_poll (other, (guint8[2048]){ 0 }, 2048), 0);
  test_peer_free (other);
  finish ();
}

GST_END_TEST;

/* ---- failures --------------------------------------------------------------- */

GST_START_TEST (test_options_that_cannot_be_used_are_refused)
{
  static const gchar *options[] = {
    "options, interface=no-such-interface",
    "options, interface=(int)1",
    "options, bind-address=192.0.2.77",
    "options, bind-address=(int)1",
    "options, bind-address=0.0.0.0",
    "options, bind-address=224.0.0.1",
    "options, bind-address=::1",
    "options, bandwidth=fast",
    "options, bandwidth=(int)-1",
    "options, suppress-echo=(int)1",
    "options, bindaddress=127.0.0.2",
  };

  start ("address=0.0.0.0");
  begin_stream ();
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    fail_if (hand_over (options[i]), "%s", options[i]);
    fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_WARNING, NULL, NULL), i + 1);
  }
  fail_unless_equals_uint64 (test_stat (receiver->src, "handovers"), 0);
  send_over (OLD_LINK);
  test_peer_receive_rtcp (peer, is_feedback);
  check_from (OLD_LINK);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_handover_without_options_uses_the_address_of_the_kernel)
{
  start ("address=0.0.0.0");
  fail_if (hand_over (NULL));
  begin_stream ();
  fail_unless (hand_over (NULL));
  test_peer_receive_rtcp (peer, is_notification);
  check_from (OLD_LINK);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_a_stopped_source_refuses_a_handover)
{
  start ("address=0.0.0.0");
  test_set_state (receiver->pipeline, GST_STATE_NULL);
  fail_if (hand_over ("options, bind-address=" NEW_LINK));
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_a_link_can_be_chosen_before_the_stream)
{
  start ("address=" OLD_LINK);
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  send_over (NEW_LINK);
  test_peer_receive_rtcp (peer, is_feedback);
  check_from (NEW_LINK);
  finish ();
}

GST_END_TEST;

/* The sender does not follow the handover: tfrcsrc sends feedback over the old link again. */
static void
check_failed_handover (const gchar *properties)
{
  GstStructure *result;
  gboolean completed;

  start (properties);
  begin_stream ();
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  test_peer_receive_rtcp (peer, is_notification);
  while (
      test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-handover-completed", NULL) == 0) {
    send_over (OLD_LINK);
    wait_for_more_stats ();
  }
  result = wait_for ("tfrc-handover-completed");
  fail_unless (gst_structure_get_boolean (result, "completed", &completed));
  fail_if (completed);
  gst_structure_free (result);
  send_over (OLD_LINK);
  test_peer_receive_rtcp (peer, is_other_feedback);
  while (test_peer_poll (peer, (guint8[2048]){ 0 }, 2048) > 0)
    ;
  send_over (OLD_LINK);
  test_peer_receive_rtcp (peer, is_other_feedback);
  check_from (OLD_LINK);
  fail_unless_equals_uint64 (test_stat (receiver->src, "handovers-abandoned"), 1);
  finish ();
}

GST_START_TEST (test_a_sender_that_does_not_follow_gets_feedback_over_the_old_link)
{
  check_failed_handover ("address=0.0.0.0");
  check_failed_handover ("address=" OLD_LINK);
}

GST_END_TEST;

static Suite *
linkfailures_suite (void)
{
  Suite *suite = suite_create ("linkfailures");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_challenges_are_answered_from_the_address_challenged);
  tcase_add_test (tcase, test_challenges_of_others_are_not_answered);
  tcase_add_test (tcase, test_options_that_cannot_be_used_are_refused);
  tcase_add_test (tcase, test_handover_without_options_uses_the_address_of_the_kernel);
  tcase_add_test (tcase, test_a_stopped_source_refuses_a_handover);
  tcase_add_test (tcase, test_a_link_can_be_chosen_before_the_stream);
  tcase_add_test (tcase, test_a_sender_that_does_not_follow_gets_feedback_over_the_old_link);
  return suite;
}

GST_CHECK_MAIN (linkfailures);
