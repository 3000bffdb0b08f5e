/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* News of callers, see gst/stream/callnews.h. */
#include <gst/check/gstcheck.h>

#include "gst/stream/callnews.h"

static const GstTfrcAddress somewhere;

static GstTfrcCaller
caller (guint64 id)
{
  return (GstTfrcCaller){ .id = id, .stream_id = "film" };
}

/* Checks the oldest news, and takes it. */
static void
take (GQueue *queue, GstTfrcCallNewsKind kind, guint64 id, const gchar *reason)
{
  GstTfrcCallNews *news = g_queue_pop_head (queue);

  fail_unless (news != NULL);
  fail_unless_equals_int (news->kind, kind);
  fail_unless_equals_uint64 (news->id, id);
  fail_unless_equals_string (news->stream_id, "film");
  fail_unless_equals_string (news->reason, reason);
  gst_tfrc_call_news_free (news);
}

GST_START_TEST (news_come_in_order)
{
  GstTfrcCaller first = caller (1), second = caller (2);
  GQueue queue = G_QUEUE_INIT;

  gst_tfrc_call_news_add_call (&queue, &first, GST_TFRC_CALLERS_NEW);
  gst_tfrc_call_news_add_call (&queue, &second, GST_TFRC_CALLERS_FULL);
  gst_tfrc_call_news_add (&queue, GST_TFRC_CALL_ADDED, 1, &somewhere, "film", NULL);
  gst_tfrc_call_news_add (&queue, GST_TFRC_CALL_REMOVED, 1, &somewhere, "film", "gone");
  take (&queue, GST_TFRC_CALL_CONNECTING, 1, NULL);
  take (&queue, GST_TFRC_CALL_REJECTED, 2, "there is no room");
  take (&queue, GST_TFRC_CALL_ADDED, 1, NULL);
  take (&queue, GST_TFRC_CALL_REMOVED, 1, "gone");
  fail_unless (g_queue_is_empty (&queue));
}
GST_END_TEST;

GST_START_TEST (rejected_callers_fill_no_more_than_their_places)
{
  GstTfrcCaller one = caller (1);
  GQueue queue = G_QUEUE_INIT;

  for (guint i = 0; i < 10 * GST_TFRC_CALL_NEWS_MAX_REJECTED; i++)
    gst_tfrc_call_news_add_call (&queue, &one, GST_TFRC_CALLERS_FULL);
  fail_unless_equals_int (g_queue_get_length (&queue), GST_TFRC_CALL_NEWS_MAX_REJECTED);
  gst_tfrc_call_news_add_call (&queue, &one, GST_TFRC_CALLERS_NEW);
  fail_unless_equals_int (g_queue_get_length (&queue), GST_TFRC_CALL_NEWS_MAX_REJECTED + 1);
  g_queue_clear_full (&queue, (GDestroyNotify) gst_tfrc_call_news_free);
}
GST_END_TEST;

static Suite *
callnews_suite (void)
{
  Suite *suite = suite_create ("callnews");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, news_come_in_order);
  tcase_add_test (tc, rejected_callers_fill_no_more_than_their_places);
  return suite;
}

GST_CHECK_MAIN (callnews);
