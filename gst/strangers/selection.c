/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection of the peer, see selection.h. */
#include "selection.h"

#include <string.h>

#include "../common/log.h"
#include "succession.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A packet of the ended stream starts that stream anew only if it comes this time after the end, or
 * later: before, it may be a late packet.  Nor is there a provisional peer before. */
#define LATE_PACKETS_NS S_NS

struct _GstTfrcSelection
{
  GstTfrcAddressFilter filter;
  gboolean keep_listening;
  GstTfrcTrust trust;
  GstTfrcCookies cookies;
  GstTfrcPending *pending;
  GstTfrcPeer *peer;

  GstTfrcPeerId ended; /* the last peer, if its stream has ended and no other has begun */
  guint64 ended_ns;
  gboolean has_end;        /* gst_tfrc_selection_take_end() has not been called yet */
  GstTfrcPeerId displaced; /* the last validated peer that was displaced */

  GstTfrcProbes probes; /* of the only address that a peer can have */
};

/* A sender that is there says so in its reports. */
static gboolean
is_call_of_sender (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_sr && !rtcp->has_bye;
}

static const GstTfrcRole receiver = { is_call_of_sender, TRUE, TRUE };
static const GstTfrcRole receiver_with_keys = { is_call_of_sender, TRUE, FALSE };

static void
start_probes (GstTfrcSelection *self, guint64 now_ns)
{
  gst_tfrc_probes_start (&self->probes, &self->filter.address, now_ns);
}

GstTfrcSelection *
gst_tfrc_selection_new (const GstTfrcAddressFilter *filter, gboolean keep_listening,
    GstTfrcTrust trust, const guint8 secret[GST_TFRC_SECRET_BYTES], guint64 now_ns)
{
  GstTfrcSelection *self = g_new0 (GstTfrcSelection, 1);

  self->filter = *filter;
  self->keep_listening = keep_listening;
  self->trust = trust;
  gst_tfrc_cookies_init (&self->cookies, secret);
  self->pending = gst_tfrc_pending_new (
      trust == GST_TFRC_TRUST_VALIDATED ? &receiver_with_keys : &receiver, &self->cookies);
  self->peer = gst_tfrc_peer_new ();
  if (gst_tfrc_address_filter_is_one_address (filter))
    start_probes (self, now_ns);
  return self;
}

void
gst_tfrc_selection_free (GstTfrcSelection *self)
{
  if (self == NULL)
    return;
  gst_tfrc_pending_free (self->pending);
  gst_tfrc_peer_free (self->peer);
  g_free (self);
}

static const GstTfrcPeerId *
peer_id (const GstTfrcSelection *self)
{
  return gst_tfrc_peer_get_id (self->peer);
}

static gboolean
is_peer (const GstTfrcSelection *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  return gst_tfrc_peer_id_is (peer_id (self), packet->from, ssrc);
}

/* Returns whether a host at this address can become the peer. */
static gboolean
listens_to (const GstTfrcSelection *self, const GstTfrcAddress *from)
{
  return gst_tfrc_address_filter_allows (&self->filter, from)
      && (!self->ended.exists || self->keep_listening);
}

/* ---- packets ----------------------------------------------------------- */

static void
on_peers_packet (GstTfrcSelection *self, const GstTfrcReceivedPacket *packet)
{
  gst_tfrc_peer_on_packet (self->peer, packet);
  if (!gst_tfrc_peer_is_provisional (self->peer))
    gst_tfrc_probes_stop (&self->probes);
}

GstTfrcVerdict
gst_tfrc_selection_on_data (
    GstTfrcSelection *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  if (is_peer (self, packet, header->ssrc)) {
    if (gst_tfrc_peer_is_provisional (self->peer))
      gst_tfrc_peer_challenge_anew (
          self->peer, &self->cookies, gst_tfrc_received_packet_answer_ns (packet));
    on_peers_packet (self, packet);
    gst_tfrc_peer_on_data (self->peer, header, packet->arrival_ns);
    return GST_TFRC_VERDICT_PEER;
  }
  if (!listens_to (self, packet->from))
    return GST_TFRC_VERDICT_FOREIGN;
  gst_tfrc_pending_on_data (self->pending, packet, header,
      packet->proves_address || gst_tfrc_peer_id_is (&self->displaced, packet->from, header->ssrc));
  return GST_TFRC_VERDICT_HANDLED;
}

static GstTfrcVerdict
on_response (GstTfrcSelection *self, const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  gboolean at_peer = gst_tfrc_peer_id_is_at (peer_id (self), packet->from);

  if (at_peer && gst_tfrc_peer_on_response (self->peer, packet, ssrc, data))
    return GST_TFRC_VERDICT_HANDLED;
  if (!gst_tfrc_cookies_check (&self->cookies, packet->from, packet->arrival_ns, data))
    return GST_TFRC_VERDICT_FOREIGN;
  if (is_peer (self, packet, ssrc)) {
    gst_tfrc_peer_on_validated (
        self->peer, data, packet->arrival_ns, gst_tfrc_received_packet_answer_ns (packet));
    on_peers_packet (self, packet);
    return GST_TFRC_VERDICT_HANDLED;
  }
  gst_tfrc_pending_on_validated (self->pending, packet, ssrc, data);
  if (at_peer)
    gst_tfrc_peer_is_replaced (self->peer, packet->arrival_ns);
  return GST_TFRC_VERDICT_HANDLED;
}

static void
on_peers_rtcp (GstTfrcSelection *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  GstTfrcPeer *peer = self->peer;

  if (rtcp->has_sr)
    gst_tfrc_peer_challenge_anew (
        peer, &self->cookies, gst_tfrc_received_packet_answer_ns (packet));
  on_peers_packet (self, packet);
  if (rtcp->has_bye)
    gst_tfrc_peer_on_bye (peer, rtt_ns, gst_tfrc_received_packet_answer_ns (packet));
}

/* Returns whether the peer repeats its BYE, as the answer was lost. */
static gboolean
is_bye_again (
    const GstTfrcSelection *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  return rtcp->has_bye && gst_tfrc_peer_id_is (&self->ended, packet->from, rtcp->sender_ssrc);
}

GstTfrcVerdict
gst_tfrc_selection_on_rtcp (GstTfrcSelection *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  if (is_bye_again (self, packet, rtcp)) {
    gst_tfrc_peer_add_credit (self->peer, packet->size);
    return GST_TFRC_VERDICT_PEER;
  }
  if (!listens_to (self, packet->from))
    return GST_TFRC_VERDICT_FOREIGN;
  if (rtcp->has_response)
    return on_response (self, packet, rtcp->sender_ssrc, rtcp->response);
  if (is_peer (self, packet, rtcp->sender_ssrc)) {
    on_peers_rtcp (self, packet, rtcp, rtt_ns);
    return GST_TFRC_VERDICT_PEER;
  }
  return gst_tfrc_pending_on_call (self->pending, packet, rtcp) ? GST_TFRC_VERDICT_HANDLED
                                                                : GST_TFRC_VERDICT_FOREIGN;
}

/* ---- change of the peer ------------------------------------------------ */

/* Returns the pending peer that waits for the peer's silence; NULL: none.  The peer's own stream
 * from another address comes first: no stranger can hold it up. */
static const GstTfrcPendingPeer *
get_waiting (const GstTfrcSelection *self)
{
  const GstTfrcPeer *peer = self->peer;
  const GstTfrcPendingPeer *moved = peer_id (self)->exists && gst_tfrc_peer_is_validated (peer)
      ? gst_tfrc_pending_get_validated (self->pending, peer_id (self)->ssrc)
      : NULL;

  return moved ? moved : gst_tfrc_pending_get_best (self->pending);
}

static gboolean
may_begin (const GstTfrcSelection *self, const GstTfrcPendingPeer *next)
{
  return next->base.validated
      || !gst_tfrc_peer_id_is (&self->ended, &next->base.id.address, next->base.id.ssrc)
      || next->base.heard_ns >= self->ended_ns + LATE_PACKETS_NS;
}

static gboolean
gives_way (const GstTfrcSelection *self, const GstTfrcPendingPeer *next, guint64 now_ns)
{
  const GstTfrcPeer *peer = self->peer;

  if (!peer_id (self)->exists)
    return may_begin (self, next);
  return gst_tfrc_succession_is_due (peer, next,
      gst_tfrc_peer_id_is (&self->displaced, &next->base.id.address, next->base.id.ssrc), now_ns);
}

static void
check_silence (GstTfrcSelection *self, guint64 rtt_ns, guint64 now_ns)
{
  const GstTfrcPendingPeer *next = get_waiting (self);
  GstTfrcPeer *peer = self->peer;

  if (next && gst_tfrc_peer_is_validated (peer) && peer_id (self)->exists
      && now_ns >= gst_tfrc_succession_get_ns (peer, next))
    gst_tfrc_peer_set_silent (peer,
        gst_tfrc_peer_get_test_ns (peer, gst_tfrc_succession_is_same_stream (peer, next), rtt_ns),
        now_ns);
  else
    gst_tfrc_peer_unset_silent (peer);
}

/* Keeps the peer that is displaced, unless the next peer has the same address. */
static void
note_displaced (GstTfrcSelection *self, const GstTfrcAddress *next)
{
  const GstTfrcPeer *peer = self->peer;

  if (gst_tfrc_peer_id_is_at (&self->displaced, next))
    self->displaced.exists = FALSE;
  else if (gst_tfrc_peer_is_validated (peer) && peer_id (self)->exists
      && !gst_tfrc_peer_id_is_at (peer_id (self), next))
    self->displaced = *peer_id (self);
}

/* Returns the pending peer that is to be the provisional peer; NULL: none.  A stream that has ended does
 * not begin again with one packet, and its BYE is to be answered before another one begins. */
static const GstTfrcPendingPeer *
get_first (const GstTfrcSelection *self)
{
  const GstTfrcPendingPeer *first = gst_tfrc_pending_get_first (self->pending);

  if (self->trust != GST_TFRC_TRUST_FIRST || peer_id (self)->exists || first == NULL)
    return NULL;
  if (self->ended.exists
      && (gst_tfrc_peer_id_is (&self->ended, &first->base.id.address, first->base.id.ssrc)
          || first->base.heard_ns < self->ended_ns + LATE_PACKETS_NS))
    return NULL;
  return first;
}

/* Returns the pending peer that the peer gives way to now; NULL: none. */
static const GstTfrcPendingPeer *
get_next (const GstTfrcSelection *self, guint64 now_ns)
{
  const GstTfrcPendingPeer *best = gst_tfrc_pending_get_best (self->pending);
  const GstTfrcPendingPeer *waiting = get_waiting (self);

  if (best && gives_way (self, best, now_ns))
    return best;
  return waiting && gives_way (self, waiting, now_ns) ? waiting : NULL;
}

const GstTfrcPendingPeer *
gst_tfrc_selection_take_new_peer (GstTfrcSelection *self, guint64 now_ns)
{
  const GstTfrcPendingPeer *next = get_next (self, now_ns);
  gboolean provisional = next == NULL;

  if (provisional) {
    gst_tfrc_peer_keep_place (self->peer, now_ns);
    next = get_first (self);
  }
  if (next == NULL)
    return NULL;
  note_displaced (self, &next->base.id.address);
  gst_tfrc_peer_start (self->peer, next, provisional, now_ns);
  self->ended.exists = FALSE;
  if (!provisional)
    gst_tfrc_probes_stop (&self->probes);
  return next;
}

void
gst_tfrc_selection_release (GstTfrcSelection *self, const GstTfrcPendingPeer *pending)
{
  gst_tfrc_pending_release (self->pending, pending);
}

void
gst_tfrc_selection_drop_peer (GstTfrcSelection *self, const GstTfrcPendingPeer *pending)
{
  gst_tfrc_peer_end (self->peer);
  gst_tfrc_pending_drop (self->pending, pending);
}

/* ---- time -------------------------------------------------------------- */

static void
end (GstTfrcSelection *self, guint64 now_ns)
{
  gst_tfrc_log (peer, INFO, "the stream of peer %s %08x has ended",
      GST_TFRC_ADDRESS_TEXT (&peer_id (self)->address), peer_id (self)->ssrc);
  self->ended = *peer_id (self);
  self->ended_ns = now_ns;
  self->has_end = TRUE;
  self->displaced.exists = FALSE;
  gst_tfrc_peer_end (self->peer);
  if (!self->keep_listening)
    gst_tfrc_pending_drop_all (self->pending);
  else if (gst_tfrc_address_filter_is_one_address (&self->filter))
    start_probes (self, now_ns);
}

void
gst_tfrc_selection_end_at (GstTfrcSelection *self, const GstTfrcAddress *address, guint64 now_ns)
{
  gst_tfrc_pending_drop_at (self->pending, address);
  if (gst_tfrc_peer_id_is_at (&self->displaced, address))
    self->displaced.exists = FALSE;
  if (gst_tfrc_peer_id_is_at (peer_id (self), address))
    end (self, now_ns);
}

gboolean
gst_tfrc_selection_take_end (GstTfrcSelection *self)
{
  gboolean has_end = self->has_end;

  self->has_end = FALSE;
  return has_end;
}

/* Returns when probes begin anew because the peer is silent. */
static guint64
probe_again_ns (const GstTfrcSelection *self)
{
  if (!peer_id (self)->exists || gst_tfrc_probes_are_running (&self->probes)
      || !gst_tfrc_address_filter_is_one_address (&self->filter))
    return G_MAXUINT64;
  return gst_tfrc_peer_get_heard_ns (self->peer) + GST_TFRC_PEER_SILENCE_NS;
}

void
gst_tfrc_selection_on_time (GstTfrcSelection *self, guint64 rtt_ns, guint64 now_ns)
{
  gst_tfrc_pending_on_time (self->pending, now_ns);
  gst_tfrc_peer_on_time (self->peer, now_ns);
  if (gst_tfrc_peer_has_ended (self->peer, now_ns))
    end (self, now_ns);
  /* Here and not when a packet comes: the packet may have been read long after its arrival, and no
   * challenge can leave before. */
  check_silence (self, rtt_ns, now_ns);
  if (now_ns >= probe_again_ns (self))
    start_probes (self, now_ns);
}

/* Returns when the peer may have to give way to the pending peer that waits. */
static guint64
switch_ns (const GstTfrcSelection *self)
{
  const GstTfrcPendingPeer *next = get_waiting (self);

  if (next == NULL || !peer_id (self)->exists
      || gst_tfrc_peer_get_test (self->peer) != GST_TFRC_TEST_NONE)
    return G_MAXUINT64;
  return gst_tfrc_succession_get_ns (self->peer, next);
}

guint64
gst_tfrc_selection_next_ns (const GstTfrcSelection *self)
{
  guint64 next_ns = gst_tfrc_pending_next_ns (self->pending);

  next_ns = MIN (next_ns, gst_tfrc_peer_next_ns (self->peer));
  next_ns = MIN (next_ns, gst_tfrc_probes_next_ns (&self->probes));
  next_ns = MIN (next_ns, probe_again_ns (self));
  return MIN (next_ns, switch_ns (self));
}

/* ---- challenges -------------------------------------------------------- */

gsize
gst_tfrc_selection_write_challenge (GstTfrcSelection *self, guint32 own_ssrc, guint64 now_ns,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];

  memset (local, 0, sizeof *local);
  if (gst_tfrc_pending_take_challenge (self->pending, now_ns, data, to, local)) {
    /* to and from where the pending peer is */
  } else if (gst_tfrc_peer_take_challenge (self->peer, now_ns, data)) {
    *to = peer_id (self)->address;
  } else if (gst_tfrc_probes_take_challenge (&self->probes, now_ns)) {
    *to = self->filter.address;
    gst_tfrc_cookies_get (&self->cookies, to, now_ns, data);
  } else {
    return 0;
  }
  gst_tfrc_log (peer, DEBUG, "challenges %s", GST_TFRC_ADDRESS_TEXT (to));
  return tfrc_wire_write_path_challenge (buffer, TFRC_WIRE_MIN_PATH_BYTES, own_ssrc, data);
}

GstTfrcProbes *
gst_tfrc_selection_get_probes (GstTfrcSelection *self)
{
  return &self->probes;
}

/* ---- queries ----------------------------------------------------------- */

const GstTfrcPeerId *
gst_tfrc_selection_get_peer (const GstTfrcSelection *self)
{
  return peer_id (self);
}

gboolean
gst_tfrc_selection_is_validated (const GstTfrcSelection *self)
{
  return gst_tfrc_peer_is_validated (self->peer);
}

gboolean
gst_tfrc_selection_has_credit (const GstTfrcSelection *self)
{
  return gst_tfrc_peer_has_credit (self->peer);
}

gboolean
gst_tfrc_selection_may_send (GstTfrcSelection *self, gsize bytes)
{
  return gst_tfrc_peer_may_send (self->peer, bytes);
}

const GstTfrcPendingPeer *
gst_tfrc_selection_get_pending (const GstTfrcSelection *self, guint i)
{
  return gst_tfrc_pending_get (self->pending, i);
}

const GstTfrcPeerId *
gst_tfrc_selection_get_displaced (const GstTfrcSelection *self)
{
  return &self->displaced;
}

void
gst_tfrc_selection_get_stats (const GstTfrcSelection *self, GstTfrcSelectionStats *stats)
{
  stats->packets_dropped = gst_tfrc_pending_get_dropped_packets (self->pending);
  stats->byes_refused = gst_tfrc_peer_get_byes_refused (self->peer);
}

/* ---- invariants -------------------------------------------------------- */

static const gchar *
check_pending (const GstTfrcSelection *self, const GstTfrcPendingPeer *pending)
{
  if (!gst_tfrc_address_filter_allows (&self->filter, &pending->base.id.address))
    return "a pending peer has an address that no peer may have";
  if (self->ended.exists && !self->keep_listening)
    return "a pending peer after the end";
  if (gst_tfrc_peer_id_is (peer_id (self), &pending->base.id.address, pending->base.id.ssrc))
    return "the peer is pending";
  return NULL;
}

const gchar *
gst_tfrc_selection_check (const GstTfrcSelection *self)
{
  const gchar *broken = gst_tfrc_peer_check (self->peer);

  if (broken == NULL)
    broken = gst_tfrc_pending_check (self->pending);
  for (guint i = 0; i < GST_TFRC_MAX_PENDING && broken == NULL; i++)
    if (gst_tfrc_pending_get (self->pending, i))
      broken = check_pending (self, gst_tfrc_pending_get (self->pending, i));
  if (broken)
    return broken;
  if (peer_id (self)->exists && self->ended.exists)
    return "a peer, and the stream of the last one has ended";
  if (gst_tfrc_peer_is_provisional (self->peer) && self->trust != GST_TFRC_TRUST_FIRST)
    return "a provisional peer of a receiver that takes none";
  if (self->has_end && !self->ended.exists)
    return "an end that has not been told, without a stream that has ended";
  if (peer_id (self)->exists
      && gst_tfrc_peer_id_is (&self->displaced, &peer_id (self)->address, peer_id (self)->ssrc))
    return "the peer has displaced itself";
  if (gst_tfrc_probes_are_running (&self->probes)
      && !gst_tfrc_address_filter_is_one_address (&self->filter))
    return "probes without an address";
  return NULL;
}

void
gst_tfrc_selection_print (const GstTfrcSelection *self)
{
  g_printerr ("selection: %s%s, probes %s\n",
      peer_id (self)->exists   ? "serving"
          : self->ended.exists ? "ended"
                               : "listening",
      self->keep_listening ? " and keeps listening" : "",
      gst_tfrc_probes_are_running (&self->probes) ? "on" : "off");
  gst_tfrc_peer_print (self->peer);
  gst_tfrc_pending_print (self->pending);
}
