/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of a trace as transport stream, and scaling to a mean rate */
#ifndef VOD_REPLAY_SCALE_H
#define VOD_REPLAY_SCALE_H

#include "trace.h"

/** Returns the number of TS packets that GStreamer's mpegtsmux makes of one pass of the trace,
 * with headers and tables. */
guint64 trace_ts_packets (const Trace *trace);

/** Returns the number of these packets for each frame, in coding order, with the tables in front of
 * the frame; to be freed with g_free(). */
guint *trace_frame_ts_packets (const Trace *trace);

/** Returns the mean rate of these packets, 188 bytes each, in bit/s. */
gdouble trace_ts_bitrate_bps (const Trace *trace);

/** Multiplies all frame sizes by one factor, so that the mean rate is as near to bitrate_bps as
 * whole bytes allow.  No frame becomes smaller than an access unit can be, or larger than
 * TRACE_MAX_FRAME_BYTES. Empty frames stay empty. */
gboolean trace_scale (Trace *trace, guint64 bitrate_bps, GError **error);

/** Returns whether every frame can be an access unit of its size. */
gboolean trace_check_sizes (const Trace *trace, GError **error);

#endif
