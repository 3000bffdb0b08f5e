/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of movies, see examples/vod-server/movies.h */
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "movies.h"

static gchar *top, *folder;

static gchar *
in_folder (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
write_file (const gchar *name)
{
  gchar *path = in_folder (name);

  fail_unless (g_file_set_contents (path, "movie", -1, NULL));
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

static void
assert_refused (Movies *movies, const gchar *name, VodError code)
{
  GError *error = NULL;
  MovieFormat format;

  fail_unless (movies_open (movies, name, &format, &error) == -1, "%s", name);
  fail_unless (g_error_matches (error, VOD_ERROR, (gint) code), "%s: %s", name, error->message);
  g_error_free (error);
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
    assert_refused (movies, names[i], VOD_ERROR_BAD_REQUEST);
  longest = g_strnfill (100000, 'a');
  assert_refused (movies, longest, VOD_ERROR_BAD_REQUEST);
  assert_refused (movies, "absent.ts", VOD_ERROR_NOT_FOUND);
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
  assert_refused (movies, "link.ts", VOD_ERROR_NOT_FOUND);
  assert_refused (movies, "fifo.ts", VOD_ERROR_NOT_FOUND);
  assert_refused (movies, "directory.ts", VOD_ERROR_NOT_FOUND);
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
  MovieFormat format;
  GPtrArray *list;
  int fd;

  write_file ("b \"quoted\".ts");
  write_file ("a.mp4");
  write_file ("readme.txt");
  list = movies_list (movies, NULL);
  fail_unless_equals_int (list->len, 2);
  fail_unless_equals_string (((Movie *) g_ptr_array_index (list, 0))->name, "a.mp4");
  fail_unless_equals_string (((Movie *) g_ptr_array_index (list, 1))->name, "b \"quoted\".ts");
  fail_unless_equals_uint64 (((Movie *) g_ptr_array_index (list, 0))->bytes, 5);
  g_ptr_array_unref (list);

  fd = movies_open (movies, "a.mp4", &format, NULL);
  fail_unless (fd >= 0 && format == MOVIE_MP4);
  close (fd);
  fd = movies_open (movies, "b \"quoted\".ts", &format, NULL);
  fail_unless (fd >= 0 && format == MOVIE_TRANSPORT_STREAM);
  close (fd);
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

static Suite *
vodmovies_suite (void)
{
  Suite *s = suite_create ("vodmovies");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, names_cannot_leave_the_folder);
  tcase_add_test (tc, only_regular_files_are_movies);
  tcase_add_test (tc, movies_are_listed_by_name_and_can_be_opened);
  tcase_add_test (tc, a_folder_that_is_absent_is_an_error);
  return s;
}

GST_CHECK_MAIN (vodmovies);
