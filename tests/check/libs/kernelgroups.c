/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of packets through the kernel (GSO and GRO), see gst/io/segmentation.h. */
#include "icmptest.h"
/* After icmptest.h, whose system headers it needs. */
#include "datagramtest.h"
#include "gst/io/segmentation.h"

#define N 32
#define MTU 1280

static guint8 bytes[N][2000];
static GstTfrcSendItem items[N];
static GstTfrcSegmentation segmentation;

/* Opens a socket that can receive groups. */
static gint
open_receiver (const gchar *host, gboolean groups, GstTfrcAddress *local)
{
  GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  gint fd;

  config.bind_address = host;
  config.receives_groups = groups;
  fd = gst_tfrc_socket_open (&config, local, NULL);
  fail_unless (fd >= 0);
  return fd;
}

/* Returns whether the kernel has groups. If not, prints that the test is skipped. */
static gboolean
kernel_has_groups (void)
{
  gint fd = test_open_socket ("127.0.0.1", NULL), gro = 1;
  GstTfrcSegmentation probe = { 0 };
  gboolean has = gst_tfrc_segmentation_is_allowed (&probe, fd)
      && setsockopt (fd, IPPROTO_UDP, UDP_GRO, &gro, sizeof gro) == 0;

  if (!has)
    g_print ("skipped: the kernel has no UDP_SEGMENT or no UDP_GRO\n");
  close (fd);
  return has;
}

/* Makes two pieces of a packet. */
static void
cut (GstTfrcSendItem *item, gsize at)
{
  item->rest = item->data + at;
  item->rest_bytes = item->size - at;
  item->size = at;
}

/* Every other packet has two pieces. */
static void
make_packets (guint size)
{
  memset (&segmentation, 0, sizeof segmentation);
  for (guint i = 0; i < N; i++) {
    for (guint j = 0; j < size; j++)
      bytes[i][j] = (guint8) (j * (i + 1));
    items[i] = (GstTfrcSendItem){ .data = bytes[i], .size = size, .ttl = 9, .tos = 2 };
  }
  items[N - 1].size = size / 2;
  for (guint i = 1; i < N; i += 2)
    cut (&items[i], MIN (3 * i, size / 2 - 1));
}

static void
send_packets (gint fd, const GstTfrcAddress *to)
{
  GstTfrcSendFailure failure;

  fail_unless_equals_int (
      gst_tfrc_socket_send_groups (fd, &segmentation, to, NULL, items, N, &failure), N);
  fail_unless_equals_int (failure.error, 0);
}

/* Returns the number of messages that the packets came in: the packets of a message have one stamp. */
static guint
receive_packets (gint fd, const GstTfrcAddress *from)
{
  guint received = 0, stamps = 0;
  guint64 last_ns = 0;

  while (received < N) {
    const GstTfrcReceivedPacket *packets;
    guint64 now_ns;
    guint n;

    wait_for (fd, POLLIN);
    n = gst_tfrc_receive_batch_read (batch, fd, 0, &packets, &now_ns);
    for (; n > 0; n = gst_tfrc_receive_batch_more (batch, &packets)) {
      for (guint i = 0; i < n; i++, received++) {
        fail_unless (received < N);
        fail_unless_equals_int (packets[i].size, gst_tfrc_send_item_get_bytes (&items[received]));
        fail_unless (memcmp (packets[i].data, bytes[received], packets[i].size) == 0);
        fail_if (packets[i].truncated);
        fail_unless_equals_int (packets[i].ttl, 9);
        fail_unless_equals_int (packets[i].ecn, 2);
        fail_unless (gst_tfrc_address_equal (packets[i].from, from));
        stamps += packets[i].arrival_wall_ns != last_ns;
        last_ns = packets[i].arrival_wall_ns;
      }
    }
  }
  return stamps;
}

static void
check_transfer (const gchar *host, guint size, gboolean gro)
{
  GstTfrcAddress from, to;
  gint from_fd = test_open_socket (host, &from), to_fd = open_receiver (host, gro, &to);
  guint stamps;

  make_packets (size);
  send_packets (from_fd, &to);
  stamps = receive_packets (to_fd, &from);
  fail_unless (gst_tfrc_segmentation_is_allowed (&segmentation, from_fd));
  if (gro)
    fail_unless_equals_int (stamps, 1);
  close (from_fd);
  close (to_fd);
}

/* With the odd size most packets are not aligned in their message. */
static void
check_transfers (gboolean gro)
{
  if (!kernel_has_groups ())
    return;
  check_transfer ("127.0.0.1", 1340, gro);
  check_transfer ("127.0.0.1", 1339, gro);
  if (test_host_has_ipv6 ())
    check_transfer ("::1", 1340, gro);
}

GST_START_TEST (packets_in_groups_arrive_as_they_were_sent)
{
  check_transfers (TRUE);
}

GST_END_TEST;

GST_START_TEST (a_receiver_without_groups_gets_the_same_packets)
{
  check_transfers (FALSE);
}

GST_END_TEST;

/* ---- an interface that cannot carry the packets ------------------------------ */

static void
set_mtu (gint mtu)
{
  struct ifreq request = { .ifr_name = "lo", .ifr_mtu = mtu };
  gint fd = socket (AF_INET, SOCK_DGRAM, 0);

  fail_unless (ioctl (fd, SIOCSIFMTU, &request) == 0);
  close (fd);
}

/* The kernel makes no segments larger than the MTU; it makes fragments of packets that are. */
static gpointer
check_small_mtu (gpointer unused)
{
  GstTfrcAddress from, to;
  gint from_fd, to_fd;

  if (!enter_namespace ())
    return GINT_TO_POINTER (errno);
  set_mtu (MTU);
  from_fd = test_open_socket ("127.0.0.1", &from);
  to_fd = open_receiver ("127.0.0.1", TRUE, &to);
  make_packets (1340);
  send_packets (from_fd, &to);
  receive_packets (to_fd, &from);
  fail_if (gst_tfrc_segmentation_is_allowed (&segmentation, from_fd));
  close (from_fd);
  close (to_fd);
  return NULL;
}

GST_START_TEST (packets_larger_than_the_mtu_leave_one_by_one)
{
  if (!kernel_has_groups ())
    return;
  if (g_thread_join (g_thread_new ("small-mtu", check_small_mtu, NULL)) != NULL)
    g_print ("skipped: no permission for a network namespace\n");
}

GST_END_TEST;

static Suite *
kernelgroups_suite (void)
{
  Suite *s = suite_create ("kernelgroups");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, packets_in_groups_arrive_as_they_were_sent);
  tcase_add_test (tc, a_receiver_without_groups_gets_the_same_packets);
  tcase_add_test (tc, packets_larger_than_the_mtu_leave_one_by_one);
  return s;
}

GST_CHECK_MAIN (kernelgroups);
