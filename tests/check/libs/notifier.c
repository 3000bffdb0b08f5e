/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notifications of the application and their limits, see gst/common/notifier.h. */
#include <gst/check/gstcheck.h>

#include "gst/common/notifier.h"

#define T0 (1000 * GST_SECOND)
#define INTERVAL (GST_SECOND / GST_TFRC_NOTIFIER_PER_SECOND)
#define FAR_AWAY (G_MAXINT64 / 2)          /* virtual time that real time does not reach */
#define PATIENCE (60 * G_TIME_SPAN_SECOND) /* a test that waits longer fails */

static GstTfrcNotifier notifier;
static GstElement *element;

static GMutex lock; /* the lock of all variables below */
static GCond changed;
static GArray *told[2];  /* arrays of gint, one for each function */
static gboolean blocked; /* a notification waits while this is set */
static guint started;    /* number of calls */

static void
note (guint which, gint value)
{
  g_mutex_lock (&lock);
  started++;
  g_cond_broadcast (&changed);
  while (blocked)
    g_cond_wait (&changed, &lock);
  g_array_append_val (told[which], value);
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static void
tell_a (gpointer unused, gint value)
{
  note (0, value);
}

static void
tell_b (gpointer unused, gint value)
{
  note (1, value);
}

static void
setup (void)
{
  element = gst_object_ref_sink (gst_bin_new (NULL));
  gst_tfrc_notifier_init (&notifier, element, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    told[i] = g_array_new (FALSE, FALSE, sizeof (gint));
  blocked = FALSE;
  started = 0;
}

static void
teardown (void)
{
  gst_tfrc_notifier_stop (&notifier);
  gst_object_unref (element);
  gst_tfrc_notifier_clear (&notifier);
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    g_array_unref (told[i]);
}

static void
set_blocked (gboolean value)
{
  g_mutex_lock (&lock);
  blocked = value;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

/* Waits until @n notifications have come, and checks the last value. */
static void
wait_told (guint which, guint n, gint last)
{
  gint64 end_us = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&lock);
  while (told[which]->len < n)
    fail_unless (g_cond_wait_until (&changed, &lock, end_us));
  fail_unless_equals_int (told[which]->len, n);
  fail_unless_equals_int (g_array_index (told[which], gint, n - 1), last);
  g_mutex_unlock (&lock);
}

static void
wait_started (guint n)
{
  gint64 end_us = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&lock);
  while (started < n)
    fail_unless (g_cond_wait_until (&changed, &lock, end_us));
  g_mutex_unlock (&lock);
}

GST_START_TEST (repetitions_of_waiting_notifications_are_left_out)
{
  set_blocked (TRUE);
  gst_tfrc_notifier_notify (&notifier, tell_a, 1);
  wait_started (1);
  gst_tfrc_notifier_notify (&notifier, tell_a, 2);
  gst_tfrc_notifier_notify (&notifier, tell_a, 2);
  gst_tfrc_notifier_notify (&notifier, tell_b, 7);
  gst_tfrc_notifier_notify (&notifier, tell_a, 2);
  gst_tfrc_notifier_notify (&notifier, tell_a, 3);
  set_blocked (FALSE);
  wait_told (0, 3, 3);
  wait_told (1, 1, 7);
  fail_unless_equals_uint64 (gst_tfrc_notifier_get_dropped (&notifier), 0);
}

GST_END_TEST;

/* 2400 changes a second for 10 s */
GST_START_TEST (notifications_of_a_kind_come_as_often_as_the_limit_allows)
{
  const guint changes = 24000, per_second = 2400;
  guint allowed = GST_TFRC_NOTIFIER_BURST + 10 * GST_TFRC_NOTIFIER_PER_SECOND;
  guint64 now_ns = 0;

  for (guint i = 0; i < changes; i++) {
    now_ns = FAR_AWAY + i * GST_SECOND / per_second;
    gst_tfrc_notifier_call_limited (&notifier, tell_a, (gint) i, now_ns);
  }
  /* The limit of one kind does not affect other kinds, nor notifications without limit. */
  gst_tfrc_notifier_call_limited (&notifier, tell_b, 5, now_ns);
  for (gint i = 0; i < 100; i++)
    gst_tfrc_notifier_notify (&notifier, tell_b, i);
  wait_told (1, 101, 99);
  fail_unless_equals_uint64 (gst_tfrc_notifier_release (&notifier, now_ns),
      FAR_AWAY + (allowed - GST_TFRC_NOTIFIER_BURST) * INTERVAL);
  fail_unless_equals_uint64 (gst_tfrc_notifier_get_dropped (&notifier), changes - allowed);
  /* the last value comes in the end */
  fail_unless_equals_uint64 (
      gst_tfrc_notifier_release (&notifier, FAR_AWAY + 10 * GST_SECOND), G_MAXUINT64);
  wait_told (0, allowed, (gint) changes - 1);
}

GST_END_TEST;

GST_START_TEST (the_limit_allows_more_as_time_goes_by)
{
  for (gint i = 0; i < GST_TFRC_NOTIFIER_BURST; i++)
    gst_tfrc_notifier_call_limited (&notifier, tell_a, i, FAR_AWAY);
  wait_told (0, GST_TFRC_NOTIFIER_BURST, GST_TFRC_NOTIFIER_BURST - 1);
  gst_tfrc_notifier_call_limited (&notifier, tell_a, 100, FAR_AWAY);
  gst_tfrc_notifier_call_limited (&notifier, tell_a, 101, FAR_AWAY);
  fail_unless_equals_uint64 (
      gst_tfrc_notifier_release (&notifier, FAR_AWAY + INTERVAL - 1), FAR_AWAY + INTERVAL);
  fail_unless_equals_uint64 (
      gst_tfrc_notifier_release (&notifier, FAR_AWAY + INTERVAL), G_MAXUINT64);
  wait_told (0, GST_TFRC_NOTIFIER_BURST + 1, 101);
  fail_unless_equals_uint64 (gst_tfrc_notifier_get_dropped (&notifier), 1);
}

GST_END_TEST;

/* The limit was used up long ago. So a thread of the notifier's own tells the held value. */
GST_START_TEST (a_held_notification_comes_without_another_one)
{
  for (gint i = 0; i < GST_TFRC_NOTIFIER_BURST; i++)
    gst_tfrc_notifier_call_limited (&notifier, tell_a, i, 0);
  wait_told (0, GST_TFRC_NOTIFIER_BURST, GST_TFRC_NOTIFIER_BURST - 1);
  gst_tfrc_notifier_call_limited (&notifier, tell_a, 100, 0);
  wait_told (0, GST_TFRC_NOTIFIER_BURST + 1, 100);
}

GST_END_TEST;

GST_START_TEST (stopping_forgets_held_notifications)
{
  for (gint i = 0; i < 20; i++)
    gst_tfrc_notifier_call_limited (&notifier, tell_a, i, FAR_AWAY);
  gst_tfrc_notifier_stop (&notifier);
  fail_unless_equals_uint64 (gst_tfrc_notifier_get_dropped (&notifier), 0);
  fail_unless_equals_uint64 (gst_tfrc_notifier_release (&notifier, G_MAXINT64), G_MAXUINT64);
  fail_unless (told[0]->len <= GST_TFRC_NOTIFIER_BURST);
}

GST_END_TEST;

GST_START_TEST (messages_of_their_own_are_posted_as_often_as_the_limit_allows)
{
  for (guint i = 0; i < GST_TFRC_NOTIFIER_MESSAGES_BURST; i++)
    fail_unless (gst_tfrc_notifier_may_post (&notifier, FAR_AWAY));
  fail_unless (!gst_tfrc_notifier_may_post (&notifier, FAR_AWAY));
  fail_unless (gst_tfrc_notifier_may_post (
      &notifier, FAR_AWAY + GST_SECOND / GST_TFRC_NOTIFIER_MESSAGES_PER_SECOND));
  fail_unless (!gst_tfrc_notifier_may_post (
      &notifier, FAR_AWAY + GST_SECOND / GST_TFRC_NOTIFIER_MESSAGES_PER_SECOND));
  fail_unless_equals_uint64 (gst_tfrc_notifier_get_dropped (&notifier), 2);
  gst_tfrc_notifier_stop (&notifier);
  fail_unless (gst_tfrc_notifier_may_post (&notifier, FAR_AWAY));
}

GST_END_TEST;

static void
ask_again (gpointer unused, gint value)
{
  note (0, value);
  gst_tfrc_notifier_notify (&notifier, ask_again, value + 1);
}

/* And the function can be asked for afterwards. */
GST_START_TEST (stopping_ends_a_function_that_asks_for_itself)
{
  for (guint i = 0; i < 100; i++) {
    started = 0;
    gst_tfrc_notifier_notify (&notifier, ask_again, 0);
    wait_started (3);
    gst_tfrc_notifier_stop (&notifier);
    ASSERT_OBJECT_REFCOUNT (element, "element", 1);
  }
}

GST_END_TEST;

static Suite *
notifier_suite (void)
{
  Suite *s = suite_create ("notifier");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, repetitions_of_waiting_notifications_are_left_out);
  tcase_add_test (tc, notifications_of_a_kind_come_as_often_as_the_limit_allows);
  tcase_add_test (tc, the_limit_allows_more_as_time_goes_by);
  tcase_add_test (tc, a_held_notification_comes_without_another_one);
  tcase_add_test (tc, stopping_forgets_held_notifications);
  tcase_add_test (tc, messages_of_their_own_are_posted_as_often_as_the_limit_allows);
  tcase_add_test (tc, stopping_ends_a_function_that_asks_for_itself);
  return s;
}

GST_CHECK_MAIN (notifier);
