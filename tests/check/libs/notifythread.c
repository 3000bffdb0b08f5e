/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one thread that runs the application's code, see gst/common/notifier.h. */
#include <gst/check/gstcheck.h>

#include "gst/common/notifier.h"

#define N_JOBS 100
#define FAR_AWAY (G_MAXINT64 / 2)          /* a time that real time does not reach */
#define PATIENCE (60 * G_TIME_SPAN_SECOND) /* a test that waits longer fails */

typedef struct
{
  GstTfrcNotifyJob job;
  GstObject *owner;
  guint index;
  guint64 next_ns;          /* what the job returns; G_MAXUINT64 by default */
  gboolean cancels_itself;  /* in each run */
  GstTfrcNotifyJob *cancel; /* another job, in each run */
} TestJob;

static TestJob jobs[N_JOBS];

static GMutex lock; /* the lock of all variables below */
static GCond changed;
static GArray *runs; /* of guint: which job */
static GThread *thread;
static gboolean one_thread;
static gboolean blocked; /* a job waits while this is set */

static guint64
run (gpointer user)
{
  TestJob *self = user;

  g_mutex_lock (&lock);
  g_array_append_val (runs, self->index);
  one_thread &= thread == NULL || thread == g_thread_self ();
  thread = g_thread_self ();
  g_cond_broadcast (&changed);
  while (blocked)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
  if (self->cancels_itself)
    gst_tfrc_notify_thread_cancel (&self->job);
  if (self->cancel)
    gst_tfrc_notify_thread_cancel (self->cancel);
  return self->next_ns;
}

static void
set_blocked (gboolean value)
{
  g_mutex_lock (&lock);
  blocked = value;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static void
wait_runs (guint n)
{
  gint64 end_us = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&lock);
  while (runs->len < n)
    fail_unless (g_cond_wait_until (&changed, &lock, end_us), "%u runs of %u", runs->len, n);
  g_mutex_unlock (&lock);
}

static guint
run_number (guint i)
{
  return g_array_index (runs, guint, i);
}

static void
setup (void)
{
  runs = g_array_new (FALSE, FALSE, sizeof (guint));
  thread = NULL;
  one_thread = TRUE;
  blocked = FALSE;
  for (guint i = 0; i < N_JOBS; i++) {
    jobs[i] = (TestJob){ .index = i, .next_ns = G_MAXUINT64 };
    jobs[i].owner = gst_object_ref_sink (gst_bin_new (NULL));
    gst_tfrc_notify_job_init (&jobs[i].job, jobs[i].owner, run, &jobs[i]);
  }
}

/* After its cancellation no job has a reference. */
static void
teardown (void)
{
  for (guint i = 0; i < N_JOBS; i++) {
    gst_tfrc_notify_thread_cancel (&jobs[i].job);
    fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (jobs[i].owner), 1);
    gst_object_unref (jobs[i].owner);
  }
  g_array_unref (runs);
}

/* Schedules the jobs @from to @to while job 0 blocks the thread. */
static void
schedule_behind_job_0 (guint from, guint to)
{
  set_blocked (TRUE);
  gst_tfrc_notify_thread_schedule (&jobs[0].job, 0);
  wait_runs (1);
  for (guint i = from; i <= to; i++)
    gst_tfrc_notify_thread_schedule (&jobs[i].job, 0);
}

GST_START_TEST (jobs_run_on_one_thread_in_the_order_of_scheduling)
{
  schedule_behind_job_0 (1, N_JOBS - 1);
  set_blocked (FALSE);
  wait_runs (N_JOBS);
  for (guint i = 0; i < N_JOBS; i++)
    fail_unless_equals_int (run_number (i), i);
  fail_unless (one_thread);
}

GST_END_TEST;

GST_START_TEST (jobs_run_in_the_order_of_their_times)
{
  schedule_behind_job_0 (1, 0);
  gst_tfrc_notify_thread_schedule (&jobs[1].job, 3);
  gst_tfrc_notify_thread_schedule (&jobs[2].job, 1);
  gst_tfrc_notify_thread_schedule (&jobs[3].job, FAR_AWAY);
  gst_tfrc_notify_thread_schedule (&jobs[4].job, FAR_AWAY);
  gst_tfrc_notify_thread_schedule (&jobs[4].job, 2); /* earlier than before */
  gst_tfrc_notify_thread_schedule (&jobs[2].job, 4); /* not later than before */
  set_blocked (FALSE);
  wait_runs (4);
  fail_unless_equals_int (run_number (1), 2);
  fail_unless_equals_int (run_number (2), 4);
  fail_unless_equals_int (run_number (3), 1);
}

GST_END_TEST;

/* Of a job that has more to do, another job's turn comes in between. */
GST_START_TEST (jobs_take_turns)
{
  jobs[1].next_ns = jobs[2].next_ns = 0;
  schedule_behind_job_0 (1, 2);
  set_blocked (FALSE);
  wait_runs (7);
  gst_tfrc_notify_thread_cancel (&jobs[1].job);
  gst_tfrc_notify_thread_cancel (&jobs[2].job);
  for (guint i = 1; i < 7; i++)
    fail_unless_equals_int (run_number (i), i % 2 == 1 ? 1 : 2);
}

GST_END_TEST;

GST_START_TEST (cancelled_jobs_do_not_run)
{
  schedule_behind_job_0 (1, 3);
  gst_tfrc_notify_thread_cancel (&jobs[2].job); /* does not wait for job 0 */
  set_blocked (FALSE);
  wait_runs (3);
  fail_unless_equals_int (run_number (1), 1);
  fail_unless_equals_int (run_number (2), 3);
}

GST_END_TEST;

static gpointer
unblock (gpointer unused)
{
  set_blocked (FALSE);
  return NULL;
}

/* Otherwise the job would return 0 and run again. */
GST_START_TEST (cancelling_waits_for_the_run_and_ends_it)
{
  GThread *helper;
  guint n;

  jobs[0].next_ns = 0;
  schedule_behind_job_0 (1, 0);
  helper = g_thread_new ("unblock", unblock, NULL);
  gst_tfrc_notify_thread_cancel (&jobs[0].job);
  n = runs->len; /* the job does not run, so that no lock is needed */
  g_thread_join (helper);
  schedule_behind_job_0 (1, 0);
  gst_tfrc_notify_thread_schedule (&jobs[1].job, 0);
  jobs[0].next_ns = G_MAXUINT64;
  set_blocked (FALSE);
  wait_runs (n + 2);
  fail_unless_equals_int (run_number (n), 0);
  fail_unless_equals_int (run_number (n + 1), 1);
}

GST_END_TEST;

/* An application may stop elements in a handler. */
GST_START_TEST (a_job_cancels_itself_and_others)
{
  jobs[0].cancels_itself = TRUE;
  jobs[0].next_ns = 0;
  jobs[0].cancel = &jobs[1].job;
  schedule_behind_job_0 (1, 2);
  set_blocked (FALSE);
  wait_runs (2);
  fail_unless_equals_int (run_number (1), 2);
}

GST_END_TEST;

GST_START_TEST (a_job_that_is_scheduled_while_it_runs_runs_again)
{
  schedule_behind_job_0 (0, 1);
  set_blocked (FALSE);
  wait_runs (3);
  fail_unless_equals_int (run_number (1), 0);
  fail_unless_equals_int (run_number (2), 1);
}

GST_END_TEST;

static Suite *
notifythread_suite (void)
{
  Suite *suite = suite_create ("notifythread");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_set_timeout (chain, 120);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, jobs_run_on_one_thread_in_the_order_of_scheduling);
  tcase_add_test (chain, jobs_run_in_the_order_of_their_times);
  tcase_add_test (chain, jobs_take_turns);
  tcase_add_test (chain, cancelled_jobs_do_not_run);
  tcase_add_test (chain, cancelling_waits_for_the_run_and_ends_it);
  tcase_add_test (chain, a_job_cancels_itself_and_others);
  tcase_add_test (chain, a_job_that_is_scheduled_while_it_runs_runs_again);
  return suite;
}

GST_CHECK_MAIN (notifythread);
