/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The news of a send flow for the application: one ring of events. News is found out by a comparison
 * with what was told last, so that a state that comes and goes between two calls is not told.
 *
 * Here is also what is told by time: the rate for an encoder (rateestimate.h), that nobody answers
 * (silence.h), and when statistics are due.
 *
 * The ring is bounded; the oldest event is dropped and counted if nobody takes the events. No lock and
 * no clock. */
#ifndef GST_TFRC_SENDNEWS_H
#define GST_TFRC_SENDNEWS_H

#include <tfrc/ecn.h>

#include "../io/address.h"
#include "flow.h"
#include "rateestimate.h"
#include "receiverview.h"
#include "silence.h"

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_SEND_EVENT_PEER_STATE,
  GST_TFRC_SEND_EVENT_BITRATE,    /**< the rate for an encoder is another one */
  GST_TFRC_SEND_EVENT_SEND_ERROR, /**< the first of a run of failed sends */
  GST_TFRC_SEND_EVENT_HANDOVER,   /**< events wait in the log of handovers */
  GST_TFRC_SEND_EVENT_MIGRATED,   /**< data goes to another address */
  /** The adaptive TTL is not raised above the value, because the stream is not protected. Once. */
  GST_TFRC_SEND_EVENT_TTL_NOT_RAISED,
  GST_TFRC_SEND_EVENT_ECN,      /**< state or problem of ECN have changed */
  GST_TFRC_SEND_EVENT_SECURITY, /**< events wait in the log of the protection */
  GST_TFRC_SEND_EVENT_BROKEN,   /**< the circuit breaker has ended the stream. Once */
  /** Nobody has answered since the first packet (silence.h). Once. */
  GST_TFRC_SEND_EVENT_NO_ANSWER,
  GST_TFRC_SEND_EVENT_STATISTICS /**< the statistics are due */
} GstTfrcSendEventKind;

typedef struct
{
  GstTfrcSendEventKind kind;
  union
  {
    GstTfrcPeerState peer_state;
    guint64 bitrate; /**< bit/s */
    gint error; /**< errno, of SEND_ERROR, and of NO_ANSWER if an ICMP error has come (else 0) */
    guint ttl;
    struct
    {
      TfrcEcnState state;
      TfrcEcnProblem problem;
    } ecn;
  } of;
} GstTfrcSendEvent;

#define GST_TFRC_SEND_MAX_EVENTS 32

/** For sendnews.c alone */
typedef struct
{
  GstTfrcSendEvent events[GST_TFRC_SEND_MAX_EVENTS]; /* a ring */
  guint first, n;
  guint64 dropped;

  /* as told last */
  GstTfrcPeerState peer_state;
  GstTfrcAddress peer;
  TfrcEcnState ecn;
  TfrcEcnProblem ecn_problem;
  gboolean broken;

  GstTfrcRateEstimate estimate;
  GstTfrcSilence silence;
  guint64 stats_ns; /* when the next statistics are due */
  guint64 stats_interval_ns;
} GstTfrcSendNews;

/** @param peer where data goes at first */
void gst_tfrc_send_news_init (GstTfrcSendNews *self, const GstTfrcAddress *peer);

/** @param min_bitrate, max_bitrate limits of the rate in bit/s; 0: none
 * @param stats_interval_ns 0: statistics are never due */
void gst_tfrc_send_news_set_limits (GstTfrcSendNews *self, guint64 min_bitrate, guint64 max_bitrate,
    guint64 stats_interval_ns, guint64 now_ns);

/* ---- what happens ----------------------------------------------------------- */

/** Adds an event without a value, of which one waits at a time. */
void gst_tfrc_send_news_add (GstTfrcSendNews *self, GstTfrcSendEventKind kind);

/** The state of the receiver.
 * @param has_asked something has left that a receiver would answer */
void gst_tfrc_send_news_on_peer_state (
    GstTfrcSendNews *self, GstTfrcPeerState state, gboolean has_asked, guint64 now_ns);

/** Data goes to this address. */
void gst_tfrc_send_news_on_peer (GstTfrcSendNews *self, const GstTfrcAddress *peer);

/** Packets may leave at this rate.
 * @param bitrate in bit/s; 0: unknown
 * @param wait_ns for which live input has been waiting */
void gst_tfrc_send_news_on_rate (
    GstTfrcSendNews *self, guint64 bitrate, guint64 wait_ns, guint64 now_ns);

void gst_tfrc_send_news_on_ecn (GstTfrcSendNews *self, TfrcEcnState state, TfrcEcnProblem problem);
void gst_tfrc_send_news_on_ttl_not_raised (GstTfrcSendNews *self, guint ttl);
void gst_tfrc_send_news_on_broken (GstTfrcSendNews *self, gboolean is_broken);

/** The first of a run of sends has failed, with this errno. */
void gst_tfrc_send_news_on_error (GstTfrcSendNews *self, gint error);

/** An ICMP error has come for a packet to the receiver. */
void gst_tfrc_send_news_on_icmp_error (GstTfrcSendNews *self, gint error);

/* ---- time ------------------------------------------------------------------- */

/** Returns the timer that is due next: gst_tfrc_send_news_on_time() has something to do then. */
GstTfrcNextTimer gst_tfrc_send_news_next_timer (const GstTfrcSendNews *self);

void gst_tfrc_send_news_on_time (GstTfrcSendNews *self, guint64 now_ns);

/* ---- queries ---------------------------------------------------------------- */

/** Returns the rate for an encoder in bit/s; 0: unknown. */
guint64 gst_tfrc_send_news_get_bitrate (GstTfrcSendNews *self, guint64 now_ns);

/** Do events wait to be taken? */
gboolean gst_tfrc_send_news_has_event (const GstTfrcSendNews *self);

/** Takes the oldest event.
 * @return FALSE: none */
gboolean gst_tfrc_send_news_take (GstTfrcSendNews *self, GstTfrcSendEvent *event);

/** Returns how many events nobody has got. */
guint64 gst_tfrc_send_news_get_dropped (const GstTfrcSendNews *self);

G_END_DECLS
#endif
