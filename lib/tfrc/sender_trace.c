/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells the program of a sender's decisions, see sender_trace.h. */
#include "sender_trace.h"

void
tfrc_sender_trace (const TfrcSender *sender, TfrcTraceEvent event,
    const TfrcSenderDecision *decision, uint64_t now_ns)
{
  TfrcTraceRecord record = { 0 };

  if (!tfrc_sender_is_traced (sender))
    return;
  record.event = event;
  record.reason = decision->reason;
  record.result = decision->result;
  record.now_ns = now_ns;
  record.x_Bps = sender->x_Bps;
  record.x_before_Bps = decision->x_before_Bps;
  record.x_inst_Bps = sender->x_inst_Bps;
  record.x_eq_Bps = sender->x_eq_Bps;
  record.recv_limit_Bps = sender->recv_limit_Bps;
  record.guard_Bps = tfrc_queue_guard_limit_Bps (&sender->queue_guard);
  record.x_recv_Bps = tfrc_feedback_record_last (&sender->feedback)->x_recv_Bps;
  record.x_recv_told_Bps = decision->x_recv_told_Bps;
  record.p = sender->p;
  record.p_told = decision->p_told;
  record.rtt_ns = tfrc_rtt_ns (&sender->rtt);
  record.rtt_sample_ns = decision->rtt_sample_ns;
  record.loss_events = tfrc_feedback_record_last (&sender->feedback)->loss_events;
  record.count = decision->count;
  sender->config.trace.fn (sender->config.trace.user, &record);
}

void
tfrc_sender_trace_rate (
    const TfrcSender *sender, TfrcTraceReason reason, double x_before_Bps, uint64_t now_ns)
{
  TfrcSenderDecision decision = { 0 };

  if (!tfrc_sender_is_traced (sender) || sender->x_Bps == x_before_Bps)
    return;
  decision.reason = reason;
  decision.x_before_Bps = x_before_Bps;
  tfrc_sender_trace (sender, TFRC_TRACE_RATE, &decision, now_ns);
}
