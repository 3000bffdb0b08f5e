/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offers of either kind, and what a message is, see mikey.h. */
#include "credentials-private.h"
#include "mikeyexchange.h"

gboolean
gst_tfrc_mikey_peek (const guint8 *message, gsize size, GstTfrcMikeyKind *kind, guint32 *csb_id)
{
  GstTfrcMikeyHeader header;

  if (!gst_tfrc_mikey_parse_header (message, size, &header, NULL))
    return FALSE;
  *csb_id = header.csb_id;
  switch (header.data_type) {
    case GST_TFRC_MIKEY_TYPE_PSK:
    case GST_TFRC_MIKEY_TYPE_RSA:
      *kind = GST_TFRC_MIKEY_OFFER;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_PSK_VERIFICATION:
    case GST_TFRC_MIKEY_TYPE_RSA_VERIFICATION:
      *kind = GST_TFRC_MIKEY_VERIFICATION;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_REQUEST:
      *kind = GST_TFRC_MIKEY_REQUEST;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_GRANT:
      *kind = GST_TFRC_MIKEY_GRANT;
      return TRUE;
    case GST_TFRC_MIKEY_TYPE_ERROR:
      *kind = GST_TFRC_MIKEY_REFUSAL;
      return TRUE;
    default:
      return FALSE;
  }
}

GBytes *
gst_tfrc_mikey_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  GstTfrcStreamKeys made;
  GBytes *offer;

  if (credentials->key_exchange == GST_TFRC_KEY_EXCHANGE_PSK)
    offer = gst_tfrc_mikey_psk_offer (credentials, stream, wall_ns, &made, exchange, error);
  else
    offer = gst_tfrc_mikey_rsa_offer (credentials, stream, wall_ns, &made, exchange, error);
  if (offer != NULL)
    *keys = made;
  gst_tfrc_stream_keys_wipe (&made);
  return offer;
}

/* May leave stream and keys set if the offer is refused. */
static GBytes *
accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache, const guint8 *bytes,
    gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream, GstTfrcStreamKeys *keys,
    GError **error)
{
  gboolean is_psk = credentials->key_exchange == GST_TFRC_KEY_EXCHANGE_PSK;
  GstTfrcMikeyMessage message;

  if (!gst_tfrc_mikey_parse (bytes, size, &message, error))
    return NULL;
  if (message.header.data_type != (is_psk ? GST_TFRC_MIKEY_TYPE_PSK : GST_TFRC_MIKEY_TYPE_RSA)) {
    gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        is_psk ? "The key message is not one for a passphrase."
               : "The key message is not one for a private key.");
    return NULL;
  }
  if (is_psk)
    return gst_tfrc_mikey_psk_accept (credentials, cache, &message, wall_ns, stream, keys, error);
  return gst_tfrc_mikey_rsa_accept (credentials, cache, &message, wall_ns, stream, keys, error);
}

GBytes *
gst_tfrc_mikey_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const guint8 *bytes, gsize size, guint64 wall_ns, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  GstTfrcMikeyStream offered;
  GstTfrcStreamKeys made;
  GBytes *answer = accept (credentials, cache, bytes, size, wall_ns, &offered, &made, error);

  if (answer != NULL) {
    *stream = offered;
    *keys = made;
  }
  gst_tfrc_stream_keys_wipe (&made);
  return answer;
}
