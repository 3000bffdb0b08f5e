/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host has recorded a protected stream with its key messages, and plays the record again, from the
 * sender's address, to the same tfrcsrc after NULL -> PLAYING. */
#include "securitytest.h"

#include "testwire.h"

static const struct
{
  const gchar *sink, *source;
} modes[] = { { PSK, PSK }, { SINK_RSA, SOURCE_RSA }, { SINK_RSA_R, SOURCE_RSA_R } };

/* Of a source, 20 ms apart: longer than a sender that does not respond waits without keys, 1 s */
#define STATS 75

static gboolean
record (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  if (to_receiver)
    g_ptr_array_add (user, g_bytes_new (data, size));
  return TRUE;
}

static gint
sender_port (const TestWire *wire)
{
  struct sockaddr_in address;
  socklen_t size = sizeof address;

  fail_unless_equals_int (getsockname (wire->far, (struct sockaddr *) &address, &size), 0);
  return ntohs (address.sin_port);
}

/* Plays the movie over a wire that records it, and ends the wire and the sender.
 * Returns the port of the sender, as the receiver sees it. */
static gint
play_and_record (TestReceiver *receiver, guint mode, GBytes *movie, GPtrArray *recorded)
{
  TestWire *wire = test_wire_new (receiver->port, 0);
  gsize before = test_receiver_bytes (receiver);
  gint port = sender_port (wire);
  TestSender *sender;

  test_wire_set_tap (wire, record, NULL, recorded);
  sender = test_protected_sender_new (wire->port, modes[mode].sink);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_bytes (receiver, before + g_bytes_get_size (movie));
  test_wire_set_tap (wire, NULL, NULL, NULL);
  test_sender_free (sender);
  test_wire_free (wire);
  return port;
}

static void
restart (TestReceiver *receiver)
{
  test_set_state (receiver->pipeline, GST_STATE_NULL);
  g_object_set (receiver->src, "port", receiver->port, NULL);
  test_set_state (receiver->pipeline, GST_STATE_PLAYING);
}

static void
play_again (TestReceiver *receiver, gint port, const GPtrArray *recorded)
{
  TestPeer *peer = test_peer_new (port);
  guint stats = test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);

  for (guint i = 0; i < recorded->len; i++) {
    gsize size;
    const guint8 *data = g_bytes_get_data (recorded->pdata[i], &size);

    test_peer_send (peer, receiver->port, data, size);
  }
  gst_message_unref (
      test_log_wait (receiver->log, stats + STATS, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  test_peer_free (peer);
}

GST_START_TEST (test_record_is_not_played_after_null)
{
  GPtrArray *recorded = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GBytes *movie = test_movie (70, 1);
  gchar *keys = g_strconcat (modes[__i__].source, " keep-listening=true", NULL);
  TestReceiver *receiver = test_protected_receiver_new (keys);
  gint port = play_and_record (receiver, __i__, movie, recorded);

  restart (receiver);
  play_again (receiver, port, recorded);
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), g_bytes_get_size (movie));
  fail_unless (
      test_refused (receiver->src) > 0 || test_stat (receiver->src, "key-messages-refused") > 0);

  /* The element plays what is new. */
  g_ptr_array_set_size (recorded, 0);
  play_and_record (receiver, __i__, movie, recorded);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_ptr_array_unref (recorded);
  g_free (keys);
}
GST_END_TEST;

static Suite *
securityrecorded_suite (void)
{
  Suite *suite = suite_create ("securityrecorded");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  test_use_keys (tcase);
  tcase_add_loop_test (tcase, test_record_is_not_played_after_null, 0, (gint) G_N_ELEMENTS (modes));
  return suite;
}

GST_CHECK_MAIN (securityrecorded);
