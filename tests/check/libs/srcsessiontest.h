/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiving session, and packets of a sender that the test makes */
#ifndef SRCSESSIONTEST_H
#define SRCSESSIONTEST_H

#include "sessiontest.h"

static SessionTest t;

static inline void
setup (void)
{
  session_test_init (&t);
}

static inline void
teardown (void)
{
  session_test_clear (&t);
}

#define SSRC 0x12345678

static TfrcWireData header; /* the next packet */

static inline void
start_alone_at (GstTfrcAddress sender)
{
  t.src = gst_tfrc_reception_new (&sender, SSRC, NULL, &t.src_waiting);
  fail_unless (t.src != NULL);
  header = (TfrcWireData){ .payload_type = 33,
    .seq = 1000,
    .timestamp = 5000,
    .ssrc = SSRC,
    .has_rtt_sendts = TRUE,
    .rtt_us = 100000,
    .send_time_us = 1000000,
    .header_bytes = 24,
    .payload_bytes = SEGMENT };
}

static inline void
start_alone (void)
{
  start_alone_at ((GstTfrcAddress){ 0 });
}

/* The packet with this number arrives now. */
static inline gboolean
data (guint16 seq, guint8 ecn)
{
  GstTfrcReceivedPacket packet = received (&t, NULL, 0);
  TfrcArrival arrival;

  packet.ecn = ecn;
  header.seq = seq;
  return gst_tfrc_reception_on_data (
      t.src, &header, &packet, gst_tfrc_reception_get_path_id (t.src), &arrival);
}

static inline void
sender_report (guint64 ntp)
{
  TfrcWireRtcp rtcp = { 0 };

  rtcp.sender_ssrc = SSRC;
  rtcp.has_sr = TRUE;
  rtcp.sr_ntp = ntp;
  gst_tfrc_reception_on_rtcp (t.src, &rtcp, t.now_ns);
}

/* Asks for a report as early as possible.
 * @return what the report says about the sender */
static inline TfrcWireReport
report (void)
{
  guint rrs = t.rrs;

  if (rrs > 0)
    t.now_ns = MAX (t.now_ns, t.rr_ns + S);
  sender_report (0);
  serve_src (&t);
  fail_unless_equals_int (t.rrs, rrs + 1);
  fail_unless (t.rr.has_report);
  fail_unless_equals_int (t.rr.report.ssrc, SSRC);
  return t.rr.report;
}

/* A sender report and a clock packet of a sender whose send times and time stamps began at 0, at this time of
 * the receiver's clock, come after DELAY. */
static inline void
report_clock (guint64 begin_ns)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = SSRC, .has_sr = TRUE, .has_clock = TRUE };
  guint64 since_ns = t.now_ns - DELAY - begin_ns;

  rtcp.sr_timestamp = (guint32) (since_ns * 9 / 100000);
  rtcp.clock_send_time_us = (guint32) (since_ns / 1000);
  gst_tfrc_reception_on_rtcp (t.src, &rtcp, t.now_ns);
}

#endif
