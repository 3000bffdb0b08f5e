/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on behalf of the I/O loop's thread that run the application's code.
 *
 * Messages and notifications of properties run the application's code, which may block.  Therefore
 * another thread makes these calls, one for all elements of the process.  The calls of an element are
 * made one after the other, in the order in which they were asked for.  A call that repeats the newest
 * waiting call of the same function is left out.
 *
 * Calls that a peer can cause have a limit for each function: GST_TFRC_NOTIFIER_BURST at once,
 * and GST_TFRC_NOTIFIER_PER_SECOND in the long run.  Of the calls beyond the limit the newest is
 * made as soon as the limit allows; the others are counted as dropped.
 *
 * The thread does one job after the other, in the order of their times; jobs of the same time in the
 * order in which they were asked for.  So a job that blocks makes all others wait.  The thread starts
 * with the first job, and ends when there has been no job for GST_TFRC_NOTIFY_THREAD_IDLE_US. */
#ifndef GST_TFRC_NOTIFIER_H
#define GST_TFRC_NOTIFIER_H

#include <glib-object.h>
#include <gst/gst.h>

#include "threads.h"
#include "tokenbucket.h"

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

#define GST_TFRC_NOTIFIER_BURST 10
#define GST_TFRC_NOTIFIER_PER_SECOND 2

/** Messages of which each tells something of its own, as of one caller, so that a newer one cannot take the place of
 * another: at once, and in the long run. A thousand callers that come and go at once are told of; a host that calls without
 * end does not fill the bus, whose messages wait for the application without a limit. */
#define GST_TFRC_NOTIFIER_MESSAGES_BURST 2000
#define GST_TFRC_NOTIFIER_MESSAGES_PER_SECOND 100

/** Number of functions that an element may have called with a limit, at most. */
#define GST_TFRC_NOTIFIER_KINDS 5

/** Posts one message, or notifies one property; may block.
 * @param user of gst_tfrc_notifier_init() */
typedef void (*GstTfrcNotifyFunc) (gpointer user, gint value);

/** The limit of one function */
typedef struct
{
  GstTfrcNotifyFunc func;
  GstTfrcTokenBucket bucket;
  gboolean held; /* a call beyond the limit waits ... */
  gint value;    /* ... with this value */
} GstTfrcNotifierKind;

GST_TFRC_DECLARE_MUTEX (GstTfrcNotifierMutex, gst_tfrc_notifier_mutex)

/** Part of an element. */
typedef struct
{
  gpointer user;
  GstTfrcNotifierMutex lock;

  GstTfrcNotifyJob job; /* makes the calls */

  GQueue waiting GST_TFRC_GUARDED_BY (gst_tfrc_notifier_mutex); /* calls to be made */

  GstTfrcNotifierKind kinds[GST_TFRC_NOTIFIER_KINDS] GST_TFRC_GUARDED_BY (gst_tfrc_notifier_mutex);
  guint n_kinds GST_TFRC_GUARDED_BY (gst_tfrc_notifier_mutex);
  GstTfrcTokenBucket messages GST_TFRC_GUARDED_BY (gst_tfrc_notifier_mutex);
  guint64 dropped GST_TFRC_GUARDED_BY (
      gst_tfrc_notifier_mutex); /* calls and messages that were left out */
} GstTfrcNotifier;

/** In a child of fork(2) also for a notifier that the parent has used: its calls are forgotten.
 * @param element has a reference while calls wait
 * @param user for the functions that are called; lives as long as @a element */
void gst_tfrc_notifier_init (GstTfrcNotifier *notifier, GstElement *element, gpointer user);

/** Frees what the notifier has.  The element's last reference is gone, so no call is being made. */
void gst_tfrc_notifier_clear (GstTfrcNotifier *notifier);

/** Forgets the calls that wait and the limits, and waits until no call is being made: for the
 * change to READY, after which the bus of the element may go away.  Meanwhile only the function that is
 * called may ask for a call.  Does not wait for the calling thread's own call. */
void gst_tfrc_notifier_stop (GstTfrcNotifier *notifier);

/** Has @a func called soon, unless the newest call of it that waits has the
 * same @a value.  Any thread; does not block. */
void gst_tfrc_notifier_notify (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value);

/** Calls @a func within its limit: now, or, beyond the limit, as soon as the limit allows.  A later
 * call of the same function takes the place of one that waits.  For a function that the notifier
 * calls, which so tells in order; blocks as long as @a func does.
 * @param now_ns monotonic time, of gst_tfrc_clock_now_ns(), or a test */
void gst_tfrc_notifier_call_limited (
    GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value, guint64 now_ns);

/** Returns whether a message of its own may be posted; one that may not counts as dropped.  Any thread. */
gboolean gst_tfrc_notifier_may_post (GstTfrcNotifier *notifier, guint64 now_ns);

/** Has those calls made that the limits allow by now.  The thread does the same by itself.
 * @return when the limits allow the next of the calls that still wait; G_MAXUINT64: none waits */
guint64 gst_tfrc_notifier_release (GstTfrcNotifier *notifier, guint64 now_ns);

/** Returns how many calls and messages were left out since gst_tfrc_notifier_stop().  Any thread. */
guint64 gst_tfrc_notifier_get_dropped (GstTfrcNotifier *notifier);

G_END_DECLS
#endif
