/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the times by clock references (gst/tfrcsink/pcrpace.h): packets of a transport stream, with and
 * without references, of any bytes, and the end of a stream. Packets come out in their order, times do not
 * go back, the step from one packet to the next is bounded, and the end lets all go. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "gst/tfrcsink/pcrpace.h"
#include "gst/tfrcsink/tsheader.h"
#include "initgst.h"
#include "libs/pcrmovie.h"

#define MAX_BYTES 65536
#define MAX_REPEATS_SHIFT 12 /* 4096 packets, more than wait at most */
#define MAX_PACKETS 10000    /* of an input, to stay fast */
#define PER_PACKET 7         /* of the transport stream, in a packet */
/* The packets here have one reference at most, so a packet and the one before touch two intervals. */
#define MAX_STEP_NS (2 * GST_TFRC_PCR_MAX_INTERVAL_NS)

enum
{
  EVENT_PLAIN, /* any number of packets without references */
  EVENT_PCR,   /* a packet that has a reference, at any place */
  EVENT_STEP,  /* the same, as much later than the last one as a stream allows */
  EVENT_BYTES, /* a packet of any bytes */
  EVENT_FINISH,
  EVENT_CLEAR,
  N_EVENTS
};

static GstTfrcPacketPool *pool;
static GstTfrcPcrPace *pace;
static guint64 added, taken; /* packets since the last start */
static guint64 all;          /* packets of the input */
static guint64 last_ns, ticks;
static gboolean has_time;

static void
begin (void)
{
  added = taken = 0;
  has_time = FALSE;
}

static void
take_all (void)
{
  GstTfrcPacket *packet;
  guint64 time_ns;

  while ((packet = gst_tfrc_pcr_pace_take (pace, &time_ns)) != NULL) {
    guint number;

    memcpy (&number,
        gst_tfrc_packet_get_payload (packet) + GST_TFRC_TS_PACKET_BYTES - sizeof number,
        sizeof number);
    CHECK (number == (guint) taken++);
    CHECK (!has_time || time_ns != G_MAXUINT64);
    CHECK (!has_time || (time_ns >= last_ns && time_ns - last_ns <= MAX_STEP_NS));
    has_time |= time_ns != G_MAXUINT64;
    last_ns = time_ns;
    gst_tfrc_packet_unref (packet);
  }
  CHECK (added - taken < GST_TFRC_PCR_MAX_HELD);
}

/* Adds a packet, which bears its number at the end of its first part. */
static void
add (const guint8 *payload, guint parts)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  guint number = (guint) added++;
  guint8 *to = gst_tfrc_packet_payload (packet);

  memcpy (to, payload, parts * GST_TFRC_TS_PACKET_BYTES);
  memcpy (to + GST_TFRC_TS_PACKET_BYTES - sizeof number, &number, sizeof number);
  gst_tfrc_packet_set_payload_bytes (packet, parts * GST_TFRC_TS_PACKET_BYTES);
  all++;
  gst_tfrc_pcr_pace_add (pace, packet);
  take_all ();
}

static void
add_written (Input *input, gboolean has_pcr)
{
  const guint choice = (guint) take (input, 1), parts = 1 + choice % PER_PACKET;
  guint8 payload[PER_PACKET * GST_TFRC_TS_PACKET_BYTES];

  for (guint i = 0; i < PER_PACKET; i++)
    pcr_write_plain (payload + i * GST_TFRC_TS_PACKET_BYTES, choice & 0x40 ? 0x100 : 0x101, i);
  if (has_pcr)
    pcr_write (
        payload + choice / PER_PACKET % parts * GST_TFRC_TS_PACKET_BYTES, ticks, choice & 0x80);
  add (payload, parts);
}

static void
add_bytes (Input *input)
{
  guint8 payload[GST_TFRC_TS_PACKET_BYTES] = { 0 };
  const gsize n = MIN (input->size, sizeof payload);

  memcpy (payload, input->bytes, n);
  input->bytes += n;
  input->size -= n;
  add (payload, 1);
}

static void
handle_event (Input *input)
{
  guint repeats;

  switch (take (input, 1) % N_EVENTS) {
    case EVENT_PLAIN:
      repeats = 1u << take (input, 1) % (MAX_REPEATS_SHIFT + 1);
      for (const Input at = *input; repeats > 0; repeats--) {
        *input = at;
        add_written (input, FALSE);
      }
      break;
    case EVENT_PCR:
      ticks = take (input, 6) % GST_TFRC_TS_PCR_WRAP;
      add_written (input, TRUE);
      break;
    case EVENT_STEP:
      ticks = (ticks + take (input, 2) * 1000) % GST_TFRC_TS_PCR_WRAP;
      add_written (input, TRUE);
      break;
    case EVENT_BYTES:
      add_bytes (input);
      break;
    case EVENT_FINISH:
      gst_tfrc_pcr_pace_finish (pace);
      take_all ();
      CHECK (taken == added);
      break;
    default:
      gst_tfrc_pcr_pace_clear (pace);
      begin ();
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };

  if (size > MAX_BYTES)
    return 0;
  init_gstreamer ();
  pool = gst_tfrc_packet_pool_new ();
  pace = gst_tfrc_pcr_pace_new ();
  begin ();
  all = 0;
  while (input.size > 0 && all < MAX_PACKETS)
    handle_event (&input);
  gst_tfrc_pcr_pace_free (pace);
  gst_tfrc_packet_pool_free (pool);
  return 0;
}
