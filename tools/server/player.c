/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline of a stream, see player.h */
#include "player.h"

#include "error.h"
#include "feeder.h"

/* The time in which packets may still leave when a stream is stopped; then the receiver is told of
 * the end. STOP_LIMIT_MS only ends a pipeline that hangs. */
#define STOP_DRAIN_MS 200
#define STOP_LIMIT_MS 3000

/* With renditions the queue of tfrcsink holds this time of the movie, which is chosen already: less
 * would be drained by one busy picture.  It holds a few pictures at least. */
#define QUEUE_S 1.0
#define LEAST_QUEUE_PACKETS 64
#define PAYLOAD_BITS (1316 * 8)

/* What the choice of a rendition needs, for the streaming thread */
typedef struct
{
  GstElement *sink;            /* not owned */
  guint queue_packets;         /* as tfrcsink has it by itself */
  guint64 sent, past_deadline; /* at the last choice */
} Session;

struct _Player
{
  GstElement *pipeline, *sink;
  Feeder *feeder;
  guint n_renditions;
  Session session;
  guint absent_s;
  gboolean is_unresponsive;
  PlayerEnded ended;
  gpointer user;
  gchar *error;
  gboolean stopping;
  guint watch, absent_timer, stop_timer, ended_idle;
};

/* ---- the end ------------------------------------------------------------- */

static void
remove_source (guint *id)
{
  if (*id != 0)
    g_source_remove (*id);
  *id = 0;
}

static gboolean
tell_end (gpointer data)
{
  Player *player = data;

  player->ended_idle = 0;
  player->ended (player->user, player->error);
  return G_SOURCE_REMOVE;
}

static void
fail (Player *player, const gchar *error)
{
  if (player->error == NULL)
    player->error = g_strdup (error);
}

/* The callback may free the player, which no handler of a message could survive. */
static void
end (Player *player)
{
  remove_source (&player->absent_timer);
  remove_source (&player->stop_timer);
  if (player->ended_idle == 0)
    player->ended_idle = g_idle_add (tell_end, player);
}

static gboolean
on_stop_limit (gpointer data)
{
  Player *player = data;

  player->stop_timer = 0;
  end (player);
  return G_SOURCE_REMOVE;
}

/* Runs on the streaming thread: the end of the stream takes the place of the next buffer.  At the
 * end of the stream tfrcsink says BYE. */
static GstPadProbeReturn
end_stream (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  gst_pad_remove_probe (pad, GST_PAD_PROBE_INFO_ID (info));
  gst_pad_push_event (pad, gst_event_new_eos ());
  gst_mini_object_unref (GST_PAD_PROBE_INFO_DATA (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  return GST_PAD_PROBE_HANDLED;
}

void
player_stop (Player *player)
{
  GstPad *sink_pad, *pad;

  if (player->stopping || player->ended_idle != 0)
    return;
  player->stopping = TRUE;
  remove_source (&player->absent_timer);
  player->stop_timer = g_timeout_add (STOP_LIMIT_MS, on_stop_limit, player);
  g_object_set (player->sink, "drain-timeout", STOP_DRAIN_MS, NULL);
  sink_pad = gst_element_get_static_pad (player->sink, "sink");
  pad = gst_pad_get_peer (sink_pad);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, end_stream, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink_pad);
}

/* ---- messages ------------------------------------------------------------ */

static gboolean
on_absent (gpointer data)
{
  Player *player = data;
  gchar *text = g_strdup_printf ("the receiver was absent for %u s", player->absent_s);

  player->absent_timer = 0;
  fail (player, text);
  g_free (text);
  player_stop (player);
  return G_SOURCE_REMOVE;
}

static void
set_peer_state (Player *player, const gchar *state)
{
  remove_source (&player->absent_timer);
  if (g_strcmp0 (state, "connected") != 0 && !player->is_unresponsive && !player->stopping
      && player->ended_idle == 0)
    player->absent_timer = g_timeout_add_seconds (player->absent_s, on_absent, player);
}

static void
on_element_message (Player *player, const GstStructure *structure)
{
  if (gst_structure_has_name (structure, "tfrc-peer-state"))
    set_peer_state (player, gst_structure_get_string (structure, "state"));
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Player *player = data;
  GError *error;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      /* A stream that is stopped before its first packet is an error for tfrcsink. */
      if (!player->stopping)
        fail (player, error->message);
      g_error_free (error);
      end (player);
      break;
    case GST_MESSAGE_EOS:
      end (player);
      break;
    case GST_MESSAGE_ELEMENT:
      on_element_message (player, gst_message_get_structure (message));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* ---- properties ------------------------------------------------------------ */

/* Converts a value of the request to the type of the property, and refuses what does not fit. */
static gboolean
convert (GParamSpec *spec, const GValue *value, GValue *converted)
{
  GValue back = G_VALUE_INIT;
  gboolean fits;

  g_value_init (converted, spec->value_type);
  if (G_VALUE_TYPE (value) == spec->value_type) {
    g_value_copy (value, converted);
    return !g_param_value_validate (spec, converted);
  }
  if (G_VALUE_HOLDS_STRING (value))
    return gst_value_deserialize (converted, g_value_get_string (value));
  g_value_init (&back, G_TYPE_INT64);
  fits = g_value_transform (value, converted) && g_value_transform (converted, &back)
      && g_value_get_int64 (&back) == g_value_get_int64 (value);
  return fits && !g_param_value_validate (spec, converted);
}

static gboolean
set_properties (GstElement *sink, const GstStructure *properties, GError **error)
{
  gint i;

  for (i = 0; i < gst_structure_n_fields (properties); i++) {
    const gchar *name = gst_structure_nth_field_name (properties, (guint) i);
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (sink), name);
    GValue value = G_VALUE_INIT;
    gboolean fits = spec != NULL
        && convert (spec, gst_structure_get_value (properties, name), &value);

    if (fits)
      g_object_set_property (G_OBJECT (sink), name, &value);
    else
      g_set_error (error, SERVER_ERROR, SERVER_ERROR_BAD_REQUEST,
          "%s has a value that this property of tfrcsink cannot have", name);
    if (spec != NULL)
      g_value_unset (&value);
    if (!fits)
      return FALSE;
  }
  return TRUE;
}

/* ---- renditions ------------------------------------------------------------- */

static gdouble
get_double (const GstStructure *stats, const gchar *name)
{
  gdouble value = 0;

  gst_structure_get_double (stats, name, &value);
  return value;
}

static guint64
get_uint64 (const GstStructure *stats, const gchar *name)
{
  guint64 value = 0;

  gst_structure_get_uint64 (stats, name, &value);
  return value;
}

/* What may run ahead is bounded by both ends, in time, and by the receiver in bytes. */
static guint64
get_window_ns (GstElement *sink, const GstStructure *stats, gdouble bps)
{
  gdouble bytes_ns = (gdouble) get_uint64 (stats, "ahead-bytes-told") * 8e9 / bps;
  guint own_ms;

  g_object_get (sink, "ahead-time", &own_ms, NULL);
  return MIN (MIN (own_ms * GST_MSECOND, get_uint64 (stats, "ahead-time-told")),
      (guint64) MIN (bytes_ns, 1e18));
}

/* Where nothing runs ahead, tfrcsink takes little before it is due, and a shorter queue would drop of a
 * picture that is larger than the queue. */
static guint
get_queue_packets (const Session *self, const LadderSession *session, gdouble bps)
{
  if (session->window_ns == 0)
    return self->queue_packets;
  return (guint) CLAMP (bps * QUEUE_S / PAYLOAD_BITS, LEAST_QUEUE_PACKETS, G_MAXINT);
}

/* FeederSense: on the streaming thread */
static void
sense (gpointer user, gdouble bps, LadderSession *session)
{
  Session *self = user;
  GstStructure *stats;
  guint64 sent, past_deadline, packets;
  gdouble guard;

  g_object_get (self->sink, "stats", &stats, NULL);
  guard = get_double (stats, "queue-guard-limit");
  sent = get_uint64 (stats, "packets-sent");
  past_deadline = get_uint64 (stats, "packets-past-deadline");
  packets = sent - self->sent + past_deadline - self->past_deadline;
  session->allowed_bps = get_double (stats, "allowed-rate");
  if (guard > 0)
    session->allowed_bps = MIN (session->allowed_bps, guard);
  session->missed = packets > 0
      ? (gdouble) (past_deadline - self->past_deadline) / (gdouble) packets
      : 0;
  session->lead_ns = get_uint64 (stats, "ahead-time");
  session->window_ns = get_window_ns (self->sink, stats, bps);
  self->sent = sent;
  self->past_deadline = past_deadline;
  gst_structure_free (stats);
  g_object_set (self->sink, "max-queue-packets", get_queue_packets (self, session, bps), NULL);
}

/* ---- the pipeline ------------------------------------------------------------- */

static GstElement *
build (GError **error)
{
  GError *problem = NULL;
  GstElement *pipeline = gst_parse_launch_full (
      "tsparse name=parse set-timestamps=true alignment=7 ! tfrcsink name=sink", NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &problem);

  if (pipeline == NULL) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, problem->message);
    g_error_free (problem);
  }
  return pipeline;
}

static gboolean
add_feeder (Player *player, const FeederFile *files, guint n, GError **error)
{
  GError *problem = NULL;
  GstElement *parse;

  player->feeder = feeder_new (files, n, sense, &player->session, &problem);
  if (player->feeder == NULL) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, problem->message);
    g_error_free (problem);
    return FALSE;
  }
  parse = gst_bin_get_by_name (GST_BIN (player->pipeline), "parse");
  gst_bin_add (GST_BIN (player->pipeline), feeder_get_source (player->feeder));
  gst_element_link (feeder_get_source (player->feeder), parse);
  gst_object_unref (parse);
  return TRUE;
}

static gboolean
start (Player *player, GError **error)
{
  GstBus *bus = gst_element_get_bus (player->pipeline);
  gboolean ok = gst_element_set_state (player->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
  GstMessage *message = ok ? NULL : gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *problem = NULL;

  if (message != NULL) {
    gst_message_parse_error (message, &problem, NULL);
    gst_message_unref (message);
  }
  if (!ok)
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED,
        problem != NULL ? problem->message : "the pipeline does not start");
  g_clear_error (&problem);
  player->watch = gst_bus_add_watch (bus, on_message, player);
  gst_object_unref (bus);
  return ok;
}

static gboolean
prepare (Player *player, const FeederFile *files, guint n, const Request *request, GError **error)
{
  if (request->listener != NULL)
    g_object_set (
        player->sink, "listener", request->listener, "caller-id", request->caller_id, NULL);
  else
    g_object_set (player->sink, "host", request->host, "port", (gint) request->port, NULL);
  player->n_renditions = n;
  player->session.sink = player->sink;
  g_object_get (player->sink, "max-queue-packets", &player->session.queue_packets, NULL);
  return set_properties (player->sink, request->properties, error)
      && add_feeder (player, files, n, error) && start (player, error);
}

Player *
player_new (const FeederFile *files, guint n, const Request *request, guint absent_s,
    PlayerEnded ended, gpointer user, GError **error)
{
  GstElement *pipeline = build (error);
  Player *player;

  if (pipeline == NULL)
    return NULL;
  player = g_new0 (Player, 1);
  player->pipeline = pipeline;
  player->sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  player->absent_s = absent_s;
  player->is_unresponsive = request_is_unresponsive (request);
  player->ended = ended;
  player->user = user;
  if (!prepare (player, files, n, request, error)) {
    player_free (player);
    return NULL;
  }
  set_peer_state (player, "waiting");
  return player;
}

/* ---- control ------------------------------------------------------------------ */

void
player_set_paused (Player *player, gboolean paused)
{
  if (!player->stopping && player->ended_idle == 0)
    gst_element_set_state (player->pipeline, paused ? GST_STATE_PAUSED : GST_STATE_PLAYING);
}

/* After the end of a stream tsparse takes no more times from the clock references that come: only a new start lets it. */
static void
renew_parser (Player *player)
{
  GstPad *pad = gst_element_get_static_pad (feeder_get_source (player->feeder), "src");
  GstEvent *end = gst_pad_get_sticky_event (pad, GST_EVENT_EOS, 0);
  GstElement *parse;

  gst_object_unref (pad);
  if (end == NULL)
    return;
  gst_event_unref (end);
  parse = gst_bin_get_by_name (GST_BIN (player->pipeline), "parse");
  gst_element_set_state (parse, GST_STATE_READY);
  gst_element_sync_state_with_parent (parse);
  gst_object_unref (parse);
}

/* The times of the transport stream begin anew after the flush, so that the movie goes on at once. */
static gboolean
seek_feeder (Player *player, guint64 time_ns)
{
  GstElement *source = feeder_get_source (player->feeder);

  if (!gst_element_send_event (source, gst_event_new_flush_start ()))
    return FALSE;
  renew_parser (player);
  feeder_seek (player->feeder, time_ns);
  return gst_element_send_event (source, gst_event_new_flush_stop (TRUE));
}

gboolean
player_seek (Player *player, guint64 time_ns)
{
  return !player->stopping && player->ended_idle == 0 && seek_feeder (player, time_ns);
}

/* Of what is due now, since the last flush. A sink that waits for its first buffer is not in PLAYING, and the pipeline has
 * begun anew. A sink that waits for a buffer stays in PLAYING for a moment after the pipeline has paused. */
static guint64
get_running_time_ns (Player *player)
{
  const gboolean runs = GST_STATE_TARGET (player->pipeline) == GST_STATE_PLAYING
      && GST_STATE (player->sink) == GST_STATE_PLAYING;
  GstClockTime running = runs ? gst_element_get_current_running_time (player->sink)
                              : gst_element_get_start_time (player->pipeline);

  return GST_CLOCK_TIME_IS_VALID (running) ? running : 0;
}

void
player_get_position (Player *player, PlayerPosition *position)
{
  FeederStatus status;

  feeder_get_status (player->feeder, &status);
  position->is_seeking = status.is_seeking;
  position->duration_ns = status.duration_ns;
  position->time_ns = status.start_ns + (status.is_seeking ? 0 : get_running_time_ns (player));
  if (status.duration_ns > 0)
    position->time_ns = MIN (position->time_ns, status.duration_ns);
}

GstStructure *
player_get_stats (Player *player)
{
  GstStructure *stats;
  FeederStatus status;

  g_object_get (player->sink, "stats", &stats, NULL);
  if (player->n_renditions > 1) {
    feeder_get_status (player->feeder, &status);
    gst_structure_set (stats, "rendition", G_TYPE_UINT, status.rendition, "switches", G_TYPE_UINT,
        status.switches, NULL);
  }
  return stats;
}

void
player_free (Player *player)
{
  if (player->feeder != NULL)
    feeder_stop (player->feeder);
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  remove_source (&player->watch);
  remove_source (&player->absent_timer);
  remove_source (&player->stop_timer);
  remove_source (&player->ended_idle);
  gst_object_unref (player->sink);
  gst_object_unref (player->pipeline);
  g_clear_pointer (&player->feeder, feeder_free);
  g_free (player->error);
  g_free (player);
}
