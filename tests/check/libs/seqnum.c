/* Extended sequence numbers: wrap-around, late packets, restarts and strays
 * (RFC 5348 section 3.2.1, RFC 3550 appendix A.1). */
#include <gst/check/gstcheck.h>
#include <tfrc/seqnum.h>

static void
assert_update (TfrcSeqTracker * tracker, guint16 seq, TfrcSeqKind kind,
    guint64 expected)
{
  guint64 extended = 0;

  fail_unless_equals_int (tfrc_seq_update (tracker, seq, &extended), kind);
  if (kind != TFRC_SEQ_SUSPECT) {
    fail_unless_equals_uint64 (extended, expected);
    fail_unless_equals_int ((guint16) extended, seq);
  }
}

GST_START_TEST (test_first_number_starts_the_sequence)
{
  const guint16 seqs[] = { 0, 1, 0x7fff, 0x8000, 0xffff };

  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++) {
    TfrcSeqTracker tracker;

    tfrc_seq_init (&tracker);
    assert_update (&tracker, seqs[i], TFRC_SEQ_AHEAD, 0x10000 + seqs[i]);
    fail_unless_equals_uint64 (tracker.highest, 0x10000 + seqs[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_known_first_number_leaves_a_gap_before_later_ones)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  tfrc_seq_start (&tracker, 100);
  fail_unless_equals_uint64 (tracker.highest, 0x10000 + 99);
  assert_update (&tracker, 103, TFRC_SEQ_AHEAD, 0x10000 + 103);
  assert_update (&tracker, 100, TFRC_SEQ_BEHIND, 0x10000 + 100);
}

GST_END_TEST;

GST_START_TEST (test_sequence_number_wraps_around)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 0xfffe, TFRC_SEQ_AHEAD, 0x1fffe);
  for (guint64 n = 0x1ffff; n < 0x1fffe + 5 * 0x10000; n += 7)
    assert_update (&tracker, (guint16) n, TFRC_SEQ_AHEAD, n);
}

GST_END_TEST;

GST_START_TEST (test_late_and_duplicate_packets_across_the_wrap)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 0xfff0, TFRC_SEQ_AHEAD, 0x1fff0);
  assert_update (&tracker, 0x0002, TFRC_SEQ_AHEAD, 0x20002);
  assert_update (&tracker, 0xffff, TFRC_SEQ_BEHIND, 0x1ffff);
  assert_update (&tracker, 0x0000, TFRC_SEQ_BEHIND, 0x20000);
  assert_update (&tracker, 0x0002, TFRC_SEQ_BEHIND, 0x20002);
  assert_update (&tracker, 0x0003, TFRC_SEQ_AHEAD, 0x20003);
}

GST_END_TEST;

GST_START_TEST (test_late_packets_before_the_first_one)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 0, TFRC_SEQ_AHEAD, 0x10000);
  assert_update (&tracker, 0xffff, TFRC_SEQ_BEHIND, 0xffff);
  assert_update (&tracker, (guint16) - 0x3fff, TFRC_SEQ_BEHIND,
      0x10000 - 0x3fff);
}

GST_END_TEST;

GST_START_TEST (test_largest_distance_that_is_not_suspect)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 0x1000, TFRC_SEQ_AHEAD, 0x11000);
  assert_update (&tracker, 0x5001, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 0x5000, TFRC_SEQ_AHEAD, 0x15000);
  assert_update (&tracker, 0x0fff, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 0x1000, TFRC_SEQ_BEHIND, 0x11000);
}

GST_END_TEST;

GST_START_TEST (test_single_stray_packet_changes_nothing)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  for (guint n = 0; n < 10; n++)
    assert_update (&tracker, n, TFRC_SEQ_AHEAD, 0x10000 + n);
  assert_update (&tracker, 40000, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 10, TFRC_SEQ_AHEAD, 0x10000 + 10);
  /* the stream has gone on since: no restart */
  assert_update (&tracker, 40001, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 11, TFRC_SEQ_AHEAD, 0x10000 + 11);
}

GST_END_TEST;

GST_START_TEST (test_strays_that_do_not_follow_each_other_are_no_restart)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 0, TFRC_SEQ_AHEAD, 0x10000);
  assert_update (&tracker, 40000, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 40000, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 40002, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 30000, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 1, TFRC_SEQ_AHEAD, 0x10001);
}

GST_END_TEST;

GST_START_TEST (test_two_packets_in_a_row_are_a_restart)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 100, TFRC_SEQ_AHEAD, 0x10000 + 100);
  assert_update (&tracker, 40000, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 40001, TFRC_SEQ_RESTART, 0x10000 + 40001);
  assert_update (&tracker, 40002, TFRC_SEQ_AHEAD, 0x10000 + 40002);
  /* and back to lower numbers: the extended ones still grow */
  assert_update (&tracker, 7, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 8, TFRC_SEQ_RESTART, 0x20000 + 8);
  assert_update (&tracker, 10, TFRC_SEQ_AHEAD, 0x20000 + 10);
}

GST_END_TEST;

GST_START_TEST (test_restart_across_the_wrap)
{
  TfrcSeqTracker tracker;

  tfrc_seq_init (&tracker);
  assert_update (&tracker, 30000, TFRC_SEQ_AHEAD, 0x10000 + 30000);
  assert_update (&tracker, 0xffff, TFRC_SEQ_SUSPECT, 0);
  assert_update (&tracker, 0, TFRC_SEQ_RESTART, 0x20000);
  assert_update (&tracker, 1, TFRC_SEQ_AHEAD, 0x20001);
}

GST_END_TEST;

static Suite *
seqnum_suite (void)
{
  Suite *suite = suite_create ("seqnum");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_first_number_starts_the_sequence);
  tcase_add_test (tc, test_known_first_number_leaves_a_gap_before_later_ones);
  tcase_add_test (tc, test_sequence_number_wraps_around);
  tcase_add_test (tc, test_late_and_duplicate_packets_across_the_wrap);
  tcase_add_test (tc, test_late_packets_before_the_first_one);
  tcase_add_test (tc, test_largest_distance_that_is_not_suspect);
  tcase_add_test (tc, test_single_stray_packet_changes_nothing);
  tcase_add_test (tc, test_strays_that_do_not_follow_each_other_are_no_restart);
  tcase_add_test (tc, test_two_packets_in_a_row_are_a_restart);
  tcase_add_test (tc, test_restart_across_the_wrap);
  return suite;
}

GST_CHECK_MAIN (seqnum);
