/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends whose keys do not fit, and forged refusals, see gst/keys/sinkkeys.h and srckeys.h. */
#include "keysends.h"

#define HOUR_NS ((gint64) (3600 * GST_SECOND))

static const gchar *
describe (GstTfrcMikeyError error)
{
  return gst_tfrc_mikey_error_describe (error);
}

/* FAILED at this end once, after 2 to 5 s, with this reason */
static void
assert_failed (const Events *events, GstTfrcMikeyError reason)
{
  guint64 failed_ns = events->first_ns[GST_TFRC_EVENT_SECURITY_FAILED] - START_NS;

  fail_unless_equals_int (events->n[GST_TFRC_EVENT_SECURITY_FAILED], 1);
  fail_unless_equals_int (events->n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 0);
  fail_unless (failed_ns >= 2 * GST_SECOND && failed_ns <= 5 * GST_SECOND, "failed after %u ms",
      (guint) (failed_ns / MS));
  fail_unless_equals_string (events->reason, describe (reason));
}

static void
both_fail (Pair *pair, GstTfrcMikeyError reason)
{
  guint left;

  pair_start (pair);
  pair_run (pair, 10 * GST_SECOND);
  assert_failed (&pair->sink_events, reason);
  assert_failed (&pair->src_events, reason);
  fail_unless_equals_int (pair->data_taken, 0);
  fail_if (gst_tfrc_sink_keys_may_send (pair->sink));
  left = pair->keys_from_sink;
  pair_run (pair, 100 * GST_SECOND);
  fail_unless_equals_int (pair->keys_from_sink, left);
  pair_clear (pair);
}

GST_START_TEST (another_passphrase)
{
  Pair pair;

  pair_init (&pair, &sinks[BY_PSK], &other_psk);
  both_fail (&pair, GST_TFRC_MIKEY_WRONG_PASSPHRASE);
}
GST_END_TEST;

GST_START_TEST (a_sender_of_another_key)
{
  GstTfrcCredentials src = rsa_credentials (receiver_key, NULL, sender_key);
  Pair pair;

  pair_init (&pair, &stranger, &src);
  both_fail (&pair, GST_TFRC_MIKEY_UNKNOWN_KEY);
}
GST_END_TEST;

GST_START_TEST (a_sender_of_another_authority)
{
  Pair pair;

  pair_init (&pair, &stranger, &srcs[BY_RSA]);
  both_fail (&pair, GST_TFRC_MIKEY_BAD_CERTIFICATE);
}
GST_END_TEST;

GST_START_TEST (an_expired_certificate)
{
  Pair pair;

  pair_of (&pair, BY_RSA);
  pair.sink_clock_ns = pair.src_clock_ns = 48 * HOUR_NS;
  both_fail (&pair, GST_TFRC_MIKEY_BAD_CERTIFICATE);
  pair_of (&pair, BY_RSA);
  pair.sink_clock_ns = pair.src_clock_ns = -48 * HOUR_NS;
  both_fail (&pair, GST_TFRC_MIKEY_BAD_CERTIFICATE);
}
GST_END_TEST;

/* Where the receiver has a part in the keys of an offer, no clock has to be right. */
GST_START_TEST (a_clock_that_is_an_hour_off)
{
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    for (gint sign = -1; sign <= 1; sign += 2) {
      pair_of (&pair, mode);
      pair.src_clock_ns = sign * HOUR_NS;
      pair_start (&pair);
      pair_run (&pair, GST_SECOND);
      assert_established (&pair);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

/* In reverse mode the sender refuses, and sends the receiver no reason. */
GST_START_TEST (requests_that_are_refused)
{
  GstTfrcCredentials src = rsa_credentials (stranger_key, stranger_certificate, NULL);
  Pair pair;

  pair_init (&pair, &sinks[BY_RSA_R], &src);
  pair_start (&pair);
  pair_run (&pair, 10 * GST_SECOND);
  assert_failed (&pair.sink_events, GST_TFRC_MIKEY_BAD_CERTIFICATE);
  pair_clear (&pair);
  pair_of (&pair, BY_RSA_R);
  pair.src_clock_ns = HOUR_NS;
  pair_start (&pair);
  pair_run (&pair, 10 * GST_SECOND);
  assert_failed (&pair.sink_events, GST_TFRC_MIKEY_CLOCK);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (clocks_may_be_minutes_apart)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (gint sign = -1; sign <= 1; sign += 2) {
      pair_of (&pair, mode);
      pair.src_clock_ns = sign * 240 * (gint64) GST_SECOND;
      pair_start (&pair);
      pair_run (&pair, GST_SECOND);
      assert_established (&pair);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

/* A passphrase that the user has put right: the receiver goes on. */
GST_START_TEST (a_source_that_has_failed_takes_the_next_sender)
{
  Pair pair;

  pair_init (&pair, &other_psk, &srcs[BY_PSK]);
  pair_start (&pair);
  pair_run (&pair, 5 * GST_SECOND);
  fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 1);
  gst_tfrc_sink_keys_free (pair.sink);
  pair_drop_flying (&pair);
  pair.sink = gst_tfrc_sink_keys_new (
      &(GstTfrcSecurityConfig){ &sinks[BY_PSK], GST_TFRC_PROTECT_ALL, 0, 0 }, &pair.sink_waiting);
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 1);
  fail_unless (src_stats (&pair).established);
  pair_clear (&pair);
}
GST_END_TEST;

/* ---- forged refusals ----------------------------------------------------- */

static void
refuse (Pair *pair, guint32 csb_id, guint n)
{
  GBytes *refusal = gst_tfrc_mikey_refuse (csb_id, GST_TFRC_MIKEY_WRONG_PASSPHRASE);
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GstTfrcKeyTime time = sink_time (pair);

  for (guint i = 0; i < n; i++) {
    gsize size = gst_tfrc_key_packet_write (bytes, 5, 100 + i, refusal, 0);

    gst_tfrc_sink_keys_on_packet (pair->sink, bytes, size, pair->seq, &time);
  }
  g_bytes_unref (refusal);
}

GST_START_TEST (one_forged_refusal_does_nothing)
{
  Pair pair;

  pair_of (&pair, BY_PSK);
  pair.loses_all_keys = TRUE;
  pair_start (&pair);
  pair_step (&pair);
  refuse (&pair, pair.csb_id, 1);
  pair_run (&pair, 30 * GST_SECOND);
  fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
  pair.loses_all_keys = FALSE;
  pair_run (&pair, 3 * GST_SECOND);
  assert_established (&pair);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (refusals_of_other_exchanges_do_nothing)
{
  Pair pair;

  pair_of (&pair, BY_PSK);
  pair.loses_all_keys = TRUE;
  pair_start (&pair);
  pair_step (&pair);
  refuse (&pair, pair.csb_id + 1, 1000);
  fail_unless_equals_int (sink_stats (&pair).key_messages_refused, 1000);
  pair_run (&pair, 30 * GST_SECOND);
  fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
  pair_clear (&pair);
}
GST_END_TEST;

/* Within 2 s the true answer has come. */
GST_START_TEST (forged_refusals_before_the_answer_do_nothing)
{
  Pair pair;

  pair_of (&pair, BY_PSK);
  pair_start (&pair);
  pair_step (&pair);
  refuse (&pair, pair.csb_id, 1000);
  pair_run (&pair, 10 * GST_SECOND);
  assert_established (&pair);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (forged_refusals_do_not_end_a_stream)
{
  GstTfrcKeyTime time;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_of (&pair, mode);
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    refuse (&pair, pair.csb_id, 1000);
    pair_run (&pair, 3 * GST_SECOND);
    assert_established (&pair);
    time = sink_time (&pair);
    gst_tfrc_sink_keys_rekey (pair.sink, time.now_ns);
    pair.loses_all_keys = TRUE;
    refuse (&pair, pair.csb_id, 1000);
    pair_run (&pair, 15 * GST_SECOND);
    assert_established (&pair);
    fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_REKEY_FAILED], 1);
    fail_unless (gst_tfrc_sink_keys_may_send (pair.sink));
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static Suite *
keysrefused_suite (void)
{
  Suite *suite = suite_create ("keysrefused");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, another_passphrase);
  tcase_add_test (tcase, a_sender_of_another_key);
  tcase_add_test (tcase, a_sender_of_another_authority);
  tcase_add_test (tcase, an_expired_certificate);
  tcase_add_test (tcase, a_clock_that_is_an_hour_off);
  tcase_add_test (tcase, requests_that_are_refused);
  tcase_add_test (tcase, clocks_may_be_minutes_apart);
  tcase_add_test (tcase, a_source_that_has_failed_takes_the_next_sender);
  tcase_add_test (tcase, one_forged_refusal_does_nothing);
  tcase_add_test (tcase, refusals_of_other_exchanges_do_nothing);
  tcase_add_test (tcase, forged_refusals_before_the_answer_do_nothing);
  tcase_add_test (tcase, forged_refusals_do_not_end_a_stream);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysrefused);
