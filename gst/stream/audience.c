/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receivers of a sender's stream, see audience.h. */
#include "audience.h"

void
gst_tfrc_audience_init (GstTfrcAudience *self, GstTfrcPort *port, GstTfrcTenant *tenant,
    const GstTfrcSinkLimits *limits, gboolean is_open)
{
  *self =
      (GstTfrcAudience){ .port = port, .tenant = tenant, .is_open = is_open, .limits = *limits };
  self->flows = g_ptr_array_new ();
}

void
gst_tfrc_audience_clear (GstTfrcAudience *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    gst_tfrc_send_flow_free (g_ptr_array_index (self->flows, i));
  g_ptr_array_unref (self->flows);
  gst_tfrc_join_cache_clear (&self->joining);
}

/* A flow of many waits for nobody and makes nobody wait, and its statistics are the listener's. */
GstTfrcSinkLimits
gst_tfrc_audience_get_limits (const GstTfrcAudience *self)
{
  GstTfrcSinkLimits limits = self->limits;

  if (self->is_open) {
    limits.leaky = GST_TFRC_LEAKY_DOWNSTREAM;
    limits.ahead_ns = 0;
    limits.stats_interval_ns = 0;
  }
  return limits;
}

static GstTfrcSendFlow *
flow_at (const GstTfrcAudience *self, guint i)
{
  return g_ptr_array_index (self->flows, i);
}

static GstTfrcOutbox *
outbox_at (const GstTfrcAudience *self, guint i)
{
  return gst_tfrc_send_flow_get_outbox (flow_at (self, i));
}

void
gst_tfrc_audience_foreach (
    GstTfrcAudience *self, void (*func) (GstTfrcSendFlow *flow, gpointer user), gpointer user)
{
  for (guint i = 0; i < self->flows->len; i++)
    func (flow_at (self, i), user);
}

/* ---- flows come and go ------------------------------------------------------------ */

typedef struct
{
  GstTfrcOutbox *outbox;
  guint64 due_ns, now_ns;
} Joining;

/* Takes over the reference. Returns TRUE if a deadline of the flow may be another now. */
static gboolean
push_to (GstTfrcOutbox *outbox, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns)
{
  GstTfrcAdmission admission = gst_tfrc_outbox_admit (outbox, due_ns, now_ns);

  if (admission == GST_TFRC_ADMIT)
    return gst_tfrc_outbox_push (outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, now_ns);
  if (admission == GST_TFRC_ADMIT_LATER) /* the outbox has counted the others */
    gst_tfrc_outbox_count_dropped (outbox, 1);
  gst_tfrc_packet_unref (packet);
  return FALSE;
}

static void
push_joining (gpointer user, GstTfrcPacket *packet)
{
  const Joining *joining = user;

  push_to (joining->outbox, gst_tfrc_packet_ref (packet), joining->due_ns, joining->now_ns);
}

/* For the new receiver the packets of the past are due now: it begins to play with them. */
static void
join (GstTfrcAudience *self, GstTfrcOutbox *outbox, guint64 now_ns)
{
  Joining joining = { outbox, now_ns, now_ns };

  if (gst_tfrc_join_cache_length (&self->joining) > 0)
    gst_tfrc_outbox_catch_up (outbox, gst_tfrc_join_cache_get_group (&self->joining), now_ns);
  gst_tfrc_join_cache_foreach (&self->joining, push_joining, &joining);
}

void
gst_tfrc_audience_add (GstTfrcAudience *self, GstTfrcSendFlow *flow, guint64 now_ns)
{
  GstTfrcOutbox *outbox = gst_tfrc_send_flow_get_outbox (flow);

  if (self->has_timeline)
    gst_tfrc_outbox_set_timeline (outbox, self->timeline_ns);
  gst_tfrc_outbox_set_live (outbox, self->is_live);
  gst_tfrc_outbox_set_timed (outbox, !self->is_untimed);
  gst_tfrc_outbox_set_paused (outbox, self->is_paused);
  join (self, outbox, now_ns);
  g_ptr_array_add (self->flows, flow);
  gst_tfrc_port_add_flow (self->port, self->tenant, gst_tfrc_send_flow_get_base (flow));
}

void
gst_tfrc_audience_remove (GstTfrcAudience *self, GstTfrcSendFlow *flow)
{
  g_ptr_array_remove_fast (self->flows, flow);
  gst_tfrc_port_remove_flow (self->port, gst_tfrc_send_flow_get_base (flow));
  gst_tfrc_send_flow_free (flow);
}

/* ---- what all flows are told -------------------------------------------------------- */

void
gst_tfrc_audience_reschedule (GstTfrcAudience *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    gst_tfrc_port_note_deadline (self->port, gst_tfrc_send_flow_get_base (flow_at (self, i)));
  gst_tfrc_port_reschedule_owner (self->port, self->tenant);
}

void
gst_tfrc_audience_push (
    GstTfrcAudience *self, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns)
{
  gboolean changes = FALSE;

  for (guint i = 0; i < self->flows->len; i++) {
    if (push_to (outbox_at (self, i), gst_tfrc_packet_ref (packet), due_ns, now_ns)) {
      gst_tfrc_port_note_deadline (self->port, gst_tfrc_send_flow_get_base (flow_at (self, i)));
      changes = TRUE;
    }
  }
  if (changes)
    gst_tfrc_port_reschedule_owner (self->port, self->tenant);
  gst_tfrc_join_cache_add (&self->joining, packet);
  gst_tfrc_packet_unref (packet);
}

void
gst_tfrc_audience_set_timeline (GstTfrcAudience *self, gint64 timeline_ns)
{
  self->timeline_ns = timeline_ns;
  self->has_timeline = TRUE;
  for (guint i = 0; i < self->flows->len; i++)
    gst_tfrc_outbox_set_timeline (outbox_at (self, i), timeline_ns);
  gst_tfrc_audience_reschedule (self);
}

void
gst_tfrc_audience_set_paused (GstTfrcAudience *self, gboolean paused)
{
  self->is_paused = paused;
  for (guint i = 0; i < self->flows->len; i++)
    gst_tfrc_outbox_set_paused (outbox_at (self, i), paused);
  gst_tfrc_audience_reschedule (self);
}

void
gst_tfrc_audience_set_live (GstTfrcAudience *self, gboolean live, guint64 now_ns)
{
  self->is_live = live;
  for (guint i = 0; i < self->flows->len; i++) {
    gst_tfrc_outbox_set_live (outbox_at (self, i), live);
    gst_tfrc_outbox_take_due (outbox_at (self, i), now_ns);
  }
  gst_tfrc_audience_reschedule (self);
}

void
gst_tfrc_audience_set_timed (GstTfrcAudience *self, gboolean timed)
{
  self->is_untimed = !timed;
  for (guint i = 0; i < self->flows->len; i++)
    gst_tfrc_outbox_set_timed (outbox_at (self, i), timed);
}

void
gst_tfrc_audience_set_limits (
    GstTfrcAudience *self, const GstTfrcSinkLimits *limits, guint64 now_ns)
{
  GstTfrcSinkLimits of_flow;

  self->limits = *limits;
  of_flow = gst_tfrc_audience_get_limits (self);
  for (guint i = 0; i < self->flows->len; i++) {
    gst_tfrc_send_flow_set_limits (flow_at (self, i), &of_flow, now_ns);
    gst_tfrc_outbox_take_due (outbox_at (self, i), now_ns);
  }
  gst_tfrc_audience_reschedule (self);
}

guint
gst_tfrc_audience_flush (GstTfrcAudience *self, gboolean count)
{
  guint all = 0;

  for (guint i = 0; i < self->flows->len; i++) {
    guint n = gst_tfrc_outbox_flush (outbox_at (self, i));

    if (count)
      gst_tfrc_outbox_count_dropped (outbox_at (self, i), n);
    all += n;
  }
  gst_tfrc_join_cache_clear (&self->joining);
  return all;
}

void
gst_tfrc_audience_say_bye (GstTfrcAudience *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    gst_tfrc_send_flow_say_bye (flow_at (self, i));
  gst_tfrc_audience_reschedule (self);
}

/* ---- what is true of all flows --------------------------------------------------------- */

guint64
gst_tfrc_audience_drains_until_ns (const GstTfrcAudience *self)
{
  guint64 latest_ns = 0;

  for (guint i = 0; i < self->flows->len; i++)
    if (!gst_tfrc_send_flow_is_broken (flow_at (self, i)))
      latest_ns = MAX (latest_ns, gst_tfrc_send_flow_drains_until_ns (flow_at (self, i)));
  return latest_ns;
}

gboolean
gst_tfrc_audience_is_bye_answered (const GstTfrcAudience *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    if (!gst_tfrc_send_flow_is_bye_answered (flow_at (self, i)))
      return FALSE;
  return TRUE;
}

gboolean
gst_tfrc_audience_is_absent (const GstTfrcAudience *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    if (!gst_tfrc_outbox_is_receiver_absent (outbox_at (self, i)))
      return FALSE;
  return TRUE;
}

gboolean
gst_tfrc_audience_is_goodbye_over (const GstTfrcAudience *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    if (!gst_tfrc_send_flow_is_goodbye_over (flow_at (self, i))
        && !gst_tfrc_send_flow_is_bye_answered (flow_at (self, i)))
      return FALSE;
  return TRUE;
}

guint64
gst_tfrc_audience_get_rtt_ns (const GstTfrcAudience *self)
{
  guint64 rtt_ns = 0;

  for (guint i = 0; i < self->flows->len; i++)
    rtt_ns = MAX (rtt_ns, gst_tfrc_send_flow_get_rtt_ns (flow_at (self, i)));
  return rtt_ns;
}
