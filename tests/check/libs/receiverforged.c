/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One packet with a wrong sequence number, and copies of old packets */
#include "forgedtest.h"

GST_START_TEST (test_one_packet_far_away_does_nothing)
{
  static const gint ahead[] = { 100, 600, 12000, 0x3fff, 0x4000, 30000, -30000, -0x4002, -102, -600,
    -12000 };

  for (guint j = 0; j < G_N_ELEMENTS (ahead); j++) {
    for_all_streams (t, TRUE)
    {
      fail_unless_equals_int (forge (&t, ahead[j], 0, FORGED_RTT_US), TFRC_ARRIVAL_SUSPECT);
      assert_stream (&t, N, 0, 0, 1);
      arrive_many (&t, 1);
      fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
      fail_if (t.arrival.confirms_previous);
      assert_feedback (&t);
      assert_stream (&t, N + 101, 0, 0, 1);
      fail_unless (stats_of (&t).p == 0);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_one_packet_far_away_does_nothing_without_tfrc)
{
  static const gint ahead[] = { 100, 12000, 30000, -102, -12000 };

  for (guint j = 0; j < G_N_ELEMENTS (ahead); j++) {
    for_all_streams (t, FALSE)
    {
      fail_unless_equals_int (forge (&t, ahead[j], 0, 0), TFRC_ARRIVAL_SUSPECT);
      arrive_many (&t, 1);
      fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
      arrive_many (&t, 100);
      fail_unless_equals_uint64 (stats_of (&t).packets_expected, N + 101);
      fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
    }
  }
}

GST_END_TEST;

/* The forged packets first have the same distance from the stream, then the same number. No two of
 * them are in sequence. */
GST_START_TEST (test_ten_single_packets_far_away_do_nothing)
{
  for_all_streams (t, TRUE)
  {
    for (guint i = 0; i < 10; i++) {
      fail_unless_equals_int (forge (&t, 12000, 0, FORGED_RTT_US), TFRC_ARRIVAL_SUSPECT);
      arrive_many (&t, 10);
      fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
    }
    for (guint i = 0; i < 10; i++) {
      fail_unless_equals_int (forge (&t, 12000 - (gint) i, 0, FORGED_RTT_US), TFRC_ARRIVAL_SUSPECT);
      arrive_many (&t, 1);
    }
    assert_feedback (&t);
    assert_stream (&t, N + 100 + 10 + 100, 0, 0, 20);
  }
}

GST_END_TEST;

/* The missing packets arrive after the forged packet. Only the packet with the same number is
 * lost. */
GST_START_TEST (test_one_packet_99_ahead_costs_one)
{
  for_all_streams (t, TRUE)
  {
    fail_unless_equals_int (forge (&t, 99, 0, RTT / 1000), TFRC_ARRIVAL_NEXT);
    for (guint i = 0; i < 99; i++) {
      arrive_many (&t, 1);
      fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
    }
    arrive_many (&t, 1);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_DUPLICATE);
    fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
    fail_unless_equals_uint64 (stats_of (&t).loss_events, 0);
    assert_feedback (&t);
    assert_stream (&t, N + 200, 0, 1, 0);
    fail_unless (stats_of (&t).p == 0);
  }
}

GST_END_TEST;

/* Three packets ahead make a loss. The packet that arrives later takes the loss back. */
GST_START_TEST (test_packets_ahead_take_no_loss_event_with_them)
{
  for_all_streams (t, TRUE)
  {
    for (gint i = 0; i < 3; i++)
      forge (&t, 90 + i, 0, RTT / 1000);
    fail_unless_equals_uint64 (stats_of (&t).packets_lost, 90);
    fail_unless (stats_of (&t).p > 0);
    arrive_many (&t, 93);
    arrive_many (&t, 100);
    assert_stream (&t, N + 193, 0, 3, 0);
    fail_unless_equals_uint64 (stats_of (&t).loss_events, 0);
    fail_unless (stats_of (&t).p == 0);
  }
}

GST_END_TEST;

/* ---- copies of old packets ------------------------------------------------ */

GST_START_TEST (test_two_old_packets_in_sequence_are_no_restart)
{
  for_all_streams (t, TRUE)
  {
    for (gint i = 0; i < 50; i++)
      fail_unless_equals_int (
          forge (&t, i - 150, (150 - i) * 10, RTT / 1000), TFRC_ARRIVAL_DUPLICATE);
    assert_stream (&t, N, 0, 50, 0);
    /* the same holds if the stream had distant numbers when the packets were sent */
    for (gint i = 0; i < 10; i++)
      fail_unless_equals_int (forge (&t, i - 30000, 300000, RTT / 1000), TFRC_ARRIVAL_REFUSED);
    for (gint i = 0; i < 10; i++)
      fail_unless_equals_int (forge (&t, i + 600, 649000, RTT / 1000), TFRC_ARRIVAL_REFUSED);
    assert_feedback (&t);
    assert_stream (&t, N + 100, 0, 50, 20);
  }
}

GST_END_TEST;

GST_START_TEST (test_very_late_packet_fills_its_hole)
{
  for_all_streams (t, TRUE)
  {
    t.data.seq++;
    t.now += GAP;
    arrive_many (&t, 150);
    fail_unless_equals_uint64 (stats_of (&t).packets_lost, 1);
    fail_unless_equals_int (forge (&t, -151, 1510, RTT / 1000), TFRC_ARRIVAL_LATE);
    assert_stream (&t, N + 151, 0, 0, 0);
    fail_unless_equals_uint64 (stats_of (&t).packets_late, 1);
  }
}

GST_END_TEST;

/* Each would cost a feedback packet, and the sender its R of before. */
GST_START_TEST (test_packet_far_away_is_not_answered_while_the_stream_goes_on)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  while (is_due (&t))
    take_feedback (&t);
  fail_unless_equals_int (forge (&t, 12000, 0, FORGED_RTT_US), TFRC_ARRIVAL_SUSPECT);
  fail_if (is_due (&t));
  receiver_test_clear (&t);
}

GST_END_TEST;

/* One forged packet far away is held, and a recorded one has the number behind it. */
GST_START_TEST (test_old_packet_does_not_confirm_a_new_one_far_away)
{
  ReceiverTest t;

  receiver_test_init (&t, NULL);
  arrive_many (&t, 100);
  fail_unless_equals_int (forge (&t, 12000, 0, RTT / 1000), TFRC_ARRIVAL_SUSPECT);
  fail_unless_equals_int (forge (&t, 12001, 300000, RTT / 1000), TFRC_ARRIVAL_REFUSED);
  arrive_many (&t, 1);
  fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
  fail_unless_equals_uint64 (stats_of (&t).packets_lost, 0);
  receiver_test_clear (&t);
}

GST_END_TEST;

static Suite *
receiverforged_suite (void)
{
  Suite *suite = suite_create ("receiverforged");
  TCase *tc = tcase_create ("sequence numbers");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_one_packet_far_away_does_nothing);
  tcase_add_test (tc, test_one_packet_far_away_does_nothing_without_tfrc);
  tcase_add_test (tc, test_ten_single_packets_far_away_do_nothing);
  tcase_add_test (tc, test_one_packet_99_ahead_costs_one);
  tcase_add_test (tc, test_packets_ahead_take_no_loss_event_with_them);
  tcase_add_test (tc, test_two_old_packets_in_sequence_are_no_restart);
  tcase_add_test (tc, test_packet_far_away_is_not_answered_while_the_stream_goes_on);
  tcase_add_test (tc, test_old_packet_does_not_confirm_a_new_one_far_away);
  tcase_add_test (tc, test_very_late_packet_fills_its_hole);
  return suite;
}

GST_CHECK_MAIN (receiverforged);
