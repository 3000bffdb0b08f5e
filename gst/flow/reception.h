/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reception of one sender's stream: what this end knows of it and reports to the sender.  TFRC,
 * RTCP reports, delays, handovers.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_RECEPTION_H
#define GST_TFRC_RECEPTION_H

#include <gst/gst.h>
#include <tfrc/wire.h>

#include "../common/delays.h"
#include "../io/datagrams.h"
#include "handoverlog.h"
#include "playout.h"
#include "receiverreports.h"
#include "rtpseq.h"

G_BEGIN_DECLS

typedef struct _GstTfrcReception GstTfrcReception;

/** Begins to listen to a sender.
 * @param receiver NULL: TFRC's defaults
 * @param events get those of handovers and of false marks; lives longer than the reception; NULL: nobody is to be told
 * @return to be freed with gst_tfrc_reception_free(); NULL if TFRC refuses the configuration, or
 *   there is no memory */
GstTfrcReception *gst_tfrc_reception_new (const GstTfrcAddress *address, guint32 ssrc,
    const TfrcReceiverConfig *receiver, GstTfrcEvents *events);

/** NULL is allowed. */
void gst_tfrc_reception_free (GstTfrcReception *self);

/* ---- packets that come ------------------------------------------------- */

/** A data packet of this sender has come.
 * @param path_id of the path that the packet has come over (receivepaths.h), for TfrcData
 * @return FALSE if the packet is not to be used: @a arrival says SUSPECT or REFUSED.  The caller
 *   keeps a packet that is SUSPECT, as the next packet may confirm it */
gboolean gst_tfrc_reception_on_data (GstTfrcReception *self, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, guint8 path_id, TfrcArrival *arrival);

/** Returns the place of the last packet that was used, in the order of the movie. */
const GstTfrcRtpPlace *gst_tfrc_reception_get_rtp_place (const GstTfrcReception *self);

/** Returns when the last packet that was used was due, on the monotonic clock of this host
 * (rtpclock.h); not after its arrival. */
guint64 gst_tfrc_reception_get_due_ns (const GstTfrcReception *self);

/** Returns when a packet was due that others have brought back (gst_tfrc_rtp_clock_get_due_ns()). */
guint64 gst_tfrc_reception_get_due_of (
    const GstTfrcReception *self, guint32 timestamp, guint64 arrival_ns);

/** An RTCP compound of this sender has come.  A report is answered at once, but at most once a
 * second.  A BYE has no effect here, see gst_tfrc_reception_end(). */
void gst_tfrc_reception_on_rtcp (
    GstTfrcReception *self, const TfrcWireRtcp *rtcp, guint64 arrival_ns);

/** A challenge of this sender has come: the sender wants to know whether the path is this
 * receiver's. The feedback that follows at once reports the active path (RFC 9000 section 9.3.3).
 * Each is answered, but more than 20 in a second have no effect (responses.h). */
void gst_tfrc_reception_on_challenge (
    GstTfrcReception *self, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet);

/** The sender's stream has ended (selection.h).  A BYE is the only packet that is written from
 * now on, once for each call. */
void gst_tfrc_reception_end (GstTfrcReception *self);

/* ---- packets that leave ------------------------------------------------ */

/** Returns when gst_tfrc_reception_write() has something to write; G_MAXUINT64: never. */
guint64 gst_tfrc_reception_next_ns (const GstTfrcReception *self);

/** Returns when feedback and when a report is due; G_MAXUINT64: never. */
guint64 gst_tfrc_reception_next_feedback_ns (const GstTfrcReception *self);
guint64 gst_tfrc_reception_next_report_ns (const GstTfrcReception *self);

/** Writes the next RTCP packet that is due: feedback, a report, or the BYE.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return bytes written; 0 if nothing more is due now */
gsize gst_tfrc_reception_write (
    GstTfrcReception *self, guint32 own_ssrc, const gchar *cname, guint64 now_ns, guint8 *buffer);

/** Writes the response to the oldest challenge that waits for one, which has no more bytes than the
 * challenge.
 * @param path set to the local path that the challenge came over
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return bytes written; 0 if no challenge waits for a response */
gsize gst_tfrc_reception_write_response (
    GstTfrcReception *self, guint32 own_ssrc, GstTfrcLocalPath *path, guint8 *buffer);

/** Does a challenge wait for a response? */
gboolean gst_tfrc_reception_owes_response (const GstTfrcReception *self);

/** Sets the playout delay, which the next feedback tells the sender if @a is_told. */
void gst_tfrc_reception_set_playout_delay (
    GstTfrcReception *self, guint64 delay_ns, gboolean is_told);

/** Sets the window that is told with the playout delay (gst_tfrc_playout_clock_set_ahead()). */
void gst_tfrc_reception_set_ahead (GstTfrcReception *self, guint64 time_ns, guint64 bytes);

/** Returns whether the sender has flushed before the last packet that was used
 * (gst_tfrc_playout_clock_has_gone_back()). */
gboolean gst_tfrc_reception_has_gone_back (const GstTfrcReception *self);

/* ---- paths and handovers ----------------------------------------------- */

/** Sets the path ID of the active path. */
void gst_tfrc_reception_set_path_id (GstTfrcReception *self, guint8 path_id);

/** Returns the path ID of the active path. */
guint8 gst_tfrc_reception_get_path_id (const GstTfrcReception *self);

/** Sets the address of this host that packets to the sender leave from. */
void gst_tfrc_reception_set_local (GstTfrcReception *self, const GstTfrcAddress *local);

/** The path with this path ID is the active one from now on.
 * @param bandwidth_bps of the path in bit/s, with IP headers; 0: unknown
 * @param suppress_echo the sender is not to mark its packets */
void gst_tfrc_reception_start_handover (GstTfrcReception *self, guint8 path_id,
    guint64 bandwidth_bps, gboolean suppress_echo, guint64 now_ns);

/** Returns whether a handover is under way, as of the last gst_tfrc_reception_log_handover(). */
gboolean gst_tfrc_reception_is_in_handover (const GstTfrcReception *self);

/** Returns whether the handover has failed: no adaptation is under way, and data comes over other
 * paths than the active one.  To be called after such data. */
gboolean gst_tfrc_reception_handover_failed (const GstTfrcReception *self, guint64 now_ns);

/** Updates the log of handovers.  To be called after anything has happened. */
void gst_tfrc_reception_log_handover (GstTfrcReception *self, guint64 now_ns);

/* ---- queries ----------------------------------------------------------- */

/** Return the sender's address, and the one of this host that packets to the sender leave from ("no address":
 * unknown). Valid as long as the session. */
const GstTfrcAddress *gst_tfrc_reception_get_address (const GstTfrcReception *self);
const GstTfrcAddress *gst_tfrc_reception_get_local (const GstTfrcReception *self);

/** Returns the sender's SSRC. */
guint32 gst_tfrc_reception_get_ssrc (const GstTfrcReception *self);

/** Returns whether the sender's data carries what TFRC needs. */
gboolean gst_tfrc_reception_has_tfrc (const GstTfrcReception *self);

/** Returns when a packet of the sender, data or RTCP, has come last. */
guint64 gst_tfrc_reception_get_heard_ns (const GstTfrcReception *self);

/** Returns whether gst_tfrc_reception_end() has been called. */
gboolean gst_tfrc_reception_has_ended (const GstTfrcReception *self);

/** Returns R as the sender says; 0: unknown. */
guint64 gst_tfrc_reception_get_rtt_ns (const GstTfrcReception *self);

typedef struct
{
  TfrcReceiverStats receiver;
  TfrcLossStatistics loss;
  GstTfrcDelays delays;
  GstTfrcPlayout playout; /**< as the next feedback would tell it */
  gboolean tfrc;          /**< as gst_tfrc_reception_has_tfrc() */
  guint32 ssrc;
  GstTfrcAddress sender;
  guint interface;        /**< that the last data packet came in over; 0: unknown */
  guint ttl;              /**< of the last data packet on arrival; 0: unknown */
  guint hops;             /**< from the sender, if its packets tell their TTL; 0: unknown */
  gdouble jitter_ns;      /**< RFC 3550 section 6.4.1 */
  guint64 clock_restarts; /**< of the clock of the movie (rtpclock.h) */
  guint64 ce_ignored;     /**< packets with CE that no queue can have marked */
} GstTfrcReceptionStats;

void gst_tfrc_reception_get_stats (const GstTfrcReception *self, GstTfrcReceptionStats *stats);

/** Adds the counts of a former sender to those of the present one: the statistics of a receiver do not
 * begin anew with each sender. */
void gst_tfrc_reception_add_counts (GstTfrcReceptionStats *sum, const GstTfrcReceptionStats *stats);

G_END_DECLS
#endif
