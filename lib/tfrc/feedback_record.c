/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of feedback, see feedback_record.h. */
#include "feedback_record.h"

#include <string.h>

#include "units.h"

/* The receiver measures t_delay with another clock: a relative drift of up to one part in this
 * number is honest. */
#define CLOCK_DRIFT_FRACTION 1000

/* A receiver may calculate p anew for each feedback, and feedback carries p in 32 bits. */
#define P_ROUNDING 1e-6

void
tfrc_feedback_record_init (TfrcFeedbackRecord *record)
{
  memset (record, 0, sizeof *record);
}

void
tfrc_feedback_record_begin_series (TfrcFeedbackRecord *record)
{
  record->last.has_state = false;
}

/* Is this feedback, about data sent at t_new, older than the last feedback? The feedback numbers
 * show it.  A receiver that has restarted counts anew, and its feedback is about much newer
 * data. */
static bool
is_stale (const TfrcFeedbackRecord *record, const TfrcFeedback *feedback, uint64_t t_new_ns,
    uint64_t interval_ns)
{
  if (record->received == 0)
    return false;
  if (feedback->has_state && record->last.has_state)
    return (int32_t) (feedback->number - record->last.number) <= 0
        && t_new_ns <= tfrc_add_ns (record->t_new_ns, interval_ns);
  return tfrc_add_ns (t_new_ns, interval_ns) < record->t_new_ns;
}

/* false for NaN */
static bool
is_rate (double p)
{
  return p >= 0 && p <= 1;
}

bool
tfrc_feedback_record_has_valid_p (const TfrcFeedback *feedback)
{
  return is_rate (feedback->p) && (!feedback->classified || is_rate (feedback->congestion_p));
}

TfrcResult
tfrc_feedback_record_check (const TfrcFeedbackRecord *record, const TfrcFeedback *feedback,
    const TfrcFeedbackContext *context, uint64_t *t_new_ns)
{
  uint32_t age_us = context->now_wire_us - feedback->recv_data_us;
  uint64_t age_ns = age_us * TFRC_NS_PER_US;

  if (!tfrc_feedback_record_has_valid_p (feedback))
    return TFRC_ERROR_RANGE;
  if (age_ns > context->now_ns)
    return TFRC_ERROR_NOT_SENT;
  *t_new_ns = context->now_ns - age_ns;
  if (*t_new_ns > context->last_send_ns || *t_new_ns < context->first_send_ns)
    return TFRC_ERROR_NOT_SENT;
  if (feedback->delay_us > (uint64_t) age_us + age_us / CLOCK_DRIFT_FRACTION + 1)
    return TFRC_ERROR_RANGE;
  return is_stale (record, feedback, *t_new_ns, context->interval_ns) ? TFRC_ERROR_STALE : TFRC_OK;
}

/* Has p risen by more than the rounding of its calculation? */
static bool
has_risen (double p, double p_before)
{
  return p > p_before * (1 + P_ROUNDING);
}

static bool
is_new_event (const TfrcFeedbackRecord *record, const TfrcFeedback *feedback)
{
  return feedback->has_state && record->last.has_state
      && (int32_t) (feedback->loss_events - record->last.loss_events) > 0;
}

bool
tfrc_feedback_record_is_new_loss (const TfrcFeedbackRecord *record, const TfrcFeedback *feedback)
{
  return is_new_event (record, feedback) || has_risen (feedback->p, record->last.p);
}

bool
tfrc_feedback_record_is_new_link_error (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback)
{
  uint32_t before = record->last.classified ? record->last.link_errors : 0;

  return feedback->classified && (int32_t) (feedback->link_errors - before) > 0;
}

bool
tfrc_feedback_record_is_new_congestion (
    const TfrcFeedbackRecord *record, const TfrcFeedback *feedback)
{
  if (!feedback->classified || !record->last.classified)
    return tfrc_feedback_record_is_new_loss (record, feedback);
  if (has_risen (feedback->congestion_p, record->last.congestion_p))
    return true;
  return is_new_event (record, feedback)
      && !tfrc_feedback_record_is_new_link_error (record, feedback);
}

void
tfrc_feedback_record_keep (
    TfrcFeedbackRecord *record, const TfrcFeedback *feedback, uint64_t t_new_ns)
{
  record->last = *feedback;
  record->t_new_ns = t_new_ns;
  record->received++;
}
