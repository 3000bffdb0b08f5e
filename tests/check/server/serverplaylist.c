/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media playlists of HLS, see tools/server/playlist.h */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "error.h"
#include "playlist.h"

#define HEAD "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n"
#define END "#EXT-X-ENDLIST\n"

static gchar *
parse (const gchar *text)
{
  GError *error = NULL;
  gchar **names = playlist_parse (text, strlen (text), NULL, &error), *joined;

  g_assert_no_error (error);
  joined = g_strjoinv ("|", names);
  g_strfreev (names);
  return joined;
}

static void
assert_segments (const gchar *text, const gchar *expected)
{
  gchar *joined = parse (text);

  fail_unless_equals_string (joined, expected);
  g_free (joined);
}

static void
assert_refused (const gchar *text, gsize bytes, const gchar *problem)
{
  GError *error = NULL;

  fail_unless (playlist_parse (text, bytes, NULL, &error) == NULL, "%s", text);
  fail_unless (g_error_matches (error, SERVER_ERROR, SERVER_ERROR_FAILED));
  fail_unless (strstr (error->message, problem) != NULL, "%s: %s", text, error->message);
  g_error_free (error);
}

GST_START_TEST (segments_come_in_the_order_of_the_playlist)
{
  assert_segments (HEAD "#EXTINF:4.0,\nb.ts\n#EXTINF:2,title\na.ts\n" END, "b.ts|a.ts");
}

GST_END_TEST;

static void
assert_duration (const gchar *text, guint64 expected_ns)
{
  guint64 duration_ns = 1;
  gchar **names = playlist_parse (text, strlen (text), &duration_ns, NULL);

  fail_unless (names != NULL, "%s", text);
  fail_unless_equals_uint64 (duration_ns, expected_ns);
  g_strfreev (names);
}

GST_START_TEST (the_movie_lasts_as_long_as_its_segments)
{
  assert_duration (HEAD "#EXTINF:4.0,\nb.ts\n#EXTINF:2,title\na.ts\n" END, 6 * GST_SECOND);
  assert_duration (HEAD "#EXTINF:4.125,\nb.ts\n#EXTINF: 2\na.ts\n" END, 6125 * GST_MSECOND);
}

GST_END_TEST;

GST_START_TEST (without_a_length_of_each_segment_that_of_the_movie_is_not_known)
{
  static const gchar *const lengths[] = { "", "4,", "-4,", "nan,", "inf,", "1e300,", "0x4,",
    "four," };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
    gchar *text = g_strdup_printf (
        HEAD "#EXTINF:%s\nb.ts\n#EXTINF:%s\na.ts\n" END, i == 1 ? "four" : "4,", lengths[i]);

    assert_duration (text, 0);
    g_free (text);
  }
}

GST_END_TEST;

GST_START_TEST (lines_may_end_as_on_other_systems_and_be_empty)
{
  assert_segments ("#EXTM3U\r\n\r\n#EXTINF:4,\r\na.ts \r\n" END, "a.ts");
}

GST_END_TEST;

GST_START_TEST (tags_that_are_not_known_are_skipped)
{
  assert_segments (HEAD "# a comment\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-KEY:METHOD=NONE\n"
                        "#EXTINF:4,\n#EXT-X-DISCONTINUITY\na.ts\n#EXT-X-ENDLIST",
      "a.ts");
}

GST_END_TEST;

GST_START_TEST (names_may_be_written_as_uris)
{
  assert_segments (HEAD "#EXTINF:4,\na%20b.ts\n#EXTINF:4,\n100%.ts\n" END, "a b.ts|100%.ts");
}

GST_END_TEST;

GST_START_TEST (names_cannot_leave_the_folder)
{
  static const gchar *const names[] = { "/etc/a.ts", "../a.ts", "below/a.ts", "..", ".a.ts",
    "%2e%2e%2fa.ts", "..%2fa.ts", "http://server.example/a.ts", "file:///a.ts", "a\x01.ts" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *text = g_strdup_printf (HEAD "#EXTINF:4,\n%s\n" END, names[i]);

    assert_refused (text, strlen (text), "line 5: a segment is no file right in the folder");
    g_free (text);
  }
}

GST_END_TEST;

GST_START_TEST (playlists_that_cannot_be_played_are_refused_with_what_to_do)
{
  static const struct
  {
    const gchar *text, *problem;
  } refused[] = {
    { "", "line 1: this is no playlist" },
    { "film.ts\n", "line 1: this is no playlist" },
    { "\xef\xbb\xbf#EXTM3U\n#EXTINF:4,\na.ts\n" END, "line 1: this is no playlist" },
    { "#EXTM3U\na.ts\n" END, "line 2: a segment has no EXTINF" },
    { HEAD "#EXTINF:4,\na.ts\nb.ts\n" END, "line 6: a segment has no EXTINF" },
    { HEAD END, "has no segments" },
    { HEAD "#EXTINF:4,\na.ts\n", "wait until the movie is complete" },
    { HEAD "#EXTINF:4,\na.m4s\n" END, "line 5: a segment is no .ts file" },
    { HEAD "#EXTINF:4,\na.ts?token=1\n" END, "line 5: a segment is no .ts file" },
    { HEAD "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n", "line 4: this is a playlist of renditions" },
    { HEAD "#EXT-X-MEDIA:TYPE=AUDIO\n", "line 4: this is a playlist of renditions" },
    { HEAD "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\na.ts\n" END,
        "line 4: segments are encrypted" },
    { HEAD "#EXTINF:4,\n#EXT-X-BYTERANGE:100@0\na.ts\n" END, "line 5: segments are parts" },
    { HEAD "#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:4,\na.m4s\n" END,
        "line 4: segments are fragments of MP4" },
    { HEAD "#EXT-X-I-FRAMES-ONLY\n#EXTINF:4,\na.ts\n" END, "line 4: there are only single" },
    { "#EXTM3U\n\xff\n", "not UTF-8" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (refused); i++)
    assert_refused (refused[i].text, strlen (refused[i].text), refused[i].problem);
  assert_refused ("#EXTM3U\n\0\n", 10, "not UTF-8");
}

GST_END_TEST;

GST_START_TEST (long_playlists_are_refused)
{
  GString *text = g_string_new (HEAD);
  gchar *blank = g_strnfill (PLAYLIST_MAX_BYTES + 1, '\n');
  guint i;

  for (i = 0; i < PLAYLIST_MAX_SEGMENTS; i++)
    g_string_append_printf (text, "#EXTINF:4,\n%u.ts\n", i);
  g_free (parse (g_string_append (text, END)->str));
  g_string_append (text, "#EXTINF:4,\nlast.ts\n");
  assert_refused (text->str, text->len, "too many segments");
  assert_refused (blank, PLAYLIST_MAX_BYTES + 1, "too long");
  g_free (blank);
  g_string_free (text, TRUE);
}

GST_END_TEST;

static Suite *
serverplaylist_suite (void)
{
  Suite *s = suite_create ("serverplaylist");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, segments_come_in_the_order_of_the_playlist);
  tcase_add_test (tc, the_movie_lasts_as_long_as_its_segments);
  tcase_add_test (tc, without_a_length_of_each_segment_that_of_the_movie_is_not_known);
  tcase_add_test (tc, lines_may_end_as_on_other_systems_and_be_empty);
  tcase_add_test (tc, tags_that_are_not_known_are_skipped);
  tcase_add_test (tc, names_may_be_written_as_uris);
  tcase_add_test (tc, names_cannot_leave_the_folder);
  tcase_add_test (tc, playlists_that_cannot_be_played_are_refused_with_what_to_do);
  tcase_add_test (tc, long_playlists_are_refused);
  return s;
}

GST_CHECK_MAIN (serverplaylist);
