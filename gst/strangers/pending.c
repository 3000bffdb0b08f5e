/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pending peers, see pending.h. */
#include "pending.h"

#include <string.h>

#include "../common/log.h"
#include "validation.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A pending peer without data is challenged again after this time at the earliest. */
#define CHALLENGE_AGAIN_NS (2 * S_NS)

/* Limits of challenges to pending peers */
static const GstTfrcHostRates rates = { .all = { 500, 100 }, .host = { 20, 20 } };

typedef struct
{
  GstTfrcPendingPeer known; /* the first field, as others have pointers to it */

  gboolean has_data;     /* a data packet has come */
  gboolean in_sequence;  /* two data packets in sequence have come */
  guint16 seq;           /* of the last data packet */
  guint64 challenged_ns; /* when the first challenge left; G_MAXUINT64: none yet */
  gboolean is_unresponsive;

  guint first_held;        /* of the ring of data packets */
  GstTfrcHeldPacket *held; /* GST_TFRC_HELD_PACKETS; NULL: none has come */
} Place;

/* A call of a host without a place */
typedef struct
{
  GstTfrcAddress from, local;
} Call;

struct _GstTfrcPending
{
  const GstTfrcRole *role;
  const GstTfrcCookies *cookies;
  Place places[GST_TFRC_MAX_PENDING];
  GstTfrcCandidates candidates;
  Call calls[GST_TFRC_MAX_CALLS]; /* to be answered by a challenge */
  guint n_calls;
  guint64 dropped_packets; /* data packets that were held, and never taken */
};

GstTfrcPending *
gst_tfrc_pending_new (const GstTfrcRole *role, const GstTfrcCookies *cookies)
{
  GstTfrcPending *self = g_new0 (GstTfrcPending, 1);

  self->role = role;
  self->cookies = cookies;
  gst_tfrc_candidates_init (&self->candidates, &rates, cookies);
  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++)
    gst_tfrc_candidates_set_place (&self->candidates, i, &self->places[i].known.base);
  return self;
}

void
gst_tfrc_pending_free (GstTfrcPending *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++)
    g_free (self->places[i].held);
  gst_tfrc_candidates_clear (&self->candidates);
  g_free (self);
}

/* ---- places ------------------------------------------------------------ */

/* Frees the room for packets, too, because most sources have one sender in all. */
static void
clear (Place *place)
{
  const Place free_place = { .known.base = place->known.base };

  g_free (place->held);
  *place = free_place;
  gst_tfrc_candidate_leave (&place->known.base);
}

static void
drop (GstTfrcPending *self, Place *place)
{
  if (place->known.base.id.exists)
    gst_tfrc_log (peer, DEBUG, "pending %s %08x is forgotten, with %u packets",
        GST_TFRC_ADDRESS_TEXT (&place->known.base.id.address), place->known.base.id.ssrc,
        place->known.n_held);
  self->dropped_packets += place->known.n_held;
  clear (place);
}

/* Starts the challenges that the packet allows. */
static void
start_challenges (const GstTfrcPending *self, Place *place, const GstTfrcReceivedPacket *packet)
{
  GstTfrcCandidate *base = &place->known.base;

  gst_tfrc_validation_start_cookie (
      base->path, self->cookies, &base->id.address, gst_tfrc_received_packet_answer_ns (packet));
}

/* Returns the place of the packet's host, which is a new one if need be. */
static Place *
on_packet (GstTfrcPending *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  Place *place = (Place *) gst_tfrc_candidates_find (&self->candidates, packet->from, ssrc);
  guint64 now_ns = packet->arrival_ns;

  if (place == NULL) {
    place = (Place *) gst_tfrc_candidates_get_weakest (&self->candidates);
    drop (self, place);
    gst_tfrc_candidates_enter (&self->candidates, &place->known.base, packet->from, ssrc, now_ns);
    place->challenged_ns = G_MAXUINT64;
    start_challenges (self, place, packet);
    gst_tfrc_log (peer, DEBUG, "pending %s %08x: the first packet has come",
        GST_TFRC_ADDRESS_TEXT (packet->from), ssrc);
  }
  place->known.base.heard_ns = now_ns;
  place->known.local = packet->local;
  return place;
}

void
gst_tfrc_pending_drop (GstTfrcPending *self, const GstTfrcPendingPeer *peer)
{
  drop (self, (Place *) peer);
}

void
gst_tfrc_pending_release (GstTfrcPending *self, const GstTfrcPendingPeer *peer)
{
  clear ((Place *) peer);
}

void
gst_tfrc_pending_drop_all (GstTfrcPending *self)
{
  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++)
    drop (self, &self->places[i]);
}

void
gst_tfrc_pending_drop_at (GstTfrcPending *self, const GstTfrcAddress *address)
{
  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++)
    if (gst_tfrc_peer_id_is_at (&self->places[i].known.base.id, address))
      drop (self, &self->places[i]);
}

guint64
gst_tfrc_pending_get_dropped_packets (const GstTfrcPending *self)
{
  return self->dropped_packets;
}

const GstTfrcPendingPeer *
gst_tfrc_pending_get (const GstTfrcPending *self, guint i)
{
  return self->places[i].known.base.id.exists ? &self->places[i].known : NULL;
}

/* ---- packets ----------------------------------------------------------- */

static GstTfrcHeldPacket *
get_held (const Place *place, guint i)
{
  return &place->held[(place->first_held + i) % GST_TFRC_HELD_PACKETS];
}

const GstTfrcHeldPacket *
gst_tfrc_pending_get_held (const GstTfrcPendingPeer *peer, guint i)
{
  return get_held ((const Place *) peer, i);
}

/* The oldest packet gives way, so that the held packets end where the next one begins. */
static void
hold (GstTfrcPending *self, Place *place, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header)
{
  GstTfrcHeldPacket *held;

  if (place->held == NULL)
    place->held = g_new (GstTfrcHeldPacket, GST_TFRC_HELD_PACKETS);
  if (place->known.n_held == GST_TFRC_HELD_PACKETS) {
    place->first_held = (place->first_held + 1) % GST_TFRC_HELD_PACKETS;
    place->known.n_held--;
    self->dropped_packets++;
  }
  held = get_held (place, place->known.n_held++);
  held->header = *header;
  held->packet = *packet;
  held->from = *packet->from;
  memcpy (held->data, packet->data, packet->size);
  held->packet.from = &held->from;
  held->packet.data = held->data;
}

void
gst_tfrc_pending_on_data (GstTfrcPending *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, gboolean is_validated)
{
  Place *place = on_packet (self, packet, header->ssrc);

  if (place->has_data && header->seq == (guint16) (place->seq + 1))
    place->in_sequence = TRUE;
  place->has_data = TRUE;
  place->seq = header->seq;
  place->known.tfrc = header->has_rtt_sendts;
  place->known.base.is_mute = !header->has_rtt_sendts; /* plain RTP has no challenges */
  /* The time for the challenges of plain RTP passes without notice. */
  tfrc_path_on_time (place->known.base.path, gst_tfrc_received_packet_answer_ns (packet));
  if (tfrc_path_get_state (place->known.base.path) == TFRC_PATH_FAILED)
    start_challenges (self, place, packet);
  tfrc_path_on_received (place->known.base.path, packet->size);
  hold (self, place, packet, header);
  place->known.base.validated = place->known.base.validated || is_validated;
}

static gboolean
may_be_challenged_again (const GstTfrcPending *self, const Place *place, guint64 now_ns)
{
  return self->role->keeps_unproven
      && tfrc_path_get_state (place->known.base.path) != TFRC_PATH_PROBING && !place->has_data
      && (place->challenged_ns == G_MAXUINT64
          || now_ns >= place->challenged_ns + CHALLENGE_AGAIN_NS);
}

/* One challenge for one call, and not more bytes than came (RFC 9000 section 8.1). */
static void
note_call (GstTfrcPending *self, const GstTfrcReceivedPacket *packet)
{
  const Call call = { *packet->from, packet->local };

  if (packet->size >= TFRC_WIRE_MIN_PATH_BYTES && self->n_calls < GST_TFRC_MAX_CALLS
      && gst_tfrc_candidates_take_token (&self->candidates, packet->from, packet->arrival_ns))
    self->calls[self->n_calls++] = call;
}

gboolean
gst_tfrc_pending_on_call (
    GstTfrcPending *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  Place *place;

  if (!self->role->is_call (rtcp))
    return FALSE;
  if (!self->role->keeps_unproven
      && !gst_tfrc_candidates_find (&self->candidates, packet->from, rtcp->sender_ssrc)) {
    note_call (self, packet);
    return TRUE;
  }
  place = on_packet (self, packet, rtcp->sender_ssrc);
  place->known.call = *rtcp;
  place->known.call_ns = packet->arrival_ns;
  place->known.base.validated = place->known.base.validated || packet->proves_address;
  if (may_be_challenged_again (self, place, packet->arrival_ns)) {
    start_challenges (self, place, packet);
    place->challenged_ns = G_MAXUINT64;
  }
  tfrc_path_on_received (place->known.base.path, packet->size);
  return TRUE;
}

void
gst_tfrc_pending_on_validated (GstTfrcPending *self, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  Place *place = on_packet (self, packet, ssrc);

  gst_tfrc_log (peer, DEBUG, "pending %s %08x has responded%s",
      GST_TFRC_ADDRESS_TEXT (packet->from), ssrc,
      place->known.base.validated ? " once more" : ", and so is validated");
  place->known.base.validated = TRUE;
  tfrc_path_on_response (place->known.base.path, data, packet->arrival_ns);
}

/* ---- time -------------------------------------------------------------- */

static guint64
forget_ns (const Place *place)
{
  return place->known.base.heard_ns + GST_TFRC_PENDING_SILENCE_NS;
}

/* Returns when the host becomes unresponsive. */
static guint64
unresponsive_ns (const Place *place)
{
  if (place->is_unresponsive || place->challenged_ns == G_MAXUINT64)
    return G_MAXUINT64;
  return place->challenged_ns + GST_TFRC_UNRESPONSIVE_NS;
}

static gboolean
is_plausible (const GstTfrcPending *self, const Place *place)
{
  return self->role->takes_plausible && place->in_sequence
      && (!place->known.tfrc || place->is_unresponsive);
}

void
gst_tfrc_pending_on_time (GstTfrcPending *self, guint64 now_ns)
{
  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    Place *place = &self->places[i];

    if (!place->known.base.id.exists)
      continue;
    tfrc_path_on_time (place->known.base.path, now_ns);
    if (now_ns >= unresponsive_ns (place)) {
      place->is_unresponsive = TRUE;
      gst_tfrc_log (peer, DEBUG, "pending %s %08x does not respond",
          GST_TFRC_ADDRESS_TEXT (&place->known.base.id.address), place->known.base.id.ssrc);
    }
    if (now_ns >= forget_ns (place))
      drop (self, place);
  }
}

guint64
gst_tfrc_pending_next_ns (const GstTfrcPending *self)
{
  guint64 next_ns = self->n_calls > 0 ? 0 : gst_tfrc_candidates_next_ns (&self->candidates);

  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    const Place *place = &self->places[i];

    if (!place->known.base.id.exists)
      continue;
    next_ns = MIN (next_ns, forget_ns (place));
    next_ns = MIN (next_ns, unresponsive_ns (place));
  }
  return next_ns;
}

static gboolean
has_shown_itself (const GstTfrcPending *self, const Place *place)
{
  return place->known.base.validated || is_plausible (self, place);
}

static gboolean
sends_tfrc (const GstTfrcPending *self, const Place *place)
{
  return place->known.tfrc;
}

/* Returns the strongest pending peer with data of those that may be taken; NULL: none. */
static const GstTfrcPendingPeer *
get_strongest (
    const GstTfrcPending *self, gboolean (*may_be_taken) (const GstTfrcPending *, const Place *))
{
  const Place *best = NULL;

  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    const Place *place = &self->places[i];

    if (place->known.n_held > 0 && may_be_taken (self, place)
        && (best == NULL || gst_tfrc_candidate_is_weaker (&best->known.base, &place->known.base)))
      best = place;
  }
  return best ? &best->known : NULL;
}

const GstTfrcPendingPeer *
gst_tfrc_pending_get_best (const GstTfrcPending *self)
{
  return get_strongest (self, has_shown_itself);
}

const GstTfrcPendingPeer *
gst_tfrc_pending_get_first (const GstTfrcPending *self)
{
  return get_strongest (self, sends_tfrc);
}

const GstTfrcPendingPeer *
gst_tfrc_pending_get_validated (const GstTfrcPending *self, guint32 ssrc)
{
  const GstTfrcPendingPeer *newest = NULL;

  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    const GstTfrcPendingPeer *peer = &self->places[i].known;

    if (peer->base.validated && peer->n_held > 0 && peer->base.id.ssrc == ssrc
        && (newest == NULL || peer->base.heard_ns > newest->base.heard_ns))
      newest = peer;
  }
  return newest;
}

static gboolean
take_call (GstTfrcPending *self, Call *call)
{
  if (self->n_calls == 0)
    return FALSE;
  *call = self->calls[--self->n_calls];
  return TRUE;
}

gboolean
gst_tfrc_pending_take_challenge (GstTfrcPending *self, guint64 now_ns,
    guint8 data[TFRC_WIRE_PATH_DATA_BYTES], GstTfrcAddress *to, GstTfrcAddress *local)
{
  Place *place;
  gsize size;
  Call call;

  if (take_call (self, &call)) {
    gst_tfrc_cookies_get (self->cookies, &call.from, now_ns, data);
    *to = call.from;
    *local = call.local;
    return TRUE;
  }
  place = (Place *) gst_tfrc_candidates_take_challenge (&self->candidates, now_ns, data, &size);
  if (place == NULL)
    return FALSE;
  place->challenged_ns = MIN (place->challenged_ns, now_ns);
  *to = place->known.base.id.address;
  *local = place->known.local;
  return TRUE;
}

/* ---- invariants -------------------------------------------------------- */

static const gchar *
check_place (const Place *place)
{
  const GstTfrcPendingPeer *known = &place->known;

  if (!known->base.id.exists)
    return place->held || known->n_held > 0 ? "a free place holds packets" : NULL;
  if (known->n_held > GST_TFRC_HELD_PACKETS || (known->n_held > 0 && place->held == NULL))
    return "a pending peer holds more packets than there is room for";
  if ((known->n_held > 0) != place->has_data)
    return "a pending peer has had data and holds none, or the reverse";
  if (place->in_sequence && !place->has_data)
    return "a pending peer without data is in sequence";
  for (guint i = 0; i < known->n_held; i++)
    if (!gst_tfrc_peer_id_is (
            &known->base.id, &get_held (place, i)->from, get_held (place, i)->header.ssrc))
      return "a pending peer holds a packet of another";
  return NULL;
}

const gchar *
gst_tfrc_pending_check (const GstTfrcPending *self)
{
  const gchar *broken = gst_tfrc_candidates_check (&self->candidates);

  for (guint i = 0; i < GST_TFRC_MAX_PENDING && broken == NULL; i++)
    broken = check_place (&self->places[i]);
  for (guint i = 0; i < GST_TFRC_MAX_PENDING && broken == NULL; i++)
    if (!self->role->keeps_unproven && self->places[i].known.base.id.exists
        && !self->places[i].known.base.validated)
      broken = "an end that keeps nothing unproven has a host that is not validated";
  if (broken == NULL && self->role->keeps_unproven && self->n_calls > 0)
    broken = "a call is answered without state although its host has a place";
  return broken;
}

void
gst_tfrc_pending_print (const GstTfrcPending *self)
{
  for (guint i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    const Place *place = &self->places[i];

    if (!place->known.base.id.exists)
      continue;
    g_printerr ("  pending %s %08x:%s%s%s%s heard %" G_GUINT64_FORMAT " ns, holds %u packets\n",
        GST_TFRC_ADDRESS_TEXT (&place->known.base.id.address), place->known.base.id.ssrc,
        place->known.base.validated ? " validated" : "",
        is_plausible (self, place) ? " plausible" : "", place->known.tfrc ? " tfrc" : "",
        place->is_unresponsive ? " unresponsive" : "", place->known.base.heard_ns,
        place->known.n_held);
  }
}
