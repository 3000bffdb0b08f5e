/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way of a stream's packets: from the queue, when smoother and TFRC both allow them, to the
 * socket. */
#include "sinkstream-private.h"

#include <errno.h>

#include "../flow/grouping.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* After a send that failed: neither spin nor lose much time. */
#define SEND_RETRY_NS (10 * MS_NS)

/* TFRC has allowed a sealed packet already. The first packet of all starts the exchange of keys. */
guint64
gst_tfrc_sink_stream_next_send (const GstTfrcSinkStream *stream)
{
  guint64 next_ns = gst_tfrc_send_queue_next_ns (&stream->queue);
  const GstTfrcPacket *oldest = gst_tfrc_send_queue_peek (&stream->queue);

  if (oldest && !gst_tfrc_sink_stream_has_keys (stream))
    return gst_tfrc_sink_keys_is_started (stream->keys) ? G_MAXUINT64 : next_ns;
  if (oldest && !oldest->is_sealed)
    next_ns = MAX (next_ns,
        gst_tfrc_rate_control_next_send_ns (
            gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session))));
  next_ns = gst_tfrc_grouping_time_ns (next_ns,
      gst_tfrc_rate_control_get_drain_rate_Bps (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session))));
  return MAX (next_ns, stream->retry_ns);
}

void
gst_tfrc_sink_stream_drop_overdue (GstTfrcSinkStream *stream, guint64 now_ns)
{
  stream->packets_dropped += gst_tfrc_send_queue_drop_overdue (&stream->queue, now_ns);
}

/* Takes packets from the queue that are allowed now, GST_TFRC_BATCH_PACKETS at most. Returns how
 * many. */
static guint
prepare_batch (GstTfrcSinkStream *stream, guint64 now_ns, GstTfrcPacket **packets)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  guint n = 0;

  while (n < GST_TFRC_BATCH_PACKETS && now_ns >= gst_tfrc_send_queue_next_ns (&stream->queue)) {
    GstTfrcPacket *packet = gst_tfrc_send_queue_pop (&stream->queue);

    switch (gst_tfrc_send_session_prepare (stream->session, packet, now_ns)) {
      case GST_TFRC_PREPARED:
        packets[n++] = packet;
        break;
      case GST_TFRC_TOO_EARLY:
        gst_tfrc_send_queue_push_back (&stream->queue, packet);
        return n;
    }
  }
  return n;
}

/* Packets that cannot be protected do not leave. Their numbers are lost. */
static void
drop_unsealed (GstTfrcSinkStream *stream, GstTfrcPacket **packets, guint n)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  for (guint i = 0; i < n; i++)
    gst_tfrc_packet_unref (packets[i]);
  stream->packets_dropped += n;
}

/* A packet without ECT leaves with the TOS of the socket. */
static guint8
get_tos (const GstTfrcSinkStream *stream, const GstTfrcPacket *packet)
{
  return packet->ecn == TFRC_ECN_FIELD_NOT_ECT
      ? 0
      : gst_tfrc_endpoint_get_tos (stream->endpoint, packet->ecn);
}

/* @groups: packets may leave in groups */
static guint
send_packets (GstTfrcSinkStream *stream, const GstTfrcAddress *to, GstTfrcPacket **packets, guint n,
    gboolean groups, GstTfrcSendFailure *failure) GST_TFRC_EXCLUDES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcSendItem items[GST_TFRC_BATCH_PACKETS];

  for (guint i = 0; i < n; i++)
    items[i] = (GstTfrcSendItem){ gst_tfrc_packet_datagram (packets[i]), packets[i]->datagram_bytes,
      packets[i]->ttl, get_tos (stream, packets[i]) };
  if (groups)
    return gst_tfrc_endpoint_send_groups (stream->endpoint, to, NULL, items, n, failure);
  failure->packets = 1;
  return gst_tfrc_endpoint_send (stream->endpoint, to, NULL, items, n, &failure->error);
}

static void
account_sent (GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  const GstTfrcSendQueue *queue = &stream->queue;

  gst_tfrc_histogram_add (&stream->delay, now_ns - MIN (now_ns, packet->due_ns));
  if (queue->max_time_ns > 0
      && gst_tfrc_send_queue_wait_ns (queue, packet, now_ns) > queue->max_time_ns)
    stream->packets_overdue++;
  gst_tfrc_packet_unref (packet);
}

/* Does the system refuse a packet that perhaps could leave without ECT? A rule of the own firewall
 * gives EPERM. */
static gboolean
is_refused_for_ecn (const GstTfrcPacket *packet, gint error)
{
  return packet->ecn != TFRC_ECN_FIELD_NOT_ECT && (error == EINVAL || error == EPERM);
}

/* Packets that did not leave go back to the queue, so that the receiver does not take the host's
 * trouble for congestion. Their numbers: see gst_tfrc_send_session_take_back(). A full queue of the
 * own interface (ENOBUFS) is congestion, and drops a whole group. A full socket buffer (EAGAIN) is
 * not. */
static void
account_batch (GstTfrcSinkStream *stream, GstTfrcPacket **packets, guint n, guint sent,
    const GstTfrcSendFailure *failure, gboolean flushed, guint64 now_ns, gint *new_error)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  const gint error = failure->error;
  gboolean refuses_ecn = sent < n && is_refused_for_ecn (packets[sent], error);
  guint i;

  for (i = 0; i < sent; i++)
    account_sent (stream, packets[i], now_ns);
  for (i = n; i-- > sent;) {
    gst_tfrc_send_session_take_back (stream->session, packets[i]);
    if (flushed)
      gst_tfrc_packet_unref (packets[i]);
    else
      gst_tfrc_send_queue_push_back (&stream->queue, packets[i]);
  }
  if (sent == n) {
    stream->send_failed = FALSE;
    return;
  }
  stream->send_errors++;
  stream->retry_ns = now_ns + SEND_RETRY_NS;
  if (refuses_ecn) {
    tfrc_ecn_refuse (
        gst_tfrc_send_media_get_ecn (gst_tfrc_send_session_get_media (stream->session)));
    return;
  }
  if (error == ENOBUFS)
    gst_tfrc_rate_control_on_local_drop (
        gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)),
        failure->packets);
  if (error == EAGAIN || error == ENOBUFS)
    return;
  if (!stream->send_failed)
    *new_error = error;
  stream->send_failed = TRUE;
}

gboolean
gst_tfrc_sink_stream_is_empty (const GstTfrcSinkStream *stream)
{
  return gst_tfrc_lookahead_length (&stream->lookahead) == 0
      && gst_tfrc_send_queue_length (&stream->queue) == 0 && stream->in_flight == 0;
}

/* Is there so much room that the streaming thread is worth waking? */
static gboolean
has_room (const GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  guint max_packets = stream->queue.max_packets;

  return !stream->is_full && gst_tfrc_send_queue_is_low (&stream->queue, now_ns)
      && gst_tfrc_lookahead_length (&stream->lookahead) <= max_packets - max_packets / 4;
}

void
gst_tfrc_sink_stream_wake_streaming_thread (GstTfrcSinkStream *stream, guint64 now_ns)
{
  if (stream->is_streaming_thread_waiting
      && (gst_tfrc_sink_stream_is_empty (stream) || has_room (stream, now_ns))) {
    stream->is_streaming_thread_waiting = FALSE;
    g_cond_signal (&stream->wake);
  }
}

gboolean
gst_tfrc_sink_stream_send_batch (GstTfrcSinkStream *stream, guint64 now_ns, gint *new_error)
{
  GstTfrcPacket *packets[GST_TFRC_BATCH_PACKETS];
  guint n, sealed, sent = 0, flushes = stream->flushes;
  GstTfrcSendSession *session = stream->session;
  GstTfrcAddress peer = *gst_tfrc_send_paths_get_peer (gst_tfrc_send_session_get_paths (session));
  gboolean groups = gst_tfrc_grouping_is_worth (gst_tfrc_rate_control_get_drain_rate_Bps (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session))));
  GstTfrcSendFailure failure = { 0 };

  if (now_ns < stream->retry_ns || !gst_tfrc_sink_stream_has_keys (stream))
    return FALSE;
  n = prepare_batch (stream, now_ns, packets);
  if (n == 0)
    return FALSE;

  gst_tfrc_sink_stream_follow_ttl (stream, now_ns);
  stream->in_flight = n;
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  sealed = gst_tfrc_sink_stream_seal (stream, session, packets, n);
  if (sealed > 0)
    sent = send_packets (stream, &peer, packets, sealed, groups, &failure);
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  stream->in_flight = 0;
  drop_unsealed (stream, packets + sealed, n - sealed);
  account_batch (
      stream, packets, sealed, sent, &failure, stream->flushes != flushes, now_ns, new_error);
  gst_tfrc_sink_stream_wake_streaming_thread (stream, now_ns);
  return sent == GST_TFRC_BATCH_PACKETS;
}
