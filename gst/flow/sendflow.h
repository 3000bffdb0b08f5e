/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow to one receiver (flow.h): the outbox of packets that wait (outbox.h), the session with the
 * receiver (sendsession.h), the keys (sinkkeys.h), and the events for the application
 * (events.h, sendnews.h).
 *
 * What a poll hands out, in this order: responses to challenges, key packets, packets of data; and when
 * no more data may leave now, the sender report and the challenges that are due, and a BYE. */
#ifndef GST_TFRC_SENDFLOW_H
#define GST_TFRC_SENDFLOW_H

#include "../common/trace.h"
#include "../keys/sinkkeys.h"
#include "../queue/outbox.h"
#include "flow.h"
#include "sendlimits.h"
#include "sendnews.h"
#include "sendstats.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSendFlow GstTfrcSendFlow;

typedef struct
{
  /** The protector only without credentials in security. The events are the flow's own. */
  GstTfrcSendSessionConfig session;
  GstTfrcTrace *trace; /**< gets samples of the queue; lives longer than the flow; NULL: none */
  GstTfrcSinkLimits limits;
  guint64 smoothing_ns; /**< packets are spread over this window; 0: not spread */
  GstTfrcSecurityConfig security;
  guint16 rtcp_port; /**< of the receiver, if its RTCP has a port of its own; 0: that of the data */
  gboolean system_has_ecn; /**< packets with ECT can leave the own system */
} GstTfrcSendFlowConfig;

/** @return NULL if TFRC refuses the configuration, or the system has no random numbers or no memory */
GstTfrcSendFlow *gst_tfrc_send_flow_new (const GstTfrcSendFlowConfig *config, guint64 now_ns);

/** Frees a flow that no port has any more. NULL is allowed. */
void gst_tfrc_send_flow_free (GstTfrcSendFlow *self);

/** Return the base that a port uses, and the parts. */
GstTfrcFlow *gst_tfrc_send_flow_get_base (GstTfrcSendFlow *self);
GstTfrcEvents *gst_tfrc_send_flow_get_events (GstTfrcSendFlow *self);
GstTfrcSendNews *gst_tfrc_send_flow_get_news (GstTfrcSendFlow *self);
GstTfrcOutbox *gst_tfrc_send_flow_get_outbox (GstTfrcSendFlow *self);
GstTfrcSendSession *gst_tfrc_send_flow_get_session (GstTfrcSendFlow *self);

/* ---- settings -------------------------------------------------------------- */

void gst_tfrc_send_flow_set_limits (
    GstTfrcSendFlow *self, const GstTfrcSinkLimits *limits, guint64 now_ns);

/** The application has given the socket this TTL. An adaptive TTL begins afresh. */
void gst_tfrc_send_flow_set_ttl (GstTfrcSendFlow *self, guint ttl);

/** Has the keys replaced, if the stream is protected and the receiver has keys. */
void gst_tfrc_send_flow_rekey (GstTfrcSendFlow *self, guint64 now_ns);

/** The next poll hands out a BYE, unless the receiver knows that the stream has ended. */
void gst_tfrc_send_flow_say_bye (GstTfrcSendFlow *self);

/** Is a BYE still to be handed out? */
gboolean gst_tfrc_send_flow_wants_bye (const GstTfrcSendFlow *self);

/* ---- news ------------------------------------------------------------------- */

/** Finds out what there is to tell the application. Call it after each time that the flow was served.
 * @return TRUE if events wait to be taken */
gboolean gst_tfrc_send_flow_find_news (GstTfrcSendFlow *self, guint64 now_ns);

/** Returns when gst_tfrc_send_flow_find_news() has something to find that only the time brings: the
 * rate for an encoder, that nobody answers, statistics; G_MAXUINT64: never. No deadline of the flow,
 * because a port reads those before the news is found. */
guint64 gst_tfrc_send_flow_news_ns (const GstTfrcSendFlow *self);

/* ---- queries ---------------------------------------------------------------- */

/** Has the circuit breaker ended the stream? */
gboolean gst_tfrc_send_flow_is_broken (GstTfrcSendFlow *self);

/** Returns until when the end of the stream is to wait: packets have to leave (G_MAXUINT64), or what has left
 * last may have to be repaired; 0: all is done. */
guint64 gst_tfrc_send_flow_drains_until_ns (const GstTfrcSendFlow *self);

/** Returns R, the round-trip time; 0: unknown. */
guint64 gst_tfrc_send_flow_get_rtt_ns (GstTfrcSendFlow *self);

/** Does the receiver know that the stream has ended? */
gboolean gst_tfrc_send_flow_is_bye_answered (GstTfrcSendFlow *self);

/** Is another BYE of no use, as the receiver is not there, or has left? */
gboolean gst_tfrc_send_flow_is_goodbye_over (GstTfrcSendFlow *self);

/** Returns the name of the timer that is due next, of the flow, its session or its news; NULL: none is
 * running. For a debugger. */
const gchar *gst_tfrc_send_flow_next_timer (const GstTfrcSendFlow *self);

typedef struct
{
  GstTfrcSendSessionStats session;
  GstTfrcSecurityStats security;
  GstTfrcOutboxStats outbox;
  guint64 send_errors;
  guint64 icmp_errors;
  guint64 foreign_packets; /**< from other hosts than the receiver */
  guint64 malformed_packets;
  guint16 local_port;       /**< that packets are sent from; the owner's to fill in */
  guint64 messages_dropped; /**< events that nobody got */
} GstTfrcSinkStreamStats;

void gst_tfrc_send_flow_get_stats (
    GstTfrcSendFlow *self, guint64 now_ns, GstTfrcSinkStreamStats *stats);

G_END_DECLS
#endif
