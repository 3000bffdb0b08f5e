/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loop's thread, see loop.h: it sleeps until the next
 * deadline or packet, and then gives each stream its turn.  If packets come often, it first lets
 * them gather until the end of the cell (looppace.h). */
#include "loopserve.h"

#include <errno.h>
#include <sys/epoll.h>
#include <gst/gst.h>

#include "../common/clock.h"
#include "loopthread.h"
#include "socket.h"

#define MAX_EVENTS 64 /* sockets that one look at them finds */

/* The processor time of the thread is read so rarely, as that takes a system call. */
#define BUSY_CHECK_NS (GST_TFRC_BUSY_LIMIT_NS / 10)

#define SLOP_PER_STREAM_NS 10000
#define MIN_SLOP_NS 50000
#define MAX_SLOP_NS 1000000

/* If all streams are patient, for each but the first one: two packets or more come in a cell from nine
 * streams of 500 kbit/s on. */
#define PATIENT_SLOP_PER_STREAM_NS 500000
#define MAX_PATIENT_SLOP_NS 4000000

gboolean
gst_tfrc_io_loop_watch (GstTfrcIoLoop *loop, gint fd, guint32 events, guint64 id)
{
  struct epoll_event event = { .events = events, .data = { .u64 = id } };

  return epoll_ctl (loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* ---- deadlines --------------------------------------------------------- */

guint64
gst_tfrc_io_loop_slop_ns (const GstTfrcIoLoop *loop)
{
  guint64 streams = g_hash_table_size (loop->streams);

  if (streams > 0 && loop->n_patient == streams)
    return CLAMP ((streams - 1) * PATIENT_SLOP_PER_STREAM_NS, MIN_SLOP_NS, MAX_PATIENT_SLOP_NS);
  return CLAMP (streams * SLOP_PER_STREAM_NS, MIN_SLOP_NS, MAX_SLOP_NS);
}

/* The time at which the thread serves @deadline_ns: never before it. */
static guint64
round_up (const GstTfrcIoLoop *loop, guint64 deadline_ns) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint64 cell_ns = gst_tfrc_io_loop_slop_ns (loop);
  guint64 rest_ns = deadline_ns % cell_ns;

  if (rest_ns == 0 || deadline_ns > GST_TFRC_IO_NEVER - cell_ns)
    return deadline_ns;
  return deadline_ns - rest_ns + cell_ns;
}

static guint64
next_wakeup_ns (const GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  return round_up (loop, gst_tfrc_deadline_queue_next_ns (&loop->deadlines));
}

gboolean
gst_tfrc_io_schedule (GstTfrcIo *io, guint64 deadline_ns)
{
  GstTfrcIoLoop *loop = io->loop;
  guint64 soonest_ns = gst_tfrc_clock_now_ns () + 1, wakeup_ns;

  /* What is late already becomes due now: it meets others in the next cell of
   * the grid, and is not due again in the round that serves it. */
  deadline_ns = MAX (deadline_ns, soonest_ns);
  gst_tfrc_deadline_queue_set (&loop->deadlines, &io->node, deadline_ns);
  wakeup_ns = next_wakeup_ns (loop);
  if (wakeup_ns >= loop->sleep_until_ns)
    return FALSE;
  loop->sleep_until_ns = wakeup_ns;
  return TRUE;
}

/* Of several threads that set the alarm at the same time, any can be the last.  So each thread looks
 * again whether another one has asked for an earlier alarm.  An alarm of an earlier sleep does no
 * harm: the thread finds nothing due and sleeps on. */
void
gst_tfrc_io_loop_set_alarm (GstTfrcIoLoop *loop)
{
  guint64 set_ns = GST_TFRC_IO_NEVER, until_ns;

  for (;;) {
    gst_tfrc_io_mutex_lock (&loop->mutex);
    until_ns = loop->sleep_until_ns;
    gst_tfrc_io_mutex_unlock (&loop->mutex);
    if (until_ns == GST_TFRC_IO_AWAKE || until_ns >= set_ns)
      break;
    gst_tfrc_io_thread_set_alarm (loop->alarm_fd, until_ns);
    set_ns = until_ns;
  }
}

/* ---- the thread -------------------------------------------------------- */

static void
enter_callback (GstTfrcIo *io) GST_TFRC_RELEASE (gst_tfrc_io_mutex)
{
  io->running = TRUE;
  io->asked_ns = GST_TFRC_IO_NEVER;
  gst_tfrc_io_mutex_unlock (&io->loop->mutex);
}

static void
leave_callback (GstTfrcIo *io) GST_TFRC_ACQUIRE (gst_tfrc_io_mutex)
{
  gst_tfrc_io_mutex_lock (&io->loop->mutex);
  io->running = FALSE;
  if (io->leaving)
    g_cond_broadcast (&io->loop->callback_ended);
}

/* The callback computed @next_ns maybe before others asked for more. */
static void
schedule_next (GstTfrcIo *io, guint64 next_ns) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (!io->leaving)
    gst_tfrc_io_schedule (io, MIN (next_ns, io->asked_ns));
}

/* During the callback the deadline that has passed stays in the queue: the stream moves once in the
 * heap, to the next deadline, and does not leave the heap and come back. */
static void
serve_deadlines (GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint64 due_ns = gst_tfrc_clock_now_ns ();
  GstTfrcDeadlineNode *node;

  while ((node = gst_tfrc_deadline_queue_get_due (&loop->deadlines, due_ns)) != NULL) {
    GstTfrcIo *io = (GstTfrcIo *) node;
    guint64 next_ns;

    loop->stats.deadlines++;
    enter_callback (io);
    next_ns = io->callbacks.deadline (io->user_data, gst_tfrc_clock_now_ns ());
    leave_callback (io);
    schedule_next (io, next_ns);
  }
}

/* The loop looks at the socket again in the next period of the budget.  What is in the socket by then
 * has come after this wake-up, or after the packets that are left. */
static void
rest (GstTfrcIoLoop *loop, GstTfrcIo *io, guint64 until_ns) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  epoll_ctl (loop->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
  if (!io->backlog)
    io->oldest_ns = loop->asleep_ns;
  io->backlog = TRUE;
  io->rests = TRUE;
  g_ptr_array_add (loop->resting, io);
  loop->rest_until_ns = MIN (loop->rest_until_ns, until_ns);
}

static void
account_read (GstTfrcIoLoop *loop, GstTfrcIo *io, guint n, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint64 until_ns;

  if (n == 0 || !io->has_budget || io->leaving)
    return;
  until_ns = gst_tfrc_read_budget_on_read (&io->budget, n, now_ns);
  if (until_ns > 0)
    rest (loop, io, until_ns);
}

/* A socket that the system does not let in has its next chance a period later. */
static void
end_rests (GstTfrcIoLoop *loop, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (now_ns < loop->rest_until_ns)
    return;
  for (guint i = loop->resting->len; i-- > 0;) {
    GstTfrcIo *io = g_ptr_array_index (loop->resting, i);

    if (!gst_tfrc_io_loop_watch (loop, io->fd, GST_TFRC_IO_EVENTS, io->id))
      continue;
    io->rests = FALSE;
    g_ptr_array_remove_index_fast (loop->resting, i);
  }
  loop->rest_until_ns = loop->resting->len > 0 ? now_ns + GST_TFRC_READ_PERIOD_NS
                                               : GST_TFRC_IO_NEVER;
}

static void
serve_packets (GstTfrcIoLoop *loop, GstTfrcIo *io) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  const GstTfrcReceivedPacket *packets;
  guint64 now_ns, next_ns = GST_TFRC_IO_NEVER;
  guint n, total = 0;

  if (!io->backlog)
    io->oldest_ns = loop->looked_ns;
  enter_callback (io);
  n = gst_tfrc_receive_batch_read (loop->batch, io->fd, io->oldest_ns, &packets, &now_ns);
  for (; n > 0; n = gst_tfrc_receive_batch_more (loop->batch, &packets)) {
    next_ns = io->callbacks.packets (io->user_data, packets, n, now_ns);
    total += n;
  }
  leave_callback (io);
  loop->stats.packets += total;
  io->backlog = gst_tfrc_receive_batch_is_full (loop->batch);
  loop->n_read += total;
  account_read (loop, io, total, now_ns);
  loop->left_packets |= io->backlog && !io->rests;
  if (total > 0)
    schedule_next (io, next_ns);
}

/* A socket that is shut down is ready for ever: leave it alone from now on. */
static void
give_up_socket (GstTfrcIoLoop *loop, GstTfrcIo *io) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  static const GstTfrcAddress nowhere;

  epoll_ctl (loop->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
  g_ptr_array_remove_fast (loop->resting, io);
  enter_callback (io);
  io->callbacks.error (io->user_data, ESHUTDOWN, &nowhere);
  leave_callback (io);
}

static void
serve_errors (GstTfrcIoLoop *loop, GstTfrcIo *io) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint n;

  enter_callback (io);
  n = gst_tfrc_socket_read_errors (io->fd, io->callbacks.error, io->user_data);
  leave_callback (io);
  account_read (loop, io, n, gst_tfrc_clock_now_ns ());
}

static void
serve_socket (GstTfrcIoLoop *loop, GstTfrcIo *io, guint32 events)
    GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (events & EPOLLERR)
    serve_errors (loop, io);
  if (events & EPOLLIN && !io->leaving && !io->rests)
    serve_packets (loop, io);
  if (events & (EPOLLHUP | EPOLLRDHUP) && !io->leaving)
    give_up_socket (loop, io);
}

static void
serve_events (GstTfrcIoLoop *loop, const struct epoll_event *events, gint n)
    GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  for (gint i = 0; i < n; i++) {
    GstTfrcIo *io = g_hash_table_lookup (loop->streams, &events[i].data.u64);

    if (io)
      serve_socket (loop, io, events[i].events);
  }
}

/* Serves all sockets that are ready before any deadline, however many there are: a thread that is
 * late has feedback to read, and must not find first that there was none in time.  The number of looks
 * is bounded, because packets may come as fast as they are read.
 *
 * A socket without an event had no packet when the thread woke up.  When that was is known only as
 * "after it fell asleep": the process may have been stopped on its way out of the kernel. */
static void
serve_sockets (GstTfrcIoLoop *loop, struct epoll_event *events, gint n)
    GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint more = g_hash_table_size (loop->streams) / MAX_EVENTS;

  serve_events (loop, events, n);
  for (; n == MAX_EVENTS && more > 0; more--) {
    gst_tfrc_io_mutex_unlock (&loop->mutex);
    n = gst_tfrc_io_thread_wait (loop->epoll_fd, events, MAX_EVENTS, 0);
    gst_tfrc_io_mutex_lock (&loop->mutex);
    serve_events (loop, events, n);
  }
  if (n < MAX_EVENTS)
    loop->looked_ns = loop->asleep_ns;
  else
    loop->left_packets = TRUE;
}

/* Chooses whether the next packets are to gather.  The end of the cell is as late as the thread
 * serves any deadline that is due until then. */
static void
plan_nap (GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  loop->nap_until_ns = 0;
  if (loop->n_read > 0
      && gst_tfrc_coalescing_on_packets (
          &loop->coalescing, loop->n_read, now_ns, gst_tfrc_io_loop_slop_ns (loop))
      && !loop->left_packets)
    loop->nap_until_ns = round_up (loop, now_ns + 1);
  loop->n_read = 0;
  loop->left_packets = FALSE;
}

/* During a nap the thread counts as awake: it serves the next cell's deadlines in any case. */
static void
nap (GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  gst_tfrc_io_thread_nap (loop->nap_until_ns);
  gst_tfrc_io_mutex_lock (&loop->mutex);
}

/* After a nap the thread only looks whether there is something to do. */
static gint
sleep_until_woken (GstTfrcIoLoop *loop, struct epoll_event *events)
    GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  guint64 until_ns = GST_TFRC_IO_AWAKE;
  gint n;

  if (loop->nap_until_ns)
    nap (loop);
  loop->asleep_ns = gst_tfrc_clock_now_ns ();
  end_rests (loop, loop->asleep_ns);
  if (!loop->nap_until_ns)
    until_ns = MIN (next_wakeup_ns (loop), loop->rest_until_ns);
  loop->sleep_until_ns = until_ns;
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  n = gst_tfrc_io_thread_wait (loop->epoll_fd, events, MAX_EVENTS, until_ns);
  gst_tfrc_io_mutex_lock (&loop->mutex);
  loop->sleep_until_ns = GST_TFRC_IO_AWAKE;
  loop->stats.wakeups++;
  return n;
}

/* The mutex is released for the message.  The thread does not take real-time priority again: a
 * flood may come again. */
static void
check_busy (GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (!loop->stats.realtime || loop->asleep_ns < loop->busy.now_ns + BUSY_CHECK_NS
      || !gst_tfrc_busy_guard_on_wakeup (
          &loop->busy, gst_tfrc_clock_now_ns (), gst_tfrc_clock_thread_cpu_ns ())
      || !gst_tfrc_io_thread_give_up_realtime ())
    return;
  loop->stats.realtime = FALSE;
  loop->stats.realtime_given_up = TRUE;
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  GST_WARNING ("The thread that serves TFRC streams is too busy to keep its "
               "real-time priority: it runs as an ordinary thread from now on");
  gst_tfrc_io_mutex_lock (&loop->mutex);
}

/* The processor time is read a few times a second alone, as that takes a system call. */
static void
measure_load (GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex)
{
  if (gst_tfrc_loop_load_is_due (&loop->load, loop->asleep_ns))
    gst_tfrc_loop_load_on_window (
        &loop->load, gst_tfrc_clock_now_ns (), gst_tfrc_clock_thread_cpu_ns ());
}

gpointer
gst_tfrc_io_loop_run (gpointer data)
{
  GstTfrcIoLoop *loop = data;
  struct epoll_event events[MAX_EVENTS];
  gboolean realtime = gst_tfrc_io_thread_prepare (loop->want_realtime);

  gst_tfrc_io_mutex_lock (&loop->mutex);
  loop->stats.realtime = realtime;
  gst_tfrc_busy_guard_init (&loop->busy, gst_tfrc_clock_now_ns (), gst_tfrc_clock_thread_cpu_ns ());
  gst_tfrc_loop_load_init (&loop->load, gst_tfrc_clock_now_ns (), gst_tfrc_clock_thread_cpu_ns ());
  while (!loop->quit) {
    gint n = sleep_until_woken (loop, events);

    check_busy (loop);
    measure_load (loop);
    serve_sockets (loop, events, n);
    serve_deadlines (loop);
    plan_nap (loop);
  }
  gst_tfrc_io_mutex_unlock (&loop->mutex);
  return NULL;
}
