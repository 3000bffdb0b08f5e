/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream of packets that arrive at the loss detection */
#ifndef TFRC_TESTS_LOSSTEST_H
#define TFRC_TESTS_LOSSTEST_H

#include <gst/check/gstcheck.h>
#include <tfrc/loss_detection.h>

#define MS GST_MSECOND
#define FIRST 1000 /* sequence number of the first packet */
#define RTT_MS 100
#define RTT_US (RTT_MS * 1000)
#define SEED 50.0

static TfrcLossDetection detection;
static guint first_intervals; /* how often a first interval was asked for */
static gboolean last_was_null;

static inline gdouble
first_interval (void *user, bool null_interval)
{
  fail_unless (user == &detection);
  first_intervals++;
  last_was_null = null_interval;
  return null_interval ? 5 : SEED;
}

/* The stream starts with FIRST. The test may leave FIRST out, as a lost packet. */
static inline void
start (guint64 ms)
{
  first_intervals = 0;
  tfrc_loss_detection_init (
      &detection, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, 8, TRUE, first_interval, &detection);
  tfrc_loss_detection_start (&detection, FIRST, ms * MS);
}

static inline TfrcLossChange
arrive_at_ns (guint64 seq, gboolean ce, guint64 now_ns)
{
  bool duplicate;

  if (seq > detection.top[0])
    return tfrc_loss_detection_on_next (&detection, seq, ce, RTT_US, now_ns);
  return tfrc_loss_detection_on_behind (&detection, seq, ce, RTT_US, now_ns, &duplicate);
}

#define assert_arrives(seq, ms, change) \
  fail_unless_equals_int (arrive_at_ns (seq, FALSE, (ms) *MS), change)
#define assert_arrives_marked(seq, ms, change) \
  fail_unless_equals_int (arrive_at_ns (seq, TRUE, (ms) *MS), change)

/* The packets from..to arrive 10 ms apart, the first at @ms. These arrivals start no loss event.
 * Returns the time after the last packet. */
static inline guint64
arrive_in_order (guint64 from, guint64 to, guint64 ms)
{
  for (; from <= to; from++, ms += 10)
    assert_arrives (from, ms, TFRC_LOSS_NOTHING);
  return ms;
}

static inline void
assert_duplicate (guint64 seq, gboolean ce, guint64 ms)
{
  TfrcLossIntervals before = detection.all.current;
  guint64 lost = detection.lost;
  bool duplicate = FALSE;

  fail_unless_equals_int (
      tfrc_loss_detection_on_behind (&detection, seq, ce, RTT_US, ms * MS, &duplicate),
      TFRC_LOSS_NOTHING);
  fail_unless (duplicate);
  fail_unless_equals_uint64 (detection.lost, lost);
  fail_unless_equals_uint64 (detection.all.current.events, before.events);
  fail_unless_equals_uint64 (detection.all.current.start_seq, before.start_seq);
}

/* Checks the numbers of events and losses, and where and when the last event began. */
static inline void
assert_state (guint events, guint lost, guint64 seq, guint64 start_ns)
{
  fail_unless_equals_uint64 (detection.all.current.events, events);
  fail_unless_equals_uint64 (detection.lost, lost);
  if (events > 0) {
    fail_unless_equals_uint64 (detection.all.current.start_seq, seq);
    fail_unless_equals_uint64 (detection.all.current.start_ns, start_ns);
  }
}

#endif
