/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream in virtual time, and forged packets beside the stream. The tests run with sequence
 * numbers and send times at several places, also where they wrap. */
#ifndef FORGEDTEST_H
#define FORGEDTEST_H

#include <tfrc/receiver_state.h>

#include "receivertest.h"

#define N 200 /* packets before the test begins */
#define FORGED_RTT_US 16700000

static const guint16 first_seqs[] = { 1000, 65536 - N - 1, 65536 - N, 65536 - N + 1,
  65536 - N - 601, 50000 };

/* Starts a stream that has run for 2 s. @i chooses its sequence numbers. Send times wrap within
 * these 2 s. */
static inline void
begin (ReceiverTest *t, guint i, gboolean tfrc)
{
  receiver_test_init (t, NULL);
  t->now = (G_GUINT64_CONSTANT (4294967296) + i * 500000) * 1000;
  t->data.seq = first_seqs[i];
  t->data.has_tfrc = tfrc;
  arrive_many (t, N);
  fail_unless_equals_uint64 (stats_of (t).packets_received, N);
}

#define for_all_streams(t, tfrc) \
  for (guint i_ = 0; i_ < G_N_ELEMENTS (first_seqs); i_++) \
    for (ReceiverTest t, *once_ = (begin (&t, i_, tfrc), &t); once_; \
         receiver_test_clear (&t), once_ = NULL)

/* A forged packet arrives. Its number is @ahead of the next packet. Its send time is @late_ms
 * before that of a genuine packet that arrives now. */
static inline TfrcArrivalKind
forge (ReceiverTest *t, gint ahead, gint late_ms, guint32 rtt_us)
{
  TfrcData data = t->data;
  TfrcArrival arrival;

  data.seq += ahead;
  data.send_time_us = t->now / 1000 - 50000 - late_ms * 1000;
  data.rtt_us = rtt_us;
  fail_unless_equals_int (tfrc_receiver_on_data (t->receiver, &data, t->now, &arrival), TFRC_OK);
  fail_if (arrival.confirms_previous);
  return arrival.kind;
}

/* The statistics of the stream are these, and feedback is the same as without forged packets. */
static inline void
assert_stream (ReceiverTest *t, guint received, guint lost, guint duplicate, guint suspect)
{
  TfrcReceiverStats stats = stats_of (t);

  fail_unless_equals_uint64 (stats.packets_received, received);
  fail_unless_equals_uint64 (stats.packets_expected, received + lost);
  fail_unless_equals_uint64 (stats.packets_lost, lost);
  fail_unless_equals_uint64 (stats.packets_duplicate, duplicate);
  fail_unless_equals_uint64 (stats.packets_suspect, suspect);
  fail_unless_equals_uint64 (stats.rtt_ns, RTT);
  fail_unless_equals_int ((guint16) (t->data.seq - 1), (guint16) stats.highest_seq);
}

/* Feedback comes every 100 ms, about packets that took 50 ms. */
static inline void
assert_feedback (ReceiverTest *t)
{
  guint before = t->feedbacks;

  for (guint i = 0; i < 100; i++) {
    arrive_many (t, 1);
    fail_unless_equals_int (t->feedback.recv_data_us + t->feedback.delay_us,
        (guint32) ((t->feedback_ns) / 1000 - 50000));
  }
  fail_unless_equals_int (t->feedbacks - before, 10);
}

#endif
