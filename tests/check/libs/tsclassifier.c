/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packets of a transport stream are worth, see gst/tfrcsink/tsclassifier.h */
#include "tsclassifiertest.h"

static const guint8 some_bytes[TS_PAYLOAD_BYTES];

/* Appends a packet in the middle of a unit. */
static void
append_middle (guint pid, guint flags)
{
  ts_append (stream, pid, flags, some_bytes, 100);
}

static guint8
middle_class (guint pid, guint flags)
{
  append_middle (pid, flags);
  return classify ().class;
}

/* ---- packets of the transport stream ------------------------------------- */

GST_START_TEST (what_is_no_video_has_the_class_of_its_pid)
{
  append_tables (0);
  for (guint at = 0; at < stream->len; at += TS_BYTES)
    fail_unless_equals_int (classify_one (stream->data + at).class, TABLES);
  g_byte_array_set_size (stream, 0);
  fail_unless_equals_int (middle_class (AUDIO_PID, TS_START), AUDIO);
  fail_unless_equals_int (middle_class (AUDIO_PID, TS_RANDOM_ACCESS), AUDIO);
  fail_unless_equals_int (middle_class (AUDIO_PID, TS_SCRAMBLED), AUDIO);
  fail_unless_equals_int (middle_class (OTHER_PID, TS_START), UNKNOWN);
  fail_unless_equals_int (middle_class (0x777, TS_START), UNKNOWN);
  fail_unless_equals_int (middle_class (TS_NULL_PID, 0), NULLS);
  /* a table of the network, which no player needs */
  fail_unless_equals_int (middle_class (0x11, TS_START), UNKNOWN);
  /* the table of conditional access */
  fail_unless_equals_int (middle_class (1, TS_START), TABLES);
}

GST_END_TEST;

GST_START_TEST (a_pcr_without_payload_counts_as_a_table)
{
  ts_append (stream, H264_PID, TS_PCR, NULL, 0);
  assert_class (classify (), TABLES);
  ts_append (stream, 0x777, TS_PCR, NULL, 0);
  assert_class (classify (), TABLES);
  /* stuffing alone */
  ts_append (stream, 0x777, 0, NULL, 0);
  assert_class (classify (), UNKNOWN);
}

GST_END_TEST;

/* Appends the tables as they are, and returns how many of their packets count as tables. */
static guint
count_tables (void)
{
  guint n = 0;

  append_tables (0);
  for (guint at = 0; at < stream->len; at += TS_BYTES)
    n += classify_one (stream->data + at).class == TABLES;
  g_byte_array_set_size (stream, 0);
  return n;
}

GST_START_TEST (a_table_that_says_nothing_new_counts_once_in_a_group)
{
  /* The fixture has sent them once; of what is new, the first repetition counts, too. */
  fail_unless_equals_int (count_tables (), 2);
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (count_tables (), 0);
  append_picture (H264_PID, 0, H264_IDR);
  classify ();
  fail_unless_equals_int (count_tables (), 2);
  fail_unless_equals_int (count_tables (), 0);
}

GST_END_TEST;

GST_START_TEST (a_table_that_changes_counts_with_its_first_repetition)
{
  count_tables ();
  for (guint i = 0; i < 2; i++) {
    append_tables (1);
    g_byte_array_remove_range (stream, 0, TS_BYTES); /* the PAT */
    assert_class (classify (), TABLES);
  }
  append_tables (1);
  assert_class (classify (), UNKNOWN);
}

GST_END_TEST;

GST_START_TEST (a_table_that_says_nothing_new_leaves_its_packet_to_the_picture_beside_it)
{
  GstTfrcImportance importance;

  count_tables ();
  append_tables (0);
  append_picture (H264_PID, 0, H264_B);
  importance = classify_together ();
  assert_class (importance, NON_REFERENCE);
  fail_unless_equals_int (importance.picture, 1);
  /* but makes it no null packet */
  append_tables (0);
  append_middle (TS_NULL_PID, 0);
  importance = classify_together ();
  assert_class (importance, UNKNOWN);
  fail_unless_equals_int (importance.picture, 0);
  append_middle (TS_NULL_PID, 0);
  assert_class (classify_together (), NULLS);
}

GST_END_TEST;

GST_START_TEST (before_the_tables_nothing_is_known)
{
  gst_tfrc_ts_classifier_init (&classifier);
  fail_unless_equals_int (class_of (H264_PID, TS_RANDOM_ACCESS, H264_IDR), UNKNOWN);
  fail_unless_equals_int (middle_class (AUDIO_PID, TS_START), UNKNOWN);
  fail_unless_equals_int (middle_class (TS_NULL_PID, 0), NULLS);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_marked_as_damaged_is_not_read)
{
  GstTfrcImportance importance;

  append_picture (H264_PID, 0, H264_P);
  importance = classify ();
  assert_class (importance, REFERENCE);
  ts_append (stream, H264_PID, TS_DAMAGED | TS_START, some_bytes, 100);
  assert_class (classify (), UNKNOWN);
  append_middle (H264_PID, 0);
  fail_unless_equals_int (classify ().picture, importance.picture);
}

GST_END_TEST;

/* ---- pictures and groups ------------------------------------------------- */

GST_START_TEST (packets_of_a_picture_have_its_class_number_and_group)
{
  static guint8 picture[2000] = H264_AUD H264_SPS H264_PPS H264_IDR;
  GstTfrcImportance at_first, at_last;

  ts_append_pes (stream, H264_PID, TS_RANDOM_ACCESS, picture, sizeof picture);
  at_first = classify_one (stream->data);
  at_last = classify_one (stream->data + stream->len - TS_BYTES);
  g_byte_array_set_size (stream, 0);
  assert_class (at_first, RANDOM_ACCESS);
  assert_class (at_last, RANDOM_ACCESS);
  fail_unless_equals_int (at_first.picture, 1);
  fail_unless_equals_int (at_last.picture, 1);
  fail_unless_equals_int (at_first.group, 1);
  fail_unless_equals_int (at_last.group, 1);

  append_picture (H264_PID, 0, H264_AUD H264_P);
  at_first = classify ();
  assert_class (at_first, REFERENCE);
  fail_unless_equals_int (at_first.picture, 2);
  fail_unless_equals_int (at_first.group, 1);
  append_picture (H264_PID, 0, H264_AUD H264_B);
  at_first = classify ();
  assert_class (at_first, NON_REFERENCE);
  fail_unless_equals_int (at_first.picture, 3);
  fail_unless_equals_int (at_first.group, 1);
  append_picture (H264_PID, TS_RANDOM_ACCESS, H264_AUD H264_IDR);
  at_first = classify ();
  fail_unless_equals_int (at_first.picture, 4);
  fail_unless_equals_int (at_first.group, 2);
}

GST_END_TEST;

GST_START_TEST (before_the_first_random_access_there_is_no_group)
{
  append_picture (H264_PID, 0, H264_P);
  fail_unless_equals_int (classify ().group, 0);
}

GST_END_TEST;

GST_START_TEST (what_comes_before_the_first_picture_is_unknown)
{
  GstTfrcImportance importance;

  append_middle (H264_PID, 0);
  importance = classify ();
  assert_class (importance, UNKNOWN);
  fail_unless_equals_int (importance.picture, 0);
}

GST_END_TEST;

GST_START_TEST (two_videos_number_their_pictures_and_groups_together)
{
  GstTfrcImportance importance;

  append_picture (H264_PID, 0, H264_IDR);
  classify ();
  append_picture (H265_PID, 0, H265_IDR);
  importance = classify ();
  fail_unless_equals_int (importance.picture, 2);
  fail_unless_equals_int (importance.group, 2);
  append_picture (H264_PID, 0, H264_P);
  importance = classify ();
  fail_unless_equals_int (importance.picture, 3);
  fail_unless_equals_int (importance.group, 1);
  append_middle (H265_PID, 0);
  importance = classify ();
  assert_class (importance, RANDOM_ACCESS);
  fail_unless_equals_int (importance.picture, 2);
  fail_unless_equals_int (importance.group, 2);
}

GST_END_TEST;

/* ---- packets of RTP ------------------------------------------------------ */

GST_START_TEST (a_packet_is_worth_its_most_important_part)
{
  GstTfrcImportance importance;

  append_picture (H264_PID, 0, H264_B);
  append_picture (H264_PID, 0, H264_P);
  append_middle (TS_NULL_PID, 0);
  append_picture (H264_PID, 0, H264_B);
  importance = classify_together ();
  assert_class (importance, REFERENCE);
  fail_unless_equals_int (importance.picture, 2);
  append_middle (AUDIO_PID, 0);
  append_picture (H264_PID, 0, H264_IDR);
  importance = classify_together ();
  assert_class (importance, AUDIO);
  fail_unless_equals_int (importance.picture, 0);
  fail_unless_equals_int (importance.group, 0);
  append_middle (TS_NULL_PID, 0);
  append_middle (TS_NULL_PID, 0);
  assert_class (classify_together (), NULLS);
  /* nothing of the packet before */
  append_middle (H264_PID, 0);
  assert_class (classify_together (), RANDOM_ACCESS);
}

GST_END_TEST;

GST_START_TEST (of_two_pictures_of_a_class_the_packet_belongs_to_the_one_that_begins)
{
  append_picture (H264_PID, 0, H264_P);
  classify ();
  append_middle (H264_PID, 0);
  append_picture (H264_PID, 0, H264_P);
  fail_unless_equals_int (classify_together ().picture, 2);
}

GST_END_TEST;

GST_START_TEST (an_empty_packet_is_unknown)
{
  assert_class (classify_together (), UNKNOWN);
}

GST_END_TEST;

/* ---- guesses ------------------------------------------------------------- */

/* A picture whose slice comes in the second packet: the first has 170 bytes that mean nothing. */
static void
append_late_slice (guint flags, const gchar *slice)
{
  static guint8 picture[176];

  memset (picture, 0xff, sizeof picture);
  memcpy (picture, H264_AUD, 6);
  memcpy (picture + 170, slice, 6);
  ts_append_pes (stream, H264_PID, flags, picture, sizeof picture);
  fail_unless_equals_int (stream->len, 2 * TS_BYTES);
}

GST_START_TEST (before_the_slice_a_picture_is_taken_for_a_reference)
{
  append_late_slice (0, H264_B);
  assert_class (classify_one (stream->data), REFERENCE);
  assert_class (classify_one (stream->data + TS_BYTES), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (before_the_slice_the_indicator_announces_random_access)
{
  GstTfrcImportance at_first, at_second;

  append_late_slice (TS_RANDOM_ACCESS, H264_I);
  at_first = classify_one (stream->data);
  at_second = classify_one (stream->data + TS_BYTES);
  assert_class (at_first, RANDOM_ACCESS);
  assert_class (at_second, RANDOM_ACCESS);
  fail_unless_equals_int (at_first.group, 1);
  fail_unless_equals_int (at_second.group, 1);
}

GST_END_TEST;

/* What is left of a group that has lost its first picture goes first: the next group must not begin with that. */
GST_START_TEST (a_guess_belongs_to_no_group)
{
  GstTfrcImportance at_first, at_second;

  append_picture (H264_PID, 0, H264_IDR);
  fail_unless_equals_int (classify ().group, 1);
  append_late_slice (0, H264_IDR);
  at_first = classify_one (stream->data);
  at_second = classify_one (stream->data + TS_BYTES);
  assert_class (at_first, REFERENCE);
  assert_class (at_second, RANDOM_ACCESS);
  fail_unless_equals_int (at_first.picture, at_second.picture);
  fail_unless_equals_int (at_first.group, 0);
  fail_unless_equals_int (at_second.group, 2);
}

GST_END_TEST;

GST_START_TEST (a_slice_in_the_same_packet_of_rtp_leaves_nothing_to_guess)
{
  append_late_slice (0, H264_B);
  assert_class (classify_together (), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (a_guess_counts_when_another_stream_says_less)
{
  GstTfrcImportance importance;

  append_late_slice (0, H264_B);
  g_byte_array_set_size (stream, TS_BYTES);
  append_picture (H265_PID, 0, H265_B);
  importance = classify_together ();
  assert_class (importance, REFERENCE);
  fail_unless_equals_int (importance.picture, 1);
}

GST_END_TEST;

GST_START_TEST (two_guesses_of_two_streams_both_count)
{
  static guint8 nothing[] = { 0xff, 0xff };
  GstTfrcImportance importance;

  ts_append_pes (stream, H264_PID, TS_RANDOM_ACCESS, nothing, sizeof nothing);
  ts_append_pes (stream, H265_PID, 0, nothing, sizeof nothing);
  importance = classify_together ();
  assert_class (importance, RANDOM_ACCESS);
  fail_unless_equals_int (importance.picture, 1);
}

GST_END_TEST;

/* ---- a flush ------------------------------------------------------------- */

GST_START_TEST (after_a_reset_old_pictures_are_forgotten_and_tables_stay)
{
  GstTfrcImportance importance;

  append_picture (H264_PID, 0, H264_IDR);
  classify ();
  gst_tfrc_ts_classifier_add (&classifier, some_bytes);
  gst_tfrc_ts_classifier_reset (&classifier);
  append_middle (H264_PID, 0);
  importance = classify_together ();
  assert_class (importance, UNKNOWN);
  fail_unless_equals_int (importance.picture, 0);
  append_picture (H264_PID, 0, H264_P);
  importance = classify ();
  assert_class (importance, REFERENCE);
  fail_unless_equals_int (importance.picture, 2);
  fail_unless_equals_int (importance.group, 0);
}

GST_END_TEST;

/* ---- scrambled streams, and codecs that are not read ---------------------- */

GST_START_TEST (a_scrambled_picture_has_the_class_of_the_indicators)
{
  static guint8 noise[400];
  GstTfrcImportance importance;

  memset (noise, 0x5a, sizeof noise);
  ts_append_unit (stream, H264_PID, TS_SCRAMBLED | TS_RANDOM_ACCESS, noise, sizeof noise, 184);
  importance = classify ();
  assert_class (importance, RANDOM_ACCESS);
  fail_unless_equals_int (importance.picture, 1);
  fail_unless_equals_int (importance.group, 1);
  ts_append_unit (stream, H264_PID, TS_SCRAMBLED, noise, sizeof noise, 184);
  importance = classify ();
  assert_class (importance, UNKNOWN);
  fail_unless_equals_int (importance.picture, 2);
  fail_unless_equals_int (importance.group, 1);
  ts_append_unit (stream, H264_PID, TS_SCRAMBLED | TS_PRIORITY, noise, sizeof noise, 184);
  assert_class (classify (), REFERENCE);
  /* in the clear again */
  fail_unless_equals_int (class_of (H264_PID, 0, H264_B), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (scrambling_that_begins_inside_a_picture_changes_nothing)
{
  append_picture (H264_PID, 0, H264_B);
  assert_class (classify (), NON_REFERENCE);
  ts_append (stream, H264_PID, TS_SCRAMBLED, (const guint8 *) H264_IDR, 6);
  assert_class (classify (), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (a_pes_packet_that_is_scrambled_or_broken_is_not_read)
{
  static const guint8 scrambled[] = { 0, 0, 1, 0xe0, 0, 0, 0x90, 0, 0, 0, 0, 1, 0x65, 0x88, 0x84 };
  static const guint8 broken[] = { 0, 0, 2, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0x65, 0x88, 0x84 };

  ts_append (stream, H264_PID, TS_START, scrambled, sizeof scrambled);
  assert_class (classify (), UNKNOWN);
  ts_append (stream, H264_PID, TS_START, broken, sizeof broken);
  assert_class (classify (), UNKNOWN);
  ts_append (stream, H264_PID, TS_START | TS_RANDOM_ACCESS, broken, sizeof broken);
  assert_class (classify (), RANDOM_ACCESS);
}

GST_END_TEST;

/* ---- clocks ---------------------------------------------------------------- */

GST_START_TEST (time_stamps_may_wrap_and_a_pcr_may_be_missing)
{
  static const guint64 last_pts = (G_GUINT64_CONSTANT (1) << 33) - 1;

  for (guint i = 0; i < 4; i++) {
    ts_append_pes_cut (stream, H264_PID, 0, (last_pts - 3000 + i * 3000) & last_pts,
        (const guint8 *) H264_B, 6, TS_PAYLOAD_BYTES);
    fail_unless_equals_int (classify ().picture, i + 1);
  }
}

GST_END_TEST;

static Suite *
tsclassifier_suite (void)
{
  Suite *s = suite_create ("tsclassifier");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, what_is_no_video_has_the_class_of_its_pid);
  tcase_add_test (tc, a_pcr_without_payload_counts_as_a_table);
  tcase_add_test (tc, a_table_that_says_nothing_new_counts_once_in_a_group);
  tcase_add_test (tc, a_table_that_changes_counts_with_its_first_repetition);
  tcase_add_test (tc, a_table_that_says_nothing_new_leaves_its_packet_to_the_picture_beside_it);
  tcase_add_test (tc, before_the_tables_nothing_is_known);
  tcase_add_test (tc, a_packet_that_is_marked_as_damaged_is_not_read);
  tcase_add_test (tc, packets_of_a_picture_have_its_class_number_and_group);
  tcase_add_test (tc, before_the_first_random_access_there_is_no_group);
  tcase_add_test (tc, what_comes_before_the_first_picture_is_unknown);
  tcase_add_test (tc, two_videos_number_their_pictures_and_groups_together);
  tcase_add_test (tc, a_packet_is_worth_its_most_important_part);
  tcase_add_test (tc, of_two_pictures_of_a_class_the_packet_belongs_to_the_one_that_begins);
  tcase_add_test (tc, an_empty_packet_is_unknown);
  tcase_add_test (tc, before_the_slice_a_picture_is_taken_for_a_reference);
  tcase_add_test (tc, before_the_slice_the_indicator_announces_random_access);
  tcase_add_test (tc, a_guess_belongs_to_no_group);
  tcase_add_test (tc, a_slice_in_the_same_packet_of_rtp_leaves_nothing_to_guess);
  tcase_add_test (tc, a_guess_counts_when_another_stream_says_less);
  tcase_add_test (tc, two_guesses_of_two_streams_both_count);
  tcase_add_test (tc, after_a_reset_old_pictures_are_forgotten_and_tables_stay);
  tcase_add_test (tc, a_scrambled_picture_has_the_class_of_the_indicators);
  tcase_add_test (tc, scrambling_that_begins_inside_a_picture_changes_nothing);
  tcase_add_test (tc, a_pes_packet_that_is_scrambled_or_broken_is_not_read);
  tcase_add_test (tc, time_stamps_may_wrap_and_a_pcr_may_be_missing);
  return s;
}

GST_CHECK_MAIN (tsclassifier);
