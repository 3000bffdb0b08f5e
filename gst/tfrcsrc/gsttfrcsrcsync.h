/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what is downstream of tfrcsrc plays on time: only then has a packet a deadline that the sender
 * is to be told.  A recorder has none, and would lose packets for nothing. */
#ifndef GST_TFRC_SRC_SYNC_H
#define GST_TFRC_SRC_SYNC_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** When the sender is told the playout delay */
typedef enum
{
  GST_TFRC_TELL_LATENCY_AUTO, /**< while something downstream synchronises to the clock */
  GST_TFRC_TELL_LATENCY_TRUE,
  GST_TFRC_TELL_LATENCY_FALSE
} GstTfrcTellLatency;

#define GST_TYPE_TFRC_TELL_LATENCY (gst_tfrc_tell_latency_get_type ())
GType gst_tfrc_tell_latency_get_type (void);

/** Returns whether a sink that @a pad leads to waits for the clock: a GstBaseSink with sync=true, behind
 * any elements and bins.  Sinks of other classes count as recorders, as nobody can ask them.
 *
 * Goes through the pipeline as it is now, which takes microseconds and the locks of its objects, one at
 * a time.  Any thread that holds none of them. */
gboolean gst_tfrc_src_is_synchronised (GstPad *pad);

G_END_DECLS
#endif
