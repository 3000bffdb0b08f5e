/* Lost and marked packets, and the loss events that they start (RFC 5348
 * sections 5.1 and 5.2), case by case. */
#include <gst/check/gstcheck.h>
#include <tfrc/loss_detection.h>

#define MS GST_MSECOND
#define FIRST 1000              /* sequence number of the first packet */
#define RTT_MS 100
#define RTT_US (RTT_MS * 1000)
#define SEED 50.0

static TfrcLossDetection detection;
static guint first_intervals;   /* asked for */
static gboolean last_was_null;

static gdouble
first_interval (void *user, bool null_interval)
{
  fail_unless (user == &detection);
  first_intervals++;
  last_was_null = null_interval;
  return null_interval ? 5 : SEED;
}

/* The stream starts with FIRST, which may be lost. */
static void
start (guint64 ms)
{
  first_intervals = 0;
  tfrc_loss_detection_init (&detection, 8, TRUE, first_interval, &detection);
  tfrc_loss_detection_start (&detection, FIRST, ms * MS);
}

static TfrcLossChange
arrive_at_ns (guint64 seq, gboolean ce, guint64 now_ns)
{
  bool duplicate;

  if (seq > detection.top[0])
    return tfrc_loss_detection_on_next (&detection, seq, ce, RTT_US, now_ns);
  return tfrc_loss_detection_on_behind (&detection, seq, ce, RTT_US, now_ns,
      &duplicate);
}

#define assert_arrives(seq, ms, change) \
  fail_unless_equals_int (arrive_at_ns (seq, FALSE, (ms) * MS), change)
#define assert_arrives_marked(seq, ms, change) \
  fail_unless_equals_int (arrive_at_ns (seq, TRUE, (ms) * MS), change)

/* The packets from..to arrive, 10 ms apart, the first at ms; nothing is lost
 * by that.  Returns the time after. */
static guint64
arrive_in_order (guint64 from, guint64 to, guint64 ms)
{
  for (; from <= to; from++, ms += 10)
    assert_arrives (from, ms, TFRC_LOSS_NOTHING);
  return ms;
}

static void
assert_duplicate (guint64 seq, gboolean ce, guint64 ms)
{
  TfrcLossIntervals before = detection.current;
  guint64 lost = detection.lost;
  bool duplicate = FALSE;

  fail_unless_equals_int (tfrc_loss_detection_on_behind (&detection, seq, ce,
          RTT_US, ms * MS, &duplicate), TFRC_LOSS_NOTHING);
  fail_unless (duplicate);
  fail_unless_equals_uint64 (detection.lost, lost);
  fail_unless_equals_uint64 (detection.current.events, before.events);
  fail_unless_equals_uint64 (detection.current.start_seq, before.start_seq);
}

/* So many events and losses; the last event began there and then. */
static void
assert_state (guint events, guint lost, guint64 seq, guint64 start_ns)
{
  fail_unless_equals_uint64 (detection.current.events, events);
  fail_unless_equals_uint64 (detection.lost, lost);
  if (events > 0) {
    fail_unless_equals_uint64 (detection.current.start_seq, seq);
    fail_unless_equals_uint64 (detection.current.start_ns, start_ns);
  }
}

GST_START_TEST (test_no_loss_in_order)
{
  start (0);
  arrive_in_order (FIRST, FIRST + 1000, 0);
  assert_state (0, 0, 0, 0);
  fail_unless_equals_int (detection.n_gaps, 0);
  fail_unless_equals_int (first_intervals, 0);
}

GST_END_TEST;

GST_START_TEST (test_loss_is_detected_by_the_third_later_packet)
{
  start (0);
  arrive_in_order (FIRST, FIRST + 9, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  assert_arrives (1012, 120, TFRC_LOSS_NOTHING);
  assert_state (0, 0, 0, 0);
  assert_arrives (1013, 130, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1010, 100 * MS);
  fail_unless_equals_int (detection.current.length[1], SEED);
  fail_unless_equals_int (first_intervals, 1);
  fail_if (last_was_null);
}

GST_END_TEST;

GST_START_TEST (test_reordering_by_one_or_two_is_no_loss)
{
  guint64 seq = FIRST + 1, ms = 100;

  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  for (guint i = 0; i < 100; i++, seq += 5, ms += 50) {
    const guint order[] = { 1, 0, 3, 4, 2 };

    for (guint k = 0; k < 5; k++)
      assert_arrives (seq + order[k], ms + 10 * k, TFRC_LOSS_NOTHING);
  }
  assert_state (0, 0, 0, 0);
  fail_unless_equals_int (detection.n_gaps, 0);
}

GST_END_TEST;

GST_START_TEST (test_reordering_by_three_is_a_loss_until_the_packet_comes)
{
  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1002, 20, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 30, TFRC_LOSS_NOTHING);
  assert_arrives (1004, 40, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1001, 10 * MS);
  assert_arrives (1001, 50, TFRC_LOSS_EVENT_REMOVED);
  assert_state (0, 0, 0, 0);
  fail_unless (tfrc_loss_intervals_mean (&detection.current, 1004) == 0);
  /* the next first loss asks for a first interval of its own */
  assert_arrives (1006, 60, TFRC_LOSS_NOTHING);
  assert_arrives (1007, 70, TFRC_LOSS_NOTHING);
  assert_arrives (1008, 80, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_int (first_intervals, 2);
}

GST_END_TEST;

GST_START_TEST (test_duplicates_are_no_later_packets)
{
  start (0);
  arrive_in_order (FIRST, 1005, 0);
  assert_arrives (1007, 70, TFRC_LOSS_NOTHING);
  for (guint i = 0; i < 5; i++) {
    assert_duplicate (1007, FALSE, 80);
    assert_duplicate (1003, TRUE, 80);
  }
  assert_arrives (1008, 90, TFRC_LOSS_NOTHING);
  assert_state (0, 0, 0, 0);
  /* nor are they the arrival before a loss: that is 1008 at 90 ms */
  assert_duplicate (1004, FALSE, 100);
  assert_arrives (1010, 110, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1006, 60 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1009),
      100 * MS);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_is_a_duplicate_the_second_time)
{
  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 30, TFRC_LOSS_NOTHING);
  assert_arrives (1001, 40, TFRC_LOSS_NOTHING);
  assert_duplicate (1001, FALSE, 50);
  assert_arrives (1002, 60, TFRC_LOSS_NOTHING);
  assert_duplicate (1002, FALSE, 70);
  fail_unless_equals_int (detection.n_gaps, 0);
}

GST_END_TEST;

GST_START_TEST (test_mark_counts_at_once)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 0, 1010, 100 * MS);
  /* I_0 is this packet alone */
  detection.current.length[1] = 1;
  fail_unless (tfrc_loss_intervals_mean (&detection.current, 1010) == 1);
  assert_duplicate (1010, TRUE, 110);
}

GST_END_TEST;

/* The example of section 5.1 */
GST_START_TEST (test_hole_before_a_mark_starts_the_event)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  assert_arrives_marked (1012, 120, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 1010, 100 * MS);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_moves_the_event_to_the_mark)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  assert_arrives_marked (1012, 120, TFRC_LOSS_NEW_EVENT);
  assert_arrives (1010, 130, TFRC_LOSS_NOTHING);
  assert_state (1, 0, 1012, 120 * MS);
}

GST_END_TEST;

GST_START_TEST (test_late_marked_packet)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1011, 110, TFRC_LOSS_NOTHING);
  /* marked, within NDUPACK: the mark counts, at the time of its arrival */
  assert_arrives_marked (1010, 120, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 0, 1010, 120 * MS);
  /* after it had been taken for lost */
  assert_arrives (1013, 230, TFRC_LOSS_NOTHING);
  assert_arrives (1014, 240, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 250, TFRC_LOSS_NOTHING);
  assert_state (1, 1, 1010, 120 * MS);
  assert_arrives_marked (1012, 260, TFRC_LOSS_NEW_EVENT);
  assert_state (2, 0, 1012, 260 * MS);
}

GST_END_TEST;

GST_START_TEST (test_arrival_times_are_interpolated)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  /* 90 ms .. 150 ms: 105, 120, 135 */
  assert_arrives (1013, 150, TFRC_LOSS_NOTHING);
  assert_arrives (1014, 160, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 170, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 3, 1010, 105 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[0], 1011),
      120 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[0], 1012),
      135 * MS);
}

GST_END_TEST;

/* S_before is the last to arrive, not the highest. */
GST_START_TEST (test_interpolation_starts_at_the_last_arrival)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1012, 120, TFRC_LOSS_NOTHING);
  assert_arrives (1011, 130, TFRC_LOSS_NOTHING);
  assert_arrives (1015, 170, TFRC_LOSS_NEW_EVENT);
  /* 1010: 90 .. 120 ms in 3 steps; 1013 and 1014: 130 .. 170 ms in 4 */
  assert_state (1, 1, 1010, 100 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1013),
      150 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1014),
      160 * MS);
}

GST_END_TEST;

GST_START_TEST (test_one_round_trip_time_after_is_the_same_event)
{
  guint64 t_old_ns = 100 * MS;

  start (0);
  arrive_in_order (FIRST, 1009, 0);
  arrive_at_ns (1010, TRUE, t_old_ns);
  fail_unless_equals_int (arrive_at_ns (1011, TRUE, t_old_ns + RTT_MS * MS),
      TFRC_LOSS_NOTHING);
  assert_state (1, 0, 1010, t_old_ns);
  fail_unless_equals_int (arrive_at_ns (1012, TRUE,
          t_old_ns + RTT_MS * MS + 1), TFRC_LOSS_NEW_EVENT);
  assert_state (2, 0, 1012, t_old_ns + RTT_MS * MS + 1);
  fail_unless_equals_int (detection.current.length[1], 2);
  fail_unless_equals_int (detection.current.length[2], SEED);
}

GST_END_TEST;

GST_START_TEST (test_interpolated_time_one_round_trip_time_after)
{
  for (guint late_ns = 0; late_ns < 2; late_ns++) {
    start (0);
    arrive_in_order (FIRST, 1009, 0);
    arrive_at_ns (1010, TRUE, 100 * MS);
    arrive_in_order (1011, 1018, 110);
    /* 1019 is missing: half-way from 1018 at 180 ms to 1020 at 220 ms */
    fail_unless_equals_int (arrive_at_ns (1020, FALSE,
            180 * MS + 2 * (20 * MS + late_ns)), TFRC_LOSS_NOTHING);
    assert_arrives (1021, 240, TFRC_LOSS_NOTHING);
    assert_arrives (1022, 250, late_ns ? TFRC_LOSS_NEW_EVENT
        : TFRC_LOSS_NOTHING);
    assert_state (1 + late_ns, 1, late_ns ? 1019 : 1010,
        (late_ns ? 200 : 100) * MS + late_ns);
  }
}

GST_END_TEST;

GST_START_TEST (test_round_trip_time_is_that_of_the_detection)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  tfrc_loss_detection_on_next (&detection, 1010, TRUE, RTT_US, 100 * MS);
  tfrc_loss_detection_on_next (&detection, 1011, TRUE, 50000, 151 * MS);
  assert_state (2, 0, 1011, 151 * MS);
  tfrc_loss_detection_on_next (&detection, 1012, TRUE, 500000, 600 * MS);
  assert_state (2, 0, 1011, 151 * MS);
}

GST_END_TEST;

/* 1010..1014 are lost, 15 ms apart, the first at 105 ms. */
static void
lose_five (void)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  arrive_in_order (1015, 1016, 180);
  assert_arrives (1017, 200, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 5, 1010, 105 * MS);
}

GST_START_TEST (test_late_packet_leaves_the_rest_of_the_gap_lost)
{
  lose_five ();
  assert_arrives (1014, 210, TFRC_LOSS_NOTHING);
  assert_state (1, 4, 1010, 105 * MS);
  assert_arrives (1012, 220, TFRC_LOSS_NOTHING);
  assert_state (1, 3, 1010, 105 * MS);
  /* split in two, whose packets keep their times */
  fail_unless_equals_int (detection.n_gaps, 2);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[0], 1011),
      120 * MS);
  fail_unless_equals_uint64 (tfrc_gap_time_ns (&detection.gaps[1], 1013),
      150 * MS);
  assert_duplicate (1012, FALSE, 230);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_moves_the_start_of_the_event)
{
  lose_five ();
  assert_arrives (1010, 210, TFRC_LOSS_NOTHING);
  assert_state (1, 4, 1011, 120 * MS);
  assert_arrives (1012, 220, TFRC_LOSS_NOTHING);
  assert_arrives (1011, 230, TFRC_LOSS_NOTHING);
  assert_state (1, 2, 1013, 150 * MS);
  assert_arrives (1014, 240, TFRC_LOSS_NOTHING);
  assert_arrives (1013, 250, TFRC_LOSS_EVENT_REMOVED);
  assert_state (0, 0, 0, 0);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_merges_two_intervals)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1011, 1029, 110);
  arrive_in_order (1031, 1032, 310);
  assert_arrives (1033, 330, TFRC_LOSS_NEW_EVENT);
  assert_state (2, 1, 1030, 300 * MS);
  arrive_in_order (1034, 1049, 340);
  assert_arrives_marked (1050, 500, TFRC_LOSS_NEW_EVENT);
  fail_unless_equals_int (detection.current.length[1], 20);
  fail_unless_equals_int (detection.current.length[2], 20);

  assert_arrives (1030, 510, TFRC_LOSS_EVENT_REMOVED);
  assert_state (2, 0, 1050, 500 * MS);
  fail_unless_equals_int (detection.current.length[1], 40);
  fail_unless_equals_int (detection.current.length[2], SEED);
  fail_unless_equals_int (detection.current.closed, 2);
}

GST_END_TEST;

GST_START_TEST (test_lost_first_packet_is_a_null_interval)
{
  start (0);
  assert_arrives (1001, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1002, 10, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 20, TFRC_LOSS_NEW_EVENT);
  fail_unless (last_was_null);
  assert_state (1, 1, FIRST, 0);
  fail_unless_equals_int (detection.current.length[1], 5);

  start (0);
  assert_arrives_marked (FIRST, 0, TFRC_LOSS_NEW_EVENT);
  fail_unless (last_was_null);
}

GST_END_TEST;

GST_START_TEST (test_late_first_packet_takes_the_null_interval_back)
{
  start (0);
  assert_arrives (1001, 0, TFRC_LOSS_NOTHING);
  assert_arrives (1003, 20, TFRC_LOSS_NOTHING);
  arrive_at_ns (1004, FALSE, 30 * MS);
  arrive_at_ns (1005, FALSE, 40 * MS);
  assert_state (1, 2, FIRST, 0);
  fail_unless_equals_int (detection.current.length[1], 5);
  assert_arrives (FIRST, 50, TFRC_LOSS_NOTHING);
  assert_state (1, 1, 1002, 10 * MS);
  fail_unless_equals_int (detection.current.length[1], SEED);
}

GST_END_TEST;

GST_START_TEST (test_late_packet_too_old_to_tell_changes_nothing)
{
  guint64 seq = FIRST, ms = 0;

  start (0);
  assert_arrives (seq++, ms, TFRC_LOSS_NOTHING);
  for (guint i = 0; i <= TFRC_MAX_GAPS; i++) {
    seq++;                      /* lost */
    for (guint k = 0; k < 3; k++)
      arrive_at_ns (seq++, FALSE, (ms += 100) * MS);
  }
  fail_unless_equals_int (detection.n_gaps, TFRC_MAX_GAPS);
  fail_unless_equals_uint64 (detection.current.events, TFRC_MAX_GAPS + 1);
  assert_duplicate (FIRST + 1, FALSE, ms);
  /* but the oldest that is remembered */
  assert_arrives (FIRST + 5, ms, TFRC_LOSS_EVENT_REMOVED);
  fail_unless_equals_uint64 (detection.current.events, TFRC_MAX_GAPS);
  fail_unless_equals_uint64 (detection.lost, TFRC_MAX_GAPS);
}

GST_END_TEST;

GST_START_TEST (test_restart_is_no_loss)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives_marked (1010, 100, TFRC_LOSS_NEW_EVENT);
  arrive_in_order (1011, 1019, 110);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 500 * MS);
  arrive_in_order (50001, 50009, 510);
  fail_unless_equals_uint64 (detection.current.events, 1);
  fail_unless_equals_uint64 (detection.lost, 0);
  /* I_0 has the packets of before and after: 10 + 10 */
  detection.current.length[1] = 1;
  fail_unless (tfrc_loss_intervals_mean (&detection.current, 50009) == 20);
  assert_duplicate (1015, FALSE, 700);
}

GST_END_TEST;

GST_START_TEST (test_loss_after_a_restart_is_detected)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 500 * MS);
  assert_arrives (50002, 520, TFRC_LOSS_NOTHING);
  assert_arrives (50003, 530, TFRC_LOSS_NOTHING);
  assert_arrives (50004, 540, TFRC_LOSS_NEW_EVENT);
  assert_state (1, 1, 50001, 510 * MS);
}

GST_END_TEST;

/* What was missing then cannot come any more. */
GST_START_TEST (test_holes_before_a_restart_are_one_event_per_rtt)
{
  start (0);
  arrive_in_order (FIRST, 1009, 0);
  assert_arrives (1030, 190, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_restart (&detection, 50000, RTT_US, 500 * MS);
  fail_unless_equals_uint64 (detection.lost, 20);
  fail_unless_equals_uint64 (detection.current.events, 1);
  /* 1010..1030, and 50000 */
  detection.current.length[1] = 1;
  fail_unless (tfrc_loss_intervals_mean (&detection.current, 50000) == 22);
}

GST_END_TEST;

GST_START_TEST (test_extreme_times_end_in_finite_steps)
{
  start (0);
  assert_arrives (FIRST, 0, TFRC_LOSS_NOTHING);
  tfrc_loss_detection_on_next (&detection, FIRST + 0x4000, TRUE, 0,
      G_MAXUINT64 - 5);
  tfrc_loss_detection_on_next (&detection, FIRST + 0x4001, TRUE, G_MAXUINT32,
      G_MAXUINT64 - 4);
  tfrc_loss_detection_on_next (&detection, FIRST + 0x8000, TRUE, G_MAXUINT32,
      G_MAXUINT64);
  fail_unless_equals_uint64 (detection.lost, 0x3fff + 0x3ffe);
  fail_unless (detection.current.start_seq <= FIRST + 0x4000);
}

GST_END_TEST;

static Suite *
lossdetection_suite (void)
{
  Suite *suite = suite_create ("lossdetection");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_no_loss_in_order);
  tcase_add_test (tc, test_loss_is_detected_by_the_third_later_packet);
  tcase_add_test (tc, test_reordering_by_one_or_two_is_no_loss);
  tcase_add_test (tc,
      test_reordering_by_three_is_a_loss_until_the_packet_comes);
  tcase_add_test (tc, test_duplicates_are_no_later_packets);
  tcase_add_test (tc, test_late_packet_is_a_duplicate_the_second_time);
  tcase_add_test (tc, test_mark_counts_at_once);
  tcase_add_test (tc, test_hole_before_a_mark_starts_the_event);
  tcase_add_test (tc, test_late_packet_moves_the_event_to_the_mark);
  tcase_add_test (tc, test_late_marked_packet);
  tcase_add_test (tc, test_arrival_times_are_interpolated);
  tcase_add_test (tc, test_interpolation_starts_at_the_last_arrival);
  tcase_add_test (tc, test_one_round_trip_time_after_is_the_same_event);
  tcase_add_test (tc, test_interpolated_time_one_round_trip_time_after);
  tcase_add_test (tc, test_round_trip_time_is_that_of_the_detection);
  tcase_add_test (tc, test_late_packet_leaves_the_rest_of_the_gap_lost);
  tcase_add_test (tc, test_late_packet_moves_the_start_of_the_event);
  tcase_add_test (tc, test_late_packet_merges_two_intervals);
  tcase_add_test (tc, test_lost_first_packet_is_a_null_interval);
  tcase_add_test (tc, test_late_first_packet_takes_the_null_interval_back);
  tcase_add_test (tc, test_late_packet_too_old_to_tell_changes_nothing);
  tcase_add_test (tc, test_restart_is_no_loss);
  tcase_add_test (tc, test_loss_after_a_restart_is_detected);
  tcase_add_test (tc, test_holes_before_a_restart_are_one_event_per_rtt);
  tcase_add_test (tc, test_extreme_times_end_in_finite_steps);
  return suite;
}

GST_CHECK_MAIN (lossdetection);
