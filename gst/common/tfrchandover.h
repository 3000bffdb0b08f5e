/* What both elements tell of handovers: signals, messages, and the log from
 * which they are told.  What a handover does is in lib/tfrc/receiver_handover.h. */
#ifndef TFRC_HANDOVER_NEWS_H
#define TFRC_HANDOVER_NEWS_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "tfrctokenbucket.h"

G_BEGIN_DECLS

/** TfrcHandoverPhase, TfrcHandoverMode */
#define GST_TYPE_TFRC_HANDOVER_PHASE (gst_tfrc_handover_phase_get_type ())
GType gst_tfrc_handover_phase_get_type (void);
#define GST_TYPE_TFRC_HANDOVER_MODE (gst_tfrc_handover_mode_get_type ())
GType gst_tfrc_handover_mode_get_type (void);

/** What one end of a stream knows at some time. */
typedef struct
{
  TfrcHandoverPhase phase;
  guint64 handovers; /**< told of so far */
  guint64 completed; /**< adaptations that were not given up */
  guint64 rtt_ns;
  gdouble rate_bps;
  guint64 packets_lost;
} TfrcHandoverView;

typedef enum
{
  TFRC_HANDOVER_NEWS_STARTED,
  TFRC_HANDOVER_NEWS_PHASE,
  TFRC_HANDOVER_NEWS_COMPLETED
} TfrcHandoverNewsKind;

/** One piece of news */
typedef struct
{
  TfrcHandoverNewsKind kind;
  TfrcHandoverPhase phase; /**< that it is in */
  /* of TFRC_HANDOVER_NEWS_COMPLETED */
  guint64 duration_ns;
  TfrcHandoverView before, after; /**< packets_lost: since the stream began */
  gboolean completed;             /**< FALSE: the adaptation was given up */
} TfrcHandoverNews;

/** News that waits to be told.  The owner locks; all zero is empty.
 *
 * A peer can cause news as often as it likes.  So TFRC_HANDOVER_NEWS_BURST pieces
 * are told at once, and TFRC_HANDOVER_NEWS_PER_SECOND in the long run.  Beyond that
 * the newest of each kind is held, until a later update finds that it may be told;
 * what it replaces is counted. */
#define TFRC_HANDOVER_NEWS_BURST 24
#define TFRC_HANDOVER_NEWS_PER_SECOND 4

typedef struct
{
  TfrcHandoverView last;   /* at the last call */
  TfrcHandoverView before; /* the handover under way */
  guint64 started_ns;
  TfrcTokenBucket bucket;
  GQueue held;     /* one of each kind at most */
  GQueue news;     /* to be taken */
  guint64 dropped; /* left out */
} TfrcHandoverLog;

/** Compares what is known now with what was known at the last call, which is
 * what a handover that has begun since is compared with in the end.
 * @return TRUE if there is news */
gboolean tfrc_handover_log_update (
    TfrcHandoverLog *log, const TfrcHandoverView *view, guint64 now_ns);

/** Takes the oldest news; free it with g_free().  NULL: there is none. */
TfrcHandoverNews *tfrc_handover_log_take (TfrcHandoverLog *log);

void tfrc_handover_log_clear (TfrcHandoverLog *log);

/** Adds the signals `handover-started', `handover-phase' and
 * `handover-completed' to the class of an element. */
void tfrc_handover_install_signals (GType type);

/** Emits the signal and posts the message.  Runs the application's code. */
void tfrc_handover_tell (GstElement *element, const TfrcHandoverNews *news);

/** Returns the name of the phase, as in stats: "normal" and so on. */
const gchar *tfrc_handover_phase_to_string (TfrcHandoverPhase phase);

G_END_DECLS
#endif
