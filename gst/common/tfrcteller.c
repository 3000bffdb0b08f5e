/* News for the application, see tfrcteller.h. */
#include "tfrcteller.h"

#include "tfrcclock.h"
#include "tfrcfork.h"

typedef struct
{
  TfrcTellFunc func;
  gint value;
} News;

void
tfrc_teller_init (TfrcTeller *teller, GstElement *element)
{
  teller->element = element;
  teller->generation = tfrc_fork_generation ();
  g_mutex_init (&teller->lock);
  g_queue_init (&teller->waiting);
  teller->telling = FALSE;
  teller->thread = NULL;
  g_cond_init (&teller->silent);
  teller->n_kinds = 0;
  teller->dropped = 0;
  teller->holding = FALSE;
  g_cond_init (&teller->released);
}

/* In a child of fork(2) the thread that tells is missing, and may have held the
 * lock: what the parent had to tell is forgotten. */
static void
adopt (TfrcTeller *teller)
{
  if (teller->generation != tfrc_fork_generation ())
    tfrc_teller_init (teller, teller->element);
}

void
tfrc_teller_clear (TfrcTeller *teller)
{
  adopt (teller);
  g_queue_clear_full (&teller->waiting, g_free);
  g_cond_clear (&teller->silent);
  g_cond_clear (&teller->released);
  g_mutex_clear (&teller->lock);
}

void
tfrc_teller_stop (TfrcTeller *teller)
{
  adopt (teller);
  g_mutex_lock (&teller->lock);
  g_queue_clear_full (&teller->waiting, g_free);
  teller->n_kinds = 0;
  teller->dropped = 0;
  g_cond_signal (&teller->released);
  while (teller->holding || (teller->telling && teller->thread != g_thread_self ()))
    g_cond_wait (&teller->silent, &teller->lock);
  g_mutex_unlock (&teller->lock);
}

static News *
take_news (TfrcTeller *teller)
{
  News *news;

  g_mutex_lock (&teller->lock);
  news = g_queue_pop_head (&teller->waiting);
  teller->telling = news != NULL;
  teller->thread = news ? g_thread_self () : NULL;
  if (news == NULL)
    g_cond_broadcast (&teller->silent);
  g_mutex_unlock (&teller->lock);
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
newest_of (const TfrcTeller *teller, TfrcTellFunc func)
{
  for (const GList *l = teller->waiting.tail; l; l = l->prev) {
    const News *news = l->data;

    if (news->func == func)
      return news;
  }
  return NULL;
}

static gpointer
tell_and_unref (gpointer data)
{
  TfrcTeller *teller = data;
  GstElement *element = teller->element;

  tell_all (element, teller);
  gst_object_unref (element);
  return NULL;
}

/* A child of fork(2) still counts the idle threads of its parent's pool, and would
 * wait for them in vain. */
static void
start_telling (TfrcTeller *teller)
{
  GThread *thread;

  if (tfrc_fork_generation () == 0) {
    gst_element_call_async (teller->element, tell_all, teller, NULL);
    return;
  }
  gst_object_ref (teller->element);
  thread = g_thread_try_new ("tfrc-news", tell_and_unref, teller, NULL);
  if (thread) {
    g_thread_unref (thread);
    return;
  }
  /* What waits is told with the next news. */
  gst_object_unref (teller->element);
  g_mutex_lock (&teller->lock);
  teller->telling = FALSE;
  g_mutex_unlock (&teller->lock);
}

/* Lock held
 * @return TRUE if start_telling() is to be called when it is released */
static gboolean
add_news (TfrcTeller *teller, TfrcTellFunc func, gint value)
{
  gboolean start = !teller->telling;
  News *news = g_new (News, 1);

  news->func = func;
  news->value = value;
  g_queue_push_tail (&teller->waiting, news);
  teller->telling = TRUE;
  return start;
}

/* Lock held */
static gboolean
waits_already (const TfrcTeller *teller, TfrcTellFunc func, gint value)
{
  const News *newest = newest_of (teller, func);

  return newest && newest->value == value;
}

void
tfrc_teller_tell (TfrcTeller *teller, TfrcTellFunc func, gint value)
{
  gboolean start;

  adopt (teller);
  g_mutex_lock (&teller->lock);
  start = !waits_already (teller, func, value) && add_news (teller, func, value);
  g_mutex_unlock (&teller->lock);
  if (start)
    start_telling (teller);
}

/* ---- the limit --------------------------------------------------------- */

/* Lock held */
static TfrcTellerKind *
get_kind (TfrcTeller *teller, TfrcTellFunc func)
{
  TfrcTellerKind *kind = teller->kinds;

  while (kind < teller->kinds + teller->n_kinds && kind->func != func)
    kind++;
  if (kind == teller->kinds + teller->n_kinds) {
    g_assert (teller->n_kinds < TFRC_TELLER_KINDS);
    teller->n_kinds++;
    kind->func = func;
    tfrc_token_bucket_init (&kind->bucket, TFRC_TELLER_PER_SECOND, TFRC_TELLER_BURST);
    kind->held = FALSE;
  }
  return kind;
}

/* Lock held: as tfrc_teller_release() */
static guint64
release (TfrcTeller *teller, guint64 now_ns, gboolean *start)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < teller->n_kinds; i++) {
    TfrcTellerKind *kind = &teller->kinds[i];

    if (kind->held && tfrc_token_bucket_take (&kind->bucket, now_ns)) {
      kind->held = FALSE;
      *start |= add_news (teller, kind->func, kind->value);
    }
    if (kind->held)
      next_ns = MIN (next_ns, tfrc_token_bucket_next_ns (&kind->bucket));
  }
  return next_ns;
}

guint64
tfrc_teller_release (TfrcTeller *teller, guint64 now_ns)
{
  gboolean start = FALSE;
  guint64 next_ns;

  g_mutex_lock (&teller->lock);
  next_ns = release (teller, now_ns, &start);
  g_mutex_unlock (&teller->lock);
  if (start)
    start_telling (teller);
  return next_ns;
}

/* The thread that waits for the limit.  Nothing is told on it. */
static gpointer
hold (gpointer data)
{
  TfrcTeller *teller = data;
  GstElement *element = teller->element;
  guint64 next_ns;

  g_mutex_lock (&teller->lock);
  for (;;) {
    gboolean start = FALSE;

    next_ns = release (teller, tfrc_clock_now_ns (), &start);
    if (start) {
      g_mutex_unlock (&teller->lock);
      start_telling (teller);
      g_mutex_lock (&teller->lock);
      continue;
    }
    if (next_ns == G_MAXUINT64)
      break;
    g_cond_wait_until (&teller->released, &teller->lock, (gint64) (next_ns / 1000 + 1));
  }
  teller->holding = FALSE;
  g_cond_broadcast (&teller->silent);
  g_mutex_unlock (&teller->lock);
  gst_object_unref (element);
  return NULL;
}

static void
start_holding (TfrcTeller *teller)
{
  GstElement *element = gst_object_ref (teller->element);
  GThread *thread = g_thread_try_new ("tfrc-news", hold, teller, NULL);

  if (thread) {
    g_thread_unref (thread);
    return;
  }
  /* What is held is told with the next news. */
  g_mutex_lock (&teller->lock);
  teller->holding = FALSE;
  g_mutex_unlock (&teller->lock);
  gst_object_unref (element);
}

void
tfrc_teller_tell_limited (TfrcTeller *teller, TfrcTellFunc func, gint value, guint64 now_ns)
{
  gboolean start = FALSE, start_to_hold = FALSE;
  TfrcTellerKind *kind;

  adopt (teller);
  g_mutex_lock (&teller->lock);
  kind = get_kind (teller, func);
  if (kind->held) {
    teller->dropped++;
    kind->value = value;
  } else if (!waits_already (teller, func, value)) {
    kind->held = TRUE;
    kind->value = value;
  }
  if (release (teller, now_ns, &start) != G_MAXUINT64 && !teller->holding)
    teller->holding = start_to_hold = TRUE;
  g_mutex_unlock (&teller->lock);
  if (start)
    start_telling (teller);
  if (start_to_hold)
    start_holding (teller);
}

guint64
tfrc_teller_get_dropped (TfrcTeller *teller)
{
  guint64 dropped;

  adopt (teller);
  g_mutex_lock (&teller->lock);
  dropped = teller->dropped;
  g_mutex_unlock (&teller->lock);
  return dropped;
}
