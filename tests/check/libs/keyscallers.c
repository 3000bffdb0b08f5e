/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Senders that were given credentials of their own, see gst/keys/srckeys.h. */
#include "keysends.h"

#include "gst/keys/keyparties.h"

#define OTHER_HOST 2

/* A sender whose passphrase is its own, and a source with another one for all others, or with none. */
static void
start (Pair *pair, GstTfrcCredentials *own, GstTfrcCredentials *common)
{
  pair_init (pair, own, common);
  gst_tfrc_src_keys_set_credentials (pair->src, &pair->sink_address, own);
  pair_start (pair);
  pair_run (pair, GST_SECOND);
}

GST_START_TEST (a_sender_agrees_on_keys_by_its_own_credentials)
{
  GstTfrcCredentials own = psk_credentials (1), common = psk_credentials (2);
  GstTfrcCredentials *const of_source[] = { NULL, &common };
  Pair pair;

  for (guint i = 0; i < G_N_ELEMENTS (of_source); i++) {
    start (&pair, &own, of_source[i]);
    fail_unless (sink_stats (&pair).established && src_stats (&pair).established);
    fail_unless (src_stats (&pair).in_force && src_stats (&pair).is_protected);
    fail_unless_equals_int (src_stats (&pair).key_exchange, GST_TFRC_KEY_EXCHANGE_PSK);
    fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
    fail_unless_equals_int (src_stats (&pair).key_messages_refused, 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* Those of all senders do not open the door of one that has its own. */
GST_START_TEST (the_credentials_of_all_do_not_fit_a_sender_with_its_own)
{
  GstTfrcCredentials own = psk_credentials (1), common = psk_credentials (2);
  Pair pair;

  pair_init (&pair, &common, &common);
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, &own);
  pair_start (&pair);
  pair_run (&pair, 30 * GST_SECOND);
  fail_unless (!sink_stats (&pair).established && !src_stats (&pair).established);
  fail_unless_equals_int (pair.data_taken, 0);
  fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 1);
  fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (without_its_own_credentials_a_sender_has_those_of_all_again)
{
  GstTfrcCredentials own = psk_credentials (1), common = psk_credentials (2);
  Pair pair;

  pair_init (&pair, &common, &common);
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, &own);
  gst_tfrc_src_keys_remove_credentials (pair.src, &pair.sink_address);
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  fail_unless (sink_stats (&pair).established && src_stats (&pair).established);
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (what_a_sender_with_its_own_credentials_sends_without_keys_is_refused)
{
  GstTfrcCredentials own = psk_credentials (1);
  Pair pair;

  pair_init (&pair, NULL, NULL);
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, &own);
  pair_run (&pair, 100 * MS);
  fail_unless (pair.data_sent > 0);
  fail_unless_equals_int (pair.data_taken, 0);
  fail_unless (src_stats (&pair).refused.plaintext > 0);
  pair_clear (&pair);
}
GST_END_TEST;

static gsize
protect_report (Pair *pair)
{
  guint32 words[(28 + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  gsize size = write_report ((guint8 *) words, SRC_SSRC);

  return gst_tfrc_src_keys_protect (pair->src, &pair->sink_address, (guint8 *) words, size);
}

GST_START_TEST (what_leaves_for_a_sender_that_has_gone_is_protected_as_before)
{
  GstTfrcCredentials own = psk_credentials (1);
  Pair pair;

  start (&pair, &own, NULL);
  gst_tfrc_src_keys_remove_credentials (pair.src, &pair.sink_address);
  fail_unless (protect_report (&pair) > 28);
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, NULL);
  fail_unless_equals_int (protect_report (&pair), 28);
  pair_clear (&pair);
}
GST_END_TEST;

/* Two callers know each other's SSRC, and each has a passphrase that the source takes. */
GST_START_TEST (the_keys_of_a_stream_are_not_replaced_by_a_sender_with_other_credentials)
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  GstTfrcCredentials own = psk_credentials (1), others = psk_credentials (2);
  const GstTfrcAddress other = host_address (OTHER_HOST);
  GstTfrcSecurityConfig config = security_of (&others, GST_TFRC_PROTECT_ALL, 0);
  GstTfrcSinkKeys *intruder = gst_tfrc_sink_keys_new (&config, NULL);
  GstTfrcKeyTime time;
  Pair pair;
  gsize size;

  start (&pair, &own, NULL);
  gst_tfrc_src_keys_set_credentials (pair.src, &other, &others);
  time = sink_time (&pair);
  gst_tfrc_sink_keys_start (intruder, pair.ssrc, 1, &time);
  gst_tfrc_sink_keys_on_time (intruder, 1, &time);
  size = gst_tfrc_sink_keys_write (intruder, 0, pair.now_ns, (guint8 *) words);
  fail_unless (size > 0);
  fail_unless (!deliver_to_src (&pair, &other, (guint8 *) words, &size));
  fail_unless_equals_int (src_stats (&pair).key_messages_refused, 1);
  pair_run (&pair, GST_SECOND);
  fail_unless_equals_int (src_stats (&pair).rekeyings, 0);
  fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
  gst_tfrc_sink_keys_free (intruder);
  pair_clear (&pair);
}
GST_END_TEST;

static void
name_author (GstTfrcCredentials *own, guint8 secret_byte, GstTfrcMikeyStream *stream)
{
  const guint8 secret[GST_TFRC_SECRET_BYTES] = { secret_byte };
  GstTfrcKeyParties *parties = gst_tfrc_key_parties_new (NULL, secret);
  const GstTfrcAddress address = host_address (OTHER_HOST);

  memset (stream, 0, sizeof *stream);
  gst_tfrc_key_parties_set (parties, &address, own);
  gst_tfrc_key_parties_name_author (parties, &address, stream);
  gst_tfrc_key_parties_free (parties);
}

/* The name comes to logs: whoever reads one must not be able to try passphrases against it, or to compare it with that of
 * another source. */
GST_START_TEST (the_name_of_a_passphrase_is_known_to_its_source_alone)
{
  GstTfrcCredentials own = psk_credentials (1), others = psk_credentials (2);
  GstTfrcMikeyStream stream, same, elsewhere, other;

  name_author (&own, 1, &stream);
  name_author (&own, 1, &same);
  name_author (&own, 2, &elsewhere);
  name_author (&others, 1, &other);
  fail_unless (g_str_has_prefix (stream.author, "psk:"));
  fail_unless_equals_string (stream.author, same.author);
  fail_unless (!g_str_equal (stream.author, elsewhere.author), "%s", stream.author);
  fail_unless (!g_str_equal (stream.author, other.author), "%s", stream.author);
}
GST_END_TEST;

/* The application takes a passphrase back: it calls again, and gets another one. */
GST_START_TEST (keys_of_a_passphrase_that_was_replaced_are_good_no_more)
{
  GstTfrcCredentials own = psk_credentials (1), next = psk_credentials (2);
  GstTfrcCredentials *const replacements[] = { &next, NULL };
  Pair pair;
  guint taken;

  for (guint i = 0; i < G_N_ELEMENTS (replacements); i++) {
    pair_init (&pair, &own, &next);
    gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, &own);
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    taken = pair.data_taken;
    fail_unless (taken > 0);
    gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, replacements[i]);
    pair_run (&pair, GST_SECOND);
    fail_unless_equals_int (pair.data_taken, taken);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (a_sender_that_calls_again_with_the_same_passphrase_keeps_its_keys)
{
  GstTfrcCredentials own = psk_credentials (1);
  Pair pair;

  start (&pair, &own, NULL);
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, &own);
  pair_run (&pair, GST_SECOND);
  fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
  pair_clear (&pair);
}
GST_END_TEST;

/* It keeps its SSRC, which had keys of the passphrase before. */
GST_START_TEST (a_sender_with_the_next_passphrase_agrees_on_keys_for_the_same_stream)
{
  GstTfrcCredentials own = psk_credentials (1), next = psk_credentials (2);
  GstTfrcSecurityConfig config = security_of (&next, GST_TFRC_PROTECT_ALL, 0);
  Pair pair;

  start (&pair, &own, NULL);
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, &next);
  gst_tfrc_sink_keys_free (pair.sink);
  pair.sink = gst_tfrc_sink_keys_new (&config, &pair.sink_waiting);
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  fail_unless (sink_stats (&pair).established);
  pair_clear (&pair);
}
GST_END_TEST;

/* The keys of a caller are known to a host that can send from another address that was let in. */
GST_START_TEST (keys_of_one_sender_protect_nothing_from_the_address_of_another)
{
  GstTfrcCredentials own = psk_credentials (1), others = psk_credentials (2);
  const GstTfrcAddress other = host_address (OTHER_HOST);
  Pair pair;
  guint taken;

  start (&pair, &own, NULL);
  gst_tfrc_src_keys_set_credentials (pair.src, &other, &others);
  pair_drop_flying (&pair);
  taken = pair.data_taken;
  pair.sink_address = other;
  pair_run (&pair, GST_SECOND);
  fail_unless_equals_int (pair.data_taken, taken);
  pair_clear (&pair);
}
GST_END_TEST;

typedef struct
{
  Pair *pair;
  gint is_done; /* atomic */
} Reporter;

static gpointer
report_until_done (gpointer data)
{
  Reporter *reporter = data;

  while (!g_atomic_int_get (&reporter->is_done))
    protect_report (reporter->pair);
  return NULL;
}

/* Packets are protected without the lock of the port, which the application's answer is under. */
GST_START_TEST (credentials_are_replaced_while_a_report_is_protected)
{
  GstTfrcCredentials own = psk_credentials (1);
  Reporter reporter;
  GThread *thread;
  Pair pair;

  start (&pair, &own, NULL);
  reporter = (Reporter){ .pair = &pair };
  thread = g_thread_new ("reports", report_until_done, &reporter);
  for (guint i = 0; i < 500; i++) {
    const GstTfrcAddress other = host_address (OTHER_HOST + i % 4);

    gst_tfrc_src_keys_set_credentials (pair.src, &other, &own);
    gst_tfrc_src_keys_remove_credentials (pair.src, &other);
  }
  gst_tfrc_src_keys_set_credentials (pair.src, &pair.sink_address, NULL);
  g_atomic_int_set (&reporter.is_done, TRUE);
  g_thread_join (thread);
  pair_clear (&pair);
}
GST_END_TEST;

static Suite *
keyscallers_suite (void)
{
  Suite *suite = suite_create ("keyscallers");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_sender_agrees_on_keys_by_its_own_credentials);
  tcase_add_test (tc, the_credentials_of_all_do_not_fit_a_sender_with_its_own);
  tcase_add_test (tc, without_its_own_credentials_a_sender_has_those_of_all_again);
  tcase_add_test (tc, what_a_sender_with_its_own_credentials_sends_without_keys_is_refused);
  tcase_add_test (tc, what_leaves_for_a_sender_that_has_gone_is_protected_as_before);
  tcase_add_test (tc, the_keys_of_a_stream_are_not_replaced_by_a_sender_with_other_credentials);
  tcase_add_test (tc, the_name_of_a_passphrase_is_known_to_its_source_alone);
  tcase_add_test (tc, keys_of_a_passphrase_that_was_replaced_are_good_no_more);
  tcase_add_test (tc, a_sender_that_calls_again_with_the_same_passphrase_keeps_its_keys);
  tcase_add_test (tc, a_sender_with_the_next_passphrase_agrees_on_keys_for_the_same_stream);
  tcase_add_test (tc, keys_of_one_sender_protect_nothing_from_the_address_of_another);
  tcase_add_test (tc, credentials_are_replaced_while_a_report_is_protected);
  return suite;
}

GST_CHECK_MAIN (keyscallers);
