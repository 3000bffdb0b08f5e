/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's handovers as its sender sees them, see sendhandover.h. */
#include "sendhandover.h"

static TfrcHandoverPhase
phase_of (const TfrcFeedback *feedback)
{
  if (!feedback->handover)
    return TFRC_HANDOVER_NORMAL;
  return feedback->new_link ? TFRC_HANDOVER_NEW_LINK : TFRC_HANDOVER_OLD_LINK;
}

static void
log_phase (
    GstTfrcSendHandover *self, const TfrcSenderStats *stats, guint64 packets_lost, guint64 now_ns)
{
  const GstTfrcHandoverView view = { .phase = self->phase,
    .handovers = stats->handovers,
    .completed = self->completed,
    .rtt_ns = stats->rtt_ns,
    .rate_bps = stats->x_Bps * 8,
    .packets_lost = packets_lost };

  gst_tfrc_handover_log_update (&self->log, &view, now_ns);
}

void
gst_tfrc_send_handover_init (GstTfrcSendHandover *self, GstTfrcEvents *events)
{
  self->phase = TFRC_HANDOVER_NORMAL;
  self->completed = 0;
  gst_tfrc_handover_log_init (&self->log, events);
}

/* A handover is completed when the receiver was on the new link and now asks for nothing. */
gboolean
gst_tfrc_send_handover_on_feedback (GstTfrcSendHandover *self, const TfrcFeedback *feedback,
    const TfrcSenderStats *stats, guint64 packets_lost, guint64 now_ns)
{
  TfrcHandoverPhase phase = phase_of (feedback);
  gboolean begins = phase != self->phase && phase != TFRC_HANDOVER_NORMAL;

  if (phase == TFRC_HANDOVER_NORMAL && self->phase == TFRC_HANDOVER_NEW_LINK)
    self->completed++;
  self->phase = phase;
  log_phase (self, stats, packets_lost, now_ns);
  return begins;
}

void
gst_tfrc_send_handover_end (
    GstTfrcSendHandover *self, const TfrcSenderStats *stats, guint64 packets_lost, guint64 now_ns)
{
  if (self->phase == TFRC_HANDOVER_NORMAL)
    return;
  self->phase = TFRC_HANDOVER_NORMAL;
  log_phase (self, stats, packets_lost, now_ns);
}

TfrcHandoverPhase
gst_tfrc_send_handover_get_phase (const GstTfrcSendHandover *self)
{
  return self->phase;
}

/* ---- invariants ---------------------------------------------------------- */

const gchar *
gst_tfrc_send_handover_check (const GstTfrcSendHandover *self)
{
  const GstTfrcHandoverView *logged = gst_tfrc_handover_log_get_last (&self->log);

  if (self->phase != TFRC_HANDOVER_NORMAL && self->phase != TFRC_HANDOVER_OLD_LINK
      && self->phase != TFRC_HANDOVER_NEW_LINK)
    return "a phase that no feedback can tell";
  if (logged->phase != self->phase)
    return "the log was not told of the phase";
  if (logged->completed != self->completed)
    return "the log was not told of a handover that was completed";
  return NULL;
}
