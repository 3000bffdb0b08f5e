/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From confirmed gaps to loss events and loss intervals, see loss_history.h. */
#include "loss_history.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* An outage lasts as long as the nofeedback timer at least, four times R or the feedback floor: a full
 * buffer at a short R drops packets in a row for several R, too.  No congestion short of collapse loses
 * this many packets in a row. */
#define OUTAGE_RTTS 4
#define OUTAGE_PACKETS 16

/* ---- gaps -------------------------------------------------------------- */

uint64_t
tfrc_gap_time_ns (const TfrcGap *gap, uint64_t seq)
{
  if (gap->span == 0)
    return gap->t_before_ns;
  return gap->t_before_ns + gap->dt_ns * (gap->from_before + (seq - gap->first)) / gap->span;
}

uint64_t
tfrc_gap_end (const TfrcGap *gap)
{
  return gap->first + gap->count;
}

bool
tfrc_gap_is_outage (const TfrcGap *gap, uint64_t rtt_floor_ns)
{
  return gap->span >= OUTAGE_PACKETS
      && gap->dt_ns >= OUTAGE_RTTS * tfrc_max_ns (gap->rtt_us * TFRC_NS_PER_US, rtt_floor_ns);
}

/* ---- loss events ------------------------------------------------------- */

/* Returns the first packet of the gap, at or after seq, whose nominal arrival time lies after
 * time_ns; gap_end() if there is none. */
static uint64_t
first_after (const TfrcGap *gap, uint64_t seq, uint64_t time_ns)
{
  uint64_t excess_ns, distance, found;

  if (tfrc_gap_time_ns (gap, seq) > time_ns)
    return seq;
  if (gap->dt_ns == 0 || time_ns - gap->t_before_ns >= gap->dt_ns)
    return tfrc_gap_end (gap);
  /* floor (dt * distance / span) > excess  <=>  distance >= (excess + 1) * span / dt */
  excess_ns = time_ns - gap->t_before_ns;
  distance = ((excess_ns + 1) * gap->span + gap->dt_ns - 1) / gap->dt_ns;
  found = gap->first - gap->from_before + distance;
  return tfrc_min_ns (found, tfrc_gap_end (gap));
}

/* A gap that lasts many round-trip times consists of loss events at regular distances.  Events
 * that would leave the history again within the same gap are only counted. */
static void
skip_events (TfrcLossIntervals *li, const TfrcGap *gap, uint64_t rtt_ns)
{
  uint64_t next = first_after (gap, li->start_seq, tfrc_add_ns (li->start_ns, rtt_ns));
  uint64_t step = next - li->start_seq, skipped;

  if (next == tfrc_gap_end (gap))
    return;
  skipped = (tfrc_gap_end (gap) - li->start_seq) / step;
  if (skipped <= li->n + 1)
    return;
  skipped -= li->n + 1;
  tfrc_loss_intervals_skip_events (
      li, step, skipped, tfrc_gap_time_ns (gap, li->start_seq + skipped * step));
}

/* Names the run of packets that was missing when the gap was found, in the same way for all of its
 * parts: late packets may have split the run since.  Never 0. */
static uint64_t
run_of (const TfrcGap *gap)
{
  return gap->first - gap->from_before + 1;
}

/* Adds the loss events of one gap: T_old + R >= T_new is the same event (section 5.2). */
static void
fold_gap (
    TfrcLossHistory *history, const TfrcLossRules *rules, TfrcLossIntervals *li, const TfrcGap *gap)
{
  uint64_t rtt_ns = gap->rtt_us * TFRC_NS_PER_US, seq = gap->first;
  bool is_one_event = rules->outage_is_one_event
      && tfrc_gap_is_outage (gap, rules->outage_rtt_floor_ns);

  if (gap->excused || (history->congestion_only && gap->link_error))
    return;
  if (is_one_event && li->outage_run == run_of (gap))
    return;
  if (li->closed == 0) {
    bool null_interval = seq == rules->stream_first_seq;

    /* The interval does not change, unless the stream's first packet has come late. */
    if (history->seed == 0 || history->seed_is_null != null_interval)
      history->seed = rules->first_interval (rules->user, null_interval);
    history->seed_is_null = null_interval;
    tfrc_loss_intervals_first_event (li, history->seed, seq, tfrc_gap_time_ns (gap, seq));
    if (is_one_event) {
      li->outage_run = run_of (gap);
      return;
    }
  }
  while ((seq = first_after (gap, seq, tfrc_add_ns (li->start_ns, rtt_ns))) < tfrc_gap_end (gap)) {
    tfrc_loss_intervals_new_event (li, seq, tfrc_gap_time_ns (gap, seq));
    if (is_one_event) {
      li->outage_run = run_of (gap);
      return;
    }
    skip_events (li, gap, rtt_ns);
    seq = li->start_seq;
  }
}

/* ---- the history ------------------------------------------------------- */

void
tfrc_loss_history_init (
    TfrcLossHistory *history, TfrcLossIntervalMethod method, uint32_t n, bool discounting)
{
  memset (history, 0, sizeof *history);
  tfrc_loss_intervals_init (&history->base, method, n, discounting);
  tfrc_loss_intervals_init (&history->current, method, n, discounting);
}

void
tfrc_loss_history_init_congestion (TfrcLossHistory *history, const TfrcLossHistory *all)
{
  *history = *all;
  history->congestion_only = true;
}

void
tfrc_loss_history_forget (TfrcLossHistory *history, const TfrcLossRules *rules, const TfrcGap *gap)
{
  fold_gap (history, rules, &history->base, gap);
}

void
tfrc_loss_history_add (TfrcLossHistory *history, const TfrcLossRules *rules, const TfrcGap *gap)
{
  fold_gap (history, rules, &history->current, gap);
}

void
tfrc_loss_history_fold (
    TfrcLossHistory *history, const TfrcLossRules *rules, const TfrcGap *gaps, uint32_t n_gaps)
{
  history->current = history->base;
  for (uint32_t i = 0; i < n_gaps; i++)
    fold_gap (history, rules, &history->current, &gaps[i]);
  if (history->current.closed == 0)
    history->seed = 0;
}

void
tfrc_loss_history_restart (TfrcLossHistory *history, uint64_t jump)
{
  history->current.start_seq += jump;
  history->base = history->current;
}

void
tfrc_loss_history_rebuild (TfrcLossHistory *history, double interval, uint64_t seq)
{
  tfrc_loss_intervals_rebuild (&history->base, interval, seq);
}

double
tfrc_loss_history_mean_interval (const TfrcLossHistory *history, uint64_t highest_seq)
{
  return tfrc_loss_intervals_mean (&history->current, highest_seq);
}

double
tfrc_loss_history_p (const TfrcLossHistory *history, uint64_t highest_seq)
{
  double mean = tfrc_loss_history_mean_interval (history, highest_seq);

  return mean > 0 ? fmin (1 / mean, 1) : 0;
}

void
tfrc_loss_history_reset_moments (TfrcLossHistory *history, uint64_t from_seq)
{
  tfrc_loss_intervals_reset_moments (&history->base, from_seq);
  tfrc_loss_intervals_reset_moments (&history->current, from_seq);
}
