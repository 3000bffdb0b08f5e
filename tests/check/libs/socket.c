/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening UDP sockets, see gst/io/socket.h. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "testnet.h"

GST_START_TEST (a_socket_neither_blocks_nor_outlives_exec)
{
  GstTfrcAddress local;
  gint fd = test_open_socket ("127.0.0.1", &local);

  fail_unless (fcntl (fd, F_GETFL) & O_NONBLOCK);
  fail_unless (fcntl (fd, F_GETFD) & FD_CLOEXEC);
  fail_unless (gst_tfrc_address_port (&local) != 0);
  close (fd);
}

GST_END_TEST;

static void
check_port_in_use (const gchar *first, const gchar *second)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcAddress local;
  GError *error = NULL;
  gint fd = test_open_socket (first, &local);
  gchar *port = g_strdup_printf (":%u: ", gst_tfrc_address_port (&local));

  config.bind_address = second;
  config.bind_port = gst_tfrc_address_port (&local);
  fail_unless (gst_tfrc_socket_open (&config, NULL, &error) < 0);
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE));
  fail_unless (strstr (error->message, port) != NULL, "%s", error->message);
  g_clear_error (&error);
  g_free (port);
  close (fd);
}

GST_START_TEST (a_port_in_use_is_an_error_that_says_so)
{
  check_port_in_use ("127.0.0.1", "127.0.0.1");
  check_port_in_use ("0.0.0.0", NULL);
  check_port_in_use (NULL, "0.0.0.0");
  if (test_host_has_ipv6 ())
    check_port_in_use ("::1", NULL);
}

GST_END_TEST;

GST_START_TEST (an_address_of_another_host_cannot_be_bound)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GError *error = NULL;

  config.bind_address = "192.0.2.77";
  fail_unless (gst_tfrc_socket_open (&config, NULL, &error) < 0);
  fail_unless (error != NULL && error->domain == G_IO_ERROR);
  fail_unless (strstr (error->message, "192.0.2.77") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (buffer_sizes_are_granted_or_reported)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  gint fd;

  config.bind_address = "127.0.0.1";
  config.receive_buffer_bytes = 65536;
  config.send_buffer_bytes = 32768;
  fd = gst_tfrc_socket_open (&config, NULL, NULL);
  fail_unless_equals_int (gst_tfrc_socket_receive_buffer_bytes (fd), 65536);
  fail_unless_equals_int (gst_tfrc_socket_send_buffer_bytes (fd), 32768);
  close (fd);

  config.receive_buffer_bytes = 1 << 30;
  fd = gst_tfrc_socket_open (&config, NULL, NULL);
  fail_unless (gst_tfrc_socket_receive_buffer_bytes (fd) >= 65536);
  fail_unless (gst_tfrc_socket_receive_buffer_bytes (fd) <= 1 << 30);
  close (fd);
  fail_unless_equals_int (gst_tfrc_socket_receive_buffer_bytes (-1), -1);
}

GST_END_TEST;

/* As large as any program may make its buffer, but not smaller than the system's default */
GST_START_TEST (the_receive_buffer_is_large_without_a_wish)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  gint other = socket (AF_INET, SOCK_DGRAM, 0);
  const gint wanted = GST_TFRC_SOCKET_RECEIVE_BUFFER_BYTES;
  gint by_default = gst_tfrc_socket_receive_buffer_bytes (other);
  gint fd = gst_tfrc_socket_open (&config, NULL, NULL);

  fail_unless_equals_int (setsockopt (other, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted), 0);
  fail_unless_equals_int (gst_tfrc_socket_receive_buffer_bytes (fd),
      MAX (by_default, gst_tfrc_socket_receive_buffer_bytes (other)));
  close (fd);
  close (other);
}

GST_END_TEST;

GST_START_TEST (ttl_and_dscp_out_of_range_are_refused)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  GError *error = NULL;
  gint fd = test_open_socket (NULL, NULL);

  fail_if (gst_tfrc_socket_set_ttl (fd, 0));
  fail_if (gst_tfrc_socket_set_ttl (fd, 256));
  fail_if (gst_tfrc_socket_set_dscp (fd, 64));
  fail_if (gst_tfrc_socket_set_dscp (fd, -2));
  fail_unless (gst_tfrc_socket_set_dscp (fd, -1));
  close (fd);
  config.ttl = 300;
  fail_unless (gst_tfrc_socket_open (&config, NULL, &error) < 0);
  fail_unless (strstr (error->message, "TTL") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

static Suite *
socket_suite (void)
{
  Suite *s = suite_create ("socket");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_socket_neither_blocks_nor_outlives_exec);
  tcase_add_test (tc, a_port_in_use_is_an_error_that_says_so);
  tcase_add_test (tc, an_address_of_another_host_cannot_be_bound);
  tcase_add_test (tc, buffer_sizes_are_granted_or_reported);
  tcase_add_test (tc, the_receive_buffer_is_large_without_a_wish);
  tcase_add_test (tc, ttl_and_dscp_out_of_range_are_refused);
  return s;
}

GST_CHECK_MAIN (socket);
