/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tfrcsink or tfrcsrc with mode=listener, what its signals tell, and those that call it. */
#ifndef LISTENERFIXTURE_H
#define LISTENERFIXTURE_H

#include <string.h>

#include "gst/strangers/callpacket.h"
#include "tfrctest.h"

#define WAIT_S 30

/* An element that listens, what its signals have told, and what it answers */
typedef struct
{
  TestSender *sender; /* NULL: it is a source */
  gint port;
  gulong handler;

  GMutex lock; /* protects all fields below */
  GCond changed;
  GPtrArray *calls; /* of the stream ids that have called */
  GString *told;    /* all that the signals have told, in order: "added film; " */
  guint added, removed, rejected, deferred;
  guint64 last_id;
  guint64 deferred_id;
  gchar *reason; /* of the last one that was removed or rejected */
} Listener;

static inline GstStructure *
on_connecting (
    GstElement *sink, guint64 id, GSocketAddress *address, const gchar *stream_id, gpointer user)
{
  Listener *listener = user;

  fail_unless (G_IS_INET_SOCKET_ADDRESS (address));
  g_mutex_lock (&listener->lock);
  g_ptr_array_add (listener->calls, g_strdup (stream_id));
  g_string_append_printf (listener->told, "connecting %s; ", stream_id);
  if (g_str_has_prefix (stream_id, "own")) {
    listener->deferred++;
    listener->deferred_id = id;
  }
  g_cond_broadcast (&listener->changed);
  g_mutex_unlock (&listener->lock);
  if (g_str_has_prefix (stream_id, "own"))
    return gst_structure_new ("answer", "defer", G_TYPE_BOOLEAN, TRUE, NULL);
  if (g_str_has_prefix (stream_id, "none"))
    return gst_structure_new ("answer", "accept", G_TYPE_BOOLEAN, FALSE, "reason", G_TYPE_STRING,
        "there is no such film", NULL);
  if (g_str_has_prefix (stream_id, "secret"))
    return gst_structure_new ("answer", "passphrase", G_TYPE_STRING, "of this film alone", NULL);
  if (g_str_has_prefix (stream_id, "short"))
    return gst_structure_new ("answer", "passphrase", G_TYPE_STRING, "short", NULL);
  if (g_str_has_prefix (stream_id, "unknown"))
    return gst_structure_new ("answer", "passphrase", G_TYPE_STRING, NULL, NULL);
  if (g_str_has_prefix (stream_id, "number"))
    return gst_structure_new (
        "answer", "accept", G_TYPE_INT, 0, "passphrase", G_TYPE_STRING, "of this film alone", NULL);
  if (g_str_has_prefix (stream_id, "later"))
    return gst_structure_new ("answer", "defer", G_TYPE_INT, 1, NULL);
  return NULL;
}

static inline void
on_added (
    GstElement *sink, guint64 id, GSocketAddress *address, const gchar *stream_id, gpointer user)
{
  Listener *listener = user;

  g_mutex_lock (&listener->lock);
  listener->added++;
  g_string_append_printf (listener->told, "added %s; ", stream_id);
  listener->last_id = id;
  g_cond_broadcast (&listener->changed);
  g_mutex_unlock (&listener->lock);
}

static inline void
note_reason (Listener *listener, guint *count, const gchar *what, const gchar *stream_id,
    const gchar *reason)
{
  g_mutex_lock (&listener->lock);
  g_string_append_printf (listener->told, "%s %s; ", what, stream_id);
  (*count)++;
  g_free (listener->reason);
  listener->reason = g_strdup (reason);
  g_cond_broadcast (&listener->changed);
  g_mutex_unlock (&listener->lock);
}

static inline void
on_removed (GstElement *sink, guint64 id, GSocketAddress *address, const gchar *stream_id,
    const gchar *reason, gpointer user)
{
  note_reason (user, &((Listener *) user)->removed, "removed", stream_id, reason);
}

static inline void
on_rejected (GstElement *sink, GSocketAddress *address, const gchar *stream_id, const gchar *reason,
    gpointer user)
{
  note_reason (user, &((Listener *) user)->rejected, "rejected", stream_id, reason);
}

static inline Listener *
watch_new (void)
{
  Listener *listener = g_new0 (Listener, 1);

  g_mutex_init (&listener->lock);
  g_cond_init (&listener->changed);
  listener->calls = g_ptr_array_new_with_free_func (g_free);
  listener->told = g_string_new (NULL);
  return listener;
}

/* Hears what the element tells, and answers if it @decides. */
static inline void
watch (Listener *listener, GstElement *element, gboolean decides)
{
  if (decides)
    g_signal_connect (element, "caller-connecting", G_CALLBACK (on_connecting), listener);
  g_signal_connect (element, "caller-added", G_CALLBACK (on_added), listener);
  g_signal_connect (element, "caller-removed", G_CALLBACK (on_removed), listener);
  g_signal_connect (element, "caller-rejected", G_CALLBACK (on_rejected), listener);
}

static inline Listener *
listener_new (const gchar *properties)
{
  Listener *listener = watch_new ();
  gchar *all = g_strdup_printf ("mode=listener bind-address=127.0.0.1 %s", properties);

  listener->port = test_free_port ();
  listener->sender = test_sender_new (listener->port, all);
  watch (listener, listener->sender->sink, TRUE);
  g_free (all);
  return listener;
}

static inline void
listener_free (Listener *listener)
{
  if (listener->sender)
    test_sender_free (listener->sender);
  g_ptr_array_unref (listener->calls);
  g_string_free (listener->told, TRUE);
  g_mutex_clear (&listener->lock);
  g_cond_clear (&listener->changed);
  g_free (listener->reason);
  g_free (listener);
}

static inline void
wait_until (Listener *listener, const guint *count, guint expected)
{
  gint64 end_us = g_get_monotonic_time () + WAIT_S * G_TIME_SPAN_SECOND;

  g_mutex_lock (&listener->lock);
  while (*count < expected)
    fail_unless (g_cond_wait_until (&listener->changed, &listener->lock, end_us), "%u of %u",
        *count, expected);
  g_mutex_unlock (&listener->lock);
}

static inline gchar *
dup_reason (Listener *listener)
{
  gchar *reason;

  g_mutex_lock (&listener->lock);
  reason = g_strdup (listener->reason);
  g_mutex_unlock (&listener->lock);
  return reason;
}

static inline TestReceiver *
call (const Listener *listener, const gchar *stream_id, const gchar *properties)
{
  gchar *all = g_strdup_printf ("mode=caller address=127.0.0.1 port=%d streamid=\"%s\" %s",
      listener->port, stream_id, properties);
  TestReceiver *receiver = test_receiver_new (all);

  g_free (all);
  return receiver;
}

/* The movie has no random access point, so that who has joined gets what comes from now on. */
static inline void
send_call (TestPeer *peer, gint port, GstTfrcCallPacket *call)
{
  guint8 packet[GST_TFRC_CALL_MAX_BYTES];

  test_peer_send (peer, port, packet, gst_tfrc_call_packet_write (packet, call));
}

static inline GstTfrcAnswerPacket
receive_answer (TestPeer *peer)
{
  GstTfrcAnswerPacket answer;
  guint8 packet[2048];
  gsize size;

  do
    size = test_peer_receive (peer, packet, sizeof packet);
  while (!gst_tfrc_answer_packet_parse (packet, size, &answer));
  return answer;
}

/* Calls as a raw socket, and sends feedback on the first packet. */
static inline TfrcWireData
call_by_hand (Listener *listener, TestPeer *peer, GBytes *payload)
{
  GstTfrcCallPacket packet = { .ssrc = peer->ssrc, .number = 7, .stream_id = "film" };
  GstTfrcAnswerPacket answer;
  TfrcWireData data;

  send_call (peer, listener->port, &packet);
  answer = receive_answer (peer);
  fail_unless_equals_int (answer.kind, GST_TFRC_ANSWER_COOKIE);
  memcpy (packet.cookie, answer.cookie, sizeof packet.cookie);
  send_call (peer, listener->port, &packet);
  fail_unless_equals_int (receive_answer (peer).kind, GST_TFRC_ANSWER_ACCEPTED);
  test_sender_push_bytes (listener->sender, payload, PAYLOAD_BYTES);
  data = test_peer_receive_data (peer, NULL);
  test_peer_send_feedback (peer, listener->port, &data, 0);
  return data;
}

#endif
