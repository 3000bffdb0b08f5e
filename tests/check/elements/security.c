/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Protected streams: a movie passes with every cipher and every way to exchange keys. */
#include "securitytest.h"

#define MOVIE_TS_PACKETS (7 * 60)

static const gchar *const ciphers[] = { "aes-128-gcm", "aes-256-gcm", "aes-128-icm",
  "aes-256-icm" };

static const struct
{
  const gchar *sink, *source, *key_exchange_of_sink, *key_exchange_of_source;
} ways[] = {
  { PSK, PSK, "psk", "psk" },
  /* No other deadline wakes the sink. */
  { PSK " stats-update-interval=0", PSK " stats-update-interval=0", "psk", "psk" },
  { SINK_RSA, SOURCE_RSA, "rsa", "rsa" },
  { SINK_RSA_CA, SOURCE_RSA_CA, "rsa", "rsa" },
  { SINK_RSA_CA NAMED_SOURCE, SOURCE_RSA_CA NAMED_SINK, "rsa", "rsa" },
  { "private-key-file=@encrypted.key private-key-passphrase=\"" KEY_PASSPHRASE
    "\" peer-public-key-file=@source.pub",
      SOURCE_RSA, "rsa", "rsa" },
  { SINK_RSA_R, SOURCE_RSA_R, "rsa-r", "rsa-r" },
  { SINK_RSA_R NAMED_SOURCE, SOURCE_RSA_R NAMED_SINK, "rsa-r", "rsa-r" },
  { SINK_RSA_R, SOURCE_RSA_R_PEER, "rsa-r", "rsa-r" },
  /* A source with a certificate could ask, but the sink offers keys. */
  { SINK_RSA_CA, SOURCE_RSA_R, "rsa", "rsa" },
};

static void
check_end (GstElement *element, TestLog *log, const gchar *key_exchange, const gchar *cipher)
{
  const GstStructure *told;
  GstMessage *message;

  message = test_log_wait (log, 1, GST_MESSAGE_ELEMENT, "tfrc-security", "established");
  told = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (told, "cipher"), cipher);
  fail_unless_equals_string (gst_structure_get_string (told, "key-exchange"), key_exchange);
  fail_unless_equals_string (gst_structure_get_string (told, "reason"), "");
  gst_message_unref (message);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_ELEMENT, "tfrc-security", NULL), 1);
  test_assert_stat (element, "cipher", cipher);
  test_assert_stat (element, "key-exchange", key_exchange);
  fail_unless (test_stat (element, "protected"));
  fail_unless (test_stat (element, "peer-protected"));
  fail_unless (test_stat (element, "key-age") > 0);
  fail_unless_equals_uint64 (test_stat (element, "rekeyings"), 0);
  fail_unless_equals_uint64 (test_stat (element, "key-messages-refused"), 0);
}

static void
transfer (guint way, const gchar *cipher)
{
  TestReceiver *receiver = test_protected_receiver_new (ways[way].source);
  gchar *properties = g_strdup_printf ("%s cipher=%s", ways[way].sink, cipher);
  TestSender *sender = test_protected_sender_new (receiver->port, properties);
  GBytes *movie = test_movie (MOVIE_TS_PACKETS, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  check_end (sender->sink, sender->log, ways[way].key_exchange_of_sink, cipher);
  check_end (receiver->src, receiver->log, ways[way].key_exchange_of_source, cipher);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_refused (receiver->src), 0);
  fail_unless_equals_uint64 (test_refused (sender->sink), 0);
  test_sender_eos (sender);
  test_receiver_wait_eos (receiver);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_free (properties);
}

GST_START_TEST (test_movie_passes_with_every_cipher)
{
  transfer (0, ciphers[__i__]);
}

GST_END_TEST;

GST_START_TEST (test_movie_passes_with_every_key_exchange)
{
  transfer (__i__, "aes-128-gcm");
}

GST_END_TEST;

/* Neither end is asked for protection. */
GST_START_TEST (test_stream_without_keys_is_not_protected)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (MOVIE_TS_PACKETS, 1);
  GstElement *ends[] = { sender->sink, receiver->src };

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    test_assert_stat (ends[i], "cipher", "none");
    test_assert_stat (ends[i], "key-exchange", "none");
    fail_if (test_stat (ends[i], "protected"));
    fail_if (test_stat (ends[i], "peer-protected"));
  }
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* With `protect=none' keys are not even looked at. */
GST_START_TEST (test_protection_can_be_turned_off)
{
  TestReceiver *receiver = test_receiver_new (PSK " protect=none");
  TestSender *sender = test_sender_new (receiver->port, "passphrase=short protect=none");
  GBytes *movie = test_movie (MOVIE_TS_PACKETS, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  fail_if (test_stat (sender->sink, "protected"));
  test_assert_stat (sender->sink, "key-exchange", "none");
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* What is on the wire has neither the movie nor the names of the ends in it. */
GST_START_TEST (test_movie_cannot_be_read_on_the_wire)
{
  TestPeer *wire = test_peer_new (0);
  TestSender *sender = test_sender_new (wire->port, PSK);
  GBytes *movie = test_movie (7, 1);
  guint8 packet[2048];
  gboolean has_data = FALSE;

  test_sender_push_bytes (sender, movie, 0);
  while (!has_data) {
    gsize size = test_peer_receive (wire, packet, sizeof packet);

    fail_if (memmem (packet, size, g_bytes_get_data (movie, NULL), 16) != NULL);
    fail_if (memmem (packet, size, PASSPHRASE, strlen (PASSPHRASE)) != NULL);
    has_data = tfrc_wire_classify (packet, size) == TFRC_WIRE_KIND_DATA;
    if (has_data)
      fail_unless (size >= PAYLOAD_BYTES);
  }
  test_sender_free (sender);
  test_peer_free (wire);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
security_suite (void)
{
  Suite *suite = suite_create ("security");
  TCase *tcase = tcase_create ("general");

  test_use_keys (tcase);
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_movie_passes_with_every_cipher, 0, (gint) G_N_ELEMENTS (ciphers));
  tcase_add_loop_test (
      tcase, test_movie_passes_with_every_key_exchange, 1, (gint) G_N_ELEMENTS (ways));
  tcase_add_test (tcase, test_stream_without_keys_is_not_protected);
  tcase_add_test (tcase, test_protection_can_be_turned_off);
  tcase_add_test (tcase, test_movie_cannot_be_read_on_the_wire);
  return suite;
}

GST_CHECK_MAIN (security);
