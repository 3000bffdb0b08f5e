/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door of a receiver, see door.h. */
#include "door.h"

#include <string.h>

#include "../flow/callflow.h"

#define OTHER_STREAM "the receiver takes another stream id"

/* Those that wait for a decision are limited by themselves, and who is let in makes room for itself. */
#define MAX_CALLERS (GST_TFRC_DOOR_SENDERS + GST_TFRC_CALLERS_WAITING)

/* A sender that was let in */
typedef struct
{
  guint64 id; /* of its call */
  GstTfrcAddress address;
  guint32 ssrc; /* of the call */
  gchar *stream_id;
  gboolean was_played; /* its stream is the receiver's, or was */
  gboolean is_dropped; /* by the application: removed as soon as its BYE has left */
} Sender;

struct _GstTfrcDoor
{
  GstTfrcPort *port;
  GstTfrcReceiveFlow *flow;
  gchar *stream_id;
  GstTfrcCallFlow *calls;
  GQueue senders; /* of Sender, the oldest first */
  GQueue news;    /* of GstTfrcCallNews */
};

static void
free_sender (gpointer data)
{
  Sender *sender = data;

  g_free (sender->stream_id);
  g_free (sender);
}

static void
unbind (GstTfrcDoor *self, const Sender *sender) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_port_unbind (
      self->port, gst_tfrc_receive_flow_base (self->flow), &sender->address, sender->ssrc);
}

static void
forget (GstTfrcDoor *self, GList *link, const gchar *reason) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  Sender *sender = link->data;

  gst_tfrc_call_news_add (
      &self->news, GST_TFRC_CALL_REMOVED, sender->id, &sender->address, sender->stream_id, reason);
  gst_tfrc_src_keys_remove_credentials (
      gst_tfrc_receive_flow_get_keys (self->flow), &sender->address);
  unbind (self, sender);
  g_queue_delete_link (&self->senders, link);
  free_sender (sender);
}

static const GstTfrcPeerId *
get_peer (const GstTfrcDoor *self)
{
  return gst_tfrc_selection_get_peer (gst_tfrc_receive_flow_get_selection (self->flow));
}

static void
remove_sender (GstTfrcDoor *self, GList *link, const gchar *reason)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_callers_forget (
      gst_tfrc_call_flow_get_callers (self->calls), ((const Sender *) link->data)->id);
  forget (self, link, reason);
}

static GList *
find_sender (const GstTfrcDoor *self, guint64 id)
{
  GList *link = self->senders.head;

  while (link && ((const Sender *) link->data)->id != id)
    link = link->next;
  return link;
}

/* The sender whose stream is played stays. */
static void
make_room (GstTfrcDoor *self) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GList *link = self->senders.head;

  if (g_queue_get_length (&self->senders) < GST_TFRC_DOOR_SENDERS)
    return;
  if (gst_tfrc_peer_id_is_at (get_peer (self), &((const Sender *) link->data)->address))
    link = link->next;
  remove_sender (self, link, "another sender needs its place");
}

static void
let_in (GstTfrcDoor *self, guint64 id, GstTfrcCredentials *credentials)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcCaller caller;
  Sender *sender;

  if (!gst_tfrc_callers_accept (gst_tfrc_call_flow_get_callers (self->calls), id, &caller))
    return;
  make_room (self);
  sender = g_new (Sender, 1);
  *sender = (Sender){ id, caller.address, caller.ssrc, g_strdup (caller.stream_id), FALSE, FALSE };
  g_queue_push_tail (&self->senders, sender);
  gst_tfrc_src_keys_set_credentials (
      gst_tfrc_receive_flow_get_keys (self->flow), &caller.address, credentials);
  gst_tfrc_port_bind (
      self->port, gst_tfrc_receive_flow_base (self->flow), &caller.address, caller.ssrc);
  gst_tfrc_call_news_add (
      &self->news, GST_TFRC_CALL_ADDED, id, &caller.address, caller.stream_id, NULL);
}

static void
refuse (GstTfrcDoor *self, guint64 id, const gchar *reason, guint64 now_ns)
{
  gst_tfrc_call_news_refuse (
      &self->news, gst_tfrc_call_flow_get_callers (self->calls), id, reason, now_ns);
}

void
gst_tfrc_door_answer (GstTfrcDoor *self, guint64 id, const gchar *refusal,
    GstTfrcCredentials *credentials, guint64 now_ns)
{
  if (refusal)
    refuse (self, id, refusal, now_ns);
  else
    let_in (self, id, credentials);
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_call_flow_get_base (self->calls));
}

/* ---- the calls of the flow of strangers ---------------------------------------------- */

static void
called (gpointer owner, const GstTfrcCaller *caller, GstTfrcCallersResult result, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcDoor *self = owner;
  gboolean is_wanted = *self->stream_id == '\0' || strcmp (caller->stream_id, self->stream_id) == 0;

  if (result == GST_TFRC_CALLERS_AGAIN)
    return;
  if (result == GST_TFRC_CALLERS_NEW && !is_wanted)
    refuse (self, caller->id, OTHER_STREAM, now_ns);
  else
    gst_tfrc_call_news_add_call (&self->news, caller, result);
}

static void
replaced (gpointer owner, guint64 id) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcDoor *self = owner;
  GList *link = find_sender (self, id);

  if (link)
    forget (self, link, "its port calls anew");
}

/* A sender that has another address now calls again. */
static gboolean
take (gpointer owner, guint32 ssrc, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  return FALSE;
}

static const GstTfrcCallFlowOwner methods = { called, replaced, take };

GstTfrcDoor *
gst_tfrc_door_new (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcReceiveFlow *flow,
    const gchar *stream_id, const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc)
{
  GstTfrcDoor *self = g_new0 (GstTfrcDoor, 1);

  self->port = port;
  self->flow = flow;
  self->stream_id = g_strdup (stream_id);
  self->calls = gst_tfrc_call_flow_new (secret, own_ssrc, MAX_CALLERS, &methods, self);
  g_queue_init (&self->senders);
  g_queue_init (&self->news);
  gst_tfrc_port_add_flow (port, tenant, gst_tfrc_call_flow_get_base (self->calls));
  gst_tfrc_port_set_strangers (port, gst_tfrc_call_flow_get_base (self->calls));
  return self;
}

void
gst_tfrc_door_free (GstTfrcDoor *self)
{
  if (self == NULL)
    return;
  gst_tfrc_call_flow_free (self->calls);
  g_queue_clear_full (&self->senders, free_sender);
  g_queue_clear_full (&self->news, (GDestroyNotify) gst_tfrc_call_news_free);
  g_free (self->stream_id);
  g_free (self);
}

gboolean
gst_tfrc_door_drop (GstTfrcDoor *self, guint64 id, guint64 now_ns)
{
  GList *link = find_sender (self, id);
  Sender *sender;

  if (link == NULL || (sender = link->data)->is_dropped)
    return FALSE;
  sender->is_dropped = TRUE;
  unbind (self, sender);
  gst_tfrc_receive_flow_end_sender (self->flow, &sender->address, now_ns);
  gst_tfrc_port_serve_soon (self->port, gst_tfrc_receive_flow_base (self->flow));
  return TRUE;
}

/* A new sender at the address of one that has ended has not been played yet. */
gboolean
gst_tfrc_door_served (GstTfrcDoor *self)
{
  const GstTfrcPeerId *peer = self ? get_peer (self) : NULL;
  GList *link = self ? self->senders.head : NULL, *next;

  for (; link; link = next) {
    Sender *sender = link->data;

    next = link->next;
    if (sender->is_dropped)
      remove_sender (self, link, "it was dropped");
    else if (gst_tfrc_peer_id_is_at (peer, &sender->address))
      sender->was_played = TRUE;
    else if (sender->was_played && !peer->exists
        && gst_tfrc_address_equal (&peer->address, &sender->address))
      remove_sender (self, link, "its stream has ended");
  }
  return gst_tfrc_door_has_news (self);
}

gboolean
gst_tfrc_door_has_news (const GstTfrcDoor *self)
{
  return self && !g_queue_is_empty ((GQueue *) &self->news);
}

GstTfrcCallNews *
gst_tfrc_door_take_news (GstTfrcDoor *self)
{
  return g_queue_pop_head (&self->news);
}

void
gst_tfrc_door_get_stats (const GstTfrcDoor *self, GstTfrcCallersStats *stats)
{
  gst_tfrc_callers_get_stats (gst_tfrc_call_flow_get_callers (self->calls), stats);
}

static void
clear_listed (gpointer data)
{
  g_free (((GstTfrcDoorSender *) data)->stream_id);
}

GArray *
gst_tfrc_door_list_senders (const GstTfrcDoor *self)
{
  GArray *senders = g_array_new (FALSE, FALSE, sizeof (GstTfrcDoorSender));

  g_array_set_clear_func (senders, clear_listed);
  for (const GList *link = self->senders.head; link; link = link->next) {
    const Sender *sender = link->data;
    GstTfrcDoorSender listed;

    if (sender->is_dropped)
      continue;
    listed = (GstTfrcDoorSender){ sender->id, sender->address, g_strdup (sender->stream_id),
      gst_tfrc_peer_id_is_at (get_peer (self), &sender->address) };
    g_array_append_val (senders, listed);
  }
  return senders;
}

guint64
gst_tfrc_door_get_dropped (const GstTfrcDoor *self)
{
  return self ? gst_tfrc_call_flow_get_foreign (self->calls) : 0;
}
