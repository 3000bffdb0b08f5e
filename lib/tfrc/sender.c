/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data sender (RFC 5348 section 4): creation, and packets that leave. allowed_rate.c has the
 * rates, sender_feedback.c section 4.3, nofeedback_timer.c section 4.4. */
#include "sender_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allowed_rate.h"
#include "config.h"
#include "nofeedback_timer.h"
#include "sender_reports.h"
#include "sender_trace.h"
#include "struct_size.h"
#include "units.h"

/* ---- life -------------------------------------------------------------- */

/* Section 4.2: s bytes per second until there is a round-trip time, W_init / R from then on */
static void
set_initial_rate (TfrcSender *sender)
{
  if (sender->config.initial_rtt_ns == 0) {
    tfrc_sender_set_rate (sender, sender->config.segment_size_bytes);
    return;
  }
  tfrc_rtt_on_sample (&sender->rtt, sender->config.initial_rtt_ns, false);
  sender->rtt_is_initial = true;
  tfrc_sender_set_rate (sender, tfrc_sender_initial_rate_Bps (sender));
}

/* The first packet leaves. With an initial R, the stream is where it would be after its first
 * feedback (section 4.2): tld = now, and X_recv_set has one item, Infinity. */
static void
begin_stream (TfrcSender *sender, uint64_t now_ns)
{
  sender->first_send_ns = now_ns;
  if (!sender->rtt_is_initial)
    return;
  sender->tld_ns = now_ns;
  tfrc_recv_set_init (&sender->recv_set, now_ns);
}

TfrcResult
tfrc_sender_new_sized (TfrcSender **sender, const TfrcSenderConfig *config, size_t config_size)
{
  TfrcSenderConfig known;
  TfrcSender *self;
  TfrcRttConfig rtt;
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
  rtt.method = known.rtt_method;
  rtt.rto_policy = known.rto_policy;
  rtt.samples = known.rtt_samples;
  rtt.rise_ns = known.rtt_rise_ns;
  tfrc_rtt_init (&self->rtt, &rtt);
  tfrc_data_limited_init (&self->data_limited);
  tfrc_segment_size_init (&self->segment_size, known.segment_size_bytes);
  pacer.burst_limit_ns = known.burst_limit_ns;
  pacer.credit_floor_ns = known.credit_floor_ns;
  pacer.granularity_ns = known.timer_granularity_ns;
  tfrc_pacer_init (&self->pacer, &pacer);
  tfrc_recv_set_init (&self->recv_set, 0);
  tfrc_feedback_record_init (&self->feedback);
  tfrc_queue_guard_init (&self->queue_guard);
  tfrc_sender_handover_init (&self->handover);
  tfrc_new_path_init (&self->new_path);
  tfrc_distrust_init (&self->distrust, known.rules == TFRC_RULES_STRICT);
  self->nofeedback_ns = TFRC_TIME_NEVER;
  self->next_seq = known.first_seq;
  self->recv_limit_Bps = self->report_limit_Bps = INFINITY;
  set_initial_rate (self);
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
  x_before_Bps = sender->x_Bps;
  tfrc_sender_set_rate (sender, sender->x_Bps);
  tfrc_sender_trace_rate (sender, TFRC_TRACE_BY_PROGRAM, x_before_Bps, sender->last_send_ns);
  return TFRC_OK;
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
  return next_send_ns (sender, tfrc_sender_interval_ns (sender), tfrc_rtt_ns (&sender->rtt));
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

  tfrc_segment_size_on_packet (&sender->segment_size, size_bytes, sender->p);
  /* s / t_mbi grows with the segments: the sender may always send one packet in 64 seconds. */
  if (fmin (sender->x_Bps, sender->x_inst_Bps) < tfrc_sender_segment_bytes (sender) / TFRC_T_MBI_S)
    tfrc_sender_set_rate (sender, sender->x_Bps);
  tfrc_pacer_on_packet (&sender->pacer, ipi_ns, rtt_ns, now_ns);
  if (tfrc_pacer_is_exhausted (&sender->pacer, ipi_ns, rtt_ns, now_ns))
    tfrc_data_limited_on_limit_reached (&sender->data_limited, tfrc_truncate_to_us (now_ns));

  if (sender->packets_sent == 0)
    begin_stream (sender, now_ns);
  sender->last_send_ns = now_ns;
  tfrc_sender_nofeedback_on_packet (sender, now_ns);
  tfrc_distrust_on_packet (
      &sender->distrust, size_bytes, tfrc_sender_feedback_interval_ns (sender), now_ns);

  memset (data, 0, sizeof *data);
  data->seq = sender->next_seq++;
  data->send_time_us = tfrc_sender_wire_time_us (sender, now_ns);
  data->rtt_us = (uint32_t) ((rtt_ns + TFRC_NS_PER_US / 2) / TFRC_NS_PER_US);
  data->size_bytes = size_bytes;
  data->has_tfrc = true;
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
  ipi_ns = tfrc_sender_interval_ns (sender);
  rtt_ns = tfrc_rtt_ns (&sender->rtt);
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
  account (sender, size_bytes, tfrc_sender_interval_ns (sender), tfrc_rtt_ns (&sender->rtt), now_ns,
      data);
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
  if (sender != NULL && (sender->backed_off || !tfrc_rtt_is_known (&sender->rtt)))
    tfrc_pacer_release (&sender->pacer, tfrc_sender_interval_ns (sender), now_ns);
}

/* ---- receiver reports in the place of feedback -------------------------- */

void
tfrc_sender_follow_reports (TfrcSender *sender, uint64_t interval_ns, bool first)
{
  sender->report_interval_ns = interval_ns;
  if (first)
    tfrc_feedback_record_begin_series (&sender->feedback);
}

void
tfrc_sender_leave_reports (TfrcSender *sender)
{
  sender->report_interval_ns = 0;
  sender->report_limit_Bps = INFINITY;
  tfrc_feedback_record_begin_series (&sender->feedback);
}

void
tfrc_sender_limit_by_reports (TfrcSender *sender, double limit_Bps, uint64_t now_ns)
{
  double x_before_Bps = sender->x_Bps;

  if (limit_Bps == sender->report_limit_Bps)
    return;
  sender->report_limit_Bps = limit_Bps;
  tfrc_sender_set_rate (sender, sender->x_Bps);
  tfrc_sender_trace_rate (sender, TFRC_TRACE_BY_REPORTS, x_before_Bps, now_ns);
}

double
tfrc_sender_first_reports_rate_Bps (const TfrcSender *sender, uint64_t least_rtt_ns)
{
  uint64_t rtt_ns = tfrc_sender_feedback_interval_ns (sender);

  if (sender->config.initial_rate_Bps > 0 || rtt_ns >= least_rtt_ns)
    return sender->x_Bps;
  return sender->x_Bps * (double) rtt_ns / (double) least_rtt_ns;
}

/* ---- state ------------------------------------------------------------- */

static void
fill_stats (const TfrcSender *sender, TfrcSenderStats *stats)
{
  const TfrcFeedback *feedback = tfrc_feedback_record_last (&sender->feedback);

  memset (stats, 0, sizeof *stats);
  stats->x_Bps = sender->x_Bps;
  stats->x_inst_Bps = sender->x_inst_Bps;
  stats->x_eq_Bps = sender->x_eq_Bps;
  stats->x_recv_Bps = feedback->x_recv_Bps;
  stats->recv_limit_Bps = sender->recv_limit_Bps;
  stats->queue_guard_Bps = tfrc_queue_guard_limit_Bps (&sender->queue_guard);
  stats->p = sender->reported_p;
  stats->segment_size_bytes = tfrc_sender_segment_bytes (sender);
  stats->rtt_ns = tfrc_rtt_ns (&sender->rtt);
  stats->rtt_sample_ns = tfrc_s_to_nearest_ns (tfrc_rtt_sample_s (&sender->rtt));
  stats->rttvar_ns = tfrc_s_to_nearest_ns (tfrc_rtt_variation_s (&sender->rtt));
  stats->equation_rto_ns = tfrc_s_to_nearest_ns (tfrc_rtt_rto_s (&sender->rtt));
  stats->rto_ns = tfrc_sender_rto_ns (sender, sender->x_Bps);
  stats->packets_sent = sender->packets_sent;
  stats->bytes_sent = sender->bytes_sent;
  stats->feedbacks_received = tfrc_feedback_record_received (&sender->feedback);
  stats->feedbacks_refused = sender->feedbacks_refused;
  stats->nofeedback_expirations = sender->nofeedback_expirations;
  stats->data_limited = sender->was_data_limited;
  stats->slow_start = sender->p == 0;
  stats->holding = tfrc_sender_handover_is_holding (&sender->handover);
  stats->handovers = tfrc_sender_handover_holds (&sender->handover);
  stats->rtt_average_ns = tfrc_rtt_average_ns (&sender->rtt);
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
  return sender != NULL ? sender->x_Bps : 0;
}

double
tfrc_sender_get_inst_rate_Bps (const TfrcSender *sender)
{
  return sender != NULL ? sender->x_inst_Bps : 0;
}

uint64_t
tfrc_sender_get_rtt_ns (const TfrcSender *sender)
{
  return sender != NULL ? tfrc_rtt_ns (&sender->rtt) : 0;
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
  return sender != NULL ? sender->nofeedback_expirations : 0;
}
