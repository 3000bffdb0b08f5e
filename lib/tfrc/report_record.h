/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A record of the times at which RTP packets and sender reports left, with which receiver reports
 * are compared (RFC 3550 section 6.4).
 *
 * A report names one packet, the highest that has come, about a round-trip time after the packet
 * left.  The record has marks some milliseconds apart, so that it is small at any rate.  Packets
 * between two marks count as if they had left evenly.
 *
 * Busy time is a clock that stands still in the sender's pauses. */
#ifndef TFRC_REPORT_RECORD_H
#define TFRC_REPORT_RECORD_H

#include <tfrc/types.h>

/* Marks are at least this far apart, so that the record reaches back 2.5 s or more. */
#define TFRC_REPORT_RECORD_MARKS 128
#define TFRC_REPORT_RECORD_MARK_NS (20 * UINT64_C (1000000))

/* A gap between two packets is a pause of the sender from then on.  Shorter gaps are the spacing of a
 * slow stream, of which a report measures a second or more. */
#define TFRC_REPORT_RECORD_PAUSE_NS UINT64_C (1000000000)

/* Sender reports are some seconds apart, so that these cover about half a minute. */
#define TFRC_REPORT_RECORD_SENDER_REPORTS 8

/* A packet that has left */
typedef struct
{
  uint64_t packets; /* that have left, with this one */
  uint64_t bytes;   /* of these packets */
  uint64_t time_ns; /* when this one left */
  uint64_t idle_ns; /* the pauses before, which are no busy time */
} TfrcReportMark;

typedef struct
{
  uint64_t ntp;
  uint64_t time_ns; /* 0: none */
} TfrcReportSenderReport;

typedef struct
{
  TfrcReportMark marks[TFRC_REPORT_RECORD_MARKS]; /* a ring; the newest packet is `last' */
  unsigned n;                                     /* marks in use */
  unsigned newest;                                /* index of the newest mark */
  TfrcReportMark last;                            /* the newest packet */
  uint16_t last_seq;
  TfrcReportSenderReport sender_reports[TFRC_REPORT_RECORD_SENDER_REPORTS]; /* a ring */
  unsigned next_sender_report;
} TfrcReportRecord;

/* Zero-initialise the record. */
void tfrc_report_record_on_packet (
    TfrcReportRecord *record, uint16_t seq, uint32_t size_bytes, uint64_t now_ns);

/* Takes back the newest packet. */
void tfrc_report_record_cancel (TfrcReportRecord *record, uint32_t size_bytes);

/* Finds the packet with this number, of the last 32768.  Returns TFRC_OK, TFRC_ERROR_NOT_SENT or
 * TFRC_ERROR_STALE (older than the record). */
TfrcResult tfrc_report_record_find (
    const TfrcReportRecord *record, uint16_t seq, TfrcReportMark *packet);

/* Returns the busy time at which this packet left. */
static inline uint64_t
tfrc_report_mark_busy_ns (const TfrcReportMark *mark)
{
  return mark->time_ns - mark->idle_ns;
}

/* Returns the busy time now, which is not before the newest packet. */
uint64_t tfrc_report_record_busy_ns (const TfrcReportRecord *record, uint64_t now_ns);

void tfrc_report_record_on_sender_report (TfrcReportRecord *record, uint64_t ntp, uint64_t now_ns);

/* Returns R by LSR and DLSR (RFC 3550 section 6.4.1), at least 1 ns; 0: no such sender report is
 * remembered, or the delay is longer than the time since. */
uint64_t tfrc_report_record_rtt_ns (
    const TfrcReportRecord *record, uint32_t lsr, uint32_t dlsr, uint64_t now_ns);

#endif
