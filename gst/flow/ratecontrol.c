/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The control of a sender's rate, see ratecontrol.h. */
#include "ratecontrol.h"

/* The most transport-wide feedbacks that one compound can have */
#define MAX_FEEDBACKS 8

#define TIMEOUT_INTERVALS 5

/* The longest interval of transport-wide feedback that controls the rate */
#define LONGEST_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

const gchar *
gst_tfrc_control_get_name (GstTfrcControl control)
{
  switch (control) {
    case GST_TFRC_CONTROL_NONE:
      return "none";
    case GST_TFRC_CONTROL_RECEIVER_REPORT:
      return "receiver-report";
    case GST_TFRC_CONTROL_TRANSPORT_CC:
      return "transport-cc";
    case GST_TFRC_CONTROL_TFRC:
      return "tfrc-feedback";
  }
  return "unknown";
}

/* ---- life --------------------------------------------------------------- */

gboolean
gst_tfrc_rate_control_init (GstTfrcRateControl *self, gboolean has_transport_seq)
{
  return tfrc_reports_new (&self->reports) == TFRC_OK
      && (!has_transport_seq || tfrc_arrivals_new (&self->arrivals) == TFRC_OK);
}

void
gst_tfrc_rate_control_clear (GstTfrcRateControl *self)
{
  tfrc_reports_free (self->reports);
  tfrc_arrivals_free (self->arrivals);
}

/* Ends what controls the rate, so that something else can. */
static void
set_control (GstTfrcRateControl *self, TfrcSender *sender, GstTfrcControl control)
{
  if (self->control == GST_TFRC_CONTROL_RECEIVER_REPORT)
    tfrc_reports_end (self->reports, sender);
  if (self->control == GST_TFRC_CONTROL_TRANSPORT_CC)
    tfrc_arrivals_end (self->arrivals, sender);
  self->control = control;
}

void
gst_tfrc_rate_control_reset (GstTfrcRateControl *self, TfrcSender *sender)
{
  set_control (self, sender, GST_TFRC_CONTROL_NONE);
  self->packets_lost = 0;
}

/* ---- what leaves -------------------------------------------------------- */

void
gst_tfrc_rate_control_on_packet (GstTfrcRateControl *self, TfrcSender *sender, const TfrcData *data,
    const guint16 *rtp_seq, guint64 now_ns)
{
  if (rtp_seq)
    tfrc_reports_on_packet (self->reports, sender, *rtp_seq, data->size_bytes, now_ns);
  if (self->arrivals)
    tfrc_arrivals_on_packet (self->arrivals, data);
}

void
gst_tfrc_rate_control_take_back (GstTfrcRateControl *self, guint32 size_bytes, gboolean is_new)
{
  if (is_new)
    tfrc_reports_cancel (self->reports, size_bytes);
  if (self->arrivals)
    tfrc_arrivals_cancel (self->arrivals);
}

void
gst_tfrc_rate_control_on_sender_report (GstTfrcRateControl *self, guint64 ntp, guint64 now_ns)
{
  tfrc_reports_on_sender_report (self->reports, ntp, now_ns);
}

/* ---- what comes --------------------------------------------------------- */

gboolean
gst_tfrc_rate_control_on_feedback (
    GstTfrcRateControl *self, TfrcSender *sender, const TfrcFeedback *feedback, guint64 now_ns)
{
  if (self->control != GST_TFRC_CONTROL_TFRC
      && tfrc_sender_check_feedback (sender, feedback, now_ns) == TFRC_OK)
    set_control (self, sender, GST_TFRC_CONTROL_TFRC);
  return tfrc_sender_on_feedback (sender, feedback, now_ns) == TFRC_OK;
}

gboolean
gst_tfrc_rate_control_is_by_rtcp (const GstTfrcRateControl *self)
{
  return self->control == GST_TFRC_CONTROL_RECEIVER_REPORT
      || self->control == GST_TFRC_CONTROL_TRANSPORT_CC;
}

gboolean
gst_tfrc_rate_control_is_reporter (
    const GstTfrcRateControl *self, const GstTfrcAddress *from, guint32 ssrc)
{
  if (!gst_tfrc_rate_control_is_by_rtcp (self))
    return self->control == GST_TFRC_CONTROL_NONE;
  return ssrc == self->reporter_ssrc && gst_tfrc_address_equal (from, &self->reporter);
}

/* Transport-wide feedback takes the place of reports once it comes often. */
static gboolean
is_by_transport_feedback (const GstTfrcRateControl *self)
{
  return self->control == GST_TFRC_CONTROL_TRANSPORT_CC
      || tfrc_arrivals_get_interval_ns (self->arrivals) <= LONGEST_INTERVAL_NS;
}

static gboolean
use_transport_feedback (
    GstTfrcRateControl *self, TfrcSender *sender, const GstTfrcControlReport *report)
{
  const TfrcWireRtcp *rtcp = report->rtcp;
  guint64 rtt_ns = 0;
  gboolean used = FALSE;
  const guint8 *fci;
  gsize fci_bytes;
  guint nth;

  if (self->arrivals == NULL)
    return FALSE;
  if (rtcp->has_report)
    rtt_ns = tfrc_reports_get_rtt_sample_ns (self->reports, &rtcp->report, report->arrival_ns);
  for (nth = 0; nth < MAX_FEEDBACKS
       && tfrc_wire_find_transport_feedback (
           report->data, report->size, report->media_ssrc, nth, &fci, &fci_bytes);
       nth++)
    used |= tfrc_arrivals_on_feedback (self->arrivals,
                is_by_transport_feedback (self) ? sender : NULL, fci, fci_bytes, rtt_ns,
                report->arrival_ns)
        == TFRC_OK;
  return used && is_by_transport_feedback (self);
}

static gboolean
use_report (GstTfrcRateControl *self, TfrcSender *sender, const GstTfrcControlReport *report)
{
  const TfrcWireRtcp *rtcp = report->rtcp;

  return rtcp->has_report && self->control <= GST_TFRC_CONTROL_RECEIVER_REPORT
      && tfrc_reports_on_report (
             self->reports, sender, rtcp->sender_ssrc, &rtcp->report, report->arrival_ns)
      == TFRC_OK;
}

gboolean
gst_tfrc_rate_control_on_report (
    GstTfrcRateControl *self, TfrcSender *sender, const GstTfrcControlReport *report)
{
  const TfrcWireRtcp *rtcp = report->rtcp;

  if (use_transport_feedback (self, sender, report)) {
    if (self->control != GST_TFRC_CONTROL_TRANSPORT_CC)
      set_control (self, sender, GST_TFRC_CONTROL_TRANSPORT_CC);
  } else if (use_report (self, sender, report)) {
    self->control = GST_TFRC_CONTROL_RECEIVER_REPORT;
  } else {
    return FALSE;
  }
  self->reporter = *report->from;
  self->reporter_ssrc = rtcp->sender_ssrc;
  if (rtcp->has_report)
    self->packets_lost = (guint64) MAX (0, rtcp->report.packets_lost);
  return TRUE;
}

guint64
gst_tfrc_rate_control_timeout_ns (const GstTfrcRateControl *self)
{
  return TIMEOUT_INTERVALS * tfrc_reports_get_interval_ns (self->reports);
}
