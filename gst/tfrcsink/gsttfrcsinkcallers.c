/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsink that listens, see gsttfrcsinkcallers.h. */
#include "gsttfrcsinkcallers.h"

#include "../common/clock.h"
#include "../common/log.h"
#include "../common/messages.h"
#include "gsttfrcsinkstats.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* What the caller is told if the application gives no reason */
#define REFUSED "the application has refused the call"

/* ---- signals -------------------------------------------------------------------------- */

/* The first handler that returns an answer decides. */
static gboolean
take_first (GSignalInvocationHint *hint, GValue *all, const GValue *one, gpointer unused)
{
  if (g_value_get_boxed (one) == NULL)
    return TRUE;
  g_value_copy (one, all);
  return FALSE;
}

void
gst_tfrc_sink_callers_install_signals (GType type,
    gboolean (*drop) (GstElement *element, guint64 id),
    void (*refuse) (GstElement *element, guint64 id, const gchar *reason))
{
  /**
   * GstTfrcSink::caller-connecting:
   * @id: of the call, for #GstTfrcSink:caller-id and refuse-caller
   * @address: a #GSocketAddress, which the caller has proved to have
   * @stream_id: what the caller asks for; "": nothing in particular
   *
   * A receiver calls a sink with mode=listener.
   *
   * Returns: (nullable): NULL accepts the caller. A structure of any name may have the fields
   * "accept" (gboolean, TRUE without the field), "reason" (string that a refused caller is told),
   * "passphrase" (string, for this caller instead of the property's) and "defer" (gboolean): the caller
   * waits for up to 10 s, until a sink whose properties #GstTfrcSink:listener and #GstTfrcSink:caller-id
   * name the call starts, or refuse-caller is called.
   */
  g_signal_new ("caller-connecting", type, G_SIGNAL_RUN_LAST, 0, take_first, NULL, NULL,
      GST_TYPE_STRUCTURE, 3, G_TYPE_UINT64, G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  /**
   * GstTfrcSink::caller-added:
   * @id: of the call, for drop-caller
   */
  g_signal_new ("caller-added", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
      G_TYPE_UINT64, G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  /**
   * GstTfrcSink::caller-removed:
   * @reason: why, for people
   */
  g_signal_new ("caller-removed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
      G_TYPE_UINT64, G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING, G_TYPE_STRING);
  /**
   * GstTfrcSink::caller-rejected:
   * @reason: why, as the caller is told
   */
  g_signal_new ("caller-rejected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
      G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING, G_TYPE_STRING);
  /**
   * GstTfrcSink::drop-caller:
   * @id: of the call
   *
   * Ends the stream to a caller.
   *
   * Returns: FALSE if there is no such caller
   */
  g_signal_new_class_handler ("drop-caller", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (drop), NULL, NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT64);
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

static GSocketAddress *
new_socket_address (const GstTfrcAddress *address)
{
  return g_socket_address_new_from_native ((gpointer) &address->u.any, address->len);
}

/* For gst-launch-1.0 -m, and for programs that have the bus and no handlers */
static void
post (GstElement *element, const GstTfrcCallNews *news, const gchar *state)
{
  gchar *address = gst_tfrc_address_to_string (&news->address);

  GST_INFO_OBJECT (element, "caller %s \"%s\" is %s%s%s", address, news->stream_id, state,
      news->reason ? ": " : "", news->reason ? news->reason : "");
  gst_tfrc_message_post (element,
      gst_structure_new ("tfrc-caller", "state", G_TYPE_STRING, state, "id", G_TYPE_UINT64,
          news->id, "address", G_TYPE_STRING, address, "stream-id", G_TYPE_STRING, news->stream_id,
          "reason", G_TYPE_STRING, news->reason ? news->reason : "", NULL));
  g_free (address);
}

/* ---- decisions ------------------------------------------------------------------------- */

/* Enters the gate of a stream that listens. Returns NULL, and has not entered, if there is none. */
static GstTfrcSinkStream *
enter (GstTfrcRunning *running)
{
  GstTfrcSinkStream *stream = gst_tfrc_running_enter (running);

  if (stream == NULL || gst_tfrc_sink_stream_get_listening (stream))
    return stream;
  gst_tfrc_running_leave (running);
  return NULL;
}

static void
answer (GstTfrcRunning *running, guint64 id, const gchar *refusal, GstTfrcCredentials *credentials)
{
  GstTfrcSinkStream *stream = enter (running);

  if (stream == NULL)
    return;
  gst_tfrc_port_lock (gst_tfrc_sink_stream_get_port (stream));
  gst_tfrc_listening_answer (gst_tfrc_sink_stream_get_listening (stream), id, refusal, credentials,
      gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (gst_tfrc_sink_stream_get_port (stream));
  gst_tfrc_running_leave (running);
}

void
gst_tfrc_sink_callers_refuse (GstTfrcRunning *running, guint64 id, const gchar *reason)
{
  answer (running, id, reason ? reason : REFUSED, NULL);
}

static void
defer (GstTfrcRunning *running, guint64 id)
{
  GstTfrcSinkStream *stream = enter (running);

  if (stream == NULL)
    return;
  gst_tfrc_port_lock (gst_tfrc_sink_stream_get_port (stream));
  gst_tfrc_listening_defer (
      gst_tfrc_sink_stream_get_listening (stream), id, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (gst_tfrc_sink_stream_get_port (stream));
  gst_tfrc_running_leave (running);
}

/* A passphrase that cannot be one is the application's mistake, and says so to both. */
static GstTfrcCredentials *
new_credentials (GstElement *element, const gchar *passphrase)
{
  const GstTfrcCredentialsConfig config = { .passphrase = passphrase };
  GError *error = NULL;
  GstTfrcCredentials *credentials = gst_tfrc_credentials_new (
      &config, TRUE, gst_tfrc_clock_wall_ns (), &error);

  if (credentials == NULL) {
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("A caller's passphrase cannot be used: %s", error->message), (NULL));
    g_error_free (error);
  }
  return credentials;
}

static void
decide (GstTfrcRunning *running, const GstTfrcCallNews *news, const GstStructure *decision)
{
  GstElement *element = gst_tfrc_running_get_element (running);
  const gchar *passphrase = NULL, *reason = NULL;
  GstTfrcCredentials *credentials = NULL;
  gboolean accepts = TRUE, defers = FALSE;

  if (decision && gst_structure_get_boolean (decision, "defer", &defers) && defers) {
    defer (running, news->id);
    return;
  }
  if (decision) {
    gst_structure_get_boolean (decision, "accept", &accepts);
    reason = gst_structure_get_string (decision, "reason");
    passphrase = gst_structure_get_string (decision, "passphrase");
  }
  if (accepts && passphrase && (credentials = new_credentials (element, passphrase)) == NULL) {
    accepts = FALSE;
    reason = NULL;
  }
  answer (running, news->id, accepts ? NULL : reason ? reason : REFUSED, credentials);
  gst_tfrc_credentials_unref (credentials);
}

static void
ask (GstTfrcRunning *running, const GstTfrcCallNews *news, GSocketAddress *address)
{
  GstStructure *decision = NULL;

  g_signal_emit_by_name (gst_tfrc_running_get_element (running), "caller-connecting", news->id,
      address, news->stream_id, &decision);
  decide (running, news, decision);
  g_clear_pointer (&decision, gst_structure_free);
}

static GstTfrcCallNews *
take_news (GstTfrcRunning *running)
{
  GstTfrcSinkStream *stream = enter (running);
  GstTfrcCallNews *news;

  if (stream == NULL)
    return NULL;
  gst_tfrc_port_lock (gst_tfrc_sink_stream_get_port (stream));
  news = gst_tfrc_listening_take_news (gst_tfrc_sink_stream_get_listening (stream));
  gst_tfrc_port_unlock (gst_tfrc_sink_stream_get_port (stream));
  gst_tfrc_running_leave (running);
  return news;
}

void
gst_tfrc_sink_callers_tell (GstTfrcRunning *running)
{
  GstElement *element = gst_tfrc_running_get_element (running);
  GstTfrcCallNews *news = take_news (running);
  GSocketAddress *address;

  if (news == NULL)
    return;
  address = new_socket_address (&news->address);
  switch (news->kind) {
    case GST_TFRC_CALL_CONNECTING:
      ask (running, news, address);
      break;
    case GST_TFRC_CALL_ADDED:
      post (element, news, "added");
      g_signal_emit_by_name (element, "caller-added", news->id, address, news->stream_id);
      break;
    case GST_TFRC_CALL_REMOVED:
      post (element, news, "removed");
      g_signal_emit_by_name (
          element, "caller-removed", news->id, address, news->stream_id, news->reason);
      break;
    case GST_TFRC_CALL_REJECTED:
      post (element, news, "rejected");
      g_signal_emit_by_name (element, "caller-rejected", address, news->stream_id, news->reason);
      break;
  }
  g_object_unref (address);
  gst_tfrc_call_news_free (news);
}

/* ---- the stream, inside the gate -------------------------------------------------------- */

gboolean
gst_tfrc_sink_callers_take_event (GstTfrcSinkStream *stream, GstTfrcEvent *event)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  gboolean has_news, is_due;

  gst_tfrc_port_lock (port);
  has_news = gst_tfrc_listening_has_news (listening);
  *event = (GstTfrcEvent){ .kind = GST_TFRC_EVENT_CALLERS };
  is_due = !has_news && gst_tfrc_listening_take_due (listening, &event->kind);
  gst_tfrc_port_unlock (port);
  return has_news || is_due;
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

static void
add_caller_stats (gpointer array, const GstTfrcCallerStats *caller)
{
  GstStructure *s = gst_tfrc_sink_stats_new (&caller->stats);
  GValue value = G_VALUE_INIT;

  gst_structure_set (s, "caller-id", G_TYPE_UINT64, caller->id, "stream-id", G_TYPE_STRING,
      caller->stream_id, NULL);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, s);
  gst_value_array_append_and_take_value (array, &value);
}

GstStructure *
gst_tfrc_sink_callers_stats_new (GstTfrcSinkStream *stream)
{
  GstTfrcListening *listening = gst_tfrc_sink_stream_get_listening (stream);
  GstTfrcPort *port = gst_tfrc_sink_stream_get_port (stream);
  GValue callers = G_VALUE_INIT;
  GstTfrcListeningStats stats;
  GstStructure *s;

  gst_value_array_init (&callers, 0);
  gst_tfrc_port_lock (port);
  gst_tfrc_listening_get_stats (listening, gst_tfrc_clock_now_ns (), &stats);
  gst_tfrc_listening_foreach_caller (
      listening, gst_tfrc_clock_now_ns (), add_caller_stats, &callers);
  gst_tfrc_port_unlock (port);
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
