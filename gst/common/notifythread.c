/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that runs the application's code, see notifythread.h. */
#include "notifythread.h"

#include "clock.h"
#include "fork.h"
#include "threads.h"

GST_TFRC_DECLARE_MUTEX (GstTfrcNotifyThreadMutex, gst_tfrc_notify_thread_mutex)

#define GUARDED GST_TFRC_GUARDED_BY (gst_tfrc_notify_thread_mutex)

static GstTfrcNotifyThreadMutex lock;
static guint generation GUARDED;          /* of the process that all this is of, see fork.h */
static GSequence *waiting GUARDED;        /* the jobs that wait, in the order of their times */
static guint64 scheduled GUARDED;         /* number of times that a job was to wait */
static GThread *thread GUARDED;           /* NULL: there is none */
static GstTfrcNotifyJob *running GUARDED; /* on the thread; NULL: none */
static gboolean cancelled GUARDED;        /* the running job */
static GCond changed;                     /* waiting or running */

void
gst_tfrc_notify_job_init (
    GstTfrcNotifyJob *job, gpointer owner, GstTfrcNotifyJobFunc run, gpointer user)
{
  job->owner = owner;
  job->run = run;
  job->user = user;
  job->place = NULL;
}

/* ---- the jobs that wait ------------------------------------------------- */

static gint
compare (gconstpointer a, gconstpointer b, gpointer unused)
{
  const GstTfrcNotifyJob *one = a, *other = b;

  if (one->due_ns != other->due_ns)
    return one->due_ns < other->due_ns ? -1 : 1;
  return one->number < other->number ? -1 : one->number > other->number;
}

/* The caller gives a reference to the owner. */
static void
put (GstTfrcNotifyJob *job, guint64 due_ns) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  job->due_ns = due_ns;
  job->number = scheduled++;
  job->place = g_sequence_insert_sorted (waiting, job, compare, NULL);
}

/* The caller gets the reference to the owner. */
static void
take (GstTfrcNotifyJob *job) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  g_sequence_remove (job->place);
  job->place = NULL;
}

static GstTfrcNotifyJob *
first (void) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  GSequenceIter *begin = g_sequence_get_begin_iter (waiting);

  return g_sequence_iter_is_end (begin) ? NULL : g_sequence_get (begin);
}

/* ---- the thread --------------------------------------------------------- */

/* A job that was scheduled meanwhile waits already, with another reference.
 * @return whether the thread's reference is used */
static gboolean
put_back (GstTfrcNotifyJob *job, guint64 next_ns) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  gboolean waits = job->place != NULL;

  if (cancelled || next_ns == G_MAXUINT64 || (waits && job->due_ns <= next_ns))
    return FALSE;
  if (waits)
    take (job);
  put (job, next_ns);
  return !waits;
}

static void
run (GstTfrcNotifyJob *job) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  GObject *owner = job->owner;
  guint64 next_ns;

  take (job);
  running = job;
  cancelled = FALSE;
  gst_tfrc_notify_thread_mutex_unlock (&lock);
  next_ns = job->run (job->user);
  gst_tfrc_notify_thread_mutex_lock (&lock);
  if (!put_back (job, next_ns)) {
    gst_tfrc_notify_thread_mutex_unlock (&lock);
    g_object_unref (owner);
    gst_tfrc_notify_thread_mutex_lock (&lock);
  }
  running = NULL;
  g_cond_broadcast (&changed);
}

/* @return FALSE: no job has come for long */
static gboolean
wait_for_job (void) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  GstTfrcNotifyJob *job = first ();
  gint64 end_us = job ? (gint64) (job->due_ns / 1000 + 1)
                      : g_get_monotonic_time () + GST_TFRC_NOTIFY_THREAD_IDLE_US;

  return gst_tfrc_notify_thread_mutex_wait_until (&lock, &changed, end_us) || first () != NULL;
}

static gpointer
serve (gpointer unused)
{
  GstTfrcNotifyJob *job;

  gst_tfrc_notify_thread_mutex_lock (&lock);
  do {
    while ((job = first ()) != NULL && job->due_ns <= gst_tfrc_clock_now_ns ())
      run (job);
  } while (wait_for_job ());
  g_clear_pointer (&thread, g_thread_unref);
  gst_tfrc_notify_thread_mutex_unlock (&lock);
  return NULL;
}

/* A child of fork(2) has neither the thread nor the jobs of its parent. */
static void
enter (void) GST_TFRC_ACQUIRE (gst_tfrc_notify_thread_mutex)
{
  static gsize guarded;

  if (g_once_init_enter (&guarded)) {
    gst_tfrc_fork_guard (&lock.mutex);
    g_once_init_leave (&guarded, 1);
  }
  gst_tfrc_notify_thread_mutex_lock (&lock);
  if (waiting != NULL && generation == gst_tfrc_fork_generation ())
    return;
  generation = gst_tfrc_fork_generation ();
  waiting = g_sequence_new (NULL);
  running = NULL;
  thread = NULL;
  g_cond_init (&changed);
}

void
gst_tfrc_notify_thread_schedule (GstTfrcNotifyJob *job, guint64 due_ns)
{
  enter ();
  if (job->place == NULL) {
    g_object_ref (job->owner);
    put (job, due_ns);
  } else if (due_ns < job->due_ns) {
    take (job);
    put (job, due_ns);
  }
  if (thread == NULL)
    thread = g_thread_try_new ("tfrc-notify", serve, NULL, NULL);
  else if (first () == job)
    g_cond_broadcast (&changed);
  gst_tfrc_notify_thread_mutex_unlock (&lock);
}

void
gst_tfrc_notify_thread_cancel (GstTfrcNotifyJob *job)
{
  gboolean waited;

  enter ();
  waited = job->place != NULL;
  if (waited)
    take (job);
  cancelled |= running == job;
  while (running == job && thread != g_thread_self ())
    gst_tfrc_notify_thread_mutex_wait (&lock, &changed);
  gst_tfrc_notify_thread_mutex_unlock (&lock);
  if (waited)
    g_object_unref (job->owner);
}
