/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nofeedback timer, see nofeedback_timer.h. */
#include "nofeedback_timer.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* Section 4.2: the nofeedback timer before R is known */
#define INITIAL_NOFEEDBACK_NS (2 * TFRC_NS_PER_S)

/* Where RTCP stands for feedback, this many of its intervals without a report are silence: one
 * report may be lost. */
#define REPORT_INTERVALS 2

void
tfrc_nofeedback_timer_init (TfrcNofeedbackTimer *timer)
{
  memset (timer, 0, sizeof *timer);
  timer->expires_ns = TFRC_TIME_NEVER;
}

/* ---- its length -------------------------------------------------------- */

uint64_t
tfrc_nofeedback_timer_rto_ns (const TfrcAllowedRate *rate, double x_Bps)
{
  uint64_t two_packets_ns = tfrc_s_to_ns (
      2 * tfrc_allowed_rate_segment_bytes (rate) / x_Bps, UINT64_MAX / 4);

  if (!tfrc_allowed_rate_knows_rtt (rate))
    return tfrc_max_ns (INITIAL_NOFEEDBACK_NS, two_packets_ns);
  return tfrc_max_ns (REPORT_INTERVALS * tfrc_allowed_rate_report_interval_ns (rate),
      tfrc_max_ns (4 * tfrc_allowed_rate_longest_interval_ns (rate), two_packets_ns));
}

void
tfrc_nofeedback_timer_set (TfrcNofeedbackTimer *timer, uint64_t now_ns, uint64_t after_ns)
{
  timer->set_ns = now_ns;
  timer->expires_ns = tfrc_add_ns (now_ns, after_ns);
}

void
tfrc_nofeedback_timer_on_feedback (TfrcNofeedbackTimer *timer, uint64_t now_ns, uint64_t rto_ns)
{
  timer->backed_off = false;
  tfrc_nofeedback_timer_set (timer, now_ns, rto_ns);
}

void
tfrc_nofeedback_timer_on_packet (
    TfrcNofeedbackTimer *timer, const TfrcAllowedRate *rate, bool first, uint64_t now_ns)
{
  /* The timer does not run while the sender is idle at a rate that idleness does not reduce, see
   * below. */
  if (timer->expires_ns == TFRC_TIME_NEVER)
    tfrc_nofeedback_timer_set (timer, now_ns,
        first && !tfrc_allowed_rate_knows_rtt (rate)
            ? INITIAL_NOFEEDBACK_NS
            : tfrc_nofeedback_timer_rto_ns (rate, tfrc_allowed_rate_x_Bps (rate)));
}

void
tfrc_nofeedback_timer_notice_stop (
    TfrcNofeedbackTimer *timer, const TfrcAllowedRate *rate, uint64_t now_ns)
{
  if (timer->expires_ns != TFRC_TIME_NEVER
      && now_ns > tfrc_add_ns (timer->expires_ns, tfrc_allowed_rate_feedback_interval_ns (rate)))
    timer->stopped_until_ns = tfrc_truncate_to_us (now_ns);
}

/* ---- its expiration ---------------------------------------------------- */

/* "Update_Limits (timer_limit)".  A rate that the configured maximum limits is halved as well. */
static void
update_limits (TfrcAllowedRate *rate, double timer_limit_Bps, uint64_t now_ns)
{
  double halved_max_Bps = tfrc_allowed_rate_max_Bps (rate) / 2;
  double limit_Bps = fmax (fmin (timer_limit_Bps, halved_max_Bps),
      tfrc_allowed_rate_segment_bytes (rate) / TFRC_T_MBI_S);

  tfrc_allowed_rate_set_recv_limit (rate, limit_Bps, now_ns);
  /* Step 4 of section 4.3 again, with recv_limit = 2 max (X_recv_set) = timer_limit */
  tfrc_allowed_rate_set (rate, fmin (tfrc_allowed_rate_x_eq_Bps (rate), limit_Bps));
}

/* Is the rate low enough that an idle sender keeps it? */
static bool
spares_idle_sender (const TfrcAllowedRate *rate)
{
  double recover_rate_Bps;

  if (!tfrc_allowed_rate_knows_rtt (rate))
    return true;
  recover_rate_Bps = tfrc_allowed_rate_initial_Bps (rate);
  if (tfrc_allowed_rate_p (rate) > 0)
    return tfrc_allowed_rate_x_recv_Bps (rate) < recover_rate_Bps;
  return tfrc_allowed_rate_x_Bps (rate) < 2 * recover_rate_Bps;
}

/* Step 1, for a sender that is not spared */
static void
cut_rate (TfrcAllowedRate *rate, uint64_t now_ns)
{
  double x_recv_Bps = tfrc_allowed_rate_x_recv_Bps (rate);
  double x_eq_Bps = tfrc_allowed_rate_x_eq_Bps (rate);

  if (tfrc_allowed_rate_p (rate) == 0)
    tfrc_allowed_rate_set (rate, tfrc_allowed_rate_x_Bps (rate) / 2);
  else if (x_eq_Bps > 2 * x_recv_Bps)
    update_limits (rate, x_recv_Bps, now_ns);
  else
    update_limits (rate, x_eq_Bps / 2, now_ns);
}

TfrcNofeedbackOutcome
tfrc_nofeedback_timer_serve (
    TfrcNofeedbackTimer *timer, TfrcAllowedRate *rate, uint64_t last_send_ns, uint64_t now_ns)
{
  bool idle = last_send_ns < timer->set_ns;

  if (now_ns < timer->expires_ns)
    return TFRC_NOFEEDBACK_NOTHING;
  tfrc_nofeedback_timer_notice_stop (timer, rate, now_ns);
  if (idle && spares_idle_sender (rate)) {
    /* Further expirations would change nothing: the timer waits for the next packet. */
    timer->expires_ns = TFRC_TIME_NEVER;
    return TFRC_NOFEEDBACK_SPARED;
  }
  cut_rate (rate, now_ns);
  timer->expirations++;
  timer->backed_off = true;
  /* Step 2 */
  tfrc_nofeedback_timer_set (
      timer, now_ns, tfrc_nofeedback_timer_rto_ns (rate, tfrc_allowed_rate_x_Bps (rate)));
  return TFRC_NOFEEDBACK_CUT;
}
