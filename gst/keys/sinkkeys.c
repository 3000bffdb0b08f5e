/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a sender's stream: life, locking, protection.  See sinkkeys.h. */
#include "sinkkeys-private.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A request of the receiver causes an exchange, which costs RSA operations. */
#define REQUESTS_PER_S 1
#define REQUESTS_BURST 2

/* Entries of the replay cache, which the requests of reverse mode fill */
#define REPLAY_ENTRIES 1024

/* How long the receiver's packets may be unprotected after the switch of GST_TFRC_PROTECT_RAISED_TTL:
 * these packets were under way. */
#define PLAIN_GRACE_NS (2 * S_NS)

/* A re-keying that has failed is tried again after this time. */
#define RETRY_NS (30 * S_NS)

/* ---- life ---------------------------------------------------------------- */

GstTfrcSinkKeys *
gst_tfrc_sink_keys_new (const GstTfrcSecurityConfig *config)
{
  GstTfrcSinkKeys *self = g_new0 (GstTfrcSinkKeys, 1);

  g_mutex_init (&self->lock);
  self->credentials = gst_tfrc_credentials_ref (config->credentials);
  self->rekey_interval_ns = config->rekey_interval_ns;
  self->srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->replay_cache = gst_tfrc_mikey_replay_cache_new (REPLAY_ENTRIES);
  self->next_ns = self->rekey_ns = G_MAXUINT64;
  gst_tfrc_token_bucket_init (&self->requests, REQUESTS_PER_S, REQUESTS_BURST);
  gst_tfrc_token_bucket_init (&self->ask_tokens, REQUESTS_PER_S, REQUESTS_BURST);
  self->is_sealing = config->protect == GST_TFRC_PROTECT_ALL;
  self->takes_plain = !self->is_sealing;
  self->plain_until_ns = G_MAXUINT64;
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
  gst_tfrc_sink_exchange_end (self);
  gst_tfrc_srtp_free (self->srtp);
  gst_tfrc_srtp_free (self->elsewhere);
  gst_tfrc_mikey_replay_cache_free (self->replay_cache);
  gst_tfrc_credentials_unref (self->credentials);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Another SSRC is another stream, whose numbers begin anew. */
static void
restart (GstTfrcSinkKeys *self, guint32 ssrc)
{
  gst_tfrc_srtp_free (self->srtp);
  gst_tfrc_srtp_free (self->elsewhere);
  self->srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  self->is_started = TRUE;
  self->ssrc = ssrc;
  self->established = self->has_failed = FALSE;
  self->rekey_ns = G_MAXUINT64;
  self->retry_ns = 0;
}

void
gst_tfrc_sink_keys_start (
    GstTfrcSinkKeys *self, guint32 ssrc, guint16 next_seq, const GstTfrcKeyTime *time)
{
  g_mutex_lock (&self->lock);
  if (!self->is_started || ssrc != self->ssrc) {
    restart (self, ssrc);
    gst_tfrc_sink_exchange_begin (self, next_seq, FALSE, time);
  }
  g_mutex_unlock (&self->lock);
}

gboolean
gst_tfrc_sink_keys_is_started (GstTfrcSinkKeys *self)
{
  gboolean is_started;

  g_mutex_lock (&self->lock);
  is_started = self->is_started;
  g_mutex_unlock (&self->lock);
  return is_started;
}

/* ---- key packets --------------------------------------------------------- */

gboolean
gst_tfrc_sink_keys_on_packet (GstTfrcSinkKeys *self, const guint8 *packet, gsize size,
    guint16 next_seq, const GstTfrcKeyTime *time)
{
  GstTfrcKeyPacket parsed;
  gboolean ok;

  if (!gst_tfrc_key_packet_parse (packet, size, &parsed))
    return FALSE;
  g_mutex_lock (&self->lock);
  ok = gst_tfrc_sink_exchange_on_packet (self, &parsed, next_seq, time);
  if (!ok)
    self->stats.key_messages_refused++;
  g_mutex_unlock (&self->lock);
  return ok;
}

gsize
gst_tfrc_sink_keys_write (GstTfrcSinkKeys *self, guint64 rtt_ns, guint64 now_ns, guint8 *buffer)
{
  gsize size = 0;

  g_mutex_lock (&self->lock);
  if (now_ns >= self->next_ns)
    size = gst_tfrc_sink_exchange_write (self, rtt_ns, now_ns, buffer);
  g_mutex_unlock (&self->lock);
  return size;
}

/* ---- re-keying and time -------------------------------------------------- */

/* The receiver has keys, so that the offer leaves protected: no other host can then keep the
 * receiver from reading it. */
static void
rekey (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  self->rekey_ns = self->retry_ns = time->now_ns + RETRY_NS;
  gst_tfrc_sink_exchange_begin (self, next_seq, TRUE, time);
}

/* Packets with the keys before may still be under way when the keys are new. */
static void
rekey_soon (GstTfrcSinkKeys *self, guint64 now_ns)
{
  if (self->established && !self->is_rekeying && !self->has_failed)
    self->rekey_ns = MAX (now_ns, self->stats.key_ns + GST_TFRC_SINK_NEW_KEYS_NS);
}

void
gst_tfrc_sink_keys_rekey (GstTfrcSinkKeys *self, guint64 now_ns)
{
  g_mutex_lock (&self->lock);
  rekey_soon (self, now_ns);
  g_mutex_unlock (&self->lock);
}

/* A key that is used up by half needs another one, whatever the interval is. */
static guint64
rekey_due_ns (GstTfrcSinkKeys *self)
{
  if (!self->established || self->is_rekeying || self->has_failed)
    return G_MAXUINT64;
  return gst_tfrc_srtp_is_half_used (self->srtp) ? self->retry_ns : self->rekey_ns;
}

guint64
gst_tfrc_sink_keys_next_ns (GstTfrcSinkKeys *self)
{
  guint64 next_ns;

  g_mutex_lock (&self->lock);
  next_ns = MIN (MIN (self->next_ns, rekey_due_ns (self)), gst_tfrc_sink_exchange_end_ns (self));
  g_mutex_unlock (&self->lock);
  return next_ns;
}

void
gst_tfrc_sink_keys_on_time (GstTfrcSinkKeys *self, guint16 next_seq, const GstTfrcKeyTime *time)
{
  g_mutex_lock (&self->lock);
  if (time->now_ns >= gst_tfrc_sink_exchange_end_ns (self))
    gst_tfrc_sink_exchange_on_end (self, next_seq, time);
  if (time->now_ns >= rekey_due_ns (self))
    rekey (self, next_seq, time);
  g_mutex_unlock (&self->lock);
}

/* ---- protection ---------------------------------------------------------- */

/* The receiver learns of it by the first protected packet, and then protects its own packets. */
void
gst_tfrc_sink_keys_seal_from_now_on (GstTfrcSinkKeys *self, guint64 now_ns)
{
  g_mutex_lock (&self->lock);
  if (!self->is_sealing)
    self->plain_until_ns = now_ns + PLAIN_GRACE_NS;
  self->is_sealing = TRUE;
  g_mutex_unlock (&self->lock);
}

gboolean
gst_tfrc_sink_keys_may_send (GstTfrcSinkKeys *self)
{
  gboolean may;

  g_mutex_lock (&self->lock);
  may = !self->has_failed
      && (!self->is_sealing || (self->is_started && gst_tfrc_srtp_can_protect (self->srtp)));
  g_mutex_unlock (&self->lock);
  return may;
}

gsize
gst_tfrc_sink_keys_protect (GstTfrcSinkKeys *self, gboolean is_rtcp, guint8 *packet, gsize size)
{
  gsize sealed = 0;

  g_mutex_lock (&self->lock);
  if (!self->is_sealing)
    sealed = size;
  else if (self->is_started && !self->has_failed && gst_tfrc_srtp_can_protect (self->srtp)) {
    sealed = gst_tfrc_srtp_protect (self->srtp, is_rtcp, packet, size);
    if (sealed == 0) {
      gst_tfrc_sink_exchange_end (self);
      self->has_failed = TRUE;
      gst_tfrc_security_events_add (&self->events, GST_TFRC_SECURITY_EXPIRED, NULL);
    }
  }
  g_mutex_unlock (&self->lock);
  return sealed;
}

gboolean
gst_tfrc_sink_keys_unprotect (
    GstTfrcSinkKeys *self, gboolean is_from_peer, guint8 *packet, gsize *size, guint64 now_ns)
{
  gboolean was_plaintext = gst_tfrc_security_is_plain_rtcp (packet, *size);
  GstTfrcUnprotectResult result;

  g_mutex_lock (&self->lock);
  if (was_plaintext && self->takes_plain && now_ns < self->plain_until_ns) {
    g_mutex_unlock (&self->lock);
    return TRUE;
  }
  result = gst_tfrc_srtp_unprotect (
      is_from_peer ? self->srtp : self->elsewhere, TRUE, packet, size, now_ns);
  gst_tfrc_security_count (&self->stats.refused, result, was_plaintext);
  if (result == GST_TFRC_UNPROTECTED_OK && self->message != NULL
      && gst_tfrc_srtp_is_confirmed (self->srtp))
    gst_tfrc_sink_exchange_on_confirmed (self, now_ns);
  if (result == GST_TFRC_UNPROTECTED_OK && gst_tfrc_key_packet_is_rekey (packet, *size)
      && gst_tfrc_token_bucket_take (&self->ask_tokens, now_ns))
    rekey_soon (self, now_ns);
  g_mutex_unlock (&self->lock);
  /* Another protected key packet has nothing to say but that the receiver has the keys. */
  return result == GST_TFRC_UNPROTECTED_OK && !gst_tfrc_key_packet_is (packet, *size);
}

/* ---- queries ------------------------------------------------------------- */

gboolean
gst_tfrc_sink_keys_has_event (GstTfrcSinkKeys *self)
{
  gboolean has;

  g_mutex_lock (&self->lock);
  has = self->events.n > 0;
  g_mutex_unlock (&self->lock);
  return has;
}

gboolean
gst_tfrc_sink_keys_take_event (GstTfrcSinkKeys *self, GstTfrcSecurityEvent *event)
{
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = gst_tfrc_security_events_take (&self->events, event);
  g_mutex_unlock (&self->lock);
  return taken;
}

void
gst_tfrc_sink_keys_get_stats (GstTfrcSinkKeys *self, GstTfrcSecurityStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->stats;
  stats->established = self->established;
  stats->in_force = self->established && self->is_sealing;
  g_mutex_unlock (&self->lock);
}
