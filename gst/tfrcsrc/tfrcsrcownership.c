/* Who owns a source, see tfrcsrcownership.h. */
#include "tfrcsrcownership.h"

#include <string.h>

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* An owner that has been silent so long is asked whether it is there, when a
 * proven candidate waits. */
#define SILENCE_NS S_NS

/* Packets that the network has held back for so long after a BYE start no new
 * stream. */
#define STRAGGLERS_NS S_NS

void
tfrc_src_ownership_init (TfrcSrcOwnership *self, const TfrcSrcFilter *filter,
    gboolean keep_listening, const guint8 secret[TFRC_SRC_SECRET_BYTES], guint64 now_ns)
{
  memset (self, 0, sizeof *self);
  self->filter = *filter;
  self->keep_listening = keep_listening;
  tfrc_src_candidates_init (&self->candidates, secret);
  tfrc_src_owner_init (&self->owner);
  if (tfrc_src_filter_is_one_address (filter))
    tfrc_src_hello_start (&self->hello, now_ns);
}

void
tfrc_src_ownership_clear (TfrcSrcOwnership *self)
{
  tfrc_src_candidates_clear (&self->candidates);
  tfrc_src_owner_clear (&self->owner);
}

static gboolean
is_owner (const TfrcSrcOwnership *self, const TfrcReceivedPacket *packet, guint32 ssrc)
{
  return tfrc_src_sender_is (&self->owner.sender, packet->from, ssrc);
}

/* After an end there may be nobody to follow. */
static gboolean
listens_to (const TfrcSrcOwnership *self, const TfrcAddress *from)
{
  return tfrc_src_filter_allows (&self->filter, from)
      && (!self->ended.exists || self->keep_listening);
}

/* ---- packets ----------------------------------------------------------- */

static void
hear_owner (TfrcSrcOwnership *self, const TfrcReceivedPacket *packet)
{
  tfrc_src_owner_hear (&self->owner, packet);
  tfrc_src_hello_stop (&self->hello);
}

TfrcSrcVerdict
tfrc_src_ownership_on_data (
    TfrcSrcOwnership *self, const TfrcReceivedPacket *packet, const TfrcWireData *header)
{
  TfrcSrcCandidate *candidate;

  if (is_owner (self, packet, header->ssrc)) {
    hear_owner (self, packet);
    tfrc_src_owner_on_data (&self->owner, header, packet->arrival_ns);
    return TFRC_SRC_OWNERS;
  }
  if (!listens_to (self, packet->from))
    return TFRC_SRC_FOREIGN;
  candidate = tfrc_src_candidates_on_data (&self->candidates, packet, header);
  if (tfrc_src_sender_is (&self->displaced, packet->from, header->ssrc))
    candidate->proven = TRUE;
  return TFRC_SRC_NOTED;
}

/* When the owner can be asked because of the packet: not before the packet has
 * been read */
static guint64
asking_ns (const TfrcReceivedPacket *packet)
{
  return MAX (packet->arrival_ns, packet->read_ns);
}

static TfrcSrcVerdict
on_response (TfrcSrcOwnership *self, const TfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  gboolean at_owner = tfrc_src_sender_is_at (&self->owner.sender, packet->from);

  if (at_owner && tfrc_src_owner_on_response (&self->owner, packet, ssrc, data))
    return TFRC_SRC_NOTED;
  if (!tfrc_src_candidates_is_cookie (&self->candidates, packet->from, packet->arrival_ns, data))
    return TFRC_SRC_FOREIGN;
  if (is_owner (self, packet, ssrc)) {
    hear_owner (self, packet);
    tfrc_src_owner_on_proof (&self->owner, asking_ns (packet));
    return TFRC_SRC_NOTED;
  }
  tfrc_src_candidates_on_proof (&self->candidates, packet, ssrc, data);
  if (at_owner)
    tfrc_src_owner_is_replaced (&self->owner, packet->arrival_ns);
  return TFRC_SRC_NOTED;
}

static void
on_owners_rtcp (TfrcSrcOwnership *self, const TfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp,
    guint64 rtt_ns)
{
  TfrcSrcOwner *owner = &self->owner;

  if (rtcp->has_sr && tfrc_path_get_state (owner->path) == TFRC_PATH_FAILED)
    tfrc_src_candidates_start_path (
        &self->candidates, owner->path, &owner->sender.address, packet->arrival_ns);
  hear_owner (self, packet);
  if (rtcp->has_bye)
    tfrc_src_owner_on_bye (owner, rtt_ns, asking_ns (packet));
}

/* The sender repeats a BYE whose answer was lost. */
static gboolean
is_bye_again (
    const TfrcSrcOwnership *self, const TfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  return rtcp->has_bye && tfrc_src_sender_is (&self->ended, packet->from, rtcp->sender_ssrc);
}

TfrcSrcVerdict
tfrc_src_ownership_on_rtcp (TfrcSrcOwnership *self, const TfrcReceivedPacket *packet,
    const TfrcWireRtcp *rtcp, guint64 rtt_ns)
{
  if (is_bye_again (self, packet, rtcp)) {
    tfrc_src_owner_add_credit (&self->owner, packet->size);
    return TFRC_SRC_OWNERS;
  }
  if (!listens_to (self, packet->from))
    return TFRC_SRC_FOREIGN;
  if (rtcp->has_response)
    return on_response (self, packet, rtcp->sender_ssrc, rtcp->response);
  if (is_owner (self, packet, rtcp->sender_ssrc)) {
    on_owners_rtcp (self, packet, rtcp, rtt_ns);
    return TFRC_SRC_OWNERS;
  }
  if (!rtcp->has_sr || rtcp->has_bye)
    return TFRC_SRC_FOREIGN;
  tfrc_src_candidates_on_sender_report (&self->candidates, packet, rtcp);
  return TFRC_SRC_NOTED;
}

/* ---- succession -------------------------------------------------------- */

/* When the owner has been silent for so long that it may have to give way */
static guint64
silent_ns (const TfrcSrcOwner *owner, const TfrcSrcCandidate *successor)
{
  return owner->heard_ns + (owner->proven && successor->proven ? SILENCE_NS : TFRC_SRC_TAKEOVER_NS);
}

static gboolean
may_begin (const TfrcSrcOwnership *self, const TfrcSrcCandidate *candidate)
{
  return candidate->proven
      || !tfrc_src_sender_is (&self->ended, &candidate->address, candidate->ssrc)
      || candidate->heard_ns >= self->ended_ns + STRAGGLERS_NS;
}

static gboolean
gives_way (const TfrcSrcOwnership *self, const TfrcSrcCandidate *successor, guint64 now_ns)
{
  const TfrcSrcOwner *owner = &self->owner;

  if (!owner->sender.exists)
    return may_begin (self, successor);
  if (owner->doubt.reason == TFRC_SRC_DOUBT_BYE)
    return FALSE; /* it ends first */
  if (tfrc_src_sender_is (&self->displaced, &successor->address, successor->ssrc))
    return TRUE;
  /* Of two streams at one address only one answers. */
  if (successor->proven && tfrc_src_sender_is_at (&owner->sender, &successor->address))
    return TRUE;
  if (!owner->proven && successor->proven)
    return TRUE;
  return now_ns >= silent_ns (owner, successor)
      && (!owner->proven || tfrc_src_owner_is_absent (owner, now_ns));
}

static void
doubt_silence (TfrcSrcOwnership *self, guint64 now_ns)
{
  const TfrcSrcCandidate *successor = tfrc_src_candidates_get_best (&self->candidates);
  TfrcSrcOwner *owner = &self->owner;

  tfrc_src_owner_doubt_silence (owner,
      successor && owner->proven && owner->sender.exists && now_ns >= silent_ns (owner, successor),
      now_ns);
}

/* Whose next packet may have the source back?  Not a stream's at whose address
 * there is another one now. */
static void
remember_displaced (TfrcSrcOwnership *self, const TfrcAddress *successor)
{
  const TfrcSrcOwner *owner = &self->owner;

  if (tfrc_src_sender_is_at (&self->displaced, successor))
    self->displaced.exists = FALSE;
  else if (owner->proven && owner->sender.exists
      && !tfrc_src_sender_is_at (&owner->sender, successor))
    self->displaced = owner->sender;
}

TfrcSrcCandidate *
tfrc_src_ownership_take_successor (TfrcSrcOwnership *self, guint64 now_ns)
{
  TfrcSrcCandidate *successor = (TfrcSrcCandidate *) tfrc_src_candidates_get_best (
      &self->candidates);

  if (successor == NULL || !gives_way (self, successor, now_ns))
    return NULL;
  remember_displaced (self, &successor->address);
  tfrc_src_owner_start (&self->owner, successor);
  self->ended.exists = FALSE;
  tfrc_src_hello_stop (&self->hello);
  return successor;
}

void
tfrc_src_ownership_abandon (TfrcSrcOwnership *self)
{
  tfrc_src_owner_end (&self->owner);
}

/* ---- time -------------------------------------------------------------- */

static void
end (TfrcSrcOwnership *self, guint64 now_ns)
{
  self->ended = self->owner.sender;
  self->ended_ns = now_ns;
  self->has_end = TRUE;
  self->displaced.exists = FALSE;
  tfrc_src_owner_end (&self->owner);
  if (!self->keep_listening)
    tfrc_src_candidates_drop_all (&self->candidates);
  else if (tfrc_src_filter_is_one_address (&self->filter))
    tfrc_src_hello_start (&self->hello, now_ns);
}

gboolean
tfrc_src_ownership_take_end (TfrcSrcOwnership *self)
{
  gboolean has_end = self->has_end;

  self->has_end = FALSE;
  return has_end;
}

/* When hello is said again, as the owner is lost */
static guint64
lost_ns (const TfrcSrcOwnership *self)
{
  if (!self->owner.sender.exists || self->hello.is_said
      || !tfrc_src_filter_is_one_address (&self->filter))
    return G_MAXUINT64;
  return self->owner.heard_ns + TFRC_SRC_TAKEOVER_NS;
}

void
tfrc_src_ownership_on_time (TfrcSrcOwnership *self, guint64 now_ns)
{
  tfrc_src_candidates_on_time (&self->candidates, now_ns);
  tfrc_path_on_time (self->owner.path, now_ns);
  if (tfrc_src_owner_has_ended (&self->owner, now_ns))
    end (self, now_ns);
  /* Not when a packet comes: it may have been read long after its arrival, and
   * the owner cannot be asked before. */
  doubt_silence (self, now_ns);
  if (now_ns >= lost_ns (self))
    tfrc_src_hello_start (&self->hello, now_ns);
}

/* When the owner may have to give way to the candidate that waits */
static guint64
succession_ns (const TfrcSrcOwnership *self)
{
  const TfrcSrcCandidate *successor = tfrc_src_candidates_get_best (&self->candidates);

  if (successor == NULL || !self->owner.sender.exists
      || self->owner.doubt.reason != TFRC_SRC_DOUBT_NONE)
    return G_MAXUINT64;
  return silent_ns (&self->owner, successor);
}

guint64
tfrc_src_ownership_next_ns (const TfrcSrcOwnership *self)
{
  guint64 next_ns = tfrc_src_candidates_next_ns (&self->candidates);

  next_ns = MIN (next_ns, tfrc_src_owner_next_ns (&self->owner));
  next_ns = MIN (next_ns, tfrc_src_hello_next_ns (&self->hello));
  next_ns = MIN (next_ns, lost_ns (self));
  return MIN (next_ns, succession_ns (self));
}

/* ---- challenges -------------------------------------------------------- */

static gboolean
take_hello (TfrcSrcOwnership *self, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (!tfrc_src_hello_take (&self->hello, now_ns))
    return FALSE;
  tfrc_src_candidates_get_cookie (&self->candidates, &self->filter.address, now_ns, data);
  return TRUE;
}

gsize
tfrc_src_ownership_write_challenge (TfrcSrcOwnership *self, guint32 own_ssrc, guint64 now_ns,
    guint8 *buffer, TfrcAddress *to, TfrcAddress *local)
{
  const TfrcSrcCandidate *candidate;
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];

  memset (local, 0, sizeof *local);
  candidate = tfrc_src_candidates_take_challenge (&self->candidates, now_ns, data);
  if (candidate) {
    *to = candidate->address;
    *local = candidate->local;
  } else if (tfrc_src_owner_take_challenge (&self->owner, now_ns, data)) {
    *to = self->owner.sender.address;
  } else if (take_hello (self, now_ns, data)) {
    *to = self->filter.address;
  } else {
    return 0;
  }
  return tfrc_wire_write_path_challenge (buffer, TFRC_WIRE_MIN_PATH_BYTES, own_ssrc, data);
}
