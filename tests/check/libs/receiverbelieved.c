/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip times and send times that are not believed at once, see
 * lib/tfrc/control_info.h. */
#include "forgedtest.h"

GST_START_TEST (test_one_wrong_rtt_is_not_used)
{
  static const guint32 rtts[] = { FORGED_RTT_US, 200001, 49999, 1, 0 };

  for (guint j = 0; j < G_N_ELEMENTS (rtts); j++) {
    for_all_streams (t, TRUE)
    {
      fail_unless_equals_int (forge (&t, 0, 10, rtts[j]), TFRC_ARRIVAL_NEXT);
      assert_feedback (&t);
      assert_stream (&t, N + 100, 0, 1, 0);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_ten_wrong_rtts_with_others_between_are_not_used)
{
  for_all_streams (t, TRUE)
  {
    for (guint i = 0; i < 10; i++) {
      forge (&t, 0, 10, FORGED_RTT_US);
      t.data.seq++;
      arrive_many (&t, 1);
      fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
    }
    assert_feedback (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_second_packet_confirms_another_rtt)
{
  for_all_streams (t, TRUE)
  {
    t.data.rtt_us = 300000;
    arrive_many (&t, 1);
    fail_if (t.arrival.believed);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
    t.data.rtt_us = 310000;
    arrive_many (&t, 1);
    fail_unless (t.arrival.believed);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 310 * MS);
    /* R within a factor of two is believed at once */
    t.data.rtt_us = 155000;
    arrive_many (&t, 1);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, 155 * MS);
  }
}

GST_END_TEST;

GST_START_TEST (test_one_wrong_send_time_is_not_returned)
{
  static const gint late_ms[] = { 101, -101, 5000, -5000, 1000000, -1000000 };

  for (guint j = 0; j < G_N_ELEMENTS (late_ms); j++) {
    for_all_streams (t, TRUE)
    {
      guint32 send_time_us = t.data.send_time_us;

      forge (&t, 0, late_ms[j], RTT / 1000);
      t.receiver->feedback_ns = t.now;
      fail_unless (take_feedback (&t));
      fail_unless_equals_int (t.feedback.recv_data_us, send_time_us);
      fail_unless_equals_int (t.feedback.delay_us, 0);
      t.data.seq++;
      arrive_many (&t, 1);
      fail_unless (t.arrival.believed);
      arrive_many (&t, 20);
      assert_stream (&t, N + 22, 0, 0, 0);
    }
  }
}

GST_END_TEST;

/* A difference within a round-trip time may be jitter. The next packet corrects the send time. */
GST_START_TEST (test_send_time_within_a_round_trip_time_is_returned_once)
{
  for_all_streams (t, TRUE)
  {
    forge (&t, 0, 99, RTT / 1000);
    t.data.seq++;
    fail_unless_equals_int (t.receiver->control.send_time_us, (guint32) (t.now / 1000 - 149000));
    arrive_many (&t, 1);
    fail_unless_equals_int (t.receiver->control.send_time_us, t.data.send_time_us);
    assert_feedback (&t);
  }
}

GST_END_TEST;

GST_START_TEST (test_second_packet_confirms_another_clock)
{
  static const gint late_ms[] = { 5000, -5000, 2000000 };

  for (guint j = 0; j < G_N_ELEMENTS (late_ms); j++) {
    for_all_streams (t, TRUE)
    {
      forge (&t, 0, late_ms[j], RTT / 1000);
      t.data.seq++;
      t.now += GAP;
      forge (&t, 0, late_ms[j], RTT / 1000);
      t.data.seq++;
      fail_unless_equals_int (
          t.receiver->control.send_time_us, (guint32) (t.now / 1000 - 50000 - late_ms[j] * 1000));
      fail_unless_equals_uint64 (t.receiver->control.arrival_ns, t.now);
    }
  }
}

GST_END_TEST;

/* The sender's next packet arrives after a pause, with a send time @late_ms before that of a packet that
 * took as long as those before.  Feedback is about this packet if it is believed, and otherwise about the
 * last one that was. */
static void
assert_believed_after (ReceiverTest *t, guint64 pause_ns, gint late_ms, gboolean believed)
{
  TfrcControlInfo before = t->receiver->control;
  guint32 send_time_us;

  wait_until (t, t->now + pause_ns);
  send_time_us = t->now / 1000 - 50000 - late_ms * 1000;
  forge (t, 0, late_ms, RTT / 1000);
  t->data.seq++;
  t->receiver->feedback_ns = t->now;
  fail_unless (take_feedback (t));
  fail_unless_equals_int (t->feedback.recv_data_us, believed ? send_time_us : before.send_time_us);
  fail_unless_equals_int (t->feedback.delay_us, believed ? 0 : (t->now - before.arrival_ns) / 1000);
}

/* Clocks that drift by 100 ppm are 360 ms apart after an hour.  Feedback about the last packet of before
 * the pause would be wrong by as much, and the sender would judge the interval of that packet again. */
GST_START_TEST (test_clock_may_drift_in_a_pause)
{
  static const gint late_ms[] = { 360, -360, 7200, -7200 };

  for (guint j = 0; j < G_N_ELEMENTS (late_ms); j++) {
    for_all_streams (t, TRUE)
    {
      assert_believed_after (&t, 3600 * SECOND, late_ms[j], TRUE);
    }
  }
}

GST_END_TEST;

/* as of a link that has slept */
GST_START_TEST (test_first_packet_after_a_pause_may_be_late)
{
  for_all_streams (t, TRUE)
  {
    assert_believed_after (&t, 5 * SECOND, 300, TRUE);
    /* the next packets are judged as ever: one that is late, and two that agree */
    assert_believed_after (&t, GAP, 0, FALSE);
    assert_believed_after (&t, GAP, 0, TRUE);
    assert_believed_after (&t, 5 * SECOND - 1000, 300, FALSE);
  }
}

GST_END_TEST;

GST_START_TEST (test_wrong_rtt_after_a_pause_is_not_used)
{
  for_all_streams (t, TRUE)
  {
    guint32 send_time_us = t.data.send_time_us;

    wait_until (&t, t.now + 3600 * SECOND);
    forge (&t, 0, 0, FORGED_RTT_US);
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedback.recv_data_us, send_time_us);
    fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
    /* a genuine one */
    t.data.seq++;
    t.now += GAP;
    arrive (&t);
    fail_unless (t.arrival.believed);
  }
}

GST_END_TEST;

/* A packet of before the pause that comes after it is not what feedback is about. */
GST_START_TEST (test_late_packet_after_a_pause_is_judged_as_ever)
{
  for_all_streams (t, TRUE)
  {
    guint32 send_time_us;

    t.data.seq++;
    arrive_many (&t, 1);
    send_time_us = t.data.send_time_us;
    wait_until (&t, t.now + 10 * SECOND);
    fail_unless_equals_int (forge (&t, -2, 10010, RTT / 1000), TFRC_ARRIVAL_LATE);
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedback.recv_data_us, send_time_us);
  }
}

GST_END_TEST;

/* The first packet of a stream is believed. Two genuine packets correct the values. */
GST_START_TEST (test_forged_first_packet_is_forgotten)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  forge (&t, 0, -100000, FORGED_RTT_US);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, FORGED_RTT_US * 1000ull);
  arrive (&t);
  arrive_many (&t, 2);
  fail_unless_equals_uint64 (stats_of (&t).rtt_ns, RTT);
  fail_unless_equals_int (t.receiver->control.send_time_us, t.data.send_time_us);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
receiverbelieved_suite (void)
{
  Suite *suite = suite_create ("receiverbelieved");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_one_wrong_rtt_is_not_used);
  tcase_add_test (tc, test_ten_wrong_rtts_with_others_between_are_not_used);
  tcase_add_test (tc, test_second_packet_confirms_another_rtt);
  tcase_add_test (tc, test_one_wrong_send_time_is_not_returned);
  tcase_add_test (tc, test_send_time_within_a_round_trip_time_is_returned_once);
  tcase_add_test (tc, test_second_packet_confirms_another_clock);
  tcase_add_test (tc, test_clock_may_drift_in_a_pause);
  tcase_add_test (tc, test_first_packet_after_a_pause_may_be_late);
  tcase_add_test (tc, test_wrong_rtt_after_a_pause_is_not_used);
  tcase_add_test (tc, test_late_packet_after_a_pause_is_judged_as_ever);
  tcase_add_test (tc, test_forged_first_packet_is_forgotten);
  return suite;
}

GST_CHECK_MAIN (receiverbelieved);
