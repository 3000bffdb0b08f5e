/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys, certificates and their files, made at test time by OpenSSL. */
#ifndef CREDENTIALSTEST_H
#define CREDENTIALSTEST_H

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gst/security/credentials-private.h"
#include "gst/security/mikeyerror.h"

/* The time at which the tests play, and a validity around that time */
#define NOW_S G_GINT64_CONSTANT (1800000000)
#define NOW_NS (NOW_S * GST_SECOND)
#define DAY_S 86400

/* What a file of certificates is made of */
typedef struct
{
  const gchar *name;
  EVP_PKEY *key;
  X509 *issuer; /* NULL: signed with the own key */
  EVP_PKEY *issuer_key;
  gint64 from_s, until_s; /* 0: a day before and after now */
  gboolean is_ca;
  const EVP_MD *digest; /* NULL: SHA-256 */
  const gchar *uses; /* keyUsage, extendedKeyUsage and subjectAltName, in the syntax of -addext */
  const gchar *purposes; /* of openssl; NULL: none */
  const gchar *names;
} TestCertificate;

static EVP_PKEY *own_key, *other_key;
static gchar *program_directory; /* has the directories of the tests */
static pid_t program_pid;
static gchar *test_directory;

/* Removes a file, or a directory with all that is in it. */
static inline void
remove_all (const gchar *path)
{
  GDir *directory = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (directory && (name = g_dir_read_name (directory)) != NULL) {
    gchar *inner = g_build_filename (path, name, NULL);

    remove_all (inner);
    g_free (inner);
  }
  if (directory)
    g_dir_close (directory);
  g_remove (path);
}

static inline void
remove_program_directory (void)
{
  if (getpid () == program_pid)
    remove_all (program_directory);
  g_free (program_directory);
}

/* The process that waits for its tests may exit here.  The library of the tests ends them before. */
static inline void
on_signal (gint number)
{
  if (getpid () == program_pid)
    exit (1);
  signal (number, SIG_DFL);
  raise (number);
}

/* A test that fails or takes too long removes nothing: the process that has forked the tests does. */
static inline void
make_program_directory (void)
{
  program_directory = g_dir_make_tmp ("credentials-XXXXXX", NULL);
  program_pid = getpid ();
  if (program_directory == NULL)
    g_error ("There is no directory for the keys");
  atexit (remove_program_directory);
  signal (SIGTERM, on_signal);
  signal (SIGINT, on_signal);
}

/* To be called by the function that makes the suite: once in a program, although each test has a
 * process of its own. */
static inline void
make_keys (void)
{
  make_program_directory ();
  own_key = EVP_RSA_gen (2048);
  other_key = EVP_RSA_gen (2048);
  if (own_key == NULL || other_key == NULL)
    g_error ("OpenSSL makes no RSA keys");
}

static inline void
free_keys (void)
{
  EVP_PKEY_free (own_key);
  EVP_PKEY_free (other_key);
}

static inline void
make_directory (void)
{
  test_directory = g_build_filename (program_directory, "XXXXXX", NULL);
  fail_if (g_mkdtemp (test_directory) == NULL);
}

static inline void
remove_directory (void)
{
  remove_all (test_directory);
  fail_if (g_file_test (test_directory, G_FILE_TEST_EXISTS));
  g_free (test_directory);
}

/* Returns a path in the directory of the test; static. */
static inline const gchar *
in_directory (const gchar *name)
{
  gchar *path = g_build_filename (test_directory, name, NULL);
  const gchar *interned = g_intern_string (path);

  g_free (path);
  return interned;
}

static inline const gchar *
write_text (const gchar *name, const gchar *text, gsize size)
{
  const gchar *path = in_directory (name);

  fail_unless (g_file_set_contents_full (path, text, size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  return path;
}

static inline const gchar *
write_bio (const gchar *name, BIO *bio)
{
  gchar *text;
  glong size = BIO_get_mem_data (bio, &text);
  const gchar *path = write_text (name, text, size);

  BIO_free (bio);
  return path;
}

/* @passphrase: NULL: not encrypted */
static inline const gchar *
write_private_key (const gchar *name, EVP_PKEY *key, const gchar *passphrase)
{
  BIO *bio = BIO_new (BIO_s_mem ());

  fail_unless (
      PEM_write_bio_PKCS8PrivateKey (bio, key, passphrase != NULL ? EVP_aes_128_cbc () : NULL,
          passphrase, passphrase != NULL ? strlen (passphrase) : 0, NULL, NULL));
  return write_bio (name, bio);
}

static inline const gchar *
write_public_key (const gchar *name, EVP_PKEY *key)
{
  BIO *bio = BIO_new (BIO_s_mem ());

  fail_unless (PEM_write_bio_PUBKEY (bio, key));
  return write_bio (name, bio);
}

static inline const gchar *
write_certificates (const gchar *name, X509 *first, X509 *second)
{
  BIO *bio = BIO_new (BIO_s_mem ());

  fail_unless (PEM_write_bio_X509 (bio, first));
  fail_unless (second == NULL || PEM_write_bio_X509 (bio, second));
  return write_bio (name, bio);
}

/* @value: NULL: none */
static inline void
add_extension (X509 *certificate, gint nid, const gchar *value)
{
  X509_EXTENSION *extension;

  if (value == NULL)
    return;
  extension = X509V3_EXT_conf_nid (NULL, NULL, nid, value);
  fail_unless (X509_add_ext (certificate, extension, -1));
  X509_EXTENSION_free (extension);
}

static inline X509 *
make_certificate (const TestCertificate *test)
{
  X509 *certificate = X509_new ();
  X509_NAME *name = X509_get_subject_name (certificate);
  static glong serial = 1;

  X509_set_version (certificate, X509_VERSION_3);
  ASN1_INTEGER_set (X509_get_serialNumber (certificate), serial++);
  ASN1_TIME_set (
      X509_getm_notBefore (certificate), test->from_s != 0 ? test->from_s : NOW_S - DAY_S);
  ASN1_TIME_set (
      X509_getm_notAfter (certificate), test->until_s != 0 ? test->until_s : NOW_S + DAY_S);
  X509_NAME_add_entry_by_txt (name, "CN", MBSTRING_ASC, (const guchar *) test->name, -1, -1, 0);
  X509_set_issuer_name (
      certificate, test->issuer != NULL ? X509_get_subject_name (test->issuer) : name);
  X509_set_pubkey (certificate, test->key);
  add_extension (certificate, NID_basic_constraints, test->is_ca ? "critical,CA:TRUE" : NULL);
  add_extension (certificate, NID_key_usage, test->uses);
  add_extension (certificate, NID_ext_key_usage, test->purposes);
  add_extension (certificate, NID_subject_alt_name, test->names);
  fail_unless (X509_sign (certificate, test->issuer != NULL ? test->issuer_key : test->key,
                   test->digest != NULL ? test->digest : EVP_sha256 ())
      > 0);
  return certificate;
}

/* Writes a certificate that is signed with its own key. */
static inline const gchar *
write_certificate (const gchar *name, EVP_PKEY *key)
{
  X509 *certificate = make_certificate (&(TestCertificate){ .name = name, .key = key });
  const gchar *path = write_certificates (name, certificate, NULL);

  X509_free (certificate);
  return path;
}

static inline GstTfrcCredentials *
load_at (const GstTfrcCredentialsConfig *config, gboolean is_sender, guint64 wall_ns)
{
  GError *error = NULL;
  GstTfrcCredentials *credentials = gst_tfrc_credentials_new (config, is_sender, wall_ns, &error);

  fail_unless (credentials != NULL, "%s", error != NULL ? error->message : "no error");
  fail_unless (error == NULL);
  return credentials;
}

/* Loading fails with this code and exactly this message, which has no secret in it. */
G_GNUC_PRINTF (4, 5)
static inline void
is_refused (
    const GstTfrcCredentialsConfig *config, gboolean is_sender, gint code, const gchar *format, ...)
{
  GError *error = NULL;
  gchar *message;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fail_unless (gst_tfrc_credentials_new (config, is_sender, NOW_NS, &error) == NULL);
  fail_unless (error != NULL && error->domain == G_IO_ERROR);
  fail_unless_equals_string (error->message, message);
  fail_unless_equals_int (error->code, code);
  fail_if (config->passphrase != NULL && *config->passphrase != '\0'
      && strstr (error->message, config->passphrase) != NULL);
  fail_if (config->private_key_passphrase != NULL
      && strstr (error->message, config->private_key_passphrase) != NULL);
  /* Nobody has to ask why. */
  fail_unless (gst_tfrc_credentials_new (config, is_sender, NOW_NS, NULL) == NULL);
  g_clear_error (&error);
  g_free (message);
}

#endif
