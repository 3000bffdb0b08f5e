/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key exchanges of a source, see srckeys.h. */
#include "srckeys-private.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A sender is asked for keys at most once in this time, by an empty key packet or by a request. */
#define ASK_INTERVAL_NS S_NS

/* A request of reverse mode leaves again until it is this old. */
#define REQUEST_AGE_NS (30 * S_NS)

/* A single message may be forged, and so means nothing.  If nothing but such messages has come for
 * this time, the keys of the ends do not fit. */
#define FAILURE_TIME_NS (2 * S_NS)
#define MIN_FAILURES 2

/* ---- streams with keys --------------------------------------------------- */

GstTfrcSrcKeyedStream *
gst_tfrc_src_exchange_find (GstTfrcSrcKeys *self, guint32 ssrc)
{
  for (guint i = 0; i < GST_TFRC_SRC_KEYED_STREAMS; i++) {
    if (self->streams[i].srtp && self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  }
  return NULL;
}

void
gst_tfrc_src_exchange_drop (GstTfrcSrcKeyedStream *stream)
{
  g_clear_pointer (&stream->srtp, gst_tfrc_srtp_free);
  g_clear_pointer (&stream->elsewhere, gst_tfrc_srtp_free);
  g_clear_pointer (&stream->answer, g_bytes_unref);
}

static gboolean
is_peer (const GstTfrcSrcKeys *self, const GstTfrcSrcKeyedStream *stream)
{
  return stream->srtp && self->has_peer && stream->ssrc == self->peer_ssrc;
}

/* Returns the place for another stream: the older one's that is not the peer's. */
static GstTfrcSrcKeyedStream *
make_room (GstTfrcSrcKeys *self)
{
  GstTfrcSrcKeyedStream *a = &self->streams[0], *b = &self->streams[1];
  GstTfrcSrcKeyedStream *place = a->srtp && (!b->srtp || a->key_ns > b->key_ns) ? b : a;

  if (is_peer (self, place))
    place = place == a ? b : a;
  gst_tfrc_src_exchange_drop (place);
  place->is_sealed = !self->takes_plain;
  place->has_sealed_seq = FALSE;
  place->assembly.come = 0;
  memset (&place->from_elsewhere, 0, sizeof place->from_elsewhere);
  place->srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  place->elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  return place;
}

/* In reverse mode packets to the sender are protected with the new keys at once, and one leaves now:
 * it tells the sender that the grant has come.  An offer has an answer for that: the new
 * keys are in use as soon as the sender uses them, so that an offer that was held back or recorded does no harm. */
static gboolean
install (GstTfrcSrcKeys *self, const GstTfrcSrcContact *contact, GstTfrcStreamKeys *keys,
    const GstTfrcMikeyStream *said, GBytes *answer, guint64 now_ns)
{
  GstTfrcSrcKeyedStream *stream = gst_tfrc_src_exchange_find (self, said->ssrc);
  gboolean is_rekeyed = stream != NULL, installed;

  if (stream == NULL)
    stream = make_room (self);
  installed = gst_tfrc_srtp_install (stream->srtp, keys, said->ssrc, said->roc, NULL)
      && gst_tfrc_srtp_install (stream->elsewhere, keys, said->ssrc, said->roc, NULL);
  gst_tfrc_stream_keys_wipe (keys);
  if (!installed) {
    if (!is_rekeyed)
      gst_tfrc_src_exchange_drop (stream);
    return FALSE;
  }
  if (answer == NULL || !is_rekeyed)
    gst_tfrc_srtp_switch (stream->srtp, now_ns);
  stream->ssrc = said->ssrc;
  stream->csb_id = said->csb_id;
  if (!is_rekeyed) {
    stream->from = contact->address;
    stream->local = contact->local;
  }
  stream->key_ns = stream->read_ns = now_ns;
  g_clear_pointer (&stream->answer, g_bytes_unref);
  stream->answer = answer ? g_bytes_ref (answer) : NULL;
  stream->wants_confirmation = answer == NULL;
  self->failures = 0;
  self->has_failed = FALSE;
  self->stats.cipher = said->cipher;
  if (self->stats.key_exchange != GST_TFRC_KEY_EXCHANGE_PSK)
    self->stats.key_exchange = answer ? GST_TFRC_KEY_EXCHANGE_RSA : GST_TFRC_KEY_EXCHANGE_RSA_R;
  self->stats.rekeyings += is_rekeyed;
  gst_tfrc_security_events_add (
      &self->events, is_rekeyed ? GST_TFRC_SECURITY_REKEYED : GST_TFRC_SECURITY_ESTABLISHED, NULL);
  return TRUE;
}

/* ---- senders that cannot be understood ----------------------------------- */

void
gst_tfrc_src_exchange_count_failure (GstTfrcSrcKeys *self, const gchar *reason, guint64 now_ns)
{
  if (self->streams[0].srtp || self->streams[1].srtp)
    return;
  if (self->failures++ == 0)
    self->failed_ns = now_ns;
  self->failure = reason;
}

guint64
gst_tfrc_src_exchange_failure_ns (const GstTfrcSrcKeys *self)
{
  if (self->has_failed || self->failures < MIN_FAILURES)
    return G_MAXUINT64;
  return self->failed_ns + FAILURE_TIME_NS;
}

/* ---- messages that come -------------------------------------------------- */

/* In a flood nearly no message passes the first condition, and so the hash costs nothing. */
static gboolean
may_read (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  guint host;

  if (now_ns < gst_tfrc_token_bucket_next_ns (&self->all))
    return FALSE;
  host = gst_tfrc_cookies_hash_host (&self->hosts, packet->from) % GST_TFRC_SRC_KEY_HOST_BUCKETS;
  return gst_tfrc_token_bucket_take (&self->host_buckets[host], now_ns)
      && gst_tfrc_token_bucket_take (&self->all, now_ns);
}

/* The answer may have been lost. */
static void
answer_again (GstTfrcSrcContact *contact, GstTfrcSrcKeyedStream *stream)
{
  if (stream->answer)
    gst_tfrc_src_contact_send (contact, g_bytes_ref (stream->answer));
  else
    stream->wants_confirmation = TRUE;
}

static gboolean
repeat_answer (GstTfrcSrcKeys *self, GstTfrcSrcContact *contact, guint32 csb_id, guint64 now_ns)
{
  for (guint i = 0; i < GST_TFRC_SRC_KEYED_STREAMS; i++) {
    GstTfrcSrcKeyedStream *stream = &self->streams[i];

    if (stream->srtp == NULL || stream->csb_id != csb_id
        || !gst_tfrc_address_equal (&stream->from, &contact->address))
      continue;
    if (gst_tfrc_token_bucket_take (&self->answers, now_ns))
      answer_again (contact, stream);
    return TRUE;
  }
  return FALSE;
}

static void
refuse (
    GstTfrcSrcKeys *self, GstTfrcSrcContact *contact, guint32 csb_id, GError *error, guint64 now_ns)
{
  GstTfrcMikeyError reason = (GstTfrcMikeyError) error->code;
  GBytes *refusal = gst_tfrc_mikey_refuse (csb_id, reason);

  gst_tfrc_src_exchange_count_failure (self, gst_tfrc_mikey_error_describe (reason), now_ns);
  if (refusal)
    gst_tfrc_src_contact_send (contact, refusal);
  g_error_free (error);
}

static gboolean
on_offer (GstTfrcSrcKeys *self, GstTfrcSrcContact *contact, const GstTfrcKeyAssembly *assembly,
    guint32 csb_id, const GstTfrcKeyTime *time)
{
  GstTfrcMikeyStream said;
  GstTfrcStreamKeys keys;
  GError *error = NULL;
  gboolean installed;
  GBytes *answer;

  answer = gst_tfrc_mikey_accept (self->credentials, self->replay_cache, assembly->message,
      assembly->total, time->wall_ns, &said, &keys, &error);
  if (answer == NULL) {
    refuse (self, contact, csb_id, error, time->now_ns);
    return FALSE;
  }
  installed = install (self, contact, &keys, &said, answer, time->now_ns);
  if (installed)
    gst_tfrc_src_contact_send (contact, answer);
  else
    g_bytes_unref (answer);
  return installed;
}

static gboolean
on_grant (GstTfrcSrcKeys *self, GstTfrcSrcContact *contact, const GstTfrcKeyAssembly *assembly,
    const GstTfrcKeyTime *time)
{
  GstTfrcMikeyStream said;
  GstTfrcStreamKeys keys;
  GError *error = NULL;

  if (!gst_tfrc_mikey_take_grant (self->credentials, contact->exchange, assembly->message,
          assembly->total, time->wall_ns, &said, &keys, &error)) {
    gst_tfrc_src_exchange_count_failure (
        self, gst_tfrc_mikey_error_describe ((GstTfrcMikeyError) error->code), time->now_ns);
    g_error_free (error);
    return FALSE;
  }
  g_clear_pointer (&contact->exchange, gst_tfrc_mikey_exchange_free);
  g_clear_pointer (&contact->request, g_bytes_unref);
  return install (self, contact, &keys, &said, NULL, time->now_ns);
}

static gboolean
on_message (GstTfrcSrcKeys *self, GstTfrcSrcContact *contact, const GstTfrcKeyAssembly *assembly,
    const GstTfrcReceivedPacket *packet, gboolean is_sealed, const GstTfrcKeyTime *time)
{
  GstTfrcMikeyKind kind;
  guint32 csb_id;

  if (!gst_tfrc_mikey_peek (assembly->message, assembly->total, &kind, &csb_id))
    return FALSE;
  if ((kind == GST_TFRC_MIKEY_OFFER || kind == GST_TFRC_MIKEY_GRANT)
      && repeat_answer (self, contact, csb_id, time->now_ns))
    return TRUE;
  if (kind == GST_TFRC_MIKEY_GRANT && contact->exchange == NULL)
    return TRUE; /* of another request */
  if (!is_sealed && !may_read (self, packet, time->now_ns))
    return FALSE;
  switch (kind) {
    case GST_TFRC_MIKEY_OFFER:
      return on_offer (self, contact, assembly, csb_id, time);
    case GST_TFRC_MIKEY_GRANT:
      return on_grant (self, contact, assembly, time);
    case GST_TFRC_MIKEY_VERIFICATION:
    case GST_TFRC_MIKEY_REQUEST:
    case GST_TFRC_MIKEY_REFUSAL:
      break;
  }
  return FALSE;
}

/* ---- asking for keys ----------------------------------------------------- */

/* Reverse mode.  Making a request costs an RSA operation, so that the last one is used again. */
static void
request (GstTfrcSrcKeys *self, GstTfrcSrcContact *contact, const GstTfrcReceivedPacket *packet,
    const GstTfrcKeyTime *time)
{
  if (contact->request == NULL || time->now_ns > contact->requested_ns + REQUEST_AGE_NS) {
    if (!may_read (self, packet, time->now_ns))
      return;
    g_clear_pointer (&contact->request, g_bytes_unref);
    g_clear_pointer (&contact->exchange, gst_tfrc_mikey_exchange_free);
    contact->request = gst_tfrc_mikey_request (
        self->credentials, time->wall_ns, &contact->exchange, NULL);
    contact->requested_ns = time->now_ns;
  }
  /* A request of several packets that is leaving goes on, as far as the credit allows. */
  if (contact->request && contact->message != contact->request)
    gst_tfrc_src_contact_send (contact, g_bytes_ref (contact->request));
}

static gboolean
asks_in_reverse (const GstTfrcSrcKeys *self)
{
  return gst_tfrc_credentials_get_key_exchange (self->credentials) == GST_TFRC_KEY_EXCHANGE_RSA_R;
}

/* The packet that asks for a request has come late, or twice. */
static gboolean
has_new_keys (GstTfrcSrcKeys *self, guint32 ssrc, guint64 now_ns)
{
  const GstTfrcSrcKeyedStream *stream = gst_tfrc_src_exchange_find (self, ssrc);

  return stream && now_ns < stream->key_ns + ASK_INTERVAL_NS;
}

void
gst_tfrc_src_exchange_on_unknown (
    GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, const GstTfrcKeyTime *time)
{
  GstTfrcSrcContact *contact = gst_tfrc_src_contacts_on_packet (
      self->contacts, packet, time->now_ns);

  if (contact->asked_ns != 0 && time->now_ns < contact->asked_ns + ASK_INTERVAL_NS)
    return;
  contact->asked_ns = time->now_ns;
  contact->wants_ask = gst_tfrc_token_bucket_take (&self->answers, time->now_ns);
}

/* ---- packets that come --------------------------------------------------- */

gboolean
gst_tfrc_src_exchange_on_packet (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet,
    gsize size, GstTfrcSrcKeyedStream *stream, const GstTfrcKeyTime *time)
{
  GstTfrcKeyAssembly *assembly;
  GstTfrcSrcContact *contact;
  GstTfrcKeyPacket parsed;

  if (!gst_tfrc_key_packet_parse (packet->data, size, &parsed))
    return FALSE;
  contact = gst_tfrc_src_contacts_on_packet (self->contacts, packet, time->now_ns);
  if (parsed.total == 0) {
    if (asks_in_reverse (self) && !has_new_keys (self, parsed.ssrc, time->now_ns))
      request (self, contact, packet, time);
    return TRUE;
  }
  assembly = stream ? &stream->assembly : &contact->assembly;
  return !gst_tfrc_key_assembly_add (assembly, &parsed)
      || on_message (self, contact, assembly, packet, stream != NULL, time);
}
