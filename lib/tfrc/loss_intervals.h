/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss intervals and their average (RFC 5348 sections 5.3 to 5.5). */
#ifndef TFRC_LOSS_INTERVALS_H
#define TFRC_LOSS_INTERVALS_H

#include "loss_average.h"
#include "loss_statistics.h"

typedef struct
{
  TfrcLossAverageFunc average; /* the method */
  uint32_t n;                  /* intervals that count, 2..TFRC_MAX_HISTORY_LENGTH */
  bool discounting;            /* section 5.5 */
  uint32_t closed;             /* intervals I_1 .. I_closed are known, at most n */
  uint64_t events;             /* loss events so far */
  /* where the current interval I_0 starts: the first lost packet of the last event */
  uint64_t start_seq;
  uint64_t start_ns;                            /* nominal arrival time of that packet */
  double length[TFRC_MAX_HISTORY_LENGTH + 1];   /* I_i, packets; [0] is not used */
  double discount[TFRC_MAX_HISTORY_LENGTH + 1]; /* DF_i */
  TfrcLossMoments moments; /* of the intervals that end at or above moments_from */
  uint64_t moments_from;
  /* the outage whose one event has been counted last, by its run (loss_history.c); 0: none */
  uint64_t outage_run;
} TfrcLossIntervals;

/* The number of loss events so far */
static inline uint64_t
tfrc_loss_intervals_events (const TfrcLossIntervals *intervals)
{
  return intervals->events;
}

/* S_loss of the last event, where the current interval starts; valid once there was an event */
static inline uint64_t
tfrc_loss_intervals_start_seq (const TfrcLossIntervals *intervals)
{
  return intervals->start_seq;
}

/* The moments of the intervals since tfrc_loss_intervals_reset_moments() */
static inline const TfrcLossMoments *
tfrc_loss_intervals_moments (const TfrcLossIntervals *intervals)
{
  return &intervals->moments;
}

/* method: one that tfrc_loss_average_find() knows */
void tfrc_loss_intervals_init (
    TfrcLossIntervals *intervals, TfrcLossIntervalMethod method, uint32_t n, bool discounting);

/* The first loss event starts at seq; first_interval is the synthetic I_1 (section 6.3.1), >= 1. */
void tfrc_loss_intervals_first_event (
    TfrcLossIntervals *intervals, double first_interval, uint64_t seq, uint64_t time_ns);

/* A further loss event starts at seq, which is above start_seq. */
void tfrc_loss_intervals_new_event (TfrcLossIntervals *intervals, uint64_t seq, uint64_t time_ns);

/* Counts `times' further events, each `length' packets after the event before; the last one is
 * at this time.  The history does not change: at least n more such events follow, and the
 * history then has no interval from before. */
void tfrc_loss_intervals_skip_events (
    TfrcLossIntervals *intervals, uint64_t length, uint64_t times, uint64_t time_ns);

/* Starts the moments anew, with the intervals that end at or above from_seq. */
void tfrc_loss_intervals_reset_moments (TfrcLossIntervals *intervals, uint64_t from_seq);

/* Forgets all intervals: I_1 to I_n have this length now, and the current interval starts at
 * seq.  A loss event after that is a new event, whatever its time. */
void tfrc_loss_intervals_rebuild (TfrcLossIntervals *intervals, double length, uint64_t seq);

/* Returns I_mean in packets, with highest_seq the highest sequence number received; 0 if there
 * was no loss event. */
double tfrc_loss_intervals_mean (const TfrcLossIntervals *intervals, uint64_t highest_seq);

#endif
