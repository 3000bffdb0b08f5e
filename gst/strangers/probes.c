/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes, see probes.h. */
#include "probes.h"

#include "../common/log.h"

#define S_NS G_GUINT64_CONSTANT (1000000000)

#define FIRST_INTERVAL_NS (S_NS / 4)
#define MAX_INTERVAL_NS (2 * S_NS)

static gboolean
is_calling (const GstTfrcProbes *self)
{
  return gst_tfrc_call_get_state (&self->call) == GST_TFRC_CALL_CALLING;
}

/* A sender that accepted a call, and is probed again, may have forgotten it. */
void
gst_tfrc_probes_start (GstTfrcProbes *self, const GstTfrcAddress *address, guint64 now_ns)
{
  if (gst_tfrc_call_get_state (&self->call) == GST_TFRC_CALL_REFUSED)
    return;
  gst_tfrc_call_again (&self->call);
  self->address = *address;
  self->is_running = TRUE;
  self->next_ns = now_ns;
  self->interval_ns = FIRST_INTERVAL_NS;
  gst_tfrc_log (peer, DEBUG, "%s %s", is_calling (self) ? "calls" : "probes",
      GST_TFRC_ADDRESS_TEXT (address));
}

void
gst_tfrc_probes_stop (GstTfrcProbes *self)
{
  self->is_running = FALSE;
}

void
gst_tfrc_probes_call (
    GstTfrcProbes *self, guint32 ssrc, guint32 number, const gchar *stream_id, guint64 now_ns)
{
  gst_tfrc_call_begin (&self->call, ssrc, number, stream_id, now_ns);
}

gboolean
gst_tfrc_probes_on_answer (GstTfrcProbes *self, const GstTfrcReceivedPacket *packet)
{
  if (!is_calling (self) || !gst_tfrc_address_equal (packet->from, &self->address))
    return FALSE;
  if (gst_tfrc_call_on_answer (&self->call, packet)) {
    self->next_ns = gst_tfrc_received_packet_answer_ns (packet);
    self->interval_ns = FIRST_INTERVAL_NS;
  }
  if (gst_tfrc_call_get_state (&self->call) != GST_TFRC_CALL_REFUSED)
    return FALSE;
  self->is_running = FALSE;
  return TRUE;
}

gboolean
gst_tfrc_probes_are_running (const GstTfrcProbes *self)
{
  return self->is_running;
}

static guint64
probe_ns (const GstTfrcProbes *self)
{
  return self->is_running ? self->next_ns : G_MAXUINT64;
}

guint64
gst_tfrc_probes_next_ns (const GstTfrcProbes *self)
{
  return MIN (probe_ns (self), gst_tfrc_call_unanswered_ns (&self->call));
}

gboolean
gst_tfrc_probes_take_unanswered (GstTfrcProbes *self, guint64 now_ns)
{
  return gst_tfrc_call_take_unanswered (&self->call, now_ns);
}

static void
schedule (GstTfrcProbes *self, guint64 now_ns)
{
  self->next_ns = now_ns + self->interval_ns;
  self->interval_ns = MIN (2 * self->interval_ns, MAX_INTERVAL_NS);
}

/* Is a probe due? */
static gboolean
is_due (GstTfrcProbes *self, guint64 now_ns)
{
  if (now_ns < probe_ns (self))
    return FALSE;
  gst_tfrc_call_on_time (&self->call, now_ns);
  return TRUE;
}

gboolean
gst_tfrc_probes_take_challenge (GstTfrcProbes *self, guint64 now_ns)
{
  if (!is_due (self, now_ns) || is_calling (self))
    return FALSE;
  schedule (self, now_ns);
  return TRUE;
}

gsize
gst_tfrc_probes_write_call (GstTfrcProbes *self, guint64 now_ns, guint8 *buffer, GstTfrcAddress *to)
{
  if (!is_due (self, now_ns) || !is_calling (self))
    return 0;
  schedule (self, now_ns);
  *to = self->address;
  return gst_tfrc_call_write (&self->call, buffer);
}

const GstTfrcCall *
gst_tfrc_probes_get_call (const GstTfrcProbes *self)
{
  return &self->call;
}
