/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver learns of due times and of queueing, and from which packets, see gst/flow/playoutclock.h. */
#include <gst/check/gstcheck.h>

#include "gst/flow/playoutclock.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define START (1000 * S)
#define NETWORK (20 * MS)
#define TICK_NS 11112 /* of RTP time: 1/90000 s, rounded up */
#define RTT_US 100000

static GstTfrcPlayoutClock playout_clock;
static TfrcArrival arrival = { .kind = TFRC_ARRIVAL_NEXT, .believed = TRUE };
static guint64 false_ns; /* by which the send time is too late */
static guint64
    due_ns; /* of the next packet, on the sender's clock, which is that of the receiver */

static void
setup (void)
{
  gst_tfrc_playout_clock_init (&playout_clock);
  due_ns = START;
  arrival.believed = TRUE;
  false_ns = 0;
}

static guint32
timestamp_at (guint64 time_ns)
{
  return (guint32) ((time_ns - START) * 9 / 100000);
}

static void
report (void)
{
  TfrcWireRtcp rtcp = { .has_sr = TRUE };

  rtcp.sr_ntp = (G_GUINT64_CONSTANT (2208988800) + START / S) << 32;
  rtcp.sr_timestamp = timestamp_at (START);
  rtcp.clock_send_time_us = (guint32) (START / 1000);
  gst_tfrc_playout_clock_on_sender_report (&playout_clock, &rtcp);
}

/* A packet leaves when it is due, and takes this time beyond the least transit. */
static void
come (guint32 timestamp, guint64 queueing_ns, guint8 path_id, gboolean is_active)
{
  TfrcWireData header = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE, .has_rtt_sendts = TRUE };
  GstTfrcReceivedPacket packet = { 0 };

  header.timestamp = timestamp;
  header.send_time_us = (guint32) ((due_ns + false_ns) / 1000);
  header.rtt_us = RTT_US;
  packet.arrival_ns = packet.arrival_wall_ns = due_ns + NETWORK + queueing_ns;
  gst_tfrc_playout_clock_on_data (&playout_clock, &header, &packet, &arrival, path_id, is_active);
  due_ns += 10 * MS;
}

static void
come_in_time (guint64 queueing_ns, guint8 path_id, gboolean is_active)
{
  come (timestamp_at (due_ns), queueing_ns, path_id, is_active);
}

static void
assert_queueing (guint64 expected_ns)
{
  guint64 queueing_ns = gst_tfrc_playout_clock_get_playout (&playout_clock).queueing_ns;

  fail_unless (queueing_ns + 2 * TICK_NS >= expected_ns && queueing_ns <= expected_ns + 2 * TICK_NS,
      "%" G_GUINT64_FORMAT, queueing_ns);
}

/* Of the last packets over this path one had to queue for 80 ms. */
static void
queue_for_80_ms (void)
{
  report ();
  for (guint i = 0; i < 20; i++)
    come_in_time (0, 1, TRUE);
  come_in_time (80 * MS, 1, TRUE);
  assert_queueing (80 * MS);
}

/* ---- the window -------------------------------------------------------------- */

GST_START_TEST (the_window_is_told_with_all_that_it_needs_and_not_before)
{
  /* the playout delay is told, there is time, there is room, the sender has reported */
  for (guint has = 0; has < 16; has++) {
    GstTfrcPlayout playout;

    setup ();
    gst_tfrc_playout_clock_set_delay (&playout_clock, S, (has & 1) != 0);
    gst_tfrc_playout_clock_set_ahead (&playout_clock, has & 2 ? 60 * S : 0, has & 4 ? 1000000 : 0);
    if (has & 8)
      report ();
    playout = gst_tfrc_playout_clock_get_playout (&playout_clock);
    fail_unless_equals_uint64 (playout.delay_ns, has & 1 ? S : 0);
    fail_unless_equals_uint64 (playout.ahead_ns, has == 15 ? 60 * S : 0);
    fail_unless_equals_uint64 (playout.ahead_bytes, has == 15 ? 1000000 : 0);
  }
}

GST_END_TEST;

/* A transit that stays longer by up to that counts as a queue. */
GST_START_TEST (half_of_the_playout_delay_is_the_slack_of_the_movie)
{
  gst_tfrc_playout_clock_set_delay (&playout_clock, 300 * MS, FALSE);
  fail_unless_equals_uint64 (playout_clock.rtp_clock.slack_ns, 150 * MS);
}

GST_END_TEST;

/* ---- queueing ------------------------------------------------------------------ */

GST_START_TEST (queueing_of_one_path_says_nothing_about_another)
{
  queue_for_80_ms ();
  come_in_time (0, 2, TRUE);
  assert_queueing (0);
}

GST_END_TEST;

/* A packet that comes 20 s too early for its send time starts the clock again. */
GST_START_TEST (queueing_before_the_clock_has_started_again_does_not_count)
{
  queue_for_80_ms ();
  false_ns = 20 * S;
  come_in_time (0, 1, TRUE);
  fail_unless_equals_uint64 (gst_tfrc_playout_clock_get_restarts (&playout_clock), 1);
  assert_queueing (0);
}

GST_END_TEST;

GST_START_TEST (packets_over_another_path_than_the_active_one_change_nothing)
{
  report ();
  for (guint i = 0; i < 20; i++)
    come_in_time (0, 1, TRUE);
  come_in_time (80 * MS, 2, FALSE);
  assert_queueing (0);
  setup ();
  queue_for_80_ms ();
  come_in_time (0, 2, FALSE);
  come_in_time (0, 1, TRUE);
  assert_queueing (80 * MS);
}

GST_END_TEST;

/* ---- due times -------------------------------------------------------------------- */

/* A forged packet says that it has waited for 20 s in the sender. */
GST_START_TEST (a_send_time_that_is_not_believed_moves_no_clock)
{
  for (guint believed = 0; believed < 2; believed++) {
    setup ();
    report ();
    for (guint i = 0; i < 20; i++)
      come_in_time (0, 1, TRUE);
    arrival.believed = believed != 0;
    false_ns = 20 * S;
    come_in_time (0, 1, TRUE);
    fail_unless_equals_uint64 (gst_tfrc_playout_clock_get_restarts (&playout_clock), believed);
  }
}

GST_END_TEST;

/* Of two packets of plain RTP the second was read first. */
GST_START_TEST (no_packet_of_plain_rtp_was_due_after_it_came)
{
  TfrcWireData header = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE };
  GstTfrcReceivedPacket packet = { .arrival_ns = START, .arrival_wall_ns = START };

  gst_tfrc_playout_clock_on_data (&playout_clock, &header, &packet, &arrival, 0, TRUE);
  fail_unless_equals_uint64 (gst_tfrc_playout_clock_get_due_ns (&playout_clock), START);
  packet.arrival_ns -= 5 * MS;
  gst_tfrc_playout_clock_on_data (&playout_clock, &header, &packet, &arrival, 0, TRUE);
  fail_unless_equals_uint64 (gst_tfrc_playout_clock_get_due_ns (&playout_clock), START - 5 * MS);
}

GST_END_TEST;

/* ---- a flush of the sender ------------------------------------------------------- */

/* Those of one stream go back by the noise of its clocks. */
GST_START_TEST (a_time_stamp_that_goes_back_by_more_than_10_ms_is_a_flush)
{
  report ();
  come (100000, 0, 1, TRUE);
  come (100000 - 900, 0, 1, TRUE);
  fail_if (gst_tfrc_playout_clock_has_gone_back (&playout_clock));
  come (100000 - 1801, 0, 1, TRUE);
  fail_unless (gst_tfrc_playout_clock_has_gone_back (&playout_clock));
  come (100000 - 1801, 0, 1, TRUE);
  fail_if (gst_tfrc_playout_clock_has_gone_back (&playout_clock));
}

GST_END_TEST;

static Suite *
playoutclock_suite (void)
{
  Suite *suite = suite_create ("playoutclock");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_window_is_told_with_all_that_it_needs_and_not_before);
  tcase_add_test (tcase, half_of_the_playout_delay_is_the_slack_of_the_movie);
  tcase_add_test (tcase, queueing_of_one_path_says_nothing_about_another);
  tcase_add_test (tcase, queueing_before_the_clock_has_started_again_does_not_count);
  tcase_add_test (tcase, packets_over_another_path_than_the_active_one_change_nothing);
  tcase_add_test (tcase, a_send_time_that_is_not_believed_moves_no_clock);
  tcase_add_test (tcase, no_packet_of_plain_rtp_was_due_after_it_came);
  tcase_add_test (tcase, a_time_stamp_that_goes_back_by_more_than_10_ms_is_a_flush);
  return suite;
}

GST_CHECK_MAIN (playoutclock);
