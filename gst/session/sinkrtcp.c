/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP of a stream, sent and received, see sinkstream-private.h. */
#include "sinkrtcpport.h"
#include "sinkstream-private.h"

/* Releases the lock meanwhile. Errors do not matter: later RTCP repeats what is lost. */
static void
send_from (GstTfrcSinkStream *stream, GstTfrcEndpoint *endpoint, const GstTfrcAddress *to,
    GstTfrcRtcpBuffer *buffer, gsize size) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcSendItem item = { .data = buffer->bytes,
    .size = size,
    .ttl = gst_tfrc_send_session_get_rtcp_ttl (stream->session, to) };
  gint error;

  if (size == 0)
    return;
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  item.size = gst_tfrc_sink_stream_protect (stream, buffer, size);
  if (item.size > 0)
    gst_tfrc_endpoint_send (endpoint, to, NULL, &item, 1, &error);
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
}

static void
send_packet (GstTfrcSinkStream *stream, const GstTfrcAddress *to, GstTfrcRtcpBuffer *buffer,
    gsize size) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  send_from (stream, stream->endpoint, to, buffer, size);
}

/* Sends what every RTP receiver understands. A receiver that knows TFRC multiplexes. */
static void
send_to_peer (GstTfrcSinkStream *stream, GstTfrcRtcpBuffer *buffer, gsize size)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcAddress peer = *gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (stream->session));

  if (stream->rtcp_endpoint == NULL
      || (gst_tfrc_rate_control_get_control (
              gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)))
          == GST_TFRC_CONTROL_TFRC)) {
    send_packet (stream, &peer, buffer, size);
    return;
  }
  peer = gst_tfrc_sink_rtcp_port_address (&peer, stream->rtcp_port);
  send_from (stream, stream->rtcp_endpoint, &peer, buffer, size);
}

static void
maybe_send_report (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcRtcpBuffer buffer;

  send_to_peer (
      stream, &buffer, gst_tfrc_send_session_write_rtcp (stream->session, now_ns, buffer.bytes));
}

static void
send_challenges (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcRtcpBuffer buffer;
  GstTfrcAddress to;
  gsize size;

  while ((size = gst_tfrc_send_session_write_challenge (stream->session, now_ns, buffer.bytes, &to))
      > 0)
    send_packet (stream, &to, &buffer, size);
}

void
gst_tfrc_sink_stream_send_rtcp (GstTfrcSinkStream *stream, guint64 now_ns)
{
  maybe_send_report (stream, now_ns);
  send_challenges (stream, now_ns);
}

void
gst_tfrc_sink_stream_send_bye (GstTfrcSinkStream *stream)
{
  GstTfrcRtcpBuffer buffer;

  send_to_peer (stream, &buffer, gst_tfrc_send_session_write_bye (stream->session, buffer.bytes));
}

/* The response leaves before the next packet is handled: the session keeps one challenge at a
 * time. */
void
gst_tfrc_sink_stream_on_packet (GstTfrcSinkStream *stream, const GstTfrcReceivedPacket *packet)
{
  GstTfrcRtcpBuffer response;
  GstTfrcAddress to;
  gsize size;

  if (gst_tfrc_sink_stream_on_key_packet (stream, packet))
    return;
  switch (gst_tfrc_send_session_on_rtcp (stream->session, packet)) {
    case GST_TFRC_RTCP_USED:
      break;
    case GST_TFRC_RTCP_FOREIGN:
      stream->foreign_packets++;
      break;
    case GST_TFRC_RTCP_MALFORMED:
      stream->malformed_packets++;
      break;
  }
  size = gst_tfrc_send_session_write_response (stream->session, response.bytes, &to);
  if (size > 0)
    send_packet (stream, &to, &response, size);
}
