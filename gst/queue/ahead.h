/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a stored movie may run ahead of its time: packets may leave before they are due, within a window of
 * time and of bytes that the receiver tells (gst/flow/playout.h). So a buffer grows behind the start of the
 * playback, and a scene above the rate, an outage or a burst of losses is ridden out.
 *
 * What has left and is not due yet is what the receiver holds, or will hold: it never exceeds the bytes. When due
 * times go back, as after a flush, the receiver drops what it holds.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_AHEAD_H
#define GST_TFRC_AHEAD_H

#include <gst/base/base.h>

G_BEGIN_DECLS

/** Due times that go back by more than this are those of a sender that has flushed: those of one stream go back by
 * no more than the noise of its clocks, microseconds. */
#define GST_TFRC_AHEAD_BACK_NS (10 * GST_MSECOND)

/** For ahead.c alone */
typedef struct
{
  guint64 window_ns; /* 0: no packet leaves before it is due */
  guint64 max_bytes;
  GstQueueArray *early; /* of what has gone and is not due yet, in the order of the due times */
  guint64 bytes;        /* the sum of that */
  guint64 last_due_ns;  /* of what has gone last; 0: nothing has */
} GstTfrcAhead;

/** Begins without a window. */
void gst_tfrc_ahead_init (GstTfrcAhead *self);
void gst_tfrc_ahead_clear (GstTfrcAhead *self);

/** Sets the window. What has gone stays gone. Both may be any number.
 * @param window_ns how long before it is due a packet may leave; 0: not at all
 * @param max_bytes payload that may have left and not be due yet */
void gst_tfrc_ahead_set (GstTfrcAhead *self, guint64 window_ns, guint64 max_bytes);

/** Returns the window's time; 0: there is no window. */
guint64 gst_tfrc_ahead_get_window_ns (const GstTfrcAhead *self);

/** Returns from when on a packet may go; at the latest when the packet is due. The time may lie in the past.
 * @param due_ns monotonic
 * @param bytes of payload */
guint64 gst_tfrc_ahead_opens_ns (const GstTfrcAhead *self, guint64 due_ns, gsize bytes);

/** A packet goes. */
void gst_tfrc_ahead_on_packet (GstTfrcAhead *self, guint64 due_ns, gsize bytes, guint64 now_ns);

/** Forgets what is due by now. */
void gst_tfrc_ahead_on_time (GstTfrcAhead *self, guint64 now_ns);

/** Returns how long before it is due the packet that has gone last would be played now; 0: it is due. */
guint64 gst_tfrc_ahead_get_lead_ns (const GstTfrcAhead *self, guint64 now_ns);

G_END_DECLS
#endif
