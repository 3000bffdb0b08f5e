/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a sender's packets and the bytes that leave, see gst_tfrc_send_session_prepare()
 * in gst/flow/sendsession.h. */
#include "gst/flow/reception.h"
#include "sessiontest.h"

static SessionTest t;

static void
setup (void)
{
  session_test_init (&t);
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* Waits until a packet is allowed, then sends this packet. */
static void
send_when_allowed (GstTfrcOutgoing *packet)
{
  run (&t, 0);
  t.now_ns = MAX (t.now_ns, gst_tfrc_rate_control_next_send_ns (control_of (t.sink)));
  send_packet (&t, packet);
}

/* A packet is due 1000 s after the start of the clock, and leaves 250 ms later. */
GST_START_TEST (a_packet_leaves_as_the_recorded_bytes)
{
  static const guint8 recorded[] = {
    0x90, 0x21, 0xff, 0xff,                         /* RTP, payload type 33, sequence number */
    0x07, 0x00, 0xb8, 0xae,                         /* time stamp */
    0xc0, 0xff, 0xee, 0x11,                         /* SSRC */
    0xbe, 0xde, 0x00, 0x02,                         /* 2 words of elements */
    0x16, 0x00, 0x00, 0x00, 0x4d, 0xd2, 0xf1, 0x08, /* RTT, send time */
    0x47                                            /* the payload begins */
  };
  /* fixed values instead of random numbers */
  const GstTfrcRtpNumbers numbers = { 0xc0ffee11, 0x12345678, 0xffff };
  GstTfrcOutgoing *packet = new_packet (&t);

  session_test_restart_sink (
      &t, &(GstTfrcSendSessionConfig){ .media.streams[GST_TFRC_RTP_MEDIA].numbers = &numbers });
  gst_tfrc_outgoing_set_due_ns (packet, 1000 * S);
  gst_tfrc_packet_payload (gst_tfrc_outgoing_get_packet (packet))[0] = 0x47;

  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, 1000 * S + 250 * MS), GST_TFRC_PREPARED);
  fail_unless_equals_int (get_datagram (&t, packet), TFRC_WIRE_HEADER_BYTES + SEGMENT);
  fail_unless (memcmp (t.datagram, recorded, sizeof recorded) == 0);
  gst_tfrc_outgoing_free (packet);
}

GST_END_TEST;

GST_START_TEST (a_stream_that_sends_each_packet_once_has_no_transport_numbers)
{
  t.backlog = 300;
  while (t.backlog > 0) {
    run (&t, 100 * MS);
    fail_if (t.header.has_transport_seq);
  }
  fail_unless_equals_uint64 (t.data_sent, 300);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_leaves_again_keeps_its_rtp_number)
{
  GstTfrcOutgoing *packet = new_packet (&t);
  guint16 start;

  send_packet (&t, packet);
  start = t.header.seq;
  fail_unless_equals_int (gst_tfrc_outgoing_get_rtp_seq (packet), start);
  fail_if (t.header.has_transport_seq);

  send_when_allowed (packet);
  fail_unless_equals_int (t.header.seq, start);
  fail_unless (t.header.has_transport_seq);
  fail_unless_equals_int (t.header.transport_seq, (guint16) (start + 1));
  gst_tfrc_outgoing_free (packet);

  packet = new_packet (&t);
  send_when_allowed (packet);
  fail_unless_equals_int (t.header.seq, (guint16) (start + 1));
  fail_unless (t.header.has_transport_seq);
  fail_unless_equals_int (t.header.transport_seq, (guint16) (start + 2));
  gst_tfrc_outgoing_free (packet);
}

GST_END_TEST;

/* At both ends: each second packet leaves twice. TFRC sees no loss and no duplicate. */
GST_START_TEST (tfrc_counts_a_repetition_as_another_packet)
{
  GstTfrcReceptionStats stats;

  for (guint i = 0; i < 200; i++) {
    GstTfrcOutgoing *packet = new_packet (&t);

    send_when_allowed (packet);
    if (i % 2)
      send_when_allowed (packet);
    gst_tfrc_outgoing_free (packet);
  }
  run (&t, 5 * S);
  gst_tfrc_reception_get_stats (t.src, &stats);
  fail_unless_equals_uint64 (stats.receiver.packets_received, 300);
  fail_unless_equals_uint64 (stats.receiver.packets_duplicate, 0);
  fail_unless_equals_uint64 (stats.receiver.packets_lost, 0);
  fail_unless_equals_uint64 (gst_tfrc_receiver_view_get_refused (receiver_of (t.sink)), 0);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused, 0);
  /* The report is about RTP numbers. */
  fail_unless_equals_int ((guint16) t.rr.report.highest_seq, t.header.seq);
}

GST_END_TEST;

GST_START_TEST (transport_numbers_are_in_every_packet_for_a_peer_that_asks)
{
  session_test_restart_sink (
      &t, &(GstTfrcSendSessionConfig){ .media.transport_seq = GST_TFRC_TRANSPORT_SEQ_ALWAYS });
  t.backlog = 20;
  while (t.backlog > 0) {
    run (&t, 100 * MS);
    fail_unless (t.header.has_transport_seq);
    fail_unless_equals_int (t.header.transport_seq, t.header.seq);
    fail_unless_equals_int (
        t.header.header_bytes, TFRC_WIRE_HEADER_BYTES + TFRC_WIRE_TRANSPORT_SEQ_BYTES);
  }
  run (&t, S);
  fail_unless_equals_uint64 (t.data_received, 20);
}

GST_END_TEST;

GST_START_TEST (both_numbers_of_a_packet_that_is_taken_back_are_used_again)
{
  GstTfrcOutgoing *packets[3];
  guint16 start;

  send_data (&t);
  t.backlog = 0;
  run (&t, 5 * S);
  start = (guint16) (t.header.seq + 1);
  for (guint i = 0; i < 3; i++)
    packets[i] = new_packet (&t);
  for (guint i = 0; i < 3; i++) {
    t.now_ns = MAX (t.now_ns, gst_tfrc_rate_control_next_send_ns (control_of (t.sink)));
    fail_unless_equals_int (
        gst_tfrc_send_session_prepare (t.sink, packets[i], t.now_ns), GST_TFRC_PREPARED);
    fail_unless_equals_int (gst_tfrc_outgoing_get_rtp_seq (packets[i]), (guint16) (start + i));
  }
  for (guint i = 3; i-- > 1;) {
    gst_tfrc_send_session_take_back (t.sink, packets[i]);
    fail_if (gst_tfrc_outgoing_has_rtp_seq (packets[i]));
  }
  /* the last packet is sent first: packets 1 and 2 change places */
  send_when_allowed (packets[2]);
  fail_unless_equals_int (t.header.seq, (guint16) (start + 1));
  send_when_allowed (packets[1]);
  fail_unless_equals_int (t.header.seq, (guint16) (start + 2));
  fail_if (t.header.has_transport_seq);
  for (guint i = 0; i < 3; i++)
    gst_tfrc_outgoing_free (packets[i]);
}

GST_END_TEST;

GST_START_TEST (a_repetition_that_is_taken_back_keeps_its_rtp_number)
{
  GstTfrcOutgoing *packet = new_packet (&t), *next = new_packet (&t);
  guint16 start;

  send_packet (&t, packet);
  start = gst_tfrc_outgoing_get_rtp_seq (packet);
  t.now_ns = MAX (t.now_ns, gst_tfrc_rate_control_next_send_ns (control_of (t.sink)));
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
  gst_tfrc_send_session_take_back (t.sink, packet);
  fail_unless (gst_tfrc_outgoing_has_rtp_seq (packet));
  fail_unless_equals_int (gst_tfrc_outgoing_get_rtp_seq (packet), start);
  send_when_allowed (next);
  fail_unless_equals_int (t.header.seq, (guint16) (start + 1));
  fail_if (t.header.has_transport_seq);
  gst_tfrc_outgoing_free (packet);
  gst_tfrc_outgoing_free (next);
}

GST_END_TEST;

static Suite *
sinknumbers_suite (void)
{
  Suite *s = suite_create ("sinknumbers");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_packet_leaves_as_the_recorded_bytes);
  tcase_add_test (tc, a_stream_that_sends_each_packet_once_has_no_transport_numbers);
  tcase_add_test (tc, a_packet_that_leaves_again_keeps_its_rtp_number);
  tcase_add_test (tc, tfrc_counts_a_repetition_as_another_packet);
  tcase_add_test (tc, transport_numbers_are_in_every_packet_for_a_peer_that_asks);
  tcase_add_test (tc, both_numbers_of_a_packet_that_is_taken_back_are_used_again);
  tcase_add_test (tc, a_repetition_that_is_taken_back_keeps_its_rtp_number);
  return s;
}

GST_CHECK_MAIN (sinknumbers);
