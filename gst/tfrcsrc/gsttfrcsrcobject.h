/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object tfrcsrc, for the files of the element only.  The files call each other one way:
 * gsttfrcsrc.c, the class, calls output, handover, properties, URI handler and statistics; output
 * and properties call the statistics. */
#ifndef GST_TFRC_SRC_OBJECT_H
#define GST_TFRC_SRC_OBJECT_H

#include <gst/base/gstpushsrc.h>

#include "../common/clock.h"
#include "../common/gate.h"
#include "../common/notifier.h"
#include "../common/trace.h"
#include "../io/routes.h"
#include "../stream/srcstream.h"
#include "gsttfrcsrcsettings.h"

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SRC (gst_tfrc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSrc, gst_tfrc_src, GST, TFRC_SRC, GstPushSrc)

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);

struct _GstTfrcSrc
{
  GstPushSrc parent;
  GstTfrcNotifier notifier;
  GstTfrcRouteWatch *route_watch; /* from start to stop, with `auto-handover' */

  /* under the object's lock */
  GstTfrcSrcSettings settings;
  gboolean rtp; /* output is application/x-rtp; set while negotiating */

  /* Exists from start to stop.  The streaming thread uses the stream as long as it runs; other
   * threads use it inside the gate, which is closed while there is none. */
  GstTfrcSrcStream *stream;
  GstTfrcGate gate;
  GstTfrcTrace *trace; /* the stream's; NULL: none */

  /* All that follows is the streaming thread's only.  Packets that were taken from the stream at one
   * time and have not left yet: those from next_pulled on. */
  GstTfrcPulled pulled[GST_TFRC_PULL_MAX_PACKETS];
  guint n_pulled, next_pulled;
  GstTfrcClockOffset clock_offset;
  GstClockTime last_time; /* of the last buffer */
};

G_END_DECLS
#endif
