/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer element tfrcsrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
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
 * the peer without that.  The sender stays the peer until the sender has said BYE
 * or is gone.  If the address of the sender is known,
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
#include "gsttfrcsrc.h"

#include "../common/clock.h"
#include "../common/enums.h"
#include "../common/messages.h"
#include "../common/streamtrace.h"
#include "../stream/handoversignals.h"
#include "../common/uri.h"
#include "../common/urihandler.h"
#include "gsttfrcsrccreate.h"
#include "gsttfrcsrchandover.h"
#include "gsttfrcsrcobject.h"
#include "gsttfrcsrcproperties.h"
#include "gsttfrcsrcstats.h"

GST_DEBUG_CATEGORY (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpegts, systemstream=(boolean)true, "
                     "packetsize=(int)188; application/x-rtp, media=(string)video, "
                     "clock-rate=(int)90000, encoding-name=(string)MP2T, payload=(int)33"));

G_DEFINE_TYPE_WITH_CODE (
    GstTfrcSrc, gst_tfrc_src, GST_TYPE_PUSH_SRC,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_tfrc_uri_handler_init_src);
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_src_debug, "tfrcsrc", 0, "TFRC source"));
GST_ELEMENT_REGISTER_DEFINE (tfrcsrc, "tfrcsrc", GST_RANK_NONE, GST_TYPE_TFRC_SRC);

/* ---- events of the stream: reported on the notifier's thread ----------------- */

static void
post_stats (GstTfrcSrc *self)
{
  gst_tfrc_stats_post (GST_ELEMENT (self), gst_tfrc_src_get_stats (self));
}

static void
post_sender (GstElement *element, gint unused)
{
  GstStructure *stats = gst_tfrc_src_get_stats (GST_TFRC_SRC (element));
  const gchar *sender = gst_structure_get_string (stats, "sender");
  const gchar *state = gst_structure_get_string (stats, "sender-state");

  GST_INFO_OBJECT (element, "sender %s is %s", sender, state);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("tfrc-sender", "sender", G_TYPE_STRING, sender, "state", G_TYPE_STRING,
              state, NULL)));
  gst_structure_free (stats);
  gst_tfrc_src_handover_follow_route (GST_TFRC_SRC (element));
}

static void
report_security (GstTfrcSrc *self, const GstTfrcSecurityEvent *event)
{
  GstTfrcSrcStreamStats stats;
  gboolean keep_listening;

  GST_OBJECT_LOCK (self);
  keep_listening = self->settings.keep_listening;
  GST_OBJECT_UNLOCK (self);
  if (!gst_tfrc_gate_enter (&self->gate))
    return;
  gst_tfrc_src_stream_get_stats (self->stream, &stats);
  gst_tfrc_gate_leave (&self->gate);
  gst_tfrc_security_report (GST_ELEMENT (self), event, &stats.flow.security, keep_listening);
}

static gboolean
take_event (GstTfrcSrc *self, GstTfrcSrcEvent *event)
{
  gboolean has_event;

  if (!gst_tfrc_gate_enter (&self->gate))
    return FALSE;
  has_event = gst_tfrc_src_stream_take_event (self->stream, event);
  gst_tfrc_gate_leave (&self->gate);
  return has_event;
}

static void
tell (GstTfrcSrc *self, const GstTfrcSrcEvent *event)
{
  switch (event->kind) {
    case GST_TFRC_SRC_EVENT_NONE:
      break;
    case GST_TFRC_SRC_EVENT_SENDER:
      gst_tfrc_notifier_notify_limited (&self->notifier, post_sender, 0, gst_tfrc_clock_now_ns ());
      break;
    case GST_TFRC_SRC_EVENT_HANDOVER:
      gst_tfrc_handover_report (GST_ELEMENT (self), &event->handover);
      break;
    case GST_TFRC_SRC_EVENT_OLD_SOCKET:
      gst_tfrc_src_handover_close_old_socket (self);
      break;
    case GST_TFRC_SRC_EVENT_SECURITY:
      report_security (self, &event->security);
      break;
    case GST_TFRC_SRC_EVENT_STATS:
      post_stats (self);
      break;
  }
}

static void
tell_events (GstElement *element, gint unused)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstTfrcSrcEvent event;

  while (take_event (self, &event))
    tell (self, &event);
}

static void
on_events (gpointer user)
{
  gst_tfrc_notifier_notify (&GST_TFRC_SRC (user)->notifier, tell_events, 0);
}

static void
rekey (GstElement *element)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);

  if (!gst_tfrc_gate_enter (&self->gate))
    return;
  gst_tfrc_src_stream_rekey (self->stream);
  gst_tfrc_gate_leave (&self->gate);
}

/* ---- states ------------------------------------------------------------ */

static void
check_buffer_size (GstTfrcSrc *self, gint wanted, gint effective)
{
  if (effective < wanted)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The kernel's receive buffer is smaller than buffer-size."),
        ("the buffer has %d bytes instead of %d; the sysctl net.core.rmem_max is the limit",
            effective, wanted));
}

/* Reads the senders whose packets the property `sender-address' allows. */
static gboolean
get_senders (GstTfrcSrc *self, GstTfrcAddressFilter *senders)
{
  GError *error = NULL;
  gboolean ok;
  gchar *text;

  GST_OBJECT_LOCK (self);
  text = g_strdup (self->settings.sender_address);
  GST_OBJECT_UNLOCK (self);
  ok = gst_tfrc_address_filter_parse (senders, text, &error);
  if (!ok)
    GST_ELEMENT_ERROR (
        self, RESOURCE, SETTINGS, ("Property sender-address: %s", error->message), (NULL));
  g_clear_error (&error);
  g_free (text);
  return ok;
}

/* Reads what the properties ask of TFRC, which refuses values that are wrong together. */
static gboolean
get_receiver (GstTfrcSrc *self, TfrcReceiverConfig *receiver)
{
  const gchar *problem;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  gst_tfrc_src_settings_get_receiver (&self->settings, receiver, &error);
  GST_OBJECT_UNLOCK (self);
  if (error) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message), (NULL));
    g_error_free (error);
    return FALSE;
  }
  problem = tfrc_receiver_config_problem (receiver);
  if (problem)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("TFRC refuses the properties: %s", problem),
        ("loss-interval-method %s, loss-classifier %s, rto-policy %s",
            gst_tfrc_enum_get_nick (
                GST_TYPE_TFRC_LOSS_INTERVAL_METHOD, receiver->loss_interval_method),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_LOSS_CLASSIFIER, receiver->loss_classifier),
            gst_tfrc_enum_get_nick (GST_TYPE_TFRC_RTO_POLICY, receiver->rto_policy)));
  return problem == NULL;
}

/* Posts an error if the stream cannot begin. */
static gboolean
open_stream (GstTfrcSrc *self)
{
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcSrcStreamConfig config;
  GstTfrcSrcStream *stream = NULL;
  GError *error = NULL;
  gchar *address;

  if (!gst_tfrc_uri_check (GST_ELEMENT (self)) || !get_senders (self, &config.senders)
      || !get_receiver (self, &config.receiver))
    return FALSE;
  GST_OBJECT_LOCK (self);
  address = g_strdup (self->settings.address);
  config.socket = socket;
  config.socket.bind_address = address;
  config.socket.bind_port = (guint16) self->settings.port;
  config.socket.receive_buffer_bytes = self->settings.buffer_size;
  gst_tfrc_src_settings_get_limits (&self->settings, &config.limits);
  config.keep_listening = self->settings.keep_listening;
  GST_OBJECT_UNLOCK (self);

  self->trace = gst_tfrc_stream_trace_open (
      GST_ELEMENT (self), &self->settings.trace_location, "receiver");
  config.receiver.trace = gst_tfrc_stream_trace_decisions (self->trace);
  config.security = (GstTfrcSecurityConfig){ 0 };
  if (gst_tfrc_security_load (
          GST_ELEMENT (self), &self->settings.security, FALSE, &config.security))
    stream = gst_tfrc_src_stream_new (&config, on_events, self, &error);
  if (error) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot receive on %s port %d: %s", address, config.socket.bind_port, error->message),
        (NULL));
    g_error_free (error);
  }
  if (stream) {
    check_buffer_size (self, config.socket.receive_buffer_bytes,
        gst_tfrc_src_stream_get_receive_buffer_bytes (stream));
  }
  g_free (address);
  gst_tfrc_credentials_unref (config.security.credentials);
  self->stream = stream;
  if (stream == NULL) {
    g_clear_pointer (&self->trace, gst_tfrc_trace_free);
    return FALSE;
  }
  gst_tfrc_gate_open (&self->gate);
  /* A property may have been set since the settings were copied. */
  gst_tfrc_src_apply_settings (self);
  gst_tfrc_src_handover_start (self);
  return TRUE;
}

/* In a child of fork(2): the stream goes on in the parent, as does the watch of routes. The buffers
 * are those of the parent's streaming thread. */
static void
give_up_inherited_stream (GstTfrcSrc *self)
{
  self->route_watch = NULL;
  self->n_pulled = self->next_pulled = 0;
  gst_tfrc_src_stream_close_inherited (g_steal_pointer (&self->stream));
  gst_tfrc_trace_close_inherited (g_steal_pointer (&self->trace));
  gst_tfrc_notifier_init (&self->notifier, GST_ELEMENT (self));
  gst_tfrc_gate_close (&self->gate);
}

static void
close_stream (GstTfrcSrc *self)
{
  if (gst_tfrc_gate_is_inherited (&self->gate)) {
    give_up_inherited_stream (self);
    return;
  }
  gst_tfrc_src_handover_stop (self);
  gst_tfrc_gate_close (&self->gate);
  gst_tfrc_src_drop_pulled (self);
  g_clear_pointer (&self->stream, gst_tfrc_src_stream_free);
  g_clear_pointer (&self->trace, gst_tfrc_trace_free);
  gst_tfrc_notifier_stop (&self->notifier);
}

/* The base class posts a second error if `start' fails.  So the stream begins before `start'. */
static GstStateChangeReturn
gst_tfrc_src_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !open_stream (self))
    return GST_STATE_CHANGE_FAILURE;
  result = GST_ELEMENT_CLASS (gst_tfrc_src_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    close_stream (self);
  return result;
}

/* Also called while the pads of a source that has not started are deactivated, and for a flush
 * while another thread stops the source. */
static void
set_flushing (GstBaseSrc *src, gboolean flushing)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);

  if (!gst_tfrc_gate_enter (&self->gate))
    return;
  gst_tfrc_src_stream_set_flushing (self->stream, flushing);
  gst_tfrc_gate_leave (&self->gate);
}

static gboolean
gst_tfrc_src_unlock (GstBaseSrc *src)
{
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
  GstTfrcSrc *self = GST_TFRC_SRC (src);

  gboolean rtp = gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-rtp");

  GST_OBJECT_LOCK (self);
  self->rtp = rtp;
  GST_OBJECT_UNLOCK (self);
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

/* ---- properties -------------------------------------------------------- */

static void
gst_tfrc_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gst_tfrc_properties_set (
      gst_tfrc_src_properties, &GST_TFRC_SRC (object)->settings, object, id, value, spec);
}

static void
gst_tfrc_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  gst_tfrc_properties_get (
      gst_tfrc_src_properties, &GST_TFRC_SRC (object)->settings, object, id, value, spec);
}

static void
gst_tfrc_src_finalize (GObject *object)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  gst_tfrc_properties_clear (gst_tfrc_src_properties, &self->settings);
  gst_tfrc_notifier_clear (&self->notifier);
  gst_tfrc_gate_clear (&self->gate);
  G_OBJECT_CLASS (gst_tfrc_src_parent_class)->finalize (object);
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
  gst_tfrc_src_handover_install (klass);
  gst_tfrc_security_install_signal (G_TYPE_FROM_CLASS (klass), rekey);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC source", "Source/Network",
      "Receives a transport stream over UDP with TCP-friendly rate control",
      "The gst-tfrc developers");

  element_class->change_state = gst_tfrc_src_change_state;
  src_class->unlock = gst_tfrc_src_unlock;
  src_class->unlock_stop = gst_tfrc_src_unlock_stop;
  src_class->set_caps = gst_tfrc_src_set_caps;
  src_class->query = gst_tfrc_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = gst_tfrc_src_create;
}

static void
gst_tfrc_src_init (GstTfrcSrc *self)
{
  gst_tfrc_notifier_init (&self->notifier, GST_ELEMENT (self));
  gst_tfrc_gate_init (&self->gate);
  gst_tfrc_properties_init (gst_tfrc_src_properties, &self->settings);
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
