/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation when its signals are lost, late or duplicated. See handovertest.h for the
 * setting. */
#include "handovertest.h"

#define DIRECT TFRC_HANDOVER_MODE_DIRECT

/* ---- packets lost ------------------------------------------------------ */

typedef struct
{
  guint packets, feedbacks; /* packets seen since the handover */
  guint first, last;        /* the first and the last packet that is lost */
  guint first_marked, last_marked;
  guint marked;
  guint new_link_answers; /* feedback packets about the new link */
  gboolean all_urgent;
  guint32 loss_events; /* the number in the last feedback */
} Fault;

static gboolean
loses_data (TfrcData *data, gpointer user)
{
  Fault *fault = user;
  guint packet = fault->packets, marked = fault->marked;

  fault->packets++;
  fault->marked += data->direct;
  return (packet >= fault->first && packet < fault->last)
      || (data->direct && marked >= fault->first_marked && marked < fault->last_marked);
}

static gboolean
loses_feedback (TfrcFeedback *feedback, gpointer user)
{
  Fault *fault = user;
  guint number = fault->feedbacks++;
  gboolean urgent = feedback->handover && (!feedback->new_link || fault->new_link_answers++ < 3);

  /* the number never falls, unless a late packet takes a loss back */
  fail_unless ((gint32) (feedback->loss_events - fault->loss_events) >= 0);
  fault->loss_events = feedback->loss_events;
  return fault->all_urgent ? urgent : number >= fault->first && number < fault->last;
}

typedef enum
{
  DATA = 1,
  FEEDBACK = 2
} What;

/* Counts the drops in 5 s from the handover at 30 s on. */
static guint
drops_with_fault (guint from_ms, guint to_ms, What what, Fault fault)
{
  SimLink from = link_of (RATE_BPS, from_ms), to = link_of (RATE_BPS, to_ms);
  HandoverTest t;
  guint n;

  handover_test_init (&t, &from, DIRECT, 0);
  run_for (&t, 30000);
  t.sim->user = &fault;
  if (what & DATA)
    t.sim->loses_data = loses_data;
  if (what & FEEDBACK)
    t.sim->loses_feedback = loses_feedback;
  hand_over (&t, &to);
  run_for (&t, 5000);
  n = drops (&t);
  GST_INFO ("%u -> %u ms: %u..%u, %u..%u: %u drops, %.0f bit/s, %u completed", from_ms, to_ms,
      fault.first, fault.last, fault.first_marked, fault.last_marked, n, throughput_bps (&t),
      completed (&t));
  fail_unless (throughput_bps (&t) >= 4.6e6, "%f", throughput_bps (&t));
  fail_unless_equals_int (completed (&t), 1);
  fail_unless_equals_int (sim_receiver_stats (t.flow).handover_phase, TFRC_HANDOVER_NORMAL);
  handover_test_clear (&t);
  return n;
}

GST_START_TEST (test_any_one_feedback_may_be_lost)
{
  guint i;

  for (i = 0; i < 120; i++) {
    Fault fault = { .first = i, .last = i + 1 };

    fail_unless_equals_int (drops_with_fault (LONG_MS, SHORT_MS, FEEDBACK, fault), 0);
    fail_unless_equals_int (drops_with_fault (SHORT_MS, LONG_MS, FEEDBACK, fault), 0);
  }
}

GST_END_TEST;

GST_START_TEST (test_feedback_may_be_lost_in_bursts)
{
  guint i;

  for (i = 0; i < 120; i += 3) {
    Fault fault = { .first = i, .last = i + 5 };

    fail_unless_equals_int (drops_with_fault (LONG_MS, SHORT_MS, FEEDBACK, fault), 0);
    fail_unless_equals_int (drops_with_fault (SHORT_MS, LONG_MS, FEEDBACK, fault), 0);
  }
}

GST_END_TEST;

GST_START_TEST (test_any_one_packet_may_be_lost)
{
  guint i;

  for (i = 0; i < 120; i++) {
    Fault fault = { .first = i, .last = i + 1 };

    drops_with_fault (LONG_MS, SHORT_MS, DATA, fault);
    drops_with_fault (SHORT_MS, LONG_MS, DATA, fault);
  }
}

GST_END_TEST;

GST_START_TEST (test_first_packets_on_the_new_link_may_be_lost)
{
  Fault fault = { .first = 0, .last = 5 };

  fail_unless_equals_int (drops_with_fault (LONG_MS, SHORT_MS, DATA, fault), 0);
  fail_unless_equals_int (drops_with_fault (SHORT_MS, LONG_MS, DATA, fault), 0);
}

GST_END_TEST;

GST_START_TEST (test_first_marked_packets_may_be_lost)
{
  Fault fault = { .last_marked = 5 };

  fail_unless (drops_with_fault (LONG_MS, SHORT_MS, DATA, fault) <= 2);
  fail_unless (drops_with_fault (SHORT_MS, LONG_MS, DATA, fault) <= 2);
}

GST_END_TEST;

GST_START_TEST (test_all_urgent_feedback_may_be_lost)
{
  Fault fault = { .all_urgent = TRUE };

  fail_unless_equals_int (drops_with_fault (LONG_MS, SHORT_MS, FEEDBACK, fault), 0);
  fail_unless_equals_int (drops_with_fault (SHORT_MS, LONG_MS, FEEDBACK, fault), 0);
}

GST_END_TEST;

/* ---- packets late or twice --------------------------------------------- */

static void
check_disordered (SimLink from, SimLink to, guint most_drops)
{
  TfrcReceiverStats stats;
  HandoverTest t;

  handover_test_init (&t, &from, DIRECT, 0);
  run_for (&t, 30000);
  hand_over (&t, &to);
  run_for (&t, 5000);
  stats = sim_receiver_stats (t.flow);
  GST_INFO ("%u drops, %.0f bit/s, %u late, %u twice, %u lost, %u events", drops (&t),
      throughput_bps (&t), (guint) stats.packets_late, (guint) stats.packets_duplicate,
      (guint) stats.packets_lost, (guint) stats.loss_events);
  fail_unless_equals_int (completed (&t), 1);
  fail_unless (drops (&t) <= most_drops, "%u", drops (&t));
  fail_unless (throughput_bps (&t) >= 4.6e6, "%f", throughput_bps (&t));
  handover_test_clear (&t);
}

GST_START_TEST (test_feedback_may_be_reordered)
{
  SimLink from = link_of (RATE_BPS, LONG_MS);
  SimLink to = link_of (RATE_BPS, SHORT_MS);

  from.feedback_reorder = to.feedback_reorder = 0.3;
  from.reorder_delay_ns = to.reorder_delay_ns = 8 * SIM_MS;
  check_disordered (from, to, 0);
  check_disordered (to, from, 0);
}

GST_END_TEST;

/* Reordered by two packets, data looks like no loss. */
GST_START_TEST (test_data_may_be_reordered)
{
  SimLink from = link_of (RATE_BPS, LONG_MS);
  SimLink to = link_of (RATE_BPS, SHORT_MS);

  from.reorder = to.reorder = 0.1;
  from.reorder_delay_ns = to.reorder_delay_ns = 4 * SIM_MS;
  check_disordered (from, to, 2);
  check_disordered (to, from, 2);
}

GST_END_TEST;

GST_START_TEST (test_data_may_come_twice)
{
  SimLink from = link_of (RATE_BPS, LONG_MS);
  SimLink to = link_of (RATE_BPS, SHORT_MS);

  from.duplicate = to.duplicate = 0.5;
  check_disordered (from, to, 0);
  check_disordered (to, from, 0);
}

GST_END_TEST;

GST_START_TEST (test_overtaken_packets_are_late_and_not_lost)
{
  SimLink from = link_of (RATE_BPS, LONG_MS), to = link_of (RATE_BPS, SHORT_MS);
  TfrcReceiverStats before, after;
  HandoverTest t;

  handover_test_init (&t, &from, DIRECT, 0);
  run_for (&t, 30000);
  before = sim_receiver_stats (t.flow);
  hand_over (&t, &to);
  run_for (&t, 3000);
  after = sim_receiver_stats (t.flow);
  fail_unless (after.packets_late >= before.packets_late + 15, "%u",
      (guint) (after.packets_late - before.packets_late));
  fail_unless_equals_uint64 (after.packets_duplicate, 0);
  fail_unless_equals_uint64 (after.packets_lost, before.packets_lost);
  fail_unless_equals_uint64 (after.loss_events, before.loss_events);
  handover_test_clear (&t);
}

GST_END_TEST;

static Suite *
handoverfaults_suite (void)
{
  Suite *suite = suite_create ("handoverfaults");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_any_one_feedback_may_be_lost);
  tcase_add_test (tc, test_feedback_may_be_lost_in_bursts);
  tcase_add_test (tc, test_any_one_packet_may_be_lost);
  tcase_add_test (tc, test_first_packets_on_the_new_link_may_be_lost);
  tcase_add_test (tc, test_first_marked_packets_may_be_lost);
  tcase_add_test (tc, test_all_urgent_feedback_may_be_lost);
  tcase_add_test (tc, test_feedback_may_be_reordered);
  tcase_add_test (tc, test_data_may_be_reordered);
  tcase_add_test (tc, test_data_may_come_twice);
  tcase_add_test (tc, test_overtaken_packets_are_late_and_not_lost);
  return suite;
}

GST_CHECK_MAIN (handoverfaults);
