/* TfrcRtoPolicy as the type of a property, which both elements have */
#ifndef TFRC_RTO_POLICY_H
#define TFRC_RTO_POLICY_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

G_BEGIN_DECLS

#define GST_TYPE_TFRC_RTO_POLICY (gst_tfrc_rto_policy_get_type ())
GType gst_tfrc_rto_policy_get_type (void);

G_END_DECLS
#endif
