/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several threads use an element while another thread changes its state. */
#include <poll.h>

#include "linktest.h"

#define THREADS 3
#define ROUNDS 30

typedef struct
{
  GstElement *element;
  void (*use) (GstElement *element, guint n);
  gint stop; /* atomic */
} Crowd;

static gpointer
use_until_stopped (gpointer data)
{
  Crowd *crowd = data;

  for (guint n = 0; !g_atomic_int_get (&crowd->stop); n++)
    crowd->use (crowd->element, n);
  return NULL;
}

/* Takes @pipeline from PLAYING to NULL or READY and back while threads use @element. */
static void
change_states_in_a_crowd (
    GstElement *pipeline, GstElement *element, void (*use) (GstElement *element, guint n))
{
  Crowd crowd = { element, use, FALSE };
  GThread *threads[THREADS];

  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("user", use_until_stopped, &crowd);
  for (guint i = 0; i < ROUNDS; i++) {
    test_set_state (pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
    test_set_state (pipeline, GST_STATE_PLAYING);
  }
  g_atomic_int_set (&crowd.stop, TRUE);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
}

/* ---- tfrcsink ------------------------------------------------------------ */

static void
change_ttl (GstElement *sink, guint n)
{
  g_object_set (sink, "ttl", 1 + (gint) n % 200, "qos-dscp", (gint) n % 64, "max-bitrate",
      (guint64) 1000000 + n, NULL);
}

/* Waits for a packet. */
static guint8
ttl_on_arrival (void)
{
  struct pollfd readable = { .fd = peer->fd, .events = POLLIN };
  GstTfrcReceiveBatch *batch = gst_tfrc_receive_batch_new ();
  const GstTfrcReceivedPacket *packets;
  guint64 now_ns;
  guint8 ttl;
  guint n = 0;

  fail_unless_equals_int (poll (&readable, 1, -1), 1);
  while (n == 0)
    n = gst_tfrc_receive_batch_read (batch, peer->fd, 0, &packets, &now_ns);
  ttl = packets[n - 1].ttl;
  gst_tfrc_receive_batch_free (batch);
  return ttl;
}

GST_START_TEST (test_threads_change_ttl_while_the_sink_stops)
{
  TestSender *sender;

  peer = test_peer_new (0);
  sender = test_sender_new (peer->port, NULL);
  change_states_in_a_crowd (sender->pipeline, sender->sink, change_ttl);
  test_sender_free (sender);
  test_peer_free (peer);
}

GST_END_TEST;

static gpointer
change_ttl_often (gpointer sink)
{
  for (guint n = 0; n < 500; n++)
    change_ttl (sink, n);
  return NULL;
}

/* The property and the packets agree, whichever thread has set the TTL last. */
GST_START_TEST (test_packets_have_the_ttl_that_the_property_has)
{
  TestSender *sender;
  GBytes *ts = test_movie (7, 1);
  GThread *threads[THREADS];
  gint ttl;

  peer = test_peer_new (0);
  sender = test_sender_new (peer->port, NULL);
  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("user", change_ttl_often, sender->sink);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  test_sender_push_bytes (sender, ts, 0);
  g_object_get (sender->sink, "ttl", &ttl, NULL);
  fail_unless_equals_int (ttl_on_arrival (), ttl);
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (ts);
}

GST_END_TEST;

/* ---- tfrcsrc ------------------------------------------------------------- */

static void
change_link (GstElement *src, guint n)
{
  static const gchar *const addresses[] = { OLD_LINK, NEW_LINK, THIRD_LINK };
  GstStructure *options = gst_structure_new (
      "options", "bind-address", G_TYPE_STRING, addresses[n % G_N_ELEMENTS (addresses)], NULL);
  gboolean done;
  gint port;

  g_signal_emit_by_name (src, "handover", options, &done);
  gst_structure_free (options);
  g_object_set (src, "latency", n % 100, NULL);
  g_object_get (src, "port", &port, NULL);
  test_stat (src, "packets-received");
}

GST_START_TEST (test_threads_change_links_while_the_source_changes_states)
{
  receiver = test_receiver_new ("address=" OLD_LINK " auto-handover=true");
  change_states_in_a_crowd (receiver->pipeline, receiver->src, change_link);
  test_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
concurrency_suite (void)
{
  Suite *suite = suite_create ("concurrency");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_threads_change_ttl_while_the_sink_stops);
  tcase_add_test (tcase, test_packets_have_the_ttl_that_the_property_has);
  tcase_add_test (tcase, test_threads_change_links_while_the_source_changes_states);
  return suite;
}

GST_CHECK_MAIN (concurrency);
