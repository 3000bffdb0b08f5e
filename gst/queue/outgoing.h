/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packet on its way out of one flow: a reference to the packet, which other flows may be sending,
 * too, and everything about it that is this flow's alone: its place in the queue, its times, its RTP
 * stream and number there, the header, and the datagram if that has been protected.
 *
 * Entries come from a pool of the outbox, so that a flow that sends evenly allocates none. No lock:
 * the stream that owns the outbox locks. */
#ifndef GST_TFRC_OUTGOING_H
#define GST_TFRC_OUTGOING_H

#include "packet.h"

G_BEGIN_DECLS

/** The RTP streams of a flow (gst/flow/rtpstream.h), as indices. */
enum
{
  GST_TFRC_RTP_MEDIA,  /**< the movie */
  GST_TFRC_RTP_REPAIR, /**< what brings back lost packets: those that the receiver has asked for (RFC
                          4588), and forward error correction, which have payload types of their own */
  GST_TFRC_RTP_STREAMS
};

/** Free entries that a pool keeps at most: 44 KB. An even stream takes an entry for each that it gives
 * back, so what matters is the longest burst: a key frame of 330 KB. */
#define GST_TFRC_OUTGOING_POOL_MAX_FREE 256

typedef struct _GstTfrcOutgoing GstTfrcOutgoing;

/** Is told of each repair whose entry is given back, whether it has left or not. */
typedef void (*GstTfrcRepairFreed) (gpointer user, const GstTfrcOutgoing *repair);

/** For outgoing.c alone */
typedef struct
{
  GQueue free; /* of GstTfrcOutgoing, by queue_link; the newest first: its memory is in the cache */
  GstTfrcRepairFreed repair_freed; /* NULL: nobody is told */
  gpointer user;
} GstTfrcOutgoingPool;

/** For outgoing.c, gst/flow/rtpstream.c and the functions below alone */
struct _GstTfrcOutgoing
{
  GstTfrcOutgoingPool *pool;
  GstTfrcPacket *packet; /* a reference */
  GList queue_link;      /* in the look-ahead queue, and then in the send queue */
  guint64 due_ns;
  /* of the packet: a queue is asked for the size of its first packet long before that leaves, while
   * the packet is not in the cache */
  guint16 payload_bytes;
  guint16 sealed_bytes;
  guint8 *sealed; /* the protected datagram; NULL: there is none */
  guint64 queued_ns;

  guint16 rtp_seq; /* RTP sequence number (RFC 3550 section 5.1) */
  guint8 stream;
  gboolean is_fec;      /* of the repairs: forward error correction */
  TfrcWireFec fec;      /* of that: its header */
  guint16 original_seq; /* of another repair: the number of the packet that it repeats */
  gboolean has_rtp_seq; /* the number stays for the entry's whole life */
  gboolean is_new;      /* the number was given at the last prepare, and can be taken back */
  guint8 ttl;
  guint8 ecn;
  guint8 header_bytes;
  guint8 header[TFRC_WIRE_MAX_FEC_HEADER_BYTES];
};

/** @param repair_freed is told of repairs with @a user; NULL: nobody is */
void gst_tfrc_outgoing_pool_init (
    GstTfrcOutgoingPool *pool, GstTfrcRepairFreed repair_freed, gpointer user);

/** Frees the pool's entries, all of which have been given back. */
void gst_tfrc_outgoing_pool_clear (GstTfrcOutgoingPool *pool);

/** Makes an entry for a packet, whose reference the entry takes over. The size of the packet stays.
 * @param stream the RTP stream that sends the packet: GST_TFRC_RTP_MEDIA, ...
 * @return never NULL; for gst_tfrc_outgoing_free() */
GstTfrcOutgoing *gst_tfrc_outgoing_new (
    GstTfrcOutgoingPool *pool, GstTfrcPacket *packet, guint stream);

/** Makes an entry that repeats a packet of the movie, whose reference the entry takes over.
 * @param original_seq the RTP number with which the packet has left */
GstTfrcOutgoing *gst_tfrc_outgoing_new_repair (
    GstTfrcOutgoingPool *pool, GstTfrcPacket *packet, guint16 original_seq);

/** Makes an entry of forward error correction, which takes over the reference of a packet with the XOR. */
GstTfrcOutgoing *gst_tfrc_outgoing_new_fec (
    GstTfrcOutgoingPool *pool, GstTfrcPacket *packet, const TfrcWireFec *fec);

/** Gives back an entry, and drops its reference to the packet. NULL is allowed. */
void gst_tfrc_outgoing_free (GstTfrcOutgoing *self);

/** Returns the RTP time stamp that the packet has left with. */
guint32 gst_tfrc_outgoing_get_timestamp (const GstTfrcOutgoing *self);

/** Notes that the datagram is protected: it leaves as these bytes whenever it leaves. Copies the bytes,
 * which takes memory of the system: only a datagram that comes back needs to be kept. */
void gst_tfrc_outgoing_seal (GstTfrcOutgoing *self, const guint8 *datagram, gsize size);

static inline GstTfrcPacket *
gst_tfrc_outgoing_get_packet (const GstTfrcOutgoing *self)
{
  return self->packet;
}

static inline guint16
gst_tfrc_outgoing_get_payload_bytes (const GstTfrcOutgoing *self)
{
  return self->payload_bytes;
}

/** Returns the link that is the entry's place in a queue; its data is the entry. */
static inline GList *
gst_tfrc_outgoing_get_link (GstTfrcOutgoing *self)
{
  return &self->queue_link;
}

/** The target transmission time, monotonic; see also lookahead.h. Each flow has its own, because a
 * packet is due when the flow's timeline says so. */
static inline guint64
gst_tfrc_outgoing_get_due_ns (const GstTfrcOutgoing *self)
{
  return self->due_ns;
}

static inline void
gst_tfrc_outgoing_set_due_ns (GstTfrcOutgoing *self, guint64 due_ns)
{
  self->due_ns = due_ns;
}

/** When the packet came into the send queue, monotonic */
static inline guint64
gst_tfrc_outgoing_get_queued_ns (const GstTfrcOutgoing *self)
{
  return self->queued_ns;
}

static inline void
gst_tfrc_outgoing_set_queued_ns (GstTfrcOutgoing *self, guint64 queued_ns)
{
  self->queued_ns = queued_ns;
}

/** Returns the index of the RTP stream that sends the packet. */
static inline guint
gst_tfrc_outgoing_get_stream (const GstTfrcOutgoing *self)
{
  return self->stream;
}

/** Does the packet bring back what was lost? It is no packet of the movie then. */
static inline gboolean
gst_tfrc_outgoing_is_repair (const GstTfrcOutgoing *self)
{
  return self->stream == GST_TFRC_RTP_REPAIR;
}

/** Returns the header of forward error correction; NULL: the packet is something else. */
static inline const TfrcWireFec *
gst_tfrc_outgoing_get_fec (const GstTfrcOutgoing *self)
{
  return self->is_fec ? &self->fec : NULL;
}

/** Returns the number of the packet that a repair repeats. */
static inline guint16
gst_tfrc_outgoing_get_original_seq (const GstTfrcOutgoing *self)
{
  return self->original_seq;
}

/** Has the packet a number in its RTP stream? */
static inline gboolean
gst_tfrc_outgoing_has_rtp_seq (const GstTfrcOutgoing *self)
{
  return self->has_rtp_seq;
}

/** Was the number given at the last prepare? */
static inline gboolean
gst_tfrc_outgoing_is_new (const GstTfrcOutgoing *self)
{
  return self->is_new;
}

static inline guint16
gst_tfrc_outgoing_get_rtp_seq (const GstTfrcOutgoing *self)
{
  return self->rtp_seq;
}

/** Returns the TTL or hop limit that the header tells, and that the packet leaves with; 0: none, and
 * the socket's holds. */
static inline guint8
gst_tfrc_outgoing_get_ttl (const GstTfrcOutgoing *self)
{
  return self->ttl;
}

/** The ECN field with which the packet leaves, TFRC_ECN_FIELD_* */
static inline guint8
gst_tfrc_outgoing_get_ecn (const GstTfrcOutgoing *self)
{
  return self->ecn;
}

static inline void
gst_tfrc_outgoing_set_ecn (GstTfrcOutgoing *self, guint8 ecn)
{
  self->ecn = ecn;
}

/** Has gst_tfrc_outgoing_seal() been called? */
static inline gboolean
gst_tfrc_outgoing_is_sealed (const GstTfrcOutgoing *self)
{
  return self->sealed != NULL;
}

/** Returns the first piece of the datagram: all of it if it is sealed, and otherwise the RTP header,
 * which the payload follows. Valid once the session has prepared the packet, as long as the entry.
 * @param size set to its bytes */
static inline guint8 *
gst_tfrc_outgoing_get_head (GstTfrcOutgoing *self, gsize *size)
{
  *size = self->sealed ? self->sealed_bytes : self->header_bytes;
  return self->sealed ? self->sealed : self->header;
}

G_END_DECLS
#endif
