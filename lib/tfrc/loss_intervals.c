/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss intervals and their average, see loss_intervals.h. */
#include "loss_intervals.h"

#include <math.h>
#include <string.h>

/* THRESHOLD of section 5.5 */
#define DISCOUNT_THRESHOLD 0.25

void
tfrc_loss_intervals_init (
    TfrcLossIntervals *intervals, TfrcLossIntervalMethod method, uint32_t n, bool discounting)
{
  memset (intervals, 0, sizeof *intervals);
  intervals->average = tfrc_loss_average_find (method);
  intervals->n = n;
  intervals->discounting = discounting;
}

/* The history as methods see it, with this current interval.  Its discount is not set. */
static TfrcLossAverageInput
average_input (const TfrcLossIntervals *li, double current)
{
  TfrcLossAverageInput input = { current, 1, li->n, li->closed, li->length, li->discount };

  return input;
}

/* DF, the general discount factor, for a current interval of this length */
static double
general_discount (const TfrcLossIntervals *li, double mean_closed, double current)
{
  double twice_mean = 2 * mean_closed;

  if (!li->discounting || current <= twice_mean)
    return 1;
  return fmax (twice_mean / current, DISCOUNT_THRESHOLD);
}

double
tfrc_loss_intervals_mean (const TfrcLossIntervals *intervals, uint64_t highest_seq)
{
  TfrcLossAverageInput input;
  double current;

  if (intervals->closed == 0)
    return 0;
  /* An event can start above the highest packet received only while its detection is under way. */
  current = highest_seq >= intervals->start_seq ? (double) (highest_seq - intervals->start_seq + 1)
                                                : 1;
  input = average_input (intervals, current);
  input.newest_discount = general_discount (
      intervals, tfrc_loss_average_of_closed (&input), current);
  return intervals->average (&input);
}

static void
start_current (TfrcLossIntervals *li, uint64_t seq, uint64_t time_ns)
{
  li->start_seq = seq;
  li->start_ns = time_ns;
}

void
tfrc_loss_intervals_first_event (
    TfrcLossIntervals *intervals, double first_interval, uint64_t seq, uint64_t time_ns)
{
  intervals->closed = 1;
  intervals->length[1] = first_interval;
  intervals->discount[1] = 1;
  intervals->events = 1;
  start_current (intervals, seq, time_ns);
}

void
tfrc_loss_intervals_new_event (TfrcLossIntervals *intervals, uint64_t seq, uint64_t time_ns)
{
  double length = (double) (seq - intervals->start_seq);
  TfrcLossAverageInput input = average_input (intervals, length);
  double mean_closed = tfrc_loss_average_of_closed (&input);
  double discount = general_discount (intervals, mean_closed, length);

  if (seq >= intervals->moments_from)
    tfrc_loss_moments_add (&intervals->moments, length, mean_closed, 1);
  if (intervals->closed < intervals->n)
    intervals->closed++;
  for (uint32_t i = intervals->closed; i > 1; i--) {
    intervals->length[i] = intervals->length[i - 1];
    intervals->discount[i] = intervals->discount[i - 1] * discount;
  }
  intervals->length[1] = length;
  intervals->discount[1] = 1;
  intervals->events++;
  start_current (intervals, seq, time_ns);
}

void
tfrc_loss_intervals_rebuild (TfrcLossIntervals *intervals, double length, uint64_t seq)
{
  intervals->closed = intervals->n;
  for (uint32_t i = 1; i <= intervals->n; i++) {
    intervals->length[i] = length;
    intervals->discount[i] = 1;
  }
  start_current (intervals, seq, 0);
}

void
tfrc_loss_intervals_skip_events (
    TfrcLossIntervals *intervals, uint64_t length, uint64_t times, uint64_t time_ns)
{
  /* The predictor of these events is that of a history full of them. */
  if (intervals->start_seq >= intervals->moments_from)
    tfrc_loss_moments_add (&intervals->moments, (double) length, (double) length, times);
  intervals->events += times;
  start_current (intervals, intervals->start_seq + times * length, time_ns);
}

void
tfrc_loss_intervals_reset_moments (TfrcLossIntervals *intervals, uint64_t from_seq)
{
  memset (&intervals->moments, 0, sizeof intervals->moments);
  intervals->moments_from = from_seq;
}
