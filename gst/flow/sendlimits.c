/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What settings and receiver mean for the outbox, see sendlimits.h. */
#include "sendlimits.h"

static void
set_fec (const GstTfrcSendLimits *self, GstTfrcOutbox *outbox)
{
  gst_tfrc_outbox_set_fec (outbox, gst_tfrc_fec_choice_get (&self->fec),
      gst_tfrc_fec_choice_get_max_wait_ns (&self->fec));
}

void
gst_tfrc_send_limits_set (
    GstTfrcSendLimits *self, const GstTfrcSinkLimits *limits, GstTfrcOutbox *outbox)
{
  gst_tfrc_outbox_set_limits (
      outbox, limits->max_queue_packets, limits->max_queue_time_ns, limits->leaky);
  gst_tfrc_outbox_set_repairs (outbox, limits->repair_bytes);
  self->repairs_nothing = limits->repair_bytes == 0;
  gst_tfrc_fec_choice_set (&self->fec, &limits->fec);
  set_fec (self, outbox);
  self->has_deadline = limits->deadline;
  self->playout_delay_ns = limits->playout_delay_ns;
  self->ahead_ns = limits->ahead_ns;
}

/* RFC 6298: by how many deviations a sample differs from R, at most */
#define DEVIATIONS 4

void
gst_tfrc_send_limits_update (
    GstTfrcSendLimits *self, GstTfrcSendSession *session, GstTfrcOutbox *outbox)
{
  const GstTfrcRateControl *control = gst_tfrc_send_media_get_control (
      gst_tfrc_send_session_get_media (session));
  const GstTfrcPlayout told = gst_tfrc_receiver_view_get_playout (
      gst_tfrc_send_session_get_receiver (session));
  gboolean absent = gst_tfrc_send_session_is_peer_absent (session);
  guint64 rtt_ns = gst_tfrc_rate_control_get_rtt_ns (control), slack_ns;

  gst_tfrc_outbox_set_receiver (
      outbox, absent, gst_tfrc_rate_control_get_drain_rate_Bps (control), rtt_ns > 0);
  gst_tfrc_outbox_set_credit (outbox, gst_tfrc_rate_control_get_used_until_ns (control), rtt_ns);
  gst_tfrc_outbox_set_ahead (
      outbox, absent ? 0 : MIN (self->ahead_ns, told.ahead_ns), told.ahead_bytes);
  slack_ns = gst_tfrc_slack_update (&self->slack, session, &told, self->playout_delay_ns);
  gst_tfrc_outbox_set_deadline (outbox, self->has_deadline && slack_ns > 0, slack_ns);
}

/* A receiver that does not know TFRC would take a FEC packet for nothing. */
static void
choose_fec (GstTfrcSendLimits *self, const TfrcWireState *says, const GstTfrcPlayout *told,
    const GstTfrcRepairReceiver *receiver, guint64 now_ns)
{
  const GstTfrcFecInput input = { says->highest_seq, says->packets_lost, *told, receiver->rtt_ns,
    receiver->rate_Bps, self->repairs_nothing, now_ns };

  gst_tfrc_fec_choice_on_report (&self->fec, &input);
}

void
gst_tfrc_send_limits_on_rtcp (
    GstTfrcSendLimits *self, GstTfrcSendSession *session, GstTfrcOutbox *outbox, guint64 now_ns)
{
  const GstTfrcRateControl *control = gst_tfrc_send_media_get_control (
      gst_tfrc_send_session_get_media (session));
  const GstTfrcReceiverView *view = gst_tfrc_send_session_get_receiver (session);
  const TfrcWireState *says = gst_tfrc_receiver_view_get_says (view);
  const GstTfrcPlayout told = gst_tfrc_receiver_view_get_playout (view);
  guint64 playout_ns = told.delay_ns > 0 ? told.delay_ns : self->playout_delay_ns;
  GstTfrcRepairReceiver receiver = { .tells_playout = playout_ns > 0,
    .playout_ns = playout_ns > 0 ? playout_ns : GST_TFRC_SEND_LIMITS_UNTOLD_PLAYOUT_NS,
    .rtt_ns = gst_tfrc_rate_control_get_rtt_ns (control),
    .rate_Bps = gst_tfrc_rate_control_get_drain_rate_Bps (control) };
  TfrcSenderStats stats;
  guint64 loss_events;

  if (says)
    receiver.lost = says->packets_lost;
  else
    gst_tfrc_rate_control_get_losses (control, &receiver.lost, &loss_events);
  gst_tfrc_rate_control_get_stats (control, &stats);
  receiver.again_ns = receiver.rtt_ns + DEVIATIONS * stats.rttvar_ns;
  gst_tfrc_outbox_set_repair_receiver (outbox, &receiver);
  if (says)
    choose_fec (self, says, &told, &receiver, now_ns);
  set_fec (self, outbox);
}
