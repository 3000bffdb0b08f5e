/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* broadcaster MOVIE.ts PORT: streams a movie to all receivers that call, and prints the statistics of each */
#include <gst/gst.h>

/* docs/statistics.md has all fields. */
static void
print_stats (const GstStructure *stats)
{
  const GValue *callers = gst_structure_get_value (stats, "callers");
  gint port = 0;

  gst_structure_get_int (stats, "local-port", &port);
  g_print ("port %d has %u receivers\n", port, gst_value_array_get_size (callers));
  for (guint i = 0; i < gst_value_array_get_size (callers); i++) {
    const GstStructure *s = gst_value_get_structure (gst_value_array_get_value (callers, i));
    guint64 sent = 0, lost = 0, rtt_ns = 0;

    gst_structure_get (s, "packets-sent", G_TYPE_UINT64, &sent, "packets-lost", G_TYPE_UINT64,
        &lost, "rtt", G_TYPE_UINT64, &rtt_ns, NULL);
    g_print ("  %s: %" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " lost, R %.1f ms\n",
        gst_structure_get_string (s, "peer-address"), sent, lost, rtt_ns / 1e6);
  }
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  GstElement *pipeline;
  GstMessage *message;
  guint64 port;
  GstBus *bus;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launch ("filesrc name=source ! tsparse alignment=7 set-timestamps=true ! "
                               "tfrcsink name=sink mode=listener stats-update-interval=1000",
      &error);
  if (argc != 3 || error) {
    g_printerr ("%s\n", error ? error->message : "usage: broadcaster MOVIE.ts PORT");
    return 2;
  }
  if (!g_ascii_string_to_unsigned (argv[2], 10, 1, G_MAXUINT16, &port, &error)) {
    g_printerr ("error: port: %s\n", error->message);
    return 2;
  }
  gst_child_proxy_set (
      GST_CHILD_PROXY (pipeline), "source::location", argv[1], "sink::port", (gint) port, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  while ((message = gst_bus_timed_pop_filtered (
              bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    if (gst_message_has_name (message, "tfrc-stats"))
      print_stats (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  if (error)
    g_printerr ("error: %s\n", error->message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return error ? 1 : 0;
}
