/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss classifiers, with exact delays. The delays are those over which the sender's and the
 * receiver's clocks disagree by an unknown constant, and both clocks wrap. */
#include <math.h>

#include <gst/check/gstcheck.h>
#include <tfrc/loss_classifier.h>

#define MS (G_GUINT64_CONSTANT (1000000))
#define GAP (10 * MS) /* between packets */
#define RTT (100 * MS)
#define MOST (50 * MS) /* a greater jump of the delay is that of another clock */

typedef struct
{
  TfrcLossClassifierState state;
  guint64 now;          /* the arrival of the next packet */
  guint32 clock_off_us; /* the sender's clock - the receiver's clock - the delay 0 */
  guint32 rtt_us;
} ClassifierTest;

/* @clock_off_us: so that either clock may wrap at any time */
static void
classifier_test_init (ClassifierTest *t, TfrcLossClassifier method, guint32 clock_off_us)
{
  memset (t, 0, sizeof *t);
  tfrc_loss_classifier_init (&t->state, method, 0.02);
  t->now = 1000 * MS;
  t->clock_off_us = clock_off_us;
  t->rtt_us = RTT / 1000;
}

/* The next packet arrives with this delay. */
static void
arrive (ClassifierTest *t, gdouble delay_ms)
{
  TfrcData data = { .has_tfrc = TRUE, .rtt_us = t->rtt_us };

  data.send_time_us = (guint32) (t->now / 1000) + t->clock_off_us
      - (gint32) lround (delay_ms * 1000);
  tfrc_loss_classifier_on_packet (&t->state, &data, MOST, t->now);
  t->now += GAP;
}

static void
arrive_many (ClassifierTest *t, guint n, gdouble delay_ms)
{
  while (n-- > 0)
    arrive (t, delay_ms);
}

/* Packets are missing, and the packet after them has this delay. */
static gboolean
is_link_error (ClassifierTest *t, guint count, gdouble delay_ms)
{
  t->now += count * GAP;
  arrive (t, delay_ms);
  return tfrc_loss_classifier_is_link_error (&t->state, count);
}

#define assert_link_error(t, count, delay_ms) fail_unless (is_link_error (t, count, delay_ms))
#define assert_congestion(t, count, delay_ms) fail_if (is_link_error (t, count, delay_ms))

static const TfrcLossClassifier all_methods[] = { TFRC_LOSS_CLASSIFIER_TREND,
  TFRC_LOSS_CLASSIFIER_SPIKE, TFRC_LOSS_CLASSIFIER_ZIGZAG, TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE };

GST_START_TEST (test_classifiers_are_those_of_the_interface)
{
  fail_unless (tfrc_loss_classifier_is_valid (TFRC_LOSS_CLASSIFIER_NONE));
  fail_unless (tfrc_loss_classifier_is_valid (TFRC_LOSS_CLASSIFIER_TREND));
  fail_unless (tfrc_loss_classifier_is_valid (TFRC_LOSS_CLASSIFIER_SPIKE));
  fail_unless (tfrc_loss_classifier_is_valid (TFRC_LOSS_CLASSIFIER_ZIGZAG));
  fail_unless (tfrc_loss_classifier_is_valid (TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE));
  fail_if (tfrc_loss_classifier_is_valid (TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE + 1));
  fail_if (tfrc_loss_classifier_is_valid ((TfrcLossClassifier) -1));
}

GST_END_TEST;

/* ---- TREND --------------------------------------------------------------- */

/* A packet of each round-trip time is kept: those of 0 and 100 ms. The packet before the loss comes
 * at 150 ms, and is compared with the packet of 0 ms. */
static void
trend_of (ClassifierTest *t, gdouble first_ms, gdouble last_ms)
{
  arrive (t, first_ms);
  arrive_many (t, 14, 0);
  arrive (t, last_ms);
}

GST_START_TEST (test_trend_is_congestion_while_the_delay_rises_by_more_than_a_millisecond)
{
  static const struct
  {
    gdouble first_ms, last_ms;
    gboolean link_error;
  } cases[] = {
    { 0, 0, TRUE },
    { 0, 0.999, TRUE },
    { 0, 1, TRUE },
    { 0, 1.001, FALSE },
    { 0, 30, FALSE },
    { 20, 20.5, TRUE },
    { 20, 21.5, FALSE },
    { 30, 10, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    ClassifierTest t;

    classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_TREND, 0);
    trend_of (&t, cases[i].first_ms, cases[i].last_ms);
    /* neither the packet after the loss nor the number of lost packets matters */
    if (is_link_error (&t, 1 + i % 6, i % 2 == 0 ? 40 : 0) != cases[i].link_error)
      fail ("case %u", i);
  }
}

GST_END_TEST;

/* The delay grows by 0.3 ms with each packet, then it stays. */
GST_START_TEST (test_trend_forgets_a_rise_after_two_round_trip_times)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_TREND, 0);
  for (guint i = 0; i < 30; i++)
    arrive (&t, 0.3 * i);
  assert_congestion (&t, 1, 9);
  arrive_many (&t, 20, 9);
  assert_link_error (&t, 1, 9);
}

GST_END_TEST;

/* ---- SPIKE --------------------------------------------------------------- */

/* The delays range from 0 to 30 ms: a spike begins above 15 ms, and ends below 10 ms. */
GST_START_TEST (test_spike_begins_above_a_half_and_ends_at_a_third_of_the_range)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_SPIKE, 0);
  arrive_many (&t, 20, 0);
  arrive (&t, 30);
  arrive (&t, 0);
  assert_link_error (&t, 1, 14.999);
  assert_link_error (&t, 1, 15);
  assert_congestion (&t, 1, 15.001);
  assert_congestion (&t, 1, 10.001);
  assert_link_error (&t, 1, 10);
  assert_link_error (&t, 1, 10.001);
}

GST_END_TEST;

GST_START_TEST (test_spike_needs_a_range_of_a_millisecond)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_SPIKE, 0);
  arrive_many (&t, 20, 0);
  assert_link_error (&t, 1, 0.999);
  assert_congestion (&t, 1, 1);
}

GST_END_TEST;

/* The greatest delay of 30 ms is at 1.2 s. It counts until the second next period of 30 s. */
GST_START_TEST (test_spike_forgets_the_range_after_a_minute)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_SPIKE, 0);
  arrive_many (&t, 20, 0);
  arrive (&t, 30);
  while (t.now < 31000 * MS)
    arrive (&t, 0);
  assert_link_error (&t, 1, 14);
  while (t.now < 61500 * MS)
    arrive (&t, 0);
  /* the delay of 14 ms is the greatest now */
  assert_congestion (&t, 1, 8);
}

GST_END_TEST;

/* ---- EMPTY_QUEUE ---------------------------------------------------------- */

/* The delays range from 0 to 30 ms, so that there is no spike up to 15 ms. */
GST_START_TEST (test_empty_queue_is_within_3_ms_of_the_least_delay)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE, 0);
  arrive_many (&t, 20, 0);
  arrive (&t, 30);
  arrive_many (&t, 100, 0);
  assert_link_error (&t, 1, 3);
  arrive_many (&t, 100, 0);
  assert_congestion (&t, 1, 3.001);
  arrive_many (&t, 100, 0);
  assert_congestion (&t, 1, 15);
}

GST_END_TEST;

/* Delays of 0 and 10 ms by turns are no queue of 10 ms. */
GST_START_TEST (test_empty_queue_may_have_the_jitter_of_the_path)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE, 0);
  arrive_many (&t, 20, 0);
  arrive (&t, 30);
  for (guint i = 0; i < 100; i++)
    arrive (&t, i % 2 == 0 ? 0 : 10);
  assert_link_error (&t, 1, 9.5);
  for (guint i = 0; i < 100; i++)
    arrive (&t, i % 2 == 0 ? 0 : 10);
  assert_congestion (&t, 1, 10.5);
}

GST_END_TEST;

/* A spike is congestion, however small. */
GST_START_TEST (test_empty_queue_has_no_spike)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE, 0);
  arrive_many (&t, 20, 0);
  arrive (&t, 4);
  arrive_many (&t, 100, 0);
  assert_link_error (&t, 1, 2);
  arrive_many (&t, 100, 0);
  assert_congestion (&t, 1, 2.001);
}

GST_END_TEST;

GST_START_TEST (test_empty_queue_allows_few_losses)
{
  ClassifierTest t;

  classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE, 0);
  arrive_many (&t, 100, 0);
  for (guint i = 0; i < 100; i++) {
    arrive_many (&t, 48, 0);
    assert_link_error (&t, 1, 0);
  }
  for (guint i = 0; i < 100; i++) {
    arrive_many (&t, 18, 0);
    is_link_error (&t, 1, 0);
  }
  assert_congestion (&t, 1, 0);
}

GST_END_TEST;

/* ---- ZIGZAG -------------------------------------------------------------- */

/* The same computation with the formulas of the paper */
typedef struct
{
  gdouble mean_ms, deviation_ms;
} Reference;

static void
arrive_at_both (ClassifierTest *t, Reference *reference, gdouble delay_ms)
{
  const gdouble alpha = 1.0 / 32;

  arrive (t, delay_ms);
  reference->mean_ms = (1 - alpha) * reference->mean_ms + alpha * delay_ms;
  reference->deviation_ms = (1 - 2 * alpha) * reference->deviation_ms
      + 2 * alpha * ABS (delay_ms - reference->mean_ms);
}

GST_START_TEST (test_zigzag_compares_with_the_mean_by_the_number_of_losses)
{
  static const struct
  {
    guint count;
    gdouble deviations; /* below the mean by this number: a link error */
  } cases[] = { { 1, 1 }, { 2, 0.5 }, { 3, 0 }, { 4, 0.5 }, { 5, 0.5 }, { 6, 0.5 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (gint above = 0; above < 2; above++) {
      Reference reference = { 0, 0 };
      ClassifierTest t;
      gdouble limit_ms;

      classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_ZIGZAG, 0);
      arrive (&t, 0);
      for (guint k = 0; k < 100; k++)
        arrive_at_both (&t, &reference, k * 7 % 20);
      limit_ms = reference.mean_ms - cases[i].deviations * reference.deviation_ms;
      fail_unless (limit_ms > 1 && limit_ms < 15);
      if (is_link_error (&t, cases[i].count, limit_ms + (above ? 0.002 : -0.002)) == above)
        fail ("%u lost, %s", cases[i].count, above ? "above" : "below");
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_zigzag_waits_for_32_packets)
{
  for (guint n = 31; n <= 32; n++) {
    ClassifierTest t;

    classifier_test_init (&t, TFRC_LOSS_CLASSIFIER_ZIGZAG, 0);
    for (guint i = 0; i < n; i++)
      arrive (&t, i % 2 * 10);
    fail_unless_equals_int (is_link_error (&t, 1, -10), n == 32);
  }
}

GST_END_TEST;

/* ---- all ----------------------------------------------------------------- */

/* After delays that a queue does not explain, every classifier would say: a link error. */
static void
arrive_for_link_error (ClassifierTest *t, guint n)
{
  for (guint i = 0; i < n; i++)
    arrive (t, i % 2 * 0.5);
}

GST_START_TEST (test_loss_within_the_first_round_trip_time_is_congestion)
{
  for (guint i = 0; i < G_N_ELEMENTS (all_methods); i++) {
    ClassifierTest t;

    /* at the second packet of a round-trip time the delays cover one */
    classifier_test_init (&t, all_methods[i], 0);
    t.rtt_us = 500 * 1000;
    arrive_for_link_error (&t, 50);
    assert_congestion (&t, 1, -1);
    classifier_test_init (&t, all_methods[i], 0);
    t.rtt_us = 500 * 1000;
    arrive_for_link_error (&t, 51);
    assert_link_error (&t, 1, -1);
  }
}

GST_END_TEST;

GST_START_TEST (test_loss_without_a_round_trip_time_is_congestion)
{
  for (guint i = 0; i < G_N_ELEMENTS (all_methods); i++) {
    ClassifierTest t;

    classifier_test_init (&t, all_methods[i], 0);
    t.rtt_us = 0;
    arrive_for_link_error (&t, 1000);
    assert_congestion (&t, 1, -1);
  }
}

GST_END_TEST;

GST_START_TEST (test_loss_before_a_packet_without_delay_is_congestion)
{
  for (guint i = 0; i < G_N_ELEMENTS (all_methods); i++) {
    ClassifierTest t;

    classifier_test_init (&t, all_methods[i], 0);
    arrive_for_link_error (&t, 100);
    tfrc_loss_classifier_on_unknown (&t.state);
    fail_if (tfrc_loss_classifier_is_link_error (&t.state, 1));
    t.now += GAP;
    assert_link_error (&t, 1, -1);
  }
}

GST_END_TEST;

GST_START_TEST (test_clocks_may_wrap_and_differ_by_any_time)
{
  static const guint32 offsets[] = { 0, 1, 1u << 31, 0xffffffff, 0u - 1500000, 0x7fffffff };

  for (guint i = 0; i < G_N_ELEMENTS (all_methods); i++) {
    for (guint k = 0; k < 2 * G_N_ELEMENTS (offsets); k++) {
      ClassifierTest t;

      classifier_test_init (&t, all_methods[i], offsets[k / 2]);
      if (k % 2 == 1) /* the receiver's clock wraps during the test */
        t.now = G_GUINT64_CONSTANT (4294967) * MS - 500 * MS;
      for (guint n = 0; n < 100; n++)
        arrive (&t, n % 10);
      arrive_many (&t, 15, 2);
      assert_link_error (&t, 1, -1);
      for (guint n = 0; n < 20; n++)
        arrive (&t, n);
      assert_congestion (&t, 1, 20);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_other_clock_begins_anew)
{
  for (guint i = 0; i < G_N_ELEMENTS (all_methods); i++) {
    ClassifierTest t;

    classifier_test_init (&t, all_methods[i], 0);
    arrive_for_link_error (&t, 100);
    t.clock_off_us += 50 * 1000; /* the delays are 50 ms shorter: that can be */
    assert_link_error (&t, 1, 0.5);
    fail_unless_equals_uint64 (t.state.delays.packets, 100);
    t.clock_off_us += 50 * 1000 + 1;
    assert_congestion (&t, 1, 0.5);
    fail_unless_equals_uint64 (t.state.delays.packets, 0);
    arrive_for_link_error (&t, 100);
    assert_link_error (&t, 1, -1);
  }
}

GST_END_TEST;

GST_START_TEST (test_reset_forgets_all_delays)
{
  for (guint i = 0; i < G_N_ELEMENTS (all_methods); i++) {
    ClassifierTest t;

    classifier_test_init (&t, all_methods[i], 0);
    arrive_for_link_error (&t, 100);
    tfrc_loss_classifier_reset (&t.state);
    assert_congestion (&t, 1, -1);
    arrive_for_link_error (&t, 100);
    assert_link_error (&t, 1, -1);
  }
}

GST_END_TEST;

/* ZigZag has 1/32 and twice that, and RFC 3550 section 6.4.1 has 1/16. */
GST_START_TEST (test_weights_of_delays_are_those_of_the_papers)
{
  TfrcOneWayDelay delays;
  TfrcDelaySample sample = { .arrival_ns = GST_SECOND };

  tfrc_one_way_delay_init (&delays);
  tfrc_one_way_delay_add (&delays, &sample);
  sample.delay_ns = 32e6;
  sample.arrival_ns += GST_MSECOND;
  tfrc_one_way_delay_add (&delays, &sample);
  fail_unless (delays.mean_ns == 1e6);
  fail_unless (delays.deviation_ns == 31e6 / 16);
  fail_unless (delays.jitter_ns == 2e6);
}

GST_END_TEST;

static Suite *
lossclassifier_suite (void)
{
  Suite *s = suite_create ("lossclassifier");
  TCase *tc = tcase_create ("methods");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_classifiers_are_those_of_the_interface);
  tcase_add_test (tc, test_trend_is_congestion_while_the_delay_rises_by_more_than_a_millisecond);
  tcase_add_test (tc, test_trend_forgets_a_rise_after_two_round_trip_times);
  tcase_add_test (tc, test_spike_begins_above_a_half_and_ends_at_a_third_of_the_range);
  tcase_add_test (tc, test_spike_needs_a_range_of_a_millisecond);
  tcase_add_test (tc, test_spike_forgets_the_range_after_a_minute);
  tcase_add_test (tc, test_empty_queue_is_within_3_ms_of_the_least_delay);
  tcase_add_test (tc, test_empty_queue_may_have_the_jitter_of_the_path);
  tcase_add_test (tc, test_empty_queue_has_no_spike);
  tcase_add_test (tc, test_empty_queue_allows_few_losses);
  tcase_add_test (tc, test_zigzag_compares_with_the_mean_by_the_number_of_losses);
  tcase_add_test (tc, test_zigzag_waits_for_32_packets);
  tc = tcase_create ("delays");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_loss_within_the_first_round_trip_time_is_congestion);
  tcase_add_test (tc, test_loss_without_a_round_trip_time_is_congestion);
  tcase_add_test (tc, test_loss_before_a_packet_without_delay_is_congestion);
  tcase_add_test (tc, test_clocks_may_wrap_and_differ_by_any_time);
  tcase_add_test (tc, test_other_clock_begins_anew);
  tcase_add_test (tc, test_reset_forgets_all_delays);
  tcase_add_test (tc, test_weights_of_delays_are_those_of_the_papers);
  return s;
}

GST_CHECK_MAIN (lossclassifier);
