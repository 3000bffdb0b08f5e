/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the packetizer (gst/tfrcsink/tspacketizer.h): bytes, cut as the input says.  Payloads
 * are whole packets of the transport stream in the bytes, no byte is lost or invented, and the
 * cuts do not change the result. Without null packets the same comes out, but for these. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "gst/tfrcsink/tspacketizer.h"

#define MAX_BYTES 65536
/* stop_after: the sink takes payloads without limit */
#define NEVER_STOP 0

typedef struct
{
  guint8 *bytes;
  gsize size, capacity;
  guint64 due_ns;      /* of the last payload */
  unsigned stop_after; /* payloads; NEVER_STOP */
  unsigned payloads;
} Output;

static gboolean
has_stopped (const Output *output)
{
  return output->stop_after != NEVER_STOP && output->payloads >= output->stop_after;
}

static gboolean
collect (GstTfrcPacket *packet, guint64 due_ns, gpointer user)
{
  Output *output = user;
  const guint8 *payload = gst_tfrc_packet_payload (packet);
  gsize size = gst_tfrc_packet_get_payload_bytes (packet);

  CHECK (!has_stopped (output));
  CHECK (size > 0 && size <= GST_TFRC_TS_PAYLOAD_BYTES && size % GST_TFRC_TS_PACKET_BYTES == 0);
  for (gsize i = 0; i < size; i += GST_TFRC_TS_PACKET_BYTES)
    CHECK (payload[i] == 0x47);
  CHECK (due_ns >= output->due_ns);
  CHECK (output->size + size <= output->capacity);
  memcpy (output->bytes + output->size, payload, size);
  output->size += size;
  output->due_ns = due_ns;
  output->payloads++;
  gst_tfrc_packet_unref (packet);
  return !has_stopped (output);
}

static GstTfrcPacketPool *pool;
static gboolean drop_nulls;

/* @cuts: lengths of the pieces that are pushed, used cyclically; NULL: all bytes in one piece */
static GstTfrcTsResult
packetize (GstTfrcTsPacketizer *packetizer, Output *output, const uint8_t *bytes, size_t size,
    const uint8_t *cuts, size_t n_cuts)
{
  GstTfrcTsResult result = GST_TFRC_TS_OK;
  size_t done = 0;
  unsigned i;

  gst_tfrc_ts_packetizer_init (packetizer, pool);
  gst_tfrc_ts_packetizer_set_drop_nulls (packetizer, drop_nulls);
  for (i = 0; done < size && result == GST_TFRC_TS_OK && !has_stopped (output); i++) {
    size_t n = size - done, cut = cuts ? 1 + cuts[i % n_cuts] * 3u : n;

    if (cut < n)
      n = cut;
    result = gst_tfrc_ts_packetizer_push (packetizer, bytes + done, n, i, collect, output);
    CHECK (packetizer->pending_bytes <= sizeof packetizer->pending);
    CHECK (packetizer->packet == NULL
        || packetizer->packet->payload_bytes < GST_TFRC_TS_PAYLOAD_BYTES);
    done += n;
  }
  if (result == GST_TFRC_TS_OK && !has_stopped (output)) {
    gst_tfrc_ts_packetizer_finish (packetizer, collect, output);
    CHECK (output->stop_after != NEVER_STOP
        || packetizer->packets * GST_TFRC_TS_PACKET_BYTES + packetizer->garbage_bytes == size);
  }
  CHECK (output->size <= packetizer->packets * GST_TFRC_TS_PACKET_BYTES);
  gst_tfrc_ts_packetizer_clear (packetizer);
  return result;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static guint8 whole_bytes[2 * MAX_BYTES], cut_bytes[2 * MAX_BYTES];
  Output whole = { whole_bytes, 0, sizeof whole_bytes, 0, NEVER_STOP, 0 };
  Output cut = { cut_bytes, 0, sizeof cut_bytes, 0, NEVER_STOP, 0 };
  GstTfrcTsPacketizer first, second;
  Input input = { bytes, size };
  uint8_t cuts[4];
  GstTfrcTsResult result;

  if (size > MAX_BYTES)
    return 0;
  if (pool == NULL)
    pool = gst_tfrc_packet_pool_new ();
  for (unsigned i = 0; i < sizeof cuts; i++)
    cuts[i] = take (&input, 1);
  result = packetize (&first, &whole, input.bytes, input.size, NULL, 0);
  CHECK (packetize (&second, &cut, input.bytes, input.size, cuts, sizeof cuts) == result);
  CHECK (whole.size == cut.size && memcmp (whole.bytes, cut.bytes, whole.size) == 0);
  CHECK (first.packets == second.packets && first.damages == second.damages
      && first.garbage_bytes == second.garbage_bytes);

  drop_nulls = TRUE;
  cut.size = cut.payloads = 0;
  cut.due_ns = 0;
  CHECK (packetize (&second, &cut, input.bytes, input.size, cuts, sizeof cuts) == result);
  if (result == GST_TFRC_TS_OK)
    CHECK (cut.size + second.nulls_dropped * GST_TFRC_TS_PACKET_BYTES == whole.size);
  for (size_t i = 0; i < cut.size; i += GST_TFRC_TS_PACKET_BYTES)
    CHECK (gst_tfrc_ts_get_pid (cut.bytes + i) != GST_TFRC_TS_PID_NULL);
  drop_nulls = FALSE;

  cut.size = cut.payloads = 0;
  cut.due_ns = 0;
  cut.stop_after = 1 + cuts[0] % 4;
  packetize (&second, &cut, input.bytes, input.size, cuts, sizeof cuts);
  return 0;
}
