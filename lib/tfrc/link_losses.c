/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a damaged link explains the losses, see link_losses.h. */
#include "link_losses.h"

#include <math.h>
#include <string.h>

/* When this many packets are counted, all counts are halved, so that they are those of the last
 * 1000 to 2000 packets: at 640 kbit/s the last 16 to 33 s.  With half as many, a stream whose fast half
 * loses 2 % and whose slow half nothing could not be told from chance. */
#define MOST_PACKETS 2000.0

/* The losses of fewer packets say nothing about their growth: at 2 %, these have 10. */
#define LEAST_PACKETS 500.0

/* The weight of the newest round-trip time in the mean: a scene of a movie is longer than 16 of them. */
#define MEAN_WEIGHT (1.0 / 16)

#define DEVIATIONS 3.0

void
tfrc_link_losses_init (TfrcLinkLosses *losses, double allowance)
{
  memset (losses, 0, sizeof *losses);
  losses->allowance = allowance;
}

static void
add (TfrcLossShare *share, const TfrcLossShare *other)
{
  share->packets += other->packets;
  share->lost += other->lost;
}

static void
halve (TfrcLossShare *share)
{
  share->packets /= 2;
  share->lost /= 2;
}

/* A round-trip time has ended. */
static void
count_round_trip (TfrcLinkLosses *losses)
{
  bool is_fast = losses->now.packets > losses->mean_packets;

  losses->mean_packets += MEAN_WEIGHT * (losses->now.packets - losses->mean_packets);
  add (is_fast ? &losses->fast : &losses->slow, &losses->now);
  memset (&losses->now, 0, sizeof losses->now);
  if (losses->slow.packets + losses->fast.packets > MOST_PACKETS) {
    halve (&losses->slow);
    halve (&losses->fast);
  }
}

void
tfrc_link_losses_on_packet (TfrcLinkLosses *losses, uint64_t rtt_ns, uint64_t now_ns)
{
  if (losses->since_ns == 0)
    losses->since_ns = now_ns;
  if (rtt_ns > 0 && now_ns >= losses->since_ns + rtt_ns) {
    count_round_trip (losses);
    losses->since_ns = now_ns;
  }
  losses->now.packets++;
}

void
tfrc_link_losses_on_loss (TfrcLinkLosses *losses, uint32_t count)
{
  losses->now.packets += count;
  losses->now.lost += count;
}

/* Is the number of losses above the allowance by more than chance?  Losses of a link are rare, so
 * their variance is their mean. */
static bool
are_too_many (const TfrcLossShare *all, double allowance)
{
  double allowed = allowance * all->packets;

  return all->lost > allowed + DEVIATIONS * sqrt (allowed);
}

/* Is the part that is lost larger when the stream is fast, by more than chance?  The standard deviation
 * of the difference of two proportions, if both are the same */
static bool
grow_with_rate (const TfrcLinkLosses *losses, const TfrcLossShare *all)
{
  const TfrcLossShare *slow = &losses->slow, *fast = &losses->fast;
  double part;

  if (all->packets < LEAST_PACKETS || slow->packets == 0 || fast->packets == 0)
    return false;
  part = all->lost / all->packets;
  return fast->lost / fast->packets - slow->lost / slow->packets
      > DEVIATIONS * sqrt (part * (1 - part) * (1 / slow->packets + 1 / fast->packets));
}

bool
tfrc_link_losses_are_likely (const TfrcLinkLosses *losses)
{
  TfrcLossShare all = losses->slow;

  add (&all, &losses->fast);
  if (grow_with_rate (losses, &all))
    return false;
  add (&all, &losses->now);
  return !are_too_many (&all, losses->allowance);
}
