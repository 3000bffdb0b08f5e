/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The losses that make the sender slower (TfrcLossResponse). */
#ifndef TFRC_LOSS_RESPONSE_H
#define TFRC_LOSS_RESPONSE_H

#include "sender_state.h"

/* Returns the p to use of feedback whose rates are believable.  The result is not above that of all
 * losses: by telling losses apart, a receiver can only lower p. */
double tfrc_loss_response_p (const TfrcSender *sender, const TfrcFeedback *feedback);

/* Does the feedback report a new loss that makes the sender slower (section 4.3 step 4)? */
bool tfrc_loss_response_is_new_loss (const TfrcSender *sender, const TfrcFeedback *feedback);

#endif
