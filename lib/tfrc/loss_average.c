/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Averages of loss intervals, see loss_average.h. */
#include "loss_average.h"

#include <math.h>

/* t of enhanced TFRC, eq. 6: a confidence of 95 % */
#define CONFIDENCE_COEFFICIENT 1.96

double
tfrc_loss_weight (uint32_t i, uint32_t n)
{
  return 2 * i < n ? 1.0 : 2.0 * (n - i) / (n + 2.0);
}

/* ---- sections 5.4 and 5.5 ---------------------------------------------- */

/* The substitute of a method for a closed interval: `count' values, of this mean.  Each value
 * has the weight and the discount of the place; a count may be a fraction. */
typedef struct
{
  double mean, count;
} Place;

/* A Place for each of I_1 .. I_closed; [0] is not used */
typedef Place Places[TFRC_MAX_HISTORY_LENGTH + 1];

/* Sums of weighted intervals and of their weights */
typedef struct
{
  double intervals, weights;
} Sum;

static void
add (Sum *sum, const Place *place, double weight)
{
  sum->intervals += place->mean * (place->count * weight);
  sum->weights += place->count * weight;
}

static void
fill_unchanged (const TfrcLossAverageInput *input, Places places)
{
  for (uint32_t i = 1; i <= input->closed; i++) {
    places[i].mean = input->length[i];
    places[i].count = 1;
  }
}

/* I_1 .. I_closed: I_tot1 / W_tot1 of section 5.5 */
static double
average_of_closed (const TfrcLossAverageInput *input, Places places)
{
  Sum sum = { 0, 0 };

  for (uint32_t i = 1; i <= input->closed; i++)
    add (&sum, &places[i], tfrc_loss_weight (i - 1, input->n) * input->discount[i]);
  return sum.intervals / sum.weights;
}

/* I_0 .. I_(closed - 1): I_tot0 / W_tot0 */
static double
average_with_newest (const TfrcLossAverageInput *input, Places places)
{
  Place newest = { input->newest, 1 };
  Sum sum = { 0, 0 };

  add (&sum, &newest, tfrc_loss_weight (0, input->n));
  for (uint32_t i = 1; i < input->closed; i++)
    add (&sum, &places[i],
        tfrc_loss_weight (i, input->n) * input->discount[i] * input->newest_discount);
  return sum.intervals / sum.weights;
}

/* The newest interval counts only where it makes the average longer. */
static double
average (const TfrcLossAverageInput *input, Places places)
{
  return fmax (average_of_closed (input, places), average_with_newest (input, places));
}

double
tfrc_loss_average_of_closed (const TfrcLossAverageInput *input)
{
  Places places;

  fill_unchanged (input, places);
  return average_of_closed (input, places);
}

/* ---- the closed intervals, for the methods of enhanced TFRC ------------ */

typedef struct
{
  uint32_t shortest, longest; /* the newest such intervals; equal: all intervals are equal */
  double mean;
  double half_width; /* of the confidence interval of the mean */
} Summary;

static Summary
summarize (const TfrcLossAverageInput *input)
{
  Summary summary = { 1, 1, 0, 0 };
  double variance = 0;

  for (uint32_t i = 1; i <= input->closed; i++) {
    if (input->length[i] < input->length[summary.shortest])
      summary.shortest = i;
    if (input->length[i] > input->length[summary.longest])
      summary.longest = i;
    summary.mean += input->length[i] / input->closed;
  }
  for (uint32_t i = 1; i <= input->closed; i++) {
    double deviation = input->length[i] - summary.mean;

    variance += deviation * deviation / input->closed;
  }
  summary.half_width = CONFIDENCE_COEFFICIENT * sqrt (variance / input->closed);
  return summary;
}

/* Eq. 6: the bounds of the confidence interval.  An interval has at least one packet. */
static double
lower_bound (const Summary *summary)
{
  return fmax (1, summary->mean - summary->half_width);
}

static double
upper_bound (const Summary *summary)
{
  return summary->mean + summary->half_width;
}

static void
replace (Place *place, double value)
{
  place->mean = value;
}

/* Puts another value beside that of the place; count: the part of the value that is put here. */
static void
include (Place *place, double value, double count)
{
  place->mean = (place->count * place->mean + count * value) / (place->count + count);
  place->count += count;
}

/* ---- methods ----------------------------------------------------------- */

static double
weighted (const TfrcLossAverageInput *input)
{
  Places places;

  fill_unchanged (input, places);
  return average (input, places);
}

/* Eq. 7 */
static double
ci_replace (const TfrcLossAverageInput *input)
{
  Summary summary = summarize (input);
  Places places;

  fill_unchanged (input, places);
  if (summary.shortest != summary.longest) {
    replace (&places[summary.shortest], lower_bound (&summary));
    replace (&places[summary.longest], upper_bound (&summary));
  }
  return average (input, places);
}

/* Eq. 8 */
static double
ci_include (const TfrcLossAverageInput *input)
{
  Summary summary = summarize (input);
  Places places;

  fill_unchanged (input, places);
  if (summary.shortest != summary.longest) {
    include (&places[summary.shortest], lower_bound (&summary), 1);
    include (&places[summary.longest], upper_bound (&summary), 1);
  }
  return average (input, places);
}

/* Eq. 9 */
static double
mean_replace (const TfrcLossAverageInput *input)
{
  Summary summary = summarize (input);
  Places places;

  fill_unchanged (input, places);
  if (summary.shortest != summary.longest) {
    replace (&places[summary.shortest], summary.mean);
    replace (&places[summary.longest], summary.mean);
  }
  return average (input, places);
}

/* Eq. 10.  Each place has an equal part of the mean, so that the mean has the mean of their
 * weights. */
static double
mean_include (const TfrcLossAverageInput *input)
{
  Summary summary = summarize (input);
  Places places;

  fill_unchanged (input, places);
  for (uint32_t i = 1; i <= input->closed && summary.shortest != summary.longest; i++)
    include (&places[i], summary.mean, 1.0 / input->closed);
  return average (input, places);
}

static const TfrcLossAverageFunc methods[] = {
  [TFRC_LOSS_INTERVAL_METHOD_WEIGHTED] = weighted,
  [TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE] = ci_replace,
  [TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE] = ci_include,
  [TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE] = mean_replace,
  [TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE] = mean_include,
};

TfrcLossAverageFunc
tfrc_loss_average_find (TfrcLossIntervalMethod method)
{
  return (unsigned) method < sizeof methods / sizeof methods[0] ? methods[method] : NULL;
}
