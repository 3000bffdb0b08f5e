/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the sender: a configuration, then any sequence of packets, feedback, timeouts and changes
 * of limits.  Rates stay finite and within their limits, and a deadline lies in the future after it
 * was served.
 *
 * make_corpus_events.py writes the same format. */
#include "events.h"

#define SECOND UINT64_C (1000000000)

typedef struct
{
  TfrcSender *sender;
  TfrcRttMethod rtt_method;
  TfrcRtoPolicy rto_policy;
  double min_Bps, max_Bps;
  double largest_segment_bytes;
  uint64_t now;
  uint64_t last_sent;
  uint64_t hold_end; /* the hold of the rate in a handover ends by then */
} Fuzz;

/* Takes the estimators of enhanced TFRC, of which some do not go together. */
static void
configure_estimators (Input *input, TfrcSenderConfig *config)
{
  unsigned what = take (input, 1);

  config->rtt_method = (TfrcRttMethod) (what & 3);
  config->rto_policy = (TfrcRtoPolicy) (what >> 2 & 7);
  if (what & 32)
    config->rtt_samples = take (input, 1);
  if (what & 64)
    config->rtt_rise_ns = take_duration (input);
  if (what & 128)
    config->initial_rtt_ns = take_duration (input);
}

static void
configure (Input *input, TfrcSenderConfig *config)
{
  unsigned what = take (input, 1);

  tfrc_sender_config_init (config);
  config->segment_size_bytes = take (input, 2);
  config->first_seq = take (input, 2);
  configure_estimators (input, config);
  config->oscillation_reduction = !(what & 1);
  if (what & 2)
    config->initial_rate_Bps = take_double (input);
  if (what & 4)
    config->min_rate_Bps = take_double (input);
  if (what & 8)
    config->max_rate_Bps = take_double (input);
  if (what & 16)
    config->rate_scale = take_double (input);
  if (what & 32)
    config->burst_limit_ns = take_duration (input);
  if (what & 64)
    config->feedback_floor_ns = take_duration (input);
  if (what & 128)
    config->timer_granularity_ns = take_duration (input);
}

/* Within the limits, the sender always allows one packet in 64 s. */
static double
least_Bps (const Fuzz *fuzz, double segment_bytes)
{
  return fmin (fmax (segment_bytes / 64, fuzz->min_Bps), fuzz->max_Bps);
}

/* The average is R of the default, and at most R of every method.  Eq. 4 leaves t_RTO at 4 R. */
static void
check_estimators (const Fuzz *fuzz, const TfrcSenderStats *stats)
{
  CHECK (stats->rtt_ns <= 17 * SECOND);
  CHECK ((stats->rtt_ns > 0) == (stats->rtt_average_ns > 0));
  CHECK (stats->rtt_average_ns <= stats->rtt_ns + 1);
  CHECK (stats->rtt_min_ns <= stats->rtt_sample_ns && stats->rtt_sample_ns <= stats->rtt_max_ns);
  if (fuzz->rtt_method == TFRC_RTT_METHOD_EWMA)
    CHECK (stats->rtt_average_ns == stats->rtt_ns);
  if (fuzz->rto_policy == TFRC_RTO_POLICY_ADAPTIVE)
    CHECK (fabs ((double) stats->equation_rto_ns - 4.0 * stats->rtt_ns)
        <= 3 + ROUNDING * stats->equation_rto_ns);
}

static void
check (Fuzz *fuzz)
{
  TfrcSenderStats stats;
  double least, guarded;

  tfrc_sender_get_stats (fuzz->sender, &stats);
  fuzz->largest_segment_bytes = fmax (fuzz->largest_segment_bytes, stats.segment_size_bytes);
  least = least_Bps (fuzz, stats.segment_size_bytes) * (1 - ROUNDING);
  CHECK (stats.x_Bps >= least && stats.x_Bps <= fuzz->max_Bps);
  CHECK (stats.x_inst_Bps >= least && stats.x_inst_Bps <= fuzz->max_Bps);
  CHECK (isfinite (stats.x_eq_Bps) && stats.x_eq_Bps >= 0);
  CHECK (stats.recv_limit_Bps >= 0);
  CHECK (stats.p >= 0 && stats.p <= 1);
  check_estimators (fuzz, &stats);
  CHECK (stats.queue_guard_Bps > 0);
  /* The least rate grows at once when segments grow.  When they shrink, it shrinks with the next
   * feedback. */
  guarded = fmax (stats.queue_guard_Bps, least_Bps (fuzz, fuzz->largest_segment_bytes));
  CHECK (stats.x_inst_Bps <= guarded * (1 + ROUNDING));
}

static void
send (Fuzz *fuzz, uint32_t bytes)
{
  uint64_t next = tfrc_sender_next_send_ns (fuzz->sender);
  TfrcData data;
  TfrcResult result = tfrc_sender_prepare (fuzz->sender, bytes, fuzz->now, &data);

  CHECK (result == TFRC_OK || result == TFRC_ERROR_TOO_EARLY
      || (result == TFRC_ERROR_ARGUMENT && (bytes == 0 || bytes > 65535)));
  CHECK ((result == TFRC_ERROR_TOO_EARLY) == (result != TFRC_ERROR_ARGUMENT && fuzz->now < next));
  if (result != TFRC_OK)
    return;
  CHECK (tfrc_sender_next_send_ns (fuzz->sender) > next);
  fuzz->last_sent = fuzz->now;
}

/* The rate is held while the receiver asks for a hold, but not for longer than max (4 R, 1 s). */
static void
check_hold (Fuzz *fuzz, const TfrcFeedback *feedback, const TfrcSenderStats *before)
{
  TfrcSenderStats after;

  tfrc_sender_get_stats (fuzz->sender, &after);
  if (!after.holding)
    return;
  CHECK (feedback->handover);
  if (!before->holding)
    fuzz->hold_end = fuzz->now + (before->rtt_ns > SECOND / 4 ? 4 * before->rtt_ns : SECOND);
  CHECK (fuzz->now < fuzz->hold_end);
}

/* The sender is in slow start only if it was before, or if p of all losses allows that; or in a
 * handover. */
static bool
is_response_right (const Fuzz *fuzz, const TfrcFeedback *feedback, const TfrcSenderStats *before)
{
  TfrcSenderStats after;

  tfrc_sender_get_stats (fuzz->sender, &after);
  if (after.loss_response == TFRC_LOSS_RESPONSE_CONGESTION_ONLY && !feedback->classified)
    return false;
  if (after.congestion_p < 0 || after.congestion_p > 1)
    return false;
  if (after.loss_response == TFRC_LOSS_RESPONSE_ALL && after.slow_start != (after.p == 0))
    return false;
  return !after.slow_start || before->slow_start || feedback->handover || feedback->new_link
      || !feedback->has_state || feedback->loss_events == 0;
}

static void
give_feedback (Fuzz *fuzz, Input *input)
{
  TfrcFeedback feedback = { 0 };
  unsigned what = take (input, 1);
  TfrcSenderStats before;
  TfrcResult result;

  /* about the last packet sent, or with any time stamp */
  feedback.recv_data_us = what & 1 ? (uint32_t) take (input, 4)
                                   : tfrc_sender_wire_time_us (fuzz->sender, fuzz->last_sent);
  feedback.delay_us = what & 2 ? take (input, 4) : 0;
  feedback.x_recv_Bps = take (input, 4);
  feedback.p = what & 4 ? take_double (input) : (double) take (input, 4) / UINT32_MAX;
  feedback.has_state = !(what & 8);
  feedback.number = take (input, what & 16 ? 4 : 1);
  feedback.loss_events = take (input, what & 32 ? 4 : 1);
  if (what & 64) {
    unsigned handover = take (input, 1);

    feedback.handover = handover & 1;
    feedback.new_link = handover & 2;
    feedback.suppress_echo = handover & 4;
    feedback.bandwidth = handover & 8;
    feedback.handover_number = handover >> 4;
  }
  if (what & 128) {
    feedback.classified = true;
    feedback.link_errors = take (input, 1);
    feedback.congestion_p = what & 4 ? take_double (input) : (double) take (input, 4) / UINT32_MAX;
  }
  tfrc_sender_get_stats (fuzz->sender, &before);
  result = tfrc_sender_on_feedback (fuzz->sender, &feedback, fuzz->now);
  if (result == TFRC_OK)
    check_hold (fuzz, &feedback, &before);
  CHECK (result != TFRC_ERROR_ARGUMENT);
  CHECK (result != TFRC_OK || (feedback.p >= 0 && feedback.p <= 1));
  CHECK (result != TFRC_OK || !feedback.classified
      || (feedback.congestion_p >= 0 && feedback.congestion_p <= 1));
  CHECK (result != TFRC_OK || is_response_right (fuzz, &feedback, &before));
}

static void
set_limits (Fuzz *fuzz, Input *input)
{
  double min_Bps = take_double (input), max_Bps = take_double (input);

  if (tfrc_sender_set_rate_limits (fuzz->sender, min_Bps, max_Bps) != TFRC_OK)
    return;
  CHECK (min_Bps >= 0 && min_Bps <= CEILING_BPS);
  CHECK (max_Bps >= 0 && max_Bps <= CEILING_BPS);
  fuzz->min_Bps = min_Bps;
  fuzz->max_Bps = max_Bps > 0 ? max_Bps : CEILING_BPS;
}

static void
time_out (Fuzz *fuzz)
{
  uint64_t timeout = tfrc_sender_next_timeout_ns (fuzz->sender);

  if (timeout != TFRC_TIME_NEVER && timeout > fuzz->now)
    fuzz->now = timeout;
  tfrc_sender_on_timeout (fuzz->sender, fuzz->now);
  CHECK (tfrc_sender_next_timeout_ns (fuzz->sender) > fuzz->now);
}

static void
wait_to_send (Fuzz *fuzz)
{
  uint64_t next = tfrc_sender_next_send_ns (fuzz->sender);

  if (next > fuzz->now)
    fuzz->now = next;
}

static void
event (Fuzz *fuzz, Input *input)
{
  switch (take (input, 1) % 9) {
    case 0:
      fuzz->now += take_duration (input);
      break;
    case 1:
      send (fuzz, take (input, 3));
      break;
    case 2:
      wait_to_send (fuzz);
      send (fuzz, 1316);
      break;
    case 3:
      give_feedback (fuzz, input);
      break;
    case 4:
      time_out (fuzz);
      break;
    case 5:
      tfrc_sender_on_peer_alive (fuzz->sender, fuzz->now);
      break;
    case 6:
      tfrc_sender_cancel (fuzz->sender, take (input, 2));
      break;
    case 7:
      set_limits (fuzz, input);
      break;
    case 8:
      tfrc_sender_on_new_path (fuzz->sender, take_duration (input), fuzz->now);
      break;
  }
}

static void
live (const uint8_t *bytes, size_t size, bool queue_guard, TfrcLossResponse response)
{
  Input input = { bytes, size };
  TfrcSenderConfig config;
  Fuzz fuzz = { 0 };
  TfrcResult result;

  configure (&input, &config);
  config.queue_guard = queue_guard;
  config.loss_response = response;
  result = tfrc_sender_new (&fuzz.sender, &config);
  CHECK ((result == TFRC_OK) == (tfrc_sender_config_problem (&config) == NULL));
  if (result != TFRC_OK)
    return;
  fuzz.rtt_method = config.rtt_method;
  fuzz.rto_policy = config.rto_policy;
  fuzz.min_Bps = config.min_rate_Bps;
  fuzz.max_Bps = config.max_rate_Bps > 0 ? config.max_rate_Bps : CEILING_BPS;
  while (input.size > 0) {
    event (&fuzz, &input);
    check (&fuzz);
  }
  tfrc_sender_free (fuzz.sender);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  live (bytes, size, false, TFRC_LOSS_RESPONSE_ALL);
  live (bytes, size, true, TFRC_LOSS_RESPONSE_ALL); /* tfrcsink's default */
  live (bytes, size, true, TFRC_LOSS_RESPONSE_CONGESTION_ONLY);
  return 0;
}
