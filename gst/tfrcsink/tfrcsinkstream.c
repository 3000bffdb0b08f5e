/* The I/O loop's side of a stream, see tfrcsinkstream.h: does what is due. */
#include "tfrcsinkstream-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../common/tfrcclock.h"
#include "../common/tfrcrandom.h"

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
  TfrcPeerState peer_state;
  guint64 bitrate; /* 0: unchanged */
  gboolean stats;
  gint send_error; /* 0: none */
  gboolean handover;
  gboolean migrated;
} News;

static void
tell (TfrcSinkStream *stream, const News *news)
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
check_bitrate (TfrcSinkStream *stream, guint64 now_ns, News *news)
{
  guint64 bitrate, change;

  if (now_ns - stream->announced_ns < BITRATE_INTERVAL_NS)
    return;
  bitrate = tfrc_sink_session_get_bitrate (&stream->session);
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
tfrc_sink_stream_next_deadline (const TfrcSinkStream *stream)
{
  guint64 deadline_ns = MIN (tfrc_sink_session_next_ns (&stream->session), stream->stats_ns);

  deadline_ns = MIN (deadline_ns, tfrc_packet_queue_expiry_ns (&stream->queue));
  return MIN (deadline_ns, tfrc_sink_stream_next_send (stream));
}

/* Tells the queue about the receiver.  The end of a stream does not wait for one
 * that is absent.  X_inst is what the pacer uses; it is above X for a moment
 * only. */
static void
update_queue (TfrcSinkStream *stream)
{
  gboolean absent = tfrc_sink_session_is_peer_absent (&stream->session);
  TfrcPacketQueue *queue = &stream->queue;
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
serve (TfrcSinkStream *stream, guint64 now_ns, News *news)
{
  guint i;

  tfrc_sink_session_on_time (&stream->session, now_ns);
  update_queue (stream);
  tfrc_sink_stream_drop_overdue (stream, now_ns);
  for (i = 0; i < MAX_BATCHES && tfrc_sink_stream_send_batch (stream, now_ns, &news->send_error);
       i++)
    ;
  tfrc_sink_stream_send_rtcp (stream, now_ns);
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
  if (!tfrc_address_equal (&stream->session.paths.peer, &stream->told_peer)) {
    stream->told_peer = stream->session.paths.peer;
    news->migrated = TRUE;
  }
  tfrc_sink_stream_wake_producer (stream, now_ns);
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

static guint64
on_packets (gpointer user, const TfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  TfrcSinkStream *stream = user;
  News news = { 0 };
  guint64 deadline_ns;
  guint i;

  g_mutex_lock (&stream->lock);
  for (i = 0; i < n; i++)
    tfrc_sink_stream_on_packet (stream, &packets[i]);
  deadline_ns = serve (stream, now_ns, &news);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return deadline_ns;
}

static void
on_error (gpointer user, gint error, const TfrcAddress *destination)
{
  TfrcSinkStream *stream = user;

  /* Nobody there (yet, or any more): the nofeedback timer already slows down. */
  g_mutex_lock (&stream->lock);
  stream->icmp_errors++;
  /* A receiver that has left after our BYE has got it. */
  if (stream->session.said_bye && error == ECONNREFUSED
      && (destination->len == 0 || tfrc_address_equal (destination, &stream->session.paths.peer)))
    stream->session.bye_answered = TRUE;
  tfrc_sink_stream_wake_producer (stream, tfrc_clock_now_ns ());
  g_mutex_unlock (&stream->lock);
}

/* ---- life -------------------------------------------------------------- */

static void
apply_limits (TfrcSinkStream *stream, const TfrcSinkLimits *limits, guint64 now_ns)
{
  if (limits->stats_interval_ns != stream->limits.stats_interval_ns)
    stream->stats_ns = limits->stats_interval_ns ? now_ns + limits->stats_interval_ns : G_MAXUINT64;
  stream->limits = *limits;
  stream->queue.max_packets = limits->max_queue_packets;
  stream->queue.max_time_ns = limits->max_queue_time_ns;
  stream->queue.leaky = limits->leaky;
  tfrc_sink_session_set_rate_limits (&stream->session, limits->min_bitrate, limits->max_bitrate);
}

TfrcSinkStream *
tfrc_sink_stream_new (const TfrcSinkStreamConfig *config, const TfrcSinkStreamEvents *events,
    gpointer user, GError **error)
{
  const TfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };
  TfrcSinkStream *stream;
  TfrcAddress local;
  gint fd = tfrc_random_is_available (error) ? tfrc_socket_open (&config->socket, &local, error)
                                             : -1;

  if (fd < 0)
    return NULL;
  stream = g_new0 (TfrcSinkStream, 1);
  stream->generation = tfrc_fork_generation ();
  stream->fd = fd;
  stream->local_port = tfrc_address_port (&local);
  stream->events = *events;
  stream->user = user;
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->room);
  tfrc_packet_queue_init (&stream->queue);
  tfrc_histogram_init (&stream->delay);
  stream->stats_ns = G_MAXUINT64;
  if (!tfrc_sink_session_init (&stream->session, &config->rate)
      || (config->smoothing_ns > 0
          && tfrc_smoother_new (&stream->queue.smoother, config->smoothing_ns) != TFRC_OK)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "TFRC refuses the configuration");
    tfrc_sink_stream_free (stream);
    return NULL;
  }
  tfrc_sink_paths_init (&stream->session.paths, &config->destination, config->allow_migration);
  stream->told_peer = config->destination;
  apply_limits (stream, &config->limits, tfrc_clock_now_ns ());
  update_queue (stream);
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
tfrc_sink_stream_free (TfrcSinkStream *stream)
{
  if (stream == NULL)
    return;
  tfrc_io_free (stream->io);
  if (tfrc_fork_is_inherited (stream->generation)) {
    /* The rest may be in the midst of a change that nobody finishes here. */
    close (stream->fd);
    return;
  }
  g_mutex_lock (&stream->lock);
  tfrc_sink_stream_say_bye (stream);
  g_mutex_unlock (&stream->lock);
  tfrc_packet_queue_clear (&stream->queue);
  tfrc_smoother_free (stream->queue.smoother);
  tfrc_sink_session_clear (&stream->session);
  close (stream->fd);
  g_cond_clear (&stream->room);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* ---- settings ---------------------------------------------------------- */

void
tfrc_sink_stream_set_limits (TfrcSinkStream *stream, const TfrcSinkLimits *limits)
{
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  apply_limits (stream, limits, tfrc_clock_now_ns ());
  g_cond_signal (&stream->room);
  tfrc_io_set_deadline (stream->io, tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

gboolean
tfrc_sink_stream_set_ttl (TfrcSinkStream *stream, gint ttl)
{
  return !tfrc_fork_is_inherited (stream->generation) && tfrc_socket_set_ttl (stream->fd, ttl);
}

gboolean
tfrc_sink_stream_set_dscp (TfrcSinkStream *stream, gint dscp)
{
  return !tfrc_fork_is_inherited (stream->generation) && tfrc_socket_set_dscp (stream->fd, dscp);
}

/* ---- what is known ----------------------------------------------------- */

static void
fill_receiver_state (const TfrcSinkSession *session, TfrcSinkStreamStats *stats)
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
tfrc_sink_stream_get_stats (TfrcSinkStream *stream, TfrcSinkStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  tfrc_sender_get_stats (stream->session.sender, &stats->sender);
  stats->peer_state = stream->session.peer_state;
  stats->delay = stream->delay;
  stats->queue_packets = tfrc_packet_queue_length (&stream->queue);
  stats->queue_bytes = stream->queue.bytes;
  stats->queue_time_ns = tfrc_packet_queue_age_ns (&stream->queue, tfrc_clock_now_ns ());
  if (stream->queue.smoother)
    stats->smoothing_rate_Bps = tfrc_smoother_get_rate_Bps (
        stream->queue.smoother, tfrc_clock_now_ns ());
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

TfrcHandoverNews *
tfrc_sink_stream_take_news (TfrcSinkStream *stream)
{
  TfrcHandoverNews *news;

  if (tfrc_fork_is_inherited (stream->generation))
    return NULL;
  g_mutex_lock (&stream->lock);
  news = tfrc_handover_log_take (&stream->session.handover_log);
  g_mutex_unlock (&stream->lock);
  return news;
}

guint64
tfrc_sink_stream_get_bitrate (TfrcSinkStream *stream)
{
  guint64 bitrate;

  if (tfrc_fork_is_inherited (stream->generation))
    return 0;
  g_mutex_lock (&stream->lock);
  bitrate = tfrc_sink_session_get_bitrate (&stream->session);
  g_mutex_unlock (&stream->lock);
  return bitrate;
}
