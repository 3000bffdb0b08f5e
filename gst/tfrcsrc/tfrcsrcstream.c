/* The I/O loop's side of a stream, see tfrcsrcstream.h: receives, answers and
 * queues. */
#include "tfrcsrcstream-private.h"

#include <string.h>
#include <unistd.h>

#include "../common/tfrcclock.h"
#include "../common/tfrcrandom.h"

static void
free_packet (gpointer data)
{
  TfrcSrcPacket *packet = data;

  gst_buffer_unref (packet->buffer);
  g_slice_free (TfrcSrcPacket, packet);
}

void
tfrc_src_socket_unref (TfrcSrcSocket *self)
{
  if (--self->refs > 0)
    return;
  close (self->fd);
  g_free (self);
}

static void
wake_consumer (TfrcSrcStream *stream)
{
  gboolean ended = stream->session && stream->session->ended;

  if (stream->consumer_waits && (tfrc_reorder_length (&stream->queue) > 0 || ended)) {
    stream->consumer_waits = FALSE;
    g_cond_signal (&stream->arrived);
  }
}

guint64
tfrc_src_stream_next_deadline (const TfrcSrcStream *stream)
{
  guint64 next_ns = MIN (stream->stats_ns, tfrc_src_stream_old_socket_idle_ns (stream));

  next_ns = MIN (next_ns, tfrc_src_ownership_next_ns (&stream->ownership));
  if (stream->session == NULL)
    return next_ns;
  return MIN (tfrc_src_session_next_ns (stream->session), next_ns);
}

/* What is to be told once the lock is released */
typedef struct
{
  gboolean stats, sender, handover, old_socket;
} News;

/* Lock held: everything that may be due */
static void
serve (TfrcSrcStream *stream, guint64 now_ns, News *news)
{
  tfrc_src_stream_on_time (stream, now_ns, &news->sender);
  tfrc_src_stream_answer (stream, now_ns);
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->stats_interval_ns;
    news->stats = TRUE;
  }
  if (stream->session)
    news->handover = tfrc_src_session_log_handover (stream->session, now_ns);
  if (now_ns >= tfrc_src_stream_old_socket_idle_ns (stream))
    stream->old_socket_told = news->old_socket = TRUE;
  wake_consumer (stream);
}

static void
tell (TfrcSrcStream *stream, const News *news)
{
  if (news->sender)
    stream->events.sender (stream->user);
  if (news->handover)
    stream->events.handover (stream->user);
  if (news->old_socket)
    stream->events.old_socket (stream->user);
  if (news->stats)
    stream->events.stats (stream->user);
}

/* Lock held.  The deadlines are those of the socket in use; another may have
 * changed them. */
static guint64
deadline_of (TfrcSrcSocket *self)
{
  TfrcSrcStream *stream = self->stream;
  guint64 next_ns = tfrc_src_stream_next_deadline (stream);

  if (self == stream->socket)
    return next_ns;
  tfrc_io_set_deadline (stream->socket->io, next_ns);
  return TFRC_IO_NEVER;
}

static guint64
on_deadline (gpointer user, guint64 now_ns)
{
  TfrcSrcSocket *self = user;
  TfrcSrcStream *stream = self->stream;
  News news = { 0 };
  guint64 next_ns;

  g_mutex_lock (&stream->lock);
  serve (stream, now_ns, &news);
  next_ns = deadline_of (self);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return next_ns;
}

static guint64
on_packets (gpointer user, const TfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  TfrcSrcSocket *self = user;
  TfrcSrcStream *stream = self->stream;
  News news = { 0 };
  guint64 next_ns;
  guint i;

  g_mutex_lock (&stream->lock);
  self->heard_ns = now_ns;
  for (i = 0; i < n; i++)
    tfrc_src_stream_take (stream, &packets[i], &news.sender);
  serve (stream, now_ns, &news);
  next_ns = deadline_of (self);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return next_ns;
}

static void
on_error (gpointer user, gint error, const TfrcAddress *destination)
{
  /* Feedback met a closed port: whether the sender is gone its data tells. */
}

/* ---- life -------------------------------------------------------------- */

TfrcSrcSocket *
tfrc_src_socket_new (TfrcSrcStream *stream, const TfrcSocketConfig *config, GError **error)
{
  TfrcSrcSocket *self;
  TfrcAddress address;
  gint fd = tfrc_socket_open (config, &address, error);

  if (fd < 0)
    return NULL;
  self = g_new0 (TfrcSrcSocket, 1);
  self->stream = stream;
  self->refs = 1;
  self->fd = fd;
  self->address = address;
  self->heard_ns = tfrc_clock_now_ns ();
  return self;
}

gboolean
tfrc_src_socket_start (TfrcSrcSocket *self, GError **error)
{
  const TfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };

  self->io = tfrc_io_new (self->fd, &callbacks, self, error);
  return self->io != NULL;
}

void
tfrc_src_socket_close (TfrcSrcSocket *self)
{
  TfrcSrcStream *stream;

  if (self == NULL)
    return;
  stream = self->stream;
  tfrc_io_free (self->io);
  g_mutex_lock (&stream->lock);
  tfrc_src_socket_unref (self);
  g_mutex_unlock (&stream->lock);
}

static void
set_stats_interval (TfrcSrcStream *stream, guint64 interval_ns)
{
  if (interval_ns == stream->stats_interval_ns)
    return;
  stream->stats_interval_ns = interval_ns;
  stream->stats_ns = interval_ns ? tfrc_clock_now_ns () + interval_ns : G_MAXUINT64;
}

TfrcSrcStream *
tfrc_src_stream_new (const TfrcSrcStreamConfig *config, const TfrcSrcStreamEvents *events,
    gpointer user, GError **error)
{
  TfrcSrcStream *stream = g_new0 (TfrcSrcStream, 1);
  guint8 secret[TFRC_SRC_SECRET_BYTES];

  stream->generation = tfrc_fork_generation ();
  if (tfrc_random_is_available (error) && tfrc_random_fill (secret, sizeof secret)
      && tfrc_random_fill (&stream->ssrc, sizeof stream->ssrc) && tfrc_random_cname (stream->cname))
    stream->socket = tfrc_src_socket_new (stream, &config->socket, error);
  if (stream->socket == NULL) {
    g_free (stream);
    return NULL;
  }
  stream->socket_config = config->socket;
  stream->socket_config.bind_address = NULL;
  stream->socket_config.bind_port = tfrc_address_port (&stream->socket->address);
  stream->events = *events;
  stream->user = user;
  stream->receiver = config->receiver;
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->arrived);
  tfrc_reorder_init (&stream->queue, config->window_ns, config->max_time_ns, free_packet);
  tfrc_src_ownership_init (
      &stream->ownership, &config->senders, config->keep_listening, secret, tfrc_clock_now_ns ());
  stream->stats_ns = G_MAXUINT64;
  set_stats_interval (stream, config->stats_interval_ns);
  if (!tfrc_src_socket_start (stream->socket, error)) {
    tfrc_src_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  g_mutex_lock (&stream->lock);
  tfrc_io_set_deadline (stream->socket->io, tfrc_src_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
  return stream;
}

static void
close_inherited (TfrcSrcSocket *socket)
{
  tfrc_io_free (socket->io);
  close (socket->fd);
}

void
tfrc_src_stream_free (TfrcSrcStream *stream)
{
  TfrcSrcSocket *old_socket;

  if (stream == NULL)
    return;
  if (tfrc_fork_is_inherited (stream->generation)) {
    /* The rest may be in the midst of a change that nobody finishes here. */
    if (stream->old_socket && stream->old_socket != stream->socket)
      close_inherited (stream->old_socket);
    close_inherited (stream->socket);
    return;
  }
  g_mutex_lock (&stream->lock);
  old_socket = stream->old_socket;
  stream->old_socket = NULL;
  g_mutex_unlock (&stream->lock);
  tfrc_src_socket_close (old_socket);
  tfrc_io_free (stream->socket->io);
  stream->socket->io = NULL;
  g_mutex_lock (&stream->lock);
  tfrc_src_stream_say_bye (stream);
  g_mutex_unlock (&stream->lock);
  tfrc_src_session_free (stream->session);
  tfrc_src_ownership_clear (&stream->ownership);
  tfrc_reorder_clear (&stream->queue);
  tfrc_src_socket_close (stream->socket);
  g_cond_clear (&stream->arrived);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* ---- settings, and what is known ----------------------------------------- */

void
tfrc_src_stream_set_limits (
    TfrcSrcStream *stream, guint64 window_ns, guint64 max_time_ns, guint64 stats_interval_ns)
{
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  stream->queue.window_ns = window_ns;
  stream->queue.max_time_ns = max_time_ns;
  set_stats_interval (stream, stats_interval_ns);
  g_cond_signal (&stream->arrived);
  tfrc_io_set_deadline (stream->socket->io, tfrc_src_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

void
tfrc_src_stream_get_stats (TfrcSrcStream *stream, TfrcSrcStreamStats *stats)
{
  const TfrcSrcSession *session;

  memset (stats, 0, sizeof *stats);
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  session = stream->session;
  if (session) {
    tfrc_receiver_get_stats (session->receiver, &stats->receiver);
    tfrc_receiver_get_loss_statistics (session->receiver, &stats->loss);
    stats->delays = session->delays;
    stats->has_sender = TRUE;
    stats->tfrc = session->tfrc;
    stats->ssrc = session->ssrc;
    stats->sender = session->address;
    stats->interface = session->interface;
    stats->messages_dropped = session->handover_log.dropped;
    stats->jitter_ns = session->jitter * 1e9 / TFRC_WIRE_CLOCK_RATE;
  }
  stats->local_port = stream->socket_config.bind_port;
  stats->queue_packets = tfrc_reorder_length (&stream->queue);
  stats->queue_dropped = stream->queue.overflowed;
  stats->packets_missing = stream->queue.missing;
  stats->packets_too_late = stream->queue.too_late;
  stats->foreign_packets = stream->foreign_packets + stream->ownership.candidates.dropped_packets;
  stats->byes_refused = stream->ownership.owner.byes_refused;
  stats->malformed_packets = stream->malformed_packets;
  g_mutex_unlock (&stream->lock);
}

guint16
tfrc_src_stream_get_local_port (TfrcSrcStream *stream)
{
  return stream->socket_config.bind_port;
}

gint
tfrc_src_stream_get_receive_buffer_bytes (TfrcSrcStream *stream)
{
  return tfrc_socket_receive_buffer_bytes (stream->socket->fd);
}
