/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECT(0) on a session's packets, see sinksession.h and <tfrc/ecn.h>.  Packets of data alone carry
 * ECT(0), but RTCP, challenges and key packets do not (RFC 6679 section 7.3.1). */
#include "sinksession-private.h"

void
gst_tfrc_sink_session_mark_packet (
    GstTfrcSinkSession *session, GstTfrcPacket *packet, guint16 seq, guint64 now_ns)
{
  packet->ecn = tfrc_ecn_on_packet (session->ecn, seq, now_ns) ? TFRC_ECN_FIELD_ECT_0
                                                               : TFRC_ECN_FIELD_NOT_ECT;
}

/* A sealed packet that could not leave must not wait for ever because of its ECT.  The ECN field is
 * no part of the datagram. */
void
gst_tfrc_sink_session_mark_again (const GstTfrcSinkSession *session, GstTfrcPacket *packet)
{
  if (tfrc_ecn_get_state (session->ecn) == TFRC_ECN_OFF)
    packet->ecn = TFRC_ECN_FIELD_NOT_ECT;
}

void
gst_tfrc_sink_session_follow_ecn (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, gboolean counts_anew, guint64 now_ns)
{
  const TfrcWireState *state = &rtcp->state;
  const TfrcEcnReport report = { .highest_seq = (guint16) state->highest_seq,
    .ect0 = state->ect0,
    .ect1 = state->ect1,
    .ce = state->ce_marks,
    .not_ect = state->not_ect };
  gboolean reports_ecn = rtcp->has_state && (state->flags & TFRC_WIRE_STATE_ECN) != 0;

  if (counts_anew)
    tfrc_ecn_on_new_receiver (session->ecn);
  tfrc_ecn_on_report (session->ecn, reports_ecn ? &report : NULL, now_ns);
}

/* While ECN works, the reports tell whether it still does.  A path that has failed is worth another
 * try at once. */
void
gst_tfrc_sink_session_follow_route (GstTfrcSinkSession *session, guint hops_before)
{
  if (hops_before > 0 && session->ttl.hops > 0 && session->ttl.hops != hops_before
      && tfrc_ecn_get_state (session->ecn) == TFRC_ECN_FAILED)
    tfrc_ecn_on_new_path (session->ecn);
}

void
gst_tfrc_sink_session_refuse_ecn (GstTfrcSinkSession *session)
{
  tfrc_ecn_refuse (session->ecn);
}

void
gst_tfrc_sink_session_get_ecn (
    const GstTfrcSinkSession *session, TfrcEcnState *state, TfrcEcnProblem *problem)
{
  *state = tfrc_ecn_get_state (session->ecn);
  *problem = tfrc_ecn_get_problem (session->ecn);
}
