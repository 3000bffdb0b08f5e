/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wire codec on packets that a TFRC peer does not send. Other valid RTCP is skipped and
 * counted. Malformed packets are refused with the reason. No byte is read past the end
 * (docs/wire-format.md, "Refusals"). */
#include "wirepackets.h"

GST_START_TEST (test_malformed_data_is_refused_with_the_reason)
{
  static const struct
  {
    const gchar *what, *hex;
    TfrcWireResult reason;
  } cases[] = {
    { "nothing", "", TFRC_WIRE_TOO_SHORT },
    { "fixed header cut", "8021 0001 00000002 000000", TFRC_WIRE_TOO_SHORT },
    { "version 1", "4021 0001 00000002 00000003 47", TFRC_WIRE_BAD_VERSION },
    { "CSRC past the end", "8121 0001 00000002 00000003 474747", TFRC_WIRE_BAD_LENGTH },
    { "extension header cut", "9021 0001 00000002 00000003 bede00", TFRC_WIRE_TOO_SHORT },
    { "extension past the end", "9021 0001 00000002 00000003 bede0001 000000",
        TFRC_WIRE_BAD_LENGTH },
    { "extension of 64 Ki words", "9021 0001 00000002 00000003 beefffff 00", TFRC_WIRE_BAD_LENGTH },
    { "padding of 0", "a021 0001 00000002 00000003 4700", TFRC_WIRE_BAD_PADDING },
    { "padding longer than the payload", "a021 0001 00000002 00000003 4703",
        TFRC_WIRE_BAD_PADDING },
    { "padding without a byte for it", "a021 0001 00000002 00000003", TFRC_WIRE_BAD_PADDING },
    { "element one byte past the extension", "9021 0001 00000002 00000003 bede0001 53aabbcc 47",
        TFRC_WIRE_BAD_EXTENSION },
    { "element without a value", "9021 0001 00000002 00000003 bede0001 00000053",
        TFRC_WIRE_BAD_EXTENSION },
    { "flags of 1 byte", "9021 0001 00000002 00000003 bede0003 16 000001 00000002 2001 0000",
        TFRC_WIRE_BAD_EXTENSION },
    { "flags of 3 bytes, before RTT and send time",
        "9021 0001 00000002 00000003 bede0003 22010203 16 000001 00000002",
        TFRC_WIRE_BAD_EXTENSION },
    { "transport sequence number of 1 byte",
        "9021 0001 00000002 00000003 bede0003 16 000001 00000002 3001 0000",
        TFRC_WIRE_BAD_EXTENSION },
    { "transport sequence number of 3 bytes, before RTT and send time",
        "9021 0001 00000002 00000003 bede0003 32010203 16 000001 00000002",
        TFRC_WIRE_BAD_EXTENSION },
    { "two transport sequence numbers",
        "9021 0001 00000002 00000003 bede0004 16 000001 00000002 310001 310001 0000",
        TFRC_WIRE_BAD_EXTENSION },
    { "a malformed transport sequence number and a good one",
        "9021 0001 00000002 00000003 bede0004 16 000001 00000002 3001 310001 000000",
        TFRC_WIRE_BAD_EXTENSION },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcWireData data;
    TfrcWireResult result = parse_hex_data (cases[i].hex, &data);

    if (result != cases[i].reason)
      fail ("%s: %s", cases[i].what, tfrc_wire_result_to_string (result));
  }
}

GST_END_TEST;

/* Each compound begins with an empty RR of a1b2c3d4. */
#define RR "80c90001 a1b2c3d4 "
#define STATE_WORDS "00000001 00000002 00000003 00000004 00000005 06070000"

GST_START_TEST (test_unknown_packets_are_skipped_and_counted)
{
  static const struct
  {
    const gchar *what, *hex;
    guint32 unknown;
  } cases[] = {
    { "payload-specific feedback", RR "8fce0002 a1b2c3d4 11223344", 1 },
    { "picture loss of another source", RR "81ce0002 a1b2c3d5 11223344", 1 },
    { "generic NACK of another source", RR "81cd0003 a1b2c3d5 11223344 00010000", 1 },
    { "extended report", RR "80cf0001 a1b2c3d4", 1 },
    { "APP of another name", RR "80cc0002 a1b2c3d4 54465244", 1 },
    { "APP TFRC of a subtype to come", RR "84cc0002 a1b2c3d4 54465243", 1 },
    { "the unknown one first", "80cf0001 a1b2c3d4" RR, 1 },
    { "several", RR "80cf0001 a1b2c3d4 9fcc0002 a1b2c3d4 54465243", 2 },
    { "RR of another source", RR "80c90001 a1b2c3d5", 1 },
    { "feedback of another source",
        RR "82cd0006 a1b2c3d5 11223344 00000001 00000002 00000003 00000004", 1 },
    { "state of another source", RR "80cc0008 a1b2c3d5 54465243 " STATE_WORDS, 1 },
    { "SDES of two chunks", RR "82ca0005 a1b2c3d4 01026162 00000000 a1b2c3d5 00000000", 0 },
    { "SDES and an empty BYE are known", RR "80ca0000 80cb0000", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcWireRtcp rtcp;
    TfrcWireResult result = parse_hex_rtcp (cases[i].hex, &rtcp);

    if (result != TFRC_WIRE_OK)
      fail ("%s: %s", cases[i].what, tfrc_wire_result_to_string (result));
    fail_unless_equals_int (rtcp.unknown, cases[i].unknown);
    fail_unless (rtcp.has_rr);
    fail_unless_equals_int_hex (rtcp.sender_ssrc, RECEIVER);
    fail_if (rtcp.has_feedback || rtcp.has_state || rtcp.has_clock);
  }
}

GST_END_TEST;

GST_START_TEST (test_longer_app_packets_are_accepted)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      parse_hex_rtcp ("80cc000a a1b2c3d4 54465243 " STATE_WORDS "08090a0b 0c0d0e0f", &rtcp),
      TFRC_WIRE_OK);
  fail_unless (rtcp.has_state);
  fail_unless_equals_int (rtcp.state.feedback_number, 5);
  fail_unless_equals_int (rtcp.state.ttl, 7);
  fail_if (rtcp.has_feedback || rtcp.feedback.has_state);

  fail_unless_equals_int (parse_hex_rtcp ("81cc0004 a1b2c3d4 54465243 "
                                          "01020304 05060708",
                              &rtcp),
      TFRC_WIRE_OK);
  fail_unless (rtcp.has_clock);
  fail_unless_equals_int_hex (rtcp.clock_send_time_us, 0x01020304);
}

GST_END_TEST;

GST_START_TEST (test_last_packet_may_be_padded)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (parse_hex_rtcp (RR "a0c90002 a1b2c3d4 00000004", &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int (parse_hex_rtcp (RR "a0cb0002 00000000 00000008", &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_bye);
}

GST_END_TEST;

/* libwebrtc and Pion fill up transport-wide feedback by 1 to 3 bytes, and put several into one compound. */
GST_START_TEST (test_transport_wide_feedback_pads_itself)
{
  static const gchar feedback[] = "afcd0006 a1b2c3d4 11223344 00010003 00000100 20030a0b 0c000003 "
                                  "afcd0005 a1b2c3d4 11223344 00020001 00000101 20010a01 ";
  guint8 bytes[64] = { 0 };
  gsize size = from_hex (feedback, bytes, sizeof bytes), fci_bytes;
  const guint8 *fci;
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (parse_hex_rtcp (feedback, &rtcp), TFRC_WIRE_OK);
  fail_unless (tfrc_wire_find_transport_feedback (bytes, size, SENDER, 0, &fci, &fci_bytes));
  fail_unless (fci == bytes + 12 && fci_bytes == 13);
  fail_unless (tfrc_wire_find_transport_feedback (bytes, size, SENDER, 1, &fci, &fci_bytes));
  fail_unless (fci == bytes + 28 + 12 && fci_bytes == 11);
  fail_unless_equals_int (
      parse_hex_rtcp ("afcd0005 a1b2c3d4 11223344 00020001 00000101 20010a00", &rtcp),
      TFRC_WIRE_BAD_PADDING);
  fail_unless_equals_int (
      parse_hex_rtcp ("afcd0005 a1b2c3d4 11223344 00020001 00000101 20010a15", &rtcp),
      TFRC_WIRE_BAD_PADDING);
}

GST_END_TEST;

GST_START_TEST (test_bye_of_others_is_not_the_senders)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (parse_hex_rtcp (RR "82cb0002 00000001 00000002", &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.has_bye);
  fail_unless_equals_int (parse_hex_rtcp (RR "82cb0002 00000001 a1b2c3d4", &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_bye);
  fail_unless_equals_int (parse_hex_rtcp (RR "81cb0002 a1b2c3d4 03627965", &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.has_bye);
}

GST_END_TEST;

GST_START_TEST (test_malformed_compound_is_refused_with_the_reason)
{
  static const struct
  {
    const gchar *what, *hex;
    TfrcWireResult reason;
  } cases[] = {
    { "nothing", "", TFRC_WIRE_TOO_SHORT },
    { "header cut", "80c900", TFRC_WIRE_TOO_SHORT },
    { "no SSRC", "80c90000", TFRC_WIRE_TOO_SHORT },
    { "first packet without an SSRC", "80cb0000" RR, TFRC_WIRE_TOO_SHORT },
    { "bytes after the last packet", RR "80", TFRC_WIRE_TOO_SHORT },
    { "SR of 24 bytes", "80c80005 11223344 00000000 00000000 00000000 00000000",
        TFRC_WIRE_TOO_SHORT },
    { "second RR without an SSRC", RR "80c90000", TFRC_WIRE_TOO_SHORT },
    { "APP without a name", RR "80cc0001 a1b2c3d4", TFRC_WIRE_TOO_SHORT },
    { "state of 32 bytes",
        RR "80cc0007 a1b2c3d4 54465243 00000001 00000002 00000003 00000004 "
           "00000005",
        TFRC_WIRE_TOO_SHORT },
    { "picture loss without a stream", RR "81ce0001 a1b2c3d4", TFRC_WIRE_TOO_SHORT },
    { "clock without a time", RR "81cc0002 a1b2c3d4 54465243", TFRC_WIRE_TOO_SHORT },
    { "version 1", "40c90001 a1b2c3d4", TFRC_WIRE_BAD_VERSION },
    { "version 3 in the second", RR "c0c90001 a1b2c3d4", TFRC_WIRE_BAD_VERSION },
    { "length past the end", "80c90002 a1b2c3d4", TFRC_WIRE_BAD_LENGTH },
    { "64 Ki words", "80c9ffff a1b2c3d4", TFRC_WIRE_BAD_LENGTH },
    { "block past the RR", "81c90001 a1b2c3d4", TFRC_WIRE_BAD_LENGTH },
    { "31 blocks", "9fc90001 a1b2c3d4", TFRC_WIRE_BAD_LENGTH },
    { "SDES chunk past the end", RR "82ca0002 a1b2c3d4 00000000", TFRC_WIRE_BAD_LENGTH },
    { "SDES item past the end", RR "81ca0002 a1b2c3d4 01030000", TFRC_WIRE_BAD_LENGTH },
    { "SDES item without a length", RR "81ca0002 a1b2c3d4 01010001", TFRC_WIRE_BAD_LENGTH },
    { "SDES items without an end", RR "81ca0002 a1b2c3d4 01026162", TFRC_WIRE_BAD_LENGTH },
    { "BYE of more than there are", RR "82cb0001 a1b2c3d4", TFRC_WIRE_BAD_LENGTH },
    { "BYE reason past the end", RR "81cb0002 a1b2c3d4 04627965", TFRC_WIRE_BAD_LENGTH },
    { "padding before the last", "a0c90002 a1b2c3d4 00000004" RR, TFRC_WIRE_BAD_PADDING },
    { "padding of 0", "a0c90002 a1b2c3d4 00000000", TFRC_WIRE_BAD_PADDING },
    { "padding of 2", "a0c90002 a1b2c3d4 00000002", TFRC_WIRE_BAD_PADDING },
    { "padding of 3", "a0c90002 a1b2c3d4 00000003", TFRC_WIRE_BAD_PADDING },
    { "padding over the header", "a0c90002 a1b2c3d4 0000000c", TFRC_WIRE_BAD_PADDING },
    { "padding over the SSRC", "a0c90002 a1b2c3d4 00000008", TFRC_WIRE_TOO_SHORT },
    { "feedback of 24 bytes", "82cd0005 a1b2c3d4 11223344 00000001 00000002 00000003",
        TFRC_WIRE_BAD_FIELD },
    { "feedback of 32 bytes",
        "82cd0007 a1b2c3d4 11223344 00000001 00000002 00000003 00000004 "
        "00000005",
        TFRC_WIRE_BAD_FIELD },
    { "feedback padded to 32 bytes",
        "a2cd0007 a1b2c3d4 11223344 00000001 00000002 00000003 00000004 "
        "00000004",
        TFRC_WIRE_BAD_FIELD },
    { "RTP payload type", "80210001 a1b2c3d4", TFRC_WIRE_NOT_OURS },
    { "RTP payload type in the second", RR "80210001 a1b2c3d4", TFRC_WIRE_NOT_OURS },
    { "nothing known in it", "8fce0002 a1b2c3d4 11223344 80cf0001 a1b2c3d4", TFRC_WIRE_NOT_OURS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcWireRtcp rtcp;
    TfrcWireResult result = parse_hex_rtcp (cases[i].hex, &rtcp);

    if (result != cases[i].reason)
      fail ("%s: %s", cases[i].what, tfrc_wire_result_to_string (result));
  }
}

GST_END_TEST;

/* ---- every kind of packet, damaged -------------------------------------- */

/* A compound may end after any of its packets. */
static gboolean
is_packet_boundary (const guint8 *compound, gsize offset)
{
  gsize at = 0;

  while (at < offset)
    at += 4 + 4 * GST_READ_UINT16_BE (compound + at + 2);
  return at == offset && at > 0;
}

GST_START_TEST (test_truncated_packets_are_refused)
{
  for (guint i = 0; i < G_N_ELEMENTS (valid_packets); i++) {
    const guint8 *bytes = valid_packets[i].bytes;

    for (gsize size = 0; size < valid_packets[i].size; size++) {
      TfrcWireData data;
      TfrcWireRtcp rtcp;

      if (valid_packets[i].kind == TFRC_WIRE_KIND_DATA) {
        gsize header_bytes = valid_packets[i].size - 4;

        fail_unless_equals_int (
            parse_data (bytes, size, &data) == TFRC_WIRE_OK, size >= header_bytes);
        if (size >= header_bytes)
          fail_unless_equals_int (data.payload_bytes, size - header_bytes);
      } else {
        fail_unless_equals_int (
            parse_rtcp (bytes, size, &rtcp) == TFRC_WIRE_OK, is_packet_boundary (bytes, size));
      }
    }
  }
}

GST_END_TEST;

static void
assert_sane (TfrcWireKind kind, const guint8 *bytes, gsize size)
{
  if (kind == TFRC_WIRE_KIND_DATA) {
    TfrcWireData data;

    if (parse_data (bytes, size, &data) == TFRC_WIRE_OK) {
      fail_unless (data.header_bytes >= 12);
      fail_unless (data.header_bytes + data.payload_bytes <= size);
      fail_unless (data.rtt_us <= TFRC_WIRE_MAX_RTT_US);
    }
  } else {
    TfrcWireRtcp rtcp;

    if (parse_rtcp (bytes, size, &rtcp) == TFRC_WIRE_OK)
      fail_unless (rtcp.feedback.p >= 0 && rtcp.feedback.p <= 1);
  }
}

GST_START_TEST (test_any_changed_byte_leaves_sane_fields_or_a_refusal)
{
  for (guint i = 0; i < G_N_ELEMENTS (valid_packets); i++) {
    gsize size = valid_packets[i].size;
    guint8 *bytes = g_memdup2 (valid_packets[i].bytes, size);

    for (gsize at = 0; at < size; at++) {
      for (guint change = 1; change < 256; change++) {
        bytes[at] ^= change;
        assert_sane (valid_packets[i].kind, bytes, size);
        bytes[at] ^= change;
      }
    }
    g_free (bytes);
  }
}

GST_END_TEST;

static Suite *
wire_hostile_suite (void)
{
  Suite *s = suite_create ("wire_hostile");
  TCase *tc = tcase_create ("hostile");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_malformed_data_is_refused_with_the_reason);
  tcase_add_test (tc, test_unknown_packets_are_skipped_and_counted);
  tcase_add_test (tc, test_longer_app_packets_are_accepted);
  tcase_add_test (tc, test_last_packet_may_be_padded);
  tcase_add_test (tc, test_transport_wide_feedback_pads_itself);
  tcase_add_test (tc, test_bye_of_others_is_not_the_senders);
  tcase_add_test (tc, test_malformed_compound_is_refused_with_the_reason);
  tcase_add_test (tc, test_truncated_packets_are_refused);
  tcase_add_test (tc, test_any_changed_byte_leaves_sane_fields_or_a_refusal);
  return s;
}

GST_CHECK_MAIN (wire_hostile);
