/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow sends beside the movie, so that the viewer gets what the path loses: packets that the receiver asks
 * for (repairstore.h), and forward error correction (fecencoder.h). Both wait in the send queue with the movie,
 * and leave when TFRC allows a packet.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_REDUNDANCY_H
#define GST_TFRC_REDUNDANCY_H

#include "fecencoder.h"
#include "repairstore.h"
#include "sendqueue.h"

G_BEGIN_DECLS

typedef struct
{
  GstTfrcFecLayout layout; /**< of the next matrix */
  guint64 sent;            /**< FEC packets that have left */
  guint64 dropped;         /**< FEC packets that could not leave in time */
} GstTfrcFecStats;

/** For redundancy.c and outbox.c alone */
typedef struct
{
  GstTfrcOutgoingPool *pool; /* of the outbox, as is the queue */
  GstTfrcSendQueue *queue;
  GstTfrcRepairStore repairs;
  GstTfrcFecEncoder encoder;
  guint64 fec_max_wait_ns;         /* of the movie, while FEC packets are queued */
  guint64 fec_completed, fec_sent; /* FEC packets */
  guint fec_waiting;               /* in the queue, or taken from there */
} GstTfrcRedundancy;

/** @param pool @param queue live longer */
void gst_tfrc_redundancy_init (
    GstTfrcRedundancy *self, GstTfrcOutgoingPool *pool, GstTfrcSendQueue *queue);
void gst_tfrc_redundancy_clear (GstTfrcRedundancy *self);

/** The receiver asks for a packet that has left: queues its repair, if there is to be one.
 * @param seq its RTP number
 * @return TRUE if a repair waits to leave */
gboolean gst_tfrc_redundancy_repair (GstTfrcRedundancy *self, guint16 seq, guint64 now_ns);

/** Queues a repair of the newest packet that has left, likewise. */
gboolean gst_tfrc_redundancy_repair_newest (GstTfrcRedundancy *self, guint64 now_ns);

/** A packet has left, of the movie or of what is sent beside it. Queues the FEC packets that are complete now. */
void gst_tfrc_redundancy_on_left (
    GstTfrcRedundancy *self, GstTfrcOutgoing *outgoing, guint64 now_ns);

void gst_tfrc_redundancy_get_fec_stats (const GstTfrcRedundancy *self, GstTfrcFecStats *stats);

G_END_DECLS
#endif
