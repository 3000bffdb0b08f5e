/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink with mode=listener, and the tfrcsrc with mode=caller that call it. */
#include "listenerfixture.h"

GST_START_TEST (test_each_caller_gets_the_stream)
{
  Listener *listener = listener_new ("stats-update-interval=20");
  TestReceiver *receivers[3];
  GBytes *movie = test_movie (7 * 20, 1);
  GstStructure *stats;
  const GValue *callers;
  guint accepted;

  for (guint i = 0; i < G_N_ELEMENTS (receivers); i++)
    receivers[i] = call (listener, "film", "");
  wait_until (listener, &listener->added, G_N_ELEMENTS (receivers));
  fail_unless_equals_string (g_ptr_array_index (listener->calls, 0), "film");
  test_sender_push_bytes (listener->sender, movie, PAYLOAD_BYTES);
  test_sender_eos (listener->sender);
  for (guint i = 0; i < G_N_ELEMENTS (receivers); i++)
    test_receiver_wait_movie (receivers[i], movie);
  gst_message_unref (
      test_log_wait (listener->sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  g_object_get (listener->sender->sink, "stats", &stats, NULL);
  callers = gst_structure_get_value (stats, "callers");
  fail_unless (gst_structure_get_uint (stats, "callers-accepted", &accepted));
  fail_unless_equals_int (gst_value_array_get_size (callers), accepted);
  gst_structure_free (stats);
  for (guint i = 0; i < G_N_ELEMENTS (receivers); i++)
    test_receiver_free (receivers[i]);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_can_have_a_passphrase_of_its_own)
{
  Listener *listener = listener_new ("");
  TestReceiver *plain = call (listener, "film", ""),
               *secret = call (listener, "secret film", "passphrase=\"of this film alone\"");
  GBytes *movie = test_movie (7 * 20, 1);

  wait_until (listener, &listener->added, 2);
  test_sender_push_bytes (listener->sender, movie, PAYLOAD_BYTES);
  test_sender_eos (listener->sender);
  test_receiver_wait_movie (secret, movie);
  test_receiver_wait_movie (plain, movie);
  fail_unless (test_stat (secret->src, "packets-received") >= 20);
  test_receiver_free (plain);
  test_receiver_free (secret);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_that_leaves_is_removed)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "film", "");
  GBytes *movie = test_movie (7, 1);
  gchar *reason;

  wait_until (listener, &listener->added, 1);
  test_sender_push_bytes (listener->sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, PAYLOAD_BYTES);
  test_receiver_free (receiver);
  wait_until (listener, &listener->removed, 1);
  reason = dup_reason (listener);
  fail_unless_equals_string (reason, "it has said BYE");
  g_free (reason);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_can_be_dropped)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "film", "");
  GBytes *movie = test_movie (7, 1);
  gboolean is_there;

  wait_until (listener, &listener->added, 1);
  test_sender_push_bytes (listener->sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, PAYLOAD_BYTES);
  g_signal_emit_by_name (listener->sender->sink, "drop-caller", listener->last_id + 1, &is_there);
  fail_unless (!is_there);
  g_signal_emit_by_name (listener->sender->sink, "drop-caller", listener->last_id, &is_there);
  fail_unless (is_there);
  wait_until (listener, &listener->removed, 1);
  test_receiver_wait_eos (receiver);
  test_receiver_free (receiver);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Waits until the only caller has this TTL and is one hop away, as all of this host are. */
static void
wait_for_ttl (Listener *listener, guint wanted)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;
  guint ttl = 0, hops = 0;

  do {
    GstStructure *stats;
    const GValue *callers;
    const GstStructure *caller;

    g_thread_yield ();
    g_object_get (listener->sender->sink, "stats", &stats, NULL);
    callers = gst_structure_get_value (stats, "callers");
    fail_unless_equals_int (gst_value_array_get_size (callers), 1);
    caller = gst_value_get_structure (gst_value_array_get_value (callers, 0));
    fail_unless (gst_structure_get_uint (caller, "ttl", &ttl));
    fail_unless (gst_structure_get_uint (caller, "hops", &hops));
    gst_structure_free (stats);
    fail_unless_equals_int (ttl, wanted);
  } while (hops == 0 && g_get_monotonic_time () < end);
  fail_unless_equals_int (hops, 1);
}

GST_START_TEST (test_another_ttl_holds_for_who_calls_later)
{
  Listener *listener = listener_new ("ttl=64");
  GBytes *movie = test_movie (7, 1);
  TestReceiver *receiver;

  g_object_set (listener->sender->sink, "ttl", 9, NULL);
  receiver = call (listener, "film", "");
  wait_until (listener, &listener->added, 1);
  test_sender_push_bytes (listener->sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, PAYLOAD_BYTES);
  fail_unless_equals_uint64 (test_stat (receiver->src, "ttl"), 9);
  wait_for_ttl (listener, 9);
  test_receiver_free (receiver);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_path_in_the_uri_is_the_stream_that_is_asked_for)
{
  GstElement *src = gst_check_setup_element ("tfrcsrc");
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  gchar *stream_id, *address;
  gint mode;

  fail_unless (gst_uri_handler_set_uri (
      GST_URI_HANDLER (src), "tfrc://server.example:5004/films/one%20two.ts?latency=300", NULL));
  g_object_get (src, "streamid", &stream_id, "mode", &mode, "address", &address, NULL);
  fail_unless_equals_string (stream_id, "films/one two.ts");
  fail_unless_equals_string (address, "server.example");
  fail_unless_equals_int (mode, 0);
  g_free (stream_id);
  g_free (address);
  fail_unless (
      !gst_uri_handler_set_uri (GST_URI_HANDLER (src), "tfrc://server.example:5004/a%0Ab", NULL));
  fail_unless (gst_uri_handler_set_uri (
      GST_URI_HANDLER (sink), "tfrc://192.0.2.1:5006?mode=listener", NULL));
  g_object_get (sink, "bind-address", &address, NULL);
  fail_unless_equals_string (address, "192.0.2.1");
  g_free (address);
  gst_object_unref (src);
  gst_object_unref (sink);
}

GST_END_TEST;

static gboolean
is_challenge (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_challenge;
}

/* Whoever has seen the stream can forge a BYE. */
GST_START_TEST (test_a_caller_that_is_heard_after_a_bye_stays)
{
  Listener *listener = listener_new ("");
  TestPeer *peer = test_peer_new (0);
  GBytes *payload = test_movie (7, 1);
  TfrcWireData data = call_by_hand (listener, peer, payload);

  test_peer_send_bye (peer, listener->port);
  test_peer_send_feedback (peer, listener->port, &data, 1);
  test_sender_push_bytes (listener->sender, payload, PAYLOAD_BYTES);
  data = test_peer_receive_data (peer, NULL);
  test_peer_send_feedback (peer, listener->port, &data, 2);
  g_mutex_lock (&listener->lock);
  fail_unless_equals_int (listener->removed, 0);
  g_mutex_unlock (&listener->lock);
  test_peer_free (peer);
  listener_free (listener);
  g_bytes_unref (payload);
}

GST_END_TEST;

/* As behind a NAT that has forgotten the caller and gives it another port */
GST_START_TEST (test_a_caller_that_has_another_port_is_challenged_there)
{
  Listener *listener = listener_new ("allow-migration=always");
  TestPeer *peer = test_peer_new (0), *moved = test_peer_new (0);
  GBytes *movie = test_movie (7, 1);
  TfrcWireData data = call_by_hand (listener, peer, movie);

  moved->ssrc = peer->ssrc;
  test_peer_send_feedback (moved, listener->port, &data, 1);
  test_peer_receive_rtcp (moved, is_challenge);
  test_peer_free (peer);
  test_peer_free (moved);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* A caller that a sink of another pipeline serves */
typedef struct
{
  Listener *listener;
  TestReceiver *receiver;
  TestSender *sender;
} Guest;

static Guest
guest_new (Listener *listener, const gchar *properties)
{
  guint n = listener->deferred;
  Guest guest = { listener, call (listener, "own film", properties), NULL };

  wait_until (listener, &listener->deferred, n + 1);
  guest.sender = test_guest_sender_new (listener->sender->sink, listener->deferred_id);
  return guest;
}

static void
guest_clear (Guest *guest)
{
  g_clear_pointer (&guest->sender, test_sender_free);
  g_clear_pointer (&guest->receiver, test_receiver_free);
}

GST_START_TEST (test_a_sink_of_another_pipeline_serves_a_caller_over_the_same_port)
{
  Listener *listener = listener_new ("");
  TestReceiver *common = call (listener, "film", "");
  Guest guests[2];
  GBytes *movies[3];

  for (guint i = 0; i < G_N_ELEMENTS (movies); i++)
    movies[i] = test_movie (7 * 20, i + 1);
  wait_until (listener, &listener->added, 1);
  for (guint i = 0; i < G_N_ELEMENTS (guests); i++)
    guests[i] = guest_new (listener, "");
  wait_until (listener, &listener->added, 3);
  for (guint i = 0; i < G_N_ELEMENTS (guests); i++)
    test_sender_push_bytes (guests[i].sender, movies[i], PAYLOAD_BYTES);
  test_sender_push_bytes (listener->sender, movies[2], PAYLOAD_BYTES);
  for (guint i = 0; i < G_N_ELEMENTS (guests); i++) {
    test_sender_eos (guests[i].sender);
    test_receiver_wait_movie (guests[i].receiver, movies[i]);
    test_receiver_wait_eos (guests[i].receiver);
    fail_unless_equals_int (test_stat (guests[i].sender->sink, "local-port"), listener->port);
  }
  test_receiver_wait_movie (common, movies[2]);
  for (guint i = 0; i < G_N_ELEMENTS (guests); i++)
    guest_clear (&guests[i]);
  wait_until (listener, &listener->removed, 2);
  test_receiver_free (common);
  listener_free (listener);
  for (guint i = 0; i < G_N_ELEMENTS (movies); i++)
    g_bytes_unref (movies[i]);
}

GST_END_TEST;

GST_START_TEST (test_a_deferred_call_can_be_refused)
{
  Listener *listener = listener_new ("");
  TestReceiver *receiver = call (listener, "own film", "");
  gchar *reason;

  wait_until (listener, &listener->deferred, 1);
  g_signal_emit_by_name (
      listener->sender->sink, "refuse-caller", listener->deferred_id, "the film is not here");
  test_log_wait_error (receiver->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED);
  wait_until (listener, &listener->rejected, 1);
  reason = dup_reason (listener);
  fail_unless_equals_string (reason, "the film is not here");
  g_free (reason);
  test_receiver_free (receiver);
  listener_free (listener);
}

GST_END_TEST;

GST_START_TEST (test_a_sink_that_does_not_listen_has_no_caller_to_refuse)
{
  TestSender *sender = test_sender_new (test_free_port (), "");
  gboolean is_there;

  g_signal_emit_by_name (sender->sink, "refuse-caller", G_GUINT64_CONSTANT (1), NULL);
  g_signal_emit_by_name (sender->sink, "drop-caller", G_GUINT64_CONSTANT (1), &is_there);
  fail_unless (!is_there);
  test_sender_free (sender);
}

GST_END_TEST;

/* The sink refuses what comes now, of which a part fills no packet, and the pipeline ends. */
static void
check_that_it_ends (const Guest *guest)
{
  GBytes *payload = test_movie (7 + 3, 1);

  test_sender_push_bytes (guest->sender, payload, PAYLOAD_BYTES);
  test_sender_wait_eos (guest->sender);
  g_bytes_unref (payload);
}

GST_START_TEST (test_the_stream_ends_when_its_caller_leaves)
{
  Listener *listener = listener_new ("");
  Guest guest = guest_new (listener, "");
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (guest.sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (guest.receiver, PAYLOAD_BYTES);
  g_clear_pointer (&guest.receiver, test_receiver_free);
  wait_until (listener, &listener->removed, 1);
  check_that_it_ends (&guest);
  guest_clear (&guest);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_the_end_of_the_stream_does_not_wait_for_a_caller_that_has_left)
{
  Listener *listener = listener_new ("");
  Guest guest = guest_new (listener, "");
  TestLog *log = guest.sender->log;
  GBytes *movie = test_movie (7 * 20, 1);

  /* so slow that only the first packets leave during a test */
  g_object_set (guest.sender->sink, "max-bitrate", G_GUINT64_CONSTANT (200), "max-queue-time", 0,
      "drain-timeout", 3600000, NULL);
  test_sender_push_bytes (guest.sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (guest.receiver, PAYLOAD_BYTES);
  test_sender_eos (guest.sender);
  /* Time in which the wait for the last packet may begin. It makes no difference to what must follow. */
  gst_message_unref (
      test_log_wait (log, test_log_count (log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL) + 3,
          GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  g_clear_pointer (&guest.receiver, test_receiver_free);
  wait_until (listener, &listener->removed, 1);
  test_sender_wait_eos (guest.sender);
  guest_clear (&guest);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_of_another_sink_can_be_dropped)
{
  Listener *listener = listener_new ("");
  Guest guest = guest_new (listener, "");
  GBytes *movie = test_movie (7, 1);
  gboolean is_there;

  test_sender_push_bytes (guest.sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (guest.receiver, PAYLOAD_BYTES);
  g_signal_emit_by_name (listener->sender->sink, "drop-caller", listener->deferred_id, &is_there);
  fail_unless (is_there);
  test_receiver_wait_eos (guest.receiver);
  wait_until (listener, &listener->removed, 1);
  check_that_it_ends (&guest);
  guest_clear (&guest);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Its packets leave from the listener's socket. */
GST_START_TEST (test_another_ttl_of_the_listener_holds_for_the_stream_of_another_sink)
{
  Listener *listener = listener_new ("ttl=64");
  Guest guest = guest_new (listener, "");
  GBytes *movie = test_movie (7, 1);

  g_object_set (listener->sender->sink, "ttl", 9, NULL);
  test_sender_push_bytes (guest.sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (guest.receiver, PAYLOAD_BYTES);
  fail_unless_equals_uint64 (test_stat (guest.receiver->src, "ttl"), 9);
  fail_unless_equals_uint64 (test_stat (guest.sender->sink, "ttl"), 9);
  guest_clear (&guest);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_the_streams_of_all_callers_end_with_the_listener)
{
  Listener *listener = listener_new ("");
  Guest guest = guest_new (listener, "");
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (guest.sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (guest.receiver, PAYLOAD_BYTES);
  test_set_state (listener->sender->pipeline, GST_STATE_NULL);
  test_receiver_wait_eos (guest.receiver);
  check_that_it_ends (&guest);
  guest_clear (&guest);
  listener_free (listener);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
check_that_nothing_starts (GstElement *listener, guint64 id, gint code)
{
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  TestLog *log = test_log_new (sink);

  g_object_set (sink, "listener", listener, "caller-id", id, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  test_log_wait_error (log, GST_RESOURCE_ERROR, code);
  test_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
  test_log_free (log);
}

GST_START_TEST (test_a_call_that_does_not_wait_is_an_error)
{
  Listener *listener = listener_new ("");
  GstElement *other = gst_check_setup_element ("fakesink");
  Guest guest = guest_new (listener, "");

  check_that_nothing_starts (
      listener->sender->sink, listener->deferred_id, GST_RESOURCE_ERROR_OPEN_WRITE);
  check_that_nothing_starts (
      listener->sender->sink, listener->deferred_id + 1, GST_RESOURCE_ERROR_OPEN_WRITE);
  check_that_nothing_starts (guest.sender->sink, 1, GST_RESOURCE_ERROR_OPEN_WRITE);
  check_that_nothing_starts (other, 1, GST_RESOURCE_ERROR_SETTINGS);
  gst_object_unref (other);
  guest_clear (&guest);
  listener_free (listener);
}

GST_END_TEST;

static GstBusSyncReply
stop_at_error (GstBus *bus, GstMessage *message, gpointer pipeline)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    test_set_state (pipeline, GST_STATE_NULL);
  return GST_BUS_PASS;
}

/* A handler of messages may change the state of any element. The stop of the listener waits for all that use its stream,
 * so that a message that came from there would wait for itself. */
GST_START_TEST (test_the_listener_can_be_stopped_by_a_handler_of_a_guests_error)
{
  Listener *listener = listener_new ("");
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  GstBus *bus = gst_bus_new ();

  gst_bus_set_sync_handler (bus, stop_at_error, listener->sender->pipeline, NULL);
  gst_element_set_bus (sink, bus);
  g_object_set (
      sink, "listener", listener->sender->sink, "caller-id", G_GUINT64_CONSTANT (1), NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (GST_STATE (listener->sender->pipeline), GST_STATE_NULL);
  test_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (sink);
  gst_object_unref (bus);
  listener_free (listener);
}

GST_END_TEST;

static Suite *
callers_suite (void)
{
  Suite *suite = suite_create ("callers");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_each_caller_gets_the_stream);
  tcase_add_test (tcase, test_a_caller_can_have_a_passphrase_of_its_own);
  tcase_add_test (tcase, test_a_caller_that_leaves_is_removed);
  tcase_add_test (tcase, test_a_caller_can_be_dropped);
  tcase_add_test (tcase, test_another_ttl_holds_for_who_calls_later);
  tcase_add_test (tcase, test_a_path_in_the_uri_is_the_stream_that_is_asked_for);
  tcase_add_test (tcase, test_a_caller_that_is_heard_after_a_bye_stays);
  tcase_add_test (tcase, test_a_caller_that_has_another_port_is_challenged_there);
  tcase_add_test (tcase, test_a_sink_of_another_pipeline_serves_a_caller_over_the_same_port);
  tcase_add_test (tcase, test_a_deferred_call_can_be_refused);
  tcase_add_test (tcase, test_a_sink_that_does_not_listen_has_no_caller_to_refuse);
  tcase_add_test (tcase, test_the_stream_ends_when_its_caller_leaves);
  tcase_add_test (tcase, test_the_end_of_the_stream_does_not_wait_for_a_caller_that_has_left);
  tcase_add_test (tcase, test_a_caller_of_another_sink_can_be_dropped);
  tcase_add_test (tcase, test_another_ttl_of_the_listener_holds_for_the_stream_of_another_sink);
  tcase_add_test (tcase, test_the_streams_of_all_callers_end_with_the_listener);
  tcase_add_test (tcase, test_a_call_that_does_not_wait_is_an_error);
  tcase_add_test (tcase, test_the_listener_can_be_stopped_by_a_handler_of_a_guests_error);
  return suite;
}

GST_CHECK_MAIN (callers);
