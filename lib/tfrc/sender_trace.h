/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender tells the program of its decisions (<tfrc/trace.h>): functions of sender.c */
#ifndef TFRC_SENDER_TRACE_H
#define TFRC_SENDER_TRACE_H

#include "sender_state.h"

/* The details of a decision that the sender's state does not have */
typedef struct
{
  TfrcTraceReason reason;
  TfrcResult result;
  double x_before_Bps;
  double x_recv_told_Bps;
  double p_told;
  uint64_t rtt_sample_ns;
  uint64_t count;
} TfrcSenderDecision;

/* Is the program told at all?  To be asked before a decision's details are computed. */
static inline bool
tfrc_sender_is_traced (const TfrcSender *sender)
{
  return sender->config.trace.fn != NULL;
}

void tfrc_sender_trace (const TfrcSender *sender, TfrcTraceEvent event,
    const TfrcSenderDecision *decision, uint64_t now_ns);

/* X has changed without feedback, if it has changed. */
void tfrc_sender_trace_rate (
    const TfrcSender *sender, TfrcTraceReason reason, double x_before_Bps, uint64_t now_ns);

#endif
