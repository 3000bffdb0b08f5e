/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equations, see model.h.  equation.c has Reno's. */
#include "model.h"

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

static const TfrcModelFuncs models[] = {
  [TFRC_MODEL_RENO] = { reno_rate, reno_p },
};

const TfrcModelFuncs *
tfrc_model_find (TfrcModel model)
{
  return (unsigned) model < sizeof models / sizeof models[0] ? &models[model] : NULL;
}
