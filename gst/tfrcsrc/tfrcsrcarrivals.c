/* What arrives: who is heard, and what becomes of each packet, see
 * tfrcsrcstream.h. */
#include "tfrcsrcstream-private.h"

#define TS_PACKET_BYTES 188
#define TS_SYNC_BYTE 0x47

static TfrcSrcPacket *
new_packet (const TfrcReceivedPacket *received, const TfrcWireData *header)
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
is_transport_stream (const TfrcReceivedPacket *packet, const TfrcWireData *header)
{
  return header->payload_type == TFRC_WIRE_PAYLOAD_TYPE && header->payload_bytes > 0
      && header->payload_bytes % TS_PACKET_BYTES == 0
      && packet->data[header->header_bytes] == TS_SYNC_BYTE;
}

static gboolean
start_session (TfrcSrcStream *stream, const TfrcReceivedPacket *packet, guint32 ssrc)
{
  TfrcSrcSession *session = tfrc_src_session_new (packet->from, ssrc, &stream->receiver);

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
take_data (TfrcSrcStream *stream, const TfrcReceivedPacket *packet, const TfrcWireData *header,
    guint64 queued_ns)
{
  guint8 link = tfrc_src_links_number_of (&stream->links, packet);
  TfrcArrival arrival;

  if (!tfrc_src_session_on_data (stream->session, header, packet, link, &arrival)) {
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
    tfrc_reorder_push (&stream->queue, arrival.seq, queued_ns, new_packet (packet, header));
}

/* What has been kept of the new owner counts as come when it did; the pipeline
 * could not have it before now, so it must not look too old there. */
static void
take_held_packets (TfrcSrcStream *stream, TfrcSrcCandidate *candidate, guint64 now_ns)
{
  guint i;

  if (candidate->report.has_sr)
    tfrc_src_session_on_rtcp (stream->session, &candidate->report, candidate->report_ns);
  for (i = 0; i < candidate->n_held; i++) {
    const TfrcSrcHeldPacket *held = tfrc_src_candidate_get_held (candidate, i);

    take_data (stream, &held->packet, &held->header, now_ns);
  }
  tfrc_src_candidates_release (candidate);
}

/* The stream may have ended, or another one may follow it. */
static void
follow_owner (TfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
{
  TfrcSrcOwnership *ownership = &stream->ownership;
  TfrcSrcCandidate *candidate;

  if (tfrc_src_ownership_take_end (ownership))
    tfrc_src_session_end (stream->session);
  candidate = tfrc_src_ownership_take_successor (ownership, now_ns);
  if (candidate == NULL)
    return;
  if (start_session (
          stream, &tfrc_src_candidate_get_held (candidate, 0)->packet, candidate->ssrc)) {
    take_held_packets (stream, candidate, now_ns);
    *new_sender = TRUE;
  } else {
    tfrc_src_ownership_abandon (ownership);
    tfrc_src_candidates_drop (&ownership->candidates, candidate);
  }
}

void
tfrc_src_stream_on_time (TfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
{
  tfrc_src_ownership_on_time (&stream->ownership, now_ns);
  follow_owner (stream, now_ns, new_sender);
}

static void
on_data (TfrcSrcStream *stream, const TfrcReceivedPacket *packet)
{
  TfrcWireData header;

  if (packet->truncated
      || tfrc_wire_parse_data (packet->data, packet->size, &header) != TFRC_WIRE_OK
      || !is_transport_stream (packet, &header)) {
    stream->malformed_packets++;
    return;
  }
  switch (tfrc_src_ownership_on_data (&stream->ownership, packet, &header)) {
    case TFRC_SRC_FOREIGN:
      stream->foreign_packets++;
      break;
    case TFRC_SRC_NOTED:
      break;
    case TFRC_SRC_OWNERS:
      take_data (stream, packet, &header, packet->arrival_ns);
      break;
  }
}

static void
on_owners_rtcp (TfrcSrcStream *stream, const TfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  TfrcSrcSession *session = stream->session;

  if (session->ended) {
    tfrc_src_session_end (session);
    return;
  }
  tfrc_src_session_on_rtcp (session, rtcp, packet->arrival_ns);
  if (rtcp->has_challenge)
    tfrc_src_session_on_challenge (session, rtcp, packet);
}

static void
on_rtcp (TfrcSrcStream *stream, const TfrcReceivedPacket *packet)
{
  guint64 rtt_ns = stream->session ? tfrc_src_session_get_rtt_ns (stream->session) : 0;
  TfrcWireRtcp rtcp;

  if (packet->truncated
      || tfrc_wire_parse_rtcp (packet->data, packet->size, stream->ssrc, &rtcp) != TFRC_WIRE_OK) {
    stream->malformed_packets++;
    return;
  }
  switch (tfrc_src_ownership_on_rtcp (&stream->ownership, packet, &rtcp, rtt_ns)) {
    case TFRC_SRC_FOREIGN:
      stream->foreign_packets++;
      break;
    case TFRC_SRC_NOTED:
      break;
    case TFRC_SRC_OWNERS:
      on_owners_rtcp (stream, packet, &rtcp);
      break;
  }
}

void
tfrc_src_stream_take (TfrcSrcStream *stream, const TfrcReceivedPacket *packet, gboolean *new_sender)
{
  switch (tfrc_wire_classify (packet->data, packet->size)) {
    case TFRC_WIRE_KIND_DATA:
      on_data (stream, packet);
      break;
    case TFRC_WIRE_KIND_RTCP:
      on_rtcp (stream, packet);
      break;
    case TFRC_WIRE_KIND_NONE:
      stream->malformed_packets++;
      break;
  }
  follow_owner (stream, packet->arrival_ns, new_sender);
}
