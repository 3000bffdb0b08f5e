/* Averages of loss intervals, see loss_average.h. */
#include "loss_average.h"

#include <math.h>

double
tfrc_loss_weight (uint32_t i, uint32_t n)
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

/* I_1 .. I_closed: I_tot1 / W_tot1 of section 5.5 */
double
tfrc_loss_average_of_closed (const TfrcLossAverageInput *input)
{
  Sum sum = { 0, 0 };

  for (uint32_t i = 1; i <= input->closed; i++)
    add (&sum, input->length[i], tfrc_loss_weight (i - 1, input->n) * input->discount[i]);
  return sum.intervals / sum.weights;
}

/* I_0 .. I_(closed - 1): I_tot0 / W_tot0 */
static double
average_with_newest (const TfrcLossAverageInput *input)
{
  Sum sum = { 0, 0 };

  add (&sum, input->newest, tfrc_loss_weight (0, input->n));
  for (uint32_t i = 1; i < input->closed; i++)
    add (&sum, input->length[i],
        tfrc_loss_weight (i, input->n) * input->discount[i] * input->newest_discount);
  return sum.intervals / sum.weights;
}

/* Sections 5.4 and 5.5: the newest interval counts only where it makes the average longer. */
static double
weighted (const TfrcLossAverageInput *input)
{
  return fmax (tfrc_loss_average_of_closed (input), average_with_newest (input));
}

static const TfrcLossAverageFunc methods[] = {
  [TFRC_LOSS_INTERVAL_METHOD_WEIGHTED] = weighted,
};

TfrcLossAverageFunc
tfrc_loss_average_find (TfrcLossIntervalMethod method)
{
  return (unsigned) method < sizeof methods / sizeof methods[0] ? methods[method] : NULL;
}
