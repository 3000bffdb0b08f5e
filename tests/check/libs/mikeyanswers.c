/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to key messages: verification and refusal, see gst/security/mikey.h. */
#include "mikeytest.h"

#include "gst/security/mikeyexchange.h"
#include "gst/security/mikeykeys.h"
#include "gst/security/mikeywrite.h"

static GstTfrcCredentials credentials, other_credentials;
static End sender, receiver;

static void
setup (void)
{
  credentials = psk_credentials (0x5a);
  other_credentials = psk_credentials (0x5b);
  end_init (&sender, &credentials);
  end_init (&receiver, &credentials);
  memset (&receiver.stream, 0, sizeof receiver.stream);
}

static void
teardown (void)
{
  end_clear (&sender);
  end_clear (&receiver);
}

GST_START_TEST (no_flipped_bit_is_confirmed)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);
  gsize size = g_bytes_get_size (answer);
  guint8 *bytes = g_memdup2 (data_of (answer), size);

  for (gsize bit = 0; bit < 8 * size; bit++) {
    bytes[bit / 8] ^= (guint8) (1 << bit % 8);
    fail_if (gst_tfrc_mikey_confirm (sender.exchange, bytes, size, &sender.keys, NULL));
    bytes[bit / 8] ^= (guint8) (1 << bit % 8);
  }
  for (gsize cut = 0; cut < size; cut++) {
    guint8 *shorter = g_memdup2 (bytes, cut);
    GError *error = NULL;

    fail_if (gst_tfrc_mikey_confirm (sender.exchange, shorter, cut, &sender.keys, &error));
    assert_error (&error, GST_TFRC_MIKEY_MALFORMED);
    g_free (shorter);
  }
  fail_unless (gst_tfrc_mikey_confirm (sender.exchange, bytes, size, &sender.keys, NULL));
  g_free (bytes);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* The last byte is of the MAC. */
GST_START_TEST (a_wrong_proof_is_named)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer), *changed;
  gsize size = g_bytes_get_size (answer);
  guint8 *bytes = g_memdup2 (data_of (answer), size);

  bytes[size - 1] ^= 1;
  changed = g_bytes_new_take (bytes, size);
  assert_not_confirmed (&sender, changed, GST_TFRC_MIKEY_WRONG_PASSPHRASE);
  g_bytes_unref (changed);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* The MAC is right, and the answer says that it has none. */
GST_START_TEST (an_answer_with_another_kind_of_mac_is_not_supported)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);
  gsize size = g_bytes_get_size (answer), covered = size - GST_TFRC_MIKEY_MAC_BYTES;
  guint64 timestamp = GUINT64_TO_BE (sender.exchange->seed.timestamp);

  for (guint8 kind = 0; kind <= GST_TFRC_MIKEY_HMAC_SHA_1_160; kind++) {
    guint8 *bytes = g_memdup2 (data_of (answer), size), mac[GST_TFRC_MIKEY_MAC_BYTES];
    GBytes *changed;

    bytes[covered - 1] = kind;
    memcpy (bytes + covered, &timestamp, sizeof timestamp);
    fail_unless (gst_tfrc_mikey_mac (
        sender.exchange->authentication, bytes, covered + sizeof timestamp, mac));
    memcpy (bytes + covered, mac, sizeof mac);
    changed = g_bytes_new_take (bytes, size);
    if (kind == GST_TFRC_MIKEY_HMAC_SHA_1_160)
      fail_unless (confirm_by (&sender, changed, NULL));
    else
      assert_not_confirmed (&sender, changed, GST_TFRC_MIKEY_UNSUPPORTED);
    g_bytes_unref (changed);
  }
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (answers_of_two_exchanges_cannot_be_swapped)
{
  GBytes *one = offer_from (&sender), *answer = accept_by (&receiver, one);
  GBytes *other = offer_from (&sender);

  assert_not_confirmed (&sender, answer, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  g_bytes_unref (answer);
  answer = accept_by (&receiver, other);
  fail_unless (confirm_by (&sender, answer, NULL));
  g_bytes_unref (answer);
  g_bytes_unref (one);
  g_bytes_unref (other);
}

GST_END_TEST;

/* Even if the csb_id happens to be the same. */
GST_START_TEST (an_answer_with_another_time_stamp_is_of_another_exchange)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);

  sender.exchange->seed.timestamp ^= 1;
  assert_not_confirmed (&sender, answer, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (an_offer_confirms_nothing)
{
  GBytes *offer = offer_from (&sender);

  assert_not_confirmed (&sender, offer, GST_TFRC_MIKEY_OTHER_EXCHANGE);
  g_bytes_unref (offer);
}

GST_END_TEST;

GST_START_TEST (an_answer_offers_nothing)
{
  GBytes *offer = offer_from (&sender), *answer = accept_by (&receiver, offer);

  gst_tfrc_stream_keys_wipe (&receiver.keys);
  assert_refused (
      &receiver, data_of (answer), g_bytes_get_size (answer), GST_TFRC_MIKEY_UNSUPPORTED);
  g_bytes_unref (answer);
  g_bytes_unref (offer);
}

GST_END_TEST;

/* ---- refusals ------------------------------------------------------------ */

GST_START_TEST (a_refusal_tells_the_reason)
{
  static const GstTfrcMikeyError told[] = { GST_TFRC_MIKEY_UNSUPPORTED,
    GST_TFRC_MIKEY_WRONG_PASSPHRASE, GST_TFRC_MIKEY_UNKNOWN_KEY, GST_TFRC_MIKEY_BAD_CERTIFICATE,
    GST_TFRC_MIKEY_CLOCK, GST_TFRC_MIKEY_FAILED };

  for (guint i = 0; i < G_N_ELEMENTS (told); i++) {
    GBytes *refusal = gst_tfrc_mikey_refuse (0x89abcdef, told[i]);
    GstTfrcMikeyError reason = GST_TFRC_MIKEY_MALFORMED;
    GstTfrcMikeyKind kind;
    guint32 csb_id = 0;

    fail_unless (refusal != NULL);
    fail_unless (gst_tfrc_mikey_read_refusal (
        data_of (refusal), g_bytes_get_size (refusal), &csb_id, &reason));
    fail_unless_equals_int (reason, told[i]);
    fail_unless (csb_id == 0x89abcdef);
    csb_id = 0;
    fail_unless (
        gst_tfrc_mikey_peek (data_of (refusal), g_bytes_get_size (refusal), &kind, &csb_id));
    fail_unless_equals_int (kind, GST_TFRC_MIKEY_REFUSAL);
    fail_unless (csb_id == 0x89abcdef);
    for (gsize cut = 0; cut < g_bytes_get_size (refusal); cut++)
      fail_if (gst_tfrc_mikey_read_refusal (data_of (refusal), cut, &csb_id, &reason));
    g_bytes_unref (refusal);
  }
}

GST_END_TEST;

/* An answer to them would help who sends garbage or repeats messages, and nobody else. */
GST_START_TEST (some_reasons_are_not_told)
{
  static const GstTfrcMikeyError kept[] = { GST_TFRC_MIKEY_MALFORMED, GST_TFRC_MIKEY_REPLAYED,
    GST_TFRC_MIKEY_OTHER_EXCHANGE };

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    fail_unless (gst_tfrc_mikey_refuse (1, kept[i]) == NULL);
}

GST_END_TEST;

GST_START_TEST (other_messages_are_no_refusals)
{
  GBytes *offer = offer_from (&sender);
  GstTfrcMikeyError reason;
  guint32 csb_id;

  fail_if (
      gst_tfrc_mikey_read_refusal (data_of (offer), g_bytes_get_size (offer), &csb_id, &reason));
  g_bytes_unref (offer);
}

GST_END_TEST;

/* Returns whether a message of this type with this error is a refusal of a kind that is not supported. */
static gboolean
is_refusal (guint8 type, guint8 number)
{
  GstTfrcMikeyError reason = GST_TFRC_MIKEY_MALFORMED;
  GstTfrcMikeyWriter writer;
  GBytes *message;
  gboolean is_read;
  guint32 csb_id;

  gst_tfrc_mikey_writer_init (&writer, type, 1, NULL);
  gst_tfrc_mikey_write_timestamp (&writer, 0);
  gst_tfrc_mikey_write_error (&writer, number);
  message = gst_tfrc_mikey_writer_finish (&writer);
  is_read = gst_tfrc_mikey_read_refusal (
      data_of (message), g_bytes_get_size (message), &csb_id, &reason);
  g_bytes_unref (message);
  return is_read && reason == GST_TFRC_MIKEY_UNSUPPORTED;
}

/* RFC 3830 table 6.12 and RFC 4738 have 14 errors. */
GST_START_TEST (errors_that_are_in_no_rfc_are_no_refusals)
{
  fail_unless (is_refusal (GST_TFRC_MIKEY_TYPE_ERROR, 2));
  fail_unless (is_refusal (GST_TFRC_MIKEY_TYPE_ERROR, 13));
  fail_if (is_refusal (GST_TFRC_MIKEY_TYPE_ERROR, 14));
  fail_if (is_refusal (GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION, 13));
}

GST_END_TEST;

/* Its number would be that of a wrong passphrase. */
GST_START_TEST (a_refusal_without_an_error_is_none)
{
  GstTfrcMikeyWriter writer;
  GstTfrcMikeyError reason;
  GBytes *message;
  guint32 csb_id;

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_ERROR, 1, NULL);
  gst_tfrc_mikey_write_timestamp (&writer, 0);
  message = gst_tfrc_mikey_writer_finish (&writer);
  fail_if (gst_tfrc_mikey_read_refusal (
      data_of (message), g_bytes_get_size (message), &csb_id, &reason));
  g_bytes_unref (message);
}

GST_END_TEST;

static Suite *
mikeyanswers_suite (void)
{
  Suite *s = suite_create ("mikeyanswers");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, no_flipped_bit_is_confirmed);
  tcase_add_test (tc, a_wrong_proof_is_named);
  tcase_add_test (tc, an_answer_with_another_kind_of_mac_is_not_supported);
  tcase_add_test (tc, answers_of_two_exchanges_cannot_be_swapped);
  tcase_add_test (tc, an_answer_with_another_time_stamp_is_of_another_exchange);
  tcase_add_test (tc, an_offer_confirms_nothing);
  tcase_add_test (tc, an_answer_offers_nothing);
  tcase_add_test (tc, a_refusal_tells_the_reason);
  tcase_add_test (tc, some_reasons_are_not_told);
  tcase_add_test (tc, other_messages_are_no_refusals);
  tcase_add_test (tc, errors_that_are_in_no_rfc_are_no_refusals);
  tcase_add_test (tc, a_refusal_without_an_error_is_none);
  return s;
}

GST_CHECK_MAIN (mikeyanswers);
