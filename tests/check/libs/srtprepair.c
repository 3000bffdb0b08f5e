/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP: the media and its repairs, two streams with one key, see gst/security/srtpindex.h. */
#include <tfrc/wire.h>

#include "srtptest.h"

#define REPAIR_SSRC (SSRC + 1)
#define OTHER_KEYS 2

static Packet
sealed_repair (guint16 seq)
{
  Packet packet = make_data_of (REPAIR_SSRC, seq, PAYLOAD_BYTES);

  fail_unless (protect (sender, FALSE, &packet) > DATA_BYTES, "repair %u is not protected", seq);
  return packet;
}

static void
expect_repair (Packet packet, guint16 seq)
{
  Packet plain = make_data_of (REPAIR_SSRC, seq, PAYLOAD_BYTES);
  GstTfrcUnprotectResult result = gst_tfrc_srtp_unprotect (
      receiver, FALSE, bytes_of (&packet), &packet.size, NOW);

  fail_unless (result == GST_TFRC_UNPROTECTED_OK, "repair %u: result %d", seq, result);
  fail_unless (is_same (&packet, &plain), "repair %u has changed", seq);
}

static void
install_with (
    GstTfrcSrtp *end, GstTfrcCipher cipher, guint8 generation, guint32 roc, guint32 repair_roc)
{
  GstTfrcStreamKeys keys = make_keys (cipher, generation);

  fail_unless (gst_tfrc_srtp_install (end, &keys, SSRC, roc, repair_roc, NULL));
}

GST_START_TEST (the_ssrc_of_repairs_is_that_of_the_wire_format)
{
  static const guint32 ssrcs[] = { 0, 1, 2, SSRC, OTHER_SSRC, G_MAXUINT32 - 1, G_MAXUINT32 };

  for (guint i = 0; i < G_N_ELEMENTS (ssrcs); i++)
    fail_unless_equals_int (gst_tfrc_srtp_repair_ssrc (ssrcs[i]), TFRC_WIRE_REPAIR_SSRC (ssrcs[i]));
  fail_unless_equals_int (gst_tfrc_srtp_stream_of (8, 8), GST_TFRC_SRTP_MEDIA);
  fail_unless_equals_int (gst_tfrc_srtp_stream_of (8, 9), GST_TFRC_SRTP_REPAIR);
  fail_unless_equals_int (gst_tfrc_srtp_stream_of (8, 10), GST_TFRC_SRTP_NO_STREAM);
  fail_unless_equals_int (gst_tfrc_srtp_stream_of (9, 9), GST_TFRC_SRTP_MEDIA);
  fail_unless_equals_int (gst_tfrc_srtp_stream_of (9, 8), GST_TFRC_SRTP_NO_STREAM);
}
GST_END_TEST;

/* The counters wrap at different times, three times each. */
GST_START_TEST (both_streams_are_read_over_the_wraps_of_each)
{
  guint64 media = 65500, repair = 40000;

  start (__i__);
  while (media < 3 * 65536 + 100) {
    expect_data (sealed_data ((guint16) media), (guint16) media);
    expect_repair (sealed_repair ((guint16) repair), (guint16) repair);
    fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, (guint16) media), media >> 16);
    fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, (guint16) media), media >> 16);
    fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (sender), (repair + 1) >> 16);
    fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (receiver), (repair + 1) >> 16);
    fail_unless_equals_uint64 (gst_tfrc_srtp_get_index (receiver), repair);
    media += 300;
    repair += 217;
  }
  fail_unless (repair >> 16 == 2);
}
GST_END_TEST;

GST_START_TEST (the_next_repair_may_have_the_next_counter)
{
  start (__i__);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (sender), 0);
  expect_repair (sealed_repair (65534), 65534);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (sender), 0);
  expect_repair (sealed_repair (65535), 65535);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (sender), 1);
  expect_repair (sealed_repair (0), 0);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (sender, 0), 0);
}
GST_END_TEST;

/* No nonce twice: the packets differ by the SSRC alone, and the keystreams differ all the same. */
GST_START_TEST (packets_with_the_same_index_are_encrypted_differently)
{
  guint same = 0;
  Packet media, repair;

  start (__i__);
  media = sealed_data (77);
  repair = sealed_repair (77);
  for (guint i = HEADER_BYTES; i < DATA_BYTES; i++)
    same += bytes_of (&media)[i] == bytes_of (&repair)[i];
  fail_unless (same < 40, "%u of 1316 bytes are the same", same); /* 5 by chance */
  expect_data (media, 77);
  expect_repair (repair, 77);
}
GST_END_TEST;

GST_START_TEST (a_packet_of_either_stream_that_comes_again_is_replayed)
{
  Packet media, repair, again = make_data_of (REPAIR_SSRC, 10, PAYLOAD_BYTES);

  start (__i__);
  media = sealed_data (10);
  repair = sealed_repair (10);
  expect_data (media, 10);
  expect_repair (repair, 10);
  fail_unless_equals_int (receive (&media), GST_TFRC_UNPROTECTED_REPLAYED);
  fail_unless_equals_int (receive (&repair), GST_TFRC_UNPROTECTED_REPLAYED);
  expect_repair (sealed_repair (11), 11);
  expect_data (sealed_data (11), 11);
  fail_unless_equals_int (receive (&media), GST_TFRC_UNPROTECTED_REPLAYED);
  fail_unless_equals_int (receive (&repair), GST_TFRC_UNPROTECTED_REPLAYED);
  /* A repair that leaves again has another number: the sender seals none twice. */
  fail_unless_equals_int (protect (sender, FALSE, &again), 0);
}
GST_END_TEST;

/* The window of one stream does not move with the other. */
GST_START_TEST (each_stream_has_a_replay_window_of_its_own)
{
  Packet early;

  start (__i__);
  early = sealed_repair (5);
  for (guint16 seq = 0; seq < 3 * GST_TFRC_SRTP_WINDOW_PACKETS; seq++)
    expect_data (sealed_data (seq), seq);
  expect_repair (sealed_repair (6), 6);
  expect_repair (early, 5);
}
GST_END_TEST;

GST_START_TEST (the_counter_of_repairs_goes_on_over_new_keys)
{
  Packet old_media, old_repair;

  start_with (__i__, 4, 4);
  expect_data (sealed_data (100), 100);
  expect_repair (sealed_repair (65000), 65000);
  expect_repair (sealed_repair (2000), 2000);
  old_media = sealed_data (101);
  old_repair = sealed_repair (2001);
  install (sender, __i__, OTHER_KEYS, 4);
  install_with (receiver, __i__, OTHER_KEYS, 4, gst_tfrc_srtp_get_repair_roc (sender));
  gst_tfrc_srtp_switch (sender, NOW);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (sender), 1);
  expect_repair (sealed_repair (2002), 2002);
  expect_repair (old_repair, 2001);
  expect_data (sealed_data (102), 102);
  expect_data (old_media, 101);
  expect_repair (sealed_repair (34000), 34000);
  expect_repair (sealed_repair (65001), 65001);
  expect_repair (sealed_repair (0), 0);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (receiver), 2);
}
GST_END_TEST;

/* A new context of libsrtp knows neither counter. */
GST_START_TEST (both_counters_go_on_when_the_srtcp_index_wraps)
{
  start_with (__i__, 6, 6);
  expect_data (sealed_data (1), 1);
  expect_repair (sealed_repair (65535), 65535);
  expect_repair (sealed_repair (1), 1);
  gst_tfrc_srtp_set_limits (sender, 10, G_MAXUINT64);
  for (guint i = 0; i < 6; i++)
    sealed_report (sender, SSRC);
  install (sender, __i__, OTHER_KEYS, 0);
  install_with (receiver, __i__, OTHER_KEYS, 6, 1);
  gst_tfrc_srtp_switch (sender, NOW);
  expect_repair (sealed_repair (2), 2);
  expect_data (sealed_data (2), 2);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (receiver), 1);
  fail_unless_equals_int (gst_tfrc_srtp_get_roc (receiver, 2), 6);
}
GST_END_TEST;

/* Who joins late is told both counters, give or take one, and they have nothing to do with each other. */
GST_START_TEST (who_joins_late_needs_the_counter_of_repairs_as_well)
{
  static const struct
  {
    guint32 sender, told;
    GstTfrcUnprotectResult result;
  } joins[] = { { 0, 0, GST_TFRC_UNPROTECTED_OK }, { 1, 0, GST_TFRC_UNPROTECTED_OK },
    { 2, 0, GST_TFRC_UNPROTECTED_FORGED }, { 2, 2, GST_TFRC_UNPROTECTED_OK },
    { 70000, 70001, GST_TFRC_UNPROTECTED_OK }, { 70000, 70002, GST_TFRC_UNPROTECTED_FORGED },
    { G_MAXUINT32, G_MAXUINT32, GST_TFRC_UNPROTECTED_OK },
    /* No counter comes before 0, and none behind the last. */
    { G_MAXUINT32, 0, GST_TFRC_UNPROTECTED_FORGED },
    { 0, G_MAXUINT32, GST_TFRC_UNPROTECTED_FORGED } };

  for (guint i = 0; i < G_N_ELEMENTS (joins); i++) {
    Packet packet;

    teardown ();
    setup ();
    install_with (sender, __i__, 1, 9, joins[i].sender);
    install_with (receiver, __i__, 1, 9, joins[i].told);
    expect_data (sealed_data (3), 3);
    packet = sealed_repair (3);
    fail_unless_equals_int (receive (&packet), joins[i].result);
    expect_data (sealed_data (4), 4);
    if (joins[i].result == GST_TFRC_UNPROTECTED_OK)
      expect_repair (sealed_repair (4), 4);
  }
}
GST_END_TEST;

GST_START_TEST (after_the_last_repair_media_go_on)
{
  Packet packet = make_data_of (REPAIR_SSRC, 0, PAYLOAD_BYTES);

  install_with (sender, __i__, 1, 0, G_MAXUINT32);
  install_with (receiver, __i__, 1, 0, G_MAXUINT32);
  expect_repair (sealed_repair (65535), 65535);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (sender), G_MAXUINT32);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
  expect_data (sealed_data (1), 1);
}
GST_END_TEST;

/* Packets of both streams have come at another end with the same keys. */
GST_START_TEST (the_index_of_repairs_is_followed_elsewhere)
{
  GstTfrcSrtp *known = receiver;

  start (__i__);
  for (guint64 seq = 0; seq < 3 * 65536; seq += 30000)
    expect_repair (sealed_repair ((guint16) seq), (guint16) seq);
  receiver = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  install (receiver, __i__, 1, 0);
  gst_tfrc_srtp_follow_index (receiver, known);
  expect_repair (sealed_repair (50000), 50000);
  fail_unless_equals_int (gst_tfrc_srtp_get_repair_roc (receiver), 2);
  gst_tfrc_srtp_free (known);
}
GST_END_TEST;

/* The reports of the repairs' SSRC, and no data of a third one */
GST_START_TEST (both_ssrcs_of_a_sender_are_protected_and_no_other)
{
  Packet report, stranger = make_data_of (SSRC + 2, 1, PAYLOAD_BYTES);

  start (__i__);
  for (guint i = 0; i < 3; i++) {
    report = sealed_report (sender, REPAIR_SSRC);
    fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
    fail_unless_equals_int (
        unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_REPLAYED);
    report = sealed_report (sender, SSRC);
    fail_unless_equals_int (unprotect_at (receiver, TRUE, &report, NOW), GST_TFRC_UNPROTECTED_OK);
  }
  fail_unless_equals_int (receive (&stranger), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (protect (sender, FALSE, &stranger), 0);
}
GST_END_TEST;

GST_START_TEST (media_with_an_odd_ssrc_have_no_repairs)
{
  GstTfrcStreamKeys keys = make_keys (__i__, 1);
  Packet packet = make_data_of (OTHER_SSRC, 1, 100), before = make_data_of (OTHER_SSRC - 1, 1, 100),
         behind = make_data_of (OTHER_SSRC + 1, 1, 100);

  fail_unless (gst_tfrc_srtp_install (sender, &keys, OTHER_SSRC, 0, 0, NULL));
  fail_unless (gst_tfrc_srtp_install (receiver, &keys, OTHER_SSRC, 0, 0, NULL));
  fail_unless_equals_int (protect (sender, FALSE, &before), 0);
  fail_unless_equals_int (protect (sender, FALSE, &behind), 0);
  fail_unless (protect (sender, FALSE, &packet) > 0);
  fail_unless_equals_int (receive (&packet), GST_TFRC_UNPROTECTED_OK);
}
GST_END_TEST;

/* What a key may protect counts for both streams together. */
GST_START_TEST (media_and_repairs_use_up_one_key)
{
  Packet packet = make_data_of (REPAIR_SSRC, 3, PAYLOAD_BYTES);

  start (__i__);
  gst_tfrc_srtp_set_limits (sender, 4, G_MAXUINT64);
  for (guint16 seq = 1; seq <= 2; seq++) {
    expect_data (sealed_data (seq), seq);
    expect_repair (sealed_repair (seq), seq);
  }
  fail_unless_equals_int (protect (sender, FALSE, &packet), 0);
}
GST_END_TEST;

GST_START_TEST (an_end_that_leaves_repairs_out_reads_media_alone)
{
  Packet repair;

  gst_tfrc_srtp_leave_out_repairs (receiver);
  start (__i__);
  repair = sealed_repair (1);
  fail_unless_equals_int (receive (&repair), GST_TFRC_UNPROTECTED_FORGED);
  expect_data (sealed_data (1), 1);
}
GST_END_TEST;

static Suite *
srtprepair_suite (void)
{
  Suite *suite = suite_create ("srtprepair");
  TCase *tcase = add_case (suite, "each cipher");

#define EACH_CIPHER(test) tcase_add_loop_test (tcase, test, 0, N_CIPHERS)
  tcase_add_test (tcase, the_ssrc_of_repairs_is_that_of_the_wire_format);
  EACH_CIPHER (both_streams_are_read_over_the_wraps_of_each);
  EACH_CIPHER (the_next_repair_may_have_the_next_counter);
  EACH_CIPHER (packets_with_the_same_index_are_encrypted_differently);
  EACH_CIPHER (a_packet_of_either_stream_that_comes_again_is_replayed);
  EACH_CIPHER (each_stream_has_a_replay_window_of_its_own);
  EACH_CIPHER (the_counter_of_repairs_goes_on_over_new_keys);
  EACH_CIPHER (both_counters_go_on_when_the_srtcp_index_wraps);
  EACH_CIPHER (who_joins_late_needs_the_counter_of_repairs_as_well);
  EACH_CIPHER (after_the_last_repair_media_go_on);
  EACH_CIPHER (the_index_of_repairs_is_followed_elsewhere);
  EACH_CIPHER (both_ssrcs_of_a_sender_are_protected_and_no_other);
  EACH_CIPHER (media_with_an_odd_ssrc_have_no_repairs);
  EACH_CIPHER (media_and_repairs_use_up_one_key);
  EACH_CIPHER (an_end_that_leaves_repairs_out_reads_media_alone);
  return suite;
}

GST_CHECK_MAIN (srtprepair);
