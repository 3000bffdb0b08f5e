/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object tfrcsink, for the files of the element only.  The files call each other one way:
 * gsttfrcsink.c, the class, calls input, events and properties, which call the statistics. */
#ifndef GST_TFRC_SINK_OBJECT_H
#define GST_TFRC_SINK_OBJECT_H

#include <gst/base/gstbasesink.h>

#include "../common/gate.h"
#include "../common/notifier.h"
#include "../common/trace.h"
#include "../stream/sinkstream.h"
#include "../common/clock.h"
#include "duetime.h"
#include "gsttfrcsinksettings.h"
#include "tspacketizer.h"

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstBaseSink)

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);

struct _GstTfrcSink
{
  GstBaseSink parent;
  GstTfrcNotifier notifier;

  GstTfrcSinkSettings settings; /* under the object's lock */

  /* Exists in PAUSED and PLAYING.  The streaming thread uses the stream as long as it runs; other
   * threads use it inside the gate, which is closed while there is none. */
  GstTfrcSinkStream *stream;
  GstTfrcGate gate;
  GstTfrcTrace *trace; /* the stream's; NULL: none */

  /* streaming thread only */
  GstTfrcTsPacketizer packetizer;
  GstTfrcClockOffset clock_offset;
  gint64 timeline_ns; /* running time 0 on the monotonic clock, as the stream has been told */
  GstClockTime
      end_ns; /* running time at which the last buffer ends; GST_CLOCK_TIME_NONE: unknown */
  GstTfrcLateness lateness;
  GstTfrcPortion portion;
  gboolean dropped;    /* packets were dropped before the present buffer was queued */
  gboolean has_input;  /* a buffer has come since the start */
  gboolean knows_live; /* upstream has been asked whether it is live, see gsttfrcsinkinput.c */
  gboolean is_live;    /* the answer */
};

G_END_DECLS
#endif
