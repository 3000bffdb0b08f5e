/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for repairs that come to a sender (RFC 4585 section 6.2.1): from the receiver alone, whose feedback
 * controls the rate, and from its address. What they may cause is bounded by the store of the outbox
 * (gst/queue/repairstore.h).
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDREPAIRS_H
#define GST_TFRC_SENDREPAIRS_H

#include "../queue/outbox.h"
#include "sendsession.h"

G_BEGIN_DECLS

/** Numbers of one datagram that are looked at, at most. A receiver of this project asks for 272 at most. */
#define GST_TFRC_SEND_REPAIRS_MAX_NUMBERS 512

/** Queues the repairs that an RTCP compound asks for.
 * @return TRUE if the receiver has asked for packets of this stream */
gboolean gst_tfrc_send_repairs_on_rtcp (
    GstTfrcSendSession *session, GstTfrcOutbox *outbox, const GstTfrcReceivedPacket *packet);

G_END_DECLS
#endif
