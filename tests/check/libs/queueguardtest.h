/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A queue guard that gets feedback */
#ifndef QUEUEGUARDTEST_H
#define QUEUEGUARDTEST_H

#include <tfrc/queue_guard.h>

#include "sendertest.h"

#define RTT_S 0.1
#define QUEUEING_S 0.113            /* the margin is an eighth of RTT_S */
#define ONE_PACKET (S / QUEUEING_S) /* per round-trip time, in byte/s */

/* Feedback packets come every 100 ms. The first reports X_recv = 0. The sender sends between them
 * as much as they report. */
typedef struct
{
  TfrcQueueGuard guard;
  guint64 now;
  gdouble sent_bytes;
} GuardTest;

static inline void
hear_sample (GuardTest *t, double x_recv, double r_sample_s, double sent, gboolean loss)
{
  TfrcQueueGuardSample sample = { .x_recv_Bps = x_recv,
    .r_sample_s = r_sample_s,
    .sent_ns = t->now - 100 * MS,
    .new_loss_event = loss,
    .segment_bytes = S,
    .now_ns = t->now };

  t->sent_bytes += sent;
  sample.sent_bytes = t->sent_bytes;
  tfrc_queue_guard_on_feedback (&t->guard, &sample);
  t->now += 100 * MS;
}

static inline void
hear (GuardTest *t, double x_recv, double r_sample_s)
{
  hear_sample (t, x_recv, r_sample_s, x_recv / 10, FALSE);
}

static inline void
hear_often (GuardTest *t, guint n, double x_recv, double r_sample_s)
{
  for (guint i = 0; i < n; i++)
    hear (t, x_recv, r_sample_s);
}

static inline void
begin (GuardTest *t)
{
  t->now = SECOND;
  t->sent_bytes = 0;
  tfrc_queue_guard_init (&t->guard);
  hear (t, 0, RTT_S);
}

static inline double
limit_of (const GuardTest *t)
{
  return tfrc_queue_guard_limit_Bps (&t->guard);
}

#endif
