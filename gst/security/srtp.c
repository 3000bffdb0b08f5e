/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The generations of keys of a stream, see srtp.h. */
#include <openssl/crypto.h>

#include "srtp-private.h"

/* ---- generations -------------------------------------------------------- */

static void
generation_free (GstTfrcSrtpGeneration *generation)
{
  if (!generation)
    return;
  gst_tfrc_srtp_context_clear (&generation->receiving);
  OPENSSL_cleanse (&generation->sending_key, sizeof generation->sending_key);
  g_free (generation);
}

static gboolean
is_gcm (GstTfrcCipher cipher)
{
  return cipher == GST_TFRC_CIPHER_AES_128_GCM || cipher == GST_TFRC_CIPHER_AES_256_GCM;
}

static GstTfrcSrtpGeneration *
generation_new (
    GstTfrcSrtpEnd end, const GstTfrcStreamKeys *keys, guint32 ssrc, guint32 roc, GError **error)
{
  GstTfrcSrtpGeneration *self = g_new0 (GstTfrcSrtpGeneration, 1);
  /* tfrcsrc chooses the SSRC of its reports by itself. */
  GstTfrcSrtpContextType type = { end == GST_TFRC_SRTP_SENDER ? ssrc_any_inbound : ssrc_specific,
    ssrc, GST_TFRC_SRTP_WINDOW_PACKETS };

  self->cipher = keys->cipher;
  self->tag_bytes = gst_tfrc_cipher_get_sizes (keys->cipher)->tag_bytes;
  self->after_index_bytes = is_gcm (keys->cipher) ? 0 : self->tag_bytes;
  self->sending_key = end == GST_TFRC_SRTP_SENDER ? keys->sender : keys->receiver;
  self->ssrc = ssrc;
  self->roc = roc;
  if (gst_tfrc_srtp_context_set (&self->receiving, &type, keys->cipher,
          end == GST_TFRC_SRTP_SENDER ? &keys->receiver : &keys->sender, error))
    return self;
  generation_free (self);
  return NULL;
}

static void
drop_before (GstTfrcSrtp *self)
{
  if (self->last == self->before)
    self->last = NULL;
  g_clear_pointer (&self->before, generation_free);
}

void
gst_tfrc_srtp_drop_before_if_due (GstTfrcSrtp *self, guint64 now_ns)
{
  if (self->before && self->newest->has_received && now_ns >= self->grace_end_ns)
    drop_before (self);
}

/* ---- the interface ------------------------------------------------------ */

GstTfrcSrtp *
gst_tfrc_srtp_new (GstTfrcSrtpEnd end)
{
  GstTfrcSrtp *self = g_new0 (GstTfrcSrtp, 1);

  g_mutex_init (&self->mutex);
  self->end = end;
  self->max_packets = GST_TFRC_SRTP_MAX_PACKETS;
  self->max_bytes = GST_TFRC_SRTP_MAX_BYTES;
  return self;
}

void
gst_tfrc_srtp_free (GstTfrcSrtp *self)
{
  if (!self)
    return;
  drop_before (self);
  generation_free (self->newest);
  gst_tfrc_srtp_context_clear (&self->sending);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* No packet of this end or of the peer has needed the newest generation yet.  At a receiver, the
 * sender still uses the one before then. */
static gboolean
is_newest_unused (const GstTfrcSrtp *self)
{
  if (self->newest->has_received)
    return FALSE;
  if (self->end == GST_TFRC_SRTP_RECEIVER && self->before)
    return TRUE;
  return !self->is_switched
      || (!self->before && self->usage.packets == 0 && !self->newest->is_in_use);
}

static gboolean
install (GstTfrcSrtp *self, GstTfrcSrtpGeneration *generation, GError **error)
{
  if (self->newest && is_newest_unused (self))
    generation_free (self->newest);
  else {
    drop_before (self);
    self->before = self->newest;
  }
  self->newest = generation;
  self->is_switched = FALSE;
  if (self->before || gst_tfrc_srtp_switch_sending (self, error))
    return TRUE;
  g_clear_pointer (&self->newest, generation_free);
  return FALSE;
}

gboolean
gst_tfrc_srtp_install (
    GstTfrcSrtp *self, const GstTfrcStreamKeys *keys, guint32 ssrc, guint32 roc, GError **error)
{
  GstTfrcSrtpGeneration *generation = generation_new (self->end, keys, ssrc, roc, error);
  gboolean is_installed;

  if (!generation)
    return FALSE;
  g_mutex_lock (&self->mutex);
  is_installed = install (self, generation, error);
  g_mutex_unlock (&self->mutex);
  return is_installed;
}

void
gst_tfrc_srtp_switch (GstTfrcSrtp *self, guint64 now_ns)
{
  g_mutex_lock (&self->mutex);
  if (self->newest && !self->is_switched)
    gst_tfrc_srtp_switch_sending (self, NULL);
  if (self->newest)
    self->newest->is_in_use = TRUE;
  gst_tfrc_srtp_drop_before_if_due (self, now_ns);
  g_mutex_unlock (&self->mutex);
}

gboolean
gst_tfrc_srtp_can_protect (GstTfrcSrtp *self)
{
  gboolean can_protect;

  g_mutex_lock (&self->mutex);
  can_protect = self->sending != NULL;
  g_mutex_unlock (&self->mutex);
  return can_protect;
}

gboolean
gst_tfrc_srtp_is_confirmed (GstTfrcSrtp *self)
{
  gboolean is_confirmed;

  g_mutex_lock (&self->mutex);
  is_confirmed = self->newest && self->newest->has_received;
  g_mutex_unlock (&self->mutex);
  return is_confirmed;
}

gsize
gst_tfrc_srtp_protect (GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize size)
{
  gsize protected_size;

  g_mutex_lock (&self->mutex);
  protected_size = gst_tfrc_srtp_protect_locked (self, is_rtcp, packet, size);
  g_mutex_unlock (&self->mutex);
  return protected_size;
}

GstTfrcUnprotectResult
gst_tfrc_srtp_unprotect (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize *size, guint64 now_ns)
{
  GstTfrcUnprotectResult result;

  g_mutex_lock (&self->mutex);
  result = gst_tfrc_srtp_unprotect_locked (self, is_rtcp, packet, size, now_ns);
  g_mutex_unlock (&self->mutex);
  return result;
}

guint32
gst_tfrc_srtp_get_roc (GstTfrcSrtp *self, guint16 next_seq)
{
  guint64 roc;

  g_mutex_lock (&self->mutex);
  roc = gst_tfrc_srtp_guess_roc (self, next_seq);
  g_mutex_unlock (&self->mutex);
  return (guint32) MIN (roc, G_MAXUINT32);
}

void
gst_tfrc_srtp_follow_index (GstTfrcSrtp *self, GstTfrcSrtp *other)
{
  GstTfrcSrtpIndex index;

  g_mutex_lock (&other->mutex);
  index = other->index;
  g_mutex_unlock (&other->mutex);
  if (!index.is_known)
    return;
  g_mutex_lock (&self->mutex);
  gst_tfrc_srtp_note_index (self, index.furthest >> 16, (guint16) index.furthest);
  g_mutex_unlock (&self->mutex);
}

void
gst_tfrc_srtp_get_usage (GstTfrcSrtp *self, GstTfrcSrtpUsage *usage)
{
  g_mutex_lock (&self->mutex);
  *usage = self->usage;
  g_mutex_unlock (&self->mutex);
}

gboolean
gst_tfrc_srtp_is_half_used (GstTfrcSrtp *self)
{
  gboolean is_half_used;

  g_mutex_lock (&self->mutex);
  is_half_used = self->usage.packets >= self->max_packets / 2
      || self->usage.bytes >= self->max_bytes / 2;
  g_mutex_unlock (&self->mutex);
  return is_half_used;
}

void
gst_tfrc_srtp_set_limits (GstTfrcSrtp *self, guint64 max_packets, guint64 max_bytes)
{
  g_mutex_lock (&self->mutex);
  self->max_packets = max_packets;
  self->max_bytes = max_bytes;
  g_mutex_unlock (&self->mutex);
}
