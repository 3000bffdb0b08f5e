/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pending senders of a source.  A pending sender is not the source's peer (srcpeer.h), but
 * could become the peer.
 *
 * A pending sender is *validated* when it has responded to a challenge with its cookie
 * (srccookie.h; address validation, RFC 9000 section 8), because then it receives packets that are
 * sent to its address.
 *
 * A pending sender is *plausible* when two of its data packets in sequence have come (probation,
 * RFC 3550 appendix A.1) but the sender cannot be validated: either its packets carry no TFRC
 * element, because plain RTP has no challenges, or it is *unresponsive*, as older TFRC senders
 * are.  An unresponsive sender has not responded to challenges for a second.
 *
 * Bounds: 4 pending senders, 8 data packets of each.  The challenges that leave for an address are
 * neither more packets nor more bytes than have come from there (anti-amplification limit, RFC 9000
 * section 8.1).  A host gets at most 20 challenges in a second, all hosts together at most 500.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_SRCPENDING_H
#define GST_TFRC_SRCPENDING_H

#include <glib.h>
#include <tfrc/path.h>

#include "../common/tokenbucket.h"
#include "../io/datagrams.h"
#include "srccookie.h"

G_BEGIN_DECLS

#define GST_TFRC_SRC_MAX_PENDING 4
#define GST_TFRC_SRC_HELD_PACKETS 8

/** A pending sender that has been silent for this time is forgotten.  An idle tfrcsink sends a
 * report every 3.9 s. */
#define GST_TFRC_SRC_PENDING_SILENCE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** A sender that leaves challenges without a response for this time is unresponsive. */
#define GST_TFRC_SRC_UNRESPONSIVE_NS G_GUINT64_CONSTANT (1000000000)

#define GST_TFRC_SRC_HOST_BUCKETS 64

/** A data packet, with copies of all that it points to */
typedef struct
{
  TfrcWireData header;
  GstTfrcReceivedPacket packet;
  GstTfrcAddress from;
  guint8 data[GST_TFRC_MAX_PACKET_BYTES];
} GstTfrcSrcHeldPacket;

typedef struct
{
  gboolean in_use;
  GstTfrcAddress address;
  guint32 ssrc;
  GstTfrcAddress local; /**< of this host, that the last packet came to */
  gboolean validated;
  gboolean has_data;     /**< a data packet has come */
  gboolean tfrc;         /**< the last data packet carried what TFRC needs */
  gboolean in_sequence;  /**< two data packets in sequence have come */
  guint16 seq;           /**< of the last data packet */
  guint64 heard_ns;      /**< when the last packet of any kind came */
  guint64 challenged_ns; /**< when the first challenge left; G_MAXUINT64: none yet */
  gboolean is_unresponsive;

  TfrcPath *path; /**< its challenges; belongs to the place, so the next sender uses it too */
  guint host_bucket;
  guint64 blocked_ns; /**< no token for a challenge before this time */

  TfrcWireRtcp report;        /**< the last sender report; valid if report.has_sr */
  guint64 report_ns;          /**< when that report came */
  guint first_held, n_held;   /**< of the ring of data packets */
  GstTfrcSrcHeldPacket *held; /**< GST_TFRC_SRC_HELD_PACKETS; NULL: none has come */
} GstTfrcSrcPendingSender;

typedef struct
{
  GstTfrcSrcCookies cookies;
  GstTfrcSrcPendingSender senders[GST_TFRC_SRC_MAX_PENDING];
  GstTfrcTokenBucket all;                              /**< challenges to all hosts ... */
  GstTfrcTokenBucket hosts[GST_TFRC_SRC_HOST_BUCKETS]; /**< ... and to each */
  guint64 dropped_packets; /**< data packets that were held, and never taken */
} GstTfrcSrcPending;

/** Begins without a pending sender.
 * @param secret random bytes that no peer can know */
void gst_tfrc_src_pending_init (
    GstTfrcSrcPending *self, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES]);

/** Frees the memory of gst_tfrc_src_pending_init(). */
void gst_tfrc_src_pending_clear (GstTfrcSrcPending *self);

/** Begins challenges to this address, with the address's cookie. */
void gst_tfrc_src_pending_start_path (
    const GstTfrcSrcPending *self, TfrcPath *path, const GstTfrcAddress *address, guint64 now_ns);

/** A data packet of a pending sender has come.  The packet is copied.
 * @return the pending sender */
GstTfrcSrcPendingSender *gst_tfrc_src_pending_on_data (
    GstTfrcSrcPending *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header);

/** A sender report of a pending sender has come.  The report is copied.  A sender without data is
 * challenged again at each report: so the sender learns that a receiver is here. */
void gst_tfrc_src_pending_on_sender_report (
    GstTfrcSrcPending *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *report);

/** A response with the right cookie has come: its sender is validated, whether it was pending
 * before or not. */
void gst_tfrc_src_pending_on_validated (GstTfrcSrcPending *self,
    const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Time has passed: forgets the pending senders that have been silent for too long. */
void gst_tfrc_src_pending_on_time (GstTfrcSrcPending *self, guint64 now_ns);

/** Returns when gst_tfrc_src_pending_on_time() or gst_tfrc_src_pending_take_challenge() has
 * something to do; G_MAXUINT64: never. */
guint64 gst_tfrc_src_pending_next_ns (const GstTfrcSrcPending *self);

/** Returns the pending sender with data that should be the peer: a validated one before a plausible
 * one, the newer before the older; NULL: none. */
const GstTfrcSrcPendingSender *gst_tfrc_src_pending_get_best (const GstTfrcSrcPending *self);

/** Returns the validated pending sender with data that has this SSRC, the newest if there are
 * several; NULL: none. */
const GstTfrcSrcPendingSender *gst_tfrc_src_pending_get_validated (
    const GstTfrcSrcPending *self, guint32 ssrc);

/** Returns data packet number @a i of those that are held; 0 is the oldest. */
const GstTfrcSrcHeldPacket *gst_tfrc_src_pending_sender_get_held (
    const GstTfrcSrcPendingSender *sender, guint i);

/** Forgets the sender, whose packets have been taken. */
void gst_tfrc_src_pending_release (GstTfrcSrcPendingSender *sender);

/** Forgets the sender, and counts its data packets as dropped. */
void gst_tfrc_src_pending_drop (GstTfrcSrcPending *self, GstTfrcSrcPendingSender *sender);
void gst_tfrc_src_pending_drop_all (GstTfrcSrcPending *self);

/** Takes the challenge that is due.  The caller sends the challenge at once.
 * @param data set to the challenge's data
 * @return the pending sender that the challenge goes to; NULL: none is due */
const GstTfrcSrcPendingSender *gst_tfrc_src_pending_take_challenge (
    GstTfrcSrcPending *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

G_END_DECLS
#endif
