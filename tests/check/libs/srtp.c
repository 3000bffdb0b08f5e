/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP and SRTCP of a stream: what is protected comes out again, and nothing else does, see
 * gst/security/srtp.h. */
#include "srtptest.h"

/* ---- both ways ---------------------------------------------------------- */

static void
expect_report (GstTfrcSrtp *from, GstTfrcSrtp *to, guint32 ssrc, gsize tag_bytes)
{
  Packet plain = make_report (ssrc, 7), packet = sealed_report (from, ssrc);

  fail_unless_equals_int (packet.size, REPORT_BYTES + tag_bytes + 4);
  fail_if (memcmp (packet.words, plain.words, REPORT_BYTES) == 0, "the report is plain");
  fail_unless_equals_int (gst_tfrc_srtp_unprotect (to, TRUE, bytes_of (&packet), &packet.size, NOW),
      GST_TFRC_UNPROTECTED_OK);
  fail_unless (is_same (&packet, &plain));
}

GST_START_TEST (test_data_and_reports_go_both_ways_with_each_cipher)
{
  gsize tag_bytes = gst_tfrc_cipher_get_sizes (__i__)->tag_bytes;

  start (__i__);
  for (guint16 seq = 100; seq < 120; seq++) {
    Packet plain = make_data (seq), packet = sealed_data (seq);

    fail_unless_equals_int (packet.size, DATA_BYTES + tag_bytes);
    fail_unless (memcmp (packet.words, plain.words, HEADER_BYTES) == 0, "the header has changed");
    fail_if (memcmp (bytes_of (&packet) + HEADER_BYTES, bytes_of (&plain) + HEADER_BYTES, 16) == 0,
        "the payload is plain");
    expect_data (packet, seq);
    expect_report (sender, receiver, SSRC, tag_bytes);
    expect_report (receiver, sender, OTHER_SSRC, tag_bytes);
  }
}
GST_END_TEST;

/* Both directions have keys of their own, so that equal packets do not look equal. */
GST_START_TEST (test_the_directions_share_no_key_stream)
{
  Packet there, back;

  start (__i__);
  there = sealed_report (sender, SSRC);
  back = sealed_report (receiver, SSRC);
  fail_unless_equals_int (there.size, back.size);
  fail_if (memcmp (bytes_of (&there) + 8, bytes_of (&back) + 8, REPORT_BYTES - 8) == 0);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &there, NOW), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &back, NOW), GST_TFRC_UNPROTECTED_FORGED);
}
GST_END_TEST;

GST_START_TEST (test_the_sender_takes_reports_of_any_ssrc_and_no_data)
{
  Packet data;

  start (__i__);
  data = sealed_data (1);
  for (guint32 ssrc = 1; ssrc <= 5; ssrc++)
    expect_report (receiver, sender, ssrc, gst_tfrc_cipher_get_sizes (__i__)->tag_bytes);
  fail_unless_equals_int (unprotect_at (sender, FALSE, &data, NOW), GST_TFRC_UNPROTECTED_FORGED);
  data = make_data (2);
  fail_unless_equals_int (protect (receiver, FALSE, &data), 0);
}
GST_END_TEST;

/* libsrtp keeps a stream for each SSRC, so that who has the keys could fill the memory of the sender. */
GST_START_TEST (test_the_sender_takes_reports_of_eight_ssrcs_for_each_generation)
{
  gsize tag_bytes = gst_tfrc_cipher_get_sizes (__i__)->tag_bytes;

  start (__i__);
  for (guint8 generation = 1;; generation++) {
    for (guint32 ssrc = 1; ssrc <= 8; ssrc++)
      expect_report (receiver, sender, ssrc, tag_bytes);
    for (guint32 ssrc = 9; ssrc <= 100; ssrc++) {
      Packet packet = sealed_report (receiver, ssrc);

      fail_unless_equals_int (
          unprotect_at (sender, TRUE, &packet, NOW), GST_TFRC_UNPROTECTED_FORGED);
    }
    for (guint32 ssrc = 1; ssrc <= 8; ssrc++)
      expect_report (receiver, sender, ssrc, tag_bytes);
    if (generation == 2)
      break;
    install (sender, __i__, generation + 1, 0);
    install (receiver, __i__, generation + 1, 0);
    gst_tfrc_srtp_switch (receiver, NOW);
  }
}
GST_END_TEST;

/* ---- forged packets ----------------------------------------------------- */

/* All bits of a number of 128 ahead are new to the replay window, so that the result is FORGED. */
static guint8
flip_of (gsize position)
{
  return position == 3 ? 0x40 : 0x80;
}

/* The packet is 64 bytes long: header, extension, payload and tag. */
GST_START_TEST (test_data_with_any_byte_changed_is_forged_and_harms_no_later_packet)
{
  Packet packet, plain;

  start (__i__);
  expect_data (sealed_data (999), 999);
  for (gsize position = 0;; position++) {
    plain = make_data_of (SSRC, (guint16) (1000 + position), 40);
    packet = plain;
    protect (sender, FALSE, &packet);
    if (position == packet.size)
      break;
    bytes_of (&packet)[position] ^= flip_of (position);
    fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_FORGED);
    bytes_of (&packet)[position] ^= flip_of (position);
    fail_unless_equals_int (
        gst_tfrc_srtp_unprotect (receiver, FALSE, bytes_of (&packet), &packet.size, NOW),
        GST_TFRC_UNPROTECTED_OK);
    fail_unless (is_same (&packet, &plain));
  }
}
GST_END_TEST;

GST_START_TEST (test_a_report_with_any_byte_changed_is_forged_and_harms_no_later_report)
{
  Packet packet;

  start (__i__);
  packet = sealed_report (receiver, OTHER_SSRC);
  for (gsize position = 0; position < packet.size; position++) {
    bytes_of (&packet)[position] ^= 0x80;
    fail_unless_equals_int (unprotect_at (sender, TRUE, &packet, NOW), GST_TFRC_UNPROTECTED_FORGED);
    bytes_of (&packet)[position] ^= 0x80;
  }
  fail_unless_equals_int (unprotect_at (sender, TRUE, &packet, NOW), GST_TFRC_UNPROTECTED_OK);
}
GST_END_TEST;

GST_START_TEST (test_data_and_reports_of_every_smaller_size_are_forged)
{
  Packet packet, report;

  start (__i__);
  packet = sealed_data (7);
  report = sealed_report (sender, SSRC);
  while (packet.size-- > 0)
    fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_FORGED);
  while (report.size-- > 0)
    fail_unless_equals_int (
        unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_FORGED);
  expect_data (sealed_data (8), 8);
}
GST_END_TEST;

GST_START_TEST (test_plain_packets_are_forged)
{
  Packet data = make_data (5), report = make_report (SSRC, 1);

  start (__i__);
  fail_unless_equals_int (receive (&data), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_FORGED);
  fail_if (gst_tfrc_srtp_is_confirmed (receiver));
}
GST_END_TEST;

GST_START_TEST (test_data_of_another_ssrc_are_forged)
{
  Packet packet = make_data_of (OTHER_SSRC, 6, 100);
  GstTfrcStreamKeys keys = make_keys (__i__, 1);

  fail_unless (gst_tfrc_srtp_install (sender, &keys, OTHER_SSRC, 0, 0, NULL));
  install (receiver, __i__, 1, 0);
  protect (sender, FALSE, &packet);
  fail_unless (packet.size > 100);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_FORGED);
  packet = make_data (6);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
}
GST_END_TEST;

GST_START_TEST (test_a_report_that_is_not_encrypted_is_forged_and_harms_no_later_report)
{
  guint32 words[3000 / 4];

  start (__i__);
  for (gsize size = 12 + 10; size < sizeof words; size++) {
    gsize forged_bytes = size;

    memset (words, 0, sizeof words);
    write_u32 ((guint8 *) words, 0x80c80006);
    write_u32 ((guint8 *) words + 4, SSRC);
    fail_unless_equals_int (
        gst_tfrc_srtp_unprotect (receiver, TRUE, (guint8 *) words, &forged_bytes, NOW),
        GST_TFRC_UNPROTECTED_FORGED);
  }
  expect_report (sender, receiver, SSRC, gst_tfrc_cipher_get_sizes (__i__)->tag_bytes);
}
GST_END_TEST;

/* ---- without keys, and at the limits ------------------------------------ */

GST_START_TEST (test_without_keys_nothing_is_protected_or_unprotected)
{
  Packet packet = make_data (1);
  GstTfrcSrtpUsage usage;

  fail_if (gst_tfrc_srtp_can_protect (sender));
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_NO_KEY);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &packet, NOW), GST_TFRC_UNPROTECTED_NO_KEY);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 5), 0);
  gst_tfrc_srtp_get_usage (sender, &usage);
  fail_unless_equals_int (usage.generation, 0);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
}
GST_END_TEST;

GST_START_TEST (test_what_is_no_packet_is_not_protected)
{
  Packet packet = make_data (1);

  start (__i__);
  packet.size = 11;
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  packet.size = HEADER_BYTES - 4; /* less than the extension */
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  packet.size = 7;
  fail_unless_equals_int (protect (sender, TRUE, &packet), 0);
  packet.size = 65536;
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  expect_data (sealed_data (1), 1);
}
GST_END_TEST;

GST_START_TEST (test_a_key_protects_no_more_packets_than_the_limit)
{
  Packet packet = make_data (3);
  GstTfrcSrtpUsage usage;

  start (__i__);
  gst_tfrc_srtp_set_limits (sender, 3, G_MAXUINT64);
  sealed_data (1);
  sealed_report (sender, SSRC);
  sealed_data (2);
  gst_tfrc_srtp_get_usage (sender, &usage);
  fail_unless_equals_int (usage.packets, 3);
  fail_unless_equals_int (usage.bytes, 2 * DATA_BYTES + REPORT_BYTES);
  fail_unless_equals_int (usage.generation, 1);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  packet = make_report (SSRC, 1);
  fail_unless_equals_int (protect (sender, TRUE, &packet), 0);
  fail_unless (gst_tfrc_srtp_can_protect (sender));

  install (sender, __i__, 2, 0);
  packet = make_data (3);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  gst_tfrc_srtp_switch (sender, NOW);
  sealed_data (3);
  gst_tfrc_srtp_get_usage (sender, &usage);
  fail_unless_equals_int (usage.packets, 1);
  fail_unless_equals_int (usage.generation, 2);
}
GST_END_TEST;

GST_START_TEST (test_a_key_protects_no_more_bytes_than_the_limit)
{
  Packet packet = make_data (3);

  start (__i__);
  gst_tfrc_srtp_set_limits (sender, 100, 3 * DATA_BYTES - 1);
  sealed_data (1);
  sealed_data (2);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  sealed_report (sender, SSRC);
}
GST_END_TEST;

GST_START_TEST (test_the_last_byte_of_a_key_is_used_and_the_next_key_begins_with_none)
{
  Packet packet = make_data (3);
  GstTfrcSrtpUsage usage;

  start (__i__);
  gst_tfrc_srtp_set_limits (sender, 100, 2 * DATA_BYTES);
  sealed_data (1);
  fail_unless (gst_tfrc_srtp_is_half_used (sender));
  sealed_data (2);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);

  install (sender, __i__, 2, 0);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_if (gst_tfrc_srtp_is_half_used (sender));
  gst_tfrc_srtp_get_usage (sender, &usage);
  fail_unless_equals_uint64 (usage.bytes, 0);
  sealed_data (3);
  sealed_data (4);
}
GST_END_TEST;

GST_START_TEST (test_a_key_is_half_used_with_half_of_the_packets)
{
  start (__i__);
  gst_tfrc_srtp_set_limits (sender, 4, G_MAXUINT64);
  sealed_data (1);
  fail_if (gst_tfrc_srtp_is_half_used (sender));
  sealed_data (2);
  fail_unless (gst_tfrc_srtp_is_half_used (sender));
}
GST_END_TEST;

static Suite *
srtp_suite (void)
{
  Suite *suite = suite_create ("srtp");
  TCase *tcase = add_case (suite, "each cipher");

#define EACH_CIPHER(test) tcase_add_loop_test (tcase, test, 0, N_CIPHERS)
  EACH_CIPHER (test_data_and_reports_go_both_ways_with_each_cipher);
  EACH_CIPHER (test_the_directions_share_no_key_stream);
  EACH_CIPHER (test_the_sender_takes_reports_of_any_ssrc_and_no_data);
  EACH_CIPHER (test_the_sender_takes_reports_of_eight_ssrcs_for_each_generation);
  EACH_CIPHER (test_data_with_any_byte_changed_is_forged_and_harms_no_later_packet);
  EACH_CIPHER (test_a_report_with_any_byte_changed_is_forged_and_harms_no_later_report);
  EACH_CIPHER (test_data_and_reports_of_every_smaller_size_are_forged);
  EACH_CIPHER (test_plain_packets_are_forged);
  EACH_CIPHER (test_data_of_another_ssrc_are_forged);
  EACH_CIPHER (test_a_report_that_is_not_encrypted_is_forged_and_harms_no_later_report);
  EACH_CIPHER (test_what_is_no_packet_is_not_protected);
  EACH_CIPHER (test_a_key_protects_no_more_packets_than_the_limit);
  EACH_CIPHER (test_a_key_protects_no_more_bytes_than_the_limit);
  EACH_CIPHER (test_the_last_byte_of_a_key_is_used_and_the_next_key_begins_with_none);
  EACH_CIPHER (test_a_key_is_half_used_with_half_of_the_packets);
  tcase_add_test (
      add_case (suite, "no keys"), test_without_keys_nothing_is_protected_or_unprotected);
  return suite;
}

GST_CHECK_MAIN (srtp);
