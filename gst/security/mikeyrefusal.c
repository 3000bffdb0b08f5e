/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error messages (RFC 3830 section 5.1.2), see mikey.h. */
#include "mikeyparse.h"
#include "mikeywrite.h"

/* Table 6.12, RFC 4738 section 3.9.2 */
enum
{
  AUTH_FAILURE = 0,
  INVALID_TIMESTAMP = 1,
  INVALID_ID = 7,
  INVALID_CERTIFICATE = 8,
  INVALID_DATA_TYPE = 11,
  UNSPECIFIED = 12,
  UNPARSEABLE = 13
};

GBytes *
gst_tfrc_mikey_refuse (guint32 csb_id, GstTfrcMikeyError reason)
{
  GstTfrcMikeyWriter writer;
  guint8 number;

  switch (reason) {
    case GST_TFRC_MIKEY_UNSUPPORTED:
      number = INVALID_DATA_TYPE;
      break;
    case GST_TFRC_MIKEY_WRONG_PASSPHRASE:
      number = AUTH_FAILURE;
      break;
    case GST_TFRC_MIKEY_UNKNOWN_KEY:
      number = INVALID_ID;
      break;
    case GST_TFRC_MIKEY_BAD_CERTIFICATE:
      number = INVALID_CERTIFICATE;
      break;
    case GST_TFRC_MIKEY_CLOCK:
      number = INVALID_TIMESTAMP;
      break;
    case GST_TFRC_MIKEY_FAILED:
      number = UNSPECIFIED;
      break;
    default:
      /* A malformed message needs no answer, and a message that came twice has one. */
      return NULL;
  }
  gst_tfrc_mikey_writer_init (&writer, GST_TFRC_MIKEY_TYPE_ERROR, csb_id, NULL);
  gst_tfrc_mikey_write_timestamp (&writer, 0); /* nobody checks the time of such a message */
  gst_tfrc_mikey_write_error (&writer, number);
  return gst_tfrc_mikey_writer_finish (&writer);
}

gboolean
gst_tfrc_mikey_read_refusal (
    const guint8 *bytes, gsize size, guint32 *csb_id, GstTfrcMikeyError *reason)
{
  GstTfrcMikeyMessage message;

  if (!gst_tfrc_mikey_parse (bytes, size, &message, NULL)
      || message.header.data_type != GST_TFRC_MIKEY_TYPE_ERROR
      || (message.payloads & 1U << GST_TFRC_MIKEY_PAYLOAD_ERR) == 0)
    return FALSE;
  *csb_id = message.header.csb_id;
  switch (message.error_number) {
    case AUTH_FAILURE:
      *reason = GST_TFRC_MIKEY_WRONG_PASSPHRASE;
      return TRUE;
    case INVALID_TIMESTAMP:
      *reason = GST_TFRC_MIKEY_CLOCK;
      return TRUE;
    case INVALID_ID:
      *reason = GST_TFRC_MIKEY_UNKNOWN_KEY;
      return TRUE;
    case INVALID_CERTIFICATE:
      *reason = GST_TFRC_MIKEY_BAD_CERTIFICATE;
      return TRUE;
    case UNSPECIFIED:
      *reason = GST_TFRC_MIKEY_FAILED;
      return TRUE;
    default:
      *reason = GST_TFRC_MIKEY_UNSUPPORTED;
      return message.error_number <= UNPARSEABLE;
  }
}
