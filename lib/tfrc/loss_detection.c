/* Detection of losses and loss events, see loss_detection.h. */
#include "loss_detection.h"

#include <string.h>

#include "units.h"

/* Keeps products of a time and a sequence number distance within 64 bits: three days times 2^15. */
#define MAX_DT_NS (UINT64_C (1) << 48)

/* An outage lasts as long as the nofeedback timer at least.  No congestion short of collapse
 * loses this many packets in a row. */
#define OUTAGE_RTTS 4
#define OUTAGE_PACKETS 16

void
tfrc_loss_detection_init (TfrcLossDetection *detection, TfrcLossIntervalMethod method, uint32_t n,
    bool discounting, TfrcFirstIntervalFunc first_interval, void *user)
{
  memset (detection, 0, sizeof *detection);
  tfrc_loss_intervals_init (&detection->base, method, n, discounting);
  tfrc_loss_intervals_init (&detection->current, method, n, discounting);
  detection->first_interval = first_interval;
  detection->user = user;
}

void
tfrc_loss_detection_start (TfrcLossDetection *detection, uint64_t first_seq, uint64_t now_ns)
{
  detection->stream_first_seq = first_seq;
  detection->last_seq = first_seq - 1;
  detection->last_ns = now_ns;
  detection->top[0] = first_seq - 1;
}

uint64_t
tfrc_gap_time_ns (const TfrcGap *gap, uint64_t seq)
{
  if (gap->span == 0)
    return gap->t_before_ns;
  return gap->t_before_ns + gap->dt_ns * (gap->from_before + (seq - gap->first)) / gap->span;
}

/* ---- from gaps to loss events ------------------------------------------ */

static uint64_t
gap_end (const TfrcGap *gap)
{
  return gap->first + gap->count;
}

/* Returns the first packet of the gap, at or after seq, whose nominal arrival time lies after
 * time_ns; gap_end() if there is none. */
static uint64_t
first_after (const TfrcGap *gap, uint64_t seq, uint64_t time_ns)
{
  uint64_t excess_ns, distance, found;

  if (tfrc_gap_time_ns (gap, seq) > time_ns)
    return seq;
  if (gap->dt_ns == 0 || time_ns - gap->t_before_ns >= gap->dt_ns)
    return gap_end (gap);
  /* floor (dt * distance / span) > excess  <=>  distance >= (excess + 1) * span / dt */
  excess_ns = time_ns - gap->t_before_ns;
  distance = ((excess_ns + 1) * gap->span + gap->dt_ns - 1) / gap->dt_ns;
  found = gap->first - gap->from_before + distance;
  return tfrc_min_ns (found, gap_end (gap));
}

/* A gap that lasts many round-trip times consists of loss events at regular distances.  Events
 * that would leave the history again within the same gap are only counted. */
static void
skip_events (TfrcLossIntervals *li, const TfrcGap *gap, uint64_t rtt_ns)
{
  uint64_t next = first_after (gap, li->start_seq, tfrc_add_ns (li->start_ns, rtt_ns));
  uint64_t step = next - li->start_seq, skipped;

  if (next == gap_end (gap))
    return;
  skipped = (gap_end (gap) - li->start_seq) / step;
  if (skipped <= li->n + 1)
    return;
  skipped -= li->n + 1;
  tfrc_loss_intervals_skip_events (
      li, step, skipped, tfrc_gap_time_ns (gap, li->start_seq + skipped * step));
}

/* Has the path carried no packet for long enough, and lost enough packets, so that it was down
 * and not congested? */
static bool
is_outage (const TfrcLossDetection *detection, const TfrcGap *gap)
{
  return detection->outage_is_one_event && gap->span >= OUTAGE_PACKETS
      && gap->dt_ns >= OUTAGE_RTTS * gap->rtt_us * TFRC_NS_PER_US;
}

/* Adds the loss events of one gap: T_old + R >= T_new is the same event (section 5.2). */
static void
fold_gap (TfrcLossDetection *detection, TfrcLossIntervals *li, const TfrcGap *gap)
{
  uint64_t rtt_ns = gap->rtt_us * TFRC_NS_PER_US, seq = gap->first;

  if (gap->excused)
    return;
  if (li->closed == 0) {
    bool null_interval = seq == detection->stream_first_seq;

    /* The interval does not change, unless the stream's first packet has come late. */
    if (detection->seed == 0 || detection->seed_is_null != null_interval)
      detection->seed = detection->first_interval (detection->user, null_interval);
    detection->seed_is_null = null_interval;
    tfrc_loss_intervals_first_event (li, detection->seed, seq, tfrc_gap_time_ns (gap, seq));
    if (is_outage (detection, gap))
      return;
  }
  while ((seq = first_after (gap, seq, tfrc_add_ns (li->start_ns, rtt_ns))) < gap_end (gap)) {
    tfrc_loss_intervals_new_event (li, seq, tfrc_gap_time_ns (gap, seq));
    if (is_outage (detection, gap))
      return;
    skip_events (li, gap, rtt_ns);
    seq = li->start_seq;
  }
}

static void
fold_all (TfrcLossDetection *detection)
{
  detection->current = detection->base;
  for (uint32_t i = 0; i < detection->n_confirmed; i++)
    fold_gap (detection, &detection->current, &detection->gaps[i]);
  if (detection->current.closed == 0)
    detection->seed = 0;
}

static TfrcLossChange
change_since (const TfrcLossDetection *detection, uint64_t events_before)
{
  if (detection->current.events > events_before)
    return TFRC_LOSS_NEW_EVENT;
  return detection->current.events < events_before ? TFRC_LOSS_EVENT_REMOVED : TFRC_LOSS_NOTHING;
}

/* ---- the list of gaps -------------------------------------------------- */

static void
remove_gap (TfrcLossDetection *detection, uint32_t index)
{
  memmove (&detection->gaps[index], &detection->gaps[index + 1],
      (detection->n_gaps - index - 1) * sizeof (TfrcGap));
  detection->n_gaps--;
  if (index < detection->n_confirmed)
    detection->n_confirmed--;
}

/* Inserts before index.  If there is no room, the oldest gap goes into `base': no late packet
 * can fill it any more.  The oldest gap is confirmed, because at most NDUPACK gaps are not. */
static void
insert_gap (TfrcLossDetection *detection, uint32_t index, const TfrcGap *gap)
{
  if (detection->n_gaps == TFRC_MAX_GAPS) {
    if (index == 0) {
      fold_gap (detection, &detection->base, gap);
      return;
    }
    fold_gap (detection, &detection->base, &detection->gaps[0]);
    remove_gap (detection, 0);
    index--;
  }
  memmove (&detection->gaps[index + 1], &detection->gaps[index],
      (detection->n_gaps - index) * sizeof (TfrcGap));
  detection->gaps[index] = *gap;
  detection->n_gaps++;
  if (index < detection->n_confirmed)
    detection->n_confirmed++;
}

/* Confirms all gaps below limit. */
static void
confirm_below (TfrcLossDetection *detection, uint64_t limit, uint32_t rtt_us)
{
  while (detection->n_confirmed < detection->n_gaps
      && detection->gaps[detection->n_confirmed].first < limit) {
    TfrcGap *gap = &detection->gaps[detection->n_confirmed];

    gap->rtt_us = rtt_us;
    detection->n_confirmed++;
    if (gap->span != 0)
      detection->lost += gap->count;
    fold_gap (detection, &detection->current, gap);
  }
}

/* Index of the first gap that ends after seq */
static uint32_t
find_gap (const TfrcLossDetection *detection, uint64_t seq)
{
  uint32_t low = 0, high = detection->n_gaps;

  while (low < high) {
    uint32_t middle = (low + high) / 2;

    if (gap_end (&detection->gaps[middle]) <= seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static TfrcGap
marked_packet (const TfrcLossDetection *detection, uint64_t seq, uint32_t rtt_us, uint64_t now_ns)
{
  TfrcGap mark = { 0 };

  mark.first = seq;
  mark.count = 1;
  mark.t_before_ns = now_ns;
  mark.rtt_us = rtt_us;
  mark.excused = seq < detection->path_seq;
  return mark;
}

/* ---- arrivals ---------------------------------------------------------- */

static void
insert_top (TfrcLossDetection *detection, uint64_t seq)
{
  for (int i = 0; i < TFRC_NDUPACK; i++) {
    if (seq > detection->top[i]) {
      uint64_t lower = detection->top[i];

      detection->top[i] = seq;
      seq = lower;
    }
  }
}

static void
arrived (TfrcLossDetection *detection, uint64_t seq, uint64_t now_ns)
{
  insert_top (detection, seq);
  detection->last_seq = seq;
  detection->last_ns = now_ns;
}

TfrcLossChange
tfrc_loss_detection_on_next (
    TfrcLossDetection *detection, uint64_t seq, bool ce, uint32_t rtt_us, uint64_t now_ns)
{
  uint64_t events_before = detection->current.events, highest = detection->top[0];

  if (seq > highest + 1) {
    TfrcGap gap = { 0 };

    gap.first = highest + 1;
    gap.count = (uint32_t) (seq - gap.first);
    gap.t_before_ns = detection->last_ns;
    gap.dt_ns = tfrc_min_ns (tfrc_sub_ns (now_ns, detection->last_ns), MAX_DT_NS);
    gap.from_before = (uint32_t) (gap.first - detection->last_seq);
    gap.span = (uint32_t) (seq - detection->last_seq);
    insert_gap (detection, detection->n_gaps, &gap);
  }
  if (ce) {
    TfrcGap mark = marked_packet (detection, seq, rtt_us, now_ns);

    insert_gap (detection, detection->n_gaps, &mark);
  }
  arrived (detection, seq, now_ns);
  if (detection->n_confirmed < detection->n_gaps) {
    /* A mark counts at once, and so do the packets that are missing before it. */
    confirm_below (detection, ce ? seq + 1 : detection->top[TFRC_NDUPACK - 1], rtt_us);
  }
  return change_since (detection, events_before);
}

/* Takes the packet out of its gap, which may become two gaps.  Returns the index at which to
 * insert a gap for the packet itself. */
static uint32_t
fill (TfrcLossDetection *detection, uint32_t index, uint64_t seq)
{
  TfrcGap *gap = &detection->gaps[index];
  uint32_t before = (uint32_t) (seq - gap->first), after = gap->count - before - 1;
  TfrcGap left = *gap;

  if (index < detection->n_confirmed)
    detection->lost--;
  if (after == 0 && before == 0) {
    remove_gap (detection, index);
    return index;
  }
  if (after == 0) {
    gap->count = before;
    return index + 1;
  }
  gap->first = seq + 1;
  gap->from_before += before + 1;
  gap->count = after;
  if (before != 0) {
    left.count = before;
    insert_gap (detection, index, &left);
  }
  return find_gap (detection, seq);
}

TfrcLossChange
tfrc_loss_detection_on_behind (TfrcLossDetection *detection, uint64_t seq, bool ce, uint32_t rtt_us,
    uint64_t now_ns, bool *duplicate)
{
  uint64_t events_before = detection->current.events;
  uint32_t index = find_gap (detection, seq);
  bool was_confirmed = index < detection->n_confirmed;

  *duplicate = index == detection->n_gaps || seq < detection->gaps[index].first
      || detection->gaps[index].span == 0;
  if (*duplicate)
    return TFRC_LOSS_NOTHING;

  index = fill (detection, index, seq);
  if (ce) {
    TfrcGap mark = marked_packet (detection, seq, rtt_us, now_ns);

    insert_gap (detection, index, &mark);
  }
  arrived (detection, seq, now_ns);
  if (was_confirmed)
    fold_all (detection);
  confirm_below (
      detection, ce && !was_confirmed ? seq + 1 : detection->top[TFRC_NDUPACK - 1], rtt_us);
  return change_since (detection, events_before);
}

void
tfrc_loss_detection_restart (
    TfrcLossDetection *detection, uint64_t seq, uint32_t rtt_us, uint64_t now_ns)
{
  uint64_t jump = seq - detection->top[0] - 1;

  confirm_below (detection, seq, rtt_us);
  /* No late packet can come from before the restart.  The current interval continues as if the
   * sequence numbers followed each other. */
  detection->current.start_seq += jump;
  detection->path_seq += detection->path_seq != 0 ? jump : 0;
  detection->base = detection->current;
  detection->n_gaps = detection->n_confirmed = 0;
  memset (detection->top, 0, sizeof detection->top);
  arrived (detection, seq, now_ns);
}

void
tfrc_loss_detection_new_path (TfrcLossDetection *detection)
{
  detection->path_seq = detection->last_seq;
  for (uint32_t i = detection->n_confirmed; i < detection->n_gaps; i++)
    detection->gaps[i].excused |= detection->gaps[i].first < detection->path_seq;
}

void
tfrc_loss_detection_rebuild (TfrcLossDetection *detection, double interval)
{
  /* Loss events of the old path stay counted, and late packets can still fill its gaps.  A mark
   * on the first packet of the new path counts for the old path as well: no interval ends there. */
  for (uint32_t i = 0; i < detection->n_gaps; i++) {
    TfrcGap *gap = &detection->gaps[i];

    if (gap->first > detection->path_seq)
      break;
    if (i < detection->n_confirmed)
      fold_gap (detection, &detection->base, gap);
    gap->excused = true;
  }
  tfrc_loss_intervals_rebuild (&detection->base, interval, detection->path_seq);
  fold_all (detection);
}

/* A gap begins above all packets that had arrived.  So it lies on one side of the limit as a
 * whole, even if late packets shrink it. */
void
tfrc_loss_detection_reset_moments (TfrcLossDetection *detection)
{
  uint64_t from_seq = detection->top[0] + 1;

  tfrc_loss_intervals_reset_moments (&detection->base, from_seq);
  tfrc_loss_intervals_reset_moments (&detection->current, from_seq);
}
