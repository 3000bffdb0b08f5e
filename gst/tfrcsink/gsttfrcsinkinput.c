/* tfrcsink's input: from the pipeline's buffers to packets with the time when each is due, and the
 * end of the stream. */
#include "gsttfrcsinkinput.h"

#include "../common/clock.h"
#include "../common/messages.h"
#include "gsttfrcsinkstats.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* ---- time: as GstAudioBaseSink, the sink waits for the clock by itself ------------------- */

static void
get_timestamps (GstTfrcSink *self, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  GstBaseSinkClass *parent_class = g_type_class_peek_parent (GST_BASE_SINK_GET_CLASS (self));

  *start = *stop = GST_CLOCK_TIME_NONE;
  parent_class->get_times (GST_BASE_SINK (self), buffer, start, stop);
}

/* Sets the running times at which the buffer begins and ends. Both are GST_CLOCK_TIME_NONE if the
 * buffer has no time, or is outside of the segment. */
static void
get_running_times (GstTfrcSink *self, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  const GstSegment *segment = &GST_BASE_SINK (self)->segment;
  GstClockTime first, last;

  get_timestamps (self, buffer, &first, &last);
  *start = *stop = GST_CLOCK_TIME_NONE;
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (first)
      || !gst_segment_clip (segment, GST_FORMAT_TIME, first, last, &first, &last))
    return;
  *start = gst_segment_to_running_time (segment, GST_FORMAT_TIME, first);
  *stop = gst_segment_to_running_time (segment, GST_FORMAT_TIME, last);
  /* Reverse playback begins at the end of a buffer. */
  if (segment->rate < 0 && GST_CLOCK_TIME_IS_VALID (*stop)) {
    first = *start;
    *start = *stop;
    *stop = first;
  }
}

/* GstBaseSink measures lateness for QoS events, drops late buffers, and limits the rate while it
 * waits for the clock. So GstBaseSink waits if the application asks for any of these. */
static gboolean
base_sink_waits (GstBaseSink *sink)
{
  return gst_base_sink_is_qos_enabled (sink) || gst_base_sink_get_max_lateness (sink) >= 0
      || gst_base_sink_get_max_bitrate (sink) > 0;
}

/* GstBaseSink drops buffers that are outside of the segment, for which it needs their times. */
void
gst_tfrc_sink_input_get_times (
    GstTfrcSink *self, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  GstClockTime running_start, running_stop;

  get_timestamps (self, buffer, start, stop);
  get_running_times (self, buffer, &running_start, &running_stop);
  if (GST_CLOCK_TIME_IS_VALID (running_start) && !base_sink_waits (GST_BASE_SINK (self)))
    *start = *stop = GST_CLOCK_TIME_NONE;
}

/* Returns FALSE if the sink does not follow a clock. */
static gboolean
read_clock (GstTfrcSink *self, GstTfrcClockOffset *offset)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  guint64 before_ns, clock_ns;

  if (clock == NULL)
    return FALSE;
  before_ns = gst_tfrc_clock_now_ns ();
  clock_ns = gst_clock_get_time (clock);
  gst_tfrc_clock_offset_update (offset, before_ns, clock_ns, gst_tfrc_clock_now_ns ());
  gst_object_unref (clock);
  return TRUE;
}

static void
get_sync_times (GstTfrcSink *self, GstClockTime running_time, GstTfrcSyncTimes *times)
{
  GstBaseSink *sink = GST_BASE_SINK (self);

  times->running_time = running_time;
  times->base_time = gst_element_get_base_time (GST_ELEMENT (self));
  times->latency = gst_base_sink_get_latency (sink);
  times->ts_offset = gst_base_sink_get_ts_offset (sink);
  times->render_delay = gst_base_sink_get_render_delay (sink);
}

/* When a buffer with this running time is due on the monotonic clock. The stream is told where the
 * pipeline's time is now. */
static guint64
get_due_time_ns (GstTfrcSink *self, GstClockTime running_time, guint64 *now_ns)
{
  GstTfrcSyncTimes times;
  gint64 due_ns, timeline_ns;
  gboolean is_synced = GST_CLOCK_TIME_IS_VALID (running_time)
      && gst_base_sink_get_sync (GST_BASE_SINK (self)) && read_clock (self, &self->clock_offset);

  *now_ns = gst_tfrc_clock_now_ns ();
  if (!is_synced)
    return *now_ns;
  get_sync_times (self, running_time, &times);
  timeline_ns = (gint64) times.base_time + self->clock_offset.offset_ns;
  if (timeline_ns != self->timeline_ns)
    gst_tfrc_sink_stream_set_timeline (self->stream, timeline_ns);
  self->timeline_ns = timeline_ns;
  due_ns = (gint64) gst_tfrc_sync_time_ns (&times) + self->clock_offset.offset_ns;
  return (guint64) MAX (0, due_ns);
}

/* How long before its due time a buffer is taken. Live input comes early by the latency of the
 * pipeline, and must not wait. */
static guint64
get_lookahead_ns (GstTfrcSink *self)
{
  guint64 lookahead_ns;

  GST_OBJECT_LOCK (self);
  lookahead_ns = self->settings.lookahead_ms * GST_MSECOND;
  GST_OBJECT_UNLOCK (self);
  if (self->is_live && lookahead_ns > 0)
    lookahead_ns += gst_base_sink_get_latency (GST_BASE_SINK (self));
  return lookahead_ns;
}

/* Waits until @early_ns before a buffer with this running time is due. A pause interrupts the wait.
 * The buffer is the preroll buffer of the pause then. */
static GstFlowReturn
wait_for_clock (GstTfrcSink *self, GstBuffer *buffer, GstClockTime running_time, guint64 early_ns)
{
  GstBaseSink *sink = GST_BASE_SINK (self);
  GstClockReturn status;

  do {
    GstFlowReturn flow = gst_base_sink_do_preroll (sink, GST_MINI_OBJECT_CAST (buffer));
    GstTfrcSyncTimes times;
    GstClockTime time;

    if (flow != GST_FLOW_OK)
      return flow;
    get_sync_times (self, running_time, &times);
    time = gst_tfrc_sync_running_time (&times);
    status = gst_base_sink_wait_clock (sink, time - MIN (time, early_ns), NULL);
    if (sink->flushing)
      return GST_FLOW_FLUSHING;
  } while (status == GST_CLOCK_UNSCHEDULED);
  return GST_FLOW_OK;
}

/* Waits until the buffer may be taken, and sets the time at which it is due. A thread that has to
 * wait sleeps for longer than necessary, so that the next buffers need not wait. */
static GstFlowReturn
wait_for_turn (GstTfrcSink *self, GstBuffer *buffer, guint64 *due_ns)
{
  guint64 lookahead_ns = get_lookahead_ns (self), now_ns, late_ns;
  GstClockTime start, stop;

  get_running_times (self, buffer, &start, &stop);
  self->end_ns = GST_CLOCK_TIME_IS_VALID (stop) ? stop : start;
  *due_ns = get_due_time_ns (self, start, &now_ns);
  if (*due_ns > now_ns + lookahead_ns) {
    GstFlowReturn flow = wait_for_clock (self, buffer, start, lookahead_ns / 2);

    if (flow != GST_FLOW_OK)
      return flow;
    *due_ns = get_due_time_ns (self, start, &now_ns);
  }
  late_ns = now_ns - MIN (now_ns, *due_ns);
  *due_ns = MAX (*due_ns, gst_tfrc_due_time_ns (late_ns, now_ns, &self->blocked_ns));
  return GST_FLOW_OK;
}

/* The streaming thread waits in preroll, or is told in time by get_due_time_ns(). */
void
gst_tfrc_sink_input_set_playing (GstTfrcSink *self, gboolean playing)
{
  GstTfrcClockOffset offset = { 0 };

  if (playing && gst_base_sink_get_sync (GST_BASE_SINK (self)) && read_clock (self, &offset))
    gst_tfrc_sink_stream_set_timeline (
        self->stream, (gint64) gst_element_get_base_time (GST_ELEMENT (self)) + offset.offset_ns);
  gst_tfrc_sink_stream_set_paused (self->stream, !playing);
}

void
gst_tfrc_sink_input_reset (GstTfrcSink *self)
{
  const GstTfrcClockOffset unknown = { 0 };

  self->clock_offset = unknown;
  self->timeline_ns = 0;
  self->end_ns = GST_CLOCK_TIME_NONE;
  self->blocked_ns = 0;
  self->knows_live = FALSE;
}

/* ---- buffers ----------------------------------------------------------------------------- */

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
  self->is_live = live;
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
  GstFlowReturn flow;
  GstMapInfo map;
  guint64 due_ns;

  if (!self->knows_live)
    find_out_whether_live (self);
  flow = wait_for_turn (self, buffer, &due_ns);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ, (NULL), ("cannot map a buffer"));
    return GST_FLOW_ERROR;
  }
  self->dropped = FALSE;
  result = gst_tfrc_ts_packetizer_push (
      &self->packetizer, map.data, map.size, due_ns, push_packet, &context);
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
  GstFlowReturn flow = gst_base_sink_wait (GST_BASE_SINK (self), self->end_ns, NULL);

  if (flow != GST_FLOW_OK)
    return flow;
  gst_tfrc_ts_packetizer_finish (&self->packetizer, push_packet, &context);
  if (self->packetizer.packets == 0 && self->packetizer.garbage_bytes > 0)
    return refuse_input (self, GST_TFRC_TS_NOT_TS);
  return context.flow == GST_FLOW_OK ? drain (self) : context.flow;
}
