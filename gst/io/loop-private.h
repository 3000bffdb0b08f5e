/* The inside of the I/O loop, shared by loop.c (streams come and go) and
 * loopserve.c (what the thread does). */
#ifndef GST_TFRC_LOOP_PRIVATE_H
#define GST_TFRC_LOOP_PRIVATE_H

#include "busyguard.h"
#include "deadlinequeue.h"
#include "loop.h"

G_BEGIN_DECLS

#define GST_TFRC_IO_WAKE_ID 0 /* of the eventfd; streams count from 1 */
#define GST_TFRC_IO_AWAKE 0   /* value of sleep_until_ns */

typedef struct
{
  GThread *thread;
  gint epoll_fd;
  gint wake_fd;
  gboolean quit;
  gboolean want_realtime;
  guint generation; /* of the process that has the thread */

  GHashTable *streams; /* by id: events may name one that is gone */
  guint64 last_id;
  GstTfrcDeadlineQueue deadlines;
  guint64 sleep_until_ns;     /* or GST_TFRC_IO_AWAKE */
  guint64 asleep_ns;          /* when the thread last went to sleep */
  guint64 looked_ns;          /* sockets that were not served since then had no
                                 * packet then; 0: not known */
  GstTfrcReceiveBatch *batch; /* the thread's own, as is the next */
  GstTfrcBusyGuard busy;
  GstTfrcIoLoopStats stats;
} GstTfrcIoLoop;

struct _GstTfrcIo
{
  GstTfrcDeadlineNode node; /* first: a node in the queue is its stream */
  guint64 id;
  gint fd;
  GstTfrcIoCallbacks callbacks;
  gpointer user_data;
  GstTfrcIoLoop *loop;

  gboolean backlog;  /* packets were left when it was last read ... */
  guint64 oldest_ns; /* ... and none of them had come at that time */
  gboolean running;  /* the thread is in a callback, or uses fd */
  gboolean leaving;  /* somebody is in gst_tfrc_io_free() */
  guint64 asked_ns;  /* earliest deadline set while running */
};

/* Protects everything in both structures but what says otherwise.  It is held
 * for a few instructions at a time, never while the thread sleeps, receives or
 * is in a callback, so that anybody may take it with a stream's lock held. */
extern GMutex gst_tfrc_io_mutex;

/* A callback of a stream that is leaving has ended. */
extern GCond gst_tfrc_io_callback_ended;

/* What follows is called with the mutex held. */

guint64 gst_tfrc_io_loop_slop_ns (const GstTfrcIoLoop *loop);

void gst_tfrc_io_loop_wake (GstTfrcIoLoop *loop);

void gst_tfrc_io_schedule (GstTfrcIo *io, guint64 deadline_ns);

/* The thread's function: serves the streams of @loop until told to quit.
 * Takes the mutex itself. */
gpointer gst_tfrc_io_loop_run (gpointer loop);

G_END_DECLS
#endif
