/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow has sent and its receiver may still ask for, and which requests it serves (RFC 4588, RFC
 * 4585 section 6.2.1).
 *
 * A packet is kept, by reference, for as long as a repair of it can be in time: the player's delay and R after
 * it was due, but no longer than GST_TFRC_REPAIR_STORE_AHEAD_NS and R for what runs ahead. A receiver that tells
 * no delay takes packets as they come: there the time begins when the packet has left, if that was later. Of what
 * is asked for, a packet is sent again unless
 *
 *     it is gone         it left too long ago, or was pushed out by the bound on bytes
 *     it is too soon     its last repair may still be under way
 *     it is late         no repair can be in time any more
 *     it is too much     for one of the two budgets below
 *
 * A request is only as true as the receiver that sends it. Repairs take their bytes from what TFRC allows;
 * the budgets bound what they take from new data, whatever is asked for:
 *
 *     a quarter of the rate at which packets leave
 *     twice the packets that the receiver has reported as lost, which lowers that rate, and one for each R
 *
 * No lock and no clock. */
#ifndef GST_TFRC_REPAIRSTORE_H
#define GST_TFRC_REPAIRSTORE_H

#include "outgoing.h"

G_BEGIN_DECLS

/** Packets that are kept at most: RTP numbers of 16 bits tell no more apart. */
#define GST_TFRC_REPAIR_STORE_MAX_PACKETS 32768

/** The part of the rate that repairs may have. With more, a movie that needs the rate would suffer more from
 * its repairs than from its losses. */
#define GST_TFRC_REPAIR_STORE_SHARE 0.25

/** Repairs that may leave before any loss has been reported: a request comes at the first gap, the report of
 * the loss with the next feedback. */
#define GST_TFRC_REPAIR_STORE_FREE 16

/** The most repairs that reported losses allow at once: an outage is not repaired for minutes after it. */
#define GST_TFRC_REPAIR_STORE_MAX_CREDIT 512

/** What runs ahead is kept for this time and R after it has left, although its repair would be in time for
 * longer: four repairs and more fit into 2 s on any usual path, and more would only take memory. */
#define GST_TFRC_REPAIR_STORE_AHEAD_NS (2 * G_GUINT64_CONSTANT (1000000000))

/** For repairstore.c alone */
typedef struct
{
  GstTfrcPacket *packet; /* a reference; NULL: a number that has not left */
  guint64 due_ns, left_ns;
  guint64 again_ns; /* a repair may be sent from then on; G_MAXUINT64: one waits to leave */
} GstTfrcStoredPacket;

typedef struct
{
  guint64 requested;   /**< numbers that requests have asked for */
  guint64 sent;        /**< repairs that have left */
  guint64 gone;        /**< refused: not kept (any more) */
  guint64 too_soon;    /**< refused: the last repair may be under way */
  guint64 late;        /**< refused: it could not be in time */
  guint64 over_budget; /**< refused */
  guint64 dropped;     /**< repairs that waited, but could not leave in time */
  gsize bytes;         /**< of memory that is kept */
} GstTfrcRepairStoreStats;

/** What is known of the receiver; all zero: nothing */
typedef struct
{
  gboolean tells_playout;
  guint64 playout_ns; /**< L: the player's delay, as told or assumed */
  guint64 rtt_ns;     /**< R; 0: unknown */
  guint64 again_ns;   /**< a repair is not asked for again in earnest before: R + 4 RTTVAR */
  guint64 lost;       /**< packets, as it reports them; falls when another receiver begins */
  gdouble rate_Bps;   /**< at which packets leave */
} GstTfrcRepairReceiver;

/** For repairstore.c alone */
typedef struct
{
  GstTfrcStoredPacket *ring;      /* NULL: nothing has been kept */
  guint size;                     /* of the ring, a power of two */
  guint head, n;                  /* the oldest packet, and how many */
  guint16 first_seq;              /* of the oldest packet */
  gsize max_bytes;                /* 0: nothing is kept */
  GstTfrcRepairReceiver receiver; /* as told last */
  gboolean is_lost_known;
  gdouble credit;        /* repairs that losses and time allow */
  gdouble bytes_allowed; /* of repairs, by the rate */
  guint64 refilled_ns;   /* both budgets; 0: never */
  guint64 last_ns;       /* when a packet has left, or the newest one was tried again */
  GstTfrcRepairStoreStats stats;
} GstTfrcRepairStore;

/** All zero is a store that keeps nothing. Frees all that is kept. */
void gst_tfrc_repair_store_clear (GstTfrcRepairStore *self);

/** @param max_bytes of memory; 0: nothing is kept */
void gst_tfrc_repair_store_set_limit (GstTfrcRepairStore *self, gsize max_bytes);

void gst_tfrc_repair_store_set_receiver (
    GstTfrcRepairStore *self, const GstTfrcRepairReceiver *receiver);

/** A packet of the movie has left. Takes a reference.
 * @param seq its RTP number, which follows that of the packet before unless numbers were given up
 * @param due_ns when it was, or is, due */
void gst_tfrc_repair_store_on_left (
    GstTfrcRepairStore *self, guint16 seq, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns);

/** The receiver asks for a packet. Counts it.
 * @param due_ns set to when the packet was due
 * @return a reference for the repair that is to be queued now; NULL: none */
GstTfrcPacket *gst_tfrc_repair_store_take (
    GstTfrcRepairStore *self, guint16 seq, guint64 now_ns, guint64 *due_ns);

/** Where the stream ends for now */
typedef struct
{
  guint64 last_ns; /**< when the last packet has left */
  guint64 end_ns;  /**< no repair of the newest packet can be in time from then on */
} GstTfrcRepairTail;

/** Finds what a receiver that asks for repairs cannot know to be missing: no packet has come behind it.
 * @return FALSE: nothing is kept, or the receiver has never asked */
gboolean gst_tfrc_repair_store_get_tail (const GstTfrcRepairStore *self, GstTfrcRepairTail *tail);

/** Tries the newest packet again, as if the receiver had asked for it.
 * @param seq set to its RTP number
 * @return as gst_tfrc_repair_store_take() */
GstTfrcPacket *gst_tfrc_repair_store_take_newest (
    GstTfrcRepairStore *self, guint16 *seq, guint64 now_ns, guint64 *due_ns);

/** The repair of this packet has left: another may be asked for R later. Counts it. */
void gst_tfrc_repair_store_on_repaired (GstTfrcRepairStore *self, guint16 seq, guint64 now_ns);

/** The repair of this packet was dropped before it has left: another may be asked for at once, and the budgets have
 * it back. Nothing happens if it has left. Counts it. */
void gst_tfrc_repair_store_on_dropped (GstTfrcRepairStore *self, guint16 seq);

void gst_tfrc_repair_store_get_stats (
    const GstTfrcRepairStore *self, GstTfrcRepairStoreStats *stats);

G_END_DECLS
#endif
