/* Which feedback is believed (RFC 5348 section 10), and the contents of the last feedback.  A
 * host that sees the stream can forge feedback; but a host that knows everything except the
 * times does not pass these checks. */
#ifndef TFRC_FEEDBACK_RECORD_H
#define TFRC_FEEDBACK_RECORD_H

#include <tfrc/tfrc.h>

typedef struct
{
  TfrcFeedback last; /* valid once there was one */
  uint64_t t_new_ns; /* its t_recvdata on the sender's clock */
  uint64_t received; /* feedback packets used */
} TfrcFeedbackRecord;

/* The sender's state when feedback arrives; times are whole microseconds */
typedef struct
{
  uint64_t now_ns;
  uint32_t now_wire_us;   /* the time as the wire has it */
  uint64_t first_send_ns; /* send time of the first packet */
  uint64_t last_send_ns;
  uint64_t interval_ns; /* the interval that feedback covers */
} TfrcFeedbackContext;

void tfrc_feedback_record_init (TfrcFeedbackRecord *record);

/* Converts t_recvdata to the sender's clock, in *t_new_ns, and checks the feedback.  Returns
 * TFRC_OK, or why the feedback is refused, see tfrc_sender_on_feedback(). */
TfrcResult tfrc_feedback_record_check (const TfrcFeedbackRecord *record,
    const TfrcFeedback *feedback, const TfrcFeedbackContext *context, uint64_t *t_new_ns);

/* Returns whether "the feedback packet reports a new loss event or an increase in the loss event
 * rate p" (section 4.3 step 4). */
bool tfrc_feedback_record_is_new_loss (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback);

/* Keeps the feedback as the last one. */
void tfrc_feedback_record_keep (
    TfrcFeedbackRecord *record, const TfrcFeedback *feedback, uint64_t t_new_ns);

#endif
