/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limit of X while receiver reports control it, see report_limit.h. */
#include "report_limit.h"

#include <math.h>
#include <stdbool.h>

#include "units.h"

#define TRIAL_FACTOR 2
#define TRIAL_NS (400 * 1000 * TFRC_NS_PER_US)
#define TRIAL_RTTS 4

/* A queue takes what a short trial adds.  Less than the rate of the trial is what the path carries. */
#define PASSED_SHARE 0.8

#define SLOW_GROWTH 1.03
#define CEILING_FACTOR 1.25 /* so far above the ceiling, trials begin again */

#define LOSS_RATIO 0.02 /* above this the path is too slow */
#define USUAL_FACTOR 1.5
#define LOSS_FACTOR 0.85

/* Above this the path was down for a time, and the rate that arrived is not what the path carries.  The
 * base is halved, as the nofeedback timer halves X. */
#define OUTAGE_RATIO 0.5

static void
begin_trial (TfrcReportLimit *limit, uint64_t rtt_ns, uint64_t now_ns)
{
  limit->trial_Bps = TRIAL_FACTOR * limit->base_Bps;
  limit->trial_bytes = 0;
  limit->begin_ns = now_ns;
  limit->end_ns = tfrc_add_ns (now_ns, tfrc_max_ns (TRIAL_NS, TRIAL_RTTS * rtt_ns));
}

void
tfrc_report_limit_init (TfrcReportLimit *limit, double rate_Bps, uint64_t rtt_ns, uint64_t now_ns)
{
  limit->base_Bps = limit->first_Bps = rate_Bps;
  limit->ceiling_Bps = limit->usual_ratio = 0;
  begin_trial (limit, rtt_ns, now_ns);
}

static bool
is_trying (const TfrcReportLimit *limit, uint64_t now_ns)
{
  return now_ns < limit->end_ns;
}

void
tfrc_report_limit_on_packet (TfrcReportLimit *limit, uint32_t bytes, uint64_t now_ns)
{
  if (is_trying (limit, now_ns))
    limit->trial_bytes += bytes;
}

double
tfrc_report_limit_Bps (const TfrcReportLimit *limit, uint64_t now_ns)
{
  return is_trying (limit, now_ns) ? limit->trial_Bps : limit->base_Bps;
}

/* The length of the trial, as far as there was one */
static double
trial_s (const TfrcReportLimit *limit, uint64_t now_ns)
{
  return tfrc_ns_to_s (tfrc_min_ns (limit->end_ns, now_ns) - limit->begin_ns);
}

/* Can the trial have caused all losses? */
static bool
is_loss_of_trial (const TfrcReportLimit *limit, const TfrcReportInterval *interval)
{
  double added = (double) limit->trial_bytes - limit->base_Bps * trial_s (limit, interval->now_ns);

  return (double) interval->lost * (double) interval->bytes / (double) interval->packets <= added;
}

static void
on_many_losses (TfrcReportLimit *limit, const TfrcReportInterval *interval, double ratio)
{
  double x_recv_Bps = interval->x_recv_Bps;

  if (ratio > OUTAGE_RATIO)
    limit->base_Bps = fmax (LOSS_FACTOR * x_recv_Bps, limit->base_Bps / 2);
  else if (!is_loss_of_trial (limit, interval))
    limit->base_Bps = fmin (fmax (interval->equation_Bps, LOSS_FACTOR * x_recv_Bps),
        fmin (x_recv_Bps, limit->base_Bps));
  limit->base_Bps = fmax (limit->base_Bps, fmin (limit->first_Bps, interval->equation_Bps));
  limit->ceiling_Bps = ratio > OUTAGE_RATIO ? 0 : limit->base_Bps;
}

/* The rate of the trial, as packets left */
static double
tried_Bps (const TfrcReportLimit *limit, uint64_t now_ns)
{
  double time_s = trial_s (limit, now_ns);

  return time_s > 0 ? (double) limit->trial_bytes / time_s : 0;
}

static void
on_few_losses (TfrcReportLimit *limit, const TfrcReportInterval *interval, double ratio)
{
  limit->base_Bps = fmax (limit->base_Bps, SLOW_GROWTH * interval->x_recv_Bps);
  if (limit->end_ns == 0)
    limit->usual_ratio = ratio;
  else if (ratio <= USUAL_FACTOR * limit->usual_ratio)
    limit->base_Bps = fmax (limit->base_Bps,
        PASSED_SHARE * fmin (limit->trial_Bps, tried_Bps (limit, interval->now_ns)));
}

/* Is the next time to have a trial?  After a trial that has failed, one report has none. */
static bool
may_try (const TfrcReportLimit *limit, double ratio)
{
  return ratio <= LOSS_RATIO && (limit->end_ns == 0 || ratio <= USUAL_FACTOR * limit->usual_ratio)
      && limit->base_Bps >= CEILING_FACTOR * limit->ceiling_Bps;
}

void
tfrc_report_limit_on_report (TfrcReportLimit *limit, const TfrcReportInterval *interval)
{
  double ratio = (double) interval->lost / (double) interval->packets;

  if (ratio > LOSS_RATIO)
    on_many_losses (limit, interval, ratio);
  else
    on_few_losses (limit, interval, ratio);
  if (may_try (limit, ratio))
    begin_trial (limit, interval->rtt_ns, interval->now_ns);
  else
    limit->end_ns = limit->begin_ns = limit->trial_bytes = 0;
}
