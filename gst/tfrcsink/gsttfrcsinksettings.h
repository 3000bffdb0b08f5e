/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsink: those properties that are fields, see gsttfrcsinkproperties.c. */
#ifndef GST_TFRC_SINK_SETTINGS_H
#define GST_TFRC_SINK_SETTINGS_H

#include "../flow/sendsession.h"
#include "../keys/securityelement.h"

G_BEGIN_DECLS

/** Units are those of the properties, or stand in the name. */
typedef struct
{
  gchar *host;
  gint port;
  gchar *bind_address; /* NULL: the kernel's choice */
  gint bind_port;
  gint rtcp_port;
  gboolean transport_cc;
  gint ttl;
  gboolean adaptive_ttl;
  guint ttl_min;
  guint ttl_max;
  gdouble ttl_alpha;
  gint qos_dscp;
  gboolean ecn;
  gint buffer_size;
  guint64 min_bitrate;
  guint64 max_bitrate;
  guint64 start_bitrate;
  guint burst_limit_ms;
  gboolean queue_guard;
  gint profile;      /* GstTfrcProfile */
  gchar *experiment; /* see experiment.h; NULL: none */
  guint smoothing_time_ms;
  gint allow_migration; /* GstTfrcAllowMigration */
  gboolean force_key_unit;
  guint lookahead_ms;
  guint max_queue_time_ms;
  guint max_queue_packets;
  gint leaky; /* GstTfrcLeaky */
  guint drain_timeout_ms;
  gchar *trace_location; /* NULL: that of the environment */
  guint stats_interval_ms;
  GstTfrcSecuritySettings security;
  gint cipher; /* GstTfrcCipher */
  guint rekey_interval_s;
} GstTfrcSinkSettings;

/** Copies the settings that decide the rate of the next stream.  Returns FALSE with @a error, which
 * may be NULL, if `experiment' is wrong; @a rate is then as without it. */
gboolean gst_tfrc_sink_settings_get_rate (
    const GstTfrcSinkSettings *settings, GstTfrcSinkRateConfig *rate, GError **error);

G_END_DECLS
#endif
