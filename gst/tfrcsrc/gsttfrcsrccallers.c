/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a tfrcsrc that listens, see gsttfrcsrccallers.h. */
#include "gsttfrcsrccallers.h"

#include "../common/clock.h"
#include "../stream/callersignals.h"

static GstTfrcCallNews *
take_news (gpointer stream)
{
  GstTfrcDoor *door = gst_tfrc_src_stream_get_door (stream);
  GstTfrcPort *port = gst_tfrc_src_stream_get_port (stream);
  GstTfrcCallNews *news;

  gst_tfrc_port_lock (port);
  news = door ? gst_tfrc_door_take_news (door) : NULL;
  gst_tfrc_port_unlock (port);
  return news;
}

static void
answer (gpointer stream, guint64 id, const gchar *refusal, GstTfrcCredentials *credentials)
{
  GstTfrcDoor *door = gst_tfrc_src_stream_get_door (stream);
  GstTfrcPort *port = gst_tfrc_src_stream_get_port (stream);

  gst_tfrc_port_lock (port);
  if (door)
    gst_tfrc_door_answer (door, id, refusal, credentials, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (port);
}

static const GstTfrcCallee callee = { FALSE, take_news, answer, NULL };

void
gst_tfrc_src_callers_tell (GstTfrcRunning *running)
{
  gst_tfrc_caller_signals_tell (running, &callee);
}

static gboolean
drop (GstTfrcSrcStream *stream, guint64 id)
{
  GstTfrcDoor *door = gst_tfrc_src_stream_get_door (stream);
  GstTfrcPort *port = gst_tfrc_src_stream_get_port (stream);
  gboolean is_there;

  gst_tfrc_port_lock (port);
  is_there = door && gst_tfrc_door_drop (door, id, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (port);
  return is_there;
}

gboolean
gst_tfrc_src_callers_drop (GstTfrcRunning *running, guint64 id)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (running);
  gboolean is_there;

  if (stream == NULL)
    return FALSE;
  is_there = drop (stream, id);
  gst_tfrc_running_leave (running);
  return is_there;
}

static void
add_caller (GValue *array, const GstTfrcDoorSender *caller)
{
  gchar *address = gst_tfrc_address_to_string (&caller->address);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("caller", "caller-id", G_TYPE_UINT64, caller->id, "stream-id",
          G_TYPE_STRING, caller->stream_id, "sender", G_TYPE_STRING, address, "is-played",
          G_TYPE_BOOLEAN, caller->is_played, NULL));
  gst_value_array_append_and_take_value (array, &value);
  g_free (address);
}

/* The lock is not held while the kernel is asked for the name of a link-local address's interface. */
static void
add_stats (GstTfrcSrcStream *stream, GstStructure *s)
{
  GstTfrcDoor *door = gst_tfrc_src_stream_get_door (stream);
  GstTfrcPort *port = gst_tfrc_src_stream_get_port (stream);
  GValue callers = G_VALUE_INIT;
  GstTfrcCallersStats stats;
  GArray *senders;

  gst_tfrc_port_lock (port);
  gst_tfrc_door_get_stats (door, &stats);
  senders = gst_tfrc_door_list_senders (door);
  gst_tfrc_port_unlock (port);
  gst_value_array_init (&callers, 0);
  for (guint i = 0; i < senders->len; i++)
    add_caller (&callers, &g_array_index (senders, GstTfrcDoorSender, i));
  g_array_unref (senders);
  gst_structure_set (s, "callers-accepted", G_TYPE_UINT, stats.accepted, "callers-waiting",
      G_TYPE_UINT, stats.waiting, "callers-rejected", G_TYPE_UINT64, stats.refused,
      "calls-received", G_TYPE_UINT64, stats.calls, NULL);
  gst_structure_take_value (s, "callers", &callers);
}

void
gst_tfrc_src_callers_add_stats (GstTfrcRunning *running, GstStructure *s)
{
  GstTfrcSrcStream *stream = gst_tfrc_running_enter (running);

  if (stream == NULL)
    return;
  if (gst_tfrc_src_stream_get_door (stream))
    add_stats (stream, s);
  gst_tfrc_running_leave (running);
}
