/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport streams with clock references (PCR), made by hand */
#ifndef PCRMOVIE_H
#define PCRMOVIE_H

#include <glib.h>
#include <string.h>

#define PCR_TS_BYTES 188
#define PCR_PER_MS G_GUINT64_CONSTANT (27000) /* ticks */

/* Writes a packet without a clock reference. @i: what tells it from others */
static inline void
pcr_write_plain (guint8 *ts_packet, guint pid, guint i)
{
  memset (ts_packet, 0, PCR_TS_BYTES);
  ts_packet[0] = 0x47;
  ts_packet[1] = (guint8) (pid >> 8);
  ts_packet[2] = (guint8) pid;
  ts_packet[3] = (guint8) (0x10 | (i & 0x0f));
  ts_packet[180] = (guint8) (i >> 8);
  ts_packet[181] = (guint8) i;
}

/* Makes it one with a clock reference. @ticks: of 27 MHz; @is_jump: discontinuity_indicator */
static inline void
pcr_write (guint8 *ts_packet, guint64 ticks, gboolean is_jump)
{
  const guint64 base = ticks / 300, extension = ticks % 300;

  ts_packet[3] |= 0x20;
  ts_packet[4] = 7;
  ts_packet[5] = (guint8) (0x10 | (is_jump ? 0x80 : 0));
  ts_packet[6] = (guint8) (base >> 25);
  ts_packet[7] = (guint8) (base >> 17);
  ts_packet[8] = (guint8) (base >> 9);
  ts_packet[9] = (guint8) (base >> 1);
  ts_packet[10] = (guint8) ((base & 1) << 7 | 0x7e | extension >> 8);
  ts_packet[11] = (guint8) extension;
}

#endif
