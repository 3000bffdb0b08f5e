/* From the muxer's output to packets with a time of their own.
 *
 * The element vodspread takes what mpegtsmux (alignment=0) makes of an access
 * unit, a buffer or a list of them with the time of the access unit's start,
 * and gives buffers of seven TS packets (1316 bytes) whose PTS says when they
 * are due.  A frame's TS packets are spread evenly over its interval, and a
 * buffer is due with the last of its seven.  What is left of a frame is
 * completed by the next one; at the end, with null packets. */
#ifndef VOD_REPLAY_SPREAD_H
#define VOD_REPLAY_SPREAD_H

#include <gst/gst.h>

#define TS_PACKET_BYTES 188
#define SPREAD_PACKETS 7
#define SPREAD_BYTES (SPREAD_PACKETS * TS_PACKET_BYTES)

#define VOD_TYPE_SPREAD (vod_spread_get_type ())
G_DECLARE_FINAL_TYPE (VodSpread, vod_spread, VOD, SPREAD, GstElement)

/** `interval_ns' from frame to frame, or 0: all of a frame is due at its
 * start. */
GstElement *vod_spread_new (guint64 interval_ns);

#endif
