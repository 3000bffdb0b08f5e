/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation at the sender, see sender_handover.h. */
#include "sender_handover.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* The longest hold, which is as long as the longest phase of the receiver */
#define HOLD_RTTS 4
#define MIN_HOLD_NS TFRC_NS_PER_S

/* The part of the equation's rate that pays the debt: holds add at most this part to the rate in
 * the long run. */
#define PAYMENT 0.05

void
tfrc_sender_handover_init (TfrcSenderHandover *handover)
{
  memset (handover, 0, sizeof *handover);
}

/* ---- the hold ---------------------------------------------------------- */

static void
end_hold (TfrcSenderHandover *handover, uint64_t bytes_sent, uint64_t now_ns)
{
  handover->holding = false;
  handover->unjudged_bytes += bytes_sent - handover->began_bytes;
  handover->unjudged_ns += tfrc_sub_ns (now_ns, handover->began_ns);
}

static void
begin_hold (TfrcSenderHandover *handover, const TfrcSenderHandoverContext *context)
{
  handover->holding = true;
  handover->handovers++;
  handover->before_Bps = context->data_limited ? context->x_Bps : 0;
  handover->least_Bps = context->least_Bps;
  handover->most_Bps = fmax (context->most_Bps, handover->before_Bps);
  handover->notifications = 0;
  handover->before_hold_Bps = context->x_Bps;
  handover->end_ns = tfrc_add_ns (
      context->now_ns, tfrc_max_ns (HOLD_RTTS * context->rtt_ns, MIN_HOLD_NS));
  handover->began_ns = context->now_ns;
  handover->began_bytes = context->bytes_sent;
}

void
tfrc_sender_handover_cancel (TfrcSenderHandover *handover, uint64_t bytes_sent, uint64_t now_ns)
{
  if (handover->holding)
    end_hold (handover, bytes_sent, now_ns);
  handover->echo = handover->direct = handover->settling = false;
  handover->number = 0;
  handover->hold_Bps = 0;
}

bool
tfrc_sender_handover_on_feedback (TfrcSenderHandover *handover, const TfrcFeedback *feedback,
    const TfrcSenderHandoverContext *context)
{
  handover->single = handover->holding && !feedback->handover && handover->notifications == 1;
  if (handover->holding && (!feedback->handover || context->now_ns >= handover->end_ns)) {
    handover->over = feedback->handover;
    handover->over_number = feedback->handover_number;
    end_hold (handover, context->bytes_sent, context->now_ns);
  }
  if (!feedback->handover || feedback->handover_number != handover->over_number)
    handover->over = false;
  if (feedback->handover && !handover->holding && !handover->over && handover->debt_bytes <= 0)
    begin_hold (handover, context);
  handover->echo = handover->holding && !feedback->suppress_echo;
  handover->direct = handover->echo && feedback->new_link;
  handover->number = handover->echo ? feedback->handover_number : 0;
  if (!handover->holding)
    return false;
  /* A sender that did not use the allowed rate keeps it, unless the new link's bandwidth is
   * known. */
  handover->hold_Bps = fmax (
      2.0 * feedback->x_recv_Bps, feedback->bandwidth ? 0 : handover->before_Bps);
  handover->hold_Bps = fmax (fmin (handover->hold_Bps, handover->most_Bps), handover->least_Bps);
  handover->notifications++;
  handover->settling = true;
  handover->settled_ns = context->now_ns;
  return true;
}

bool
tfrc_sender_handover_is_refuted (
    const TfrcSenderHandover *handover, uint64_t held_rtt_ns, uint64_t sample_ns)
{
  return handover->single
      && (handover->hold_Bps < handover->before_hold_Bps / 2 || sample_ns > 2 * held_rtt_ns
          || sample_ns < held_rtt_ns / 2);
}

void
tfrc_sender_handover_take_back (TfrcSenderHandover *handover)
{
  handover->settling = false;
}

/* ---- the debt ---------------------------------------------------------- */

void
tfrc_sender_handover_judge (TfrcSenderHandover *handover, double x_eq_Bps, uint64_t now_ns)
{
  if (x_eq_Bps > 0)
    handover->debt_bytes = fmax (0,
        handover->debt_bytes
            - PAYMENT * x_eq_Bps * tfrc_ns_to_s (tfrc_sub_ns (now_ns, handover->paid_ns)));
  handover->paid_ns = now_ns;
  if (x_eq_Bps <= 0)
    return;
  handover->debt_bytes += fmax (
      0, (double) handover->unjudged_bytes - x_eq_Bps * tfrc_ns_to_s (handover->unjudged_ns));
  handover->unjudged_bytes = handover->unjudged_ns = 0;
}

/* ---- afterwards -------------------------------------------------------- */

double
tfrc_sender_handover_settle_Bps (TfrcSenderHandover *handover, double x_eq_Bps,
    double recv_limit_Bps, double x_Bps, double segment_bytes, double rtt_s, uint64_t now_ns)
{
  double rtts = fmin (1, tfrc_ns_to_s (tfrc_sub_ns (now_ns, handover->settled_ns)) / rtt_s);
  double most_Bps = fmax (handover->hold_Bps, x_Bps + rtts * segment_bytes / rtt_s);
  double allowed_Bps = fmin (x_eq_Bps, recv_limit_Bps);
  bool was_cut = recv_limit_Bps < x_Bps && x_eq_Bps > most_Bps;

  handover->settled_ns = now_ns;
  handover->settling = handover->settling && (allowed_Bps > most_Bps || was_cut);
  return handover->settling ? fmin (allowed_Bps, most_Bps) : allowed_Bps;
}

/* ---- tests -------------------------------------------------------------- */

const char *
tfrc_sender_handover_check (const TfrcSenderHandover *handover)
{
  if (handover->holding && !handover->settling)
    return "a held rate would not settle";
  if (handover->holding && handover->notifications == 0)
    return "the rate is held, and nobody has asked for that";
  if (handover->holding && !(handover->hold_Bps >= handover->least_Bps))
    return "the held rate is too low for feedback to continue";
  if (handover->holding && handover->hold_Bps > fmax (handover->most_Bps, handover->least_Bps))
    return "the held rate is higher than what was sent";
  if (handover->echo && !handover->holding)
    return "packets are marked without a hold";
  if (handover->direct && !handover->echo)
    return "packets have the direct mark alone";
  if (handover->number != 0 && !handover->echo)
    return "packets have a handover's number without a mark";
  if (handover->debt_bytes < 0)
    return "more was paid than was owed";
  return NULL;
}
