/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsrc: the table of its properties, the values of those that are fields, and the
 * stream that they ask for.  The owner is an element, whose object's lock guards them. */
#ifndef GST_TFRC_SRC_SETTINGS_H
#define GST_TFRC_SRC_SETTINGS_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../common/properties.h"
#include "../common/trace.h"
#include "../keys/securityelement.h"
#include "../stream/srcstream.h"

G_BEGIN_DECLS

/** Units are those of the properties, or stand in the name. */
typedef struct
{
  gint mode;      /* GstTfrcMode */
  gint open_mode; /* of the stream that runs, or that is opened; no property */
  gchar *stream_id;
  gchar *address;
  gint port;
  gint rtcp_port;
  gchar *sender_address; /* NULL: every sender */
  gint buffer_size;
  guint latency_ms;
  gint tell_latency;        /* GstTfrcTellLatency */
  gboolean is_synchronised; /* what gst_tfrc_src_is_synchronised() has said last; no property */
  guint ahead_time_ms;
  guint ahead_bytes;
  gboolean do_retransmission;
  gboolean request_key_unit;
  guint64 max_size_time;
  guint64 timeout;
  gboolean keep_listening;
  gboolean accept_udp_ts;
  gint profile;      /* GstTfrcProfile */
  gint open_profile; /* as open_mode */
  gchar *experiment; /* see experiment.h; NULL: none */
  gboolean auto_handover;
  gchar *trace_location; /* NULL: that of the environment */
  guint stats_interval_ms;
  GstTfrcSecuritySettings security;
} GstTfrcSrcSettings;

/** What in a running stream depends on a property (GstTfrcProperty.live) */
typedef enum
{
  GST_TFRC_SRC_LIVE_LIMITS = 1 << 0,  /**< gst_tfrc_src_stream_set_limits() */
  GST_TFRC_SRC_LIVE_LATENCY = 1 << 1, /**< the latency of the pipeline */
  GST_TFRC_SRC_LIVE_PORT = 1 << 2,    /**< is read: gst_tfrc_src_stream_get_local_port() */
  GST_TFRC_SRC_LIVE_URI = 1 << 3,     /**< is read: the URI, with this port */
  GST_TFRC_SRC_LIVE_STATS = 1 << 4    /**< is read: the statistics */
} GstTfrcSrcLive;

extern const GstTfrcProperty gst_tfrc_src_properties[];

/** Copies the settings that may change while a stream runs.  Object's lock held. */
void gst_tfrc_src_settings_get_limits (
    const GstTfrcSrcSettings *settings, GstTfrcSrcStreamLimits *limits);

/** Fills in @a receiver, from the settings and from TFRC's defaults.  Object's lock held.
 * @return FALSE with @a error, which may be NULL, if `experiment' is wrong; @a receiver is then as
 *   without it */
gboolean gst_tfrc_src_settings_get_receiver (
    const GstTfrcSrcSettings *settings, TfrcReceiverConfig *receiver, GError **error);

/** Opens a stream with the present settings.  Without the object's lock, on a thread that may wait.
 * @param element whose settings they are
 * @param trace set to the stream's trace, to be freed after the stream; NULL: none
 * @return the caller's; NULL after an error message was posted */
GstTfrcSrcStream *gst_tfrc_src_settings_open (const GstTfrcSrcSettings *settings,
    GstElement *element, GstTfrcSrcEventsFunc events, gpointer user, GstTfrcTrace **trace);

G_END_DECLS
#endif
