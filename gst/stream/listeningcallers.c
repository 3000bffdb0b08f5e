/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callers of a sender that listens, as others see them, see listening.h: what the application answers,
 * streams that serve one, their end, statistics, and what is told. */
#include "listening-private.h"

/* ---- the application --------------------------------------------------------------------- */

static GstTfrcSendFlow *
new_flow (const GstTfrcListening *self, const GstTfrcCaller *caller,
    GstTfrcCredentials *credentials, guint64 now_ns)
{
  GstTfrcSendFlowConfig config = self->config;

  gst_tfrc_call_flow_set_session (&config.session, caller);
  config.limits = gst_tfrc_audience_get_limits (self->audience);
  if (credentials)
    config.security.credentials = credentials;
  return gst_tfrc_send_flow_new (&config, now_ns);
}

static void
refuse (GstTfrcListening *self, guint64 id, const gchar *reason, guint64 now_ns)
{
  gst_tfrc_call_news_refuse (
      &self->news, gst_tfrc_call_flow_get_callers (self->strangers), id, reason, now_ns);
}

/* The caller is told that it is accepted once its stream is there. */
static void
begin_stream (GstTfrcListening *self, guint64 id, GstTfrcCredentials *credentials, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcCallers *callers = gst_tfrc_call_flow_get_callers (self->strangers);
  const GstTfrcCaller *waiting = gst_tfrc_callers_find_waiting (callers, id);
  GstTfrcSendFlow *flow = waiting ? new_flow (self, waiting, credentials, now_ns) : NULL;
  GstTfrcCaller caller;

  if (flow == NULL) {
    refuse (self, id, "no stream can be made", now_ns);
    return;
  }
  gst_tfrc_callers_accept (callers, id, &caller);
  gst_tfrc_audience_add (self->audience, flow, now_ns);
  gst_tfrc_listening_add_caller (self, &caller, flow, NULL,
      credentials ? gst_tfrc_credentials_ref (credentials) : NULL, now_ns);
}

void
gst_tfrc_listening_answer (GstTfrcListening *self, guint64 id, const gchar *refusal,
    GstTfrcCredentials *credentials, guint64 now_ns)
{
  if (refusal)
    refuse (self, id, refusal, now_ns);
  else
    begin_stream (self, id, credentials, now_ns);
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_listening_get_base (self));
}

void
gst_tfrc_listening_defer (GstTfrcListening *self, guint64 id, guint64 now_ns)
{
  GstTfrcDeferred *deferred = g_new (GstTfrcDeferred, 1);

  *deferred = (GstTfrcDeferred){ id, now_ns + GST_TFRC_LISTENING_DEFER_NS };
  g_queue_push_tail (&self->deferred, deferred);
  gst_tfrc_port_reschedule_owner (self->port, self->tenant);
}

void
gst_tfrc_listening_set_max_callers (GstTfrcListening *self, guint max_callers)
{
  gst_tfrc_callers_set_max (gst_tfrc_call_flow_get_callers (self->strangers), max_callers);
}

/* The packets of a guest leave from this stream's socket. */
void
gst_tfrc_listening_set_ttl (GstTfrcListening *self, guint ttl)
{
  GHashTableIter iter;
  gpointer caller;

  self->config.session.media.ttl = ttl;
  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &caller))
    gst_tfrc_send_flow_set_ttl (((GstTfrcServed *) caller)->flow, ttl);
}

/* ---- guests ------------------------------------------------------------------------------- */

gboolean
gst_tfrc_listening_find_waiting (
    GstTfrcListening *self, guint64 id, GstTfrcSendSessionConfig *session)
{
  const GstTfrcCaller *caller = gst_tfrc_callers_find_waiting (
      gst_tfrc_call_flow_get_callers (self->strangers), id);

  if (caller)
    gst_tfrc_call_flow_set_session (session, caller);
  return caller != NULL;
}

void
gst_tfrc_listening_add_guest (
    GstTfrcListening *self, guint64 id, GstTfrcGuest *guest, GstTfrcSendFlow *flow, guint64 now_ns)
{
  GstTfrcCaller caller;

  if (!gst_tfrc_callers_accept (gst_tfrc_call_flow_get_callers (self->strangers), id, &caller))
    return;
  *guest = (GstTfrcGuest){ self, id, FALSE };
  gst_tfrc_listening_add_caller (self, &caller, flow, guest, NULL, now_ns);
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_listening_get_base (self));
}

void
gst_tfrc_listening_remove_guest (GstTfrcGuest *guest, guint64 now_ns)
{
  GstTfrcListening *self = guest->listening;
  GstTfrcServed *caller = g_hash_table_lookup (self->by_id, &guest->id);

  if (caller->end == NULL)
    caller->end = "its stream has ended";
  else
    self->n_ends--;
  gst_tfrc_listening_remove_caller (self, caller, now_ns);
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_listening_get_base (self));
}

void
gst_tfrc_listening_leave (GstTfrcListening *self, guint64 now_ns)
{
  GHashTableIter iter;
  gpointer value;

  self->has_left = TRUE;
  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    GstTfrcServed *caller = value;

    gst_tfrc_listening_unbind_caller (self, caller);
    if (caller->guest) {
      gst_tfrc_send_flow_say_bye (caller->flow);
      gst_tfrc_listening_dismiss (self, caller);
      g_hash_table_iter_remove (&iter);
    }
  }
}

/* ---- the end of a caller ------------------------------------------------------------------- */

/* The loop may be amid a turn, at whose end callers are removed, and has not sent the BYE then. */
gboolean
gst_tfrc_listening_drop (GstTfrcListening *self, guint64 id)
{
  GstTfrcServed *caller = g_hash_table_lookup (self->by_id, &id);

  if (caller == NULL)
    return FALSE;
  gst_tfrc_send_flow_say_bye (caller->flow);
  caller->is_dropped = TRUE;
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_send_flow_get_base (caller->flow));
  return TRUE;
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
    gst_tfrc_listening_add_counts (caller, now_ns, stats);
}

GArray *
gst_tfrc_listening_list_callers (const GstTfrcListening *self)
{
  GArray *ids = g_array_sized_new (FALSE, FALSE, sizeof (guint64), g_hash_table_size (self->by_id));
  GHashTableIter iter;
  gpointer caller;

  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &caller))
    g_array_append_val (ids, ((GstTfrcServed *) caller)->id);
  return ids;
}

gboolean
gst_tfrc_listening_get_caller (
    const GstTfrcListening *self, guint64 id, guint64 now_ns, GstTfrcCallerStats *caller)
{
  const GstTfrcServed *served = g_hash_table_lookup (self->by_id, &id);

  if (served == NULL)
    return FALSE;
  caller->stream_id = g_strdup (served->stream_id);
  gst_tfrc_send_flow_get_stats (served->flow, now_ns, &caller->stats);
  caller->stats.local_port = gst_tfrc_port_get_number (self->port);
  return TRUE;
}

void
gst_tfrc_listening_set_stats_interval (GstTfrcListening *self, guint64 interval_ns, guint64 now_ns)
{
  if (interval_ns == self->stats_interval_ns)
    return;
  self->stats_interval_ns = interval_ns;
  self->stats_ns = interval_ns > 0 ? now_ns + interval_ns : G_MAXUINT64;
}

/* ---- what is told ------------------------------------------------------------------------- */

gboolean
gst_tfrc_listening_take_event (GstTfrcListening *self, GstTfrcEvent *event)
{
  if (gst_tfrc_events_take (&self->to_tell, event))
    return TRUE;
  *event = (GstTfrcEvent){ .kind = GST_TFRC_EVENT_CALLERS };
  return !g_queue_is_empty (&self->news);
}

GstTfrcCallNews *
gst_tfrc_listening_take_news (GstTfrcListening *self)
{
  return g_queue_pop_head (&self->news);
}
