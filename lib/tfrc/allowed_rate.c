/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X, X_inst and t_ipi of a sender, see allowed_rate.h. */
#include "allowed_rate.h"

#include <math.h>
#include <string.h>

#include "config.h"
#include "model.h"
#include "units.h"

void
tfrc_allowed_rate_init (TfrcAllowedRate *rate, const TfrcSenderConfig *config)
{
  TfrcRttConfig rtt;

  memset (rate, 0, sizeof *rate);
  rate->config = config;
  rtt.method = config->rtt_method;
  rtt.rto_policy = config->rto_policy;
  rtt.samples = config->rtt_samples;
  rtt.rise_ns = config->rtt_rise_ns;
  tfrc_rtt_init (&rate->path.rtt, &rtt);
  tfrc_recv_set_init (&rate->path.recv_set, 0);
  tfrc_queue_guard_init (&rate->path.queue_guard);
  tfrc_segment_size_init (&rate->segment_size, config->segment_size_bytes);
  rate->recv_limit_Bps = rate->report_limit_Bps = INFINITY;
  if (config->initial_rtt_ns == 0) {
    tfrc_allowed_rate_set (rate, config->segment_size_bytes);
    return;
  }
  tfrc_rtt_on_sample (&rate->path.rtt, config->initial_rtt_ns, false);
  tfrc_allowed_rate_set (rate, tfrc_allowed_rate_initial_Bps (rate));
}

void
tfrc_allowed_rate_begin (TfrcAllowedRate *rate, uint64_t now_ns)
{
  rate->tld_ns = now_ns;
  tfrc_recv_set_init (&rate->path.recv_set, now_ns);
}

/* ---- what the rate is calculated from ------------------------------------ */

double
tfrc_allowed_rate_segment_bytes (const TfrcAllowedRate *rate)
{
  return rate->segment_size.mean_bytes;
}

uint64_t
tfrc_allowed_rate_feedback_interval_ns (const TfrcAllowedRate *rate)
{
  return tfrc_max_ns (tfrc_rtt_ns (&rate->path.rtt), rate->config->feedback_floor_ns);
}

uint64_t
tfrc_allowed_rate_longest_interval_ns (const TfrcAllowedRate *rate)
{
  return tfrc_max_ns (
      tfrc_allowed_rate_feedback_interval_ns (rate), rate->config->feedback_wait_ns);
}

/* The largest initial window of RFC 3390 in bytes: three segments of an Ethernet */
#define RFC3390_BYTES 4380

/* RFC 6928 has 14600 bytes for ten segments: this many for each */
#define RFC6928_SEGMENT_BYTES 1460

static double
rfc3390_bytes (double mss)
{
  return fmin (4 * mss, fmax (2 * mss, RFC3390_BYTES));
}

/* W_init: RFC 3390, which section 4.2 cites, or RFC 6928 with as many segments as configured */
static double
initial_window_bytes (const TfrcSenderConfig *config)
{
  double mss = config->segment_size_bytes;
  double n = (double) config->initial_window;

  return n == 0 ? rfc3390_bytes (mss) : fmin (n * mss, fmax (2 * mss, n * RFC6928_SEGMENT_BYTES));
}

/* The initial window is the amount that may leave before the first feedback comes back.  On a
 * path whose round-trip time is below the feedback floor, the first feedback comes after the
 * floor. */
double
tfrc_allowed_rate_initial_Bps (const TfrcAllowedRate *rate)
{
  if (rate->config->initial_rate_Bps > 0)
    return rate->config->initial_rate_Bps;
  return initial_window_bytes (rate->config)
      / tfrc_ns_to_s (tfrc_allowed_rate_feedback_interval_ns (rate));
}

double
tfrc_allowed_rate_least_initial_Bps (const TfrcAllowedRate *rate, uint64_t least_rtt_ns)
{
  uint64_t interval_ns = tfrc_max_ns (tfrc_allowed_rate_feedback_interval_ns (rate), least_rtt_ns);

  return rfc3390_bytes (rate->config->segment_size_bytes) / tfrc_ns_to_s (interval_ns);
}

double
tfrc_allowed_rate_max_Bps (const TfrcAllowedRate *rate)
{
  return rate->config->max_rate_Bps > 0 ? rate->config->max_rate_Bps : TFRC_RATE_CEILING_BPS;
}

static TfrcModelInput
model_input (const TfrcAllowedRate *rate)
{
  TfrcModelInput input = { tfrc_allowed_rate_segment_bytes (rate), tfrc_rtt_s (&rate->path.rtt),
    tfrc_rtt_rto_s (&rate->path.rtt), 1 };

  return input;
}

double
tfrc_allowed_rate_equation_Bps (const TfrcAllowedRate *rate, double p)
{
  TfrcModelInput input = model_input (rate);

  if (p == 0)
    return 0;
  return rate->config->rate_scale * tfrc_model_find (rate->config->model)->rate (&input, p);
}

double
tfrc_allowed_rate_p_of_gain (const TfrcAllowedRate *rate, double p, double gain)
{
  TfrcModelInput input = model_input (rate);
  const TfrcModelFuncs *model = tfrc_model_find (rate->config->model);

  return model->p (&input, gain * model->rate (&input, p));
}

double
tfrc_allowed_rate_first_interval (const TfrcAllowedRate *rate, double x_recv_Bps)
{
  TfrcModelInput input = model_input (rate);

  return tfrc_model_first_interval (
      rate->config->model, &input, x_recv_Bps / rate->config->rate_scale);
}

/* ---- X ------------------------------------------------------------------- */

/* An interval of 0 would let any number of packets leave at once. */
uint64_t
tfrc_allowed_rate_interval_ns (const TfrcAllowedRate *rate)
{
  return tfrc_max_ns (
      1, tfrc_s_to_ns (tfrc_allowed_rate_segment_bytes (rate) / rate->x_inst_Bps, UINT64_MAX / 4));
}

/* s / t_mbi: the sender may always send one packet in 64 seconds. */
static double
least_Bps (const TfrcAllowedRate *rate)
{
  return tfrc_allowed_rate_segment_bytes (rate) / TFRC_T_MBI_S;
}

/* Keeps the rate at s / t_mbi or more, and within the configured limits.  The limit from receiver
 * reports yields to the configured minimum. */
static double
clamp_rate_Bps (const TfrcAllowedRate *rate, double rate_Bps)
{
  double min_Bps = fmax (least_Bps (rate), rate->config->min_rate_Bps);

  return fmin (
      fmax (fmin (rate_Bps, rate->report_limit_Bps), min_Bps), tfrc_allowed_rate_max_Bps (rate));
}

/* Where X_inst is above X, X_recv_set limits X_inst as it limits X.  On a path whose round-trip
 * time is mostly queueing, the factor reaches 30 at the moment when the queue is empty.  Without
 * the queue guard, its limit is infinite. */
void
tfrc_allowed_rate_set (TfrcAllowedRate *rate, double rate_Bps)
{
  const TfrcSenderConfig *config = rate->config;
  double factor = config->oscillation_reduction ? tfrc_rtt_oscillation_factor (&rate->path.rtt) : 1;
  double x_inst_Bps;

  rate->x_Bps = clamp_rate_Bps (rate, rate_Bps);
  x_inst_Bps = rate->x_Bps * factor;
  if (config->rules != TFRC_RULES_STRICT)
    x_inst_Bps = fmin (x_inst_Bps, fmax (rate->x_Bps, rate->recv_limit_Bps));
  x_inst_Bps = fmin (x_inst_Bps, tfrc_queue_guard_limit_Bps (&rate->path.queue_guard));
  rate->x_inst_Bps = clamp_rate_Bps (rate, x_inst_Bps);
}

/* Feedback comes once in an R of the receiver, which knows R from data packets: the R before.  Where R
 * has grown since, or feedback has overtaken its queue, feedback comes early by a fraction of R, and X
 * would double in every other R.  So feedback that is early by up to R / 4 may double X, and the next
 * doubling waits as much longer: there is never more than one in an R, but for that quarter. */
#define SLACK_PART 4

uint64_t
tfrc_allowed_rate_slack_ns (const TfrcAllowedRate *rate)
{
  return rate->config->rules == TFRC_RULES_STRICT ? 0 : tfrc_rtt_ns (&rate->path.rtt) / SLACK_PART;
}

bool
tfrc_allowed_rate_may_double (TfrcAllowedRate *rate, uint64_t now_ns)
{
  uint64_t rtt_ns = tfrc_rtt_ns (&rate->path.rtt);
  uint64_t early_ns = tfrc_allowed_rate_slack_ns (rate);
  uint64_t due_ns = tfrc_add_ns (rate->tld_ns, rtt_ns);

  if (tfrc_add_ns (now_ns, early_ns + TFRC_RTT_ROUNDING_NS) < due_ns)
    return false;
  rate->tld_ns = early_ns == 0 ? now_ns : tfrc_max_ns (now_ns, due_ns);
  return true;
}

void
tfrc_allowed_rate_set_recv_limit (TfrcAllowedRate *rate, double recv_limit_Bps, uint64_t now_ns)
{
  tfrc_recv_set_replace (&rate->path.recv_set, recv_limit_Bps / 2, now_ns);
  rate->recv_limit_Bps = recv_limit_Bps;
}

/* s / t_mbi grows with the segments. */
void
tfrc_allowed_rate_on_packet (TfrcAllowedRate *rate, uint32_t size_bytes)
{
  tfrc_segment_size_on_packet (&rate->segment_size, size_bytes, rate->p);
  if (fmin (rate->x_Bps, rate->x_inst_Bps) < least_Bps (rate))
    tfrc_allowed_rate_set (rate, rate->x_Bps);
}

/* ---- receiver reports in the place of feedback --------------------------- */

void
tfrc_allowed_rate_follow_reports (TfrcAllowedRate *rate, uint64_t interval_ns)
{
  rate->report_interval_ns = interval_ns;
}

void
tfrc_allowed_rate_leave_reports (TfrcAllowedRate *rate)
{
  rate->report_interval_ns = 0;
  rate->report_limit_Bps = INFINITY;
}

void
tfrc_allowed_rate_limit_by_reports (TfrcAllowedRate *rate, double limit_Bps)
{
  if (limit_Bps == rate->report_limit_Bps)
    return;
  rate->report_limit_Bps = limit_Bps;
  tfrc_allowed_rate_set (rate, rate->x_Bps);
}

/* ---- what the program is told -------------------------------------------- */

void
tfrc_allowed_rate_fill_stats (const TfrcAllowedRate *rate, TfrcSenderStats *stats)
{
  const TfrcRtt *rtt = &rate->path.rtt;

  stats->x_Bps = rate->x_Bps;
  stats->x_inst_Bps = rate->x_inst_Bps;
  stats->x_eq_Bps = rate->x_eq_Bps;
  stats->recv_limit_Bps = rate->recv_limit_Bps;
  stats->queue_guard_Bps = tfrc_queue_guard_limit_Bps (&rate->path.queue_guard);
  stats->segment_size_bytes = tfrc_allowed_rate_segment_bytes (rate);
  stats->rtt_ns = tfrc_rtt_ns (rtt);
  stats->rtt_average_ns = tfrc_rtt_average_ns (rtt);
  stats->rtt_sample_ns = tfrc_s_to_nearest_ns (tfrc_rtt_sample_s (rtt));
  stats->rtt_min_ns = tfrc_rtt_least_ns (rtt);
  stats->rtt_max_ns = tfrc_rtt_greatest_ns (rtt);
  stats->rttvar_ns = tfrc_s_to_nearest_ns (tfrc_rtt_variation_s (rtt));
  stats->equation_rto_ns = tfrc_s_to_nearest_ns (tfrc_rtt_rto_s (rtt));
  stats->slow_start = rate->p == 0;
}

void
tfrc_allowed_rate_fill_trace (const TfrcAllowedRate *rate, TfrcTraceRecord *record)
{
  record->x_Bps = rate->x_Bps;
  record->x_inst_Bps = rate->x_inst_Bps;
  record->x_eq_Bps = rate->x_eq_Bps;
  record->recv_limit_Bps = rate->recv_limit_Bps;
  record->guard_Bps = tfrc_queue_guard_limit_Bps (&rate->path.queue_guard);
  record->p = rate->p;
  record->rtt_ns = tfrc_rtt_ns (&rate->path.rtt);
}
