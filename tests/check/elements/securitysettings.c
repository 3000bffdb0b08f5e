/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys that cannot be used: one error in the change of state, which names what is wrong. */
#include "securitytest.h"

/* What is wrong at both elements */
static const struct
{
  const gchar *settings;
  const gchar *told; /* in the error; a file stands for its path */
} bad[] = {
  { "passphrase=123456789", "passphrase has 9 bytes: it needs 10 to 79" },
  { "passphrase="
    "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "passphrase has 80 bytes: it needs 10 to 79" },
  { "passphrase=\"\"", "passphrase has 0 bytes: it needs 10 to 79" },
  { PSK " private-key-file=@sink.key", "passphrase and private-key-file are both set" },
  { PSK " ca-file=@ca.crt", "passphrase and ca-file are both set" },
  { "peer-public-key-file=@source.pub",
      "peer-public-key-file is set, but private-key-file is not" },
  { "private-key-file=@sink.key",
      "private-key-file is set, but nothing that the peer is known by" },
  { "private-key-file=@missing peer-public-key-file=@source.pub",
      "@missing cannot be opened: No such file or directory" },
  { "private-key-file=@ peer-public-key-file=@source.pub", "@ is not a regular file" },
  { "private-key-file=@sink.crt peer-public-key-file=@source.pub",
      "@sink.crt has a CERTIFICATE where a PRIVATE KEY belongs" },
  { "private-key-file=@open.key peer-public-key-file=@source.pub",
      "@open.key has mode 644: group or others may open the private key; set mode 600" },
  { "private-key-file=@source.pub peer-public-key-file=@source.pub",
      "@source.pub has a PUBLIC KEY where a PRIVATE KEY belongs" },
  { "private-key-file=@sink.key peer-public-key-file=@source.crt",
      "@source.crt has a CERTIFICATE where a PUBLIC KEY belongs" },
  { "private-key-file=@sink.key peer-certificate-file=@source.pub",
      "@source.pub has a PUBLIC KEY where a CERTIFICATE belongs" },
  { "private-key-file=@sink.key certificate-file=@sink.crt ca-file=@source.pub",
      "@source.pub has a PUBLIC KEY where a CERTIFICATE belongs" },
  { "private-key-file=@weak.key peer-public-key-file=@source.pub",
      "@weak.key has an RSA key of 1024 bits, fewer than 2048" },
  { "private-key-file=@encrypted.key peer-public-key-file=@source.pub",
      "@encrypted.key is encrypted, and private-key-passphrase is not set" },
  { "private-key-file=@encrypted.key private-key-passphrase=wrong "
    "peer-public-key-file=@source.pub",
      "@encrypted.key cannot be decrypted: private-key-passphrase is wrong" },
  { "private-key-file=@sink.key certificate-file=@expired.crt ca-file=@ca.crt",
      "@expired.crt has a certificate that is expired" },
  { "private-key-file=@sink.key peer-certificate-file=@expired.crt",
      "@expired.crt has a certificate that is expired" },
  { "private-key-file=@sink.key certificate-file=@source.crt ca-file=@ca.crt",
      "the certificate of certificate-file does not belong to the key of private-key-file" },
  { "private-key-file=@sink.key peer-public-key-file=@source.pub peer-certificate-file=@sink.crt",
      "peer-public-key-file and peer-certificate-file have different keys" },
  { "private-key-file=@sink.key certificate-file=@code.crt ca-file=@ca.crt",
      "@code.crt has a certificate that is not for signatures" },
  { PSK " peer-name=source.example.org", "passphrase and peer-name are both set" },
  { "private-key-file=@sink.key peer-certificate-file=@source.crt peer-name=sink.example.org",
      "the certificate of peer-certificate-file does not have the name of peer-name" },
};

/* Starts an element alone, which fails with one error. */
static void
check_refused (const gchar *element, const gchar *settings, const gchar *told)
{
  gchar *line = g_strdup_printf ("%s name=it %s", element, test_with_keys (settings));
  gchar *whole = g_strconcat ("The stream cannot be protected: ", test_with_keys (told), NULL);
  GstElement *it = gst_parse_launch (line, NULL);
  TestLog *log = test_log_new (it);

  gst_element_set_state (it, GST_STATE_PLAYING);
  fail_unless_equals_int (
      gst_element_get_state (it, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_FAILURE);
  test_wait_problem (log, GST_MESSAGE_ERROR, whole);
  fail_unless_equals_int (test_log_count (log, GST_MESSAGE_ERROR, NULL, NULL), 1);
  gst_element_set_state (it, GST_STATE_NULL);
  /* The same element plays with better settings. */
  gst_util_set_object_arg (G_OBJECT (it), "protect", "none");
  fail_unless (gst_element_set_state (it, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_set_state (it, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (it, GST_STATE_NULL);
  gst_object_unref (it);
  test_log_free (log);
  g_free (line);
  g_free (whole);
}

GST_START_TEST (test_sink_refuses_bad_settings)
{
  check_refused ("tfrcsink host=127.0.0.1 port=9", bad[__i__].settings, bad[__i__].told);
}

GST_END_TEST;

GST_START_TEST (test_source_refuses_bad_settings)
{
  check_refused ("tfrcsrc address=127.0.0.1 port=0", bad[__i__].settings, bad[__i__].told);
}

GST_END_TEST;

GST_START_TEST (test_sink_that_waits_to_be_asked_needs_a_certificate)
{
  check_refused ("tfrcsink host=127.0.0.1 port=9", "private-key-file=@sink.key ca-file=@ca.crt",
      "certificate-file is not set");
}

GST_END_TEST;

/* Settings cannot change while the element plays, and take effect at the next start. */
GST_START_TEST (test_new_passphrase_counts_at_the_next_start)
{
  TestReceiver *receiver = test_receiver_new ("passphrase=\"another passphrase\"");
  TestSender *sender;
  GBytes *movie = test_movie (70, 1);

  test_set_state (receiver->pipeline, GST_STATE_READY);
  g_object_set (receiver->src, "passphrase", PASSPHRASE, NULL);
  test_set_state (receiver->pipeline, GST_STATE_PLAYING);
  g_object_get (receiver->src, "port", &receiver->port, NULL);
  sender = test_sender_new (receiver->port, PSK);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
securitysettings_suite (void)
{
  Suite *suite = suite_create ("securitysettings");
  TCase *tcase = tcase_create ("general");
  gint n = (gint) G_N_ELEMENTS (bad);

  test_use_keys (tcase);
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_sink_refuses_bad_settings, 0, n);
  tcase_add_loop_test (tcase, test_source_refuses_bad_settings, 0, n);
  tcase_add_test (tcase, test_sink_that_waits_to_be_asked_needs_a_certificate);
  tcase_add_test (tcase, test_new_passphrase_counts_at_the_next_start);
  return suite;
}

GST_CHECK_MAIN (securitysettings);
