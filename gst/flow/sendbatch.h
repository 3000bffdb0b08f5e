/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How packets of data leave a flow: batches are taken from the outbox as smoother and TFRC allow, and
 * each packet's fate is accounted for.
 *
 * Packets that did not leave go back to the outbox, so that the receiver does not take the host's
 * trouble for congestion. Their numbers: see gst_tfrc_send_media_take_back().
 *
 * No socket, no lock and no clock. */
#ifndef GST_TFRC_SENDBATCH_H
#define GST_TFRC_SENDBATCH_H

#include "../queue/outbox.h"
#include "flow.h"
#include "sendsession.h"

G_BEGIN_DECLS

/** For sendbatch.c alone */
typedef struct
{
  GstTfrcOutbox *outbox;
  GstTfrcSendSession *session;
  GstTfrcRateControl *control; /* of the session */
  guint left;                  /* batches that may still leave before the next begin */
  guint64 retry_ns;            /* no data leaves before, after an error */
  gboolean send_failed;        /* the last send failed, and not because a buffer was full */
  guint64 errors;
} GstTfrcSendBatch;

void gst_tfrc_send_batch_init (
    GstTfrcSendBatch *self, GstTfrcOutbox *outbox, GstTfrcSendSession *session);

/** Lets batches leave: as many as one turn of the flow has. */
void gst_tfrc_send_batch_begin (GstTfrcSendBatch *self);

/** Adds packets that are allowed now, GST_TFRC_POLL_DATA at most.
 * @return how many */
guint gst_tfrc_send_batch_poll (GstTfrcSendBatch *self, guint64 now_ns, GstTfrcPolled *polled);

/** Accounts for a batch.
 * @return errno, if this is the first of a run of failed sends; otherwise 0 */
gint gst_tfrc_send_batch_on_sent (
    GstTfrcSendBatch *self, const GstTfrcPolled *polled, guint64 now_ns);

/** Returns when the next packet may leave, if the flow has keys; G_MAXUINT64 if no packet waits. */
guint64 gst_tfrc_send_batch_next_ns (const GstTfrcSendBatch *self);

/** Returns when gst_tfrc_outbox_take_due() is to be called; G_MAXUINT64: never. The packets of a fast movie that become
 * due until the next wake-up go to the send queue then, together. Before R is known TFRC keeps no credit, so that one
 * packet alone could leave at each wake-up. */
guint64 gst_tfrc_send_batch_due_ns (const GstTfrcSendBatch *self);

/** Returns how many sends have failed. */
guint64 gst_tfrc_send_batch_get_errors (const GstTfrcSendBatch *self);

G_END_DECLS
#endif
