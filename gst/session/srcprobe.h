/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that knows its sender's address probes that address (RFC 9000 section 9.1), so that a
 * stream that runs already begins here at once.
 *
 * A probe is a challenge before any packet has come from that address.  The first probe leaves at
 * the start, the next one 250 ms later.  The interval doubles each time, up to 2 s.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCPROBE_H
#define GST_TFRC_SRCPROBE_H

#include <glib.h>

G_BEGIN_DECLS

/** A plain value.  All zero: no probes. */
typedef struct
{
  gboolean is_active;
  guint64 due_ns;      /**< the next probe */
  guint64 interval_ns; /**< from the next probe to the one after it */
} GstTfrcSrcProbe;

/** Starts to probe; the first probe is due at once. */
void gst_tfrc_src_probe_start (GstTfrcSrcProbe *probe, guint64 now_ns);

/** Stops: a packet of the sender has come. */
void gst_tfrc_src_probe_stop (GstTfrcSrcProbe *probe);

/** Returns when the next probe is due; G_MAXUINT64: never. */
guint64 gst_tfrc_src_probe_next_ns (const GstTfrcSrcProbe *probe);

/** Returns whether a probe is due; the caller sends the probe at once. */
gboolean gst_tfrc_src_probe_take (GstTfrcSrcProbe *probe, guint64 now_ns);

G_END_DECLS
#endif
