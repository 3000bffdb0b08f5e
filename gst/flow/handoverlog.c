/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of handovers, see handoverlog.h. */
#include "handoverlog.h"

#include <string.h>

void
gst_tfrc_handover_log_init (GstTfrcHandoverLog *log, GstTfrcEvents *events)
{
  memset (log, 0, sizeof *log);
  log->events = events;
  gst_tfrc_token_bucket_init (
      &log->bucket, GST_TFRC_HANDOVER_EVENT_PER_SECOND, GST_TFRC_HANDOVER_EVENT_BURST);
}

static void
take_out (GstTfrcHandoverLog *log, guint i)
{
  log->n_held--;
  memmove (&log->held[i], &log->held[i + 1], (log->n_held - i) * sizeof log->held[0]);
}

static void
release_held (GstTfrcHandoverLog *log, guint64 now_ns)
{
  while (log->n_held > 0 && gst_tfrc_token_bucket_take (&log->bucket, now_ns)) {
    gst_tfrc_events_add (log->events, &log->held[0]);
    take_out (log, 0);
  }
}

static void
add_event (GstTfrcHandoverLog *log, const GstTfrcHandoverEvent *event, guint64 now_ns)
{
  guint i = 0;

  while (i < log->n_held && log->held[i].of.handover.kind != event->kind)
    i++;
  if (i < log->n_held) {
    take_out (log, i);
    gst_tfrc_events_count_dropped (log->events);
  }
  log->held[log->n_held++] = (GstTfrcEvent){ GST_TFRC_EVENT_HANDOVER, { .handover = *event } };
  release_held (log, now_ns);
}

static void
add_step (
    GstTfrcHandoverLog *log, GstTfrcHandoverEventKind kind, TfrcHandoverPhase phase, guint64 now_ns)
{
  add_event (log, &(GstTfrcHandoverEvent){ .kind = kind, .phase = phase }, now_ns);
}

static void
add_end (
    GstTfrcHandoverLog *log, const GstTfrcHandoverView *after, gboolean completed, guint64 now_ns)
{
  const GstTfrcHandoverEvent event = { .kind = GST_TFRC_HANDOVER_EVENT_COMPLETED,
    .phase = TFRC_HANDOVER_NORMAL,
    .duration_ns = now_ns - log->started_ns,
    .before = log->before,
    .after = *after,
    .completed = completed };

  add_event (log, &event, now_ns);
}

void
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
  if (started || (is_under_way && !was_under_way)) {
    log->before = last;
    log->started_ns = now_ns;
  }
  if (started)
    add_step (log, GST_TFRC_HANDOVER_EVENT_STARTED, view->phase, now_ns);
  if (view->phase != last.phase || (started && is_under_way))
    add_step (log, GST_TFRC_HANDOVER_EVENT_PHASE, view->phase, now_ns);
  if ((started || was_under_way) && !is_under_way)
    add_end (log, view, view->completed != last.completed, now_ns);
  release_held (log, now_ns);
}

const GstTfrcHandoverView *
gst_tfrc_handover_log_get_last (const GstTfrcHandoverLog *log)
{
  return &log->last;
}
