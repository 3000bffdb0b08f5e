/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets that always have one more packet or ICMP error, see gst/io/loop.h: how much of that the loop
 * reads before other streams have their turn.  The monotonic clock moves by 1 us with each look. */
#define _GNU_SOURCE 1 /* recvmmsg */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
/* After <time.h>, which it needs. */
#include <linux/errqueue.h>

#include "gst/io/datagrams.h"
#include "teststream.h"

#define N_OTHERS 100
#define TURNS 50
#define LOOK_NS 1000

#define MAX_SOCKETS 64        /* that one look at the sockets finds */
#define N_FLOODED 70          /* more than one look finds */
#define MAX_LATE_TURNS 100000 /* with this number the test gives up */
#define MAX_ERRORS 64         /* that the loop takes off a socket before it looks at deadlines */

static guint64 clock_ns;             /* atomic */
static gboolean packets_are_held;    /* atomic: the socket is ready, and a read gets nothing */
static gboolean packets_are_endless; /* atomic */
static gboolean errors_are_endless;  /* atomic */

#define GET(variable) __atomic_load_n (&(variable), __ATOMIC_SEQ_CST)
#define SET(variable, value) __atomic_store_n (&(variable), value, __ATOMIC_SEQ_CST)
#define ADD(variable, value) __atomic_add_fetch (&(variable), value, __ATOMIC_SEQ_CST)

/* A socket with a supply without end, and its streams.  The loop's thread alone uses the counters while
 * the flood lasts. */
typedef struct
{
  GstTfrcIo *io;
  gint fd;
  GstTfrcAddress address;
  guint turns, calls_since_turn, most_calls;
} Flooded;

static Flooded flooded[N_FLOODED];
static guint n_flooded;
static GstTfrcIo *others[N_OTHERS];
static gint other_fds[N_OTHERS];
static guint waiting;    /* deadlines of the others that have come, and are not served */
static guint late_turns; /* of a flooded socket, while deadlines of the others waited */
static guint64 rounds;   /* in which the others' deadlines were served */

static GMutex lock;
static GCond changed;
static gboolean enough;

/* ---- the system's calls -------------------------------------------------- */

/* The linker's --wrap puts these functions in place of those of the system. */
gint __wrap_clock_gettime (clockid_t id, struct timespec *ts);
gint __real_clock_gettime (clockid_t id, struct timespec *ts);
gint __wrap_recvmmsg (
    gint fd, struct mmsghdr *messages, guint n, gint flags, struct timespec *timeout);
gint __real_recvmmsg (
    gint fd, struct mmsghdr *messages, guint n, gint flags, struct timespec *timeout);
gssize __wrap_recvmsg (gint fd, struct msghdr *header, gint flags);
gssize __real_recvmsg (gint fd, struct msghdr *header, gint flags);

gint
__wrap_clock_gettime (clockid_t id, struct timespec *ts)
{
  guint64 now_ns;

  if (id != CLOCK_MONOTONIC)
    return __real_clock_gettime (id, ts);
  now_ns = ADD (clock_ns, LOOK_NS);
  ts->tv_sec = (time_t) (now_ns / G_GUINT64_CONSTANT (1000000000));
  ts->tv_nsec = (glong) (now_ns % G_GUINT64_CONSTANT (1000000000));
  return 0;
}

static gboolean
is_flooded (gint fd)
{
  for (guint i = 0; i < n_flooded; i++) {
    if (flooded[i].fd == fd)
      return TRUE;
  }
  return FALSE;
}

static void
write_name (struct msghdr *header)
{
  header->msg_namelen = flooded[0].address.len;
  memcpy (header->msg_name, &flooded[0].address.u, flooded[0].address.len);
}

/* The packet that makes the socket ready stays there. */
gint
__wrap_recvmmsg (gint fd, struct mmsghdr *messages, guint n, gint flags, struct timespec *timeout)
{
  if (is_flooded (fd) && GET (packets_are_held)) {
    errno = EAGAIN;
    return -1;
  }
  if (!is_flooded (fd) || !GET (packets_are_endless))
    return __real_recvmmsg (fd, messages, n, flags, timeout);
  for (guint i = 0; i < n; i++) {
    write_name (&messages[i].msg_hdr);
    messages[i].msg_hdr.msg_controllen = 0;
    messages[i].msg_hdr.msg_flags = 0;
    messages[i].msg_len = 1;
  }
  return (gint) n;
}

/* Likewise the error. */
gssize
__wrap_recvmsg (gint fd, struct msghdr *header, gint flags)
{
  const struct sock_extended_err refused = { .ee_errno = ECONNREFUSED,
    .ee_origin = SO_EE_ORIGIN_ICMP };
  struct cmsghdr *control;

  if (!is_flooded (fd) || !GET (errors_are_endless))
    return __real_recvmsg (fd, header, flags);
  write_name (header);
  header->msg_controllen = CMSG_SPACE (sizeof refused);
  header->msg_flags = 0;
  control = CMSG_FIRSTHDR (header);
  control->cmsg_level = IPPROTO_IP;
  control->cmsg_type = IP_RECVERR;
  control->cmsg_len = CMSG_LEN (sizeof refused);
  memcpy (CMSG_DATA (control), &refused, sizeof refused);
  return 0;
}

/* ---- streams ------------------------------------------------------------- */

static void
end_flood (void)
{
  SET (packets_are_endless, FALSE);
  SET (errors_are_endless, FALSE);
  g_mutex_lock (&lock);
  enough = TRUE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

/* Every deadline that comes now has to be served before the socket's next turn. */
static void
set_deadlines_of_others (void)
{
  for (guint i = 0; i < N_OTHERS; i++)
    gst_tfrc_io_set_deadline (others[i], 1);
  waiting = N_OTHERS;
}

static void
on_turn (Flooded *self)
{
  self->turns++;
  if (waiting > 0 && ++late_turns < MAX_LATE_TURNS)
    return;
  if (rounds < TURNS && late_turns < MAX_LATE_TURNS)
    set_deadlines_of_others ();
  else
    end_flood ();
}

static guint64
on_packets (gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  Flooded *self = user_data;

  self->most_calls = MAX (self->most_calls, n);
  if (GET (packets_are_endless))
    on_turn (self);
  return GST_TFRC_IO_NEVER;
}

/* The first of the errors that the loop takes off at a time begins a turn. */
static void
on_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
  Flooded *self = user_data;

  if (!GET (errors_are_endless))
    return;
  if (self->calls_since_turn == 0)
    on_turn (self);
  self->calls_since_turn++;
  self->most_calls = MAX (self->most_calls, self->calls_since_turn);
}

static guint64
on_deadline (gpointer user_data, guint64 now_ns)
{
  if (waiting > 0 && --waiting == 0)
    rounds++;
  for (guint i = 0; i < n_flooded; i++)
    flooded[i].calls_since_turn = 0;
  return GST_TFRC_IO_NEVER;
}

static const GstTfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };

static void
open_streams (guint n)
{
  n_flooded = n;
  waiting = late_turns = 0;
  rounds = 0;
  enough = FALSE;
  SET (clock_ns, G_GUINT64_CONSTANT (1000000000));
  for (guint i = 0; i < N_OTHERS; i++) {
    GstTfrcAddress address;

    other_fds[i] = test_open_socket ("127.0.0.1", &address);
    others[i] = gst_tfrc_io_new (other_fds[i], NULL, &callbacks, NULL, NULL);
    fail_unless (others[i] != NULL);
  }
  for (guint i = 0; i < n; i++) {
    memset (&flooded[i], 0, sizeof flooded[i]);
    flooded[i].fd = test_open_socket ("127.0.0.1", &flooded[i].address);
  }
}

static void
add_flooded (void)
{
  for (guint i = 0; i < n_flooded; i++) {
    flooded[i].io = gst_tfrc_io_new (flooded[i].fd, others[0], &callbacks, &flooded[i], NULL);
    fail_unless (flooded[i].io != NULL);
  }
}

static void
wait_for_end (void)
{
  gint64 end_us = g_get_monotonic_time () + TEST_TIMEOUT_US;

  g_mutex_lock (&lock);
  while (!enough)
    fail_unless (g_cond_wait_until (&changed, &lock, end_us));
  g_mutex_unlock (&lock);
}

static void
close_streams (void)
{
  for (guint i = 0; i < n_flooded; i++) {
    gst_tfrc_io_free (flooded[i].io);
    close (flooded[i].fd);
  }
  for (guint i = 0; i < N_OTHERS; i++) {
    gst_tfrc_io_free (others[i]);
    close (other_fds[i]);
  }
}

static void
flood_with_packets (guint n)
{
  open_streams (n);
  for (guint i = 0; i < n; i++)
    test_send_bytes (flooded[0].fd, &flooded[i].address, 0, 1);
  SET (packets_are_held, TRUE);
  add_flooded ();
  SET (packets_are_endless, TRUE);
  SET (packets_are_held, FALSE);
  wait_for_end ();
  close_streams ();
}

/* ---- tests --------------------------------------------------------------- */

GST_START_TEST (deadlines_are_served_after_one_batch_of_a_flooded_socket)
{
  test_limit_loops (1, 0);
  flood_with_packets (1);
  fail_unless_equals_uint64 (rounds, TURNS);
  fail_unless_equals_int (late_turns, 0);
  fail_unless_equals_int (flooded[0].turns, TURNS + 1);
  fail_unless_equals_int (flooded[0].most_calls, GST_TFRC_BATCH_PACKETS);
  test_limit_loops (0, 0);
}

GST_END_TEST;

/* With more flooded sockets than one look finds, the loop looks again, but no oftener than it takes to
 * see all of its streams.  Each socket gets its turns. */
GST_START_TEST (deadlines_wait_for_as_many_batches_as_there_are_streams)
{
  const guint most_looks = 1 + (N_FLOODED + N_OTHERS) / MAX_SOCKETS;
  guint fewest = G_MAXUINT;

  test_limit_loops (1, 0);
  flood_with_packets (N_FLOODED);
  fail_unless_equals_uint64 (rounds, TURNS);
  fail_unless (late_turns <= TURNS * (most_looks * MAX_SOCKETS - 1));
  for (guint i = 0; i < N_FLOODED; i++) {
    fewest = MIN (fewest, flooded[i].turns);
    fail_unless (flooded[i].most_calls <= GST_TFRC_BATCH_PACKETS);
  }
  /* The kernel takes the sockets in turn. */
  fail_unless (fewest >= TURNS / 2);
  test_limit_loops (0, 0);
}

GST_END_TEST;

GST_START_TEST (deadlines_are_served_after_64_errors_of_a_socket)
{
  GstTfrcAddress closed;
  gint deaf = test_open_deaf_socket ("127.0.0.1", &closed);

  test_limit_loops (1, 0);
  open_streams (1);
  test_send_bytes (flooded[0].fd, &closed, 0, 1);
  SET (errors_are_endless, TRUE);
  add_flooded ();
  wait_for_end ();
  close_streams ();
  fail_unless_equals_uint64 (rounds, TURNS);
  fail_unless_equals_int (late_turns, 0);
  fail_unless_equals_int (flooded[0].most_calls, MAX_ERRORS);
  close (deaf);
  test_limit_loops (0, 0);
}

GST_END_TEST;

static Suite *
ioloopflood_suite (void)
{
  Suite *s = suite_create ("ioloopflood");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, deadlines_are_served_after_one_batch_of_a_flooded_socket);
  tcase_add_test (tc, deadlines_wait_for_as_many_batches_as_there_are_streams);
  tcase_add_test (tc, deadlines_are_served_after_64_errors_of_a_socket);
  return s;
}

GST_CHECK_MAIN (ioloopflood);
