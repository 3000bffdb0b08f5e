/* Running moments of the loss event intervals theta_n and of their predictors theta^_n, for what papers on the throughput
 * of equation-based rate control ask: Rhee and Xu, "Limitations of Equation-based Congestion Control", section 5. */
#ifndef TFRC_LOSS_STATISTICS_H
#define TFRC_LOSS_STATISTICS_H

#include <tfrc/tfrc.h>

/* Means, and sums of products of deviations from them (Welford), which unlike sums of squares lose no digits where
 * intervals are long and alike */
typedef struct
{
  uint64_t intervals;
  double mean_interval, mean_predictor, mean_inverse;
  double squares_interval, squares_predictor, products;
} TfrcLossMoments;

/* Adds so many intervals of this length, each of which had this predictor. */
void tfrc_loss_moments_add (
    TfrcLossMoments *moments, double interval, double predictor, uint64_t times);

/* With f of t_RTO = rto_rtts R */
void tfrc_loss_moments_get (
    const TfrcLossMoments *moments, double rto_rtts, TfrcLossStatistics *statistics);

#endif
