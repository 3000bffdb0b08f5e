/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pending senders, see srcpending.h. */
#include "srcpending.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A pending sender without data is challenged again after this time at the earliest. */
#define CHALLENGE_AGAIN_NS (2 * S_NS)

/* Limits of challenges to pending senders */
#define PER_HOST_PER_SECOND 20
#define PER_HOST_BURST 20
#define ALL_PER_SECOND 500
#define ALL_BURST 100

void
gst_tfrc_src_pending_init (GstTfrcSrcPending *self, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES])
{
  guint i;

  memset (self, 0, sizeof *self);
  gst_tfrc_src_cookies_init (&self->cookies, secret);
  gst_tfrc_token_bucket_init (&self->all, ALL_PER_SECOND, ALL_BURST);
  for (i = 0; i < GST_TFRC_SRC_HOST_BUCKETS; i++)
    gst_tfrc_token_bucket_init (&self->hosts[i], PER_HOST_PER_SECOND, PER_HOST_BURST);
  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++)
    tfrc_path_new (&self->senders[i].path);
}

void
gst_tfrc_src_pending_clear (GstTfrcSrcPending *self)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    g_clear_pointer (&self->senders[i].path, tfrc_path_free);
    g_clear_pointer (&self->senders[i].held, g_free);
  }
}

/* ---- challenges -------------------------------------------------------- */

/* Challenges are small: data shows whether packets of full size pass. */
void
gst_tfrc_src_pending_start_path (
    const GstTfrcSrcPending *self, TfrcPath *path, const GstTfrcAddress *address, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = TFRC_WIRE_MIN_PATH_BYTES };

  gst_tfrc_src_cookies_get (&self->cookies, address, now_ns, config.data[0]);
  memcpy (config.data[1], config.data[0], TFRC_WIRE_PATH_DATA_BYTES);
  tfrc_path_start (path, &config, now_ns);
}

static void
start_challenges (const GstTfrcSrcPending *self, GstTfrcSrcPendingSender *sender, guint64 now_ns)
{
  gst_tfrc_src_pending_start_path (self, sender->path, &sender->address, now_ns);
}

/* ---- places ------------------------------------------------------------ */

static GstTfrcSrcPendingSender *
find (GstTfrcSrcPending *self, const GstTfrcAddress *address, guint32 ssrc)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    GstTfrcSrcPendingSender *sender = &self->senders[i];

    if (sender->in_use && sender->ssrc == ssrc
        && gst_tfrc_address_equal (&sender->address, address))
      return sender;
  }
  return NULL;
}

/* Returns whether the first gives way before the second does. */
static gboolean
is_weaker (const GstTfrcSrcPendingSender *a, const GstTfrcSrcPendingSender *b)
{
  if (a->in_use != b->in_use)
    return !a->in_use;
  if (a->validated != b->validated)
    return !a->validated;
  return a->heard_ns < b->heard_ns;
}

static GstTfrcSrcPendingSender *
make_room (GstTfrcSrcPending *self)
{
  GstTfrcSrcPendingSender *weakest = &self->senders[0];
  guint i;

  for (i = 1; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    if (is_weaker (&self->senders[i], weakest))
      weakest = &self->senders[i];
  }
  gst_tfrc_src_pending_drop (self, weakest);
  return weakest;
}

/* Returns the pending sender of the packet, which is a new one if need be. */
static GstTfrcSrcPendingSender *
on_packet (GstTfrcSrcPending *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  GstTfrcSrcPendingSender *sender = find (self, packet->from, ssrc);
  guint64 now_ns = packet->arrival_ns;

  if (sender == NULL) {
    sender = make_room (self);
    sender->in_use = TRUE;
    sender->address = *packet->from;
    sender->ssrc = ssrc;
    sender->challenged_ns = G_MAXUINT64;
    sender->host_bucket = gst_tfrc_src_cookies_hash_host (&self->cookies, packet->from)
        % GST_TFRC_SRC_HOST_BUCKETS;
    start_challenges (self, sender, now_ns);
  }
  sender->heard_ns = now_ns;
  sender->local = packet->local;
  return sender;
}

/* Clears all but the place's path.  Most sources have one sender in all, so the room for its packets
 * does not stay. */
static void
clear (GstTfrcSrcPendingSender *sender)
{
  TfrcPath *path = sender->path;

  g_free (sender->held);
  memset (sender, 0, sizeof *sender);
  sender->path = path;
}

void
gst_tfrc_src_pending_drop (GstTfrcSrcPending *self, GstTfrcSrcPendingSender *sender)
{
  self->dropped_packets += sender->n_held;
  clear (sender);
}

void
gst_tfrc_src_pending_release (GstTfrcSrcPendingSender *sender)
{
  clear (sender);
}

void
gst_tfrc_src_pending_drop_all (GstTfrcSrcPending *self)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++)
    gst_tfrc_src_pending_drop (self, &self->senders[i]);
}

/* ---- packets ----------------------------------------------------------- */

const GstTfrcSrcHeldPacket *
gst_tfrc_src_pending_sender_get_held (const GstTfrcSrcPendingSender *sender, guint i)
{
  return &sender->held[(sender->first_held + i) % GST_TFRC_SRC_HELD_PACKETS];
}

/* The oldest packet gives way, so that the held packets end where the next one begins. */
static void
hold (GstTfrcSrcPending *self, GstTfrcSrcPendingSender *sender, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header)
{
  GstTfrcSrcHeldPacket *held;

  if (sender->held == NULL)
    sender->held = g_new (GstTfrcSrcHeldPacket, GST_TFRC_SRC_HELD_PACKETS);
  if (sender->n_held == GST_TFRC_SRC_HELD_PACKETS) {
    sender->first_held = (sender->first_held + 1) % GST_TFRC_SRC_HELD_PACKETS;
    sender->n_held--;
    self->dropped_packets++;
  }
  held = &sender->held[(sender->first_held + sender->n_held++) % GST_TFRC_SRC_HELD_PACKETS];
  held->header = *header;
  held->packet = *packet;
  held->from = *packet->from;
  memcpy (held->data, packet->data, packet->size);
  held->packet.from = &held->from;
  held->packet.data = held->data;
}

GstTfrcSrcPendingSender *
gst_tfrc_src_pending_on_data (
    GstTfrcSrcPending *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  GstTfrcSrcPendingSender *sender = on_packet (self, packet, header->ssrc);

  if (sender->has_data && header->seq == (guint16) (sender->seq + 1))
    sender->in_sequence = TRUE;
  sender->has_data = TRUE;
  sender->seq = header->seq;
  sender->tfrc = header->has_rtt_sendts;
  if (tfrc_path_get_state (sender->path) == TFRC_PATH_FAILED)
    start_challenges (self, sender, packet->arrival_ns);
  tfrc_path_on_received (sender->path, packet->size);
  hold (self, sender, packet, header);
  return sender;
}

static gboolean
may_be_challenged_again (const GstTfrcSrcPendingSender *sender, guint64 now_ns)
{
  return tfrc_path_get_state (sender->path) != TFRC_PATH_PROBING && !sender->has_data
      && (sender->challenged_ns == G_MAXUINT64
          || now_ns >= sender->challenged_ns + CHALLENGE_AGAIN_NS);
}

void
gst_tfrc_src_pending_on_sender_report (
    GstTfrcSrcPending *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *report)
{
  GstTfrcSrcPendingSender *sender = on_packet (self, packet, report->sender_ssrc);

  sender->report = *report;
  sender->report_ns = packet->arrival_ns;
  if (may_be_challenged_again (sender, packet->arrival_ns)) {
    start_challenges (self, sender, packet->arrival_ns);
    sender->challenged_ns = G_MAXUINT64;
  }
  tfrc_path_on_received (sender->path, packet->size);
}

void
gst_tfrc_src_pending_on_validated (GstTfrcSrcPending *self, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  GstTfrcSrcPendingSender *sender = on_packet (self, packet, ssrc);

  sender->validated = TRUE;
  tfrc_path_on_response (sender->path, data, packet->arrival_ns);
}

/* ---- time -------------------------------------------------------------- */

static guint64
forget_ns (const GstTfrcSrcPendingSender *sender)
{
  return sender->heard_ns + GST_TFRC_SRC_PENDING_SILENCE_NS;
}

/* Returns when the sender becomes unresponsive. */
static guint64
unresponsive_ns (const GstTfrcSrcPendingSender *sender)
{
  if (sender->is_unresponsive || sender->challenged_ns == G_MAXUINT64)
    return G_MAXUINT64;
  return sender->challenged_ns + GST_TFRC_SRC_UNRESPONSIVE_NS;
}

static gboolean
is_plausible (const GstTfrcSrcPendingSender *sender)
{
  return sender->in_sequence && (!sender->tfrc || sender->is_unresponsive);
}

/* Plain RTP cannot respond. */
static guint64
challenge_ns (const GstTfrcSrcPendingSender *sender)
{
  if (sender->has_data && !sender->tfrc)
    return G_MAXUINT64;
  return MAX (tfrc_path_next_ns (sender->path), sender->blocked_ns);
}

void
gst_tfrc_src_pending_on_time (GstTfrcSrcPending *self, guint64 now_ns)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    GstTfrcSrcPendingSender *sender = &self->senders[i];

    if (!sender->in_use)
      continue;
    tfrc_path_on_time (sender->path, now_ns);
    if (now_ns >= unresponsive_ns (sender))
      sender->is_unresponsive = TRUE;
    if (now_ns >= forget_ns (sender))
      gst_tfrc_src_pending_drop (self, sender);
  }
}

guint64
gst_tfrc_src_pending_next_ns (const GstTfrcSrcPending *self)
{
  guint64 next_ns = G_MAXUINT64;
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    const GstTfrcSrcPendingSender *sender = &self->senders[i];

    if (!sender->in_use)
      continue;
    next_ns = MIN (next_ns, forget_ns (sender));
    next_ns = MIN (next_ns, unresponsive_ns (sender));
    next_ns = MIN (next_ns, challenge_ns (sender));
  }
  return next_ns;
}

const GstTfrcSrcPendingSender *
gst_tfrc_src_pending_get_best (const GstTfrcSrcPending *self)
{
  const GstTfrcSrcPendingSender *best = NULL;
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    const GstTfrcSrcPendingSender *sender = &self->senders[i];

    if (sender->n_held > 0 && (sender->validated || is_plausible (sender))
        && (best == NULL || is_weaker (best, sender)))
      best = sender;
  }
  return best;
}

const GstTfrcSrcPendingSender *
gst_tfrc_src_pending_get_validated (const GstTfrcSrcPending *self, guint32 ssrc)
{
  const GstTfrcSrcPendingSender *newest = NULL;
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    const GstTfrcSrcPendingSender *sender = &self->senders[i];

    if (sender->validated && sender->n_held > 0 && sender->ssrc == ssrc
        && (newest == NULL || sender->heard_ns > newest->heard_ns))
      newest = sender;
  }
  return newest;
}

const GstTfrcSrcPendingSender *
gst_tfrc_src_pending_take_challenge (
    GstTfrcSrcPending *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_MAX_PENDING; i++) {
    GstTfrcSrcPendingSender *sender = &self->senders[i];
    GstTfrcTokenBucket *host;
    guint64 ready_ns;

    if (!sender->in_use || now_ns < challenge_ns (sender))
      continue;
    host = &self->hosts[sender->host_bucket];
    ready_ns = MAX (
        gst_tfrc_token_bucket_next_ns (host), gst_tfrc_token_bucket_next_ns (&self->all));
    sender->blocked_ns = ready_ns;
    if (ready_ns > now_ns || tfrc_path_take_challenge (sender->path, now_ns, data) == 0)
      continue;
    gst_tfrc_token_bucket_take (host, now_ns);
    gst_tfrc_token_bucket_take (&self->all, now_ns);
    sender->challenged_ns = MIN (sender->challenged_ns, now_ns);
    return sender;
  }
  return NULL;
}
