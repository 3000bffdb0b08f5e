/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens and closes a source's stream; its settings and statistics.  See srcstream.h. */
#include "srcstream-private.h"

#include <string.h>

#include "../common/clock.h"
#include "../common/random.h"

/* With this window or a longer one it does no harm if packets are read some milliseconds later. */
#define PATIENT_WINDOW_NS G_GUINT64_CONSTANT (40000000)

static void
free_packet (gpointer data)
{
  gst_buffer_unref (data);
}

static void
set_stats_interval (GstTfrcSrcStream *stream, guint64 interval_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  if (interval_ns == stream->stats_interval_ns)
    return;
  stream->stats_interval_ns = interval_ns;
  stream->stats_ns = interval_ns ? gst_tfrc_clock_now_ns () + interval_ns : G_MAXUINT64;
}

/* Gives all that the lock protects a value. */
static void
set_up (GstTfrcSrcStream *stream, const GstTfrcSrcStreamConfig *config, GstTfrcEndpoint *endpoint,
    const guint8 secret[GST_TFRC_SECRET_BYTES])
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  gst_tfrc_src_stream_mutex_assume (&stream->lock); /* the endpoint has not started yet */
  gst_tfrc_src_endpoints_init (&stream->endpoints, endpoint, now_ns);
  gst_tfrc_demux_init (&stream->demux);
  stream->queue = gst_tfrc_reorder_new (
      config->limits.window_ns, config->limits.max_time_ns, free_packet);
  stream->selection = gst_tfrc_selection_new (
      &config->senders, config->keep_listening, secret, now_ns);
  stream->stats_ns = G_MAXUINT64;
  stream->timeout_ns = config->limits.timeout_ns;
  stream->is_patient = config->limits.window_ns >= PATIENT_WINDOW_NS;
  set_stats_interval (stream, config->limits.stats_interval_ns);
}

/* The endpoint has stopped, and no other thread uses the stream. */
static void
destroy (GstTfrcSrcStream *stream)
{
  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  gst_tfrc_reception_free (stream->session);
  gst_tfrc_src_keys_free (stream->keys);
  gst_tfrc_selection_free (stream->selection);
  gst_tfrc_demux_clear (&stream->demux);
  gst_tfrc_reorder_free (stream->queue);
  gst_tfrc_endpoint_close (stream->endpoints.active.endpoint);
  g_cond_clear (&stream->packet_ready);
  gst_tfrc_src_stream_mutex_clear (&stream->lock);
  g_free (stream);
}

/* A thread of the parent may have been at work on the rest, which stays as it is. */
static void
close_inherited (GstTfrcSrcStream *stream)
{
  gst_tfrc_src_stream_mutex_assume (&stream->lock);
  if (stream->endpoints.old.endpoint != stream->endpoints.active.endpoint)
    gst_tfrc_endpoint_close_inherited (stream->endpoints.old.endpoint);
  gst_tfrc_endpoint_close_inherited (stream->endpoints.active.endpoint);
}

/* The numbers that no peer may guess */
static gboolean
draw_numbers (GstTfrcSrcStream *stream, guint8 secret[GST_TFRC_SECRET_BYTES], GError **error)
{
  if (gst_tfrc_random_is_available (error) && gst_tfrc_random_fill (secret, GST_TFRC_SECRET_BYTES)
      && gst_tfrc_random_fill (&stream->ssrc, sizeof stream->ssrc)
      && gst_tfrc_random_cname (stream->cname))
    return TRUE;
  if (error && *error == NULL)
    gst_tfrc_random_set_error (error);
  return FALSE;
}

GstTfrcSrcStream *
gst_tfrc_src_stream_new (const GstTfrcSrcStreamConfig *config, const GstTfrcSrcStreamEvents *events,
    gpointer user, GError **error)
{
  GstTfrcSrcStream *stream = g_new0 (GstTfrcSrcStream, 1);
  guint8 secret[GST_TFRC_SECRET_BYTES];
  GstTfrcEndpoint *endpoint = NULL;

  stream->generation = gst_tfrc_fork_generation ();
  if (draw_numbers (stream, secret, error))
    endpoint = gst_tfrc_src_stream_open_endpoint (stream, &config->socket, error);
  if (endpoint == NULL) {
    g_free (stream);
    return NULL;
  }
  stream->socket_config = config->socket;
  stream->socket_config.bind_address = NULL;
  stream->socket_config.bind_port = gst_tfrc_address_port (
      gst_tfrc_endpoint_get_address (endpoint));
  stream->events = *events;
  stream->user = user;
  stream->receiver = config->receiver;
  stream->senders = config->senders;
  stream->keys = gst_tfrc_src_keys_new (&config->security, secret, stream->ssrc);
  gst_tfrc_src_stream_mutex_init (&stream->lock);
  g_cond_init (&stream->packet_ready);
  set_up (stream, config, endpoint, secret);
  if (!gst_tfrc_endpoint_start (endpoint, NULL, error)) {
    gst_tfrc_src_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_src_stream_update_patience (stream);
  gst_tfrc_src_stream_update_deadline (stream);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  return stream;
}

void
gst_tfrc_src_stream_free (GstTfrcSrcStream *stream)
{
  GstTfrcEndpoint *old, *active;

  if (stream == NULL)
    return;
  if (gst_tfrc_fork_is_inherited (stream->generation)) {
    close_inherited (stream);
    return;
  }
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  old = gst_tfrc_src_endpoints_take_old (&stream->endpoints);
  active = stream->endpoints.active.endpoint;
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  gst_tfrc_endpoint_close (old);
  gst_tfrc_endpoint_stop (active);
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_src_stream_say_bye (stream);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  destroy (stream);
}

/* ---- settings, and what is known ----------------------------------------- */

void
gst_tfrc_src_stream_set_limits (GstTfrcSrcStream *stream, const GstTfrcSrcStreamLimits *limits)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_reorder_set_limits (stream->queue, limits->window_ns, limits->max_time_ns);
  stream->is_patient = limits->window_ns >= PATIENT_WINDOW_NS;
  stream->timeout_ns = limits->timeout_ns;
  set_stats_interval (stream, limits->stats_interval_ns);
  g_cond_signal (&stream->packet_ready);
  gst_tfrc_src_stream_update_patience (stream);
  gst_tfrc_src_stream_update_deadline (stream);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
}

void
gst_tfrc_src_stream_get_stats (GstTfrcSrcStream *stream, GstTfrcSrcStreamStats *stats)
{
  GstTfrcSelectionStats selection;
  GstTfrcReorderStats queue;

  memset (stats, 0, sizeof *stats);
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_selection_get_stats (stream->selection, &selection);
  gst_tfrc_reorder_get_stats (stream->queue, &queue);
  stats->receiver = stream->receiver;
  stats->has_sender = stream->session != NULL;
  if (stream->session)
    gst_tfrc_reception_get_stats (stream->session, &stats->session);
  gst_tfrc_reception_add_counts (&stats->session, &stream->totals);
  stats->sender_has_ended = stream->session && gst_tfrc_reception_has_ended (stream->session);
  stats->sender_is_lost = stream->sender_is_lost;
  gst_tfrc_src_keys_get_stats (stream->keys, &stats->security);
  stats->local_port = stream->socket_config.bind_port;
  stats->queue_packets = queue.packets;
  stats->queue_dropped = queue.overflowed;
  stats->packets_missing = queue.missing;
  stats->packets_too_late = queue.too_late;
  stats->foreign_packets = stream->demux.foreign + selection.packets_dropped;
  stats->byes_refused = selection.byes_refused;
  stats->malformed_packets = stream->demux.malformed;
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
}

gboolean
gst_tfrc_src_stream_take_security_event (GstTfrcSrcStream *stream, GstTfrcSecurityEvent *event)
{
  return !gst_tfrc_fork_is_inherited (stream->generation)
      && gst_tfrc_src_keys_take_event (stream->keys, event);
}

void
gst_tfrc_src_stream_rekey (GstTfrcSrcStream *stream)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_src_keys_rekey (stream->keys);
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_endpoint_set_deadline (stream->endpoints.active.endpoint, gst_tfrc_clock_now_ns ());
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
}

guint16
gst_tfrc_src_stream_get_local_port (GstTfrcSrcStream *stream)
{
  return stream->socket_config.bind_port;
}

gint
gst_tfrc_src_stream_get_receive_buffer_bytes (GstTfrcSrcStream *stream)
{
  GstTfrcEndpoint *endpoint;
  gint bytes;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return 0;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  endpoint = gst_tfrc_endpoint_ref (stream->endpoints.active.endpoint);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  bytes = gst_tfrc_endpoint_get_receive_buffer_bytes (endpoint);
  gst_tfrc_endpoint_unref (endpoint);
  return bytes;
}
