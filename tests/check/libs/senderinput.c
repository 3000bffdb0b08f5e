/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input that a sender refuses, and numbers that wrap or start again. Feedback comes from the
 * network and is never trusted. */
#include <tfrc/feedback_record.h>

#include "sendertest.h"

#define RTT (100 * MS)

/* After these feedback packets the sender is in a state that must not change when feedback is
 * refused. */
static void
reach_steady_state (SenderTest *t, const TfrcSenderConfig *config)
{
  sender_test_init (t, config);
  start (t, RTT);
  lose (t, 0.01);
  run_rtts (t, 5, RTT, 100000);
}

/* Checks that only the count of refused feedback has changed. */
static void
assert_unchanged (const SenderTest *t, const TfrcSenderStats *before)
{
  TfrcSenderStats after = stats_of (t);

  assert_close (after.x_Bps, before->x_Bps);
  assert_close (after.x_inst_Bps, before->x_inst_Bps);
  assert_close (after.x_eq_Bps, before->x_eq_Bps);
  assert_close (after.x_recv_Bps, before->x_recv_Bps);
  assert_close (after.recv_limit_Bps, before->recv_limit_Bps);
  assert_close (after.p, before->p);
  assert_close (after.segment_size_bytes, before->segment_size_bytes);
  fail_unless_equals_uint64 (after.rtt_ns, before->rtt_ns);
  fail_unless_equals_uint64 (after.rtt_sample_ns, before->rtt_sample_ns);
  fail_unless_equals_uint64 (after.rto_ns, before->rto_ns);
  fail_unless_equals_uint64 (after.packets_sent, before->packets_sent);
  fail_unless_equals_uint64 (after.bytes_sent, before->bytes_sent);
  fail_unless_equals_uint64 (after.feedbacks_received, before->feedbacks_received);
  fail_unless_equals_int (after.data_limited, before->data_limited);
  fail_unless_equals_int (after.slow_start, before->slow_start);
}

static void
assert_refused (SenderTest *t, const TfrcFeedback *feedback, TfrcResult expected)
{
  TfrcSenderStats before = stats_of (t);
  guint64 timeout = tfrc_sender_next_timeout_ns (t->sender);
  guint64 next = tfrc_sender_next_send_ns (t->sender);

  fail_unless_equals_int (deliver (t, feedback), expected);
  fail_unless_equals_uint64 (stats_of (t).feedbacks_refused, before.feedbacks_refused + 1);
  assert_unchanged (t, &before);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (t->sender), timeout);
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t->sender), next);
}

GST_START_TEST (test_feedback_before_the_first_packet_is_refused)
{
  TfrcFeedback feedback = { 0 };
  SenderTest t;

  sender_test_init (&t, NULL);
  assert_refused (&t, &feedback, TFRC_ERROR_NOT_SENT);
  feedback.recv_data_us = tfrc_sender_wire_time_us (t.sender, t.now);
  assert_refused (&t, &feedback, TFRC_ERROR_NOT_SENT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_about_times_without_packets_is_refused)
{
  SenderTest t;
  TfrcFeedback feedback;

  /* a young sender, and a sender whose clock has wrapped many times */
  sender_test_init (&t, NULL);
  if (__i__ == 1)
    t.now = 1000000 * SECOND;
  send_one (&t);
  t.now += SECOND;
  send_one (&t);
  t.now += RTT;

  feedback = feedback_after (&t, RTT, 1000);
  feedback.recv_data_us++; /* after the time of the last packet */
  assert_refused (&t, &feedback, TFRC_ERROR_NOT_SENT);
  feedback.recv_data_us = tfrc_sender_wire_time_us (t.sender, t.now) + 1;
  assert_refused (&t, &feedback, TFRC_ERROR_NOT_SENT);
  feedback.recv_data_us = tfrc_sender_wire_time_us (t.sender, t.now) + G_MAXINT32;
  assert_refused (&t, &feedback, TFRC_ERROR_NOT_SENT);
  feedback.recv_data_us = /* before the time of the first packet */
      tfrc_sender_wire_time_us (t.sender, g_array_index (t.sent, guint64, 0)) - 1;
  assert_refused (&t, &feedback, TFRC_ERROR_NOT_SENT);
  feedback.recv_data_us++;
  feedback.delay_us = 0;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_with_impossible_delay_is_refused)
{
  SenderTest t;
  TfrcFeedback feedback;

  reach_steady_state (&t, NULL);
  send_for (&t, RTT);
  feedback = feedback_after (&t, RTT, 1000);
  feedback.delay_us = G_MAXUINT32;
  assert_refused (&t, &feedback, TFRC_ERROR_RANGE);
  feedback.delay_us = RTT / 1000 * 1.1;
  assert_refused (&t, &feedback, TFRC_ERROR_RANGE);
  /* a small difference of the clocks is accepted, and the round-trip time is not negative */
  feedback.delay_us = RTT / 1000 + 10;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  fail_unless (stats_of (&t).rtt_sample_ns > 0);
  fail_unless (stats_of (&t).rtt_sample_ns <= RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_with_impossible_loss_rate_is_refused)
{
  static const double impossible[] = { NAN, -1e-9, 1.000001, INFINITY };
  SenderTest t;
  TfrcFeedback feedback;
  guint i;

  reach_steady_state (&t, NULL);
  send_for (&t, RTT);
  feedback = feedback_after (&t, RTT, 1000);
  for (i = 0; i < G_N_ELEMENTS (impossible); i++) {
    feedback.p = impossible[i];
    assert_refused (&t, &feedback, TFRC_ERROR_RANGE);
  }
  feedback.p = 1;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_repeated_and_reordered_feedback_is_stale)
{
  SenderTest t;
  TfrcFeedback early, late;

  reach_steady_state (&t, NULL);
  send_for (&t, RTT);
  early = feedback_after (&t, RTT, 1000);
  t.next.number++;
  send_for (&t, RTT);
  late = feedback_after (&t, RTT, 1000);
  fail_unless_equals_int (deliver (&t, &late), TFRC_OK);
  assert_refused (&t, &late, TFRC_ERROR_STALE);
  assert_refused (&t, &early, TFRC_ERROR_STALE);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_without_number_is_stale_after_one_rtt)
{
  SenderTest t;
  TfrcFeedback older, newer;

  reach_steady_state (&t, NULL);
  t.next.has_state = FALSE;
  send_for (&t, RTT);
  older = feedback_after (&t, RTT, 1000);
  send_for (&t, RTT + 50 * MS);
  newer = feedback_after (&t, RTT, 1000);
  fail_unless_equals_int (deliver (&t, &newer), TFRC_OK);
  assert_refused (&t, &older, TFRC_ERROR_STALE);
  /* data may be reordered by less time */
  older.recv_data_us = newer.recv_data_us - 50000;
  fail_unless_equals_int (deliver (&t, &older), TFRC_OK);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_restarted_receiver_is_heard)
{
  SenderTest t;

  reach_steady_state (&t, NULL);
  t.next.number = 0;
  t.next.loss_events = 0;
  t.next.p = 0;
  send_for (&t, 3 * RTT);
  give_feedback (&t, RTT, 100000);
  fail_unless (stats_of (&t).slow_start);
  run_rtts (&t, 3, RTT, 100000);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_refused, 0);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_number_wraps)
{
  SenderTest t;

  sender_test_init (&t, NULL);
  t.next.number = G_MAXUINT32 - 3;
  start (&t, RTT);
  run_rtts (&t, 8, RTT, 100000);
  fail_unless_equals_int (t.next.number, 5);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_received, 9);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_number_of_loss_events_wraps)
{
  SenderTest t;
  guint i;

  sender_test_init (&t, NULL);
  t.next.loss_events = G_MAXUINT32 - 1;
  start (&t, RTT);
  lose (&t, 0.001); /* the number of loss events is G_MAXUINT32 */
  run_rtts (&t, 4, RTT, 100000);
  for (i = 0; i < 3; i++) {
    t.now += RTT;
    send_one (&t);
    give_feedback (&t, RTT, 13160);
  }
  fail_unless (stats_of (&t).data_limited);
  lose (&t, 0.001); /* the number wraps to 0: a loss in a data-limited interval */
  t.now += RTT;
  give_feedback (&t, RTT, 13160);
  assert_close (rate_of (&t), 50000);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_sequence_number_wraps)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.first_seq = 65534;
  sender_test_init (&t, &config);
  send_one (&t);
  fail_unless_equals_int (t.data.seq, 65534);
  t.now += RTT;
  give_feedback (&t, RTT, 0);
  send_one (&t);
  fail_unless_equals_int (t.data.seq, 65535);
  send_one (&t);
  fail_unless_equals_int (t.data.seq, 0);
  tfrc_sender_cancel (t.sender, S);
  tfrc_sender_cancel (t.sender, S);
  send_one (&t);
  fail_unless_equals_int (t.data.seq, 65535);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_send_time_wraps)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;
  guint32 before;

  /* the clock on the wire wraps 150 ms after the start */
  config.clock_offset_us = 0u - 1000000u - 150000u;
  sender_test_init (&t, &config);
  start (&t, RTT);
  before = t.data.send_time_us;
  run_rtts (&t, 4, RTT, 1000000);
  fail_unless (t.data.send_time_us < before);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  assert_close (rate_of (&t), 16 * W_INIT / 0.1);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_refused, 0);
  sender_test_clear (&t);

  /* without an offset the clock wraps after 4295 s */
  sender_test_init (&t, NULL);
  t.now = (1ull << 32) * 1000 - 150 * MS;
  start (&t, RTT);
  run_rtts (&t, 4, RTT, 1000000);
  fail_unless (t.data.send_time_us < 1000000);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_send_time_hides_the_uptime)
{
  TfrcSenderConfig config = default_config ();
  SenderTest t;

  config.clock_offset_us = 0xdeadbeef;
  sender_test_init (&t, &config);
  send_one (&t);
  fail_unless_equals_int_hex (t.data.send_time_us, 0xdeadbeefu + (guint32) (t.now / 1000));
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_cancelled_packet_gives_its_number_again)
{
  SenderTest t;
  TfrcSenderStats stats;
  guint64 next;

  sender_test_init (&t, NULL);
  tfrc_sender_cancel (t.sender, S); /* there is no packet to take back */
  fail_unless_equals_uint64 (stats_of (&t).packets_sent, 0);
  start (&t, RTT);
  send_for (&t, RTT);
  send_until (&t, tfrc_sender_next_send_ns (t.sender));
  stats = stats_of (&t);
  next = tfrc_sender_next_send_ns (t.sender);

  tfrc_sender_cancel (t.sender, S);
  fail_unless_equals_uint64 (stats_of (&t).packets_sent, stats.packets_sent - 1);
  fail_unless_equals_uint64 (stats_of (&t).bytes_sent, stats.bytes_sent - S);
  /* the time of the packet is not given back */
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (t.sender), next);
  t.now = next;
  send_one (&t);
  fail_unless_equals_int (t.data.seq, stats.packets_sent - 1);
  sender_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_packets_too_early_or_of_impossible_size_are_refused)
{
  SenderTest t;
  TfrcSenderStats before;

  sender_test_init (&t, NULL);
  send_one (&t);
  before = stats_of (&t);
  fail_unless_equals_int (tfrc_sender_prepare (t.sender, S, t.now, &t.data), TFRC_ERROR_TOO_EARLY);
  t.now = tfrc_sender_next_send_ns (t.sender);
  fail_unless_equals_int (tfrc_sender_prepare (t.sender, 0, t.now, &t.data), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (
      tfrc_sender_prepare (t.sender, 65536, t.now, &t.data), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_prepare (t.sender, S, t.now, NULL), TFRC_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_sender_on_feedback (t.sender, NULL, t.now), TFRC_ERROR_ARGUMENT);
  assert_unchanged (&t, &before);
  send_sized (&t, 65535);
  fail_unless_equals_int (t.data.seq, 1);
  sender_test_clear (&t);
}

GST_END_TEST;

/* A receiver says that it has got packets at any rate. Those that did not leave must not make that true. */
GST_START_TEST (test_cancelled_packets_do_not_raise_the_receive_rate_that_is_believed)
{
  double believed[2];

  for (guint i = 0; i < 2; i++) {
    TfrcData data;
    SenderTest t;

    sender_test_init (&t, NULL);
    start (&t, 100 * MS);
    run_rtts (&t, 3, 100 * MS, 50000);
    for (guint k = 0; k < 100 * i; k++) {
      fail_unless_equals_int (tfrc_sender_on_sent (t.sender, S, t.now, &data), TFRC_OK);
      tfrc_sender_cancel (t.sender, S);
    }
    t.now += 100 * MS;
    give_feedback (&t, 100 * MS, 1e9);
    believed[i] = stats_of (&t).x_recv_Bps;
    sender_test_clear (&t);
  }
  fail_unless (believed[0] < 500000, "%g", believed[0]);
  assert_close (believed[1], believed[0]);
}

GST_END_TEST;

/* The receiver's clock may be faster by one part in a thousand, and both count whole microseconds. */
GST_START_TEST (test_delay_may_be_longer_than_the_age_by_a_thousandth_and_a_microsecond)
{
  TfrcFeedback feedback;
  SenderTest t;

  sender_test_init (&t, NULL);
  send_one (&t);
  t.now += SECOND;
  feedback = feedback_after (&t, SECOND, 0);
  feedback.delay_us = 1001002;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_ERROR_RANGE);
  feedback.delay_us = 1001001;
  fail_unless_equals_int (deliver (&t, &feedback), TFRC_OK);
  sender_test_clear (&t);
}

GST_END_TEST;

/* Feedback carries p in 32 bits. */
GST_START_TEST (test_rise_of_p_by_more_than_a_millionth_is_a_loss)
{
  static const TfrcFeedback last = { .p = 0.01 };
  TfrcFeedbackRecord record;
  TfrcFeedback feedback = last;

  tfrc_feedback_record_init (&record);
  tfrc_feedback_record_keep (&record, &last, SECOND);
  feedback.p = 0.01 * (1 + 0.9e-6);
  fail_if (tfrc_feedback_record_is_new_loss (&record, &feedback));
  feedback.p = 0.01 * (1 + 1.1e-6);
  fail_unless (tfrc_feedback_record_is_new_loss (&record, &feedback));
}

GST_END_TEST;

static Suite *
senderinput_suite (void)
{
  Suite *suite = suite_create ("senderinput");
  TCase *tc = tcase_create ("input");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_feedback_before_the_first_packet_is_refused);
  tcase_add_loop_test (tc, test_feedback_about_times_without_packets_is_refused, 0, 2);
  tcase_add_test (tc, test_feedback_with_impossible_delay_is_refused);
  tcase_add_test (tc, test_delay_may_be_longer_than_the_age_by_a_thousandth_and_a_microsecond);
  tcase_add_test (tc, test_rise_of_p_by_more_than_a_millionth_is_a_loss);
  tcase_add_test (tc, test_feedback_with_impossible_loss_rate_is_refused);
  tcase_add_test (tc, test_repeated_and_reordered_feedback_is_stale);
  tcase_add_test (tc, test_feedback_without_number_is_stale_after_one_rtt);
  tcase_add_test (tc, test_restarted_receiver_is_heard);
  tcase_add_test (tc, test_feedback_number_wraps);
  tcase_add_test (tc, test_number_of_loss_events_wraps);
  tcase_add_test (tc, test_sequence_number_wraps);
  tcase_add_test (tc, test_send_time_wraps);
  tcase_add_test (tc, test_send_time_hides_the_uptime);
  tcase_add_test (tc, test_cancelled_packet_gives_its_number_again);
  tcase_add_test (tc, test_cancelled_packets_do_not_raise_the_receive_rate_that_is_believed);
  tcase_add_test (tc, test_packets_too_early_or_of_impossible_size_are_refused);
  return suite;
}

GST_CHECK_MAIN (senderinput);
