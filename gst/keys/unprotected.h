/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is noted about a packet that has been unprotected. */
#ifndef GST_TFRC_UNPROTECTED_H
#define GST_TFRC_UNPROTECTED_H

#include "../io/datagrams.h"
#include "../security/srtp.h"

G_BEGIN_DECLS

/** @param srtp that has unprotected the packet just now
 * @param data the packet without protection
 * @param size of it, bytes */
static inline void
gst_tfrc_note_unprotected (GstTfrcReceivedPacket *plain, GstTfrcSrtp *srtp, gboolean is_rtcp,
    const guint8 *data, gsize size)
{
  plain->size = size;
  plain->is_protected = TRUE;
  if (!is_rtcp) {
    guint16 seq = GST_READ_UINT16_BE (data + 2);

    plain->index = (guint64) gst_tfrc_srtp_get_roc (srtp, seq) << 16 | seq;
  }
}

G_END_DECLS
#endif
