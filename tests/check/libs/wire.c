/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wire codec on data packets: each byte that is written, each field that is read, and the
 * fields that are skipped (docs/wire-format.md, "Data") */
#include "wirepackets.h"

#define RANDOM_ROUNDS 20000

static void
assert_same_data (const TfrcWireData *a, const TfrcWireData *b)
{
  fail_unless_equals_int (a->payload_type, b->payload_type);
  fail_unless_equals_int (a->marker, b->marker);
  fail_unless_equals_int (a->seq, b->seq);
  fail_unless_equals_int_hex (a->timestamp, b->timestamp);
  fail_unless_equals_int_hex (a->ssrc, b->ssrc);
  fail_unless_equals_int (a->has_rtt_sendts, b->has_rtt_sendts);
  fail_unless_equals_int (a->rtt_us, b->rtt_us);
  fail_unless_equals_int_hex (a->send_time_us, b->send_time_us);
  fail_unless_equals_int (a->has_flags, b->has_flags);
  fail_unless_equals_int (a->flags, b->flags);
  fail_unless_equals_int (a->ttl, b->ttl);
  fail_unless_equals_int (a->has_transport_seq, b->has_transport_seq);
  fail_unless_equals_int (a->transport_seq, b->transport_seq);
  fail_unless_equals_int (a->header_bytes, b->header_bytes);
  fail_unless_equals_int (a->payload_bytes, b->payload_bytes);
}

GST_START_TEST (test_data_header_has_the_documented_bytes)
{
  guint8 buffer[TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcWireData data = {
    .payload_type = TFRC_WIRE_PAYLOAD_TYPE,
    .marker = TRUE,
    .seq = 0x1234,
    .timestamp = 0xdeadbeef,
    .ssrc = SENDER,
    .rtt_us = 100000,
    .send_time_us = 0x89abcdef,
  };

  assert_bytes (buffer, tfrc_wire_write_data (buffer, &data), data_packet, TFRC_WIRE_HEADER_BYTES);

  data.marker = FALSE;
  data.seq = 0xffff;
  data.timestamp = 1;
  data.rtt_us = G_MAXUINT32;
  data.send_time_us = 2;
  data.has_flags = TRUE;
  data.flags = TFRC_WIRE_FLAG_ECHO;
  data.ttl = 64;
  assert_bytes (buffer, tfrc_wire_write_data (buffer, &data), data_packet_with_flags,
      TFRC_WIRE_FLAGS_HEADER_BYTES);
}

GST_END_TEST;

GST_START_TEST (test_data_is_parsed_field_by_field)
{
  TfrcWireData data;

  fail_unless_equals_int (parse_data (data_packet, sizeof data_packet, &data), TFRC_WIRE_OK);
  fail_unless_equals_int (data.payload_type, TFRC_WIRE_PAYLOAD_TYPE);
  fail_unless (data.marker);
  fail_unless_equals_int_hex (data.seq, 0x1234);
  fail_unless_equals_int_hex (data.timestamp, 0xdeadbeef);
  fail_unless_equals_int_hex (data.ssrc, SENDER);
  fail_unless (data.has_rtt_sendts);
  fail_unless_equals_int (data.rtt_us, 100000);
  fail_unless_equals_int_hex (data.send_time_us, 0x89abcdef);
  fail_if (data.has_flags);
  fail_unless_equals_int (data.header_bytes, TFRC_WIRE_HEADER_BYTES);
  fail_unless_equals_int (data.payload_bytes, 4);

  fail_unless_equals_int (
      parse_data (data_packet_with_flags, sizeof data_packet_with_flags, &data), TFRC_WIRE_OK);
  fail_if (data.marker);
  fail_unless_equals_int_hex (data.rtt_us, TFRC_WIRE_MAX_RTT_US);
  fail_unless (data.has_flags);
  fail_unless_equals_int (data.flags, TFRC_WIRE_FLAG_ECHO);
  fail_unless_equals_int (data.ttl, 64);
  fail_unless_equals_int (data.header_bytes, TFRC_WIRE_FLAGS_HEADER_BYTES);
  fail_unless_equals_int (data.payload_bytes, 4);
}

GST_END_TEST;

GST_START_TEST (test_random_data_headers_survive_the_round_trip)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < RANDOM_ROUNDS; i++) {
    guint8 buffer[TFRC_WIRE_MAX_HEADER_BYTES];
    TfrcWireData parsed,
        data = {
          .payload_type = g_rand_int_range (rand, 0, 128),
          .marker = g_rand_boolean (rand),
          .seq = g_rand_int (rand),
          .timestamp = g_rand_int (rand),
          .ssrc = g_rand_int (rand),
          .has_rtt_sendts = TRUE,
          .rtt_us = g_rand_int (rand) & TFRC_WIRE_MAX_RTT_US,
          .send_time_us = g_rand_int (rand),
          .has_flags = g_rand_boolean (rand),
          .has_transport_seq = g_rand_boolean (rand),
        };

    if (data.has_flags) {
      data.flags = g_rand_int (rand);
      data.ttl = g_rand_int (rand);
    }
    if (data.has_transport_seq)
      data.transport_seq = g_rand_int (rand);
    data.header_bytes = tfrc_wire_write_data (buffer, &data);
    fail_unless_equals_int (parse_data (buffer, data.header_bytes, &parsed), TFRC_WIRE_OK);
    assert_same_data (&parsed, &data);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_the_transport_sequence_number_adds_one_word)
{
  static const guint8 alone[] = { 0xbe, 0xde, 0, 3, 0x16, 0, 0, 1, 0, 0, 0, 2, 0x31, 0xfe, 0xdc,
    0 };
  static const guint8 with_flags[] = { 0xbe, 0xde, 0, 4, 0x16, 0, 0, 1, 0, 0, 0, 2, 0x21, 0x01, 64,
    0x31, 0xfe, 0xdc, 0, 0 };
  guint8 buffer[TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcWireData data = { .rtt_us = 1, .send_time_us = 2, .has_transport_seq = TRUE };
  gsize size;

  data.transport_seq = 0xfedc;
  size = tfrc_wire_write_data (buffer, &data);
  fail_unless_equals_int (size, TFRC_WIRE_HEADER_BYTES + TFRC_WIRE_TRANSPORT_SEQ_BYTES);
  assert_bytes (buffer + 12, size - 12, alone, sizeof alone);

  data.has_flags = TRUE;
  data.flags = TFRC_WIRE_FLAG_ECHO;
  data.ttl = 64;
  size = tfrc_wire_write_data (buffer, &data);
  fail_unless_equals_int (size, TFRC_WIRE_MAX_HEADER_BYTES);
  assert_bytes (buffer + 12, size - 12, with_flags, sizeof with_flags);
}

GST_END_TEST;

GST_START_TEST (test_tfrc_uses_the_transport_sequence_number_if_it_is_present)
{
  TfrcWireData wire;
  TfrcData data = { .seq = 7 };

  fail_unless_equals_int (parse_hex_data ("9021 1111 00000002 00000003 bede0003 16 000001 00000002 "
                                          "312222 00 47",
                              &wire),
      TFRC_WIRE_OK);
  fail_unless_equals_int_hex (wire.seq, 0x1111);
  fail_unless (wire.has_transport_seq);
  fail_unless_equals_int_hex (wire.transport_seq, 0x2222);
  tfrc_wire_get_data (&wire, &data);
  fail_unless_equals_int_hex (data.seq, 0x2222);

  data.seq = 0x3333;
  tfrc_wire_set_data (&wire, &data);
  fail_unless_equals_int_hex (wire.seq, 0x1111);
  fail_unless_equals_int_hex (wire.transport_seq, 0x3333);

  wire.has_transport_seq = FALSE;
  tfrc_wire_get_data (&wire, &data);
  fail_unless_equals_int_hex (data.seq, 0x1111);
  data.seq = 0x4444;
  tfrc_wire_set_data (&wire, &data);
  fail_unless_equals_int_hex (wire.seq, 0x4444);
}

GST_END_TEST;

/* Finds an element as a receiver does that does not know element 3 (RFC 8285 section 4.2). */
static guint
find_element (const guint8 *extension, gsize bytes, guint id)
{
  gsize at = 0;

  while (at < bytes) {
    guint8 header = extension[at];

    if (header == 0) {
      at++;
      continue;
    }
    if (header >> 4 == id)
      return (guint) at + 1;
    at += 2 + (header & 15);
  }
  fail_unless_equals_int (at, bytes);
  return 0;
}

GST_START_TEST (test_receivers_that_do_not_know_the_transport_sequence_number_skip_it)
{
  guint8 buffer[TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcWireData data = { .has_flags = TRUE, .ttl = 64, .has_transport_seq = TRUE };
  gsize size = tfrc_wire_write_data (buffer, &data);
  gsize bytes = (gsize) GST_READ_UINT16_BE (buffer + 14) * 4;

  fail_unless_equals_int (16 + bytes, size);
  fail_unless_equals_int (find_element (buffer + 16, bytes, TFRC_WIRE_EXT_ID_RTT_SENDTS), 1);
  fail_unless_equals_int (find_element (buffer + 16, bytes, TFRC_WIRE_EXT_ID_FLAGS), 9);
  fail_unless_equals_int (find_element (buffer + 16, bytes, 4), 0);
}

GST_END_TEST;

/* Ids are local to a session (RFC 8285 section 5): of a sender without TFRC they may be those of other extensions, which
 * have other lengths or come twice. */
GST_START_TEST (test_without_tfrc_the_elements_are_other_extensions)
{
  static const gchar *const packets[] = {
    "9021 0001 00000002 00000003 bede0001 310007 00 47",
    "9021 0001 00000002 00000003 bede0001 32aabbcc 47",
    "9021 0001 00000002 00000003 bede0002 310007 310007 0000 47",
    "9021 0001 00000002 00000003 bede0001 10ab 0000 47",
    "9021 0001 00000002 00000003 bede0001 110007 00 47",
    "9021 0001 00000002 00000003 bede0001 12aabbcc 47",
    "9021 0001 00000002 00000003 bede0003 17 0001020304050607 000000 47",
    "9021 0001 00000002 00000003 bede0001 210007 00 47",
    "9021 0001 00000002 00000003 bede0001 22aabbcc 47",
    "9021 0001 00000002 00000003 bede0003 10ab 22aabbcc 310007 000000 47",
  };

  for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
    TfrcWireData data;

    fail_unless_equals_int (parse_hex_data (packets[i], &data), TFRC_WIRE_OK);
    fail_if (data.has_transport_seq || data.has_rtt_sendts || data.has_flags);
    fail_unless_equals_int (data.flags | data.ttl, 0);
    fail_unless_equals_int (data.payload_bytes, 1);
  }
}

GST_END_TEST;

GST_START_TEST (test_plain_rtp_is_parsed_without_tfrc)
{
  TfrcWireData data;

  fail_unless_equals_int (parse_hex_data ("8060 0001 00000002 00000003 aabb", &data), TFRC_WIRE_OK);
  fail_unless_equals_int (data.payload_type, 96);
  fail_if (data.has_rtt_sendts || data.has_flags);
  fail_unless_equals_int (data.header_bytes, 12);
  fail_unless_equals_int (data.payload_bytes, 2);
}

GST_END_TEST;

/* In all packets the payload is the single byte 47. */
GST_START_TEST (test_csrcs_padding_and_unknown_extensions_are_skipped)
{
  static const struct
  {
    const gchar *what, *hex;
    gboolean has_rtt_sendts, has_flags;
  } cases[] = {
    { "two CSRCs", "8221 0001 00000002 00000003 00000004 00000005 47", 0, 0 },
    { "padding", "a021 0001 00000002 00000003 47 000003", 0, 0 },
    { "padding of one byte", "a021 0001 00000002 00000003 47 01", 0, 0 },
    { "empty extension", "9021 0001 00000002 00000003 bede0000 47", 0, 0 },
    { "two-byte extension", "9021 0001 00000002 00000003 10000002 0107018600 000000 47", 0, 0 },
    { "extension of another profile", "9021 0001 00000002 00000003 12340001 16ffffff 47", 0, 0 },
    { "unknown element before ours",
        "9021 0001 00000002 00000003 bede0003 50aa 16 000001 00000002 0000 47", 1, 0 },
    { "padding between elements",
        "9021 0001 00000002 00000003 bede0003 00 16 000001 00000002 210102 47", 1, 1 },
    { "flags before RTT and send time",
        "9021 0001 00000002 00000003 bede0003 210102 16 000001 00000002 00 47", 1, 1 },
    { "id 15 ends the elements",
        "9021 0001 00000002 00000003 bede0003 16 000001 00000002 f0 210102 47", 1, 0 },
    { "id 0 with a length ends the elements",
        "9021 0001 00000002 00000003 bede0003 16 000001 00000002 02 210102 47", 1, 0 },
    { "id 15 hides a bad length", "9021 0001 00000002 00000003 bede0001 ff161718 47", 0, 0 },
    { "element up to the end of the extension", "9021 0001 00000002 00000003 bede0001 52aabbcc 47",
        0, 0 },
    { "all of it",
        "b121 0001 00000002 00000003 00000004 bede0002 16 000001 00000002 47 "
        "0002",
        1, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 bytes[128];
    TfrcWireData data;
    TfrcWireResult result;

    GST_DEBUG ("%s", cases[i].what);
    from_hex (cases[i].hex, bytes, sizeof bytes);
    result = parse_hex_data (cases[i].hex, &data);
    if (result != TFRC_WIRE_OK)
      fail ("%s: %s", cases[i].what, tfrc_wire_result_to_string (result));
    fail_unless_equals_int (data.payload_bytes, 1);
    fail_unless_equals_int_hex (bytes[data.header_bytes], 0x47);
    fail_unless_equals_int (data.has_rtt_sendts, cases[i].has_rtt_sendts);
    fail_unless_equals_int (data.rtt_us, cases[i].has_rtt_sendts ? 1 : 0);
    fail_unless_equals_int (data.send_time_us, cases[i].has_rtt_sendts ? 2 : 0);
    fail_unless_equals_int (data.has_flags, cases[i].has_flags);
    fail_unless_equals_int (data.flags, cases[i].has_flags ? 1 : 0);
    fail_unless_equals_int (data.ttl, cases[i].has_flags ? 2 : 0);
  }
}

GST_END_TEST;

GST_START_TEST (test_rtp_rtcp_and_others_are_told_apart)
{
  guint8 packet[12] = { 0x80 };

  for (guint type = 0; type < 256; type++) {
    gboolean is_rtcp = type >= 192 && type <= 223;

    packet[1] = type;
    for (gsize size = 0; size <= sizeof packet; size++) {
      TfrcWireKind kind = TFRC_WIRE_KIND_NONE;

      if (is_rtcp && size >= 8)
        kind = TFRC_WIRE_KIND_RTCP;
      if (!is_rtcp && size >= 12)
        kind = TFRC_WIRE_KIND_DATA;
      fail_unless_equals_int (tfrc_wire_classify (packet, size), kind);
    }
  }
  for (guint byte = 0; byte < 256; byte++) {
    packet[0] = byte;
    packet[1] = TFRC_WIRE_PAYLOAD_TYPE;
    fail_unless_equals_int (tfrc_wire_classify (packet, sizeof packet),
        byte >> 6 == 2 ? TFRC_WIRE_KIND_DATA : TFRC_WIRE_KIND_NONE);
  }
  for (guint i = 0; i < G_N_ELEMENTS (valid_packets); i++) {
    fail_unless_equals_int (
        tfrc_wire_classify (valid_packets[i].bytes, valid_packets[i].size), valid_packets[i].kind);
  }
}

GST_END_TEST;

GST_START_TEST (test_every_result_has_a_name)
{
  for (gint i = 0; i < TFRC_WIRE_N_RESULTS; i++) {
    const gchar *name = tfrc_wire_result_to_string (i);

    fail_unless (name != NULL && name[0] != '\0');
    for (gint j = 0; j < i; j++)
      fail_if (g_str_equal (name, tfrc_wire_result_to_string (j)));
  }
  fail_unless_equals_string (tfrc_wire_result_to_string (TFRC_WIRE_TOO_SHORT), "too-short");
  fail_unless_equals_string (tfrc_wire_result_to_string (TFRC_WIRE_N_RESULTS), "unknown");
  fail_unless_equals_string (tfrc_wire_result_to_string (TFRC_WIRE_ERROR_ARGUMENT), "argument");
  fail_unless_equals_string (tfrc_wire_result_to_string (-2), "unknown");
}

GST_END_TEST;

static Suite *
wire_suite (void)
{
  Suite *s = suite_create ("wire");
  TCase *tc = tcase_create ("data");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_data_header_has_the_documented_bytes);
  tcase_add_test (tc, test_data_is_parsed_field_by_field);
  tcase_add_test (tc, test_random_data_headers_survive_the_round_trip);
  tcase_add_test (tc, test_the_transport_sequence_number_adds_one_word);
  tcase_add_test (tc, test_tfrc_uses_the_transport_sequence_number_if_it_is_present);
  tcase_add_test (tc, test_receivers_that_do_not_know_the_transport_sequence_number_skip_it);
  tcase_add_test (tc, test_without_tfrc_the_elements_are_other_extensions);
  tcase_add_test (tc, test_plain_rtp_is_parsed_without_tfrc);
  tcase_add_test (tc, test_csrcs_padding_and_unknown_extensions_are_skipped);
  tcase_add_test (tc, test_rtp_rtcp_and_others_are_told_apart);
  tcase_add_test (tc, test_every_result_has_a_name);
  return s;
}

GST_CHECK_MAIN (wire);
