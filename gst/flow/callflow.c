/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of strangers at a listening sender, see callflow.h. */
#include "callflow.h"

#include <gst/gst.h>

G_STATIC_ASSERT (GST_TFRC_ANSWER_MAX_BYTES <= GST_TFRC_DATAGRAM_BYTES);

struct _GstTfrcCallFlow
{
  GstTfrcFlow base; /* the first field */
  GstTfrcCallers *callers;
  const GstTfrcCallFlowOwner *methods;
  gpointer owner;
  guint64 foreign;
};

static void
on_call (GstTfrcCallFlow *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  GstTfrcCaller caller;
  guint64 replaced;
  GstTfrcCallersResult result = gst_tfrc_callers_on_packet (
      self->callers, packet, now_ns, &caller, &replaced);

  if (replaced != 0)
    self->methods->replaced (self->owner, replaced);
  if (result != GST_TFRC_CALLERS_NOTHING)
    self->methods->called (self->owner, &caller, result, now_ns);
}

/* Feedback and reports of a caller, still protected; the SSRC of their sender is not. */
static void
on_other (GstTfrcCallFlow *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  gboolean is_rtcp = !packet->truncated && packet->size >= 8
      && tfrc_wire_classify (packet->data, packet->size) == TFRC_WIRE_KIND_RTCP;

  if (!is_rtcp
      || !self->methods->take (self->owner, GST_READ_UINT32_BE (packet->data + 4), packet, now_ns))
    self->foreign++;
}

static void
on_datagrams (GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcCallFlow *self = (GstTfrcCallFlow *) flow;

  for (guint i = 0; i < n; i++) {
    if (gst_tfrc_call_packet_is (packets[i].data, packets[i].size))
      on_call (self, &packets[i], now_ns);
    else
      on_other (self, &packets[i], now_ns);
  }
}

static void
on_time (GstTfrcFlow *flow, guint64 now_ns)
{
  gst_tfrc_callers_on_time (((GstTfrcCallFlow *) flow)->callers, now_ns);
}

/* A caller that has gone is told of by its own flow. */
static void
on_error (GstTfrcFlow *flow, gint error, const GstTfrcAddress *destination, gboolean by_rtcp_port,
    guint64 now_ns)
{
}

static guint64
deadline (const GstTfrcFlow *flow)
{
  return gst_tfrc_callers_next_ns (((const GstTfrcCallFlow *) flow)->callers);
}

static void
poll (GstTfrcFlow *flow, guint64 now_ns, GstTfrcPolled *polled)
{
  GstTfrcCallFlow *self = (GstTfrcCallFlow *) flow;

  guint8 *room;

  while ((room = gst_tfrc_polled_get_room (polled))) {
    GstTfrcLocalPath path = { 0 };
    GstTfrcDatagram *datagram;
    GstTfrcAddress to;
    gsize size = gst_tfrc_callers_write (self->callers, room, &to, &path.local);

    if (size == 0)
      return;
    datagram = gst_tfrc_polled_add_control (polled, size, &to);
    datagram->path = path;
    datagram->may_reroute = TRUE;
  }
}

/* An answer that is lost is asked for again. */
static void
on_sent (GstTfrcFlow *flow, const GstTfrcPolled *polled, guint64 now_ns)
{
}

static const GstTfrcFlowClass klass = { on_datagrams, on_time, on_error, deadline, poll, on_sent,
  gst_tfrc_call_packet_is };

GstTfrcCallFlow *
gst_tfrc_call_flow_new (const guint8 secret[GST_TFRC_SECRET_BYTES], guint32 own_ssrc,
    guint max_callers, const GstTfrcCallFlowOwner *methods, gpointer owner)
{
  GstTfrcCallFlow *self = g_new0 (GstTfrcCallFlow, 1);

  gst_tfrc_flow_init (&self->base, &klass);
  self->callers = gst_tfrc_callers_new (secret, own_ssrc, max_callers);
  self->methods = methods;
  self->owner = owner;
  return self;
}

void
gst_tfrc_call_flow_free (GstTfrcCallFlow *self)
{
  if (self == NULL)
    return;
  gst_tfrc_callers_free (self->callers);
  g_free (self);
}

GstTfrcFlow *
gst_tfrc_call_flow_get_base (GstTfrcCallFlow *self)
{
  return &self->base;
}

GstTfrcCallers *
gst_tfrc_call_flow_get_callers (GstTfrcCallFlow *self)
{
  return self->callers;
}

guint64
gst_tfrc_call_flow_get_foreign (const GstTfrcCallFlow *self)
{
  return self->foreign;
}

void
gst_tfrc_call_flow_set_session (GstTfrcSendSessionConfig *session, const GstTfrcCaller *caller)
{
  session->peer = caller->address;
  session->local = caller->local;
  session->media.rate.handshake_rtt_ns = caller->rtt_ns;
}
