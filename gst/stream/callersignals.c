/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals and messages of callers, see callersignals.h. */
#include "callersignals.h"

#include "../common/clock.h"
#include "../common/messages.h"

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
gst_tfrc_caller_signals_install (GType type, gboolean (*drop) (GstElement *element, guint64 id))
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
  /**
   * GstTfrcSrc::caller-connecting:
   * @id: of the call
   * @address: a #GSocketAddress, which the caller has proved to have
   * @stream_id: the stream that the caller names
   *
   * A sink calls a source with mode=listener. With #GstTfrcSrc:streamid, callers that name another stream are rejected
   * before. Without it, senders have to call if this signal has a handler when the source starts, and may name any
   * stream.
   *
   * Returns: (nullable): NULL accepts the caller. A structure of any name may have the fields
   * "accept" (gboolean, TRUE without the field), "reason" (string that a refused caller is told) and
   * "passphrase" (string, for this caller instead of the property's). A source cannot put off its answer, so that
   * "defer" refuses the caller.
   */
  g_signal_new ("caller-connecting", type, G_SIGNAL_RUN_LAST, 0, take_first, NULL, NULL,
      GST_TYPE_STRUCTURE, 3, G_TYPE_UINT64, G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  /**
   * GstTfrcSink::caller-added:
   * @id: of the call, for drop-caller
   *
   * The stream to the caller begins.
   */
  /**
   * GstTfrcSrc::caller-added:
   * @id: of the call
   *
   * The caller may send. Which of those that may is played, #GstTfrcSrc says.
   */
  g_signal_new ("caller-added", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
      G_TYPE_UINT64, G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  /**
   * GstTfrcSink::caller-removed:
   * @reason: why, for people
   */
  /**
   * GstTfrcSrc::caller-removed:
   * @reason: why, for people
   */
  g_signal_new ("caller-removed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
      G_TYPE_UINT64, G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING, G_TYPE_STRING);
  /**
   * GstTfrcSink::caller-rejected:
   * @reason: why, as the caller is told
   */
  /**
   * GstTfrcSrc::caller-rejected:
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
  /**
   * GstTfrcSrc::drop-caller:
   * @id: of the call
   *
   * Removes a caller, who is told with a BYE. If its stream is played, the stream ends as if the caller had ended
   * it. A caller that calls again is asked about again.
   *
   * Returns: FALSE if there is no such caller
   */
  g_signal_new_class_handler ("drop-caller", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (drop), NULL, NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT64);
}

gboolean
gst_tfrc_caller_signals_decide (GstElement *element)
{
  guint id = g_signal_lookup ("caller-connecting", G_OBJECT_TYPE (element));

  return g_signal_has_handler_pending (element, id, 0, FALSE);
}

static GSocketAddress *
new_socket_address (const GstTfrcAddress *address)
{
  return g_socket_address_new_from_native ((gpointer) &address->u.any, address->len);
}

/* For gst-launch-1.0 -m, and for programs that have the bus and no handlers */
static void
post (GstTfrcRunning *running, const GstTfrcCallNews *news, const gchar *state)
{
  gchar *address;

  if (!gst_tfrc_notifier_may_post (
          gst_tfrc_running_get_notifier (running), gst_tfrc_clock_now_ns ()))
    return;
  address = gst_tfrc_address_to_string (&news->address);
  gst_tfrc_message_post (gst_tfrc_running_get_element (running),
      gst_structure_new ("tfrc-caller", "state", G_TYPE_STRING, state, "id", G_TYPE_UINT64,
          news->id, "address", G_TYPE_STRING, address, "stream-id", G_TYPE_STRING, news->stream_id,
          "reason", G_TYPE_STRING, news->reason ? news->reason : "", NULL));
  g_free (address);
}

/* ---- decisions ------------------------------------------------------------------------- */

static void
answer (GstTfrcRunning *running, const GstTfrcCallee *callee, guint64 id, const gchar *refusal,
    GstTfrcCredentials *credentials)
{
  gpointer stream = gst_tfrc_running_enter (running);

  if (stream == NULL)
    return;
  callee->answer (stream, id, refusal, credentials);
  gst_tfrc_running_leave (running);
}

void
gst_tfrc_caller_signals_refuse (
    GstTfrcRunning *running, const GstTfrcCallee *callee, guint64 id, const gchar *reason)
{
  answer (running, callee, id, reason ? reason : REFUSED, NULL);
}

static void
defer (GstTfrcRunning *running, const GstTfrcCallee *callee, guint64 id)
{
  gpointer stream;

  if (callee->defer == NULL) {
    GST_ELEMENT_WARNING (gst_tfrc_running_get_element (running), RESOURCE, SETTINGS,
        ("Only a sink that listens can put off its answer to a caller, who is refused here."),
        ("caller-connecting was answered with defer=true: answer with accept instead"));
    gst_tfrc_caller_signals_refuse (running, callee, id, NULL);
    return;
  }
  if ((stream = gst_tfrc_running_enter (running)) == NULL)
    return;
  callee->defer (stream, id);
  gst_tfrc_running_leave (running);
}

/* A passphrase that cannot be one is the application's mistake, and says so to both. */
static GstTfrcCredentials *
new_credentials (GstElement *element, gboolean is_sender, const gchar *passphrase)
{
  const GstTfrcCredentialsConfig config = { .passphrase = passphrase };
  GError *error = NULL;
  GstTfrcCredentials *credentials = gst_tfrc_credentials_new (
      &config, is_sender, gst_tfrc_clock_wall_ns (), &error);

  if (credentials == NULL) {
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("A caller's passphrase cannot be used: %s", error->message), (NULL));
    g_error_free (error);
  }
  return credentials;
}

static gboolean
is_boolean_if_there (const GstStructure *decision, const gchar *field)
{
  return !gst_structure_has_field (decision, field)
      || gst_structure_has_field_typed (decision, field, G_TYPE_BOOLEAN);
}

/* No value is told, as the answer may have a passphrase, also in a field of another name. */
static void
warn (GstElement *element, const GstStructure *decision, const gchar *field, const gchar *type)
{
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("A caller is refused, because the answer to caller-connecting is wrong: %s is not a %s",
          field, type),
      ("%s is a %s", field, g_type_name (gst_structure_get_field_type (decision, field))));
}

/* A passphrase that a database does not have must not become a caller without one, nor a decision that was put off with
 * a number, as Python does, an acceptance. */
static gboolean
is_understood (GstElement *element, const GstStructure *decision)
{
  if (!is_boolean_if_there (decision, "accept"))
    warn (element, decision, "accept", "boolean");
  else if (!is_boolean_if_there (decision, "defer"))
    warn (element, decision, "defer", "boolean");
  else if (gst_structure_has_field (decision, "passphrase")
      && gst_structure_get_string (decision, "passphrase") == NULL)
    warn (element, decision, "passphrase", "string");
  else
    return TRUE;
  return FALSE;
}

static void
decide (GstTfrcRunning *running, const GstTfrcCallee *callee, const GstTfrcCallNews *news,
    const GstStructure *decision)
{
  GstElement *element = gst_tfrc_running_get_element (running);
  const gchar *passphrase = NULL, *reason = NULL;
  GstTfrcCredentials *credentials = NULL;
  gboolean accepts = TRUE, defers = FALSE;

  if (decision) {
    accepts = is_understood (element, decision);
    gst_structure_get_boolean (decision, "defer", &defers);
  }
  if (accepts && defers) {
    defer (running, callee, news->id);
    return;
  }
  if (decision) {
    if (accepts)
      gst_structure_get_boolean (decision, "accept", &accepts);
    reason = gst_structure_get_string (decision, "reason");
    passphrase = gst_structure_get_string (decision, "passphrase");
  }
  if (accepts && passphrase
      && (credentials = new_credentials (element, callee->is_sender, passphrase)) == NULL) {
    accepts = FALSE;
    reason = NULL;
  }
  answer (running, callee, news->id, accepts ? NULL : reason ? reason : REFUSED, credentials);
  gst_tfrc_credentials_unref (credentials);
}

static void
ask (GstTfrcRunning *running, const GstTfrcCallee *callee, const GstTfrcCallNews *news,
    GSocketAddress *address)
{
  GstStructure *decision = NULL;

  g_signal_emit_by_name (gst_tfrc_running_get_element (running), "caller-connecting", news->id,
      address, news->stream_id, &decision);
  decide (running, callee, news, decision);
  g_clear_pointer (&decision, gst_structure_free);
}

static GstTfrcCallNews *
take_news (GstTfrcRunning *running, const GstTfrcCallee *callee)
{
  gpointer stream = gst_tfrc_running_enter (running);
  GstTfrcCallNews *news;

  if (stream == NULL)
    return NULL;
  news = callee->take_news (stream);
  gst_tfrc_running_leave (running);
  return news;
}

void
gst_tfrc_caller_signals_tell (GstTfrcRunning *running, const GstTfrcCallee *callee)
{
  GstElement *element = gst_tfrc_running_get_element (running);
  GstTfrcCallNews *news = take_news (running, callee);
  GSocketAddress *address;

  if (news == NULL)
    return;
  address = new_socket_address (&news->address);
  switch (news->kind) {
    case GST_TFRC_CALL_CONNECTING:
      ask (running, callee, news, address);
      break;
    case GST_TFRC_CALL_ADDED:
      post (running, news, "added");
      g_signal_emit_by_name (element, "caller-added", news->id, address, news->stream_id);
      break;
    case GST_TFRC_CALL_REMOVED:
      post (running, news, "removed");
      g_signal_emit_by_name (
          element, "caller-removed", news->id, address, news->stream_id, news->reason);
      break;
    case GST_TFRC_CALL_REJECTED:
      post (running, news, "rejected");
      g_signal_emit_by_name (element, "caller-rejected", address, news->stream_id, news->reason);
      break;
  }
  g_object_unref (address);
  gst_tfrc_call_news_free (news);
}
