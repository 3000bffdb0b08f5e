/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peer, see peer.h. */
#include "peer.h"

#include "../common/log.h"
#include "credit.h"
#include "validation.h"

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

/* All zero but the paths: there is no peer. */
struct _GstTfrcPeer
{
  GstTfrcPeerId id;
  gboolean validated;
  gboolean provisional;
  guint64 challenged_ns; /* when the first challenge left since they began; G_MAXUINT64: none yet */
  gboolean in_sequence;  /* two packets of the movie in sequence have come since the start */
  guint16 seq;           /* of the last one */
  gboolean tfrc;         /* its data carries what TFRC needs */
  guint64 heard_ns;      /* when the last packet of any kind came */
  TfrcPath *path;        /* challenges until the peer is validated */
  GstTfrcCredit credit;  /* of a peer that is not validated */
  GstTfrcLiveness liveness;
  guint64 byes_refused; /* forged BYEs, of this peer and those before */
};

/* ---- life ---------------------------------------------------------------- */

GstTfrcPeer *
gst_tfrc_peer_new (void)
{
  GstTfrcPeer *peer = g_new0 (GstTfrcPeer, 1);

  tfrc_path_new (&peer->path);
  gst_tfrc_liveness_init (&peer->liveness);
  return peer;
}

void
gst_tfrc_peer_free (GstTfrcPeer *peer)
{
  if (peer == NULL)
    return;
  tfrc_path_free (peer->path);
  gst_tfrc_liveness_clear (&peer->liveness);
  g_free (peer);
}

void
gst_tfrc_peer_start (
    GstTfrcPeer *peer, const GstTfrcPendingPeer *pending, gboolean provisional, guint64 now_ns)
{
  const GstTfrcHeldPacket *last = gst_tfrc_pending_get_held (pending, pending->n_held - 1);
  const TfrcPath *path = pending->base.path;

  if (peer->id.exists)
    gst_tfrc_log (peer, INFO, "peer %s %08x gives way after %" G_GUINT64_FORMAT " ns of silence",
        GST_TFRC_ADDRESS_TEXT (&peer->id.address), peer->id.ssrc,
        now_ns - MIN (now_ns, peer->heard_ns));
  gst_tfrc_log (peer, INFO, "%s %08x is the peer, %s, with %u packets that waited",
      GST_TFRC_ADDRESS_TEXT (&pending->base.id.address), pending->base.id.ssrc,
      pending->base.validated ? "validated"
          : provisional       ? "provisional"
                              : "plausible",
      pending->n_held);
  peer->id = pending->base.id;
  peer->validated = pending->base.validated;
  peer->provisional = provisional;
  peer->challenged_ns = G_MAXUINT64;
  peer->in_sequence = FALSE;
  peer->seq = last->header.seq;
  peer->tfrc = pending->tfrc;
  peer->heard_ns = pending->base.heard_ns;
  tfrc_path_copy (peer->path, path);
  /* Challenges because of a report may have been lost long ago. */
  if (provisional)
    tfrc_path_restart (
        peer->path, MAX (now_ns, gst_tfrc_received_packet_answer_ns (&last->packet)));
  gst_tfrc_credit_init (&peer->credit, path);
  gst_tfrc_liveness_stop (&peer->liveness);
}

void
gst_tfrc_peer_end (GstTfrcPeer *peer)
{
  peer->id.exists = FALSE;
  peer->provisional = FALSE;
  gst_tfrc_liveness_stop (&peer->liveness);
}

/* ---- queries ------------------------------------------------------------- */

const GstTfrcPeerId *
gst_tfrc_peer_get_id (const GstTfrcPeer *peer)
{
  return &peer->id;
}

gboolean
gst_tfrc_peer_is_validated (const GstTfrcPeer *peer)
{
  return peer->validated;
}

gboolean
gst_tfrc_peer_is_provisional (const GstTfrcPeer *peer)
{
  return peer->provisional;
}

/* A peer whose keys have proved its address is challenged as well: its response measures R. */
static gboolean
is_to_be_challenged (const GstTfrcPeer *peer)
{
  return peer->id.exists && peer->tfrc
      && (peer->validated || gst_tfrc_credit_allows (&peer->credit, 1, TFRC_WIRE_MIN_PATH_BYTES));
}

/* As pending peers are, see pending.h */
guint64
gst_tfrc_peer_get_unresponsive_ns (const GstTfrcPeer *peer)
{
  if (peer->tfrc && peer->challenged_ns != G_MAXUINT64)
    return peer->challenged_ns + GST_TFRC_UNRESPONSIVE_NS;
  return is_to_be_challenged (peer) && tfrc_path_get_state (peer->path) == TFRC_PATH_PROBING
      ? G_MAXUINT64
      : 0;
}

guint64
gst_tfrc_peer_get_heard_ns (const GstTfrcPeer *peer)
{
  return peer->heard_ns;
}

GstTfrcTest
gst_tfrc_peer_get_test (const GstTfrcPeer *peer)
{
  return peer->liveness.reason;
}

guint64
gst_tfrc_peer_get_byes_refused (const GstTfrcPeer *peer)
{
  return peer->byes_refused;
}

/* ---- credit ------------------------------------------------------------ */

void
gst_tfrc_peer_add_credit (GstTfrcPeer *peer, gsize bytes)
{
  gst_tfrc_credit_add (&peer->credit, bytes);
}

static gboolean
needs_no_credit (const GstTfrcPeer *peer)
{
  return peer->id.exists && peer->validated;
}

/* Until a provisional peer responds, credit for one more challenge stays: the response ends all limits. */
static gboolean
has_credit_beside_challenge (const GstTfrcPeer *peer, gsize bytes)
{
  if (!peer->provisional || !peer->tfrc || tfrc_path_get_state (peer->path) != TFRC_PATH_PROBING)
    return gst_tfrc_credit_allows (&peer->credit, 1, bytes);
  return gst_tfrc_credit_allows (&peer->credit, 2, bytes + TFRC_WIRE_MIN_PATH_BYTES);
}

gboolean
gst_tfrc_peer_has_credit (const GstTfrcPeer *peer)
{
  return needs_no_credit (peer) || has_credit_beside_challenge (peer, TFRC_WIRE_MAX_RTCP_BYTES);
}

gboolean
gst_tfrc_peer_may_send (GstTfrcPeer *peer, gsize bytes)
{
  return needs_no_credit (peer)
      || (has_credit_beside_challenge (peer, bytes) && gst_tfrc_credit_take (&peer->credit, bytes));
}

/* ---- packets ----------------------------------------------------------- */

void
gst_tfrc_peer_on_packet (GstTfrcPeer *peer, const GstTfrcReceivedPacket *packet)
{
  peer->heard_ns = packet->arrival_ns;
  gst_tfrc_peer_add_credit (peer, packet->size);
  tfrc_path_on_received (peer->path, packet->size);
  if (peer->liveness.reason == GST_TFRC_TEST_SILENCE)
    gst_tfrc_liveness_stop (&peer->liveness);
}

void
gst_tfrc_peer_challenge_anew (GstTfrcPeer *peer, const GstTfrcCookies *cookies, guint64 now_ns)
{
  tfrc_path_on_time (peer->path, now_ns);
  if (tfrc_path_get_state (peer->path) != TFRC_PATH_FAILED)
    return;
  gst_tfrc_validation_start_cookie (peer->path, cookies, &peer->id.address, now_ns);
  peer->challenged_ns = G_MAXUINT64;
}

void
gst_tfrc_peer_on_time (GstTfrcPeer *peer, guint64 now_ns)
{
  tfrc_path_on_time (peer->path, now_ns);
  gst_tfrc_liveness_on_time (&peer->liveness, now_ns);
}

void
gst_tfrc_peer_keep_place (GstTfrcPeer *peer, guint64 now_ns)
{
  if (!peer->provisional || !peer->in_sequence || now_ns < gst_tfrc_peer_get_unresponsive_ns (peer))
    return;
  gst_tfrc_log (peer, INFO, "provisional peer %s %08x does not respond, and is plausible",
      GST_TFRC_ADDRESS_TEXT (&peer->id.address), peer->id.ssrc);
  peer->provisional = FALSE;
}

static void
refuse_bye (GstTfrcPeer *peer)
{
  gst_tfrc_liveness_stop (&peer->liveness);
  peer->byes_refused++;
  gst_tfrc_log (peer, DEBUG, "the BYE was forged: the peer is there; %" G_GUINT64_FORMAT " so far",
      peer->byes_refused);
}

/* Error correction has numbers of its own, and can be forged without the SSRC. Repairs have old numbers. */
static void
on_movie (GstTfrcPeer *peer, const TfrcWireData *header)
{
  peer->tfrc = header->has_rtt_sendts;
  peer->in_sequence = peer->in_sequence || header->seq == (guint16) (peer->seq + 1);
  peer->seq = header->seq;
}

/* A peer that cannot respond shows by its data that a BYE was forged.  Data of the first half of
 * the test may be older than a true BYE, and does not count. */
void
gst_tfrc_peer_on_data (GstTfrcPeer *peer, const TfrcWireData *header, guint64 now_ns)
{
  const GstTfrcLiveness *liveness = &peer->liveness;

  if (header->payload_type == TFRC_WIRE_PAYLOAD_TYPE)
    on_movie (peer, header);
  if (liveness->reason == GST_TFRC_TEST_BYE && !peer->validated
      && now_ns > liveness->started_ns + liveness->timeout_ns / 2)
    refuse_bye (peer);
}

void
gst_tfrc_peer_on_bye (GstTfrcPeer *peer, guint64 rtt_ns, guint64 now_ns)
{
  guint64 least_ns = peer->validated ? MIN_BYE_TIMEOUT_NS : 2 * MIN_BYE_TIMEOUT_NS;
  guint challenges = peer->validated ? BYE_CHALLENGES : peer->tfrc ? 1 : 0;

  if (peer->provisional) {
    gst_tfrc_log (peer, DEBUG, "the BYE of provisional peer %s %08x has no effect",
        GST_TFRC_ADDRESS_TEXT (&peer->id.address), peer->id.ssrc);
    return;
  }
  if (peer->liveness.reason == GST_TFRC_TEST_BYE)
    return;
  if (!peer->validated && challenges > 0
      && !gst_tfrc_credit_take (&peer->credit, TFRC_WIRE_MIN_PATH_BYTES))
    challenges = 0;
  gst_tfrc_liveness_start (&peer->liveness, GST_TFRC_TEST_BYE, challenges,
      MAX (2 * MIN (rtt_ns, MAX_RTT_NS), least_ns), now_ns);
}

static void
set_validated (GstTfrcPeer *peer)
{
  peer->validated = TRUE;
  peer->provisional = FALSE;
}

/* The response may be older than a BYE, and so does not refute the BYE.  But the test begins anew,
 * with challenges, as the peer is now known to respond. */
void
gst_tfrc_peer_on_validated (GstTfrcPeer *peer, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES],
    guint64 arrival_ns, guint64 now_ns)
{
  GstTfrcLiveness *liveness = &peer->liveness;

  tfrc_path_on_response (peer->path, data, arrival_ns);
  if (!peer->validated && liveness->reason == GST_TFRC_TEST_BYE)
    gst_tfrc_liveness_start (
        liveness, GST_TFRC_TEST_BYE, BYE_CHALLENGES, liveness->timeout_ns, now_ns);
  if (!peer->validated)
    gst_tfrc_log (peer, INFO, "peer %s %08x is validated",
        GST_TFRC_ADDRESS_TEXT (&peer->id.address), peer->id.ssrc);
  set_validated (peer);
}

gboolean
gst_tfrc_peer_on_response (GstTfrcPeer *peer, const GstTfrcReceivedPacket *packet, guint32 ssrc,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (!gst_tfrc_liveness_on_response (&peer->liveness, data, packet->arrival_ns))
    return FALSE;
  if (ssrc != peer->id.ssrc) {
    gst_tfrc_peer_is_replaced (peer, packet->arrival_ns);
    return TRUE;
  }
  if (peer->liveness.reason == GST_TFRC_TEST_BYE)
    refuse_bye (peer);
  gst_tfrc_peer_on_packet (peer, packet);
  set_validated (peer);
  return TRUE;
}

void
gst_tfrc_peer_is_replaced (GstTfrcPeer *peer, guint64 now_ns)
{
  gst_tfrc_log (
      peer, DEBUG, "another stream responds from the address of peer %08x", peer->id.ssrc);
  gst_tfrc_liveness_fail (&peer->liveness, now_ns);
}

/* ---- liveness ---------------------------------------------------------- */

/* R that the peer reports can prolong the test, but it cannot shorten the test below the round-trip
 * time that the peer's own responses have shown. */
guint64
gst_tfrc_peer_get_test_ns (const GstTfrcPeer *peer, gboolean same_stream, guint64 rtt_ns)
{
  guint64 measured_ns = tfrc_path_get_measured_rtt_ns (peer->path);

  if (!same_stream || measured_ns == 0)
    return SILENCE_TIMEOUT_NS;
  rtt_ns = MIN (MAX (measured_ns, rtt_ns), MAX_RTT_NS);
  return CLAMP (MOVED_TIMEOUT_RTTS * rtt_ns, MIN_MOVED_TIMEOUT_NS, SILENCE_TIMEOUT_NS);
}

void
gst_tfrc_peer_set_silent (GstTfrcPeer *peer, guint64 timeout_ns, guint64 now_ns)
{
  const GstTfrcLiveness *liveness = &peer->liveness;

  if (liveness->reason == GST_TFRC_TEST_NONE
      || (liveness->reason == GST_TFRC_TEST_SILENCE && liveness->timeout_ns < timeout_ns))
    gst_tfrc_liveness_start (
        &peer->liveness, GST_TFRC_TEST_SILENCE, SILENCE_CHALLENGES, timeout_ns, now_ns);
}

void
gst_tfrc_peer_unset_silent (GstTfrcPeer *peer)
{
  if (peer->liveness.reason == GST_TFRC_TEST_SILENCE)
    gst_tfrc_liveness_stop (&peer->liveness);
}

gboolean
gst_tfrc_peer_is_dead (const GstTfrcPeer *peer, guint64 now_ns)
{
  return gst_tfrc_liveness_has_failed (&peer->liveness, GST_TFRC_TEST_SILENCE, now_ns);
}

gboolean
gst_tfrc_peer_has_ended (const GstTfrcPeer *peer, guint64 now_ns)
{
  return gst_tfrc_liveness_has_failed (&peer->liveness, GST_TFRC_TEST_BYE, now_ns);
}

/* ---- challenges -------------------------------------------------------- */

guint64
gst_tfrc_peer_next_ns (const GstTfrcPeer *peer)
{
  guint64 next_ns = gst_tfrc_liveness_next_ns (&peer->liveness);

  if (peer->provisional && peer->in_sequence)
    next_ns = MIN (next_ns, gst_tfrc_peer_get_unresponsive_ns (peer));
  return is_to_be_challenged (peer) ? MIN (next_ns, tfrc_path_next_ns (peer->path)) : next_ns;
}

gboolean
gst_tfrc_peer_take_challenge (
    GstTfrcPeer *peer, guint64 now_ns, guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  if (is_to_be_challenged (peer) && tfrc_path_take_challenge (peer->path, now_ns, data) > 0) {
    peer->challenged_ns = MIN (peer->challenged_ns, now_ns);
    return peer->validated || gst_tfrc_credit_take (&peer->credit, TFRC_WIRE_MIN_PATH_BYTES);
  }
  return gst_tfrc_liveness_take_challenge (&peer->liveness, now_ns, data);
}

/* ---- invariants ---------------------------------------------------------- */

const gchar *
gst_tfrc_peer_check (const GstTfrcPeer *peer)
{
  const GstTfrcLiveness *liveness = &peer->liveness;

  if (gst_tfrc_credit_check (&peer->credit))
    return gst_tfrc_credit_check (&peer->credit);
  if (!peer->id.exists && liveness->reason != GST_TFRC_TEST_NONE)
    return "a liveness test runs without a peer";
  if (peer->provisional && (!peer->id.exists || peer->validated))
    return "a provisional peer that is validated, or none";
  if (peer->provisional && gst_tfrc_peer_get_unresponsive_ns (peer) == G_MAXUINT64
      && gst_tfrc_peer_next_ns (peer) == G_MAXUINT64)
    return "a provisional peer that is never unresponsive, as no challenge leaves";
  if (gst_tfrc_liveness_check (liveness))
    return gst_tfrc_liveness_check (liveness);
  if (liveness->reason == GST_TFRC_TEST_SILENCE && !peer->validated)
    return "the liveness test of a silent peer that cannot respond";
  return NULL;
}

void
gst_tfrc_peer_print (const GstTfrcPeer *peer)
{
  static const gchar *const tests[] = { "none", "silence", "BYE" };
  g_printerr ("  peer %s %08x:%s%s%s%s heard %" G_GUINT64_FORMAT " ns, credit %" G_GUINT64_FORMAT
              " bytes in %u packets, test %s until %" G_GUINT64_FORMAT " ns\n",
      GST_TFRC_ADDRESS_TEXT (&peer->id.address), peer->id.ssrc, peer->id.exists ? "" : " ended",
      peer->validated ? " validated" : "", peer->provisional ? " provisional" : "",
      peer->tfrc ? " tfrc" : "", peer->heard_ns, peer->credit.bytes, peer->credit.packets,
      tests[peer->liveness.reason], peer->liveness.end_ns);
}
