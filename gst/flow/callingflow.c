/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of a sender that calls, see callingflow.h. */
#include "callingflow.h"

#include "../strangers/probes.h"

G_STATIC_ASSERT (GST_TFRC_CALL_MAX_BYTES <= GST_TFRC_DATAGRAM_BYTES);

struct _GstTfrcCallingFlow
{
  GstTfrcFlow base; /* the first field */
  GstTfrcAddress peer;
  GstTfrcProbes probes;
  guint64
      look_ns; /* when to look whether the receiver is heard; G_MAXUINT64: it has not accepted */
  GstTfrcEvents *events;
  const GstTfrcCallingFlowOwner *methods;
  gpointer owner;
};

static GstTfrcCallState
state_of (const GstTfrcCallingFlow *self)
{
  return gst_tfrc_call_get_state (gst_tfrc_probes_get_call (&self->probes));
}

static void
on_answer (GstTfrcCallingFlow *self, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  if (gst_tfrc_probes_on_answer (&self->probes, packet)) {
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_CALL_REFUSED);
  } else if (state_of (self) == GST_TFRC_CALL_ACCEPTED
      && gst_tfrc_probes_are_running (&self->probes)) {
    gst_tfrc_probes_stop (&self->probes);
    self->look_ns = now_ns + GST_TFRC_CALLING_AGAIN_NS;
    self->methods->accepted (self->owner);
  }
}

static void
on_datagrams (GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcCallingFlow *self = (GstTfrcCallingFlow *) flow;

  for (guint i = 0; i < n; i++) {
    if (gst_tfrc_answer_packet_is (packets[i].data, packets[i].size))
      on_answer (self, &packets[i], now_ns);
    else
      self->methods->pass_on (self->owner, &packets[i], 1, now_ns);
  }
}

static void
on_time (GstTfrcFlow *flow, guint64 now_ns)
{
  GstTfrcCallingFlow *self = (GstTfrcCallingFlow *) flow;

  if (gst_tfrc_probes_take_unanswered (&self->probes, now_ns))
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_CALL_UNANSWERED);
  if (now_ns < self->look_ns)
    return;
  self->look_ns = now_ns + GST_TFRC_CALLING_AGAIN_NS;
  if (!gst_tfrc_probes_are_running (&self->probes) && !self->methods->is_heard (self->owner))
    gst_tfrc_probes_start (&self->probes, &self->peer, now_ns);
}

/* What an error means, the stream's flow says. */
static void
on_error (GstTfrcFlow *flow, gint error, const GstTfrcAddress *destination, gboolean by_rtcp_port,
    guint64 now_ns)
{
}

static guint64
deadline (const GstTfrcFlow *flow)
{
  const GstTfrcCallingFlow *self = (const GstTfrcCallingFlow *) flow;

  return MIN (gst_tfrc_probes_next_ns (&self->probes), self->look_ns);
}

static void
poll (GstTfrcFlow *flow, guint64 now_ns, GstTfrcPolled *polled)
{
  GstTfrcCallingFlow *self = (GstTfrcCallingFlow *) flow;
  GstTfrcAddress to;
  gsize size = gst_tfrc_probes_write_call (
      &self->probes, now_ns, gst_tfrc_polled_get_room (polled), &to);

  if (size > 0)
    gst_tfrc_polled_add_control (polled, size, &to);
}

/* A call that is lost is repeated. */
static void
on_sent (GstTfrcFlow *flow, const GstTfrcPolled *polled, guint64 now_ns)
{
}

static const GstTfrcFlowClass klass = { on_datagrams, on_time, on_error, deadline, poll, on_sent,
  gst_tfrc_answer_packet_is };

GstTfrcCallingFlow *
gst_tfrc_calling_flow_new (const GstTfrcAddress *peer, guint32 ssrc, guint32 number,
    const gchar *stream_id, GstTfrcEvents *events, const GstTfrcCallingFlowOwner *methods,
    gpointer owner, guint64 now_ns)
{
  GstTfrcCallingFlow *self = g_new0 (GstTfrcCallingFlow, 1);

  gst_tfrc_flow_init (&self->base, &klass);
  self->peer = *peer;
  self->look_ns = G_MAXUINT64;
  self->events = events;
  self->methods = methods;
  self->owner = owner;
  gst_tfrc_probes_call (&self->probes, ssrc, number, stream_id, now_ns);
  gst_tfrc_probes_start (&self->probes, peer, now_ns);
  return self;
}

void
gst_tfrc_calling_flow_free (GstTfrcCallingFlow *self)
{
  g_free (self);
}

GstTfrcFlow *
gst_tfrc_calling_flow_get_base (GstTfrcCallingFlow *self)
{
  return &self->base;
}

const GstTfrcCall *
gst_tfrc_calling_flow_get_call (const GstTfrcCallingFlow *self)
{
  return gst_tfrc_probes_get_call (&self->probes);
}
