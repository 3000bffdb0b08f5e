/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key exchanges of a sender, see sinkkeys.h. */
#include "sinkkeys-private.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)
#define S_NS (1000 * MS_NS)

/* The interval of offers is 2 R within these limits at first, and doubles each time. */
#define MIN_INTERVAL_NS (100 * MS_NS)
#define FIRST_INTERVAL_NS (250 * MS_NS) /* R is unknown */
#define MAX_INTERVAL_NS (2 * S_NS)

/* An offer that nobody has confirmed is made anew after this time: receivers refuse old offers. */
#define OFFER_AGE_NS (60 * S_NS)

/* A refusal can be forged.  Several of them over this time mean that the keys do not fit. */
#define REFUSAL_TIME_NS (2 * S_NS)
#define MIN_REFUSALS 2

/* A re-keying without confirmation has failed after this time. */
#define REKEY_TIMEOUT_NS (10 * S_NS)

/* The packets by which a sender in reverse mode asks the receiver to ask.  The receiver sends no
 * more bytes to an address than have come from there, and its request has a certificate in it. */
#define ASK_BYTES GST_TFRC_KEY_PACKET_MAX_BYTES
#define ASK_PACKETS 2

/* ---- exchanges ----------------------------------------------------------- */

void
gst_tfrc_sink_exchange_end (GstTfrcSinkKeys *self)
{
  g_clear_pointer (&self->exchange, gst_tfrc_mikey_exchange_free);
  g_clear_pointer (&self->message, g_bytes_unref);
  self->offset = 0;
  self->refusals = 0;
  self->is_rekeying = FALSE;
  self->next_ns = G_MAXUINT64;
}

static void
fail (GstTfrcSinkKeys *self, const gchar *reason)
{
  gboolean was_rekeying = self->is_rekeying;

  gst_tfrc_sink_exchange_end (self);
  self->has_failed = !was_rekeying;
  gst_tfrc_security_events_add (&self->events,
      was_rekeying ? GST_TFRC_SECURITY_REKEY_FAILED : GST_TFRC_SECURITY_FAILED, reason);
}

/* Sends a message from now on until it is confirmed; in reverse mode, without a message, asks the
 * receiver to ask. */
static void
begin_message (GstTfrcSinkKeys *self, GBytes *message, gboolean seal, guint64 now_ns)
{
  self->message = message;
  self->message_number++;
  self->wants_seal = seal;
  self->made_ns = self->next_ns = now_ns;
  self->interval_ns = 0;
}

/* Installs new keys.  As long as no receiver has keys, the newest are in use at once. */
static gboolean
install (GstTfrcSinkKeys *self, GstTfrcStreamKeys *keys, const GstTfrcMikeyStream *stream,
    guint64 now_ns)
{
  gboolean installed = gst_tfrc_srtp_install (self->srtp, keys, stream->ssrc, stream->roc, NULL)
      && gst_tfrc_srtp_install (self->elsewhere, keys, stream->ssrc, stream->roc, NULL);

  gst_tfrc_stream_keys_wipe (keys);
  if (installed && !self->established)
    gst_tfrc_srtp_switch (self->srtp, now_ns);
  self->csb_id = stream->csb_id;
  return installed;
}

static void
describe_stream (GstTfrcSinkKeys *self, guint16 next_seq, GstTfrcMikeyStream *stream)
{
  *stream = (GstTfrcMikeyStream){ .cipher = self->stats.cipher,
    .ssrc = self->ssrc,
    .roc = gst_tfrc_srtp_get_roc (self->srtp, next_seq) };
}

static void
offer (GstTfrcSinkKeys *self, guint16 next_seq, gboolean seal, const GstTfrcKeyTime *time)
{
  GstTfrcMikeyStream stream;
  GstTfrcStreamKeys keys;
  GBytes *message;

  describe_stream (self, next_seq, &stream);
  message = gst_tfrc_mikey_offer (
      self->credentials, &stream, time->wall_ns, &keys, &self->exchange, NULL);
  if (message == NULL || !install (self, &keys, &stream, time->now_ns)) {
    g_clear_pointer (&message, g_bytes_unref);
    fail (self, gst_tfrc_mikey_error_describe (GST_TFRC_MIKEY_FAILED));
    return;
  }
  begin_message (self, message, seal, time->now_ns);
}

void
gst_tfrc_sink_exchange_begin (
    GstTfrcSinkKeys *self, guint16 next_seq, gboolean seal, const GstTfrcKeyTime *time)
{
  gst_tfrc_sink_exchange_end (self);
  self->is_rekeying = self->established;
  if (self->stats.key_exchange == GST_TFRC_KEY_EXCHANGE_RSA_R)
    begin_message (self, NULL, seal, time->now_ns);
  else
    offer (self, next_seq, seal, time);
}

void
gst_tfrc_sink_exchange_on_confirmed (GstTfrcSinkKeys *self, guint64 now_ns)
{
  gboolean was_rekeying = self->is_rekeying;

  gst_tfrc_sink_exchange_end (self);
  gst_tfrc_srtp_switch (self->srtp, now_ns);
  self->established = TRUE;
  self->stats.key_ns = now_ns;
  self->retry_ns = 0;
  if (was_rekeying)
    self->stats.rekeyings++;
  gst_tfrc_security_events_add (&self->events,
      was_rekeying ? GST_TFRC_SECURITY_REKEYED : GST_TFRC_SECURITY_ESTABLISHED, NULL);
  self->rekey_ns = self->rekey_interval_ns > 0 ? now_ns + self->rekey_interval_ns : G_MAXUINT64;
}

/* ---- packets that come --------------------------------------------------- */

static gboolean
on_verification (GstTfrcSinkKeys *self, const GstTfrcKeyTime *time)
{
  const GstTfrcKeyAssembly *assembly = &self->assembly;

  if (self->exchange == NULL)
    return TRUE; /* of an offer that has been confirmed before */
  if (!gst_tfrc_mikey_confirm (
          self->credentials, self->exchange, assembly->message, assembly->total, NULL))
    return FALSE;
  gst_tfrc_sink_exchange_on_confirmed (self, time->now_ns);
  return TRUE;
}

static void
count_refusal (GstTfrcSinkKeys *self, GstTfrcMikeyError reason, guint64 now_ns)
{
  if (self->refusals++ == 0)
    self->refused_ns = now_ns;
  self->refusal = gst_tfrc_mikey_error_describe (reason);
}

/* Any host can make this message, which therefore ends nothing by itself. */
static gboolean
on_refusal (GstTfrcSinkKeys *self, const GstTfrcKeyTime *time)
{
  GstTfrcMikeyError reason;
  guint32 csb_id;

  if (self->message == NULL
      || !gst_tfrc_mikey_read_refusal (
          self->assembly.message, self->assembly.total, &csb_id, &reason)
      || csb_id != self->csb_id)
    return FALSE;
  count_refusal (self, reason, time->now_ns);
  return TRUE;
}

/* Reverse mode: the receiver asks for keys.  The grant leaves until a packet of the receiver shows
 * that the keys have arrived. */
static gboolean
on_request (GstTfrcSinkKeys *self, guint32 csb_id, guint16 next_seq, const GstTfrcKeyTime *time)
{
  GstTfrcMikeyStream stream;
  GstTfrcStreamKeys keys;
  GError *error = NULL;
  GBytes *grant;

  if (self->stats.key_exchange != GST_TFRC_KEY_EXCHANGE_RSA_R)
    return FALSE;
  if (csb_id == self->csb_id)
    return TRUE; /* granted before */
  if (!gst_tfrc_token_bucket_take (&self->requests, time->now_ns))
    return FALSE;
  describe_stream (self, next_seq, &stream);
  grant = gst_tfrc_mikey_grant (self->credentials, self->replay_cache, self->assembly.message,
      self->assembly.total, time->wall_ns, &stream, &keys, &error);
  if (grant == NULL) {
    count_refusal (self, (GstTfrcMikeyError) error->code, time->now_ns);
    g_error_free (error);
    return FALSE;
  }
  gst_tfrc_sink_exchange_end (self);
  self->is_rekeying = self->established;
  if (!install (self, &keys, &stream, time->now_ns)) {
    g_bytes_unref (grant);
    return FALSE;
  }
  begin_message (self, grant, FALSE, time->now_ns);
  return TRUE;
}

static gboolean
on_message (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  GstTfrcMikeyKind kind;
  guint32 csb_id;

  if (!gst_tfrc_mikey_peek (self->assembly.message, self->assembly.total, &kind, &csb_id))
    return FALSE;
  switch (kind) {
    case GST_TFRC_MIKEY_VERIFICATION:
      return on_verification (self, time);
    case GST_TFRC_MIKEY_REFUSAL:
      return on_refusal (self, time);
    case GST_TFRC_MIKEY_REQUEST:
      return on_request (self, csb_id, next_seq, time);
    case GST_TFRC_MIKEY_OFFER:
    case GST_TFRC_MIKEY_GRANT:
      break;
  }
  return FALSE;
}

/* The receiver has no keys for this stream.  An offer that is under way goes on, and leaves once
 * more now, readable without keys.  Data may overtake the first offer: then the receiver asks, though
 * it has the keys before the answer comes. */
static void
on_ask (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (!gst_tfrc_token_bucket_take (&self->ask_tokens, time->now_ns))
    return;
  if (self->established && !self->is_rekeying) {
    if (time->now_ns < self->stats.key_ns + GST_TFRC_SINK_NEW_KEYS_NS)
      return;
    gst_tfrc_sink_exchange_begin (self, next_seq, FALSE, time);
  }
  self->wants_seal = FALSE;
  self->next_ns = MIN (self->next_ns, time->now_ns);
}

gboolean
gst_tfrc_sink_exchange_on_packet (GstTfrcSinkKeys *self, const GstTfrcKeyPacket *packet,
    guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (!self->is_started || self->has_failed)
    return FALSE;
  if (packet->total == 0) {
    on_ask (self, next_seq, time);
    return TRUE;
  }
  return !gst_tfrc_key_assembly_add (&self->assembly, packet) || on_message (self, next_seq, time);
}

/* ---- packets that leave -------------------------------------------------- */

static void
schedule_next (GstTfrcSinkKeys *self, guint64 rtt_ns, guint64 now_ns)
{
  guint64 first_ns = rtt_ns > 0 ? CLAMP (2 * rtt_ns, MIN_INTERVAL_NS, MAX_INTERVAL_NS)
                                : FIRST_INTERVAL_NS;

  self->interval_ns = self->interval_ns > 0 ? MIN (2 * self->interval_ns, MAX_INTERVAL_NS)
                                            : first_ns;
  self->next_ns = now_ns + self->interval_ns;
}

gsize
gst_tfrc_sink_exchange_write (GstTfrcSinkKeys *self, guint64 rtt_ns, guint64 now_ns, guint8 *buffer)
{
  gsize size;

  if (self->message == NULL) {
    if (++self->asks % ASK_PACKETS == 0)
      schedule_next (self, rtt_ns, now_ns);
    return gst_tfrc_key_packet_write_request (buffer, self->ssrc, ASK_BYTES);
  }
  size = gst_tfrc_key_packet_write (
      buffer, self->ssrc, self->message_number, self->message, self->offset);
  self->offset += GST_TFRC_KEY_FRAGMENT_BYTES;
  if (self->offset >= g_bytes_get_size (self->message)) {
    self->offset = 0;
    schedule_next (self, rtt_ns, now_ns);
  }
  if (!self->wants_seal || !self->is_sealing)
    return size;
  return gst_tfrc_srtp_protect (self->srtp, TRUE, buffer, size);
}

/* ---- time ---------------------------------------------------------------- */

guint64
gst_tfrc_sink_exchange_end_ns (const GstTfrcSinkKeys *self)
{
  guint64 end_ns = G_MAXUINT64;

  if (self->next_ns == G_MAXUINT64)
    return G_MAXUINT64;
  if (self->refusals >= MIN_REFUSALS)
    end_ns = self->refused_ns + REFUSAL_TIME_NS;
  if (self->is_rekeying)
    return MIN (end_ns, self->made_ns + REKEY_TIMEOUT_NS);
  return self->message ? MIN (end_ns, self->made_ns + OFFER_AGE_NS) : end_ns;
}

void
gst_tfrc_sink_exchange_on_end (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  if (self->refusals >= MIN_REFUSALS)
    fail (self, self->refusal);
  else if (self->is_rekeying)
    fail (self, "The receiver does not confirm the new keys.");
  else
    gst_tfrc_sink_exchange_begin (self, next_seq, FALSE, time);
}
