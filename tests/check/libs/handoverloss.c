/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The history of losses when data comes over another path. An overtaken packet starts no loss event.
 * The new path begins with a history that is made for it. */
#include "closeto.h"
#include "losstest.h"

#define INTERVAL 200.0

static gdouble
mean (guint64 highest)
{
  return tfrc_loss_intervals_mean (&detection.all.current, highest);
}

/* Packets FIRST..1009 arrive over the old path, then 1014 over the new path; 1010..1013 are still
 * on their way. Returns the time after the last packet. */
static guint64
change_path (void)
{
  guint64 ms = arrive_in_order (FIRST, 1009, 0);

  assert_arrives (1014, ms, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_new_path (&detection);
  return ms + 10;
}

GST_START_TEST (test_overtaken_packets_start_no_loss_event)
{
  guint64 seq, ms;

  start (0);
  ms = change_path ();
  ms = arrive_in_order (1015, 1020, ms);
  /* these packets seem lost so far */
  assert_state (0, 4, 0, 0);
  for (seq = 1010; seq <= 1013; seq++)
    assert_arrives (seq, ms, TFRC_LOSS_NOTHING);
  assert_state (0, 0, 0, 0);
  fail_unless_equals_int (detection.n_gaps, 0);
  assert_duplicate (1012, FALSE, ms);
}

GST_END_TEST;

GST_START_TEST (test_overtaken_packets_may_come_in_any_order)
{
  guint64 ms;

  start (0);
  ms = change_path ();
  assert_arrives (1012, ms, TFRC_LOSS_NOTHING);
  arrive_in_order (1015, 1019, ms);
  assert_state (0, 3, 0, 0);
  assert_arrives (1011, ms, TFRC_LOSS_NOTHING);
  assert_arrives (1010, ms, TFRC_LOSS_NOTHING);
  assert_state (0, 1, 0, 0);
  /* the last packet is lost for good */
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  assert_state (0, 1, 0, 0);
}

GST_END_TEST;

GST_START_TEST (test_loss_confirmed_before_the_new_path_counts)
{
  guint64 ms;

  start (0);
  ms = arrive_in_order (FIRST, 1009, 0);
  ms = 10 + arrive_in_order (1011, 1012, ms);
  assert_arrives (1013, ms, TFRC_LOSS_NEW_EVENT);
  assert_arrives (1016, ms + 10, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_new_path (&detection);
  arrive_in_order (1017, 1030, ms + 20);
  fail_unless_equals_uint64 (detection.all.current.events, 1);
  fail_unless_equals_uint64 (detection.all.current.start_seq, 1010);
}

GST_END_TEST;

GST_START_TEST (test_loss_on_the_new_path_counts)
{
  guint64 ms;

  start (0);
  ms = change_path ();
  ms = 10 + arrive_in_order (1015, 1018, ms);
  ms = arrive_in_order (1020, 1021, ms);
  assert_arrives (1022, ms, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 5, 1019, 150 * MS);
}

GST_END_TEST;

GST_START_TEST (test_rebuilt_history_has_the_mean_interval_wanted)
{
  guint64 ms;

  start (0);
  ms = change_path ();
  ms = arrive_in_order (1015, 1029, ms);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  assert_close (mean (1029), INTERVAL);
  /* the rebuilt interval does not count as an event, because nothing was lost */
  fail_unless_equals_uint64 (detection.all.current.events, 0);
  arrive_in_order (1030, 1113, ms);
  assert_close (mean (1113), INTERVAL);
  /* the mean stays until the current interval is longer */
  arrive_in_order (1114, 1213, ms);
  assert_close (mean (1213), INTERVAL);
  fail_unless (mean (1214) > INTERVAL && mean (1214) < INTERVAL + 1);
}

GST_END_TEST;

GST_START_TEST (test_losses_of_the_new_path_stand_after_the_rebuild)
{
  guint64 ms;

  start (0);
  ms = change_path ();
  ms = 10 + arrive_in_order (1015, 1023, ms);
  ms = arrive_in_order (1025, 1026, ms);
  assert_arrives (1027, ms, TFRC_LOSS_NEW_EVENT);
  ms = arrive_in_order (1028, 1029, ms + 10);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  assert_state (1, 5, 1024, 200 * MS);
  /* I_1 is 1014 .. 1023, and seven intervals are of 200 packets */
  assert_close (detection.all.current.length[1], 10);
  assert_close (mean (1029), (10 + 3 * 200 + 200 * 2.0) / 6);
  assert_close (detection.all.current.length[2], INTERVAL);
  /* the missing packet comes */
  assert_arrives (1024, ms, TFRC_LOSS_EVENT_REMOVED);
  assert_close (mean (1029), INTERVAL);
}

GST_END_TEST;

GST_START_TEST (test_losses_of_the_old_path_stay_counted)
{
  guint64 ms;
  guint i;

  start (0);
  ms = arrive_in_order (FIRST, 1009, 0);
  /* there are more gaps than are remembered; each gap is an event */
  for (i = 0; i < TFRC_MAX_GAPS + 20; i++) {
    guint64 seq = 1011 + 20 * i, next;

    ms += 10;
    for (next = seq; next < seq + 19; next++, ms += 10)
      arrive_at_ns (next, FALSE, ms * MS);
  }
  fail_unless_equals_uint64 (detection.all.current.events, TFRC_MAX_GAPS + 20);
  arrive_at_ns (1011 + 20 * i + 3, FALSE, ms * MS);
  tfrc_loss_detection_new_path (&detection);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  fail_unless_equals_uint64 (detection.all.current.events, TFRC_MAX_GAPS + 20);
  fail_unless_equals_uint64 (detection.all.current.moments.intervals, TFRC_MAX_GAPS + 19);
  assert_close (detection.all.current.moments.mean_interval, 20);
  assert_close (mean (1011 + 20 * i + 3), INTERVAL);
}

GST_END_TEST;

/* There is no more room for gaps. Then gaps of the new path go into the history that was made. */
GST_START_TEST (test_more_gaps_than_are_remembered_after_the_rebuild)
{
  guint64 ms;
  guint i;

  start (0);
  ms = change_path ();
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  for (i = 0; i < TFRC_MAX_GAPS + 20; i++) {
    guint64 seq = 1016 + 20 * i, next;

    ms += 10;
    for (next = seq; next < seq + 19; next++, ms += 10)
      arrive_at_ns (next, FALSE, ms * MS);
  }
  fail_unless_equals_uint64 (detection.all.current.events, TFRC_MAX_GAPS + 20);
  assert_close (mean (1016 + 20 * i - 2), 20);
  /* the gaps of the old path are too old now, too */
  assert_duplicate (1012, FALSE, ms);
}

GST_END_TEST;

GST_START_TEST (test_late_mark_of_the_old_path_is_no_event)
{
  guint rebuilt;

  for (rebuilt = 0; rebuilt < 2; rebuilt++) {
    guint64 ms;

    start (0);
    ms = change_path ();
    ms = arrive_in_order (1015, 1020, ms);
    if (rebuilt)
      tfrc_loss_detection_rebuild (&detection, INTERVAL);
    assert_arrives_marked (1011, ms, TFRC_LOSS_NOTHING);
    assert_duplicate (1011, TRUE, ms);
    assert_arrives (1012, ms + 10, TFRC_LOSS_NOTHING);
    if (!rebuilt)
      tfrc_loss_detection_rebuild (&detection, INTERVAL);
    fail_unless_equals_uint64 (detection.all.current.events, 0);
    assert_close (mean (1020), INTERVAL);
  }
}

GST_END_TEST;

GST_START_TEST (test_mark_on_the_first_packet_of_the_new_path_ends_no_interval)
{
  guint64 ms;

  start (0);
  ms = arrive_in_order (FIRST, 1009, 1000);
  assert_arrives_marked (1014, ms, TFRC_LOSS_NEW_EVENT);
  tfrc_loss_detection_new_path (&detection);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  fail_unless_equals_uint64 (detection.all.current.start_seq, 1014);
  assert_close (detection.all.current.length[1], INTERVAL);
  fail_unless_equals_uint64 (detection.all.current.events, 1);
}

GST_END_TEST;

GST_START_TEST (test_restart_between_new_path_and_rebuild)
{
  guint64 ms;

  start (0);
  ms = change_path ();
  ms = arrive_in_order (1015, 1020, ms);
  tfrc_loss_detection_restart (&detection, 9000, RTT_US, ms * MS);
  arrive_in_order (9001, 9010, ms + 10);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  /* numbers between 1020 and 9000 do not count */
  assert_close (mean (9010), INTERVAL);
  fail_unless_equals_uint64 (detection.all.current.start_seq, 1014 + 7979);
}

GST_END_TEST;

GST_START_TEST (test_second_new_path_without_a_rebuild_between)
{
  guint64 ms;

  start (0);
  ms = change_path ();
  ms = arrive_in_order (1015, 1016, ms);
  assert_arrives (1020, ms, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_new_path (&detection);
  ms = arrive_in_order (1021, 1025, ms + 10);
  assert_state (0, 7, 0, 0);
  assert_arrives (1012, ms, TFRC_LOSS_NOTHING);
  assert_arrives (1018, ms, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  assert_state (0, 5, 0, 0);
  assert_close (mean (1025), INTERVAL);
}

GST_END_TEST;

/* Two losses within one round-trip time, one on each path */
GST_START_TEST (test_loss_on_the_new_path_is_an_event_of_its_own)
{
  guint64 ms;

  start (0);
  ms = arrive_in_order (FIRST, 1009, 0);
  ms = 10 + arrive_in_order (1011, 1012, ms);
  assert_arrives (1013, ms, TFRC_LOSS_NEW_EVENT);
  tfrc_loss_detection_new_path (&detection);
  assert_arrives (1015, ms + 20, TFRC_LOSS_NOTHING);
  assert_arrives (1016, ms + 21, TFRC_LOSS_NOTHING);
  assert_arrives (1017, ms + 22, TFRC_LOSS_NOTHING);
  fail_unless_equals_uint64 (detection.all.current.events, 1);
  tfrc_loss_detection_rebuild (&detection, INTERVAL);
  fail_unless_equals_uint64 (detection.all.current.events, 2);
  fail_unless_equals_uint64 (detection.all.current.start_seq, 1014);
}

GST_END_TEST;

static Suite *
handoverloss_suite (void)
{
  Suite *suite = suite_create ("handoverloss");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_overtaken_packets_start_no_loss_event);
  tcase_add_test (tc, test_overtaken_packets_may_come_in_any_order);
  tcase_add_test (tc, test_loss_confirmed_before_the_new_path_counts);
  tcase_add_test (tc, test_loss_on_the_new_path_counts);
  tcase_add_test (tc, test_rebuilt_history_has_the_mean_interval_wanted);
  tcase_add_test (tc, test_losses_of_the_new_path_stand_after_the_rebuild);
  tcase_add_test (tc, test_losses_of_the_old_path_stay_counted);
  tcase_add_test (tc, test_more_gaps_than_are_remembered_after_the_rebuild);
  tcase_add_test (tc, test_late_mark_of_the_old_path_is_no_event);
  tcase_add_test (tc, test_mark_on_the_first_packet_of_the_new_path_ends_no_interval);
  tcase_add_test (tc, test_restart_between_new_path_and_rebuild);
  tcase_add_test (tc, test_second_new_path_without_a_rebuild_between);
  tcase_add_test (tc, test_loss_on_the_new_path_is_an_event_of_its_own);
  return suite;
}

GST_CHECK_MAIN (handoverloss);
