/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The control datagrams that a flow sends, see sendcontrol.h. */
#include "sendcontrol.h"

#include "../common/log.h"

/* The rooms of flow.h are large enough. */
G_STATIC_ASSERT (
    GST_TFRC_DATAGRAM_BYTES >= GST_TFRC_SEND_CHALLENGE_BYTES + GST_TFRC_PACKET_TAIL_BYTES);
G_STATIC_ASSERT (GST_TFRC_DATAGRAM_BYTES >= TFRC_WIRE_MAX_RTCP_BYTES + GST_TFRC_PACKET_TAIL_BYTES);
G_STATIC_ASSERT (
    GST_TFRC_DATAGRAM_BYTES >= GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES);

void
gst_tfrc_send_control_init (
    GstTfrcSendControl *self, GstTfrcSendSession *session, GstTfrcSinkKeys *keys, guint16 rtcp_port)
{
  self->session = session;
  self->keys = keys;
  self->rtcp_port = rtcp_port;
  self->wants_bye = FALSE;
  self->bye_ns = 0;
}

void
gst_tfrc_send_control_say_bye (GstTfrcSendControl *self)
{
  self->wants_bye = TRUE;
}

gboolean
gst_tfrc_send_control_wants_bye (const GstTfrcSendControl *self)
{
  return self->wants_bye;
}

static const GstTfrcAddress *
peer_of (const GstTfrcSendControl *self)
{
  return gst_tfrc_send_paths_get_peer (gst_tfrc_send_session_get_paths (self->session));
}

static const GstTfrcAddress *
local_of (const GstTfrcSendControl *self)
{
  return gst_tfrc_send_paths_get_local (gst_tfrc_send_session_get_paths (self->session));
}

static const GstTfrcRateControl *
rate_of (const GstTfrcSendControl *self)
{
  return gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (self->session));
}

void
gst_tfrc_send_control_on_heard (GstTfrcSendControl *self)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (self->session);
  const GstTfrcReceiverView *receiver = gst_tfrc_send_session_get_receiver (self->session);
  guint64 interval_ns = MAX (
      2 * gst_tfrc_rate_control_get_rtt_ns (rate_of (self)), GST_TFRC_MIN_BYE_INTERVAL_NS);

  if (self->wants_bye
      || !gst_tfrc_rtp_stream_has_ended (gst_tfrc_send_media_get_rtp (media, GST_TFRC_RTP_MEDIA))
      || gst_tfrc_receiver_view_is_bye_answered (receiver)
      || gst_tfrc_receiver_view_get_answered_ns (receiver) < self->bye_ns + interval_ns)
    return;
  gst_tfrc_log (flow, DEBUG, "the receiver reports on a stream that has ended: BYE again");
  self->wants_bye = TRUE;
}

static gsize
protect_rtcp (gpointer user, guint8 *datagram, gsize size)
{
  return gst_tfrc_sink_keys_protect (user, TRUE, datagram, size);
}

static GstTfrcDatagram *
add_unprotected (GstTfrcSendControl *self, GstTfrcPolled *polled, gsize size,
    const GstTfrcAddress *to, const GstTfrcAddress *local)
{
  GstTfrcDatagram *datagram = gst_tfrc_polled_add_control (polled, size, to);

  datagram->path.local = *local;
  datagram->may_reroute = TRUE;
  datagram->ttl = gst_tfrc_send_session_get_rtcp_ttl (self->session, to);
  return datagram;
}

static GstTfrcDatagram *
add_rtcp (GstTfrcSendControl *self, GstTfrcPolled *polled, gsize size, const GstTfrcAddress *to,
    const GstTfrcAddress *local)
{
  GstTfrcDatagram *datagram = add_unprotected (self, polled, size, to, local);

  datagram->seal = self->keys ? protect_rtcp : NULL;
  datagram->seal_user = self->keys;
  return datagram;
}

/* Adds what every RTP receiver understands. A receiver that knows TFRC multiplexes. */
static void
add_to_peer (GstTfrcSendControl *self, GstTfrcPolled *polled, gsize size)
{
  GstTfrcAddress to = *peer_of (self);
  gboolean by_rtcp_port = self->rtcp_port != 0
      && gst_tfrc_rate_control_get_control (rate_of (self)) != GST_TFRC_CONTROL_TFRC;

  if (size == 0)
    return;
  if (by_rtcp_port)
    gst_tfrc_address_set_port (&to, self->rtcp_port);
  add_rtcp (self, polled, size, &to, local_of (self))->by_rtcp_port = by_rtcp_port;
}

/* Returns FALSE if there is no more room. */
static gboolean
poll_responses (GstTfrcSendControl *self, GstTfrcPolled *polled)
{
  GstTfrcAddress to, local;
  guint8 *room;
  gsize size;

  while (gst_tfrc_send_session_owes_response (self->session)) {
    room = gst_tfrc_polled_get_room (polled);
    if (room == NULL)
      return FALSE;
    size = gst_tfrc_send_session_write_response (self->session, room, &to, &local);
    add_rtcp (self, polled, size, &to, &local);
  }
  return TRUE;
}

static gboolean
poll_keys (GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled)
{
  guint64 rtt_ns = gst_tfrc_rate_control_get_rtt_ns (rate_of (self));
  guint8 *room;
  gsize size;

  if (self->keys == NULL)
    return TRUE;
  while ((room = gst_tfrc_polled_get_room (polled)) != NULL) {
    size = gst_tfrc_sink_keys_write (self->keys, rtt_ns, now_ns, room);
    if (size == 0)
      return TRUE;
    add_unprotected (self, polled, size, peer_of (self), local_of (self));
  }
  return FALSE;
}

gboolean
gst_tfrc_send_control_poll_first (GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled)
{
  return poll_responses (self, polled) && poll_keys (self, now_ns, polled);
}

void
gst_tfrc_send_control_poll_rtcp (GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled)
{
  GstTfrcAddress to, local;
  guint8 *room = gst_tfrc_polled_get_room (polled);
  gsize size;

  if (room == NULL)
    return;
  add_to_peer (self, polled, gst_tfrc_send_session_write_rtcp (self->session, now_ns, room));
  while ((room = gst_tfrc_polled_get_room (polled)) != NULL
      && (size = gst_tfrc_send_session_write_challenge (self->session, now_ns, room, &to, &local))
          > 0)
    add_rtcp (self, polled, size, &to, &local);
}

void
gst_tfrc_send_control_poll_bye (GstTfrcSendControl *self, guint64 now_ns, GstTfrcPolled *polled)
{
  guint8 *room = gst_tfrc_polled_get_room (polled);

  if (!self->wants_bye || room == NULL)
    return;
  self->wants_bye = FALSE;
  self->bye_ns = now_ns;
  add_to_peer (self, polled, gst_tfrc_send_session_write_bye (self->session, room));
}
