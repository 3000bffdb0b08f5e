/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data sender (RFC 5348 section 4): creation, packets that leave, and what the program asks.
 * allowed_rate.c has the rates, sender_feedback.c section 4.3, nofeedback_timer.c section 4.4. */
#include "sender_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "sender_reports.h"
#include "sender_trace.h"
#include "struct_size.h"
#include "units.h"

/* ---- life -------------------------------------------------------------- */

/* The first packet leaves. With an initial R, the stream is where it would be after its first
 * feedback. */
static void
begin_stream (TfrcSender *sender, uint64_t now_ns)
{
  sender->first_send_ns = now_ns;
  if (sender->rtt_is_initial)
    tfrc_allowed_rate_begin (&sender->rate, now_ns);
}

TfrcResult
tfrc_sender_new_sized (TfrcSender **sender, const TfrcSenderConfig *config, size_t config_size)
{
  TfrcSenderConfig known;
  TfrcSender *self;
  TfrcPacerConfig pacer;
  TfrcResult result;

  if (sender == NULL)
    return TFRC_ERROR_ARGUMENT;
  *sender = NULL;
  result = tfrc_sender_config_read (&known, config, config_size);
  if (result != TFRC_OK)
    return result;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return TFRC_ERROR_NO_MEMORY;

  self->config = known;
  tfrc_allowed_rate_init (&self->rate, &self->config);
  self->rtt_is_initial = known.initial_rtt_ns != 0;
  tfrc_nofeedback_timer_init (&self->nofeedback);
  tfrc_data_limited_init (&self->data_limited);
  pacer.burst_limit_ns = known.burst_limit_ns;
  pacer.credit_floor_ns = known.credit_floor_ns;
  pacer.granularity_ns = known.timer_granularity_ns;
  tfrc_pacer_init (&self->pacer, &pacer);
  tfrc_feedback_record_init (&self->feedback);
  tfrc_sender_handover_init (&self->handover);
  tfrc_new_path_init (&self->new_path);
  tfrc_careful_resume_init (&self->resume, known.remembered_rate_Bps, known.remembered_rtt_ns);
  tfrc_distrust_init (&self->distrust, known.rules == TFRC_RULES_STRICT);
  self->next_seq = known.first_seq;
  *sender = self;
  return TFRC_OK;
}

void
tfrc_sender_free (TfrcSender *sender)
{
  free (sender);
}

TfrcResult
tfrc_sender_set_rate_limits (TfrcSender *sender, double min_rate_Bps, double max_rate_Bps)
{
  double x_before_Bps;

  if (sender == NULL
      || !tfrc_rate_limits_are_valid (
          min_rate_Bps, max_rate_Bps, sender->config.segment_size_bytes))
    return TFRC_ERROR_ARGUMENT;
  sender->config.min_rate_Bps = min_rate_Bps;
  sender->config.max_rate_Bps = max_rate_Bps;
  x_before_Bps = tfrc_allowed_rate_x_Bps (&sender->rate);
  tfrc_allowed_rate_set (&sender->rate, x_before_Bps);
  tfrc_sender_trace_rate (sender, TFRC_TRACE_BY_PROGRAM, x_before_Bps, sender->last_send_ns);
  return TFRC_OK;
}

void
tfrc_sender_spend_credit (TfrcSender *sender, bool spend)
{
  if (sender != NULL)
    tfrc_pacer_spend_credit (&sender->pacer, spend);
}

uint64_t
tfrc_sender_get_used_until_ns (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_pacer_used_until_ns (&sender->pacer) : TFRC_TIME_NEVER;
}

/* ---- sending ----------------------------------------------------------- */

uint32_t
tfrc_sender_wire_time_us (const TfrcSender *sender, uint64_t now_ns)
{
  if (sender == NULL)
    return 0;
  return (uint32_t) (now_ns / TFRC_NS_PER_US) + sender->config.clock_offset_us;
}

static uint64_t
next_send_ns (const TfrcSender *sender, uint64_t ipi_ns, uint64_t rtt_ns)
{
  return tfrc_distrust_next_ns (
      &sender->distrust, tfrc_pacer_next_ns (&sender->pacer, ipi_ns, rtt_ns));
}

uint64_t
tfrc_sender_next_send_ns (const TfrcSender *sender)
{
  if (sender == NULL)
    return TFRC_TIME_NEVER;
  return next_send_ns (sender, tfrc_allowed_rate_interval_ns (&sender->rate),
      tfrc_allowed_rate_rtt_ns (&sender->rate));
}

/* A packet leaves: if a packet is due that feedback has allowed beside X, this is that packet. */
static void
use_probe (TfrcSender *sender, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns)
{
  if (tfrc_distrust_uses_probe (&sender->distrust, now_ns)
      && now_ns < tfrc_pacer_next_ns (&sender->pacer, ipi_ns, rtt_ns))
    tfrc_pacer_release (&sender->pacer, ipi_ns, now_ns);
}

/* A packet leaves now.  ipi_ns and rtt_ns: t_ipi and R */
static void
account (TfrcSender *sender, uint32_t size_bytes, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns,
    TfrcData *data)
{
  use_probe (sender, ipi_ns, rtt_ns, now_ns);

  tfrc_allowed_rate_on_packet (&sender->rate, size_bytes);
  tfrc_pacer_on_packet (&sender->pacer, ipi_ns, rtt_ns, now_ns);
  if (tfrc_pacer_is_exhausted (&sender->pacer, ipi_ns, rtt_ns, now_ns))
    tfrc_data_limited_on_limit_reached (&sender->data_limited, tfrc_truncate_to_us (now_ns));

  if (sender->packets_sent == 0)
    begin_stream (sender, now_ns);
  sender->last_send_ns = now_ns;
  tfrc_nofeedback_timer_on_packet (
      &sender->nofeedback, &sender->rate, sender->packets_sent == 0, now_ns);
  tfrc_distrust_on_packet (&sender->distrust, size_bytes,
      tfrc_allowed_rate_feedback_interval_ns (&sender->rate), now_ns);

  memset (data, 0, sizeof *data);
  data->seq = sender->next_seq++;
  data->send_time_us = tfrc_sender_wire_time_us (sender, now_ns);
  data->rtt_us = (uint32_t) ((rtt_ns + TFRC_NS_PER_US / 2) / TFRC_NS_PER_US);
  data->size_bytes = size_bytes;
  data->has_tfrc = true;
  data->model = sender->config.model;
  tfrc_sender_handover_mark (&sender->handover, data);
  sender->packets_sent++;
  sender->bytes_sent += size_bytes;
}

static bool
may_leave (const TfrcSender *sender, uint32_t size_bytes, const TfrcData *data)
{
  return sender != NULL && data != NULL && size_bytes > 0 && size_bytes <= UINT16_MAX;
}

TfrcResult
tfrc_sender_prepare (TfrcSender *sender, uint32_t size_bytes, uint64_t now_ns, TfrcData *data)
{
  uint64_t ipi_ns, rtt_ns;

  if (!may_leave (sender, size_bytes, data))
    return TFRC_ERROR_ARGUMENT;
  ipi_ns = tfrc_allowed_rate_interval_ns (&sender->rate);
  rtt_ns = tfrc_allowed_rate_rtt_ns (&sender->rate);
  if (now_ns < next_send_ns (sender, ipi_ns, rtt_ns))
    return TFRC_ERROR_TOO_EARLY;
  account (sender, size_bytes, ipi_ns, rtt_ns, now_ns, data);
  return TFRC_OK;
}

TfrcResult
tfrc_sender_on_sent (TfrcSender *sender, uint32_t size_bytes, uint64_t now_ns, TfrcData *data)
{
  if (!may_leave (sender, size_bytes, data))
    return TFRC_ERROR_ARGUMENT;
  account (sender, size_bytes, tfrc_allowed_rate_interval_ns (&sender->rate),
      tfrc_allowed_rate_rtt_ns (&sender->rate), now_ns, data);
  return TFRC_OK;
}

void
tfrc_sender_cancel (TfrcSender *sender, uint32_t size_bytes)
{
  if (sender == NULL || sender->packets_sent == 0)
    return;
  sender->next_seq--;
  sender->packets_sent--;
  sender->bytes_sent -= size_bytes < sender->bytes_sent ? size_bytes : sender->bytes_sent;
  tfrc_distrust_cancel (&sender->distrust, size_bytes);
}

void
tfrc_sender_on_peer_alive (TfrcSender *sender, uint64_t now_ns)
{
  if (sender != NULL
      && (tfrc_nofeedback_timer_has_backed_off (&sender->nofeedback)
          || !tfrc_allowed_rate_knows_rtt (&sender->rate)))
    tfrc_pacer_release (&sender->pacer, tfrc_allowed_rate_interval_ns (&sender->rate), now_ns);
}

/* ---- receiver reports in the place of feedback -------------------------- */

void
tfrc_sender_follow_reports (TfrcSender *sender, uint64_t interval_ns, bool first)
{
  tfrc_allowed_rate_follow_reports (&sender->rate, interval_ns);
  if (first)
    tfrc_feedback_record_begin_series (&sender->feedback);
}

void
tfrc_sender_leave_reports (TfrcSender *sender)
{
  tfrc_allowed_rate_leave_reports (&sender->rate);
  tfrc_feedback_record_begin_series (&sender->feedback);
}

void
tfrc_sender_limit_by_reports (TfrcSender *sender, double limit_Bps, uint64_t now_ns)
{
  double x_before_Bps = tfrc_allowed_rate_x_Bps (&sender->rate);

  tfrc_allowed_rate_limit_by_reports (&sender->rate, limit_Bps);
  tfrc_sender_trace_rate (sender, TFRC_TRACE_BY_REPORTS, x_before_Bps, now_ns);
}

double
tfrc_sender_first_reports_rate_Bps (const TfrcSender *sender, uint64_t least_rtt_ns)
{
  double x_Bps = tfrc_allowed_rate_x_Bps (&sender->rate);

  if (sender->config.initial_rate_Bps > 0)
    return x_Bps;
  return fmin (x_Bps, tfrc_allowed_rate_least_initial_Bps (&sender->rate, least_rtt_ns));
}

double
tfrc_sender_equation_rate_Bps (const TfrcSender *sender, double p)
{
  return tfrc_allowed_rate_equation_Bps (&sender->rate, p);
}

double
tfrc_sender_first_interval (const TfrcSender *sender, double x_recv_Bps)
{
  return tfrc_allowed_rate_first_interval (&sender->rate, x_recv_Bps);
}

/* ---- the nofeedback timer (section 4.4) --------------------------------- */

uint64_t
tfrc_sender_next_timeout_ns (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_nofeedback_timer_expires_ns (&sender->nofeedback) : TFRC_TIME_NEVER;
}

void
tfrc_sender_on_timeout (TfrcSender *sender, uint64_t now_ns)
{
  TfrcSenderDecision decision = { 0 };

  if (sender == NULL)
    return;
  decision.reason = TFRC_TRACE_BY_NOFEEDBACK;
  decision.x_before_Bps = tfrc_allowed_rate_x_Bps (&sender->rate);
  switch (tfrc_nofeedback_timer_serve (
      &sender->nofeedback, &sender->rate, sender->last_send_ns, now_ns)) {
    case TFRC_NOFEEDBACK_NOTHING:
      return;
    case TFRC_NOFEEDBACK_SPARED:
      tfrc_careful_resume_on_idle (&sender->resume);
      return;
    case TFRC_NOFEEDBACK_CUT:
      tfrc_careful_resume_cancel (&sender->resume, false);
      break;
  }
  decision.count = tfrc_nofeedback_timer_expirations (&sender->nofeedback);
  tfrc_sender_trace (sender, TFRC_TRACE_NOFEEDBACK, &decision, now_ns);
}

/* ---- what the program is told ------------------------------------------- */

void
tfrc_sender_trace (const TfrcSender *sender, TfrcTraceEvent event,
    const TfrcSenderDecision *decision, uint64_t now_ns)
{
  const TfrcFeedback *feedback = tfrc_feedback_record_last (&sender->feedback);
  TfrcTraceRecord record = { 0 };

  if (!tfrc_sender_is_traced (sender))
    return;
  tfrc_allowed_rate_fill_trace (&sender->rate, &record);
  record.event = event;
  record.reason = decision->reason;
  record.result = decision->result;
  record.now_ns = now_ns;
  record.x_before_Bps = decision->x_before_Bps;
  record.x_recv_Bps = feedback->x_recv_Bps;
  record.x_recv_told_Bps = decision->x_recv_told_Bps;
  record.p_told = decision->p_told;
  record.rtt_sample_ns = decision->rtt_sample_ns;
  record.loss_events = feedback->loss_events;
  record.count = decision->count;
  sender->config.trace.fn (sender->config.trace.user, &record);
}

void
tfrc_sender_trace_rate (
    const TfrcSender *sender, TfrcTraceReason reason, double x_before_Bps, uint64_t now_ns)
{
  TfrcSenderDecision decision = { 0 };

  if (!tfrc_sender_is_traced (sender) || tfrc_allowed_rate_x_Bps (&sender->rate) == x_before_Bps)
    return;
  decision.reason = reason;
  decision.x_before_Bps = x_before_Bps;
  tfrc_sender_trace (sender, TFRC_TRACE_RATE, &decision, now_ns);
}

/* ---- state ------------------------------------------------------------- */

static void
fill_stats (const TfrcSender *sender, TfrcSenderStats *stats)
{
  const TfrcFeedback *feedback = tfrc_feedback_record_last (&sender->feedback);

  memset (stats, 0, sizeof *stats);
  tfrc_allowed_rate_fill_stats (&sender->rate, stats);
  stats->x_recv_Bps = feedback->x_recv_Bps;
  stats->p = sender->reported_p;
  stats->rto_ns = tfrc_nofeedback_timer_rto_ns (
      &sender->rate, tfrc_allowed_rate_x_Bps (&sender->rate));
  stats->packets_sent = sender->packets_sent;
  stats->bytes_sent = sender->bytes_sent;
  stats->feedbacks_received = tfrc_feedback_record_received (&sender->feedback);
  stats->feedbacks_refused = sender->feedbacks_refused;
  stats->nofeedback_expirations = tfrc_nofeedback_timer_expirations (&sender->nofeedback);
  stats->data_limited = sender->was_data_limited;
  stats->holding = tfrc_sender_handover_is_holding (&sender->handover);
  stats->handovers = tfrc_sender_handover_holds (&sender->handover);
  stats->loss_response = TFRC_LOSS_RESPONSE_ALL;
  stats->congestion_p = sender->congestion_p;
  if (feedback->classified) {
    stats->loss_response = sender->config.loss_response;
    stats->link_errors = feedback->link_errors;
  }
}

TfrcResult
tfrc_sender_get_stats_sized (const TfrcSender *sender, TfrcSenderStats *stats, size_t size)
{
  TfrcSenderStats known;

  if (sender == NULL)
    return TFRC_ERROR_ARGUMENT;
  fill_stats (sender, &known);
  return tfrc_struct_write (stats, size, &known, sizeof known, TFRC_SENDER_STATS_FIRST_SIZE);
}

double
tfrc_sender_get_rate_Bps (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_allowed_rate_x_Bps (&sender->rate) : 0;
}

double
tfrc_sender_get_inst_rate_Bps (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_allowed_rate_x_inst_Bps (&sender->rate) : 0;
}

uint64_t
tfrc_sender_get_rtt_ns (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_allowed_rate_rtt_ns (&sender->rate) : 0;
}

/* X_recv_set can hold half of a rate that nobody has sent on this path: that of a hold, or a first rate. */
double
tfrc_sender_get_proven_rate_Bps (const TfrcSender *sender, uint64_t *least_rtt_ns)
{
  double x_recv_Bps;

  if (sender == NULL || least_rtt_ns == NULL)
    return 0;
  *least_rtt_ns = tfrc_careful_resume_least_rtt_ns (&sender->resume);
  x_recv_Bps = tfrc_allowed_rate_x_recv_Bps (&sender->rate);
  if (isinf (x_recv_Bps) || *least_rtt_ns == 0 || tfrc_careful_resume_is_unproven (&sender->resume)
      || tfrc_allowed_rate_report_interval_ns (&sender->rate) > 0)
    return 0;
  return fmin (tfrc_allowed_rate_x_Bps (&sender->rate),
      fmin (x_recv_Bps, tfrc_careful_resume_carried_Bps (&sender->resume)));
}

double
tfrc_sender_get_loss_event_rate (const TfrcSender *sender)
{
  return sender != NULL ? sender->reported_p : 0;
}

uint64_t
tfrc_sender_get_packets_sent (const TfrcSender *sender)
{
  return sender != NULL ? sender->packets_sent : 0;
}

uint64_t
tfrc_sender_get_bytes_sent (const TfrcSender *sender)
{
  return sender != NULL ? sender->bytes_sent : 0;
}

uint64_t
tfrc_sender_get_nofeedback_expirations (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_nofeedback_timer_expirations (&sender->nofeedback) : 0;
}
