/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The due times of a receiver's session, see gst/flow/reception.h and rtpclock.h. */
#include "gst/flow/reception.h"
#include "srcsessiontest.h"

#define TICK_NS 11112 /* of RTP time: 1/90000 s, rounded up */

static guint64 begin_ns; /* when the first packet was due, on the receiver's clock */

static void
start_at_zero (void)
{
  start_alone ();
  begin_ns = t.now_ns;
}

/* A packet is due after this time, and waits in the sender. Returns when the packet was due by the
 * session, less the true time and the delay of the network. */
static gint64
due_error_of (guint64 due_ns, guint64 held_ns, guint64 network_ns)
{
  t.now_ns = begin_ns + due_ns + held_ns + network_ns;
  header.timestamp = (guint32) (due_ns * 9 / 100000);
  header.send_time_us = (guint32) ((due_ns + held_ns) / 1000);
  fail_unless (data (header.seq + 1, 0));
  fail_unless (gst_tfrc_reception_get_due_ns (t.src) <= t.now_ns);
  return (gint64) (gst_tfrc_reception_get_due_ns (t.src) - begin_ns - due_ns - DELAY);
}

/* All packets wait, and the first one waits longest: 0.95 s. */
GST_START_TEST (a_wait_in_the_sender_does_not_show_after_a_report)
{
  start_at_zero ();
  t.now_ns += DELAY;
  report_clock (begin_ns);
  for (guint i = 0; i < 1000; i++) {
    gint64 error_ns = due_error_of (i * 10 * MS, 950 * MS - (i % 90) * 9 * MS, DELAY);

    fail_unless (ABS (error_ns) <= TICK_NS + (gint64) US, "%" G_GINT64_FORMAT, error_ns);
  }
}

GST_END_TEST;

/* Without a report the wait of the first packet is not known. */
GST_START_TEST (without_a_report_packets_that_leave_at_once_give_the_due_times)
{
  start_at_zero ();
  for (guint i = 0; i < 1000; i++) {
    gint64 error_ns = due_error_of (i * 10 * MS, (i % 90) * 9 * MS, DELAY);

    fail_unless (ABS (error_ns) <= TICK_NS, "%" G_GINT64_FORMAT, error_ns);
  }
}

GST_END_TEST;

/* What a sender says moves a due time into the past at most. */
GST_START_TEST (send_times_that_are_lies_make_no_packet_due_after_its_arrival)
{
  GRand *rand = g_rand_new_with_seed (1);

  start_at_zero ();
  t.now_ns += DELAY;
  report_clock (begin_ns);
  for (guint i = 0; i < 1000; i++) {
    t.now_ns += 10 * MS;
    header.timestamp = g_rand_int (rand);
    header.send_time_us = g_rand_int (rand);
    data (header.seq + 1, 0);
    fail_unless (gst_tfrc_reception_get_due_ns (t.src) <= t.now_ns);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Somebody sends a packet of half a minute ago once more. */
GST_START_TEST (a_packet_that_comes_again_does_not_move_the_clock)
{
  guint16 first_seq;

  start_at_zero ();
  first_seq = header.seq;
  for (guint i = 0; i < 60; i++)
    due_error_of (i * 500 * MS, 0, DELAY);
  header.seq = first_seq;
  due_error_of (0, 30 * S, DELAY);
  fail_unless_equals_uint64 (src_stats (&t).clock_restarts, 0);
  header.seq = (guint16) (first_seq + 60);
  fail_unless (ABS (due_error_of (30010 * MS, 0, DELAY)) <= TICK_NS);
}

GST_END_TEST;

/* The longer delay of the new path shows at once as a wait, and the due times follow by 10 ms a
 * second: a former packet of the faster path does not hold them back. */
GST_START_TEST (due_times_follow_a_path_with_a_longer_delay)
{
  gint64 error_ns = 0;

  start_at_zero ();
  t.now_ns += DELAY;
  report_clock (begin_ns);
  for (guint i = 0; i < 500; i++)
    due_error_of (i * 10 * MS, 0, DELAY);
  gst_tfrc_reception_set_path_id (t.src, 1);
  for (guint i = 500; i < 1000; i++)
    error_ns = due_error_of (i * 10 * MS, 0, DELAY + 40 * MS);
  fail_unless (ABS (error_ns - 40 * (gint64) MS) <= TICK_NS, "%" G_GINT64_FORMAT, error_ns);
}

GST_END_TEST;

static Suite *
srcduetimes_suite (void)
{
  Suite *s = suite_create ("srcduetimes");
  TCase *tc = tcase_create ("session");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_wait_in_the_sender_does_not_show_after_a_report);
  tcase_add_test (tc, without_a_report_packets_that_leave_at_once_give_the_due_times);
  tcase_add_test (tc, send_times_that_are_lies_make_no_packet_due_after_its_arrival);
  tcase_add_test (tc, a_packet_that_comes_again_does_not_move_the_clock);
  tcase_add_test (tc, due_times_follow_a_path_with_a_longer_delay);
  return s;
}

GST_CHECK_MAIN (srcduetimes);
