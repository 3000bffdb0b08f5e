/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Secrets stay secret: they cannot be read, and neither log, messages nor statistics have them. */
#include "securitytest.h"

#include <string.h>

#include "gst/security/credentials-private.h"
#include "gst/security/mikeyexchange.h"
#include "gst/keys/keypacket.h"
#include "testwire.h"

static const gchar *const elements[] = { "tfrcsink", "tfrcsrc" };
static const gchar *const secrets[] = { "passphrase", "private-key-passphrase" };

GST_START_TEST (test_secrets_cannot_be_read)
{
  for (guint e = 0; e < G_N_ELEMENTS (elements); e++) {
    GstElement *element = gst_element_factory_make (elements[e], NULL);

    for (guint s = 0; s < G_N_ELEMENTS (secrets); s++) {
      GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), secrets[s]);

      fail_unless (spec != NULL);
      fail_if (spec->flags & G_PARAM_READABLE);
      fail_unless (spec->flags & G_PARAM_WRITABLE);
    }
    gst_object_unref (element);
  }
}

GST_END_TEST;

GST_START_TEST (test_uri_has_no_secrets)
{
  for (guint e = 0; e < G_N_ELEMENTS (elements); e++) {
    GstElement *element = gst_element_factory_make (elements[e], NULL);

    for (guint s = 0; s < G_N_ELEMENTS (secrets); s++) {
      gchar *uri = g_strdup_printf ("tfrc://127.0.0.1:5004?%s=0123456789", secrets[s]);
      GError *error = NULL;

      fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (element), uri, &error));
      fail_unless (error != NULL && strstr (error->message, secrets[s]) != NULL);
      fail_if (strstr (error->message, "0123456789") != NULL, "%s", error->message);
      g_error_free (error);
      g_free (uri);
    }
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* What is wrong with such a URI may come before the passphrase. */
GST_START_TEST (test_the_refusal_of_a_uri_shows_no_secret)
{
  static const gchar *const uris[] = { "tfrc://127.0.0.1:5004?%zz=1&passphrase=0123456789",
    "tfrc://127.0.0.1:5004?passphrase=0123456789#1", "tfrc://127.0.0.1:5004#passphrase=0123456789",
    "tfrc://[127.0.0.1:5004?passphrase=0123456789", "tfrcs://127.0.0.1:5004?passphrase=0123456789",
    "tfrc://127.0.0.1:5004?passphrase=0123456789\xff" };

  for (guint e = 0; e < G_N_ELEMENTS (elements); e++) {
    GstElement *element = gst_element_factory_make (elements[e], NULL);

    for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
      GError *error = NULL;

      fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (element), uris[i], &error));
      fail_if (strstr (error->message, "0123456789") != NULL, "%s", error->message);
      g_error_free (error);
    }
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* ---- the log of a whole run ------------------------------------------------ */

static GMutex lock; /* of the text */
static GString *text;

static void
add_line (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function,
    gint line, GObject *object, GstDebugMessage *message, gpointer user)
{
  /* To write a message may cause another one. */
  const gchar *said = gst_debug_message_get (message);

  g_mutex_lock (&lock);
  g_string_append (text, said);
  g_string_append_c (text, '\n');
  g_mutex_unlock (&lock);
}

/* The keys of the stream, which the test derives from the sender's offer and the receiver's answer as
 * both ends do: the provisional ones, and those that are agreed on */
typedef struct
{
  GstTfrcCredentials *credentials;
  GstTfrcKeyAssembly offer, answer;
  gboolean has_offer;
  GstTfrcStreamKeys keys[2];
  gint known; /* atomic */
} Spy;

static void
derive (Spy *spy, const guint8 *bytes, gsize size)
{
  const GstTfrcCipher cipher = GST_TFRC_CIPHER_AES_128_GCM;
  gsize offer_size;
  const guint8 *offer_bytes = gst_tfrc_key_assembly_get (&spy->offer, &offer_size);
  GstTfrcMikeyMessage offer, answer;
  GstTfrcMikeyTransportKeys transport;
  GstTfrcMikeySeed seed;
  GstTfrcMikeyTgk tgk;

  fail_unless (gst_tfrc_mikey_parse (offer_bytes, offer_size, &offer, NULL));
  fail_unless (gst_tfrc_mikey_parse (bytes, size, &answer, NULL));
  gst_tfrc_mikey_seed_take (&seed, &offer);
  fail_unless (gst_tfrc_mikey_derive_transport_keys (
      spy->credentials->psk, GST_TFRC_PSK_BYTES, &seed, &transport));
  fail_unless (gst_tfrc_mikey_open_keys (&offer, &transport, &seed, NULL, cipher, &tgk, NULL));
  for (guint agreed = 0; agreed < 2; agreed++)
    fail_unless (gst_tfrc_mikey_derive_stream_keys (
        &tgk, &seed, agreed ? answer.rand.data : NULL, cipher, &spy->keys[agreed]));
  g_atomic_int_set (&spy->known, 1);
}

static gboolean
read_messages (TestWire *wire, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  Spy *spy = user;
  GstTfrcKeyPacket packet;
  const guint8 *bytes;

  if (g_atomic_int_get (&spy->known) || spy->has_offer == to_receiver
      || !gst_tfrc_key_packet_is (data, size) || !gst_tfrc_key_packet_parse (data, size, &packet)
      || !gst_tfrc_key_assembly_add (to_receiver ? &spy->offer : &spy->answer, &packet))
    return TRUE;
  spy->has_offer = TRUE;
  if (!to_receiver) {
    bytes = gst_tfrc_key_assembly_get (&spy->answer, &size);
    derive (spy, bytes, size);
  }
  return TRUE;
}

static void
fail_if_found (const gchar *what, gconstpointer secret, gsize size)
{
  const guint8 *bytes = secret;
  GString *hex = g_string_new (NULL), *spaced = g_string_new (NULL);

  for (gsize i = 0; i < size; i++) {
    g_string_append_printf (hex, "%02x", bytes[i]);
    g_string_append_printf (spaced, "%s%02x", i ? " " : "", bytes[i]);
  }
  g_string_truncate (spaced, MIN (spaced->len, 8 * 3)); /* lines of a dump are short */
  fail_if (memmem (text->str, text->len, secret, size) != NULL, "the text has the %s", what);
  for (guint i = 0; i < 2; i++) {
    fail_if (strstr (text->str, hex->str) != NULL, "the text has the %s in hex", what);
    fail_if (strstr (text->str, spaced->str) != NULL, "the text has the %s in a dump", what);
    for (gchar *c = hex->str; *c; c++)
      *c = g_ascii_toupper (*c);
    for (gchar *c = spaced->str; *c; c++)
      *c = g_ascii_toupper (*c);
  }
  g_string_free (hex, TRUE);
  g_string_free (spaced, TRUE);
}

static void
add_text (gchar *more)
{
  g_mutex_lock (&lock);
  g_string_append (text, more);
  g_mutex_unlock (&lock);
  g_free (more);
}

static void
add_stats (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  add_text (gst_structure_to_string (stats));
  gst_structure_free (stats);
}

static void
add_messages (TestLog *log)
{
  g_mutex_lock (&log->lock);
  for (guint i = 0; i < log->messages->len; i++) {
    const GstStructure *s = gst_message_get_structure (g_ptr_array_index (log->messages, i));

    add_text (s ? gst_structure_to_string (s) : g_strdup (""));
  }
  g_mutex_unlock (&log->lock);
}

static void
play_with_secrets (Spy *spy)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender;
  TestWire *wire;
  GBytes *movie = test_movie (7 * 10, 1);

  test_set_state (receiver->pipeline, GST_STATE_READY);
  g_object_set (receiver->src, "passphrase", PASSPHRASE, NULL);
  test_set_state (receiver->pipeline, GST_STATE_PLAYING);
  g_object_get (receiver->src, "port", &receiver->port, NULL);
  wire = test_wire_new (receiver->port, 0);
  test_wire_set_tap (wire, read_messages, NULL, spy);
  sender = test_sender_new (wire->port, NULL);
  test_set_state (sender->pipeline, GST_STATE_READY);
  g_object_set (sender->sink, "passphrase", PASSPHRASE, NULL);
  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  test_wait_security (sender->log, 1, "established");
  g_signal_emit_by_name (sender->sink, "rekey");
  test_wait_security (sender->log, 1, "rekeyed");
  add_stats (sender->sink);
  add_stats (receiver->src);
  add_messages (sender->log);
  add_messages (receiver->log);
  test_wire_set_tap (wire, NULL, NULL, NULL);
  test_sender_free (sender);
  test_receiver_free (receiver);
  test_wire_free (wire);
  g_bytes_unref (movie);
}

GST_START_TEST (test_log_messages_and_statistics_have_no_secrets)
{
  const GstTfrcCredentialsConfig config = { .passphrase = PASSPHRASE };
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (GST_TFRC_CIPHER_AES_128_GCM);
  Spy spy = { 0 };

  spy.credentials = gst_tfrc_credentials_new (&config, FALSE, 0, NULL);
  text = g_string_new (NULL);
  gst_debug_add_log_function (add_line, NULL, NULL);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_set_threshold_from_string ("*:9", TRUE);
  play_with_secrets (&spy);
  gst_debug_set_threshold_from_string ("*:0", TRUE);
  gst_debug_remove_log_function (add_line);
  g_mutex_lock (&lock);
  fail_unless (strstr (text->str, "protection: established") != NULL);
  fail_unless (strstr (text->str, "tfrc-security") != NULL);
  fail_unless (g_atomic_int_get (&spy.known));
  fail_if_found ("passphrase", PASSPHRASE, strlen (PASSPHRASE));
  fail_if_found ("pre-shared key", spy.credentials->psk, GST_TFRC_PSK_BYTES);
  for (guint i = 0; i < G_N_ELEMENTS (spy.keys); i++) {
    fail_if_found ("master key", spy.keys[i].sender.key, sizes->key_bytes);
    fail_if_found ("master salt", spy.keys[i].sender.salt, sizes->salt_bytes);
    fail_if_found ("master key", spy.keys[i].receiver.key, sizes->key_bytes);
    fail_if_found ("master salt", spy.keys[i].receiver.salt, sizes->salt_bytes);
  }
  g_mutex_unlock (&lock);
  g_string_free (text, TRUE);
  gst_tfrc_credentials_unref (spy.credentials);
}

GST_END_TEST;

static Suite *
securitysecrets_suite (void)
{
  Suite *suite = suite_create ("securitysecrets");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_secrets_cannot_be_read);
  tcase_add_test (tcase, test_uri_has_no_secrets);
  tcase_add_test (tcase, test_the_refusal_of_a_uri_shows_no_secret);
  tcase_add_test (tcase, test_log_messages_and_statistics_have_no_secrets);
  return suite;
}

GST_CHECK_MAIN (securitysecrets);
