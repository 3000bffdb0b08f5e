/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a message with keys says about the stream, see mikeystream.h. */
#include "mikeystream.h"

#include <string.h>

#include "mikeykeys.h"
#include "srtpindex.h"

/* The session of the repairs is no third one of the header, because receivers that know two refuse a
 * header with three, and skip an extension. */
void
gst_tfrc_mikey_write_stream (GstTfrcMikeyWriter *writer, const GstTfrcMikeyStream *stream)
{
  guint8 parameters[GST_TFRC_MIKEY_POLICY_MAX_BYTES];
  gsize size = gst_tfrc_mikey_policy_write (stream->cipher, parameters);
  guint32 repair_ssrc = gst_tfrc_srtp_repair_ssrc (stream->ssrc);

  gst_tfrc_mikey_write_policy (writer, 0, parameters, (guint16) size);
  if (repair_ssrc != stream->ssrc)
    gst_tfrc_mikey_write_repair (writer, repair_ssrc, stream->repair_roc);
}

static gboolean
fits_repair (const GstTfrcMikeyMessage *message)
{
  guint32 ssrc = message->header.sessions[0].ssrc;

  return !message->has_repair
      || (message->repair.policy == message->policy_number && message->repair.ssrc != ssrc
          && message->repair.ssrc == gst_tfrc_srtp_repair_ssrc (ssrc));
}

gboolean
gst_tfrc_mikey_read_stream (
    const GstTfrcMikeyMessage *message, GstTfrcMikeyStream *stream, GError **error)
{
  const GstTfrcMikeyHeader *header = &message->header;

  if (header->n_sessions != GST_TFRC_MIKEY_SESSIONS || header->prf != 0
      || header->sessions[0].policy != message->policy_number
      || header->sessions[1].policy != message->policy_number || !fits_repair (message)
      || message->encryption != GST_TFRC_MIKEY_AES_CM_128)
    return gst_tfrc_mikey_fail (error, GST_TFRC_MIKEY_UNSUPPORTED,
        "The key message has other crypto sessions or algorithms than are supported.");
  stream->csb_id = header->csb_id;
  stream->ssrc = header->sessions[0].ssrc;
  stream->roc = header->sessions[0].roc;
  stream->repair_roc = message->has_repair ? message->repair.roc : 0;
  memset (stream->author, 0, sizeof stream->author);
  return gst_tfrc_mikey_policy_read (
      message->policy.data, message->policy.size, &stream->cipher, error);
}
