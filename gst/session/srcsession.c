/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source's session: life, packets that come, queries.  See srcsession.h. */
#include "srcsession-private.h"

#include <math.h>
#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* The least interval of receiver reports that answer a report of the sender */
#define MIN_REPORT_INTERVAL_NS S_NS

/* Challenges that are answered */
#define CHALLENGES_PER_SECOND 20
#define CHALLENGES_BURST 20

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

/* A send time that is not believed does not tell how long the packet has waited. Nothing is learnt
 * of the new path from packets that come over the old one. */
static void
follow_due_time (GstTfrcSrcSession *session, const TfrcWireData *header, guint64 arrival_ns,
    guint8 path_id, const TfrcArrival *arrival)
{
  guint64 held_ns = 0;

  if (arrival->believed && header->has_rtt_sendts)
    held_ns = gst_tfrc_delays_get_sender_ns (
        &session->delays, header->timestamp, header->send_time_us);
  if (path_id == session->path_id && path_id != session->clock_path_id) {
    session->clock_path_id = path_id;
    gst_tfrc_rtp_clock_change_path (&session->rtp_clock);
  }
  session->due_ns = gst_tfrc_rtp_clock_on_packet (
      &session->rtp_clock, header->timestamp, held_ns, arrival_ns);
}

gboolean
gst_tfrc_src_session_on_data (GstTfrcSrcSession *session, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, guint8 path_id, TfrcArrival *arrival)
{
  TfrcData data;

  tfrc_wire_get_data (header, &data);
  data.ce = packet->ecn == 3;
  data.link = path_id;
  if (tfrc_receiver_on_data (session->receiver, &data, packet->arrival_ns, arrival) != TFRC_OK)
    arrival->kind = TFRC_ARRIVAL_REFUSED;
  if (arrival->kind == TFRC_ARRIVAL_SUSPECT)
    gst_tfrc_rtp_seq_on_suspect (&session->rtp_seq, header);
  if (arrival->kind == TFRC_ARRIVAL_SUSPECT || arrival->kind == TFRC_ARRIVAL_REFUSED)
    return FALSE;

  gst_tfrc_rtp_seq_on_packet (&session->rtp_seq, header, arrival, &session->rtp_place);
  session->heard_ns = session->data_ns = packet->arrival_ns;
  if (path_id == session->path_id) {
    session->local = packet->local;
    session->active_has_data = TRUE;
  }
  session->ttl = packet->ttl;
  session->sent_ttl = header->has_flags ? header->ttl : 0;
  session->ttl_send_time_us = header->send_time_us;
  session->interface = packet->interface;
  session->has_tfrc = header->has_rtt_sendts;
  if (session->has_tfrc && session->report_ns == G_MAXUINT64)
    session->report_ns = packet->arrival_ns + GST_TFRC_SRC_REPORT_INTERVAL_NS;
  update_jitter (session, header->timestamp, packet->arrival_ns);
  if (arrival->kind != TFRC_ARRIVAL_DUPLICATE)
    follow_due_time (session, header, packet->arrival_ns, path_id, arrival);
  if (arrival->believed)
    gst_tfrc_delays_on_data (&session->delays, header->timestamp, header->send_time_us,
        header->rtt_us, packet->arrival_ns, packet->arrival_wall_ns);
  return TRUE;
}

const GstTfrcRtpPlace *
gst_tfrc_src_session_get_rtp_place (const GstTfrcSrcSession *session)
{
  return &session->rtp_place;
}

guint64
gst_tfrc_src_session_get_due_ns (const GstTfrcSrcSession *session)
{
  return session->due_ns;
}

void
gst_tfrc_src_session_on_rtcp (
    GstTfrcSrcSession *session, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  guint64 answer_ns = arrival_ns;

  session->heard_ns = arrival_ns;
  if (!rtcp->has_sr)
    return;
  session->has_rtcp = TRUE;
  session->sr_middle = (guint32) (rtcp->sr_ntp >> 16);
  session->sr_arrival_ns = arrival_ns;
  /* Answered at once, so that the sender knows that the receiver is there, even if all data is
   * lost. */
  if (session->answered_ns != 0)
    answer_ns = MAX (answer_ns, session->answered_ns + MIN_REPORT_INTERVAL_NS);
  session->report_ns = MIN (session->report_ns, answer_ns);
  if (rtcp->has_clock)
    gst_tfrc_delays_on_sender_report (
        &session->delays, rtcp->sr_ntp, rtcp->sr_timestamp, rtcp->clock_send_time_us);
}

void
gst_tfrc_src_session_end (GstTfrcSrcSession *session)
{
  session->has_ended = session->owes_bye = TRUE;
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

/* ---- paths ------------------------------------------------------------- */

void
gst_tfrc_src_session_set_path_id (GstTfrcSrcSession *session, guint8 path_id)
{
  session->path_id = path_id;
}

guint8
gst_tfrc_src_session_get_path_id (const GstTfrcSrcSession *session)
{
  return session->path_id;
}

void
gst_tfrc_src_session_set_local (GstTfrcSrcSession *session, const GstTfrcAddress *local)
{
  session->local = *local;
}

/* ---- queries ----------------------------------------------------------- */

const GstTfrcAddress *
gst_tfrc_src_session_get_address (const GstTfrcSrcSession *session)
{
  return &session->address;
}

const GstTfrcAddress *
gst_tfrc_src_session_get_local (const GstTfrcSrcSession *session)
{
  return &session->local;
}

guint32
gst_tfrc_src_session_get_ssrc (const GstTfrcSrcSession *session)
{
  return session->ssrc;
}

gboolean
gst_tfrc_src_session_has_tfrc (const GstTfrcSrcSession *session)
{
  return session->has_tfrc;
}

guint64
gst_tfrc_src_session_get_heard_ns (const GstTfrcSrcSession *session)
{
  return session->heard_ns;
}

gboolean
gst_tfrc_src_session_has_ended (const GstTfrcSrcSession *session)
{
  return session->has_ended;
}

guint64
gst_tfrc_src_session_get_rtt_ns (const GstTfrcSrcSession *session)
{
  return tfrc_receiver_get_rtt_ns (session->receiver);
}

void
gst_tfrc_src_session_get_stats (const GstTfrcSrcSession *session, GstTfrcSrcSessionStats *stats)
{
  tfrc_receiver_get_stats (session->receiver, &stats->receiver);
  tfrc_receiver_get_loss_statistics (session->receiver, &stats->loss);
  stats->delays = session->delays;
  stats->tfrc = session->has_tfrc;
  stats->ssrc = session->ssrc;
  stats->sender = session->address;
  stats->interface = session->interface;
  stats->ttl = session->ttl;
  stats->hops = session->ttl > 0 && session->sent_ttl >= session->ttl
      ? session->sent_ttl - session->ttl + 1u
      : 0;
  stats->messages_dropped = session->handover_log.dropped;
  stats->jitter_ns = session->jitter * 1e9 / TFRC_WIRE_CLOCK_RATE;
}
