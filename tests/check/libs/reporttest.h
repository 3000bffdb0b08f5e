/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender whose receiver sends reports and no feedback of TFRC, in virtual time: a link with a rate,
 * a queue and a delay, and a receiver that counts. */
#ifndef REPORTTEST_H
#define REPORTTEST_H

#include <tfrc/reports.h>
#include <tfrc/sender_state.h>

#include "closeto.h"

#define US (G_GUINT64_CONSTANT (1000))
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define NEVER TFRC_TIME_NEVER
#define S 1316
#define PACKET_BYTES (S + 24 + 28) /* with headers of RTP, UDP and IP */
#define REPORTER 0xfeedbac4
#define FIRST_SEQ 65000

typedef struct
{
  TfrcSender *sender;
  TfrcReports *reports;
  TfrcArrivals *arrivals; /* NULL: the receiver sends reports */
  guint64 now;

  double demand_Bps; /* what the sender wants to send, of segments */
  double backlog_bytes;
  guint64 demand_ns; /* when the backlog was last updated */
  guint64 next_sr_ns;

  double link_Bps; /* 0: no limit */
  guint queue_packets;
  guint64 delay;   /* one way */
  guint64 free_ns; /* when the link will have sent its queue */
  guint every;     /* the link damages every so-manieth packet; 0: none */

  guint64 sent, delivered, lost; /* packets that have reached the end of the queue, or not */
  GArray *fates;                 /* guint64: arrival time of each packet; 0: lost */
  guint64 sr_ns, sr_ntp;         /* the last sender report */
  guint64 before_ns, before_ntp; /* the one before, 0: there was none */
  guint64 reported;              /* packets that the reports covered so far, highest number */
  guint64 reported_lost;
  double highest_Bps; /* the highest X so far */
} ReportTest;

static inline void
report_test_init (ReportTest *t)
{
  TfrcSenderConfig config;

  memset (t, 0, sizeof *t);
  tfrc_sender_config_init (&config);
  config.first_seq = FIRST_SEQ;
  fail_unless_equals_int (tfrc_sender_new (&t->sender, &config), TFRC_OK);
  fail_unless_equals_int (tfrc_reports_new (&t->reports), TFRC_OK);
  t->now = t->demand_ns = t->next_sr_ns = SECOND;
  t->demand_Bps = 1e9;
  t->delay = 20 * MS;
  t->queue_packets = 20;
  t->fates = g_array_new (FALSE, FALSE, sizeof (guint64));
}

static inline void
report_test_clear (ReportTest *t)
{
  tfrc_sender_free (t->sender);
  tfrc_reports_free (t->reports);
  tfrc_arrivals_free (t->arrivals);
  g_array_free (t->fates, TRUE);
}

static inline TfrcSenderStats
stats_of (const ReportTest *t)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (t->sender, &stats);
  return stats;
}

static inline double
rate_of (const ReportTest *t)
{
  return tfrc_sender_get_rate_Bps (t->sender);
}

/* ---- the sender and the link ----------------------------------------------- */

/* Returns when a packet that leaves now arrives; 0: the queue is full, or the link damages it. */
static inline guint64
cross_link (ReportTest *t)
{
  guint64 packet_ns = t->link_Bps > 0 ? (guint64) (PACKET_BYTES / t->link_Bps * 1e9) : 0;

  if (t->free_ns > t->now && t->free_ns - t->now > t->queue_packets * packet_ns)
    return 0;
  t->free_ns = MAX (t->free_ns, t->now) + packet_ns;
  return t->every > 0 && t->sent % t->every == 0 ? 0 : t->free_ns + t->delay;
}

static inline void
report_test_send (ReportTest *t)
{
  TfrcData data;
  guint64 arrival;

  fail_unless_equals_int (tfrc_sender_prepare (t->sender, S, t->now, &data), TFRC_OK);
  tfrc_reports_on_packet (t->reports, t->sender, data.seq, S, t->now);
  if (t->arrivals)
    tfrc_arrivals_on_packet (t->arrivals, &data);
  t->backlog_bytes -= S;
  t->sent++;
  arrival = cross_link (t);
  g_array_append_val (t->fates, arrival);
  if (arrival > 0)
    t->delivered++;
  else
    t->lost++;
}

static inline void
send_sender_report (ReportTest *t)
{
  t->before_ns = t->sr_ns;
  t->before_ntp = t->sr_ntp;
  t->sr_ns = t->now;
  t->sr_ntp = (guint64) (t->now / 1e9 * 4294967296.0) + ((guint64) 0x1234 << 32);
  tfrc_reports_on_sender_report (t->reports, t->sr_ntp, t->now);
  t->next_sr_ns = t->now + 3900 * MS;
}

/* Lets the sender send until this time. */
static inline void
run_until (ReportTest *t, guint64 until)
{
  while (t->now < until) {
    guint64 next = MIN (tfrc_sender_next_timeout_ns (t->sender), t->next_sr_ns);
    guint64 send = tfrc_sender_next_send_ns (t->sender);
    guint64 wanted = t->now;

    if (t->backlog_bytes < S)
      wanted += (guint64) ((S - t->backlog_bytes) / t->demand_Bps * 1e9) + 1;
    next = MIN (next, MAX (wanted, send));
    if (next > until) {
      t->now = until;
      break;
    }
    t->now = MAX (t->now, next);
    t->backlog_bytes += (t->now - t->demand_ns) / 1e9 * t->demand_Bps;
    t->backlog_bytes = MIN (t->backlog_bytes, 1e8);
    t->demand_ns = t->now;
    tfrc_sender_on_timeout (t->sender, t->now);
    if (t->backlog_bytes >= S && tfrc_sender_next_send_ns (t->sender) <= t->now)
      report_test_send (t);
    if (t->now >= t->next_sr_ns)
      send_sender_report (t);
  }
  t->highest_Bps = MAX (t->highest_Bps, rate_of (t));
}

static inline void
run_for (ReportTest *t, guint64 duration)
{
  run_until (t, t->now + duration);
}

/* ---- receiver reports -------------------------------------------------------- */

/* Returns the report of a receiver that makes it now. Its answer takes the delay of the link. */
static inline TfrcWireReport
true_report (ReportTest *t)
{
  TfrcWireReport report = { 0 };
  guint64 highest = t->reported, lost = 0, lost_now, sr_ns;
  gboolean sr_has_arrived;

  for (guint64 i = 0; i < t->fates->len; i++) {
    guint64 fate = g_array_index (t->fates, guint64, i);

    if (fate > 0 && fate <= t->now)
      highest = MAX (highest, i + 1);
  }
  for (guint64 i = 0; i < highest; i++)
    lost += g_array_index (t->fates, guint64, i) == 0;
  lost_now = lost - t->reported_lost;
  report.ssrc = 1;
  report.highest_seq = (guint32) (FIRST_SEQ + highest - 1);
  report.packets_lost = (gint32) lost;
  if (highest > t->reported)
    report.fraction_lost = (guint8) MIN (255, lost_now * 256 / (highest - t->reported));
  sr_has_arrived = t->now >= t->sr_ns + t->delay;
  sr_ns = sr_has_arrived ? t->sr_ns : t->before_ns;
  report.lsr = (guint32) ((sr_has_arrived ? t->sr_ntp : t->before_ntp) >> 16);
  if (sr_ns > 0)
    report.dlsr = (guint32) ((t->now - sr_ns - t->delay) / 1e9 * 65536);
  t->reported = highest;
  t->reported_lost = lost;
  return report;
}

/* Returns the report of a receiver 4 s later. */
static inline TfrcWireReport
next_report (ReportTest *t)
{
  run_for (t, 4 * SECOND);
  return true_report (t);
}

static inline TfrcResult
deliver (ReportTest *t, const TfrcWireReport *report)
{
  return tfrc_reports_on_report (t->reports, t->sender, REPORTER, report, t->now);
}

/* The receiver reports this time after the last report, and the report arrives. */
static inline TfrcResult
report_after (ReportTest *t, guint64 interval)
{
  TfrcWireReport report;

  run_for (t, interval);
  report = true_report (t);
  run_for (t, t->delay);
  return deliver (t, &report);
}

/* Reports at the times of RFC 3550 section 6.3.1, of which these are typical */
static inline guint64
regular_interval (guint i)
{
  static const guint64 intervals_ms[] = { 2054, 5700, 3100, 4104, 6000, 2300, 4900 };

  return i == 0 ? 1500 * MS : intervals_ms[i % G_N_ELEMENTS (intervals_ms)] * MS;
}

#endif
