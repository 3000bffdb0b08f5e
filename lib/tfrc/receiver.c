/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data receiver (RFC 5348 section 6): when to send feedback, and with which contents.
 * receiver_data.c handles data packets. */
#include "receiver_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "rtt.h"
#include "struct_size.h"
#include "units.h"

uint64_t
tfrc_receiver_feedback_interval_ns (const TfrcReceiver *receiver, uint32_t rtt_us)
{
  return tfrc_max_ns (rtt_us * TFRC_NS_PER_US, receiver->config.feedback_floor_ns);
}

/* Returns X_recv at that time: over R_(m-1), or over R_m if R_(m-1) is not known. */
static double
measure_x_recv_at_Bps (const TfrcReceiver *receiver, uint64_t time_ns)
{
  uint32_t rtt_us = receiver->previous_rtt_us ? receiver->previous_rtt_us : receiver->rtt_us;

  if (rtt_us == 0)
    return 0;
  return tfrc_receive_rate_Bps (
      &receiver->rate, tfrc_receiver_feedback_interval_ns (receiver, rtt_us), time_ns);
}

static double
measure_x_recv_Bps (const TfrcReceiver *receiver)
{
  return measure_x_recv_at_Bps (receiver, receiver->now_ns);
}

/* Returns t_RTO / R.  The policy 4 R needs no R, and stands in for the others while R is not
 * known. */
static double
rto_rtts (const TfrcReceiver *receiver)
{
  double r_s = tfrc_ns_to_s (receiver->rtt_us * TFRC_NS_PER_US);

  return r_s > 0 ? tfrc_rto_s (receiver->config.rto_policy, r_s, 0) / r_s : TFRC_RTO_RTTS;
}

/* s, the mean segment size in bytes */
static double
packet_bytes (const TfrcReceiver *receiver)
{
  return (double) tfrc_receive_rate_bytes (&receiver->rate) / (double) receiver->packets_received;
}

/* The units are packet and round-trip time, so that the result is defined even if R is not known. */
static TfrcModelInput
model_input (const TfrcReceiver *receiver)
{
  TfrcModelInput input = { 1, 1, rto_rtts (receiver),
    tfrc_ns_to_s (receiver->rtt_us * TFRC_NS_PER_US) };

  return input;
}

double
tfrc_receiver_interval_for_rate (const TfrcReceiver *receiver, double rate_Bps)
{
  TfrcModelInput input = model_input (receiver);
  double target = rate_Bps / packet_bytes (receiver)
      * tfrc_ns_to_s (receiver->rtt_us * TFRC_NS_PER_US);

  return tfrc_model_first_interval (receiver->config.model, &input, target);
}

/* Section 6.3.1: returns the loss interval that gives the highest X_recv so far, on this link.  The
 * null interval gives the lowest rate. */
static double
first_interval (void *user, bool null_interval)
{
  const TfrcReceiver *receiver = user;

  return tfrc_receiver_interval_for_rate (
      receiver, null_interval ? 0 : fmax (receiver->max_x_recv_Bps, measure_x_recv_Bps (receiver)));
}

/* Begins with this configuration, without a classifier. */
static void
begin (TfrcReceiver *self, const TfrcReceiverConfig *config)
{
  *self = (TfrcReceiver){ .config = *config, .feedback_ns = TFRC_TIME_NEVER };
  tfrc_seq_init (&self->seq);
  tfrc_control_info_init (&self->control);
  tfrc_receive_rate_init (&self->rate);
  tfrc_loss_detection_init (&self->loss, config->loss_interval_method, config->history_length,
      config->history_discounting, first_interval, self);
  self->loss.rules.outage_is_one_event = config->outage_is_one_event;
  self->loss.rules.outage_rtt_floor_ns = config->feedback_floor_ns;
  tfrc_reorder_window_init (&self->loss.window, config->reorder_window_ns);
  tfrc_receiver_handover_init (&self->handover, config->handover_mode);
}

void
tfrc_receiver_begin_anew (TfrcReceiver *receiver)
{
  const TfrcReceiverConfig config = receiver->config;

  begin (receiver, &config);
}

TfrcResult
tfrc_receiver_new_sized (
    TfrcReceiver **receiver, const TfrcReceiverConfig *config, size_t config_size)
{
  TfrcReceiverConfig known;
  TfrcReceiver *self;
  TfrcResult result;

  if (receiver == NULL)
    return TFRC_ERROR_ARGUMENT;
  *receiver = NULL;
  result = tfrc_receiver_config_read (&known, config, config_size);
  if (result != TFRC_OK)
    return result;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return TFRC_ERROR_NO_MEMORY;

  begin (self, &known);
  if (known.loss_classifier != TFRC_LOSS_CLASSIFIER_NONE) {
    self->classification = tfrc_receiver_classification_new (
        known.loss_classifier, known.loss_allowance, &self->loss);
    if (self->classification == NULL) {
      tfrc_receiver_free (self);
      return TFRC_ERROR_NO_MEMORY;
    }
  }
  *receiver = self;
  return TFRC_OK;
}

void
tfrc_receiver_free (TfrcReceiver *receiver)
{
  if (receiver != NULL)
    free (receiver->classification);
  free (receiver);
}

double
tfrc_receiver_loss_event_rate (const TfrcReceiver *receiver)
{
  return tfrc_loss_history_p (&receiver->loss.all, tfrc_seq_highest (&receiver->seq));
}

/* The loss event rate without link errors; p without a classifier */
static double
congestion_p (const TfrcReceiver *receiver)
{
  return receiver->classification != NULL
      ? tfrc_receiver_classification_p (receiver->classification, tfrc_seq_highest (&receiver->seq))
      : tfrc_receiver_loss_event_rate (receiver);
}

/* ---- what the program is told ------------------------------------------- */

void
tfrc_receiver_trace (const TfrcReceiver *receiver, TfrcTraceRecord *record)
{
  if (receiver->config.trace.fn == NULL)
    return;
  record->now_ns = receiver->now_ns;
  record->phase = tfrc_receiver_handover_phase (&receiver->handover);
  record->x_recv_Bps = receiver->x_recv_Bps;
  record->p = receiver->p;
  if (record->rtt_ns == 0)
    record->rtt_ns = receiver->rtt_us * TFRC_NS_PER_US;
  record->packets_lost = receiver->loss.lost;
  record->loss_events = tfrc_loss_history_events (&receiver->loss.all);
  receiver->config.trace.fn (receiver->config.trace.user, record);
}

void
tfrc_receiver_trace_phase (const TfrcReceiver *receiver)
{
  TfrcTraceRecord record = { 0 };

  record.event = TFRC_TRACE_HANDOVER;
  record.count = tfrc_receiver_handover_started (&receiver->handover);
  tfrc_receiver_trace (receiver, &record);
}

static void
tell_of_loss (const TfrcReceiver *receiver, TfrcLossChange change)
{
  TfrcTraceRecord record = { 0 };

  record.event = change == TFRC_LOSS_NEW_EVENT ? TFRC_TRACE_LOSS_EVENT : TFRC_TRACE_LOSS_REMOVED;
  tfrc_receiver_trace (receiver, &record);
}

bool
tfrc_receiver_update_p (TfrcReceiver *receiver, TfrcLossChange change)
{
  double p_prev = receiver->p;

  if (change == TFRC_LOSS_NOTHING)
    return false;
  receiver->p = tfrc_receiver_loss_event_rate (receiver);
  if (receiver->config.trace.fn != NULL)
    tell_of_loss (receiver, change);
  return receiver->p > p_prev || change == TFRC_LOSS_EVENT_REMOVED;
}

/* ---- handover ---------------------------------------------------------- */

/* Makes feedback due at once, unless no data has come yet. */
static void
expire_feedback_timer_if_heard (TfrcReceiver *receiver)
{
  if (receiver->control.believed != 0)
    receiver->feedback_ns = receiver->now_ns;
}

/* Returns the X_recv to report when the sender's rate is no longer kept, because no data has come
 * for a while.  With two packets per round-trip time, the sender sees whether the new link carries
 * them. */
static double
probing_x_recv_Bps (const TfrcReceiver *receiver)
{
  double r_s = tfrc_ns_to_s (receiver->rtt_us * TFRC_NS_PER_US);

  return r_s > 0 ? fmin (receiver->x_recv_Bps, packet_bytes (receiver) / r_s) : 0;
}

TfrcResult
tfrc_receiver_start_handover_sized (
    TfrcReceiver *receiver, const TfrcHandover *handover, size_t handover_size, uint64_t now_ns)
{
  TfrcHandoverBefore before = { 0 };
  TfrcHandover known = { 0 };
  TfrcResult result;
  TfrcHandoverPhase phase;
  TfrcModelInput input;
  double r_s;

  if (receiver == NULL)
    return TFRC_ERROR_ARGUMENT;
  result = tfrc_struct_read (
      &known, sizeof known, handover, handover_size, TFRC_HANDOVER_FIRST_SIZE);
  if (result != TFRC_OK)
    return result;
  if (!(known.bandwidth_Bps >= 0 && known.bandwidth_Bps <= TFRC_RATE_CEILING_BPS))
    return TFRC_ERROR_ARGUMENT;
  receiver->now_ns = tfrc_max_ns (receiver->now_ns, now_ns);
  /* If the old link has been silent for a while, its rate now is too low to continue with. */
  before.x_recv_Bps = measure_x_recv_at_Bps (receiver, receiver->control.arrival_ns);
  /* There is no rate to keep: this is an ordinary stream on the new link. */
  if (before.x_recv_Bps <= 0) {
    tfrc_receiver_handover_set_link (&receiver->handover, known.link, receiver->now_ns);
    expire_feedback_timer_if_heard (receiver);
    return TFRC_OK;
  }
  before.rtt_us = receiver->rtt_us;
  r_s = tfrc_ns_to_s (receiver->rtt_us * TFRC_NS_PER_US);
  input = (TfrcModelInput){ packet_bytes (receiver), r_s, rto_rtts (receiver) * r_s, 1 };
  before.x_eq_Bps = tfrc_model_find (receiver->config.model)
                        ->rate (&input, tfrc_receiver_loss_event_rate (receiver));
  phase = tfrc_receiver_handover_phase (&receiver->handover);
  tfrc_receiver_handover_start (&receiver->handover, &known, &before, receiver->now_ns);
  if (tfrc_receiver_handover_phase (&receiver->handover) != phase)
    tfrc_receiver_trace_phase (receiver);
  expire_feedback_timer_if_heard (receiver);
  return TFRC_OK;
}

/* ---- feedback (section 6.2) -------------------------------------------- */

uint64_t
tfrc_receiver_next_feedback_ns (const TfrcReceiver *receiver)
{
  return receiver != NULL ? tfrc_min_ns (receiver->feedback_ns,
             tfrc_loss_detection_expiry_ns (&receiver->loss, receiver->rtt_us))
                          : TFRC_TIME_NEVER;
}

/* The end of the reordering window is a loss that no packet has to detect, so that the loss is told in
 * time if the sender pauses.  The feedback is like one that was asked for if no data is new. */
static void
expire_reordering (TfrcReceiver *receiver)
{
  TfrcLossChange change = tfrc_loss_detection_expire (
      &receiver->loss, receiver->rtt_us, receiver->now_ns);

  if (tfrc_receiver_update_p (receiver, change)) {
    receiver->requested = true;
    receiver->feedback_ns = receiver->now_ns;
  }
}

TfrcResult
tfrc_receiver_request_feedback (TfrcReceiver *receiver, uint64_t now_ns)
{
  if (receiver == NULL)
    return TFRC_ERROR_ARGUMENT;
  receiver->now_ns = tfrc_max_ns (receiver->now_ns, now_ns);
  if (receiver->control.believed == 0 || receiver->now_ns < receiver->next_request_ns)
    return TFRC_OK;
  receiver->requested = true;
  receiver->next_request_ns = tfrc_add_ns (
      receiver->now_ns, tfrc_receiver_feedback_interval_ns (receiver, receiver->rtt_us));
  receiver->feedback_ns = receiver->now_ns;
  return TFRC_OK;
}

/* How long the timer runs while few packets come */
static uint64_t
longest_interval_ns (const TfrcReceiver *receiver, uint64_t interval_ns)
{
  return tfrc_max_ns (interval_ns, receiver->config.feedback_wait_ns);
}

bool
tfrc_receiver_falls_silent (const TfrcReceiver *receiver, uint64_t until_ns)
{
  uint64_t silent_ns = receiver->feedback_ns;

  if (receiver->rtt_us == 0 || receiver->feedback_ns == TFRC_TIME_NEVER)
    return false;
  if (receiver->unreported > 0)
    silent_ns = tfrc_add_ns (tfrc_max_ns (silent_ns, receiver->now_ns),
        longest_interval_ns (
            receiver, tfrc_receiver_feedback_interval_ns (receiver, receiver->rtt_us)));
  return until_ns > silent_ns;
}

/* Sets the timer after feedback. interval_ns: 0 if the next packet is to give feedback at once.
 * may_wait: feedback that covers few packets may wait for further packets, except in a handover. */
static void
set_feedback_timer (TfrcReceiver *receiver, uint64_t interval_ns, bool may_wait)
{
  uint64_t longest_ns = interval_ns;

  receiver->feedback_ns = TFRC_TIME_NEVER;
  if (interval_ns == 0)
    return;
  if (may_wait && tfrc_receiver_handover_phase (&receiver->handover) == TFRC_HANDOVER_NORMAL)
    longest_ns = longest_interval_ns (receiver, interval_ns);
  receiver->earliest_ns = tfrc_add_ns (receiver->now_ns, interval_ns);
  receiver->feedback_ns = tfrc_add_ns (receiver->now_ns, longest_ns);
}

/* Section 6.3.1 asks for the highest X_recv so far.  Until R of the new link is known X_recv is
 * of two links, and afterwards what the old link has carried says nothing about the new one. */
static double
greatest_x_recv_Bps (const TfrcReceiver *receiver)
{
  TfrcHandoverPhase phase = tfrc_receiver_handover_phase (&receiver->handover);

  return phase == TFRC_HANDOVER_NORMAL || phase == TFRC_HANDOVER_ECHO
      ? fmax (receiver->max_x_recv_Bps, receiver->x_recv_Bps)
      : 0;
}

bool
tfrc_receiver_make_feedback (TfrcReceiver *receiver, uint64_t now_ns, TfrcFeedback *feedback)
{
  uint64_t interval_ns, repeat_ns, next_ns;
  TfrcTraceRecord record = { 0 };
  TfrcHandoverPhase phase;

  if (receiver == NULL || feedback == NULL)
    return false;
  receiver->now_ns = tfrc_max_ns (receiver->now_ns, now_ns);
  expire_reordering (receiver);
  if (receiver->now_ns < receiver->feedback_ns || receiver->feedback_ns == TFRC_TIME_NEVER)
    return false;
  interval_ns = receiver->rtt_us ? tfrc_receiver_feedback_interval_ns (receiver, receiver->rtt_us)
                                 : 0;
  phase = tfrc_receiver_handover_phase (&receiver->handover);
  repeat_ns = tfrc_receiver_handover_repeat_ns (&receiver->handover, interval_ns, receiver->now_ns);
  if (tfrc_receiver_handover_phase (&receiver->handover) != phase)
    tfrc_receiver_trace_phase (receiver);
  if (receiver->unreported == 0 && repeat_ns == 0 && !receiver->requested) {
    /* The next packet makes the timer expire at once (section 6.1 step 4): the timer has nothing
     * to do until then. */
    receiver->silent = true;
    receiver->feedback_ns = TFRC_TIME_NEVER;
    return false;
  }

  receiver->p = tfrc_receiver_loss_event_rate (receiver);
  /* Section 6.3: the first feedback reports X_recv = 0. */
  if (receiver->unreported > 0)
    receiver->x_recv_Bps = receiver->feedbacks_sent == 0 ? 0 : measure_x_recv_Bps (receiver);
  else if (tfrc_receiver_handover_phase (&receiver->handover) == TFRC_HANDOVER_NORMAL
      && receiver->now_ns - receiver->control.arrival_ns >= interval_ns)
    receiver->x_recv_Bps = probing_x_recv_Bps (receiver);
  receiver->requested = false;
  receiver->max_x_recv_Bps = greatest_x_recv_Bps (receiver);
  memset (feedback, 0, sizeof *feedback);
  feedback->recv_data_us = receiver->control.send_time_us;
  feedback->delay_us = (uint32_t) tfrc_min_ns (
      (receiver->now_ns - receiver->control.arrival_ns) / TFRC_NS_PER_US, UINT32_MAX);
  feedback->x_recv_Bps = (uint32_t) fmin (receiver->x_recv_Bps, UINT32_MAX);
  feedback->p = receiver->p;
  feedback->has_state = true;
  feedback->number = (uint32_t) receiver->feedbacks_sent;
  feedback->loss_events = (uint32_t) tfrc_loss_history_events (&receiver->loss.all);
  if (receiver->classification != NULL) {
    feedback->classified = true;
    feedback->congestion_p = congestion_p (receiver);
    feedback->link_errors = (uint32_t) receiver->loss.link_errors;
  }
  tfrc_receiver_handover_fill (&receiver->handover, feedback);
  receiver->feedbacks_sent++;
  record.event = TFRC_TRACE_REPORT;
  record.x_recv_told_Bps = feedback->x_recv_Bps;
  record.p_told = feedback->p;
  record.count = receiver->feedbacks_sent;
  tfrc_receiver_trace (receiver, &record);
  receiver->silent = receiver->unreported == 0
      && tfrc_sub_ns (receiver->now_ns, receiver->control.arrival_ns) >= interval_ns;
  next_ns = interval_ns != 0 && (receiver->unreported > 0 || repeat_ns == 0) ? interval_ns
                                                                             : repeat_ns;
  set_feedback_timer (receiver, next_ns, repeat_ns == 0);
  /* X_recv covers only times in which data came. */
  if (receiver->unreported == 0)
    return true;
  receiver->unreported = 0;
  tfrc_receive_rate_mark (&receiver->rate,
      tfrc_receiver_feedback_interval_ns (receiver, receiver->rtt_us), receiver->now_ns);
  receiver->previous_rtt_us = receiver->rtt_us;
  return true;
}

/* ---- state ------------------------------------------------------------- */

static void
fill_stats (const TfrcReceiver *receiver, TfrcReceiverStats *stats)
{
  uint64_t expected = 0;

  if (receiver->started)
    expected = tfrc_seq_highest (&receiver->seq) - receiver->first_expected
        - receiver->restart_jumps + 1;
  memset (stats, 0, sizeof *stats);
  stats->p = tfrc_receiver_loss_event_rate (receiver);
  stats->x_recv_Bps = receiver->x_recv_Bps;
  stats->mean_interval = tfrc_loss_history_mean_interval (
      &receiver->loss.all, tfrc_seq_highest (&receiver->seq));
  stats->rtt_ns = receiver->rtt_us * TFRC_NS_PER_US;
  stats->highest_seq = tfrc_seq_highest (&receiver->seq);
  stats->packets_expected = expected;
  stats->packets_received = receiver->packets_received;
  stats->bytes_received = tfrc_receive_rate_bytes (&receiver->rate);
  stats->packets_lost = receiver->loss.lost;
  stats->packets_late = receiver->packets_late;
  stats->packets_duplicate = receiver->packets_duplicate;
  stats->packets_suspect = receiver->packets_suspect;
  stats->packets_ce = receiver->packets_ecn[TFRC_ECN_FIELD_CE];
  stats->loss_events = tfrc_loss_history_events (&receiver->loss.all);
  stats->feedbacks_sent = receiver->feedbacks_sent;
  tfrc_receiver_handover_fill_stats (&receiver->handover, stats);
  stats->congestion_p = congestion_p (receiver);
  stats->link_errors = receiver->loss.link_errors;
  stats->packets_ect0 = receiver->packets_ecn[TFRC_ECN_FIELD_ECT_0];
  stats->packets_ect1 = receiver->packets_ecn[TFRC_ECN_FIELD_ECT_1];
  stats->packets_not_ect = receiver->packets_ecn[TFRC_ECN_FIELD_NOT_ECT];
  stats->reorder_window_ns = tfrc_reorder_window_ns (&receiver->loss.window, receiver->rtt_us);
}

TfrcResult
tfrc_receiver_get_stats_sized (const TfrcReceiver *receiver, TfrcReceiverStats *stats, size_t size)
{
  TfrcReceiverStats known;

  if (receiver == NULL)
    return TFRC_ERROR_ARGUMENT;
  fill_stats (receiver, &known);
  return tfrc_struct_write (stats, size, &known, sizeof known, TFRC_RECEIVER_STATS_FIRST_SIZE);
}

uint64_t
tfrc_receiver_get_rtt_ns (const TfrcReceiver *receiver)
{
  return receiver != NULL ? receiver->rtt_us * TFRC_NS_PER_US : 0;
}

double
tfrc_receiver_get_loss_event_rate (const TfrcReceiver *receiver)
{
  return receiver != NULL ? tfrc_receiver_loss_event_rate (receiver) : 0;
}

double
tfrc_receiver_get_receive_rate_Bps (const TfrcReceiver *receiver)
{
  return receiver != NULL ? receiver->x_recv_Bps : 0;
}

uint64_t
tfrc_receiver_get_packets_received (const TfrcReceiver *receiver)
{
  return receiver != NULL ? receiver->packets_received : 0;
}

TfrcHandoverPhase
tfrc_receiver_get_handover_phase (const TfrcReceiver *receiver)
{
  return receiver != NULL ? tfrc_receiver_handover_phase (&receiver->handover)
                          : TFRC_HANDOVER_NORMAL;
}

TfrcResult
tfrc_receiver_get_loss_statistics_sized (
    const TfrcReceiver *receiver, TfrcLossStatistics *statistics, size_t size)
{
  TfrcLossStatistics known;
  TfrcModelInput input;

  if (receiver == NULL)
    return TFRC_ERROR_ARGUMENT;
  input = model_input (receiver);
  tfrc_loss_moments_get (tfrc_loss_history_moments (&receiver->loss.all),
      tfrc_model_find (receiver->config.model), &input, &known);
  return tfrc_struct_write (
      statistics, size, &known, sizeof known, TFRC_LOSS_STATISTICS_FIRST_SIZE);
}

void
tfrc_receiver_reset_loss_statistics (TfrcReceiver *receiver)
{
  if (receiver != NULL)
    tfrc_loss_detection_reset_moments (&receiver->loss);
}
