/* Who owns a source, see srcownership.h. */
#include "srcownership.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* An owner that has been silent so long is asked whether it is there, when a
 * proven candidate waits. */
#define SILENCE_NS S_NS

/* Packets that the network has held back for so long after a BYE start no new
 * stream. */
#define STRAGGLERS_NS S_NS

void
gst_tfrc_src_ownership_init (GstTfrcSrcOwnership *self, const GstTfrcSrcFilter *filter,
    gboolean keep_listening, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES], guint64 now_ns)
{
  memset (self, 0, sizeof *self);
  self->filter = *filter;
  self->keep_listening = keep_listening;
  gst_tfrc_src_candidates_init (&self->candidates, secret);
  gst_tfrc_src_owner_init (&self->owner);
  if (gst_tfrc_src_filter_is_one_address (filter))
    gst_tfrc_src_hello_start (&self->hello, now_ns);
}

void
gst_tfrc_src_ownership_clear (GstTfrcSrcOwnership *self)
{
  gst_tfrc_src_candidates_clear (&self->candidates);
  gst_tfrc_src_owner_clear (&self->owner);
}

static gboolean
is_owner (const GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  return gst_tfrc_src_sender_is (&self->owner.sender, packet->from, ssrc);
}

/* After an end there may be nobody to follow. */
static gboolean
listens_to (const GstTfrcSrcOwnership *self, const GstTfrcAddress *from)
{
  return gst_tfrc_src_filter_allows (&self->filter, from)
      && (!self->ended.exists || self->keep_listening);
}

/* ---- packets ----------------------------------------------------------- */

static void
hear_owner (GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet)
{
  gst_tfrc_src_owner_hear (&self->owner, packet);
  gst_tfrc_src_hello_stop (&self->hello);
}

GstTfrcSrcVerdict
gst_tfrc_src_ownership_on_data (
    GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header)
{
  GstTfrcSrcCandidate *candidate;

  if (is_owner (self, packet, header->ssrc)) {
    hear_owner (self, packet);
    gst_tfrc_src_owner_on_data (&self->owner, header, packet->arrival_ns);
    return GST_TFRC_SRC_OWNERS;
  }
  if (!listens_to (self, packet->from))
    return GST_TFRC_SRC_FOREIGN;
  candidate = gst_tfrc_src_candidates_on_data (&self->candidates, packet, header);
  if (gst_tfrc_src_sender_is (&self->displaced, packet->from, header->ssrc))
    candidate->proven = TRUE;
  return GST_TFRC_SRC_NOTED;
}

/* When the owner can be asked because of the packet: not before the packet has
 * been read */
static guint64
asking_ns (const GstTfrcReceivedPacket *packet)
{
  return MAX (packet->arrival_ns, packet->read_ns);
}

static GstTfrcSrcVerdict
on_response (GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  gboolean at_owner = gst_tfrc_src_sender_is_at (&self->owner.sender, packet->from);

  if (at_owner && gst_tfrc_src_owner_on_response (&self->owner, packet, ssrc, data))
    return GST_TFRC_SRC_NOTED;
  if (!gst_tfrc_src_candidates_is_cookie (
          &self->candidates, packet->from, packet->arrival_ns, data))
    return GST_TFRC_SRC_FOREIGN;
  if (is_owner (self, packet, ssrc)) {
    hear_owner (self, packet);
    gst_tfrc_src_owner_on_proof (&self->owner, asking_ns (packet));
    return GST_TFRC_SRC_NOTED;
  }
  gst_tfrc_src_candidates_on_proof (&self->candidates, packet, ssrc, data);
  if (at_owner)
    gst_tfrc_src_owner_is_replaced (&self->owner, packet->arrival_ns);
  return GST_TFRC_SRC_NOTED;
}

static void
on_owners_rtcp (GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  GstTfrcSrcOwner *owner = &self->owner;

  if (rtcp->has_sr && tfrc_path_get_state (owner->path) == TFRC_PATH_FAILED)
    gst_tfrc_src_candidates_start_path (
        &self->candidates, owner->path, &owner->sender.address, packet->arrival_ns);
  hear_owner (self, packet);
  if (rtcp->has_bye)
    gst_tfrc_src_owner_on_bye (owner, rtt_ns, asking_ns (packet));
}

/* The sender repeats a BYE whose answer was lost. */
static gboolean
is_bye_again (
    const GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  return rtcp->has_bye && gst_tfrc_src_sender_is (&self->ended, packet->from, rtcp->sender_ssrc);
}

GstTfrcSrcVerdict
gst_tfrc_src_ownership_on_rtcp (GstTfrcSrcOwnership *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  if (is_bye_again (self, packet, rtcp)) {
    gst_tfrc_src_owner_add_credit (&self->owner, packet->size);
    return GST_TFRC_SRC_OWNERS;
  }
  if (!listens_to (self, packet->from))
    return GST_TFRC_SRC_FOREIGN;
  if (rtcp->has_response)
    return on_response (self, packet, rtcp->sender_ssrc, rtcp->response);
  if (is_owner (self, packet, rtcp->sender_ssrc)) {
    on_owners_rtcp (self, packet, rtcp, rtt_ns);
    return GST_TFRC_SRC_OWNERS;
  }
  if (!rtcp->has_sr || rtcp->has_bye)
    return GST_TFRC_SRC_FOREIGN;
  gst_tfrc_src_candidates_on_sender_report (&self->candidates, packet, rtcp);
  return GST_TFRC_SRC_NOTED;
}

/* ---- succession -------------------------------------------------------- */

/* When the owner has been silent for so long that it may have to give way */
static guint64
silent_ns (const GstTfrcSrcOwner *owner, const GstTfrcSrcCandidate *successor)
{
  return owner->heard_ns
      + (owner->proven && successor->proven ? SILENCE_NS : GST_TFRC_SRC_TAKEOVER_NS);
}

static gboolean
may_begin (const GstTfrcSrcOwnership *self, const GstTfrcSrcCandidate *candidate)
{
  return candidate->proven
      || !gst_tfrc_src_sender_is (&self->ended, &candidate->address, candidate->ssrc)
      || candidate->heard_ns >= self->ended_ns + STRAGGLERS_NS;
}

static gboolean
gives_way (const GstTfrcSrcOwnership *self, const GstTfrcSrcCandidate *successor, guint64 now_ns)
{
  const GstTfrcSrcOwner *owner = &self->owner;

  if (!owner->sender.exists)
    return may_begin (self, successor);
  if (owner->doubt.reason == GST_TFRC_SRC_DOUBT_BYE)
    return FALSE; /* it ends first */
  if (gst_tfrc_src_sender_is (&self->displaced, &successor->address, successor->ssrc))
    return TRUE;
  /* Of two streams at one address only one answers. */
  if (successor->proven && gst_tfrc_src_sender_is_at (&owner->sender, &successor->address))
    return TRUE;
  if (!owner->proven && successor->proven)
    return TRUE;
  return now_ns >= silent_ns (owner, successor)
      && (!owner->proven || gst_tfrc_src_owner_is_absent (owner, now_ns));
}

static void
doubt_silence (GstTfrcSrcOwnership *self, guint64 now_ns)
{
  const GstTfrcSrcCandidate *successor = gst_tfrc_src_candidates_get_best (&self->candidates);
  GstTfrcSrcOwner *owner = &self->owner;

  gst_tfrc_src_owner_doubt_silence (owner,
      successor && owner->proven && owner->sender.exists && now_ns >= silent_ns (owner, successor),
      now_ns);
}

/* Whose next packet may have the source back?  Not a stream's at whose address
 * there is another one now. */
static void
remember_displaced (GstTfrcSrcOwnership *self, const GstTfrcAddress *successor)
{
  const GstTfrcSrcOwner *owner = &self->owner;

  if (gst_tfrc_src_sender_is_at (&self->displaced, successor))
    self->displaced.exists = FALSE;
  else if (owner->proven && owner->sender.exists
      && !gst_tfrc_src_sender_is_at (&owner->sender, successor))
    self->displaced = owner->sender;
}

GstTfrcSrcCandidate *
gst_tfrc_src_ownership_take_successor (GstTfrcSrcOwnership *self, guint64 now_ns)
{
  GstTfrcSrcCandidate *successor = (GstTfrcSrcCandidate *) gst_tfrc_src_candidates_get_best (
      &self->candidates);

  if (successor == NULL || !gives_way (self, successor, now_ns))
    return NULL;
  remember_displaced (self, &successor->address);
  gst_tfrc_src_owner_start (&self->owner, successor);
  self->ended.exists = FALSE;
  gst_tfrc_src_hello_stop (&self->hello);
  return successor;
}

void
gst_tfrc_src_ownership_abandon (GstTfrcSrcOwnership *self)
{
  gst_tfrc_src_owner_end (&self->owner);
}

/* ---- time -------------------------------------------------------------- */

static void
end (GstTfrcSrcOwnership *self, guint64 now_ns)
{
  self->ended = self->owner.sender;
  self->ended_ns = now_ns;
  self->has_end = TRUE;
  self->displaced.exists = FALSE;
  gst_tfrc_src_owner_end (&self->owner);
  if (!self->keep_listening)
    gst_tfrc_src_candidates_drop_all (&self->candidates);
  else if (gst_tfrc_src_filter_is_one_address (&self->filter))
    gst_tfrc_src_hello_start (&self->hello, now_ns);
}

gboolean
gst_tfrc_src_ownership_take_end (GstTfrcSrcOwnership *self)
{
  gboolean has_end = self->has_end;

  self->has_end = FALSE;
  return has_end;
}

/* When hello is said again, as the owner is lost */
static guint64
lost_ns (const GstTfrcSrcOwnership *self)
{
  if (!self->owner.sender.exists || self->hello.is_said
      || !gst_tfrc_src_filter_is_one_address (&self->filter))
    return G_MAXUINT64;
  return self->owner.heard_ns + GST_TFRC_SRC_TAKEOVER_NS;
}

void
gst_tfrc_src_ownership_on_time (GstTfrcSrcOwnership *self, guint64 now_ns)
{
  gst_tfrc_src_candidates_on_time (&self->candidates, now_ns);
  tfrc_path_on_time (self->owner.path, now_ns);
  if (gst_tfrc_src_owner_has_ended (&self->owner, now_ns))
    end (self, now_ns);
  /* Not when a packet comes: it may have been read long after its arrival, and
   * the owner cannot be asked before. */
  doubt_silence (self, now_ns);
  if (now_ns >= lost_ns (self))
    gst_tfrc_src_hello_start (&self->hello, now_ns);
}

/* When the owner may have to give way to the candidate that waits */
static guint64
succession_ns (const GstTfrcSrcOwnership *self)
{
  const GstTfrcSrcCandidate *successor = gst_tfrc_src_candidates_get_best (&self->candidates);

  if (successor == NULL || !self->owner.sender.exists
      || self->owner.doubt.reason != GST_TFRC_SRC_DOUBT_NONE)
    return G_MAXUINT64;
  return silent_ns (&self->owner, successor);
}

guint64
gst_tfrc_src_ownership_next_ns (const GstTfrcSrcOwnership *self)
{
  guint64 next_ns = gst_tfrc_src_candidates_next_ns (&self->candidates);

  next_ns = MIN (next_ns, gst_tfrc_src_owner_next_ns (&self->owner));
  next_ns = MIN (next_ns, gst_tfrc_src_hello_next_ns (&self->hello));
  next_ns = MIN (next_ns, lost_ns (self));
  return MIN (next_ns, succession_ns (self));
}

/* ---- challenges -------------------------------------------------------- */

static gboolean
take_hello (GstTfrcSrcOwnership *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (!gst_tfrc_src_hello_take (&self->hello, now_ns))
    return FALSE;
  gst_tfrc_src_candidates_get_cookie (&self->candidates, &self->filter.address, now_ns, data);
  return TRUE;
}

gsize
gst_tfrc_src_ownership_write_challenge (GstTfrcSrcOwnership *self, guint32 own_ssrc, guint64 now_ns,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local)
{
  const GstTfrcSrcCandidate *candidate;
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];

  memset (local, 0, sizeof *local);
  candidate = gst_tfrc_src_candidates_take_challenge (&self->candidates, now_ns, data);
  if (candidate) {
    *to = candidate->address;
    *local = candidate->local;
  } else if (gst_tfrc_src_owner_take_challenge (&self->owner, now_ns, data)) {
    *to = self->owner.sender.address;
  } else if (take_hello (self, now_ns, data)) {
    *to = self->filter.address;
  } else {
    return 0;
  }
  return tfrc_wire_write_path_challenge (buffer, TFRC_WIRE_MIN_PATH_BYTES, own_ssrc, data);
}
