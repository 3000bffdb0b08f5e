/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loops of the process, and the streams that join and leave them, see loop.h. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop.h"
#include "../common/clock.h"
#include "../common/fork.h"
#include "loopserve.h"
#include "loopthread.h"

/* ---- life of a loop ---------------------------------------------------------- */

/* Sets @error from errno. */
static void
set_error (GError **error)
{
  gint saved_errno = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno),
      "Could not watch a socket: %s", g_strerror (saved_errno));
}

static void
close_descriptors (GstTfrcIoLoop *loop)
{
  if (loop->epoll_fd >= 0)
    close (loop->epoll_fd);
  if (loop->alarm_fd >= 0)
    close (loop->alarm_fd);
}

/* The loop has no thread at this time. */
static void
release (GstTfrcIoLoop *loop)
{
  gst_tfrc_io_mutex_assume (&loop->mutex);
  close_descriptors (loop);
  g_hash_table_unref (loop->streams);
  g_ptr_array_unref (loop->resting);
  gst_tfrc_deadline_queue_clear (&loop->deadlines);
  gst_tfrc_receive_batch_free (loop->batch);
  gst_tfrc_io_mutex_clear (&loop->mutex);
  g_cond_clear (&loop->callback_ended);
  gst_tfrc_turnstile_clear (&loop->turnstile);
  g_free (loop);
}

/* A loop without streams, whose thread runs; NULL with @error set */
static GstTfrcIoLoop *
loop_new (GError **error) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex)
{
  GstTfrcIoLoop *loop = g_new0 (GstTfrcIoLoop, 1);

  gst_tfrc_io_mutex_assume (&loop->mutex);
  gst_tfrc_io_mutex_init (&loop->mutex);
  g_cond_init (&loop->callback_ended);
  gst_tfrc_turnstile_init (&loop->turnstile);
  loop->streams = g_hash_table_new (g_int64_hash, g_int64_equal);
  loop->resting = g_ptr_array_new ();
  loop->rest_until_ns = GST_TFRC_IO_NEVER;
  gst_tfrc_deadline_queue_init (&loop->deadlines);
  loop->batch = gst_tfrc_receive_batch_new ();
  loop->want_realtime = g_strcmp0 (g_getenv ("TFRC_REALTIME"), "0") != 0;
  loop->alarm_fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  loop->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  /* Each alarm is one event, without a read. */
  if (loop->alarm_fd < 0 || loop->epoll_fd < 0
      || !gst_tfrc_io_loop_watch (loop, loop->alarm_fd, EPOLLIN | EPOLLET, GST_TFRC_IO_ALARM_ID))
    set_error (error);
  else
    loop->thread = gst_tfrc_io_thread_start (gst_tfrc_io_loop_run, loop, error);
  if (loop->thread == NULL)
    g_clear_pointer (&loop, release);
  return loop;
}

/* Ends the thread and waits for its end.  No stream is left. */
static void
loop_free (GstTfrcIoLoop *loop) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex)
{
  gst_tfrc_io_mutex_lock (&loop->mutex);
  loop->quit = TRUE;
  loop->sleep_until_ns = 1;
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  gst_tfrc_io_loop_set_alarm (loop);
  g_thread_join (loop->thread);
  release (loop);
}

/* ---- loops of the process ---------------------------------------------------- */

static GstTfrcIoListMutex mutex;
static GstTfrcIoLoop *loops[GST_TFRC_IO_MAX_LOOPS] GST_TFRC_GUARDED_BY (gst_tfrc_io_list_mutex);
static guint n_loops GST_TFRC_GUARDED_BY (gst_tfrc_io_list_mutex);
static gint n_streams; /* atomic: of all loops */

/* The parent's threads stay in the parent, and so the child has no loop.  The child closes its
 * descriptors of the loops at once: no stream of the parent can use them here. */
static void
forget_loops (void) GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  while (n_loops > 0)
    close_descriptors (loops[--n_loops]);
  g_atomic_int_set (&n_streams, 0);
}

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&mutex.mutex, forget_loops);
  return data;
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
  started = loop_new (&failure);
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

/* Chooses a loop for a new stream, or starts one, and counts the stream there.
 * @beside: a stream with whose loop the new stream goes, or NULL
 * @return the loop, which lasts until leave_loop(); NULL with @error set if no loop runs and none
 * can be started */
static GstTfrcIoLoop *
join_any_loop (const GstTfrcIo *beside, GError **error) GST_TFRC_EXCLUDES (gst_tfrc_io_list_mutex)
{
  static GOnce once = G_ONCE_INIT;
  GstTfrcIoLoop *loop, *unused = NULL;
  GstTfrcLoopLimits limits;

  g_once (&once, guard_mutex, NULL);
  gst_tfrc_loop_limits_get (&limits);
  gst_tfrc_io_list_mutex_lock (&mutex);
  loop = beside ? beside->loop : find_loop (&limits);
  if (loop == NULL)
    loop = start_loop (&limits, &unused, error);
  if (loop) {
    loop->n_streams++;
    g_atomic_int_inc (&n_streams);
  }
  gst_tfrc_io_list_mutex_unlock (&mutex);
  if (unused)
    loop_free (unused);
  return loop;
}

static void
remove_loop (const GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_list_mutex)
{
  for (guint i = 0; i < n_loops; i++)
    if (loops[i] == loop)
      loops[i] = loops[--n_loops];
}

/* A stream has left @loop: the loop ends with its last stream.  Waits for the end of the thread. */
static void
leave_loop (GstTfrcIoLoop *loop) GST_TFRC_EXCLUDES (gst_tfrc_io_list_mutex)
{
  gboolean last;

  gst_tfrc_io_list_mutex_lock (&mutex);
  last = --loop->n_streams == 0;
  g_atomic_int_add (&n_streams, -1);
  if (last)
    remove_loop (loop);
  gst_tfrc_io_list_mutex_unlock (&mutex);
  if (last)
    loop_free (loop);
}

/* ---- what is known ----------------------------------------------------- */

gboolean
gst_tfrc_io_loop_running (void)
{
  gboolean running;

  gst_tfrc_io_list_mutex_lock (&mutex);
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

/* ---- streams ----------------------------------------------------------------- */

/* Anything else could be ready for ever without a packet to read. */
static gboolean
is_datagram_socket (gint fd)
{
  gint type = 0;
  socklen_t len = sizeof type;

  if (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0)
    return FALSE;
  errno = EPROTOTYPE;
  return type == SOCK_DGRAM;
}

static GstTfrcIo *
join_loop (GstTfrcIoLoop *loop, gint fd, const GstTfrcIoCallbacks *callbacks, gpointer user_data,
    GError **error) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  GstTfrcIo *io;
  guint64 id = ++loop->last_id;

  if (!gst_tfrc_io_loop_watch (loop, fd, GST_TFRC_IO_EVENTS, id)) {
    set_error (error);
    return NULL;
  }
  io = g_new0 (GstTfrcIo, 1);
  gst_tfrc_deadline_node_init (&io->node);
  io->id = id;
  io->fd = fd;
  io->callbacks = *callbacks;
  io->user_data = user_data;
  io->loop = loop;
  g_hash_table_insert (loop->streams, &io->id, io);
  return io;
}

GstTfrcIo *
gst_tfrc_io_new (gint fd, const GstTfrcIo *beside, const GstTfrcIoCallbacks *callbacks,
    gpointer user_data, GError **error)
{
  GstTfrcIoLoop *loop;
  GstTfrcIo *io;

  if (!is_datagram_socket (fd)) {
    set_error (error);
    return NULL;
  }
  loop = join_any_loop (beside, error);
  if (loop == NULL)
    return NULL;
  gst_tfrc_io_mutex_lock (&loop->mutex);
  io = join_loop (loop, fd, callbacks, user_data, error);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  if (io == NULL)
    leave_loop (loop);
  return io;
}

void
gst_tfrc_io_set_deadline (GstTfrcIo *io, guint64 deadline_ns)
{
  GstTfrcIoLoop *loop = io->loop;
  gboolean too_late = FALSE;

  gst_tfrc_io_mutex_lock (&loop->mutex);
  if (!io->leaving) {
    io->asked_ns = MIN (io->asked_ns, deadline_ns);
    too_late = gst_tfrc_io_schedule (io, deadline_ns);
  }
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  if (too_late)
    gst_tfrc_io_loop_set_alarm (loop);
}

static void
set_patient (GstTfrcIo *io, gboolean patient) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (patient && !io->patient)
    io->loop->n_patient++;
  else if (!patient && io->patient)
    io->loop->n_patient--;
  io->patient = patient;
}

void
gst_tfrc_io_set_patient (GstTfrcIo *io, gboolean patient)
{
  GstTfrcIoLoop *loop = io->loop;

  gst_tfrc_io_mutex_lock (&loop->mutex);
  if (!io->leaving)
    set_patient (io, patient);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
}

void
gst_tfrc_io_limit_reads (GstTfrcIo *io)
{
  GstTfrcIoLoop *loop = io->loop;

  gst_tfrc_io_mutex_lock (&loop->mutex);
  io->has_budget = TRUE;
  gst_tfrc_io_mutex_unlock (&loop->mutex);
}

GstTfrcTurnstile *
gst_tfrc_io_get_turnstile (GstTfrcIo *io)
{
  return &io->loop->turnstile;
}

static void
forget (GstTfrcIoLoop *loop, GstTfrcIo *io) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  io->leaving = TRUE;
  set_patient (io, FALSE);
  g_hash_table_remove (loop->streams, &io->id);
  g_ptr_array_remove_fast (loop->resting, io);
  gst_tfrc_deadline_queue_set (&loop->deadlines, &io->node, GST_TFRC_IO_NEVER);
}

/* Ends the callbacks. */
static void
take_out (GstTfrcIoLoop *loop, GstTfrcIo *io) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex)
{
  gst_tfrc_io_mutex_lock (&loop->mutex);
  forget (loop, io);
  epoll_ctl (loop->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
  while (io->running)
    gst_tfrc_io_mutex_wait (&loop->mutex, &loop->callback_ended);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
}

void
gst_tfrc_io_free (GstTfrcIo *io)
{
  GstTfrcIoLoop *loop;

  if (!io)
    return;
  loop = io->loop;
  g_return_if_fail (loop->thread != g_thread_self ());
  take_out (loop, io);
  leave_loop (loop);
  g_free (io);
}
