/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* News of callers, see callnews.h. */
#include "callnews.h"

void
gst_tfrc_call_news_free (GstTfrcCallNews *news)
{
  if (news == NULL)
    return;
  g_free (news->stream_id);
  g_free (news->reason);
  g_free (news);
}

void
gst_tfrc_call_news_add (GQueue *queue, GstTfrcCallNewsKind kind, guint64 id,
    const GstTfrcAddress *address, const gchar *stream_id, const gchar *reason)
{
  GstTfrcCallNews *news;

  if (kind == GST_TFRC_CALL_REJECTED
      && g_queue_get_length (queue) >= GST_TFRC_CALL_NEWS_MAX_REJECTED)
    return;
  news = g_new0 (GstTfrcCallNews, 1);
  news->kind = kind;
  news->id = id;
  news->address = *address;
  news->stream_id = g_strdup (stream_id);
  news->reason = g_strdup (reason);
  g_queue_push_tail (queue, news);
}
