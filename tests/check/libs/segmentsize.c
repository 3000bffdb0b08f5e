/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean segment size s (RFC 5348 section 4.1). */
#include <gst/check/gstcheck.h>
#include <tfrc/segment_size.h>

#include "closeto.h"

static void
count (TfrcSegmentSize *size, guint packets, guint32 bytes, gdouble p)
{
  for (guint i = 0; i < packets; i++)
    tfrc_segment_size_on_packet (size, bytes, p);
}

GST_START_TEST (test_configured_size_counts_until_a_packet_is_sent)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1316);
  assert_close (size.mean_bytes, 1316);
  count (&size, 1, 188, 0);
  assert_close (size.mean_bytes, 188);
}

GST_END_TEST;

GST_START_TEST (test_mean_of_all_packets_without_loss)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1316);
  count (&size, 30, 1000, 0);
  count (&size, 10, 200, 0);
  assert_close (size.mean_bytes, 800);
  count (&size, 1, 65535, 0);
  assert_close (size.mean_bytes, (32000 + 65535) / 41.0);
}

GST_END_TEST;

GST_START_TEST (test_mean_without_loss_has_a_bounded_memory)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1316);
  count (&size, 100000, 1000, 0);
  assert_close (size.mean_bytes, 1000);
  count (&size, 4096, 500, 0);
  assert_close (size.mean_bytes, 500 + 500 * pow (1 - 1 / 4096.0, 4096));
}

GST_END_TEST;

GST_START_TEST (test_mean_covers_four_loss_intervals)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1316);
  /* p = 0.01: 400 packets */
  count (&size, 5000, 1000, 0.01);
  fail_unless_equals_int (size.packets, 400);
  count (&size, 1, 600, 0.01);
  assert_close (size.mean_bytes, 999);
  count (&size, 399, 600, 0.01);
  assert_close (size.mean_bytes, 600 + 400 * pow (1 - 1 / 400.0, 400));
}

GST_END_TEST;

GST_START_TEST (test_window_follows_the_loss_event_rate)
{
  TfrcSegmentSize size;

  tfrc_segment_size_init (&size, 1316);
  count (&size, 1000, 1000, 0);
  /* p = 1: four packets */
  count (&size, 1, 600, 1);
  fail_unless_equals_int (size.packets, 4);
  assert_close (size.mean_bytes, 900);
  /* a wider window is filled again packet by packet */
  count (&size, 1, 400, 0.1);
  fail_unless_equals_int (size.packets, 5);
  assert_close (size.mean_bytes, 800);
  count (&size, 100, 800, 0.1);
  fail_unless_equals_int (size.packets, 40);
  assert_close (size.mean_bytes, 800);
}

GST_END_TEST;

static Suite *
segmentsize_suite (void)
{
  Suite *suite = suite_create ("segmentsize");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_configured_size_counts_until_a_packet_is_sent);
  tcase_add_test (tc, test_mean_of_all_packets_without_loss);
  tcase_add_test (tc, test_mean_without_loss_has_a_bounded_memory);
  tcase_add_test (tc, test_mean_covers_four_loss_intervals);
  tcase_add_test (tc, test_window_follows_the_loss_event_rate);
  return suite;
}

GST_CHECK_MAIN (segmentsize);
