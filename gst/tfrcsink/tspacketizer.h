/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packetizer cuts a byte stream into packets of seven MPEG transport stream packets (RFC 2250
 * section 2). It finds the transport stream packets by their sync byte, leaves out null packets if asked
 * to, and says what each packet is worth (tsclassifier.h). */
#ifndef GST_TFRC_TSPACKETIZER_H
#define GST_TFRC_TSPACKETIZER_H

#include "../queue/packet.h"
#include "tsclassifier.h"

G_BEGIN_DECLS

#define GST_TFRC_TS_PACKETS 7
#define GST_TFRC_TS_PAYLOAD_BYTES (GST_TFRC_TS_PACKETS * GST_TFRC_TS_PACKET_BYTES)

/* After this number of bytes without sync the input is not a transport stream. */
#define GST_TFRC_TS_MAX_GARBAGE_BYTES (64 * 1024)

typedef enum
{
  GST_TFRC_TS_OK,
  GST_TFRC_TS_NOT_TS,           /* no packets of 188 bytes in GST_TFRC_TS_MAX_GARBAGE_BYTES */
  GST_TFRC_TS_OTHER_PACKET_SIZE /* packets of 192 or 204 bytes */
} GstTfrcTsResult;

/** Takes over a filled packet, whose payload is a multiple of 188 bytes.
 * @param due_ns the time given with the last byte of the payload: a packet cannot leave before it
 *   is complete, and the wait for more input is not the network's delay
 * @return FALSE to stop */
typedef gboolean (*GstTfrcTsPacketFunc) (GstTfrcPacket *packet, guint64 due_ns, gpointer user);

typedef struct
{
  gboolean synced;
  guint8 pending[GST_TFRC_TS_PACKET_BYTES * 6]; /* bytes that are too few to decide on */
  gsize pending_bytes;
  GstTfrcPacketPool *pool;
  GstTfrcPacket *packet; /* being filled; NULL: none */
  GstTfrcTsClassifier classifier;
  guint64 due_ns; /* of the last bytes */
  gboolean drop_nulls;
  guint64 packets;       /* transport stream packets found */
  guint64 nulls_dropped; /* of these, null packets that were left out */
  guint64 garbage_run;   /* bytes skipped since the last sync */
  guint64 garbage_bytes; /* bytes skipped in all */
  guint64 damages;       /* times that sync was found behind garbage */
} GstTfrcTsPacketizer;

/** @param pool where packets come from; lives until gst_tfrc_ts_packetizer_clear() */
void gst_tfrc_ts_packetizer_init (GstTfrcTsPacketizer *packetizer, GstTfrcPacketPool *pool);

/** Frees the packet that is being filled. @a packetizer may be all zero. */
void gst_tfrc_ts_packetizer_clear (GstTfrcTsPacketizer *packetizer);

/** Drops all bytes that have not been handed out, as after a flush. */
void gst_tfrc_ts_packetizer_reset (GstTfrcTsPacketizer *packetizer);

/** Bytes are missing in front of the next ones. A transport stream packet that they cut counts as garbage,
 * and as no damage: the next bytes are not its end. */
void gst_tfrc_ts_packetizer_gap (GstTfrcTsPacketizer *packetizer);

/** Says whether null packets (PID 0x1fff) are left out: they keep a constant rate on other networks, and carry
 * nothing. From the next bytes on; FALSE at the start. */
void gst_tfrc_ts_packetizer_set_drop_nulls (GstTfrcTsPacketizer *packetizer, gboolean drop_nulls);

/** Adds bytes, however they are cut; @a func gets each full packet. A payload is copied once: from
 * @a data into the packet. Transport stream packets that are cut between two calls are copied
 * twice.
 * @param due_ns when these bytes are to be sent
 * @return any other value than GST_TFRC_TS_OK means that the stream cannot be carried */
GstTfrcTsResult gst_tfrc_ts_packetizer_push (GstTfrcTsPacketizer *packetizer, const guint8 *data,
    gsize size, guint64 due_ns, GstTfrcTsPacketFunc func, gpointer user);

/** Hands out the last packet at the end of the stream, even if it is not full. A part of a
 * transport stream packet counts as garbage. */
void gst_tfrc_ts_packetizer_finish (
    GstTfrcTsPacketizer *packetizer, GstTfrcTsPacketFunc func, gpointer user);

G_END_DECLS
#endif
