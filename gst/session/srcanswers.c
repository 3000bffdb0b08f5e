/* What a stream sends: feedback and reports, responses, challenges.  See
 * srcstream.h. */
#include "srcstream-private.h"

/* RTCP packets that one wake-up may send: a few feedbacks and a report */
#define MAX_RTCP_IN_ONE_GO 8

/* Lock held, released meanwhile */
static void
send_over (GstTfrcSrcStream *stream, const GstTfrcLink *link, const GstTfrcAddress *destination,
    const guint8 *buffer, gsize size)
{
  GstTfrcSendItem item = { buffer, size, NULL, 0 };
  GstTfrcAddress to = *destination;
  GstTfrcSrcSocket *socket = gst_tfrc_src_stream_get_socket_at (stream, &link->local);
  gint error;

  socket->refs++;
  g_mutex_unlock (&stream->lock);
  /* What is lost here is said again by the next. */
  gst_tfrc_socket_send (socket->fd, &to, link, &item, 1, &error);
  g_mutex_lock (&stream->lock);
  gst_tfrc_src_socket_unref (socket);
}

static gboolean
is_to_sender (const GstTfrcSrcStream *stream, const GstTfrcAddress *to)
{
  return stream->session && gst_tfrc_address_equal (to, &stream->session->address);
}

static void
send_to_sender (GstTfrcSrcStream *stream, const guint8 *buffer, gsize size)
{
  GstTfrcLink link = stream->links.in_use;

  if (gst_tfrc_address_family (&link.local) == AF_UNSPEC)
    link.local = stream->session->local;
  send_over (stream, &link, &stream->session->address, buffer, size);
}

/* From the address that was challenged, whichever link that is now reached
 * over: but for the one in use the interface is the kernel's choice. */
static void
send_response (GstTfrcSrcStream *stream)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcLink link;
  gsize size = gst_tfrc_src_session_write_response (stream->session, stream->ssrc, &link, buffer);

  if (size == 0 || !gst_tfrc_src_owner_may_answer (&stream->ownership.owner, size))
    return;
  if (link.interface != stream->links.in_use.interface)
    link.interface = 0;
  send_over (stream, &link, &stream->session->address, buffer, size);
}

static void
send_reports (GstTfrcSrcStream *stream, guint64 now_ns)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;
  guint i;

  for (i = 0; stream->session && i < MAX_RTCP_IN_ONE_GO; i++) {
    size = gst_tfrc_src_session_write (
        stream->session, stream->ssrc, stream->cname, now_ns, buffer);
    if (size == 0)
      break;
    /* Otherwise it is lost, as in the network. */
    if (gst_tfrc_src_owner_may_answer (&stream->ownership.owner, size))
      send_to_sender (stream, buffer, size);
  }
}

static void
send_challenges (GstTfrcSrcStream *stream, guint64 now_ns)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcLink link = { 0 };
  GstTfrcAddress to;
  gsize size;
  guint i;

  for (i = 0; i < MAX_RTCP_IN_ONE_GO; i++) {
    size = gst_tfrc_src_ownership_write_challenge (
        &stream->ownership, stream->ssrc, now_ns, buffer, &to, &link.local);
    if (size == 0)
      break;
    if (is_to_sender (stream, &to) && gst_tfrc_address_family (&link.local) == AF_UNSPEC)
      send_to_sender (stream, buffer, size);
    else
      send_over (stream, &link, &to, buffer, size);
  }
}

void
gst_tfrc_src_stream_answer (GstTfrcSrcStream *stream, guint64 now_ns)
{
  send_reports (stream, now_ns);
  /* after feedback, for who answers from where it says it is has moved */
  if (stream->session)
    send_response (stream);
  send_challenges (stream, now_ns);
}

void
gst_tfrc_src_stream_say_bye (GstTfrcSrcStream *stream)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size = tfrc_wire_write_bye (buffer, stream->ssrc, stream->cname);

  if (stream->session && stream->session->tfrc
      && gst_tfrc_src_owner_may_answer (&stream->ownership.owner, size))
    send_to_sender (stream, buffer, size);
}
