/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of handovers: the events that the elements report to the application. The rules of a
 * handover are in lib/tfrc. */
#ifndef GST_TFRC_HANDOVERLOG_H
#define GST_TFRC_HANDOVERLOG_H

#include <glib.h>
#include <tfrc/tfrc.h>

#include "../common/tokenbucket.h"

G_BEGIN_DECLS

/** The handovers of one end of a stream, as known at one time */
typedef struct
{
  TfrcHandoverPhase phase;
  guint64 handovers; /**< begun so far */
  guint64 completed; /**< handovers whose adaptation came to its end */
  guint64 rtt_ns;
  gdouble rate_bps;
  guint64 packets_lost;
} GstTfrcHandoverView;

typedef enum
{
  GST_TFRC_HANDOVER_EVENT_STARTED,
  GST_TFRC_HANDOVER_EVENT_PHASE,
  GST_TFRC_HANDOVER_EVENT_COMPLETED
} GstTfrcHandoverEventKind;

typedef struct
{
  GstTfrcHandoverEventKind kind;
  TfrcHandoverPhase phase; /**< the phase that the handover is in now */
  /* of GST_TFRC_HANDOVER_EVENT_COMPLETED */
  guint64 duration_ns;
  GstTfrcHandoverView before, after; /**< packets_lost: since the stream began */
  gboolean completed;                /**< FALSE: the adaptation was given up */
} GstTfrcHandoverEvent;

/** Limits of the event rate. A peer can cause events as often as it likes. So
 * GST_TFRC_HANDOVER_EVENT_BURST events are released at once, and
 * GST_TFRC_HANDOVER_EVENT_PER_SECOND in the long run. Beyond that the log holds the newest event of
 * each kind until a later update may release it. An event that a newer one replaces is counted as
 * dropped. */
#define GST_TFRC_HANDOVER_EVENT_BURST 24
#define GST_TFRC_HANDOVER_EVENT_PER_SECOND 4

/** All zero is an empty log. The owner locks. */
typedef struct
{
  GstTfrcHandoverView last;   /* at the last update */
  GstTfrcHandoverView before; /* at the beginning of the handover under way */
  guint64 started_ns;
  GstTfrcTokenBucket bucket;
  GQueue held;     /* events over the limit, one of each kind at most */
  GQueue events;   /* released, to be taken */
  guint64 dropped; /* events that nobody gets */
} GstTfrcHandoverLog;

/** Compares @a view with the view of the last update, and logs an event for each difference.
 * @return TRUE if events wait to be taken */
gboolean gst_tfrc_handover_log_update (
    GstTfrcHandoverLog *log, const GstTfrcHandoverView *view, guint64 now_ns);

/** Returns the view of the last update; all zero before. Valid as long as @a log. */
const GstTfrcHandoverView *gst_tfrc_handover_log_get_last (const GstTfrcHandoverLog *log);

/** Do events wait to be taken? */
gboolean gst_tfrc_handover_log_has_event (const GstTfrcHandoverLog *log);

/** Takes the oldest event; free it with g_free(). NULL: none. */
GstTfrcHandoverEvent *gst_tfrc_handover_log_take (GstTfrcHandoverLog *log);

/** Returns how many events nobody gets: not taken in time, or too many. */
guint64 gst_tfrc_handover_log_get_dropped (const GstTfrcHandoverLog *log);

void gst_tfrc_handover_log_clear (GstTfrcHandoverLog *log);

G_END_DECLS
#endif
