/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue: packets that have come from the pipeline and may not leave yet. The queue is
 * bounded in packets and in time, and decides what happens at a limit; docs/rules.md, "A full queue
 * of the sink", has the rules.
 *
 * The queue has no lock: the stream that owns the queue locks. */
#ifndef GST_TFRC_SENDQUEUE_H
#define GST_TFRC_SENDQUEUE_H

#include <tfrc/tfrc.h>

#include "outgoing.h"

G_BEGIN_DECLS

/** The response to a full queue */
typedef enum
{
  GST_TFRC_LEAKY_NONE,      /**< the pipeline waits */
  GST_TFRC_LEAKY_UPSTREAM,  /**< the new packet is dropped */
  GST_TFRC_LEAKY_DOWNSTREAM /**< the oldest packet is dropped */
} GstTfrcLeaky;

/** The condition for a new packet to be queued */
typedef enum
{
  GST_TFRC_ADMIT,       /**< nothing */
  GST_TFRC_ADMIT_LATER, /**< the pipeline waits until packets have left */
  GST_TFRC_DROP_NEW,    /**< the new packet is not queued at all */
  GST_TFRC_DROP_OLDEST  /**< the oldest packet is dropped, then the caller asks again */
} GstTfrcAdmission;

typedef struct
{
  GQueue packets; /* of GstTfrcOutgoing, oldest first */
  gsize bytes;    /* of payload */
  guint max_packets;
  guint64 max_time_ns; /* the longest time that a packet may wait; 0: no limit */
  GstTfrcLeaky leaky;
  gboolean live;                   /* the input goes on while the pipeline is stopped */
  gboolean absent;                 /* there is no receiver */
  gboolean has_deadline;           /* who has the queue drops what cannot be in time (deadline.h) */
  gdouble drain_rate_Bps;          /* the rate at which packets leave; 0: unknown */
  gboolean drain_rate_is_measured; /* the rate follows from feedback */
  guint64 used_until_ns;           /* sending time is unused since then; G_MAXUINT64: none is */
  guint64 most_credit_ns;          /* so much unused time can be made up for; 0: none */
  TfrcSmoother *smoother; /* spreads packets that are due over time; the owner's; NULL: none */
} GstTfrcSendQueue;

void gst_tfrc_send_queue_init (GstTfrcSendQueue *queue);

/** Drops all packets. The limits stay. */
void gst_tfrc_send_queue_clear (GstTfrcSendQueue *queue);

/** Appends a packet and takes over the entry, whose queued_ns and due_ns are set. */
void gst_tfrc_send_queue_push (GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing);

/** Adds a repair, whose queued_ns and due_ns are set, before new packets that are due at the same time or
 * later, and behind those that have a number. Takes over the entry. */
void gst_tfrc_send_queue_push_repair (GstTfrcSendQueue *queue, GstTfrcOutgoing *repair);

/** Gives back a packet that did not leave: the packet becomes the oldest again. Takes over the
 * entry. */
void gst_tfrc_send_queue_push_back (GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing);

/** Takes the oldest packet.
 * @return the entry, now the caller's; NULL if the queue is empty */
GstTfrcOutgoing *gst_tfrc_send_queue_pop (GstTfrcSendQueue *queue);

/** Takes the oldest packet that may be dropped: one that has a number leaves, or the receiver would take the number for a
 * loss.
 * @return the entry, now the caller's; NULL if there is none */
GstTfrcOutgoing *gst_tfrc_send_queue_take_oldest (GstTfrcSendQueue *queue);

/** Return the packets in the order in which they leave, still the queue's; NULL: no more. */
GstTfrcOutgoing *gst_tfrc_send_queue_first (const GstTfrcSendQueue *queue);
GstTfrcOutgoing *gst_tfrc_send_queue_last (const GstTfrcSendQueue *queue);
GstTfrcOutgoing *gst_tfrc_send_queue_next (GstTfrcOutgoing *outgoing);

/** Takes a packet out, wherever it is. The entry is the caller's. */
void gst_tfrc_send_queue_remove (GstTfrcSendQueue *queue, GstTfrcOutgoing *outgoing);

guint gst_tfrc_send_queue_length (const GstTfrcSendQueue *queue);

/** Returns the bytes of payload that wait. */
gsize gst_tfrc_send_queue_get_bytes (const GstTfrcSendQueue *queue);

/** Returns the rate at which packets leave, as feedback shows it; 0: there was none. */
gdouble gst_tfrc_send_queue_get_rate_Bps (const GstTfrcSendQueue *queue);

/** Returns for how long packets may leave at twice that rate, to make up for unused sending time. */
guint64 gst_tfrc_send_queue_get_credit_ns (const GstTfrcSendQueue *queue, guint64 now_ns);

/** Returns the time from which the smoother lets the oldest packet leave; G_MAXUINT64 if the queue
 * is empty. */
guint64 gst_tfrc_send_queue_next_ns (const GstTfrcSendQueue *queue);

/** Returns how long a packet of this queue has been waiting. The wait begins when the packet is
 * queued, and not before the packet is due. For live input the wait begins when the packet is due, because live input also waits in
 * front of a stopped pipeline. */
guint64 gst_tfrc_send_queue_wait_ns (
    const GstTfrcSendQueue *queue, const GstTfrcOutgoing *outgoing, guint64 now_ns);

/** Returns how long the oldest packet has been waiting, repairs apart; 0 if there is none. */
guint64 gst_tfrc_send_queue_age_ns (const GstTfrcSendQueue *queue, guint64 now_ns);

/** Returns when the oldest packet that may be dropped has to be dropped because max_time_ns has passed; G_MAXUINT64 if
 * there is none, or the queue drops no packets for their age. */
guint64 gst_tfrc_send_queue_expiry_ns (const GstTfrcSendQueue *queue);

/** Drops all packets that have to be dropped by now.
 * @return the number of packets dropped, repairs apart */
guint gst_tfrc_send_queue_drop_overdue (GstTfrcSendQueue *queue, guint64 now_ns);

/** Says what a new packet needs. Call gst_tfrc_send_queue_drop_overdue() first. */
GstTfrcAdmission gst_tfrc_send_queue_admission (const GstTfrcSendQueue *queue, guint64 now_ns);

/** Is a quarter of each limit free again? Then a streaming thread that waits is worth waking. */
gboolean gst_tfrc_send_queue_is_low (const GstTfrcSendQueue *queue, guint64 now_ns);

G_END_DECLS
#endif
