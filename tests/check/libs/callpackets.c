/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of calls and of their answers (gst/strangers/callpacket.h) */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/strangers/callpacket.h"

#define SSRC 0x11223344
#define NUMBER 0x0a0b0c0d

GST_START_TEST (test_a_call_has_these_bytes)
{
  /* docs/wire-format.md has this example */
  static const guint8 expected[] = { 0x85, 204, 0x00, 0x08, 0x11, 0x22, 0x33, 0x44, 'T', 'F', 'R',
    'C', 0x0a, 0x0b, 0x0c, 0x0d, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0x00, 0x07, 0x00,
    0x00, 'f', 'i', 'l', 'm', '.', 't', 's', 0x00 };
  GstTfrcCallPacket call = { .ssrc = SSRC, .number = NUMBER, .stream_id = "film.ts" }, parsed;
  guint8 data[GST_TFRC_CALL_MAX_BYTES];

  for (guint i = 0; i < sizeof call.cookie; i++)
    call.cookie[i] = (guint8) (0xc0 + i);
  fail_unless_equals_uint64 (gst_tfrc_call_packet_write (data, &call), sizeof expected);
  fail_unless (memcmp (data, expected, sizeof expected) == 0);
  fail_unless (gst_tfrc_call_packet_is (data, sizeof expected));
  fail_unless (!gst_tfrc_answer_packet_is (data, sizeof expected));
  fail_unless (gst_tfrc_call_packet_parse (data, sizeof expected, &parsed));
  fail_unless (memcmp (&parsed, &call, G_STRUCT_OFFSET (GstTfrcCallPacket, stream_id)) == 0);
  fail_unless_equals_string (parsed.stream_id, "film.ts");
}

GST_END_TEST;

GST_START_TEST (test_a_call_that_is_malformed_is_refused)
{
  GstTfrcCallPacket call = { .ssrc = SSRC, .number = NUMBER, .stream_id = "film.ts" }, parsed;
  guint8 good[GST_TFRC_CALL_MAX_BYTES], data[GST_TFRC_CALL_MAX_BYTES];
  gsize size = gst_tfrc_call_packet_write (good, &call);
  static const struct
  {
    guint at;
    guint8 value;
  } faults[] = { { 0, 0x86 }, { 1, 205 }, { 3, 7 }, { 3, 9 }, { 8, 'X' }, { 24, 2 }, { 25, 9 },
    { 25, 4 }, { 28, '\n' }, { 29, 0x7f }, { 30, 0xff }, { 31, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    memcpy (data, good, size);
    data[faults[i].at] = faults[i].value;
    fail_unless (!gst_tfrc_call_packet_parse (data, size, &parsed), "fault %u", i);
  }
  for (gsize bytes = 0; bytes < size; bytes++)
    fail_unless (!gst_tfrc_call_packet_parse (good, bytes, &parsed));
}

GST_END_TEST;

GST_START_TEST (test_a_stream_id_has_up_to_512_bytes_without_control_characters)
{
  gchar text[GST_TFRC_STREAM_ID_MAX_BYTES + 2];

  memset (text, 'a', sizeof text);
  text[GST_TFRC_STREAM_ID_MAX_BYTES] = '\0';
  fail_unless (gst_tfrc_stream_id_is_valid (text));
  text[GST_TFRC_STREAM_ID_MAX_BYTES] = 'a';
  text[GST_TFRC_STREAM_ID_MAX_BYTES + 1] = '\0';
  fail_unless (!gst_tfrc_stream_id_is_valid (text));
  fail_unless (gst_tfrc_stream_id_is_valid (""));
  fail_unless (gst_tfrc_stream_id_is_valid ("../Füße/film 1.ts"));
  fail_unless (!gst_tfrc_stream_id_is_valid ("a\tb"));
  fail_unless (!gst_tfrc_stream_id_is_valid ("a\xc2\x85" /* NEL */));
  fail_unless (!gst_tfrc_stream_id_is_valid ("\xff"));
}

GST_END_TEST;

GST_START_TEST (test_a_reason_is_cut_to_what_an_answer_can_carry)
{
  GstTfrcAnswerPacket answer = { .kind = GST_TFRC_ANSWER_REFUSED }, parsed;
  guint8 data[GST_TFRC_ANSWER_MAX_BYTES];
  GString *text = g_string_new ("no\n\t film\x01");

  gst_tfrc_answer_set_reason (&answer, text->str);
  fail_unless_equals_string (answer.reason, "no film");
  g_string_truncate (text, 0);
  for (guint i = 0; i < GST_TFRC_REASON_MAX_BYTES; i++)
    g_string_append (text, "ü"); /* two bytes */
  gst_tfrc_answer_set_reason (&answer, text->str);
  fail_unless_equals_uint64 (strlen (answer.reason), GST_TFRC_REASON_MAX_BYTES);
  fail_unless (
      gst_tfrc_answer_packet_parse (data, gst_tfrc_answer_packet_write (data, &answer), &parsed));
  fail_unless_equals_string (parsed.reason, answer.reason);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* An APP packet is told by its first 12 bytes. */
GST_START_TEST (test_less_than_twelve_bytes_are_no_call_and_no_answer)
{
  GstTfrcCallPacket call = { .ssrc = SSRC };
  GstTfrcAnswerPacket answer = { .ssrc = SSRC };
  guint8 data[GST_TFRC_CALL_MAX_BYTES];

  gst_tfrc_call_packet_write (data, &call);
  fail_unless (gst_tfrc_call_packet_is (data, 12));
  fail_if (gst_tfrc_call_packet_is (data, 11));
  gst_tfrc_answer_packet_write (data, &answer);
  fail_unless (gst_tfrc_answer_packet_is (data, 12));
  fail_if (gst_tfrc_answer_packet_is (data, 11));
}

GST_END_TEST;

/* Sets the length of a packet that has grown, with a text of so many bytes at the end. */
static void
set_lengths (guint8 *data, gsize size, gsize text_at, gsize text_bytes)
{
  data[2] = (guint8) ((size / 4 - 1) >> 8);
  data[3] = (guint8) (size / 4 - 1);
  data[text_at] = (guint8) (text_bytes >> 8);
  data[text_at + 1] = (guint8) text_bytes;
}

/* The rooms of the parsed packets end behind the longest text. */
GST_START_TEST (test_a_text_that_is_longer_than_its_room_is_refused)
{
  GstTfrcCallPacket call = { .ssrc = SSRC }, parsed_call;
  GstTfrcAnswerPacket answer = { .ssrc = SSRC, .kind = GST_TFRC_ANSWER_REFUSED }, parsed_answer;
  guint8 data[4096];

  memset (data, 'a', sizeof data);
  gst_tfrc_call_packet_write (data, &call);
  set_lengths (data, GST_TFRC_CALL_HEADER_BYTES + GST_TFRC_STREAM_ID_MAX_BYTES, 24,
      GST_TFRC_STREAM_ID_MAX_BYTES);
  fail_unless (gst_tfrc_call_packet_parse (
      data, GST_TFRC_CALL_HEADER_BYTES + GST_TFRC_STREAM_ID_MAX_BYTES, &parsed_call));
  set_lengths (data, GST_TFRC_CALL_HEADER_BYTES + GST_TFRC_STREAM_ID_MAX_BYTES + 4, 24,
      GST_TFRC_STREAM_ID_MAX_BYTES + 1);
  fail_if (gst_tfrc_call_packet_parse (
      data, GST_TFRC_CALL_HEADER_BYTES + GST_TFRC_STREAM_ID_MAX_BYTES + 4, &parsed_call));
  memset (data, 'a', sizeof data);
  gst_tfrc_answer_packet_write (data, &answer);
  set_lengths (data, GST_TFRC_ANSWER_HEADER_BYTES + GST_TFRC_REASON_MAX_BYTES + 4, 18,
      GST_TFRC_REASON_MAX_BYTES + 1);
  fail_if (gst_tfrc_answer_packet_parse (
      data, GST_TFRC_ANSWER_HEADER_BYTES + GST_TFRC_REASON_MAX_BYTES + 4, &parsed_answer));
}

GST_END_TEST;

/* An acceptance has nothing behind its header, a cookie its eight bytes, and there are no other kinds. */
GST_START_TEST (test_an_answer_that_is_malformed_is_refused)
{
  static const struct
  {
    GstTfrcAnswerKind kind;
    gsize behind;
  } kinds[] = { { GST_TFRC_ANSWER_COOKIE, 8 }, { GST_TFRC_ANSWER_ACCEPTED, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GstTfrcAnswerPacket answer = { .ssrc = SSRC, .number = NUMBER, .kind = kinds[i].kind }, parsed;
    guint8 data[GST_TFRC_ANSWER_MAX_BYTES] = { 0 };
    gsize size = gst_tfrc_answer_packet_write (data, &answer);

    fail_unless_equals_uint64 (size, GST_TFRC_ANSWER_HEADER_BYTES + kinds[i].behind);
    for (gsize behind = 0; behind <= 16; behind += 4) {
      set_lengths (data, GST_TFRC_ANSWER_HEADER_BYTES + behind, 18, behind);
      fail_unless_equals_int (
          gst_tfrc_answer_packet_parse (data, GST_TFRC_ANSWER_HEADER_BYTES + behind, &parsed),
          behind == kinds[i].behind);
    }
    set_lengths (data, size, 18, kinds[i].behind);
    for (guint kind = GST_TFRC_ANSWERS; kind < 65536; kind += 4099) {
      data[16] = (guint8) (kind >> 8);
      data[17] = (guint8) kind;
      fail_if (gst_tfrc_answer_packet_parse (data, size, &parsed), "kind %u", kind);
    }
  }
}

GST_END_TEST;

static Suite *
callpackets_suite (void)
{
  Suite *suite = suite_create ("callpackets");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_call_has_these_bytes);
  tcase_add_test (tcase, test_a_call_that_is_malformed_is_refused);
  tcase_add_test (tcase, test_a_stream_id_has_up_to_512_bytes_without_control_characters);
  tcase_add_test (tcase, test_a_reason_is_cut_to_what_an_answer_can_carry);
  tcase_add_test (tcase, test_less_than_twelve_bytes_are_no_call_and_no_answer);
  tcase_add_test (tcase, test_a_text_that_is_longer_than_its_room_is_refused);
  tcase_add_test (tcase, test_an_answer_that_is_malformed_is_refused);
  return suite;
}

GST_CHECK_MAIN (callpackets);
