/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of a receiver, see receiveflow.h. */
#include "receiveflow.h"

#include <string.h>

#include "../common/log.h"
#include "peerpackets.h"
#include "receiverturn.h"

struct _GstTfrcReceiveFlow
{
  GstTfrcFlow base; /* the first field */
  guint32 ssrc;     /* our own */
  gchar cname[24];
  gboolean keep_listening;
  guint64 timeout_ns; /* silence after which the sender is lost; 0: never */
  TfrcReceiverConfig receiver;
  GstTfrcAddressFilter senders; /* whose packets are taken */
  guint64 (*wall_ns) (void);

  GstTfrcEvents events; /* for the application */
  GstTfrcSrcKeys *keys;
  GstTfrcSelection *selection;
  GstTfrcIntake *intake; /* of the peer, or of the last one */
  GstTfrcPeerPackets peer_packets;

  gboolean sender_is_lost;
  guint64 foreign, malformed; /* packets */
  GstTfrcUdpTs udp_ts;

  GstTfrcReceiverTurn turn;
};

static void
count_malformed (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *packet, const gchar *reason)
{
  self->malformed++;
  if (gst_tfrc_log_counts (self->malformed))
    gst_tfrc_log (flow, DEBUG, "malformed packet number %" G_GUINT64_FORMAT " from %s: %s",
        self->malformed, GST_TFRC_ADDRESS_TEXT (packet->from), reason);
  if (gst_tfrc_udp_ts_count_other (&self->udp_ts, packet))
    gst_tfrc_events_add_kind (&self->events, GST_TFRC_EVENT_OTHER_PACKETS);
}

static GstTfrcReception *
reception (const GstTfrcReceiveFlow *self)
{
  return gst_tfrc_intake_get_reception (self->intake);
}

static gboolean
has_ended (const GstTfrcReceiveFlow *self)
{
  return gst_tfrc_intake_has_ended (self->intake);
}

/* Returns R of the peer's stream, 0: unknown. */
static guint64
get_rtt_ns (const GstTfrcReceiveFlow *self)
{
  return reception (self) ? gst_tfrc_reception_get_rtt_ns (reception (self)) : 0;
}

/* ---- timers ---------------------------------------------------------------- */

/* Feedback, reports and requests. Without credit none is due: the packet that brings credit makes a turn of its own. */
static guint64
rtcp_ns (gconstpointer flow)
{
  const GstTfrcReceiveFlow *self = flow;

  if (reception (self) == NULL || !gst_tfrc_selection_has_credit (self->selection))
    return G_MAXUINT64;
  return MIN (gst_tfrc_reception_next_ns (reception (self)),
      gst_tfrc_intake_requests_ns (
          self->intake, gst_tfrc_peer_packets_get_rtcp (&self->peer_packets) != NULL));
}

/* A turn has left some for the next one. */
static guint64
responses_ns (gconstpointer flow)
{
  const GstTfrcReceiveFlow *self = flow;

  return reception (self) && gst_tfrc_reception_owes_response (reception (self)) ? 0 : G_MAXUINT64;
}

static guint64
selection_ns (gconstpointer flow)
{
  const GstTfrcReceiveFlow *self = flow;

  return gst_tfrc_selection_next_ns (self->selection);
}

static guint64
keys_ns (gconstpointer flow)
{
  const GstTfrcReceiveFlow *self = flow;

  return gst_tfrc_src_keys_next_ns (self->keys);
}

/* Returns when the sender counts as lost; G_MAXUINT64: never. */
static guint64
sender_lost_ns (const GstTfrcReceiveFlow *self)
{
  if (reception (self) == NULL || self->timeout_ns == 0 || has_ended (self))
    return G_MAXUINT64;
  return gst_tfrc_reception_get_heard_ns (reception (self)) + self->timeout_ns;
}

static guint64
lost_ns (gconstpointer flow)
{
  const GstTfrcReceiveFlow *self = flow;

  return self->sender_is_lost ? G_MAXUINT64 : sender_lost_ns (self);
}

static const GstTfrcFlowTimer timers[] = {
  { "feedback, reports and requests", rtcp_ns },
  { "responses", responses_ns },
  { "challenges, liveness and probes", selection_ns },
  { "keys", keys_ns },
  { "the sender is lost", lost_ns },
};

static guint64
deadline (const GstTfrcFlow *flow)
{
  return gst_tfrc_flow_timers_next (flow, timers, G_N_ELEMENTS (timers)).due_ns;
}

/* ---- packets that come ---------------------------------------------------------- */

static void
take_data (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, guint64 queued_ns)
{
  if (!gst_tfrc_src_keys_play (self->keys, packet, header->ssrc + !gst_tfrc_rtp_is_movie (header)))
    return;
  if (!gst_tfrc_intake_take_data (self->intake, packet, header, queued_ns))
    count_malformed (self, packet, "its RTP number cannot be true");
}

/* For TFRC the packets of the new peer have come when they did.  For the queue they come now: the
 * pipeline could not have had them before. */
static void
take_held_packets (GstTfrcReceiveFlow *self, const GstTfrcPendingPeer *pending, guint64 now_ns)
{
  if (pending->call_ns > 0)
    gst_tfrc_intake_take_report (self->intake, &pending->call, pending->call_ns);
  for (guint i = 0; i < pending->n_held; i++) {
    const GstTfrcHeldPacket *held = gst_tfrc_pending_get_held (pending, i);

    take_data (self, &held->packet, &held->header, now_ns);
  }
  gst_tfrc_selection_release (self->selection, pending);
}

/* The peer's stream may have ended, or another sender may be the peer now. */
static void
follow_peer (GstTfrcReceiveFlow *self, guint64 now_ns)
{
  const GstTfrcReceivedPacket *first;
  const GstTfrcPendingPeer *pending;

  if (gst_tfrc_selection_take_end (self->selection))
    gst_tfrc_reception_end (reception (self));
  pending = gst_tfrc_selection_take_new_peer (self->selection, now_ns);
  if (pending == NULL)
    return;
  first = &gst_tfrc_pending_get_held (pending, 0)->packet;
  gst_tfrc_udp_ts_end_count (&self->udp_ts);
  if (gst_tfrc_intake_start (self->intake, first, pending->base.id.ssrc)) {
    gst_tfrc_peer_packets_begin (&self->peer_packets);
    gst_tfrc_src_keys_set_peer (self->keys, first->from, pending->base.id.ssrc);
    take_held_packets (self, pending, now_ns);
    gst_tfrc_events_add_kind (&self->events, GST_TFRC_EVENT_SENDER);
  } else {
    gst_tfrc_selection_drop_peer (self->selection, pending);
  }
}

/* Returns whether a packet is for the intake. One that is for nobody is counted. */
static gboolean
is_for_intake (GstTfrcReceiveFlow *self, GstTfrcVerdict verdict,
    const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  if (verdict == GST_TFRC_VERDICT_HANDLED)
    return FALSE;
  if (verdict == GST_TFRC_VERDICT_PEER && gst_tfrc_intake_is_from (self->intake, packet, ssrc))
    return TRUE;
  self->foreign++;
  if (gst_tfrc_log_counts (self->foreign))
    gst_tfrc_log (flow, DEBUG, "foreign packet number %" G_GUINT64_FORMAT " from %s %08x",
        self->foreign, GST_TFRC_ADDRESS_TEXT (packet->from), ssrc);
  return FALSE;
}

static void
on_data (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *packet, guint64 queued_ns)
{
  GstTfrcDataKind kind = GST_TFRC_DATA_OF_NOBODY;
  TfrcWireData header;

  if (!packet->truncated
      && tfrc_wire_parse_data (packet->data, packet->size, &header) == TFRC_WIRE_OK)
    kind = gst_tfrc_peer_packets_read_data (self->intake, packet, &header);
  if (kind == GST_TFRC_DATA_OF_NOBODY)
    count_malformed (self, packet, "no RTP packet with a transport stream");
  else if (kind == GST_TFRC_DATA_PLAIN_REPAIR)
    gst_tfrc_intake_take_plain_repair (self->intake, packet, &header, queued_ns);
  else if (is_for_intake (self, gst_tfrc_selection_on_data (self->selection, packet, &header),
               packet, header.ssrc))
    take_data (self, packet, &header, queued_ns);
}

static void
on_rtcp (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *received)
{
  GstTfrcReceivedPacket packet = *received;
  TfrcWireRtcp rtcp;

  if (packet.truncated
      || tfrc_wire_parse_rtcp (packet.data, packet.size, self->ssrc, &rtcp) != TFRC_WIRE_OK) {
    count_malformed (self, received, "RTCP that cannot be read");
    return;
  }
  if (gst_tfrc_peer_packets_read_rtcp (
          &self->peer_packets, self->intake, &self->senders, &packet, &rtcp)
      && is_for_intake (self,
          gst_tfrc_selection_on_rtcp (self->selection, &packet, &rtcp, get_rtt_ns (self)), &packet,
          rtcp.sender_ssrc))
    gst_tfrc_intake_take_rtcp (self->intake, &packet, &rtcp);
}

/* Handles a packet without its protection.
 * @queued_ns: when the pipeline could have it, at the earliest */
static void
receive (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *packet, guint64 queued_ns)
{
  GstTfrcUdpTsPacket wrapped;

  switch (tfrc_wire_classify (packet->data, packet->size)) {
    case TFRC_WIRE_KIND_DATA:
      on_data (self, packet, queued_ns);
      break;
    case TFRC_WIRE_KIND_RTCP:
      on_rtcp (self, packet);
      break;
    case TFRC_WIRE_KIND_NONE:
      if (gst_tfrc_udp_ts_wrap (&self->udp_ts, packet, &wrapped))
        on_data (self, &wrapped.packet, queued_ns);
      else
        count_malformed (self, packet, "neither RTP nor RTCP");
      break;
  }
  follow_peer (self, queued_ns);
}

/* A packet of an address that no sender may have passes as it is: the selection of the peer counts
 * and drops the packet. */
static gboolean
passes (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *packet, GstTfrcReceivedPacket *plain,
    const GstTfrcKeyTime *time)
{
  *plain = *packet;
  if (gst_tfrc_answer_packet_is (packet->data, packet->size)) {
    if (gst_tfrc_probes_on_answer (gst_tfrc_selection_get_probes (self->selection), packet))
      gst_tfrc_events_add_kind (&self->events, GST_TFRC_EVENT_CALL_REFUSED);
    return FALSE;
  }
  return !gst_tfrc_address_filter_allows (&self->senders, packet->from)
      || gst_tfrc_src_keys_receive (self->keys, packet, plain, time);
}

/* Unprotects packets: copies those that may be used to @plain. Returns their number. */
static guint
unprotect (GstTfrcReceiveFlow *self, const GstTfrcReceivedPacket *packets, guint n,
    GstTfrcReceivedPacket *plain, guint64 now_ns)
{
  const GstTfrcKeyTime time = { now_ns, self->wall_ns () };
  guint used = 0;

  for (guint i = 0; i < n; i++) {
    if (passes (self, &packets[i], &plain[used], &time))
      used++;
  }
  return used;
}

/* A sender has proved by a packet of this batch that it is no record.  What has come from it before
 * comes first; for TFRC, it came when it did. */
static void
receive_held (GstTfrcReceiveFlow *self, guint64 now_ns)
{
  GstTfrcReceivedPacket held;

  while (gst_tfrc_src_keys_take_held (self->keys, &held))
    receive (self, &held, now_ns);
}

static void
on_datagrams (GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcReceiveFlow *self = (GstTfrcReceiveFlow *) flow;
  GstTfrcReceivedPacket plain[GST_TFRC_BATCH_PACKETS];

  for (guint batch; n > 0; packets += batch, n -= batch) {
    guint used;

    batch = MIN (n, GST_TFRC_BATCH_PACKETS);
    used = unprotect (self, packets, batch, plain, now_ns);
    receive_held (self, now_ns);
    for (guint i = 0; i < used; i++)
      receive (self, &plain[i], plain[i].arrival_ns);
  }
}

/* Feedback met a closed port.  Whether the sender is gone, its data shows. */
static void
on_error (GstTfrcFlow *flow, gint error, const GstTfrcAddress *destination, gboolean by_rtcp_port,
    guint64 now_ns)
{
}

static void
watch_sender (GstTfrcReceiveFlow *self, guint64 now_ns)
{
  gboolean is_lost = now_ns >= sender_lost_ns (self);

  if (is_lost != self->sender_is_lost) {
    gst_tfrc_events_add_kind (&self->events, GST_TFRC_EVENT_SENDER);
    gst_tfrc_log (peer, INFO, "the sender is %s", is_lost ? "lost" : "heard again");
  }
  self->sender_is_lost = is_lost;
}

static void
on_time (GstTfrcFlow *flow, guint64 now_ns)
{
  GstTfrcReceiveFlow *self = (GstTfrcReceiveFlow *) flow;

  gst_tfrc_src_keys_on_time (self->keys, now_ns);
  gst_tfrc_selection_on_time (self->selection, get_rtt_ns (self), now_ns);
  follow_peer (self, now_ns);
  watch_sender (self, now_ns);
  if (gst_tfrc_probes_take_unanswered (gst_tfrc_selection_get_probes (self->selection), now_ns))
    gst_tfrc_events_add_kind (&self->events, GST_TFRC_EVENT_CALL_UNANSWERED);
  gst_tfrc_receiver_turn_begin (&self->turn);
}

/* ---- packets that leave --------------------------------------------------------- */

static void
poll (GstTfrcFlow *flow, guint64 now_ns, GstTfrcPolled *polled)
{
  GstTfrcReceiveFlow *self = (GstTfrcReceiveFlow *) flow;
  const GstTfrcReceiverParts parts = { self->ssrc, self->cname, self->keys, self->selection,
    reception (self), gst_tfrc_intake_get_paths (self->intake),
    gst_tfrc_intake_get_requests (self->intake), gst_tfrc_intake_get_picture_loss (self->intake),
    gst_tfrc_peer_packets_get_rtcp (&self->peer_packets) };

  gst_tfrc_receiver_turn_poll (&self->turn, &parts, now_ns, polled);
}

/* An error does not matter: the next packet reports the same again. */
static void
on_sent (GstTfrcFlow *flow, const GstTfrcPolled *polled, guint64 now_ns)
{
}

static const GstTfrcFlowClass klass = { on_datagrams, on_time, on_error, deadline, poll, on_sent,
  NULL };

/* ---- life ------------------------------------------------------------------------- */

GstTfrcReceiveFlow *
gst_tfrc_receive_flow_new (const GstTfrcReceiveFlowConfig *config, guint64 now_ns)
{
  GstTfrcReceiveFlow *self = g_new0 (GstTfrcReceiveFlow, 1);
  GstTfrcTrust trust = config->security.credentials == NULL ? GST_TFRC_TRUST_FIRST
      : config->security.protect == GST_TFRC_PROTECT_ALL    ? GST_TFRC_TRUST_VALIDATED
                                                            : GST_TFRC_TRUST_PLAUSIBLE;

  gst_tfrc_flow_init (&self->base, &klass);
  self->ssrc = config->ssrc;
  g_strlcpy (self->cname, config->cname, sizeof self->cname);
  self->keep_listening = config->keep_listening;
  self->timeout_ns = config->limits.timeout_ns;
  self->receiver = config->receiver;
  self->senders = config->senders;
  gst_tfrc_udp_ts_init (&self->udp_ts, config->ssrc, &self->senders,
      config->accept_udp_ts && config->security.credentials == NULL);
  self->wall_ns = config->wall_ns;
  self->keys = gst_tfrc_src_keys_new (
      &config->security, config->secret, config->ssrc, &self->events);
  self->selection = gst_tfrc_selection_new (
      &config->senders, config->keep_listening, trust, config->secret, now_ns);
  if (config->stream_id)
    gst_tfrc_probes_call (gst_tfrc_selection_get_probes (self->selection), config->ssrc,
        config->call_number, config->stream_id, now_ns);
  self->intake = gst_tfrc_intake_new (
      &config->receiver, config->limits.window_ns, config->limits.max_time_ns, &self->events);
  gst_tfrc_receive_flow_set_limits (self, &config->limits);
  return self;
}

void
gst_tfrc_receive_flow_free (GstTfrcReceiveFlow *self)
{
  if (self == NULL)
    return;
  gst_tfrc_intake_free (self->intake);
  gst_tfrc_src_keys_free (self->keys);
  gst_tfrc_selection_free (self->selection);
  gst_tfrc_events_clear (&self->events);
  g_free (self);
}

GstTfrcFlow *
gst_tfrc_receive_flow_base (GstTfrcReceiveFlow *self)
{
  return &self->base;
}

void
gst_tfrc_receive_flow_set_limits (GstTfrcReceiveFlow *self, const GstTfrcReceiveFlowLimits *limits)
{
  gst_tfrc_intake_set_limits (
      self->intake, limits->window_ns, limits->tells_window, limits->max_time_ns);
  gst_tfrc_intake_set_ahead (self->intake, limits->ahead_ns, limits->ahead_bytes);
  gst_tfrc_intake_set_requests (self->intake, limits->repairs, limits->key_units);
  self->timeout_ns = limits->timeout_ns;
}

void
gst_tfrc_receive_flow_say_bye (GstTfrcReceiveFlow *self)
{
  gst_tfrc_receiver_turn_say_bye (&self->turn);
}

void
gst_tfrc_receive_flow_end_sender (
    GstTfrcReceiveFlow *self, const GstTfrcAddress *address, guint64 now_ns)
{
  gst_tfrc_selection_end_at (self->selection, address, now_ns);
  follow_peer (self, now_ns);
}

/* ---- the queue -------------------------------------------------------------------- */

gboolean
gst_tfrc_receive_flow_is_at_end (const GstTfrcReceiveFlow *self)
{
  return has_ended (self) && !self->keep_listening
      && gst_tfrc_reorder_length (gst_tfrc_intake_get_queue (self->intake)) == 0;
}

guint64
gst_tfrc_receive_flow_wake_ns (const GstTfrcReceiveFlow *self, guint64 until_ns)
{
  guint64 leave_ns;

  if (until_ns == 0)
    return G_MAXUINT64;
  if (gst_tfrc_receive_flow_is_at_end (self))
    return 0;
  leave_ns = gst_tfrc_intake_leave_ns (self->intake);
  return leave_ns < until_ns ? leave_ns : G_MAXUINT64;
}

/* ---- the sender ------------------------------------------------------------------- */

GstTfrcIntake *
gst_tfrc_receive_flow_get_intake (GstTfrcReceiveFlow *self)
{
  return self->intake;
}

const GstTfrcSelection *
gst_tfrc_receive_flow_get_selection (const GstTfrcReceiveFlow *self)
{
  return self->selection;
}

const GstTfrcCall *
gst_tfrc_receive_flow_get_call (GstTfrcReceiveFlow *self)
{
  return gst_tfrc_probes_get_call (gst_tfrc_selection_get_probes (self->selection));
}

GstTfrcSrcKeys *
gst_tfrc_receive_flow_get_keys (GstTfrcReceiveFlow *self)
{
  return self->keys;
}

GstTfrcEvents *
gst_tfrc_receive_flow_get_events (GstTfrcReceiveFlow *self)
{
  return &self->events;
}

void
gst_tfrc_receive_flow_get_stats (GstTfrcReceiveFlow *self, GstTfrcReceiveFlowStats *stats)
{
  GstTfrcSelectionStats selection;

  memset (stats, 0, sizeof *stats);
  gst_tfrc_selection_get_stats (self->selection, &selection);
  stats->receiver = self->receiver;
  stats->has_sender = reception (self) != NULL;
  gst_tfrc_intake_get_stats (self->intake, &stats->reception);
  stats->sender_has_ended = has_ended (self);
  stats->sender_is_lost = self->sender_is_lost;
  gst_tfrc_src_keys_get_stats (self->keys, &stats->security);
  gst_tfrc_reorder_get_stats (gst_tfrc_intake_get_queue (self->intake), &stats->queue);
  gst_tfrc_repair_requests_get_stats (gst_tfrc_intake_get_requests (self->intake), &stats->repairs);
  gst_tfrc_intake_get_fec_stats (self->intake, &stats->fec);
  stats->foreign_packets = self->foreign + selection.packets_dropped;
  stats->malformed_packets = self->malformed;
  stats->byes_refused = selection.byes_refused;
  stats->messages_dropped = gst_tfrc_events_get_dropped (&self->events);
  stats->other = self->udp_ts.other;
}

/* ---- invariants ------------------------------------------------------------------- */

const gchar *
gst_tfrc_receive_flow_check (const GstTfrcReceiveFlow *self)
{
  const GstTfrcPeerId *peer = gst_tfrc_selection_get_peer (self->selection);
  const gchar *broken = gst_tfrc_selection_check (self->selection);

  if (broken == NULL)
    broken = gst_tfrc_src_keys_check (self->keys);
  if (broken)
    return broken;
  if (peer->exists != (reception (self) != NULL && !has_ended (self)))
    return "a peer without a reception, or a reception without a peer";
  if (peer->exists
      && !gst_tfrc_peer_id_is (peer, gst_tfrc_reception_get_address (reception (self)),
          gst_tfrc_reception_get_ssrc (reception (self))))
    return "the reception is of another sender than the peer";
  if (gst_tfrc_reorder_length (gst_tfrc_intake_get_queue (self->intake))
      > GST_TFRC_REORDER_MAX_PACKETS)
    return "the queue has more packets than it may have";
  return NULL;
}

void
gst_tfrc_receive_flow_print (const GstTfrcReceiveFlow *self)
{
  g_printerr ("receive flow %08x: %s%s, %u packets in the queue\n", self->ssrc,
      reception (self) ? "a sender" : "no sender", self->sender_is_lost ? ", lost" : "",
      gst_tfrc_reorder_length (gst_tfrc_intake_get_queue (self->intake)));
  for (guint i = 0; i < G_N_ELEMENTS (timers); i++)
    g_printerr (
        "  timer %s: %" G_GUINT64_FORMAT " ns\n", timers[i].name, timers[i].due_ns (&self->base));
  gst_tfrc_selection_print (self->selection);
  gst_tfrc_src_keys_print (self->keys);
}
