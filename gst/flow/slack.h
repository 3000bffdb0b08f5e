/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long after it was due a packet may leave, and still be played in time: the player's delay less the
 * queueing on the path.
 *
 * The receiver tells both (playout.h). Where it does not tell the queueing, the newest R_sample less the
 * least of the path stands in for it, which errs to the safe side, because feedback may have queued, too.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SLACK_H
#define GST_TFRC_SLACK_H

#include "sendsession.h"

G_BEGIN_DECLS

/** For slack.c alone; all zero: nothing is known */
typedef struct
{
  guint64 least_rtt_ns; /* R_min of this path; 0: no sample yet */
  guint64 path;         /* changes with the path */
} GstTfrcSlack;

/** Returns the slack in ns as it is now; 0: no delay of a player is known.
 * @param told by the receiver
 * @param delay_ns the player's delay, where the receiver tells none; 0: unknown */
guint64 gst_tfrc_slack_update (
    GstTfrcSlack *self, GstTfrcSendSession *session, const GstTfrcPlayout *told, guint64 delay_ns);

G_END_DECLS
#endif
