/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What udpsink sends, a plain transport stream in datagrams, to tfrcsrc, see gst/flow/udpts.h. */
#include "tfrctest.h"

/* Few enough for any socket's buffer: a receiver that is late loses none. */
#define N_DATAGRAMS 40

static GBytes *movie;

static void
setup (void)
{
  movie = test_movie (7 * N_DATAGRAMS, 1);
}

static void
teardown (void)
{
  g_bytes_unref (movie);
}

/* Sends the movie from an address of its own: udpsink makes a datagram of each buffer. */
static void
send_movie (const TestReceiver *receiver, gint own_port)
{
  gchar *description = g_strdup_printf ("appsrc name=in max-bytes=0 "
                                        "! udpsink name=sink host=127.0.0.1 port=%d bind-port=%d",
      receiver->port, own_port);
  TestSender *sender = test_sender_launch (description);

  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_sender_free (sender);
  g_free (description);
}

GST_START_TEST (test_each_byte_that_udpsink_sends_comes_out_if_asked)
{
  TestReceiver *receiver = test_receiver_new ("accept-udp-ts=true");

  send_movie (receiver, 0);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (receiver->src, "tfrc"), FALSE);
  fail_unless_equals_uint64 (test_stat (receiver->src, "malformed-packets"), 0);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_WARNING, NULL, NULL), 0);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* The only warning names the sender and the property that would play this. */
static void
check_warning (TestReceiver *receiver, gint own_port)
{
  GstMessage *message = test_log_wait (receiver->log, 1, GST_MESSAGE_WARNING, NULL, NULL);
  gchar *address = g_strdup_printf ("Packets from 127.0.0.1:%d ", own_port);
  GError *error = NULL;
  gchar *details = NULL;

  gst_message_parse_warning (message, &error, &details);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE));
  fail_unless (strstr (error->message, address) != NULL, "%s", error->message);
  fail_unless (strstr (details, "plain transport stream over UDP") != NULL
          && strstr (details, "accept-udp-ts=true") != NULL,
      "%s", details);
  fail_unless_equals_int (test_log_count (receiver->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  g_error_free (error);
  g_free (details);
  g_free (address);
  gst_message_unref (message);
}

/* Another sender would be another reason for a warning. */
GST_START_TEST (test_without_asking_one_warning_names_the_sender_and_nothing_comes_out)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  gint own_port = test_free_port ();

  send_movie (receiver, own_port);
  send_movie (receiver, 0);
  test_log_wait_stat (receiver->log, "src", "malformed-packets", 2 * N_DATAGRAMS);
  check_warning (receiver, own_port);
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* Plain packets have no tag that a key could check. */
GST_START_TEST (test_with_keys_nothing_comes_out_although_asked)
{
  TestReceiver *receiver = test_receiver_new ("accept-udp-ts=true passphrase=\"of this movie\"");

  send_movie (receiver, 0);
  test_log_wait_stat (receiver->log, "src", "malformed-packets", N_DATAGRAMS);
  fail_unless_equals_uint64 (test_receiver_bytes (receiver), 0);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
udpts_suite (void)
{
  Suite *suite = suite_create ("udpts");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_each_byte_that_udpsink_sends_comes_out_if_asked);
  tcase_add_test (tcase, test_without_asking_one_warning_names_the_sender_and_nothing_comes_out);
  tcase_add_test (tcase, test_with_keys_nothing_comes_out_although_asked);
  return suite;
}

GST_CHECK_MAIN (udpts);
