/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AES-GCM with the packets of RFC 7714, see gst/security/aead.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/security/aead.h"

#define MAX_BYTES 100
#define TAG GST_TFRC_AEAD_TAG_BYTES

/* The salt of both sections of the RFC is "Quid pro quo", the key 00 01 02 ... */
#define SALT "517569642070726f2071756f"

/* RFC 7714 sections 16.1.1, 16.2.1, 17.1 and 17.2 */
static const struct
{
  gsize key_bytes, header_bytes;
  const gchar *unique, *plain, *trailer, *sealed;
} vectors[] = {
  { 16, 12, "00005501a0b200000000f17b",
      "8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074"
      "726573",
      "",
      "8040f17b8041f8d35501a0b2f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3a"
      "df8833899d7f27beb16a9152cf765ee4390cce" },
  { 32, 12, "00005501a0b200000000f17b",
      "8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074"
      "726573",
      "",
      "8040f17b8041f8d35501a0b232b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba637"
      "99b87b7aa3db36dfffd6b0f9bb7878d7a76c13" },
  { 16, 8, "00004d6172730000000005d4",
      "81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbe"
      "efdeadbeef",
      "800005d4",
      "81c8000d4d61727363e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303d"
      "ed0bb9275bc84aa45896cf4d2fc5abf87245d9eade" },
  { 32, 8, "00004d6172730000000005d4",
      "81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbe"
      "efdeadbeef",
      "800005d4",
      "81c8000d4d617273d50ae4d1f5ce5d304ba297e47d470c282c3ece5dbffe0a50a2eaa5c1110555be8415f658c61de0"
      "476f1b6fad1d1eb30c4446839f57ff6f6cb26ac3be" },
};

typedef struct
{
  guint8 data[MAX_BYTES];
  gsize size;
} Bytes;

static Bytes
from_hex (const gchar *hex)
{
  Bytes bytes = { .size = strlen (hex) / 2 };

  for (gsize i = 0; i < bytes.size; i++)
    bytes.data[i] = (guint8) (g_ascii_xdigit_value (hex[2 * i]) * 16
        + g_ascii_xdigit_value (hex[2 * i + 1]));
  return bytes;
}

static GstTfrcAead *
new_aead (gsize key_bytes, gboolean seals)
{
  Bytes salt = from_hex (SALT);
  guint8 key[32];
  GstTfrcAead *aead;

  for (guint8 i = 0; i < sizeof key; i++)
    key[i] = i;
  aead = gst_tfrc_aead_new (key, key_bytes, salt.data, seals);
  fail_unless (aead != NULL);
  return aead;
}

static gboolean
go (GstTfrcAead *aead, gboolean seals, guint vector, Bytes *packet)
{
  Bytes unique = from_hex (vectors[vector].unique), trailer = from_hex (vectors[vector].trailer);
  const GstTfrcAeadPacket parts = { .unique = unique.data,
    .header = packet->data,
    .header_bytes = vectors[vector].header_bytes,
    .trailer = trailer.data,
    .trailer_bytes = trailer.size,
    .text = packet->data + vectors[vector].header_bytes,
    .text_bytes = packet->size - vectors[vector].header_bytes - (seals ? 0 : TAG) };

  return seals ? gst_tfrc_aead_seal (aead, &parts) : gst_tfrc_aead_open (aead, &parts);
}

GST_START_TEST (the_packets_of_the_rfc_are_sealed_and_opened)
{
  Bytes packet = from_hex (vectors[__i__].plain), plain = packet;
  Bytes sealed = from_hex (vectors[__i__].sealed);
  GstTfrcAead *sealer = new_aead (vectors[__i__].key_bytes, TRUE);
  GstTfrcAead *opener = new_aead (vectors[__i__].key_bytes, FALSE);

  fail_unless (go (sealer, TRUE, __i__, &packet));
  packet.size += TAG;
  fail_unless_equals_int (packet.size, sealed.size);
  fail_unless (memcmp (packet.data, sealed.data, sealed.size) == 0);
  fail_unless (go (opener, FALSE, __i__, &packet));
  fail_unless (memcmp (packet.data, plain.data, plain.size) == 0);
  gst_tfrc_aead_free (sealer);
  gst_tfrc_aead_free (opener);
}
GST_END_TEST;

GST_START_TEST (a_packet_with_any_bit_changed_is_not_opened_and_the_next_one_is)
{
  Bytes sealed = from_hex (vectors[__i__].sealed), packet;
  GstTfrcAead *opener = new_aead (vectors[__i__].key_bytes, FALSE);

  for (gsize bit = 0; bit < 8 * sealed.size; bit++) {
    packet = sealed;
    packet.data[bit / 8] ^= (guint8) (1 << bit % 8);
    fail_if (go (opener, FALSE, __i__, &packet), "bit %" G_GSIZE_FORMAT, bit);
    packet = sealed;
    fail_unless (go (opener, FALSE, __i__, &packet));
  }
  gst_tfrc_aead_free (opener);
}
GST_END_TEST;

static Suite *
aead_suite (void)
{
  Suite *suite = suite_create ("aead");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, the_packets_of_the_rfc_are_sealed_and_opened, 0, G_N_ELEMENTS (vectors));
  tcase_add_loop_test (tcase, a_packet_with_any_bit_changed_is_not_opened_and_the_next_one_is, 0,
      G_N_ELEMENTS (vectors));
  return suite;
}

GST_CHECK_MAIN (aead);
