/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that the elements share with their neighbours: what tfrcsink asks for and keeps, and that tfrcsrc
 * has its own. */
#include "tfrctest.h"

#include <gst/app/gstappsrc.h>

#define CAPS "video/mpegts,systemstream=(boolean)true,packetsize=188"
#define ALIGNMENT 63

/* Returns what the elements downstream of "in" answer; NULL: nothing. */
static GstQuery *
ask_downstream (GstElement *pipeline)
{
  GstElement *in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  GstPad *pad = gst_element_get_static_pad (in, "src");
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  if (!gst_pad_peer_query (pad, query))
    gst_clear_query (&query);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (in);
  return query;
}

GST_START_TEST (any_memory_will_do)
{
  GstElement *pipeline = gst_parse_launch ("appsrc name=in ! tfrcsink", NULL);
  GstQuery *answer;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  answer = ask_downstream (pipeline);
  fail_unless (answer != NULL);
  fail_unless_equals_int (gst_query_get_n_allocation_pools (answer), 0);
  fail_unless_equals_int (gst_query_get_n_allocation_params (answer), 0);
  gst_query_unref (answer);
  test_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* A sink that wants its memory aligned */
static GstPadProbeReturn
propose (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstAllocationParams params = { .align = ALIGNMENT };

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_param (query, NULL, &params);
  return GST_PAD_PROBE_HANDLED;
}

/* tee asks all branches, and has no answer if one of them has none. */
GST_START_TEST (the_wishes_of_a_sink_beside_reach_the_source)
{
  GstElement *pipeline = gst_parse_launch (
      "appsrc name=in ! tee name=t t. ! tfrcsink t. ! fakesink name=beside", NULL);
  GstElement *beside = gst_bin_get_by_name (GST_BIN (pipeline), "beside");
  GstPad *pad = gst_element_get_static_pad (beside, "sink");
  GstAllocationParams params;
  GstQuery *answer;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, propose, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  answer = ask_downstream (pipeline);
  fail_unless (answer != NULL);
  fail_unless_equals_int (gst_query_get_n_allocation_params (answer), 1);
  gst_query_parse_nth_allocation_param (answer, 0, NULL, &params);
  fail_unless_equals_int (params.align, ALIGNMENT);
  gst_query_unref (answer);
  test_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (beside);
  gst_object_unref (pipeline);
}

GST_END_TEST;

#define N_PACKETS 20
#define OFFERED_BUFFERS 10
#define POOL_BUFFERS 2 /* the one that the sink takes, and the last sample of GstBaseSink */

static GstBufferPool *
new_pool (guint least, guint most)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, NULL, PAYLOAD_BYTES, least, most);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  return pool;
}

/* A pool of a camera has few buffers.  One packet leaves, and all others wait in the sink. */
GST_START_TEST (packets_that_wait_keep_no_buffers)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, "max-bitrate=200 max-queue-time=0");
  GBytes *movie = test_movie (N_PACKETS * 7, 1);
  GstBufferPool *pool = new_pool (0, POOL_BUFFERS);
  GstBuffer *buffer;

  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < N_PACKETS; i++) {
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
    gst_buffer_fill (buffer, 0, (const guint8 *) g_bytes_get_data (movie, NULL) + i * PAYLOAD_BYTES,
        PAYLOAD_BYTES);
    fail_unless_equals_int (
        gst_app_src_push_buffer (GST_APP_SRC (sender->appsrc), buffer), GST_FLOW_OK);
  }
  test_log_wait_stat (sender->log, "sink", "queue-packets", N_PACKETS - 1);
  test_sender_free (sender);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  g_bytes_unref (movie);
  test_peer_free (peer);
}

GST_END_TEST;

/* A sink that has a pool to offer */
static GstPadProbeReturn
offer_pool (GstPad *pad, GstPadProbeInfo *info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, pool, PAYLOAD_BYTES, OFFERED_BUFFERS, 0);
  return GST_PAD_PROBE_HANDLED;
}

/* Packets come before anybody downstream is asked.  A pool that is taken allocates its least number of
 * buffers. */
GST_START_TEST (the_source_takes_no_pool_that_it_does_not_use)
{
  TestReceiver *receiver = test_receiver_new ("timeout=0 ! identity name=next");
  GstElement *next = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "next");
  GstPad *pad = gst_element_get_static_pad (next, "sink");
  GstBufferPool *pool = new_pool (OFFERED_BUFFERS, 0);
  GBytes *movie = test_movie (7, 1);
  TestSender *sender;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer_pool, pool, NULL);
  sender = test_sender_new (receiver->port, NULL);
  test_sender_push_bytes (sender, movie, 0);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  fail_unless (!gst_buffer_pool_is_active (pool));
  test_sender_free (sender);
  test_receiver_free (receiver);
  gst_object_unref (pool);
  gst_object_unref (pad);
  gst_object_unref (next);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
allocation_suite (void)
{
  Suite *suite = suite_create ("allocation");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, any_memory_will_do);
  tcase_add_test (tcase, the_wishes_of_a_sink_beside_reach_the_source);
  tcase_add_test (tcase, packets_that_wait_keep_no_buffers);
  tcase_add_test (tcase, the_source_takes_no_pool_that_it_does_not_use);
  return suite;
}

GST_CHECK_MAIN (allocation);
