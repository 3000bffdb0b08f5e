/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One I/O loop and its streams, as loops.c (loops and streams come and go) and loopserve.c (what the
 * thread does) have them in common.  See loop.h for what a loop does. */
#ifndef GST_TFRC_LOOPSERVE_H
#define GST_TFRC_LOOPSERVE_H

#include "../common/threads.h"
#include "looppace.h"
#include "deadlinequeue.h"
#include "loop.h"
#include "looplimits.h"
#include "turnstile.h"

G_BEGIN_DECLS

#define GST_TFRC_IO_ALARM_ID 0 /* streams count from 1 */
#define GST_TFRC_IO_AWAKE 0    /* value of sleep_until_ns */

/* One in each loop: protects what the loop and its streams share between threads.  The mutex is held
 * for a few instructions at a time, never while the thread sleeps, receives or is in a callback, so
 * that a thread may take it with a stream's lock held.  The only system call meanwhile is
 * epoll_ctl(), which never waits. */
GST_TFRC_DECLARE_MUTEX (GstTfrcIoMutex, gst_tfrc_io_mutex)

/* One in the process, in loops.c: protects the list of loops, and how many streams each has.  A
 * thread that holds this mutex may take that of a loop, and never the other way round. */
GST_TFRC_DECLARE_MUTEX (GstTfrcIoListMutex, gst_tfrc_io_list_mutex)

typedef struct
{
  /* unchanged while the thread runs */
  GThread *thread;
  gint epoll_fd;
  gint alarm_fd; /* a timer of other threads, which ends the sleep */
  gboolean want_realtime;

  /* The loop ends when the last of them has left.  A stream counts before it is in `streams', and
   * until it can be freed. */
  guint n_streams GST_TFRC_GUARDED_BY (gst_tfrc_io_list_mutex);

  GstTfrcTurnstile turnstile; /* of the streams' other threads */

  /* the thread's own */
  GstTfrcReceiveBatch *batch;
  GstTfrcBusyGuard busy;
  GstTfrcCoalescing coalescing;
  /* packets that the last round of sockets has read, and whether it left any in a socket */
  guint n_read;
  gboolean left_packets;
  guint64 nap_until_ns; /* the thread sleeps before it looks at sockets again; 0: it does not */
  /* before the thread last waited for events */
  guint64 asleep_ns;
  /* sockets that were not served since then had no packet then; 0: not known */
  guint64 looked_ns;

  GstTfrcIoMutex mutex; /* in the cache line of what it protects */
  GCond callback_ended; /* of a stream that is leaving */
  gboolean quit GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  /* by id, because an event may name a stream that has left */
  GHashTable *streams GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  guint n_patient GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex); /* of the streams */
  /* streams that have used up their read budget: the loop does not look at their sockets */
  GPtrArray *resting GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  /* when the loop looks at them again; GST_TFRC_IO_NEVER: none rests */
  guint64 rest_until_ns GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  guint64 last_id GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  GstTfrcDeadlineQueue deadlines GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  /* The thread sleeps until this time at most; GST_TFRC_IO_AWAKE: it is awake, and looks at the
   * deadlines before it sleeps.  A thread that makes the time earlier releases the mutex and then
   * sets the alarm. */
  guint64 sleep_until_ns GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  GstTfrcLoopLoad load GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  GstTfrcIoLoopStats stats GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
} GstTfrcIoLoop;

struct _GstTfrcIo
{
  /* first: a node in the queue is its stream */
  GstTfrcDeadlineNode node GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);

  /* unchanged while the stream is in the loop */
  guint64 id;
  gint fd;
  GstTfrcIoCallbacks callbacks;
  gpointer user_data;
  GstTfrcIoLoop *loop;

  /* the thread's own: packets were left in the socket at the last read, and none of them had come
   * at that time */
  gboolean backlog;
  guint64 oldest_ns;
  GstTfrcReadBudget budget;

  /* the thread is in a callback, or uses fd */
  gboolean running GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  gboolean patient GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  gboolean has_budget GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  gboolean rests GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex); /* is in `resting' */
  /* a thread is in gst_tfrc_io_free() */
  gboolean leaving GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
  /* earliest deadline set while running */
  guint64 asked_ns GST_TFRC_GUARDED_BY (gst_tfrc_io_mutex);
};

/* The events of a stream's socket that the loop waits for */
#define GST_TFRC_IO_EVENTS (EPOLLIN | EPOLLRDHUP)

/* Makes events of @fd come with an ID.
 * @return FALSE with errno set */
gboolean gst_tfrc_io_loop_watch (GstTfrcIoLoop *loop, gint fd, guint32 events, guint64 id);

/* Width of the grid of deadlines */
guint64 gst_tfrc_io_loop_slop_ns (const GstTfrcIoLoop *loop) GST_TFRC_REQUIRES (gst_tfrc_io_mutex);

/* Sets the stream's deadline.
 * @return whether the thread would sleep for too long; then the caller calls
 * gst_tfrc_io_loop_set_alarm() */
gboolean gst_tfrc_io_schedule (GstTfrcIo *io, guint64 deadline_ns)
    GST_TFRC_REQUIRES (gst_tfrc_io_mutex);

/* Ends the thread's sleep at sleep_until_ns. */
void gst_tfrc_io_loop_set_alarm (GstTfrcIoLoop *loop) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex);

/* The thread's function: serves the streams of @loop until `quit' is set. */
gpointer gst_tfrc_io_loop_run (gpointer loop) GST_TFRC_EXCLUDES (gst_tfrc_io_mutex);

G_END_DECLS
#endif
