/* Cuts a byte stream into packets of seven MPEG transport stream packets
 * (RFC 2250 section 2), finding the 188-byte packets by their sync byte. */
#ifndef GST_TFRC_TSPACKETIZER_H
#define GST_TFRC_TSPACKETIZER_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_TS_PACKET_BYTES 188
#define GST_TFRC_TS_PACKETS 7
#define GST_TFRC_TS_PAYLOAD_BYTES (GST_TFRC_TS_PACKETS * GST_TFRC_TS_PACKET_BYTES)

/* So much without sync is no transport stream. */
#define GST_TFRC_TS_MAX_GARBAGE_BYTES (64 * 1024)

typedef enum
{
  GST_TFRC_TS_OK,
  GST_TFRC_TS_NOT_TS,           /* no packets of 188 bytes in GST_TFRC_TS_MAX_GARBAGE_BYTES */
  GST_TFRC_TS_OTHER_PACKET_SIZE /* packets of 192 or 204 bytes */
} GstTfrcTsResult;

/** Takes a finished payload of @a size bytes, a multiple of 188.
 * @param due_ns the time given with its last byte: a packet cannot leave before
 *   it is complete, and waiting for more input is not the network's delay
 * @return FALSE to stop */
typedef gboolean (*GstTfrcTsPayloadFunc) (
    const guint8 *payload, gsize size, guint64 due_ns, gpointer user);

typedef struct
{
  gboolean synced;
  guint8 pending[GST_TFRC_TS_PACKET_BYTES * 6]; /* bytes not yet in a packet */
  gsize pending_bytes;
  guint8 payload[GST_TFRC_TS_PAYLOAD_BYTES]; /* packets not yet sent */
  gsize payload_bytes;
  guint64 due_ns;        /* of the last bytes */
  guint64 packets;       /* transport stream packets found */
  guint64 garbage_run;   /* bytes skipped since the last sync */
  guint64 garbage_bytes; /* bytes skipped in all */
  guint64 damages;       /* times that sync was found behind garbage */
} GstTfrcTsPacketizer;

void gst_tfrc_ts_packetizer_init (GstTfrcTsPacketizer *packetizer);

/** Forgets what has not been sent: after a flush. */
void gst_tfrc_ts_packetizer_reset (GstTfrcTsPacketizer *packetizer);

/** Adds bytes, however they are cut; @a func gets every full payload.
 * @param due_ns when these bytes are to be sent
 * @return anything but GST_TFRC_TS_OK means that the stream cannot be carried */
GstTfrcTsResult gst_tfrc_ts_packetizer_push (GstTfrcTsPacketizer *packetizer, const guint8 *data,
    gsize size, guint64 due_ns, GstTfrcTsPayloadFunc func, gpointer user);

/** Hands out what is left at the end of the stream: packets of a payload that
 * is not full.  A part of a packet counts as garbage. */
void gst_tfrc_ts_packetizer_finish (
    GstTfrcTsPacketizer *packetizer, GstTfrcTsPayloadFunc func, gpointer user);

G_END_DECLS
#endif
