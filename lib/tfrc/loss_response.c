/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The losses that make the sender slower, see loss_response.h. */
#include "loss_response.h"

#include <math.h>

/* If the receiver does not tell losses apart, the functions that depend on this give the same
 * either way. */
static bool
answers_congestion_only (const TfrcSender *sender)
{
  return sender->config.loss_response == TFRC_LOSS_RESPONSE_CONGESTION_ONLY;
}

double
tfrc_loss_response_p (const TfrcSender *sender, const TfrcFeedback *feedback)
{
  return answers_congestion_only (sender) ? fmin (feedback->congestion_p, feedback->p)
                                          : feedback->p;
}

bool
tfrc_loss_response_is_new_loss (const TfrcSender *sender, const TfrcFeedback *feedback)
{
  return answers_congestion_only (sender)
      ? tfrc_feedback_record_is_new_congestion (&sender->feedback, feedback)
      : tfrc_feedback_record_is_new_loss (&sender->feedback, feedback);
}
