/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From confirmed gaps to loss events and loss intervals (RFC 5348 sections 5.2 and 5.3).
 *
 * A history is the fold of gaps, in order.  `base' is the fold of the gaps that are too old to be
 * remembered, `current' that of all confirmed gaps.  The caller keeps the gaps.  One history may
 * have all losses, and another one only those that congestion has caused. */
#ifndef TFRC_LOSS_HISTORY_H
#define TFRC_LOSS_HISTORY_H

#include "loss_intervals.h"

/* A run of missing packets, or one marked packet */
typedef struct
{
  uint64_t first;       /* the first missing packet, or the marked packet */
  uint64_t t_before_ns; /* T_before */
  uint64_t dt_ns;       /* T_after - T_before */
  uint32_t count;       /* of missing packets; 1 if marked */
  uint32_t from_before; /* first - S_before */
  uint32_t rtt_us;      /* R when the gap was confirmed; until then, R when it was found */
  /* The flags share a word with a number of at most 2^16, so that 40 gaps need 320 bytes less. */
  unsigned span : 30;      /* S_after - S_before; 0 if marked */
  unsigned excused : 1;    /* its packets took another path, and start no loss event */
  unsigned link_error : 1; /* a link has lost its packets, not congestion */
} TfrcGap;

/* Returns the synthetic first interval (section 6.3.1). null_interval: the stream's first packet
 * is lost or marked */
typedef double (*TfrcFirstIntervalFunc) (void *user, bool null_interval);

/* The common part of all histories of a stream */
typedef struct
{
  bool outage_is_one_event;     /* see TfrcReceiverConfig */
  uint64_t outage_rtt_floor_ns; /* R counts as at least this in the length of an outage */
  /* of the stream's first packet; or, if that is not known, of the first packet to arrive */
  uint64_t stream_first_seq;
  TfrcFirstIntervalFunc first_interval;
  void *user;
} TfrcLossRules;

typedef struct
{
  bool congestion_only;      /* packets of link errors count as if they had arrived */
  TfrcLossIntervals base;    /* fold of the forgotten gaps */
  TfrcLossIntervals current; /* fold of the forgotten gaps and of the remembered ones */
  double seed;               /* the synthetic first interval in use; 0: none */
  bool seed_is_null;         /* the synthetic first interval is that of the null interval */
} TfrcLossHistory;

/* ---- gaps -------------------------------------------------------------- */

/* The number after the last one of the gap */
uint64_t tfrc_gap_end (const TfrcGap *gap);

/* Nominal arrival time of packet seq of the gap (section 5.2) */
uint64_t tfrc_gap_time_ns (const TfrcGap *gap, uint64_t seq);

/* Has the path carried no packet for long enough, and lost enough packets, so that it was down
 * and not congested?  rtt_floor_ns: the least R from which the time is judged; 0: R itself */
bool tfrc_gap_is_outage (const TfrcGap *gap, uint64_t rtt_floor_ns);

/* ---- the history ------------------------------------------------------- */

/* A history of all losses */
void tfrc_loss_history_init (
    TfrcLossHistory *history, TfrcLossIntervalMethod method, uint32_t n, bool discounting);

/* A second history of the same kind, before the first packet, of the losses by congestion alone */
void tfrc_loss_history_init_congestion (TfrcLossHistory *history, const TfrcLossHistory *all);

/* Adds a gap to `base': it will not be given to tfrc_loss_history_fold() again. */
void tfrc_loss_history_forget (
    TfrcLossHistory *history, const TfrcLossRules *rules, const TfrcGap *gap);

/* Adds a gap to `current'. */
void tfrc_loss_history_add (
    TfrcLossHistory *history, const TfrcLossRules *rules, const TfrcGap *gap);

/* Makes `current' again, of `base' and of these gaps. */
void tfrc_loss_history_fold (
    TfrcLossHistory *history, const TfrcLossRules *rules, const TfrcGap *gaps, uint32_t n_gaps);

/* The sender has restarted its sequence numbers, and has skipped `jump' numbers.  The current
 * interval continues as if the numbers followed each other, and all gaps are forgotten. */
void tfrc_loss_history_restart (TfrcLossHistory *history, uint64_t jump);

/* Forgets all gaps before seq, as if the loss intervals before it all had this length, at least 1.
 * `current' has to be made again. */
void tfrc_loss_history_rebuild (TfrcLossHistory *history, double interval, uint64_t seq);

/* The number of loss events so far */
static inline uint64_t
tfrc_loss_history_events (const TfrcLossHistory *history)
{
  return tfrc_loss_intervals_events (&history->current);
}

/* Returns I_mean in packets; 0 before the first event.
 * highest_seq: the highest number that has arrived */
double tfrc_loss_history_mean_interval (const TfrcLossHistory *history, uint64_t highest_seq);

/* Returns p: the inverse of the average loss interval, 0..1; 0 before the first event.
 * highest_seq: the highest number that has arrived */
double tfrc_loss_history_p (const TfrcLossHistory *history, uint64_t highest_seq);

/* The moments of the loss intervals since tfrc_loss_history_reset_moments() */
static inline const TfrcLossMoments *
tfrc_loss_history_moments (const TfrcLossHistory *history)
{
  return tfrc_loss_intervals_moments (&history->current);
}

/* Starts the moments anew, with the intervals that end at or above from_seq. */
void tfrc_loss_history_reset_moments (TfrcLossHistory *history, uint64_t from_seq);

#endif
