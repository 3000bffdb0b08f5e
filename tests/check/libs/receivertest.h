/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver in virtual time */
#ifndef RECEIVERTEST_H
#define RECEIVERTEST_H

#include <tfrc/tfrc.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)

/* The time between packets, unless a test says otherwise. The round-trip time is ten packets
 * long. */
#define GAP (10 * MS)
#define RTT (100 * MS)

typedef struct
{
  TfrcReceiver *receiver;
  guint64 now;
  TfrcData data;         /* the next packet, without its send time */
  TfrcArrival arrival;   /* the result of the last arrival */
  TfrcFeedback feedback; /* the last feedback */
  guint64 feedback_ns;   /* when the last feedback was made */
  guint feedbacks;
} ReceiverTest;

static inline void
receiver_test_init (ReceiverTest *t, const TfrcReceiverConfig *config)
{
  memset (t, 0, sizeof *t);
  fail_unless_equals_int (tfrc_receiver_new (&t->receiver, config), TFRC_OK);
  t->now = SECOND;
  t->data.has_tfrc = TRUE;
  t->data.rtt_us = RTT / 1000;
  t->data.size_bytes = 1000;
}

static inline void
receiver_test_clear (ReceiverTest *t)
{
  tfrc_receiver_free (t->receiver);
}

static inline TfrcReceiverStats
stats_of (const ReceiverTest *t)
{
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (t->receiver, &stats);
  return stats;
}

static inline guint64
feedback_at (const ReceiverTest *t)
{
  return tfrc_receiver_next_feedback_ns (t->receiver);
}

static inline gboolean
is_due (const ReceiverTest *t)
{
  return feedback_at (t) <= t->now;
}

/* The next packet arrives now, 50 ms after it left. */
static inline void
arrive (ReceiverTest *t)
{
  t->data.send_time_us = t->now / 1000 - 50000;
  fail_unless_equals_int (
      tfrc_receiver_on_data (t->receiver, &t->data, t->now, &t->arrival), TFRC_OK);
  t->data.seq++;
}

static inline gboolean
take_feedback (ReceiverTest *t)
{
  gboolean taken = tfrc_receiver_make_feedback (t->receiver, t->now, &t->feedback);

  fail_unless (feedback_at (t) > t->now);
  t->feedbacks += taken;
  if (taken)
    t->feedback_ns = t->now;
  return taken;
}

/* Lets the timer expire until this time, as often as necessary. */
static inline void
wait_until (ReceiverTest *t, guint64 until)
{
  while (feedback_at (t) <= until) {
    t->now = MAX (t->now, feedback_at (t));
    take_feedback (t);
  }
  t->now = until;
}

/* Packets arrive at regular distances. All feedback is sent when it is due, except feedback that is
 * due with the last packet. */
static inline void
arrive_many (ReceiverTest *t, guint n)
{
  while (n-- > 0) {
    wait_until (t, t->now + GAP - 1);
    t->now++;
    arrive (t);
  }
}

/* The next @n packets are lost on their way. */
static inline void
lose (ReceiverTest *t, guint n)
{
  t->data.seq += n;
  wait_until (t, t->now + n * GAP);
}

#endif
