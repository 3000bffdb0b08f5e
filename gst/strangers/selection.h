/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection of a receiver's peer (peer.h): whose data goes to the pipeline, and who gets
 * feedback.  docs/rules.md, "The peer of a source", has the rules.
 *
 * A packet is the peer's, or makes its host a pending peer (pending.h).  After each packet and after
 * each timeout a pending peer may become the peer, or the peer's stream may have ended.
 *
 *                  the best pending peer,
 *                  otherwise a provisional one                 BYE, and the liveness test has failed
 *     LISTENING ------------------------------> SERVING ---------------------------------> ENDED
 *        ^                                      |     ^                                     |  |
 *        |        the new peer's flow           |     | another one may take over:          |  |
 *        +-------- could not begin -------------+     | - validated, and the peer is not    |  |
 *        |                                      +-----+ - the peer is silent, and its test  |  |
 *        |                                              has failed                          |  |
 *        |                                            - at the peer's own address           |  |
 *        |                                            - a displaced peer comes back         |  |
 *        |                                            - the peer is provisional             |  |
 *        |                                                                                  |  |
 *        +-----  never again without keep_listening  <--------------------------------------+  |
 *                                               SERVING <--------------------------------------+
 *                                                      with keep_listening: the next pending peer
 *
 *     transition                       function
 *     LISTENING, ENDED -> SERVING      gst_tfrc_selection_take_new_peer()
 *     SERVING -> SERVING, another one  gst_tfrc_selection_take_new_peer()
 *     SERVING -> LISTENING             gst_tfrc_selection_drop_peer()
 *     SERVING -> ENDED                 gst_tfrc_selection_on_time(), gst_tfrc_selection_end_at();
 *                                      gst_tfrc_selection_take_end() tells it once
 *
 * With GST_TFRC_TRUST_FIRST the first sender of TFRC's data is the *provisional* peer (peer.h) while its
 * address is being validated, because a receiver that waits for the response plays an R later.  It
 * gives way to each validated pending peer at once.  A plausible one waits until the provisional peer is
 * unresponsive (peer.h), as a true sender may be about to respond, and is tried before the provisional
 * peer can be plausible itself.  Another peer cannot be provisional before a peer that was not has
 * ended.
 *
 * A peer is *displaced* when another one becomes the peer while the former peer is silent.  The next
 * packet of a displaced peer that was validated makes that host the peer again.
 *
 * A receiver that knows its sender's address probes that address, or calls it (probes.h).
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SELECTION_H
#define GST_TFRC_SELECTION_H

#include <tfrc/wire.h>

#include "../io/addressfilter.h"
#include "peer.h"
#include "probes.h"

G_BEGIN_DECLS

/** Where a packet belongs */
typedef enum
{
  GST_TFRC_VERDICT_FOREIGN, /**< nowhere: the caller counts the packet */
  GST_TFRC_VERDICT_HANDLED, /**< to the selection, which has used or copied the packet */
  GST_TFRC_VERDICT_PEER     /**< to the peer's flow: the caller passes the packet on */
} GstTfrcVerdict;

typedef struct _GstTfrcSelection GstTfrcSelection;

typedef struct
{
  guint64 packets_dropped; /**< data packets of pending peers that did not become the peer */
  guint64 byes_refused;    /**< forged BYEs: the peer is still there */
} GstTfrcSelectionStats;

/** Begins without a peer.
 * @param filter which hosts can become the peer; copied
 * @param keep_listening another stream may follow when one has ended
 * @param trust what a sender has to show
 * @param secret random bytes that no peer can know; copied
 * @return to be freed with gst_tfrc_selection_free() */
GstTfrcSelection *gst_tfrc_selection_new (const GstTfrcAddressFilter *filter,
    gboolean keep_listening, GstTfrcTrust trust, const guint8 secret[GST_TFRC_SECRET_BYTES],
    guint64 now_ns);

/** NULL is allowed. */
void gst_tfrc_selection_free (GstTfrcSelection *self);

/** A data packet has come. */
GstTfrcVerdict gst_tfrc_selection_on_data (
    GstTfrcSelection *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header);

/** An RTCP compound has come.
 * @param rtt_ns R of the peer's stream, 0: unknown */
GstTfrcVerdict gst_tfrc_selection_on_rtcp (GstTfrcSelection *self,
    const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp, guint64 rtt_ns);

/** The time of gst_tfrc_selection_next_ns() has come.
 * @param rtt_ns R of the peer's stream, 0: unknown */
void gst_tfrc_selection_on_time (GstTfrcSelection *self, guint64 rtt_ns, guint64 now_ns);

/** Makes the pending peer that should be the peer the peer.  To be called after each packet and
 * after gst_tfrc_selection_on_time().
 * @return the former pending peer; the caller takes its packets (gst_tfrc_pending_get_held()) and
 *   then calls gst_tfrc_selection_release() or gst_tfrc_selection_drop_peer().  NULL: the peer stays
 *   the same */
const GstTfrcPendingPeer *gst_tfrc_selection_take_new_peer (GstTfrcSelection *self, guint64 now_ns);

/** Forgets the former pending peer, whose packets have been taken. */
void gst_tfrc_selection_release (GstTfrcSelection *self, const GstTfrcPendingPeer *pending);

/** Ends with the new peer, as its flow could not begin; its packets count as dropped. */
void gst_tfrc_selection_drop_peer (GstTfrcSelection *self, const GstTfrcPendingPeer *pending);

/** Ends with who is at this address: the peer's stream ends as after a BYE, and pending peers are dropped. */
void gst_tfrc_selection_end_at (
    GstTfrcSelection *self, const GstTfrcAddress *address, guint64 now_ns);

/** Returns TRUE once after the peer's stream has ended. */
gboolean gst_tfrc_selection_take_end (GstTfrcSelection *self);

/** Returns when gst_tfrc_selection_on_time() or gst_tfrc_selection_write_challenge() has
 * something to do; G_MAXUINT64: never. */
guint64 gst_tfrc_selection_next_ns (const GstTfrcSelection *self);

/** Writes the next challenge that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @param to set to where the challenge goes
 * @param local set to the address that the challenge leaves from; "no address": over the active
 *   path
 * @return bytes written; 0 if none is due */
gsize gst_tfrc_selection_write_challenge (GstTfrcSelection *self, guint32 own_ssrc, guint64 now_ns,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

/** Returns the probes, for gst_tfrc_probes_call() after the start, and for calls and their answers. */
GstTfrcProbes *gst_tfrc_selection_get_probes (GstTfrcSelection *self);

/* ---- queries ----------------------------------------------------------- */

/** Returns who the peer is; after the end, who it was, with `exists' FALSE.  Valid as long as the
 * selection. */
const GstTfrcPeerId *gst_tfrc_selection_get_peer (const GstTfrcSelection *self);

/** Returns whether the peer, or the last one, has been validated. */
gboolean gst_tfrc_selection_is_validated (const GstTfrcSelection *self);

/** Returns whether a packet of TFRC_WIRE_MAX_RTCP_BYTES may be sent to the peer.  What cannot leave need not be
 * made. */
gboolean gst_tfrc_selection_has_credit (const GstTfrcSelection *self);

/** Returns whether one packet of this size may be sent to the peer, and takes its credit. */
gboolean gst_tfrc_selection_may_send (GstTfrcSelection *self, gsize bytes);

/** Returns the pending peer at place @a i, 0 .. GST_TFRC_MAX_PENDING - 1; NULL: the place is free. */
const GstTfrcPendingPeer *gst_tfrc_selection_get_pending (const GstTfrcSelection *self, guint i);

/** Returns the last validated peer that was displaced; `exists' is FALSE: there is none. */
const GstTfrcPeerId *gst_tfrc_selection_get_displaced (const GstTfrcSelection *self);

void gst_tfrc_selection_get_stats (const GstTfrcSelection *self, GstTfrcSelectionStats *stats);

/** Returns the invariant that does not hold, as text; NULL: all hold.  For tests and gdb. */
const gchar *gst_tfrc_selection_check (const GstTfrcSelection *self);

/** Prints peer, pending peers and probes to standard error: `call gst_tfrc_selection_print (self)' in
 * gdb. */
void gst_tfrc_selection_print (const GstTfrcSelection *self);

G_END_DECLS
#endif
