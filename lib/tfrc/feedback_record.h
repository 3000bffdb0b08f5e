/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of feedback (RFC 5348 section 10), and the contents of the last feedback.  A
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

/* The last feedback; all 0 before the first */
static inline const TfrcFeedback *
tfrc_feedback_record_last (const TfrcFeedbackRecord *record)
{
  return &record->last;
}

/* The number of feedback packets that have been used */
static inline uint64_t
tfrc_feedback_record_received (const TfrcFeedbackRecord *record)
{
  return record->received;
}

/* The numbers of feedback and of loss events begin anew: those of the next feedback are compared with
 * none before. */
void tfrc_feedback_record_begin_series (TfrcFeedbackRecord *record);

/* Are the loss event rates within 0..1? */
bool tfrc_feedback_record_has_valid_p (const TfrcFeedback *feedback);

/* Converts t_recvdata to the sender's clock, in *t_new_ns, and checks the feedback.  Returns
 * TFRC_OK, or why the feedback is refused, see tfrc_sender_on_feedback(). */
TfrcResult tfrc_feedback_record_check (const TfrcFeedbackRecord *record,
    const TfrcFeedback *feedback, const TfrcFeedbackContext *context, uint64_t *t_new_ns);

/* Returns whether "the feedback packet reports a new loss event or an increase in the loss event
 * rate p" (section 4.3 step 4). */
bool tfrc_feedback_record_is_new_loss (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback);

/* Returns whether the feedback reports a link error that the last feedback did not report.  A
 * receiver that did not tell losses apart so far had counted none. */
bool tfrc_feedback_record_is_new_link_error (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback);

/* The same as tfrc_feedback_record_is_new_loss(), without loss events that only link errors may have
 * caused: the loss event rate without link errors has not risen, and there are new link errors. */
bool tfrc_feedback_record_is_new_congestion (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback);

/* Keeps the feedback as the last one. */
void tfrc_feedback_record_keep (
    TfrcFeedbackRecord *record, const TfrcFeedback *feedback, uint64_t t_new_ns);

#endif
