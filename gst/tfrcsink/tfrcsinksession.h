/* What a sender knows of its one receiver: TFRC, RTCP reports, whether it is
 * there and where, its handovers.  No socket and no locks; the wall clock is read for sender reports
 * only. */
#ifndef TFRC_SINK_SESSION_H
#define TFRC_SINK_SESSION_H

#include <tfrc/wire.h>

#include "../common/tfrcdatagrams.h"
#include "../common/tfrchandover.h"
#include "tfrcsinkpaths.h"

G_BEGIN_DECLS

typedef enum
{
  TFRC_PEER_WAITING,            /**< never heard of */
  TFRC_PEER_CONNECTED,
  TFRC_PEER_GONE,               /**< has said BYE */
  TFRC_PEER_LOST                /**< silent for TFRC_PEER_TIMEOUT_NS */
} TfrcPeerState;

#define TFRC_PEER_TIMEOUT_NS (10 * G_GUINT64_CONSTANT (1000000000))

typedef struct
{
  TfrcSender *sender;
  guint32 ssrc;
  guint64 clock_offset_us;      /* between our clock and what the wire says */
  gchar cname[24];

  TfrcPeerState peer_state;
  guint64 peer_heard_ns;        /* or when the stream began, if that is later */
  guint32 peer_ssrc;
  gboolean peer_counts_anew;    /* its numbers cannot be compared with earlier ones */
  gboolean has_peer_says;
  TfrcWireState peer_says;
  TfrcSinkPaths paths;          /* where it is */

  TfrcHandoverPhase handover_phase;     /* as its feedback says */
  guint64 handovers_completed;
  TfrcHandoverLog handover_log;

  gboolean said_bye;
  gboolean bye_answered;        /* the receiver knows: it has said BYE, or is gone */
  guint64 report_ns;            /* when the next SR is due; G_MAXUINT64: nothing sent yet */
} TfrcSinkSession;

typedef enum
{
  TFRC_RTCP_USED,
  TFRC_RTCP_FOREIGN,            /**< not about this stream */
  TFRC_RTCP_MALFORMED
} TfrcRtcpResult;

/** How a stream's rate is decided. */
typedef struct
{
  guint64 start_bitrate;        /**< bit/s; 0: RFC 3390 */
  guint64 burst_limit_ns;       /**< 0: one round-trip time */
  gboolean queue_guard;         /**< this and the next: see tfrc/tfrc.h */
  TfrcRtoPolicy rto_policy;
  gdouble rate_scale;           /**< 0: 1 */
} TfrcSinkRateConfig;

/** Starts a stream.
 * @return FALSE if TFRC refuses the configuration, or the system has no random
 *   numbers; otherwise to be ended with
 *   tfrc_sink_session_clear() */
gboolean tfrc_sink_session_init (TfrcSinkSession * session,
    const TfrcSinkRateConfig * rate);
void tfrc_sink_session_clear (TfrcSinkSession * session);

/** Writes the header of the packet that leaves now.
 * @param header TFRC_WIRE_MAX_HEADER_BYTES
 * @param due_ns target transmission time, which becomes the RTP time stamp
 * @return its size; 0 if TFRC does not allow a packet yet */
gsize tfrc_sink_session_write_header (TfrcSinkSession * session,
    gsize payload_bytes, guint64 due_ns, guint64 now_ns, guint8 * header);

/** An RTCP packet.  Feedback must speak of our SSRC and come from the receiver's
 * address (RFC 5348 section 10: it is accepted from the receiver of the data
 * alone); from another one it shows at most that the receiver may have moved. */
TfrcRtcpResult tfrc_sink_session_on_rtcp (TfrcSinkSession * session,
    const TfrcReceivedPacket * packet);

/** When tfrc_sink_session_on_time() or _write_rtcp() has something to do. */
guint64 tfrc_sink_session_next_ns (const TfrcSinkSession * session);

/** Serves the timers: no feedback, peer lost, paths. */
void tfrc_sink_session_on_time (TfrcSinkSession * session, guint64 now_ns);

/** Writes the RTCP packet that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if nothing is due */
gsize tfrc_sink_session_write_rtcp (TfrcSinkSession * session, guint64 now_ns,
    guint8 * buffer);

/** Writes the challenge of a path that is due.
 * @param buffer TFRC_SINK_CHALLENGE_BYTES
 * @param to set to where it goes
 * @return its size; 0 if none is due */
gsize tfrc_sink_session_write_challenge (TfrcSinkSession * session,
    guint64 now_ns, guint8 * buffer, TfrcAddress * to);

/** Writes a BYE; after it there are no more reports until data is sent.  It may
 * be repeated until the receiver has answered it with its own.
 * @return its size; 0 if the stream has not begun, or the receiver knows */
gsize tfrc_sink_session_write_bye (TfrcSinkSession * session, guint8 * buffer);

/** Limits X, in bit/s; 0: no limit.  A minimum above the maximum is taken as the
 * maximum, and a maximum below TFRC's own minimum, a packet in 64 seconds, as
 * that. */
void tfrc_sink_session_set_rate_limits (TfrcSinkSession * session,
    guint64 min_bitrate, guint64 max_bitrate);

/** Is there no receiver, as far as can be known?  Not yet, if the first packet
 * has only just left. */
gboolean tfrc_sink_session_is_peer_absent (const TfrcSinkSession * session);

/** X, in byte/s */
gdouble tfrc_sink_session_get_rate_Bps (const TfrcSinkSession * session);

/** X in bit/s, once there has been feedback to estimate it from; 0 before. */
guint64 tfrc_sink_session_get_bitrate (const TfrcSinkSession * session);

G_END_DECLS
#endif
