/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of a trace, see gst/common/trace.h */
#include "gst/common/trace.h"
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS GST_MSECOND

static gchar *directory, *location;
static gboolean no_threads;

GThread *__real_g_thread_try_new (
    const gchar *name, GThreadFunc func, gpointer data, GError **error);

/* GLib calls the function as well. */
__attribute__ ((visibility ("default"))) GThread *__wrap_g_thread_try_new (
    const gchar *name, GThreadFunc func, gpointer data, GError **error);

/* Stands for g_thread_try_new(): the system may have no thread left. */
GThread *
__wrap_g_thread_try_new (const gchar *name, GThreadFunc func, gpointer data, GError **error)
{
  if (!no_threads)
    return __real_g_thread_try_new (name, func, data, error);
  g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no thread is left");
  return NULL;
}

static void
setup (void)
{
  directory = g_dir_make_tmp ("tfrc-trace-XXXXXX", NULL);
  location = g_build_filename (directory, "trace", NULL);
}

static void
teardown (void)
{
  g_remove (location);
  g_rmdir (directory);
  g_free (location);
  g_free (directory);
}

static GstTfrcTrace *
trace_new (const gchar *name, guint64 now_ns)
{
  GError *error = NULL;
  GstTfrcTrace *trace = gst_tfrc_trace_new (location, name, "sender", now_ns, &error);

  fail_unless (trace != NULL, "%s", error ? error->message : "");
  return trace;
}

/* The lines of the file behind the heads */
static gchar **
read_events (void)
{
  GPtrArray *events = g_ptr_array_new ();
  gchar *text, **lines;

  fail_unless (g_file_get_contents (location, &text, NULL, NULL));
  fail_unless (g_str_has_suffix (text, "\n"));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; *lines[i]; i++) {
    if (g_str_has_prefix (lines[i], "{\"time\":"))
      g_ptr_array_add (events, g_strdup (lines[i]));
    else
      fail_unless (g_str_has_prefix (lines[i], "{\"qlog_version\":"), "%s", lines[i]);
  }
  g_strfreev (lines);
  g_free (text);
  g_ptr_array_add (events, NULL);
  return (gchar **) g_ptr_array_free (events, FALSE);
}

GST_START_TEST (without_a_thread_there_is_an_error_and_no_trace)
{
  GError *error = NULL;

  no_threads = TRUE;
  fail_unless (gst_tfrc_trace_new (location, "a", "sender", 0, &error) == NULL);
  no_threads = FALSE;
  fail_unless (g_error_matches (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN));
  g_error_free (error);
}

GST_END_TEST;

GST_START_TEST (a_trace_begins_with_its_element_and_the_wall_clock_at_time_0)
{
  gchar *text, *end;

  gst_tfrc_trace_free (trace_new ("a \"b\"\n", 5 * MS));
  fail_unless (g_file_get_contents (location, &text, NULL, NULL));
  fail_unless (
      g_str_has_prefix (text,
          "{\"qlog_version\":\"0.3\",\"qlog_format\":\"NDJSON\",\"title\":\"gst-tfrc\","
          "\"trace\":{\"vantage_point\":{\"name\":\"a \\\"b\\\"\\u000a\",\"type\":\"sender\"},"
          "\"common_fields\":{\"group_id\":\"a \\\"b\\\"\\u000a\",\"protocol_type\":[\"TFRC\"],"
          "\"time_format\":\"relative\",\"reference_time\":"),
      "%s", text);
  fail_unless (g_ascii_strtod (strrchr (text, ':') + 1, &end) > 0);
  fail_unless_equals_string (end, "}}}\n");
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (an_event_is_a_line_with_its_fields_in_order)
{
  const GstTfrcTraceField fields[] = { { "X_Bps", NULL, 1234567.25 },
    { "why", "slow \"start\"", 0 }, { "limit", NULL, INFINITY }, { "packets", NULL, 12345678901.0 },
    { "p", NULL, 1 / 3.0 } };
  GstTfrcTrace *trace = trace_new ("sink", 5 * MS);
  gchar **events;

  gst_tfrc_trace_add (trace, 5 * MS, "start", NULL, 0);
  gst_tfrc_trace_add (trace, 1005 * MS + 2000, "feedback", fields, G_N_ELEMENTS (fields));
  gst_tfrc_trace_free (trace);
  events = read_events ();
  fail_unless_equals_int (g_strv_length (events), 2);
  fail_unless_equals_string (
      events[0], "{\"time\":0.000,\"name\":\"tfrc:start\",\"data\":{},\"group_id\":\"sink\"}");
  fail_unless_equals_string (events[1],
      "{\"time\":1000.002,\"name\":\"tfrc:feedback\",\"data\":{\"X_Bps\":1234567.25,"
      "\"why\":\"slow \\\"start\\\"\",\"limit\":null,\"packets\":12345678901,\"p\":0.333333333},"
      "\"group_id\":\"sink\"}");
  g_strfreev (events);
}

GST_END_TEST;

GST_START_TEST (traces_are_appended_to_a_file)
{
  GstTfrcTrace *one = trace_new ("one", 0), *other = trace_new ("other", 0);
  gchar **events;

  for (guint i = 0; i < 100; i++) {
    gst_tfrc_trace_add (one, i * MS, "x", NULL, 0);
    gst_tfrc_trace_add (other, i * MS, "x", NULL, 0);
  }
  gst_tfrc_trace_free (one);
  gst_tfrc_trace_free (other);
  gst_tfrc_trace_free (trace_new ("one", 0));
  events = read_events ();
  fail_unless_equals_int (g_strv_length (events), 200);
  for (guint i = 0; events[i]; i++)
    fail_unless (g_str_has_suffix (events[i], "\"}"));
  g_strfreev (events);
}

GST_END_TEST;

static guint
count (const gchar *text, const gchar *part)
{
  guint n = 0;

  for (const gchar *p = text; (p = strstr (p, part)) != NULL; p++)
    n++;
  return n;
}

static guint
sum_of_dropped (const gchar *text)
{
  const gchar *start = "\"tfrc:events_dropped\",\"data\":{\"events\":";
  guint sum = 0;

  for (const gchar *p = text; (p = strstr (p, start)) != NULL; p++)
    sum += (guint) g_ascii_strtoull (p + strlen (start), NULL, 10);
  return sum;
}

/* Opens a pipe at the location, which nobody else reads. */
static gint
open_pipe (void)
{
  gint fd;

  fail_unless (mkfifo (location, 0600) == 0);
  fd = open (location, O_RDONLY | O_NONBLOCK);
  fail_unless (fd >= 0);
  return fd;
}

/* Adds events until the pipe and the ring are full, and this number was dropped.
 * @return how many were added */
static guint
overfill (GstTfrcTrace *trace, guint dropped)
{
  guint n;

  for (n = 0; gst_tfrc_trace_get_dropped (trace) < dropped; n++)
    gst_tfrc_trace_add (trace, n * MS, "x", NULL, 0);
  fail_unless (n >= GST_TFRC_TRACE_RING + dropped);
  return n;
}

/* Appends what is in the pipe. With O_NONBLOCK, returns when the pipe is empty. */
static void
read_pipe (gint fd, GString *text)
{
  gchar part[4096];
  gssize n = read (fd, part, sizeof part);

  if (n > 0)
    g_string_append_len (text, part, n);
}

/* The reader stalls for a while. */
GST_START_TEST (events_without_room_are_dropped_and_the_file_says_how_many)
{
  gint fd = open_pipe ();
  GstTfrcTrace *trace = trace_new ("sink", 0);
  GString *text = g_string_new (NULL);
  guint n = overfill (trace, 5);

  fail_unless (fcntl (fd, F_SETFL, 0) == 0);
  while (sum_of_dropped (text->str) < 5)
    read_pipe (fd, text);
  gst_tfrc_trace_free (trace);
  close (fd);
  fail_unless_equals_int (count (text->str, "\"tfrc:x\""), n - 5);
  fail_unless_equals_int (sum_of_dropped (text->str), 5);
  g_string_free (text, TRUE);
}

GST_END_TEST;

static gchar *warning;

static void
keep_warning (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer unused)
{
  fail_unless (warning == NULL);
  warning = g_strdup (message);
}

GST_START_TEST (a_reader_that_stalls_does_not_keep_a_trace_from_its_end)
{
  gint fd = open_pipe ();
  GstTfrcTrace *trace = trace_new ("sink", 0);
  GString *text = g_string_new (NULL);
  guint n = overfill (trace, 5), handler;
  gchar *expected;
  gsize before;

  handler = g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, keep_warning, NULL);
  gst_tfrc_trace_free (trace);
  g_log_remove_handler (NULL, handler);
  do {
    before = text->len;
    read_pipe (fd, text);
  } while (text->len > before);
  close (fd);
  fail_unless (g_str_has_suffix (text->str, "}\n"));
  expected = g_strdup_printf (
      "The trace of sink lacks %u events at its end: the reader of the file is too slow",
      n - count (text->str, "\"tfrc:x\""));
  fail_unless_equals_string (warning, expected);
  g_clear_pointer (&warning, g_free);
  g_free (expected);
  g_string_free (text, TRUE);
}

GST_END_TEST;

GST_START_TEST (a_pipe_that_nobody_reads_is_an_error)
{
  GError *error = NULL;

  fail_unless (mkfifo (location, 0600) == 0);
  fail_unless (gst_tfrc_trace_new (location, "sink", "sender", 0, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NXIO));
  g_error_free (error);
}

GST_END_TEST;

GST_START_TEST (a_reader_that_leaves_ends_the_trace_and_not_the_process)
{
  gint fd = open_pipe ();
  GstTfrcTrace *trace = trace_new ("sink", 0);

  close (fd);
  gst_tfrc_trace_add (trace, 0, "x", NULL, 0);
  ASSERT_WARNING (gst_tfrc_trace_free (trace));
}

GST_END_TEST;

GST_START_TEST (a_file_that_cannot_be_opened_is_an_error)
{
  gchar *place = g_build_filename (directory, "no", "trace", NULL);
  GError *error = NULL;

  fail_unless (gst_tfrc_trace_new (place, "sink", "sender", 0, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT));
  fail_unless (strstr (error->message, place) != NULL);
  g_error_free (error);
  g_free (place);
}

GST_END_TEST;

GST_START_TEST (a_full_disk_is_told_once_and_ends_the_trace)
{
  GstTfrcTrace *trace = NULL;

  g_free (location);
  location = g_strdup ("/dev/full");
  ASSERT_WARNING (trace = gst_tfrc_trace_new (location, "sink", "sender", 0, NULL));
  gst_tfrc_trace_add (trace, 0, "x", NULL, 0);
  gst_tfrc_trace_free (trace);
  g_free (location);
  location = g_build_filename (directory, "trace", NULL);
}

GST_END_TEST;

GST_START_TEST (without_a_trace_nothing_happens)
{
  gst_tfrc_trace_add (NULL, 0, "x", NULL, 0);
  gst_tfrc_trace_free (NULL);
}

GST_END_TEST;

static Suite *
trace_suite (void)
{
  Suite *s = suite_create ("trace");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, without_a_thread_there_is_an_error_and_no_trace);
  tcase_add_test (tc, a_trace_begins_with_its_element_and_the_wall_clock_at_time_0);
  tcase_add_test (tc, an_event_is_a_line_with_its_fields_in_order);
  tcase_add_test (tc, traces_are_appended_to_a_file);
  tcase_add_test (tc, events_without_room_are_dropped_and_the_file_says_how_many);
  tcase_add_test (tc, a_reader_that_stalls_does_not_keep_a_trace_from_its_end);
  tcase_add_test (tc, a_pipe_that_nobody_reads_is_an_error);
  tcase_add_test (tc, a_reader_that_leaves_ends_the_trace_and_not_the_process);
  tcase_add_test (tc, a_file_that_cannot_be_opened_is_an_error);
  tcase_add_test (tc, a_full_disk_is_told_once_and_ends_the_trace);
  tcase_add_test (tc, without_a_trace_nothing_happens);
  return s;
}

GST_CHECK_MAIN (trace);
