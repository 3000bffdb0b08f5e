/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* minimal-receiver PORT FILE.ts: records a stream with tfrcsrc until its end, or until Ctrl+C */
#include <gst/gst.h>
#include <glib-unix.h>
#include <stdlib.h>

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline;
  gboolean failed;
} Receiver;

/* The messages of tfrcsrc; docs/messages.md lists all of them. */
static void
on_element_message (const GstStructure *message)
{
  gdouble rate_bps, loss;
  guint64 rtt_ns;

  if (gst_structure_has_name (message, "tfrc-sender"))
    g_print ("the sender is %s, %s\n", gst_structure_get_string (message, "sender"),
        gst_structure_get_string (message, "state"));
  else if (gst_structure_has_name (message, "tfrc-security"))
    g_print ("keys: %s\n", gst_structure_get_string (message, "state"));
  else if (gst_structure_has_name (message, "tfrc-stats")
      && gst_structure_get (message, "receive-rate", G_TYPE_DOUBLE, &rate_bps, "loss-ratio",
          G_TYPE_DOUBLE, &loss, "rtt", G_TYPE_UINT64, &rtt_ns, NULL))
    g_print ("X_recv %.0f kbit/s, IPLR %.4f, R %.1f ms\n", rate_bps / 1e3, loss, rtt_ns / 1e6);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Receiver *receiver = data;
  GError *error;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      on_element_message (gst_message_get_structure (message));
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      g_printerr ("warning: %s\n", error->message);
      g_error_free (error);
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("error: %s\n", error->message);
      g_error_free (error);
      receiver->failed = TRUE;
      g_main_loop_quit (receiver->loop);
      break;
    case GST_MESSAGE_EOS: /* the sender has ended the stream */
      g_main_loop_quit (receiver->loop);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* The end of the stream goes through the pipeline, so that the file is complete. The event goes to
 * the source and not to the pipeline: gst_element_send_event() holds its element's state lock while it
 * waits for the streaming thread. That thread may wait in the sink for the pipeline to play, and the
 * change to PLAYING takes the pipeline's state lock. */
static gboolean
on_interrupt (gpointer source)
{
  gst_element_send_event (source, gst_event_new_eos ());
  return G_SOURCE_REMOVE;
}

/* The property can be read at any time. */
static void
print_stats (GstElement *source)
{
  GstStructure *stats;
  guint64 received, lost;

  g_object_get (source, "stats", &stats, NULL);
  if (gst_structure_get (stats, "packets-received", G_TYPE_UINT64, &received, "packets-lost",
          G_TYPE_UINT64, &lost, NULL))
    g_print (
        "%" G_GUINT64_FORMAT " packets received, %" G_GUINT64_FORMAT " lost\n", received, lost);
  gst_structure_free (stats);
}

int
main (int argc, char **argv)
{
  Receiver receiver = { NULL, NULL, FALSE };
  GstElement *source, *sink;
  GError *error = NULL;
  guint64 wanted;
  GstBus *bus;
  gint port;
  guint watch;

  gst_init (&argc, &argv);
  if (argc != 3) {
    g_printerr ("usage: minimal-receiver PORT FILE.ts\n");
    return 2;
  }
  if (!g_ascii_string_to_unsigned (argv[1], 10, 0, G_MAXUINT16, &wanted, &error)) {
    g_printerr ("error: port: %s\n", error->message);
    return 2;
  }
  receiver.pipeline = gst_parse_launch (
      "tfrcsrc name=source stats-update-interval=1000 ! filesink name=sink", &error);
  if (error != NULL) {
    g_printerr ("error: %s\n", error->message);
    return 1;
  }
  source = gst_bin_get_by_name (GST_BIN (receiver.pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (receiver.pipeline), "sink");
  g_object_set (source, "port", (gint) wanted, NULL);
  g_object_set (sink, "location", argv[2], NULL);

  receiver.loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (receiver.pipeline);
  watch = gst_bus_add_watch (bus, on_message, &receiver);
  g_unix_signal_add (SIGINT, on_interrupt, source);
  g_unix_signal_add (SIGTERM, on_interrupt, source);
  gst_element_set_state (receiver.pipeline, GST_STATE_PLAYING);
  g_object_get (source, "port", &port, NULL);
  g_print ("receiving on port %d\n", port);
  g_main_loop_run (receiver.loop);

  print_stats (source);
  gst_element_set_state (receiver.pipeline, GST_STATE_NULL);
  g_source_remove (watch);
  gst_object_unref (bus);
  gst_object_unref (source);
  gst_object_unref (sink);
  gst_object_unref (receiver.pipeline);
  g_main_loop_unref (receiver.loop);
  return receiver.failed ? 1 : 0;
}
