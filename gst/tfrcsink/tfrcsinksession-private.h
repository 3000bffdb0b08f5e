/* What the two files of a session share: tfrcsinksession.c has data, reports and
 * timers, tfrcsinkpeer.c has what the receiver says.  Not for others. */
#ifndef TFRC_SINK_SESSION_PRIVATE_H
#define TFRC_SINK_SESSION_PRIVATE_H

#include "tfrcsinksession.h"

G_BEGIN_DECLS

/* The receiver has left in the middle of a handover. */
void tfrc_sink_session_end_handover (TfrcSinkSession *session, guint64 now_ns);

G_END_DECLS
#endif
