/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of another stream becomes the peer of a source, or does not. */
#include "tfrctest.h"

#define SSRC_A 0x11111111
#define SSRC_B 0x22222222

static TestReceiver *receiver;
static TestPeer *peer;
static GBytes *movie;
static GByteArray *expected;

static void
start (void)
{
  receiver = test_receiver_new ("latency=3600000 keep-listening=true");
  peer = test_peer_new (0);
  movie = test_movie (7 * 40, 9);
  expected = g_byte_array_new ();
}

static void
finish (void)
{
  test_receiver_free (receiver);
  test_peer_free (peer);
  g_bytes_unref (movie);
  g_byte_array_unref (expected);
}

/* Sends the payload with the number @i as a packet of this stream. */
static void
send_payload_of (TestPeer *from, guint32 ssrc, guint16 seq, guint i)
{
  const guint8 *ts = g_bytes_get_data (movie, NULL);

  from->ssrc = ssrc;
  test_peer_send_data_at (from, receiver->port, seq, ts + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
}

static void
expect_too (guint i)
{
  const guint8 *ts = g_bytes_get_data (movie, NULL);

  g_byte_array_append (expected, ts + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
}

/* This payload and the expected ones before it come out of the pipeline, and no others. */
static void
expect_payload (guint i)
{
  GBytes *all;

  expect_too (i);
  all = g_bytes_new (expected->data, expected->len);
  test_receiver_wait_movie (receiver, all);
  g_bytes_unref (all);
}

static gboolean
has_discont (guint i)
{
  gboolean discont;

  g_mutex_lock (&receiver->lock);
  discont = g_array_index (receiver->buffers, TestBuffer, i).discont;
  g_mutex_unlock (&receiver->lock);
  return discont;
}

static gboolean
is_challenge (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_challenge;
}

GST_START_TEST (test_one_packet_of_another_ssrc_does_not_end_the_stream)
{
  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  expect_payload (0);
  peer->unresponsive = TRUE; /* SSRC_B is forged: the peer does not answer for it */
  send_payload_of (peer, SSRC_B, 7, 1);
  send_payload_of (peer, SSRC_A, 101, 2);
  expect_payload (2);
  fail_if (has_discont (1));
  fail_unless_equals_uint64 (test_stat (receiver->src, "ssrc"), SSRC_A);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), 2);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_a_restarted_sender_takes_over_when_it_answers)
{
  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  expect_payload (0);
  send_payload_of (peer, SSRC_B, 65535, 1);
  expect_payload (1);
  send_payload_of (peer, SSRC_B, 0, 2);
  expect_payload (2);
  fail_unless (has_discont (1));
  fail_if (has_discont (2));
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  peer->unresponsive = TRUE;
  send_payload_of (peer, SSRC_A, 101, 3);
  send_payload_of (peer, SSRC_B, 1, 4);
  expect_payload (4);
  finish ();
}

GST_END_TEST;

/* Another host forges packets with the sender's address. */
GST_START_TEST (test_a_sender_that_goes_on_is_not_displaced)
{
  guint seen = 0;

  start ();
  for (guint i = 0; i < 40; i++) {
    send_payload_of (peer, SSRC_A, 100 + i, i);
    expect_payload (i);
    peer->unresponsive = TRUE;
    send_payload_of (peer, SSRC_B, 2 * i, 1);
    send_payload_of (peer, SSRC_B, 2 * i + 1, 1);
    /* lets more time pass than the source accepts as silence */
    gst_message_unref (
        test_log_wait (receiver->log, seen + 1, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
    seen = test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);
  }
  fail_unless_equals_uint64 (test_stat (receiver->src, "ssrc"), SSRC_A);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), 40);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_packets_out_of_sequence_do_not_take_over)
{
  const guint16 seqs[] = { 7, 9, 9, 8 };

  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  expect_payload (0);
  peer->unresponsive = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++)
    send_payload_of (peer, SSRC_B, seqs[i], 1);
  send_payload_of (peer, SSRC_B + 1, 9, 1);
  send_payload_of (peer, SSRC_A, 101, 2);
  expect_payload (2);
  fail_unless_equals_uint64 (test_stat (receiver->src, "ssrc"), SSRC_A);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_after_bye_one_packet_is_a_new_stream)
{
  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  test_peer_end_stream (peer, receiver->port);
  expect_payload (0);
  send_payload_of (peer, SSRC_B, 7, 1);
  expect_payload (1);
  fail_unless (has_discont (1));
  finish ();
}

GST_END_TEST;

/* The network may deliver the BYE after the first packet of the next stream. */
GST_START_TEST (test_first_packet_may_come_before_the_bye)
{
  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  expect_payload (0);
  send_payload_of (peer, SSRC_B, 7, 1);
  peer->ssrc = SSRC_A;
  test_peer_send_bye (peer, receiver->port);
  send_payload_of (peer, SSRC_B, 8, 2);
  expect_too (1);
  expect_payload (2);
  finish ();
}

GST_END_TEST;

/* The source keeps the other sender's packets until it takes over. */
GST_START_TEST (test_another_address_takes_over_after_silence)
{
  TestPeer *other = test_peer_new (0);

  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  expect_payload (0);
  for (guint i = 1; i <= 3; i++) {
    send_payload_of (other, SSRC_B, i, i);
    expect_too (i);
  }
  fail_unless_equals_uint64 (test_stat (receiver->src, "ssrc"), SSRC_A);
  test_log_wait_stat (receiver->log, "src", "ssrc", SSRC_B);
  send_payload_of (other, SSRC_B, 4, 4);
  expect_payload (4);
  /* the first sender takes over again as soon as it goes on */
  send_payload_of (peer, SSRC_A, 101, 5);
  expect_payload (5);
  fail_unless_equals_uint64 (test_stat (receiver->src, "ssrc"), SSRC_A);
  test_peer_free (other);
  finish ();
}

GST_END_TEST;

/* An unresponsive sender is the peer until a responsive one comes. */
GST_START_TEST (test_an_unresponsive_peer_is_displaced_by_a_responsive_sender)
{
  TestPeer *stranger = test_peer_new (0);

  start ();
  stranger->unresponsive = TRUE;
  for (guint i = 0; i < 2; i++) {
    send_payload_of (stranger, SSRC_A, i, i);
    expect_too (i);
  }
  test_log_wait_stat (receiver->log, "src", "packets-received", 2);
  send_payload_of (peer, SSRC_B, 7, 2);
  expect_payload (2);
  send_payload_of (stranger, SSRC_A, 2, 3);
  send_payload_of (peer, SSRC_B, 8, 4);
  expect_payload (4);
  test_peer_free (stranger);
  finish ();
}

GST_END_TEST;

/* The peer answers the challenge that follows the BYE, so the stream goes on. */
GST_START_TEST (test_a_forged_bye_does_not_end_the_stream)
{
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;

  start ();
  send_payload_of (peer, SSRC_A, 100, 0);
  expect_payload (0);
  test_peer_send_bye (peer, receiver->port);
  rtcp = test_peer_receive_rtcp (peer, is_challenge);
  test_peer_send (
      peer, receiver->port, packet, tfrc_wire_write_path_response (packet, SSRC_A, rtcp.challenge));
  test_log_wait_stat (receiver->log, "src", "byes-refused", 1);
  send_payload_of (peer, SSRC_A, 101, 1);
  expect_payload (1);
  fail_if (has_discont (1));
  finish ();
}

GST_END_TEST;

static Suite *
takeover_suite (void)
{
  Suite *suite = suite_create ("takeover");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_one_packet_of_another_ssrc_does_not_end_the_stream);
  tcase_add_test (tcase, test_a_restarted_sender_takes_over_when_it_answers);
  tcase_add_test (tcase, test_a_sender_that_goes_on_is_not_displaced);
  tcase_add_test (tcase, test_packets_out_of_sequence_do_not_take_over);
  tcase_add_test (tcase, test_after_bye_one_packet_is_a_new_stream);
  tcase_add_test (tcase, test_first_packet_may_come_before_the_bye);
  tcase_add_test (tcase, test_another_address_takes_over_after_silence);
  tcase_add_test (tcase, test_an_unresponsive_peer_is_displaced_by_a_responsive_sender);
  tcase_add_test (tcase, test_a_forged_bye_does_not_end_the_stream);
  return suite;
}

GST_CHECK_MAIN (takeover);
