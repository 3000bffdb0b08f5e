/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a stream for players (SDP, RFC 8866). */
#ifndef GST_TFRC_SINK_SDP_H
#define GST_TFRC_SINK_SDP_H

#include "gsttfrcsinksettings.h"

G_BEGIN_DECLS

/** Describes the stream that these settings send: MP2T in RTP (RFC 3551, RFC 2250).
 * @return text to be freed with g_free(); NULL for a stream with keys, which no player can decrypt,
 *   and without a host.  The caller locks the settings. */
gchar *gst_tfrc_sink_sdp_new (const GstTfrcSinkSettings *settings);

G_END_DECLS
#endif
