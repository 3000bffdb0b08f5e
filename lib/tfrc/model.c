/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equations, see model.h.  equation.c has Reno's, cubic.c has CUBIC's. */
#include "model.h"

#include <math.h>

#include "cubic.h"

/* Section 6.3.1: the lowest rate that a first loss interval stands for, in packets per round-trip time */
#define FIRST_INTERVAL_PACKETS_PER_RTT 0.5

static double
reno_rate (const TfrcModelInput *input, double p)
{
  return tfrc_equation_rate_Bps (input->segment, input->rtt, input->rto, p);
}

static double
reno_p (const TfrcModelInput *input, double rate)
{
  return tfrc_equation_p (input->segment, input->rtt, input->rto, rate);
}

/* CUBIC's equation takes seconds.  Without R in seconds there is no other rate than Reno's, which CUBIC is never
 * below. */
static double
cubic_rate (const TfrcModelInput *input, double p)
{
  if (input->unit_s <= 0)
    return reno_rate (input, p);
  return input->unit_s
      * tfrc_cubic_rate_Bps (
          input->segment, input->rtt * input->unit_s, input->rto * input->unit_s, p);
}

static double
cubic_p (const TfrcModelInput *input, double rate)
{
  if (input->unit_s <= 0)
    return reno_p (input, rate);
  return tfrc_cubic_p (
      input->segment, input->rtt * input->unit_s, input->rto * input->unit_s, rate / input->unit_s);
}

static const TfrcModelFuncs models[] = {
  [TFRC_MODEL_RENO] = { reno_rate, reno_p },
  [TFRC_MODEL_CUBIC] = { cubic_rate, cubic_p },
};

const TfrcModelFuncs *
tfrc_model_find (TfrcModel model)
{
  return (unsigned) model < sizeof models / sizeof models[0] ? &models[model] : NULL;
}

double
tfrc_model_first_interval (TfrcModel model, const TfrcModelInput *input, double rate)
{
  double least = FIRST_INTERVAL_PACKETS_PER_RTT * input->segment / input->rtt;

  return 1 / tfrc_model_find (model)->p (input, fmax (rate, least));
}
