/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hosts with several addresses: the address to which a packet came, and the address from which a
 * packet leaves. See gst/io/datagrams.h. */
#include <net/if.h>
#include <unistd.h>

#include "datagramtest.h"

/* @host is one of the addresses of a socket at @bind_address. Checks that a packet to @host reports
 * this address, and that the answer leaves from there. */
static void
check_answer (const gchar *bind_address, const gchar *asker_host, const gchar *host)
{
  GstTfrcAddress bound, asker, there, local;
  gint fd = test_open_socket (bind_address, &bound);
  gint asker_fd = test_open_socket (asker_host, &asker);
  GstTfrcSendItem item = { .data = (const guint8 *) "x", .size = 1 };
  GstTfrcSendItem items[2] = { item, item };
  GstTfrcLocalPath link = { 0 };
  const GstTfrcReceivedPacket *packets;
  guint64 now_ns;
  guint received;
  gint error;

  there = test_address (host, gst_tfrc_address_port (&bound));
  send_text (asker_fd, &there, "question");
  local = receive_one (fd)->local;
  bound = test_address (host, 0);
  fail_unless (gst_tfrc_address_equal (&local, &bound));

  link.local = local;
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &asker, &link, items, 2, &error), 2);
  fail_unless_equals_int (error, 0);
  for (guint n = 0; n < 2; n += received) {
    wait_for (asker_fd, POLLIN);
    received = gst_tfrc_receive_batch_read (batch, asker_fd, 0, &packets, &now_ns);
    for (guint i = 0; i < received; i++)
      fail_unless (gst_tfrc_address_equal (packets[i].from, &there));
  }
  close (fd);
  close (asker_fd);
}

GST_START_TEST (answers_leave_from_the_address_that_was_asked)
{
  check_answer ("0.0.0.0", "127.0.0.1", "127.0.0.2");
  check_answer ("127.0.0.2", "127.0.0.1", "127.0.0.2");
  check_answer (NULL, "127.0.0.1", "127.0.0.2");
  if (test_host_has_ipv6 ()) {
    check_answer ("::1", "::1", "::1");
    check_answer (NULL, "::1", "::1");
  }
}

GST_END_TEST;

/* Both addresses are reserved for documentation (RFC 5737, RFC 3849). */
GST_START_TEST (nothing_leaves_from_an_address_of_another_host)
{
  static const gchar *hosts[][2] = {
    { "127.0.0.1", "192.0.2.77" },
    { "::1", "2001:db8::77" },
  };
  GstTfrcSendItem item = { .data = (const guint8 *) "x", .size = 1 };
  guint n_hosts = test_host_has_ipv6 () ? 2 : 1;
  gint fd = test_open_socket (NULL, NULL), error;
  const GstTfrcReceivedPacket *packet;

  for (guint i = 0; i < n_hosts; i++) {
    GstTfrcLocalPath any = { 0 }, link = { .local = test_address (hosts[i][1], 0) };
    GstTfrcAddress local;
    gint there = test_open_socket (hosts[i][0], &local);

    fail_unless_equals_int (gst_tfrc_socket_send (fd, &local, &link, &item, 1, &error), 0);
    fail_unless (error != 0);
    fail_unless_equals_int (gst_tfrc_socket_send (fd, &local, &any, &item, 1, &error), 1);
    packet = receive_one (there);
    fail_unless_equals_int (packet->size, 1);
    close (there);
  }
  close (fd);
}

GST_END_TEST;

/* The index of an interface that cannot exist, and that of the loopback interface */
#define NO_INTERFACE 0x7ffffff0

static void
check_interface (const gchar *host)
{
  GstTfrcSendItem item = { .data = (const guint8 *) "x", .size = 1 };
  GstTfrcLocalPath loopback = { .interface = if_nametoindex ("lo") };
  GstTfrcLocalPath nowhere = { .interface = NO_INTERFACE };
  GstTfrcAddress there;
  gint error, fd = test_open_socket (NULL, NULL);
  gint there_fd = test_open_socket (host, &there);

  fail_unless_equals_int (gst_tfrc_socket_send (fd, &there, &nowhere, &item, 1, &error), 0);
  fail_unless (error != 0);
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &there, &loopback, &item, 1, &error), 1);
  fail_unless_equals_int (receive_one (there_fd)->interface, loopback.interface);
  close (fd);
  close (there_fd);
}

GST_START_TEST (packets_leave_over_the_interface_asked_for_and_tell_theirs)
{
  check_interface ("127.0.0.1");
  if (test_host_has_ipv6 ())
    check_interface ("::1");
}

GST_END_TEST;

static Suite *
localaddress_suite (void)
{
  Suite *s = suite_create ("localaddress");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, answers_leave_from_the_address_that_was_asked);
  tcase_add_test (tc, nothing_leaves_from_an_address_of_another_host);
  tcase_add_test (tc, packets_leave_over_the_interface_asked_for_and_tell_theirs);
  return s;
}

GST_CHECK_MAIN (localaddress);
