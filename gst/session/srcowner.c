/* The sender that owns a source, see srcowner.h. */
#include "srcowner.h"

#include <string.h>

#define MS_NS G_GUINT64_CONSTANT (1000000)
#define S_NS (1000 * MS_NS)

/* How long a silent owner has to answer, and how often it is asked */
#define SILENCE_PATIENCE_NS S_NS
#define SILENCE_CHALLENGES 3

/* How long the owner has to say that a BYE was not its own: max(2 R, 100 ms).
 * R is what the sender says, so it is not believed beyond a second. */
#define MIN_BYE_PATIENCE_NS (100 * MS_NS)
#define MAX_RTT_NS S_NS
#define BYE_CHALLENGES 2

/* What may be saved up of what an owner without proof is due, by challenges and
 * answers together */
#define MAX_CREDIT_BYTES 65536
#define MAX_CREDIT_PACKETS 64

gboolean
gst_tfrc_src_sender_is (const GstTfrcSrcSender *sender, const GstTfrcAddress *address, guint32 ssrc)
{
  return sender->ssrc == ssrc && gst_tfrc_src_sender_is_at (sender, address);
}

gboolean
gst_tfrc_src_sender_is_at (const GstTfrcSrcSender *sender, const GstTfrcAddress *address)
{
  return sender->exists && gst_tfrc_address_equal (&sender->address, address);
}

void
gst_tfrc_src_owner_init (GstTfrcSrcOwner *owner)
{
  memset (owner, 0, sizeof *owner);
  tfrc_path_new (&owner->path);
  tfrc_path_new (&owner->doubt.path);
}

void
gst_tfrc_src_owner_clear (GstTfrcSrcOwner *owner)
{
  g_clear_pointer (&owner->path, tfrc_path_free);
  g_clear_pointer (&owner->doubt.path, tfrc_path_free);
}

void
gst_tfrc_src_owner_start (GstTfrcSrcOwner *owner, const GstTfrcSrcCandidate *candidate)
{
  const TfrcPath *path = candidate->path;

  owner->sender.exists = TRUE;
  owner->sender.address = candidate->address;
  owner->sender.ssrc = candidate->ssrc;
  owner->proven = candidate->proven;
  owner->tfrc = candidate->tfrc;
  owner->heard_ns = candidate->heard_ns;
  tfrc_path_copy (owner->path, path);
  owner->credit_bytes = MIN (tfrc_path_get_credit_bytes (path), MAX_CREDIT_BYTES);
  owner->credit_packets = (guint) MIN (tfrc_path_get_credit_packets (path), MAX_CREDIT_PACKETS);
  gst_tfrc_src_doubt_stop (&owner->doubt);
}

void
gst_tfrc_src_owner_end (GstTfrcSrcOwner *owner)
{
  owner->sender.exists = FALSE;
  gst_tfrc_src_doubt_stop (&owner->doubt);
}

/* ---- what may be sent -------------------------------------------------- */

void
gst_tfrc_src_owner_add_credit (GstTfrcSrcOwner *owner, gsize bytes)
{
  owner->credit_bytes = MIN (owner->credit_bytes + bytes, MAX_CREDIT_BYTES);
  owner->credit_packets = MIN (owner->credit_packets + 1, MAX_CREDIT_PACKETS);
}

static gboolean
has_credit (const GstTfrcSrcOwner *owner, gsize bytes)
{
  return owner->credit_packets > 0 && owner->credit_bytes >= bytes;
}

static gboolean
take_credit (GstTfrcSrcOwner *owner, gsize bytes)
{
  if (!has_credit (owner, bytes))
    return FALSE;
  owner->credit_packets--;
  owner->credit_bytes -= bytes;
  return TRUE;
}

gboolean
gst_tfrc_src_owner_may_answer (GstTfrcSrcOwner *owner, gsize bytes)
{
  return (owner->sender.exists && owner->proven) || take_credit (owner, bytes);
}

/* ---- packets ----------------------------------------------------------- */

void
gst_tfrc_src_owner_hear (GstTfrcSrcOwner *owner, const GstTfrcReceivedPacket *packet)
{
  owner->heard_ns = packet->arrival_ns;
  gst_tfrc_src_owner_add_credit (owner, packet->size);
  tfrc_path_on_received (owner->path, packet->size);
  if (owner->doubt.reason == GST_TFRC_SRC_DOUBT_SILENCE)
    gst_tfrc_src_doubt_stop (&owner->doubt);
}

static void
refuse_bye (GstTfrcSrcOwner *owner)
{
  gst_tfrc_src_doubt_stop (&owner->doubt);
  owner->byes_refused++;
}

/* An owner that cannot answer shows by its data that a BYE was not its own: what
 * comes in the first half of the time may have been overtaken. */
void
gst_tfrc_src_owner_on_data (GstTfrcSrcOwner *owner, const TfrcWireData *header, guint64 now_ns)
{
  const GstTfrcSrcDoubt *doubt = &owner->doubt;

  owner->tfrc = header->has_rtt_sendts;
  if (doubt->reason == GST_TFRC_SRC_DOUBT_BYE && !owner->proven
      && now_ns > doubt->since_ns + (doubt->end_ns - doubt->since_ns) / 2)
    refuse_bye (owner);
}

void
gst_tfrc_src_owner_on_bye (GstTfrcSrcOwner *owner, guint64 rtt_ns, guint64 now_ns)
{
  guint64 least_ns = owner->proven ? MIN_BYE_PATIENCE_NS : 2 * MIN_BYE_PATIENCE_NS;
  guint challenges = owner->proven ? BYE_CHALLENGES : owner->tfrc ? 1 : 0;

  if (owner->doubt.reason == GST_TFRC_SRC_DOUBT_BYE)
    return;
  if (!owner->proven && challenges > 0 && !take_credit (owner, TFRC_WIRE_MIN_PATH_BYTES))
    challenges = 0;
  gst_tfrc_src_doubt_start (&owner->doubt, GST_TFRC_SRC_DOUBT_BYE, challenges,
      MAX (2 * MIN (rtt_ns, MAX_RTT_NS), least_ns), now_ns);
}

/* What proves an owner may be older than a BYE: so it refutes none, but from now
 * on the owner can be asked. */
void
gst_tfrc_src_owner_on_proof (GstTfrcSrcOwner *owner, guint64 now_ns)
{
  GstTfrcSrcDoubt *doubt = &owner->doubt;

  if (!owner->proven && doubt->reason == GST_TFRC_SRC_DOUBT_BYE)
    gst_tfrc_src_doubt_start (
        doubt, GST_TFRC_SRC_DOUBT_BYE, BYE_CHALLENGES, doubt->end_ns - doubt->since_ns, now_ns);
  owner->proven = TRUE;
}

gboolean
gst_tfrc_src_owner_on_response (GstTfrcSrcOwner *owner, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (!gst_tfrc_src_doubt_is_answer (&owner->doubt, data, packet->arrival_ns))
    return FALSE;
  if (ssrc != owner->sender.ssrc) {
    gst_tfrc_src_owner_is_replaced (owner, packet->arrival_ns);
    return TRUE;
  }
  if (owner->doubt.reason == GST_TFRC_SRC_DOUBT_BYE)
    refuse_bye (owner);
  gst_tfrc_src_owner_hear (owner, packet);
  owner->proven = TRUE;
  return TRUE;
}

void
gst_tfrc_src_owner_is_replaced (GstTfrcSrcOwner *owner, guint64 now_ns)
{
  owner->doubt.end_ns = MIN (owner->doubt.end_ns, now_ns);
}

/* ---- doubts ------------------------------------------------------------ */

void
gst_tfrc_src_owner_doubt_silence (GstTfrcSrcOwner *owner, gboolean silent, guint64 now_ns)
{
  if (!silent && owner->doubt.reason == GST_TFRC_SRC_DOUBT_SILENCE)
    gst_tfrc_src_doubt_stop (&owner->doubt);
  else if (silent && owner->doubt.reason == GST_TFRC_SRC_DOUBT_NONE)
    gst_tfrc_src_doubt_start (
        &owner->doubt, GST_TFRC_SRC_DOUBT_SILENCE, SILENCE_CHALLENGES, SILENCE_PATIENCE_NS, now_ns);
}

gboolean
gst_tfrc_src_owner_is_absent (const GstTfrcSrcOwner *owner, guint64 now_ns)
{
  return owner->doubt.reason == GST_TFRC_SRC_DOUBT_SILENCE
      && gst_tfrc_src_doubt_is_over (&owner->doubt, now_ns);
}

gboolean
gst_tfrc_src_owner_has_ended (const GstTfrcSrcOwner *owner, guint64 now_ns)
{
  return owner->doubt.reason == GST_TFRC_SRC_DOUBT_BYE
      && gst_tfrc_src_doubt_is_over (&owner->doubt, now_ns);
}

/* ---- challenges -------------------------------------------------------- */

static gboolean
is_to_prove_itself (const GstTfrcSrcOwner *owner)
{
  return owner->sender.exists && !owner->proven && owner->tfrc
      && has_credit (owner, TFRC_WIRE_MIN_PATH_BYTES);
}

guint64
gst_tfrc_src_owner_next_ns (const GstTfrcSrcOwner *owner)
{
  guint64 next_ns = gst_tfrc_src_doubt_next_ns (&owner->doubt);

  return is_to_prove_itself (owner) ? MIN (next_ns, tfrc_path_next_ns (owner->path)) : next_ns;
}

gboolean
gst_tfrc_src_owner_take_challenge (
    GstTfrcSrcOwner *owner, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (is_to_prove_itself (owner) && tfrc_path_take_challenge (owner->path, now_ns, data) > 0)
    return take_credit (owner, TFRC_WIRE_MIN_PATH_BYTES);
  return gst_tfrc_src_doubt_take_challenge (&owner->doubt, now_ns, data);
}
