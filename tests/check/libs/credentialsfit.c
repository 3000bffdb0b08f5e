/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which RSA keys and certificates of a file are fit, see gst/security/pemfiles.h. */
#include "credentialstest.h"

static GstTfrcCredentialsConfig config;

/* A configuration that is complete: each test replaces one file. */
static void
setup (void)
{
  make_directory ();
  memset (&config, 0, sizeof config);
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
}

static void
teardown (void)
{
  remove_directory ();
}

static void
is_accepted (void)
{
  gst_tfrc_credentials_unref (load_at (&config, FALSE, NOW_NS));
}

static void
is_damaged (const gchar *file, const gchar *fault)
{
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_DATA, "%s %s", file, fault);
}

/* ---- keys that are not fit ----------------------------------------------- */

static void
keys_are_unfit (EVP_PKEY *key, const gchar *fault)
{
  const gchar *own = config.private_key_file, *peer = config.peer_public_key_file;

  config.private_key_file = write_private_key ("unfit.key", key, NULL);
  is_damaged (config.private_key_file, fault);
  config.private_key_file = own;
  config.peer_public_key_file = write_public_key ("unfit.pub", key);
  is_damaged (config.peer_public_key_file, fault);
  config.peer_public_key_file = peer;
  config.certificate_file = write_certificate ("unfit.crt", key);
  is_damaged (config.certificate_file, fault);
  config.certificate_file = NULL;
  config.peer_certificate_file = write_certificate ("unfit.crt", key);
  is_damaged (config.peer_certificate_file, fault);
  config.peer_certificate_file = NULL;
  EVP_PKEY_free (key);
}

GST_START_TEST (a_key_of_another_type_is_refused)
{
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name (NULL, "RSA-PSS", NULL);
  EVP_PKEY *pss = NULL;

  keys_are_unfit (EVP_EC_gen ("P-256"), "has a key of type EC, not an RSA key");
  /* Such a key can sign, but not encrypt. */
  fail_unless_equals_int (EVP_PKEY_keygen_init (context), 1);
  fail_unless_equals_int (EVP_PKEY_generate (context, &pss), 1);
  config.private_key_file = write_private_key ("pss.key", pss, NULL);
  is_damaged (config.private_key_file, "has a key of type RSA-PSS, not an RSA key");
  EVP_PKEY_free (pss);
  EVP_PKEY_CTX_free (context);
}

GST_END_TEST;

GST_START_TEST (a_short_key_is_refused)
{
  keys_are_unfit (EVP_RSA_gen (1024), "has an RSA key of 1024 bits, fewer than 2048");
  keys_are_unfit (EVP_RSA_gen (2047), "has an RSA key of 2047 bits, fewer than 2048");
}

GST_END_TEST;

/* ---- certificates -------------------------------------------------------- */

static const gchar *
write_certificate_of (EVP_PKEY *key, gint64 from_s, gint64 until_s)
{
  X509 *certificate = make_certificate (
      &(TestCertificate){ .name = "any", .key = key, .from_s = from_s, .until_s = until_s });
  const gchar *path = write_certificates ("any.crt", certificate, NULL);

  X509_free (certificate);
  return path;
}

static void
certificate_is_in_time (const gchar **file, EVP_PKEY *key)
{
  *file = write_certificate_of (key, NOW_S, NOW_S + 1);
  is_accepted ();
  *file = write_certificate_of (key, NOW_S + 1, NOW_S + 2);
  is_damaged (*file, "has a certificate that is not valid yet");
  *file = write_certificate_of (key, NOW_S - 1, NOW_S);
  is_damaged (*file, "has a certificate that is expired");
  *file = NULL;
}

GST_START_TEST (a_certificate_has_to_be_valid_now)
{
  certificate_is_in_time (&config.certificate_file, own_key);
  certificate_is_in_time (&config.peer_certificate_file, other_key);
}

GST_END_TEST;

GST_START_TEST (the_first_certificate_of_a_chain_is_the_own_one)
{
  X509 *own = make_certificate (&(TestCertificate){ .name = "own", .key = own_key });
  X509 *ca = make_certificate (&(TestCertificate){ .name = "ca", .key = other_key });

  config.certificate_file = write_certificates ("chain.crt", own, ca);
  is_accepted ();
  config.certificate_file = write_certificates ("chain.crt", ca, own);
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "the certificate of certificate-file does not belong to the key of private-key-file");
  X509_free (own);
  X509_free (ca);
}

GST_END_TEST;

GST_START_TEST (a_ca_file_is_refused_if_any_certificate_is_damaged)
{
  gchar *text, *two;
  gsize size;

  config.ca_file = write_certificate ("ca.crt", other_key);
  is_accepted ();
  fail_unless (g_file_get_contents (config.ca_file, &text, &size, NULL));
  two = g_strconcat (text, text, NULL);
  write_text ("ca.crt", two, 2 * size);
  is_accepted ();
  two[size + size / 2] = '!';
  write_text ("ca.crt", two, 2 * size);
  is_damaged (config.ca_file, "has a damaged CERTIFICATE");
  g_free (text);
  g_free (two);
}

GST_END_TEST;

static Suite *
credentialsfit_suite (void)
{
  Suite *s = suite_create ("credentialsfit");
  TCase *tc = tcase_create ("general");

  make_keys ();
  atexit (free_keys);
  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_key_of_another_type_is_refused);
  tcase_add_test (tc, a_short_key_is_refused);
  tcase_add_test (tc, a_certificate_has_to_be_valid_now);
  tcase_add_test (tc, the_first_certificate_of_a_chain_is_the_own_one);
  tcase_add_test (tc, a_ca_file_is_refused_if_any_certificate_is_damaged);
  return s;
}

GST_CHECK_MAIN (credentialsfit);
