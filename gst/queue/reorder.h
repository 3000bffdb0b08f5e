/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's queue: puts packets in order for the pipeline.  Packets in order leave at once.  A
 * packet behind a gap waits for the missing ones until it has to be played: the window, which is the
 * playout delay, after it was due.  The queue drops the oldest packets if the pipeline is slow.
 *
 * A packet that comes at the end of its window or later waits all the same, but only as long as
 * packets overtake each other in a network: GST_TFRC_REORDER_LEAST_WAIT_NS.
 *
 * A packet of a movie that runs ahead comes before it is due, and is held until then.  If the sender flushes
 * or another one begins meanwhile, what is not due yet is dropped, as nobody waits for it any more.
 *
 * To wake the pipeline costs more than to hand a packet over.  So packets in order may leave in
 * groups: gst_tfrc_reorder_leave_ns() tells when.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_REORDER_H
#define GST_TFRC_REORDER_H

#include <glib.h>

#include "../common/histogram.h"

G_BEGIN_DECLS

/* The most packets that the queue holds: a bound on memory */
#define GST_TFRC_REORDER_MAX_PACKETS 32768

/* A packet behind a gap waits for this time at least, or for the window if that is shorter. */
#define GST_TFRC_REORDER_LEAST_WAIT_NS (20 * G_GUINT64_CONSTANT (1000000))

/* A packet waits for no more others than this in all. */
#define GST_TFRC_REORDER_GROUP_PACKETS 32

/** A packet with its place */
typedef struct
{
  guint stream; /* sequence numbers are compared within one stream only */
  guint64 seq;
  guint64 arrival_ns; /* not later than that of a packet behind this one */
  guint64 due_ns;     /* likewise; when popped, not earlier than that of the packet popped before */
  gsize early_bytes;  /* its size, if it came early and there is a bound on that */
  gpointer data;      /* owned by the queue until popped */
  gboolean discont;   /* set when popped: a packet before this one is missing */
  guint64 skipped;    /* set when popped: packets of its stream between it and the one before */
} GstTfrcReorderItem;

typedef struct _GstTfrcReorder GstTfrcReorder;

/** What became of a packet that was pushed */
typedef enum
{
  GST_TFRC_REORDER_QUEUED,
  GST_TFRC_REORDER_TOO_LATE, /**< the queue waits for it no longer */
  GST_TFRC_REORDER_DUPLICATE,
  GST_TFRC_REORDER_TOO_EARLY /**< the sender has run further ahead than it may */
} GstTfrcReorderResult;

typedef struct
{
  guint packets;    /**< in the queue */
  guint64 missing;  /**< packets that the queue no longer waits for */
  guint64 too_late; /**< packets that came after that */
  guint64 duplicates;
  guint64 overflowed;        /**< dropped because the pipeline did not take them */
  guint64 too_early;         /**< dropped because the sender ran further ahead than it may */
  guint64 flushed;           /**< dropped because the sender began anew before they were due */
  guint64 compared;          /**< packets with others: what their order costs */
  GstTfrcHistogram lateness; /**< of packets that came after the window: by how much, in ns */
} GstTfrcReorderStats;

/** @param window_ns the playout delay: how long after a packet was due the packet is played
 * @param max_time_ns how long packets may wait for the pipeline, from when it could have had them; 0: no limit
 * @param free_data for packets that are not popped
 * @return to be freed with gst_tfrc_reorder_free() */
GstTfrcReorder *gst_tfrc_reorder_new (
    guint64 window_ns, guint64 max_time_ns, GDestroyNotify free_data);

/** Frees the queue and its packets.  NULL is allowed. */
void gst_tfrc_reorder_free (GstTfrcReorder *reorder);

/** Frees the packets; the next one that is popped follows a break. */
void gst_tfrc_reorder_clear (GstTfrcReorder *reorder);

/** Changes what gst_tfrc_reorder_new() was given. */
void gst_tfrc_reorder_set_limits (GstTfrcReorder *reorder, guint64 window_ns, guint64 max_time_ns);

/** Bounds what packets that come early may take; without a bound, as at first, any number does.
 * @param get_bytes tells the size of a packet
 * @param max_bytes of the packets that came early */
typedef gsize (*GstTfrcReorderSize) (gconstpointer data);
void gst_tfrc_reorder_set_early_limit (
    GstTfrcReorder *reorder, GstTfrcReorderSize get_bytes, gsize max_bytes);

/** Sets the longest time that a packet waits for others, so that they leave together; 0 at first. */
void gst_tfrc_reorder_set_hold_ns (GstTfrcReorder *reorder, guint64 hold_ns);
guint64 gst_tfrc_reorder_get_hold_ns (const GstTfrcReorder *reorder);

void gst_tfrc_reorder_get_stats (const GstTfrcReorder *reorder, GstTfrcReorderStats *stats);

/** A new stream begins: sequence numbers begin anew.  What is queued stays, and leaves first; but if its end
 * would be due after the first packet of the new stream, what is not due yet when that comes is dropped. */
void gst_tfrc_reorder_restart (GstTfrcReorder *reorder);

/** The sender has flushed: drops all packets, unless the last one is due.  The next packet that is popped
 * follows a break, and none counts as missing. */
void gst_tfrc_reorder_flush (GstTfrcReorder *reorder, guint64 now_ns);

/** Adds a packet and takes @a data; frees @a data and counts the reason if the packet is not
 * wanted.  A late packet counts as arrived with the first packet behind it, which has waited since
 * then.
 * @param due_ns when the packet was due; counts as at most the window before @a arrival_ns; after it: the
 *   packet is early */
GstTfrcReorderResult gst_tfrc_reorder_push (
    GstTfrcReorder *reorder, guint64 seq, guint64 arrival_ns, guint64 due_ns, gpointer data);

/** Holds a packet that has no sequence number yet, and takes @a data.  A packet that was held
 * before is freed, so that there is at most one. */
void gst_tfrc_reorder_hold (GstTfrcReorder *reorder, gpointer data);

/** Adds the packet that is held, if there is one, as gst_tfrc_reorder_push(). */
void gst_tfrc_reorder_push_held (
    GstTfrcReorder *reorder, guint64 seq, guint64 arrival_ns, guint64 due_ns);

/** Returns when gst_tfrc_reorder_pop() has a packet: 0 for now, G_MAXUINT64 for never unless more
 * packets come. */
guint64 gst_tfrc_reorder_ready_ns (const GstTfrcReorder *reorder);

/** Returns when the packets that are ready are to leave: 0 for now, G_MAXUINT64 for never unless more
 * packets come.
 *
 * The first packet of a stream leaves at once.  Of later packets the first one waits for others for
 * hold_ns, but no longer than a quarter of the limit of the queue.  Half of the window remains for the
 * pipeline: half a window after the packet was due the packet waits no longer.  Packets that come so
 * rarely that fewer than two others can be expected meanwhile do not wait.
 * GST_TFRC_REORDER_GROUP_PACKETS packets leave at once, and so do packets behind a gap that is given up
 * or filled late. */
guint64 gst_tfrc_reorder_leave_ns (const GstTfrcReorder *reorder);

/** Takes the next packet if it is ready; @a item->data is then the caller's. */
gboolean gst_tfrc_reorder_pop (GstTfrcReorder *reorder, guint64 now_ns, GstTfrcReorderItem *item);

/** After the end of the stream, when nothing fills a gap any more: likewise, but the packet waits for
 * nothing but its time.
 *
 * gst_tfrc_reorder_end_ns() tells when that is: 0 for now, G_MAXUINT64 if there is no packet. */
gboolean gst_tfrc_reorder_pop_at_end (
    GstTfrcReorder *reorder, guint64 now_ns, GstTfrcReorderItem *item);
guint64 gst_tfrc_reorder_end_ns (const GstTfrcReorder *reorder);

guint gst_tfrc_reorder_length (const GstTfrcReorder *reorder);

G_END_DECLS
#endif
