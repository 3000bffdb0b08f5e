/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer element tfrcsink
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-tfrcsink
 * @title: tfrcsink
 * @see_also: tfrcsrc
 *
 * Sends an MPEG transport stream in RTP packets over UDP, at the rate that
 * TCP-Friendly Rate Control (RFC 5348) allows.  Packets that the rate does not
 * allow yet wait in a queue of limited size.  #GstTfrcSink:leaky says what happens
 * when the queue is full.  A packet waits for #GstTfrcSink:max-queue-time at most
 * and is dropped then.  The exception is a file with leaky "no": its packets are
 * sent late instead.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 filesrc location=movie.ts ! tsparse alignment=7 set-timestamps=true ! tfrcsink uri=tfrc://127.0.0.1:5004
 * ]|
 */
#include "gsttfrcsink.h"

#include "../common/urihandler.h"
#include "../stream/handoversignals.h"
#include "gsttfrcsinkinput.h"
#include "gsttfrcsinkobject.h"
#include "gsttfrcsinkproperties.h"
#include "gsttfrcsinkstart.h"
#include "gsttfrcsinktime.h"

GST_DEBUG_CATEGORY (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpegts, systemstream=(boolean)true, "
                     "packetsize=(int)188; video/mpegts, systemstream=(boolean)true"));

G_DEFINE_TYPE_WITH_CODE (
    GstTfrcSink, gst_tfrc_sink, GST_TYPE_BASE_SINK,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_tfrc_uri_handler_init_sink);
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_sink_debug, "tfrcsink", 0, "TFRC sink"));
GST_ELEMENT_REGISTER_DEFINE (tfrcsink, "tfrcsink", GST_RANK_NONE, GST_TYPE_TFRC_SINK);

/* ---- states ------------------------------------------------------------ */

static gboolean
start_stream (GstTfrcSink *self)
{
  GstTfrcSinkStream *stream = gst_tfrc_sink_start_open (self);

  if (stream)
    gst_tfrc_ts_packetizer_init (&self->packetizer, gst_tfrc_sink_stream_get_pool (stream));
  gst_tfrc_sink_input_reset (self);
  self->has_input = FALSE;
  self->stream = stream;
  if (stream == NULL) {
    g_clear_pointer (&self->trace, gst_tfrc_trace_free);
    return FALSE;
  }
  gst_tfrc_gate_open (&self->gate);
  /* A property may have been set since the settings were copied. */
  gst_tfrc_sink_apply_settings (self);
  return TRUE;
}

/* In a child of fork(2): the stream goes on in the parent. */
static void
give_up_inherited_stream (GstTfrcSink *self)
{
  gst_tfrc_sink_stream_close_inherited (g_steal_pointer (&self->stream));
  gst_tfrc_trace_close_inherited (g_steal_pointer (&self->trace));
  gst_tfrc_notifier_init (&self->notifier, GST_ELEMENT (self));
  gst_tfrc_gate_close (&self->gate);
}

static void
stop_stream (GstTfrcSink *self)
{
  if (gst_tfrc_gate_is_inherited (&self->gate)) {
    give_up_inherited_stream (self);
    return;
  }
  gst_tfrc_gate_close (&self->gate);
  gst_tfrc_ts_packetizer_clear (&self->packetizer);
  g_clear_pointer (&self->stream, gst_tfrc_sink_stream_free);
  g_clear_pointer (&self->trace, gst_tfrc_trace_free);
  gst_tfrc_notifier_stop (&self->notifier);
}

/* GstBaseSink calls start() in the change to READY.  Addresses and ports may still change in READY,
 * so the stream starts with the change to PAUSED. */
static GstStateChangeReturn
gst_tfrc_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start_stream (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    gst_tfrc_sink_time_set_playing (self, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    gst_tfrc_sink_time_set_playing (self, TRUE);
  result = GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    stop_stream (self);
  return result;
}

/* Also called while the pads of a sink that has not started are deactivated, and for a flush while
 * another thread stops the sink. */
static void
set_flushing (GstBaseSink *sink, gboolean flushing)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  if (!gst_tfrc_gate_enter (&self->gate))
    return;
  gst_tfrc_sink_stream_set_flushing (self->stream, flushing);
  gst_tfrc_gate_leave (&self->gate);
}

static gboolean
gst_tfrc_sink_unlock (GstBaseSink *sink)
{
  set_flushing (sink, TRUE);
  return TRUE;
}

static gboolean
gst_tfrc_sink_unlock_stop (GstBaseSink *sink)
{
  set_flushing (sink, FALSE);
  return TRUE;
}

/* ---- data: see gsttfrcsinkinput.c ---------------------------------------- */

static GstFlowReturn
gst_tfrc_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  if (gst_tfrc_gate_is_inherited (&self->gate))
    return GST_FLOW_FLUSHING;
  return gst_tfrc_sink_input_render (self, buffer);
}

static void
gst_tfrc_sink_get_times (
    GstBaseSink *sink, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  gst_tfrc_sink_time_get_times (GST_TFRC_SINK (sink), buffer, start, stop);
}

/* At the end of the stream the sink sends the packets that are left, once the end is due. */
static GstFlowReturn
gst_tfrc_sink_wait_event (GstBaseSink *sink, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  GstFlowReturn flow;

  if (gst_tfrc_gate_is_inherited (&self->gate))
    return GST_FLOW_FLUSHING;
  flow = GST_BASE_SINK_CLASS (gst_tfrc_sink_parent_class)->wait_event (sink, event);
  if (flow != GST_FLOW_OK || GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return flow;
  return gst_tfrc_sink_input_finish (self);
}

static gboolean
gst_tfrc_sink_event (GstBaseSink *sink, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP && !gst_tfrc_gate_is_inherited (&self->gate)) {
    gst_tfrc_ts_packetizer_reset (&self->packetizer);
    gst_tfrc_sink_stream_clear (self->stream);
    gst_tfrc_sink_input_reset (self);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    self->knows_live = FALSE;
  return GST_BASE_SINK_CLASS (gst_tfrc_sink_parent_class)->event (sink, event);
}

/* A step that flushes skips what the pipeline holds. */
static gboolean
gst_tfrc_sink_send_event (GstElement *element, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  gboolean flush = FALSE;

  if (GST_EVENT_TYPE (event) == GST_EVENT_STEP)
    gst_event_parse_step (event, NULL, NULL, NULL, &flush, NULL);
  if (flush && gst_tfrc_gate_enter (&self->gate)) {
    gst_tfrc_sink_stream_clear (self->stream);
    gst_tfrc_gate_leave (&self->gate);
  }
  return GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)->send_event (element, event);
}

/* ---- properties -------------------------------------------------------- */

static void
gst_tfrc_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gst_tfrc_properties_set (
      gst_tfrc_sink_properties, &GST_TFRC_SINK (object)->settings, object, id, value, spec);
}

static void
gst_tfrc_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  gst_tfrc_properties_get (
      gst_tfrc_sink_properties, &GST_TFRC_SINK (object)->settings, object, id, value, spec);
}

static void
gst_tfrc_sink_rekey (GstElement *element)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);

  if (!gst_tfrc_gate_enter (&self->gate))
    return;
  gst_tfrc_sink_stream_rekey (self->stream);
  gst_tfrc_gate_leave (&self->gate);
}

static void
gst_tfrc_sink_finalize (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  gst_tfrc_properties_clear (gst_tfrc_sink_properties, &self->settings);
  gst_tfrc_notifier_clear (&self->notifier);
  gst_tfrc_gate_clear (&self->gate);
  G_OBJECT_CLASS (gst_tfrc_sink_parent_class)->finalize (object);
}

static void
gst_tfrc_sink_class_init (GstTfrcSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  object_class->set_property = gst_tfrc_sink_set_property;
  object_class->get_property = gst_tfrc_sink_get_property;
  object_class->finalize = gst_tfrc_sink_finalize;
  gst_tfrc_properties_install (object_class, gst_tfrc_sink_properties);
  gst_tfrc_handover_install_signals (G_TYPE_FROM_CLASS (klass));
  gst_tfrc_security_install_signal (G_TYPE_FROM_CLASS (klass), gst_tfrc_sink_rekey);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "TFRC sink", "Sink/Network",
      "Sends a transport stream over UDP with TCP-friendly rate control",
      "The gst-tfrc developers");

  element_class->change_state = gst_tfrc_sink_change_state;
  element_class->send_event = gst_tfrc_sink_send_event;
  sink_class->unlock = gst_tfrc_sink_unlock;
  sink_class->unlock_stop = gst_tfrc_sink_unlock_stop;
  sink_class->get_times = gst_tfrc_sink_get_times;
  sink_class->render = gst_tfrc_sink_render;
  sink_class->wait_event = gst_tfrc_sink_wait_event;
  sink_class->event = gst_tfrc_sink_event;
}

static void
gst_tfrc_sink_init (GstTfrcSink *self)
{
  gst_tfrc_notifier_init (&self->notifier, GST_ELEMENT (self));
  gst_tfrc_gate_init (&self->gate);
  gst_tfrc_properties_init (gst_tfrc_sink_properties, &self->settings);
}
