/* The sender's bounded buffer: packets between the pipeline and the pacer.  It
 * decides what happens when a limit is reached; docs/decisions.md explains the
 * rules ("max-queue-time").  It has no locks: the stream that owns the queue also
 * locks it. */
#ifndef TFRC_PACKET_QUEUE_H
#define TFRC_PACKET_QUEUE_H

#include <tfrc/tfrc.h>

#include "tfrctspacketizer.h"

G_BEGIN_DECLS

typedef struct
{
  GList link;     /* in the queue, without an allocation of its own */
  guint64 due_ns; /* target transmission time */
  guint64 queued_ns;
  guint16 size;
  guint8 data[TFRC_TS_PAYLOAD_BYTES];
} TfrcPacket;

/** Copies a payload of at most TFRC_TS_PAYLOAD_BYTES. */
TfrcPacket *tfrc_packet_new (const guint8 *data, gsize size, guint64 due_ns, guint64 now_ns);
void tfrc_packet_free (TfrcPacket *packet);

/** What to do when the buffer is full. */
typedef enum
{
  TFRC_LEAKY_NONE,      /**< the pipeline waits */
  TFRC_LEAKY_UPSTREAM,  /**< the new packet is dropped */
  TFRC_LEAKY_DOWNSTREAM /**< the oldest packet is dropped */
} TfrcLeaky;

/** What must happen before a new packet may be queued */
typedef enum
{
  TFRC_ADMIT,       /**< nothing */
  TFRC_ADMIT_LATER, /**< the pipeline waits until packets have left */
  TFRC_DROP_NEW,    /**< the new packet is not queued at all */
  TFRC_DROP_OLDEST  /**< one packet goes, then ask again */
} TfrcAdmission;

typedef struct
{
  GQueue packets; /* of TfrcPacket, oldest first */
  gsize bytes;
  guint max_packets;
  guint64 max_time_ns; /* that a packet may wait; 0: no limit */
  TfrcLeaky leaky;
  gboolean live;                   /* the input goes on while the pipeline is stopped */
  gboolean absent;                 /* there is no receiver */
  gdouble drain_rate_Bps;          /* at which packets leave; 0: unknown */
  gboolean drain_rate_is_measured; /* it follows from feedback */
  TfrcSmoother *smoother;          /* says when they may leave; the owner's; NULL: at once */
} TfrcPacketQueue;

void tfrc_packet_queue_init (TfrcPacketQueue *queue);
void tfrc_packet_queue_clear (TfrcPacketQueue *queue);

void tfrc_packet_queue_push (TfrcPacketQueue *queue, TfrcPacket *packet);

/** Gives back a packet that could not be sent: it becomes the oldest again. */
void tfrc_packet_queue_push_back (TfrcPacketQueue *queue, TfrcPacket *packet);

/** Returns the oldest, now the caller's, or NULL. */
TfrcPacket *tfrc_packet_queue_pop (TfrcPacketQueue *queue);

guint tfrc_packet_queue_length (const TfrcPacketQueue *queue);

/** From when the smoother lets the oldest leave; G_MAXUINT64 if there is none. */
guint64 tfrc_packet_queue_next_ns (const TfrcPacketQueue *queue);

/** How long a packet of this queue has been waiting: since it came, or since it
 * was due if the input is live, as it then also waits in front of a pipeline that
 * is stopped. */
guint64 tfrc_packet_queue_wait_ns (
    const TfrcPacketQueue *queue, const TfrcPacket *packet, guint64 now_ns);

/** How long the oldest has been waiting, 0 if there is none. */
guint64 tfrc_packet_queue_age_ns (const TfrcPacketQueue *queue, guint64 now_ns);

/** Returns when the oldest has to be dropped, as it has waited for max_time_ns;
 * G_MAXUINT64: never, or there is none. */
guint64 tfrc_packet_queue_expiry_ns (const TfrcPacketQueue *queue);

/** Drops all that have to be dropped by now.
 * @return how many */
guint tfrc_packet_queue_drop_overdue (TfrcPacketQueue *queue, guint64 now_ns);

/** Says what a new packet needs; call tfrc_packet_queue_drop_overdue() first. */
TfrcAdmission tfrc_packet_queue_admission (const TfrcPacketQueue *queue, guint64 now_ns);

/** Is there so much room again that waking the producer pays? */
gboolean tfrc_packet_queue_is_low (const TfrcPacketQueue *queue, guint64 now_ns);

G_END_DECLS
#endif
