/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is noted about a packet that has been unprotected. */
#ifndef GST_TFRC_UNPROTECTED_H
#define GST_TFRC_UNPROTECTED_H

#include "../io/datagrams.h"
#include "../security/srtp.h"

G_BEGIN_DECLS

/** @param srtp that has unprotected the packet just now
 * @param size of the packet without protection, bytes */
static inline void
gst_tfrc_note_unprotected (
    GstTfrcReceivedPacket *plain, GstTfrcSrtp *srtp, gboolean is_rtcp, gsize size)
{
  plain->size = size;
  plain->is_protected = TRUE;
  if (!is_rtcp)
    plain->index = gst_tfrc_srtp_get_index (srtp);
}

G_END_DECLS
#endif
