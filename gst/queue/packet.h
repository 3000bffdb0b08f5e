/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packet of the movie: a payload that any number of flows can send at the same time.
 *
 * The packetizer fills a packet; from the moment at which the packet is queued nobody changes it. What
 * one flow adds (when it sends the packet, numbers, header, protection) is in an entry of that flow
 * (outgoing.h), so a packet costs its memory once, however many receivers it goes to.
 *
 * Packets are reference-counted and come from a pool (gst_tfrc_packet_pool_new()), which uses the
 * memory of freed packets again. */
#ifndef GST_TFRC_PACKET_H
#define GST_TFRC_PACKET_H

#include <glib.h>
#include <tfrc/wire.h>

#include "importance.h"

G_BEGIN_DECLS

/** The most payload of a packet: seven MPEG transport stream packets (RFC 2250 section 2) */
#define GST_TFRC_PACKET_MAX_PAYLOAD_BYTES 1316

/** What a protector may append to a datagram, 144 bytes: an authentication tag of at most 16 bytes
 * (AES-GCM, RFC 7714) and a master key identifier (MKI, RFC 3711 section 3.1) of at most 128 bytes.
 * libsrtp asks for the same room (SRTP_MAX_TRAILER_LEN). */
#define GST_TFRC_PACKET_MAX_TAG_BYTES 16
#define GST_TFRC_PACKET_MAX_MKI_BYTES 128
#define GST_TFRC_PACKET_TAIL_BYTES (GST_TFRC_PACKET_MAX_TAG_BYTES + GST_TFRC_PACKET_MAX_MKI_BYTES)

typedef struct _GstTfrcPacketPool GstTfrcPacketPool;

/** For packet.c and the functions below alone */
typedef struct
{
  GstTfrcPacketPool *pool; /* NULL: the memory is the system's */
  gint references;         /* atomic */
  GList free_link;         /* in the pool */
  GstTfrcImportance importance;
  guint16 payload_bytes;
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];
} GstTfrcPacket;

/** What a packet takes, whatever its payload */
#define GST_TFRC_PACKET_MEMORY_BYTES sizeof (GstTfrcPacket)

/** Returns the payload, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES of room. To be written to before the packet
 * is queued only. */
static inline guint8 *
gst_tfrc_packet_payload (GstTfrcPacket *packet)
{
  return packet->payload;
}

static inline const guint8 *
gst_tfrc_packet_get_payload (const GstTfrcPacket *packet)
{
  return packet->payload;
}

/** Returns the size of the payload: 0 in an empty packet, 1..GST_TFRC_PACKET_MAX_PAYLOAD_BYTES in one
 * that is queued. */
static inline guint16
gst_tfrc_packet_get_payload_bytes (const GstTfrcPacket *packet)
{
  return packet->payload_bytes;
}

/** Says how many bytes of the payload are filled, before the packet is queued. */
static inline void
gst_tfrc_packet_set_payload_bytes (GstTfrcPacket *packet, gsize bytes)
{
  packet->payload_bytes = (guint16) bytes;
}

/** Returns what the packet is worth: GST_TFRC_IMPORTANCE_INIT unless the following function has said
 * else. */
static inline const GstTfrcImportance *
gst_tfrc_packet_get_importance (const GstTfrcPacket *packet)
{
  return &packet->importance;
}

/** Says what the packet is worth, before the packet is queued. */
static inline void
gst_tfrc_packet_set_importance (GstTfrcPacket *packet, const GstTfrcImportance *importance)
{
  packet->importance = *importance;
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
