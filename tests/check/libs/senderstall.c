/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender whose program was stopped by a signal, by swapping, or by a machine that was suspended.
 * Feedback of that time is delivered late, and says nothing about the round-trip time. */
#include "sendertest.h"

#define RTT (40 * MS)

/* A packet leaves now. Feedback about the packet comes after @time. */
static void
answer_after (SenderTest *t, guint64 time, gboolean timer_first)
{
  TfrcFeedback feedback = t->next;

  send_one (t);
  feedback.recv_data_us = t->data.send_time_us;
  feedback.x_recv_Bps = 100000;
  t->next.number++;
  t->now += time;
  if (timer_first)
    tfrc_sender_on_timeout (t->sender, t->now);
  fail_unless_equals_int (deliver (t, &feedback), TFRC_OK);
}

static void
start_stream (SenderTest *t)
{
  sender_test_init (t, NULL);
  start (t, RTT);
  lose (t, 0.001);
  run_rtts (t, 50, RTT, 100000);
  fail_unless_equals_uint64 (stats_of (t).rtt_ns, RTT);
  t->now = MAX (t->now, tfrc_sender_next_send_ns (t->sender));
}

GST_START_TEST (test_feedback_that_waited_for_the_program_is_no_sample_of_the_rtt)
{
  SenderTest t;

  /* the program may serve the timer first, or the feedback */
  start_stream (&t);
  answer_after (&t, 20 * SECOND, TRUE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  sender_test_clear (&t);

  start_stream (&t);
  answer_after (&t, 20 * SECOND, FALSE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_refused, 0);
  /* the other fields of the feedback count, and the next feedback is a sample again */
  fail_unless (tfrc_sender_next_timeout_ns (t.sender) > t.now);
  t.now = MAX (t.now, tfrc_sender_next_send_ns (t.sender));
  answer_after (&t, 60 * MS, FALSE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 42 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Feedback that came at different times is delivered at once. */
GST_START_TEST (test_no_feedback_that_waited_for_the_program_is_a_sample)
{
  TfrcFeedback waited[3];
  SenderTest t;

  start_stream (&t);
  for (guint i = 0; i < G_N_ELEMENTS (waited); i++) {
    t.now = MAX (t.now, tfrc_sender_next_send_ns (t.sender));
    send_one (&t);
    waited[i] = t.next;
    waited[i].recv_data_us = t.data.send_time_us;
    waited[i].x_recv_Bps = 100000;
    t.next.number++;
  }
  t.now += 20 * SECOND;
  for (guint i = 0; i < G_N_ELEMENTS (waited); i++)
    fail_unless_equals_int (deliver (&t, &waited[i]), TFRC_OK);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

/* The nofeedback timer expires after 4 R. A program that serves the timer one R late was not
 * stopped. */
GST_START_TEST (test_long_round_trip_time_is_a_sample)
{
  SenderTest t;

  start_stream (&t);
  answer_after (&t, 4 * RTT, FALSE);
  fail_unless (stats_of (&t).rtt_ns > RTT);
  sender_test_clear (&t);

  /* if the timer is served in time, the sample may be of any length */
  start_stream (&t);
  send_one (&t);
  t.now = tfrc_sender_next_timeout_ns (t.sender);
  tfrc_sender_on_timeout (t.sender, t.now);
  t.now += 3 * RTT;
  t.next.x_recv_Bps = 100000;
  t.next.recv_data_us = t.data.send_time_us;
  fail_unless_equals_int (deliver (&t, &t.next), TFRC_OK);
  fail_unless (stats_of (&t).rtt_ns > 3 * RTT / 2);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timer_that_is_overdue_by_more_than_r_shows_a_stop)
{
  for (guint above = 0; above < 2; above++) {
    SenderTest t;
    guint64 latest;

    start_stream (&t);
    latest = tfrc_sender_next_timeout_ns (t.sender) + RTT;
    answer_after (&t, latest - t.now + above * 1000, FALSE);
    fail_unless ((stats_of (&t).rtt_ns == RTT) == above);
    sender_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_feedback_of_unknown_time_is_no_sample)
{
  SenderTest t;

  start_stream (&t);
  t.next.no_rtt_sample = TRUE;
  answer_after (&t, 80 * MS, FALSE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  t.next.no_rtt_sample = FALSE;
  t.now = MAX (t.now, tfrc_sender_next_send_ns (t.sender));
  answer_after (&t, 60 * MS, FALSE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 42 * MS);
  sender_test_clear (&t);
}

GST_END_TEST;

/* There is no other value of R. */
GST_START_TEST (test_first_feedback_is_a_sample_in_any_case)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  answer_after (&t, 20 * SECOND, FALSE);
  fail_unless (stats_of (&t).rtt_ns > 0);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
senderstall_suite (void)
{
  Suite *s = suite_create ("senderstall");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_that_waited_for_the_program_is_no_sample_of_the_rtt);
  tcase_add_test (tc, test_no_feedback_that_waited_for_the_program_is_a_sample);
  tcase_add_test (tc, test_long_round_trip_time_is_a_sample);
  tcase_add_test (tc, test_timer_that_is_overdue_by_more_than_r_shows_a_stop);
  tcase_add_test (tc, test_feedback_of_unknown_time_is_no_sample);
  tcase_add_test (tc, test_first_feedback_is_a_sample_in_any_case);
  return s;
}

GST_CHECK_MAIN (senderstall);
