/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate of a flow and its control, see ratecontrol.h. */
#include "ratecontrol.h"

#include "../common/log.h"
#include "../queue/packet.h"

/* The most transport-wide feedbacks that one compound can have */
#define MAX_FEEDBACKS 8

/* Feedback may be about each packet that has left so often: receivers repeat what was overtaken. 24 bytes can be about
 * thousands of packets, each of which costs as much as one that has come, so that a receiver that repeats itself would
 * keep the thread from other streams. What is saved up lasts for a feedback about all packets that are remembered. */
#define READINGS 4
#define MAX_READABLE (READINGS * TFRC_ARRIVALS_PACKETS)

#define TIMEOUT_INTERVALS 5

/* The longest interval of transport-wide feedback that controls the rate */
#define LONGEST_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

/* Packets that signs of life release are at least this far apart. */
#define RELEASE_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

const gchar *
gst_tfrc_control_get_name (GstTfrcControl control)
{
  static const gchar *const names[] = { "none", "receiver-report", "transport-cc",
    "tfrc-feedback" };

  return names[control];
}

/* ---- life --------------------------------------------------------------- */

gboolean
gst_tfrc_rate_control_init (GstTfrcRateControl *self, const GstTfrcSinkRateConfig *rate,
    guint16 first_seq, guint32 clock_offset_us, gboolean has_transport_seq)
{
  TfrcSenderConfig config;

  self->config = *rate;
  gst_tfrc_sink_rate_config_get_sender (rate, &config);
  config.first_seq = first_seq;
  config.clock_offset_us = clock_offset_us;
  return tfrc_reports_new (&self->reports) == TFRC_OK
      && (!has_transport_seq || tfrc_arrivals_new (&self->arrivals) == TFRC_OK)
      && tfrc_sender_new (&self->sender, &config) == TFRC_OK;
}

void
gst_tfrc_rate_control_clear (GstTfrcRateControl *self)
{
  tfrc_reports_free (self->reports);
  tfrc_arrivals_free (self->arrivals);
  tfrc_sender_free (self->sender);
}

/* Ends what controls the rate, so that something else can. */
static void
set_control (GstTfrcRateControl *self, GstTfrcControl control)
{
  gst_tfrc_log (rate, INFO, "the rate follows %s, was %s", gst_tfrc_control_get_name (control),
      gst_tfrc_control_get_name (self->control));
  if (self->control == GST_TFRC_CONTROL_RECEIVER_REPORT)
    tfrc_reports_end (self->reports, self->sender);
  if (self->control == GST_TFRC_CONTROL_TRANSPORT_CC)
    tfrc_arrivals_end (self->arrivals, self->sender);
  self->control = control;
}

void
gst_tfrc_rate_control_lose_reporter (GstTfrcRateControl *self)
{
  if (!gst_tfrc_rate_control_is_by_rtcp (self))
    return;
  set_control (self, GST_TFRC_CONTROL_NONE);
  memset (&self->reported, 0, sizeof self->reported);
}

/* ---- outgoing ------------------------------------------------------------  */

/* Uses up the numbers of packets that the own queue has dropped. Returns FALSE if TFRC does not allow
 * all of them yet. */
static gboolean
account_local_drops (GstTfrcRateControl *self, guint32 payload_bytes, guint64 now_ns)
{
  TfrcData data;

  while (self->local_drops > 0
      && tfrc_sender_prepare (self->sender, payload_bytes, now_ns, &data) == TFRC_OK) {
    gst_tfrc_rate_control_on_packet (self, &data, NULL, now_ns);
    self->local_drops--;
  }
  return self->local_drops == 0;
}

gboolean
gst_tfrc_rate_control_prepare (
    GstTfrcRateControl *self, guint32 payload_bytes, guint64 now_ns, TfrcData *data)
{
  return !self->breaker.is_open && account_local_drops (self, payload_bytes, now_ns)
      && tfrc_sender_prepare (self->sender, payload_bytes, now_ns, data) == TFRC_OK;
}

void
gst_tfrc_rate_control_on_packet (
    GstTfrcRateControl *self, const TfrcData *data, const guint16 *rtp_seq, guint64 now_ns)
{
  if (rtp_seq)
    tfrc_reports_on_packet (self->reports, self->sender, *rtp_seq, data->size_bytes, now_ns);
  if (self->arrivals)
    tfrc_arrivals_on_packet (self->arrivals, data);
  self->readable = MIN (self->readable + READINGS, MAX_READABLE);
}

void
gst_tfrc_rate_control_take_back (GstTfrcRateControl *self, guint32 size_bytes, gboolean is_new)
{
  tfrc_sender_cancel (self->sender, size_bytes);
  if (is_new)
    tfrc_reports_cancel (self->reports, size_bytes);
  if (self->arrivals)
    tfrc_arrivals_cancel (self->arrivals);
}

void
gst_tfrc_rate_control_on_local_drop (GstTfrcRateControl *self, guint packets)
{
  self->local_drops += packets;
  gst_tfrc_log (
      rate, DEBUG, "the own interface has dropped %u packets, which count as lost", packets);
}

/* RFC 8083 counts in report intervals. */
void
gst_tfrc_rate_control_on_sender_report (
    GstTfrcRateControl *self, const TfrcSenderStats *stats, guint64 ntp, guint64 now_ns)
{
  const GstTfrcCircuitBreakerReport report = gst_tfrc_circuit_breaker_make_report (stats, now_ns);

  if (gst_tfrc_circuit_breaker_on_report (&self->breaker, &report))
    gst_tfrc_log (rate, INFO, "the circuit breaker ends the stream: X = %.0f byte/s, equation %.0f",
        stats->x_Bps, report.equation_rate_Bps);
  tfrc_reports_on_sender_report (self->reports, ntp, now_ns);
}

/* ---- incoming ------------------------------------------------------------  */

gboolean
gst_tfrc_rate_control_accepts (
    const GstTfrcRateControl *self, const TfrcFeedback *feedback, guint64 now_ns)
{
  return tfrc_sender_check_feedback (self->sender, feedback, now_ns) == TFRC_OK;
}

static void
note_control (GstTfrcRateControl *self)
{
  self->expirations_at_feedback = tfrc_sender_get_nofeedback_expirations (self->sender);
}

static void
log_rate (const GstTfrcRateControl *self, const TfrcFeedback *feedback)
{
  gst_tfrc_log (rate, LOG,
      "feedback: X = %.0f byte/s, drains at %.0f, R = %.3f ms, p = %g, X_recv = %u",
      tfrc_sender_get_rate_Bps (self->sender), gst_tfrc_rate_control_get_drain_rate_Bps (self),
      tfrc_sender_get_rtt_ns (self->sender) / 1e6, feedback->p, feedback->x_recv_Bps);
}

gboolean
gst_tfrc_rate_control_on_feedback (
    GstTfrcRateControl *self, const TfrcFeedback *feedback, guint64 now_ns)
{
  if (self->control != GST_TFRC_CONTROL_TFRC
      && gst_tfrc_rate_control_accepts (self, feedback, now_ns))
    set_control (self, GST_TFRC_CONTROL_TFRC);
  if (tfrc_sender_on_feedback (self->sender, feedback, now_ns) != TFRC_OK) {
    gst_tfrc_log (rate, DEBUG, "feedback is refused: p = %g, X_recv = %u byte/s", feedback->p,
        feedback->x_recv_Bps);
    return FALSE;
  }
  note_control (self);
  log_rate (self, feedback);
  return TRUE;
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

/* The number of packets is in the third and fourth bytes (draft-holmer-rmcat-transport-wide-cc-extensions-01). */
static gboolean
may_read (GstTfrcRateControl *self, const guint8 *fci, gsize fci_bytes)
{
  guint packets = fci_bytes >= 4 ? GST_READ_UINT16_BE (fci + 2) : 0;

  if (packets > self->readable)
    return FALSE;
  self->readable -= packets;
  return TRUE;
}

/* After the first feedback of TFRC the receiver's own numbers count, and no others. */
static gboolean
use_transport_feedback (GstTfrcRateControl *self, const GstTfrcControlReport *report)
{
  const TfrcWireRtcp *rtcp = report->rtcp;
  GstTfrcFoundFeedback found = { 0 };
  guint64 rtt_ns = 0;
  gboolean used = FALSE;
  const guint8 *fci;
  gsize fci_bytes;
  guint n;

  if (self->arrivals == NULL || self->control == GST_TFRC_CONTROL_TFRC)
    return FALSE;
  if (rtcp->has_report)
    rtt_ns = tfrc_reports_get_rtt_sample_ns (self->reports, &rtcp->report, report->arrival_ns);
  for (n = 0;
       n < MAX_FEEDBACKS && gst_tfrc_control_report_find_feedback (report, &found, &fci, &fci_bytes)
       && may_read (self, fci, fci_bytes);
       n++)
    used |= tfrc_arrivals_on_feedback (self->arrivals,
                is_by_transport_feedback (self) ? self->sender : NULL, fci, fci_bytes, rtt_ns,
                report->arrival_ns)
        == TFRC_OK;
  return used && is_by_transport_feedback (self);
}

static gboolean
use_report (GstTfrcRateControl *self, const GstTfrcControlReport *report)
{
  const TfrcWireRtcp *rtcp = report->rtcp;

  return rtcp->has_report && self->control <= GST_TFRC_CONTROL_RECEIVER_REPORT
      && tfrc_reports_on_report (
             self->reports, self->sender, rtcp->sender_ssrc, &rtcp->report, report->arrival_ns)
      == TFRC_OK;
}

gboolean
gst_tfrc_rate_control_is_echo (const GstTfrcRateControl *self, const GstTfrcControlReport *report)
{
  return report->rtcp->has_report
      && tfrc_reports_get_rtt_sample_ns (self->reports, &report->rtcp->report, report->arrival_ns)
      > 0;
}

/* After the first feedback of TFRC reports are signs of life, and no more. */
gboolean
gst_tfrc_rate_control_on_report (GstTfrcRateControl *self, const GstTfrcControlReport *report)
{
  const TfrcWireRtcp *rtcp = report->rtcp;

  if (use_transport_feedback (self, report)) {
    if (self->control != GST_TFRC_CONTROL_TRANSPORT_CC)
      set_control (self, GST_TFRC_CONTROL_TRANSPORT_CC);
  } else if (use_report (self, report)) {
    self->control = GST_TFRC_CONTROL_RECEIVER_REPORT;
  } else {
    return FALSE;
  }
  self->reporter = *report->from;
  self->reporter_ssrc = rtcp->sender_ssrc;
  if (rtcp->has_report)
    gst_tfrc_reported_losses_on_report (&self->reported, &rtcp->report);
  note_control (self);
  return TRUE;
}

gboolean
gst_tfrc_rate_control_lacks_feedback (const GstTfrcRateControl *self)
{
  return tfrc_sender_get_rtt_ns (self->sender) == 0
      || tfrc_sender_get_nofeedback_expirations (self->sender) > self->expirations_at_feedback;
}

void
gst_tfrc_rate_control_on_sign_of_life (GstTfrcRateControl *self, guint64 now_ns)
{
  if (now_ns < self->release_ns || !gst_tfrc_rate_control_lacks_feedback (self))
    return;
  self->release_ns = now_ns + RELEASE_INTERVAL_NS;
  gst_tfrc_log (rate, DEBUG, "a sign of life releases a packet");
  tfrc_sender_on_peer_alive (self->sender, now_ns);
}

void
gst_tfrc_rate_control_on_new_path (GstTfrcRateControl *self, guint64 rtt_ns, guint64 now_ns)
{
  tfrc_sender_on_new_path (self->sender, rtt_ns, now_ns);
}

/* ---- time ---------------------------------------------------------------- */

guint64
gst_tfrc_rate_control_next_ns (const GstTfrcRateControl *self)
{
  return tfrc_sender_next_timeout_ns (self->sender);
}

gboolean
gst_tfrc_rate_control_on_time (GstTfrcRateControl *self, guint64 now_ns)
{
  guint64 expirations = tfrc_sender_get_nofeedback_expirations (self->sender);

  tfrc_sender_on_timeout (self->sender, now_ns);
  if (tfrc_sender_get_nofeedback_expirations (self->sender) == expirations)
    return FALSE;
  gst_tfrc_log (rate, DEBUG,
      "no feedback has come, for the %" G_GUINT64_FORMAT ". time: X = %.0f byte/s", expirations + 1,
      tfrc_sender_get_rate_Bps (self->sender));
  return TRUE;
}

guint64
gst_tfrc_rate_control_next_send_ns (const GstTfrcRateControl *self)
{
  return self->breaker.is_open ? G_MAXUINT64 : tfrc_sender_next_send_ns (self->sender);
}

guint64
gst_tfrc_rate_control_timeout_ns (const GstTfrcRateControl *self)
{
  return TIMEOUT_INTERVALS * tfrc_reports_get_interval_ns (self->reports);
}

/* ---- the rate ------------------------------------------------------------ */

static void
update_limits (GstTfrcRateControl *self)
{
  const gdouble least_Bps = (gdouble) GST_TFRC_PACKET_MAX_PAYLOAD_BYTES / 64;
  gdouble min_Bps = self->is_answered || self->config.mute_receiver ? self->min_bitrate / 8.0 : 0;
  gdouble max_Bps = self->max_bitrate / 8.0;

  if (max_Bps > 0) {
    max_Bps = MAX (max_Bps, least_Bps);
    min_Bps = MIN (min_Bps, max_Bps);
  }
  tfrc_sender_set_rate_limits (self->sender, min_Bps, max_Bps);
  gst_tfrc_log (
      rate, DEBUG, "X is at least %.0f byte/s, at most %.0f (0: no limit)", min_Bps, max_Bps);
}

void
gst_tfrc_rate_control_set_limits (
    GstTfrcRateControl *self, guint64 min_bitrate, guint64 max_bitrate)
{
  self->min_bitrate = min_bitrate;
  self->max_bitrate = max_bitrate;
  update_limits (self);
}

void
gst_tfrc_rate_control_set_answered (GstTfrcRateControl *self, gboolean is_answered)
{
  if (is_answered == self->is_answered)
    return;
  self->is_answered = is_answered;
  update_limits (self);
}

gdouble
gst_tfrc_rate_control_get_rate_Bps (const GstTfrcRateControl *self)
{
  return tfrc_sender_get_rate_Bps (self->sender);
}

gdouble
gst_tfrc_rate_control_get_drain_rate_Bps (const GstTfrcRateControl *self)
{
  return MIN (
      tfrc_sender_get_rate_Bps (self->sender), tfrc_sender_get_inst_rate_Bps (self->sender));
}

void
gst_tfrc_rate_control_spend_credit (GstTfrcRateControl *self, gboolean spend)
{
  if (spend == self->spends_credit)
    return;
  self->spends_credit = spend;
  tfrc_sender_spend_credit (self->sender, spend);
  gst_tfrc_log (rate, DEBUG, "%s; X = %.0f byte/s, R = %.3f ms",
      spend
          ? "packets would be late at X, and leave at twice X while sending time of the last R is unused"
          : "what waits is in time at X",
      tfrc_sender_get_rate_Bps (self->sender), tfrc_sender_get_rtt_ns (self->sender) / 1e6);
}

guint64
gst_tfrc_rate_control_get_used_until_ns (const GstTfrcRateControl *self)
{
  return tfrc_sender_get_used_until_ns (self->sender);
}

gdouble
gst_tfrc_rate_control_get_proven_Bps (const GstTfrcRateControl *self, guint64 *least_rtt_ns)
{
  return tfrc_sender_get_proven_rate_Bps (self->sender, least_rtt_ns);
}

guint64
gst_tfrc_rate_control_get_rtt_ns (const GstTfrcRateControl *self)
{
  return tfrc_sender_get_rtt_ns (self->sender);
}

/* ---- queries ------------------------------------------------------------- */

gboolean
gst_tfrc_rate_control_is_broken (const GstTfrcRateControl *self)
{
  return self->breaker.is_open;
}

const GstTfrcSinkRateConfig *
gst_tfrc_rate_control_get_config (const GstTfrcRateControl *self)
{
  return &self->config;
}

GstTfrcControl
gst_tfrc_rate_control_get_control (const GstTfrcRateControl *self)
{
  return self->control;
}

gboolean
gst_tfrc_rate_control_is_unanswered (const GstTfrcRateControl *self)
{
  return tfrc_sender_get_nofeedback_expirations (self->sender) > 0;
}

guint64
gst_tfrc_rate_control_get_packets_sent (const GstTfrcRateControl *self)
{
  return tfrc_sender_get_packets_sent (self->sender);
}

guint32
gst_tfrc_rate_control_wire_time_us (const GstTfrcRateControl *self, guint64 now_ns)
{
  return tfrc_sender_wire_time_us (self->sender, now_ns);
}

void
gst_tfrc_rate_control_get_stats (const GstTfrcRateControl *self, TfrcSenderStats *stats)
{
  tfrc_sender_get_stats (self->sender, stats);
}

void
gst_tfrc_rate_control_get_losses (
    const GstTfrcRateControl *self, guint64 *packets_lost, guint64 *loss_events)
{
  TfrcReceiverStats arrivals;

  *packets_lost = gst_tfrc_reported_losses_get (&self->reported);
  if (self->control != GST_TFRC_CONTROL_TRANSPORT_CC
      || tfrc_arrivals_get_stats (self->arrivals, &arrivals) != TFRC_OK)
    return;
  *packets_lost = arrivals.packets_lost;
  *loss_events = arrivals.loss_events;
}
