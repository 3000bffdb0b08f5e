/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The news of a send flow, see sendnews.h. */
#include "sendnews.h"

#include <string.h>

void
gst_tfrc_send_news_init (GstTfrcSendNews *self, const GstTfrcAddress *peer)
{
  memset (self, 0, sizeof *self);
  self->peer = *peer;
  self->stats_ns = G_MAXUINT64;
}

static GstTfrcSendEvent *
event_at (GstTfrcSendNews *self, guint i)
{
  return &self->events[(self->first + i) % GST_TFRC_SEND_MAX_EVENTS];
}

static void
push (GstTfrcSendNews *self, const GstTfrcSendEvent *event)
{
  if (self->n == GST_TFRC_SEND_MAX_EVENTS) {
    self->first = (self->first + 1) % GST_TFRC_SEND_MAX_EVENTS;
    self->n--;
    self->dropped++;
  }
  *event_at (self, self->n++) = *event;
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
gst_tfrc_send_news_add (GstTfrcSendNews *self, GstTfrcSendEventKind kind)
{
  const GstTfrcSendEvent event = { .kind = kind };

  for (guint i = 0; i < self->n; i++) {
    if (event_at (self, i)->kind == kind)
      return;
  }
  push (self, &event);
}

void
gst_tfrc_send_news_on_peer_state (
    GstTfrcSendNews *self, GstTfrcPeerState state, gboolean has_asked, guint64 now_ns)
{
  const GstTfrcSendEvent event = { GST_TFRC_SEND_EVENT_PEER_STATE, { .peer_state = state } };

  if (state != GST_TFRC_PEER_WAITING)
    gst_tfrc_silence_on_answer (&self->silence);
  else if (has_asked)
    gst_tfrc_silence_on_packet (&self->silence, now_ns);
  if (state == self->peer_state)
    return;
  self->peer_state = state;
  push (self, &event);
}

void
gst_tfrc_send_news_on_peer (GstTfrcSendNews *self, const GstTfrcAddress *peer)
{
  if (gst_tfrc_address_equal (peer, &self->peer))
    return;
  self->peer = *peer;
  gst_tfrc_send_news_add (self, GST_TFRC_SEND_EVENT_MIGRATED);
}

void
gst_tfrc_send_news_on_rate (GstTfrcSendNews *self, guint64 bitrate, guint64 wait_ns, guint64 now_ns)
{
  gst_tfrc_rate_estimate_set_rate (
      &self->estimate, bitrate * gst_tfrc_rate_estimate_share (wait_ns), now_ns);
}

void
gst_tfrc_send_news_on_ecn (GstTfrcSendNews *self, TfrcEcnState state, TfrcEcnProblem problem)
{
  const GstTfrcSendEvent event = { GST_TFRC_SEND_EVENT_ECN, { .ecn = { state, problem } } };

  if (state == self->ecn && problem == self->ecn_problem)
    return;
  self->ecn = state;
  self->ecn_problem = problem;
  push (self, &event);
}

void
gst_tfrc_send_news_on_ttl_not_raised (GstTfrcSendNews *self, guint ttl)
{
  const GstTfrcSendEvent event = { GST_TFRC_SEND_EVENT_TTL_NOT_RAISED, { .ttl = ttl } };

  push (self, &event);
}

void
gst_tfrc_send_news_on_broken (GstTfrcSendNews *self, gboolean is_broken)
{
  if (!is_broken || self->broken)
    return;
  self->broken = TRUE;
  gst_tfrc_send_news_add (self, GST_TFRC_SEND_EVENT_BROKEN);
}

void
gst_tfrc_send_news_on_error (GstTfrcSendNews *self, gint error)
{
  const GstTfrcSendEvent event = { GST_TFRC_SEND_EVENT_SEND_ERROR, { .error = error } };

  push (self, &event);
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

static const GstTfrcFlowTimer timers[] = {
  { "statistics are told", stats_ns },
  { "the rate for an encoder is told", bitrate_ns },
  { "that nobody answers is told", no_answer_ns },
};

GstTfrcNextTimer
gst_tfrc_send_news_next_timer (const GstTfrcSendNews *self)
{
  return gst_tfrc_flow_timers_next (self, timers, G_N_ELEMENTS (timers));
}

void
gst_tfrc_send_news_on_time (GstTfrcSendNews *self, guint64 now_ns)
{
  const GstTfrcSendEvent bitrate = { GST_TFRC_SEND_EVENT_BITRATE,
    { .bitrate = gst_tfrc_rate_estimate_announce (&self->estimate, now_ns) } };
  const GstTfrcSendEvent no_answer = { GST_TFRC_SEND_EVENT_NO_ANSWER,
    { .error = gst_tfrc_silence_get_error (&self->silence) } };

  if (bitrate.of.bitrate > 0)
    push (self, &bitrate);
  if (gst_tfrc_silence_is_noticed (&self->silence, now_ns))
    push (self, &no_answer);
  if (now_ns < self->stats_ns)
    return;
  self->stats_ns = now_ns + self->stats_interval_ns;
  gst_tfrc_send_news_add (self, GST_TFRC_SEND_EVENT_STATISTICS);
}

/* ---- queries ---------------------------------------------------------------- */

guint64
gst_tfrc_send_news_get_bitrate (GstTfrcSendNews *self, guint64 now_ns)
{
  return gst_tfrc_rate_estimate_get (&self->estimate, now_ns);
}

gboolean
gst_tfrc_send_news_has_event (const GstTfrcSendNews *self)
{
  return self->n > 0;
}

gboolean
gst_tfrc_send_news_take (GstTfrcSendNews *self, GstTfrcSendEvent *event)
{
  if (self->n == 0)
    return FALSE;
  *event = *event_at (self, 0);
  self->first = (self->first + 1) % GST_TFRC_SEND_MAX_EVENTS;
  self->n--;
  return TRUE;
}

guint64
gst_tfrc_send_news_get_dropped (const GstTfrcSendNews *self)
{
  return self->dropped;
}
