/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* vod-replay: streams a trace of frame sizes as a movie. */
#include <gst/gst.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "player.h"
#include "scale.h"

#define MAX_S 1e9
#define TO_THE_END_S G_MAXDOUBLE /* without --duration */

enum
{
  STATUS_OK,
  STATUS_FAILED,
  STATUS_USAGE
};

static gchar *to_uri, *sink_description, *output_path, *log_path, *frames_path;
static gchar *stats_path, *format_name, *unit_name, *order_name, *fps_text;
static gint64 bitrate_bps, seed = 1;
static gint stats_interval_ms = 1000;
static gdouble offset_s, duration_s = TO_THE_END_S;
static gboolean loop, burst;
static gchar **trace_paths;

static const GOptionEntry entries[] = {
  { "to", 0, 0, G_OPTION_ARG_STRING, &to_uri,
      "send to this address: tfrc://, udp://, srt://, rist://", "URI" },
  { "sink", 0, 0, G_OPTION_ARG_STRING, &sink_description,
      "or into a sink described as for gst-launch", "DESCRIPTION" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output_path,
      "or write the transport stream, as fast as possible", "FILE.ts" },
  { "format", 0, 0, G_OPTION_ARG_STRING, &format_name,
      "auto, csv (the project's), asu (verbose or terse), st", "FORMAT" },
  { "unit", 0, 0, G_OPTION_ARG_STRING, &unit_name, "of the sizes in the trace: bytes, bits",
      "UNIT" },
  { "order", 0, 0, G_OPTION_ARG_STRING, &order_name, "of the frames in the trace: display, coding",
      "ORDER" },
  { "fps", 0, 0, G_OPTION_ARG_STRING, &fps_text,
      "frames a second, 25 or 30000/1001; default: from the trace's times", "N" },
  { "bitrate", 0, 0, G_OPTION_ARG_INT64, &bitrate_bps,
      "scale all sizes to this mean rate of the whole trace, counting all TS"
      " packets of 188 bytes, with headers and tables",
      "BPS" },
  { "offset", 0, 0, G_OPTION_ARG_DOUBLE, &offset_s,
      "start with the first I frame from this time on", "S" },
  { "duration", 0, 0, G_OPTION_ARG_DOUBLE, &duration_s, "end after this time", "S" },
  { "loop", 0, 0, G_OPTION_ARG_NONE, &loop, "start the trace again at its end, as one stream",
      NULL },
  { "burst", 0, 0, G_OPTION_ARG_NONE, &burst,
      "all of a frame at once instead of spread over its interval", NULL },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of the random bytes in the frames, 1 by default",
      "N" },
  { "log", 0, 0, G_OPTION_ARG_FILENAME, &log_path, "write when each packet is due: due_ns,hash",
      "FILE" },
  { "frames", 0, 0, G_OPTION_ARG_FILENAME, &frames_path,
      "write which packets carry each frame: frame,type,first_packet,last_packet", "FILE" },
  { "stats", 0, 0, G_OPTION_ARG_FILENAME, &stats_path,
      "write statistics of the elements, a JSON object a line", "FILE" },
  { "stats-interval", 0, 0, G_OPTION_ARG_INT, &stats_interval_ms, "so often, 1000 by default",
      "MS" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &trace_paths, NULL, "TRACE" },
  { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
};

static int
complain (int status, const gchar *message)
{
  fprintf (stderr, "vod-replay: %s\n", message);
  return status;
}

static int
complain_and_free (int status, GError *error)
{
  complain (status, error->message);
  g_error_free (error);
  return status;
}

/* ---- options --------------------------------------------------------------- */

/* Sets @choice to the index of @name in a list that ends with NULL; without a name, to 0. */
static gboolean
choose (const gchar *option, const gchar *name, const gchar *const *names, guint *choice,
    GError **error)
{
  gchar *all;

  *choice = 0;
  if (name == NULL)
    return TRUE;
  for (; names[*choice] != NULL; (*choice)++)
    if (g_str_equal (name, names[*choice]))
      return TRUE;
  all = g_strjoinv (", ", (gchar **) names);
  g_set_error (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--%s %s is none of %s", option, name, all);
  g_free (all);
  return FALSE;
}

static gboolean
parse_fps (TraceOptions *options, GError **error)
{
  gchar *end;
  gdouble fps;
  gint num, den;

  if (fps_text == NULL)
    return TRUE;
  fps = g_ascii_strtod (fps_text, &end);
  gst_util_double_to_fraction (CLAMP (fps, 0, 1e4), &num, &den);
  if (*end == '/') {
    gdouble below = g_ascii_strtod (end + 1, &end);

    num = CLAMP (fps, 0, 1e7);
    den = CLAMP (below, 0, 1e7);
    if (num != fps || den != below)
      num = 0;
  }
  if (*end != '\0' || num <= 0 || den <= 0 || num / den > 10000) {
    g_set_error (
        error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--fps %s is not a frame rate", fps_text);
    return FALSE;
  }
  options->fps_num = num;
  options->fps_den = den;
  return TRUE;
}

static gboolean
parse_trace_options (TraceOptions *options, GError **error)
{
  static const gchar *const formats[] = { "auto", "csv", "asu", "st", NULL };
  static const gchar *const units[] = { "auto", "bytes", "bits", NULL };
  static const gchar *const orders[] = { "auto", "display", "coding", NULL };

  return choose ("format", format_name, formats, &options->format, error)
      && choose ("unit", unit_name, units, &options->unit, error)
      && choose ("order", order_name, orders, &options->order, error) && parse_fps (options, error);
}

static const gchar *
find_misuse (void)
{
  guint targets = (to_uri != NULL) + (sink_description != NULL) + (output_path != NULL);

  if (trace_paths == NULL || trace_paths[1] != NULL)
    return "one trace is wanted (--help shows the options)";
  if (targets != 1)
    return "one of --to, --sink and --output is wanted";
  if (bitrate_bps < 0)
    return "--bitrate must not be negative";
  if (seed < 0)
    return "--seed must not be negative";
  if (!(offset_s >= 0 && offset_s < MAX_S))
    return "--offset must be from 0 to 1e9 s";
  if (!(duration_s >= 0 && duration_s < MAX_S) && duration_s != TO_THE_END_S)
    return "--duration must be from 0 to 1e9 s";
  if (stats_interval_ms <= 0)
    return "--stats-interval must be more than nothing";
  if (output_path != NULL && loop && duration_s == TO_THE_END_S)
    return "--output with --loop needs a --duration";
  return NULL;
}

/* ---- the run ---------------------------------------------------------------- */

static Trace *
load (GError **error)
{
  TraceOptions options = { 0 };
  Trace *trace;

  if (!parse_trace_options (&options, error))
    return NULL;
  trace = trace_load (trace_paths[0], &options, error);
  if (trace == NULL)
    return NULL;
  if (!(bitrate_bps > 0 ? trace_scale (trace, bitrate_bps, error)
                        : trace_check_sizes (trace, error)))
    g_clear_pointer (&trace, trace_free);
  return trace;
}

static gboolean
on_interrupt (gpointer player)
{
  static gboolean again;

  if (again)
    player_abort (player);
  else
    player_stop (player);
  again = TRUE;
  return G_SOURCE_CONTINUE;
}

static gboolean
on_terminate (gpointer player)
{
  player_abort (player);
  return G_SOURCE_CONTINUE;
}

static gboolean
play (Replay *replay, PacketLog *log, FrameLog *frames, MeterLog *stats, GError **error)
{
  Target target = { to_uri, sink_description, output_path };
  Player *player = player_new (replay, &target, burst, seed, log, frames, error);
  gboolean played;

  if (player == NULL)
    return FALSE;
  if (stats->file != NULL)
    player_log_stats (player, stats, (guint) stats_interval_ms);
  g_unix_signal_add (SIGINT, on_interrupt, player);
  g_unix_signal_add (SIGTERM, on_terminate, player);
  played = player_run (player, error);
  player_free (player);
  return played;
}

static guint64
seconds_to_ns (gdouble seconds)
{
  return seconds * 1e9 + 0.5;
}

static gboolean
prepare (Replay *replay, const Trace *trace, GError **error)
{
  guint64 duration_ns = duration_s != TO_THE_END_S ? seconds_to_ns (duration_s) : G_MAXUINT64;

  return replay_init (replay, trace, loop, seconds_to_ns (offset_s), duration_ns, error);
}

static gboolean
play_with_log (Replay *replay, FrameLog *frames, MeterLog *stats, GError **error)
{
  PacketLog *log = NULL;
  gboolean ok;

  if (log_path != NULL) {
    log = packet_log_new (log_path, error);
    if (log == NULL)
      return FALSE;
  }
  ok = play (replay, log, frames, stats, error);
  if (log != NULL)
    ok = packet_log_close (log, ok ? error : NULL) && ok;
  return ok;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- stream a movie made of a "
                                                  "trace of frame sizes");
  GError *error = NULL;
  const gchar *misuse;
  FrameLog frames;
  MeterLog stats;
  Replay replay;
  Trace *trace;
  gboolean ok;

  /* The timer slack delays timers; threads inherit it. */
  prctl (PR_SET_TIMERSLACK, 1);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!ok)
    return complain_and_free (STATUS_USAGE, error);
  misuse = find_misuse ();
  if (misuse != NULL)
    return complain (STATUS_USAGE, misuse);
  trace = load (&error);
  if (trace == NULL)
    return complain_and_free (STATUS_USAGE, error);
  if (!prepare (&replay, trace, &error)) {
    trace_free (trace);
    return complain_and_free (STATUS_USAGE, error);
  }
  if (!meter_log_open (&stats, stats_path, NULL) || !frame_log_open (&frames, frames_path)) {
    trace_free (trace);
    return STATUS_FAILED;
  }
  ok = play_with_log (&replay, &frames, &stats, &error);
  trace_free (trace);
  if (!(frame_log_close (&frames) & meter_log_close (&stats)) && ok)
    return STATUS_FAILED;
  return ok ? STATUS_OK : complain_and_free (STATUS_FAILED, error);
}
