/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of the target srcstream: every packet that leaves a receiver's flow, and the choice of
 * the peer.
 *
 * The reception is always the peer's.  Only an address that has answered is validated and gets
 * more bytes than came from its host.  No sender displaces a validated peer that answers. */
#ifndef STREAMCHECKS_H
#define STREAMCHECKS_H

#include "gst/common/random.h"
#include "gst/flow/receiveflow.h"
#include "sessionevents.h"

#define N_SENDERS 6 /* addresses; no sender has the multicast address */
#define N_SSRCS 4   /* SSRCs of each sender */
#define FIRST_SSRC 100
#define OWN_SSRC 7
#define PROBE_INTERVAL (SECOND / 4)
#define KNOWN_CHALLENGES 8

typedef struct
{
  GstTfrcAddress address;
  guint16 seqs[N_SSRCS];
  guint64 packets, bytes;                                     /* from this sender */
  guint64 challenges, challenge_bytes, answers, answer_bytes; /* to this sender */
  gboolean answered;                                          /* a challenge, with its bytes */
  guint8 known[KNOWN_CHALLENGES][TFRC_WIRE_PATH_DATA_BYTES];  /* the last challenges */
  guint n_known;                                              /* number of challenges in `known' */
} Sender;

typedef struct
{
  GstTfrcReceiveFlow *flow;
  GstTfrcFlow *base; /* of the flow, as its port sees it */
  GstTfrcAddressFilter filter;
  Sender senders[N_SENDERS];
  guint64 now, began, wall_offset;
  /* Sender 0 answers for the first SSRC at once, and no other sender answers from its address. */
  gboolean honest;
  gboolean challenged;     /* sender 0 has to answer a challenge */
  gboolean late;           /* packets are read together, after a stall */
  guint64 behind;          /* how long ago the packets to be read came */
  guint64 probe_reasons;   /* reasons to send a probe at once */
  TfrcWireData header;     /* of the next packet */
  guint16 rtp_ahead;       /* RTP number less transport number, in packets that have both */
  GstTfrcReorderItem last; /* the last item popped */
} Fuzz;

static Fuzz fuzz;

/* ---- outgoing packets -------------------------------------------------- */

static Sender *
find_sender (const GstTfrcAddress *address)
{
  for (unsigned i = 0; i < N_SENDERS; i++)
    if (gst_tfrc_address_equal (&fuzz.senders[i].address, address))
      return &fuzz.senders[i];
  abort ();
}

static void
count_challenge (Sender *to, const TfrcWireRtcp *rtcp, gsize size)
{
  guint8 *known = to->known[to->n_known++ % KNOWN_CHALLENGES];

  to->challenges++;
  to->challenge_bytes += size;
  memcpy (known, rtcp->challenge, TFRC_WIRE_PATH_DATA_BYTES);
  if (to == &fuzz.senders[0])
    fuzz.challenged = TRUE;
}

/* Returns the largest number of probes so far.  A probe looks like any other challenge. */
static guint64
most_probes (const Sender *to)
{
  const GstTfrcAddressFilter *filter = &fuzz.filter;

  if (!gst_tfrc_address_filter_is_one_address (filter)
      || !gst_tfrc_address_equal (&filter->address, &to->address))
    return 0;
  return fuzz.probe_reasons + (fuzz.now - fuzz.began) / PROBE_INTERVAL;
}

/* A host gets no more than has come from it, and an address no more challenges than packets. A sender without TFRC gets its
 * RTCP where its own comes from, which may be another port of its host (peerpackets.h). */
static void
check_credit (const Sender *to)
{
  guint64 packets = 0, bytes = 0, sent = 0, sent_bytes = 0, probes = 0;

  for (unsigned i = 0; i < N_SENDERS; i++) {
    const Sender *other = &fuzz.senders[i];

    if (!gst_tfrc_address_same_host (&other->address, &to->address))
      continue;
    if (other->answered)
      return;
    packets += other->packets;
    bytes += other->bytes;
    sent += other->challenges + other->answers;
    sent_bytes += other->challenge_bytes + other->answer_bytes;
    probes += most_probes (other);
  }
  CHECK (to->challenges <= to->packets + most_probes (to));
  CHECK (sent <= packets + probes);
  CHECK (sent_bytes <= bytes + probes * TFRC_WIRE_MIN_PATH_BYTES);
}

static void
leave (const GstTfrcDatagram *datagram)
{
  Sender *to = find_sender (&datagram->to);
  gsize size = datagram->size;
  TfrcWireRtcp rtcp;

  if (datagram->seal)
    size = datagram->seal (datagram->seal_user, datagram->data, size);
  CHECK (gst_tfrc_address_filter_allows (&fuzz.filter, &to->address));
  CHECK (size > 0 && size <= TFRC_WIRE_MAX_RTCP_BYTES);
  CHECK (tfrc_wire_parse_rtcp (datagram->data, size, 0, &rtcp) == TFRC_WIRE_OK);
  CHECK (rtcp.sender_ssrc == OWN_SSRC);
  if (rtcp.has_challenge) {
    count_challenge (to, &rtcp, size);
  } else {
    to->answers++;
    to->answer_bytes += size;
  }
  check_credit (to);
}

/* Does what a port does: sends until nothing more may leave now. */
static void
pump (void)
{
  GstTfrcPolled polled;

  for (unsigned polls = 0;; polls++) {
    CHECK (polls < MAX_ROUNDS);
    gst_tfrc_polled_init (&polled);
    fuzz.base->klass->poll (fuzz.base, fuzz.now, &polled);
    if (polled.n == 0)
      return;
    for (unsigned i = 0; i < polled.n; i++)
      leave (&polled.datagrams[i]);
    fuzz.base->klass->on_sent (fuzz.base, &polled, fuzz.now);
  }
}

/* ---- invariants --------------------------------------------------------- */

static gboolean
has_answered (const GstTfrcAddress *address)
{
  for (unsigned i = 0; i < N_SENDERS; i++)
    if (gst_tfrc_address_equal (&fuzz.senders[i].address, address))
      return fuzz.senders[i].answered;
  return FALSE;
}

static const GstTfrcSelection *
selection (void)
{
  return gst_tfrc_receive_flow_get_selection (fuzz.flow);
}

static void
check (void)
{
  const GstTfrcPeerId *peer = gst_tfrc_selection_get_peer (selection ());

  CHECK (gst_tfrc_receive_flow_check (fuzz.flow) == NULL);
  CHECK (!peer->exists || !gst_tfrc_selection_is_validated (selection ())
      || has_answered (&peer->address));
  for (unsigned i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    const GstTfrcPendingPeer *pending = gst_tfrc_selection_get_pending (selection (), i);

    CHECK (pending == NULL || !pending->base.validated || has_answered (&pending->base.id.address));
  }
}

static gboolean
is_honest_peer (void)
{
  return gst_tfrc_peer_id_is (
      gst_tfrc_selection_get_peer (selection ()), &fuzz.senders[0].address, FIRST_SSRC);
}

/* The honest sender is the peer and answers, so it has to stay the peer.  But a validated peer
 * that it has displaced may come back. */
static gboolean
is_to_stay (void)
{
  return fuzz.honest && gst_tfrc_selection_is_validated (selection ())
      && !gst_tfrc_selection_get_displaced (selection ())->exists && is_honest_peer ();
}

static void
check_still_there (gboolean is_to_stay)
{
  CHECK (!is_to_stay || is_honest_peer ());
  check ();
}

#endif
