/* What the two files of a session share: sinksession.c has data, reports and
 * timers, sinkpeer.c has what the receiver says.  Not for others. */
#ifndef GST_TFRC_SINKSESSION_PRIVATE_H
#define GST_TFRC_SINKSESSION_PRIVATE_H

#include "sinksession.h"

G_BEGIN_DECLS

/* The receiver has left in the middle of a handover. */
void gst_tfrc_sink_session_end_handover (GstTfrcSinkSession *session, guint64 now_ns);

G_END_DECLS
#endif
