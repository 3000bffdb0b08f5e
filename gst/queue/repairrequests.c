/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets a receiver asks for, and when, see repairrequests.h. */
#include "repairrequests.h"

#include <string.h>

#include "../common/log.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* Without a measurement a repair takes R and half of it: the sender's queue and its pace come on top. */
#define FIRST_REPAIR_IN_R 1.5

/* Without R either: as long as TCP waits at first (RFC 6298 section 2.1) */
#define FIRST_REPAIR_NS S_NS

/* A repeated request less than this after the one before is not worth a packet. */
#define LEAST_REPAIR_NS (20 * G_GUINT64_CONSTANT (1000000))
#define MAX_REPAIR_NS (2 * G_GUINT64_CONSTANT (1000000000))

/* The wait doubles so often at most, which makes LEAST_REPAIR_NS longer than MAX_REPAIR_NS. */
#define MAX_DOUBLINGS 7

/* As RFC 6298: weights of a new sample, and how many deviations are waited for */
#define MEAN_WEIGHT 8
#define VAR_WEIGHT 4
#define DEVIATIONS 4

/* A number further behind than this is another's: half of what a number can tell */
#define MAX_BEHIND 0x7fff

/* Reordering that is less than before counts as much as this part of the difference. */
#define REORDERING_WEIGHT 8

/* What comes meanwhile is not noted. */
void
gst_tfrc_repair_requests_set_on (GstTfrcRepairRequests *self, gboolean is_on)
{
  self->is_on = is_on;
  if (!is_on)
    gst_tfrc_repair_requests_restart (self);
}

void
gst_tfrc_repair_requests_restart (GstTfrcRepairRequests *self)
{
  self->n = self->unanswered = 0;
  self->pause_end_ns = 0;
  self->has_begun = FALSE;
}

void
gst_tfrc_repair_requests_change_path (GstTfrcRepairRequests *self)
{
  self->reordering_ns = self->repair_ns = self->repair_var_ns = self->least_rtt_ns = 0;
  self->unanswered = self->doublings = 0;
  self->pause_end_ns = 0;
}

void
gst_tfrc_repair_requests_set_rtt (GstTfrcRepairRequests *self, guint64 rtt_ns)
{
  self->rtt_ns = rtt_ns;
  if (rtt_ns > 0 && (self->least_rtt_ns == 0 || rtt_ns < self->least_rtt_ns))
    self->least_rtt_ns = rtt_ns;
}

/* ---- times -------------------------------------------------------------------- */

/* How long a repair may take before its packet is asked for again. None comes sooner than R. */
static guint64
get_patience_ns (const GstTfrcRepairRequests *self)
{
  guint64 patience_ns = self->rtt_ns > 0 ? (guint64) (FIRST_REPAIR_IN_R * self->rtt_ns)
                                         : FIRST_REPAIR_NS;

  if (self->repair_ns > 0)
    patience_ns = MAX (self->repair_ns + DEVIATIONS * self->repair_var_ns, self->rtt_ns);
  return MIN (MAX (patience_ns, LEAST_REPAIR_NS) << self->doublings, MAX_REPAIR_NS);
}

/* The repair of a packet that was asked for twice is not measured, so that repairs which take longer than before would
 * never be: the wait doubles, once in itself, and stays so until one has been measured (RFC 6298 section 5.5). */
static void
double_patience (GstTfrcRepairRequests *self, guint64 now_ns)
{
  if (self->repair_ns == 0 || self->doublings == MAX_DOUBLINGS
      || now_ns < self->doubled_ns + get_patience_ns (self))
    return;
  self->doublings++;
  self->doubled_ns = now_ns;
}

static void
measure_repair (GstTfrcRepairRequests *self, guint64 took_ns)
{
  guint64 deviation_ns;

  self->doublings = 0;
  if (self->repair_ns == 0) {
    self->repair_ns = MAX (took_ns, 1);
    self->repair_var_ns = took_ns / (2 * VAR_WEIGHT);
    return;
  }
  deviation_ns = MAX (took_ns, self->repair_ns) - MIN (took_ns, self->repair_ns);
  self->repair_var_ns = (self->repair_var_ns * (VAR_WEIGHT - 1) + deviation_ns) / VAR_WEIGHT;
  self->repair_ns = (self->repair_ns * (MEAN_WEIGHT - 1) + took_ns) / MEAN_WEIGHT;
}

static void
measure_reordering (GstTfrcRepairRequests *self, guint64 late_ns)
{
  if (late_ns < self->reordering_ns)
    late_ns = self->reordering_ns - (self->reordering_ns - late_ns) / REORDERING_WEIGHT;
  self->reordering_ns = late_ns;
}

/* R, or how long a repair takes where the sender does not tell R: that of a sender which has repaired nothing yet is
 * unknown, too. */
static guint64
get_round_trip_ns (const GstTfrcRepairRequests *self)
{
  if (self->rtt_ns > 0)
    return self->rtt_ns;
  return self->repair_ns > 0 ? self->repair_ns : FIRST_REPAIR_NS;
}

static guint64
ask_ns (const GstTfrcRepairRequests *self, const GstTfrcMissingPacket *missing)
{
  return missing->asked_ns > 0
      ? missing->asked_ns + get_patience_ns (self)
      : missing->missed_ns + MIN (self->reordering_ns, get_round_trip_ns (self) / 4);
}

/* Could a repair that is asked for at this time be played? */
static gboolean
can_be_played (
    const GstTfrcRepairRequests *self, const GstTfrcMissingPacket *missing, guint64 time_ns)
{
  return time_ns + self->least_rtt_ns < missing->deadline_ns;
}

/* ---- packets that come ------------------------------------------------------------ */

static void
forget (GstTfrcRepairRequests *self, guint first, guint n)
{
  self->n -= n;
  memmove (&self->missing[first], &self->missing[first + n],
      (self->n - first) * sizeof self->missing[0]);
}

/* Those whose time is over need not be the first: a sender may say that a later packet is played earlier. */
static void
forget_late (GstTfrcRepairRequests *self, guint64 now_ns)
{
  guint kept = 0;

  for (guint i = 0; i < self->n; i++)
    if (can_be_played (self, &self->missing[i], now_ns))
      self->missing[kept++] = self->missing[i];
  self->n = kept;
}

static void
add_missing (
    GstTfrcRepairRequests *self, guint64 first, guint64 end, guint64 deadline_ns, guint64 now_ns)
{
  guint n;

  first = MAX (first, end - MIN (end, GST_TFRC_REPAIR_REQUESTS_MAX));
  n = (guint) (end - first);
  if (self->n + n > GST_TFRC_REPAIR_REQUESTS_MAX)
    forget (self, 0, self->n + n - GST_TFRC_REPAIR_REQUESTS_MAX);
  for (guint64 seq = first; seq < end; seq++)
    self->missing[self->n++] = (GstTfrcMissingPacket){ seq, now_ns, deadline_ns, 0, 0 };
}

static GstTfrcMissingPacket *
find (GstTfrcRepairRequests *self, guint64 seq)
{
  guint low = 0, high = self->n;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (self->missing[middle].seq < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->n && self->missing[low].seq == seq ? &self->missing[low] : NULL;
}

static void
fill_gap (
    GstTfrcRepairRequests *self, GstTfrcMissingPacket *missing, gboolean is_repair, guint64 now_ns)
{
  if (!is_repair)
    measure_reordering (self, now_ns - MIN (now_ns, missing->missed_ns));
  else if (missing->n_asked == 1)
    measure_repair (self, now_ns - MIN (now_ns, missing->asked_ns));
  forget (self, (guint) (missing - self->missing), 1);
}

void
gst_tfrc_repair_requests_on_packet (GstTfrcRepairRequests *self, guint64 seq, gboolean is_repair,
    guint64 deadline_ns, guint64 now_ns)
{
  GstTfrcMissingPacket *missing;

  if (!self->is_on)
    return;
  if (is_repair) {
    self->stats.repaired++;
    self->unanswered = 0;
  }
  if (self->has_begun && seq <= self->highest) {
    missing = find (self, seq);
    if (missing)
      fill_gap (self, missing, is_repair, now_ns);
    return;
  }
  if (self->has_begun && now_ns >= self->pause_end_ns)
    add_missing (self, self->highest + 1, seq, deadline_ns, now_ns);
  self->has_begun = TRUE;
  self->highest = seq;
}

gboolean
gst_tfrc_repair_requests_place (
    GstTfrcRepairRequests *self, guint16 seq, guint64 *extended, guint64 *deadline_ns)
{
  guint16 behind = (guint16) ((guint16) self->highest - seq);
  const GstTfrcMissingPacket *missing;

  if (!self->has_begun || behind > MAX_BEHIND || behind > self->highest)
    return FALSE;
  *extended = self->highest - behind;
  missing = find (self, *extended);
  *deadline_ns = missing ? missing->deadline_ns : 0;
  return TRUE;
}

/* How long the packet took says nothing about the path's reordering, or about repairs. */
void
gst_tfrc_repair_requests_on_recovered (
    GstTfrcRepairRequests *self, guint64 seq, guint64 deadline_ns, guint64 now_ns)
{
  GstTfrcMissingPacket *missing = self->has_begun && seq <= self->highest ? find (self, seq) : NULL;

  if (missing)
    forget (self, (guint) (missing - self->missing), 1);
  else
    gst_tfrc_repair_requests_on_packet (self, seq, FALSE, deadline_ns, now_ns);
}

void
gst_tfrc_repair_requests_count_late (GstTfrcRepairRequests *self)
{
  self->stats.late++;
  self->unanswered = 0;
}

void
gst_tfrc_repair_requests_count_duplicate (GstTfrcRepairRequests *self)
{
  self->stats.duplicate++;
  self->unanswered = 0;
}

/* ---- requests ---------------------------------------------------------------------- */

guint64
gst_tfrc_repair_requests_next_ns (const GstTfrcRepairRequests *self)
{
  guint64 next_ns = G_MAXUINT64;

  for (guint i = 0; i < self->n; i++) {
    guint64 time_ns = ask_ns (self, &self->missing[i]);

    if (can_be_played (self, &self->missing[i], time_ns))
      next_ns = MIN (next_ns, time_ns);
  }
  return next_ns;
}

static gboolean
is_due (const GstTfrcRepairRequests *self, const GstTfrcMissingPacket *missing, guint64 now_ns)
{
  return now_ns >= ask_ns (self, missing) && can_be_played (self, missing, now_ns);
}

guint
gst_tfrc_repair_requests_get_due (GstTfrcRepairRequests *self, guint64 now_ns, guint16 *seqs)
{
  guint n = 0;

  forget_late (self, now_ns);
  for (guint i = 0; i < self->n; i++)
    if (is_due (self, &self->missing[i], now_ns))
      seqs[n++] = (guint16) self->missing[i].seq;
  return n;
}

static void
give_up (GstTfrcRepairRequests *self, guint64 now_ns)
{
  gst_tfrc_log (flow, DEBUG, "%u requests in a row have brought no repair: none for %u s",
      self->unanswered, (guint) (GST_TFRC_REPAIR_REQUESTS_PAUSE_NS / S_NS));
  self->n = 0;
  self->unanswered = 0;
  self->pause_end_ns = now_ns + GST_TFRC_REPAIR_REQUESTS_PAUSE_NS;
}

static void
count_unanswered (GstTfrcRepairRequests *self, guint64 now_ns)
{
  if (self->counted_ns > 0 && now_ns < self->counted_ns + get_patience_ns (self))
    return;
  self->counted_ns = now_ns;
  if (++self->unanswered >= GST_TFRC_REPAIR_REQUESTS_UNANSWERED)
    give_up (self, now_ns);
}

void
gst_tfrc_repair_requests_on_asked (GstTfrcRepairRequests *self, guint n, guint64 now_ns)
{
  gboolean is_fresh = FALSE, is_again = FALSE;

  gst_tfrc_log (flow, LOG, "asks for %u packets; a repair takes up to %.1f ms", n,
      get_patience_ns (self) / 1e6);
  for (guint i = 0; i < self->n && n > 0; i++) {
    GstTfrcMissingPacket *missing = &self->missing[i];

    if (!is_due (self, missing, now_ns))
      continue;
    if (missing->n_asked++ == 0)
      self->stats.requested++;
    self->stats.requests++;
    missing->asked_ns = now_ns;
    is_fresh |= missing->n_asked <= GST_TFRC_REPAIR_REQUESTS_FRESH;
    is_again |= missing->n_asked > 1;
    n--;
  }
  if (is_again)
    double_patience (self, now_ns);
  if (is_fresh)
    count_unanswered (self, now_ns);
}

guint
gst_tfrc_repair_requests_get_open (const GstTfrcRepairRequests *self, guint64 now_ns, guint16 *seqs)
{
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    if (self->missing[i].n_asked > 0 && can_be_played (self, &self->missing[i], now_ns))
      seqs[n++] = (guint16) self->missing[i].seq;
  return n;
}

void
gst_tfrc_repair_requests_get_stats (
    const GstTfrcRepairRequests *self, GstTfrcRepairRequestsStats *stats)
{
  *stats = self->stats;
}
