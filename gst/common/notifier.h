/* What the I/O loop's thread has to tell the application.
 *
 * Messages and notifications run the application's code, which may take its
 * time: so another thread tells them, one after the other and in order.  While
 * it is held up, repetitions of what waits already are left out.
 *
 * News that a peer can cause is limited to GST_TFRC_NOTIFIER_BURST of each kind at once
 * and GST_TFRC_NOTIFIER_PER_SECOND in the long run.  Of what exceeds that the
 * newest is told as soon as the limit allows, and the rest is counted. */
#ifndef GST_TFRC_NOTIFIER_H
#define GST_TFRC_NOTIFIER_H

#include <gst/gst.h>

#include "tokenbucket.h"

G_BEGIN_DECLS

#define GST_TFRC_NOTIFIER_BURST 10
#define GST_TFRC_NOTIFIER_PER_SECOND 2

/** Functions that one element tells with a limit, at most. */
#define GST_TFRC_NOTIFIER_KINDS 4

/** Tells one thing; may block. */
typedef void (*GstTfrcNotifyFunc) (GstElement *element, gint value);

/** News of one kind, which have a function in common */
typedef struct
{
  GstTfrcNotifyFunc func;
  GstTfrcTokenBucket bucket;
  gboolean held; /* there is news beyond the limit ... */
  gint value;    /* ... of which this is the newest */
} GstTfrcNotifierKind;

/** Part of an element. */
typedef struct
{
  GstElement *element;
  guint generation; /* of the process that tells, see fork.h */
  GMutex lock;
  GQueue waiting;
  gboolean telling; /* there is a thread that takes from it */
  GThread *thread;  /* which, once it runs */
  GCond silent;     /* it has ended */

  GstTfrcNotifierKind kinds[GST_TFRC_NOTIFIER_KINDS];
  guint n_kinds;
  guint64 dropped;  /* news that was left out */
  gboolean holding; /* there is a thread that waits for the limit */
  GCond released;   /* it has nothing to wait for */
} GstTfrcNotifier;

void gst_tfrc_notifier_init (GstTfrcNotifier *notifier, GstElement *element);

/** With the last reference to the element: nothing is being told then. */
void gst_tfrc_notifier_clear (GstTfrcNotifier *notifier);

/** Forgets what waits and the limits, and waits until nothing is being told: for
 * the change to READY, after which the element's bus may go away.  Nothing may be
 * told meanwhile.  Does not wait when called by what is being told. */
void gst_tfrc_notifier_stop (GstTfrcNotifier *notifier);

/** Has @a func called soon, unless the newest call of it that waits has the
 * same @a value.  Any thread; does not block. */
void gst_tfrc_notifier_notify (GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value);

/** Does the same within the limit for @a func.  Beyond that the call waits, and a
 * later one takes its place.
 * @param now_ns monotonic time, gst_tfrc_clock_now_ns() but for tests */
void gst_tfrc_notifier_notify_limited (
    GstTfrcNotifier *notifier, GstTfrcNotifyFunc func, gint value, guint64 now_ns);

/** Has those calls made that the limit allows by now.  A thread of the notifier's
 * own does that, too.
 * @return when the next of those that remain is allowed, G_MAXUINT64: none */
guint64 gst_tfrc_notifier_release (GstTfrcNotifier *notifier, guint64 now_ns);

/** Returns how many calls were left out since gst_tfrc_notifier_stop(). */
guint64 gst_tfrc_notifier_get_dropped (GstTfrcNotifier *notifier);

G_END_DECLS
#endif
