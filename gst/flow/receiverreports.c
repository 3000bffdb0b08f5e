/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiver reports, see receiverreports.h. */
#include "receiverreports.h"

#include <gst/gst.h>
#include <math.h>
#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* The least interval of receiver reports that answer a report of the sender */
#define MIN_REPORT_INTERVAL_NS S_NS

/* While no data comes, reports are half a second apart at first, and a tenth of the silence apart
 * later. */
#define SILENCE_REPORT_INTERVAL_NS (S_NS / 2)
#define SILENCE_PER_INTERVAL 10

void
gst_tfrc_receiver_reports_init (GstTfrcReceiverReports *self)
{
  memset (self, 0, sizeof *self);
  self->report_ns = G_MAXUINT64;
}

/* RFC 3550 appendix A.8 */
static void
update_jitter (GstTfrcReceiverReports *self, guint32 timestamp, guint64 arrival_ns)
{
  gint64 arrival = (gint64) gst_util_uint64_scale (arrival_ns, TFRC_WIRE_CLOCK_RATE, S_NS);
  gint64 transit = (gint32) ((guint32) arrival - timestamp);

  if (self->has_transit)
    self->jitter += (fabs ((gdouble) (gint32) (transit - self->transit)) - self->jitter) / 16;
  self->transit = transit;
  self->has_transit = TRUE;
}

void
gst_tfrc_receiver_reports_on_data (
    GstTfrcReceiverReports *self, gboolean has_tfrc, guint32 timestamp, guint64 arrival_ns)
{
  self->data_ns = arrival_ns;
  self->has_tfrc = has_tfrc;
  if (has_tfrc && self->report_ns == G_MAXUINT64)
    self->report_ns = arrival_ns + GST_TFRC_REPORT_INTERVAL_NS;
  update_jitter (self, timestamp, arrival_ns);
}

void
gst_tfrc_receiver_reports_on_sender_report (
    GstTfrcReceiverReports *self, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  guint64 answer_ns = arrival_ns;

  self->has_sr = TRUE;
  self->sr_middle = (guint32) (rtcp->sr_ntp >> 16);
  self->sr_arrival_ns = arrival_ns;
  if (self->answered_ns != 0)
    answer_ns = MAX (answer_ns, self->answered_ns + MIN_REPORT_INTERVAL_NS);
  self->report_ns = MIN (self->report_ns, answer_ns);
}

guint64
gst_tfrc_receiver_reports_next_ns (const GstTfrcReceiverReports *self)
{
  guint64 last_ns = MAX (self->data_ns, self->reported_ns);
  guint64 interval_ns = (last_ns - self->data_ns) / SILENCE_PER_INTERVAL;

  if (!self->has_tfrc)
    return self->report_ns;
  interval_ns = CLAMP (interval_ns, SILENCE_REPORT_INTERVAL_NS, GST_TFRC_REPORT_INTERVAL_NS);
  return MIN (self->report_ns, last_ns + interval_ns);
}

gboolean
gst_tfrc_receiver_reports_is_silent (const GstTfrcReceiverReports *self, guint64 now_ns)
{
  return self->has_tfrc && now_ns >= self->data_ns + SILENCE_REPORT_INTERVAL_NS;
}

/* RFC 3550 section 6.4.1 */
static void
fill_report (GstTfrcReceiverReports *self, const TfrcReceiverStats *stats, TfrcWireReport *report,
    guint64 now_ns)
{
  guint64 expected = stats->packets_expected - self->reported_expected;
  gint64 lost = (gint64) (stats->packets_lost - self->reported_lost);

  self->reported_expected = stats->packets_expected;
  self->reported_lost = stats->packets_lost;
  if (expected > 0 && lost > 0)
    report->fraction_lost = (guint8) MIN (lost * 256 / (gint64) expected, 255);
  report->packets_lost = (gint32) MIN (stats->packets_lost, 0x7fffff);
  report->jitter = (guint32) self->jitter;
  if (self->has_sr) {
    report->lsr = self->sr_middle;
    report->dlsr = (guint32) gst_util_uint64_scale (
        now_ns - MIN (self->sr_arrival_ns, now_ns), 65536, S_NS);
  }
}

gsize
gst_tfrc_receiver_reports_write (GstTfrcReceiverReports *self, TfrcWireRtcp *rtcp,
    const TfrcReceiverStats *stats, const gchar *cname, guint64 now_ns, guint8 *buffer)
{
  if (self->report_ns <= now_ns)
    self->answered_ns = now_ns;
  self->report_ns = now_ns + GST_TFRC_REPORT_INTERVAL_NS;
  self->reported_ns = now_ns;
  rtcp->has_report = TRUE;
  fill_report (self, stats, &rtcp->report, now_ns);
  return tfrc_wire_write_receiver_report (buffer, rtcp, cname);
}

gdouble
gst_tfrc_receiver_reports_get_jitter (const GstTfrcReceiverReports *self)
{
  return self->jitter;
}
