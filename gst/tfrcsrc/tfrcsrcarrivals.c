/* What arrives: who is heard, and what becomes of each packet, see
 * tfrcsrcstream.h. */
#include "tfrcsrcstream-private.h"

#define TS_PACKET_BYTES 188
#define TS_SYNC_BYTE 0x47

static TfrcSrcPacket *
new_packet (const TfrcReceivedPacket * received, const TfrcWireData * header)
{
  gsize size = header->header_bytes + header->payload_bytes;
  TfrcSrcPacket *packet = g_slice_new (TfrcSrcPacket);

  packet->buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_fill (packet->buffer, 0, received->data, size);
  packet->header_bytes = header->header_bytes;
  packet->payload_bytes = header->payload_bytes;
  return packet;
}

/* ---- who is heard ------------------------------------------------------ */

static gboolean
is_transport_stream (const TfrcReceivedPacket * packet,
    const TfrcWireData * header)
{
  return header->payload_type == TFRC_WIRE_PAYLOAD_TYPE
      && header->payload_bytes > 0
      && header->payload_bytes % TS_PACKET_BYTES == 0
      && packet->data[header->header_bytes] == TS_SYNC_BYTE;
}

/* One port carries one stream: that of the first sender, until it has ended or
 * has long been silent.  That goes for the same address as well: whose packets
 * have it nobody knows. */
static gboolean
has_given_way (const TfrcSrcStream * stream, const TfrcReceivedPacket * packet)
{
  const TfrcSrcSession *session = stream->session;

  if (session == NULL)
    return TRUE;
  if (session->ended)
    return stream->keep_listening;
  return packet->arrival_ns > session->heard_ns + TFRC_SRC_TAKEOVER_NS;
}

/* Unless it has ended the next one is on probation first: a sender that has
 * restarted even before, as its first packet may have overtaken the BYE. */
static gboolean
may_be_on_probation (const TfrcSrcStream * stream,
    const TfrcReceivedPacket * packet)
{
  return has_given_way (stream, packet) || (!stream->session->ended
      && tfrc_address_equal (&stream->session->address, packet->from));
}

static gboolean
is_from_sender (const TfrcSrcStream * stream,
    const TfrcReceivedPacket * packet, guint32 ssrc)
{
  return stream->session && stream->session->ssrc == ssrc
      && tfrc_address_equal (&stream->session->address, packet->from);
}

static gboolean
start_session (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    guint32 ssrc)
{
  TfrcSrcSession *session = tfrc_src_session_new (packet->from, ssrc,
      &stream->receiver);

  if (session == NULL)
    return FALSE;
  if (stream->session)
    tfrc_reorder_restart (&stream->queue);
  tfrc_src_session_free (stream->session);
  stream->session = session;
  /* It knows nothing of a handover that another one was for. */
  if (!tfrc_src_links_is_in_use (&stream->links, packet))
    tfrc_src_stream_leave_link (stream, &packet->local);
  session->link = stream->links.number;
  return TRUE;
}

/* ---- packets ----------------------------------------------------------- */

/* @queued_ns: when the pipeline could have it, at the earliest */
static void
take_data (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    const TfrcWireData * header, guint64 queued_ns)
{
  guint8 link = tfrc_src_links_number_of (&stream->links, packet);
  TfrcArrival arrival;

  if (!tfrc_src_session_on_data (stream->session, header, packet, link,
          &arrival)) {
    if (arrival.kind == TFRC_ARRIVAL_SUSPECT)
      tfrc_reorder_hold (&stream->queue, new_packet (packet, header));
    return;
  }
  if (link != stream->links.number
      && tfrc_src_session_handover_failed (stream->session, packet->arrival_ns))
    tfrc_src_stream_leave_link (stream, &packet->local);
  if (arrival.kind == TFRC_ARRIVAL_RESTART)
    tfrc_reorder_restart (&stream->queue);
  /* The packet that was held counts as arrived now: the pipeline could not have
   * taken it before. */
  if (arrival.confirms_previous)
    tfrc_reorder_push_held (&stream->queue, arrival.seq - 1, queued_ns);
  if (arrival.kind != TFRC_ARRIVAL_DUPLICATE)
    tfrc_reorder_push (&stream->queue, arrival.seq, queued_ns,
        new_packet (packet, header));
}

/* A packet of another stream: FALSE if this one does not begin, or not yet. */
static gboolean
take_over (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    const TfrcWireData * header)
{
  TfrcProbation *probation = &stream->probation;
  gboolean passed = has_given_way (stream, packet)
      && tfrc_probation_is_passed (probation, packet, header);

  if (!may_be_on_probation (stream, packet)) {
    stream->foreign_packets++;
    return FALSE;
  }
  if (probation->holds && !passed)
    stream->foreign_packets++;  /* the one that is held */
  if (stream->session && !stream->session->ended && !passed) {
    tfrc_probation_hold (probation, packet, header);
    return FALSE;
  }
  probation->holds = FALSE;
  if (!start_session (stream, packet, header->ssrc)) {
    stream->foreign_packets++;
    return FALSE;
  }
  /* The pipeline could not have it before: what is waiting for it then must not
   * make it too old. */
  if (passed)
    take_data (stream, &probation->packet, &probation->header,
        packet->arrival_ns);
  return TRUE;
}

static void
on_data (TfrcSrcStream * stream, const TfrcReceivedPacket * packet,
    gboolean * new_sender)
{
  TfrcWireData header;

  if (packet->truncated || tfrc_wire_parse_data (packet->data, packet->size,
          &header) != TFRC_WIRE_OK || !is_transport_stream (packet, &header)) {
    stream->malformed_packets++;
    return;
  }
  if (!is_from_sender (stream, packet, header.ssrc)) {
    if (!take_over (stream, packet, &header))
      return;
    *new_sender = TRUE;
  }
  take_data (stream, packet, &header, packet->arrival_ns);
}

static void
on_rtcp (TfrcSrcStream * stream, const TfrcReceivedPacket * packet)
{
  TfrcWireRtcp rtcp;

  if (packet->truncated || tfrc_wire_parse_rtcp (packet->data, packet->size,
          stream->ssrc, &rtcp) != TFRC_WIRE_OK)
    stream->malformed_packets++;
  else if (!is_from_sender (stream, packet, rtcp.sender_ssrc))
    stream->foreign_packets++;
  else {
    tfrc_src_session_on_rtcp (stream->session, &rtcp, packet->arrival_ns);
    if (rtcp.has_challenge)
      tfrc_src_session_on_challenge (stream->session, &rtcp, packet);
  }
}

void
tfrc_src_stream_take (TfrcSrcStream * stream,
    const TfrcReceivedPacket * packet, gboolean * new_sender)
{
  switch (tfrc_wire_classify (packet->data, packet->size)) {
    case TFRC_WIRE_KIND_DATA:
      on_data (stream, packet, new_sender);
      break;
    case TFRC_WIRE_KIND_RTCP:
      on_rtcp (stream, packet);
      break;
    case TFRC_WIRE_KIND_NONE:
      stream->malformed_packets++;
      break;
  }
}
