/* The I/O loop's side of a stream, see tfrcsinkstream.h: sends what is due, and
 * receives what the receiver says. */
#include "tfrcsinkstream-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../common/tfrcclock.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* After a send that failed: neither spin nor lose much time. */
#define SEND_RETRY_NS (10 * MS_NS)

/* estimated-bitrate is announced when it has changed by 1/64, at most so often. */
#define BITRATE_INTERVAL_NS (100 * MS_NS)
#define BITRATE_CHANGE 64

/* Batches in one go, before other streams have their turn */
#define MAX_BATCHES 4

/* What a callback of the loop has to tell, once the lock is released */
typedef struct
{
  gboolean peer_changed;
  TfrcPeerState peer_state;
  guint64 bitrate;              /* 0: unchanged */
  gboolean stats;
  gint send_error;              /* 0: none */
} News;

static void
tell (TfrcSinkStream * stream, const News * news)
{
  if (news->peer_changed)
    stream->events.peer_state (stream->user, news->peer_state);
  if (news->bitrate)
    stream->events.bitrate (stream->user, news->bitrate);
  if (news->send_error)
    stream->events.send_error (stream->user, news->send_error);
  if (news->stats)
    stream->events.stats (stream->user);
}

static void
check_bitrate (TfrcSinkStream * stream, guint64 now_ns, News * news)
{
  guint64 bitrate, change;

  if (now_ns - stream->announced_ns < BITRATE_INTERVAL_NS)
    return;
  bitrate = tfrc_sink_session_get_bitrate (&stream->session);
  change = MAX (bitrate, stream->announced_bitrate)
      - MIN (bitrate, stream->announced_bitrate);
  if (change <= stream->announced_bitrate / BITRATE_CHANGE)
    return;
  stream->announced_bitrate = news->bitrate = bitrate;
  stream->announced_ns = now_ns;
}

/* ---- sending ----------------------------------------------------------- */

static guint
prepare_batch (TfrcSinkStream * stream, guint64 now_ns, TfrcPacket ** packets,
    guint8 headers[][TFRC_WIRE_MAX_HEADER_BYTES], TfrcSendItem * items)
{
  guint n;

  for (n = 0; n < TFRC_BATCH_PACKETS; n++) {
    TfrcPacket *packet = tfrc_packet_queue_pop (&stream->queue);

    if (packet == NULL)
      break;
    items[n].header = headers[n];
    items[n].header_bytes = tfrc_sink_session_write_header (&stream->session,
        packet->size, packet->due_ns, now_ns, headers[n]);
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

/* Packets that did not leave go back to the queue, with their sequence
 * numbers: the receiver is not to take our trouble for congestion. */
static void
account_batch (TfrcSinkStream * stream, TfrcPacket ** packets, guint n,
    guint sent, gint error, gboolean flushed, guint64 now_ns, News * news)
{
  guint i;

  for (i = 0; i < sent; i++) {
    tfrc_histogram_add (&stream->delay,
        now_ns > packets[i]->due_ns ? now_ns - packets[i]->due_ns : 0);
    tfrc_packet_free (packets[i]);
  }
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
    news->send_error = error;
  stream->send_failed = TRUE;
}

gboolean
tfrc_sink_stream_is_empty (const TfrcSinkStream * stream)
{
  return tfrc_packet_queue_length (&stream->queue) == 0
      && stream->in_flight == 0;
}

static void
wake_producer (TfrcSinkStream * stream, guint64 now_ns)
{
  if (stream->producer_waits && (tfrc_sink_stream_is_empty (stream)
          || tfrc_packet_queue_is_low (&stream->queue, now_ns))) {
    stream->producer_waits = FALSE;
    g_cond_signal (&stream->room);
  }
}

/* Sends one batch; the lock is released meanwhile.  FALSE if nothing more can
 * be sent now. */
static gboolean
send_batch (TfrcSinkStream * stream, guint64 now_ns, News * news)
{
  TfrcPacket *packets[TFRC_BATCH_PACKETS];
  guint8 headers[TFRC_BATCH_PACKETS][TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcSendItem items[TFRC_BATCH_PACKETS];
  guint n, sent, flushes = stream->flushes;
  gint error = 0;

  if (now_ns < stream->retry_ns)
    return FALSE;
  n = prepare_batch (stream, now_ns, packets, headers, items);
  if (n == 0)
    return FALSE;

  stream->in_flight = n;
  g_mutex_unlock (&stream->lock);
  sent = tfrc_socket_send (stream->fd, &stream->destination, NULL, items, n,
      &error);
  g_mutex_lock (&stream->lock);
  stream->in_flight = 0;
  account_batch (stream, packets, n, sent, error, stream->flushes != flushes,
      now_ns, news);
  wake_producer (stream, now_ns);
  return sent == TFRC_BATCH_PACKETS;
}

/* Lock held, released meanwhile.  RTCP that is lost is repeated by the next:
 * errors do not matter here. */
static void
send_rtcp (TfrcSinkStream * stream, const guint8 * buffer, gsize size)
{
  TfrcSendItem item = { buffer, size, NULL, 0 };
  gint error;

  if (size == 0)
    return;
  g_mutex_unlock (&stream->lock);
  tfrc_socket_send (stream->fd, &stream->destination, NULL, &item, 1, &error);
  g_mutex_lock (&stream->lock);
}

static void
maybe_send_report (TfrcSinkStream * stream, guint64 now_ns)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  send_rtcp (stream, buffer,
      tfrc_sink_session_write_rtcp (&stream->session, now_ns, buffer));
}

void
tfrc_sink_stream_say_bye (TfrcSinkStream * stream)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  send_rtcp (stream, buffer,
      tfrc_sink_session_write_bye (&stream->session, buffer));
}

/* ---- the loop's callbacks ---------------------------------------------- */

/* Lock held, and still held by those who pass it on to the loop: otherwise the
 * loop's thread might overtake them with an earlier one. */
guint64
tfrc_sink_stream_next_deadline (const TfrcSinkStream * stream)
{
  guint64 deadline_ns = MIN (tfrc_sink_session_next_ns (&stream->session),
      stream->stats_ns);

  if (tfrc_packet_queue_length (&stream->queue) > 0)
    deadline_ns = MIN (deadline_ns,
        MAX (tfrc_sender_next_send_ns (stream->session.sender),
            stream->retry_ns));
  return deadline_ns;
}

/* A producer that waits for a receiver waits in another way than for room. */
static void
update_drain_rate (TfrcSinkStream * stream)
{
  gboolean absent = tfrc_sink_session_is_peer_absent (&stream->session);

  if (absent != stream->absent)
    g_cond_signal (&stream->room);
  stream->absent = absent;
  stream->queue.drain_rate_Bps = absent
      ? 0 : tfrc_sink_session_get_rate_Bps (&stream->session);
}

/* Lock held: everything that may be due */
static guint64
serve (TfrcSinkStream * stream, guint64 now_ns, News * news)
{
  guint i;

  tfrc_sink_session_on_time (&stream->session, now_ns);
  for (i = 0; i < MAX_BATCHES && send_batch (stream, now_ns, news); i++);
  maybe_send_report (stream, now_ns);
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->limits.stats_interval_ns;
    news->stats = TRUE;
  }
  check_bitrate (stream, now_ns, news);
  update_drain_rate (stream);
  if (stream->session.peer_state != stream->told_peer_state) {
    stream->told_peer_state = news->peer_state = stream->session.peer_state;
    news->peer_changed = TRUE;
  }
  wake_producer (stream, now_ns);
  return tfrc_sink_stream_next_deadline (stream);
}

static guint64
on_deadline (gpointer user, guint64 now_ns)
{
  TfrcSinkStream *stream = user;
  News news = { 0 };
  guint64 deadline_ns;

  g_mutex_lock (&stream->lock);
  deadline_ns = serve (stream, now_ns, &news);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return deadline_ns;
}

/* Feedback is accepted from the receiver of the data alone. */
static void
on_packet (TfrcSinkStream * stream, const TfrcReceivedPacket * packet)
{
  TfrcRtcpResult result = TFRC_RTCP_FOREIGN;

  if (tfrc_address_equal (packet->from, &stream->destination))
    result = tfrc_sink_session_on_rtcp (&stream->session, packet);
  switch (result) {
    case TFRC_RTCP_USED:
      break;
    case TFRC_RTCP_FOREIGN:
      stream->foreign_packets++;
      break;
    case TFRC_RTCP_MALFORMED:
      stream->malformed_packets++;
      break;
  }
}

static guint64
on_packets (gpointer user, const TfrcReceivedPacket * packets, guint n,
    guint64 now_ns)
{
  TfrcSinkStream *stream = user;
  News news = { 0 };
  guint64 deadline_ns;
  guint i;

  g_mutex_lock (&stream->lock);
  for (i = 0; i < n; i++)
    on_packet (stream, &packets[i]);
  deadline_ns = serve (stream, now_ns, &news);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return deadline_ns;
}

static void
on_error (gpointer user, gint error, const TfrcAddress * destination)
{
  TfrcSinkStream *stream = user;

  /* Nobody there (yet, or any more): the nofeedback timer already slows down. */
  g_mutex_lock (&stream->lock);
  stream->icmp_errors++;
  /* A receiver that has left after our BYE has got it. */
  if (stream->session.said_bye && error == ECONNREFUSED)
    stream->session.bye_answered = TRUE;
  wake_producer (stream, tfrc_clock_now_ns ());
  g_mutex_unlock (&stream->lock);
}

/* ---- life -------------------------------------------------------------- */

static void
apply_limits (TfrcSinkStream * stream, const TfrcSinkLimits * limits,
    guint64 now_ns)
{
  if (limits->stats_interval_ns != stream->limits.stats_interval_ns)
    stream->stats_ns = limits->stats_interval_ns
        ? now_ns + limits->stats_interval_ns : G_MAXUINT64;
  stream->limits = *limits;
  stream->queue.max_packets = limits->max_queue_packets;
  stream->queue.max_time_ns = limits->max_queue_time_ns;
  tfrc_sink_session_set_rate_limits (&stream->session, limits->min_bitrate,
      limits->max_bitrate);
}

TfrcSinkStream *
tfrc_sink_stream_new (const TfrcSinkStreamConfig * config,
    const TfrcSinkStreamEvents * events, gpointer user, GError ** error)
{
  const TfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };
  TfrcSinkStream *stream;
  TfrcAddress local;
  gint fd = tfrc_socket_open (&config->socket, &local, error);

  if (fd < 0)
    return NULL;
  stream = g_new0 (TfrcSinkStream, 1);
  stream->fd = fd;
  stream->local_port = tfrc_address_port (&local);
  stream->destination = config->destination;
  stream->events = *events;
  stream->user = user;
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->room);
  tfrc_packet_queue_init (&stream->queue);
  tfrc_histogram_init (&stream->delay);
  stream->stats_ns = G_MAXUINT64;
  if (!tfrc_sink_session_init (&stream->session, &config->rate)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "TFRC refuses the configuration");
    tfrc_sink_stream_free (stream);
    return NULL;
  }
  apply_limits (stream, &config->limits, tfrc_clock_now_ns ());
  update_drain_rate (stream);
  stream->io = tfrc_io_new (fd, &callbacks, stream, error);
  if (stream->io == NULL) {
    tfrc_sink_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  g_mutex_lock (&stream->lock);
  tfrc_io_set_deadline (stream->io, tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
  return stream;
}

void
tfrc_sink_stream_free (TfrcSinkStream * stream)
{
  if (stream == NULL)
    return;
  tfrc_io_free (stream->io);
  g_mutex_lock (&stream->lock);
  tfrc_sink_stream_say_bye (stream);
  g_mutex_unlock (&stream->lock);
  tfrc_packet_queue_clear (&stream->queue);
  tfrc_sink_session_clear (&stream->session);
  close (stream->fd);
  g_cond_clear (&stream->room);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* ---- settings ---------------------------------------------------------- */

void
tfrc_sink_stream_set_limits (TfrcSinkStream * stream,
    const TfrcSinkLimits * limits)
{
  g_mutex_lock (&stream->lock);
  apply_limits (stream, limits, tfrc_clock_now_ns ());
  g_cond_signal (&stream->room);
  tfrc_io_set_deadline (stream->io, tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

gboolean
tfrc_sink_stream_set_ttl (TfrcSinkStream * stream, gint ttl)
{
  return tfrc_socket_set_ttl (stream->fd, ttl);
}

gboolean
tfrc_sink_stream_set_dscp (TfrcSinkStream * stream, gint dscp)
{
  return tfrc_socket_set_dscp (stream->fd, dscp);
}

/* ---- what is known ----------------------------------------------------- */

static void
fill_receiver_state (const TfrcSinkSession * session,
    TfrcSinkStreamStats * stats)
{
  if (!session->has_peer_says)
    return;
  stats->packets_lost = session->peer_says.packets_lost;
  stats->loss_events = session->peer_says.loss_events;
  stats->ce_marks = session->peer_says.ce_marks;
  if (stats->sender.packets_sent > 0)
    stats->loss_ratio = (gdouble) stats->packets_lost
        / stats->sender.packets_sent;
}

void
tfrc_sink_stream_get_stats (TfrcSinkStream * stream,
    TfrcSinkStreamStats * stats)
{
  memset (stats, 0, sizeof *stats);
  g_mutex_lock (&stream->lock);
  tfrc_sender_get_stats (stream->session.sender, &stats->sender);
  stats->peer_state = stream->session.peer_state;
  stats->delay = stream->delay;
  stats->queue_packets = tfrc_packet_queue_length (&stream->queue);
  stats->queue_bytes = stream->queue.bytes;
  stats->queue_time_ns = tfrc_packet_queue_age_ns (&stream->queue,
      tfrc_clock_now_ns ());
  stats->packets_dropped = stream->packets_dropped;
  stats->send_errors = stream->send_errors;
  stats->icmp_errors = stream->icmp_errors;
  stats->foreign_packets = stream->foreign_packets;
  stats->malformed_packets = stream->malformed_packets;
  stats->ssrc = stream->session.ssrc;
  stats->local_port = stream->local_port;
  fill_receiver_state (&stream->session, stats);
  g_mutex_unlock (&stream->lock);
}

guint64
tfrc_sink_stream_get_bitrate (TfrcSinkStream * stream)
{
  guint64 bitrate;

  g_mutex_lock (&stream->lock);
  bitrate = tfrc_sink_session_get_bitrate (&stream->session);
  g_mutex_unlock (&stream->lock);
  return bitrate;
}
