/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of key packets, as the example in docs/wire-format.md has them. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/keys/keypacket.h"

static const guint8 message[] = { 1, 2, 3, 4, 5, 6 };

static const guint8 fragment[] = {
  0x84, 0xcc, 0x00, 0x06, /* subtype 4, packet type 204, 7 words */
  0x11, 0x22, 0x33, 0x44, /* SSRC of the sender */
  'T', 'F', 'R', 'C',     /* name */
  0x00, 0x00, 0x00, 0x07, /* number of the message */
  0x00, 0x06, 0x00, 0x00, /* 6 bytes in all; this fragment begins at 0 */
  0x01, 0x02, 0x03, 0x04, /* the message */
  0x05, 0x06, 0x00, 0x00, /* and padding */
};

static const guint8 request[] = {
  0x84, 0xcc, 0x00, 0x04, /* subtype 4, packet type 204, 5 words */
  0xa1, 0xb2, 0xc3, 0xd4, /* SSRC of the receiver */
  'T', 'F', 'R', 'C',     /* name */
  0x00, 0x00, 0x00, 0x00, /* no message */
  0x00, 0x00, 0x00, 0x00, /* the packet asks */
};

static const guint8 given[] = {
  0x84, 0xcc, 0x00, 0x06, /* subtype 4, packet type 204, 7 words */
  0xa1, 0xb2, 0xc3, 0xd4, /* SSRC of the receiver */
  'T', 'F', 'R', 'C',     /* name */
  0x00, 0x00, 0x00, 0x07, /* number of the message that is answered */
  0x00, 0x00, 0x00, 0x02, /* no message; a cookie is given */
  0xc0, 0xc1, 0xc2, 0xc3, /* the cookie */
  0xc4, 0xc5, 0xc6, 0xc7, /* ... */
};

static const guint8 returned[] = {
  0x84, 0xcc, 0x00, 0x08, /* subtype 4, packet type 204, 9 words */
  0x11, 0x22, 0x33, 0x44, /* SSRC of the sender */
  'T', 'F', 'R', 'C',     /* name */
  0x00, 0x00, 0x00, 0x07, /* number of the message */
  0x00, 0x06, 0x00, 0x01, /* 6 bytes in all; this fragment begins at 0, behind a cookie */
  0xc0, 0xc1, 0xc2, 0xc3, /* the cookie */
  0xc4, 0xc5, 0xc6, 0xc7, /* ... */
  0x01, 0x02, 0x03, 0x04, /* the message */
  0x05, 0x06, 0x00, 0x00, /* and padding */
};

GST_START_TEST (cookies_are_written_and_read_as_documented)
{
  const guint8 *cookie = given + GST_TFRC_KEY_PACKET_HEADER_BYTES;
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GstTfrcKeyPacket packet;

  memset (buffer, 0xff, sizeof buffer);
  fail_unless_equals_int (
      gst_tfrc_key_packet_write_cookie (buffer, 0xa1b2c3d4, 7, cookie), sizeof given);
  fail_unless (memcmp (buffer, given, sizeof given) == 0);
  memcpy (buffer, fragment, sizeof fragment);
  fail_unless_equals_int (
      gst_tfrc_key_packet_add_cookie (buffer, sizeof fragment, cookie), sizeof returned);
  fail_unless (memcmp (buffer, returned, sizeof returned) == 0);

  fail_unless (gst_tfrc_key_packet_parse (given, sizeof given, &packet));
  fail_unless (memcmp (packet.given, cookie, 8) == 0 && packet.cookie == NULL);
  fail_unless_equals_int (packet.total, 0);
  fail_unless_equals_int (packet.number, 7);
  fail_unless (gst_tfrc_key_packet_parse (returned, sizeof returned, &packet));
  fail_unless (packet.given == NULL && memcmp (packet.cookie, cookie, 8) == 0);
  fail_unless_equals_int (packet.total, 6);
  fail_unless_equals_int (packet.offset, 0);
  fail_unless_equals_int (packet.size, sizeof message);
  fail_unless (memcmp (packet.data, message, sizeof message) == 0);
}

GST_END_TEST;

GST_START_TEST (a_question_returns_a_cookie_and_gives_another_one)
{
  const guint8 *cookie = given + GST_TFRC_KEY_PACKET_HEADER_BYTES;
  const guint8 other[TFRC_WIRE_PATH_DATA_BYTES] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  gsize size = gst_tfrc_key_packet_write_request (buffer, 1, 9, GST_TFRC_KEY_PACKET_FULL_BYTES);
  GstTfrcKeyPacket packet;

  gst_tfrc_key_packet_give_cookie (buffer, other);
  size = gst_tfrc_key_packet_add_cookie (buffer, size, cookie);
  fail_unless_equals_int (size, GST_TFRC_KEY_PACKET_MAX_BYTES);
  fail_unless_equals_int (buffer[19], 3);
  fail_unless (gst_tfrc_key_packet_parse (buffer, size, &packet));
  fail_unless (memcmp (packet.cookie, cookie, 8) == 0 && packet.cookie == buffer + 20);
  fail_unless (memcmp (packet.given, other, 8) == 0 && packet.given == buffer + 28);
}

GST_END_TEST;

GST_START_TEST (a_message_is_written_as_documented)
{
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];
  GBytes *bytes = g_bytes_new_static (message, sizeof message);

  memset (buffer, 0xff, sizeof buffer);
  fail_unless_equals_int (
      gst_tfrc_key_packet_write (buffer, 0x11223344, 7, bytes, 0), sizeof fragment);
  fail_unless (memcmp (buffer, fragment, sizeof fragment) == 0);
  g_bytes_unref (bytes);
}

GST_END_TEST;

GST_START_TEST (a_request_is_written_as_documented)
{
  guint8 buffer[GST_TFRC_KEY_PACKET_MAX_BYTES];

  memset (buffer, 0xff, sizeof buffer);
  fail_unless_equals_int (
      gst_tfrc_key_packet_write_request (buffer, 0xa1b2c3d4, 0, sizeof request), sizeof request);
  fail_unless (memcmp (buffer, request, sizeof request) == 0);
}

GST_END_TEST;

GST_START_TEST (documented_packets_are_read)
{
  GstTfrcKeyPacket packet;

  fail_unless (gst_tfrc_key_packet_parse (fragment, sizeof fragment, &packet));
  fail_unless_equals_int_hex (packet.ssrc, 0x11223344);
  fail_unless_equals_int (packet.number, 7);
  fail_unless_equals_int (packet.total, 6);
  fail_unless_equals_int (packet.offset, 0);
  fail_unless_equals_int (packet.size, sizeof message);
  fail_unless (memcmp (packet.data, message, sizeof message) == 0);
  fail_unless (gst_tfrc_key_packet_parse (request, sizeof request, &packet));
  fail_unless_equals_int_hex (packet.ssrc, 0xa1b2c3d4);
  fail_unless_equals_int (packet.total, 0);
}

GST_END_TEST;

static Suite *
keypacketbytes_suite (void)
{
  Suite *suite = suite_create ("keypacketbytes");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_message_is_written_as_documented);
  tcase_add_test (tcase, cookies_are_written_and_read_as_documented);
  tcase_add_test (tcase, a_question_returns_a_cookie_and_gives_another_one);
  tcase_add_test (tcase, a_request_is_written_as_documented);
  tcase_add_test (tcase, documented_packets_are_read);
  return suite;
}

GST_CHECK_MAIN (keypacketbytes);
