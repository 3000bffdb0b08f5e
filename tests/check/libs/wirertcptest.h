/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of the RTCP packets in wirepackets.h, and comparisons of parsed fields. */
#ifndef WIRERTCPTEST_H
#define WIRERTCPTEST_H

#include "wirepackets.h"

static const TfrcFeedback feedback_fields = {
  .recv_data_us = 0x89abcdef,
  .delay_us = 10000,
  .x_recv_Bps = 250000,
  .p = 0.125,
};

static const TfrcWireState state_fields = {
  .highest_seq = 0x11234,
  .packets_lost = 25,
  .loss_events = 7,
  .ce_marks = 3,
  .feedback_number = 256,
  .flags = TFRC_WIRE_STATE_HANDOVER | TFRC_WIRE_STATE_SUPPRESS_ECHO,
  .ttl = 63,
};

static const TfrcWirePlayout playout_fields = {
  .delay_ms = 1000,
  .queueing_us = 100000,
  .ahead_ms = 10000,
  .ahead_bytes = 4 * 1024 * 1024,
};

static const TfrcWirePlayout playout_not_told = { .queueing_us = TFRC_WIRE_QUEUEING_UNKNOWN };

static const TfrcWireReport report_fields = {
  .ssrc = SENDER,
  .fraction_lost = 64,
  .packets_lost = -2,
  .highest_seq = 0x11234,
  .jitter = 90,
  .lsr = 0x18000,
  .dlsr = 0x8000,
};

/* The 8 bytes that challenge and response have in common */
static const guint8 *const path_data = path_challenge + 12;

static inline void
assert_same_state (const TfrcWireState *a, const TfrcWireState *b)
{
  fail_unless_equals_int_hex (a->highest_seq, b->highest_seq);
  fail_unless_equals_int (a->packets_lost, b->packets_lost);
  fail_unless_equals_int (a->loss_events, b->loss_events);
  fail_unless_equals_int (a->ce_marks, b->ce_marks);
  fail_unless_equals_int (a->feedback_number, b->feedback_number);
  fail_unless_equals_int (a->flags, b->flags);
  fail_unless_equals_int (a->ttl, b->ttl);
  fail_unless_equals_int_hex (a->congestion_p, b->congestion_p);
  fail_unless_equals_int (a->link_errors, b->link_errors);
  fail_unless_equals_int_hex (a->ect0, b->ect0);
  fail_unless_equals_int_hex (a->ect1, b->ect1);
  fail_unless_equals_int_hex (a->not_ect, b->not_ect);
}

static inline void
assert_same_playout (const TfrcWirePlayout *a, const TfrcWirePlayout *b)
{
  fail_unless_equals_int (a->delay_ms, b->delay_ms);
  fail_unless_equals_int (a->queueing_us, b->queueing_us);
  fail_unless_equals_int (a->ahead_ms, b->ahead_ms);
  fail_unless_equals_int (a->ahead_bytes, b->ahead_bytes);
}

static inline void
assert_same_report (const TfrcWireReport *a, const TfrcWireReport *b)
{
  fail_unless_equals_int_hex (a->ssrc, b->ssrc);
  fail_unless_equals_int (a->fraction_lost, b->fraction_lost);
  fail_unless_equals_int (a->packets_lost, b->packets_lost);
  fail_unless_equals_int_hex (a->highest_seq, b->highest_seq);
  fail_unless_equals_int (a->jitter, b->jitter);
  fail_unless_equals_int (a->lsr, b->lsr);
  fail_unless_equals_int (a->dlsr, b->dlsr);
}

#endif
