/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver reports (RFC 3550 section 6.4) about one sender: when each is due, and what it says.
 *
 * A report leaves every 3.9 s while data comes, and at once after a report of the sender, but no
 * more often than once a second.  While no data comes, reports leave more often: the sender may send a packet
 * in several seconds only after an outage, and the first report that arrives makes the sender send
 * one at once.  With each of these reports goes feedback, as data may go to an address that a NAT on
 * the way does not have for this host any more.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_RECEIVERREPORTS_H
#define GST_TFRC_RECEIVERREPORTS_H

#include <glib.h>
#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

G_BEGIN_DECLS

/** The interval of receiver reports.  RFC 8083 needs one every 4 s at least; the rest is time to be
 * late. */
#define GST_TFRC_REPORT_INTERVAL_NS (39 * G_GUINT64_CONSTANT (100000000))

/** Only receiverreports.c uses the fields. */
typedef struct
{
  guint64 report_ns;   /* when the next report is due; G_MAXUINT64: never */
  guint64 reported_ns; /* when the last one was written; 0: none yet */
  guint64 answered_ns; /* when the last one was written that was due while data comes, too */
  guint64 data_ns;     /* when the last data packet came */
  gboolean has_tfrc;   /* the last data packet carried what TFRC needs */

  gboolean has_sr;   /* the sender has sent a report */
  guint32 sr_middle; /* of the last one, for LSR and DLSR */
  guint64 sr_arrival_ns;

  guint64 reported_expected; /* at the last report, for the fraction lost */
  guint64 reported_lost;

  gdouble jitter; /* RFC 3550 section 6.4.1, in units of the time stamp */
  gint64 transit;
  gboolean has_transit;
} GstTfrcReceiverReports;

/** Begins: no report is due. */
void gst_tfrc_receiver_reports_init (GstTfrcReceiverReports *self);

/** A data packet has come that is used.
 * @param has_tfrc it carries what TFRC needs: reports leave from now on
 * @param timestamp RTP time stamp, in units of 1 / TFRC_WIRE_CLOCK_RATE s */
void gst_tfrc_receiver_reports_on_data (
    GstTfrcReceiverReports *self, gboolean has_tfrc, guint32 timestamp, guint64 arrival_ns);

/** A report of the sender has come.  It is answered at once, so that the sender knows that the
 * receiver is there even if all data is lost. */
void gst_tfrc_receiver_reports_on_sender_report (
    GstTfrcReceiverReports *self, const TfrcWireRtcp *rtcp, guint64 arrival_ns);

/** Returns when the next report is due; G_MAXUINT64: never. */
guint64 gst_tfrc_receiver_reports_next_ns (const GstTfrcReceiverReports *self);

/** Has no data come for so long that reports leave more often? */
gboolean gst_tfrc_receiver_reports_is_silent (const GstTfrcReceiverReports *self, guint64 now_ns);

/** Writes the report that is due.
 * @param rtcp with the SSRC of this end and, in `report', of the sender and the highest sequence
 *   number; the rest is set here
 * @param stats of the sender's stream
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return bytes written */
gsize gst_tfrc_receiver_reports_write (GstTfrcReceiverReports *self, TfrcWireRtcp *rtcp,
    const TfrcReceiverStats *stats, const gchar *cname, guint64 now_ns, guint8 *buffer);

/** Returns the jitter of arrivals (RFC 3550 section 6.4.1) in units of the RTP time stamp. */
gdouble gst_tfrc_receiver_reports_get_jitter (const GstTfrcReceiverReports *self);

G_END_DECLS
#endif
