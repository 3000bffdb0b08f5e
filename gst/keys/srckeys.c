/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a source, see srckeys.h. */
#include "srckeys.h"

#include <string.h>

#include <tfrc/wire.h>

#include "../common/log.h"
#include "../common/threads.h"
#include "contacts.h"
#include "doubts.h"
#include "keyring.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A packet that asks for a request, and comes so soon after the keys, was late, or came twice. */
#define NEW_KEYS_NS S_NS

/* Held while credentials are replaced, and while a packet is protected, which happens without the lock of the port. */
GST_TFRC_DECLARE_MUTEX (GstTfrcSrcKeysMutex, gst_tfrc_src_keys_mutex)

struct _GstTfrcSrcKeys
{
  GstTfrcSrcKeysMutex lock;
  GstTfrcKeyParties *parties; /* without credentials for an address its packets are not protected */
  GstTfrcContacts *contacts;  /* NULL: nobody has had credentials yet */
  guint8 secret[GST_TFRC_SECRET_BYTES];
  GstTfrcProtect protect;
  guint32 own_ssrc;
  GstTfrcKeyring *keyring;
  gboolean wants_rekey; /* the peer is to be asked for new keys */

  GstTfrcDoubts doubts; /* about all senders, while there is no stream with keys */
  gboolean has_failed;  /* which has been told */

  GstTfrcEvents *events;
  GstTfrcSecurityStats stats;
};

/* ---- life ---------------------------------------------------------------- */

static void
ensure_contacts (GstTfrcSrcKeys *self)
{
  if (self->contacts)
    return;
  self->contacts = gst_tfrc_contacts_new (self->parties, self->secret);
  gst_tfrc_keyring_set_protect (self->keyring, self->protect);
}

GstTfrcSrcKeys *
gst_tfrc_src_keys_new (const GstTfrcSecurityConfig *config,
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 ssrc, GstTfrcEvents *events)
{
  GstTfrcSrcKeys *self = g_new0 (GstTfrcSrcKeys, 1);

  gst_tfrc_src_keys_mutex_init (&self->lock);
  self->own_ssrc = ssrc;
  self->events = events;
  self->protect = config->protect;
  memcpy (self->secret, secret, sizeof self->secret);
  self->keyring = gst_tfrc_keyring_new ();
  self->parties = gst_tfrc_key_parties_new (config->credentials, secret);
  if (config->credentials == NULL)
    return self;
  ensure_contacts (self);
  self->stats.is_protected = TRUE;
  self->stats.key_exchange = gst_tfrc_credentials_get_key_exchange (config->credentials);
  return self;
}

void
gst_tfrc_src_keys_free (GstTfrcSrcKeys *self)
{
  if (self == NULL)
    return;
  gst_tfrc_keyring_free (self->keyring);
  gst_tfrc_contacts_free (self->contacts);
  gst_tfrc_key_parties_free (self->parties);
  gst_tfrc_src_keys_mutex_clear (&self->lock);
  g_free (self);
}

gboolean
gst_tfrc_src_keys_is_protected (GstTfrcSrcKeys *self)
{
  return gst_tfrc_key_parties_get_common (self->parties) != NULL;
}

static GstTfrcKeyParty *
party_of (const GstTfrcSrcKeys *self, const GstTfrcAddress *address)
{
  return gst_tfrc_key_parties_find (self->parties, address);
}

static void
replace_credentials (
    GstTfrcSrcKeys *self, const GstTfrcAddress *address, GstTfrcCredentials *credentials)
{
  if (self->contacts)
    gst_tfrc_contacts_forget (self->contacts, address);
  gst_tfrc_key_parties_set (self->parties, address, credentials);
}

void
gst_tfrc_src_keys_set_credentials (
    GstTfrcSrcKeys *self, const GstTfrcAddress *address, GstTfrcCredentials *credentials)
{
  if (self->protect == GST_TFRC_PROTECT_NONE)
    return;
  if (credentials)
    ensure_contacts (self);
  gst_tfrc_src_keys_mutex_lock (&self->lock);
  replace_credentials (self, address, credentials);
  gst_tfrc_keyring_forget_others_at (self->keyring, address, self->parties);
  gst_tfrc_src_keys_mutex_unlock (&self->lock);
}

void
gst_tfrc_src_keys_remove_credentials (GstTfrcSrcKeys *self, const GstTfrcAddress *address)
{
  gst_tfrc_src_keys_mutex_lock (&self->lock);
  if (gst_tfrc_key_parties_has_own (self->parties, address))
    replace_credentials (self, address, NULL);
  gst_tfrc_src_keys_mutex_unlock (&self->lock);
}

void
gst_tfrc_src_keys_set_peer (GstTfrcSrcKeys *self, const GstTfrcAddress *address, guint32 ssrc)
{
  gst_tfrc_keyring_set_peer (self->keyring, address, ssrc);
}

/* ---- keys that both ends have -------------------------------------------- */

/* Somebody can be understood. */
static void
dispel_doubts (GstTfrcSrcKeys *self)
{
  self->doubts = (GstTfrcDoubts){ 0 };
  self->has_failed = FALSE;
}

static void
note_keys (GstTfrcSrcKeys *self)
{
  GstTfrcNewKeys keys;

  if (!gst_tfrc_keyring_take_new_keys (self->keyring, &keys))
    return;
  dispel_doubts (self);
  self->stats.cipher = keys.cipher;
  self->stats.key_exchange = gst_tfrc_key_parties_get_agreed_mode (
      self->parties, &keys.from, keys.is_granted);
  self->stats.rekeyings += keys.is_rekeyed;
  gst_tfrc_events_add_kind (self->events,
      keys.is_rekeyed ? GST_TFRC_EVENT_SECURITY_REKEYED : GST_TFRC_EVENT_SECURITY_ESTABLISHED);
}

/* ---- key packets that come ----------------------------------------------- */

/* A sender that was given credentials of its own is told by a refusal, and says nothing about the others. */
static void
add_doubt (GstTfrcSrcKeys *self, const GstTfrcAddress *from, const gchar *reason, guint64 now_ns)
{
  if (gst_tfrc_key_parties_has_own (self->parties, from))
    return;
  if (gst_tfrc_keyring_is_empty (self->keyring))
    gst_tfrc_doubts_add (&self->doubts, reason, now_ns);
}

/* An answer that was lost leaves once more, with the same part of the keys.  Who uses the keys has the
 * answer. */
static gboolean
repeat_answer (GstTfrcSrcKeys *self, GstTfrcExchange *contact, guint32 csb_id, guint64 now_ns)
{
  GBytes *answer = gst_tfrc_keyring_find_answer (self->keyring, contact, csb_id, now_ns);

  if (answer
      && gst_tfrc_key_party_may_answer (
          party_of (self, gst_tfrc_exchange_get_address (contact)), now_ns))
    gst_tfrc_exchange_answer (contact, answer);
  return answer || gst_tfrc_keyring_find_exchange (self->keyring, csb_id);
}

static gboolean
repeat_confirmation (
    GstTfrcSrcKeys *self, const GstTfrcExchange *contact, guint32 csb_id, guint64 now_ns)
{
  GstTfrcKeyedStream *stream = gst_tfrc_keyring_find_exchange (self->keyring, csb_id);

  if (stream
      && gst_tfrc_key_party_may_answer (
          party_of (self, gst_tfrc_exchange_get_address (contact)), now_ns))
    gst_tfrc_keyed_stream_confirm_again (stream);
  return stream != NULL;
}

/* Returns whether the message is an offer or a grant that was answered before. */
static gboolean
is_answered (GstTfrcSrcKeys *self, GstTfrcExchange *contact, const GstTfrcKeyAssembly *assembly,
    guint64 now_ns)
{
  gsize size;
  const guint8 *message = gst_tfrc_key_assembly_get (assembly, &size);
  GstTfrcMikeyKind kind;
  guint32 csb_id;

  if (!gst_tfrc_mikey_peek (message, size, &kind, &csb_id))
    return FALSE;
  if (kind == GST_TFRC_MIKEY_OFFER)
    return repeat_answer (self, contact, csb_id, now_ns);
  return kind == GST_TFRC_MIKEY_GRANT && repeat_confirmation (self, contact, csb_id, now_ns);
}

/* An offer is answered.  Its keys count when its sender uses them. */
static gboolean
answer_offer (GstTfrcSrcKeys *self, GstTfrcExchange *contact, GstTfrcKeyNews *news, guint64 now_ns)
{
  if (!gst_tfrc_keyring_offer (self->keyring, contact, news, now_ns))
    return FALSE;
  dispel_doubts (self);
  gst_tfrc_exchange_answer (contact, news->answer);
  return TRUE;
}

static gboolean
on_message (GstTfrcSrcKeys *self, GstTfrcExchange *contact, gboolean is_sealed,
    const GstTfrcKeyAssembly *assembly, const GstTfrcKeyTime *time)
{
  const GstTfrcAddress *from = gst_tfrc_exchange_get_address (contact);
  GstTfrcKeyNews news = { 0 };
  GstTfrcExchangeResult result;
  gboolean ok;

  if (is_answered (self, contact, assembly, time->now_ns))
    return TRUE;
  result = gst_tfrc_exchange_read (contact, assembly, is_sealed, &news, time);
  ok = result != GST_TFRC_EXCHANGE_REFUSED;
  if (news.doubt)
    add_doubt (self, from, news.doubt, time->now_ns);
  if (result == GST_TFRC_EXCHANGE_NEW_KEYS) {
    gst_tfrc_key_parties_name_author (self->parties, from, &news.stream);
    ok = news.answer ? answer_offer (self, contact, &news, time->now_ns)
                     : gst_tfrc_keyring_grant (self->keyring, contact, &news, time->now_ns);
  }
  note_keys (self);
  g_clear_pointer (&news.answer, g_bytes_unref);
  return ok;
}

static gboolean
has_new_keys (GstTfrcSrcKeys *self, guint32 ssrc, guint64 now_ns)
{
  const GstTfrcKeyedStream *stream = gst_tfrc_keyring_find (self->keyring, ssrc);

  return stream && now_ns < gst_tfrc_keyed_stream_get_key_ns (stream) + NEW_KEYS_NS;
}

/* A sender asks to be asked. */
static void
on_ask (GstTfrcSrcKeys *self, GstTfrcExchange *contact, const GstTfrcKeyPacket *question,
    gboolean is_sealed, const GstTfrcKeyTime *time)
{
  if (gst_tfrc_key_parties_ask (self->parties, gst_tfrc_exchange_get_address (contact))
      && !has_new_keys (self, question->ssrc, time->now_ns))
    gst_tfrc_exchange_request (contact, question->given, is_sealed, time);
}

/* Returns whether a message that begins so is one that a source reads, by its type; or an offer of
 * another mode, which is to be refused with an answer. */
static gboolean
is_readable (GstTfrcKeyParty *party, const guint8 *start, gsize size, guint64 now_ns)
{
  GstTfrcMikeyKind kind;
  guint32 csb_id;

  if (!gst_tfrc_mikey_peek (start, size, &kind, &csb_id))
    return FALSE;
  if (kind != GST_TFRC_MIKEY_OFFER)
    return kind == GST_TFRC_MIKEY_GRANT;
  return gst_tfrc_mikey_is_offer_for (gst_tfrc_key_party_get_credentials (party), start, size)
      || gst_tfrc_key_limits_may_refuse (gst_tfrc_key_party_get_limits (party), now_ns);
}

/* Whether a key packet without protection is one that a source reads. What is not read costs neither a
 * token nor a cookie. */
static gboolean
is_wanted (const GstTfrcSrcKeys *self, const GstTfrcAddress *from, const GstTfrcKeyPacket *packet,
    guint64 now_ns)
{
  if (packet->total == 0)
    return gst_tfrc_key_parties_ask (self->parties, from);
  return packet->offset > 0
      || is_readable (party_of (self, from), packet->data, packet->size, now_ns);
}

static gboolean
has_live_stream (GstTfrcSrcKeys *self, guint64 now_ns)
{
  const GstTfrcKeyedStream *stream = gst_tfrc_keyring_find_peer (self->keyring);

  return stream && !gst_tfrc_keyed_stream_is_lost (stream, now_ns);
}

/* The answer to a message that is not to be read is a cookie, or nothing. */
static GstTfrcExchange *
contact_of (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcKeyPacket *parsed, gboolean is_sealed, guint64 now_ns)
{
  return is_sealed ? gst_tfrc_contacts_get (self->contacts, packet, TRUE, now_ns)
                   : gst_tfrc_contacts_admit (
                       self->contacts, packet, parsed, has_live_stream (self, now_ns), now_ns);
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
  if (stream == NULL && !is_wanted (self, packet->from, &parsed, time->now_ns))
    return parsed.total == 0; /* a receiver that is not asked in reverse mode need not answer */
  contact = contact_of (self, packet, &parsed, stream != NULL, time->now_ns);
  if (contact == NULL)
    return FALSE;
  if (parsed.total == 0) {
    if (stream == NULL || parsed.given) /* otherwise the sender shows that it has the keys */
      on_ask (self, contact, &parsed, stream != NULL, time);
    return TRUE;
  }
  assembly = stream ? gst_tfrc_keyed_stream_get_assembly (stream)
                    : gst_tfrc_exchange_get_assembly (contact, NULL);
  return !gst_tfrc_key_assembly_add (assembly, &parsed)
      || on_message (self, contact, stream != NULL, assembly, time);
}

/* A stream without keys comes from this host, which is asked for them. It takes a place among the
 * contacts only if it can be. */
static void
ask_for_keys (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  GstTfrcExchange *contact;

  if (!gst_tfrc_contacts_has (self->contacts, packet->from)
      && !gst_tfrc_key_limits_could_answer (
          gst_tfrc_key_party_get_limits (party_of (self, packet->from)), now_ns))
    return;
  contact = gst_tfrc_contacts_get (self->contacts, packet, FALSE, now_ns);
  if (contact)
    gst_tfrc_exchange_ask (contact, now_ns);
}

/* ---- packets that come --------------------------------------------------- */

static void
refuse (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    const GstTfrcKeyringFinding *finding, const GstTfrcKeyTime *time)
{
  const GstTfrcKeyedStream *stream = finding->stream;
  GstTfrcUnprotectResult result = finding->result;

  if (result == GST_TFRC_UNPROTECTED_NO_KEY && finding->was_plaintext)
    result = GST_TFRC_UNPROTECTED_FORGED;
  gst_tfrc_security_count (&self->stats.refused, result, finding->was_plaintext);
  if (finding->was_plaintext)
    add_doubt (self, packet->from,
        "The sender's stream is not protected: give the sender the same keys.", time->now_ns);
  else if (result != GST_TFRC_UNPROTECTED_REPLAYED /* for which the keys are right */
      && (stream == NULL || gst_tfrc_keyed_stream_is_lost (stream, time->now_ns)))
    ask_for_keys (self, packet, time->now_ns);
}

/* @found: set to whose packet it is, if the packet was protected */
static gboolean
unprotect (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp,
    GstTfrcReceivedPacket *plain, GstTfrcKeyedStream **found, const GstTfrcKeyTime *time)
{
  GstTfrcKeyringFinding finding;
  GstTfrcKeyringVerdict verdict = gst_tfrc_keyring_unprotect (
      self->keyring, packet, is_rtcp, plain, &finding, time->now_ns);

  note_keys (self);
  if (verdict == GST_TFRC_KEYRING_REFUSE)
    refuse (self, packet, &finding, time);
  *found = finding.is_sealed ? finding.stream : NULL;
  return verdict == GST_TFRC_KEYRING_USE;
}

static gboolean
receive (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gboolean is_rtcp,
    GstTfrcReceivedPacket *plain, const GstTfrcKeyTime *time)
{
  gboolean is_open = is_rtcp && gst_tfrc_key_packet_is (packet->data, packet->size);
  GstTfrcKeyedStream *stream = NULL;

  if (!is_open && !unprotect (self, packet, is_rtcp, plain, &stream, time))
    return FALSE;
  if (!is_rtcp || !gst_tfrc_key_packet_is (packet->data, plain->size))
    return TRUE;
  if (!take_key_packet (self, packet, plain->size, stream, time))
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
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_SECURITY_NO_KEYS);
  self->stats.peer_is_protected = TRUE;
  return FALSE;
}

gboolean
gst_tfrc_src_keys_receive (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    GstTfrcReceivedPacket *plain, const GstTfrcKeyTime *time)
{
  TfrcWireKind kind = tfrc_wire_classify (packet->data, packet->size);
  gboolean is_stream = kind == TFRC_WIRE_KIND_NONE;

  *plain = *packet;
  if (packet->truncated)
    return TRUE;
  /* A plain transport stream is taken from senders that have no passphrase of their own. */
  if (is_stream ? gst_tfrc_key_parties_has_own (self->parties, packet->from)
                : !gst_tfrc_keyring_may_be_from (self->keyring, packet, self->parties)) {
    gst_tfrc_security_count (&self->stats.refused, GST_TFRC_UNPROTECTED_NO_KEY, is_stream);
    return FALSE;
  }
  if (is_stream)
    return TRUE;
  return party_of (self, packet->from)
      ? receive (self, packet, kind == TFRC_WIRE_KIND_RTCP, plain, time)
      : receive_without_credentials (self, packet);
}

gboolean
gst_tfrc_src_keys_take_held (GstTfrcSrcKeys *self, GstTfrcReceivedPacket *packet)
{
  return gst_tfrc_keyring_take_held (self->keyring, packet);
}

gboolean
gst_tfrc_src_keys_play (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  if (gst_tfrc_keyring_play (self->keyring, packet, ssrc))
    return TRUE;
  gst_tfrc_security_count (&self->stats.refused, GST_TFRC_UNPROTECTED_REPLAYED, FALSE);
  return FALSE;
}

/* ---- packets that leave -------------------------------------------------- */

gsize
gst_tfrc_src_keys_protect (
    GstTfrcSrcKeys *self, const GstTfrcAddress *to, guint8 *packet, gsize size)
{
  gst_tfrc_src_keys_mutex_lock (&self->lock);
  if (party_of (self, to) || gst_tfrc_keyring_has_at (self->keyring, to))
    size = gst_tfrc_keyring_protect (self->keyring, to, packet, size);
  gst_tfrc_src_keys_mutex_unlock (&self->lock);
  return size;
}

static gsize
write_rekey (GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  GstTfrcKeyedStream *stream = self->wants_rekey ? gst_tfrc_keyring_find_peer (self->keyring)
                                                 : NULL;

  self->wants_rekey = FALSE;
  return stream ? gst_tfrc_keyed_stream_write_rekey (stream, self->own_ssrc, buffer, to, local) : 0;
}

gsize
gst_tfrc_src_keys_write (
    GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size;

  if (self->contacts == NULL)
    return 0;
  size = write_rekey (self, buffer, to, local);
  if (size == 0)
    size = gst_tfrc_keyring_write_confirmation (self->keyring, self->own_ssrc, buffer, to, local);
  if (size == 0)
    size = gst_tfrc_contacts_write (self->contacts, self->own_ssrc, buffer, to, local);
  return size;
}

void
gst_tfrc_src_keys_rekey (GstTfrcSrcKeys *self)
{
  self->wants_rekey = self->contacts != NULL;
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
  gst_tfrc_keyring_on_time (self->keyring, now_ns);
  if (now_ns >= failure_ns (self)) {
    self->has_failed = TRUE;
    gst_tfrc_log (keys, DEBUG, "no sender can be understood: %s", self->doubts.reason);
    gst_tfrc_events_add (self->events,
        &(GstTfrcEvent){ GST_TFRC_EVENT_SECURITY_FAILED, { .reason = self->doubts.reason } });
  }
}

void
gst_tfrc_src_keys_get_stats (GstTfrcSrcKeys *self, GstTfrcSecurityStats *stats)
{
  const GstTfrcKeyedStream *stream = gst_tfrc_keyring_find_peer (self->keyring);

  *stats = self->stats;
  stats->refused.no_key += gst_tfrc_keyring_get_dropped (self->keyring);
  stats->established = stream != NULL;
  stats->is_protected |= stats->established;
  stats->in_force = stream
      && gst_tfrc_raised_ttl_receiver_is_sealed (gst_tfrc_keyed_stream_get_raised_ttl (stream));
  stats->key_ns = stream ? gst_tfrc_keyed_stream_get_key_ns (stream) : 0;
}

gboolean
gst_tfrc_src_keys_has_stream (GstTfrcSrcKeys *self, guint32 ssrc)
{
  const GstTfrcKeyedStream *stream = gst_tfrc_keyring_find (self->keyring, ssrc);

  return stream && gst_tfrc_keyed_stream_get_ssrc (stream) == ssrc;
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_src_keys_check (const GstTfrcSrcKeys *self)
{
  const gchar *broken = gst_tfrc_keyring_check (self->keyring);

  if (!gst_tfrc_keyring_is_empty (self->keyring) && (self->doubts.n > 0 || self->has_failed))
    return "Nobody doubts while a stream has keys.";
  return broken || self->contacts == NULL ? broken : gst_tfrc_contacts_check (self->contacts);
}

void
gst_tfrc_src_keys_print (GstTfrcSrcKeys *self)
{
  g_printerr (
      "keys of a source: %u doubts%s\n", self->doubts.n, self->has_failed ? ", has failed" : "");
  gst_tfrc_keyring_print (self->keyring);
  if (self->contacts)
    gst_tfrc_contacts_print (self->contacts);
}
