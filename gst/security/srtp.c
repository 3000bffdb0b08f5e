/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The generations of keys of a stream, and the packets that they protect, see srtp.h. */
#include <openssl/crypto.h>
#include <string.h>

#include "srtp.h"
#include "srtpcontext.h"

#define GST_TFRC_SRTP_RTP_HEADER_BYTES 12    /* RFC 3550 section 5.1 */
#define GST_TFRC_SRTP_RTCP_HEADER_BYTES 8    /* RFC 3711 section 3.4: the part that stays plain */
#define GST_TFRC_SRTP_RTCP_INDEX_BYTES 4     /* RFC 3711 section 3.4 */
#define GST_TFRC_SRTP_MAX_PACKET_BYTES 65535 /* of UDP */

/* SSRCs that reports under one key may have.  A receiver has one, and takes another one if it clashes
 * (RFC 3550 section 8.2).  libsrtp keeps a stream with a replay window for each that has had a right
 * tag, so that without a bound who has the keys could fill the sender's memory.  Reports with further
 * ones are forged. */
#define GST_TFRC_SRTP_REPORT_SSRCS 8

typedef struct
{
  srtp_t receiving;
  gsize tag_bytes;
  gsize
      after_index_bytes; /* in a report: 0 with AES-GCM (RFC 7714 section 9.2), otherwise the tag */
  gboolean has_received; /* a packet has been unprotected */
  gboolean knows_roc;    /* a packet of data has been unprotected */
  gboolean is_in_use;    /* switched to by a call, even if no packet has been protected yet */

  /* To send with.  The key is wiped when the end switches to the generation. */
  GstTfrcCipher cipher;
  GstTfrcMasterKey sending_key;
  guint32 ssrc;
  guint32 roc; /* as told, of the first packet of data */

  guint32 report_ssrcs[GST_TFRC_SRTP_REPORT_SSRCS]; /* at the sender: that reports have come from */
  guint n_report_ssrcs;
} GstTfrcSrtpGeneration;

/* Extended sequence number of data (RFC 3711 section 3.3.1) */
typedef struct
{
  gboolean is_known;
  guint64 furthest; /* 48 bits */
} GstTfrcSrtpIndex;

struct _GstTfrcSrtp
{
  GstTfrcSrtpEnd end;
  guint64 max_packets, max_bytes;

  GstTfrcSrtpGeneration *newest, *before; /* NULL: none */
  GstTfrcSrtpGeneration *last;            /* has unprotected the last packet; NULL: none */
  guint64 grace_end_ns;                   /* of before; valid if newest->has_received */
  GstTfrcSrtpIndex index; /* of data: sent at the sender, received at the receiver */
  guint64 unprotected;    /* index of the last packet of data that has been unprotected */

  srtp_t sending;       /* NULL: nothing can be protected */
  gboolean is_switched; /* sending has the key of the newest generation */
  guint32 sending_ssrc;
  gboolean has_sent_data; /* with this context, which so knows the rollover counter */
  guint64 rtcp_packets;   /* protected with this context: its SRTCP index */
  GstTfrcSrtpUsage usage;
};

static guint16
get_seq (const guint8 *packet)
{
  return (guint16) (packet[2] << 8 | packet[3]);
}

/* ---- protection -------------------------------------------------------------- */

/* An end has one context of libsrtp to protect with.  The context gets the key of a generation when
 * the end switches to the generation: so the rollover counter and the SRTCP index go on (RFC 3711
 * sections 3.3.1 and 3.4). */

/* Returns the rollover counter of the packet of data with this number; 2^32 if all counters are
 * used up. */
static guint64
guess_roc (const GstTfrcSrtp *self, guint16 seq)
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

/* A packet of data has been protected or unprotected. */
static void
note_index (GstTfrcSrtp *self, guint64 roc, guint16 seq)
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

/* Sends with the newest generation's key from now on.
 * @return FALSE with @a error set (G_IO_ERROR) if libsrtp refuses: nothing can be protected */
static gboolean
switch_sending (GstTfrcSrtp *self, GError **error)
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
      && guess_roc (self, get_seq (packet)) <= G_MAXUINT32;
}

static srtp_err_status_t
protect_data (GstTfrcSrtp *self, guint8 *packet, int *size)
{
  guint16 seq = get_seq (packet);
  guint64 roc = guess_roc (self, seq);
  srtp_err_status_t status = srtp_err_status_ok;

  /* libsrtp takes 0 for "not set", which a new context begins with. */
  if (!self->has_sent_data)
    status = srtp_set_stream_roc (self->sending, self->sending_ssrc, (guint32) roc);
  if (status == srtp_err_status_ok)
    status = srtp_protect (self->sending, packet, size);
  if (status == srtp_err_status_ok) {
    self->has_sent_data = TRUE;
    note_index (self, roc, seq);
  }
  return status;
}

gsize
gst_tfrc_srtp_protect (GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize size)
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

/* Drops the generation before if its grace time is over. */
static void
drop_before_if_due (GstTfrcSrtp *self, guint64 now_ns)
{
  if (self->before && self->newest->has_received && now_ns >= self->grace_end_ns)
    drop_before (self);
}

/* ---- unprotection ------------------------------------------------------------ */

/* Unprotects the packets of a stream.  Each generation has a context of libsrtp. */

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
is_report_ssrc (const GstTfrcSrtpGeneration *generation, guint32 ssrc)
{
  for (guint i = 0; i < generation->n_report_ssrcs; i++) {
    if (generation->report_ssrcs[i] == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* Returns whether libsrtp may begin to keep a stream for a report's SSRC, or does so already. */
static gboolean
may_keep_stream (const Attempt *attempt, const GstTfrcSrtpGeneration *generation)
{
  return generation->n_report_ssrcs < GST_TFRC_SRTP_REPORT_SSRCS
      || is_report_ssrc (generation, GST_READ_UINT32_BE (attempt->packet + 4));
}

static void
note_report_ssrc (const Attempt *attempt, GstTfrcSrtpGeneration *generation)
{
  guint32 ssrc = GST_READ_UINT32_BE (attempt->packet + 4);

  if (!is_report_ssrc (generation, ssrc))
    generation->report_ssrcs[generation->n_report_ssrcs++] = ssrc;
}

static gboolean
try_once (Attempt *attempt, GstTfrcSrtpGeneration *generation)
{
  int size = (int) attempt->size;
  srtp_err_status_t status;

  if (attempt->is_spoilt)
    memcpy (attempt->packet, attempt->copy, attempt->size);
  attempt->is_spoilt = TRUE;
  if (attempt->is_rtcp
      && (!is_encrypted_report (attempt, generation) || !may_keep_stream (attempt, generation)))
    return FALSE;
  status = attempt->is_rtcp ? srtp_unprotect_rtcp (generation->receiving, attempt->packet, &size)
                            : srtp_unprotect (generation->receiving, attempt->packet, &size);
  if (status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old)
    attempt->is_replayed = TRUE;
  if (status != srtp_err_status_ok)
    return FALSE;
  if (attempt->is_rtcp)
    note_report_ssrc (attempt, generation);
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
  const gint64 guess = (gint64) guess_roc (self, get_seq (attempt->packet));
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
  attempt->roc = (guint32) guess_roc (self, get_seq (attempt->packet));
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
    switch_sending (self, NULL);
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
      && guess_roc (self, get_seq (packet)) <= G_MAXUINT32;
}

GstTfrcUnprotectResult
gst_tfrc_srtp_unprotect (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize *size, guint64 now_ns)
{
  Attempt attempt = { .is_rtcp = is_rtcp, .packet = packet, .size = *size };
  gboolean is_ok;

  if (!self->newest)
    return GST_TFRC_UNPROTECTED_NO_KEY;
  drop_before_if_due (self, now_ns);
  if (!may_unprotect (self, is_rtcp, packet, *size))
    return GST_TFRC_UNPROTECTED_FORGED;
  is_ok = try_generations (self, &attempt);
  g_free (attempt.copy);
  if (!is_ok)
    return attempt.is_replayed ? GST_TFRC_UNPROTECTED_REPLAYED : GST_TFRC_UNPROTECTED_FORGED;
  if (self->last == self->newest && !self->newest->has_received)
    confirm (self, now_ns);
  if (!is_rtcp)
    self->unprotected = (guint64) attempt.roc << 16 | get_seq (packet);
  if (!is_rtcp && self->last->ssrc == self->newest->ssrc)
    note_index (self, attempt.roc, get_seq (packet));
  *size = attempt.size;
  return GST_TFRC_UNPROTECTED_OK;
}

/* ---- the interface ------------------------------------------------------ */

GstTfrcSrtp *
gst_tfrc_srtp_new (GstTfrcSrtpEnd end)
{
  GstTfrcSrtp *self = g_new0 (GstTfrcSrtp, 1);

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
  if (self->before || switch_sending (self, error))
    return TRUE;
  g_clear_pointer (&self->newest, generation_free);
  return FALSE;
}

gboolean
gst_tfrc_srtp_install (
    GstTfrcSrtp *self, const GstTfrcStreamKeys *keys, guint32 ssrc, guint32 roc, GError **error)
{
  GstTfrcSrtpGeneration *generation = generation_new (self->end, keys, ssrc, roc, error);

  return generation && install (self, generation, error);
}

void
gst_tfrc_srtp_switch (GstTfrcSrtp *self, guint64 now_ns)
{
  if (self->newest && !self->is_switched)
    switch_sending (self, NULL);
  if (self->newest)
    self->newest->is_in_use = TRUE;
  drop_before_if_due (self, now_ns);
}

gboolean
gst_tfrc_srtp_can_protect (GstTfrcSrtp *self)
{
  return self->sending != NULL;
}

gboolean
gst_tfrc_srtp_is_confirmed (GstTfrcSrtp *self)
{
  return self->newest && self->newest->has_received;
}

guint32
gst_tfrc_srtp_get_roc (GstTfrcSrtp *self, guint16 next_seq)
{
  guint64 roc = guess_roc (self, next_seq);

  return (guint32) MIN (roc, G_MAXUINT32);
}

guint64
gst_tfrc_srtp_get_index (GstTfrcSrtp *self)
{
  return self->unprotected;
}

void
gst_tfrc_srtp_follow_index (GstTfrcSrtp *self, GstTfrcSrtp *other)
{
  if (other->index.is_known)
    note_index (self, other->index.furthest >> 16, (guint16) other->index.furthest);
}

void
gst_tfrc_srtp_follow_keys (GstTfrcSrtp *self, GstTfrcSrtp *other)
{
  if (self->newest == NULL || self->newest->has_received || !gst_tfrc_srtp_is_confirmed (other))
    return;
  self->newest->has_received = TRUE;
  self->grace_end_ns = other->grace_end_ns;
}

void
gst_tfrc_srtp_get_usage (GstTfrcSrtp *self, GstTfrcSrtpUsage *usage)
{
  *usage = self->usage;
}

gboolean
gst_tfrc_srtp_is_half_used (GstTfrcSrtp *self)
{
  return self->usage.packets >= self->max_packets / 2 || self->usage.bytes >= self->max_bytes / 2;
}

void
gst_tfrc_srtp_set_limits (GstTfrcSrtp *self, guint64 max_packets, guint64 max_bytes)
{
  self->max_packets = max_packets;
  self->max_bytes = max_bytes;
}
