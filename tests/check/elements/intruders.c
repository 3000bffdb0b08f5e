/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets from other senders: a second stream, garbage, forgeries.  The running stream is not
 * disturbed. */
#include "tfrctest.h"

#include <string.h>

static gint
local_port (TestSender *sender)
{
  return (gint) test_stat (sender->sink, "local-port");
}

/* Packets that the element refused: not from its peer, or malformed */
static guint64
refused (GstElement *element)
{
  return test_stat (element, "foreign-packets") + test_stat (element, "malformed-packets");
}

/* Waits until the element has refused at least @n packets.  Each new statistics message is a
 * reason to look again. */
static void
wait_at_least_refused (GstElement *element, TestLog *log, guint64 n)
{
  while (refused (element) < n) {
    guint seen = test_log_count (log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);

    if (refused (element) >= n)
      break;
    gst_message_unref (test_log_wait (log, seen + 1, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  }
}

static void
wait_refused (GstElement *element, TestLog *log, guint64 n)
{
  wait_at_least_refused (element, log, n);
  fail_unless_equals_uint64 (refused (element), n);
}

GST_START_TEST (test_second_stream_waits_until_the_first_has_ended)
{
  TestReceiver *receiver = test_receiver_new ("keep-listening=true");
  TestSender *one = test_sender_new (receiver->port, NULL);
  TestSender *another = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (140, 1), *half;
  GBytes *intruder = test_movie (70, 2);

  half = g_bytes_new_from_bytes (movie, 0, 70 * TS_BYTES);
  test_sender_push_bytes (one, half, 0);
  test_receiver_wait_movie (receiver, half);
  test_sender_push_bytes (another, intruder, 0);
  test_log_wait_stat (another->log, "sink", "packets-sent", 1);
  test_sender_push (
      one, (const guint8 *) g_bytes_get_data (movie, NULL) + 70 * TS_BYTES, 70 * TS_BYTES);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);

  test_sender_eos (one);
  test_sender_wait_eos (one);
  test_receiver_wait_bytes (receiver, g_bytes_get_size (movie) + 1);
  gst_message_unref (
      test_log_wait (another->log, 1, GST_MESSAGE_ELEMENT, "tfrc-peer-state", "connected"));
  test_sender_free (one);
  test_sender_free (another);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_bytes_unref (half);
  g_bytes_unref (intruder);
}

GST_END_TEST;

/* ---- forged feedback --------------------------------------------------- */

/* Feedback that would stop a sender that believed it */
static gsize
write_feedback (
    guint8 *packet, guint32 media_ssrc, guint32 send_time_us, guint32 delay_us, guint32 number)
{
  TfrcFeedback feedback = { 0 };
  TfrcWireState state = { 0 };

  feedback.recv_data_us = send_time_us;
  feedback.delay_us = delay_us;
  feedback.x_recv_Bps = 1;
  feedback.p = 1;
  state.feedback_number = number;
  state.loss_events = 1000;
  return tfrc_wire_write_feedback (packet, 0x33333333, media_ssrc, &feedback, &state);
}

GST_START_TEST (test_forged_feedback_is_refused)
{
  TestPeer *receiver = test_peer_new (0), *forger = test_peer_new (0);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (7, 1);
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireData data;
  gsize size;

  test_sender_push_bytes (sender, movie, 0);
  data = test_peer_receive_data (receiver, NULL);
  /* all fields are right, but the address is not the receiver's */
  size = write_feedback (packet, data.ssrc, data.send_time_us, 0, 1);
  test_peer_send (forger, local_port (sender), packet, size);
  wait_refused (sender->sink, sender->log, 1);
  /* all fields are right, but the SSRC is of another stream */
  size = write_feedback (packet, data.ssrc + 1, data.send_time_us, 0, 1);
  test_peer_send (receiver, local_port (sender), packet, size);
  wait_refused (sender->sink, sender->log, 2);
  fail_unless_equals_uint64 (test_stat (sender->sink, "feedback-received"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "rtt"), 0);
  test_sender_free (sender);
  test_peer_free (receiver);
  test_peer_free (forger);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Feedback with impossible fields is refused, even from the right address. */
GST_START_TEST (test_impossible_and_stale_feedback_is_refused)
{
  TestPeer *receiver = test_peer_new (0);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (7, 1);
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireData data;
  gdouble p;
  struct
  {
    guint32 send_time_us, delay_us, number;
  } cases[] = {
    { 10000000, 0, 6 },            /* about data that is not sent yet */
    { (guint32) -10000000, 0, 6 }, /* before the first was sent */
    { 0, 3600000000u, 6 },         /* held longer than the stream has existed */
    { 0, 0, 5 },                   /* the number has been used */
    { 0, 0, 4 },                   /* older than the last number */
  };

  test_sender_push_bytes (sender, movie, 0);
  data = test_peer_receive_data (receiver, NULL);
  test_peer_send_feedback (receiver, local_port (sender), &data, 5);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    test_peer_send (receiver, local_port (sender), packet,
        write_feedback (packet, data.ssrc, data.send_time_us + cases[i].send_time_us,
            cases[i].delay_us, cases[i].number));
  test_log_wait_stat (sender->log, "sink", "feedback-refused", G_N_ELEMENTS (cases));
  fail_unless_equals_uint64 (test_stat (sender->sink, "feedback-received"), 1);
  p = test_stat_double (sender->sink, "loss-event-rate");
  fail_unless (p == 0);
  test_sender_free (sender);
  test_peer_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- garbage ----------------------------------------------------------- */

#define N_ROUNDS 30

/* A source holds packets of four unknown senders, eight of each: they may turn out to be
 * streams. */
#define MAX_HELD_PACKETS 64
#define PER_ROUND 8

/* Writes a packet of one of several kinds.  No element may believe any of them. */
static gsize
write_garbage (GRand *random, guint kind, guint32 ssrc, guint8 *packet)
{
  TfrcWireData data = { 0 };
  gsize size = 0;

  data.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  data.seq = (guint16) g_rand_int (random);
  data.ssrc = ssrc;
  data.send_time_us = g_rand_int (random);
  data.rtt_us = g_rand_int (random) & 0xffffff;
  switch (kind % PER_ROUND) {
    case 0: /* random bytes */
      size = 1 + g_rand_int_range (random, 0, 1500);
      for (guint i = 0; i < size; i++)
        packet[i] = (guint8) g_rand_int (random);
      break;
    case 1: /* data of the stream itself, from elsewhere */
    case 2: /* … damaged, */
    case 3: /* … or cut off */
      size = tfrc_wire_write_data (packet, &data);
      memset (packet + size, 0, PAYLOAD_BYTES);
      packet[size] = 0x47;
      size += PAYLOAD_BYTES;
      break;
    case 4: /* feedback with the true SSRC */
    case 5:
    case 6:
      size = write_feedback (packet, ssrc, data.send_time_us, 0, 1u << 30);
      break;
    case 7: /* the end of the stream */
      size = tfrc_wire_write_bye (packet, ssrc, "forged");
      break;
  }
  if (kind % 3 == 2)
    packet[g_rand_int_range (random, 0, (gint32) size)] ^= 1 << g_rand_int_range (random, 0, 8);
  return kind % 4 == 3 ? 1 + g_rand_int (random) % size : size;
}

GST_START_TEST (test_garbage_at_both_ports_does_not_disturb_the_stream)
{
  TestReceiver *receiver = test_receiver_new ("latency=3600000");
  TestSender *sender = test_sender_new (receiver->port, NULL);
  TestPeer *forger = test_peer_new (0);
  GRand *random = g_rand_new_with_seed (5348);
  GBytes *movie = test_movie (7 * N_ROUNDS, 1);
  const guint8 *data = g_bytes_get_data (movie, NULL);
  guint8 packet[2048];
  guint32 ssrc;

  test_sender_push (sender, data, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, PAYLOAD_BYTES);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  ssrc = (guint32) test_stat (sender->sink, "ssrc");
  for (guint round = 1; round < N_ROUNDS; round++) {
    for (guint kind = 0; kind < PER_ROUND; kind++) {
      gsize size = write_garbage (random, kind + round, ssrc, packet);

      test_peer_send (forger, receiver->port, packet, size);
      test_peer_send (forger, local_port (sender), packet, size);
    }
    test_sender_push (sender, data + round * PAYLOAD_BYTES, PAYLOAD_BYTES);
    test_receiver_wait_bytes (receiver, (round + 1) * PAYLOAD_BYTES);
    /* Every forged packet is counted, so none was taken for a packet of the peer.  The source
     * still holds the last ones. */
    wait_at_least_refused (receiver->src, receiver->log,
        round * PER_ROUND - MIN (round * PER_ROUND, MAX_HELD_PACKETS));
    wait_refused (sender->sink, sender->log, round * PER_ROUND);
  }
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (sender->sink, "feedback-refused"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless (test_stat_double (sender->sink, "loss-event-rate") == 0);
  fail_unless (
      test_stat (sender->sink, "feedback-received") <= test_stat (receiver->src, "feedback-sent"));
  test_sender_eos (sender);
  test_receiver_wait_eos (receiver);
  g_rand_free (random);
  test_peer_free (forger);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Only garbage comes: neither end takes its sender for the peer. */
GST_START_TEST (test_garbage_alone_starts_no_stream)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestPeer *forger = test_peer_new (0);
  GRand *random = g_rand_new_with_seed (1);
  guint8 packet[2048];
  gchar *name;

  for (guint i = 0; i < 40; i++) {
    gsize size = 1 + g_rand_int_range (random, 0, 1500);

    for (gsize j = 0; j < size; j++)
      packet[j] = (guint8) g_rand_int (random);
    test_peer_send (forger, receiver->port, packet, size);
  }
  wait_refused (receiver->src, receiver->log, 40);
  name = test_stat_string (receiver->src, "sender");
  fail_unless_equals_string (name, "");
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  g_free (name);
  g_rand_free (random);
  test_peer_free (forger);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
intruders_suite (void)
{
  Suite *suite = suite_create ("intruders");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_second_stream_waits_until_the_first_has_ended);
  tcase_add_test (tcase, test_forged_feedback_is_refused);
  tcase_add_test (tcase, test_impossible_and_stale_feedback_is_refused);
  tcase_add_test (tcase, test_garbage_at_both_ports_does_not_disturb_the_stream);
  tcase_add_test (tcase, test_garbage_alone_starts_no_stream);
  return suite;
}

GST_CHECK_MAIN (intruders);
