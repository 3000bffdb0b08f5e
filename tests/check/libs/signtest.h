/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets from the receiver's address, with its SSRC or another SSRC */
#ifndef SIGNTEST_H
#define SIGNTEST_H

#include "sessiontest.h"

#define OTHER_SSRC 0x0badcafe
#define REPORT_INTERVAL (3900 * MS)

static const guint8 question[TFRC_WIRE_PATH_DATA_BYTES] = { 1, 2, 3, 4, 5, 6, 7, 8 };

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

static inline GstTfrcRtcpResult
give (guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = received (&t, data, size);

  return gst_tfrc_send_session_on_rtcp (t.sink, &packet);
}

static inline GstTfrcRtcpResult
challenge (guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];

  return give (buffer, tfrc_wire_write_path_challenge (buffer, sizeof buffer, ssrc, question));
}

static inline GstTfrcRtcpResult
report (guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = { .sender_ssrc = ssrc, .has_report = TRUE };

  rtcp.report.ssrc = numbers_of (t.sink).ssrc;
  return give (buffer, tfrc_wire_write_receiver_report (buffer, &rtcp, "x"));
}

static inline GstTfrcRtcpResult
bye (guint32 ssrc)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  return give (buffer, tfrc_wire_write_bye (buffer, ssrc, "x"));
}

static inline gsize
take_response (guint8 *buffer)
{
  GstTfrcAddress to, local;

  return gst_tfrc_send_session_write_response (t.sink, buffer, &to, &local);
}

static inline gboolean
is_absent (void)
{
  return gst_tfrc_send_session_is_peer_absent (t.sink);
}

/* There is no receiver for this time. */
static inline void
run_alone (guint64 duration_ns)
{
  t.backlog = 100000;
  t.drop_from = 0;
  run (&t, duration_ns);
  t.drop_from = NEVER;
}

#endif
