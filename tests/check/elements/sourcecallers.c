/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsrc with mode=listener: what its application is told, and what it decides. */
#include "gst/stream/door.h"
#include "listenerfixture.h"

#define OWN_PASSPHRASE "passphrase=\"of this film alone\" "

/* A source that listens, and what its signals have told */
typedef struct
{
  TestReceiver *receiver;
  Listener *told;
} Source;

/* Handlers are connected before the source starts. */
static Source
source_new (const gchar *properties, gboolean decides)
{
  Source source = { test_receiver_new (properties), watch_new () };

  test_set_state (source.receiver->pipeline, GST_STATE_NULL);
  watch (source.told, source.receiver->src, decides);
  g_object_set (source.receiver->src, "port", 0, NULL);
  test_set_state (source.receiver->pipeline, GST_STATE_PLAYING);
  g_object_get (source.receiver->src, "port", &source.receiver->port, NULL);
  return source;
}

static void
source_free (Source *source)
{
  test_receiver_free (source->receiver);
  listener_free (source->told);
}

static TestSender *
caller_new (const Source *source, const gchar *stream_id, const gchar *properties)
{
  gchar *all = g_strdup_printf ("mode=caller streamid=\"%s\" %s", stream_id, properties);
  TestSender *sender = test_sender_new (source->receiver->port, all);

  g_free (all);
  return sender;
}

static void
check_told (Source *source, const gchar *expected)
{
  g_mutex_lock (&source->told->lock);
  fail_unless_equals_string (source->told->told->str, expected);
  g_mutex_unlock (&source->told->lock);
}

static void
check_reason (Source *source, const gchar *expected)
{
  gchar *reason = dup_reason (source->told);

  fail_unless_equals_string (reason, expected);
  g_free (reason);
}

/* The caller's pipeline ends with an error that has this reason. */
static void
wait_refusal (TestSender *sender, const gchar *reason)
{
  GstMessage *message = test_log_wait (sender->log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  GError *error;

  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED));
  fail_unless (strstr (error->message, reason) != NULL, "%s", error->message);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 0);
  g_error_free (error);
  gst_message_unref (message);
}

/* Sends a movie to its end, which removes the caller. */
static void
play (Source *source, const gchar *stream_id, const gchar *properties, GBytes *movie)
{
  TestSender *sender = caller_new (source, stream_id, properties);
  guint removed = source->told->removed;

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
  wait_until (source->told, &source->told->removed, removed + 1);
}

GST_START_TEST (test_a_source_without_a_handler_accepts_who_names_its_stream)
{
  Source source = source_new ("streamid=film keep-listening=true", FALSE);
  GBytes *movie = test_movie (7 * 20, 1);

  play (&source, "film", "", movie);
  test_receiver_wait_movie (source.receiver, movie);
  check_told (&source, "added film; removed film; ");
  check_reason (&source, "its stream has ended");
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_the_application_is_asked_about_who_names_the_stream)
{
  Source source = source_new ("streamid=film keep-listening=true", TRUE);
  GBytes *movie = test_movie (7 * 20, 1);

  play (&source, "film", "", movie);
  test_receiver_wait_movie (source.receiver, movie);
  check_told (&source, "connecting film; added film; removed film; ");
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_who_names_another_stream_is_rejected_without_a_question)
{
  Source source = source_new ("streamid=film", TRUE);
  TestSender *sender = caller_new (&source, "another film", "");
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  wait_refusal (sender, "the receiver takes another stream id");
  wait_until (source.told, &source.told->rejected, 1);
  check_told (&source, "rejected another film; ");
  check_reason (&source, "the receiver takes another stream id");
  test_sender_free (sender);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_a_refusal_reaches_the_sender_as_an_error_with_its_reason)
{
  Source source = source_new ("keep-listening=true", TRUE);
  TestSender *sender = caller_new (&source, "none of these", "");
  GBytes *movie = test_movie (7 * 20, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  wait_refusal (sender, "there is no such film");
  wait_until (source.told, &source.told->rejected, 1);
  check_reason (&source, "there is no such film");
  test_sender_free (sender);
  play (&source, "any film", "", movie);
  test_receiver_wait_movie (source.receiver, movie);
  check_told (&source,
      "connecting none of these; rejected none of these; "
      "connecting any film; added any film; removed any film; ");
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_where_the_application_decides_a_sender_has_to_call)
{
  Source source = source_new ("stats-update-interval=20", TRUE);
  TestSender *stranger = test_sender_new (source.receiver->port, "");
  GBytes *movie = test_movie (7 * 10, 1);

  test_sender_push_bytes (stranger, movie, PAYLOAD_BYTES);
  test_log_wait_stat (source.receiver->log, "src", "foreign-packets", 3);
  fail_unless_equals_uint64 (test_stat (source.receiver->src, "packets-received"), 0);
  check_told (&source, "");
  test_sender_free (stranger);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
check_own_passphrase (const gchar *properties)
{
  gchar *all = g_strdup_printf ("keep-listening=true %s", properties);
  Source source = source_new (all, TRUE);
  GBytes *secret = test_movie (7 * 20, 1), *common = test_movie (7 * 20, 2);
  GByteArray *both = g_byte_array_new ();
  GBytes *expected;

  play (&source, "secret film", OWN_PASSPHRASE, secret);
  test_receiver_wait_movie (source.receiver, secret);
  test_wait_stat (source.receiver->src, "key-exchange", "psk");
  fail_unless (test_stat (source.receiver->src, "peer-protected"));
  play (&source, "film", properties, common);
  g_byte_array_append (both, g_bytes_get_data (secret, NULL), (guint) g_bytes_get_size (secret));
  g_byte_array_append (both, g_bytes_get_data (common, NULL), (guint) g_bytes_get_size (common));
  expected = g_byte_array_free_to_bytes (both);
  test_receiver_wait_movie (source.receiver, expected);
  source_free (&source);
  g_bytes_unref (expected);
  g_bytes_unref (common);
  g_bytes_unref (secret);
  g_free (all);
}

GST_START_TEST (test_one_caller_can_have_a_passphrase_and_others_none)
{
  check_own_passphrase ("");
}

GST_END_TEST;

GST_START_TEST (test_one_caller_can_have_another_passphrase_than_the_others)
{
  check_own_passphrase ("passphrase=\"of all the other films\"");
}

GST_END_TEST;

/* The source goes on, with other callers. */
GST_START_TEST (test_another_passphrase_than_the_caller_was_given_is_an_error_of_the_caller_alone)
{
  Source source = source_new ("keep-listening=true", TRUE);
  TestSender *sender = caller_new (&source, "secret film", "passphrase=\"of another film\"");
  GBytes *movie = test_movie (7 * 20, 1);
  GstMessage *message;
  GError *error;

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  message = test_log_wait (sender->log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "passphrase") != NULL, "%s", error->message);
  fail_unless_equals_uint64 (test_stat (source.receiver->src, "packets-received"), 0);
  test_sender_free (sender);
  play (&source, "film", "", movie);
  test_receiver_wait_movie (source.receiver, movie);
  fail_unless_equals_int (test_log_count (source.receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  g_error_free (error);
  gst_message_unref (message);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_what_a_caller_with_a_passphrase_sends_without_keys_is_refused)
{
  Source source = source_new ("stats-update-interval=20 accept-udp-ts=true", TRUE);
  TestSender *sender = caller_new (&source, "secret film", "");
  GBytes *movie = test_movie (7 * 10, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_log_wait_stat (source.receiver->log, "src", "packets-refused-plaintext", 1);
  fail_unless_equals_uint64 (test_stat (source.receiver->src, "packets-received"), 0);
  test_sender_free (sender);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
check_wrong_answer (const gchar *stream_id)
{
  Source source = source_new ("", TRUE);
  TestSender *sender = caller_new (&source, stream_id, "");
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  wait_refusal (sender, "the application has refused the call");
  gst_message_unref (test_log_wait (source.receiver->log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  test_sender_free (sender);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_START_TEST (test_a_passphrase_that_cannot_be_one_is_a_warning_and_refuses_the_call)
{
  check_wrong_answer ("short film");
}

GST_END_TEST;

/* The application has looked for it, and there is none. */
GST_START_TEST (test_no_passphrase_where_there_should_be_one_is_a_warning_and_refuses_the_call)
{
  check_wrong_answer ("unknown film");
}

GST_END_TEST;

GST_START_TEST (test_an_answer_of_another_type_is_a_warning_and_refuses_the_call)
{
  check_wrong_answer ("number of a film");
  check_wrong_answer ("later film");
}

GST_END_TEST;

GST_START_TEST (test_an_answer_that_is_put_off_is_a_warning_and_refuses_the_call)
{
  Source source = source_new ("", TRUE);
  TestSender *sender = caller_new (&source, "own film", "");
  GBytes *movie = test_movie (7, 1);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  wait_refusal (sender, "the application has refused the call");
  gst_message_unref (test_log_wait (source.receiver->log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  wait_until (source.told, &source.told->rejected, 1);
  check_told (&source, "connecting own film; rejected own film; ");
  test_sender_free (sender);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Calls until the call is answered. */
static void
call_from (TestPeer *peer, gint port)
{
  GstTfrcCallPacket packet = { .ssrc = peer->ssrc, .number = 1, .stream_id = "film" };
  GstTfrcAnswerPacket answer;

  send_call (peer, port, &packet);
  answer = receive_answer (peer);
  memcpy (packet.cookie, answer.cookie, sizeof packet.cookie);
  send_call (peer, port, &packet);
  fail_unless_equals_int (receive_answer (peer).kind, GST_TFRC_ANSWER_ACCEPTED);
}

GST_START_TEST (test_a_caller_that_makes_room_and_one_whose_port_calls_anew_are_removed)
{
  Source source = source_new ("", TRUE);
  TestPeer *peers[GST_TFRC_DOOR_SENDERS + 1];

  for (guint i = 0; i < G_N_ELEMENTS (peers); i++) {
    peers[i] = test_peer_new (0);
    call_from (peers[i], source.receiver->port);
  }
  wait_until (source.told, &source.told->added, G_N_ELEMENTS (peers));
  wait_until (source.told, &source.told->removed, 1);
  check_reason (&source, "another sender needs its place");
  peers[1]->ssrc++;
  call_from (peers[1], source.receiver->port);
  wait_until (source.told, &source.told->removed, 2);
  check_reason (&source, "its port calls anew");
  wait_until (source.told, &source.told->added, G_N_ELEMENTS (peers) + 1);
  fail_unless_equals_int (source.told->removed, 2);
  fail_unless_equals_int (source.told->rejected, 0);
  for (guint i = 0; i < G_N_ELEMENTS (peers); i++)
    test_peer_free (peers[i]);
  source_free (&source);
}

GST_END_TEST;

/* Returns what the statistics say of the only caller. */
static GstStructure *
get_caller (const Source *source)
{
  const GValue *callers;
  GstStructure *stats, *caller;

  g_object_get (source->receiver->src, "stats", &stats, NULL);
  callers = gst_structure_get_value (stats, "callers");
  fail_unless_equals_int (gst_value_array_get_size (callers), 1);
  caller = g_value_dup_boxed (gst_value_array_get_value (callers, 0));
  gst_structure_free (stats);
  return caller;
}

static gboolean
is_played (const GstStructure *caller)
{
  gboolean played;

  return gst_structure_get_boolean (caller, "is-played", &played) && played;
}

static gboolean
drop (const Source *source, guint64 id)
{
  gboolean is_there;

  g_signal_emit_by_name (source->receiver->src, "drop-caller", id, &is_there);
  return is_there;
}

/* Plays the beginning of a film, and drops its caller, who hears of that. */
static void
play_and_drop (Source *source, const gchar *stream_id, const gchar *properties, GBytes *movie)
{
  TestSender *sender = caller_new (source, stream_id, properties);
  guint64 id;

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_movie (source->receiver, movie);
  test_wait_stat (sender->sink, "peer-state", "connected");
  wait_until (source->told, &source->told->added, 1);
  g_mutex_lock (&source->told->lock);
  id = source->told->last_id;
  g_mutex_unlock (&source->told->lock);
  fail_unless (!drop (source, id + 1));
  fail_unless (drop (source, id));
  wait_until (source->told, &source->told->removed, 1);
  check_reason (source, "it was dropped");
  fail_unless (!drop (source, id));
  gst_message_unref (
      test_log_wait (sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "gone"));
  test_sender_free (sender);
}

static void
check_next_caller_is_played (
    Source *source, const gchar *dropped, const gchar *properties, const gchar *next)
{
  GBytes *first = test_movie (7, 1), *second = test_movie (7 * 20, 2);
  GByteArray *both = g_byte_array_new ();
  GBytes *expected;

  play_and_drop (source, dropped, properties, first);
  play (source, next, "", second);
  g_byte_array_append (both, g_bytes_get_data (first, NULL), (guint) g_bytes_get_size (first));
  g_byte_array_append (both, g_bytes_get_data (second, NULL), (guint) g_bytes_get_size (second));
  expected = g_byte_array_free_to_bytes (both);
  test_receiver_wait_movie (source->receiver, expected);
  g_bytes_unref (expected);
  g_bytes_unref (first);
  g_bytes_unref (second);
}

GST_START_TEST (test_a_caller_that_is_dropped_hears_of_that_and_makes_room_for_the_next)
{
  Source source = source_new ("keep-listening=true", TRUE);

  check_next_caller_is_played (&source, "film", "", "next film");
  check_told (&source,
      "connecting film; added film; removed film; "
      "connecting next film; added next film; removed next film; ");
  source_free (&source);
}

GST_END_TEST;

GST_START_TEST (test_a_caller_with_a_passphrase_of_its_own_that_is_dropped_hears_of_that)
{
  Source source = source_new ("keep-listening=true", TRUE);

  check_next_caller_is_played (&source, "secret film", OWN_PASSPHRASE, "next film");
  source_free (&source);
}

GST_END_TEST;

GST_START_TEST (test_the_stream_of_a_caller_that_is_dropped_ends)
{
  Source source = source_new ("", TRUE);
  GBytes *movie = test_movie (7, 1);

  play_and_drop (&source, "film", "", movie);
  test_receiver_wait_eos (source.receiver);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* The one that is played goes on. */
GST_START_TEST (test_a_caller_that_waits_for_its_turn_can_be_dropped)
{
  Source source = source_new ("stats-update-interval=20", TRUE);
  TestSender *sender = caller_new (&source, "film", "");
  GBytes *movie = test_movie (7 * 20, 1);
  TestPeer *waiting = test_peer_new (0);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (source.receiver, PAYLOAD_BYTES);
  call_from (waiting, source.receiver->port);
  wait_until (source.told, &source.told->added, 2);
  fail_unless (drop (&source, source.told->last_id));
  wait_until (source.told, &source.told->removed, 1);
  check_reason (&source, "it was dropped");
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
  test_receiver_wait_movie (source.receiver, movie);
  test_peer_free (waiting);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_the_statistics_have_the_callers_and_what_is_played)
{
  Source source = source_new ("keep-listening=true", TRUE);
  GBytes *movie = test_movie (7, 1);
  const gchar *address;
  GstStructure *caller;
  TestSender *sender;
  guint64 id;

  fail_unless_equals_uint64 (test_stat (source.receiver->src, "callers-accepted"), 0);
  sender = caller_new (&source, "film", "");
  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_movie (source.receiver, movie);
  fail_unless_equals_uint64 (test_stat (source.receiver->src, "callers-accepted"), 1);
  caller = get_caller (&source);
  address = gst_structure_get_string (caller, "sender");
  test_assert_stat (source.receiver->src, "sender", address);
  fail_unless_equals_string (gst_structure_get_string (caller, "stream-id"), "film");
  wait_until (source.told, &source.told->added, 1);
  fail_unless (gst_structure_get_uint64 (caller, "caller-id", &id) && id == source.told->last_id);
  fail_unless (is_played (caller));
  gst_structure_free (caller);
  test_sender_free (sender);
  wait_until (source.told, &source.told->removed, 1);
  fail_unless_equals_uint64 (test_stat (source.receiver->src, "callers-accepted"), 0);
  source_free (&source);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
sourcecallers_suite (void)
{
  Suite *suite = suite_create ("sourcecallers");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_source_without_a_handler_accepts_who_names_its_stream);
  tcase_add_test (tcase, test_the_application_is_asked_about_who_names_the_stream);
  tcase_add_test (tcase, test_who_names_another_stream_is_rejected_without_a_question);
  tcase_add_test (tcase, test_a_refusal_reaches_the_sender_as_an_error_with_its_reason);
  tcase_add_test (tcase, test_where_the_application_decides_a_sender_has_to_call);
  tcase_add_test (tcase, test_one_caller_can_have_a_passphrase_and_others_none);
  tcase_add_test (tcase, test_one_caller_can_have_another_passphrase_than_the_others);
  tcase_add_test (
      tcase, test_another_passphrase_than_the_caller_was_given_is_an_error_of_the_caller_alone);
  tcase_add_test (tcase, test_what_a_caller_with_a_passphrase_sends_without_keys_is_refused);
  tcase_add_test (tcase, test_a_passphrase_that_cannot_be_one_is_a_warning_and_refuses_the_call);
  tcase_add_test (
      tcase, test_no_passphrase_where_there_should_be_one_is_a_warning_and_refuses_the_call);
  tcase_add_test (tcase, test_an_answer_of_another_type_is_a_warning_and_refuses_the_call);
  tcase_add_test (tcase, test_an_answer_that_is_put_off_is_a_warning_and_refuses_the_call);
  tcase_add_test (tcase, test_a_caller_that_makes_room_and_one_whose_port_calls_anew_are_removed);
  tcase_add_test (tcase, test_a_caller_that_is_dropped_hears_of_that_and_makes_room_for_the_next);
  tcase_add_test (tcase, test_a_caller_with_a_passphrase_of_its_own_that_is_dropped_hears_of_that);
  tcase_add_test (tcase, test_the_stream_of_a_caller_that_is_dropped_ends);
  tcase_add_test (tcase, test_a_caller_that_waits_for_its_turn_can_be_dropped);
  tcase_add_test (tcase, test_the_statistics_have_the_callers_and_what_is_played);
  return suite;
}

GST_CHECK_MAIN (sourcecallers);
