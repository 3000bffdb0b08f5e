/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of protected streams, see securitytest.h. */
#include "securitytest.h"

#include "../libs/credentialstest.h"

#define WEAK_BITS 1024

static EVP_PKEY *authority_key, *weak_key;

static void
write_signed (const gchar *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key, gint days,
    const gchar *uses)
{
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  X509 *certificate = make_certificate (&(TestCertificate){ .name = name,
      .key = key,
      .issuer = issuer,
      .issuer_key = issuer_key,
      .from_s = now_s - 10 * DAY_S,
      .until_s = now_s + days * DAY_S,
      .uses = uses,
      .names = issuer != NULL ? key == own_key ? "DNS:sink.example.org" : "DNS:source.example.org"
                              : NULL });

  write_certificates (name, certificate, NULL);
  X509_free (certificate);
}

static void
write_authority_and_certificates (void)
{
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  X509 *authority = make_certificate (&(TestCertificate){ .name = "authority",
      .key = authority_key,
      .from_s = now_s - DAY_S,
      .until_s = now_s + DAY_S,
      .is_ca = TRUE });

  write_certificates ("ca.crt", authority, NULL);
  write_signed ("sink.crt", own_key, authority, authority_key, 1,
      "critical,digitalSignature,keyEncipherment");
  write_signed ("source.crt", other_key, authority, authority_key, 1,
      "critical,digitalSignature,keyEncipherment");
  write_signed ("expired.crt", own_key, authority, authority_key, -1, NULL);
  write_signed ("code.crt", own_key, authority, authority_key, 1, "critical,nonRepudiation");
  write_signed ("self.crt", own_key, NULL, NULL, 1, NULL);
  X509_free (authority);
}

static void
write_files (void)
{
  make_directory ();
  write_private_key ("sink.key", own_key, NULL);
  write_private_key ("source.key", other_key, NULL);
  write_private_key ("weak.key", weak_key, NULL);
  write_private_key ("encrypted.key", own_key, KEY_PASSPHRASE);
  fail_unless_equals_int (g_chmod (write_private_key ("open.key", own_key, NULL), 0644), 0);
  write_public_key ("sink.pub", own_key);
  write_public_key ("source.pub", other_key);
  write_authority_and_certificates ();
}

static void
free_all_keys (void)
{
  free_keys ();
  EVP_PKEY_free (authority_key);
  EVP_PKEY_free (weak_key);
}

void
test_use_keys (TCase *tcase)
{
  make_keys ();
  authority_key = EVP_RSA_gen (2048);
  weak_key = EVP_RSA_gen (WEAK_BITS);
  atexit (free_all_keys);
  tcase_add_checked_fixture (tcase, write_files, remove_directory);
}

const gchar *
test_with_keys (const gchar *text)
{
  gchar **parts = g_strsplit (text, "@", -1);
  gchar *directory = g_strconcat (test_directory, "/", NULL);
  gchar *whole = g_strjoinv (directory, parts);
  const gchar *interned = g_intern_string (whole);

  g_strfreev (parts);
  g_free (directory);
  g_free (whole);
  return interned;
}

TestReceiver *
test_protected_receiver_new (const gchar *properties)
{
  return test_receiver_new (test_with_keys (properties));
}

TestSender *
test_protected_sender_new (gint port, const gchar *properties)
{
  return test_sender_new (port, test_with_keys (properties));
}

void
test_wait_security (TestLog *log, guint n, const gchar *state)
{
  gst_message_unref (test_log_wait (log, n, GST_MESSAGE_ELEMENT, "tfrc-security", state));
}

void
test_wait_problem (TestLog *log, GstMessageType type, const gchar *part)
{
  GstMessage *message = test_log_wait (log, 1, type, NULL, NULL);
  GError *problem = NULL;

  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &problem, NULL);
  else
    gst_message_parse_warning (message, &problem, NULL);
  fail_unless (
      strstr (problem->message, part) != NULL, "'%s' in place of '%s'", problem->message, part);
  g_error_free (problem);
  gst_message_unref (message);
}

guint64
test_refused (GstElement *element)
{
  return test_stat (element, "packets-refused-authentication")
      + test_stat (element, "packets-refused-replay")
      + test_stat (element, "packets-refused-plaintext")
      + test_stat (element, "packets-refused-no-key");
}
