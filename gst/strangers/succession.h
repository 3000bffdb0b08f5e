/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the peer of a receiver gives way to a pending peer: the table of docs/rules.md, "The peer of a source". Who of
 * the pending peers is asked for, and what follows, is the selection's (selection.h).
 *
 * No state, no clock, no locks. */
#ifndef GST_TFRC_SUCCESSION_H
#define GST_TFRC_SUCCESSION_H

#include "peer.h"

G_BEGIN_DECLS

/** A peer without validation that has been silent for this time gives way to a host that is not
 * validated either.  An idle tfrcsink sends its reports more often than that (RFC 8083). */
#define GST_TFRC_PEER_SILENCE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** Returns whether both are validated and send the same stream: the peer's address has changed. */
gboolean gst_tfrc_succession_is_same_stream (
    const GstTfrcPeer *peer, const GstTfrcPendingPeer *next);

/** Returns when the peer may have to give way although the pending peer has shown no more than the peer: it has been
 * silent for long enough, or is provisional and has left challenges unanswered for long enough. */
guint64 gst_tfrc_succession_get_ns (const GstTfrcPeer *peer, const GstTfrcPendingPeer *next);

/** Returns whether the peer, which there is, gives way now.
 * @param next validated or plausible
 * @param is_displaced the pending peer was the peer before, and has been displaced */
gboolean gst_tfrc_succession_is_due (
    const GstTfrcPeer *peer, const GstTfrcPendingPeer *next, gboolean is_displaced, guint64 now_ns);

G_END_DECLS
#endif
