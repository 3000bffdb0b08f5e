/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key messages of unusual form, whose MAC is right: what is read, and why the rest is refused (see
 * gst/security/mikeyparse.h and mikeykeys.h); and what is done without random numbers. */
#include <errno.h>
#include <sys/random.h>

#include "mikeytest.h"

#include "gst/security/mikeyexchange.h"
#include "gst/security/mikeykeys.h"

static GstTfrcCredentials credentials;
static End receiver;
static GstTfrcMikeySeed seed;
static GstTfrcMikeyTransportKeys transport;
static GstTfrcMikeyWriter writer;
static gboolean has_random = TRUE;

/* The linker redirects getrandom() here. */
gssize __real_getrandom (void *bytes, gsize size, guint flags);
gssize __wrap_getrandom (void *bytes, gsize size, guint flags);

gssize
__wrap_getrandom (void *bytes, gsize size, guint flags)
{
  if (has_random)
    return __real_getrandom (bytes, size, flags);
  errno = ENOSYS;
  return -1;
}

static void
setup (void)
{
  credentials = psk_credentials (0x5a);
  end_init (&receiver, &credentials);
  fail_unless (gst_tfrc_mikey_seed_make (&seed, WALL_NS));
  fail_unless (gst_tfrc_mikey_derive_transport_keys (
      credentials.psk, GST_TFRC_PSK_BYTES, &seed, &transport));
}

static void
teardown (void)
{
  end_clear (&receiver);
}

static void
begin (void)
{
  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_PSK, seed.csb_id, &offered);
}

static void
begin_with_time_and_rand (void)
{
  begin ();
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed.rand, (guint8) seed.rand_bytes);
}

/* Ends the message with a KEMAC of this key data.
 * @return the message */
static GBytes *
end_with (const guint8 *key_data, gsize size)
{
  guint8 encrypted[1024], mac[GST_TFRC_MIKEY_MAC_BYTES];

  fail_unless (gst_tfrc_mikey_crypt (&transport, &seed, key_data, size, encrypted));
  gst_tfrc_mikey_write_kemac (&writer, encrypted, (guint16) size);
  fail_unless (
      gst_tfrc_mikey_mac (transport.authentication, writer.bytes->data, writer.bytes->len, mac));
  g_byte_array_append (writer.bytes, mac, sizeof mac);
  return gst_tfrc_mikey_writer_finish (&writer);
}

static GBytes *
end (void)
{
  guint8 key_data[64], tgk[GST_TFRC_MIKEY_KEY_BYTES] = { 7 };
  gsize size = gst_tfrc_mikey_write_key_data (key_data, sizeof key_data, NULL, tgk, sizeof tgk);

  return end_with (key_data, size);
}

static void
is_refused (GBytes *message, GstTfrcMikeyError code)
{
  assert_refused (&receiver, data_of (message), g_bytes_get_size (message), code);
  g_bytes_unref (message);
}

static void
is_accepted (GBytes *message)
{
  g_bytes_unref (accept_by (&receiver, message));
  g_bytes_unref (message);
}

GST_START_TEST (payloads_that_are_missing_make_a_message_malformed)
{
  begin_with_time_and_rand ();
  is_refused (end (), GST_TFRC_MIKEY_MALFORMED); /* SP */
  begin ();
  gst_tfrc_mikey_write_rand (&writer, seed.rand, (guint8) seed.rand_bytes);
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (end (), GST_TFRC_MIKEY_MALFORMED); /* T */
  begin ();
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (end (), GST_TFRC_MIKEY_MALFORMED); /* RAND */
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (gst_tfrc_mikey_writer_finish (&writer), GST_TFRC_MIKEY_MALFORMED); /* KEMAC */
}

GST_END_TEST;

GST_START_TEST (payloads_that_come_twice_make_a_message_malformed)
{
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (end (), GST_TFRC_MIKEY_MALFORMED);
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  for (guint i = 0; i < 3; i++)
    gst_tfrc_mikey_write_id (&writer, "a:b");
  is_refused (end (), GST_TFRC_MIKEY_MALFORMED);
}

GST_END_TEST;

GST_START_TEST (payloads_that_do_not_belong_there_are_not_supported)
{
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  gst_tfrc_mikey_write_id (&writer, "a:b");
  is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  gst_tfrc_mikey_write_error (&writer, 1);
  is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
}

GST_END_TEST;

GST_START_TEST (general_extensions_are_skipped)
{
  static const guint8 vendor[] = { 0, 0, 0, 3, 'a', 'b', 'c' };

  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  for (guint i = 0; i < 2; i++) {
    writer.bytes->data[writer.next_at] = GST_TFRC_MIKEY_PAYLOAD_EXTENSION;
    writer.next_at = writer.bytes->len;
    g_byte_array_append (writer.bytes, vendor, sizeof vendor);
  }
  is_accepted (end ());
}

GST_END_TEST;

GST_START_TEST (nothing_follows_the_mac)
{
  static const guint8 encrypted[36], mac[GST_TFRC_MIKEY_MAC_BYTES];

  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  gst_tfrc_mikey_write_kemac (&writer, encrypted, sizeof encrypted);
  g_byte_array_append (writer.bytes, mac, sizeof mac);
  gst_tfrc_mikey_write_id (&writer, "a:b");
  is_refused (gst_tfrc_mikey_writer_finish (&writer), GST_TFRC_MIKEY_MALFORMED);
}

GST_END_TEST;

GST_START_TEST (a_short_rand_is_not_supported)
{
  begin ();
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed.rand, 15);
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
}

GST_END_TEST;

GST_START_TEST (the_longest_rand_is_read)
{
  seed.rand_bytes = 255;
  fail_unless (gst_tfrc_mikey_derive_transport_keys (
      credentials.psk, GST_TFRC_PSK_BYTES, &seed, &transport));
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_accepted (end ());
}

GST_END_TEST;

/* Fields of the header: version, data type, PRF, number of sessions, map, policy of a session */
GST_START_TEST (other_headers_are_refused)
{
  static const struct
  {
    gsize at;
    guint8 value;
    GstTfrcMikeyError code;
  } changes[] = { { 0, 2, GST_TFRC_MIKEY_MALFORMED }, { 1, 1, GST_TFRC_MIKEY_UNSUPPORTED },
    { 1, 4, GST_TFRC_MIKEY_UNSUPPORTED }, { 3, 0x81, GST_TFRC_MIKEY_UNSUPPORTED },
    { 8, 255, GST_TFRC_MIKEY_MALFORMED }, { 9, 1, GST_TFRC_MIKEY_UNSUPPORTED },
    { 10, 1, GST_TFRC_MIKEY_UNSUPPORTED }, { 19, 1, GST_TFRC_MIKEY_UNSUPPORTED } };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    begin_with_time_and_rand ();
    gst_tfrc_mikey_write_stream (&writer, &offered);
    writer.bytes->data[changes[i].at] = changes[i].value;
    is_refused (end (), changes[i].code);
  }
}

GST_END_TEST;

GST_START_TEST (a_message_with_another_number_of_sessions_is_not_supported)
{
  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_PSK, seed.csb_id, NULL);
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed.rand, (guint8) seed.rand_bytes);
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
}

GST_END_TEST;

static void
refuse_key_data (const guint8 *key_data, gsize size, GstTfrcMikeyError code)
{
  begin_with_time_and_rand ();
  gst_tfrc_mikey_write_stream (&writer, &offered);
  is_refused (end_with (key_data, size), code);
}

GST_START_TEST (other_key_data_are_refused)
{
  guint8 tgk_and_salt[4 + 32] = { 0, 0x10, 0, 32 }, tek[4 + 32] = { 0, 0x20, 0, 32 };
  guint8 validity[4 + 32] = { 0, 0x01, 0, 32 }, another_follows[4 + 32] = { 20, 0, 0, 32 };
  guint8 too_long[4 + 32] = { 0, 0, 0, 33 }, too_short[4 + 32] = { 0, 0, 0, 31 };
  guint8 weak[4 + 15] = { 0, 0, 0, 15 };
  guint8 no_room[4 + GST_TFRC_MIKEY_MAX_TGK_BYTES + 1] = { 0, 0, 1, 1 };
  guint8 many[600] = { 0, 0, 2, 84 };

  refuse_key_data (tgk_and_salt, sizeof tgk_and_salt, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (tek, sizeof tek, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (validity, sizeof validity, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (another_follows, sizeof another_follows, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (too_long, sizeof too_long, GST_TFRC_MIKEY_MALFORMED);
  refuse_key_data (too_short, sizeof too_short, GST_TFRC_MIKEY_MALFORMED);
  refuse_key_data (weak, sizeof weak, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (no_room, sizeof no_room, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (many, sizeof many, GST_TFRC_MIKEY_UNSUPPORTED);
  refuse_key_data (many, 0, GST_TFRC_MIKEY_MALFORMED);
}

GST_END_TEST;

/* Kinds of the time stamp and of the policy's protocol, the encryption of the keys, and the MAC, which is right */
GST_START_TEST (other_kinds_of_payloads_are_not_supported)
{
  guint8 key_data[64], encrypted[64], tgk[GST_TFRC_MIKEY_KEY_BYTES] = { 7 };
  guint8 mac[GST_TFRC_MIKEY_MAC_BYTES];
  gsize size = gst_tfrc_mikey_write_key_data (key_data, sizeof key_data, NULL, tgk, sizeof tgk);

  fail_unless (gst_tfrc_mikey_crypt (&transport, &seed, key_data, size, encrypted));
  for (guint i = 0; i < 5; i++) {
    guint time_at, policy_at, kemac_at;

    begin ();
    time_at = writer.bytes->len;
    gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
    gst_tfrc_mikey_write_rand (&writer, seed.rand, (guint8) seed.rand_bytes);
    policy_at = writer.bytes->len;
    gst_tfrc_mikey_write_stream (&writer, &offered);
    kemac_at = writer.bytes->len;
    gst_tfrc_mikey_write_kemac (&writer, encrypted, (guint16) size);
    if (i == 1)
      writer.bytes->data[time_at + 1] = 2; /* COUNTER */
    if (i == 2)
      writer.bytes->data[policy_at + 2] = 1;
    if (i == 3)
      writer.bytes->data[kemac_at + 1] = 0; /* not encrypted */
    if (i == 4)
      writer.bytes->data[writer.bytes->len - 1] = 0; /* no MAC */
    fail_unless (
        gst_tfrc_mikey_mac (transport.authentication, writer.bytes->data, writer.bytes->len, mac));
    g_byte_array_append (writer.bytes, mac, sizeof mac);
    if (i == 0)
      is_accepted (gst_tfrc_mikey_writer_finish (&writer));
    else
      is_refused (gst_tfrc_mikey_writer_finish (&writer), GST_TFRC_MIKEY_UNSUPPORTED);
  }
}

GST_END_TEST;

/* ---- policies ------------------------------------------------------------ */

#define REFUSED 100

/* @wanted: the cipher, or REFUSED + the error */
static void
assert_policy (const guint8 *parameters, gsize size, gint wanted)
{
  GstTfrcCipher cipher;
  GError *error = NULL;
  gboolean is_read = gst_tfrc_mikey_policy_read (parameters, size, &cipher, &error);

  if (is_read) {
    fail_unless_equals_int (cipher, wanted);
    return;
  }
  assert_error (&error, wanted - REFUSED);
}

GST_START_TEST (policies_are_read_and_written)
{
  for (guint cipher = GST_TFRC_CIPHER_AES_128_GCM; cipher <= GST_TFRC_CIPHER_AES_256_ICM;
       cipher++) {
    guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES];
    gsize size = gst_tfrc_mikey_policy_write (cipher, parameters);
    GstTfrcCipher again;

    fail_unless (gst_tfrc_mikey_policy_read (parameters, size, &again, NULL));
    fail_unless_equals_int (again, cipher);
    /* each parameter counts */
    for (gsize at = 2; at < size; at += 3) {
      GError *error = NULL;

      parameters[at] ^= 0x40;
      fail_if (gst_tfrc_mikey_policy_read (parameters, size, &again, &error));
      assert_error (&error, GST_TFRC_MIKEY_UNSUPPORTED);
      parameters[at] ^= 0x40;
    }
  }
}

GST_END_TEST;

GST_START_TEST (what_a_policy_leaves_out_has_the_default_of_srtp)
{
  static const guint8 gcm[] = { 0, 1, 6, 1, 1, 32 };
  static const guint8 rate_of_two_bytes[] = { 6, 2, 0, 0 }, rate[] = { 6, 1, 1 };
  static const guint8 prefix[] = { 12, 1, 4 }, unknown[] = { 13, 1, 0 }, no_value[] = { 0, 0 };
  static const guint8 cut[] = { 0, 2, 1 }, single[] = { 0 };
  static const guint8 unencrypted[] = { 7, 1, 0 };

  assert_policy (gcm, 0, GST_TFRC_CIPHER_AES_128_ICM);
  assert_policy (gcm, 3, GST_TFRC_CIPHER_AES_128_GCM);
  assert_policy (gcm, sizeof gcm, GST_TFRC_CIPHER_AES_256_GCM);
  assert_policy (rate_of_two_bytes, sizeof rate_of_two_bytes, GST_TFRC_CIPHER_AES_128_ICM);
  assert_policy (rate, sizeof rate, REFUSED + GST_TFRC_MIKEY_UNSUPPORTED);
  assert_policy (prefix, sizeof prefix, REFUSED + GST_TFRC_MIKEY_UNSUPPORTED);
  assert_policy (unknown, sizeof unknown, REFUSED + GST_TFRC_MIKEY_UNSUPPORTED);
  assert_policy (unencrypted, sizeof unencrypted, REFUSED + GST_TFRC_MIKEY_UNSUPPORTED);
  assert_policy (no_value, sizeof no_value, REFUSED + GST_TFRC_MIKEY_MALFORMED);
  assert_policy (cut, sizeof cut, REFUSED + GST_TFRC_MIKEY_MALFORMED);
  assert_policy (single, sizeof single, REFUSED + GST_TFRC_MIKEY_MALFORMED);
}

GST_END_TEST;

GST_START_TEST (without_random_numbers_there_is_no_offer)
{
  End sender;
  GError *error = NULL;

  end_init (&sender, &credentials);
  has_random = FALSE;
  fail_unless (gst_tfrc_mikey_offer (&credentials, &sender.stream, WALL_NS, &sender.provisional,
                   &sender.exchange, &error)
      == NULL);
  has_random = TRUE;
  assert_error (&error, GST_TFRC_MIKEY_FAILED);
  fail_unless (is_zero ((const guint8 *) &sender.provisional, sizeof sender.provisional));
  fail_unless (sender.exchange == NULL);
  end_clear (&sender);
}

GST_END_TEST;

static Suite *
mikeyforms_suite (void)
{
  Suite *s = suite_create ("mikeyforms");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, payloads_that_are_missing_make_a_message_malformed);
  tcase_add_test (tc, payloads_that_come_twice_make_a_message_malformed);
  tcase_add_test (tc, payloads_that_do_not_belong_there_are_not_supported);
  tcase_add_test (tc, general_extensions_are_skipped);
  tcase_add_test (tc, nothing_follows_the_mac);
  tcase_add_test (tc, a_short_rand_is_not_supported);
  tcase_add_test (tc, the_longest_rand_is_read);
  tcase_add_test (tc, other_headers_are_refused);
  tcase_add_test (tc, a_message_with_another_number_of_sessions_is_not_supported);
  tcase_add_test (tc, other_key_data_are_refused);
  tcase_add_test (tc, policies_are_read_and_written);
  tcase_add_test (tc, what_a_policy_leaves_out_has_the_default_of_srtp);
  tcase_add_test (tc, without_random_numbers_there_is_no_offer);
  tcase_add_test (tc, other_kinds_of_payloads_are_not_supported);
  return s;
}

GST_CHECK_MAIN (mikeyforms);
