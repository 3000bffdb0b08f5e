/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What has happened to the callers of a stream that listens, for the application, which takes it one at a time and
 * in order. No lock: the owner's. */
#ifndef GST_TFRC_CALLNEWS_H
#define GST_TFRC_CALLNEWS_H

#include "../strangers/callers.h"

G_BEGIN_DECLS

/** While so much news waits, no more of rejected callers is added: any host can cause these, and an
 * application that hangs does not take them. */
#define GST_TFRC_CALL_NEWS_MAX_REJECTED 256

typedef enum
{
  GST_TFRC_CALL_CONNECTING, /**< wants an answer */
  GST_TFRC_CALL_ADDED,
  GST_TFRC_CALL_REMOVED,
  GST_TFRC_CALL_REJECTED
} GstTfrcCallNewsKind;

/** What has happened to a caller */
typedef struct
{
  GstTfrcCallNewsKind kind;
  guint64 id; /**< of the call */
  GstTfrcAddress address;
  gchar *stream_id;
  gchar *reason; /**< of REMOVED and REJECTED; NULL otherwise */
} GstTfrcCallNews;

/** NULL is allowed. */
void gst_tfrc_call_news_free (GstTfrcCallNews *news);

/** Adds news to a queue of GstTfrcCallNews, and logs it.
 * @param reason of REMOVED and REJECTED; NULL otherwise */
void gst_tfrc_call_news_add (GQueue *queue, GstTfrcCallNewsKind kind, guint64 id,
    const GstTfrcAddress *address, const gchar *stream_id, const gchar *reason);

/** Adds that a caller waits for a decision (GST_TFRC_CALLERS_NEW), or was refused as there is no room
 * (GST_TFRC_CALLERS_FULL). */
void gst_tfrc_call_news_add_call (
    GQueue *queue, const GstTfrcCaller *caller, GstTfrcCallersResult result);

/** Refuses a caller that waits, and adds that. One that does not wait any more is left alone.
 * @param reason that the caller is told */
void gst_tfrc_call_news_refuse (
    GQueue *queue, GstTfrcCallers *callers, guint64 id, const gchar *reason, guint64 now_ns);

G_END_DECLS
#endif
