/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts display order to coding order, or back, and finds the frame rate.
 *
 * A B frame refers to the I or P frame that is displayed after it, so it is coded after that
 * frame.  All other frames keep their order. */
#include "traceorder.h"

#include <stdlib.h>
#include <string.h>

/* The largest max_num_reorder_frames of H.264 (E.2.1, A.3.1) */
#define MAX_REORDER_FRAMES 16u

static gboolean
times_always_grow (const Trace *trace)
{
  guint i;

  for (i = 1; i < trace->n_frames; i++)
    if (trace->frames[i].time_ns <= trace->frames[i - 1].time_ns)
      return FALSE;
  return TRUE;
}

static void
complain_of_times (const Trace *trace, GError **error)
{
  guint i;

  for (i = 1; i < trace->n_frames; i++) {
    const TraceFrame *frame = &trace->frames[i];

    if (frame->time_ns <= frame[-1].time_ns) {
      trace_fail (trace->name, frame->line, error,
          "time %g ms is not after the %g ms of the frame before"
          " (is the trace in coding order?)",
          frame->time_ns / 1e6, frame[-1].time_ns / 1e6);
      return;
    }
  }
}

/* Display order to coding order: a B frame moves behind the next I or P frame. */
static void
code_b_frames_later (Trace *trace)
{
  TraceFrame *coded = g_new (TraceFrame, trace->n_frames);
  guint n = 0, waiting = 0, i;

  for (i = 0; i < trace->n_frames; i++) {
    const TraceFrame *frame = &trace->frames[i];

    trace->frames[i].display = i;
    if (frame->type == FRAME_TYPE_B) {
      waiting++;
      continue;
    }
    coded[n++] = *frame;
    memcpy (coded + n, frame - waiting, waiting * sizeof *coded);
    n += waiting;
    waiting = 0;
  }
  memcpy (coded + n, trace->frames + i - waiting, waiting * sizeof *coded);
  g_free (trace->frames);
  trace->frames = coded;
}

/* Coding order, with times that do not show the display order.  A B frame is displayed before
 * the I or P frame that it follows.  But the display begins with the first frame of the stream,
 * so B frames after that frame are displayed after it. */
static void
display_b_frames_earlier (Trace *trace)
{
  guint display, i, k;

  for (i = 0; i < trace->n_frames && (i == 0 || trace->frames[i].type == FRAME_TYPE_B); i++)
    trace->frames[i].display = i;
  for (display = i; i < trace->n_frames; i = k) {
    for (k = i + 1; k < trace->n_frames && trace->frames[k].type == FRAME_TYPE_B; k++)
      trace->frames[k].display = display++;
    trace->frames[i].display = display++;
  }
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  const TraceFrame *x = *(TraceFrame *const *) a;
  const TraceFrame *y = *(TraceFrame *const *) b;

  return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Coding order, with the times of display */
static void
display_by_time (Trace *trace, TraceFrame **by_time)
{
  guint i;

  for (i = 0; i < trace->n_frames; i++)
    by_time[i]->display = i;
}

static gboolean
fail_if_times_repeat (const Trace *trace, TraceFrame **by_time, GError **error)
{
  guint i;

  for (i = 1; i < trace->n_frames; i++) {
    const TraceFrame *a = by_time[i - 1], *b = by_time[i];

    if (a->time_ns == b->time_ns)
      return trace_fail (trace->name, MAX (a->line, b->line), error,
          "time %g ms stands at line %u already", a->time_ns / 1e6, MIN (a->line, b->line));
  }
  return TRUE;
}

static TraceFrame **
sort_by_time (Trace *trace)
{
  TraceFrame **by_time = g_new (TraceFrame *, trace->n_frames);
  guint i;

  for (i = 0; i < trace->n_frames; i++)
    by_time[i] = &trace->frames[i];
  qsort (by_time, trace->n_frames, sizeof *by_time, compare_times);
  return by_time;
}

/* Sets the interval to the mean one.  The time of a frame shows whether a frame is missing or
 * surplus. */
static gboolean
interval_from_times (Trace *trace, TraceFrame **by_time, GError **error)
{
  guint64 first_ns = by_time[0]->time_ns;
  guint i;

  trace->interval_den = trace->n_frames - 1;
  trace->interval_num_ns = by_time[trace->n_frames - 1]->time_ns - first_ns;
  for (i = 1; i < trace->n_frames; i++) {
    guint64 expected_ns = first_ns + trace_interval_start_ns (trace, i);
    gint64 early_ns = expected_ns - by_time[i]->time_ns;

    if (ABS (early_ns) * 2 > (gint64) trace_interval_start_ns (trace, 1))
      return trace_fail (trace->name, by_time[i]->line, error,
          "time %g ms, but at the mean rate of %.3f frames/s it is %g ms",
          by_time[i]->time_ns / 1e6, 1e9 * trace->interval_den / trace->interval_num_ns,
          expected_ns / 1e6);
  }
  return TRUE;
}

/* Sets the number of intervals by which display lags behind decoding. */
static gboolean
set_reorder_delay (Trace *trace, GError **error)
{
  guint i;

  for (i = 0; i < trace->n_frames; i++) {
    guint display = trace->frames[i].display;

    if (i > display + MAX_REORDER_FRAMES)
      return trace_fail (trace->name, trace->frames[i].line, error,
          "this frame is coded %u places after its place in the display;"
          " a decoder can wait for %u",
          i - display, MAX_REORDER_FRAMES);
    trace->reorder_delay = MAX (trace->reorder_delay, i - MIN (i, display));
  }
  return TRUE;
}

static gboolean
set_interval (
    Trace *trace, TraceFrame **by_time, gboolean timed, const TraceOptions *options, GError **error)
{
  if (options->fps_num > 0) {
    trace->interval_num_ns = G_GUINT64_CONSTANT (1000000000) * options->fps_den;
    trace->interval_den = options->fps_num;
    return TRUE;
  }
  if (!timed || trace->n_frames < 2)
    return trace_fail (trace->name, 0, error, "has no times: the frame rate must be given (--fps)");
  return interval_from_times (trace, by_time, error);
}

gboolean
trace_arrange (Trace *trace, gboolean timed, const TraceOptions *options, GError **error)
{
  gboolean grow = !timed || times_always_grow (trace);
  TraceFrame **by_time = sort_by_time (trace);
  gboolean ok = FALSE;

  if (!grow && options->order == TRACE_ORDER_DISPLAY) {
    complain_of_times (trace, error);
  } else if ((grow || fail_if_times_repeat (trace, by_time, error))
      && set_interval (trace, by_time, timed, options, error)) {
    if (!grow)
      display_by_time (trace, by_time);
    else if (options->order == TRACE_ORDER_CODING)
      display_b_frames_earlier (trace);
    else
      code_b_frames_later (trace);
    ok = set_reorder_delay (trace, error);
  }
  g_free (by_time);
  return ok;
}
