/* The properties of tfrcsink that are settings */
#ifndef GST_TFRC_SINK_SETTINGS_H
#define GST_TFRC_SINK_SETTINGS_H

#include "../common/settings.h"
#include "../session/sinkstream.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *host;
  gint port;
  gchar *bind_address;
  gint bind_port;
  gint ttl;
  gint qos_dscp;
  gint buffer_size;
  guint64 min_bitrate;
  guint64 max_bitrate;
  guint64 start_bitrate;
  guint burst_limit_ms;
  gboolean queue_guard;
  gint rto_policy; /* TfrcRtoPolicy */
  gdouble rate_scale;
  guint smoothing_time_ms;
  gint allow_migration; /* GstTfrcAllowMigration */
  gboolean force_key_unit;
  guint max_queue_time_ms;
  guint max_queue_packets;
  gint leaky; /* GstTfrcLeaky */
  guint drain_timeout_ms;
  guint stats_interval_ms;
} GstTfrcSinkSettings;

/** Where they lie in GstTfrcSinkSettings, for gst_tfrc_settings_set() and so on. */
extern const GstTfrcSetting gst_tfrc_sink_settings[];

/* Ids of properties */
enum
{
  GST_TFRC_SINK_PROP_URI = 1,
  GST_TFRC_SINK_PROP_HOST,
  GST_TFRC_SINK_PROP_PORT,
  GST_TFRC_SINK_PROP_BIND_ADDRESS,
  GST_TFRC_SINK_PROP_BIND_PORT,
  GST_TFRC_SINK_PROP_TTL,
  GST_TFRC_SINK_PROP_QOS_DSCP,
  GST_TFRC_SINK_PROP_BUFFER_SIZE,
  GST_TFRC_SINK_PROP_MIN_BITRATE,
  GST_TFRC_SINK_PROP_MAX_BITRATE,
  GST_TFRC_SINK_PROP_START_BITRATE,
  GST_TFRC_SINK_PROP_BURST_LIMIT,
  GST_TFRC_SINK_PROP_QUEUE_GUARD,
  GST_TFRC_SINK_PROP_RTO_POLICY,
  GST_TFRC_SINK_PROP_RATE_SCALE,
  GST_TFRC_SINK_PROP_SMOOTHING_TIME,
  GST_TFRC_SINK_PROP_ALLOW_MIGRATION,
  GST_TFRC_SINK_PROP_FORCE_KEY_UNIT,
  GST_TFRC_SINK_PROP_MAX_QUEUE_TIME,
  GST_TFRC_SINK_PROP_MAX_QUEUE_PACKETS,
  GST_TFRC_SINK_PROP_LEAKY,
  GST_TFRC_SINK_PROP_DRAIN_TIMEOUT,
  GST_TFRC_SINK_PROP_STATS_UPDATE_INTERVAL,
  GST_TFRC_SINK_PROP_ESTIMATED_BITRATE,
  GST_TFRC_SINK_PROP_STATS,
};

/** Installs all properties of the element. */
void gst_tfrc_sink_settings_install (GObjectClass *klass);

/** The settings that may change while a stream runs. */
void gst_tfrc_sink_settings_get_limits (
    const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits);

G_END_DECLS
#endif
