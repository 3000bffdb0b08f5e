/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media that a flow sends, see sendmedia.h. */
#include "sendmedia.h"

#include "../common/clock.h"

/* All streams have the clock of TFRC. */
static gboolean
start_streams (GstTfrcSendMedia *self, const GstTfrcSendMediaConfig *config)
{
  const GstTfrcRtpStream *media = &self->streams[GST_TFRC_RTP_MEDIA];

  for (guint i = 0; i < GST_TFRC_RTP_STREAMS; i++)
    if (!gst_tfrc_rtp_stream_init (&self->streams[i], &config->streams[i], config->transport_seq,
            i == GST_TFRC_RTP_MEDIA ? NULL : media, i == GST_TFRC_RTP_REPAIR))
      return FALSE;
  return TRUE;
}

gboolean
gst_tfrc_send_media_init (GstTfrcSendMedia *self, const GstTfrcSendMediaConfig *config)
{
  GstTfrcRtpNumbers numbers;

  gst_tfrc_adaptive_ttl_init (&self->ttl, &config->adaptive_ttl, config->ttl,
      config->streams[GST_TFRC_RTP_MEDIA].protector.protect != NULL);
  if ((config->ecn && tfrc_ecn_new (&self->ecn) != TFRC_OK) || !start_streams (self, config))
    return FALSE;
  numbers = gst_tfrc_rtp_stream_get_numbers (&self->streams[GST_TFRC_RTP_MEDIA]);
  return gst_tfrc_rate_control_init (&self->control, &config->rate, numbers.first_seq,
      numbers.clock_offset_us, config->transport_seq == GST_TFRC_TRANSPORT_SEQ_ALWAYS);
}

void
gst_tfrc_send_media_clear (GstTfrcSendMedia *self)
{
  gst_tfrc_rate_control_clear (&self->control);
  tfrc_ecn_free (self->ecn);
}

GstTfrcRtpStream *
gst_tfrc_send_media_get_rtp (GstTfrcSendMedia *self, guint stream)
{
  return &self->streams[stream];
}

GstTfrcRateControl *
gst_tfrc_send_media_get_control (GstTfrcSendMedia *self)
{
  return &self->control;
}

GstTfrcAdaptiveTtl *
gst_tfrc_send_media_get_ttl (GstTfrcSendMedia *self)
{
  return &self->ttl;
}

TfrcEcn *
gst_tfrc_send_media_get_ecn (GstTfrcSendMedia *self)
{
  return self->ecn;
}

/* ---- packets of data ---------------------------------------------------- */

static GstTfrcRtpStream *
media_of (GstTfrcSendMedia *self)
{
  return &self->streams[GST_TFRC_RTP_MEDIA];
}

static GstTfrcRtpStream *
stream_of (GstTfrcSendMedia *self, const GstTfrcOutgoing *outgoing)
{
  return &self->streams[gst_tfrc_outgoing_get_stream (outgoing)];
}

/* Is it a new packet of the movie? Reports of the receiver count these (RFC 3550 section 6.4.1). */
static gboolean
is_new_media (const GstTfrcOutgoing *outgoing)
{
  return gst_tfrc_outgoing_is_new (outgoing)
      && gst_tfrc_outgoing_get_stream (outgoing) == GST_TFRC_RTP_MEDIA;
}

/* A sealed packet that could not leave must not wait for ever because of its ECT.  The ECN field is
 * no part of the datagram. */
static void
mark_again (const GstTfrcSendMedia *self, GstTfrcOutgoing *outgoing)
{
  if (tfrc_ecn_get_state (self->ecn) == TFRC_ECN_OFF)
    gst_tfrc_outgoing_set_ecn (outgoing, TFRC_ECN_FIELD_NOT_ECT);
}

/* Packets of data alone carry ECT: RTCP, challenges and key packets do not (RFC 6679 section 7.3.1). */
static guint8
choose_ecn (GstTfrcSendMedia *self, guint16 transport_seq, guint64 now_ns)
{
  return tfrc_ecn_on_packet (self->ecn, transport_seq, now_ns) ? TFRC_ECN_FIELD_ECT_0
                                                               : TFRC_ECN_FIELD_NOT_ECT;
}

static gboolean
begins_now (const GstTfrcSendMedia *self)
{
  const GstTfrcRtpStream *media = &self->streams[GST_TFRC_RTP_MEDIA];

  return !gst_tfrc_rtp_stream_has_begun (media) || gst_tfrc_rtp_stream_has_ended (media);
}

/* A sender report counts the packets of its SSRC (RFC 3550 section 6.4.1). */
static void
begin (GstTfrcSendMedia *self, guint64 now_ns)
{
  gst_tfrc_rtp_stream_begin (media_of (self), now_ns);
  for (guint i = 0; i < GST_TFRC_RTP_STREAMS; i++)
    gst_tfrc_rtp_stream_restart_counts (&self->streams[i]);
  gst_tfrc_rate_control_lose_reporter (&self->control);
}

GstTfrcPrepareResult
gst_tfrc_send_media_prepare (GstTfrcSendMedia *self, GstTfrcOutgoing *outgoing, guint64 now_ns,
    TfrcData *data, gboolean *begins)
{
  GstTfrcRtpStream *stream = stream_of (self, outgoing);
  guint16 rtp_seq;

  if (gst_tfrc_rate_control_is_broken (&self->control))
    return GST_TFRC_TOO_EARLY;
  if (gst_tfrc_outgoing_is_sealed (outgoing)) {
    mark_again (self, outgoing);
    return GST_TFRC_PREPARED;
  }
  if (!gst_tfrc_rate_control_prepare (
          &self->control, gst_tfrc_outgoing_get_payload_bytes (outgoing), now_ns, data))
    return GST_TFRC_TOO_EARLY;
  if (begins_now (self)) {
    *begins = TRUE;
    begin (self, now_ns);
  }
  gst_tfrc_rtp_stream_number (stream, outgoing);
  rtp_seq = gst_tfrc_outgoing_get_rtp_seq (outgoing);
  gst_tfrc_outgoing_set_ecn (outgoing, choose_ecn (self, data->seq, now_ns));
  gst_tfrc_rate_control_on_packet (
      &self->control, data, is_new_media (outgoing) ? &rtp_seq : NULL, now_ns);
  self->last_packet_ns = now_ns;
  gst_tfrc_rtp_stream_count (stream, outgoing, 1);
  gst_tfrc_rtp_stream_write_header (
      stream, outgoing, data, gst_tfrc_adaptive_ttl_on_send (&self->ttl, data->send_time_us));
  return GST_TFRC_PREPARED;
}

void
gst_tfrc_send_media_take_back (GstTfrcSendMedia *self, GstTfrcOutgoing *outgoing)
{
  if (gst_tfrc_outgoing_is_sealed (outgoing))
    return;
  tfrc_ecn_cancel (self->ecn);
  gst_tfrc_rate_control_take_back (
      &self->control, gst_tfrc_outgoing_get_payload_bytes (outgoing), is_new_media (outgoing));
  gst_tfrc_rtp_stream_count (stream_of (self, outgoing), outgoing, -1);
  gst_tfrc_rtp_stream_take_back (stream_of (self, outgoing), outgoing);
}

/* ---- reports and feedback ------------------------------------------------- */

gsize
gst_tfrc_send_media_write_report (GstTfrcSendMedia *self, guint64 now_ns, guint8 *buffer)
{
  TfrcSenderStats stats;
  GstTfrcClockMap now;
  guint64 ntp;

  if (!gst_tfrc_rtp_stream_take_report (media_of (self), now_ns))
    return 0;
  gst_tfrc_rate_control_get_stats (&self->control, &stats);
  gst_tfrc_clock_map_init (&now);
  ntp = gst_tfrc_clock_wall_to_ntp (now.wall_ns);
  gst_tfrc_rate_control_on_sender_report (&self->control, &stats, ntp, now_ns);
  return gst_tfrc_rtp_streams_write_report (self->streams, ntp, now.now_ns,
      gst_tfrc_rate_control_wire_time_us (&self->control, now.now_ns), buffer);
}

gsize
gst_tfrc_send_media_write_bye (GstTfrcSendMedia *self, guint8 *buffer)
{
  return gst_tfrc_rtp_streams_write_bye (self->streams, buffer);
}

static void
follow_ecn (GstTfrcSendMedia *self, const TfrcWireRtcp *rtcp, gboolean counts_anew, guint64 now_ns)
{
  const TfrcWireState *state = &rtcp->state;
  const TfrcEcnReport report = { .highest_seq = (guint16) state->highest_seq,
    .ect0 = state->ect0,
    .ect1 = state->ect1,
    .ce = state->ce_marks,
    .not_ect = state->not_ect };
  gboolean reports_ecn = rtcp->has_state && (state->flags & TFRC_WIRE_STATE_ECN) != 0;

  if (counts_anew)
    tfrc_ecn_on_new_receiver (self->ecn);
  tfrc_ecn_on_report (self->ecn, reports_ecn ? &report : NULL, now_ns);
}

/* While ECN works, the reports tell whether it still does.  A path that has failed is worth another
 * try at once when the number of hops to the receiver has changed. */
static void
follow_route (GstTfrcSendMedia *self, guint hops_before)
{
  guint hops = gst_tfrc_adaptive_ttl_get_hops (&self->ttl);

  if (hops_before > 0 && hops > 0 && hops != hops_before
      && tfrc_ecn_get_state (self->ecn) == TFRC_ECN_FAILED)
    tfrc_ecn_on_new_path (self->ecn);
}

gboolean
gst_tfrc_send_media_on_feedback (
    GstTfrcSendMedia *self, const TfrcWireRtcp *rtcp, gboolean counts_anew, guint64 now_ns)
{
  guint hops = gst_tfrc_adaptive_ttl_get_hops (&self->ttl);

  if (!gst_tfrc_rate_control_on_feedback (&self->control, &rtcp->feedback, now_ns))
    return FALSE;
  if (rtcp->feedback.handover)
    gst_tfrc_adaptive_ttl_on_handover (&self->ttl);
  else
    gst_tfrc_adaptive_ttl_on_feedback (
        &self->ttl, rtcp->feedback.recv_data_us, rtcp->has_state ? rtcp->state.ttl : 0);
  follow_ecn (self, rtcp, counts_anew, now_ns);
  follow_route (self, hops);
  return TRUE;
}

gboolean
gst_tfrc_send_media_has_age_wrapped (const GstTfrcSendMedia *self, guint64 now_ns)
{
  return now_ns > self->last_packet_ns + (guint64) G_MAXUINT32 * GST_USECOND;
}

void
gst_tfrc_send_media_on_moved (
    GstTfrcSendMedia *self, gboolean is_new_path, guint64 rtt_ns, guint64 now_ns)
{
  gst_tfrc_adaptive_ttl_on_new_path (&self->ttl);
  tfrc_ecn_on_new_path (self->ecn);
  if (is_new_path)
    gst_tfrc_rate_control_on_new_path (&self->control, rtt_ns, now_ns);
}

/* ---- time ------------------------------------------------------------------ */

void
gst_tfrc_send_media_on_time (GstTfrcSendMedia *self, guint64 now_ns)
{
  if (!gst_tfrc_rate_control_on_time (&self->control, now_ns))
    return;
  gst_tfrc_adaptive_ttl_on_silence (&self->ttl);
  tfrc_ecn_on_silence (self->ecn, now_ns);
}

guint64
gst_tfrc_send_media_get_bitrate (const GstTfrcSendMedia *self)
{
  gdouble rate_Bps = gst_tfrc_rate_control_get_drain_rate_Bps (&self->control);

  return gst_tfrc_rate_control_get_rtt_ns (&self->control) > 0 ? (guint64) (rate_Bps * 8) : 0;
}
