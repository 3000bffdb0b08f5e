/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of a transport stream, see gst/tfrcsink/tsprograms.h */
#include "tsclassifiertest.h"

#define OTHER_PMT_PID 0x1001

static const guint16 both_pids[] = { PMT_PID, OTHER_PMT_PID };
static const TsStream video = { 0x1b, H264_PID, NULL, 0 };
static const TsStream audio = { 0x0f, AUDIO_PID, NULL, 0 };

/* Appends a PMT of program 1 with one stream. */
static void
append_pmt_of (guint version, TsStream only)
{
  ts_append_pmt (stream, PMT_PID, 1, version, &only, 1);
}

/* Classifies a packet in which a unit begins that looks like H.264. */
static guint8
class_of_pid (guint pid)
{
  return class_of (pid, 0, H264_P);
}

GST_START_TEST (a_new_version_of_a_table_takes_the_place_of_the_old)
{
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  append_pmt_of (1, video);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), UNKNOWN);
  fail_unless_equals_int (class_of_pid (H264_PID), REFERENCE);
  append_pmt_of (2, audio);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  fail_unless_equals_int (class_of_pid (H264_PID), UNKNOWN);
  /* the codec changes, the PID stays */
  append_pmt_of (3, (TsStream){ 0x24, H264_PID, NULL, 0 });
  classify ();
  fail_unless_equals_int (class_of (H264_PID, 0, H265_B), NON_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (a_stream_that_stays_in_the_table_keeps_its_group)
{
  append_picture (H264_PID, 0, H264_IDR);
  fail_unless_equals_int (classify ().group, 1);
  append_tables (1);
  append_picture (H264_PID, 0, H264_P);
  fail_unless_equals_int (classify ().group, 1);
}

GST_END_TEST;

/* Appends a PMT in which one byte has another value. */
static void
append_pmt_with (guint at, guint8 value)
{
  GByteArray *section = ts_pmt_new (1, 1, &video, 1);
  guint32 crc;

  section->data[at] = value;
  crc = GUINT32_TO_BE (ts_crc (section->data, section->len - 4));
  memcpy (section->data + section->len - 4, &crc, 4);
  ts_append_section (stream, PMT_PID, section);
}

GST_START_TEST (only_the_first_section_of_the_present_table_counts)
{
  append_pmt_with (5, 0xc2);  /* current_next_indicator: 0 */
  append_pmt_with (6, 1);     /* section_number */
  append_pmt_with (1, 0x30);  /* section_syntax_indicator: 0 */
  append_pmt_with (0, 3);     /* table_id */
  append_pmt_with (4, 2);     /* program_number */
  append_pmt_with (11, 0xff); /* program_info_length: behind the end */
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  append_pmt_with (6, 0);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), UNKNOWN);
}

GST_END_TEST;

GST_START_TEST (a_program_may_end_and_come_back)
{
  static const guint16 other_pid[] = { OTHER_PMT_PID };

  ts_append_pat (stream, 1, other_pid, 0);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), UNKNOWN);
  fail_unless_equals_int (class_of_pid (PMT_PID), UNKNOWN); /* which has no table now */
  append_tables (0);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  /* The table moves to another PID, and has another stream. */
  ts_append_pat (stream, 2, other_pid, 1);
  append_pmt_of (1, video);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  ts_append_pmt (stream, OTHER_PMT_PID, 1, 1, &video, 1);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), UNKNOWN);
}

GST_END_TEST;

GST_START_TEST (a_damaged_table_changes_nothing)
{
  append_pmt_of (1, video);
  for (guint at = TS_BYTES - 1; stream->data[at] == 0xff || at > TS_BYTES - 10; at--) {
    guint8 packet[TS_BYTES];

    memcpy (packet, stream->data, TS_BYTES);
    packet[at] ^= 0x10;
    classify_one (packet);
  }
  g_byte_array_set_size (stream, 0);
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

GST_START_TEST (each_program_has_its_streams)
{
  static const TsStream another[] = { { 0x1b, 0x200, NULL, 0 }, { 0x0f, 0x210, NULL, 0 } };

  ts_append_pat (stream, 1, both_pids, 2);
  ts_append_pmt (stream, OTHER_PMT_PID, 2, 0, another, 2);
  classify ();
  fail_unless_equals_int (class_of_pid (H264_PID), REFERENCE);
  fail_unless_equals_int (class_of_pid (0x200), REFERENCE);
  fail_unless_equals_int (class_of_pid (0x210), AUDIO);
  /* The first program ends. */
  append_pmt_of (1, video);
  classify ();
  fail_unless_equals_int (class_of_pid (0x210), AUDIO);
  ts_append_pat (stream, 2, both_pids, 1);
  classify ();
  fail_unless_equals_int (class_of_pid (H264_PID), REFERENCE);
  fail_unless_equals_int (class_of_pid (0x200), UNKNOWN);
  fail_unless_equals_int (class_of_pid (0x210), UNKNOWN);
}

GST_END_TEST;

GST_START_TEST (two_programs_may_have_their_tables_in_one_pid)
{
  static const guint16 same_pid[] = { PMT_PID, PMT_PID };
  static const TsStream another = { 0x0f, 0x210, NULL, 0 };

  ts_append_pat (stream, 1, same_pid, 2);
  ts_append_pmt (stream, PMT_PID, 2, 0, &another, 1);
  append_tables (0);
  g_byte_array_set_size (stream, 2 * TS_BYTES);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  fail_unless_equals_int (class_of_pid (0x210), AUDIO);
}

GST_END_TEST;

GST_START_TEST (a_table_in_the_pid_of_another_program_changes_nothing)
{
  ts_append_pat (stream, 1, both_pids, 2);
  ts_append_pmt (stream, OTHER_PMT_PID, 1, 1, &video, 1);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

GST_START_TEST (a_stream_that_two_programs_share_stays_while_one_lists_it)
{
  ts_append_pat (stream, 1, both_pids, 2);
  ts_append_pmt (stream, OTHER_PMT_PID, 2, 0, &audio, 1);
  classify ();
  ts_append_pmt (stream, OTHER_PMT_PID, 2, 1, &video, 1);
  classify ();
  /* the table of the first program as it was: it comes again and again */
  ts_append_pat (stream, 1, both_pids, 2);
  append_tables (0);
  g_byte_array_remove_range (stream, TS_BYTES, TS_BYTES); /* its own PAT */
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  fail_unless_equals_int (class_of_pid (H264_PID), REFERENCE);
}

GST_END_TEST;

GST_START_TEST (a_program_may_have_audio_only)
{
  gst_tfrc_ts_classifier_init (&classifier);
  ts_append_pat (stream, 0, both_pids, 1);
  append_pmt_of (0, audio);
  classify ();
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

GST_START_TEST (descriptors_tell_what_private_data_is)
{
  static const TsStream streams[] = {
    { 0x06, 0x201, "\x6a\1\0", 3 },              /* AC-3 of DVB */
    { 0x06, 0x202, "\x0a\4eng\0\x7a\1\0", 9 },   /* a language, and E-AC-3 */
    { 0x06, 0x203, "\5\4Opus\x7f\2\x80\2", 10 }, /* registered */
    { 0x06, 0x204, "\5\4HEVC", 6 },              /* registered */
    { 0x06, 0x205, "\5\4ABCD", 6 },              /* not known */
    { 0x06, 0x206, "\x6a\x10", 2 },              /* longer than its place */
    { 0x06, 0x207, "\5\1A", 3 },                 /* too short for a name */
    { 0x81, 0x208, NULL, 0 },                    /* AC-3 of ATSC */
    { 0x06, 0x209,
        "\5\4"
        "AV01",
        6 }, /* a codec that is not read */
  };
  static const guint8 classes[] = { AUDIO, AUDIO, AUDIO, REFERENCE, UNKNOWN, UNKNOWN, UNKNOWN,
    AUDIO, UNKNOWN };

  ts_append_pmt (stream, PMT_PID, 1, 1, streams, G_N_ELEMENTS (streams));
  classify ();
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    fail_unless_equals_int (class_of (streams[i].pid, 0, H265_P), classes[i]);
  fail_unless_equals_int (class_of (0x209, TS_RANDOM_ACCESS, H265_P), RANDOM_ACCESS);
}

GST_END_TEST;

/* Reads a table in which each stream has one type and one descriptor, from PID 0x201 on. */
static void
read_streams (const guint8 *types, const gchar *const *descriptors, guint n)
{
  TsStream streams[32];

  for (guint i = 0; i < n; i++)
    streams[i] = (TsStream){ types ? types[i] : 0x06, (guint16) (0x201 + i),
      descriptors ? descriptors[i] : NULL, descriptors ? 2 + (guint) descriptors[i][1] : 0 };
  ts_append_pmt (stream, PMT_PID, 1, 1, streams, n);
  classify ();
}

GST_START_TEST (each_descriptor_of_sound_is_known)
{
  static const gchar *const descriptors[] = { "\5\4AC-3", "\5\4EAC3", "\5\4DTS1", "\5\4DTS2",
    "\5\4DTS3", "\5\4BSSD", "\5\4Opus", "\x6a\1\0", "\x7a\1\0", "\x7b\1\0", "\x7c\1\0" };

  read_streams (NULL, descriptors, G_N_ELEMENTS (descriptors));
  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++)
    fail_unless_equals_int (class_of_pid (0x201 + i), AUDIO);
}

GST_END_TEST;

GST_START_TEST (each_stream_type_of_sound_is_known)
{
  static const guint8 types[] = { 0x03, 0x04, 0x0f, 0x11, 0x1c, 0x2d, 0x2e, 0x81, 0x87 };

  read_streams (types, NULL, G_N_ELEMENTS (types));
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    fail_unless_equals_int (class_of_pid (0x201 + i), AUDIO);
}

GST_END_TEST;

/* Pictures that are not read have what the transport stream indicates. */
GST_START_TEST (each_stream_type_of_video_is_known)
{
  static const guint8 types[] = { 0x10, 0x1f, 0x20, 0x21, 0x25, 0x33, 0x42, 0xea };
  static const gchar *const descriptors[] = { "\5\4VC-1",
    "\5\4"
    "AV01" };

  read_streams (types, NULL, G_N_ELEMENTS (types));
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    fail_unless_equals_int (class_of (0x201 + i, TS_RANDOM_ACCESS, H264_P), RANDOM_ACCESS);
  append_tables (2);
  classify ();
  read_streams (NULL, descriptors, G_N_ELEMENTS (descriptors));
  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++)
    fail_unless_equals_int (class_of (0x201 + i, TS_RANDOM_ACCESS, H264_P), RANDOM_ACCESS);
}

GST_END_TEST;

GST_START_TEST (video_of_mpeg1_and_mpeg2_is_read)
{
  static const guint8 types[] = { 0x01, 0x02 };

  read_streams (types, NULL, G_N_ELEMENTS (types));
  fail_unless_equals_int (class_of (0x201, 0, MPEG_B), NON_REFERENCE);
  fail_unless_equals_int (class_of (0x202, 0, MPEG_B), NON_REFERENCE);
}

GST_END_TEST;

/* As ffmpeg, mpegtsmux and Blu-ray discs have them */
GST_START_TEST (sound_that_no_standard_of_broadcasting_has_is_sound)
{
  static const guint8 types[] = { 0x82, 0x83, 0x84, 0x85, 0x86, 0x8a, 0x8b, 0xa1, 0xa2 };
  TsStream streams[G_N_ELEMENTS (types)];

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    streams[i] = (TsStream){ types[i], (guint16) (0x201 + i), NULL, 0 };
  ts_append_pmt (stream, PMT_PID, 1, 1, streams, G_N_ELEMENTS (streams));
  classify ();
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    fail_unless_equals_int (class_of_pid (streams[i].pid), AUDIO);
}

GST_END_TEST;

GST_START_TEST (what_descrambles_counts_as_a_table)
{
  static const TsStream streams[] = { { 0x1b, H264_PID, "\x09\4\x05\0\xe3\0", 6 } };

  ts_append_pmt (stream, PMT_PID, 1, 1, streams, 1);
  classify ();
  fail_unless_equals_int (class_of_pid (0x300), TABLES);
}

GST_END_TEST;

/* As broadcasters have it: one descriptor for all streams of the program */
GST_START_TEST (what_descrambles_a_whole_program_counts_as_a_table)
{
  static const guint8 data[] = { 0xe1, 0, 0xf0, 6, 0x09, 4, 0x05, 0, 0xe3, 0, 0x1b, 0xe1, 0, 0xf0,
    0 };

  ts_append_section (stream, PMT_PID, ts_section_new (2, 1, 1, data, sizeof data));
  classify ();
  fail_unless_equals_int (class_of_pid (0x300), TABLES);
  fail_unless_equals_int (class_of_pid (H264_PID), REFERENCE);
}

GST_END_TEST;

/* Read on, the descriptor behind would be PID 0x0a04. */
GST_START_TEST (a_descriptor_that_is_too_short_for_a_pid_names_none)
{
  static const TsStream streams[] = { { 0x1b, H264_PID, "\x09\2\x05\0\x0a\4eng\0", 10 } };

  ts_append_pmt (stream, PMT_PID, 1, 1, streams, 1);
  classify ();
  fail_unless_equals_int (class_of_pid (0x0a04), UNKNOWN);
  fail_unless_equals_int (class_of_pid (H264_PID), REFERENCE);
}

GST_END_TEST;

/* @language: a descriptor of 200 bytes in each stream makes a section of several packets. */
static void
append_long_pmt (guint version)
{
  static gchar language[200] = { 0x0a, (gchar) 198 };
  const TsStream streams[] = { { 0x1b, H264_PID, language, sizeof language },
    { 0x02, 0x400, language, sizeof language }, { 0x0f, 0x401, language, sizeof language } };

  ts_append_pmt (stream, PMT_PID, 1, version, streams, G_N_ELEMENTS (streams));
  fail_unless_equals_int (stream->len, 4 * TS_BYTES);
}

GST_START_TEST (a_table_may_take_several_packets)
{
  append_long_pmt (1);
  classify ();
  fail_unless_equals_int (class_of_pid (0x401), AUDIO);
  fail_unless_equals_int (class_of_pid (AUDIO_PID), UNKNOWN);
}

GST_END_TEST;

GST_START_TEST (all_packets_of_a_table_count_alike)
{
  for (guint round = 0; round < 3; round++) {
    append_long_pmt (1);
    for (guint at = 0; at < stream->len; at += TS_BYTES)
      fail_unless_equals_int (classify_one (stream->data + at).class, round < 2 ? TABLES : UNKNOWN);
    g_byte_array_set_size (stream, 0);
  }
}

GST_END_TEST;

GST_START_TEST (a_table_that_misses_a_packet_is_read_when_it_comes_again)
{
  append_long_pmt (1);
  g_byte_array_remove_range (stream, 2 * TS_BYTES, TS_BYTES);
  classify ();
  fail_unless_equals_int (class_of_pid (0x401), UNKNOWN);
  append_long_pmt (1);
  classify ();
  fail_unless_equals_int (class_of_pid (0x401), AUDIO);
}

GST_END_TEST;

GST_START_TEST (after_a_flush_a_table_is_not_read_on)
{
  append_long_pmt (1);
  for (guint i = 0; i < 4; i++) {
    if (i == 2)
      gst_tfrc_ts_classifier_reset (&classifier);
    classify_one (stream->data + i * TS_BYTES);
  }
  g_byte_array_set_size (stream, 0);
  fail_unless_equals_int (class_of_pid (0x401), UNKNOWN);
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

GST_START_TEST (a_packet_of_another_table_is_no_part_of_a_table)
{
  static const guint8 rest[TS_PAYLOAD_BYTES] = { 0 };

  ts_append_pat (stream, 1, both_pids, 2);
  classify ();
  append_long_pmt (1);
  for (guint i = 0; i < 4; i++) {
    guint8 packet[TS_BYTES];

    memcpy (packet, stream->data + i * TS_BYTES, TS_BYTES);
    classify_one (packet);
    if (i == 1) {
      GByteArray *other = g_byte_array_new ();

      ts_append (other, OTHER_PMT_PID, 0, rest, sizeof rest);
      classify_one (other->data);
      g_byte_array_unref (other);
    }
  }
  g_byte_array_set_size (stream, 0);
  fail_unless_equals_int (class_of_pid (0x401), AUDIO);
}

GST_END_TEST;

/* 16 bytes of the section itself, and four streams with 252 each */
GST_START_TEST (a_section_of_the_greatest_length_is_read)
{
  static gchar language[247] = { 0x0a, (gchar) 245 };
  TsStream streams[4];
  GByteArray *section;

  for (guint i = 0; i < 4; i++)
    streams[i] = (TsStream){ 0x0f, (guint16) (0x401 + i), language, sizeof language };
  section = ts_pmt_new (1, 1, streams, 4);
  fail_unless_equals_int (section->len, GST_TFRC_TS_MAX_SECTION_BYTES);
  ts_append_section (stream, PMT_PID, section);
  classify ();
  fail_unless_equals_int (class_of_pid (0x404), AUDIO);
}

GST_END_TEST;

GST_START_TEST (a_section_may_end_and_the_next_one_begin_in_one_packet)
{
  const TsStream another = { 0x0f, 0x210, NULL, 0 };
  static const guint16 same_pid[] = { PMT_PID, PMT_PID };
  GByteArray *one = ts_pmt_new (1, 1, &video, 1), *other = ts_pmt_new (2, 0, &another, 1);
  guint8 payload[TS_PAYLOAD_BYTES];

  ts_append_pat (stream, 1, same_pid, 2);
  payload[0] = 0;
  memcpy (payload + 1, one->data, 10);
  ts_append (stream, PMT_PID, TS_START, payload, 11);
  payload[0] = (guint8) (one->len - 10);
  memcpy (payload + 1, one->data + 10, one->len - 10);
  memcpy (payload + 1 + one->len - 10, other->data, other->len);
  ts_append (stream, PMT_PID, TS_START, payload, 1 + one->len - 10 + other->len);
  classify ();
  fail_unless_equals_int (class_of_pid (0x210), AUDIO);
  fail_unless_equals_int (class_of_pid (AUDIO_PID), UNKNOWN);
  g_byte_array_unref (one);
  g_byte_array_unref (other);
}

GST_END_TEST;

GST_START_TEST (a_table_cannot_hide_another)
{
  static const TsStream liars[] = { { 0x1b, PMT_PID, NULL, 0 }, { 0x1b, TS_PAT_PID, NULL, 0 },
    { 0x1b, TS_NULL_PID, NULL, 0 } };

  ts_append_pmt (stream, PMT_PID, 1, 1, liars, G_N_ELEMENTS (liars));
  append_tables (2);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
  fail_unless_equals_int (class_of_pid (TS_NULL_PID), NULLS);
}

GST_END_TEST;

GST_START_TEST (more_programs_and_streams_than_there_is_room_for_are_left_out)
{
  guint16 pids[60];
  guint known = 0;

  for (guint i = 0; i < G_N_ELEMENTS (pids); i++)
    pids[i] = (guint16) (0x500 + i);
  ts_append_pat (stream, 1, pids, G_N_ELEMENTS (pids));
  for (guint i = 0; i < G_N_ELEMENTS (pids); i++) {
    TsStream streams[5];

    for (guint k = 0; k < 5; k++)
      streams[k] = (TsStream){ 0x0f, (guint16) (0x600 + 5 * i + k), NULL, 0 };
    ts_append_pmt (stream, pids[i], i + 1, 0, streams, 5);
  }
  classify ();
  for (guint i = 0; i < 5 * G_N_ELEMENTS (pids); i++)
    known += class_of_pid (0x600 + i) == AUDIO;
  /* The program that the fixture has begun is another one now, and has its streams no more. */
  fail_unless_equals_int (known, GST_TFRC_TS_MAX_STREAMS);
  /* The tables of a stream that follows are read. */
  ts_append_pat (stream, 2, both_pids, 1);
  append_pmt_of (3, audio);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

/* Appends a PAT of one program, with any number. */
static void
append_pat_of (guint number, guint pid)
{
  const guint8 entry[4] = { (guint8) (number >> 8), (guint8) number, (guint8) (0xe0 | pid >> 8),
    (guint8) pid };

  ts_append_section (stream, TS_PAT_PID, ts_section_new (0, 1, number & 31, entry, sizeof entry));
}

GST_START_TEST (tables_that_change_all_the_time_need_no_more_room)
{
  for (guint i = 0; i < 1000; i++) {
    const guint pid = 0x1100 + i;
    const TsStream streams[] = { { 0x0f, (guint16) (0x200 + i), NULL, 0 },
      { 0x1b, (guint16) (0x800 + i), NULL, 0 } };

    append_pat_of (i + 1, pid);
    ts_append_pmt (stream, pid, i + 1, 0, streams, 2);
    classify ();
    fail_unless_equals_int (class_of_pid (0x200 + i), AUDIO);
    fail_unless_equals_int (class_of_pid (0x800 + i), REFERENCE);
    fail_unless_equals_int (class_of_pid (0x200 + i - 1), UNKNOWN);
  }
}

GST_END_TEST;

/* Appends a PMT of as many streams as there is room for. */
static void
append_full_pmt (guint version, guint first_pid)
{
  TsStream streams[GST_TFRC_TS_MAX_STREAMS];

  for (guint i = 0; i < GST_TFRC_TS_MAX_STREAMS; i++)
    streams[i] = (TsStream){ 0x0f, (guint16) (first_pid + i), NULL, 0 };
  ts_append_pmt (stream, PMT_PID, 1, version, streams, GST_TFRC_TS_MAX_STREAMS);
}

static guint
count_audio (guint first_pid)
{
  guint known = 0;

  for (guint i = 0; i < GST_TFRC_TS_MAX_STREAMS; i++)
    known += class_of_pid (first_pid + i) == AUDIO;
  return known;
}

GST_START_TEST (a_table_for_which_there_was_no_room_is_read_when_it_comes_again)
{
  append_full_pmt (1, 0x400);
  append_full_pmt (1, 0x400);
  classify ();
  fail_unless_equals_int (count_audio (0x400), GST_TFRC_TS_MAX_STREAMS);
  append_full_pmt (2, 0x500);
  append_full_pmt (2, 0x500);
  classify ();
  fail_unless_equals_int (count_audio (0x400), 0);
  fail_unless_equals_int (count_audio (0x500), GST_TFRC_TS_MAX_STREAMS);
  /* Once there was room the table is as any other: it counts once more, and then says nothing new. */
  append_full_pmt (2, 0x500);
  append_full_pmt (2, 0x500);
  assert_class (classify (), UNKNOWN);
}

GST_END_TEST;

GST_START_TEST (as_many_programs_as_there_is_room_for_may_be_replaced)
{
  guint16 pids[2 * GST_TFRC_TS_MAX_PROGRAMS];

  for (guint i = 0; i < G_N_ELEMENTS (pids); i++)
    pids[i] = (guint16) (0x500 + i);
  ts_append_pat (stream, 1, pids, GST_TFRC_TS_MAX_PROGRAMS);
  append_pat_of (100, 0x1234);
  append_pat_of (100, 0x1234);
  ts_append_pmt (stream, 0x1234, 100, 0, &audio, 1);
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

GST_START_TEST (sections_that_lie_about_their_length_are_skipped)
{
  static guint8 payload[TS_PAYLOAD_BYTES];

  for (guint length = 0; length < 4096; length += 5) {
    memset (payload, 0, sizeof payload);
    payload[1] = 2;
    payload[2] = (guint8) (0xb0 | length >> 8);
    payload[3] = (guint8) length;
    ts_append (stream, PMT_PID, TS_START, payload, sizeof payload);
    for (guint i = 0; i < 6; i++)
      ts_append (stream, PMT_PID, 0, payload, sizeof payload);
    payload[0] = (guint8) length; /* pointer_field */
    ts_append (stream, PMT_PID, TS_START, payload, sizeof payload);
  }
  classify ();
  fail_unless_equals_int (class_of_pid (AUDIO_PID), AUDIO);
}

GST_END_TEST;

/* Nobody knows what such a packet has. */
GST_START_TEST (a_packet_of_a_table_that_cannot_be_read_counts_each_time)
{
  static guint8 payload[TS_PAYLOAD_BYTES] = { 200 }; /* pointer_field */

  for (guint i = 0; i < 4; i++) {
    ts_append (stream, PMT_PID, TS_START, payload, sizeof payload);
    assert_class (classify (), TABLES);
  }
}

GST_END_TEST;

static Suite *
tsprograms_suite (void)
{
  Suite *s = suite_create ("tsprograms");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_new_version_of_a_table_takes_the_place_of_the_old);
  tcase_add_test (tc, a_stream_that_stays_in_the_table_keeps_its_group);
  tcase_add_test (tc, only_the_first_section_of_the_present_table_counts);
  tcase_add_test (tc, a_program_may_end_and_come_back);
  tcase_add_test (tc, a_damaged_table_changes_nothing);
  tcase_add_test (tc, each_program_has_its_streams);
  tcase_add_test (tc, two_programs_may_have_their_tables_in_one_pid);
  tcase_add_test (tc, a_table_in_the_pid_of_another_program_changes_nothing);
  tcase_add_test (tc, a_stream_that_two_programs_share_stays_while_one_lists_it);
  tcase_add_test (tc, a_program_may_have_audio_only);
  tcase_add_test (tc, descriptors_tell_what_private_data_is);
  tcase_add_test (tc, each_descriptor_of_sound_is_known);
  tcase_add_test (tc, each_stream_type_of_sound_is_known);
  tcase_add_test (tc, each_stream_type_of_video_is_known);
  tcase_add_test (tc, video_of_mpeg1_and_mpeg2_is_read);
  tcase_add_test (tc, sound_that_no_standard_of_broadcasting_has_is_sound);
  tcase_add_test (tc, what_descrambles_counts_as_a_table);
  tcase_add_test (tc, what_descrambles_a_whole_program_counts_as_a_table);
  tcase_add_test (tc, a_descriptor_that_is_too_short_for_a_pid_names_none);
  tcase_add_test (tc, a_table_may_take_several_packets);
  tcase_add_test (tc, all_packets_of_a_table_count_alike);
  tcase_add_test (tc, a_table_that_misses_a_packet_is_read_when_it_comes_again);
  tcase_add_test (tc, after_a_flush_a_table_is_not_read_on);
  tcase_add_test (tc, a_packet_of_another_table_is_no_part_of_a_table);
  tcase_add_test (tc, a_section_of_the_greatest_length_is_read);
  tcase_add_test (tc, a_section_may_end_and_the_next_one_begin_in_one_packet);
  tcase_add_test (tc, a_table_cannot_hide_another);
  tcase_add_test (tc, more_programs_and_streams_than_there_is_room_for_are_left_out);
  tcase_add_test (tc, tables_that_change_all_the_time_need_no_more_room);
  tcase_add_test (tc, a_table_for_which_there_was_no_room_is_read_when_it_comes_again);
  tcase_add_test (tc, as_many_programs_as_there_is_room_for_may_be_replaced);
  tcase_add_test (tc, sections_that_lie_about_their_length_are_skipped);
  tcase_add_test (tc, a_packet_of_a_table_that_cannot_be_read_counts_each_time);
  return s;
}

GST_CHECK_MAIN (tsprograms);
