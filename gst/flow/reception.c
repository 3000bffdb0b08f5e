/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reception of one sender's stream, see reception.h. */
#include "reception.h"

#include <string.h>

#include "../common/log.h"
#include "playoutclock.h"
#include "responses.h"

/* A queue marks only packets that left with ECT (RFC 3168 section 5), and no packet tells how it left.
 * CE counts as a mark for this number of packets after one with ECT(0). With fewer, a queue that marks
 * most packets would go unnoticed; with more, a path that has begun to mark all of them is slow for
 * longer. The sender doubts ECN when 15 of 16 packets have CE, and packets without ECT are lost then. */
#define PACKETS_PER_ECT 64

/* The time for which data may stay away from the active path while no adaptation is under way */
#define HANDOVER_TIMEOUT_NS G_GUINT64_CONSTANT (1000000000)

#define UDP_HEADER_BYTES 8
#define IPV4_HEADER_BYTES 20
#define IPV6_HEADER_BYTES 40

struct _GstTfrcReception
{
  TfrcReceiver *receiver;
  GstTfrcAddress address; /* of the sender */
  GstTfrcAddress local;   /* of this host, that data comes to over the active path */
  guint32 ssrc;           /* of the sender */
  gboolean has_tfrc;      /* its last data packet carried what TFRC needs */
  gboolean has_ended;
  gboolean owes_bye;        /* the sender's BYE has not been answered */
  guint64 heard_ns;         /* when its last packet came */
  guint8 ttl;               /* of its last data packet, on arrival; 0: unknown */
  guint8 sent_ttl;          /* with which that packet left, as its header says; 0: unknown */
  guint32 ttl_send_time_us; /* send time of that packet */
  gboolean lacks_ecn;       /* the kernel has not told the ECN field of all packets */
  guint ect_left;           /* for as many packets CE is a mark, as ECT has come */
  guint64 ce_ignored;       /* packets with CE that was no mark */
  guint interface;          /* that its last data packet came in over; 0: unknown */

  GstTfrcEvents *events; /* NULL: nobody is to be told */

  GstTfrcReceiverReports reports;
  GstTfrcRtpSeq rtp_seq;
  GstTfrcRtpPlace rtp_place; /* of the last packet that was used */
  GstTfrcPlayoutClock playout;

  GstTfrcResponses responses;

  guint8 path_id;           /* of the active path */
  gboolean active_has_data; /* data has come over the active path */
  guint64 handover_ns;      /* when the last handover began; 0: there was none */
  GstTfrcHandoverLog handover_log;
};

GstTfrcReception *
gst_tfrc_reception_new (const GstTfrcAddress *address, guint32 ssrc,
    const TfrcReceiverConfig *receiver, GstTfrcEvents *events)
{
  GstTfrcReception *self = g_new0 (GstTfrcReception, 1);

  if (tfrc_receiver_new (&self->receiver, receiver) != TFRC_OK) {
    g_free (self);
    return NULL;
  }
  self->address = *address;
  self->ssrc = ssrc;
  self->events = events;
  gst_tfrc_receiver_reports_init (&self->reports);
  gst_tfrc_responses_init (&self->responses);
  gst_tfrc_playout_clock_init (&self->playout);
  gst_tfrc_handover_log_init (&self->handover_log, events);
  return self;
}

void
gst_tfrc_reception_free (GstTfrcReception *self)
{
  if (self == NULL)
    return;
  tfrc_receiver_free (self->receiver);
  g_free (self);
}

/* ---- packets that come ------------------------------------------------- */

static const gchar *const arrival_names[] = {
  [TFRC_ARRIVAL_NEXT] = "next",
  [TFRC_ARRIVAL_LATE] = "late",
  [TFRC_ARRIVAL_DUPLICATE] = "duplicate",
  [TFRC_ARRIVAL_SUSPECT] = "suspect",
  [TFRC_ARRIVAL_RESTART] = "of a sender that has restarted",
  [TFRC_ARRIVAL_REFUSED] = "refused",
};

static gboolean
is_mark (GstTfrcReception *self, guint8 ecn)
{
  if (ecn == TFRC_ECN_FIELD_ECT_0)
    self->ect_left = PACKETS_PER_ECT;
  else if (self->ect_left > 0)
    self->ect_left--;
  if (ecn != TFRC_ECN_FIELD_CE || self->ect_left > 0)
    return ecn == TFRC_ECN_FIELD_CE;
  if (self->ce_ignored++ == 0) {
    gst_tfrc_log (
        flow, WARNING, "the path sets CE on packets without ECT, which counts as no congestion");
    gst_tfrc_events_add_kind (self->events, GST_TFRC_EVENT_CE_IGNORED);
  }
  return FALSE;
}

gboolean
gst_tfrc_reception_on_data (GstTfrcReception *self, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, guint8 path_id, TfrcArrival *arrival)
{
  TfrcData data;

  tfrc_wire_get_data (header, &data);
  data.ecn = packet->ecn;
  data.ce = is_mark (self, packet->ecn);
  self->lacks_ecn = self->lacks_ecn || !packet->has_ecn;
  data.link = path_id;
  if (tfrc_receiver_on_data (self->receiver, &data, packet->arrival_ns, arrival) != TFRC_OK)
    arrival->kind = TFRC_ARRIVAL_REFUSED;
  if (arrival->kind == TFRC_ARRIVAL_SUSPECT)
    gst_tfrc_rtp_seq_on_suspect (&self->rtp_seq, header);
  gst_tfrc_log (flow, TRACE, "data %u, %s, %u bytes", header->seq, arrival_names[arrival->kind],
      (guint) header->payload_bytes);
  if (arrival->kind == TFRC_ARRIVAL_SUSPECT || arrival->kind == TFRC_ARRIVAL_REFUSED)
    return FALSE;

  gst_tfrc_rtp_seq_on_packet (&self->rtp_seq, header, arrival, &self->rtp_place);
  self->heard_ns = packet->arrival_ns;
  if (path_id == self->path_id) {
    self->local = packet->local;
    self->active_has_data = TRUE;
  }
  self->ttl = packet->ttl;
  self->sent_ttl = header->has_flags ? header->ttl : 0;
  self->ttl_send_time_us = header->send_time_us;
  self->interface = packet->interface;
  self->has_tfrc = header->has_rtt_sendts;
  if (gst_tfrc_rtp_is_movie (header))
    gst_tfrc_receiver_reports_on_data (
        &self->reports, self->has_tfrc, header->timestamp, packet->arrival_ns);
  gst_tfrc_playout_clock_on_data (
      &self->playout, header, packet, arrival, path_id, path_id == self->path_id);
  return TRUE;
}

const GstTfrcRtpPlace *
gst_tfrc_reception_get_rtp_place (const GstTfrcReception *self)
{
  return &self->rtp_place;
}

guint64
gst_tfrc_reception_get_due_ns (const GstTfrcReception *self)
{
  return gst_tfrc_playout_clock_get_due_ns (&self->playout);
}

guint64
gst_tfrc_reception_get_due_of (const GstTfrcReception *self, guint32 timestamp, guint64 arrival_ns)
{
  return gst_tfrc_playout_clock_get_due_of (&self->playout, timestamp, arrival_ns);
}

gboolean
gst_tfrc_reception_has_gone_back (const GstTfrcReception *self)
{
  return gst_tfrc_playout_clock_has_gone_back (&self->playout);
}

void
gst_tfrc_reception_on_rtcp (GstTfrcReception *self, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  self->heard_ns = arrival_ns;
  if (!rtcp->has_sr)
    return;
  gst_tfrc_receiver_reports_on_sender_report (&self->reports, rtcp, arrival_ns);
  if (rtcp->has_clock)
    gst_tfrc_playout_clock_on_sender_report (&self->playout, rtcp);
}

void
gst_tfrc_reception_end (GstTfrcReception *self)
{
  self->has_ended = self->owes_bye = TRUE;
}

void
gst_tfrc_reception_on_challenge (
    GstTfrcReception *self, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet)
{
  if (!gst_tfrc_responses_on_challenge (&self->responses, TRUE, rtcp->challenge, packet))
    return;
  gst_tfrc_log (
      flow, DEBUG, "the sender challenges the path to %s", GST_TFRC_ADDRESS_TEXT (&packet->local));
  tfrc_receiver_request_feedback (self->receiver, packet->arrival_ns);
}

/* ---- packets that leave ------------------------------------------------ */

guint64
gst_tfrc_reception_next_feedback_ns (const GstTfrcReception *self)
{
  return self->has_ended ? G_MAXUINT64 : tfrc_receiver_next_feedback_ns (self->receiver);
}

guint64
gst_tfrc_reception_next_report_ns (const GstTfrcReception *self)
{
  return self->has_ended ? G_MAXUINT64 : gst_tfrc_receiver_reports_next_ns (&self->reports);
}

guint64
gst_tfrc_reception_next_ns (const GstTfrcReception *self)
{
  return MIN (gst_tfrc_reception_next_feedback_ns (self), gst_tfrc_reception_next_report_ns (self));
}

static gsize
write_report (
    GstTfrcReception *self, guint32 own_ssrc, const gchar *cname, guint64 now_ns, guint8 *buffer)
{
  TfrcWireRtcp rtcp = { .sender_ssrc = own_ssrc };
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (self->receiver, &stats);
  rtcp.report.ssrc = self->ssrc;
  rtcp.report.highest_seq = gst_tfrc_rtp_seq_get_highest (&self->rtp_seq);
  gst_tfrc_log (flow, LOG,
      "receiver report: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " packets lost",
      stats.packets_lost, stats.packets_expected);
  return gst_tfrc_receiver_reports_write (&self->reports, &rtcp, &stats, cname, now_ns, buffer);
}

/* The sender uses ECN only if all packets are counted. */
static void
fill_ecn (const GstTfrcReception *self, const TfrcReceiverStats *stats, TfrcWireState *state)
{
  if (self->lacks_ecn)
    return;
  state->flags |= TFRC_WIRE_STATE_ECN;
  state->ect0 = (guint32) stats->packets_ect0;
  state->ect1 = (guint32) stats->packets_ect1;
  state->not_ect = (guint32) stats->packets_not_ect;
}

static gsize
write_feedback (GstTfrcReception *self, guint32 own_ssrc, const TfrcFeedback *feedback,
    guint64 now_ns, guint8 *buffer)
{
  const GstTfrcPlayout told = gst_tfrc_playout_clock_get_playout (&self->playout);
  const TfrcWirePlayout playout = gst_tfrc_playout_to_wire (&told);
  TfrcWireState state = { 0 };
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (self->receiver, &stats);
  state.highest_seq = gst_tfrc_rtp_seq_to_rtcp (stats.highest_seq);
  state.packets_lost = (guint32) stats.packets_lost;
  state.loss_events = feedback->loss_events;
  state.ce_marks = (guint32) stats.packets_ce;
  state.feedback_number = feedback->number;
  gst_tfrc_log (flow, LOG,
      "feedback %u: X_recv %.0f byte/s, p %.3g, %u loss events, R %" G_GUINT64_FORMAT " ns",
      feedback->number, (gdouble) feedback->x_recv_Bps, feedback->p, feedback->loss_events,
      stats.rtt_ns);
  fill_ecn (self, &stats, &state);
  gst_tfrc_playout_clock_on_told (&self->playout, now_ns);
  /* The sender takes the TTL for that of the packet that t_recvdata names. */
  if (feedback->recv_data_us == self->ttl_send_time_us)
    state.ttl = self->ttl;
  return tfrc_wire_write_playout_feedback (
      buffer, own_ssrc, self->ssrc, feedback, &state, &playout);
}

gsize
gst_tfrc_reception_write (
    GstTfrcReception *self, guint32 own_ssrc, const gchar *cname, guint64 now_ns, guint8 *buffer)
{
  TfrcFeedback feedback;

  if (self->owes_bye) {
    self->owes_bye = FALSE;
    return tfrc_wire_write_bye (buffer, own_ssrc, cname);
  }
  if (self->has_ended)
    return 0;
  if (tfrc_receiver_make_feedback (self->receiver, now_ns, &feedback))
    return write_feedback (self, own_ssrc, &feedback, now_ns, buffer);
  if (gst_tfrc_receiver_reports_next_ns (&self->reports) > now_ns)
    return 0;
  /* Data may go to an address that is not this host's any more, and feedback shows the present one. */
  if (gst_tfrc_receiver_reports_is_silent (&self->reports, now_ns))
    tfrc_receiver_request_feedback (self->receiver, now_ns);
  return write_report (self, own_ssrc, cname, now_ns, buffer);
}

gsize
gst_tfrc_reception_write_response (
    GstTfrcReception *self, guint32 own_ssrc, GstTfrcLocalPath *path, guint8 *buffer)
{
  GstTfrcResponse response;

  if (!gst_tfrc_responses_take (&self->responses, &response))
    return 0;
  *path = response.path;
  return tfrc_wire_write_path_response (buffer, own_ssrc, response.data);
}

gboolean
gst_tfrc_reception_owes_response (const GstTfrcReception *self)
{
  return gst_tfrc_responses_are_owed (&self->responses);
}

/* ---- paths ------------------------------------------------------------- */

void
gst_tfrc_reception_set_playout_delay (GstTfrcReception *self, guint64 delay_ns, gboolean is_told)
{
  gst_tfrc_playout_clock_set_delay (&self->playout, delay_ns, is_told);
}

void
gst_tfrc_reception_set_ahead (GstTfrcReception *self, guint64 time_ns, guint64 bytes)
{
  gst_tfrc_playout_clock_set_ahead (&self->playout, time_ns, bytes);
}

void
gst_tfrc_reception_set_path_id (GstTfrcReception *self, guint8 path_id)
{
  self->path_id = path_id;
}

guint8
gst_tfrc_reception_get_path_id (const GstTfrcReception *self)
{
  return self->path_id;
}

void
gst_tfrc_reception_set_local (GstTfrcReception *self, const GstTfrcAddress *local)
{
  self->local = *local;
}

/* ---- handovers --------------------------------------------------------- */

/* Returns which part of a path's bandwidth remains for segments, in byte/s. */
static gdouble
segments_Bps (const GstTfrcReception *self, guint64 bandwidth_bps, const TfrcReceiverStats *stats)
{
  guint header_bytes = TFRC_WIRE_HEADER_BYTES + UDP_HEADER_BYTES
      + (gst_tfrc_address_family (&self->address) == AF_INET6 ? IPV6_HEADER_BYTES
                                                              : IPV4_HEADER_BYTES);
  gdouble segment_bytes = stats->packets_received > 0
      ? (gdouble) stats->bytes_received / stats->packets_received
      : 0;

  return bandwidth_bps / 8.0 * segment_bytes / (segment_bytes + header_bytes);
}

static GstTfrcHandoverView
view_now (const GstTfrcReception *self, TfrcReceiverStats *stats)
{
  GstTfrcHandoverView view = { 0 };

  tfrc_receiver_get_stats (self->receiver, stats);
  view.phase = stats->handover_phase;
  view.handovers = stats->handovers;
  view.completed = stats->handovers_completed;
  view.rtt_ns = stats->rtt_ns;
  view.rate_bps = stats->x_recv_Bps * 8;
  view.packets_lost = stats->packets_lost;
  return view;
}

void
gst_tfrc_reception_start_handover (GstTfrcReception *self, guint8 path_id, guint64 bandwidth_bps,
    gboolean suppress_echo, guint64 now_ns)
{
  static const GstTfrcAddress unknown;
  TfrcHandover handover = { .link = path_id, .suppress_echo = suppress_echo };
  TfrcReceiverStats stats;
  GstTfrcHandoverView view = view_now (self, &stats);

  gst_tfrc_handover_log_update (&self->handover_log, &view, now_ns);
  handover.bandwidth_Bps = segments_Bps (self, bandwidth_bps, &stats);
  tfrc_receiver_start_handover (self->receiver, &handover, now_ns);
  self->path_id = path_id;
  self->active_has_data = FALSE;
  self->local = unknown;
  self->handover_ns = now_ns;
}

void
gst_tfrc_reception_log_handover (GstTfrcReception *self, guint64 now_ns)
{
  TfrcReceiverStats stats;
  GstTfrcHandoverView view;

  if (self->handover_ns == 0)
    return;
  view = view_now (self, &stats);
  gst_tfrc_handover_log_update (&self->handover_log, &view, now_ns);
}

gboolean
gst_tfrc_reception_handover_failed (const GstTfrcReception *self, guint64 now_ns)
{
  if (self->handover_ns == 0 || self->active_has_data
      || now_ns < self->handover_ns + HANDOVER_TIMEOUT_NS)
    return FALSE;
  return tfrc_receiver_get_handover_phase (self->receiver) == TFRC_HANDOVER_NORMAL;
}

gboolean
gst_tfrc_reception_is_in_handover (const GstTfrcReception *self)
{
  return gst_tfrc_handover_log_get_last (&self->handover_log)->phase != TFRC_HANDOVER_NORMAL;
}

/* ---- queries ----------------------------------------------------------- */

const GstTfrcAddress *
gst_tfrc_reception_get_address (const GstTfrcReception *self)
{
  return &self->address;
}

const GstTfrcAddress *
gst_tfrc_reception_get_local (const GstTfrcReception *self)
{
  return &self->local;
}

guint32
gst_tfrc_reception_get_ssrc (const GstTfrcReception *self)
{
  return self->ssrc;
}

gboolean
gst_tfrc_reception_has_tfrc (const GstTfrcReception *self)
{
  return self->has_tfrc;
}

guint64
gst_tfrc_reception_get_heard_ns (const GstTfrcReception *self)
{
  return self->heard_ns;
}

gboolean
gst_tfrc_reception_has_ended (const GstTfrcReception *self)
{
  return self->has_ended;
}

guint64
gst_tfrc_reception_get_rtt_ns (const GstTfrcReception *self)
{
  return tfrc_receiver_get_rtt_ns (self->receiver);
}

void
gst_tfrc_reception_get_stats (const GstTfrcReception *self, GstTfrcReceptionStats *stats)
{
  tfrc_receiver_get_stats (self->receiver, &stats->receiver);
  tfrc_receiver_get_loss_statistics (self->receiver, &stats->loss);
  stats->delays = *gst_tfrc_playout_clock_get_delays (&self->playout);
  stats->playout = gst_tfrc_playout_clock_get_playout (&self->playout);
  stats->ce_ignored = self->ce_ignored;
  stats->tfrc = self->has_tfrc;
  stats->ssrc = self->ssrc;
  stats->sender = self->address;
  stats->interface = self->interface;
  stats->ttl = self->ttl;
  stats->hops = self->ttl > 0 && self->sent_ttl >= self->ttl ? self->sent_ttl - self->ttl + 1u : 0;
  stats->clock_restarts = gst_tfrc_playout_clock_get_restarts (&self->playout);
  stats->jitter_ns = gst_tfrc_receiver_reports_get_jitter (&self->reports) * 1e9
      / TFRC_WIRE_CLOCK_RATE;
}

/* ---- former senders ---------------------------------------------------- */

static void
add (TfrcReceiverStats *sum, const TfrcReceiverStats *stats)
{
  sum->packets_expected += stats->packets_expected;
  sum->packets_received += stats->packets_received;
  sum->bytes_received += stats->bytes_received;
  sum->packets_lost += stats->packets_lost;
  sum->packets_late += stats->packets_late;
  sum->packets_duplicate += stats->packets_duplicate;
  sum->packets_suspect += stats->packets_suspect;
  sum->packets_ce += stats->packets_ce;
  sum->packets_ect0 += stats->packets_ect0;
  sum->packets_ect1 += stats->packets_ect1;
  sum->packets_not_ect += stats->packets_not_ect;
  sum->loss_events += stats->loss_events;
  sum->feedbacks_sent += stats->feedbacks_sent;
  sum->handovers += stats->handovers;
  sum->handovers_completed += stats->handovers_completed;
  sum->handovers_abandoned += stats->handovers_abandoned;
  sum->link_errors += stats->link_errors;
}

void
gst_tfrc_reception_add_counts (GstTfrcReceptionStats *sum, const GstTfrcReceptionStats *stats)
{
  add (&sum->receiver, &stats->receiver);
  sum->ce_ignored += stats->ce_ignored;
}
