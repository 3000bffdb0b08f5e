/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations of the library as GTypes, for properties, signals and messages */
#ifndef GST_TFRC_ENUMS_H
#define GST_TFRC_ENUMS_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

G_BEGIN_DECLS

/** The GTypes of the enumerations of <tfrc/tfrc.h>.  Any thread. */
#define GST_TYPE_TFRC_HANDOVER_PHASE (gst_tfrc_handover_phase_get_type ())
GType gst_tfrc_handover_phase_get_type (void);
#define GST_TYPE_TFRC_HANDOVER_MODE (gst_tfrc_handover_mode_get_type ())
GType gst_tfrc_handover_mode_get_type (void);
#define GST_TYPE_TFRC_RTT_METHOD (gst_tfrc_rtt_method_get_type ())
GType gst_tfrc_rtt_method_get_type (void);
#define GST_TYPE_TFRC_RTO_POLICY (gst_tfrc_rto_policy_get_type ())
GType gst_tfrc_rto_policy_get_type (void);

#define GST_TYPE_TFRC_MODEL (gst_tfrc_model_get_type ())
GType gst_tfrc_model_get_type (void);
#define GST_TYPE_TFRC_LOSS_RESPONSE (gst_tfrc_loss_response_get_type ())
GType gst_tfrc_loss_response_get_type (void);
#define GST_TYPE_TFRC_LOSS_INTERVAL_METHOD (gst_tfrc_loss_interval_method_get_type ())
GType gst_tfrc_loss_interval_method_get_type (void);
#define GST_TYPE_TFRC_LOSS_CLASSIFIER (gst_tfrc_loss_classifier_get_type ())
GType gst_tfrc_loss_classifier_get_type (void);

/** Which end calls the other one, for both elements. By srtsink's names */
typedef enum
{
  GST_TFRC_MODE_CALLER,
  GST_TFRC_MODE_LISTENER
} GstTfrcMode;

GType gst_tfrc_mode_get_type (void);

/** Returns the nick of a value of an enumeration, as in properties and `stats': "normal" and so on.
 * "unknown": the enumeration has no such value.  The text belongs to the type.  Any thread. */
const gchar *gst_tfrc_enum_get_nick (GType type, gint value);

G_END_DECLS
#endif
