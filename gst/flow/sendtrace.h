/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of what a flow sends, for its trace (../common/streamtrace.h). */
#ifndef GST_TFRC_SENDTRACE_H
#define GST_TFRC_SENDTRACE_H

#include "../common/streamtrace.h"
#include "../queue/outbox.h"
#include "ratecontrol.h"

G_BEGIN_DECLS

/** Adds a sample of the packets that wait, and of what has left, if one is due. */
void gst_tfrc_send_trace_sample (GstTfrcQueueTrace *trace, const GstTfrcOutbox *outbox,
    const GstTfrcRateControl *control, guint64 now_ns);

G_END_DECLS
#endif
