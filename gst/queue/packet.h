/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packet of data at the sender: the payload, room for everything that goes around the payload,
 * and the packet's numbers.
 *
 * A packet is one contiguous piece of memory:
 *
 *     head room | payload room | tail room
 *               ^ a multiple of 4 bytes from the start of the memory
 *
 * The RTP header is written into the head room so that the header ends where the payload begins.
 * The datagram is therefore contiguous and starts at a multiple of 4 bytes. A protector (SRTP)
 * encrypts the datagram in place and appends its tag in the tail room.
 *
 * Packets are reference-counted and come from a pool (gst_tfrc_packet_pool_new()), which uses the
 * memory of freed packets again. One packet may be in several containers, each of which holds a
 * reference.
 *
 * Life of a packet: the packetizer fills the payload; the session numbers the packet and writes the
 * header (gst_tfrc_send_session_prepare()); the datagram leaves; the last reference is dropped. */
#ifndef GST_TFRC_PACKET_H
#define GST_TFRC_PACKET_H

#include <glib.h>
#include <tfrc/wire.h>

G_BEGIN_DECLS

/** The most payload of a packet: seven MPEG transport stream packets (RFC 2250 section 2) */
#define GST_TFRC_PACKET_MAX_PAYLOAD_BYTES 1316

/** Head room: the RTP header with every element of docs/wire-format.md, 32 bytes */
#define GST_TFRC_PACKET_HEAD_BYTES TFRC_WIRE_MAX_HEADER_BYTES

/** Tail room, 144 bytes: an authentication tag of at most 16 bytes (AES-GCM, RFC 7714) and a master
 * key identifier (MKI, RFC 3711 section 3.1) of at most 128 bytes. libsrtp asks for the same room
 * (SRTP_MAX_TRAILER_LEN). */
#define GST_TFRC_PACKET_MAX_TAG_BYTES 16
#define GST_TFRC_PACKET_MAX_MKI_BYTES 128
#define GST_TFRC_PACKET_TAIL_BYTES (GST_TFRC_PACKET_MAX_TAG_BYTES + GST_TFRC_PACKET_MAX_MKI_BYTES)

#define GST_TFRC_PACKET_BYTES \
  (GST_TFRC_PACKET_HEAD_BYTES + GST_TFRC_PACKET_MAX_PAYLOAD_BYTES + GST_TFRC_PACKET_TAIL_BYTES)

typedef struct _GstTfrcPacketPool GstTfrcPacketPool;

typedef struct
{
  GstTfrcPacketPool *pool;
  gint references; /* atomic; see gst_tfrc_packet_ref() */

  /* The place in the look-ahead queue, and then in the send queue. These two alone use this link,
   * so that the packet may be in other containers at the same time. A container that wants a link
   * without an allocation adds a link of its own here. */
  GList queue_link;

  guint64 due_ns;        /* target transmission time, monotonic; see also lookahead.h */
  guint64 queued_ns;     /* when the packet came into the send queue, monotonic */
  guint16 payload_bytes; /* 1..GST_TFRC_PACKET_MAX_PAYLOAD_BYTES once the packet is filled */

  /* Set by the session, see gst_tfrc_send_session_prepare() */
  gboolean has_rtp_seq; /* the next field is valid; the number stays for the packet's whole life */
  guint16 rtp_seq;      /* RTP sequence number (RFC 3550 section 5.1) */
  gboolean is_new;      /* the RTP number was given at the last prepare, and can be taken back */
  gboolean is_sealed;   /* the datagram is protected, and must not be changed any more */
  guint8 ttl; /* TTL or hop limit that the header tells; 0: none, and the socket's holds */
  guint8 ecn; /* ECN field with which the packet leaves, TFRC_ECN_FIELD_* */
  guint16 header_bytes;
  guint16 datagram_bytes; /* from the RTP header to the end of payload or tag */

  guint32 words[(GST_TFRC_PACKET_BYTES + 3) / 4]; /* the memory of the datagram, aligned */
} GstTfrcPacket;

/** The payload, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES of room. */
static inline guint8 *
gst_tfrc_packet_payload (GstTfrcPacket *packet)
{
  return (guint8 *) packet->words + GST_TFRC_PACKET_HEAD_BYTES;
}

/** The datagram as it leaves, packet->datagram_bytes long. Valid once the session has prepared the
 * packet. */
static inline guint8 *
gst_tfrc_packet_datagram (GstTfrcPacket *packet)
{
  return gst_tfrc_packet_payload (packet) - packet->header_bytes;
}

/** Notes that the datagram is protected, and has this size now: it leaves as these bytes whenever it
 * leaves. */
static inline void
gst_tfrc_packet_set_sealed (GstTfrcPacket *packet, gsize size)
{
  packet->datagram_bytes = (guint16) size;
  packet->is_sealed = TRUE;
}

/** Takes another reference. Any thread.
 * @return @a packet */
GstTfrcPacket *gst_tfrc_packet_ref (GstTfrcPacket *packet);

/** Drops a reference; the last one gives the memory back to the pool. Any thread. NULL is
 * allowed. */
void gst_tfrc_packet_unref (GstTfrcPacket *packet);

/* ---- pool --------------------------------------------------------------- */

/** Free packets that a pool keeps at most: 6 MB */
#define GST_TFRC_PACKET_POOL_MAX_FREE 4096

/** The pool is trimmed each time this number of packets has come back. */
#define GST_TFRC_PACKET_POOL_TRIM_INTERVAL 1024

/** Makes a pool. A stream that sends evenly allocates no memory after its start: the pool keeps as
 * many packets as were in use at one time in the last two trim intervals, and frees the others.
 * The number of packets in use has no bound in the pool: the containers bound themselves.
 *
 * All functions may be called from any thread. */
GstTfrcPacketPool *gst_tfrc_packet_pool_new (void);

/** Gives up the pool. Packets in use stay valid; the last one to come back frees the pool. NULL is
 * allowed. */
void gst_tfrc_packet_pool_free (GstTfrcPacketPool *pool);

/** Takes an empty packet, with one reference. Never NULL. */
GstTfrcPacket *gst_tfrc_packet_pool_take (GstTfrcPacketPool *pool);

/** Frees all packets that are not in use, as after a flush. */
void gst_tfrc_packet_pool_trim (GstTfrcPacketPool *pool);

typedef struct
{
  guint in_use;
  guint free;
  guint64 allocated; /**< calls of the system's allocator since the start */
} GstTfrcPacketPoolStats;

void gst_tfrc_packet_pool_get_stats (GstTfrcPacketPool *pool, GstTfrcPacketPoolStats *stats);

G_END_DECLS
#endif
