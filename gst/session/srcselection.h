/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection of a source's peer (srcpeer.h): whose data goes to the pipeline, and who gets
 * feedback. docs/decisions/elements.md, "The peer of a source", has the rules.
 *
 * A packet is the peer's, or makes its sender a pending sender (srcpending.h).  After each packet
 * and after each timeout a pending sender may become the peer, or the peer's stream may have ended.
 *
 * A peer is *displaced* when another sender becomes the peer while the former peer is silent.  The
 * next packet of a displaced peer that was validated makes that sender the peer again.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCSELECTION_H
#define GST_TFRC_SRCSELECTION_H

#include <tfrc/wire.h>

#include "../io/addressfilter.h"
#include "srcpeer.h"
#include "srcpending.h"
#include "srcprobe.h"

G_BEGIN_DECLS

/** A peer without validation that has been silent for this time gives way to a sender that is not
 * validated either.  An idle tfrcsink sends its reports more often than that (RFC 8083). */
#define GST_TFRC_SRC_PEER_SILENCE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** Where a packet belongs */
typedef enum
{
  GST_TFRC_SRC_FOREIGN, /**< nowhere: the caller counts the packet */
  GST_TFRC_SRC_HANDLED, /**< to the selection, which has used or copied the packet */
  GST_TFRC_SRC_PEER     /**< to the peer's session: the caller passes the packet on */
} GstTfrcSrcVerdict;

typedef struct
{
  GstTfrcAddressFilter filter;
  gboolean keep_listening; /**< another stream may follow when one has ended */
  GstTfrcSrcPending pending;
  GstTfrcSrcProbe probe;

  GstTfrcSrcPeer peer;
  GstTfrcSrcSender ended; /**< the last peer, if its stream has ended and no other has begun */
  guint64 ended_ns;
  gboolean has_end;           /**< gst_tfrc_src_selection_take_end() has not been called yet */
  GstTfrcSrcSender displaced; /**< the last validated peer that was displaced */
} GstTfrcSrcSelection;

/** Begins without a peer.
 * @param filter which senders can become the peer
 * @param secret random bytes that no peer can know */
void gst_tfrc_src_selection_init (GstTfrcSrcSelection *self, const GstTfrcAddressFilter *filter,
    gboolean keep_listening, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES], guint64 now_ns);

/** Frees the memory of gst_tfrc_src_selection_init(). */
void gst_tfrc_src_selection_clear (GstTfrcSrcSelection *self);

/** A data packet has come. */
GstTfrcSrcVerdict gst_tfrc_src_selection_on_data (
    GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header);

/** An RTCP compound has come.
 * @param rtt_ns R of the peer's stream, 0: unknown */
GstTfrcSrcVerdict gst_tfrc_src_selection_on_rtcp (GstTfrcSrcSelection *self,
    const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp, guint64 rtt_ns);

/** The time of gst_tfrc_src_selection_next_ns() has come.
 * @param rtt_ns R of the peer's stream, 0: unknown */
void gst_tfrc_src_selection_on_time (GstTfrcSrcSelection *self, guint64 rtt_ns, guint64 now_ns);

/** Makes the pending sender that should be the peer the peer.  To be called after each packet and
 * after gst_tfrc_src_selection_on_time().
 * @return the former pending sender; the caller takes its packets and then calls
 *   gst_tfrc_src_pending_release().  NULL: the peer stays the same */
GstTfrcSrcPendingSender *gst_tfrc_src_selection_take_new_peer (
    GstTfrcSrcSelection *self, guint64 now_ns);

/** Ends with the new peer, as its session could not be made. */
void gst_tfrc_src_selection_drop_peer (GstTfrcSrcSelection *self);

/** Returns TRUE once after the peer's stream has ended. */
gboolean gst_tfrc_src_selection_take_end (GstTfrcSrcSelection *self);

/** Returns when gst_tfrc_src_selection_on_time() or gst_tfrc_src_selection_write_challenge() has
 * something to do; G_MAXUINT64: never. */
guint64 gst_tfrc_src_selection_next_ns (const GstTfrcSrcSelection *self);

/** Writes the next challenge that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @param to set to where the challenge goes
 * @param local set to the address that the challenge leaves from; "no address": over the active
 *   path
 * @return bytes written; 0 if none is due */
gsize gst_tfrc_src_selection_write_challenge (GstTfrcSrcSelection *self, guint32 own_ssrc,
    guint64 now_ns, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

G_END_DECLS
#endif
