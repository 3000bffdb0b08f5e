/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order and the times of frames, see tools/vod-replay/replay.h. */
#include "vodtracetest.h"

#include "replay.h"

#define MS G_GUINT64_CONSTANT (1000000)

/* 40 ms from frame to frame; the second I frame has B frames before it */
static const gchar movie[] = "0 I 0 100\n1 B 40 21\n2 P 80 51\n3 B 120 22\n"
                             "4 I 160 101\n5 P 200 52\n";

/* Frames as "I100@0/40": type, bytes, DTS and PTS in ms. */
static gchar *
replay_all (Replay *replay, guint most)
{
  GString *all = g_string_new (NULL);
  ReplayFrame frame;

  while (most-- > 0 && replay_next (replay, &frame)) {
    fail_unless_equals_uint64 (frame.duration_ns, 40 * MS);
    g_string_append_printf (all, "%s%c%u@%u/%u", all->len ? " " : "", "IPB"[frame.type],
        frame.bytes, (guint) (frame.dts_ns / MS), (guint) (frame.pts_ns / MS));
  }
  return g_string_free (all, FALSE);
}

static void
fail_unless_replayed (const gchar *text, gboolean loop, guint64 offset_ns, guint64 duration_ns,
    guint most, const gchar *expected)
{
  Trace *trace = parse (text);
  Replay replay;
  GError *error = NULL;
  gchar *actual;

  fail_unless (replay_init (&replay, trace, loop, offset_ns, duration_ns, &error));
  actual = replay_all (&replay, most);
  fail_unless_equals_string (actual, expected);
  g_free (actual);
  trace_free (trace);
}

GST_START_TEST (frames_are_decoded_before_they_are_displayed)
{
  fail_unless_replayed (movie, FALSE, 0, G_MAXUINT64, 100,
      "I100@0/40 P51@40/120 B21@80/80 I101@120/200 B22@160/160 P52@200/240");
}

GST_END_TEST;

GST_START_TEST (without_b_frames_there_is_no_delay)
{
  fail_unless_replayed ("0 I 0 100\n1 P 40 51\n", FALSE, 0, G_MAXUINT64, 100, "I100@0/0 P51@40/40");
}

GST_END_TEST;

GST_START_TEST (a_loop_goes_on_in_time)
{
  fail_unless_replayed (movie, TRUE, 0, G_MAXUINT64, 9,
      "I100@0/40 P51@40/120 B21@80/80 I101@120/200 B22@160/160 P52@200/240"
      " I100@240/280 P51@280/360 B21@320/320");
}

GST_END_TEST;

/* The B frame that refers to what is left out is left out as well. */
GST_START_TEST (an_offset_starts_with_the_next_i_frame)
{
  fail_unless_replayed (movie, FALSE, 81 * MS, G_MAXUINT64, 100, "I101@0/40 P52@40/80");
  fail_unless_replayed (movie, FALSE, 160 * MS, G_MAXUINT64, 100, "I101@0/40 P52@40/80");
}

GST_END_TEST;

GST_START_TEST (a_loop_from_an_offset_comes_to_what_was_left_out)
{
  fail_unless_replayed (movie, TRUE, 81 * MS, G_MAXUINT64, 8,
      "I101@0/40 P52@40/80 I100@80/120 P51@120/200 B21@160/160"
      " I101@200/280 B22@240/240 P52@280/320");
}

GST_END_TEST;

GST_START_TEST (a_duration_ends_it)
{
  fail_unless_replayed (movie, TRUE, 0, 0, 100, "");
  fail_unless_replayed (movie, TRUE, 0, 80 * MS, 100, "I100@0/40 P51@40/120");
  fail_unless_replayed (movie, TRUE, 0, 80 * MS + 1, 100, "I100@0/40 P51@40/120 B21@80/80");
}

GST_END_TEST;

GST_START_TEST (empty_frames_take_their_time)
{
  fail_unless_replayed ("0 I 0 100\n1 P 40 0\n2 P 80 50\n", TRUE, 0, G_MAXUINT64, 4,
      "I100@0/0 P50@80/80 I100@120/120 P50@200/200");
}

GST_END_TEST;

/* Hours at 29.97 frames/s: the times do not drift. */
GST_START_TEST (fractional_intervals_do_not_add_up_to_an_error)
{
  TraceOptions options = { .fps_num = 30000, .fps_den = 1001 };
  Trace *trace = parse_as ("movie", "100\n", &options);
  Replay replay;
  ReplayFrame frame;
  guint i;

  fail_unless (replay_init (&replay, trace, TRUE, 0, G_MAXUINT64, NULL));
  for (i = 0; i <= 300000; i++)
    fail_unless (replay_next (&replay, &frame));
  fail_unless_equals_uint64 (frame.dts_ns, 10010 * 1000 * MS);
  trace_free (trace);
}

GST_END_TEST;

GST_START_TEST (an_offset_without_an_i_frame_behind_it_is_refused)
{
  Trace *trace = parse (movie);
  Replay replay;
  GError *error = NULL;

  fail_if (replay_init (&replay, trace, TRUE, 200 * MS, G_MAXUINT64, &error));
  fail_unless_equals_string (
      error->message, "movie: no I frame at or after 0.2 s; the trace lasts 0.24 s");
  g_error_free (error);
  trace_free (trace);
}

GST_END_TEST;

static Suite *
vodreplay_suite (void)
{
  Suite *s = suite_create ("vodreplay");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, frames_are_decoded_before_they_are_displayed);
  tcase_add_test (tc, without_b_frames_there_is_no_delay);
  tcase_add_test (tc, a_loop_goes_on_in_time);
  tcase_add_test (tc, an_offset_starts_with_the_next_i_frame);
  tcase_add_test (tc, a_loop_from_an_offset_comes_to_what_was_left_out);
  tcase_add_test (tc, a_duration_ends_it);
  tcase_add_test (tc, empty_frames_take_their_time);
  tcase_add_test (tc, fractional_intervals_do_not_add_up_to_an_error);
  tcase_add_test (tc, an_offset_without_an_i_frame_behind_it_is_refused);
  return s;
}

GST_CHECK_MAIN (vodreplay);
