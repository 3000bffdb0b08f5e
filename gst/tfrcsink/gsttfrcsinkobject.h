/* The inside of tfrcsink, for the files of the element only. */
#ifndef GST_TFRC_SINK_PRIVATE_H
#define GST_TFRC_SINK_PRIVATE_H

#include "../common/gate.h"
#include "../common/notifier.h"
#include "../common/properties.h"
#include "../session/sinkstream.h"
#include "gsttfrcsink.h"
#include "gsttfrcsinksettings.h"
#include "tspacketizer.h"

G_BEGIN_DECLS

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

  /* streaming thread only */
  GstTfrcTsPacketizer packetizer;
  guint64 blocked_ns;  /* the part of the pipeline's lateness that waiting for room has caused */
  gboolean dropped;    /* packets were dropped before the present buffer was queued */
  gboolean knows_live; /* upstream has been asked whether it is live, see gsttfrcsinkinput.c */
};

/* gsttfrcsinkstats.c */

/** Returns the statistics as a structure that the caller owns.  Any thread. */
GstStructure *gst_tfrc_sink_get_stats (GstTfrcSink *self);

/* gsttfrcsinkproperties.c */
extern const GstTfrcProperty gst_tfrc_sink_properties[];

/** Copies the settings that may change while a stream runs.  Object's lock held. */
void gst_tfrc_sink_get_limits (const GstTfrcSinkSettings *settings, GstTfrcSinkLimits *limits);

/** Gives the stream, if there is one, all settings that may change while it runs. */
void gst_tfrc_sink_apply_settings (GstTfrcSink *self);

/* gsttfrcsinkevents.c: the events of a stream whose user is the element */
extern const GstTfrcSinkStreamEvents gst_tfrc_sink_events;

/* gsttfrcsinkinput.c; all on the streaming thread */

/** Takes one buffer, and waits for room in the queue if `leaky' says so. */
GstFlowReturn gst_tfrc_sink_input_render (GstTfrcSink *self, GstBuffer *buffer);

/** Sends the packets that are left, and waits until they have left. */
GstFlowReturn gst_tfrc_sink_input_finish (GstTfrcSink *self);

G_END_DECLS
#endif
