/* tfrcsink's input: from the pipeline's buffers to packets with the time when each is due, and the
 * end of the stream. */
#include "gsttfrcsinkinput.h"

#include "../common/clock.h"
#include "../common/messages.h"
#include "duetime.h"
#include "gsttfrcsinkstats.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* When the buffer was due on the monotonic clock */
static guint64
due_time_ns (GstTfrcSink *self, GstBuffer *buffer, guint64 now_ns)
{
  GstBaseSink *sink = GST_BASE_SINK (self);
  GstTfrcSyncTimes times;
  GstClock *clock;
  guint64 late_ns;

  if (self->blocked_ns == 0 || !gst_base_sink_get_sync (sink)
      || sink->segment.format != GST_FORMAT_TIME || !GST_BUFFER_PTS_IS_VALID (buffer))
    return now_ns;
  clock = gst_element_get_clock (GST_ELEMENT (self));
  if (clock == NULL)
    return now_ns;
  times.running_time = gst_segment_to_running_time (
      &sink->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  times.base_time = gst_element_get_base_time (GST_ELEMENT (self));
  times.latency = gst_base_sink_get_latency (sink);
  times.ts_offset = gst_base_sink_get_ts_offset (sink);
  times.render_delay = gst_base_sink_get_render_delay (sink);
  late_ns = gst_tfrc_lateness_ns (&times, gst_clock_get_time (clock));
  gst_object_unref (clock);
  return gst_tfrc_due_time_ns (late_ns, now_ns, &self->blocked_ns);
}

/* The answer to the latency query says whether upstream is live. The answer is final once upstream
 * sends buffers. */
static void
find_out_whether_live (GstTfrcSink *self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (GST_BASE_SINK_PAD (self), query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  GST_DEBUG_OBJECT (self, "input is %slive", live ? "" : "not ");
  gst_tfrc_sink_stream_set_live (self->stream, live);
  self->knows_live = TRUE;
}

typedef struct
{
  GstTfrcSink *self;
  GstFlowReturn flow; /* why the last packet was not taken */
  guint64 paused_ns;  /* since the buffer came */
} PushContext;

/* When a pause interrupts the wait for room, the wait goes on after the pause, and the packet is
 * due that much later. Only a flush or a stop ends the wait. */
static gboolean
push_packet (GstTfrcPacket *packet, guint64 due_ns, gpointer user)
{
  PushContext *context = user;
  GstTfrcSink *self = context->self;
  GstTfrcPushResult result;

  while ((result = gst_tfrc_sink_stream_push (
              self->stream, packet, due_ns + context->paused_ns, &self->blocked_ns))
      == GST_TFRC_PUSH_FLUSHING) {
    guint64 pause_ns = gst_tfrc_clock_now_ns ();

    context->flow = gst_base_sink_wait_preroll (GST_BASE_SINK (self));
    context->paused_ns += gst_tfrc_clock_now_ns () - pause_ns;
    if (context->flow != GST_FLOW_OK) {
      gst_tfrc_packet_unref (packet);
      return FALSE;
    }
  }
  if (result == GST_TFRC_PUSH_DROPPED)
    self->dropped = TRUE;
  return TRUE;
}

static void
post_qos (GstTfrcSink *self, GstBuffer *buffer)
{
  const GstSegment *segment = &GST_BASE_SINK (self)->segment;
  GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  GstClockTime stream_time = GST_CLOCK_TIME_NONE;
  GstTfrcSinkStreamStats stats;
  GstMessage *message;

  if (segment->format == GST_FORMAT_TIME) {
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts);
  }
  message = gst_message_new_qos (
      GST_OBJECT (self), FALSE, running_time, stream_time, pts, GST_BUFFER_DURATION (buffer));
  gst_tfrc_sink_stream_get_stats (self->stream, &stats);
  gst_message_set_qos_stats (
      message, GST_FORMAT_BUFFERS, stats.session.sender.packets_sent, stats.packets_dropped);
  gst_element_post_message (GST_ELEMENT (self), message);
}

static GstFlowReturn
refuse_input (GstTfrcSink *self, GstTfrcTsResult result)
{
  if (result == GST_TFRC_TS_OTHER_PACKET_SIZE)
    GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE,
        ("The transport stream has packets of 192 or 204 bytes."),
        ("Only packets of 188 bytes are sent; \"tsparse alignment=7\" converts"));
  else
    GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE, ("This is not an MPEG transport stream."),
        ("no sync bytes at distances of 188 in the data"));
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_tfrc_sink_input_render (GstTfrcSink *self, GstBuffer *buffer)
{
  PushContext context = { self, GST_FLOW_OK, 0 };
  guint64 damages_before = self->packetizer.damages;
  GstTfrcTsResult result;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ, (NULL), ("cannot map a buffer"));
    return GST_FLOW_ERROR;
  }
  if (!self->knows_live)
    find_out_whether_live (self);
  self->dropped = FALSE;
  result = gst_tfrc_ts_packetizer_push (&self->packetizer, map.data, map.size,
      due_time_ns (self, buffer, gst_tfrc_clock_now_ns ()), push_packet, &context);
  gst_buffer_unmap (buffer, &map);
  if (context.flow != GST_FLOW_OK)
    return context.flow;
  if (result != GST_TFRC_TS_OK)
    return refuse_input (self, result);
  if (self->packetizer.damages > damages_before)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("The transport stream is damaged."),
        ("%" G_GUINT64_FORMAT " bytes between packets skipped so far",
            self->packetizer.garbage_bytes));
  if (self->dropped)
    post_qos (self, buffer);
  return GST_FLOW_OK;
}

/* Waits until all packets are sent, and goes on with the wait after a pause. */
static GstFlowReturn
drain (GstTfrcSink *self)
{
  guint64 timeout_ns;
  gboolean wants_stats;
  guint dropped;

  GST_OBJECT_LOCK (self);
  timeout_ns = self->settings.drain_timeout_ms * GST_MSECOND;
  wants_stats = self->settings.stats_interval_ms > 0;
  GST_OBJECT_UNLOCK (self);
  while (!gst_tfrc_sink_stream_drain (self->stream, timeout_ns, &dropped)) {
    GstFlowReturn flow = gst_base_sink_wait_preroll (GST_BASE_SINK (self));

    if (flow != GST_FLOW_OK)
      return flow;
  }
  if (dropped > 0)
    GST_WARNING_OBJECT (self, "%u packets were left after the drain timeout", dropped);
  /* the last statistics of this stream */
  if (wants_stats)
    gst_tfrc_stats_post (GST_ELEMENT (self), gst_tfrc_sink_get_stats (self));
  return GST_FLOW_OK;
}

GstFlowReturn
gst_tfrc_sink_input_finish (GstTfrcSink *self)
{
  PushContext context = { self, GST_FLOW_OK, 0 };

  gst_tfrc_ts_packetizer_finish (&self->packetizer, push_packet, &context);
  if (self->packetizer.packets == 0 && self->packetizer.garbage_bytes > 0)
    return refuse_input (self, GST_TFRC_TS_NOT_TS);
  return context.flow == GST_FLOW_OK ? drain (self) : context.flow;
}
