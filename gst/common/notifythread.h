/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one thread of the process that runs the application's code for all elements.
 *
 * The thread does one job after the other, in the order of their times; jobs of the same time in the
 * order in which they were asked for.  So a job that blocks makes all others wait.  The thread starts
 * with the first job, and ends when there has been no job for GST_TFRC_NOTIFY_THREAD_IDLE_US. */
#ifndef GST_TFRC_NOTIFY_THREAD_H
#define GST_TFRC_NOTIFY_THREAD_H

#include <glib-object.h>

G_BEGIN_DECLS

#define GST_TFRC_NOTIFY_THREAD_IDLE_US G_TIME_SPAN_SECOND

/** Does a part of the job; may block.
 * @param user as in the job
 * @return when to be called again, monotonic time; 0: behind all jobs that are due; G_MAXUINT64:
 *   not before the next gst_tfrc_notify_thread_schedule() */
typedef guint64 (*GstTfrcNotifyJobFunc) (gpointer user);

/** Part of an object that uses the thread. */
typedef struct
{
  GObject *
      owner; /* keeps the job's memory; has a reference of the thread while the job waits or runs */
  GstTfrcNotifyJobFunc run;
  gpointer user;

  /* of the thread */
  GSequenceIter *place; /* among the jobs that wait; NULL: it does not wait */
  guint64 due_ns;
  guint64 number;
} GstTfrcNotifyJob;

void gst_tfrc_notify_job_init (
    GstTfrcNotifyJob *job, gpointer owner, GstTfrcNotifyJobFunc run, gpointer user);

/** Has the job run at @a due_ns, or when it was to run already if that is earlier.  Without a thread,
 * as the system refuses one, the job waits for the next call.  Any thread; does not block. */
void gst_tfrc_notify_thread_schedule (GstTfrcNotifyJob *job, guint64 due_ns);

/** The job does not run again.  Waits until it does not run now and the thread has no
 * reference to the owner, unless the caller is the job itself.
 * Any thread that holds no lock which the job takes. */
void gst_tfrc_notify_thread_cancel (GstTfrcNotifyJob *job);

G_END_DECLS
#endif
