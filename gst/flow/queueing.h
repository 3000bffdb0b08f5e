/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What queueing a packet will meet that leaves when the sender has heard this: a forecast.
 *
 * The sender hears it half an R later, and what it sends then arrives up to 2 R after the forecast.  Until
 * then the queue goes on growing, so the newest queueing, or the most of the last R, is too little for
 * every second packet: and a sender with too little rate for its movie sends each packet at the last
 * moment, where too little is as bad as nothing.  So the forecast is
 *
 *     the most of the last one to two R  +  by how much that has been too little lately
 *
 * The *error* is judged by each packet that has obeyed a forecast: one of a feedback that left an R before
 * the packet came.  It grows at once, and falls by a tenth in a second.  What other streams do to the
 * queue is in it, whatever they are.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_QUEUEING_H
#define GST_TFRC_QUEUEING_H

#include "playout.h"

G_BEGIN_DECLS

/** Forecasts that are remembered.  Two in an R leave at most: one that is due, and one for a new loss
 * event. */
#define GST_TFRC_QUEUEING_FORECASTS 8

/** For queueing.c alone; all zero: nothing is known */
typedef struct
{
  gboolean is_known;
  guint64 window_ns;  /* when the current window began */
  guint64 most_ns[2]; /* queueing in the current window and in the one before */
  guint64 error_ns;
  guint64 arrival_ns; /* of the last packet */
  struct
  {
    guint64 time_ns, most_ns;
  } told[GST_TFRC_QUEUEING_FORECASTS]; /* a ring; without the error */
  guint n_told;
} GstTfrcQueueing;

/** Another path or another clock: nothing is known. */
void gst_tfrc_queueing_forget (GstTfrcQueueing *self);

/** A packet has come.
 * @param queueing_ns that it has met
 * @param rtt_ns R; 0: unknown */
void gst_tfrc_queueing_on_packet (
    GstTfrcQueueing *self, guint64 queueing_ns, guint64 rtt_ns, guint64 arrival_ns);

/** The sender is told the forecast now. */
void gst_tfrc_queueing_on_told (GstTfrcQueueing *self, guint64 now_ns);

/** Returns the forecast; GST_TFRC_QUEUEING_UNKNOWN: no packet has come. */
guint64 gst_tfrc_queueing_get_ns (const GstTfrcQueueing *self);

G_END_DECLS
#endif
