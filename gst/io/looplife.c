/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An I/O loop begins and ends, see loop.h. */
#define _GNU_SOURCE 1 /* epoll_create1 */
#include "loop-private.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../common/fork.h"
#include "loopthread.h"

void
gst_tfrc_io_set_error (GError **error)
{
  gint saved_errno = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved_errno),
      "Could not watch a socket: %s", g_strerror (saved_errno));
}

gboolean
gst_tfrc_io_loop_watch (GstTfrcIoLoop *loop, gint fd, guint32 events, guint64 id)
{
  struct epoll_event event = { .events = events, .data = { .u64 = id } };

  return epoll_ctl (loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void
close_descriptors (GstTfrcIoLoop *loop)
{
  if (loop->epoll_fd >= 0)
    close (loop->epoll_fd);
  if (loop->alarm_fd >= 0)
    close (loop->alarm_fd);
}

/* No thread runs in it, or only that of a parent process. */
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

GstTfrcIoLoop *
gst_tfrc_io_loop_new (GError **error)
{
  GstTfrcIoLoop *loop = g_new0 (GstTfrcIoLoop, 1);

  gst_tfrc_io_mutex_assume (&loop->mutex);
  gst_tfrc_io_mutex_init (&loop->mutex);
  g_cond_init (&loop->callback_ended);
  gst_tfrc_turnstile_init (&loop->turnstile);
  loop->generation = gst_tfrc_fork_generation ();
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
    gst_tfrc_io_set_error (error);
  else
    loop->thread = gst_tfrc_io_thread_start (gst_tfrc_io_loop_run, loop, error);
  if (loop->thread == NULL)
    g_clear_pointer (&loop, release);
  return loop;
}

void
gst_tfrc_io_loop_free (GstTfrcIoLoop *loop)
{
  gst_tfrc_io_mutex_lock (&loop->mutex);
  loop->quit = TRUE;
  loop->sleep_until_ns = 1;
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  gst_tfrc_io_loop_set_alarm (loop);
  g_thread_join (loop->thread);
  release (loop);
}

/* A thread of the parent may have held the mutex when the process forked.  Then what is in memory may
 * be half changed, and stays.  To close this process's descriptors does no harm to the parent. */
void
gst_tfrc_io_loop_free_inherited (GstTfrcIoLoop *loop)
{
  if (gst_tfrc_io_mutex_trylock (&loop->mutex)) {
    gst_tfrc_io_mutex_unlock (&loop->mutex);
    release (loop);
  } else {
    close_descriptors (loop);
  }
}
