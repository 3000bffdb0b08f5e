/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run of a pipeline, see transfer.h */
#include "transfer.h"

#include <glib-unix.h>
#include <signal.h>
#include <string.h>

#include "elements.h"
#include "metricsserver.h"
#include "report.h"
#include "standing.h"

/* The time in which the sender's packets may still leave when a stream ends early; then the
 * receiver is told of the end.  END_LIMIT_MS only ends a pipeline that hangs.  A player has its latency
 * in addition, as the end comes behind a packet that is played that much later. */
#define END_DRAIN_MS 200
#define END_LIMIT_MS 5000

/* After the receiver's BYE, which anybody can forge: a receiver that is there answers within its
 * round-trip time. */
#define LEFT_MS 3000

#define CALLING "calling"

typedef struct
{
  const Program *program;
  const Options *options;
  GstElement *pipeline, *element;
  GMainLoop *loop;
  Report *report;
  MetricsServer *server;
  gboolean is_live, ending, failed, was_absent, has_callers;
  guint end_limit_ms; /* of the end that has begun */
  guint watch, absent_timer, left_timer, duration_timer, end_timer, interrupts[2];
} Transfer;

/* Returns whether the program receives. */
static gboolean
is_source (const Transfer *transfer)
{
  return g_str_equal (transfer->program->peer, "sender");
}

/* ---- the end --------------------------------------------------------------- */

static void
remove_source (guint *id)
{
  if (*id != 0)
    g_source_remove (*id);
  *id = 0;
}

static gboolean
on_end_limit (gpointer data)
{
  Transfer *transfer = data;

  transfer->end_timer = 0;
  transfer->failed = TRUE;
  report_say (
      transfer->report, "the stream did not end within %u s", transfer->end_limit_ms / 1000);
  g_main_loop_quit (transfer->loop);
  return G_SOURCE_REMOVE;
}

static guint
get_end_limit_ms (const Transfer *transfer)
{
  guint latency_ms = 0;

  if (is_source (transfer))
    g_object_get (transfer->element, "latency", &latency_ms, NULL);
  return END_LIMIT_MS + latency_ms;
}

/* Ends the stream before its time: the end goes through the pipeline, so that tfrcsink tells the
 * receiver, and so that a file is complete. */
static void
end_stream (Transfer *transfer)
{
  Standing standing;

  if (transfer->ending)
    return;
  transfer->ending = TRUE;
  remove_source (&transfer->absent_timer);
  remove_source (&transfer->left_timer);
  remove_source (&transfer->duration_timer);
  standing_get (&standing, transfer->program, transfer->element);
  /* The packets of a sender whose receiver is absent wait for too long. */
  if (standing.waits_for_receiver) {
    g_main_loop_quit (transfer->loop);
    return;
  }
  transfer->end_limit_ms = get_end_limit_ms (transfer);
  transfer->end_timer = g_timeout_add (transfer->end_limit_ms, on_end_limit, transfer);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (transfer->element), "drain-timeout"))
    g_object_set (transfer->element, "drain-timeout", END_DRAIN_MS, NULL);
  elements_end (transfer->pipeline);
}

/* The second signal does not wait for the end, nor for a system call that keeps this loop from running: of filesrc, for
 * example, which reads a FIFO that nobody writes to. */
static gboolean
on_signal (gpointer data)
{
  Transfer *transfer = data;

  signal (SIGINT, SIG_DFL);
  signal (SIGTERM, SIG_DFL);
  if (transfer->ending) {
    transfer->failed = TRUE;
    g_main_loop_quit (transfer->loop);
  }
  end_stream (transfer);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_duration (gpointer data)
{
  Transfer *transfer = data;

  transfer->duration_timer = 0;
  end_stream (transfer);
  return G_SOURCE_REMOVE;
}

static guint
add_timer (gdouble time_s, GSourceFunc function, Transfer *transfer)
{
  /* 10 days in milliseconds fit into 32 bits; longer times need no better precision. */
  return time_s < 864000 ? g_timeout_add ((guint) (time_s * 1e3), function, transfer)
                         : g_timeout_add_seconds ((guint) time_s, function, transfer);
}

static void
start_duration (Transfer *transfer)
{
  gdouble duration_s = transfer->options->duration_s;

  if (duration_s > 0 && transfer->duration_timer == 0 && !transfer->ending)
    transfer->duration_timer = add_timer (duration_s, on_duration, transfer);
}

/* ---- the other end --------------------------------------------------------- */

static void
give_up (Transfer *transfer)
{
  /* The timeout of the element, which posts messages, has a default; the option has none. */
  if (transfer->ending || transfer->options->timeout_s <= 0)
    return;
  transfer->was_absent = TRUE;
  report_say (transfer->report, "the %s has been absent for %g s", transfer->program->peer,
      transfer->options->timeout_s);
  end_stream (transfer);
}

static gboolean
on_absent (gpointer data)
{
  Transfer *transfer = data;

  transfer->absent_timer = 0;
  give_up (transfer);
  return G_SOURCE_REMOVE;
}

static gboolean
on_left (gpointer data)
{
  Transfer *transfer = data;

  transfer->left_timer = 0;
  transfer->was_absent = TRUE;
  report_say (transfer->report, "the receiver has left (--stay waits for the next one)");
  end_stream (transfer);
  return G_SOURCE_REMOVE;
}

static void
set_receiver_state (Transfer *transfer, const gchar *state)
{
  remove_source (&transfer->absent_timer);
  remove_source (&transfer->left_timer);
  if (g_strcmp0 (state, "connected") == 0) {
    start_duration (transfer);
    return;
  }
  if (transfer->ending)
    return;
  if (transfer->options->timeout_s > 0)
    transfer->absent_timer = add_timer (transfer->options->timeout_s, on_absent, transfer);
  if (g_strcmp0 (state, "gone") == 0 && !transfer->options->stays)
    transfer->left_timer = g_timeout_add (LEFT_MS, on_left, transfer);
}

/* ---- messages -------------------------------------------------------------- */

static void
on_sender (Transfer *transfer, const GstStructure *message)
{
  const gchar *sender = gst_structure_get_string (message, "sender");

  if (g_strcmp0 (gst_structure_get_string (message, "state"), "lost") == 0) {
    report_say (transfer->report, "the sender %s is lost: nothing comes from there", sender);
    return;
  }
  report_say (transfer->report, "the sender is %s", sender);
  start_duration (transfer);
}

/* Of a sender that listens. Messages may be left out, so the statistics have the number of receivers. */
static void
on_caller (Transfer *transfer, const GstStructure *message)
{
  const gchar *reason = gst_structure_get_string (message, "reason");
  Standing standing;

  report_say (transfer->report, "receiver %s is %s%s%s",
      gst_structure_get_string (message, "address"), gst_structure_get_string (message, "state"),
      *reason != '\0' ? ": " : "", reason);
  standing_get (&standing, transfer->program, transfer->element);
  if (standing.waits_for_receiver == transfer->has_callers) {
    transfer->has_callers = !standing.waits_for_receiver;
    set_receiver_state (transfer, transfer->has_callers ? "connected" : "waiting");
  }
}

static void
on_element_message (Transfer *transfer, const GstStructure *message)
{
  if (gst_structure_has_name (message, "tfrc-peer-state")) {
    const gchar *state = gst_structure_get_string (message, "state");

    report_say (transfer->report, "the receiver is %s", state);
    set_receiver_state (transfer, state);
  } else if (gst_structure_has_name (message, "tfrc-sender")) {
    on_sender (transfer, message);
  } else if (gst_structure_has_name (message, "tfrc-caller") && !is_source (transfer)) {
    on_caller (transfer, message);
  } else if (gst_structure_has_name (message, "GstUDPSrcTimeout")) {
    give_up (transfer);
  } else if (gst_structure_has_name (message, "tfrc-security")) {
    report_say (transfer->report, "keys: %s", gst_structure_get_string (message, "state"));
  }
}

static void
on_error (Transfer *transfer, GstMessage *message)
{
  const gchar *unknown_type = transfer->program->unknown_type;
  GError *error;
  gboolean is_untyped, is_of_end;

  gst_message_parse_error (message, &error, NULL);
  is_untyped = unknown_type != NULL
      && g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_TYPE_NOT_FOUND);
  /* A stream that is ended before its first packet is an error for tfrcsink, and for what looks for its form.  An output
   * that is full at the end is incomplete. */
  is_of_end = transfer->ending && !is_source (transfer)
      && (is_untyped || GST_MESSAGE_SRC (message) == GST_OBJECT (transfer->element));
  if (!is_of_end) {
    report_say (transfer->report, "%s", is_untyped ? unknown_type : error->message);
    transfer->failed = TRUE;
  }
  g_error_free (error);
  g_main_loop_quit (transfer->loop);
}

/* The cause stands in the debug info, below a line that says where in the source the warning is. */
static void
on_warning (Transfer *transfer, GstMessage *message)
{
  GError *error;
  gchar *debug;
  const gchar *end;

  gst_message_parse_warning (message, &error, &debug);
  report_say (transfer->report, "warning: %s", error->message);
  if (debug != NULL && (end = strchr (debug, '\n')) != NULL && end[1] != '\0')
    report_say (transfer->report, "%s", end + 1);
  g_free (debug);
  g_error_free (error);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Transfer *transfer = data;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      /* The input may be a tfrcsrc, too. */
      if (GST_MESSAGE_SRC (message) == GST_OBJECT (transfer->element))
        on_element_message (transfer, gst_message_get_structure (message));
      break;
    case GST_MESSAGE_WARNING:
      on_warning (transfer, message);
      break;
    case GST_MESSAGE_ERROR:
      on_error (transfer, message);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (transfer->loop);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (transfer->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* ---- the run --------------------------------------------------------------- */

/* Returns the mode of the element, to be freed with g_free(). */
static gchar *
dup_mode (GstElement *element)
{
  GValue value = G_VALUE_INIT;
  gchar *mode;

  g_object_get_property (G_OBJECT (element), "mode", &value);
  mode = gst_value_serialize (&value);
  g_value_unset (&value);
  return mode;
}

/* Returns what the element does at its URI. A sink in mode caller calls if it has the name of a stream. */
static const gchar *
find_verb (const Transfer *transfer)
{
  gchar *mode = dup_mode (transfer->element), *stream_id;
  gboolean listens = strcmp (mode, "listener") == 0, calls;

  g_object_get (transfer->element, "streamid", &stream_id, NULL);
  calls = !listens && (is_source (transfer) || *stream_id != '\0');
  g_free (stream_id);
  g_free (mode);
  if (calls)
    return CALLING;
  if (is_source (transfer))
    return "receiving at";
  return listens ? "receivers call" : "sending to";
}

/* Who is called is as the user has written it.  The port of a source may be one that the system has chosen. */
static void
say_where (Transfer *transfer)
{
  const Options *options = transfer->options;
  const gchar *verb = find_verb (transfer);
  gchar *uri;

  if (strcmp (verb, CALLING) == 0)
    uri = g_strdup (is_source (transfer) ? options->from : options->to);
  else
    g_object_get (transfer->element, "uri", &uri, NULL);
  report_say (transfer->report, "%s %s", verb, uri);
  g_free (uri);
}

static void
start_times (Transfer *transfer)
{
  if (!is_source (transfer)) {
    set_receiver_state (transfer, "waiting");
  } else if (transfer->options->timeout_s > 0) {
    g_object_set (
        transfer->element, "timeout", (guint64) (transfer->options->timeout_s * GST_SECOND), NULL);
  }
}

static void
say_failure (Transfer *transfer, GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  if (message == NULL) {
    report_say (transfer->report, "the pipeline does not start");
    return;
  }
  on_error (transfer, message);
  gst_message_unref (message);
}

/* Of tfrc-recv, which has no output with --sink. */
static gboolean
empty_output (Transfer *transfer)
{
  const gchar *output = is_source (transfer) ? transfer->options->to : NULL;
  GError *error = NULL;

  if (output == NULL || elements_empty_output (output, &error))
    return TRUE;
  report_say (transfer->report, "%s", error->message);
  g_error_free (error);
  return FALSE;
}

/* Until then a signal ends the program, which may wait in a system call: nobody may open the other end of a FIFO. */
static void
watch_signals (Transfer *transfer)
{
  transfer->interrupts[0] = g_unix_signal_add (SIGINT, on_signal, transfer);
  transfer->interrupts[1] = g_unix_signal_add (SIGTERM, on_signal, transfer);
}

/* Returns FALSE after a message about an error.  Data flows when the pipeline plays, and not before. */
static gboolean
play (Transfer *transfer)
{
  GstStateChangeReturn result = gst_element_set_state (transfer->pipeline, GST_STATE_PAUSED);
  GstBus *bus = gst_element_get_bus (transfer->pipeline);
  gboolean ok = result != GST_STATE_CHANGE_FAILURE;

  transfer->is_live = result == GST_STATE_CHANGE_NO_PREROLL;
  if (!ok)
    say_failure (transfer, bus);
  ok = ok && empty_output (transfer);
  if (ok) {
    transfer->watch = gst_bus_add_watch (bus, on_message, transfer);
    watch_signals (transfer);
    gst_element_set_state (transfer->pipeline, GST_STATE_PLAYING);
  }
  gst_object_unref (bus);
  return ok;
}

static Status
judge (Transfer *transfer)
{
  Standing standing;

  standing_get (&standing, transfer->program, transfer->element);
  if (transfer->failed)
    return STATUS_FAILED;
  if (!standing.has_met_peer)
    return STATUS_ABSENT;
  /* A queue that drops packets of a live input does what it is told to. */
  if (standing.dropped > 0 && !transfer->is_live && !transfer->ending) {
    report_say (transfer->report,
        "%" G_GUINT64_FORMAT " packets were dropped: the receiver was absent for longer than "
        "max-queue-time, leaky made room, or drain-timeout ended the wait for the last packets",
        standing.dropped);
    return STATUS_FAILED;
  }
  return transfer->was_absent ? STATUS_FAILED : STATUS_OK;
}

static Status
run (Transfer *transfer)
{
  Status status = STATUS_FAILED;

  start_times (transfer);
  if (play (transfer)) {
    say_where (transfer);
    report_start (transfer->report);
    g_main_loop_run (transfer->loop);
    status = judge (transfer);
  }
  if (!report_finish (transfer->report))
    status = STATUS_FAILED;
  gst_element_set_state (transfer->pipeline, GST_STATE_NULL);
  return status;
}

static gboolean
start_server (Transfer *transfer, GError **error)
{
  const Options *options = transfer->options;
  gchar *uri;

  if (options->metrics_port < 0)
    return TRUE;
  transfer->server = metrics_server_new (
      transfer->element, options->metrics_address, (guint16) options->metrics_port, error);
  if (transfer->server == NULL)
    return FALSE;
  uri = metrics_server_dup_uri (transfer->server);
  report_say (transfer->report, "metrics at %s", uri);
  g_free (uri);
  return TRUE;
}

static void
clear (Transfer *transfer)
{
  remove_source (&transfer->watch);
  remove_source (&transfer->absent_timer);
  remove_source (&transfer->left_timer);
  remove_source (&transfer->duration_timer);
  remove_source (&transfer->end_timer);
  remove_source (&transfer->interrupts[0]);
  remove_source (&transfer->interrupts[1]);
  metrics_server_free (transfer->server);
  report_free (transfer->report);
  g_main_loop_unref (transfer->loop);
}

Status
transfer_run (
    const Program *program, const Options *options, GstElement *pipeline, GstElement *element)
{
  Transfer transfer = { .program = program,
    .options = options,
    .pipeline = pipeline,
    .element = element,
    .loop = g_main_loop_new (NULL, FALSE) };
  GError *error = NULL;
  Status status;

  transfer.report = report_new (program, options, element, &error);
  if (transfer.report != NULL && start_server (&transfer, &error))
    status = run (&transfer);
  else
    status = program_complain (program, STATUS_FAILED, error);
  clear (&transfer);
  return status;
}
