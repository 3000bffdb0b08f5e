/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that tfrcsrc outputs when sequence numbers jump. */
#include "tfrctest.h"

#include <string.h>

#define FIRST 65530 /* sequence number */
#define N 6

/* Sends the first packets of a stream, then one packet of another sender with a number far from
 * the stream's, then the rest of the stream, @ahead numbers further on.  The whole stream comes
 * out, including the two packets that show where it goes on.  Nothing else comes out. */
static void
go_on (gint ahead, guint missing)
{
  TestReceiver *receiver = test_receiver_new ("latency=1");
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7 * N, 9), *other = test_movie (7, 10);
  const guint8 *ts = g_bytes_get_data (movie, NULL);

  for (guint i = 0; i < N; i++) {
    guint16 seq = (guint16) (FIRST + i + (i < 2 ? 0 : ahead));

    if (i == 2)
      test_peer_send_data_at (peer, receiver->port, (guint16) (FIRST + 9000),
          g_bytes_get_data (other, NULL), PAYLOAD_BYTES);
    test_peer_send_data_at (peer, receiver->port, seq, ts + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
  }
  test_receiver_wait_movie (receiver, movie);
  g_mutex_lock (&receiver->lock);
  for (guint i = 1; i < N; i++)
    fail_unless_equals_int (
        g_array_index (receiver->buffers, TestBuffer, i).discont, i == 2 && ahead != 0);
  g_mutex_unlock (&receiver->lock);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), N);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-suspect"), 1 + (ahead != 0));
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), missing);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-missing"), missing);
  test_peer_free (peer);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_bytes_unref (other);
}

GST_START_TEST (test_one_packet_far_away_does_not_come_out)
{
  go_on (0, 0);
}

GST_END_TEST;

GST_START_TEST (test_both_packets_after_an_outage_come_out)
{
  go_on (600, 600);
}

GST_END_TEST;

GST_START_TEST (test_both_packets_of_a_restart_come_out)
{
  go_on (30000, 0);
  go_on (-12000, 0);
}

GST_END_TEST;

/* The stray packet takes the place of one packet of the stream.  The packets before it come
 * late, but in time.  All packets fit into a socket's buffer. */
GST_START_TEST (test_one_packet_a_little_ahead_displaces_one_packet)
{
  TestReceiver *receiver = test_receiver_new ("latency=3600000");
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7 * 33, 9), *other = test_movie (7, 10);
  const guint8 *ts = g_bytes_get_data (movie, NULL);
  GByteArray *out = g_byte_array_new ();
  GBytes *expected;

  g_byte_array_append (out, ts, 33 * PAYLOAD_BYTES);
  memcpy (out->data + 31 * PAYLOAD_BYTES, g_bytes_get_data (other, NULL), PAYLOAD_BYTES);
  expected = g_byte_array_free_to_bytes (out);
  for (guint i = 0; i < 33; i++) {
    if (i == 2)
      test_peer_send_data_at (peer, receiver->port, (guint16) (FIRST + 31),
          g_bytes_get_data (other, NULL), PAYLOAD_BYTES);
    test_peer_send_data_at (
        peer, receiver->port, (guint16) (FIRST + i), ts + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
  }
  test_receiver_wait_movie (receiver, expected);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-late"), 29);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-duplicate"), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-too-late"), 0);
  test_peer_free (peer);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_bytes_unref (other);
  g_bytes_unref (expected);
}

GST_END_TEST;

static Suite *
jumps_suite (void)
{
  Suite *suite = suite_create ("jumps");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_one_packet_far_away_does_not_come_out);
  tcase_add_test (tcase, test_both_packets_after_an_outage_come_out);
  tcase_add_test (tcase, test_both_packets_of_a_restart_come_out);
  tcase_add_test (tcase, test_one_packet_a_little_ahead_displaces_one_packet);
  return suite;
}

GST_CHECK_MAIN (jumps);
