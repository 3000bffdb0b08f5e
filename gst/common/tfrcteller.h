/* What the I/O loop's thread has to tell the application.
 *
 * Messages and notifications run the application's code, which may take its
 * time: so another thread tells them, one after the other and in order.  While
 * it is held up, repetitions of what waits already are left out.
 *
 * News that a peer can cause is limited to TFRC_TELLER_BURST of each kind at once
 * and TFRC_TELLER_PER_SECOND in the long run.  Of what exceeds that the
 * newest is told as soon as the limit allows, and the rest is counted. */
#ifndef TFRC_TELLER_H
#define TFRC_TELLER_H

#include <gst/gst.h>

#include "tfrctokenbucket.h"

G_BEGIN_DECLS

#define TFRC_TELLER_BURST 10
#define TFRC_TELLER_PER_SECOND 2

/** Functions that one element tells with a limit, at most. */
#define TFRC_TELLER_KINDS 4

/** Tells one thing; may block. */
typedef void (*TfrcTellFunc) (GstElement *element, gint value);

/** News of one kind, which have a function in common */
typedef struct
{
  TfrcTellFunc func;
  TfrcTokenBucket bucket;
  gboolean held; /* there is news beyond the limit ... */
  gint value;    /* ... of which this is the newest */
} TfrcTellerKind;

/** Part of an element. */
typedef struct
{
  GstElement *element;
  guint generation; /* of the process that tells, see tfrcfork.h */
  GMutex lock;
  GQueue waiting;
  gboolean telling; /* there is a thread that takes from it */
  GThread *thread;  /* which, once it runs */
  GCond silent;     /* it has ended */

  TfrcTellerKind kinds[TFRC_TELLER_KINDS];
  guint n_kinds;
  guint64 dropped;  /* news that was left out */
  gboolean holding; /* there is a thread that waits for the limit */
  GCond released;   /* it has nothing to wait for */
} TfrcTeller;

void tfrc_teller_init (TfrcTeller *teller, GstElement *element);

/** With the last reference to the element: nothing is being told then. */
void tfrc_teller_clear (TfrcTeller *teller);

/** Forgets what waits and the limits, and waits until nothing is being told: for
 * the change to READY, after which the element's bus may go away.  Nothing may be
 * told meanwhile.  Does not wait when called by what is being told. */
void tfrc_teller_stop (TfrcTeller *teller);

/** Has @a func called soon, unless the newest call of it that waits has the
 * same @a value.  Any thread; does not block. */
void tfrc_teller_tell (TfrcTeller *teller, TfrcTellFunc func, gint value);

/** Does the same within the limit for @a func.  Beyond that the call waits, and a
 * later one takes its place.
 * @param now_ns monotonic time, tfrc_clock_now_ns() but for tests */
void tfrc_teller_tell_limited (TfrcTeller *teller, TfrcTellFunc func, gint value, guint64 now_ns);

/** Has those calls made that the limit allows by now.  A thread of the teller's
 * own does that, too.
 * @return when the next of those that remain is allowed, G_MAXUINT64: none */
guint64 tfrc_teller_release (TfrcTeller *teller, guint64 now_ns);

/** Returns how many calls were left out since tfrc_teller_stop(). */
guint64 tfrc_teller_get_dropped (TfrcTeller *teller);

G_END_DECLS
#endif
