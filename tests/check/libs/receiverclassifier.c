/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that tells link errors from congestion: what its feedback and its statistics say */
#include <tfrc/receiver_state.h>

#include "receivertest.h"

static void
init_with (ReceiverTest *t, TfrcLossClassifier method)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  config.loss_classifier = method;
  receiver_test_init (t, &config);
}

/* The newest gap, which the last packet has ended */
static const TfrcGap *
newest_gap (const ReceiverTest *t)
{
  fail_unless (t->receiver->loss.n_gaps > 0);
  return &t->receiver->loss.gaps[t->receiver->loss.n_gaps - 1];
}

/* The next packet is lost, and the packets after it arrive. Returns the verdict, which is there when
 * the first of them has arrived. */
static gboolean
lose_one (ReceiverTest *t)
{
  gboolean link_error;

  lose (t, 1);
  arrive_many (t, 1);
  link_error = newest_gap (t)->link_error;
  arrive_many (t, 3);
  return link_error;
}

/* Like arrive(), with a delay that the last packets' delays do not fit: receivertest.h lets every
 * packet arrive 50 ms after it left. */
static void
arrive_late (ReceiverTest *t, guint64 delay)
{
  t->data.send_time_us = (t->now - delay) / 1000;
  fail_unless_equals_int (
      tfrc_receiver_on_data (t->receiver, &t->data, t->now, &t->arrival), TFRC_OK);
  t->data.seq++;
}

GST_START_TEST (test_feedback_without_a_classifier_is_not_classified)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 50);
  fail_if (lose_one (&t));
  wait_until (&t, t.now + RTT);
  fail_unless (t.feedback.p > 0);
  fail_if (t.feedback.classified);
  fail_unless (t.feedback.congestion_p == 0);
  fail_unless_equals_int (t.feedback.link_errors, 0);
  fail_unless (stats_of (&t).congestion_p == stats_of (&t).p);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The delay is always the same, so there is no queue. */
GST_START_TEST (test_link_errors_are_reported)
{
  static const TfrcLossClassifier methods[] = { TFRC_LOSS_CLASSIFIER_TREND,
    TFRC_LOSS_CLASSIFIER_SPIKE };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    ReceiverTest t;

    init_with (&t, methods[i]);
    arrive_many (&t, 50);
    take_feedback (&t);
    fail_unless (t.feedback.classified && t.feedback.congestion_p == 0);
    fail_unless (lose_one (&t));
    lose (&t, 3);
    arrive_many (&t, 20);
    fail_unless (t.feedback.classified);
    fail_unless (t.feedback.p > 0);
    fail_unless (t.feedback.congestion_p == 0);
    fail_unless_equals_int (t.feedback.link_errors, 4);
    fail_unless_equals_uint64 (stats_of (&t).link_errors, 4);
    fail_unless_equals_uint64 (stats_of (&t).packets_lost, 4);
    fail_unless (stats_of (&t).congestion_p == 0);

    /* a mark is congestion */
    t.data.ce = TRUE;
    arrive_many (&t, 1);
    t.data.ce = FALSE;
    arrive_many (&t, 20);
    fail_unless (t.feedback.congestion_p > 0);
    fail_unless (t.feedback.congestion_p == stats_of (&t).congestion_p);
    fail_unless_equals_uint64 (stats_of (&t).link_errors, 4);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

/* The packets arrive 1 ms later each, while their send times are 10 ms apart. */
GST_START_TEST (test_loss_while_the_delay_rises_is_congestion)
{
  static const TfrcLossClassifier methods[] = { TFRC_LOSS_CLASSIFIER_TREND,
    TFRC_LOSS_CLASSIFIER_SPIKE, TFRC_LOSS_CLASSIFIER_ZIGZAG };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    ReceiverTest t;

    init_with (&t, methods[i]);
    arrive_many (&t, 50);
    for (guint k = 1; k <= 30; k++) {
      t.now += GAP;
      arrive_late (&t, (50 + k) * MS);
    }
    t.data.seq++;
    t.now += 2 * GAP;
    arrive_late (&t, 80 * MS);
    fail_if (newest_gap (&t)->link_error);
    for (guint k = 0; k < 3; k++) {
      t.now += GAP;
      arrive_late (&t, 80 * MS);
    }
    fail_unless_equals_uint64 (stats_of (&t).loss_events, 1);
    fail_unless_equals_uint64 (stats_of (&t).link_errors, 0);
    fail_unless (stats_of (&t).congestion_p == stats_of (&t).p);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_late_packet_takes_a_link_error_back)
{
  ReceiverTest t;

  init_with (&t, TFRC_LOSS_CLASSIFIER_TREND);
  arrive_many (&t, 50);
  fail_unless (lose_one (&t));
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 1);
  t.data.seq -= 5;
  arrive (&t);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 0);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_losses_of_plain_rtp_are_congestion)
{
  ReceiverTest t;

  init_with (&t, TFRC_LOSS_CLASSIFIER_SPIKE);
  t.data.has_tfrc = FALSE;
  arrive_many (&t, 100);
  fail_if (lose_one (&t));
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 1);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The packet after the gap contradicts the packets before. */
GST_START_TEST (test_loss_before_a_doubted_packet_is_congestion)
{
  ReceiverTest t;

  init_with (&t, TFRC_LOSS_CLASSIFIER_SPIKE);
  arrive_many (&t, 100);
  t.data.seq++;
  t.now += 2 * GAP;
  arrive_late (&t, 200 * MS);
  fail_if (t.arrival.believed);
  fail_if (newest_gap (&t)->link_error);
  arrive_many (&t, 20);
  /* or an R that does */
  t.data.rtt_us *= 3;
  t.data.seq++;
  t.now += 2 * GAP;
  arrive (&t);
  fail_if (t.arrival.believed);
  fail_if (newest_gap (&t)->link_error);
  t.data.rtt_us /= 3;
  arrive_many (&t, 20);
  fail_unless (lose_one (&t));
  receiver_test_clear (&t);
}

GST_END_TEST;

/* After a restart the sender may have another clock. */
GST_START_TEST (test_delays_begin_anew_after_a_restart)
{
  ReceiverTest t;

  init_with (&t, TFRC_LOSS_CLASSIFIER_SPIKE);
  arrive_many (&t, 100);
  t.data.seq += 30000;
  arrive_many (&t, 2);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_RESTART);
  fail_unless_equals_uint64 (tfrc_receiver_classification_delays (t.receiver->classification), 1);
  arrive_many (&t, 3);
  fail_if (lose_one (&t));
  arrive_many (&t, 20);
  fail_unless (lose_one (&t));
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 2);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 1);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The new link has another delay. Its history has loss intervals of its own, for both rates. */
GST_START_TEST (test_delays_begin_anew_on_another_link)
{
  TfrcHandover handover = { .link = 1, .suppress_echo = TRUE };
  ReceiverTest t;

  init_with (&t, TFRC_LOSS_CLASSIFIER_SPIKE);
  arrive_many (&t, 100);
  fail_unless (lose_one (&t));
  wait_until (&t, t.now + RTT - 1);
  fail_unless_equals_int (tfrc_receiver_start_handover (t.receiver, &handover, t.now), TFRC_OK);
  t.data.link = 1;
  arrive_many (&t, 1);
  fail_unless_equals_uint64 (tfrc_receiver_classification_delays (t.receiver->classification), 0);
  arrive_many (&t, 5);
  fail_if (lose_one (&t));
  arrive_many (&t, 60);
  fail_unless_equals_uint64 (stats_of (&t).handovers_completed, 1);
  fail_unless (lose_one (&t));
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 3);
  fail_unless_equals_uint64 (stats_of (&t).link_errors, 2);
  /* the new history stands for congestion, although all losses of the old link were link errors */
  fail_unless (stats_of (&t).congestion_p > 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

/* The delay is constant. With a memory of 64 packets, 1 - (63/64)^6 = 0.090 of them are lost, and
 * 1 - (63/64)^7 = 0.104, of which 0.034 are left after 70 packets. */
GST_START_TEST (test_losses_are_congestion_while_more_than_a_tenth_is_lost)
{
  for (guint lost = 6; lost <= 7; lost++) {
    ReceiverTest t;

    init_with (&t, TFRC_LOSS_CLASSIFIER_TREND);
    arrive_many (&t, 100);
    lose (&t, lost);
    arrive_many (&t, 1);
    fail_unless_equals_int (newest_gap (&t)->link_error, lost == 6);
    arrive_many (&t, 70);
    fail_unless (lose_one (&t));
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

/* The part of the packets that is lost counts, and not the number of losses. In the end the average
 * is 0.070 after each loss of one packet in 16, and 0.132 with one in 8. */
GST_START_TEST (test_one_loss_in_sixteen_is_a_link_error_for_ever_and_one_in_eight_is_not)
{
  for (guint period = 8; period <= 16; period += 8) {
    ReceiverTest t;
    gboolean link_error = FALSE;

    init_with (&t, TFRC_LOSS_CLASSIFIER_TREND);
    arrive_many (&t, 100);
    for (guint i = 0; i < 100; i++) {
      link_error = lose_one (&t);
      arrive_many (&t, period - 5);
    }
    fail_unless_equals_int (link_error, period == 16);
    receiver_test_clear (&t);
  }
}

GST_END_TEST;

/* p and the times of feedback are those of a receiver without a classifier. */
GST_START_TEST (test_classifier_changes_no_other_field_of_feedback)
{
  static const TfrcLossClassifier methods[] = { TFRC_LOSS_CLASSIFIER_TREND,
    TFRC_LOSS_CLASSIFIER_SPIKE, TFRC_LOSS_CLASSIFIER_ZIGZAG };
  GRand *rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    ReceiverTest with, without;

    init_with (&with, methods[i]);
    receiver_test_init (&without, NULL);
    for (guint k = 0; k < 3000; k++) {
      guint lost = g_rand_int_range (rand, 0, 50) == 0 ? g_rand_int_range (rand, 1, 6) : 0;

      with.data.ce = without.data.ce = g_rand_int_range (rand, 0, 100) == 0;
      lose (&with, lost);
      lose (&without, lost);
      arrive_many (&with, 1);
      arrive_many (&without, 1);
      with.feedback.classified = FALSE;
      with.feedback.congestion_p = 0;
      with.feedback.link_errors = 0;
      fail_unless (memcmp (&with.feedback, &without.feedback, sizeof with.feedback) == 0);
      fail_unless_equals_uint64 (with.feedback_ns, without.feedback_ns);
      fail_unless_equals_int (with.feedbacks, without.feedbacks);
    }
    fail_unless (stats_of (&with).link_errors > 0 || methods[i] == TFRC_LOSS_CLASSIFIER_ZIGZAG);
    receiver_test_clear (&with);
    receiver_test_clear (&without);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
receiverclassifier_suite (void)
{
  Suite *s = suite_create ("receiverclassifier");
  TCase *tc = tcase_create ("feedback");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_without_a_classifier_is_not_classified);
  tcase_add_test (tc, test_link_errors_are_reported);
  tcase_add_test (tc, test_loss_while_the_delay_rises_is_congestion);
  tcase_add_test (tc, test_late_packet_takes_a_link_error_back);
  tcase_add_test (tc, test_losses_of_plain_rtp_are_congestion);
  tcase_add_test (tc, test_loss_before_a_doubted_packet_is_congestion);
  tcase_add_test (tc, test_delays_begin_anew_after_a_restart);
  tcase_add_test (tc, test_delays_begin_anew_on_another_link);
  tcase_add_test (tc, test_losses_are_congestion_while_more_than_a_tenth_is_lost);
  tcase_add_test (tc, test_one_loss_in_sixteen_is_a_link_error_for_ever_and_one_in_eight_is_not);
  tcase_add_test (tc, test_classifier_changes_no_other_field_of_feedback);
  return s;
}

GST_CHECK_MAIN (receiverclassifier);
