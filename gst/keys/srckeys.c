/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a source: life, locking, protection.  See srckeys.h. */
#include "srckeys-private.h"

#include <tfrc/wire.h>

/* Messages that are read.  Reading costs about a millisecond with RSA, and a few microseconds with
 * a passphrase. */
#define RSA_PER_HOST_PER_S 2
#define RSA_PER_HOST_BURST 4
#define RSA_ALL_PER_S 20
#define RSA_ALL_BURST 20
#define PSK_PER_HOST_PER_S 20
#define PSK_PER_HOST_BURST 40
#define PSK_ALL_PER_S 500
#define PSK_ALL_BURST 500

/* Repeated answers and empty key packets, to all hosts */
#define ANSWERS_PER_S 50
#define ANSWERS_BURST 50

#define REPLAY_ENTRIES 4096

/* ---- life ---------------------------------------------------------------- */

static void
init_buckets (GstTfrcSrcKeys *self)
{
  gboolean is_psk = self->stats.key_exchange == GST_TFRC_KEY_EXCHANGE_PSK;

  for (guint i = 0; i < GST_TFRC_SRC_KEY_HOST_BUCKETS; i++)
    gst_tfrc_token_bucket_init (&self->host_buckets[i],
        is_psk ? PSK_PER_HOST_PER_S : RSA_PER_HOST_PER_S,
        is_psk ? PSK_PER_HOST_BURST : RSA_PER_HOST_BURST);
  gst_tfrc_token_bucket_init (
      &self->all, is_psk ? PSK_ALL_PER_S : RSA_ALL_PER_S, is_psk ? PSK_ALL_BURST : RSA_ALL_BURST);
  gst_tfrc_token_bucket_init (&self->answers, ANSWERS_PER_S, ANSWERS_BURST);
}

GstTfrcSrcKeys *
gst_tfrc_src_keys_new (
    const GstTfrcSecurityConfig *config, const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 ssrc)
{
  GstTfrcSrcKeys *self = g_new0 (GstTfrcSrcKeys, 1);

  g_mutex_init (&self->lock);
  self->own_ssrc = ssrc;
  if (config->credentials == NULL)
    return self;
  self->credentials = gst_tfrc_credentials_ref (config->credentials);
  self->contacts = g_new0 (GstTfrcSrcContacts, 1);
  self->replay_cache = gst_tfrc_mikey_replay_cache_new (REPLAY_ENTRIES);
  self->takes_plain = config->protect == GST_TFRC_PROTECT_RAISED_TTL;
  self->stats.is_protected = TRUE;
  self->stats.key_exchange = gst_tfrc_credentials_get_key_exchange (config->credentials);
  gst_tfrc_cookies_init (&self->hosts, secret);
  init_buckets (self);
  return self;
}

void
gst_tfrc_src_keys_free (GstTfrcSrcKeys *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < GST_TFRC_SRC_KEYED_STREAMS; i++)
    gst_tfrc_src_exchange_drop (&self->streams[i]);
  if (self->contacts)
    gst_tfrc_src_contacts_clear (self->contacts);
  g_free (self->contacts);
  gst_tfrc_mikey_replay_cache_free (self->replay_cache);
  gst_tfrc_credentials_unref (self->credentials);
  g_mutex_clear (&self->lock);
  g_free (self);
}

gboolean
gst_tfrc_src_keys_is_protected (GstTfrcSrcKeys *self)
{
  return self->credentials != NULL;
}

void
gst_tfrc_src_keys_set_peer (GstTfrcSrcKeys *self, const GstTfrcAddress *address, guint32 ssrc)
{
  GstTfrcSrcKeyedStream *stream;

  g_mutex_lock (&self->lock);
  stream = gst_tfrc_src_exchange_find (self, ssrc);
  if (stream) {
    stream->from = *address;
    gst_tfrc_srtp_follow_index (stream->srtp, stream->elsewhere);
  }
  self->has_peer = TRUE;
  self->peer_ssrc = ssrc;
  g_mutex_unlock (&self->lock);
}

/* ---- packets that come --------------------------------------------------- */

/* Without keys a stream that is protected cannot be read.  Its sender's key packets show why. */
static gboolean
receive_without_credentials (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet)
{
  if (!gst_tfrc_key_packet_is (packet->data, packet->size))
    return TRUE;
  g_mutex_lock (&self->lock);
  if (!self->stats.peer_is_protected)
    gst_tfrc_security_events_add (&self->events, GST_TFRC_SECURITY_NO_KEYS, NULL);
  self->stats.peer_is_protected = TRUE;
  g_mutex_unlock (&self->lock);
  return FALSE;
}

gboolean
gst_tfrc_src_keys_receive (GstTfrcSrcKeys *self, const GstTfrcReceivedPacket *packet, gsize *size,
    const GstTfrcKeyTime *time)
{
  TfrcWireKind kind = tfrc_wire_classify (packet->data, packet->size);
  gboolean is_used;

  *size = packet->size;
  /* The caller counts datagrams that are not packets of RTP or RTCP. */
  if (kind == TFRC_WIRE_KIND_NONE || packet->truncated)
    return TRUE;
  if (self->credentials == NULL)
    return receive_without_credentials (self, packet);
  g_mutex_lock (&self->lock);
  is_used = gst_tfrc_src_keys_unprotect (self, packet, kind == TFRC_WIRE_KIND_RTCP, size, time);
  g_mutex_unlock (&self->lock);
  return is_used;
}

/* ---- packets that leave -------------------------------------------------- */

static GstTfrcSrcKeyedStream *
find_at (GstTfrcSrcKeys *self, const GstTfrcAddress *address)
{
  GstTfrcSrcKeyedStream *found = NULL;

  for (guint i = 0; i < GST_TFRC_SRC_KEYED_STREAMS; i++) {
    GstTfrcSrcKeyedStream *stream = &self->streams[i];

    if (stream->srtp
        && (gst_tfrc_address_equal (&stream->from, address)
            || gst_tfrc_address_equal (&stream->from_elsewhere, address))
        && (found == NULL || stream->key_ns > found->key_ns))
      found = stream;
  }
  return found;
}

gsize
gst_tfrc_src_keys_protect (
    GstTfrcSrcKeys *self, const GstTfrcAddress *to, guint8 *packet, gsize size)
{
  GstTfrcSrcKeyedStream *stream;

  if (self->credentials == NULL)
    return size;
  g_mutex_lock (&self->lock);
  stream = find_at (self, to);
  if (!self->takes_plain || (stream && stream->is_sealed))
    size = stream ? gst_tfrc_srtp_protect (stream->srtp, TRUE, packet, size) : 0;
  g_mutex_unlock (&self->lock);
  return size;
}

/* A grant has no answer.  A protected packet shows that the keys have come, even if there is nothing
 * else to send yet. */
static gsize
write_confirmation (GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  for (guint i = 0; i < GST_TFRC_SRC_KEYED_STREAMS; i++) {
    GstTfrcSrcKeyedStream *stream = &self->streams[i];
    gsize size;

    if (stream->srtp == NULL || !stream->wants_confirmation)
      continue;
    stream->wants_confirmation = FALSE;
    *to = stream->from;
    *local = stream->local;
    size = gst_tfrc_key_packet_write_request (
        buffer, self->own_ssrc, GST_TFRC_KEY_PACKET_HEADER_BYTES);
    return gst_tfrc_srtp_protect (stream->srtp, TRUE, buffer, size);
  }
  return 0;
}

static gsize
write_rekey (GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  GstTfrcSrcKeyedStream *stream = gst_tfrc_src_exchange_find (self, self->peer_ssrc);

  self->wants_rekey = FALSE;
  if (!self->has_peer || stream == NULL)
    return 0;
  *to = stream->from;
  *local = stream->local;
  return gst_tfrc_srtp_protect (
      stream->srtp, TRUE, buffer, gst_tfrc_key_packet_write_rekey (buffer, self->own_ssrc));
}

gsize
gst_tfrc_src_keys_write (
    GstTfrcSrcKeys *self, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size = 0;

  if (self->credentials == NULL)
    return 0;
  g_mutex_lock (&self->lock);
  if (self->wants_rekey)
    size = write_rekey (self, buffer, to, local);
  if (size == 0)
    size = write_confirmation (self, buffer, to, local);
  if (size == 0)
    size = gst_tfrc_src_contacts_write (self->contacts, self->own_ssrc, buffer, to, local);
  g_mutex_unlock (&self->lock);
  return size;
}

void
gst_tfrc_src_keys_rekey (GstTfrcSrcKeys *self)
{
  g_mutex_lock (&self->lock);
  self->wants_rekey = TRUE;
  g_mutex_unlock (&self->lock);
}

/* ---- time and queries ---------------------------------------------------- */

guint64
gst_tfrc_src_keys_next_ns (GstTfrcSrcKeys *self)
{
  guint64 next_ns;

  if (self->credentials == NULL)
    return G_MAXUINT64;
  g_mutex_lock (&self->lock);
  next_ns = gst_tfrc_src_exchange_failure_ns (self);
  g_mutex_unlock (&self->lock);
  return next_ns;
}

void
gst_tfrc_src_keys_on_time (GstTfrcSrcKeys *self, guint64 now_ns)
{
  if (self->credentials == NULL)
    return;
  g_mutex_lock (&self->lock);
  if (now_ns >= gst_tfrc_src_exchange_failure_ns (self)) {
    self->has_failed = TRUE;
    gst_tfrc_security_events_add (&self->events, GST_TFRC_SECURITY_FAILED, self->failure);
  }
  g_mutex_unlock (&self->lock);
}

gboolean
gst_tfrc_src_keys_has_event (GstTfrcSrcKeys *self)
{
  gboolean has;

  g_mutex_lock (&self->lock);
  has = self->events.n > 0;
  g_mutex_unlock (&self->lock);
  return has;
}

gboolean
gst_tfrc_src_keys_take_event (GstTfrcSrcKeys *self, GstTfrcSecurityEvent *event)
{
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = gst_tfrc_security_events_take (&self->events, event);
  g_mutex_unlock (&self->lock);
  return taken;
}

void
gst_tfrc_src_keys_get_stats (GstTfrcSrcKeys *self, GstTfrcSecurityStats *stats)
{
  const GstTfrcSrcKeyedStream *stream;

  g_mutex_lock (&self->lock);
  stream = self->has_peer ? gst_tfrc_src_exchange_find (self, self->peer_ssrc) : NULL;
  *stats = self->stats;
  stats->established = stream != NULL;
  stats->in_force = stream != NULL && stream->is_sealed;
  stats->key_ns = stream ? stream->key_ns : 0;
  g_mutex_unlock (&self->lock);
}
