/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of H.264, H.265 and MPEG-2 in a transport stream, see gst/tfrcsink/tspictures.h and
 * gst/tfrcsink/videounit.h */
#include "tsclassifiertest.h"

/* ---- H.264 --------------------------------------------------------------- */

GST_START_TEST (h264_pictures_have_the_class_of_their_first_slice)
{
  fail_unless_equals_int (class_of (H264_PID, 0, H264_AUD H264_IDR), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_AUD H264_P H264_P), REFERENCE);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_AUD H264_B_REFERENCE), REFERENCE);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_AUD H264_B H264_B), NON_REFERENCE);
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\0\0\1\x21\x9a\x24"), REFERENCE); /* nal_ref_idc 1 */
  /* an IDR picture need not be intra coded throughout to be one */
  fail_unless_equals_int (class_of (H264_PID, 0, "\0\0\1\x65\x9a\x24"), RANDOM_ACCESS);
  /* the first of three partitions of a slice */
  fail_unless_equals_int (class_of (H264_PID, 0, "\0\0\1\x42\x9a\x24"), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (an_h264_picture_without_idr_is_for_random_access_if_it_is_announced_and_intra)
{
  fail_unless_equals_int (class_of (H264_PID, 0, H264_I), REFERENCE);
  fail_unless_equals_int (class_of (H264_PID, TS_RANDOM_ACCESS, H264_I), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_SPS H264_PPS H264_I), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_RECOVERY_POINT H264_I), RANDOM_ACCESS);
  /* gradual refresh */
  fail_unless_equals_int (class_of (H264_PID, 0, H264_RECOVERY_POINT H264_P), REFERENCE);
  fail_unless_equals_int (class_of (H264_PID, TS_RANDOM_ACCESS, H264_SPS H264_P), REFERENCE);
  fail_unless_equals_int (
      class_of (H264_PID, 0, H264_SPS "\0\0\1\x61\x96\x84"), RANDOM_ACCESS); /* SI */
  /* intra coded, and nothing refers to it */
  fail_unless_equals_int (
      class_of (H264_PID, TS_RANDOM_ACCESS, "\0\0\1\x01\x88\x84"), NON_REFERENCE);
  /* An announcement is of one picture. */
  fail_unless_equals_int (class_of (H264_PID, 0, H264_SPS H264_B H264_I), REFERENCE);
  append_picture (H264_PID, 0, H264_SPS);
  classify ();
  fail_unless_equals_int (class_of (H264_PID, 0, H264_I), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (a_recovery_point_is_found_behind_other_messages)
{
  /* a buffering period with an emulation prevention byte, and pic_timing */
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\0\0\1\x06\0\4\0\0\3\1\x55\1\1\x12\x06\1\xc4\x80" H264_I),
      RANDOM_ACCESS);
  /* a message of type 256 */
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\0\0\1\x06\xff\1\1\x55\x06\1\xc4\x80" H264_I), RANDOM_ACCESS);
  /* user data of 300 bytes would be before it: the size says more than there is */
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\0\0\1\x06\5\xff\x2d\x06\1\xc4\x80" H264_I), REFERENCE);
  /* no end */
  fail_unless_equals_int (class_of (H264_PID, 0, "\0\0\1\x06\xff\xff" H264_I), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (messages_end_with_their_unit)
{
  /* Read on as messages, the slice would have a recovery point. */
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\0\0\1\x06\1\1\x12\x80\0\0\1\x61\x88\6\6\6\6\6\6\6\6\1\xc4"),
      REFERENCE);
}

GST_END_TEST;

GST_START_TEST (an_announcement_that_the_slice_denies_begins_no_group)
{
  append_picture (H264_PID, 0, H264_IDR);
  fail_unless_equals_int (classify ().group, 1);
  append_picture (H264_PID, TS_RANDOM_ACCESS, H264_SPS H264_P);
  fail_unless_equals_int (classify ().group, 1);
  append_picture (H264_PID, 0, H264_B);
  fail_unless_equals_int (classify ().group, 1);
}

GST_END_TEST;

GST_START_TEST (the_indicator_may_come_before_the_picture)
{
  ts_append (stream, H264_PID, TS_RANDOM_ACCESS, NULL, 0);
  append_picture (H264_PID, 0, H264_I);
  assert_class (classify (), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_I), REFERENCE);
}

GST_END_TEST;

/* ---- H.265 --------------------------------------------------------------- */

GST_START_TEST (h265_pictures_have_the_class_of_their_type)
{
  fail_unless_equals_int (class_of (H265_PID, 0, H265_HEADS H265_IDR), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H265_PID, 0, H265_CRA), RANDOM_ACCESS);
  /* BLA_W_LP, BLA_W_RADL, BLA_N_LP and IDR_N_LP */
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x20\1\xaf"), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x22\1\xaf"), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x24\1\xaf"), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x28\1\xaf"), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H265_PID, 0, H265_P), REFERENCE);
  fail_unless_equals_int (class_of (H265_PID, 0, H265_B H265_B), NON_REFERENCE);
  /* pictures that lead a CRA picture: RASL_N and RASL_R */
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x10\1\xd0"), NON_REFERENCE);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x12\1\xd0"), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (only_the_highest_temporal_layer_of_h265_is_dispensable)
{
  /* TSA_N in layer 1: none is higher yet */
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x04\2\xd0"), NON_REFERENCE);
  /* TRAIL_N in layer 0 may be referred to in layer 1. */
  fail_unless_equals_int (class_of (H265_PID, 0, H265_B), REFERENCE);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x04\2\xd0"), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (another_layer_of_h265_says_nothing)
{
  /* nuh_layer_id 1: in the first byte's last bit it would be 32 */
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x02\x09\xd0" H265_B), NON_REFERENCE);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x03\1\xd0" H265_B), NON_REFERENCE);
}

GST_END_TEST;

/* ---- MPEG-2 -------------------------------------------------------------- */

GST_START_TEST (mpeg2_pictures_have_the_class_of_their_type)
{
  fail_unless_equals_int (class_of (MPEG_PID, 0, MPEG_HEADS MPEG_I), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (MPEG_PID, 0, MPEG_I), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (MPEG_PID, 0, MPEG_P), REFERENCE);
  fail_unless_equals_int (class_of (MPEG_PID, 0, MPEG_B), NON_REFERENCE);
}

GST_END_TEST;

/* ---- before the slice ----------------------------------------------------- */

/* What comes in the packets in front of the slice is as dear as the picture. */
GST_START_TEST (each_head_of_a_sequence_announces_random_access)
{
  fail_unless_equals_int (class_of (H264_PID, 0, H264_SPS), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x40\1\x0c"), RANDOM_ACCESS); /* VPS */
  fail_unless_equals_int (class_of (H265_PID, 0, "\0\0\1\x42\1\1"), RANDOM_ACCESS);   /* SPS */
  fail_unless_equals_int (class_of (MPEG_PID, 0, "\0\0\1\xb3\x16\0\xf0"), RANDOM_ACCESS);
  fail_unless_equals_int (class_of (MPEG_PID, 0, "\0\0\1\xb8\0\x08"), RANDOM_ACCESS);
  /* a delimiter and a PPS say nothing */
  fail_unless_equals_int (class_of (H264_PID, 0, H264_AUD H264_PPS), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (a_flush_forgets_an_announcement_before_the_picture)
{
  ts_append (stream, H264_PID, TS_RANDOM_ACCESS, NULL, 0);
  classify ();
  gst_tfrc_ts_classifier_reset (&classifier);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_I), REFERENCE);
}

GST_END_TEST;

/* The priority counts where nothing better is known. */
GST_START_TEST (the_slice_goes_before_the_priority)
{
  fail_unless_equals_int (class_of (H264_PID, TS_PRIORITY, H264_B), NON_REFERENCE);
  fail_unless_equals_int (class_of (H264_PID, TS_PRIORITY, H264_IDR), RANDOM_ACCESS);
}

GST_END_TEST;

/* ---- PES packets --------------------------------------------------------- */

typedef struct
{
  guint pid;
  const guint8 *units;
  guint bytes;
  GstTfrcClass class;
} Sample;

#define SAMPLE(pid, units, class) \
  { \
    pid, (const guint8 *) (units), sizeof (units) - 1, class \
  }

GST_START_TEST (a_picture_cut_anywhere_has_the_same_class_in_the_end)
{
  static const Sample samples[] = {
    SAMPLE (H264_PID, H264_AUD H264_SPS H264_PPS H264_RECOVERY_POINT H264_I, RANDOM_ACCESS),
    SAMPLE (H264_PID, H264_AUD H264_B, NON_REFERENCE),
    SAMPLE (H265_PID, H265_HEADS H265_IDR, RANDOM_ACCESS),
    SAMPLE (H265_PID, H265_HEADS H265_P, REFERENCE),
    SAMPLE (MPEG_PID, MPEG_HEADS MPEG_I, RANDOM_ACCESS),
    SAMPLE (MPEG_PID, MPEG_B, NON_REFERENCE),
  };

  for (guint most = 1; most < 60; most++)
    for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
      const Sample *sample = &samples[i];

      ts_append_pes_cut (stream, sample->pid, 0, 0, sample->units, sample->bytes, most);
      assert_class (classify (), sample->class);
    }
}

GST_END_TEST;

GST_START_TEST (a_picture_that_is_worth_more_counts_behind_a_dispensable_one)
{
  GstTfrcImportance importance;

  append_picture (H264_PID, 0, H264_AUD H264_B H264_AUD H264_B H264_AUD H264_SPS H264_I);
  importance = classify ();
  assert_class (importance, RANDOM_ACCESS);
  fail_unless_equals_int (importance.picture, 2);
  fail_unless_equals_int (importance.group, 1);
  /* What follows is taken for the same. */
  append_picture (H264_PID, 0, H264_P H264_AUD H264_B);
  importance = classify ();
  assert_class (importance, REFERENCE);
  fail_unless_equals_int (importance.picture, 3);
}

GST_END_TEST;

/* Each pair: the beginning of a picture, and its next slice in a PES packet of its own */
GST_START_TEST (a_picture_may_take_several_pes_packets)
{
  static const Sample samples[][2] = {
    { SAMPLE (H264_PID, H264_AUD H264_IDR, RANDOM_ACCESS),
        SAMPLE (H264_PID, "\0\0\1\x65\x48\x84", RANDOM_ACCESS) },
    { SAMPLE (H264_PID, H264_AUD H264_B, NON_REFERENCE),
        SAMPLE (H264_PID, "\0\0\1\x01\x5e\x24", NON_REFERENCE) },
    { SAMPLE (H264_PID, "\0\0\1\x42\x9a\x24", REFERENCE), /* partition A */
        SAMPLE (H264_PID, "\0\0\1\x42\x5a\x24", REFERENCE) },
    { SAMPLE (H265_PID, H265_HEADS H265_IDR, RANDOM_ACCESS),
        SAMPLE (H265_PID, "\0\0\1\x26\1\x2f", RANDOM_ACCESS) },
    { SAMPLE (MPEG_PID, MPEG_HEADS MPEG_I, RANDOM_ACCESS),
        SAMPLE (MPEG_PID, "\0\0\1\x07\x22\0\0\1\x08\x22", RANDOM_ACCESS) },
    { SAMPLE (MPEG_PID, MPEG_B, NON_REFERENCE),
        SAMPLE (MPEG_PID, "\0\0\1\x07\x22", NON_REFERENCE) },
    { SAMPLE (MPEG_PID, MPEG_B, NON_REFERENCE),
        SAMPLE (MPEG_PID, "\0\0\1\xaf\x22", NON_REFERENCE) }, /* the last slice that there may be */
  };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    const Sample *sample = samples[i];
    GstTfrcImportance begin, rest;

    ts_append_pes (stream, sample[0].pid, 0, sample[0].units, sample[0].bytes);
    begin = classify ();
    ts_append_pes (stream, sample[1].pid, 0, sample[1].units, sample[1].bytes);
    rest = classify ();
    assert_class (begin, sample[0].class);
    assert_class (rest, sample[1].class);
    fail_unless_equals_int (rest.picture, begin.picture);
    fail_unless_equals_int (rest.group, begin.group);
  }
}

GST_END_TEST;

GST_START_TEST (a_picture_that_begins_behind_the_rest_of_another_is_found)
{
  append_picture (MPEG_PID, 0, MPEG_B);
  assert_class (classify (), NON_REFERENCE);
  append_picture (MPEG_PID, 0, "\0\0\1\x07\x22" MPEG_HEADS MPEG_I);
  assert_class (classify (), RANDOM_ACCESS);
}

GST_END_TEST;

/* As after a flush */
GST_START_TEST (the_rest_of_a_picture_without_its_beginning_is_a_guess)
{
  append_picture (MPEG_PID, 0, "\0\0\1\x07\x22");
  assert_class (classify (), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (after_a_flush_no_picture_goes_on)
{
  append_picture (MPEG_PID, 0, MPEG_B);
  assert_class (classify (), NON_REFERENCE);
  gst_tfrc_ts_classifier_reset (&classifier);
  append_picture (MPEG_PID, 0, "\0\0\1\x07\x22");
  assert_class (classify (), REFERENCE);
}

GST_END_TEST;

/* What comes behind a seek is another's end. */
GST_START_TEST (after_a_flush_packets_are_not_read_until_a_picture_begins)
{
  append_picture (H264_PID, 0, H264_AUD);
  classify ();
  gst_tfrc_ts_classifier_reset (&classifier);
  ts_append (stream, H264_PID, 0, (const guint8 *) H264_IDR, sizeof H264_IDR - 1);
  assert_class (classify (), UNKNOWN);
  fail_unless_equals_int (class_of (H264_PID, 0, H264_B), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (bytes_that_look_like_start_codes_change_nothing)
{
  /* A 1 that is of no start code may stand right before one. */
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\0\0\2\1\0\0\1\x41\x9a\0\0\2\1\0\0\1\x41\x9a"), REFERENCE);
  fail_unless_equals_int (class_of (H264_PID, 0, "\0\0\2\1\0\0\1\x01\x9e"), NON_REFERENCE);
  fail_unless_equals_int (
      class_of (H264_PID, 0, "\1\1\0\1\x65\0\0\2\1\0\0\0\0\0\0\0\1\x09\0\0\1\x41\x9a"), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (numbers_wrap_to_1)
{
  GstTfrcTsNumbers numbers = { G_MAXUINT32, G_MAXUINT32 };
  GstTfrcTsPictures pictures;
  GstTfrcImportance importance;
  GstTfrcTsHeader header;

  gst_tfrc_ts_pictures_init (&pictures, H264_PID, GST_TFRC_TS_H264);
  append_picture (H264_PID, 0, H264_IDR);
  gst_tfrc_ts_header_read (&header, stream->data);
  fail_unless (gst_tfrc_ts_pictures_take (&pictures, &header, &numbers, &importance));
  fail_unless_equals_int (importance.picture, 1);
  fail_unless_equals_int (importance.group, 1);
}

GST_END_TEST;

GST_START_TEST (a_pes_header_may_be_long_and_cut)
{
  static guint8 pes[9 + 255 + 6] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 255 };

  /* start codes in the header are not read */
  for (guint i = 9; i + 6 <= 9 + 255; i += 6)
    memcpy (pes + i, H264_IDR, 6);
  memcpy (pes + 9 + 255, H264_B, 6);
  ts_append_unit (stream, H264_PID, 0, pes, sizeof pes, 184);
  assert_class (classify (), NON_REFERENCE);
  ts_append_unit (stream, H264_PID, 0, pes, sizeof pes, 4);
  assert_class (classify (), NON_REFERENCE);
}

GST_END_TEST;

/* The rest of the header does not come, as after a loss in front of the sender. */
GST_START_TEST (a_header_without_its_end_costs_no_other_picture)
{
  static guint8 pes[TS_PAYLOAD_BYTES] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 255 };

  ts_append (stream, H264_PID, TS_START, pes, sizeof pes);
  classify ();
  fail_unless_equals_int (class_of (H264_PID, 0, H264_B), NON_REFERENCE);
}

GST_END_TEST;

/* As of MPEG-1, whose header is another */
GST_START_TEST (a_pes_header_of_another_form_is_not_read)
{
  static const guint8 pes[] = { 0, 0, 1, 0xe0, 0, 0, 0x0f, 0, 0, 0, 0, 1, 0x65, 0x88, 0x84 };

  ts_append (stream, H264_PID, TS_START, pes, sizeof pes);
  assert_class (classify (), UNKNOWN);
}

GST_END_TEST;

static Suite *
tspictures_suite (void)
{
  Suite *s = suite_create ("tspictures");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, h264_pictures_have_the_class_of_their_first_slice);
  tcase_add_test (
      tc, an_h264_picture_without_idr_is_for_random_access_if_it_is_announced_and_intra);
  tcase_add_test (tc, a_recovery_point_is_found_behind_other_messages);
  tcase_add_test (tc, messages_end_with_their_unit);
  tcase_add_test (tc, an_announcement_that_the_slice_denies_begins_no_group);
  tcase_add_test (tc, the_indicator_may_come_before_the_picture);
  tcase_add_test (tc, h265_pictures_have_the_class_of_their_type);
  tcase_add_test (tc, only_the_highest_temporal_layer_of_h265_is_dispensable);
  tcase_add_test (tc, another_layer_of_h265_says_nothing);
  tcase_add_test (tc, mpeg2_pictures_have_the_class_of_their_type);
  tcase_add_test (tc, each_head_of_a_sequence_announces_random_access);
  tcase_add_test (tc, a_flush_forgets_an_announcement_before_the_picture);
  tcase_add_test (tc, the_slice_goes_before_the_priority);
  tcase_add_test (tc, a_picture_cut_anywhere_has_the_same_class_in_the_end);
  tcase_add_test (tc, a_picture_that_is_worth_more_counts_behind_a_dispensable_one);
  tcase_add_test (tc, a_picture_may_take_several_pes_packets);
  tcase_add_test (tc, a_picture_that_begins_behind_the_rest_of_another_is_found);
  tcase_add_test (tc, the_rest_of_a_picture_without_its_beginning_is_a_guess);
  tcase_add_test (tc, after_a_flush_no_picture_goes_on);
  tcase_add_test (tc, after_a_flush_packets_are_not_read_until_a_picture_begins);
  tcase_add_test (tc, bytes_that_look_like_start_codes_change_nothing);
  tcase_add_test (tc, numbers_wrap_to_1);
  tcase_add_test (tc, a_pes_header_may_be_long_and_cut);
  tcase_add_test (tc, a_header_without_its_end_costs_no_other_picture);
  tcase_add_test (tc, a_pes_header_of_another_form_is_not_read);
  return s;
}

GST_CHECK_MAIN (tspictures);
