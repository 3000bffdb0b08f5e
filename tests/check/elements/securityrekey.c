/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* New keys while the movie runs, ends that start again, and the end of a protected stream. */
#include "securitytest.h"

#include "testwire.h"

#define ROUND_BYTES (2 * PAYLOAD_BYTES)

static TestReceiver *receiver;
static TestSender *sender;
static GBytes *movie;
static gsize pushed;

static void
start (const gchar *sink, const gchar *source)
{
  receiver = test_protected_receiver_new (source);
  sender = test_protected_sender_new (receiver->port, sink);
  movie = test_movie (7 * 400, 1);
  pushed = 0;
}

static void
finish (void)
{
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

static void
play (void)
{
  test_sender_push (sender, (const guint8 *) g_bytes_get_data (movie, NULL) + pushed, ROUND_BYTES);
  pushed += ROUND_BYTES;
  test_receiver_wait_bytes (receiver, pushed);
}

static void
begin (const gchar *sink, const gchar *source)
{
  start (sink, source);
  play ();
  test_wait_security (sender->log, 1, "established");
  test_wait_security (receiver->log, 1, "established");
}

static void
check_rekeyings (guint n)
{
  GBytes *part = g_bytes_new_from_bytes (movie, 0, pushed);

  test_receiver_wait_movie (receiver, part);
  g_bytes_unref (part);
  fail_unless_equals_uint64 (test_stat (sender->sink, "rekeyings"), n);
  fail_unless_equals_uint64 (test_stat (receiver->src, "rekeyings"), n);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_refused (receiver->src), 0);
  fail_unless_equals_uint64 (test_refused (sender->sink), 0);
}

static const struct
{
  const gchar *sink, *source;
} ways[] = {
  { PSK, PSK },
  { SINK_RSA, SOURCE_RSA },
  { SINK_RSA_R, SOURCE_RSA_R },
};

GST_START_TEST (test_sink_renews_keys_while_the_movie_runs)
{
  begin (ways[__i__].sink, ways[__i__].source);
  for (guint i = 1; i <= 3; i++) {
    g_signal_emit_by_name (sender->sink, "rekey");
    play ();
    test_wait_security (sender->log, i, "rekeyed");
    test_wait_security (receiver->log, i, "rekeyed");
    play ();
  }
  check_rekeyings (3);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_source_asks_for_new_keys_while_the_movie_runs)
{
  begin (ways[__i__].sink, ways[__i__].source);
  for (guint i = 1; i <= 2; i++) {
    g_signal_emit_by_name (receiver->src, "rekey");
    play ();
    test_wait_security (sender->log, i, "rekeyed");
    test_wait_security (receiver->log, i, "rekeyed");
    play ();
  }
  check_rekeyings (2);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_keys_are_renewed_at_the_interval)
{
  begin (PSK " rekey-interval=1", PSK);
  test_wait_security (sender->log, 2, "rekeyed");
  test_wait_security (receiver->log, 2, "rekeyed");
  play ();
  finish ();
}

GST_END_TEST;

/* Without a stream there is nothing to renew. */
GST_START_TEST (test_rekey_without_keys_does_nothing)
{
  start ("", "");
  g_signal_emit_by_name (sender->sink, "rekey");
  g_signal_emit_by_name (receiver->src, "rekey");
  play ();
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_ELEMENT, "tfrc-security", NULL), 0);
  finish ();
}

GST_END_TEST;

/* ---- ends that start again ------------------------------------------------ */

GST_START_TEST (test_stream_is_back_after_a_restart_of_the_source)
{
  gchar *port;

  begin (ways[__i__].sink, ways[__i__].source);
  port = g_strdup_printf ("%d", receiver->port);
  test_set_state (receiver->pipeline, GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (receiver->src), "port", port);
  test_set_state (receiver->pipeline, GST_STATE_PLAYING);
  pushed = test_receiver_bytes (receiver);
  /* The first packets only show the source that there is a stream. */
  while (test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-security", "established") < 2
      || test_receiver_bytes (receiver) < pushed + ROUND_BYTES)
    test_sender_push (sender, g_bytes_get_data (movie, NULL), ROUND_BYTES);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  g_free (port);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_stream_is_back_after_a_restart_of_the_sink)
{
  gchar *properties = g_strconcat (ways[__i__].source, " keep-listening=true", NULL);

  begin (ways[__i__].sink, properties);
  test_set_state (sender->pipeline, GST_STATE_NULL);
  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  play ();
  play ();
  test_wait_security (sender->log, 2, "established");
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_ERROR, NULL, NULL), 0);
  g_free (properties);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_stream_goes_on_after_pause_and_flush)
{
  begin (PSK, PSK);
  test_set_state (sender->pipeline, GST_STATE_PAUSED);
  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  play ();
  gst_element_send_event (sender->appsrc, gst_event_new_flush_start ());
  gst_element_send_event (sender->appsrc, gst_event_new_flush_stop (TRUE));
  test_set_state (receiver->pipeline, GST_STATE_PAUSED);
  test_set_state (receiver->pipeline, GST_STATE_PLAYING);
  play ();
  check_rekeyings (0);
  finish ();
}

GST_END_TEST;

/* ---- seeks ---------------------------------------------------------------- */

static gboolean
on_seek (GstElement *appsrc, guint64 offset, gpointer user)
{
  pushed = offset;
  return TRUE;
}

static void
seek_and_flush (gsize offset)
{
  fail_unless (gst_element_seek_simple (
      sender->pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, (gint64) offset));
}

/* What a seek that does not flush sends downstream.  appsrc itself waits with such a seek until it
 * has a buffer. */
static void
begin_segment (gsize offset)
{
  GstPad *pad = gst_element_get_static_pad (sender->appsrc, "src");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  segment.start = segment.position = offset;
  fail_unless (gst_pad_push_event (pad, gst_event_new_segment (&segment)));
  gst_object_unref (pad);
  pushed = offset;
}

static void (*const seeks[]) (gsize offset) = { seek_and_flush, begin_segment };

/* The application skips 4 rounds of the movie, and then plays the beginning again. */
static const gsize seek_targets[] = { 6 * ROUND_BYTES, 0 };

/* Plays two rounds from where the movie is; @expected: all that was played */
static void
play_from_here (GByteArray *expected)
{
  const guint8 *data = (const guint8 *) g_bytes_get_data (movie, NULL) + pushed;

  test_sender_push (sender, data, 2 * ROUND_BYTES);
  g_byte_array_append (expected, data, 2 * ROUND_BYTES);
  pushed += 2 * ROUND_BYTES;
  test_receiver_wait_bytes (receiver, expected->len);
}

GST_START_TEST (test_stream_keeps_its_keys_over_a_seek)
{
  GByteArray *expected = g_byte_array_new ();
  GBytes *played;

  start (PSK, PSK);
  gst_util_set_object_arg (G_OBJECT (sender->appsrc), "stream-type", "seekable");
  g_signal_connect (sender->appsrc, "seek-data", G_CALLBACK (on_seek), NULL);
  play_from_here (expected);
  test_wait_security (sender->log, 1, "established");
  for (guint i = 0; i < G_N_ELEMENTS (seek_targets); i++) {
    seeks[__i__](seek_targets[i]);
    fail_unless_equals_uint64 (pushed, seek_targets[i]);
    play_from_here (expected);
  }
  played = g_byte_array_free_to_bytes (expected);
  test_receiver_wait_movie (receiver, played);
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_ELEMENT, "tfrc-security", NULL), 1);
  fail_unless_equals_int (
      test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-security", NULL), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_refused (receiver->src) + test_refused (sender->sink), 0);
  g_bytes_unref (played);
  finish ();
}

GST_END_TEST;

/* ---- the end -------------------------------------------------------------- */

static gboolean
look_for_bye (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  TfrcWireRtcp rtcp;

  if (tfrc_wire_classify (data, size) == TFRC_WIRE_KIND_RTCP
      && tfrc_wire_parse_rtcp (data, size, 0, &rtcp) == TFRC_WIRE_OK && rtcp.has_bye)
    g_atomic_int_inc ((gint *) user);
  return TRUE;
}

GST_START_TEST (test_end_of_the_stream_is_protected_and_a_forged_one_does_nothing)
{
  guint8 bye[TFRC_WIRE_MAX_RTCP_BYTES];
  TestWire *wire;
  gint plain = 0;

  receiver = test_receiver_new (PSK);
  wire = test_wire_new (receiver->port, 0);
  test_wire_set_tap (wire, look_for_bye, NULL, &plain);
  sender = test_sender_new (wire->port, PSK);
  movie = test_movie (7 * 20, 1);
  pushed = 0;
  play ();
  /* from the sender's address, with the sender's SSRC */
  test_wire_pass (wire, TRUE, bye,
      tfrc_wire_write_bye (bye, (guint32) test_stat (sender->sink, "ssrc"), "forged"));
  test_log_wait_stat (receiver->log, "src", "packets-refused-plaintext", 1);
  play ();
  fail_unless_equals_uint64 (test_stat (receiver->src, "byes-refused"), 0);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_receiver_wait_eos (receiver);
  test_wire_set_tap (wire, NULL, NULL, NULL);
  fail_unless_equals_int (plain, 0);
  finish ();
  test_wire_free (wire);
}

GST_END_TEST;

static Suite *
securityrekey_suite (void)
{
  Suite *suite = suite_create ("securityrekey");
  TCase *tcase = tcase_create ("general");
  gint n = (gint) G_N_ELEMENTS (ways);

  test_use_keys (tcase);
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_sink_renews_keys_while_the_movie_runs, 0, n);
  tcase_add_loop_test (tcase, test_source_asks_for_new_keys_while_the_movie_runs, 0, n);
  tcase_add_test (tcase, test_keys_are_renewed_at_the_interval);
  tcase_add_test (tcase, test_rekey_without_keys_does_nothing);
  tcase_add_loop_test (tcase, test_stream_is_back_after_a_restart_of_the_source, 0, n);
  tcase_add_loop_test (tcase, test_stream_is_back_after_a_restart_of_the_sink, 0, n);
  tcase_add_test (tcase, test_stream_goes_on_after_pause_and_flush);
  tcase_add_loop_test (
      tcase, test_stream_keeps_its_keys_over_a_seek, 0, (gint) G_N_ELEMENTS (seeks));
  tcase_add_test (tcase, test_end_of_the_stream_is_protected_and_a_forged_one_does_nothing);
  return suite;
}

GST_CHECK_MAIN (securityrekey);
