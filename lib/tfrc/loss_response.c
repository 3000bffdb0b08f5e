/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The losses that make the sender slower, see loss_response.h.  If the receiver does not tell losses
 * apart, both responses give the same. */
#include "loss_response.h"

#include <math.h>

double
tfrc_loss_response_p (TfrcLossResponse response, const TfrcFeedback *feedback)
{
  return response == TFRC_LOSS_RESPONSE_CONGESTION_ONLY ? fmin (feedback->congestion_p, feedback->p)
                                                        : feedback->p;
}

bool
tfrc_loss_response_is_new_loss (
    TfrcLossResponse response, const TfrcFeedbackRecord *record, const TfrcFeedback *feedback)
{
  return response == TFRC_LOSS_RESPONSE_CONGESTION_ONLY
      ? tfrc_feedback_record_is_new_congestion (record, feedback)
      : tfrc_feedback_record_is_new_loss (record, feedback);
}
