/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's address changes in the middle of a stream, see gst/keys/srckeys.h. */
#include "keysends.h"

/* In sequence numbers, of which one in STEP is used */
static const guint gaps[] = { 1, 32767, 32768, 65536, 65536 + 32768, 3 * 65536 };

/* Packets between a packet and its copy: more than half the range of the numbers */
static const guint played_since[] = { 40000, 65000, 65535 };

#define STEP 1024

static GstTfrcAddress first_address, second_address;

static gboolean
carry (Pair *pair, const GstTfrcAddress *from)
{
  guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  gsize size = write_data ((guint8 *) words, pair->ssrc, pair->seq++);

  size = gst_tfrc_sink_keys_protect (pair->sink, FALSE, (guint8 *) words, size);
  return deliver_to_src (pair, from, (guint8 *) words, &size);
}

static void
carry_all (Pair *pair, guint gap, const GstTfrcAddress *from)
{
  for (; gap > STEP; gap -= STEP) {
    fail_unless (carry (pair, from));
    pair->seq += STEP - 1;
  }
  pair->seq += gap - 1;
  fail_unless (carry (pair, from));
}

static void
start (Pair *pair)
{
  pair_of (pair, BY_PSK);
  pair_start (pair);
  pair_run (pair, GST_SECOND);
  assert_established (pair);
  first_address = pair->sink_address;
  second_address = host_address (99);
}

/* The rollover counter of a packet from elsewhere is known from the peer's packets, however many
 * have come (RFC 3711 section 3.3.1). */
GST_START_TEST (data_from_elsewhere_is_read_after_any_number_of_the_peers)
{
  Pair pair;

  start (&pair);
  carry_all (&pair, gaps[__i__], &first_address);
  for (guint i = 0; i < 10; i++)
    fail_unless (carry (&pair, &second_address), "packet %u", i);
  pair_clear (&pair);
}
GST_END_TEST;

/* The same when packets from elsewhere have come before */
GST_START_TEST (data_from_elsewhere_is_read_again_after_any_number_of_the_peers)
{
  Pair pair;

  start (&pair);
  fail_unless (carry (&pair, &second_address));
  carry_all (&pair, gaps[__i__], &first_address);
  for (guint i = 0; i < 10; i++)
    fail_unless (carry (&pair, &second_address), "packet %u", i);
  pair_clear (&pair);
}
GST_END_TEST;

/* The peer's own packets may have been away for as long. */
GST_START_TEST (data_of_the_peer_is_read_after_any_number_from_elsewhere)
{
  Pair pair;

  start (&pair);
  fail_unless (carry (&pair, &first_address));
  carry_all (&pair, gaps[__i__], &second_address);
  gst_tfrc_src_keys_set_peer (pair.src, &second_address, pair.ssrc);
  for (guint i = 0; i < 10; i++)
    fail_unless (carry (&pair, &second_address), "packet %u", i);
  pair_clear (&pair);
}
GST_END_TEST;

/* A forged packet before the first one from elsewhere changes nothing. */
GST_START_TEST (forged_data_from_elsewhere_changes_no_counter)
{
  Pair pair;

  start (&pair);
  fail_unless (carry (&pair, &second_address));
  carry_all (&pair, gaps[__i__], &first_address);
  for (guint16 seq = 0; seq < 64; seq++) {
    guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1] = { 0 };
    gsize size = write_data ((guint8 *) words, pair.ssrc, (guint16) (seq * 1024)) + 16;

    fail_if (deliver_to_src (&pair, &second_address, (guint8 *) words, &size));
  }
  for (guint i = 0; i < 10; i++)
    fail_unless (carry (&pair, &second_address), "packet %u", i);
  pair_clear (&pair);
}
GST_END_TEST;

/* A copy that is older than half the range of the sequence numbers comes as the first packet from
 * elsewhere with these keys.  Its tag has the old rollover counter, and so its index is an old one: it is
 * not played again, and does not make the packets of the peer old. */
GST_START_TEST (an_old_copy_from_elsewhere_is_not_played_again)
{
  guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1], copy[G_N_ELEMENTS (words)];
  GstTfrcReceivedPacket plain;
  guint taken;
  gsize size;
  Pair pair;

  start (&pair);
  pair_drop_flying (&pair);
  size = write_data ((guint8 *) words, pair.ssrc, pair.seq++);
  size = gst_tfrc_sink_keys_protect (pair.sink, FALSE, (guint8 *) words, size);
  memcpy (copy, words, size);
  fail_unless (deliver_plain (&pair, &first_address, (guint8 *) words, size, &plain));
  fail_unless (gst_tfrc_src_keys_play (pair.src, &plain, pair.ssrc));
  carry_all (&pair, played_since[__i__], &first_address);

  if (deliver_plain (&pair, &second_address, (guint8 *) copy, size, &plain))
    fail_if (gst_tfrc_src_keys_play (pair.src, &plain, pair.ssrc), "it plays again");
  taken = pair.data_taken;
  pair_run (&pair, GST_SECOND);
  fail_unless (pair.data_taken >= taken + 97, "the stream stands still: %u packets in a second",
      pair.data_taken - taken);
  pair_clear (&pair);
}
GST_END_TEST;

/* The keys before serve for 2 s after the first packet with newer ones, also for packets from elsewhere. */
GST_START_TEST (old_keys_from_elsewhere_end_with_those_of_the_peer)
{
  guint32 old[(28 + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  gsize size;
  Pair pair;

  start (&pair);
  fail_unless (carry (&pair, &second_address));
  size = write_report ((guint8 *) old, pair.ssrc);
  size = gst_tfrc_sink_keys_protect (pair.sink, TRUE, (guint8 *) old, size);
  pair_run (&pair, GST_SECOND);
  for (guint i = 0; i < 3; i++) {
    gst_tfrc_sink_keys_rekey (pair.sink, pair.now_ns);
    pair_run (&pair, 10 * GST_SECOND);
  }
  fail_unless_equals_int (src_stats (&pair).rekeyings, 3);
  fail_if (deliver_to_src (&pair, &second_address, (guint8 *) old, &size),
      "keys are taken that were replaced 30 s ago, three times");
  pair_clear (&pair);
}
GST_END_TEST;

/* The same at the sender, of reports */
GST_START_TEST (old_keys_from_elsewhere_end_with_those_of_the_receiver)
{
  guint32 reports[2][(28 + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  gsize sizes[2];
  Pair pair;

  start (&pair);
  for (guint i = 0; i < 2; i++) {
    sizes[i] = write_report ((guint8 *) reports[i], SRC_SSRC);
    sizes[i] = gst_tfrc_src_keys_protect (
        pair.src, &first_address, (guint8 *) reports[i], sizes[i]);
  }
  fail_unless (gst_tfrc_sink_keys_unprotect (
      pair.sink, FALSE, (guint8 *) reports[0], &sizes[0], pair.now_ns));
  for (guint i = 0; i < 3; i++) {
    gst_tfrc_sink_keys_rekey (pair.sink, pair.now_ns);
    pair_run (&pair, 10 * GST_SECOND);
  }
  fail_unless_equals_int (sink_stats (&pair).rekeyings, 3);
  fail_if (gst_tfrc_sink_keys_unprotect (
      pair.sink, FALSE, (guint8 *) reports[1], &sizes[1], pair.now_ns));
  pair_clear (&pair);
}
GST_END_TEST;

static Suite *
keysmoved_suite (void)
{
  Suite *suite = suite_create ("keysmoved");
  TCase *tcase = tcase_create ("general");
  const int n = G_N_ELEMENTS (gaps);

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_loop_test (tcase, data_from_elsewhere_is_read_after_any_number_of_the_peers, 0, n);
  tcase_add_loop_test (
      tcase, data_from_elsewhere_is_read_again_after_any_number_of_the_peers, 0, n);
  tcase_add_loop_test (tcase, data_of_the_peer_is_read_after_any_number_from_elsewhere, 0, n);
  tcase_add_loop_test (tcase, forged_data_from_elsewhere_changes_no_counter, 0, n);
  tcase_add_loop_test (
      tcase, an_old_copy_from_elsewhere_is_not_played_again, 0, G_N_ELEMENTS (played_since));
  tcase_add_test (tcase, old_keys_from_elsewhere_end_with_those_of_the_peer);
  tcase_add_test (tcase, old_keys_from_elsewhere_end_with_those_of_the_receiver);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysmoved);
