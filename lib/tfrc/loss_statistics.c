/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moments of loss event intervals, see loss_statistics.h. */
#include "loss_statistics.h"

#include <math.h>
#include <string.h>

void
tfrc_loss_moments_add (TfrcLossMoments *moments, double interval, double predictor, uint64_t times)
{
  double weight = (double) times;
  double d_interval = interval - moments->mean_interval;
  double d_predictor = predictor - moments->mean_predictor;
  double share;

  moments->intervals += times;
  share = weight / (double) moments->intervals;
  moments->mean_interval += share * d_interval;
  moments->mean_predictor += share * d_predictor;
  moments->mean_inverse += share * (1 / predictor - moments->mean_inverse);
  /* One factor is the deviation from the old mean, the other that from the new mean. */
  moments->squares_interval += weight * d_interval * (interval - moments->mean_interval);
  moments->squares_predictor += weight * d_predictor * (predictor - moments->mean_predictor);
  moments->products += weight * d_interval * (predictor - moments->mean_predictor);
}

/* f(p), packets per round-trip time; rounding can take a mean of 1 above 1. */
static double
f (const TfrcModelFuncs *model, const TfrcModelInput *input, double p)
{
  return model->rate (input, fmin (p, 1));
}

void
tfrc_loss_moments_get (const TfrcLossMoments *moments, const TfrcModelFuncs *model,
    const TfrcModelInput *input, TfrcLossStatistics *statistics)
{
  double n = (double) moments->intervals;

  memset (statistics, 0, sizeof *statistics);
  if (moments->intervals == 0)
    return;
  statistics->intervals = moments->intervals;
  statistics->mean_interval = moments->mean_interval;
  statistics->var_interval = moments->squares_interval / n;
  statistics->mean_predictor = moments->mean_predictor;
  statistics->var_predictor = moments->squares_predictor / n;
  statistics->covariance = moments->products / n;
  statistics->mean_inverse_predictor = moments->mean_inverse;
  statistics->predicted_gap = statistics->var_predictor / pow (moments->mean_predictor, 3);
  statistics->rto_rtts = input->rto;
  statistics->f_mean_inverse_predictor = f (model, input, moments->mean_inverse);
  statistics->f_mean_interval = f (model, input, 1 / moments->mean_interval);
}
