/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets a receiver asks for, and when, see gst/queue/repairrequests.h */
#include "gst/queue/repairrequests.h"
#include <gst/check/gstcheck.h>

#define MS GST_MSECOND
#define NOW (1000 * GST_SECOND)
#define R (100 * MS)
#define L (1000 * MS)
#define FIRST G_GUINT64_CONSTANT (65530) /* wraps soon */

static GstTfrcRepairRequests requests;
static guint16 seqs[GST_TFRC_REPAIR_REQUESTS_MAX];

static void
setup (void)
{
  memset (&requests, 0, sizeof requests);
  gst_tfrc_repair_requests_set_on (&requests, TRUE);
  gst_tfrc_repair_requests_set_rtt (&requests, R);
}

static void
come (guint64 seq, guint64 now_ns)
{
  gst_tfrc_repair_requests_on_packet (&requests, seq, FALSE, now_ns + L, now_ns);
}

static void
repair (guint64 seq, guint64 now_ns)
{
  gst_tfrc_repair_requests_on_packet (&requests, seq, TRUE, now_ns, now_ns);
}

/* Asks for all that is due. */
static guint
ask (guint64 now_ns)
{
  guint n = gst_tfrc_repair_requests_get_due (&requests, now_ns, seqs);

  if (n > 0)
    gst_tfrc_repair_requests_on_asked (&requests, n, now_ns);
  return n;
}

static GstTfrcRepairRequestsStats
stats (void)
{
  GstTfrcRepairRequestsStats now;

  gst_tfrc_repair_requests_get_stats (&requests, &now);
  return now;
}

GST_START_TEST (the_first_gap_is_asked_for_at_once)
{
  come (FIRST, NOW);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), G_MAXUINT64);
  come (FIRST + 8, NOW);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW);
  fail_unless_equals_int (ask (NOW), 7);
  fail_unless (seqs[0] == 65531 && seqs[4] == 65535 && seqs[5] == 0 && seqs[6] == 1);
  fail_unless_equals_int (ask (NOW), 0);
}

GST_END_TEST;

GST_START_TEST (what_has_come_is_not_asked_for)
{
  come (FIRST, NOW);
  come (FIRST + 3, NOW);
  come (FIRST + 1, NOW);
  fail_unless_equals_int (ask (NOW), 1);
  fail_unless_equals_int (seqs[0], 65532);
  fail_unless_equals_int (gst_tfrc_repair_requests_get_open (&requests, NOW, seqs), 1);
  repair (FIRST + 2, NOW + R);
  fail_unless_equals_int (gst_tfrc_repair_requests_get_open (&requests, NOW + R, seqs), 0);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), G_MAXUINT64);
  fail_unless_equals_uint64 (stats ().repaired, 1);
}

GST_END_TEST;

/* 1.5 R before a repair has been measured; then as long as repairs take, and four deviations. */
GST_START_TEST (a_repair_that_does_not_come_is_asked_for_again)
{
  come (FIRST, NOW);
  come (FIRST + 2, NOW);
  ask (NOW);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + R * 3 / 2);
  fail_unless_equals_int (ask (NOW + R * 3 / 2 - 1), 0);
  fail_unless_equals_int (ask (NOW + R * 3 / 2), 1);
  repair (FIRST + 1, NOW + 2 * R); /* of which request? not measured */
  come (FIRST + 4, NOW + 3 * R);
  ask (NOW + 3 * R);
  repair (FIRST + 3, NOW + 4 * R);
  come (FIRST + 6, NOW + 5 * R);
  ask (NOW + 5 * R);
  fail_unless_equals_uint64 (
      gst_tfrc_repair_requests_next_ns (&requests), NOW + 5 * R + R + 4 * (R / 8));
  fail_unless_equals_uint64 (stats ().requested, 3);
  fail_unless_equals_uint64 (stats ().requests, 4);
}

GST_END_TEST;

/* Loses a packet, and has its repair come this long after the first request. Returns how often it was asked for. */
static guint
lose_one (guint64 seq, guint64 now_ns, guint64 repair_ns)
{
  guint n = 0;

  come (seq - 1, now_ns);
  come (seq + 1, now_ns);
  for (guint64 end_ns = now_ns + repair_ns; now_ns < end_ns; now_ns += MS)
    n += ask (now_ns) > 0;
  repair (seq, now_ns);
  return n;
}

/* A sender without TFRC tells no R. */
static void
measure_repairs_of (guint64 repair_ns)
{
  gst_tfrc_repair_requests_set_rtt (&requests, 0);
  for (guint i = 0; i < 30; i++)
    fail_unless_equals_int (lose_one (FIRST + 10 * i, NOW + i * GST_SECOND, repair_ns), 1);
}

/* Repairs take ten times as long from now on. Of which request one comes is not known, so that nothing would be measured
 * if the wait did not grow from request to request until one is answered in time (RFC 6298 section 5.5). */
GST_START_TEST (repairs_that_take_longer_are_not_asked_for_again_and_again)
{
  guint n[6];

  measure_repairs_of (30 * MS);
  for (guint i = 0; i < G_N_ELEMENTS (n); i++)
    n[i] = lose_one (FIRST + 1000 + 10 * i, NOW + (100 + i) * GST_SECOND, 300 * MS);
  fail_unless (n[0] == 4 && n[1] == 2 && n[2] == 1 && n[3] == 1 && n[5] == 1,
      "%u, %u, %u, %u, %u, %u", n[0], n[1], n[2], n[3], n[4], n[5]);
}

GST_END_TEST;

GST_START_TEST (no_repair_comes_sooner_than_r)
{
  measure_repairs_of (30 * MS);
  gst_tfrc_repair_requests_set_rtt (&requests, 300 * MS);
  fail_unless_equals_int (lose_one (FIRST + 1000, NOW + 100 * GST_SECOND, 300 * MS), 1);
}

GST_END_TEST;

GST_START_TEST (what_could_not_be_played_is_not_asked_for)
{
  come (FIRST, NOW);
  gst_tfrc_repair_requests_on_packet (&requests, FIRST + 2, FALSE, NOW + R, NOW);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), G_MAXUINT64);
  fail_unless_equals_int (ask (NOW), 0);
  gst_tfrc_repair_requests_on_packet (&requests, FIRST + 4, FALSE, NOW + R + 1, NOW);
  fail_unless_equals_int (ask (NOW), 1);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), G_MAXUINT64);
}

GST_END_TEST;

/* After a packet has been overtaken by 10 ms, a gap is asked for 10 ms later; never later than R/4. */
/* As where the sender's time stamps go back: the loop would be woken for it again and again. */
GST_START_TEST (a_later_gap_that_is_played_earlier_is_forgotten_in_time)
{
  const guint64 late = NOW + 10 * MS;

  come (FIRST, NOW);
  come (FIRST + 2, NOW);
  gst_tfrc_repair_requests_on_packet (&requests, FIRST + 4, FALSE, NOW + R + 5 * MS, NOW);
  fail_unless_equals_int (ask (late), 1);
  fail_unless_equals_int (seqs[0], 65531);
  fail_unless (gst_tfrc_repair_requests_next_ns (&requests) > late);
}

GST_END_TEST;

GST_START_TEST (reordering_is_waited_for)
{
  come (FIRST, NOW);
  come (FIRST + 2, NOW);
  come (FIRST + 1, NOW + 10 * MS);
  come (FIRST + 4, NOW + 20 * MS);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + 30 * MS);
  come (FIRST + 3, NOW + 100 * MS);
  come (FIRST + 6, NOW + 100 * MS);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + 100 * MS + R / 4);
  gst_tfrc_repair_requests_change_path (&requests);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + 100 * MS);
}

GST_END_TEST;

/* A sender without TFRC, of which no packet was lost yet: R is unknown, and so is the time of a repair, which is taken as
 * a second. */
GST_START_TEST (reordering_is_waited_for_without_r)
{
  gst_tfrc_repair_requests_set_rtt (&requests, 0);
  come (FIRST, NOW);
  come (FIRST + 2, NOW);
  come (FIRST + 1, NOW + 10 * MS);
  come (FIRST + 4, NOW + 20 * MS);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + 30 * MS);
  come (FIRST + 3, NOW + 320 * MS);
  come (FIRST + 6, NOW + 320 * MS);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + 570 * MS);
}

GST_END_TEST;

/* A packet that a repair has brought says nothing about reordering. */
GST_START_TEST (a_repair_is_no_reordering)
{
  come (FIRST, NOW);
  come (FIRST + 2, NOW);
  ask (NOW);
  repair (FIRST + 1, NOW + R);
  come (FIRST + 4, NOW + R);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + R);
}

GST_END_TEST;

GST_START_TEST (packets_reordered_by_fifty_are_not_asked_for_once_that_is_known)
{
  guint64 now_ns = NOW;
  guint n = 0;

  for (guint round = 0; round < 20; round++, now_ns += 10 * MS) {
    guint64 first = FIRST + 51 * round;

    come (first + 50, now_ns);
    n += ask (now_ns) > 0;
    for (guint i = 0; i < 50; i++)
      come (first + i, now_ns + 5 * MS);
    n += ask (now_ns + 5 * MS) > 0;
  }
  fail_unless (n <= 1, "%u", n);
}

GST_END_TEST;

GST_START_TEST (of_a_long_outage_the_newest_are_asked_for)
{
  come (FIRST, NOW);
  come (FIRST + 10001, NOW);
  fail_unless_equals_int (ask (NOW), GST_TFRC_REPAIR_REQUESTS_MAX);
  fail_unless_equals_int (seqs[GST_TFRC_REPAIR_REQUESTS_MAX - 1], (guint16) (FIRST + 10000));
  come (FIRST + 10010, NOW);
  fail_unless_equals_int (gst_tfrc_repair_requests_get_due (&requests, NOW, seqs), 8);
  fail_unless_equals_int (
      gst_tfrc_repair_requests_get_open (&requests, NOW, seqs), GST_TFRC_REPAIR_REQUESTS_MAX - 8);
}

GST_END_TEST;

/* 1.5 R apart, so that each request could have been answered before the next one. */
GST_START_TEST (a_sender_that_repairs_nothing_is_asked_no_more_for_a_while)
{
  guint64 now_ns = NOW;
  guint n = 0;

  for (guint i = 0; i < 60; i++, now_ns += R * 3 / 2) {
    come (FIRST + 2 * i, now_ns);
    n += ask (now_ns) > 0;
  }
  fail_unless_equals_int (n, GST_TFRC_REPAIR_REQUESTS_UNANSWERED);
  now_ns += GST_TFRC_REPAIR_REQUESTS_PAUSE_NS;
  come (FIRST + 1000, now_ns);
  fail_unless (ask (now_ns) > 0);
}

GST_END_TEST;

/* It is asked for as long as it could be played, and another one after that as well. */
GST_START_TEST (a_packet_that_never_comes_stands_for_itself_alone)
{
  guint64 now_ns = NOW;
  guint n = 0;

  gst_tfrc_repair_requests_set_rtt (&requests, 10 * MS);
  come (FIRST, now_ns);
  come (FIRST + 2, now_ns);
  for (; now_ns < NOW + L; now_ns += MS)
    n += ask (now_ns) > 0;
  fail_unless (n > GST_TFRC_REPAIR_REQUESTS_UNANSWERED, "%u", n);
  come (FIRST + 4, now_ns);
  fail_unless_equals_int (ask (now_ns), 1);
}

GST_END_TEST;

GST_START_TEST (many_gaps_within_one_round_trip_time_are_no_deaf_sender)
{
  guint asked = 0;

  gst_tfrc_repair_requests_set_rtt (&requests, 500 * MS);
  for (guint i = 0; i <= 50; i++) {
    come (FIRST + 2 * i, NOW + i * 5 * MS);
    asked += ask (NOW + i * 5 * MS);
  }
  fail_unless_equals_int (asked, 50);
}

GST_END_TEST;

GST_START_TEST (after_a_restart_nothing_is_missing)
{
  come (FIRST, NOW);
  come (FIRST + 3, NOW);
  gst_tfrc_repair_requests_restart (&requests);
  fail_unless_equals_int (ask (NOW), 0);
  come (10 * FIRST, NOW);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), G_MAXUINT64);
  fail_unless_equals_int (ask (NOW), 0);
}

GST_END_TEST;

GST_START_TEST (nothing_is_asked_for_when_that_is_off)
{
  come (FIRST, NOW);
  come (FIRST + 3, NOW);
  gst_tfrc_repair_requests_set_on (&requests, FALSE);
  fail_unless_equals_int (ask (NOW), 0);
  come (FIRST + 6, NOW);
  fail_unless_equals_int (ask (NOW), 0);
}

GST_END_TEST;

/* do-retransmission may change while packets come. */
GST_START_TEST (what_has_come_while_that_was_off_is_not_missing)
{
  come (FIRST, NOW);
  gst_tfrc_repair_requests_set_on (&requests, FALSE);
  for (guint i = 1; i <= 100; i++)
    come (FIRST + i, NOW);
  gst_tfrc_repair_requests_set_on (&requests, TRUE);
  come (FIRST + 101, NOW);
  fail_unless_equals_int (ask (NOW), 0);
  come (FIRST + 103, NOW);
  fail_unless_equals_int (ask (NOW), 1);
}

GST_END_TEST;

/* ---- times -------------------------------------------------------------------- */

/* Loses a packet that may be played for a hundred seconds, asks for it, and returns how long its repair may take. */
static guint64
patience_at (guint64 seq, guint64 now_ns)
{
  gst_tfrc_repair_requests_restart (&requests);
  gst_tfrc_repair_requests_on_packet (&requests, seq - 1, FALSE, now_ns + 100 * GST_SECOND, now_ns);
  gst_tfrc_repair_requests_on_packet (&requests, seq + 1, FALSE, now_ns + 100 * GST_SECOND, now_ns);
  fail_unless_equals_int (ask (now_ns), 1);
  return gst_tfrc_repair_requests_next_ns (&requests) - now_ns;
}

GST_START_TEST (a_repair_may_take_between_20_ms_and_2_s)
{
  gst_tfrc_repair_requests_set_rtt (&requests, MS);
  fail_unless_equals_uint64 (patience_at (FIRST, NOW), 20 * MS);
  gst_tfrc_repair_requests_set_rtt (&requests, 1400 * MS);
  fail_unless_equals_uint64 (patience_at (FIRST, NOW), 2 * GST_SECOND);
}

GST_END_TEST;

/* RFC 6298: of a second sample of 180 ms an eighth counts, and a quarter of its deviation. */
GST_START_TEST (repairs_are_averaged_as_tcp_averages_r)
{
  lose_one (FIRST, NOW, 100 * MS);
  fail_unless_equals_uint64 (patience_at (FIRST, NOW), 150 * MS);
  gst_tfrc_repair_requests_set_rtt (&requests, 200 * MS);
  lose_one (FIRST, NOW, 180 * MS);
  fail_unless_equals_uint64 (patience_at (FIRST, NOW), 227500000);
}

GST_END_TEST;

/* 80 ms, then none */
GST_START_TEST (reordering_fades_by_an_eighth)
{
  gst_tfrc_repair_requests_set_rtt (&requests, GST_SECOND);
  come (FIRST, NOW);
  come (FIRST + 2, NOW);
  come (FIRST + 1, NOW + 80 * MS);
  come (FIRST + 4, NOW + 80 * MS);
  come (FIRST + 3, NOW + 80 * MS);
  come (FIRST + 6, NOW + 80 * MS);
  fail_unless_equals_uint64 (gst_tfrc_repair_requests_next_ns (&requests), NOW + 150 * MS);
}

GST_END_TEST;

/* Two packets are asked for again, 5 ms after each other: that is one wait which was too short. */
GST_START_TEST (the_wait_doubles_once_in_itself_and_ends_with_a_measurement)
{
  guint64 now_ns = NOW + 100 * GST_SECOND, wait_ns;

  measure_repairs_of (30 * MS);
  gst_tfrc_repair_requests_restart (&requests);
  come (FIRST + 1000, now_ns);
  come (FIRST + 1002, now_ns);
  ask (now_ns);
  wait_ns = gst_tfrc_repair_requests_next_ns (&requests) - now_ns;
  fail_unless (wait_ns >= 30 * MS && wait_ns < 31 * MS);
  come (FIRST + 1004, now_ns + 5 * MS);
  ask (now_ns + 5 * MS);
  fail_unless_equals_int (ask (now_ns + wait_ns), 1);
  fail_unless_equals_int (ask (now_ns + 5 * MS + 2 * wait_ns), 1);
  fail_unless_equals_uint64 (
      gst_tfrc_repair_requests_next_ns (&requests), now_ns + wait_ns + 2 * wait_ns);
  /* a repair that comes after one request is measured */
  come (FIRST + 1006, now_ns + 70 * MS);
  fail_unless_equals_int (ask (now_ns + 70 * MS), 1);
  repair (FIRST + 1005, now_ns + 100 * MS);
  repair (FIRST + 1003, now_ns + 100 * MS);
  repair (FIRST + 1001, now_ns + 100 * MS);
  wait_ns = patience_at (FIRST, now_ns);
  fail_unless (wait_ns >= 30 * MS && wait_ns < 31 * MS);
}

GST_END_TEST;

/* ---- numbers and answers ------------------------------------------------------- */

GST_START_TEST (a_number_is_placed_within_half_of_all_behind_the_highest)
{
  guint64 extended, deadline_ns;

  come (5, NOW);
  fail_unless (gst_tfrc_repair_requests_place (&requests, 0, &extended, &deadline_ns));
  fail_unless_equals_uint64 (extended, 0);
  fail_if (gst_tfrc_repair_requests_place (&requests, 65535, &extended, &deadline_ns));
  setup ();
  come (100000, NOW);
  fail_unless (gst_tfrc_repair_requests_place (
      &requests, (guint16) (100000 - 0x7fff), &extended, &deadline_ns));
  fail_unless_equals_uint64 (extended, 100000 - 0x7fff);
  fail_if (gst_tfrc_repair_requests_place (
      &requests, (guint16) (100000 - 0x8000), &extended, &deadline_ns));
  fail_if (gst_tfrc_repair_requests_place (&requests, (guint16) 100001, &extended, &deadline_ns));
}

GST_END_TEST;

/* Asks so often for a packet each, 1.5 R apart, and returns the time then. */
static guint64
ask_in_vain (guint n)
{
  guint64 now_ns = NOW;

  come (FIRST, NOW);
  for (guint i = 0; i < n; i++, now_ns += R * 3 / 2) {
    come (FIRST + 2 * (i + 1), now_ns);
    fail_unless (ask (now_ns) > 0);
  }
  return now_ns;
}

/* Late repairs, and those that were not needed any more, are answers, too. */
GST_START_TEST (a_sender_whose_repairs_are_late_or_not_needed_is_not_deaf)
{
  for (guint duplicate = 0; duplicate < 2; duplicate++) {
    guint64 now_ns;

    setup ();
    now_ns = ask_in_vain (GST_TFRC_REPAIR_REQUESTS_UNANSWERED - 1);
    if (duplicate)
      gst_tfrc_repair_requests_count_duplicate (&requests);
    else
      gst_tfrc_repair_requests_count_late (&requests);
    for (guint i = 0; i < 10; i++, now_ns += R * 3 / 2) {
      come (FIRST + 1000 + 2 * i, now_ns);
      fail_unless (ask (now_ns) > 0);
    }
  }
}

GST_END_TEST;

/* The next sender, or the same one over another path, may repair. */
GST_START_TEST (a_restart_and_another_path_end_the_pause)
{
  for (guint path = 0; path < 2; path++) {
    guint64 now_ns;

    setup ();
    now_ns = ask_in_vain (GST_TFRC_REPAIR_REQUESTS_UNANSWERED);
    come (FIRST + 1000, now_ns);
    fail_unless_equals_int (ask (now_ns), 0);
    if (path)
      gst_tfrc_repair_requests_change_path (&requests);
    else
      gst_tfrc_repair_requests_restart (&requests);
    come (FIRST + 2000, now_ns);
    come (FIRST + 2002, now_ns);
    fail_unless (ask (now_ns) > 0);
  }
}

GST_END_TEST;

static Suite *
repairrequests_suite (void)
{
  Suite *suite = suite_create ("repairrequests");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_first_gap_is_asked_for_at_once);
  tcase_add_test (tcase, what_has_come_is_not_asked_for);
  tcase_add_test (tcase, a_repair_that_does_not_come_is_asked_for_again);
  tcase_add_test (tcase, repairs_that_take_longer_are_not_asked_for_again_and_again);
  tcase_add_test (tcase, no_repair_comes_sooner_than_r);
  tcase_add_test (tcase, what_could_not_be_played_is_not_asked_for);
  tcase_add_test (tcase, a_later_gap_that_is_played_earlier_is_forgotten_in_time);
  tcase_add_test (tcase, reordering_is_waited_for);
  tcase_add_test (tcase, reordering_is_waited_for_without_r);
  tcase_add_test (tcase, a_repair_is_no_reordering);
  tcase_add_test (tcase, packets_reordered_by_fifty_are_not_asked_for_once_that_is_known);
  tcase_add_test (tcase, of_a_long_outage_the_newest_are_asked_for);
  tcase_add_test (tcase, a_sender_that_repairs_nothing_is_asked_no_more_for_a_while);
  tcase_add_test (tcase, a_packet_that_never_comes_stands_for_itself_alone);
  tcase_add_test (tcase, many_gaps_within_one_round_trip_time_are_no_deaf_sender);
  tcase_add_test (tcase, after_a_restart_nothing_is_missing);
  tcase_add_test (tcase, nothing_is_asked_for_when_that_is_off);
  tcase_add_test (tcase, what_has_come_while_that_was_off_is_not_missing);
  tcase_add_test (tcase, a_repair_may_take_between_20_ms_and_2_s);
  tcase_add_test (tcase, repairs_are_averaged_as_tcp_averages_r);
  tcase_add_test (tcase, reordering_fades_by_an_eighth);
  tcase_add_test (tcase, the_wait_doubles_once_in_itself_and_ends_with_a_measurement);
  tcase_add_test (tcase, a_number_is_placed_within_half_of_all_behind_the_highest);
  tcase_add_test (tcase, a_sender_whose_repairs_are_late_or_not_needed_is_not_deaf);
  tcase_add_test (tcase, a_restart_and_another_path_end_the_pause);
  return suite;
}

GST_CHECK_MAIN (repairrequests);
