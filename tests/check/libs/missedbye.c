/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a stream whose BYEs its receiver has missed: both flows, as the elements have them, and a path between them,
 * in virtual time. */
#include "flowpair.h"

#define MS GST_MSECOND

static guint64 delay; /* one way */
static guint byes, feedbacks;
static guint64 bye_ns[64];
static TfrcWireRtcp sender_report; /* the last one */
static gboolean loses_to_sink, loses_byes;

static void
setup (void)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcSendFlowConfig config = { .limits.max_queue_packets = 64 };
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = 0xfeedbac4, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };

  begin_time ();
  config.session.peer = src_address;
  sink = gst_tfrc_send_flow_new (&config, now);
  tfrc_receiver_config_init (&receiver.receiver);
  receiver.limits = (GstTfrcReceiveFlowLimits){ .window_ns = 200 * MS, .max_time_ns = GST_SECOND };
  src = gst_tfrc_receive_flow_new (&receiver, now);
  pool = gst_tfrc_packet_pool_new ();
  delay = 20 * MS;
  byes = feedbacks = 0;
  loses_to_sink = loses_byes = FALSE;
}

static void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = new_in_flight (datagram, to_src);
  TfrcWireRtcp rtcp = { 0 };
  gboolean is_rtcp = tfrc_wire_parse_rtcp (packet->data, packet->size, 0, &rtcp) == TFRC_WIRE_OK;

  if (to_src && is_rtcp && rtcp.has_bye)
    bye_ns[byes++] = now;
  if (to_src && is_rtcp && rtcp.has_sr)
    sender_report = rtcp;
  feedbacks += !to_src && is_rtcp && rtcp.has_feedback;
  if (to_src ? loses_byes && is_rtcp && rtcp.has_bye : loses_to_sink) {
    g_free (packet);
    return;
  }
  packet->arrival_ns = now + delay;
  g_queue_push_tail (&network, packet);
}

static gboolean
has_ended (void)
{
  GstTfrcReceiveFlowStats stats;

  gst_tfrc_receive_flow_get_stats (src, &stats);
  return stats.sender_has_ended;
}

static void
run (guint64 duration_ns)
{
  for (guint64 end_ns = now + duration_ns; now < end_ns; now += STEP) {
    GstTfrcReorderItem item;

    deliver_due ();
    pump (gst_tfrc_send_flow_get_base (sink), TRUE);
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    while (gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (src), now, &item, 1) > 0)
      gst_buffer_unref (item.data);
  }
}

/* One packet leaves before a receiver is known. */
static void
push_movie (void)
{
  gst_tfrc_outbox_push (
      gst_tfrc_send_flow_get_outbox (sink), new_packet (0), GST_TFRC_RTP_MEDIA, now, now);
}

static void
say_bye (void)
{
  gst_tfrc_send_flow_say_bye (sink);
  run (STEP);
}

/* The receiver's challenges are lost at first, as long as the sender repeats the BYE: nobody seems to listen. */
GST_START_TEST (a_receiver_that_is_validated_after_the_byes_hears_of_the_end)
{
  push_movie ();
  loses_to_sink = TRUE;
  run (100 * MS);
  say_bye ();
  run (100 * MS);
  fail_unless_equals_int (byes, 1);
  fail_if (gst_tfrc_selection_is_validated (gst_tfrc_receive_flow_get_selection (src)));
  feedbacks = 0;
  loses_to_sink = FALSE;
  run (2 * GST_SECOND);
  fail_unless (feedbacks > 0);
  fail_unless (has_ended ());
  fail_unless (gst_tfrc_send_flow_is_bye_answered (sink));
}

GST_END_TEST;

/* The BYEs are lost, so that the receiver goes on to report. */
GST_START_TEST (each_report_on_an_ended_stream_is_answered_until_a_bye_arrives)
{
  push_movie ();
  run (300 * MS);
  loses_byes = TRUE;
  say_bye ();
  run (GST_SECOND);
  fail_unless (byes >= 2 && byes <= 1 + feedbacks);
  fail_unless (!has_ended ());
  loses_byes = FALSE;
  run (2 * GST_SECOND);
  fail_unless (has_ended ());
  byes = 0;
  run (10 * GST_SECOND);
  fail_unless_equals_int (byes, 0);
}

GST_END_TEST;

/* What was on its way when the BYE left tells nothing of that BYE. */
GST_START_TEST (a_report_that_left_before_the_bye_came_is_not_answered)
{
  push_movie ();
  run (300 * MS);
  push_movie ();
  run (delay); /* feedback leaves now */
  say_bye ();
  run (GST_SECOND);
  fail_unless_equals_int (byes, 1);
  fail_unless (has_ended ());
}

GST_END_TEST;

/* A receiver reports at every step on a stream whose BYEs are lost. Returns the time from the first BYE to the second,
 * which is that from each to the next. */
static guint64
bye_interval_ns (void)
{
  push_movie ();
  run (300 * MS);
  push_movie ();
  run (GST_SECOND);
  loses_byes = TRUE;
  say_bye ();
  for (guint64 end_ns = now + GST_SECOND; now < end_ns;) {
    TfrcWireRtcp rtcp = { .sender_ssrc = 0xfeedbac4, .has_report = TRUE };
    guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
    gsize size;

    rtcp.report.ssrc = sender_report.sender_ssrc;
    rtcp.report.lsr = (guint32) (sender_report.sr_ntp >> 16);
    size = tfrc_wire_write_receiver_report (packet, &rtcp, "test");
    deliver_to (FALSE, &src_address, &sink_address, packet, size);
    run (STEP);
  }
  fail_unless (byes >= 5);
  for (guint i = 2; i < byes; i++)
    fail_unless_equals_uint64 (bye_ns[i] - bye_ns[i - 1], bye_ns[1] - bye_ns[0]);
  return bye_ns[1] - bye_ns[0];
}

GST_START_TEST (byes_to_a_receiver_that_reports_often_are_two_round_trips_apart)
{
  delay = 50 * MS;
  fail_unless_equals_uint64 (bye_interval_ns (), 200 * MS);
}

GST_END_TEST;

GST_START_TEST (byes_on_a_short_path_are_50_ms_apart)
{
  delay = 5 * MS;
  fail_unless_equals_uint64 (bye_interval_ns (), 50 * MS);
}

GST_END_TEST;

static Suite *
missedbye_suite (void)
{
  Suite *suite = suite_create ("missedbye");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, free_pair);
  tcase_add_test (chain, a_receiver_that_is_validated_after_the_byes_hears_of_the_end);
  tcase_add_test (chain, each_report_on_an_ended_stream_is_answered_until_a_bye_arrives);
  tcase_add_test (chain, a_report_that_left_before_the_bye_came_is_not_answered);
  tcase_add_test (chain, byes_to_a_receiver_that_reports_often_are_two_round_trips_apart);
  tcase_add_test (chain, byes_on_a_short_path_are_50_ms_apart);
  return suite;
}

GST_CHECK_MAIN (missedbye);
