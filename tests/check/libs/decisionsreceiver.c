/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of a receiver, as a program is told of them (tfrc/trace.h) */
#include "receivertest.h"
#include "tracetest.h"

static void
init (ReceiverTest *t)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  config.trace = trace;
  receiver_test_init (t, &config);
  forget ();
}

GST_START_TEST (test_feedback_is_told_with_what_it_says)
{
  ReceiverTest t;

  init (&t);
  arrive (&t);
  assert_told ("");
  take_feedback (&t);
  assert_told ("report");
  arrive_many (&t, 30);
  fail_unless_equals_int (n_told, t.feedbacks);
  assert_close (told[n_told - 1].x_recv_Bps, t.feedback.x_recv_Bps);
  assert_close (told[n_told - 1].x_recv_told_Bps, t.feedback.x_recv_Bps);
  fail_unless_equals_uint64 (told[n_told - 1].rtt_ns, RTT);
  fail_unless_equals_uint64 (told[n_told - 1].count, t.feedbacks);
  fail_unless_equals_uint64 (told[n_told - 1].now_ns, t.feedback_ns);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_loss_events_are_told_when_they_begin_and_end)
{
  TfrcData late;
  ReceiverTest t;

  init (&t);
  arrive_many (&t, 30);
  late = t.data;
  late.send_time_us = t.now / 1000 - 50000;
  lose (&t, 1);
  arrive_many (&t, 2);
  forget ();
  arrive_many (&t, 1);
  assert_told ("loss-event");
  fail_unless_equals_uint64 (told[0].packets_lost, 1);
  fail_unless_equals_uint64 (told[0].loss_events, 1);
  assert_close (told[0].p, stats_of (&t).p);
  take_feedback (&t);
  forget ();
  tfrc_receiver_on_data (t.receiver, &late, t.now, NULL);
  assert_told ("loss-removed");
  fail_unless_equals_uint64 (told[0].packets_lost, 0);
  fail_unless_equals_uint64 (told[0].loss_events, 0);
  assert_close (told[0].p, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_packets_that_are_not_believed_are_told)
{
  ReceiverTest t;

  init (&t);
  arrive_many (&t, 30);
  take_feedback (&t);
  forget ();
  t.data.rtt_us = 20 * RTT / 1000;
  arrive (&t);
  assert_told ("doubted");
  fail_unless_equals_uint64 (told[0].rtt_ns, 20 * RTT);
  t.data.rtt_us = RTT / 1000;
  t.data.seq += 5000;
  forget ();
  arrive (&t);
  assert_told ("suspect");
  fail_unless_equals_int (told[0].result, TFRC_OK);
  t.data.seq -= 10001;
  forget ();
  arrive (&t);
  arrive (&t);
  assert_told ("suspect restart");
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_phases_of_a_handover_are_told)
{
  const TfrcHandover handover = { .link = 1 };
  ReceiverTest t;

  init (&t);
  arrive_many (&t, 30);
  forget ();
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &handover, t.now), TFRC_OK);
  assert_told ("handover");
  fail_unless_equals_int (told[0].phase, TFRC_HANDOVER_STARTED);
  fail_unless_equals_uint64 (told[0].count, 1);
  arrive (&t);
  fail_unless_equals_int (last (TFRC_TRACE_HANDOVER)->phase, TFRC_HANDOVER_OLD_LINK);
  t.data.link = 1;
  arrive (&t);
  fail_unless_equals_int (last (TFRC_TRACE_HANDOVER)->phase, TFRC_HANDOVER_NEW_LINK);
  t.data.echo = t.data.direct = TRUE;
  t.data.handover_number = 1;
  arrive (&t);
  fail_unless_equals_int (last (TFRC_TRACE_HANDOVER)->phase, TFRC_HANDOVER_ECHO);
  t.data.echo = t.data.direct = FALSE;
  arrive (&t);
  fail_unless_equals_int (last (TFRC_TRACE_HANDOVER)->phase, TFRC_HANDOVER_NORMAL);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
decisionsreceiver_suite (void)
{
  Suite *s = suite_create ("decisionsreceiver");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_is_told_with_what_it_says);
  tcase_add_test (tc, test_loss_events_are_told_when_they_begin_and_end);
  tcase_add_test (tc, test_packets_that_are_not_believed_are_told);
  tcase_add_test (tc, test_phases_of_a_handover_are_told);
  return s;
}

GST_CHECK_MAIN (decisionsreceiver);
