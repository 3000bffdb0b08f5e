/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of handovers, see handoverlog.h. */
#include "handoverlog.h"

/* Events that wait to be taken at most. Beyond this number the oldest is dropped. */
#define MAX_EVENTS 64

static gint
compare_kind (gconstpointer event, gconstpointer kind)
{
  return ((const GstTfrcHandoverEvent *) event)->kind != *(const GstTfrcHandoverEventKind *) kind;
}

static void
drop (GstTfrcHandoverLog *log, GQueue *queue, GList *link)
{
  if (link == NULL)
    return;
  g_free (link->data);
  g_queue_delete_link (queue, link);
  log->dropped++;
}

static void
release_held (GstTfrcHandoverLog *log, guint64 now_ns)
{
  if (log->bucket.interval_ns == 0)
    gst_tfrc_token_bucket_init (
        &log->bucket, GST_TFRC_HANDOVER_EVENT_PER_SECOND, GST_TFRC_HANDOVER_EVENT_BURST);
  while (!g_queue_is_empty (&log->held) && gst_tfrc_token_bucket_take (&log->bucket, now_ns)) {
    if (g_queue_get_length (&log->events) == MAX_EVENTS)
      drop (log, &log->events, log->events.head);
    g_queue_push_tail (&log->events, g_queue_pop_head (&log->held));
  }
}

static GstTfrcHandoverEvent *
add_event (
    GstTfrcHandoverLog *log, GstTfrcHandoverEventKind kind, TfrcHandoverPhase phase, guint64 now_ns)
{
  GstTfrcHandoverEvent *event = g_new0 (GstTfrcHandoverEvent, 1);

  drop (log, &log->held, g_queue_find_custom (&log->held, &kind, compare_kind));
  event->kind = kind;
  event->phase = phase;
  g_queue_push_tail (&log->held, event);
  release_held (log, now_ns);
  return event;
}

static void
add_end (
    GstTfrcHandoverLog *log, const GstTfrcHandoverView *after, gboolean completed, guint64 now_ns)
{
  GstTfrcHandoverEvent *event = add_event (
      log, GST_TFRC_HANDOVER_EVENT_COMPLETED, TFRC_HANDOVER_NORMAL, now_ns);

  event->duration_ns = now_ns - log->started_ns;
  event->before = log->before;
  event->after = *after;
  event->completed = completed;
}

gboolean
gst_tfrc_handover_log_update (
    GstTfrcHandoverLog *log, const GstTfrcHandoverView *view, guint64 now_ns)
{
  const GstTfrcHandoverView last = log->last;
  gboolean started = view->handovers != last.handovers;
  gboolean was_under_way = last.phase != TFRC_HANDOVER_NORMAL;
  gboolean is_under_way = view->phase != TFRC_HANDOVER_NORMAL;

  log->last = *view;
  if (started && was_under_way)
    add_end (log, view, FALSE, now_ns);
  if (started) {
    log->before = last;
    log->started_ns = now_ns;
    add_event (log, GST_TFRC_HANDOVER_EVENT_STARTED, view->phase, now_ns);
  }
  if (view->phase != last.phase || (started && is_under_way))
    add_event (log, GST_TFRC_HANDOVER_EVENT_PHASE, view->phase, now_ns);
  if ((started || was_under_way) && !is_under_way)
    add_end (log, view, view->completed != last.completed, now_ns);
  release_held (log, now_ns);
  return gst_tfrc_handover_log_has_event (log);
}

const GstTfrcHandoverView *
gst_tfrc_handover_log_get_last (const GstTfrcHandoverLog *log)
{
  return &log->last;
}

gboolean
gst_tfrc_handover_log_has_event (const GstTfrcHandoverLog *log)
{
  return log->events.length > 0;
}

GstTfrcHandoverEvent *
gst_tfrc_handover_log_take (GstTfrcHandoverLog *log)
{
  return g_queue_pop_head (&log->events);
}

guint64
gst_tfrc_handover_log_get_dropped (const GstTfrcHandoverLog *log)
{
  return log->dropped;
}

void
gst_tfrc_handover_log_clear (GstTfrcHandoverLog *log)
{
  g_queue_clear_full (&log->held, g_free);
  g_queue_clear_full (&log->events, g_free);
}
