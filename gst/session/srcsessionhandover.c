/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handovers of a source's session, see srcsession.h. */
#include "srcsession-private.h"

/* How long data may stay away from the active path while no adaptation is under way */
#define HANDOVER_TIMEOUT_NS G_GUINT64_CONSTANT (1000000000)

#define UDP_HEADER_BYTES 8
#define IPV4_HEADER_BYTES 20
#define IPV6_HEADER_BYTES 40

/* Returns which part of a path's bandwidth remains for segments, in byte/s. */
static gdouble
segments_Bps (
    const GstTfrcSrcSession *session, guint64 bandwidth_bps, const TfrcReceiverStats *stats)
{
  guint header_bytes = TFRC_WIRE_HEADER_BYTES + UDP_HEADER_BYTES
      + (gst_tfrc_address_family (&session->address) == AF_INET6 ? IPV6_HEADER_BYTES
                                                                 : IPV4_HEADER_BYTES);
  gdouble segment_bytes = stats->packets_received > 0
      ? (gdouble) stats->bytes_received / stats->packets_received
      : 0;

  return bandwidth_bps / 8.0 * segment_bytes / (segment_bytes + header_bytes);
}

static GstTfrcHandoverView
view_now (const GstTfrcSrcSession *session, TfrcReceiverStats *stats)
{
  GstTfrcHandoverView view = { 0 };

  tfrc_receiver_get_stats (session->receiver, stats);
  view.phase = stats->handover_phase;
  view.handovers = stats->handovers;
  view.completed = stats->handovers_completed;
  view.rtt_ns = stats->rtt_ns;
  view.rate_bps = stats->x_recv_Bps * 8;
  view.packets_lost = stats->packets_lost;
  return view;
}

void
gst_tfrc_src_session_start_handover (GstTfrcSrcSession *session, guint8 path_id,
    guint64 bandwidth_bps, gboolean suppress_echo, guint64 now_ns)
{
  static const GstTfrcAddress unknown;
  TfrcHandover handover = { .link = path_id, .suppress_echo = suppress_echo };
  TfrcReceiverStats stats;
  GstTfrcHandoverView view = view_now (session, &stats);

  gst_tfrc_handover_log_update (&session->handover_log, &view, now_ns);
  handover.bandwidth_Bps = segments_Bps (session, bandwidth_bps, &stats);
  tfrc_receiver_start_handover (session->receiver, &handover, now_ns);
  session->path_id = path_id;
  session->active_has_data = FALSE;
  session->local = unknown;
  session->handover_ns = now_ns;
}

gboolean
gst_tfrc_src_session_log_handover (GstTfrcSrcSession *session, guint64 now_ns)
{
  TfrcReceiverStats stats;
  GstTfrcHandoverView view;

  if (session->handover_ns == 0)
    return FALSE;
  view = view_now (session, &stats);
  return gst_tfrc_handover_log_update (&session->handover_log, &view, now_ns);
}

gboolean
gst_tfrc_src_session_handover_failed (const GstTfrcSrcSession *session, guint64 now_ns)
{
  if (session->handover_ns == 0 || session->active_has_data
      || now_ns < session->handover_ns + HANDOVER_TIMEOUT_NS)
    return FALSE;
  return tfrc_receiver_get_handover_phase (session->receiver) == TFRC_HANDOVER_NORMAL;
}

gboolean
gst_tfrc_src_session_is_in_handover (const GstTfrcSrcSession *session)
{
  return session->handover_log.last.phase != TFRC_HANDOVER_NORMAL;
}

GstTfrcHandoverEvent *
gst_tfrc_src_session_take_handover_event (GstTfrcSrcSession *session)
{
  return gst_tfrc_handover_log_take (&session->handover_log);
}
