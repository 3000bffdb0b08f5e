/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's stream and the process's memory of paths (gst/port/pathmemory.h): what it begins with, and
 * what it leaves. */
#ifndef GST_TFRC_PATHRECALL_H
#define GST_TFRC_PATHRECALL_H

#include "../flow/sendflow.h"
#include "../port/port.h"

G_BEGIN_DECLS

/** Sets what is remembered of the path from this socket to @a peer.  Without a memory @a rate stays. */
void gst_tfrc_path_recall (
    const GstTfrcEndpoint *socket, const GstTfrcAddress *peer, GstTfrcSinkRateConfig *rate);

/** Remembers what the flow has proven of the path to its receiver.  The port does not run any more, or
 * its lock is held. */
void gst_tfrc_path_remember (GstTfrcPort *port, GstTfrcSendFlow *flow);

G_END_DECLS
#endif
