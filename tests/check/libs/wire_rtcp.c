/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wire codec on RTCP compounds: every byte that is written (docs/wire-format.md, "RTCP"). */
#include <math.h>

#include "wirertcptest.h"

GST_START_TEST (test_feedback_has_the_documented_bytes)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback_fields, NULL);
  assert_bytes (buffer, size, feedback_packet, sizeof feedback_packet);
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback_fields, &state_fields);
  assert_bytes (buffer, size, feedback_with_state, sizeof feedback_with_state);
}

GST_END_TEST;

/* The two words come from the feedback, or from the state if the feedback does not have them. */
GST_START_TEST (test_classified_feedback_has_two_more_words)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback feedback = feedback_fields;
  TfrcWireState state = state_fields;
  gsize size;

  feedback.classified = TRUE;
  feedback.congestion_p = 1.0 / 16;
  feedback.link_errors = 19;
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback, &state);
  assert_bytes (
      buffer, size, feedback_with_classified_state, sizeof feedback_with_classified_state);
  state.flags |= TFRC_WIRE_STATE_CLASSIFIED;
  state.congestion_p = 5;
  state.link_errors = 6;
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback, &state);
  assert_bytes (
      buffer, size, feedback_with_classified_state, sizeof feedback_with_classified_state);
  state.congestion_p = 1u << 28;
  state.link_errors = 19;
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback_fields, &state);
  assert_bytes (
      buffer, size, feedback_with_classified_state, sizeof feedback_with_classified_state);
  /* without a state there is no room */
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback, NULL);
  assert_bytes (buffer, size, feedback_packet, sizeof feedback_packet);
}

GST_END_TEST;

/* The counts come behind the words of classified feedback, if these are there. */
GST_START_TEST (test_state_with_ecn_has_three_more_words)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback feedback = feedback_fields;
  TfrcWireState state = state_fields;
  gsize size;

  state.ect0 = G_MAXUINT32;
  state.ect1 = 2;
  state.not_ect = 0x1234;
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback, &state);
  assert_bytes (buffer, size, feedback_with_state, sizeof feedback_with_state);
  state.flags |= TFRC_WIRE_STATE_ECN;
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback, &state);
  assert_bytes (buffer, size, feedback_with_ecn_state, sizeof feedback_with_ecn_state);
  feedback.classified = TRUE;
  feedback.congestion_p = 1.0 / 16;
  feedback.link_errors = 19;
  size = tfrc_wire_write_feedback (buffer, RECEIVER, SENDER, &feedback, &state);
  assert_bytes (
      buffer, size, feedback_with_classified_ecn_state, sizeof feedback_with_classified_ecn_state);
}

GST_END_TEST;

GST_START_TEST (test_playout_has_its_words_behind_all_others)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback feedback = feedback_fields;
  TfrcWireState state = state_fields;
  gsize size;

  size = tfrc_wire_write_playout_feedback (
      buffer, RECEIVER, SENDER, &feedback, &state, &playout_fields);
  assert_bytes (buffer, size, feedback_with_playout_state, sizeof feedback_with_playout_state);
  state.flags |= TFRC_WIRE_STATE_ECN;
  state.ect0 = G_MAXUINT32;
  state.ect1 = 2;
  state.not_ect = 0x1234;
  feedback.classified = TRUE;
  feedback.congestion_p = 1.0 / 16;
  feedback.link_errors = 19;
  size = tfrc_wire_write_playout_feedback (
      buffer, RECEIVER, SENDER, &feedback, &state, &playout_fields);
  assert_bytes (buffer, size, feedback_with_all_words, sizeof feedback_with_all_words);
}

GST_END_TEST;

GST_START_TEST (test_playout_that_is_not_told_has_no_words)
{
  TfrcWirePlayout playout = playout_not_told;
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  size = tfrc_wire_write_playout_feedback (
      buffer, RECEIVER, SENDER, &feedback_fields, &state_fields, &playout);
  assert_bytes (buffer, size, feedback_with_state, sizeof feedback_with_state);
  size = tfrc_wire_write_playout_feedback (
      buffer, RECEIVER, SENDER, &feedback_fields, &state_fields, NULL);
  assert_bytes (buffer, size, feedback_with_state, sizeof feedback_with_state);
  playout.delay_ms = 1000;
  size = tfrc_wire_write_playout_feedback (
      buffer, RECEIVER, SENDER, &feedback_fields, &state_fields, &playout);
  fail_unless_equals_int (size, sizeof feedback_with_state);
  fail_unless_equals_int (GST_READ_UINT16_BE (buffer + 28 + 34), 500);
}

GST_END_TEST;

GST_START_TEST (test_playout_delay_is_rounded_down_and_saturates)
{
  static const struct
  {
    guint32 delay_ms;
    guint16 wire;
  } cases[] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 1 }, { 200, 100 }, { 131069, 65534 },
    { 131070, 65535 }, { 131072, 65535 }, { G_MAXUINT32, 65535 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const TfrcWirePlayout playout = { cases[i].delay_ms, 0, 0, 0 };
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    TfrcWireRtcp rtcp;
    gsize size = tfrc_wire_write_playout_feedback (
        buffer, RECEIVER, SENDER, &feedback_fields, &state_fields, &playout);

    fail_unless_equals_int (GST_READ_UINT16_BE (buffer + 28 + 34), cases[i].wire);
    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless_equals_int (rtcp.playout.delay_ms, 2 * cases[i].wire);
    fail_unless_equals_int (rtcp.playout.queueing_us, 0);
  }
}

GST_END_TEST;

GST_START_TEST (test_reports_and_bye_have_the_documented_bytes)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp sender = {
    .sender_ssrc = SENDER,
    .sr_ntp = G_GUINT64_CONSTANT (0xe800000180000000),
    .sr_timestamp = 0xdeadbeef,
    .sr_packets = 1000,
    .sr_bytes = 1316000,
    .clock_send_time_us = 0x01020304,
  };
  const TfrcWireStream repairs = { SENDER + 1, 2, 2632 };
  TfrcWireRtcp receiver = { .sender_ssrc = RECEIVER };
  gsize size;

  receiver.report = report_fields;
  size = tfrc_wire_write_sender_report (buffer, &sender, "a@host");
  assert_bytes (buffer, size, sender_report, sizeof sender_report);
  size = tfrc_wire_write_receiver_report (buffer, &receiver, "recv");
  assert_bytes (buffer, size, receiver_report, sizeof receiver_report);
  receiver.has_report = TRUE;
  size = tfrc_wire_write_receiver_report (buffer, &receiver, "recv");
  assert_bytes (buffer, size, receiver_report_with_block, sizeof receiver_report_with_block);
  size = tfrc_wire_write_bye (buffer, RECEIVER, "recv");
  assert_bytes (buffer, size, bye, sizeof bye);
  size = tfrc_wire_write_sender_reports (buffer, &sender, &repairs, 1, "a@host");
  assert_bytes (buffer, size, sender_report_with_repairs, sizeof sender_report_with_repairs);
  size = tfrc_wire_write_byes (buffer, SENDER, &repairs, 1, "recv");
  assert_bytes (buffer, size, bye_with_repairs, sizeof bye_with_repairs);
}

GST_END_TEST;

/* Of the streams of a compound the first is the sender, and a BYE of the others alone is none of it. */
GST_START_TEST (other_streams_of_the_sender_are_skipped)
{
  const TfrcWireStream repairs = { SENDER + 1, 2, 2632 };
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;

  parse_rtcp (sender_report_with_repairs, sizeof sender_report_with_repairs, &rtcp);
  fail_unless_equals_int_hex (rtcp.sender_ssrc, SENDER);
  fail_unless_equals_int (rtcp.sr_packets, 1000);
  fail_unless_equals_int (rtcp.unknown, 1);
  fail_unless (rtcp.has_clock && rtcp.has_sr);
  fail_unless_equals_int (
      parse_rtcp (bye_with_repairs, sizeof bye_with_repairs, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_bye);
  tfrc_wire_write_byes (buffer, SENDER, &repairs, 1, "recv");
  memcpy (buffer + sizeof bye_with_repairs - 8, "\1\2\3\4", 4);
  fail_unless_equals_int (parse_rtcp (buffer, sizeof bye_with_repairs, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.has_bye);
}

GST_END_TEST;

GST_START_TEST (compounds_of_all_streams_with_the_longest_cname_fit)
{
  const TfrcWireStream more[TFRC_WIRE_MAX_MORE_STREAMS + 1] = { { .ssrc = 1 } };
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  const TfrcWireRtcp sender = { .sender_ssrc = SENDER };
  gchar *cname = g_strnfill (64, 'x');
  gsize sr = tfrc_wire_write_sender_reports (
      buffer, &sender, more, TFRC_WIRE_MAX_MORE_STREAMS, cname);
  gsize byes = tfrc_wire_write_byes (buffer, SENDER, more, TFRC_WIRE_MAX_MORE_STREAMS, cname);

  fail_unless (sr > 0 && sr <= sizeof buffer, "%u bytes", (guint) sr);
  fail_unless (byes > 0 && byes <= sizeof buffer, "%u bytes", (guint) byes);
  fail_unless_equals_int (
      tfrc_wire_write_sender_reports (buffer, &sender, more, G_N_ELEMENTS (more), cname), 0);
  fail_unless_equals_int (
      tfrc_wire_write_byes (buffer, SENDER, more, G_N_ELEMENTS (more), cname), 0);
  fail_unless_equals_int (tfrc_wire_write_byes (buffer, SENDER, NULL, 1, cname), 0);
  g_free (cname);
}

GST_END_TEST;

GST_START_TEST (test_challenge_and_response_have_the_documented_bytes)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;

  memset (buffer, 0xff, sizeof buffer);
  size = tfrc_wire_write_path_challenge (buffer, sizeof path_challenge, SENDER, path_data);
  assert_bytes (buffer, size, path_challenge, sizeof path_challenge);
  fail_unless_equals_int_hex (buffer[size], 0xff);
  size = tfrc_wire_write_path_response (buffer, RECEIVER, path_data);
  assert_bytes (buffer, size, path_response, sizeof path_response);
}

GST_END_TEST;

GST_START_TEST (test_p_saturates_and_is_never_infinite)
{
  static const struct
  {
    gdouble p;
    guint32 wire;
    gdouble parsed;
  } cases[] = {
    { 0, 0, 0 },
    { -0.5, 0, 0 },
    { NAN, 0, 0 },
    { -INFINITY, 0, 0 },
    { 0.5, 0x80000000, 0.5 },
    { 0.01, 0x028f5c28, 0x028f5c28 / 4294967296.0 },
    { 1 - 0x1p-31, 0xfffffffe, 1 - 0x1p-31 },
    { 1 - 0x1p-32, 0xffffffff, 1 },
    { 1, 0xffffffff, 1 },
    { 1e300, 0xffffffff, 1 },
    { INFINITY, 0xffffffff, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    TfrcFeedback feedback = { .p = cases[i].p, .classified = TRUE, .congestion_p = cases[i].p };
    TfrcWireState state = { 0 };
    TfrcWireRtcp rtcp;
    gsize size = tfrc_wire_write_feedback (buffer, 1, 2, &feedback, &state);

    fail_unless_equals_int_hex (GST_READ_UINT32_BE (buffer + 24), cases[i].wire);
    fail_unless_equals_int_hex (GST_READ_UINT32_BE (buffer + 64), cases[i].wire);
    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless (rtcp.feedback.p == cases[i].parsed);
    fail_unless (rtcp.feedback.congestion_p == cases[i].parsed);
  }
}

GST_END_TEST;

GST_START_TEST (test_cname_of_any_length_is_padded_to_words)
{
  gchar cname[81] = "";

  for (gsize length = 0; length < sizeof cname; length++) {
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    TfrcWireRtcp rtcp;
    gsize used = MIN (length, 63);
    gsize size = tfrc_wire_write_bye (buffer, RECEIVER, cname);

    fail_unless_equals_int (buffer[17], used);
    fail_unless_equals_int (memcmp (buffer + 18, cname, used), 0);
    fail_unless_equals_int (buffer[18 + used], 0);
    fail_unless_equals_int (GST_READ_UINT16_BE (buffer + 10), (8 + 2 + used + 1 + 3) / 4 - 1);
    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless (rtcp.has_bye);
    if (length < sizeof cname - 1)
      cname[length] = 'a' + length % 26;
  }
}

GST_END_TEST;

GST_START_TEST (test_long_cname_is_cut_between_utf8_characters)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gchar cname[] = "0123456789"
                  "0123456789"
                  "0123456789"
                  "0123456789"
                  "0123456789"
                  "0123456789"
                  "01"
                  "\xe2\x82\xac";

  tfrc_wire_write_bye (buffer, RECEIVER, cname);
  fail_unless_equals_int (buffer[17], 62);
}

GST_END_TEST;

GST_START_TEST (test_cumulative_loss_saturates_at_24_bits)
{
  static const struct
  {
    gint32 lost, parsed;
  } cases[] = {
    { G_MAXINT32, 0x7fffff },
    { 0x7fffff, 0x7fffff },
    { 0, 0 },
    { -1, -1 },
    { -0x800000, -0x800000 },
    { G_MININT32, -0x800000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    TfrcWireRtcp rtcp = { .has_report = TRUE };
    gsize size;

    rtcp.report.ssrc = SENDER;
    rtcp.report.packets_lost = cases[i].lost;
    size = tfrc_wire_write_receiver_report (buffer, &rtcp, "");
    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless_equals_int (rtcp.report.packets_lost, cases[i].parsed);
  }
}

GST_END_TEST;

static Suite *
wire_rtcp_suite (void)
{
  Suite *s = suite_create ("wire_rtcp");
  TCase *tc = tcase_create ("rtcp");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_has_the_documented_bytes);
  tcase_add_test (tc, test_classified_feedback_has_two_more_words);
  tcase_add_test (tc, test_state_with_ecn_has_three_more_words);
  tcase_add_test (tc, test_playout_has_its_words_behind_all_others);
  tcase_add_test (tc, test_playout_that_is_not_told_has_no_words);
  tcase_add_test (tc, test_playout_delay_is_rounded_down_and_saturates);
  tcase_add_test (tc, test_reports_and_bye_have_the_documented_bytes);
  tcase_add_test (tc, other_streams_of_the_sender_are_skipped);
  tcase_add_test (tc, compounds_of_all_streams_with_the_longest_cname_fit);
  tcase_add_test (tc, test_challenge_and_response_have_the_documented_bytes);
  tcase_add_test (tc, test_p_saturates_and_is_never_infinite);
  tcase_add_test (tc, test_cname_of_any_length_is_padded_to_words);
  tcase_add_test (tc, test_long_cname_is_cut_between_utf8_characters);
  tcase_add_test (tc, test_cumulative_loss_saturates_at_24_bits);
  return s;
}

GST_CHECK_MAIN (wire_rtcp);
