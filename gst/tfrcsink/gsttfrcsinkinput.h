/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's input: from the pipeline's buffers to packets of a stream with the time when each is due,
 * and the end of the stream. */
#ifndef GST_TFRC_SINK_INPUT_H
#define GST_TFRC_SINK_INPUT_H

#include "duetime.h"
#include "pcrpace.h"
#include "rtpinput.h"
#include "tspacketizer.h"

G_BEGIN_DECLS

/** Part of a sink. For its streaming thread alone, unless a function says otherwise. */
typedef struct
{
  GstBaseSink *sink;
  GstTfrcSinkStream *stream;
  GstTfrcRtpInput rtp;
  GstTfrcTsPacketizer packetizer;
  GstTfrcDueTimes times;
  GstTfrcPcrPace *pace; /* of input without time stamps; NULL: buffers have their times */
  GstClockTime
      pace_ns;        /* running time of the first clock reference; GST_CLOCK_TIME_NONE: unknown */
  gboolean is_warned; /* the user, of input without time stamps */
  guint untimed_packets; /* so far; not counted after the warning */
  guint64 damages_told;  /* those of the transport stream at the last warning */
  guint64 lookahead_ns;  /* of the last buffer */
  gboolean dropped;      /* packets were dropped before the present buffer was queued */
  gboolean has_input;    /* a buffer has come since the start */
} GstTfrcSinkInput;

/** Begins with a new stream, and ends with it.  The thread that changes the state, while no streaming
 * thread runs.
 * @param stream lives until gst_tfrc_sink_input_stop() */
void gst_tfrc_sink_input_start (
    GstTfrcSinkInput *self, GstBaseSink *sink, GstTfrcSinkStream *stream);
void gst_tfrc_sink_input_stop (GstTfrcSinkInput *self);

/** Tells the stream that the pipeline plays, or is paused.  If @a playing, the sink has a clock and
 * a base time. The thread that changes the state. */
void gst_tfrc_sink_input_set_playing (GstTfrcSinkInput *self, gboolean playing);

/** Says what comes from now on. The streaming thread. */
void gst_tfrc_sink_input_set_caps (GstTfrcSinkInput *self, const GstCaps *caps);

/** Takes note of an event, before the base class has it. */
void gst_tfrc_sink_input_event (GstTfrcSinkInput *self, GstEvent *event);

/** Takes one buffer. Waits until the buffer is due soon, and for room in the queue if `leaky' says
 * so. With the preroll lock, which is released during the waits.
 * @param lookahead_ns the time by which buffers are taken before they are due
 * @param drop_nulls leave out null packets */
GstFlowReturn gst_tfrc_sink_input_render (
    GstTfrcSinkInput *self, GstBuffer *buffer, guint64 lookahead_ns, gboolean drop_nulls);

/** Waits until the last buffer has ended. Sends the packets that are left, and waits until they have
 * left. The stream's limits bound both waits. With the preroll lock, too. */
GstFlowReturn gst_tfrc_sink_input_finish (GstTfrcSinkInput *self);

/** The stream has new limits, which the waits of gst_tfrc_sink_input_finish() look at again. Any thread, between
 * gst_tfrc_sink_input_start() and gst_tfrc_sink_input_stop(). */
void gst_tfrc_sink_input_limits_changed (GstTfrcSinkInput *self);

G_END_DECLS
#endif
