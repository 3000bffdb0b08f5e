/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When packets share wake-ups, see gst/io/looppace.h. */
#include <gst/check/gstcheck.h>

#include "gst/io/looppace.h"

#define CELL_NS 50000
#define START_NS G_GUINT64_CONSTANT (1000000000)

/* Packets at equal distances; returns how many of the last 100 are to be followed by a nap. */
static guint
count_naps (GstTfrcCoalescing *coalescing, guint64 *now_ns, guint64 gap_ns)
{
  guint naps = 0;

  for (guint i = 0; i < 200; i++) {
    gboolean nap;

    *now_ns += gap_ns;
    nap = gst_tfrc_coalescing_on_packets (coalescing, 1, *now_ns, CELL_NS);
    if (i >= 100)
      naps += nap;
  }
  return naps;
}

GST_START_TEST (two_packets_in_a_cell_share_a_wake_up)
{
  GstTfrcCoalescing coalescing = { 0 };
  guint64 now_ns = START_NS;

  fail_unless_equals_int (count_naps (&coalescing, &now_ns, CELL_NS / 2 + 500), 0);
  fail_unless_equals_int (count_naps (&coalescing, &now_ns, CELL_NS / 2 - 500), 100);
  fail_unless_equals_int (count_naps (&coalescing, &now_ns, CELL_NS / 2 + 500), 0);
}

GST_END_TEST;

GST_START_TEST (rare_packets_never_wait)
{
  GstTfrcCoalescing coalescing = { 0 };
  guint64 now_ns = START_NS;

  for (guint i = 0; i < 200; i++) {
    now_ns += 16 * G_GUINT64_CONSTANT (1000000);
    fail_if (gst_tfrc_coalescing_on_packets (&coalescing, 1, now_ns, CELL_NS));
  }
}

GST_END_TEST;

/* A frame of a movie: packets of one stream that come at once after a silence */
GST_START_TEST (a_burst_of_ten_packets_is_no_reason_to_wait)
{
  GstTfrcCoalescing coalescing = { 0 };
  guint64 now_ns = START_NS;

  for (guint frame = 0; frame < 20; frame++) {
    now_ns += 40 * G_GUINT64_CONSTANT (1000000);
    fail_if (gst_tfrc_coalescing_on_packets (&coalescing, 5, now_ns, CELL_NS));
    for (guint i = 0; i < 5; i++) {
      now_ns += 10000;
      fail_if (gst_tfrc_coalescing_on_packets (&coalescing, 1, now_ns, CELL_NS));
    }
  }
}

GST_END_TEST;

GST_START_TEST (packets_that_are_read_together_count_one_by_one)
{
  GstTfrcCoalescing coalescing = { 0 };
  guint64 now_ns = START_NS;
  guint naps = 0;

  for (guint i = 0; i < 100; i++) {
    now_ns += CELL_NS;
    naps += gst_tfrc_coalescing_on_packets (&coalescing, 3, now_ns, CELL_NS);
  }
  /* from the 23rd reading on, when the average has fallen from its greatest value */
  fail_unless_equals_int (naps, 78);
  /* one cell without packets changes nothing, a long silence does */
  now_ns += 2 * CELL_NS;
  fail_unless (gst_tfrc_coalescing_on_packets (&coalescing, 3, now_ns, CELL_NS));
  for (guint i = 0; i < 10; i++) {
    now_ns += 100 * CELL_NS;
    gst_tfrc_coalescing_on_packets (&coalescing, 1, now_ns, CELL_NS);
  }
  fail_if (gst_tfrc_coalescing_on_packets (&coalescing, 1, now_ns + 100 * CELL_NS, CELL_NS));
}

GST_END_TEST;

GST_START_TEST (a_flood_is_bounded)
{
  GstTfrcCoalescing coalescing = { 0 };

  fail_if (gst_tfrc_coalescing_on_packets (&coalescing, 1, START_NS, CELL_NS));
  fail_unless (gst_tfrc_coalescing_on_packets (&coalescing, G_MAXUINT, START_NS, CELL_NS));
  fail_unless (gst_tfrc_coalescing_on_packets (&coalescing, 1, START_NS, CELL_NS));
}

GST_END_TEST;

static Suite *
coalescing_suite (void)
{
  Suite *s = suite_create ("coalescing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, two_packets_in_a_cell_share_a_wake_up);
  tcase_add_test (tc, rare_packets_never_wait);
  tcase_add_test (tc, a_burst_of_ten_packets_is_no_reason_to_wait);
  tcase_add_test (tc, packets_that_are_read_together_count_one_by_one);
  tcase_add_test (tc, a_flood_is_bounded);
  return s;
}

GST_CHECK_MAIN (coalescing);
