/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loops of the process, and which of them a new stream joins, see loop.h. */
#include "loop-private.h"

#include "../common/clock.h"
#include "../common/fork.h"

static GstTfrcIoListMutex mutex;
static GstTfrcIoLoop *loops[GST_TFRC_IO_MAX_LOOPS] GST_TFRC_GUARDED_BY (gst_tfrc_io_list_mutex);
static guint n_loops GST_TFRC_GUARDED_BY (gst_tfrc_io_list_mutex);
static gint n_streams; /* atomic: of all loops */

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&mutex.mutex);
  return data;
}

/* A fork leaves the threads in the parent.  The child's next stream starts another one; the streams
 * that the child inherited can only be freed. */
static void
forget_inherited_loops (void) GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  if (n_loops > 0 && loops[0]->generation != gst_tfrc_fork_generation ())
    n_loops = 0;
}

/* ---- the choice -------------------------------------------------------- */

static gboolean
is_busy (GstTfrcIoLoop *loop, guint64 now_ns)
{
  gboolean busy;

  gst_tfrc_io_mutex_lock (&loop->mutex);
  busy = gst_tfrc_loop_load_is_busy (&loop->load, now_ns);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  return busy;
}

/* A loop that is busy has more load than any that is not.  Otherwise the number of streams counts.
 * @return the loop with the least load, or NULL if none runs or if another one is to be started */
static GstTfrcIoLoop *
find_loop (const GstTfrcLoopLimits *limits) GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  GstTfrcIoLoop *least = NULL;
  gboolean least_busy = FALSE;

  for (guint i = 0; i < n_loops; i++) {
    gboolean busy = is_busy (loops[i], now_ns);

    if (least && (busy != least_busy ? busy : loops[i]->n_streams >= least->n_streams))
      continue;
    least = loops[i];
    least_busy = busy;
  }
  if (least && n_loops < limits->loops
      && (least_busy || least->n_streams >= limits->streams_per_loop))
    return NULL;
  return least;
}

/* To start a loop takes system calls: the mutex is released meanwhile, and another thread may start
 * one as well.  If no further loop can be started, those that run have to do.
 * @unused: set to a loop that the caller has to free, or to NULL */
static GstTfrcIoLoop *
start_loop (const GstTfrcLoopLimits *limits, GstTfrcIoLoop **unused, GError **error)
    GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  const GstTfrcLoopLimits no_more = { .loops = 1 };
  GError *failure = NULL;
  GstTfrcIoLoop *started, *loop;

  gst_tfrc_io_list_mutex_unlock (&mutex);
  started = gst_tfrc_io_loop_new (&failure);
  gst_tfrc_io_list_mutex_lock (&mutex);
  loop = find_loop (started ? limits : &no_more);
  if (loop == NULL && started) {
    loop = loops[n_loops++] = started;
    started = NULL;
  }
  *unused = started;
  if (loop)
    g_clear_error (&failure);
  else
    g_propagate_error (error, failure);
  return loop;
}

/* ---- streams come and go ----------------------------------------------- */

GstTfrcIoLoop *
gst_tfrc_io_loops_join (const GstTfrcIo *beside, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  GstTfrcIoLoop *loop, *unused = NULL;
  GstTfrcLoopLimits limits;

  g_once (&once, guard_mutex, NULL);
  gst_tfrc_loop_limits_get (&limits);
  gst_tfrc_io_list_mutex_lock (&mutex);
  forget_inherited_loops ();
  if (beside && beside->loop->generation == gst_tfrc_fork_generation ())
    loop = beside->loop;
  else
    loop = find_loop (&limits);
  if (loop == NULL)
    loop = start_loop (&limits, &unused, error);
  if (loop) {
    loop->n_streams++;
    g_atomic_int_inc (&n_streams);
  }
  gst_tfrc_io_list_mutex_unlock (&mutex);
  if (unused)
    gst_tfrc_io_loop_free (unused);
  return loop;
}

static void
remove_loop (const GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  for (guint i = 0; i < n_loops; i++)
    if (loops[i] == loop)
      loops[i] = loops[--n_loops];
}

void
gst_tfrc_io_loops_leave (GstTfrcIoLoop *loop)
{
  gboolean last;

  gst_tfrc_io_list_mutex_lock (&mutex);
  forget_inherited_loops ();
  last = --loop->n_streams == 0;
  g_atomic_int_add (&n_streams, -1);
  if (last)
    remove_loop (loop);
  gst_tfrc_io_list_mutex_unlock (&mutex);
  if (!last)
    return;
  if (loop->generation == gst_tfrc_fork_generation ())
    gst_tfrc_io_loop_free (loop);
  else
    gst_tfrc_io_loop_free_inherited (loop);
}

/* ---- what is known ----------------------------------------------------- */

gboolean
gst_tfrc_io_loop_running (void)
{
  gboolean running;

  gst_tfrc_io_list_mutex_lock (&mutex);
  forget_inherited_loops ();
  running = n_loops > 0;
  gst_tfrc_io_list_mutex_unlock (&mutex);
  return running;
}

guint
gst_tfrc_io_count_streams (void)
{
  return (guint) g_atomic_int_get (&n_streams);
}

static GstTfrcIoLoopStats
get_stats_of (GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  GstTfrcIoLoopStats stats;

  gst_tfrc_io_mutex_lock (&loop->mutex);
  stats = loop->stats;
  stats.slop_ns = gst_tfrc_io_loop_slop_ns (loop);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  stats.loops = 1;
  stats.streams = loop->n_streams;
  return stats;
}

guint
gst_tfrc_io_loop_get_each_stats (GstTfrcIoLoopStats *stats, guint max)
{
  guint n;

  gst_tfrc_io_list_mutex_lock (&mutex);
  forget_inherited_loops ();
  n = MIN (n_loops, max);
  for (guint i = 0; i < n; i++)
    stats[i] = get_stats_of (loops[i]);
  gst_tfrc_io_list_mutex_unlock (&mutex);
  return n;
}

void
gst_tfrc_io_loop_get_stats (GstTfrcIoLoopStats *stats)
{
  GstTfrcIoLoopStats each[GST_TFRC_IO_MAX_LOOPS];
  guint n = gst_tfrc_io_loop_get_each_stats (each, G_N_ELEMENTS (each));

  *stats = (GstTfrcIoLoopStats){ .loops = n };
  for (guint i = 0; i < n; i++) {
    stats->streams += each[i].streams;
    stats->slop_ns = MAX (stats->slop_ns, each[i].slop_ns);
    stats->wakeups += each[i].wakeups;
    stats->deadlines += each[i].deadlines;
    stats->packets += each[i].packets;
    stats->realtime |= each[i].realtime;
    stats->realtime_given_up |= each[i].realtime_given_up;
  }
}
