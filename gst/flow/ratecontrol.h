/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate of a flow: its TFRC sender, and what the sender follows: feedback of TFRC, or its substitute
 * in the RTCP of a receiver that does not know TFRC (<tfrc/reports.h>).
 *
 * Better feedback takes the place of worse feedback: receiver reports, then transport-wide feedback
 * that comes at least once a second, then feedback of TFRC.  When a receiver
 * that did not know TFRC is gone, gst_tfrc_rate_control_lose_reporter() leads back to none.
 *
 * A circuit breaker (circuitbreaker.h) ends a stream that sends far too much for long. No lock and no
 * clock. */
#ifndef GST_TFRC_RATECONTROL_H
#define GST_TFRC_RATECONTROL_H

#include <tfrc/reports.h>

#include "controlreport.h"
#include "../io/address.h"
#include "circuitbreaker.h"
#include "rateconfig.h"
#include "reportedlosses.h"

G_BEGIN_DECLS

/** In the order in which one takes the place of another */
typedef enum
{
  GST_TFRC_CONTROL_NONE,
  GST_TFRC_CONTROL_RECEIVER_REPORT,
  GST_TFRC_CONTROL_TRANSPORT_CC,
  GST_TFRC_CONTROL_TFRC
} GstTfrcControl;

/** For ratecontrol.c alone */
typedef struct
{
  TfrcSender *sender;
  GstTfrcSinkRateConfig config; /* that the sender was made with */
  GstTfrcControl control;
  TfrcReports *reports;
  TfrcArrivals *arrivals;  /* NULL: data carries no transport sequence number */
  guint readable;          /* packets that transport-wide feedback may still be about */
  GstTfrcAddress reporter; /* without feedback of TFRC: where its RTCP comes from */
  guint32 reporter_ssrc;
  GstTfrcReportedLosses reported; /* by the reporter */
  GstTfrcCircuitBreaker breaker;
  guint local_drops; /* packets that the own queue dropped, whose numbers are still to be used up */
  guint64 expirations_at_feedback; /* of the nofeedback timer, when feedback was last used */
  guint64 release_ns;              /* from when on a sign of life releases a packet */
  guint64 min_bitrate, max_bitrate;
  gboolean is_answered;   /* the receiver is there now, and answers */
  gboolean spends_credit; /* packets that wait make up for unused sending time */
} GstTfrcRateControl;

/** Zero-initialise @a self before.
 * @param first_seq transport sequence number of the first packet
 * @param clock_offset_us between the monotonic clock and the times on the wire
 * @param has_transport_seq data carries the transport sequence number
 * @return FALSE if TFRC refuses the configuration, or there is no memory; clear it all the same */
gboolean gst_tfrc_rate_control_init (GstTfrcRateControl *self, const GstTfrcSinkRateConfig *rate,
    guint16 first_seq, guint32 clock_offset_us, gboolean has_transport_seq);
void gst_tfrc_rate_control_clear (GstTfrcRateControl *self);

/** The receiver is gone: what the next one sends may be of any kind, if this one did not know TFRC. */
void gst_tfrc_rate_control_lose_reporter (GstTfrcRateControl *self);

/* ---- outgoing ------------------------------------------------------------  */

/** Asks TFRC whether a packet may leave now, and for its numbers.
 * @return FALSE: not yet, or not any more */
gboolean gst_tfrc_rate_control_prepare (
    GstTfrcRateControl *self, guint32 payload_bytes, guint64 now_ns, TfrcData *data);

/** The packet that was prepared leaves.
 * @param rtp_seq NULL: the packet has left before, and keeps its RTP sequence number */
void gst_tfrc_rate_control_on_packet (
    GstTfrcRateControl *self, const TfrcData *data, const guint16 *rtp_seq, guint64 now_ns);

/** Takes back the newest packet.
 * @param is_new as rtp_seq was not NULL */
void gst_tfrc_rate_control_take_back (
    GstTfrcRateControl *self, guint32 size_bytes, gboolean is_new);

/** The queue of the own interface has dropped packets, which have been taken back. As many transport
 * sequence numbers are left out, so that the receiver sees their loss (RFC 5348 section 5). */
void gst_tfrc_rate_control_on_local_drop (GstTfrcRateControl *self, guint packets);

/** A sender report leaves, which ends a report interval of the circuit breaker (RFC 8083).
 * @param ntp the report's time */
void gst_tfrc_rate_control_on_sender_report (
    GstTfrcRateControl *self, const TfrcSenderStats *stats, guint64 ntp, guint64 now_ns);

/* ---- incoming ------------------------------------------------------------  */

/** Would the sender use this feedback of TFRC? Nothing changes. */
gboolean gst_tfrc_rate_control_accepts (
    const GstTfrcRateControl *self, const TfrcFeedback *feedback, guint64 now_ns);

/** Has the sender use feedback of TFRC, which takes the place of all else.
 * @return FALSE if the sender refuses the feedback; nothing has changed */
gboolean gst_tfrc_rate_control_on_feedback (
    GstTfrcRateControl *self, const TfrcFeedback *feedback, guint64 now_ns);

/** Says whether a compound may be the reporter's.  The first reporter that controls the rate is the
 * only one. */
gboolean gst_tfrc_rate_control_is_reporter (
    const GstTfrcRateControl *self, const GstTfrcAddress *from, guint32 ssrc);

/** Returns whether a receiver report has the time (LSR) of one of the last sender reports, which hosts
 * that have not received it have to guess. */
gboolean gst_tfrc_rate_control_is_echo (
    const GstTfrcRateControl *self, const GstTfrcControlReport *report);

/** Uses a receiver report or transport-wide feedback, of a reporter.
 * @return TRUE if the sender follows it */
gboolean gst_tfrc_rate_control_on_report (
    GstTfrcRateControl *self, const GstTfrcControlReport *report);

/** Does no feedback control the rate: there was none, or the nofeedback timer has expired since? */
gboolean gst_tfrc_rate_control_lacks_feedback (const GstTfrcRateControl *self);

/** A host is alive at the receiver's address: one packet may leave at once, so that feedback begins
 * or goes on. A sign of life costs a peer nothing and must not control a rate: so one such packet
 * leaves each second, which is the rate of a sender without feedback (RFC 5348 section 4.2). */
void gst_tfrc_rate_control_on_sign_of_life (GstTfrcRateControl *self, guint64 now_ns);

/** Packets go another way now (tfrc_sender_on_new_path()).
 * @param rtt_ns R there; 0: unknown */
void gst_tfrc_rate_control_on_new_path (GstTfrcRateControl *self, guint64 rtt_ns, guint64 now_ns);

/* ---- time ---------------------------------------------------------------- */

/** Returns when gst_tfrc_rate_control_on_time() has something to do. */
guint64 gst_tfrc_rate_control_next_ns (const GstTfrcRateControl *self);

/** Serves the nofeedback timer.
 * @return TRUE if it has expired now */
gboolean gst_tfrc_rate_control_on_time (GstTfrcRateControl *self, guint64 now_ns);

/** Returns when TFRC allows the next packet; G_MAXUINT64: not before feedback, or not any more. */
guint64 gst_tfrc_rate_control_next_send_ns (const GstTfrcRateControl *self);

/** Returns the time without a report after which a reporter is gone: five of its intervals (RFC 3550
 * section 6.3.5). */
guint64 gst_tfrc_rate_control_timeout_ns (const GstTfrcRateControl *self);

/* ---- the rate ------------------------------------------------------------ */

/** Limits X, in bit/s; 0: no limit. A minimum above the maximum is taken as the maximum. A maximum
 * below TFRC's own minimum, one packet in 64 seconds, is taken as TFRC's minimum. */
void gst_tfrc_rate_control_set_limits (
    GstTfrcRateControl *self, guint64 min_bitrate, guint64 max_bitrate);

/** Says whether the receiver is there and answers what it has got; at first it does not. Whoever starts a stream
 * chooses its minimum and where it goes, so the minimum is in force only while the receiver
 * answers, or with mute_receiver (RFC 9000 section 8, RFC 8083 section 4.1). */
void gst_tfrc_rate_control_set_answered (GstTfrcRateControl *self, gboolean is_answered);

/** Returns X, the allowed transmit rate (RFC 5348 section 4), in byte/s. */
gdouble gst_tfrc_rate_control_get_rate_Bps (const GstTfrcRateControl *self);

/** Returns the rate at which packets leave a full queue, in byte/s: X, or X_inst if that is lower
 * (RFC 5348 section 4.5). The queue guard limits X_inst, and the configured maximum limits both. */
gdouble gst_tfrc_rate_control_get_drain_rate_Bps (const GstTfrcRateControl *self);

/** Lets packets that wait make up for unused sending time, at twice X (tfrc_sender_spend_credit()). */
void gst_tfrc_rate_control_spend_credit (GstTfrcRateControl *self, gboolean spend);

/** Returns up to when sending time is used (tfrc_sender_get_used_until_ns()). */
guint64 gst_tfrc_rate_control_get_used_until_ns (const GstTfrcRateControl *self);

/** What the next stream over the same path can begin with, see tfrc_sender_get_proven_rate_Bps(). */
gdouble gst_tfrc_rate_control_get_proven_Bps (
    const GstTfrcRateControl *self, guint64 *least_rtt_ns);

/** Returns R, the round-trip time; 0: unknown. */
guint64 gst_tfrc_rate_control_get_rtt_ns (const GstTfrcRateControl *self);

/* ---- queries ------------------------------------------------------------- */

/** Has the circuit breaker ended the stream? No packet can be prepared any more. */
gboolean gst_tfrc_rate_control_is_broken (const GstTfrcRateControl *self);

/** Returns the configuration that the sender was made with. */
const GstTfrcSinkRateConfig *gst_tfrc_rate_control_get_config (const GstTfrcRateControl *self);

GstTfrcControl gst_tfrc_rate_control_get_control (const GstTfrcRateControl *self);

/** Returns whether reports of RTCP alone control the rate. */
gboolean gst_tfrc_rate_control_is_by_rtcp (const GstTfrcRateControl *self);

/** Has the nofeedback timer ever expired? */
gboolean gst_tfrc_rate_control_is_unanswered (const GstTfrcRateControl *self);

guint64 gst_tfrc_rate_control_get_packets_sent (const GstTfrcRateControl *self);

/** Returns a time of the monotonic clock as TFRC tells it on the wire. */
guint32 gst_tfrc_rate_control_wire_time_us (const GstTfrcRateControl *self, guint64 now_ns);

void gst_tfrc_rate_control_get_stats (const GstTfrcRateControl *self, TfrcSenderStats *stats);

/** Tells the losses of a receiver that does not know TFRC.
 * @param loss_events stays as it is if the reports do not tell loss events */
void gst_tfrc_rate_control_get_losses (
    const GstTfrcRateControl *self, guint64 *packets_lost, guint64 *loss_events);

/** Returns the name of a kind in `stats'. */
const gchar *gst_tfrc_control_get_name (GstTfrcControl control);

G_END_DECLS
#endif
