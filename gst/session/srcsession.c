/* What a receiver knows of its sender, see srcsession.h. */
#include "srcsession.h"

#include <math.h>
#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* RFC 8083 needs reports every 4 s at least; this leaves time to be late. */
#define RECEIVER_REPORT_INTERVAL_NS (39 * S_NS / 10)

/* Reports in answer to reports of the sender are as far apart. */
#define MIN_REPORT_INTERVAL_NS S_NS

/* Challenges that are answered */
#define CHALLENGES_PER_SECOND 20
#define CHALLENGES_BURST 20

/* How long data may stay away from a link where there is nothing to adapt */
#define HANDOVER_PATIENCE_NS S_NS

/* A sender whose reports have not come for so long may send them to an address
 * that is not ours any more, of which feedback tells it. */
#define SENDER_SILENCE_NS (3 * RECEIVER_REPORT_INTERVAL_NS / 2)

#define UDP_HEADER_BYTES 8
#define IPV4_HEADER_BYTES 20
#define IPV6_HEADER_BYTES 40

GstTfrcSrcSession *
gst_tfrc_src_session_new (
    const GstTfrcAddress *address, guint32 ssrc, const TfrcReceiverConfig *receiver)
{
  GstTfrcSrcSession *session = g_new0 (GstTfrcSrcSession, 1);

  if (tfrc_receiver_new (&session->receiver, receiver) != TFRC_OK) {
    g_free (session);
    return NULL;
  }
  session->address = *address;
  session->ssrc = ssrc;
  session->report_ns = G_MAXUINT64;
  gst_tfrc_token_bucket_init (&session->challenges, CHALLENGES_PER_SECOND, CHALLENGES_BURST);
  gst_tfrc_delays_init (&session->delays);
  return session;
}

void
gst_tfrc_src_session_free (GstTfrcSrcSession *session)
{
  if (session == NULL)
    return;
  tfrc_receiver_free (session->receiver);
  gst_tfrc_handover_log_clear (&session->handover_log);
  g_free (session);
}

/* RFC 3550 appendix A.8 */
static void
update_jitter (GstTfrcSrcSession *session, guint32 timestamp, guint64 arrival_ns)
{
  gint64 arrival = (gint64) gst_util_uint64_scale (arrival_ns, TFRC_WIRE_CLOCK_RATE, S_NS);
  gint64 transit = (gint32) ((guint32) arrival - timestamp);

  if (session->has_transit)
    session->jitter += (fabs ((gdouble) (gint32) (transit - session->transit)) - session->jitter)
        / 16;
  session->transit = transit;
  session->has_transit = TRUE;
}

gboolean
gst_tfrc_src_session_on_data (GstTfrcSrcSession *session, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, guint8 link, TfrcArrival *arrival)
{
  TfrcData data;

  tfrc_wire_get_data (header, &data);
  data.ce = packet->ecn == 3;
  data.link = link;
  if (tfrc_receiver_on_data (session->receiver, &data, packet->arrival_ns, arrival) != TFRC_OK)
    arrival->kind = TFRC_ARRIVAL_REFUSED;
  if (arrival->kind == TFRC_ARRIVAL_SUSPECT || arrival->kind == TFRC_ARRIVAL_REFUSED)
    return FALSE;

  session->heard_ns = packet->arrival_ns;
  if (link == session->link) {
    session->local = packet->local;
    session->link_proven = TRUE;
  }
  session->ttl = packet->ttl;
  session->interface = packet->interface;
  session->tfrc = header->has_rtt_sendts;
  if (session->tfrc && session->report_ns == G_MAXUINT64)
    session->report_ns = packet->arrival_ns + RECEIVER_REPORT_INTERVAL_NS;
  update_jitter (session, header->timestamp, packet->arrival_ns);
  if (arrival->believed)
    gst_tfrc_delays_on_data (&session->delays, header->timestamp, header->send_time_us,
        header->rtt_us, packet->arrival_ns, packet->arrival_wall_ns);
  return TRUE;
}

void
gst_tfrc_src_session_on_rtcp (
    GstTfrcSrcSession *session, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  guint64 answer_ns = arrival_ns;

  session->heard_ns = arrival_ns;
  if (!rtcp->has_sr)
    return;
  session->rtcp = TRUE;
  session->sr_middle = (guint32) (rtcp->sr_ntp >> 16);
  session->sr_arrival_ns = arrival_ns;
  /* Answered at once: so the sender sees that we are there, even if all its
   * data is lost. */
  if (session->reported_ns != 0)
    answer_ns = MAX (answer_ns, session->reported_ns + MIN_REPORT_INTERVAL_NS);
  session->report_ns = MIN (session->report_ns, answer_ns);
  if (rtcp->has_clock)
    gst_tfrc_delays_on_sender_report (
        &session->delays, rtcp->sr_ntp, rtcp->sr_timestamp, rtcp->clock_send_time_us);
}

void
gst_tfrc_src_session_end (GstTfrcSrcSession *session)
{
  session->ended = session->owes_bye = TRUE;
}

guint64
gst_tfrc_src_session_get_rtt_ns (const GstTfrcSrcSession *session)
{
  return tfrc_receiver_get_rtt_ns (session->receiver);
}

guint64
gst_tfrc_src_session_next_ns (const GstTfrcSrcSession *session)
{
  if (session->ended)
    return G_MAXUINT64;
  return MIN (tfrc_receiver_next_feedback_ns (session->receiver), session->report_ns);
}

void
gst_tfrc_src_session_on_challenge (
    GstTfrcSrcSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  if (!gst_tfrc_token_bucket_take (&session->challenges, packet->arrival_ns))
    return;
  session->owes_response = TRUE;
  memcpy (session->challenge, rtcp->challenge, sizeof session->challenge);
  session->challenged.interface = packet->interface;
  session->challenged.local = packet->local;
  tfrc_receiver_request_feedback (session->receiver, packet->arrival_ns);
}

gsize
gst_tfrc_src_session_write_response (
    GstTfrcSrcSession *session, guint32 own_ssrc, GstTfrcLink *link, guint8 *buffer)
{
  if (!session->owes_response)
    return 0;
  session->owes_response = FALSE;
  *link = session->challenged;
  return tfrc_wire_write_path_response (buffer, own_ssrc, session->challenge);
}

/* ---- handover ---------------------------------------------------------- */

/* What of the bandwidth of a link remains for segments */
static gdouble
segments_Bps (
    const GstTfrcSrcSession *session, guint64 bandwidth_bps, const TfrcReceiverStats *stats)
{
  guint header_bytes = TFRC_WIRE_HEADER_BYTES + UDP_HEADER_BYTES
      + (gst_tfrc_address_family (&session->address) == AF_INET6 ? IPV6_HEADER_BYTES
                                                                 : IPV4_HEADER_BYTES);
  gdouble segment_bytes = stats->packets_received > 0
      ? (gdouble) stats->bytes_received / stats->packets_received
      : 0;

  return bandwidth_bps / 8.0 * segment_bytes / (segment_bytes + header_bytes);
}

static GstTfrcHandoverView
view_now (const GstTfrcSrcSession *session, TfrcReceiverStats *stats)
{
  GstTfrcHandoverView view = { 0 };

  tfrc_receiver_get_stats (session->receiver, stats);
  view.phase = stats->handover_phase;
  view.handovers = stats->handovers;
  view.completed = stats->handovers_completed;
  view.rtt_ns = stats->rtt_ns;
  view.rate_bps = stats->x_recv_Bps * 8;
  view.packets_lost = stats->packets_lost;
  return view;
}

void
gst_tfrc_src_session_start_handover (GstTfrcSrcSession *session, guint8 link, guint64 bandwidth_bps,
    gboolean suppress_echo, guint64 now_ns)
{
  static const GstTfrcAddress unknown;
  TfrcHandover handover = { .link = link, .suppress_echo = suppress_echo };
  TfrcReceiverStats stats;
  GstTfrcHandoverView view = view_now (session, &stats);

  gst_tfrc_handover_log_update (&session->handover_log, &view, now_ns);
  handover.bandwidth_Bps = segments_Bps (session, bandwidth_bps, &stats);
  tfrc_receiver_start_handover (session->receiver, &handover, now_ns);
  session->link = link;
  session->link_proven = FALSE;
  session->local = unknown;
  session->handover_ns = now_ns;
}

gboolean
gst_tfrc_src_session_log_handover (GstTfrcSrcSession *session, guint64 now_ns)
{
  TfrcReceiverStats stats;
  GstTfrcHandoverView view;

  if (session->handover_ns == 0)
    return FALSE;
  view = view_now (session, &stats);
  return gst_tfrc_handover_log_update (&session->handover_log, &view, now_ns);
}

gboolean
gst_tfrc_src_session_handover_failed (const GstTfrcSrcSession *session, guint64 now_ns)
{
  if (session->handover_ns == 0 || session->link_proven
      || now_ns < session->handover_ns + HANDOVER_PATIENCE_NS)
    return FALSE;
  return tfrc_receiver_get_handover_phase (session->receiver) == TFRC_HANDOVER_NORMAL;
}

/* ---- what is sent -------------------------------------------------------- */

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
  report->highest_seq = (guint32) stats.highest_seq;
  report->jitter = (guint32) session->jitter;
  if (session->rtcp) {
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

  session->report_ns = now_ns + RECEIVER_REPORT_INTERVAL_NS;
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
  if (session->ended)
    return 0;
  if (tfrc_receiver_make_feedback (session->receiver, now_ns, &feedback))
    return write_feedback (session, own_ssrc, &feedback, buffer);
  if (session->report_ns > now_ns)
    return 0;
  if (now_ns >= session->heard_ns + SENDER_SILENCE_NS)
    tfrc_receiver_request_feedback (session->receiver, now_ns);
  return write_report (session, own_ssrc, cname, now_ns, buffer);
}
