/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's response to feedback (RFC 5348 section 4.3) */
#include <math.h>

#include "loss_response.h"
#include "sender_trace.h"
#include "units.h"

/* Step 4: the discount of X_recv on a loss in a data-limited interval */
#define DATA_LIMITED_LOSS_FACTOR 0.85

/* A first sample above the initial R by more than this factor shows that the initial R was wrong. */
#define INITIAL_RTT_FACTOR 2

/* ---- which feedback ---------------------------------------------------- */

/* Makes all checks that need no shared secret, see feedback_record.h. */
static TfrcResult
validate (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns, uint64_t *t_new_ns)
{
  TfrcFeedbackContext context = { 0 };

  if (sender->packets_sent == 0)
    return tfrc_feedback_record_has_valid_p (feedback) ? TFRC_ERROR_NOT_SENT : TFRC_ERROR_RANGE;
  context.now_ns = tfrc_truncate_to_us (now_ns);
  context.now_wire_us = tfrc_sender_wire_time_us (sender, now_ns);
  context.first_send_ns = tfrc_truncate_to_us (sender->first_send_ns);
  context.last_send_ns = tfrc_truncate_to_us (sender->last_send_ns);
  context.interval_ns = tfrc_allowed_rate_feedback_interval_ns (&sender->rate);
  return tfrc_feedback_record_check (&sender->feedback, feedback, &context, t_new_ns);
}

/* In slow start only X itself remembers X.  Cuts by the nofeedback timer since stand. */
static void
take_back_hold (TfrcSender *sender)
{
  sender->rate.path = sender->before_hold;
  if (!tfrc_nofeedback_timer_has_backed_off (&sender->nofeedback))
    tfrc_allowed_rate_set (&sender->rate, tfrc_sender_handover_before_Bps (&sender->handover));
  tfrc_sender_handover_take_back (&sender->handover);
}

/* Returns the feedback, limited to values that can be true. */
static TfrcFeedback
believe (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t now_ns)
{
  TfrcSenderHandoverContext context = { 0 };
  TfrcDistrustContext sent = { 0 };
  TfrcFeedback believed = *feedback;
  uint64_t hold_end_ns;

  sent.interval_ns = tfrc_allowed_rate_feedback_interval_ns (&sender->rate);
  sent.longest_interval_ns = tfrc_allowed_rate_longest_interval_ns (&sender->rate);
  sent.rtt_is_known = tfrc_allowed_rate_knows_rtt (&sender->rate);
  sent.segment_bytes = tfrc_allowed_rate_segment_bytes (&sender->rate);
  sent.t_new_ns = t_new_ns;
  sent.now_ns = now_ns;
  believed.x_recv_Bps = tfrc_distrust_x_recv_Bps (&sender->distrust, feedback->x_recv_Bps, &sent);
  context.x_Bps = sender->rate.x_Bps;
  context.data_limited = sender->was_data_limited
      && !tfrc_careful_resume_is_unproven (&sender->resume);
  context.rtt_ns = tfrc_allowed_rate_rtt_ns (&sender->rate);
  if (context.rtt_ns > 0)
    context.least_Bps = tfrc_allowed_rate_segment_bytes (&sender->rate)
        / tfrc_ns_to_s (context.rtt_ns);
  context.most_Bps = tfrc_distrust_most_Bps (&sender->distrust);
  context.bytes_sent = sender->bytes_sent;
  context.now_ns = now_ns;
  if (!tfrc_sender_handover_is_holding (&sender->handover))
    sender->before_hold = sender->rate.path;
  believed.handover = tfrc_sender_handover_on_feedback (&sender->handover, &believed, &context);
  hold_end_ns = tfrc_sender_handover_hold_end_ns (&sender->handover);
  believed.p = tfrc_distrust_p (
      &sender->distrust, feedback->p, sender->standing_p, &believed, hold_end_ns, now_ns);
  /* The number of loss events counts link errors as well, so that it does not tell whether congestion
   * has been reported.  A rate above 0 does. */
  believed.congestion_p = !feedback->classified
      ? believed.p
      : tfrc_distrust_p (&sender->distrust, feedback->congestion_p, sender->standing_congestion_p,
          &believed, hold_end_ns, now_ns);
  return believed;
}

/* ---- the rate ---------------------------------------------------------- */

/* The loss event rate that the equation is used with.  Link errors do not count, but X is at most
 * link_error_gain times the rate with all losses.  The limit is one of p and not of X, so that a stream
 * whose losses are all link errors does not slow-start. */
static double
p_in_use (const TfrcSender *sender, const TfrcFeedback *feedback)
{
  double p = tfrc_loss_response_p (sender->config.loss_response, feedback);

  if (p >= feedback->p || isinf (sender->config.link_error_gain))
    return p;
  return fmax (
      p, tfrc_allowed_rate_p_of_gain (&sender->rate, feedback->p, sender->config.link_error_gain));
}

/* Returns the longest interval that X_recv can cover. */
static uint64_t
covered_at_most_ns (const TfrcSender *sender)
{
  return tfrc_max_ns (
      tfrc_allowed_rate_longest_interval_ns (&sender->rate), sender->rate.report_interval_ns);
}

/* Step 4 up to recv_limit: the limit from X_recv_set.  Receiver reports have a limit of their own that
 * answers losses: the limit here would hold for many round-trip times, until the next report. */
static double
recv_limit_after_feedback (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  TfrcRecvSet *recv_set = &sender->rate.path.recv_set;
  double x_recv_Bps = feedback->x_recv_Bps;

  if (!sender->was_data_limited) {
    tfrc_recv_set_update (recv_set, x_recv_Bps,
        covered_at_most_ns (sender) + tfrc_allowed_rate_slack_ns (&sender->rate) / 2, now_ns);
    return 2 * tfrc_recv_set_max (recv_set);
  }
  if (tfrc_loss_response_is_new_loss (sender->config.loss_response, &sender->feedback, feedback)
      && isinf (sender->rate.report_limit_Bps)) {
    tfrc_recv_set_halve (recv_set);
    tfrc_recv_set_maximize (recv_set, DATA_LIMITED_LOSS_FACTOR * x_recv_Bps, now_ns);
    return tfrc_recv_set_max (recv_set);
  }
  tfrc_recv_set_maximize (recv_set, x_recv_Bps, now_ns);
  return 2 * tfrc_recv_set_max (recv_set);
}

/* Step 4.  Returns what X is from. */
static TfrcTraceReason
update_rate (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  TfrcAllowedRate *rate = &sender->rate;
  double initial_rate_Bps = tfrc_allowed_rate_initial_Bps (rate);
  double recv_limit_Bps;

  rate->recv_limit_Bps = recv_limit_Bps = recv_limit_after_feedback (sender, feedback, now_ns);
  if (rate->p > 0) {
    recv_limit_Bps = tfrc_distrust_recv_limit_Bps (
        &sender->distrust, recv_limit_Bps, initial_rate_Bps);
    tfrc_allowed_rate_set (rate,
        tfrc_sender_handover_settle_Bps (&sender->handover, rate->x_eq_Bps, recv_limit_Bps,
            rate->x_Bps, tfrc_allowed_rate_segment_bytes (rate), tfrc_rtt_s (&rate->path.rtt),
            now_ns));
    if (tfrc_sender_handover_is_settling (&sender->handover))
      return TFRC_TRACE_BY_SETTLING;
    return recv_limit_Bps < rate->x_eq_Bps ? TFRC_TRACE_BY_RECV_LIMIT : TFRC_TRACE_BY_EQUATION;
  }
  if (tfrc_allowed_rate_may_double (rate, now_ns)) {
    tfrc_allowed_rate_set (rate, fmax (fmin (2 * rate->x_Bps, recv_limit_Bps), initial_rate_Bps));
    return TFRC_TRACE_BY_SLOW_START;
  }
  tfrc_allowed_rate_set (rate, rate->x_Bps);
  return TFRC_TRACE_BY_NOTHING;
}

/* Sets X to this rate, and the other variables of step 4 as if the receiver had received half of it. */
static void
restart_at (TfrcAllowedRate *rate, double rate_Bps, uint64_t now_ns)
{
  tfrc_allowed_rate_set_recv_limit (rate, rate_Bps, now_ns);
  rate->tld_ns = now_ns;
  tfrc_allowed_rate_set (rate, rate_Bps);
}

/* ---- another path ------------------------------------------------------ */

/* Section 4.2 again. p comes from the receiver, and can only make the rate lower. */
static void
begin_path (TfrcSender *sender, uint64_t now_ns)
{
  double rate_Bps = tfrc_allowed_rate_initial_Bps (&sender->rate);

  if (sender->rate.p > 0)
    rate_Bps = fmin (rate_Bps, sender->rate.x_eq_Bps);
  restart_at (&sender->rate, rate_Bps, now_ns);
}

void
tfrc_sender_on_new_path (TfrcSender *sender, uint64_t rtt_ns, uint64_t now_ns)
{
  TfrcSenderDecision decision = { 0 };
  uint64_t left_ns;
  double x_Bps;

  if (sender == NULL)
    return;
  tfrc_careful_resume_cancel (&sender->resume, true);
  if (!tfrc_allowed_rate_knows_rtt (&sender->rate))
    return;
  x_Bps = sender->rate.x_Bps;
  /* Packets that left before now took the old path, whenever the news came in. */
  left_ns = tfrc_max_ns (
      tfrc_truncate_to_us (now_ns), tfrc_truncate_to_us (sender->last_send_ns) + TFRC_NS_PER_US);
  tfrc_new_path_begin (
      &sender->new_path, tfrc_allowed_rate_longest_interval_ns (&sender->rate), left_ns);
  if (rtt_ns > 0) {
    tfrc_rtt_reset (&sender->rate.path.rtt);
    tfrc_rtt_on_sample (&sender->rate.path.rtt, rtt_ns, false);
  }
  sender->rate.x_eq_Bps = tfrc_allowed_rate_equation_Bps (&sender->rate, sender->rate.p);
  tfrc_queue_guard_init (&sender->rate.path.queue_guard);
  tfrc_sender_handover_cancel (&sender->handover, sender->bytes_sent, now_ns);
  begin_path (sender, now_ns);
  /* Only feedback from the new path ends the effect of the nofeedback timer. */
  if (sender->rate.x_Bps > x_Bps)
    tfrc_allowed_rate_set (&sender->rate, x_Bps);
  tfrc_nofeedback_timer_set (&sender->nofeedback, now_ns,
      tfrc_nofeedback_timer_rto_ns (&sender->rate, sender->rate.x_Bps));
  decision.reason = TFRC_TRACE_BY_NEW_PATH;
  decision.x_before_Bps = x_Bps;
  tfrc_sender_trace (sender, TFRC_TRACE_NEW_PATH, &decision, now_ns);
}

/* ---- feedback: all of section 4.3 -------------------------------------- */

/* Does the caller's struct set no field of a later version? */
static bool
is_well_formed (const TfrcFeedback *feedback)
{
  return feedback != NULL
      && (feedback->reserved[0] | feedback->reserved[1] | feedback->reserved[2]) == 0;
}

TfrcResult
tfrc_sender_check_feedback (const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  uint64_t t_new_ns;

  if (sender == NULL || !is_well_formed (feedback))
    return TFRC_ERROR_ARGUMENT;
  return validate (sender, feedback, now_ns, &t_new_ns);
}

static void
guard_queue (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t now_ns)
{
  TfrcQueueGuardSample sample = { 0 };

  sample.x_recv_Bps = feedback->x_recv_Bps;
  sample.r_sample_s = tfrc_rtt_sample_s (&sender->rate.path.rtt);
  sample.sent_ns = t_new_ns;
  sample.sent_bytes = tfrc_distrust_bytes_before (&sender->distrust, t_new_ns);
  sample.new_loss_event = tfrc_feedback_record_is_new_loss (&sender->feedback, feedback);
  sample.data_limited = sender->was_data_limited;
  sample.segment_bytes = tfrc_allowed_rate_segment_bytes (&sender->rate);
  sample.now_ns = now_ns;
  tfrc_queue_guard_on_feedback (&sender->rate.path.queue_guard, &sample);
}

/* With an initial R that was far too short, X is far too high: the stream begins as without one. */
static bool
refutes_initial_rtt (const TfrcSender *sender, uint64_t sample_ns)
{
  return sender->rtt_is_initial
      && sample_ns > INITIAL_RTT_FACTOR * tfrc_allowed_rate_rtt_ns (&sender->rate);
}

/* Does this sample replace R?  An initial R may be of another time, and counts no more than that. */
static bool
is_first_sample (const TfrcSender *sender, const TfrcFeedback *feedback, TfrcNewPathFeedback path,
    uint64_t sample_ns)
{
  return sender->rtt_is_initial || feedback->handover || path == TFRC_NEW_PATH_FIRST
      || (tfrc_feedback_record_received (&sender->feedback) == 1
          && tfrc_distrust_refutes_first_sample (
              &sender->distrust, tfrc_allowed_rate_rtt_ns (&sender->rate), sample_ns));
}

/* Does feedback come often enough to show how a queue grows?  Without it nothing would raise a limit of
 * the queue guard again, so that no limit stays. */
static bool
is_frequent (const TfrcSender *sender)
{
  return sender->rate.report_interval_ns
      <= 4 * tfrc_allowed_rate_longest_interval_ns (&sender->rate);
}

/* Does this feedback give a sample?  The first one does in any case, unless there is an initial R. */
static bool
has_sample (const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns,
    TfrcNewPathFeedback path)
{
  if (path == TFRC_NEW_PATH_OLD)
    return false;
  return !tfrc_allowed_rate_knows_rtt (&sender->rate)
      || !(feedback->no_rtt_sample
          || tfrc_nofeedback_timer_was_stopped_since (&sender->nofeedback, t_new_ns));
}

typedef enum
{
  SAMPLE_NONE,
  SAMPLE_USED,
  SAMPLE_DOUBTED
} Sample;

/* Step 2 */
static Sample
update_rtt (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t sample_ns,
    TfrcNewPathFeedback path)
{
  TfrcRtt *rtt = &sender->rate.path.rtt;

  if (!has_sample (sender, feedback, t_new_ns, path))
    return SAMPLE_NONE;
  if (is_first_sample (sender, feedback, path, sample_ns))
    tfrc_rtt_reset (rtt);
  sender->rtt_is_initial = false;
  if (tfrc_rtt_is_known (rtt)
      && !tfrc_distrust_takes_sample (&sender->distrust, tfrc_rtt_ns (rtt), sample_ns))
    return SAMPLE_DOUBTED;
  tfrc_rtt_on_sample (
      rtt, sample_ns, tfrc_feedback_record_is_new_link_error (&sender->feedback, feedback));
  return SAMPLE_USED;
}

/* Returns the length of the interval that X_recv of this feedback covers.  The receiver measures
 * X_recv since the feedback before. */
static uint64_t
covered_ns (const TfrcSender *sender, uint64_t t_new_ns)
{
  uint64_t since_last_ns = tfrc_sub_ns (t_new_ns, sender->data_limited.t_new_ns);

  return tfrc_max_ns (tfrc_allowed_rate_feedback_interval_ns (&sender->rate),
      tfrc_min_ns (since_last_ns, covered_at_most_ns (sender)));
}

/* Section 4.2: the first feedback.  A sender that waits for its next packet until then is held back by X, a
 * packet in a second, and not by lack of data.  With the credit of the new X its next packets do not
 * reach the limit, so without this note the interval would count as data-limited, and X_recv_set would
 * lose Infinity before its two round-trip times are over. */
static void
begin_stream (TfrcSender *sender, uint64_t now_ns)
{
  if (tfrc_pacer_is_exhausted (
          &sender->pacer, tfrc_allowed_rate_interval_ns (&sender->rate), 0, now_ns))
    tfrc_data_limited_on_limit_reached (&sender->data_limited, tfrc_truncate_to_us (now_ns));
  tfrc_allowed_rate_begin (&sender->rate, now_ns);
  tfrc_allowed_rate_set (&sender->rate, tfrc_allowed_rate_initial_Bps (&sender->rate));
}

/* Step 4, unless careful resume says what X is.  lost: the feedback reports a new loss event */
static TfrcTraceReason
resume_or_update_rate (TfrcSender *sender, const TfrcFeedback *feedback, bool lost,
    uint64_t sample_ns, uint64_t t_new_ns, uint64_t now_ns)
{
  TfrcAllowedRate *rate = &sender->rate;
  TfrcResumeFeedback resume = { 0 };
  double retreat_Bps;

  resume.x_Bps = rate->x_Bps;
  resume.x_recv_Bps = feedback->x_recv_Bps;
  resume.sample_ns = sample_ns;
  resume.lost = lost || rate->p > 0;
  resume.data_limited = sender->was_data_limited;
  resume.begun_ns = sender->first_send_ns;
  resume.t_new_ns = t_new_ns;
  resume.now_ns = now_ns;
  if (rate->report_interval_ns > 0)
    tfrc_careful_resume_cancel (&sender->resume, false);
  switch (tfrc_careful_resume_on_feedback (&sender->resume, &resume)) {
    case TFRC_RESUME_STEP4:
      break;
    case TFRC_RESUME_JUMP:
      restart_at (rate, tfrc_careful_resume_jump_Bps (&sender->resume), now_ns);
      return TFRC_TRACE_BY_RESUME;
    case TFRC_RESUME_PROVEN:
      tfrc_recv_set_replace (
          &rate->path.recv_set, tfrc_careful_resume_proven_Bps (&sender->resume), now_ns);
      break;
    case TFRC_RESUME_RETREAT:
      retreat_Bps = tfrc_careful_resume_retreat_Bps (&sender->resume);
      restart_at (
          rate, rate->x_eq_Bps > 0 ? fmin (rate->x_eq_Bps, retreat_Bps) : retreat_Bps, now_ns);
      return TFRC_TRACE_BY_RETREAT;
  }
  return update_rate (sender, feedback, now_ns);
}

/* What has been made of feedback */
typedef struct
{
  TfrcTraceReason reason; /* what X is from */
  uint64_t sample_ns;     /* R_sample */
  bool sample_doubted;
} Outcome;

/* Keeps what the receiver says of its losses. */
static void
keep_p (TfrcSender *sender, const TfrcFeedback *feedback)
{
  bool in_handover = feedback->handover || feedback->new_link;

  sender->reported_p = feedback->p;
  sender->congestion_p = feedback->congestion_p;
  if (feedback->p > 0 || !in_handover)
    sender->standing_p = feedback->p;
  if (feedback->congestion_p > 0 || !in_handover)
    sender->standing_congestion_p = feedback->congestion_p;
}

/* Uses feedback that has been validated. */
static Outcome
use_feedback (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t now_ns)
{
  /* Step 1 */
  uint64_t sample_ns = tfrc_sub_ns (
      tfrc_truncate_to_us (now_ns) - t_new_ns, feedback->delay_us * TFRC_NS_PER_US);
  Outcome outcome = { TFRC_TRACE_BY_NOTHING, sample_ns, false };
  bool first = !tfrc_allowed_rate_knows_rtt (&sender->rate)
      || refutes_initial_rtt (sender, sample_ns);
  TfrcNewPathFeedback path;
  Sample sample;

  tfrc_pacer_on_new_rate (&sender->pacer, tfrc_allowed_rate_interval_ns (&sender->rate), now_ns);
  if (tfrc_sender_handover_is_refuted (
          &sender->handover, tfrc_allowed_rate_rtt_ns (&sender->rate), sample_ns))
    take_back_hold (sender);
  if (feedback->handover) {
    tfrc_new_path_init (&sender->new_path);
    tfrc_careful_resume_cancel (&sender->resume, true);
    tfrc_queue_guard_init (&sender->rate.path.queue_guard);
  }
  path = tfrc_new_path_on_feedback (
      &sender->new_path, t_new_ns, tfrc_allowed_rate_longest_interval_ns (&sender->rate));
  sample = update_rtt (sender, feedback, t_new_ns, sample_ns, path);
  outcome.sample_doubted = sample == SAMPLE_DOUBTED;
  keep_p (sender, feedback);
  sender->rate.p = p_in_use (sender, feedback);
  sender->rate.x_eq_Bps = tfrc_allowed_rate_equation_Bps (&sender->rate, sender->rate.p);
  tfrc_sender_handover_judge (&sender->handover, sender->rate.x_eq_Bps, now_ns);
  /* This is always called, because it also keeps the record of times. */
  sender->was_data_limited = tfrc_data_limited_on_feedback (&sender->data_limited, t_new_ns,
                                 covered_ns (sender, t_new_ns), now_ns)
      && feedback->x_recv_Bps > 0;
  if (!is_frequent (sender))
    tfrc_queue_guard_init (&sender->rate.path.queue_guard);
  else if (sample == SAMPLE_USED && sender->config.queue_guard && !feedback->handover)
    guard_queue (sender, feedback, t_new_ns, now_ns);
  if (first) {
    begin_stream (sender, now_ns);
    outcome.reason = TFRC_TRACE_BY_START;
  } else if (feedback->handover) {
    restart_at (&sender->rate, tfrc_sender_handover_hold_Bps (&sender->handover), now_ns);
    outcome.reason = TFRC_TRACE_BY_HOLD;
  } else if (path != TFRC_NEW_PATH_SETTLED) {
    begin_path (sender, now_ns);
    outcome.reason = TFRC_TRACE_BY_NEW_PATH;
  } else {
    outcome.reason = resume_or_update_rate (sender, feedback,
        tfrc_feedback_record_is_new_loss (&sender->feedback, feedback), sample_ns, t_new_ns,
        now_ns);
  }
  if (sender->rate.x_Bps >= sender->rate.report_limit_Bps)
    outcome.reason = TFRC_TRACE_BY_REPORTS;
  return outcome;
}

/* ---- what the program is told ------------------------------------------- */

/* The state before feedback, of what the program is told when it changes */
typedef struct
{
  double x_Bps;
  bool holding, guarded;
} Before;

static Before
state_before (const TfrcSender *sender)
{
  Before before = { sender->rate.x_Bps, tfrc_sender_handover_is_holding (&sender->handover),
    false };

  if (tfrc_sender_is_traced (sender))
    before.guarded = !isinf (tfrc_queue_guard_limit_Bps (&sender->rate.path.queue_guard));
  return before;
}

static void
trace_refusal (
    const TfrcSender *sender, const TfrcFeedback *feedback, TfrcResult result, uint64_t now_ns)
{
  TfrcSenderDecision decision = { 0 };

  decision.result = result;
  decision.x_before_Bps = sender->rate.x_Bps;
  decision.x_recv_told_Bps = feedback->x_recv_Bps;
  decision.p_told = feedback->p;
  decision.count = sender->feedbacks_refused;
  tfrc_sender_trace (sender, TFRC_TRACE_REFUSED, &decision, now_ns);
}

static void
trace_feedback (const TfrcSender *sender, const TfrcFeedback *told, const Before *before,
    const Outcome *outcome, uint64_t now_ns)
{
  const TfrcFeedback *used = tfrc_feedback_record_last (&sender->feedback);
  TfrcSenderDecision decision = { 0 };

  if (!tfrc_sender_is_traced (sender))
    return;
  decision.reason = outcome->reason;
  decision.x_before_Bps = before->x_Bps;
  decision.x_recv_told_Bps = told->x_recv_Bps;
  decision.p_told = told->p;
  decision.rtt_sample_ns = outcome->sample_ns;
  decision.count = tfrc_feedback_record_received (&sender->feedback);
  if (used->x_recv_Bps != told->x_recv_Bps || used->p != told->p
      || used->congestion_p != (told->classified ? told->congestion_p : used->p)
      || outcome->sample_doubted)
    tfrc_sender_trace (sender, TFRC_TRACE_LIMITED, &decision, now_ns);
  if (before->guarded != !isinf (tfrc_queue_guard_limit_Bps (&sender->rate.path.queue_guard)))
    tfrc_sender_trace (sender, TFRC_TRACE_GUARD, &decision, now_ns);
  tfrc_sender_trace (sender, TFRC_TRACE_FEEDBACK, &decision, now_ns);
  decision.count = tfrc_sender_handover_holds (&sender->handover);
  if (before->holding != tfrc_sender_handover_is_holding (&sender->handover))
    tfrc_sender_trace (sender, TFRC_TRACE_HOLD, &decision, now_ns);
}

TfrcResult
tfrc_sender_on_feedback (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  TfrcFeedback believed;
  uint64_t t_new_ns;
  Outcome outcome;
  Before before;
  TfrcResult result;

  if (sender == NULL || !is_well_formed (feedback))
    return TFRC_ERROR_ARGUMENT;
  result = validate (sender, feedback, now_ns, &t_new_ns);
  if (result != TFRC_OK) {
    sender->feedbacks_refused++;
    trace_refusal (sender, feedback, result, now_ns);
    return result;
  }
  tfrc_nofeedback_timer_notice_stop (&sender->nofeedback, &sender->rate, now_ns);
  before = state_before (sender);
  believed = believe (sender, feedback, t_new_ns, now_ns);
  outcome = use_feedback (sender, &believed, t_new_ns, now_ns);
  tfrc_distrust_on_rate (&sender->distrust, before.x_Bps, sender->rate.x_Bps,
      tfrc_allowed_rate_interval_ns (&sender->rate),
      tfrc_allowed_rate_feedback_interval_ns (&sender->rate), now_ns);
  tfrc_feedback_record_keep (&sender->feedback, &believed, t_new_ns);
  /* The X of step 3 is that before step 4.  After a cut of X, that of step 4 makes the timer long enough
   * for the packets that X allows. */
  tfrc_nofeedback_timer_on_feedback (&sender->nofeedback, now_ns,
      tfrc_nofeedback_timer_rto_ns (&sender->rate,
          sender->config.rules == TFRC_RULES_STRICT ? before.x_Bps : sender->rate.x_Bps));
  trace_feedback (sender, feedback, &before, &outcome, now_ns);
  return TFRC_OK;
}
