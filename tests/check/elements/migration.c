/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that moves to another address, and what tfrcsink reports of its moves and
 * handovers.  Addresses of the loopback interface stand for the receiver's. */
#include "securitytest.h"

#define HOME "127.0.0.1"
#define AWAY "127.0.0.2"

static TestPeer *home, *away;
static TestSender *sender;
static GBytes *movie;
static guint pushed;
static gint key_units; /* key units that tfrcsink has asked for */

static GstPadProbeReturn
count_key_units (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (gst_event_has_name (event, "GstForceKeyUnit"))
    g_atomic_int_inc (&key_units);
  return GST_PAD_PROBE_OK;
}

static void
start (const gchar *properties)
{
  GstPad *pad;

  home = test_peer_new (0);
  away = test_peer_new_at (AWAY, 0);
  sender = test_sender_new (home->port, properties);
  movie = test_movie (7 * 100, 9);
  pushed = 0;
  g_atomic_int_set (&key_units, 0);
  pad = gst_element_get_static_pad (sender->appsrc, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_key_units, NULL, NULL);
  gst_object_unref (pad);
}

static void
finish (void)
{
  test_sender_free (sender);
  test_peer_free (home);
  test_peer_free (away);
  g_bytes_unref (movie);
}

static gint
port (void)
{
  return (gint) test_stat (sender->sink, "local-port");
}

/* Pushes a packet, and returns the header with which it comes to @peer. */
static TfrcWireData
push_to (TestPeer *peer)
{
  const guint8 *ts = g_bytes_get_data (movie, NULL);

  test_sender_push (sender, ts + pushed++ * PAYLOAD_BYTES, PAYLOAD_BYTES);
  return test_peer_receive_data (peer, NULL);
}

/* Begins a stream, whose first packet the receiver answers from its first address. */
static TfrcWireData
begin_stream (void)
{
  TfrcWireData data = push_to (home);

  test_peer_send_feedback (home, port (), &data, 1);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  return data;
}

static gboolean
is_challenge (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_challenge;
}

static void
respond (TestPeer *peer, const guint8 *data)
{
  guint8 packet[TFRC_WIRE_MIN_PATH_BYTES];

  test_peer_send (peer, port (), packet, tfrc_wire_write_path_response (packet, peer->ssrc, data));
}

static void
check_peer (const gchar *host, const TestPeer *peer)
{
  gchar *expected = g_strdup_printf ("%s:%d", host, peer->port);
  gchar *is = test_stat_string (sender->sink, "peer-address");

  fail_unless_equals_string (is, expected);
  g_free (expected);
  g_free (is);
}

static GstStructure *
wait_for (const gchar *name, guint n)
{
  GstMessage *message = test_log_wait (sender->log, n, GST_MESSAGE_ELEMENT, name, NULL);
  GstStructure *structure = gst_structure_copy (gst_message_get_structure (message));

  gst_message_unref (message);
  return structure;
}

static void
wait_for_key_units (gint n)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  while (g_atomic_int_get (&key_units) < n) {
    fail_unless (g_get_monotonic_time () < end);
    g_thread_yield ();
  }
}

GST_START_TEST (test_stream_follows_a_receiver_that_answers)
{
  TfrcWireData data;
  TfrcWireRtcp rtcp;
  GstStructure *told;
  gchar *address;

  start ("allow-migration=always force-key-unit=true");
  data = begin_stream ();
  check_peer (HOME, home);
  test_peer_send_feedback (away, port (), &data, 2);
  rtcp = test_peer_receive_rtcp (away, is_challenge);
  fail_unless_equals_int_hex (rtcp.sender_ssrc, data.ssrc);
  /* the stream stays until the challenge is answered */
  push_to (home);
  check_peer (HOME, home);
  respond (away, rtcp.challenge);
  told = wait_for ("tfrc-migration", 1);
  address = g_strdup_printf (AWAY ":%d", away->port);
  fail_unless_equals_string (gst_structure_get_string (told, "peer-address"), address);
  check_peer (AWAY, away);
  fail_unless_equals_uint64 (test_stat (sender->sink, "migrations"), 1);
  fail_unless_equals_uint64 (test_stat (sender->sink, "path-validation-failures"), 0);
  data = push_to (away);
  test_peer_send_feedback (away, port (), &data, 3);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 2);
  wait_for_key_units (1);
  g_free (address);
  gst_structure_free (told);
  finish ();
}

GST_END_TEST;

/* Challenges have full size once the receiver's address has answered. */
GST_START_TEST (test_challenges_show_that_packets_of_data_get_through)
{
  guint8 packet[2048];
  gsize size;
  TfrcWireData data;
  TfrcWireRtcp rtcp;

  start ("allow-migration=always");
  data = begin_stream ();
  test_peer_send_feedback (away, port (), &data, 2);
  size = test_peer_receive (away, packet, sizeof packet);
  fail_unless (size <= 3 * 64);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (packet, size, 0, &rtcp), TFRC_WIRE_OK);
  respond (away, rtcp.challenge);
  do {
    size = test_peer_receive (away, packet, sizeof packet);
  } while (tfrc_wire_parse_rtcp (packet, size, 0, &rtcp) != TFRC_WIRE_OK || !rtcp.has_challenge
      || size < PAYLOAD_BYTES);
  fail_unless (size >= data.header_bytes + data.payload_bytes);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_sink_does_not_migrate_by_default)
{
  TfrcWireData data;
  guint8 packet[2048];

  start (NULL);
  data = begin_stream ();
  test_peer_send_feedback (away, port (), &data, 2);
  test_log_wait_stat (sender->log, "sink", "foreign-packets", 1);
  push_to (home);
  fail_unless_equals_int (test_peer_poll (away, packet, sizeof packet), 0);
  check_peer (HOME, home);
  finish ();
}

GST_END_TEST;

/* With protect=raised-ttl anybody can make the feedback of a stream whose TTL has not been raised. */
GST_START_TEST (test_sink_follows_no_receiver_while_protection_waits_for_the_ttl)
{
  TfrcWireData data;
  guint8 packet[2048];

  start ("passphrase=correct-horse protect=raised-ttl allow-migration=authenticated");
  data = begin_stream ();
  test_peer_send_feedback (away, port (), &data, 2);
  test_log_wait_stat (sender->log, "sink", "foreign-packets", 1);
  push_to (home);
  fail_unless_equals_int (test_peer_poll (away, packet, sizeof packet), 0);
  check_peer (HOME, home);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_wrong_answers_do_not_cause_migration)
{
  TestPeer *third;
  TfrcWireData data;
  TfrcWireRtcp rtcp;
  guint8 wrong[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };

  start ("allow-migration=always");
  third = test_peer_new_at ("127.0.0.3", 0);
  data = begin_stream ();
  test_peer_send_feedback (away, port (), &data, 2);
  rtcp = test_peer_receive_rtcp (away, is_challenge);
  wrong[0] = rtcp.challenge[0] + 1;
  respond (away, wrong);
  respond (third, rtcp.challenge);
  test_peer_send_bye (third, port ());
  test_peer_send_bye (away, port ());
  test_log_wait_stat (sender->log, "sink", "foreign-packets", 4);
  push_to (home);
  check_peer (HOME, home);
  fail_unless_equals_uint64 (test_stat (sender->sink, "migrations"), 0);
  fail_unless_equals_int (g_atomic_int_get (&key_units), 0);
  test_peer_free (third);
  finish ();
}

GST_END_TEST;

/* ---- handovers, as the receiver's feedback reports them ------------------- */

static void
send_flags (const TfrcWireData *data, guint32 number, guint8 flags)
{
  TfrcFeedback feedback = { .recv_data_us = data->send_time_us, .x_recv_Bps = 100000 };
  TfrcWireState state = { .feedback_number = number, .flags = flags };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  test_peer_send (home, port (), packet,
      tfrc_wire_write_feedback (packet, home->ssrc, data->ssrc, &feedback, &state));
}

static void
check_phase (guint n, const gchar *phase)
{
  GstStructure *told = wait_for ("tfrc-handover-phase", n);
  const GValue *value = gst_structure_get_value (told, "phase");
  GEnumClass *values = g_type_class_ref (G_VALUE_TYPE (value));

  fail_unless_equals_string (
      g_enum_get_value (values, g_value_get_enum (value))->value_nick, phase);
  g_type_class_unref (values);
  gst_structure_free (told);
}

static void
on_phase (GstElement *element, gint phase, gint *calls)
{
  g_atomic_int_inc (calls);
}

GST_START_TEST (test_sink_reports_handovers)
{
  const guint8 hon = TFRC_WIRE_STATE_HANDOVER;
  GstStructure *told;
  gboolean completed;
  TfrcWireData data;
  gint calls = 0;

  start ("force-key-unit=true");
  g_signal_connect (sender->sink, "handover-phase", G_CALLBACK (on_phase), &calls);
  data = begin_stream ();
  send_flags (&data, 2, hon);
  gst_structure_free (wait_for ("tfrc-handover-started", 1));
  check_phase (1, "old-link");
  send_flags (&data, 3, hon | TFRC_WIRE_STATE_NEW_LINK);
  check_phase (2, "new-link");
  send_flags (&data, 4, 0);
  check_phase (3, "normal");
  told = wait_for ("tfrc-handover-completed", 1);
  fail_unless (gst_structure_get_boolean (told, "completed", &completed));
  fail_unless (completed);
  fail_unless_equals_uint64 (test_stat (sender->sink, "handovers"), 1);
  fail_unless_equals_int (g_atomic_int_get (&calls), 3);
  wait_for_key_units (1);
  gst_structure_free (told);
  finish ();
}

GST_END_TEST;

/* ---- both elements ------------------------------------------------------- */

static const struct
{
  const gchar *sink, *source;
  gboolean follows;
} roams[] = {
  { "allow-migration=always", "", TRUE },
  { "allow-migration=authenticated", "", FALSE },
  { PSK " allow-migration=authenticated", PSK, TRUE },
  { PSK " allow-migration=never", PSK, FALSE },
};

static void
change_address (TestReceiver *receiver)
{
  GstStructure *options = gst_structure_new ("options", "bind-address", G_TYPE_STRING, AWAY, NULL);
  gboolean done = FALSE;

  g_signal_emit_by_name (receiver->src, "handover", options, &done);
  fail_unless (done);
  gst_structure_free (options);
}

/* A sender that does not follow goes on sending to the old address, which the receiver still has. */
GST_START_TEST (test_movie_goes_on_when_the_receiver_changes_its_address)
{
  gchar *properties = g_strconcat ("address=" HOME " ", roams[__i__].source, NULL);
  TestReceiver *receiver = test_receiver_new (properties);
  TestSender *from = test_sender_new (receiver->port, roams[__i__].sink);
  GBytes *all = test_movie (7 * 60, 5);
  gsize half = 7 * 30 * TS_BYTES;

  test_sender_push (from, g_bytes_get_data (all, NULL), half);
  test_receiver_wait_bytes (receiver, half);
  test_log_wait_stat (from->log, "sink", "feedback-received", 1);
  change_address (receiver);
  if (roams[__i__].follows)
    gst_message_unref (test_log_wait (from->log, 1, GST_MESSAGE_ELEMENT, "tfrc-migration", NULL));
  else
    test_log_wait_stat (from->log, "sink", "foreign-packets", 1);
  test_sender_push (
      from, (const guint8 *) g_bytes_get_data (all, NULL) + half, g_bytes_get_size (all) - half);
  test_receiver_wait_movie (receiver, all);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_stat (from->sink, "migrations"), roams[__i__].follows);
  fail_unless_equals_uint64 (test_refused (receiver->src) + test_refused (from->sink), 0);
  test_sender_free (from);
  test_receiver_free (receiver);
  g_bytes_unref (all);
  g_free (properties);
}

GST_END_TEST;

static Suite *
migration_suite (void)
{
  Suite *suite = suite_create ("migration");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_stream_follows_a_receiver_that_answers);
  tcase_add_test (tcase, test_challenges_show_that_packets_of_data_get_through);
  tcase_add_test (tcase, test_sink_does_not_migrate_by_default);
  tcase_add_test (tcase, test_sink_follows_no_receiver_while_protection_waits_for_the_ttl);
  tcase_add_test (tcase, test_wrong_answers_do_not_cause_migration);
  tcase_add_test (tcase, test_sink_reports_handovers);
  tcase_add_loop_test (tcase, test_movie_goes_on_when_the_receiver_changes_its_address, 0,
      (gint) G_N_ELEMENTS (roams));
  return suite;
}

GST_CHECK_MAIN (migration);
