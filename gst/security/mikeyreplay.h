/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages that were accepted lately (RFC 3830 section 5.4).  One thread at a time. */
#ifndef GST_TFRC_MIKEY_REPLAY_H
#define GST_TFRC_MIKEY_REPLAY_H

#include "mikeyparse.h"

G_BEGIN_DECLS

/** Returns whether a message is new and can be added.
 * @return FALSE with @a error set: REPLAYED; FAILED from the cryptographic library */
gboolean gst_tfrc_mikey_replay_cache_check (GstTfrcMikeyReplayCache *self,
    const GstTfrcMikeyMessage *message, guint64 wall_ns, GError **error);

/** Adds a message that is new, current and authenticated.  The message stays until its time stamp
 * is too old for the message to be accepted again.
 * @return FALSE with @a error set: FAILED; the message must not be accepted then */
gboolean gst_tfrc_mikey_replay_cache_add (
    GstTfrcMikeyReplayCache *self, const GstTfrcMikeyMessage *message, GError **error);

G_END_DECLS
#endif
