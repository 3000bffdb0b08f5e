/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsink that listens, see gsttfrcsinkcallers.h. */
#include "gsttfrcsinkcallers.h"

#include "../common/clock.h"
#include "../common/messages.h"
#include "../stream/callersignals.h"
#include "gsttfrcsinkstats.h"

/* ---- signals -------------------------------------------------------------------------- */

void
gst_tfrc_sink_callers_install_signals (GType type,
    gboolean (*drop) (GstElement *element, guint64 id),
    void (*refuse) (GstElement *element, guint64 id, const gchar *reason))
{
  gst_tfrc_caller_signals_install (type, drop);
  /**
   * GstTfrcSink::refuse-caller:
   * @id: of the call
   * @reason: (nullable): that the caller is told
   *
   * Refuses a caller about whom the answer to caller-connecting was "defer". One that does not wait any
   * more is left alone.
   */
  g_signal_new_class_handler ("refuse-caller", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (refuse), NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_UINT64, G_TYPE_STRING);
}

static GstTfrcCallNews *
take_news (gpointer stream)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  GstTfrcCallNews *news;

  gst_tfrc_port_lock (port);
  news = listening ? gst_tfrc_listening_take_news (listening) : NULL;
  gst_tfrc_port_unlock (port);
  return news;
}

static void
answer (gpointer stream, guint64 id, const gchar *refusal, GstTfrcCredentials *credentials)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);

  gst_tfrc_port_lock (port);
  if (listening)
    gst_tfrc_listening_answer (listening, id, refusal, credentials, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (port);
}

static void
defer (gpointer stream, guint64 id)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);

  gst_tfrc_port_lock (port);
  if (listening)
    gst_tfrc_listening_defer (listening, id, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (port);
}

static const GstTfrcCallee callee = { TRUE, take_news, answer, defer };

void
gst_tfrc_sink_callers_refuse (GstTfrcRunning *running, guint64 id, const gchar *reason)
{
  gst_tfrc_caller_signals_refuse (running, &callee, id, reason);
}

void
gst_tfrc_sink_callers_tell (GstTfrcRunning *running)
{
  gst_tfrc_caller_signals_tell (running, &callee);
}

/* ---- the stream, inside the gate -------------------------------------------------------- */

gboolean
gst_tfrc_sink_callers_take_event (GstTfrcSinkStream *stream, GstTfrcEvent *event)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  gboolean is_taken;

  gst_tfrc_port_lock (port);
  is_taken = gst_tfrc_listening_take_event (listening, event);
  gst_tfrc_port_unlock (port);
  return is_taken;
}

gboolean
gst_tfrc_sink_callers_drop (GstTfrcSinkStream *stream, guint64 id)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  gboolean is_there;

  gst_tfrc_port_lock (port);
  is_there = listening && gst_tfrc_listening_drop (listening, id);
  gst_tfrc_port_unlock (port);
  return is_there;
}

GstTfrcSinkStream *
gst_tfrc_sink_callers_open_guest (GstTfrcRunning *listener, const GstTfrcSinkStreamConfig *config,
    GstTfrcSinkStreamEvents events, gpointer user, GError **error)
{
  GstTfrcSinkStreamConfig of_guest = *config;
  GstTfrcSinkStream *stream;

  of_guest.listener = gst_tfrc_running_enter (listener);
  if (of_guest.listener == NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "the listener does not run");
    return NULL;
  }
  stream = gst_tfrc_sink_stream_new (&of_guest, events, user, error);
  gst_tfrc_running_leave (listener);
  return stream;
}

void
gst_tfrc_sink_callers_set_max (GstTfrcSinkStream *stream, guint max_callers)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);

  gst_tfrc_port_lock (port);
  if (listening)
    gst_tfrc_listening_set_max_callers (listening, max_callers);
  gst_tfrc_port_unlock (port);
}

static gboolean
get_caller (GstTfrcSinkStream *stream, guint64 id, GstTfrcCallerStats *caller)
{
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  gboolean is_there;

  gst_tfrc_port_lock (port);
  is_there = gst_tfrc_listening_get_caller (
      gst_tfrc_sink_stream_get_listening (stream), id, gst_tfrc_clock_now_ns (), caller);
  gst_tfrc_port_unlock (port);
  return is_there;
}

/* Nothing is built while streams wait for the lock. A caller may go meanwhile. */
static void
add_caller_stats (GstTfrcSinkStream *stream, guint64 id, GValue *array)
{
  GValue value = G_VALUE_INIT;
  GstTfrcCallerStats caller;
  GstStructure *s;

  if (!get_caller (stream, id, &caller))
    return;
  s = gst_tfrc_sink_stats_new (&caller.stats);
  gst_structure_set (
      s, "caller-id", G_TYPE_UINT64, id, "stream-id", G_TYPE_STRING, caller.stream_id, NULL);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, s);
  gst_value_array_append_and_take_value (array, &value);
  g_free (caller.stream_id);
}

GstStructure *
gst_tfrc_sink_callers_stats_new (GstTfrcSinkStream *stream)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  GValue callers = G_VALUE_INIT;
  GstTfrcListeningStats stats;
  GstStructure *s;
  GArray *ids;

  gst_tfrc_port_lock (port);
  gst_tfrc_listening_get_stats (listening, gst_tfrc_clock_now_ns (), &stats);
  ids = gst_tfrc_listening_list_callers (listening);
  gst_tfrc_port_unlock (port);
  gst_value_array_init (&callers, ids->len);
  for (guint i = 0; i < ids->len; i++)
    add_caller_stats (stream, g_array_index (ids, guint64, i), &callers);
  g_array_unref (ids);
  s = gst_structure_new (GST_TFRC_STATS_NAME, "local-port", G_TYPE_INT,
      (gint) gst_tfrc_port_get_number (port), "callers-accepted", G_TYPE_UINT, stats.calls.accepted,
      "callers-waiting", G_TYPE_UINT, stats.calls.waiting, "callers-rejected", G_TYPE_UINT64,
      stats.calls.refused, "calls-received", G_TYPE_UINT64, stats.calls.calls, "malformed-packets",
      G_TYPE_UINT64, stats.calls.malformed, "foreign-packets", G_TYPE_UINT64, stats.foreign_packets,
      "packets-sent", G_TYPE_UINT64, stats.sent, "bytes-sent", G_TYPE_UINT64, stats.bytes_sent,
      "packets-lost", G_TYPE_UINT64, stats.lost, "packets-dropped", G_TYPE_UINT64, stats.dropped,
      "packets-past-deadline", G_TYPE_UINT64, stats.past_deadline, NULL);
  gst_structure_take_value (s, "callers", &callers);
  return s;
}
