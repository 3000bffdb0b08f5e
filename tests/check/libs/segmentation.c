/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets leave as a group, and what happens when the system refuses a group: see
 * gst/io/segmentation.h.  The test gets the calls of sendmmsg(). */
#define _GNU_SOURCE 1 /* sendmmsg */
#include "gst/io/segmentation.h"

#include <errno.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#include "testnet.h"

#define MAX_SENT 64
#define FD 7 /* no call gets as far as the kernel */

/* The linker's --wrap puts these functions in place of those of the system. */
gint __wrap_sendmmsg (gint fd, struct mmsghdr *messages, guint n, gint flags);
gint __wrap_getsockopt (gint fd, gint level, gint name, gpointer value, socklen_t *len);

typedef struct
{
  guint packets, segment_bytes, ttl;
  gboolean has_path;
} Message;

static Message messages_sent[MAX_SENT];
static guint n_messages, n_calls;
static guint8 packets_sent[MAX_SENT]; /* the first byte of each */
static guint n_packets;
static gint group_error;      /* with which the system refuses each group; 0: none */
static gint next_error;       /* of the next call alone */
static guint single_failing;  /* packets that leave alone before one fails with ENETUNREACH */
static gboolean knows_groups; /* the kernel has the option */

static Message
read_message (const struct msghdr *header)
{
  Message message = { .packets = (guint) header->msg_iovlen };
  struct cmsghdr *c;
  guint16 segment_bytes;

  for (c = CMSG_FIRSTHDR (header); c; c = CMSG_NXTHDR ((struct msghdr *) header, c)) {
    if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_SEGMENT) {
      memcpy (&segment_bytes, CMSG_DATA (c), sizeof segment_bytes);
      message.segment_bytes = segment_bytes;
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL)
      message.ttl = *CMSG_DATA (c);
    else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
      message.has_path = TRUE;
  }
  return message;
}

/* Returns the error of a message; 0: it leaves. */
static gint
error_of (const Message *message)
{
  if (message->packets > 1)
    return group_error;
  return single_failing == n_packets ? ENETUNREACH : 0;
}

gint
__wrap_sendmmsg (gint fd, struct mmsghdr *messages, guint n, gint flags)
{
  guint i;

  n_calls++;
  errno = next_error;
  next_error = 0;
  if (errno != 0)
    return -1;
  for (i = 0; i < n; i++) {
    const struct msghdr *header = &messages[i].msg_hdr;
    Message message = read_message (header);

    errno = error_of (&message);
    if (errno != 0)
      return i > 0 ? (gint) i : -1;
    messages_sent[n_messages++] = message;
    for (guint j = 0; j < message.packets; j++)
      packets_sent[n_packets++] = *(const guint8 *) header->msg_iov[j].iov_base;
  }
  return (gint) n;
}

gint
__wrap_getsockopt (gint fd, gint level, gint name, gpointer value, socklen_t *len)
{
  fail_unless_equals_int (level, IPPROTO_UDP);
  fail_unless_equals_int (name, UDP_SEGMENT);
  errno = ENOPROTOOPT;
  return knows_groups ? 0 : -1;
}

static guint8 bytes[MAX_SENT][3000];
static GstTfrcSendItem items[MAX_SENT];
static GstTfrcSegmentation segmentation;
static GstTfrcSendFailure failure;

static void
setup (void)
{
  for (guint8 i = 0; i < MAX_SENT; i++) {
    bytes[i][0] = i;
    items[i] = (GstTfrcSendItem){ .data = bytes[i], .size = 100 };
  }
  memset (&segmentation, 0, sizeof segmentation);
  n_messages = n_calls = n_packets = 0;
  group_error = next_error = 0;
  single_failing = G_MAXUINT;
  knows_groups = TRUE;
}

static guint
send_items (guint from, guint n)
{
  GstTfrcAddress to = test_address ("192.0.2.1", 5004);

  return gst_tfrc_socket_send_groups (FD, &segmentation, &to, NULL, items + from, n, &failure);
}

/* Sends packets of these sizes, the last of which is -1, and compares the messages: the packets in each,
 * of which the last is 0.  Every packet leaves once and in order. */
static void
check_messages (const gint *sizes, const guint *groups)
{
  guint n, i;

  setup ();
  for (n = 0; sizes[n] >= 0; n++)
    items[n].size = (gsize) sizes[n];
  fail_unless_equals_int (send_items (0, n), n);
  fail_unless_equals_int (failure.error, 0);
  for (i = 0; groups[i] > 0; i++) {
    fail_unless_equals_int (messages_sent[i].packets, groups[i]);
    fail_unless_equals_int (messages_sent[i].segment_bytes > 0, groups[i] > 1);
  }
  fail_unless_equals_int (n_messages, i);
  fail_unless_equals_int (n_packets, n);
  for (i = 0; i < n; i++)
    fail_unless_equals_int (packets_sent[i], i);
}

#define CHECK(sizes, ...) \
  check_messages ((const gint[]){ SIZES sizes, -1 }, (const guint[]){ __VA_ARGS__, 0 })
#define SIZES(...) __VA_ARGS__

/* ---- groups --------------------------------------------------------------- */

GST_START_TEST (four_packets_of_one_size_or_more_leave_as_a_group)
{
  CHECK ((100), 1);
  CHECK ((100, 100, 100), 1, 1, 1);
  CHECK ((100, 100, 100, 100), 4);
  fail_unless_equals_int (messages_sent[0].segment_bytes, 100);
  CHECK ((100, 100, 100, 100, 100, 100, 100, 100, 100), 9);
  fail_unless_equals_int (n_calls, 1);
}

GST_END_TEST;

GST_START_TEST (a_shorter_packet_is_the_last_of_its_group)
{
  CHECK ((100, 100, 100, 60), 4);
  CHECK ((100, 100, 60), 1, 1, 1);
  CHECK ((100, 100, 100, 100, 60, 100, 100, 100, 100), 5, 4);
  CHECK ((100, 100, 100, 100, 60, 60, 60, 60), 5, 1, 1, 1);
}

GST_END_TEST;

GST_START_TEST (packets_of_other_sizes_are_in_other_groups)
{
  CHECK ((100, 100, 100, 200, 200, 200, 200), 1, 1, 1, 4);
  fail_unless_equals_int (messages_sent[3].segment_bytes, 200);
  CHECK ((100, 100, 100, 100, 200, 200, 200, 200), 4, 4);
  fail_unless_equals_int (messages_sent[0].segment_bytes, 100);
  fail_unless_equals_int (messages_sent[1].segment_bytes, 200);
  CHECK ((100, 200, 100, 200, 100), 1, 1, 1, 1, 1);
}

GST_END_TEST;

GST_START_TEST (an_empty_packet_is_in_no_group)
{
  CHECK ((0, 0, 0, 0, 0), 1, 1, 1, 1, 1);
  CHECK ((100, 100, 100, 100, 0, 0), 4, 1, 1);
}

GST_END_TEST;

/* 21 packets of 3000 bytes are 63000 bytes. */
GST_START_TEST (a_group_is_no_larger_than_a_packet_of_udp)
{
  const guint n = 32;

  for (guint i = 0; i < n; i++)
    items[i].size = 3000;
  fail_unless_equals_int (send_items (0, n), n);
  fail_unless_equals_int (n_messages, 2);
  fail_unless_equals_int (messages_sent[0].packets, 21);
  fail_unless_equals_int (messages_sent[1].packets, 11);
}

GST_END_TEST;

GST_START_TEST (a_group_has_64_packets_at_most)
{
  static GstTfrcSendItem many[70];

  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    many[i].size = 10;
  fail_unless_equals_int (gst_tfrc_segmentation_count (many, G_N_ELEMENTS (many)), 64);
}

GST_END_TEST;

GST_START_TEST (packets_of_a_group_have_one_ttl_and_tos)
{
  for (guint i = 0; i < 12; i++)
    items[i].ttl = i < 5 ? 30 : 31;
  for (guint i = 8; i < 12; i++)
    items[i].tos = 2;
  fail_unless_equals_int (send_items (0, 12), 12);
  fail_unless_equals_int (n_messages, 1 + 3 + 1);
  fail_unless_equals_int (messages_sent[0].packets, 5);
  fail_unless_equals_int (messages_sent[0].ttl, 30);
  fail_unless_equals_int (messages_sent[1].ttl, 31);
  fail_unless_equals_int (messages_sent[4].packets, 4);
  fail_unless_equals_int (messages_sent[4].ttl, 31);
}

GST_END_TEST;

GST_START_TEST (a_group_leaves_over_its_path)
{
  GstTfrcAddress to = test_address ("192.0.2.1", 5004);
  GstTfrcLocalPath path = { .local = test_address ("192.0.2.2", 0) };

  for (guint i = 0; i < 5; i++) {
    items[i].ttl = 30;
    items[i].size = i < 4 ? 100 : 200;
  }
  fail_unless_equals_int (
      gst_tfrc_socket_send_groups (FD, &segmentation, &to, &path, items, 5, &failure), 5);
  fail_unless_equals_int (n_messages, 2);
  for (guint i = 0; i < 2; i++) {
    fail_unless (messages_sent[i].has_path);
    fail_unless_equals_int (messages_sent[i].ttl, 30);
  }
  fail_unless_equals_int (messages_sent[0].segment_bytes, 100);
  fail_unless_equals_int (messages_sent[1].segment_bytes, 0);
}

GST_END_TEST;

/* ---- refusals ------------------------------------------------------------- */

static void
check_that_all_left_alone (guint n)
{
  fail_unless_equals_int (n_messages, n);
  for (guint i = 0; i < n; i++) {
    fail_unless_equals_int (messages_sent[i].packets, 1);
    fail_unless_equals_int (packets_sent[i], i);
  }
}

/* The last of the errors can come from an earlier packet, too. */
GST_START_TEST (packets_of_a_refused_group_leave_one_by_one)
{
  static const gint errors[] = { EINVAL, EIO, EPERM, ENOPROTOOPT, EOPNOTSUPP, EMSGSIZE };

  for (guint e = 0; e < G_N_ELEMENTS (errors); e++) {
    setup ();
    group_error = errors[e];
    fail_unless_equals_int (send_items (0, 8), 8);
    fail_unless_equals_int (failure.error, 0);
    check_that_all_left_alone (8);
    /* The socket tries no group again. */
    n_calls = 0;
    fail_unless_equals_int (send_items (8, 8), 8);
    fail_unless_equals_int (n_calls, 1);
    check_that_all_left_alone (16);
  }
}

GST_END_TEST;

GST_START_TEST (a_group_behind_other_packets_can_be_refused)
{
  for (guint i = 0; i < 3; i++)
    items[i].size = 50;
  group_error = EINVAL;
  fail_unless_equals_int (send_items (0, 11), 11);
  fail_unless_equals_int (failure.error, 0);
  check_that_all_left_alone (11);
}

GST_END_TEST;

GST_START_TEST (a_system_without_groups_gets_none)
{
  knows_groups = FALSE;
  fail_unless_equals_int (send_items (0, 8), 8);
  fail_unless_equals_int (n_calls, 1);
  check_that_all_left_alone (8);
}

GST_END_TEST;

/* A full queue drops the group as a whole, and takes groups again later. */
GST_START_TEST (a_full_queue_or_buffer_stops_a_group_as_a_whole)
{
  static const gint errors[] = { ENOBUFS, EAGAIN };

  for (guint e = 0; e < G_N_ELEMENTS (errors); e++) {
    setup ();
    items[0].size = 200;
    group_error = errors[e];
    fail_unless_equals_int (send_items (0, 8), 1);
    fail_unless_equals_int (failure.error, errors[e]);
    fail_unless_equals_int (failure.packets, 7);
    group_error = 0;
    fail_unless_equals_int (send_items (1, 7), 7);
    fail_unless_equals_int (n_messages, 2);
    fail_unless_equals_int (messages_sent[1].packets, 7);
  }
}

GST_END_TEST;

GST_START_TEST (a_single_packet_that_fails_is_one_packet)
{
  items[5].size = 50;
  single_failing = 6;
  fail_unless_equals_int (send_items (0, 7), 6);
  fail_unless_equals_int (failure.error, ENETUNREACH);
  fail_unless_equals_int (failure.packets, 1);
}

GST_END_TEST;

GST_START_TEST (an_error_that_is_not_for_the_group_stays_an_error)
{
  group_error = ENETUNREACH;
  single_failing = 0;
  fail_unless_equals_int (send_items (0, 8), 0);
  fail_unless_equals_int (failure.error, ENETUNREACH);
  fail_unless_equals_int (failure.packets, 1);
  group_error = 0;
  fail_unless_equals_int (send_items (0, 8), 8);
  fail_unless_equals_int (n_messages, 1);
}

GST_END_TEST;

GST_START_TEST (an_error_of_an_earlier_packet_leaves_the_group_whole)
{
  next_error = ECONNREFUSED;
  fail_unless_equals_int (send_items (0, 8), 8);
  fail_unless_equals_int (failure.error, 0);
  fail_unless_equals_int (n_calls, 2);
  fail_unless_equals_int (n_messages, 1);
  fail_unless_equals_int (messages_sent[0].packets, 8);
}

GST_END_TEST;

static Suite *
segmentation_suite (void)
{
  Suite *s = suite_create ("segmentation");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, four_packets_of_one_size_or_more_leave_as_a_group);
  tcase_add_test (tc, a_shorter_packet_is_the_last_of_its_group);
  tcase_add_test (tc, packets_of_other_sizes_are_in_other_groups);
  tcase_add_test (tc, an_empty_packet_is_in_no_group);
  tcase_add_test (tc, a_group_is_no_larger_than_a_packet_of_udp);
  tcase_add_test (tc, a_group_has_64_packets_at_most);
  tcase_add_test (tc, packets_of_a_group_have_one_ttl_and_tos);
  tcase_add_test (tc, a_group_leaves_over_its_path);
  tcase_add_test (tc, packets_of_a_refused_group_leave_one_by_one);
  tcase_add_test (tc, a_group_behind_other_packets_can_be_refused);
  tcase_add_test (tc, a_system_without_groups_gets_none);
  tcase_add_test (tc, a_full_queue_or_buffer_stops_a_group_as_a_whole);
  tcase_add_test (tc, a_single_packet_that_fails_is_one_packet);
  tcase_add_test (tc, an_error_that_is_not_for_the_group_stays_an_error);
  tcase_add_test (tc, an_error_of_an_earlier_packet_leaves_the_group_whole);
  return s;
}

GST_CHECK_MAIN (segmentation);
