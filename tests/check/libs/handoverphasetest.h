/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the tests of the receiver's phases of a handover: an adaptation without a receiver. */
#ifndef HANDOVERPHASETEST_H
#define HANDOVERPHASETEST_H

#include <tfrc/receiver_handover.h>

#include "closeto.h"
#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define T0 (100 * SECOND)

static const TfrcHandoverBefore before = {
  .x_recv_Bps = 500000, .x_eq_Bps = 550000, .rtt_us = 100000
};

static TfrcReceiverHandover handover;
static TfrcHandoverAction action;

/* The invariants hold after each step of each test. */
#define assert_invariants() \
  G_STMT_START \
  { \
    const char *problem = tfrc_receiver_handover_check (&handover); \
    fail_unless (problem == NULL, "%s", problem); \
  } \
  G_STMT_END

static inline void
tell (guint8 link, TfrcHandoverBefore what, guint64 now)
{
  TfrcHandover told = { .link = link };

  tfrc_receiver_handover_start (&handover, &told, &what, now);
  assert_invariants ();
}

static inline void
start (TfrcHandoverMode mode)
{
  tfrc_receiver_handover_init (&handover, mode);
  tell (1, before, T0);
}

/* The next packet comes over the link with this number. */
static inline void
receive (TfrcData data, guint8 link, guint64 now)
{
  data.link = link;
  data.has_tfrc = TRUE;
  action = tfrc_receiver_handover_on_data (&handover, &data, TRUE, now);
  assert_invariants ();
}

static inline void
data_with_rtt (guint8 link, guint32 rtt_us, guint64 now)
{
  TfrcData data = { .rtt_us = rtt_us };

  receive (data, link, now);
}

static inline void
data (guint8 link, guint64 now)
{
  data_with_rtt (link, 100000, now);
}

static inline void
marked (guint8 link, gboolean direct, guint8 number, guint32 rtt_us, guint64 now)
{
  TfrcData data = { .rtt_us = rtt_us, .echo = TRUE };

  data.direct = direct;
  data.handover_number = number;
  receive (data, link, now);
}

#define assert_phase(expected) fail_unless_equals_int (handover.phase, TFRC_HANDOVER_##expected)

static inline TfrcFeedback
fill (void)
{
  TfrcFeedback feedback = { .x_recv_Bps = 123456, .p = 0.01 };

  tfrc_receiver_handover_fill (&handover, &feedback);
  assert_invariants ();
  return feedback;
}

#endif
