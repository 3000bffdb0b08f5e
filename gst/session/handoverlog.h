/* The log of handovers: the events that the elements report to the application.  The rules of a
 * handover are in lib/tfrc. */
#ifndef GST_TFRC_HANDOVERLOG_H
#define GST_TFRC_HANDOVERLOG_H

#include <glib.h>
#include <tfrc/tfrc.h>

#include "../common/tokenbucket.h"

G_BEGIN_DECLS

/** What one end of a stream knows at some time. */
typedef struct
{
  TfrcHandoverPhase phase;
  guint64 handovers; /**< told of so far */
  guint64 completed; /**< adaptations that were not given up */
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

/** One piece of news */
typedef struct
{
  GstTfrcHandoverEventKind kind;
  TfrcHandoverPhase phase; /**< that it is in */
  /* of GST_TFRC_HANDOVER_EVENT_COMPLETED */
  guint64 duration_ns;
  GstTfrcHandoverView before, after; /**< packets_lost: since the stream began */
  gboolean completed;                /**< FALSE: the adaptation was given up */
} GstTfrcHandoverEvent;

/** News that waits to be told.  The owner locks; all zero is empty.
 *
 * A peer can cause news as often as it likes.  So GST_TFRC_HANDOVER_EVENT_BURST pieces
 * are told at once, and GST_TFRC_HANDOVER_EVENT_PER_SECOND in the long run.  Beyond that
 * the newest of each kind is held, until a later update finds that it may be told;
 * what it replaces is counted. */
#define GST_TFRC_HANDOVER_EVENT_BURST 24
#define GST_TFRC_HANDOVER_EVENT_PER_SECOND 4

typedef struct
{
  GstTfrcHandoverView last;   /* at the last call */
  GstTfrcHandoverView before; /* the handover under way */
  guint64 started_ns;
  GstTfrcTokenBucket bucket;
  GQueue held;     /* one of each kind at most */
  GQueue news;     /* to be taken */
  guint64 dropped; /* left out */
} GstTfrcHandoverLog;

/** Compares what is known now with what was known at the last call, which is
 * what a handover that has begun since is compared with in the end.
 * @return TRUE if there is news */
gboolean gst_tfrc_handover_log_update (
    GstTfrcHandoverLog *log, const GstTfrcHandoverView *view, guint64 now_ns);

/** Takes the oldest news; free it with g_free().  NULL: there is none. */
GstTfrcHandoverEvent *gst_tfrc_handover_log_take (GstTfrcHandoverLog *log);

void gst_tfrc_handover_log_clear (GstTfrcHandoverLog *log);

G_END_DECLS
#endif
