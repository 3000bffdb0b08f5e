/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces that are refused, with the file and the line that is wrong. */
#include "vodtracetest.h"

#include "scale.h"

#define HEADER "frame,type,time_ms,bytes\n"

typedef struct
{
  const gchar *text;
  const gchar *message;
} Refused;

static void
fail_unless_refused (
    const gchar *text, gsize length, const TraceOptions *options, const gchar *message)
{
  GError *error = NULL;
  Trace *trace = trace_parse ("movie", text, length, options, &error);

  fail_unless (trace == NULL, "accepted: %s", text);
  fail_unless (error != NULL);
  fail_unless (error->domain == TRACE_ERROR);
  fail_unless_equals_string (error->message, message);
  g_error_free (error);
}

static void
fail_unless_all_refused (const Refused *refused, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++)
    fail_unless_refused (
        refused[i].text, strlen (refused[i].text), &from_content, refused[i].message);
}

GST_START_TEST (fields_that_make_no_sense_are_named)
{
  static const Refused refused[] = {
    { HEADER "0,I,0,100\n1,P,40\n",
        "movie:3: 3 fields instead of the 4 of \"frame,type,time_ms,bytes\"" },
    { HEADER "0,I,0,100\n1,P,40,100,1\n",
        "movie:3: 5 fields instead of the 4 of \"frame,type,time_ms,bytes\"" },
    { "frame,type,time,bytes\n", "movie:1: expected the header \"frame,type,time_ms,bytes\"" },
    { HEADER "# again\n" HEADER, "movie:3: frame number \"frame\" is not a whole number" },
    { HEADER "0,I,0,100\n2,P,40,100\n", "movie:3: frame 2 where 1 should stand" },
    { HEADER "0,I,0,100\n1,X,40,100\n", "movie:3: frame type \"X\" is none of I, P, B" },
    { HEADER "0,I,0,100\n1,,40,100\n", "movie:3: frame type \"\" is none of I, P, B" },
    { HEADER "0,I,0,100\n1,P,-40,100\n", "movie:3: time \"-40\" is not a time in ms" },
    { HEADER "0,I,0,100\n1,P,1e3,100\n", "movie:3: time \"1e3\" is not a time in ms" },
    { HEADER "0,I,0,1.5\n", "movie:2: frame size \"1.5\" is not a whole number" },
    { HEADER "0,I,0,16777217\n",
        "movie:2: a frame of 16777217 bytes; no more than 16777216 are possible" },
    { HEADER "0,I,0,99999999999999999999\n",
        "movie:2: a frame of 18446744073709551615 bytes;"
        " no more than 16777216 are possible" },
    { "0 I 0 100\n1 H 40 100\n", "movie:2: frame type \"H\" is none of I, P, B" },
    { "100\n200\n1 I 0 100\n", "movie:3: 4 fields instead of the 1 of \"size\"" },
  };

  fail_unless_all_refused (refused, G_N_ELEMENTS (refused));
}

GST_END_TEST;

GST_START_TEST (what_is_no_trace_has_no_frames)
{
  static const Refused refused[] = {
    { "", "movie: has no frames" },
    { "# nothing\n\n", "movie: has no frames" },
    { HEADER, "movie: has no frames" },
    { "some text\n", "movie: has no frames" },
  };

  fail_unless_all_refused (refused, G_N_ELEMENTS (refused));
}

GST_END_TEST;

GST_START_TEST (a_trace_starts_with_an_i_frame)
{
  static const Refused refused[] = {
    { "0 P 0 100\n1 I 40 100\n", "movie:1: the first frame is a P frame instead of an I frame" },
    { "0 I 0 0\n1 P 40 100\n", "movie:1: the first frame is empty instead of an I frame" },
    { "0 B 0 100\n1 I 40 100\n", "movie:2: 1 frames are displayed before the first I frame" },
  };

  fail_unless_all_refused (refused, G_N_ELEMENTS (refused));
}

GST_END_TEST;

GST_START_TEST (times_must_fit_a_frame_rate)
{
  static const Refused refused[] = {
    /* a frame is missing: the first that is too far from its place */
    { "0 I 0 9\n1 P 40 9\n2 P 80 9\n3 P 200 9\n4 P 240 9\n",
        "movie:3: time 80 ms, but at the mean rate of 16.667 frames/s"
        " it is 120 ms" },
    { "0 I 0 100\n1 P 40 100\n2 B 40 100\n", "movie:3: time 40 ms stands at line 2 already" },
    { "0 I 0 100\n", "movie: has no times: the frame rate must be given (--fps)" },
    { "100\n200\n", "movie: has no times: the frame rate must be given (--fps)" },
  };
  TraceOptions display = { .order = TRACE_ORDER_DISPLAY };
  static const gchar coding[] = "0 I 0 100\n1 P 80 100\n2 B 40 100\n";

  fail_unless_all_refused (refused, G_N_ELEMENTS (refused));
  fail_unless_refused (coding, strlen (coding), &display,
      "movie:3: time 40 ms is not after the 80 ms of the frame before"
      " (is the trace in coding order?)");
}

GST_END_TEST;

/* A decoder reorders 16 frames at most (H.264, max_num_reorder_frames). */
GST_START_TEST (orders_that_no_decoder_can_display_are_refused)
{
  TraceOptions coding = { .order = TRACE_ORDER_CODING };
  static const gchar early[] = "0 I 80 100\n1 B 0 100\n2 B 40 100\n";
  static const gchar first_b[] = "0 B 0 100\n1 I 40 100\n2 P 80 100\n";
  GString *far = g_string_new ("0 I 0 100\n");

  fail_unless_refused (
      early, strlen (early), &coding, "movie:1: 2 frames are displayed before the first I frame");
  fail_unless_refused (first_b, strlen (first_b), &coding,
      "movie:1: the first frame is a B frame instead of an I frame");
  for (guint i = 2; i <= 17; i++)
    g_string_append_printf (far, "%u P %u 100\n", i, i * 40);
  g_string_append (far, "1 B 40 100\n");
  trace_free (parse_as ("movie", far->str, &coding));
  g_string_insert (far, far->len - strlen ("1 B 40 100\n"), "18 P 720 100\n");
  fail_unless_refused (far->str, far->len, &coding,
      "movie:19: this frame is coded 17 places after its place in the display;"
      " a decoder can wait for 16");
  g_string_free (far, TRUE);
}

GST_END_TEST;

GST_START_TEST (bytes_of_any_kind_are_refused)
{
  static const gchar zeros[] = "0 I 0 100\n1 P 40 1\0"
                               "0\n";

  fail_unless_refused (
      zeros, sizeof zeros - 1, &from_content, "movie:2: frame size \"1\" is not a whole number");
}

GST_END_TEST;

GST_START_TEST (frames_too_small_for_an_access_unit_are_named)
{
  Trace *trace = parse ("0 I 0 1000\n1 B 40 0\n2 P 80 9\n");
  GError *error = NULL;

  fail_if (trace_check_sizes (trace, &error));
  fail_unless_equals_string (
      error->message, "movie:3: P frame of 9 bytes; the smallest possible has 15");
  g_error_free (error);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (a_file_that_is_not_there_is_named)
{
  GError *error = NULL;

  fail_unless (trace_load ("/nonexistent/movie", &from_content, &error) == NULL);
  fail_unless (strstr (error->message, "/nonexistent/movie") != NULL);
  g_error_free (error);
}

GST_END_TEST;

static Suite *
vodtracerefused_suite (void)
{
  Suite *s = suite_create ("vodtracerefused");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, fields_that_make_no_sense_are_named);
  tcase_add_test (tc, what_is_no_trace_has_no_frames);
  tcase_add_test (tc, a_trace_starts_with_an_i_frame);
  tcase_add_test (tc, times_must_fit_a_frame_rate);
  tcase_add_test (tc, orders_that_no_decoder_can_display_are_refused);
  tcase_add_test (tc, bytes_of_any_kind_are_refused);
  tcase_add_test (tc, frames_too_small_for_an_access_unit_are_named);
  tcase_add_test (tc, a_file_that_is_not_there_is_named);
  return s;
}

GST_CHECK_MAIN (vodtracerefused);
