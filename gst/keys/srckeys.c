/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a source, see srckeys.h. */
#include "srckeys.h"

#include <tfrc/wire.h>

#include "../common/log.h"
#include "doubts.h"
#include "keyedstream.h"
#include "securityevents.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* Streams that a source has keys of: the peer's, and the one of a sender that follows */
#define MAX_STREAMS 2

/* Addresses that key messages are exchanged with.  Each has room for a message, 8 KiB. */
#define MAX_CONTACTS 8

/* A packet that asks for a request, and comes so soon after the keys, was late, or came twice. */
#define NEW_KEYS_NS S_NS

struct _GstTfrcSrcKeys
{
  GstTfrcKeyParty *party;                  /* NULL: without credentials nothing is protected */
  GstTfrcExchange *contacts[MAX_CONTACTS]; /* NULL without credentials */
  guint32 own_ssrc;
  gboolean asks_in_reverse;                 /* the mode is RSA-R */
  GstTfrcKeyedStream *streams[MAX_STREAMS]; /* NULL: this place is free */
  GstTfrcRaisedTtlReceiver raised_ttl;      /* of a stream without keys */
  gboolean has_peer;
  guint32 peer_ssrc;
  gboolean wants_rekey; /* the peer is to be asked for new keys */

  GstTfrcDoubts doubts; /* about all senders, while there is no stream with keys */
  gboolean has_failed;  /* which has been told */

  GstTfrcSecurityEvents events;
  GstTfrcSecurityStats stats;
};

/* ---- life ---------------------------------------------------------------- */

GstTfrcSrcKeys *
gst_tfrc_src_keys_new (
    const GstTfrcSecurityConfig *config, const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 ssrc)
{
  GstTfrcSrcKeys *self = g_new0 (GstTfrcSrcKeys, 1);
  GstTfrcKeyExchange key_exchange;

  self->own_ssrc = ssrc;
  if (config->credentials == NULL)
    return self;
  key_exchange = gst_tfrc_credentials_get_key_exchange (config->credentials);
  self->party = gst_tfrc_key_party_new (GST_TFRC_SRTP_RECEIVER, config->credentials, secret);
  for (guint i = 0; i < MAX_CONTACTS; i++)
    self->contacts[i] = gst_tfrc_exchange_new (self->party);
  gst_tfrc_raised_ttl_receiver_init (&self->raised_ttl, config->protect);
  self->stats.is_protected = TRUE;
  self->asks_in_reverse = key_exchange == GST_TFRC_KEY_EXCHANGE_RSA_R;
  self->stats.key_exchange = key_exchange;
  return self;
}

void
gst_tfrc_src_keys_free (GstTfrcSrcKeys *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < MAX_STREAMS; i++)
    gst_tfrc_keyed_stream_free (self->streams[i]);
  for (guint i = 0; i < MAX_CONTACTS; i++)
    gst_tfrc_exchange_free (self->contacts[i]);
  gst_tfrc_key_party_free (self->party);
  g_free (self);
}

gboolean
gst_tfrc_src_keys_is_protected (GstTfrcSrcKeys *self)
{
  return self->party != NULL;
}

/* ---- streams with keys --------------------------------------------------- */

static GstTfrcKeyedStream *
find (GstTfrcSrcKeys *self, guint32 ssrc)
{
  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i] && gst_tfrc_keyed_stream_get_ssrc (self->streams[i]) == ssrc)
      return self->streams[i];
  }
  return NULL;
}

static GstTfrcKeyedStream *
find_peer (GstTfrcSrcKeys *self)
{
  return self->has_peer ? find (self, self->peer_ssrc) : NULL;
}

static gboolean
is_newer (const GstTfrcKeyedStream *a, const GstTfrcKeyedStream *b)
{
  return b == NULL || gst_tfrc_keyed_stream_get_key_ns (a) > gst_tfrc_keyed_stream_get_key_ns (b);
}

/* Returns the stream with the newest keys that an address has. */
static GstTfrcKeyedStream *
find_at (GstTfrcSrcKeys *self, const GstTfrcAddress *address)
{
  GstTfrcKeyedStream *found = NULL;

  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i] && gst_tfrc_keyed_stream_is_at (self->streams[i], address)
        && is_newer (self->streams[i], found))
      found = self->streams[i];
  }
  return found;
}

void
gst_tfrc_src_keys_set_peer (GstTfrcSrcKeys *self, const GstTfrcAddress *address, guint32 ssrc)
{
  GstTfrcKeyedStream *stream = find (self, ssrc);

  if (stream)
    gst_tfrc_keyed_stream_move (stream, address);
  self->has_peer = TRUE;
  self->peer_ssrc = ssrc;
}

/* Makes room for another stream, in place of the older one that is not the peer's. */
static void
add_stream (GstTfrcSrcKeys *self, GstTfrcKeyedStream *stream)
{
  guint place = self->streams[0] && is_newer (self->streams[0], self->streams[1]) ? 1 : 0;

  if (self->streams[place] && self->streams[place] == find_peer (self))
    place = 1 - place;
  gst_tfrc_keyed_stream_free (self->streams[place]);
  self->streams[place] = stream;
}

static void
note_keys (GstTfrcSrcKeys *self, GstTfrcCipher cipher, gboolean is_granted, gboolean is_rekeyed)
{
  self->doubts = (GstTfrcDoubts){ 0 };
  self->has_failed = FALSE;
  self->stats.cipher = cipher;
  if (self->stats.key_exchange != GST_TFRC_KEY_EXCHANGE_PSK)
    self->stats.key_exchange = is_granted ? GST_TFRC_KEY_EXCHANGE_RSA_R : GST_TFRC_KEY_EXCHANGE_RSA;
  self->stats.rekeyings += is_rekeyed;
  gst_tfrc_security_events_add (
      &self->events, is_rekeyed ? GST_TFRC_SECURITY_REKEYED : GST_TFRC_SECURITY_ESTABLISHED, NULL);
}

static gboolean
install (GstTfrcSrcKeys *self, const GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns)
{
  GstTfrcKeyedStream *known = find (self, news->stream.ssrc);
  GstTfrcKeyedStream *stream = known ? known
                                     : gst_tfrc_keyed_stream_new (contact, &self->raised_ttl);

  if (!gst_tfrc_keyed_stream_install (stream, news, now_ns)) {
    if (known == NULL)
      gst_tfrc_keyed_stream_free (stream);
    return FALSE;
  }
  if (known == NULL)
    add_stream (self, stream);
  note_keys (self, news->stream.cipher, news->answer == NULL, known != NULL);
  return TRUE;
}

/* ---- key packets that come ----------------------------------------------- */

static void
add_doubt (GstTfrcSrcKeys *self, const gchar *reason, guint64 now_ns)
{
  if (self->streams[0] == NULL && self->streams[1] == NULL)
    gst_tfrc_doubts_add (&self->doubts, reason, now_ns);
}

/* Returns whether the message is an offer or a grant that was answered before. */
static gboolean
repeat_answer (GstTfrcSrcKeys *self, GstTfrcExchange *contact, const GstTfrcKeyAssembly *assembly,
    guint64 now_ns)
{
  gsize size;
  const guint8 *message = gst_tfrc_key_assembly_get (assembly, &size);
  GstTfrcMikeyKind kind;
  guint32 csb_id;

  if (!gst_tfrc_mikey_peek (message, size, &kind, &csb_id)
      || (kind != GST_TFRC_MIKEY_OFFER && kind != GST_TFRC_MIKEY_GRANT))
    return FALSE;
  for (guint i = 0; i < MAX_STREAMS; i++) {
    GstTfrcKeyedStream *stream = self->streams[i];

    if (stream == NULL || !gst_tfrc_keyed_stream_has_answered (stream, contact, csb_id))
      continue;
    if (gst_tfrc_key_party_may_answer (self->party, now_ns))
      gst_tfrc_keyed_stream_answer_again (stream, contact);
    return TRUE;
  }
  return FALSE;
}

static gboolean
on_message (GstTfrcSrcKeys *self, GstTfrcExchange *contact, gboolean is_sealed,
    const GstTfrcKeyAssembly *assembly, const GstTfrcKeyTime *time)
{
  GstTfrcKeyNews news = { 0 };
  GstTfrcExchangeResult result;
  gboolean ok;

  if (repeat_answer (self, contact, assembly, time->now_ns))
    return TRUE;
  result = gst_tfrc_exchange_read (contact, assembly, is_sealed, &news, time);
  ok = result != GST_TFRC_EXCHANGE_REFUSED;
  if (news.doubt)
    add_doubt (self, news.doubt, time->now_ns);
  if (result == GST_TFRC_EXCHANGE_NEW_KEYS)
    ok = install (self, contact, &news, time->now_ns);
  if (ok && news.answer)
    gst_tfrc_exchange_answer (contact, news.answer);
  g_clear_pointer (&news.answer, g_bytes_unref);
  return ok;
}

static gboolean
has_new_keys (GstTfrcSrcKeys *self, guint32 ssrc, guint64 now_ns)
{
  const GstTfrcKeyedStream *stream = find (self, ssrc);

  return stream && now_ns < gst_tfrc_keyed_stream_get_key_ns (stream) + NEW_KEYS_NS;
}

/* A sender asks to be asked. */
static void
on_ask (GstTfrcSrcKeys *self, GstTfrcExchange *contact, guint32 ssrc, const GstTfrcKeyTime *time)
{
  if (self->asks_in_reverse && !has_new_keys (self, ssrc, time->now_ns))
    gst_tfrc_exchange_request (contact, time);
}

static GstTfrcExchange *
contact_of (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  return gst_tfrc_exchange_on_packet (self->contacts, MAX_CONTACTS, packet, now_ns);
}

static gboolean
take_key_packet (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gsize size,
    GstTfrcKeyedStream *stream, const GstTfrcKeyTime *time)
{
  GstTfrcKeyAssembly *assembly;
  GstTfrcExchange *contact;
  GstTfrcKeyPacket parsed;

  if (!gst_tfrc_key_packet_parse (packet->data, size, &parsed))
    return FALSE;
  contact = contact_of (self, packet, time->now_ns);
  if (parsed.total == 0) {
    on_ask (self, contact, parsed.ssrc, time);
    return TRUE;
  }
  assembly = stream ? gst_tfrc_keyed_stream_get_assembly (stream)
                    : gst_tfrc_exchange_get_assembly (contact);
  return !gst_tfrc_key_assembly_add (assembly, &parsed)
      || on_message (self, contact, stream != NULL, assembly, time);
}

/* ---- packets that come --------------------------------------------------- */

static void
refuse (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, const GstTfrcKeyedStream *stream,
    GstTfrcUnprotectResult result, gboolean was_plaintext, const GstTfrcKeyTime *time)
{
  if (result == GST_TFRC_UNPROTECTED_NO_KEY && was_plaintext)
    result = GST_TFRC_UNPROTECTED_FORGED;
  gst_tfrc_security_count (&self->stats.refused, result, was_plaintext);
  if (was_plaintext)
    add_doubt (
        self, "The sender's stream is not protected: give the sender the same keys.", time->now_ns);
  else if (stream == NULL || gst_tfrc_keyed_stream_is_lost (stream, time->now_ns))
    gst_tfrc_exchange_ask (contact_of (self, packet, time->now_ns), time->now_ns);
}

/* Of a stream without keys: as it begins */
static const GstTfrcRaisedTtlReceiver *
raised_ttl_of (const GstTfrcSrcKeys *self, const GstTfrcKeyedStream *stream)
{
  return stream ? gst_tfrc_keyed_stream_get_raised_ttl (stream) : &self->raised_ttl;
}

/* @found: set to whose packet it is, if the packet was protected */
static gboolean
unprotect (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp, gsize *size,
    GstTfrcKeyedStream **found, const GstTfrcKeyTime *time)
{
  gboolean was_plaintext = is_rtcp ? gst_tfrc_security_is_plain_rtcp (packet->data, *size)
                                   : gst_tfrc_security_is_plain_data (packet->data, *size);
  GstTfrcKeyedStream *stream = find (self, GST_READ_UINT32_BE (packet->data + (is_rtcp ? 4 : 8)));
  GstTfrcUnprotectResult result = GST_TFRC_UNPROTECTED_NO_KEY;

  if (was_plaintext
      && gst_tfrc_raised_ttl_receiver_takes_plain (
          raised_ttl_of (self, stream), is_rtcp, packet->data, time->now_ns))
    return TRUE;
  if (stream)
    result = gst_tfrc_keyed_stream_unprotect (stream, packet, is_rtcp, size, time->now_ns);
  if (result != GST_TFRC_UNPROTECTED_OK) {
    refuse (self, packet, stream, result, was_plaintext, time);
    return FALSE;
  }
  *found = stream;
  return TRUE;
}

static gboolean
receive (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp, gsize *size,
    const GstTfrcKeyTime *time)
{
  gboolean is_open = is_rtcp && gst_tfrc_key_packet_is (packet->data, *size);
  GstTfrcKeyedStream *stream = NULL;

  if (!is_open && !unprotect (self, packet, is_rtcp, size, &stream, time))
    return FALSE;
  if (!is_rtcp || !gst_tfrc_key_packet_is (packet->data, *size))
    return TRUE;
  if (!take_key_packet (self, packet, *size, stream, time))
    self->stats.key_messages_refused++;
  return FALSE;
}

/* Without keys a stream that is protected cannot be read.  Its sender's key packets show why. */
static gboolean
receive_without_credentials (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet)
{
  if (!gst_tfrc_key_packet_is (packet->data, packet->size))
    return TRUE;
  if (!self->stats.peer_is_protected)
    gst_tfrc_security_events_add (&self->events, GST_TFRC_SECURITY_NO_KEYS, NULL);
  self->stats.peer_is_protected = TRUE;
  return FALSE;
}

gboolean
gst_tfrc_src_keys_receive (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gsize *size,
    const GstTfrcKeyTime *time)
{
  TfrcWireKind kind = tfrc_wire_classify (packet->data, packet->size);

  *size = packet->size;
  /* The caller counts what is no packet at all. */
  if (kind == TFRC_WIRE_KIND_NONE || packet->truncated)
    return TRUE;
  return self->party ? receive (self, packet, kind == TFRC_WIRE_KIND_RTCP, size, time)
                     : receive_without_credentials (self, packet);
}

/* ---- packets that leave -------------------------------------------------- */

gsize
gst_tfrc_src_keys_protect (
    GstTfrcSrcKeys *self, const GstTfrcAddress *to, guint8 *packet, gsize size)
{
  GstTfrcKeyedStream *stream;

  if (self->party == NULL)
    return size;
  stream = find_at (self, to);
  if (gst_tfrc_raised_ttl_receiver_is_sealed (raised_ttl_of (self, stream)))
    size = stream ? gst_tfrc_keyed_stream_protect (stream, packet, size) : 0;
  return size;
}

static gsize
write_rekey (GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  GstTfrcKeyedStream *stream = self->wants_rekey ? find_peer (self) : NULL;

  self->wants_rekey = FALSE;
  return stream ? gst_tfrc_keyed_stream_write_rekey (stream, self->own_ssrc, buffer, to, local) : 0;
}

static gsize
write_confirmation (GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size = 0;

  for (guint i = 0; i < MAX_STREAMS && size == 0; i++) {
    if (self->streams[i])
      size = gst_tfrc_keyed_stream_write_confirmation (
          self->streams[i], self->own_ssrc, buffer, to, local);
  }
  return size;
}

static gsize
write_to_contacts (GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size = 0;

  for (guint i = 0; i < MAX_CONTACTS && size == 0; i++) {
    size = gst_tfrc_exchange_write (self->contacts[i], self->own_ssrc, 0, 0, buffer);
    *to = *gst_tfrc_exchange_get_address (self->contacts[i]);
    *local = *gst_tfrc_exchange_get_local (self->contacts[i]);
  }
  return size;
}

gsize
gst_tfrc_src_keys_write (
    GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size;

  if (self->party == NULL)
    return 0;
  size = write_rekey (self, buffer, to, local);
  if (size == 0)
    size = write_confirmation (self, buffer, to, local);
  if (size == 0)
    size = write_to_contacts (self, buffer, to, local);
  return size;
}

void
gst_tfrc_src_keys_rekey (GstTfrcSrcKeys *self)
{
  self->wants_rekey = self->party != NULL;
}

/* ---- time and queries ---------------------------------------------------- */

static guint64
failure_ns (const GstTfrcSrcKeys *self)
{
  return self->has_failed ? G_MAXUINT64 : gst_tfrc_doubts_end_ns (&self->doubts);
}

/* A call of another thread asks for other keys, maybe while this turn's packets leave. */
guint64
gst_tfrc_src_keys_next_ns (GstTfrcSrcKeys *self)
{
  return self->wants_rekey ? 0 : failure_ns (self);
}

void
gst_tfrc_src_keys_on_time (GstTfrcSrcKeys *self, guint64 now_ns)
{
  if (now_ns >= failure_ns (self)) {
    self->has_failed = TRUE;
    gst_tfrc_log (keys, DEBUG, "no sender can be understood: %s", self->doubts.reason);
    gst_tfrc_security_events_add (&self->events, GST_TFRC_SECURITY_FAILED, self->doubts.reason);
  }
}

gboolean
gst_tfrc_src_keys_has_event (GstTfrcSrcKeys *self)
{
  return self->events.n > 0;
}

gboolean
gst_tfrc_src_keys_take_event (GstTfrcSrcKeys *self, GstTfrcSecurityEvent *event)
{
  return gst_tfrc_security_events_take (&self->events, event);
}

void
gst_tfrc_src_keys_get_stats (GstTfrcSrcKeys *self, GstTfrcSecurityStats *stats)
{
  const GstTfrcKeyedStream *stream = find_peer (self);

  *stats = self->stats;
  stats->established = stream != NULL;
  stats->in_force = stream
      && gst_tfrc_raised_ttl_receiver_is_sealed (gst_tfrc_keyed_stream_get_raised_ttl (stream));
  stats->key_ns = stream ? gst_tfrc_keyed_stream_get_key_ns (stream) : 0;
}

gboolean
gst_tfrc_src_keys_has_stream (GstTfrcSrcKeys *self, guint32 ssrc)
{
  return find (self, ssrc) != NULL;
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_src_keys_check (const GstTfrcSrcKeys *self)
{
  const GstTfrcKeyedStream *a = self->streams[0], *b = self->streams[1];
  const gchar *broken = NULL;

  if (a && b && gst_tfrc_keyed_stream_get_ssrc (a) == gst_tfrc_keyed_stream_get_ssrc (b))
    return "A stream has one place.";
  if ((a || b) && (self->doubts.n > 0 || self->has_failed))
    return "Nobody doubts while a stream has keys.";
  for (guint i = 0; i < MAX_STREAMS && broken == NULL; i++)
    broken = self->streams[i] ? gst_tfrc_keyed_stream_check (self->streams[i]) : NULL;
  for (guint i = 0; self->party && i < MAX_CONTACTS && broken == NULL; i++)
    broken = gst_tfrc_exchange_check (self->contacts[i]);
  return broken;
}

void
gst_tfrc_src_keys_print (GstTfrcSrcKeys *self)
{
  g_printerr ("keys of a source: peer %08x, %u doubts%s\n", self->has_peer ? self->peer_ssrc : 0,
      self->doubts.n, self->has_failed ? ", has failed" : "");
  for (guint i = 0; i < MAX_STREAMS; i++) {
    if (self->streams[i])
      gst_tfrc_keyed_stream_print (self->streams[i]);
  }
  for (guint i = 0; self->party && i < MAX_CONTACTS; i++)
    gst_tfrc_exchange_print (self->contacts[i]);
}
