/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the rate of a sender whose receiver knows RTCP and not TFRC (RFC 5348 section 7,
 * "Sender-Based Variants": the sender computes what the receiver would)
 *
 * Two kinds of RTCP tell a sender what a receiver of TFRC would tell:
 *
 * - Receiver reports (RFC 3550 section 6.4), which every RTP receiver sends once in some seconds:
 *   TfrcReports.  Losses are seen late, and in sums.  So the rate rises by a bounded factor from
 *   report to report.
 * - Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01), which has the
 *   arrival of every packet: TfrcArrivals.  The sender runs the receiver's side of TFRC itself.
 *
 * docs/rules.md has the rules, and docs/decisions/reports.md what they are worth.  One object belongs
 * to one sender.  The rules of <tfrc/tfrc.h> hold. */
#ifndef TFRC_REPORTS_H
#define TFRC_REPORTS_H

#include <tfrc/wire.h>

TFRC_BEGIN_DECLS

/* ---- receiver reports -------------------------------------------------- */

/** The record of sent packets and of receiver reports about them.  Opaque. */
typedef struct TfrcReports TfrcReports;

/** Creates the object.
 *
 * @param reports where to store it; set to NULL on failure
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *reports and frees it with tfrc_reports_free(). */
TFRC_API TfrcResult tfrc_reports_new (TfrcReports **reports);

/** Frees @a reports.  NULL is allowed. */
TFRC_API void tfrc_reports_free (TfrcReports *reports);

/** An RTP packet leaves now.  While @a sender follows reports, its rate may change.
 *
 * @param seq RTP sequence number, one more than that of the packet before
 * @param size_bytes segment size, as for tfrc_sender_prepare() */
TFRC_API void tfrc_reports_on_packet (
    TfrcReports *reports, TfrcSender *sender, uint16_t seq, uint32_t size_bytes, uint64_t now_ns);

/** Takes back the newest packet of tfrc_reports_on_packet(), which could not be sent.  To take back
 * several packets, call the function once for each packet, the newest first. */
TFRC_API void tfrc_reports_cancel (TfrcReports *reports, uint32_t size_bytes);

/** A sender report leaves now.  Only reports that were sent give R.
 *
 * @param ntp the report's NTP time stamp, 32.32 bits */
TFRC_API void tfrc_reports_on_sender_report (TfrcReports *reports, uint64_t ntp, uint64_t now_ns);

/** Handles a block of a receiver report about the sender's stream, and has @a sender follow it.
 *
 * The first report of a reporter gives R, and the rate of RFC 5348 section 4.2.  Each further report
 * is compared with the one before.
 *
 * @param reporter_ssrc of the host that reports
 * @return TFRC_OK: @a sender follows this report; or the report changes nothing:
 *   TFRC_ERROR_TOO_EARLY (no report of this reporter has said R yet, or the report came less than
 *   1 s or R after the last one),
 *   TFRC_ERROR_NOT_SENT (the report is about a packet that has not left),
 *   TFRC_ERROR_STALE (no packet has arrived since the last report, or the packet is too old),
 *   TFRC_ERROR_ARGUMENT, or what tfrc_sender_on_feedback() returns */
TFRC_API TfrcResult tfrc_reports_on_report (TfrcReports *reports, TfrcSender *sender,
    uint32_t reporter_ssrc, const TfrcWireReport *report, uint64_t now_ns);

/** Returns R as this block says it, of the last sender report that the reporter has; 0: the block
 * names no sender report that was sent lately, or cannot be true. */
TFRC_API uint64_t tfrc_reports_get_rtt_sample_ns (
    const TfrcReports *reports, const TfrcWireReport *report, uint64_t now_ns);

/** Returns the longest of the last four times between two reports; before, the longest that RFC
 * 3550 has: 6.2 s.  At most 30 s. */
TFRC_API uint64_t tfrc_reports_get_interval_ns (const TfrcReports *reports);

/** The reporter is gone, or better feedback controls @a sender from now on: its rate follows no
 * report any more.  The next report is a first one. */
TFRC_API void tfrc_reports_end (TfrcReports *reports, TfrcSender *sender);

/* ---- transport-wide feedback ------------------------------------------- */

/** The packets that were sent, and their arrivals.  Opaque. */
typedef struct TfrcArrivals TfrcArrivals;

/** The packets that TfrcArrivals remembers: feedback about older packets is refused. */
#define TFRC_ARRIVALS_PACKETS 8192

/** Creates the object.
 *
 * @param arrivals where to store it; set to NULL on failure
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *arrivals and frees it with tfrc_arrivals_free(). */
TFRC_API TfrcResult tfrc_arrivals_new (TfrcArrivals **arrivals);

/** Frees @a arrivals.  NULL is allowed. */
TFRC_API void tfrc_arrivals_free (TfrcArrivals *arrivals);

/** A packet leaves with this control information of tfrc_sender_prepare().  Its transport sequence
 * number is @a data->seq. */
TFRC_API void tfrc_arrivals_on_packet (TfrcArrivals *arrivals, const TfrcData *data);

/** Takes back the newest packet, as tfrc_sender_cancel(). */
TFRC_API void tfrc_arrivals_cancel (TfrcArrivals *arrivals);

/** Handles transport-wide feedback, and has @a sender follow what the receiver's side of TFRC makes
 * of it.
 *
 * @param sender NULL: the arrivals are noted, and no sender follows yet
 * @param fci the feedback as tfrc_wire_find_transport_feedback() returns it
 * @param rtt_ns R as a receiver report in the same compound says it; 0: unknown.  The feedback itself
 *   does not say how long it has waited, so that R includes this wait
 * @return TFRC_OK: the feedback has been used.  @a sender has got feedback if it was due: at most
 *   once in R, except for a new loss event.
 *   TFRC_ERROR_RANGE (malformed), TFRC_ERROR_NOT_SENT (a packet that has not left) or
 *   TFRC_ERROR_STALE (a packet that is not remembered): nothing has changed.  TFRC_ERROR_ARGUMENT */
TFRC_API TfrcResult tfrc_arrivals_on_feedback (TfrcArrivals *arrivals, TfrcSender *sender,
    const uint8_t *fci, size_t fci_bytes, uint64_t rtt_ns, uint64_t now_ns);

/** The latest arrival that is believed: a clock of the peer's that is 36 years old */
#define TFRC_REPORTED_ARRIVAL_MOST_NS (UINT64_C (1) << 60)

/** What feedback says of one packet */
typedef struct
{
  uint16_t seq; /**< transport sequence number */
  bool arrived; /**< false: the packet is lost, or has not arrived yet */
  uint64_t
      arrival_ns; /**< if it has arrived: when, on the peer's clock, at most TFRC_REPORTED_ARRIVAL_MOST_NS */
} TfrcReportedPacket;

/** The same for feedback that the program has read itself, or that another library has.  A program
 * calls either this function or tfrc_arrivals_on_feedback() for one object.
 *
 * @param list what the feedback says, with rising numbers.  Packets that are left out are neither lost
 *   nor received
 * @param n 1..TFRC_ARRIVALS_PACKETS
 * @return as tfrc_arrivals_on_feedback(); TFRC_ERROR_RANGE is an arrival later than
 *   TFRC_REPORTED_ARRIVAL_MOST_NS */
TFRC_API TfrcResult tfrc_arrivals_on_list (TfrcArrivals *arrivals, TfrcSender *sender,
    const TfrcReportedPacket *list, size_t n, uint64_t rtt_ns, uint64_t now_ns);

/** Returns the longest of the last four times between two feedbacks, at most 30 s; 30 s before there
 * were as many.  Feedback waits for packets, so that a time of more than 1 s counts as far as packets
 * came in it, and not at all if they came in less than 1 s.  A receiver may send feedback once in some packets or once in hundreds, which is too
 * seldom to control a rate. */
TFRC_API uint64_t tfrc_arrivals_get_interval_ns (const TfrcArrivals *arrivals);

/** The reporter is gone, or another kind of feedback controls @a sender from now on. What the reporter has shown is
 * forgotten; the packets that have left are not. */
TFRC_API void tfrc_arrivals_end (TfrcArrivals *arrivals, TfrcSender *sender);

/** The results of the receiver's side of TFRC for the arrivals.  Grows in later versions of
 * TfrcReceiverStats. */
TFRC_API TfrcResult tfrc_arrivals_get_stats_sized (
    const TfrcArrivals *arrivals, TfrcReceiverStats *stats, size_t size);

static inline TfrcResult
tfrc_arrivals_get_stats (const TfrcArrivals *arrivals, TfrcReceiverStats *stats)
{
  return tfrc_arrivals_get_stats_sized (arrivals, stats, sizeof *stats);
}

TFRC_END_DECLS
#endif
