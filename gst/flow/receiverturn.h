/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver sends in one turn of its port: the packets that leave between two calls of the
 * flow's on_time().
 *
 *     key messages -> challenges -> feedback and reports -> requests for repairs -> responses to challenges -> calls
 *     a BYE -> nothing
 *
 * Challenges come first, so that feedback takes no credit that the challenge of a peer without validation needs
 * (peer.h). Responses come after feedback, so that the sender hears first which path is active. Each kind of
 * RTCP packets has 8 places in a turn, so that other flows have their turn.
 *
 * No socket, no clock, no locks. */
#ifndef GST_TFRC_RECEIVERTURN_H
#define GST_TFRC_RECEIVERTURN_H

#include "../keys/srckeys.h"
#include "../strangers/selection.h"
#include "../queue/repairrequests.h"
#include "flow.h"
#include "pictureloss.h"
#include "receivepaths.h"
#include "reception.h"

G_BEGIN_DECLS

/** What leaves now */
typedef enum
{
  GST_TFRC_STAGE_NONE, /**< nothing until the next turn */
  GST_TFRC_STAGE_KEY_PACKETS,
  GST_TFRC_STAGE_CHALLENGES,
  GST_TFRC_STAGE_REPORTS,
  GST_TFRC_STAGE_REQUESTS,
  GST_TFRC_STAGE_RESPONSES,
  GST_TFRC_STAGE_CALLS,
  GST_TFRC_STAGE_BYE
} GstTfrcStage;

/** With whose keys a datagram is protected: those of its destination */
typedef struct
{
  GstTfrcSrcKeys *keys;
  GstTfrcAddress to;
} GstTfrcSealing;

/** All zero: nothing leaves. Only receiverturn.c uses the fields. */
typedef struct
{
  GstTfrcStage stage;
  guint reports_left, requests_left, responses_left, challenges_left; /* that this turn may send */
  GstTfrcSealing sealings[GST_TFRC_POLL_CONTROL]; /* of the datagrams of the last poll */
} GstTfrcReceiverTurn;

/** What the packets are made from; stays the caller's */
typedef struct
{
  guint32 ssrc; /**< our own */
  const gchar *cname;
  GstTfrcSrcKeys *keys;
  GstTfrcSelection *selection;
  GstTfrcReception *reception; /**< NULL: there was no sender */
  const GstTfrcReceivePaths *paths;
  GstTfrcRepairRequests *requests;
  GstTfrcPictureLoss *picture_loss;
  const GstTfrcAddress
      *rtcp; /**< where RTCP to the sender goes; NULL: to where its data comes from */
} GstTfrcReceiverParts;

/** The next turn begins. */
void gst_tfrc_receiver_turn_begin (GstTfrcReceiverTurn *self);

/** The last turn begins: a BYE leaves, if there is a sender that hears RTCP, and nothing else. */
void gst_tfrc_receiver_turn_say_bye (GstTfrcReceiverTurn *self);

/** Adds what may leave now, as GstTfrcFlowClass says. The keys and this struct stay in their places
 * until the datagrams have been sealed. */
void gst_tfrc_receiver_turn_poll (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts,
    guint64 now_ns, GstTfrcPolled *polled);

G_END_DECLS
#endif
