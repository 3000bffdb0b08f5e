/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peer of a source, see srcpeer.h. */
#include "srcpeer.h"

#include <string.h>

#define MS_NS G_GUINT64_CONSTANT (1000000)
#define S_NS (1000 * MS_NS)

/* The liveness test of a silent peer */
#define SILENCE_TIMEOUT_NS S_NS
#define SILENCE_CHALLENGES 3

/* The same, if the peer's stream comes from another address: three times the PTO (RFC 9000 section
 * 8.2.4), which is 3 R (RFC 9002 section 6.2.1, with the first sample's variation) */
#define MOVED_TIMEOUT_RTTS 9
#define MIN_MOVED_TIMEOUT_NS (500 * MS_NS)

/* The liveness test after a BYE: the timeout is max(2 R, 100 ms).  R is what the sender says, and
 * so does not count beyond a second. */
#define MIN_BYE_TIMEOUT_NS (100 * MS_NS)
#define MAX_RTT_NS S_NS
#define BYE_CHALLENGES 2

/* The most credit that a peer without validation can save, for challenges and answers together */
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
gst_tfrc_src_peer_init (GstTfrcSrcPeer *peer)
{
  memset (peer, 0, sizeof *peer);
  tfrc_path_new (&peer->path);
  tfrc_path_new (&peer->liveness.path);
}

void
gst_tfrc_src_peer_clear (GstTfrcSrcPeer *peer)
{
  g_clear_pointer (&peer->path, tfrc_path_free);
  g_clear_pointer (&peer->liveness.path, tfrc_path_free);
}

void
gst_tfrc_src_peer_start (GstTfrcSrcPeer *peer, const GstTfrcSrcPendingSender *sender)
{
  const TfrcPath *path = sender->path;

  peer->sender.exists = TRUE;
  peer->sender.address = sender->address;
  peer->sender.ssrc = sender->ssrc;
  peer->validated = sender->validated;
  peer->tfrc = sender->tfrc;
  peer->heard_ns = sender->heard_ns;
  tfrc_path_copy (peer->path, path);
  peer->credit_bytes = MIN (tfrc_path_get_credit_bytes (path), MAX_CREDIT_BYTES);
  peer->credit_packets = (guint) MIN (tfrc_path_get_credit_packets (path), MAX_CREDIT_PACKETS);
  gst_tfrc_src_liveness_stop (&peer->liveness);
}

void
gst_tfrc_src_peer_end (GstTfrcSrcPeer *peer)
{
  peer->sender.exists = FALSE;
  gst_tfrc_src_liveness_stop (&peer->liveness);
}

/* ---- credit ------------------------------------------------------------ */

void
gst_tfrc_src_peer_add_credit (GstTfrcSrcPeer *peer, gsize bytes)
{
  peer->credit_bytes = MIN (peer->credit_bytes + bytes, MAX_CREDIT_BYTES);
  peer->credit_packets = MIN (peer->credit_packets + 1, MAX_CREDIT_PACKETS);
}

static gboolean
has_credit (const GstTfrcSrcPeer *peer, gsize bytes)
{
  return peer->credit_packets > 0 && peer->credit_bytes >= bytes;
}

static gboolean
take_credit (GstTfrcSrcPeer *peer, gsize bytes)
{
  if (!has_credit (peer, bytes))
    return FALSE;
  peer->credit_packets--;
  peer->credit_bytes -= bytes;
  return TRUE;
}

gboolean
gst_tfrc_src_peer_may_send (GstTfrcSrcPeer *peer, gsize bytes)
{
  return (peer->sender.exists && peer->validated) || take_credit (peer, bytes);
}

/* ---- packets ----------------------------------------------------------- */

void
gst_tfrc_src_peer_on_packet (GstTfrcSrcPeer *peer, const GstTfrcReceivedPacket *packet)
{
  peer->heard_ns = packet->arrival_ns;
  gst_tfrc_src_peer_add_credit (peer, packet->size);
  tfrc_path_on_received (peer->path, packet->size);
  if (peer->liveness.reason == GST_TFRC_SRC_LIVENESS_SILENCE)
    gst_tfrc_src_liveness_stop (&peer->liveness);
}

static void
refuse_bye (GstTfrcSrcPeer *peer)
{
  gst_tfrc_src_liveness_stop (&peer->liveness);
  peer->byes_refused++;
}

/* A peer that cannot respond shows by its data that a BYE was forged.  Data of the first half of
 * the test may be older than a true BYE, and does not count. */
void
gst_tfrc_src_peer_on_data (GstTfrcSrcPeer *peer, const TfrcWireData *header, guint64 now_ns)
{
  const GstTfrcSrcLiveness *liveness = &peer->liveness;

  peer->tfrc = header->has_rtt_sendts;
  if (liveness->reason == GST_TFRC_SRC_LIVENESS_BYE && !peer->validated
      && now_ns > liveness->started_ns + (liveness->end_ns - liveness->started_ns) / 2)
    refuse_bye (peer);
}

void
gst_tfrc_src_peer_on_bye (GstTfrcSrcPeer *peer, guint64 rtt_ns, guint64 now_ns)
{
  guint64 least_ns = peer->validated ? MIN_BYE_TIMEOUT_NS : 2 * MIN_BYE_TIMEOUT_NS;
  guint challenges = peer->validated ? BYE_CHALLENGES : peer->tfrc ? 1 : 0;

  if (peer->liveness.reason == GST_TFRC_SRC_LIVENESS_BYE)
    return;
  if (!peer->validated && challenges > 0 && !take_credit (peer, TFRC_WIRE_MIN_PATH_BYTES))
    challenges = 0;
  gst_tfrc_src_liveness_start (&peer->liveness, GST_TFRC_SRC_LIVENESS_BYE, challenges,
      MAX (2 * MIN (rtt_ns, MAX_RTT_NS), least_ns), now_ns);
}

/* The response may be older than a BYE, and so does not refute the BYE.  But the test begins anew,
 * with challenges, as the peer is now known to respond. */
void
gst_tfrc_src_peer_on_validated (GstTfrcSrcPeer *peer, guint64 now_ns)
{
  GstTfrcSrcLiveness *liveness = &peer->liveness;

  if (!peer->validated && liveness->reason == GST_TFRC_SRC_LIVENESS_BYE)
    gst_tfrc_src_liveness_start (liveness, GST_TFRC_SRC_LIVENESS_BYE, BYE_CHALLENGES,
        liveness->end_ns - liveness->started_ns, now_ns);
  peer->validated = TRUE;
}

gboolean
gst_tfrc_src_peer_on_response (GstTfrcSrcPeer *peer, const GstTfrcReceivedPacket *packet,
    guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (!gst_tfrc_src_liveness_is_response (&peer->liveness, data, packet->arrival_ns))
    return FALSE;
  if (ssrc != peer->sender.ssrc) {
    gst_tfrc_src_peer_is_replaced (peer, packet->arrival_ns);
    return TRUE;
  }
  if (peer->liveness.reason == GST_TFRC_SRC_LIVENESS_BYE)
    refuse_bye (peer);
  gst_tfrc_src_peer_on_packet (peer, packet);
  peer->validated = TRUE;
  return TRUE;
}

void
gst_tfrc_src_peer_is_replaced (GstTfrcSrcPeer *peer, guint64 now_ns)
{
  peer->liveness.end_ns = MIN (peer->liveness.end_ns, now_ns);
}

/* ---- liveness ---------------------------------------------------------- */

/* R that the peer reports can prolong the test, but it cannot shorten the test below the round-trip
 * time that the peer's own responses have shown. */
guint64
gst_tfrc_src_peer_get_test_ns (const GstTfrcSrcPeer *peer, gboolean same_stream, guint64 rtt_ns)
{
  guint64 measured_ns = tfrc_path_get_measured_rtt_ns (peer->path);

  if (!same_stream || measured_ns == 0)
    return SILENCE_TIMEOUT_NS;
  rtt_ns = MIN (MAX (measured_ns, rtt_ns), MAX_RTT_NS);
  return CLAMP (MOVED_TIMEOUT_RTTS * rtt_ns, MIN_MOVED_TIMEOUT_NS, SILENCE_TIMEOUT_NS);
}

void
gst_tfrc_src_peer_set_silent (GstTfrcSrcPeer *peer, guint64 timeout_ns, guint64 now_ns)
{
  const GstTfrcSrcLiveness *liveness = &peer->liveness;

  if (liveness->reason == GST_TFRC_SRC_LIVENESS_NONE
      || (liveness->reason == GST_TFRC_SRC_LIVENESS_SILENCE
          && liveness->end_ns - liveness->started_ns < timeout_ns))
    gst_tfrc_src_liveness_start (
        &peer->liveness, GST_TFRC_SRC_LIVENESS_SILENCE, SILENCE_CHALLENGES, timeout_ns, now_ns);
}

void
gst_tfrc_src_peer_unset_silent (GstTfrcSrcPeer *peer)
{
  if (peer->liveness.reason == GST_TFRC_SRC_LIVENESS_SILENCE)
    gst_tfrc_src_liveness_stop (&peer->liveness);
}

gboolean
gst_tfrc_src_peer_is_dead (const GstTfrcSrcPeer *peer, guint64 now_ns)
{
  return peer->liveness.reason == GST_TFRC_SRC_LIVENESS_SILENCE
      && gst_tfrc_src_liveness_has_failed (&peer->liveness, now_ns);
}

gboolean
gst_tfrc_src_peer_has_ended (const GstTfrcSrcPeer *peer, guint64 now_ns)
{
  return peer->liveness.reason == GST_TFRC_SRC_LIVENESS_BYE
      && gst_tfrc_src_liveness_has_failed (&peer->liveness, now_ns);
}

/* ---- challenges -------------------------------------------------------- */

static gboolean
is_to_be_validated (const GstTfrcSrcPeer *peer)
{
  return peer->sender.exists && !peer->validated && peer->tfrc
      && has_credit (peer, TFRC_WIRE_MIN_PATH_BYTES);
}

guint64
gst_tfrc_src_peer_next_ns (const GstTfrcSrcPeer *peer)
{
  guint64 next_ns = gst_tfrc_src_liveness_next_ns (&peer->liveness);

  return is_to_be_validated (peer) ? MIN (next_ns, tfrc_path_next_ns (peer->path)) : next_ns;
}

gboolean
gst_tfrc_src_peer_take_challenge (
    GstTfrcSrcPeer *peer, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (is_to_be_validated (peer) && tfrc_path_take_challenge (peer->path, now_ns, data) > 0)
    return take_credit (peer, TFRC_WIRE_MIN_PATH_BYTES);
  return gst_tfrc_src_liveness_take_challenge (&peer->liveness, now_ns, data);
}
