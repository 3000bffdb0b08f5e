/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The offers that a receiver has answered, see offers.h. */
#include "offers.h"

#include <string.h>

#include "../common/log.h"
#include "unprotected.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A sender repeats an offer at least every 2 s, and then its proof until it hears from this end. */
#define SILENCE_NS (10 * S_NS)

/* The time for which packets with the provisional keys may still be under way, as after a re-keying */
#define LATE_NS GST_TFRC_SRTP_GRACE_NS

/* A packet without protection, with copies of all that it points to */
typedef struct
{
  GstTfrcReceivedPacket packet;
  GstTfrcAddress from;
  guint8 *data;
} Held;

/* Copies of one offer, which have come from different addresses.  A host that has recorded an offer so
 * takes half of the places with it, and a copy that comes first does not keep the original out. */
#define MAX_COPIES (GST_TFRC_MAX_OFFERS / 2)

/* Offers that packets have come for, from their addresses: each has two contexts of libsrtp, and holds
 * packets. The others have their keys alone. */
#define MAX_ACTIVE 8

typedef struct
{
  gboolean exists;
  gboolean is_used;
  gboolean
      is_sealed; /* of a re-keying, protected with the stream's keys: nobody can have recorded it */
  GstTfrcMikeyStream stream;
  GstTfrcAddress from, local;
  GBytes *answer;
  guint64 heard_ns;       /* of the offer or its packets; USED: when it became so */
  GstTfrcStreamKeys keys; /* the agreed ones, wiped when USED */
  GstTfrcStreamKeys provisional_keys;
  /* If it is active; otherwise NULL, and nothing is held */
  GstTfrcSrtp *agreed, *provisional;
  GQueue held; /* Held, in the order in which they came */
} Offer;

struct _GstTfrcOffers
{
  Offer offers[GST_TFRC_MAX_OFFERS];
  guint end;    /* behind the last offer, so that a stream without an attack looks at none or one */
  GQueue ready; /* Held, of offers that are USED */
  Held *taken;  /* the last one that has been taken; NULL: none */
  guint64 dropped;
};

/* ---- life ---------------------------------------------------------------- */

static void
held_free (gpointer data)
{
  Held *held = data;

  if (held == NULL)
    return;
  g_free (held->data);
  g_free (held);
}

static gboolean
is_active (const Offer *offer)
{
  return offer->agreed != NULL;
}

/* The keys stay. */
static void
deactivate (GstTfrcOffers *self, Offer *offer)
{
  self->dropped += offer->held.length;
  g_queue_clear_full (&offer->held, held_free);
  g_clear_pointer (&offer->agreed, gst_tfrc_srtp_free);
  g_clear_pointer (&offer->provisional, gst_tfrc_srtp_free);
}

static void
forget (GstTfrcOffers *self, Offer *offer)
{
  if (!offer->exists)
    return;
  deactivate (self, offer);
  gst_tfrc_stream_keys_wipe (&offer->keys);
  gst_tfrc_stream_keys_wipe (&offer->provisional_keys);
  g_bytes_unref (offer->answer);
  memset (offer, 0, sizeof *offer);
  while (self->end > 0 && !self->offers[self->end - 1].exists)
    self->end--;
}

GstTfrcOffers *
gst_tfrc_offers_new (void)
{
  return g_new0 (GstTfrcOffers, 1);
}

void
gst_tfrc_offers_free (GstTfrcOffers *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->end; i++)
    forget (self, &self->offers[i]);
  g_queue_clear_full (&self->ready, held_free);
  held_free (self->taken);
  g_free (self);
}

/* ---- places -------------------------------------------------------------- */

/* Returns whether the first gives way before the second does, for an offer of this host. */
static gboolean
is_weaker (const Offer *a, const Offer *b, const GstTfrcAddress *from)
{
  gboolean is_a_there = gst_tfrc_address_same_network (&a->from, from);
  gboolean is_b_there = gst_tfrc_address_same_network (&b->from, from);

  if (!a->exists || !b->exists)
    return !a->exists && b->exists;
  if (a->is_used != b->is_used)
    return a->is_used;
  if (a->is_sealed != b->is_sealed)
    return b->is_sealed;
  /* So that no host can take the places of others by offers that it has recorded. */
  if (is_a_there != is_b_there)
    return is_a_there;
  return a->heard_ns < b->heard_ns;
}

/* Returns the place that the next offer of this host takes. */
static Offer *
make_room (GstTfrcOffers *self, const GstTfrcAddress *from, guint32 csb_id)
{
  Offer *place = &self->offers[MIN (self->end, GST_TFRC_MAX_OFFERS - 1)], *copy = NULL;
  guint copies = 0;

  for (guint i = 0; i < self->end; i++) {
    Offer *offer = &self->offers[i];

    if (is_weaker (offer, place, from))
      place = offer;
    if (!offer->exists || offer->stream.csb_id != csb_id)
      continue;
    copies++;
    if (copy == NULL || is_weaker (offer, copy, from))
      copy = offer;
  }
  if (copies >= MAX_COPIES)
    place = copy;
  forget (self, place);
  return place;
}

/* ---- active offers ------------------------------------------------------- */

/* Nobody asks for repairs of a stream that has not been read, so that an offer, which anybody may have
 * recorded, need not cost their part of a context. */
static GstTfrcSrtp *
new_srtp (const GstTfrcMikeyStream *stream, const GstTfrcStreamKeys *keys)
{
  GstTfrcSrtp *srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);

  gst_tfrc_srtp_leave_out_repairs (srtp);
  if (!gst_tfrc_srtp_install (srtp, keys, stream->ssrc, stream->roc, 0, NULL))
    g_clear_pointer (&srtp, gst_tfrc_srtp_free);
  return srtp;
}

/* The weakest active offer gives way.  A USED one has nothing left but that. */
static void
make_active_room (GstTfrcOffers *self, const GstTfrcAddress *from)
{
  Offer *weakest = NULL;
  guint n = 0;

  for (guint i = 0; i < self->end; i++) {
    Offer *offer = &self->offers[i];

    if (!is_active (offer))
      continue;
    n++;
    if (weakest == NULL || is_weaker (offer, weakest, from))
      weakest = offer;
  }
  if (n < MAX_ACTIVE)
    return;
  if (weakest->is_used)
    forget (self, weakest);
  else
    deactivate (self, weakest);
}

/* Returns FALSE if libsrtp or OpenSSL refuses the keys. */
static gboolean
activate (GstTfrcOffers *self, Offer *offer)
{
  if (is_active (offer))
    return TRUE;
  make_active_room (self, &offer->from);
  offer->agreed = new_srtp (&offer->stream, &offer->keys);
  offer->provisional = new_srtp (&offer->stream, &offer->provisional_keys);
  if (offer->agreed && offer->provisional)
    return TRUE;
  forget (self, offer);
  return FALSE;
}

void
gst_tfrc_offers_add (
    GstTfrcOffers *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns)
{
  const GstTfrcAddress *from = gst_tfrc_exchange_get_address (contact);
  Offer *offer;

  gst_tfrc_offers_on_time (self, now_ns);
  offer = make_room (self, from, news->stream.csb_id);
  self->end = MAX (self->end, (guint) (offer - self->offers) + 1);
  *offer = (Offer){ .exists = TRUE,
    .is_sealed = news->is_sealed,
    .stream = news->stream,
    .from = *from,
    .local = *gst_tfrc_exchange_get_local (contact),
    .answer = g_bytes_ref (news->answer),
    .heard_ns = now_ns,
    .keys = news->keys,
    .provisional_keys = news->provisional };
  gst_tfrc_stream_keys_wipe (&news->keys);
  gst_tfrc_stream_keys_wipe (&news->provisional);
  gst_tfrc_log (keys, DEBUG, "stream %08x: answers offer csb %08x of %s", offer->stream.ssrc,
      offer->stream.csb_id, GST_TFRC_ADDRESS_TEXT (from));
}

void
gst_tfrc_offers_forget_others (GstTfrcOffers *self, const GstTfrcMikeyStream *stream)
{
  for (guint i = 0; i < self->end; i++) {
    Offer *offer = &self->offers[i];

    if (offer->stream.ssrc == stream->ssrc && !g_str_equal (offer->stream.author, stream->author))
      forget (self, offer);
  }
}

void
gst_tfrc_offers_forget_others_at (
    GstTfrcOffers *self, const GstTfrcAddress *address, const GstTfrcKeyParties *parties)
{
  for (guint i = 0; i < self->end; i++) {
    Offer *offer = &self->offers[i];

    if (gst_tfrc_address_equal (&offer->from, address)
        && !gst_tfrc_key_parties_may_be_author (parties, address, offer->stream.author))
      forget (self, offer);
  }
}

GBytes *
gst_tfrc_offers_find_answer (
    GstTfrcOffers *self, const GstTfrcExchange *contact, guint32 csb_id, guint64 now_ns)
{
  for (guint i = 0; i < self->end; i++) {
    Offer *offer = &self->offers[i];

    if (!offer->exists || offer->stream.csb_id != csb_id
        || !gst_tfrc_address_equal (&offer->from, gst_tfrc_exchange_get_address (contact)))
      continue;
    if (!offer->is_used)
      offer->heard_ns = now_ns;
    return offer->answer;
  }
  return NULL;
}

static gboolean
is_of_stream (const Offer *offer, guint32 packet_ssrc)
{
  return offer->exists && offer->stream.ssrc == packet_ssrc;
}

gboolean
gst_tfrc_offers_has_stream (const GstTfrcOffers *self, guint32 ssrc)
{
  for (guint i = 0; i < self->end; i++) {
    if (is_of_stream (&self->offers[i], ssrc))
      return TRUE;
  }
  return FALSE;
}

gboolean
gst_tfrc_offers_has_open (const GstTfrcOffers *self)
{
  for (guint i = 0; i < self->end; i++) {
    if (self->offers[i].exists && !self->offers[i].is_used)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_over (const Offer *offer, guint64 now_ns)
{
  return now_ns >= offer->heard_ns + (offer->is_used ? LATE_NS : SILENCE_NS);
}

void
gst_tfrc_offers_on_time (GstTfrcOffers *self, guint64 now_ns)
{
  for (guint i = 0; i < self->end; i++) {
    if (is_over (&self->offers[i], now_ns))
      forget (self, &self->offers[i]);
  }
}

guint64
gst_tfrc_offers_get_dropped (const GstTfrcOffers *self)
{
  return self->dropped;
}

/* ---- packets ------------------------------------------------------------- */

/* Takes over @data. */
static void
hold (GstTfrcOffers *self, Offer *offer, const GstTfrcReceivedPacket *plain, guint8 *data)
{
  Held *held = g_new0 (Held, 1);

  held->packet = *plain;
  held->from = *plain->from;
  held->data = data;
  held->packet.from = &held->from;
  held->packet.data = data;
  g_queue_push_tail (&offer->held, held);
  if (offer->held.length > GST_TFRC_OFFER_MAX_HELD) {
    held_free (g_queue_pop_head (&offer->held));
    self->dropped++;
  }
}

static void
use (GstTfrcOffers *self, Offer *offer, GstTfrcAgreement *agreement, guint64 now_ns)
{
  Held *held;

  gst_tfrc_log (keys, DEBUG,
      "stream %08x: its sender has the answer to csb %08x, %u packets waited", offer->stream.ssrc,
      offer->stream.csb_id, offer->held.length);
  offer->is_used = TRUE;
  offer->heard_ns = now_ns;
  while ((held = g_queue_pop_head (&offer->held)))
    g_queue_push_tail (&self->ready, held);
  *agreement = (GstTfrcAgreement){ &offer->stream, &offer->keys, &offer->from, &offer->local,
    offer->provisional };
}

/* The packet and a copy of it, which a failing attempt spoils */
typedef struct
{
  const GstTfrcReceivedPacket *packet;
  gboolean is_rtcp;
  guint8 *copy;
  gsize size; /* of the copy, once it is without protection */
} Attempt;

static GstTfrcUnprotectResult
try (Attempt *attempt, GstTfrcSrtp *srtp, guint64 now_ns)
{
  attempt->size = attempt->packet->size;
  memcpy (attempt->copy, attempt->packet->data, attempt->size);
  return gst_tfrc_srtp_unprotect (srtp, attempt->is_rtcp, attempt->copy, &attempt->size, now_ns);
}

/* Provisional keys prove nothing, so that a packet from elsewhere is not held: it could be a copy, and
 * keep the original out. */
static GstTfrcOfferResult
read_provisional (GstTfrcOffers *self, Offer *offer, Attempt *attempt, GstTfrcReceivedPacket *plain,
    guint64 now_ns)
{
  GstTfrcUnprotectResult result;

  if (!gst_tfrc_address_equal (&offer->from, attempt->packet->from))
    return GST_TFRC_OFFER_NOTHING;
  result = try (attempt, offer->provisional, now_ns);
  if (result != GST_TFRC_UNPROTECTED_OK)
    return result == GST_TFRC_UNPROTECTED_REPLAYED ? GST_TFRC_OFFER_REPLAYED
                                                   : GST_TFRC_OFFER_NOTHING;
  gst_tfrc_note_unprotected (plain, offer->provisional, attempt->is_rtcp, attempt->size);
  if (offer->is_used) {
    memcpy (plain->data, attempt->copy, attempt->size);
    return GST_TFRC_OFFER_LATE;
  }
  offer->heard_ns = now_ns;
  hold (self, offer, plain, g_steal_pointer (&attempt->copy));
  return GST_TFRC_OFFER_HELD;
}

static GstTfrcOfferResult
read_offer (GstTfrcOffers *self, Offer *offer, Attempt *attempt, GstTfrcReceivedPacket *plain,
    GstTfrcAgreement *agreement, guint64 now_ns)
{
  if (!is_active (offer)
      && (!gst_tfrc_address_equal (&offer->from, attempt->packet->from) || !activate (self, offer)))
    return GST_TFRC_OFFER_NOTHING;
  if (!offer->is_used && try (attempt, offer->agreed, now_ns) == GST_TFRC_UNPROTECTED_OK) {
    use (self, offer, agreement, now_ns);
    return GST_TFRC_OFFER_AGREED;
  }
  return read_provisional (self, offer, attempt, plain, now_ns);
}

GstTfrcOfferResult
gst_tfrc_offers_read (GstTfrcOffers *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp,
    GstTfrcReceivedPacket *plain, GstTfrcAgreement *agreement, guint64 now_ns)
{
  guint32 ssrc = GST_READ_UINT32_BE (packet->data + (is_rtcp ? 4 : 8));
  GstTfrcOfferResult result = GST_TFRC_OFFER_NOTHING;
  Attempt attempt = { packet, is_rtcp, NULL, 0 };

  gst_tfrc_offers_on_time (self, now_ns);
  for (guint i = 0; i < self->end && result == GST_TFRC_OFFER_NOTHING; i++) {
    if (!is_of_stream (&self->offers[i], ssrc))
      continue;
    if (attempt.copy == NULL)
      attempt.copy = g_malloc (packet->size);
    result = read_offer (self, &self->offers[i], &attempt, plain, agreement, now_ns);
  }
  g_free (attempt.copy);
  return result;
}

gboolean
gst_tfrc_offers_take (GstTfrcOffers *self, GstTfrcReceivedPacket *packet)
{
  held_free (self->taken);
  self->taken = g_queue_pop_head (&self->ready);
  if (self->taken)
    *packet = self->taken->packet;
  return self->taken != NULL;
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_offers_check (const GstTfrcOffers *self)
{
  for (guint i = 0; i < self->end; i++) {
    const Offer *offer = &self->offers[i];

    if (offer->is_used && !is_active (offer))
      return "Of an offer that is used, only late packets are left.";
    if (!offer->exists && (offer->answer || offer->agreed || offer->held.length > 0))
      return "A place without an offer is empty.";
    if (offer->is_used && offer->held.length > 0)
      return "What was held for an offer follows when the offer is used.";
    if (offer->held.length > GST_TFRC_OFFER_MAX_HELD)
      return "An offer holds no more packets than there is room for.";
  }
  return NULL;
}

void
gst_tfrc_offers_print (const GstTfrcOffers *self)
{
  for (guint i = 0; i < self->end; i++) {
    const Offer *offer = &self->offers[i];

    if (offer->exists)
      g_printerr ("offer csb %08x of stream %08x from %s: %s, %u packets wait\n",
          offer->stream.csb_id, offer->stream.ssrc, GST_TFRC_ADDRESS_TEXT (&offer->from),
          offer->is_used ? "used" : "open", offer->held.length);
  }
}
