/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segments of a transport stream, see tools/server/tsindex.h */
#include "servermovie.h"

#include <stdio.h>

#include "tools/server/tsindex.h"

#define S GST_SECOND

static TsIndex *
open_index (GByteArray *movie)
{
  int fd = movie_open_and_free (movie);
  TsIndex *index = ts_index_new (fd, NULL);

  fail_unless (index != NULL);
  close (fd);
  return index;
}

/* Of two recordings in one file, whose clocks begin at the same time */
static TsIndex *
open_index_of_two_recordings (guint groups, guint packets)
{
  GByteArray *movie = movie_new (groups, packets), *rest = movie_new (groups, packets);

  g_byte_array_append (movie, rest->data, rest->len);
  g_byte_array_unref (rest);
  return open_index (movie);
}

static void
assert_segment (TsIndex *index, guint number, guint64 offset, guint64 bytes, guint64 time_ns,
    guint64 duration_ns, gboolean is_random_access)
{
  TsSegment segment;

  fail_unless (ts_index_get (index, number, &segment));
  fail_unless_equals_uint64 (segment.offset, offset);
  fail_unless_equals_uint64 (segment.bytes, bytes);
  fail_unless_equals_uint64 (segment.time_ns, time_ns);
  fail_unless_equals_uint64 (segment.duration_ns, duration_ns);
  fail_unless_equals_int (segment.is_random_access, is_random_access);
}

static void
assert_end (TsIndex *index, guint number)
{
  TsSegment segment;

  fail_unless (!ts_index_get (index, number, &segment));
  fail_unless (!ts_index_get (index, G_MAXUINT, &segment));
}

/* A group has 2 packets of tables and 50 pictures of 3 packets. */
#define GROUP (152 * TS_BYTES)

GST_START_TEST (segments_begin_with_the_tables_before_a_random_access_point)
{
  TsIndex *index = open_index (movie_new (3, 3));

  assert_segment (index, 0, 0, GROUP, 0, 2 * S, TRUE);
  assert_segment (index, 1, GROUP, GROUP, 2 * S, 2 * S, TRUE);
  /* The last picture begins 40 ms before the end. */
  assert_segment (index, 2, 2 * GROUP, GROUP, 4 * S, 2 * S - 40 * GST_MSECOND, TRUE);
  assert_end (index, 3);
  fail_unless_equals_float (ts_index_get_mean_bps (index), 3 * GROUP * 8 / 5.96);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (tables_in_the_middle_of_a_group_belong_to_no_segment_of_their_own)
{
  GByteArray *movie = movie_new (1, 3);
  TsIndex *index;

  movie_append_tables (movie, MOVIE_VIDEO_PID);
  movie_append_picture (movie, MOVIE_VIDEO_PID, FALSE, MOVIE_FIRST_PTS + 50 * 3600, 3);
  movie_append_picture (movie, MOVIE_VIDEO_PID, TRUE, MOVIE_FIRST_PTS + 51 * 3600, 3);
  index = open_index (movie);
  assert_segment (index, 0, 0, GROUP + 5 * TS_BYTES, 0, 2040 * GST_MSECOND, TRUE);
  assert_segment (index, 1, GROUP + 5 * TS_BYTES, 3 * TS_BYTES, 2040 * GST_MSECOND, 0, TRUE);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (a_time_leads_to_the_random_access_point_before)
{
  TsIndex *index = open_index (movie_new (3, 1));

  fail_unless_equals_int (ts_index_find (index, 0), 0);
  fail_unless_equals_int (ts_index_find (index, 2 * S - 1), 0);
  fail_unless_equals_int (ts_index_find (index, 2 * S), 1);
  fail_unless_equals_int (ts_index_find (index, 5 * S), 2);
  fail_unless_equals_int (ts_index_find (index, G_MAXUINT64), 2);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (points_less_than_half_a_second_apart_are_one)
{
  GByteArray *movie = g_byte_array_new ();
  TsIndex *index;
  guint i;

  movie_append_tables (movie, MOVIE_VIDEO_PID);
  for (i = 0; i < 26; i++)
    movie_append_picture (movie, MOVIE_VIDEO_PID, TRUE, MOVIE_FIRST_PTS + i * 3600u, 1);
  index = open_index (movie);
  assert_segment (index, 0, 0, 15 * TS_BYTES, 0, 520 * GST_MSECOND, TRUE);
  assert_segment (
      index, 1, 15 * TS_BYTES, 13 * TS_BYTES, 520 * GST_MSECOND, 480 * GST_MSECOND, TRUE);
  assert_end (index, 2);
  ts_index_free (index);
}

GST_END_TEST;

/* A movie of key pictures with these time stamps, in a packet each */
static TsIndex *
open_index_of (const guint64 *pts, guint n)
{
  GByteArray *movie = g_byte_array_new ();

  movie_append_tables (movie, MOVIE_VIDEO_PID);
  for (guint i = 0; i < n; i++)
    movie_append_picture (movie, MOVIE_VIDEO_PID, TRUE, pts[i], 1);
  return open_index (movie);
}

GST_START_TEST (times_go_on_where_the_clock_of_the_stream_wraps_or_begins_anew)
{
  const guint64 pts[] = { (G_GUINT64_CONSTANT (1) << 33) - 90000, 90000, 5, 450005 };
  TsIndex *index = open_index_of (pts, G_N_ELEMENTS (pts));

  assert_segment (index, 0, 0, 3 * TS_BYTES, 0, 2 * S, TRUE);
  /* The step back counts as a second. */
  assert_segment (index, 1, 3 * TS_BYTES, TS_BYTES, 2 * S, S, TRUE);
  assert_segment (index, 2, 4 * TS_BYTES, TS_BYTES, 3 * S, 5 * S, TRUE);
  ts_index_free (index);
}

GST_END_TEST;

/* Key pictures each half second for 19.4 h.  A viewer who has seen all of them waits for the next one. */
GST_START_TEST (points_of_a_recording_of_days_become_fewer_and_do_not_end)
{
  const guint64 n = 140000;
  GByteArray *movie = g_byte_array_new (), *more = g_byte_array_new ();
  TsSegment segment;
  TsIndex *index;
  int fd;

  movie_append_tables (movie, MOVIE_VIDEO_PID);
  for (guint64 i = 0; i < n; i++)
    movie_append_picture (movie, MOVIE_VIDEO_PID, TRUE, MOVIE_FIRST_PTS + i * 45000, 1);
  fd = movie_open_and_free (movie);
  index = ts_index_new (fd, NULL);
  assert_segment (index, 16382, 16384 * TS_BYTES, TS_BYTES, 8191 * S, S / 2, TRUE);
  assert_segment (index, 16383, 16385 * TS_BYTES, 2 * TS_BYTES, 8191 * S + S / 2, S, TRUE);
  assert_end (index, 52316);
  movie_append_picture (more, MOVIE_VIDEO_PID, TRUE, MOVIE_FIRST_PTS + n * 45000, 1);
  fail_unless (pwrite (fd, more->data, more->len, (n + 2) * TS_BYTES) == (gssize) more->len);
  fail_unless (ts_index_get (index, 52316, &segment));
  g_byte_array_unref (more);
  ts_index_free (index);
  close (fd);
}

GST_END_TEST;

GST_START_TEST (without_video_a_segment_can_begin_with_any_unit_of_sound)
{
  static const guint16 pids[] = { MOVIE_PMT_PID };
  const TsStream streams[] = { { 0x0f, MOVIE_AUDIO_PID, NULL, 0 } };
  GByteArray *movie = g_byte_array_new ();
  TsIndex *index;
  guint i;

  ts_append_pat (movie, 0, pids, 1);
  ts_append_pmt (movie, MOVIE_PMT_PID, 1, 0, streams, 1);
  for (i = 0; i < 50; i++)
    ts_append_pes_cut (
        movie, MOVIE_AUDIO_PID, 0, i * 1800u, (const guint8 *) "sound", 5, TS_PAYLOAD_BYTES);
  index = open_index (movie);
  assert_segment (index, 0, 0, 27 * TS_BYTES, 0, S / 2, TRUE);
  assert_segment (index, 1, 27 * TS_BYTES, 25 * TS_BYTES, S / 2, 480 * GST_MSECOND, TRUE);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (a_stream_without_random_access_points_is_cut_by_bytes)
{
  const gsize cut = 44621 * TS_BYTES; /* the first packet from 8 MiB on */
  GByteArray *movie = g_byte_array_new ();
  TsIndex *index;
  guint i;

  for (i = 0; i < 100000; i++)
    ts_append (movie, 0x55, 0, (const guint8 *) "other", 5);
  index = open_index (movie);
  assert_segment (index, 0, 0, cut, 0, 0, FALSE);
  assert_segment (index, 1, cut, cut, 0, 0, FALSE);
  assert_segment (index, 2, 2 * cut, 100000 * TS_BYTES - 2 * cut, 0, 0, FALSE);
  assert_end (index, 3);
  fail_unless_equals_int (ts_index_find (index, S), 0);
  fail_unless_equals_float (ts_index_get_mean_bps (index), 0);
  ts_index_free (index);
}

GST_END_TEST;

/* @return what this process has read so far, from Linux */
static guint64
bytes_read (void)
{
  gchar *text;
  guint64 bytes = 0;

  fail_unless (g_file_get_contents ("/proc/self/io", &text, NULL, NULL));
  fail_unless (sscanf (text, "rchar: %" G_GUINT64_FORMAT, &bytes) == 1);
  g_free (text);
  return bytes;
}

/* The file is 1 GiB long, and nearly all of it is a hole. */
GST_START_TEST (what_is_no_packet_is_cut_by_bytes_as_well)
{
  const gsize cut = 8 << 20, slack = 1 << 20;
  GByteArray *movie = g_byte_array_new ();
  TsSegment segment;
  TsIndex *index;
  guint64 before;
  guint i;
  int fd;

  for (i = 0; i < 5; i++)
    ts_append (movie, 0x55, 0, (const guint8 *) "other", 5);
  fd = movie_open_and_free (movie);
  fail_unless (ftruncate (fd, 1 << 30) == 0);
  before = bytes_read ();
  index = ts_index_new (fd, NULL);
  fail_unless (bytes_read () - before < cut + slack);
  for (i = 0; i < 3; i++) {
    fail_unless (ts_index_get (index, i, &segment));
    fail_unless (segment.bytes >= cut && segment.bytes < cut + slack);
  }
  fail_unless (bytes_read () - before < 4 * (cut + slack));
  ts_index_free (index);
  close (fd);
}

GST_END_TEST;

/* ---- times far away ------------------------------------------------------------------ */

#define MIB (1 << 20)
/* A group of 50 pictures of 75 packets, as movie_new() makes it: 2 s in 0.7 MB */
#define LARGE_GROUP ((2 + 50 * 75) * TS_BYTES)

static void
assert_lands (TsIndex *index, guint64 wanted_ns, guint64 offset, guint64 time_ns)
{
  guint number = ts_index_find (index, wanted_ns);

  assert_segment (index, number, offset, LARGE_GROUP, time_ns, 2 * S, TRUE);
  assert_segment (
      index, number + 1, offset + LARGE_GROUP, LARGE_GROUP, time_ns + 2 * S, 2 * S, TRUE);
}

/* The file has 85 MB. */
GST_START_TEST (a_time_far_away_is_found_without_what_lies_before)
{
  TsIndex *index = open_index (movie_new (120, 75));
  guint64 before = bytes_read ();
  TsSegment segment;
  guint last;

  assert_lands (index, 181 * S, 90 * LARGE_GROUP, 180 * S);
  fail_unless (bytes_read () - before < 28 * MIB);
  before = bytes_read ();
  assert_lands (index, 183 * S, 91 * LARGE_GROUP, 182 * S);
  fail_unless (bytes_read () - before < 2 * MIB);
  /* back, and to the end */
  assert_lands (index, 120 * S, 60 * LARGE_GROUP, 120 * S);
  assert_lands (index, 3 * S, LARGE_GROUP, 2 * S);
  assert_lands (index, 0, 0, 0);
  last = ts_index_find (index, G_MAXUINT64);
  fail_unless (ts_index_get (index, last, &segment));
  fail_unless_equals_uint64 (segment.offset, 119 * LARGE_GROUP);
  fail_unless_equals_uint64 (segment.time_ns, 238 * S);
  assert_end (index, last + 1);
  ts_index_free (index);
}

GST_END_TEST;

/* A time of the second recording is one of the first as well. */
GST_START_TEST (a_time_far_away_in_two_recordings_is_that_of_the_first)
{
  TsIndex *index = open_index_of_two_recordings (60, 75);

  assert_lands (index, 101 * S, 50 * LARGE_GROUP, 100 * S);
  assert_lands (index, 21 * S, 10 * LARGE_GROUP, 20 * S);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (without_a_random_access_point_near_the_last_one_before_is_found)
{
  GByteArray *movie = movie_new (1, 3);
  TsSegment segment;
  TsIndex *index;
  guint i;

  for (i = 50; i < 6000; i++)
    movie_append_picture (
        movie, MOVIE_VIDEO_PID, FALSE, MOVIE_FIRST_PTS + (guint64) i * MOVIE_PICTURE_TICKS, 75);
  index = open_index (movie);
  fail_unless_equals_int (ts_index_find (index, 200 * S), 0);
  fail_unless (ts_index_get (index, 0, &segment));
  fail_unless_equals_uint64 (segment.offset, 0);
  fail_unless_equals_uint64 (segment.time_ns, 0);
  fail_unless (segment.is_random_access);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (a_duration_that_cannot_be_is_not_known)
{
  const guint64 pts[] = { MOVIE_FIRST_PTS, 5, 450005 };
  TsIndex *index = open_index_of (pts, G_N_ELEMENTS (pts));

  fail_unless_equals_uint64 (ts_index_get_duration (index), 0);
  fail_unless_equals_float (ts_index_get_mean_bps (index), 0);
  assert_segment (index, 1, 3 * TS_BYTES, TS_BYTES, S, 5 * S, TRUE);
  assert_segment (index, 2, 4 * TS_BYTES, TS_BYTES, 6 * S, 0, TRUE);
  ts_index_free (index);
}

GST_END_TEST;

/* The last time of the file is that of the second recording. */
GST_START_TEST (a_duration_is_not_known_any_more_where_the_clock_has_begun_anew)
{
  TsIndex *index = open_index_of_two_recordings (2, 3);

  assert_segment (index, 0, 0, GROUP, 0, 2 * S, TRUE);
  fail_unless_equals_uint64 (ts_index_get_duration (index), 3960 * GST_MSECOND);
  assert_segment (index, 2, 2 * GROUP, GROUP, 3 * S, 2 * S, TRUE);
  fail_unless_equals_uint64 (ts_index_get_duration (index), 0);
  assert_segment (index, 3, 3 * GROUP, GROUP, 5 * S, 0, TRUE);
  ts_index_free (index);
}

GST_END_TEST;

/* Key pictures 590 s apart, and a last half hour that fills the end of the file where the last time is searched */
static GByteArray *
movie_of_hours (guint hours)
{
  const guint n = hours * 3600 / 590 + 1;
  GByteArray *movie = g_byte_array_new ();

  movie_append_tables (movie, MOVIE_VIDEO_PID);
  for (guint i = 0; i < n; i++) {
    movie_append_picture (
        movie, MOVIE_VIDEO_PID, TRUE, MOVIE_FIRST_PTS + i * G_GUINT64_CONSTANT (590) * 90000, 1);
    for (guint j = 0; j < 1900 && i + 4 >= n; j++)
      ts_append (movie, TS_NULL_PID, 0, (const guint8 *) "x", 1);
  }
  return movie;
}

static void
assert_duration_of_hours (guint hours)
{
  TsIndex *index = open_index (movie_of_hours (hours));
  guint64 duration_ns = ts_index_get_duration (index);
  TsSegment segment;
  guint i;

  for (i = 0; ts_index_get (index, i, &segment); i++)
    ;
  /* the scan goes on across the wrap */
  fail_unless (segment.time_ns + segment.duration_ns > (hours * 3600 - 600) * S);
  if (duration_ns != 0) /* which says that it is not known */
    fail_unless (duration_ns > (hours * 3600 - 600) * S);
  ts_index_free (index);
}

GST_START_TEST (a_duration_beyond_the_wrap_of_the_clock_is_true_or_not_known)
{
  assert_duration_of_hours (12);
  assert_duration_of_hours (20);
  assert_duration_of_hours (27);
}

GST_END_TEST;

GST_START_TEST (bytes_between_packets_are_passed_over)
{
  GByteArray *movie = movie_new (1, 3), *second = movie_new (2, 3);
  TsIndex *index;

  g_byte_array_append (movie, (const guint8 *) "garbage", 7);
  g_byte_array_append (movie, second->data + GROUP, second->len - GROUP);
  g_byte_array_unref (second);
  index = open_index (movie);
  assert_segment (index, 0, 0, GROUP + 7, 0, 2 * S, TRUE);
  assert_segment (index, 1, GROUP + 7, GROUP, 2 * S, 1960 * GST_MSECOND, TRUE);
  assert_end (index, 2);
  ts_index_free (index);
}

GST_END_TEST;

GST_START_TEST (a_file_with_other_packets_is_one_segment)
{
  GByteArray *movie = movie_new (1, 3), *other = g_byte_array_new ();
  TsIndex *index;
  guint at;

  for (at = 0; at < movie->len; at += TS_BYTES) {
    g_byte_array_append (other, (const guint8 *) "time", 4);
    g_byte_array_append (other, movie->data + at, TS_BYTES);
  }
  g_byte_array_unref (movie);
  index = open_index (other);
  fail_unless (!ts_index_has_packets (index));
  assert_segment (index, 0, 0, 152 * 192, 0, 0, FALSE);
  assert_end (index, 1);
  ts_index_free (index);
}

GST_END_TEST;

/* What holds of any file: the segments are the file, and times do not go back. */
static void
assert_sound (GByteArray *movie)
{
  const guint64 bytes = movie->len;
  TsIndex *index = open_index (movie);
  guint64 at = 0, time_ns = 0;
  TsSegment segment;
  guint i;

  for (i = 0; ts_index_get (index, i, &segment); i++) {
    fail_unless_equals_uint64 (segment.offset, at);
    fail_unless (segment.time_ns >= time_ns);
    at += segment.bytes;
    time_ns = segment.time_ns;
  }
  fail_unless (i >= 1);
  fail_unless_equals_uint64 (at, bytes);
  fail_unless (ts_index_find (index, G_MAXUINT64) < i);
  ts_index_free (index);
}

GST_START_TEST (any_bytes_are_segments)
{
  GRand *random = g_rand_new_with_seed (1);
  guint round, i;

  assert_sound (g_byte_array_new ());
  for (round = 0; round < 300; round++) {
    GByteArray *movie = movie_new (1 + round % 4, 1 + round % 3);

    if (round % 3 == 0)
      g_byte_array_set_size (movie, (guint) g_rand_int_range (random, 0, (gint32) movie->len));
    for (i = 0; i < round; i++)
      movie->data[g_rand_int_range (random, 0, (gint32) movie->len + 1) % MAX (1, movie->len)] =
          (guint8) g_rand_int_range (random, 0, 256);
    assert_sound (movie);
  }
  for (round = 0; round < 50; round++) {
    GByteArray *movie = g_byte_array_new ();

    g_byte_array_set_size (movie, (guint) g_rand_int_range (random, 1, 5000));
    for (i = 0; i < movie->len; i++)
      movie->data[i] = (guint8) (g_rand_boolean (random) ? 0x47 : g_rand_int (random));
    assert_sound (movie);
  }
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (streams_in_other_pids_are_not_the_same)
{
  GByteArray *moved = g_byte_array_new ();
  TsIndex *first = open_index (movie_new (1, 1)), *second = open_index (movie_new (2, 2)), *third;

  movie_append_tables (moved, MOVIE_VIDEO_PID + 1);
  movie_append_picture (moved, MOVIE_VIDEO_PID + 1, TRUE, 0, 1);
  third = open_index (moved);
  fail_unless (ts_index_has_same_streams (first, second));
  fail_unless (!ts_index_has_same_streams (first, third));
  ts_index_free (third);
  ts_index_free (second);
  ts_index_free (first);
}

GST_END_TEST;

GST_START_TEST (a_file_that_cannot_be_read_is_an_error)
{
  GError *error = NULL;

  fail_unless (ts_index_new (-1, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_BADF));
  g_error_free (error);
}

GST_END_TEST;

static Suite *
serverindex_suite (void)
{
  Suite *s = suite_create ("serverindex");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, segments_begin_with_the_tables_before_a_random_access_point);
  tcase_add_test (tc, tables_in_the_middle_of_a_group_belong_to_no_segment_of_their_own);
  tcase_add_test (tc, a_time_leads_to_the_random_access_point_before);
  tcase_add_test (tc, points_less_than_half_a_second_apart_are_one);
  tcase_add_test (tc, times_go_on_where_the_clock_of_the_stream_wraps_or_begins_anew);
  tcase_add_test (tc, points_of_a_recording_of_days_become_fewer_and_do_not_end);
  tcase_add_test (tc, without_video_a_segment_can_begin_with_any_unit_of_sound);
  tcase_add_test (tc, a_stream_without_random_access_points_is_cut_by_bytes);
  tcase_add_test (tc, what_is_no_packet_is_cut_by_bytes_as_well);
  tcase_add_test (tc, a_time_far_away_is_found_without_what_lies_before);
  tcase_add_test (tc, a_time_far_away_in_two_recordings_is_that_of_the_first);
  tcase_add_test (tc, without_a_random_access_point_near_the_last_one_before_is_found);
  tcase_add_test (tc, a_duration_that_cannot_be_is_not_known);
  tcase_add_test (tc, a_duration_is_not_known_any_more_where_the_clock_has_begun_anew);
  tcase_add_test (tc, a_duration_beyond_the_wrap_of_the_clock_is_true_or_not_known);
  tcase_add_test (tc, bytes_between_packets_are_passed_over);
  tcase_add_test (tc, a_file_with_other_packets_is_one_segment);
  tcase_add_test (tc, any_bytes_are_segments);
  tcase_add_test (tc, streams_in_other_pids_are_not_the_same);
  tcase_add_test (tc, a_file_that_cannot_be_read_is_an_error);
  return s;
}

GST_CHECK_MAIN (serverindex);
