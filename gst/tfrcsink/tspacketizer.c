/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From bytes to packets of transport stream, see tspacketizer.h.
 *
 * In sync, a transport stream packet is taken as soon as its 188 bytes are there and the first is
 * 0x47. Out of sync, a position counts as the start of a transport stream packet when the next two
 * start with 0x47 as well. */
#include "tspacketizer.h"

#include <string.h>

#define SYNC_BYTE 0x47
#define SYNC_PACKETS 3 /* transport stream packets that must line up to find sync */

G_STATIC_ASSERT (GST_TFRC_TS_PAYLOAD_BYTES <= GST_TFRC_PACKET_MAX_PAYLOAD_BYTES);

void
gst_tfrc_ts_packetizer_init (GstTfrcTsPacketizer *packetizer, GstTfrcPacketPool *pool)
{
  memset (packetizer, 0, sizeof *packetizer);
  packetizer->pool = pool;
  gst_tfrc_ts_classifier_init (&packetizer->classifier);
}

void
gst_tfrc_ts_packetizer_clear (GstTfrcTsPacketizer *packetizer)
{
  gst_tfrc_packet_unref (g_steal_pointer (&packetizer->packet));
}

void
gst_tfrc_ts_packetizer_reset (GstTfrcTsPacketizer *packetizer)
{
  packetizer->synced = FALSE;
  packetizer->pending_bytes = 0;
  gst_tfrc_ts_packetizer_clear (packetizer);
  packetizer->garbage_run = 0;
  gst_tfrc_ts_classifier_reset (&packetizer->classifier);
}

/* Out of sync, whole packets may wait, and buffers of one packet each may all follow a gap. */
void
gst_tfrc_ts_packetizer_gap (GstTfrcTsPacketizer *packetizer)
{
  if (!packetizer->synced)
    return;
  packetizer->garbage_bytes += packetizer->pending_bytes;
  packetizer->pending_bytes = 0;
}

void
gst_tfrc_ts_packetizer_set_drop_nulls (GstTfrcTsPacketizer *packetizer, gboolean drop_nulls)
{
  packetizer->drop_nulls = drop_nulls;
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

/* Packets with time stamps (192 bytes, M2TS) or error protection (204 bytes) are transport streams,
 * too, but this format does not carry them. They get an error of their own. */
static gboolean
has_other_packet_size (const guint8 *data)
{
  return lines_up (data, 192) || lines_up (data, 204);
}

static gboolean
hand_out (GstTfrcTsPacketizer *packetizer, GstTfrcTsPacketFunc func, gpointer user)
{
  GstTfrcImportance importance;

  gst_tfrc_ts_classifier_end_packet (&packetizer->classifier, &importance);
  gst_tfrc_packet_set_importance (packetizer->packet, &importance);
  return func (g_steal_pointer (&packetizer->packet), packetizer->due_ns, user);
}

/* Appends to the packet that is being filled. Returns FALSE if the packet is full and the receiver of
 * packets wants no more. */
static gboolean
append_ts_packet (GstTfrcTsPacketizer *packetizer, const guint8 *ts_packet,
    GstTfrcTsPacketFunc func, gpointer user)
{
  GstTfrcPacket *packet = packetizer->packet;
  gsize bytes;

  if (packet == NULL)
    packet = packetizer->packet = gst_tfrc_packet_pool_take (packetizer->pool);
  bytes = gst_tfrc_packet_get_payload_bytes (packet);
  memcpy (gst_tfrc_packet_payload (packet) + bytes, ts_packet, GST_TFRC_TS_PACKET_BYTES);
  gst_tfrc_ts_classifier_add (&packetizer->classifier, ts_packet);
  bytes += GST_TFRC_TS_PACKET_BYTES;
  gst_tfrc_packet_set_payload_bytes (packet, bytes);
  return bytes < GST_TFRC_TS_PAYLOAD_BYTES || hand_out (packetizer, func, user);
}

static gboolean
take_ts_packet (GstTfrcTsPacketizer *packetizer, const guint8 *ts_packet, GstTfrcTsPacketFunc func,
    gpointer user)
{
  packetizer->packets++;
  if (packetizer->garbage_run > 0)
    packetizer->damages++;
  packetizer->garbage_run = 0;
  if (packetizer->drop_nulls && gst_tfrc_ts_get_pid (ts_packet) == GST_TFRC_TS_PID_NULL) {
    packetizer->nulls_dropped++;
    return TRUE;
  }
  return append_ts_packet (packetizer, ts_packet, func, user);
}

/* Skips one byte that starts no packet. */
static void
skip_byte (GstTfrcTsPacketizer *packetizer)
{
  packetizer->synced = FALSE;
  packetizer->garbage_run++;
  packetizer->garbage_bytes++;
}

/* Takes as many of `size' bytes as can be decided on. Returns how many. */
static gsize
consume (GstTfrcTsPacketizer *packetizer, const guint8 *data, gsize size, GstTfrcTsPacketFunc func,
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
      *stopped = !take_ts_packet (packetizer, at, func, user);
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
    guint64 due_ns, GstTfrcTsPacketFunc func, gpointer user)
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
    /* Bytes that are too few to decide on wait for more. */
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
    GstTfrcTsPacketizer *packetizer, GstTfrcTsPacketFunc func, gpointer user)
{
  gsize at = 0;

  /* Too few bytes to find sync by looking ahead: take every packet that starts with the sync
   * byte. */
  while (packetizer->pending_bytes - at >= GST_TFRC_TS_PACKET_BYTES) {
    if (packetizer->pending[at] == SYNC_BYTE) {
      if (!take_ts_packet (packetizer, packetizer->pending + at, func, user))
        break;
      at += GST_TFRC_TS_PACKET_BYTES;
    } else {
      skip_byte (packetizer);
      at++;
    }
  }
  packetizer->garbage_bytes += packetizer->pending_bytes - at;
  packetizer->pending_bytes = 0;
  if (packetizer->packet)
    hand_out (packetizer, func, user);
}
