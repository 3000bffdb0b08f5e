/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sending, receiving and ICMP errors, see gst/io/datagrams.h. */
#define _GNU_SOURCE 1 /* unshare */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "datagramtest.h"
#include "gst/io/socket.h"

/* ---- sending and receiving --------------------------------------------- */

GST_START_TEST (one_socket_serves_both_ip_versions)
{
  GstTfrcAddress local, v4_local, v6_local, there;
  gint both, v4, v6;
  const GstTfrcReceivedPacket *packet;

  if (!test_host_has_ipv6 ())
    return;
  both = test_open_socket (NULL, &local);
  v4 = test_open_socket ("127.0.0.1", &v4_local);
  v6 = test_open_socket ("::1", &v6_local);

  there = test_address ("127.0.0.1", gst_tfrc_address_port (&local));
  send_text (v4, &there, "over IPv4");
  packet = receive_one (both);
  assert_text (packet, "over IPv4");
  fail_unless (gst_tfrc_address_equal (packet->from, &v4_local));
  send_text (both, &v4_local, "IPv4 answer");
  packet = receive_one (v4);
  assert_text (packet, "IPv4 answer");
  fail_unless (gst_tfrc_address_equal (packet->from, &there));

  there = test_address ("::1", gst_tfrc_address_port (&local));
  send_text (v6, &there, "over IPv6");
  packet = receive_one (both);
  assert_text (packet, "over IPv6");
  fail_unless (gst_tfrc_address_equal (packet->from, &v6_local));
  send_text (both, &v6_local, "IPv6 answer");
  assert_text (receive_one (v6), "IPv6 answer");

  close (both);
  close (v4);
  close (v6);
}

GST_END_TEST;

GST_START_TEST (more_packets_than_a_batch_arrive_in_order)
{
  enum
  {
    N = GST_TFRC_BATCH_PACKETS + 8
  };
  guint8 data[N][102];
  GstTfrcSendItem items[N];
  GstTfrcAddress from_address, local;
  gint from = test_open_socket ("127.0.0.1", &from_address);
  gint to = test_open_socket ("127.0.0.1", &local);
  guint received = 0;
  gint error;

  for (guint i = 0; i < N; i++) {
    data[i][0] = (guint8) i;
    data[i][1] = 99;
    data[i][2] = 42;
    items[i] = (GstTfrcSendItem){ .data = data[i], .size = sizeof data[i] };
    /* of two pieces */
    if (i % 3 == 0) {
      items[i].size = 2;
      items[i].rest = data[i] + 2;
      items[i].rest_bytes = sizeof data[i] - 2;
    }
  }
  fail_unless_equals_int (gst_tfrc_socket_send (from, &local, NULL, items, N, &error), N);
  fail_unless_equals_int (error, 0);
  while (received < N) {
    const GstTfrcReceivedPacket *packets;
    guint64 now_ns;
    guint n;

    wait_for (to, POLLIN);
    n = gst_tfrc_receive_batch_read (batch, to, 0, &packets, &now_ns);
    fail_unless (n <= GST_TFRC_BATCH_PACKETS);
    for (guint i = 0; i < n; i++) {
      fail_unless_equals_int (packets[i].data[0], received++);
      fail_unless_equals_int (packets[i].data[1], 99);
      fail_unless_equals_int (packets[i].data[2], 42);
      fail_unless_equals_int (packets[i].size, sizeof data[0]);
      fail_if (packets[i].truncated);
      fail_unless (gst_tfrc_address_equal (packets[i].from, &from_address));
    }
  }
  close (from);
  close (to);
}

GST_END_TEST;

GST_START_TEST (truncated_full_size_and_empty_packets_are_distinguished)
{
  static guint8 long_packet[GST_TFRC_MAX_PACKET_BYTES + 1];
  GstTfrcSendItem item = { .data = long_packet, .size = sizeof long_packet };
  GstTfrcAddress local;
  gint fd = test_open_socket ("127.0.0.1", &local);
  const GstTfrcReceivedPacket *packet;
  gint error;

  fail_unless_equals_int (gst_tfrc_socket_send (fd, &local, NULL, &item, 1, &error), 1);
  packet = receive_one (fd);
  fail_unless (packet->truncated);
  fail_unless_equals_int (packet->size, GST_TFRC_MAX_PACKET_BYTES);

  item.size = GST_TFRC_MAX_PACKET_BYTES;
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &local, NULL, &item, 1, &error), 1);
  packet = receive_one (fd);
  fail_if (packet->truncated);
  fail_unless_equals_int (packet->size, GST_TFRC_MAX_PACKET_BYTES);

  send_text (fd, &local, "");
  packet = receive_one (fd);
  fail_unless_equals_int (packet->size, 0);
  close (fd);
}

GST_END_TEST;

GST_START_TEST (the_kernels_time_stamp_is_between_sending_and_receiving)
{
  GstTfrcAddress local;
  gint fd = test_open_socket ("127.0.0.1", &local);
  const GstTfrcReceivedPacket *packet;
  guint64 sent_wall_ns;

  /* The kernel begins to stamp packets some time after the first socket has asked for time stamps.
   * Until then, it stamps a packet when the packet is read. */
  sent_wall_ns = gst_tfrc_clock_wall_ns ();
  send_text (fd, &local, "x");
  packet = receive_one (fd);
  fail_unless (packet->arrival_wall_ns >= sent_wall_ns);
  fail_unless (packet->arrival_wall_ns <= gst_tfrc_clock_wall_ns ());
  close (fd);
}

GST_END_TEST;

GST_START_TEST (an_empty_socket_gives_nothing)
{
  gint fd = test_open_socket ("127.0.0.1", NULL);
  const GstTfrcReceivedPacket *packets;
  guint64 now_ns;

  fail_unless_equals_int (gst_tfrc_receive_batch_read (batch, fd, 0, &packets, &now_ns), 0);
  close (fd);
  fail_unless_equals_int (gst_tfrc_receive_batch_read (batch, -1, 0, &packets, &now_ns), 0);
}

GST_END_TEST;

GST_START_TEST (ttl_and_marks_travel_with_a_packet)
{
  static const gchar *hosts[] = { "127.0.0.1", "::1" };
  guint n_hosts = test_host_has_ipv6 () ? 2 : 1;
  GstTfrcAddress local;
  gint from = test_open_socket (NULL, NULL), to = test_open_socket (NULL, &local);
  const GstTfrcReceivedPacket *packet;

  for (guint i = 0; i < n_hosts; i++) {
    GstTfrcAddress there = test_address (hosts[i], gst_tfrc_address_port (&local));
    gint ce = 3;

    fail_unless (gst_tfrc_socket_set_ttl (from, 77));
    fail_unless (gst_tfrc_socket_set_dscp (from, 46));
    send_text (from, &there, "not marked");
    packet = receive_one (to);
    fail_unless_equals_int (packet->ttl, 77);
    fail_unless (packet->has_ecn);
    fail_unless_equals_int (packet->ecn, 0);

    setsockopt (from, IPPROTO_IP, IP_TOS, &ce, sizeof ce);
    setsockopt (from, IPPROTO_IPV6, IPV6_TCLASS, &ce, sizeof ce);
    fail_unless (gst_tfrc_socket_set_ttl (from, -1));
    send_text (from, &there, "marked");
    packet = receive_one (to);
    fail_unless (packet->ttl != 77 && packet->ttl != 0);
    fail_unless_equals_int (packet->ecn, 3);
  }
  close (from);
  close (to);
}

GST_END_TEST;

static void
check_tos (const gchar *bind_address, const gchar *host)
{
  static const guint8 toses[] = { 0, 0xb8 | 2, 0xb8 | 2, 0, 1, 3 };
  GstTfrcSendItem items[G_N_ELEMENTS (toses)];
  GstTfrcAddress to;
  gint to_fd = test_open_socket (host, &to), fd = test_open_socket (bind_address, NULL), error;

  fail_unless (gst_tfrc_socket_set_dscp (fd, 46));
  fail_unless_equals_int (gst_tfrc_socket_get_tos (fd), 0xb8);
  fail_unless (gst_tfrc_socket_allows_ecn (fd));
  fail_unless_equals_int (gst_tfrc_socket_get_tos (fd), 0xb8);
  for (guint i = 0; i < G_N_ELEMENTS (toses); i++)
    items[i] = (GstTfrcSendItem){ .data = &toses[i], .size = 1, .ttl = 9, .tos = toses[i] };
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &to, NULL, items, G_N_ELEMENTS (items), &error),
      G_N_ELEMENTS (items));
  for (guint i = 0; i < G_N_ELEMENTS (toses);) {
    const GstTfrcReceivedPacket *packets;
    guint64 now_ns;
    guint n;

    wait_for (to_fd, POLLIN);
    n = gst_tfrc_receive_batch_read (batch, to_fd, 0, &packets, &now_ns);
    for (guint j = 0; j < n; j++, i++) {
      fail_unless_equals_int (packets[j].data[0], toses[i]);
      fail_unless_equals_int (packets[j].ecn, toses[i] & 3);
      fail_unless_equals_int (packets[j].ttl, 9);
    }
  }
  close (fd);
  close (to_fd);
}

GST_START_TEST (each_packet_leaves_with_its_own_ecn_field_and_in_order)
{
  check_tos ("127.0.0.1", "127.0.0.1");
  check_tos (NULL, "127.0.0.1");
  if (test_host_has_ipv6 ()) {
    check_tos ("::1", "::1");
    check_tos (NULL, "::1");
  }
}

GST_END_TEST;

/* ---- errors ------------------------------------------------------------ */

GST_START_TEST (the_first_packet_that_fails_stops_the_sending)
{
  static guint8 too_long[70000];
  GstTfrcSendItem items[4] = {
    { .data = too_long, .size = 10 },
    { .data = too_long, .size = 10 },
    { .data = too_long, .size = sizeof too_long },
    { .data = too_long, .size = 10 },
  };
  GstTfrcAddress local, broadcast = test_address ("255.255.255.255", 5004);
  GstTfrcAddress v6 = test_address ("::1", 5004);
  gint fd = test_open_socket ("127.0.0.1", &local);
  gint error;

  fail_unless_equals_int (gst_tfrc_socket_send (fd, &local, NULL, items, 4, &error), 2);
  fail_unless_equals_int (error, EMSGSIZE);
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &local, NULL, items, 0, &error), 0);
  fail_unless_equals_int (error, 0);
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &broadcast, NULL, items, 1, &error), 0);
  fail_unless_equals_int (error, EACCES);
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &v6, NULL, items, 1, &error), 0);
  fail_unless_equals_int (error, EAFNOSUPPORT);
  fail_unless_equals_int (gst_tfrc_socket_send (-1, &local, NULL, items, 1, &error), 0);
  fail_unless_equals_int (error, EBADF);
  close (fd);
}

GST_END_TEST;

/* In its own network namespace, the thread cannot reach any address. */
static gpointer
send_without_network (gpointer data)
{
  GstTfrcSendItem item = { .data = (const guint8 *) "x", .size = 1 };
  GstTfrcAddress there = test_address ("192.0.2.1", 5004);
  gint error = 0, fd;

  if (unshare (CLONE_NEWNET) < 0)
    return GINT_TO_POINTER (-1);
  fd = test_open_socket ("0.0.0.0", NULL);
  gst_tfrc_socket_send (fd, &there, NULL, &item, 1, &error);
  close (fd);
  return GINT_TO_POINTER (error);
}

GST_START_TEST (no_route_surfaces_as_an_error)
{
  GThread *thread = g_thread_new ("no-network", send_without_network, NULL);
  gint error = GPOINTER_TO_INT (g_thread_join (thread));

  if (error == -1)
    g_print ("skipped: no permission for a network namespace\n");
  else
    fail_unless_equals_int (error, ENETUNREACH);
}

GST_END_TEST;

static void
check_port_unreachable (const gchar *bind_address, const gchar *host)
{
  GstTfrcAddress other, closed;
  gint fd = test_open_socket (bind_address, NULL);
  gint other_fd = test_open_socket (host, &other);
  gint deaf_fd = test_open_deaf_socket (host, &closed);
  SeenError seen = {
    0,
  };

  send_text (fd, &closed, "lost");
  wait_for (fd, POLLERR);
  /* The error of this packet affects neither the next packet nor its caller. */
  send_text (fd, &other, "arrives");
  assert_text (receive_one (other_fd), "arrives");

  fail_unless_equals_int (gst_tfrc_socket_read_errors (fd, note_error, &seen), 1);
  fail_unless_equals_int (seen.n, 1);
  fail_unless_equals_int (seen.error, ECONNREFUSED);
  fail_unless (gst_tfrc_address_equal (&seen.destination, &closed));
  fail_unless_equals_int (gst_tfrc_socket_read_errors (fd, note_error, &seen), 0);
  close (fd);
  close (other_fd);
  close (deaf_fd);
}

GST_START_TEST (port_unreachable_is_reported_with_its_destination)
{
  check_port_unreachable ("127.0.0.1", "127.0.0.1");
  check_port_unreachable (NULL, "127.0.0.1");
  if (test_host_has_ipv6 ()) {
    check_port_unreachable ("::1", "::1");
    check_port_unreachable (NULL, "::1");
  }
}

GST_END_TEST;

/* As if the loop had read the entry of the error before the kernel set the error of the socket */
GST_START_TEST (an_error_without_an_entry_is_taken_off_and_not_told_once_more)
{
  GstTfrcAddress closed;
  gint deaf_fd = test_open_deaf_socket ("127.0.0.1", &closed);
  gint fd = socket (AF_INET, SOCK_DGRAM, 0), error = 0; /* keeps no entries */
  socklen_t length = sizeof error;
  SeenError seen = { 0 };

  fail_unless (connect (fd, &closed.u.any, closed.len) == 0);
  fail_unless (send (fd, "lost", 4, 0) == 4);
  wait_for (fd, POLLERR);
  fail_unless_equals_int (gst_tfrc_socket_read_errors (fd, note_error, &seen), 0);
  fail_unless_equals_int (seen.n, 0);
  fail_unless (getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0);
  fail_unless_equals_int (error, 0);
  close (fd);
  close (deaf_fd);
}

GST_END_TEST;

static Suite *
datagrams_suite (void)
{
  Suite *s = suite_create ("datagrams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, one_socket_serves_both_ip_versions);
  tcase_add_test (tc, more_packets_than_a_batch_arrive_in_order);
  tcase_add_test (tc, truncated_full_size_and_empty_packets_are_distinguished);
  tcase_add_test (tc, the_kernels_time_stamp_is_between_sending_and_receiving);
  tcase_add_test (tc, an_empty_socket_gives_nothing);
  tcase_add_test (tc, ttl_and_marks_travel_with_a_packet);
  tcase_add_test (tc, each_packet_leaves_with_its_own_ecn_field_and_in_order);
  tcase_add_test (tc, the_first_packet_that_fails_stops_the_sending);
  tcase_add_test (tc, no_route_surfaces_as_an_error);
  tcase_add_test (tc, port_unreachable_is_reported_with_its_destination);
  tcase_add_test (tc, an_error_without_an_entry_is_taken_off_and_not_told_once_more);
  return s;
}

GST_CHECK_MAIN (datagrams);
