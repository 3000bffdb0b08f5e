/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times in a transport stream, see tstimes.h */
#include "tstimes.h"

#define SYNC_BYTE 0x47
/* The end of the file that is searched for the last time: a second at 8 Mbit/s */
#define TAIL_BYTES (64 * TS_TIMES_CHUNK_BYTES)
/* Places that are looked at for a clock that begins anew: of recordings that are joined, each of which is more than a
 * sixteenth of the file, one after another is found. */
#define SAMPLES 16
/* Pictures come in the order of decoding, so that their times go back by some pictures. */
#define REORDER_TICKS TS_TIMES_PER_S

gsize
ts_times_find_packet (const guint8 *data, gsize bytes, gsize at)
{
  for (; at + GST_TFRC_TS_PACKET_BYTES <= bytes; at++)
    if (data[at] == SYNC_BYTE
        && (at + GST_TFRC_TS_PACKET_BYTES == bytes
            || data[at + GST_TFRC_TS_PACKET_BYTES] == SYNC_BYTE))
      return at;
  return bytes;
}

guint64
ts_times_read (const GstTfrcTsHeader *header)
{
  const guint8 *at = header->payload;

  if (header->is_scrambled || header->payload_bytes < 14 || at[0] != 0 || at[1] != 0 || at[2] != 1
      || (at[6] & 0xc0) != 0x80 || (at[7] & 0x80) == 0 || at[8] < 5)
    return TS_TIMES_NONE;
  return (guint64) (at[9] & 0x0e) << 29 | (guint64) at[10] << 22 | (guint64) (at[11] & 0xfe) << 14
      | (guint64) at[12] << 7 | at[13] >> 1;
}

/* Finds the next packet with a time in the chunk.
 *
 * @at: moved behind it
 * @return its time; TS_TIMES_NONE: there is none */
static guint64
next_ticks (const TsTimes *self, gsize bytes, gsize *at)
{
  while ((*at = ts_times_find_packet (self->chunk, bytes, *at)) < bytes) {
    GstTfrcTsHeader header;
    guint64 pts = TS_TIMES_NONE;

    gst_tfrc_ts_header_read (&header, self->chunk + *at);
    *at += GST_TFRC_TS_PACKET_BYTES;
    if (header.pid == self->pid && header.starts_unit && !header.is_damaged)
      pts = ts_times_read (&header);
    if (pts != TS_TIMES_NONE)
      return (pts - self->first_pts) & TS_TIMES_MASK;
  }
  return TS_TIMES_NONE;
}

guint64
ts_times_find_last (const TsTimes *self, guint64 bytes)
{
  guint64 offset = bytes - MIN (TAIL_BYTES, bytes), last = TS_TIMES_NONE, ticks;
  guint i;

  for (i = 0; i < TAIL_BYTES / TS_TIMES_CHUNK_BYTES; i++, offset += TS_TIMES_CHUNK_BYTES) {
    gsize n = splice_read (self->splice, offset, self->chunk, TS_TIMES_CHUNK_BYTES), at = 0;

    while ((ticks = next_ticks (self, n, &at)) != TS_TIMES_NONE)
      if (ticks <= TS_TIMES_MASK / 2 && (last == TS_TIMES_NONE || ticks >= last))
        last = ticks;
  }
  return last;
}

/* Packets may be cut by the ends of chunks: what begins in one of them is found in the next. */
static gboolean
find_next (const TsTimes *self, TsPlace *place, guint64 end)
{
  guint64 offset = place->offset;

  while (offset < end && !splice_is_interrupted (self->splice)) {
    gsize n = splice_read (self->splice, offset, self->chunk, TS_TIMES_CHUNK_BYTES), at = 0;

    place->ticks = next_ticks (self, n, &at);
    if (place->ticks != TS_TIMES_NONE)
      return TRUE;
    if (n < TS_TIMES_CHUNK_BYTES)
      return FALSE;
    offset += n;
  }
  return FALSE;
}

gboolean
ts_times_are_in_order (const TsTimes *self, TsPlace end, guint64 near_bytes)
{
  guint64 before = 0;
  guint i;

  for (i = 1; i < SAMPLES; i++) {
    TsPlace place = { .offset = end.offset / SAMPLES * i };

    if (!find_next (self, &place, MIN (end.offset, place.offset + near_bytes))
        || place.ticks + REORDER_TICKS < before)
      return FALSE;
    before = place.ticks;
  }
  return before <= end.ticks;
}

guint64
ts_times_bisect (const TsTimes *self, TsPlace low, TsPlace high, guint64 ticks, guint64 near_bytes)
{
  const guint64 start = low.offset;

  while (high.offset - low.offset > near_bytes) {
    TsPlace middle = { .offset = low.offset + (high.offset - low.offset) / 2 };

    if (!find_next (self, &middle, MIN (high.offset, middle.offset + near_bytes))
        || middle.ticks + REORDER_TICKS < low.ticks || middle.ticks > high.ticks + REORDER_TICKS)
      return start;
    if (middle.ticks <= ticks)
      low = middle;
    else
      high = middle;
  }
  return low.offset;
}
