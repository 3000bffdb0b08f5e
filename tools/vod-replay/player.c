/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline that turns a replay into packets, see player.h:
 *
 *   appsrc ! mpegtsmux ! vodspread ! clocksync ! queue ! sink
 *
 * Packets pass clocksync when they are due.  The queue has no limit and takes them however long the
 * sink blocks, so due times depend on the trace alone.
 *
 * tfrcsink waits for the clock itself and measures its delay from the due time.  It gets packets
 * from vodspread directly, and its own queue limits their number. */
#include "player.h"

#include <gst/app/app.h>
#include <time.h>

#include "../meter/statslog.h"
#include "accessunit.h"
#include "spread.h"

/* From the time when the sink is ready to the first packet */
#define LEAD_NS (100 * GST_MSECOND)

struct _Player
{
  Replay *replay;
  AccessUnitWriter writer;
  PacketLog *log; /* or NULL */
  FrameLog *frames;
  MeterLog *stats; /* or NULL */
  guint stats_interval_ms;
  GstElement *pipeline;
  GstElement *source;
  GMainLoop *loop;
  GError *error;
  gint stopping; /* atomic */
};

/* ---- frames ---------------------------------------------------------------- */

/* appsrc's thread calls this function whenever its queue is empty. */
static void
feed (GstAppSrc *source, guint length, gpointer user)
{
  Player *player = user;
  ReplayFrame frame;
  GstBuffer *buffer;
  GstMapInfo map;

  if (g_atomic_int_get (&player->stopping) || !replay_next (player->replay, &frame)) {
    gst_app_src_end_of_stream (source);
    return;
  }
  buffer = gst_buffer_new_allocate (NULL, frame.bytes, NULL);
  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    gst_buffer_unref (buffer);
    gst_app_src_end_of_stream (source);
    return;
  }
  access_unit_write (&player->writer, frame.type, frame.display, map.data, map.size);
  frame_log_made (player->frames, &frame);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_DTS (buffer) = frame.dts_ns;
  GST_BUFFER_PTS (buffer) = frame.pts_ns;
  GST_BUFFER_DURATION (buffer) = frame.duration_ns;
  if (frame.type != FRAME_TYPE_I)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_app_src_push_buffer (source, buffer);
}

static GstElement *
make_source (Player *player)
{
  GstAppSrcCallbacks callbacks = { .need_data = feed };
  GstElement *source = gst_element_factory_make ("appsrc", NULL);
  GstCaps *caps;

  if (source == NULL)
    return NULL;
  caps = gst_caps_new_simple ("video/x-h264", "stream-format", G_TYPE_STRING, "byte-stream",
      "alignment", G_TYPE_STRING, "au", "width", G_TYPE_INT, ACCESS_UNIT_WIDTH, "height",
      G_TYPE_INT, ACCESS_UNIT_HEIGHT, NULL);
  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_caps_unref (caps);
  gst_app_src_set_callbacks (GST_APP_SRC (source), &callbacks, player, NULL);
  return source;
}

/* ---- the pipeline -------------------------------------------------------------- */

static gboolean
add (
    GstElement *pipeline, GstElement **last, GstElement *element, const gchar *name, GError **error)
{
  if (element == NULL) {
    if (error == NULL || *error == NULL)
      g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
          "GStreamer has no element %s", name);
    return FALSE;
  }
  gst_bin_add (GST_BIN (pipeline), element);
  if (*last != NULL && !gst_element_link (*last, element)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%s does not take an MPEG transport stream", name);
    return FALSE;
  }
  *last = element;
  return TRUE;
}

static gboolean
add_named (GstElement *pipeline, GstElement **last, const gchar *name, GError **error)
{
  return add (pipeline, last, gst_element_factory_make (name, NULL), name, error);
}

static gboolean
add_pacing (GstElement *pipeline, GstElement **last, GError **error)
{
  if (!add_named (pipeline, last, "clocksync", error)
      || !add_named (pipeline, last, "queue", error))
    return FALSE;
  g_object_set (
      *last, "max-size-buffers", 0, "max-size-bytes", 0, "max-size-time", (guint64) 0, NULL);
  return TRUE;
}

static gboolean
build (Player *player, const Target *target, gboolean burst, GError **error)
{
  GstElement *pipeline = player->pipeline, *last = NULL, *sink;
  const Trace *trace = player->replay->trace;

  player->source = make_source (player);
  if (!add (pipeline, &last, player->source, "appsrc", error)
      || !add_named (pipeline, &last, "mpegtsmux", error))
    return FALSE;
  g_object_set (last, "alignment", 0, NULL);
  if (!add (pipeline, &last, vod_spread_new (burst ? 0 : trace_interval_start_ns (trace, 1)),
          "vodspread", error))
    return FALSE;
  vod_spread_watch (last, frame_log_packed, player->frames);
  if (player->log != NULL) {
    GstPad *pad = gst_element_get_static_pad (last, "src");

    packet_log_watch (player->log, pad);
    gst_object_unref (pad);
  }
  sink = target_make_sink (target, error);
  if (sink != NULL && target_needs_pacing (target, sink) && !add_pacing (pipeline, &last, error)) {
    gst_object_unref (gst_object_ref_sink (sink));
    return FALSE;
  }
  return add (pipeline, &last, sink, target->path ? "filesink" : "the sink", error);
}

/* ---- the run ------------------------------------------------------------------- */

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user)
{
  Player *player = user;
  GError *error = NULL;
  gchar *debug = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, &debug);
      if (player->error == NULL)
        g_set_error (&player->error, error->domain, error->code, "%s: %s%s%s",
            GST_MESSAGE_SRC_NAME (message), error->message, debug != NULL ? "\n" : "",
            debug != NULL ? debug : "");
      g_main_loop_quit (player->loop);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, &debug);
      g_printerr ("vod-replay: %s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (player->loop);
      break;
    default:
      break;
  }
  g_clear_error (&error);
  g_free (debug);
  return G_SOURCE_CONTINUE;
}

/* Returns the difference of real time and the clock's time.  Of several readings, it takes the
 * one with the least time between the two reads of the clock. */
static guint64
real_time_offset_ns (GstClock *clock)
{
  guint64 best_ns = G_MAXUINT64, offset_ns = 0;
  guint i;

  for (i = 0; i < 10; i++) {
    GstClockTime before = gst_clock_get_time (clock), after;
    struct timespec real;

    clock_gettime (CLOCK_REALTIME, &real);
    after = gst_clock_get_time (clock);
    if (after - before < best_ns) {
      best_ns = after - before;
      offset_ns = GST_TIMESPEC_TO_TIME (real) - (before + best_ns / 2);
    }
  }
  return offset_ns;
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  return GST_PAD_PROBE_OK;
}

/* Fixes time 0 of the stream when the sink is ready, and connected if it has to be, before any
 * packet is made. */
static gboolean
start (Player *player)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstPad *pad = gst_element_get_static_pad (player->source, "src");
  gulong probe = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, hold, NULL, NULL);
  GstStateChangeReturn result;

  gst_pipeline_use_clock (GST_PIPELINE (player->pipeline), clock);
  gst_pipeline_set_latency (GST_PIPELINE (player->pipeline), 0);
  gst_element_set_start_time (player->pipeline, GST_CLOCK_TIME_NONE);
  result = gst_element_set_state (player->pipeline, GST_STATE_PAUSED);
  if (result != GST_STATE_CHANGE_FAILURE) {
    GstClockTime base_time = gst_clock_get_time (clock) + LEAD_NS;

    if (player->log != NULL)
      packet_log_set_start (player->log, base_time + real_time_offset_ns (clock));
    gst_element_set_base_time (player->pipeline, base_time);
    result = gst_element_set_state (player->pipeline, GST_STATE_PLAYING);
  }
  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);
  gst_object_unref (clock);
  return result != GST_STATE_CHANGE_FAILURE;
}

static gboolean
write_stats (gpointer user)
{
  Player *player = user;

  stats_log_write (player->stats, GST_BIN (player->pipeline));
  return G_SOURCE_CONTINUE;
}

gboolean
player_run (Player *player, GError **error)
{
  GstBus *bus = gst_element_get_bus (player->pipeline);
  guint watch = gst_bus_add_watch (bus, on_message, player);
  guint stats = player->stats == NULL
      ? 0
      : g_timeout_add (player->stats_interval_ms, write_stats, player);

  /* If the start fails, a message has the reason. */
  if (start (player) || gst_bus_have_pending (bus))
    g_main_loop_run (player->loop);
  else
    g_set_error (
        &player->error, GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE, "the pipeline does not start");
  if (player->stats != NULL) {
    g_source_remove (stats);
    write_stats (player);
  }
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  g_source_remove (watch);
  gst_object_unref (bus);
  if (player->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&player->error));
  return FALSE;
}

void
player_log_stats (Player *player, MeterLog *log, guint interval_ms)
{
  player->stats = log;
  player->stats_interval_ms = interval_ms;
}

void
player_stop (Player *player)
{
  g_atomic_int_set (&player->stopping, TRUE);
}

void
player_abort (Player *player)
{
  g_main_loop_quit (player->loop);
}

Player *
player_new (Replay *replay, const Target *target, gboolean burst, guint64 seed, PacketLog *log,
    FrameLog *frames, GError **error)
{
  Player *player = g_new0 (Player, 1);

  player->replay = replay;
  player->log = log;
  player->frames = frames;
  player->loop = g_main_loop_new (NULL, FALSE);
  player->pipeline = gst_pipeline_new (NULL);
  access_unit_writer_init (&player->writer, seed);
  if (!build (player, target, burst, error)) {
    player_free (player);
    return NULL;
  }
  return player;
}

void
player_free (Player *player)
{
  gst_object_unref (player->pipeline);
  g_main_loop_unref (player->loop);
  g_clear_error (&player->error);
  g_free (player);
}
