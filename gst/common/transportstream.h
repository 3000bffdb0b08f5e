/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a payload of RTP with a transport stream looks like (RFC 2250 section 2). */
#ifndef GST_TFRC_TRANSPORTSTREAM_H
#define GST_TFRC_TRANSPORTSTREAM_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_TRANSPORT_STREAM_PACKET_BYTES 188
#define GST_TFRC_TRANSPORT_STREAM_SYNC_BYTE 0x47

/** Is it one or more whole packets, of which the first begins as it has to? Any thread.
 * @param payload not read if @a bytes is 0 */
static inline gboolean
gst_tfrc_is_transport_stream (const guint8 *payload, gsize bytes)
{
  return bytes > 0 && bytes % GST_TFRC_TRANSPORT_STREAM_PACKET_BYTES == 0
      && payload[0] == GST_TFRC_TRANSPORT_STREAM_SYNC_BYTE;
}

G_END_DECLS
#endif
