/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A turnstile: threads that are late go on in the order in which they have come, a few at a time.
 *
 * If there is too little processor time, hundreds of threads are ready but do not run.  Each of
 * them has work for less than a tenth of a millisecond, but the scheduler is fair over several
 * milliseconds for each thread, so it keeps some of them waiting for seconds.  At a turnstile most
 * threads sleep, so those that pass run soon.
 *
 * A turn ends when the thread waits for something, or after GST_TFRC_TURNSTILE_TURN_NS: then the
 * next one passes, whatever the thread does.  So a thread that blocks elsewhere delays the others
 * by one turn at most. */
#ifndef GST_TFRC_TURNSTILE_H
#define GST_TFRC_TURNSTILE_H

#include "../common/threads.h"

G_BEGIN_DECLS

GST_TFRC_DECLARE_MUTEX (GstTfrcTurnstileMutex, gst_tfrc_turnstile_mutex)

/** Turns at a time */
#define GST_TFRC_TURNSTILE_TURNS 4

#define GST_TFRC_TURNSTILE_TURN_NS G_GUINT64_CONSTANT (1000000)

/** One thread's place.  gst_tfrc_visitor_init() comes first. */
typedef struct
{
  GCond may_pass;
  GList link GST_TFRC_GUARDED_BY (gst_tfrc_turnstile_mutex); /* in the queue while it waits */
  gboolean is_interrupted GST_TFRC_GUARDED_BY (gst_tfrc_turnstile_mutex);
} GstTfrcVisitor;

typedef struct
{
  GstTfrcTurnstileMutex mutex;
  GQueue waiting GST_TFRC_GUARDED_BY (gst_tfrc_turnstile_mutex);
  /* the visitors that have the turns (NULL: a free turn), and the ends of the turns */
  const GstTfrcVisitor *owners[GST_TFRC_TURNSTILE_TURNS] GST_TFRC_GUARDED_BY (
      gst_tfrc_turnstile_mutex);
  guint64 ends_ns[GST_TFRC_TURNSTILE_TURNS] GST_TFRC_GUARDED_BY (gst_tfrc_turnstile_mutex);
  gint n_waiting; /* atomic; changes under the mutex */
} GstTfrcTurnstile;

void gst_tfrc_turnstile_init (GstTfrcTurnstile *self);
void gst_tfrc_turnstile_clear (GstTfrcTurnstile *self);
void gst_tfrc_visitor_init (GstTfrcVisitor *visitor);
void gst_tfrc_visitor_clear (GstTfrcVisitor *visitor);

/** Returns whether somebody waits.  Any thread. */
gboolean gst_tfrc_turnstile_is_crowded (GstTfrcTurnstile *self);

/** Ends the visitor's turn, if there is one, and waits for the next.  Returns without a turn if the
 * visitor has been interrupted since the last call.  The visitor's thread. */
void gst_tfrc_turnstile_pass (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
    GST_TFRC_EXCLUDES (gst_tfrc_turnstile_mutex);

/** Ends the visitor's turn, if there is one.  The visitor's thread. */
void gst_tfrc_turnstile_leave (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
    GST_TFRC_EXCLUDES (gst_tfrc_turnstile_mutex);

/** Ends the visitor's wait, or keeps it from waiting next time.  Any thread. */
void gst_tfrc_turnstile_interrupt (GstTfrcTurnstile *self, GstTfrcVisitor *visitor)
    GST_TFRC_EXCLUDES (gst_tfrc_turnstile_mutex);

G_END_DECLS
#endif
