/* The sender's bounded buffer: packets between the pipeline and the pacer.  It
 * decides what happens when a limit is reached; docs/decisions.md explains the
 * rules ("max-queue-time").  It has no locks: the stream that owns the queue also
 * locks it. */
#ifndef GST_TFRC_SENDQUEUE_H
#define GST_TFRC_SENDQUEUE_H

#include <tfrc/tfrc.h>

#include "../tfrcsink/tspacketizer.h"

G_BEGIN_DECLS

typedef struct
{
  GList link;     /* in the queue, without an allocation of its own */
  guint64 due_ns; /* target transmission time */
  guint64 queued_ns;
  guint16 size;
  guint8 data[GST_TFRC_TS_PAYLOAD_BYTES];
} GstTfrcPacket;

/** Copies a payload of at most GST_TFRC_TS_PAYLOAD_BYTES. */
GstTfrcPacket *gst_tfrc_packet_new (const guint8 *data, gsize size, guint64 due_ns, guint64 now_ns);
void gst_tfrc_packet_free (GstTfrcPacket *packet);

/** What to do when the buffer is full. */
typedef enum
{
  GST_TFRC_LEAKY_NONE,      /**< the pipeline waits */
  GST_TFRC_LEAKY_UPSTREAM,  /**< the new packet is dropped */
  GST_TFRC_LEAKY_DOWNSTREAM /**< the oldest packet is dropped */
} GstTfrcLeaky;

/** What must happen before a new packet may be queued */
typedef enum
{
  GST_TFRC_ADMIT,       /**< nothing */
  GST_TFRC_ADMIT_LATER, /**< the pipeline waits until packets have left */
  GST_TFRC_DROP_NEW,    /**< the new packet is not queued at all */
  GST_TFRC_DROP_OLDEST  /**< one packet goes, then ask again */
} GstTfrcAdmission;

typedef struct
{
  GQueue packets; /* of GstTfrcPacket, oldest first */
  gsize bytes;
  guint max_packets;
  guint64 max_time_ns; /* that a packet may wait; 0: no limit */
  GstTfrcLeaky leaky;
  gboolean live;                   /* the input goes on while the pipeline is stopped */
  gboolean absent;                 /* there is no receiver */
  gdouble drain_rate_Bps;          /* at which packets leave; 0: unknown */
  gboolean drain_rate_is_measured; /* it follows from feedback */
  TfrcSmoother *smoother;          /* says when they may leave; the owner's; NULL: at once */
} GstTfrcSendQueue;

void gst_tfrc_send_queue_init (GstTfrcSendQueue *queue);
void gst_tfrc_send_queue_clear (GstTfrcSendQueue *queue);

void gst_tfrc_send_queue_push (GstTfrcSendQueue *queue, GstTfrcPacket *packet);

/** Gives back a packet that could not be sent: it becomes the oldest again. */
void gst_tfrc_send_queue_push_back (GstTfrcSendQueue *queue, GstTfrcPacket *packet);

/** Returns the oldest, now the caller's, or NULL. */
GstTfrcPacket *gst_tfrc_send_queue_pop (GstTfrcSendQueue *queue);

guint gst_tfrc_send_queue_length (const GstTfrcSendQueue *queue);

/** From when the smoother lets the oldest leave; G_MAXUINT64 if there is none. */
guint64 gst_tfrc_send_queue_next_ns (const GstTfrcSendQueue *queue);

/** How long a packet of this queue has been waiting: since it came, or since it
 * was due if the input is live, as it then also waits in front of a pipeline that
 * is stopped. */
guint64 gst_tfrc_send_queue_wait_ns (
    const GstTfrcSendQueue *queue, const GstTfrcPacket *packet, guint64 now_ns);

/** How long the oldest has been waiting, 0 if there is none. */
guint64 gst_tfrc_send_queue_age_ns (const GstTfrcSendQueue *queue, guint64 now_ns);

/** Returns when the oldest has to be dropped, as it has waited for max_time_ns;
 * G_MAXUINT64: never, or there is none. */
guint64 gst_tfrc_send_queue_expiry_ns (const GstTfrcSendQueue *queue);

/** Drops all that have to be dropped by now.
 * @return how many */
guint gst_tfrc_send_queue_drop_overdue (GstTfrcSendQueue *queue, guint64 now_ns);

/** Says what a new packet needs; call gst_tfrc_send_queue_drop_overdue() first. */
GstTfrcAdmission gst_tfrc_send_queue_admission (const GstTfrcSendQueue *queue, guint64 now_ns);

/** Is there so much room again that waking the producer pays? */
gboolean gst_tfrc_send_queue_is_low (const GstTfrcSendQueue *queue, guint64 now_ns);

G_END_DECLS
#endif
