/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection of the peer, see srcselection.h. */
#include "srcselection.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A validated peer that has been silent for this time is tested for liveness, if a validated sender
 * waits. */
#define SILENCE_NS S_NS

/* The same, if the peer's stream comes from another address */
#define MOVED_SILENCE_NS (S_NS / 4)

/* A packet of the ended stream starts that stream anew only if it comes this time after the end, or
 * later: before, it may be a late packet. */
#define LATE_PACKETS_NS S_NS

void
gst_tfrc_src_selection_init (GstTfrcSrcSelection *self, const GstTfrcAddressFilter *filter,
    gboolean keep_listening, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES], guint64 now_ns)
{
  memset (self, 0, sizeof *self);
  self->filter = *filter;
  self->keep_listening = keep_listening;
  gst_tfrc_src_pending_init (&self->pending, secret);
  gst_tfrc_src_peer_init (&self->peer);
  if (gst_tfrc_address_filter_is_one_address (filter))
    gst_tfrc_src_probe_start (&self->probe, now_ns);
}

void
gst_tfrc_src_selection_clear (GstTfrcSrcSelection *self)
{
  gst_tfrc_src_pending_clear (&self->pending);
  gst_tfrc_src_peer_clear (&self->peer);
}

static gboolean
is_peer (const GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  return gst_tfrc_src_sender_is (&self->peer.sender, packet->from, ssrc);
}

/* Returns whether the sender at this address can become the peer. */
static gboolean
listens_to (const GstTfrcSrcSelection *self, const GstTfrcAddress *from)
{
  return gst_tfrc_address_filter_allows (&self->filter, from)
      && (!self->ended.exists || self->keep_listening);
}

/* ---- packets ----------------------------------------------------------- */

static void
on_peers_packet (GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet)
{
  gst_tfrc_src_peer_on_packet (&self->peer, packet);
  gst_tfrc_src_probe_stop (&self->probe);
}

GstTfrcSrcVerdict
gst_tfrc_src_selection_on_data (
    GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  GstTfrcSrcPendingSender *sender;

  if (is_peer (self, packet, header->ssrc)) {
    on_peers_packet (self, packet);
    gst_tfrc_src_peer_on_data (&self->peer, header, packet->arrival_ns);
    return GST_TFRC_SRC_PEER;
  }
  if (!listens_to (self, packet->from))
    return GST_TFRC_SRC_FOREIGN;
  sender = gst_tfrc_src_pending_on_data (&self->pending, packet, header);
  if (gst_tfrc_src_sender_is (&self->displaced, packet->from, header->ssrc))
    sender->validated = TRUE;
  return GST_TFRC_SRC_HANDLED;
}

/* Returns when a challenge because of the packet can leave: not before the packet was read. */
static guint64
challenge_ns (const GstTfrcReceivedPacket *packet)
{
  return MAX (packet->arrival_ns, packet->read_ns);
}

static GstTfrcSrcVerdict
on_response (GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  gboolean at_peer = gst_tfrc_src_sender_is_at (&self->peer.sender, packet->from);

  if (at_peer && gst_tfrc_src_peer_on_response (&self->peer, packet, ssrc, data))
    return GST_TFRC_SRC_HANDLED;
  if (!gst_tfrc_src_cookies_check (&self->pending.cookies, packet->from, packet->arrival_ns, data))
    return GST_TFRC_SRC_FOREIGN;
  if (is_peer (self, packet, ssrc)) {
    on_peers_packet (self, packet);
    gst_tfrc_src_peer_on_validated (&self->peer, challenge_ns (packet));
    return GST_TFRC_SRC_HANDLED;
  }
  gst_tfrc_src_pending_on_validated (&self->pending, packet, ssrc, data);
  if (at_peer)
    gst_tfrc_src_peer_is_replaced (&self->peer, packet->arrival_ns);
  return GST_TFRC_SRC_HANDLED;
}

static void
on_peers_rtcp (GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  GstTfrcSrcPeer *peer = &self->peer;

  if (rtcp->has_sr && tfrc_path_get_state (peer->path) == TFRC_PATH_FAILED)
    gst_tfrc_src_pending_start_path (
        &self->pending, peer->path, &peer->sender.address, packet->arrival_ns);
  on_peers_packet (self, packet);
  if (rtcp->has_bye)
    gst_tfrc_src_peer_on_bye (peer, rtt_ns, challenge_ns (packet));
}

/* Returns whether the sender repeats its BYE, as the answer was lost. */
static gboolean
is_bye_again (
    const GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  return rtcp->has_bye && gst_tfrc_src_sender_is (&self->ended, packet->from, rtcp->sender_ssrc);
}

GstTfrcSrcVerdict
gst_tfrc_src_selection_on_rtcp (GstTfrcSrcSelection *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  if (is_bye_again (self, packet, rtcp)) {
    gst_tfrc_src_peer_add_credit (&self->peer, packet->size);
    return GST_TFRC_SRC_PEER;
  }
  if (!listens_to (self, packet->from))
    return GST_TFRC_SRC_FOREIGN;
  if (rtcp->has_response)
    return on_response (self, packet, rtcp->sender_ssrc, rtcp->response);
  if (is_peer (self, packet, rtcp->sender_ssrc)) {
    on_peers_rtcp (self, packet, rtcp, rtt_ns);
    return GST_TFRC_SRC_PEER;
  }
  if (!rtcp->has_sr || rtcp->has_bye)
    return GST_TFRC_SRC_FOREIGN;
  gst_tfrc_src_pending_on_sender_report (&self->pending, packet, rtcp);
  return GST_TFRC_SRC_HANDLED;
}

/* ---- change of the peer ------------------------------------------------ */

static gboolean
is_same_stream (const GstTfrcSrcPeer *peer, const GstTfrcSrcPendingSender *next)
{
  return peer->validated && next->validated && next->ssrc == peer->sender.ssrc;
}

/* Returns the pending sender that waits for the peer's silence; NULL: none.  The peer's own stream
 * from another address comes first: no stranger can hold it up. */
static const GstTfrcSrcPendingSender *
get_waiting (const GstTfrcSrcSelection *self)
{
  const GstTfrcSrcPeer *peer = &self->peer;
  const GstTfrcSrcPendingSender *moved = peer->sender.exists && peer->validated
      ? gst_tfrc_src_pending_get_validated (&self->pending, peer->sender.ssrc)
      : NULL;

  return moved ? moved : gst_tfrc_src_pending_get_best (&self->pending);
}

/* Returns when the peer's silence is long enough for the peer to give way. */
static guint64
silent_ns (const GstTfrcSrcPeer *peer, const GstTfrcSrcPendingSender *next)
{
  if (is_same_stream (peer, next))
    return peer->heard_ns + MOVED_SILENCE_NS;
  return peer->heard_ns
      + (peer->validated && next->validated ? SILENCE_NS : GST_TFRC_SRC_PEER_SILENCE_NS);
}

static gboolean
may_begin (const GstTfrcSrcSelection *self, const GstTfrcSrcPendingSender *sender)
{
  return sender->validated || !gst_tfrc_src_sender_is (&self->ended, &sender->address, sender->ssrc)
      || sender->heard_ns >= self->ended_ns + LATE_PACKETS_NS;
}

static gboolean
gives_way (const GstTfrcSrcSelection *self, const GstTfrcSrcPendingSender *next, guint64 now_ns)
{
  const GstTfrcSrcPeer *peer = &self->peer;

  if (!peer->sender.exists)
    return may_begin (self, next);
  if (peer->liveness.reason == GST_TFRC_SRC_LIVENESS_BYE)
    return FALSE; /* the test comes first */
  if (gst_tfrc_src_sender_is (&self->displaced, &next->address, next->ssrc))
    return TRUE;
  /* Of two streams at one address, only one responds. */
  if (next->validated && gst_tfrc_src_sender_is_at (&peer->sender, &next->address))
    return TRUE;
  if (!peer->validated && next->validated)
    return TRUE;
  return now_ns >= silent_ns (peer, next)
      && (!peer->validated || gst_tfrc_src_peer_is_dead (peer, now_ns));
}

static void
check_silence (GstTfrcSrcSelection *self, guint64 rtt_ns, guint64 now_ns)
{
  const GstTfrcSrcPendingSender *next = get_waiting (self);
  GstTfrcSrcPeer *peer = &self->peer;

  if (next && peer->validated && peer->sender.exists && now_ns >= silent_ns (peer, next))
    gst_tfrc_src_peer_set_silent (
        peer, gst_tfrc_src_peer_get_test_ns (peer, is_same_stream (peer, next), rtt_ns), now_ns);
  else
    gst_tfrc_src_peer_unset_silent (peer);
}

/* Keeps the peer that is displaced, unless the next peer has the same address. */
static void
note_displaced (GstTfrcSrcSelection *self, const GstTfrcAddress *next)
{
  const GstTfrcSrcPeer *peer = &self->peer;

  if (gst_tfrc_src_sender_is_at (&self->displaced, next))
    self->displaced.exists = FALSE;
  else if (peer->validated && peer->sender.exists
      && !gst_tfrc_src_sender_is_at (&peer->sender, next))
    self->displaced = peer->sender;
}

/* Returns the pending sender that the peer gives way to now; NULL: none. */
static GstTfrcSrcPendingSender *
get_next (const GstTfrcSrcSelection *self, guint64 now_ns)
{
  const GstTfrcSrcPendingSender *best = gst_tfrc_src_pending_get_best (&self->pending);
  const GstTfrcSrcPendingSender *waiting = get_waiting (self);

  if (best && gives_way (self, best, now_ns))
    return (GstTfrcSrcPendingSender *) best;
  return waiting && gives_way (self, waiting, now_ns) ? (GstTfrcSrcPendingSender *) waiting : NULL;
}

GstTfrcSrcPendingSender *
gst_tfrc_src_selection_take_new_peer (GstTfrcSrcSelection *self, guint64 now_ns)
{
  GstTfrcSrcPendingSender *next = get_next (self, now_ns);

  if (next == NULL)
    return NULL;
  note_displaced (self, &next->address);
  gst_tfrc_src_peer_start (&self->peer, next);
  self->ended.exists = FALSE;
  gst_tfrc_src_probe_stop (&self->probe);
  return next;
}

void
gst_tfrc_src_selection_drop_peer (GstTfrcSrcSelection *self)
{
  gst_tfrc_src_peer_end (&self->peer);
}

/* ---- time -------------------------------------------------------------- */

static void
end (GstTfrcSrcSelection *self, guint64 now_ns)
{
  self->ended = self->peer.sender;
  self->ended_ns = now_ns;
  self->has_end = TRUE;
  self->displaced.exists = FALSE;
  gst_tfrc_src_peer_end (&self->peer);
  if (!self->keep_listening)
    gst_tfrc_src_pending_drop_all (&self->pending);
  else if (gst_tfrc_address_filter_is_one_address (&self->filter))
    gst_tfrc_src_probe_start (&self->probe, now_ns);
}

gboolean
gst_tfrc_src_selection_take_end (GstTfrcSrcSelection *self)
{
  gboolean has_end = self->has_end;

  self->has_end = FALSE;
  return has_end;
}

/* Returns when probes begin anew because the peer is silent. */
static guint64
probe_again_ns (const GstTfrcSrcSelection *self)
{
  if (!self->peer.sender.exists || self->probe.is_active
      || !gst_tfrc_address_filter_is_one_address (&self->filter))
    return G_MAXUINT64;
  return self->peer.heard_ns + GST_TFRC_SRC_PEER_SILENCE_NS;
}

void
gst_tfrc_src_selection_on_time (GstTfrcSrcSelection *self, guint64 rtt_ns, guint64 now_ns)
{
  gst_tfrc_src_pending_on_time (&self->pending, now_ns);
  tfrc_path_on_time (self->peer.path, now_ns);
  if (gst_tfrc_src_peer_has_ended (&self->peer, now_ns))
    end (self, now_ns);
  /* Here and not when a packet comes: the packet may have been read long after its arrival, and no
   * challenge can leave before. */
  check_silence (self, rtt_ns, now_ns);
  if (now_ns >= probe_again_ns (self))
    gst_tfrc_src_probe_start (&self->probe, now_ns);
}

/* Returns when the peer may have to give way to the sender that waits. */
static guint64
switch_ns (const GstTfrcSrcSelection *self)
{
  const GstTfrcSrcPendingSender *next = get_waiting (self);

  if (next == NULL || !self->peer.sender.exists
      || self->peer.liveness.reason != GST_TFRC_SRC_LIVENESS_NONE)
    return G_MAXUINT64;
  return silent_ns (&self->peer, next);
}

guint64
gst_tfrc_src_selection_next_ns (const GstTfrcSrcSelection *self)
{
  guint64 next_ns = gst_tfrc_src_pending_next_ns (&self->pending);

  next_ns = MIN (next_ns, gst_tfrc_src_peer_next_ns (&self->peer));
  next_ns = MIN (next_ns, gst_tfrc_src_probe_next_ns (&self->probe));
  next_ns = MIN (next_ns, probe_again_ns (self));
  return MIN (next_ns, switch_ns (self));
}

/* ---- challenges -------------------------------------------------------- */

static gboolean
take_probe (GstTfrcSrcSelection *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (!gst_tfrc_src_probe_take (&self->probe, now_ns))
    return FALSE;
  gst_tfrc_src_cookies_get (&self->pending.cookies, &self->filter.address, now_ns, data);
  return TRUE;
}

gsize
gst_tfrc_src_selection_write_challenge (GstTfrcSrcSelection *self, guint32 own_ssrc, guint64 now_ns,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  const GstTfrcSrcPendingSender *sender;
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];

  memset (local, 0, sizeof *local);
  sender = gst_tfrc_src_pending_take_challenge (&self->pending, now_ns, data);
  if (sender) {
    *to = sender->address;
    *local = sender->local;
  } else if (gst_tfrc_src_peer_take_challenge (&self->peer, now_ns, data)) {
    *to = self->peer.sender.address;
  } else if (take_probe (self, now_ns, data)) {
    *to = self->filter.address;
  } else {
    return 0;
  }
  return tfrc_wire_write_path_challenge (buffer, TFRC_WIRE_MIN_PATH_BYTES, own_ssrc, data);
}
