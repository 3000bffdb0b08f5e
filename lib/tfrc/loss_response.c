/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The losses that make the sender slower, see loss_response.h. */
#include "loss_response.h"

#include <math.h>

/* A receiver that has reported loss events, which still stand, cannot come back to p = 0, unless a
 * handover starts a new history. */
static bool
can_come_back_to_0 (const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  bool stands = feedback->has_state && feedback->loss_events != 0;
  bool rebuilds = feedback->new_link && now_ns < sender->handover.end_ns;

  return !stands || rebuilds || feedback->handover;
}

double
tfrc_loss_response_believable_p (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  return feedback->p == 0 && !can_come_back_to_0 (sender, feedback, now_ns) ? sender->reported_p
                                                                            : feedback->p;
}

/* The number of loss events counts link errors as well, so that it does not tell whether congestion
 * has been reported.  A rate above 0 does. */
double
tfrc_loss_response_believable_congestion_p (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns)
{
  if (!feedback->classified)
    return feedback->p;
  return feedback->congestion_p == 0 && !can_come_back_to_0 (sender, feedback, now_ns)
      ? sender->congestion_p
      : feedback->congestion_p;
}

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
