/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peer of an end that has one at a time, such as the sender whose stream a receiver takes.
 * Address and SSRC identify the peer.
 *
 * The peer is *validated* when it has responded to a challenge (address validation, RFC 9000
 * section 8), or has used keys for which this end's part has gone to its address.  A peer that is not
 * validated gets no more bytes and packets than have come from it
 * (anti-amplification limit, RFC 9000 section 8.1): what it may still get is its *credit*.
 *
 * A peer is *provisional* if it had shown nothing when it became the peer.  It is no longer provisional
 * when it has responded, or is plausible (pending.h): two packets of the movie in sequence have come, and
 * it is unresponsive, as no response has come for a second after its first challenge left, or sends plain
 * RTP now.  Its challenges begin with its data, whatever it was asked before, and when those have failed,
 * with its next packet: each time the second begins anew.  The BYE of a provisional peer has no effect.
 *
 * The *liveness test* (as RFC 9000 section 10.1.1) has one of two reasons: the peer is silent while
 * another one waits, or a BYE has come, which every host that has seen the SSRC can forge.  The test
 * sends challenges with random bytes of their own.  It ends when the peer responds, or fails at a
 * timeout.
 *
 *            start                   response with the cookie, or to a test
 *     no peer ------> provisional -------------------------------------------> validated
 *                          | unresponsive, and two packets in sequence
 *                          v
 *                start                  response with the cookie, or to a test
 *     no peer --------> not validated --------------------------------------> validated
 *        ^                 |   BYE |                                         | BYE   | silence, and
 *        |                 |       v                                         v       v another waits
 *        |                 |   test after a BYE <--------> none <-------> test, for BYE or silence
 *        |                 |       |  data late in the test, a response:      |
 *        |                 |       |  the BYE was forged                      |
 *        +-----------------+-------+------------------------------------------+ timeout
 *
 *     transition                            function
 *     no peer -> peer                       gst_tfrc_peer_start()
 *     provisional -> not validated          gst_tfrc_peer_keep_place()
 *     provisional -> validated              gst_tfrc_peer_on_validated(), gst_tfrc_peer_on_response()
 *     not validated -> validated            gst_tfrc_peer_on_validated(), gst_tfrc_peer_on_response()
 *     no test -> test after a BYE           gst_tfrc_peer_on_bye()
 *     no test -> test of a silent peer      gst_tfrc_peer_set_silent()
 *     test of a silent peer -> no test      gst_tfrc_peer_on_packet(), gst_tfrc_peer_unset_silent()
 *     test after a BYE -> no test           gst_tfrc_peer_on_data(), gst_tfrc_peer_on_response()
 *     test -> failed                        time; gst_tfrc_peer_is_replaced() at once
 *     peer -> no peer                       gst_tfrc_peer_end()
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_PEER_H
#define GST_TFRC_PEER_H

#include "liveness.h"
#include "pending.h"

G_BEGIN_DECLS

typedef struct _GstTfrcPeer GstTfrcPeer;

/** Begins without a peer.
 * @return to be freed with gst_tfrc_peer_free() */
GstTfrcPeer *gst_tfrc_peer_new (void);

/** NULL is allowed. */
void gst_tfrc_peer_free (GstTfrcPeer *peer);

/** Makes the pending peer, which holds data, the peer.
 * @param provisional it is neither validated nor plausible */
void gst_tfrc_peer_start (
    GstTfrcPeer *peer, const GstTfrcPendingPeer *pending, gboolean provisional, guint64 now_ns);

/** Ends: there is no peer any more.  Answers to its BYE may still leave, as far as the credit goes.
 */
void gst_tfrc_peer_end (GstTfrcPeer *peer);

/** Returns who the peer is; after the end, who it was, with `exists' FALSE. */
const GstTfrcPeerId *gst_tfrc_peer_get_id (const GstTfrcPeer *peer);

gboolean gst_tfrc_peer_is_validated (const GstTfrcPeer *peer);

/** Returns whether the peer is provisional: a pending peer that has shown more may take its place. */
gboolean gst_tfrc_peer_is_provisional (const GstTfrcPeer *peer);

/** Returns when a provisional peer is unresponsive, unless it responds before; 0: no answer can come, as it sends plain
 * RTP, which has no challenges, or none has left in time; G_MAXUINT64: the first challenge has yet to leave. */
guint64 gst_tfrc_peer_get_unresponsive_ns (const GstTfrcPeer *peer);

/** Returns when the last packet of any kind came. */
guint64 gst_tfrc_peer_get_heard_ns (const GstTfrcPeer *peer);

GstTfrcTest gst_tfrc_peer_get_test (const GstTfrcPeer *peer);

/** Returns how many BYEs were forged, of this peer and those before. */
guint64 gst_tfrc_peer_get_byes_refused (const GstTfrcPeer *peer);

/** A packet of the peer, of any kind, has come.  To be called first. */
void gst_tfrc_peer_on_packet (GstTfrcPeer *peer, const GstTfrcReceivedPacket *packet);

/** A data packet of the peer has come. */
void gst_tfrc_peer_on_data (GstTfrcPeer *peer, const TfrcWireData *header, guint64 now_ns);

/** Challenges that have failed begin anew, as a packet of the peer has come.  To be called before
 * gst_tfrc_peer_on_packet().
 * @param now_ns when an answer to the packet can leave */
void gst_tfrc_peer_challenge_anew (
    GstTfrcPeer *peer, const GstTfrcCookies *cookies, guint64 now_ns);

/** A BYE of the peer has come.  The BYE counts when the liveness test that begins now has failed.
 * @param rtt_ns R, 0: unknown */
void gst_tfrc_peer_on_bye (GstTfrcPeer *peer, guint64 rtt_ns, guint64 now_ns);

/** The peer has responded with its cookie.
 * @param now_ns when challenges because of the response can leave */
void gst_tfrc_peer_on_validated (GstTfrcPeer *peer, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES],
    guint64 arrival_ns, guint64 now_ns);

/** A response has come from the peer's address.
 * @return FALSE if it does not belong to a liveness test */
gboolean gst_tfrc_peer_on_response (GstTfrcPeer *peer, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Time has passed: challenges without a response fail. */
void gst_tfrc_peer_on_time (GstTfrcPeer *peer, guint64 now_ns);

/** No pending peer takes the peer's place now: a provisional peer may be plausible. */
void gst_tfrc_peer_keep_place (GstTfrcPeer *peer, guint64 now_ns);

/** Another stream has the peer's address: a liveness test that runs has failed. */
void gst_tfrc_peer_is_replaced (GstTfrcPeer *peer, guint64 now_ns);

/** The peer has been silent while another one waits: a liveness test starts, unless one runs that
 * takes as long. */
void gst_tfrc_peer_set_silent (GstTfrcPeer *peer, guint64 timeout_ns, guint64 now_ns);

/** The peer has not been silent, or no other one waits: ends a liveness test of a silent peer. */
void gst_tfrc_peer_unset_silent (GstTfrcPeer *peer);

/** Returns the timeout of the liveness test for a pending peer that waits.
 * @param same_stream the pending peer has the peer's SSRC
 * @param rtt_ns R, as the peer says; 0: unknown */
guint64 gst_tfrc_peer_get_test_ns (const GstTfrcPeer *peer, gboolean same_stream, guint64 rtt_ns);

/** Returns whether the liveness test of a silent peer has failed. */
gboolean gst_tfrc_peer_is_dead (const GstTfrcPeer *peer, guint64 now_ns);

/** Returns whether the liveness test after a BYE has failed. */
gboolean gst_tfrc_peer_has_ended (const GstTfrcPeer *peer, guint64 now_ns);

/** Gives credit for one packet of this size that has come. */
void gst_tfrc_peer_add_credit (GstTfrcPeer *peer, gsize bytes);

/** Returns whether a packet of TFRC_WIRE_MAX_RTCP_BYTES may be sent to the peer.  What cannot leave need not be
 * made. */
gboolean gst_tfrc_peer_has_credit (const GstTfrcPeer *peer);

/** Returns whether one packet of this size may be sent to the peer, and takes its credit.  While a provisional peer
 * is challenged, the credit of one challenge stays. */
gboolean gst_tfrc_peer_may_send (GstTfrcPeer *peer, gsize bytes);

/** Returns when gst_tfrc_peer_on_time(), gst_tfrc_peer_keep_place() or gst_tfrc_peer_take_challenge() has something
 * to do, or a liveness test ends; G_MAXUINT64: never. */
guint64 gst_tfrc_peer_next_ns (const GstTfrcPeer *peer);

/** Takes the challenge that is due.  The caller sends the challenge at once.
 * @return FALSE if none is due */
gboolean gst_tfrc_peer_take_challenge (
    GstTfrcPeer *peer, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns the invariant that does not hold, as text; NULL: all hold.  For tests and gdb. */
const gchar *gst_tfrc_peer_check (const GstTfrcPeer *peer);

/** Prints the peer to standard error: `call gst_tfrc_peer_print (peer)' in gdb. */
void gst_tfrc_peer_print (const GstTfrcPeer *peer);

G_END_DECLS
#endif
