/* Streams join and leave the process-wide I/O loop, see loop.h. */
#define _GNU_SOURCE 1 /* epoll_create1 */
#include "loop-private.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../common/fork.h"
#include "loopthread.h"

static GstTfrcIoLoop *current; /* NULL: there is no stream */

static gboolean
watch (GstTfrcIoLoop *loop, gint fd, guint32 events, guint64 id)
{
  struct epoll_event event = { .events = events, .data = { .u64 = id } };

  return epoll_ctl (loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void
loop_free (GstTfrcIoLoop *loop)
{
  if (loop->epoll_fd >= 0)
    close (loop->epoll_fd);
  if (loop->wake_fd >= 0)
    close (loop->wake_fd);
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

static GstTfrcIoLoop *
loop_new (GError **error)
{
  GstTfrcIoLoop *loop = g_new0 (GstTfrcIoLoop, 1);

  loop->generation = gst_tfrc_fork_generation ();
  loop->streams = g_hash_table_new (g_int64_hash, g_int64_equal);
  gst_tfrc_deadline_queue_init (&loop->deadlines);
  loop->batch = gst_tfrc_receive_batch_new ();
  loop->want_realtime = g_strcmp0 (g_getenv ("TFRC_REALTIME"), "0") != 0;
  loop->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  loop->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (loop->wake_fd < 0 || loop->epoll_fd < 0
      || !watch (loop, loop->wake_fd, EPOLLIN, GST_TFRC_IO_WAKE_ID)) {
    set_error (error);
    g_clear_pointer (&loop, loop_free);
  }
  return loop;
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

/* Registers @io, and starts the thread if there is none. */
static gboolean
join_loop (GstTfrcIo *io, GstTfrcIoLoop *loop, GError **error)
{
  if (!is_datagram_socket (io->fd) || !watch (loop, io->fd, EPOLLIN | EPOLLRDHUP, io->id)) {
    set_error (error);
    return FALSE;
  }
  if (!loop->thread)
    loop->thread = gst_tfrc_io_thread_start (gst_tfrc_io_loop_run, loop, error);
  return loop->thread != NULL;
}

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&gst_tfrc_io_mutex);
  return data;
}

/* A fork leaves the thread in the parent.  The child's next stream starts
 * another one; the streams that it inherited can only be freed. */
static void
forget_inherited_loop (void)
{
  if (current && current->generation != gst_tfrc_fork_generation ())
    current = NULL;
}

static GstTfrcIo *
stream_new (GstTfrcIoLoop *loop, gint fd, const GstTfrcIoCallbacks *callbacks, gpointer user_data)
{
  GstTfrcIo *io = g_new0 (GstTfrcIo, 1);

  gst_tfrc_deadline_node_init (&io->node);
  io->id = ++loop->last_id;
  io->fd = fd;
  io->callbacks = *callbacks;
  io->user_data = user_data;
  io->loop = loop;
  return io;
}

GstTfrcIo *
gst_tfrc_io_new (gint fd, const GstTfrcIoCallbacks *callbacks, gpointer user_data, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  GstTfrcIoLoop *loop;
  GstTfrcIo *io = NULL;

  g_once (&once, guard_mutex, NULL);
  g_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  loop = current ? current : loop_new (error);
  if (loop)
    io = stream_new (loop, fd, callbacks, user_data);
  if (io && join_loop (io, loop, error)) {
    g_hash_table_insert (loop->streams, &io->id, io);
    current = loop;
  } else {
    if (loop != current)
      loop_free (loop);
    g_clear_pointer (&io, g_free);
  }
  g_mutex_unlock (&gst_tfrc_io_mutex);
  return io;
}

void
gst_tfrc_io_set_deadline (GstTfrcIo *io, guint64 deadline_ns)
{
  if (gst_tfrc_fork_is_inherited (io->loop->generation))
    return;
  g_mutex_lock (&gst_tfrc_io_mutex);
  if (!io->leaving) {
    io->asked_ns = MIN (io->asked_ns, deadline_ns);
    gst_tfrc_io_schedule (io, deadline_ns);
  }
  g_mutex_unlock (&gst_tfrc_io_mutex);
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

  g_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  io->leaving = TRUE;
  g_hash_table_remove (loop->streams, &io->id);
  gst_tfrc_deadline_queue_set (&loop->deadlines, &io->node, GST_TFRC_IO_NEVER);
  last = g_hash_table_size (loop->streams) == 0;
  /* The parent's thread waits at the same epoll instance: an inherited stream
   * stays in it.  To close this process's descriptor of it does no harm. */
  if (!inherited) {
    epoll_ctl (loop->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
    if (last) {
      current = NULL;
      loop->quit = TRUE;
      gst_tfrc_io_loop_wake (loop);
    }
    while (io->running)
      g_cond_wait (&gst_tfrc_io_callback_ended, &gst_tfrc_io_mutex);
  }
  g_mutex_unlock (&gst_tfrc_io_mutex);

  if (last && !inherited)
    g_thread_join (loop->thread);
  if (last)
    loop_free (loop);
  g_free (io);
}

gboolean
gst_tfrc_io_loop_running (void)
{
  gboolean running;

  g_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  running = current != NULL;
  g_mutex_unlock (&gst_tfrc_io_mutex);
  return running;
}

void
gst_tfrc_io_loop_get_stats (GstTfrcIoLoopStats *stats)
{
  g_mutex_lock (&gst_tfrc_io_mutex);
  forget_inherited_loop ();
  *stats = (GstTfrcIoLoopStats){ .streams = 0 };
  if (current) {
    *stats = current->stats;
    stats->streams = g_hash_table_size (current->streams);
    stats->slop_ns = gst_tfrc_io_loop_slop_ns (current);
  }
  g_mutex_unlock (&gst_tfrc_io_mutex);
}
