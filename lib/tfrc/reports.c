/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback from receiver reports (RFC 3550 section 6.4), see <tfrc/reports.h>. */
#include <tfrc/reports.h>

#include <math.h>
#include <stdlib.h>

#include "report_limit.h"
#include "report_losses.h"
#include "report_pace.h"
#include "report_record.h"
#include "sender_reports.h"
#include "units.h"

/* RFC 3550 section 6.2: 5 s, times 1.5, divided by e - 1.5 */
#define LONGEST_REGULAR_INTERVAL_NS (UINT64_C (6157) * 1000 * 1000)

/* The shortest time that is measured.  Over a shorter time one packet more or less changes X_recv by
 * more than the rate may grow. */
#define LEAST_INTERVAL_NS TFRC_NS_PER_S

#define FRACTION_ONE 256

/* The first rate is W_init in at least this time.  A rate of W_init in a short R relies on feedback
 * an R later, and the next report is seconds away. */
#define LEAST_INITIAL_RTT_NS (100 * 1000 * TFRC_NS_PER_US)

/* The contents of the last report that was used; valid once the sender follows reports.  Further reports
 * about the same packet show that the receiver waits for packets: the wait is no time in which packets
 * have come, and the receiver's pace shows all the same.  Busy times are those of report_record.h. */
typedef struct
{
  uint32_t ssrc; /* of the reporter */
  uint16_t highest_seq;
  TfrcReportMark highest;
  int32_t packets_lost;
  uint64_t used_ns;  /* when it came, in busy time */
  uint64_t came_ns;  /* when the last report about this packet came, in busy time */
  uint64_t left_ns;  /* what has not come by then has left later, in busy time */
  uint64_t heard_ns; /* when the last report about this packet came */
} Baseline;

struct TfrcReports
{
  TfrcReportRecord record;
  Baseline last;
  TfrcReportPace pace;
  TfrcReportLosses losses;
  TfrcReportLimit limit;
  double most_x_recv_Bps;
  uint32_t reports;   /* that the sender follows */
  uint32_t with_loss; /* of these */
};

/* ---- life -------------------------------------------------------------- */

static void
forget_reporter (TfrcReports *reports)
{
  reports->most_x_recv_Bps = 0;
  reports->reports = reports->with_loss = 0;
  tfrc_report_pace_init (&reports->pace, LONGEST_REGULAR_INTERVAL_NS);
  tfrc_report_losses_init (&reports->losses);
}

TfrcResult
tfrc_reports_new (TfrcReports **reports)
{
  if (reports == NULL)
    return TFRC_ERROR_ARGUMENT;
  *reports = calloc (1, sizeof **reports);
  if (*reports == NULL)
    return TFRC_ERROR_NO_MEMORY;
  forget_reporter (*reports);
  return TFRC_OK;
}

void
tfrc_reports_free (TfrcReports *reports)
{
  free (reports);
}

void
tfrc_reports_end (TfrcReports *reports, TfrcSender *sender)
{
  if (reports == NULL || sender == NULL)
    return;
  forget_reporter (reports);
  tfrc_sender_leave_reports (sender);
}

/* ---- what leaves -------------------------------------------------------- */

static void
apply_limit (const TfrcReports *reports, TfrcSender *sender, uint64_t now_ns)
{
  tfrc_sender_limit_by_reports (sender, tfrc_report_limit_Bps (&reports->limit, now_ns), now_ns);
}

void
tfrc_reports_on_packet (
    TfrcReports *reports, TfrcSender *sender, uint16_t seq, uint32_t size_bytes, uint64_t now_ns)
{
  if (reports == NULL || sender == NULL)
    return;
  tfrc_report_record_on_packet (&reports->record, seq, size_bytes, now_ns);
  if (reports->reports == 0)
    return;
  tfrc_report_limit_on_packet (&reports->limit, size_bytes, now_ns);
  apply_limit (reports, sender, now_ns);
}

void
tfrc_reports_cancel (TfrcReports *reports, uint32_t size_bytes)
{
  if (reports != NULL)
    tfrc_report_record_cancel (&reports->record, size_bytes);
}

void
tfrc_reports_on_sender_report (TfrcReports *reports, uint64_t ntp, uint64_t now_ns)
{
  if (reports != NULL)
    tfrc_report_record_on_sender_report (&reports->record, ntp, now_ns);
}

/* ---- a report ----------------------------------------------------------- */

uint64_t
tfrc_reports_get_rtt_sample_ns (
    const TfrcReports *reports, const TfrcWireReport *report, uint64_t now_ns)
{
  if (reports == NULL || report == NULL)
    return 0;
  return tfrc_report_record_rtt_ns (&reports->record, report->lsr, report->dlsr, now_ns);
}

uint64_t
tfrc_reports_get_interval_ns (const TfrcReports *reports)
{
  return reports != NULL ? tfrc_report_pace_longest_ns (&reports->pace) : 0;
}

/* Returns the packets that were lost since the last report.  A receiver that counts duplicates may
 * have lost less than nothing (RFC 3550 section 6.4.1), and the sum stands still at its highest
 * value.  One false sum makes the next true one impossible.  Then the fraction counts, which is of
 * the receiver's own last interval. */
static uint64_t
lost_since (const TfrcReports *reports, const TfrcWireReport *report, uint64_t packets)
{
  int64_t counted = (int64_t) report->packets_lost - reports->last.packets_lost;
  uint64_t by_fraction = packets * report->fraction_lost / FRACTION_ONE;

  if (counted <= 0 || (uint64_t) counted > packets)
    return by_fraction;
  return tfrc_max_ns ((uint64_t) counted, by_fraction);
}

/* Measures the time since the last report.  Returns TFRC_OK, or why there is nothing to measure. */
static TfrcResult
measure (const TfrcReports *reports, const TfrcSender *sender, const TfrcWireReport *report,
    const TfrcReportMark *highest, uint64_t now_ns, TfrcReportInterval *interval)
{
  const Baseline *last = &reports->last;
  uint64_t rtt_ns = tfrc_sender_get_rtt_ns (sender);
  uint64_t least_ns = tfrc_max_ns (LEAST_INTERVAL_NS, rtt_ns);
  uint64_t busy_ns = tfrc_report_record_busy_ns (&reports->record, now_ns);
  double share;

  if (highest->packets <= last->highest.packets)
    return TFRC_ERROR_STALE;
  if (tfrc_sub_ns (now_ns, last->heard_ns) < least_ns)
    return TFRC_ERROR_TOO_EARLY;
  interval->packets = highest->packets - last->highest.packets;
  interval->lost = lost_since (reports, report, interval->packets);
  interval->rtt_ns = rtt_ns;
  interval->elapsed_ns = tfrc_max_ns (tfrc_sub_ns (busy_ns, last->used_ns), least_ns);
  interval->measured_ns = tfrc_max_ns (tfrc_max_ns (tfrc_sub_ns (busy_ns, last->came_ns), least_ns),
      tfrc_sub_ns (tfrc_report_mark_busy_ns (highest), last->left_ns));
  interval->now_ns = now_ns;
  interval->bytes = highest->bytes - last->highest.bytes;
  share = (double) (interval->packets - interval->lost) / (double) interval->packets;
  interval->x_recv_Bps = share * (double) interval->bytes / tfrc_ns_to_s (interval->measured_ns);
  return TFRC_OK;
}

/* Returns the time between two reports.  A receiver reports senders that it has heard lately, so that a
 * pause of the sender need not have reports, and is none of that time. */
static uint64_t
report_interval_ns (const TfrcReports *reports, const TfrcReportInterval *interval)
{
  return tfrc_min_ns (tfrc_sub_ns (interval->now_ns, reports->last.heard_ns),
      tfrc_max_ns (interval->measured_ns, LONGEST_REGULAR_INTERVAL_NS));
}

/* Uses what was measured for p and for the limit of X. */
static void
learn (TfrcReports *reports, TfrcSender *sender, TfrcReportInterval *interval)
{
  uint64_t events = 0;

  reports->most_x_recv_Bps = fmax (reports->most_x_recv_Bps, interval->x_recv_Bps);
  if (interval->lost > 0 && interval->rtt_ns > 0) {
    events = tfrc_report_losses_events (interval->lost, interval->elapsed_ns, interval->rtt_ns);
    interval->equation_Bps = tfrc_sender_equation_rate_Bps (
        sender, (double) events / (double) interval->packets);
    reports->with_loss++;
  }
  tfrc_report_losses_on_report (&reports->losses, interval->packets, events,
      tfrc_sender_first_interval (sender, reports->most_x_recv_Bps));
  tfrc_report_limit_on_report (&reports->limit, interval);
  apply_limit (reports, sender, interval->now_ns);
}

/* Has the sender follow the report.  The packet that the report names came half a round trip before
 * the report left; t_delay is what makes the sample of R that of the sender reports. */
static TfrcResult
follow (TfrcReports *reports, TfrcSender *sender, const TfrcReportMark *highest, double x_recv_Bps,
    uint64_t sample_ns, uint64_t now_ns)
{
  uint64_t age_ns = tfrc_sub_ns (now_ns, highest->time_ns);
  TfrcFeedback feedback = { 0 };

  feedback.recv_data_us = tfrc_sender_wire_time_us (sender, highest->time_ns);
  feedback.delay_us = (uint32_t) tfrc_min_ns (
      tfrc_sub_ns (age_ns, sample_ns) / TFRC_NS_PER_US, UINT32_MAX);
  feedback.no_rtt_sample = sample_ns == 0;
  feedback.x_recv_Bps = (uint32_t) fmin (x_recv_Bps, UINT32_MAX);
  feedback.p = tfrc_report_losses_p (&reports->losses);
  feedback.has_state = true;
  feedback.number = reports->reports++;
  feedback.loss_events = reports->with_loss;
  return tfrc_sender_on_feedback (sender, &feedback, now_ns);
}

/* The first report that says R gives the first rate; slow start goes on from there. */
static TfrcResult
begin (TfrcReports *reports, TfrcSender *sender, const TfrcReportMark *highest, uint64_t sample_ns,
    uint64_t now_ns)
{
  TfrcResult result;

  if (sample_ns == 0)
    return TFRC_ERROR_TOO_EARLY;
  tfrc_sender_follow_reports (sender, tfrc_report_pace_longest_ns (&reports->pace), true);
  result = follow (reports, sender, highest, 0, sample_ns, now_ns);
  tfrc_report_limit_init (&reports->limit,
      tfrc_sender_first_reports_rate_Bps (sender, LEAST_INITIAL_RTT_NS),
      tfrc_sender_get_rtt_ns (sender), now_ns);
  apply_limit (reports, sender, now_ns);
  return result;
}

static void
keep (TfrcReports *reports, uint32_t ssrc, const TfrcReportMark *highest,
    const TfrcWireReport *report, uint64_t now_ns)
{
  uint64_t busy_ns = tfrc_report_record_busy_ns (&reports->record, now_ns);

  reports->last = (Baseline){ .ssrc = ssrc,
    .highest_seq = (uint16_t) report->highest_seq,
    .highest = *highest,
    .packets_lost = report->packets_lost,
    .used_ns = busy_ns,
    .came_ns = busy_ns,
    .left_ns = tfrc_report_mark_busy_ns (highest),
    .heard_ns = now_ns };
}

/* Is this report about the packet that the last one was about?
 *
 * highest: that packet; NULL: the record does not have it any more, as in an outage */
static bool
is_without_arrivals (const TfrcReports *reports, uint32_t ssrc, const TfrcWireReport *report,
    const TfrcReportMark *highest)
{
  const Baseline *last = &reports->last;

  return reports->reports > 0 && last->ssrc == ssrc
      && last->highest_seq == (uint16_t) report->highest_seq
      && (highest == NULL || highest->packets == last->highest.packets);
}

/* What left more than R ago has not come, and will not come. */
static void
note_wait (TfrcReports *reports, const TfrcSender *sender, uint64_t now_ns)
{
  Baseline *last = &reports->last;

  last->came_ns = tfrc_report_record_busy_ns (&reports->record, now_ns);
  last->left_ns = tfrc_max_ns (
      last->left_ns, tfrc_sub_ns (last->came_ns, tfrc_sender_get_rtt_ns (sender)));
  last->heard_ns = now_ns;
}

static TfrcResult
use_first (TfrcReports *reports, TfrcSender *sender, uint32_t ssrc, const TfrcReportMark *highest,
    const TfrcWireReport *report, uint64_t now_ns)
{
  forget_reporter (reports);
  keep (reports, ssrc, highest, report, now_ns);
  return begin (
      reports, sender, highest, tfrc_reports_get_rtt_sample_ns (reports, report, now_ns), now_ns);
}

static TfrcResult
use_further (TfrcReports *reports, TfrcSender *sender, const TfrcReportMark *highest,
    const TfrcWireReport *report, uint64_t now_ns)
{
  uint64_t sample_ns = tfrc_reports_get_rtt_sample_ns (reports, report, now_ns);
  TfrcReportInterval interval = { 0 };
  TfrcResult result = measure (reports, sender, report, highest, now_ns, &interval);

  if (result != TFRC_OK)
    return result;
  tfrc_report_pace_on_report (&reports->pace, report_interval_ns (reports, &interval));
  keep (reports, reports->last.ssrc, highest, report, now_ns);
  tfrc_sender_follow_reports (sender, tfrc_report_pace_longest_ns (&reports->pace), false);
  learn (reports, sender, &interval);
  return follow (reports, sender, highest, interval.x_recv_Bps, sample_ns, now_ns);
}

TfrcResult
tfrc_reports_on_report (TfrcReports *reports, TfrcSender *sender, uint32_t reporter_ssrc,
    const TfrcWireReport *report, uint64_t now_ns)
{
  TfrcReportMark highest;
  TfrcResult result;

  if (reports == NULL || sender == NULL || report == NULL)
    return TFRC_ERROR_ARGUMENT;
  result = tfrc_report_record_find (&reports->record, (uint16_t) report->highest_seq, &highest);
  if (is_without_arrivals (reports, reporter_ssrc, report, result == TFRC_OK ? &highest : NULL))
    note_wait (reports, sender, now_ns);
  if (result != TFRC_OK)
    return result;
  if (reports->reports == 0 || reports->last.ssrc != reporter_ssrc)
    return use_first (reports, sender, reporter_ssrc, &highest, report, now_ns);
  return use_further (reports, sender, &highest, report, now_ns);
}
