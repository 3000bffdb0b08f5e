/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender in a handover. The test gives feedback to the sender directly. */
#ifndef HANDOVERSENDERTEST_H
#define HANDOVERSENDERTEST_H

#include <tfrc/sender_handover.h>

#include "closeto.h"
#include "sendertest.h"

#define T0 (100 * SECOND)

static TfrcSenderHandover sender;
static TfrcSenderHandoverContext context;

/* Gives feedback with this X_recv; the previous X is x_Bps. Returns whether the rate is frozen. */
static inline gboolean
feedback (const TfrcFeedback *what, double x_recv_Bps, double x_Bps, gboolean data_limited)
{
  TfrcFeedback feedback = *what;
  const char *problem;
  gboolean holds;

  feedback.x_recv_Bps = x_recv_Bps;
  context.x_Bps = x_Bps;
  context.data_limited = data_limited;
  holds = tfrc_sender_handover_on_feedback (&sender, &feedback, &context);
  problem = tfrc_sender_handover_check (&sender);
  fail_unless (problem == NULL, "%s", problem);
  return holds;
}

/* The sender at T0, with R = 100 ms, after a rate of 1 MB/s */
static inline void
init (void)
{
  static const TfrcSenderHandoverContext at_t0 = {
    .rtt_ns = 100 * MS, .most_Bps = 2e6, .now_ns = T0
  };

  tfrc_sender_handover_init (&sender);
  context = at_t0;
}

static const TfrcFeedback plain;
static const TfrcFeedback old_link = { .handover = TRUE, .handover_number = 3 };

static inline void
start_stream (SenderTest *t)
{
  guint i;

  sender_test_init (t, NULL);
  for (i = 0; i < 30; i++) {
    send_for (t, 100 * MS);
    give_feedback (t, 100 * MS, 500000);
  }
}

#endif
