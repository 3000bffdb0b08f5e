/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a sender, for the library, tests and experiments. <tfrc/sender.h> has the
 * interface. */
#ifndef TFRC_SENDER_STATE_H
#define TFRC_SENDER_STATE_H

#include "allowed_rate.h"
#include "careful_resume.h"
#include "data_limited.h"
#include "distrust.h"
#include "feedback_record.h"
#include "new_path.h"
#include "nofeedback_timer.h"
#include "pacer.h"
#include "sender_handover.h"

struct TfrcSender
{
  TfrcSenderConfig config;
  TfrcAllowedRate rate;
  TfrcNofeedbackTimer nofeedback;
  TfrcDataLimited data_limited;
  TfrcPacer pacer;
  TfrcFeedbackRecord feedback;
  TfrcSenderHandover handover;
  TfrcSenderPath before_hold; /* the path's state before the hold, for a hold that is taken back */
  TfrcNewPath new_path;
  TfrcCarefulResume resume;
  TfrcDistrust distrust;

  bool rtt_is_initial;   /* R is config.initial_rtt_ns, until feedback gives a sample */
  bool was_data_limited; /* whether the interval of the last feedback was data-limited */
  double reported_p;     /* the loss event rate of all losses */
  double congestion_p;   /* without link errors; reported_p if the receiver does not tell */
  /* the last of each outside of the handovers of paper mode, whose p = 0 says nothing about losses */
  double standing_p, standing_congestion_p;

  uint16_t next_seq;
  uint64_t first_send_ns; /* valid once packets_sent > 0 */
  uint64_t last_send_ns;

  uint64_t packets_sent, bytes_sent, feedbacks_refused;
};

#endif
