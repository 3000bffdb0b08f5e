/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sparestream.h"

#include "../bench/pipelines.h"

struct _SoakSpareStream
{
  BenchPipelines *pipelines;
  GMutex lock;
  gchar *error; /* the first; NULL: none */
};

static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  SoakSpareStream *spare = data;
  GError *error = NULL;
  gchar *debug = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, &debug);
    g_mutex_lock (&spare->lock);
    if (spare->error == NULL)
      spare->error = g_strconcat (error->message, " ", debug, NULL);
    g_mutex_unlock (&spare->lock);
    g_error_free (error);
    g_free (debug);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

SoakSpareStream *
soak_spare_stream_new (const gchar *line, guint number)
{
  SoakSpareStream *spare = g_new0 (SoakSpareStream, 1);
  GstBus *bus;

  g_mutex_init (&spare->lock);
  spare->pipelines = bench_pipelines_new (line, number, 1);
  bus = gst_element_get_bus (spare->pipelines->items[0]);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL); /* a bus has one */
  gst_bus_set_sync_handler (bus, on_message, spare, NULL);
  gst_object_unref (bus);
  return spare;
}

void
soak_spare_stream_free (SoakSpareStream *spare)
{
  bench_pipelines_free (spare->pipelines);
  g_mutex_clear (&spare->lock);
  g_free (spare->error);
  g_free (spare);
}

void
soak_spare_stream_try (SoakSpareStream *spare)
{
  GstElement *pipeline = spare->pipelines->items[0];
  gboolean started = gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
  gchar *text;

  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_mutex_lock (&spare->lock);
  text = g_strescape (spare->error ? spare->error : "", "");
  g_clear_pointer (&spare->error, g_free);
  g_mutex_unlock (&spare->lock);
  g_print ("{\"started\": %s, \"error\": \"%s\"}\n", started ? "true" : "false", text);
  g_free (text);
}
