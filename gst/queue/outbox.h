/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outbox of a flow: packets that wait to leave. A packet that is not due yet waits in the look-ahead
 * queue (lookahead.h), and then in the send queue (sendqueue.h) until smoother and TFRC let it leave. Packets of a
 * stored movie may leave before they are due (ahead.h): they go to the send queue as fast as it empties.
 *
 * The send queue's limits say whether there is room. The streaming thread asks for room and waits for
 * it; packets that have waited for too long are dropped.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_OUTBOX_H
#define GST_TFRC_OUTBOX_H

#include "../common/histogram.h"
#include "ahead.h"
#include "deadline.h"
#include "lookahead.h"
#include "redundancy.h"
#include "sendqueue.h"

G_BEGIN_DECLS

/** For outbox.c alone */
typedef struct
{
  GstTfrcOutgoingPool entries; /* of both queues, and those that were taken */
  GstTfrcLookahead lookahead;
  /* the earliest packet of lookahead is due, and the send queue has no room for the packet */
  gboolean is_full;
  GstTfrcSendQueue queue;
  GstTfrcDeadline deadline;
  GstTfrcAhead ahead;
  GstTfrcRedundancy redundancy;
  gboolean is_timed; /* the input has times by which it comes */
  guint in_flight;   /* packets that were taken, and whose fate is not known yet */
  guint flushes;
  guint flushes_at_take; /* packets taken before a flush do not come back to the queue */
  GstTfrcHistogram delay;
  gboolean has_sent;
  guint64 dropped;
  guint64 overdue;
} GstTfrcOutbox;

/** @param smoothing_ns packets are spread over this window; 0: not spread
 * @return FALSE if the smoother refuses the window; clear it all the same */
gboolean gst_tfrc_outbox_init (GstTfrcOutbox *self, guint64 smoothing_ns);

/** Frees all. No packet may be taken at that time. */
void gst_tfrc_outbox_clear (GstTfrcOutbox *self);

/* ---- settings -------------------------------------------------------------- */

/** @param max_time_ns the longest time that a packet may wait in the send queue; 0: no limit */
void gst_tfrc_outbox_set_limits (
    GstTfrcOutbox *self, guint max_packets, guint64 max_time_ns, GstTfrcLeaky leaky);

/** Says where the pipeline's running time 0 is on the monotonic clock, and whether the pipeline is
 * paused (lookahead.h); and whether the input is live (sendqueue.h). */
void gst_tfrc_outbox_set_timeline (GstTfrcOutbox *self, gint64 timeline_ns);
void gst_tfrc_outbox_set_paused (GstTfrcOutbox *self, gboolean paused);
void gst_tfrc_outbox_set_live (GstTfrcOutbox *self, gboolean live);

/** Says whether packets come at their times, as they do at first. Input that comes as fast as the queue
 * takes it has no deadline: the pipeline waits. */
void gst_tfrc_outbox_set_timed (GstTfrcOutbox *self, gboolean timed);

/** Sets the deadline (gst_tfrc_deadline_set()). */
void gst_tfrc_outbox_set_deadline (GstTfrcOutbox *self, gboolean is_on, guint64 slack_ns);

/** Packets of the past come, for a receiver that joins (gst_tfrc_deadline_catch_up()). */
void gst_tfrc_outbox_catch_up (GstTfrcOutbox *self, guint32 group, guint64 now_ns);

/** Lets packets leave before they are due (gst_tfrc_ahead_set()): those of input that is not live and has
 * times. */
void gst_tfrc_outbox_set_ahead (GstTfrcOutbox *self, guint64 window_ns, guint64 max_bytes);

/** Says how many bytes of what has left are kept for repairs; 0: none. */
void gst_tfrc_outbox_set_repairs (GstTfrcOutbox *self, gsize max_bytes);

/** Tells what repairs depend on (gst_tfrc_repair_store_set_receiver()). */
void gst_tfrc_outbox_set_repair_receiver (
    GstTfrcOutbox *self, const GstTfrcRepairReceiver *receiver);

/** Says how packets of the movie are protected from now on (gst_tfrc_fec_encoder_set_layout()).
 * @param max_wait_ns while new packets of the movie have waited for longer, FEC packets are dropped */
void gst_tfrc_outbox_set_fec (
    GstTfrcOutbox *self, const GstTfrcFecLayout *layout, guint64 max_wait_ns);

/** Returns how long before they are due packets may leave now; 0: not at all. */
guint64 gst_tfrc_outbox_get_ahead_ns (const GstTfrcOutbox *self);

/** Tells what is known of the receiver.
 * @param absent there is none
 * @param drain_rate_Bps the rate at which packets leave
 * @param is_measured that rate follows from feedback
 * @return TRUE if there is a receiver now and was none, or the other way round */
gboolean gst_tfrc_outbox_set_receiver (
    GstTfrcOutbox *self, gboolean absent, gdouble drain_rate_Bps, gboolean is_measured);

/** Tells how much unused sending time can be made up for: what is since @a used_until_ns, and @a most_ns at most. */
void gst_tfrc_outbox_set_credit (GstTfrcOutbox *self, guint64 used_until_ns, guint64 most_ns);

/* ---- in ---------------------------------------------------------------------- */

/** Says what a new packet needs. GST_TFRC_ADMIT_LATER: the pipeline waits. A packet that the answer
 * drops is counted.
 * @param due_ns target transmission time, monotonic */
GstTfrcAdmission gst_tfrc_outbox_admit (GstTfrcOutbox *self, guint64 due_ns, guint64 now_ns);

/** Takes over the reference of a packet that was admitted. Other flows may have the packet, too.
 * @param stream the RTP stream that sends the packet: GST_TFRC_RTP_MEDIA, ...
 * @return TRUE if a deadline may be another now */
gboolean gst_tfrc_outbox_push (
    GstTfrcOutbox *self, GstTfrcPacket *packet, guint stream, guint64 due_ns, guint64 now_ns);

/** The receiver asks for a packet that has left: queues its repair, if there is to be one.
 * @param seq its RTP number
 * @return TRUE if a repair waits to leave */
gboolean gst_tfrc_outbox_repair (GstTfrcOutbox *self, guint16 seq, guint64 now_ns);

/** Finds where the stream ends for now (gst_tfrc_repair_store_get_tail()).
 * @return FALSE: packets wait to leave, or there is no such end */
gboolean gst_tfrc_outbox_get_tail (const GstTfrcOutbox *self, GstTfrcRepairTail *tail);

/** Queues a repair of the newest packet that has left, if there is to be one.
 * @return TRUE if a repair waits to leave */
gboolean gst_tfrc_outbox_repair_newest (GstTfrcOutbox *self, guint64 now_ns);

/** Drops all packets.
 * @return how many */
guint gst_tfrc_outbox_flush (GstTfrcOutbox *self);

/** Counts packets as dropped. */
void gst_tfrc_outbox_count_dropped (GstTfrcOutbox *self, guint n);

/* ---- time -------------------------------------------------------------------- */

/** Drops and counts the packets that have waited for too long, or cannot be in time.
 * @return TRUE if unused sending time has to be made up for (gst_tfrc_deadline_is_pressed()) */
gboolean gst_tfrc_outbox_drop_overdue (GstTfrcOutbox *self, guint64 now_ns);

/** Moves the packets that are due, or may run ahead, from the look-ahead queue to the send queue, as far as
 * the limits allow. */
void gst_tfrc_outbox_take_due (GstTfrcOutbox *self, guint64 now_ns);

/** Returns when gst_tfrc_outbox_take_due() has something to do, and when
 * gst_tfrc_outbox_drop_overdue(); G_MAXUINT64: never. */
guint64 gst_tfrc_outbox_due_ns (const GstTfrcOutbox *self);
guint64 gst_tfrc_outbox_expiry_ns (const GstTfrcOutbox *self);

/* ---- out --------------------------------------------------------------------- */

/** Returns the packet that leaves next, still the outbox's; NULL: no packet is due. */
const GstTfrcOutgoing *gst_tfrc_outbox_peek (const GstTfrcOutbox *self);

/** Returns from when on the smoother lets that packet leave; G_MAXUINT64: there is none. */
guint64 gst_tfrc_outbox_next_ns (const GstTfrcOutbox *self);

/** Begins to take packets. Those that were taken before have left or come back. */
void gst_tfrc_outbox_begin (GstTfrcOutbox *self);

/** Takes the packet that leaves next.
 * @return for one of the four functions below; NULL: there is none */
GstTfrcOutgoing *gst_tfrc_outbox_take (GstTfrcOutbox *self);

/** Puts the packet that was taken last back at once. */
void gst_tfrc_outbox_put_back (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing);

/** A packet that was taken has left, has not left and comes back, or is given up. All that come back do
 * so in the reverse order. Takes the entry over. After a flush nothing comes back. */
void gst_tfrc_outbox_on_left (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing, guint64 now_ns);
void gst_tfrc_outbox_on_not_left (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing);
void gst_tfrc_outbox_on_given_up (GstTfrcOutbox *self, GstTfrcOutgoing *outgoing);

/* ---- queries ------------------------------------------------------------------ */

/** Have all packets left? */
gboolean gst_tfrc_outbox_is_empty (const GstTfrcOutbox *self);

/** Is there enough room that the streaming thread is worth waking? */
gboolean gst_tfrc_outbox_has_room (const GstTfrcOutbox *self, guint64 now_ns);

/** Is there no receiver, as gst_tfrc_outbox_set_receiver() was told? */
gboolean gst_tfrc_outbox_is_receiver_absent (const GstTfrcOutbox *self);

/** Has any packet left? */
gboolean gst_tfrc_outbox_has_sent (const GstTfrcOutbox *self);

/** Returns how many packets have been dropped, because the queue was full, the packet overdue or past its
 * deadline, or for other reasons. */
guint64 gst_tfrc_outbox_get_dropped (const GstTfrcOutbox *self);

/** Returns how many of these could not be played in time (deadline.h). */
guint64 gst_tfrc_outbox_get_past_deadline (const GstTfrcOutbox *self);

/** Returns for how long the oldest packet of live input has been waiting, which an encoder makes up
 * for. Input that is not live waits in front of the sink: 0. */
guint64 gst_tfrc_outbox_live_wait_ns (const GstTfrcOutbox *self, guint64 now_ns);

typedef struct
{
  GstTfrcHistogram delay; /**< sender delay */
  guint lookahead_packets;
  guint queue_packets;
  gsize queue_bytes;
  guint64 queue_time_ns;
  gdouble smoothing_rate_Bps; /**< 0 without a smoother */
  guint64 ahead_ns;           /**< how far the movie has run ahead of its time */
  guint64 packets_dropped;
  guint64 packets_overdue; /**< sent although they waited longer than the limit */
  GstTfrcRepairStoreStats repairs;
  GstTfrcFecStats fec;
  GstTfrcDeadlineStats deadline; /**< its packets are not in packets_dropped */
} GstTfrcOutboxStats;

void gst_tfrc_outbox_get_stats (
    const GstTfrcOutbox *self, guint64 now_ns, GstTfrcOutboxStats *stats);

G_END_DECLS
#endif
