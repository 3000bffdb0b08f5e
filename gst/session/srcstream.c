/* The I/O loop's side of a stream, see srcstream.h: receives, answers and
 * queues. */
#include "srcstream-private.h"

#include <string.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/random.h"

static void
free_packet (gpointer data)
{
  GstTfrcSrcPacket *packet = data;

  gst_buffer_unref (packet->buffer);
  g_slice_free (GstTfrcSrcPacket, packet);
}

void
gst_tfrc_src_socket_unref (GstTfrcSrcSocket *self)
{
  if (--self->refs > 0)
    return;
  close (self->fd);
  g_free (self);
}

static void
wake_consumer (GstTfrcSrcStream *stream)
{
  gboolean ended = stream->session && stream->session->ended;

  if (stream->consumer_waits && (gst_tfrc_reorder_length (&stream->queue) > 0 || ended)) {
    stream->consumer_waits = FALSE;
    g_cond_signal (&stream->arrived);
  }
}

guint64
gst_tfrc_src_stream_next_deadline (const GstTfrcSrcStream *stream)
{
  guint64 next_ns = MIN (stream->stats_ns, gst_tfrc_src_stream_old_socket_idle_ns (stream));

  next_ns = MIN (next_ns, gst_tfrc_src_ownership_next_ns (&stream->ownership));
  if (stream->session == NULL)
    return next_ns;
  return MIN (gst_tfrc_src_session_next_ns (stream->session), next_ns);
}

/* What is to be told once the lock is released */
typedef struct
{
  gboolean stats, sender, handover, old_socket;
} News;

/* Lock held: everything that may be due */
static void
serve (GstTfrcSrcStream *stream, guint64 now_ns, News *news)
{
  gst_tfrc_src_stream_on_time (stream, now_ns, &news->sender);
  gst_tfrc_src_stream_answer (stream, now_ns);
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->stats_interval_ns;
    news->stats = TRUE;
  }
  if (stream->session)
    news->handover = gst_tfrc_src_session_log_handover (stream->session, now_ns);
  if (now_ns >= gst_tfrc_src_stream_old_socket_idle_ns (stream))
    stream->old_socket_told = news->old_socket = TRUE;
  wake_consumer (stream);
}

static void
tell (GstTfrcSrcStream *stream, const News *news)
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
deadline_of (GstTfrcSrcSocket *self)
{
  GstTfrcSrcStream *stream = self->stream;
  guint64 next_ns = gst_tfrc_src_stream_next_deadline (stream);

  if (self == stream->socket)
    return next_ns;
  gst_tfrc_io_set_deadline (stream->socket->io, next_ns);
  return GST_TFRC_IO_NEVER;
}

static guint64
on_deadline (gpointer user, guint64 now_ns)
{
  GstTfrcSrcSocket *self = user;
  GstTfrcSrcStream *stream = self->stream;
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
on_packets (gpointer user, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcSrcSocket *self = user;
  GstTfrcSrcStream *stream = self->stream;
  News news = { 0 };
  guint64 next_ns;
  guint i;

  g_mutex_lock (&stream->lock);
  self->heard_ns = now_ns;
  for (i = 0; i < n; i++)
    gst_tfrc_src_stream_take (stream, &packets[i], &news.sender);
  serve (stream, now_ns, &news);
  next_ns = deadline_of (self);
  g_mutex_unlock (&stream->lock);
  tell (stream, &news);
  return next_ns;
}

static void
on_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  /* Feedback met a closed port: whether the sender is gone its data tells. */
}

/* ---- life -------------------------------------------------------------- */

GstTfrcSrcSocket *
gst_tfrc_src_socket_new (
    GstTfrcSrcStream *stream, const GstTfrcSocketConfig *config, GError **error)
{
  GstTfrcSrcSocket *self;
  GstTfrcAddress address;
  gint fd = gst_tfrc_socket_open (config, &address, error);

  if (fd < 0)
    return NULL;
  self = g_new0 (GstTfrcSrcSocket, 1);
  self->stream = stream;
  self->refs = 1;
  self->fd = fd;
  self->address = address;
  self->heard_ns = gst_tfrc_clock_now_ns ();
  return self;
}

gboolean
gst_tfrc_src_socket_start (GstTfrcSrcSocket *self, GError **error)
{
  const GstTfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };

  self->io = gst_tfrc_io_new (self->fd, &callbacks, self, error);
  return self->io != NULL;
}

void
gst_tfrc_src_socket_close (GstTfrcSrcSocket *self)
{
  GstTfrcSrcStream *stream;

  if (self == NULL)
    return;
  stream = self->stream;
  gst_tfrc_io_free (self->io);
  g_mutex_lock (&stream->lock);
  gst_tfrc_src_socket_unref (self);
  g_mutex_unlock (&stream->lock);
}

static void
set_stats_interval (GstTfrcSrcStream *stream, guint64 interval_ns)
{
  if (interval_ns == stream->stats_interval_ns)
    return;
  stream->stats_interval_ns = interval_ns;
  stream->stats_ns = interval_ns ? gst_tfrc_clock_now_ns () + interval_ns : G_MAXUINT64;
}

GstTfrcSrcStream *
gst_tfrc_src_stream_new (const GstTfrcSrcStreamConfig *config, const GstTfrcSrcStreamEvents *events,
    gpointer user, GError **error)
{
  GstTfrcSrcStream *stream = g_new0 (GstTfrcSrcStream, 1);
  guint8 secret[GST_TFRC_SRC_SECRET_BYTES];

  stream->generation = gst_tfrc_fork_generation ();
  if (gst_tfrc_random_is_available (error) && gst_tfrc_random_fill (secret, sizeof secret)
      && gst_tfrc_random_fill (&stream->ssrc, sizeof stream->ssrc)
      && gst_tfrc_random_cname (stream->cname))
    stream->socket = gst_tfrc_src_socket_new (stream, &config->socket, error);
  if (stream->socket == NULL) {
    g_free (stream);
    return NULL;
  }
  stream->socket_config = config->socket;
  stream->socket_config.bind_address = NULL;
  stream->socket_config.bind_port = gst_tfrc_address_port (&stream->socket->address);
  stream->events = *events;
  stream->user = user;
  stream->receiver = config->receiver;
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->arrived);
  gst_tfrc_reorder_init (&stream->queue, config->window_ns, config->max_time_ns, free_packet);
  gst_tfrc_src_ownership_init (&stream->ownership, &config->senders, config->keep_listening, secret,
      gst_tfrc_clock_now_ns ());
  stream->stats_ns = G_MAXUINT64;
  set_stats_interval (stream, config->stats_interval_ns);
  if (!gst_tfrc_src_socket_start (stream->socket, error)) {
    gst_tfrc_src_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  g_mutex_lock (&stream->lock);
  gst_tfrc_io_set_deadline (stream->socket->io, gst_tfrc_src_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
  return stream;
}

static void
close_inherited (GstTfrcSrcSocket *socket)
{
  gst_tfrc_io_free (socket->io);
  close (socket->fd);
}

void
gst_tfrc_src_stream_free (GstTfrcSrcStream *stream)
{
  GstTfrcSrcSocket *old_socket;

  if (stream == NULL)
    return;
  if (gst_tfrc_fork_is_inherited (stream->generation)) {
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
  gst_tfrc_src_socket_close (old_socket);
  gst_tfrc_io_free (stream->socket->io);
  stream->socket->io = NULL;
  g_mutex_lock (&stream->lock);
  gst_tfrc_src_stream_say_bye (stream);
  g_mutex_unlock (&stream->lock);
  gst_tfrc_src_session_free (stream->session);
  gst_tfrc_src_ownership_clear (&stream->ownership);
  gst_tfrc_reorder_clear (&stream->queue);
  gst_tfrc_src_socket_close (stream->socket);
  g_cond_clear (&stream->arrived);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* ---- settings, and what is known ----------------------------------------- */

void
gst_tfrc_src_stream_set_limits (
    GstTfrcSrcStream *stream, guint64 window_ns, guint64 max_time_ns, guint64 stats_interval_ns)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  stream->queue.window_ns = window_ns;
  stream->queue.max_time_ns = max_time_ns;
  set_stats_interval (stream, stats_interval_ns);
  g_cond_signal (&stream->arrived);
  gst_tfrc_io_set_deadline (stream->socket->io, gst_tfrc_src_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

void
gst_tfrc_src_stream_get_stats (GstTfrcSrcStream *stream, GstTfrcSrcStreamStats *stats)
{
  const GstTfrcSrcSession *session;

  memset (stats, 0, sizeof *stats);
  if (gst_tfrc_fork_is_inherited (stream->generation))
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
  stats->queue_packets = gst_tfrc_reorder_length (&stream->queue);
  stats->queue_dropped = stream->queue.overflowed;
  stats->packets_missing = stream->queue.missing;
  stats->packets_too_late = stream->queue.too_late;
  stats->foreign_packets = stream->foreign_packets + stream->ownership.candidates.dropped_packets;
  stats->byes_refused = stream->ownership.owner.byes_refused;
  stats->malformed_packets = stream->malformed_packets;
  g_mutex_unlock (&stream->lock);
}

guint16
gst_tfrc_src_stream_get_local_port (GstTfrcSrcStream *stream)
{
  return stream->socket_config.bind_port;
}

gint
gst_tfrc_src_stream_get_receive_buffer_bytes (GstTfrcSrcStream *stream)
{
  return gst_tfrc_socket_receive_buffer_bytes (stream->socket->fd);
}
