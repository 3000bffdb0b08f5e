/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that run the application's code, see notifier.h. */
#include "notifier.h"

#include "clock.h"
#include "fork.h"

typedef struct
{
  GstTfrcNotifyFunc func;
  gint value;
} Call;

void
gst_tfrc_notifier_init (GstTfrcNotifier *notifier, GstElement *element)
{
  notifier->element = element;
  notifier->generation = gst_tfrc_fork_generation ();
  gst_tfrc_notifier_mutex_init (&notifier->lock);
  gst_tfrc_notifier_mutex_assume (&notifier->lock);
  g_queue_init (&notifier->waiting);
  notifier->calling = FALSE;
  notifier->thread = NULL;
  g_cond_init (&notifier->silent);
  notifier->n_kinds = 0;
  notifier->dropped = 0;
  notifier->holding = FALSE;
  g_cond_init (&notifier->released);
}

/* In a child of fork(2) the notifier's threads are missing, and may have held the lock.  The calls
 * that the parent had to make are forgotten. */
static void
adopt (GstTfrcNotifier *notifier)
{
  if (notifier->generation != gst_tfrc_fork_generation ())
    gst_tfrc_notifier_init (notifier, notifier->element);
}

void
gst_tfrc_notifier_clear (GstTfrcNotifier *notifier)
{
  adopt (notifier);
  gst_tfrc_notifier_mutex_assume (&notifier->lock);
  g_queue_clear_full (&notifier->waiting, g_free);
  g_cond_clear (&notifier->silent);
  g_cond_clear (&notifier->released);
  gst_tfrc_notifier_mutex_clear (&notifier->lock);
}

void
gst_tfrc_notifier_stop (GstTfrcNotifier *notifier)
{
  adopt (notifier);
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  g_queue_clear_full (&notifier->waiting, g_free);
  notifier->n_kinds = 0;
  notifier->dropped = 0;
  g_cond_signal (&notifier->released);
  while (notifier->holding || (notifier->calling && notifier->thread != g_thread_self ()))
    gst_tfrc_notifier_mutex_wait (&notifier->lock, &notifier->silent);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
}

static Call *
take_call (GstTfrcNotifier *notifier)
{
  Call *call;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  call = g_queue_pop_head (&notifier->waiting);
  notifier->calling = call != NULL;
  notifier->thread = call ? g_thread_self () : NULL;
  if (call == NULL)
    g_cond_broadcast (&notifier->silent);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  return call;
}

static void
tell_all (GstElement *element, gpointer data)
{
  Call *call;

  while ((call = take_call (data)) != NULL) {
    call->func (element, call->value);
    g_free (call);
  }
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

static gpointer
tell_and_unref (gpointer data)
{
  GstTfrcNotifier *notifier = data;
  GstElement *element = notifier->element;

  tell_all (element, notifier);
  gst_object_unref (element);
  return NULL;
}

/* A child of fork(2) still counts the idle threads of its parent's pool, and would wait for them in
 * vain.  It starts a thread of its own instead. */
static void
start_calling (GstTfrcNotifier *notifier)
{
  GThread *thread;

  if (gst_tfrc_fork_generation () == 0) {
    gst_element_call_async (notifier->element, tell_all, notifier, NULL);
    return;
  }
  gst_object_ref (notifier->element);
  thread = g_thread_try_new ("tfrc-notify", tell_and_unref, notifier, NULL);
  if (thread) {
    g_thread_unref (thread);
    return;
  }
  /* The waiting calls are made with the next call. */
  gst_object_unref (notifier->element);
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  notifier->calling = FALSE;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
}

/* @return TRUE if start_calling() is to be called when the lock is released */
static gboolean
add_call (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
    GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  gboolean start = !notifier->calling;
  Call *call = g_new (Call, 1);

  call->func = func;
  call->value = value;
  g_queue_push_tail (&notifier->waiting, call);
  notifier->calling = TRUE;
  return start;
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
  gboolean start;

  adopt (notifier);
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  start = !waits_already (notifier, func, value) && add_call (notifier, func, value);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  if (start)
    start_calling (notifier);
}

/* ---- the limit --------------------------------------------------------- */

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

/* As gst_tfrc_notifier_release() */
static guint64
release (GstTfrcNotifier *notifier, guint64 now_ns, gboolean *start)
    GST_TFRC_REQUIRES (gst_tfrc_notifier_mutex)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < notifier->n_kinds; i++) {
    GstTfrcNotifierKind *kind = &notifier->kinds[i];

    if (kind->held && gst_tfrc_token_bucket_take (&kind->bucket, now_ns)) {
      kind->held = FALSE;
      *start |= add_call (notifier, kind->func, kind->value);
    }
    if (kind->held)
      next_ns = MIN (next_ns, gst_tfrc_token_bucket_next_ns (&kind->bucket));
  }
  return next_ns;
}

guint64
gst_tfrc_notifier_release (GstTfrcNotifier *notifier, guint64 now_ns)
{
  gboolean start = FALSE;
  guint64 next_ns;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  next_ns = release (notifier, now_ns, &start);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  if (start)
    start_calling (notifier);
  return next_ns;
}

/* The thread that waits for the limits.  It makes no call itself. */
static gpointer
hold (gpointer data)
{
  GstTfrcNotifier *notifier = data;
  GstElement *element = notifier->element;
  guint64 next_ns;

  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  for (;;) {
    gboolean start = FALSE;

    next_ns = release (notifier, gst_tfrc_clock_now_ns (), &start);
    if (start) {
      gst_tfrc_notifier_mutex_unlock (&notifier->lock);
      start_calling (notifier);
      gst_tfrc_notifier_mutex_lock (&notifier->lock);
      continue;
    }
    if (next_ns == G_MAXUINT64)
      break;
    gst_tfrc_notifier_mutex_wait_until (
        &notifier->lock, &notifier->released, (gint64) (next_ns / 1000 + 1));
  }
  notifier->holding = FALSE;
  g_cond_broadcast (&notifier->silent);
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  gst_object_unref (element);
  return NULL;
}

static void
start_holding (GstTfrcNotifier *notifier)
{
  GstElement *element = gst_object_ref (notifier->element);
  GThread *thread = g_thread_try_new ("tfrc-notify", hold, notifier, NULL);

  if (thread) {
    g_thread_unref (thread);
    return;
  }
  /* The held calls are made with the next call. */
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  notifier->holding = FALSE;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  gst_object_unref (element);
}

void
gst_tfrc_notifier_notify_limited (
    GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value, guint64 now_ns)
{
  gboolean start = FALSE, start_to_hold = FALSE;
  GstTfrcNotifierKind *kind;

  adopt (notifier);
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  kind = get_kind (notifier, func);
  if (kind->held) {
    notifier->dropped++;
    kind->value = value;
  } else if (!waits_already (notifier, func, value)) {
    kind->held = TRUE;
    kind->value = value;
  }
  if (release (notifier, now_ns, &start) != G_MAXUINT64 && !notifier->holding)
    notifier->holding = start_to_hold = TRUE;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  if (start)
    start_calling (notifier);
  if (start_to_hold)
    start_holding (notifier);
}

guint64
gst_tfrc_notifier_get_dropped (GstTfrcNotifier *notifier)
{
  guint64 dropped;

  adopt (notifier);
  gst_tfrc_notifier_mutex_lock (&notifier->lock);
  dropped = notifier->dropped;
  gst_tfrc_notifier_mutex_unlock (&notifier->lock);
  return dropped;
}
