/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink's stream waits for its turn, and a flush ends that wait, see gst/io/turnstile.h. */
#include <gst/check/gstcheck.h>

#include "gst/stream/sinkstream.h"
#include "streampair.h"

#define HOUR_NS (3600 * GST_SECOND)

static StreamPair pair;
static GstTfrcTurnstile *turnstile;
static GstTfrcVisitor holder;

/* All turns of the loop are taken for longer than a test lasts. */
static void
setup (void)
{
  pair_init (&pair, FALSE);
  turnstile = gst_tfrc_port_get_turnstile (gst_tfrc_sink_stream_get_port (pair.sink));
  gst_tfrc_visitor_init (&holder);
  gst_tfrc_turnstile_mutex_lock (&turnstile->mutex);
  for (guint i = 0; i < GST_TFRC_TURNSTILE_TURNS; i++) {
    turnstile->owners[i] = &holder;
    turnstile->ends_ns[i] = gst_tfrc_clock_now_ns () + HOUR_NS;
  }
  gst_tfrc_turnstile_mutex_unlock (&turnstile->mutex);
}

static void
teardown (void)
{
  gst_tfrc_turnstile_leave (turnstile, &holder);
  gst_tfrc_visitor_clear (&holder);
  pair_clear (&pair);
}

static gpointer
pass (gpointer data)
{
  gst_tfrc_sink_stream_pass (pair.sink);
  return NULL;
}

static GThread *
start_to_pass (void)
{
  GThread *thread = g_thread_new ("streaming", pass, NULL);
  gint64 end_us = g_get_monotonic_time () + (gint64) (PAIR_TIMEOUT_NS / 1000);

  while (!gst_tfrc_sink_stream_is_crowded (pair.sink)) {
    fail_unless (g_get_monotonic_time () < end_us);
    g_thread_yield ();
  }
  return thread;
}

GST_START_TEST (a_flush_ends_the_wait_for_a_turn)
{
  GThread *thread = start_to_pass ();

  gst_tfrc_sink_stream_set_flushing (pair.sink, TRUE);
  g_thread_join (thread);
  fail_if (gst_tfrc_sink_stream_is_crowded (pair.sink));
  fail_unless_equals_int (pair_push (&pair), GST_TFRC_PUSH_FLUSHING);
}
GST_END_TEST;

/* As in a pause, of which the stream goes on */
GST_START_TEST (after_a_flush_the_stream_waits_for_its_turn_again)
{
  GThread *thread = start_to_pass ();

  gst_tfrc_sink_stream_set_flushing (pair.sink, TRUE);
  g_thread_join (thread);
  fail_unless_equals_int (pair_push (&pair), GST_TFRC_PUSH_FLUSHING);
  gst_tfrc_sink_stream_set_flushing (pair.sink, FALSE);
  thread = start_to_pass ();
  gst_tfrc_turnstile_leave (turnstile, &holder);
  g_thread_join (thread);
  gst_tfrc_sink_stream_leave (pair.sink);
  pair.pushed = 0; /* counted the refused packet as well */
  pair_transfer (&pair, 10);
}
GST_END_TEST;

static Suite *
sinkturns_suite (void)
{
  Suite *suite = suite_create ("sinkturns");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_flush_ends_the_wait_for_a_turn);
  tcase_add_test (tcase, after_a_flush_the_stream_waits_for_its_turn_again);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (sinkturns);
