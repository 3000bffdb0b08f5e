/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element rtptfrcbwe: pads, properties, states, and the wait for a packet's turn. */
/**
 * SECTION:element-rtptfrcbwe
 * @title: rtptfrcbwe
 * @see_also: rtpgccbwe, tfrcsink
 *
 * Estimates the bandwidth of a path for rtpbin and webrtcbin by TCP-Friendly Rate Control (RFC 5348)
 * from transport-wide congestion control feedback, as rtpgccbwe does by Google's congestion control,
 * and with the same properties.
 *
 * The element stands right before an rtpsession whose receiver sends that feedback. webrtcbin asks for
 * it with the signal #GstWebRTCBin::request-aux-sender, rtpbin with #GstRtpBin::request-aux-sender.
 * The application gives its encoders what #GstRtpTfrcBwe:estimated-bitrate says, and is told of each
 * new value by `notify::estimated-bitrate`, every 100 ms at most.
 *
 * Packets pass at once, unless #GstRtpTfrcBwe:pacing is set: then each waits, in the streaming
 * thread, until the rate allows it. So what waits waits upstream, and a queue there says what
 * happens when an encoder makes more than the path takes.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 rtpbin name=bin rtp-profile=avpf videotestsrc is-live=true ! x264enc tune=zerolatency bitrate=300 ! rtph264pay ! "application/x-rtp,extmap-1=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01" ! rtptfrcbwe ! bin.send_rtp_sink_0 bin.send_rtp_src_0 ! udpsink host=192.0.2.1 port=5004 bin.send_rtcp_src_0 ! udpsink host=192.0.2.1 port=5005 sync=false async=false udpsrc port=5006 ! bin.recv_rtcp_sink_0
 * ]|
 */
#include <gst/rtp/gstrtpbuffer.h>

#include "../common/elements.h"
#include "../common/log.h"
#include "../common/properties.h"
#include "twccrate.h"

/* libwebrtc's start rate.  rtpgccbwe's is 2 Mbit/s, which slow paths lose for seconds. */
#define DEFAULT_START_BITRATE 300000

/* rtpgccbwe's */
#define DEFAULT_MIN_BITRATE 1000
#define DEFAULT_MAX_BITRATE 8192000

/* What a running estimate depends on, or knows */
#define LIVE_LIMITS 1
#define LIVE_ESTIMATE 2

#define GST_TYPE_RTP_TFRC_BWE (gst_rtp_tfrc_bwe_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcBwe, gst_rtp_tfrc_bwe, GST, RTP_TFRC_BWE, GstElement)

typedef struct
{
  guint start_bitrate, min_bitrate, max_bitrate;
  gboolean pacing, queue_guard;
} Settings;

struct _GstRtpTfrcBwe
{
  GstElement parent;
  GstPad *sink, *src;
  Settings settings; /* under the object's lock */

  /* The object's lock may be taken inside. Not held for calls of other elements. */
  GMutex lock;
  GstClock *clock;       /* rtpsession's: the system clock */
  GstTfrcTwccRate *rate; /* NULL in NULL and READY */
  GstClockID wait;       /* of the packet that waits for its turn; NULL: none does */
  gboolean flushing;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

G_DEFINE_TYPE_WITH_CODE (GstRtpTfrcBwe, gst_rtp_tfrc_bwe, GST_TYPE_ELEMENT, gst_tfrc_log_init ());
GST_ELEMENT_REGISTER_DEFINE (rtptfrcbwe, "rtptfrcbwe", GST_RANK_NONE, GST_TYPE_RTP_TFRC_BWE);

/* ---- properties ---------------------------------------------------------- */

#define READY .change = GST_TFRC_CHANGE_READY
#define PLAYING .change = GST_TFRC_CHANGE_PLAYING
#define BITRATE(value) GST_TFRC_PROPERTY_UINT (1, G_MAXUINT, value)
#define FIELD(member) GST_TFRC_PROPERTY_FIELD (Settings, member)

static const GstTfrcProperty properties[] = {
  { "estimated-bitrate", "Estimated bitrate",
      "Rate that encoders can be given now, in bit/s of RTP payload; what is set before the start "
      "is the first rate",
      READY, BITRATE (DEFAULT_START_BITRATE), FIELD (start_bitrate), .live = LIVE_ESTIMATE },
  { "min-bitrate", "Minimum bitrate",
      "Lower limit of the estimate in bit/s, not TCP-friendly under heavy loss", PLAYING,
      BITRATE (DEFAULT_MIN_BITRATE), FIELD (min_bitrate), .live = LIVE_LIMITS },
  { "max-bitrate", "Maximum bitrate", "Upper limit of the estimate in bit/s", PLAYING,
      BITRATE (DEFAULT_MAX_BITRATE), FIELD (max_bitrate), .live = LIVE_LIMITS },
  { "pacing", "Pacing", "Let each packet wait in the streaming thread until the rate allows it",
      PLAYING, GST_TFRC_PROPERTY_BOOLEAN (FALSE), FIELD (pacing), .live = LIVE_LIMITS },
  { "queue-guard", "Queue guard",
      "While the queue of the path grows, estimate at most the rate that the path delivers", READY,
      GST_TFRC_PROPERTY_BOOLEAN (TRUE), FIELD (queue_guard) },
  { .name = NULL },
};

static void
end_wait (GstRtpTfrcBwe *self)
{
  if (self->wait)
    gst_clock_id_unschedule (self->wait);
}

static gboolean
is_pacing (GstRtpTfrcBwe *self)
{
  gboolean pacing;

  GST_OBJECT_LOCK (self);
  pacing = self->settings.pacing;
  GST_OBJECT_UNLOCK (self);
  return pacing;
}

/* Gives a rate that runs the limits, and has a packet that waits look again whether it may leave. A minimum above the maximum counts as the maximum, as the two
 * may be set one after the other. */
static void
apply_limits (GstRtpTfrcBwe *self)
{
  guint min_bitrate, max_bitrate;

  g_mutex_lock (&self->lock);
  GST_OBJECT_LOCK (self);
  min_bitrate = self->settings.min_bitrate;
  max_bitrate = self->settings.max_bitrate;
  GST_OBJECT_UNLOCK (self);
  if (self->rate)
    gst_tfrc_twcc_rate_set_limits (
        self->rate, MIN (min_bitrate, max_bitrate), max_bitrate, gst_clock_get_time (self->clock));
  end_wait (self);
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_tfrc_bwe_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (object);

  if (gst_tfrc_properties_set (properties, &self->settings, object, id, value, spec) & LIVE_LIMITS)
    apply_limits (self);
}

static void
gst_rtp_tfrc_bwe_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (object);
  guint64 estimate;

  if (!(gst_tfrc_properties_get (properties, &self->settings, object, id, value, spec)
          & LIVE_ESTIMATE))
    return;
  g_mutex_lock (&self->lock);
  if (self->rate) {
    estimate = gst_tfrc_twcc_rate_get_estimate (self->rate, gst_clock_get_time (self->clock));
    g_value_set_uint (value, (guint) CLAMP (estimate, 1, G_MAXUINT));
  }
  g_mutex_unlock (&self->lock);
}

/* ---- packets ------------------------------------------------------------- */

/* Of something else than RTP all bytes count: rtpsession drops it. */
static gsize
payload_bytes (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gsize size = gst_buffer_get_size (buffer);

  if (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp)) {
    size = gst_rtp_buffer_get_payload_len (&rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  return size;
}

/* Tells the application of a new estimate, without a lock. */
static void
tell (GstRtpTfrcBwe *self, guint64 announced)
{
  if (announced == 0)
    return;
  gst_tfrc_log (
      rate, DEBUG, "%s estimates %" G_GUINT64_FORMAT " bit/s", GST_OBJECT_NAME (self), announced);
  g_object_notify (G_OBJECT (self), "estimated-bitrate");
}

/* Waits until the packet may leave, or there is something else to do. With the lock held, which is released meanwhile. */
static void
wait_until (GstRtpTfrcBwe *self, guint64 turn_ns)
{
  guint64 timer_ns = gst_tfrc_twcc_rate_next_ns (self->rate);
  guint64 announce_ns = gst_tfrc_twcc_rate_announce_ns (self->rate);
  GstClockID wait = self->wait = gst_clock_new_single_shot_id (
      self->clock, MIN (turn_ns, MIN (timer_ns, announce_ns)));

  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (wait, NULL);
  g_mutex_lock (&self->lock);
  self->wait = NULL;
  gst_clock_id_unref (wait);
}

/* Waits until the next packet may leave, or pacing ends; serves the nofeedback timer meanwhile, and tells the application,
 * whose encoder may be in another thread. Feedback and new limits end a wait, as they may have raised the rate. With the lock
 * held, which is released meanwhile.
 * Returns FALSE: the pad is flushing. */
static gboolean
wait_for_turn (GstRtpTfrcBwe *self)
{
  guint64 now_ns, turn_ns, announced;

  while (!self->flushing) {
    now_ns = gst_clock_get_time (self->clock);
    gst_tfrc_twcc_rate_on_time (self->rate, now_ns);
    turn_ns = gst_tfrc_twcc_rate_next_send_ns (self->rate);
    if (turn_ns <= now_ns || !is_pacing (self))
      return TRUE;
    announced = gst_tfrc_twcc_rate_announce (self->rate, now_ns);
    if (announced == 0) {
      wait_until (self, turn_ns);
      continue;
    }
    g_mutex_unlock (&self->lock);
    tell (self, announced);
    g_mutex_lock (&self->lock);
  }
  return FALSE;
}

static GstFlowReturn
account (GstRtpTfrcBwe *self, GstBuffer *buffer)
{
  gboolean pacing = is_pacing (self);
  GstFlowReturn flow = GST_FLOW_FLUSHING;
  guint64 now_ns, announced = 0;

  g_mutex_lock (&self->lock);
  if (self->rate && !self->flushing && (!pacing || wait_for_turn (self))) {
    now_ns = gst_clock_get_time (self->clock);
    gst_tfrc_twcc_rate_on_sent (self->rate, payload_bytes (buffer), now_ns);
    announced = gst_tfrc_twcc_rate_announce (self->rate, now_ns);
    flow = GST_FLOW_OK;
  }
  g_mutex_unlock (&self->lock);
  tell (self, announced);
  return flow;
}

static GstFlowReturn
gst_rtp_tfrc_bwe_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);
  GstFlowReturn flow = account (self, buffer);

  if (flow == GST_FLOW_OK)
    return gst_pad_push (self->src, buffer);
  gst_buffer_unref (buffer);
  return flow;
}

/* A list that is paced leaves packet by packet. */
static GstFlowReturn
gst_rtp_tfrc_bwe_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);
  gboolean pacing = is_pacing (self);
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < gst_buffer_list_length (list) && flow == GST_FLOW_OK; i++) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);

    flow = pacing ? gst_rtp_tfrc_bwe_chain (pad, parent, gst_buffer_ref (buffer))
                  : account (self, buffer);
  }
  if (!pacing && flow == GST_FLOW_OK)
    return gst_pad_push_list (self->src, list);
  gst_buffer_list_unref (list);
  return flow;
}

/* ---- events -------------------------------------------------------------- */

static void
on_feedback (GstRtpTfrcBwe *self, GstEvent *event)
{
  GArray *packets = gst_tfrc_twcc_packets_read (event);
  guint64 now_ns, announced = 0;

  g_mutex_lock (&self->lock);
  if (self->rate) {
    now_ns = gst_clock_get_time (self->clock);
    if (gst_tfrc_twcc_rate_on_packets (
            self->rate, (const GstTfrcTwccPacket *) packets->data, packets->len, now_ns))
      end_wait (self);
    announced = gst_tfrc_twcc_rate_announce (self->rate, now_ns);
  }
  g_mutex_unlock (&self->lock);
  g_array_unref (packets);
  tell (self, announced);
}

static gboolean
gst_rtp_tfrc_bwe_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (gst_tfrc_twcc_packets_is_event (event))
    on_feedback (GST_RTP_TFRC_BWE (parent), event);
  return gst_pad_event_default (pad, parent, event);
}

static void
set_flushing (GstRtpTfrcBwe *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  if (flushing)
    end_wait (self);
  g_mutex_unlock (&self->lock);
}

static gboolean
gst_rtp_tfrc_bwe_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    set_flushing (self, TRUE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    set_flushing (self, FALSE);
  return gst_pad_event_default (pad, parent, event);
}

/* ---- states -------------------------------------------------------------- */

static gboolean
start (GstRtpTfrcBwe *self)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstTfrcTwccRateConfig config;
  GstTfrcTwccRate *rate;

  GST_OBJECT_LOCK (self);
  config.start_bitrate = self->settings.start_bitrate;
  config.min_bitrate = self->settings.min_bitrate;
  config.max_bitrate = self->settings.max_bitrate;
  config.queue_guard = self->settings.queue_guard;
  GST_OBJECT_UNLOCK (self);
  rate = gst_tfrc_twcc_rate_new (&config, gst_clock_get_time (clock));
  if (rate == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("min-bitrate is above max-bitrate."),
        ("min-bitrate %" G_GUINT64_FORMAT ", max-bitrate %" G_GUINT64_FORMAT, config.min_bitrate,
            config.max_bitrate));
    gst_object_unref (clock);
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  self->clock = clock;
  self->rate = rate;
  self->flushing = FALSE;
  g_mutex_unlock (&self->lock);
  apply_limits (self); /* a property may have been set since */
  return TRUE;
}

static void
stop (GstRtpTfrcBwe *self)
{
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->rate, gst_tfrc_twcc_rate_free);
  g_clear_object (&self->clock);
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
gst_rtp_tfrc_bwe_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  /* The pads stop once no packet waits any more. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    set_flushing (self, TRUE);
  result = GST_ELEMENT_CLASS (gst_rtp_tfrc_bwe_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

/* ---- the class ----------------------------------------------------------- */

static void
gst_rtp_tfrc_bwe_finalize (GObject *object)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (object);

  gst_tfrc_properties_clear (properties, &self->settings);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_rtp_tfrc_bwe_parent_class)->finalize (object);
}

static void
gst_rtp_tfrc_bwe_class_init (GstRtpTfrcBweClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_rtp_tfrc_bwe_set_property;
  object_class->get_property = gst_rtp_tfrc_bwe_get_property;
  object_class->finalize = gst_rtp_tfrc_bwe_finalize;
  gst_tfrc_properties_install (object_class, properties);
  element_class->change_state = gst_rtp_tfrc_bwe_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC bandwidth estimator",
      "Network/WebRTC/RTP/Filter",
      "Estimates the bandwidth of a path by TCP-friendly rate control from transport-wide feedback",
      "The gst-tfrc developers");
}

static void
gst_rtp_tfrc_bwe_init (GstRtpTfrcBwe *self)
{
  g_mutex_init (&self->lock);
  gst_tfrc_properties_init (properties, &self->settings);
  self->sink = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sink, gst_rtp_tfrc_bwe_chain);
  gst_pad_set_chain_list_function (self->sink, gst_rtp_tfrc_bwe_chain_list);
  gst_pad_set_event_function (self->sink, gst_rtp_tfrc_bwe_sink_event);
  GST_PAD_SET_PROXY_CAPS (self->sink);
  GST_PAD_SET_PROXY_ALLOCATION (self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  self->src = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->src, gst_rtp_tfrc_bwe_src_event);
  GST_PAD_SET_PROXY_CAPS (self->src);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}
