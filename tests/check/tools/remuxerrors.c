/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Movies that cannot be remuxed, see tools/remux/remux.h */
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tools/remux/remux.h"

#define BROKEN_BYTES 20000

/* The box `ftyp`, behind which boxes of no length and type follow */
static gchar *
write_broken_movie (void)
{
  static const gchar ftyp[] = "\0\0\0\x18"
                              "ftypisom\0\0\2\0isomiso2";
  gchar *bytes = g_malloc0 (BROKEN_BYTES), *path;
  gint fd = g_file_open_tmp ("XXXXXX.mp4", &path, NULL);

  fail_unless (fd >= 0);
  memcpy (bytes, ftyp, sizeof ftyp - 1);
  fail_unless (g_file_set_contents (path, bytes, BROKEN_BYTES, NULL));
  fail_unless (g_close (fd, NULL));
  g_free (bytes);
  return path;
}

static void
on_type (GstElement *typefind, guint probability, const GstCaps *form, gpointer pipeline)
{
  GstElement *sink = gst_bin_get_by_name (pipeline, "sink");

  remux_link (pipeline, typefind, sink, form);
  gst_object_unref (sink);
}

static GstPad *reads_through; /* where the movie is read */
static GstPad *demuxer_sink;
static gint has_read_early; /* atomic */

/* parsebin drops the errors of a demuxer until the demuxer is connected, and this thread connects it. Waits until the demuxer has
 * found that the movie is broken, or waits to read. */
static void
on_connected (GstElement *typefind, guint probability, GstCaps *form, gpointer data)
{
  while (gst_pad_get_task_state (demuxer_sink) == GST_TASK_STARTED
      && !gst_pad_is_blocking (reads_through))
    g_thread_yield ();
  g_atomic_int_set (&has_read_early, !gst_pad_is_blocking (reads_through));
}

static void
on_element (GstBin *pipeline, GstBin *bin, GstElement *element, gpointer data)
{
  if (strcmp (GST_OBJECT_NAME (element), "typefind") == 0)
    g_signal_connect_after (element, "have-type", G_CALLBACK (on_connected), NULL);
  else if (g_str_has_prefix (GST_OBJECT_NAME (element), "qtdemux"))
    demuxer_sink = gst_element_get_static_pad (element, "sink");
}

GST_START_TEST (a_demuxer_reads_when_its_errors_are_heard)
{
  gchar *path = write_broken_movie ();
  GstElement *pipeline = gst_parse_launch (
      "filesrc name=source ! typefind name=type fakesink name=sink", NULL);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *typefind = gst_bin_get_by_name (GST_BIN (pipeline), "type");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  reads_through = gst_element_get_static_pad (typefind, "src");
  g_object_set (source, "location", path, NULL);
  g_signal_connect (typefind, "have-type", G_CALLBACK (on_type), pipeline);
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (on_element), NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR);
  fail_if (g_atomic_int_get (&has_read_early), "an error would have been dropped");
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (demuxer_sink);
  gst_object_unref (reads_through);
  gst_object_unref (typefind);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  g_remove (path);
  g_free (path);
}
GST_END_TEST;

static Suite *
remuxerrors_suite (void)
{
  Suite *suite = suite_create ("remuxerrors");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_demuxer_reads_when_its_errors_are_heard);
  return suite;
}

GST_CHECK_MAIN (remuxerrors);
