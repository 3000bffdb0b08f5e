/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A gate: it counts the threads that use an object which one thread gives and takes away, such as
 * the stream of an element.
 *
 * A thread enters the gate, uses the stream without a lock, and leaves the gate.  The owner opens
 * the gate when there is a stream; closing it waits until every thread has left.  So no lock is
 * held while a thread calls the system, and the stream stays for as long as a thread uses it.
 *
 * Threads that must not do the same thing at the same time take turns.
 *
 * A child of fork(2) has the object, but shares its sockets with the parent and lacks its threads.  So
 * no thread of the child enters the gate until the owner opens the gate in the child, for an object of
 * the child's own.  This is the only check: what is behind the gate knows nothing of fork(2).  Threads
 * that need not enter, because the owner stops them before it takes the object away, ask
 * gst_tfrc_gate_is_inherited() instead; and so does the owner, which gives up an inherited object
 * instead of freeing it (fork.h). */
#ifndef GST_TFRC_GATE_H
#define GST_TFRC_GATE_H

#include "threads.h"

G_BEGIN_DECLS

GST_TFRC_DECLARE_MUTEX (GstTfrcGateMutex, gst_tfrc_gate_mutex)

/** The work that only one thread at a time may do inside a gate */
typedef enum
{
  GST_TFRC_TURN_SETTINGS, /**< gives settings to the stream */
  GST_TFRC_TURN_LINK      /**< changes links and sockets of the stream */
} GstTfrcTurn;

/** Part of an element. */
typedef struct
{
  guint generation; /* of the process whose threads are counted, see fork.h */
  GstTfrcGateMutex lock;
  GCond changed;
  gboolean open GST_TFRC_GUARDED_BY (gst_tfrc_gate_mutex);
  guint inside GST_TFRC_GUARDED_BY (gst_tfrc_gate_mutex);      /* threads */
  guint turns_taken GST_TFRC_GUARDED_BY (gst_tfrc_gate_mutex); /* 1 << GstTfrcTurn of each */
} GstTfrcGate;

/** The gate is closed at first. */
void gst_tfrc_gate_init (GstTfrcGate *gate);

/** No thread may be inside. */
void gst_tfrc_gate_clear (GstTfrcGate *gate);

/** Lets threads enter.  The owner's thread. */
void gst_tfrc_gate_open (GstTfrcGate *gate);

/** Lets no more threads enter, and waits until all have left.  Called by the owner's thread, which
 * must not be inside.  In a child of fork(2) the threads of the parent do not count. */
void gst_tfrc_gate_close (GstTfrcGate *gate);

/** Returns whether the gate belongs to an ancestor of this process, and so the object behind it, too.  The
 * first TRUE in a process writes a warning.  After gst_tfrc_gate_close() or gst_tfrc_gate_open() the gate
 * belongs to this process.  Any thread; takes no lock. */
gboolean gst_tfrc_gate_is_inherited (const GstTfrcGate *gate);

/** Enters the gate; any thread, never waits for the system.
 * @return FALSE if the gate is closed, or was opened before a fork(2) (the first time in a process
 *   with a warning): then the thread has not entered */
gboolean gst_tfrc_gate_enter (GstTfrcGate *gate);
void gst_tfrc_gate_leave (GstTfrcGate *gate);

/** Enters the gate as the only thread with this turn, and leaves it again.  Waits for the thread
 * that has the turn, so not the I/O loop's thread.  A thread has one turn at a time.
 * @return FALSE as gst_tfrc_gate_enter(), or if the gate was closed meanwhile */
gboolean gst_tfrc_gate_enter_in_turn (GstTfrcGate *gate, GstTfrcTurn turn);
void gst_tfrc_gate_leave_turn (GstTfrcGate *gate, GstTfrcTurn turn);

G_END_DECLS
#endif
