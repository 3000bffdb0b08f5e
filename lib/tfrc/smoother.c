/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smoother: spreads packets over a window of time, see <tfrc/smoother.h>.
 *
 * Every packet adds size / window to the rate, for one window from the time of its offer.  So the
 * rate is the mean rate of the offers in the last window.  A window has 32 slots, and a packet's
 * part of the rate ends at the border of a slot.  It ends before the last slot, and is higher by
 * as much, so that each packet adds exactly its size:
 *
 *   rate(t) = sum size_i / (end_i - t_i)  over packets with t_i <= t < end_i,
 *   window - slot < end_i - t_i <= window
 *
 * A packet may leave when the integral of the rate has reached the sum of all sizes before it.
 * That is so at the latest when the part of the last packet before it has ended: a window after
 * that packet's offer. */
#include <tfrc/tfrc.h>

#include <stdlib.h>
#include <string.h>

#include "units.h"

#define SLOTS 32
#define MIN_WINDOW_NS TFRC_NS_PER_US
#define MAX_WINDOW_NS (24 * 3600 * TFRC_NS_PER_S)

/* Up to this many bytes count as none: more than rounding, less than a byte */
#define TOLERANCE_BYTES 1e-3

struct TfrcSmoother
{
  uint64_t slot_ns;
  uint64_t now_ns; /* the time to which the fields below belong */
  uint64_t slot;   /* number of the slot that now_ns is in */
  /* bytes per ns, by the packets of slot n at n mod SLOTS; ends with slot n + SLOTS - 1 */
  double added[SLOTS];
  double rate;            /* their sum */
  double ahead_bytes;     /* bytes that were taken beyond the integral of the rate */
  uint64_t waiting_bytes; /* bytes that were offered and not taken */
};

TfrcResult
tfrc_smoother_new (TfrcSmoother **smoother, uint64_t window_ns)
{
  if (smoother == NULL)
    return TFRC_ERROR_ARGUMENT;
  *smoother = NULL;
  if (window_ns < MIN_WINDOW_NS || window_ns > MAX_WINDOW_NS)
    return TFRC_ERROR_ARGUMENT;
  *smoother = calloc (1, sizeof **smoother);
  if (*smoother == NULL)
    return TFRC_ERROR_NO_MEMORY;
  (*smoother)->slot_ns = window_ns / SLOTS;
  return TFRC_OK;
}

void
tfrc_smoother_free (TfrcSmoother *smoother)
{
  free (smoother);
}

void
tfrc_smoother_reset (TfrcSmoother *smoother)
{
  if (smoother == NULL)
    return;
  memset (smoother->added, 0, sizeof smoother->added);
  smoother->rate = smoother->ahead_bytes = 0;
  smoother->waiting_bytes = 0;
}

/* Returns the first slot whose packets still add to the rate in slot n. */
static uint64_t
first_in_force (uint64_t n)
{
  return n >= SLOTS ? n - SLOTS + 1 : 0;
}

/* Returns the rate of the slots that are in force now and from `first' on.  It is a fresh sum,
 * because differences would leave rounding errors. */
static double
rate_since (const TfrcSmoother *smoother, uint64_t first)
{
  double sum = 0;

  for (uint64_t n = first; n <= smoother->slot; n++)
    sum += smoother->added[n % SLOTS];
  return sum;
}

static void
enter_slot (TfrcSmoother *smoother, uint64_t slot)
{
  smoother->slot = slot;
  smoother->added[slot % SLOTS] = 0;
  smoother->rate = rate_since (smoother, first_in_force (slot));
}

static void
give (TfrcSmoother *smoother, uint64_t until_ns)
{
  smoother->ahead_bytes -= smoother->rate * (double) (until_ns - smoother->now_ns);
  smoother->now_ns = until_ns;
}

static void
advance (TfrcSmoother *smoother, uint64_t now_ns)
{
  uint64_t slot = now_ns / smoother->slot_ns;

  if (now_ns <= smoother->now_ns)
    return;
  for (int i = 0; i < SLOTS && smoother->slot < slot; i++) {
    give (smoother, (smoother->slot + 1) * smoother->slot_ns);
    enter_slot (smoother, smoother->slot + 1);
  }
  smoother->slot = slot;
  give (smoother, now_ns);
  /* Every packet has added its size: rounding errors end here. */
  if (smoother->rate <= 0)
    smoother->ahead_bytes = -(double) smoother->waiting_bytes;
}

void
tfrc_smoother_offer (TfrcSmoother *smoother, uint32_t size_bytes, uint64_t now_ns)
{
  double added;

  if (smoother == NULL)
    return;
  advance (smoother, now_ns);
  added = size_bytes / (double) ((smoother->slot + SLOTS) * smoother->slot_ns - smoother->now_ns);
  smoother->added[smoother->slot % SLOTS] += added;
  smoother->rate += added;
  smoother->waiting_bytes += size_bytes;
}

uint64_t
tfrc_smoother_next_ns (const TfrcSmoother *smoother)
{
  double ahead_bytes, rate;
  uint64_t time_ns;

  if (smoother == NULL)
    return TFRC_TIME_NEVER;
  ahead_bytes = smoother->ahead_bytes;
  rate = smoother->rate;
  time_ns = smoother->now_ns;
  for (uint64_t n = smoother->slot + 1;
       n <= smoother->slot + SLOTS && ahead_bytes > TOLERANCE_BYTES; n++) {
    uint64_t end_ns = n * smoother->slot_ns;
    double given_bytes = rate * (double) (end_ns - time_ns);

    if (given_bytes >= ahead_bytes)
      return time_ns + (uint64_t) (ahead_bytes / rate + 0.5);
    ahead_bytes -= given_bytes;
    time_ns = end_ns;
    rate -= smoother->added[n % SLOTS];
  }
  return time_ns;
}

void
tfrc_smoother_take (TfrcSmoother *smoother, uint32_t size_bytes)
{
  if (smoother == NULL)
    return;
  smoother->ahead_bytes += size_bytes;
  smoother->waiting_bytes -= size_bytes < smoother->waiting_bytes ? size_bytes
                                                                  : smoother->waiting_bytes;
}

void
tfrc_smoother_cancel (TfrcSmoother *smoother, uint32_t size_bytes)
{
  if (smoother == NULL)
    return;
  smoother->ahead_bytes -= size_bytes;
  smoother->waiting_bytes += size_bytes;
}

double
tfrc_smoother_get_rate_Bps (const TfrcSmoother *smoother, uint64_t now_ns)
{
  uint64_t now_slot;

  if (smoother == NULL)
    return 0;
  now_slot = tfrc_max_ns (now_ns, smoother->now_ns) / smoother->slot_ns;
  return rate_since (smoother, first_in_force (now_slot)) * 1e9;
}
