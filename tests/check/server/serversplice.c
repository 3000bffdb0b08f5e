/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are read as one, see tools/server/splice.h */
#include <gst/check/gstcheck.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "splice.h"

static gchar *top;
static int folder;

static void
setup (void)
{
  top = g_dir_make_tmp (NULL, NULL);
  folder = open (top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
teardown (void)
{
  gchar *line[] = { "rm", "-rf", top, NULL };

  close (folder);
  g_spawn_sync (NULL, line, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (top);
}

static void
write_file (const gchar *name, const gchar *text)
{
  gchar *path = g_build_filename (top, name, NULL);

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  g_free (path);
}

static void
assert_bytes (Splice *splice, guint64 offset, gsize wanted, const gchar *expected)
{
  guint8 data[32];

  fail_unless_equals_uint64 (splice_read (splice, offset, data, wanted), strlen (expected));
  fail_unless (memcmp (data, expected, strlen (expected)) == 0);
}

GST_START_TEST (files_are_read_one_after_the_other)
{
  gchar *names[] = { "b", "a", "empty", "b", NULL };
  Splice *splice;

  write_file ("a", "0123");
  write_file ("b", "xyz");
  write_file ("empty", "");
  splice = splice_new_files (folder, names, NULL);
  fail_unless_equals_uint64 (splice_get_bytes (splice), 10);
  assert_bytes (splice, 0, 32, "xyz0123xyz");
  assert_bytes (splice, 2, 3, "z01");
  assert_bytes (splice, 7, 1, "x");
  assert_bytes (splice, 9, 32, "z");
  assert_bytes (splice, 10, 1, "");
  assert_bytes (splice, G_MAXUINT64 - 5, 1, "");
  fail_unless_equals_uint64 (splice_get_file_end (splice, 0), 3);
  fail_unless_equals_uint64 (splice_get_file_end (splice, 2), 3);
  fail_unless_equals_uint64 (splice_get_file_end (splice, 3), 7);
  fail_unless_equals_uint64 (splice_get_file_end (splice, 7), 10);
  fail_unless_equals_uint64 (splice_get_file_end (splice, 10), 10);
  splice_free (splice);
}

GST_END_TEST;

GST_START_TEST (one_file_is_read_whatever_becomes_of_its_name)
{
  gchar *path = g_build_filename (top, "a", NULL);
  Splice *splice;
  int fd;

  write_file ("a", "0123");
  fd = open (path, O_RDONLY | O_CLOEXEC);
  splice = splice_new (fd, NULL);
  close (fd);
  g_unlink (path);
  assert_bytes (splice, 1, 32, "123");
  fail_unless_equals_uint64 (splice_get_file_end (splice, 0), 4);
  splice_free (splice);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (the_bytes_end_before_a_file_that_is_gone_or_has_become_a_link)
{
  gchar *names[] = { "a", "b", NULL }, *path = g_build_filename (top, "b", NULL), *problem;
  Splice *splice;

  write_file ("a", "0123");
  write_file ("b", "xyz");
  splice = splice_new_files (folder, names, NULL);
  fail_unless (splice_dup_problem (splice) == NULL);
  g_unlink (path);
  assert_bytes (splice, 0, 32, "0123");
  problem = splice_dup_problem (splice);
  fail_unless_equals_string (problem, "cannot read b: No such file or directory");
  g_free (problem);
  fail_unless (symlink ("a", path) == 0);
  assert_bytes (splice, 0, 32, "0123");
  splice_free (splice);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (what_is_no_file_is_refused)
{
  static gchar *others[][2] = { { "absent", NULL }, { "link", NULL }, { "below", NULL } };
  gchar *link = g_build_filename (top, "link", NULL),
        *below = g_build_filename (top, "below", NULL);
  guint i;

  write_file ("a", "0123");
  fail_unless (symlink ("a", link) == 0);
  fail_unless (g_mkdir (below, 0700) == 0);
  for (i = 0; i < G_N_ELEMENTS (others); i++) {
    GError *error = NULL;

    fail_unless (splice_new_files (folder, others[i], &error) == NULL);
    fail_unless (error->domain == G_FILE_ERROR);
    g_error_free (error);
  }
  g_free (below);
  g_free (link);
}

GST_END_TEST;

static Suite *
serversplice_suite (void)
{
  Suite *s = suite_create ("serversplice");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, files_are_read_one_after_the_other);
  tcase_add_test (tc, one_file_is_read_whatever_becomes_of_its_name);
  tcase_add_test (tc, the_bytes_end_before_a_file_that_is_gone_or_has_become_a_link);
  tcase_add_test (tc, what_is_no_file_is_refused);
  return s;
}

GST_CHECK_MAIN (serversplice);
