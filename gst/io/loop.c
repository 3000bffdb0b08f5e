/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams join and leave an I/O loop, see loop.h. */
#include "loop-private.h"

#include <errno.h>
#include <sys/epoll.h>

#include "../common/fork.h"

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
    gst_tfrc_io_set_error (error);
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
    gst_tfrc_io_set_error (error);
    return NULL;
  }
  loop = gst_tfrc_io_loops_join (beside, error);
  if (loop == NULL)
    return NULL;
  gst_tfrc_io_mutex_lock (&loop->mutex);
  io = join_loop (loop, fd, callbacks, user_data, error);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  if (io == NULL)
    gst_tfrc_io_loops_leave (loop);
  return io;
}

void
gst_tfrc_io_set_deadline (GstTfrcIo *io, guint64 deadline_ns)
{
  GstTfrcIoLoop *loop = io->loop;
  gboolean too_late = FALSE;

  if (gst_tfrc_fork_is_inherited (loop->generation))
    return;
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

  if (gst_tfrc_fork_is_inherited (loop->generation))
    return;
  gst_tfrc_io_mutex_lock (&loop->mutex);
  if (!io->leaving)
    set_patient (io, patient);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
}

void
gst_tfrc_io_limit_reads (GstTfrcIo *io)
{
  GstTfrcIoLoop *loop = io->loop;

  if (gst_tfrc_fork_is_inherited (loop->generation))
    return;
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

/* The parent's thread waits at the same epoll instance: the stream stays there.  A thread of the
 * parent may have held the mutex when the process forked.  Then the loop's memory stays as it is. */
static void
take_out_inherited (GstTfrcIoLoop *loop, GstTfrcIo *io) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex)
{
  if (!gst_tfrc_io_mutex_trylock (&loop->mutex))
    return;
  forget (loop, io);
  gst_tfrc_io_mutex_unlock (&loop->mutex);
}

void
gst_tfrc_io_free (GstTfrcIo *io)
{
  GstTfrcIoLoop *loop;
  gboolean inherited;

  if (!io)
    return;
  loop = io->loop;
  inherited = gst_tfrc_fork_is_inherited (loop->generation);
  g_return_if_fail (inherited || loop->thread != g_thread_self ());

  if (inherited)
    take_out_inherited (loop, io);
  else
    take_out (loop, io);
  gst_tfrc_io_loops_leave (loop);
  g_free (io);
}
