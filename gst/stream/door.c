/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door of a receiver, see door.h. */
#include "door.h"

#include <string.h>

#include "../common/clock.h"
#include "../common/log.h"
#include "../flow/callflow.h"

#define REFUSAL "the receiver takes another stream id"

/* A sender that was let in */
typedef struct
{
  guint64 id; /* of its call */
  GstTfrcAddress address;
  guint32 ssrc;
} Sender;

struct _GstTfrcDoor
{
  GstTfrcPort *port;
  GstTfrcReceiveFlow *flow;
  gchar *stream_id;
  GstTfrcCallFlow *calls;
  GQueue senders; /* of Sender, the oldest first */
};

static void
forget (GstTfrcDoor *self, GList *link) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  Sender *sender = link->data;

  gst_tfrc_port_unbind (self->port, &sender->address, sender->ssrc);
  g_queue_delete_link (&self->senders, link);
  g_free (sender);
}

/* The sender whose stream is played stays. */
static void
make_room (GstTfrcDoor *self) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcPeerId *peer = gst_tfrc_selection_get_peer (
      gst_tfrc_receive_flow_get_selection (self->flow));
  GList *link = self->senders.head;

  if (g_queue_get_length (&self->senders) < GST_TFRC_DOOR_SENDERS)
    return;
  if (gst_tfrc_peer_id_is_at (peer, &((const Sender *) link->data)->address))
    link = link->next;
  gst_tfrc_callers_forget (
      gst_tfrc_call_flow_get_callers (self->calls), ((const Sender *) link->data)->id);
  forget (self, link);
}

static void
let_in (GstTfrcDoor *self, guint64 id) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcCaller caller;
  Sender *sender;

  make_room (self);
  if (!gst_tfrc_callers_accept (gst_tfrc_call_flow_get_callers (self->calls), id, &caller))
    return;
  gst_tfrc_log (port, INFO, "sender %s is let in", GST_TFRC_ADDRESS_TEXT (&caller.address));
  sender = g_new (Sender, 1);
  *sender = (Sender){ id, caller.address, caller.ssrc };
  g_queue_push_tail (&self->senders, sender);
  gst_tfrc_port_bind (
      self->port, gst_tfrc_receive_flow_base (self->flow), &caller.address, caller.ssrc);
}

static void
called (gpointer owner, const GstTfrcCaller *caller, GstTfrcCallersResult result)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcDoor *self = owner;
  GstTfrcCaller refused;

  if (result != GST_TFRC_CALLERS_NEW)
    return;
  if (strcmp (caller->stream_id, self->stream_id) == 0) {
    let_in (self, caller->id);
    return;
  }
  gst_tfrc_log (port, INFO, "sender %s is refused with stream id \"%s\"",
      GST_TFRC_ADDRESS_TEXT (&caller->address), caller->stream_id);
  gst_tfrc_callers_refuse (gst_tfrc_call_flow_get_callers (self->calls), caller->id, REFUSAL,
      gst_tfrc_clock_now_ns (), &refused);
}

static void
replaced (gpointer owner, guint64 id) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcDoor *self = owner;
  GList *link = self->senders.head;

  while (link && ((const Sender *) link->data)->id != id)
    link = link->next;
  if (link)
    forget (self, link);
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
  self->calls = gst_tfrc_call_flow_new (
      secret, own_ssrc, GST_TFRC_DOOR_SENDERS + 1, &methods, self);
  g_queue_init (&self->senders);
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
  g_queue_clear_full (&self->senders, g_free);
  g_free (self->stream_id);
  g_free (self);
}

guint64
gst_tfrc_door_get_dropped (const GstTfrcDoor *self)
{
  return self ? gst_tfrc_call_flow_get_foreign (self->calls) : 0;
}
