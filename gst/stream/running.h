/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stream of an element while it runs, as the parts of the element share it: the stream itself, the
 * element that posts messages about it, and the calls that run the application's code.
 *
 * The element's streaming thread uses the stream for as long as that thread runs.  Other threads
 * use the stream inside the gate (gate.h), which is closed while there is none.  In a child of
 * fork(2) a stream of the parent is dead: the element asks gst_tfrc_running_is_inherited() for its
 * streaming thread, and gives the stream up instead of stopping it. */
#ifndef GST_TFRC_RUNNING_H
#define GST_TFRC_RUNNING_H

#include "../common/events.h"
#include "../common/gate.h"
#include "../common/notifier.h"
#include "../common/trace.h"

G_BEGIN_DECLS

typedef struct _GstTfrcRunning GstTfrcRunning;

/** What differs between the ends when the events of a stream are told; static */
typedef struct
{
  /** Takes the oldest event.  Inside the gate.
   * @return FALSE: none waits */
  gboolean (*take_event) (gpointer stream, GstTfrcEvent *event);

  /** Tells the application of an event.  On the notifier's thread, outside the gate. */
  void (*tell) (GstTfrcRunning *self, const GstTfrcEvent *event);
} GstTfrcTelling;

/** Part of an element. */
struct _GstTfrcRunning
{
  GstElement *element;
  const GstTfrcTelling *telling;
  GstTfrcGate gate;
  gpointer stream;     /* GstTfrcSinkStream or GstTfrcSrcStream; NULL: none runs */
  GstTfrcTrace *trace; /* the stream's; NULL: none */
  GstTfrcNotifier notifier;
  gint is_failure_told; /* atomic */
};

/** No stream runs at first, and none may at the end. */
void gst_tfrc_running_init (
    GstTfrcRunning *self, GstElement *element, const GstTfrcTelling *telling);
void gst_tfrc_running_clear (GstTfrcRunning *self);

/** Lets threads use the stream.  The thread that changes the state.
 * @param stream the caller's
 * @param trace of the stream, and owned from now on; NULL: none */
void gst_tfrc_running_start (GstTfrcRunning *self, gpointer stream, GstTfrcTrace *trace);

/** Lets no more threads in, and waits until all are out.  The thread that changes the state.
 * @return the stream, which the caller frees; NULL: none runs.  gst_tfrc_running_end() comes next. */
gpointer gst_tfrc_running_stop (GstTfrcRunning *self);

/** After the stream was freed: frees its trace, and forgets the notifier's calls that have not run;
 * waits for the call that runs.  The same thread. */
void gst_tfrc_running_end (GstTfrcRunning *self);

/** Returns whether the stream is one of a parent of this process, as gst_tfrc_gate_is_inherited(). */
gboolean gst_tfrc_running_is_inherited (const GstTfrcRunning *self);

/** Instead of gst_tfrc_running_stop() and gst_tfrc_running_end() for an inherited stream.
 * @return the stream, whose descriptors the caller closes */
gpointer gst_tfrc_running_give_up (GstTfrcRunning *self);

/** Enters the gate; any thread, as gst_tfrc_gate_enter().
 * @return the stream, until gst_tfrc_running_leave(); NULL: there is none for this thread, which has not
 *   entered */
gpointer gst_tfrc_running_enter (GstTfrcRunning *self);
void gst_tfrc_running_leave (GstTfrcRunning *self);

/** The same as the only thread with this turn, as gst_tfrc_gate_enter_in_turn(). */
gpointer gst_tfrc_running_enter_in_turn (GstTfrcRunning *self, GstTfrcTurn turn);
void gst_tfrc_running_leave_turn (GstTfrcRunning *self, GstTfrcTurn turn);

/** Events wait, or may: has the notifier's thread take and tell them.  Any thread; does not block. */
void gst_tfrc_running_tell (GstTfrcRunning *self);

/** Says, and returns, that the application knows why the stream has failed. A new stream has not.  Any thread. */
void gst_tfrc_running_set_failure_told (GstTfrcRunning *self);
gboolean gst_tfrc_running_is_failure_told (const GstTfrcRunning *self);

/** Returns the element.  Any thread. */
GstElement *gst_tfrc_running_get_element (const GstTfrcRunning *self);

/** Returns the notifier, whose functions are called with @a self.  Any thread. */
GstTfrcNotifier *gst_tfrc_running_get_notifier (GstTfrcRunning *self);

G_END_DECLS
#endif
