/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both sessions of a stream send to each other through a network of fixed delay, in virtual
 * time. */
#ifndef SESSIONTEST_H
#define SESSIONTEST_H

#include "sessionteststate.h"

/* Replaces the sender by a sender with this configuration. Its reports leave at the same times in each run. */
static inline void
session_test_restart_sink (SessionTest *t, const GstTfrcSendSessionConfig *config)
{
  guint32 *seed = &t->config.media.streams[GST_TFRC_RTP_MEDIA].report_seed;

  gst_tfrc_send_session_free (t->sink);
  t->config = *config;
  t->config.events = &t->sink_waiting;
  *seed = MAX (*seed, 1);
  t->sink = gst_tfrc_send_session_new (&t->config);
  fail_unless (t->sink != NULL);
}

static inline void
session_test_init (SessionTest *t)
{
  GstTfrcClockMap map;

  memset (t, 0, sizeof *t);
  session_test_restart_sink (t, &(GstTfrcSendSessionConfig){ .media.ttl = 0 });
  t->pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&t->entries, NULL, NULL);
  set_rate_limits_Bps (t->sink, 0, MAX_RATE_BPS);
  /* Sender reports read the system's clocks, so virtual time begins at their time. */
  gst_tfrc_clock_map_init (&map);
  t->now_ns = map.now_ns;
  t->wall_offset_ns = map.wall_ns - map.now_ns;
  t->now_ns -= t->now_ns % US;
  t->delay_ns = DELAY;
  t->drop_from = t->drop_to = NEVER;
}

static inline void
session_test_clear (SessionTest *t)
{
  gst_tfrc_send_session_free (t->sink);
  gst_tfrc_outgoing_pool_clear (&t->entries);
  gst_tfrc_packet_pool_free (t->pool);
  gst_tfrc_reception_free (t->src);
  gst_tfrc_events_clear (&t->sink_waiting);
  gst_tfrc_events_clear (&t->src_waiting);
  g_queue_clear_full (&t->network, g_free);
}

static inline GstTfrcReceivedPacket
received_from (SessionTest *t, const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = { 0 };

  packet.data = data;
  packet.size = size;
  packet.from = from;
  packet.arrival_ns = t->now_ns;
  packet.arrival_wall_ns = t->now_ns + t->wall_offset_ns;
  packet.ttl = 60;
  return packet;
}

static inline GstTfrcReceivedPacket
received (SessionTest *t, guint8 *data, gsize size)
{
  static const GstTfrcAddress nowhere;

  return received_from (t, &nowhere, data, size);
}

static inline gint
compare_arrivals (gconstpointer a, gconstpointer b, gpointer unused)
{
  const InFlight *first = a, *second = b;

  return first->arrival_ns > second->arrival_ns ? 1 : -1;
}

/* @address: the destination, or the source if the packet goes to the sender */
static inline void
transmit_by (
    SessionTest *t, gboolean to_src, const GstTfrcAddress *address, const guint8 *data, gsize size)
{
  InFlight *packet = g_new0 (InFlight, 1);

  packet->arrival_ns = t->now_ns + (t->delay_of ? t->delay_of (address) : t->delay_ns);
  packet->to_src = to_src;
  packet->address = *address;
  packet->size = size;
  packet->ecn = t->leaving_ecn;
  memcpy (packet->data, data, size);
  g_queue_insert_sorted (&t->network, packet, compare_arrivals, NULL);
}

static inline void
transmit (SessionTest *t, gboolean to_src, const guint8 *data, gsize size)
{
  if (!to_src && t->overhear)
    t->overhear (t, data, size);
  transmit_by (t, to_src, to_src ? peer_of (t->sink) : &t->address, data, size);
}

/* ---- the sender ---------------------------------------------------------- */

/* Returns a packet of zeros without a number, of this RTP stream. */
static inline GstTfrcOutgoing *
new_packet_of (SessionTest *t, guint stream)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (t->pool);
  GstTfrcOutgoing *outgoing;

  memset (gst_tfrc_packet_payload (packet), 0, SEGMENT);
  gst_tfrc_packet_set_payload_bytes (packet, SEGMENT);
  outgoing = gst_tfrc_outgoing_new (&t->entries, packet, stream);
  gst_tfrc_outgoing_set_due_ns (outgoing, t->now_ns - t->sender_delay_ns);
  return outgoing;
}

static inline GstTfrcOutgoing *
new_packet (SessionTest *t)
{
  return new_packet_of (t, GST_TFRC_RTP_MEDIA);
}

/* Puts the datagram of a prepared packet together in t->datagram. Returns its size. */
static inline gsize
get_datagram (SessionTest *t, GstTfrcOutgoing *outgoing)
{
  const GstTfrcPacket *packet = gst_tfrc_outgoing_get_packet (outgoing);
  gsize size, payload_bytes = gst_tfrc_packet_get_payload_bytes (packet);
  const guint8 *head = gst_tfrc_outgoing_get_head (outgoing, &size);

  memcpy (t->datagram, head, size);
  if (gst_tfrc_outgoing_is_sealed (outgoing))
    return size;
  memcpy (t->datagram + size, gst_tfrc_packet_get_payload (packet), payload_bytes);
  return size + payload_bytes;
}

/* Reads the header of a prepared packet. */
static inline TfrcWireData
get_header (SessionTest *t, GstTfrcOutgoing *outgoing)
{
  TfrcWireData header;

  fail_unless_equals_int (
      tfrc_wire_parse_data (t->datagram, get_datagram (t, outgoing), &header), TFRC_WIRE_OK);
  return header;
}

/* Seals a packet as whoever sends it does. Returns FALSE if the protector refuses the packet. */
static inline gboolean
seal (SessionTest *t, GstTfrcOutgoing *outgoing)
{
  const GstTfrcProtector *protector = gst_tfrc_rtp_stream_get_protector (
      gst_tfrc_send_media_get_rtp (
          gst_tfrc_send_session_get_media (t->sink), gst_tfrc_outgoing_get_stream (outgoing)));
  gsize size;

  if (gst_tfrc_outgoing_is_sealed (outgoing))
    return TRUE;
  size = protector->protect (protector->user, t->datagram, get_datagram (t, outgoing));
  if (size > 0)
    gst_tfrc_outgoing_seal (outgoing, t->datagram, size);
  return size > 0;
}

/* Sends this packet. The sender allows a packet now. */
static inline void
send_packet (SessionTest *t, GstTfrcOutgoing *outgoing)
{
  guint64 number = t->data_sent;

  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t->sink, outgoing, t->now_ns), GST_TFRC_PREPARED);
  t->header = get_header (t, outgoing);
  t->data_sent++;
  t->leaving_ecn = gst_tfrc_outgoing_get_ecn (outgoing);
  if (number < t->drop_from || number >= t->drop_to)
    transmit (t, TRUE, t->datagram, get_datagram (t, outgoing));
  t->leaving_ecn = TFRC_ECN_FIELD_NOT_ECT;
}

/* Sends a new packet. The sender allows a packet now. */
static inline void
send_data (SessionTest *t)
{
  GstTfrcOutgoing *outgoing = new_packet (t);

  send_packet (t, outgoing);
  fail_unless (t->header.header_bytes == TFRC_WIRE_HEADER_BYTES
      || (t->header.header_bytes == TFRC_WIRE_FLAGS_HEADER_BYTES
          && (t->link != 0 || t->config.media.adaptive_ttl.enabled))
      || t->config.media.transport_seq == GST_TFRC_TRANSPORT_SEQ_ALWAYS
      || t->header.has_transport_seq);
  fail_unless_equals_int (t->header.payload_bytes, SEGMENT);
  gst_tfrc_outgoing_free (outgoing);
  t->backlog--;
}

static inline void
serve_sink (SessionTest *t)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  guint8 challenge[GST_TFRC_SEND_CHALLENGE_BYTES];
  GstTfrcAddress to, local;
  gsize size;

  gst_tfrc_send_session_on_time (t->sink, t->now_ns);
  while (t->backlog > 0 && gst_tfrc_rate_control_next_send_ns (control_of (t->sink)) <= t->now_ns)
    send_data (t);
  while ((size = gst_tfrc_send_session_write_challenge (t->sink, t->now_ns, challenge, &to, &local))
      > 0)
    transmit_by (t, TRUE, &to, challenge, size);
  size = gst_tfrc_send_session_write_rtcp (t->sink, t->now_ns, buffer);
  if (size == 0)
    return;
  fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer, size, 0, &t->sr), TFRC_WIRE_OK);
  fail_unless (t->sr.has_sr);
  if (t->srs > 0)
    t->longest_sr_ns = MAX (t->longest_sr_ns, t->now_ns - t->sr_ns);
  t->sr_ns = t->now_ns;
  t->srs++;
  transmit (t, TRUE, buffer, size);
}

/* ---- the receiver -------------------------------------------------------- */

static inline void
note_report (SessionTest *t, const TfrcWireRtcp *rtcp)
{
  if (rtcp->has_feedback) {
    t->feedback = *rtcp;
    t->feedbacks++;
  }
  if (rtcp->has_rr && !rtcp->has_bye) {
    t->rr = *rtcp;
    if (t->rrs > 0)
      t->longest_rr_ns = MAX (t->longest_rr_ns, t->now_ns - t->rr_ns);
    t->rr_ns = t->now_ns;
    t->rrs++;
  }
}

static inline void
serve_src (SessionTest *t)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;
  GstTfrcLocalPath link;
  gsize size;

  while (t->src
      && (size = gst_tfrc_reception_write (t->src, own_ssrc_of (t), "test", t->now_ns, buffer))
          > 0) {
    fail_unless_equals_int (
        tfrc_wire_parse_rtcp (buffer, size, gst_tfrc_reception_get_ssrc (t->src), &rtcp),
        TFRC_WIRE_OK);
    fail_unless_equals_int (rtcp.sender_ssrc, own_ssrc_of (t));
    note_report (t, &rtcp);
    if (rtcp.has_feedback && t->lose_feedbacks > 0)
      t->lose_feedbacks--;
    else if (!t->deaf)
      transmit (t, FALSE, buffer, size);
  }
  while (t->src
      && (size = gst_tfrc_reception_write_response (t->src, own_ssrc_of (t), &link, buffer)) > 0)
    transmit (t, FALSE, buffer, size);
}

static inline GstTfrcReceptionStats
src_stats (const SessionTest *t)
{
  GstTfrcReceptionStats stats;

  gst_tfrc_reception_get_stats (t->src, &stats);
  return stats;
}

/* Jitter in units of the time stamps */
static inline gdouble
src_jitter (const SessionTest *t)
{
  return src_stats (t).jitter_ns * TFRC_WIRE_CLOCK_RATE / 1e9;
}

static inline void
src_receives (SessionTest *t, const GstTfrcReceivedPacket *packet)
{
  TfrcWireData header;
  TfrcWireRtcp rtcp;
  TfrcArrival arrival;

  if (tfrc_wire_classify (packet->data, packet->size) == TFRC_WIRE_KIND_DATA) {
    fail_unless_equals_int (
        tfrc_wire_parse_data (packet->data, packet->size, &header), TFRC_WIRE_OK);
    if (t->src == NULL)
      t->src = gst_tfrc_reception_new (packet->from, header.ssrc, NULL, &t->src_waiting);
    /* The first packet after an outage is used with the second packet. */
    if (gst_tfrc_reception_on_data (t->src, &header, packet, t->link, &arrival))
      t->data_received += 1 + arrival.confirms_previous;
    else
      fail_unless_equals_int (arrival.kind, TFRC_ARRIVAL_SUSPECT);
  } else if (t->src) {
    fail_unless_equals_int (
        tfrc_wire_parse_rtcp (packet->data, packet->size, own_ssrc_of (t), &rtcp), TFRC_WIRE_OK);
    t->byes += rtcp.has_bye;
    if (rtcp.has_challenge && !t->is_old_peer)
      gst_tfrc_reception_on_challenge (t->src, &rtcp, packet);
    gst_tfrc_reception_on_rtcp (t->src, &rtcp, packet->arrival_ns);
    if (rtcp.has_bye)
      gst_tfrc_reception_end (t->src);
  }
}

/* Fills in what the path has made of the ECN field. Returns FALSE if the packet dies. */
static inline gboolean
survives_ecn (SessionTest *t, const InFlight *packet, GstTfrcReceivedPacket *arrived)
{
  gint ecn;

  if (!packet->to_src || t->arrival_ecn == NULL)
    return TRUE;
  ecn = t->arrival_ecn (t, packet->ecn);
  arrived->has_ecn = TRUE;
  arrived->ecn = (guint8) MAX (ecn, 0);
  return ecn >= 0;
}

/* ---- time ---------------------------------------------------------------- */

static inline guint64
next_event_ns (const SessionTest *t)
{
  const InFlight *first = g_queue_peek_head ((GQueue *) &t->network);
  guint64 next_ns = gst_tfrc_send_session_next_timer (t->sink).due_ns;

  if (first)
    next_ns = MIN (next_ns, first->arrival_ns);
  if (t->src)
    next_ns = MIN (next_ns, gst_tfrc_reception_next_ns (t->src));
  if (t->backlog > 0)
    next_ns = MIN (next_ns, gst_tfrc_rate_control_next_send_ns (control_of (t->sink)));
  return next_ns;
}

/* Checks what always holds in the state machines of the sender. */
static inline void
check_sink (const SessionTest *t)
{
  const gchar *broken = gst_tfrc_receiver_view_check (receiver_of (t->sink));

  if (broken == NULL)
    broken = gst_tfrc_send_paths_check (paths_of (t->sink));
  if (broken == NULL)
    broken = gst_tfrc_send_handover_check (gst_tfrc_send_session_get_handover (t->sink));
  fail_unless (broken == NULL, "%s", broken);
}

static inline void
serve_all (SessionTest *t)
{
  InFlight *packet = g_queue_peek_head (&t->network);

  if (packet && packet->arrival_ns <= t->now_ns) {
    GstTfrcReceivedPacket arrived = received_from (t, &packet->address, packet->data, packet->size);

    g_queue_pop_head (&t->network);
    if (packet->to_src && t->arrival_ttl)
      arrived.ttl = t->arrival_ttl (t, packet);
    if (packet->to_src && !gst_tfrc_address_equal (&packet->address, &t->address))
      t->elsewhere (t, packet);
    else if (packet->to_src && arrived.ttl > 0 && survives_ecn (t, packet, &arrived))
      src_receives (t, &arrived);
    else if (!packet->to_src)
      t->rtcp_results[gst_tfrc_send_session_on_rtcp (t->sink, &arrived)]++;
    g_free (packet);
  }
  check_sink (t);
  serve_sink (t);
  serve_src (t);
  check_sink (t);
}

/* Lets time pass until its end. Packets that are due at the end have left. */
static inline void
run (SessionTest *t, guint64 duration_ns)
{
  guint64 end_ns = t->now_ns + duration_ns, next_ns;
  guint events = 0;

  while ((next_ns = next_event_ns (t)) <= end_ns) {
    t->now_ns = MAX (t->now_ns, next_ns);
    serve_all (t);
    fail_unless (++events < 1000000, "this never ends");
  }
  t->now_ns = end_ns;
}

/* Runs until a report of the sender has just left: the next one leaves 1.95 s later, or later still. */
static inline void
run_to_report (SessionTest *t)
{
  guint srs = t->srs;

  while (t->srs == srs)
    run (t, MS);
}

/* Runs a stream until both ends know each other and no packet is in the network. */
static inline void
session_test_connect (SessionTest *t)
{
  t->backlog = 5;
  run (t, 4 * S - 500 * MS);
  while (!g_queue_is_empty (&t->network))
    run (t, MS);
  fail_unless_equals_int (t->backlog, 0);
  fail_unless_equals_int (peer_state_of (t->sink), GST_TFRC_PEER_CONNECTED);
  fail_unless (g_queue_is_empty (&t->network));
}

static inline TfrcSenderStats
sender_stats (const SessionTest *t)
{
  TfrcSenderStats stats;

  gst_tfrc_rate_control_get_stats (control_of (t->sink), &stats);
  return stats;
}

#endif
