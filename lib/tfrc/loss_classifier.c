/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss classifiers, see loss_classifier.h.  Spike and ZigZag are as in S. Cen, P. Cosman and
 * G. Voelker, "End-to-end differentiation of congestion and wireless losses", IEEE/ACM Transactions
 * on Networking 11 (5), 2003. */
#include "loss_classifier.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* TREND: the delay rises if it grows by more than this in a round-trip time.  Lt of enhanced TFRC,
 * for which the paper has no value. */
#define RISE_NS 1e6

/* SPIKE: a spike begins and ends at these parts of the range of the delays.  A range below MIN_NS
 * is the jitter of hosts, and no queue. */
#define SPIKE_BEGINS (1.0 / 2)
#define SPIKE_ENDS (1.0 / 3)
#define MIN_RANGE_NS 1e6

/* EMPTY_QUEUE: a delay above the least by no more than this is that of an empty queue.  CoDel drops from
 * a wait of 5 ms on, and a packet of 1500 bytes takes 2.4 ms at 5 Mbit/s: at 5 ms losses by CoDel would
 * count as link errors, at 1 ms every packet that meets another one would be congestion.  Below 4 Mbit/s
 * one such packet takes longer, and link errors behind it count as congestion.  On a path whose delay
 * jitters by more, without a queue, the jitter takes its place. */
#define EMPTY_QUEUE_NS 3e6

/* ZIGZAG: the mean and the deviation are known after this number of packets, which is the memory of
 * the mean. */
#define ZIGZAG_PACKETS 32

/* A sender that overloads a short queue for good sees a constant delay, which no method takes for
 * congestion. So while more than this part of the packets is lost, all losses are congestion. The
 * average has a memory of LOSS_RATE_PACKETS packets. */
#define MOST_LINK_ERRORS 0.1
#define LOSS_RATE_PACKETS 64.0

/* ---- the methods ------------------------------------------------------- */

/* Congestion if the delay was rising until the last packet before the gap */
static bool
trend (const TfrcLossClassifierState *state, uint32_t count)
{
  (void) count;
  return tfrc_one_way_delay_rise_ns (&state->delays) <= RISE_NS;
}

/* Is a queue holding packets, with this delay the newest? */
static bool
is_spike (const TfrcLossClassifierState *state, double delay_ns)
{
  const TfrcOneWayDelay *delays = &state->delays;
  double least_ns = delay_ns, range_ns = 0;

  if (delays->packets > 0) {
    least_ns = fmin (delays->least_ns, delay_ns);
    range_ns = fmax (delays->greatest_ns, delay_ns) - least_ns;
  }
  if (range_ns < MIN_RANGE_NS)
    return false;
  return delay_ns > least_ns + range_ns * (state->in_spike ? SPIKE_ENDS : SPIKE_BEGINS);
}

/* Congestion while a queue holds the packets */
static bool
spike (const TfrcLossClassifierState *state, uint32_t count)
{
  (void) count;
  return !is_spike (state, state->newest.delay_ns);
}

/* Congestion while a queue holds the packets, or could: Spike alone calls the drops of a queue that is
 * managed, and so never long, link errors. */
static bool
empty_queue (const TfrcLossClassifierState *state, uint32_t count)
{
  const TfrcOneWayDelay *delays = &state->delays;
  double most_ns = fmax (EMPTY_QUEUE_NS, delays->jitter_ns);

  return spike (state, count) && state->newest.delay_ns - delays->least_ns <= most_ns
      && tfrc_link_losses_are_likely (&state->losses);
}

/* Congestion if the first packet after the gap is late, the later the more packets are missing.
 * Several losses in a row are congestion rather than a link error. */
static bool
zigzag (const TfrcLossClassifierState *state, uint32_t count)
{
  static const double deviations[] = { [1] = 1, [2] = 0.5, [3] = 0 };
  const TfrcOneWayDelay *delays = &state->delays;
  double below = count < sizeof deviations / sizeof deviations[0] ? deviations[count] : 0.5;

  return delays->packets >= ZIGZAG_PACKETS
      && state->newest.delay_ns < delays->mean_ns - below * delays->deviation_ns;
}

typedef bool (*IsLinkErrorFunc) (const TfrcLossClassifierState *state, uint32_t count);

static const IsLinkErrorFunc methods[] = {
  [TFRC_LOSS_CLASSIFIER_TREND] = trend,
  [TFRC_LOSS_CLASSIFIER_SPIKE] = spike,
  [TFRC_LOSS_CLASSIFIER_ZIGZAG] = zigzag,
  [TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE] = empty_queue,
};

/* ---- packets ----------------------------------------------------------- */

bool
tfrc_loss_classifier_is_valid (TfrcLossClassifier method)
{
  return (unsigned) method < sizeof methods / sizeof methods[0];
}

void
tfrc_loss_classifier_init (
    TfrcLossClassifierState *state, TfrcLossClassifier method, double allowance)
{
  memset (state, 0, sizeof *state);
  state->method = method;
  tfrc_one_way_delay_init (&state->delays);
  tfrc_link_losses_init (&state->losses, allowance);
}

void
tfrc_loss_classifier_reset (TfrcLossClassifierState *state)
{
  tfrc_loss_classifier_init (state, state->method, tfrc_link_losses_allowance (&state->losses));
}

/* The newest packet is followed by another one. */
static void
add_newest (TfrcLossClassifierState *state)
{
  state->loss_rate *= 1 - 1 / LOSS_RATE_PACKETS;
  if (!state->is_newest_known)
    return;
  state->in_spike = is_spike (state, state->newest.delay_ns);
  tfrc_one_way_delay_add (&state->delays, &state->newest);
  state->is_newest_known = false;
}

void
tfrc_loss_classifier_on_packet (
    TfrcLossClassifierState *state, const TfrcData *data, uint64_t most_ns, uint64_t now_ns)
{
  add_newest (state);
  state->newest = tfrc_one_way_delay_measure (&state->delays, data, now_ns);
  if (state->delays.packets > 0
      && fabs (state->newest.delay_ns - state->delays.newest.delay_ns) > (double) most_ns) {
    tfrc_loss_classifier_reset (state);
    state->newest = tfrc_one_way_delay_measure (&state->delays, data, now_ns);
  }
  tfrc_link_losses_on_packet (&state->losses, data->rtt_us * TFRC_NS_PER_US, now_ns);
  state->is_newest_known = true;
}

void
tfrc_loss_classifier_on_unknown (TfrcLossClassifierState *state)
{
  add_newest (state);
}

bool
tfrc_loss_classifier_is_link_error (TfrcLossClassifierState *state, uint32_t count)
{
  IsLinkErrorFunc is_link_error = methods[state->method];

  tfrc_link_losses_on_loss (&state->losses, count);
  state->loss_rate = 1 - (1 - state->loss_rate) * pow (1 - 1 / LOSS_RATE_PACKETS, count);
  return is_link_error != NULL && state->loss_rate <= MOST_LINK_ERRORS && state->is_newest_known
      && tfrc_one_way_delay_covers_rtt (&state->delays) && is_link_error (state, count);
}
