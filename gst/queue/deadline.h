/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deadline of a send queue: what cannot be played in time does not leave.
 *
 * A packet that leaves at t is in time if t <= due + slack, where the slack is the player's delay less the
 * queueing on the path (gst/flow/playout.h). When not all that waits can be in time, the least important
 * goes first: Moore-Hodgson's rule for the fewest late jobs, by class instead of by size.
 * docs/decisions/deadline.md has the reasons.
 *
 * A picture that has lost a packet for its deadline loses the rest, as half a picture helps nobody. Pictures
 * of a group whose random access picture is lost so are the first to go from then on.
 *
 * What would be late at the rate is in time if the sender makes up for unused sending time: the queue is
 * pressed from when its last packet needs that until its first packet would have time for all of them.
 *
 * A receiver that joins begins with packets of the past, all of which its decoder needs, and catches up: there
 * is no deadline until then.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_DEADLINE_H
#define GST_TFRC_DEADLINE_H

#include "sendqueue.h"

G_BEGIN_DECLS

/** So many numbers of pictures, and of groups, are remembered. What is older has no packets to come, even
 * where the pictures of two streams alternate. */
#define GST_TFRC_DEADLINE_NUMBERS 64

/** The least slack. Packets leave in groups, some milliseconds after they may: with less slack than that, a
 * receiver without a playout delay worth the name would get nothing at all. */
#define GST_TFRC_DEADLINE_LEAST_SLACK_NS (20 * G_GUINT64_CONSTANT (1000000))

/** The queue is searched for what cannot be in time this often in one slack, at most: so a packet is looked
 * at some 32 times while it waits, however many packets there are. */
#define GST_TFRC_DEADLINE_SEARCHES 32

/** The part of the player's delay that queueing can take away, at most. Where the path queues for longer,
 * hardly a packet can be in time; but only packets that leave show when the queue has gone, and a receiver
 * that lies must not end the stream. */
#define GST_TFRC_DEADLINE_MAX_QUEUEING 0.75

/** A receiver that joins has this time to catch up. One whose path takes longer for the packets of the past
 * would see more of the movie late than in time; max-queue-time drops what waits for longer by default, too. */
#define GST_TFRC_DEADLINE_CATCH_UP_NS (2 * G_GUINT64_CONSTANT (1000000000))

/** Returns the slack of a player with this delay behind a path with this queueing. */
static inline guint64
gst_tfrc_deadline_slack_ns (guint64 delay_ns, guint64 queueing_ns)
{
  return delay_ns - MIN (queueing_ns, (guint64) (delay_ns * GST_TFRC_DEADLINE_MAX_QUEUEING));
}

/** For deadline.c alone: numbers of what is incomplete; all zero: none */
typedef struct
{
  guint32 newest;
  guint64 noted; /* bit i: newest - i */
} GstTfrcDeadlineNumbers;

/** For deadline.c alone */
typedef struct
{
  gboolean is_on;
  gboolean is_pressed; /* at the rate alone not all that waits would be in time */
  guint64 slack_ns;
  gdouble
      looked_at_Bps; /* the rate when the queue was looked at; G_MAXDOUBLE: the slack has fallen since */
  guint64 next_search_ns;
  guint64 joined_ns;    /* when the receiver joined, if it has not caught up; 0: it has */
  guint32 joined_group; /* of the movie then */
  GstTfrcDeadlineNumbers pictures, groups;
  GPtrArray *candidates
      [GST_TFRC_CLASSES]; /* of one search: of GstTfrcOutgoing, in the order of the queue */
  guint64 dropped[GST_TFRC_CLASSES];
  guint64 looked_at;
} GstTfrcDeadline;

/** Begins without a deadline. */
void gst_tfrc_deadline_init (GstTfrcDeadline *self);
void gst_tfrc_deadline_clear (GstTfrcDeadline *self);

/** Says how long after it was due a packet may leave.
 * @param is_on FALSE: there is no deadline, and @a slack_ns means nothing
 * @param slack_ns any; less than GST_TFRC_DEADLINE_LEAST_SLACK_NS counts as that */
void gst_tfrc_deadline_set (GstTfrcDeadline *self, gboolean is_on, guint64 slack_ns);
gboolean gst_tfrc_deadline_is_on (const GstTfrcDeadline *self);

/** Packets of the past come, which are due now: there is no deadline until they have left, and what came behind
 * them meanwhile is in time again; but no longer than GST_TFRC_DEADLINE_CATCH_UP_NS, and not for another
 * group, with which a decoder can begin as well.
 * @param group of the pictures in the packets of the past */
void gst_tfrc_deadline_catch_up (GstTfrcDeadline *self, guint32 group, guint64 now_ns);

/** A packet goes to the queue. */
void gst_tfrc_deadline_on_packet (GstTfrcDeadline *self, const GstTfrcPacket *packet);

/** What comes from now on belongs to none of the pictures before, as after a flush. */
void gst_tfrc_deadline_forget (GstTfrcDeadline *self);

/** Is a packet that comes now of no use, because its picture has lost a packet? Counts it as
 * dropped then. */
gboolean gst_tfrc_deadline_refuses (GstTfrcDeadline *self, const GstTfrcPacket *packet);

/** Drops what is past its deadline, and the least important of what cannot be in time at the queue's
 * present rate. Constant time if all can be in time.
 * @return how many packets */
guint gst_tfrc_deadline_drop (GstTfrcDeadline *self, GstTfrcSendQueue *queue, guint64 now_ns);

/** Would something that gst_tfrc_deadline_drop() has left be late, unless the sender makes up for unused sending time? */
gboolean gst_tfrc_deadline_is_pressed (const GstTfrcDeadline *self);

/** Drops the least important eighth of a queue that has no place left, so that a packet is looked at eight
 * times at most for it.
 * @return how many packets; 0: none may be dropped before its time */
guint gst_tfrc_deadline_make_room (GstTfrcDeadline *self, GstTfrcSendQueue *queue);

/** Returns when the first packet of the queue is past its deadline; G_MAXUINT64: never. */
guint64 gst_tfrc_deadline_expiry_ns (const GstTfrcDeadline *self, const GstTfrcSendQueue *queue);

typedef struct
{
  gboolean is_on;
  guint64 slack_ns;
  guint64 dropped;                    /**< packets */
  guint64 of_class[GST_TFRC_CLASSES]; /**< of these, by GstTfrcClass */
  guint64 looked_at; /**< packets that searches have seen: what the deadline costs */
} GstTfrcDeadlineStats;

void gst_tfrc_deadline_get_stats (const GstTfrcDeadline *self, GstTfrcDeadlineStats *stats);

/** Returns how many packets have been dropped, of all classes. */
guint64 gst_tfrc_deadline_get_dropped (const GstTfrcDeadline *self);

G_END_DECLS
#endif
