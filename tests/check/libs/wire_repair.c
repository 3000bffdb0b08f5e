/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wire codec on repairs and on what asks for them (docs/wire-format.md, "Repairs"). */
#include <tfrc/wire.h>

#include <gst/check/gstcheck.h>

#include "vectors.h"

#define RECEIVER 0x01020304
#define MEDIA 0x0a0b0c0e

static const TfrcWireData repair_fields = {
  .payload_type = TFRC_WIRE_REPAIR_PAYLOAD_TYPE,
  .seq = 3,
  .timestamp = 0x10203040,
  .ssrc = TFRC_WIRE_REPAIR_SSRC (MEDIA),
  .rtt_us = 0x010203,
  .send_time_us = 0x04050607,
  .has_transport_seq = TRUE,
  .transport_seq = 0x1234,
};

/* RFC 4588 section 4, with the elements of docs/wire-format.md */
static const guint8 repair_packet[] = { 0x90, 97, 0, 3, 0x10, 0x20, 0x30, 0x40, 0x0a, 0x0b, 0x0c,
  0x0f, 0xbe, 0xde, 0, 3, 0x16, 1, 2, 3, 4, 5, 6, 7, 0x31, 0x12, 0x34, 0, 0xff, 0xfe, 0x47, 1, 2 };
#define REPAIR_HEADER_BYTES 30

/* RFC 4585 section 6.2.1: 65535, and of the 16 behind it 0, 2 and 15; then 100 alone */
static const guint8 nack_packet[] = { 0x81, 205, 0, 4, 1, 2, 3, 4, 0x0a, 0x0b, 0x0c, 0x0e, 0xff,
  0xff, 0x80, 0x05, 0, 100, 0, 0 };
static const guint16 nack_numbers[] = { 65535, 0, 2, 15, 100 };

/* ---- repairs --------------------------------------------------------------- */

GST_START_TEST (a_repair_has_its_own_numbers_and_the_original_one)
{
  guint8 buffer[TFRC_WIRE_MAX_REPAIR_HEADER_BYTES];

  fail_unless_equals_int (
      tfrc_wire_write_repair (buffer, &repair_fields, 0xfffe), REPAIR_HEADER_BYTES);
  fail_unless (memcmp (buffer, repair_packet, REPAIR_HEADER_BYTES) == 0);
  fail_unless_equals_int (tfrc_wire_write_repair (NULL, &repair_fields, 1), 0);
  fail_unless_equals_int (tfrc_wire_write_repair (buffer, NULL, 1), 0);
}

GST_END_TEST;

GST_START_TEST (the_payload_of_a_repair_is_behind_the_original_number)
{
  TfrcWireData data;
  guint16 seq = 0;

  fail_unless_equals_int (
      tfrc_wire_parse_data (repair_packet, sizeof repair_packet, &data), TFRC_WIRE_OK);
  fail_unless (data.has_transport_seq && data.transport_seq == 0x1234);
  fail_unless (tfrc_wire_take_original_seq (repair_packet, &data, &seq));
  fail_unless_equals_int (seq, 0xfffe);
  fail_unless_equals_int (data.header_bytes, REPAIR_HEADER_BYTES);
  fail_unless_equals_int (data.payload_bytes, 3);
}

GST_END_TEST;

GST_START_TEST (a_packet_without_an_original_number_is_no_repair)
{
  TfrcWireData data;
  guint16 seq = 7;

  for (gsize size = REPAIR_HEADER_BYTES - 2; size < REPAIR_HEADER_BYTES; size++) {
    fail_unless_equals_int (tfrc_wire_parse_data (repair_packet, size, &data), TFRC_WIRE_OK);
    fail_if (tfrc_wire_take_original_seq (repair_packet, &data, &seq));
    fail_unless_equals_int (data.payload_bytes, size - (REPAIR_HEADER_BYTES - 2));
  }
  fail_if (tfrc_wire_take_original_seq (NULL, &data, &seq));
  fail_if (tfrc_wire_take_original_seq (repair_packet, NULL, &seq));
  fail_if (tfrc_wire_take_original_seq (repair_packet, &data, NULL));
  fail_unless_equals_int (seq, 7);
}

GST_END_TEST;

/* As rtprtxsend sends one for a packet without extension */
GST_START_TEST (a_repair_without_extension_is_read)
{
  static const guint8 packet[] = { 0x80, 99, 0, 9, 0, 0, 0, 1, 0, 0, 0, 5, 0x12, 0x34, 0x47, 0x40,
    0, 0x10 };
  TfrcWireData data;
  guint16 seq;

  fail_unless_equals_int (tfrc_wire_parse_data (packet, sizeof packet, &data), TFRC_WIRE_OK);
  fail_unless (tfrc_wire_take_original_seq (packet, &data, &seq));
  fail_unless_equals_int (seq, 0x1234);
  fail_unless_equals_int (packet[data.header_bytes], 0x47);
}

GST_END_TEST;

/* ---- NACK -------------------------------------------------------------------- */

static guint
read_all (const guint8 *packet, gsize size, guint16 *seqs, guint max)
{
  const guint8 *fci;
  gsize fci_bytes;

  fail_unless (tfrc_wire_find_nack (packet, size, MEDIA, 0, &fci, &fci_bytes));
  return (guint) tfrc_wire_read_nack (fci, fci_bytes, seqs, max);
}

GST_START_TEST (a_nack_asks_for_numbers_in_pairs)
{
  guint8 buffer[TFRC_WIRE_MAX_NACK_BYTES];
  gsize used;

  fail_unless_equals_int (tfrc_wire_write_nack (buffer, RECEIVER, MEDIA, nack_numbers,
                              G_N_ELEMENTS (nack_numbers), &used),
      sizeof nack_packet);
  fail_unless_equals_int (used, G_N_ELEMENTS (nack_numbers));
  fail_unless (memcmp (buffer, nack_packet, sizeof nack_packet) == 0);
}

GST_END_TEST;

GST_START_TEST (a_nack_is_read_number_by_number)
{
  guint16 seqs[TFRC_WIRE_NACK_PAIR_NUMBERS];

  fail_unless_equals_int (read_all (nack_packet, sizeof nack_packet, seqs, G_N_ELEMENTS (seqs)), 5);
  fail_unless (memcmp (seqs, nack_numbers, sizeof nack_numbers) == 0);
  fail_unless_equals_int (read_all (nack_packet, sizeof nack_packet, seqs, 3), 3);
  fail_unless_equals_int (tfrc_wire_read_nack (nack_packet + 12, 3, seqs, 17), 0);
  fail_unless_equals_int (tfrc_wire_read_nack (NULL, 8, seqs, 17), 0);
}

GST_END_TEST;

GST_START_TEST (a_nack_has_no_more_pairs_than_a_datagram_of_its_own_may_have)
{
  guint8 buffer[TFRC_WIRE_MAX_NACK_BYTES];
  guint16 seqs[2 * TFRC_WIRE_NACK_PAIRS], again[2 * TFRC_WIRE_NACK_PAIRS];
  gsize used;

  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++)
    seqs[i] = (guint16) (65000 + 100 * i);
  fail_unless_equals_int (
      tfrc_wire_write_nack (buffer, RECEIVER, MEDIA, seqs, G_N_ELEMENTS (seqs), &used),
      TFRC_WIRE_MAX_NACK_BYTES);
  fail_unless_equals_int (used, TFRC_WIRE_NACK_PAIRS);
  fail_unless_equals_int (
      read_all (buffer, sizeof buffer, again, G_N_ELEMENTS (again)), TFRC_WIRE_NACK_PAIRS);
  fail_unless (memcmp (seqs, again, TFRC_WIRE_NACK_PAIRS * sizeof seqs[0]) == 0);
}

GST_END_TEST;

/* A number twice, and one that is not later, begin a pair of their own: nothing is lost. */
GST_START_TEST (numbers_out_of_order_are_asked_for_as_well)
{
  static const guint16 seqs[] = { 10, 10, 9, 27 };
  guint8 buffer[TFRC_WIRE_MAX_NACK_BYTES];
  guint16 again[8];
  gsize used,
      size = tfrc_wire_write_nack (buffer, RECEIVER, MEDIA, seqs, G_N_ELEMENTS (seqs), &used);

  fail_unless_equals_int (size, 12 + 4 * 4);
  fail_unless_equals_int (read_all (buffer, size, again, G_N_ELEMENTS (again)), 4);
  fail_unless (memcmp (seqs, again, sizeof seqs) == 0);
}

GST_END_TEST;

GST_START_TEST (nothing_is_no_nack)
{
  guint8 buffer[TFRC_WIRE_MAX_NACK_BYTES];
  gsize used = 7;

  fail_unless_equals_int (
      tfrc_wire_write_nack (buffer, RECEIVER, MEDIA, nack_numbers, 0, &used), 0);
  fail_unless_equals_int (used, 0);
  fail_unless_equals_int (tfrc_wire_write_nack (buffer, RECEIVER, MEDIA, NULL, 1, &used), 0);
  fail_unless_equals_int (tfrc_wire_write_nack (NULL, RECEIVER, MEDIA, nack_numbers, 1, &used), 0);
  fail_unless_equals_int (tfrc_wire_write_nack (buffer, RECEIVER, MEDIA, nack_numbers, 1, NULL), 0);
}

GST_END_TEST;

GST_START_TEST (a_nack_alone_is_a_compound_and_stands_behind_feedback_as_well)
{
  const TfrcFeedback feedback = { .x_recv_Bps = 1000 };
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  const guint8 *fci;
  gsize used, size, fci_bytes;
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (nack_packet, sizeof nack_packet, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.nacks == 1 && !rtcp.has_feedback && rtcp.sender_ssrc == RECEIVER);
  size = tfrc_wire_write_feedback (buffer, RECEIVER, MEDIA, &feedback, NULL);
  size += tfrc_wire_write_nack (buffer + size, RECEIVER, MEDIA, nack_numbers, 1, &used);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer, size, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless (rtcp.nacks == 1 && rtcp.has_feedback);
  fail_unless (tfrc_wire_find_nack (buffer, size, MEDIA, 0, &fci, &fci_bytes) && fci_bytes == 4);
  fail_if (tfrc_wire_find_nack (buffer, size, MEDIA, 1, &fci, &fci_bytes));
  fail_if (tfrc_wire_find_nack (buffer, size, MEDIA + 1, 0, &fci, &fci_bytes));
}

GST_END_TEST;

static const guint8 rist_request[] = {
  0x80, 0xc9, 0x00, 0x01, 0xa1, 0xb2, 0xc3, 0xd4, /* RR without a block */
  0x80, 0xcc, 0x00, 0x04,                         /* subtype 0, PT 204, 5 words */
  0x11, 0x22, 0x33, 0x44,                         /* SSRC of the media */
  0x52, 0x49, 0x53, 0x54,                         /* "RIST" */
  0xff, 0xff, 0x00, 0x01,                         /* this and one more, which wraps */
  0x00, 0x64, 0x00, 0x00,                         /* this alone */
};

GST_START_TEST (a_request_of_rist_asks_for_ranges)
{
  guint8 packet[sizeof rist_request];
  const guint8 *ranges;
  guint16 seqs[4];
  TfrcWireRtcp rtcp;
  gsize bytes;

  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (rist_request, sizeof rist_request, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless (tfrc_wire_find_rist_request (
      rist_request, sizeof rist_request, 0x11223344, 0, &ranges, &bytes));
  fail_unless_equals_int (bytes, 8);
  fail_unless_equals_int (tfrc_wire_read_rist_request (ranges, bytes, seqs, 4), 3);
  fail_unless (seqs[0] == 65535 && seqs[1] == 0 && seqs[2] == 100);
  fail_unless_equals_int (tfrc_wire_read_rist_request (ranges, 7, seqs, 4), 2);
  fail_unless_equals_int (tfrc_wire_read_rist_request (ranges, bytes, seqs, 1), 1);
  fail_unless_equals_int (tfrc_wire_read_rist_request (NULL, 0, seqs, 4), 0);
  fail_unless_equals_int (tfrc_wire_read_rist_request (ranges, bytes, NULL, 4), 0);
  fail_if (tfrc_wire_find_rist_request (
      rist_request, sizeof rist_request, 0x11223344, 1, &ranges, &bytes));
  fail_if (tfrc_wire_find_rist_request (
      rist_request, sizeof rist_request, 0x11223345, 0, &ranges, &bytes));
  fail_if (tfrc_wire_find_nack (rist_request, sizeof rist_request, 0x11223344, 0, &ranges, &bytes));
  for (guint i = 0; i < 8; i++) { /* another subtype, type, SSRC or name */
    memcpy (packet, rist_request, sizeof packet);
    packet[i < 2 ? 8 + i : 12 + i]++;
    fail_if (tfrc_wire_find_rist_request (packet, sizeof packet, 0x11223344, 0, &ranges, &bytes));
  }
}

GST_END_TEST;

GST_START_TEST (a_nack_that_is_cut_off_is_refused)
{
  guint8 packet[sizeof nack_packet];
  TfrcWireRtcp rtcp;

  for (gsize size = 0; size < sizeof nack_packet; size++)
    fail_if (tfrc_wire_parse_rtcp (nack_packet, size, 0, &rtcp) == TFRC_WIRE_OK);
  memcpy (packet, nack_packet, sizeof packet);
  packet[3] = 1; /* ends before the SSRC of the media */
  fail_unless_equals_int (tfrc_wire_parse_rtcp (packet, 8, 0, &rtcp), TFRC_WIRE_TOO_SHORT);
}

GST_END_TEST;

/* ---- packets of another implementation (tests/vectors/repairs.py) ------------- */

static guint
numbers_of (const Vectors *v, guint16 *seqs, guint max)
{
  guint8 bytes[2 * TFRC_WIRE_NACK_PAIRS * TFRC_WIRE_NACK_PAIR_NUMBERS];
  guint n = (guint) vectors_bytes (v, 2, bytes, sizeof bytes) / 2;

  fail_unless (n > 0 && n <= max);
  for (guint i = 0; i < n; i++)
    seqs[i] = GST_READ_UINT16_BE (bytes + 2 * i);
  return n;
}

GST_START_TEST (requests_are_those_of_the_vectors)
{
  Vectors v;

  vectors_open (&v, "nack.csv", "ssrc,media,numbers,packet");
  while (vectors_next (&v)) {
    guint16 seqs[TFRC_WIRE_NACK_PAIRS * TFRC_WIRE_NACK_PAIR_NUMBERS], read[G_N_ELEMENTS (seqs)];
    guint8 expected[TFRC_WIRE_MAX_NACK_BYTES], packet[TFRC_WIRE_MAX_NACK_BYTES];
    guint32 ssrc = (guint32) vectors_number (&v, 0), media = (guint32) vectors_number (&v, 1);
    guint n = numbers_of (&v, seqs, G_N_ELEMENTS (seqs));
    gsize size = vectors_bytes (&v, 3, expected, sizeof expected), used, fci_bytes;
    const guint8 *fci;
    TfrcWireRtcp rtcp;

    fail_unless_equals_int (tfrc_wire_write_nack (packet, ssrc, media, seqs, n, &used), size);
    fail_unless (used == n && memcmp (packet, expected, size) == 0, "row %u", v.rows);
    fail_unless_equals_int (tfrc_wire_parse_rtcp (expected, size, 0, &rtcp), TFRC_WIRE_OK);
    fail_unless (rtcp.nacks == 1 && rtcp.sender_ssrc == ssrc);
    fail_unless (tfrc_wire_find_nack (expected, size, media, 0, &fci, &fci_bytes));
    fail_unless_equals_int (tfrc_wire_read_nack (fci, fci_bytes, read, G_N_ELEMENTS (read)), n);
    fail_unless (memcmp (read, seqs, n * sizeof seqs[0]) == 0, "row %u", v.rows);
  }
}

GST_END_TEST;

static TfrcWireData
repair_of_row (const Vectors *v)
{
  return (TfrcWireData){ .payload_type = TFRC_WIRE_REPAIR_PAYLOAD_TYPE,
    .seq = (guint16) vectors_number (v, 0),
    .timestamp = (guint32) vectors_number (v, 1),
    .ssrc = TFRC_WIRE_REPAIR_SSRC ((guint32) vectors_number (v, 2)),
    .rtt_us = (guint32) vectors_number (v, 3),
    .send_time_us = (guint32) vectors_number (v, 4),
    .has_flags = vectors_number (v, 5) > 0,
    .ttl = (guint8) vectors_number (v, 5),
    .has_transport_seq = TRUE,
    .transport_seq = (guint16) vectors_number (v, 6) };
}

GST_START_TEST (repairs_are_those_of_the_vectors)
{
  Vectors v;

  vectors_open (&v, "repair.csv",
      "seq,timestamp,movie,rtt_us,send_time_us,ttl,transport,original,payload,packet");
  while (vectors_next (&v)) {
    const TfrcWireData fields = repair_of_row (&v);
    guint16 original = (guint16) vectors_number (&v, 7), read;
    guint8 expected[128], payload[64], packet[TFRC_WIRE_MAX_REPAIR_HEADER_BYTES];
    gsize payload_bytes = vectors_bytes (&v, 8, payload, sizeof payload);
    gsize size = vectors_bytes (&v, 9, expected, sizeof expected);
    gsize header_bytes = tfrc_wire_write_repair (packet, &fields, original);
    TfrcWireData data;

    fail_unless_equals_int (header_bytes + payload_bytes, size);
    fail_unless (memcmp (packet, expected, header_bytes) == 0, "row %u", v.rows);
    fail_unless_equals_int (tfrc_wire_parse_data (expected, size, &data), TFRC_WIRE_OK);
    fail_unless (tfrc_wire_take_original_seq (expected, &data, &read) && read == original);
    fail_unless (data.ssrc == fields.ssrc && data.seq == fields.seq);
    fail_unless (data.transport_seq == fields.transport_seq && data.ttl == fields.ttl);
    fail_unless (data.rtt_us == fields.rtt_us && data.send_time_us == fields.send_time_us);
    fail_unless (data.payload_bytes == payload_bytes
        && memcmp (expected + data.header_bytes, payload, payload_bytes) == 0);
  }
}

GST_END_TEST;

GST_START_TEST (fec_packets_are_those_of_the_vectors)
{
  Vectors v;

  vectors_open (&v, "fec.csv",
      "seq,timestamp,movie,rtt_us,send_time_us,ttl,transport,first,length,pt,ts,is_row,offset,count,"
      "payload,packet");
  while (vectors_next (&v)) {
    TfrcWireData fields = repair_of_row (&v), data;
    const TfrcWireFec fec = { .first_seq = (guint16) vectors_number (&v, 7),
      .length_recovery = (guint16) vectors_number (&v, 8),
      .payload_type = (guint8) vectors_number (&v, 9),
      .timestamp = (guint32) vectors_number (&v, 10),
      .is_row = vectors_number (&v, 11) != 0,
      .offset = (guint8) vectors_number (&v, 12),
      .count = (guint8) vectors_number (&v, 13) };
    guint8 expected[128], payload[64], packet[TFRC_WIRE_MAX_FEC_HEADER_BYTES];
    gsize payload_bytes = vectors_bytes (&v, 14, payload, sizeof payload);
    gsize size = vectors_bytes (&v, 15, expected, sizeof expected), header_bytes;
    TfrcWireFec read;

    fields.payload_type = TFRC_WIRE_FEC_PAYLOAD_TYPE;
    header_bytes = tfrc_wire_write_fec (packet, &fields, &fec);
    fail_unless_equals_int (header_bytes + payload_bytes, size);
    fail_unless (memcmp (packet, expected, header_bytes) == 0, "row %u", v.rows);
    fail_unless_equals_int (tfrc_wire_parse_data (expected, size, &data), TFRC_WIRE_OK);
    fail_unless (tfrc_wire_take_fec (expected, &data, &read), "row %u", v.rows);
    fail_unless (read.first_seq == fec.first_seq && read.length_recovery == fec.length_recovery
        && read.payload_type == fec.payload_type && read.timestamp == fec.timestamp
        && read.is_row == fec.is_row && read.offset == fec.offset && read.count == fec.count);
    fail_unless (data.payload_bytes == payload_bytes
        && memcmp (expected + data.header_bytes, payload, payload_bytes) == 0);
  }
}

GST_END_TEST;

static Suite *
wire_repair_suite (void)
{
  Suite *suite = suite_create ("wire_repair");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_repair_has_its_own_numbers_and_the_original_one);
  tcase_add_test (tcase, the_payload_of_a_repair_is_behind_the_original_number);
  tcase_add_test (tcase, a_packet_without_an_original_number_is_no_repair);
  tcase_add_test (tcase, a_repair_without_extension_is_read);
  tcase_add_test (tcase, a_nack_asks_for_numbers_in_pairs);
  tcase_add_test (tcase, a_nack_is_read_number_by_number);
  tcase_add_test (tcase, a_nack_has_no_more_pairs_than_a_datagram_of_its_own_may_have);
  tcase_add_test (tcase, numbers_out_of_order_are_asked_for_as_well);
  tcase_add_test (tcase, nothing_is_no_nack);
  tcase_add_test (tcase, a_nack_alone_is_a_compound_and_stands_behind_feedback_as_well);
  tcase_add_test (tcase, a_nack_that_is_cut_off_is_refused);
  tcase_add_test (tcase, requests_are_those_of_the_vectors);
  tcase_add_test (tcase, repairs_are_those_of_the_vectors);
  tcase_add_test (tcase, fec_packets_are_those_of_the_vectors);
  tcase_add_test (tcase, a_request_of_rist_asks_for_ranges);
  return suite;
}

GST_CHECK_MAIN (wire_repair);
