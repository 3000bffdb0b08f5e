/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handovers of tfrcsrc to another link. */
#ifndef GST_TFRC_SRC_HANDOVER_H
#define GST_TFRC_SRC_HANDOVER_H

#include "gsttfrcsrcobject.h"

G_BEGIN_DECLS

/** Adds the signals of handovers. */
void gst_tfrc_src_handover_install (GstTfrcSrcClass *klass);

/** To be called after the stream has started, and before it stops. */
void gst_tfrc_src_handover_start (GstTfrcSrc *self);
void gst_tfrc_src_handover_stop (GstTfrcSrc *self);

/** Begins a handover if the kernel's route to the sender has changed and `auto-handover' is set.
 * Any thread that may wait. */
void gst_tfrc_src_handover_follow_route (GstTfrcSrc *self);

/** Closes the old socket of a migration, which is idle.  Any thread that may wait. */
void gst_tfrc_src_handover_close_old_socket (GstTfrcSrc *self);

G_END_DECLS
#endif
