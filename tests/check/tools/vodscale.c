/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scaling to a mean rate, see tools/vod-replay/scale.h.  tests/scripts/
 * vod-replay.sh compares what it counts with what the muxer makes. */
#include "vodtracetest.h"

#include "accessunit.h"
#include "scale.h"

GST_START_TEST (headers_and_tables_count)
{
  /* 14 bytes of PES header, and of PCR 8: 162 fit into the first packet, and
   * 170 into the second, which has no PCR as 40 ms have not passed. */
  Trace *trace = parse ("0 I 0 162\n1 P 40 170\n");

  fail_unless_equals_uint64 (trace_ts_packets (trace), 2 + 1 + 1);
  trace->frames[0].bytes++;
  fail_unless_equals_uint64 (trace_ts_packets (trace), 2 + 2 + 1);
  trace->frames[1].bytes++;
  fail_unless_equals_uint64 (trace_ts_packets (trace), 2 + 2 + 2);
  fail_unless_equals_int (trace_ts_bitrate_bps (trace), 6 * 188 * 8 * 1000 / 80);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (the_packets_of_each_frame_have_the_tables_in_front_of_them)
{
  Trace *trace = parse ("0 I 0 162\n1 P 40 170\n2 P 80 400\n3 P 120 100\n");
  const guint expected[] = { 2 + 1, 1, 3, 2 + 1 };
  guint *packets = trace_frame_ts_packets (trace);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    fail_unless_equals_int (packets[i], expected[i]);
  g_free (packets);
  trace_free (trace);
}

GST_END_TEST;

/* A second of frames that differ in size by 4 */
static Trace *
make_trace (void)
{
  GString *text = g_string_new (NULL);
  Trace *trace;
  guint i;

  for (i = 0; i < 25; i++)
    g_string_append_printf (text, "%u %s %u %u\n", i, i ? "P" : "I", i * 40, 2000 + i * 250);
  trace = parse (text->str);
  g_string_free (text, TRUE);
  return trace;
}

GST_START_TEST (rates_are_met_as_near_as_packets_allow)
{
  const guint64 rates_bps[] = { 100000, 640000, 2000000, 50000000 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rates_bps); i++) {
    Trace *trace = make_trace ();
    gdouble actual;

    fail_unless (trace_scale (trace, rates_bps[i], NULL));
    actual = trace_ts_bitrate_bps (trace);
    /* two packets of 188 bytes in this second */
    fail_unless (actual >= rates_bps[i] && actual <= rates_bps[i] + 3008, "%f instead of %u",
        actual, (guint) rates_bps[i]);
    trace_free (trace);
  }
}

GST_END_TEST;

GST_START_TEST (sizes_keep_their_ratio_and_empty_frames_stay_empty)
{
  Trace *trace = make_trace ();

  trace->frames[7].bytes = 0;
  fail_unless (trace_scale (trace, 2000000, NULL));
  fail_unless_equals_int (trace->frames[7].bytes, 0);
  fail_unless (ABS ((gint) trace->frames[24].bytes - 4 * (gint) trace->frames[0].bytes) <= 4);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (no_frame_becomes_too_small)
{
  Trace *trace = make_trace ();

  trace->frames[3].bytes = 16;
  fail_unless (trace_scale (trace, 100000, NULL));
  fail_unless_equals_int (trace->frames[3].bytes, access_unit_min_bytes (FRAME_TYPE_P));
  fail_unless (trace_check_sizes (trace, NULL));
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (rates_that_cannot_be_are_refused)
{
  Trace *trace = make_trace ();
  GError *error = NULL;

  /* 25 packets of frames, and tables at 0, 120, 240, 320, 440, ... ms */
  fail_if (trace_scale (trace, 1000, &error));
  fail_unless_equals_string (error->message, "movie: needs at least 67680 bit/s");
  g_clear_error (&error);
  fail_if (trace_scale (trace, G_MAXUINT64, &error));
  fail_unless_equals_string (
      error->message, "movie: cannot be scaled up to 18446744073709551615 bit/s");
  g_error_free (error);
  trace_free (trace);
}

GST_END_TEST;

static Suite *
vodscale_suite (void)
{
  Suite *s = suite_create ("vodscale");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, headers_and_tables_count);
  tcase_add_test (tc, the_packets_of_each_frame_have_the_tables_in_front_of_them);
  tcase_add_test (tc, rates_are_met_as_near_as_packets_allow);
  tcase_add_test (tc, sizes_keep_their_ratio_and_empty_frames_stay_empty);
  tcase_add_test (tc, no_frame_becomes_too_small);
  tcase_add_test (tc, rates_that_cannot_be_are_refused);
  return s;
}

GST_CHECK_MAIN (vodscale);
