/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clocks and the mapping of kernel time stamps, see gst/common/clock.h. */
#include <gst/check/gstcheck.h>

#include "gst/common/clock.h"

#define SECOND_NS G_GUINT64_CONSTANT (1000000000)
#define TOLERANCE_NS GST_TFRC_CLOCK_STAMP_TOLERANCE_NS

static const GstTfrcClockMap map = { 5000 * SECOND_NS, 1700000000 * SECOND_NS };

/* Checks the age that the clock computes for a stamp of @age_ns, if the packet has waited for at
 * most @waited_ns. */
static void
check_age (guint64 age_ns, guint64 waited_ns, guint64 expected_age_ns, guint64 expected_slack_ns)
{
  guint64 slack_ns = 1;

  fail_unless_equals_uint64 (gst_tfrc_clock_map_to_monotonic (
                                 &map, map.wall_ns - age_ns, map.now_ns - waited_ns, &slack_ns),
      map.now_ns - expected_age_ns);
  fail_unless_equals_uint64 (slack_ns, expected_slack_ns);
}

GST_START_TEST (a_possible_time_stamp_keeps_its_age)
{
  check_age (0, 0, 0, 0);
  check_age (12345, 12345, 12345, 0);
  check_age (12345, 3600 * SECOND_NS, 12345, 0);
  check_age (TOLERANCE_NS, 0, TOLERANCE_NS, 0);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_waited_while_the_process_was_stopped_keeps_its_age)
{
  check_age (20 * SECOND_NS, 20 * SECOND_NS, 20 * SECOND_NS, 0);
  check_age (3600 * SECOND_NS, 3601 * SECOND_NS, 3600 * SECOND_NS, 0);
}

GST_END_TEST;

GST_START_TEST (an_impossible_time_stamp_becomes_now_with_slack)
{
  const guint64 wait_ns = 3 * SECOND_NS, slack_ns = wait_ns + TOLERANCE_NS;

  check_age (slack_ns, wait_ns, slack_ns, 0);
  check_age (slack_ns + 1, wait_ns, 0, slack_ns);
  check_age (1800 * SECOND_NS, wait_ns, 0, slack_ns);
  /* a stamp that is later than the map */
  check_age (-(guint64) 1, wait_ns, 0, slack_ns);
  check_age (-3600 * SECOND_NS, wait_ns, 0, slack_ns);
  check_age (map.wall_ns, wait_ns, 0, slack_ns);
  check_age (map.wall_ns + 1, wait_ns, 0, slack_ns);
  /* a negative @waited_ns says that the packet came after the map, which is impossible */
  check_age (0, -(guint64) 1, 0, 0);
  check_age (TOLERANCE_NS + 1, -(guint64) 1, 0, TOLERANCE_NS);
}

GST_END_TEST;

GST_START_TEST (nothing_arrives_before_the_machine_has_booted)
{
  static const GstTfrcClockMap young = { 100, 1700000000 * SECOND_NS };
  guint64 slack_ns;

  fail_unless_equals_uint64 (
      gst_tfrc_clock_map_to_monotonic (&young, young.wall_ns - 100, 0, &slack_ns), 0);
  fail_unless_equals_uint64 (slack_ns, 0);
  fail_unless_equals_uint64 (
      gst_tfrc_clock_map_to_monotonic (&young, young.wall_ns - 101, 0, &slack_ns), young.now_ns);
  fail_unless_equals_uint64 (slack_ns, 100);
}

GST_END_TEST;

GST_START_TEST (a_map_holds_the_present_of_both_clocks)
{
  guint64 before_ns = gst_tfrc_clock_now_ns (), slack_ns;
  GstTfrcClockMap fresh;

  gst_tfrc_clock_map_init (&fresh);
  fail_unless (fresh.now_ns >= before_ns);
  fail_unless (fresh.now_ns <= gst_tfrc_clock_now_ns ());
  fail_unless (gst_tfrc_clock_map_to_monotonic (&fresh, gst_tfrc_clock_wall_ns (), 0, &slack_ns)
      <= fresh.now_ns);
}

GST_END_TEST;

GST_START_TEST (wall_clock_time_becomes_ntp_time)
{
  fail_unless_equals_uint64_hex (
      gst_tfrc_clock_wall_to_ntp (0), G_GUINT64_CONSTANT (0x83aa7e8000000000));
  fail_unless_equals_uint64_hex (
      gst_tfrc_clock_wall_to_ntp (SECOND_NS / 2), G_GUINT64_CONSTANT (0x83aa7e8080000000));
  fail_unless_equals_uint64_hex (
      gst_tfrc_clock_wall_to_ntp (SECOND_NS - 1), G_GUINT64_CONSTANT (0x83aa7e80fffffffb));
  /* RFC 5905: era 1 begins on 7 February 2036, 06:28:16 UTC. */
  fail_unless_equals_uint64_hex (gst_tfrc_clock_wall_to_ntp (2085978496 * SECOND_NS), 0);
}

GST_END_TEST;

static Suite *
clock_suite (void)
{
  Suite *s = suite_create ("clock");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_possible_time_stamp_keeps_its_age);
  tcase_add_test (tc, a_packet_that_waited_while_the_process_was_stopped_keeps_its_age);
  tcase_add_test (tc, an_impossible_time_stamp_becomes_now_with_slack);
  tcase_add_test (tc, nothing_arrives_before_the_machine_has_booted);
  tcase_add_test (tc, a_map_holds_the_present_of_both_clocks);
  tcase_add_test (tc, wall_clock_time_becomes_ntp_time);
  return s;
}

GST_CHECK_MAIN (clock);
