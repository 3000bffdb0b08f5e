/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver takes in from its sender: the reception of the stream, the path that packets come
 * over, and the queue for the pipeline.
 *
 * Another sender may follow. Its reception begins anew, while the queue goes on and the counts of all
 * receptions add up.
 *
 * Buffers come with their memory from a pool, and go back there when the pipeline has done with them.
 * A stream that comes evenly makes none.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_INTAKE_H
#define GST_TFRC_INTAKE_H

#include "../queue/fecdecoder.h"
#include "../queue/reorder.h"
#include "../queue/repairrequests.h"
#include "pictureloss.h"
#include "receivepaths.h"
#include "reception.h"

G_BEGIN_DECLS

typedef struct _GstTfrcIntake GstTfrcIntake;

/** Begins without a sender.
 * @param receiver copied
 * @param window_ns and @a max_time_ns of the queue, see gst_tfrc_reorder_new()
 * @param events get those of handovers and of false marks; lives longer than the intake; NULL: nobody is to be told
 * @return to be freed with gst_tfrc_intake_free() */
GstTfrcIntake *gst_tfrc_intake_new (const TfrcReceiverConfig *receiver, guint64 window_ns,
    guint64 max_time_ns, GstTfrcEvents *events);

/** Changes the limits of the queue.
 * @param window_ns also the playout delay, which the sender is told if @a tells_window, and not at first */
void gst_tfrc_intake_set_limits (
    GstTfrcIntake *self, guint64 window_ns, gboolean tells_window, guint64 max_time_ns);

/** Sets the window for packets that come before they are due (gst_tfrc_reception_set_ahead()).  More than it
 * allows is dropped. */
void gst_tfrc_intake_set_ahead (GstTfrcIntake *self, guint64 time_ns, guint64 bytes);

/** Frees the packets of the queue as well. NULL is allowed. */
void gst_tfrc_intake_free (GstTfrcIntake *self);

/** Another sender's stream begins with this packet.
 * @return FALSE: TFRC refuses the configuration, or there is no memory; the old sender stays */
gboolean gst_tfrc_intake_start (
    GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, guint32 ssrc);

/** Takes a data packet of the sender.
 * @param queued_ns when the pipeline could have the packet, at the earliest
 * @return FALSE: the packet is not used, as its RTP number cannot be true */
gboolean gst_tfrc_intake_take_data (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, guint64 queued_ns);

/** Takes a repair of a sender that does not know TFRC: what is missing comes late. The packet does not count as
 * received (RFC 4588 section 4).
 * @param header with the number of the original */
void gst_tfrc_intake_take_plain_repair (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, guint64 queued_ns);

/** Takes what a sender report of the sender tells. A sender without TFRC is asked for packets from then on. */
void gst_tfrc_intake_take_report (
    GstTfrcIntake *self, const TfrcWireRtcp *rtcp, guint64 arrival_ns);

/** Takes an RTCP compound of the sender. After the end of its stream each one is answered by a BYE. */
void gst_tfrc_intake_take_rtcp (
    GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp);

/** Returns the reception of the sender, also after its stream has ended; NULL: there was none. Valid
 * until the next gst_tfrc_intake_start(). */
GstTfrcReception *gst_tfrc_intake_get_reception (const GstTfrcIntake *self);

/** Returns whether the packet is the sender's. */
gboolean gst_tfrc_intake_is_from (
    const GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, guint32 ssrc);

/** Returns whether there was a sender, and its stream has ended. */
gboolean gst_tfrc_intake_has_ended (const GstTfrcIntake *self);

/** Sets the statistics of the sender, if there is one, with the counts of all senders. */
void gst_tfrc_intake_get_stats (const GstTfrcIntake *self, GstTfrcReceptionStats *stats);

/* ---- the queue --------------------------------------------------------------- */

/** Returns the queue, for queries and limits. Valid as long as the intake. */
GstTfrcReorder *gst_tfrc_intake_get_queue (GstTfrcIntake *self);

/** Returns the requests for what is missing in the queue. Valid as long as the intake. */
GstTfrcRepairRequests *gst_tfrc_intake_get_requests (GstTfrcIntake *self);

/** Returns when pictures are lost in it. Valid as long as the intake. */
GstTfrcPictureLoss *gst_tfrc_intake_get_picture_loss (GstTfrcIntake *self);

/** Says whether the sender is asked for what is missing, and for a key unit when something is missing for good. */
void gst_tfrc_intake_set_requests (GstTfrcIntake *self, gboolean repairs, gboolean key_units);

/** Returns when something is to be asked for; G_MAXUINT64: never.
 * @param has_rtcp where RTCP goes is known: a sender without TFRC is asked for a key unit only then */
guint64 gst_tfrc_intake_requests_ns (const GstTfrcIntake *self, gboolean has_rtcp);

void gst_tfrc_intake_get_fec_stats (const GstTfrcIntake *self, GstTfrcFecDecoderStats *stats);

/** Returns when packets are to leave: 0 for now, G_MAXUINT64 for never unless more come. */
guint64 gst_tfrc_intake_leave_ns (const GstTfrcIntake *self);

/** Takes the packets that are to leave by now, in order; after the end no gap holds them.
 * @param items room for @a max; the data of each is a GstBuffer with header and payload, which is the
 *   caller's, and whose offset is the size of the header
 * @return their number; 0: none is to leave yet, or there is none */
guint gst_tfrc_intake_pop (
    GstTfrcIntake *self, guint64 now_ns, GstTfrcReorderItem *items, guint max);

/* ---- paths --------------------------------------------------------------------- */

/** Makes another path the active one, and announces the handover to the sender, if there is one.
 * @param bandwidth_bps of the path in bit/s, with IP headers; 0: unknown
 * @param suppress_echo the sender is not to mark its packets */
void gst_tfrc_intake_start_handover (GstTfrcIntake *self, const GstTfrcLocalPath *path,
    guint64 bandwidth_bps, gboolean suppress_echo, guint64 now_ns);

/** Returns which path is the active one. Valid as long as the intake. */
const GstTfrcReceivePaths *gst_tfrc_intake_get_paths (const GstTfrcIntake *self);

/** Returns TRUE once after the active path has been given up, because data comes over another one.
 * @param local set to the address of this host that data comes to */
gboolean gst_tfrc_intake_take_left_path (GstTfrcIntake *self, GstTfrcAddress *local);

G_END_DECLS
#endif
