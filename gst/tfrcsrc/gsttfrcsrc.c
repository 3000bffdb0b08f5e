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
 * feedback that TCP-Friendly Rate Control (RFC 5348) needs to a #tfrcsink.
 * Streams of senders without TFRC (rtpmp2tpay ! udpsink) are received as well.
 *
 * Its output is the transport stream, in order, or RTP packets as they come if
 * downstream wants those, for rtpjitterbuffer.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 tfrcsrc uri=tfrc://0.0.0.0:5004 ! tsdemux ! h264parse ! avdec_h264 ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 ! application/x-rtp ! rtpjitterbuffer ! rtpmp2tdepay ! tsdemux ! fakesink
 * ]|
 */
#include "gsttfrcsrc.h"

#include "../common/tfrcclock.h"
#include "../common/tfrcmessages.h"
#include "../common/tfrcteller.h"
#include "../common/tfrcuri.h"
#include "gsttfrcsrcstats.h"

GST_DEBUG_CATEGORY_STATIC (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

#define DEFAULT_ADDRESS "::"
#define DEFAULT_LATENCY_MS 200
#define DEFAULT_MAX_SIZE_TIME (5 * GST_SECOND)
#define MAX_TIME_MS (24 * 3600 * 1000)

/* Applications know the message of udpsrc; ours is the same. */
#define TIMEOUT_MESSAGE "GstUDPSrcTimeout"

struct _GstTfrcSrc
{
  GstPushSrc parent;
  TfrcTeller teller;

  /* settings, under the object's lock */
  gchar *address;
  gint port;
  gint buffer_size;
  guint latency_ms;
  guint64 max_size_time;
  guint64 timeout;
  gboolean keep_listening;
  guint stats_interval_ms;
  TfrcSrcStream *stream;        /* exists from start to stop */
  gboolean rtp;                 /* output is application/x-rtp; set while negotiating */
};

enum
{
  PROP_0,
  PROP_URI,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_BUFFER_SIZE,
  PROP_LATENCY,
  PROP_MAX_SIZE_TIME,
  PROP_TIMEOUT,
  PROP_KEEP_LISTENING,
  PROP_STATS_UPDATE_INTERVAL,
  PROP_STATS,
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpegts, systemstream=(boolean)true, "
        "packetsize=(int)188; application/x-rtp, media=(string)video, "
        "clock-rate=(int)90000, encoding-name=(string)MP2T, payload=(int)33"));

static void gst_tfrc_src_uri_handler_init (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstTfrcSrc, gst_tfrc_src, GST_TYPE_PUSH_SRC,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_tfrc_src_uri_handler_init);
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_src_debug, "tfrcsrc", 0, "TFRC source"));
GST_ELEMENT_REGISTER_DEFINE (tfrcsrc, "tfrcsrc", GST_RANK_NONE,
    GST_TYPE_TFRC_SRC);

/* ---- events of the stream: told by a thread that may wait --------------- */

static GstStructure *
get_stats (GstTfrcSrc * self)
{
  TfrcSrcStreamStats stats;
  GstStructure *structure;

  GST_OBJECT_LOCK (self);
  if (self->stream)
    tfrc_src_stream_get_stats (self->stream, &stats);
  structure = gst_tfrc_src_stats_new (self->stream ? &stats : NULL);
  GST_OBJECT_UNLOCK (self);
  return structure;
}

static void
post_stats (GstElement * element, gint unused)
{
  tfrc_stats_post (element, get_stats (GST_TFRC_SRC (element)));
}

static void
post_sender (GstElement * element, gint unused)
{
  GstStructure *stats = get_stats (GST_TFRC_SRC (element));

  GST_INFO_OBJECT (element, "receiving from %s",
      gst_structure_get_string (stats, "sender"));
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("tfrc-sender", "sender", G_TYPE_STRING,
              gst_structure_get_string (stats, "sender"), NULL)));
  gst_structure_free (stats);
}

static void
on_stats (gpointer user)
{
  tfrc_teller_tell (&GST_TFRC_SRC (user)->teller, post_stats, 0);
}

static void
on_sender (gpointer user)
{
  tfrc_teller_tell (&GST_TFRC_SRC (user)->teller, post_sender, 0);
}

/* ---- states ------------------------------------------------------------ */

static void
check_buffer_size (GstTfrcSrc * self, gint wanted, gint effective)
{
  if (effective < wanted)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The kernel's receive buffer is smaller than asked for."),
        ("%d bytes instead of %d; see the sysctl net.core.rmem_max", effective,
            wanted));
}

static gboolean
gst_tfrc_src_start (GstBaseSrc * src)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  const TfrcSrcStreamEvents events = { on_stats, on_sender };
  const TfrcSocketConfig socket = TFRC_SOCKET_CONFIG_INIT;
  TfrcSrcStreamConfig config;
  TfrcSrcStream *stream;
  GError *error = NULL;
  gchar *address;

  if (!tfrc_uri_check (GST_ELEMENT (self)))
    return FALSE;
  GST_OBJECT_LOCK (self);
  address = g_strdup (self->address);
  config.socket = socket;
  config.socket.bind_address = address;
  config.socket.bind_port = (guint16) self->port;
  config.socket.receive_buffer_bytes = self->buffer_size;
  config.window_ns = self->latency_ms * GST_MSECOND;
  config.max_time_ns = self->max_size_time;
  config.keep_listening = self->keep_listening;
  config.stats_interval_ns = self->stats_interval_ms * GST_MSECOND;
  GST_OBJECT_UNLOCK (self);

  stream = tfrc_src_stream_new (&config, &events, self, &error);
  if (stream == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot receive on %s port %d: %s", address, config.socket.bind_port,
            error->message), (NULL));
    g_clear_error (&error);
  } else {
    check_buffer_size (self, config.socket.receive_buffer_bytes,
        tfrc_src_stream_get_receive_buffer_bytes (stream));
  }
  g_free (address);
  GST_OBJECT_LOCK (self);
  self->stream = stream;
  GST_OBJECT_UNLOCK (self);
  return stream != NULL;
}

static gboolean
gst_tfrc_src_stop (GstBaseSrc * src)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  TfrcSrcStream *stream;

  GST_OBJECT_LOCK (self);
  stream = self->stream;
  self->stream = NULL;
  GST_OBJECT_UNLOCK (self);
  tfrc_src_stream_free (stream);
  return TRUE;
}

/* Also called while the pads of a source that has not started are shut, and for
 * a flush while another thread stops the source. */
static void
set_flushing (GstBaseSrc * src, gboolean flushing)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);

  GST_OBJECT_LOCK (self);
  if (self->stream)
    tfrc_src_stream_set_flushing (self->stream, flushing);
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_tfrc_src_unlock (GstBaseSrc * src)
{
  set_flushing (src, TRUE);
  return TRUE;
}

static gboolean
gst_tfrc_src_unlock_stop (GstBaseSrc * src)
{
  set_flushing (src, FALSE);
  return TRUE;
}

static gboolean
gst_tfrc_src_set_caps (GstBaseSrc * src, GstCaps * caps)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);

  gboolean rtp = gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "application/x-rtp");

  GST_OBJECT_LOCK (self);
  self->rtp = rtp;
  GST_OBJECT_UNLOCK (self);
  tfrc_src_stream_set_arrival_order (self->stream, rtp);
  return TRUE;
}

static gboolean
gst_tfrc_src_query (GstBaseSrc * src, GstQuery * query)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  GstClockTime min, max;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_BASE_SRC_CLASS (gst_tfrc_src_parent_class)->query (src, query);
  /* A packet may wait for late ones that long, and for the pipeline as long as
   * the queue allows. */
  GST_OBJECT_LOCK (self);
  min = self->rtp ? 0 : self->latency_ms * GST_MSECOND;
  max = self->max_size_time ? min + self->max_size_time : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  gst_query_set_latency (query, TRUE, min, max);
  return TRUE;
}

/* ---- data -------------------------------------------------------------- */

/* The pipeline's running time at which the packet arrived */
static GstClockTime
arrival_running_time (GstTfrcSrc * self, guint64 arrival_ns)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base_time = gst_element_get_base_time (GST_ELEMENT (self));
  guint64 age_ns = tfrc_clock_now_ns () - arrival_ns;
  GstClockTime now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now > base_time + age_ns ? now - base_time - age_ns : 0;
}

static GstBuffer *
finish_buffer (GstTfrcSrc * self, const TfrcPulled * pulled)
{
  GstBuffer *buffer = pulled->buffer;

  if (!self->rtp)
    gst_buffer_resize (buffer, pulled->header_bytes, pulled->payload_bytes);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) =
      arrival_running_time (self, pulled->arrival_ns);
  if (pulled->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

static void
post_timeout (GstTfrcSrc * self, guint64 timeout)
{
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new (TIMEOUT_MESSAGE, "timeout", G_TYPE_UINT64,
              timeout, NULL)));
}

static GstFlowReturn
gst_tfrc_src_create (GstPushSrc * src, GstBuffer ** buffer)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  TfrcPulled pulled;
  guint64 timeout;
  gboolean wants_stats;

  for (;;) {
    GST_OBJECT_LOCK (self);
    timeout = self->timeout;
    wants_stats = self->stats_interval_ms > 0;
    GST_OBJECT_UNLOCK (self);
    switch (tfrc_src_stream_pull (self->stream, timeout, &pulled)) {
      case TFRC_PULL_PACKET:
        *buffer = finish_buffer (self, &pulled);
        return GST_FLOW_OK;
      case TFRC_PULL_END:
        /* the last word about this stream */
        if (wants_stats)
          tfrc_stats_post (GST_ELEMENT (self), get_stats (self));
        return GST_FLOW_EOS;
      case TFRC_PULL_TIMEOUT:
        post_timeout (self, timeout);
        break;
      case TFRC_PULL_FLUSHING:
        return GST_FLOW_FLUSHING;
    }
  }
}

/* ---- properties -------------------------------------------------------- */

static void
gst_tfrc_src_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * spec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id == PROP_URI) {
    tfrc_uri_set (GST_ELEMENT (self), g_value_get_string (value), "address");
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ADDRESS:
      g_free (self->address);
      self->address = g_value_dup_string (value);
      if (self->address == NULL)
        self->address = g_strdup (DEFAULT_ADDRESS);
      break;
    case PROP_PORT:
      self->port = g_value_get_int (value);
      break;
    case PROP_BUFFER_SIZE:
      self->buffer_size = g_value_get_int (value);
      break;
    case PROP_LATENCY:
      self->latency_ms = g_value_get_uint (value);
      break;
    case PROP_MAX_SIZE_TIME:
      self->max_size_time = g_value_get_uint64 (value);
      break;
    case PROP_TIMEOUT:
      self->timeout = g_value_get_uint64 (value);
      break;
    case PROP_KEEP_LISTENING:
      self->keep_listening = g_value_get_boolean (value);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      self->stats_interval_ms = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
      break;
  }
  if (self->stream)
    tfrc_src_stream_set_limits (self->stream, self->latency_ms * GST_MSECOND,
        self->max_size_time, self->stats_interval_ms * GST_MSECOND);
  GST_OBJECT_UNLOCK (self);
  if (id == PROP_LATENCY)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

static void
gst_tfrc_src_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * spec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_URI:
      g_value_take_string (value, tfrc_uri_format (self->address, self->port));
      break;
    case PROP_ADDRESS:
      g_value_set_string (value, self->address);
      break;
    case PROP_PORT:
      g_value_set_int (value, self->stream
          ? tfrc_src_stream_get_local_port (self->stream) : self->port);
      break;
    case PROP_BUFFER_SIZE:
      g_value_set_int (value, self->buffer_size);
      break;
    case PROP_LATENCY:
      g_value_set_uint (value, self->latency_ms);
      break;
    case PROP_MAX_SIZE_TIME:
      g_value_set_uint64 (value, self->max_size_time);
      break;
    case PROP_TIMEOUT:
      g_value_set_uint64 (value, self->timeout);
      break;
    case PROP_KEEP_LISTENING:
      g_value_set_boolean (value, self->keep_listening);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      g_value_set_uint (value, self->stats_interval_ms);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_tfrc_src_finalize (GObject * object)
{
  g_free (GST_TFRC_SRC (object)->address);
  tfrc_teller_clear (&GST_TFRC_SRC (object)->teller);
  G_OBJECT_CLASS (gst_tfrc_src_parent_class)->finalize (object);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)
#define PLAYING (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define READABLE (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_properties (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_URI,
      g_param_spec_string ("uri", "URI",
          "tfrc://address:port?key=value, with names of properties as keys",
          "tfrc://[" DEFAULT_ADDRESS "]:5004", READY));
  g_object_class_install_property (klass, PROP_ADDRESS,
      g_param_spec_string ("address", "Address",
          "Address to receive on (:: = all, IPv4 and IPv6)", DEFAULT_ADDRESS,
          READY));
  g_object_class_install_property (klass, PROP_PORT,
      g_param_spec_int ("port", "Port",
          "UDP port to receive on (0 = any free one, which can be read back)",
          0, 65535, TFRC_DEFAULT_PORT, READY));
  g_object_class_install_property (klass, PROP_BUFFER_SIZE,
      g_param_spec_int ("buffer-size", "Buffer size",
          "Size of the kernel's receive buffer in bytes (0 = system default)",
          0, G_MAXINT, 0, READY));
  g_object_class_install_property (klass, PROP_LATENCY,
      g_param_spec_uint ("latency", "Latency",
          "How long to wait for late packets, in milliseconds", 0, MAX_TIME_MS,
          DEFAULT_LATENCY_MS, PLAYING));
  g_object_class_install_property (klass, PROP_MAX_SIZE_TIME,
      g_param_spec_uint64 ("max-size-time", "Maximum size time",
          "How much may wait for the pipeline, in nanoseconds; the oldest is "
          "dropped (0 = no limit)", 0, G_MAXINT64, DEFAULT_MAX_SIZE_TIME,
          PLAYING));
  g_object_class_install_property (klass, PROP_TIMEOUT,
      g_param_spec_uint64 ("timeout", "Timeout",
          "Post a message after so many nanoseconds without a packet "
          "(0 = never)", 0, G_MAXINT64, 0, PLAYING));
  g_object_class_install_property (klass, PROP_KEEP_LISTENING,
      g_param_spec_boolean ("keep-listening", "Keep listening",
          "Wait for another stream when one has ended, instead of EOS", FALSE,
          READY));
  g_object_class_install_property (klass, PROP_STATS_UPDATE_INTERVAL,
      g_param_spec_uint ("stats-update-interval", "Statistics update interval",
          "Interval of tfrc-stats messages in milliseconds (0 = none)", 0,
          MAX_TIME_MS, 0, PLAYING));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "What has been measured so far", GST_TYPE_STRUCTURE, READABLE));
}

static void
gst_tfrc_src_class_init (GstTfrcSrcClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = gst_tfrc_src_set_property;
  object_class->get_property = gst_tfrc_src_get_property;
  object_class->finalize = gst_tfrc_src_finalize;
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC source",
      "Source/Network",
      "Receives a transport stream over UDP with TCP-friendly rate control",
      "The gst-tfrc developers");

  src_class->start = gst_tfrc_src_start;
  src_class->stop = gst_tfrc_src_stop;
  src_class->unlock = gst_tfrc_src_unlock;
  src_class->unlock_stop = gst_tfrc_src_unlock_stop;
  src_class->set_caps = gst_tfrc_src_set_caps;
  src_class->query = gst_tfrc_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = gst_tfrc_src_create;
}

static void
gst_tfrc_src_init (GstTfrcSrc * self)
{
  tfrc_teller_init (&self->teller, GST_ELEMENT (self));
  self->address = g_strdup (DEFAULT_ADDRESS);
  self->port = TFRC_DEFAULT_PORT;
  self->latency_ms = DEFAULT_LATENCY_MS;
  self->max_size_time = DEFAULT_MAX_SIZE_TIME;
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

/* ---- GstURIHandler ----------------------------------------------------- */

static GstURIType
gst_tfrc_src_uri_get_type (GType type)
{
  return GST_URI_SRC;
}

static const gchar *const *
gst_tfrc_src_uri_get_protocols (GType type)
{
  static const gchar *const protocols[] = { TFRC_URI_SCHEME, NULL };

  return protocols;
}

static gchar *
gst_tfrc_src_uri_get_uri (GstURIHandler * handler)
{
  gchar *uri;

  g_object_get (handler, "uri", &uri, NULL);
  return uri;
}

static gboolean
gst_tfrc_src_uri_set_uri (GstURIHandler * handler, const gchar * uri,
    GError ** error)
{
  return tfrc_uri_apply (GST_ELEMENT (handler), uri, "address", error);
}

static void
gst_tfrc_src_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = gst_tfrc_src_uri_get_type;
  handler->get_protocols = gst_tfrc_src_uri_get_protocols;
  handler->get_uri = gst_tfrc_src_uri_get_uri;
  handler->set_uri = gst_tfrc_src_uri_set_uri;
}
