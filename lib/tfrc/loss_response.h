/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The losses that make the sender slower (TfrcLossResponse) */
#ifndef TFRC_LOSS_RESPONSE_H
#define TFRC_LOSS_RESPONSE_H

#include "feedback_record.h"

/* Returns the p to use of feedback whose rates are believable.  The result is not above that of all
 * losses: by telling losses apart, a receiver can only lower p. */
double tfrc_loss_response_p (TfrcLossResponse response, const TfrcFeedback *feedback);

/* Does the feedback report a new loss that makes the sender slower (section 4.3 step 4)?
 * record: of the feedback before */
bool tfrc_loss_response_is_new_loss (
    TfrcLossResponse response, const TfrcFeedbackRecord *record, const TfrcFeedback *feedback);

#endif
