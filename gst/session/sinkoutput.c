/* How packets of a stream leave: from the queue, when smoother and TFRC both let
 * them, to the socket. */
#include "sinkstream-private.h"

#include <errno.h>

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* After a send that failed: neither spin nor lose much time. */
#define SEND_RETRY_NS (10 * MS_NS)

guint64
gst_tfrc_sink_stream_next_send (const GstTfrcSinkStream *stream)
{
  guint64 next_ns = gst_tfrc_send_queue_next_ns (&stream->queue);

  next_ns = MAX (next_ns, tfrc_sender_next_send_ns (stream->session.sender));
  return MAX (next_ns, stream->retry_ns);
}

static guint
prepare_batch (GstTfrcSinkStream *stream, guint64 now_ns, GstTfrcPacket **packets,
    guint8 headers[][TFRC_WIRE_MAX_HEADER_BYTES], GstTfrcSendItem *items)
{
  guint n;

  for (n = 0; n < GST_TFRC_BATCH_PACKETS; n++) {
    GstTfrcPacket *packet;

    if (now_ns < gst_tfrc_send_queue_next_ns (&stream->queue))
      break;
    packet = gst_tfrc_send_queue_pop (&stream->queue);
    items[n].header = headers[n];
    items[n].header_bytes = gst_tfrc_sink_session_write_header (
        &stream->session, packet->size, packet->due_ns, now_ns, headers[n]);
    if (items[n].header_bytes == 0) {
      gst_tfrc_send_queue_push_back (&stream->queue, packet);
      break;
    }
    items[n].payload = packet->data;
    items[n].payload_bytes = packet->size;
    packets[n] = packet;
  }
  return n;
}

static void
account_sent (GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 now_ns)
{
  const GstTfrcSendQueue *queue = &stream->queue;

  gst_tfrc_histogram_add (&stream->delay, now_ns - MIN (now_ns, packet->due_ns));
  if (queue->max_time_ns > 0
      && gst_tfrc_send_queue_wait_ns (queue, packet, now_ns) > queue->max_time_ns)
    stream->packets_overdue++;
  gst_tfrc_packet_free (packet);
}

/* Packets that did not leave go back to the queue, with their sequence
 * numbers: the receiver is not to take our trouble for congestion. */
static void
account_batch (GstTfrcSinkStream *stream, GstTfrcPacket **packets, guint n, guint sent, gint error,
    gboolean flushed, guint64 now_ns, gint *new_error)
{
  guint i;

  for (i = 0; i < sent; i++)
    account_sent (stream, packets[i], now_ns);
  for (i = n; i-- > sent;) {
    tfrc_sender_cancel (stream->session.sender, packets[i]->size);
    if (flushed)
      gst_tfrc_packet_free (packets[i]);
    else
      gst_tfrc_send_queue_push_back (&stream->queue, packets[i]);
  }
  if (sent == n) {
    stream->send_failed = FALSE;
    return;
  }
  stream->send_errors++;
  stream->retry_ns = now_ns + SEND_RETRY_NS;
  if (error == EAGAIN || error == ENOBUFS)
    return;
  if (!stream->send_failed)
    *new_error = error;
  stream->send_failed = TRUE;
}

gboolean
gst_tfrc_sink_stream_is_empty (const GstTfrcSinkStream *stream)
{
  return gst_tfrc_send_queue_length (&stream->queue) == 0 && stream->in_flight == 0;
}

void
gst_tfrc_sink_stream_wake_producer (GstTfrcSinkStream *stream, guint64 now_ns)
{
  if (stream->producer_waits
      && (gst_tfrc_sink_stream_is_empty (stream)
          || gst_tfrc_send_queue_is_low (&stream->queue, now_ns))) {
    stream->producer_waits = FALSE;
    g_cond_signal (&stream->room);
  }
}

gboolean
gst_tfrc_sink_stream_send_batch (GstTfrcSinkStream *stream, guint64 now_ns, gint *new_error)
{
  GstTfrcPacket *packets[GST_TFRC_BATCH_PACKETS];
  guint8 headers[GST_TFRC_BATCH_PACKETS][TFRC_WIRE_MAX_HEADER_BYTES];
  GstTfrcSendItem items[GST_TFRC_BATCH_PACKETS];
  guint n, sent, flushes = stream->flushes;
  GstTfrcAddress peer = stream->session.paths.peer;
  gint error = 0;

  if (now_ns < stream->retry_ns)
    return FALSE;
  n = prepare_batch (stream, now_ns, packets, headers, items);
  if (n == 0)
    return FALSE;

  stream->in_flight = n;
  g_mutex_unlock (&stream->lock);
  sent = gst_tfrc_socket_send (stream->fd, &peer, NULL, items, n, &error);
  g_mutex_lock (&stream->lock);
  stream->in_flight = 0;
  account_batch (stream, packets, n, sent, error, stream->flushes != flushes, now_ns, new_error);
  gst_tfrc_sink_stream_wake_producer (stream, now_ns);
  return sent == GST_TFRC_BATCH_PACKETS;
}
