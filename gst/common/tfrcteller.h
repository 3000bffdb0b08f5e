/* What the I/O loop's thread has to tell the application.
 *
 * Messages and notifications run the application's code, which may take its
 * time: so another thread tells them, one after the other and in order.  While
 * it is held up, repetitions of what waits already are left out. */
#ifndef TFRC_TELLER_H
#define TFRC_TELLER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** Tells one thing; may block. */
typedef void (*TfrcTellFunc) (GstElement * element, gint value);

/** Part of an element. */
typedef struct
{
  GstElement *element;
  guint generation;             /* of the process that tells, see tfrcfork.h */
  GMutex lock;
  GQueue waiting;
  gboolean telling;             /* there is a thread that takes from it */
  GThread *thread;              /* which, once it runs */
  GCond silent;                 /* it has ended */
} TfrcTeller;

void tfrc_teller_init (TfrcTeller * teller, GstElement * element);

/** With the last reference to the element: nothing is being told then. */
void tfrc_teller_clear (TfrcTeller * teller);

/** Forgets what waits, and waits until nothing is being told: for the change to
 * READY, after which the element's bus may go away.  Nothing may be told
 * meanwhile.  Returns at once when called by what is being told. */
void tfrc_teller_stop (TfrcTeller * teller);

/** Has @a func called soon, unless the newest call of it that waits has the
 * same @a value.  Any thread; does not block. */
void tfrc_teller_tell (TfrcTeller * teller, TfrcTellFunc func, gint value);

G_END_DECLS
#endif
