/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation at the receiver, see receiver_handover.h. */
#include "receiver_handover.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* The time for which a phase may last without the packet that ends it */
#define PATIENCE_RTTS 4
#define MIN_PATIENCE_NS TFRC_NS_PER_S

/* Time between feedback packets without new data, after that time */
#define RARE_NS TFRC_NS_PER_S

/* Time from t1 until X_recv is of the new link alone, in round-trip times: late packets come for
 * one, and the interval of X_recv is two at most. */
#define MIXED_RTTS 3

/* The number of packets over the new link that are answered at once: one in the paper; more
 * here, so that the loss of one does no harm */
#define URGENT_PAPER 1
#define URGENT_DIRECT 3

/* The application did not use its rate if the allowed rate is this factor above the received
 * rate. */
#define DATA_LIMITED_FACTOR 1.25

/* ---- receiver ---------------------------------------------------------- */

void
tfrc_receiver_handover_init (TfrcReceiverHandover *handover, TfrcHandoverMode mode)
{
  memset (handover, 0, sizeof *handover);
  handover->mode = mode;
}

static void
set_phase (TfrcReceiverHandover *handover, TfrcHandoverPhase phase, uint64_t now_ns)
{
  handover->phase = phase;
  handover->phase_ns = now_ns;
}

void
tfrc_receiver_handover_set_link (TfrcReceiverHandover *handover, uint8_t link, uint64_t now_ns)
{
  handover->link = link;
  handover->awaited = true;
  if (handover->phase != TFRC_HANDOVER_NORMAL)
    return;
  handover->patience_ns = MIN_PATIENCE_NS;
  set_phase (handover, TFRC_HANDOVER_NORMAL, now_ns);
}

/* Returns the rate to keep: the received rate; or the allowed rate if the application did not
 * use it.  The application's last packets may have been a quiet scene. */
static double
wanted_rate_Bps (const TfrcHandoverBefore *before)
{
  return before->x_eq_Bps > DATA_LIMITED_FACTOR * before->x_recv_Bps ? before->x_eq_Bps
                                                                     : before->x_recv_Bps;
}

/* Shortly after a handover X_recv covers two links, with a gap between them or an overlap.  The
 * rate that the new history allows is known better. */
static bool
is_mixed (const TfrcReceiverHandover *handover, const TfrcHandoverBefore *before, uint64_t now_ns)
{
  uint64_t longest_us = before->rtt_us > handover->rtt_old_us ? before->rtt_us
                                                              : handover->rtt_old_us;

  return handover->new_link_ns != 0
      && tfrc_sub_ns (now_ns, handover->new_link_ns) < MIXED_RTTS * longest_us * TFRC_NS_PER_US;
}

/* A bandwidth that the application told is of the link that is left now, and nothing has shown it. */
static void
keep_no_bandwidth (TfrcReceiverHandover *handover)
{
  handover->hold_Bps = fmin (handover->hold_Bps, handover->kept_Bps);
  handover->rebuild_Bps = fmin (handover->rebuild_Bps, handover->kept_rebuild_Bps);
}

void
tfrc_receiver_handover_start (TfrcReceiverHandover *handover, const TfrcHandover *told,
    const TfrcHandoverBefore *before, uint64_t now_ns)
{
  if (handover->phase != TFRC_HANDOVER_NORMAL) {
    handover->abandoned++;
    keep_no_bandwidth (handover);
  } else if (is_mixed (handover, before, now_ns)) {
    keep_no_bandwidth (handover);
    handover->hold_Bps = fmin (handover->hold_Bps, before->x_eq_Bps);
    handover->rebuild_Bps = fmin (handover->rebuild_Bps, before->x_eq_Bps);
  } else {
    handover->hold_Bps = handover->kept_Bps = before->x_recv_Bps;
    handover->rebuild_Bps = handover->kept_rebuild_Bps = wanted_rate_Bps (before);
  }
  handover->bandwidth_told = told->bandwidth_Bps > 0;
  if (handover->bandwidth_told)
    handover->hold_Bps = handover->rebuild_Bps = told->bandwidth_Bps;
  handover->link = told->link;
  handover->awaited = true;
  handover->suppress_echo = told->suppress_echo;
  handover->rtt_old_us = before->rtt_us;
  handover->patience_ns = tfrc_max_ns (
      MIN_PATIENCE_NS, PATIENCE_RTTS * before->rtt_us * TFRC_NS_PER_US);
  handover->started++;
  set_phase (handover, TFRC_HANDOVER_STARTED, now_ns);
}

static void
abandon (TfrcReceiverHandover *handover, uint64_t now_ns)
{
  handover->abandoned++;
  set_phase (handover, TFRC_HANDOVER_NORMAL, now_ns);
}

uint64_t
tfrc_receiver_handover_repeat_ns (
    TfrcReceiverHandover *handover, uint64_t interval_ns, uint64_t now_ns)
{
  bool patient = tfrc_sub_ns (now_ns, handover->phase_ns) <= handover->patience_ns;

  if (!handover->awaited)
    return 0;
  if (!patient && handover->phase != TFRC_HANDOVER_NORMAL)
    abandon (handover, now_ns);
  return patient && interval_ns != 0 ? interval_ns : tfrc_max_ns (interval_ns, RARE_NS);
}

/* Was the packet certainly sent after the first answer from the new link, so that it carries
 * that answer's sample? The answer takes at most twice a sample of which it was one half. */
static bool
is_later_than_answer (const TfrcReceiverHandover *handover, uint32_t rtt_us, uint64_t now_ns)
{
  uint64_t longest_us = rtt_us > handover->rtt_old_us ? rtt_us : handover->rtt_old_us;

  return tfrc_sub_ns (now_ns, handover->phase_ns) >= 2 * longest_us * TFRC_NS_PER_US;
}

/* R = RTTo / 2 + RTTn / 2 */
static uint32_t
new_rtt_of_paper_us (const TfrcReceiverHandover *handover, uint32_t rtt_us)
{
  uint64_t ns = tfrc_sub_ns (2 * rtt_us * TFRC_NS_PER_US, handover->rtt_old_us * TFRC_NS_PER_US);

  ns = tfrc_max_ns (TFRC_MIN_RTT_NS, tfrc_min_ns (ns, TFRC_MAX_RTT_NS));
  return (uint32_t) (ns / TFRC_NS_PER_US);
}

static uint8_t
number_of (const TfrcReceiverHandover *handover)
{
  return (uint8_t) (handover->started % TFRC_HANDOVER_NUMBERS);
}

/* Returns the round-trip time of the new link, if this packet gives it; else 0. */
static uint32_t
new_rtt_us (const TfrcReceiverHandover *handover, const TfrcData *data, uint64_t now_ns)
{
  if (handover->suppress_echo)
    return is_later_than_answer (handover, data->rtt_us, now_ns) ? data->rtt_us : 0;
  /* Marks of an earlier handover, which this one has interrupted, do not count. */
  if (data->handover_number != number_of (handover))
    return 0;
  if (handover->mode == TFRC_HANDOVER_MODE_PAPER)
    return data->echo && data->rtt_us != 0 ? new_rtt_of_paper_us (handover, data->rtt_us) : 0;
  return data->direct ? data->rtt_us : 0;
}

TfrcHandoverAction
tfrc_receiver_handover_on_data (
    TfrcReceiverHandover *handover, const TfrcData *data, bool highest_seq, uint64_t now_ns)
{
  TfrcHandoverAction action = { 0 };
  bool on_new_link;

  /* Late packets are about earlier times.  Late packets with the new link's number belong to an
   * earlier handover, to the other link and back. */
  if (!highest_seq)
    return action;
  handover->newest_link = data->link;
  on_new_link = data->link == handover->link;
  if (on_new_link || tfrc_sub_ns (now_ns, handover->phase_ns) > handover->patience_ns)
    handover->awaited = false;
  if (handover->phase != TFRC_HANDOVER_NORMAL
      && tfrc_sub_ns (now_ns, handover->phase_ns) > handover->patience_ns)
    abandon (handover, now_ns);

  switch (handover->phase) {
    case TFRC_HANDOVER_NORMAL:
      return action;
    case TFRC_HANDOVER_STARTED:
    case TFRC_HANDOVER_OLD_LINK:
      if (on_new_link) {
        action.first_on_new_link = true;
        handover->urgent_left = handover->mode == TFRC_HANDOVER_MODE_PAPER ? URGENT_PAPER
                                                                           : URGENT_DIRECT;
        handover->new_link_ns = now_ns;
        set_phase (handover, TFRC_HANDOVER_NEW_LINK, now_ns);
        break;
      }
      if (handover->phase == TFRC_HANDOVER_STARTED)
        set_phase (handover, TFRC_HANDOVER_OLD_LINK, now_ns);
      action.urgent = true;
      return action;
    case TFRC_HANDOVER_NEW_LINK:
      if (!on_new_link)
        return action;
      action.rebuild_rtt_us = new_rtt_us (handover, data, now_ns);
      if (action.rebuild_rtt_us != 0) {
        action.rebuild_Bps = handover->rebuild_Bps;
        set_phase (handover, TFRC_HANDOVER_ECHO, now_ns);
        /* The sender waits until it may continue. */
        action.urgent = handover->mode == TFRC_HANDOVER_MODE_DIRECT;
        return action;
      }
      break;
    case TFRC_HANDOVER_ECHO:
      if (on_new_link && !data->echo) {
        handover->completed++;
        set_phase (handover, TFRC_HANDOVER_NORMAL, now_ns);
      }
      return action;
  }
  if (handover->urgent_left > 0) {
    handover->urgent_left--;
    handover->tell = action.urgent = true;
  }
  return action;
}

bool
tfrc_receiver_handover_counts (
    const TfrcReceiverHandover *handover, const TfrcData *data, bool highest_seq)
{
  return highest_seq || handover->started == 0 || data->link == handover->newest_link;
}

bool
tfrc_receiver_handover_arrives (const TfrcReceiverHandover *handover, const TfrcData *data)
{
  return handover->awaited && data->link == handover->link;
}

bool
tfrc_receiver_handover_takes_any_rtt (const TfrcReceiverHandover *handover, const TfrcData *data)
{
  return handover->mode == TFRC_HANDOVER_MODE_PAPER && handover->phase != TFRC_HANDOVER_NORMAL
      && data->echo && data->handover_number == number_of (handover);
}

void
tfrc_receiver_handover_fill (TfrcReceiverHandover *handover, TfrcFeedback *feedback)
{
  bool paper = handover->mode == TFRC_HANDOVER_MODE_PAPER;

  switch (handover->phase) {
    case TFRC_HANDOVER_NORMAL:
    case TFRC_HANDOVER_ECHO:
      return;
    case TFRC_HANDOVER_STARTED:
    case TFRC_HANDOVER_OLD_LINK:
      feedback->handover = true;
      break;
    case TFRC_HANDOVER_NEW_LINK:
      /* In the paper the last urgent feedback has HOn, and the periodic feedback after it does
       * not. */
      feedback->handover = !paper || handover->tell;
      feedback->new_link = true;
      break;
  }
  handover->tell = false;
  feedback->suppress_echo = handover->suppress_echo;
  feedback->bandwidth = handover->bandwidth_told;
  feedback->handover_number = feedback->handover ? number_of (handover) : 0;
  /* The sender may send twice as much. */
  feedback->x_recv_Bps = (uint32_t) fmin (handover->hold_Bps / 2, UINT32_MAX);
  if (paper)
    feedback->p = 0;
}

void
tfrc_receiver_handover_fill_stats (const TfrcReceiverHandover *handover, TfrcReceiverStats *stats)
{
  stats->handover_phase = handover->phase;
  stats->handovers = handover->started;
  stats->handovers_completed = handover->completed;
  stats->handovers_abandoned = handover->abandoned;
}

const char *
tfrc_receiver_handover_check (const TfrcReceiverHandover *handover)
{
  bool runs = handover->phase != TFRC_HANDOVER_NORMAL;
  bool waits = handover->phase == TFRC_HANDOVER_STARTED
      || handover->phase == TFRC_HANDOVER_OLD_LINK;

  if (handover->started != handover->completed + handover->abandoned + (runs ? 1 : 0))
    return "a handover is neither completed nor abandoned nor under way";
  if (runs && handover->patience_ns < MIN_PATIENCE_NS)
    return "a phase ends too soon";
  if (runs && !(handover->hold_Bps > 0 && handover->rebuild_Bps > 0))
    return "a handover has no rate to keep";
  if (runs && !waits && handover->new_link_ns == 0)
    return "the new link is in use, and nothing came over it";
  if (handover->urgent_left > URGENT_DIRECT)
    return "too many packets are answered at once";
  if (handover->urgent_left > 0 && handover->new_link_ns == 0)
    return "packets over the new link are answered before one came";
  return NULL;
}
