/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces that are read, see tools/vod-replay/trace.h. */
#include "vodtracetest.h"

GST_START_TEST (the_projects_csv_is_in_display_order)
{
  Trace *trace = parse ("# a comment\nframe,type,time_ms,bytes\n"
                        "0,I,0,1000\n1,B,40,100\n2,B,80,101\n3,P,120,500\n4,P,160,501\n");

  fail_unless_frames (trace, "I0:1000 P3:500 B1:100 B2:101 P4:501");
  fail_unless_equals_int (trace->reorder_delay, 1);
  fail_unless_equals_int (trace->frames[1].line, 6);
  fail_unless_equals_uint64 (trace_interval_start_ns (trace, 3), 120000000);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (b_frames_at_the_end_stay_behind_what_they_follow)
{
  Trace *trace = parse ("frame,type,time_ms,bytes\r\n"
                        "7,I,0,1000\r\n8,P,40,500\r\n9,B,80,100\r\n10,B,120,101");

  fail_unless_frames (trace, "I0:1000 P1:500 B2:100 B3:101");
  fail_unless_equals_int (trace->reorder_delay, 0);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (fields_may_be_separated_by_any_white_space)
{
  Trace *trace = parse ("# n type t_ms bytes\n"
                        "0 I 0 1000\n1\tP\t40\t500\n  2  P  80  501  \n\n3 P 120 502\n");

  fail_unless_frames (trace, "I0:1000 P1:500 P2:501 P3:502");
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (verbose_traces_may_have_more_columns)
{
  Trace *trace = parse ("0\tI\t0.0\t1000\t41.5\t43.1\t44.0\n"
                        "1\tP\t33.333\t500\t40.0\t42.0\t43.0\n2\tP\t66.667\t0\t39.1\t42.0\t43.0\n");

  fail_unless_frames (trace, "I0:1000 P1:500 P2:0");
  fail_unless_equals_uint64 (trace_interval_start_ns (trace, 2), 66667000);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (times_that_go_back_tell_of_coding_order)
{
  Trace *trace = parse ("1 I 0 1000\n2 P 120 500\n3 B 40 100\n4 B 80 101\n"
                        "5 P 240 501\n6 B 160 102\n7 B 200 103\n");

  fail_unless_frames (trace, "I0:1000 P3:500 B1:100 B2:101 P6:501 B4:102 B5:103");
  fail_unless_equals_int (trace->reorder_delay, 1);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (hierarchical_b_frames_keep_their_coding_order)
{
  Trace *trace = parse ("0 I 0 1000\n4 P 160 500\n2 B 80 100\n1 B 40 50\n"
                        "3 B 120 51\n");

  fail_unless_frames (trace, "I0:1000 P4:500 B2:100 B1:50 B3:51");
  fail_unless_equals_int (trace->reorder_delay, 2);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (coding_order_may_be_said_when_times_do_not_tell)
{
  TraceOptions options = { .order = TRACE_ORDER_CODING };
  Trace *trace = parse_as ("movie",
      "0 I 0 1000\n1 P 40 500\n2 B 80 100\n"
      "3 B 120 101\n4 P 160 501\n",
      &options);

  fail_unless_frames (trace, "I0:1000 P3:500 B1:100 B2:101 P4:501");
  trace_free (trace);
}

GST_END_TEST;

static const TraceOptions in_coding_order = { .order = TRACE_ORDER_CODING };

/* Nothing can be displayed before the first I frame; before a later one B frames
 * can be. */
GST_START_TEST (b_frames_that_follow_the_first_i_frame_are_displayed_after_it)
{
  Trace *trace = parse_as ("movie",
      "frame,type,time_ms,bytes\n"
      "0,I,0,1000\n1,B,40,100\n2,B,80,101\n3,P,120,500\n4,B,160,102\n"
      "5,B,200,103\n6,I,240,1001\n7,B,280,104\n8,B,320,105\n",
      &in_coding_order);

  fail_unless_frames (trace, "I0:1000 B1:100 B2:101 P5:500 B3:102 B4:103 I8:1001 B6:104 B7:105");
  fail_unless_equals_int (trace->reorder_delay, 1);
  fail_unless_equals_uint64 (trace_interval_start_ns (trace, 3), 120000000);
  trace_free (trace);
}

GST_END_TEST;

/* In coding order the numbers may be those of display, as the times may. */
GST_START_TEST (the_projects_csv_may_be_in_coding_order)
{
  Trace *trace = parse_as ("movie",
      "frame,type,time_ms,bytes\n"
      "0,I,0,1000\n3,P,120,500\n1,B,40,100\n2,B,80,101\n4,P,160,501\n",
      &in_coding_order);

  fail_unless_frames (trace, "I0:1000 P3:500 B1:100 B2:101 P4:501");
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (verbose_traces_without_numbers_start_with_the_time)
{
  Trace *trace = parse ("Time[ms] Type Length[byte]\n"
                        "0 I 1000\n40 P 500\n80 p 501\n");

  fail_unless_frames (trace, "I0:1000 P1:500 P2:501");
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (terse_traces_become_one_i_frame_and_then_p_frames)
{
  TraceOptions options = { .fps_num = 30000, .fps_den = 1001 };
  Trace *trace = parse_as ("Terse_Movie.dat", "1000\n500\n0\n501\n", &options);

  fail_unless_frames (trace, "I0:1000 P1:500 P2:0 P3:501");
  fail_unless_equals_uint64 (
      trace_interval_start_ns (trace, 30000), G_GUINT64_CONSTANT (1001000000000));
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (st_files_are_in_bits_rounded_up_to_bytes)
{
  TraceOptions options = { .fps_num = 25, .fps_den = 1 };
  Trace *trace = parse_as ("traces/st_movie", "# sizes\n8000\n4001\n4008\n", &options);

  fail_unless_frames (trace, "I0:1000 P1:501 P2:501");
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (headers_in_a_senders_trace_belong_to_the_next_frame)
{
  TraceOptions options = { .format = TRACE_FORMAT_ST };
  Trace *trace = parse_as ("movie",
      "1 H 30 1 0.000\n2 I 1000 1 0.000\n"
      "3 P 500 1 0.040\n4 P 501 1 0.080\n",
      &options);

  fail_unless_frames (trace, "I0:1030 P1:500 P2:501");
  fail_unless_equals_uint64 (trace_interval_start_ns (trace, 1), 40000000);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (comments_tell_the_unit_and_the_user_knows_better)
{
  static const gchar text[] = "# Movie at 640 kbit/s\n# frame size [bit]\n"
                              "0 I 0 8000\n1 P 40 4001\n";
  TraceOptions bytes = { .unit = TRACE_UNIT_BYTES };
  Trace *trace = parse (text);

  fail_unless_frames (trace, "I0:1000 P1:501");
  trace_free (trace);
  trace = parse_as ("movie", text, &bytes);
  fail_unless_frames (trace, "I0:8000 P1:4001");
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (a_rate_that_is_given_stands_above_the_times)
{
  TraceOptions options = { .fps_num = 50, .fps_den = 1 };
  Trace *trace = parse_as ("movie", "0 I 0 1000\n1 P 40 500\n2 P 300 500\n", &options);

  fail_unless_equals_uint64 (trace_interval_start_ns (trace, 1), 20000000);
  trace_free (trace);
}

GST_END_TEST;

static Suite *
vodtrace_suite (void)
{
  Suite *s = suite_create ("vodtrace");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_projects_csv_is_in_display_order);
  tcase_add_test (tc, b_frames_at_the_end_stay_behind_what_they_follow);
  tcase_add_test (tc, fields_may_be_separated_by_any_white_space);
  tcase_add_test (tc, verbose_traces_may_have_more_columns);
  tcase_add_test (tc, times_that_go_back_tell_of_coding_order);
  tcase_add_test (tc, hierarchical_b_frames_keep_their_coding_order);
  tcase_add_test (tc, coding_order_may_be_said_when_times_do_not_tell);
  tcase_add_test (tc, b_frames_that_follow_the_first_i_frame_are_displayed_after_it);
  tcase_add_test (tc, the_projects_csv_may_be_in_coding_order);
  tcase_add_test (tc, verbose_traces_without_numbers_start_with_the_time);
  tcase_add_test (tc, terse_traces_become_one_i_frame_and_then_p_frames);
  tcase_add_test (tc, st_files_are_in_bits_rounded_up_to_bytes);
  tcase_add_test (tc, headers_in_a_senders_trace_belong_to_the_next_frame);
  tcase_add_test (tc, comments_tell_the_unit_and_the_user_knows_better);
  tcase_add_test (tc, a_rate_that_is_given_stands_above_the_times);
  return s;
}

GST_CHECK_MAIN (vodtrace);
