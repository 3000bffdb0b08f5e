/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a sender's stream, see sinkkeys.h. */
#include "sinkkeys.h"

#include "../common/log.h"
#include "doubts.h"
#include "exchange.h"
#include "keyage.h"
#include "offerseal.h"
#include "raisedttl.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* An offer that nobody has answered is made anew after this time. */
#define OFFER_AGE_NS (60 * S_NS)

/* A re-keying without an answer has failed after this time.  A proof ends then, which is not heard of
 * with raised-ttl, as the receiver's packets may come without keys. */
#define REKEY_TIMEOUT_NS (10 * S_NS)

struct _GstTfrcSinkKeys
{
  GstTfrcKeyParty *party;
  GstTfrcSrtp *srtp;
  GstTfrcSrtp *elsewhere; /* the same keys, to unprotect what other hosts than the receiver send */
  GstTfrcExchange *exchange;
  GstTfrcRaisedTtlSender raised_ttl;
  GstTfrcOfferSeal seal;

  GstTfrcSinkKeysState state;
  guint32 ssrc;
  gboolean established; /* the receiver has had keys of this stream */
  GstTfrcDoubts doubts; /* about this exchange */
  GstTfrcKeyAge age;
  GstTfrcEvents *events;
  GstTfrcSecurityStats stats;
};

static const gchar *const state_names[] = { "not started", "agreeing", "keyed", "re-keying",
  "failed", "expired" };

/* ---- life ---------------------------------------------------------------- */

GstTfrcSinkKeys *
gst_tfrc_sink_keys_new (const GstTfrcSecurityConfig *config, GstTfrcEvents *events)
{
  GstTfrcSinkKeys *self = g_new0 (GstTfrcSinkKeys, 1);

  self->events = events;
  self->party = gst_tfrc_key_party_new (GST_TFRC_SRTP_SENDER, config->credentials, NULL);
  self->srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->exchange = gst_tfrc_exchange_new (GST_TFRC_SRTP_SENDER, self->party);
  gst_tfrc_raised_ttl_sender_init (&self->raised_ttl, config->protect);
  self->age.interval_ns = config->rekey_interval_ns;
  gst_tfrc_key_age_begin (&self->age);
  self->stats.is_protected = TRUE;
  self->stats.cipher = config->cipher;
  self->stats.key_exchange = gst_tfrc_credentials_get_key_exchange (config->credentials);
  return self;
}

void
gst_tfrc_sink_keys_free (GstTfrcSinkKeys *self)
{
  if (self == NULL)
    return;
  gst_tfrc_exchange_free (self->exchange);
  gst_tfrc_srtp_free (self->srtp);
  gst_tfrc_srtp_free (self->elsewhere);
  gst_tfrc_key_party_free (self->party);
  g_free (self);
}

/* ---- the state ----------------------------------------------------------- */

/* A new key is in use. */
static void
switch_keys (GstTfrcSinkKeys *self, guint64 now_ns)
{
  gst_tfrc_srtp_switch (self->srtp, now_ns);
  gst_tfrc_key_age_switch (&self->age);
}

static guint
get_generation (const GstTfrcSinkKeys *self)
{
  GstTfrcSrtpUsage usage;

  gst_tfrc_srtp_get_usage (self->srtp, &usage);
  return usage.generation;
}

static void
enter (GstTfrcSinkKeys *self, GstTfrcSinkKeysState state, const gchar *why)
{
  gst_tfrc_log (keys, DEBUG, "stream %08x: %s -> %s, generation %u: %s", self->ssrc,
      state_names[self->state], state_names[state], get_generation (self), why);
  self->state = state;
}

static void
end_exchange (GstTfrcSinkKeys *self)
{
  gst_tfrc_exchange_end (self->exchange);
  self->doubts = (GstTfrcDoubts){ 0 };
  gst_tfrc_offer_seal_heard (&self->seal);
}

static void
fail (GstTfrcSinkKeys *self, const gchar *reason)
{
  gboolean was_rekeying = self->state == GST_TFRC_SINK_KEYS_REKEYING;

  end_exchange (self);
  enter (self, was_rekeying ? GST_TFRC_SINK_KEYS_KEYED : GST_TFRC_SINK_KEYS_FAILED, reason);
  gst_tfrc_events_add (self->events,
      &(GstTfrcEvent){
          was_rekeying ? GST_TFRC_EVENT_SECURITY_REKEY_FAILED : GST_TFRC_EVENT_SECURITY_FAILED,
          { .reason = reason } });
}

static void
expire (GstTfrcSinkKeys *self)
{
  end_exchange (self);
  enter (self, GST_TFRC_SINK_KEYS_EXPIRED, "the key has protected what a key may");
  gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_SECURITY_EXPIRED);
}

static void
on_confirmed (GstTfrcSinkKeys *self, guint64 now_ns)
{
  gboolean was_rekeying = self->state == GST_TFRC_SINK_KEYS_REKEYING;

  self->doubts = (GstTfrcDoubts){ 0 };
  gst_tfrc_offer_seal_heard (&self->seal);
  switch_keys (self, now_ns);
  self->established = TRUE;
  self->stats.key_ns = now_ns;
  self->stats.rekeyings += was_rekeying;
  gst_tfrc_key_age_confirm (&self->age, now_ns);
  enter (self, GST_TFRC_SINK_KEYS_KEYED, "the receiver has the keys");
  gst_tfrc_events_add_kind (self->events,
      was_rekeying ? GST_TFRC_EVENT_SECURITY_REKEYED : GST_TFRC_EVENT_SECURITY_ESTABLISHED);
}

/* An exchange begins. */
static void
enter_exchange (GstTfrcSinkKeys *self, const gchar *why)
{
  enter (self, self->established ? GST_TFRC_SINK_KEYS_REKEYING : GST_TFRC_SINK_KEYS_AGREEING, why);
}

/* Installs new keys.  As long as no receiver has keys, the newest are in use at once. */
static gboolean
install (GstTfrcSinkKeys *self, GstTfrcStreamKeys *keys, const GstTfrcMikeyStream *stream,
    guint64 now_ns)
{
  gboolean installed;

  gst_tfrc_srtp_follow_keys (self->elsewhere, self->srtp);
  installed = gst_tfrc_srtp_install (self->srtp, keys, stream->ssrc, stream->roc, 0, NULL)
      && gst_tfrc_srtp_install (self->elsewhere, keys, stream->ssrc, stream->roc, 0, NULL);
  gst_tfrc_stream_keys_wipe (keys);
  if (!installed)
    fail (self, gst_tfrc_mikey_error_describe (GST_TFRC_MIKEY_FAILED));
  else if (!self->established)
    switch_keys (self, now_ns);
  return installed;
}

static GstTfrcMikeyStream
describe_stream (GstTfrcSinkKeys *self, guint16 next_seq)
{
  return (GstTfrcMikeyStream){ .cipher = self->stats.cipher,
    .ssrc = self->ssrc,
    .roc = gst_tfrc_srtp_get_roc (self->srtp, next_seq),
    .repair_roc = gst_tfrc_srtp_get_repair_roc (self->srtp) };
}

/* @seal: an offer or a question leaves protected, for a receiver that has keys */
static void
begin (GstTfrcSinkKeys *self, guint16 next_seq, gboolean seal, const gchar *why,
    const GstTfrcKeyTime *time)
{
  GstTfrcMikeyStream stream = describe_stream (self, next_seq);
  GstTfrcStreamKeys keys;

  end_exchange (self);
  enter_exchange (self, why);
  gst_tfrc_offer_seal_begin (&self->seal, seal);
  if (self->stats.key_exchange == GST_TFRC_KEY_EXCHANGE_RSA_R)
    gst_tfrc_exchange_ask (self->exchange, time->now_ns);
  else if (!gst_tfrc_exchange_offer (self->exchange, &stream, &keys, time))
    fail (self, gst_tfrc_mikey_error_describe (GST_TFRC_MIKEY_FAILED));
  else if (self->established) /* the keys in use serve until the answer has come */
    gst_tfrc_stream_keys_wipe (&keys);
  else
    install (self, &keys, &stream, time->now_ns);
}

/* Another SSRC is another stream, whose numbers begin anew. */
static void
restart (GstTfrcSinkKeys *self, guint32 ssrc)
{
  gst_tfrc_srtp_free (self->srtp);
  gst_tfrc_srtp_free (self->elsewhere);
  self->srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->ssrc = ssrc;
  self->established = FALSE;
  gst_tfrc_key_age_begin (&self->age);
}

void
gst_tfrc_sink_keys_start (
    GstTfrcSinkKeys *self, guint32 ssrc, guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (self->state == GST_TFRC_SINK_KEYS_NOT_STARTED || ssrc != self->ssrc) {
    restart (self, ssrc);
    begin (self, next_seq, FALSE, "the stream begins", time);
  }
}

gboolean
gst_tfrc_sink_keys_is_started (GstTfrcSinkKeys *self)
{
  return self->state != GST_TFRC_SINK_KEYS_NOT_STARTED;
}

static gboolean
has_ended (const GstTfrcSinkKeys *self)
{
  return self->state == GST_TFRC_SINK_KEYS_FAILED || self->state == GST_TFRC_SINK_KEYS_EXPIRED;
}

/* ---- key packets --------------------------------------------------------- */

/* Returns whether an exchange waits for the receiver, which so has a reason to doubt. */
static gboolean
waits (const GstTfrcSinkKeys *self)
{
  GstTfrcExchangeState state = gst_tfrc_exchange_get_state (self->exchange);

  return state != GST_TFRC_EXCHANGE_IDLE && state != GST_TFRC_EXCHANGE_PROVING;
}

/* The receiver's answer has come, with its part of the keys: the new keys are in use from now on. */
static gboolean
on_agreed (GstTfrcSinkKeys *self, GstTfrcKeyNews *news, guint64 now_ns)
{
  if (!install (self, &news->keys, &news->stream, now_ns))
    return FALSE;
  on_confirmed (self, now_ns);
  return TRUE;
}

/* Reverse mode: the receiver has requested keys. */
static gboolean
on_new_keys (GstTfrcSinkKeys *self, GstTfrcKeyNews *news, guint64 now_ns)
{
  self->doubts = (GstTfrcDoubts){ 0 };
  enter_exchange (self, "the receiver has requested keys");
  return install (self, &news->keys, &news->stream, now_ns);
}

static gboolean
on_message (GstTfrcSinkKeys *self, const GstTfrcKeyAssembly *assembly, guint16 next_seq,
    const GstTfrcKeyTime *time)
{
  GstTfrcKeyNews news = { .stream = describe_stream (self, next_seq) };
  GstTfrcExchangeResult result = gst_tfrc_exchange_read (
      self->exchange, assembly, FALSE, &news, time);

  /* Otherwise somebody doubts what has been agreed on, or has failed, before. */
  if (news.doubt && waits (self))
    gst_tfrc_doubts_add (&self->doubts, news.doubt, time->now_ns);
  if (result == GST_TFRC_EXCHANGE_NEW_KEYS)
    return on_new_keys (self, &news, time->now_ns);
  if (result == GST_TFRC_EXCHANGE_CONFIRMED)
    return on_agreed (self, &news, time->now_ns);
  return result != GST_TFRC_EXCHANGE_REFUSED;
}

/* The receiver has no keys for this stream, or another host says so in its name (offerseal.h).  An offer
 * that is under way leaves once more now.  Data may overtake the first offer: then the receiver asks,
 * though it has the keys before the answer comes. */
static void
on_ask (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (!gst_tfrc_key_party_may_answer (self->party, time->now_ns))
    return;
  if (self->state == GST_TFRC_SINK_KEYS_KEYED) {
    if (gst_tfrc_key_age_is_new (&self->age, time->now_ns))
      return;
    begin (self, next_seq, TRUE, "the receiver says that it has no keys", time);
  }
  gst_tfrc_offer_seal_ask (&self->seal, time->now_ns);
  gst_tfrc_exchange_hurry (self->exchange, time->now_ns);
}

static gboolean
on_fragment (GstTfrcSinkKeys *self, const GstTfrcKeyPacket *packet, guint16 next_seq,
    const GstTfrcKeyTime *time)
{
  GstTfrcKeyAssembly *assembly = gst_tfrc_exchange_get_assembly (self->exchange, packet->cookie);

  return !gst_tfrc_key_assembly_add (assembly, packet)
      || on_message (self, assembly, next_seq, time);
}

gboolean
gst_tfrc_sink_keys_on_packet (GstTfrcSinkKeys *self, const guint8 *packet, gsize size,
    guint16 next_seq, const GstTfrcKeyTime *time)
{
  GstTfrcKeyPacket parsed;
  gboolean ok = TRUE;

  if (!gst_tfrc_key_packet_parse (packet, size, &parsed))
    return FALSE;
  if (self->state == GST_TFRC_SINK_KEYS_NOT_STARTED || has_ended (self))
    ok = FALSE;
  else if (parsed.given)
    gst_tfrc_exchange_take_cookie (self->exchange, &parsed, time->now_ns);
  else if (parsed.total == 0)
    on_ask (self, next_seq, time);
  else
    ok = on_fragment (self, &parsed, next_seq, time);
  self->stats.key_messages_refused += !ok;
  return ok;
}

gsize
gst_tfrc_sink_keys_write (GstTfrcSinkKeys *self, guint64 rtt_ns, guint64 now_ns, guint8 *buffer)
{
  gboolean seals = gst_tfrc_exchange_get_state (self->exchange) == GST_TFRC_EXCHANGE_PROVING
      || (self->seal.is_on && self->raised_ttl.is_sealing);
  gsize size;

  self->seal.rtt_ns = rtt_ns;
  if (now_ns < gst_tfrc_exchange_next_ns (self->exchange))
    return 0;
  size = gst_tfrc_exchange_write (self->exchange, self->ssrc, rtt_ns, now_ns, buffer);
  if (size == 0 || !seals)
    return size;
  size = gst_tfrc_srtp_protect (self->srtp, TRUE, buffer, size);
  gst_tfrc_key_age_note (&self->age, self->srtp, size);
  return size;
}

/* ---- re-keying and time -------------------------------------------------- */

void
gst_tfrc_sink_keys_rekey (GstTfrcSinkKeys *self, guint64 now_ns)
{
  if (self->state == GST_TFRC_SINK_KEYS_KEYED)
    gst_tfrc_key_age_ask (&self->age, now_ns);
}

static guint64
rekey_due_ns (GstTfrcSinkKeys *self)
{
  return self->state == GST_TFRC_SINK_KEYS_KEYED ? gst_tfrc_key_age_due_ns (&self->age)
                                                 : G_MAXUINT64;
}

/* The receiver has keys, so that the offer leaves protected: no other host can then keep the
 * receiver from reading it. */
static void
on_rekey_due (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  gst_tfrc_key_age_try (&self->age, time->now_ns);
  begin (self, next_seq, TRUE, "other keys are due, or asked for", time);
}

/* Returns when the exchange that is under way has failed, or is too old. */
static guint64
end_ns (GstTfrcSinkKeys *self)
{
  GstTfrcExchangeState state = gst_tfrc_exchange_get_state (self->exchange);
  guint64 since_ns = gst_tfrc_exchange_get_since_ns (self->exchange);
  guint64 doubts_end_ns = gst_tfrc_doubts_end_ns (&self->doubts);

  if (state == GST_TFRC_EXCHANGE_IDLE)
    return G_MAXUINT64;
  if (state == GST_TFRC_EXCHANGE_PROVING || self->state == GST_TFRC_SINK_KEYS_REKEYING)
    return MIN (doubts_end_ns, since_ns + REKEY_TIMEOUT_NS);
  return state == GST_TFRC_EXCHANGE_ASKING ? doubts_end_ns
                                           : MIN (doubts_end_ns, since_ns + OFFER_AGE_NS);
}

static void
on_end (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (!waits (self))
    end_exchange (self);
  else if (self->doubts.n >= GST_TFRC_DOUBTS_ENOUGH)
    fail (self, self->doubts.reason);
  else if (self->state == GST_TFRC_SINK_KEYS_REKEYING)
    fail (self, "The receiver does not confirm the new keys.");
  else
    begin (self, next_seq, FALSE, "the offer is old", time);
}

guint64
gst_tfrc_sink_keys_next_ns (GstTfrcSinkKeys *self)
{
  if (gst_tfrc_key_age_is_used_up (&self->age) && !has_ended (self))
    return 0;
  return MIN (
      MIN (gst_tfrc_exchange_next_ns (self->exchange), gst_tfrc_offer_seal_end_ns (&self->seal)),
      MIN (rekey_due_ns (self), end_ns (self)));
}

void
gst_tfrc_sink_keys_on_time (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (gst_tfrc_key_age_is_used_up (&self->age) && !has_ended (self))
    expire (self);
  if (time->now_ns >= end_ns (self))
    on_end (self, next_seq, time);
  if (gst_tfrc_offer_seal_on_time (&self->seal, time->now_ns))
    gst_tfrc_exchange_hurry (self->exchange, time->now_ns);
  if (time->now_ns >= rekey_due_ns (self))
    on_rekey_due (self, next_seq, time);
}

/* ---- protection ---------------------------------------------------------- */

void
gst_tfrc_sink_keys_seal_from_now_on (GstTfrcSinkKeys *self, guint64 now_ns)
{
  if (gst_tfrc_raised_ttl_sender_seal (&self->raised_ttl, now_ns))
    gst_tfrc_log (keys, DEBUG, "the TTL is raised: packets leave protected from now on");
}

static gboolean
can_seal (GstTfrcSinkKeys *self)
{
  return !has_ended (self) && !gst_tfrc_key_age_is_used_up (&self->age)
      && gst_tfrc_srtp_can_protect (self->srtp);
}

gboolean
gst_tfrc_sink_keys_may_send (GstTfrcSinkKeys *self)
{
  return self->raised_ttl.is_sealing ? can_seal (self) : !has_ended (self);
}

gsize
gst_tfrc_sink_keys_protect (GstTfrcSinkKeys *self, gboolean is_rtcp, guint8 *packet, gsize size)
{
  if (!self->raised_ttl.is_sealing)
    return size;
  if (!can_seal (self))
    return 0;
  size = gst_tfrc_srtp_protect (self->srtp, is_rtcp, packet, size);
  gst_tfrc_key_age_note (&self->age, self->srtp, size);
  return size;
}

static GstTfrcUnprotectResult
unprotect (GstTfrcSinkKeys *self, gboolean is_from_peer, gboolean was_plaintext, guint8 *packet,
    gsize *size, guint64 now_ns)
{
  GstTfrcExchangeState state = gst_tfrc_exchange_get_state (self->exchange);
  GstTfrcUnprotectResult result;

  if (!is_from_peer)
    gst_tfrc_srtp_follow_keys (self->elsewhere, self->srtp);
  result = gst_tfrc_srtp_unprotect (
      is_from_peer ? self->srtp : self->elsewhere, TRUE, packet, size, now_ns);
  gst_tfrc_security_count (&self->stats.refused, result, was_plaintext);
  if (result != GST_TFRC_UNPROTECTED_OK)
    return result;
  if (is_from_peer)
    gst_tfrc_offer_seal_heard (&self->seal);
  if ((state == GST_TFRC_EXCHANGE_PROVING || state == GST_TFRC_EXCHANGE_GRANTED)
      && gst_tfrc_srtp_is_confirmed (self->srtp)) {
    gst_tfrc_exchange_end (self->exchange);
    if (state == GST_TFRC_EXCHANGE_GRANTED)
      on_confirmed (self, now_ns);
  }
  if (gst_tfrc_key_packet_is_rekey (packet, *size)
      && gst_tfrc_key_party_may_answer (self->party, now_ns))
    gst_tfrc_sink_keys_rekey (self, now_ns);
  return result;
}

gboolean
gst_tfrc_sink_keys_unprotect (
    GstTfrcSinkKeys *self, gboolean is_from_peer, guint8 *packet, gsize *size, guint64 now_ns)
{
  gboolean was_plaintext = gst_tfrc_security_is_plain_rtcp (packet, *size);

  if (was_plaintext && gst_tfrc_raised_ttl_sender_takes_plain (&self->raised_ttl, now_ns))
    return TRUE;
  /* Another protected key packet has nothing to say but that the receiver has the keys. */
  return unprotect (self, is_from_peer, was_plaintext, packet, size, now_ns)
      == GST_TFRC_UNPROTECTED_OK
      && !gst_tfrc_key_packet_is (packet, *size);
}

/* ---- queries ------------------------------------------------------------- */

void
gst_tfrc_sink_keys_get_stats (GstTfrcSinkKeys *self, GstTfrcSecurityStats *stats)
{
  *stats = self->stats;
  stats->established = self->established;
  stats->in_force = self->established && self->raised_ttl.is_sealing;
}

GstTfrcSinkKeysState
gst_tfrc_sink_keys_get_state (GstTfrcSinkKeys *self)
{
  return self->state;
}

/* ---- for tests and gdb --------------------------------------------------- */

const gchar *
gst_tfrc_sink_keys_check (const GstTfrcSinkKeys *self)
{
  gboolean is_idle = !waits (self);
  gboolean is_exchanging = self->state == GST_TFRC_SINK_KEYS_AGREEING
      || self->state == GST_TFRC_SINK_KEYS_REKEYING;

  if (is_exchanging == is_idle)
    return "An exchange is under way while keys are agreed on, and only then.";
  if (self->state != GST_TFRC_SINK_KEYS_EXPIRED
      && self->established
          != (self->state == GST_TFRC_SINK_KEYS_KEYED
              || self->state == GST_TFRC_SINK_KEYS_REKEYING))
    return "The receiver has keys if the stream is keyed, and only then.";
  if (self->established && !gst_tfrc_srtp_can_protect (self->srtp))
    return "Keys that the receiver has are installed.";
  if (is_idle && self->doubts.n > 0)
    return "Doubts are about the exchange that is under way.";
  return gst_tfrc_exchange_check (self->exchange);
}

void
gst_tfrc_sink_keys_print (GstTfrcSinkKeys *self)
{
  g_printerr ("keys of stream %08x: %s, generation %u, %u doubts, re-keying at %" G_GUINT64_FORMAT
              " ns, %s\n",
      self->ssrc, state_names[self->state], get_generation (self), self->doubts.n, self->age.due_ns,
      self->raised_ttl.is_sealing ? "protects" : "does not protect");
  gst_tfrc_exchange_print (self->exchange);
}

GstTfrcSrtp *
gst_tfrc_sink_keys_get_srtp (GstTfrcSinkKeys *self)
{
  return self->srtp;
}
