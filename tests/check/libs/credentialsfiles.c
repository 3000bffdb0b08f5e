/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What files of keys and certificates may be like, see gst/security/pemfiles.h. */
#include <errno.h>
#include <openssl/ui.h>

#include "credentialstest.h"

static GstTfrcCredentialsConfig config;
static UI_METHOD *no_terminal;
static guint terminal_opened;

static int
open_terminal (UI *ui)
{
  (void) ui;
  terminal_opened++;
  return 0;
}

/* A configuration that is complete: each test damages one file. */
static void
setup (void)
{
  make_directory ();
  memset (&config, 0, sizeof config);
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  terminal_opened = 0;
  no_terminal = UI_create_method ("none");
  UI_method_set_opener (no_terminal, open_terminal);
  UI_set_default_method (no_terminal);
}

static void
teardown (void)
{
  fail_unless_equals_int (terminal_opened, 0);
  UI_set_default_method (UI_null ());
  UI_destroy_method (no_terminal);
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

/* ---- any file ------------------------------------------------------------ */

static void
each_has_to_exist (const gchar **file)
{
  const gchar *before = *file;

  *file = in_directory ("nowhere");
  is_refused (
      &config, FALSE, G_IO_ERROR_NOT_FOUND, "%s cannot be opened: %s", *file, g_strerror (ENOENT));
  *file = test_directory;
  is_refused (&config, FALSE, G_IO_ERROR_NOT_REGULAR_FILE, "%s is not a regular file", *file);
  *file = in_directory ("fifo");
  fail_unless_equals_int (mkfifo (*file, 0600), 0);
  is_refused (&config, FALSE, G_IO_ERROR_NOT_REGULAR_FILE, "%s is not a regular file", *file);
  g_remove (*file);
  *file = before;
}

GST_START_TEST (a_file_has_to_be_a_regular_file)
{
  each_has_to_exist (&config.private_key_file);
  each_has_to_exist (&config.certificate_file);
  each_has_to_exist (&config.peer_public_key_file);
  each_has_to_exist (&config.peer_certificate_file);
  each_has_to_exist (&config.ca_file);
  is_accepted ();
}

GST_END_TEST;

GST_START_TEST (a_file_has_at_most_64_kib)
{
  gchar *text, *padded = g_malloc (65537);
  gsize size;

  fail_unless (g_file_get_contents (config.private_key_file, &text, &size, NULL));
  memset (padded, '\n', 65537);
  memcpy (padded, text, size);
  write_text ("own.key", padded, 65536);
  is_accepted ();
  write_text ("own.key", padded, 65537);
  is_damaged (config.private_key_file, "is longer than 65536 bytes, the most of a file");
  g_free (padded);
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (a_file_that_is_empty_or_no_pem_is_refused)
{
  static const gchar *const texts[] = { "", "\n", "no PEM", "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n", "-----BEGIN " };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const gchar *file = write_text ("text", texts[i], strlen (texts[i]));

    config.private_key_file = file;
    is_damaged (file, "is not PEM, or damaged: no PRIVATE KEY found");
    config.private_key_file = in_directory ("own.key");
    config.certificate_file = file;
    is_damaged (file, "is not PEM, or damaged: no CERTIFICATE found");
    config.certificate_file = NULL;
    config.peer_public_key_file = file;
    is_damaged (file, "is not PEM, or damaged: no PUBLIC KEY found");
    config.peer_public_key_file = in_directory ("peer.pub");
    config.ca_file = file;
    is_damaged (file, "is not PEM, or damaged: no CERTIFICATE found");
    config.ca_file = NULL;
  }
}

GST_END_TEST;

GST_START_TEST (a_block_that_is_not_what_its_label_says_is_refused)
{
  static const gchar *const labels[] = { "PRIVATE KEY", "RSA PRIVATE KEY", "PUBLIC KEY",
    "CERTIFICATE" };
  const gchar *files[G_N_ELEMENTS (labels)];

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    gchar *text = g_strdup_printf (
        "-----BEGIN %s-----\nMAMCAQA=\n-----END %s-----\n", labels[i], labels[i]);

    files[i] = write_text (labels[i], text, strlen (text));
    g_free (text);
  }
  config.private_key_file = files[0];
  is_damaged (files[0], "has a damaged PRIVATE KEY");
  config.private_key_file = files[1];
  is_damaged (files[1], "has a damaged PRIVATE KEY");
  config.private_key_file = in_directory ("own.key");
  config.peer_public_key_file = files[2];
  is_damaged (files[2], "has a damaged PUBLIC KEY");
  config.peer_public_key_file = in_directory ("peer.pub");
  config.certificate_file = files[3];
  is_damaged (files[3], "has a damaged CERTIFICATE");
}

GST_END_TEST;

GST_START_TEST (each_file_is_refused_in_the_place_of_another)
{
  const gchar *key = config.private_key_file, *public_key = config.peer_public_key_file;
  const gchar *certificate = write_certificate ("own.crt", own_key);

  config.private_key_file = public_key;
  g_chmod (public_key, 0600);
  is_damaged (public_key, "has a PUBLIC KEY where a PRIVATE KEY belongs");
  config.private_key_file = certificate;
  is_damaged (certificate, "has a CERTIFICATE where a PRIVATE KEY belongs");
  config.private_key_file = key;
  config.peer_public_key_file = key;
  is_damaged (key, "has a PRIVATE KEY where a PUBLIC KEY belongs");
  config.peer_public_key_file = certificate;
  is_damaged (certificate, "has a CERTIFICATE where a PUBLIC KEY belongs");
  config.peer_public_key_file = public_key;
  config.certificate_file = key;
  is_damaged (key, "has a PRIVATE KEY where a CERTIFICATE belongs");
  config.certificate_file = NULL;
  config.ca_file = public_key;
  is_damaged (public_key, "has a PUBLIC KEY where a CERTIFICATE belongs");
}

GST_END_TEST;

/* ---- private keys -------------------------------------------------------- */

GST_START_TEST (a_private_key_is_its_owners_alone)
{
  static const guint open_modes[] = { 0640, 0620, 0610, 0604, 0602, 0601, 0440, 0777 };

  for (guint i = 0; i < G_N_ELEMENTS (open_modes); i++) {
    g_chmod (config.private_key_file, open_modes[i]);
    if (access (config.private_key_file, R_OK) != 0)
      continue;
    is_refused (&config, FALSE, G_IO_ERROR_PERMISSION_DENIED,
        "%s has mode %03o: group or others may open the private key; set mode 600",
        config.private_key_file, open_modes[i]);
  }
  g_chmod (config.private_key_file, 0400);
  is_accepted ();
  g_chmod (config.private_key_file, 0600);
  g_chmod (config.peer_public_key_file, 0644);
  is_accepted ();
}

GST_END_TEST;

GST_START_TEST (an_encrypted_key_needs_its_passphrase)
{
  config.private_key_file = write_private_key ("encrypted.key", own_key, "open sesame");
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "%s is encrypted, and private-key-passphrase is not set", config.private_key_file);
  config.private_key_passphrase = "open barley";
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "%s cannot be decrypted: private-key-passphrase is wrong, or the file is damaged",
      config.private_key_file);
  config.private_key_passphrase = "open sesame";
  is_accepted ();
}

GST_END_TEST;

GST_START_TEST (an_endless_passphrase_is_wrong)
{
  gchar *text = g_strnfill (100000, 'x');

  config.private_key_file = write_private_key ("encrypted.key", own_key, "open sesame");
  config.private_key_passphrase = text;
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "%s cannot be decrypted: private-key-passphrase is wrong, or the file is damaged",
      config.private_key_file);
  g_free (text);
}

GST_END_TEST;

/* PKCS #1, as the openssl of long ago writes keys: with the encryption in the PEM header */
static const gchar *
write_traditional (const gchar *passphrase)
{
  BIO *bio = BIO_new (BIO_s_mem ());

  fail_unless (PEM_write_bio_PrivateKey_traditional (bio, own_key,
      passphrase != NULL ? EVP_aes_128_cbc () : NULL, (const guchar *) passphrase,
      passphrase != NULL ? strlen (passphrase) : 0, NULL, NULL));
  return write_bio ("traditional.key", bio);
}

GST_START_TEST (a_traditional_key_does_as_well)
{
  config.private_key_file = write_traditional (NULL);
  is_accepted ();
  config.private_key_file = write_traditional ("open sesame");
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "%s is encrypted, and private-key-passphrase is not set", config.private_key_file);
  config.private_key_passphrase = "open sesame";
  is_accepted ();
}

GST_END_TEST;

/* Nobody is asked at the terminal for the passphrase of what needs none. teardown() checks. */
GST_START_TEST (an_encrypted_certificate_asks_nobody)
{
  static const gchar text[] = "-----BEGIN %s-----\n"
                              "Proc-Type: 4,ENCRYPTED\n"
                              "DEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F\n\n"
                              "AAECAwQFBgcICQoLDA0ODw==\n"
                              "-----END %s-----\n";
  gchar *certificate = g_strdup_printf (text, "CERTIFICATE", "CERTIFICATE");
  gchar *key = g_strdup_printf (text, "PUBLIC KEY", "PUBLIC KEY");

  config.certificate_file = write_text ("encrypted.crt", certificate, strlen (certificate));
  is_damaged (config.certificate_file, "has a damaged CERTIFICATE");
  config.ca_file = config.certificate_file;
  config.certificate_file = NULL;
  is_damaged (config.ca_file, "has a damaged CERTIFICATE");
  config.ca_file = NULL;
  config.peer_public_key_file = write_text ("encrypted.pub", key, strlen (key));
  is_damaged (config.peer_public_key_file, "has a damaged PUBLIC KEY");
  g_free (certificate);
  g_free (key);
}

GST_END_TEST;

static Suite *
credentialsfiles_suite (void)
{
  Suite *s = suite_create ("credentialsfiles");
  TCase *tc = tcase_create ("general");

  make_keys ();
  atexit (free_keys);
  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_file_has_to_be_a_regular_file);
  tcase_add_test (tc, a_file_has_at_most_64_kib);
  tcase_add_test (tc, a_file_that_is_empty_or_no_pem_is_refused);
  tcase_add_test (tc, a_block_that_is_not_what_its_label_says_is_refused);
  tcase_add_test (tc, each_file_is_refused_in_the_place_of_another);
  tcase_add_test (tc, a_private_key_is_its_owners_alone);
  tcase_add_test (tc, an_encrypted_key_needs_its_passphrase);
  tcase_add_test (tc, an_endless_passphrase_is_wrong);
  tcase_add_test (tc, a_traditional_key_does_as_well);
  tcase_add_test (tc, an_encrypted_certificate_asks_nobody);
  return s;
}

GST_CHECK_MAIN (credentialsfiles);
