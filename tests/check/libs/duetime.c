/* When late buffers were due, see gst/tfrcsink/duetime.h. */
#include <gst/check/gstcheck.h>
#include "gst/tfrcsink/duetime.h"

#define MS GST_MSECOND
#define S GST_SECOND

#define NOW (5000 * S) /* on the monotonic clock */
#define BASE (70 * S)

static const GstTfrcSyncTimes plain = { 3 * S, BASE, 0, 0, 0 };

GST_START_TEST (a_buffer_is_late_after_the_time_that_the_sink_waits_for)
{
  fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&plain, BASE + 3 * S), 0);
  fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&plain, BASE + 3 * S + 1), 1);
  fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&plain, BASE + 4 * S), S);
  fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&plain, BASE + 3 * S - 1), 0);
  fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&plain, 0), 0);
}

GST_END_TEST;

GST_START_TEST (latency_offset_and_render_delay_move_the_time_of_being_late)
{
  const struct
  {
    GstClockTime latency;
    GstClockTimeDiff ts_offset;
    GstClockTime render_delay;
    guint64 late_ns; /* 4 s after the base time */
  } cases[] = {
    { 200 * MS, 0, 0, 800 * MS },
    { 0, 300 * MS, 0, 700 * MS },
    { 0, -300 * (GstClockTimeDiff) MS, 0, 1300 * MS },
    { 0, 0, 400 * MS, 1400 * MS },
    { 200 * MS, 300 * MS, 400 * MS, 900 * MS },
    { 2 * S, 0, 0, 0 },
    /* a buffer is not due before the base time */
    { 0, -5 * (GstClockTimeDiff) S, 0, 4 * S },
    { 0, 0, 5 * S, 4 * S },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstTfrcSyncTimes times = plain;

    times.latency = cases[i].latency;
    times.ts_offset = cases[i].ts_offset;
    times.render_delay = cases[i].render_delay;
    fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&times, BASE + 4 * S), cases[i].late_ns);
  }
}

GST_END_TEST;

GST_START_TEST (a_buffer_outside_of_the_segment_is_never_late)
{
  GstTfrcSyncTimes times = plain;

  times.running_time = GST_CLOCK_TIME_NONE;
  fail_unless_equals_uint64 (gst_tfrc_lateness_ns (&times, BASE + 4 * S), 0);
}

GST_END_TEST;

GST_START_TEST (lateness_while_the_sink_blocks_is_sender_delay)
{
  guint64 blocked_ns = 80 * MS;

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (80 * MS, NOW, &blocked_ns), NOW - 80 * MS);
  fail_unless_equals_uint64 (blocked_ns, 80 * MS);
}

GST_END_TEST;

GST_START_TEST (lateness_that_the_pipeline_causes_is_no_sender_delay)
{
  guint64 blocked_ns = 80 * MS;

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &blocked_ns), NOW - 80 * MS);
  fail_unless_equals_uint64 (blocked_ns, 80 * MS);
  blocked_ns = 0;
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &blocked_ns), NOW);
}

GST_END_TEST;

/* The same holds if the pipeline falls behind again by itself. */
GST_START_TEST (lateness_that_the_pipeline_has_made_up_for_is_forgotten)
{
  guint64 blocked_ns = 80 * MS;

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (30 * MS, NOW, &blocked_ns), NOW - 30 * MS);
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &blocked_ns), NOW - 30 * MS);
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (0, NOW, &blocked_ns), NOW);
  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (500 * MS, NOW, &blocked_ns), NOW);
}

GST_END_TEST;

GST_START_TEST (nothing_is_due_before_the_clock_began)
{
  guint64 blocked_ns = 80 * MS;

  fail_unless_equals_uint64 (gst_tfrc_due_time_ns (80 * MS, 20 * MS, &blocked_ns), 0);
}

GST_END_TEST;

static Suite *
duetime_suite (void)
{
  Suite *s = suite_create ("duetime");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_buffer_is_late_after_the_time_that_the_sink_waits_for);
  tcase_add_test (tc, latency_offset_and_render_delay_move_the_time_of_being_late);
  tcase_add_test (tc, a_buffer_outside_of_the_segment_is_never_late);
  tcase_add_test (tc, lateness_while_the_sink_blocks_is_sender_delay);
  tcase_add_test (tc, lateness_that_the_pipeline_causes_is_no_sender_delay);
  tcase_add_test (tc, lateness_that_the_pipeline_has_made_up_for_is_forgotten);
  tcase_add_test (tc, nothing_is_due_before_the_clock_began);
  return s;
}

GST_CHECK_MAIN (duetime);
