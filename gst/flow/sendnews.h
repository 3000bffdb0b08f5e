/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The news of a send flow for the application: adds events (gst/common/events.h). News is found out by a
 * comparison with what was told last, so that a state that comes and goes between two calls is not told.
 *
 * Here is also what is told by time: the rate for an encoder (rateestimate.h), that nobody answers
 * (silence.h), and when statistics are due.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDNEWS_H
#define GST_TFRC_SENDNEWS_H

#include "../common/events.h"
#include "../io/address.h"
#include "flow.h"
#include "rateestimate.h"
#include "receiverview.h"
#include "silence.h"

G_BEGIN_DECLS

/** Drops for the deadline are told this often at most. A scene above the rate drops packets for seconds. */
#define GST_TFRC_SEND_NEWS_PAST_DEADLINE_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

/** For sendnews.c alone */
typedef struct
{
  GstTfrcEvents *events;

  /* as told last */
  GstTfrcPeerState peer_state;
  GstTfrcAddress peer;
  TfrcEcnState ecn;
  TfrcEcnProblem ecn_problem;
  gboolean broken;
  guint64 told_past_deadline;

  guint64 past_deadline;    /* packets so far */
  guint64 past_deadline_ns; /* from when on they may be told again */
  GstTfrcRateEstimate estimate;
  GstTfrcSilence silence;
  guint64 stats_ns; /* when the next statistics are due */
  guint64 stats_interval_ns;
} GstTfrcSendNews;

/** @param peer where data goes at first
 * @param events gets the events, and lives longer than @a self */
void gst_tfrc_send_news_init (
    GstTfrcSendNews *self, const GstTfrcAddress *peer, GstTfrcEvents *events);

/** @param min_bitrate, max_bitrate limits of the rate in bit/s; 0: none
 * @param stats_interval_ns 0: statistics are never due */
void gst_tfrc_send_news_set_limits (GstTfrcSendNews *self, guint64 min_bitrate, guint64 max_bitrate,
    guint64 stats_interval_ns, guint64 now_ns);

/* ---- what happens ----------------------------------------------------------- */

/** The state of the receiver.
 * @param has_asked something has left that a receiver would answer */
void gst_tfrc_send_news_on_peer_state (
    GstTfrcSendNews *self, GstTfrcPeerState state, gboolean has_asked, guint64 now_ns);

/** Data goes to this address. */
void gst_tfrc_send_news_on_peer (GstTfrcSendNews *self, const GstTfrcAddress *peer);

/** Does anybody hear the rate for an encoder (rateestimate.h)? At first, somebody does. */
void gst_tfrc_send_news_set_bitrate_heard (GstTfrcSendNews *self, gboolean is_heard);

/** Packets may leave at this rate.
 * @param bitrate in bit/s; 0: unknown
 * @param wait_ns for which live input has been waiting */
void gst_tfrc_send_news_on_rate (
    GstTfrcSendNews *self, guint64 bitrate, guint64 wait_ns, guint64 now_ns);

void gst_tfrc_send_news_on_ecn (GstTfrcSendNews *self, TfrcEcnState state, TfrcEcnProblem problem);
/** So many packets have been dropped so far because they could not be played in time. */
void gst_tfrc_send_news_on_past_deadline (GstTfrcSendNews *self, guint64 packets);

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

G_END_DECLS
#endif
