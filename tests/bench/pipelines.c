/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipelines.h"

/* Nobody reads the bus: messages that waited there would take memory. */
static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  BenchPipelines *pipelines = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    if (__atomic_add_fetch (&pipelines->errors, 1, __ATOMIC_RELAXED) <= 3)
      g_printerr ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
    g_error_free (error);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstElement *
launch (const gchar *line, guint number)
{
  GError *error = NULL;
  GString *text = g_string_new (line);
  gchar *digits = g_strdup_printf ("%u", number);
  gchar *port = g_strdup_printf ("%u", BENCH_FIRST_PORT + number);
  GstElement *pipeline;

  g_string_replace (text, "{n}", digits, 0);
  g_string_replace (text, "{port}", port, 0);
  pipeline = gst_parse_launch (text->str, &error);
  if (error != NULL)
    g_error ("%s: %s", text->str, error->message);
  g_string_free (text, TRUE);
  g_free (digits);
  g_free (port);
  return pipeline;
}

BenchPipelines *
bench_pipelines_new (const gchar *line, guint first, guint n)
{
  BenchPipelines *pipelines = g_new0 (BenchPipelines, 1);

  pipelines->n = n;
  pipelines->items = g_new0 (GstElement *, n);
  for (guint i = 0; i < n; i++) {
    GstBus *bus;

    pipelines->items[i] = launch (line, first + i);
    bus = gst_element_get_bus (pipelines->items[i]);
    gst_bus_set_sync_handler (bus, on_message, pipelines, NULL);
    gst_object_unref (bus);
  }
  return pipelines;
}

void
bench_pipelines_set_state (BenchPipelines *pipelines, GstState state)
{
  for (guint i = 0; i < pipelines->n; i++)
    if (gst_element_set_state (pipelines->items[i], state) == GST_STATE_CHANGE_FAILURE)
      g_error ("pipeline %u does not change to %s", i, gst_element_state_get_name (state));
  for (guint i = 0; i < pipelines->n; i++)
    if (gst_element_get_state (pipelines->items[i], NULL, NULL, GST_CLOCK_TIME_NONE)
        == GST_STATE_CHANGE_FAILURE)
      g_error ("pipeline %u failed on its way to %s", i, gst_element_state_get_name (state));
}

void
bench_pipelines_set_base_time (BenchPipelines *pipelines, GstClockTime base_ns)
{
  for (guint i = 0; i < pipelines->n; i++) {
    gst_element_set_start_time (pipelines->items[i], GST_CLOCK_TIME_NONE);
    gst_element_set_base_time (pipelines->items[i], base_ns);
  }
}

static guint64
rendered_by (GstElement *sink)
{
  GstStructure *stats = NULL;
  guint64 rendered = 0;

  g_object_get (sink, "stats", &stats, NULL);
  if (stats == NULL)
    return 0;
  gst_structure_get_uint64 (stats, "rendered", &rendered);
  gst_structure_free (stats);
  return rendered;
}

guint64
bench_pipelines_rendered (BenchPipelines *pipelines)
{
  guint64 sum = 0;

  for (guint i = 0; i < pipelines->n; i++) {
    GstIterator *sinks = gst_bin_iterate_sinks (GST_BIN (pipelines->items[i]));
    GValue item = G_VALUE_INIT;

    while (gst_iterator_next (sinks, &item) == GST_ITERATOR_OK) {
      sum += rendered_by (g_value_get_object (&item));
      g_value_unset (&item);
    }
    gst_iterator_free (sinks);
  }
  return sum;
}

void
bench_pipelines_free (BenchPipelines *pipelines)
{
  for (guint i = 0; i < pipelines->n; i++) {
    gst_element_set_state (pipelines->items[i], GST_STATE_NULL);
    gst_object_unref (pipelines->items[i]);
  }
  g_free (pipelines->items);
  g_free (pipelines);
}
