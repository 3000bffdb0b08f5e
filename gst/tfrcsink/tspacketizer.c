/* From bytes to transport stream packets, see tspacketizer.h.
 *
 * In sync, a packet is taken as soon as its 188 bytes are there and it starts
 * with 0x47.  Out of sync, a position counts as the start of a packet when the
 * two packets after it start with 0x47 as well. */
#include "tspacketizer.h"

#include <string.h>

#define SYNC_BYTE 0x47
#define SYNC_PACKETS 3 /* that must line up to find sync */

void
gst_tfrc_ts_packetizer_init (GstTfrcTsPacketizer *packetizer)
{
  memset (packetizer, 0, sizeof *packetizer);
}

void
gst_tfrc_ts_packetizer_reset (GstTfrcTsPacketizer *packetizer)
{
  packetizer->synced = FALSE;
  packetizer->pending_bytes = packetizer->payload_bytes = 0;
  packetizer->garbage_run = 0;
}

static gboolean
lines_up (const guint8 *data, gsize stride)
{
  guint i;

  for (i = 0; i < SYNC_PACKETS; i++) {
    if (data[i * stride] != SYNC_BYTE)
      return FALSE;
  }
  return TRUE;
}

/* Time-stamped (192, M2TS) and error-protected (204) packets are transport
 * streams too, but not what is carried here: worth an error of its own. */
static gboolean
has_other_packet_size (const guint8 *data)
{
  return lines_up (data, 192) || lines_up (data, 204);
}

static gboolean
hand_out (GstTfrcTsPacketizer *packetizer, GstTfrcTsPayloadFunc func, gpointer user)
{
  gsize size = packetizer->payload_bytes;

  packetizer->payload_bytes = 0;
  return func (packetizer->payload, size, packetizer->due_ns, user);
}

static gboolean
take_packet (
    GstTfrcTsPacketizer *packetizer, const guint8 *packet, GstTfrcTsPayloadFunc func, gpointer user)
{
  memcpy (packetizer->payload + packetizer->payload_bytes, packet, GST_TFRC_TS_PACKET_BYTES);
  packetizer->payload_bytes += GST_TFRC_TS_PACKET_BYTES;
  packetizer->packets++;
  if (packetizer->garbage_run > 0)
    packetizer->damages++;
  packetizer->garbage_run = 0;
  return packetizer->payload_bytes < GST_TFRC_TS_PAYLOAD_BYTES || hand_out (packetizer, func, user);
}

/* Skips one byte that starts no packet. */
static void
skip_byte (GstTfrcTsPacketizer *packetizer)
{
  packetizer->synced = FALSE;
  packetizer->garbage_run++;
  packetizer->garbage_bytes++;
}

/* Takes what it can of `size' bytes; returns how much that was. */
static gsize
consume (GstTfrcTsPacketizer *packetizer, const guint8 *data, gsize size, GstTfrcTsPayloadFunc func,
    gpointer user, gboolean *stopped, GstTfrcTsResult *result)
{
  const gsize look_ahead = (SYNC_PACKETS - 1) * GST_TFRC_TS_PACKET_BYTES + 1;
  const gsize look_ahead_other = (SYNC_PACKETS - 1) * 204 + 1;
  gsize done = 0;

  while (!*stopped && *result == GST_TFRC_TS_OK) {
    const guint8 *at = data + done;
    gsize left = size - done;

    if (packetizer->synced && left > 0 && *at == SYNC_BYTE) {
      if (left < GST_TFRC_TS_PACKET_BYTES)
        break;
      *stopped = !take_packet (packetizer, at, func, user);
      done += GST_TFRC_TS_PACKET_BYTES;
      continue;
    }
    if (left < MAX (look_ahead, look_ahead_other))
      break;
    if (!packetizer->synced && lines_up (at, GST_TFRC_TS_PACKET_BYTES)) {
      packetizer->synced = TRUE;
      continue;
    }
    if (has_other_packet_size (at))
      *result = GST_TFRC_TS_OTHER_PACKET_SIZE;
    else if (packetizer->garbage_run >= GST_TFRC_TS_MAX_GARBAGE_BYTES)
      *result = GST_TFRC_TS_NOT_TS;
    else
      skip_byte (packetizer);
    done++;
  }
  return done;
}

GstTfrcTsResult
gst_tfrc_ts_packetizer_push (GstTfrcTsPacketizer *packetizer, const guint8 *data, gsize size,
    guint64 due_ns, GstTfrcTsPayloadFunc func, gpointer user)
{
  GstTfrcTsResult result = GST_TFRC_TS_OK;
  gboolean stopped = FALSE;

  packetizer->due_ns = due_ns;
  while (size > 0 && !stopped && result == GST_TFRC_TS_OK) {
    gsize done, pending = packetizer->pending_bytes;

    if (pending == 0) {
      done = consume (packetizer, data, size, func, user, &stopped, &result);
      data += done;
      size -= done;
      if (done > 0)
        continue;
    }
    /* What is too short to decide on waits for more bytes. */
    done = MIN (size, sizeof packetizer->pending - pending);
    memcpy (packetizer->pending + pending, data, done);
    packetizer->pending_bytes += done;
    data += done;
    size -= done;
    done = consume (
        packetizer, packetizer->pending, packetizer->pending_bytes, func, user, &stopped, &result);
    packetizer->pending_bytes -= done;
    memmove (packetizer->pending, packetizer->pending + done, packetizer->pending_bytes);
  }
  return result;
}

void
gst_tfrc_ts_packetizer_finish (
    GstTfrcTsPacketizer *packetizer, GstTfrcTsPayloadFunc func, gpointer user)
{
  gsize at = 0;

  /* Too few bytes to find sync by looking ahead: take what fits. */
  while (packetizer->pending_bytes - at >= GST_TFRC_TS_PACKET_BYTES) {
    if (packetizer->pending[at] == SYNC_BYTE) {
      if (!take_packet (packetizer, packetizer->pending + at, func, user))
        break;
      at += GST_TFRC_TS_PACKET_BYTES;
    } else {
      skip_byte (packetizer);
      at++;
    }
  }
  packetizer->garbage_bytes += packetizer->pending_bytes - at;
  packetizer->pending_bytes = 0;
  if (packetizer->payload_bytes > 0)
    hand_out (packetizer, func, user);
}
