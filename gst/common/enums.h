/* Types of the library as types of properties and messages */
#ifndef GST_TFRC_ENUMS_H
#define GST_TFRC_ENUMS_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

G_BEGIN_DECLS

/** TfrcHandoverPhase, TfrcHandoverMode */
#define GST_TYPE_TFRC_HANDOVER_PHASE (gst_tfrc_handover_phase_get_type ())
GType gst_tfrc_handover_phase_get_type (void);
#define GST_TYPE_TFRC_HANDOVER_MODE (gst_tfrc_handover_mode_get_type ())
GType gst_tfrc_handover_mode_get_type (void);

#define GST_TYPE_TFRC_RTO_POLICY (gst_tfrc_rto_policy_get_type ())
GType gst_tfrc_rto_policy_get_type (void);

/** Returns the name of the phase, as in stats: "normal" and so on. */
const gchar *gst_tfrc_handover_phase_to_string (TfrcHandoverPhase phase);

G_END_DECLS
#endif
