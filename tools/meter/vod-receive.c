/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* vod-receive: receives a transport stream through any GStreamer source, and logs when each packet
 * reached the application.
 *
 * This file has the command line and the pipeline SOURCE ! appsink; tschunker.c cuts packets,
 * and statslog.c writes statistics. */
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <glib-unix.h>
#include <inttypes.h>
#include <stdlib.h>

#include "meterlog.h"
#include "packethash.h"
#include "statslog.h"
#include "tschunker.h"

#define EXIT_USAGE 2
/* time for elements to output their data after a signal; the testbed kills what has not ended 2 s
 * after its signal, and a killed program has not written all of its log */
#define DRAIN_MS 1000

typedef struct
{
  GstElement *pipeline;
  GMainLoop *loop;
  gboolean ending;
  gboolean failed;

  /* written by the streaming thread while the pipeline runs */
  TsChunker chunker;
  guint64 arrival_ns;
  MeterLog log;
  MeterLog output;

  MeterLog stats;
} Receiver;

static gchar *log_path, *output_path, *stats_path;
static gint stats_interval_ms;

static const GOptionEntry options[] = { { "log", 0, 0, G_OPTION_ARG_FILENAME, &log_path,
                                            "CSV of the arrivals (CLOCK_REALTIME in ns, hash)",
                                            "FILE" },
  { "output", 0, 0, G_OPTION_ARG_FILENAME, &output_path, "the transport stream itself", "FILE.ts" },
  { "stats", 0, 0, G_OPTION_ARG_FILENAME, &stats_path,
      "statistics of the elements at the end, a JSON object a line", "FILE" },
  { "stats-interval", 0, 0, G_OPTION_ARG_INT, &stats_interval_ms, "and at this interval in ms",
      "MS" },
  { NULL, 0, 0, 0, NULL, NULL, NULL } };

static void
on_packet (const uint8_t *packet, void *data)
{
  Receiver *receiver = data;

  if (receiver->log.file != NULL)
    fprintf (receiver->log.file, "%" PRIu64 ",%016" PRIx64 "\n", receiver->arrival_ns,
        packet_hash (packet));
  if (receiver->output.file != NULL)
    fwrite (packet, 1, PACKET_HASH_BYTES, receiver->output.file);
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer data)
{
  Receiver *receiver = data;
  GstSample *sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer;
  GstMapInfo map;

  if (sample == NULL)
    return GST_FLOW_EOS;
  receiver->arrival_ns = meter_now_ns ();
  buffer = gst_sample_get_buffer (sample);
  if (buffer != NULL && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    ts_chunker_push (&receiver->chunker, map.data, map.size,
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
    gst_buffer_unmap (buffer, &map);
  }
  gst_sample_unref (sample);
  return GST_FLOW_OK;
}

static gboolean
on_drained (gpointer data)
{
  Receiver *receiver = data;

  g_main_loop_quit (receiver->loop);
  return G_SOURCE_REMOVE;
}

/* EOS makes elements output the data they hold.  A second signal, or a timeout, ends the program
 * at once. */
static gboolean
on_signal (gpointer data)
{
  Receiver *receiver = data;

  if (receiver->ending) {
    g_main_loop_quit (receiver->loop);
  } else {
    receiver->ending = TRUE;
    /* srtsrc may take the event for ever after an overload. */
    meter_log_flush (&receiver->log);
    g_timeout_add (DRAIN_MS, on_drained, receiver);
    /* gst_element_send_event() would hold the lock of the pipeline's state while the source waits for its
     * streaming thread, which may wait in the sink for the pipeline to play: that takes the same lock. */
    GST_ELEMENT_GET_CLASS (receiver->pipeline)
        ->send_event (receiver->pipeline, gst_event_new_eos ());
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_stats_interval (gpointer data)
{
  Receiver *receiver = data;

  stats_log_write (&receiver->stats, GST_BIN (receiver->pipeline));
  return G_SOURCE_CONTINUE;
}

static void
report_error (GstMessage *message)
{
  GError *error;
  gchar *details;

  gst_message_parse_error (message, &error, &details);
  g_printerr ("vod-receive: %s: %s%s%s\n", GST_MESSAGE_SRC_NAME (message), error->message,
      details ? "\n" : "", details ? details : "");
  g_error_free (error);
  g_free (details);
}

static void
report_failed_start (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  if (message != NULL) {
    report_error (message);
    gst_message_unref (message);
  } else {
    g_printerr ("vod-receive: the source does not start\n");
  }
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Receiver *receiver = data;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      report_error (message);
      receiver->failed = TRUE;
      g_main_loop_quit (receiver->loop);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (receiver->loop);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (receiver->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* Prints the ports, for a sender that waits until the source listens or that needs its port. */
static void
print_sources (GstBin *bin)
{
  GstIterator *sources = gst_bin_iterate_sources (bin);
  GValue item = G_VALUE_INIT;

  g_print ("vod-receive: receiving");
  while (gst_iterator_next (sources, &item) == GST_ITERATOR_OK) {
    GstElement *source = g_value_get_object (&item);
    GObjectClass *class = G_OBJECT_GET_CLASS (source);
    const gchar *name = g_object_class_find_property (class, "current-port") ? "current-port"
                                                                             : "port";
    GParamSpec *property = g_object_class_find_property (class, name);
    gint port;

    if (property != NULL && G_IS_PARAM_SPEC_INT (property)) {
      g_object_get (source, name, &port, NULL);
      g_print (" port %d", port);
    }
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (sources);
  g_print ("\n");
}

static gboolean
build (Receiver *receiver, const gchar *fragment)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  gchar *line = g_strdup_printf (
      "%s ! appsink name=vod-receive-sink"
      " sync=false async=false enable-last-sample=false wait-on-eos=false",
      fragment);
  GError *error = NULL;
  GstElement *sink;

  receiver->pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  g_free (line);
  if (receiver->pipeline == NULL) {
    g_printerr ("vod-receive: '%s': %s\n", fragment, error->message);
    g_error_free (error);
    return FALSE;
  }
  sink = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "vod-receive-sink");
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, receiver, NULL);
  gst_object_unref (sink);
  return TRUE;
}

static void
run (Receiver *receiver)
{
  GstBus *bus = gst_element_get_bus (receiver->pipeline);

  gst_bus_add_watch (bus, on_message, receiver);
  g_unix_signal_add (SIGINT, on_signal, receiver);
  g_unix_signal_add (SIGTERM, on_signal, receiver);
  if (stats_path != NULL && stats_interval_ms > 0)
    g_timeout_add (stats_interval_ms, on_stats_interval, receiver);
  if (gst_element_set_state (receiver->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) {
    print_sources (GST_BIN (receiver->pipeline));
    g_main_loop_run (receiver->loop);
  } else {
    receiver->failed = TRUE;
    report_failed_start (bus);
  }
  stats_log_write (&receiver->stats, GST_BIN (receiver->pipeline));
  gst_element_set_state (receiver->pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
}

static gboolean
parse_arguments (int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new ("'SOURCE ! …' - log when packets arrive");
  GError *error = NULL;
  gboolean good;

  g_option_context_set_summary (context,
      "Receives an MPEG transport stream from what SOURCE ! … delivers, as\n"
      "gst-launch-1.0 would take it, until its end or SIGINT.");
  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  good = g_option_context_parse (context, argc, argv, &error);
  if (!good) {
    g_printerr ("vod-receive: %s\n", error->message);
    g_error_free (error);
  } else if (*argc != 2) {
    g_printerr ("vod-receive: one source is needed, as in"
                " vod-receive 'udpsrc port=5004' --log arrivals.csv\n");
    good = FALSE;
  } else if (stats_interval_ms < 0) {
    g_printerr ("vod-receive: --stats-interval: %d is not a time\n", stats_interval_ms);
    good = FALSE;
  }
  g_option_context_free (context);
  return good;
}

int
main (int argc, char **argv)
{
  Receiver receiver = { 0 };
  gboolean written;

  if (!parse_arguments (&argc, &argv))
    return EXIT_USAGE;
  if (!meter_log_open (&receiver.log, log_path, "arrival_ns,hash")
      || !meter_log_open (&receiver.output, output_path, NULL)
      || !meter_log_open (&receiver.stats, stats_path, NULL))
    return EXIT_FAILURE;
  if (!build (&receiver, argv[1]))
    return EXIT_USAGE;

  ts_chunker_init (&receiver.chunker, on_packet, &receiver);
  receiver.loop = g_main_loop_new (NULL, FALSE);
  run (&receiver);

  gst_object_unref (receiver.pipeline);
  g_main_loop_unref (receiver.loop);
  written = meter_log_close (&receiver.log);
  written = meter_log_close (&receiver.output) && written;
  written = meter_log_close (&receiver.stats) && written;
  g_print ("vod-receive: %" PRIu64 " packets of %" PRIu64 " bytes,"
           " %" PRIu64 " bytes skipped, %zu left over\n",
      receiver.chunker.packets, receiver.chunker.bytes, receiver.chunker.skipped_bytes,
      receiver.chunker.rest_bytes);
  return receiver.failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}
