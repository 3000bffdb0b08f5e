/* The properties of tfrcsrc, see gsttfrcsrcsettings.h. */
#include "gsttfrcsrcsettings.h"

#include "../common/enums.h"
#include "../common/uri.h"

#define DEFAULT_ADDRESS "::"
#define DEFAULT_LATENCY_MS 200
#define DEFAULT_MAX_SIZE_TIME (5 * GST_SECOND)
#define DEFAULT_HISTORY_LENGTH 8
#define MAX_TIME_MS (24 * 3600 * 1000)

#define OFFSET(field) G_STRUCT_OFFSET (GstTfrcSrcSettings, field)

const GstTfrcSetting gst_tfrc_src_settings[] = { { "address", OFFSET (address) },
  { "port", OFFSET (port) }, { "sender-address", OFFSET (sender_address) },
  { "buffer-size", OFFSET (buffer_size) }, { "latency", OFFSET (latency_ms) },
  { "max-size-time", OFFSET (max_size_time) }, { "timeout", OFFSET (timeout) },
  { "keep-listening", OFFSET (keep_listening) }, { "history-length", OFFSET (history_length) },
  { "rto-policy", OFFSET (rto_policy) }, { "auto-handover", OFFSET (auto_handover) },
  { "handover-mode", OFFSET (handover_mode) },
  { "stats-update-interval", OFFSET (stats_interval_ms) }, { NULL, 0 } };

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)
#define PLAYING (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define READABLE (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

void
gst_tfrc_src_settings_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_URI,
      g_param_spec_string ("uri", "URI",
          "tfrc://address:port?key=value, with names of properties as keys",
          "tfrc://[" DEFAULT_ADDRESS "]:5004", READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_ADDRESS,
      g_param_spec_string ("address", "Address", "Address to receive on (:: = all, IPv4 and IPv6)",
          DEFAULT_ADDRESS, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_PORT,
      g_param_spec_int ("port", "Port",
          "UDP port to receive on (0 = any free one, which can be read back)", 0, 65535,
          GST_TFRC_DEFAULT_PORT, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_SENDER_ADDRESS,
      g_param_spec_string ("sender-address", "Sender address",
          "Whose packets are taken: a host, a prefix such as 192.0.2.0/24 or "
          "2001:db8::/32, or a host and port such as 192.0.2.1:5004 or "
          "[2001:db8::1]:5004, which is then asked to send at once (NULL = "
          "anybody's)",
          NULL, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_BUFFER_SIZE,
      g_param_spec_int ("buffer-size", "Buffer size",
          "Size of the kernel's receive buffer in bytes (0 = system default)", 0, G_MAXINT, 0,
          READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_LATENCY,
      g_param_spec_uint ("latency", "Latency", "How long to wait for late packets, in milliseconds",
          0, MAX_TIME_MS, DEFAULT_LATENCY_MS, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_MAX_SIZE_TIME,
      g_param_spec_uint64 ("max-size-time", "Maximum size time",
          "How much may wait for the pipeline, in nanoseconds; the oldest is "
          "dropped (0 = no limit)",
          0, G_MAXINT64, DEFAULT_MAX_SIZE_TIME, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_TIMEOUT,
      g_param_spec_uint64 ("timeout", "Timeout",
          "Post a message after so many nanoseconds without a packet "
          "(0 = never)",
          0, G_MAXINT64, 0, PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_KEEP_LISTENING,
      g_param_spec_boolean ("keep-listening", "Keep listening",
          "Wait for another stream when one has ended, instead of EOS", FALSE, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_HISTORY_LENGTH,
      g_param_spec_uint ("history-length", "History length",
          "How many loss intervals the loss event rate is averaged over; more "
          "than 8 should not be used where the stream may compete with TCP in "
          "the Internet (RFC 5348 section 5.4)",
          2, TFRC_MAX_HISTORY_LENGTH, DEFAULT_HISTORY_LENGTH, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_RTO_POLICY,
      g_param_spec_enum ("rto-policy", "RTO policy",
          "As at the sender, where it matters; here the first loss interval "
          "depends on it, with D taken as 0",
          GST_TYPE_TFRC_RTO_POLICY, TFRC_RTO_POLICY_4R, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_AUTO_HANDOVER,
      g_param_spec_boolean ("auto-handover", "Automatic handover",
          "Change to another link whenever the kernel's route to the sender "
          "does",
          FALSE, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_HANDOVER_MODE,
      g_param_spec_enum ("handover-mode", "Handover mode",
          "How the rate is adapted to another link", GST_TYPE_TFRC_HANDOVER_MODE,
          TFRC_HANDOVER_MODE_DIRECT, READY));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_STATS_UPDATE_INTERVAL,
      g_param_spec_uint ("stats-update-interval", "Statistics update interval",
          "Interval of tfrc-stats messages in milliseconds (0 = none)", 0, MAX_TIME_MS, 0,
          PLAYING));
  g_object_class_install_property (klass, GST_TFRC_SRC_PROP_STATS,
      g_param_spec_boxed (
          "stats", "Statistics", "What has been measured so far", GST_TYPE_STRUCTURE, READABLE));
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_RTO_POLICY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_HANDOVER_MODE, 0);
}
