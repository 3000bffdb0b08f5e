/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that listens, see listening.h. */
#include "listening.h"

#include <string.h>

#include "../common/log.h"

/* How often callers that nothing comes from are looked for */
#define SWEEP_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

typedef struct
{
  guint64 id;
  guint32 ssrc; /* of the caller */
  gchar *stream_id;
  GstTfrcAddress address; /* that the flow is bound to */
  GstTfrcSendFlow *flow;
  GstTfrcCredentials *credentials; /* of this caller alone, which its flow uses; NULL: none */
  guint64 added_ns;
  const gchar *end; /* why the caller is to be removed; NULL: it stays */
} Caller;

struct _GstTfrcListening
{
  GstTfrcPort *port;
  GstTfrcAudience *audience;
  GstTfrcSendFlowConfig config;
  GstTfrcCallFlow *strangers;
  GHashTable *by_id;   /* of Caller, which it owns */
  GHashTable *by_flow; /* the same by GstTfrcFlow */
  GHashTable *by_ssrc;
  guint n_ends;               /* callers to be removed */
  GstTfrcListeningStats gone; /* what the callers that have gone add to the counts of all */
  guint64 sweep_ns;
  guint64 stats_ns, stats_interval_ns; /* when statistics are due next; G_MAXUINT64: never */
  gboolean are_stats_due;
  GQueue news; /* of GstTfrcCallNews */
};

/* ---- news ------------------------------------------------------------------------ */

void
gst_tfrc_call_news_free (GstTfrcCallNews *news)
{
  if (news == NULL)
    return;
  g_free (news->stream_id);
  g_free (news->reason);
  g_free (news);
}

static void
add_news (GstTfrcListening *self, GstTfrcCallNewsKind kind, guint64 id,
    const GstTfrcAddress *address, const gchar *stream_id, const gchar *reason)
{
  GstTfrcCallNews *news;

  if (kind == GST_TFRC_CALL_REJECTED
      && g_queue_get_length (&self->news) >= GST_TFRC_LISTENING_MAX_REJECTED)
    return;
  news = g_new0 (GstTfrcCallNews, 1);
  news->kind = kind;
  news->id = id;
  news->address = *address;
  news->stream_id = g_strdup (stream_id);
  news->reason = g_strdup (reason);
  g_queue_push_tail (&self->news, news);
}

gboolean
gst_tfrc_listening_has_news (const GstTfrcListening *self)
{
  return !g_queue_is_empty ((GQueue *) &self->news);
}

GstTfrcCallNews *
gst_tfrc_listening_take_news (GstTfrcListening *self)
{
  return g_queue_pop_head (&self->news);
}

/* ---- callers ---------------------------------------------------------------------- */

static void
free_caller (gpointer data)
{
  Caller *caller = data;

  gst_tfrc_credentials_unref (caller->credentials);
  g_free (caller->stream_id);
  g_free (caller);
}

static void
set_end (GstTfrcListening *self, Caller *caller, const gchar *reason)
{
  if (caller->end == NULL)
    self->n_ends++;
  caller->end = reason;
}

static void
bind_caller (GstTfrcListening *self, Caller *caller, const GstTfrcAddress *address)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  caller->address = *address;
  gst_tfrc_port_bind (
      self->port, gst_tfrc_send_flow_get_base (caller->flow), address, caller->ssrc);
}

static void
add_counts (const Caller *caller, guint64 now_ns, GstTfrcListeningStats *all)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_send_flow_get_stats (caller->flow, now_ns, &stats);
  all->sent += stats.session.sender.packets_sent;
  all->bytes_sent += stats.session.sender.bytes_sent;
  all->lost += stats.session.packets_lost;
  all->dropped += stats.outbox.packets_dropped;
  all->past_deadline += stats.outbox.deadline.dropped;
}

/* A caller that takes the SSRC of another one cannot move; the other one can. */
static void
remove_caller (GstTfrcListening *self, Caller *caller, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_log (port, INFO, "caller %s \"%s\" is removed: %s",
      GST_TFRC_ADDRESS_TEXT (&caller->address), caller->stream_id, caller->end);
  add_news (
      self, GST_TFRC_CALL_REMOVED, caller->id, &caller->address, caller->stream_id, caller->end);
  add_counts (caller, now_ns, &self->gone);
  gst_tfrc_callers_forget (gst_tfrc_call_flow_get_callers (self->strangers), caller->id);
  gst_tfrc_port_unbind (self->port, &caller->address, caller->ssrc);
  if (g_hash_table_lookup (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc)) == caller)
    g_hash_table_remove (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc));
  g_hash_table_remove (self->by_flow, gst_tfrc_send_flow_get_base (caller->flow));
  gst_tfrc_audience_remove (self->audience, caller->flow);
  g_hash_table_remove (self->by_id, &caller->id);
}

static void
remove_ended (GstTfrcListening *self, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GHashTableIter iter;
  gpointer caller;

  while (self->n_ends > 0) {
    g_hash_table_iter_init (&iter, self->by_id);
    while (g_hash_table_iter_next (&iter, NULL, &caller) && ((Caller *) caller)->end == NULL)
      ;
    self->n_ends--;
    remove_caller (self, caller, now_ns);
  }
}

static GstTfrcSendFlow *
new_flow (const GstTfrcListening *self, const GstTfrcAddress *peer, GstTfrcCredentials *credentials,
    guint64 now_ns)
{
  GstTfrcSendFlowConfig config = self->config;

  config.session.peer = *peer;
  config.limits = gst_tfrc_audience_get_limits (self->audience);
  if (credentials)
    config.security.credentials = credentials;
  return gst_tfrc_send_flow_new (&config, now_ns);
}

static void
add_caller (GstTfrcListening *self, const GstTfrcCaller *accepted, GstTfrcSendFlow *flow,
    GstTfrcCredentials *credentials, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  Caller *caller = g_new0 (Caller, 1);

  caller->id = accepted->id;
  caller->ssrc = accepted->ssrc;
  caller->stream_id = g_strdup (accepted->stream_id);
  caller->flow = flow;
  caller->credentials = credentials ? gst_tfrc_credentials_ref (credentials) : NULL;
  caller->added_ns = now_ns;
  g_hash_table_insert (self->by_id, &caller->id, caller);
  g_hash_table_insert (self->by_flow, gst_tfrc_send_flow_get_base (flow), caller);
  if (!g_hash_table_contains (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc)))
    g_hash_table_insert (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc), caller);
  gst_tfrc_audience_add (self->audience, flow, now_ns);
  bind_caller (self, caller, &accepted->address);
  gst_tfrc_log (port, INFO, "caller %s \"%s\" is accepted",
      GST_TFRC_ADDRESS_TEXT (&accepted->address), accepted->stream_id);
  add_news (self, GST_TFRC_CALL_ADDED, accepted->id, &accepted->address, accepted->stream_id, NULL);
}

/* ---- the calls of the flow of strangers ---------------------------------------------- */

static void
called (gpointer owner, const GstTfrcCaller *caller, GstTfrcCallersResult result)
{
  GstTfrcListening *self = owner;
  gboolean has_room = result == GST_TFRC_CALLERS_NEW;

  gst_tfrc_log (port, INFO, "%s calls for stream \"%s\"%s",
      GST_TFRC_ADDRESS_TEXT (&caller->address), caller->stream_id,
      has_room ? "" : ", and there is no room");
  add_news (self, has_room ? GST_TFRC_CALL_CONNECTING : GST_TFRC_CALL_REJECTED, caller->id,
      &caller->address, caller->stream_id, has_room ? NULL : "there is no room");
}

/* Here a flow may be served, so that the caller goes later. */
static void
replaced (gpointer owner, guint64 id)
{
  GstTfrcListening *self = owner;
  Caller *caller = g_hash_table_lookup (self->by_id, &id);

  if (caller)
    set_end (self, caller, "its port calls anew");
}

static gboolean
take (gpointer owner, guint32 ssrc, const GstTfrcReceivedPacket *packet, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcListening *self = owner;
  Caller *caller = g_hash_table_lookup (self->by_ssrc, GUINT_TO_POINTER (ssrc));
  GstTfrcFlow *flow;

  if (caller == NULL)
    return FALSE;
  flow = gst_tfrc_send_flow_get_base (caller->flow);
  gst_tfrc_flow_pass_on (flow, packet, 1, now_ns);
  gst_tfrc_port_serve_soon (self->port, flow);
  return TRUE;
}

static const GstTfrcCallFlowOwner call_flow_methods = { called, replaced, take };

/* ---- life ----------------------------------------------------------------------------- */

GstTfrcListening *
gst_tfrc_listening_new (GstTfrcPort *port, GstTfrcAudience *audience,
    const GstTfrcSendFlowConfig *flow, guint max_callers,
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc)
{
  GstTfrcListening *self = g_new0 (GstTfrcListening, 1);

  self->port = port;
  self->audience = audience;
  self->config = *flow;
  self->config.trace = NULL;
  self->config.session.media.rate.decisions = (TfrcTrace){ 0 };
  if (flow->security.credentials)
    gst_tfrc_credentials_ref (flow->security.credentials);
  self->strangers = gst_tfrc_call_flow_new (
      secret, own_ssrc, max_callers, &call_flow_methods, self);
  self->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_caller);
  self->by_flow = g_hash_table_new (NULL, NULL);
  self->by_ssrc = g_hash_table_new (NULL, NULL);
  self->sweep_ns = self->stats_ns = G_MAXUINT64;
  g_queue_init (&self->news);
  return self;
}

void
gst_tfrc_listening_free (GstTfrcListening *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_ssrc);
  g_hash_table_unref (self->by_flow);
  g_hash_table_unref (self->by_id);
  gst_tfrc_call_flow_free (self->strangers);
  g_queue_clear_full (&self->news, (GDestroyNotify) gst_tfrc_call_news_free);
  gst_tfrc_credentials_unref (self->config.security.credentials);
  g_free (self);
}

GstTfrcFlow *
gst_tfrc_listening_get_base (GstTfrcListening *self)
{
  return gst_tfrc_call_flow_get_base (self->strangers);
}

/* ---- the port's calls -------------------------------------------------------------------- */

static void
follow_address (GstTfrcListening *self, Caller *caller) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcAddress *peer = gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (gst_tfrc_send_flow_get_session (caller->flow)));

  if (gst_tfrc_address_equal (peer, &caller->address))
    return;
  gst_tfrc_port_unbind (self->port, &caller->address, caller->ssrc);
  gst_tfrc_callers_move (gst_tfrc_call_flow_get_callers (self->strangers), caller->id, peer);
  bind_caller (self, caller, peer);
}

static GstTfrcPeerState
state_of (const Caller *caller)
{
  return gst_tfrc_receiver_view_get_state (
      gst_tfrc_send_session_get_receiver (gst_tfrc_send_flow_get_session (caller->flow)));
}

/* A BYE, which others can forge, counts once the caller has not answered the report that follows. */
static const gchar *
find_end (const Caller *caller, guint64 now_ns)
{
  switch (state_of (caller)) {
    case GST_TFRC_PEER_GONE:
      if (gst_tfrc_send_session_is_peer_absent (gst_tfrc_send_flow_get_session (caller->flow)))
        return "it has said BYE";
      break;
    case GST_TFRC_PEER_LOST:
      return "it does not answer any more";
    case GST_TFRC_PEER_WAITING:
      if (now_ns >= caller->added_ns + GST_TFRC_LISTENING_NO_FEEDBACK_NS)
        return "no feedback has come";
      break;
    case GST_TFRC_PEER_CONNECTED:
      break;
  }
  return gst_tfrc_send_flow_is_broken (caller->flow) ? "the network is too congested" : NULL;
}

static void
look_at (GstTfrcListening *self, Caller *caller, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const gchar *end = find_end (caller, now_ns);
  GstTfrcEvent event;

  gst_tfrc_send_flow_find_news (caller->flow, now_ns);
  while (gst_tfrc_events_take (gst_tfrc_send_flow_get_events (caller->flow), &event)) {
    if (event.kind == GST_TFRC_EVENT_SECURITY_FAILED)
      end = "no keys can be agreed on";
  }
  if (end)
    set_end (self, caller, end);
  else
    follow_address (self, caller);
}

void
gst_tfrc_listening_flow_served (GstTfrcListening *self, GstTfrcFlow *flow, guint64 now_ns)
{
  Caller *caller = g_hash_table_lookup (self->by_flow, flow);

  if (caller)
    look_at (self, caller, now_ns);
}

static void
sweep (GstTfrcListening *self, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GHashTableIter iter;
  gpointer caller;

  if (now_ns < self->sweep_ns)
    return;
  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &caller))
    look_at (self, caller, now_ns);
  self->sweep_ns = now_ns + SWEEP_INTERVAL_NS;
}

static void
note_stats (GstTfrcListening *self, guint64 now_ns)
{
  if (now_ns < self->stats_ns)
    return;
  self->stats_ns = now_ns + self->stats_interval_ns;
  self->are_stats_due = TRUE;
}

gboolean
gst_tfrc_listening_served (GstTfrcListening *self, guint64 now_ns)
{
  sweep (self, now_ns);
  remove_ended (self, now_ns);
  if (g_hash_table_size (self->by_id) == 0)
    self->sweep_ns = G_MAXUINT64;
  note_stats (self, now_ns);
  return self->are_stats_due || gst_tfrc_listening_has_news (self);
}

guint64
gst_tfrc_listening_next_ns (const GstTfrcListening *self)
{
  return self->n_ends > 0 ? 0 : MIN (self->sweep_ns, self->stats_ns);
}

/* ---- the application --------------------------------------------------------------------- */

static void
refuse (GstTfrcListening *self, guint64 id, const gchar *reason, guint64 now_ns)
{
  GstTfrcCaller caller;

  if (!gst_tfrc_callers_refuse (
          gst_tfrc_call_flow_get_callers (self->strangers), id, reason, now_ns, &caller))
    return;
  gst_tfrc_log (port, INFO, "caller %s \"%s\" is refused: %s",
      GST_TFRC_ADDRESS_TEXT (&caller.address), caller.stream_id, reason);
  add_news (self, GST_TFRC_CALL_REJECTED, id, &caller.address, caller.stream_id, reason);
}

void
gst_tfrc_listening_answer (GstTfrcListening *self, guint64 id, const gchar *refusal,
    GstTfrcCredentials *credentials, guint64 now_ns)
{
  GstTfrcCallers *callers = gst_tfrc_call_flow_get_callers (self->strangers);
  GstTfrcCaller caller;
  GstTfrcSendFlow *flow;

  if (refusal) {
    refuse (self, id, refusal, now_ns);
  } else if (gst_tfrc_callers_accept (callers, id, &caller)) {
    flow = new_flow (self, &caller.address, credentials, now_ns);
    if (flow)
      add_caller (self, &caller, flow, credentials, now_ns);
    else
      gst_tfrc_callers_forget (callers, id);
    self->sweep_ns = MIN (self->sweep_ns, now_ns + SWEEP_INTERVAL_NS);
  }
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_listening_get_base (self));
}

gboolean
gst_tfrc_listening_drop (GstTfrcListening *self, guint64 id)
{
  Caller *caller = g_hash_table_lookup (self->by_id, &id);

  if (caller == NULL)
    return FALSE;
  gst_tfrc_send_flow_say_bye (caller->flow);
  set_end (self, caller, "it was dropped");
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_send_flow_get_base (caller->flow));
  return TRUE;
}

void
gst_tfrc_listening_set_max_callers (GstTfrcListening *self, guint max_callers)
{
  gst_tfrc_callers_set_max (gst_tfrc_call_flow_get_callers (self->strangers), max_callers);
}

void
gst_tfrc_listening_set_stats_interval (GstTfrcListening *self, guint64 interval_ns, guint64 now_ns)
{
  if (interval_ns == self->stats_interval_ns)
    return;
  self->stats_interval_ns = interval_ns;
  self->stats_ns = interval_ns > 0 ? now_ns + interval_ns : G_MAXUINT64;
}

gboolean
gst_tfrc_listening_take_stats_due (GstTfrcListening *self)
{
  gboolean are_due = self->are_stats_due;

  self->are_stats_due = FALSE;
  return are_due;
}

/* ---- statistics --------------------------------------------------------------------------- */

void
gst_tfrc_listening_get_stats (
    const GstTfrcListening *self, guint64 now_ns, GstTfrcListeningStats *stats)
{
  GHashTableIter iter;
  gpointer caller;

  *stats = self->gone;
  gst_tfrc_callers_get_stats (gst_tfrc_call_flow_get_callers (self->strangers), &stats->calls);
  stats->foreign_packets = gst_tfrc_call_flow_get_foreign (self->strangers);
  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &caller))
    add_counts (caller, now_ns, stats);
}

void
gst_tfrc_listening_foreach_caller (const GstTfrcListening *self, guint64 now_ns,
    void (*func) (gpointer user, const GstTfrcCallerStats *caller), gpointer user)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Caller *caller = value;
    GstTfrcCallerStats stats = { .id = caller->id, .stream_id = caller->stream_id };

    gst_tfrc_send_flow_get_stats (caller->flow, now_ns, &stats.stats);
    stats.stats.local_port = gst_tfrc_port_get_number (self->port);
    func (user, &stats);
  }
}
