/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passphrases, and which options go together, see gst/security/credentials.h.  The test looks at
 * memory that is freed: the linker's --wrap puts __wrap_g_free() in place of g_free(). */
#include <gmodule.h>
#include <malloc.h>

#include "credentialstest.h"

static GstTfrcCredentialsConfig config;

/* ---- freed memory -------------------------------------------------------- */

static const gchar *secret; /* what freed memory must not have in it; NULL: anything may be in it */
static gsize secret_bytes;
static guint blocks_freed, blocks_with_secret;

G_MODULE_EXPORT void __wrap_g_free (gpointer block);
void __real_g_free (gpointer block);

void
__wrap_g_free (gpointer block)
{
  if (block != NULL && secret != NULL) {
    gsize size = malloc_usable_size (block);

    blocks_freed++;
    if (size >= secret_bytes && memmem (block, size, secret, secret_bytes) != NULL)
      blocks_with_secret++;
  }
  __real_g_free (block);
}

static void
setup (void)
{
  memset (&config, 0, sizeof config);
  make_directory ();
}

static void
teardown (void)
{
  secret = NULL;
  remove_directory ();
}

/* ---- passphrases --------------------------------------------------------- */

static void
psk_is (const gchar *passphrase, const gchar *hex)
{
  GstTfrcCredentials *credentials;

  config.passphrase = passphrase;
  credentials = load_at (&config, TRUE, NOW_NS);
  for (guint i = 0; i < GST_TFRC_PSK_BYTES; i++) {
    gchar byte[3];

    g_snprintf (byte, sizeof byte, "%02x", credentials->psk[i]);
    fail_unless (memcmp (byte, hex + 2 * i, 2) == 0);
  }
  fail_unless_equals_int (
      gst_tfrc_credentials_get_key_exchange (credentials), GST_TFRC_KEY_EXCHANGE_PSK);
  gst_tfrc_credentials_unref (credentials);
}

/* The numbers are those of Python's hashlib.scrypt (PASSPHRASE, salt=b"gst-tfrc passphrase 1",
 * n=16384, r=8, p=1, dklen=32). */
GST_START_TEST (a_passphrase_becomes_a_key_by_scrypt)
{
  psk_is ("correct horse", "9aee57878c0021a3e19ed0a9e9e236afe2ef759f991678597003dddb36874fec");
}

GST_END_TEST;

GST_START_TEST (a_passphrase_may_have_bytes_of_any_encoding)
{
  psk_is ("\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb",
      "35ed0d71f2fd80f4cc4d5e1561b0c116a6f7dff31d25404fcf785815778511df");
}

GST_END_TEST;

GST_START_TEST (both_ends_have_the_same_key)
{
  GstTfrcCredentials *sender, *receiver;

  config.passphrase = "correct horse";
  sender = load_at (&config, TRUE, NOW_NS);
  receiver = load_at (&config, FALSE, 2 * NOW_NS);
  fail_unless (sender->psk == receiver->psk); /* which is in the memory once */
  gst_tfrc_credentials_unref (sender);
  gst_tfrc_credentials_unref (receiver);
}

GST_END_TEST;

GST_START_TEST (a_passphrase_has_10_to_79_bytes)
{
  gchar text[81];

  memset (text, 'x', sizeof text);
  config.passphrase = text;
  text[80] = '\0';
  is_refused (
      &config, TRUE, G_IO_ERROR_INVALID_ARGUMENT, "passphrase has 80 bytes: it needs 10 to 79");
  text[79] = '\0';
  gst_tfrc_credentials_unref (load_at (&config, TRUE, NOW_NS));
  text[10] = '\0';
  gst_tfrc_credentials_unref (load_at (&config, TRUE, NOW_NS));
  text[9] = '\0';
  is_refused (
      &config, FALSE, G_IO_ERROR_INVALID_ARGUMENT, "passphrase has 9 bytes: it needs 10 to 79");
  text[0] = '\0';
  is_refused (
      &config, FALSE, G_IO_ERROR_INVALID_ARGUMENT, "passphrase has 0 bytes: it needs 10 to 79");
}

GST_END_TEST;

/* ---- secrets in memory --------------------------------------------------- */

GST_START_TEST (the_last_unref_wipes_the_key)
{
  GstTfrcCredentials *credentials;
  guint8 psk[GST_TFRC_PSK_BYTES];

  config.passphrase = "correct horse";
  credentials = load_at (&config, TRUE, NOW_NS);
  memcpy (psk, credentials->psk, sizeof psk);
  secret = (const gchar *) psk;
  secret_bytes = sizeof psk;

  fail_unless (gst_tfrc_credentials_ref (credentials) == credentials);
  gst_tfrc_credentials_unref (credentials);
  fail_unless_equals_int (blocks_freed, 0);
  fail_unless (memcmp (credentials->psk, psk, sizeof psk) == 0);
  gst_tfrc_credentials_unref (credentials);
  fail_unless_equals_int (blocks_freed, 2); /* and the shared key */
  fail_unless_equals_int (blocks_with_secret, 0);
}

GST_END_TEST;

/* The text of a private key file, whether it is loaded or refused */
GST_START_TEST (the_text_of_a_private_key_is_wiped)
{
  const gchar *file = write_private_key ("own.key", own_key, NULL);
  gchar *text;
  gsize size;

  fail_unless (g_file_get_contents (file, &text, &size, NULL));
  config.private_key_file = file;
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  secret = text + 500; /* 64 characters in the middle */
  secret_bytes = 64;
  gst_tfrc_credentials_unref (load_at (&config, TRUE, NOW_NS));
  fail_unless_equals_int (blocks_with_secret, 0);

  memset (text, '-', 100);
  secret = NULL;
  write_text ("own.key", text, size);
  secret = text + 500;
  blocks_freed = 0;
  fail_unless (gst_tfrc_credentials_new (&config, TRUE, NOW_NS, NULL) == NULL);
  fail_unless (blocks_freed > 0);
  fail_unless_equals_int (blocks_with_secret, 0);
  secret = NULL;
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (no_credentials_may_be_unreferenced)
{
  gst_tfrc_credentials_unref (NULL);
}

GST_END_TEST;

/* ---- options that go together -------------------------------------------- */

GST_START_TEST (a_passphrase_goes_with_no_rsa_option)
{
  static const struct
  {
    const gchar *name;
    gsize offset;
  } options[] = {
    { "private-key-file", G_STRUCT_OFFSET (GstTfrcCredentialsConfig, private_key_file) },
    { "private-key-passphrase",
        G_STRUCT_OFFSET (GstTfrcCredentialsConfig, private_key_passphrase) },
    { "certificate-file", G_STRUCT_OFFSET (GstTfrcCredentialsConfig, certificate_file) },
    { "peer-public-key-file", G_STRUCT_OFFSET (GstTfrcCredentialsConfig, peer_public_key_file) },
    { "peer-certificate-file", G_STRUCT_OFFSET (GstTfrcCredentialsConfig, peer_certificate_file) },
    { "ca-file", G_STRUCT_OFFSET (GstTfrcCredentialsConfig, ca_file) },
    { "peer-name", G_STRUCT_OFFSET (GstTfrcCredentialsConfig, peer_name) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    memset (&config, 0, sizeof config);
    G_STRUCT_MEMBER (const gchar *, &config, options[i].offset) = "some value";
    if (i > 0)
      is_refused (&config, TRUE, G_IO_ERROR_INVALID_ARGUMENT,
          "%s is set, but private-key-file is not", options[i].name);
    config.passphrase = "correct horse";
    is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
        "passphrase and %s are both set: a stream has either of them", options[i].name);
  }
}

GST_END_TEST;

GST_START_TEST (something_has_to_be_set)
{
  is_refused (
      &config, TRUE, G_IO_ERROR_INVALID_ARGUMENT, "neither passphrase nor private-key-file is set");
}

GST_END_TEST;

GST_START_TEST (a_private_key_needs_a_known_peer)
{
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.certificate_file = write_certificate ("own.crt", own_key);
  for (gint is_sender = 0; is_sender <= 1; is_sender++)
    is_refused (&config, is_sender, G_IO_ERROR_INVALID_ARGUMENT,
        "private-key-file is set, but nothing that the peer is known by: set "
        "peer-public-key-file, peer-certificate-file or ca-file");
}

GST_END_TEST;

static void
exchange_is (gboolean is_sender, GstTfrcKeyExchange expected)
{
  GstTfrcCredentials *credentials = load_at (&config, is_sender, NOW_NS);

  fail_unless_equals_int (gst_tfrc_credentials_get_key_exchange (credentials), expected);
  gst_tfrc_credentials_unref (credentials);
}

GST_START_TEST (a_sender_that_knows_the_key_offers_keys)
{
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  exchange_is (TRUE, GST_TFRC_KEY_EXCHANGE_RSA);
  config.peer_public_key_file = NULL;
  config.peer_certificate_file = write_certificate ("peer.crt", other_key);
  exchange_is (TRUE, GST_TFRC_KEY_EXCHANGE_RSA);
  config.ca_file = config.peer_certificate_file;
  config.certificate_file = write_certificate ("own.crt", own_key);
  exchange_is (TRUE, GST_TFRC_KEY_EXCHANGE_RSA);
}

GST_END_TEST;

GST_START_TEST (a_sender_that_knows_a_ca_alone_waits_until_asked)
{
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.ca_file = write_certificate ("ca.crt", other_key);
  is_refused (&config, TRUE, G_IO_ERROR_INVALID_ARGUMENT,
      "certificate-file is not set: a sender that knows the receiver by ca-file alone needs a "
      "certificate of its own");
  config.certificate_file = write_certificate ("own.crt", own_key);
  exchange_is (TRUE, GST_TFRC_KEY_EXCHANGE_RSA_R);
}

GST_END_TEST;

GST_START_TEST (a_receiver_with_a_certificate_asks)
{
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.ca_file = write_certificate ("ca.crt", other_key);
  exchange_is (FALSE, GST_TFRC_KEY_EXCHANGE_RSA);
  config.certificate_file = write_certificate ("own.crt", own_key);
  exchange_is (FALSE, GST_TFRC_KEY_EXCHANGE_RSA_R);
  config.ca_file = NULL;
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  exchange_is (FALSE, GST_TFRC_KEY_EXCHANGE_RSA_R);
}

GST_END_TEST;

GST_START_TEST (the_peers_key_and_certificate_have_to_agree)
{
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  config.peer_certificate_file = write_certificate ("peer.crt", own_key);
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "peer-public-key-file and peer-certificate-file have different keys");
  config.peer_certificate_file = write_certificate ("peer.crt", other_key);
  exchange_is (TRUE, GST_TFRC_KEY_EXCHANGE_RSA);
}

GST_END_TEST;

GST_START_TEST (a_certificate_has_to_belong_to_the_private_key)
{
  config.private_key_file = write_private_key ("own.key", own_key, NULL);
  config.certificate_file = write_certificate ("own.crt", other_key);
  config.peer_public_key_file = write_public_key ("peer.pub", other_key);
  is_refused (&config, FALSE, G_IO_ERROR_INVALID_ARGUMENT,
      "the certificate of certificate-file does not belong to the key of private-key-file");
}

GST_END_TEST;

/* ---- messages for the user ----------------------------------------------- */

GST_START_TEST (every_refusal_has_a_sentence_of_its_own)
{
  GHashTable *sentences = g_hash_table_new (g_str_hash, g_str_equal);

  /* The one behind the last is unknown. */
  for (gint reason = GST_TFRC_MIKEY_MALFORMED; reason <= GST_TFRC_MIKEY_FAILED + 1; reason++) {
    const gchar *sentence = gst_tfrc_mikey_error_describe (reason);

    fail_unless (g_str_has_suffix (sentence, "."));
    fail_unless (g_hash_table_add (sentences, (gpointer) sentence));
  }
  g_hash_table_unref (sentences);
}

GST_END_TEST;

static Suite *
credentials_suite (void)
{
  Suite *s = suite_create ("credentials");
  TCase *tc = tcase_create ("general");

  make_keys ();
  atexit (free_keys);
  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_passphrase_becomes_a_key_by_scrypt);
  tcase_add_test (tc, a_passphrase_may_have_bytes_of_any_encoding);
  tcase_add_test (tc, both_ends_have_the_same_key);
  tcase_add_test (tc, a_passphrase_has_10_to_79_bytes);
  tcase_add_test (tc, the_last_unref_wipes_the_key);
  tcase_add_test (tc, the_text_of_a_private_key_is_wiped);
  tcase_add_test (tc, no_credentials_may_be_unreferenced);
  tcase_add_test (tc, a_passphrase_goes_with_no_rsa_option);
  tcase_add_test (tc, something_has_to_be_set);
  tcase_add_test (tc, a_private_key_needs_a_known_peer);
  tcase_add_test (tc, a_sender_that_knows_the_key_offers_keys);
  tcase_add_test (tc, a_sender_that_knows_a_ca_alone_waits_until_asked);
  tcase_add_test (tc, a_receiver_with_a_certificate_asks);
  tcase_add_test (tc, the_peers_key_and_certificate_have_to_agree);
  tcase_add_test (tc, a_certificate_has_to_belong_to_the_private_key);
  tcase_add_test (tc, every_refusal_has_a_sentence_of_its_own);
  return s;
}

GST_CHECK_MAIN (credentials);
