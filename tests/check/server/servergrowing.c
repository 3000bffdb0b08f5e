/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are read while they grow, see tools/server/growing.h */
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "growing.h"

static gchar *folder;
static Growing *growing;
static const gint goes_on = FALSE;

static void
setup (void)
{
  folder = g_dir_make_tmp (NULL, NULL);
  growing = growing_new (folder, NULL);
  fail_unless (growing != NULL);
}

static void
teardown (void)
{
  growing_unref (growing);
  /* It has no name, so that the folder is empty. */
  fail_unless_equals_int (g_rmdir (folder), 0);
  g_free (folder);
}

/* ---- a reader on a thread of its own ---------------------------------------------- */

typedef struct
{
  GThread *thread;
  gint is_interrupted;
  guint8 data[8];
  gsize bytes;
} Reader;

static gpointer
read_six (gpointer user)
{
  Reader *reader = user;

  reader->bytes = growing_read (growing, 2, reader->data, 6, &reader->is_interrupted);
  return NULL;
}

static void
reader_start (Reader *reader)
{
  memset (reader, 0, sizeof *reader);
  reader->thread = g_thread_new ("reader", read_six, reader);
}

static void
reader_end (Reader *reader, const gchar *expected)
{
  g_thread_join (reader->thread);
  fail_unless_equals_uint64 (reader->bytes, strlen (expected));
  fail_unless (memcmp (reader->data, expected, strlen (expected)) == 0);
}

/* ---- what is checked ---------------------------------------------------------------- */

GST_START_TEST (a_reader_waits_for_the_writer)
{
  Reader reader;

  reader_start (&reader);
  fail_unless (growing_append (growing, "01234", 5, NULL));
  fail_unless (growing_append (growing, "56789", 5, NULL));
  reader_end (&reader, "234567");
}

GST_END_TEST;

GST_START_TEST (the_end_ends_the_wait)
{
  gboolean is_complete;
  Reader reader;

  reader_start (&reader);
  fail_unless (growing_append (growing, "01234", 5, NULL));
  growing_finish (growing, NULL);
  reader_end (&reader, "234");
  fail_unless_equals_uint64 (growing_get_bytes (growing, &is_complete), 5);
  fail_unless (is_complete);
  fail_unless (growing_dup_problem (growing) == NULL);
}

GST_END_TEST;

/* The first end counts: a viewer must not take what has failed for complete. */
GST_START_TEST (a_file_that_failed_says_why)
{
  guint8 data[8];
  gchar *problem;

  fail_unless (growing_append (growing, "01234", 5, NULL));
  growing_finish (growing, "the disk is full");
  growing_finish (growing, NULL);
  fail_unless_equals_uint64 (growing_read (growing, 0, data, 8, &goes_on), 5);
  fail_unless_equals_uint64 (growing_read (growing, 7, data, 8, &goes_on), 0);
  problem = growing_dup_problem (growing);
  fail_unless_equals_string (problem, "the disk is full");
  g_free (problem);
}

GST_END_TEST;

/* @return the path by which Linux opens the file, which has no name; for g_free() */
static gchar *
find_file (void)
{
  GDir *numbers = g_dir_open ("/proc/self/fd", 0, NULL);
  const gchar *number;
  gchar *found = NULL;

  while (found == NULL && (number = g_dir_read_name (numbers)) != NULL) {
    gchar *path = g_build_filename ("/proc/self/fd", number, NULL);
    gchar *target = g_file_read_link (path, NULL);

    if (target != NULL && g_str_has_prefix (target, folder))
      found = g_strdup (path);
    g_free (target);
    g_free (path);
  }
  g_dir_close (numbers);
  fail_unless (found != NULL);
  return found;
}

/* As on a disk that has an error */
GST_START_TEST (a_file_that_cannot_be_read_has_failed)
{
  gchar *path = find_file (), *problem;
  gboolean is_complete;
  guint8 data[8];

  fail_unless (growing_append (growing, "01234", 5, NULL));
  fail_unless (truncate (path, 3) == 0);
  fail_unless_equals_uint64 (growing_read (growing, 0, data, 5, &goes_on), 3);
  problem = growing_dup_problem (growing);
  fail_unless_equals_string (problem, "cannot read the cache: it has become shorter");
  g_free (problem);
  growing_get_bytes (growing, &is_complete);
  fail_unless (is_complete);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (an_interrupted_reader_waits_no_more)
{
  Reader reader;

  reader_start (&reader);
  fail_unless (growing_append (growing, "0123", 4, NULL));
  g_atomic_int_set (&reader.is_interrupted, TRUE);
  growing_wake (growing);
  reader_end (&reader, "23");
}

GST_END_TEST;

/* The time is one that would end the test. */
GST_START_TEST (a_writer_rests_until_a_reader_waits)
{
  Reader reader;

  reader_start (&reader);
  fail_unless (growing_rest (growing, (gint64) G_USEC_PER_SEC * 3600));
  growing_finish (growing, NULL);
  fail_if (growing_rest (growing, (gint64) G_USEC_PER_SEC * 3600));
  reader_end (&reader, "");
}

GST_END_TEST;

GST_START_TEST (a_folder_that_is_not_there_is_an_error)
{
  GError *error = NULL;

  fail_unless (growing_new ("/proc/none", &error) == NULL);
  fail_unless (g_str_has_prefix (error->message, "cannot write to /proc/none: "));
  g_error_free (error);
}

GST_END_TEST;

GST_START_TEST (whoever_has_a_reference_shares)
{
  fail_if (growing_is_shared (growing));
  fail_unless (growing_ref (growing) == growing);
  fail_unless (growing_is_shared (growing));
  growing_unref (growing);
  fail_if (growing_is_shared (growing));
  fail_unless_equals_uint64 (growing_get_duration (growing), 0);
  growing_set_duration (growing, 5);
  fail_unless_equals_uint64 (growing_get_duration (growing), 5);
}

GST_END_TEST;

static Suite *
servergrowing_suite (void)
{
  Suite *suite = suite_create ("servergrowing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_reader_waits_for_the_writer);
  tcase_add_test (tc, the_end_ends_the_wait);
  tcase_add_test (tc, a_file_that_failed_says_why);
  tcase_add_test (tc, a_file_that_cannot_be_read_has_failed);
  tcase_add_test (tc, an_interrupted_reader_waits_no_more);
  tcase_add_test (tc, a_writer_rests_until_a_reader_waits);
  tcase_add_test (tc, a_folder_that_is_not_there_is_an_error);
  tcase_add_test (tc, whoever_has_a_reference_shares);
  return suite;
}

GST_CHECK_MAIN (servergrowing);
