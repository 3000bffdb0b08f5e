/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process forks while its elements run.  The elements need no thread of GStreamer in the
 * child.  Other parts of GStreamer may need one; that is not tested here. */
#include "../libs/forktest.h"
#include "tfrctest.h"

/* An element that posts its statistics on request */
typedef struct
{
  GstElement *element;
  TestLog *log;
} Talker;

static void
wait_for_news (const Talker *talker)
{
  guint n = test_log_count (talker->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);

  g_object_set (talker->element, "stats-update-interval", 1, NULL);
  gst_message_unref (test_log_wait (talker->log, n + 2, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
}

static void
talker_init (Talker *talker, gint port)
{
  talker->element = gst_element_factory_make ("tfrcsink", NULL);
  g_object_set (talker->element, "host", "127.0.0.1", "port", port, NULL);
  talker->log = test_log_new (talker->element);
  fail_unless (
      gst_element_set_state (talker->element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
}

static void
talker_clear (Talker *talker)
{
  gst_element_set_state (talker->element, GST_STATE_NULL);
  test_log_free (talker->log);
  gst_object_unref (talker->element);
}

static TestPeer *peer;

static void
set_flag (GstElement *element, gpointer flag)
{
  g_atomic_int_set ((gint *) flag, TRUE);
}

/* Starts a thread of GStreamer's thread pool for messages.  The thread is idle in the parent
 * afterwards.  No message may be posted while the process forks: posting takes locks of
 * GStreamer and of the test. */
static void
start_thread_pool (const Talker *talker)
{
  gint flag = FALSE;

  gst_element_call_async (talker->element, set_flag, &flag, NULL);
  while (!g_atomic_int_get (&flag))
    g_thread_yield ();
}

static void
run_own (gpointer unused)
{
  Talker own;

  talker_init (&own, peer->port);
  wait_for_news (&own);
  talker_clear (&own);
}

static void
stop_inherited (gpointer data)
{
  talker_clear (data);
}

static void
restart_inherited (gpointer data)
{
  Talker *talker = data;

  gst_element_set_state (talker->element, GST_STATE_READY);
  gst_element_set_state (talker->element, GST_STATE_PAUSED);
  wait_for_news (talker);
  talker_clear (talker);
}

static void
check_child (void (*func) (gpointer data), gint warnings)
{
  Talker talker;

  if (!can_fork ())
    return;
  peer = test_peer_new (0);
  talker_init (&talker, peer->port);
  start_thread_pool (&talker);
  run_in_child (func, &talker, warnings);
  wait_for_news (&talker);
  talker_clear (&talker);
  test_peer_free (peer);
}

GST_START_TEST (test_child_runs_elements_of_its_own)
{
  check_child (run_own, 0);
}

GST_END_TEST;

GST_START_TEST (test_child_that_stops_an_element_leaves_it_to_the_parent)
{
  check_child (stop_inherited, 1);
}

GST_END_TEST;

GST_START_TEST (test_child_can_start_an_inherited_element_anew)
{
  check_child (restart_inherited, 1);
}

GST_END_TEST;

static Suite *
forks_suite (void)
{
  Suite *s = suite_create ("forks");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_child_runs_elements_of_its_own);
  tcase_add_test (tc, test_child_that_stops_an_element_leaves_it_to_the_parent);
  tcase_add_test (tc, test_child_can_start_an_inherited_element_anew);
  return s;
}

GST_CHECK_MAIN (forks);
