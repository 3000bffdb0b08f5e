/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wire codec on RTCP compounds: every field that is read (docs/wire-format.md, "RTCP"). */
#include "wirertcptest.h"

#define RANDOM_ROUNDS 20000

GST_START_TEST (test_feedback_is_parsed_with_and_without_state)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      parse_rtcp (feedback_packet, sizeof feedback_packet, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int_hex (rtcp.sender_ssrc, RECEIVER);
  fail_unless (rtcp.has_feedback);
  fail_unless_equals_int_hex (rtcp.media_ssrc, SENDER);
  fail_unless_equals_int_hex (rtcp.feedback.recv_data_us, 0x89abcdef);
  fail_unless_equals_int (rtcp.feedback.delay_us, 10000);
  fail_unless_equals_int (rtcp.feedback.x_recv_Bps, 250000);
  fail_unless_equals_float (rtcp.feedback.p, 0.125);
  fail_if (rtcp.has_state || rtcp.feedback.has_state);

  fail_unless_equals_int (
      parse_rtcp (feedback_with_state, sizeof feedback_with_state, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_feedback && rtcp.has_state);
  fail_unless (rtcp.feedback.has_state);
  fail_unless_equals_int (rtcp.feedback.number, 256);
  fail_unless_equals_int (rtcp.feedback.loss_events, 7);
  assert_same_state (&rtcp.state, &state_fields);
  fail_unless_equals_int (rtcp.unknown, 0);
}

GST_END_TEST;

GST_START_TEST (test_state_is_parsed_with_and_without_link_errors)
{
  guint8 packet[sizeof feedback_with_classified_state + 8] = { 0 };
  gsize size = sizeof feedback_with_classified_state;
  TfrcWireRtcp rtcp;

  memcpy (packet, feedback_with_classified_state, size);
  fail_unless_equals_int (parse_rtcp (packet, size, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.feedback.has_state && rtcp.feedback.classified);
  fail_unless_equals_float (rtcp.feedback.congestion_p, 0.0625);
  fail_unless_equals_int (rtcp.feedback.link_errors, 19);
  fail_unless (rtcp.state.flags & TFRC_WIRE_STATE_CLASSIFIED);
  fail_unless_equals_int_hex (rtcp.state.congestion_p, 0x10000000);
  fail_unless_equals_int (rtcp.state.link_errors, 19);
  fail_unless_equals_int (rtcp.state.loss_events, 7);

  /* a later version has more words */
  packet[28 + 3] = 12;
  fail_unless_equals_int (parse_rtcp (packet, size + 8, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int (rtcp.feedback.link_errors, 19);
  /* words without the flag mean nothing */
  packet[28 + 3] = 10;
  packet[28 + 32] &= ~TFRC_WIRE_STATE_CLASSIFIED;
  fail_unless_equals_int (parse_rtcp (packet, size, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.feedback.classified);
  fail_unless (rtcp.feedback.congestion_p == 0 && rtcp.feedback.link_errors == 0);
  assert_same_state (&rtcp.state, &state_fields);
  /* an older version has no such words */
  fail_unless_equals_int (
      parse_rtcp (feedback_with_state, sizeof feedback_with_state, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.feedback.classified);
  fail_unless (rtcp.feedback.congestion_p == 0 && rtcp.feedback.link_errors == 0);
}

GST_END_TEST;

GST_START_TEST (test_link_errors_without_their_words_are_too_short)
{
  for (guint words = 9; words < 11; words++) {
    guint8 packet[sizeof feedback_with_classified_state];
    TfrcWireRtcp rtcp;

    memcpy (packet, feedback_with_classified_state, sizeof packet);
    packet[28 + 3] = words - 1;
    fail_unless_equals_int (parse_rtcp (packet, 28 + 4 * words, &rtcp), TFRC_WIRE_TOO_SHORT);
  }
}

GST_END_TEST;

static void
assert_ecn_counts (const TfrcWireState *state, guint32 ect0, guint32 ect1, guint32 not_ect)
{
  fail_unless_equals_int_hex (state->ect0, ect0);
  fail_unless_equals_int_hex (state->ect1, ect1);
  fail_unless_equals_int_hex (state->not_ect, not_ect);
}

GST_START_TEST (test_state_is_parsed_with_and_without_counts_of_ecn)
{
  guint8 packet[sizeof feedback_with_ecn_state + 8] = { 0 };
  gsize size = sizeof feedback_with_ecn_state;
  TfrcWireRtcp rtcp;

  memcpy (packet, feedback_with_ecn_state, size);
  fail_unless_equals_int (parse_rtcp (packet, size, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.state.flags & TFRC_WIRE_STATE_ECN);
  assert_ecn_counts (&rtcp.state, G_MAXUINT32, 2, 0x1234);
  fail_unless_equals_int (rtcp.state.ce_marks, 3);
  fail_if (rtcp.feedback.classified);

  /* a later version has more words */
  packet[28 + 3] = 13;
  fail_unless_equals_int (parse_rtcp (packet, size + 8, &rtcp), TFRC_WIRE_OK);
  assert_ecn_counts (&rtcp.state, G_MAXUINT32, 2, 0x1234);
  /* words without the flag mean nothing */
  packet[28 + 3] = 11;
  packet[28 + 32] &= ~TFRC_WIRE_STATE_ECN;
  fail_unless_equals_int (parse_rtcp (packet, size, &rtcp), TFRC_WIRE_OK);
  assert_same_state (&rtcp.state, &state_fields);
  /* an older version has no such words */
  fail_unless_equals_int (
      parse_rtcp (feedback_with_state, sizeof feedback_with_state, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.state.flags & TFRC_WIRE_STATE_ECN);
  /* behind the words of classified feedback */
  fail_unless_equals_int (parse_rtcp (feedback_with_classified_ecn_state,
                              sizeof feedback_with_classified_ecn_state, &rtcp),
      TFRC_WIRE_OK);
  fail_unless_equals_int (rtcp.feedback.link_errors, 19);
  assert_ecn_counts (&rtcp.state, G_MAXUINT32, 2, 0x1234);
}

GST_END_TEST;

GST_START_TEST (test_counts_of_ecn_without_their_words_are_too_short)
{
  guint8 packet[sizeof feedback_with_classified_ecn_state];
  TfrcWireRtcp rtcp;

  for (guint words = 9; words < 12; words++) {
    memcpy (packet, feedback_with_ecn_state, sizeof feedback_with_ecn_state);
    packet[28 + 3] = words - 1;
    fail_unless_equals_int (parse_rtcp (packet, 28 + 4 * words, &rtcp), TFRC_WIRE_TOO_SHORT);
  }
  for (guint words = 9; words < 14; words++) {
    memcpy (packet, feedback_with_classified_ecn_state, sizeof packet);
    packet[28 + 3] = words - 1;
    fail_unless_equals_int (parse_rtcp (packet, 28 + 4 * words, &rtcp), TFRC_WIRE_TOO_SHORT);
  }
}

GST_END_TEST;

GST_START_TEST (test_state_is_parsed_with_and_without_playout)
{
  guint8 packet[sizeof feedback_with_all_words + 8] = { 0 };
  gsize size = sizeof feedback_with_all_words;
  TfrcWireRtcp rtcp;

  memcpy (packet, feedback_with_all_words, size);
  fail_unless_equals_int (parse_rtcp (packet, size, &rtcp), TFRC_WIRE_OK);
  assert_same_playout (&rtcp.playout, &playout_fields);
  assert_ecn_counts (&rtcp.state, G_MAXUINT32, 2, 0x1234);
  fail_unless_equals_int (rtcp.feedback.link_errors, 19);

  /* a later version has more words */
  packet[28 + 3] = 18;
  fail_unless_equals_int (parse_rtcp (packet, size + 8, &rtcp), TFRC_WIRE_OK);
  assert_same_playout (&rtcp.playout, &playout_fields);
  fail_unless_equals_int (
      parse_rtcp (feedback_with_playout_state, sizeof feedback_with_playout_state, &rtcp),
      TFRC_WIRE_OK);
  assert_same_playout (&rtcp.playout, &playout_fields);
  /* an older version tells nothing */
  fail_unless_equals_int (
      parse_rtcp (feedback_with_state, sizeof feedback_with_state, &rtcp), TFRC_WIRE_OK);
  assert_same_playout (&rtcp.playout, &playout_not_told);
  fail_unless_equals_int (
      parse_rtcp (feedback_packet, sizeof feedback_packet, &rtcp), TFRC_WIRE_OK);
  assert_same_playout (&rtcp.playout, &playout_not_told);
}

GST_END_TEST;

/* The words come together, or mean nothing. */
GST_START_TEST (test_some_words_of_playout_are_none)
{
  const TfrcWirePlayout delay_alone = { 1000, TFRC_WIRE_QUEUEING_UNKNOWN, 0, 0 };

  for (guint words = 9; words < 12; words++) {
    guint8 packet[sizeof feedback_with_playout_state];
    TfrcWireRtcp rtcp;

    memcpy (packet, feedback_with_playout_state, sizeof packet);
    packet[28 + 3] = words - 1;
    fail_unless_equals_int (parse_rtcp (packet, 28 + 4 * words, &rtcp), TFRC_WIRE_OK);
    assert_same_playout (&rtcp.playout, &delay_alone);
  }
}

GST_END_TEST;

GST_START_TEST (test_sender_report_is_parsed_with_clock)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (parse_rtcp (sender_report, sizeof sender_report, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int_hex (rtcp.sender_ssrc, SENDER);
  fail_unless (rtcp.has_sr && rtcp.has_clock);
  fail_if (rtcp.has_rr || rtcp.has_report || rtcp.has_feedback || rtcp.has_bye);
  fail_unless (rtcp.sr_ntp == G_GUINT64_CONSTANT (0xe800000180000000));
  fail_unless_equals_int_hex (rtcp.sr_timestamp, 0xdeadbeef);
  fail_unless_equals_int (rtcp.sr_packets, 1000);
  fail_unless_equals_int (rtcp.sr_bytes, 1316000);
  fail_unless_equals_int_hex (rtcp.clock_send_time_us, 0x01020304);
  fail_unless_equals_int (rtcp.unknown, 0);
}

GST_END_TEST;

GST_START_TEST (test_only_the_wanted_report_block_is_parsed)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      parse_rtcp (receiver_report, sizeof receiver_report, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_rr);
  fail_if (rtcp.has_report || rtcp.has_bye);

  fail_unless_equals_int (
      parse_rtcp (receiver_report_with_block, sizeof receiver_report_with_block, &rtcp),
      TFRC_WIRE_OK);
  fail_unless (rtcp.has_rr && rtcp.has_report);
  assert_same_report (&rtcp.report, &report_fields);

  fail_unless_equals_int (tfrc_wire_parse_rtcp (receiver_report_with_block,
                              sizeof receiver_report_with_block, SENDER + 1, &rtcp),
      TFRC_WIRE_OK);
  fail_unless (rtcp.has_rr);
  fail_if (rtcp.has_report);
}

GST_END_TEST;

GST_START_TEST (test_bye_is_parsed)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (parse_rtcp (bye, sizeof bye, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int_hex (rtcp.sender_ssrc, RECEIVER);
  fail_unless (rtcp.has_bye && rtcp.has_rr);
}

GST_END_TEST;

GST_START_TEST (test_challenges_of_any_size_are_parsed)
{
  guint8 buffer[1344];
  TfrcWireRtcp rtcp;

  for (gsize size = TFRC_WIRE_MIN_PATH_BYTES; size <= sizeof buffer; size += 4) {
    fail_unless_equals_int (tfrc_wire_write_path_challenge (buffer, size, SENDER, path_data), size);
    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless_equals_int_hex (rtcp.sender_ssrc, SENDER);
    fail_unless (rtcp.has_challenge && !rtcp.has_response);
    assert_bytes (rtcp.challenge, sizeof rtcp.challenge, path_data, 8);
  }
}

GST_END_TEST;

GST_START_TEST (test_response_is_parsed)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (parse_rtcp (path_response, sizeof path_response, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int_hex (rtcp.sender_ssrc, RECEIVER);
  fail_unless (rtcp.has_response);
  fail_if (rtcp.has_challenge || rtcp.has_feedback || rtcp.has_state);
  assert_bytes (rtcp.response, sizeof rtcp.response, path_data, 8);
}

GST_END_TEST;

GST_START_TEST (test_challenge_without_its_data_is_too_short)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      parse_hex_rtcp ("82cc0003 11223344 54465243 01234567", &rtcp), TFRC_WIRE_TOO_SHORT);
  fail_unless_equals_int (
      parse_hex_rtcp ("83cc0003 11223344 54465243 01234567", &rtcp), TFRC_WIRE_TOO_SHORT);
}

GST_END_TEST;

GST_START_TEST (test_feedback_behind_a_receiver_report_is_parsed)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = { .sender_ssrc = RECEIVER, .has_report = TRUE };
  gsize size;

  rtcp.report = report_fields;
  size = tfrc_wire_write_receiver_report (buffer, &rtcp, "recv");
  size += tfrc_wire_write_feedback (
      buffer + size, RECEIVER, SENDER, &feedback_fields, &state_fields);
  fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_rr && rtcp.has_report && rtcp.has_feedback);
  fail_unless (rtcp.feedback.has_state);
  fail_unless_equals_int (rtcp.unknown, 0);
}

GST_END_TEST;

GST_START_TEST (test_random_feedback_survives_the_round_trip)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (guint i = 0; i < RANDOM_ROUNDS; i++) {
    guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
    guint32 ssrc = g_rand_int (rand), media_ssrc = g_rand_int (rand);
    TfrcFeedback feedback = {
      .recv_data_us = g_rand_int (rand),
      .delay_us = g_rand_int (rand),
      .x_recv_Bps = g_rand_int (rand),
      .p = g_rand_double (rand),
    };
    TfrcWireState state = {
      .highest_seq = g_rand_int (rand),
      .packets_lost = g_rand_int (rand),
      .loss_events = g_rand_int (rand),
      .ce_marks = g_rand_int (rand),
      .feedback_number = g_rand_int (rand),
      .flags = g_rand_int (rand),
      .ttl = g_rand_int (rand),
    };
    gboolean has_ecn = (state.flags & TFRC_WIRE_STATE_ECN) != 0;
    TfrcWireRtcp rtcp;
    gsize size;

    state.ect0 = has_ecn ? g_rand_int (rand) : 0;
    state.ect1 = has_ecn ? g_rand_int (rand) : 0;
    state.not_ect = has_ecn ? g_rand_int (rand) : 0;
    feedback.classified = g_rand_boolean (rand);
    feedback.congestion_p = feedback.classified ? g_rand_double (rand) : 0;
    feedback.link_errors = feedback.classified ? g_rand_int (rand) : 0;
    state.flags &= ~TFRC_WIRE_STATE_CLASSIFIED;
    size = tfrc_wire_write_feedback (buffer, ssrc, media_ssrc, &feedback, &state);
    if (feedback.classified) {
      state.flags |= TFRC_WIRE_STATE_CLASSIFIED;
      state.congestion_p = (guint32) (feedback.congestion_p * 0x1p32);
      state.link_errors = feedback.link_errors;
    }

    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless_equals_int_hex (rtcp.sender_ssrc, ssrc);
    fail_unless_equals_int_hex (rtcp.media_ssrc, media_ssrc);
    fail_unless_equals_int (rtcp.feedback.recv_data_us, feedback.recv_data_us);
    fail_unless_equals_int (rtcp.feedback.delay_us, feedback.delay_us);
    fail_unless_equals_int (rtcp.feedback.x_recv_Bps, feedback.x_recv_Bps);
    fail_unless (fabs (rtcp.feedback.p - feedback.p) <= 0x1p-32);
    fail_unless_equals_int (rtcp.feedback.classified, feedback.classified);
    fail_unless (fabs (rtcp.feedback.congestion_p - feedback.congestion_p) <= 0x1p-32);
    fail_unless_equals_int (rtcp.feedback.link_errors, feedback.link_errors);
    fail_unless_equals_int (rtcp.feedback.number, state.feedback_number);
    fail_unless_equals_int (rtcp.feedback.loss_events, state.loss_events);
    assert_same_state (&rtcp.state, &state);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
wire_rtcpparse_suite (void)
{
  Suite *s = suite_create ("wire_rtcpparse");
  TCase *tc = tcase_create ("parse");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_is_parsed_with_and_without_state);
  tcase_add_test (tc, test_state_is_parsed_with_and_without_link_errors);
  tcase_add_test (tc, test_link_errors_without_their_words_are_too_short);
  tcase_add_test (tc, test_state_is_parsed_with_and_without_counts_of_ecn);
  tcase_add_test (tc, test_counts_of_ecn_without_their_words_are_too_short);
  tcase_add_test (tc, test_state_is_parsed_with_and_without_playout);
  tcase_add_test (tc, test_some_words_of_playout_are_none);
  tcase_add_test (tc, test_sender_report_is_parsed_with_clock);
  tcase_add_test (tc, test_only_the_wanted_report_block_is_parsed);
  tcase_add_test (tc, test_bye_is_parsed);
  tcase_add_test (tc, test_challenges_of_any_size_are_parsed);
  tcase_add_test (tc, test_response_is_parsed);
  tcase_add_test (tc, test_challenge_without_its_data_is_too_short);
  tcase_add_test (tc, test_feedback_behind_a_receiver_report_is_parsed);
  tcase_add_test (tc, test_random_feedback_survives_the_round_trip);
  return s;
}

GST_CHECK_MAIN (wire_rtcpparse);
