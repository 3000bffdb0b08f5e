/* The receiver's queue: puts packets in order, waits for late ones for at most
 * the window, and bounds what a slow pipeline leaves behind.  No clock and no
 * locks of its own. */
#ifndef GST_TFRC_REORDER_H
#define GST_TFRC_REORDER_H

#include <glib.h>

G_BEGIN_DECLS

/* More than any pipeline should leave waiting: a bound on memory. */
#define GST_TFRC_REORDER_MAX_PACKETS 32768

typedef struct
{
  guint stream; /* numbers of two streams cannot be compared */
  guint64 seq;
  guint64 arrival_ns; /* not after those of packets behind it */
  gpointer data;      /* owned by the queue until popped */
  gboolean discont;   /* set when popped: something before it is missing */
} GstTfrcReorderItem;

typedef struct
{
  GQueue items; /* of GstTfrcReorderItem, by stream and seq */
  GDestroyNotify free_data;
  guint64 window_ns;
  gboolean arrival_order; /* only queue: somebody else puts in order */
  guint64 max_time_ns;    /* newest minus oldest arrival; 0: no limit */
  guint stream;           /* counts the streams that came in */
  guint next_stream;      /* which of them goes out */
  guint64 next_seq;       /* 0: whatever comes first */
  gboolean discont;       /* the next item follows a break */
  gpointer held;          /* NULL, or a packet that has no place yet */

  guint64 missing;  /* given up on */
  guint64 too_late; /* came after that */
  guint64 duplicates;
  guint64 overflowed; /* dropped because the pipeline did not take them */
} GstTfrcReorder;

void gst_tfrc_reorder_init (
    GstTfrcReorder *reorder, guint64 window_ns, guint64 max_time_ns, GDestroyNotify free_data);
void gst_tfrc_reorder_clear (GstTfrcReorder *reorder);

/** A new stream begins: numbers start anew after what is queued, which stays. */
void gst_tfrc_reorder_restart (GstTfrcReorder *reorder);

/** Adds a packet, taking @a data, or frees @a data and counts why.  One that
 * comes late counts as arrived with the first packet behind it: that one showed
 * the gap, and so began to wait. */
void gst_tfrc_reorder_push (
    GstTfrcReorder *reorder, guint64 seq, guint64 arrival_ns, gpointer data);

/** Keeps a packet that has no number yet, taking @a data.  One that is kept
 * already is freed: one at a time is the bound. */
void gst_tfrc_reorder_hold (GstTfrcReorder *reorder, gpointer data);

/** Adds the packet that is kept, if there is one, as gst_tfrc_reorder_push(). */
void gst_tfrc_reorder_push_held (GstTfrcReorder *reorder, guint64 seq, guint64 arrival_ns);

/** Returns when gst_tfrc_reorder_pop() will give something: 0 for now, G_MAXUINT64
 * for never unless more arrives. */
guint64 gst_tfrc_reorder_ready_ns (const GstTfrcReorder *reorder);

/** Takes the next item if it is ready; @a item->data is then the caller's. */
gboolean gst_tfrc_reorder_pop (GstTfrcReorder *reorder, guint64 now_ns, GstTfrcReorderItem *item);

guint gst_tfrc_reorder_length (const GstTfrcReorder *reorder);

G_END_DECLS
#endif
