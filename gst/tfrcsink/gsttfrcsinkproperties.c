/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of tfrcsink: the table, and the functions of the properties that are not
 * fields. */
#include "gsttfrcsinkproperties.h"

#include <float.h>

#include "../common/experiment.h"
#include "../common/streamtrace.h"
#include "../common/uri.h"
#include "gsttfrcsinksdp.h"
#include "gsttfrcsinkstats.h"

#define DEFAULT_HOST "127.0.0.1"
/* A streaming thread that wakes eight times a second costs little. */
#define DEFAULT_LOOKAHEAD_MS 250
#define DEFAULT_MAX_QUEUE_TIME_MS 2000
#define DEFAULT_MAX_QUEUE_PACKETS 4096
#define DEFAULT_DRAIN_TIMEOUT_MS 10000
/* More hops than most routes have, so that a small change of the route costs no packet */
#define DEFAULT_TTL_MIN 32
/* The default that IANA recommends for IP */
#define DEFAULT_TTL_MAX 64
#define BELOW_1 (1 - DBL_EPSILON / 2) /* the largest double that is less than 1 */
#define MAX_TIME_MS (24 * 3600 * 1000)
#define MAX_BITRATE G_GUINT64_CONSTANT (1000000000000)
/* A busy machine wakes a thread up this late.  A short queue in the network takes more at once. */
#define DEFAULT_BURST_LIMIT_MS 10

/* ---- enumerations -------------------------------------------------------- */

static GType
gst_tfrc_sink_leaky_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_LEAKY_NONE, "Not leaky: the pipeline waits",
                                           "no" },
    { GST_TFRC_LEAKY_UPSTREAM, "Leaky on upstream (new packets)", "upstream" },
    { GST_TFRC_LEAKY_DOWNSTREAM, "Leaky on downstream (old packets)", "downstream" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSinkLeaky", values));
  return type;
}

static GType
gst_tfrc_allow_migration_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_ALLOW_MIGRATION_NEVER, "Never", "never" },
    { GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED, "If the stream is protected", "authenticated" },
    { GST_TFRC_ALLOW_MIGRATION_ALWAYS, "Always", "always" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcAllowMigration", values));
  return type;
}

/* ---- properties with functions ------------------------------------------- */

static void
get_uri (GObject *object, GValue *value)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  GST_OBJECT_LOCK (self);
  g_value_take_string (value, gst_tfrc_uri_format (self->settings.host, self->settings.port));
  GST_OBJECT_UNLOCK (self);
}

static void
set_uri (GObject *object, const GValue *value)
{
  gst_tfrc_uri_set (GST_ELEMENT (object), g_value_get_string (value), "host");
}

static void
get_estimated_bitrate (GObject *object, GValue *value)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  if (!gst_tfrc_gate_enter (&self->gate))
    return;
  g_value_set_uint64 (value, gst_tfrc_sink_stream_get_bitrate (self->stream));
  gst_tfrc_gate_leave (&self->gate);
}

static void
get_sdp (GObject *object, GValue *value)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  GST_OBJECT_LOCK (self);
  g_value_take_string (value, gst_tfrc_sink_sdp_new (&self->settings));
  GST_OBJECT_UNLOCK (self);
}

static void
get_stats (GObject *object, GValue *value)
{
  g_value_take_boxed (value, gst_tfrc_sink_get_stats (GST_TFRC_SINK (object)));
}

/* ---- settings of a stream that runs -------------------------------------- */

void
gst_tfrc_sink_get_limits (const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits)
{
  limits->min_bitrate = settings->min_bitrate;
  limits->max_bitrate = settings->max_bitrate;
  limits->max_queue_packets = settings->max_queue_packets;
  limits->max_queue_time_ns = settings->max_queue_time_ms * GST_MSECOND;
  limits->leaky = (GstTfrcLeaky) settings->leaky;
  limits->stats_interval_ns = settings->stats_interval_ms * GST_MSECOND;
}

/* The settings are read in turn, so that of two threads the later one has the last word. */
static void
apply_limits (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);
  GstTfrcSinkLimits limits;

  if (!gst_tfrc_gate_enter_in_turn (&self->gate, GST_TFRC_TURN_SETTINGS))
    return;
  GST_OBJECT_LOCK (self);
  gst_tfrc_sink_get_limits (&self->settings, &limits);
  GST_OBJECT_UNLOCK (self);
  gst_tfrc_sink_stream_set_limits (self->stream, &limits);
  gst_tfrc_gate_leave_turn (&self->gate, GST_TFRC_TURN_SETTINGS);
}

/* Applies a setting of the socket, which is a system call. */
static void
apply_to_socket (GstTfrcSink *self, gboolean (*apply) (GstTfrcSinkStream *stream, gint value),
    const gint *setting)
{
  gint value;

  if (!gst_tfrc_gate_enter_in_turn (&self->gate, GST_TFRC_TURN_SETTINGS))
    return;
  GST_OBJECT_LOCK (self);
  value = *setting;
  GST_OBJECT_UNLOCK (self);
  apply (self->stream, value);
  gst_tfrc_gate_leave_turn (&self->gate, GST_TFRC_TURN_SETTINGS);
}

static void
apply_ttl (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  apply_to_socket (self, gst_tfrc_sink_stream_set_ttl, &self->settings.ttl);
}

static void
apply_dscp (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  apply_to_socket (self, gst_tfrc_sink_stream_set_dscp, &self->settings.qos_dscp);
}

void
gst_tfrc_sink_apply_settings (GstTfrcSink *self)
{
  apply_limits (G_OBJECT (self));
  apply_ttl (G_OBJECT (self));
  apply_dscp (G_OBJECT (self));
}

/* ---- the table ----------------------------------------------------------- */

#define STRING GST_TFRC_PROPERTY_STRING
#define INT GST_TFRC_PROPERTY_INT
#define UINT GST_TFRC_PROPERTY_UINT
#define UINT64 GST_TFRC_PROPERTY_UINT64
#define DOUBLE GST_TFRC_PROPERTY_DOUBLE
#define BOOLEAN GST_TFRC_PROPERTY_BOOLEAN
#define ENUM GST_TFRC_PROPERTY_ENUM
#define BOXED GST_TFRC_PROPERTY_BOXED
#define FIELD(member) GST_TFRC_PROPERTY_FIELD (GstTfrcSinkSettings, member)
#define NEVER GST_TFRC_CHANGE_NEVER
#define READY GST_TFRC_CHANGE_READY
#define PLAYING GST_TFRC_CHANGE_PLAYING

const GstTfrcProperty gst_tfrc_sink_properties[] = {
  { "uri", "URI",
      "Destination as tfrc://host:port?property=value; a URI with a mistake sets nothing", READY,
      STRING ("tfrc://" DEFAULT_HOST ":" G_STRINGIFY (GST_TFRC_DEFAULT_PORT)), .get = get_uri,
      .set = set_uri },
  { "host", "Host", "Name or address of the receiver, which is a single host", READY,
      STRING (DEFAULT_HOST), FIELD (host) },
  { "port", "Port", "UDP port of the receiver", READY, INT (1, 65535, GST_TFRC_DEFAULT_PORT),
      FIELD (port) },
  { "bind-address", "Bind address",
      "Local address that packets are sent from; by default the kernel chooses", READY,
      STRING (NULL), FIELD (bind_address) },
  { "bind-port", "Bind port", "Local UDP port that packets are sent from; 0 is any free port",
      READY, INT (0, 65535, 0), FIELD (bind_port) },
  { "rtcp-port", "RTCP port",
      "UDP port of the receiver for RTCP, if the receiver does not know TFRC and has RTCP on a port of "
      "its own; 0 is the port of the data",
      READY, INT (0, 65535, 0), FIELD (rtcp_port) },
  { "transport-cc", "Transport-wide feedback",
      "Number every packet for receivers that do not know TFRC and send transport-wide feedback",
      READY, BOOLEAN (FALSE), FIELD (transport_cc) },
  { "ttl", "TTL",
      "Time to live (IPv4) or hop limit (IPv6) of sent packets; -1 is the system's default",
      PLAYING, INT (-1, 255, -1), FIELD (ttl), .changed = apply_ttl },
  { "adaptive-ttl", "Adaptive TTL",
      "Let the TTL of sent packets follow the number of hops to the receiver; "
      "a stream that is not protected never gets a larger TTL than it began with",
      READY, BOOLEAN (FALSE), FIELD (adaptive_ttl) },
  { "ttl-min", "Minimum TTL", "Least TTL that adaptive-ttl chooses, at most ttl-max", READY,
      UINT (1, GST_TFRC_MAX_TTL, DEFAULT_TTL_MIN), FIELD (ttl_min) },
  { "ttl-max", "Maximum TTL",
      "Largest TTL that adaptive-ttl chooses, and the TTL while packets may have died on the way",
      READY, UINT (1, GST_TFRC_MAX_TTL, DEFAULT_TTL_MAX), FIELD (ttl_max) },
  { "ttl-alpha", "TTL alpha",
      "Weight of the newer of two numbers of hops in adaptive-ttl, less than 1", READY,
      DOUBLE (0.5, BELOW_1, 0.5), FIELD (ttl_alpha) },
  { "qos-dscp", "QoS DSCP",
      "Differentiated services code point of sent packets; -1 is the system's default", PLAYING,
      INT (-1, 63, -1), FIELD (qos_dscp), .changed = apply_dscp },
  { "ecn", "ECN",
      "Use ECN where the system, the receiver and the path allow it: queues then mark packets of data "
      "instead of dropping them",
      READY, BOOLEAN (TRUE), FIELD (ecn) },
  { "buffer-size", "Buffer size",
      "Size of the kernel's send buffer in bytes; 0 is the system's default", READY,
      INT (0, G_MAXINT, 0), FIELD (buffer_size) },
  { "min-bitrate", "Minimum bitrate",
      "Lower limit of the sending rate in bit/s, not TCP-friendly under heavy loss; "
      "0 is one packet in 64 seconds",
      PLAYING, UINT64 (0, MAX_BITRATE, 0), FIELD (min_bitrate), .changed = apply_limits },
  { "max-bitrate", "Maximum bitrate", "Upper limit of the sending rate in bit/s; 0 means no limit",
      PLAYING, UINT64 (0, MAX_BITRATE, 0), FIELD (max_bitrate), .changed = apply_limits },
  { "start-bitrate", "Start bitrate",
      "Sending rate in bit/s once the round-trip time is known; 0 is the rate of RFC 3390", READY,
      UINT64 (0, MAX_BITRATE, 0), FIELD (start_bitrate) },
  { "burst-limit", "Burst limit",
      "Unused sending time in milliseconds that may be made up for at once; "
      "0 is one round-trip time, the limit of RFC 5348",
      READY, UINT (0, MAX_TIME_MS, DEFAULT_BURST_LIMIT_MS), FIELD (burst_limit_ms) },
  { "queue-guard", "Queue guard",
      "Send no more than the path delivers while the path's queue grows", READY, BOOLEAN (TRUE),
      FIELD (queue_guard) },
  { "profile", "Profile", "How the sender measures the round-trip time and responds to loss", READY,
      ENUM (gst_tfrc_profile_get_type, GST_TFRC_PROFILE_RFC5348), FIELD (profile) },
  { "experiment", "Experiment",
      "For experiments: choices that go before the profile's, as key=value,key=value", READY,
      STRING (NULL), FIELD (experiment), .check = gst_tfrc_experiment_check_sender },
  { "smoothing-time", "Smoothing time",
      "Time in milliseconds over which packets are spread as far as TFRC allows, less than "
      "max-queue-time; 0 sends packets as soon as TFRC allows",
      READY, UINT (0, MAX_TIME_MS, 0), FIELD (smoothing_time_ms) },
  { "allow-migration", "Allow migration", "When the receiver may move to another address", READY,
      ENUM (gst_tfrc_allow_migration_get_type, GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED),
      FIELD (allow_migration) },
  GST_TFRC_SECURITY_PROPERTIES (GstTfrcSinkSettings),
  { "cipher", "Cipher", "Cipher of a protected stream", READY,
      ENUM (gst_tfrc_cipher_get_type, GST_TFRC_CIPHER_AES_128_GCM), FIELD (cipher) },
  { "rekey-interval", "Rekey interval",
      "Time in seconds after which the keys of a protected stream are replaced; 0 is when the limits "
      "of a key demand it",
      READY, UINT (0, MAX_TIME_MS / 1000, 0), FIELD (rekey_interval_s) },
  { "force-key-unit", "Force key unit",
      "Ask upstream for a key unit when the receiver has changed its address or its link", PLAYING,
      BOOLEAN (FALSE), FIELD (force_key_unit) },
  { "lookahead", "Look-ahead",
      "Time in milliseconds by which packets are taken before they are due; "
      "0 lets the pipeline wait for each packet",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_LOOKAHEAD_MS), FIELD (lookahead_ms) },
  { "max-queue-time", "Maximum queue time",
      "Longest time in milliseconds that a packet may wait after it is due; 0 means no limit",
      PLAYING, UINT (0, MAX_TIME_MS, DEFAULT_MAX_QUEUE_TIME_MS), FIELD (max_queue_time_ms),
      .changed = apply_limits },
  { "max-queue-packets", "Maximum queue packets", "Number of packets that may wait to be sent",
      PLAYING, UINT (1, G_MAXINT, DEFAULT_MAX_QUEUE_PACKETS), FIELD (max_queue_packets),
      .changed = apply_limits },
  { "leaky", "Leaky", "What gives way when the queue is full", PLAYING,
      ENUM (gst_tfrc_sink_leaky_get_type, GST_TFRC_LEAKY_NONE), FIELD (leaky),
      .changed = apply_limits },
  { "drain-timeout", "Drain timeout",
      "Longest time in milliseconds that the end of the stream waits until all is sent", PLAYING,
      UINT (0, MAX_TIME_MS, DEFAULT_DRAIN_TIMEOUT_MS), FIELD (drain_timeout_ms) },
  GST_TFRC_TRACE_PROPERTY (GstTfrcSinkSettings),
  { "stats-update-interval", "Statistics update interval",
      "Interval of tfrc-stats messages in milliseconds; 0 means no messages", PLAYING,
      UINT (0, MAX_TIME_MS, 0), FIELD (stats_interval_ms), .changed = apply_limits },
  { "estimated-bitrate", "Estimated bitrate",
      "Rate that an encoder can be given now, in bit/s of transport stream", NEVER,
      UINT64 (0, G_MAXUINT64, 0), .get = get_estimated_bitrate },
  { "sdp", "SDP", "Description of the stream for RTP players; none for a stream with keys", NEVER,
      STRING (NULL), .get = get_sdp },
  { "stats", "Statistics", "Statistics of the stream so far", NEVER, BOXED (gst_structure_get_type),
      .get = get_stats },
  { .name = NULL },
};
