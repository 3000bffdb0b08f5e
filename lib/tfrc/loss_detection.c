/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detection of losses and loss events, see loss_detection.h. */
#include "loss_detection.h"

#include <string.h>

#include "units.h"

/* Keeps products of a time and a sequence number distance within 64 bits: three days times 2^15. */
#define MAX_DT_NS (UINT64_C (1) << 48)

void
tfrc_loss_detection_init (TfrcLossDetection *detection, TfrcLossIntervalMethod method, uint32_t n,
    bool discounting, TfrcFirstIntervalFunc first_interval, void *user)
{
  memset (detection, 0, sizeof *detection);
  tfrc_loss_history_init (&detection->all, method, n, discounting);
  detection->rules.first_interval = first_interval;
  detection->rules.user = user;
  tfrc_reorder_window_init (&detection->window, 0);
}

void
tfrc_loss_detection_start (TfrcLossDetection *detection, uint64_t first_seq, uint64_t now_ns)
{
  detection->rules.stream_first_seq = first_seq;
  detection->last_seq = first_seq - 1;
  detection->last_ns = now_ns;
  detection->top[0] = first_seq - 1;
}

void
tfrc_loss_detection_classify (TfrcLossDetection *detection, TfrcLossHistory *congestion,
    TfrcLinkErrorFunc is_link_error, void *user)
{
  tfrc_loss_history_init_congestion (congestion, &detection->all);
  detection->congestion = congestion;
  detection->is_link_error = is_link_error;
  detection->link_error_user = user;
}

/* ---- the histories ----------------------------------------------------- */

static void
forget (TfrcLossDetection *detection, const TfrcGap *gap)
{
  tfrc_loss_history_forget (&detection->all, &detection->rules, gap);
  if (detection->congestion != NULL)
    tfrc_loss_history_forget (detection->congestion, &detection->rules, gap);
}

static void
add (TfrcLossDetection *detection, const TfrcGap *gap)
{
  tfrc_loss_history_add (&detection->all, &detection->rules, gap);
  if (detection->congestion != NULL)
    tfrc_loss_history_add (detection->congestion, &detection->rules, gap);
}

static void
fold_all (TfrcLossDetection *detection)
{
  tfrc_loss_history_fold (
      &detection->all, &detection->rules, detection->gaps, detection->n_confirmed);
  if (detection->congestion != NULL)
    tfrc_loss_history_fold (
        detection->congestion, &detection->rules, detection->gaps, detection->n_confirmed);
}

static TfrcLossChange
change_since (const TfrcLossDetection *detection, uint64_t events_before)
{
  uint64_t events = tfrc_loss_history_events (&detection->all);

  if (events > events_before)
    return TFRC_LOSS_NEW_EVENT;
  return events < events_before ? TFRC_LOSS_EVENT_REMOVED : TFRC_LOSS_NOTHING;
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
 * can fill it any more.  The oldest gap is confirmed, because at most TFRC_MAX_AWAITED_GAPS and
 * those of the last packet are not. */
static void
insert_gap (TfrcLossDetection *detection, uint32_t index, const TfrcGap *gap)
{
  if (detection->n_gaps == TFRC_MAX_GAPS) {
    if (index == 0) {
      forget (detection, gap);
      return;
    }
    forget (detection, &detection->gaps[0]);
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

/* Confirms the first gap that is not confirmed. */
static void
confirm_next (TfrcLossDetection *detection, uint32_t rtt_us)
{
  uint64_t events_before = tfrc_loss_history_events (&detection->all);
  TfrcGap *gap = &detection->gaps[detection->n_confirmed];

  gap->rtt_us = rtt_us;
  detection->n_confirmed++;
  if (gap->span != 0)
    detection->lost += gap->count;
  if (gap->link_error)
    detection->link_errors += gap->count;
  add (detection, gap);
  if (tfrc_loss_history_events (&detection->all) != events_before)
    tfrc_reorder_window_on_loss_event (&detection->window);
}

/* Confirms all gaps below limit, whether they are awaited or not. */
static void
confirm_below (TfrcLossDetection *detection, uint64_t limit, uint32_t rtt_us)
{
  while (detection->n_confirmed < detection->n_gaps
      && detection->gaps[detection->n_confirmed].first < limit)
    confirm_next (detection, rtt_us);
}

/* Is there a gap below NDUPACK later packets that is not confirmed? */
static bool
has_gap_below_ndupack (const TfrcLossDetection *detection)
{
  return detection->n_confirmed < detection->n_gaps
      && detection->gaps[detection->n_confirmed].first < detection->top[TFRC_NDUPACK - 1];
}

/* The time of arrival of the packet behind the gap, whose number was above all others */
static uint64_t
found_ns (const TfrcGap *gap)
{
  return tfrc_add_ns (gap->t_before_ns, gap->dt_ns);
}

/* Returns until when the packets of the first gap that is not confirmed may still come. */
static uint64_t
awaited_until_ns (const TfrcLossDetection *detection, uint32_t rtt_us)
{
  return tfrc_add_ns (found_ns (&detection->gaps[detection->n_confirmed]),
      tfrc_reorder_window_ns (&detection->window, rtt_us));
}

/* Confirms the gaps below NDUPACK later packets, but those that are awaited. */
static void
confirm_due (TfrcLossDetection *detection, uint32_t rtt_us, uint64_t now_ns)
{
  while (has_gap_below_ndupack (detection)) {
    if (tfrc_reorder_window_ns (&detection->window, rtt_us) != 0
        && detection->n_gaps - detection->n_confirmed <= TFRC_MAX_AWAITED_GAPS
        && now_ns < awaited_until_ns (detection, rtt_us))
      return;
    confirm_next (detection, rtt_us);
  }
}

/* Index of the first gap that ends after seq */
static uint32_t
find_gap (const TfrcLossDetection *detection, uint64_t seq)
{
  uint32_t low = 0, high = detection->n_gaps;

  while (low < high) {
    uint32_t middle = (low + high) / 2;

    if (tfrc_gap_end (&detection->gaps[middle]) <= seq)
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

/* No delays are known from 4 R without packets, so nothing tells that from congestion. */
static bool
is_link_error (const TfrcLossDetection *detection, const TfrcGap *gap)
{
  return detection->congestion != NULL && !tfrc_gap_is_outage (gap, 0)
      && detection->is_link_error (detection->link_error_user, gap->count);
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
  uint64_t events_before = tfrc_loss_history_events (&detection->all), highest = detection->top[0];

  if (seq > highest + 1) {
    TfrcGap gap = { 0 };

    gap.first = highest + 1;
    gap.count = (uint32_t) (seq - gap.first);
    gap.t_before_ns = detection->last_ns;
    gap.dt_ns = tfrc_min_ns (tfrc_sub_ns (now_ns, detection->last_ns), MAX_DT_NS);
    gap.from_before = (uint32_t) (gap.first - detection->last_seq);
    gap.span = (uint32_t) (seq - detection->last_seq);
    gap.rtt_us = rtt_us;
    gap.link_error = is_link_error (detection, &gap);
    insert_gap (detection, detection->n_gaps, &gap);
  }
  if (ce) {
    TfrcGap mark = marked_packet (detection, seq, rtt_us, now_ns);

    insert_gap (detection, detection->n_gaps, &mark);
  }
  arrived (detection, seq, now_ns);
  if (detection->n_confirmed < detection->n_gaps) {
    /* A mark counts at once, and so do the packets that are missing before it. */
    if (ce)
      confirm_below (detection, seq + 1, rtt_us);
    confirm_due (detection, rtt_us, now_ns);
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

  if (index < detection->n_confirmed) {
    detection->lost--;
    detection->link_errors -= gap->link_error;
  }
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
  uint64_t events_before = tfrc_loss_history_events (&detection->all);
  uint32_t index = find_gap (detection, seq);
  bool was_confirmed = index < detection->n_confirmed;

  *duplicate = index == detection->n_gaps || seq < detection->gaps[index].first
      || detection->gaps[index].span == 0;
  if (*duplicate)
    return TFRC_LOSS_NOTHING;

  if (seq < detection->top[TFRC_NDUPACK - 1] && !detection->gaps[index].excused)
    tfrc_reorder_window_on_late (
        &detection->window, tfrc_sub_ns (now_ns, found_ns (&detection->gaps[index])), rtt_us);
  index = fill (detection, index, seq);
  if (ce) {
    TfrcGap mark = marked_packet (detection, seq, rtt_us, now_ns);

    insert_gap (detection, index, &mark);
  }
  arrived (detection, seq, now_ns);
  if (was_confirmed)
    fold_all (detection);
  /* A mark counts at once, wherever it lies: at the end of the gaps that count, it is not among them
   * yet.  The gaps above it are awaited as before. */
  if (ce)
    confirm_below (detection, seq + 1, rtt_us);
  confirm_due (detection, rtt_us, now_ns);
  return change_since (detection, events_before);
}

uint64_t
tfrc_loss_detection_expiry_ns (const TfrcLossDetection *detection, uint32_t rtt_us)
{
  return has_gap_below_ndupack (detection) ? awaited_until_ns (detection, rtt_us) : TFRC_TIME_NEVER;
}

TfrcLossChange
tfrc_loss_detection_expire (TfrcLossDetection *detection, uint32_t rtt_us, uint64_t now_ns)
{
  uint64_t events_before = tfrc_loss_history_events (&detection->all);

  confirm_due (detection, rtt_us, now_ns);
  return change_since (detection, events_before);
}

void
tfrc_loss_detection_restart (
    TfrcLossDetection *detection, uint64_t seq, uint32_t rtt_us, uint64_t now_ns)
{
  uint64_t jump = seq - detection->top[0] - 1;

  confirm_below (detection, seq, rtt_us);
  /* No late packet can come from before the restart. */
  tfrc_loss_history_restart (&detection->all, jump);
  if (detection->congestion != NULL)
    tfrc_loss_history_restart (detection->congestion, jump);
  detection->path_seq += detection->path_seq != 0 ? jump : 0;
  detection->n_gaps = detection->n_confirmed = 0;
  memset (detection->top, 0, sizeof detection->top);
  arrived (detection, seq, now_ns);
}

void
tfrc_loss_detection_new_path (TfrcLossDetection *detection)
{
  detection->path_seq = detection->last_seq;
  tfrc_reorder_window_on_new_path (&detection->window);
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
      forget (detection, gap);
    gap->excused = true;
  }
  tfrc_loss_history_rebuild (&detection->all, interval, detection->path_seq);
  if (detection->congestion != NULL)
    tfrc_loss_history_rebuild (detection->congestion, interval, detection->path_seq);
  fold_all (detection);
}

/* A gap begins above all packets that had arrived.  So it lies on one side of the limit as a
 * whole, even if late packets shrink it. */
void
tfrc_loss_detection_reset_moments (TfrcLossDetection *detection)
{
  uint64_t from_seq = detection->top[0] + 1;

  tfrc_loss_history_reset_moments (&detection->all, from_seq);
  if (detection->congestion != NULL)
    tfrc_loss_history_reset_moments (detection->congestion, from_seq);
}
