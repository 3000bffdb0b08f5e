/* What a trace needs in a transport stream, and scaling it to a mean rate. */
#ifndef VOD_REPLAY_SCALE_H
#define VOD_REPLAY_SCALE_H

#include "trace.h"

/** How many TS packets GStreamer's mpegtsmux makes of one pass of the trace:
 * all of them count, headers and tables included. */
guint64 trace_ts_packets (const Trace *trace);

/** The mean rate of these packets, 188 bytes each, in bit/s. */
gdouble trace_ts_bitrate_bps (const Trace *trace);

/** Multiplies all frame sizes by one factor, so that the mean rate becomes as
 * near to this as whole bytes allow.  No frame becomes smaller than an access
 * unit can be, or greater than TRACE_MAX_FRAME_BYTES; empty ones stay so. */
gboolean trace_scale (Trace *trace, guint64 bitrate_bps, GError **error);

/** Whether every frame can be made an access unit of its size. */
gboolean trace_check_sizes (const Trace *trace, GError **error);

#endif
