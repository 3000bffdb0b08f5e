/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reader of MIKEY messages, see mikeyparse.h. */
#include "mikeyparse.h"

#include <string.h>

#define BIT(payload) (1U << (payload))

/* Tables 6.6, 6.7, 6.10, 6.13, 6.1.d */
#define TIMESTAMP_NTP_UTC 0
#define PROTOCOL_SRTP 0
#define KEY_DATA_TGK 0 /* type TGK, no validity */
#define MAP_SRTP_ID 0
#define EXTENSION_VENDOR_ID 0

#define SRTP_ID_BYTES 9
#define NAME_BYTES (sizeof GST_TFRC_MIKEY_REPAIR_NAME - 1)

/* The bytes that are left to read.  After a read beyond the end, all further ones give 0. */
typedef struct
{
  const guint8 *at;
  gsize left;
  gboolean is_short;
} Reader;

static const guint8 *
read_bytes (Reader *reader, gsize size)
{
  const guint8 *bytes = reader->at;

  if (reader->is_short || size > reader->left) {
    reader->is_short = TRUE;
    return NULL;
  }
  reader->at += size;
  reader->left -= size;
  return bytes;
}

static guint64
read_number (Reader *reader, guint size)
{
  const guint8 *bytes = read_bytes (reader, size);
  guint64 number = 0;

  for (guint i = 0; bytes != NULL && i < size; i++)
    number = number << 8 | bytes[i];
  return number;
}

static void
read_field (Reader *reader, gsize size, GstTfrcMikeyBytes *field)
{
  field->data = read_bytes (reader, size);
  field->size = field->data != NULL ? size : 0;
}

gboolean
gst_tfrc_mikey_fail (GError **error, GstTfrcMikeyError code, const gchar *detail)
{
  g_set_error_literal (error, GST_TFRC_MIKEY_ERROR, code, detail);
  return FALSE;
}

static gboolean
malformed (GError **error)
{
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_MALFORMED, "The key message is malformed.");
}

static gboolean
unsupported (GError **error)
{
  return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
      "The key message has a payload of a kind that is not supported.");
}

/* Section 6.1.1 */
static void
read_session (Reader *reader, GstTfrcMikeySession *session)
{
  session->policy = (guint8) read_number (reader, 1);
  session->ssrc = (guint32) read_number (reader, 4);
  session->roc = (guint32) read_number (reader, 4);
}

/* Section 6.1 */
static gboolean
read_header (Reader *reader, GstTfrcMikeyHeader *header, guint8 *next, GError **error)
{
  guint8 version, map_type;

  memset (header, 0, sizeof *header);
  version = (guint8) read_number (reader, 1);
  header->data_type = (guint8) read_number (reader, 1);
  *next = (guint8) read_number (reader, 1);
  header->prf = read_number (reader, 1) & 0x7f;
  header->csb_id = (guint32) read_number (reader, 4);
  header->n_sessions = (guint) read_number (reader, 1);
  map_type = (guint8) read_number (reader, 1);
  if (reader->is_short || version != GST_TFRC_MIKEY_VERSION)
    return malformed (error);
  if (map_type != MAP_SRTP_ID)
    return unsupported (error);
  for (guint i = 0; i < header->n_sessions; i++) {
    GstTfrcMikeySession session;

    read_session (reader, &session);
    if (header->n_sessions == GST_TFRC_MIKEY_SESSIONS)
      header->sessions[i] = session;
  }
  return reader->is_short ? malformed (error) : TRUE;
}

/* Section 6.2.  `kemac' begins at the byte with the next payload. */
static gboolean
read_kemac (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  const guint8 *begin = reader->at - 1;

  message->encryption = (guint8) read_number (reader, 1);
  read_field (reader, read_number (reader, 2), &message->key_data);
  message->mac_algorithm = (guint8) read_number (reader, 1);
  if (!reader->is_short && message->mac_algorithm != GST_TFRC_MIKEY_HMAC_SHA_1_160)
    return unsupported (error);
  message->kemac.data = begin;
  message->kemac.size = (gsize) (reader->at - begin);
  read_field (reader, GST_TFRC_MIKEY_MAC_BYTES, &message->mac);
  return TRUE;
}

/* Section 6.9 */
static gboolean
read_verification (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  message->mac_algorithm = (guint8) read_number (reader, 1);
  if (!reader->is_short && message->mac_algorithm != GST_TFRC_MIKEY_HMAC_SHA_1_160)
    return unsupported (error);
  read_field (reader, GST_TFRC_MIKEY_MAC_BYTES, &message->mac);
  return TRUE;
}

/* Section 6.6 */
static gboolean
read_timestamp (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  guint8 type = (guint8) read_number (reader, 1);

  if (type != TIMESTAMP_NTP_UTC)
    return unsupported (error);
  message->timestamp = read_number (reader, 8);
  return TRUE;
}

/* Section 6.7 */
static gboolean
read_id (Reader *reader, GstTfrcMikeyBytes *id, GError **error)
{
  guint8 type = (guint8) read_number (reader, 1);

  read_field (reader, read_number (reader, 2), id);
  if (!reader->is_short && type != GST_TFRC_MIKEY_ID_URI)
    return unsupported (error);
  return TRUE;
}

static gboolean
read_certificate (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  guint8 type = (guint8) read_number (reader, 1);

  read_field (reader, read_number (reader, 2), &message->certificate);
  if (!reader->is_short && type != GST_TFRC_MIKEY_X509V3)
    return unsupported (error);
  return TRUE;
}

/* Section 6.10 */
static gboolean
read_policy (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  guint8 protocol;

  message->policy_number = (guint8) read_number (reader, 1);
  protocol = (guint8) read_number (reader, 1);
  read_field (reader, read_number (reader, 2), &message->policy);
  if (!reader->is_short && protocol != PROTOCOL_SRTP)
    return unsupported (error);
  return TRUE;
}

/* Section 6.5: this payload is the last one. */
static void
read_signature (Reader *reader, GstTfrcMikeyMessage *message)
{
  guint16 type_and_size = (guint16) read_number (reader, 2);

  message->signature_type = (guint8) (type_and_size >> 12);
  read_field (reader, type_and_size & 0xfff, &message->signature);
}

/* Section 6.15.  Extensions of others, and longer ones of later versions, are skipped. */
static gboolean
read_extension (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  guint8 type = (guint8) read_number (reader, 1);
  GstTfrcMikeyBytes field;
  Reader inside;

  read_field (reader, read_number (reader, 2), &field);
  if (type != EXTENSION_VENDOR_ID || field.size != NAME_BYTES + SRTP_ID_BYTES
      || memcmp (field.data, GST_TFRC_MIKEY_REPAIR_NAME, NAME_BYTES) != 0)
    return TRUE;
  if (message->has_repair)
    return malformed (error);
  inside = (Reader){ field.data + NAME_BYTES, SRTP_ID_BYTES, FALSE };
  read_session (&inside, &message->repair);
  message->has_repair = TRUE;
  return TRUE;
}

/* Reads what follows the number of the next payload. */
static gboolean
read_payload (Reader *reader, guint8 payload, GstTfrcMikeyMessage *message, GError **error)
{
  switch (payload) {
    case GST_TFRC_MIKEY_PAYLOAD_KEMAC:
      return read_kemac (reader, message, error);
    case GST_TFRC_MIKEY_PAYLOAD_PKE: /* 2 bits about caching */
      read_field (reader, read_number (reader, 2) & 0x3fff, &message->envelope);
      return TRUE;
    case GST_TFRC_MIKEY_PAYLOAD_T:
      return read_timestamp (reader, message, error);
    case GST_TFRC_MIKEY_PAYLOAD_ID:
      return read_id (reader, &message->ids[message->n_ids++], error);
    case GST_TFRC_MIKEY_PAYLOAD_CERT:
      return read_certificate (reader, message, error);
    case GST_TFRC_MIKEY_PAYLOAD_V:
      return read_verification (reader, message, error);
    case GST_TFRC_MIKEY_PAYLOAD_SP:
      return read_policy (reader, message, error);
    case GST_TFRC_MIKEY_PAYLOAD_RAND:
      read_field (reader, read_number (reader, 1), &message->rand);
      return TRUE;
    case GST_TFRC_MIKEY_PAYLOAD_ERR: /* and 2 reserved bytes */
      message->error_number = (guint8) read_number (reader, 1);
      read_bytes (reader, 2);
      return TRUE;
    case GST_TFRC_MIKEY_PAYLOAD_EXTENSION:
      return read_extension (reader, message, error);
    default:
      return unsupported (error);
  }
}

/* Returns whether the message may have this payload, now that it has the ones before. */
static gboolean
note_payload (GstTfrcMikeyMessage *message, guint8 payload)
{
  gboolean is_there = payload < 32 && (message->payloads & BIT (payload)) != 0;

  if (payload == GST_TFRC_MIKEY_PAYLOAD_EXTENSION)
    return TRUE;
  if (payload == GST_TFRC_MIKEY_PAYLOAD_ID)
    is_there = message->n_ids == G_N_ELEMENTS (message->ids);
  if (payload < 32)
    message->payloads |= BIT (payload);
  return !is_there;
}

/* The MAC of a PSK message, the MAC of V and the signature end a message, and cover all before. */
static void
set_covered (const guint8 *bytes, gsize size, GstTfrcMikeyMessage *message)
{
  gsize tail = message->signature.data != NULL ? message->signature.size : message->mac.size;

  message->covered.data = bytes;
  message->covered.size = size - tail;
}

static gboolean
read_message (Reader *reader, GstTfrcMikeyMessage *message, GError **error)
{
  guint8 payload, next;

  if (!read_header (reader, &message->header, &next, error))
    return FALSE;
  while ((payload = next) != GST_TFRC_MIKEY_PAYLOAD_LAST) {
    if (!note_payload (message, payload))
      return malformed (error);
    if (payload == GST_TFRC_MIKEY_PAYLOAD_SIGN) {
      read_signature (reader, message);
      break;
    }
    next = (guint8) read_number (reader, 1);
    if (reader->is_short || !read_payload (reader, payload, message, error))
      return reader->is_short ? malformed (error) : FALSE;
    if (reader->is_short)
      return malformed (error);
  }
  return reader->is_short || reader->left > 0 ? malformed (error) : TRUE;
}

/* Returns whether the MAC or signature is at the end. */
static gboolean
ends_with_proof (const guint8 *end, const GstTfrcMikeyMessage *message)
{
  if (message->signature.data != NULL || message->mac.data == NULL)
    return TRUE;
  return message->mac.data + message->mac.size == end;
}

gboolean
gst_tfrc_mikey_parse (const guint8 *bytes, gsize size, GstTfrcMikeyMessage *message, GError **error)
{
  Reader reader = { bytes, size, FALSE };

  memset (message, 0, sizeof *message);
  if (size > GST_TFRC_MIKEY_MAX_BYTES)
    return malformed (error);
  if (!read_message (&reader, message, error))
    return FALSE;
  if (!ends_with_proof (bytes + size, message))
    return malformed (error);
  set_covered (bytes, size, message);
  return TRUE;
}

gboolean
gst_tfrc_mikey_parse_header (
    const guint8 *bytes, gsize size, GstTfrcMikeyHeader *header, GError **error)
{
  Reader reader = { bytes, size, FALSE };
  guint8 next;

  if (size > GST_TFRC_MIKEY_MAX_BYTES)
    return malformed (error);
  return read_header (&reader, header, &next, error);
}

/* Section 6.13 */
gboolean
gst_tfrc_mikey_parse_key_data (
    const guint8 *bytes, gsize size, GstTfrcMikeyBytes *id, GstTfrcMikeyBytes *tgk, GError **error)
{
  Reader reader = { bytes, size, FALSE };
  guint8 type, next = GST_TFRC_MIKEY_PAYLOAD_KEY_DATA;

  if (id != NULL) {
    next = (guint8) read_number (&reader, 1);
    if (!read_id (&reader, id, error))
      return FALSE;
  }
  if (!reader.is_short && next != GST_TFRC_MIKEY_PAYLOAD_KEY_DATA)
    return unsupported (error);
  next = (guint8) read_number (&reader, 1);
  type = (guint8) read_number (&reader, 1);
  if (!reader.is_short && (type != KEY_DATA_TGK || next != GST_TFRC_MIKEY_PAYLOAD_LAST))
    return unsupported (error);
  read_field (&reader, read_number (&reader, 2), tgk);
  return reader.is_short || reader.left > 0 ? malformed (error) : TRUE;
}

gboolean
gst_tfrc_mikey_check_payloads (
    const GstTfrcMikeyMessage *message, guint32 wanted, guint32 allowed, GError **error)
{
  gboolean has_rand = (message->payloads & BIT (GST_TFRC_MIKEY_PAYLOAD_RAND)) != 0;

  if ((message->payloads & wanted) != wanted)
    return malformed (error);
  if ((message->payloads & ~(wanted | allowed)) != 0)
    return unsupported (error);
  return has_rand && message->rand.size < GST_TFRC_MIKEY_RAND_BYTES ? unsupported (error) : TRUE;
}
