/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns the muxer's output into packets with due times.
 *
 * mpegtsmux (alignment=0) makes a buffer or a list of buffers of each access unit, with the start
 * time of the access unit.  The element vodspread turns these into buffers of seven TS packets
 * (1316 bytes) whose PTS is their due time.  A frame's TS packets are spread evenly over its
 * interval, and a buffer is due with the last of its seven TS packets.
 *
 * The next frame completes a buffer that a frame leaves incomplete.  At the end, null packets
 * complete it. */
#ifndef VOD_REPLAY_SPREAD_H
#define VOD_REPLAY_SPREAD_H

#include <gst/gst.h>

#define TS_PACKET_BYTES 188
#define SPREAD_PACKETS 7
#define SPREAD_BYTES (SPREAD_PACKETS * TS_PACKET_BYTES)

#define VOD_TYPE_SPREAD (vod_spread_get_type ())
G_DECLARE_FINAL_TYPE (VodSpread, vod_spread, VOD, SPREAD, GstElement)

/** `interval_ns': time between frames, or 0: all of a frame is due at its start */
GstElement *vod_spread_new (guint64 interval_ns);

/** Called for each frame before its packets are pushed, on the streaming thread.
 * `first', `last': the numbers, from 0, of the packets that carry the frame's first and last TS
 * packet; tables before the frame are a part of it */
typedef void (*VodSpreadFrameFunc) (guint64 first, guint64 last, gpointer user);

/** Call before the first frame. */
void vod_spread_watch (GstElement *spread, VodSpreadFrameFunc func, gpointer user);

#endif
