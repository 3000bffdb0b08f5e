/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who joins a movie that is remuxed finds all that a decoder begins with, see tools/remux/remux.h */
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tools/remux/remux.h"

#define GROUPS 3
#define PICTURES 10 /* in a group */
#define H264_SPS 7
#define H264_PPS 8

static gboolean
has_elements (void)
{
  static const gchar *const names[] = { "x264enc", "h264parse", "mp4mux", "qtdemux", "mpegtsmux" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (!gst_registry_check_feature_version (gst_registry_get (), names[i], 1, 0, 0)) {
      g_print ("skipped: no %s\n", names[i]);
      return FALSE;
    }
  return TRUE;
}

static void
run (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

/* x264enc writes the parameter sets in front of each key picture, and most writers of MP4 beside the pictures alone. */
static GstPadProbeReturn
strip (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info), *stripped;
  GByteArray *array = g_byte_array_new ();
  GBytes *bytes;
  GstMapInfo map;
  gsize size = 0;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (const guint8 *at = map.data; at < map.data + map.size; at += size) {
    guint32 bytes_be; /* unaligned */

    memcpy (&bytes_be, at, sizeof bytes_be);
    size = 4 + (gsize) GUINT32_FROM_BE (bytes_be);
    if ((at[4] & 0x1f) != H264_SPS && (at[4] & 0x1f) != H264_PPS)
      g_byte_array_append (array, at, (guint) size);
  }
  gst_buffer_unmap (buffer, &map);
  bytes = g_byte_array_free_to_bytes (array);
  stripped = gst_buffer_new_wrapped_bytes (bytes);
  g_bytes_unref (bytes);
  gst_buffer_copy_into (
      stripped, buffer, GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_FLAGS, 0, -1);
  gst_buffer_unref (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = stripped;
  return GST_PAD_PROBE_OK;
}

static void
write_movie (const gchar *path)
{
  gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=%d ! video/x-raw,width=32,height=32,framerate=25/1 ! x264enc key-int-max=%d "
      "bframes=0 option-string=scenecut=0 ! video/x-h264,stream-format=avc ! identity name=strip ! mux.video_0 "
      "mp4mux name=mux ! filesink location=%s",
      GROUPS * PICTURES, PICTURES, path);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *identity = gst_bin_get_by_name (GST_BIN (pipeline), "strip");
  GstPad *pad = gst_element_get_static_pad (identity, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, strip, NULL, NULL);
  run (pipeline);
  gst_object_unref (pad);
  gst_object_unref (identity);
  gst_object_unref (pipeline);
  g_free (line);
}

static void
on_type (GstElement *typefind, guint probability, const GstCaps *form, gpointer pipeline)
{
  GstElement *sink = gst_bin_get_by_name (pipeline, "sink");

  remux_link (pipeline, typefind, sink, form);
  gst_object_unref (sink);
}

static void
on_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer stream)
{
  guint at = ((GByteArray *) stream)->len;

  g_byte_array_set_size (stream, at + (guint) gst_buffer_get_size (buffer));
  gst_buffer_extract (buffer, 0, ((GByteArray *) stream)->data + at, G_MAXSIZE);
}

static GByteArray *
remux (const gchar *path)
{
  GstElement *pipeline = gst_parse_launch (
      "filesrc name=source ! typefind name=type fakesink name=sink signal-handoffs=true sync=false",
      NULL);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *typefind = gst_bin_get_by_name (GST_BIN (pipeline), "type");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GByteArray *stream = g_byte_array_new ();

  g_object_set (source, "location", path, NULL);
  g_signal_connect (typefind, "have-type", G_CALLBACK (on_type), pipeline);
  g_signal_connect (sink, "handoff", G_CALLBACK (on_buffer), stream);
  run (pipeline);
  gst_object_unref (sink);
  gst_object_unref (typefind);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  return stream;
}

/* The set is in the first packet of its picture, whole. */
static guint
count_sets (const GByteArray *stream, guint type)
{
  guint n = 0;

  for (guint i = 0; i + 4 <= stream->len; i++)
    n += memcmp (stream->data + i, "\0\0\1", 3) == 0 && (stream->data[i + 3] & 0x80) == 0
        && (stream->data[i + 3] & 0x60) != 0 && (stream->data[i + 3] & 0x1f) == type;
  return n;
}

GST_START_TEST (each_group_of_pictures_has_its_parameter_sets)
{
  GByteArray *stream;
  gchar *path;

  if (!has_elements ())
    return;
  fail_unless (g_close (g_file_open_tmp ("XXXXXX.mp4", &path, NULL), NULL));
  write_movie (path);
  stream = remux (path);
  fail_unless_equals_int (count_sets (stream, H264_SPS), GROUPS);
  fail_unless_equals_int (count_sets (stream, H264_PPS), GROUPS);
  g_byte_array_unref (stream);
  g_remove (path);
  g_free (path);
}
GST_END_TEST;

static Suite *
remuxjoin_suite (void)
{
  Suite *suite = suite_create ("remuxjoin");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, each_group_of_pictures_has_its_parameter_sets);
  return suite;
}

GST_CHECK_MAIN (remuxjoin);
