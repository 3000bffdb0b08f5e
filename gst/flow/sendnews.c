/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The news of a send flow, see sendnews.h. */
#include "sendnews.h"

#include <string.h>

void
gst_tfrc_send_news_init (GstTfrcSendNews *self, const GstTfrcAddress *peer, GstTfrcEvents *events)
{
  memset (self, 0, sizeof *self);
  self->events = events;
  self->peer = *peer;
  self->stats_ns = G_MAXUINT64;
}

void
gst_tfrc_send_news_set_limits (GstTfrcSendNews *self, guint64 min_bitrate, guint64 max_bitrate,
    guint64 stats_interval_ns, guint64 now_ns)
{
  if (stats_interval_ns != self->stats_interval_ns)
    self->stats_ns = stats_interval_ns ? now_ns + stats_interval_ns : G_MAXUINT64;
  self->stats_interval_ns = stats_interval_ns;
  gst_tfrc_rate_estimate_limit (&self->estimate, min_bitrate, max_bitrate, now_ns);
}

/* ---- what happens ----------------------------------------------------------- */

void
gst_tfrc_send_news_on_peer_state (
    GstTfrcSendNews *self, GstTfrcPeerState state, gboolean has_asked, guint64 now_ns)
{
  const GstTfrcEvent event = { GST_TFRC_EVENT_PEER_STATE, { .peer_state = state } };

  if (state != GST_TFRC_PEER_WAITING)
    gst_tfrc_silence_on_answer (&self->silence);
  else if (has_asked)
    gst_tfrc_silence_on_packet (&self->silence, now_ns);
  if (state == self->peer_state)
    return;
  self->peer_state = state;
  gst_tfrc_events_add (self->events, &event);
}

void
gst_tfrc_send_news_on_peer (GstTfrcSendNews *self, const GstTfrcAddress *peer)
{
  if (gst_tfrc_address_equal (peer, &self->peer))
    return;
  self->peer = *peer;
  gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_MIGRATED);
}

void
gst_tfrc_send_news_on_rate (GstTfrcSendNews *self, guint64 bitrate, guint64 wait_ns, guint64 now_ns)
{
  gst_tfrc_rate_estimate_set_rate (
      &self->estimate, bitrate * gst_tfrc_rate_estimate_share (wait_ns), now_ns);
}

void
gst_tfrc_send_news_set_bitrate_heard (GstTfrcSendNews *self, gboolean is_heard)
{
  gst_tfrc_rate_estimate_set_heard (&self->estimate, is_heard);
}

void
gst_tfrc_send_news_on_ecn (GstTfrcSendNews *self, TfrcEcnState state, TfrcEcnProblem problem)
{
  const GstTfrcEvent event = { GST_TFRC_EVENT_ECN, { .ecn = { state, problem } } };

  if (state == self->ecn && problem == self->ecn_problem)
    return;
  self->ecn = state;
  self->ecn_problem = problem;
  gst_tfrc_events_add (self->events, &event);
}

void
gst_tfrc_send_news_on_past_deadline (GstTfrcSendNews *self, guint64 packets)
{
  self->past_deadline = packets;
}

void
gst_tfrc_send_news_on_ttl_not_raised (GstTfrcSendNews *self, guint ttl)
{
  const GstTfrcEvent event = { GST_TFRC_EVENT_TTL_NOT_RAISED, { .ttl = ttl } };

  gst_tfrc_events_add (self->events, &event);
}

void
gst_tfrc_send_news_on_broken (GstTfrcSendNews *self, gboolean is_broken)
{
  if (!is_broken || self->broken)
    return;
  self->broken = TRUE;
  gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_BROKEN);
}

void
gst_tfrc_send_news_on_error (GstTfrcSendNews *self, gint error)
{
  const GstTfrcEvent event = { GST_TFRC_EVENT_SEND_ERROR, { .error = error } };

  gst_tfrc_events_add (self->events, &event);
}

void
gst_tfrc_send_news_on_icmp_error (GstTfrcSendNews *self, gint error)
{
  gst_tfrc_silence_on_error (&self->silence, error);
}

/* ---- time ------------------------------------------------------------------- */

static guint64
stats_ns (gconstpointer owner)
{
  return ((const GstTfrcSendNews *) owner)->stats_ns;
}

static guint64
bitrate_ns (gconstpointer owner)
{
  return gst_tfrc_rate_estimate_next_ns (&((const GstTfrcSendNews *) owner)->estimate);
}

static guint64
no_answer_ns (gconstpointer owner)
{
  return gst_tfrc_silence_next_ns (&((const GstTfrcSendNews *) owner)->silence);
}

static guint64
past_deadline_ns (gconstpointer owner)
{
  const GstTfrcSendNews *self = owner;

  return self->past_deadline != self->told_past_deadline ? self->past_deadline_ns : G_MAXUINT64;
}

static const GstTfrcFlowTimer timers[] = {
  { "statistics are told", stats_ns },
  { "the rate for an encoder is told", bitrate_ns },
  { "that nobody answers is told", no_answer_ns },
  { "drops for the deadline are told", past_deadline_ns },
};

GstTfrcNextTimer
gst_tfrc_send_news_next_timer (const GstTfrcSendNews *self)
{
  return gst_tfrc_flow_timers_next (self, timers, G_N_ELEMENTS (timers));
}

void
gst_tfrc_send_news_on_time (GstTfrcSendNews *self, guint64 now_ns)
{
  const GstTfrcEvent no_answer = { GST_TFRC_EVENT_NO_ANSWER,
    { .error = gst_tfrc_silence_get_error (&self->silence) } };

  if (gst_tfrc_rate_estimate_announce (&self->estimate, now_ns) > 0)
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_BITRATE);
  if (gst_tfrc_silence_is_noticed (&self->silence, now_ns))
    gst_tfrc_events_add (self->events, &no_answer);
  if (now_ns >= past_deadline_ns (self)) {
    self->told_past_deadline = self->past_deadline;
    self->past_deadline_ns = now_ns + GST_TFRC_SEND_NEWS_PAST_DEADLINE_INTERVAL_NS;
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_PAST_DEADLINE);
  }
  if (now_ns < self->stats_ns)
    return;
  self->stats_ns = now_ns + self->stats_interval_ns;
  gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_STATISTICS);
}

/* ---- queries ---------------------------------------------------------------- */

guint64
gst_tfrc_send_news_get_bitrate (GstTfrcSendNews *self, guint64 now_ns)
{
  return gst_tfrc_rate_estimate_get (&self->estimate, now_ns);
}
