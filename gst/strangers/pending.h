/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pending peers: hosts that are not a peer, but could become one. Both roles have them, and each says
 * in a GstTfrcRole what a host has to do, and whether this end keeps anything of it before it has
 * proven its address:
 *
 * - A receiver keeps packets, because the first ones of a stream must not be lost: the picture below.
 * - An end that listens for many peers keeps nothing. A host that calls gets a challenge with its
 *   cookie, and the end forgets the call at once, as with SYN cookies (RFC 4987 section 3.6). The
 *   response makes the host a validated pending peer. So addresses that do not answer cost no
 *   memory and no place.
 *
 *                    data, a sender report,
 *                    a response with the cookie                     gst_tfrc_pending_release()
 *     unknown ------------------------------------> pending -------------------------------> peer
 *        ^                                           |   |
 *        |  silent for 5 s, or another needs         |   | a response with the cookie: validated
 *        |  the place: gst_tfrc_pending_drop()       |   | two packets in sequence, and no answer
 *        +-------------------------------------------+   v   can come: plausible
 *                                                    may become the peer
 *
 *     transition                              function
 *     unknown -> pending                      gst_tfrc_pending_on_data(), .._on_call()
 *     unknown, pending -> validated           gst_tfrc_pending_on_validated()
 *     pending -> plausible                    gst_tfrc_pending_on_data() for plain RTP,
 *                                             gst_tfrc_pending_on_time() for an unresponsive host
 *     any -> unknown                          gst_tfrc_pending_on_time(), gst_tfrc_pending_drop()
 *     validated, plausible -> peer            gst_tfrc_pending_release()
 *     pending -> provisional peer             gst_tfrc_pending_release(), see selection.h
 *
 * A pending peer is *validated* when it has responded to a challenge with its cookie (cookies.h;
 * address validation, RFC 9000 section 8), because then it receives packets that are sent to its
 * address.  A packet whose keys prove the same counts as a response (GstTfrcReceivedPacket).
 *
 * A pending peer is *plausible* when two of its data packets in sequence have come (probation,
 * RFC 3550 appendix A.1) but it cannot be validated: either its packets carry no TFRC element,
 * because plain RTP has no challenges, or it is *unresponsive*, as older TFRC senders are.  An
 * unresponsive host has not responded to challenges for a second.
 *
 * Bounds: 4 pending peers, 16 data packets of each.  The challenges that leave for an address are
 * neither more packets nor more bytes than have come from there (anti-amplification limit, RFC 9000
 * section 8.1).  A host gets at most 20 challenges in a second, all hosts together at most 500.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_PENDING_H
#define GST_TFRC_PENDING_H

#include "../io/datagrams.h"
#include "candidates.h"

G_BEGIN_DECLS

#define GST_TFRC_MAX_PENDING GST_TFRC_CANDIDATES
/* A sender that knows R has sent an initial window (10 packets, RFC 6928) and a packet or two more when its
 * response to the first challenge comes, an R after its first packet. */
#define GST_TFRC_HELD_PACKETS 16

/** A pending peer that has been silent for this time is forgotten.  An idle tfrcsink sends a
 * report at least every 3.9 s. */
#define GST_TFRC_PENDING_SILENCE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** A host that leaves challenges without a response for this time is unresponsive. */
#define GST_TFRC_UNRESPONSIVE_NS G_GUINT64_CONSTANT (1000000000)

/** A data packet, with copies of all that it points to */
typedef struct
{
  TfrcWireData header;
  GstTfrcReceivedPacket packet;
  GstTfrcAddress from;
  guint8 data[GST_TFRC_MAX_PACKET_BYTES];
} GstTfrcHeldPacket;

/** A pending peer; only pending.c changes it. */
typedef struct
{
  GstTfrcCandidate base; /**< the first field: who, and its challenges */
  GstTfrcAddress local;  /**< of this host, that the last packet came to */
  gboolean tfrc;         /**< the last data packet carried what TFRC needs */
  guint n_held;          /**< data packets for gst_tfrc_pending_get_held() */
  TfrcWireRtcp call;     /**< the last call */
  guint64 call_ns;       /**< when that call came; 0: there was none */
} GstTfrcPendingPeer;

/** What a sender has to show before its stream is played */
typedef enum
{
  /** That it receives what is sent to its address.  For a receiver all of whose packets have keys: every
   * sender that has keys can answer, and whoever cannot may have recorded a stream. */
  GST_TFRC_TRUST_VALIDATED,
  GST_TFRC_TRUST_PLAUSIBLE, /**< that, or that it is plausible */
  GST_TFRC_TRUST_FIRST      /**< nothing while there is no other peer; otherwise as PLAUSIBLE */
} GstTfrcTrust;

/** What the role of an end decides */
typedef struct
{
  /** Returns whether a host that sends this asks to become a peer. */
  gboolean (*is_call) (const TfrcWireRtcp *rtcp);

  /** A host has a place from its first packet. FALSE: from its response on. */
  gboolean keeps_unproven;

  /** A host that is plausible may become the peer. FALSE: only one that is validated. */
  gboolean takes_plausible;
} GstTfrcRole;

/** Calls that have yet to be answered at an end that keeps nothing of unproven hosts: those of one
 * batch. Further calls are dropped, and their hosts call again. */
#define GST_TFRC_MAX_CALLS GST_TFRC_BATCH_PACKETS

typedef struct _GstTfrcPending GstTfrcPending;

/** Begins without a pending peer.
 * @param role static
 * @param cookies stays the caller's, and valid as long as the result
 * @return to be freed with gst_tfrc_pending_free() */
GstTfrcPending *gst_tfrc_pending_new (const GstTfrcRole *role, const GstTfrcCookies *cookies);

/** NULL is allowed. */
void gst_tfrc_pending_free (GstTfrcPending *self);

/** A data packet of a host that is not the peer has come.  The packet is copied.  For a role that
 * keeps what is unproven.
 * @param is_validated the host has been validated earlier, as a peer */
void gst_tfrc_pending_on_data (GstTfrcPending *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, gboolean is_validated);

/** RTCP of a host that is not the peer has come, and is no response.  A call is copied if its host
 * has a place, or gets one.  A host without data that is not yet validated, or whose role keeps what
 * is unproven, is challenged again at each call: so it learns that this end is here.
 * @return FALSE: it is no call of this role, and nothing has changed */
gboolean gst_tfrc_pending_on_call (
    GstTfrcPending *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp);

/** A response with the right cookie has come: its host is validated, whether it was pending before
 * or not. */
void gst_tfrc_pending_on_validated (GstTfrcPending *self, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Time has passed: forgets the pending peers that have been silent for too long. */
void gst_tfrc_pending_on_time (GstTfrcPending *self, guint64 now_ns);

/** Returns when gst_tfrc_pending_on_time() or gst_tfrc_pending_take_challenge() has something to do;
 * G_MAXUINT64: never. */
guint64 gst_tfrc_pending_next_ns (const GstTfrcPending *self);

/** Returns the pending peer with data that should be the peer: a validated one before a plausible
 * one, the newer before the older; NULL: none. */
const GstTfrcPendingPeer *gst_tfrc_pending_get_best (const GstTfrcPending *self);

/** Returns the pending peer with data of TFRC that may be the peer for the time being, whatever it has
 * shown: a validated one before others, the newer before the older; NULL: none. */
const GstTfrcPendingPeer *gst_tfrc_pending_get_first (const GstTfrcPending *self);

/** Returns the validated pending peer with data that has this SSRC, the newest if there are
 * several; NULL: none. */
const GstTfrcPendingPeer *gst_tfrc_pending_get_validated (const GstTfrcPending *self, guint32 ssrc);

/** Returns the pending peer at place @a i, 0 .. GST_TFRC_MAX_PENDING - 1; NULL: the place is free. */
const GstTfrcPendingPeer *gst_tfrc_pending_get (const GstTfrcPending *self, guint i);

/** Returns data packet number @a i of those that are held; 0 is the oldest. */
const GstTfrcHeldPacket *gst_tfrc_pending_get_held (const GstTfrcPendingPeer *peer, guint i);

/** Returns how many data packets were held and never taken. */
guint64 gst_tfrc_pending_get_dropped_packets (const GstTfrcPending *self);

/** Forgets a pending peer, whose packets have been taken. */
void gst_tfrc_pending_release (GstTfrcPending *self, const GstTfrcPendingPeer *peer);

/** Forgets a pending peer, and counts its data packets as dropped. */
void gst_tfrc_pending_drop (GstTfrcPending *self, const GstTfrcPendingPeer *peer);
void gst_tfrc_pending_drop_all (GstTfrcPending *self);

/** Forgets the pending peers at this address, as gst_tfrc_pending_drop() does. */
void gst_tfrc_pending_drop_at (GstTfrcPending *self, const GstTfrcAddress *address);

/** Takes the challenge that is due.  The caller sends the challenge at once.
 * @param data set to the challenge's data
 * @param to set to where it goes
 * @param local set to the address of this host that it leaves from
 * @return FALSE: none is due */
gboolean gst_tfrc_pending_take_challenge (GstTfrcPending *self, guint64 now_ns,
    guint8 data[TFRC_WIRE_PATH_DATA_BYTES], GstTfrcAddress *to, GstTfrcAddress *local);

/** Returns the invariant that does not hold, as text; NULL: all hold.  For tests and gdb. */
const gchar *gst_tfrc_pending_check (const GstTfrcPending *self);

/** Prints the pending peers to standard error: `call gst_tfrc_pending_print (self)' in gdb. */
void gst_tfrc_pending_print (const GstTfrcPending *self);

G_END_DECLS
#endif
