/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends the RTCP of a source's stream: feedback and reports, responses, challenges.  See
 * srcstream-private.h. */
#include "../keys/keypacket.h"
#include "../queue/packet.h"
#include "srcstream-private.h"

/* RTCP packets that one wake-up may send: a few feedback packets and a report */
#define MAX_RTCP_IN_ONE_GO 8

/* Room for an RTCP packet and its protection, at an address that libsrtp can use */
typedef union
{
  guint8 bytes[TFRC_WIRE_MAX_RTCP_BYTES + GST_TFRC_PACKET_TAIL_BYTES];
  guint8 key_packet[GST_TFRC_KEY_PACKET_MAX_BYTES];
  guint32 words[1];
} RtcpBuffer;

/* @protect: the packet is RTCP, which leaves protected; otherwise a key packet.  Releases the lock
 * meanwhile. */
static void
send_packet (GstTfrcSrcStream *stream, const GstTfrcLocalPath *path,
    const GstTfrcAddress *destination, RtcpBuffer *buffer, gsize size, gboolean protect)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcSendItem item = { .data = buffer->bytes, .size = size };
  GstTfrcAddress to = *destination;
  GstTfrcEndpoint *endpoint = gst_tfrc_endpoint_ref (
      gst_tfrc_src_endpoints_get_at (&stream->endpoints, &path->local));
  gint error;

  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  if (protect)
    item.size = gst_tfrc_src_keys_protect (stream->keys, &to, buffer->bytes, size);
  /* An error does not matter: the next packet reports the same again. */
  if (item.size > 0)
    gst_tfrc_endpoint_send (endpoint, &to, path, &item, 1, &error);
  gst_tfrc_endpoint_unref (endpoint);
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
}

static void
send_over (GstTfrcSrcStream *stream, const GstTfrcLocalPath *path,
    const GstTfrcAddress *destination, RtcpBuffer *buffer, gsize size)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  send_packet (stream, path, destination, buffer, size, TRUE);
}

static gboolean
is_to_sender (const GstTfrcSrcStream *stream, const GstTfrcAddress *to)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  return stream->session
      && gst_tfrc_address_equal (to, gst_tfrc_reception_get_address (stream->session));
}

static void
send_to_sender (GstTfrcSrcStream *stream, RtcpBuffer *buffer, gsize size)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcLocalPath path = stream->paths.active;

  if (gst_tfrc_address_family (&path.local) == AF_UNSPEC)
    path.local = *gst_tfrc_reception_get_local (stream->session);
  send_over (stream, &path, gst_tfrc_reception_get_address (stream->session), buffer, size);
}

/* The response leaves from the address that was challenged.  The kernel chooses the interface,
 * unless the path is the active one. */
static void
send_response (GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  RtcpBuffer buffer;
  GstTfrcLocalPath path;
  gsize size = gst_tfrc_reception_write_response (
      stream->session, stream->ssrc, &path, buffer.bytes);

  if (size == 0 || !gst_tfrc_selection_may_send (stream->selection, size))
    return;
  if (path.interface != stream->paths.active.interface)
    path.interface = 0;
  send_over (stream, &path, gst_tfrc_reception_get_address (stream->session), &buffer, size);
}

static void
send_reports (GstTfrcSrcStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  RtcpBuffer buffer;
  gsize size;
  guint i;

  for (i = 0; stream->session && i < MAX_RTCP_IN_ONE_GO; i++) {
    size = gst_tfrc_reception_write (
        stream->session, stream->ssrc, stream->cname, now_ns, buffer.bytes);
    if (size == 0)
      break;
    /* A packet that may not be sent is lost, as one in the network. */
    if (gst_tfrc_selection_may_send (stream->selection, size))
      send_to_sender (stream, &buffer, size);
  }
}

static void
send_challenges (GstTfrcSrcStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  RtcpBuffer buffer;
  GstTfrcLocalPath path = { 0 };
  GstTfrcAddress to;
  gsize size;
  guint i;

  for (i = 0; i < MAX_RTCP_IN_ONE_GO; i++) {
    size = gst_tfrc_selection_write_challenge (
        stream->selection, stream->ssrc, now_ns, buffer.bytes, &to, &path.local);
    if (size == 0)
      break;
    if (is_to_sender (stream, &to) && gst_tfrc_address_family (&path.local) == AF_UNSPEC)
      send_to_sender (stream, &buffer, size);
    else
      send_over (stream, &path, &to, &buffer, size);
  }
}

static void
send_key_packets (GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  RtcpBuffer buffer;
  GstTfrcLocalPath path = { 0 };
  GstTfrcAddress to;
  gsize size;

  while ((size = gst_tfrc_src_keys_write (stream->keys, buffer.bytes, &to, &path.local)) > 0)
    send_packet (stream, &path, &to, &buffer, size, FALSE);
}

void
gst_tfrc_src_stream_send_rtcp (GstTfrcSrcStream *stream, guint64 now_ns)
{
  send_key_packets (stream);
  send_reports (stream, now_ns);
  /* After feedback, so that the sender hears first which path is active. */
  if (stream->session)
    send_response (stream);
  send_challenges (stream, now_ns);
}

void
gst_tfrc_src_stream_say_bye (GstTfrcSrcStream *stream)
{
  RtcpBuffer buffer;
  gsize size = tfrc_wire_write_bye (buffer.bytes, stream->ssrc, stream->cname);

  if (stream->session && gst_tfrc_reception_has_tfrc (stream->session)
      && gst_tfrc_selection_may_send (stream->selection, size))
    send_to_sender (stream, &buffer, size);
}
