/* A TCP sender that always has something to send, as far as others on its link
 * notice: additive increase, multiplicative decrease once a window, slow
 * start, timeout.  Every packet is ACKed, in order.  What is lost is not sent
 * again, as that is just another packet on the link. */
#ifndef SIMRENO_H
#define SIMRENO_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 start_ns;
  double cwnd, ssthresh; /* packets */
  guint64 sent;          /* packets, which is the last one's number */
  guint64 acked;         /* the highest number */
  guint64 recover;       /* losses up to this one have been answered */
  guint64 timeout_ns;
  guint64 delivered; /* packets */
} SimReno;

void sim_reno_init (SimReno *reno, guint64 start_ns);

/* When it may send, which may have been before now, or gives up waiting */
guint64 sim_reno_next_ns (const SimReno *reno);
gboolean sim_reno_may_send (const SimReno *reno, guint64 now);

/* Returns the packet's number, from 1 on. */
guint64 sim_reno_send (SimReno *reno);

/* Packets between this one and the last ACKed are lost. */
void sim_reno_on_ack (SimReno *reno, guint64 seq, guint64 now);
void sim_reno_on_timeout (SimReno *reno, guint64 now);

G_END_DECLS
#endif
