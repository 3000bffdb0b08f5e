/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that sends transport-wide feedback, in virtual time, see reporttest.h */
#ifndef ARRIVALTEST_H
#define ARRIVALTEST_H

#include <string.h>

#include <tfrc/wire/arrivals.h>

#include "reporttest.h"

/* The clock of the peer, in units of 250 us, is ahead by this. */
#define PEER_AHEAD 123456789

static ReportTest t;
static guint8 fci[65536];
static gsize fci_bytes;
static guint64 noted;      /* packets that feedback has been about */
static gdouble peer_speed; /* of its clock, in units of this one's */

static inline void
setup (void)
{
  report_test_init (&t);
  fail_unless_equals_int (tfrc_arrivals_new (&t.arrivals), TFRC_OK);
  noted = 0;
  peer_speed = 1;
}

static inline void
teardown (void)
{
  report_test_clear (&t);
}

static inline void
put (guint value, guint bytes)
{
  while (bytes-- > 0)
    fci[fci_bytes++] = (guint8) (value >> 8 * bytes);
}

static inline gint64
peer_units (guint64 time_ns)
{
  return (gint64) (time_ns * peer_speed / TFRC_WIRE_ARRIVALS_DELTA_NS) + PEER_AHEAD;
}

/* Writes feedback about the packets from @from to @to, which have arrived by now or are lost. */
static inline void
write_feedback (guint64 from, guint64 to)
{
  const guint units = TFRC_WIRE_ARRIVALS_REFERENCE_NS / TFRC_WIRE_ARRIVALS_DELTA_NS;
  gint64 last = peer_units (t.now) / units * units - units;
  guint64 i, fate;

  fci_bytes = 0;
  put ((guint16) (FIRST_SEQ + from), 2);
  put ((guint) (to - from), 2);
  put ((guint) (last / units) & 0xffffff, 3);
  put (0, 1);
  for (i = from; i < to; i++) {
    fate = g_array_index (t.fates, guint64, i);
    put (fate > 0 && fate <= t.now ? 0x4001 : 1, 2);
  }
  for (i = from; i < to; i++) {
    fate = g_array_index (t.fates, guint64, i);
    if (fate == 0 || fate > t.now)
      continue;
    put ((guint16) (peer_units (fate) - last), 2);
    last = peer_units (fate);
  }
}

/* The packets that have arrived by now, or have been overtaken */
static inline guint64
known_packets (void)
{
  guint64 known = 0;

  for (guint64 i = 0; i < t.fates->len; i++) {
    guint64 fate = g_array_index (t.fates, guint64, i);

    if (fate > 0 && fate <= t.now)
      known = i + 1;
  }
  return known;
}

static inline TfrcResult
deliver_feedback (guint64 rtt_ns)
{
  return tfrc_arrivals_on_feedback (t.arrivals, t.sender, fci, fci_bytes, rtt_ns, t.now);
}

/* The feedback that write_feedback() has written, as a list */
static inline TfrcResult
deliver_list (guint64 from, guint64 to)
{
  TfrcReportedPacket *list = g_new0 (TfrcReportedPacket, to - from);
  TfrcResult result;

  for (guint64 i = from; i < to; i++) {
    guint64 fate = g_array_index (t.fates, guint64, i);

    list[i - from].seq = (guint16) (FIRST_SEQ + i);
    list[i - from].arrived = fate > 0 && fate <= t.now - t.delay;
    list[i - from].arrival_ns = (guint64) peer_units (fate) * TFRC_WIRE_ARRIVALS_DELTA_NS;
  }
  result = tfrc_arrivals_on_list (t.arrivals, t.sender, list, to - from, 0, t.now);
  g_free (list);
  return result;
}

/* After this time the receiver makes feedback about what is new. */
static inline TfrcResult
feedback_after (guint64 interval, guint64 rtt_ns)
{
  guint64 known;

  run_for (&t, interval);
  known = known_packets ();
  if (known == noted)
    return TFRC_OK;
  write_feedback (noted, known);
  noted = known;
  run_for (&t, t.delay);
  return deliver_feedback (rtt_ns);
}

static inline TfrcReceiverStats
receiver_stats (void)
{
  TfrcReceiverStats stats;

  fail_unless_equals_int (tfrc_arrivals_get_stats (t.arrivals, &stats), TFRC_OK);
  return stats;
}

/* The sender has 12 Mbit/s to send, so that no feedback is about more packets than are remembered. */
static inline void
run_feedback (guint n)
{
  t.demand_Bps = 1.5e6;
  while (n-- > 0)
    fail_unless_equals_int (feedback_after (30 * MS, 2 * t.delay), TFRC_OK);
}

#endif
