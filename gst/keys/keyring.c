/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys that a receiver has, see keyring.h. */
#include "keyring.h"

#include <string.h>

#include <tfrc/wire.h>

#include "../common/log.h"

/* Streams that a source has keys of: the peer's, and the one of a sender that follows */
#define MAX_STREAMS 2

struct _GstTfrcKeyring
{
  GstTfrcOffers *offers;                    /* that have been answered */
  GstTfrcKeyedStream *streams[MAX_STREAMS]; /* NULL: this place is free */
  GstTfrcRaisedTtlReceiver raised_ttl;      /* of a stream without keys */
  gboolean has_peer;
  guint32 peer_ssrc;
  gboolean has_new_keys;
  GstTfrcNewKeys new_keys; /* that have not been taken */
};

/* ---- life ---------------------------------------------------------------- */

GstTfrcKeyring *
gst_tfrc_keyring_new (void)
{
  GstTfrcKeyring *self = g_new0 (GstTfrcKeyring, 1);

  self->offers = gst_tfrc_offers_new ();
  return self;
}

void
gst_tfrc_keyring_free (GstTfrcKeyring *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < MAX_STREAMS; i++)
    gst_tfrc_keyed_stream_free (self->streams[i]);
  gst_tfrc_offers_free (self->offers);
  g_free (self);
}

void
gst_tfrc_keyring_set_protect (GstTfrcKeyring *self, GstTfrcProtect protect)
{
  gst_tfrc_raised_ttl_receiver_init (&self->raised_ttl, protect);
}

/* ---- streams ------------------------------------------------------------- */

/* Returns the stream that has this SSRC as the one of its media, or of its repairs. */
static GstTfrcKeyedStream *
find_as (const GstTfrcKeyring *self, guint32 ssrc, GstTfrcSrtpStream kind)
{
  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i] && gst_tfrc_keyed_stream_find (self->streams[i], ssrc) == kind)
      return self->streams[i];
  }
  return NULL;
}

/* Another sender may have an odd SSRC. */
GstTfrcKeyedStream *
gst_tfrc_keyring_find (const GstTfrcKeyring *self, guint32 ssrc)
{
  GstTfrcKeyedStream *stream = find_as (self, ssrc, GST_TFRC_SRTP_MEDIA);

  return stream ? stream : find_as (self, ssrc, GST_TFRC_SRTP_REPAIR);
}

GstTfrcKeyedStream *
gst_tfrc_keyring_find_peer (const GstTfrcKeyring *self)
{
  return self->has_peer ? gst_tfrc_keyring_find (self, self->peer_ssrc) : NULL;
}

GstTfrcKeyedStream *
gst_tfrc_keyring_find_exchange (const GstTfrcKeyring *self, guint32 csb_id)
{
  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i] && gst_tfrc_keyed_stream_is_of (self->streams[i], csb_id))
      return self->streams[i];
  }
  return NULL;
}

static gboolean
is_newer (const GstTfrcKeyedStream *a, const GstTfrcKeyedStream *b)
{
  return b == NULL || gst_tfrc_keyed_stream_get_key_ns (a) > gst_tfrc_keyed_stream_get_key_ns (b);
}

/* Returns the stream with the newest keys that an address has. */
static GstTfrcKeyedStream *
find_at (const GstTfrcKeyring *self, const GstTfrcAddress *address)
{
  GstTfrcKeyedStream *found = NULL;

  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i] && gst_tfrc_keyed_stream_is_at (self->streams[i], address)
        && is_newer (self->streams[i], found))
      found = self->streams[i];
  }
  return found;
}

gboolean
gst_tfrc_keyring_has_at (const GstTfrcKeyring *self, const GstTfrcAddress *address)
{
  return find_at (self, address) != NULL;
}

void
gst_tfrc_keyring_set_peer (GstTfrcKeyring *self, const GstTfrcAddress *address, guint32 ssrc)
{
  GstTfrcKeyedStream *stream = gst_tfrc_keyring_find (self, ssrc);

  if (stream)
    gst_tfrc_keyed_stream_move (stream, address);
  self->has_peer = TRUE;
  self->peer_ssrc = ssrc;
}

/* Makes room for another stream, in place of the older one that is not the peer's. */
static void
add_stream (GstTfrcKeyring *self, GstTfrcKeyedStream *stream)
{
  guint place = self->streams[0] && is_newer (self->streams[0], self->streams[1]) ? 1 : 0;

  if (self->streams[place] && self->streams[place] == gst_tfrc_keyring_find_peer (self))
    place = 1 - place;
  gst_tfrc_keyed_stream_free (self->streams[place]);
  self->streams[place] = stream;
}

/* ---- keys that come ------------------------------------------------------ */

/* Installs keys that both ends have.  Returns the stream; NULL if the keys are refused. */
static GstTfrcKeyedStream *
install (GstTfrcKeyring *self, const GstTfrcAgreement *agreed, gboolean is_granted, guint64 now_ns)
{
  GstTfrcKeyedStream *known = find_as (self, agreed->stream->ssrc, GST_TFRC_SRTP_MEDIA);
  GstTfrcKeyedStream *stream = known;

  if (known == NULL)
    stream = gst_tfrc_keyed_stream_new (agreed->from, agreed->local, &self->raised_ttl);
  if (!gst_tfrc_keyed_stream_install (
          stream, agreed->stream, agreed->keys, agreed->from, is_granted, now_ns)) {
    if (known == NULL)
      gst_tfrc_keyed_stream_free (stream);
    return NULL;
  }
  if (known == NULL)
    add_stream (self, stream);
  if (agreed->provisional)
    gst_tfrc_keyed_stream_follow (stream, agreed->provisional);
  gst_tfrc_offers_forget_others (self->offers, agreed->stream);
  self->has_new_keys = TRUE;
  self->new_keys = (GstTfrcNewKeys){ agreed->stream->cipher, is_granted, *agreed->from,
    known != NULL };
  return stream;
}

/* Whoever has a certificate of the CA can sign keys, also for an SSRC of another sender, be it that of its
 * repairs: a stream with keys has other keys of the same author alone.  Wipes the keys of others. */
static gboolean
is_of_author (const GstTfrcKeyring *self, GstTfrcKeyNews *news)
{
  const GstTfrcKeyedStream *known = gst_tfrc_keyring_find (self, news->stream.ssrc);

  if (known == NULL || gst_tfrc_keyed_stream_is_by (known, news->stream.author))
    return TRUE;
  gst_tfrc_stream_keys_wipe (&news->keys);
  gst_tfrc_stream_keys_wipe (&news->provisional);
  gst_tfrc_log (keys, DEBUG, "stream %08x: refuses keys of %s, which is not its sender",
      news->stream.ssrc, news->stream.author);
  return FALSE;
}

gboolean
gst_tfrc_keyring_offer (
    GstTfrcKeyring *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns)
{
  if (!is_of_author (self, news))
    return FALSE;
  gst_tfrc_offers_add (self->offers, contact, news, now_ns);
  return TRUE;
}

gboolean
gst_tfrc_keyring_grant (
    GstTfrcKeyring *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns)
{
  const GstTfrcAgreement granted = { &news->stream, &news->keys,
    gst_tfrc_exchange_get_address (contact), gst_tfrc_exchange_get_local (contact), NULL };

  return is_of_author (self, news) && install (self, &granted, TRUE, now_ns) != NULL;
}

GBytes *
gst_tfrc_keyring_find_answer (
    GstTfrcKeyring *self, const GstTfrcExchange *contact, guint32 csb_id, guint64 now_ns)
{
  return gst_tfrc_offers_find_answer (self->offers, contact, csb_id, now_ns);
}

gboolean
gst_tfrc_keyring_take_new_keys (GstTfrcKeyring *self, GstTfrcNewKeys *keys)
{
  gboolean has_new_keys = self->has_new_keys;

  *keys = self->new_keys;
  self->has_new_keys = FALSE;
  return has_new_keys;
}

void
gst_tfrc_keyring_forget_others_at (
    GstTfrcKeyring *self, const GstTfrcAddress *address, const GstTfrcKeyParties *parties)
{
  gboolean has_credentials = gst_tfrc_key_parties_find (parties, address) != NULL;

  for (guint i = 0; i < MAX_STREAMS; i++) {
    GstTfrcKeyedStream *stream = self->streams[i];

    if (stream && gst_tfrc_keyed_stream_is_from (stream, address)
        && !(has_credentials
            && gst_tfrc_key_parties_may_be_author (
                parties, address, gst_tfrc_keyed_stream_get_author (stream))))
      g_clear_pointer (&self->streams[i], gst_tfrc_keyed_stream_free);
  }
  gst_tfrc_offers_forget_others_at (self->offers, address, parties);
}

gboolean
gst_tfrc_keyring_may_be_from (const GstTfrcKeyring *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcKeyParties *parties)
{
  gsize at = tfrc_wire_classify (packet->data, packet->size) == TFRC_WIRE_KIND_RTCP ? 4 : 8;
  const GstTfrcKeyedStream *stream;

  if (packet->size < at + 4 || gst_tfrc_key_packet_is (packet->data, packet->size))
    return TRUE;
  stream = gst_tfrc_keyring_find (self, GST_READ_UINT32_BE (packet->data + at));
  return stream == NULL
      || gst_tfrc_key_parties_may_be_author (
          parties, packet->from, gst_tfrc_keyed_stream_get_author (stream));
}

/* ---- packets that come --------------------------------------------------- */

/* Of a stream without keys: as it begins */
static const GstTfrcRaisedTtlReceiver *
raised_ttl_of (const GstTfrcKeyring *self, const GstTfrcKeyedStream *stream)
{
  return stream ? gst_tfrc_keyed_stream_get_raised_ttl (stream) : &self->raised_ttl;
}

/* The number of a repair does not say whether it left before the first protected packet: once that has
 * come, a plain repair is refused, and asked for again. */
static gboolean
takes_plain (const GstTfrcKeyring *self, const GstTfrcKeyedStream *stream,
    const GstTfrcReceivedPacket *packet, gboolean is_rtcp, guint64 now_ns)
{
  const GstTfrcRaisedTtlReceiver *raised_ttl = raised_ttl_of (self, stream);

  if (stream && !is_rtcp && gst_tfrc_raised_ttl_receiver_is_sealed (raised_ttl)
      && gst_tfrc_keyed_stream_find (stream, GST_READ_UINT32_BE (packet->data + 8))
          != GST_TFRC_SRTP_MEDIA)
    return FALSE;
  return gst_tfrc_raised_ttl_receiver_takes_plain (raised_ttl, is_rtcp, packet->data, now_ns);
}

/* A packet that is not protected with the keys of its stream may be one of an offer. */
static GstTfrcKeyringVerdict
unprotect_of_offer (GstTfrcKeyring *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp,
    GstTfrcReceivedPacket *plain, GstTfrcKeyringFinding *finding, guint64 now_ns)
{
  GstTfrcAgreement agreement;

  switch (gst_tfrc_offers_read (self->offers, packet, is_rtcp, plain, &agreement, now_ns)) {
    case GST_TFRC_OFFER_AGREED:
      finding->stream = install (self, &agreement, FALSE, now_ns);
      if (finding->stream)
        finding->result = gst_tfrc_keyed_stream_unprotect (
            finding->stream, packet, is_rtcp, plain, now_ns);
      break;
    case GST_TFRC_OFFER_LATE: /* the stream may have had to give way since */
      if (finding->stream == NULL)
        break;
      gst_tfrc_keyed_stream_take (finding->stream, is_rtcp, plain, now_ns);
      finding->result = GST_TFRC_UNPROTECTED_OK;
      break;
    case GST_TFRC_OFFER_HELD:
      return GST_TFRC_KEYRING_WAIT;
    case GST_TFRC_OFFER_REPLAYED:
      finding->result = GST_TFRC_UNPROTECTED_REPLAYED;
      break;
    case GST_TFRC_OFFER_NOTHING:
      break;
  }
  return finding->result == GST_TFRC_UNPROTECTED_OK ? GST_TFRC_KEYRING_USE
                                                    : GST_TFRC_KEYRING_REFUSE;
}

/* An attempt that fails spoils the packet, so the next one needs a copy. */
static GstTfrcKeyringVerdict
unprotect (GstTfrcKeyring *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp,
    GstTfrcReceivedPacket *plain, GstTfrcKeyringFinding *finding, guint32 ssrc, guint64 now_ns)
{
  gboolean is_offered = gst_tfrc_offers_has_stream (self->offers, ssrc);
  guint8 *copy = is_offered ? g_memdup2 (packet->data, packet->size) : NULL;
  GstTfrcKeyringVerdict verdict = GST_TFRC_KEYRING_REFUSE;

  if (finding->stream)
    finding->result = gst_tfrc_keyed_stream_unprotect (
        finding->stream, packet, is_rtcp, plain, now_ns);
  if (finding->result == GST_TFRC_UNPROTECTED_OK) {
    verdict = GST_TFRC_KEYRING_USE;
  } else if (is_offered) {
    memcpy (packet->data, copy, packet->size);
    verdict = unprotect_of_offer (self, packet, is_rtcp, plain, finding, now_ns);
  }
  g_free (copy);
  return verdict;
}

GstTfrcKeyringVerdict
gst_tfrc_keyring_unprotect (GstTfrcKeyring *self, const GstTfrcReceivedPacket *packet,
    gboolean is_rtcp, GstTfrcReceivedPacket *plain, GstTfrcKeyringFinding *finding, guint64 now_ns)
{
  guint32 ssrc = GST_READ_UINT32_BE (packet->data + (is_rtcp ? 4 : 8));
  GstTfrcKeyringVerdict verdict;

  *finding = (GstTfrcKeyringFinding){ .stream = gst_tfrc_keyring_find (self, ssrc),
    .was_plaintext = is_rtcp ? gst_tfrc_security_is_plain_rtcp (packet->data, packet->size)
                             : gst_tfrc_security_is_plain_data (packet->data, packet->size),
    .result = GST_TFRC_UNPROTECTED_NO_KEY };
  if (finding->was_plaintext && takes_plain (self, finding->stream, packet, is_rtcp, now_ns))
    return GST_TFRC_KEYRING_USE;
  verdict = unprotect (self, packet, is_rtcp, plain, finding, ssrc, now_ns);
  finding->is_sealed = verdict == GST_TFRC_KEYRING_USE;
  return verdict;
}

/* Skips key packets that were held, because they say nothing that the offer has not said. */
gboolean
gst_tfrc_keyring_take_held (GstTfrcKeyring *self, GstTfrcReceivedPacket *packet)
{
  while (gst_tfrc_offers_take (self->offers, packet)) {
    gboolean is_rtcp = tfrc_wire_classify (packet->data, packet->size) == TFRC_WIRE_KIND_RTCP;
    GstTfrcKeyedStream *stream = gst_tfrc_keyring_find (
        self, GST_READ_UINT32_BE (packet->data + (is_rtcp ? 4 : 8)));

    if (stream == NULL || (is_rtcp && gst_tfrc_key_packet_is (packet->data, packet->size)))
      continue;
    gst_tfrc_keyed_stream_take (stream, is_rtcp, packet, packet->arrival_ns);
    return TRUE;
  }
  return FALSE;
}

gboolean
gst_tfrc_keyring_play (GstTfrcKeyring *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  GstTfrcKeyedStream *stream = packet->is_protected ? gst_tfrc_keyring_find (self, ssrc) : NULL;

  return stream ? gst_tfrc_keyed_stream_play (stream, ssrc, packet->index) : !packet->is_protected;
}

/* ---- packets that leave -------------------------------------------------- */

gsize
gst_tfrc_keyring_protect (
    GstTfrcKeyring *self, const GstTfrcAddress *to, guint8 *packet, gsize size)
{
  GstTfrcKeyedStream *stream = find_at (self, to);

  if (!gst_tfrc_raised_ttl_receiver_is_sealed (raised_ttl_of (self, stream)))
    return size;
  return stream ? gst_tfrc_keyed_stream_protect (stream, packet, size) : 0;
}

gsize
gst_tfrc_keyring_write_confirmation (GstTfrcKeyring *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size = 0;

  for (guint i = 0; i < MAX_STREAMS && size == 0; i++) {
    if (self->streams[i])
      size = gst_tfrc_keyed_stream_write_confirmation (
          self->streams[i], own_ssrc, buffer, to, local);
  }
  return size;
}

/* ---- queries and time ---------------------------------------------------- */

gboolean
gst_tfrc_keyring_is_empty (const GstTfrcKeyring *self)
{
  return self->streams[0] == NULL && self->streams[1] == NULL
      && !gst_tfrc_offers_has_open (self->offers);
}

guint64
gst_tfrc_keyring_get_dropped (const GstTfrcKeyring *self)
{
  return gst_tfrc_offers_get_dropped (self->offers);
}

void
gst_tfrc_keyring_on_time (GstTfrcKeyring *self, guint64 now_ns)
{
  gst_tfrc_offers_on_time (self->offers, now_ns);
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_keyring_check (const GstTfrcKeyring *self)
{
  const GstTfrcKeyedStream *a = self->streams[0], *b = self->streams[1];
  const gchar *broken = gst_tfrc_offers_check (self->offers);

  if (a && b && gst_tfrc_keyed_stream_get_ssrc (a) == gst_tfrc_keyed_stream_get_ssrc (b))
    return "A stream has one place.";
  for (guint i = 0; i < MAX_STREAMS && broken == NULL; i++)
    broken = self->streams[i] ? gst_tfrc_keyed_stream_check (self->streams[i]) : NULL;
  return broken;
}

void
gst_tfrc_keyring_print (const GstTfrcKeyring *self)
{
  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i])
      gst_tfrc_keyed_stream_print (self->streams[i]);
  }
  gst_tfrc_offers_print (self->offers);
}
