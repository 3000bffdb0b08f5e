/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the peer gives way, see succession.h. */
#include "succession.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* A validated peer that has been silent for this time is tested for liveness, if a validated pending
 * peer waits. */
#define SILENCE_NS S_NS

/* The same, if the peer's stream comes from another address */
#define MOVED_SILENCE_NS (S_NS / 4)

gboolean
gst_tfrc_succession_is_same_stream (const GstTfrcPeer *peer, const GstTfrcPendingPeer *next)
{
  return gst_tfrc_peer_is_validated (peer) && next->base.validated
      && next->base.id.ssrc == gst_tfrc_peer_get_id (peer)->ssrc;
}

guint64
gst_tfrc_succession_get_ns (const GstTfrcPeer *peer, const GstTfrcPendingPeer *next)
{
  guint64 heard_ns = gst_tfrc_peer_get_heard_ns (peer);

  if (gst_tfrc_peer_is_provisional (peer))
    return gst_tfrc_peer_get_unresponsive_ns (peer);
  if (gst_tfrc_succession_is_same_stream (peer, next))
    return heard_ns + MOVED_SILENCE_NS;
  return heard_ns
      + (gst_tfrc_peer_is_validated (peer) && next->base.validated ? SILENCE_NS
                                                                   : GST_TFRC_PEER_SILENCE_NS);
}

gboolean
gst_tfrc_succession_is_due (
    const GstTfrcPeer *peer, const GstTfrcPendingPeer *next, gboolean is_displaced, guint64 now_ns)
{
  if (gst_tfrc_peer_get_test (peer) == GST_TFRC_TEST_BYE)
    return FALSE; /* the test comes first */
  if (is_displaced)
    return TRUE;
  /* Of two streams at one address, only one responds. */
  if (next->base.validated
      && gst_tfrc_peer_id_is_at (gst_tfrc_peer_get_id (peer), &next->base.id.address))
    return TRUE;
  if (!gst_tfrc_peer_is_validated (peer) && next->base.validated)
    return TRUE;
  return now_ns >= gst_tfrc_succession_get_ns (peer, next)
      && (!gst_tfrc_peer_is_validated (peer) || gst_tfrc_peer_is_dead (peer, now_ns));
}
