/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that listens, see listening.h. */
#include "listening-private.h"

/* How often callers that nothing comes from are looked for */
#define SWEEP_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

/* Why a caller is removed whose place another call from its port takes */
#define CALLS_ANEW "its port calls anew"

/* ---- callers ---------------------------------------------------------------------- */

static void
free_caller (gpointer data)
{
  GstTfrcServed *caller = data;

  gst_tfrc_credentials_unref (caller->credentials);
  g_free (caller->stream_id);
  g_free (caller);
}

/* The flow that is served now may be a guest's, so that this stream is called for its own deadline. */
static void
set_end (GstTfrcListening *self, GstTfrcServed *caller, const gchar *reason)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (caller->end == NULL)
    self->n_ends++;
  caller->end = reason;
  gst_tfrc_port_reschedule_owner (self->port, self->tenant);
}

static void
unbind (GstTfrcListening *self, const GstTfrcServed *caller) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_port_unbind (
      self->port, gst_tfrc_send_flow_get_base (caller->flow), &caller->address, caller->ssrc);
}

static void
bind_caller (GstTfrcListening *self, GstTfrcServed *caller, const GstTfrcAddress *address)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  caller->address = *address;
  gst_tfrc_port_bind (
      self->port, gst_tfrc_send_flow_get_base (caller->flow), address, caller->ssrc);
}

void
gst_tfrc_listening_add_counts (
    const GstTfrcServed *caller, guint64 now_ns, GstTfrcListeningStats *all)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_send_flow_get_stats (caller->flow, now_ns, &stats);
  all->sent += stats.session.sender.packets_sent;
  all->bytes_sent += stats.session.sender.bytes_sent;
  all->lost += stats.session.packets_lost;
  all->dropped += stats.outbox.packets_dropped;
  all->past_deadline += stats.outbox.deadline.dropped;
}

void
gst_tfrc_listening_dismiss (GstTfrcListening *self, GstTfrcServed *caller)
{
  *caller->guest = (GstTfrcGuest){ .is_dismissed = TRUE };
  gst_tfrc_port_dismiss_flow (self->port, gst_tfrc_send_flow_get_base (caller->flow));
}

/* The caller that was followed has gone: another one with its SSRC is followed from now on. */
static void
follow_another (GstTfrcListening *self, const GstTfrcServed *gone)
{
  GHashTableIter iter;
  gpointer value;

  if (self->n_not_followed == 0 || self->has_left)
    return;
  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const GstTfrcServed *caller = value;

    if (caller != gone && caller->ssrc == gone->ssrc) {
      g_hash_table_insert (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc), value);
      self->n_not_followed--;
      return;
    }
  }
}

/* A caller that takes the SSRC of another one cannot move while the other one is there, which can. */
void
gst_tfrc_listening_unbind_caller (GstTfrcListening *self, GstTfrcServed *caller)
{
  unbind (self, caller);
  if (g_hash_table_lookup (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc)) == caller) {
    g_hash_table_remove (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc));
    follow_another (self, caller);
  } else {
    self->n_not_followed--;
  }
  g_hash_table_remove (self->by_flow, gst_tfrc_send_flow_get_base (caller->flow));
}

void
gst_tfrc_listening_remove_caller (GstTfrcListening *self, GstTfrcServed *caller, guint64 now_ns)
{
  gst_tfrc_call_news_add (&self->news, GST_TFRC_CALL_REMOVED, caller->id, &caller->address,
      caller->stream_id, caller->end);
  gst_tfrc_listening_add_counts (caller, now_ns, &self->gone);
  gst_tfrc_callers_forget (gst_tfrc_call_flow_get_callers (self->strangers), caller->id);
  gst_tfrc_listening_unbind_caller (self, caller);
  if (caller->guest)
    gst_tfrc_listening_dismiss (self, caller);
  else
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
    while (g_hash_table_iter_next (&iter, NULL, &caller) && ((GstTfrcServed *) caller)->end == NULL)
      ;
    self->n_ends--;
    gst_tfrc_listening_remove_caller (self, caller, now_ns);
  }
}

/* Returns the caller with this SSRC that is at this address as well; NULL: none. */
static GstTfrcServed *
find_same (const GstTfrcListening *self, const GstTfrcCaller *accepted)
{
  GstTfrcServed *other = g_hash_table_lookup (self->by_ssrc, GUINT_TO_POINTER (accepted->ssrc));

  return other && gst_tfrc_address_equal (&other->address, &accepted->address) ? other : NULL;
}

/* A receiver that has called from another address, and moved there before it was accepted, has a stream already. */
void
gst_tfrc_listening_add_caller (GstTfrcListening *self, const GstTfrcCaller *accepted,
    GstTfrcSendFlow *flow, GstTfrcGuest *guest, GstTfrcCredentials *credentials, guint64 now_ns)
{
  GstTfrcServed *caller = g_new0 (GstTfrcServed, 1), *same = find_same (self, accepted);
  gboolean is_first;

  if (same)
    set_end (self, same, CALLS_ANEW);
  caller->id = accepted->id;
  caller->ssrc = accepted->ssrc;
  caller->stream_id = g_strdup (accepted->stream_id);
  caller->flow = flow;
  caller->guest = guest;
  caller->credentials = credentials;
  caller->called_ns = now_ns;
  g_hash_table_insert (self->by_id, &caller->id, caller);
  g_hash_table_insert (self->by_flow, gst_tfrc_send_flow_get_base (flow), caller);
  is_first = !g_hash_table_contains (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc));
  if (same || is_first)
    g_hash_table_insert (self->by_ssrc, GUINT_TO_POINTER (caller->ssrc), caller);
  self->n_not_followed += !is_first;
  bind_caller (self, caller, &accepted->address);
  self->sweep_ns = MIN (self->sweep_ns, now_ns + SWEEP_INTERVAL_NS);
  gst_tfrc_call_news_add (&self->news, GST_TFRC_CALL_ADDED, accepted->id, &accepted->address,
      accepted->stream_id, NULL);
}

/* ---- the calls of the flow of strangers ---------------------------------------------- */

/* A call that was repeated, one of a caller that waits for the first packet, or one of a caller that hears nothing any
 * more and tries another address of this host. */
static void
on_call_again (GstTfrcListening *self, const GstTfrcCaller *caller, guint64 now_ns)
{
  GstTfrcServed *served = g_hash_table_lookup (self->by_id, &caller->id);

  if (served == NULL)
    return;
  served->called_ns = now_ns;
  gst_tfrc_send_paths_set_local (
      gst_tfrc_send_session_get_paths (gst_tfrc_send_flow_get_session (served->flow)),
      &caller->local);
}

static void
called (gpointer owner, const GstTfrcCaller *caller, GstTfrcCallersResult result, guint64 now_ns)
{
  GstTfrcListening *self = owner;

  if (result == GST_TFRC_CALLERS_AGAIN)
    on_call_again (self, caller, now_ns);
  else
    gst_tfrc_call_news_add_call (&self->news, caller, result);
}

/* Here a flow may be served, so that the caller goes later. */
static void
replaced (gpointer owner, guint64 id) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcListening *self = owner;
  GstTfrcServed *caller = g_hash_table_lookup (self->by_id, &id);

  if (caller)
    set_end (self, caller, CALLS_ANEW);
}

static gboolean
take (gpointer owner, guint32 ssrc, const GstTfrcReceivedPacket *packet, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcListening *self = owner;
  GstTfrcServed *caller = g_hash_table_lookup (self->by_ssrc, GUINT_TO_POINTER (ssrc));
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
gst_tfrc_listening_new (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcAudience *audience,
    const GstTfrcSendFlowConfig *flow, guint max_callers,
    const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc)
{
  GstTfrcListening *self = g_new0 (GstTfrcListening, 1);

  self->port = port;
  self->tenant = tenant;
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
  g_queue_init (&self->deferred);
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
  g_queue_clear_full (&self->deferred, g_free);
  gst_tfrc_events_clear (&self->to_tell);
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
follow_address (GstTfrcListening *self, GstTfrcServed *caller)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcAddress *peer = gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (gst_tfrc_send_flow_get_session (caller->flow)));

  if (gst_tfrc_address_equal (peer, &caller->address))
    return;
  unbind (self, caller);
  gst_tfrc_callers_move (gst_tfrc_call_flow_get_callers (self->strangers), caller->id, peer);
  bind_caller (self, caller, peer);
}

static GstTfrcPeerState
state_of (const GstTfrcServed *caller)
{
  return gst_tfrc_receiver_view_get_state (
      gst_tfrc_send_session_get_receiver (gst_tfrc_send_flow_get_session (caller->flow)));
}

/* A BYE, which others can forge, counts once the caller has not answered the report that follows. */
static const gchar *
find_end (const GstTfrcServed *caller, guint64 now_ns)
{
  switch (state_of (caller)) {
    case GST_TFRC_PEER_GONE:
      if (gst_tfrc_send_session_is_peer_absent (gst_tfrc_send_flow_get_session (caller->flow)))
        return "it has said BYE";
      break;
    case GST_TFRC_PEER_LOST:
      return "it does not answer any more";
    case GST_TFRC_PEER_WAITING:
      if (now_ns >= caller->called_ns + GST_TFRC_LISTENING_NO_FEEDBACK_NS)
        return "no feedback has come; a firewall may drop it";
      break;
    case GST_TFRC_PEER_CONNECTED:
      break;
  }
  return gst_tfrc_send_flow_is_broken (caller->flow) ? "the network is too congested" : NULL;
}

static gboolean
is_move (const GstTfrcEvent *event)
{
  return event->kind == GST_TFRC_EVENT_MIGRATED
      || (event->kind == GST_TFRC_EVENT_HANDOVER
          && event->of.handover.kind == GST_TFRC_HANDOVER_EVENT_COMPLETED);
}

/* Returns why the caller is to be removed, which may be @end. */
static const gchar *
take_events (GstTfrcListening *self, GstTfrcServed *caller, guint64 now_ns, const gchar *end)
{
  GstTfrcEvent event;

  gst_tfrc_send_flow_find_news (caller->flow, now_ns);
  while (gst_tfrc_events_take (gst_tfrc_send_flow_get_events (caller->flow), &event)) {
    if (event.kind == GST_TFRC_EVENT_SECURITY_FAILED)
      end = "no keys can be agreed on";
    if (event.kind == GST_TFRC_EVENT_SECURITY_EXPIRED)
      end = "its key has protected as much as a key may";
    if (event.kind == GST_TFRC_EVENT_KEY_UNIT)
      gst_tfrc_key_units_want (
          &self->key_units, gst_tfrc_send_flow_get_rtt_ns (caller->flow), now_ns);
    if (is_move (&event))
      gst_tfrc_events_add_kind (&self->to_tell, GST_TFRC_EVENT_CALLER_MOVED);
    if (event.kind == GST_TFRC_EVENT_SEND_ERROR)
      gst_tfrc_events_add (&self->to_tell, &event);
  }
  return end;
}

static void
look_at (GstTfrcListening *self, GstTfrcServed *caller, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const gchar *end = find_end (caller, now_ns);

  if (caller->is_dropped && !gst_tfrc_send_flow_wants_bye (caller->flow))
    end = "it was dropped";
  if (caller->guest == NULL)
    end = take_events (self, caller, now_ns, end);
  if (end)
    set_end (self, caller, end);
  else
    follow_address (self, caller);
}

void
gst_tfrc_listening_flow_served (GstTfrcListening *self, GstTfrcFlow *flow, guint64 now_ns)
{
  GstTfrcServed *caller = g_hash_table_lookup (self->by_flow, flow);

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

/* Most have been answered meanwhile. */
static void
refuse_deferred (GstTfrcListening *self, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcDeferred *first;

  while ((first = g_queue_peek_head (&self->deferred)) && now_ns >= first->end_ns) {
    gst_tfrc_call_news_refuse (&self->news, gst_tfrc_call_flow_get_callers (self->strangers),
        first->id, "the application has not answered", now_ns);
    g_free (g_queue_pop_head (&self->deferred));
    gst_tfrc_port_serve_soon (self->port, gst_tfrc_listening_get_base (self));
  }
}

static void
note_stats (GstTfrcListening *self, guint64 now_ns)
{
  if (now_ns < self->stats_ns)
    return;
  self->stats_ns = now_ns + self->stats_interval_ns;
  gst_tfrc_events_add_kind (&self->to_tell, GST_TFRC_EVENT_STATISTICS);
}

gboolean
gst_tfrc_listening_served (GstTfrcListening *self, guint64 now_ns)
{
  if (self->has_left)
    return FALSE;
  sweep (self, now_ns);
  remove_ended (self, now_ns);
  if (g_hash_table_size (self->by_id) == 0)
    self->sweep_ns = G_MAXUINT64;
  refuse_deferred (self, now_ns);
  note_stats (self, now_ns);
  if (gst_tfrc_key_units_take_wanted (&self->key_units, now_ns))
    gst_tfrc_events_add_kind (&self->to_tell, GST_TFRC_EVENT_KEY_UNIT);
  return gst_tfrc_events_are_waiting (&self->to_tell) || !g_queue_is_empty (&self->news);
}

guint64
gst_tfrc_listening_next_ns (const GstTfrcListening *self)
{
  const GstTfrcDeferred *first = g_queue_peek_head ((GQueue *) &self->deferred);
  guint64 next_ns = MIN (self->sweep_ns, self->stats_ns);

  if (self->has_left)
    return G_MAXUINT64;
  if (self->n_ends > 0)
    return 0;
  next_ns = MIN (next_ns, gst_tfrc_key_units_next_ns (&self->key_units));
  return first ? MIN (next_ns, first->end_ns) : next_ns;
}
