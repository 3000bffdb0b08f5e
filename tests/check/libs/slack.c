/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long after it was due a packet may leave, see gst/flow/slack.h. */
#include "gst/flow/slack.h"
#include "sessiontest.h"

#define LONG (1000 * MS)

static SessionTest t;
static GstTfrcSlack slack;
static guint32 number; /* of the newest feedback */

static void
setup (void)
{
  session_test_init (&t);
  memset (&slack, 0, sizeof slack);
  number = 0;
  t.drop_from = 0; /* The test answers, and nobody else. */
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* A packet leaves, and feedback about it comes after this time.
 * @playout: NULL: the receiver is of a version that does not tell it */
static void
answer_after (guint64 rtt_ns, const TfrcWirePlayout *playout)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireState state = { .feedback_number = ++number };
  TfrcFeedback feedback = { .x_recv_Bps = 100000 };
  GstTfrcReceivedPacket received_packet;
  gsize size;

  run (&t, 100 * MS);
  t.backlog = 1;
  send_data (&t);
  feedback.recv_data_us = t.header.send_time_us;
  state.highest_seq = t.header.seq;
  size = playout
      ? tfrc_wire_write_playout_feedback (packet, 7, t.header.ssrc, &feedback, &state, playout)
      : tfrc_wire_write_feedback (packet, 7, t.header.ssrc, &feedback, &state);
  run (&t, rtt_ns);
  received_packet = received (&t, packet, size);
  fail_unless_equals_int (
      gst_tfrc_send_session_on_rtcp (t.sink, &received_packet), GST_TFRC_RTCP_USED);
}

static void
assert_slack (guint64 delay_ns, guint64 expected_ns)
{
  const GstTfrcPlayout told = gst_tfrc_receiver_view_get_playout (receiver_of (t.sink));
  guint64 is_ns = gst_tfrc_slack_update (&slack, t.sink, &told, delay_ns);

  /* Times on the wire are in microseconds. */
  fail_unless (is_ns + 2 * US >= expected_ns && is_ns <= expected_ns + 2 * US,
      "%" G_GUINT64_FORMAT " ns and not %" G_GUINT64_FORMAT, is_ns, expected_ns);
}

GST_START_TEST (without_a_delay_there_is_no_slack)
{
  assert_slack (0, 0);
  answer_after (50 * MS, NULL);
  assert_slack (0, 0);
}

GST_END_TEST;

GST_START_TEST (what_the_receiver_tells_goes_before_the_property)
{
  const TfrcWirePlayout told = { .delay_ms = 400, .queueing_us = 30000 };

  assert_slack (LONG, LONG);
  answer_after (50 * MS, &told);
  assert_slack (LONG, 370 * MS);
  assert_slack (0, 370 * MS);
  answer_after (500 * MS, &told); /* The receiver knows better than R. */
  assert_slack (0, 370 * MS);
}

GST_END_TEST;

GST_START_TEST (a_rise_of_r_stands_in_for_queueing_that_is_not_told)
{
  answer_after (50 * MS, NULL);
  assert_slack (LONG, LONG);
  answer_after (250 * MS, NULL); /* The sender believes the second sample that is so much longer. */
  answer_after (250 * MS, NULL);
  assert_slack (LONG, LONG - 200 * MS);
  answer_after (40 * MS, NULL);
  assert_slack (LONG, LONG);
  for (guint i = 0; i < 100; i++) { /* Jitter does not make the least forgotten. */
    answer_after ((60 + i) * MS, NULL);
    assert_slack (LONG, LONG - (20 + i) * MS);
  }
}

GST_END_TEST;

GST_START_TEST (numbers_that_lie_leave_a_slack)
{
  const TfrcWirePlayout lies[] = { { .delay_ms = 2, .queueing_us = G_MAXUINT32 - 1 },
    { .delay_ms = 131070, .queueing_us = G_MAXUINT32 - 1 }, { .delay_ms = 131070 } };
  const guint64 slacks[] = { 500 * US, 131070 * MS / 4, 131070 * MS };

  for (guint i = 0; i < 3; i++) {
    answer_after (50 * MS, &lies[i]);
    assert_slack (0, slacks[i]);
  }
}

GST_END_TEST;

static Suite *
slack_suite (void)
{
  Suite *suite = suite_create ("slack");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, without_a_delay_there_is_no_slack);
  tcase_add_test (tcase, what_the_receiver_tells_goes_before_the_property);
  tcase_add_test (tcase, a_rise_of_r_stands_in_for_queueing_that_is_not_told);
  tcase_add_test (tcase, numbers_that_lie_leave_a_slack);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (slack);
