/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP packets that leave a source's session, see srcsession.h. */
#include "srcsession-private.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A sender without reports for this time may send them to an address that is not this host's any
 * more. Feedback reports this host's address to the sender. */
#define SENDER_SILENCE_NS (3 * GST_TFRC_SRC_REPORT_INTERVAL_NS / 2)

/* While no data comes, reports come more often: half a second apart at first, and a tenth of the
 * silence apart later.  The sender may be at a packet in seconds after an outage.  The first report
 * that arrives makes the sender send a packet at once (sinkpeer.c). */
#define SILENCE_REPORT_INTERVAL_NS (S_NS / 2)
#define SILENCE_PER_INTERVAL 10

static guint64
get_report_ns (const GstTfrcSrcSession *session)
{
  guint64 last_ns = MAX (session->data_ns, session->reported_ns);
  guint64 interval_ns = (last_ns - session->data_ns) / SILENCE_PER_INTERVAL;

  if (!session->has_tfrc)
    return session->report_ns;
  interval_ns = CLAMP (interval_ns, SILENCE_REPORT_INTERVAL_NS, GST_TFRC_SRC_REPORT_INTERVAL_NS);
  return MIN (session->report_ns, last_ns + interval_ns);
}

guint64
gst_tfrc_src_session_next_ns (const GstTfrcSrcSession *session)
{
  if (session->has_ended)
    return G_MAXUINT64;
  return MIN (tfrc_receiver_next_feedback_ns (session->receiver), get_report_ns (session));
}

/* RFC 3550 section 6.4.1 */
static void
fill_report (GstTfrcSrcSession *session, TfrcWireReport *report, guint64 now_ns)
{
  TfrcReceiverStats stats;
  guint64 expected;
  gint64 lost;

  tfrc_receiver_get_stats (session->receiver, &stats);
  expected = stats.packets_expected - session->reported_expected;
  lost = (gint64) (stats.packets_lost - session->reported_lost);
  session->reported_expected = stats.packets_expected;
  session->reported_lost = stats.packets_lost;

  report->ssrc = session->ssrc;
  if (expected > 0 && lost > 0)
    report->fraction_lost = (guint8) MIN (lost * 256 / (gint64) expected, 255);
  report->packets_lost = (gint32) MIN (stats.packets_lost, 0x7fffff);
  report->highest_seq = (guint32) session->rtp_seq.highest;
  report->jitter = (guint32) session->jitter;
  if (session->has_rtcp) {
    report->lsr = session->sr_middle;
    report->dlsr = (guint32) gst_util_uint64_scale (
        now_ns - MIN (session->sr_arrival_ns, now_ns), 65536, S_NS);
  }
}

static gsize
write_report (GstTfrcSrcSession *session, guint32 own_ssrc, const gchar *cname, guint64 now_ns,
    guint8 *buffer)
{
  TfrcWireRtcp rtcp = { 0 };

  if (session->report_ns <= now_ns)
    session->answered_ns = now_ns;
  session->report_ns = now_ns + GST_TFRC_SRC_REPORT_INTERVAL_NS;
  session->reported_ns = now_ns;
  rtcp.sender_ssrc = own_ssrc;
  rtcp.has_report = TRUE;
  fill_report (session, &rtcp.report, now_ns);
  return tfrc_wire_write_receiver_report (buffer, &rtcp, cname);
}

static gsize
write_feedback (
    GstTfrcSrcSession *session, guint32 own_ssrc, const TfrcFeedback *feedback, guint8 *buffer)
{
  TfrcWireState state = { 0 };
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (session->receiver, &stats);
  state.highest_seq = (guint32) stats.highest_seq;
  state.packets_lost = (guint32) stats.packets_lost;
  state.loss_events = feedback->loss_events;
  state.ce_marks = (guint32) stats.packets_ce;
  state.feedback_number = feedback->number;
  /* The sender takes the TTL for that of the packet that t_recvdata names. */
  if (feedback->recv_data_us == session->ttl_send_time_us)
    state.ttl = session->ttl;
  return tfrc_wire_write_feedback (buffer, own_ssrc, session->ssrc, feedback, &state);
}

gsize
gst_tfrc_src_session_write (GstTfrcSrcSession *session, guint32 own_ssrc, const gchar *cname,
    guint64 now_ns, guint8 *buffer)
{
  TfrcFeedback feedback;

  if (session->owes_bye) {
    session->owes_bye = FALSE;
    return tfrc_wire_write_bye (buffer, own_ssrc, cname);
  }
  if (session->has_ended)
    return 0;
  if (tfrc_receiver_make_feedback (session->receiver, now_ns, &feedback))
    return write_feedback (session, own_ssrc, &feedback, buffer);
  if (get_report_ns (session) > now_ns)
    return 0;
  if (now_ns >= session->heard_ns + SENDER_SILENCE_NS)
    tfrc_receiver_request_feedback (session->receiver, now_ns);
  return write_report (session, own_ssrc, cname, now_ns, buffer);
}

gsize
gst_tfrc_src_session_write_response (
    GstTfrcSrcSession *session, guint32 own_ssrc, GstTfrcLocalPath *path, guint8 *buffer)
{
  if (!session->owes_response)
    return 0;
  session->owes_response = FALSE;
  *path = session->challenged;
  return tfrc_wire_write_path_response (buffer, own_ssrc, session->challenge);
}
