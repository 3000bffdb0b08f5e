/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extended sequence numbers: wrap-around, late packets, restarts and stray packets (RFC 3550
 * appendix A.1) */
#include <gst/check/gstcheck.h>
#include <tfrc/seqnum.h>

static TfrcSeqTracker tracker;

/* Makes this number the highest number. */
static void
start_at (guint16 highest)
{
  tfrc_seq_init (&tracker);
  tfrc_seq_start (&tracker, highest);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, highest), 0x10000 + highest);
}

static void
assert_kind (guint seq, TfrcSeqKind kind)
{
  fail_unless_equals_int (tfrc_seq_classify (&tracker, (guint16) seq), kind);
}

GST_START_TEST (test_first_number_is_ahead)
{
  const guint16 seqs[] = { 0, 1, 0x7fff, 0x8000, 0xffff };

  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++) {
    tfrc_seq_init (&tracker);
    tfrc_seq_start (&tracker, seqs[i]);
    assert_kind (seqs[i], TFRC_SEQ_AHEAD);
    fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, seqs[i]), 0x10000 + seqs[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_start_expects_packets_that_are_missing)
{
  tfrc_seq_init (&tracker);
  tfrc_seq_start (&tracker, 100);
  fail_unless_equals_uint64 (tracker.highest, 0x10000 + 99);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 103), 0x10000 + 103);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 100), 0x10000 + 100);
}

GST_END_TEST;

GST_START_TEST (test_sequence_number_wraps_without_loss)
{
  start_at (0xfffe);
  for (guint64 n = 0x1ffff; n < 0x30010; n++) {
    assert_kind ((guint16) n, TFRC_SEQ_AHEAD);
    fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, (guint16) n), n);
  }
}

GST_END_TEST;

GST_START_TEST (test_late_and_duplicate_packets_across_the_wrap)
{
  start_at (0xfff0);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0x0002), 0x20002);
  assert_kind (0xffff, TFRC_SEQ_BEHIND);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0xffff), 0x1ffff);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0x0000), 0x20000);
  assert_kind (0x0002, TFRC_SEQ_BEHIND);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0x0002), 0x20002);
  assert_kind (0x0003, TFRC_SEQ_AHEAD);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0x0003), 0x20003);
}

GST_END_TEST;

GST_START_TEST (test_packets_from_before_the_first)
{
  start_at (0);
  assert_kind (0xffff, TFRC_SEQ_BEHIND);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0xffff), 0xffff);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, (guint16) -0x3fff), 0x10000 - 0x3fff);
}

GST_END_TEST;

/* The test takes each highest number, so also those at the wrap. */
GST_START_TEST (test_largest_distance_that_is_not_suspect)
{
  const guint16 highest[] = { 0x1000, 0, 50, 0x7fff, 0x8000, 0xffb0, 0xffff };

  for (guint i = 0; i < G_N_ELEMENTS (highest); i++) {
    start_at (highest[i]);
    assert_kind (highest[i], TFRC_SEQ_BEHIND);
    assert_kind (highest[i] + 1, TFRC_SEQ_AHEAD);
    assert_kind (highest[i] + 100, TFRC_SEQ_AHEAD);
    assert_kind (highest[i] + 101, TFRC_SEQ_FAR_AHEAD);
    assert_kind (highest[i] + 0x4000, TFRC_SEQ_FAR_AHEAD);
    assert_kind (highest[i] + 0x4001, TFRC_SEQ_ELSEWHERE);
    assert_kind (highest[i] + 0x8000, TFRC_SEQ_ELSEWHERE);
    assert_kind (highest[i] - 100, TFRC_SEQ_BEHIND);
    assert_kind (highest[i] - 101, TFRC_SEQ_FAR_BEHIND);
    assert_kind (highest[i] - 0x4000, TFRC_SEQ_FAR_BEHIND);
    assert_kind (highest[i] - 0x4001, TFRC_SEQ_ELSEWHERE);
    fail_unless_equals_uint64 (tracker.highest, 0x10000 + highest[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_number_far_ahead_counts_the_packets_between)
{
  start_at (0xfff0);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0x3ff0), 0x23ff0);
  fail_unless_equals_uint64 (tracker.highest, 0x23ff0);
}

GST_END_TEST;

/* The restarted numbers are above all others. Their low 16 bits are those on the wire. */
GST_START_TEST (test_restart_goes_on_above_the_highest)
{
  start_at (100);
  fail_unless_equals_uint64 (tfrc_seq_restart (&tracker, 40000), 0x10000 + 40000);
  fail_unless_equals_uint64 (tfrc_seq_restart (&tracker, 7), 0x20000 + 7);
  fail_unless_equals_uint64 (tfrc_seq_restart (&tracker, 6), 0x30000 + 6);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 10), 0x30000 + 10);
}

GST_END_TEST;

GST_START_TEST (test_restart_across_the_wrap)
{
  start_at (30000);
  fail_unless_equals_uint64 (tfrc_seq_restart (&tracker, 0xffff), 0x1ffff);
  assert_kind (0, TFRC_SEQ_AHEAD);
  fail_unless_equals_uint64 (tfrc_seq_accept (&tracker, 0), 0x20000);
}

GST_END_TEST;

static Suite *
seqnum_suite (void)
{
  Suite *s = suite_create ("seqnum");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_first_number_is_ahead);
  tcase_add_test (tc, test_start_expects_packets_that_are_missing);
  tcase_add_test (tc, test_sequence_number_wraps_without_loss);
  tcase_add_test (tc, test_late_and_duplicate_packets_across_the_wrap);
  tcase_add_test (tc, test_packets_from_before_the_first);
  tcase_add_test (tc, test_largest_distance_that_is_not_suspect);
  tcase_add_test (tc, test_number_far_ahead_counts_the_packets_between);
  tcase_add_test (tc, test_restart_goes_on_above_the_highest);
  tcase_add_test (tc, test_restart_across_the_wrap);
  return s;
}

GST_CHECK_MAIN (seqnum);
