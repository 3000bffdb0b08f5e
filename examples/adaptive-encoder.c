/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adaptive-encoder HOST PORT [SECONDS]: encodes a test picture live with x264enc and sends it with
 * tfrcsink, for SECONDS or until Ctrl+C. The encoder's bitrate follows what the network allows. */
#include <gst/gst.h>
#include <glib-unix.h>
#include <stdlib.h>

/* The part of the rate that the encoder gets. The rest is for what the encoder does not count:
 * the transport stream's own packets, and frames that are larger than planned. */
#define ENCODER_SHARE 0.9

/* The limits of what the encoder can do with this picture, in kbit/s */
#define MIN_KBPS 100
#define MAX_KBPS 8000

#define MIN_CHANGE 0.05

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline, *encoder, *sink;
  guint kbps; /* the encoder's bitrate */
  gboolean failed;
} Sender;

/* "vbv-buf-capacity" keeps the frames near the bitrate: the encoder may be ahead by this time. */
static const gchar description[] =
    "videotestsrc name=source is-live=true ! "
    "video/x-raw,width=640,height=360,framerate=30/1 ! "
    "x264enc name=encoder tune=zerolatency speed-preset=ultrafast key-int-max=60 "
    "bitrate=500 vbv-buf-capacity=100 ! h264parse ! mpegtsmux alignment=7 ! queue ! "
    "tfrcsink name=sink max-queue-time=1000";

/* Called in a thread of GStreamer, ten times a second at most. x264enc takes a new bitrate while it
 * runs, but each change costs quality, so small changes are left out. */
static void
on_estimated_bitrate (GstElement *sink, GParamSpec *property, gpointer data)
{
  Sender *sender = data;
  guint64 estimate;
  gdouble kbps;

  g_object_get (sink, "estimated-bitrate", &estimate, NULL);
  if (estimate == 0)
    return;
  kbps = CLAMP (ENCODER_SHARE * estimate / 1000, MIN_KBPS, MAX_KBPS);
  if (ABS (kbps - sender->kbps) < MIN_CHANGE * sender->kbps)
    return;
  sender->kbps = (guint) kbps;
  g_object_set (sender->encoder, "bitrate", sender->kbps, NULL);
  g_print ("the network allows %" G_GUINT64_FORMAT " kbit/s, the encoder gets %u\n",
      estimate / 1000, sender->kbps);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Sender *sender = data;
  const GstStructure *structure;
  GError *error;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      structure = gst_message_get_structure (message);
      if (gst_structure_has_name (structure, "tfrc-peer-state"))
        g_print ("the receiver is %s\n", gst_structure_get_string (structure, "state"));
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("error: %s\n", error->message);
      g_error_free (error);
      sender->failed = TRUE;
      g_main_loop_quit (sender->loop);
      break;
    case GST_MESSAGE_EOS:
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
end_stream (gpointer source)
{
  gst_element_send_event (source, gst_event_new_eos ());
  return G_SOURCE_REMOVE;
}

static void
print_stats (GstElement *sink)
{
  GstStructure *stats;
  guint64 sent, lost, dropped, delay_ns;

  g_object_get (sink, "stats", &stats, NULL);
  if (gst_structure_get (stats, "packets-sent", G_TYPE_UINT64, &sent, "packets-lost", G_TYPE_UINT64,
          &lost, "packets-dropped", G_TYPE_UINT64, &dropped, "sender-delay-p99", G_TYPE_UINT64,
          &delay_ns, NULL))
    g_print ("%" G_GUINT64_FORMAT " packets sent, %" G_GUINT64_FORMAT " lost, %" G_GUINT64_FORMAT
             " dropped, 99 %% waited at most %" G_GUINT64_FORMAT " ms\n",
        sent, lost, dropped, delay_ns / GST_MSECOND);
  gst_structure_free (stats);
}

int
main (int argc, char **argv)
{
  Sender sender = { 0 };
  GstElement *source;
  GError *error = NULL;
  guint64 port, seconds = 0;
  gulong handler;
  GstBus *bus;
  guint watch;

  gst_init (&argc, &argv);
  if (argc != 3 && argc != 4) {
    g_printerr ("usage: adaptive-encoder HOST PORT [SECONDS]\n");
    return 2;
  }
  if (!g_ascii_string_to_unsigned (argv[2], 10, 1, G_MAXUINT16, &port, &error)
      || (argc == 4 && !g_ascii_string_to_unsigned (argv[3], 10, 1, G_MAXINT, &seconds, &error))) {
    g_printerr ("error: port or seconds: %s\n", error->message);
    return 2;
  }
  sender.pipeline = gst_parse_launch (description, &error);
  if (error != NULL) {
    g_printerr ("error: %s\n", error->message);
    return 1;
  }
  source = gst_bin_get_by_name (GST_BIN (sender.pipeline), "source");
  sender.encoder = gst_bin_get_by_name (GST_BIN (sender.pipeline), "encoder");
  sender.sink = gst_bin_get_by_name (GST_BIN (sender.pipeline), "sink");
  g_object_set (sender.sink, "host", argv[1], "port", (gint) port, NULL);
  handler = g_signal_connect (
      sender.sink, "notify::estimated-bitrate", G_CALLBACK (on_estimated_bitrate), &sender);

  sender.loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (sender.pipeline);
  watch = gst_bus_add_watch (bus, on_message, &sender);
  g_unix_signal_add (SIGINT, end_stream, source);
  g_unix_signal_add (SIGTERM, end_stream, source);
  if (seconds > 0)
    g_timeout_add_seconds ((guint) seconds, end_stream, source);
  gst_element_set_state (sender.pipeline, GST_STATE_PLAYING);
  g_main_loop_run (sender.loop);

  print_stats (sender.sink);
  gst_element_set_state (sender.pipeline, GST_STATE_NULL);
  g_signal_handler_disconnect (sender.sink, handler);
  g_source_remove (watch);
  gst_object_unref (bus);
  gst_object_unref (source);
  gst_object_unref (sender.encoder);
  gst_object_unref (sender.sink);
  gst_object_unref (sender.pipeline);
  g_main_loop_unref (sender.loop);
  return sender.failed ? 1 : 0;
}
