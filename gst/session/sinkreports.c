/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP that a session writes: reports, challenges, responses and BYE, see sinksession.h. */
#include "sinksession-private.h"

#include "../common/clock.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* RFC 8083 asks for a report every 4 s at least. The difference is time to be late. */
#define SENDER_REPORT_INTERVAL_NS (39 * S_NS / 10)

/* RFC 8083 counts in report intervals. */
static void
serve_breaker (GstTfrcSinkSession *session, const TfrcSenderStats *stats, guint64 now_ns)
{
  const GstTfrcCircuitBreakerReport report = { now_ns, stats->bytes_sent, stats->feedbacks_received,
    stats->x_eq_Bps };

  gst_tfrc_circuit_breaker_on_report (&session->breaker, &report);
}

gsize
gst_tfrc_sink_session_write_rtcp (GstTfrcSinkSession *session, guint64 now_ns, guint8 *buffer)
{
  TfrcWireRtcp rtcp = { 0 };
  TfrcSenderStats stats;
  GstTfrcClockMap now;

  if (now_ns < session->report_ns || session->said_bye)
    return 0;
  session->report_ns = now_ns + SENDER_REPORT_INTERVAL_NS;
  session->report_sent_ns = now_ns;
  tfrc_sender_get_stats (session->sender, &stats);
  serve_breaker (session, &stats, now_ns);
  rtcp.sender_ssrc = session->ssrc;
  gst_tfrc_clock_map_init (&now);
  rtcp.sr_ntp = gst_tfrc_clock_wall_to_ntp (now.wall_ns);
  gst_tfrc_rate_control_on_sender_report (&session->control, rtcp.sr_ntp, now_ns);
  rtcp.sr_timestamp = gst_tfrc_sink_session_rtp_timestamp (session, now.now_ns);
  rtcp.clock_send_time_us = tfrc_sender_wire_time_us (session->sender, now.now_ns);
  rtcp.sr_packets = (guint32) stats.packets_sent;
  rtcp.sr_bytes = (guint32) stats.bytes_sent;
  return tfrc_wire_write_sender_report (buffer, &rtcp, session->cname);
}

gsize
gst_tfrc_sink_session_write_challenge (
    GstTfrcSinkSession *session, guint64 now_ns, guint8 *buffer, GstTfrcAddress *to)
{
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];
  gsize size = gst_tfrc_send_paths_take_challenge (&session->paths, now_ns, to, data);

  return size == 0 ? 0 : tfrc_wire_write_path_challenge (buffer, size, session->ssrc, data);
}

gsize
gst_tfrc_sink_session_write_response (GstTfrcSinkSession *session, guint8 *buffer)
{
  if (!session->owes_response)
    return 0;
  session->owes_response = FALSE;
  return tfrc_wire_write_path_response (buffer, session->ssrc, session->challenge);
}

gsize
gst_tfrc_sink_session_write_bye (GstTfrcSinkSession *session, guint8 *buffer)
{
  if (session->report_ns == G_MAXUINT64 || session->bye_answered)
    return 0;
  session->said_bye = TRUE;
  return tfrc_wire_write_bye (buffer, session->ssrc, session->cname);
}
