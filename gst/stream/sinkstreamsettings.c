/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be set and asked while a sender's stream runs, see sinkstream.h. */
#include <string.h>

#include "../common/clock.h"
#include "sinkstream-private.h"

void
gst_tfrc_sink_stream_set_timeline (GstTfrcSinkStream *stream, gint64 timeline_ns)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_set_timeline (&stream->audience, timeline_ns);
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_sink_stream_set_paused (GstTfrcSinkStream *stream, gboolean paused)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_set_paused (&stream->audience, paused);
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_set_live (&stream->audience, live, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_sink_stream_set_timed (GstTfrcSinkStream *stream, gboolean timed)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_set_timed (&stream->audience, timed);
  gst_tfrc_port_unlock (stream->port);
}

guint64
gst_tfrc_sink_stream_get_ahead_ns (GstTfrcSinkStream *stream)
{
  guint64 ahead_ns = 0;

  gst_tfrc_port_lock (stream->port);
  if (stream->outbox)
    ahead_ns = gst_tfrc_outbox_get_ahead_ns (stream->outbox);
  gst_tfrc_port_unlock (stream->port);
  return ahead_ns;
}

void
gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_set_limits (&stream->audience, limits, gst_tfrc_clock_now_ns ());
  if (stream->listening)
    gst_tfrc_listening_set_stats_interval (
        stream->listening, limits->stats_interval_ns, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_reschedule_owner (stream->port, &stream->tenant);
  gst_tfrc_streaming_thread_wake (&stream->thread);
  gst_tfrc_port_unlock (stream->port);
}

GstTfrcSinkLimits
gst_tfrc_sink_stream_get_limits (GstTfrcSinkStream *stream)
{
  GstTfrcSinkLimits limits;

  gst_tfrc_port_lock (stream->port);
  limits = gst_tfrc_audience_get_limits (&stream->audience);
  gst_tfrc_port_unlock (stream->port);
  return limits;
}

/* Sets an option of the socket, and of a further one for RTCP, without the lock, unless they are another stream's. Returns
 * FALSE if the system refuses.
 * @ttl: set to the TTL in force */
static gboolean
set_option (GstTfrcSinkStream *stream, gboolean (*set) (GstTfrcEndpoint *self, gint value),
    gint value, guint *ttl)
{
  GstTfrcEndpoint *socket = gst_tfrc_port_ref_socket (stream->port);
  GstTfrcEndpoint *rtcp = gst_tfrc_port_get_rtcp_socket (stream->port);
  gboolean is_set = stream->is_guest
      || (set (socket, value) && (rtcp == NULL || set (rtcp, value)));

  *ttl = gst_tfrc_endpoint_get_ttl (socket);
  gst_tfrc_endpoint_unref (socket);
  return is_set;
}

static void
set_ttl (GstTfrcSendFlow *flow, gpointer ttl)
{
  gst_tfrc_send_flow_set_ttl (flow, GPOINTER_TO_UINT (ttl));
}

gboolean
gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl)
{
  guint in_force;

  if (!set_option (stream, gst_tfrc_endpoint_set_ttl, ttl, &in_force))
    return FALSE;
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_foreach (&stream->audience, set_ttl, GUINT_TO_POINTER (in_force));
  if (stream->listening)
    gst_tfrc_listening_set_ttl (stream->listening, in_force);
  gst_tfrc_port_unlock (stream->port);
  return TRUE;
}

gboolean
gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp)
{
  guint unused;

  return set_option (stream, gst_tfrc_endpoint_set_dscp, dscp, &unused);
}

static void
rekey (GstTfrcSendFlow *flow, gpointer unused)
{
  gst_tfrc_send_flow_rekey (flow, gst_tfrc_clock_now_ns ());
}

void
gst_tfrc_sink_stream_rekey (GstTfrcSinkStream *stream)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_foreach (&stream->audience, rekey, NULL);
  gst_tfrc_audience_reschedule (&stream->audience);
  gst_tfrc_port_unlock (stream->port);
}

/* ---- events and queries -------------------------------------------------------------- */

gchar *
gst_tfrc_sink_stream_dup_refusal (GstTfrcSinkStream *stream)
{
  gchar *reason;

  gst_tfrc_port_lock (stream->port);
  reason = g_strdup (gst_tfrc_calling_get_refusal (stream->calling));
  gst_tfrc_port_unlock (stream->port);
  return reason;
}

gboolean
gst_tfrc_sink_stream_take_event (GstTfrcSinkStream *stream, GstTfrcEvent *event)
{
  gboolean taken;

  gst_tfrc_port_lock (stream->port);
  taken = stream->flow
      && gst_tfrc_events_take (gst_tfrc_send_flow_get_events (stream->flow), event);
  gst_tfrc_port_unlock (stream->port);
  return taken;
}

void
gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  gst_tfrc_port_lock (stream->port);
  if (stream->flow)
    gst_tfrc_send_flow_get_stats (stream->flow, gst_tfrc_clock_now_ns (), stats);
  stats->local_port = gst_tfrc_port_get_number (stream->port);
  gst_tfrc_port_unlock (stream->port);
}

guint64
gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream)
{
  guint64 bitrate = 0;

  gst_tfrc_port_lock (stream->port);
  if (stream->flow)
    bitrate = gst_tfrc_send_news_get_bitrate (
        gst_tfrc_send_flow_get_news (stream->flow), gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (stream->port);
  return bitrate;
}

void
gst_tfrc_sink_stream_set_bitrate_heard (GstTfrcSinkStream *stream, gboolean is_heard)
{
  gst_tfrc_port_lock (stream->port);
  if (stream->flow)
    gst_tfrc_send_news_set_bitrate_heard (gst_tfrc_send_flow_get_news (stream->flow), is_heard);
  gst_tfrc_port_unlock (stream->port);
}

GstTfrcPort *
gst_tfrc_sink_stream_get_port (GstTfrcSinkStream *stream)
{
  return stream->port;
}

GstTfrcSendFlow *
gst_tfrc_sink_stream_get_flow (GstTfrcSinkStream *stream)
{
  return stream->flow;
}

GstTfrcListening *
gst_tfrc_sink_stream_get_listening (GstTfrcSinkStream *stream)
{
  return stream->listening;
}
