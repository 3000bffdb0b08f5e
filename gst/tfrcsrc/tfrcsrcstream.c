/* The I/O loop's side of a stream, see tfrcsrcstream.h: receives, answers and
 * queues. */
#include "tfrcsrcstream-private.h"

#include <string.h>
#include <unistd.h>

#include "../common/tfrcclock.h"

#define TS_PACKET_BYTES 188
#define TS_SYNC_BYTE 0x47

/* RTCP packets that one wake-up may send: a few feedbacks and a report */
#define MAX_RTCP_IN_ONE_GO 8

static void
free_packet (gpointer data)
{
  TfrcSrcPacket *packet = data;

  gst_buffer_unref (packet->buffer);
  g_slice_free (TfrcSrcPacket, packet);
}

static TfrcSrcPacket *
new_packet (const TfrcReceivedPacket * received, const TfrcWireData * header)
{
  gsize size = header->header_bytes + header->payload_bytes;
  TfrcSrcPacket *packet = g_slice_new (TfrcSrcPacket);

  packet->buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_fill (packet->buffer, 0, received->data, size);
  packet->header_bytes = header->header_bytes;
  packet->payload_bytes = header->payload_bytes;
  return packet;
}

/* ---- who is heard ------------------------------------------------------ */

static gboolean
is_transport_stream (const TfrcReceivedPacket * packet,
    const TfrcWireData * header)
{
  return header->payload_type == TFRC_WIRE_PAYLOAD_TYPE
      && header->payload_bytes > 0
      && header->payload_bytes % TS_PACKET_BYTES == 0
      && packet->data[header->header_bytes] == TS_SYNC_BYTE;
}

/* One port carries one stream: that of the first sender, until it has ended,
 * restarts from the same address, or has long been silent.  Unless it has ended
 * the next one is on probation first. */
static gboolean
may_take_over (const TfrcSrcStream * stream, const TfrcReceivedPacket * packet)
{
  const TfrcSrcSession *session = stream->session;

  if (session == NULL)
    return TRUE;
  if (session->ended)
    return stream->keep_listening;
  return tfrc_address_equal (&session->address, packet->from)
      || packet->arrival_ns > session->heard_ns + TFRC_SRC_TAKEOVER_NS;
}

static gboolean
is_from_sender (const TfrcSrcStream * stream,
    const TfrcReceivedPacket * packet, guint32 ssrc)
{
  return stream->session && stream->session->ssrc == ssrc
      && tfrc_address_equal (&stream->session->address, packet->from);
}

static gboolean
start_session (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    guint32 ssrc)
{
  TfrcSrcSession *session = tfrc_src_session_new (packet->from, ssrc);

  if (session == NULL)
    return FALSE;
  if (stream->session)
    tfrc_reorder_restart (&stream->queue);
  tfrc_src_session_free (stream->session);
  stream->session = session;
  return TRUE;
}

/* ---- packets ----------------------------------------------------------- */

/* @queued_ns: when the pipeline could have it, at the earliest */
static void
take_data (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    const TfrcWireData * header, guint64 queued_ns)
{
  TfrcArrival arrival;

  if (!tfrc_src_session_on_data (stream->session, header, packet, &arrival)) {
    stream->foreign_packets++;
    return;
  }
  if (arrival.kind == TFRC_ARRIVAL_RESTART)
    tfrc_reorder_restart (&stream->queue);
  if (arrival.kind != TFRC_ARRIVAL_DUPLICATE)
    tfrc_reorder_push (&stream->queue, arrival.seq, queued_ns,
        new_packet (packet, header));
}

/* A packet of another stream: FALSE if this one does not begin, or not yet. */
static gboolean
take_over (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    const TfrcWireData * header)
{
  TfrcProbation *probation = &stream->probation;
  gboolean passed = tfrc_probation_is_passed (probation, packet, header);

  if (!may_take_over (stream, packet)) {
    stream->foreign_packets++;
    return FALSE;
  }
  if (probation->holds && !passed)
    stream->foreign_packets++;  /* the one that is held */
  if (stream->session && !stream->session->ended && !passed) {
    tfrc_probation_hold (probation, packet, header);
    return FALSE;
  }
  probation->holds = FALSE;
  if (!start_session (stream, packet, header->ssrc)) {
    stream->foreign_packets++;
    return FALSE;
  }
  /* The pipeline could not have it before: what is waiting for it then must not
   * make it too old. */
  if (passed)
    take_data (stream, &probation->packet, &probation->header,
        packet->arrival_ns);
  return TRUE;
}

static void
on_data (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    gboolean * new_sender)
{
  TfrcWireData header;

  if (packet->truncated || tfrc_wire_parse_data (packet->data, packet->size,
          &header) != TFRC_WIRE_OK || !is_transport_stream (packet, &header)) {
    stream->malformed_packets++;
    return;
  }
  if (!is_from_sender (stream, packet, header.ssrc)) {
    if (!take_over (stream, packet, &header))
      return;
    *new_sender = TRUE;
  }
  take_data (stream, packet, &header, packet->arrival_ns);
}

static void
on_rtcp (TfrcSrcStream * stream, const TfrcReceivedPacket * packet)
{
  TfrcWireRtcp rtcp;

  if (packet->truncated || tfrc_wire_parse_rtcp (packet->data, packet->size,
          stream->ssrc, &rtcp) != TFRC_WIRE_OK)
    stream->malformed_packets++;
  else if (!is_from_sender (stream, packet, rtcp.sender_ssrc))
    stream->foreign_packets++;
  else
    tfrc_src_session_on_rtcp (stream->session, &rtcp, packet->arrival_ns);
}

/* Lock held, released meanwhile */
static void
send_to_sender (TfrcSrcStream * stream, const guint8 * buffer, gsize size)
{
  TfrcSendItem item = { buffer, size, NULL, 0 };
  TfrcAddress to = stream->session->address, from = stream->session->local;
  gint error;

  g_mutex_unlock (&stream->lock);
  /* What is lost here is said again by the next. */
  tfrc_socket_send (stream->fd, &to, &from, &item, 1, &error);
  g_mutex_lock (&stream->lock);
}

static void
wake_consumer (TfrcSrcStream * stream)
{
  gboolean ended = stream->session && stream->session->ended;

  if (stream->consumer_waits
      && (tfrc_reorder_length (&stream->queue) > 0 || ended)) {
    stream->consumer_waits = FALSE;
    g_cond_signal (&stream->arrived);
  }
}

/* Lock held, and still held by those who pass it on to the loop: otherwise the
 * loop's thread might overtake them with an earlier one. */
static guint64
next_deadline (const TfrcSrcStream * stream)
{
  if (stream->session == NULL)
    return stream->stats_ns;
  return MIN (tfrc_src_session_next_ns (stream->session), stream->stats_ns);
}

/* Lock held: everything that may be due */
static guint64
serve (TfrcSrcStream * stream, guint64 now_ns, gboolean * stats_due)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;
  guint i;

  for (i = 0; stream->session && i < MAX_RTCP_IN_ONE_GO; i++) {
    size = tfrc_src_session_write (stream->session, stream->ssrc,
        stream->cname, now_ns, buffer);
    if (size == 0)
      break;
    send_to_sender (stream, buffer, size);
  }
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->stats_interval_ns;
    *stats_due = TRUE;
  }
  return next_deadline (stream);
}

static guint64
on_deadline (gpointer user, guint64 now_ns)
{
  TfrcSrcStream *stream = user;
  gboolean stats_due = FALSE;
  guint64 next_ns;

  g_mutex_lock (&stream->lock);
  next_ns = serve (stream, now_ns, &stats_due);
  g_mutex_unlock (&stream->lock);
  if (stats_due)
    stream->events.stats (stream->user);
  return next_ns;
}

static guint64
on_packets (gpointer user, const TfrcReceivedPacket * packets, guint n,
    guint64 now_ns)
{
  TfrcSrcStream *stream = user;
  gboolean stats_due = FALSE, new_sender = FALSE;
  guint64 next_ns;
  guint i;

  g_mutex_lock (&stream->lock);
  for (i = 0; i < n; i++) {
    switch (tfrc_wire_classify (packets[i].data, packets[i].size)) {
      case TFRC_WIRE_KIND_DATA:
        on_data (stream, &packets[i], &new_sender);
        break;
      case TFRC_WIRE_KIND_RTCP:
        on_rtcp (stream, &packets[i]);
        break;
      case TFRC_WIRE_KIND_NONE:
        stream->malformed_packets++;
        break;
    }
  }
  next_ns = serve (stream, now_ns, &stats_due);
  wake_consumer (stream);
  g_mutex_unlock (&stream->lock);
  if (new_sender)
    stream->events.sender (stream->user);
  if (stats_due)
    stream->events.stats (stream->user);
  return next_ns;
}

static void
on_error (gpointer user, gint error, const TfrcAddress * destination)
{
  /* Feedback met a closed port: whether the sender is gone its data tells. */
}

/* ---- life -------------------------------------------------------------- */

static void
set_stats_interval (TfrcSrcStream * stream, guint64 interval_ns)
{
  if (interval_ns == stream->stats_interval_ns)
    return;
  stream->stats_interval_ns = interval_ns;
  stream->stats_ns = interval_ns ? tfrc_clock_now_ns () + interval_ns
      : G_MAXUINT64;
}

TfrcSrcStream *
tfrc_src_stream_new (const TfrcSrcStreamConfig * config,
    const TfrcSrcStreamEvents * events, gpointer user, GError ** error)
{
  const TfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };
  TfrcSrcStream *stream;
  TfrcAddress local;
  gint fd = tfrc_socket_open (&config->socket, &local, error);

  if (fd < 0)
    return NULL;
  stream = g_new0 (TfrcSrcStream, 1);
  stream->fd = fd;
  stream->local_port = tfrc_address_port (&local);
  stream->events = *events;
  stream->user = user;
  stream->ssrc = g_random_int ();
  g_snprintf (stream->cname, sizeof stream->cname, "%08x%08x", g_random_int (),
      g_random_int ());
  stream->keep_listening = config->keep_listening;
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->arrived);
  tfrc_reorder_init (&stream->queue, config->window_ns, config->max_time_ns,
      free_packet);
  stream->stats_ns = G_MAXUINT64;
  set_stats_interval (stream, config->stats_interval_ns);
  stream->io = tfrc_io_new (fd, &callbacks, stream, error);
  if (stream->io == NULL) {
    tfrc_src_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  g_mutex_lock (&stream->lock);
  tfrc_io_set_deadline (stream->io, next_deadline (stream));
  g_mutex_unlock (&stream->lock);
  return stream;
}

void
tfrc_src_stream_free (TfrcSrcStream * stream)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  if (stream == NULL)
    return;
  tfrc_io_free (stream->io);
  g_mutex_lock (&stream->lock);
  if (stream->session && stream->session->tfrc)
    send_to_sender (stream, buffer, tfrc_wire_write_bye (buffer, stream->ssrc,
            stream->cname));
  g_mutex_unlock (&stream->lock);
  tfrc_src_session_free (stream->session);
  tfrc_reorder_clear (&stream->queue);
  close (stream->fd);
  g_cond_clear (&stream->arrived);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* ---- settings, and what is known ----------------------------------------- */

void
tfrc_src_stream_set_limits (TfrcSrcStream * stream, guint64 window_ns,
    guint64 max_time_ns, guint64 stats_interval_ns)
{
  g_mutex_lock (&stream->lock);
  stream->queue.window_ns = window_ns;
  stream->queue.max_time_ns = max_time_ns;
  set_stats_interval (stream, stats_interval_ns);
  g_cond_signal (&stream->arrived);
  tfrc_io_set_deadline (stream->io, next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

void
tfrc_src_stream_get_stats (TfrcSrcStream * stream, TfrcSrcStreamStats * stats)
{
  const TfrcSrcSession *session;

  memset (stats, 0, sizeof *stats);
  g_mutex_lock (&stream->lock);
  session = stream->session;
  if (session) {
    tfrc_receiver_get_stats (session->receiver, &stats->receiver);
    stats->delays = session->delays;
    stats->has_sender = TRUE;
    stats->tfrc = session->tfrc;
    stats->ssrc = session->ssrc;
    stats->sender = session->address;
    stats->jitter_ns = session->jitter * 1e9 / TFRC_WIRE_CLOCK_RATE;
  }
  stats->local_port = stream->local_port;
  stats->queue_packets = tfrc_reorder_length (&stream->queue);
  stats->queue_dropped = stream->queue.overflowed;
  stats->packets_missing = stream->queue.missing;
  stats->packets_too_late = stream->queue.too_late;
  stats->foreign_packets = stream->foreign_packets;
  stats->malformed_packets = stream->malformed_packets;
  g_mutex_unlock (&stream->lock);
}

guint16
tfrc_src_stream_get_local_port (TfrcSrcStream * stream)
{
  return stream->local_port;
}

gint
tfrc_src_stream_get_receive_buffer_bytes (TfrcSrcStream * stream)
{
  return tfrc_socket_receive_buffer_bytes (stream->fd);
}
