/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender in virtual time, and feedback for the tests of the sender */
#ifndef SENDERTEST_H
#define SENDERTEST_H

#include <tfrc/tfrc.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)

/* Segment size and W_init of the default configuration (section 4.2) */
#define S 1316.0
#define W_INIT 4380.0

typedef struct
{
  TfrcSender *sender;
  guint64 now;
  GArray *sent;      /* guint64: the send time of each packet */
  TfrcData data;     /* the last packet */
  TfrcFeedback next; /* number, loss events and p of the next feedback */
} SenderTest;

static inline TfrcSenderConfig
default_config (void)
{
  TfrcSenderConfig config;

  tfrc_sender_config_init (&config);
  return config;
}

static inline void
sender_test_init (SenderTest *t, const TfrcSenderConfig *config)
{
  memset (t, 0, sizeof *t);
  fail_unless_equals_int (tfrc_sender_new (&t->sender, config), TFRC_OK);
  t->now = SECOND;
  t->sent = g_array_new (FALSE, FALSE, sizeof (guint64));
  t->next.has_state = TRUE;
}

static inline void
sender_test_clear (SenderTest *t)
{
  tfrc_sender_free (t->sender);
  g_array_free (t->sent, TRUE);
}

static inline TfrcSenderStats
stats_of (const SenderTest *t)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (t->sender, &stats);
  return stats;
}

static inline double
rate_of (const SenderTest *t)
{
  return stats_of (t).x_Bps;
}

/* Sends one packet now. */
static inline void
send_sized (SenderTest *t, guint32 bytes)
{
  fail_unless_equals_int (tfrc_sender_prepare (t->sender, bytes, t->now, &t->data), TFRC_OK);
  g_array_append_val (t->sent, t->now);
}

static inline void
send_one (SenderTest *t)
{
  send_sized (t, S);
}

/* Sends all packets that may leave until this time. Then it is that time. */
static inline void
send_until (SenderTest *t, guint64 until)
{
  guint64 next;

  while ((next = tfrc_sender_next_send_ns (t->sender)) <= until) {
    t->now = MAX (t->now, next);
    send_one (t);
  }
  t->now = until;
}

static inline void
send_for (SenderTest *t, guint64 duration)
{
  send_until (t, t->now + duration);
}

/* Returns feedback about the last packet that left @rtt ago, so that @rtt is the sample of R. */
static inline TfrcFeedback
feedback_after (const SenderTest *t, guint64 rtt, double x_recv)
{
  TfrcFeedback feedback = t->next;
  guint i = t->sent->len;
  guint64 left;

  do
    left = g_array_index (t->sent, guint64, --i);
  while (i > 0 && left > t->now - rtt);
  feedback.recv_data_us = tfrc_sender_wire_time_us (t->sender, left);
  feedback.delay_us = t->now / 1000 - rtt / 1000 - left / 1000;
  feedback.x_recv_Bps = x_recv;
  return feedback;
}

static inline TfrcResult
deliver (SenderTest *t, const TfrcFeedback *feedback)
{
  TfrcResult checked, result;

  checked = tfrc_sender_check_feedback (t->sender, feedback, t->now);
  result = tfrc_sender_on_feedback (t->sender, feedback, t->now);
  fail_unless_equals_int (result, checked);
  return result;
}

static inline void
give_feedback (SenderTest *t, guint64 rtt, double x_recv)
{
  TfrcFeedback feedback = feedback_after (t, rtt, x_recv);

  fail_unless_equals_int (deliver (t, &feedback), TFRC_OK);
  t->next.number++;
}

/* There is a new loss event. From now on feedback reports this p. */
static inline void
lose (SenderTest *t, double p)
{
  t->next.p = p;
  t->next.loss_events++;
}

/* Sends the first packet and gives feedback about it. */
static inline void
start (SenderTest *t, guint64 rtt)
{
  send_one (t);
  t->now += rtt;
  give_feedback (t, rtt, 0);
}

/* The sender sends all that it may. Feedback reports x_recv in each round-trip time. */
static inline void
run_rtts (SenderTest *t, guint n, guint64 rtt, double x_recv)
{
  while (n-- > 0) {
    send_for (t, rtt);
    give_feedback (t, rtt, x_recv);
  }
}

/* Returns the rate of the equation for the sender's present estimates. */
static inline double
equation_rate (const SenderTest *t, double p)
{
  TfrcSenderStats stats = stats_of (t);
  double rtt_s = stats.rtt_ns * 1e-9;

  return tfrc_equation_rate_Bps (stats.segment_size_bytes, rtt_s, 4 * rtt_s, p);
}

#endif
