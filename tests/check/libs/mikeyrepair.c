/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The crypto session of the repairs in key messages, and peers that do not know of it, see
 * gst/security/mikeystream.h. */
#include "mikeytest.h"

#include "gst/security/mikeyexchange.h"
#include "gst/security/mikeykeys.h"

#define POLICY_BYTES 24 /* of AES-GCM */
#define EXTENSION_BYTES 17
#define SESSIONS_AT 8

static GstTfrcCredentials credentials;
static End sender, receiver;
static GstTfrcMikeySeed seed;
static GstTfrcMikeyTransportKeys transport;
static GstTfrcMikeyWriter writer;

static void
setup (void)
{
  credentials = psk_credentials (0x5a);
  end_init (&sender, &credentials);
  end_init (&receiver, &credentials);
  memset (&receiver.stream, 0, sizeof receiver.stream);
  fail_unless (gst_tfrc_mikey_seed_make (&seed, WALL_NS));
  fail_unless (gst_tfrc_mikey_derive_transport_keys (
      credentials.psk, GST_TFRC_PSK_BYTES, &seed, &transport));
}

static void
teardown (void)
{
  end_clear (&sender);
  end_clear (&receiver);
}

/* Begins an offer as senders without repairs write it, up to the policy. */
static void
begin_with (const GstTfrcMikeyStream *stream)
{
  guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES];
  gsize size = gst_tfrc_mikey_policy_write (stream->cipher, parameters);

  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_PSK, seed.csb_id, stream);
  gst_tfrc_mikey_write_timestamp (&writer, seed.timestamp);
  gst_tfrc_mikey_write_rand (&writer, seed.rand, (guint8) seed.rand_bytes);
  gst_tfrc_mikey_write_policy (&writer, 0, parameters, (guint16) size);
}

static GBytes *
end (void)
{
  GstTfrcMikeyTgk tgk;

  fail_unless (gst_tfrc_mikey_seal_keys (&writer, &transport, &seed, NULL, &tgk, NULL));
  return gst_tfrc_mikey_writer_finish (&writer);
}

static void
is_refused (GBytes *message, GstTfrcMikeyError code)
{
  assert_refused (&receiver, data_of (message), g_bytes_get_size (message), code);
  g_bytes_unref (message);
}

static void
is_accepted_with (GBytes *message, guint32 repair_roc)
{
  g_bytes_unref (accept_by (&receiver, message));
  fail_unless_equals_int (receiver.stream.ssrc, offered.ssrc);
  fail_unless_equals_int (receiver.stream.roc, offered.roc);
  fail_unless_equals_int (receiver.stream.repair_roc, repair_roc);
  g_bytes_unref (message);
}

static void
write_extension (const guint8 *body, gsize size)
{
  const guint8 none = GST_TFRC_MIKEY_PAYLOAD_LAST;

  writer.bytes->data[writer.next_at] = GST_TFRC_MIKEY_PAYLOAD_EXTENSION;
  writer.next_at = writer.bytes->len;
  g_byte_array_append (writer.bytes, &none, 1);
  g_byte_array_append (writer.bytes, body, (guint) size);
}

GST_START_TEST (an_offer_tells_the_counter_of_the_repairs)
{
  GBytes *offer = offer_from (&sender);

  fail_unless (offered.repair_roc != 0 && offered.repair_roc != offered.roc);
  g_bytes_ref (offer);
  is_accepted_with (offer, offered.repair_roc);
  g_bytes_unref (offer);
}
GST_END_TEST;

/* An older receiver takes two sessions in the header, and skips extensions. */
GST_START_TEST (to_an_older_receiver_an_offer_is_what_it_was_and_an_extension)
{
  static const guint8 extension[] = { 0, 0, 13, 'T', 'F', 'R', 'C', 0, 0x11, 0x22, 0x33, 0x45, 0, 4,
    5, 6 };
  GBytes *with = offer_from (&sender), *without;
  const guint8 *bytes = data_of (with);
  gsize size = g_bytes_get_size (with), at;

  begin_with (&offered);
  at = writer.bytes->len;
  without = end ();
  fail_unless_equals_int (bytes[SESSIONS_AT], 2);
  fail_unless_equals_int (size, g_bytes_get_size (without) + EXTENSION_BYTES);
  fail_unless_equals_int (bytes[at - POLICY_BYTES - 5], GST_TFRC_MIKEY_PAYLOAD_EXTENSION);
  fail_unless_equals_int (bytes[at], GST_TFRC_MIKEY_PAYLOAD_KEMAC);
  fail_unless (memcmp (bytes + at + 1, extension, sizeof extension) == 0);
  g_bytes_unref (with);
  g_bytes_unref (without);
}
GST_END_TEST;

GST_START_TEST (the_offer_of_an_older_sender_is_accepted)
{
  begin_with (&offered);
  is_accepted_with (end (), 0);
}
GST_END_TEST;

/* Media with an odd SSRC, as older senders have, have no repairs. */
GST_START_TEST (an_odd_ssrc_has_no_session_of_repairs)
{
  GBytes *even = offer_from (&sender), *odd;

  sender.stream.ssrc |= 1;
  odd = offer_from (&sender);
  fail_unless_equals_int (g_bytes_get_size (odd) + EXTENSION_BYTES, g_bytes_get_size (even));
  g_bytes_unref (accept_by (&receiver, odd));
  fail_unless_equals_int (receiver.stream.ssrc, sender.stream.ssrc);
  fail_unless_equals_int (receiver.stream.repair_roc, 0);
  g_bytes_unref (even);
  g_bytes_unref (odd);
}
GST_END_TEST;

GST_START_TEST (a_session_of_repairs_is_of_the_stream_and_its_policy)
{
  GstTfrcMikeyStream odd = offered;

  odd.ssrc |= 1;
  for (guint32 ssrc = offered.ssrc - 1; ssrc <= offered.ssrc + 3; ssrc++) {
    begin_with (&offered);
    gst_tfrc_mikey_write_repair (&writer, ssrc, 7);
    if (ssrc == offered.ssrc + 1)
      is_accepted_with (end (), 7);
    else
      is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
    begin_with (&odd);
    gst_tfrc_mikey_write_repair (&writer, ssrc, 7);
    is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
  }
  begin_with (&offered);
  gst_tfrc_mikey_write_repair (&writer, offered.ssrc + 1, 7);
  writer.bytes->data[writer.bytes->len - 9] = 1; /* policy */
  is_refused (end (), GST_TFRC_MIKEY_UNSUPPORTED);
}
GST_END_TEST;

GST_START_TEST (two_sessions_of_repairs_are_malformed)
{
  begin_with (&offered);
  gst_tfrc_mikey_write_repair (&writer, offered.ssrc + 1, 7);
  gst_tfrc_mikey_write_repair (&writer, offered.ssrc + 1, 7);
  is_refused (end (), GST_TFRC_MIKEY_MALFORMED);
}
GST_END_TEST;

/* Of another vendor, of another kind, shorter, and longer, as a later version may write it */
GST_START_TEST (other_extensions_say_nothing_of_repairs)
{
  static const guint8 others[][17] = { { 0, 0, 13, 'T', 'F', 'R', 'X', 0, 0x11, 0x22, 0x33, 0x45, 0,
                                           4, 5, 6 },
    { 1, 0, 13, 'T', 'F', 'R', 'C', 0, 0x11, 0x22, 0x33, 0x45, 0, 4, 5, 6 },
    { 0, 0, 14, 'T', 'F', 'R', 'C', 0, 0x11, 0x22, 0x33, 0x45, 0, 4, 5, 6, 7 },
    { 0, 0, 12, 'T', 'F', 'R', 'C', 0, 0x11, 0x22, 0x33, 0x45, 0, 4, 5 }, { 0, 0, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    begin_with (&offered);
    write_extension (others[i], (gsize) 3 + others[i][2]);
    is_accepted_with (end (), 0);
  }
}
GST_END_TEST;

/* The MAC covers the session. */
GST_START_TEST (nobody_else_can_change_the_counter_of_the_repairs)
{
  GBytes *offer = offer_from (&sender);
  gsize size = g_bytes_get_size (offer);
  guint8 *bytes = g_memdup2 (data_of (offer), size);
  guint found = 0;

  for (gsize at = 0; at + 4 < size; at++) {
    if (memcmp (bytes + at, "TFRC", 4) != 0)
      continue;
    found++;
    bytes[at + 12] ^= 1;
    assert_refused (&receiver, bytes, size, GST_TFRC_MIKEY_WRONG_PASSPHRASE);
  }
  fail_unless_equals_int (found, 1);
  g_free (bytes);
  g_bytes_unref (offer);
}
GST_END_TEST;

static Suite *
mikeyrepair_suite (void)
{
  Suite *s = suite_create ("mikeyrepair");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, an_offer_tells_the_counter_of_the_repairs);
  tcase_add_test (tc, to_an_older_receiver_an_offer_is_what_it_was_and_an_extension);
  tcase_add_test (tc, the_offer_of_an_older_sender_is_accepted);
  tcase_add_test (tc, an_odd_ssrc_has_no_session_of_repairs);
  tcase_add_test (tc, a_session_of_repairs_is_of_the_stream_and_its_policy);
  tcase_add_test (tc, two_sessions_of_repairs_are_malformed);
  tcase_add_test (tc, other_extensions_say_nothing_of_repairs);
  tcase_add_test (tc, nobody_else_can_change_the_counter_of_the_repairs);
  return s;
}

GST_CHECK_MAIN (mikeyrepair);
