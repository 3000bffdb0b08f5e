/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key packets, see keypacket.h. */
#include "keypacket.h"

#include <string.h>

#include <gst/gst.h>

/* The first byte: version 2, no padding, subtype 4 */
#define FIRST_BYTE 0x84
#define PACKET_TYPE 204  /* APP (RFC 3550 section 6.7) */
#define NAME 0x54465243u /* "TFRC" */

/* The number of a packet without a message that asks for other keys; 0: that asks for keys */
#define NUMBER_OF_REKEY 1

/* An offset is a multiple of 1200, so that its lowest four bits are free for these: 8 bytes behind the
 * header are a cookie that comes back, and the next 8 are one that is given. */
#define FLAG_COOKIE 1
#define FLAG_GIVES_COOKIE 2
#define FLAGS 15

gboolean
gst_tfrc_key_packet_is (const guint8 *packet, gsize size)
{
  return size >= 12 && packet[0] == FIRST_BYTE && packet[1] == PACKET_TYPE
      && GST_READ_UINT32_BE (packet + 8) == NAME;
}

/* All fragments but the last one are full, so that a fragment's number follows from its offset. */
static gboolean
is_fragment (const GstTfrcKeyPacket *packet)
{
  gsize rest = (gsize) packet->total - packet->offset;

  return packet->offset < packet->total && packet->offset % GST_TFRC_KEY_FRAGMENT_BYTES == 0
      && packet->total <= GST_TFRC_KEY_MESSAGE_MAX_BYTES
      && packet->size >= MIN (rest, GST_TFRC_KEY_FRAGMENT_BYTES);
}

/* @cookie: set; NULL: the packet has none */
static gboolean
take_cookie (GstTfrcKeyPacket *parsed, gboolean has_cookie, const guint8 **cookie)
{
  *cookie = NULL;
  if (!has_cookie)
    return TRUE;
  if (parsed->size < TFRC_WIRE_PATH_DATA_BYTES)
    return FALSE;
  *cookie = parsed->data;
  parsed->data += TFRC_WIRE_PATH_DATA_BYTES;
  parsed->size -= TFRC_WIRE_PATH_DATA_BYTES;
  return TRUE;
}

/* Reads the flags, and the cookies behind the header. */
static gboolean
take_cookies (GstTfrcKeyPacket *parsed)
{
  guint flags = parsed->offset & FLAGS;

  parsed->offset &= (guint16) ~FLAGS;
  return (flags & ~(FLAG_COOKIE | FLAG_GIVES_COOKIE)) == 0
      && take_cookie (parsed, (flags & FLAG_COOKIE) != 0, &parsed->cookie)
      && take_cookie (parsed, (flags & FLAG_GIVES_COOKIE) != 0, &parsed->given);
}

gboolean
gst_tfrc_key_packet_parse (const guint8 *packet, gsize size, GstTfrcKeyPacket *parsed)
{
  if (!gst_tfrc_key_packet_is (packet, size) || size < GST_TFRC_KEY_PACKET_HEADER_BYTES
      || (GST_READ_UINT16_BE (packet + 2) + (gsize) 1) * 4 != size)
    return FALSE;
  parsed->ssrc = GST_READ_UINT32_BE (packet + 4);
  parsed->number = GST_READ_UINT32_BE (packet + 12);
  parsed->total = GST_READ_UINT16_BE (packet + 16);
  parsed->offset = GST_READ_UINT16_BE (packet + 18);
  parsed->data = packet + GST_TFRC_KEY_PACKET_HEADER_BYTES;
  parsed->size = size - GST_TFRC_KEY_PACKET_HEADER_BYTES;
  if (!take_cookies (parsed))
    return FALSE;
  if (parsed->total == 0)
    return parsed->offset == 0;
  if (parsed->given || !is_fragment (parsed))
    return FALSE;
  parsed->size = MIN ((gsize) parsed->total - parsed->offset, GST_TFRC_KEY_FRAGMENT_BYTES);
  return TRUE;
}

static void
write_header (
    guint8 *buffer, gsize size, guint32 ssrc, guint32 number, guint16 total, guint16 offset)
{
  buffer[0] = FIRST_BYTE;
  buffer[1] = PACKET_TYPE;
  GST_WRITE_UINT16_BE (buffer + 2, (guint16) (size / 4 - 1));
  GST_WRITE_UINT32_BE (buffer + 4, ssrc);
  GST_WRITE_UINT32_BE (buffer + 8, NAME);
  GST_WRITE_UINT32_BE (buffer + 12, number);
  GST_WRITE_UINT16_BE (buffer + 16, total);
  GST_WRITE_UINT16_BE (buffer + 18, offset);
}

gsize
gst_tfrc_key_packet_write (
    guint8 *buffer, guint32 ssrc, guint32 number, GBytes *message, gsize offset)
{
  gsize total, size, padded;
  const guint8 *data = g_bytes_get_data (message, &total);

  if (offset >= total || total > GST_TFRC_KEY_MESSAGE_MAX_BYTES)
    return 0;
  size = MIN (total - offset, GST_TFRC_KEY_FRAGMENT_BYTES);
  padded = GST_TFRC_KEY_PACKET_HEADER_BYTES + (size + 3) / 4 * 4;
  memset (buffer, 0, padded);
  write_header (buffer, padded, ssrc, number, (guint16) total, (guint16) offset);
  memcpy (buffer + GST_TFRC_KEY_PACKET_HEADER_BYTES, data + offset, size);
  return padded;
}

gsize
gst_tfrc_key_packet_write_request (guint8 *buffer, guint32 ssrc, guint32 number, gsize size)
{
  memset (buffer, 0, size);
  write_header (buffer, size, ssrc, number, 0, 0);
  return size;
}

void
gst_tfrc_key_packet_give_cookie (guint8 *buffer, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  memcpy (buffer + GST_TFRC_KEY_PACKET_HEADER_BYTES, cookie, TFRC_WIRE_PATH_DATA_BYTES);
  buffer[19] |= FLAG_GIVES_COOKIE;
}

gsize
gst_tfrc_key_packet_add_cookie (
    guint8 *buffer, gsize size, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  guint8 *data = buffer + GST_TFRC_KEY_PACKET_HEADER_BYTES;

  memmove (data + TFRC_WIRE_PATH_DATA_BYTES, data, size - GST_TFRC_KEY_PACKET_HEADER_BYTES);
  memcpy (data, cookie, TFRC_WIRE_PATH_DATA_BYTES);
  size += TFRC_WIRE_PATH_DATA_BYTES;
  GST_WRITE_UINT16_BE (buffer + 2, (guint16) (size / 4 - 1));
  buffer[19] |= FLAG_COOKIE;
  return size;
}

gsize
gst_tfrc_key_packet_write_cookie (
    guint8 *buffer, guint32 ssrc, guint32 number, const guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  gst_tfrc_key_packet_write_request (buffer, ssrc, number, GST_TFRC_KEY_COOKIE_PACKET_BYTES);
  gst_tfrc_key_packet_give_cookie (buffer, cookie);
  return GST_TFRC_KEY_COOKIE_PACKET_BYTES;
}

gsize
gst_tfrc_key_packet_write_rekey (guint8 *buffer, guint32 ssrc)
{
  memset (buffer, 0, GST_TFRC_KEY_PACKET_HEADER_BYTES);
  write_header (buffer, GST_TFRC_KEY_PACKET_HEADER_BYTES, ssrc, NUMBER_OF_REKEY, 0, 0);
  return GST_TFRC_KEY_PACKET_HEADER_BYTES;
}

gboolean
gst_tfrc_key_packet_is_rekey (const guint8 *packet, gsize size)
{
  GstTfrcKeyPacket parsed;

  return gst_tfrc_key_packet_parse (packet, size, &parsed) && parsed.total == 0
      && parsed.number == NUMBER_OF_REKEY;
}

void
gst_tfrc_key_assembly_clear (GstTfrcKeyAssembly *self)
{
  self->number = 0;
  self->total = 0;
  self->come = 0;
}

gboolean
gst_tfrc_key_assembly_add (GstTfrcKeyAssembly *self, const GstTfrcKeyPacket *packet)
{
  guint fragments = (packet->total + GST_TFRC_KEY_FRAGMENT_BYTES - 1) / GST_TFRC_KEY_FRAGMENT_BYTES;

  if (packet->total == 0)
    return FALSE;
  if (packet->number != self->number || packet->total != self->total)
    self->come = 0;
  self->number = packet->number;
  self->total = packet->total;
  memcpy (self->message + packet->offset, packet->data, packet->size);
  self->come |= (guint8) (1 << packet->offset / GST_TFRC_KEY_FRAGMENT_BYTES);
  if (self->come != (1 << fragments) - 1)
    return FALSE;
  self->come = 0;
  return TRUE;
}

gboolean
gst_tfrc_key_assembly_is_partial (const GstTfrcKeyAssembly *self)
{
  return self->come != 0;
}

const guint8 *
gst_tfrc_key_assembly_get (const GstTfrcKeyAssembly *self, gsize *size)
{
  *size = self->total;
  return self->message;
}
