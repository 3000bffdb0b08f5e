/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the thread that pulls is woken, and how soon the I/O loop serves streams, see
 * gst/flow/receiveflow.h and gst/stream/srcstream.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/stream/srcstream.h"
#include "streampair.h"
#include "teststream.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define NEVER G_MAXUINT64
#define NOW (1000 * S)
#define WINDOW (200 * MS)
#define FIRST_SEQ 100
#define RTP_HEADER_BYTES 12
#define SSRC 0x12345678
#define MAX_STREAMS 120

/* ---- one flow, in virtual time --------------------------------------------- */

static GstTfrcReceiveFlow *flow;
static guint64 until_ns; /* until when a thread that pulls waits */

static guint64
no_wall_ns (void)
{
  return NOW;
}

/* A packet of plain RTP arrives, at the time at which it was due. */
static void
push (guint seq, guint64 at_ns)
{
  const TfrcWireData header = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE,
    .seq = (guint16) (FIRST_SEQ + seq),
    .timestamp = (guint32) (at_ns * 9 / 100000),
    .ssrc = SSRC };
  guint8 data[TFRC_WIRE_MAX_HEADER_BYTES + PAIR_TS_BYTES] = { 0 };
  GstTfrcAddress from = test_address ("192.0.2.1", 5004);
  GstTfrcReceivedPacket packet = { 0 };

  tfrc_wire_write_data (data, &header);
  data[0] &= 0xef; /* no header extension */
  data[RTP_HEADER_BYTES] = 0x47;
  packet.data = data;
  packet.size = RTP_HEADER_BYTES + PAIR_TS_BYTES;
  packet.from = &from;
  packet.arrival_ns = packet.read_ns = NOW + at_ns;
  gst_tfrc_receive_flow_base (flow)->klass->on_datagrams (
      gst_tfrc_receive_flow_base (flow), &packet, 1, NOW + at_ns);
}

static void
pop (guint n)
{
  GstTfrcReorderItem items[2];

  fail_unless_equals_int (
      gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (flow), NOW, items, 2), n);
  for (guint i = 0; i < n; i++)
    gst_buffer_unref (items[i].data);
}

/* A sender whose first two packets have been played */
static void
setup (void)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig config = {
    .limits.window_ns = WINDOW, .cname = "test", .secret = secret, .wall_ns = no_wall_ns
  };

  tfrc_receiver_config_init (&config.receiver);
  flow = gst_tfrc_receive_flow_new (&config, NOW);
  gst_tfrc_reorder_set_hold_ns (
      gst_tfrc_intake_get_queue (gst_tfrc_receive_flow_get_intake (flow)), 50 * MS);
  until_ns = NEVER;
  push (0, 0);
  push (1, 0);
}

static void
teardown (void)
{
  gst_tfrc_receive_flow_free (flow);
}

static void
assert_wake (guint64 wake_ns)
{
  fail_unless_equals_uint64 (gst_tfrc_receive_flow_wake_ns (flow, until_ns), wake_ns);
}

GST_START_TEST (the_thread_that_waits_is_woken_when_a_group_is_to_leave)
{
  assert_wake (0);
  pop (2);
  assert_wake (NEVER);
  push (2, 10 * MS);
  push (3, 20 * MS);
  assert_wake (NOW + 60 * MS);
}

GST_END_TEST;

GST_START_TEST (the_thread_that_waits_is_woken_when_a_gap_is_given_up)
{
  pop (2);
  push (3, 10 * MS);
  assert_wake (NOW + 10 * MS + WINDOW);
}

GST_END_TEST;

GST_START_TEST (a_thread_that_wakes_up_by_itself_is_not_woken)
{
  pop (2);
  push (2, 10 * MS);
  until_ns = NOW + 60 * MS;
  assert_wake (NEVER);
  until_ns = NOW + 60 * MS + 1;
  assert_wake (NOW + 60 * MS);
}

GST_END_TEST;

/* The pipeline is at work, and looks into the queue before it waits. */
GST_START_TEST (a_thread_that_does_not_wait_is_not_woken)
{
  until_ns = 0;
  assert_wake (NEVER);
}

GST_END_TEST;

/* ---- many streams -------------------------------------------------------- */

static GstTfrcSrcStream *
open_stream (GstTfrcSrcEventsFunc events, guint64 stats_interval_ns)
{
  const GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  GstTfrcSrcStreamConfig config = { .socket = socket, .limits.window_ns = WINDOW };
  GstTfrcSrcStream *opened;
  GError *error = NULL;

  config.socket.bind_address = "127.0.0.1";
  config.limits.stats_interval_ns = stats_interval_ns;
  tfrc_receiver_config_init (&config.receiver);
  opened = gst_tfrc_src_stream_new (&config, events, NULL, &error);
  fail_if (error, "%s", error ? error->message : "");
  return opened;
}

static GMutex served_mutex;
static GCond served;
static guint n_served; /* times that the loop has served the first stream */

static void
on_events (gpointer user)
{
  g_mutex_lock (&served_mutex);
  n_served++;
  g_cond_signal (&served);
  g_mutex_unlock (&served_mutex);
}

/* Returns how long the packets of a stream wait for each other at most. */
static guint64
hold_of (GstTfrcSrcStream *of)
{
  guint end;

  g_mutex_lock (&served_mutex);
  end = n_served + 2;
  while (n_served < end)
    g_cond_wait (&served, &served_mutex);
  g_mutex_unlock (&served_mutex);
  return gst_tfrc_src_stream_get_hold_ns (of);
}

GST_START_TEST (packets_wait_for_each_other_for_longer_the_more_streams_there_are)
{
  GstTfrcSrcStream *streams[MAX_STREAMS];
  guint n = 0;

  streams[n++] = open_stream (on_events, MS);
  fail_unless_equals_uint64 (hold_of (streams[0]), 0);
  while (n < 3)
    streams[n++] = open_stream (NULL, 0);
  fail_unless_equals_uint64 (hold_of (streams[0]), 10 * MS);
  while (n < 11)
    streams[n++] = open_stream (NULL, 0);
  fail_unless_equals_uint64 (hold_of (streams[0]), 50 * MS);
  while (n < MAX_STREAMS)
    streams[n++] = open_stream (NULL, 0);
  fail_unless_equals_uint64 (hold_of (streams[0]), 100 * MS);
  while (n > 1)
    gst_tfrc_src_stream_free (streams[--n]);
  fail_unless_equals_uint64 (hold_of (streams[0]), 0);
  gst_tfrc_src_stream_free (streams[0]);
}

GST_END_TEST;

/* Nothing follows the last packet of a round, which leaves all the same. */
GST_START_TEST (all_packets_of_groups_leave_in_order)
{
  GstTfrcSrcStream *others[MAX_STREAMS];
  StreamPair pair;

  for (guint i = 0; i < MAX_STREAMS; i++)
    others[i] = open_stream (NULL, 0);
  pair_init (&pair, FALSE);
  for (guint i = 1; i <= 8; i++)
    pair_transfer (&pair, i);
  pair_clear (&pair);
  for (guint i = 0; i < MAX_STREAMS; i++)
    gst_tfrc_src_stream_free (others[i]);
}

GST_END_TEST;

static void
set_window (GstTfrcSrcStream *of, guint64 window_ns)
{
  const GstTfrcSrcStreamLimits limits = { .window_ns = window_ns };

  gst_tfrc_src_stream_set_limits (of, &limits);
}

static void
assert_grid (guint64 cell_ns)
{
  GstTfrcIoLoopStats stats;

  gst_tfrc_io_loop_get_stats (&stats);
  fail_unless_equals_uint64 (stats.slop_ns, cell_ns);
}

GST_START_TEST (the_grid_is_wider_if_all_streams_have_a_playout_delay)
{
  GstTfrcSrcStream *streams[20];

  test_limit_loops (1, 0);
  for (guint i = 0; i < 20; i++)
    streams[i] = open_stream (NULL, 0);
  assert_grid (4 * MS);
  set_window (streams[7], 40 * MS - 1);
  assert_grid (200000);
  set_window (streams[7], 40 * MS);
  assert_grid (4 * MS);
  for (guint i = 0; i < 20; i++)
    gst_tfrc_src_stream_free (streams[i]);
  test_limit_loops (0, 0);
}

GST_END_TEST;

static Suite *
srcgroups_suite (void)
{
  Suite *s = suite_create ("srcgroups");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, the_thread_that_waits_is_woken_when_a_group_is_to_leave);
  tcase_add_test (tc, the_thread_that_waits_is_woken_when_a_gap_is_given_up);
  tcase_add_test (tc, a_thread_that_wakes_up_by_itself_is_not_woken);
  tcase_add_test (tc, a_thread_that_does_not_wait_is_not_woken);

  tc = tcase_create ("many");
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, packets_wait_for_each_other_for_longer_the_more_streams_there_are);
  tcase_add_test (tc, all_packets_of_groups_leave_in_order);
  tcase_add_test (tc, the_grid_is_wider_if_all_streams_have_a_playout_delay);
  return s;
}

GST_CHECK_MAIN (srcgroups);
