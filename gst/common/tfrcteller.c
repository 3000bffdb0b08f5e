/* News for the application, see tfrcteller.h. */
#include "tfrcteller.h"

typedef struct
{
  TfrcTellFunc func;
  gint value;
} News;

void
tfrc_teller_init (TfrcTeller * teller, GstElement * element)
{
  teller->element = element;
  g_mutex_init (&teller->lock);
  g_queue_init (&teller->waiting);
  teller->telling = FALSE;
  teller->thread = NULL;
  g_cond_init (&teller->silent);
}

void
tfrc_teller_clear (TfrcTeller * teller)
{
  g_queue_clear_full (&teller->waiting, g_free);
  g_cond_clear (&teller->silent);
  g_mutex_clear (&teller->lock);
}

void
tfrc_teller_stop (TfrcTeller * teller)
{
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

void
tfrc_teller_tell (TfrcTeller * teller, TfrcTellFunc func, gint value)
{
  gboolean start = FALSE;
  const News *newest;

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
    gst_element_call_async (teller->element, tell_all, teller, NULL);
}
