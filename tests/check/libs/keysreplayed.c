/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offers that an attacker has recorded or diverted, see gst/keys/srckeys.h. */
#include "keysends.h"

static guint32 recorded[4][(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
static gsize recorded_bytes[4];
static GstTfrcAddress pair_address;

/* Starts the sender; the offer is held back, and a copy kept. */
static guint
record_offer (Pair *pair)
{
  guint n = 0;

  pair_start (pair);
  while ((recorded_bytes[n] = gst_tfrc_sink_keys_write (
              pair->sink, 0, pair->now_ns, (guint8 *) recorded[n]))
      > 0)
    n++;
  return n;
}

static void
replay (Pair *pair, guint n, guint32 host)
{
  for (guint i = 0; i < n; i++) {
    GstTfrcAddress from = host_address (host);
    guint32 words[G_N_ELEMENTS (recorded[0])];
    gsize size = recorded_bytes[i];

    memcpy (words, recorded[i], size);
    fail_if (deliver_to_src (pair, &from, (guint8 *) words, &size));
  }
}

GST_START_TEST (a_replayed_offer_changes_nothing)
{
  guint64 key_ns;
  guint n;
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    pair_of (&pair, mode);
    n = record_offer (&pair);
    pair_run (&pair, GST_SECOND);
    assert_established (&pair);
    begin_to_count_refused (&pair);
    key_ns = src_stats (&pair).key_ns;
    for (guint host = 1; host < 10; host++)
      replay (&pair, n, host);
    pair_run (&pair, GST_SECOND);
    fail_unless_equals_int (src_stats (&pair).rekeyings, 0);
    fail_unless_equals_uint64 (src_stats (&pair).key_ns, key_ns);
    fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* The attacker has held back an offer; the sender has offered others since. */
GST_START_TEST (an_old_offer_does_not_stop_the_stream)
{
  guint reports, n;
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    pair_of (&pair, mode);
    n = record_offer (&pair);
    pair.loses_all_keys = TRUE;
    pair_run (&pair, 61 * GST_SECOND);
    pair.loses_all_keys = FALSE;
    pair_run (&pair, 5 * GST_SECOND);
    assert_established (&pair);
    begin_to_count_refused (&pair);
    replay (&pair, n, SINK_HOST);
    reports = pair.reports_taken;
    pair_run (&pair, 5 * GST_SECOND);
    fail_unless (pair.reports_taken >= reports + 99);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* The source has restarted, and takes an offer that an attacker has recorded. */
GST_START_TEST (an_old_offer_after_a_restart_does_not_stop_the_stream)
{
  GstTfrcKeyTime time;
  guint n;
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    pair_of (&pair, mode);
    n = record_offer (&pair);
    pair_run (&pair, 2 * GST_SECOND);
    time = sink_time (&pair);
    gst_tfrc_sink_keys_rekey (pair.sink, time.now_ns);
    pair_run (&pair, 5 * GST_SECOND);
    gst_tfrc_src_keys_free (pair.src);
    pair.src = new_src (&srcs[mode], GST_TFRC_PROTECT_ALL, &pair.src_waiting);
    pair.data_taken = 0;
    replay (&pair, n, SINK_HOST);
    pair_run (&pair, 4 * GST_SECOND);
    fail_unless (pair.data_taken > 150, "%u", pair.data_taken);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (an_offer_for_another_receiver)
{
  GstTfrcCredentials other = rsa_credentials (stranger_key, NULL, sender_key);
  guint n;
  Pair pair;

  other.key_exchange = GST_TFRC_KEY_EXCHANGE_RSA;
  pair_init (&pair, &sinks[BY_RSA], &other); /* the offer is for receiver_key */
  n = record_offer (&pair);
  replay (&pair, n, SINK_HOST);
  pair_run (&pair, GST_SECOND);
  fail_if (src_stats (&pair).established);
  fail_unless (src_stats (&pair).key_messages_refused >= 1);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (an_offer_that_is_reflected)
{
  GstTfrcKeyTime time;
  guint n;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_of (&pair, mode);
    pair.loses_all_keys = TRUE;
    n = record_offer (&pair);
    time = sink_time (&pair);
    for (guint i = 0; i < n; i++)
      gst_tfrc_sink_keys_on_packet (
          pair.sink, (guint8 *) recorded[i], recorded_bytes[i], pair.seq, &time);
    pair_run (&pair, 10 * GST_SECOND);
    fail_if (sink_stats (&pair).established);
    fail_unless_equals_int (sink_stats (&pair).key_messages_refused, mode != BY_RSA_R);
    fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* A host on the path copies packets, and its copies come first. */
GST_START_TEST (a_copy_from_elsewhere_does_not_keep_the_packet_out)
{
  GstTfrcAddress elsewhere = host_address (99), *from[] = { &elsewhere, &pair_address };
  guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1], copy[G_N_ELEMENTS (words)];
  gsize sealed, size;
  Pair pair;

  pair_of (&pair, BY_PSK);
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  pair_address = pair.sink_address;
  for (guint i = 0; i < 100; i++) {
    size = write_data ((guint8 *) words, pair.ssrc, pair.seq++);
    sealed = gst_tfrc_sink_keys_protect (pair.sink, FALSE, (guint8 *) words, size);
    for (guint k = 0; k < 4; k++) {
      memcpy (copy, words, sealed);
      size = sealed;
      /* The first packet from each address is taken, a second one is a replay. */
      fail_unless_equals_int (deliver_to_src (&pair, from[k % 2], (guint8 *) copy, &size), k < 2);
    }
    size = write_report ((guint8 *) words, SRC_SSRC);
    sealed = gst_tfrc_src_keys_protect (pair.src, &pair.sink_address, (guint8 *) words, size);
    for (guint k = 0; k < 4; k++) {
      memcpy (copy, words, sealed);
      size = sealed;
      fail_unless_equals_int (
          gst_tfrc_sink_keys_unprotect (pair.sink, k % 2 == 1, (guint8 *) copy, &size, pair.now_ns),
          k < 2);
    }
  }
  pair_clear (&pair);
}
GST_END_TEST;

static Suite *
keysreplayed_suite (void)
{
  Suite *suite = suite_create ("keysreplayed");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, a_replayed_offer_changes_nothing);
  tcase_add_test (tcase, a_copy_from_elsewhere_does_not_keep_the_packet_out);
  tcase_add_test (tcase, an_old_offer_does_not_stop_the_stream);
  tcase_add_test (tcase, an_old_offer_after_a_restart_does_not_stop_the_stream);
  tcase_add_test (tcase, an_offer_for_another_receiver);
  tcase_add_test (tcase, an_offer_that_is_reflected);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysreplayed);
