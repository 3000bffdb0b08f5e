/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's input, see gsttfrcsinkinput.h. */
#include "gsttfrcsinkinput.h"

#include "../common/log.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

void
gst_tfrc_sink_input_start (GstTfrcSinkInput *self, GstBaseSink *sink, GstTfrcSinkStream *stream)
{
  self->sink = sink;
  self->stream = stream;
  self->has_input = FALSE;
  self->is_warned = FALSE;
  self->rtp = (GstTfrcRtpInput){ 0 };
  self->untimed_packets = 0;
  self->damages_told = 0;
  self->pace_ns = GST_CLOCK_TIME_NONE;
  gst_tfrc_ts_packetizer_init (&self->packetizer, gst_tfrc_sink_stream_get_pool (stream));
  gst_tfrc_due_times_init (&self->times, sink, stream);
}

void
gst_tfrc_sink_input_stop (GstTfrcSinkInput *self)
{
  gst_tfrc_ts_packetizer_clear (&self->packetizer);
  g_clear_pointer (&self->pace, gst_tfrc_pcr_pace_free);
  self->stream = NULL;
}

void
gst_tfrc_sink_input_event (GstTfrcSinkInput *self, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    gst_tfrc_ts_packetizer_reset (&self->packetizer);
    gst_tfrc_sink_stream_clear (self->stream);
    gst_tfrc_due_times_flush (&self->times);
    if (self->pace)
      gst_tfrc_pcr_pace_clear (self->pace);
    self->pace_ns = GST_CLOCK_TIME_NONE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_tfrc_due_times_forget_live (&self->times);
}

void
gst_tfrc_sink_input_set_caps (GstTfrcSinkInput *self, const GstCaps *caps)
{
  gst_tfrc_rtp_input_set_caps (&self->rtp, caps);
}

void
gst_tfrc_sink_input_set_playing (GstTfrcSinkInput *self, gboolean playing)
{
  gst_tfrc_due_times_set_playing (&self->times, playing);
}

void
gst_tfrc_sink_input_limits_changed (GstTfrcSinkInput *self)
{
  gst_tfrc_due_times_review_end (&self->times);
}

/* The wait for room or for the last packet was interrupted by a pause, a flush or a stop. The thread
 * waits until the pause ends. The caller holds the preroll lock again.
 * @object: the preroll object of the pause */
static GstFlowReturn
wait_for_pause (GstTfrcSinkInput *self, GstMiniObject *object)
{
  GstBaseSink *sink = self->sink;

  if (sink->flushing)
    return GST_FLOW_FLUSHING;
  if (sink->need_preroll)
    return gst_base_sink_do_preroll (sink, object);
  /* Another thread has begun a pause or a flush, and needs the lock to go on. */
  if (gst_tfrc_sink_stream_is_flushing (self->stream))
    return gst_base_sink_wait_preroll (sink);
  return GST_FLOW_OK;
}

typedef struct
{
  GstTfrcSinkInput *self;
  GstBuffer *buffer;  /* that the packets are made of; NULL at the end of the stream */
  GstFlowReturn flow; /* why the last packet was not taken */
  guint64 paused_ns;  /* since the buffer came */
} PushContext;

/* Waits for room without the preroll lock, which changes of the state take. */
static GstTfrcPushResult
push_unlocked (PushContext *context, GstTfrcPacket *packet, guint64 due_ns)
{
  GstTfrcSinkInput *self = context->self;
  guint64 blocked_ns = 0;
  GstTfrcPushResult result;

  GST_BASE_SINK_PREROLL_UNLOCK (self->sink);
  result = gst_tfrc_sink_stream_push (
      self->stream, packet, due_ns + context->paused_ns, &blocked_ns);
  GST_BASE_SINK_PREROLL_LOCK (self->sink);
  gst_tfrc_due_times_add_blocked (&self->times, blocked_ns);
  return result;
}

/* When a pause interrupts the wait for room, the wait goes on after the pause, and the packet is
 * due that much later. Only a flush or a stop ends the wait. */
static gboolean
push_packet (GstTfrcPacket *packet, guint64 due_ns, gpointer user)
{
  PushContext *context = user;
  GstTfrcSinkInput *self = context->self;
  GstTfrcPushResult result;

  while ((result = push_unlocked (context, packet, due_ns)) == GST_TFRC_PUSH_FLUSHING) {
    guint64 pause_ns = gst_tfrc_clock_now_ns ();

    context->flow = wait_for_pause (self, GST_MINI_OBJECT_CAST (context->buffer));
    context->paused_ns += gst_tfrc_clock_now_ns () - pause_ns;
    if (context->flow != GST_FLOW_OK) {
      gst_tfrc_packet_unref (packet);
      return FALSE;
    }
  }
  if (result == GST_TFRC_PUSH_BROKEN || result == GST_TFRC_PUSH_DISMISSED) {
    gst_tfrc_packet_unref (packet);
    context->flow = result == GST_TFRC_PUSH_BROKEN ? GST_FLOW_ERROR : GST_FLOW_EOS;
    return FALSE;
  }
  if (result == GST_TFRC_PUSH_DROPPED)
    self->dropped = TRUE;
  return TRUE;
}

/* ---- without time stamps --------------------------------------------------- */

/* Packets without any time after which the user is warned: 130 kB. tsparse has no time for those in front of
 * the first clock reference, which are few. */
#define MAX_UNTIMED_PACKETS 100

/* Without any times a file would leave as fast as the path takes it, and no receiver can keep that. The
 * user is warned although there is a remedy: clock references tell the sink nothing of a seek, or of which
 * part of an application's stream is due now.
 * @is_timed: the present packet has a time by clock references */
static void
maybe_warn (GstTfrcSinkInput *self, gboolean is_timed)
{
  if (self->is_warned || (!is_timed && ++self->untimed_packets < MAX_UNTIMED_PACKETS))
    return;
  self->is_warned = TRUE;
  GST_ELEMENT_WARNING (self->sink, STREAM, FORMAT, ("The input has no time stamps."),
      ("it is sent in the time of its clock references (PCR), and as fast as the path allows if it has "
       "none; \"tsparse alignment=7 set-timestamps=true\" in front makes time stamps, and sync=false is "
       "for input that comes in its own time"));
}

/* The first clock reference is due now, wherever the stream begins. */
static gboolean
push_paced (PushContext *context, GstTfrcPacket *packet, guint64 time_ns)
{
  GstTfrcSinkInput *self = context->self;
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  guint64 due_ns;

  maybe_warn (self, time_ns != G_MAXUINT64);
  if (time_ns != G_MAXUINT64) {
    if (!GST_CLOCK_TIME_IS_VALID (self->pace_ns))
      self->pace_ns = gst_tfrc_due_times_get_running_time (&self->times);
    running_time = self->pace_ns + time_ns;
  }
  context->flow = gst_tfrc_due_times_wait_for_time (
      &self->times, context->buffer, running_time, self->lookahead_ns, &due_ns);
  if (context->flow != GST_FLOW_OK) {
    gst_tfrc_packet_unref (packet);
    return FALSE;
  }
  context->paused_ns = 0;
  return push_packet (packet, due_ns, context);
}

static gboolean
push_all_paced (PushContext *context)
{
  GstTfrcPacket *packet;
  guint64 time_ns;

  while ((packet = gst_tfrc_pcr_pace_take (context->self->pace, &time_ns)))
    if (!push_paced (context, packet, time_ns))
      return FALSE;
  return TRUE;
}

/* GstTfrcTsPacketFunc; the time is that of the packet's own clock references. */
static gboolean
pace_packet (GstTfrcPacket *packet, guint64 unused, gpointer user)
{
  PushContext *context = user;

  gst_tfrc_pcr_pace_add (context->self->pace, packet);
  return push_all_paced (context);
}

/* Sends what waits for a clock reference. */
static gboolean
end_pace (PushContext *context)
{
  gst_tfrc_pcr_pace_finish (context->self->pace);
  return push_all_paced (context);
}

/* ---- buffers --------------------------------------------------------------- */

static void
post_qos (GstTfrcSinkInput *self, GstBuffer *buffer)
{
  const GstSegment *segment = &self->sink->segment;
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
      GST_OBJECT (self->sink), FALSE, running_time, stream_time, pts, GST_BUFFER_DURATION (buffer));
  gst_tfrc_sink_stream_get_stats (self->stream, &stats);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, stats.session.sender.packets_sent,
      stats.outbox.packets_dropped + stats.outbox.deadline.dropped);
  gst_element_post_message (GST_ELEMENT (self->sink), message);
}

/* A stream that is damaged in each buffer would fill the bus and a terminal, so each warning waits for twice as
 * many damages as the one before. */
static void
maybe_warn_of_damage (GstTfrcSinkInput *self)
{
  const guint64 damages = self->packetizer.damages;

  if (damages == 0 || damages < 2 * self->damages_told)
    return;
  self->damages_told = damages;
  GST_ELEMENT_WARNING (self->sink, STREAM, FORMAT, ("The transport stream is damaged."),
      ("%" G_GUINT64_FORMAT " bytes between packets skipped so far, in %" G_GUINT64_FORMAT
       " places",
          self->packetizer.garbage_bytes, damages));
}

static GstFlowReturn
refuse_input (GstTfrcSinkInput *self, GstTfrcTsResult result)
{
  if (result == GST_TFRC_TS_OTHER_PACKET_SIZE)
    GST_ELEMENT_ERROR (self->sink, STREAM, WRONG_TYPE,
        ("The transport stream has packets of 192 or 204 bytes."),
        ("Only packets of 188 bytes are sent; \"tsparse alignment=7\" converts"));
  else
    GST_ELEMENT_ERROR (self->sink, STREAM, WRONG_TYPE, ("This is not an MPEG transport stream."),
        ("no sync bytes at distances of 188 in the data; a movie in another form, such as MP4, goes "
         "through parsebin and mpegtsmux first, as tfrc-send has them"));
  return GST_FLOW_ERROR;
}

/* The user is warned of the first one. */
static void
skip_bad_rtp (GstTfrcSinkInput *self)
{
  if (gst_tfrc_rtp_input_get_refused (&self->rtp) == 1)
    GST_ELEMENT_WARNING (self->sink, STREAM, FORMAT, ("The input has packets that are no RTP."),
        ("they are skipped; the caps of the input are application/x-rtp"));
}

/* Returns what is wrong with the transport stream. */
static GstTfrcTsResult
push_buffer (PushContext *context, const GstMapInfo *map, guint64 due_ns)
{
  GstTfrcSinkInput *self = context->self;
  const guint8 *data = map->data;
  gsize size = map->size;

  if (gst_tfrc_rtp_input_take (&self->rtp, &data, &size))
    return gst_tfrc_ts_packetizer_push (
        &self->packetizer, data, size, due_ns, self->pace ? pace_packet : push_packet, context);
  skip_bad_rtp (self);
  return GST_TFRC_TS_OK;
}

GstFlowReturn
gst_tfrc_sink_input_render (
    GstTfrcSinkInput *self, GstBuffer *buffer, guint64 lookahead_ns, gboolean drop_nulls)
{
  PushContext context = { self, buffer, GST_FLOW_OK, 0 };
  GstTfrcTsResult result;
  GstFlowReturn flow;
  GstMapInfo map;
  guint64 due_ns = 0;

  self->lookahead_ns = lookahead_ns;
  if (!self->has_input && gst_tfrc_due_times_lacks_time (&self->times, buffer))
    self->pace = gst_tfrc_pcr_pace_new ();
  self->has_input = TRUE;
  if (self->pace && !gst_tfrc_due_times_lacks_time (&self->times, buffer)) {
    if (!end_pace (&context))
      return context.flow;
    g_clear_pointer (&self->pace, gst_tfrc_pcr_pace_free);
  }
  if (self->pace == NULL) {
    flow = gst_tfrc_due_times_wait_for_turn (&self->times, buffer, lookahead_ns, &due_ns);
    if (flow != GST_FLOW_OK)
      return flow;
  }
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self->sink, RESOURCE, READ, (NULL), ("cannot map a buffer"));
    return GST_FLOW_ERROR;
  }
  self->dropped = FALSE;
  gst_tfrc_ts_packetizer_set_drop_nulls (&self->packetizer, drop_nulls);
  if (GST_BUFFER_IS_DISCONT (buffer))
    gst_tfrc_ts_packetizer_gap (&self->packetizer);
  result = push_buffer (&context, &map, due_ns);
  gst_buffer_unmap (buffer, &map);
  if (context.flow != GST_FLOW_OK)
    return context.flow;
  if (result != GST_TFRC_TS_OK)
    return refuse_input (self, result);
  maybe_warn_of_damage (self);
  if (self->dropped)
    post_qos (self, buffer);
  return GST_FLOW_OK;
}

/* Waits without the preroll lock, as push_unlocked() does. */
static gboolean
drain_unlocked (GstTfrcSinkInput *self, guint *dropped)
{
  gboolean finished;

  GST_BASE_SINK_PREROLL_UNLOCK (self->sink);
  finished = gst_tfrc_sink_stream_drain (self->stream, dropped);
  GST_BASE_SINK_PREROLL_LOCK (self->sink);
  return finished;
}

/* Waits until all packets are sent, and goes on with the wait after a pause. A flush may also interrupt the goodbye, which
 * has sent all: GstBaseSink would tell of an end that a seek has taken back. */
static GstFlowReturn
drain (GstTfrcSinkInput *self)
{
  guint dropped;

  while (!drain_unlocked (self, &dropped)) {
    GstFlowReturn flow = wait_for_pause (self, NULL);

    if (flow != GST_FLOW_OK)
      return flow;
  }
  if (dropped > 0)
    GST_WARNING_OBJECT (self->sink, "%u packets were left after the drain timeout", dropped);
  return wait_for_pause (self, NULL);
}

GstFlowReturn
gst_tfrc_sink_input_finish (GstTfrcSinkInput *self)
{
  PushContext context = { self, NULL, GST_FLOW_OK, 0 };
  GstFlowReturn flow;

  if (self->pace) {
    gst_tfrc_ts_packetizer_finish (&self->packetizer, pace_packet, &context);
    if (context.flow != GST_FLOW_OK || !end_pace (&context))
      return context.flow == GST_FLOW_EOS ? GST_FLOW_OK : context.flow;
  }
  flow = gst_tfrc_due_times_wait_for_end (&self->times);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_tfrc_ts_packetizer_finish (&self->packetizer, push_packet, &context);
  if (self->packetizer.nulls_dropped > 0)
    GST_INFO_OBJECT (self->sink,
        "left out %" G_GUINT64_FORMAT " null packets of %" G_GUINT64_FORMAT,
        self->packetizer.nulls_dropped, self->packetizer.packets);
  if (gst_tfrc_rtp_input_get_refused (&self->rtp) > 0)
    GST_INFO_OBJECT (self->sink, "skipped %" G_GUINT64_FORMAT " packets that are no RTP",
        gst_tfrc_rtp_input_get_refused (&self->rtp));
  if (self->packetizer.packets == 0 && self->packetizer.garbage_bytes > 0)
    return refuse_input (self, GST_TFRC_TS_NOT_TS);
  if (!self->has_input) {
    GST_ELEMENT_ERROR (self->sink, STREAM, WRONG_TYPE,
        ("There is no transport stream in the input."),
        ("no packet of a transport stream came before the end of the input; a movie in another form, "
         "such as MP4, goes through parsebin and mpegtsmux first, as tfrc-send has them"));
    return GST_FLOW_ERROR;
  }
  /* A caller that has gone has taken the end of the stream, too. */
  if (context.flow == GST_FLOW_EOS)
    return GST_FLOW_OK;
  return context.flow == GST_FLOW_OK ? drain (self) : context.flow;
}
