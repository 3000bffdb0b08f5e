/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports handovers to the application: signals and messages of both elements */
#ifndef GST_TFRC_HANDOVERSIGNALS_H
#define GST_TFRC_HANDOVERSIGNALS_H

#include <gst/gst.h>

#include "../common/events.h"

G_BEGIN_DECLS

/** Adds the signals `handover-started', `handover-phase' and
 * `handover-completed' to the class of an element. */
void gst_tfrc_handover_install_signals (GType type);

/** Emits the signal of @a event and posts the message. Runs the application's code, so that no lock
 * may be held. */
void gst_tfrc_handover_report (GstElement *element, const GstTfrcHandoverEvent *event);

G_END_DECLS
#endif
