/* News for the application, see tfrcteller.h. */
#include "tfrcteller.h"

#include "tfrcfork.h"

typedef struct
{
  TfrcTellFunc func;
  gint value;
} News;

void
tfrc_teller_init (TfrcTeller * teller, GstElement * element)
{
  teller->element = element;
  teller->generation = tfrc_fork_generation ();
  g_mutex_init (&teller->lock);
  g_queue_init (&teller->waiting);
  teller->telling = FALSE;
  teller->thread = NULL;
  g_cond_init (&teller->silent);
}

/* In a child of fork(2) the thread that tells is missing, and may have held the
 * lock: what the parent had to tell is forgotten. */
static void
adopt (TfrcTeller * teller)
{
  if (teller->generation != tfrc_fork_generation ())
    tfrc_teller_init (teller, teller->element);
}

void
tfrc_teller_clear (TfrcTeller * teller)
{
  adopt (teller);
  g_queue_clear_full (&teller->waiting, g_free);
  g_cond_clear (&teller->silent);
  g_mutex_clear (&teller->lock);
}

void
tfrc_teller_stop (TfrcTeller * teller)
{
  adopt (teller);
  g_mutex_lock (&teller->lock);
  g_queue_clear_full (&teller->waiting, g_free);
  while (teller->telling && teller->thread != g_thread_self ())
    g_cond_wait (&teller->silent, &teller->lock);
  g_mutex_unlock (&teller->lock);
}

static News *
take_news (TfrcTeller * teller)
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
tell_all (GstElement * element, gpointer data)
{
  News *news;

  while ((news = take_news (data)) != NULL) {
    news->func (element, news->value);
    g_free (news);
  }
}

/* Lock held */
static const News *
newest_of (const TfrcTeller * teller, TfrcTellFunc func)
{
  for (const GList * l = teller->waiting.tail; l; l = l->prev) {
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
start_telling (TfrcTeller * teller)
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

void
tfrc_teller_tell (TfrcTeller * teller, TfrcTellFunc func, gint value)
{
  gboolean start = FALSE;
  const News *newest;

  adopt (teller);
  g_mutex_lock (&teller->lock);
  newest = newest_of (teller, func);
  if (newest == NULL || newest->value != value) {
    News *news = g_new (News, 1);

    news->func = func;
    news->value = value;
    g_queue_push_tail (&teller->waiting, news);
    start = !teller->telling;
    teller->telling = TRUE;
  }
  g_mutex_unlock (&teller->lock);
  if (start)
    start_telling (teller);
}
