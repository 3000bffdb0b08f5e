/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unprotects the packets of a stream, see srtp.h.  Each generation has a context of libsrtp. */
#include <string.h>

#include "srtp-private.h"

/* A packet that is unprotected in place.  AES-GCM spoils the packet when the tag is wrong, so that
 * each further try needs the bytes again. */
typedef struct
{
  gboolean is_rtcp;
  guint8 *packet;
  gsize size;
  guint8 *copy; /* NULL: one try is enough */
  gboolean is_spoilt;
  gboolean is_replayed; /* in one of the tries */
  guint32 roc;          /* of data that a try has unprotected */
} Attempt;

/* libsrtp takes reports that are not encrypted, which no peer of ours sends.  And libsrtp 2.5 on NSS
 * keeps the additional data of some reports that it refuses: one forged report of 2068 bytes without
 * encryption would make a context of AES-GCM fail for good. */
static gboolean
is_encrypted_report (const Attempt *attempt, const GstTfrcSrtpGeneration *generation)
{
  gsize tail_bytes = GST_TFRC_SRTP_RTCP_INDEX_BYTES + generation->after_index_bytes;

  return (attempt->packet[attempt->size - tail_bytes] & SRTCP_E_BYTE_BIT) != 0;
}

static gboolean
try_once (Attempt *attempt, GstTfrcSrtpGeneration *generation)
{
  int size = (int) attempt->size;
  srtp_err_status_t status;

  if (attempt->is_spoilt)
    memcpy (attempt->packet, attempt->copy, attempt->size);
  attempt->is_spoilt = TRUE;
  if (attempt->is_rtcp && !is_encrypted_report (attempt, generation))
    return FALSE;
  status = attempt->is_rtcp ? srtp_unprotect_rtcp (generation->receiving, attempt->packet, &size)
                            : srtp_unprotect (generation->receiving, attempt->packet, &size);
  if (status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old)
    attempt->is_replayed = TRUE;
  if (status != srtp_err_status_ok)
    return FALSE;
  attempt->size = (gsize) size;
  return TRUE;
}

/* Between the key message, which tells the rollover counter, and the first packet the sequence
 * number may have wrapped; and the first packet may be older than the message.  If the keys before
 * were in use for longer, the packets tell the counter. */
static gboolean
try_counters (const GstTfrcSrtp *self, Attempt *attempt, GstTfrcSrtpGeneration *generation)
{
  const gint64 told = generation->roc;
  const gint64 guess = (gint64) gst_tfrc_srtp_guess_roc (
      self, gst_tfrc_srtp_get_seq (attempt->packet));
  const gint64 candidates[] = { told, told + 1, told - 1, ABS (guess - told) > 1 ? guess : -1 };

  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++) {
    if (candidates[i] < 0 || candidates[i] > G_MAXUINT32)
      continue;
    attempt->roc = (guint32) candidates[i];
    /* A new context's counter is 0, and libsrtp takes 0 for "not set". */
    srtp_set_stream_roc (generation->receiving, generation->ssrc, attempt->roc);
    if (try_once (attempt, generation))
      return TRUE;
  }
  return FALSE;
}

static gboolean
try_generation (const GstTfrcSrtp *self, Attempt *attempt, GstTfrcSrtpGeneration *generation)
{
  if (!generation)
    return FALSE;
  if (attempt->is_rtcp)
    return try_once (attempt, generation);
  if (!generation->knows_roc)
    return generation->knows_roc = try_counters (self, attempt, generation);
  /* libsrtp would guess the counter from this context's packets alone, but others may have come
   * elsewhere (gst_tfrc_srtp_follow_index()). */
  attempt->roc = (guint32) gst_tfrc_srtp_guess_roc (self, gst_tfrc_srtp_get_seq (attempt->packet));
  srtp_set_stream_roc (generation->receiving, generation->ssrc, attempt->roc);
  return try_once (attempt, generation);
}

/* The peer has the newest generation: a grace time begins for the generation before. */
static void
confirm (GstTfrcSrtp *self, guint64 now_ns)
{
  self->newest->has_received = TRUE;
  self->grace_end_ns = now_ns + GST_TFRC_SRTP_GRACE_NS;
  if (self->end == GST_TFRC_SRTP_RECEIVER && !self->is_switched)
    gst_tfrc_srtp_switch_sending (self, NULL);
}

/* The generation that has unprotected the packet before comes first. */
static gboolean
try_generations (GstTfrcSrtp *self, Attempt *attempt)
{
  GstTfrcSrtpGeneration *first = self->last ? self->last : self->newest;
  GstTfrcSrtpGeneration *second = first == self->newest ? self->before : self->newest;

  if (second || (!attempt->is_rtcp && !first->knows_roc))
    attempt->copy = g_memdup2 (attempt->packet, attempt->size);
  if (try_generation (self, attempt, first))
    self->last = first;
  else if (try_generation (self, attempt, second))
    self->last = second;
  else
    return FALSE;
  return TRUE;
}

static gboolean
may_unprotect (const GstTfrcSrtp *self, gboolean is_rtcp, const guint8 *packet, gsize size)
{
  gsize tag_bytes = MIN (
      self->newest->tag_bytes, self->before ? self->before->tag_bytes : self->newest->tag_bytes);

  if (size > GST_TFRC_SRTP_MAX_PACKET_BYTES)
    return FALSE;
  if (is_rtcp)
    return size >= GST_TFRC_SRTP_RTCP_HEADER_BYTES + GST_TFRC_SRTP_RTCP_INDEX_BYTES + tag_bytes;
  return self->end == GST_TFRC_SRTP_RECEIVER && size >= GST_TFRC_SRTP_RTP_HEADER_BYTES + tag_bytes
      && gst_tfrc_srtp_guess_roc (self, gst_tfrc_srtp_get_seq (packet)) <= G_MAXUINT32;
}

GstTfrcUnprotectResult
gst_tfrc_srtp_unprotect_locked (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize *size, guint64 now_ns)
{
  Attempt attempt = { .is_rtcp = is_rtcp, .packet = packet, .size = *size };
  gboolean is_ok;

  if (!self->newest)
    return GST_TFRC_UNPROTECTED_NO_KEY;
  gst_tfrc_srtp_drop_before_if_due (self, now_ns);
  if (!may_unprotect (self, is_rtcp, packet, *size))
    return GST_TFRC_UNPROTECTED_FORGED;
  is_ok = try_generations (self, &attempt);
  g_free (attempt.copy);
  if (!is_ok)
    return attempt.is_replayed ? GST_TFRC_UNPROTECTED_REPLAYED : GST_TFRC_UNPROTECTED_FORGED;
  if (self->last == self->newest && !self->newest->has_received)
    confirm (self, now_ns);
  if (!is_rtcp && self->last->ssrc == self->newest->ssrc)
    gst_tfrc_srtp_note_index (self, attempt.roc, gst_tfrc_srtp_get_seq (packet));
  *size = attempt.size;
  return GST_TFRC_UNPROTECTED_OK;
}
