/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender with ECN, a path that treats ECN in some way, and a receiver that reports: for the tests
 * of <tfrc/ecn.h>. */
#ifndef ECNTEST_H
#define ECNTEST_H

#include <gst/check/gstcheck.h>
#include <tfrc/ecn.h>

#define S GST_SECOND
#define FIRST_SEQ 65500 /* the numbers wrap soon */

typedef enum
{
  PATH_GOOD,
  PATH_BLEACHES,
  PATH_DROPS_ECT,
  PATH_DROPS_ALL,
  PATH_SETS_CE,        /* of packets with ECT */
  PATH_SETS_CE_ON_ALL, /* of packets without, too */
  PATH_SETS_ECT_1
} PathKind;

static TfrcEcn *ecn;
static PathKind path_kind;
static guint16 next_seq;
static guint64 now;
static TfrcEcnReport counts; /* of the receiver */
static guint sent_ect, lost_ect;

static void
setup (void)
{
  const TfrcEcnReport none = { 0 };

  fail_unless_equals_int (tfrc_ecn_new (&ecn), TFRC_OK);
  path_kind = PATH_GOOD;
  next_seq = FIRST_SEQ;
  now = S;
  counts = none;
  counts.ect0 = counts.ce = counts.not_ect = G_MAXUINT32 - 2; /* they wrap soon */
  sent_ect = lost_ect = 0;
}

static void
teardown (void)
{
  tfrc_ecn_free (ecn);
}

static inline void
deliver (gboolean ect)
{
  counts.highest_seq = (guint16) (next_seq - 1);
  if (path_kind == PATH_SETS_CE_ON_ALL || (ect && path_kind == PATH_SETS_CE))
    counts.ce++;
  else if (ect && path_kind == PATH_SETS_ECT_1)
    counts.ect1++;
  else if (ect && path_kind != PATH_BLEACHES)
    counts.ect0++;
  else
    counts.not_ect++;
}

/* Sends a packet over the path. Returns whether the packet had ECT. */
static inline gboolean
send_packet (void)
{
  gboolean ect = tfrc_ecn_on_packet (ecn, next_seq++, now);
  gboolean is_lost = path_kind == PATH_DROPS_ALL || (ect && path_kind == PATH_DROPS_ECT);

  sent_ect += ect;
  lost_ect += ect && is_lost;
  if (!is_lost)
    deliver (ect);
  return ect;
}

static inline guint
send_packets (guint n)
{
  guint ect = 0;

  while (n-- > 0)
    ect += send_packet ();
  return ect;
}

static inline void
report (void)
{
  fail_unless_equals_int (tfrc_ecn_on_report (ecn, &counts, now), TFRC_OK);
}

/* Sends this many packets, with a report after each of them. */
static inline void
send_and_report (guint n)
{
  while (n-- > 0) {
    send_packet ();
    report ();
  }
}

static inline TfrcEcnStats
get_stats (void)
{
  TfrcEcnStats stats;

  fail_unless_equals_int (tfrc_ecn_get_stats (ecn, &stats), TFRC_OK);
  return stats;
}

#define assert_state(expected) \
  fail_unless_equals_string (tfrc_ecn_state_to_string (tfrc_ecn_get_state (ecn)), expected)
#define assert_problem(expected) \
  do { \
    fail_unless_equals_string (tfrc_ecn_problem_to_string (get_stats ().problem), expected); \
    fail_unless_equals_int (tfrc_ecn_get_problem (ecn), get_stats ().problem); \
  } while (0)

/* The receiver makes itself known: probing begins. */
static inline void
begin_probing (void)
{
  send_packets (1);
  report ();
  assert_state ("probing");
}

/* The path has been found to be good. */
static inline void
begin_capable (void)
{
  begin_probing ();
  send_and_report (13);
  assert_state ("capable");
  sent_ect = 0;
}

#endif
