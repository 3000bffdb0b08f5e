/* The I/O loop's side of a stream, see sinkstream.h: does what is due. */
#include "sinkstream-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/random.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* estimated-bitrate is announced when it has changed by 1/64, at most so often. */
#define BITRATE_INTERVAL_NS (100 * MS_NS)
#define BITRATE_CHANGE 64

/* Batches in one go, before other streams have their turn */
#define MAX_BATCHES 4

/* What a callback of the loop has to tell, once the lock is released */
typedef struct
{
  gboolean peer_changed;
  GstTfrcPeerState peer_state;
  guint64 bitrate; /* 0: unchanged */
  gboolean stats;
  gint send_error; /* 0: none */
  gboolean handover;
  gboolean migrated;
} News;

static void
tell (GstTfrcSinkStream *stream, const News *news)
{
  if (news->peer_changed)
    stream->events.peer_state (stream->user, news->peer_state);
  if (news->bitrate)
    stream->events.bitrate (stream->user, news->bitrate);
  if (news->send_error)
    stream->events.send_error (stream->user, news->send_error);
  if (news->handover)
    stream->events.handover (stream->user);
  if (news->migrated)
    stream->events.migrated (stream->user);
  if (news->stats)
    stream->events.stats (stream->user);
}

static void
check_bitrate (GstTfrcSinkStream *stream, guint64 now_ns, News *news)
{
  guint64 bitrate, change;

  if (now_ns - stream->announced_ns < BITRATE_INTERVAL_NS)
    return;
  bitrate = gst_tfrc_sink_session_get_bitrate (&stream->session);
  change = MAX (bitrate, stream->announced_bitrate) - MIN (bitrate, stream->announced_bitrate);
  if (change <= stream->announced_bitrate / BITRATE_CHANGE)
    return;
  stream->announced_bitrate = news->bitrate = bitrate;
  stream->announced_ns = now_ns;
}

/* ---- the loop's callbacks ---------------------------------------------- */

/* Lock held, and still held by those who pass it on to the loop: otherwise the
 * loop's thread might overtake them with an earlier one. */
guint64
gst_tfrc_sink_stream_next_deadline (const GstTfrcSinkStream *stream)
{
  guint64 deadline_ns = MIN (gst_tfrc_sink_session_next_ns (&stream->session), stream->stats_ns);

  deadline_ns = MIN (deadline_ns, gst_tfrc_send_queue_expiry_ns (&stream->queue));
  return MIN (deadline_ns, gst_tfrc_sink_stream_next_send (stream));
}

/* Tells the queue about the receiver.  The end of a stream does not wait for one
 * that is absent.  X_inst is what the pacer uses; it is above X for a moment
 * only. */
static void
update_queue (GstTfrcSinkStream *stream)
{
  gboolean absent = gst_tfrc_sink_session_is_peer_absent (&stream->session);
  GstTfrcSendQueue *queue = &stream->queue;
  TfrcSenderStats stats;

  if (absent != queue->absent)
    g_cond_signal (&stream->room);
  queue->absent = absent;
  tfrc_sender_get_stats (stream->session.sender, &stats);
  queue->drain_rate_Bps = absent ? 0 : MIN (stats.x_Bps, stats.x_inst_Bps);
  queue->drain_rate_is_measured = stats.rtt_ns > 0;
}

/* Lock held: everything that may be due */
static guint64
serve (GstTfrcSinkStream *stream, guint64 now_ns, News *news)
{
  guint i;

  gst_tfrc_sink_session_on_time (&stream->session, now_ns);
  update_queue (stream);
  gst_tfrc_sink_stream_drop_overdue (stream, now_ns);
  for (i = 0;
       i < MAX_BATCHES && gst_tfrc_sink_stream_send_batch (stream, now_ns, &news->send_error); i++)
    ;
  gst_tfrc_sink_stream_send_rtcp (stream, now_ns);
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->limits.stats_interval_ns;
    news->stats = TRUE;
  }
  check_bitrate (stream, now_ns, news);
  if (stream->session.peer_state != stream->told_peer_state) {
    stream->told_peer_state = news->peer_state = stream->session.peer_state;
    news->peer_changed = TRUE;
  }
  news->handover = !g_queue_is_empty (&stream->session.handover_log.news);
  if (!gst_tfrc_address_equal (&stream->session.paths.peer, &stream->told_peer)) {
    stream->told_peer = stream->session.paths.peer;
    news->migrated = TRUE;
  }
  gst_tfrc_sink_stream_wake_producer (stream, now_ns);
  return gst_tfrc_sink_stream_next_deadline (stream);
}

static guint64
on_deadline (gpointer user, guint64 now_ns)
{
  GstTfrcSinkStream *stream = user;
  News news = { 0 };
  guint64 deadline_ns;

  g_mutex_lock (&stream->lock);
  deadline_ns = serve (stream, now_ns, &news);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return deadline_ns;
}

static guint64
on_packets (gpointer user, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcSinkStream *stream = user;
  News news = { 0 };
  guint64 deadline_ns;
  guint i;

  g_mutex_lock (&stream->lock);
  for (i = 0; i < n; i++)
    gst_tfrc_sink_stream_on_packet (stream, &packets[i]);
  deadline_ns = serve (stream, now_ns, &news);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return deadline_ns;
}

static void
on_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  GstTfrcSinkStream *stream = user;

  /* Nobody there (yet, or any more): the nofeedback timer already slows down. */
  g_mutex_lock (&stream->lock);
  stream->icmp_errors++;
  /* A receiver that has left after our BYE has got it. */
  if (stream->session.said_bye && error == ECONNREFUSED
      && (destination->len == 0
          || gst_tfrc_address_equal (destination, &stream->session.paths.peer)))
    stream->session.bye_answered = TRUE;
  gst_tfrc_sink_stream_wake_producer (stream, gst_tfrc_clock_now_ns ());
  g_mutex_unlock (&stream->lock);
}

/* ---- life -------------------------------------------------------------- */

static void
apply_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits, guint64 now_ns)
{
  if (limits->stats_interval_ns != stream->limits.stats_interval_ns)
    stream->stats_ns = limits->stats_interval_ns ? now_ns + limits->stats_interval_ns : G_MAXUINT64;
  stream->limits = *limits;
  stream->queue.max_packets = limits->max_queue_packets;
  stream->queue.max_time_ns = limits->max_queue_time_ns;
  stream->queue.leaky = limits->leaky;
  gst_tfrc_sink_session_set_rate_limits (
      &stream->session, limits->min_bitrate, limits->max_bitrate);
}

GstTfrcSinkStream *
gst_tfrc_sink_stream_new (const GstTfrcSinkStreamConfig *config,
    const GstTfrcSinkStreamEvents *events, gpointer user, GError **error)
{
  const GstTfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };
  GstTfrcSinkStream *stream;
  GstTfrcAddress local;
  gint fd = gst_tfrc_random_is_available (error)
      ? gst_tfrc_socket_open (&config->socket, &local, error)
      : -1;

  if (fd < 0)
    return NULL;
  stream = g_new0 (GstTfrcSinkStream, 1);
  stream->generation = gst_tfrc_fork_generation ();
  stream->fd = fd;
  stream->local_port = gst_tfrc_address_port (&local);
  stream->events = *events;
  stream->user = user;
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->room);
  gst_tfrc_send_queue_init (&stream->queue);
  gst_tfrc_histogram_init (&stream->delay);
  stream->stats_ns = G_MAXUINT64;
  if (!gst_tfrc_sink_session_init (&stream->session, &config->rate)
      || (config->smoothing_ns > 0
          && tfrc_smoother_new (&stream->queue.smoother, config->smoothing_ns) != TFRC_OK)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "TFRC refuses the configuration");
    gst_tfrc_sink_stream_free (stream);
    return NULL;
  }
  gst_tfrc_sink_paths_init (&stream->session.paths, &config->destination, config->allow_migration);
  stream->told_peer = config->destination;
  apply_limits (stream, &config->limits, gst_tfrc_clock_now_ns ());
  update_queue (stream);
  stream->io = gst_tfrc_io_new (fd, &callbacks, stream, error);
  if (stream->io == NULL) {
    gst_tfrc_sink_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  g_mutex_lock (&stream->lock);
  gst_tfrc_io_set_deadline (stream->io, gst_tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
  return stream;
}

void
gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream)
{
  if (stream == NULL)
    return;
  gst_tfrc_io_free (stream->io);
  if (gst_tfrc_fork_is_inherited (stream->generation)) {
    /* The rest may be in the midst of a change that nobody finishes here. */
    close (stream->fd);
    return;
  }
  g_mutex_lock (&stream->lock);
  gst_tfrc_sink_stream_say_bye (stream);
  g_mutex_unlock (&stream->lock);
  gst_tfrc_send_queue_clear (&stream->queue);
  tfrc_smoother_free (stream->queue.smoother);
  gst_tfrc_sink_session_clear (&stream->session);
  close (stream->fd);
  g_cond_clear (&stream->room);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* ---- settings ---------------------------------------------------------- */

void
gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  apply_limits (stream, limits, gst_tfrc_clock_now_ns ());
  g_cond_signal (&stream->room);
  gst_tfrc_io_set_deadline (stream->io, gst_tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

gboolean
gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl)
{
  return !gst_tfrc_fork_is_inherited (stream->generation)
      && gst_tfrc_socket_set_ttl (stream->fd, ttl);
}

gboolean
gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp)
{
  return !gst_tfrc_fork_is_inherited (stream->generation)
      && gst_tfrc_socket_set_dscp (stream->fd, dscp);
}

/* ---- what is known ----------------------------------------------------- */

static void
fill_receiver_state (const GstTfrcSinkSession *session, GstTfrcSinkStreamStats *stats)
{
  if (!session->has_peer_says)
    return;
  stats->packets_lost = session->peer_says.packets_lost;
  stats->loss_events = session->peer_says.loss_events;
  stats->ce_marks = session->peer_says.ce_marks;
  if (stats->sender.packets_sent > 0)
    stats->loss_ratio = MIN (1, (gdouble) stats->packets_lost / stats->sender.packets_sent);
}

void
gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  tfrc_sender_get_stats (stream->session.sender, &stats->sender);
  stats->peer_state = stream->session.peer_state;
  stats->delay = stream->delay;
  stats->queue_packets = gst_tfrc_send_queue_length (&stream->queue);
  stats->queue_bytes = stream->queue.bytes;
  stats->queue_time_ns = gst_tfrc_send_queue_age_ns (&stream->queue, gst_tfrc_clock_now_ns ());
  if (stream->queue.smoother)
    stats->smoothing_rate_Bps = tfrc_smoother_get_rate_Bps (
        stream->queue.smoother, gst_tfrc_clock_now_ns ());
  stats->packets_dropped = stream->packets_dropped;
  stats->packets_overdue = stream->packets_overdue;
  stats->send_errors = stream->send_errors;
  stats->icmp_errors = stream->icmp_errors;
  stats->foreign_packets = stream->foreign_packets;
  stats->malformed_packets = stream->malformed_packets;
  stats->ssrc = stream->session.ssrc;
  stats->local_port = stream->local_port;
  stats->peer = stream->session.paths.peer;
  stats->messages_dropped = stream->session.handover_log.dropped;
  stats->migrations = stream->session.paths.migrations;
  stats->path_validation_failures = stream->session.paths.failures;
  stats->handover_phase = stream->session.handover_phase;
  stats->counters_refused = stream->session.counters_refused;
  fill_receiver_state (&stream->session, stats);
  g_mutex_unlock (&stream->lock);
}

GstTfrcHandoverEvent *
gst_tfrc_sink_stream_take_handover_event (GstTfrcSinkStream *stream)
{
  GstTfrcHandoverEvent *news;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return NULL;
  g_mutex_lock (&stream->lock);
  news = gst_tfrc_handover_log_take (&stream->session.handover_log);
  g_mutex_unlock (&stream->lock);
  return news;
}

guint64
gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream)
{
  guint64 bitrate;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return 0;
  g_mutex_lock (&stream->lock);
  bitrate = gst_tfrc_sink_session_get_bitrate (&stream->session);
  g_mutex_unlock (&stream->lock);
  return bitrate;
}
