/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that go on at distant numbers: after an outage of the path, and after a restart of the
 * sender */
#include "forgedtest.h"

GST_START_TEST (test_first_two_packets_after_an_outage_are_used)
{
  for_all_streams (t, TRUE)
  {
    lose (&t, 600);
    arrive (&t);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_SUSPECT);
    t.now += GAP;
    arrive (&t);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
    fail_unless (t.arrival.confirms_previous);
    fail_unless_equals_int ((guint16) (t.arrival.seq + 1), t.data.seq);
    arrive_many (&t, 1);
    fail_if (t.arrival.confirms_previous);
    assert_stream (&t, N + 3, 600, 0, 1);
    fail_unless (stats_of (&t).p > 0);
  }
}

GST_END_TEST;

/* The first packet after the outage is used at once in one case, and not in the other. Both have an
 * event at every 11th packet, more than a round-trip time after the previous event. */
GST_START_TEST (test_outages_count_alike_on_both_sides_of_the_limit)
{
  for (guint n = 98; n <= 101; n++) {
    for_all_streams (t, TRUE)
    {
      lose (&t, n);
      arrive_many (&t, 4);
      assert_stream (&t, N + 4, n, 0, n >= 100);
      fail_unless_equals_uint64 (stats_of (&t).loss_events, (n + 10) / 11);
    }
  }
}

GST_END_TEST;

/* After an outage a sender sends as seldom as it may. Feedback about the first packet tells the
 * sender that a packet has arrived. */
GST_START_TEST (test_first_packet_after_an_outage_is_answered)
{
  for_all_streams (t, TRUE)
  {
    guint feedbacks;

    wait_until (&t, t.now + GAP);
    lose (&t, 600);
    feedbacks = t.feedbacks;
    arrive (&t);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_SUSPECT);
    fail_unless (take_feedback (&t));
    fail_unless_equals_int (t.feedbacks, feedbacks + 1);
    /* further packets of this kind cause no feedback */
    forge (&t, 12000, 0, RTT / 1000);
    fail_if (is_due (&t));
  }
}

GST_END_TEST;

/* The new path is much faster, so packets overtake packets of the old path. */
GST_START_TEST (test_late_packets_between_do_not_keep_an_outage_open)
{
  for_all_streams (t, TRUE)
  {
    const TfrcArrivalKind kinds[] = { TFRC_ARRIVAL_SUSPECT, TFRC_ARRIVAL_NEXT, TFRC_ARRIVAL_NEXT };

    for (gint i = 0; i < 3; i++) {
      TfrcData data = t.data;
      TfrcArrival arrival;

      data.seq += 250;
      data.send_time_us = t.now / 1000 - 40000;
      tfrc_receiver_on_data (t.receiver, &data, t.now, &arrival);
      fail_unless_equals_int (arrival.kind, kinds[i]);
      fail_unless (arrival.confirms_previous == (i == 1));
      t.now += GAP / 2;
      forge (&t, 0, 2500, RTT / 1000);
      t.data.seq++;
      t.now += GAP / 2;
    }
    fail_unless_equals_uint64 (stats_of (&t).packets_received, N + 6);
    fail_unless_equals_uint64 (stats_of (&t).packets_expected, N + 253);
  }
}

GST_END_TEST;

static void
assert_restart (ReceiverTest *t, guint16 seq)
{
  guint64 before = stats_of (t).highest_seq;

  t->data.seq = seq;
  t->now += GAP;
  arrive (t);
  fail_unless_equals_int (t->arrival.kind, TFRC_ARRIVAL_SUSPECT);
  t->now += GAP;
  arrive (t);
  fail_unless_equals_int (t->arrival.kind, TFRC_ARRIVAL_RESTART);
  fail_unless (t->arrival.confirms_previous);
  fail_unless_equals_uint64 (t->arrival.seq, before + 1 + (guint16) (seq - (guint16) before));
  arrive_many (t, 20);
  fail_unless_equals_int (t->arrival.kind, TFRC_ARRIVAL_NEXT);
  fail_unless_equals_uint64 (stats_of (t).packets_received, N + 22);
  fail_unless_equals_uint64 (stats_of (t).packets_expected, N + 22);
  fail_unless_equals_uint64 (stats_of (t).packets_lost, 0);
  fail_unless (stats_of (t).p == 0);
}

GST_START_TEST (test_restart_of_sequence_numbers)
{
  static const gint ahead[] = { 0x4001, 30000, -30000, -12000, -102 };

  for (guint j = 0; j < 2 * G_N_ELEMENTS (ahead); j++) {
    for_all_streams (t, j % 2) assert_restart (&t, t.data.seq + ahead[j / 2]);
  }
}

GST_END_TEST;

/* With another clock the packets look like copies of old packets, until no others come. */
GST_START_TEST (test_restart_with_another_clock_takes_five_seconds)
{
  for_all_streams (t, TRUE)
  {
    fail_unless_equals_int (forge (&t, 30000, 700000, 0), TFRC_ARRIVAL_REFUSED);
    wait_until (&t, t.now + 5 * SECOND - MS);
    fail_unless_equals_int (forge (&t, 30001, 700000, 0), TFRC_ARRIVAL_REFUSED);
    wait_until (&t, t.now + MS);
    fail_unless_equals_int (forge (&t, 30002, 700000, 0), TFRC_ARRIVAL_SUSPECT);
    t.data.seq += 30003;
    t.data.send_time_us = t.now / 1000 - 50000 - 700000000;
    tfrc_receiver_on_data (t.receiver, &t.data, t.now, &t.arrival);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_RESTART);
    fail_unless (t.arrival.believed);
    fail_unless_equals_uint64 (stats_of (&t).packets_received, N + 2);
  }
}

GST_END_TEST;

/* Two forged packets in sequence move the receiver, unlike a single packet. The stream goes on with
 * its second packet that was sent after them. */
GST_START_TEST (test_stream_comes_back_from_two_forged_packets)
{
  for_all_streams (t, TRUE)
  {
    guint16 seq = t.data.seq;
    TfrcArrivalKind kinds[4];

    t.data.seq += 12000;
    arrive (&t);
    arrive (&t);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
    t.data.seq = seq;
    for (guint i = 0; i < 4; i++) {
      arrive_many (&t, 1);
      kinds[i] = t.arrival.kind;
    }
    fail_unless_equals_int (kinds[0], TFRC_ARRIVAL_SUSPECT);
    fail_unless_equals_int (kinds[1], TFRC_ARRIVAL_RESTART);
    fail_unless_equals_int (kinds[2], TFRC_ARRIVAL_NEXT);
    fail_unless_equals_int (kinds[3], TFRC_ARRIVAL_NEXT);
  }
}

GST_END_TEST;

/* The forged packets claim to have been sent later than the stream. So the stream looks old, for as
 * long as a sender that has restarted. */
GST_START_TEST (test_stream_comes_back_from_two_forged_packets_of_the_future)
{
  for_all_streams (t, TRUE)
  {
    fail_unless_equals_int (forge (&t, 12000, -100000, RTT / 1000), TFRC_ARRIVAL_SUSPECT);
    t.data.seq += 12001;
    t.data.send_time_us = t.now / 1000 - 50000 + 100000000;
    tfrc_receiver_on_data (t.receiver, &t.data, t.now, &t.arrival);
    fail_unless (t.arrival.confirms_previous);
    t.data.seq -= 12001;
    for (guint i = 1; i < 500; i++) {
      arrive_many (&t, 1);
      fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_LATE);
    }
    arrive_many (&t, 1);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_SUSPECT);
    arrive_many (&t, 1);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_RESTART);
    fail_unless (t.arrival.believed);
    arrive_many (&t, 1);
    fail_unless_equals_int (t.arrival.kind, TFRC_ARRIVAL_NEXT);
  }
}

GST_END_TEST;

static Suite *
receiverrestart_suite (void)
{
  Suite *suite = suite_create ("receiverrestart");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_first_two_packets_after_an_outage_are_used);
  tcase_add_test (tc, test_outages_count_alike_on_both_sides_of_the_limit);
  tcase_add_test (tc, test_first_packet_after_an_outage_is_answered);
  tcase_add_test (tc, test_late_packets_between_do_not_keep_an_outage_open);
  tcase_add_test (tc, test_restart_of_sequence_numbers);
  tcase_add_test (tc, test_restart_with_another_clock_takes_five_seconds);
  tcase_add_test (tc, test_stream_comes_back_from_two_forged_packets);
  tcase_add_test (tc, test_stream_comes_back_from_two_forged_packets_of_the_future);
  return suite;
}

GST_CHECK_MAIN (receiverrestart);
