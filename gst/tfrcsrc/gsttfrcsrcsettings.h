/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsrc: those properties that are fields, see gsttfrcsrcproperties.c. */
#ifndef GST_TFRC_SRC_SETTINGS_H
#define GST_TFRC_SRC_SETTINGS_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../keys/securityelement.h"
#include "../stream/srcstream.h"

G_BEGIN_DECLS

/** Units are those of the properties, or stand in the name. */
typedef struct
{
  gchar *address;
  gint port;
  gchar *sender_address; /* NULL: every sender */
  gint buffer_size;
  guint latency_ms;
  guint64 max_size_time;
  guint64 timeout;
  gboolean keep_listening;
  gint profile;      /* GstTfrcProfile */
  gchar *experiment; /* see experiment.h; NULL: none */
  gboolean auto_handover;
  gchar *trace_location; /* NULL: that of the environment */
  guint stats_interval_ms;
  GstTfrcSecuritySettings security;
} GstTfrcSrcSettings;

/** Fills in @a limits. */
void gst_tfrc_src_settings_get_limits (
    const GstTfrcSrcSettings *settings, GstTfrcSrcStreamLimits *limits);

/** Fills in @a receiver, from the settings and from TFRC's defaults.  Returns FALSE with @a error,
 * which may be NULL, if `experiment' is wrong; @a receiver is then as without it. */
gboolean gst_tfrc_src_settings_get_receiver (
    const GstTfrcSrcSettings *settings, TfrcReceiverConfig *receiver, GError **error);

G_END_DECLS
#endif
