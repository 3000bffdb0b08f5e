/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record that receiver reports are compared with, see report_record.h. */
#include "report_record.h"

#include "units.h"

#define DLSR_PER_S UINT64_C (65536)

/* Returns the i-th mark of those in use; the oldest is the first. */
static const TfrcReportMark *
mark_at (const TfrcReportRecord *record, unsigned i)
{
  return &record->marks[(record->newest + 1 + TFRC_REPORT_RECORD_MARKS - record->n + i)
      % TFRC_REPORT_RECORD_MARKS];
}

static void
add_mark (TfrcReportRecord *record)
{
  record->newest = (record->newest + 1) % TFRC_REPORT_RECORD_MARKS;
  record->marks[record->newest] = record->last;
  if (record->n < TFRC_REPORT_RECORD_MARKS)
    record->n++;
}

/* The last packet before a pause has a mark: it has not left some time in the pause. */
static void
end_pause (TfrcReportRecord *record, uint64_t now_ns)
{
  uint64_t gap_ns = tfrc_sub_ns (now_ns, record->last.time_ns);

  if (record->last.packets == 0 || gap_ns <= TFRC_REPORT_RECORD_PAUSE_NS)
    return;
  if (record->n == 0 || record->marks[record->newest].packets < record->last.packets)
    add_mark (record);
  record->last.idle_ns += gap_ns - TFRC_REPORT_RECORD_PAUSE_NS;
}

void
tfrc_report_record_on_packet (
    TfrcReportRecord *record, uint16_t seq, uint32_t size_bytes, uint64_t now_ns)
{
  end_pause (record, now_ns);
  record->last.packets++;
  record->last.bytes += size_bytes;
  record->last.time_ns = now_ns;
  record->last_seq = seq;
  if (record->n == 0
      || tfrc_sub_ns (now_ns, record->marks[record->newest].time_ns) >= TFRC_REPORT_RECORD_MARK_NS)
    add_mark (record);
}

/* The time of the last packet stays, because the next packet brings its own. */
void
tfrc_report_record_cancel (TfrcReportRecord *record, uint32_t size_bytes)
{
  if (record->last.packets == 0)
    return;
  record->last.packets--;
  record->last.bytes -= tfrc_min_ns (size_bytes, record->last.bytes);
  record->last_seq--;
  while (record->n > 0 && record->marks[record->newest].packets > record->last.packets) {
    record->newest = (record->newest + TFRC_REPORT_RECORD_MARKS - 1) % TFRC_REPORT_RECORD_MARKS;
    record->n--;
  }
}

static uint64_t
between (uint64_t from, uint64_t to, double share)
{
  return from + (uint64_t) ((double) (to - from) * share);
}

/* A packet between two marks, or that of the mark before.  A pause is between two packets with marks. */
static TfrcReportMark
interpolate (const TfrcReportMark *before, const TfrcReportMark *after, uint64_t packets)
{
  double share = (double) (packets - before->packets) / (double) (after->packets - before->packets);

  return (TfrcReportMark){ packets, between (before->bytes, after->bytes, share),
    between (before->time_ns, after->time_ns, share), before->idle_ns };
}

TfrcResult
tfrc_report_record_find (const TfrcReportRecord *record, uint16_t seq, TfrcReportMark *packet)
{
  uint16_t age = (uint16_t) (record->last_seq - seq);
  const TfrcReportMark *after = &record->last;
  uint64_t packets;

  if (age > INT16_MAX || age >= record->last.packets)
    return TFRC_ERROR_NOT_SENT;
  packets = record->last.packets - age;
  for (unsigned i = record->n; i-- > 0;) {
    const TfrcReportMark *before = mark_at (record, i);

    if (before->packets <= packets) {
      *packet = packets == after->packets ? *after : interpolate (before, after, packets);
      return TFRC_OK;
    }
    after = before;
  }
  return TFRC_ERROR_STALE;
}

uint64_t
tfrc_report_record_busy_ns (const TfrcReportRecord *record, uint64_t now_ns)
{
  return tfrc_report_mark_busy_ns (&record->last)
      + tfrc_min_ns (tfrc_sub_ns (now_ns, record->last.time_ns), TFRC_REPORT_RECORD_PAUSE_NS);
}

void
tfrc_report_record_on_sender_report (TfrcReportRecord *record, uint64_t ntp, uint64_t now_ns)
{
  record->sender_reports[record->next_sender_report] = (TfrcReportSenderReport){ ntp, now_ns };
  record->next_sender_report = (record->next_sender_report + 1) % TFRC_REPORT_RECORD_SENDER_REPORTS;
}

uint64_t
tfrc_report_record_rtt_ns (
    const TfrcReportRecord *record, uint32_t lsr, uint32_t dlsr, uint64_t now_ns)
{
  uint64_t delay_ns = dlsr * TFRC_NS_PER_S / DLSR_PER_S;

  if (lsr == 0)
    return 0;
  for (unsigned i = 0; i < TFRC_REPORT_RECORD_SENDER_REPORTS; i++) {
    const TfrcReportSenderReport *report = &record->sender_reports[i];

    if (report->time_ns > 0 && (uint32_t) (report->ntp >> 16) == lsr)
      return tfrc_sub_ns (tfrc_sub_ns (now_ns, report->time_ns), delay_ns);
  }
  return 0;
}
