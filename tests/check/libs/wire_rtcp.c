/* The wire codec on RTCP compounds: every byte that is written and every
 * field that is read (docs/wire-format.md, "RTCP"). */
#include <math.h>

#include "wirepackets.h"

#define RANDOM_ROUNDS 20000

static void
assert_same_state (const TfrcWireState *a, const TfrcWireState *b)
{
  fail_unless_equals_int_hex (a->highest_seq, b->highest_seq);
  fail_unless_equals_int (a->packets_lost, b->packets_lost);
  fail_unless_equals_int (a->loss_events, b->loss_events);
  fail_unless_equals_int (a->ce_marks, b->ce_marks);
  fail_unless_equals_int (a->feedback_number, b->feedback_number);
  fail_unless_equals_int (a->flags, b->flags);
  fail_unless_equals_int (a->ttl, b->ttl);
}

static void
assert_same_report (const TfrcWireReport *a, const TfrcWireReport *b)
{
  fail_unless_equals_int_hex (a->ssrc, b->ssrc);
  fail_unless_equals_int (a->fraction_lost, b->fraction_lost);
  fail_unless_equals_int (a->packets_lost, b->packets_lost);
  fail_unless_equals_int_hex (a->highest_seq, b->highest_seq);
  fail_unless_equals_int (a->jitter, b->jitter);
  fail_unless_equals_int (a->lsr, b->lsr);
  fail_unless_equals_int (a->dlsr, b->dlsr);
}

static const TfrcFeedback feedback_fields = {
  .recv_data_us = 0x89abcdef,
  .delay_us = 10000,
  .x_recv_Bps = 250000,
  .p = 0.125,
};

static const TfrcWireState state_fields = {
  .highest_seq = 0x11234,
  .packets_lost = 25,
  .loss_events = 7,
  .ce_marks = 3,
  .feedback_number = 256,
  .flags = TFRC_WIRE_STATE_HANDOVER | TFRC_WIRE_STATE_SUPPRESS_ECHO,
  .ttl = 63,
};

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

static const TfrcWireReport report_fields = {
  .ssrc = SENDER,
  .fraction_lost = 64,
  .packets_lost = -2,
  .highest_seq = 0x11234,
  .jitter = 90,
  .lsr = 0x18000,
  .dlsr = 0x8000,
};

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
}

GST_END_TEST;

/* The 8 bytes that challenge and response have in common */
static const guint8 *path_data = path_challenge + 12;

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
    TfrcFeedback feedback = { .p = cases[i].p };
    TfrcWireRtcp rtcp;
    gsize size = tfrc_wire_write_feedback (buffer, 1, 2, &feedback, NULL);

    fail_unless_equals_int_hex (GST_READ_UINT32_BE (buffer + 24), cases[i].wire);
    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless (rtcp.feedback.p == cases[i].parsed);
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
    TfrcWireRtcp rtcp;
    gsize size = tfrc_wire_write_feedback (buffer, ssrc, media_ssrc, &feedback, &state);

    fail_unless_equals_int (parse_rtcp (buffer, size, &rtcp), TFRC_WIRE_OK);
    fail_unless_equals_int_hex (rtcp.sender_ssrc, ssrc);
    fail_unless_equals_int_hex (rtcp.media_ssrc, media_ssrc);
    fail_unless_equals_int (rtcp.feedback.recv_data_us, feedback.recv_data_us);
    fail_unless_equals_int (rtcp.feedback.delay_us, feedback.delay_us);
    fail_unless_equals_int (rtcp.feedback.x_recv_Bps, feedback.x_recv_Bps);
    fail_unless (fabs (rtcp.feedback.p - feedback.p) <= 0x1p-32);
    fail_unless_equals_int (rtcp.feedback.number, state.feedback_number);
    fail_unless_equals_int (rtcp.feedback.loss_events, state.loss_events);
    assert_same_state (&rtcp.state, &state);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
wire_rtcp_suite (void)
{
  Suite *s = suite_create ("wire_rtcp");
  TCase *tc = tcase_create ("rtcp");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_has_the_documented_bytes);
  tcase_add_test (tc, test_reports_and_bye_have_the_documented_bytes);
  tcase_add_test (tc, test_challenge_and_response_have_the_documented_bytes);
  tcase_add_test (tc, test_challenges_of_any_size_are_parsed);
  tcase_add_test (tc, test_response_is_parsed);
  tcase_add_test (tc, test_challenge_without_its_data_is_too_short);
  tcase_add_test (tc, test_p_saturates_and_is_never_infinite);
  tcase_add_test (tc, test_cname_of_any_length_is_padded_to_words);
  tcase_add_test (tc, test_long_cname_is_cut_between_utf8_characters);
  tcase_add_test (tc, test_cumulative_loss_saturates_at_24_bits);
  tcase_add_test (tc, test_feedback_is_parsed_with_and_without_state);
  tcase_add_test (tc, test_sender_report_is_parsed_with_clock);
  tcase_add_test (tc, test_only_the_wanted_report_block_is_parsed);
  tcase_add_test (tc, test_bye_is_parsed);
  tcase_add_test (tc, test_feedback_behind_a_receiver_report_is_parsed);
  tcase_add_test (tc, test_random_feedback_survives_the_round_trip);
  return s;
}

GST_CHECK_MAIN (wire_rtcp);
