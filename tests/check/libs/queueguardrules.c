/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the queue guard takes for a queue, and for whose: its numbers, see lib/tfrc/queue_guard.h.
 * queueguard.c plays streams. */
#include <string.h>

#include <tfrc/queue_guard.h>

#include "closeto.h"

#define MS (G_GUINT64_CONSTANT (1000000))
#define SECOND (1000 * MS)
#define LEAST_R 0.020
#define FAST 1e6

static TfrcQueueGuard guard;
static TfrcQueueGuardSample sample;

/* The sender has sent at this rate for 100 ms. */
static void
give (double r_sample_s, double sent_Bps)
{
  sample.now_ns += 100 * MS;
  sample.sent_ns += 100 * MS;
  sample.sent_bytes += sent_Bps / 10;
  sample.r_sample_s = r_sample_s;
  tfrc_queue_guard_on_feedback (&guard, &sample);
}

static void
setup (void)
{
  tfrc_queue_guard_init (&guard);
  memset (&sample, 0, sizeof sample);
  sample.now_ns = sample.sent_ns = 100 * SECOND;
  sample.x_recv_Bps = FAST;
  sample.segment_bytes = 1000;
  for (guint i = 0; i < 5; i++)
    give (LEAST_R, FAST);
}

GST_START_TEST (test_a_queue_is_seen_from_5_ms_or_an_eighth_of_r_on)
{
  give (LEAST_R + 0.0049, FAST);
  fail_if (guard.was_queue);
  give (LEAST_R + 0.0051, FAST);
  fail_unless (guard.was_queue);
  tfrc_queue_guard_init (&guard);
  for (guint i = 0; i < 5; i++)
    give (0.200, FAST);
  give (0.200 + 0.0249, FAST);
  fail_if (guard.was_queue);
  give (0.200 + 0.0251, FAST);
  fail_unless (guard.was_queue);
}

GST_END_TEST;

/* The path carries 0.8 of the most that has come lately at least: of 1 MB/s in 100 ms, what takes 125 ms there. */
GST_START_TEST (test_the_own_queue_is_what_was_sent_above_four_fifths_of_the_most)
{
  give (LEAST_R + 0.200, FAST);
  assert_within (guard.own_s, 0.025, 1e-6);
  give (LEAST_R + 0.200, FAST);
  assert_within (guard.own_s, 0.050, 1e-6);
}

GST_END_TEST;

/* 20 s without feedback leave no recent value. Losses are remembered for two minutes. */
GST_START_TEST (test_a_pause_forgets_all_but_the_last_loss)
{
  guint64 loss_ns;

  sample.new_loss_event = true;
  give (LEAST_R, FAST);
  sample.new_loss_event = false;
  loss_ns = sample.now_ns;
  fail_unless_equals_uint64 (guard.loss_ns, loss_ns);
  sample.now_ns += 20 * SECOND;
  give (LEAST_R, FAST);
  fail_unless_equals_uint64 (guard.begun_ns, sample.now_ns);
  fail_unless_equals_uint64 (guard.loss_ns, loss_ns);
}

GST_END_TEST;

static Suite *
queueguardrules_suite (void)
{
  Suite *suite = suite_create ("queueguardrules");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, test_a_queue_is_seen_from_5_ms_or_an_eighth_of_r_on);
  tcase_add_test (tcase, test_the_own_queue_is_what_was_sent_above_four_fifths_of_the_most);
  tcase_add_test (tcase, test_a_pause_forgets_all_but_the_last_loss);
  return suite;
}

GST_CHECK_MAIN (queueguardrules);
