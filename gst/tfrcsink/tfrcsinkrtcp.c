/* RTCP of a stream: what leaves and what comes, see tfrcsinkstream-private.h. */
#include "tfrcsinkstream-private.h"

/* Lock held, released meanwhile.  RTCP that is lost is repeated by the next:
 * errors do not matter here. */
static void
send_packet (TfrcSinkStream *stream, const TfrcAddress *to, const guint8 *buffer, gsize size)
{
  TfrcSendItem item = { buffer, size, NULL, 0 };
  gint error;

  if (size == 0)
    return;
  g_mutex_unlock (&stream->lock);
  tfrc_socket_send (stream->fd, to, NULL, &item, 1, &error);
  g_mutex_lock (&stream->lock);
}

static void
maybe_send_report (TfrcSinkStream *stream, guint64 now_ns)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcAddress peer = stream->session.paths.peer;

  send_packet (
      stream, &peer, buffer, tfrc_sink_session_write_rtcp (&stream->session, now_ns, buffer));
}

static void
send_challenges (TfrcSinkStream *stream, guint64 now_ns)
{
  guint8 buffer[TFRC_SINK_CHALLENGE_BYTES];
  TfrcAddress to;
  gsize size;

  while ((size = tfrc_sink_session_write_challenge (&stream->session, now_ns, buffer, &to)) > 0)
    send_packet (stream, &to, buffer, size);
}

void
tfrc_sink_stream_send_rtcp (TfrcSinkStream *stream, guint64 now_ns)
{
  maybe_send_report (stream, now_ns);
  send_challenges (stream, now_ns);
}

void
tfrc_sink_stream_say_bye (TfrcSinkStream *stream)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcAddress peer = stream->session.paths.peer;

  send_packet (stream, &peer, buffer, tfrc_sink_session_write_bye (&stream->session, buffer));
}

/* A response leaves before the next packet is looked at, so that none takes the
 * place of another. */
void
tfrc_sink_stream_on_packet (TfrcSinkStream *stream, const TfrcReceivedPacket *packet)
{
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];

  switch (tfrc_sink_session_on_rtcp (&stream->session, packet)) {
    case TFRC_RTCP_USED:
      break;
    case TFRC_RTCP_FOREIGN:
      stream->foreign_packets++;
      break;
    case TFRC_RTCP_MALFORMED:
      stream->malformed_packets++;
      break;
  }
  send_packet (stream, packet->from, response,
      tfrc_sink_session_write_response (&stream->session, response));
}
