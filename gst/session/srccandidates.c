/* Senders that might own a source, see srccandidates.h. */
#include "srccandidates.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A candidate without data is not challenged again before. */
#define CHALLENGE_AGAIN_NS (2 * S_NS)

/* How long cookies stay the same.  Those of the time before count as well.  An
 * answer comes within 2 s, to a challenge that repeats a cookie for 4 s. */
#define COOKIE_NS (10 * S_NS)

/* The number of no such time, for what lasts */
#define NO_TIME G_MAXUINT64

/* Limits of challenges to senders that have not answered */
#define PER_HOST_PER_SECOND 20
#define PER_HOST_BURST 20
#define ALL_PER_SECOND 500
#define ALL_BURST 100

void
gst_tfrc_src_candidates_init (
    GstTfrcSrcCandidates *self, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES])
{
  guint i;

  memset (self, 0, sizeof *self);
  memcpy (self->secret, secret, GST_TFRC_SRC_SECRET_BYTES);
  gst_tfrc_token_bucket_init (&self->all, ALL_PER_SECOND, ALL_BURST);
  for (i = 0; i < GST_TFRC_SRC_HOST_BUCKETS; i++)
    gst_tfrc_token_bucket_init (&self->hosts[i], PER_HOST_PER_SECOND, PER_HOST_BURST);
  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++)
    tfrc_path_new (&self->candidates[i].path);
}

void
gst_tfrc_src_candidates_clear (GstTfrcSrcCandidates *self)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++)
    g_clear_pointer (&self->candidates[i].path, tfrc_path_free);
}

/* ---- proof ------------------------------------------------------------- */

static void
get_hash (const GstTfrcSrcCandidates *self, const GstTfrcAddress *address, guint64 time,
    guint8 hash[TFRC_WIRE_PATH_DATA_BYTES])
{
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, self->secret, sizeof self->secret);
  guint16 port = gst_tfrc_address_port (address);
  guint8 digest[32];
  gsize size = sizeof digest;

  if (gst_tfrc_address_family (address) == AF_INET)
    g_hmac_update (hmac, (const guchar *) &address->u.v4.sin_addr, 4);
  else
    g_hmac_update (hmac, (const guchar *) &address->u.v6.sin6_addr, 16);
  g_hmac_update (hmac, (const guchar *) &port, sizeof port);
  g_hmac_update (hmac, (const guchar *) &time, sizeof time);
  g_hmac_get_digest (hmac, digest, &size);
  g_hmac_unref (hmac);
  memcpy (hash, digest, TFRC_WIRE_PATH_DATA_BYTES);
}

void
gst_tfrc_src_candidates_get_cookie (const GstTfrcSrcCandidates *self, const GstTfrcAddress *address,
    guint64 now_ns, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  get_hash (self, address, now_ns / COOKIE_NS, cookie);
}

/* Challenges are bare: whether packets of full size pass, data shows. */
void
gst_tfrc_src_candidates_start_path (
    const GstTfrcSrcCandidates *self, TfrcPath *path, const GstTfrcAddress *address, guint64 now_ns)
{
  TfrcPathConfig config = { .full_bytes = TFRC_WIRE_MIN_PATH_BYTES };

  gst_tfrc_src_candidates_get_cookie (self, address, now_ns, config.data[0]);
  memcpy (config.data[1], config.data[0], TFRC_WIRE_PATH_DATA_BYTES);
  tfrc_path_start (path, &config, now_ns);
}

static void
start_challenges (const GstTfrcSrcCandidates *self, GstTfrcSrcCandidate *candidate, guint64 now_ns)
{
  gst_tfrc_src_candidates_start_path (self, candidate->path, &candidate->address, now_ns);
}

/* Hosts share buckets by chance; nobody can tell which do. */
static guint
get_host_bucket (const GstTfrcSrcCandidates *self, const GstTfrcAddress *address)
{
  guint8 hash[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcAddress host = *address;

  if (gst_tfrc_address_family (&host) == AF_INET)
    host.u.v4.sin_port = 0;
  else
    host.u.v6.sin6_port = 0;
  get_hash (self, &host, NO_TIME, hash);
  return hash[0] % GST_TFRC_SRC_HOST_BUCKETS;
}

/* ---- places ------------------------------------------------------------ */

static GstTfrcSrcCandidate *
find (GstTfrcSrcCandidates *self, const GstTfrcAddress *address, guint32 ssrc)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++) {
    GstTfrcSrcCandidate *candidate = &self->candidates[i];

    if (candidate->in_use && candidate->ssrc == ssrc
        && gst_tfrc_address_equal (&candidate->address, address))
      return candidate;
  }
  return NULL;
}

/* Does the first give way before the second? */
static gboolean
is_weaker (const GstTfrcSrcCandidate *a, const GstTfrcSrcCandidate *b)
{
  if (a->in_use != b->in_use)
    return !a->in_use;
  if (a->proven != b->proven)
    return !a->proven;
  return a->heard_ns < b->heard_ns;
}

static GstTfrcSrcCandidate *
make_room (GstTfrcSrcCandidates *self)
{
  GstTfrcSrcCandidate *weakest = &self->candidates[0];
  guint i;

  for (i = 1; i < GST_TFRC_SRC_CANDIDATES; i++) {
    if (is_weaker (&self->candidates[i], weakest))
      weakest = &self->candidates[i];
  }
  gst_tfrc_src_candidates_drop (self, weakest);
  return weakest;
}

/* The candidate that sent the packet; a new one if need be */
static GstTfrcSrcCandidate *
hear (GstTfrcSrcCandidates *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  GstTfrcSrcCandidate *candidate = find (self, packet->from, ssrc);
  guint64 now_ns = packet->arrival_ns;

  if (candidate == NULL) {
    candidate = make_room (self);
    candidate->in_use = TRUE;
    candidate->address = *packet->from;
    candidate->ssrc = ssrc;
    candidate->challenged_ns = G_MAXUINT64;
    candidate->host_bucket = get_host_bucket (self, packet->from);
    start_challenges (self, candidate, now_ns);
  }
  candidate->heard_ns = now_ns;
  candidate->local = packet->local;
  return candidate;
}

/* All but the packets, which are large, and the place's path */
static void
clear (GstTfrcSrcCandidate *candidate)
{
  TfrcPath *path = candidate->path;

  memset (candidate, 0, G_STRUCT_OFFSET (GstTfrcSrcCandidate, held));
  candidate->path = path;
}

void
gst_tfrc_src_candidates_drop (GstTfrcSrcCandidates *self, GstTfrcSrcCandidate *candidate)
{
  self->dropped_packets += candidate->n_held;
  clear (candidate);
}

void
gst_tfrc_src_candidates_release (GstTfrcSrcCandidate *candidate)
{
  clear (candidate);
}

void
gst_tfrc_src_candidates_drop_all (GstTfrcSrcCandidates *self)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++)
    gst_tfrc_src_candidates_drop (self, &self->candidates[i]);
}

/* ---- packets ----------------------------------------------------------- */

const GstTfrcSrcHeldPacket *
gst_tfrc_src_candidate_get_held (const GstTfrcSrcCandidate *candidate, guint i)
{
  return &candidate->held[(candidate->first_held + i) % GST_TFRC_SRC_HELD_PACKETS];
}

/* The oldest gives way: what is held then ends where the next packet begins. */
static void
hold (GstTfrcSrcCandidates *self, GstTfrcSrcCandidate *candidate,
    const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  GstTfrcSrcHeldPacket *held;

  if (candidate->n_held == GST_TFRC_SRC_HELD_PACKETS) {
    candidate->first_held = (candidate->first_held + 1) % GST_TFRC_SRC_HELD_PACKETS;
    candidate->n_held--;
    self->dropped_packets++;
  }
  held =
      &candidate->held[(candidate->first_held + candidate->n_held++) % GST_TFRC_SRC_HELD_PACKETS];
  held->header = *header;
  held->packet = *packet;
  held->from = *packet->from;
  memcpy (held->data, packet->data, packet->size);
  held->packet.from = &held->from;
  held->packet.data = held->data;
}

GstTfrcSrcCandidate *
gst_tfrc_src_candidates_on_data (
    GstTfrcSrcCandidates *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  GstTfrcSrcCandidate *candidate = hear (self, packet, header->ssrc);

  if (candidate->has_data && header->seq == (guint16) (candidate->seq + 1))
    candidate->in_sequence = TRUE;
  candidate->has_data = TRUE;
  candidate->seq = header->seq;
  candidate->tfrc = header->has_rtt_sendts;
  if (tfrc_path_get_state (candidate->path) == TFRC_PATH_FAILED)
    start_challenges (self, candidate, packet->arrival_ns);
  tfrc_path_on_received (candidate->path, packet->size);
  hold (self, candidate, packet, header);
  return candidate;
}

static gboolean
may_be_asked_again (const GstTfrcSrcCandidate *candidate, guint64 now_ns)
{
  return tfrc_path_get_state (candidate->path) != TFRC_PATH_PROBING && !candidate->has_data
      && (candidate->challenged_ns == G_MAXUINT64
          || now_ns >= candidate->challenged_ns + CHALLENGE_AGAIN_NS);
}

void
gst_tfrc_src_candidates_on_sender_report (
    GstTfrcSrcCandidates *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *report)
{
  GstTfrcSrcCandidate *candidate = hear (self, packet, report->sender_ssrc);

  candidate->report = *report;
  candidate->report_ns = packet->arrival_ns;
  if (may_be_asked_again (candidate, packet->arrival_ns)) {
    start_challenges (self, candidate, packet->arrival_ns);
    candidate->challenged_ns = G_MAXUINT64;
  }
  tfrc_path_on_received (candidate->path, packet->size);
}

gboolean
gst_tfrc_src_candidates_is_cookie (const GstTfrcSrcCandidates *self, const GstTfrcAddress *address,
    guint64 now_ns, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES], before[TFRC_WIRE_PATH_DATA_BYTES];

  get_hash (self, address, now_ns / COOKIE_NS, cookie);
  get_hash (self, address, now_ns / COOKIE_NS - 1, before);
  return tfrc_path_is_same_data (data, cookie) || tfrc_path_is_same_data (data, before);
}

void
gst_tfrc_src_candidates_on_proof (GstTfrcSrcCandidates *self, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  GstTfrcSrcCandidate *candidate = hear (self, packet, ssrc);

  candidate->proven = TRUE;
  tfrc_path_on_response (candidate->path, data, packet->arrival_ns);
}

/* ---- time -------------------------------------------------------------- */

static guint64
forget_ns (const GstTfrcSrcCandidate *candidate)
{
  return candidate->heard_ns + GST_TFRC_SRC_CANDIDATE_SILENCE_NS;
}

/* When it will have left challenges unanswered for long enough */
static guint64
mute_ns (const GstTfrcSrcCandidate *candidate)
{
  if (candidate->is_mute || candidate->challenged_ns == G_MAXUINT64)
    return G_MAXUINT64;
  return candidate->challenged_ns + GST_TFRC_SRC_UNANSWERED_NS;
}

static gboolean
is_plausible (const GstTfrcSrcCandidate *candidate)
{
  return candidate->in_sequence && (!candidate->tfrc || candidate->is_mute);
}

/* Plain RTP cannot answer. */
static guint64
challenge_ns (const GstTfrcSrcCandidate *candidate)
{
  if (candidate->has_data && !candidate->tfrc)
    return G_MAXUINT64;
  return MAX (tfrc_path_next_ns (candidate->path), candidate->blocked_ns);
}

void
gst_tfrc_src_candidates_on_time (GstTfrcSrcCandidates *self, guint64 now_ns)
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++) {
    GstTfrcSrcCandidate *candidate = &self->candidates[i];

    if (!candidate->in_use)
      continue;
    tfrc_path_on_time (candidate->path, now_ns);
    if (now_ns >= mute_ns (candidate))
      candidate->is_mute = TRUE;
    if (now_ns >= forget_ns (candidate))
      gst_tfrc_src_candidates_drop (self, candidate);
  }
}

guint64
gst_tfrc_src_candidates_next_ns (const GstTfrcSrcCandidates *self)
{
  guint64 next_ns = G_MAXUINT64;
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++) {
    const GstTfrcSrcCandidate *candidate = &self->candidates[i];

    if (!candidate->in_use)
      continue;
    next_ns = MIN (next_ns, forget_ns (candidate));
    next_ns = MIN (next_ns, mute_ns (candidate));
    next_ns = MIN (next_ns, challenge_ns (candidate));
  }
  return next_ns;
}

const GstTfrcSrcCandidate *
gst_tfrc_src_candidates_get_best (const GstTfrcSrcCandidates *self)
{
  const GstTfrcSrcCandidate *best = NULL;
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++) {
    const GstTfrcSrcCandidate *candidate = &self->candidates[i];

    if (candidate->n_held > 0 && (candidate->proven || is_plausible (candidate))
        && (best == NULL || is_weaker (best, candidate)))
      best = candidate;
  }
  return best;
}

const GstTfrcSrcCandidate *
gst_tfrc_src_candidates_take_challenge (
    GstTfrcSrcCandidates *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  guint i;

  for (i = 0; i < GST_TFRC_SRC_CANDIDATES; i++) {
    GstTfrcSrcCandidate *candidate = &self->candidates[i];
    GstTfrcTokenBucket *host = &self->hosts[candidate->host_bucket];
    guint64 ready_ns = MAX (
        gst_tfrc_token_bucket_next_ns (host), gst_tfrc_token_bucket_next_ns (&self->all));

    if (!candidate->in_use || now_ns < challenge_ns (candidate))
      continue;
    candidate->blocked_ns = ready_ns;
    if (ready_ns > now_ns || tfrc_path_take_challenge (candidate->path, now_ns, data) == 0)
      continue;
    gst_tfrc_token_bucket_take (host, now_ns);
    gst_tfrc_token_bucket_take (&self->all, now_ns);
    candidate->challenged_ns = MIN (candidate->challenged_ns, now_ns);
    return candidate;
  }
  return NULL;
}
