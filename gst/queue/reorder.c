/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's queue, see reorder.h. */
#include "reorder.h"

#include "../common/log.h"

/* Of the moving average of the gaps between packets */
#define WEIGHT 8

/* A longer gap is a pause, which says little about the time after it. */
#define MAX_GAP_NS (200 * G_GUINT64_CONSTANT (1000000))

/* A packet waits for others only if, at the mean gap, at least this number of them comes meanwhile:
 * a hold for fewer would delay the packet and hardly save a wake-up. */
#define LEAST_OTHERS 2

struct _GstTfrcReorder
{
  GSequence *
      items; /* of GstTfrcReorderItem, by stream and seq; a tree, as a sender can send packets in any order */
  GstTfrcReorderItem *first, *last; /* of the items; NULL: there is none */
  guint length;
  GDestroyNotify free_data;
  guint64 window_ns;   /* the playout delay: a packet is played this long after it was due */
  guint64 max_time_ns; /* how long packets may wait for the pipeline; 0: no limit */
  guint64 gap_end_ns;  /* when the last gap was filled or could be given up; 0: there was none */
  guint64 hold_ns;     /* the most that a packet waits for others, so that they leave together */
  guint64 newest_ns;   /* arrival of the newest packet; 0: none has come */
  guint64 gap_ns;      /* between the arrivals of packets, a moving average */
  guint stream;        /* number of the stream that comes in */
  guint next_stream;   /* number of the stream that leaves */
  guint64 next_seq;    /* that leaves next; 0: whichever comes first */
  guint64 last_due_ns; /* of the packet that was popped last */
  gboolean discont;    /* the next item follows a break */
  guint64 skipped;     /* since the last item was popped: missing ones and those that overflowed */
  gpointer held;       /* NULL, or a packet without a sequence number yet */
  GstTfrcReorderSize get_bytes; /* NULL: there is no bound on early packets */
  gsize max_early_bytes;
  gsize early_bytes; /* of the packets that came early */

  GstTfrcReorderStats stats; /* without `packets' */
};

GstTfrcReorder *
gst_tfrc_reorder_new (guint64 window_ns, guint64 max_time_ns, GDestroyNotify free_data)
{
  GstTfrcReorder *reorder = g_new0 (GstTfrcReorder, 1);

  reorder->items = g_sequence_new (NULL);
  gst_tfrc_reorder_set_limits (reorder, window_ns, max_time_ns);
  reorder->free_data = free_data;
  return reorder;
}

void
gst_tfrc_reorder_free (GstTfrcReorder *reorder)
{
  if (reorder == NULL)
    return;
  gst_tfrc_reorder_clear (reorder);
  g_sequence_free (reorder->items);
  g_free (reorder);
}

void
gst_tfrc_reorder_set_limits (GstTfrcReorder *reorder, guint64 window_ns, guint64 max_time_ns)
{
  reorder->window_ns = window_ns;
  reorder->max_time_ns = max_time_ns;
}

void
gst_tfrc_reorder_set_early_limit (
    GstTfrcReorder *reorder, GstTfrcReorderSize get_bytes, gsize max_bytes)
{
  reorder->max_early_bytes = max_bytes;
  reorder->get_bytes = get_bytes;
}

void
gst_tfrc_reorder_set_hold_ns (GstTfrcReorder *reorder, guint64 hold_ns)
{
  reorder->hold_ns = hold_ns;
}

guint64
gst_tfrc_reorder_get_hold_ns (const GstTfrcReorder *reorder)
{
  return reorder->hold_ns;
}

void
gst_tfrc_reorder_get_stats (const GstTfrcReorder *reorder, GstTfrcReorderStats *stats)
{
  *stats = reorder->stats;
  stats->packets = reorder->length;
}

static void
free_item (GstTfrcReorder *reorder, GstTfrcReorderItem *item)
{
  reorder->free_data (item->data);
  g_slice_free (GstTfrcReorderItem, item);
}

void
gst_tfrc_reorder_hold (GstTfrcReorder *reorder, gpointer data)
{
  if (reorder->held)
    reorder->free_data (reorder->held);
  reorder->held = data;
}

static GstTfrcReorderItem *
remove_first (GstTfrcReorder *reorder)
{
  GstTfrcReorderItem *item = reorder->first;
  GSequenceIter *begin = g_sequence_get_begin_iter (reorder->items);
  GSequenceIter *next = g_sequence_iter_next (begin);

  reorder->first = g_sequence_iter_is_end (next) ? NULL : g_sequence_get (next);
  if (reorder->first == NULL)
    reorder->last = NULL;
  g_sequence_remove (begin);
  reorder->length--;
  return item;
}

/* @behind: the place of the packet behind it; the end: there is none */
static void
insert (GstTfrcReorder *reorder, GstTfrcReorderItem *item, GSequenceIter *behind)
{
  gboolean is_last = g_sequence_iter_is_end (behind);

  if (reorder->first == NULL || (!is_last && g_sequence_get (behind) == reorder->first))
    reorder->first = item;
  if (is_last)
    reorder->last = item;
  g_sequence_insert_before (behind, item);
  reorder->length++;
}

static void
drop_items (GstTfrcReorder *reorder)
{
  while (reorder->first)
    free_item (reorder, remove_first (reorder));
  reorder->early_bytes = 0;
}

void
gst_tfrc_reorder_clear (GstTfrcReorder *reorder)
{
  gst_tfrc_reorder_hold (reorder, NULL);
  drop_items (reorder);
  reorder->next_seq = 0;
  reorder->skipped = 0;
  reorder->discont = TRUE;
}

void
gst_tfrc_reorder_restart (GstTfrcReorder *reorder)
{
  reorder->stream++;
}

static gboolean
first_is_next (const GstTfrcReorder *reorder)
{
  return reorder->next_seq == 0 || reorder->first->stream != reorder->next_stream
      || reorder->first->seq == reorder->next_seq;
}

static GstTfrcReorderItem *
take_first (GstTfrcReorder *reorder)
{
  gboolean first_was_next = first_is_next (reorder);
  guint64 ready_ns = gst_tfrc_reorder_ready_ns (reorder);
  GstTfrcReorderItem *item = remove_first (reorder);

  reorder->early_bytes -= item->early_bytes;
  if (!first_was_next) {
    reorder->gap_end_ns = ready_ns;
    reorder->stats.missing += item->seq - reorder->next_seq;
    reorder->skipped += item->seq - reorder->next_seq;
    gst_tfrc_log (flow, LOG, "%" G_GUINT64_FORMAT " packets are missing before number %u",
        item->seq - reorder->next_seq, (guint16) item->seq);
    reorder->discont = TRUE;
  }
  if (item->stream != reorder->next_stream) {
    reorder->skipped = 0;
    reorder->discont = TRUE;
  }
  reorder->next_stream = item->stream;
  reorder->next_seq = item->seq + 1;
  item->discont = reorder->discont;
  reorder->discont = FALSE;
  return item;
}

/* From when on the pipeline could have the packet, if none before it were missing */
static guint64
available_ns (const GstTfrcReorderItem *item)
{
  return MAX (item->arrival_ns, item->due_ns);
}

static gboolean
is_early (const GstTfrcReorderItem *item)
{
  return item->due_ns > item->arrival_ns;
}

/* Since when the pipeline has let the first packet wait: a packet behind a gap waits for what is missing. */
static guint64
waits_since_ns (const GstTfrcReorder *reorder)
{
  return first_is_next (reorder) ? MAX (available_ns (reorder->first), reorder->gap_end_ns)
                                 : gst_tfrc_reorder_ready_ns (reorder);
}

static gboolean
is_too_long (const GstTfrcReorder *reorder, guint64 now_ns)
{
  if (reorder->length > GST_TFRC_REORDER_MAX_PACKETS)
    return TRUE;
  return reorder->max_time_ns > 0 && now_ns > waits_since_ns (reorder) + reorder->max_time_ns;
}

/* When the queue waits for a missing packet no longer; 0: it waits for none. */
static guint64
gap_until_ns (const GstTfrcReorder *reorder)
{
  return reorder->first && !first_is_next (reorder) ? gst_tfrc_reorder_ready_ns (reorder) : 0;
}

/* Compares two items, for GCompareDataFunc. */
static gint
compare (gconstpointer a, gconstpointer b, gpointer queue)
{
  const GstTfrcReorderItem *one = a, *other = b;
  GstTfrcReorder *reorder = queue;

  reorder->stats.compared++;
  if (one->stream != other->stream)
    return (gint) (one->stream - other->stream);
  return (one->seq > other->seq) - (one->seq < other->seq);
}

/* Finds the place of a packet: behind the last one, or by search.
 * @behind: set to the place of the packet behind it; the end: there is none
 * @return GST_TFRC_REORDER_QUEUED, or why the packet is not wanted any more, which is counted */
static GstTfrcReorderResult
find_place (GstTfrcReorder *reorder, guint64 seq, GSequenceIter **behind)
{
  GstTfrcReorderItem place = { .stream = reorder->stream, .seq = seq };
  GSequenceIter *before;

  if (reorder->stream == reorder->next_stream && seq < reorder->next_seq) {
    reorder->stats.too_late++;
    return GST_TFRC_REORDER_TOO_LATE;
  }
  *behind = g_sequence_get_end_iter (reorder->items);
  if (reorder->last == NULL || compare (reorder->last, &place, reorder) < 0)
    return GST_TFRC_REORDER_QUEUED;
  *behind = g_sequence_search (reorder->items, &place, compare, reorder);
  before = g_sequence_iter_prev (*behind);
  if (compare (g_sequence_get (before), &place, reorder) == 0) {
    reorder->stats.duplicates++;
    return GST_TFRC_REORDER_DUPLICATE;
  }
  return GST_TFRC_REORDER_QUEUED;
}

/* The time of a late packet lies between those of its neighbours. */
static void
set_times (GstTfrcReorder *reorder, GstTfrcReorderItem *item, const GstTfrcReorderItem *behind,
    guint64 arrival_ns, guint64 due_ns)
{
  guint64 earliest_ns = arrival_ns - MIN (arrival_ns, reorder->window_ns);

  item->arrival_ns = arrival_ns;
  item->due_ns = MAX (due_ns, earliest_ns);
  if (behind == NULL)
    return;
  item->arrival_ns = MIN (item->arrival_ns, behind->arrival_ns);
  item->due_ns = MIN (item->due_ns, behind->due_ns);
}

/* After this nothing of the queue counts as missing. */
void
gst_tfrc_reorder_flush (GstTfrcReorder *reorder, guint64 now_ns)
{
  const GstTfrcReorderItem *last = reorder->last;

  if (last == NULL || last->due_ns <= now_ns)
    return;
  gst_tfrc_log (flow, DEBUG, "the sender begins anew: %u packets that are not due yet are dropped",
      reorder->length);
  reorder->stats.flushed += reorder->length;
  reorder->next_stream = last->stream;
  reorder->next_seq = last->seq + 1;
  drop_items (reorder);
  reorder->skipped = 0;
  reorder->discont = TRUE;
}

/* The first packet of a new stream may be due before the end of the old one. */
static void
end_old_stream (GstTfrcReorder *reorder, guint64 arrival_ns, guint64 due_ns)
{
  const GstTfrcReorderItem *last = reorder->last;

  if (last && last->stream != reorder->stream && last->due_ns > due_ns)
    gst_tfrc_reorder_flush (reorder, arrival_ns);
}

/* A player has played on by then, whether the packet was overtaken or all were late. */
static void
measure_lateness (GstTfrcReorder *reorder, guint64 arrival_ns, guint64 due_ns)
{
  const guint64 last_ns = due_ns + MIN (G_MAXUINT64 - due_ns, reorder->window_ns);

  if (arrival_ns > last_ns)
    gst_tfrc_histogram_add (&reorder->stats.lateness, arrival_ns - last_ns);
}

static void
measure_gap (GstTfrcReorder *reorder, guint64 arrival_ns)
{
  guint64 gap_ns = arrival_ns - MIN (arrival_ns, reorder->newest_ns);

  gap_ns = MIN (gap_ns, MAX_GAP_NS);
  if (reorder->newest_ns > 0)
    reorder->gap_ns = (reorder->gap_ns * (WEIGHT - 1) + gap_ns) / WEIGHT;
  reorder->newest_ns = MAX (reorder->newest_ns, arrival_ns);
}

GstTfrcReorderResult
gst_tfrc_reorder_push (
    GstTfrcReorder *reorder, guint64 seq, guint64 arrival_ns, guint64 due_ns, gpointer data)
{
  gsize early_bytes = due_ns > arrival_ns && reorder->get_bytes ? reorder->get_bytes (data) : 0;
  GstTfrcReorderResult result;
  GstTfrcReorderItem *item;
  GSequenceIter *behind;
  guint64 until_ns;

  measure_lateness (reorder, arrival_ns, due_ns);
  end_old_stream (reorder, arrival_ns, due_ns);
  if (early_bytes > 0 && reorder->early_bytes + early_bytes > reorder->max_early_bytes) {
    reorder->stats.too_early++;
    reorder->free_data (data);
    return GST_TFRC_REORDER_TOO_EARLY;
  }
  result = find_place (reorder, seq, &behind);
  if (result != GST_TFRC_REORDER_QUEUED) {
    reorder->free_data (data);
    return result;
  }
  until_ns = gap_until_ns (reorder);
  measure_gap (reorder, arrival_ns);
  item = g_slice_new0 (GstTfrcReorderItem);
  item->stream = reorder->stream;
  item->seq = seq;
  set_times (reorder, item, g_sequence_iter_is_end (behind) ? NULL : g_sequence_get (behind),
      arrival_ns, due_ns);
  item->data = data;
  item->early_bytes = early_bytes;
  reorder->early_bytes += early_bytes;
  insert (reorder, item, behind);
  if (until_ns > 0 && first_is_next (reorder))
    reorder->gap_end_ns = MIN (until_ns, arrival_ns);

  while (reorder->length > 0 && is_too_long (reorder, arrival_ns)) {
    free_item (reorder, take_first (reorder));
    if (reorder->stats.overflowed++ == 0)
      gst_tfrc_log (flow, DEBUG,
          "the pipeline is slow: the queue drops its oldest packet, and maybe others; "
          "the statistics count them");
    reorder->skipped++;
    reorder->discont = TRUE;
  }
  return result;
}

void
gst_tfrc_reorder_push_held (
    GstTfrcReorder *reorder, guint64 seq, guint64 arrival_ns, guint64 due_ns)
{
  gpointer data = g_steal_pointer (&reorder->held);

  if (data)
    gst_tfrc_reorder_push (reorder, seq, arrival_ns, due_ns, data);
}

guint64
gst_tfrc_reorder_ready_ns (const GstTfrcReorder *reorder)
{
  const GstTfrcReorderItem *item = reorder->first;

  if (item == NULL)
    return G_MAXUINT64;
  if (first_is_next (reorder))
    return is_early (item) ? item->due_ns : 0;
  return MAX (item->due_ns + reorder->window_ns,
      item->arrival_ns + MIN (reorder->window_ns, GST_TFRC_REORDER_LEAST_WAIT_NS));
}

/* Returns for how long a packet waits for others. */
static guint64
get_hold_ns (const GstTfrcReorder *reorder)
{
  guint64 hold_ns = MIN (reorder->hold_ns, reorder->window_ns / 2);

  if (reorder->max_time_ns > 0)
    hold_ns = MIN (hold_ns, reorder->max_time_ns / 4);
  return reorder->gap_ns * LEAST_OTHERS <= hold_ns ? hold_ns : 0;
}

guint64
gst_tfrc_reorder_leave_ns (const GstTfrcReorder *reorder)
{
  const GstTfrcReorderItem *item = reorder->first;
  guint64 ready_ns = gst_tfrc_reorder_ready_ns (reorder);

  if (item == NULL || !first_is_next (reorder) || reorder->next_seq == 0
      || item->stream != reorder->next_stream)
    return ready_ns;
  if (reorder->length >= GST_TFRC_REORDER_GROUP_PACKETS && !is_early (item))
    return ready_ns;
  return MIN (available_ns (item) + get_hold_ns (reorder), item->due_ns + reorder->window_ns / 2);
}

static gboolean
pop_if (GstTfrcReorder *reorder, gboolean is_ready, GstTfrcReorderItem *item)
{
  GstTfrcReorderItem *next;

  if (reorder->length == 0 || !is_ready)
    return FALSE;
  next = take_first (reorder);
  next->due_ns = reorder->last_due_ns = MAX (next->due_ns, reorder->last_due_ns);
  next->skipped = reorder->skipped;
  reorder->skipped = 0;
  *item = *next;
  g_slice_free (GstTfrcReorderItem, next);
  return TRUE;
}

gboolean
gst_tfrc_reorder_pop (GstTfrcReorder *reorder, guint64 now_ns, GstTfrcReorderItem *item)
{
  return pop_if (reorder, gst_tfrc_reorder_ready_ns (reorder) <= now_ns, item);
}

gboolean
gst_tfrc_reorder_pop_at_end (GstTfrcReorder *reorder, guint64 now_ns, GstTfrcReorderItem *item)
{
  return pop_if (reorder, gst_tfrc_reorder_end_ns (reorder) <= now_ns, item);
}

guint64
gst_tfrc_reorder_end_ns (const GstTfrcReorder *reorder)
{
  const GstTfrcReorderItem *item = reorder->first;

  if (item == NULL)
    return G_MAXUINT64;
  return is_early (item) ? item->due_ns : 0;
}

guint
gst_tfrc_reorder_length (const GstTfrcReorder *reorder)
{
  return reorder->length;
}
