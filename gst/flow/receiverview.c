/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's knowledge of its one receiver, see receiverview.h. */
#include "receiverview.h"

#include "../common/log.h"

const gchar *
gst_tfrc_peer_state_get_name (GstTfrcPeerState state)
{
  switch (state) {
    case GST_TFRC_PEER_WAITING:
      return "waiting";
    case GST_TFRC_PEER_CONNECTED:
      return "connected";
    case GST_TFRC_PEER_GONE:
      return "gone";
    case GST_TFRC_PEER_LOST:
      return "lost";
  }
  return "unknown";
}

static void
set_state (GstTfrcReceiverView *self, GstTfrcPeerState state)
{
  if (state != self->state)
    gst_tfrc_log (flow, INFO, "receiver %08x: %s, was %s", self->ssrc,
        gst_tfrc_peer_state_get_name (state), gst_tfrc_peer_state_get_name (self->state));
  self->state = state;
}

void
gst_tfrc_receiver_view_begin (
    GstTfrcReceiverView *self, guint16 first_seq, guint64 packets_before, guint64 now_ns)
{
  self->first_seq = first_seq;
  self->packets_before = packets_before;
  self->bye_answered = FALSE;
  self->heard_ns = now_ns;
}

void
gst_tfrc_receiver_view_renew (GstTfrcReceiverView *self)
{
  self->counts_anew = TRUE;
}

/* ---- incoming ------------------------------------------------------------  */

static void
connect_at (GstTfrcReceiverView *self, guint64 heard_ns)
{
  self->heard_ns = heard_ns;
  set_state (self, GST_TFRC_PEER_CONNECTED);
  self->bye_believed = FALSE;
}

/* A packet of the stream, data or RTCP, has come to the receiver lately. */
static void
on_answer (GstTfrcReceiverView *self, guint64 heard_ns)
{
  connect_at (self, heard_ns);
  self->answered_ns = heard_ns;
}

void
gst_tfrc_receiver_view_on_report (
    GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, gboolean is_echo, GstTfrcHeard heard)
{
  self->ssrc = rtcp->sender_ssrc;
  connect_at (self, heard.ns);
  if (!is_echo)
    return;
  self->answered_ns = heard.ns;
  gst_tfrc_media_timeout_on_report (
      &self->media, GST_TFRC_MEDIA_RTP, rtcp->report.highest_seq, heard.packets_sent, heard.ns);
}

void
gst_tfrc_receiver_view_on_moved (GstTfrcReceiverView *self, guint64 now_ns)
{
  on_answer (self, now_ns);
}

/* The receiver cannot have lost or received more packets than were sent, nor a packet that was not
 * sent. Only lost packets are link errors. A packet that was lost at first and came marked later is
 * counted once. Loss events stay counted if a lost packet comes late. After 2^32 packets any number
 * can be true. */
static gboolean
counters_can_be_true (const GstTfrcReceiverView *self, const TfrcWireState *state, guint64 sent)
{
  return sent > G_MAXUINT32
      || ((guint64) state->packets_lost + state->ce_marks <= sent && state->loss_events <= sent
          && state->link_errors <= state->packets_lost
          && (guint16) (state->highest_seq - self->first_seq) < sent);
}

static void
keep_state (GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, guint64 sent)
{
  static const TfrcWireState none;
  const TfrcWireState *before = self->has_says
          && gst_tfrc_receiver_view_is_receiver (self, rtcp->sender_ssrc)
      ? &self->says
      : &none;
  TfrcWireState state = rtcp->state;

  if (rtcp->has_state && !counters_can_be_true (self, &state, sent)) {
    self->counters_refused++;
    gst_tfrc_log (flow, DEBUG,
        "receiver %08x: counters of feedback %u cannot be true: lost %u, marked %u, %u loss events "
        "of %" G_GUINT64_FORMAT " packets",
        rtcp->sender_ssrc, state.feedback_number, state.packets_lost, state.ce_marks,
        state.loss_events, sent);
    state.highest_seq = before->highest_seq;
    state.packets_lost = before->packets_lost;
    state.loss_events = before->loss_events;
    state.ce_marks = before->ce_marks;
    state.link_errors = before->link_errors;
  }
  self->has_says = rtcp->has_state;
  self->says = state;
  self->playout = rtcp->playout;
}

/* The receiver's own number counts, even if it cannot be true: any new one shows that something comes. */
static void
note_arrivals (GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, GstTfrcHeard heard)
{
  if (rtcp->has_state)
    gst_tfrc_media_timeout_on_report (&self->media, GST_TFRC_MEDIA_TRANSPORT,
        rtcp->state.highest_seq, heard.packets_sent, heard.ns);
}

void
gst_tfrc_receiver_view_on_feedback (
    GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, GstTfrcHeard heard)
{
  self->counts_anew = FALSE;
  keep_state (self, rtcp, heard.packets_sent - self->packets_before);
  note_arrivals (self, rtcp, heard);
  self->ssrc = rtcp->sender_ssrc;
  on_answer (self, heard.ns);
  self->has_receiver = TRUE;
}

void
gst_tfrc_receiver_view_on_repeated (
    GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp, GstTfrcHeard heard)
{
  note_arrivals (self, rtcp, heard);
  self->says.feedback_number = rtcp->state.feedback_number;
  self->playout = rtcp->playout;
  self->ssrc = rtcp->sender_ssrc;
  on_answer (self, heard.ns);
}

void
gst_tfrc_receiver_view_lose (GstTfrcReceiverView *self)
{
  set_state (self, GST_TFRC_PEER_LOST);
}

gboolean
gst_tfrc_receiver_view_on_bye (GstTfrcReceiverView *self, gboolean has_ended)
{
  self->bye_answered = has_ended;
  if (self->state != GST_TFRC_PEER_CONNECTED || has_ended)
    return FALSE;
  set_state (self, GST_TFRC_PEER_GONE);
  self->bye_believed = FALSE;
  return TRUE;
}

void
gst_tfrc_receiver_view_doubt_bye (GstTfrcReceiverView *self, guint64 believe_ns)
{
  self->believe_bye_ns = believe_ns;
}

void
gst_tfrc_receiver_view_on_bye_answered (GstTfrcReceiverView *self)
{
  self->bye_answered = TRUE;
}

/* ---- time ---------------------------------------------------------------- */

guint64
gst_tfrc_receiver_view_next_ns (const GstTfrcReceiverView *self)
{
  return self->state == GST_TFRC_PEER_GONE && !self->bye_believed ? self->believe_bye_ns
                                                                  : G_MAXUINT64;
}

gboolean
gst_tfrc_receiver_view_on_time (GstTfrcReceiverView *self, guint64 now_ns)
{
  if (now_ns < gst_tfrc_receiver_view_next_ns (self))
    return FALSE;
  self->bye_believed = TRUE;
  gst_tfrc_log (flow, DEBUG, "receiver %08x: its BYE is believed", self->ssrc);
  return TRUE;
}

/* ---- queries ------------------------------------------------------------- */

GstTfrcPeerState
gst_tfrc_receiver_view_get_state (const GstTfrcReceiverView *self)
{
  return self->state;
}

guint64
gst_tfrc_receiver_view_get_heard_ns (const GstTfrcReceiverView *self)
{
  return self->heard_ns;
}

gboolean
gst_tfrc_receiver_view_answers (const GstTfrcReceiverView *self, guint64 lost_ns, guint64 now_ns)
{
  return self->state == GST_TFRC_PEER_CONNECTED && self->answered_ns > 0
      && !gst_tfrc_media_timeout_is_expired (&self->media)
      && (lost_ns == G_MAXUINT64 || now_ns < lost_ns - self->heard_ns + self->answered_ns);
}

guint32
gst_tfrc_receiver_view_get_ssrc (const GstTfrcReceiverView *self)
{
  return self->ssrc;
}

gboolean
gst_tfrc_receiver_view_has_receiver (const GstTfrcReceiverView *self)
{
  return self->has_receiver;
}

gboolean
gst_tfrc_receiver_view_is_receiver (const GstTfrcReceiverView *self, guint32 ssrc)
{
  return self->has_receiver && ssrc == self->ssrc;
}

gboolean
gst_tfrc_receiver_view_counts_anew (const GstTfrcReceiverView *self, guint32 ssrc)
{
  return self->counts_anew || !gst_tfrc_receiver_view_is_receiver (self, ssrc);
}

gboolean
gst_tfrc_receiver_view_is_renewed (const GstTfrcReceiverView *self)
{
  return self->counts_anew;
}

gboolean
gst_tfrc_receiver_view_is_newer (const GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp)
{
  return rtcp->sender_ssrc == self->ssrc && self->has_says && !self->counts_anew
      && (gint32) (rtcp->state.feedback_number - self->says.feedback_number) > 0;
}

gboolean
gst_tfrc_receiver_view_is_repeated (const GstTfrcReceiverView *self, const TfrcWireRtcp *rtcp)
{
  const TfrcWireState *now = &rtcp->state, *before = &self->says;

  return !rtcp->feedback.handover && now->highest_seq == before->highest_seq
      && now->packets_lost == before->packets_lost && now->ce_marks == before->ce_marks
      && now->ect0 == before->ect0 && now->ect1 == before->ect1 && now->not_ect == before->not_ect;
}

const TfrcWireState *
gst_tfrc_receiver_view_get_says (const GstTfrcReceiverView *self)
{
  return self->has_says ? &self->says : NULL;
}

gboolean
gst_tfrc_receiver_view_has_newest (const GstTfrcReceiverView *self, guint64 packets_sent)
{
  guint16 newest_seq = (guint16) (self->first_seq + (packets_sent - self->packets_before) - 1);

  return self->has_says && (guint16) self->says.highest_seq == newest_seq;
}

GstTfrcPlayout
gst_tfrc_receiver_view_get_playout (const GstTfrcReceiverView *self)
{
  return self->has_says ? gst_tfrc_playout_from_wire (&self->playout)
                        : (GstTfrcPlayout) GST_TFRC_PLAYOUT_INIT;
}

guint32
gst_tfrc_receiver_view_get_number (const GstTfrcReceiverView *self)
{
  return self->says.feedback_number;
}

guint16
gst_tfrc_receiver_view_get_first_seq (const GstTfrcReceiverView *self)
{
  return self->first_seq;
}

guint64
gst_tfrc_receiver_view_get_refused (const GstTfrcReceiverView *self)
{
  return self->counters_refused;
}

gboolean
gst_tfrc_receiver_view_is_bye_answered (const GstTfrcReceiverView *self)
{
  return self->bye_answered;
}

guint64
gst_tfrc_receiver_view_get_answered_ns (const GstTfrcReceiverView *self)
{
  return self->answered_ns;
}

/* Before the first feedback there is no receiver if the nofeedback timer has expired, whatever reports
 * say. */
gboolean
gst_tfrc_receiver_view_is_absent (
    const GstTfrcReceiverView *self, gboolean is_controlled, gboolean is_unanswered)
{
  switch (self->state) {
    case GST_TFRC_PEER_WAITING:
      return is_unanswered;
    case GST_TFRC_PEER_CONNECTED:
      return !self->has_receiver && !is_controlled && is_unanswered;
    case GST_TFRC_PEER_GONE:
      return self->bye_believed;
    case GST_TFRC_PEER_LOST:
      return TRUE;
  }
  return TRUE;
}

const gchar *
gst_tfrc_receiver_view_check (const GstTfrcReceiverView *self)
{
  if (self->state > GST_TFRC_PEER_LOST)
    return "the state is one of four";
  if (self->has_receiver && self->state == GST_TFRC_PEER_WAITING)
    return "a receiver whose feedback was used has been heard";
  if (self->has_says && !self->has_receiver)
    return "only feedback that was used says something";
  if (self->bye_believed && self->state != GST_TFRC_PEER_GONE)
    return "only the BYE of a peer that is gone is believed";
  return NULL;
}

gchar *
gst_tfrc_receiver_view_print (const GstTfrcReceiverView *self)
{
  return g_strdup_printf ("%s, SSRC %08x, heard at %" G_GUINT64_FORMAT " ns, feedback %s, number "
                          "%u, lost %u, counters refused %" G_GUINT64_FORMAT "%s%s%s",
      gst_tfrc_peer_state_get_name (self->state), self->ssrc, self->heard_ns,
      self->has_receiver ? "used" : "none", self->says.feedback_number, self->says.packets_lost,
      self->counters_refused, self->counts_anew ? ", counts anew" : "",
      self->bye_believed ? ", BYE believed" : "",
      self->bye_answered ? ", knows of the sender's BYE" : "");
}
