/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that send in groups: see gst/flow/sendbatch.c. The test gets the calls that send. */
#include "sendtest.h"

#include "gst/flow/grouping.h"

#define FAST_PER_S 4000 /* packets: four in a millisecond */
#define INTERVAL_NS GST_TFRC_GROUPING_INTERVAL_NS

static void
check_groups (guint packets_per_s, gboolean in_groups)
{
  GstTfrcSinkStream *stream = open_fast_stream (packets_per_s, FALSE);

  set_failing (0);
  push (stream, 1);
  drain (stream);
  fail_unless_equals_int (n_tried, 1);
  fail_unless_equals_int (tried[0].in_groups, in_groups);
  gst_tfrc_sink_stream_free (stream);
}

GST_START_TEST (packets_leave_in_groups_from_four_in_a_millisecond_on)
{
  check_groups (FAST_PER_S, TRUE);
  check_groups (FAST_PER_S - 1, FALSE);
}

GST_END_TEST;

GST_START_TEST (each_packet_of_a_group_that_the_own_queue_drops_is_a_loss)
{
  GstTfrcSinkStream *stream = open_fast_stream (FAST_PER_S, FALSE);
  guint i;

  refused_together = 5;
  set_failing (ENOBUFS);
  push (stream, 1);
  wait_for_tries (3);
  set_failing (0);
  push (stream, 2);
  drain (stream);
  refused_together = 1;
  for (i = 1; i < n_tried && tried[i].id == 1; i++)
    fail_unless_equals_int (tried[i].transport, (guint16) (tried[0].transport + 5 * i));
  fail_unless_equals_int (i, n_tried - 1);
  fail_unless_equals_int (tried[i].id, 2);
  fail_unless_equals_int (tried[i].transport, (guint16) (tried[i - 1].transport + 1));
  fail_unless_equals_int (tried[i].number, (guint16) (tried[0].number + 1));
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

/* Whatever the speed of the machine: a late thread sends less often. */
GST_START_TEST (packets_of_a_fast_stream_leave_every_half_millisecond_at_most)
{
  GstTfrcSinkStream *stream = open_fast_stream (FAST_PER_S, FALSE);
  guint sends = 1;

  set_failing (0);
  for (guint i = 0; i < MAX_TRIED; i++)
    push (stream, 1);
  drain (stream);
  fail_unless_equals_int (n_tried, MAX_TRIED);
  for (guint i = 1; i < n_tried; i++)
    sends += tried[i].send_time_us != tried[i - 1].send_time_us;
  /* the first ones leave as they are pushed */
  fail_unless (sends <= 3 + (tried[n_tried - 1].send_time_us - tried[0].send_time_us) / 500,
      "%u sends in %u us", sends, tried[n_tried - 1].send_time_us - tried[0].send_time_us);
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

GST_START_TEST (a_fast_stream_waits_for_the_end_of_its_interval)
{
  const gdouble fast = GST_TFRC_GROUPING_FROM_BPS, slow = fast - 1;
  const guint64 never = G_MAXUINT64;

  fail_unless_equals_uint64 (gst_tfrc_grouping_time_ns (7 * INTERVAL_NS, fast), 7 * INTERVAL_NS);
  fail_unless_equals_uint64 (
      gst_tfrc_grouping_time_ns (7 * INTERVAL_NS + 1, fast), 8 * INTERVAL_NS);
  fail_unless_equals_uint64 (
      gst_tfrc_grouping_time_ns (8 * INTERVAL_NS - 1, fast), 8 * INTERVAL_NS);
  fail_unless_equals_uint64 (
      gst_tfrc_grouping_time_ns (7 * INTERVAL_NS + 1, slow), 7 * INTERVAL_NS + 1);
  fail_unless_equals_uint64 (gst_tfrc_grouping_time_ns (never, fast), never);
  fail_unless_equals_uint64 (gst_tfrc_grouping_time_ns (never - 1, fast), never - 1);
}

GST_END_TEST;

static Suite *
sinkgroups_suite (void)
{
  Suite *s = suite_create ("sinkgroups");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, packets_leave_in_groups_from_four_in_a_millisecond_on);
  tcase_add_test (tc, packets_of_a_fast_stream_leave_every_half_millisecond_at_most);
  tcase_add_test (tc, a_fast_stream_waits_for_the_end_of_its_interval);
  tcase_add_test (tc, each_packet_of_a_group_that_the_own_queue_drops_is_a_loss);
  return s;
}

GST_CHECK_MAIN (sinkgroups);
