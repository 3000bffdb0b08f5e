/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running moments of the loss event intervals theta_n and of their predictors theta^_n, as
 * papers on the throughput of equation-based rate control use them: Rhee and Xu, "Limitations of
 * Equation-based Congestion Control", section 5. */
#ifndef TFRC_LOSS_STATISTICS_H
#define TFRC_LOSS_STATISTICS_H

#include "model.h"

/* Means, and sums of products of deviations from them (Welford).  Unlike sums of squares, these
 * lose no digits if intervals are long and similar. */
typedef struct
{
  uint64_t intervals;
  double mean_interval, mean_predictor, mean_inverse;
  double squares_interval, squares_predictor, products;
} TfrcLossMoments;

/* Adds `times' intervals of this length, each with this predictor. */
void tfrc_loss_moments_add (
    TfrcLossMoments *moments, double interval, double predictor, uint64_t times);

/* Fills in the statistics.  f is the model's rate; the units of its input are packet and R. */
void tfrc_loss_moments_get (const TfrcLossMoments *moments, const TfrcModelFuncs *model,
    const TfrcModelInput *input, TfrcLossStatistics *statistics);

#endif
