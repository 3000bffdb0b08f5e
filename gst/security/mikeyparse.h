/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads MIKEY messages into their payloads (RFC 3830 section 6, RFC 4738 section 3.9). */
#ifndef GST_TFRC_MIKEY_PARSE_H
#define GST_TFRC_MIKEY_PARSE_H

#include "mikey.h"

G_BEGIN_DECLS

#define GST_TFRC_MIKEY_VERSION 1

/** Crypto sessions of a stream: from the sender, and from the receiver */
#define GST_TFRC_MIKEY_SESSIONS 2

/** HMAC-SHA-1-160, the one MAC that is supported */
#define GST_TFRC_MIKEY_MAC_BYTES 20

/** Of the RAND that is made here, and the least that is taken (section 6.11) */
#define GST_TFRC_MIKEY_RAND_BYTES 16

/** Data types (RFC 3830 table 6.1.a, RFC 4738 section 3.9.1) */
enum
{
  GST_TFRC_MIKEY_TYPE_PSK = 0,
  GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION = 1,
  GST_TFRC_MIKEY_TYPE_RSA = 2,
  GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION = 3,
  GST_TFRC_MIKEY_TYPE_ERROR = 6,
  GST_TFRC_MIKEY_TYPE_REQUEST = 9,
  GST_TFRC_MIKEY_TYPE_GRANT = 10
};

/** Payloads (RFC 3830 table 6.1.b) */
enum
{
  GST_TFRC_MIKEY_PAYLOAD_LAST = 0,
  GST_TFRC_MIKEY_PAYLOAD_KEMAC = 1,
  GST_TFRC_MIKEY_PAYLOAD_PKE = 2,
  GST_TFRC_MIKEY_PAYLOAD_SIGN = 4,
  GST_TFRC_MIKEY_PAYLOAD_T = 5,
  GST_TFRC_MIKEY_PAYLOAD_ID = 6,
  GST_TFRC_MIKEY_PAYLOAD_CERT = 7,
  GST_TFRC_MIKEY_PAYLOAD_V = 9,
  GST_TFRC_MIKEY_PAYLOAD_SP = 10,
  GST_TFRC_MIKEY_PAYLOAD_RAND = 11,
  GST_TFRC_MIKEY_PAYLOAD_ERR = 12,
  GST_TFRC_MIKEY_PAYLOAD_KEY_DATA = 20,
  GST_TFRC_MIKEY_PAYLOAD_EXTENSION = 21
};

/** Values of fields that have one supported value each */
#define GST_TFRC_MIKEY_AES_CM_128 1     /* table 6.2.a */
#define GST_TFRC_MIKEY_HMAC_SHA_1_160 1 /* table 6.2.b */
#define GST_TFRC_MIKEY_RSA_PSS 1        /* table 6.5 */
#define GST_TFRC_MIKEY_ID_URI 1         /* table 6.7.a */
#define GST_TFRC_MIKEY_X509V3 0         /* table 6.7.b */

/** Beginning of the general extension that announces the crypto session of the repairs: a vendor's ID
 * (section 6.15), behind which comes the SRTP-ID of the session as in the header */
#define GST_TFRC_MIKEY_REPAIR_NAME "TFRC"

/** A crypto session by its SRTP-ID (section 6.1.1) */
typedef struct
{
  guint8 policy;
  guint32 ssrc;
  guint32 roc;
} GstTfrcMikeySession;

/** Bytes inside of the message that was read */
typedef struct
{
  const guint8 *data; /**< NULL: the message has no such payload */
  gsize size;
} GstTfrcMikeyBytes;

typedef struct
{
  guint8 data_type;
  guint8 prf;
  guint32 csb_id;
  guint n_sessions;
  GstTfrcMikeySession sessions[GST_TFRC_MIKEY_SESSIONS]; /**< set if there are so many */
} GstTfrcMikeyHeader;

/** A message.  No payload occurs twice, except the ID, which may occur twice. */
typedef struct
{
  GstTfrcMikeyHeader header;
  guint32 payloads; /**< bit (1 << type) for each payload in the message, except the extension */

  guint64 timestamp; /**< NTP-UTC */
  GstTfrcMikeyBytes rand;
  GstTfrcMikeyBytes ids[2]; /**< in the order of the message */
  guint n_ids;
  GstTfrcMikeyBytes certificate; /**< DER */
  guint8 policy_number;
  GstTfrcMikeyBytes policy; /**< types, lengths and values */
  guint8 encryption;        /**< of the KEMAC */
  GstTfrcMikeyBytes kemac;  /**< the payload without its MAC */
  GstTfrcMikeyBytes key_data;
  guint8 mac_algorithm;  /**< of the KEMAC or V */
  GstTfrcMikeyBytes mac; /**< of the KEMAC or V */
  GstTfrcMikeyBytes envelope;
  guint8 signature_type;
  GstTfrcMikeyBytes signature;
  guint8 error_number;
  gboolean has_repair;
  GstTfrcMikeySession repair; /**< valid if has_repair: the crypto session of the repairs */

  /** The message up to the MAC or signature that covers the message */
  GstTfrcMikeyBytes covered;
} GstTfrcMikeyMessage;

/** Reads the header alone.
 * @return FALSE with @a error set: MALFORMED, or UNSUPPORTED (CS ID map) */
gboolean gst_tfrc_mikey_parse_header (
    const guint8 *bytes, gsize size, GstTfrcMikeyHeader *header, GError **error);

/** Reads a message.  Checks its form, and nothing else.
 * @param message refers to @a bytes
 * @return FALSE with @a error set: MALFORMED, or UNSUPPORTED if a field has a value whose length is
 *   not known here */
gboolean gst_tfrc_mikey_parse (
    const guint8 *bytes, gsize size, GstTfrcMikeyMessage *message, GError **error);

/** Reads the decrypted key data of a KEMAC: an ID if @a id is not NULL, and one TGK.
 * @return FALSE with @a error set: MALFORMED, UNSUPPORTED */
gboolean gst_tfrc_mikey_parse_key_data (
    const guint8 *bytes, gsize size, GstTfrcMikeyBytes *id, GstTfrcMikeyBytes *tgk, GError **error);

/** Checks that a message has all @a wanted payloads, and no others but @a allowed ones, each a set of
 * bits; and if a RAND is wanted, that the RAND is long enough.
 * @return FALSE with @a error set: MALFORMED if a payload is missing, UNSUPPORTED otherwise */
gboolean gst_tfrc_mikey_check_payloads (
    const GstTfrcMikeyMessage *message, guint32 wanted, guint32 allowed, GError **error);

/** Sets an error of GST_TFRC_MIKEY_ERROR.
 * @param detail a static English sentence
 * @return FALSE */
gboolean gst_tfrc_mikey_fail (GError **error, GstTfrcMikeyError code, const gchar *detail);

G_END_DECLS
#endif
