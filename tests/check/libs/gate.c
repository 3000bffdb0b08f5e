/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads enter and leave, see gst/common/gate.h. */
#include "gst/common/gate.h"

#include "forktest.h"

#define THREADS 4
#define ROUNDS 1000

static GstTfrcGate gate;
static gint entered, closing, left; /* atomic */

static void
setup (void)
{
  gst_tfrc_gate_init (&gate);
  entered = closing = left = FALSE;
}

static void
teardown (void)
{
  gst_tfrc_gate_clear (&gate);
}

GST_START_TEST (test_a_closed_gate_lets_no_thread_enter)
{
  fail_if (gst_tfrc_gate_enter (&gate));
  fail_if (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  gst_tfrc_gate_open (&gate);
  fail_unless (gst_tfrc_gate_enter (&gate));
  gst_tfrc_gate_leave (&gate);
  gst_tfrc_gate_close (&gate);
  fail_if (gst_tfrc_gate_enter (&gate));
}

GST_END_TEST;

static gpointer
stay_until_closing (gpointer unused)
{
  fail_unless (gst_tfrc_gate_enter (&gate));
  g_atomic_int_set (&entered, TRUE);
  while (!g_atomic_int_get (&closing))
    g_thread_yield ();
  g_atomic_int_set (&left, TRUE);
  gst_tfrc_gate_leave (&gate);
  return NULL;
}

GST_START_TEST (test_closing_waits_until_every_thread_has_left)
{
  GThread *thread;

  gst_tfrc_gate_open (&gate);
  thread = g_thread_new ("inside", stay_until_closing, NULL);
  while (!g_atomic_int_get (&entered))
    g_thread_yield ();
  g_atomic_int_set (&closing, TRUE);
  gst_tfrc_gate_close (&gate);
  fail_unless (g_atomic_int_get (&left));
  g_thread_join (thread);
}

GST_END_TEST;

GST_START_TEST (test_a_turn_keeps_out_only_threads_that_want_the_same_turn)
{
  gst_tfrc_gate_open (&gate);
  fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  fail_unless (gst_tfrc_gate_enter (&gate));
  gst_tfrc_gate_leave (&gate);
  fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_SETTINGS));
  gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_SETTINGS);
  gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_LINK);
  fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_LINK);
}

GST_END_TEST;

static gpointer
count_in_turn (gpointer data)
{
  guint *count = data; /* the counter is neither atomic nor under a lock */

  for (guint i = 0; i < ROUNDS; i++) {
    fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
    ++*count;
    gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_LINK);
  }
  return NULL;
}

GST_START_TEST (test_one_thread_at_a_time_has_a_turn)
{
  GThread *threads[THREADS];
  guint count = 0;

  gst_tfrc_gate_open (&gate);
  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("turn", count_in_turn, &count);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  fail_unless_equals_int (count, THREADS * ROUNDS);
}

GST_END_TEST;

static gpointer
close_gate (gpointer unused)
{
  gst_tfrc_gate_close (&gate);
  return NULL;
}

static gpointer
ask_for_turn (gpointer unused)
{
  return GINT_TO_POINTER (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
}

GST_START_TEST (test_a_thread_that_waits_for_its_turn_does_not_enter_a_gate_that_closes)
{
  GThread *waiting, *owner;

  gst_tfrc_gate_open (&gate);
  fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  waiting = g_thread_new ("waiting", ask_for_turn, NULL);
  owner = g_thread_new ("owner", close_gate, NULL);
  while (gst_tfrc_gate_enter (&gate)) {
    gst_tfrc_gate_leave (&gate);
    g_thread_yield ();
  }
  gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_LINK);
  g_thread_join (owner);
  fail_if (GPOINTER_TO_INT (g_thread_join (waiting)));
}

GST_END_TEST;

static void
try_inherited_gate (gpointer unused)
{
  fail_if (gst_tfrc_gate_enter (&gate));
  fail_if (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  gst_tfrc_gate_close (&gate);
  gst_tfrc_gate_open (&gate);
  fail_unless (gst_tfrc_gate_enter (&gate));
  gst_tfrc_gate_leave (&gate);
  fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_LINK);
}

/* The child warns once. The thread of the parent that is inside does not keep the child from closing. */
GST_START_TEST (test_a_child_enters_no_inherited_gate_before_the_gate_opens_again)
{
  if (!can_fork ())
    return;
  gst_tfrc_gate_open (&gate);
  fail_unless (gst_tfrc_gate_enter_in_turn (&gate, GST_TFRC_TURN_LINK));
  run_in_child (try_inherited_gate, NULL, 1);
  gst_tfrc_gate_leave_turn (&gate, GST_TFRC_TURN_LINK);
}

GST_END_TEST;

static Suite *
gate_suite (void)
{
  Suite *suite = suite_create ("gate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_a_closed_gate_lets_no_thread_enter);
  tcase_add_test (tcase, test_closing_waits_until_every_thread_has_left);
  tcase_add_test (tcase, test_a_turn_keeps_out_only_threads_that_want_the_same_turn);
  tcase_add_test (tcase, test_one_thread_at_a_time_has_a_turn);
  tcase_add_test (tcase, test_a_thread_that_waits_for_its_turn_does_not_enter_a_gate_that_closes);
  tcase_add_test (tcase, test_a_child_enters_no_inherited_gate_before_the_gate_opens_again);
  return suite;
}

GST_CHECK_MAIN (gate);
