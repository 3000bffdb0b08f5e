/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When packets are due, see tools/vod-replay/spread.h. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

#include "spread.h"

#define MS GST_MSECOND

static GstHarness *harness;
static guint pushed; /* TS packets, each filled with its number */

static void
start (guint64 interval_ns)
{
  GstElement *element = gst_object_ref_sink (vod_spread_new (interval_ns));

  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_harness_set_src_caps_str (
      harness, "video/mpegts, systemstream = (boolean) true, packetsize = (int) 188");
  pushed = 0;
}

static void
teardown (void)
{
  gst_harness_teardown (harness);
}

/* A frame of this number of TS packets, as mpegtsmux would give it: a list. */
static void
push_frame (guint packets, GstClockTime time)
{
  GstBufferList *list = gst_buffer_list_new ();
  guint i;

  for (i = 0; i < packets; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, TS_PACKET_BYTES, NULL);

    gst_buffer_memset (buffer, 0, pushed++, TS_PACKET_BYTES);
    GST_BUFFER_PTS (buffer) = time;
    gst_buffer_list_add (list, buffer);
  }
  fail_unless_equals_int (gst_pad_push_list (harness->srcpad, list), GST_FLOW_OK);
}

/* The next packet is due then, and starts with this TS packet; null packets
 * are its last ones. */
static void
fail_unless_packet (GstClockTime due, guint number, guint nulls)
{
  GstBuffer *buffer = gst_harness_try_pull (harness);
  GstMapInfo map;
  guint i;

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), due);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, SPREAD_BYTES);
  for (i = 0; i < SPREAD_PACKETS; i++) {
    const guint8 *packet = map.data + i * TS_PACKET_BYTES;

    if (i >= SPREAD_PACKETS - nulls)
      fail_unless (memcmp (packet, "\x47\x1f\xff\x10", 4) == 0);
    else
      fail_unless (packet[0] == number + i && packet[TS_PACKET_BYTES - 1] == number + i);
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static void
fail_unless_nothing (void)
{
  fail_unless (gst_harness_try_pull (harness) == NULL);
}

GST_START_TEST (packets_are_due_with_their_last_part)
{
  start (40 * MS);
  /* 20 TS packets, 2 ms apart: two packets, and 6 wait for the next frame's */
  push_frame (20, 0);
  fail_unless_packet (12 * MS, 0, 0);
  fail_unless_packet (26 * MS, 7, 0);
  fail_unless_nothing ();
  push_frame (8, 40 * MS); /* 5 ms apart */
  fail_unless_packet (40 * MS, 14, 0);
  fail_unless_packet (75 * MS, 21, 0);
  fail_unless_nothing ();
}

GST_END_TEST;

GST_START_TEST (fractions_of_a_ns_are_cut)
{
  start (40 * MS);
  push_frame (9, 1);
  fail_unless_packet (1 + 40 * MS * 6 / 9, 0, 0);
}

GST_END_TEST;

GST_START_TEST (small_frames_fill_a_packet_together)
{
  start (40 * MS);
  push_frame (3, 0);
  push_frame (3, 40 * MS);
  fail_unless_nothing ();
  push_frame (4, 80 * MS);
  fail_unless_packet (80 * MS, 0, 0);
  fail_unless_nothing ();
}

GST_END_TEST;

GST_START_TEST (bursts_are_due_at_the_frames_start)
{
  start (0);
  push_frame (20, 40 * MS);
  fail_unless_packet (40 * MS, 0, 0);
  fail_unless_packet (40 * MS, 7, 0);
  push_frame (1, 80 * MS);
  fail_unless_packet (80 * MS, 14, 0);
}

GST_END_TEST;

GST_START_TEST (the_end_is_completed_with_null_packets)
{
  start (40 * MS);
  push_frame (10, 0);
  fail_unless_packet (24 * MS, 0, 0);
  fail_unless_nothing ();
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  fail_unless_packet (36 * MS, 7, 4);
  fail_unless_nothing ();
}

GST_END_TEST;

GST_START_TEST (an_end_without_a_rest_adds_nothing)
{
  start (40 * MS);
  push_frame (7, 0);
  fail_unless_packet (40 * MS * 6 / 7, 0, 0);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  fail_unless_nothing ();
}

GST_END_TEST;

GST_START_TEST (a_flush_forgets_the_rest)
{
  start (40 * MS);
  push_frame (10, 0);
  fail_unless_packet (24 * MS, 0, 0);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_nothing ();
}

GST_END_TEST;

static Suite *
vodspread_suite (void)
{
  Suite *s = suite_create ("vodspread");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, NULL, teardown);
  tcase_add_test (tc, packets_are_due_with_their_last_part);
  tcase_add_test (tc, fractions_of_a_ns_are_cut);
  tcase_add_test (tc, small_frames_fill_a_packet_together);
  tcase_add_test (tc, bursts_are_due_at_the_frames_start);
  tcase_add_test (tc, the_end_is_completed_with_null_packets);
  tcase_add_test (tc, an_end_without_a_rest_adds_nothing);
  tcase_add_test (tc, a_flush_forgets_the_rest);
  return s;
}

GST_CHECK_MAIN (vodspread);
