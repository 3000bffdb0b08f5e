/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which certificates of a peer are believed, see gst/security/credentials-private.h.  The own key
 * is that of the CA as well: two pairs of keys are enough. */
#include "credentialstest.h"

static GstTfrcCredentialsConfig config;
static X509 *ca;

static void
setup (void)
{
  make_directory ();
  memset (&config, 0, sizeof config);
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  ca = make_certificate (&(TestCertificate){
      .name = "CA", .key = own_key, .is_ca = TRUE, .until_s = NOW_S + 10 * DAY_S });
}

static void
teardown (void)
{
  X509_free (ca);
  remove_directory ();
}

/* A certificate for other_key that the CA signs */
static X509 *
make_signed (gint64 from_s, gint64 until_s, const EVP_MD *digest)
{
  return make_certificate (&(TestCertificate){ .name = "peer",
      .key = other_key,
      .issuer = ca,
      .issuer_key = own_key,
      .from_s = from_s,
      .until_s = until_s,
      .digest = digest });
}

/* Takes the certificate; NULL: the peer sends none. */
static void
peer_has (X509 *certificate, guint64 wall_ns, EVP_PKEY *expected)
{
  GstTfrcCredentials *credentials = load_at (&config, FALSE, NOW_NS);
  GError *error = NULL;
  EVP_PKEY *key = gst_tfrc_credentials_get_peer_key (credentials, certificate, 0, wall_ns, &error);

  fail_unless (key != NULL, "%s", error != NULL ? error->message : "no error");
  fail_unless (error == NULL);
  /* The key outlives what it comes from. */
  X509_free (certificate);
  gst_tfrc_credentials_unref (credentials);
  fail_unless_equals_int (EVP_PKEY_eq (key, expected), 1);
  EVP_PKEY_free (key);
}

/* Takes the certificate. */
static void
peer_is_refused (X509 *certificate, guint64 wall_ns, GstTfrcMikeyError code, const gchar *message)
{
  GstTfrcCredentials *credentials = load_at (&config, FALSE, NOW_NS);
  GError *error = NULL;

  fail_unless (
      gst_tfrc_credentials_get_peer_key (credentials, certificate, 0, wall_ns, &error) == NULL);
  fail_unless (error != NULL && error->domain == GST_TFRC_MIKEY_ERROR);
  fail_unless_equals_string (error->message, message);
  fail_unless_equals_int (error->code, code);
  g_clear_error (&error);
  fail_unless (
      gst_tfrc_credentials_get_peer_key (credentials, certificate, 0, wall_ns, NULL) == NULL);
  X509_free (certificate);
  gst_tfrc_credentials_unref (credentials);
}

/* ---- a CA ---------------------------------------------------------------- */

GST_START_TEST (the_ca_vouches_for_the_peers_key)
{
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_has (make_signed (0, 0, NULL), NOW_NS, other_key);
}

GST_END_TEST;

GST_START_TEST (a_peer_that_is_known_by_its_ca_has_to_send_a_certificate)
{
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_is_refused (NULL, NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer sends no certificate, and is known by its CA alone");
}

GST_END_TEST;

GST_START_TEST (a_certificate_of_another_ca_is_refused)
{
  X509 *other_ca = make_certificate (
      &(TestCertificate){ .name = "CA", .key = other_key, .is_ca = TRUE });

  config.ca_file = write_certificates ("ca.crt", other_ca, NULL);
  peer_is_refused (make_signed (0, 0, NULL), NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: certificate signature failure");
  X509_free (other_ca);
}

GST_END_TEST;

GST_START_TEST (a_certificate_that_nobody_known_has_signed_is_refused)
{
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_is_refused (make_certificate (&(TestCertificate){ .name = "self", .key = other_key }),
      NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: self-signed certificate");
}

GST_END_TEST;

GST_START_TEST (each_certificate_of_the_ca_file_counts)
{
  X509 *other_ca = make_certificate (
      &(TestCertificate){ .name = "other", .key = other_key, .is_ca = TRUE });

  config.ca_file = write_certificates ("ca.crt", other_ca, ca);
  peer_has (make_signed (0, 0, NULL), NOW_NS, other_key);
  X509_free (other_ca);
}

GST_END_TEST;

/* The intermediate CA has the peer's key, as two pairs of keys have to be enough. */
GST_START_TEST (an_intermediate_ca_alone_is_enough)
{
  X509 *intermediate = make_certificate (&(TestCertificate){
      .name = "between", .key = other_key, .issuer = ca, .issuer_key = own_key, .is_ca = TRUE });
  TestCertificate below = {
    .name = "peer", .key = other_key, .issuer = intermediate, .issuer_key = other_key
  };

  config.ca_file = write_certificates ("ca.crt", intermediate, NULL);
  peer_has (make_certificate (&below), NOW_NS, other_key);
  config.ca_file = write_certificates ("ca.crt", intermediate, ca);
  peer_has (make_certificate (&below), NOW_NS, other_key);
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_is_refused (make_certificate (&below), NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: unable to get local issuer certificate");
  X509_free (intermediate);
}

GST_END_TEST;

GST_START_TEST (a_certificate_that_is_no_ca_vouches_for_nobody)
{
  X509 *leaf = make_signed (0, 0, NULL);
  TestCertificate below = {
    .name = "below", .key = other_key, .issuer = leaf, .issuer_key = other_key
  };

  config.ca_file = write_certificates ("ca.crt", ca, leaf);
  peer_is_refused (make_certificate (&below), NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: invalid CA certificate");
  X509_free (leaf);
}

GST_END_TEST;

/* ---- time ---------------------------------------------------------------- */

GST_START_TEST (the_certificate_has_to_be_valid_at_the_time_of_the_message)
{
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_has (make_signed (NOW_S, NOW_S + 2, NULL), NOW_NS + GST_SECOND, other_key);
  peer_is_refused (make_signed (NOW_S, NOW_S + 2, NULL), NOW_NS + 2 * GST_SECOND,
      GST_TFRC_MIKEY_BAD_CERTIFICATE, "the peer has a certificate that is expired");
  peer_is_refused (make_signed (NOW_S, NOW_S + 2, NULL), NOW_NS - GST_SECOND,
      GST_TFRC_MIKEY_BAD_CERTIFICATE, "the peer has a certificate that is not valid yet");
}

GST_END_TEST;

GST_START_TEST (the_ca_has_to_be_valid_at_the_time_of_the_message)
{
  X509 *expired;

  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_is_refused (make_signed (0, NOW_S + 20 * DAY_S, NULL), NOW_NS + 10 * DAY_S * GST_SECOND,
      GST_TFRC_MIKEY_BAD_CERTIFICATE, "the peer's certificate is refused: certificate has expired");
  expired = make_certificate (&(TestCertificate){
      .name = "CA", .key = own_key, .is_ca = TRUE, .from_s = NOW_S - 2, .until_s = NOW_S - 1 });
  config.ca_file = write_certificates ("ca.crt", expired, NULL);
  peer_is_refused (make_signed (0, 0, NULL), NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: certificate has expired");
  X509_free (expired);
}

GST_END_TEST;

/* ---- strength ------------------------------------------------------------ */

GST_START_TEST (a_certificate_with_a_weak_signature_is_refused)
{
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_is_refused (make_signed (0, 0, EVP_sha1 ()), NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: CA signature digest algorithm too weak");
}

GST_END_TEST;

static void
unfit_key_is_refused (EVP_PKEY *key, const gchar *message)
{
  peer_is_refused (make_certificate (&(TestCertificate){
                       .name = "peer", .key = key, .issuer = ca, .issuer_key = own_key }),
      NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE, message);
  EVP_PKEY_free (key);
}

GST_START_TEST (a_certificate_with_a_key_that_is_not_fit_is_refused)
{
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  unfit_key_is_refused (EVP_EC_gen ("P-256"), "the peer has a key of type EC, not an RSA key");
  unfit_key_is_refused (
      EVP_RSA_gen (1024), "the peer has an RSA key of 1024 bits, fewer than 2048");
}

GST_END_TEST;

/* ---- a known key --------------------------------------------------------- */

GST_START_TEST (a_known_key_needs_no_certificate)
{
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  peer_has (NULL, NOW_NS, other_key);
  config.peer_public_key_file = NULL;
  config.peer_certificate_file = write_certificate ("peer.crt", other_key);
  peer_has (NULL, NOW_NS, other_key);
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_has (NULL, NOW_NS, other_key);
}

GST_END_TEST;

GST_START_TEST (a_certificate_of_the_known_key_is_believed)
{
  TestCertificate self = { .name = "self", .key = other_key };

  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  peer_has (make_certificate (&self), NOW_NS, other_key);
  self.until_s = NOW_S;
  peer_is_refused (make_certificate (&self), NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer has a certificate that is expired");
}

GST_END_TEST;

GST_START_TEST (a_certificate_of_another_key_than_the_known_one_is_refused)
{
  config.peer_public_key_file = write_public_key ("peer.pub", own_key);
  peer_is_refused (make_signed (0, 0, NULL), NOW_NS, GST_TFRC_MIKEY_UNKNOWN_KEY,
      "the peer's certificate has another key than the known one");
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_is_refused (make_signed (0, 0, NULL), NOW_NS, GST_TFRC_MIKEY_UNKNOWN_KEY,
      "the peer's certificate has another key than the known one");
}

GST_END_TEST;

GST_START_TEST (with_a_known_key_and_a_ca_a_certificate_has_to_satisfy_both)
{
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
  peer_has (make_signed (0, 0, NULL), NOW_NS, other_key);
  peer_is_refused (make_certificate (&(TestCertificate){ .name = "self", .key = other_key }),
      NOW_NS, GST_TFRC_MIKEY_BAD_CERTIFICATE,
      "the peer's certificate is refused: self-signed certificate");
}

GST_END_TEST;

GST_START_TEST (a_passphrase_knows_no_keys)
{
  memset (&config, 0, sizeof config);
  config.passphrase = "correct horse";
  peer_is_refused (make_signed (0, 0, NULL), NOW_NS, GST_TFRC_MIKEY_UNSUPPORTED,
      "this end has a passphrase and no RSA keys");
}

GST_END_TEST;

static Suite *
credentialspeer_suite (void)
{
  Suite *s = suite_create ("credentialspeer");
  TCase *tc = tcase_create ("general");

  make_keys ();
  atexit (free_keys);
  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, the_ca_vouches_for_the_peers_key);
  tcase_add_test (tc, a_peer_that_is_known_by_its_ca_has_to_send_a_certificate);
  tcase_add_test (tc, a_certificate_of_another_ca_is_refused);
  tcase_add_test (tc, a_certificate_that_nobody_known_has_signed_is_refused);
  tcase_add_test (tc, each_certificate_of_the_ca_file_counts);
  tcase_add_test (tc, an_intermediate_ca_alone_is_enough);
  tcase_add_test (tc, a_certificate_that_is_no_ca_vouches_for_nobody);
  tcase_add_test (tc, the_certificate_has_to_be_valid_at_the_time_of_the_message);
  tcase_add_test (tc, the_ca_has_to_be_valid_at_the_time_of_the_message);
  tcase_add_test (tc, a_certificate_with_a_weak_signature_is_refused);
  tcase_add_test (tc, a_certificate_with_a_key_that_is_not_fit_is_refused);
  tcase_add_test (tc, a_known_key_needs_no_certificate);
  tcase_add_test (tc, a_certificate_of_the_known_key_is_believed);
  tcase_add_test (tc, a_certificate_of_another_key_than_the_known_one_is_refused);
  tcase_add_test (tc, with_a_known_key_and_a_ca_a_certificate_has_to_satisfy_both);
  tcase_add_test (tc, a_passphrase_knows_no_keys);
  return s;
}

GST_CHECK_MAIN (credentialspeer);
