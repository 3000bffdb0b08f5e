/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of tfrcsrc: packets of the stream become buffers. */
#ifndef GST_TFRC_SRC_OUTPUT_H
#define GST_TFRC_SRC_OUTPUT_H

#include "../common/clock.h"
#include "../stream/srcstream.h"

G_BEGIN_DECLS

/** Part of a source. For its streaming thread alone, unless a function says otherwise. */
typedef struct
{
  GstElement *element;
  GstTfrcSrcStream *stream;
  gboolean rtp; /* output is application/x-rtp */
  /* Packets that were taken from the stream at one time and have not left yet: those from next_pulled
   * on */
  GstTfrcPulled pulled[GST_TFRC_PULL_MAX_PACKETS];
  guint n_pulled, next_pulled;
  GstTfrcClockOffset clock_offset;
  GstClockTime last_time; /* of the last buffer */
} GstTfrcSrcOutput;

/** Begins with a new stream, and ends with it, when packets that have not left are freed.  The thread that
 * changes the state, while no streaming thread runs.
 * @param stream lives until gst_tfrc_src_output_stop() */
void gst_tfrc_src_output_start (
    GstTfrcSrcOutput *self, GstElement *element, GstTfrcSrcStream *stream);
void gst_tfrc_src_output_stop (GstTfrcSrcOutput *self);

/** Says whether buffers are whole RTP packets. */
void gst_tfrc_src_output_set_rtp (GstTfrcSrcOutput *self, gboolean rtp);

/** Returns the next buffer, which the caller owns; NULL: there is none until
 * gst_tfrc_src_output_pull() is called. */
GstBuffer *gst_tfrc_src_output_take (GstTfrcSrcOutput *self);

/** Waits for packets of the stream, if there is no buffer to take.  Posts a message if none comes within timeout_ns of the
 * stream's limits. */
GstTfrcPullResult gst_tfrc_src_output_pull (GstTfrcSrcOutput *self);

G_END_DECLS
#endif
