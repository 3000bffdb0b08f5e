/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Protects the packets of a stream, see srtp.h.
 *
 * An end has one context of libsrtp to protect with.  The context gets the key of a generation when
 * the end switches to the generation: so the rollover counter and the SRTCP index go on (RFC 3711
 * sections 3.3.1 and 3.4). */
#include <openssl/crypto.h>

#include "srtp-private.h"

guint64
gst_tfrc_srtp_guess_roc (const GstTfrcSrtp *self, guint16 seq)
{
  guint64 roc = self->index.furthest >> 16;
  guint16 furthest = (guint16) self->index.furthest;

  if (!self->index.is_known)
    return self->newest ? self->newest->roc : 0;
  /* RFC 3711 appendix A, and as libsrtp has it: no counter comes before 0. */
  if (furthest < 0x8000)
    return seq - furthest > 0x8000 && roc > 0 ? roc - 1 : roc;
  return furthest - 0x8000 > seq ? roc + 1 : roc;
}

void
gst_tfrc_srtp_note_index (GstTfrcSrtp *self, guint64 roc, guint16 seq)
{
  guint64 index = roc << 16 | seq;

  self->index.furthest = self->index.is_known ? MAX (self->index.furthest, index) : index;
  self->index.is_known = TRUE;
}

/* A context for another SSRC begins anew.  So does one whose SRTCP index comes near its end: the
 * index wraps modulo 2^31 (RFC 3711 section 3.4), which the new key allows and libsrtp does not. */
static gboolean
needs_new_context (const GstTfrcSrtp *self)
{
  return self->newest->ssrc != self->sending_ssrc || self->rtcp_packets > self->max_packets / 2;
}

gboolean
gst_tfrc_srtp_switch_sending (GstTfrcSrtp *self, GError **error)
{
  GstTfrcSrtpGeneration *newest = self->newest;
  GstTfrcSrtpContextType type = { self->end == GST_TFRC_SRTP_SENDER ? ssrc_specific
                                                                    : ssrc_any_outbound,
    newest->ssrc, GST_TFRC_SRTP_WINDOW_PACKETS };
  gboolean is_set;

  if (needs_new_context (self))
    gst_tfrc_srtp_context_clear (&self->sending);
  if (!self->sending) {
    self->has_sent_data = FALSE;
    self->rtcp_packets = 0;
  }
  if (newest->ssrc != self->sending_ssrc)
    self->index.is_known = FALSE;
  self->sending_ssrc = newest->ssrc;
  self->is_switched = TRUE;
  self->usage.packets = self->usage.bytes = 0;
  self->usage.generation++;
  is_set = gst_tfrc_srtp_context_set (
      &self->sending, &type, newest->cipher, &newest->sending_key, error);
  OPENSSL_cleanse (&newest->sending_key, sizeof newest->sending_key);
  return is_set;
}

static gboolean
may_protect (const GstTfrcSrtp *self, gboolean is_rtcp, const guint8 *packet, gsize size)
{
  if (!self->sending || size > GST_TFRC_SRTP_MAX_PACKET_BYTES)
    return FALSE;
  if (self->usage.packets >= self->max_packets || self->usage.bytes + size > self->max_bytes)
    return FALSE;
  if (is_rtcp)
    return size >= GST_TFRC_SRTP_RTCP_HEADER_BYTES;
  return self->end == GST_TFRC_SRTP_SENDER && size >= GST_TFRC_SRTP_RTP_HEADER_BYTES
      && gst_tfrc_srtp_guess_roc (self, gst_tfrc_srtp_get_seq (packet)) <= G_MAXUINT32;
}

static srtp_err_status_t
protect_data (GstTfrcSrtp *self, guint8 *packet, int *size)
{
  guint16 seq = gst_tfrc_srtp_get_seq (packet);
  guint64 roc = gst_tfrc_srtp_guess_roc (self, seq);
  srtp_err_status_t status = srtp_err_status_ok;

  /* libsrtp takes 0 for "not set", which a new context begins with. */
  if (!self->has_sent_data)
    status = srtp_set_stream_roc (self->sending, self->sending_ssrc, (guint32) roc);
  if (status == srtp_err_status_ok)
    status = srtp_protect (self->sending, packet, size);
  if (status == srtp_err_status_ok) {
    self->has_sent_data = TRUE;
    gst_tfrc_srtp_note_index (self, roc, seq);
  }
  return status;
}

gsize
gst_tfrc_srtp_protect_locked (GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize size)
{
  int protected_size = (int) size;
  srtp_err_status_t status;

  if (!may_protect (self, is_rtcp, packet, size))
    return 0;
  status = is_rtcp ? srtp_protect_rtcp (self->sending, packet, &protected_size)
                   : protect_data (self, packet, &protected_size);
  if (status != srtp_err_status_ok)
    return 0;
  self->usage.packets++;
  self->usage.bytes += size;
  self->rtcp_packets += is_rtcp ? 1 : 0;
  return (gsize) protected_size;
}
