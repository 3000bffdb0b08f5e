/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element tfrcsink: the object and its virtual functions.  Calls go from here to the other sources of the
 * element, which get what they need as arguments. */
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
 * The input may be in RTP already (application/x-rtp, as rtpmp2tpay makes it): its payload is sent,
 * with RTP headers of the sink.
 *
 * With #GstTfrcSink:mode "listener" receivers call the sink, as many as
 * #GstTfrcSink:max-callers allows, and each gets the stream at the rate of its own
 * path.  #GstTfrcSink::caller-connecting asks the application about each, which may also serve
 * a caller with another sink (#GstTfrcSink:listener), from a pipeline of its own.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=movie.ts ! tsparse alignment=7 set-timestamps=true ! tfrcsink uri=tfrc://127.0.0.1:5004
 * ]|
 * |[
 * gst-launch-1.0 filesrc location=movie.ts ! tsparse alignment=7 set-timestamps=true ! tfrcsink uri=tfrc://:5004?mode=listener
 * ]|
 */
#include "../common/elements.h"
#include "../common/log.h"
#include "../common/urihandler.h"
#include "../keys/securityelement.h"
#include "../stream/handoversignals.h"
#include "../stream/running.h"
#include "gsttfrcsinkcallers.h"
#include "gsttfrcsinkinput.h"
#include "gsttfrcsinksettings.h"
#include "gsttfrcsinkstats.h"
#include "gsttfrcsinktelling.h"

#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstBaseSink)

struct _GstTfrcSink
{
  GstBaseSink parent;
  GstTfrcSinkSettings settings; /* under the object's lock */
  GstTfrcRunning running;       /* in PAUSED and PLAYING */
  GstTfrcSinkInput input;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpegts, systemstream=(boolean)true, "
                     "packetsize=(int)188; video/mpegts, systemstream=(boolean)true; "
                     "application/x-rtp, media=(string)video, clock-rate=(int)90000, "
                     "encoding-name=(string)MP2T"));

G_DEFINE_TYPE_WITH_CODE (GstTfrcSink, gst_tfrc_sink, GST_TYPE_BASE_SINK,
                         G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_tfrc_uri_handler_init);
                         gst_tfrc_log_init ());
GST_ELEMENT_REGISTER_DEFINE (tfrcsink, "tfrcsink", GST_RANK_NONE, GST_TYPE_TFRC_SINK);

/* ---- properties ---------------------------------------------------------- */

/* Gives the stream that runs the present settings.  They are read in turn, so that of two threads the
 * later one has the last word.
 * @live: which, GstTfrcSinkLive */
static void
apply_settings (GstTfrcSink *self, guint live)
{
  GstTfrcSinkStream *stream;
  GstTfrcSinkLimits limits;
  guint max_callers;
  gint ttl, dscp;

  if (live == 0
      || !(stream = gst_tfrc_running_enter_in_turn (&self->running, GST_TFRC_TURN_SETTINGS)))
    return;
  GST_OBJECT_LOCK (self);
  gst_tfrc_sink_settings_get_limits (&self->settings, &limits);
  ttl = self->settings.ttl;
  dscp = self->settings.qos_dscp;
  max_callers = self->settings.max_callers;
  GST_OBJECT_UNLOCK (self);
  if (live & GST_TFRC_SINK_LIVE_LIMITS) {
    gst_tfrc_sink_stream_set_limits (stream, &limits);
    gst_tfrc_sink_input_limits_changed (&self->input);
  }
  if (live & GST_TFRC_SINK_LIVE_TTL)
    gst_tfrc_sink_stream_set_ttl (stream, ttl);
  if (live & GST_TFRC_SINK_LIVE_DSCP)
    gst_tfrc_sink_stream_set_dscp (stream, dscp);
  if (live & GST_TFRC_SINK_LIVE_CALLERS)
    gst_tfrc_sink_callers_set_max (stream, max_callers);
  gst_tfrc_running_leave_turn (&self->running, GST_TFRC_TURN_SETTINGS);
}

static void
gst_tfrc_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  apply_settings (self,
      gst_tfrc_properties_set (gst_tfrc_sink_properties, &self->settings, object, id, value, spec));
}

/* Without a stream, the counts are 0 and the choices are those of the properties. */
static GstStructure *
new_stats (GstTfrcSink *self)
{
  GstTfrcSinkStreamStats stats = { 0 };
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (&self->running);
  GstStructure *of_listener;

  if (stream && gst_tfrc_sink_stream_get_listening (stream)) {
    of_listener = gst_tfrc_sink_callers_stats_new (stream);
    gst_tfrc_running_leave (&self->running);
    gst_structure_set (of_listener, "messages-dropped", G_TYPE_UINT64,
        gst_tfrc_notifier_get_dropped (gst_tfrc_running_get_notifier (&self->running)), NULL);
    return of_listener;
  }
  if (stream) {
    gst_tfrc_sink_stream_get_stats (stream, &stats);
    gst_tfrc_running_leave (&self->running);
    stats.messages_dropped += gst_tfrc_notifier_get_dropped (
        gst_tfrc_running_get_notifier (&self->running));
  } else {
    GST_OBJECT_LOCK (self);
    gst_tfrc_sink_settings_get_rate (&self->settings, &stats.session.rate, NULL);
    GST_OBJECT_UNLOCK (self);
  }
  return gst_tfrc_sink_stats_new (&stats);
}

static void
read_bitrate (GstTfrcSink *self, GValue *value)
{
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return;
  g_value_set_uint64 (value, gst_tfrc_sink_stream_get_bitrate (stream));
  gst_tfrc_running_leave (&self->running);
}

static void
gst_tfrc_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);
  guint live = gst_tfrc_properties_get (
      gst_tfrc_sink_properties, &self->settings, object, id, value, spec);

  if (live & GST_TFRC_SINK_LIVE_BITRATE)
    read_bitrate (self, value);
  if (live & GST_TFRC_SINK_LIVE_STATS)
    g_value_take_boxed (value, new_stats (self));
}

/* ---- states ------------------------------------------------------------ */

/* @listener: whose caller the stream is for; NULL: it has a port of its own */
static GstTfrcSinkStream *
open_stream (GstTfrcSink *self, GstTfrcSink *listener, GstTfrcTrace **trace)
{
  GST_OBJECT_LOCK (self);
  self->settings.open_profile = self->settings.profile;
  GST_OBJECT_UNLOCK (self);
  return gst_tfrc_sink_settings_open (&self->settings, GST_ELEMENT (self),
      listener ? &listener->running : NULL, gst_tfrc_sink_telling_on_events, &self->running, trace);
}

static GstTfrcSinkStream *
open_guest (GstTfrcSink *self, GstElement *listener, GstTfrcTrace **trace)
{
  if (GST_IS_TFRC_SINK (listener))
    return open_stream (self, GST_TFRC_SINK (listener), trace);
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("The listener is no tfrcsink."),
      ("listener %" GST_PTR_FORMAT, listener));
  return NULL;
}

static GstTfrcSinkStream *
open_any (GstTfrcSink *self, GstTfrcTrace **trace)
{
  GstTfrcSinkStream *stream;
  GstElement *listener;

  GST_OBJECT_LOCK (self);
  listener = self->settings.listener ? gst_object_ref (self->settings.listener) : NULL;
  GST_OBJECT_UNLOCK (self);
  if (listener == NULL)
    return open_stream (self, NULL, trace);
  stream = open_guest (self, listener, trace);
  gst_object_unref (listener);
  return stream;
}

static gboolean
start_stream (GstTfrcSink *self)
{
  GstTfrcTrace *trace;
  GstTfrcSinkStream *stream = open_any (self, &trace);

  if (stream == NULL)
    return FALSE;
  gst_tfrc_sink_input_start (&self->input, GST_BASE_SINK (self), stream);
  gst_tfrc_running_start (&self->running, stream, trace);
  gst_tfrc_running_tell (&self->running); /* what has happened meanwhile */
  /* A property may have been set since the settings were copied. */
  apply_settings (self,
      GST_TFRC_SINK_LIVE_LIMITS | GST_TFRC_SINK_LIVE_TTL | GST_TFRC_SINK_LIVE_DSCP
          | GST_TFRC_SINK_LIVE_CALLERS);
  return TRUE;
}

static void
stop_stream (GstTfrcSink *self)
{
  GstTfrcSinkStream *stream;

  if (gst_tfrc_running_is_inherited (&self->running)) {
    gst_tfrc_sink_stream_close_inherited (gst_tfrc_running_give_up (&self->running));
    return;
  }
  stream = gst_tfrc_running_stop (&self->running);
  gst_tfrc_sink_input_stop (&self->input);
  gst_tfrc_sink_stream_free (stream);
  gst_tfrc_running_end (&self->running);
}

static void
set_playing (GstTfrcSink *self, gboolean playing)
{
  if (!gst_tfrc_running_is_inherited (&self->running))
    gst_tfrc_sink_input_set_playing (&self->input, playing);
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
    set_playing (self, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_playing (self, TRUE);
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
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return;
  gst_tfrc_sink_stream_set_flushing (stream, flushing);
  gst_tfrc_running_leave (&self->running);
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

/* ---- data ---------------------------------------------------------------- */

static GstFlowReturn
gst_tfrc_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  guint64 lookahead_ns;
  gboolean drop_nulls;

  if (gst_tfrc_running_is_inherited (&self->running))
    return GST_FLOW_FLUSHING;
  GST_OBJECT_LOCK (self);
  lookahead_ns = self->settings.lookahead_ms * GST_MSECOND;
  drop_nulls = self->settings.drop_null_ts_packets;
  GST_OBJECT_UNLOCK (self);
  return gst_tfrc_sink_telling_flow (
      &self->running, gst_tfrc_sink_input_render (&self->input, buffer, lookahead_ns, drop_nulls));
}

static gboolean
gst_tfrc_sink_set_caps (GstBaseSink *sink, GstCaps *caps)
{
  gst_tfrc_sink_input_set_caps (&GST_TFRC_SINK (sink)->input, caps);
  return TRUE;
}

/* The sink has no wishes, as the payload is copied; but a tee passes on the wishes of other sinks only if all
 * answer. */
static gboolean
gst_tfrc_sink_propose_allocation (GstBaseSink *sink, GstQuery *query)
{
  return TRUE;
}

/* At the end of the stream the sink sends the packets that are left, once the end is due. */
static GstFlowReturn
gst_tfrc_sink_wait_event (GstBaseSink *sink, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  GstFlowReturn flow;

  if (gst_tfrc_running_is_inherited (&self->running))
    return GST_FLOW_FLUSHING;
  flow = GST_BASE_SINK_CLASS (gst_tfrc_sink_parent_class)->wait_event (sink, event);
  if (flow != GST_FLOW_OK || GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return flow;
  flow = gst_tfrc_sink_input_finish (&self->input);
  return flow == GST_FLOW_OK ? gst_tfrc_sink_telling_end (&self->running)
                             : gst_tfrc_sink_telling_flow (&self->running, flow);
}

static gboolean
gst_tfrc_sink_event (GstBaseSink *sink, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  if (!gst_tfrc_running_is_inherited (&self->running))
    gst_tfrc_sink_input_event (&self->input, event);
  return GST_BASE_SINK_CLASS (gst_tfrc_sink_parent_class)->event (sink, event);
}

/* A step that flushes skips what the pipeline holds. */
static gboolean
gst_tfrc_sink_send_event (GstElement *element, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstTfrcSinkStream *stream;
  gboolean flush = FALSE;

  if (GST_EVENT_TYPE (event) == GST_EVENT_STEP)
    gst_event_parse_step (event, NULL, NULL, NULL, &flush, NULL);
  if (flush && (stream = gst_tfrc_running_enter (&self->running))) {
    gst_tfrc_sink_stream_clear (stream);
    gst_tfrc_running_leave (&self->running);
  }
  return GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)->send_event (element, event);
}

/* ---- the class ----------------------------------------------------------- */

static gboolean
gst_tfrc_sink_drop_caller (GstElement *element, guint64 id)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (&self->running);
  gboolean is_there;

  if (stream == NULL)
    return FALSE;
  is_there = gst_tfrc_sink_callers_drop (stream, id);
  gst_tfrc_running_leave (&self->running);
  return is_there;
}

static void
gst_tfrc_sink_refuse_caller (GstElement *element, guint64 id, const gchar *reason)
{
  gst_tfrc_sink_callers_refuse (&GST_TFRC_SINK (element)->running, id, reason);
}

static void
gst_tfrc_sink_rekey (GstElement *element)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return;
  gst_tfrc_sink_stream_rekey (stream);
  gst_tfrc_running_leave (&self->running);
}

static void
gst_tfrc_sink_finalize (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  gst_tfrc_properties_clear (gst_tfrc_sink_properties, &self->settings);
  gst_tfrc_running_clear (&self->running);
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
  gst_tfrc_sink_callers_install_signals (
      G_TYPE_FROM_CLASS (klass), gst_tfrc_sink_drop_caller, gst_tfrc_sink_refuse_caller);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "TFRC sink", "Sink/Network",
      "Sends a transport stream over UDP with TCP-friendly rate control",
      "The gst-tfrc developers");

  element_class->change_state = gst_tfrc_sink_change_state;
  element_class->send_event = gst_tfrc_sink_send_event;
  sink_class->unlock = gst_tfrc_sink_unlock;
  sink_class->unlock_stop = gst_tfrc_sink_unlock_stop;
  sink_class->get_times = gst_tfrc_due_times_get_sync;
  sink_class->set_caps = gst_tfrc_sink_set_caps;
  sink_class->propose_allocation = gst_tfrc_sink_propose_allocation;
  sink_class->render = gst_tfrc_sink_render;
  sink_class->wait_event = gst_tfrc_sink_wait_event;
  sink_class->event = gst_tfrc_sink_event;
}

static void
gst_tfrc_sink_init (GstTfrcSink *self)
{
  gst_tfrc_properties_init (gst_tfrc_sink_properties, &self->settings);
  gst_tfrc_running_init (&self->running, GST_ELEMENT (self), &gst_tfrc_sink_telling);
}
