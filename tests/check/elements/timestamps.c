/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time stamps of tfrcsrc's buffers. */
#include "srcfixture.h"

#define HELD (20 * GST_MSECOND)

static GstClockTime
running_time (GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  GstClockTime now = gst_clock_get_time (clock);

  gst_object_unref (clock);
  return now - gst_element_get_base_time (element);
}

static void
wait_until (Fixture *f, GstClockTime time)
{
  while (running_time (f->receiver->src) < time)
    g_usleep (1000);
}

static GstClockTime
pts_of (Fixture *f, guint i)
{
  GstClockTime pts;

  test_receiver_wait_bytes (f->receiver, (i + 1) * PAYLOAD_BYTES);
  g_mutex_lock (&f->receiver->lock);
  pts = g_array_index (f->receiver->buffers, TestBuffer, i).pts;
  g_mutex_unlock (&f->receiver->lock);
  return pts;
}

/* The kernel's clock and the pipeline's are compared to some microseconds. */
static void
fail_unless_between (GstClockTime pts, GstClockTime least, GstClockTime most)
{
  fail_unless (pts + GST_MSECOND >= least && pts <= most + GST_MSECOND,
      "%" GST_TIME_FORMAT " is not between %" GST_TIME_FORMAT " and %" GST_TIME_FORMAT,
      GST_TIME_ARGS (pts), GST_TIME_ARGS (least), GST_TIME_ARGS (most));
}

/* A packet that the sender has held back has the time stamp of the packet with which it was due. */
GST_START_TEST (test_timestamps_are_due_times)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST);
  GstClockTime first;

  send_payload (&f, 0);
  first = pts_of (&f, 0);
  wait_until (&f, first + HELD);
  send_payload (&f, 1);
  fail_unless_between (pts_of (&f, 1), first, first);
  f.peer->timestamp += 90; /* 1 ms */
  send_payload (&f, 2);
  fail_unless_between (pts_of (&f, 2), first + GST_MSECOND, first + GST_MSECOND);
  fixture_free (&f);
}

GST_END_TEST;

/* Whatever the sender says about a packet, the packet was due at most the latency before it came. */
GST_START_TEST (test_timestamps_are_at_most_the_latency_before_the_arrival)
{
  Fixture f = fixture_new ("latency=1");
  GstClockTime before;

  send_payload (&f, 0);
  wait_until (&f, pts_of (&f, 0) + HELD);
  before = running_time (f.receiver->src);
  send_payload (&f, 1);
  fail_unless_between (pts_of (&f, 1), before - GST_MSECOND, running_time (f.receiver->src));
  fixture_free (&f);
}

GST_END_TEST;

/* A packet with a new RTP time counts from when it came, not from when the pipeline took it. */
GST_START_TEST (test_timestamps_do_not_depend_on_the_pipeline)
{
  Fixture f = fixture_new (NULL);
  GstClockTime before, after;

  test_receiver_hold (f.receiver, TRUE);
  send_payload (&f, 0);
  before = pts_of (&f, 0);
  f.peer->timestamp += 100 * 90000;
  before = running_time (f.receiver->src);
  send_payload (&f, 1);
  test_log_wait_stat (f.receiver->log, "src", "queue-packets", 1);
  after = running_time (f.receiver->src);
  wait_until (&f, after + HELD);
  test_receiver_hold (f.receiver, FALSE);
  fail_unless_between (pts_of (&f, 1), before, after);
  fixture_free (&f);
}

GST_END_TEST;

/* ---- from tfrcsink ---------------------------------------------------------- */

/* The wait in the sender is known to some microseconds, and the loopback interface is as fast. The
 * rest is for hosts under load, where threads stop between two readings of a clock. */
#define TOLERANCE (20 * (GstClockTimeDiff) GST_MSECOND)

static guint32
rtp_time_of (TestReceiver *receiver, gsize at)
{
  TfrcWireData data;

  fail_unless_equals_int (
      tfrc_wire_parse_data (receiver->bytes->data + at, receiver->bytes->len - at, &data),
      TFRC_WIRE_OK);
  return data.timestamp;
}

/* Fails unless the time stamps of buffers differ as RTP time stamps do. */
static void
fail_unless_times_are_rtp_times (TestReceiver *receiver)
{
  gsize at = 0;
  guint32 first = rtp_time_of (receiver, 0);
  GstClockTime first_pts = g_array_index (receiver->buffers, TestBuffer, 0).pts;

  for (guint i = 0; i < receiver->buffers->len; i++) {
    const TestBuffer *buffer = &g_array_index (receiver->buffers, TestBuffer, i);
    GstClockTimeDiff expected = (GstClockTimeDiff) (gint32) (rtp_time_of (receiver, at) - first)
        * 100000 / 9;
    GstClockTimeDiff error = GST_CLOCK_DIFF (first_pts, buffer->pts) - expected;

    fail_unless (
        ABS (error) <= TOLERANCE, "packet %u: %" GST_STIME_FORMAT, i, GST_STIME_ARGS (error));
    at += buffer->size;
  }
}

/* All packets are due when they are pushed, and wait for up to 0.4 s. */
GST_START_TEST (test_a_wait_in_the_sender_does_not_show)
{
  TestReceiver *receiver = test_receiver_new (NEVER_IN_A_TEST "! application/x-rtp");
  TestSender *sender = test_sender_new (receiver->port, "max-bitrate=1000000");
  GBytes *movie = test_movie (7 * N_PAYLOADS, 3);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, N_PAYLOADS * (TFRC_WIRE_HEADER_BYTES + PAYLOAD_BYTES));
  fail_unless (test_stat (receiver->src, "sender-delay-max") > 200 * GST_MSECOND);
  g_mutex_lock (&receiver->lock);
  fail_unless_times_are_rtp_times (receiver);
  g_mutex_unlock (&receiver->lock);
  g_bytes_unref (movie);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
timestamps_suite (void)
{
  Suite *suite = suite_create ("timestamps");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_timestamps_are_due_times);
  tcase_add_test (tcase, test_timestamps_are_at_most_the_latency_before_the_arrival);
  tcase_add_test (tcase, test_timestamps_do_not_depend_on_the_pipeline);
  tcase_add_test (tcase, test_a_wait_in_the_sender_does_not_show);
  return suite;
}

GST_CHECK_MAIN (timestamps);
