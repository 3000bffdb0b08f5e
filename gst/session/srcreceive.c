/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receives the packets of a source's stream: which session a packet belongs to, and what becomes of
 * it. See srcstream-private.h. */
#include "srcstream-private.h"

#include "../common/clock.h"

#define TS_PACKET_BYTES 188
#define TS_SYNC_BYTE 0x47

/* Returns a packet for the queue, see srcstream-private.h. */
static GstBuffer *
new_packet (const GstTfrcReceivedPacket *received, const TfrcWireData *header)
{
  gsize size = header->header_bytes + header->payload_bytes;
  GstBuffer *packet = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_fill (packet, 0, received->data, size);
  GST_BUFFER_OFFSET (packet) = header->header_bytes;
  return packet;
}

/* A packet of an address that no sender may have passes as it is: the selection of the peer counts
 * and drops the packet. */
static gboolean
passes (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, gsize *size,
    const GstTfrcKeyTime *time)
{
  return !gst_tfrc_address_filter_allows (&stream->senders, packet->from)
      || gst_tfrc_src_keys_receive (stream->keys, packet, size, time);
}

guint
gst_tfrc_src_stream_unprotect (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packets,
    guint n, GstTfrcReceivedPacket *plain, guint64 now_ns)
{
  const GstTfrcKeyTime time = { now_ns, gst_tfrc_clock_wall_ns () };
  guint used = 0;

  for (guint i = 0; i < n; i++) {
    plain[used] = packets[i];
    if (passes (stream, &packets[i], &plain[used].size, &time))
      used++;
  }
  return used;
}

/* ---- sessions ---------------------------------------------------------- */

static gboolean
is_transport_stream (const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  return header->payload_type == TFRC_WIRE_PAYLOAD_TYPE && header->payload_bytes > 0
      && header->payload_bytes % TS_PACKET_BYTES == 0
      && packet->data[header->header_bytes] == TS_SYNC_BYTE;
}

/* Data comes to this local address although another path is active. */
static void
leave_path (GstTfrcSrcStream *stream, const GstTfrcAddress *local)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  gst_tfrc_src_paths_reset (&stream->paths);
  gst_tfrc_reception_set_local (stream->session, local);
  gst_tfrc_src_endpoints_go_back (&stream->endpoints, local);
}

static void
end_session (GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcReception *session = stream->session;
  GstTfrcReceptionStats stats;

  gst_tfrc_demux_remove (&stream->demux, gst_tfrc_reception_get_address (session),
      gst_tfrc_reception_get_ssrc (session));
  gst_tfrc_reception_get_stats (session, &stats);
  gst_tfrc_reception_add_counts (&stream->totals, &stats);
  gst_tfrc_reception_free (session);
  gst_tfrc_reorder_restart (stream->queue);
}

static gboolean
start_session (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, guint32 ssrc)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcReception *session = gst_tfrc_reception_new (packet->from, ssrc, &stream->receiver);

  if (session == NULL)
    return FALSE;
  if (stream->session)
    end_session (stream);
  stream->session = session;
  gst_tfrc_demux_add (&stream->demux, packet->from, ssrc, session);
  gst_tfrc_src_keys_set_peer (stream->keys, packet->from, ssrc);
  /* The session knows nothing of a handover of the session before. */
  if (!gst_tfrc_src_paths_is_active (&stream->paths, packet))
    leave_path (stream, &packet->local);
  gst_tfrc_reception_set_path_id (session, stream->paths.id);
  return TRUE;
}

/* ---- packets ----------------------------------------------------------- */

/* @queued_ns: when the pipeline could have the packet, at the earliest */
static void
take_data (GstTfrcSrcStream *stream, GstTfrcReception *session, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, guint64 queued_ns) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  guint8 path_id = gst_tfrc_src_paths_get_id (&stream->paths, packet);
  const GstTfrcRtpPlace *place;
  TfrcArrival arrival;
  guint64 due_ns;

  if (!gst_tfrc_reception_on_data (session, header, packet, path_id, &arrival)) {
    if (arrival.kind == TFRC_ARRIVAL_SUSPECT)
      gst_tfrc_reorder_hold (stream->queue, new_packet (packet, header));
    return;
  }
  if (path_id != stream->paths.id
      && gst_tfrc_reception_handover_failed (session, packet->arrival_ns))
    leave_path (stream, &packet->local);
  if (arrival.kind == TFRC_ARRIVAL_RESTART)
    gst_tfrc_reorder_restart (stream->queue);
  /* The packet that was held counts as arrived and due with this one, as the pipeline could not have
   * had it before. */
  place = gst_tfrc_reception_get_rtp_place (session);
  due_ns = gst_tfrc_reception_get_due_ns (session);
  if (place->is_previous_used)
    gst_tfrc_reorder_push_held (stream->queue, place->previous_seq, queued_ns, due_ns);
  if (place->is_used)
    gst_tfrc_reorder_push (
        stream->queue, place->seq, queued_ns, due_ns, new_packet (packet, header));
  else if (arrival.kind != TFRC_ARRIVAL_DUPLICATE)
    gst_tfrc_demux_count_malformed (&stream->demux); /* an RTP number that cannot be true */
}

/* For TFRC the packets of the new peer have come when they did.  For the queue they come now: the
 * pipeline could not have had them before. */
static void
take_held_packets (GstTfrcSrcStream *stream, const GstTfrcPendingPeer *sender, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  guint i;

  if (sender->report.has_sr)
    gst_tfrc_reception_on_rtcp (stream->session, &sender->report, sender->report_ns);
  for (i = 0; i < sender->n_held; i++) {
    const GstTfrcHeldPacket *held = gst_tfrc_pending_get_held (sender, i);

    take_data (stream, stream->session, &held->packet, &held->header, now_ns);
  }
  gst_tfrc_selection_release (stream->selection, sender);
}

/* The peer's stream may have ended, or another sender may be the peer now. */
static void
follow_peer (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcSelection *selection = stream->selection;
  const GstTfrcPendingPeer *sender;

  if (gst_tfrc_selection_take_end (selection))
    gst_tfrc_reception_end (stream->session);
  sender = gst_tfrc_selection_take_new_peer (selection, now_ns);
  if (sender == NULL)
    return;
  if (start_session (stream, &gst_tfrc_pending_get_held (sender, 0)->packet, sender->id.ssrc)) {
    take_held_packets (stream, sender, now_ns);
    *new_sender = TRUE;
  } else {
    gst_tfrc_selection_drop_peer (selection, sender);
  }
}

/* Returns R of the peer's stream, 0: unknown. */
static guint64
get_rtt_ns (const GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  return stream->session ? gst_tfrc_reception_get_rtt_ns (stream->session) : 0;
}

void
gst_tfrc_src_stream_on_time (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
{
  gst_tfrc_selection_on_time (stream->selection, get_rtt_ns (stream), now_ns);
  follow_peer (stream, now_ns, new_sender);
}

/* Returns the session that a packet belongs to; NULL: none, which is counted, or the selection has
 * used the packet. */
static GstTfrcReception *
find_session (GstTfrcSrcStream *stream, GstTfrcVerdict verdict, const GstTfrcReceivedPacket *packet,
    guint32 ssrc) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcReception *session = NULL;

  switch (verdict) {
    case GST_TFRC_VERDICT_HANDLED:
      return NULL;
    case GST_TFRC_VERDICT_PEER:
      session = gst_tfrc_demux_find (&stream->demux, packet->from, ssrc);
      break;
    case GST_TFRC_VERDICT_FOREIGN:
      break;
  }
  if (session == NULL)
    gst_tfrc_demux_count_foreign (&stream->demux);
  return session;
}

static void
on_data (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  GstTfrcReception *session;
  TfrcWireData header;

  if (packet->truncated
      || tfrc_wire_parse_data (packet->data, packet->size, &header) != TFRC_WIRE_OK
      || !is_transport_stream (packet, &header)) {
    gst_tfrc_demux_count_malformed (&stream->demux);
    return;
  }
  session = find_session (
      stream, gst_tfrc_selection_on_data (stream->selection, packet, &header), packet, header.ssrc);
  if (session)
    take_data (stream, session, packet, &header, packet->arrival_ns);
}

static void
take_rtcp (GstTfrcReception *session, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  if (gst_tfrc_reception_has_ended (session)) {
    gst_tfrc_reception_end (session);
    return;
  }
  gst_tfrc_reception_on_rtcp (session, rtcp, packet->arrival_ns);
  if (rtcp->has_challenge)
    gst_tfrc_reception_on_challenge (session, rtcp, packet);
}

static void
on_rtcp (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  guint64 rtt_ns = get_rtt_ns (stream);
  GstTfrcReception *session;
  TfrcWireRtcp rtcp;

  if (packet->truncated
      || tfrc_wire_parse_rtcp (packet->data, packet->size, stream->ssrc, &rtcp) != TFRC_WIRE_OK) {
    gst_tfrc_demux_count_malformed (&stream->demux);
    return;
  }
  session = find_session (stream,
      gst_tfrc_selection_on_rtcp (stream->selection, packet, &rtcp, rtt_ns), packet,
      rtcp.sender_ssrc);
  if (session)
    take_rtcp (session, packet, &rtcp);
}

void
gst_tfrc_src_stream_receive (
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
      gst_tfrc_demux_count_malformed (&stream->demux);
      break;
  }
  follow_peer (stream, packet->arrival_ns, new_sender);
}
