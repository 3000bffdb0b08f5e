/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow to one receiver, see sendflow.h. */
#include "sendflow.h"

#include <errno.h>
#include <string.h>

#include "../common/clock.h"
#include "sendbatch.h"
#include "sendcontrol.h"
#include "sendtrace.h"
#include "sendrepairs.h"
#include "sendrequests.h"

struct _GstTfrcSendFlow
{
  GstTfrcFlow base;
  GstTfrcOutbox outbox;
  GstTfrcSendSession *session;
  GstTfrcRateControl *control; /* of the session */
  GstTfrcSinkKeys *keys;       /* NULL: the stream is not protected */
  GstTfrcSendBatch batch;
  GstTfrcSendControl datagrams; /* of control */
  GstTfrcSendRequests requests;
  GstTfrcEvents events; /* for the application */
  GstTfrcSendNews news;
  GstTfrcQueueTrace trace;
  GstTfrcSendLimits limits;
  gboolean is_serving;   /* since on_time(): a poll may hand out more than a BYE */
  gboolean is_data_done; /* since on_time(): no more data may leave now */

  guint64 icmp_errors;
  guint64 foreign_packets;
  guint64 malformed_packets;
};

static GstTfrcSendFlow *
send_flow (GstTfrcFlow *flow)
{
  return (GstTfrcSendFlow *) flow;
}

static const GstTfrcSendFlow *
const_send_flow (const GstTfrcFlow *flow)
{
  return (const GstTfrcSendFlow *) flow;
}

static const GstTfrcAddress *
peer_of (const GstTfrcSendFlow *self)
{
  return gst_tfrc_send_paths_get_peer (gst_tfrc_send_session_get_paths (self->session));
}

static GstTfrcPeerState
peer_state_of (const GstTfrcSendFlow *self)
{
  return gst_tfrc_receiver_view_get_state (gst_tfrc_send_session_get_receiver (self->session));
}

static GstTfrcRtpNumbers
numbers_of (const GstTfrcSendFlow *self)
{
  return gst_tfrc_rtp_stream_get_numbers (gst_tfrc_send_media_get_rtp (
      gst_tfrc_send_session_get_media (self->session), GST_TFRC_RTP_MEDIA));
}

/* ---- time ---------------------------------------------------------------------- */

static gboolean
has_keys (const GstTfrcSendFlow *self)
{
  return self->keys == NULL || gst_tfrc_sink_keys_may_send (self->keys);
}

/* The first packet of all starts the exchange of keys. */
static guint64
packet_leaves_ns (gconstpointer flow)
{
  const GstTfrcSendFlow *self = flow;

  if (gst_tfrc_outbox_peek (&self->outbox) && !has_keys (self))
    return gst_tfrc_sink_keys_is_started (self->keys) ? G_MAXUINT64
                                                      : gst_tfrc_outbox_next_ns (&self->outbox);
  return gst_tfrc_send_batch_next_ns (&self->batch);
}

static guint64
packet_due_ns (gconstpointer flow)
{
  return gst_tfrc_send_batch_due_ns (&((const GstTfrcSendFlow *) flow)->batch);
}

static guint64
packet_overdue_ns (gconstpointer flow)
{
  return gst_tfrc_outbox_expiry_ns (&((const GstTfrcSendFlow *) flow)->outbox);
}

static guint64
probe_ns (gconstpointer flow)
{
  const GstTfrcSendFlow *self = flow;

  return gst_tfrc_send_repairs_probe_ns (self->session, &self->outbox);
}

static guint64
keys_ns (gconstpointer flow)
{
  const GstTfrcSendFlow *self = flow;

  return self->keys ? gst_tfrc_sink_keys_next_ns (self->keys) : G_MAXUINT64;
}

static guint64
bye_ns (gconstpointer flow)
{
  return gst_tfrc_send_flow_wants_bye (flow) ? 0 : G_MAXUINT64;
}

static const GstTfrcFlowTimer timers[] = {
  { "a packet may leave", packet_leaves_ns },
  { "a packet is due", packet_due_ns },
  { "a packet is overdue", packet_overdue_ns },
  { "the newest packet is sent again", probe_ns },
  { "key exchange", keys_ns },
  { "BYE", bye_ns },
};

static GstTfrcNextTimer
next_timer (const GstTfrcSendFlow *self)
{
  return gst_tfrc_next_timer_min (gst_tfrc_flow_timers_next (self, timers, G_N_ELEMENTS (timers)),
      gst_tfrc_send_session_next_timer (self->session));
}

static guint64
get_deadline (const GstTfrcFlow *flow)
{
  return next_timer (const_send_flow (flow)).due_ns;
}

const gchar *
gst_tfrc_send_flow_next_timer (const GstTfrcSendFlow *self)
{
  return gst_tfrc_next_timer_min (next_timer (self), gst_tfrc_send_news_next_timer (&self->news))
      .name;
}

static GstTfrcKeyTime
time_at (guint64 now_ns)
{
  return (GstTfrcKeyTime){ now_ns, gst_tfrc_clock_wall_ns () };
}

/* Begins to exchange keys once data waits. */
static void
serve_keys (GstTfrcSendFlow *self, guint64 now_ns)
{
  GstTfrcKeyTime time;

  if (self->keys == NULL)
    return;
  time = time_at (now_ns);
  if (gst_tfrc_outbox_peek (&self->outbox)) {
    gst_tfrc_send_session_renew (self->session);
    gst_tfrc_sink_keys_start (
        self->keys, numbers_of (self).ssrc, numbers_of (self).first_seq, &time);
  }
  if (now_ns >= gst_tfrc_sink_keys_next_ns (self->keys))
    gst_tfrc_sink_keys_on_time (self->keys, numbers_of (self).first_seq, &time);
}

static void
on_time (GstTfrcFlow *flow, guint64 now_ns)
{
  GstTfrcSendFlow *self = send_flow (flow);

  gst_tfrc_send_session_on_time (self->session, now_ns);
  gst_tfrc_send_limits_update (&self->limits, self->session, &self->outbox);
  gst_tfrc_outbox_drop_overdue (&self->outbox, now_ns);
  gst_tfrc_outbox_take_due (&self->outbox, now_ns);
  gst_tfrc_send_repairs_on_time (self->session, &self->outbox, now_ns);
  serve_keys (self, now_ns);
  gst_tfrc_send_batch_begin (&self->batch);
  self->is_serving = TRUE;
  self->is_data_done = FALSE;
}

/* ---- incoming ----------------------------------------------------------------- */

/* The first packet of data leaves beside the offer.  If the offer was lost, or answered by a cookie, the
 * receiver could not read that packet, and cannot give feedback. */
static void
on_key_packet (GstTfrcSendFlow *self, const GstTfrcReceivedPacket *packet)
{
  GstTfrcKeyTime time = time_at (packet->read_ns);
  GstTfrcSinkKeysState before = gst_tfrc_sink_keys_get_state (self->keys);

  if (packet->truncated || !gst_tfrc_address_equal (packet->from, peer_of (self))) {
    self->foreign_packets++;
    return;
  }
  gst_tfrc_sink_keys_on_packet (
      self->keys, packet->data, packet->size, numbers_of (self).first_seq, &time);
  if (before == GST_TFRC_SINK_KEYS_AGREEING
      && gst_tfrc_sink_keys_get_state (self->keys) == GST_TFRC_SINK_KEYS_KEYED)
    gst_tfrc_rate_control_on_sign_of_life (self->control, time.now_ns);
}

/* A compound's feedback comes before its requests: the losses that it reports are those that are asked for. */
static void
on_rtcp (GstTfrcSendFlow *self, const GstTfrcReceivedPacket *packet)
{
  GstTfrcRtcpResult result = gst_tfrc_send_session_on_rtcp (self->session, packet);
  gboolean has_asked;

  if (result == GST_TFRC_RTCP_USED)
    gst_tfrc_send_limits_on_rtcp (
        &self->limits, self->session, &self->outbox, MAX (packet->arrival_ns, packet->read_ns));
  has_asked = gst_tfrc_send_requests_on_rtcp (&self->requests, packet);
  switch (result) {
    case GST_TFRC_RTCP_USED:
      gst_tfrc_send_control_on_heard (&self->datagrams);
      break;
    case GST_TFRC_RTCP_FOREIGN:
      self->foreign_packets += !has_asked;
      break;
    case GST_TFRC_RTCP_MALFORMED:
      self->malformed_packets++;
      break;
  }
}

/* The data of a received packet may be written to. */
static gboolean
unprotect (GstTfrcSendFlow *self, GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  if (packet->truncated || tfrc_wire_classify (packet->data, packet->size) != TFRC_WIRE_KIND_RTCP)
    return TRUE;
  return gst_tfrc_sink_keys_unprotect (self->keys,
      gst_tfrc_address_equal (packet->from, peer_of (self)), packet->data, &packet->size, now_ns);
}

static void
on_datagrams (GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcSendFlow *self = send_flow (flow);

  for (guint i = 0; i < n; i++) {
    GstTfrcReceivedPacket packet = packets[i];

    if (self->keys && gst_tfrc_key_packet_is (packet.data, packet.size))
      on_key_packet (self, &packet);
    else if (self->keys == NULL || unprotect (self, &packet, now_ns))
      on_rtcp (self, &packet);
  }
}

/* There is no receiver yet, or no more: the nofeedback timer slows the sender down. At the RTCP port
 * the receiver may have no RTCP. */
static void
on_error (GstTfrcFlow *flow, gint error, const GstTfrcAddress *destination, gboolean by_rtcp_port,
    guint64 now_ns)
{
  GstTfrcSendFlow *self = send_flow (flow);

  self->icmp_errors++;
  if (by_rtcp_port)
    return;
  if (error != ESHUTDOWN)
    gst_tfrc_send_news_on_icmp_error (&self->news, error);
  if (error == ECONNREFUSED)
    gst_tfrc_send_session_on_port_unreachable (self->session, destination);
  else if (error == ETIME)
    gst_tfrc_send_session_on_time_exceeded (self->session, destination);
}

/* ---- outgoing: in one poll ----------------------------------------------------------- */

/* If the adaptive TTL is raised now, all packets leave protected from now on. */
static void
follow_ttl (GstTfrcSendFlow *self, guint64 now_ns)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (self->session);

  if (self->keys && gst_tfrc_adaptive_ttl_is_raised (gst_tfrc_send_media_get_ttl (media)))
    gst_tfrc_sink_keys_seal_from_now_on (self->keys, now_ns);
}

/* Returns FALSE if no more data may leave now. */
static gboolean
poll_data (GstTfrcSendFlow *self, guint64 now_ns, GstTfrcPolled *polled)
{
  if (self->is_data_done || !has_keys (self)
      || gst_tfrc_send_batch_poll (&self->batch, now_ns, polled) == 0)
    return FALSE;
  follow_ttl (self, now_ns);
  return TRUE;
}

static void
poll (GstTfrcFlow *flow, guint64 now_ns, GstTfrcPolled *polled)
{
  GstTfrcSendFlow *self = send_flow (flow);

  if (self->is_serving) {
    if (!gst_tfrc_send_control_poll_first (&self->datagrams, now_ns, polled))
      return;
    if (poll_data (self, now_ns, polled))
      return;
    if (!self->is_data_done)
      gst_tfrc_outbox_take_due (&self->outbox, now_ns);
    self->is_data_done = TRUE;
    gst_tfrc_send_control_poll_rtcp (&self->datagrams, now_ns, polled);
  }
  gst_tfrc_send_control_poll_bye (&self->datagrams, now_ns, polled);
  self->is_serving = self->is_serving && polled->n > 0;
}

static void
on_sent (GstTfrcFlow *flow, const GstTfrcPolled *polled, guint64 now_ns)
{
  GstTfrcSendFlow *self = send_flow (flow);
  gint error = gst_tfrc_send_batch_on_sent (&self->batch, polled, now_ns);

  gst_tfrc_send_paths_on_sent (gst_tfrc_send_session_get_paths (self->session), polled);
  if (error != 0)
    gst_tfrc_send_news_on_error (&self->news, error);
}

/* ---- life -------------------------------------------------------------------------------- */

static const GstTfrcFlowClass send_flow_class = { on_datagrams, on_time, on_error, get_deadline,
  poll, on_sent, NULL };

static gsize
protect_data (gpointer user, guint8 *datagram, gsize size)
{
  return gst_tfrc_sink_keys_protect (user, FALSE, datagram, size);
}

/* With GST_TFRC_PROTECT_RAISED_TTL no packet is authenticated as long as the TTL is not raised. */
static GstTfrcAllowMigration
get_allowed_migration (const GstTfrcSendFlowConfig *config)
{
  gboolean is_open = config->security.credentials
      && config->security.protect == GST_TFRC_PROTECT_RAISED_TTL;

  return is_open && config->session.allow_migration == GST_TFRC_ALLOW_MIGRATION_AUTHENTICATED
      ? GST_TFRC_ALLOW_MIGRATION_NEVER
      : config->session.allow_migration;
}

static gboolean
start (GstTfrcSendFlow *self, const GstTfrcSendFlowConfig *config)
{
  GstTfrcSendSessionConfig session = config->session;

  session.allow_migration = get_allowed_migration (config);
  session.events = &self->events;
  if (self->keys)
    session.media.streams[GST_TFRC_RTP_MEDIA].protector =
        session.media.streams[GST_TFRC_RTP_REPAIR].protector = (GstTfrcProtector){ protect_data,
          self->keys };
  self->session = gst_tfrc_send_session_new (&session);
  if (!gst_tfrc_outbox_init (&self->outbox, config->smoothing_ns) || self->session == NULL)
    return FALSE;
  gst_tfrc_send_batch_init (&self->batch, &self->outbox, self->session);
  gst_tfrc_send_requests_init (&self->requests, self->session, &self->outbox, &self->events);
  gst_tfrc_send_control_init (&self->datagrams, self->session, self->keys, config->rtcp_port);
  return TRUE;
}

GstTfrcSendFlow *
gst_tfrc_send_flow_new (const GstTfrcSendFlowConfig *config, guint64 now_ns)
{
  GstTfrcSendFlow *self = g_new0 (GstTfrcSendFlow, 1);
  GstTfrcSendMedia *media;

  gst_tfrc_flow_init (&self->base, &send_flow_class);
  if (config->security.credentials)
    self->keys = gst_tfrc_sink_keys_new (&config->security, &self->events);
  if (!start (self, config)) {
    gst_tfrc_send_flow_free (self);
    return NULL;
  }
  media = gst_tfrc_send_session_get_media (self->session);
  self->control = gst_tfrc_send_media_get_control (media);
  gst_tfrc_send_news_init (&self->news, &config->session.peer, &self->events);
  self->trace.trace = config->trace;
  if (config->session.media.ecn && !config->system_has_ecn)
    tfrc_ecn_refuse (gst_tfrc_send_media_get_ecn (media));
  gst_tfrc_send_flow_set_limits (self, &config->limits, now_ns);
  return self;
}

void
gst_tfrc_send_flow_free (GstTfrcSendFlow *self)
{
  if (self == NULL)
    return;
  gst_tfrc_outbox_clear (&self->outbox);
  gst_tfrc_send_session_free (self->session);
  gst_tfrc_sink_keys_free (self->keys);
  gst_tfrc_events_clear (&self->events);
  g_free (self);
}

GstTfrcFlow *
gst_tfrc_send_flow_get_base (GstTfrcSendFlow *self)
{
  return &self->base;
}

GstTfrcEvents *
gst_tfrc_send_flow_get_events (GstTfrcSendFlow *self)
{
  return &self->events;
}

GstTfrcOutbox *
gst_tfrc_send_flow_get_outbox (GstTfrcSendFlow *self)
{
  return &self->outbox;
}

GstTfrcSendNews *
gst_tfrc_send_flow_get_news (GstTfrcSendFlow *self)
{
  return &self->news;
}

GstTfrcSendSession *
gst_tfrc_send_flow_get_session (GstTfrcSendFlow *self)
{
  return self->session;
}

/* ---- settings ------------------------------------------------------------------------------ */

/* Tells the estimate for an encoder the rate at which packets may leave now. */
static void
update_estimate (GstTfrcSendFlow *self, guint64 now_ns)
{
  gst_tfrc_send_news_on_rate (&self->news,
      gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (self->session)),
      gst_tfrc_outbox_live_wait_ns (&self->outbox, now_ns), now_ns);
}

void
gst_tfrc_send_flow_set_limits (
    GstTfrcSendFlow *self, const GstTfrcSinkLimits *limits, guint64 now_ns)
{
  gst_tfrc_send_limits_set (&self->limits, limits, &self->outbox);
  gst_tfrc_send_limits_update (&self->limits, self->session, &self->outbox);
  gst_tfrc_send_limits_on_rtcp (&self->limits, self->session, &self->outbox, now_ns);
  gst_tfrc_rate_control_set_limits (self->control, limits->min_bitrate, limits->max_bitrate);
  gst_tfrc_send_news_set_limits (
      &self->news, limits->min_bitrate, limits->max_bitrate, limits->stats_interval_ns, now_ns);
  update_estimate (self, now_ns);
}

void
gst_tfrc_send_flow_set_ttl (GstTfrcSendFlow *self, guint ttl)
{
  gst_tfrc_adaptive_ttl_set_start (
      gst_tfrc_send_media_get_ttl (gst_tfrc_send_session_get_media (self->session)), ttl);
}

void
gst_tfrc_send_flow_rekey (GstTfrcSendFlow *self, guint64 now_ns)
{
  if (self->keys)
    gst_tfrc_sink_keys_rekey (self->keys, now_ns);
}

void
gst_tfrc_send_flow_say_bye (GstTfrcSendFlow *self)
{
  gst_tfrc_send_control_say_bye (&self->datagrams);
}

gboolean
gst_tfrc_send_flow_wants_bye (const GstTfrcSendFlow *self)
{
  return gst_tfrc_send_control_wants_bye (&self->datagrams);
}

/* ---- news ------------------------------------------------------------------------------------ */

static void
find_media_news (GstTfrcSendFlow *self)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (self->session);
  GstTfrcAdaptiveTtl *ttl = gst_tfrc_send_media_get_ttl (media);
  const TfrcEcn *ecn = gst_tfrc_send_media_get_ecn (media);

  if (gst_tfrc_adaptive_ttl_take_warning (ttl))
    gst_tfrc_send_news_on_ttl_not_raised (&self->news, gst_tfrc_adaptive_ttl_get (ttl));
  gst_tfrc_send_news_on_ecn (&self->news, tfrc_ecn_get_state (ecn), tfrc_ecn_get_problem (ecn));
}

/* Something has left that a receiver would answer. Without keys data waits, and key packets leave. */
static gboolean
has_asked (const GstTfrcSendFlow *self)
{
  return gst_tfrc_outbox_has_sent (&self->outbox)
      || (self->keys && gst_tfrc_outbox_peek (&self->outbox));
}

gboolean
gst_tfrc_send_flow_find_news (GstTfrcSendFlow *self, guint64 now_ns)
{
  GstTfrcSendNews *news = &self->news;

  gst_tfrc_send_news_on_peer_state (news, peer_state_of (self), has_asked (self), now_ns);
  update_estimate (self, now_ns);
  gst_tfrc_send_news_on_peer (news, peer_of (self));
  find_media_news (self);
  gst_tfrc_send_news_on_past_deadline (news, gst_tfrc_outbox_get_past_deadline (&self->outbox));
  gst_tfrc_send_news_on_broken (news, gst_tfrc_send_flow_is_broken (self));
  gst_tfrc_send_news_on_time (news, now_ns);
  gst_tfrc_send_trace_sample (&self->trace, &self->outbox, self->control, now_ns);
  return gst_tfrc_events_are_waiting (&self->events);
}

guint64
gst_tfrc_send_flow_news_ns (const GstTfrcSendFlow *self)
{
  return gst_tfrc_send_news_next_timer (&self->news).due_ns;
}

/* ---- queries ----------------------------------------------------------------------------------- */

gboolean
gst_tfrc_send_flow_is_broken (GstTfrcSendFlow *self)
{
  return gst_tfrc_rate_control_is_broken (self->control);
}

guint64
gst_tfrc_send_flow_drains_until_ns (const GstTfrcSendFlow *self)
{
  return gst_tfrc_outbox_is_empty (&self->outbox)
      ? gst_tfrc_send_repairs_tail_end_ns (self->session, &self->outbox)
      : G_MAXUINT64;
}

guint64
gst_tfrc_send_flow_get_rtt_ns (GstTfrcSendFlow *self)
{
  return gst_tfrc_rate_control_get_rtt_ns (self->control);
}

gboolean
gst_tfrc_send_flow_is_bye_answered (GstTfrcSendFlow *self)
{
  return gst_tfrc_receiver_view_is_bye_answered (
      gst_tfrc_send_session_get_receiver (self->session));
}

gboolean
gst_tfrc_send_flow_is_goodbye_over (GstTfrcSendFlow *self)
{
  return gst_tfrc_outbox_is_receiver_absent (&self->outbox)
      || peer_state_of (self) == GST_TFRC_PEER_GONE;
}

void
gst_tfrc_send_flow_get_stats (GstTfrcSendFlow *self, guint64 now_ns, GstTfrcSinkStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  gst_tfrc_send_session_get_stats (self->session, &stats->session);
  if (self->keys)
    gst_tfrc_sink_keys_get_stats (self->keys, &stats->security);
  gst_tfrc_outbox_get_stats (&self->outbox, now_ns, &stats->outbox);
  stats->send_errors = gst_tfrc_send_batch_get_errors (&self->batch);
  stats->icmp_errors = self->icmp_errors;
  stats->foreign_packets = self->foreign_packets;
  stats->malformed_packets = self->malformed_packets;
  stats->messages_dropped = gst_tfrc_events_get_dropped (&self->events);
}
