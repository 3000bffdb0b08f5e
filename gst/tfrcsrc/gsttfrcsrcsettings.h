/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsrc: those properties that are fields, see gsttfrcsrcproperties.c. */
#ifndef GST_TFRC_SRC_SETTINGS_H
#define GST_TFRC_SRC_SETTINGS_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../session/securityelement.h"
#include "../session/srcstream.h"

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
  guint history_length;
  gint profile;              /* GstTfrcProfile */
  gint loss_interval_method; /* TfrcLossIntervalMethod */
  gint loss_classifier;      /* TfrcLossClassifier */
  gint rto_policy;           /* TfrcRtoPolicy */
  gboolean auto_handover;
  gint handover_mode; /* TfrcHandoverMode */
  guint stats_interval_ms;
  GstTfrcSecuritySettings security;
} GstTfrcSrcSettings;

/** Fills in @a limits. */
void gst_tfrc_src_settings_get_limits (
    const GstTfrcSrcSettings *settings, GstTfrcSrcStreamLimits *limits);

/** Fills in @a receiver, from the settings and from TFRC's defaults. */
void gst_tfrc_src_settings_get_receiver (
    const GstTfrcSrcSettings *settings, TfrcReceiverConfig *receiver);

G_END_DECLS
#endif
