/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream's life and the I/O loop's callbacks, see sinkstream.h. */
#include "sinkstream-private.h"

#include <errno.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/random.h"
#include "sinkrtcpport.h"

/* Batches that one callback sends, so that other streams have their turn */
#define MAX_BATCHES 4

/* ---- the loop's callbacks ---------------------------------------------- */

guint64
gst_tfrc_sink_stream_next_deadline (const GstTfrcSinkStream *stream)
{
  guint64 deadline_ns = MIN (gst_tfrc_send_session_next_ns (stream->session), stream->stats_ns);

  deadline_ns = MIN (deadline_ns, gst_tfrc_send_queue_expiry_ns (&stream->queue));
  deadline_ns = MIN (deadline_ns, gst_tfrc_rate_estimate_next_ns (&stream->estimate));
  deadline_ns = MIN (deadline_ns, gst_tfrc_silence_next_ns (&stream->silence));
  if (!stream->is_full)
    deadline_ns = MIN (deadline_ns, gst_tfrc_lookahead_due_ns (&stream->lookahead));
  if (stream->keys)
    deadline_ns = MIN (deadline_ns, gst_tfrc_sink_keys_next_ns (stream->keys));
  return MIN (deadline_ns, gst_tfrc_sink_stream_next_send (stream));
}

/* Passes to the queue what is known of the receiver. The end of a stream does not wait for an
 * absent receiver. */
static void
update_queue (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  gboolean absent = gst_tfrc_send_session_is_peer_absent (stream->session);
  GstTfrcSendQueue *queue = &stream->queue;

  if (absent != queue->absent)
    g_cond_signal (&stream->wake);
  queue->absent = absent;
  queue->drain_rate_Bps = absent
      ? 0
      : gst_tfrc_rate_control_get_drain_rate_Bps (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)));
  queue->drain_rate_is_measured = gst_tfrc_rate_control_get_rtt_ns (
                                      gst_tfrc_send_media_get_control (
                                          gst_tfrc_send_session_get_media (stream->session)))
      > 0;
}

/* Does everything that is due. */
static guint64
serve (GstTfrcSinkStream *stream, guint64 now_ns, GstTfrcSinkPendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  guint i;

  gst_tfrc_send_session_on_time (stream->session, now_ns);
  update_queue (stream);
  gst_tfrc_sink_stream_drop_overdue (stream, now_ns);
  gst_tfrc_sink_stream_take_due (stream, now_ns);
  gst_tfrc_sink_stream_serve_keys (stream, now_ns);
  for (i = 0;
       i < MAX_BATCHES && gst_tfrc_sink_stream_send_batch (stream, now_ns, &pending->send_error);
       i++)
    ;
  gst_tfrc_sink_stream_take_due (stream, now_ns);
  gst_tfrc_sink_stream_send_rtcp (stream, now_ns);
  gst_tfrc_sink_stream_announce (stream, now_ns, pending);
  gst_tfrc_sink_stream_wake_streaming_thread (stream, now_ns);
  return gst_tfrc_sink_stream_next_deadline (stream);
}

static guint64
on_deadline (gpointer user, GstTfrcEndpoint *endpoint, guint64 now_ns)
{
  GstTfrcSinkStream *stream = user;
  GstTfrcSinkPendingEvents pending = { 0 };
  guint64 deadline_ns;

  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  deadline_ns = serve (stream, now_ns, &pending);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  gst_tfrc_sink_stream_emit (stream, &pending);
  return deadline_ns;
}

static guint64
on_packets (gpointer user, GstTfrcEndpoint *endpoint, const GstTfrcReceivedPacket *packets, guint n,
    guint64 now_ns)
{
  GstTfrcSinkStream *stream = user;
  GstTfrcReceivedPacket plain[GST_TFRC_BATCH_PACKETS];
  GstTfrcSinkPendingEvents pending = { 0 };
  guint64 deadline_ns;
  guint i;

  n = gst_tfrc_sink_stream_unprotect (stream, packets, n, plain, now_ns);
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  for (i = 0; i < n; i++)
    gst_tfrc_sink_stream_on_packet (stream, &plain[i]);
  deadline_ns = serve (stream, now_ns, &pending);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  gst_tfrc_sink_stream_emit (stream, &pending);
  return deadline_ns;
}

/* RTCP has come at a port of its own. */
static guint64
on_rtcp_packets (gpointer user, GstTfrcEndpoint *endpoint, const GstTfrcReceivedPacket *packets,
    guint n, guint64 now_ns)
{
  GstTfrcSinkStream *stream = user;

  gst_tfrc_endpoint_set_deadline (
      stream->endpoint, on_packets (user, stream->endpoint, packets, n, now_ns));
  return G_MAXUINT64;
}

static guint64
on_rtcp_deadline (gpointer user, GstTfrcEndpoint *endpoint, guint64 now_ns)
{
  return G_MAXUINT64;
}

/* The receiver may have no RTCP at that port. */
static void
on_rtcp_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  GstTfrcSinkStream *stream = user;

  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  stream->icmp_errors++;
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

static void
on_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  GstTfrcSinkStream *stream = user;
  GstTfrcSinkPendingEvents pending = { 0 };

  /* There is no receiver yet, or no more: the nofeedback timer slows the sender down. */
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  stream->icmp_errors++;
  if (error != ESHUTDOWN)
    gst_tfrc_silence_on_error (&stream->silence, error);
  if (error == ECONNREFUSED)
    gst_tfrc_send_session_on_port_unreachable (stream->session, destination);
  else if (error == ETIME)
    gst_tfrc_send_session_on_time_exceeded (stream->session, destination);
  gst_tfrc_sink_stream_announce_ttl (stream, &pending);
  gst_tfrc_sink_stream_wake_streaming_thread (stream, gst_tfrc_clock_now_ns ());
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  gst_tfrc_sink_stream_emit (stream, &pending);
}

/* ---- life -------------------------------------------------------------- */

static void
apply_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  if (limits->stats_interval_ns != stream->limits.stats_interval_ns)
    stream->stats_ns = limits->stats_interval_ns ? now_ns + limits->stats_interval_ns : G_MAXUINT64;
  stream->limits = *limits;
  stream->queue.max_packets = limits->max_queue_packets;
  stream->queue.max_time_ns = limits->max_queue_time_ns;
  stream->queue.leaky = limits->leaky;
  gst_tfrc_rate_control_set_limits (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)),
      limits->min_bitrate, limits->max_bitrate);
  gst_tfrc_rate_estimate_limit (
      &stream->estimate, limits->min_bitrate, limits->max_bitrate, now_ns);
  gst_tfrc_sink_stream_update_estimate (stream, now_ns);
}

static gsize
protect (gpointer user, guint8 *datagram, gsize size)
{
  return gst_tfrc_sink_keys_protect (user, FALSE, datagram, size);
}

/* With GST_TFRC_PROTECT_RAISED_TTL no packet is authenticated as long as the TTL is not raised. */
static GstTfrcAllowMigration
get_allowed_migration (const GstTfrcSinkStreamConfig *config)
{
  gboolean is_open = config->security.credentials
      && config->security.protect == GST_TFRC_PROTECT_RAISED_TTL;

  return is_open && config->allow_migration == GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED
      ? GST_TFRC_ALLOW_MIGRATION_NEVER
      : config->allow_migration;
}

/* Gives all that the lock protects a value.  Returns FALSE if TFRC refuses the configuration. */
static gboolean
set_up (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config)
{
  const GstTfrcSendSessionConfig session_config = {
    .media = { .rate = config->rate,
        .transport_seq = config->transport_seq,
        .protector = stream->keys ? (GstTfrcProtector){ protect, stream->keys } : config->protector,
        .adaptive_ttl = config->adaptive_ttl,
        .ecn = config->ecn,
        .ttl = gst_tfrc_endpoint_get_ttl (stream->endpoint) },
    .peer = config->destination,
    .allow_migration = get_allowed_migration (config)
  };

  gst_tfrc_sink_stream_mutex_assume (&stream->lock); /* the endpoint has not started yet */
  gst_tfrc_lookahead_init (&stream->lookahead);
  gst_tfrc_send_queue_init (&stream->queue);
  gst_tfrc_histogram_init (&stream->delay);
  stream->stats_ns = G_MAXUINT64;
  stream->session = gst_tfrc_send_session_new (&session_config);
  if (stream->session == NULL
      || (config->smoothing_ns > 0
          && tfrc_smoother_new (&stream->queue.smoother, config->smoothing_ns) != TFRC_OK))
    return FALSE;
  if (config->ecn && !gst_tfrc_endpoint_allows_ecn (stream->endpoint))
    tfrc_ecn_refuse (
        gst_tfrc_send_media_get_ecn (gst_tfrc_send_session_get_media (stream->session)));
  stream->announced_peer = config->destination;
  apply_limits (stream, &config->limits, gst_tfrc_clock_now_ns ());
  update_queue (stream);
  return TRUE;
}

/* The endpoint has stopped, and no other thread uses the stream. */
static void
destroy (GstTfrcSinkStream *stream)
{
  gst_tfrc_sink_stream_mutex_assume (&stream->lock);
  gst_tfrc_lookahead_clear (&stream->lookahead);
  gst_tfrc_send_queue_clear (&stream->queue);
  gst_tfrc_packet_pool_free (stream->pool);
  tfrc_smoother_free (stream->queue.smoother);
  gst_tfrc_send_session_free (stream->session);
  gst_tfrc_sink_keys_free (stream->keys);
  gst_tfrc_endpoint_close (stream->rtcp_endpoint);
  gst_tfrc_endpoint_close (stream->endpoint);
  g_cond_clear (&stream->wake);
  gst_tfrc_visitor_clear (&stream->visitor);
  gst_tfrc_sink_stream_mutex_clear (&stream->lock);
  g_free (stream);
}

static gboolean
open_endpoints (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  static const GstTfrcEndpointCallbacks callbacks = { on_packets, on_deadline, on_error };
  static const GstTfrcEndpointCallbacks rtcp_callbacks = { on_rtcp_packets, on_rtcp_deadline,
    on_rtcp_error };

  stream->endpoint = gst_tfrc_endpoint_open (&config->socket, &callbacks, stream, error);
  if (stream->endpoint == NULL)
    return FALSE;
  stream->local_port = gst_tfrc_address_port (gst_tfrc_endpoint_get_address (stream->endpoint));
  stream->rtcp_port = config->rtcp_port;
  if (stream->rtcp_port == 0)
    return TRUE;
  stream->rtcp_endpoint = gst_tfrc_sink_rtcp_port_open (
      &config->socket, stream->local_port, &rtcp_callbacks, stream, error);
  if (stream->rtcp_endpoint)
    return TRUE;
  gst_tfrc_endpoint_close (stream->endpoint);
  return FALSE;
}

/* Only feedback comes. */
static gboolean
start_endpoint (GstTfrcEndpoint *endpoint, const GstTfrcEndpoint *beside, GError **error)
{
  if (!gst_tfrc_endpoint_start (endpoint, beside, error))
    return FALSE;
  gst_tfrc_endpoint_limit_reads (endpoint);
  return TRUE;
}

static gboolean
start_endpoints (GstTfrcSinkStream *stream, GError **error)
{
  return start_endpoint (stream->endpoint, NULL, error)
      && (stream->rtcp_endpoint == NULL
          || start_endpoint (stream->rtcp_endpoint, stream->endpoint, error));
}

GstTfrcSinkStream *
gst_tfrc_sink_stream_new (const GstTfrcSinkStreamConfig *config,
    const GstTfrcSinkStreamEvents *events, gpointer user, GError **error)
{
  GstTfrcSinkStream *stream = g_new0 (GstTfrcSinkStream, 1);

  if (!gst_tfrc_adaptive_ttl_check (&config->adaptive_ttl, error)
      || !gst_tfrc_random_is_available (error) || !open_endpoints (stream, config, error)) {
    g_free (stream);
    return NULL;
  }
  stream->generation = gst_tfrc_fork_generation ();
  stream->events = *events;
  stream->user = user;
  gst_tfrc_sink_stream_mutex_init (&stream->lock);
  g_cond_init (&stream->wake);
  gst_tfrc_visitor_init (&stream->visitor);
  stream->pool = gst_tfrc_packet_pool_new ();
  if (config->security.credentials)
    stream->keys = gst_tfrc_sink_keys_new (&config->security);
  if (!set_up (stream, config)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "TFRC refuses the configuration");
    gst_tfrc_sink_stream_free (stream);
    return NULL;
  }
  if (!start_endpoints (stream, error)) {
    gst_tfrc_sink_stream_free (stream);
    return NULL;
  }
  /* The loop's thread may have served the stream already. */
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  return stream;
}

void
gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream)
{
  if (stream == NULL)
    return;
  if (gst_tfrc_fork_is_inherited (stream->generation)) {
    /* A thread of the parent may have been changing the rest when the process forked. */
    gst_tfrc_endpoint_close_inherited (stream->rtcp_endpoint);
    gst_tfrc_endpoint_close_inherited (stream->endpoint);
    return;
  }
  if (stream->rtcp_endpoint)
    gst_tfrc_endpoint_stop (stream->rtcp_endpoint);
  gst_tfrc_endpoint_stop (stream->endpoint);
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  if (stream->session)
    gst_tfrc_sink_stream_send_bye (stream);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  destroy (stream);
}

/* ---- settings ---------------------------------------------------------- */

void
gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  apply_limits (stream, limits, gst_tfrc_clock_now_ns ());
  gst_tfrc_sink_stream_take_due (stream, gst_tfrc_clock_now_ns ());
  g_cond_signal (&stream->wake);
  gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

gboolean
gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl)
{
  guint in_force;

  if (gst_tfrc_fork_is_inherited (stream->generation)
      || !gst_tfrc_endpoint_set_ttl (stream->endpoint, ttl))
    return FALSE;
  in_force = gst_tfrc_endpoint_get_ttl (stream->endpoint);
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  gst_tfrc_adaptive_ttl_set_start (
      gst_tfrc_send_media_get_ttl (gst_tfrc_send_session_get_media (stream->session)), in_force);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  return TRUE;
}

gboolean
gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp)
{
  return !gst_tfrc_fork_is_inherited (stream->generation)
      && gst_tfrc_endpoint_set_dscp (stream->endpoint, dscp);
}
