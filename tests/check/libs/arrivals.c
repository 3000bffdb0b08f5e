/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback: what a sender makes of true feedback */
#include <gst/check/gstcheck.h>

#include "arrivaltest.h"

GST_START_TEST (feedback_gives_r_and_the_rate_of_tfrc)
{
  fail_unless_equals_int (feedback_after (30 * MS, 40 * MS), TFRC_OK);
  assert_within (stats_of (&t).rtt_ns, 40 * MS, 1e-3);
  assert_within (rate_of (&t), 4380 / 0.040, 1e-3);
  run_feedback (20);
  fail_unless (rate_of (&t) > 1e6);
  assert_close (stats_of (&t).p, 0);
}

GST_END_TEST;

/* What the feedback has waited is a part of R: 20 ms and 2 * 20 ms */
GST_START_TEST (without_a_report_r_includes_the_wait)
{
  fail_unless_equals_int (feedback_after (40 * MS, 0), TFRC_OK);
  assert_within (stats_of (&t).rtt_ns, 60 * MS, 1e-3);
}

GST_END_TEST;

/* The receiver's side at the sender finds what a receiver of TFRC finds. */
GST_START_TEST (p_is_that_of_a_receiver_of_tfrc)
{
  t.link_Bps = 250000;
  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 400; i++)
    fail_unless_equals_int (feedback_after (30 * MS, 0), TFRC_OK);
  fail_unless (stats_of (&t).p > 0);
  fail_unless_equals_uint64 (receiver_stats ().packets_received,
      receiver_stats ().packets_expected - receiver_stats ().packets_lost);
  /* TFRC on this link loses about this */
  fail_unless ((double) t.lost / t.sent < 0.02, "%g", (double) t.lost / t.sent);
  fail_unless (t.delivered * S / ((t.now - SECOND) / 1e9) > 0.8 * 250000 * S / PACKET_BYTES);
}

GST_END_TEST;

GST_START_TEST (packets_of_lost_feedback_are_not_lost)
{
  run_feedback (10);
  run_for (&t, 100 * MS);
  noted = known_packets ();
  run_feedback (10);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 0);
  assert_close (stats_of (&t).p, 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_comes_late_is_not_lost)
{
  guint64 late, *fate;

  run_feedback (10);
  late = noted + 2;
  run_for (&t, 100 * MS);
  fate = &g_array_index (t.fates, guint64, late);
  *fate += 60 * MS; /* after the others */
  run_feedback (1);
  run_for (&t, 100 * MS);
  fail_unless (receiver_stats ().packets_lost <= 1);
  write_feedback (late, late + 1);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_reported_twice_counts_once)
{
  guint64 received;

  run_feedback (10);
  received = receiver_stats ().packets_received;
  write_feedback (0, noted);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_received, received);
  fail_unless_equals_uint64 (receiver_stats ().packets_duplicate, 0);
}

GST_END_TEST;

GST_START_TEST (the_interval_is_the_longest_of_four)
{
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 30 * SECOND);
  run_feedback (4);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 30 * SECOND);
  run_feedback (1);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 50 * MS);
  feedback_after (980 * MS, 0);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), SECOND);
}

GST_END_TEST;

/* A receiver behind a narrow link has left, and one behind a wide link comes: its p is not that of the first, and it has to
 * show itself how often it reports. */
GST_START_TEST (the_next_receiver_begins_anew)
{
  t.link_Bps = 250000;
  run_feedback (100);
  fail_unless (stats_of (&t).p > 0);
  t.link_Bps = 1e9;
  tfrc_arrivals_end (t.arrivals, t.sender);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 30 * SECOND);
  run_for (&t, SECOND);
  noted = known_packets ();
  run_feedback (20);
  assert_close (stats_of (&t).p, 0);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 0);
  fail_unless_equals_uint64 (
      receiver_stats ().packets_received, receiver_stats ().packets_expected);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 50 * MS);
}

GST_END_TEST;

/* As one that is wrong by 100 parts in a million after 8 hours: both clocks differ by more than 2 s at the end. */
GST_START_TEST (a_fast_clock_of_the_peer_does_not_stop_feedback)
{
  guint64 begin;

  peer_speed = 1.003;
  t.demand_Bps = 50000;
  begin = t.now;
  while (t.now < begin + 1000 * SECOND) {
    fail_unless_equals_int (feedback_after (100 * MS, 2 * t.delay), TFRC_OK);
    fail_unless_equals_uint64 (stats_of (&t).nofeedback_expirations, 0);
  }
  fail_unless (rate_of (&t) >= 50000);
}

GST_END_TEST;

GST_START_TEST (without_a_sender_arrivals_are_noted)
{
  TfrcSender *sender = t.sender;

  run_for (&t, 30 * MS);
  write_feedback (0, known_packets ());
  fail_unless_equals_int (
      tfrc_arrivals_on_feedback (t.arrivals, NULL, fci, fci_bytes, 0, t.now), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_received, 1);
  fail_unless_equals_uint64 (tfrc_sender_get_rtt_ns (sender), 0);
}

GST_END_TEST;

typedef struct
{
  gdouble p, rate;
  guint64 rtt_ns, lost, sent;
} Outcome;

/* A link of 250000 byte/s for 12 s */
static Outcome
outcome_of (gboolean as_list)
{
  TfrcSenderStats stats;

  t.link_Bps = 250000;
  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 400; i++) {
    guint64 known;

    run_for (&t, 30 * MS);
    known = known_packets ();
    if (known == noted)
      continue;
    write_feedback (noted, known);
    run_for (&t, t.delay);
    fail_unless_equals_int (as_list ? deliver_list (noted, known) : deliver_feedback (0), TFRC_OK);
    noted = known;
  }
  stats = stats_of (&t);
  return (Outcome){ stats.p, stats.x_Bps, stats.rtt_ns, receiver_stats ().packets_lost, t.sent };
}

GST_START_TEST (a_list_gives_the_rate_that_the_same_feedback_gives)
{
  Outcome of_feedback = outcome_of (FALSE), of_list;

  teardown ();
  setup ();
  of_list = outcome_of (TRUE);
  fail_unless (of_feedback.lost > 0);
  fail_unless_equals_uint64 (of_list.sent, of_feedback.sent);
  fail_unless_equals_uint64 (of_list.lost, of_feedback.lost);
  fail_unless_equals_uint64 (of_list.rtt_ns, of_feedback.rtt_ns);
  assert_close (of_list.p, of_feedback.p);
  assert_close (of_list.rate, of_feedback.rate);
}

GST_END_TEST;

static void
stop_sending (void)
{
  t.backlog_bytes = 0;
  t.demand_Bps = 1e-3;
}

/* The sender has nothing to send for so long. What has left before is told. */
static void
pause_for (guint64 duration)
{
  stop_sending ();
  fail_unless_equals_int (feedback_after (duration, 40 * MS), TFRC_OK);
}

/* As feedback_after(), as feedback or as a list */
static void
feedback_or_list_after (gboolean as_list, guint64 interval)
{
  guint64 from = noted;

  if (!as_list) {
    fail_unless_equals_int (feedback_after (interval, 0), TFRC_OK);
    return;
  }
  run_for (&t, interval);
  noted = known_packets ();
  run_for (&t, t.delay);
  fail_unless_equals_int (deliver_list (from, noted), TFRC_OK);
}

/* Sends packets at once, as far as X allows. */
static void
burst (guint packets)
{
  t.backlog_bytes = packets * S;
}

static void
lose_some (void)
{
  run_feedback (50);
  t.every = 100;
  run_feedback (50);
  t.every = 0;
  run_feedback (10);
  fail_unless (stats_of (&t).p > 0);
}

/* Section 6.2: after a pause X_recv is at least a packet in R. */
GST_START_TEST (a_pause_is_no_time_of_x_recv)
{
  lose_some ();
  pause_for (40 * MS);
  run_for (&t, 10 * SECOND);
  burst (1);
  fail_unless_equals_int (feedback_after (40 * MS, 40 * MS), TFRC_OK);
  assert_within (receiver_stats ().x_recv_Bps, S / 0.040, 1e-3);
}

GST_END_TEST;

/* Two packets that are further apart than R are reported together: each says a packet in R. */
GST_START_TEST (less_than_a_packet_in_r_is_a_packet_in_r)
{
  lose_some ();
  pause_for (40 * MS);
  for (guint i = 0; i < 10; i++) {
    burst (1);
    run_for (&t, 150 * MS);
    burst (1);
    feedback_after (150 * MS, 40 * MS);
    assert_within (receiver_stats ().x_recv_Bps, S / 0.040, 1e-3);
  }
}

GST_END_TEST;

/* T is the time between two feedbacks, and no pause: after one the nofeedback timer and X_recv_set would live by T for four
 * feedbacks. */
GST_START_TEST (a_pause_is_no_interval_of_feedback)
{
  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 10; i++)
    feedback_or_list_after (__i__, 30 * MS);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 50 * MS);
  stop_sending ();
  feedback_or_list_after (__i__, 30 * MS);
  run_for (&t, 60 * SECOND);
  burst (1);
  feedback_or_list_after (__i__, 30 * MS);
  fail_unless_equals_uint64 (tfrc_arrivals_get_interval_ns (t.arrivals), 50 * MS);
  fail_unless (tfrc_sender_next_timeout_ns (t.sender) <= t.now + 200 * MS);
}

GST_END_TEST;

/* Four seconds of packets show that the receiver waits for as long. */
GST_START_TEST (seldom_feedback_about_many_packets_is_the_pace)
{
  lose_some ();
  t.demand_Bps = 50000;
  run_for (&t, 100 * MS);
  fail_unless_equals_int (feedback_after (4 * SECOND, 40 * MS), TFRC_OK);
  assert_within (tfrc_arrivals_get_interval_ns (t.arrivals), 4 * SECOND, 0.05);
}

GST_END_TEST;

/* All is lost for 10 s. The nofeedback timer has expired, and the first packet that comes afterwards brings X back to
 * two packets in R. */
GST_START_TEST (an_outage_is_no_time_of_x_recv)
{
  lose_some ();
  t.every = 1;
  run_for (&t, 10 * SECOND);
  fail_unless (stats_of (&t).nofeedback_expirations > 0);
  fail_unless (rate_of (&t) < 2 * S);
  t.every = 0;
  for (guint i = 0; i < 100 && known_packets () == noted; i++)
    run_for (&t, SECOND);
  fail_unless_equals_int (feedback_after (0, 40 * MS), TFRC_OK);
  fail_unless (rate_of (&t) >= 0.999 * 2 * S / 0.040, "%g", rate_of (&t));
}

GST_END_TEST;

/* Feedback has cut a burst behind its first packet. The others are told when the timer has expired in the silence that
 * follows, which the next arrival shows. */
GST_START_TEST (the_end_of_a_burst_is_told)
{
  guint64 told;

  run_feedback (50);
  pause_for (40 * MS);
  run_for (&t, 300 * MS);
  fail_unless (rate_of (&t) > 1e6);
  burst (10);
  run_for (&t, 40 * MS);
  fail_unless_equals_uint64 (known_packets () - noted, 10);
  write_feedback (noted, noted + 1);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  told = stats_of (&t).feedbacks_received;
  write_feedback (noted + 1, noted + 10);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  noted += 10;
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_received, told);
  run_for (&t, 300 * MS);
  burst (1);
  feedback_after (40 * MS, 40 * MS);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_received, told + 2);
}

GST_END_TEST;

/* Section 6.3.1: the first loss interval is that at which the sender's own equation gives X_recv.  For R = 200 ms Reno's
 * interval would give CUBIC's equation three times as much. */
GST_START_TEST (the_first_interval_is_that_of_the_senders_model)
{
  TfrcSenderConfig config;

  tfrc_sender_free (t.sender);
  tfrc_sender_config_init (&config);
  config.first_seq = FIRST_SEQ;
  config.model = TFRC_MODEL_CUBIC;
  config.max_rate_Bps = 1e6;
  fail_unless_equals_int (tfrc_sender_new (&t.sender, &config), TFRC_OK);
  t.delay = 100 * MS;
  for (guint i = 0; i < 60; i++)
    fail_unless_equals_int (feedback_after (100 * MS, 2 * t.delay), TFRC_OK);
  assert_within (receiver_stats ().x_recv_Bps, 1e6, 0.01);
  t.every = 100;
  fail_unless_equals_int (feedback_after (100 * MS, 2 * t.delay), TFRC_OK);
  t.every = 0;
  fail_unless_equals_int (feedback_after (100 * MS, 2 * t.delay), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().loss_events, 1);
  assert_within (stats_of (&t).x_eq_Bps, 1e6, 0.05);
}

GST_END_TEST;

/* Feedback in 600 ms is made for each R of 40 ms. */
static void
assert_feedback_is_made (void)
{
  guint64 before = stats_of (&t).feedbacks_received;

  run_feedback (12);
  fail_unless (stats_of (&t).feedbacks_received >= before + 10, "%" G_GUINT64_FORMAT,
      stats_of (&t).feedbacks_received - before);
}

GST_START_TEST (a_packet_that_did_not_leave_is_not_reported)
{
  TfrcData data = { .size_bytes = S };

  for (guint i = 0; i < 3; i++) {
    data.seq = (guint16) (FIRST_SEQ + i);
    tfrc_arrivals_on_packet (t.arrivals, &data);
  }
  tfrc_arrivals_cancel (t.arrivals);
  fci_bytes = 0;
  put (FIRST_SEQ + 2, 2);
  put (1, 2);
  put (0, 4);
  put (1, 2);
  fail_unless_equals_int (deliver_feedback (0), TFRC_ERROR_NOT_SENT);
  fci[1]--;
  fail_unless_equals_int (deliver_feedback (0), TFRC_OK);
}

GST_END_TEST;

/* The clock of the next receiver is another: an arrival of the one before that lies ahead is no time of it. */
GST_START_TEST (a_time_ahead_of_one_receiver_does_not_stop_the_feedback_of_the_next)
{
  TfrcReportedPacket list[2];

  run_feedback (20);
  for (guint i = 0; i < 2; i++)
    list[i] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + noted + i), TRUE, 10 * SECOND };
  run_for (&t, 30 * MS);
  list[0].arrival_ns += 3600 * SECOND;
  fail_unless (t.sent >= noted + 2);
  fail_unless_equals_int (tfrc_arrivals_on_list (t.arrivals, t.sender, list, 2, 0, t.now), TFRC_OK);
  tfrc_arrivals_end (t.arrivals, t.sender);
  noted = known_packets ();
  assert_feedback_is_made ();
}

GST_END_TEST;

static void
put_back_the_reference (guint units)
{
  guint32 reference = (guint32) (fci[4] << 16 | fci[5] << 8 | fci[6]) - units;

  fci[4] = (guint8) (reference >> 16);
  fci[5] = (guint8) (reference >> 8);
  fci[6] = (guint8) reference;
}

/* The peer's clock is set back by 39 * 64 ms: beyond 2 s its offset is measured anew, or nothing that comes would be new
 * for as long. */
GST_START_TEST (a_clock_of_the_peer_that_is_set_back_does_not_stop_feedback)
{
  guint64 before;

  run_feedback (20);
  before = stats_of (&t).feedbacks_received;
  for (guint i = 0; i < 12; i++) {
    run_for (&t, 30 * MS);
    write_feedback (noted, known_packets ());
    put_back_the_reference (39);
    noted = known_packets ();
    run_for (&t, t.delay);
    fail_unless_equals_int (deliver_feedback (2 * t.delay), TFRC_OK);
  }
  fail_unless (stats_of (&t).feedbacks_received >= before + 10);
}

GST_END_TEST;

/* The timer has cut X in the silence, and what has come before it does not bring X back. */
GST_START_TEST (the_end_of_a_burst_is_not_told_after_silence)
{
  guint64 told;

  lose_some ();
  pause_for (40 * MS);
  burst (10);
  run_for (&t, 40 * MS);
  write_feedback (noted, noted + 1);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  write_feedback (noted + 1, known_packets ());
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  noted = known_packets ();
  told = stats_of (&t).feedbacks_received;
  run_for (&t, 2 * SECOND);
  fail_unless (stats_of (&t).nofeedback_expirations > 0);
  burst (1);
  feedback_after (SECOND, 40 * MS);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_received, told + 1);
}

GST_END_TEST;

/* Feedback was overtaken by the one after it: its packets are neither lost nor received. */
GST_START_TEST (packets_of_feedback_that_was_overtaken_do_not_count)
{
  guint64 known;

  run_feedback (10);
  run_for (&t, 200 * MS);
  known = known_packets ();
  fail_unless (known >= noted + 8);
  write_feedback (noted + 4, known);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_received, known - 4);
  write_feedback (noted, noted + 4);
  fail_unless_equals_int (deliver_feedback (40 * MS), TFRC_OK);
  fail_unless_equals_uint64 (receiver_stats ().packets_received, known - 4);
  fail_unless_equals_uint64 (receiver_stats ().packets_lost, 0);
}

GST_END_TEST;

/* One packet after each of four pauses says nothing about the pace. */
GST_START_TEST (packets_between_pauses_are_no_pace)
{
  t.demand_Bps = 1.5e6;
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (feedback_after (30 * MS, 40 * MS), TFRC_OK);
  pause_for (40 * MS);
  for (guint i = 0; i < 4; i++) {
    run_for (&t, 2 * SECOND);
    burst (1);
    fail_unless_equals_int (feedback_after (30 * MS, 40 * MS), TFRC_OK);
  }
  assert_within (tfrc_arrivals_get_interval_ns (t.arrivals), 50 * MS, 0.25);
}

GST_END_TEST;

/* Of a minute without packets and two seconds with them, the two seconds are. */
GST_START_TEST (the_pace_after_a_pause_is_that_of_the_packets)
{
  lose_some ();
  pause_for (60 * SECOND);
  run_for (&t, 60 * SECOND);
  t.backlog_bytes = 0;
  t.demand_ns = t.now;
  t.demand_Bps = 50000;
  fail_unless_equals_int (feedback_after (2 * SECOND, 40 * MS), TFRC_OK);
  assert_within (tfrc_arrivals_get_interval_ns (t.arrivals), 2 * SECOND, 0.2);
}

GST_END_TEST;

/* R has passed since the last feedback when the first of two came. The second one was faster. */
GST_START_TEST (the_last_arrival_is_the_latest_one)
{
  const guint64 last_ns = (guint64) peer_units (t.now) * TFRC_WIRE_ARRIVALS_DELTA_NS;
  TfrcReportedPacket list[2];
  guint64 made;

  t.demand_Bps = 1.5e6;
  run_for (&t, 100 * MS);
  tfrc_sender_set_rate_limits (t.sender, 1.5e6, 0);
  for (guint i = 0; i < 20; i++) {
    run_for (&t, 30 * MS);
    noted = known_packets ();
    list[0] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + noted - 1), TRUE, last_ns + t.now };
    fail_unless_equals_int (
        tfrc_arrivals_on_list (t.arrivals, t.sender, list, 1, 40 * MS, t.now), TFRC_OK);
  }
  run_for (&t, 60 * MS);
  made = stats_of (&t).feedbacks_received;
  for (guint i = 0; i < 2; i++)
    list[i] = (TfrcReportedPacket){ (guint16) (FIRST_SEQ + noted + i), TRUE,
      last_ns + t.now - i * 59 * MS };
  fail_unless_equals_int (
      tfrc_arrivals_on_list (t.arrivals, t.sender, list, 2, 40 * MS, t.now), TFRC_OK);
  fail_unless_equals_uint64 (stats_of (&t).feedbacks_received, made + 1);
}

GST_END_TEST;

static Suite *
arrivals_suite (void)
{
  Suite *suite = suite_create ("arrivals");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, feedback_gives_r_and_the_rate_of_tfrc);
  tcase_add_test (tcase, without_a_report_r_includes_the_wait);
  tcase_add_test (tcase, p_is_that_of_a_receiver_of_tfrc);
  tcase_add_test (tcase, packets_of_lost_feedback_are_not_lost);
  tcase_add_test (tcase, a_packet_that_comes_late_is_not_lost);
  tcase_add_test (tcase, a_packet_that_is_reported_twice_counts_once);
  tcase_add_test (tcase, the_interval_is_the_longest_of_four);
  tcase_add_test (tcase, the_next_receiver_begins_anew);
  tcase_add_test (tcase, a_fast_clock_of_the_peer_does_not_stop_feedback);
  tcase_add_test (tcase, a_packet_that_did_not_leave_is_not_reported);
  tcase_add_test (tcase, a_time_ahead_of_one_receiver_does_not_stop_the_feedback_of_the_next);
  tcase_add_test (tcase, a_clock_of_the_peer_that_is_set_back_does_not_stop_feedback);
  tcase_add_test (tcase, without_a_sender_arrivals_are_noted);
  tcase_add_test (tcase, a_list_gives_the_rate_that_the_same_feedback_gives);
  tcase_add_test (tcase, a_pause_is_no_time_of_x_recv);
  tcase_add_test (tcase, less_than_a_packet_in_r_is_a_packet_in_r);
  tcase_add_loop_test (tcase, a_pause_is_no_interval_of_feedback, 0, 2);
  tcase_add_test (tcase, seldom_feedback_about_many_packets_is_the_pace);
  tcase_add_test (tcase, an_outage_is_no_time_of_x_recv);
  tcase_add_test (tcase, the_end_of_a_burst_is_told);
  tcase_add_test (tcase, the_end_of_a_burst_is_not_told_after_silence);
  tcase_add_test (tcase, packets_of_feedback_that_was_overtaken_do_not_count);
  tcase_add_test (tcase, packets_between_pauses_are_no_pace);
  tcase_add_test (tcase, the_pace_after_a_pause_is_that_of_the_packets);
  tcase_add_test (tcase, the_last_arrival_is_the_latest_one);
  tcase_add_test (tcase, the_first_interval_is_that_of_the_senders_model);
  return suite;
}

GST_CHECK_MAIN (arrivals);
