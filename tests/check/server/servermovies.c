/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of movies, see tools/server/movies.h */
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "moviestest.h"
#include "renditions.h"

static gchar *top, *folder;

static gchar *
in_folder (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
write_text (const gchar *name, const gchar *text)
{
  gchar *path = in_folder (name);

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  g_free (path);
}

static void
write_file (const gchar *name)
{
  write_text (name, "movie");
}

static void
make_folder (const gchar *name)
{
  gchar *path = in_folder (name);

  fail_unless (g_mkdir (path, 0700) == 0);
  g_free (path);
}

static void
setup (void)
{
  top = g_dir_make_tmp (NULL, NULL);
  folder = g_build_filename (top, "movies", NULL);
  fail_unless (g_mkdir (folder, 0700) == 0);
}

static void
teardown (void)
{
  gchar *line[] = { "rm", "-rf", top, NULL };

  g_spawn_sync (NULL, line, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (folder);
  g_free (top);
}

GST_START_TEST (names_cannot_leave_the_folder)
{
  static const gchar *const names[] = { "", ".", "..", "../secret.ts", "/etc/passwd", "/etc/x.ts",
    "a/../a.ts", "below/b.ts", "./a.ts", ".hidden.ts", "a.ts/", "a.txt", "a", "a\n.ts", "\xff.ts" };
  Movies *movies = movies_new (folder, NULL);
  gchar *path = g_build_filename (top, "secret.ts", NULL), *below = in_folder ("below"), *longest;
  guint i;

  fail_unless (g_file_set_contents (path, "secret", -1, NULL));
  fail_unless (g_mkdir (below, 0700) == 0);
  write_file ("a.ts");
  write_file ("below/b.ts");
  write_file (".hidden.ts");
  for (i = 0; i < G_N_ELEMENTS (names); i++)
    assert_refused (movies, names[i], SERVER_ERROR_BAD_REQUEST);
  longest = g_strnfill (100000, 'a');
  assert_refused (movies, longest, SERVER_ERROR_BAD_REQUEST);
  assert_refused (movies, "absent.ts", SERVER_ERROR_NOT_FOUND);
  g_free (longest);
  g_free (below);
  g_free (path);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (only_regular_files_are_movies)
{
  Movies *movies = movies_new (folder, NULL);
  gchar *link = in_folder ("link.ts"), *fifo = in_folder ("fifo.ts");
  gchar *directory = in_folder ("directory.ts"),
        *secret = g_build_filename (top, "secret.ts", NULL);
  GPtrArray *list;

  fail_unless (g_file_set_contents (secret, "secret", -1, NULL));
  fail_unless (symlink (secret, link) == 0);
  fail_unless (mkfifo (fifo, 0600) == 0);
  fail_unless (g_mkdir (directory, 0700) == 0);
  assert_refused (movies, "link.ts", SERVER_ERROR_NOT_FOUND);
  assert_refused (movies, "fifo.ts", SERVER_ERROR_NOT_FOUND);
  assert_refused (movies, "directory.ts", SERVER_ERROR_NOT_FOUND);
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 0);
  g_ptr_array_unref (list);
  g_free (secret);
  g_free (directory);
  g_free (fifo);
  g_free (link);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (movies_are_listed_by_name_and_can_be_opened)
{
  Movies *movies = movies_new (folder, NULL);
  FeederFile files[LADDER_MOST_RENDITIONS];
  MovieFormat format;
  GPtrArray *list;

  write_file ("b \"quoted\".ts");
  write_file ("a.mp4");
  write_file ("readme.txt");
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 2);
  fail_unless_equals_string (((Movie *) g_ptr_array_index (list, 0))->name, "a.mp4");
  fail_unless_equals_string (((Movie *) g_ptr_array_index (list, 1))->name, "b \"quoted\".ts");
  fail_unless_equals_uint64 (((Movie *) g_ptr_array_index (list, 0))->bytes, 5);
  g_ptr_array_unref (list);

  fail_unless_equals_int (movies_open (movies, "a.mp4", &format, files, NULL), 1);
  fail_unless (format == MOVIE_MP4);
  renditions_close (files, 1);
  fail_unless_equals_int (movies_open (movies, "b \"quoted\".ts", &format, files, NULL), 1);
  fail_unless (format == MOVIE_TRANSPORT_STREAM);
  renditions_close (files, 1);
  movies_free (movies);
}

GST_END_TEST;

static void
assert_movie (const GPtrArray *list, guint i, const gchar *name, guint64 bytes, guint renditions)
{
  const Movie *movie = g_ptr_array_index (list, i);

  fail_unless_equals_string (movie->name, name);
  fail_unless_equals_uint64 (movie->bytes, bytes);
  fail_unless_equals_int (movie->renditions, renditions);
}

GST_START_TEST (files_with_lines_in_their_names_are_renditions_of_one_movie)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  Movies *movies = movies_new (folder, NULL);
  MovieFormat format;
  GPtrArray *list;

  write_file ("film.1080p.ts");
  write_file ("film.360p.ts");
  write_file ("film.720p.ts");
  write_file ("film.p.ts");
  write_file ("single.720p.ts");
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 6);
  assert_movie (list, 0, "film", 15, 3);
  assert_movie (list, 1, "film.1080p.ts", 5, 0);
  assert_movie (list, 5, "single.720p.ts", 5, 0);
  g_ptr_array_unref (list);

  fail_unless_equals_int (movies_open (movies, "film", &format, files, NULL), 3);
  fail_unless (format == MOVIE_TRANSPORT_STREAM);
  fail_unless_equals_int (files[0].rendition, 360);
  fail_unless_equals_int (files[1].rendition, 720);
  fail_unless_equals_int (files[2].rendition, 1080);
  renditions_close (files, 3);
  fail_unless_equals_int (movies_open (movies, "film.720p.ts", &format, files, NULL), 1);
  renditions_close (files, 1);
  assert_refused (movies, "single", SERVER_ERROR_BAD_REQUEST);
  assert_refused (movies, "../film", SERVER_ERROR_BAD_REQUEST);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (only_regular_files_are_renditions)
{
  Movies *movies = movies_new (folder, NULL);
  gchar *link = in_folder ("film.720p.ts");

  write_file ("film.360p.ts");
  fail_unless (symlink ("film.360p.ts", link) == 0);
  assert_refused (movies, "film", SERVER_ERROR_BAD_REQUEST);
  g_free (link);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (of_too_many_renditions_the_largest_are_left_out)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  Movies *movies = movies_new (folder, NULL);
  MovieFormat format;
  guint i;

  for (i = 1; i <= LADDER_MOST_RENDITIONS + 3; i++) {
    gchar *name = g_strdup_printf ("film.%up.ts", i * 7 % 12);

    write_file (name);
    g_free (name);
  }
  fail_unless_equals_int (
      movies_open (movies, "film", &format, files, NULL), LADDER_MOST_RENDITIONS);
  for (i = 0; i < LADDER_MOST_RENDITIONS; i++)
    fail_unless_equals_int (files[i].rendition, i + 1);
  renditions_close (files, LADDER_MOST_RENDITIONS);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (a_rendition_is_told_by_its_name)
{
  static const gchar *const others[] = { "", "p.ts", ".p.ts", ".720p.ts", "720p.ts", "a.720.ts",
    "a.720p.mp4", "a.0p.ts", "a.100000p.ts", "a.-1p.ts", "a720p.ts" };
  gsize bytes, i;

  fail_unless_equals_int (renditions_read_name ("a.b.00720p.ts", &bytes), 720);
  fail_unless_equals_int (bytes, 3);
  fail_unless_equals_int (renditions_read_name ("a.99999p.ts", &bytes), 99999);
  fail_unless_equals_int (bytes, 1);
  for (i = 0; i < G_N_ELEMENTS (others); i++)
    fail_unless_equals_int (renditions_read_name (others[i], &bytes), 0);
}

GST_END_TEST;

#define PLAYLIST "#EXTM3U\n#EXTINF:4,\nb.ts\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n"

static void
make_hls (const gchar *name, const gchar *playlist)
{
  gchar *path = g_build_filename (name, playlist, NULL), *a = g_build_filename (name, "a.ts", NULL),
        *b = g_build_filename (name, "b.ts", NULL);

  make_folder (name);
  write_text (path, PLAYLIST);
  write_file (a);
  write_file (b);
  g_free (b);
  g_free (a);
  g_free (path);
}

GST_START_TEST (a_folder_with_a_playlist_is_a_movie)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  Movies *movies = movies_new (folder, NULL);
  MovieFormat format = MOVIE_MP4;
  GPtrArray *list;

  make_hls ("film", "index.m3u8");
  make_hls ("other", "any name.m3u8");
  write_text ("film/second.m3u8", "no playlist");
  make_folder ("empty");
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 2);
  assert_movie (list, 0, "film", 10, 0);
  assert_movie (list, 1, "other", 10, 0);
  g_ptr_array_unref (list);
  fail_unless_equals_int (movies_open (movies, "film", &format, files, NULL), 1);
  fail_unless (format == MOVIE_TRANSPORT_STREAM);
  fail_unless_equals_string (files[0].segments[0], "b.ts");
  fail_unless_equals_string (files[0].segments[1], "a.ts");
  fail_unless (files[0].segments[2] == NULL);
  renditions_close (files, 1);
  fail_unless_equals_int (movies_open (movies, "other", &format, files, NULL), 1);
  renditions_close (files, 1);
  assert_refused (movies, "empty", SERVER_ERROR_BAD_REQUEST);
  assert_refused (movies, "film/", SERVER_ERROR_BAD_REQUEST);
  assert_refused (movies, "film/a.ts", SERVER_ERROR_BAD_REQUEST);
  movies_free (movies);
}

GST_END_TEST;

static void
assert_listed_with_error (Movies *movies, const gchar *problem)
{
  GPtrArray *list = movies_list (movies, NULL);
  const Movie *movie = g_ptr_array_index (list, 0);

  fail_unless_equals_int (list->len, 1);
  fail_unless_equals_string (movie->name, "film");
  fail_unless_equals_uint64 (movie->bytes, 0);
  fail_unless (movie->error != NULL && strstr (movie->error, problem) != NULL, "%s", movie->error);
  g_ptr_array_unref (list);
  assert_refused (movies, "film", SERVER_ERROR_FAILED);
}

GST_START_TEST (a_playlist_that_cannot_be_played_is_listed_with_its_error)
{
  Movies *movies = movies_new (folder, NULL);
  gchar *segment = in_folder ("film/a.ts");

  make_hls ("film", "x.m3u8");
  g_unlink (segment);
  assert_listed_with_error (movies, "film/x.m3u8: the segment a.ts is not in the folder");
  fail_unless (symlink ("b.ts", segment) == 0);
  assert_listed_with_error (movies, "film/x.m3u8: the segment a.ts is not in the folder");
  write_text ("film/x.m3u8", "#EXTM3U\n");
  assert_listed_with_error (movies, "film/x.m3u8: line");
  write_text ("film/y.m3u8", PLAYLIST);
  assert_listed_with_error (movies, "name one of them index.m3u8");
  g_free (segment);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (links_to_folders_and_playlists_are_no_movies)
{
  Movies *movies = movies_new (folder, NULL);
  gchar *outside = g_build_filename (top, "outside", NULL), *link = in_folder ("link"),
        *playlist = in_folder ("film/index.m3u8"), *target = in_folder ("index.m3u8");
  GPtrArray *list;

  make_hls ("film", "real.txt");
  fail_unless (g_mkdir (outside, 0700) == 0);
  fail_unless (symlink (outside, link) == 0);
  write_text ("link/index.m3u8", PLAYLIST);
  write_text ("index.m3u8", PLAYLIST);
  fail_unless (symlink (target, playlist) == 0);
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 0);
  g_ptr_array_unref (list);
  assert_refused (movies, "link", SERVER_ERROR_BAD_REQUEST);
  assert_refused (movies, "film", SERVER_ERROR_BAD_REQUEST);
  g_free (target);
  g_free (playlist);
  g_free (link);
  g_free (outside);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (renditions_come_before_a_folder_of_their_name)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  Movies *movies = movies_new (folder, NULL);
  MovieFormat format;
  GPtrArray *list;

  make_hls ("film", "index.m3u8");
  write_file ("film.360p.ts");
  write_file ("film.720p.ts");
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 3);
  assert_movie (list, 0, "film", 10, 2);
  g_ptr_array_unref (list);
  fail_unless_equals_int (movies_open (movies, "film", &format, files, NULL), 2);
  renditions_close (files, 2);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (a_folder_that_is_absent_is_an_error)
{
  GError *error = NULL;
  gchar *absent = in_folder ("absent");

  fail_unless (movies_new (absent, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT));
  g_error_free (error);
  g_free (absent);
}

GST_END_TEST;

/* root may read all files. */
static void
become_nobody (void)
{
  if (geteuid () == 0)
    fail_unless (seteuid (65534) == 0);
}

/* The owner of the movies has to be told what is wrong, and the viewer that the movie is there. */
GST_START_TEST (a_movie_that_may_not_be_read_is_listed_with_its_error)
{
  Movies *movies = movies_new (folder, NULL);
  gchar *file = in_folder ("a.ts"), *film = in_folder ("film");
  const uid_t before = geteuid ();
  GPtrArray *list;

  write_file ("a.ts");
  make_hls ("film", "index.m3u8");
  fail_unless (g_chmod (top, 0755) == 0 && g_chmod (folder, 0755) == 0);
  fail_unless (g_chmod (file, 0) == 0 && g_chmod (film, 0) == 0);
  become_nobody ();
  assert_refused (movies, "a.ts", SERVER_ERROR_FAILED);
  assert_refused (movies, "film", SERVER_ERROR_FAILED);
  assert_refused (movies, "b.ts", SERVER_ERROR_NOT_FOUND);
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 1);
  fail_unless_equals_string (
      ((Movie *) g_ptr_array_index (list, 0))->error, "a.ts cannot be read: Permission denied");
  g_ptr_array_unref (list);
  fail_unless (seteuid (before) == 0);
  fail_unless (g_chmod (film, 0700) == 0);
  g_free (film);
  g_free (file);
  movies_free (movies);
}

GST_END_TEST;

GST_START_TEST (without_descriptors_no_movie_is_said_to_be_absent)
{
  static const gchar *const names[] = { "a.ts", "film", "show", "absent.ts" };
  Movies *movies = movies_new (folder, NULL);
  struct rlimit before, none;
  guint i;

  write_file ("a.ts");
  make_hls ("film", "index.m3u8");
  write_file ("show.360p.ts");
  write_file ("show.720p.ts");
  fail_unless (getrlimit (RLIMIT_NOFILE, &before) == 0);
  none = (struct rlimit){ 0, before.rlim_max };
  fail_unless (setrlimit (RLIMIT_NOFILE, &none) == 0);
  for (i = 0; i < G_N_ELEMENTS (names); i++)
    assert_refused (movies, names[i], SERVER_ERROR_FAILED);
  fail_unless (setrlimit (RLIMIT_NOFILE, &before) == 0);
  movies_free (movies);
}

GST_END_TEST;

static Suite *
servermovies_suite (void)
{
  Suite *s = suite_create ("servermovies");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, names_cannot_leave_the_folder);
  tcase_add_test (tc, only_regular_files_are_movies);
  tcase_add_test (tc, movies_are_listed_by_name_and_can_be_opened);
  tcase_add_test (tc, files_with_lines_in_their_names_are_renditions_of_one_movie);
  tcase_add_test (tc, only_regular_files_are_renditions);
  tcase_add_test (tc, of_too_many_renditions_the_largest_are_left_out);
  tcase_add_test (tc, a_rendition_is_told_by_its_name);
  tcase_add_test (tc, a_folder_with_a_playlist_is_a_movie);
  tcase_add_test (tc, a_playlist_that_cannot_be_played_is_listed_with_its_error);
  tcase_add_test (tc, links_to_folders_and_playlists_are_no_movies);
  tcase_add_test (tc, renditions_come_before_a_folder_of_their_name);
  tcase_add_test (tc, a_folder_that_is_absent_is_an_error);
  tcase_add_test (tc, a_movie_that_may_not_be_read_is_listed_with_its_error);
  tcase_add_test (tc, without_descriptors_no_movie_is_said_to_be_absent);
  return s;
}

GST_CHECK_MAIN (servermovies);
