/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP: generations of keys that follow each other, see gst/security/srtp.h. */
#include "srtptest.h"

#define GRACE GST_TFRC_SRTP_GRACE_NS

static GstTfrcUnprotectResult
receive_at (const Packet *packet, guint64 now_ns)
{
  return unprotect_at (receiver, FALSE, packet, now_ns);
}

static guint
generation_of (GstTfrcSrtp *end)
{
  GstTfrcSrtpUsage usage;

  gst_tfrc_srtp_get_usage (end, &usage);
  return usage.generation;
}

/* Both ends get the keys as key messages would bring them. */
static void
install_both (GstTfrcCipher cipher, guint8 generation, guint16 next_seq)
{
  guint32 roc = gst_tfrc_srtp_get_roc (sender, next_seq);

  install (sender, cipher, generation, roc);
  install (receiver, cipher, generation, roc);
}

/* ---- one generation after another --------------------------------------- */

GST_START_TEST (test_the_sender_uses_a_second_generation_after_the_switch_alone)
{
  Packet before, after;

  start (__i__);
  expect_data (sealed_data (1), 1);
  install_both (__i__, 2, 2);
  fail_unless_equals_int (generation_of (sender), 1);
  expect_data (sealed_data (2), 2);
  fail_if (gst_tfrc_srtp_is_confirmed (receiver));
  before = sealed_data (3);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (generation_of (sender), 2);
  after = sealed_data (4);
  expect_data (after, 4);
  fail_unless (gst_tfrc_srtp_is_confirmed (receiver));
  expect_data (before, 3);
  expect_data (sealed_data (5), 5);
  fail_unless_equals_int (receive (&before), GST_TFRC_UNPROTECTED_REPLAYED);
  fail_unless_equals_int (receive (&after), GST_TFRC_UNPROTECTED_REPLAYED);
}
GST_END_TEST;

GST_START_TEST (test_packets_of_both_generations_come_in_any_order)
{
  Packet packets[40];

  start (__i__);
  expect_data (sealed_data (65519), 65519);
  install_both (__i__, 2, 65520);
  for (guint i = 0; i < 40; i++) {
    if (i == 20)
      gst_tfrc_srtp_switch (sender, NOW);
    packets[i] = sealed_data ((guint16) (65520 + i));
  }
  for (guint i = 0; i < 40; i++) {
    guint at = i * 17 % 40;

    expect_data (packets[at], (guint16) (65520 + at));
  }
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 24), 1);
}
GST_END_TEST;

GST_START_TEST (test_the_receiver_sends_with_the_new_keys_once_the_sender_has_used_them)
{
  Packet report;

  start (__i__);
  expect_data (sealed_data (1), 1);
  sealed_report (receiver, OTHER_SSRC);
  install_both (__i__, 2, 2);
  expect_data (sealed_data (2), 2);
  fail_unless_equals_int (generation_of (receiver), 1);
  gst_tfrc_srtp_switch (sender, NOW);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  fail_if (gst_tfrc_srtp_is_confirmed (sender));

  report = sealed_report (sender, SSRC);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (generation_of (receiver), 2);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  fail_unless (gst_tfrc_srtp_is_confirmed (sender));
  expect_data (sealed_data (3), 3);
}
GST_END_TEST;

/* From each cipher to the next: sizes and tags differ. */
GST_START_TEST (test_a_new_generation_may_have_another_cipher)
{
  GstTfrcCipher next = (__i__ + 1) % N_CIPHERS;
  Packet before, report;

  start (__i__);
  expect_data (sealed_data (65534), 65534);
  install_both (next, 2, 65535);
  before = sealed_data (65535);
  report = sealed_report (sender, SSRC);
  gst_tfrc_srtp_switch (sender, NOW);
  expect_data (sealed_data (0), 0);
  expect_data (before, 65535);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  report = sealed_report (sender, SSRC);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
}
GST_END_TEST;

GST_START_TEST (test_ten_generations_follow_over_many_wraps)
{
  guint16 seq = 60000;

  start (__i__);
  for (guint8 generation = 2; generation < 12; generation++) {
    for (guint i = 0; i < 5; i++, seq += 20000)
      expect_data (sealed_data (seq), seq);
    install_both ((__i__ + generation) % N_CIPHERS, generation, seq);
    gst_tfrc_srtp_switch (sender, NOW);
  }
  fail_unless_equals_int (generation_of (sender), 11);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, seq), (60000 + 50 * 20000) >> 16);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, seq), (60000 + 50 * 20000) >> 16);
}
GST_END_TEST;

/* As at a high rate: the key message has told another counter. */
GST_START_TEST (test_the_keys_before_may_be_in_use_over_many_wraps_after_the_message)
{
  guint16 seq = 65000;

  start (__i__);
  expect_data (sealed_data (seq), seq);
  install_both (__i__, 2, seq + 1);
  for (guint i = 0; i < 20; i++, seq += 20000)
    expect_data (sealed_data (seq + 1), seq + 1);
  gst_tfrc_srtp_switch (sender, NOW);
  expect_data (sealed_data (seq + 1), seq + 1);
  fail_unless_equals_int (generation_of (receiver), 2);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, seq + 2), (65000 + 20 * 20000) >> 16);
}
GST_END_TEST;

/* ---- the grace time ----------------------------------------------------- */

GST_START_TEST (test_the_generation_before_ends_a_grace_time_after_the_first_new_packet)
{
  Packet early, late;

  start (__i__);
  expect_data (sealed_data (1), 1);
  install_both (__i__, 2, 2);
  early = sealed_data (2);
  late = sealed_data (3);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (receive_at (&early, NOW + 100 * GRACE), GST_TFRC_UNPROTECTED_OK);
  for (guint16 seq = 4; seq < 8; seq++) {
    Packet packet = sealed_data (seq);

    fail_unless_equals_int (
        receive_at (&packet, NOW + 100 * GRACE + seq - 4), GST_TFRC_UNPROTECTED_OK);
  }
  if (__i__ % 2 == 0) {
    fail_unless_equals_int (receive_at (&late, NOW + 101 * GRACE - 1), GST_TFRC_UNPROTECTED_OK);
    fail_unless_equals_int (
        receive_at (&late, NOW + 101 * GRACE - 1), GST_TFRC_UNPROTECTED_REPLAYED);
  }
  /* The number is known in the old generation alone. */
  fail_unless_equals_int (receive_at (&late, NOW + 101 * GRACE), GST_TFRC_UNPROTECTED_FORGED);
  late = sealed_data (8);
  fail_unless_equals_int (receive_at (&late, NOW + 101 * GRACE), GST_TFRC_UNPROTECTED_OK);
}
GST_END_TEST;

GST_START_TEST (test_forged_packets_do_not_begin_the_grace_time)
{
  Packet forged = make_data (100), old;

  start (__i__);
  expect_data (sealed_data (1), 1);
  install_both (__i__, 2, 2);
  old = sealed_data (2);
  fail_unless_equals_int (receive (&forged), GST_TFRC_UNPROTECTED_FORGED);
  fail_if (gst_tfrc_srtp_is_confirmed (receiver));
  fail_unless_equals_int (generation_of (receiver), 1);
  fail_unless_equals_int (receive_at (&old, NOW + 100 * GRACE), GST_TFRC_UNPROTECTED_OK);
}
GST_END_TEST;

GST_START_TEST (test_a_switch_ends_the_grace_time_that_is_over)
{
  Packet old, older, report;

  start (__i__);
  expect_data (sealed_data (1), 1); /* otherwise the second generation would replace the first */
  older = sealed_report (receiver, OTHER_SSRC);
  old = sealed_report (receiver, OTHER_SSRC);
  install_both (__i__, 2, 2);
  gst_tfrc_srtp_switch (sender, NOW);
  report = sealed_report (sender, SSRC);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  gst_tfrc_srtp_switch (sender, NOW + GRACE - 1);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &older, NOW), GST_TFRC_UNPROTECTED_OK);
  gst_tfrc_srtp_switch (sender, NOW + GRACE);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &old, NOW), GST_TFRC_UNPROTECTED_FORGED);
}
GST_END_TEST;

/* A receiver that has begun anew has the new keys alone, and uses them at once. */
GST_START_TEST (test_a_report_with_new_keys_does_not_switch_the_sender)
{
  Packet report;

  start (__i__);
  expect_data (sealed_data (1), 1);
  install (sender, __i__, 2, 0);
  gst_tfrc_srtp_free (receiver);
  receiver = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  install (receiver, __i__, 2, 0);
  report = sealed_report (receiver, OTHER_SSRC);
  fail_unless_equals_int (unprotect_at (sender, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  fail_unless (gst_tfrc_srtp_is_confirmed (sender));
  fail_unless_equals_int (generation_of (sender), 1);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (generation_of (sender), 2);
  expect_data (sealed_data (2), 2);
}
GST_END_TEST;

/* The tags of the ciphers have 16 bytes and 10: the shortest report of the one before is shorter than any
 * of the newest. */
GST_START_TEST (test_the_shortest_report_of_the_cipher_before_is_read_with_a_longer_tag_behind)
{
  Packet report = make_report (SSRC, 7);

  start (GST_TFRC_CIPHER_AES_128_ICM);
  expect_data (sealed_data (1), 1);
  report.size = 8;
  fail_unless_equals_int (protect (sender, TRUE, &report), 8 + 4 + 10);
  install_both (GST_TFRC_CIPHER_AES_128_GCM, 2, 2);
  fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
}
GST_END_TEST;

/* ---- generations that nobody uses --------------------------------------- */

GST_START_TEST (test_a_generation_over_an_unused_one_replaces_the_unused_one)
{
  start (__i__);
  expect_data (sealed_data (1), 1);
  install (sender, __i__, 2, 0);
  install (receiver, __i__, 2, 0);
  install_both (__i__, 3, 2);
  expect_data (sealed_data (2), 2); /* still with the first */
  gst_tfrc_srtp_switch (sender, NOW);
  expect_data (sealed_data (3), 3);
  fail_unless_equals_int (generation_of (sender), 2);
  fail_unless_equals_int (generation_of (receiver), 2);
}
GST_END_TEST;

GST_START_TEST (test_a_first_generation_that_is_unused_is_replaced_at_once)
{
  start_with (__i__, 7, 7);
  install (sender, __i__, 2, 9);
  install (receiver, __i__, 2, 9);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 4), 9);
  expect_data (sealed_data (4), 4);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 5), 9);
}
GST_END_TEST;

/* Packets may be on their way that are protected with the second generation. */
GST_START_TEST (test_a_generation_that_was_switched_to_is_not_replaced)
{
  Packet packet;

  start (__i__);
  expect_data (sealed_data (1), 1);
  install_both (__i__, 2, 2);
  gst_tfrc_srtp_switch (sender, NOW);
  packet = sealed_data (2);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_OK);
  install_both (__i__, 3, 3);
  expect_data (sealed_data (3), 3); /* with the second */
  gst_tfrc_srtp_switch (sender, NOW);
  expect_data (sealed_data (4), 4);
  fail_unless_equals_int (generation_of (sender), 3);
  fail_unless_equals_int (generation_of (receiver), 3);
}
GST_END_TEST;

GST_START_TEST (test_another_ssrc_begins_a_new_count)
{
  GstTfrcStreamKeys keys = make_keys (__i__, 2);
  Packet packet = make_data_of (OTHER_SSRC, 20, 100);

  start_with (__i__, 7, 7);
  expect_data (sealed_data (65535), 65535);
  fail_unless (gst_tfrc_srtp_install (sender, &keys, OTHER_SSRC, 0, 0, NULL));
  fail_unless (gst_tfrc_srtp_install (receiver, &keys, OTHER_SSRC, 0, 0, NULL));
  expect_data (sealed_data (0), 0);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 20), 0);
  protect (sender, FALSE, &packet);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 65535), 0);
  packet = make_data_of (OTHER_SSRC, 40000, 100);
  protect (sender, FALSE, &packet);
  packet = make_data_of (OTHER_SSRC, 100, 100);
  protect (sender, FALSE, &packet);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 101), 1);
}
GST_END_TEST;

/* Both have the number 0 of their rollover counter: the late packet of the SSRC before is read, and would
 * otherwise be taken for a packet far ahead of the new SSRC's. */
GST_START_TEST (test_a_late_packet_of_the_ssrc_before_does_not_move_the_new_count)
{
  GstTfrcStreamKeys keys = make_keys (__i__, 2);
  Packet late, packet;

  start (__i__);
  expect_data (sealed_data (60000), 60000);
  late = sealed_data (60001);
  fail_unless (gst_tfrc_srtp_install (sender, &keys, OTHER_SSRC, 0, 0, NULL));
  fail_unless (gst_tfrc_srtp_install (receiver, &keys, OTHER_SSRC, 0, 0, NULL));
  gst_tfrc_srtp_switch (sender, NOW);
  for (guint16 seq = 20; seq < 24; seq++) {
    packet = make_data_of (OTHER_SSRC, seq, 100);
    protect (sender, FALSE, &packet);
    fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_OK);
    if (seq == 20)
      fail_unless_equals_int (receive (&late), GST_TFRC_UNPROTECTED_OK);
  }
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 24), 0);
}
GST_END_TEST;

/* As after an answer that got lost: the receiver sends with keys that the sender has never had, and the sender
 * goes on with the first ones. */
GST_START_TEST (test_the_receiver_keeps_what_the_sender_uses_over_generations_without_a_packet)
{
  start (__i__);
  expect_data (sealed_data (1), 1);
  for (guint8 generation = 2; generation < 5; generation++) {
    install (receiver, __i__, generation, 0);
    gst_tfrc_srtp_switch (receiver, NOW);
    expect_data (sealed_data (generation), generation);
  }
  fail_unless_equals_int (generation_of (receiver), 4);
  install (sender, __i__, 4, 0);
  gst_tfrc_srtp_switch (sender, NOW);
  expect_data (sealed_data (5), 5);
  fail_unless (gst_tfrc_srtp_is_confirmed (receiver));
}
GST_END_TEST;

/* The peer may already send with keys that this end has switched to, even if this end has sent nothing. */
GST_START_TEST (test_the_first_generation_in_use_is_not_replaced)
{
  start (__i__);
  gst_tfrc_srtp_switch (sender, NOW);
  install_both (__i__, 2, 1);
  fail_unless_equals_int (generation_of (sender), 1);
  sealed_data (1);
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (generation_of (sender), 2);
}
GST_END_TEST;

/* ---- the same keys elsewhere -------------------------------------------- */

/* Two receivers with the same keys, of which one has had a packet of the newest */
static GstTfrcSrtp *
begin_elsewhere (GstTfrcCipher cipher, Packet *first_new, Packet old[2])
{
  GstTfrcSrtp *elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);

  start (cipher);
  install (elsewhere, cipher, 1, 0);
  expect_data (sealed_data (1), 1);
  old[0] = sealed_data (2);
  fail_unless_equals_int (unprotect_at (elsewhere, FALSE, &old[0], NOW), GST_TFRC_UNPROTECTED_OK);
  old[0] = sealed_data (3);
  old[1] = sealed_data (4);
  install_both (cipher, 2, 5);
  install (elsewhere, cipher, 2, 0);
  gst_tfrc_srtp_switch (sender, NOW);
  *first_new = sealed_data (5);
  return elsewhere;
}

GST_START_TEST (test_the_grace_time_elsewhere_ends_with_that_of_the_followed)
{
  Packet first_new, old[2];
  GstTfrcSrtp *elsewhere = begin_elsewhere (__i__, &first_new, old);

  gst_tfrc_srtp_follow_keys (elsewhere, receiver);
  fail_if (gst_tfrc_srtp_is_confirmed (elsewhere));
  fail_unless_equals_int (receive_at (&first_new, NOW + 9 * GRACE), GST_TFRC_UNPROTECTED_OK);
  gst_tfrc_srtp_follow_keys (elsewhere, receiver);
  fail_unless (gst_tfrc_srtp_is_confirmed (elsewhere));
  fail_unless_equals_int (
      unprotect_at (elsewhere, FALSE, &old[0], NOW + 10 * GRACE - 1), GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (
      unprotect_at (elsewhere, FALSE, &old[1], NOW + 10 * GRACE), GST_TFRC_UNPROTECTED_FORGED);
  gst_tfrc_srtp_free (elsewhere);
}
GST_END_TEST;

GST_START_TEST (test_a_grace_time_that_has_begun_is_not_made_longer_by_the_followed)
{
  Packet first_new, old[2];
  GstTfrcSrtp *elsewhere = begin_elsewhere (__i__, &first_new, old);

  fail_unless_equals_int (
      unprotect_at (elsewhere, FALSE, &first_new, NOW), GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (receive_at (&first_new, NOW + 100 * GRACE), GST_TFRC_UNPROTECTED_OK);
  gst_tfrc_srtp_follow_keys (elsewhere, receiver);
  fail_unless_equals_int (
      unprotect_at (elsewhere, FALSE, &old[0], NOW + GRACE - 1), GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (
      unprotect_at (elsewhere, FALSE, &old[1], NOW + GRACE), GST_TFRC_UNPROTECTED_FORGED);
  gst_tfrc_srtp_free (elsewhere);
}
GST_END_TEST;

static Suite *
srtprekey_suite (void)
{
  Suite *suite = suite_create ("srtprekey");
  TCase *tcase = add_case (suite, "each cipher");

#define EACH_CIPHER(test) tcase_add_loop_test (tcase, test, 0, N_CIPHERS)
  EACH_CIPHER (test_the_sender_uses_a_second_generation_after_the_switch_alone);
  EACH_CIPHER (test_packets_of_both_generations_come_in_any_order);
  EACH_CIPHER (test_the_receiver_sends_with_the_new_keys_once_the_sender_has_used_them);
  EACH_CIPHER (test_a_new_generation_may_have_another_cipher);
  EACH_CIPHER (test_ten_generations_follow_over_many_wraps);
  EACH_CIPHER (test_the_keys_before_may_be_in_use_over_many_wraps_after_the_message);
  EACH_CIPHER (test_the_generation_before_ends_a_grace_time_after_the_first_new_packet);
  EACH_CIPHER (test_forged_packets_do_not_begin_the_grace_time);
  EACH_CIPHER (test_a_switch_ends_the_grace_time_that_is_over);
  EACH_CIPHER (test_a_report_with_new_keys_does_not_switch_the_sender);
  tcase_add_test (
      tcase, test_the_shortest_report_of_the_cipher_before_is_read_with_a_longer_tag_behind);
  EACH_CIPHER (test_a_generation_over_an_unused_one_replaces_the_unused_one);
  EACH_CIPHER (test_a_first_generation_that_is_unused_is_replaced_at_once);
  EACH_CIPHER (test_a_generation_that_was_switched_to_is_not_replaced);
  EACH_CIPHER (test_another_ssrc_begins_a_new_count);
  EACH_CIPHER (test_a_late_packet_of_the_ssrc_before_does_not_move_the_new_count);
  EACH_CIPHER (test_the_receiver_keeps_what_the_sender_uses_over_generations_without_a_packet);
  EACH_CIPHER (test_the_first_generation_in_use_is_not_replaced);
  EACH_CIPHER (test_the_grace_time_elsewhere_ends_with_that_of_the_followed);
  EACH_CIPHER (test_a_grace_time_that_has_begun_is_not_made_longer_by_the_followed);
  return suite;
}

GST_CHECK_MAIN (srtprekey);
