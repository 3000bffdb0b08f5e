/* A sender's data, reports and timers, see sinksession.h; sinkpeer.c has
 * what the receiver says. */
#include "sinksession-private.h"

#include <string.h>

#include "../common/clock.h"
#include "../common/random.h"
#include "../tfrcsink/tspacketizer.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* RFC 8083 needs reports every 4 s at least; this leaves time to be late. */
#define SENDER_REPORT_INTERVAL_NS (39 * S_NS / 10)

/* Responses to challenges of the receiver, and as many to all others */
#define RESPONSES_PER_S 20
#define RESPONSES_BURST 20

/* What no peer may guess */
static gboolean
draw_numbers (GstTfrcSinkSession *session, guint16 *first_seq)
{
  guint32 offset_us = 0;
  gboolean drawn = gst_tfrc_random_fill (&session->ssrc, sizeof session->ssrc)
      && gst_tfrc_random_fill (&offset_us, sizeof offset_us)
      && gst_tfrc_random_fill (first_seq, sizeof *first_seq)
      && gst_tfrc_random_cname (session->cname);

  session->clock_offset_us = offset_us;
  return drawn;
}

gboolean
gst_tfrc_sink_session_init (GstTfrcSinkSession *session, const GstTfrcSinkRateConfig *rate)
{
  TfrcSenderConfig config;

  memset (session, 0, sizeof *session);
  session->report_ns = G_MAXUINT64;
  for (guint i = 0; i < G_N_ELEMENTS (session->responses); i++)
    gst_tfrc_token_bucket_init (&session->responses[i], RESPONSES_PER_S, RESPONSES_BURST);
  tfrc_sender_config_init (&config);
  if (!draw_numbers (session, &config.first_seq))
    return FALSE;
  config.segment_size_bytes = GST_TFRC_TS_PAYLOAD_BYTES;
  config.clock_offset_us = (guint32) session->clock_offset_us;
  config.initial_rate_Bps = rate->start_bitrate / 8.0;
  config.queue_guard = rate->queue_guard;
  config.rto_policy = rate->rto_policy;
  if (rate->rate_scale > 0)
    config.rate_scale = rate->rate_scale;
  if (rate->burst_limit_ns > 0)
    config.burst_limit_ns = rate->burst_limit_ns;
  return tfrc_sender_new (&session->sender, &config) == TFRC_OK;
}

void
gst_tfrc_sink_session_clear (GstTfrcSinkSession *session)
{
  tfrc_sender_free (session->sender);
  session->sender = NULL;
  gst_tfrc_sink_paths_clear (&session->paths);
  gst_tfrc_handover_log_clear (&session->handover_log);
}

/* ---- data -------------------------------------------------------------- */

/* Send times are the low 32 bits of our clock in microseconds plus a random
 * offset, RTP time stamps those of its 90 kHz equivalent. */
static guint32
rtp_timestamp (const GstTfrcSinkSession *session, guint64 time_ns)
{
  return (guint32) ((time_ns / 1000 + session->clock_offset_us) * 9 / 100);
}

/* The first report goes out with the first packet, so that the receiver can
 * tell delays from the start. */
static void
begin_stream (GstTfrcSinkSession *session, guint16 first_seq, guint64 now_ns)
{
  session->first_seq = first_seq;
  session->packets_before = tfrc_sender_get_packets_sent (session->sender) - 1;
  session->report_ns = now_ns;
  /* An SSRC that has said BYE is gone (RFC 3550 section 6.3.4).  Who receives
   * the new one counts its feedback from 0.  The system had random numbers when
   * the stream started; were there none now, the next number is a new one too. */
  if (session->said_bye) {
    if (!gst_tfrc_random_fill (&session->ssrc, sizeof session->ssrc))
      session->ssrc++;
    session->peer_counts_anew = TRUE;
  }
  session->said_bye = session->bye_answered = FALSE;
  session->peer_heard_ns = now_ns;
}

gsize
gst_tfrc_sink_session_write_header (GstTfrcSinkSession *session, gsize payload_bytes,
    guint64 due_ns, guint64 now_ns, guint8 *header)
{
  TfrcWireData wire = { 0 };
  TfrcData data;

  if (tfrc_sender_prepare (session->sender, (guint32) payload_bytes, now_ns, &data) != TFRC_OK)
    return 0;
  if (session->report_ns == G_MAXUINT64 || session->said_bye)
    begin_stream (session, data.seq, now_ns);
  wire.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  wire.timestamp = rtp_timestamp (session, due_ns);
  wire.ssrc = session->ssrc;
  tfrc_wire_set_data (&wire, &data);
  return tfrc_wire_write_data (header, &wire);
}

/* ---- time -------------------------------------------------------------- */

/* When the peer is lost.  An idle stream does not lose it, as it answers
 * reports; after our BYE there is nothing that it should answer. */
static guint64
peer_timeout_ns (const GstTfrcSinkSession *session)
{
  if (session->peer_state != GST_TFRC_PEER_CONNECTED || session->said_bye)
    return G_MAXUINT64;
  return session->peer_heard_ns + GST_TFRC_PEER_TIMEOUT_NS;
}

static gboolean
doubts_bye (const GstTfrcSinkSession *session)
{
  return session->peer_state == GST_TFRC_PEER_GONE && !session->bye_believed;
}

guint64
gst_tfrc_sink_session_next_ns (const GstTfrcSinkSession *session)
{
  guint64 next_ns = tfrc_sender_next_timeout_ns (session->sender);

  if (!session->said_bye)
    next_ns = MIN (next_ns, session->report_ns);
  if (doubts_bye (session))
    next_ns = MIN (next_ns, session->believe_bye_ns);
  next_ns = MIN (next_ns, gst_tfrc_sink_paths_next_ns (&session->paths));
  return MIN (next_ns, peer_timeout_ns (session));
}

void
gst_tfrc_sink_session_on_time (GstTfrcSinkSession *session, guint64 now_ns)
{
  tfrc_sender_on_timeout (session->sender, now_ns);
  if (gst_tfrc_sink_paths_on_time (&session->paths, now_ns) && session->paths.is_new_path)
    tfrc_sender_on_new_path (session->sender, session->paths.fallback_rtt_ns, now_ns);
  if (now_ns >= peer_timeout_ns (session)) {
    session->peer_state = GST_TFRC_PEER_LOST;
    gst_tfrc_sink_session_end_handover (session, now_ns);
  }
  if (doubts_bye (session) && now_ns >= session->believe_bye_ns)
    session->bye_believed = TRUE;
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
  session->may_release = TRUE;
  tfrc_sender_get_stats (session->sender, &stats);
  rtcp.sender_ssrc = session->ssrc;
  gst_tfrc_clock_map_init (&now);
  rtcp.sr_ntp = gst_tfrc_clock_wall_to_ntp (now.wall_ns);
  rtcp.sr_timestamp = rtp_timestamp (session, now.now_ns);
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
  gsize size = gst_tfrc_sink_paths_take_challenge (&session->paths, now_ns, to, data);

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

void
gst_tfrc_sink_session_set_rate_limits (
    GstTfrcSinkSession *session, guint64 min_bitrate, guint64 max_bitrate)
{
  const gdouble least_Bps = (gdouble) GST_TFRC_TS_PAYLOAD_BYTES / 64;
  gdouble min_Bps = min_bitrate / 8.0, max_Bps = max_bitrate / 8.0;

  if (max_Bps > 0) {
    max_Bps = MAX (max_Bps, least_Bps);
    min_Bps = MIN (min_Bps, max_Bps);
  }
  tfrc_sender_set_rate_limits (session->sender, min_Bps, max_Bps);
}

gboolean
gst_tfrc_sink_session_is_peer_absent (const GstTfrcSinkSession *session)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  switch (session->peer_state) {
    case GST_TFRC_PEER_WAITING:
      return stats.nofeedback_expirations > 0;
    case GST_TFRC_PEER_CONNECTED:
      return !session->has_receiver && stats.nofeedback_expirations > 0;
    case GST_TFRC_PEER_GONE:
      return session->bye_believed;
    case GST_TFRC_PEER_LOST:
      return TRUE;
  }
  return TRUE;
}

gdouble
gst_tfrc_sink_session_get_rate_Bps (const GstTfrcSinkSession *session)
{
  return tfrc_sender_get_rate_Bps (session->sender);
}

guint64
gst_tfrc_sink_session_get_bitrate (const GstTfrcSinkSession *session)
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (session->sender, &stats);
  return stats.rtt_ns > 0 ? (guint64) (stats.x_Bps * 8) : 0;
}
