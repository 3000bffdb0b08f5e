/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver tells its sender of its player (docs/wire-format.md, "State"): how much time a packet
 * has, and how far packets may run ahead.  A plain value; no clock, no locks.
 *
 * Nothing here is checked against anything: a receiver that lies spoils the movie that it gets, and
 * nothing else.  Who computes with the numbers takes any of them. */
#ifndef GST_TFRC_PLAYOUT_H
#define GST_TFRC_PLAYOUT_H

#include <gst/gst.h>
#include <tfrc/wire.h>

G_BEGIN_DECLS

#define GST_TFRC_QUEUEING_UNKNOWN G_MAXUINT64

/** A packet that leaves at t is played in time if t <= due + delay_ns - queueing_ns. */
typedef struct
{
  guint64 delay_ns;    /**< L: a packet is played this long after it was due, and the least transit;
                            at most 132 s from a peer; 0: not told */
  guint64 queueing_ns; /**< Q: what the network delays packets beyond the least transit; at most
                            72 min from a peer; GST_TFRC_QUEUEING_UNKNOWN: not known */
  guint64 ahead_ns;    /**< how long before its due time a packet may arrive; 0: not at all */
  guint64 ahead_bytes; /**< payload that the receiver holds before it is due; 0: none */
} GstTfrcPlayout;

/** Nothing is told. */
#define GST_TFRC_PLAYOUT_INIT \
  { \
    .queueing_ns = GST_TFRC_QUEUEING_UNKNOWN \
  }

/** Convert between the value and its form in packets, where large numbers saturate. */
TfrcWirePlayout gst_tfrc_playout_to_wire (const GstTfrcPlayout *self);
GstTfrcPlayout gst_tfrc_playout_from_wire (const TfrcWirePlayout *wire);

/** Adds the fields `playout-delay-told', `queueing-delay' and `ahead-time-told' (guint64, ns) and
 * `ahead-bytes-told' (guint64) to @a stats. */
void gst_tfrc_playout_add_stats (const GstTfrcPlayout *self, GstStructure *stats);

G_END_DECLS
#endif
