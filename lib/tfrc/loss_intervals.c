/* Loss intervals and their average, see loss_intervals.h. */
#include "loss_intervals.h"

#include <math.h>
#include <string.h>

/* THRESHOLD of section 5.5 */
#define DISCOUNT_THRESHOLD 0.25

void
tfrc_loss_intervals_init (TfrcLossIntervals *intervals, uint32_t n, bool discounting)
{
  memset (intervals, 0, sizeof *intervals);
  intervals->n = n;
  intervals->discounting = discounting;
}

double
tfrc_loss_intervals_weight (uint32_t i, uint32_t n)
{
  return 2 * i < n ? 1.0 : 2.0 * (n - i) / (n + 2.0);
}

/* Sums of weighted intervals and of their weights */
typedef struct
{
  double intervals, weights;
} Sum;

static void
add (Sum *sum, double length, double weight)
{
  sum->intervals += length * weight;
  sum->weights += weight;
}

/* I_1 .. I_closed: I_tot1 and W_tot1 of section 5.5 */
static Sum
sum_closed (const TfrcLossIntervals *li)
{
  Sum sum = { 0, 0 };

  for (uint32_t i = 1; i <= li->closed; i++)
    add (&sum, li->length[i], tfrc_loss_intervals_weight (i - 1, li->n) * li->discount[i]);
  return sum;
}

/* I_0 .. I_(closed - 1): I_tot0 and W_tot0 */
static Sum
sum_with_current (const TfrcLossIntervals *li, double current, double discount)
{
  Sum sum = { 0, 0 };

  add (&sum, current, tfrc_loss_intervals_weight (0, li->n));
  for (uint32_t i = 1; i < li->closed; i++)
    add (&sum, li->length[i], tfrc_loss_intervals_weight (i, li->n) * li->discount[i] * discount);
  return sum;
}

/* DF, the general discount factor, for a current interval of this length */
static double
general_discount (const TfrcLossIntervals *li, const Sum *closed, double current)
{
  double twice_mean = 2 * closed->intervals / closed->weights;

  if (!li->discounting || current <= twice_mean)
    return 1;
  return fmax (twice_mean / current, DISCOUNT_THRESHOLD);
}

double
tfrc_loss_intervals_mean (const TfrcLossIntervals *intervals, uint64_t highest_seq)
{
  double current;
  Sum closed, with_current;

  if (intervals->closed == 0)
    return 0;
  /* an event can start above the highest packet received only while its detection is under way */
  current = highest_seq >= intervals->start_seq ? (double) (highest_seq - intervals->start_seq + 1)
                                                : 1;
  closed = sum_closed (intervals);
  with_current = sum_with_current (
      intervals, current, general_discount (intervals, &closed, current));
  return fmax (closed.intervals / closed.weights, with_current.intervals / with_current.weights);
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
  Sum closed = sum_closed (intervals);
  double discount = general_discount (intervals, &closed, length);

  if (seq >= intervals->moments_from)
    tfrc_loss_moments_add (&intervals->moments, length, closed.intervals / closed.weights, 1);
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
  /* their predictor is that of a history full of them */
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
