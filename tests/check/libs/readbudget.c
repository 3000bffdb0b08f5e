/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much the I/O loop reads from a socket in a millisecond, see gst/io/looppace.h: the arithmetic in
 * virtual time, and the loop with sockets that are never empty.  The time stamps of the loop alone say
 * what came when, so that the tests do not depend on speed. */
#include <unistd.h>

#include "gst/io/datagrams.h"
#include "gst/io/looppace.h"
#include "teststream.h"

#define MS GST_TFRC_READ_PERIOD_NS
#define START (1000 * MS)
#define BATCH GST_TFRC_BATCH_PACKETS

#define N_WAITING (2 * BATCH) /* packets that the socket always has, until the last ones */
#define N_PACKETS (BATCH * 100)

/* A socket that gets as many packets as are read.  The loop's thread alone uses the counters meanwhile. */
typedef struct
{
  GstTfrcIo *io;
  gint fd;
  GstTfrcAddress address;
  guint n_sent, n_received, n_reads;
  guint64 period; /* of the last packets */
  guint n_in_period, most_in_period;
  guint wrong; /* packets that are missing, or come twice */
} Fed;

static GMutex lock;
static GCond changed;
static gboolean has_all;

/* ---- virtual time ---------------------------------------------------------- */

GST_START_TEST (a_budget_ends_with_its_last_packet)
{
  GstTfrcReadBudget budget = { 0 };

  for (guint i = 0; i < 3; i++)
    fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, BATCH, START + 1), 0);
  fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, BATCH - 1, START + 1), 0);
  fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, 1, START + 1), START + MS);
  fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, 1, START + MS - 1), START + MS);
}

GST_END_TEST;

GST_START_TEST (a_budget_begins_with_each_millisecond)
{
  GstTfrcReadBudget budget = { 0 };
  const guint n = GST_TFRC_READ_BUDGET;

  fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, n - 1, START + MS - 1), 0);
  fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, n - 1, START + MS), 0);
  fail_unless_equals_uint64 (gst_tfrc_read_budget_on_read (&budget, 1, START + MS), START + 2 * MS);
  fail_unless_equals_uint64 (
      gst_tfrc_read_budget_on_read (&budget, n, START + 10 * MS + 5), START + 11 * MS);
}

GST_END_TEST;

/* ---- the loop -------------------------------------------------------------- */

static void
feed (Fed *fed, guint n)
{
  n = MIN (n, N_PACKETS - fed->n_sent);
  test_send_bytes (fed->fd, &fed->address, fed->n_sent, n);
  fed->n_sent += n;
}

static void
count (Fed *fed, guint n, guint64 now_ns)
{
  guint64 period = now_ns / MS;

  if (period != fed->period)
    fed->n_in_period = 0;
  fed->period = period;
  fed->n_in_period += n;
  fed->most_in_period = MAX (fed->most_in_period, fed->n_in_period);
  fed->n_reads++;
}

static guint64
on_packets (gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  Fed *fed = user_data;

  count (fed, n, now_ns);
  for (guint i = 0; i < n; i++)
    fed->wrong += packets[i].data[0] != (guint8) fed->n_received++;
  feed (fed, n);
  if (fed->n_received == N_PACKETS) {
    g_mutex_lock (&lock);
    has_all = TRUE;
    g_cond_broadcast (&changed);
    g_mutex_unlock (&lock);
  }
  return GST_TFRC_IO_NEVER;
}

static guint64
on_deadline (gpointer user_data, guint64 now_ns)
{
  feed (user_data, N_WAITING);
  return GST_TFRC_IO_NEVER;
}

static void
on_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
}

static void
wait_for_all (void)
{
  gint64 end_us = g_get_monotonic_time () + TEST_TIMEOUT_US;

  g_mutex_lock (&lock);
  while (!has_all)
    fail_unless (g_cond_wait_until (&changed, &lock, end_us));
  g_mutex_unlock (&lock);
}

/* Plays all packets, and returns how often the loop woke up. */
static guint64
play (Fed *fed, gboolean is_limited)
{
  const GstTfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };
  GstTfrcIoLoopStats stats;
  GstTfrcAddress quiet_address;
  gint quiet_fd = test_open_socket ("127.0.0.1", &quiet_address);
  GstTfrcIo *quiet = gst_tfrc_io_new (quiet_fd, NULL, &callbacks, NULL, NULL);

  has_all = FALSE;
  fed->fd = test_open_socket ("127.0.0.1", &fed->address);
  fed->io = gst_tfrc_io_new (fed->fd, quiet, &callbacks, fed, NULL);
  if (is_limited)
    gst_tfrc_io_limit_reads (fed->io);
  gst_tfrc_io_set_deadline (fed->io, 1);
  wait_for_all ();
  gst_tfrc_io_loop_get_stats (&stats);
  gst_tfrc_io_free (fed->io);
  gst_tfrc_io_free (quiet);
  close (fed->fd);
  close (quiet_fd);
  return stats.wakeups;
}

GST_START_TEST (the_loop_reads_the_budget_and_sleeps_to_the_end_of_the_millisecond)
{
  Fed fed = { 0 };
  guint64 wakeups = play (&fed, TRUE);

  fail_unless_equals_int (fed.n_received, N_PACKETS);
  fail_unless_equals_int (fed.wrong, 0);
  fail_unless (fed.most_in_period <= GST_TFRC_READ_BUDGET);
  /* one for each read, up to three for each rest, and those at the beginning; without sleep there are
   * thousands */
  fail_unless (wakeups <= fed.n_reads + 3 * N_PACKETS / GST_TFRC_READ_BUDGET + 10);
}

GST_END_TEST;

GST_START_TEST (a_socket_without_a_budget_gets_all_packets)
{
  Fed fed = { 0 };

  play (&fed, FALSE);
  fail_unless_equals_int (fed.n_received, N_PACKETS);
  fail_unless_equals_int (fed.wrong, 0);
}

GST_END_TEST;

static Suite *
readbudget_suite (void)
{
  Suite *s = suite_create ("readbudget");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_budget_ends_with_its_last_packet);
  tcase_add_test (tc, a_budget_begins_with_each_millisecond);
  tcase_add_test (tc, the_loop_reads_the_budget_and_sleeps_to_the_end_of_the_millisecond);
  tcase_add_test (tc, a_socket_without_a_budget_gets_all_packets);
  return s;
}

GST_CHECK_MAIN (readbudget);
