/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What certificates may be used for and whose they are: keyUsage, extendedKeyUsage and
 * subjectAltName (RFC 5280 section 4.2.1), see gst/security/certificate.h.  The own key is that of
 * the CA as well. */
#include "credentialstest.h"

#define SIGNS GST_TFRC_CERTIFICATE_SIGNS
#define TAKES_KEYS GST_TFRC_CERTIFICATE_TAKES_KEYS

#define NO_SIGNATURE \
  "has a certificate that is not for signatures: keyUsage is without digitalSignature"
#define NO_KEYS \
  "has a certificate that is not for encrypted keys: keyUsage is without keyEncipherment"
#define OTHER_PURPOSE \
  "has a certificate for other purposes: extendedKeyUsage has neither serverAuth nor clientAuth"

static GstTfrcCredentialsConfig config;
static X509 *ca;

static void
setup (void)
{
  make_directory ();
  ca = make_certificate (&(TestCertificate){
      .name = "CA", .key = own_key, .is_ca = TRUE, .uses = "critical,keyCertSign" });
  memset (&config, 0, sizeof config);
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.ca_file = write_certificates ("ca.crt", ca, NULL);
}

static void
teardown (void)
{
  X509_free (ca);
  remove_directory ();
}

/* A certificate for other_key that the CA signs */
static X509 *
make_signed (const gchar *uses, const gchar *purposes, const gchar *names)
{
  return make_certificate (&(TestCertificate){ .name = "peer.example.org",
      .key = other_key,
      .issuer = ca,
      .issuer_key = own_key,
      .uses = uses,
      .purposes = purposes,
      .names = names });
}

/* Takes the certificate.
 * @message: why the certificate is refused; NULL: it is not */
static void
judge (X509 *certificate, guint32 uses, const gchar *message, gint code)
{
  GstTfrcCredentials *credentials = load_at (&config, FALSE, NOW_NS);
  GError *error = NULL;
  EVP_PKEY *key = gst_tfrc_credentials_get_peer_key (
      credentials, certificate, uses, NOW_NS, &error);

  fail_unless_equals_string (error != NULL ? error->message : NULL, message);
  fail_unless (error == NULL || g_error_matches (error, GST_TFRC_MIKEY_ERROR, code));
  fail_unless_equals_int (key != NULL, message == NULL);
  g_clear_error (&error);
  EVP_PKEY_free (key);
  X509_free (certificate);
  gst_tfrc_credentials_unref (credentials);
}

static void
uses_are (const gchar *stated, guint32 uses, const gchar *message)
{
  judge (make_signed (stated, NULL, NULL), uses, message, GST_TFRC_MIKEY_BAD_CERTIFICATE);
}

static void
purposes_are (const gchar *stated, const gchar *message)
{
  judge (make_signed (NULL, stated, NULL), SIGNS, message, GST_TFRC_MIKEY_BAD_CERTIFICATE);
}

/* ---- keyUsage ------------------------------------------------------------ */

GST_START_TEST (who_signs_has_a_certificate_for_signatures)
{
  uses_are ("digitalSignature", SIGNS, NULL);
  uses_are ("critical,digitalSignature,keyEncipherment", SIGNS, NULL);
  uses_are ("keyEncipherment", SIGNS, "the peer " NO_SIGNATURE);
  uses_are ("critical,keyCertSign,cRLSign", SIGNS, "the peer " NO_SIGNATURE);
  uses_are ("nonRepudiation", SIGNS, "the peer " NO_SIGNATURE);
}

GST_END_TEST;

GST_START_TEST (who_gets_keys_has_a_certificate_for_encrypted_keys)
{
  uses_are ("keyEncipherment", TAKES_KEYS, NULL);
  uses_are ("digitalSignature,keyEncipherment", SIGNS | TAKES_KEYS, NULL);
  uses_are ("digitalSignature", SIGNS | TAKES_KEYS, "the peer " NO_KEYS);
  uses_are ("keyEncipherment", SIGNS | TAKES_KEYS, "the peer " NO_SIGNATURE);
  uses_are ("dataEncipherment,keyAgreement", TAKES_KEYS, "the peer " NO_KEYS);
}

GST_END_TEST;

GST_START_TEST (a_certificate_that_states_no_use_is_for_all)
{
  uses_are (NULL, SIGNS | TAKES_KEYS, NULL);
}

GST_END_TEST;

GST_START_TEST (the_certificate_of_the_ca_is_for_no_end)
{
  X509_up_ref (ca);
  judge (ca, SIGNS, "the peer " NO_SIGNATURE, GST_TFRC_MIKEY_BAD_CERTIFICATE);
}

GST_END_TEST;

/* ---- extendedKeyUsage ---------------------------------------------------- */

GST_START_TEST (certificates_for_tls_are_taken_and_those_for_other_purposes_are_not)
{
  purposes_are ("serverAuth", NULL);
  purposes_are ("clientAuth", NULL);
  purposes_are ("anyExtendedKeyUsage", NULL);
  purposes_are ("critical,codeSigning,clientAuth", NULL);
  purposes_are ("codeSigning", "the peer " OTHER_PURPOSE);
  purposes_are ("emailProtection,timeStamping", "the peer " OTHER_PURPOSE);
  purposes_are ("critical,1.3.6.1.5.5.7.3.17", "the peer " OTHER_PURPOSE); /* IPsec */
}

GST_END_TEST;

/* ---- own certificates, and those in files -------------------------------- */

/* @told: what the error says after the file's name; NULL: the file is taken */
static void
check_use (const gchar *file, gboolean is_sender, const gchar *told)
{
  if (told == NULL)
    gst_tfrc_credentials_unref (load_at (&config, is_sender, NOW_NS));
  else
    is_refused (&config, is_sender, G_IO_ERROR_INVALID_DATA, "%s %s", file, told);
}

static void
own_is (const gchar *uses, gboolean is_sender, const gchar *told)
{
  X509 *certificate = make_certificate (
      &(TestCertificate){ .name = "own", .key = own_key, .uses = uses });

  config.certificate_file = write_certificates ("own.crt", certificate, NULL);
  check_use (config.certificate_file, is_sender, told);
  X509_free (certificate);
}

GST_START_TEST (the_own_certificate_is_for_what_this_end_does_with_it)
{
  own_is ("digitalSignature", TRUE, NULL);
  own_is ("keyEncipherment", TRUE, NO_SIGNATURE);
  own_is ("digitalSignature,keyEncipherment", FALSE, NULL);
  own_is ("digitalSignature", FALSE, NO_KEYS);
}

GST_END_TEST;

static void
known_is (const gchar *uses, gboolean is_sender, const gchar *told)
{
  X509 *certificate = make_signed (uses, NULL, NULL);

  config.peer_certificate_file = write_certificates ("peer.crt", certificate, NULL);
  check_use (config.peer_certificate_file, is_sender, told);
  X509_free (certificate);
}

GST_START_TEST (the_known_certificate_is_for_what_the_peer_does_with_it)
{
  known_is ("keyEncipherment", TRUE, NULL);
  known_is ("digitalSignature", TRUE, NO_KEYS);
  known_is ("digitalSignature", FALSE, NULL);
  known_is ("keyEncipherment", FALSE, NO_SIGNATURE);
}

GST_END_TEST;

/* ---- names --------------------------------------------------------------- */

static void
is_named (const gchar *names, const gchar *wanted)
{
  config.peer_name = wanted;
  judge (make_signed (NULL, NULL, names), SIGNS, NULL, 0);
}

static void
is_not_named (const gchar *names, const gchar *wanted)
{
  gchar *message = g_strdup_printf ("the peer's certificate has no subjectAltName %s", wanted);

  config.peer_name = wanted;
  judge (make_signed (NULL, NULL, names), SIGNS, message, GST_TFRC_MIKEY_WRONG_NAME);
  g_free (message);
}

GST_START_TEST (the_wanted_name_is_one_of_the_certificates_names)
{
  is_named ("DNS:peer.example.org", "peer.example.org");
  is_named ("DNS:other.example.org,DNS:PEER.example.org", "Peer.Example.org");
  is_not_named ("DNS:other.example.org", "peer.example.org");
  is_not_named ("DNS:peer.example.org.example.net", "peer.example.org");
  is_not_named ("DNS:example.org", "peer.example.org");
  is_not_named ("email:peer.example.org@example.org", "peer.example.org");
}

GST_END_TEST;

GST_START_TEST (the_common_name_is_no_name)
{
  is_not_named (NULL, "peer.example.org");
  is_not_named ("IP:192.0.2.1", "peer.example.org");
}

GST_END_TEST;

GST_START_TEST (a_wildcard_is_a_whole_label)
{
  is_named ("DNS:*.example.org", "peer.example.org");
  is_not_named ("DNS:*.example.org", "one.peer.example.org");
  is_not_named ("DNS:*.example.org", "example.org");
  is_not_named ("DNS:p*.example.org", "peer.example.org");
  is_not_named ("DNS:*r.example.org", "peer.example.org");
  is_not_named ("DNS:peer.example.org", "*.example.org");
}

GST_END_TEST;

GST_START_TEST (an_address_is_compared_as_an_address)
{
  is_named ("IP:192.0.2.1", "192.0.2.1");
  is_named ("IP:2001:db8::1", "2001:0db8:0::1");
  is_not_named ("IP:192.0.2.1", "192.0.2.2");
  is_not_named ("DNS:192.0.2.1", "192.0.2.1");
  is_not_named ("DNS:peer.example.org", "192.0.2.1");
}

GST_END_TEST;

GST_START_TEST (a_uri_is_compared_byte_for_byte)
{
  is_named ("DNS:example.org,URI:tfrc://example.org/studio", "tfrc://example.org/studio");
  is_not_named ("URI:tfrc://example.org/studio", "tfrc://example.org/Studio");
  is_not_named ("URI:tfrc://example.org/studio", "tfrc://example.org/stud");
  is_not_named ("DNS:tfrc://example.org/studio", "tfrc://example.org/studio");
  is_not_named ("DNS:example.org", "tfrc://example.org");
}

GST_END_TEST;

GST_START_TEST (another_ca_is_told_before_another_name)
{
  TestCertificate self = { .name = "self", .key = other_key, .names = "DNS:other.example.org" };

  config.peer_name = "peer.example.org";
  judge (make_certificate (&self), SIGNS,
      "the peer's certificate is refused: self-signed certificate", GST_TFRC_MIKEY_BAD_CERTIFICATE);
}

GST_END_TEST;

GST_START_TEST (the_known_certificate_has_the_wanted_name)
{
  X509 *certificate = make_signed (NULL, NULL, "DNS:peer.example.org");

  config.peer_certificate_file = write_certificates ("peer.crt", certificate, NULL);
  config.peer_name = "peer.example.org";
  gst_tfrc_credentials_unref (load_at (&config, TRUE, NOW_NS));
  config.peer_name = "other.example.org";
  is_refused (&config, TRUE, G_IO_ERROR_INVALID_ARGUMENT,
      "the certificate of peer-certificate-file does not have the name of peer-name");
  X509_free (certificate);
}

GST_END_TEST;

GST_START_TEST (a_name_that_cannot_be_compared_is_refused)
{
  config.peer_name = "";
  is_refused (
      &config, FALSE, G_IO_ERROR_INVALID_ARGUMENT, "peer-name is empty or begins with a dot");
  config.peer_name = ".example.org";
  is_refused (
      &config, FALSE, G_IO_ERROR_INVALID_ARGUMENT, "peer-name is empty or begins with a dot");
  config.peer_name = "peer.example.org";
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "peer-name is set, but peer-public-key-file has no name: set peer-certificate-file, or "
      "ca-file alone");
}

GST_END_TEST;

static Suite *
credentialsuse_suite (void)
{
  Suite *s = suite_create ("credentialsuse");
  TCase *tc = tcase_create ("general");

  make_keys ();
  atexit (free_keys);
  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, who_signs_has_a_certificate_for_signatures);
  tcase_add_test (tc, who_gets_keys_has_a_certificate_for_encrypted_keys);
  tcase_add_test (tc, a_certificate_that_states_no_use_is_for_all);
  tcase_add_test (tc, the_certificate_of_the_ca_is_for_no_end);
  tcase_add_test (tc, certificates_for_tls_are_taken_and_those_for_other_purposes_are_not);
  tcase_add_test (tc, the_own_certificate_is_for_what_this_end_does_with_it);
  tcase_add_test (tc, the_known_certificate_is_for_what_the_peer_does_with_it);
  tcase_add_test (tc, the_wanted_name_is_one_of_the_certificates_names);
  tcase_add_test (tc, the_common_name_is_no_name);
  tcase_add_test (tc, a_wildcard_is_a_whole_label);
  tcase_add_test (tc, an_address_is_compared_as_an_address);
  tcase_add_test (tc, a_uri_is_compared_byte_for_byte);
  tcase_add_test (tc, another_ca_is_told_before_another_name);
  tcase_add_test (tc, the_known_certificate_has_the_wanted_name);
  tcase_add_test (tc, a_name_that_cannot_be_compared_is_refused);
  return s;
}

GST_CHECK_MAIN (credentialsuse);
