/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peer of a source: the sender whose stream the source receives.  Address and SSRC identify
 * the sender.
 *
 * The peer is *validated* when it has responded to a challenge (address validation, RFC 9000
 * section 8).  A peer that is not validated gets no more bytes and packets than have come from it
 * (anti-amplification limit, RFC 9000 section 8.1): what it may still get is its *credit*.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCPEER_H
#define GST_TFRC_SRCPEER_H

#include "srcliveness.h"
#include "srcpending.h"

G_BEGIN_DECLS

/** One stream of one host; all zero: none */
typedef struct
{
  gboolean exists;
  GstTfrcAddress address;
  guint32 ssrc;
} GstTfrcSrcSender;

/** Returns whether this is the sender's address and SSRC. */
gboolean gst_tfrc_src_sender_is (
    const GstTfrcSrcSender *sender, const GstTfrcAddress *address, guint32 ssrc);

/** Returns whether this is the sender's address, whichever the SSRC. */
gboolean gst_tfrc_src_sender_is_at (const GstTfrcSrcSender *sender, const GstTfrcAddress *address);

/** All zero but the paths: there is no peer. */
typedef struct
{
  GstTfrcSrcSender sender;
  gboolean validated;
  gboolean tfrc;        /**< its data carries what TFRC needs */
  guint64 heard_ns;     /**< when the last packet of any kind came */
  TfrcPath *path;       /**< challenges until the peer is validated */
  guint64 credit_bytes; /**< of a peer that is not validated */
  guint credit_packets;
  GstTfrcSrcLiveness liveness;
  guint64 byes_refused; /**< forged BYEs, of this peer and those before */
} GstTfrcSrcPeer;

/** Begins without a peer. */
void gst_tfrc_src_peer_init (GstTfrcSrcPeer *peer);

/** Frees the memory of gst_tfrc_src_peer_init(). */
void gst_tfrc_src_peer_clear (GstTfrcSrcPeer *peer);

/** Makes the pending sender the peer. */
void gst_tfrc_src_peer_start (GstTfrcSrcPeer *peer, const GstTfrcSrcPendingSender *sender);

/** Ends: there is no peer any more.  Answers to its BYE may still leave, as far as the credit goes.
 */
void gst_tfrc_src_peer_end (GstTfrcSrcPeer *peer);

/** A packet of the peer, of any kind, has come.  To be called first. */
void gst_tfrc_src_peer_on_packet (GstTfrcSrcPeer *peer, const GstTfrcReceivedPacket *packet);

/** A data packet of the peer has come. */
void gst_tfrc_src_peer_on_data (GstTfrcSrcPeer *peer, const TfrcWireData *header, guint64 now_ns);

/** A BYE of the peer has come.  The BYE counts when the liveness test that begins now has failed.
 * @param rtt_ns R, 0: unknown */
void gst_tfrc_src_peer_on_bye (GstTfrcSrcPeer *peer, guint64 rtt_ns, guint64 now_ns);

/** The peer has responded with its cookie. */
void gst_tfrc_src_peer_on_validated (GstTfrcSrcPeer *peer, guint64 now_ns);

/** A response has come from the peer's address.
 * @return FALSE if it does not belong to a liveness test */
gboolean gst_tfrc_src_peer_on_response (GstTfrcSrcPeer *peer, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Another stream has the peer's address: a liveness test that runs has failed. */
void gst_tfrc_src_peer_is_replaced (GstTfrcSrcPeer *peer, guint64 now_ns);

/** The peer has been silent while another sender waits: a liveness test starts, unless one runs that
 * takes as long. */
void gst_tfrc_src_peer_set_silent (GstTfrcSrcPeer *peer, guint64 timeout_ns, guint64 now_ns);

/** The peer has not been silent, or no other sender waits: ends a liveness test of a silent peer. */
void gst_tfrc_src_peer_unset_silent (GstTfrcSrcPeer *peer);

/** Returns the timeout of the liveness test for a sender that waits.
 * @param same_stream the sender has the peer's SSRC
 * @param rtt_ns R, as the peer says; 0: unknown */
guint64 gst_tfrc_src_peer_get_test_ns (
    const GstTfrcSrcPeer *peer, gboolean same_stream, guint64 rtt_ns);

/** Returns whether the liveness test of a silent peer has failed. */
gboolean gst_tfrc_src_peer_is_dead (const GstTfrcSrcPeer *peer, guint64 now_ns);

/** Returns whether the liveness test after a BYE has failed. */
gboolean gst_tfrc_src_peer_has_ended (const GstTfrcSrcPeer *peer, guint64 now_ns);

/** Gives credit for one packet of this size that has come. */
void gst_tfrc_src_peer_add_credit (GstTfrcSrcPeer *peer, gsize bytes);

/** Returns whether one packet of this size may be sent to the peer, and takes its credit. */
gboolean gst_tfrc_src_peer_may_send (GstTfrcSrcPeer *peer, gsize bytes);

/** Returns when a challenge or the end of a liveness test is due; G_MAXUINT64: never. */
guint64 gst_tfrc_src_peer_next_ns (const GstTfrcSrcPeer *peer);

/** Takes the challenge that is due.  The caller sends the challenge at once.
 * @return FALSE if none is due */
gboolean gst_tfrc_src_peer_take_challenge (
    GstTfrcSrcPeer *peer, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
