/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nofeedback timer, see nofeedback_timer.h. */
#include "nofeedback_timer.h"

#include <math.h>

#include "allowed_rate.h"
#include "sender_trace.h"
#include "units.h"

/* Section 4.2: the nofeedback timer before R is known */
#define INITIAL_NOFEEDBACK_NS (2 * TFRC_NS_PER_S)

/* Where RTCP stands for feedback, this many of its intervals without a report are silence: one
 * report may be lost. */
#define REPORT_INTERVALS 2

/* ---- its length -------------------------------------------------------- */

uint64_t
tfrc_sender_rto_ns (const TfrcSender *sender, double x_Bps)
{
  uint64_t two_packets_ns = tfrc_s_to_ns (
      2 * tfrc_sender_segment_bytes (sender) / x_Bps, UINT64_MAX / 4);

  if (!tfrc_rtt_is_known (&sender->rtt))
    return tfrc_max_ns (INITIAL_NOFEEDBACK_NS, two_packets_ns);
  return tfrc_max_ns (REPORT_INTERVALS * sender->report_interval_ns,
      tfrc_max_ns (4 * tfrc_sender_longest_interval_ns (sender), two_packets_ns));
}

void
tfrc_sender_set_nofeedback_timer (TfrcSender *sender, uint64_t now_ns, uint64_t after_ns)
{
  sender->nofeedback_set_ns = now_ns;
  sender->nofeedback_ns = tfrc_add_ns (now_ns, after_ns);
}

void
tfrc_sender_nofeedback_on_packet (TfrcSender *sender, uint64_t now_ns)
{
  /* The timer does not run while the sender is idle at a rate that idleness does not reduce, see
   * below. */
  if (sender->nofeedback_ns == TFRC_TIME_NEVER)
    tfrc_sender_set_nofeedback_timer (sender, now_ns,
        sender->packets_sent == 0 && !tfrc_rtt_is_known (&sender->rtt)
            ? INITIAL_NOFEEDBACK_NS
            : tfrc_sender_rto_ns (sender, sender->x_Bps));
}

void
tfrc_sender_notice_stop (TfrcSender *sender, uint64_t now_ns)
{
  if (sender->nofeedback_ns != TFRC_TIME_NEVER
      && now_ns > tfrc_add_ns (sender->nofeedback_ns, tfrc_sender_feedback_interval_ns (sender)))
    sender->stopped_until_ns = tfrc_truncate_to_us (now_ns);
}

/* ---- its expiration ---------------------------------------------------- */

uint64_t
tfrc_sender_next_timeout_ns (const TfrcSender *sender)
{
  return sender != NULL ? sender->nofeedback_ns : TFRC_TIME_NEVER;
}

/* "Update_Limits (timer_limit)".  A rate that the configured maximum limits is halved as well. */
static void
update_limits (TfrcSender *sender, double timer_limit_Bps, uint64_t now_ns)
{
  double halved_max_Bps = tfrc_sender_max_rate_Bps (sender) / 2;
  double limit_Bps = fmax (
      fmin (timer_limit_Bps, halved_max_Bps), tfrc_sender_segment_bytes (sender) / TFRC_T_MBI_S);

  tfrc_recv_set_replace (&sender->recv_set, limit_Bps / 2, now_ns);
  /* Step 4 of section 4.3 again, with recv_limit = 2 max (X_recv_set) = timer_limit */
  sender->recv_limit_Bps = limit_Bps;
  tfrc_sender_set_rate (sender, fmin (sender->x_eq_Bps, limit_Bps));
}

/* Is the rate low enough that an idle sender keeps it? */
static bool
spares_idle_sender (const TfrcSender *sender)
{
  if (!tfrc_rtt_is_known (&sender->rtt))
    return true;
  if (sender->p > 0)
    return tfrc_recv_set_max (&sender->recv_set) < tfrc_sender_initial_rate_Bps (sender);
  return sender->x_Bps < 2 * tfrc_sender_initial_rate_Bps (sender);
}

void
tfrc_sender_on_timeout (TfrcSender *sender, uint64_t now_ns)
{
  TfrcSenderDecision decision = { 0 };
  double x_recv_Bps;
  bool idle;

  if (sender == NULL || now_ns < sender->nofeedback_ns)
    return;
  x_recv_Bps = tfrc_recv_set_max (&sender->recv_set);
  idle = sender->last_send_ns < sender->nofeedback_set_ns;
  tfrc_sender_notice_stop (sender, now_ns);
  if (idle && spares_idle_sender (sender)) {
    /* Further expirations would change nothing: the timer waits for the next packet. */
    sender->nofeedback_ns = TFRC_TIME_NEVER;
    return;
  }
  decision.reason = TFRC_TRACE_BY_NOFEEDBACK;
  decision.x_before_Bps = sender->x_Bps;
  if (sender->p == 0)
    tfrc_sender_set_rate (sender, sender->x_Bps / 2);
  else if (sender->x_eq_Bps > 2 * x_recv_Bps)
    update_limits (sender, x_recv_Bps, now_ns);
  else
    update_limits (sender, sender->x_eq_Bps / 2, now_ns);
  sender->nofeedback_expirations++;
  sender->backed_off = true;
  decision.count = sender->nofeedback_expirations;
  tfrc_sender_trace (sender, TFRC_TRACE_NOFEEDBACK, &decision, now_ns);
  tfrc_sender_set_nofeedback_timer (sender, now_ns, tfrc_sender_rto_ns (sender, sender->x_Bps));
}
