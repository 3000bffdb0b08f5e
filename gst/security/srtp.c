/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The generations of keys of a stream, and the packets that they protect, see srtp.h. */
#include <openssl/crypto.h>
#include <string.h>

#include "srtp.h"
#include "srtpcontext.h"
#include "srtpgeneration.h"

#define GST_TFRC_SRTP_RTP_HEADER_BYTES 12    /* RFC 3550 section 5.1 */
#define GST_TFRC_SRTP_RTCP_HEADER_BYTES 8    /* RFC 3711 section 3.4: the part that stays plain */
#define GST_TFRC_SRTP_MAX_PACKET_BYTES 65535 /* of UDP */

struct _GstTfrcSrtp
{
  GstTfrcSrtpEnd end;
  gboolean has_repairs;
  guint64 max_packets, max_bytes;

  GstTfrcSrtpGeneration *newest, *before;          /* NULL: none */
  GstTfrcSrtpGeneration *last;                     /* has unprotected the last packet; NULL: none */
  guint64 grace_end_ns;                            /* of before; valid if newest->has_received */
  GstTfrcSrtpIndex indexes[GST_TFRC_SRTP_STREAMS]; /* sent at the sender, otherwise received */
  guint64 unprotected; /* index of the last packet of data that has been unprotected */

  GstTfrcSrtpContext *sending; /* NULL: nothing can be protected */
  gboolean is_switched;        /* sending has the key of the newest generation */
  guint32 sending_ssrc;
  guint64 rtcp_packets; /* protected with this context: at least its SRTCP indexes */
  GstTfrcSrtpUsage usage;
};

static guint16
get_seq (const guint8 *packet)
{
  return (guint16) (packet[2] << 8 | packet[3]);
}

static guint32
get_ssrc (const guint8 *packet)
{
  return GST_READ_UINT32_BE (packet + 8);
}

/* ---- protection -------------------------------------------------------------- */

/* An end has one context to protect with.  The context gets the key of a generation when
 * the end switches to the generation: so the rollover counter and the SRTCP index go on (RFC 3711
 * sections 3.3.1 and 3.4). */

static guint64
guess_roc (const GstTfrcSrtp *self, GstTfrcSrtpStream stream, guint16 seq)
{
  return gst_tfrc_srtp_index_guess_roc (
      &self->indexes[stream], self->newest ? self->newest->rocs[stream] : 0, seq);
}

/* A context for another SSRC begins anew.  So does one whose SRTCP index comes near its end: the
 * index wraps modulo 2^31 (RFC 3711 section 3.4), which the new key allows and a context does not. */
static gboolean
needs_new_context (const GstTfrcSrtp *self)
{
  return self->newest->ssrc != self->sending_ssrc || self->rtcp_packets > self->max_packets / 2;
}

/* Sends with the newest generation's key from now on.
 * @return FALSE with @a error set (G_IO_ERROR) if libsrtp or OpenSSL refuses: nothing can be protected */
static gboolean
switch_sending (GstTfrcSrtp *self, GError **error)
{
  GstTfrcSrtpGeneration *newest = self->newest;
  const GstTfrcSrtpStreams data = gst_tfrc_srtp_streams (newest->ssrc, self->has_repairs);
  gboolean is_set;

  if (needs_new_context (self))
    gst_tfrc_srtp_context_clear (&self->sending);
  if (!self->sending)
    self->rtcp_packets = 0;
  if (newest->ssrc != self->sending_ssrc)
    memset (self->indexes, 0, sizeof self->indexes);
  self->sending_ssrc = newest->ssrc;
  self->is_switched = TRUE;
  self->usage.packets = self->usage.bytes = 0;
  self->usage.generation++;
  is_set = gst_tfrc_srtp_context_set (&self->sending, TRUE,
      self->end == GST_TFRC_SRTP_SENDER ? &data : NULL, newest->cipher, &newest->sending_key,
      error);
  OPENSSL_cleanse (&newest->sending_key, sizeof newest->sending_key);
  return is_set;
}

static gboolean
may_protect_data (const GstTfrcSrtp *self, const guint8 *packet, gsize size)
{
  GstTfrcSrtpStream stream;

  if (self->end != GST_TFRC_SRTP_SENDER || size < GST_TFRC_SRTP_RTP_HEADER_BYTES)
    return FALSE;
  stream = gst_tfrc_srtp_stream_of (self->sending_ssrc, get_ssrc (packet));
  return stream != GST_TFRC_SRTP_NO_STREAM
      && guess_roc (self, stream, get_seq (packet)) <= G_MAXUINT32;
}

static gboolean
may_protect (const GstTfrcSrtp *self, gboolean is_rtcp, const guint8 *packet, gsize size)
{
  if (!self->sending || size > GST_TFRC_SRTP_MAX_PACKET_BYTES)
    return FALSE;
  if (self->usage.packets >= self->max_packets || self->usage.bytes + size > self->max_bytes)
    return FALSE;
  return is_rtcp ? size >= GST_TFRC_SRTP_RTCP_HEADER_BYTES : may_protect_data (self, packet, size);
}

static gsize
protect_data (GstTfrcSrtp *self, guint8 *packet, gsize size)
{
  GstTfrcSrtpStream stream = gst_tfrc_srtp_stream_of (self->sending_ssrc, get_ssrc (packet));
  guint16 seq = get_seq (packet);
  guint64 roc = guess_roc (self, stream, seq);
  gsize protected_size = gst_tfrc_srtp_context_protect_data (
      self->sending, (guint32) roc, packet, size);

  if (protected_size != 0)
    gst_tfrc_srtp_index_note (&self->indexes[stream], roc, seq);
  return protected_size;
}

gsize
gst_tfrc_srtp_protect (GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize size)
{
  gsize protected_size;

  if (!may_protect (self, is_rtcp, packet, size))
    return 0;
  protected_size = is_rtcp ? gst_tfrc_srtp_context_protect_report (self->sending, packet, size)
                           : protect_data (self, packet, size);
  if (protected_size == 0)
    return 0;
  self->usage.packets++;
  self->usage.bytes += size;
  self->rtcp_packets += is_rtcp ? 1 : 0;
  return protected_size;
}

/* ---- generations -------------------------------------------------------- */

static void
drop_before (GstTfrcSrtp *self)
{
  if (self->last == self->before)
    self->last = NULL;
  g_clear_pointer (&self->before, gst_tfrc_srtp_generation_free);
}

/* Drops the generation before if its grace time is over. */
static void
drop_before_if_due (GstTfrcSrtp *self, guint64 now_ns)
{
  if (self->before && self->newest->has_received && now_ns >= self->grace_end_ns)
    drop_before (self);
}

/* ---- unprotection ------------------------------------------------------------ */

/* Unprotects the packets of a stream.  Each generation has a context. */

/* Between the key message, which tells the rollover counter, and the first packet the sequence
 * number may have wrapped; and the first packet may be older than the message.  If the keys before
 * were in use for longer, the packets tell the counter. */
static gboolean
try_counters (const GstTfrcSrtp *self, GstTfrcSrtpAttempt *attempt,
    GstTfrcSrtpGeneration *generation, GstTfrcSrtpStream stream)
{
  const gint64 told = generation->rocs[stream];
  const gint64 guess = (gint64) guess_roc (self, stream, get_seq (attempt->packet));
  const gint64 candidates[] = { told, told + 1, told - 1, ABS (guess - told) > 1 ? guess : -1 };

  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++) {
    if (candidates[i] < 0 || candidates[i] > G_MAXUINT32)
      continue;
    attempt->roc = (guint32) candidates[i];
    if (gst_tfrc_srtp_generation_try (generation, attempt))
      return TRUE;
  }
  return FALSE;
}

static gboolean
try_data (const GstTfrcSrtp *self, GstTfrcSrtpAttempt *attempt, GstTfrcSrtpGeneration *generation)
{
  GstTfrcSrtpStream stream = gst_tfrc_srtp_stream_of (generation->ssrc, get_ssrc (attempt->packet));
  guint64 roc;

  if (stream == GST_TFRC_SRTP_NO_STREAM)
    return FALSE;
  if (!generation->knows_roc[stream])
    return generation->knows_roc[stream] = try_counters (self, attempt, generation, stream);
  roc = guess_roc (self, stream, get_seq (attempt->packet));
  if (roc > G_MAXUINT32)
    return FALSE;
  attempt->roc = (guint32) roc;
  return gst_tfrc_srtp_generation_try (generation, attempt);
}

static gboolean
try_generation (
    const GstTfrcSrtp *self, GstTfrcSrtpAttempt *attempt, GstTfrcSrtpGeneration *generation)
{
  if (!generation)
    return FALSE;
  return attempt->is_rtcp ? gst_tfrc_srtp_generation_try (generation, attempt)
                          : try_data (self, attempt, generation);
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

/* Returns whether one try is enough, with this generation of keys. */
static gboolean
knows_counter (const GstTfrcSrtpAttempt *attempt, const GstTfrcSrtpGeneration *generation)
{
  GstTfrcSrtpStream stream = attempt->is_rtcp
      ? GST_TFRC_SRTP_NO_STREAM
      : gst_tfrc_srtp_stream_of (generation->ssrc, get_ssrc (attempt->packet));

  return stream == GST_TFRC_SRTP_NO_STREAM || generation->knows_roc[stream];
}

/* The generation that has unprotected the packet before comes first. */
static gboolean
try_generations (GstTfrcSrtp *self, GstTfrcSrtpAttempt *attempt)
{
  GstTfrcSrtpGeneration *first = self->last ? self->last : self->newest;
  GstTfrcSrtpGeneration *second = first == self->newest ? self->before : self->newest;

  if (second || !knows_counter (attempt, first))
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
may_unprotect (const GstTfrcSrtp *self, gboolean is_rtcp, gsize size)
{
  gsize tag_bytes = MIN (
      self->newest->tag_bytes, self->before ? self->before->tag_bytes : self->newest->tag_bytes);

  if (size > GST_TFRC_SRTP_MAX_PACKET_BYTES)
    return FALSE;
  if (is_rtcp)
    return size >= GST_TFRC_SRTP_RTCP_HEADER_BYTES + GST_TFRC_SRTP_RTCP_INDEX_BYTES + tag_bytes;
  return self->end == GST_TFRC_SRTP_RECEIVER && size >= GST_TFRC_SRTP_RTP_HEADER_BYTES + tag_bytes;
}

/* A packet of data has been unprotected. */
static void
note_data (GstTfrcSrtp *self, guint32 roc, const guint8 *packet)
{
  GstTfrcSrtpStream stream = gst_tfrc_srtp_stream_of (self->last->ssrc, get_ssrc (packet));

  self->unprotected = (guint64) roc << 16 | get_seq (packet);
  if (self->last->ssrc == self->newest->ssrc)
    gst_tfrc_srtp_index_note (&self->indexes[stream], roc, get_seq (packet));
}

GstTfrcUnprotectResult
gst_tfrc_srtp_unprotect (
    GstTfrcSrtp *self, gboolean is_rtcp, guint8 *packet, gsize *size, guint64 now_ns)
{
  GstTfrcSrtpAttempt attempt = { .is_rtcp = is_rtcp, .packet = packet, .size = *size };
  gboolean is_ok;

  if (!self->newest)
    return GST_TFRC_UNPROTECTED_NO_KEY;
  drop_before_if_due (self, now_ns);
  if (!may_unprotect (self, is_rtcp, *size))
    return GST_TFRC_UNPROTECTED_FORGED;
  is_ok = try_generations (self, &attempt);
  g_free (attempt.copy);
  if (!is_ok)
    return attempt.is_replayed ? GST_TFRC_UNPROTECTED_REPLAYED : GST_TFRC_UNPROTECTED_FORGED;
  if (self->last == self->newest && !self->newest->has_received)
    confirm (self, now_ns);
  if (!is_rtcp)
    note_data (self, attempt.roc, packet);
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
  self->has_repairs = TRUE;
  return self;
}

void
gst_tfrc_srtp_leave_out_repairs (GstTfrcSrtp *self)
{
  self->has_repairs = FALSE;
}

void
gst_tfrc_srtp_free (GstTfrcSrtp *self)
{
  if (!self)
    return;
  drop_before (self);
  gst_tfrc_srtp_generation_free (self->newest);
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
    gst_tfrc_srtp_generation_free (self->newest);
  else {
    drop_before (self);
    self->before = self->newest;
  }
  self->newest = generation;
  self->is_switched = FALSE;
  if (self->before || switch_sending (self, error))
    return TRUE;
  g_clear_pointer (&self->newest, gst_tfrc_srtp_generation_free);
  return FALSE;
}

gboolean
gst_tfrc_srtp_install (GstTfrcSrtp *self, const GstTfrcStreamKeys *keys, guint32 ssrc, guint32 roc,
    guint32 repair_roc, GError **error)
{
  GstTfrcSrtpGeneration *generation = gst_tfrc_srtp_generation_new (
      self->end == GST_TFRC_SRTP_SENDER, ssrc, self->has_repairs, keys, error);

  if (!generation)
    return FALSE;
  generation->rocs[GST_TFRC_SRTP_MEDIA] = roc;
  generation->rocs[GST_TFRC_SRTP_REPAIR] = repair_roc;
  return install (self, generation, error);
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
  guint64 roc = guess_roc (self, GST_TFRC_SRTP_MEDIA, next_seq);

  return (guint32) MIN (roc, G_MAXUINT32);
}

guint32
gst_tfrc_srtp_get_repair_roc (GstTfrcSrtp *self)
{
  guint64 roc = gst_tfrc_srtp_index_next_roc (&self->indexes[GST_TFRC_SRTP_REPAIR],
      self->newest ? self->newest->rocs[GST_TFRC_SRTP_REPAIR] : 0);

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
  for (guint i = 0; i < GST_TFRC_SRTP_STREAMS; i++)
    gst_tfrc_srtp_index_follow (&self->indexes[i], &other->indexes[i]);
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
