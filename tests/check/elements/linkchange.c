/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc changes links: its sockets, its addresses, and the messages about the change. */
#include <unistd.h>

#include "linktest.h"

/* ---- handovers ----------------------------------------------------------- */

typedef struct
{
  GMutex lock;
  GString *told;
} Signals;

static void
on_started (GstElement *element, Signals *signals)
{
  g_mutex_lock (&signals->lock);
  g_string_append (signals->told, "started ");
  g_mutex_unlock (&signals->lock);
}

static void
on_phase (GstElement *element, gint phase, Signals *signals)
{
  g_mutex_lock (&signals->lock);
  g_string_append_printf (signals->told, "%d ", phase);
  g_mutex_unlock (&signals->lock);
}

static void
on_completed (GstElement *element, const GstStructure *result, Signals *signals)
{
  gboolean completed;

  fail_unless (gst_structure_get_boolean (result, "completed", &completed));
  g_mutex_lock (&signals->lock);
  g_string_append (signals->told, completed ? "completed" : "given up");
  g_mutex_unlock (&signals->lock);
}

static void
check_whole_handover (const gchar *properties)
{
  Signals signals = { .told = g_string_new (NULL) };
  GstStructure *result;
  TfrcWireRtcp rtcp;
  guint64 rtt_ns;

  start (properties);
  g_signal_connect (receiver->src, "handover-started", G_CALLBACK (on_started), &signals);
  g_signal_connect (receiver->src, "handover-phase", G_CALLBACK (on_phase), &signals);
  g_signal_connect (receiver->src, "handover-completed", G_CALLBACK (on_completed), &signals);
  begin_stream ();
  check_stat ("handover-phase", "normal");
  check_stat ("interface", "lo");

  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  rtcp = test_peer_receive_rtcp (peer, is_notification);
  check_from (NEW_LINK);
  fail_if (rtcp.feedback.new_link);
  check_stat ("handover-phase", "started");
  send_over (OLD_LINK);
  test_peer_receive_rtcp (peer, is_notification);
  check_from (NEW_LINK);
  send_over (NEW_LINK);
  while (!rtcp.feedback.new_link)
    rtcp = test_peer_receive_rtcp (peer, is_notification);
  check_from (NEW_LINK);
  peer->rtt_us = RTT_US / 2;
  peer->flags = TFRC_WIRE_FLAG_ECHO | TFRC_WIRE_FLAG_DIRECT | rtcp.feedback.handover_number << 2;
  send_over (NEW_LINK);
  test_peer_receive_rtcp (peer, is_other_feedback);
  peer->flags = 0;
  send_over (NEW_LINK);

  result = wait_for ("tfrc-handover-completed");
  fail_unless (gst_structure_get_uint64 (result, "rtt-after", &rtt_ns));
  fail_unless_equals_uint64 (rtt_ns, RTT_US / 2 * 1000);
  gst_structure_free (result);
  check_stat ("handover-phase", "normal");
  fail_unless_equals_uint64 (test_stat (receiver->src, "handovers"), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "handovers-completed"), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  g_mutex_lock (&signals.lock);
  fail_unless_equals_string (signals.told->str, "started 1 2 3 4 0 completed");
  g_mutex_unlock (&signals.lock);
  finish ();
  g_string_free (signals.told, TRUE);
}

GST_START_TEST (test_one_socket_for_all_addresses_serves_both_links)
{
  check_whole_handover ("address=0.0.0.0");
  check_whole_handover ("address=::");
}

GST_END_TEST;

GST_START_TEST (test_a_second_socket_is_opened_beside_one_of_a_single_address)
{
  check_whole_handover ("address=" OLD_LINK);
}

GST_END_TEST;

GST_START_TEST (test_feedback_is_repeated_while_no_data_comes)
{
  start ("address=0.0.0.0");
  begin_stream ();
  fail_unless (hand_over (
      "options, bind-address=" NEW_LINK ", bandwidth=(guint64)1000000, suppress-echo=true"));
  for (guint i = 0; i < 3; i++) {
    TfrcWireRtcp rtcp = test_peer_receive_rtcp (peer, is_notification);

    check_from (NEW_LINK);
    fail_unless (rtcp.feedback.bandwidth && rtcp.feedback.suppress_echo);
  }
  finish ();
}

GST_END_TEST;

/* Runs a stream between tfrcsink and tfrcsrc.  @follows: whether the sink follows the handover. */
static void
check_stream (const gchar *address, const gchar *allow_migration, gboolean follows)
{
  GBytes *ts = test_movie (7 * 1500, 3);
  TestSender *sender;
  gboolean completed;
  GstStructure *result;
  gchar *to;

  receiver = test_receiver_new (address);
  sender = test_sender_new (receiver->port, allow_migration);
  test_sender_push_bytes (sender, ts, 0);
  test_receiver_wait_bytes (receiver, 200 * PAYLOAD_BYTES);
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  test_receiver_wait_movie (receiver, ts);
  result = wait_for ("tfrc-handover-completed");
  fail_unless (gst_structure_get_boolean (result, "completed", &completed));
  fail_unless_equals_int (completed, follows);
  gst_structure_free (result);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  to = test_stat_string (sender->sink, "peer-address");
  fail_unless (g_str_has_prefix (to, follows ? NEW_LINK ":" : OLD_LINK ":"));
  g_free (to);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (ts);
}

GST_START_TEST (test_a_sink_that_may_migrate_follows_a_handover)
{
  const gchar *may = "allow-migration=always max-bitrate=10000000";

  check_stream ("address=0.0.0.0", may, TRUE);
  check_stream ("address=" OLD_LINK, may, TRUE);
}

GST_END_TEST;

GST_START_TEST (test_a_stream_goes_on_when_its_sink_may_not_migrate)
{
  check_stream ("address=0.0.0.0", "max-bitrate=10000000", FALSE);
  check_stream ("address=" OLD_LINK, "max-bitrate=10000000", FALSE);
}

GST_END_TEST;

/* ---- sockets ------------------------------------------------------------- */

/* Returns whether another socket can bind to this address and the receiver's port. */
static gboolean
is_free (const gchar *host)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  gint fd;

  config.bind_address = host;
  config.bind_port = (guint16) receiver->port;
  fd = gst_tfrc_socket_open (&config, NULL, NULL);
  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

GST_START_TEST (test_the_next_handover_closes_the_socket_before_the_last)
{
  start ("address=" OLD_LINK);
  begin_stream ();
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  fail_if (is_free (OLD_LINK) || is_free (NEW_LINK));
  /* back, and once more: both sockets are still open */
  fail_unless (hand_over ("options, bind-address=" OLD_LINK));
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  fail_if (is_free (OLD_LINK) || is_free (NEW_LINK));
  fail_unless (hand_over ("options, bind-address=" THIRD_LINK));
  fail_unless (is_free (OLD_LINK));
  fail_if (is_free (NEW_LINK) || is_free (THIRD_LINK));
  send_over (NEW_LINK);
  send_over (THIRD_LINK);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_the_old_socket_is_closed_when_no_data_comes_over_it)
{
  start ("address=" OLD_LINK);
  begin_stream ();
  fail_unless (hand_over ("options, bind-address=" NEW_LINK));
  while (!is_free (OLD_LINK))
    wait_for_more_stats ();
  fail_if (is_free (NEW_LINK));
  send_over (NEW_LINK);
  finish ();
}

GST_END_TEST;

static Suite *
linkchange_suite (void)
{
  Suite *suite = suite_create ("linkchange");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_one_socket_for_all_addresses_serves_both_links);
  tcase_add_test (tcase, test_a_second_socket_is_opened_beside_one_of_a_single_address);
  tcase_add_test (tcase, test_a_sink_that_may_migrate_follows_a_handover);
  tcase_add_test (tcase, test_a_stream_goes_on_when_its_sink_may_not_migrate);
  tcase_add_test (tcase, test_feedback_is_repeated_while_no_data_comes);
  tcase_add_test (tcase, test_the_next_handover_closes_the_socket_before_the_last);
  tcase_add_test (tcase, test_the_old_socket_is_closed_when_no_data_comes_over_it);
  return suite;
}

GST_CHECK_MAIN (linkchange);
