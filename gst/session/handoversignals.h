/* Tells the application of handovers: signals and messages of both elements */
#ifndef GST_TFRC_HANDOVERSIGNALS_H
#define GST_TFRC_HANDOVERSIGNALS_H

#include <gst/gst.h>

#include "handoverlog.h"

G_BEGIN_DECLS

/** Adds the signals `handover-started', `handover-phase' and
 * `handover-completed' to the class of an element. */
void gst_tfrc_handover_install_signals (GType type);

/** Emits the signal and posts the message.  Runs the application's code. */
void gst_tfrc_handover_tell (GstElement *element, const GstTfrcHandoverEvent *news);

G_END_DECLS
#endif
