/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The control of a sender's rate: feedback of TFRC, or its substitute in the RTCP of a receiver
 * that does not know TFRC (<tfrc/reports.h>).
 *
 * Better feedback takes the place of worse feedback: receiver reports, then transport-wide feedback
 * that comes at least once a second, then feedback of TFRC.  The way back is by
 * gst_tfrc_rate_control_reset() alone, when the receiver is gone.
 *
 * GstTfrcRateControl has no lock: the session that owns it is locked. */
#ifndef GST_TFRC_RATECONTROL_H
#define GST_TFRC_RATECONTROL_H

#include <glib.h>
#include <tfrc/reports.h>

#include "../io/address.h"

G_BEGIN_DECLS

/** In the order in which one takes the place of another */
typedef enum
{
  GST_TFRC_CONTROL_NONE,
  GST_TFRC_CONTROL_RECEIVER_REPORT,
  GST_TFRC_CONTROL_TRANSPORT_CC,
  GST_TFRC_CONTROL_TFRC
} GstTfrcControl;

/** A compound of RTCP about the stream */
typedef struct
{
  const GstTfrcAddress *from;
  const TfrcWireRtcp *rtcp;
  const guint8 *data; /* the compound itself */
  gsize size;
  guint32 media_ssrc; /* of the stream */
  guint64 arrival_ns;
} GstTfrcControlReport;

typedef struct
{
  GstTfrcControl control;
  TfrcReports *reports;
  TfrcArrivals *arrivals;  /* NULL: data carries no transport sequence number */
  GstTfrcAddress reporter; /* without feedback of TFRC: where its RTCP comes from */
  guint32 reporter_ssrc;
  guint64 packets_lost; /* as the reporter says */
} GstTfrcRateControl;

/** Zero-initialise @a self before.
 * @param has_transport_seq data carries the transport sequence number
 * @return FALSE if there is no memory; clear it all the same */
gboolean gst_tfrc_rate_control_init (GstTfrcRateControl *self, gboolean has_transport_seq);
void gst_tfrc_rate_control_clear (GstTfrcRateControl *self);

/** The receiver is gone: what the next one sends may be of any kind. */
void gst_tfrc_rate_control_reset (GstTfrcRateControl *self, TfrcSender *sender);

/* ---- what leaves -------------------------------------------------------- */

/** A packet of data leaves.
 * @param rtp_seq NULL: the packet has left before, and keeps its RTP sequence number */
void gst_tfrc_rate_control_on_packet (GstTfrcRateControl *self, TfrcSender *sender,
    const TfrcData *data, const guint16 *rtp_seq, guint64 now_ns);

/** Takes back the newest packet.
 * @param is_new as rtp_seq was not NULL */
void gst_tfrc_rate_control_take_back (
    GstTfrcRateControl *self, guint32 size_bytes, gboolean is_new);

/** A sender report leaves. */
void gst_tfrc_rate_control_on_sender_report (GstTfrcRateControl *self, guint64 ntp, guint64 now_ns);

/* ---- what comes --------------------------------------------------------- */

/** Has the sender use feedback of TFRC, which takes the place of all else.
 * @return FALSE if the sender refuses the feedback; nothing has changed */
gboolean gst_tfrc_rate_control_on_feedback (
    GstTfrcRateControl *self, TfrcSender *sender, const TfrcFeedback *feedback, guint64 now_ns);

/** Says whether a compound may be the reporter's.  The first reporter that controls the rate is the
 * only one. */
gboolean gst_tfrc_rate_control_is_reporter (
    const GstTfrcRateControl *self, const GstTfrcAddress *from, guint32 ssrc);

/** Uses a receiver report or transport-wide feedback, of a reporter.
 * @return TRUE if the sender follows it */
gboolean gst_tfrc_rate_control_on_report (
    GstTfrcRateControl *self, TfrcSender *sender, const GstTfrcControlReport *report);

/** Returns whether reports of RTCP alone control the rate. */
gboolean gst_tfrc_rate_control_is_by_rtcp (const GstTfrcRateControl *self);

/** Returns the time without a report after which a reporter is gone: five of its intervals (RFC 3550
 * section 6.3.5). */
guint64 gst_tfrc_rate_control_timeout_ns (const GstTfrcRateControl *self);

/** Returns the name of a kind in `stats'. */
const gchar *gst_tfrc_control_get_name (GstTfrcControl control);

G_END_DECLS
#endif
