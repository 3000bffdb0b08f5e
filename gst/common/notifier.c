/* News for the application, see notifier.h. */
#include "notifier.h"

#include "clock.h"
#include "fork.h"

typedef struct
{
  GstTfrcNotifyFunc func;
  gint value;
} News;

void
gst_tfrc_notifier_init (GstTfrcNotifier *notifier, GstElement *element)
{
  notifier->element = element;
  notifier->generation = gst_tfrc_fork_generation ();
  g_mutex_init (&notifier->lock);
  g_queue_init (&notifier->waiting);
  notifier->telling = FALSE;
  notifier->thread = NULL;
  g_cond_init (&notifier->silent);
  notifier->n_kinds = 0;
  notifier->dropped = 0;
  notifier->holding = FALSE;
  g_cond_init (&notifier->released);
}

/* In a child of fork(2) the thread that tells is missing, and may have held the
 * lock: what the parent had to tell is forgotten. */
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
  g_queue_clear_full (&notifier->waiting, g_free);
  g_cond_clear (&notifier->silent);
  g_cond_clear (&notifier->released);
  g_mutex_clear (&notifier->lock);
}

void
gst_tfrc_notifier_stop (GstTfrcNotifier *notifier)
{
  adopt (notifier);
  g_mutex_lock (&notifier->lock);
  g_queue_clear_full (&notifier->waiting, g_free);
  notifier->n_kinds = 0;
  notifier->dropped = 0;
  g_cond_signal (&notifier->released);
  while (notifier->holding || (notifier->telling && notifier->thread != g_thread_self ()))
    g_cond_wait (&notifier->silent, &notifier->lock);
  g_mutex_unlock (&notifier->lock);
}

static News *
take_news (GstTfrcNotifier *notifier)
{
  News *news;

  g_mutex_lock (&notifier->lock);
  news = g_queue_pop_head (&notifier->waiting);
  notifier->telling = news != NULL;
  notifier->thread = news ? g_thread_self () : NULL;
  if (news == NULL)
    g_cond_broadcast (&notifier->silent);
  g_mutex_unlock (&notifier->lock);
  return news;
}

static void
tell_all (GstElement *element, gpointer data)
{
  News *news;

  while ((news = take_news (data)) != NULL) {
    news->func (element, news->value);
    g_free (news);
  }
}

/* Lock held */
static const News *
newest_of (const GstTfrcNotifier *notifier, GstTfrcNotifyFunc func)
{
  for (const GList *l = notifier->waiting.tail; l; l = l->prev) {
    const News *news = l->data;

    if (news->func == func)
      return news;
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

/* A child of fork(2) still counts the idle threads of its parent's pool, and would
 * wait for them in vain. */
static void
start_telling (GstTfrcNotifier *notifier)
{
  GThread *thread;

  if (gst_tfrc_fork_generation () == 0) {
    gst_element_call_async (notifier->element, tell_all, notifier, NULL);
    return;
  }
  gst_object_ref (notifier->element);
  thread = g_thread_try_new ("tfrc-news", tell_and_unref, notifier, NULL);
  if (thread) {
    g_thread_unref (thread);
    return;
  }
  /* What waits is told with the next news. */
  gst_object_unref (notifier->element);
  g_mutex_lock (&notifier->lock);
  notifier->telling = FALSE;
  g_mutex_unlock (&notifier->lock);
}

/* Lock held
 * @return TRUE if start_telling() is to be called when it is released */
static gboolean
add_news (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
{
  gboolean start = !notifier->telling;
  News *news = g_new (News, 1);

  news->func = func;
  news->value = value;
  g_queue_push_tail (&notifier->waiting, news);
  notifier->telling = TRUE;
  return start;
}

/* Lock held */
static gboolean
waits_already (const GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
{
  const News *newest = newest_of (notifier, func);

  return newest && newest->value == value;
}

void
gst_tfrc_notifier_notify (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value)
{
  gboolean start;

  adopt (notifier);
  g_mutex_lock (&notifier->lock);
  start = !waits_already (notifier, func, value) && add_news (notifier, func, value);
  g_mutex_unlock (&notifier->lock);
  if (start)
    start_telling (notifier);
}

/* ---- the limit --------------------------------------------------------- */

/* Lock held */
static GstTfrcNotifierKind *
get_kind (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func)
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

/* Lock held: as gst_tfrc_notifier_release() */
static guint64
release (GstTfrcNotifier *notifier, guint64 now_ns, gboolean *start)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < notifier->n_kinds; i++) {
    GstTfrcNotifierKind *kind = &notifier->kinds[i];

    if (kind->held && gst_tfrc_token_bucket_take (&kind->bucket, now_ns)) {
      kind->held = FALSE;
      *start |= add_news (notifier, kind->func, kind->value);
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

  g_mutex_lock (&notifier->lock);
  next_ns = release (notifier, now_ns, &start);
  g_mutex_unlock (&notifier->lock);
  if (start)
    start_telling (notifier);
  return next_ns;
}

/* The thread that waits for the limit.  Nothing is told on it. */
static gpointer
hold (gpointer data)
{
  GstTfrcNotifier *notifier = data;
  GstElement *element = notifier->element;
  guint64 next_ns;

  g_mutex_lock (&notifier->lock);
  for (;;) {
    gboolean start = FALSE;

    next_ns = release (notifier, gst_tfrc_clock_now_ns (), &start);
    if (start) {
      g_mutex_unlock (&notifier->lock);
      start_telling (notifier);
      g_mutex_lock (&notifier->lock);
      continue;
    }
    if (next_ns == G_MAXUINT64)
      break;
    g_cond_wait_until (&notifier->released, &notifier->lock, (gint64) (next_ns / 1000 + 1));
  }
  notifier->holding = FALSE;
  g_cond_broadcast (&notifier->silent);
  g_mutex_unlock (&notifier->lock);
  gst_object_unref (element);
  return NULL;
}

static void
start_holding (GstTfrcNotifier *notifier)
{
  GstElement *element = gst_object_ref (notifier->element);
  GThread *thread = g_thread_try_new ("tfrc-news", hold, notifier, NULL);

  if (thread) {
    g_thread_unref (thread);
    return;
  }
  /* What is held is told with the next news. */
  g_mutex_lock (&notifier->lock);
  notifier->holding = FALSE;
  g_mutex_unlock (&notifier->lock);
  gst_object_unref (element);
}

void
gst_tfrc_notifier_notify_limited (
    GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value, guint64 now_ns)
{
  gboolean start = FALSE, start_to_hold = FALSE;
  GstTfrcNotifierKind *kind;

  adopt (notifier);
  g_mutex_lock (&notifier->lock);
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
  g_mutex_unlock (&notifier->lock);
  if (start)
    start_telling (notifier);
  if (start_to_hold)
    start_holding (notifier);
}

guint64
gst_tfrc_notifier_get_dropped (GstTfrcNotifier *notifier)
{
  guint64 dropped;

  adopt (notifier);
  g_mutex_lock (&notifier->lock);
  dropped = notifier->dropped;
  g_mutex_unlock (&notifier->lock);
  return dropped;
}
