/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink waits for a network that is down.  The tests need the privilege to make a network
 * namespace. */
#include "tfrctest.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRESS "10.99.0.1"

static void
configure (const gchar *name, gulong what, struct ifreq *request)
{
  gint fd = socket (AF_INET, SOCK_DGRAM, 0);

  g_strlcpy (request->ifr_name, name, sizeof request->ifr_name);
  fail_unless (fd >= 0 && ioctl (fd, what, request) == 0, "%s: %s", name, g_strerror (errno));
  close (fd);
}

/* Gives the loopback interface a second address, or takes it away.  Without it there is no
 * route, as when a link has gone down. */
static void
set_network (gboolean up)
{
  struct ifreq address = { 0 }, flags = { 0 };
  struct sockaddr_in *v4 = (struct sockaddr_in *) &address.ifr_addr;

  v4->sin_family = AF_INET;
  v4->sin_addr.s_addr = inet_addr (ADDRESS);
  if (up)
    configure ("lo:1", SIOCSIFADDR, &address);
  else
    configure ("lo:1", SIOCSIFFLAGS, &flags);
}

/* Enters a network namespace in which only this test sends. */
static gboolean
enter_namespace (void)
{
  struct ifreq flags = { .ifr_flags = IFF_UP };

  if (unshare (CLONE_NEWNET) < 0) {
    g_print ("skipped: no network namespace (%s)\n", g_strerror (errno));
    return FALSE;
  }
  configure ("lo", SIOCSIFFLAGS, &flags);
  return TRUE;
}

GST_START_TEST (test_nothing_is_lost_while_the_network_is_down)
{
  TestReceiver *receiver;
  TestSender *sender;
  GBytes *movie, *half, *rest;

  if (!enter_namespace ())
    return;
  movie = test_movie (140, 1);
  half = g_bytes_new_from_bytes (movie, 0, 70 * TS_BYTES);
  rest = test_bytes_from (movie, 70 * TS_BYTES);
  set_network (TRUE);
  receiver = test_receiver_new ("address=0.0.0.0");
  sender = test_sender_new (receiver->port, "host=" ADDRESS);
  test_sender_push_bytes (sender, half, 0);
  test_receiver_wait_movie (receiver, half);

  set_network (FALSE);
  test_sender_push_bytes (sender, rest, 0);
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  test_log_wait_stat (sender->log, "sink", "send-errors", 3);
  set_network (TRUE);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, NULL, NULL), 1);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-dropped"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 20);
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  test_receiver_wait_eos (receiver);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_bytes_unref (half);
  g_bytes_unref (rest);
}

GST_END_TEST;

/* As when a lease ends, or a host comes to another network: nothing tells the receiver, whose feedback has left from the
 * address that data came to until now. */
GST_START_TEST (test_a_receiver_is_followed_whose_host_has_lost_its_address)
{
  TestReceiver *receiver;
  TestSender *sender;
  GBytes *movie, *rest;

  if (!enter_namespace ())
    return;
  movie = test_movie (140, 1);
  rest = test_bytes_from (movie, 70 * TS_BYTES);
  set_network (TRUE);
  receiver = test_receiver_new ("address=0.0.0.0");
  sender = test_sender_new (
      receiver->port, "host=" ADDRESS " bind-address=127.0.0.1 allow-migration=always");
  test_sender_push (sender, g_bytes_get_data (movie, NULL), 70 * TS_BYTES);
  test_receiver_wait_bytes (receiver, 70 * TS_BYTES);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);

  set_network (FALSE);
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-migration", NULL));
  test_sender_push_bytes (sender, rest, 0);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "migrations"), 1);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_bytes_unref (rest);
}

GST_END_TEST;

GST_START_TEST (test_host_without_a_route_is_one_warning)
{
  TestSender *sender;
  GBytes *movie;

  if (!enter_namespace ())
    return;
  movie = test_movie (70, 1);
  sender = test_sender_new (5004,
      "host=192.0.2.1 max-queue-packets=10 max-queue-time=0 drain-timeout=20 "
      "no-receiver=error");
  test_sender_push_bytes (sender, movie, PAYLOAD_BYTES);
  test_log_wait_stat (sender->log, "sink", "send-errors", 3);
  test_sender_eos (sender);
  test_log_wait_error (sender->log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-sent"), 0);
  fail_unless_equals_uint64 (test_stat (sender->sink, "packets-dropped"), 10);
  test_sender_free (sender);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
netdown_suite (void)
{
  Suite *suite = suite_create ("netdown");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_nothing_is_lost_while_the_network_is_down);
  tcase_add_test (tcase, test_a_receiver_is_followed_whose_host_has_lost_its_address);
  tcase_add_test (tcase, test_host_without_a_route_is_one_warning);
  return suite;
}

GST_CHECK_MAIN (netdown);
