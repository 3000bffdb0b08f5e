/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element tfrcsrc: the object and its virtual functions.  Calls go from here to the other sources of the
 * element, which get what they need as arguments. */
/**
 * SECTION:element-tfrcsrc
 * @title: tfrcsrc
 * @see_also: tfrcsink
 *
 * Receives an MPEG transport stream in RTP packets over UDP, and sends the
 * feedback that TCP-Friendly Rate Control (RFC 5348) needs to a #tfrcsink.  The
 * source also receives streams of senders without TFRC (rtpmp2tpay ! udpsink).
 *
 * The peer of the source is the first sender that has proved to receive what is
 * sent to its address.  A sender of plain RTP cannot prove this, and may become
 * the peer without that.  Without keys the first sender is played at once, and
 * gives way to one that has proved this.  The peer stays the peer until it has
 * said BYE or is gone.  If the address of the sender is known,
 * #GstTfrcSrc:sender-address keeps other senders away.  With a port, the property
 * also makes a stream that is already running start here at once.
 *
 * The output is the transport stream, in order, or whole RTP packets if downstream wants them.  Each
 * packet is a buffer, whose time stamp is the time at which the packet was due.  The first buffer
 * after a loss has the flag DISCONT.  In front of RTP packets, an event GstRTPPacketLost tells of each
 * lost packet, as rtpjitterbuffer's do.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 tfrcsrc uri=tfrc://0.0.0.0:5004 ! tsdemux ! h264parse ! avdec_h264 ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 ! application/x-rtp ! rtpmp2tdepay ! tsdemux ! fakesink
 * ]|
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 sender-address=192.0.2.1:5006 ! tsdemux ! fakesink
 * ]|
 */
#include <gst/base/gstpushsrc.h>
#include <gst/video/video-event.h>

#include "../common/elements.h"
#include "../common/enums.h"
#include "../common/log.h"
#include "../common/messages.h"
#include "../common/uri.h"
#include "../common/urihandler.h"
#include "../keys/securityelement.h"
#include "../stream/callersignals.h"
#include "../stream/handoversignals.h"
#include "../stream/running.h"
#include "gsttfrcsrccallers.h"
#include "gsttfrcsrclinks.h"
#include "gsttfrcsrcoutput.h"
#include "gsttfrcsrcsettings.h"
#include "gsttfrcsrcsync.h"
#include "gsttfrcsrctelling.h"

#define GST_TYPE_TFRC_SRC (gst_tfrc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSrc, gst_tfrc_src, GST, TFRC_SRC, GstPushSrc)

struct _GstTfrcSrc
{
  GstPushSrc parent;
  GstTfrcSrcSettings settings; /* under the object's lock */
  GstTfrcRunning running;      /* in PAUSED and PLAYING */
  GstTfrcRouteWatch *route_watch;
  GstTfrcSrcOutput output;
  GThread *pausing; /* atomic: the thread that changes from PLAYING to PAUSED, or NULL */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpegts, systemstream=(boolean)true, "
                     "packetsize=(int)188; application/x-rtp, media=(string)video, "
                     "clock-rate=(int)90000, encoding-name=(string)MP2T, payload=(int)33"));

G_DEFINE_TYPE_WITH_CODE (GstTfrcSrc, gst_tfrc_src, GST_TYPE_PUSH_SRC,
                         G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_tfrc_uri_handler_init);
                         gst_tfrc_log_init ());
GST_ELEMENT_REGISTER_DEFINE (tfrcsrc, "tfrcsrc", GST_RANK_NONE, GST_TYPE_TFRC_SRC);

/* ---- properties ---------------------------------------------------------- */

/* Gives the stream that runs the present settings.  They are read in turn, so that of two threads the
 * later one has the last word. */
static void
apply_limits (GstTfrcSrc *self)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter_in_turn (
      &self->running, GST_TFRC_TURN_SETTINGS);
  GstTfrcSrcStreamLimits limits;

  if (stream == NULL)
    return;
  GST_OBJECT_LOCK (self);
  gst_tfrc_src_settings_get_limits (&self->settings, &limits);
  GST_OBJECT_UNLOCK (self);
  gst_tfrc_src_stream_set_limits (stream, &limits);
  gst_tfrc_running_leave_turn (&self->running, GST_TFRC_TURN_SETTINGS);
}

/* The sender is told the latency while something waits for the clock.  Runs when that may have changed,
 * which is now and then and not for each buffer. */
static void
look_downstream (GstTfrcSrc *self)
{
  gboolean is_synchronised = gst_tfrc_src_is_synchronised (GST_BASE_SRC_PAD (self));
  gboolean was_synchronised;

  GST_OBJECT_LOCK (self);
  was_synchronised = self->settings.is_synchronised;
  self->settings.is_synchronised = is_synchronised;
  GST_OBJECT_UNLOCK (self);
  if (is_synchronised == was_synchronised)
    return;
  GST_INFO_OBJECT (self, "downstream %s to the clock",
      is_synchronised ? "synchronises" : "does not synchronise");
  apply_limits (self);
}

static void
gst_tfrc_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);
  guint live = gst_tfrc_properties_set (
      gst_tfrc_src_properties, &self->settings, object, id, value, spec);

  if (live & GST_TFRC_SRC_LIVE_LIMITS)
    apply_limits (self);
  if (live & GST_TFRC_SRC_LIVE_LATENCY)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

static gboolean
is_caller (GstTfrcSrc *self)
{
  gboolean is;

  GST_OBJECT_LOCK (self);
  is = self->settings.open_mode == GST_TFRC_MODE_CALLER;
  GST_OBJECT_UNLOCK (self);
  return is;
}

/* Reads the port in use, if there is a stream. A caller's port and URI are the sender's. */
static void
read_port (GstTfrcSrc *self, guint live, GValue *value)
{
  GstTfrcSrcStream *stream = is_caller (self) ? NULL : gst_tfrc_running_enter (&self->running);
  gint port;

  if (stream == NULL)
    return;
  port = gst_tfrc_src_stream_get_local_port (stream);
  gst_tfrc_running_leave (&self->running);
  if (live & GST_TFRC_SRC_LIVE_PORT) {
    g_value_set_int (value, port);
  } else {
    GST_OBJECT_LOCK (self);
    g_value_take_string (value, gst_tfrc_uri_format (self->settings.address, port, NULL));
    GST_OBJECT_UNLOCK (self);
  }
}

/* Without a stream, the counts are 0 and the choices are those of the properties. */
static GstStructure *
new_stats (GstTfrcSrc *self)
{
  GstTfrcSrcStreamStats stats = { 0 };
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (&self->running);
  GstStructure *s;

  if (stream) {
    gst_tfrc_src_stream_get_stats (stream, &stats);
    gst_tfrc_running_leave (&self->running);
    stats.flow.messages_dropped += gst_tfrc_notifier_get_dropped (
        gst_tfrc_running_get_notifier (&self->running));
  } else {
    GST_OBJECT_LOCK (self);
    gst_tfrc_src_settings_get_receiver (&self->settings, &stats.flow.receiver, NULL);
    GST_OBJECT_UNLOCK (self);
  }
  s = gst_tfrc_src_stats_new (&stats);
  gst_tfrc_src_callers_add_stats (&self->running, s);
  return s;
}

static void
gst_tfrc_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);
  guint live = gst_tfrc_properties_get (
      gst_tfrc_src_properties, &self->settings, object, id, value, spec);

  if (live & (GST_TFRC_SRC_LIVE_PORT | GST_TFRC_SRC_LIVE_URI))
    read_port (self, live, value);
  if (live & GST_TFRC_SRC_LIVE_STATS)
    g_value_take_boxed (value, new_stats (self));
}

/* ---- states -------------------------------------------------------------- */

static gboolean
start_stream (GstTfrcSrc *self)
{
  GstTfrcTrace *trace;
  GstTfrcSrcStream *stream;

  GST_OBJECT_LOCK (self);
  self->settings.open_mode = self->settings.mode;
  self->settings.open_profile = self->settings.profile;
  GST_OBJECT_UNLOCK (self);
  stream = gst_tfrc_src_settings_open (
      &self->settings, GST_ELEMENT (self), gst_tfrc_src_telling_on_events, &self->running, &trace);
  if (stream == NULL)
    return FALSE;
  gst_tfrc_src_output_start (&self->output, GST_ELEMENT (self), stream);
  gst_tfrc_running_start (&self->running, stream, trace);
  gst_tfrc_running_tell (&self->running); /* what has happened meanwhile */
  /* A property may have been set since the settings were copied. */
  apply_limits (self);
  self->route_watch = gst_tfrc_src_links_watch (&self->running);
  return TRUE;
}

static void
stop_stream (GstTfrcSrc *self)
{
  GstTfrcSrcStream *stream;

  if (gst_tfrc_running_is_inherited (&self->running)) {
    self->route_watch = NULL;
    gst_tfrc_src_stream_close_inherited (gst_tfrc_running_give_up (&self->running));
    return;
  }
  gst_tfrc_routes_unwatch (g_steal_pointer (&self->route_watch));
  stream = gst_tfrc_running_stop (&self->running);
  gst_tfrc_src_output_stop (&self->output);
  gst_tfrc_src_stream_free (stream);
  gst_tfrc_running_end (&self->running);
}

static void
set_paused (GstTfrcSrc *self, gboolean paused)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return;
  gst_tfrc_src_stream_set_paused (stream, paused);
  gst_tfrc_running_leave (&self->running);
}

/* The base class posts a second error if `start' fails.  So the stream begins before `start'. */
static GstStateChangeReturn
gst_tfrc_src_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start_stream (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    look_downstream (self);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    set_paused (self, TRUE);
    g_atomic_pointer_set (&self->pausing, g_thread_self ());
  }
  result = GST_ELEMENT_CLASS (gst_tfrc_src_parent_class)->change_state (element, transition);
  g_atomic_pointer_set (&self->pausing, NULL);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_paused (self, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    stop_stream (self);
  return result;
}

/* Also called while the pads of a source that has not started are deactivated, and for a flush
 * while another thread stops the source. */
static void
set_flushing (GstBaseSrc *src, gboolean flushing)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return;
  gst_tfrc_src_stream_set_flushing (stream, flushing);
  gst_tfrc_running_leave (&self->running);
}

/* GStreamer 1.26 also calls this where a source pauses. If it plays again before the streaming thread has returned, the
 * base class ends that thread for good; and it drops a packet that the thread returns in PAUSED. So the thread stays in the
 * stream, which is paused. A flush by another thread counts at any time. */
static gboolean
gst_tfrc_src_unlock (GstBaseSrc *src)
{
  if (g_atomic_pointer_get (&GST_TFRC_SRC (src)->pausing) != g_thread_self ())
    set_flushing (src, TRUE);
  return TRUE;
}

static gboolean
gst_tfrc_src_unlock_stop (GstBaseSrc *src)
{
  set_flushing (src, FALSE);
  return TRUE;
}

static gboolean
gst_tfrc_src_set_caps (GstBaseSrc *src, GstCaps *caps)
{
  gst_tfrc_src_output_set_rtp (&GST_TFRC_SRC (src)->output,
      gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-rtp"));
  return TRUE;
}

/* Packets arrive before downstream is asked, in buffers of the source's own. The base class would fill a
 * pool that downstream offers, for nobody. */
static gboolean
gst_tfrc_src_decide_allocation (GstBaseSrc *src, GstQuery *query)
{
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  return TRUE;
}

static gboolean
gst_tfrc_src_query (GstBaseSrc *src, GstQuery *query)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  GstClockTime min, max;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_BASE_SRC_CLASS (gst_tfrc_src_parent_class)->query (src, query);
  /* Time stamps are due times: a packet leaves the latency after its time stamp at the latest. For the
   * pipeline the packet waits as long as the queue allows. */
  GST_OBJECT_LOCK (self);
  min = self->settings.latency_ms * GST_MSECOND;
  max = self->settings.max_size_time ? min + self->settings.max_size_time : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  gst_query_set_latency (query, TRUE, min, max);
  return TRUE;
}

static gboolean
ask_for_key_unit (GstTfrcSrc *self)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return FALSE;
  gst_tfrc_src_stream_ask_for_key_unit (stream);
  gst_tfrc_running_leave (&self->running);
  return TRUE;
}

/* A sink sends LATENCY when the pipeline distributes its latency, as it does whenever a sink joins; a
 * new link downstream sends RECONFIGURE. A decoder asks for a key unit. */
static gboolean
gst_tfrc_src_event (GstBaseSrc *src, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY
      || GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    look_downstream (GST_TFRC_SRC (src));
  if (gst_video_event_is_force_key_unit (event))
    return ask_for_key_unit (GST_TFRC_SRC (src));
  return GST_BASE_SRC_CLASS (gst_tfrc_src_parent_class)->event (src, event);
}

static GstFlowReturn
gst_tfrc_src_create (GstPushSrc *src, GstBuffer **buffer)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);

  if (gst_tfrc_running_is_inherited (&self->running))
    return GST_FLOW_FLUSHING;
  while ((*buffer = gst_tfrc_src_output_take (&self->output)) == NULL) {
    switch (gst_tfrc_src_output_pull (&self->output)) {
      case GST_TFRC_PULL_PACKET:
      case GST_TFRC_PULL_TIMEOUT:
        break;
      case GST_TFRC_PULL_END:
        gst_tfrc_stats_post_last (GST_ELEMENT (self));
        return GST_FLOW_EOS;
      case GST_TFRC_PULL_FLUSHING:
        return GST_FLOW_FLUSHING;
    }
  }
  return GST_FLOW_OK;
}

/* ---- the class ----------------------------------------------------------- */

static gboolean
gst_tfrc_src_handover (GstTfrcSrc *self, const GstStructure *options)
{
  return gst_tfrc_src_links_change (&self->running, options);
}

static void
gst_tfrc_src_rekey (GstElement *element)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (&self->running);

  if (stream == NULL)
    return;
  gst_tfrc_src_stream_rekey (stream);
  gst_tfrc_running_leave (&self->running);
}

static gboolean
gst_tfrc_src_drop_caller (GstElement *element, guint64 id)
{
  return gst_tfrc_src_callers_drop (&GST_TFRC_SRC (element)->running, id);
}

static void
gst_tfrc_src_finalize (GObject *object)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  gst_tfrc_properties_clear (gst_tfrc_src_properties, &self->settings);
  gst_tfrc_running_clear (&self->running);
  G_OBJECT_CLASS (gst_tfrc_src_parent_class)->finalize (object);
}

static void
install_signals (GstTfrcSrcClass *klass)
{
  /**
   * GstTfrcSrc::handover:
   * @options: (nullable): a structure with any of these fields: `interface'
   *   (string) and `bind-address' (string) name the new link; without both the
   *   new link is the link over which the kernel now reaches the sender;
   *   `bandwidth' (any integer) is the bandwidth of the new link in bit/s, with IP
   *   headers, if it is known; `suppress-echo' (boolean) asks the sender not to
   *   mark its packets
   *
   * Notifies the source that this host has changed to another link, or is about to
   * change.  From now on feedback leaves over the new link, and data is expected
   * over the new link.  Packets that still arrive over the old link are received
   * as well.  Waits for a change of links that is already under way.
   *
   * Returns: %TRUE; %FALSE, with a warning, if the source does not run or an
   *   option cannot be used
   */
  g_signal_new_class_handler ("handover", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_tfrc_src_handover), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 1, GST_TYPE_STRUCTURE | G_SIGNAL_TYPE_STATIC_SCOPE);
  gst_tfrc_handover_install_signals (G_TYPE_FROM_CLASS (klass));
  gst_tfrc_caller_signals_install (G_TYPE_FROM_CLASS (klass), gst_tfrc_src_drop_caller);
  gst_tfrc_security_install_signal (G_TYPE_FROM_CLASS (klass), gst_tfrc_src_rekey);
}

static void
gst_tfrc_src_class_init (GstTfrcSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = gst_tfrc_src_set_property;
  object_class->get_property = gst_tfrc_src_get_property;
  object_class->finalize = gst_tfrc_src_finalize;
  gst_tfrc_properties_install (object_class, gst_tfrc_src_properties);
  install_signals (klass);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC source", "Source/Network",
      "Receives a transport stream over UDP with TCP-friendly rate control",
      "The gst-tfrc developers");

  element_class->change_state = gst_tfrc_src_change_state;
  src_class->unlock = gst_tfrc_src_unlock;
  src_class->unlock_stop = gst_tfrc_src_unlock_stop;
  src_class->set_caps = gst_tfrc_src_set_caps;
  src_class->decide_allocation = gst_tfrc_src_decide_allocation;
  src_class->query = gst_tfrc_src_query;
  src_class->event = gst_tfrc_src_event;
  GST_PUSH_SRC_CLASS (klass)->create = gst_tfrc_src_create;
}

static void
gst_tfrc_src_init (GstTfrcSrc *self)
{
  gst_tfrc_properties_init (gst_tfrc_src_properties, &self->settings);
  gst_tfrc_running_init (&self->running, GST_ELEMENT (self), &gst_tfrc_src_telling);
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
