/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key messages with RSA, see gst/security/mikey.h. */
#include "mikeyrsatest.h"

#include "gst/security/mikeyexchange.h"

static GstTfrcCredentials sender_credentials, receiver_credentials;
static End sender, receiver;

static void
setup (void)
{
  sender_credentials = rsa_credentials (sender_key, NULL, receiver_key);
  receiver_credentials = rsa_credentials (receiver_key, NULL, sender_key);
  end_init (&sender, &sender_credentials);
  end_init (&receiver, &receiver_credentials);
  memset (&receiver.stream, 0, sizeof receiver.stream);
}

static void
teardown (void)
{
  end_clear (&sender);
  end_clear (&receiver);
}

static void
assert_exchange_works (void)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);
  GError *error = NULL;

  fail_unless (confirm_by (&sender, answer, &error));
  assert_same_keys (&sender, &receiver);
  fail_if (memcmp (sender.keys.sender.key, sender.keys.receiver.key, 16) == 0);
  fail_if (memcmp (sender.keys.sender.key, sender.provisional.sender.key, 16) == 0);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_START_TEST (both_ends_get_the_same_keys)
{
  assert_exchange_works ();
  sender.stream.cipher = GST_TFRC_CIPHER_AES_256_ICM;
  assert_exchange_works ();
  fail_unless_equals_int (receiver.keys.cipher, GST_TFRC_CIPHER_AES_256_ICM);
  fail_unless_equals_int (receiver.stream.roc, offered.roc);
}

GST_END_TEST;

GST_START_TEST (a_certificate_travels_with_the_offer)
{
  GBytes *without = offer_from (&sender), *with;

  sender_credentials.certificate = sender_certificate;
  with = offer_from (&sender);
  fail_unless (g_bytes_get_size (with) > g_bytes_get_size (without) + 500);
  g_bytes_unref (with);
  g_bytes_unref (without);
  assert_exchange_works ();
  receiver_credentials = rsa_credentials (receiver_key, NULL, NULL);
  assert_exchange_works ();
}

GST_END_TEST;

GST_START_TEST (a_certificate_of_another_ca_is_refused)
{
  GBytes *offer;

  sender_credentials = rsa_credentials (stranger_key, stranger_certificate, receiver_key);
  receiver_credentials = rsa_credentials (receiver_key, NULL, NULL);
  offer = offer_from (&sender);
  assert_refused (
      &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_BAD_CERTIFICATE);
  g_bytes_unref (offer);
  sender_credentials.certificate = NULL;
  offer = offer_from (&sender);
  assert_refused (
      &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_BAD_CERTIFICATE);
  g_bytes_unref (offer);
}

GST_END_TEST;

static void
certificate_is (const gchar *uses, gboolean is_taken)
{
  X509 *certificate = make_certificate_for (uses, "sender", sender_key);
  GBytes *offer;

  sender_credentials = rsa_credentials (sender_key, certificate, receiver_key);
  receiver_credentials = rsa_credentials (receiver_key, NULL, NULL);
  if (is_taken)
    assert_exchange_works ();
  else {
    offer = offer_from (&sender);
    assert_refused (
        &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_BAD_CERTIFICATE);
    g_bytes_unref (offer);
  }
  X509_free (certificate);
}

GST_START_TEST (a_sender_needs_a_certificate_for_signatures)
{
  certificate_is ("digitalSignature", TRUE);
  certificate_is ("keyEncipherment", FALSE);
}

GST_END_TEST;

GST_START_TEST (a_sender_of_another_name_is_refused)
{
  GBytes *offer;

  sender_credentials = rsa_credentials (sender_key, sender_certificate, receiver_key);
  receiver_credentials = rsa_credentials (receiver_key, NULL, NULL);
  receiver_credentials.peer_name = (gchar *) "sender"; /* its CN, which is no name */
  offer = offer_from (&sender);
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_WRONG_NAME);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (a_stranger_is_refused)
{
  GBytes *offer;

  sender_credentials.private_key = stranger_key;
  offer = offer_from (&sender);
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* The certificate is the right one, but the signature is of another key. */
GST_START_TEST (a_foreign_certificate_does_not_help_a_stranger)
{
  GBytes *offer;

  sender_credentials = rsa_credentials (stranger_key, sender_certificate, receiver_key);
  receiver_credentials = rsa_credentials (receiver_key, NULL, NULL);
  offer = offer_from (&sender);
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (an_offer_to_another_receiver_is_refused)
{
  GBytes *offer = offer_from (&sender);

  receiver_credentials.private_key = stranger_key;
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* A sender whose own key its peer is known by would accept its own offer. */
GST_START_TEST (a_reflected_offer_is_refused)
{
  GBytes *offer = offer_from (&sender);
  End itself;

  assert_not_confirmed (&sender, offer, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  end_init (&itself, &sender_credentials);
  assert_refused (&itself, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
  end_clear (&itself);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (no_changed_byte_is_accepted)
{
  GBytes *offer, *answer;
  guint8 *bytes;
  gsize size;

  sender_credentials.certificate = sender_certificate;
  offer = offer_from (&sender);
  size = g_bytes_get_size (offer);
  bytes = g_memdup2 (data_of (offer), size);
  for (gsize i = 0; i < size; i++) {
    GError *error = NULL;

    bytes[i] ^= (guint8) (1 << i % 8);
    fail_unless (accept_bytes (&receiver, bytes, size, &error) == NULL);
    fail_unless (error->domain == GST_TFRC_MIKEY_ERROR);
    g_clear_error (&error);
    bytes[i] ^= (guint8) (1 << i % 8);
  }
  answer = accept_by (&receiver, offer);
  for (gsize i = 0; i < g_bytes_get_size (answer); i++) {
    guint8 *changed = g_memdup2 (data_of (answer), g_bytes_get_size (answer));

    changed[i] ^= (guint8) (1 << i % 8);
    fail_if (gst_tfrc_mikey_confirm (
        sender.exchange, changed, g_bytes_get_size (answer), &sender.keys, NULL));
    g_free (changed);
  }
  g_bytes_unref (answer);
  g_bytes_unref (offer);
  g_free (bytes);
}

GST_END_TEST;

GST_START_TEST (a_shorter_message_is_malformed)
{
  GBytes *offer;

  sender_credentials.certificate = sender_certificate;
  offer = offer_from (&sender);
  for (gsize cut = 0; cut < g_bytes_get_size (offer); cut++) {
    guint8 *bytes = g_memdup2 (data_of (offer), cut);

    assert_refused (&receiver, bytes, cut, GST_TFRC_MIKEY_MALFORMED);
    g_free (bytes);
  }
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (a_longer_message_is_malformed)
{
  GBytes *offer = offer_from (&sender);
  gsize size = g_bytes_get_size (offer);
  guint8 *longer = g_malloc0 (size + 1);

  memcpy (longer, data_of (offer), size);
  assert_refused (&receiver, longer, size + 1, GST_TFRC_MIKEY_MALFORMED);
  g_free (longer);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* What an offer of make_offer() has beside the author's IDs */
static X509 *author_certificate;  /* in place of the ID in clear; NULL: none */
static const gchar *recipient_id; /* NULL: none */
static gint author_kind = -1;     /* of the certificate or the ID; -1: as it should be */
static gboolean has_wrong_mac;    /* of the encrypted keys */

/* Returns an offer that the sender signs, with these IDs in clear and in the encrypted part. */
static GBytes *
make_offer (const gchar *clear_id, const gchar *encrypted_id)
{
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeyWriter writer;
  GstTfrcMikeySeed seed;
  GstTfrcMikeyTgk tgk;
  guint author_at;

  fail_unless (gst_tfrc_mikey_seed_make (&seed, WALL_NS));
  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_RSA, seed.csb_id, &offered);
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed.rand, (guint8) seed.rand_bytes);
  author_at = writer.bytes->len;
  fail_unless (gst_tfrc_mikey_write_author (&writer, author_certificate, clear_id, NULL));
  if (author_kind >= 0)
    writer.bytes->data[author_at + 1] = (guint8) author_kind;
  if (recipient_id)
    gst_tfrc_mikey_write_id (&writer, recipient_id);
  gst_tfrc_mikey_write_stream (&writer, &offered);
  fail_unless (gst_tfrc_mikey_seal_envelope (
      &writer, &seed, encrypted_id, receiver_key, &transport, &tgk, NULL));
  if (has_wrong_mac) /* before the payload with the envelope */
    writer.bytes->data[writer.bytes->len - 3 - EVP_PKEY_get_size (receiver_key) - 1] ^= 1;
  return gst_tfrc_mikey_sign (&writer, sender_key, NULL, NULL);
}

GST_START_TEST (both_ids_of_the_author_are_checked)
{
  gchar *id = gst_tfrc_mikey_get_id (sender_key, NULL);
  gchar *other = gst_tfrc_mikey_get_id (stranger_key, NULL);
  GBytes *offer = make_offer (id, id);

  fail_unless (g_str_has_prefix (id, "ni:///sha-256;") && strlen (id) == 57);
  g_bytes_unref (accept_by (&receiver, offer));
  g_bytes_unref (offer);
  gst_tfrc_stream_keys_wipe (&receiver.keys);
  offer = make_offer (other, id);
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (offer);
  offer = make_offer (id, other);
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
  g_bytes_unref (offer);
  g_free (id);
  g_free (other);
}

GST_END_TEST;

/* The envelope is for this receiver, so that the ID alone tells. */
GST_START_TEST (an_offer_that_names_another_receiver_is_refused)
{
  gchar *id = gst_tfrc_mikey_get_id (sender_key, NULL);
  gchar *own = gst_tfrc_mikey_get_id (receiver_key, NULL);
  gchar *other = gst_tfrc_mikey_get_id (stranger_key, NULL);
  GBytes *offer;

  recipient_id = own;
  offer = make_offer (id, id);
  g_bytes_unref (accept_by (&receiver, offer));
  g_bytes_unref (offer);
  gst_tfrc_stream_keys_wipe (&receiver.keys);
  recipient_id = other;
  for (guint i = 0; i < 2; i++) { /* with a certificate, the receiver's ID is the first one */
    offer = make_offer (id, id);
    assert_refused (
        &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNKNOWN_KEY);
    g_bytes_unref (offer);
    author_certificate = sender_certificate;
  }
  author_certificate = NULL;
  recipient_id = NULL;
  g_free (id);
  g_free (own);
  g_free (other);
}

GST_END_TEST;

/* An ID that is no URI, and a certificate that is none of X.509 version 3 */
GST_START_TEST (other_kinds_of_ids_and_certificates_are_not_supported)
{
  gchar *id = gst_tfrc_mikey_get_id (sender_key, NULL);

  author_kind = 3;
  for (guint i = 0; i < 2; i++) {
    GBytes *offer = make_offer (id, id);

    assert_refused (
        &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNSUPPORTED);
    g_bytes_unref (offer);
    author_certificate = sender_certificate;
  }
  author_certificate = NULL;
  author_kind = -1;
  g_free (id);
}

GST_END_TEST;

/* Whoever signs could have copied them from an offer of another sender, without knowing them. */
GST_START_TEST (keys_that_were_encrypted_for_another_offer_are_refused)
{
  gchar *id = gst_tfrc_mikey_get_id (sender_key, NULL);
  GBytes *offer;

  has_wrong_mac = TRUE;
  offer = make_offer (id, id);
  assert_refused (
      &receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_OTHER_EXCHANGE);
  has_wrong_mac = FALSE;
  g_bytes_unref (offer);
  g_free (id);
}

GST_END_TEST;

GST_START_TEST (answers_of_two_exchanges_cannot_be_swapped)
{
  GBytes *one = offer_from (&sender), *answer = accept_by (&receiver, one);
  GBytes *other = offer_from (&sender);

  assert_not_confirmed (&sender, answer, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  g_bytes_unref (answer);
  g_bytes_unref (one);
  g_bytes_unref (other);
}

GST_END_TEST;

GST_START_TEST (ends_with_a_passphrase_and_with_rsa_do_not_fit)
{
  GstTfrcCredentials psk = psk_credentials (1);
  GBytes *offer = offer_from (&sender);
  GError *error = NULL;
  End with_psk;

  end_init (&with_psk, &psk);
  assert_refused (&with_psk, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNSUPPORTED);
  g_bytes_unref (offer);
  offer = offer_from (&with_psk);
  assert_refused (&receiver, data_of (offer), g_bytes_get_size (offer), GST_TFRC_MIKEY_UNSUPPORTED);
  g_bytes_unref (offer);
  end_clear (&with_psk);
  /* nor can a sender offer keys to whom it does not know */
  sender_credentials = rsa_credentials (sender_key, sender_certificate, NULL);
  fail_unless (gst_tfrc_mikey_offer (&sender_credentials, &sender.stream, WALL_NS, &sender.keys,
                   &sender.exchange, &error)
      == NULL);
  assert_error (&error, GST_TFRC_MIKEY_UNSUPPORTED);
}

GST_END_TEST;

static Suite *
mikeyrsa_suite (void)
{
  Suite *s = suite_create ("mikeyrsa");
  TCase *tc = tcase_create ("general");

  make_rsa_keys ();
  atexit (free_rsa_keys);
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 240);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, both_ends_get_the_same_keys);
  tcase_add_test (tc, a_certificate_travels_with_the_offer);
  tcase_add_test (tc, a_certificate_of_another_ca_is_refused);
  tcase_add_test (tc, a_sender_needs_a_certificate_for_signatures);
  tcase_add_test (tc, a_sender_of_another_name_is_refused);
  tcase_add_test (tc, a_stranger_is_refused);
  tcase_add_test (tc, a_foreign_certificate_does_not_help_a_stranger);
  tcase_add_test (tc, an_offer_to_another_receiver_is_refused);
  tcase_add_test (tc, a_reflected_offer_is_refused);
  tcase_add_test (tc, no_changed_byte_is_accepted);
  tcase_add_test (tc, a_shorter_message_is_malformed);
  tcase_add_test (tc, a_longer_message_is_malformed);
  tcase_add_test (tc, both_ids_of_the_author_are_checked);
  tcase_add_test (tc, an_offer_that_names_another_receiver_is_refused);
  tcase_add_test (tc, other_kinds_of_ids_and_certificates_are_not_supported);
  tcase_add_test (tc, keys_that_were_encrypted_for_another_offer_are_refused);
  tcase_add_test (tc, answers_of_two_exchanges_cannot_be_swapped);
  tcase_add_test (tc, ends_with_a_passphrase_and_with_rsa_do_not_fit);
  return s;
}

GST_CHECK_MAIN (mikeyrsa);
