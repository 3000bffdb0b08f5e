/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's stream that a receiver has keys of, see keyedstream.h. */
#include "keyedstream.h"

#include "../common/log.h"
#include "../security/replaywindow.h"
#include "unprotected.h"

/* A stream of which no packet can be unprotected for this time has other keys now. */
#define LOST_KEYS_NS (2 * G_GUINT64_CONSTANT (1000000000))

struct _GstTfrcKeyedStream
{
  GstTfrcSrtp *srtp;
  GstTfrcSrtp *elsewhere; /* with the same keys: unprotects packets from other addresses than the
                             sender's; protects nothing */
  guint32 ssrc;
  gchar author[GST_TFRC_MIKEY_ID_BYTES]; /* of the keys */
  guint32 csb_id;                        /* of the last exchange */
  gboolean wants_confirmation;           /* after a grant: a protected key packet is to leave */
  GstTfrcAddress from;                   /* of the sender, as far as is known */
  GstTfrcAddress from_elsewhere; /* that the last other packet with these keys has come from */
  GstTfrcAddress proven;         /* where this end's part of the keys has been received */
  GstTfrcReplayWindow played[GST_TFRC_SRTP_STREAMS]; /* indexes of data, with all keys */
  GstTfrcAddress local;
  guint64 key_ns;  /* when the keys came; 0: none yet */
  guint64 read_ns; /* when a packet could be unprotected last */
  GstTfrcRaisedTtlReceiver raised_ttl;
  GstTfrcKeyAssembly assembly;
};

GstTfrcKeyedStream *
gst_tfrc_keyed_stream_new (const GstTfrcAddress *from, const GstTfrcAddress *local,
    const GstTfrcRaisedTtlReceiver *raised_ttl)
{
  GstTfrcKeyedStream *self = g_new0 (GstTfrcKeyedStream, 1);

  self->srtp = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  self->elsewhere = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
  self->from = *from;
  self->local = *local;
  self->raised_ttl = *raised_ttl;
  return self;
}

void
gst_tfrc_keyed_stream_free (GstTfrcKeyedStream *self)
{
  if (self == NULL)
    return;
  gst_tfrc_srtp_free (self->srtp);
  gst_tfrc_srtp_free (self->elsewhere);
  g_free (self);
}

static guint
get_generation (const GstTfrcKeyedStream *self)
{
  GstTfrcSrtpUsage usage;

  gst_tfrc_srtp_get_usage (self->srtp, &usage);
  return usage.generation;
}

gboolean
gst_tfrc_keyed_stream_install (GstTfrcKeyedStream *self, const GstTfrcMikeyStream *said,
    GstTfrcStreamKeys *keys, const GstTfrcAddress *from, gboolean is_granted, guint64 now_ns)
{
  gboolean is_first = self->key_ns == 0, installed;

  gst_tfrc_srtp_follow_keys (self->elsewhere, self->srtp);
  installed = gst_tfrc_srtp_install (
                  self->srtp, keys, said->ssrc, said->roc, said->repair_roc, NULL)
      && gst_tfrc_srtp_install (
          self->elsewhere, keys, said->ssrc, said->roc, said->repair_roc, NULL);
  gst_tfrc_stream_keys_wipe (keys);
  if (!installed)
    return FALSE;
  gst_tfrc_srtp_switch (self->srtp, now_ns);
  self->ssrc = said->ssrc;
  g_strlcpy (self->author, said->author, sizeof self->author);
  self->csb_id = said->csb_id;
  self->key_ns = self->read_ns = now_ns;
  self->proven = *from;
  self->wants_confirmation = is_granted;
  gst_tfrc_log (keys, DEBUG, "stream %08x: %s keys, csb %08x, generation %u protects reports",
      self->ssrc, is_first ? "first" : "other", self->csb_id, get_generation (self));
  return TRUE;
}

void
gst_tfrc_keyed_stream_follow (GstTfrcKeyedStream *self, GstTfrcSrtp *provisional)
{
  gst_tfrc_srtp_follow_index (self->srtp, provisional);
}

void
gst_tfrc_keyed_stream_move (GstTfrcKeyedStream *self, const GstTfrcAddress *address)
{
  self->from = *address;
  gst_tfrc_srtp_follow_index (self->srtp, self->elsewhere);
}

gboolean
gst_tfrc_keyed_stream_is_by (const GstTfrcKeyedStream *self, const gchar *author)
{
  return g_str_equal (self->author, author);
}

/* ---- answers ------------------------------------------------------------- */

gboolean
gst_tfrc_keyed_stream_is_of (const GstTfrcKeyedStream *self, guint32 csb_id)
{
  return self->csb_id == csb_id;
}

void
gst_tfrc_keyed_stream_confirm_again (GstTfrcKeyedStream *self)
{
  self->wants_confirmation = TRUE;
}

/* ---- packets ------------------------------------------------------------- */

/* A packet from elsewhere may follow ones from the sender's address, whose rollover counter and keys are
 * told first. */
GstTfrcUnprotectResult
gst_tfrc_keyed_stream_unprotect (GstTfrcKeyedStream *self, const GstTfrcReceivedPacket *packet,
    gboolean is_rtcp, GstTfrcReceivedPacket *plain, guint64 now_ns)
{
  gboolean is_known = gst_tfrc_address_equal (packet->from, &self->from);
  GstTfrcSrtp *srtp = is_known ? self->srtp : self->elsewhere;
  GstTfrcUnprotectResult result;
  gsize size = packet->size;

  if (!is_known) {
    gst_tfrc_srtp_follow_index (self->elsewhere, self->srtp);
    gst_tfrc_srtp_follow_keys (self->elsewhere, self->srtp);
  }
  result = gst_tfrc_srtp_unprotect (srtp, is_rtcp, packet->data, &size, now_ns);
  if (result != GST_TFRC_UNPROTECTED_OK)
    return result;
  gst_tfrc_note_unprotected (plain, srtp, is_rtcp, size);
  gst_tfrc_keyed_stream_take (self, is_rtcp, plain, now_ns);
  if (is_known)
    self->local = packet->local;
  else
    self->from_elsewhere = *packet->from;
  return result;
}

void
gst_tfrc_keyed_stream_take (
    GstTfrcKeyedStream *self, gboolean is_rtcp, GstTfrcReceivedPacket *plain, guint64 now_ns)
{
  gboolean is_media = !is_rtcp
      && gst_tfrc_keyed_stream_find (self, GST_READ_UINT32_BE (plain->data + 8))
          == GST_TFRC_SRTP_MEDIA;

  plain->proves_address = gst_tfrc_address_equal (plain->from, &self->proven);
  gst_tfrc_raised_ttl_receiver_on_unprotected (
      &self->raised_ttl, is_media, plain->data, plain->size, now_ns);
  self->read_ns = MAX (self->read_ns, now_ns); /* a packet may have waited */
}

gboolean
gst_tfrc_keyed_stream_play (GstTfrcKeyedStream *self, guint32 ssrc, guint64 index)
{
  GstTfrcSrtpStream stream = gst_tfrc_keyed_stream_find (self, ssrc);

  return stream != GST_TFRC_SRTP_NO_STREAM
      && gst_tfrc_replay_window_take (&self->played[stream], index);
}

gsize
gst_tfrc_keyed_stream_protect (GstTfrcKeyedStream *self, guint8 *packet, gsize size)
{
  return gst_tfrc_srtp_protect (self->srtp, TRUE, packet, size);
}

static gsize
seal (
    GstTfrcKeyedStream *self, guint8 *buffer, gsize size, GstTfrcAddress *to, GstTfrcAddress *local)
{
  *to = self->from;
  *local = self->local;
  return gst_tfrc_srtp_protect (self->srtp, TRUE, buffer, size);
}

/* A grant has no answer.  Any protected packet shows that the keys have come; this one leaves even if
 * there is nothing else to send yet. */
gsize
gst_tfrc_keyed_stream_write_confirmation (GstTfrcKeyedStream *self, guint32 own_ssrc,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  gsize size;

  if (!self->wants_confirmation)
    return 0;
  self->wants_confirmation = FALSE;
  size = gst_tfrc_key_packet_write_request (buffer, own_ssrc, 0, GST_TFRC_KEY_PACKET_HEADER_BYTES);
  return seal (self, buffer, size, to, local);
}

gsize
gst_tfrc_keyed_stream_write_rekey (GstTfrcKeyedStream *self, guint32 own_ssrc, guint8 *buffer,
    GstTfrcAddress *to, GstTfrcAddress *local)
{
  gst_tfrc_log (keys, DEBUG, "stream %08x: asks its sender for other keys", self->ssrc);
  return seal (self, buffer, gst_tfrc_key_packet_write_rekey (buffer, own_ssrc), to, local);
}

/* ---- queries ------------------------------------------------------------- */

guint32
gst_tfrc_keyed_stream_get_ssrc (const GstTfrcKeyedStream *self)
{
  return self->ssrc;
}

GstTfrcSrtpStream
gst_tfrc_keyed_stream_find (const GstTfrcKeyedStream *self, guint32 ssrc)
{
  return gst_tfrc_srtp_stream_of (self->ssrc, ssrc);
}

guint64
gst_tfrc_keyed_stream_get_key_ns (const GstTfrcKeyedStream *self)
{
  return self->key_ns;
}

const gchar *
gst_tfrc_keyed_stream_get_author (const GstTfrcKeyedStream *self)
{
  return self->author;
}

gboolean
gst_tfrc_keyed_stream_is_from (const GstTfrcKeyedStream *self, const GstTfrcAddress *address)
{
  return gst_tfrc_address_equal (&self->from, address);
}

gboolean
gst_tfrc_keyed_stream_is_at (const GstTfrcKeyedStream *self, const GstTfrcAddress *address)
{
  return gst_tfrc_address_equal (&self->from, address)
      || gst_tfrc_address_equal (&self->from_elsewhere, address);
}

gboolean
gst_tfrc_keyed_stream_is_lost (const GstTfrcKeyedStream *self, guint64 now_ns)
{
  return now_ns >= self->read_ns + LOST_KEYS_NS;
}

const GstTfrcRaisedTtlReceiver *
gst_tfrc_keyed_stream_get_raised_ttl (const GstTfrcKeyedStream *self)
{
  return &self->raised_ttl;
}

GstTfrcKeyAssembly *
gst_tfrc_keyed_stream_get_assembly (GstTfrcKeyedStream *self)
{
  return &self->assembly;
}

const gchar *
gst_tfrc_keyed_stream_check (const GstTfrcKeyedStream *self)
{
  if (!gst_tfrc_srtp_can_protect (self->srtp))
    return "The sender of a stream with keys can be answered.";
  if (self->read_ns < self->key_ns)
    return "A stream is not lost when its keys have come just now.";
  return NULL;
}

void
gst_tfrc_keyed_stream_print (const GstTfrcKeyedStream *self)
{
  g_printerr ("stream %08x: csb %08x, generation %u, keys came at %" G_GUINT64_FORMAT
              " ns, last read at %" G_GUINT64_FORMAT " ns, %s\n",
      self->ssrc, self->csb_id, get_generation (self), self->key_ns, self->read_ns,
      gst_tfrc_raised_ttl_receiver_is_sealed (&self->raised_ttl) ? "protected"
                                                                 : "not protected yet");
}
