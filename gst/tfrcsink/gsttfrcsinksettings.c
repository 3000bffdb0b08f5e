/* The properties of tfrcsink, see gsttfrcsinksettings.h. */
#include "gsttfrcsinksettings.h"

#include "../common/enums.h"
#include "../common/uri.h"

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_MAX_QUEUE_TIME_MS 2000
#define DEFAULT_MAX_QUEUE_PACKETS 4096
#define DEFAULT_DRAIN_TIMEOUT_MS 10000
#define MAX_TIME_MS (24 * 3600 * 1000)
#define MAX_BITRATE G_GUINT64_CONSTANT (1000000000000)
/* As late as a busy machine wakes a thread, and less than what a short queue in the network takes */
#define DEFAULT_BURST_LIMIT_MS 10

#define OFFSET(field) G_STRUCT_OFFSET (GstTfrcSinkSettings, field)

const GstTfrcSetting gst_tfrc_sink_settings[] = { { "host", OFFSET (host) },
  { "port", OFFSET (port) }, { "bind-address", OFFSET (bind_address) },
  { "bind-port", OFFSET (bind_port) }, { "ttl", OFFSET (ttl) }, { "qos-dscp", OFFSET (qos_dscp) },
  { "buffer-size", OFFSET (buffer_size) }, { "min-bitrate", OFFSET (min_bitrate) },
  { "max-bitrate", OFFSET (max_bitrate) }, { "start-bitrate", OFFSET (start_bitrate) },
  { "burst-limit", OFFSET (burst_limit_ms) }, { "queue-guard", OFFSET (queue_guard) },
  { "rto-policy", OFFSET (rto_policy) }, { "rate-scale", OFFSET (rate_scale) },
  { "smoothing-time", OFFSET (smoothing_time_ms) }, { "allow-migration", OFFSET (allow_migration) },
  { "force-key-unit", OFFSET (force_key_unit) }, { "max-queue-time", OFFSET (max_queue_time_ms) },
  { "max-queue-packets", OFFSET (max_queue_packets) }, { "leaky", OFFSET (leaky) },
  { "drain-timeout", OFFSET (drain_timeout_ms) },
  { "stats-update-interval", OFFSET (stats_interval_ms) }, { NULL, 0 } };

#define GST_TYPE_TFRC_SINK_LEAKY (gst_tfrc_sink_leaky_get_type ())
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

#define GST_TYPE_TFRC_ALLOW_MIGRATION (gst_tfrc_allow_migration_get_type ())
static GType
gst_tfrc_allow_migration_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_ALLOW_MIGRATION_NEVER, "Never", "never" },
    { GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED, "If the stream is authenticated (which none is yet)",
        "authenticated" },
    { GST_TFRC_ALLOW_MIGRATION_ALWAYS, "Always", "always" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcAllowMigration", values));
  return type;
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)
#define PLAYING (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define READABLE (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

void
gst_tfrc_sink_settings_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_URI,
      g_param_spec_string ("uri", "URI",
          "tfrc://host:port?key=value, with names of properties as keys",
          "tfrc://" DEFAULT_HOST ":5004", READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_HOST,
      g_param_spec_string ("host", "Host", "Name or address of the receiver", DEFAULT_HOST, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_PORT,
      g_param_spec_int (
          "port", "Port", "UDP port of the receiver", 1, 65535, GST_TFRC_DEFAULT_PORT, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_BIND_ADDRESS,
      g_param_spec_string ("bind-address", "Bind address",
          "Address to send from (default: chosen by the system)", NULL, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_BIND_PORT,
      g_param_spec_int ("bind-port", "Bind port", "UDP port to send from (0 = any free one)", 0,
          65535, 0, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_TTL,
      g_param_spec_int ("ttl", "TTL",
          "Time to live, or hop limit, of packets (-1 = system default)", -1, 255, -1, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_QOS_DSCP,
      g_param_spec_int ("qos-dscp", "QoS DSCP",
          "Differentiated services code point (-1 = system default)", -1, 63, -1, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_BUFFER_SIZE,
      g_param_spec_int ("buffer-size", "Buffer size",
          "Size of the kernel's send buffer in bytes (0 = system default)", 0, G_MAXINT, 0, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_MIN_BITRATE,
      g_param_spec_uint64 ("min-bitrate", "Minimum bitrate",
          "The rate never falls below this many bit/s, which is not "
          "TCP-friendly (0 = one packet in 64 seconds)",
          0, MAX_BITRATE, 0, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_MAX_BITRATE,
      g_param_spec_uint64 ("max-bitrate", "Maximum bitrate",
          "The rate never rises above this many bit/s (0 = no limit)", 0, MAX_BITRATE, 0, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_START_BITRATE,
      g_param_spec_uint64 ("start-bitrate", "Start bitrate",
          "Rate in bit/s once the round-trip time is known "
          "(0 = as RFC 3390 says)",
          0, MAX_BITRATE, 0, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_BURST_LIMIT,
      g_param_spec_uint ("burst-limit", "Burst limit",
          "Send at most what the rate gives in this many milliseconds at once, "
          "after less was sent than allowed (0 = one round-trip time, the most "
          "that RFC 5348 allows)",
          0, MAX_TIME_MS, DEFAULT_BURST_LIMIT_MS, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_QUEUE_GUARD,
      g_param_spec_boolean ("queue-guard", "Queue guard",
          "While the path's queue grows, send no more than it delivers", TRUE, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_RTO_POLICY,
      g_param_spec_enum ("rto-policy", "RTO policy",
          "What TCP's retransmission timeout is taken for in the throughput "
          "equation; R is the round-trip time, D its variation",
          GST_TYPE_TFRC_RTO_POLICY, TFRC_RTO_POLICY_4R, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_RATE_SCALE,
      g_param_spec_double ("rate-scale", "Rate scale",
          "Factor on the rate of the throughput equation, for experiments: "
          "above 1 it is not TCP-friendly",
          0.01, 100, 1, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_SMOOTHING_TIME,
      g_param_spec_uint ("smoothing-time", "Smoothing time",
          "Spread packets over so many milliseconds, as far as TFRC allows; "
          "less than max-queue-time (0 = send as soon as TFRC allows)",
          0, MAX_TIME_MS, 0, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_ALLOW_MIGRATION,
      g_param_spec_enum ("allow-migration", "Allow migration",
          "When the receiver may move to another address", GST_TYPE_TFRC_ALLOW_MIGRATION,
          GST_TFRC_ALLOW_MIGRATION_NEVER, READY));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_FORCE_KEY_UNIT,
      g_param_spec_boolean ("force-key-unit", "Force key unit",
          "Ask the encoder for a key unit when the receiver has moved or changed "
          "links",
          FALSE, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_MAX_QUEUE_TIME,
      g_param_spec_uint ("max-queue-time", "Maximum queue time",
          "How long packets may wait to be sent, in milliseconds; input that is "
          "not live is late rather than dropped if leaky is no (0 = no limit)",
          0, MAX_TIME_MS, DEFAULT_MAX_QUEUE_TIME_MS, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_MAX_QUEUE_PACKETS,
      g_param_spec_uint ("max-queue-packets", "Maximum queue packets",
          "How many packets may wait to be sent", 1, G_MAXINT, DEFAULT_MAX_QUEUE_PACKETS, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_LEAKY,
      g_param_spec_enum ("leaky", "Leaky", "What gives way when the queue is full",
          GST_TYPE_TFRC_SINK_LEAKY, GST_TFRC_LEAKY_NONE, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_DRAIN_TIMEOUT,
      g_param_spec_uint ("drain-timeout", "Drain timeout",
          "How long the end of the stream waits until all is sent, in "
          "milliseconds",
          0, MAX_TIME_MS, DEFAULT_DRAIN_TIMEOUT_MS, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_STATS_UPDATE_INTERVAL,
      g_param_spec_uint ("stats-update-interval", "Statistics update interval",
          "Interval of tfrc-stats messages in milliseconds (0 = none)", 0, MAX_TIME_MS, 0,
          PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_ESTIMATED_BITRATE,
      g_param_spec_uint64 ("estimated-bitrate", "Estimated bitrate",
          "The rate that the network allows now, in bit/s of transport stream", 0, G_MAXUINT64, 0,
          READABLE));
  g_object_class_install_property (klass, GST_TFRC_SINK_PROP_STATS,
      g_param_spec_boxed (
          "stats", "Statistics", "What has been measured so far", GST_TYPE_STRUCTURE, READABLE));
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_ALLOW_MIGRATION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SINK_LEAKY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_RTO_POLICY, 0);
}

void
gst_tfrc_sink_settings_get_limits (const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits)
{
  limits->min_bitrate = settings->min_bitrate;
  limits->max_bitrate = settings->max_bitrate;
  limits->max_queue_packets = settings->max_queue_packets;
  limits->max_queue_time_ns = settings->max_queue_time_ms * GST_MSECOND;
  limits->leaky = (GstTfrcLeaky) settings->leaky;
  limits->stats_interval_ns = settings->stats_interval_ms * GST_MSECOND;
}
