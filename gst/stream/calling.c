/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that calls, see calling.h. */
#include "calling.h"

#include "../common/random.h"
#include "../flow/callingflow.h"

struct _GstTfrcCalling
{
  GstTfrcPort *port;
  GstTfrcSendFlow *stream;
  GstTfrcCallingFlow *call;
};

static void
accepted (gpointer owner) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcCalling *self = owner;

  gst_tfrc_port_release_flow (self->port, gst_tfrc_send_flow_get_base (self->stream));
}

static gboolean
is_heard (gpointer owner)
{
  GstTfrcCalling *self = owner;

  return gst_tfrc_receiver_view_get_state (
             gst_tfrc_send_session_get_receiver (gst_tfrc_send_flow_get_session (self->stream)))
      == GST_TFRC_PEER_CONNECTED;
}

/* The receiver may be at another address now. */
static void
pass_on (gpointer owner, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcCalling *self = owner;
  GstTfrcFlow *flow = gst_tfrc_send_flow_get_base (self->stream);

  gst_tfrc_flow_pass_on (flow, packets, n, now_ns);
  gst_tfrc_port_serve_soon (self->port, flow);
}

static const GstTfrcCallingFlowOwner methods = { accepted, is_heard, pass_on };

GstTfrcCalling *
gst_tfrc_calling_new (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcSendFlow *flow,
    const gchar *stream_id, guint64 now_ns)
{
  GstTfrcCalling *self;
  guint32 ssrc, number;
  const GstTfrcAddress *peer = gst_tfrc_send_paths_get_peer (
      gst_tfrc_send_session_get_paths (gst_tfrc_send_flow_get_session (flow)));

  if (!gst_tfrc_random_fill (&ssrc, sizeof ssrc) || !gst_tfrc_random_fill (&number, sizeof number))
    return NULL;
  self = g_new0 (GstTfrcCalling, 1);
  self->port = port;
  self->stream = flow;
  self->call = gst_tfrc_calling_flow_new (
      peer, ssrc, number, stream_id, gst_tfrc_send_flow_get_events (flow), &methods, self, now_ns);
  gst_tfrc_port_hold_flow (port, gst_tfrc_send_flow_get_base (flow));
  gst_tfrc_port_bind (port, gst_tfrc_send_flow_get_base (flow), peer, 0);
  gst_tfrc_port_add_flow (port, tenant, gst_tfrc_calling_flow_get_base (self->call));
  gst_tfrc_port_set_strangers (port, gst_tfrc_calling_flow_get_base (self->call));
  return self;
}

void
gst_tfrc_calling_free (GstTfrcCalling *self)
{
  if (self == NULL)
    return;
  gst_tfrc_calling_flow_free (self->call);
  g_free (self);
}

const gchar *
gst_tfrc_calling_get_refusal (const GstTfrcCalling *self)
{
  const GstTfrcCall *call = self ? gst_tfrc_calling_flow_get_call (self->call) : NULL;

  return call && gst_tfrc_call_get_state (call) == GST_TFRC_CALL_REFUSED
      ? gst_tfrc_call_get_reason (call)
      : NULL;
}
