/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of a sender's session, put together from its parts. */
#ifndef GST_TFRC_SENDSTATS_H
#define GST_TFRC_SENDSTATS_H

#include "sendsession.h"

G_BEGIN_DECLS

/** A snapshot */
typedef struct
{
  TfrcSenderStats sender;
  GstTfrcSinkRateConfig rate; /**< as the session was started with */
  GstTfrcControl control;     /**< what the rate follows */
  GstTfrcPeerState peer_state;
  guint32 ssrc;
  GstTfrcAddress peer; /**< where data goes */
  guint64 migrations;  /**< of the receiver, to another address */
  guint64 path_validation_failures;
  TfrcHandoverPhase handover_phase; /**< as the receiver says */
  guint64 packets_lost;             /**< as the receiver says, like the next four */
  guint64 loss_events;
  guint64 ce_marks;
  guint64 link_errors;      /**< of packets_lost; 0 if the receiver does not tell losses apart */
  gdouble loss_ratio;       /**< IPLR: packets lost of packets sent, 0..1 */
  guint64 counters_refused; /**< how often the last five could not be true */
  guint ttl;                /**< of packets that leave now; 0: unknown */
  guint hops;               /**< to the receiver, as traceroute counts; 0: unknown */
  TfrcEcnStats ecn;
  GstTfrcPlayout playout; /**< as the receiver says */
} GstTfrcSendSessionStats;

void gst_tfrc_send_session_get_stats (GstTfrcSendSession *session, GstTfrcSendSessionStats *stats);

G_END_DECLS
#endif
