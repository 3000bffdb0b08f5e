/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender whose nofeedback timer is tested. */
#ifndef NOFEEDBACKTEST_H
#define NOFEEDBACKTEST_H

#include "sendertest.h"

#define RTT (100 * MS)
#define INITIAL_RATE (W_INIT / 0.1)

/* The nofeedback timer expires. */
static inline void
expire (SenderTest *t)
{
  t->now = tfrc_sender_next_timeout_ns (t->sender);
  fail_unless (t->now != TFRC_TIME_NEVER);
  tfrc_sender_on_timeout (t->sender, t->now);
  fail_unless (tfrc_sender_next_timeout_ns (t->sender) > t->now);
}

/* The sender sends all that time, then the nofeedback timer expires. */
static inline void
expire_sending (SenderTest *t)
{
  send_until (t, tfrc_sender_next_timeout_ns (t->sender));
  expire (t);
}

static inline guint64
until_timeout (const SenderTest *t)
{
  return tfrc_sender_next_timeout_ns (t->sender) - t->now;
}

/* Reaches the steady state for p = 0.01, in which X_Bps = 147829. */
static inline void
reach_steady_state (SenderTest *t, double x_recv)
{
  sender_test_init (t, NULL);
  start (t, RTT);
  lose (t, 0.01);
  run_rtts (t, 4, RTT, x_recv);
}

#endif
