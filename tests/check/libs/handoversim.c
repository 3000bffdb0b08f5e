/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation over simulated links, compared with standard TFRC, with a sender that keeps
 * the link's rate, and with the adaptation of the paper. See handovertest.h for the setting. */
#include "handovertest.h"

#define PHASES 5

/* The handover comes at 30 s, as in the paper, and when the history of losses is full. */
static const guint seconds[] = { 30, 120 };

typedef struct
{
  guint drops_1s, drops_5s;
  double bps_1s, bps_5s;
} Outcome;

typedef enum
{
  STANDARD, /* the receiver is never told of the handover */
  HELD,     /* never told, and the sender keeps the link's rate */
  ADAPTED
} Kind;

static Outcome
outcome (Kind kind, TfrcHandoverMode mode, guint from_ms, guint to_ms, guint at_s, guint phase)
{
  const double rate_Bps = RATE_BPS / 8 * SIM_SEGMENT_BYTES / SIM_WIRE_BYTES;
  SimLink from = link_of (RATE_BPS, from_ms), to = link_of (RATE_BPS, to_ms);
  HandoverTest t;
  Outcome o;

  handover_test_init (&t, &from, mode, phase);
  run_for (&t, at_s * 1000);
  change_link (&t, &to, 1);
  if (kind == HELD)
    fail_unless_equals_int (
        tfrc_sender_set_rate_limits (t.flow->sender, rate_Bps, rate_Bps), TFRC_OK);
  if (kind == ADAPTED)
    tell (&t, 0, FALSE);
  run_for (&t, 1000);
  o.drops_1s = drops (&t);
  o.bps_1s = throughput_bps (&t);
  run_for (&t, 4000);
  o.drops_5s = drops (&t);
  o.bps_5s = throughput_bps (&t);
  fail_unless_equals_int (completed (&t), kind == ADAPTED);
  GST_INFO ("%d %d %u -> %u ms at %u s, phase %u: drops %u, %u, bit/s %.0f, "
            "%.0f",
      kind, mode, from_ms, to_ms, at_s, phase, o.drops_1s, o.drops_5s, o.bps_1s, o.bps_5s);
  handover_test_clear (&t);
  return o;
}

/* Checks the condition for both times and all phases. */
#define for_all(o, kind, mode, from_ms, to_ms) \
  for (guint i_ = 0; i_ < 2 * PHASES; i_++) \
    for (Outcome o = outcome (kind, mode, from_ms, to_ms, seconds[i_ % 2], i_ / 2), *once_ = &o; \
         once_; once_ = NULL)

GST_START_TEST (test_standard_tfrc_overshoots_a_shorter_link)
{
  for_all (o, STANDARD, 0, LONG_MS, SHORT_MS)
      fail_unless (o.drops_5s >= 90 && o.drops_5s <= 260, "%u", o.drops_5s);
}

GST_END_TEST;

GST_START_TEST (test_standard_tfrc_underuses_a_longer_link)
{
  for_all (o, STANDARD, 0, SHORT_MS, LONG_MS)
  {
    fail_unless (o.bps_1s < 4.4e6, "%f", o.bps_1s);
    fail_unless (o.bps_5s < 4.1e6, "%f", o.bps_5s);
  }
}

GST_END_TEST;

GST_START_TEST (test_adaptation_does_not_overshoot_a_shorter_link)
{
  for_all (o, ADAPTED, TFRC_HANDOVER_MODE_DIRECT, LONG_MS, SHORT_MS)
  {
    fail_unless_equals_int (o.drops_1s, 0);
    fail_unless (o.drops_5s <= 2, "%u", o.drops_5s);
    fail_unless (o.bps_5s >= 4.9e6, "%f", o.bps_5s);
  }
}

GST_END_TEST;

GST_START_TEST (test_adaptation_fills_a_longer_link)
{
  guint i;

  for (i = 0; i < 2 * PHASES; i++) {
    Outcome bound = outcome (HELD, 0, SHORT_MS, LONG_MS, seconds[i % 2], i / 2);
    Outcome o = outcome (
        ADAPTED, TFRC_HANDOVER_MODE_DIRECT, SHORT_MS, LONG_MS, seconds[i % 2], i / 2);

    /* the packets in the queue of the old link make up for the longer way */
    fail_unless (bound.bps_1s > 4.7e6 && bound.bps_1s < 5.2e6, "%f", bound.bps_1s);
    fail_unless (o.bps_1s >= 0.98 * bound.bps_1s, "%f, %f", o.bps_1s, bound.bps_1s);
    fail_unless (o.bps_5s >= 4.9e6, "%f", o.bps_5s);
    fail_unless_equals_int (o.drops_5s, 0);
  }
}

GST_END_TEST;

/* The estimate of the new round-trip time is too large by the queue on the old link. So the sender
 * builds an equal queue on the new link. */
GST_START_TEST (test_paper_mode_overshoots_a_shorter_link_a_little)
{
  for_all (o, ADAPTED, TFRC_HANDOVER_MODE_PAPER, LONG_MS, SHORT_MS)
      fail_unless (o.drops_5s <= 30, "%u", o.drops_5s);
}

GST_END_TEST;

GST_START_TEST (test_paper_mode_fills_a_longer_link)
{
  for_all (o, ADAPTED, TFRC_HANDOVER_MODE_PAPER, SHORT_MS, LONG_MS)
  {
    fail_unless (o.bps_5s >= 4.8e6, "%f", o.bps_5s);
    fail_unless_equals_int (o.drops_5s, 0);
  }
}

GST_END_TEST;

/* Figure 6: from 5 to 70 ms besides the 2 ms of the wires */
GST_START_TEST (test_adaptation_from_any_round_trip_time)
{
  guint from_ms;

  for (from_ms = 7; from_ms <= LONG_MS; from_ms += 5) {
    Outcome bound = outcome (HELD, 0, from_ms, SHORT_MS, 30, from_ms);
    Outcome o = outcome (ADAPTED, TFRC_HANDOVER_MODE_DIRECT, from_ms, SHORT_MS, 30, from_ms);

    fail_unless (o.drops_1s == 0 && o.drops_5s <= 2, "%u, %u", o.drops_1s, o.drops_5s);
    fail_unless (o.bps_1s >= 0.97 * bound.bps_1s, "%u ms: %f, %f", from_ms, o.bps_1s, bound.bps_1s);
  }
}

GST_END_TEST;

GST_START_TEST (test_longer_round_trip_times)
{
  static const guint ways_ms[][2] = { { 10, 300 }, { 300, 10 }, { 300, 5 }, { 1, 72 } };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (ways_ms); i++) {
    Outcome o = outcome (ADAPTED, TFRC_HANDOVER_MODE_DIRECT, ways_ms[i][0], ways_ms[i][1], 120, 0);

    /* TFRC loses as much at any other time, once it fills the queue */
    fail_unless (o.drops_1s <= 5 && o.drops_5s <= 30, "%u, %u", o.drops_1s, o.drops_5s);
    fail_unless (o.bps_5s >= 4.4e6, "%f", o.bps_5s);
  }
}

GST_END_TEST;

static Suite *
handoversim_suite (void)
{
  Suite *suite = suite_create ("handoversim");
  TCase *tc = tcase_create ("both cases");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_standard_tfrc_overshoots_a_shorter_link);
  tcase_add_test (tc, test_standard_tfrc_underuses_a_longer_link);
  tcase_add_test (tc, test_adaptation_does_not_overshoot_a_shorter_link);
  tcase_add_test (tc, test_adaptation_fills_a_longer_link);
  tcase_add_test (tc, test_paper_mode_overshoots_a_shorter_link_a_little);
  tcase_add_test (tc, test_paper_mode_fills_a_longer_link);
  tcase_add_test (tc, test_adaptation_from_any_round_trip_time);
  tcase_add_test (tc, test_longer_round_trip_times);
  return suite;
}

GST_CHECK_MAIN (handoversim);
