/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver tells its sender of its player, in virtual time, see gst/flow/playoutclock.h. */
#include "gst/flow/playout.h"
#include "srcsessiontest.h"

#define PLAYOUT_DELAY (1000 * MS)
#define TICK_NS 11112   /* of RTP time: 1/90000 s, rounded up */
#define WAIT (300 * MS) /* of each packet in the sender */

static guint64 begin_ns; /* on the receiver's clock, of time 0 of the sender's clock */
static guint32 said_bytes;

static void
start_at_zero (void)
{
  start_alone ();
  begin_ns = t.now_ns;
  t.now_ns += DELAY;
  report_clock (begin_ns);
}

/* A packet leaves at this time of the sender's clock, after a wait of 0.3 s, and takes this time
 * beyond the least transit. */
static void
packet_takes (guint64 sent_ns, guint64 queueing_ns)
{
  t.now_ns = begin_ns + sent_ns + DELAY + queueing_ns;
  header.timestamp = (guint32) (gint32) (((gint64) sent_ns - (gint64) WAIT) * 9 / 100000);
  header.send_time_us = (guint32) (sent_ns / 1000);
  fail_unless (data (header.seq + 1, 0));
}

/* What the next feedback says */
static GstTfrcPlayout
said (void)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;
  gsize size;

  tfrc_wire_parse_rtcp (NULL, 0, 0, &rtcp);
  t.now_ns = MAX (t.now_ns, gst_tfrc_reception_next_feedback_ns (t.src));
  do {
    size = gst_tfrc_reception_write (t.src, OWN_SSRC, "test", t.now_ns, buffer);
    fail_unless (size > 0);
    fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer, size, SSRC, &rtcp), TFRC_WIRE_OK);
  } while (!rtcp.has_feedback);
  said_bytes = (guint32) size;
  return gst_tfrc_playout_from_wire (&rtcp.playout);
}

static void
assert_queueing (guint64 least_ns)
{
  guint64 queueing_ns = said ().queueing_ns;

  fail_unless (queueing_ns + TICK_NS >= least_ns && queueing_ns <= least_ns + TICK_NS,
      "%" G_GUINT64_FORMAT, queueing_ns);
}

GST_START_TEST (the_playout_delay_is_told_only_if_it_is_to_be)
{
  start_at_zero ();
  for (guint i = 0; i < 60; i++) {
    if (i % 20 == 0)
      gst_tfrc_reception_set_playout_delay (t.src, PLAYOUT_DELAY, i == 20);
    packet_takes (i * 10 * MS, 0);
    if (i % 20 == 19)
      fail_unless_equals_uint64 (said ().delay_ns, i == 39 ? PLAYOUT_DELAY : 0);
  }
}

GST_END_TEST;

GST_START_TEST (the_sender_has_what_the_receiver_tells)
{
  GstTfrcPlayout playout = gst_tfrc_receiver_view_get_playout (receiver_of (t.sink));

  fail_unless_equals_uint64 (playout.delay_ns, 0);
  fail_unless_equals_uint64 (playout.queueing_ns, GST_TFRC_QUEUEING_UNKNOWN);
  session_test_connect (&t);
  gst_tfrc_reception_set_playout_delay (t.src, PLAYOUT_DELAY, TRUE);
  t.backlog = 100;
  run (&t, 5 * S);
  playout = gst_tfrc_receiver_view_get_playout (receiver_of (t.sink));
  fail_unless_equals_uint64 (playout.delay_ns, PLAYOUT_DELAY);
  fail_unless (playout.queueing_ns < MS);
  t.delay_ns = DELAY + 40 * MS;
  t.backlog = 20;
  run (&t, S);
  playout = gst_tfrc_receiver_view_get_playout (receiver_of (t.sink));
  /* the queueing, and what the last forecast has missed */
  fail_unless (playout.queueing_ns > 70 * MS && playout.queueing_ns <= 80 * MS + 2 * TICK_NS);
}

GST_END_TEST;

/* ---- queueing -------------------------------------------------------------- */

GST_START_TEST (a_wait_in_the_sender_is_no_queueing)
{
  start_at_zero ();
  for (guint i = 0; i < 100; i++)
    packet_takes (i * 10 * MS, 0);
  assert_queueing (0);
}

GST_END_TEST;

/* R is 100 ms, and so is a window. */
GST_START_TEST (the_most_of_the_last_round_trip_is_told)
{
  start_at_zero ();
  for (guint i = 0; i < 100; i++)
    packet_takes (i * 10 * MS, i == 95 ? 80 * MS : i % 2 * 30 * MS);
  assert_queueing (80 * MS);
  for (guint i = 100; i < 130; i++)
    packet_takes (i * 10 * MS, i % 2 * 30 * MS);
  assert_queueing (30 * MS);
}

GST_END_TEST;

GST_START_TEST (a_queue_that_has_emptied_is_forgotten_after_two_round_trips)
{
  start_at_zero ();
  for (guint i = 0; i < 100; i++)
    packet_takes (i * 10 * MS, i < 20 ? 0 : 200 * MS);
  assert_queueing (200 * MS);
  for (guint i = 120; i < 145; i++)
    packet_takes (i * 10 * MS, 0);
  assert_queueing (0);
}

GST_END_TEST;

/* Without a report of the sender nothing tells its wait from queueing: the words are not there. */
GST_START_TEST (without_a_report_queueing_is_not_known)
{
  start_alone ();
  begin_ns = t.now_ns;
  for (guint i = 0; i < 100; i++)
    packet_takes (i * 10 * MS, 50 * MS);
  fail_unless_equals_uint64 (said ().queueing_ns, GST_TFRC_QUEUEING_UNKNOWN);
  fail_unless_equals_int (said_bytes, 64);
}

GST_END_TEST;

/* The player's times stay: a longer path takes of the playout delay until they have followed. */
GST_START_TEST (a_longer_path_counts_as_queueing_at_once)
{
  start_at_zero ();
  for (guint i = 0; i < 100; i++)
    packet_takes (i * 10 * MS, 150 * MS * (i == 99));
  gst_tfrc_reception_set_path_id (t.src, 1);
  for (guint i = 100; i < 102; i++)
    packet_takes (i * 10 * MS, 40 * MS);
  assert_queueing (40 * MS);
}

GST_END_TEST;

/* The queue grows by 50 ms in a second, and R is 100 ms: each forecast is 5 to 10 ms too small. */
GST_START_TEST (a_forecast_that_was_too_small_is_made_up_for)
{
  guint64 told_ns = 0, late = 0;

  start_at_zero ();
  for (guint i = 0; i < 300; i++) {
    guint64 queueing_ns = i * 10 * MS / 20;

    packet_takes (i * 10 * MS, queueing_ns);
    late += i > 50 && queueing_ns > told_ns;
    if (i % 10 == 9)
      told_ns = said ().queueing_ns;
  }
  fail_unless_equals_uint64 (late, 0);
  fail_unless (told_ns < 160 * MS, "%" G_GUINT64_FORMAT, told_ns);
}

GST_END_TEST;

/* ---- forms ----------------------------------------------------------------- */

GST_START_TEST (large_numbers_saturate)
{
  const GstTfrcPlayout most = { G_MAXUINT64 - 1, G_MAXUINT64 - 1, G_MAXUINT64, G_MAXUINT64 };
  TfrcWirePlayout wire = gst_tfrc_playout_to_wire (&most);
  GstTfrcPlayout playout = GST_TFRC_PLAYOUT_INIT;

  fail_unless_equals_int_hex (wire.delay_ms, G_MAXUINT32);
  fail_unless_equals_int_hex (wire.queueing_us, TFRC_WIRE_QUEUEING_UNKNOWN - 1);
  fail_unless_equals_int_hex (wire.ahead_ms, G_MAXUINT32);
  fail_unless_equals_int_hex (wire.ahead_bytes, G_MAXUINT32);
  wire = gst_tfrc_playout_to_wire (&playout);
  fail_unless_equals_int_hex (wire.queueing_us, TFRC_WIRE_QUEUEING_UNKNOWN);
  fail_unless_equals_int (wire.delay_ms, 0);
  playout = gst_tfrc_playout_from_wire (&wire);
  fail_unless_equals_uint64 (playout.queueing_ns, GST_TFRC_QUEUEING_UNKNOWN);
}

GST_END_TEST;

static Suite *
playout_suite (void)
{
  Suite *s = suite_create ("playout");
  TCase *tc = tcase_create ("session");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, the_playout_delay_is_told_only_if_it_is_to_be);
  tcase_add_test (tc, the_sender_has_what_the_receiver_tells);
  tcase_add_test (tc, a_wait_in_the_sender_is_no_queueing);
  tcase_add_test (tc, the_most_of_the_last_round_trip_is_told);
  tcase_add_test (tc, a_queue_that_has_emptied_is_forgotten_after_two_round_trips);
  tcase_add_test (tc, without_a_report_queueing_is_not_known);
  tcase_add_test (tc, a_longer_path_counts_as_queueing_at_once);
  tcase_add_test (tc, a_forecast_that_was_too_small_is_made_up_for);
  tcase_add_test (tc, large_numbers_saturate);
  return s;
}

GST_CHECK_MAIN (playout);
