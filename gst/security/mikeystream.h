/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a message with keys says about the stream: its crypto sessions and the cipher. */
#ifndef GST_TFRC_MIKEYSTREAM_H
#define GST_TFRC_MIKEYSTREAM_H

#include "mikeywrite.h"

G_BEGIN_DECLS

/** Writes the policy of the stream's cipher, and the crypto session of its repairs unless the SSRC is
 * odd.  The other two sessions are in the header. */
void gst_tfrc_mikey_write_stream (GstTfrcMikeyWriter *writer, const GstTfrcMikeyStream *stream);

/** Reads header, policy, algorithms, and the crypto session of the repairs.
 * @return FALSE with @a error set: UNSUPPORTED, MALFORMED */
gboolean gst_tfrc_mikey_read_stream (
    const GstTfrcMikeyMessage *message, GstTfrcMikeyStream *stream, GError **error);

G_END_DECLS
#endif
