/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls that run the application's code, and the thread that makes them, see notifier.h. */
#include "notifier.h"
#include "clock.h"
#include "fork.h"

/* ---- the thread -------------------------------------------------------------- */

GST_TFRC_DECLARE_MUTEX (GstTfrcNotifyThreadMutex, gst_tfrc_notify_thread_mutex)

#define GUARDED GST_TFRC_GUARDED_BY (gst_tfrc_notify_thread_mutex)

static GstTfrcNotifyThreadMutex lock;
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
forget (void) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  waiting = NULL;
  running = NULL;
  thread = NULL;
  g_cond_init (&changed);
}

static void
enter (void) GST_TFRC_ACQUIRE (gst_tfrc_notify_thread_mutex)
{
  static gsize guarded;

  if (g_once_init_enter (&guarded)) {
    gst_tfrc_fork_guard (&lock.mutex, forget);
    g_once_init_leave (&guarded, 1);
  }
  gst_tfrc_notify_thread_mutex_lock (&lock);
  if (waiting == NULL)
    waiting = g_sequence_new (NULL);
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

/* Returns whether the job has waited, and so had a reference to its owner. */
static gboolean
take_back (GstTfrcNotifyJob *job) GST_TFRC_REQUIRES (gst_tfrc_notify_thread_mutex)
{
  gboolean waited = job->place != NULL;

  if (waited)
    take (job);
  return waited;
}

void
gst_tfrc_notify_thread_cancel (GstTfrcNotifyJob *job)
{
  guint references;

  enter ();
  references = take_back (job);
  cancelled |= running == job;
  while (running == job && thread != g_thread_self ()) {
    gst_tfrc_notify_thread_mutex_wait (&lock, &changed);
    references += take_back (job); /* a job may schedule itself */
  }
  gst_tfrc_notify_thread_mutex_unlock (&lock);
  while (references-- > 0)
    g_object_unref (job->owner);
}

/* ---- the calls of an element ------------------------------------------------- */

typedef struct
{
  GstTfrcNotifyFunc func;
  gint value;
} Call;

static void
add_call (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
    GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  Call *call = g_new (Call, 1);

  call->func = func;
  call->value = value;
  g_queue_push_tail (&notifier->waiting, call);
}

/* Adds the calls that the limits allow.
 * @return when the limits allow the next; G_MAXUINT64: none is held */
static guint64
release (GstTfrcNotifier *notifier, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < notifier->n_kinds; i++) {
    GstTfrcNotifierKind *kind = &notifier->kinds[i];

    if (kind->held && gst_tfrc_token_bucket_take (&kind->bucket, now_ns)) {
      kind->held = FALSE;
      add_call (notifier, kind->func, kind->value);
    }
    if (kind->held)
      next_ns = MIN (next_ns, gst_tfrc_token_bucket_next_ns (&kind->bucket));
  }
  return next_ns;
}

/* ---- the calls ---------------------------------------------------------- */

/* One call at a time, so that the elements of a process take turns. */
static guint64
make_call (gpointer data)
{
  GstTfrcNotifier *notifier = data;
  guint64 next_ns;
  Call *call;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  next_ns = release (notifier, gst_tfrc_clock_now_ns ());
  call = g_queue_pop_head (&notifier->waiting);
  if (!g_queue_is_empty (&notifier->waiting))
    next_ns = 0;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  if (call == NULL)
    return next_ns;
  call->func (notifier->user, call->value);
  g_free (call);
  return next_ns;
}

static void
reset_limits (GstTfrcNotifier *notifier) GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  notifier->n_kinds = 0;
  notifier->dropped = 0;
  gst_tfrc_token_bucket_init (
      &notifier->messages, GST_TFRC_NOTIFIER_MESSAGES_PER_SECOND, GST_TFRC_NOTIFIER_MESSAGES_BURST);
}

void
gst_tfrc_notifier_init (GstTfrcNotifier *notifier, GstElement *element, gpointer user)
{
  notifier->user = user;
  gst_tfrc_notifier_mutex_init (&notifier->lock);
  gst_tfrc_notifier_mutex_assume (&notifier->lock);
  gst_tfrc_notify_job_init (&notifier->job, element, make_call, notifier);
  g_queue_init (&notifier->waiting);
  reset_limits (notifier);
}

void
gst_tfrc_notifier_clear (GstTfrcNotifier *notifier)
{
  gst_tfrc_notifier_mutex_assume (&notifier->lock);
  g_queue_clear_full (&notifier->waiting, g_free);
  gst_tfrc_notifier_mutex_clear (&notifier->lock);
}

static void
forget_calls (GstTfrcNotifier *notifier)
{
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  g_queue_clear_full (&notifier->waiting, g_free);
  reset_limits (notifier);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
}

void
gst_tfrc_notifier_stop (GstTfrcNotifier *notifier)
{
  forget_calls (notifier);
  gst_tfrc_notify_thread_cancel (&notifier->job);
  forget_calls (notifier); /* the function that ran may have asked for a call */
}

static const Call *
newest_of (const GstTfrcNotifier *notifier, GstTfrcNotifyFunc func)
    GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  for (const GList *l = notifier->waiting.tail; l; l = l->prev) {
    const Call *call = l->data;

    if (call->func == func)
      return call;
  }
  return NULL;
}

static gboolean
waits_already (const GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
    GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  const Call *newest = newest_of (notifier, func);

  return newest && newest->value == value;
}

void
gst_tfrc_notifier_notify (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
{
  gboolean repeats;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  repeats = waits_already (notifier, func, value);
  if (!repeats)
    add_call (notifier, func, value);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  if (!repeats)
    gst_tfrc_notify_thread_schedule (&notifier->job, 0);
}

/* ---- calls with a limit ------------------------------------------------- */

static GstTfrcNotifierKind *
get_kind (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func)
    GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  GstTfrcNotifierKind *kind = notifier->kinds;

  while (kind < notifier->kinds + notifier->n_kinds && kind->func != func)
    kind++;
  if (kind == notifier->kinds + notifier->n_kinds) {
    g_assert (notifier->n_kinds < GST_TFRC_NOTIFIER_KINDS);
    notifier->n_kinds++;
    kind->func = func;
    gst_tfrc_token_bucket_init (
        &kind->bucket, GST_TFRC_NOTIFIER_PER_SECOND, GST_TFRC_NOTIFIER_BURST);
    kind->held = FALSE;
  }
  return kind;
}

/* @next_ns: of release(); no lock is held */
static void
schedule (GstTfrcNotifier *notifier, gboolean calls_wait, guint64 next_ns)
{
  if (calls_wait)
    gst_tfrc_notify_thread_schedule (&notifier->job, 0);
  else if (next_ns != G_MAXUINT64)
    gst_tfrc_notify_thread_schedule (&notifier->job, next_ns);
}

guint64
gst_tfrc_notifier_release (GstTfrcNotifier *notifier, guint64 now_ns)
{
  gboolean calls_wait;
  guint64 next_ns;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  next_ns = release (notifier, now_ns);
  calls_wait = !g_queue_is_empty (&notifier->waiting);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  schedule (notifier, calls_wait, next_ns);
  return next_ns;
}

void
gst_tfrc_notifier_call_limited (
    GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value, guint64 now_ns)
{
  GstTfrcNotifierKind *kind;
  gboolean is_allowed;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  kind = get_kind (notifier, func);
  is_allowed = !kind->held && gst_tfrc_token_bucket_take (&kind->bucket, now_ns);
  notifier->dropped += kind->held;
  kind->held = !is_allowed;
  kind->value = value;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  if (is_allowed)
    func (notifier->user, value);
  else
    gst_tfrc_notifier_release (notifier, now_ns);
}

gboolean
gst_tfrc_notifier_may_post (GstTfrcNotifier *notifier, guint64 now_ns)
{
  gboolean is_allowed;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  is_allowed = gst_tfrc_token_bucket_take (&notifier->messages, now_ns);
  notifier->dropped += !is_allowed;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  return is_allowed;
}

guint64
gst_tfrc_notifier_get_dropped (GstTfrcNotifier *notifier)
{
  guint64 dropped;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  dropped = notifier->dropped;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  return dropped;
}
