/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that take turns, see gst/io/turnstile.h.  The monotonic clock stands still but for what a test
 * moves. */
#include <time.h>

#include <gst/check/gstcheck.h>

#include "gst/io/turnstile.h"

#define TURNS GST_TFRC_TURNSTILE_TURNS
#define N_WAITING 3
#define TIMEOUT_US (60 * G_USEC_PER_SEC)
#define HOUR_NS (3600 * G_GUINT64_CONSTANT (1000000000))

static guint64 clock_ns; /* atomic */

#define ADD(variable, value) __atomic_add_fetch (&(variable), value, __ATOMIC_SEQ_CST)

static GstTfrcTurnstile turnstile;
static GstTfrcVisitor holders[TURNS]; /* who has the turns at first */

/* A thread that passes */
typedef struct
{
  GstTfrcVisitor own, *visitor;
  GThread *thread;
} Passer;

static GMutex lock;
static GCond changed;
static GstTfrcVisitor *passed[TURNS + N_WAITING];
static guint n_passed;

/* The linker's --wrap puts this function in place of that of the system. */
gint __wrap_clock_gettime (clockid_t id, struct timespec *ts);

gint
__wrap_clock_gettime (clockid_t id, struct timespec *ts)
{
  guint64 now_ns = ADD (clock_ns, 0);

  ts->tv_sec = (time_t) (now_ns / G_GUINT64_CONSTANT (1000000000));
  ts->tv_nsec = (glong) (now_ns % G_GUINT64_CONSTANT (1000000000));
  return 0;
}

/* ---- a turnstile of which all turns are taken ------------------------------- */

/* The clock is ahead of the true one: a wait for the end of a turn lasts as long as a test.  Turns that
 * are free are taken at once. */
static void
open_turnstile (void)
{
  clock_ns = (guint64) g_get_monotonic_time () * 1000 + HOUR_NS;
  n_passed = 0;
  gst_tfrc_turnstile_init (&turnstile);
  for (guint i = 0; i < TURNS; i++) {
    gst_tfrc_visitor_init (&holders[i]);
    gst_tfrc_turnstile_pass (&turnstile, &holders[i]);
  }
}

static void
close_turnstile (void)
{
  for (guint i = 0; i < TURNS; i++)
    gst_tfrc_visitor_clear (&holders[i]);
  gst_tfrc_turnstile_clear (&turnstile);
}

static gpointer
pass (gpointer data)
{
  Passer *self = data;

  gst_tfrc_turnstile_pass (&turnstile, self->visitor);
  g_mutex_lock (&lock);
  passed[n_passed++] = self->visitor;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  return NULL;
}

static void
wait_until_waiting (gint n)
{
  gint64 end_us = g_get_monotonic_time () + TIMEOUT_US;

  while (g_atomic_int_get (&turnstile.n_waiting) < n) {
    fail_unless (g_get_monotonic_time () < end_us);
    g_thread_yield ();
  }
}

/* Returns when the thread waits, behind the others.  @visitor: NULL, or whose turn ends */
static void
start (Passer *passer, GstTfrcVisitor *visitor, gint n_waiting)
{
  gst_tfrc_visitor_init (&passer->own);
  passer->visitor = visitor ? visitor : &passer->own;
  passer->thread = g_thread_new ("passer", pass, passer);
  wait_until_waiting (n_waiting);
}

static void
join (Passer *passer)
{
  g_thread_join (passer->thread);
  gst_tfrc_visitor_clear (&passer->own);
}

static void
fail_unless_passes (guint n, const GstTfrcVisitor *visitor)
{
  gint64 end_us = g_get_monotonic_time () + TIMEOUT_US;

  g_mutex_lock (&lock);
  while (n_passed < n)
    fail_unless (g_cond_wait_until (&changed, &lock, end_us));
  fail_unless_equals_int (n_passed, n);
  fail_unless (passed[n - 1] == visitor);
  g_mutex_unlock (&lock);
}

/* ---- tests ------------------------------------------------------------------ */

GST_START_TEST (threads_pass_in_the_order_in_which_they_came)
{
  Passer passers[N_WAITING];

  open_turnstile ();
  fail_if (gst_tfrc_turnstile_is_crowded (&turnstile));
  for (guint i = 0; i < N_WAITING; i++)
    start (&passers[i], NULL, (gint) i + 1);
  fail_unless (gst_tfrc_turnstile_is_crowded (&turnstile));
  for (guint i = 0; i < N_WAITING; i++) {
    gst_tfrc_turnstile_leave (&turnstile, &holders[i]);
    fail_unless_passes (i + 1, &passers[i].own);
  }
  for (guint i = 0; i < N_WAITING; i++)
    join (&passers[i]);
  fail_if (gst_tfrc_turnstile_is_crowded (&turnstile));
  close_turnstile ();
}

GST_END_TEST;

GST_START_TEST (who_passes_again_waits_behind_the_others)
{
  Passer waiting, again;

  open_turnstile ();
  start (&waiting, NULL, 1);
  start (&again, &holders[0], 1);
  fail_unless_passes (1, &waiting.own);
  gst_tfrc_turnstile_leave (&turnstile, &holders[1]);
  fail_unless_passes (2, &holders[0]);
  join (&waiting);
  join (&again);
  close_turnstile ();
}

GST_END_TEST;

GST_START_TEST (a_turn_ends_after_its_time)
{
  Passer waiting;
  GstTfrcVisitor late;

  open_turnstile ();
  ADD (clock_ns, GST_TFRC_TURNSTILE_TURN_NS - 1);
  start (&waiting, NULL, 1);
  ADD (clock_ns, 1);
  gst_tfrc_visitor_init (&late);
  gst_tfrc_turnstile_interrupt (&turnstile, &late);
  gst_tfrc_turnstile_pass (&turnstile, &late); /* makes the first look again */
  fail_unless_passes (1, &waiting.own);
  join (&waiting);
  gst_tfrc_visitor_clear (&late);
  close_turnstile ();
}

GST_END_TEST;

GST_START_TEST (an_interruption_ends_one_wait)
{
  Passer waiting, again;

  open_turnstile ();
  start (&waiting, NULL, 1);
  gst_tfrc_turnstile_interrupt (&turnstile, &waiting.own);
  fail_unless_passes (1, &waiting.own);
  start (&again, &waiting.own, 1);
  gst_tfrc_turnstile_leave (&turnstile, &holders[0]);
  fail_unless_passes (2, &waiting.own);
  g_thread_join (waiting.thread);
  join (&again);
  gst_tfrc_visitor_clear (&waiting.own);
  close_turnstile ();
}

GST_END_TEST;

static Suite *
turnstile_suite (void)
{
  Suite *s = suite_create ("turnstile");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, threads_pass_in_the_order_in_which_they_came);
  tcase_add_test (tc, who_passes_again_waits_behind_the_others);
  tcase_add_test (tc, a_turn_ends_after_its_time);
  tcase_add_test (tc, an_interruption_ends_one_wait);
  return s;
}

GST_CHECK_MAIN (turnstile);
