/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The due times of buffers, see duetime.h. */
#include "duetime.h"

#include "../common/log.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* ---- the arithmetic ------------------------------------------------------ */

/* As gst_base_sink_adjust_time() has it */
GstClockTime
gst_tfrc_sync_running_time (const GstTfrcSyncTimes *times)
{
  GstClockTime time = times->running_time + times->latency;

  if (times->ts_offset < 0)
    time -= MIN (time, (GstClockTime) -times->ts_offset);
  else
    time += times->ts_offset;
  return time - MIN (time, times->render_delay);
}

GstClockTime
gst_tfrc_sync_time_ns (const GstTfrcSyncTimes *times)
{
  return times->base_time + gst_tfrc_sync_running_time (times);
}

guint64
gst_tfrc_due_time_ns (guint64 late_ns, guint64 now_ns, GstTfrcLateness *lateness)
{
  lateness->own_ns = lateness->blocked_ns > 0 ? MIN (lateness->own_ns, late_ns) : late_ns;
  lateness->blocked_ns = MIN (lateness->blocked_ns, late_ns - lateness->own_ns);
  return now_ns - MIN (lateness->blocked_ns, now_ns);
}

/* A seek can lead back. */
gboolean
gst_tfrc_portion_needs_turn (GstTfrcPortion *portion, guint64 due_ns, gboolean is_hurried)
{
  gboolean is_over = due_ns < portion->begin_ns
      || due_ns >= portion->begin_ns + GST_TFRC_PORTION_NS;
  gboolean needs_turn = is_hurried && (is_over || !portion->has_turn);

  if (needs_turn)
    *portion = (GstTfrcPortion){ TRUE, due_ns };
  return needs_turn;
}

/* ---- a sink's buffers ---------------------------------------------------- */

void
gst_tfrc_due_times_init (GstTfrcDueTimes *self, GstBaseSink *sink, GstTfrcSinkStream *stream)
{
  *self = (GstTfrcDueTimes){ .sink = sink, .stream = stream, .end_ns = GST_CLOCK_TIME_NONE };
}

/* Keeps the turn at the turnstile, which ends when the thread sleeps, and what other threads read. */
void
gst_tfrc_due_times_flush (GstTfrcDueTimes *self)
{
  self->clock_offset = (GstTfrcClockOffset){ 0 };
  self->timeline_ns = 0;
  self->end_ns = GST_CLOCK_TIME_NONE;
  self->lateness = (GstTfrcLateness){ 0 };
  self->knows_live = FALSE;
  self->is_live = FALSE;
}

void
gst_tfrc_due_times_forget_live (GstTfrcDueTimes *self)
{
  self->knows_live = FALSE;
}

static void
get_timestamps (GstBaseSink *sink, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  GstBaseSinkClass *parent_class = g_type_class_peek_parent (GST_BASE_SINK_GET_CLASS (sink));

  *start = *stop = GST_CLOCK_TIME_NONE;
  parent_class->get_times (sink, buffer, start, stop);
}

/* Sets the running times at which the buffer begins and ends. Both are GST_CLOCK_TIME_NONE if the
 * buffer has no time, or is outside of the segment. */
static void
get_running_times (GstBaseSink *sink, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  const GstSegment *segment = &sink->segment;
  GstClockTime first, last;

  get_timestamps (sink, buffer, &first, &last);
  *start = *stop = GST_CLOCK_TIME_NONE;
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (first)
      || !gst_segment_clip (segment, GST_FORMAT_TIME, first, last, &first, &last))
    return;
  *start = gst_segment_to_running_time (segment, GST_FORMAT_TIME, first);
  *stop = gst_segment_to_running_time (segment, GST_FORMAT_TIME, last);
  /* Reverse playback begins at the end of a buffer. */
  if (segment->rate < 0 && GST_CLOCK_TIME_IS_VALID (*stop)) {
    first = *start;
    *start = *stop;
    *stop = first;
  }
}

/* GstBaseSink measures lateness for QoS events, drops late buffers, and limits the rate while it
 * waits for the clock. So GstBaseSink waits if the application asks for any of these. */
static gboolean
base_sink_waits (GstBaseSink *sink)
{
  return gst_base_sink_is_qos_enabled (sink) || gst_base_sink_get_max_lateness (sink) >= 0
      || gst_base_sink_get_max_bitrate (sink) > 0;
}

/* A source gives the first buffer of a file the time 0, too, which says nothing in a segment of bytes. Later
 * times in such a segment are those of an element behind the source, such as identity with its datarate. */
static gboolean
is_time (const GstBaseSink *sink, GstClockTime start)
{
  return GST_CLOCK_TIME_IS_VALID (start) && (sink->segment.format == GST_FORMAT_TIME || start > 0);
}

/* GstBaseSink drops buffers that are outside of the segment, for which it needs their times, and waits for
 * the times of a segment of bytes. */
void
gst_tfrc_due_times_get_sync (
    GstBaseSink *sink, GstBuffer *buffer, GstClockTime *start, GstClockTime *stop)
{
  GstClockTime running_start, running_stop;

  get_timestamps (sink, buffer, start, stop);
  get_running_times (sink, buffer, &running_start, &running_stop);
  if (!is_time (sink, *start)
      || (GST_CLOCK_TIME_IS_VALID (running_start) && !base_sink_waits (sink)))
    *start = *stop = GST_CLOCK_TIME_NONE;
}

static void
get_sync_times (GstBaseSink *sink, GstClockTime running_time, GstTfrcSyncTimes *times)
{
  times->running_time = running_time;
  times->base_time = gst_element_get_base_time (GST_ELEMENT (sink));
  times->latency = gst_base_sink_get_latency (sink);
  times->ts_offset = gst_base_sink_get_ts_offset (sink);
  times->render_delay = gst_base_sink_get_render_delay (sink);
}

static void
tell_whether_timed (GstTfrcDueTimes *self, gboolean is_untimed)
{
  if (is_untimed == self->is_untimed)
    return;
  self->is_untimed = is_untimed;
  gst_tfrc_sink_stream_set_timed (self->stream, !is_untimed);
}

/* When a buffer with this running time is due on the monotonic clock. The stream is told where the
 * pipeline's time is now.
 *
 * Without "sync" a buffer is due when it comes. Live input goes on while the sink makes the pipeline
 * wait, and its time stamps then tell how late it is. */
static guint64
get_due_time_ns (GstTfrcDueTimes *self, GstClockTime running_time, guint64 *now_ns)
{
  gboolean sync = gst_base_sink_get_sync (self->sink);
  gboolean has_time = GST_CLOCK_TIME_IS_VALID (running_time) && (sync || self->is_live)
      && gst_tfrc_clock_offset_read (&self->clock_offset, GST_ELEMENT (self->sink));
  GstTfrcSyncTimes times;
  gint64 due_ns, timeline_ns;

  tell_whether_timed (self, !has_time && !self->is_live);
  *now_ns = gst_tfrc_clock_now_ns ();
  if (!has_time)
    return *now_ns;
  get_sync_times (self->sink, running_time, &times);
  timeline_ns = (gint64) times.base_time + self->clock_offset.offset_ns;
  if (timeline_ns != self->timeline_ns)
    gst_tfrc_sink_stream_set_timeline (self->stream, timeline_ns);
  self->timeline_ns = timeline_ns;
  due_ns = (gint64) gst_tfrc_sync_time_ns (&times) + self->clock_offset.offset_ns;
  due_ns = MAX (0, due_ns);
  return sync ? (guint64) due_ns : MIN ((guint64) due_ns, *now_ns);
}

/* Live input comes early by the latency of the pipeline, and must not wait. */
static guint64
lengthen_lookahead_ns (const GstTfrcDueTimes *self, guint64 lookahead_ns)
{
  if (self->is_live && lookahead_ns > 0)
    lookahead_ns += gst_base_sink_get_latency (self->sink);
  return lookahead_ns;
}

/* Waits until @early_ns before a buffer with this running time is due. A pause interrupts the wait.
 * The buffer is the preroll buffer of the pause then. */
static GstFlowReturn
wait_for_clock (GstBaseSink *sink, GstBuffer *buffer, GstClockTime running_time, guint64 early_ns)
{
  GstClockReturn status;

  do {
    GstFlowReturn flow = gst_base_sink_do_preroll (sink, GST_MINI_OBJECT_CAST (buffer));
    GstTfrcSyncTimes times;
    GstClockTime time;

    if (flow != GST_FLOW_OK)
      return flow;
    get_sync_times (sink, running_time, &times);
    time = gst_tfrc_sync_running_time (&times);
    status = gst_base_sink_wait_clock (sink, time - MIN (time, early_ns), NULL);
    if (sink->flushing)
      return GST_FLOW_FLUSHING;
  } while (status == GST_CLOCK_UNSCHEDULED);
  return GST_FLOW_OK;
}

/* The thread is going to sleep. */
static void
end_portion (GstTfrcDueTimes *self)
{
  const GstTfrcPortion none = { 0 };

  if (self->portion.has_turn)
    gst_tfrc_sink_stream_leave (self->stream);
  self->portion = none;
}

/* Lets other streams have their turns, without the preroll lock, which changes of the state take. Live
 * input must not wait.
 * @now_ns: set to the time after the wait */
static void
wait_for_portion (GstTfrcDueTimes *self, guint64 due_ns, guint64 *now_ns)
{
  gboolean is_hurried = *now_ns > due_ns + GST_TFRC_LATE_NS
      || gst_tfrc_sink_stream_is_crowded (self->stream);

  if (self->is_live || !gst_tfrc_portion_needs_turn (&self->portion, due_ns, is_hurried))
    return;
  GST_BASE_SINK_PREROLL_UNLOCK (self->sink);
  gst_tfrc_sink_stream_pass (self->stream);
  GST_BASE_SINK_PREROLL_LOCK (self->sink);
  *now_ns = gst_tfrc_clock_now_ns ();
}

/* The answer to the latency query says whether upstream is live. The answer is final once upstream
 * sends buffers. */
static void
find_out_whether_live (GstTfrcDueTimes *self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (GST_BASE_SINK_PAD (self->sink), query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  GST_DEBUG_OBJECT (self->sink, "input is %slive", live ? "" : "not ");
  gst_tfrc_sink_stream_set_live (self->stream, live);
  self->is_live = live;
  self->knows_live = TRUE;
}

/* Live input without times is due when it comes. */
gboolean
gst_tfrc_due_times_lacks_time (GstTfrcDueTimes *self, GstBuffer *buffer)
{
  GstClockTime start, stop;

  if (!self->knows_live)
    find_out_whether_live (self);
  get_timestamps (self->sink, buffer, &start, &stop);
  return !self->is_live && gst_base_sink_get_sync (self->sink) && !is_time (self->sink, start);
}

GstClockTime
gst_tfrc_due_times_get_running_time (const GstTfrcDueTimes *self)
{
  GstClockTime time = gst_element_get_current_running_time (GST_ELEMENT (self->sink));

  return GST_CLOCK_TIME_IS_VALID (time) ? time : 0;
}

/* A thread that has to wait sleeps for longer than necessary, so that the next buffers need not
 * wait. What runs ahead has to be there when it may leave. */
static GstFlowReturn
wait_for_turn (GstTfrcDueTimes *self, GstBuffer *buffer, GstClockTime start, guint64 lookahead_ns,
    guint64 *due_ns)
{
  guint64 now_ns, late_ns, ahead_ns;

  lookahead_ns = lengthen_lookahead_ns (self, lookahead_ns);
  ahead_ns = gst_tfrc_sink_stream_get_ahead_ns (self->stream);
  *due_ns = get_due_time_ns (self, start, &now_ns);
  if (*due_ns > now_ns + lookahead_ns + ahead_ns) {
    GstFlowReturn flow;

    end_portion (self);
    flow = wait_for_clock (self->sink, buffer, start, lookahead_ns / 2 + ahead_ns);
    if (flow != GST_FLOW_OK)
      return flow;
    *due_ns = get_due_time_ns (self, start, &now_ns);
  }
  wait_for_portion (self, *due_ns, &now_ns);
  late_ns = now_ns - MIN (now_ns, *due_ns);
  *due_ns = MAX (*due_ns, gst_tfrc_due_time_ns (late_ns, now_ns, &self->lateness));
  return GST_FLOW_OK;
}

GstFlowReturn
gst_tfrc_due_times_wait_for_turn (
    GstTfrcDueTimes *self, GstBuffer *buffer, guint64 lookahead_ns, guint64 *due_ns)
{
  GstClockTime start, stop;

  if (!self->knows_live)
    find_out_whether_live (self);
  get_running_times (self->sink, buffer, &start, &stop);
  self->end_ns = GST_CLOCK_TIME_IS_VALID (stop) ? stop : start;
  return wait_for_turn (self, buffer, start, lookahead_ns, due_ns);
}

GstFlowReturn
gst_tfrc_due_times_wait_for_time (GstTfrcDueTimes *self, GstBuffer *buffer,
    GstClockTime running_time, guint64 lookahead_ns, guint64 *due_ns)
{
  self->end_ns = running_time;
  return wait_for_turn (self, buffer, running_time, lookahead_ns, due_ns);
}

/* Returns the running time at which the wait for the end is over.
 * @begin: running time at which the wait has begun */
static GstClockTime
get_wait_end (GstTfrcDueTimes *self, GstClockTime begin)
{
  GstTfrcSinkLimits limits;
  GstTfrcSyncTimes times;

  GST_OBJECT_LOCK (self->sink);
  self->is_end_known = TRUE;
  GST_OBJECT_UNLOCK (self->sink);
  limits = gst_tfrc_sink_stream_get_limits (self->stream);
  get_sync_times (self->sink, self->end_ns, &times);
  return MIN (
      gst_tfrc_sync_running_time (&times), begin + limits.lookahead_ns + limits.drain_timeout_ns);
}

/* Says whether the thread may wait. @id: NULL after the wait */
static gboolean
set_end_id (GstTfrcDueTimes *self, GstClockID id)
{
  gboolean is_end_known;

  GST_OBJECT_LOCK (self->sink);
  is_end_known = self->is_end_known;
  self->end_id = id;
  GST_OBJECT_UNLOCK (self->sink);
  return is_end_known;
}

/* As gst_base_sink_wait_clock(), but gst_tfrc_due_times_review_end() ends the wait, too. GstBaseSink unschedules its
 * clock_id for a pause, a flush and a stop, with the preroll lock. A setter of a property must not take that lock, which
 * is held while a handler of messages runs. */
static GstClockReturn
wait_for_clock_or_review (GstTfrcDueTimes *self, GstClockTime running_time)
{
  GstBaseSink *sink = self->sink;
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (sink));
  GstClockReturn status = GST_CLOCK_UNSCHEDULED;
  GstClockID id;

  if (clock == NULL || !gst_base_sink_get_sync (sink)) {
    g_clear_pointer (&clock, gst_object_unref);
    return GST_CLOCK_BADTIME;
  }
  id = gst_clock_new_single_shot_id (
      clock, gst_element_get_base_time (GST_ELEMENT (sink)) + running_time);
  if (set_end_id (self, id)) {
    sink->clock_id = id;
    GST_BASE_SINK_PREROLL_UNLOCK (sink);
    status = gst_clock_id_wait (id, NULL);
    GST_BASE_SINK_PREROLL_LOCK (sink);
    sink->clock_id = NULL;
  }
  set_end_id (self, NULL);
  gst_clock_id_unref (id);
  gst_object_unref (clock);
  return status;
}

void
gst_tfrc_due_times_review_end (GstTfrcDueTimes *self)
{
  GstClockID id = NULL;

  GST_OBJECT_LOCK (self->sink);
  self->is_end_known = FALSE;
  if (self->end_id)
    id = gst_clock_id_ref (self->end_id);
  GST_OBJECT_UNLOCK (self->sink);
  if (id) {
    gst_clock_id_unschedule (id);
    gst_clock_id_unref (id);
  }
}

GstFlowReturn
gst_tfrc_due_times_wait_for_end (GstTfrcDueTimes *self)
{
  GstBaseSink *sink = self->sink;
  GstClockTime begin = GST_CLOCK_TIME_NONE;
  GstClockReturn status;

  do {
    if (sink->need_preroll) {
      GstFlowReturn flow = gst_base_sink_wait_preroll (sink);

      if (flow != GST_FLOW_OK)
        return flow;
    }
    if (!GST_CLOCK_TIME_IS_VALID (self->end_ns))
      return GST_FLOW_OK;
    if (!GST_CLOCK_TIME_IS_VALID (begin))
      begin = gst_tfrc_due_times_get_running_time (self);
    status = wait_for_clock_or_review (self, get_wait_end (self, begin));
    if (sink->flushing)
      return GST_FLOW_FLUSHING;
  } while (status == GST_CLOCK_UNSCHEDULED);
  return GST_FLOW_OK;
}

void
gst_tfrc_due_times_add_blocked (GstTfrcDueTimes *self, guint64 blocked_ns)
{
  self->lateness.blocked_ns += blocked_ns;
}

/* The streaming thread waits in preroll, or is told in time by get_due_time_ns(). */
void
gst_tfrc_due_times_set_playing (GstTfrcDueTimes *self, gboolean playing)
{
  GstTfrcClockOffset offset = { 0 };

  /* With GStreamer 1.22 no pause holds up an end that has begun, which has to learn of the new base time. */
  gst_tfrc_due_times_review_end (self);
  if (playing && gst_base_sink_get_sync (self->sink)
      && gst_tfrc_clock_offset_read (&offset, GST_ELEMENT (self->sink)))
    gst_tfrc_sink_stream_set_timeline (self->stream,
        (gint64) gst_element_get_base_time (GST_ELEMENT (self->sink)) + offset.offset_ns);
  gst_tfrc_sink_stream_set_paused (self->stream, !playing);
}
