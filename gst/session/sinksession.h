/* What a sender knows of its one receiver: TFRC, RTCP reports, whether it is
 * there and where, its handovers.  No socket and no locks; the wall clock is read for sender reports
 * only. */
#ifndef GST_TFRC_SINKSESSION_H
#define GST_TFRC_SINKSESSION_H

#include <tfrc/wire.h>

#include "../io/datagrams.h"
#include "handoverlog.h"
#include "sinkpaths.h"

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_PEER_WAITING,   /**< never heard of, or by challenges alone */
  GST_TFRC_PEER_CONNECTED, /**< heard of by feedback, or by a report about this stream */
  GST_TFRC_PEER_GONE,      /**< has said BYE */
  GST_TFRC_PEER_LOST       /**< silent for GST_TFRC_PEER_TIMEOUT_NS */
} GstTfrcPeerState;

#define GST_TFRC_PEER_TIMEOUT_NS (10 * G_GUINT64_CONSTANT (1000000000))

typedef struct
{
  TfrcSender *sender;
  guint32 ssrc;
  guint64 clock_offset_us; /* between our clock and what the wire says */
  gchar cname[24];

  GstTfrcPeerState peer_state;
  guint64 peer_heard_ns; /* or when the stream began, if that is later */
  guint32 peer_ssrc;
  gboolean has_receiver;     /* feedback of that SSRC has been used */
  gboolean peer_counts_anew; /* its numbers cannot be compared with earlier ones */
  gboolean has_peer_says;
  TfrcWireState peer_says;  /* its counters are such as can be true */
  guint64 counters_refused; /* how often they were not */
  guint16 first_seq;        /* of this SSRC */
  guint64 packets_before;   /* sent with earlier ones */
  GstTfrcSinkPaths paths;   /* where it is */
  gboolean bye_believed;    /* if it is GONE: it really is */
  guint64 believe_bye_ns;   /* ... and when that will be so */

  TfrcHandoverPhase handover_phase; /* as its feedback says */
  guint64 handovers_completed;
  GstTfrcHandoverLog handover_log;

  gboolean said_bye;
  gboolean bye_answered;  /* the receiver knows: it has said BYE, or is gone */
  guint64 report_ns;      /* when the next SR is due; G_MAXUINT64: nothing sent yet */
  guint64 report_sent_ns; /* when the last SR left */

  guint64 expirations_at_feedback; /* of the nofeedback timer, when feedback was last used */
  gboolean may_release;            /* an SR has left since a sign of life has released a packet */
  gboolean owes_response;          /* to this challenge: */
  guint8 challenge[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcTokenBucket
      responses[2]; /* to others than the receiver, to the receiver: 20 at once, 20 per second */
} GstTfrcSinkSession;

typedef enum
{
  GST_TFRC_RTCP_USED,
  GST_TFRC_RTCP_FOREIGN, /**< not about this stream, or not to be answered */
  GST_TFRC_RTCP_MALFORMED
} GstTfrcRtcpResult;

/** How a stream's rate is decided. */
typedef struct
{
  guint64 start_bitrate;  /**< bit/s; 0: RFC 3390 */
  guint64 burst_limit_ns; /**< 0: one round-trip time */
  gboolean queue_guard;   /**< this and the next: see tfrc/tfrc.h */
  TfrcRtoPolicy rto_policy;
  gdouble rate_scale; /**< 0: 1 */
} GstTfrcSinkRateConfig;

/** Starts a stream.
 * @return FALSE if TFRC refuses the configuration, or the system has no random
 *   numbers; otherwise to be ended with
 *   gst_tfrc_sink_session_clear() */
gboolean gst_tfrc_sink_session_init (
    GstTfrcSinkSession *session, const GstTfrcSinkRateConfig *rate);
void gst_tfrc_sink_session_clear (GstTfrcSinkSession *session);

/** Writes the header of the packet that leaves now.
 * @param header TFRC_WIRE_MAX_HEADER_BYTES
 * @param due_ns target transmission time, which becomes the RTP time stamp
 * @return its size; 0 if TFRC does not allow a packet yet */
gsize gst_tfrc_sink_session_write_header (GstTfrcSinkSession *session, gsize payload_bytes,
    guint64 due_ns, guint64 now_ns, guint8 *header);

/** An RTCP packet.  Feedback must speak of our SSRC and come from the receiver's
 * address (RFC 5348 section 10: it is accepted from the receiver of the data
 * alone); from another one it shows at most that the receiver may have moved.
 *
 * After each packet gst_tfrc_sink_session_write_response() may have a response. */
GstTfrcRtcpResult gst_tfrc_sink_session_on_rtcp (
    GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet);

/** When gst_tfrc_sink_session_on_time() or _write_rtcp() has something to do. */
guint64 gst_tfrc_sink_session_next_ns (const GstTfrcSinkSession *session);

/** Serves the timers: no feedback, peer lost or gone, paths. */
void gst_tfrc_sink_session_on_time (GstTfrcSinkSession *session, guint64 now_ns);

/** Writes the RTCP packet that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if nothing is due */
gsize gst_tfrc_sink_session_write_rtcp (
    GstTfrcSinkSession *session, guint64 now_ns, guint8 *buffer);

/** Writes the challenge of a path that is due.
 * @param buffer GST_TFRC_SINK_CHALLENGE_BYTES
 * @param to set to where it goes
 * @return its size; 0 if none is due */
gsize gst_tfrc_sink_session_write_challenge (
    GstTfrcSinkSession *session, guint64 now_ns, guint8 *buffer, GstTfrcAddress *to);

/** Writes the response to the challenge that came last, for the receiver's
 * address.  It has no more bytes than the challenge.
 * @param buffer TFRC_WIRE_MIN_PATH_BYTES
 * @return its size; 0 if there is none to write */
gsize gst_tfrc_sink_session_write_response (GstTfrcSinkSession *session, guint8 *buffer);

/** Writes a BYE; after it there are no more reports until data is sent.  It may
 * be repeated until the receiver has answered it with its own.
 * @return its size; 0 if the stream has not begun, or the receiver knows */
gsize gst_tfrc_sink_session_write_bye (GstTfrcSinkSession *session, guint8 *buffer);

/** Limits X, in bit/s; 0: no limit.  A minimum above the maximum is taken as the
 * maximum, and a maximum below TFRC's own minimum, a packet in 64 seconds, as
 * that. */
void gst_tfrc_sink_session_set_rate_limits (
    GstTfrcSinkSession *session, guint64 min_bitrate, guint64 max_bitrate);

/** Is there no receiver, as far as can be known?  Without any feedback so far that
 * is known when the nofeedback timer has expired, whatever reports say; after a
 * BYE of the receiver, when it has not answered the sender report that follows. */
gboolean gst_tfrc_sink_session_is_peer_absent (const GstTfrcSinkSession *session);

/** X, in byte/s */
gdouble gst_tfrc_sink_session_get_rate_Bps (const GstTfrcSinkSession *session);

/** X in bit/s, once there has been feedback to estimate it from; 0 before. */
guint64 gst_tfrc_sink_session_get_bitrate (const GstTfrcSinkSession *session);

G_END_DECLS
#endif
