/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protection of a sender's stream: packets leave protected and come protected, and keys are
 * exchanged. See sinkstream-private.h and sinkkeys.h. */
#include "sinkstream-private.h"

#include <string.h>

#include "../common/clock.h"

gboolean
gst_tfrc_sink_stream_has_keys (const GstTfrcSinkStream *stream)
{
  return stream->keys == NULL || gst_tfrc_sink_keys_may_send (stream->keys);
}

void
gst_tfrc_sink_stream_follow_ttl (GstTfrcSinkStream *stream, guint64 now_ns)
{
  if (stream->keys
      && gst_tfrc_adaptive_ttl_is_raised (
          gst_tfrc_send_media_get_ttl (gst_tfrc_send_session_get_media (stream->session))))
    gst_tfrc_sink_keys_seal_from_now_on (stream->keys, now_ns);
}

guint
gst_tfrc_sink_stream_seal (
    GstTfrcSinkStream *stream, GstTfrcSendSession *session, GstTfrcPacket **packets, guint n)
{
  guint sealed = 0;

  while (sealed < n
      && gst_tfrc_rtp_stream_seal (
          gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (session)), packets[sealed]))
    sealed++;
  return sealed;
}

gsize
gst_tfrc_sink_stream_protect (GstTfrcSinkStream *stream, GstTfrcRtcpBuffer *packet, gsize size)
{
  return stream->keys ? gst_tfrc_sink_keys_protect (stream->keys, TRUE, packet->bytes, size) : size;
}

/* The data of a received packet may be written to. A key packet passes as it is. */
static gboolean
unprotect (GstTfrcSinkStream *stream, const GstTfrcAddress *peer, GstTfrcReceivedPacket *packet,
    guint64 now_ns)
{
  if (packet->truncated || gst_tfrc_key_packet_is (packet->data, packet->size)
      || tfrc_wire_classify (packet->data, packet->size) != TFRC_WIRE_KIND_RTCP)
    return TRUE;
  return gst_tfrc_sink_keys_unprotect (stream->keys, gst_tfrc_address_equal (packet->from, peer),
      packet->data, &packet->size, now_ns);
}

guint
gst_tfrc_sink_stream_unprotect (GstTfrcSinkStream *stream, const GstTfrcReceivedPacket *packets,
    guint n, GstTfrcReceivedPacket *plain, guint64 now_ns)
{
  GstTfrcAddress peer;
  guint used = 0;

  if (stream->keys == NULL) {
    memcpy (plain, packets, n * sizeof *packets);
    return n;
  }
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  peer = *gst_tfrc_send_paths_get_peer (gst_tfrc_send_session_get_paths (stream->session));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  for (guint i = 0; i < n; i++) {
    plain[used] = packets[i];
    if (unprotect (stream, &peer, &plain[used], now_ns))
      used++;
  }
  return used;
}

/* ---- keys ---------------------------------------------------------------- */

static GstTfrcKeyTime
time_at (guint64 now_ns)
{
  return (GstTfrcKeyTime){ now_ns, gst_tfrc_clock_wall_ns () };
}

gboolean
gst_tfrc_sink_stream_on_key_packet (GstTfrcSinkStream *stream, const GstTfrcReceivedPacket *packet)
{
  GstTfrcSendSession *session = stream->session;
  GstTfrcKeyTime time;

  if (stream->keys == NULL || !gst_tfrc_key_packet_is (packet->data, packet->size))
    return FALSE;
  time = time_at (packet->read_ns);
  if (packet->truncated
      || !gst_tfrc_address_equal (
          packet->from, gst_tfrc_send_paths_get_peer (gst_tfrc_send_session_get_paths (session))))
    stream->foreign_packets++;
  else
    gst_tfrc_sink_keys_on_packet (stream->keys, packet->data, packet->size,
        gst_tfrc_rtp_stream_get_numbers (
            gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (session)))
            .first_seq,
        &time);
  return TRUE;
}

static void
send_key_packets (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  guint64 rtt_ns = gst_tfrc_rate_control_get_rtt_ns (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)));
  GstTfrcAddress to = *gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (stream->session));
  GstTfrcRtcpBuffer buffer;
  GstTfrcSendItem item = { .data = buffer.bytes };
  gint error;

  item.ttl = gst_tfrc_send_session_get_rtcp_ttl (stream->session, &to);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  while ((item.size = gst_tfrc_sink_keys_write (stream->keys, rtt_ns, now_ns, buffer.bytes)) > 0)
    gst_tfrc_endpoint_send (stream->endpoint, &to, NULL, &item, 1, &error);
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
}

void
gst_tfrc_sink_stream_serve_keys (GstTfrcSinkStream *stream, guint64 now_ns)
{
  GstTfrcSendSession *session = stream->session;
  GstTfrcKeyTime time;

  if (stream->keys == NULL)
    return;
  time = time_at (now_ns);
  if (gst_tfrc_send_queue_length (&stream->queue) > 0) {
    gst_tfrc_send_session_renew (session);
    gst_tfrc_sink_keys_start (stream->keys,
        gst_tfrc_rtp_stream_get_ssrc (
            gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (session))),
        gst_tfrc_rtp_stream_get_numbers (
            gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (session)))
            .first_seq,
        &time);
  }
  if (now_ns < gst_tfrc_sink_keys_next_ns (stream->keys))
    return;
  gst_tfrc_sink_keys_on_time (stream->keys,
      gst_tfrc_rtp_stream_get_numbers (
          gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (session)))
          .first_seq,
      &time);
  send_key_packets (stream, now_ns);
}

void
gst_tfrc_sink_stream_rekey (GstTfrcSinkStream *stream)
{
  if (gst_tfrc_fork_is_inherited (stream->generation) || stream->keys == NULL)
    return;
  gst_tfrc_sink_keys_rekey (stream->keys, gst_tfrc_clock_now_ns ());
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

gboolean
gst_tfrc_sink_stream_take_security_event (GstTfrcSinkStream *stream, GstTfrcSecurityEvent *event)
{
  return !gst_tfrc_fork_is_inherited (stream->generation) && stream->keys
      && gst_tfrc_sink_keys_take_event (stream->keys, event);
}
