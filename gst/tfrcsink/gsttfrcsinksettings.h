/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsink: the table of its properties, the values of those that are fields, and the
 * stream that they ask for.  The owner is an element, whose object's lock guards them. */
#ifndef GST_TFRC_SINK_SETTINGS_H
#define GST_TFRC_SINK_SETTINGS_H

#include "../common/properties.h"
#include "../common/trace.h"
#include "../keys/securityelement.h"
#include "../stream/running.h"
#include "../stream/sinkstream.h"

G_BEGIN_DECLS

/** Units are those of the properties, or stand in the name. */
typedef struct
{
  gint mode; /* GstTfrcMode */
  gchar *stream_id;
  guint max_callers;
  GstElement *listener; /* NULL: none */
  guint64 caller_id;
  gchar *host;
  gint port;
  gchar *bind_address; /* NULL: the kernel's choice */
  gint bind_port;
  gint rtcp_port;
  gboolean rist;
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
  gboolean unresponsive_receiver;
  guint64 max_bitrate;
  guint64 start_bitrate;
  guint initial_window;
  gboolean remember_rate;
  guint burst_limit_ms;
  gboolean queue_guard;
  gint tcp_model;    /* TfrcModel */
  gint profile;      /* GstTfrcProfile */
  gint open_profile; /* of the stream that runs, or that is opened; no property */
  gchar *experiment; /* see experiment.h; NULL: none */
  guint smoothing_time_ms;
  gint allow_migration; /* GstTfrcAllowMigration */
  gboolean force_key_unit;
  gboolean drop_null_ts_packets;
  guint lookahead_ms;
  guint max_queue_time_ms;
  guint max_queue_packets;
  gint leaky; /* GstTfrcLeaky */
  gboolean deadline;
  guint playout_delay_ms;
  guint ahead_time_ms;
  gboolean do_retransmission;
  guint repair_buffer;
  gchar *fec; /* as gst_tfrc_fec_setting_parse() reads it */
  guint drain_timeout_ms;
  gint no_receiver;      /* GstTfrcNoReceiver */
  gchar *trace_location; /* NULL: that of the environment */
  guint stats_interval_ms;
  GstTfrcSecuritySettings security;
  gint cipher; /* GstTfrcCipher */
  guint rekey_interval_s;
} GstTfrcSinkSettings;

/** What in a running stream depends on a property (GstTfrcProperty.live) */
typedef enum
{
  GST_TFRC_SINK_LIVE_LIMITS = 1 << 0,  /**< gst_tfrc_sink_stream_set_limits() */
  GST_TFRC_SINK_LIVE_TTL = 1 << 1,     /**< gst_tfrc_sink_stream_set_ttl() */
  GST_TFRC_SINK_LIVE_DSCP = 1 << 2,    /**< gst_tfrc_sink_stream_set_dscp() */
  GST_TFRC_SINK_LIVE_BITRATE = 1 << 3, /**< is read: gst_tfrc_sink_stream_get_bitrate() */
  GST_TFRC_SINK_LIVE_STATS = 1 << 4,   /**< is read: the statistics */
  GST_TFRC_SINK_LIVE_CALLERS = 1 << 5  /**< gst_tfrc_sink_callers_set_max() */
} GstTfrcSinkLive;

extern const GstTfrcProperty gst_tfrc_sink_properties[];

/** Returns tfrc://host:port, or with mode=listener the local address and port, to be freed with g_free().  Object's lock held. */
gchar *gst_tfrc_sink_settings_get_uri (const GstTfrcSinkSettings *settings);

/** Copies the settings that decide the rate of the next stream.  Object's lock held.
 * @return FALSE with @a error, which may be NULL, if `experiment' is wrong; @a rate is then as without
 *   it */
gboolean gst_tfrc_sink_settings_get_rate (
    const GstTfrcSinkSettings *settings, GstTfrcSinkRateConfig *rate, GError **error);

/** Copies the settings that may change while a stream runs.  Object's lock held. */
void gst_tfrc_sink_settings_get_limits (
    const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits);

/** Opens a stream with the present settings.  Without the object's lock, on a thread that may wait: names
 * are resolved.
 * @param element whose settings they are
 * @param listener of the sink that the caller with `caller-id' waits at; NULL: the stream has a port of its own.
 *   Outside its gate, as messages are posted
 * @param trace set to the stream's trace, to be freed after the stream; NULL: none
 * @return the caller's; NULL after an error message was posted */
GstTfrcSinkStream *gst_tfrc_sink_settings_open (const GstTfrcSinkSettings *settings,
    GstElement *element, GstTfrcRunning *listener, GstTfrcSinkStreamEvents events, gpointer user,
    GstTfrcTrace **trace);

G_END_DECLS
#endif
