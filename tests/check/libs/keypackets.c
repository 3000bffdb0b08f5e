/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key packets, see gst/keys/keypacket.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/keys/keypacket.h"

#define SSRC 0x01020304u

static GBytes *
make_message (gsize size, guint8 first)
{
  guint8 *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8) (first + i * 7);
  return g_bytes_new_take (bytes, size);
}

typedef struct
{
  guint8 bytes[GST_TFRC_KEY_PACKET_MAX_BYTES];
  gsize size;
} Packet;

static Packet
write_fragment (GBytes *message, guint32 number, guint fragment)
{
  Packet packet;

  memset (&packet, 0xff, sizeof packet);
  packet.size = gst_tfrc_key_packet_write (
      packet.bytes, SSRC, number, message, fragment * GST_TFRC_KEY_FRAGMENT_BYTES);
  return packet;
}

static gboolean
add (GstTfrcKeyAssembly *assembly, const Packet *packet)
{
  GstTfrcKeyPacket parsed;

  fail_unless (gst_tfrc_key_packet_parse (packet->bytes, packet->size, &parsed));
  return gst_tfrc_key_assembly_add (assembly, &parsed);
}

static void
assert_assembled (const GstTfrcKeyAssembly *assembly, GBytes *message)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (message, &size);

  fail_unless_equals_int (assembly->total, size);
  fail_unless (memcmp (assembly->message, bytes, size) == 0);
}

GST_START_TEST (each_byte_has_its_place)
{
  static const guint8 expected[] = { 0x84, 204, 0, 6, 1, 2, 3, 4, 'T', 'F', 'R', 'C', 0xa0, 0xb0,
    0xc0, 0xd0, 0, 5, 0, 0, 9, 16, 23, 30, 37, 0, 0, 0 };
  GBytes *message = make_message (5, 9);
  Packet packet = write_fragment (message, 0xa0b0c0d0, 0);
  GstTfrcKeyPacket parsed;

  fail_unless_equals_int (packet.size, sizeof expected);
  fail_unless (memcmp (packet.bytes, expected, sizeof expected) == 0);
  fail_unless (gst_tfrc_key_packet_is (packet.bytes, packet.size));
  fail_unless (gst_tfrc_key_packet_parse (packet.bytes, packet.size, &parsed));
  fail_unless_equals_int (parsed.ssrc, SSRC);
  fail_unless_equals_int_hex (parsed.number, 0xa0b0c0d0);
  fail_unless_equals_int (parsed.total, 5);
  fail_unless_equals_int (parsed.offset, 0);
  fail_unless_equals_int (parsed.size, 5);
  fail_unless (parsed.data == packet.bytes + 20);
  g_bytes_unref (message);
}
GST_END_TEST;

GST_START_TEST (an_empty_packet_asks)
{
  static const guint8 expected[] = { 0x84, 204, 0, 5, 1, 2, 3, 4, 'T', 'F', 'R', 'C', 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0 };
  GstTfrcKeyAssembly assembly = { 0 };
  GstTfrcKeyPacket parsed;
  Packet packet;

  memset (&packet, 0xff, sizeof packet);
  fail_unless_equals_int (gst_tfrc_key_packet_write_request (packet.bytes, SSRC, 0, 24), 24);
  fail_unless (memcmp (packet.bytes, expected, 24) == 0);
  fail_unless (gst_tfrc_key_packet_parse (packet.bytes, 24, &parsed));
  fail_unless_equals_int (parsed.total, 0);
  fail_if (gst_tfrc_key_assembly_add (&assembly, &parsed));
}
GST_END_TEST;

GST_START_TEST (messages_of_all_lengths_arrive)
{
  static GstTfrcKeyAssembly assembly;

  for (gsize size = 1; size <= GST_TFRC_KEY_MESSAGE_MAX_BYTES; size += size % 1200 < 4 ? 1 : 37) {
    GBytes *message = make_message (size, (guint8) size);
    guint n = (guint) ((size + 1199) / 1200);

    for (guint i = 0; i < n; i++) {
      Packet packet = write_fragment (message, (guint32) size, i);

      fail_unless (packet.size <= GST_TFRC_KEY_PACKET_MAX_BYTES && packet.size % 4 == 0);
      fail_unless_equals_int (add (&assembly, &packet), i == n - 1);
    }
    assert_assembled (&assembly, message);
    fail_unless_equals_int (write_fragment (message, 1, n).size, 0);
    g_bytes_unref (message);
  }
}
GST_END_TEST;

GST_START_TEST (a_message_that_is_too_long_is_not_written)
{
  GBytes *message = make_message (GST_TFRC_KEY_MESSAGE_MAX_BYTES + 1, 0);

  fail_unless_equals_int (write_fragment (message, 1, 0).size, 0);
  g_bytes_unref (message);
}
GST_END_TEST;

GST_START_TEST (fragments_come_in_any_order_and_twice)
{
  static const guint8 orders[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 },
    { 1, 3, 0, 2 } };
  GBytes *message = make_message (4000, 3);
  GstTfrcKeyAssembly assembly = { 0 };

  for (guint order = 0; order < G_N_ELEMENTS (orders); order++) {
    for (guint i = 0; i < 4; i++) {
      Packet packet = write_fragment (message, order, orders[order][i]);

      fail_unless_equals_int (add (&assembly, &packet), i == 3);
      if (i < 3)
        fail_if (add (&assembly, &packet));
    }
    assert_assembled (&assembly, message);
  }
  g_bytes_unref (message);
}
GST_END_TEST;

/* A fragment of another message begins anew: no message has parts of two. */
GST_START_TEST (messages_do_not_mix)
{
  GBytes *a = make_message (2000, 1), *b = make_message (2000, 2), *c = make_message (2300, 3);
  Packet a0 = write_fragment (a, 7, 0), a1 = write_fragment (a, 7, 1);
  Packet b0 = write_fragment (b, 8, 0), b1 = write_fragment (b, 8, 1);
  Packet c1 = write_fragment (c, 8, 1); /* the number of b, another length */
  GstTfrcKeyAssembly assembly = { 0 };

  fail_if (add (&assembly, &a0));
  fail_if (add (&assembly, &b1));
  fail_if (add (&assembly, &a1));
  fail_if (add (&assembly, &b0));
  fail_if (add (&assembly, &c1));
  fail_if (add (&assembly, &b0));
  fail_unless (add (&assembly, &b1));
  assert_assembled (&assembly, b);
  fail_if (add (&assembly, &a0));
  fail_unless (add (&assembly, &a1));
  assert_assembled (&assembly, a);
  g_bytes_unref (a);
  g_bytes_unref (b);
  g_bytes_unref (c);
}
GST_END_TEST;

GST_START_TEST (a_packet_of_another_length_is_refused)
{
  GBytes *message = make_message (1500, 3);
  GstTfrcKeyPacket parsed;

  for (guint i = 0; i < 2; i++) {
    Packet packet = write_fragment (message, 1, i);

    for (gsize size = 0; size <= packet.size; size++) {
      guint8 *exact = g_memdup2 (packet.bytes, size);

      fail_unless_equals_int (
          gst_tfrc_key_packet_parse (exact, size, &parsed), size == packet.size);
      fail_unless_equals_int (gst_tfrc_key_packet_is (exact, size), size >= 12);
      g_free (exact);
    }
  }
  g_bytes_unref (message);
}
GST_END_TEST;

/* Not the first fragment's 1200 bytes, not the rest; offsets beside the grid; too long; flags that
 * are not known, and cookies that do not fit */
GST_START_TEST (false_fields_are_refused)
{
  static const struct
  {
    guint16 total, offset;
    gsize data_bytes;
    gboolean is_ok;
  } cases[] = { { 1500, 0, 1200, TRUE }, { 1500, 1200, 300, TRUE }, { 1500, 0, 1196, FALSE },
    { 1500, 1200, 296, FALSE }, { 1500, 4, 1200, FALSE }, { 1500, 2400, 300, FALSE },
    { 1500, 1500, 0, FALSE }, { 1200, 1200, 0, FALSE }, { 1200, 0, 1200, TRUE },
    { 8192, 7200, 992, TRUE }, { 8193, 7200, 996, FALSE }, { 0xffff, 0, 1200, FALSE },
    { 0xffff, 8400, 1200, FALSE }, { 1, 0, 0, FALSE }, { 1, 0, 4, TRUE }, { 1, 0xffff, 4, FALSE },
    { 0, 0xffff, 0, FALSE }, { 0, 1200, 8, FALSE }, { 0, 1, 4, FALSE }, { 0, 1, 8, TRUE },
    { 0, 2, 8, TRUE }, { 0, 3, 8, FALSE }, { 0, 3, 12, FALSE }, { 0, 3, 16, TRUE },
    { 0, 4, 8, FALSE }, { 0, 8, 8, FALSE }, { 1, 1, 8, FALSE }, { 1, 1, 12, TRUE },
    { 1, 2, 12, FALSE }, { 1, 3, 20, FALSE }, { 1500, 1, 1208, TRUE }, { 1500, 1201, 308, TRUE } };
  GstTfrcKeyPacket parsed;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize size = 20 + cases[i].data_bytes;
    guint8 *bytes = g_malloc0 (size);

    gst_tfrc_key_packet_write_request (bytes, SSRC, 0, size);
    GST_WRITE_UINT16_BE (bytes + 16, cases[i].total);
    GST_WRITE_UINT16_BE (bytes + 18, cases[i].offset);
    fail_unless (gst_tfrc_key_packet_parse (bytes, size, &parsed) == cases[i].is_ok, "case %u", i);
    g_free (bytes);
  }
}
GST_END_TEST;

GST_START_TEST (other_packets_are_no_key_packets)
{
  static const guint at[] = { 0, 1, 8, 9, 10, 11 };
  GBytes *message = make_message (40, 3);
  Packet packet = write_fragment (message, 1, 0);
  GstTfrcKeyPacket parsed;

  for (guint i = 0; i < G_N_ELEMENTS (at); i++) {
    for (guint bit = 0; bit < 8; bit++) {
      packet.bytes[at[i]] ^= (guint8) (1 << bit);
      fail_if (gst_tfrc_key_packet_is (packet.bytes, packet.size));
      fail_if (gst_tfrc_key_packet_parse (packet.bytes, packet.size, &parsed));
      packet.bytes[at[i]] ^= (guint8) (1 << bit);
    }
  }
  g_bytes_unref (message);
}
GST_END_TEST;

static Suite *
keypackets_suite (void)
{
  Suite *suite = suite_create ("keypackets");
  TCase *tcase = tcase_create ("general");

  tcase_add_test (tcase, each_byte_has_its_place);
  tcase_add_test (tcase, an_empty_packet_asks);
  tcase_add_test (tcase, messages_of_all_lengths_arrive);
  tcase_add_test (tcase, a_message_that_is_too_long_is_not_written);
  tcase_add_test (tcase, fragments_come_in_any_order_and_twice);
  tcase_add_test (tcase, messages_do_not_mix);
  tcase_add_test (tcase, a_packet_of_another_length_is_refused);
  tcase_add_test (tcase, false_fields_are_refused);
  tcase_add_test (tcase, other_packets_are_no_key_packets);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keypackets);
