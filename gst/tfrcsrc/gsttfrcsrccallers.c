/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsrc that listens, see gsttfrcsrccallers.h. */
#include "gsttfrcsrccallers.h"

#include "../stream/callersignals.h"

static GstTfrcCallNews *
take_news (gpointer stream)
{
  return gst_tfrc_src_stream_take_call_news (stream);
}

static void
answer (gpointer stream, guint64 id, const gchar *refusal, GstTfrcCredentials *credentials)
{
  gst_tfrc_src_stream_answer_caller (stream, id, refusal, credentials);
}

static const GstTfrcCallee callee = { FALSE, take_news, answer, NULL };

void
gst_tfrc_src_callers_tell (GstTfrcRunning *running)
{
  gst_tfrc_caller_signals_tell (running, &callee);
}

gboolean
gst_tfrc_src_callers_drop (GstTfrcRunning *running, guint64 id)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (running);
  gboolean is_there;

  if (stream == NULL)
    return FALSE;
  is_there = gst_tfrc_src_stream_drop_caller (stream, id);
  gst_tfrc_running_leave (running);
  return is_there;
}

static void
add_caller (gpointer array, const GstTfrcDoorSender *caller)
{
  gchar *address = gst_tfrc_address_to_string (caller->address);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("caller", "caller-id", G_TYPE_UINT64, caller->id, "stream-id",
          G_TYPE_STRING, caller->stream_id, "sender", G_TYPE_STRING, address, "is-played",
          G_TYPE_BOOLEAN, caller->is_played, NULL));
  gst_value_array_append_and_take_value (array, &value);
  g_free (address);
}

void
gst_tfrc_src_callers_add_stats (GstTfrcRunning *running, GstStructure *s)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (running);
  GValue callers = G_VALUE_INIT;
  GstTfrcCallersStats stats;
  gboolean is_called;

  if (stream == NULL)
    return;
  gst_value_array_init (&callers, 0);
  is_called = gst_tfrc_src_stream_foreach_caller (stream, &stats, add_caller, &callers);
  gst_tfrc_running_leave (running);
  if (!is_called) {
    g_value_unset (&callers);
    return;
  }
  gst_structure_set (s, "callers-accepted", G_TYPE_UINT, stats.accepted, "callers-waiting",
      G_TYPE_UINT, stats.waiting, "callers-rejected", G_TYPE_UINT64, stats.refused,
      "calls-received", G_TYPE_UINT64, stats.calls, NULL);
  gst_structure_take_value (s, "callers", &callers);
}
