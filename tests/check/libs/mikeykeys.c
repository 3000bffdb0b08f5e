/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derivation of keys in key messages (gst/security/mikeykeys.h), compared with an independent
 * computation (tests/vectors/mikey.py) and with the published vector of AES in counter mode. */
#include "mikeytest.h"

#include "gst/security/mikeykeys.h"
#include "vectors.h"

static void
vectors_seed (const Vectors *vectors, guint column, GstTfrcMikeySeed *seed)
{
  guint8 csb_id[4];

  memset (seed, 0, sizeof *seed);
  fail_unless_equals_int (vectors_bytes (vectors, column, csb_id, 4), 4);
  seed->csb_id = (guint32) csb_id[0] << 24 | (guint32) csb_id[1] << 16 | csb_id[2] << 8 | csb_id[3];
  seed->rand_bytes = vectors_bytes (vectors, column + 1, seed->rand, sizeof seed->rand);
}

static void
assert_cell (const Vectors *vectors, guint column, const guint8 *bytes, gsize size)
{
  guint8 wanted[64];

  fail_unless_equals_int (vectors_bytes (vectors, column, wanted, sizeof wanted), size);
  fail_unless (memcmp (wanted, bytes, size) == 0, "row %u", vectors->rows);
}

GST_START_TEST (the_prf_is_that_of_the_rfc)
{
  Vectors v;

  vectors_open (&v, "mikey_prf.csv", "inkey,label,outkey");
  while (vectors_next (&v)) {
    guint8 inkey[64], label[64], outkey[64];
    gsize inkey_size = vectors_bytes (&v, 0, inkey, sizeof inkey);
    gsize label_size = vectors_bytes (&v, 1, label, sizeof label);
    gsize outkey_size = strlen (v.cells[2]) / 2;

    fail_unless (gst_tfrc_mikey_prf (inkey, inkey_size, label, label_size, outkey, outkey_size));
    assert_cell (&v, 2, outkey, outkey_size);
  }
}

GST_END_TEST;

GST_START_TEST (message_keys_are_those_of_the_rfc)
{
  Vectors v;

  vectors_open (&v, "mikey_message_keys.csv", "inkey,csb_id,rand,encryption,authentication,salt");
  while (vectors_next (&v)) {
    GstTfrcMikeyTransportKeys keys;
    GstTfrcMikeySeed seed;
    guint8 inkey[64];
    gsize size = vectors_bytes (&v, 0, inkey, sizeof inkey);

    vectors_seed (&v, 1, &seed);
    fail_unless (gst_tfrc_mikey_derive_transport_keys (inkey, size, &seed, &keys));
    assert_cell (&v, 3, keys.encryption, sizeof keys.encryption);
    assert_cell (&v, 4, keys.authentication, sizeof keys.authentication);
    assert_cell (&v, 5, keys.salt, sizeof keys.salt);
  }
}

GST_END_TEST;

/* With the RAND of the answer, they are those of docs/wire-format.md. */
GST_START_TEST (master_keys_are_those_of_the_rfc)
{
  Vectors v;

  vectors_open (&v, "mikey_stream_keys.csv", "cipher,cs_id,tgk,csb_id,rand,answer_rand,key,salt");
  while (vectors_next (&v)) {
    GstTfrcCipher cipher = (GstTfrcCipher) vectors_number (&v, 0);
    const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);
    const GstTfrcMasterKey *master;
    GstTfrcStreamKeys keys;
    GstTfrcMikeySeed seed;
    GstTfrcMikeyTgk tgk;
    guint8 answer_rand[GST_TFRC_MIKEY_RAND_BYTES];
    gboolean has_answer = *v.cells[5] != '\0';

    tgk.size = vectors_bytes (&v, 2, tgk.bytes, sizeof tgk.bytes);
    vectors_seed (&v, 3, &seed);
    fail_unless_equals_int (vectors_bytes (&v, 5, answer_rand, 16), has_answer ? 16 : 0);
    fail_unless (gst_tfrc_mikey_derive_stream_keys (
        &tgk, &seed, has_answer ? answer_rand : NULL, cipher, &keys));
    fail_unless_equals_int (keys.cipher, cipher);
    master = vectors_number (&v, 1) == 1 ? &keys.sender : &keys.receiver;
    assert_cell (&v, 6, master->key, sizes->key_bytes);
    assert_cell (&v, 7, master->salt, sizes->salt_bytes);
  }
}

GST_END_TEST;

/* docs/wire-format.md, "The keys of a stream" */
GST_START_TEST (the_documents_have_an_example)
{
  static const struct
  {
    const gchar *key, *salt;
  } wanted[2][2] = {
    { { "f4a80cc15282db69ecdc06e90339e3a1", "b43cd7305c1bc0a86d39f6b9" },
        { "c6d981e917a8300164b6eeed566a4738", "461e3b69582abb61d936a6c2" } },
    { { "0daf6dbc24bbb1baa665cebe4e33da6e", "7dd5d729b0a459f12e78a050" },
        { "0854625d86f16fe4dc93f6f035789f90", "067790ee434cf1c78df30c68" } },
  };
  GstTfrcMikeySeed seed = { .csb_id = 0x01020304, .rand_bytes = 16 };
  GstTfrcMikeyTgk tgk = { .size = 32 };
  guint8 answer_rand[16];
  GstTfrcStreamKeys keys;

  for (guint i = 0; i < 32; i++)
    tgk.bytes[i] = (guint8) i;
  for (guint i = 0; i < 16; i++) {
    seed.rand[i] = (guint8) (0xa0 + i);
    answer_rand[i] = (guint8) (0xb0 + i);
  }
  for (guint agreed = 0; agreed < 2; agreed++) {
    fail_unless (gst_tfrc_mikey_derive_stream_keys (
        &tgk, &seed, agreed ? answer_rand : NULL, GST_TFRC_CIPHER_AES_128_GCM, &keys));
    for (guint session = 0; session < 2; session++) {
      const GstTfrcMasterKey *master = session == 0 ? &keys.sender : &keys.receiver;
      GString *hex = g_string_new (NULL);

      for (guint i = 0; i < 16; i++)
        g_string_append_printf (hex, "%02x", master->key[i]);
      fail_unless_equals_string (hex->str, wanted[agreed][session].key);
      g_string_truncate (hex, 0);
      for (guint i = 0; i < 12; i++)
        g_string_append_printf (hex, "%02x", master->salt[i]);
      fail_unless_equals_string (hex->str, wanted[agreed][session].salt);
      g_string_free (hex, TRUE);
    }
  }
}

GST_END_TEST;

GST_START_TEST (the_mac_is_hmac_sha1)
{
  Vectors v;

  vectors_open (&v, "mikey_mac.csv", "key,message,mac");
  while (vectors_next (&v)) {
    guint8 key[20], message[100], mac[GST_TFRC_MIKEY_MAC_BYTES];
    gsize size = vectors_bytes (&v, 1, message, sizeof message);

    fail_unless_equals_int (vectors_bytes (&v, 0, key, sizeof key), 20);
    fail_unless (gst_tfrc_mikey_mac (key, message, size, mac));
    assert_cell (&v, 2, mac, sizeof mac);
  }
}

GST_END_TEST;

/* RFC 3711 appendix B.2.  There the IV is the salt; here the csb_id and the time stamp cancel out. */
GST_START_TEST (key_data_are_encrypted_in_counter_mode)
{
  static const guint8 zeroes[48];
  static const guint8 key_stream[48] = { 0xe0, 0x3e, 0xad, 0x09, 0x35, 0xc9, 0x5e, 0x80, 0xe1, 0x66,
    0xb1, 0x6d, 0xd9, 0x2b, 0x4e, 0xb4, 0xd2, 0x35, 0x13, 0x16, 0x2b, 0x02, 0xd0, 0xf7, 0x2a, 0x43,
    0xa2, 0xfe, 0x4a, 0x5f, 0x97, 0xab, 0x41, 0xe9, 0x5b, 0x3b, 0xb0, 0xa2, 0xe8, 0xdd, 0x47, 0x79,
    0x01, 0xe4, 0xfc, 0xa8, 0x94, 0xc0 };
  GstTfrcMikeyTransportKeys keys = { { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7,
                                         0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c },
    { 0 }, { 0 } };
  GstTfrcMikeySeed seed = { .csb_id = 0x01020304, .timestamp = 0x1122334455667788 };
  static const guint8 mask[14] = { 0, 0, 1, 2, 3, 4, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
    0x88 };
  guint8 out[48];

  for (guint i = 0; i < sizeof keys.salt; i++)
    keys.salt[i] = (guint8) ((0xf0 + i) ^ mask[i]);
  fail_unless (gst_tfrc_mikey_crypt (&keys, &seed, zeroes, sizeof zeroes, out));
  fail_unless (memcmp (out, key_stream, sizeof out) == 0);
}

GST_END_TEST;

GST_START_TEST (timestamps_are_those_of_ntp)
{
  static const guint64 one_second = GST_SECOND;

  /* 1 January 1970 and 1 January 2000, as RFC 5905 has them in figure 4 */
  fail_unless_equals_uint64 (gst_tfrc_mikey_timestamp (0), G_GUINT64_CONSTANT (2208988800) << 32);
  fail_unless_equals_uint64 (
      gst_tfrc_mikey_timestamp (946684800 * one_second), G_GUINT64_CONSTANT (3155673600) << 32);
  fail_unless_equals_uint64 (gst_tfrc_mikey_timestamp (946684800 * one_second + one_second / 2),
      G_GUINT64_CONSTANT (3155673600) << 32 | 0x80000000U);
}

GST_END_TEST;

static Suite *
mikeykeys_suite (void)
{
  Suite *s = suite_create ("mikeykeys");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, the_prf_is_that_of_the_rfc);
  tcase_add_test (tc, message_keys_are_those_of_the_rfc);
  tcase_add_test (tc, master_keys_are_those_of_the_rfc);
  tcase_add_test (tc, the_documents_have_an_example);
  tcase_add_test (tc, the_mac_is_hmac_sha1);
  tcase_add_test (tc, key_data_are_encrypted_in_counter_mode);
  tcase_add_test (tc, timestamps_are_those_of_ntp);
  return s;
}

GST_CHECK_MAIN (mikeykeys);
