/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* News of callers, see callnews.h. */
#include "callnews.h"

#include "../common/log.h"

/* What a caller does, or what is done with it, for the log */
static const gchar *const said[] = {
  [GST_TFRC_CALL_CONNECTING] = "calls",
  [GST_TFRC_CALL_ADDED] = "is accepted",
  [GST_TFRC_CALL_REMOVED] = "is removed",
  [GST_TFRC_CALL_REJECTED] = "is refused",
};

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

  gst_tfrc_log (port, INFO, "caller %s \"%s\" %s%s%s", GST_TFRC_ADDRESS_TEXT (address), stream_id,
      said[kind], reason ? ": " : "", reason ? reason : "");
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

void
gst_tfrc_call_news_add_call (
    GQueue *queue, const GstTfrcCaller *caller, GstTfrcCallersResult result)
{
  gboolean has_room = result == GST_TFRC_CALLERS_NEW;

  gst_tfrc_call_news_add (queue, has_room ? GST_TFRC_CALL_CONNECTING : GST_TFRC_CALL_REJECTED,
      caller->id, &caller->address, caller->stream_id, has_room ? NULL : "there is no room");
}

void
gst_tfrc_call_news_refuse (
    GQueue *queue, GstTfrcCallers *callers, guint64 id, const gchar *reason, guint64 now_ns)
{
  GstTfrcCaller caller;

  if (gst_tfrc_callers_refuse (callers, id, reason, now_ns, &caller))
    gst_tfrc_call_news_add (
        queue, GST_TFRC_CALL_REJECTED, id, &caller.address, caller.stream_id, reason);
}
