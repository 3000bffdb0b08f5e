/* The sender's bounded buffer: packets between the pipeline and the pacer.
 * What a packet waits here is the sender's delay.  No locks: the stream that
 * owns it also locks it. */
#ifndef TFRC_PACKET_QUEUE_H
#define TFRC_PACKET_QUEUE_H

#include <tfrc/tfrc.h>

#include "tfrctspacketizer.h"

G_BEGIN_DECLS

typedef struct
{
  GList link;                   /* in the queue, without an allocation of its own */
  guint64 due_ns;               /* target transmission time */
  guint64 queued_ns;
  guint16 size;
  guint8 data[TFRC_TS_PAYLOAD_BYTES];
} TfrcPacket;

/** Copies a payload of at most TFRC_TS_PAYLOAD_BYTES. */
TfrcPacket *tfrc_packet_new (const guint8 * data, gsize size, guint64 due_ns,
    guint64 now_ns);
void tfrc_packet_free (TfrcPacket * packet);

typedef struct
{
  GQueue packets;               /* of TfrcPacket, oldest first */
  gsize bytes;
  guint max_packets;
  guint64 max_time_ns;          /* the oldest waits no longer; 0: no limit */
  gdouble drain_rate_Bps;       /* at which packets leave; 0: unknown */
  TfrcSmoother *smoother;       /* says when they may leave; the owner's; NULL: at once */
} TfrcPacketQueue;

void tfrc_packet_queue_init (TfrcPacketQueue * queue);
void tfrc_packet_queue_clear (TfrcPacketQueue * queue);

void tfrc_packet_queue_push (TfrcPacketQueue * queue, TfrcPacket * packet);

/** Gives back a packet that could not be sent: it becomes the oldest again. */
void tfrc_packet_queue_push_back (TfrcPacketQueue * queue, TfrcPacket * packet);

/** Returns the oldest, now the caller's, or NULL. */
TfrcPacket *tfrc_packet_queue_pop (TfrcPacketQueue * queue);

guint tfrc_packet_queue_length (const TfrcPacketQueue * queue);

/** From when the smoother lets the oldest leave; G_MAXUINT64 if there is none. */
guint64 tfrc_packet_queue_next_ns (const TfrcPacketQueue * queue);

/** How long the oldest has been waiting, 0 if there is none. */
guint64 tfrc_packet_queue_age_ns (const TfrcPacketQueue * queue,
    guint64 now_ns);

/** Is one of the limits reached? */
gboolean tfrc_packet_queue_is_full (const TfrcPacketQueue * queue,
    guint64 now_ns);

/** Is the oldest packet older than the limit of time allows? */
gboolean tfrc_packet_queue_is_overdue (const TfrcPacketQueue * queue,
    guint64 now_ns);

/** Would a new packet, at the rate at which they leave now, wait longer than the
 * limit of time allows?  FALSE while that rate is not known. */
gboolean tfrc_packet_queue_is_backlogged (const TfrcPacketQueue * queue);

/** Is there so much room again that waking the producer pays? */
gboolean tfrc_packet_queue_is_low (const TfrcPacketQueue * queue,
    guint64 now_ns);

G_END_DECLS
#endif
