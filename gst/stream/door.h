/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door of a receiver that takes one stream id: a sender has to call and to name it (gst/flow/callflow.h), and
 * packets of others are dropped. The receiver chooses among those that were let in as among all senders otherwise
 * (gst/strangers/selection.h).
 *
 * Of a sender that has not proven its address nothing is kept, and of a refused one the refusal, for 5 s
 * (gst/strangers/callers.h).
 *
 * No clock. All functions with the port's lock. */
#ifndef GST_TFRC_DOOR_H
#define GST_TFRC_DOOR_H

#include "../flow/receiveflow.h"
#include "../port/port.h"

G_BEGIN_DECLS

/** Senders that are let in at a time. A receiver plays one, and another one may take over: more than these are those
 * that have gone, of which the oldest makes room. Who still sends calls again. */
#define GST_TFRC_DOOR_SENDERS 8

typedef struct _GstTfrcDoor GstTfrcDoor;

/** Calls come to the door from now on, and all else only from senders that were let in.
 * @param tenant whose flows these are
 * @param flow of the receiver, which the port has
 * @param stream_id that is taken; copied
 * @param secret random bytes that no peer can know; copied
 * @param own_ssrc of the answers
 * @return to be freed with gst_tfrc_door_free() */
GstTfrcDoor *gst_tfrc_door_new (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcReceiveFlow *flow,
    const gchar *stream_id, const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** After the port has stopped. NULL is allowed. */
void gst_tfrc_door_free (GstTfrcDoor *self);

/** Returns how many packets were dropped; 0 without a door (NULL). */
guint64 gst_tfrc_door_get_dropped (const GstTfrcDoor *self);

G_END_DECLS
#endif
