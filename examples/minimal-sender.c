/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* minimal-sender MOVIE.ts HOST PORT: sends a movie with tfrcsink until its end, or until Ctrl+C */
#include <gst/gst.h>
#include <glib-unix.h>
#include <stdlib.h>

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline;
  gboolean failed;
} Sender;

/* The messages of tfrcsink; docs/messages.md lists all of them. */
static void
on_element_message (const GstStructure *message)
{
  gdouble rate_bps, loss;
  guint64 delay_ns;

  if (gst_structure_has_name (message, "tfrc-peer-state"))
    g_print ("the receiver is %s\n", gst_structure_get_string (message, "state"));
  else if (gst_structure_has_name (message, "tfrc-security"))
    g_print ("keys: %s\n", gst_structure_get_string (message, "state"));
  else if (gst_structure_has_name (message, "tfrc-stats")
      && gst_structure_get (message, "allowed-rate", G_TYPE_DOUBLE, &rate_bps, "loss-ratio",
          G_TYPE_DOUBLE, &loss, "sender-delay-mean", G_TYPE_UINT64, &delay_ns, NULL))
    g_print ("X %.0f kbit/s, IPLR %.4f, mean sender delay %.1f ms\n", rate_bps / 1e3, loss,
        delay_ns / 1e6);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Sender *sender = data;
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
      sender->failed = TRUE;
      g_main_loop_quit (sender->loop);
      break;
    case GST_MESSAGE_EOS: /* the last packet has left, and the receiver knows that it was the last */
      g_main_loop_quit (sender->loop);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* The end of the stream goes through the pipeline, so that tfrcsink tells the receiver. The event goes to
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
print_stats (GstElement *sink)
{
  GstStructure *stats;
  guint64 sent, lost, dropped;

  g_object_get (sink, "stats", &stats, NULL);
  if (gst_structure_get (stats, "packets-sent", G_TYPE_UINT64, &sent, "packets-lost", G_TYPE_UINT64,
          &lost, "packets-dropped", G_TYPE_UINT64, &dropped, NULL))
    g_print ("%" G_GUINT64_FORMAT " packets sent, %" G_GUINT64_FORMAT " lost, %" G_GUINT64_FORMAT
             " dropped\n",
        sent, lost, dropped);
  gst_structure_free (stats);
}

int
main (int argc, char **argv)
{
  Sender sender = { NULL, NULL, FALSE };
  GstElement *source, *sink;
  GError *error = NULL;
  guint64 port;
  GstBus *bus;
  guint watch;

  gst_init (&argc, &argv);
  if (argc != 4) {
    g_printerr ("usage: minimal-sender MOVIE.ts HOST PORT\n");
    return 2;
  }
  if (!g_ascii_string_to_unsigned (argv[3], 10, 1, G_MAXUINT16, &port, &error)) {
    g_printerr ("error: port: %s\n", error->message);
    return 2;
  }
  sender.pipeline = gst_parse_launch (
      "filesrc name=source ! tsparse set-timestamps=true alignment=7 ! "
      "tfrcsink name=sink stats-update-interval=1000",
      &error);
  if (error != NULL) {
    g_printerr ("error: %s\n", error->message);
    return 1;
  }
  source = gst_bin_get_by_name (GST_BIN (sender.pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (sender.pipeline), "sink");
  g_object_set (source, "location", argv[1], NULL);
  g_object_set (sink, "host", argv[2], "port", (gint) port, NULL);

  sender.loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (sender.pipeline);
  watch = gst_bus_add_watch (bus, on_message, &sender);
  g_unix_signal_add (SIGINT, on_interrupt, source);
  g_unix_signal_add (SIGTERM, on_interrupt, source);
  gst_element_set_state (sender.pipeline, GST_STATE_PLAYING);
  g_main_loop_run (sender.loop);

  print_stats (sink);
  gst_element_set_state (sender.pipeline, GST_STATE_NULL);
  g_source_remove (watch);
  gst_object_unref (bus);
  gst_object_unref (source);
  gst_object_unref (sink);
  gst_object_unref (sender.pipeline);
  g_main_loop_unref (sender.loop);
  return sender.failed ? 1 : 0;
}
