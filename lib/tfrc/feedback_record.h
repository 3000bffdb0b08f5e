/* Which feedback is to be believed (RFC 5348 section 10), and what the last one said.  Whoever can see the stream can
 * forge feedback; but even who knows all but the times cannot pass what is checked here. */
#ifndef TFRC_FEEDBACK_RECORD_H
#define TFRC_FEEDBACK_RECORD_H

#include <tfrc/tfrc.h>

typedef struct
{
  TfrcFeedback last; /* valid once there was one */
  uint64_t t_new_ns; /* its t_recvdata on our clock */
  uint64_t received; /* feedback packets used */
} TfrcFeedbackRecord;

/* What the sender knows when feedback arrives; times are whole microseconds */
typedef struct
{
  uint64_t now_ns;
  uint32_t now_wire_us;   /* now, as the wire says it */
  uint64_t first_send_ns; /* of the first packet, and of the last */
  uint64_t last_send_ns;
  uint64_t interval_ns; /* that feedback covers */
} TfrcFeedbackContext;

void tfrc_feedback_record_init (TfrcFeedbackRecord *record);

/* Places t_recvdata on our clock, in *t_new_ns, and checks everything that can be checked.  Returns TFRC_OK or why the
 * feedback is refused, see tfrc_sender_on_feedback(). */
TfrcResult tfrc_feedback_record_check (const TfrcFeedbackRecord *record,
    const TfrcFeedback *feedback, const TfrcFeedbackContext *context, uint64_t *t_new_ns);

/* "The feedback packet reports a new loss event or an increase in the loss event rate p" (section 4.3 step 4) */
bool tfrc_feedback_record_is_new_loss (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback);

/* The feedback is used. */
void tfrc_feedback_record_keep (
    TfrcFeedbackRecord *record, const TfrcFeedback *feedback, uint64_t t_new_ns);

#endif
