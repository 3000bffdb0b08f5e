/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late packets leave and how many leave in bursts, see tests/bench/departures.h; and the marks of
 * packets, see tests/bench/benchpacket.h. */
#include <gst/check/gstcheck.h>

#include "../../bench/departures.h"

#define MS UINT64_C (1000000)
#define SPACING (16 * MS)
#define DUE(n) (1000 * 1000 * MS + (n) *SPACING)

static Departures *departures;
static DeparturesSummary summary;

static void
set_up (void)
{
  departures = departures_new (SPACING);
}

static void
tear_down (void)
{
  departures_free (departures);
}

static void
leaves (uint32_t stream, uint32_t number, int64_t late_ns, bool measured)
{
  BenchMark mark = { .magic = BENCH_MARK_MAGIC, .due_ns = DUE (number), .stream = stream };

  mark.number = number;
  mark.measured = measured;
  departures_take (departures, &mark, DUE (number) + (uint64_t) late_ns);
}

GST_START_TEST (lateness_is_the_time_since_a_packet_was_due)
{
  for (uint32_t i = 0; i <= 100; i++)
    leaves (0, i, i * 1000, true);
  leaves (1, 0, -2000, true);
  departures_summarize (departures, &summary);
  fail_unless_equals_int (summary.packets, 102);
  fail_unless_equals_float (summary.late_min_us, -2);
  fail_unless_equals_float (summary.late_p50_us, 49);
  fail_unless_equals_float (summary.late_p99_us, 98);
  fail_unless_equals_float (summary.late_max_us, 100);
}

GST_END_TEST;

GST_START_TEST (a_burst_is_less_than_half_the_spacing_after_a_packet_of_the_same_stream)
{
  leaves (0, 0, 0, true);
  leaves (1, 0, 1, true);
  leaves (0, 1, -8 * (int64_t) MS, true);
  leaves (0, 2, -16 * (int64_t) MS - 1, true);
  leaves (0, 3, 0, true);
  leaves (1, 1, 0, true);
  departures_summarize (departures, &summary);
  fail_unless_equals_int (summary.packets, 6);
  fail_unless_equals_float (summary.bursts, 1 / 4.);
}

GST_END_TEST;

GST_START_TEST (packets_outside_of_the_time_and_copies_do_not_count)
{
  leaves (0, 0, 50, false);
  leaves (0, 1, 1000, true);
  leaves (0, 1, 9000, true);
  leaves (0, 3, 1000, true);
  leaves (0, 2, 9000, true);
  leaves (0, 4, 9000, false);
  departures_summarize (departures, &summary);
  fail_unless_equals_int (summary.packets, 2);
  fail_unless_equals_float (summary.late_max_us, 1);
  fail_unless_equals_float (summary.bursts, 0);
}

GST_END_TEST;

GST_START_TEST (without_packets_all_is_zero)
{
  departures_summarize (departures, &summary);
  fail_unless_equals_int (summary.packets, 0);
  fail_unless_equals_float (summary.late_p99_us, 0);
  fail_unless_equals_float (summary.bursts, 0);
}

GST_END_TEST;

GST_START_TEST (a_mark_with_one_wrong_bit_is_none)
{
  const BenchMark written = { .magic = BENCH_MARK_MAGIC, .due_ns = DUE (7), .number = 7 };
  uint8_t packet[BENCH_PACKET_BYTES];
  BenchMark mark;

  bench_packet_fill (packet, &written);
  fail_unless (bench_packet_read (packet, sizeof packet, &mark));
  for (size_t bit = 0; bit < 8 * sizeof mark; bit++) {
    uint8_t *byte = &packet[BENCH_MARK_OFFSET + bit / 8];

    *byte ^= (uint8_t) (1 << bit % 8);
    fail_if (bench_packet_read (packet, sizeof packet, &mark), "bit %zu", bit);
    *byte ^= (uint8_t) (1 << bit % 8);
  }
}

GST_END_TEST;

static Suite *
departures_suite (void)
{
  Suite *suite = suite_create ("departures");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, set_up, tear_down);
  tcase_add_test (tcase, lateness_is_the_time_since_a_packet_was_due);
  tcase_add_test (tcase, a_burst_is_less_than_half_the_spacing_after_a_packet_of_the_same_stream);
  tcase_add_test (tcase, packets_outside_of_the_time_and_copies_do_not_count);
  tcase_add_test (tcase, without_packets_all_is_zero);
  tcase_add_test (tcase, a_mark_with_one_wrong_bit_is_none);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (departures);
