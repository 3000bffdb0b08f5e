/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X, X_inst and t_ipi of a sender, see allowed_rate.h. */
#include "allowed_rate.h"

#include <math.h>

#include "config.h"
#include "model.h"
#include "units.h"

double
tfrc_sender_segment_bytes (const TfrcSender *sender)
{
  return sender->segment_size.mean_bytes;
}

uint64_t
tfrc_sender_feedback_interval_ns (const TfrcSender *sender)
{
  return tfrc_max_ns (tfrc_rtt_ns (&sender->rtt), sender->config.feedback_floor_ns);
}

uint64_t
tfrc_sender_longest_interval_ns (const TfrcSender *sender)
{
  return tfrc_max_ns (tfrc_sender_feedback_interval_ns (sender), sender->config.feedback_wait_ns);
}

/* The initial window is the amount that may leave before the first feedback comes back.  On a
 * path whose round-trip time is below the feedback floor, the first feedback comes after the
 * floor. */
double
tfrc_sender_initial_rate_Bps (const TfrcSender *sender)
{
  double mss = sender->config.segment_size_bytes;

  if (sender->config.initial_rate_Bps > 0)
    return sender->config.initial_rate_Bps;
  return fmin (4 * mss, fmax (2 * mss, 4380))
      / tfrc_ns_to_s (tfrc_sender_feedback_interval_ns (sender));
}

double
tfrc_sender_max_rate_Bps (const TfrcSender *sender)
{
  return sender->config.max_rate_Bps > 0 ? sender->config.max_rate_Bps : TFRC_RATE_CEILING_BPS;
}

/* Keeps the rate at s / t_mbi or more, and within the configured limits.  The limit from receiver
 * reports yields to the configured minimum. */
static double
clamp_rate_Bps (const TfrcSender *sender, double rate_Bps)
{
  double min_Bps = fmax (
      tfrc_sender_segment_bytes (sender) / TFRC_T_MBI_S, sender->config.min_rate_Bps);

  return fmin (
      fmax (fmin (rate_Bps, sender->report_limit_Bps), min_Bps), tfrc_sender_max_rate_Bps (sender));
}

/* Where X_inst is above X, X_recv_set limits X_inst as it limits X.  On a path whose round-trip
 * time is mostly queueing, the factor reaches 30 at the moment when the queue is empty.  Without
 * the queue guard, its limit is infinite. */
void
tfrc_sender_set_rate (TfrcSender *sender, double rate_Bps)
{
  double factor = sender->config.oscillation_reduction ? tfrc_rtt_oscillation_factor (&sender->rtt)
                                                       : 1;
  double x_inst_Bps;

  sender->x_Bps = clamp_rate_Bps (sender, rate_Bps);
  x_inst_Bps = sender->x_Bps * factor;
  if (sender->config.rules != TFRC_RULES_STRICT)
    x_inst_Bps = fmin (x_inst_Bps, fmax (sender->x_Bps, sender->recv_limit_Bps));
  x_inst_Bps = fmin (x_inst_Bps, tfrc_queue_guard_limit_Bps (&sender->queue_guard));
  sender->x_inst_Bps = clamp_rate_Bps (sender, x_inst_Bps);
}

/* An interval of 0 would let any number of packets leave at once. */
uint64_t
tfrc_sender_interval_ns (const TfrcSender *sender)
{
  return tfrc_max_ns (
      1, tfrc_s_to_ns (tfrc_sender_segment_bytes (sender) / sender->x_inst_Bps, UINT64_MAX / 4));
}

static TfrcModelInput
model_input (const TfrcSender *sender)
{
  TfrcModelInput input = { tfrc_sender_segment_bytes (sender), tfrc_rtt_s (&sender->rtt),
    tfrc_rtt_rto_s (&sender->rtt), 1 };

  return input;
}

double
tfrc_sender_equation_rate_Bps (const TfrcSender *sender, double p)
{
  TfrcModelInput input = model_input (sender);

  if (p == 0)
    return 0;
  return sender->config.rate_scale * tfrc_model_find (sender->config.model)->rate (&input, p);
}

double
tfrc_sender_first_interval (const TfrcSender *sender, double x_recv_Bps)
{
  TfrcModelInput input = model_input (sender);

  return 1
      / tfrc_model_find (sender->config.model)->p (&input, x_recv_Bps / sender->config.rate_scale);
}
