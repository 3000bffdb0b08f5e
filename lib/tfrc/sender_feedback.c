/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's response to feedback (RFC 5348 section 4.3) */
#include <math.h>

#include "allowed_rate.h"
#include "loss_response.h"
#include "nofeedback_timer.h"
#include "sender_state.h"
#include "units.h"

/* Step 4: the discount of X_recv on a loss in a data-limited interval */
#define DATA_LIMITED_LOSS_FACTOR 0.85

/* The receiver counts the round-trip times between its feedback in whole microseconds. */
#define RTT_ROUNDING_NS TFRC_NS_PER_US

/* A sample of R that is longer than R by this factor, and than this time, is used only if the
 * sample before it was as long.  While a queue fills, its delay grows by less from sample to
 * sample. */
#define DOUBTED_RTT_FACTOR 10
#define MIN_DOUBTED_RTT_NS (100 * 1000 * TFRC_NS_PER_US)

/* If feedback cuts X by more than this factor, the sender checks it with a further packet. */
#define DOUBTED_CUT_FACTOR 2

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
  context.interval_ns = tfrc_sender_feedback_interval_ns (sender);
  return tfrc_feedback_record_check (&sender->feedback, feedback, &context, t_new_ns);
}

/* Returns twice the highest rate that was sent in an interval that the feedback can cover: no
 * receiver receives faster than the sender sends.  The delays of packets may differ by R, and
 * their rate differs by one packet with the edges of the interval. */
static double
most_Bps (TfrcSender *sender, uint64_t t_new_ns, uint64_t now_ns)
{
  uint64_t interval_ns = tfrc_max_ns (1, tfrc_sender_feedback_interval_ns (sender));
  uint64_t shorter_ns = sender->sent_interval_ns == 0
      ? interval_ns
      : tfrc_min_ns (interval_ns, sender->sent_interval_ns);
  double peak_Bps = tfrc_sent_record_peak_Bps (&sender->sent, shorter_ns,
      tfrc_sub_ns (t_new_ns, tfrc_sender_longest_interval_ns (sender)), now_ns);

  sender->sent_interval_ns = tfrc_rtt_is_known (&sender->rtt) ? interval_ns : 0;
  return 2 * (peak_Bps + tfrc_sender_segment_bytes (sender) / tfrc_ns_to_s (shorter_ns));
}

static TfrcSenderPath
path_of (const TfrcSender *sender)
{
  TfrcSenderPath path = { sender->rtt, sender->recv_set, sender->queue_guard };

  return path;
}

static void
take_back_hold (TfrcSender *sender)
{
  sender->rtt = sender->before_hold.rtt;
  sender->recv_set = sender->before_hold.recv_set;
  sender->queue_guard = sender->before_hold.queue_guard;
  tfrc_sender_handover_take_back (&sender->handover);
}

/* Returns the feedback, limited to values that can be true. */
static TfrcFeedback
believe (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t now_ns)
{
  TfrcSenderHandoverContext context = { 0 };
  TfrcFeedback believed = *feedback;

  sender->most_Bps = most_Bps (sender, t_new_ns, now_ns);
  believed.x_recv_Bps = (uint32_t) fmin (feedback->x_recv_Bps, sender->most_Bps / 2);
  context.x_Bps = sender->x_Bps;
  context.data_limited = sender->was_data_limited;
  context.rtt_ns = tfrc_rtt_ns (&sender->rtt);
  if (context.rtt_ns > 0)
    context.least_Bps = tfrc_sender_segment_bytes (sender) / tfrc_ns_to_s (context.rtt_ns);
  context.most_Bps = sender->most_Bps;
  context.bytes_sent = sender->bytes_sent;
  context.now_ns = now_ns;
  if (!sender->handover.holding)
    sender->before_hold = path_of (sender);
  believed.handover = tfrc_sender_handover_on_feedback (&sender->handover, &believed, &context);
  believed.p = tfrc_loss_response_believable_p (sender, &believed, now_ns);
  believed.congestion_p = tfrc_loss_response_believable_congestion_p (sender, &believed, now_ns);
  return believed;
}

/* ---- the rate ---------------------------------------------------------- */

/* Returns the longest interval that X_recv can cover. */
static uint64_t
covered_at_most_ns (const TfrcSender *sender)
{
  return tfrc_max_ns (tfrc_sender_longest_interval_ns (sender), sender->report_interval_ns);
}

/* Step 4 up to recv_limit: the limit from X_recv_set.  Receiver reports have a limit of their own that
 * answers losses: the limit here would hold for many round-trip times, until the next report. */
static double
recv_limit_after_feedback (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  double x_recv_Bps = feedback->x_recv_Bps;

  if (!sender->was_data_limited) {
    tfrc_recv_set_update (&sender->recv_set, x_recv_Bps, covered_at_most_ns (sender), now_ns);
    return 2 * tfrc_recv_set_max (&sender->recv_set);
  }
  if (tfrc_loss_response_is_new_loss (sender, feedback) && isinf (sender->report_limit_Bps)) {
    tfrc_recv_set_halve (&sender->recv_set);
    tfrc_recv_set_maximize (&sender->recv_set, DATA_LIMITED_LOSS_FACTOR * x_recv_Bps, now_ns);
    return tfrc_recv_set_max (&sender->recv_set);
  }
  tfrc_recv_set_maximize (&sender->recv_set, x_recv_Bps, now_ns);
  return 2 * tfrc_recv_set_max (&sender->recv_set);
}

/* Step 4 */
static void
update_rate (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  double recv_limit_Bps;

  sender->recv_limit_Bps = recv_limit_Bps = recv_limit_after_feedback (sender, feedback, now_ns);
  if (sender->p > 0) {
    /* X_recv_set begins with Infinity, and a p of nearly 0 would leave X without any limit. */
    if (isinf (recv_limit_Bps))
      recv_limit_Bps = fmax (sender->most_Bps, tfrc_sender_initial_rate_Bps (sender));
    tfrc_sender_set_rate (sender,
        tfrc_sender_handover_settle_Bps (&sender->handover, sender->x_eq_Bps, recv_limit_Bps,
            sender->x_Bps, tfrc_sender_segment_bytes (sender), sender->rtt.r_s, now_ns));
  } else if (now_ns - sender->tld_ns + RTT_ROUNDING_NS >= tfrc_rtt_ns (&sender->rtt)) {
    tfrc_sender_set_rate (sender,
        fmax (fmin (2 * sender->x_Bps, recv_limit_Bps), tfrc_sender_initial_rate_Bps (sender)));
    sender->tld_ns = now_ns;
  } else {
    tfrc_sender_set_rate (sender, sender->x_Bps);
  }
}

/* Keeps the rate while the receiver changes links. */
static void
hold_rate (TfrcSender *sender, uint64_t now_ns)
{
  sender->recv_limit_Bps = sender->handover.hold_Bps;
  tfrc_recv_set_replace (&sender->recv_set, sender->recv_limit_Bps / 2, now_ns);
  sender->tld_ns = now_ns;
  tfrc_sender_set_rate (sender, sender->recv_limit_Bps);
}

/* ---- another path ------------------------------------------------------ */

/* Section 4.2 again. p comes from the receiver, and can only make the rate lower. */
static void
begin_path (TfrcSender *sender, uint64_t now_ns)
{
  double rate_Bps = tfrc_sender_initial_rate_Bps (sender);

  if (sender->p > 0)
    rate_Bps = fmin (rate_Bps, sender->x_eq_Bps);
  tfrc_recv_set_replace (&sender->recv_set, rate_Bps / 2, now_ns);
  sender->recv_limit_Bps = rate_Bps;
  sender->tld_ns = now_ns;
  tfrc_sender_set_rate (sender, rate_Bps);
}

void
tfrc_sender_on_new_path (TfrcSender *sender, uint64_t rtt_ns, uint64_t now_ns)
{
  uint64_t left_ns;
  double x_Bps;

  if (sender == NULL || !tfrc_rtt_is_known (&sender->rtt))
    return;
  x_Bps = sender->x_Bps;
  /* Packets that left before now took the old path, whenever the news came in. */
  left_ns = tfrc_max_ns (
      tfrc_truncate_to_us (now_ns), tfrc_truncate_to_us (sender->last_send_ns) + TFRC_NS_PER_US);
  tfrc_new_path_begin (&sender->new_path, tfrc_sender_longest_interval_ns (sender), left_ns);
  if (rtt_ns > 0) {
    tfrc_rtt_reset (&sender->rtt);
    tfrc_rtt_on_sample (&sender->rtt, rtt_ns, false);
  }
  sender->x_eq_Bps = tfrc_sender_equation_rate_Bps (sender);
  tfrc_queue_guard_init (&sender->queue_guard);
  tfrc_sender_handover_cancel (&sender->handover, sender->bytes_sent, now_ns);
  begin_path (sender, now_ns);
  /* Only feedback from the new path ends the effect of the nofeedback timer. */
  if (sender->x_Bps > x_Bps)
    tfrc_sender_set_rate (sender, x_Bps);
  tfrc_sender_set_nofeedback_timer (sender, now_ns, tfrc_sender_rto_ns (sender));
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

/* A forged packet can claim any age of a packet that was sent.  With a long R the next feedback
 * comes late, so R would be wrong for many times as long. */
static bool
is_sample_believed (TfrcSender *sender, uint64_t sample_ns)
{
  bool is_long = sample_ns
      > tfrc_max_ns (DOUBTED_RTT_FACTOR * tfrc_rtt_ns (&sender->rtt), MIN_DOUBTED_RTT_NS);
  bool believed = !is_long || sender->doubts_rtt;

  sender->doubts_rtt = is_long;
  return believed;
}

/* The first sample is used as it is, and may be forged.  Then the second sample is far below it. */
static bool
refutes_first_sample (const TfrcSender *sender, uint64_t sample_ns)
{
  return sender->feedback.received == 1
      && sample_ns < tfrc_rtt_ns (&sender->rtt) / DOUBTED_RTT_FACTOR;
}

static void
guard_queue (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t now_ns)
{
  TfrcQueueGuardSample sample = { 0 };

  sample.x_recv_Bps = feedback->x_recv_Bps;
  sample.r_sample_s = sender->rtt.r_sample_s;
  sample.sent_ns = t_new_ns;
  sample.sent_bytes = tfrc_sent_record_bytes_before (&sender->sent, t_new_ns);
  sample.new_loss_event = tfrc_feedback_record_is_new_loss (&sender->feedback, feedback);
  sample.segment_bytes = tfrc_sender_segment_bytes (sender);
  sample.now_ns = now_ns;
  tfrc_queue_guard_on_feedback (&sender->queue_guard, &sample);
}

/* With an initial R that was far too short, X is far too high: the stream begins as without one. */
static bool
refutes_initial_rtt (const TfrcSender *sender, uint64_t sample_ns)
{
  return sender->rtt_is_initial && sample_ns > INITIAL_RTT_FACTOR * tfrc_rtt_ns (&sender->rtt);
}

/* Does this sample replace R?  An initial R may be of another time, and counts no more than that. */
static bool
is_first_sample (const TfrcSender *sender, const TfrcFeedback *feedback, TfrcNewPathFeedback path,
    uint64_t sample_ns)
{
  return sender->rtt_is_initial || feedback->handover || path == TFRC_NEW_PATH_FIRST
      || refutes_first_sample (sender, sample_ns);
}

/* Does feedback come often enough to show how a queue grows? */
static bool
is_frequent (const TfrcSender *sender)
{
  return sender->report_interval_ns <= 4 * tfrc_sender_longest_interval_ns (sender);
}

/* Steps 1 and 2, and the users of the sample.  The first feedback gives a sample in any case, unless
 * there is an initial R. */
static void
update_rtt (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t sample_ns,
    TfrcNewPathFeedback path, uint64_t now_ns)
{
  if (path == TFRC_NEW_PATH_OLD
      || (tfrc_rtt_is_known (&sender->rtt)
          && (feedback->no_rtt_sample || t_new_ns < sender->stopped_until_ns)))
    return;
  if (is_first_sample (sender, feedback, path, sample_ns))
    tfrc_rtt_reset (&sender->rtt);
  sender->rtt_is_initial = false;
  if (tfrc_rtt_is_known (&sender->rtt) && !is_sample_believed (sender, sample_ns))
    return;
  tfrc_rtt_on_sample (&sender->rtt, sample_ns,
      tfrc_feedback_record_is_new_link_error (&sender->feedback, feedback));
  if (sender->config.queue_guard && !feedback->handover && is_frequent (sender))
    guard_queue (sender, feedback, t_new_ns, now_ns);
}

/* At a rate near 0 the next packet can be minutes away, and with it the feedback that would
 * raise the rate.  So one packet may leave an interval later.  Feedback about that packet is
 * newer than the feedback that has cut X, whatever its number. */
static void
ask_after_cut (TfrcSender *sender, double x_before_Bps, uint64_t now_ns)
{
  uint64_t interval_ns = tfrc_sender_feedback_interval_ns (sender) + RTT_ROUNDING_NS;

  if (DOUBTED_CUT_FACTOR * sender->x_Bps < x_before_Bps
      && tfrc_sender_interval_ns (sender) > interval_ns)
    sender->probe_ns = tfrc_add_ns (now_ns, interval_ns);
}

/* Returns the length of the interval that X_recv of this feedback covers.  The receiver measures
 * X_recv since the feedback before. */
static uint64_t
covered_ns (const TfrcSender *sender, uint64_t t_new_ns)
{
  uint64_t since_last_ns = tfrc_sub_ns (t_new_ns, sender->data_limited.t_new_ns);

  return tfrc_max_ns (tfrc_sender_feedback_interval_ns (sender),
      tfrc_min_ns (since_last_ns, covered_at_most_ns (sender)));
}

/* Uses feedback that has been validated. */
static void
use_feedback (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t t_new_ns, uint64_t now_ns)
{
  uint64_t sample_ns = tfrc_sub_ns (
      tfrc_truncate_to_us (now_ns) - t_new_ns, feedback->delay_us * TFRC_NS_PER_US);
  bool first = !tfrc_rtt_is_known (&sender->rtt) || refutes_initial_rtt (sender, sample_ns);
  TfrcNewPathFeedback path;

  if (tfrc_sender_handover_is_refuted (&sender->handover, tfrc_rtt_ns (&sender->rtt), sample_ns))
    take_back_hold (sender);
  if (feedback->handover) {
    tfrc_new_path_init (&sender->new_path);
    tfrc_queue_guard_init (&sender->queue_guard);
  }
  path = tfrc_new_path_on_feedback (
      &sender->new_path, t_new_ns, tfrc_sender_longest_interval_ns (sender));
  update_rtt (sender, feedback, t_new_ns, sample_ns, path, now_ns);
  sender->reported_p = feedback->p;
  sender->congestion_p = feedback->congestion_p;
  sender->p = tfrc_loss_response_p (sender, feedback);
  sender->x_eq_Bps = tfrc_sender_equation_rate_Bps (sender);
  tfrc_sender_handover_judge (&sender->handover, sender->x_eq_Bps, now_ns);
  /* This is always called, because it also keeps the record of times. */
  sender->was_data_limited = tfrc_data_limited_on_feedback (&sender->data_limited, t_new_ns,
                                 covered_ns (sender, t_new_ns), now_ns)
      && feedback->x_recv_Bps > 0;
  if (first) {
    tfrc_recv_set_init (&sender->recv_set, now_ns);
    sender->tld_ns = now_ns;
    tfrc_sender_set_rate (sender, tfrc_sender_initial_rate_Bps (sender));
  } else if (feedback->handover) {
    hold_rate (sender, now_ns);
  } else if (path != TFRC_NEW_PATH_SETTLED) {
    begin_path (sender, now_ns);
  } else {
    update_rate (sender, feedback, now_ns);
  }
}

TfrcResult
tfrc_sender_on_feedback (TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  TfrcFeedback believed;
  uint64_t t_new_ns;
  double x_before_Bps;
  TfrcResult result;

  if (sender == NULL || !is_well_formed (feedback))
    return TFRC_ERROR_ARGUMENT;
  result = validate (sender, feedback, now_ns, &t_new_ns);
  if (result != TFRC_OK) {
    sender->feedbacks_refused++;
    return result;
  }
  tfrc_sender_notice_stop (sender, now_ns);
  believed = believe (sender, feedback, t_new_ns, now_ns);
  x_before_Bps = sender->x_Bps;
  use_feedback (sender, &believed, t_new_ns, now_ns);
  ask_after_cut (sender, x_before_Bps, now_ns);
  tfrc_feedback_record_keep (&sender->feedback, &believed, t_new_ns);
  sender->backed_off = false;
  tfrc_sender_set_nofeedback_timer (sender, now_ns, tfrc_sender_rto_ns (sender));
  return TFRC_OK;
}
