/* Clocks and the mapping of kernel time stamps, see gst/common/tfrcclock.h. */
#include <gst/check/gstcheck.h>

#include "gst/common/tfrcclock.h"

#define SECOND_NS G_GUINT64_CONSTANT (1000000000)

static const TfrcClockMap map = { 5000 * SECOND_NS, 1700000000 * SECOND_NS };

GST_START_TEST (a_recent_time_stamp_keeps_its_age)
{
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map,
          map.wall_ns), map.now_ns);
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map,
          map.wall_ns - 12345), map.now_ns - 12345);
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map,
          map.wall_ns - SECOND_NS), map.now_ns - SECOND_NS);
}

GST_END_TEST;

GST_START_TEST (a_time_stamp_from_before_a_clock_step_becomes_now)
{
  static const TfrcClockMap young = { 100, 1700000000 * SECOND_NS };

  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map,
          map.wall_ns + 1), map.now_ns);
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map,
          map.wall_ns + 3600 * SECOND_NS), map.now_ns);
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map,
          map.wall_ns - SECOND_NS - 1), map.now_ns);
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map, 0), map.now_ns);
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&map, G_MAXUINT64),
      map.now_ns);
  /* The machine booted 100 ns ago: nothing arrived before that. */
  fail_unless_equals_uint64 (tfrc_clock_map_to_monotonic (&young,
          young.wall_ns - 101), young.now_ns);
}

GST_END_TEST;

GST_START_TEST (a_map_holds_the_present_of_both_clocks)
{
  guint64 before_ns = tfrc_clock_now_ns ();
  TfrcClockMap fresh;

  tfrc_clock_map_init (&fresh);
  fail_unless (fresh.now_ns >= before_ns);
  fail_unless (fresh.now_ns <= tfrc_clock_now_ns ());
  fail_unless (tfrc_clock_map_to_monotonic (&fresh, tfrc_clock_wall_ns ()) <=
      fresh.now_ns);
}

GST_END_TEST;

GST_START_TEST (wall_clock_time_becomes_ntp_time)
{
  fail_unless_equals_uint64_hex (tfrc_clock_wall_to_ntp (0),
      G_GUINT64_CONSTANT (0x83aa7e8000000000));
  fail_unless_equals_uint64_hex (tfrc_clock_wall_to_ntp (SECOND_NS / 2),
      G_GUINT64_CONSTANT (0x83aa7e8080000000));
  fail_unless_equals_uint64_hex (tfrc_clock_wall_to_ntp (SECOND_NS - 1),
      G_GUINT64_CONSTANT (0x83aa7e80fffffffb));
  /* RFC 5905: era 1 begins on 7 February 2036, 06:28:16 UTC. */
  fail_unless_equals_uint64_hex (tfrc_clock_wall_to_ntp (2085978496 *
          SECOND_NS), 0);
}

GST_END_TEST;

static Suite *
clock_suite (void)
{
  Suite *s = suite_create ("clock");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_recent_time_stamp_keeps_its_age);
  tcase_add_test (tc, a_time_stamp_from_before_a_clock_step_becomes_now);
  tcase_add_test (tc, a_map_holds_the_present_of_both_clocks);
  tcase_add_test (tc, wall_clock_time_becomes_ntp_time);
  return s;
}

GST_CHECK_MAIN (clock);
