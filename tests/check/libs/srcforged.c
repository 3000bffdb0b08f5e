/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream and single packets in its name: their effect on the rate, on the round-trip time and on
 * the receiver */
#include "gst/flow/reception.h"
#include "sessiontest.h"

#define FORGED_RTT_US 16700000
#define PACKETS_PER_S 190 /* approximately */

static SessionTest t;
static TfrcSenderStats before;
static TfrcReceiverStats received_before;

static TfrcReceiverStats
receiver_stats (void)
{
  return src_stats (&t).receiver;
}

/* All times are exact except send times, which are whole microseconds. */
static void
assert_is_rtt (guint64 rtt_ns)
{
  fail_unless (rtt_ns >= RTT - 3 * US && rtt_ns <= RTT + 3 * US, "%" G_GUINT64_FORMAT, rtt_ns);
}

static void
setup (void)
{
  session_test_init (&t);
  session_test_connect (&t);
  t.backlog = 1000000;
  run (&t, 5 * S);
  before = sender_stats (&t);
  received_before = receiver_stats ();
  assert_is_rtt (received_before.rtt_ns);
  fail_unless (before.x_Bps == MAX_RATE_BPS);
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* A packet in the sender's name arrives. Its number is @ahead of the next packet. It was sent
 * @age_us before the packet that would arrive now. */
static void
forge (gint ahead, gint64 age_us, guint32 rtt_us)
{
  GstTfrcReceivedPacket packet = received (&t, NULL, 0);
  TfrcWireData header = t.header;
  TfrcArrival arrival;

  header.seq = (guint16) (receiver_stats ().highest_seq + 1 + ahead);
  header.send_time_us = gst_tfrc_rate_control_wire_time_us (control_of (t.sink), t.now_ns - DELAY)
      - (guint32) age_us;
  header.rtt_us = rtt_us;
  gst_tfrc_reception_on_data (t.src, &header, &packet, t.link, &arrival);
}

/* After another five seconds the stream is as before. It has lost @duplicates packets to forged
 * packets with the same numbers. */
static void
assert_unharmed (guint duplicates)
{
  guint64 sent = t.data_sent, late = receiver_stats ().packets_late;
  TfrcSenderStats after;
  TfrcReceiverStats now;

  for (guint i = 0; i < 50; i++) {
    run (&t, 100 * MS);
    after = sender_stats (&t);
    fail_unless (after.x_Bps == MAX_RATE_BPS, "%f", after.x_Bps);
    assert_is_rtt (after.rtt_ns);
    assert_is_rtt (receiver_stats ().rtt_ns);
  }
  now = receiver_stats ();
  fail_unless_equals_uint64 (now.packets_lost, 0);
  fail_unless_equals_uint64 (now.loss_events, 0);
  fail_unless_equals_uint64 (now.packets_duplicate, duplicates);
  fail_unless_equals_uint64 (now.packets_late, late);
  fail_unless_equals_uint64 (after.nofeedback_expirations, before.nofeedback_expirations);
  fail_unless (t.data_sent - sent >= 5 * (PACKETS_PER_S - 1));
}

GST_START_TEST (a_packet_far_ahead_does_nothing)
{
  forge (12000, 0, FORGED_RTT_US);
  assert_unharmed (0);
}

GST_END_TEST;

GST_START_TEST (a_packet_far_behind_does_nothing)
{
  forge (-12000, 0, FORGED_RTT_US);
  forge (-20000, 0, FORGED_RTT_US);
  assert_unharmed (0);
}

GST_END_TEST;

GST_START_TEST (ten_single_forged_packets_in_a_second_do_nothing)
{
  for (guint i = 0; i < 10; i++) {
    forge (i % 2 ? 12000 : -12000, 0, FORGED_RTT_US);
    run (&t, 100 * MS);
  }
  assert_unharmed (0);
}

GST_END_TEST;

/* The forged packet is in sequence, and the last packet before feedback is due. The genuine packet
 * with the same number is a duplicate. */
static void
forge_before_feedback (gint64 age_us, guint32 rtt_us)
{
  run (&t, RTT / 3);
  while (next_event_ns (&t) < gst_tfrc_reception_next_feedback_ns (t.src))
    run (&t, next_event_ns (&t) - t.now_ns);
  forge (0, age_us, rtt_us);
  assert_is_rtt (receiver_stats ().rtt_ns);
}

GST_START_TEST (a_wrong_round_trip_time_does_nothing)
{
  static const guint32 rtts_us[] = { FORGED_RTT_US, 1, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (rtts_us); i++) {
    forge_before_feedback (0, rtts_us[i]);
    assert_unharmed (i + 1);
  }
}

GST_END_TEST;

GST_START_TEST (a_wrong_send_time_does_nothing)
{
  static const gint64 ages_us[] = { 100000, -100000, 5000000, -5000000, 2000000000, -2000000000 };

  for (guint i = 0; i < G_N_ELEMENTS (ages_us); i++) {
    forge_before_feedback (ages_us[i], RTT / US);
    assert_unharmed (i + 1);
  }
}

GST_END_TEST;

/* Jitter could explain the difference. So R moves by a tenth of the difference. */
GST_START_TEST (a_slightly_wrong_send_time_moves_one_sample)
{
  forge_before_feedback (50000, RTT / US);
  run (&t, RTT);
  fail_unless (sender_stats (&t).rtt_ns >= RTT + 4 * MS);
  fail_unless (sender_stats (&t).rtt_ns <= RTT + 5 * MS + 3 * US);
  run (&t, 5 * S);
  assert_unharmed (1);
}

GST_END_TEST;

GST_START_TEST (two_old_packets_in_sequence_are_no_restart)
{
  /* a packet of five seconds before; of two minutes before if that is older */
  forge (-5 * PACKETS_PER_S, 5000000, RTT / US);
  forge (-5 * PACKETS_PER_S + 1, 4994737, RTT / US);
  forge (-120 * PACKETS_PER_S, 120000000, RTT / US);
  forge (-120 * PACKETS_PER_S + 1, 119994737, RTT / US);
  assert_unharmed (2);
}

GST_END_TEST;

GST_START_TEST (an_outage_loses_exactly_its_600_packets)
{
  guint64 got = t.data_received;

  /* The sender does not wait for feedback. */
  set_rate_limits_Bps (t.sink, MAX_RATE_BPS, MAX_RATE_BPS);
  t.drop_from = t.data_sent;
  t.drop_to = t.drop_from + 600;
  run (&t, 5 * S);
  fail_unless (t.data_sent > t.drop_to);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 600);
  fail_unless (t.data_received > got + PACKETS_PER_S);
  /* all packets that arrived count, also the first two */
  fail_unless_equals_uint64 (receiver_stats ().packets_received, t.data_received);
  fail_unless_equals_uint64 (receiver_stats ().packets_expected, t.data_received + 600);
}

GST_END_TEST;

/* The TTL that feedback tells is that of the packet whose send time feedback returns. A packet whose
 * send time is not believed cannot change the TTL. */
GST_START_TEST (the_ttl_of_a_packet_that_is_not_believed_is_not_told)
{
  guint feedbacks;

  t.backlog = 0;
  run (&t, S);
  fail_unless_equals_int (t.feedback.state.ttl, 60);
  feedbacks = t.feedbacks;
  forge (0, (gint64) (10 * S / US), (guint32) (received_before.rtt_ns / US));
  run (&t, S);
  fail_unless (t.feedbacks > feedbacks);
  fail_unless_equals_int (t.feedback.state.ttl, 0);
}

GST_END_TEST;

static Suite *
srcforged_suite (void)
{
  Suite *suite = suite_create ("srcforged");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_packet_far_ahead_does_nothing);
  tcase_add_test (tc, a_packet_far_behind_does_nothing);
  tcase_add_test (tc, ten_single_forged_packets_in_a_second_do_nothing);
  tcase_add_test (tc, a_wrong_round_trip_time_does_nothing);
  tcase_add_test (tc, a_wrong_send_time_does_nothing);
  tcase_add_test (tc, a_slightly_wrong_send_time_moves_one_sample);
  tcase_add_test (tc, two_old_packets_in_sequence_are_no_restart);
  tcase_add_test (tc, an_outage_loses_exactly_its_600_packets);
  tcase_add_test (tc, the_ttl_of_a_packet_that_is_not_believed_is_not_told);
  return suite;
}

GST_CHECK_MAIN (srcforged);
