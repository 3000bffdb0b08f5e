/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of movies on a file system that takes several names for one, see tools/server/movies.h */
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>

#include "moviestest.h"
#include "names.h"
#include "renditions.h"

/* The linker's --wrap puts these functions in place of the server's: the file system ignores case. */
int __wrap_names_open_file (int folder, const gchar *name);
int __real_names_open_file (int folder, const gchar *name);
int __wrap_names_open_folder (int folder, const gchar *name);
int __real_names_open_folder (int folder, const gchar *name);

int
__wrap_names_open_file (int folder, const gchar *name)
{
  gchar *same = g_ascii_strdown (name, -1);
  int fd = __real_names_open_file (folder, same);

  g_free (same);
  return fd;
}

int
__wrap_names_open_folder (int folder, const gchar *name)
{
  gchar *same = g_ascii_strdown (name, -1);
  int fd = __real_names_open_folder (folder, same);

  g_free (same);
  return fd;
}

static void
write_file (const gchar *folder, const gchar *name, const gchar *text)
{
  gchar *path = g_build_filename (folder, name, NULL);

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  g_free (path);
}

static void
assert_opens (Movies *movies, const gchar *name)
{
  FeederFile files[LADDER_MOST_RENDITIONS];
  MovieFormat format;

  fail_unless_equals_int (movies_open (movies, name, &format, files, NULL), 1);
  renditions_close (files, 1);
}

/* Or a passphrase for the one name would not protect the movie under the other. */
GST_START_TEST (a_movie_has_the_name_alone_that_the_folder_lists)
{
  gchar *top = g_dir_make_tmp (NULL, NULL), *show = g_build_filename (top, "show", NULL);
  gchar *line[] = { "rm", "-rf", top, NULL };
  Movies *movies = movies_new (top, NULL);

  fail_unless (g_mkdir (show, 0700) == 0);
  write_file (top, "film.mp4", "movie");
  write_file (show, "index.m3u8", "#EXTM3U\n#EXTINF:4,\nA.ts\n#EXT-X-ENDLIST\n");
  write_file (show, "A.ts", "movie");
  assert_opens (movies, "film.mp4");
  assert_opens (movies, "show");
  assert_refused (movies, "FILM.mp4", SERVER_ERROR_NOT_FOUND);
  assert_refused (movies, "Show", SERVER_ERROR_BAD_REQUEST);
  movies_free (movies);
  g_spawn_sync (NULL, line, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (show);
  g_free (top);
}

GST_END_TEST;

static Suite *
servernames_suite (void)
{
  Suite *s = suite_create ("servernames");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_movie_has_the_name_alone_that_the_folder_lists);
  return s;
}

GST_CHECK_MAIN (servernames);
