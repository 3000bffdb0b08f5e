/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writer of MIKEY messages, see mikeywrite.h. */
#include "mikeywrite.h"

#include <string.h>

/* The bit V of the header: the sender of the message wants an answer (section 6.1) */
#define WANTS_ANSWER 0x80
#define NEXT_IN_HEADER 2

static void
put_number (GByteArray *bytes, guint64 number, guint size)
{
  guint8 big_endian[8];

  for (guint i = 0; i < size; i++)
    big_endian[i] = (guint8) (number >> 8 * (size - 1 - i));
  g_byte_array_append (bytes, big_endian, size);
}

/* Names the payload in the one before, and begins the payload with its own field for the next. */
static void
begin_payload (GstTfrcMikeyWriter *self, guint8 payload)
{
  self->bytes->data[self->next_at] = payload;
  self->next_at = self->bytes->len;
  put_number (self->bytes, GST_TFRC_MIKEY_PAYLOAD_LAST, 1);
}

static gboolean
wants_answer (guint8 data_type)
{
  return data_type == GST_TFRC_MIKEY_TYPE_PSK || data_type == GST_TFRC_MIKEY_TYPE_RSA
      || data_type == GST_TFRC_MIKEY_TYPE_REQUEST;
}

/* The SRTP-ID of a crypto session of policy 0 (section 6.1.1) */
static void
put_session (GByteArray *bytes, guint32 ssrc, guint32 roc)
{
  put_number (bytes, 0, 1);
  put_number (bytes, ssrc, 4);
  put_number (bytes, roc, 4);
}

/* The receiver chooses its SSRC, which is not known here, and begins with ROC 0. */
static void
put_sessions (GByteArray *bytes, const GstTfrcMikeyStream *stream)
{
  put_session (bytes, stream->ssrc, stream->roc);
  put_session (bytes, 0, 0);
}

void
gst_tfrc_mikey_writer_init (
    GstTfrcMikeyWriter *self, guint8 data_type, guint32 csb_id, const GstTfrcMikeyStream *stream)
{
  self->bytes = g_byte_array_new ();
  self->next_at = NEXT_IN_HEADER;
  put_number (self->bytes, GST_TFRC_MIKEY_VERSION, 1);
  put_number (self->bytes, data_type, 1);
  put_number (self->bytes, GST_TFRC_MIKEY_PAYLOAD_LAST, 1);
  put_number (self->bytes, wants_answer (data_type) ? WANTS_ANSWER : 0, 1); /* PRF MIKEY-1 */
  put_number (self->bytes, csb_id, 4);
  put_number (self->bytes, stream != NULL ? GST_TFRC_MIKEY_SESSIONS : 0, 1);
  put_number (self->bytes, 0, 1); /* SRTP-ID */
  if (stream != NULL)
    put_sessions (self->bytes, stream);
}

GBytes *
gst_tfrc_mikey_writer_finish (GstTfrcMikeyWriter *self)
{
  return g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes));
}

void
gst_tfrc_mikey_writer_drop (GstTfrcMikeyWriter *self)
{
  g_byte_array_unref (g_steal_pointer (&self->bytes));
}

void
gst_tfrc_mikey_write_timestamp (GstTfrcMikeyWriter *self, guint64 timestamp)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_T);
  put_number (self->bytes, 0, 1); /* NTP-UTC */
  put_number (self->bytes, timestamp, 8);
}

void
gst_tfrc_mikey_write_rand (GstTfrcMikeyWriter *self, const guint8 *rand, guint8 size)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_RAND);
  put_number (self->bytes, size, 1);
  g_byte_array_append (self->bytes, rand, size);
}

void
gst_tfrc_mikey_write_id (GstTfrcMikeyWriter *self, const gchar *uri)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_ID);
  put_number (self->bytes, GST_TFRC_MIKEY_ID_URI, 1);
  put_number (self->bytes, strlen (uri), 2);
  g_byte_array_append (self->bytes, (const guint8 *) uri, (guint) strlen (uri));
}

void
gst_tfrc_mikey_write_certificate (GstTfrcMikeyWriter *self, const guint8 *der, guint16 size)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_CERT);
  put_number (self->bytes, GST_TFRC_MIKEY_X509V3, 1);
  put_number (self->bytes, size, 2);
  g_byte_array_append (self->bytes, der, size);
}

void
gst_tfrc_mikey_write_policy (
    GstTfrcMikeyWriter *self, guint8 number, const guint8 *parameters, guint16 size)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_SP);
  put_number (self->bytes, number, 1);
  put_number (self->bytes, 0, 1); /* SRTP */
  put_number (self->bytes, size, 2);
  g_byte_array_append (self->bytes, parameters, size);
}

void
gst_tfrc_mikey_write_repair (GstTfrcMikeyWriter *self, guint32 ssrc, guint32 roc)
{
  gsize begin;

  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_EXTENSION);
  put_number (self->bytes, 0, 1); /* a vendor's ID */
  begin = self->bytes->len;
  put_number (self->bytes, 0, 2);
  g_byte_array_append (self->bytes, (const guint8 *) GST_TFRC_MIKEY_REPAIR_NAME,
      sizeof GST_TFRC_MIKEY_REPAIR_NAME - 1);
  put_session (self->bytes, ssrc, roc);
  self->bytes->data[begin + 1] = (guint8) (self->bytes->len - begin - 2);
}

void
gst_tfrc_mikey_write_error (GstTfrcMikeyWriter *self, guint8 number)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_ERR);
  put_number (self->bytes, number, 1);
  put_number (self->bytes, 0, 2);
}

void
gst_tfrc_mikey_write_envelope (GstTfrcMikeyWriter *self, const guint8 *envelope, guint16 size)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_PKE);
  put_number (self->bytes, size, 2); /* the two highest bits: no cache */
  g_byte_array_append (self->bytes, envelope, size);
}

gsize
gst_tfrc_mikey_write_kemac (GstTfrcMikeyWriter *self, const guint8 *encrypted, guint16 size)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_KEMAC);
  put_number (self->bytes, GST_TFRC_MIKEY_AES_CM_128, 1);
  put_number (self->bytes, size, 2);
  g_byte_array_append (self->bytes, encrypted, size);
  put_number (self->bytes, GST_TFRC_MIKEY_HMAC_SHA_1_160, 1);
  return self->next_at;
}

void
gst_tfrc_mikey_write_verification (GstTfrcMikeyWriter *self)
{
  begin_payload (self, GST_TFRC_MIKEY_PAYLOAD_V);
  put_number (self->bytes, GST_TFRC_MIKEY_HMAC_SHA_1_160, 1);
}

void
gst_tfrc_mikey_write_signature (GstTfrcMikeyWriter *self, guint16 size)
{
  /* this payload has no field for a next one */
  self->bytes->data[self->next_at] = GST_TFRC_MIKEY_PAYLOAD_SIGN;
  put_number (self->bytes, GST_TFRC_MIKEY_RSA_PSS << 12 | size, 2);
}

gsize
gst_tfrc_mikey_write_key_data (
    guint8 *bytes, gsize room, const gchar *id, const guint8 *tgk, guint16 tgk_size)
{
  gsize id_size = id != NULL ? strlen (id) : 0;
  gsize size = (id != NULL ? 4 + id_size : 0) + 4 + tgk_size;

  if (size > room || id_size > G_MAXUINT16)
    return 0;
  /* not a GByteArray, which would leave copies of the TGK behind when the array grows */
  if (id != NULL) {
    *bytes++ = GST_TFRC_MIKEY_PAYLOAD_KEY_DATA;
    *bytes++ = GST_TFRC_MIKEY_ID_URI;
    *bytes++ = (guint8) (id_size >> 8);
    *bytes++ = (guint8) id_size;
    memcpy (bytes, id, id_size);
    bytes += id_size;
  }
  *bytes++ = GST_TFRC_MIKEY_PAYLOAD_LAST;
  *bytes++ = 0; /* type TGK, no validity */
  *bytes++ = (guint8) (tgk_size >> 8);
  *bytes++ = (guint8) tgk_size;
  memcpy (bytes, tgk, tgk_size);
  return size;
}
