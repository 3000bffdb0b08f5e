/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls and their answers, see callpacket.h. */
#include "callpacket.h"

#include <string.h>

#include <gio/gio.h>
#include <gst/gst.h>

/* The first byte: version 2, no padding, and the subtype */
#define FIRST_BYTE_OF_CALL 0x85
#define FIRST_BYTE_OF_ANSWER 0x86
#define PACKET_TYPE 204  /* APP (RFC 3550 section 6.7) */
#define NAME 0x54465243u /* "TFRC" */

static gboolean
is_app (const guint8 *packet, gsize size, guint8 first_byte)
{
  return size >= 12 && packet[0] == first_byte && packet[1] == PACKET_TYPE
      && GST_READ_UINT32_BE (packet + 8) == NAME;
}

gboolean
gst_tfrc_call_packet_is (const guint8 *packet, gsize size)
{
  return is_app (packet, size, FIRST_BYTE_OF_CALL);
}

gboolean
gst_tfrc_answer_packet_is (const guint8 *packet, gsize size)
{
  return is_app (packet, size, FIRST_BYTE_OF_ANSWER);
}

static gboolean
has_true_length (const guint8 *packet, gsize size)
{
  return (GST_READ_UINT16_BE (packet + 2) + (gsize) 1) * 4 == size;
}

/* ---- text --------------------------------------------------------------------- */

static gboolean
is_text (const gchar *text, gsize bytes)
{
  if (!g_utf8_validate_len (text, bytes, NULL))
    return FALSE;
  for (const gchar *at = text; at < text + bytes; at = g_utf8_next_char (at))
    if (g_unichar_iscntrl (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

gboolean
gst_tfrc_stream_id_is_valid (const gchar *stream_id)
{
  gsize bytes = strlen (stream_id);

  return bytes <= GST_TFRC_STREAM_ID_MAX_BYTES && is_text (stream_id, bytes);
}

gboolean
gst_tfrc_stream_id_check (const gchar *text, GError **error)
{
  if (text == NULL || gst_tfrc_stream_id_is_valid (text))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "The stream id has more than %u bytes, a control character, or is not in UTF-8.",
      GST_TFRC_STREAM_ID_MAX_BYTES);
  return FALSE;
}

/* Reads the text that ends a packet, of which the last bytes are padding.
 * @text: at least @max + 1 bytes */
static gboolean
take_text (const guint8 *data, gsize room, gsize bytes, gchar *text, gsize max)
{
  if (bytes > max || bytes > room || room - bytes > 3 || !is_text ((const gchar *) data, bytes))
    return FALSE;
  memcpy (text, data, bytes);
  text[bytes] = '\0';
  return TRUE;
}

/* Writes the text and its padding. Returns their bytes. */
static gsize
put_text (guint8 *buffer, const gchar *text)
{
  gsize bytes = strlen (text), padded = (bytes + 3) / 4 * 4;

  memset (buffer, 0, padded);
  memcpy (buffer, text, bytes);
  return padded;
}

static void
write_header (guint8 *buffer, guint8 first_byte, gsize size, guint32 ssrc)
{
  buffer[0] = first_byte;
  buffer[1] = PACKET_TYPE;
  GST_WRITE_UINT16_BE (buffer + 2, (guint16) (size / 4 - 1));
  GST_WRITE_UINT32_BE (buffer + 4, ssrc);
  GST_WRITE_UINT32_BE (buffer + 8, NAME);
}

/* ---- calls -------------------------------------------------------------------- */

gboolean
gst_tfrc_call_packet_parse (const guint8 *packet, gsize size, GstTfrcCallPacket *parsed)
{
  if (!gst_tfrc_call_packet_is (packet, size) || size < GST_TFRC_CALL_HEADER_BYTES
      || !has_true_length (packet, size))
    return FALSE;
  parsed->ssrc = GST_READ_UINT32_BE (packet + 4);
  parsed->number = GST_READ_UINT32_BE (packet + 12);
  memcpy (parsed->cookie, packet + 16, sizeof parsed->cookie);
  return take_text (packet + GST_TFRC_CALL_HEADER_BYTES, size - GST_TFRC_CALL_HEADER_BYTES,
      GST_READ_UINT16_BE (packet + 24), parsed->stream_id, GST_TFRC_STREAM_ID_MAX_BYTES);
}

gsize
gst_tfrc_call_packet_write (guint8 *buffer, const GstTfrcCallPacket *call)
{
  gsize size = GST_TFRC_CALL_HEADER_BYTES
      + put_text (buffer + GST_TFRC_CALL_HEADER_BYTES, call->stream_id);

  write_header (buffer, FIRST_BYTE_OF_CALL, size, call->ssrc);
  GST_WRITE_UINT32_BE (buffer + 12, call->number);
  memcpy (buffer + 16, call->cookie, sizeof call->cookie);
  GST_WRITE_UINT16_BE (buffer + 24, (guint16) strlen (call->stream_id));
  GST_WRITE_UINT16_BE (buffer + 26, 0);
  return size;
}

/* ---- answers ------------------------------------------------------------------ */

gboolean
gst_tfrc_answer_packet_parse (const guint8 *packet, gsize size, GstTfrcAnswerPacket *parsed)
{
  guint kind;
  gsize bytes;

  if (!gst_tfrc_answer_packet_is (packet, size) || size < GST_TFRC_ANSWER_HEADER_BYTES
      || !has_true_length (packet, size))
    return FALSE;
  memset (parsed, 0, sizeof *parsed);
  parsed->ssrc = GST_READ_UINT32_BE (packet + 4);
  parsed->number = GST_READ_UINT32_BE (packet + 12);
  kind = GST_READ_UINT16_BE (packet + 16);
  bytes = GST_READ_UINT16_BE (packet + 18);
  if (kind >= GST_TFRC_ANSWERS)
    return FALSE;
  parsed->kind = (GstTfrcAnswerKind) kind;
  packet += GST_TFRC_ANSWER_HEADER_BYTES;
  size -= GST_TFRC_ANSWER_HEADER_BYTES;
  if (kind == GST_TFRC_ANSWER_REFUSED)
    return take_text (packet, size, bytes, parsed->reason, GST_TFRC_REASON_MAX_BYTES);
  if (kind == GST_TFRC_ANSWER_ACCEPTED)
    return size == 0;
  if (size != sizeof parsed->cookie)
    return FALSE;
  memcpy (parsed->cookie, packet, sizeof parsed->cookie);
  return TRUE;
}

gsize
gst_tfrc_answer_packet_write (guint8 *buffer, const GstTfrcAnswerPacket *answer)
{
  guint8 *content = buffer + GST_TFRC_ANSWER_HEADER_BYTES;
  gsize bytes = 0, padded = 0;

  if (answer->kind == GST_TFRC_ANSWER_REFUSED) {
    bytes = strlen (answer->reason);
    padded = put_text (content, answer->reason);
  } else if (answer->kind == GST_TFRC_ANSWER_COOKIE) {
    bytes = padded = sizeof answer->cookie;
    memcpy (content, answer->cookie, bytes);
  }
  write_header (buffer, FIRST_BYTE_OF_ANSWER, GST_TFRC_ANSWER_HEADER_BYTES + padded, answer->ssrc);
  GST_WRITE_UINT32_BE (buffer + 12, answer->number);
  GST_WRITE_UINT16_BE (buffer + 16, (guint16) answer->kind);
  GST_WRITE_UINT16_BE (buffer + 18, (guint16) bytes);
  return GST_TFRC_ANSWER_HEADER_BYTES + padded;
}

void
gst_tfrc_answer_set_reason (GstTfrcAnswerPacket *answer, const gchar *reason)
{
  gchar *valid = g_utf8_make_valid (reason, -1);
  gsize bytes = 0;

  for (const gchar *at = valid; *at; at = g_utf8_next_char (at)) {
    gsize of_char = (gsize) (g_utf8_next_char (at) - at);

    if (g_unichar_iscntrl (g_utf8_get_char (at)))
      continue;
    if (bytes + of_char > GST_TFRC_REASON_MAX_BYTES)
      break;
    memcpy (answer->reason + bytes, at, of_char);
    bytes += of_char;
  }
  answer->reason[bytes] = '\0';
  g_free (valid);
}
