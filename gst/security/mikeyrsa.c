/* Exchange of key messages with RSA (RFC 3830 section 3.2), see mikey.h. */
#include "mikeyexchange.h"

GBytes *
gst_tfrc_mikey_rsa_offer (const GstTfrcCredentials *credentials, GstTfrcMikeyStream *stream,
    guint64 wall_ns, GstTfrcStreamKeys *keys, GstTfrcMikeyExchange **exchange, GError **error)
{
  gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED, "RSA is not supported yet.");
  return NULL;
}

GBytes *
gst_tfrc_mikey_rsa_accept (const GstTfrcCredentials *credentials, GstTfrcMikeyReplayCache *cache,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GstTfrcMikeyStream *stream,
    GstTfrcStreamKeys *keys, GError **error)
{
  gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED, "RSA is not supported yet.");
  return NULL;
}
