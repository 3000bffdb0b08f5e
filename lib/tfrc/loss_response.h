/* The losses that make the sender slower (TfrcLossResponse), and what the sender believes of the
 * loss event rates in feedback. */
#ifndef TFRC_LOSS_RESPONSE_H
#define TFRC_LOSS_RESPONSE_H

#include "sender_state.h"

/* Returns the loss event rate of all losses to use. */
double tfrc_loss_response_believable_p (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns);

/* Returns the p to use.  The feedback's p of all losses is believable.  The result is not above
 * that p, because a receiver can only lower p by telling losses apart.  And the result comes back
 * from above 0 to 0 only in the cases in which p of all losses may. */
double tfrc_loss_response_p (
    const TfrcSender *sender, const TfrcFeedback *feedback, uint64_t now_ns);

/* Does the feedback report a new loss that makes the sender slower (section 4.3 step 4)? */
bool tfrc_loss_response_is_new_loss (const TfrcSender *sender, const TfrcFeedback *feedback);

#endif
