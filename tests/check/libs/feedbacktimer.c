/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's feedback timer through the public interface (RFC 5348 sections 6.1 and 6.2). */
#include "receivertest.h"

GST_START_TEST (test_feedback_once_per_rtt)
{
  ReceiverTest t;
  guint64 began;
  guint i;

  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  began = t.now;
  for (i = 1; i <= 20; i++) {
    arrive_many (&t, 10);
    fail_unless_equals_uint64 (feedback_at (&t), began + i * RTT);
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedbacks, i + 1);
    fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  }
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_timer_follows_the_rtt_of_the_highest_packet)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive (&t);
  take_feedback (&t);
  t.data.seq++;
  t.data.rtt_us = 70000;
  arrive_many (&t, 2);
  /* an older packet with an older estimate of R comes late */
  t.data.seq = 1;
  t.data.rtt_us = 300000;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 70 * MS);
  wait_until (&t, feedback_at (&t));
  fail_unless_equals_int (t.feedbacks, 2);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 70 * MS);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_no_feedback_without_data)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 31);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  t.now = feedback_at (&t);
  fail_if (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);

  /* feedback about the next packet leaves at once: X_recv is one packet per round-trip time */
  t.now += 33 * SECOND;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 10000);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT);
  arrive_many (&t, 10);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_requested_feedback_without_data_says_one_packet_per_rtt)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  tfrc_receiver_request_feedback (t.receiver, t.now);
  fail_if (take_feedback (&t));
  arrive_many (&t, 31);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  fail_unless_equals_int (t.feedback.number, 3);
  /* if only the next packet is missing, X_recv is as before */
  t.now += 5 * MS;
  tfrc_receiver_request_feedback (t.receiver, t.now);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 100000);
  /* requests cause feedback at most once per round-trip time */
  t.now += RTT - MS;
  tfrc_receiver_request_feedback (t.receiver, t.now);
  fail_if (is_due (&t));
  t.now = feedback_at (&t);
  fail_if (take_feedback (&t));
  t.now += 3 * SECOND;
  fail_unless_equals_int (tfrc_receiver_request_feedback (t.receiver, t.now), TFRC_OK);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.x_recv_Bps, 10000);
  fail_unless_equals_int (t.feedback.number, 5);
  fail_unless_equals_int (t.feedback.delay_us, (3 * SECOND + RTT + 5 * MS) / 1000);
  t.now = feedback_at (&t);
  fail_if (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), TFRC_TIME_NEVER);
  fail_unless_equals_int (tfrc_receiver_request_feedback (NULL, t.now), TFRC_ERROR_ARGUMENT);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The sender knows of a change of the path, and has reset R. The receiver does not know. */
GST_START_TEST (test_timer_does_not_wait_for_an_rtt_that_was_reset)
{
  ReceiverTest t;
  guint64 armed;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 31);
  fail_unless (take_feedback (&t));
  armed = feedback_at (&t);
  t.now += MS;
  t.data.rtt_us = RTT / 2000;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), armed);
  t.data.rtt_us = RTT / 2000 - 1;
  arrive (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + RTT / 2 - 1000);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_floor_bounds_the_rate_of_feedback)
{
  TfrcReceiverConfig config;
  ReceiverTest t;
  guint feedbacks;

  receiver_test_init (&t, NULL);
  t.data.rtt_us = 100;
  arrive_many (&t, 1);
  take_feedback (&t);
  for (feedbacks = 2; feedbacks < 20; feedbacks++) {
    guint i;

    for (i = 0; i < 100; i++) {
      fail_if (is_due (&t));
      t.now += GAP / 100;
      arrive (&t);
    }
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedbacks, feedbacks);
    fail_unless_equals_int (t.feedback.x_recv_Bps, 100000 / 0.01);
  }
  /* a loss gives feedback earlier */
  t.now += MS;
  t.data.seq++;
  arrive (&t);
  arrive (&t);
  arrive (&t);
  fail_unless (is_due (&t));
  receiver_test_clear (&t);

  tfrc_receiver_config_init (&config);
  config.feedback_floor_ns = config.feedback_wait_ns = 0;
  receiver_test_init (&t, &config);
  t.data.rtt_us = 100;
  arrive (&t);
  take_feedback (&t);
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 100000);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* A packet arrives each @gap_ns, until feedback is due. Returns the number of packets. */
static guint
packets_until_due (ReceiverTest *t, guint64 gap_ns)
{
  guint packets = 0;

  while (feedback_at (t) > t->now + gap_ns) {
    t->now += gap_ns;
    arrive (t);
    packets++;
    fail_unless (packets < 1000);
    if (is_due (t))
      return packets;
  }
  t->now = feedback_at (t);
  return packets;
}

/* A receiver that has just sent feedback, with this R */
static void
begin_after_feedback (ReceiverTest *t, guint32 rtt_us)
{
  receiver_test_init (t, NULL);
  t->data.rtt_us = rtt_us;
  arrive (t);
  fail_unless (take_feedback (t));
}

GST_START_TEST (test_feedback_waits_for_four_packets_or_40_ms)
{
  static const struct
  {
    guint32 rtt_us;
    guint64 gap_ns;
    guint packets;
    guint64 interval_ns;
  } cases[] = {
    { 30, 16 * MS, 2, 40 * MS },
    { 30, 39 * MS, 1, 40 * MS },
    { 30, 5 * MS, 4, 20 * MS },
    { 30, 3 * MS, 4, 12 * MS },
    { 30, 2 * MS, 4, 10 * MS },
    { 30, MS, 9, 10 * MS },
    { 20000, 16 * MS, 2, 40 * MS },
    { 20000, 4 * MS, 4, 20 * MS },
    { 20000, MS, 19, 20 * MS },
    { 40000, MS, 39, 40 * MS },
    { 40000, 39 * MS, 1, 40 * MS },
    { 50000, 16 * MS, 3, 50 * MS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    ReceiverTest t;

    begin_after_feedback (&t, cases[i].rtt_us);
    for (guint k = 0; k < 3; k++) {
      guint64 began = t.now;

      fail_unless_equals_int (packets_until_due (&t, cases[i].gap_ns), cases[i].packets);
      fail_unless_equals_uint64 (t.now - began, cases[i].interval_ns);
      fail_unless (take_feedback (&t));
    }
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_new_loss_event_does_not_wait_for_packets)
{
  ReceiverTest t;

  begin_after_feedback (&t, 30);
  t.now += MS;
  t.data.seq++;
  arrive (&t);
  arrive (&t);
  fail_if (is_due (&t));
  arrive (&t);
  fail_unless (is_due (&t));
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_feedback_does_not_wait_in_a_handover)
{
  TfrcHandover handover = { 0 };
  ReceiverTest t;

  begin_after_feedback (&t, 30);
  for (guint i = 0; i < 8; i++) {
    packets_until_due (&t, MS);
    fail_unless (take_feedback (&t));
  }
  handover.link = 1;
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &handover, t.now), TFRC_OK);
  fail_unless (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 10 * MS);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_time_that_runs_backwards_stands_still)
{
  ReceiverTest t;
  guint64 newest;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 1);
  take_feedback (&t);
  newest = t.now + 90 * MS;
  t.now = newest;
  arrive (&t);
  t.now = newest - 80 * MS;
  arrive (&t);
  t.now = 0;
  fail_if (tfrc_receiver_make_feedback (t.receiver, t.now, &t.feedback));
  t.now = newest + 10 * MS;
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (t.feedback.delay_us, 10000);
  fail_unless_equals_int (t.feedback.x_recv_Bps, 20000);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The sender waits for the answers about the new link. */
GST_START_TEST (test_feedback_about_the_new_link_does_not_wait)
{
  TfrcHandover handover = { 0 };
  ReceiverTest t;

  begin_after_feedback (&t, 30);
  for (guint i = 0; i < 8; i++) {
    packets_until_due (&t, MS);
    fail_unless (take_feedback (&t));
  }
  handover.link = t.data.link = 1;
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &handover, t.now), TFRC_OK);
  fail_unless (take_feedback (&t));
  t.now += MS;
  arrive (&t);
  fail_unless_equals_int (tfrc_receiver_get_handover_phase (t.receiver), TFRC_HANDOVER_NEW_LINK);
  fail_unless (take_feedback (&t));
  fail_unless_equals_uint64 (feedback_at (&t), t.now + 10 * MS);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* No data is new, but the last packet came just now: the stream is not silent. */
GST_START_TEST (test_packet_after_requested_feedback_waits_for_the_timer)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  while (is_due (&t))
    take_feedback (&t);
  arrive_many (&t, 1);
  t.now = feedback_at (&t);
  fail_unless (take_feedback (&t));
  fail_unless_equals_int (tfrc_receiver_request_feedback (t.receiver, t.now), TFRC_OK);
  fail_unless (take_feedback (&t));
  t.now += GAP;
  arrive (&t);
  fail_if (is_due (&t));
  receiver_test_clear (&t);
}

GST_END_TEST;

/* 100 packets of 65535 bytes in 1 ms */
GST_START_TEST (test_receive_rate_above_32_bits_is_told_as_the_greatest)
{
  TfrcReceiverConfig config;
  ReceiverTest t;

  tfrc_receiver_config_init_strict (&config);
  receiver_test_init (&t, &config);
  t.data.rtt_us = 1000;
  t.data.size_bytes = 65535;
  arrive (&t);
  take_feedback (&t);
  for (guint i = 0; i < 300; i++) {
    t.now += 10000;
    arrive (&t);
    if (is_due (&t))
      take_feedback (&t);
  }
  fail_unless (stats_of (&t).x_recv_Bps > 5e9);
  fail_unless_equals_int64 (t.feedback.x_recv_Bps, G_MAXUINT32);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
feedbacktimer_suite (void)
{
  Suite *s = suite_create ("feedbacktimer");
  TCase *tc = tcase_create ("timer");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_once_per_rtt);
  tcase_add_test (tc, test_timer_follows_the_rtt_of_the_highest_packet);
  tcase_add_test (tc, test_no_feedback_without_data);
  tcase_add_test (tc, test_requested_feedback_without_data_says_one_packet_per_rtt);
  tcase_add_test (tc, test_timer_does_not_wait_for_an_rtt_that_was_reset);
  tcase_add_test (tc, test_feedback_floor_bounds_the_rate_of_feedback);
  tcase_add_test (tc, test_feedback_waits_for_four_packets_or_40_ms);
  tcase_add_test (tc, test_new_loss_event_does_not_wait_for_packets);
  tcase_add_test (tc, test_feedback_does_not_wait_in_a_handover);
  tcase_add_test (tc, test_feedback_about_the_new_link_does_not_wait);
  tcase_add_test (tc, test_packet_after_requested_feedback_waits_for_the_timer);
  tcase_add_test (tc, test_receive_rate_above_32_bits_is_told_as_the_greatest);
  tcase_add_test (tc, test_time_that_runs_backwards_stands_still);
  return s;
}

GST_CHECK_MAIN (feedbacktimer);
