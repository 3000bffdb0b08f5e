/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of a trace as transport stream, and scaling to a mean rate */
#include "scale.h"

#include "accessunit.h"

#define TS_PACKET_BYTES 188
#define TS_PAYLOAD_BYTES 184
#define PES_HEADER_BYTES 9
#define TIME_STAMP_BYTES 5
#define PCR_BYTES 8   /* adaptation field with a PCR */
#define FLAGS_BYTES 2 /* adaptation field with flags only */
/* mpegtsmux writes tables every 100 ms and a PCR every 40 ms, as soon as more than that time has
 * passed on its clock of 90 kHz. */
#define TABLES_TICKS 9000
#define PCR_TICKS 3600

typedef struct
{
  gboolean started;
  guint64 next_tables, next_pcr; /* in ticks */
} Muxer;

static guint64
ticks (const Trace *trace, guint64 interval)
{
  return trace_interval_start_ns (trace, interval) * 9 / 100000;
}

static guint
ts_packets (Muxer *muxer, const Trace *trace, guint at, guint32 frame_bytes)
{
  const TraceFrame *frame = &trace->frames[at];
  guint64 now = ticks (trace, at);
  guint bytes = frame_bytes + PES_HEADER_BYTES + TIME_STAMP_BYTES;
  guint packets, field_bytes = 0;

  if (frame->display + trace->reorder_delay != at)
    bytes += TIME_STAMP_BYTES; /* DTS and PTS differ, so both are written */
  if (!muxer->started || now > muxer->next_pcr) {
    muxer->next_pcr = now + PCR_TICKS;
    field_bytes = PCR_BYTES;
  } else if (frame->type == FRAME_TYPE_I) {
    field_bytes = FLAGS_BYTES;
  }
  bytes += field_bytes;
  packets = (bytes + TS_PAYLOAD_BYTES - 1) / TS_PAYLOAD_BYTES;
  /* Stuffing a single byte needs an adaptation field.  Without one, the muxer moves a byte to
   * another packet. */
  if (bytes % TS_PAYLOAD_BYTES == TS_PAYLOAD_BYTES - 1 && !(packets == 1 && field_bytes > 0))
    packets++;
  if (!muxer->started || now > muxer->next_tables) {
    muxer->next_tables = (muxer->started ? muxer->next_tables : now) + TABLES_TICKS;
    packets += 2;
  }
  muxer->started = TRUE;
  return packets;
}

static guint32
scaled_bytes (const TraceFrame *frame, gdouble factor, const gsize min_bytes[N_FRAME_TYPES])
{
  gdouble bytes = frame->bytes * factor + 0.5;

  if (frame->bytes == 0)
    return 0;
  return CLAMP (bytes, min_bytes[frame->type], TRACE_MAX_FRAME_BYTES);
}

static void
get_min_bytes (gsize min_bytes[N_FRAME_TYPES])
{
  guint type;

  for (type = 0; type < N_FRAME_TYPES; type++)
    min_bytes[type] = access_unit_min_bytes (type);
}

/* @of_frames: set to the numbers for each frame, or NULL */
static guint64
scaled_ts_packets (const Trace *trace, gdouble factor, guint *of_frames)
{
  Muxer muxer = { FALSE, 0, 0 };
  gsize min_bytes[N_FRAME_TYPES];
  guint64 packets = 0;
  guint i;

  get_min_bytes (min_bytes);
  for (i = 0; i < trace->n_frames; i++) {
    guint32 bytes = scaled_bytes (&trace->frames[i], factor, min_bytes);
    guint of_frame = bytes > 0 ? ts_packets (&muxer, trace, i, bytes) : 0;

    packets += of_frame;
    if (of_frames)
      of_frames[i] = of_frame;
  }
  return packets;
}

guint64
trace_ts_packets (const Trace *trace)
{
  return scaled_ts_packets (trace, 1, NULL);
}

guint *
trace_frame_ts_packets (const Trace *trace)
{
  guint *of_frames = g_new (guint, trace->n_frames);

  scaled_ts_packets (trace, 1, of_frames);
  return of_frames;
}

static gdouble
packets_to_bps (const Trace *trace, guint64 packets)
{
  return packets * TS_PACKET_BYTES * 8e9 / trace_interval_start_ns (trace, trace->n_frames);
}

gdouble
trace_ts_bitrate_bps (const Trace *trace)
{
  return packets_to_bps (trace, trace_ts_packets (trace));
}

gboolean
trace_scale (Trace *trace, guint64 bitrate_bps, GError **error)
{
  gdouble low = 0, high = 1;
  gsize min_bytes[N_FRAME_TYPES];
  guint i;

  if (packets_to_bps (trace, scaled_ts_packets (trace, 0, NULL)) > bitrate_bps)
    return trace_fail (trace->name, 0, error, "needs at least %.0f bit/s",
        packets_to_bps (trace, scaled_ts_packets (trace, 0, NULL)));
  while (packets_to_bps (trace, scaled_ts_packets (trace, high, NULL)) < bitrate_bps) {
    if (high >= TRACE_MAX_FRAME_BYTES)
      return trace_fail (
          trace->name, 0, error, "cannot be scaled up to %" G_GUINT64_FORMAT " bit/s", bitrate_bps);
    high *= 2;
  }
  for (i = 0; i < 40; i++) {
    gdouble middle = (low + high) / 2;

    if (packets_to_bps (trace, scaled_ts_packets (trace, middle, NULL)) < bitrate_bps)
      low = middle;
    else
      high = middle;
  }
  get_min_bytes (min_bytes);
  for (i = 0; i < trace->n_frames; i++)
    trace->frames[i].bytes = scaled_bytes (&trace->frames[i], high, min_bytes);
  return TRUE;
}

gboolean
trace_check_sizes (const Trace *trace, GError **error)
{
  gsize min_bytes[N_FRAME_TYPES];
  guint i;

  get_min_bytes (min_bytes);
  for (i = 0; i < trace->n_frames; i++) {
    const TraceFrame *frame = &trace->frames[i];

    if (frame->bytes > 0 && frame->bytes < min_bytes[frame->type])
      return trace_fail (trace->name, frame->line, error,
          "%c frame of %u bytes; the smallest possible has %" G_GSIZE_FORMAT, "IPB"[frame->type],
          frame -> bytes, min_bytes[frame->type]);
  }
  return TRUE;
}
