/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set, see recv_set.h. */
#include "recv_set.h"

#include <math.h>

#include "units.h"

void
tfrc_recv_set_init (TfrcRecvSet *set, uint64_t now_ns)
{
  tfrc_recv_set_replace (set, INFINITY, now_ns);
}

void
tfrc_recv_set_replace (TfrcRecvSet *set, double x_recv_Bps, uint64_t now_ns)
{
  set->items[0].x_recv_Bps = x_recv_Bps;
  set->items[0].time_ns = now_ns;
  set->n = 1;
}

double
tfrc_recv_set_max (const TfrcRecvSet *set)
{
  double max_Bps = set->items[0].x_recv_Bps;

  for (unsigned i = 1; i < set->n; i++)
    max_Bps = fmax (max_Bps, set->items[i].x_recv_Bps);
  return max_Bps;
}

/* Keeps the items from first on. */
static void
drop_before (TfrcRecvSet *set, unsigned first)
{
  for (unsigned i = first; i < set->n; i++)
    set->items[i - first] = set->items[i];
  set->n -= first;
}

void
tfrc_recv_set_update (TfrcRecvSet *set, double x_recv_Bps, uint64_t rtt_ns, uint64_t now_ns)
{
  uint64_t oldest_ns = tfrc_sub_ns (now_ns, 2 * rtt_ns);
  unsigned first = 0;

  while (first < set->n && set->items[first].time_ns < oldest_ns)
    first++;
  drop_before (set, first);
  if (set->n == TFRC_RECV_SET_SIZE)
    drop_before (set, 1);
  set->items[set->n].x_recv_Bps = x_recv_Bps;
  set->items[set->n].time_ns = now_ns;
  set->n++;
}

void
tfrc_recv_set_maximize (TfrcRecvSet *set, double x_recv_Bps, uint64_t now_ns)
{
  double max_Bps = x_recv_Bps;

  for (unsigned i = 0; i < set->n; i++) {
    if (!isinf (set->items[i].x_recv_Bps))
      max_Bps = fmax (max_Bps, set->items[i].x_recv_Bps);
  }
  tfrc_recv_set_replace (set, max_Bps, now_ns);
}

void
tfrc_recv_set_halve (TfrcRecvSet *set)
{
  for (unsigned i = 0; i < set->n; i++)
    set->items[i].x_recv_Bps /= 2;
}
