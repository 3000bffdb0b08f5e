/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP sender that always has data, as other flows on its link see it: additive increase,
 * multiplicative decrease once per window, slow start, timeout.  Every packet is ACKed, in
 * order.  Lost data is not sent again, because a retransmission would be just another packet on
 * the link. */
#ifndef SIMRENO_H
#define SIMRENO_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 start_ns;
  double cwnd, ssthresh; /* packets */
  guint64 sent;          /* number of packets, so the number of the last one */
  guint64 acked;         /* the highest number ACKed */
  guint64 recover;       /* losses up to this number have been answered */
  guint64 timeout_ns;
  guint64 delivered; /* packets */
} SimReno;

void sim_reno_init (SimReno *reno, guint64 start_ns);

/* Returns when the sender may send, which may be in the past, or when its timeout ends. */
guint64 sim_reno_next_ns (const SimReno *reno);
gboolean sim_reno_may_send (const SimReno *reno, guint64 now);

/* Returns the packet's number; the first is 1. */
guint64 sim_reno_send (SimReno *reno);

/* The packets between seq and the last ACKed one are lost. */
void sim_reno_on_ack (SimReno *reno, guint64 seq, guint64 now);
void sim_reno_on_timeout (SimReno *reno, guint64 now);

G_END_DECLS
#endif
