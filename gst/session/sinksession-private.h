/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a session, for its files alone: sinksession.c has life, data, timers and what is
 * known; sinkreports.c has the RTCP that is written; sinkpeer.c has what the receiver says; sinkrtp.c
 * has receivers that do not know TFRC; sinkttl.c has what the TTL follows, sinkecn.c what carries
 * ECT. Tests look into the fields, too. */
#ifndef GST_TFRC_SINKSESSION_PRIVATE_H
#define GST_TFRC_SINKSESSION_PRIVATE_H

#include "../common/tokenbucket.h"
#include "../flow/circuitbreaker.h"
#include "../flow/ratecontrol.h"
#include "sinksession.h"

G_BEGIN_DECLS

struct _GstTfrcSinkSession
{
  TfrcSender *sender;
  GstTfrcRateControl control; /* what the sender follows */
  GstTfrcSinkRateConfig rate; /* that the sender was made with */
  guint32 ssrc;
  guint64 clock_offset_us; /* between the monotonic clock and the times on the wire */
  gchar cname[24];
  guint16 next_rtp_seq; /* of the next packet of the movie */
  GstTfrcTransportSeqUse transport_seq;
  guint local_drops; /* packets that the own queue dropped, whose numbers are still to be used up */
  GstTfrcProtector protector;
  GstTfrcAdaptiveTtl ttl;
  TfrcEcn *ecn;           /* NULL: not wanted */
  gboolean warned_of_ttl; /* the application has been told that the TTL is not raised */

  GstTfrcPeerState peer_state;
  guint64
      peer_heard_ns; /* when the peer was heard last, or when the stream began if that is later */
  guint32 peer_ssrc;
  gboolean has_receiver;     /* feedback of that SSRC has been used */
  gboolean peer_counts_anew; /* the peer's counters cannot be compared with earlier ones */
  gboolean has_peer_says;
  TfrcWireState peer_says;  /* the peer's last state; its counters can be true */
  guint64 counters_refused; /* how often counters could not be true */
  guint16 first_seq;        /* the first transport sequence number of this SSRC */
  guint64 packets_before;   /* packets sent with earlier SSRCs */
  GstTfrcSendPaths paths;   /* the addresses of the peer */
  gboolean bye_believed;    /* if the peer is GONE: the BYE was true */
  guint64 believe_bye_ns;   /* if the peer is GONE: when the BYE will be taken as true */

  TfrcHandoverPhase handover_phase; /* as the peer's feedback says */
  guint64 handovers_completed;
  GstTfrcHandoverLog handover_log;

  gboolean said_bye;
  gboolean is_renewed;    /* the SSRC of the stream after the BYE has been drawn */
  gboolean bye_answered;  /* the receiver knows of the BYE: has said BYE, or is gone */
  guint64 report_ns;      /* when the next SR is due; G_MAXUINT64: no data has been sent yet */
  guint64 report_sent_ns; /* when the last SR left */
  GstTfrcCircuitBreaker breaker;

  guint64 expirations_at_feedback; /* of the nofeedback timer, when feedback was last used */
  guint64 release_ns;              /* from when on a sign of life releases a packet */
  gboolean owes_response;          /* to the next: */
  guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcTokenBucket responses[2]; /* to others than the receiver; to the receiver */
};

/* Returns the RTP time stamp (90 kHz) of a time of the monotonic clock. */
guint32 gst_tfrc_sink_session_rtp_timestamp (const GstTfrcSinkSession *session, guint64 time_ns);

/* The nofeedback timer has expired. If packets have left since the last feedback, they may have died
 * on the way, without ICMP. */
void gst_tfrc_sink_session_on_silence (GstTfrcSinkSession *session);

/* Decides whether a packet carries ECT. @seq: the transport sequence number */
void gst_tfrc_sink_session_mark_packet (
    GstTfrcSinkSession *session, GstTfrcPacket *packet, guint16 seq, guint64 now_ns);

/* A sealed packet is about to leave once more. */
void gst_tfrc_sink_session_mark_again (const GstTfrcSinkSession *session, GstTfrcPacket *packet);

/* Feedback has been used. @counts_anew: its counters cannot be compared with earlier ones */
void gst_tfrc_sink_session_follow_ecn (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, gboolean counts_anew, guint64 now_ns);

/* The number of hops to the receiver may have changed. */
void gst_tfrc_sink_session_follow_route (GstTfrcSinkSession *session, guint hops_before);

/* ---- sinkpeer.c and sinkrtp.c ------------------------------------------- */

/* Does the compound say anything of how this stream's packets have arrived? */
gboolean gst_tfrc_sink_session_is_report (const GstTfrcSinkSession *session,
    const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet);

/* Handle a report about this stream, and a BYE. */
GstTfrcRtcpResult gst_tfrc_sink_session_on_report (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet);
GstTfrcRtcpResult gst_tfrc_sink_session_on_bye (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, guint64 now_ns);

/* Has the sender follow the report. Returns FALSE if it does not. */
gboolean gst_tfrc_sink_session_follow_report (
    GstTfrcSinkSession *session, const TfrcWireRtcp *rtcp, const GstTfrcReceivedPacket *packet);

/* The receiver is gone: if it did not know TFRC, the next one may. */
void gst_tfrc_sink_session_lose_reporter (GstTfrcSinkSession *session);

/* Handles a packet from another address than the receiver's. */
GstTfrcRtcpResult gst_tfrc_sink_session_on_rtcp_from_other_port (
    GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet);

/* Ends the handover under way, if any: the receiver has left before its end. */
void gst_tfrc_sink_session_end_handover (GstTfrcSinkSession *session, guint64 now_ns);

G_END_DECLS
#endif
