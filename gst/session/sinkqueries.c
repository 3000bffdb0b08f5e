/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queries about a sink's stream, see sinkstream.h. */
#include "sinkstream-private.h"

#include <string.h>

#include "../common/clock.h"

void
gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  gst_tfrc_send_session_get_stats (stream->session, &stats->session);
  if (stream->keys)
    gst_tfrc_sink_keys_get_stats (stream->keys, &stats->security);
  stats->delay = stream->delay;
  stats->lookahead_packets = gst_tfrc_lookahead_length (&stream->lookahead);
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
  stats->local_port = stream->local_port;
  stats->messages_dropped = stats->session.handover_events_dropped;
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

GstTfrcHandoverEvent *
gst_tfrc_sink_stream_take_handover_event (GstTfrcSinkStream *stream)
{
  GstTfrcHandoverEvent *event;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return NULL;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  event = gst_tfrc_send_handover_take_event (gst_tfrc_send_session_get_handover (stream->session));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  return event;
}

guint64
gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream)
{
  guint64 bitrate;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return 0;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  bitrate = gst_tfrc_rate_estimate_get (&stream->estimate, gst_tfrc_clock_now_ns ());
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  return bitrate;
}
