/* Streams join and leave the process-wide I/O loop, see loop.h. */
#define _GNU_SOURCE 1 /* epoll_create1 */
#include "loop-private.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../common/fork.h"
#include "loopthread.h"

static GstTfrcIoLoop *current GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex); /* NULL: no stream */

static gboolean
watch (GstTfrcIoLoop *loop, gint fd, guint32 events, guint64 id)
{
  struct epoll_event event = { .events = events, .data = { .u64 = id } };

  return epoll_ctl (loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* No thread runs in it, or only that of a parent process. */
static void
loop_free (GstTfrcIoLoop *loop)
{
  gst_tfrc_io_mutex_assume (&gst_tfrc_io_mutex);
  if (loop->epoll_fd >= 0)
    close (loop->epoll_fd);
  if (loop->alarm_fd >= 0)
    close (loop->alarm_fd);
  g_hash_table_unref (loop->streams);
  gst_tfrc_deadline_queue_clear (&loop->deadlines);
  gst_tfrc_receive_batch_free (loop->batch);
  g_free (loop);
}

static void
set_error (GError **error)
{
  gint saved_errno = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno),
      "Could not watch a socket: %s", g_strerror (saved_errno));
}

/* A loop without streams, whose thread runs */
static GstTfrcIoLoop *
loop_new (GError **error) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex)
{
  GstTfrcIoLoop *loop = g_new0 (GstTfrcIoLoop, 1);

  gst_tfrc_io_mutex_assume (&gst_tfrc_io_mutex);
  loop->generation = gst_tfrc_fork_generation ();
  loop->streams = g_hash_table_new (g_int64_hash, g_int64_equal);
  gst_tfrc_deadline_queue_init (&loop->deadlines);
  loop->batch = gst_tfrc_receive_batch_new ();
  loop->want_realtime = g_strcmp0 (g_getenv ("TFRC_REALTIME"), "0") != 0;
  loop->alarm_fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  loop->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  /* Each alarm is one event, without a read. */
  if (loop->alarm_fd < 0 || loop->epoll_fd < 0
      || !watch (loop, loop->alarm_fd, EPOLLIN | EPOLLET, GST_TFRC_IO_ALARM_ID))
    set_error (error);
  else
    loop->thread = gst_tfrc_io_thread_start (gst_tfrc_io_loop_run, loop, error);
  if (loop->thread == NULL)
    g_clear_pointer (&loop, loop_free);
  return loop;
}

/* No stream is left. */
static void
quit_and_free (GstTfrcIoLoop *loop) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex)
{
  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  loop->quit = TRUE;
  loop->sleep_until_ns = 1;
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);
  gst_tfrc_io_loop_set_alarm (loop);
  g_thread_join (loop->thread);
  loop_free (loop);
}

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

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&gst_tfrc_io_mutex.mutex);
  return data;
}

/* A fork leaves the thread in the parent.  The child's next stream starts
 * another one; the streams that it inherited can only be freed. */
static void
forget_inherited_loop (void) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (current && current->generation != gst_tfrc_fork_generation ())
    current = NULL;
}

static GstTfrcIo *
join_loop (GstTfrcIoLoop *loop, gint fd, const GstTfrcIoCallbacks *callbacks, gpointer user_data,
    GError **error) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  GstTfrcIo *io;
  guint64 id = ++loop->last_id;

  if (!watch (loop, fd, EPOLLIN | EPOLLRDHUP, id)) {
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

/* To make a loop takes system calls: the mutex is released meanwhile, and another thread may make
 * one as well.
 * @unused: set to the loop that the caller has to end, or NULL
 * @return FALSE with @error set if there is no loop */
static gboolean
ensure_loop (GstTfrcIoLoop **unused, GError **error) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  GstTfrcIoLoop *loop;

  *unused = NULL;
  forget_inherited_loop ();
  if (current)
    return TRUE;
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);
  loop = loop_new (error);
  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  if (loop == NULL)
    return FALSE;
  if (current)
    *unused = loop;
  else
    current = loop;
  return TRUE;
}

GstTfrcIo *
gst_tfrc_io_new (gint fd, const GstTfrcIoCallbacks *callbacks, gpointer user_data, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  GstTfrcIoLoop *unused;
  GstTfrcIo *io = NULL;

  if (!is_datagram_socket (fd)) {
    set_error (error);
    return NULL;
  }
  g_once (&once, guard_mutex, NULL);
  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  if (ensure_loop (&unused, error))
    io = join_loop (current, fd, callbacks, user_data, error);
  if (current && g_hash_table_size (current->streams) == 0) {
    unused = current;
    current = NULL;
  }
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);
  if (unused)
    quit_and_free (unused);
  return io;
}

void
gst_tfrc_io_set_deadline (GstTfrcIo *io, guint64 deadline_ns)
{
  gboolean too_late = FALSE;

  if (gst_tfrc_fork_is_inherited (io->loop->generation))
    return;
  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  if (!io->leaving) {
    io->asked_ns = MIN (io->asked_ns, deadline_ns);
    too_late = gst_tfrc_io_schedule (io, deadline_ns);
  }
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);
  if (too_late)
    gst_tfrc_io_loop_set_alarm (io->loop);
}

void
gst_tfrc_io_free (GstTfrcIo *io)
{
  GstTfrcIoLoop *loop;
  gboolean inherited, last;

  if (!io)
    return;
  loop = io->loop;
  inherited = gst_tfrc_fork_is_inherited (loop->generation);
  g_return_if_fail (inherited || loop->thread != g_thread_self ());

  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  io->leaving = TRUE;
  g_hash_table_remove (loop->streams, &io->id);
  gst_tfrc_deadline_queue_set (&loop->deadlines, &io->node, GST_TFRC_IO_NEVER);
  last = g_hash_table_size (loop->streams) == 0;
  /* The parent's thread waits at the same epoll instance: an inherited stream
   * stays in it.  To close this process's descriptor of it does no harm. */
  if (!inherited) {
    epoll_ctl (loop->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
    if (last)
      current = NULL;
    while (io->running)
      gst_tfrc_io_mutex_wait (&gst_tfrc_io_mutex, &gst_tfrc_io_callback_ended);
  }
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);

  if (last && inherited)
    loop_free (loop);
  else if (last)
    quit_and_free (loop);
  g_free (io);
}

gboolean
gst_tfrc_io_loop_running (void)
{
  gboolean running;

  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  running = current != NULL;
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);
  return running;
}

void
gst_tfrc_io_loop_get_stats (GstTfrcIoLoopStats *stats)
{
  gst_tfrc_io_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  *stats = (GstTfrcIoLoopStats){ .streams = 0 };
  if (current) {
    *stats = current->stats;
    stats->streams = g_hash_table_size (current->streams);
    stats->slop_ns = gst_tfrc_io_loop_slop_ns (current);
  }
  gst_tfrc_io_mutex_unlock (&gst_tfrc_io_mutex);
}
