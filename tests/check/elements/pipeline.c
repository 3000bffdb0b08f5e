/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie from tfrcsink to tfrcsrc: the output is identical to the input. */
#include "tfrctest.h"

#include "../libs/teststream.h"

static void
send_movie (TestReceiver *receiver, GBytes *movie, gsize buffer_bytes, const gchar *sink_properties)
{
  TestSender *sender = test_sender_new (receiver->port, sink_properties);

  test_sender_push_bytes (sender, movie, buffer_bytes);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
}

static const gsize buffer_sizes[] = { 1, 187, 188, 1316, 4096, 100000 };

GST_START_TEST (test_stream_is_identical_for_every_buffer_size)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  GBytes *movie = test_movie (__i__ == 0 ? 83 : 587, __i__);

  send_movie (receiver, movie, buffer_sizes[__i__], NULL);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_partial_payload_is_sent_at_eos)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  GBytes *movie = test_movie (10, 1);

  send_movie (receiver, movie, 0, NULL);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_int (receiver->buffers->len, 2);
  fail_unless_equals_uint64 (g_array_index (receiver->buffers, TestBuffer, 0).size, PAYLOAD_BYTES);
  fail_unless_equals_uint64 (g_array_index (receiver->buffers, TestBuffer, 1).size, 3 * TS_BYTES);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* One packet is less than the parser needs to be sure of a transport stream. */
GST_START_TEST (test_single_ts_packet_is_a_stream)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  GBytes *movie = test_movie (1, 1);

  send_movie (receiver, movie, 100, NULL);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
check_garbage_is_skipped (gsize before, gsize inside)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (70, 2);
  GByteArray *damaged = g_byte_array_new ();
  const guint8 *data = g_bytes_get_data (movie, NULL);
  guint8 *garbage = g_malloc0 (MAX (before, inside) + 1);
  gsize half = 35 * TS_BYTES;

  g_byte_array_append (damaged, garbage, (guint) before);
  g_byte_array_append (damaged, data, (guint) half);
  g_byte_array_append (damaged, garbage, (guint) inside);
  g_byte_array_append (damaged, data + half, (guint) half);
  test_sender_push (sender, damaged->data, damaged->len);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_byte_array_unref (damaged);
  g_free (garbage);
  g_bytes_unref (movie);
}

GST_START_TEST (test_garbage_before_the_stream_is_skipped_with_one_warning)
{
  check_garbage_is_skipped (1000, 0);
}

GST_END_TEST;

GST_START_TEST (test_garbage_inside_the_stream_is_skipped_with_one_warning)
{
  check_garbage_is_skipped (0, 77);
}

GST_END_TEST;

GST_START_TEST (test_eos_comes_when_all_is_sent)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  /* 200 kB/s: the data is pushed at once, and takes longer to send */
  TestSender *sender = test_sender_new (receiver->port, "max-bitrate=1600000 burst-limit=1");
  GBytes *movie = test_movie (350, 3);

  test_sender_push_bytes (sender, movie, 0);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 50);
  fail_unless_equals_uint64 (test_stat (sender->sink, "queue-packets"), 0);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_keep_listening_lets_a_second_stream_in)
{
  TestReceiver *receiver = test_receiver_new ("keep-listening=true");
  GBytes *movie = test_movie (140, 4);
  GBytes *second = test_bytes_from (movie, 70 * TS_BYTES);
  GBytes *first = g_bytes_new_from_bytes (movie, 0, 70 * TS_BYTES);

  send_movie (receiver, first, 0, NULL);
  test_receiver_wait_movie (receiver, first);
  send_movie (receiver, second, 0, NULL);
  test_receiver_wait_movie (receiver, movie);
  fail_unless (g_array_index (receiver->buffers, TestBuffer, 10).discont);
  fail_if (g_array_index (receiver->buffers, TestBuffer, 11).discont);
  fail_if (receiver->eos);
  test_receiver_free (receiver);
  g_bytes_unref (first);
  g_bytes_unref (second);
  g_bytes_unref (movie);
}

GST_END_TEST;

static void
check_addresses (const gchar *address, const gchar *host)
{
  gchar *src_properties = g_strdup_printf ("address=%s", address);
  gchar *sink_properties = g_strdup_printf ("host=%s", host);
  TestReceiver *receiver = test_receiver_new (src_properties);
  GBytes *movie = test_movie (70, 5);

  send_movie (receiver, movie, 0, sink_properties);
  test_receiver_wait_eos (receiver);
  test_receiver_wait_movie (receiver, movie);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_free (src_properties);
  g_free (sink_properties);
}

GST_START_TEST (test_ipv6)
{
  if (test_host_has_ipv6 ())
    check_addresses ("::1", "::1");
}

GST_END_TEST;

GST_START_TEST (test_dual_stack_receives_both_ip_versions)
{
  check_addresses ("::", "127.0.0.1");
  if (test_host_has_ipv6 ())
    check_addresses ("::", "::1");
}

GST_END_TEST;

/* Returns a name whose first address is ::1, which is all that it has on Debian, or NULL. */
static const gchar *
name_of_ipv6_loopback (void)
{
  static const gchar *names[] = { "ip6-localhost", "ip6-loopback", "localhost" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstTfrcAddress address;

    if (gst_tfrc_address_resolve (&address, names[i], 1, AF_UNSPEC, NULL)
        && gst_tfrc_address_family (&address) == AF_INET6)
      return names[i];
  }
  g_print ("skipped: no name of this host is that of an IPv6 address\n");
  return NULL;
}

GST_START_TEST (test_name_of_an_ipv6_address_reaches_receivers_of_ipv6)
{
  const gchar *name = name_of_ipv6_loopback ();

  if (name != NULL && test_host_has_ipv6 ()) {
    check_addresses ("::", name);
    check_addresses ("::1", name);
  }
}

GST_END_TEST;

#define N_STREAMS 50

/* @streams_per_thread: 0: the default, which is more than there are */
static void
run_fifty_streams (guint threads, guint streams_per_thread)
{
  TestReceiver *receivers[N_STREAMS];
  TestSender *senders[N_STREAMS];
  GBytes *movies[N_STREAMS];

  test_limit_loops (threads, streams_per_thread);
  for (guint i = 0; i < N_STREAMS; i++) {
    receivers[i] = test_receiver_new (NULL);
    /* On a slow machine a receiver may seem absent for a while. */
    senders[i] = test_sender_new (receivers[i]->port, "max-queue-time=0 drain-timeout=60000");
    movies[i] = test_movie (70, i);
  }
  test_wait_loop_threads (threads);
  for (guint i = 0; i < N_STREAMS; i++) {
    test_sender_push_bytes (senders[i], movies[i], 4096);
    test_sender_eos (senders[i]);
  }
  for (guint i = 0; i < N_STREAMS; i++) {
    test_receiver_wait_eos (receivers[i]);
    test_receiver_wait_movie (receivers[i], movies[i]);
  }
  for (guint i = 0; i < N_STREAMS; i++) {
    test_sender_free (senders[i]);
    test_receiver_free (receivers[i]);
    g_bytes_unref (movies[i]);
  }
  test_assert_loop_ended ();
  test_limit_loops (0, 0);
}

GST_START_TEST (test_fifty_streams_start_run_and_stop)
{
  run_fifty_streams (1, 0);
}

GST_END_TEST;

/* A sender and its receiver may be on the same thread or on two. */
GST_START_TEST (test_fifty_streams_run_on_four_threads)
{
  run_fifty_streams (4, 25);
}

GST_END_TEST;

/* If the system chose the source address, it would answer from 127.0.0.1 what came to 127.0.0.2. */
static const gchar *all_addresses[] = { "address=::", "address=0.0.0.0" };

GST_START_TEST (test_receiver_answers_from_the_address_that_was_sent_to)
{
  TestReceiver *receiver = test_receiver_new (all_addresses[__i__]);
  TestSender *sender = test_sender_new (receiver->port, "host=127.0.0.2");
  GBytes *movie = test_movie (7 * 20, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (sender->sink, "foreign-packets"), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
pipeline_suite (void)
{
  Suite *suite = suite_create ("pipeline");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_stream_is_identical_for_every_buffer_size, 0, G_N_ELEMENTS (buffer_sizes));
  tcase_add_test (tcase, test_partial_payload_is_sent_at_eos);
  tcase_add_test (tcase, test_single_ts_packet_is_a_stream);
  tcase_add_test (tcase, test_garbage_before_the_stream_is_skipped_with_one_warning);
  tcase_add_test (tcase, test_garbage_inside_the_stream_is_skipped_with_one_warning);
  tcase_add_test (tcase, test_eos_comes_when_all_is_sent);
  tcase_add_test (tcase, test_keep_listening_lets_a_second_stream_in);
  tcase_add_test (tcase, test_ipv6);
  tcase_add_test (tcase, test_dual_stack_receives_both_ip_versions);
  tcase_add_test (tcase, test_name_of_an_ipv6_address_reaches_receivers_of_ipv6);
  tcase_add_loop_test (tcase, test_receiver_answers_from_the_address_that_was_sent_to, 0,
      G_N_ELEMENTS (all_addresses));
  tcase_add_test (tcase, test_fifty_streams_start_run_and_stop);
  tcase_add_test (tcase, test_fifty_streams_run_on_four_threads);
  return suite;
}

GST_CHECK_MAIN (pipeline);
