/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When buffers are due, see gst/tfrcsink/duetime.h. */
#include <gst/check/gstcheck.h>
#include "gst/common/clock.h"
#include "gst/tfrcsink/duetime.h"

#define MS GST_MSECOND
#define S GST_SECOND

#define NOW (5000 * S) /* on the monotonic clock */
#define BASE (70 * S)

static const GstTfrcSyncTimes plain = { 3 * S, BASE, 0, 0, 0 };

GST_START_TEST (a_buffer_is_due_at_its_running_time)
{
  fail_unless_equals_uint64 (gst_tfrc_sync_time_ns (&plain), BASE + 3 * S);
}

GST_END_TEST;

GST_START_TEST (latency_offset_and_render_delay_move_the_due_time)
{
  const struct
  {
    GstClockTime latency;
    GstClockTimeDiff ts_offset;
    GstClockTime render_delay;
    guint64 due_ns; /* after the base time */
  } cases[] = {
    { 200 * MS, 0, 0, 3200 * MS },
    { 0, 300 * MS, 0, 3300 * MS },
    { 0, -300 * (GstClockTimeDiff) MS, 0, 2700 * MS },
    { 0, 0, 400 * MS, 2600 * MS },
    { 200 * MS, 300 * MS, 400 * MS, 3100 * MS },
    { 2 * S, 0, 0, 5 * S },
    /* a buffer is not due before the base time */
    { 0, -5 * (GstClockTimeDiff) S, 0, 0 },
    { 0, 0, 5 * S, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstTfrcSyncTimes times = plain;

    times.latency = cases[i].latency;
    times.ts_offset = cases[i].ts_offset;
    times.render_delay = cases[i].render_delay;
    fail_unless_equals_uint64 (gst_tfrc_sync_time_ns (&times), BASE + cases[i].due_ns);
  }
}

GST_END_TEST;

GST_START_TEST (lateness_while_the_sink_blocks_is_sender_delay)
{
  GstTfrcLateness lateness = { 80 * MS, 0 };

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (80 * MS, NOW, &lateness), NOW - 80 * MS);
  fail_unless_equals_uint64 (lateness.blocked_ns, 80 * MS);
}

GST_END_TEST;

GST_START_TEST (lateness_that_the_pipeline_causes_is_no_sender_delay)
{
  GstTfrcLateness lateness = { 80 * MS, 0 };

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &lateness), NOW - 80 * MS);
  fail_unless_equals_uint64 (lateness.blocked_ns, 80 * MS);
  lateness.blocked_ns = 0;
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &lateness), NOW);
}

GST_END_TEST;

/* The same holds if the pipeline falls behind again by itself. */
GST_START_TEST (lateness_that_the_pipeline_has_made_up_for_is_forgotten)
{
  GstTfrcLateness lateness = { 80 * MS, 0 };

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (30 * MS, NOW, &lateness), NOW - 30 * MS);
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &lateness), NOW - 30 * MS);
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (0, NOW, &lateness), NOW);
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &lateness), NOW);
}

GST_END_TEST;

/* The pipeline is always 10 s late, and the sink makes it wait for 80 ms now and then. */
GST_START_TEST (a_pipeline_that_is_always_late_can_catch_up)
{
  GstTfrcLateness lateness = { 0 };

  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_uint64 (gst_tfrc_due_time_ns (10 * S, NOW, &lateness), NOW);
    lateness.blocked_ns += 80 * MS;
    fail_unless_equals_uint64 (
        gst_tfrc_due_time_ns (10 * S + 80 * MS, NOW, &lateness), NOW - 80 * MS);
    fail_unless_equals_uint64 (
        gst_tfrc_due_time_ns (10 * S + 30 * MS, NOW, &lateness), NOW - 30 * MS);
  }
}

GST_END_TEST;

GST_START_TEST (nothing_is_due_before_the_clock_began)
{
  GstTfrcLateness lateness = { 80 * MS, 0 };

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (80 * MS, 20 * MS, &lateness), 0);
}

GST_END_TEST;

/* ---- portions --------------------------------------------------------------- */

GST_START_TEST (a_late_stream_needs_a_turn_for_each_portion)
{
  GstTfrcPortion portion = { 0 };

  for (guint i = 0; i < 100; i++) {
    gboolean is_first = i % 10 == 0; /* of 100 ms */

    fail_unless_equals_int (
        gst_tfrc_portion_needs_turn (&portion, NOW + i * 10 * MS, TRUE), is_first);
  }
}

GST_END_TEST;

GST_START_TEST (a_stream_that_is_in_time_needs_no_turn)
{
  GstTfrcPortion portion = { 0 };

  for (guint i = 0; i < 100; i++)
    fail_if (gst_tfrc_portion_needs_turn (&portion, NOW + i * 10 * MS, FALSE));
}

GST_END_TEST;

GST_START_TEST (a_stream_that_becomes_late_needs_a_turn_at_once)
{
  GstTfrcPortion portion = { 0 };

  fail_if (gst_tfrc_portion_needs_turn (&portion, NOW, FALSE));
  fail_unless (gst_tfrc_portion_needs_turn (&portion, NOW + 10 * MS, TRUE));
  fail_if (gst_tfrc_portion_needs_turn (&portion, NOW + 109 * MS, TRUE));
  fail_unless (gst_tfrc_portion_needs_turn (&portion, NOW + 110 * MS, TRUE));
}

GST_END_TEST;

GST_START_TEST (a_seek_begins_a_portion)
{
  GstTfrcPortion portion = { 0 };

  fail_unless (gst_tfrc_portion_needs_turn (&portion, NOW + S, TRUE));
  fail_unless (gst_tfrc_portion_needs_turn (&portion, NOW, TRUE));
  fail_if (gst_tfrc_portion_needs_turn (&portion, NOW + 99 * MS, TRUE));
}

GST_END_TEST;

/* ---- the pipeline's clock ------------------------------------------------- */

GST_START_TEST (the_first_readings_tell_the_offset)
{
  GstTfrcClockOffset offset = { 0 };

  gst_tfrc_clock_offset_update (&offset, NOW, BASE, NOW + 100);
  fail_unless_equals_int64 (offset.offset_ns, (gint64) (NOW - BASE) + 50);
}

GST_END_TEST;

/* The thread is interrupted before or after it reads the pipeline's clock. */
GST_START_TEST (an_interrupted_reading_moves_nothing)
{
  GstTfrcClockOffset offset = { 0 };

  gst_tfrc_clock_offset_update (&offset, NOW, BASE, NOW);
  gst_tfrc_clock_offset_update (&offset, NOW + S, BASE + S, NOW + S + 20 * MS);
  fail_unless_equals_int64 (offset.offset_ns, NOW - BASE);
  gst_tfrc_clock_offset_update (
      &offset, NOW + 2 * S, BASE + 2 * S + 20 * MS, NOW + 2 * S + 20 * MS);
  fail_unless_equals_int64 (offset.offset_ns, NOW - BASE);
}

GST_END_TEST;

/* 1000 ppm, read each 100 ms; then the clock jumps forward by 10 s. */
GST_START_TEST (the_offset_follows_a_clock_of_another_speed)
{
  GstTfrcClockOffset offset = { 0 };

  for (guint i = 0; i <= 10; i++)
    gst_tfrc_clock_offset_update (
        &offset, NOW + i * 100 * MS, BASE + i * 100100 * GST_USECOND, NOW + i * 100 * MS + 2);
  fail_unless_equals_int64 (offset.offset_ns, (gint64) (NOW - BASE) - (gint64) MS + 2);
  gst_tfrc_clock_offset_update (&offset, NOW + 2 * S, BASE + 12 * S, NOW + 2 * S + 2);
  fail_unless_equals_int64 (offset.offset_ns, (gint64) (NOW - BASE) - 10 * (gint64) S + 2);
}

GST_END_TEST;

static Suite *
duetime_suite (void)
{
  Suite *s = suite_create ("duetime");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_buffer_is_due_at_its_running_time);
  tcase_add_test (tc, latency_offset_and_render_delay_move_the_due_time);
  tcase_add_test (tc, lateness_while_the_sink_blocks_is_sender_delay);
  tcase_add_test (tc, lateness_that_the_pipeline_causes_is_no_sender_delay);
  tcase_add_test (tc, lateness_that_the_pipeline_has_made_up_for_is_forgotten);
  tcase_add_test (tc, a_pipeline_that_is_always_late_can_catch_up);
  tcase_add_test (tc, nothing_is_due_before_the_clock_began);
  tcase_add_test (tc, a_late_stream_needs_a_turn_for_each_portion);
  tcase_add_test (tc, a_stream_that_is_in_time_needs_no_turn);
  tcase_add_test (tc, a_stream_that_becomes_late_needs_a_turn_at_once);
  tcase_add_test (tc, a_seek_begins_a_portion);
  tcase_add_test (tc, the_first_readings_tell_the_offset);
  tcase_add_test (tc, an_interrupted_reading_moves_nothing);
  tcase_add_test (tc, the_offset_follows_a_clock_of_another_speed);
  return s;
}

GST_CHECK_MAIN (duetime);
