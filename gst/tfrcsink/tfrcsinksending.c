/* How packets of a stream leave: from the queue, when smoother and TFRC both let
 * them, to the socket. */
#include "tfrcsinkstream-private.h"

#include <errno.h>

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* After a send that failed: neither spin nor lose much time. */
#define SEND_RETRY_NS (10 * MS_NS)

guint64
tfrc_sink_stream_next_send (const TfrcSinkStream *stream)
{
  guint64 next_ns = tfrc_packet_queue_next_ns (&stream->queue);

  next_ns = MAX (next_ns, tfrc_sender_next_send_ns (stream->session.sender));
  return MAX (next_ns, stream->retry_ns);
}

static guint
prepare_batch (TfrcSinkStream *stream, guint64 now_ns, TfrcPacket **packets,
    guint8 headers[][TFRC_WIRE_MAX_HEADER_BYTES], TfrcSendItem *items)
{
  guint n;

  for (n = 0; n < TFRC_BATCH_PACKETS; n++) {
    TfrcPacket *packet;

    if (now_ns < tfrc_packet_queue_next_ns (&stream->queue))
      break;
    packet = tfrc_packet_queue_pop (&stream->queue);
    items[n].header = headers[n];
    items[n].header_bytes = tfrc_sink_session_write_header (
        &stream->session, packet->size, packet->due_ns, now_ns, headers[n]);
    if (items[n].header_bytes == 0) {
      tfrc_packet_queue_push_back (&stream->queue, packet);
      break;
    }
    items[n].payload = packet->data;
    items[n].payload_bytes = packet->size;
    packets[n] = packet;
  }
  return n;
}

static void
account_sent (TfrcSinkStream *stream, TfrcPacket *packet, guint64 now_ns)
{
  const TfrcPacketQueue *queue = &stream->queue;

  tfrc_histogram_add (&stream->delay, now_ns - MIN (now_ns, packet->due_ns));
  if (queue->max_time_ns > 0
      && tfrc_packet_queue_wait_ns (queue, packet, now_ns) > queue->max_time_ns)
    stream->packets_overdue++;
  tfrc_packet_free (packet);
}

/* Packets that did not leave go back to the queue, with their sequence
 * numbers: the receiver is not to take our trouble for congestion. */
static void
account_batch (TfrcSinkStream *stream, TfrcPacket **packets, guint n, guint sent, gint error,
    gboolean flushed, guint64 now_ns, gint *new_error)
{
  guint i;

  for (i = 0; i < sent; i++)
    account_sent (stream, packets[i], now_ns);
  for (i = n; i-- > sent;) {
    tfrc_sender_cancel (stream->session.sender, packets[i]->size);
    if (flushed)
      tfrc_packet_free (packets[i]);
    else
      tfrc_packet_queue_push_back (&stream->queue, packets[i]);
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
tfrc_sink_stream_is_empty (const TfrcSinkStream *stream)
{
  return tfrc_packet_queue_length (&stream->queue) == 0 && stream->in_flight == 0;
}

void
tfrc_sink_stream_wake_producer (TfrcSinkStream *stream, guint64 now_ns)
{
  if (stream->producer_waits
      && (tfrc_sink_stream_is_empty (stream)
          || tfrc_packet_queue_is_low (&stream->queue, now_ns))) {
    stream->producer_waits = FALSE;
    g_cond_signal (&stream->room);
  }
}

gboolean
tfrc_sink_stream_send_batch (TfrcSinkStream *stream, guint64 now_ns, gint *new_error)
{
  TfrcPacket *packets[TFRC_BATCH_PACKETS];
  guint8 headers[TFRC_BATCH_PACKETS][TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcSendItem items[TFRC_BATCH_PACKETS];
  guint n, sent, flushes = stream->flushes;
  TfrcAddress peer = stream->session.paths.peer;
  gint error = 0;

  if (now_ns < stream->retry_ns)
    return FALSE;
  n = prepare_batch (stream, now_ns, packets, headers, items);
  if (n == 0)
    return FALSE;

  stream->in_flight = n;
  g_mutex_unlock (&stream->lock);
  sent = tfrc_socket_send (stream->fd, &peer, NULL, items, n, &error);
  g_mutex_lock (&stream->lock);
  stream->in_flight = 0;
  account_batch (stream, packets, n, sent, error, stream->flushes != flushes, now_ns, new_error);
  tfrc_sink_stream_wake_producer (stream, now_ns);
  return sent == TFRC_BATCH_PACKETS;
}
