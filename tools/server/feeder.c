/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning of a movie's pipeline, see feeder.h */
#include "feeder.h"

#include <gst/app/gstappsrc.h>
#include <stdlib.h>

#include "continuity.h"
#include "tsindex.h"
#include "tstimes.h"

GST_DEBUG_CATEGORY_STATIC (feeder_debug);
#define GST_CAT_DEFAULT feeder_debug

/* Of one buffer: 56 ms at 1.5 Mbit/s.  Smaller ones cost more, larger ones are taken earlier than
 * they are needed. */
#define PIECE_BYTES (8 * 7 * GST_TFRC_TS_PACKET_BYTES)
/* Times of two renditions that are the same: less than half a picture at 60 a second */
#define SAME_TIME_NS (8 * GST_MSECOND)

typedef struct
{
  TsIndex *index;
  guint name;   /* FeederFile.rendition */
  guint number; /* of the present segment, or one before it */
} Rendition;

struct _Feeder
{
  GstElement *source;
  FeederSense sense;
  gpointer user;
  guint64 duration_ns; /* 0: the times in the files tell */
  gint name, switches; /* atomic, for feeder_get_status() */

  GMutex lock;        /* of the next four */
  gboolean is_sought; /* and not begun */
  gboolean is_seeking, is_stopped;
  guint64 start_ns;

  /* of the streaming thread */
  guint n, current;
  Rendition renditions[LADDER_MOST_RENDITIONS]; /* by bit rate */
  gboolean has_begun;
  Ladder ladder;
  Continuity continuity;
  guint64 at, left; /* of the segment */
};

/* ---- segments ----------------------------------------------------------------- */

static void
enter (Feeder *feeder, const TsSegment *segment)
{
  feeder->at = segment->offset;
  feeder->left = segment->bytes;
}

/* Finds the segment of a rendition that begins at a time.  Times only grow. */
static gboolean
find_same (Rendition *rendition, guint64 time_ns, TsSegment *segment)
{
  while (ts_index_get (rendition->index, rendition->number, segment)
      && segment->time_ns + SAME_TIME_NS < time_ns)
    rendition->number++;
  return ts_index_get (rendition->index, rendition->number, segment)
      && segment->time_ns <= time_ns + SAME_TIME_NS && segment->is_random_access;
}

static void
switch_to (Feeder *feeder, guint chosen, guint64 time_ns, const gchar *reason)
{
  GST_INFO_OBJECT (feeder->source, "%" GST_TIME_FORMAT ": from %u to %u, %.0f kbit/s: %s",
      GST_TIME_ARGS (time_ns), feeder->renditions[feeder->current].name,
      feeder->renditions[chosen].name, feeder->ladder.mean_bps[chosen] / 1e3, reason);
  feeder->current = chosen;
  continuity_begin_part (&feeder->continuity);
  g_atomic_int_set (&feeder->name, (gint) feeder->renditions[chosen].name);
  g_atomic_int_inc (&feeder->switches);
}

/* Chooses where the segment comes from that is given as the present rendition has it.
 * @segment: set to the chosen one's */
static void
choose (Feeder *feeder, TsSegment *segment)
{
  TsSegment segments[LADDER_MOST_RENDITIONS] = { { 0 } };
  LadderSegment next[LADDER_MOST_RENDITIONS] = { { 0 } };
  LadderSession session = { 0 };
  gboolean is_there[LADDER_MOST_RENDITIONS] = { FALSE };
  const gchar *reason;
  guint i, chosen;

  feeder->sense (feeder->user, feeder->ladder.mean_bps[feeder->current], &session);
  for (i = 0; i < feeder->n; i++) {
    is_there[i] = find_same (&feeder->renditions[i], segment->time_ns, &segments[i]);
    if (is_there[i])
      next[i] = (LadderSegment){ segments[i].bytes, segments[i].duration_ns };
  }
  chosen = ladder_choose (&feeder->ladder, &session, next, &reason);
  GST_DEBUG_OBJECT (feeder->source,
      "%" GST_TIME_FORMAT ": X %.0f kbit/s, missed %.4f, lead %.3f s of %.3f s: %u, %s",
      GST_TIME_ARGS (segment->time_ns), session.allowed_bps / 1e3, session.missed,
      (gdouble) session.lead_ns / GST_SECOND, (gdouble) session.window_ns / GST_SECOND,
      feeder->renditions[chosen].name, reason);
  if (!is_there[chosen]) {
    ladder_stay (&feeder->ladder, feeder->current);
    return;
  }
  if (chosen == feeder->current)
    return;
  switch_to (feeder, chosen, segment->time_ns, reason);
  *segment = segments[chosen];
}

/* Goes to the next segment.  @return FALSE at the end of the movie */
static gboolean
advance (Feeder *feeder)
{
  Rendition *present = &feeder->renditions[feeder->current];
  TsSegment segment;

  present->number += feeder->has_begun;
  feeder->has_begun = TRUE;
  if (!ts_index_get (present->index, present->number, &segment))
    return FALSE;
  if (feeder->n > 1 && segment.is_random_access)
    choose (feeder, &segment);
  enter (feeder, &segment);
  return TRUE;
}

/* ---- positions ------------------------------------------------------------------ */

static void
set_interrupted (Feeder *feeder, gboolean is_interrupted)
{
  guint i;

  for (i = 0; i < feeder->n; i++)
    ts_index_set_interrupted (feeder->renditions[i].index, is_interrupted);
}

static gboolean
take_seek (Feeder *feeder, guint64 *time_ns)
{
  gboolean is_sought;

  g_mutex_lock (&feeder->lock);
  is_sought = feeder->is_sought;
  *time_ns = feeder->start_ns;
  feeder->is_sought = FALSE;
  if (is_sought)
    set_interrupted (feeder, feeder->is_stopped);
  g_mutex_unlock (&feeder->lock);
  return is_sought;
}

static void
tell_landing (Feeder *feeder, guint64 time_ns)
{
  g_mutex_lock (&feeder->lock);
  if (!feeder->is_sought) {
    feeder->is_seeking = FALSE;
    feeder->start_ns = time_ns;
  }
  g_mutex_unlock (&feeder->lock);
}

static void
go_to (Feeder *feeder, guint64 time_ns)
{
  Rendition *present = &feeder->renditions[feeder->current];
  TsSegment segment;
  guint i;

  for (i = 0; i < feeder->n; i++)
    feeder->renditions[i].number = ts_index_find (feeder->renditions[i].index, time_ns);
  if (ts_index_get (present->index, present->number, &segment)
      && !ts_index_is_interrupted (present->index))
    tell_landing (feeder, segment.time_ns);
  feeder->has_begun = FALSE;
  feeder->left = 0;
  continuity_begin_part (&feeder->continuity);
  ladder_restart (&feeder->ladder);
}

/* ---- buffers ------------------------------------------------------------------ */

/* Sets the counters of the packets.  @return the bytes up to the end of the last one */
static gsize
rewrite (Feeder *feeder, guint8 *data, gsize bytes)
{
  gsize at = 0, next;

  while ((next = ts_times_find_packet (data, bytes, at)) < bytes) {
    continuity_rewrite (&feeder->continuity, data + next);
    at = next + GST_TFRC_TS_PACKET_BYTES;
  }
  return at;
}

/* @return NULL at the end of what can be read */
static GstBuffer *
read_piece (Feeder *feeder)
{
  const TsIndex *index = feeder->renditions[feeder->current].index;
  guint64 file_end = ts_index_get_file_end (index, feeder->at);
  gsize wanted = (gsize) MIN (PIECE_BYTES, MIN (feeder->left, file_end - feeder->at)), bytes;
  guint8 *data = g_malloc (wanted);

  bytes = ts_index_read (index, feeder->at, data, wanted);
  if (ts_index_has_packets (index)) {
    gsize whole = rewrite (feeder, data, bytes);

    /* What is behind the last packet comes with the next piece; in the end nothing does. */
    if (bytes < feeder->left && whole > 0)
      bytes = whole;
  }
  if (bytes == 0) {
    g_free (data);
    return NULL;
  }
  feeder->at += bytes;
  feeder->left -= bytes;
  /* Some programs begin the counters of each file anew. */
  if (feeder->at == file_end)
    continuity_begin_part (&feeder->continuity);
  return gst_buffer_new_wrapped_full (0, data, wanted, 0, bytes, data, g_free);
}

/* @return NULL at the end of the movie, and if there is no use in going on */
static GstBuffer *
take_piece (Feeder *feeder)
{
  guint64 time_ns;

  if (take_seek (feeder, &time_ns))
    go_to (feeder, time_ns);
  while (feeder->left == 0)
    if (!advance (feeder))
      return NULL;
  return read_piece (feeder);
}

/* A source that has been told of its end gives nothing any more, whatever is flushed.  This one waits behind the end: a viewer
 * may go back while the last seconds, which the pipeline has taken already, are played. */
static void
end_movie (Feeder *feeder)
{
  gchar *problem = ts_index_dup_problem (feeder->renditions[feeder->current].index);
  GstPad *pad = gst_element_get_static_pad (feeder->source, "src");

  if (problem != NULL)
    GST_ELEMENT_ERROR (feeder->source, RESOURCE, READ, ("%s", problem), (NULL));
  g_free (problem);
  gst_pad_push_event (pad, gst_event_new_eos ());
  gst_object_unref (pad);
}

/* After an interruption nothing is pushed: the flush of a seek lets the source ask again, or it is being stopped. */
static void
need_data (GstAppSrc *source, guint unused, gpointer user)
{
  Feeder *feeder = user;
  GstBuffer *buffer = take_piece (feeder);

  if (ts_index_is_interrupted (feeder->renditions[feeder->current].index))
    gst_clear_buffer (&buffer);
  else if (buffer != NULL)
    gst_app_src_push_buffer (source, buffer);
  else
    end_movie (feeder);
}

/* ---- the object ----------------------------------------------------------------- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble first = ts_index_get_mean_bps (((const Rendition *) a)->index);
  gdouble second = ts_index_get_mean_bps (((const Rendition *) b)->index);

  return (first > second) - (first < second);
}

static void
leave_out (Feeder *feeder, Rendition rendition, const gchar *problem)
{
  GST_WARNING_OBJECT (feeder->source, "rendition %u is left out: %s", rendition.name, problem);
  ts_index_free (rendition.index);
}

/* What is no movie is played if there is nothing else. */
static void
add_rendition (Feeder *feeder, Rendition rendition)
{
  static const gchar no_rate[] = "how long it lasts cannot be told";
  Rendition *first = &feeder->renditions[0];
  const gboolean has_rate = ts_index_get_mean_bps (rendition.index) > 0;

  if (feeder->n > 0 && !has_rate) {
    leave_out (feeder, rendition, no_rate);
  } else if (feeder->n > 0 && !(ts_index_get_mean_bps (first->index) > 0)) {
    leave_out (feeder, *first, no_rate);
    *first = rendition;
  } else if (feeder->n > 0 && !ts_index_has_same_streams (first->index, rendition.index)) {
    leave_out (feeder, rendition, "its streams are not those of the first");
  } else {
    feeder->renditions[feeder->n++] = rendition;
  }
}

static gboolean
add_file (Feeder *feeder, const FeederFile *file, GError **error)
{
  TsIndex *index;

  if (file->growing != NULL)
    index = ts_index_new_growing (file->growing);
  else if (file->segments != NULL)
    index = ts_index_new_files (file->fd, file->segments, error);
  else
    index = ts_index_new (file->fd, error);
  if (index != NULL)
    add_rendition (feeder, (Rendition){ index, file->rendition, 0 });
  return index != NULL;
}

static void
begin (Feeder *feeder)
{
  gdouble mean_bps[LADDER_MOST_RENDITIONS];
  guint i;

  qsort (feeder->renditions, feeder->n, sizeof *feeder->renditions, compare);
  for (i = 0; i < feeder->n; i++)
    mean_bps[i] = ts_index_get_mean_bps (feeder->renditions[i].index);
  ladder_init (&feeder->ladder, mean_bps, feeder->n);
  continuity_init (&feeder->continuity);
  feeder->name = (gint) feeder->renditions[0].name;
}

static GstElement *
make_source (Feeder *feeder, GError **error)
{
  GstAppSrcCallbacks callbacks = { .need_data = need_data };
  GstElement *source = gst_element_factory_make ("appsrc", NULL);

  if (source == NULL) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer has no element appsrc: install gstreamer1.0-plugins-base");
    return NULL;
  }
  g_object_set (source, "format", GST_FORMAT_BYTES, "max-bytes", (guint64) PIECE_BYTES, NULL);
  gst_app_src_set_callbacks (GST_APP_SRC (source), &callbacks, feeder, NULL);
  return gst_object_ref_sink (source);
}

Feeder *
feeder_new (const FeederFile *files, guint n, FeederSense sense, gpointer user, GError **error)
{
  Feeder *feeder = g_new0 (Feeder, 1);
  guint i;

  GST_DEBUG_CATEGORY_INIT (feeder_debug, "tfrcfeeder", 0, "renditions of movies");
  g_mutex_init (&feeder->lock);
  feeder->sense = sense;
  feeder->user = user;
  feeder->duration_ns = files[0].duration_ns;
  feeder->source = make_source (feeder, error);
  for (i = 0; i < MIN (n, LADDER_MOST_RENDITIONS) && feeder->source != NULL; i++)
    if (!add_file (feeder, &files[i], error))
      break;
  if (feeder->source == NULL || i < MIN (n, LADDER_MOST_RENDITIONS)) {
    feeder_free (feeder);
    return NULL;
  }
  begin (feeder);
  return feeder;
}

void
feeder_free (Feeder *feeder)
{
  guint i;

  for (i = 0; i < feeder->n; i++)
    ts_index_free (feeder->renditions[i].index);
  g_clear_pointer (&feeder->source, gst_object_unref);
  g_mutex_clear (&feeder->lock);
  g_free (feeder);
}

GstElement *
feeder_get_source (Feeder *feeder)
{
  return feeder->source;
}

void
feeder_seek (Feeder *feeder, guint64 time_ns)
{
  g_mutex_lock (&feeder->lock);
  feeder->is_sought = feeder->is_seeking = TRUE;
  feeder->start_ns = time_ns;
  set_interrupted (feeder, TRUE);
  g_mutex_unlock (&feeder->lock);
}

void
feeder_stop (Feeder *feeder)
{
  g_mutex_lock (&feeder->lock);
  feeder->is_stopped = TRUE;
  set_interrupted (feeder, TRUE);
  g_mutex_unlock (&feeder->lock);
}

void
feeder_get_status (Feeder *feeder, FeederStatus *status)
{
  status->rendition = (guint) g_atomic_int_get (&feeder->name);
  status->switches = (guint) g_atomic_int_get (&feeder->switches);
  status->duration_ns = feeder->duration_ns > 0
      ? feeder->duration_ns
      : ts_index_get_duration (feeder->renditions[0].index);
  g_mutex_lock (&feeder->lock);
  status->start_ns = feeder->start_ns;
  status->is_seeking = feeder->is_seeking;
  g_mutex_unlock (&feeder->lock);
}
