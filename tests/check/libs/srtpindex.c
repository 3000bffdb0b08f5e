/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP: replayed packets, the order of packets, the rollover counter and the SRTCP index, see
 * gst/security/srtp.h. */
#include "srtptest.h"

#define WINDOW GST_TFRC_SRTP_WINDOW_PACKETS

/* ---- replay and order --------------------------------------------------- */

GST_START_TEST (test_a_packet_that_has_come_before_is_replayed)
{
  Packet packet, report;

  start (__i__);
  packet = sealed_data (10);
  expect_data (packet, 10);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_REPLAYED);
  expect_data (sealed_data (11), 11);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_REPLAYED);

  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_REPLAYED);
}
GST_END_TEST;

GST_START_TEST (test_packets_in_any_order_within_the_window_come_out)
{
  Packet packets[WINDOW];

  start (__i__);
  for (guint16 i = 0; i < WINDOW; i++)
    packets[i] = sealed_data (i + 500);
  for (gint i = WINDOW - 1; i >= 0; i--)
    expect_data (packets[i], (guint16) (i + 500));
  for (gint i = 0; i < WINDOW; i++)
    fail_unless_equals_int (receive (&packets[i]), GST_TFRC_UNPROTECTED_REPLAYED);
}
GST_END_TEST;

GST_START_TEST (test_a_packet_as_old_as_the_window_is_replayed)
{
  Packet last_inside, first_outside;

  start (__i__);
  first_outside = sealed_data (2000);
  last_inside = sealed_data (2001);
  expect_data (sealed_data (2000 + WINDOW), 2000 + WINDOW);
  fail_unless_equals_int (receive (&first_outside), GST_TFRC_UNPROTECTED_REPLAYED);
  expect_data (last_inside, 2001);
}
GST_END_TEST;

/* Numbers are told apart up to half their range (RFC 3711 section 3.3.1): an older packet counts as
 * a packet to come, with another counter and so another tag. */
GST_START_TEST (test_a_gap_of_half_the_range_is_bridged_and_older_packets_are_refused)
{
  Packet old;

  start_with (__i__, 3, 3);
  old = sealed_data (40000);
  expect_data (sealed_data (40001), 40001);
  expect_data (sealed_data ((guint16) (40000 + 32767)), (guint16) (40000 + 32767));
  fail_unless_equals_int (receive (&old), GST_TFRC_UNPROTECTED_REPLAYED);
  expect_data (sealed_data ((guint16) (40000 + 32768)), (guint16) (40000 + 32768));
  fail_unless_equals_int (receive (&old), GST_TFRC_UNPROTECTED_FORGED);
  expect_data (sealed_data ((guint16) (40000 + 2 * 32768)), (guint16) (40000 + 2 * 32768));
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 40001), 4);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 40001), 4);
}
GST_END_TEST;

GST_START_TEST (test_the_sender_protects_no_number_twice)
{
  Packet packet = make_data (9);

  start (__i__);
  expect_data (sealed_data (9), 9);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  expect_data (sealed_data (10), 10);
}
GST_END_TEST;

GST_START_TEST (test_refused_packets_do_not_move_the_window)
{
  Packet packet, forged;

  start (__i__);
  expect_data (sealed_data (1), 1);
  packet = sealed_data (2);
  for (guint i = 3; i < 65536; i += 1000) {
    forged = make_data ((guint16) i);
    fail_unless_equals_int (receive (&forged), GST_TFRC_UNPROTECTED_FORGED);
  }
  expect_data (packet, 2);
}
GST_END_TEST;

/* ---- rollover counter --------------------------------------------------- */

GST_START_TEST (test_the_rollover_counter_goes_on_at_both_ends)
{
  guint16 seq = 65530;

  start (__i__);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 65530), 0);
  for (guint i = 0; i < 12; i++, seq++)
    expect_data (sealed_data (seq), seq);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, seq), 1);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 65535), 0);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, seq), 1);
}
GST_END_TEST;

GST_START_TEST (test_packets_change_places_over_the_wrap)
{
  Packet before, after;

  start_with (__i__, 5, 5);
  expect_data (sealed_data (65533), 65533);
  before = sealed_data (65535);
  after = sealed_data (0);
  expect_data (after, 0);
  expect_data (before, 65535);
  expect_data (sealed_data (1), 1);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 2), 6);
}
GST_END_TEST;

static const struct
{
  guint32 sender, told;
  GstTfrcUnprotectResult result;
} late_joins[] = {
  { 0, 0, GST_TFRC_UNPROTECTED_OK },
  { 0, 1, GST_TFRC_UNPROTECTED_OK },
  { 0, 2, GST_TFRC_UNPROTECTED_FORGED },
  { 1, 0, GST_TFRC_UNPROTECTED_OK },
  { 2, 0, GST_TFRC_UNPROTECTED_FORGED },
  { 70000, 70000, GST_TFRC_UNPROTECTED_OK },
  { 70000, 69999, GST_TFRC_UNPROTECTED_OK },
  { 70000, 70001, GST_TFRC_UNPROTECTED_OK },
  { 70000, 69998, GST_TFRC_UNPROTECTED_FORGED },
  { 70000, 70002, GST_TFRC_UNPROTECTED_FORGED },
  { 70000, 0, GST_TFRC_UNPROTECTED_FORGED },
  { G_MAXUINT32, G_MAXUINT32, GST_TFRC_UNPROTECTED_OK },
  { G_MAXUINT32, G_MAXUINT32 - 1, GST_TFRC_UNPROTECTED_OK },
  { G_MAXUINT32 - 1, G_MAXUINT32, GST_TFRC_UNPROTECTED_OK },
  { G_MAXUINT32, 0, GST_TFRC_UNPROTECTED_FORGED },
};

GST_START_TEST (test_who_joins_late_needs_the_rollover_counter_give_or_take_one)
{
  for (GstTfrcCipher cipher = 0; cipher < N_CIPHERS; cipher++)
    for (guint16 seq = 0; seq < 3; seq++) {
      Packet packet;

      setup ();
      start_with (cipher, late_joins[__i__].sender, late_joins[__i__].told);
      packet = sealed_data ((guint16) (seq * 32767));
      fail_unless_equals_int (receive (&packet), late_joins[__i__].result);
      if (late_joins[__i__].result == GST_TFRC_UNPROTECTED_OK) {
        fail_unless_equals_int (
            gst_tfrc_srtp_get_roc (receiver, (guint16) (seq * 32767)), late_joins[__i__].sender);
        expect_data (sealed_data ((guint16) (seq * 32767 + 1)), (guint16) (seq * 32767 + 1));
      }
      teardown ();
    }
}
GST_END_TEST;

GST_START_TEST (test_forged_packets_before_the_first_do_not_spoil_the_counter)
{
  Packet forged = make_data (65535);

  start_with (__i__, 8, 7);
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (receive (&forged), GST_TFRC_UNPROTECTED_FORGED);
  expect_data (sealed_data (3), 3);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 4), 8);
}
GST_END_TEST;

/* The comparisons of RFC 3711 appendix A, which a peer makes as well */
GST_START_TEST (test_a_number_half_the_range_away_has_the_counter_of_the_furthest)
{
  GstTfrcSrtpIndex high = { 0 }, low = { 0 };

  gst_tfrc_srtp_index_note (&high, 5, 0x9000);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_guess_roc (&high, 0, 0x1000), 5);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_guess_roc (&high, 0, 0x0fff), 6);
  gst_tfrc_srtp_index_note (&low, 5, 0x1000);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_guess_roc (&low, 0, 0x9000), 5);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_guess_roc (&low, 0, 0x9001), 4);
}
GST_END_TEST;

GST_START_TEST (test_a_late_packet_does_not_move_the_furthest_back)
{
  GstTfrcSrtpIndex index = { 0 };

  gst_tfrc_srtp_index_note (&index, 0, 40000);
  gst_tfrc_srtp_index_note (&index, 0, 20000);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_guess_roc (&index, 0, 7000), 1);
}
GST_END_TEST;

GST_START_TEST (test_who_follows_a_stream_without_packets_keeps_the_counter_that_was_told)
{
  GstTfrcSrtpIndex self = { 0 }, other = { 0 };

  gst_tfrc_srtp_index_follow (&self, &other);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_guess_roc (&self, 7, 100), 7);
  fail_unless_equals_uint64 (gst_tfrc_srtp_index_next_roc (&self, 7), 7);
}
GST_END_TEST;

/* Of a 48-bit index there is no next. */
GST_START_TEST (test_after_the_last_index_nothing_is_protected)
{
  Packet packet = make_data (0);

  start_with (__i__, G_MAXUINT32, G_MAXUINT32);
  expect_data (sealed_data (65534), 65534);
  expect_data (sealed_data (65535), 65535);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 0), G_MAXUINT32);
}
GST_END_TEST;

/* ---- SRTCP index -------------------------------------------------------- */

static guint32
index_of (const Packet *report, GstTfrcCipher cipher)
{
  gsize tail_bytes = cipher <= GST_TFRC_CIPHER_AES_256_GCM ? 4 : 14;
  guint32 word;

  memcpy (&word, (const guint8 *) report->words + report->size - tail_bytes, sizeof word);
  fail_unless (GUINT32_FROM_BE (word) & 0x80000000, "not encrypted");
  return GUINT32_FROM_BE (word) & 0x7fffffff;
}

GST_START_TEST (test_the_srtcp_index_goes_on_over_new_keys)
{
  GstTfrcSrtp *ends[2] = { sender, receiver };
  Packet report;

  start (__i__);
  for (guint i = 0; i < 2; i++) {
    for (guint32 index = 1; index < 10; index++) {
      report = sealed_report (ends[i], SSRC);
      fail_unless_equals_int (index_of (&report, __i__), index);
    }
    install (ends[i], __i__, 2, 0);
    gst_tfrc_srtp_switch (ends[i], NOW);
    report = sealed_report (ends[i], SSRC);
    fail_unless_equals_int (index_of (&report, __i__), 10);
  }
}
GST_END_TEST;

GST_START_TEST (test_the_srtcp_index_wraps_with_new_keys_before_the_index_ends)
{
  Packet report;

  start (__i__);
  gst_tfrc_srtp_set_limits (receiver, 10, G_MAXUINT64);
  for (guint i = 0; i < 6; i++)
    report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (index_of (&report, __i__), 6);
  install (receiver, __i__, 2, 0);
  gst_tfrc_srtp_switch (receiver, NOW);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (index_of (&report, __i__), 1);
  install (receiver, __i__, 3, 0);
  gst_tfrc_srtp_switch (receiver, NOW);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (index_of (&report, __i__), 2);
}
GST_END_TEST;

/* The sender's counter goes on although a new context begins. */
GST_START_TEST (test_the_rollover_counter_goes_on_when_the_srtcp_index_wraps)
{
  start (__i__);
  expect_data (sealed_data (65000), 65000);
  expect_data (sealed_data (1), 1);
  gst_tfrc_srtp_set_limits (sender, 10, G_MAXUINT64);
  for (guint i = 0; i < 6; i++)
    sealed_report (sender, SSRC);
  install (sender, __i__, 2, 0);
  install (receiver, __i__, 2, gst_tfrc_srtp_get_roc (sender, 2));
  gst_tfrc_srtp_switch (sender, NOW);
  expect_data (sealed_data (2), 2);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 3), 1);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 3), 1);
}
GST_END_TEST;

static Suite *
srtpindex_suite (void)
{
  Suite *suite = suite_create ("srtpindex");
  TCase *tcase = add_case (suite, "each cipher"), *joins = tcase_create ("late joins");

#define EACH_CIPHER(test) tcase_add_loop_test (tcase, test, 0, N_CIPHERS)
  EACH_CIPHER (test_a_packet_that_has_come_before_is_replayed);
  EACH_CIPHER (test_packets_in_any_order_within_the_window_come_out);
  EACH_CIPHER (test_a_packet_as_old_as_the_window_is_replayed);
  EACH_CIPHER (test_a_gap_of_half_the_range_is_bridged_and_older_packets_are_refused);
  EACH_CIPHER (test_the_sender_protects_no_number_twice);
  EACH_CIPHER (test_refused_packets_do_not_move_the_window);
  EACH_CIPHER (test_the_rollover_counter_goes_on_at_both_ends);
  EACH_CIPHER (test_packets_change_places_over_the_wrap);
  EACH_CIPHER (test_forged_packets_before_the_first_do_not_spoil_the_counter);
  EACH_CIPHER (test_after_the_last_index_nothing_is_protected);
  EACH_CIPHER (test_the_srtcp_index_goes_on_over_new_keys);
  EACH_CIPHER (test_the_srtcp_index_wraps_with_new_keys_before_the_index_ends);
  EACH_CIPHER (test_the_rollover_counter_goes_on_when_the_srtcp_index_wraps);
  tcase_add_test (tcase, test_a_number_half_the_range_away_has_the_counter_of_the_furthest);
  tcase_add_test (tcase, test_a_late_packet_does_not_move_the_furthest_back);
  tcase_add_test (tcase, test_who_follows_a_stream_without_packets_keeps_the_counter_that_was_told);
  suite_add_tcase (suite, joins);
  tcase_add_loop_test (joins, test_who_joins_late_needs_the_rollover_counter_give_or_take_one, 0,
      G_N_ELEMENTS (late_joins));
  return suite;
}

GST_CHECK_MAIN (srtpindex);
