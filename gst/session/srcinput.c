/* What arrives: who is heard, and what becomes of each packet, see
 * srcstream.h. */
#include "srcstream-private.h"

#define TS_PACKET_BYTES 188
#define TS_SYNC_BYTE 0x47

static GstTfrcSrcPacket *
new_packet (const GstTfrcReceivedPacket *received, const TfrcWireData *header)
{
  gsize size = header->header_bytes + header->payload_bytes;
  GstTfrcSrcPacket *packet = g_slice_new (GstTfrcSrcPacket);

  packet->buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_fill (packet->buffer, 0, received->data, size);
  packet->header_bytes = header->header_bytes;
  packet->payload_bytes = header->payload_bytes;
  return packet;
}

/* ---- who is heard ------------------------------------------------------ */

static gboolean
is_transport_stream (const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  return header->payload_type == TFRC_WIRE_PAYLOAD_TYPE && header->payload_bytes > 0
      && header->payload_bytes % TS_PACKET_BYTES == 0
      && packet->data[header->header_bytes] == TS_SYNC_BYTE;
}

static gboolean
start_session (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  GstTfrcSrcSession *session = gst_tfrc_src_session_new (packet->from, ssrc, &stream->receiver);

  if (session == NULL)
    return FALSE;
  if (stream->session)
    gst_tfrc_reorder_restart (&stream->queue);
  gst_tfrc_src_session_free (stream->session);
  stream->session = session;
  /* It knows nothing of a handover that another one was for. */
  if (!gst_tfrc_src_links_is_in_use (&stream->links, packet))
    gst_tfrc_src_stream_leave_link (stream, &packet->local);
  session->link = stream->links.number;
  return TRUE;
}

/* ---- packets ----------------------------------------------------------- */

/* @queued_ns: when the pipeline could have it, at the earliest */
static void
take_data (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, guint64 queued_ns)
{
  guint8 link = gst_tfrc_src_links_number_of (&stream->links, packet);
  TfrcArrival arrival;

  if (!gst_tfrc_src_session_on_data (stream->session, header, packet, link, &arrival)) {
    if (arrival.kind == TFRC_ARRIVAL_SUSPECT)
      gst_tfrc_reorder_hold (&stream->queue, new_packet (packet, header));
    return;
  }
  if (link != stream->links.number
      && gst_tfrc_src_session_handover_failed (stream->session, packet->arrival_ns))
    gst_tfrc_src_stream_leave_link (stream, &packet->local);
  if (arrival.kind == TFRC_ARRIVAL_RESTART)
    gst_tfrc_reorder_restart (&stream->queue);
  /* The packet that was held counts as arrived now: the pipeline could not have
   * taken it before. */
  if (arrival.confirms_previous)
    gst_tfrc_reorder_push_held (&stream->queue, arrival.seq - 1, queued_ns);
  if (arrival.kind != TFRC_ARRIVAL_DUPLICATE)
    gst_tfrc_reorder_push (&stream->queue, arrival.seq, queued_ns, new_packet (packet, header));
}

/* What has been kept of the new owner counts as come when it did; the pipeline
 * could not have it before now, so it must not look too old there. */
static void
take_held_packets (GstTfrcSrcStream *stream, GstTfrcSrcCandidate *candidate, guint64 now_ns)
{
  guint i;

  if (candidate->report.has_sr)
    gst_tfrc_src_session_on_rtcp (stream->session, &candidate->report, candidate->report_ns);
  for (i = 0; i < candidate->n_held; i++) {
    const GstTfrcSrcHeldPacket *held = gst_tfrc_src_candidate_get_held (candidate, i);

    take_data (stream, &held->packet, &held->header, now_ns);
  }
  gst_tfrc_src_candidates_release (candidate);
}

/* The stream may have ended, or another one may follow it. */
static void
follow_owner (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
{
  GstTfrcSrcOwnership *ownership = &stream->ownership;
  GstTfrcSrcCandidate *candidate;

  if (gst_tfrc_src_ownership_take_end (ownership))
    gst_tfrc_src_session_end (stream->session);
  candidate = gst_tfrc_src_ownership_take_successor (ownership, now_ns);
  if (candidate == NULL)
    return;
  if (start_session (
          stream, &gst_tfrc_src_candidate_get_held (candidate, 0)->packet, candidate->ssrc)) {
    take_held_packets (stream, candidate, now_ns);
    *new_sender = TRUE;
  } else {
    gst_tfrc_src_ownership_abandon (ownership);
    gst_tfrc_src_candidates_drop (&ownership->candidates, candidate);
  }
}

void
gst_tfrc_src_stream_on_time (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
{
  gst_tfrc_src_ownership_on_time (&stream->ownership, now_ns);
  follow_owner (stream, now_ns, new_sender);
}

static void
on_data (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet)
{
  TfrcWireData header;

  if (packet->truncated
      || tfrc_wire_parse_data (packet->data, packet->size, &header) != TFRC_WIRE_OK
      || !is_transport_stream (packet, &header)) {
    stream->malformed_packets++;
    return;
  }
  switch (gst_tfrc_src_ownership_on_data (&stream->ownership, packet, &header)) {
    case GST_TFRC_SRC_FOREIGN:
      stream->foreign_packets++;
      break;
    case GST_TFRC_SRC_NOTED:
      break;
    case GST_TFRC_SRC_OWNERS:
      take_data (stream, packet, &header, packet->arrival_ns);
      break;
  }
}

static void
on_owners_rtcp (
    GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  GstTfrcSrcSession *session = stream->session;

  if (session->ended) {
    gst_tfrc_src_session_end (session);
    return;
  }
  gst_tfrc_src_session_on_rtcp (session, rtcp, packet->arrival_ns);
  if (rtcp->has_challenge)
    gst_tfrc_src_session_on_challenge (session, rtcp, packet);
}

static void
on_rtcp (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet)
{
  guint64 rtt_ns = stream->session ? gst_tfrc_src_session_get_rtt_ns (stream->session) : 0;
  TfrcWireRtcp rtcp;

  if (packet->truncated
      || tfrc_wire_parse_rtcp (packet->data, packet->size, stream->ssrc, &rtcp) != TFRC_WIRE_OK) {
    stream->malformed_packets++;
    return;
  }
  switch (gst_tfrc_src_ownership_on_rtcp (&stream->ownership, packet, &rtcp, rtt_ns)) {
    case GST_TFRC_SRC_FOREIGN:
      stream->foreign_packets++;
      break;
    case GST_TFRC_SRC_NOTED:
      break;
    case GST_TFRC_SRC_OWNERS:
      on_owners_rtcp (stream, packet, &rtcp);
      break;
  }
}

void
gst_tfrc_src_stream_take (
    GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, gboolean *new_sender)
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
