/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a sender, for the library, tests and experiments. <tfrc/sender.h> has the
 * interface. */
#ifndef TFRC_SENDER_STATE_H
#define TFRC_SENDER_STATE_H

#include "data_limited.h"
#include "distrust.h"
#include "feedback_record.h"
#include "new_path.h"
#include "pacer.h"
#include "queue_guard.h"
#include "recv_set.h"
#include "rtt.h"
#include "segment_size.h"
#include "sender_handover.h"

/* The sender's knowledge of a path */
typedef struct
{
  TfrcRtt rtt;
  TfrcRecvSet recv_set;
  TfrcQueueGuard queue_guard;
} TfrcSenderPath;

struct TfrcSender
{
  TfrcSenderConfig config;
  TfrcRtt rtt;
  bool rtt_is_initial; /* R is config.initial_rtt_ns, until feedback gives a sample */
  TfrcRecvSet recv_set;
  TfrcDataLimited data_limited;
  TfrcSegmentSize segment_size;
  TfrcPacer pacer;
  TfrcFeedbackRecord feedback;
  TfrcQueueGuard queue_guard;
  TfrcSenderHandover handover;
  TfrcSenderPath before_hold; /* the path's state before the hold, for a hold that is taken back */
  TfrcNewPath new_path;
  TfrcDistrust distrust;

  double x_Bps;          /* X */
  double x_inst_Bps;     /* X_inst */
  double x_eq_Bps;       /* X_Bps of the equation; 0 while p = 0 */
  double recv_limit_Bps; /* recv_limit; INFINITY before it is known */
  double p;              /* the loss event rate in use; without a loss response, that reported */
  double reported_p;     /* of all losses */
  double congestion_p;   /* without link errors; reported_p if the receiver does not tell */
  uint64_t tld_ns;       /* time last doubled */

  uint64_t nofeedback_ns;      /* when the nofeedback timer expires */
  uint64_t nofeedback_set_ns;  /* when it was set */
  uint64_t stopped_until_ns;   /* when the caller was last found to have been stopped; 0: never */
  uint64_t report_interval_ns; /* the time between two RTCP packets that stand for feedback; 0:
                                  feedback comes as often as RFC 5348 has it */
  double report_limit_Bps;     /* limit of X from receiver reports; INFINITY: none */
  bool backed_off;             /* the nofeedback timer has cut the rate since the last feedback */

  uint16_t next_seq;
  uint64_t first_send_ns; /* valid once packets_sent > 0 */
  uint64_t last_send_ns;

  uint64_t packets_sent, bytes_sent, feedbacks_refused, nofeedback_expirations;
  bool was_data_limited;
};

#endif
