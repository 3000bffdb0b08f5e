/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver asks of a sender: packets that it lacks (RFC 4585 section 6.2.1), and a picture that needs no other,
 * as it has lost one for good (section 6.3.1). Requests count from the receiver alone, whose feedback controls the
 * rate, and from its address. A receiver that does not know TFRC may ask, too, once its reports control the rate. What
 * requests may cause is bounded: by the store of the outbox (gst/queue/repairstore.h), and by keyunits.h.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDREQUESTS_H
#define GST_TFRC_SENDREQUESTS_H

#include "../common/events.h"
#include "../queue/outbox.h"
#include "keyunits.h"
#include "sendsession.h"

G_BEGIN_DECLS

/** Numbers of one datagram that are looked at, at most. A receiver of this project asks for 272 at most. */
#define GST_TFRC_SEND_REQUESTS_MAX_NUMBERS 512

/** For sendrequests.c alone */
typedef struct
{
  GstTfrcSendSession *session;
  GstTfrcOutbox *outbox;
  GstTfrcEvents *events;
  GstTfrcKeyUnits key_units;
} GstTfrcSendRequests;

/** @param events get GST_TFRC_EVENT_KEY_UNIT; all live longer than @a self */
void gst_tfrc_send_requests_init (GstTfrcSendRequests *self, GstTfrcSendSession *session,
    GstTfrcOutbox *outbox, GstTfrcEvents *events);

/** Queues the repairs that an RTCP compound asks for, and has the application asked for a key unit.
 * @return TRUE if the receiver has asked for something of this stream */
gboolean gst_tfrc_send_requests_on_rtcp (
    GstTfrcSendRequests *self, const GstTfrcReceivedPacket *packet);

G_END_DECLS
#endif
