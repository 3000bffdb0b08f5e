/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that contain several packets (GRO), see gst/io/datagrams.h.  The test gets the calls of
 * recvmmsg(). */
#define _GNU_SOURCE 1 /* recvmmsg */
#include <errno.h>

#include "datagramtest.h"
#include "gst/io/segmentation.h"

#define WALL_NS G_GUINT64_CONSTANT (1700000000000000000)
#define MAX_MESSAGES 100

/* The linker's --wrap puts this function in place of that of the system. */
gint __wrap_recvmmsg (
    gint fd, struct mmsghdr *messages, guint n, gint flags, struct timespec *timeout);

/* A message that waits in the socket */
typedef struct
{
  guint bytes, segment_bytes;
  gint flags;
  guint8 ttl;
} Waiting;

static Waiting waiting[MAX_MESSAGES];
static guint n_waiting, n_taken;

static struct cmsghdr *
put (
    struct msghdr *header, struct cmsghdr *c, gint level, gint type, gconstpointer data, gsize size)
{
  c->cmsg_level = level;
  c->cmsg_type = type;
  c->cmsg_len = CMSG_LEN (size);
  memcpy (CMSG_DATA (c), data, size);
  header->msg_controllen += CMSG_SPACE (size);
  return (struct cmsghdr *) ((guint8 *) c + CMSG_SPACE (size));
}

/* The bytes of a message count up from 0. */
static void
fill (struct mmsghdr *message, const Waiting *from)
{
  struct msghdr *header = &message->msg_hdr;
  struct cmsghdr *c = header->msg_control;
  const struct timespec stamp = { .tv_sec = (time_t) (WALL_NS / GST_SECOND), .tv_nsec = from->ttl };
  const gint ttl = from->ttl, segment_bytes = (gint) from->segment_bytes;
  guint8 *bytes = header->msg_iov->iov_base;
  GstTfrcAddress sender = test_address ("192.0.2.1", (guint16) (5000 + from->ttl));

  fail_unless (header->msg_iov->iov_len >= from->bytes);
  for (guint i = 0; i < from->bytes; i++)
    bytes[i] = (guint8) i;
  message->msg_len = from->bytes;
  memcpy (header->msg_name, &sender.u, sender.len);
  header->msg_namelen = sender.len;
  header->msg_flags = from->flags;
  header->msg_controllen = 0;
  if (segment_bytes > 0)
    c = put (header, c, IPPROTO_UDP, UDP_GRO, &segment_bytes, sizeof segment_bytes);
  c = put (header, c, SOL_SOCKET, SCM_TIMESTAMPNS, &stamp, sizeof stamp);
  put (header, c, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl);
}

gint
__wrap_recvmmsg (gint fd, struct mmsghdr *messages, guint n, gint flags, struct timespec *timeout)
{
  guint i;

  for (i = 0; i < n && n_taken < n_waiting; i++)
    fill (&messages[i], &waiting[n_taken++]);
  errno = EAGAIN;
  return i > 0 ? (gint) i : -1;
}

static void
begin (void)
{
  setup ();
  n_waiting = n_taken = 0;
}

static void
add (guint bytes, guint segment_bytes)
{
  waiting[n_waiting] = (Waiting){ .bytes = bytes, .segment_bytes = segment_bytes };
  waiting[n_waiting].ttl = (guint8) (n_waiting + 1);
  n_waiting++;
}

static guint
read_first (const GstTfrcReceivedPacket **packets)
{
  guint64 now_ns;

  return gst_tfrc_receive_batch_read (batch, 0, 0, packets, &now_ns);
}

/* Reads until the socket seems to be empty. Returns how many packets come from one read. */
static guint
count_read (void)
{
  const GstTfrcReceivedPacket *packets;
  guint total = 0, n;

  for (n = read_first (&packets); n > 0; n = gst_tfrc_receive_batch_more (batch, &packets)) {
    fail_unless (n <= GST_TFRC_BATCH_PACKETS);
    total += n;
  }
  return total;
}

/* ---- splitting ------------------------------------------------------------ */

GST_START_TEST (a_group_comes_as_its_packets)
{
  const GstTfrcReceivedPacket *packets;

  add (350, 100);
  add (100, 0);
  fail_unless_equals_int (read_first (&packets), 5);
  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (packets[i].size, i < 3 ? 100 : 50);
    for (guint j = 0; j < packets[i].size; j++)
      fail_unless_equals_int (packets[i].data[j], (guint8) (100 * i + j));
    fail_unless_equals_int (packets[i].ttl, 1);
    fail_unless_equals_int (gst_tfrc_address_port (packets[i].from), 5001);
    fail_unless_equals_uint64 (packets[i].arrival_wall_ns, WALL_NS + 1);
    fail_unless_equals_uint64 (packets[i].arrival_ns, packets[0].arrival_ns);
    fail_if (packets[i].truncated);
  }
  fail_unless_equals_int (packets[4].size, 100);
  fail_unless_equals_int (packets[4].data[99], 99);
  fail_unless_equals_int (packets[4].ttl, 2);
  fail_unless_equals_int (gst_tfrc_address_port (packets[4].from), 5002);
  fail_unless_equals_uint64 (packets[4].arrival_wall_ns, WALL_NS + 2);
  fail_unless_equals_int (gst_tfrc_receive_batch_more (batch, &packets), 0);
}

GST_END_TEST;

GST_START_TEST (a_group_of_one_size_has_no_empty_packet)
{
  const GstTfrcReceivedPacket *packets;

  add (400, 100);
  add (0, 0);
  add (1, 100);
  fail_unless_equals_int (read_first (&packets), 6);
  fail_unless_equals_int (packets[3].size, 100);
  fail_unless_equals_int (packets[4].size, 0);
  fail_unless_equals_int (packets[5].size, 1);
}

GST_END_TEST;

/* libsrtp needs packets at such addresses. */
GST_START_TEST (every_packet_is_aligned_and_can_be_written_to)
{
  const GstTfrcReceivedPacket *packets;

  add (31 * 7, 7);
  fail_unless_equals_int (read_first (&packets), 31);
  for (guint i = 0; i < 31; i++) {
    fail_unless_equals_int ((guintptr) packets[i].data % 4, 0);
    fail_unless_equals_int (packets[i].size, 7);
    for (guint j = 0; j < 7; j++)
      fail_unless_equals_int (packets[i].data[j], 7 * i + j);
    memset (packets[i].data, 0xff, 7);
  }
}

GST_END_TEST;

GST_START_TEST (packets_that_are_too_long_are_truncated)
{
  const GstTfrcReceivedPacket *packets;

  add (2 * 3000 + GST_TFRC_MAX_PACKET_BYTES, 3000);
  add (300, 100);
  waiting[1].flags = MSG_TRUNC;
  fail_unless_equals_int (read_first (&packets), 6);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (packets[i].size, GST_TFRC_MAX_PACKET_BYTES);
    fail_unless_equals_int (packets[i].data[0], (guint8) (3000 * i));
    fail_unless_equals_int (packets[i].truncated, i < 2);
  }
  /* The end of a message is missing, and so that of its last packet. */
  fail_if (packets[3].truncated);
  fail_if (packets[4].truncated);
  fail_unless (packets[5].truncated);
}

GST_END_TEST;

/* ---- the bound of a read --------------------------------------------------- */

GST_START_TEST (large_groups_come_in_portions)
{
  const GstTfrcReceivedPacket *packets;
  guint expected = 0, total = 0, n;

  add (50 * 1000, 1000);
  add (40 * 1000, 1000);
  for (n = read_first (&packets); n > 0; n = gst_tfrc_receive_batch_more (batch, &packets)) {
    fail_unless_equals_int (n, total < 64 ? 32 : 26);
    for (guint i = 0; i < n; i++, expected++)
      fail_unless_equals_int (packets[i].data[0], (guint8) (1000 * (expected % 50)));
    total += n;
  }
  fail_unless_equals_int (total, 90);
  fail_if (gst_tfrc_receive_batch_is_full (batch));
}

GST_END_TEST;

GST_START_TEST (a_read_ends_with_32_packets)
{
  for (guint i = 0; i < 40; i++)
    add (10, 0);
  fail_unless_equals_int (count_read (), 32);
  fail_unless (gst_tfrc_receive_batch_is_full (batch));
  fail_unless_equals_int (count_read (), 8);
  fail_unless_equals_int (count_read (), 0);
  fail_if (gst_tfrc_receive_batch_is_full (batch));
}

GST_END_TEST;

GST_START_TEST (a_read_brings_four_groups_more_at_most)
{
  for (guint i = 0; i < 28; i++)
    add (10, 0);
  for (guint i = 0; i < 10; i++)
    add (64 * 10, 10);
  fail_unless_equals_int (count_read (), 28 + 4 * 64);
  fail_unless (gst_tfrc_receive_batch_is_full (batch));
  fail_unless_equals_int (count_read (), 4 * 64);
  fail_unless_equals_int (count_read (), 2 * 64);
  fail_if (gst_tfrc_receive_batch_is_full (batch));
}

GST_END_TEST;

static Suite *
receivegroups_suite (void)
{
  Suite *s = suite_create ("receivegroups");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, begin, teardown);
  tcase_add_test (tc, a_group_comes_as_its_packets);
  tcase_add_test (tc, a_group_of_one_size_has_no_empty_packet);
  tcase_add_test (tc, every_packet_is_aligned_and_can_be_written_to);
  tcase_add_test (tc, packets_that_are_too_long_are_truncated);
  tcase_add_test (tc, large_groups_come_in_portions);
  tcase_add_test (tc, a_read_ends_with_32_packets);
  tcase_add_test (tc, a_read_brings_four_groups_more_at_most);
  return s;
}

GST_CHECK_MAIN (receivegroups);
