/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP sender, see simreno.h. */
#include "simreno.h"

#define INITIAL_WINDOW 2
#define LEAST_SSTHRESH 2.0
#define RTO_NS G_GUINT64_CONSTANT (1000000000) /* least RTO of RFC 6298 */

void
sim_reno_init (SimReno *reno, guint64 start_ns)
{
  *reno = (SimReno){
    .start_ns = start_ns,
    .cwnd = INITIAL_WINDOW,
    .ssthresh = G_MAXDOUBLE,
    .timeout_ns = start_ns + RTO_NS,
  };
}

/* ACKs come in order, so no packet below the highest ACK is under way. */
static gboolean
window_is_open (const SimReno *reno)
{
  return reno->sent - reno->acked < (guint64) reno->cwnd;
}

guint64
sim_reno_next_ns (const SimReno *reno)
{
  return window_is_open (reno) ? reno->start_ns : reno->timeout_ns;
}

gboolean
sim_reno_may_send (const SimReno *reno, guint64 now)
{
  return now >= reno->start_ns && window_is_open (reno);
}

guint64
sim_reno_send (SimReno *reno)
{
  return ++reno->sent;
}

static void
halve (SimReno *reno)
{
  reno->ssthresh = MAX (LEAST_SSTHRESH, reno->cwnd / 2);
  reno->cwnd = reno->ssthresh;
  reno->recover = reno->sent;
}

void
sim_reno_on_ack (SimReno *reno, guint64 seq, guint64 now)
{
  gboolean has_loss = seq > reno->acked + 1;

  reno->delivered++;
  if (seq <= reno->acked)
    return; /* the timeout has given it up */
  reno->acked = seq;
  reno->timeout_ns = now + RTO_NS;
  if (has_loss && seq > reno->recover)
    halve (reno);
  else if (reno->cwnd < reno->ssthresh)
    reno->cwnd += 1;
  else
    reno->cwnd += 1 / reno->cwnd;
}

void
sim_reno_on_timeout (SimReno *reno, guint64 now)
{
  if (now < reno->timeout_ns)
    return;
  halve (reno);
  reno->cwnd = 1;
  reno->acked = reno->sent;
  reno->timeout_ns = now + RTO_NS;
}
