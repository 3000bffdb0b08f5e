/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of a sender, as a program is told of them (tfrc/trace.h); and packets that the program
 * paces */
#include "sendertest.h"
#include "tracetest.h"

#include <tfrc/reports.h>

#define RTT (100 * MS)

static void
init (SenderTest *t, gboolean queue_guard)
{
  TfrcSenderConfig config = default_config ();

  config.trace = trace;
  config.queue_guard = queue_guard;
  sender_test_init (t, &config);
  forget ();
}

GST_START_TEST (test_feedback_says_where_the_rate_is_from)
{
  const TfrcTraceRecord *record;
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  assert_told ("feedback:start");
  record = last (TFRC_TRACE_FEEDBACK);
  fail_unless_equals_uint64 (record->now_ns, t.now);
  fail_unless_equals_uint64 (record->rtt_ns, RTT);
  fail_unless_equals_uint64 (record->rtt_sample_ns, RTT);
  fail_unless_equals_uint64 (record->count, 1);
  assert_close (record->x_before_Bps, S);
  assert_close (record->x_Bps, W_INIT / 0.1);
  forget ();
  run_rtts (&t, 1, RTT, 40000);
  assert_told ("feedback:slow-start");
  assert_close (last (TFRC_TRACE_FEEDBACK)->x_recv_Bps, 40000);
  assert_close (last (TFRC_TRACE_FEEDBACK)->x_Bps, 2 * W_INIT / 0.1);
  forget ();
  lose (&t, 0.02);
  run_rtts (&t, 1, RTT, 40000);
  assert_told ("feedback:equation");
  record = last (TFRC_TRACE_FEEDBACK);
  assert_close (record->p, 0.02);
  assert_close (record->p_told, 0.02);
  assert_close (record->x_eq_Bps, record->x_Bps);
  fail_unless_equals_uint64 (record->loss_events, 1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_limit_from_the_receive_rate_is_told)
{
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 60000);
  lose (&t, 1e-4);
  forget ();
  run_rtts (&t, 1, RTT, 20000);
  run_rtts (&t, 3, RTT, 20000);
  assert_told ("feedback:recv-limit feedback:recv-limit feedback:recv-limit feedback:recv-limit");
  assert_close (last (TFRC_TRACE_FEEDBACK)->recv_limit_Bps, 40000);
  assert_close (last (TFRC_TRACE_FEEDBACK)->x_Bps, 40000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_refused_feedback_is_told_with_the_result)
{
  TfrcFeedback feedback;
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  send_for (&t, RTT);
  feedback = feedback_after (&t, RTT, 1000);
  feedback.p = 2;
  forget ();
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_ERROR_RANGE);
  assert_told ("refused");
  fail_unless_equals_int (told[0].result, TFRC_ERROR_RANGE);
  fail_unless_equals_uint64 (told[0].count, 1);
  assert_close (told[0].p_told, 2);
  assert_close (told[0].x_Bps, told[0].x_before_Bps);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_value_that_is_not_believed_is_told)
{
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  run_rtts (&t, 1, RTT, 40000);
  forget ();
  run_rtts (&t, 1, RTT, 90000000);
  assert_told ("limited:slow-start feedback:slow-start");
  assert_close (last (TFRC_TRACE_LIMITED)->x_recv_told_Bps, 90000000);
  fail_unless (last (TFRC_TRACE_LIMITED)->x_recv_Bps < 200000);
  /* p = 0 while loss events stand */
  lose (&t, 0.01);
  run_rtts (&t, 1, RTT, 40000);
  t.next.p = 0;
  forget ();
  run_rtts (&t, 1, RTT, 40000);
  assert_close (last (TFRC_TRACE_LIMITED)->p_told, 0);
  assert_close (last (TFRC_TRACE_LIMITED)->p, 0.01);
  /* a sample of R far above R */
  t.next.p = 0.01;
  run_rtts (&t, 20, RTT, 40000);
  forget ();
  send_for (&t, RTT);
  give_feedback (&t, 1500 * MS, 40000);
  fail_unless_equals_uint64 (last (TFRC_TRACE_LIMITED)->rtt_sample_ns, 1500 * MS);
  fail_unless_equals_uint64 (last (TFRC_TRACE_LIMITED)->rtt_ns, RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_expiration_of_the_timer_is_told)
{
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  run_rtts (&t, 3, RTT, 40000);
  forget ();
  send_until (&t, tfrc_sender_next_timeout_ns (t.sender));
  tfrc_sender_on_timeout (t.sender, t.now);
  assert_told ("nofeedback:nofeedback");
  assert_close (told[0].x_Bps, told[0].x_before_Bps / 2);
  fail_unless_equals_uint64 (told[0].count, 1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_handover_is_told_when_it_begins_and_ends)
{
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  lose (&t, 0.02);
  run_rtts (&t, 10, RTT, 30000);
  t.next.handover = TRUE;
  forget ();
  run_rtts (&t, 2, RTT, 30000);
  assert_told ("feedback:hold hold:hold feedback:hold");
  fail_unless_equals_uint64 (last (TFRC_TRACE_HOLD)->count, 1);
  t.next.handover = FALSE;
  forget ();
  run_rtts (&t, 1, RTT, 30000);
  fail_unless_equals_int (told[n_told - 1].event, TFRC_TRACE_HOLD);
  forget ();
  tfrc_sender_on_new_path (t.sender, 2 * RTT, t.now);
  assert_told ("new-path:new-path");
  fail_unless_equals_uint64 (told[0].rtt_ns, 2 * RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_limit_of_the_queue_guard_is_told_when_it_begins)
{
  SenderTest t;

  init (&t, TRUE);
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 100000);
  forget ();
  run_rtts (&t, 1, 2 * RTT, 100000);
  assert_told ("guard:slow-start feedback:slow-start");
  assert_within (last (TFRC_TRACE_GUARD)->guard_Bps, 100000 + S / 0.2, 1e-3);
  forget ();
  run_rtts (&t, 1, 2 * RTT, 100000);
  fail_unless_equals_int (told[0].event, TFRC_TRACE_FEEDBACK);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_rate_without_feedback_is_told)
{
  SenderTest t;

  init (&t, FALSE);
  start (&t, RTT);
  run_rtts (&t, 3, RTT, 40000);
  forget ();
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, 0, 20000), TFRC_OK);
  assert_told ("rate:program");
  assert_close (told[0].x_Bps, 20000);
  fail_unless (told[0].x_before_Bps > 20000);
  forget ();
  fail_unless_equals_int (tfrc_sender_set_rate_limits (t.sender, 0, 20000), TFRC_OK);
  assert_told ("");
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_data_packets_tell_nothing)
{
  SenderTest t;

  init (&t, TRUE);
  start (&t, RTT);
  forget ();
  send_for (&t, 3 * RTT);
  assert_told ("");
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_every_decision_and_reason_has_a_name)
{
  for (guint i = 0; i < TFRC_TRACE_N_EVENTS; i++)
    fail_unless (strlen (tfrc_trace_event_to_string ((TfrcTraceEvent) i)) > 3);
  for (guint i = 0; i < TFRC_TRACE_N_REASONS; i++)
    fail_unless (strlen (tfrc_trace_reason_to_string ((TfrcTraceReason) i)) > 3);
  fail_unless_equals_string (
      tfrc_trace_event_to_string ((TfrcTraceEvent) TFRC_TRACE_N_EVENTS), "unknown");
  fail_unless_equals_string (
      tfrc_trace_reason_to_string ((TfrcTraceReason) TFRC_TRACE_N_REASONS), "unknown");
}

GST_END_TEST;

/* ---- packets that somebody else paces ------------------------------------ */

/* The packets of a frame leave at once. The next packet of the library is due when all of them would
 * have left at X. */
GST_START_TEST (test_packets_of_another_pacer_count_as_any_others)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t, paced;

  config.oscillation_reduction = FALSE;
  sender_test_init (&t, &config);
  start (&t, RTT);
  sender_test_init (&paced, &config);
  start (&paced, RTT);
  for (guint i = 0; i < 10; i++) {
    fail_unless_equals_int (tfrc_sender_on_sent (t.sender, S, t.now, &t.data), TFRC_OK);
    fail_unless_equals_int (t.data.seq, i + 1);
    fail_unless_equals_int (t.data.send_time_us, t.now / 1000);
    fail_unless_equals_int (t.data.rtt_us, RTT / 1000);
  }
  fail_unless_equals_uint64 (tfrc_sender_get_packets_sent (t.sender), 11);
  fail_unless_equals_uint64 (tfrc_sender_get_bytes_sent (t.sender), 11 * S);
  while (paced.sent->len < 11) {
    paced.now = MAX (paced.now, tfrc_sender_next_send_ns (paced.sender));
    send_one (&paced);
  }
  assert_within (tfrc_sender_next_send_ns (t.sender) - (double) t.now,
      tfrc_sender_next_send_ns (paced.sender) - (double) t.now, 0.01);
  fail_unless_equals_int (tfrc_sender_prepare (t.sender, S, t.now, &t.data), TFRC_ERROR_TOO_EARLY);
  sender_test_clear (&t);
  sender_test_clear (&paced);
}

GST_END_TEST;

/* Whoever sends more than X allows is not data-limited: recv_limit is twice X_recv. */
GST_START_TEST (test_packets_of_another_pacer_reach_the_limit)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  for (guint k = 0; k < 10; k++) {
    for (guint i = 0; i < 20; i++) {
      t.now += RTT / 20;
      fail_unless_equals_int (tfrc_sender_on_sent (t.sender, S, t.now, &t.data), TFRC_OK);
      g_array_append_val (t.sent, t.now);
    }
    give_feedback (&t, RTT, 30000);
  }
  fail_if (stats_of (&t).data_limited);
  assert_close (rate_of (&t), 60000);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Without feedback X halves again and again, while the program sends as before: 5 s like that are worth minutes at such an
 * X. The library waits for a second and an interval at most, and the program counts as limited by X no longer than that. */
GST_START_TEST (test_what_another_pacer_sends_beyond_the_rate_is_forgotten_after_a_second)
{
  SenderTest t;
  guint64 end, interval;

  sender_test_init (&t, NULL);
  start (&t, RTT);
  for (end = t.now + 5 * GST_SECOND; t.now < end; t.now += 20 * MS) {
    tfrc_sender_on_timeout (t.sender, t.now);
    fail_unless_equals_int (tfrc_sender_on_sent (t.sender, S, t.now, &t.data), TFRC_OK);
  }
  t.now -= 20 * MS;
  interval = (guint64) (S / stats_of (&t).x_inst_Bps * 1e9);
  fail_unless (interval > GST_SECOND);
  assert_within (
      tfrc_sender_next_send_ns (t.sender) - (double) t.now, GST_SECOND + interval, 0.001);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_mistakes_of_another_pacer_are_refused)
{
  TfrcData data;
  SenderTest t;

  sender_test_init (&t, NULL);
  fail_unless_equals_int (tfrc_sender_on_sent (NULL, S, t.now, &data), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_on_sent (t.sender, 0, t.now, &data), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_on_sent (t.sender, 65536, t.now, &data), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_on_sent (t.sender, S, t.now, NULL), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_uint64 (tfrc_sender_get_packets_sent (t.sender), 0);
  sender_test_clear (&t);
}

GST_END_TEST;

static Suite *
decisionssender_suite (void)
{
  Suite *s = suite_create ("decisionssender");
  TCase *tc = tcase_create ("decisions");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_says_where_the_rate_is_from);
  tcase_add_test (tc, test_limit_from_the_receive_rate_is_told);
  tcase_add_test (tc, test_refused_feedback_is_told_with_the_result);
  tcase_add_test (tc, test_value_that_is_not_believed_is_told);
  tcase_add_test (tc, test_expiration_of_the_timer_is_told);
  tcase_add_test (tc, test_handover_is_told_when_it_begins_and_ends);
  tcase_add_test (tc, test_limit_of_the_queue_guard_is_told_when_it_begins);
  tcase_add_test (tc, test_rate_without_feedback_is_told);
  tcase_add_test (tc, test_data_packets_tell_nothing);
  tcase_add_test (tc, test_every_decision_and_reason_has_a_name);
  tc = tcase_create ("another pacer");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_packets_of_another_pacer_count_as_any_others);
  tcase_add_test (tc, test_packets_of_another_pacer_reach_the_limit);
  tcase_add_test (tc, test_what_another_pacer_sends_beyond_the_rate_is_forgotten_after_a_second);
  tcase_add_test (tc, test_mistakes_of_another_pacer_are_refused);
  return s;
}

GST_CHECK_MAIN (decisionssender);
