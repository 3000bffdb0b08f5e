/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of handovers: compares what is known of them, and adds events for the application. The rules
 * of a handover are in lib/tfrc. */
#ifndef GST_TFRC_HANDOVERLOG_H
#define GST_TFRC_HANDOVERLOG_H

#include "../common/events.h"
#include "../common/tokenbucket.h"

G_BEGIN_DECLS

/** Limits of the event rate. A peer can cause events as often as it likes. So
 * GST_TFRC_HANDOVER_EVENT_BURST events are released at once, and
 * GST_TFRC_HANDOVER_EVENT_PER_SECOND in the long run. Beyond that the log holds the newest event of
 * each kind until a later update may release it. An event that a newer one replaces is counted as
 * dropped. */
#define GST_TFRC_HANDOVER_EVENT_BURST 24
#define GST_TFRC_HANDOVER_EVENT_PER_SECOND 4

/** For handoverlog.c alone */
typedef struct
{
  GstTfrcEvents *events;
  GstTfrcHandoverView last;   /* at the last update */
  GstTfrcHandoverView before; /* at the beginning of the handover under way */
  guint64 started_ns;
  GstTfrcTokenBucket bucket;
  GstTfrcEvent held[GST_TFRC_HANDOVER_EVENT_COMPLETED + 1]; /* over the limit, the oldest first */
  guint n_held;
} GstTfrcHandoverLog;

/** @param events gets the events, and lives longer than @a log; NULL: nobody is to be told */
void gst_tfrc_handover_log_init (GstTfrcHandoverLog *log, GstTfrcEvents *events);

/** Compares @a view with the view of the last update, and adds an event for each difference. */
void gst_tfrc_handover_log_update (
    GstTfrcHandoverLog *log, const GstTfrcHandoverView *view, guint64 now_ns);

/** Returns the view of the last update; all zero before. Valid as long as @a log. */
const GstTfrcHandoverView *gst_tfrc_handover_log_get_last (const GstTfrcHandoverLog *log);

G_END_DECLS
#endif
