/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The naive reference: a literal implementation of RFC 5348 sections 5.1 to 5.3 over a list of all
 * packets */
#ifndef TFRC_TESTS_LOSSREFERENCE_H
#define TFRC_TESTS_LOSSREFERENCE_H

#include <string.h>

#include <gst/gst.h>

#define REFERENCE_PACKETS 20000 /* the largest number of packets in a stream */

typedef struct
{
  gboolean arrived, marked, detected; /* detected: lost or marked */
  guint64 time_ns;                    /* time of the arrival */
  guint64 rtt_ns;                     /* R when it was detected */
} Packet;

typedef struct
{
  guint64 seq, time_ns;
} Arrival;

typedef struct
{
  guint64 first, highest;                  /* sequence numbers */
  Packet packets[REFERENCE_PACKETS];       /* packets from `first' on */
  Arrival arrivals[REFERENCE_PACKETS + 1]; /* in the order of arrival, without duplicates */
  guint n_arrivals;
  /* results */
  guint64 starts[REFERENCE_PACKETS]; /* sequence numbers at which the loss events start */
  guint64 last_start_ns;
  guint n_events, lost;
} Reference;

static Reference reference;

static inline void
reference_start (guint64 first, guint64 now_ns)
{
  memset (&reference, 0, sizeof reference);
  reference.first = first;
  reference.highest = first - 1;
  reference.arrivals[0].seq = first - 1;
  reference.arrivals[0].time_ns = now_ns;
  reference.n_arrivals = 1;
}

/* Section 5.1: a packet is lost if NDUPACK packets, or a marked packet, have arrived with higher
 * numbers. */
static inline gboolean
is_lost (guint64 seq)
{
  guint higher = 0;

  if (reference.packets[seq - reference.first].arrived)
    return FALSE;
  for (guint i = reference.n_arrivals; i-- > 1;) {
    guint64 other = reference.arrivals[i].seq;

    if (other < seq)
      continue;
    higher++;
    if (higher == 3 || reference.packets[other - reference.first].marked)
      return TRUE;
  }
  return FALSE;
}

/* The nominal arrival time of section 5.2, in whole nanoseconds */
static inline guint64
nominal_time_ns (guint64 seq)
{
  const Packet *packet = &reference.packets[seq - reference.first];
  const Arrival *before, *after = reference.arrivals;

  if (packet->marked)
    return packet->time_ns;
  while (after->seq < seq)
    after++;
  before = after - 1;
  return before->time_ns
      + (after->time_ns - before->time_ns) * (seq - before->seq) / (after->seq - before->seq);
}

static inline void
find_events (void)
{
  reference.n_events = reference.lost = 0;
  for (guint64 seq = reference.first; seq <= reference.highest; seq++) {
    const Packet *packet = &reference.packets[seq - reference.first];
    guint64 time_ns;

    if (!packet->detected)
      continue;
    reference.lost += !packet->marked;
    time_ns = nominal_time_ns (seq);
    if (reference.n_events == 0 || reference.last_start_ns + packet->rtt_ns < time_ns) {
      reference.starts[reference.n_events++] = seq;
      reference.last_start_ns = time_ns;
    }
  }
}

/* Returns FALSE for a duplicate. */
static inline gboolean
reference_arrive (guint64 seq, gboolean ce, guint64 rtt_ns, guint64 now_ns)
{
  Packet *packet = &reference.packets[seq - reference.first];
  Arrival *arrival = &reference.arrivals[reference.n_arrivals];

  if (seq < reference.first || packet->arrived)
    return FALSE;
  packet->arrived = TRUE;
  packet->marked = packet->detected = ce;
  packet->time_ns = now_ns;
  packet->rtt_ns = rtt_ns;
  arrival->seq = seq;
  arrival->time_ns = now_ns;
  reference.n_arrivals++;
  reference.highest = MAX (reference.highest, seq);
  for (guint64 s = reference.first; s < reference.highest; s++) {
    packet = &reference.packets[s - reference.first];
    if (!packet->arrived && !packet->detected && is_lost (s)) {
      packet->detected = TRUE;
      packet->rtt_ns = rtt_ns;
    }
  }
  return TRUE;
}

#endif
