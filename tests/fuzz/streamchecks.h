/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of the target srcstream: every packet that leaves a source's stream, and the choice of
 * the peer.  This program replaces the system's call that sends packets.
 *
 * The session is always the peer's.  Only an address that has answered is validated and gets
 * more bytes than came from it.  No sender displaces a validated peer that answers. */
#ifndef STREAMCHECKS_H
#define STREAMCHECKS_H

#include "gst/common/random.h"
#include "sessionevents.h"
#include "gst/session/srcstream-private.h"

#define N_SENDERS 6 /* addresses; no sender has the multicast address */
#define N_SSRCS 4   /* SSRCs of each sender */
#define FIRST_SSRC 100
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
  GstTfrcSrcStream stream;
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
find_sender (const struct msghdr *message)
{
  GstTfrcAddress address;

  gst_tfrc_address_from_sockaddr (&address, message->msg_name, message->msg_namelen);
  for (unsigned i = 0; i < N_SENDERS; i++)
    if (gst_tfrc_address_equal (&fuzz.senders[i].address, &address))
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
most_probes (const Sender *to) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  const GstTfrcAddressFilter *filter = &fuzz.stream.senders;

  if (!gst_tfrc_address_filter_is_one_address (filter)
      || !gst_tfrc_address_equal (&filter->address, &to->address))
    return 0;
  return fuzz.probe_reasons + (fuzz.now - fuzz.began) / PROBE_INTERVAL;
}

static void
leave (const struct msghdr *message)
{
  Sender *to = find_sender (message);
  gsize size = message->msg_iov[0].iov_len;
  TfrcWireRtcp rtcp;

  /* The stream has released the lock, but there is no other thread. */
  gst_tfrc_src_stream_mutex_assume (&fuzz.stream.lock);
  CHECK (gst_tfrc_address_filter_allows (&fuzz.stream.senders, &to->address));
  CHECK (size <= TFRC_WIRE_MAX_RTCP_BYTES);
  CHECK (tfrc_wire_parse_rtcp (message->msg_iov[0].iov_base, size, 0, &rtcp) == TFRC_WIRE_OK);
  CHECK (rtcp.sender_ssrc == fuzz.stream.ssrc);
  if (rtcp.has_challenge) {
    count_challenge (to, &rtcp, size);
  } else {
    to->answers++;
    to->answer_bytes += size;
  }
  CHECK (to->answered
      || (to->challenges + to->answers <= to->packets + most_probes (to)
          && to->challenge_bytes + to->answer_bytes
              <= to->bytes + most_probes (to) * TFRC_WIRE_MIN_PATH_BYTES));
}

/* This function replaces the system's. */
__attribute__ ((visibility ("default"))) int
sendmmsg (int fd, struct mmsghdr *messages, unsigned n, int flags)
{
  for (unsigned i = 0; i < n; i++)
    leave (&messages[i].msg_hdr);
  return (int) n;
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

static void
check_pending (const GstTfrcSelection *selection)
{
  CHECK (gst_tfrc_selection_check (selection) == NULL);
  for (unsigned i = 0; i < GST_TFRC_MAX_PENDING; i++) {
    const GstTfrcPendingPeer *pending = gst_tfrc_selection_get_pending (selection, i);

    CHECK (pending == NULL || !pending->validated || has_answered (&pending->id.address));
  }
}

static void
check (void) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  const GstTfrcSelection *selection = fuzz.stream.selection;
  const GstTfrcPeerId *peer = gst_tfrc_selection_get_peer (selection);
  const GstTfrcReception *session = fuzz.stream.session;

  check_pending (selection);
  CHECK (peer->exists == (session != NULL && !gst_tfrc_reception_has_ended (session)));
  if (peer->exists) {
    CHECK (gst_tfrc_peer_id_is (
        peer, gst_tfrc_reception_get_address (session), gst_tfrc_reception_get_ssrc (session)));
    CHECK (!gst_tfrc_selection_is_validated (selection) || has_answered (&peer->address));
  }
  CHECK (gst_tfrc_reorder_length (fuzz.stream.queue) <= GST_TFRC_REORDER_MAX_PACKETS);
}

static gboolean
is_honest_peer (void) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  return gst_tfrc_peer_id_is (
      gst_tfrc_selection_get_peer (fuzz.stream.selection), &fuzz.senders[0].address, FIRST_SSRC);
}

/* The honest sender is the peer and answers, so it has to stay the peer.  But a validated peer
 * that it has displaced may come back. */
static gboolean
is_to_stay (void) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  const GstTfrcSelection *selection = fuzz.stream.selection;

  return fuzz.honest && gst_tfrc_selection_is_validated (selection)
      && !gst_tfrc_selection_get_displaced (selection)->exists && is_honest_peer ();
}

static void
check_still_there (gboolean is_to_stay) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  CHECK (!is_to_stay || is_honest_peer ());
  check ();
}

#endif
