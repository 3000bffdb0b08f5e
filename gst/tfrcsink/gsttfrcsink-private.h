/* What the files of the element share.  Not for others. */
#ifndef GST_TFRC_SINK_PRIVATE_H
#define GST_TFRC_SINK_PRIVATE_H

#include "../common/notifier.h"
#include "gsttfrcsink.h"
#include "gsttfrcsinksettings.h"
#include "tspacketizer.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);

struct _GstTfrcSink
{
  GstBaseSink parent;
  GstTfrcNotifier notifier;

  /* under the object's lock */
  GstTfrcSinkSettings settings;
  GstTfrcSinkStream *stream; /* exists in PAUSED and PLAYING */

  /* streaming thread only */
  GstTfrcTsPacketizer packetizer;
  guint64 blocked_ns;  /* how much of the pipeline's lateness is ours */
  gboolean dropped;    /* before the present buffer was queued */
  gboolean knows_live; /* whether upstream is, see gsttfrcsinkinput.c */
};

/* gsttfrcsinkstats.c */

/** Returns the statistics of the stream, all zero without one; for the caller to free. */
GstStructure *gst_tfrc_sink_get_stats (GstTfrcSink *self);

/* gsttfrcsinkevents.c: for a stream whose user is the element */
extern const GstTfrcSinkStreamEvents gst_tfrc_sink_events;

/* gsttfrcsinkinput.c; all on the streaming thread */

/** Takes one buffer, waiting for room as `leaky' says. */
GstFlowReturn gst_tfrc_sink_input_render (GstTfrcSink *self, GstBuffer *buffer);

/** Sends what is left, and waits until it has left. */
GstFlowReturn gst_tfrc_sink_input_finish (GstTfrcSink *self);

G_END_DECLS
#endif
