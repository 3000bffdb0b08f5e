/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's session: what the sender knows of its one receiver. The session numbers the packets,
 * writes their headers, has them protected, reads and writes RTCP, and follows the receiver: is the
 * receiver there, at which address, and in which phase of a handover.
 *
 * The session has no socket, no lock and no clock: the stream that owns the session locks, sends
 * what the session writes and says what time it is. Only sender reports read the wall clock. */
#ifndef GST_TFRC_SINKSESSION_H
#define GST_TFRC_SINKSESSION_H

#include <tfrc/ecn.h>
#include <tfrc/wire.h>

#include "../common/profile.h"
#include "../io/datagrams.h"
#include "../flow/adaptivettl.h"
#include "../flow/handoverlog.h"
#include "../queue/packet.h"
#include "../flow/ratecontrol.h"
#include "../flow/sendpaths.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSinkSession GstTfrcSinkSession;

typedef enum
{
  GST_TFRC_PEER_WAITING,   /**< not heard of yet, or by challenges alone */
  GST_TFRC_PEER_CONNECTED, /**< heard of by feedback, or by a report about this stream */
  GST_TFRC_PEER_GONE,      /**< has said BYE */
  GST_TFRC_PEER_LOST       /**< silent for GST_TFRC_PEER_TIMEOUT_NS */
} GstTfrcPeerState;

#define GST_TFRC_PEER_TIMEOUT_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** The settings of a stream's rate */
typedef struct
{
  guint64 start_bitrate;  /**< bit/s; 0: RFC 3390 */
  guint64 burst_limit_ns; /**< 0: one round-trip time */
  gboolean queue_guard;   /**< see TfrcSenderConfig, as for the next choices */
  GstTfrcProfile profile; /**< only for the statistics: the next three need not be the profile's */
  TfrcRttMethod rtt_method;
  TfrcRtoPolicy rto_policy;
  TfrcRules rules;
  TfrcLossResponse loss_response;
  gdouble rate_scale; /**< 0: 1 */
} GstTfrcSinkRateConfig;

/** Returns why TFRC refuses @a rate: a static English sentence; NULL if TFRC does not refuse. Any
 * thread. */
const gchar *gst_tfrc_sink_rate_config_get_problem (const GstTfrcSinkRateConfig *rate);

/** When a packet carries the transport sequence number (docs/wire-format.md, element 3) */
typedef enum
{
  GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT, /**< when the number is not the RTP sequence number: never,
                                          as long as each packet of the stream leaves once */
  GST_TFRC_TRANSPORT_SEQ_ALWAYS        /**< for a peer that asks for the element in every packet */
} GstTfrcTransportSeqUse;

/** Protects packets of data, as SRTP does (RFC 3711). gst_tfrc_sink_session_seal() calls protect()
 * once for each packet, after the header has been written.
 *
 * protect() changes the datagram of @a size bytes in place and may append up to
 * GST_TFRC_PACKET_TAIL_BYTES.
 * @return the size afterwards; 0: the packet cannot be protected, and is dropped */
typedef struct
{
  gsize (*protect) (gpointer user, guint8 *datagram, gsize size); /**< NULL: no protection */
  gpointer user;
} GstTfrcProtector;

typedef struct
{
  GstTfrcSinkRateConfig rate;
  GstTfrcAddress peer; /**< that data goes to */
  GstTfrcAllowMigration allow_migration;
  GstTfrcTransportSeqUse transport_seq;
  GstTfrcProtector protector;
  GstTfrcAdaptiveTtlConfig adaptive_ttl; /**< has passed gst_tfrc_adaptive_ttl_check() */
  guint ttl;    /**< the TTL of the socket that packets leave from; 0: unknown */
  gboolean ecn; /**< packets carry ECT(0) where receiver and path can use it */
} GstTfrcSinkSessionConfig;

/** Starts a stream.
 * @return NULL if TFRC refuses the configuration, or the system has no random numbers or no
 * memory */
GstTfrcSinkSession *gst_tfrc_sink_session_new (const GstTfrcSinkSessionConfig *config);

/** Frees @a session. NULL is allowed. */
void gst_tfrc_sink_session_free (GstTfrcSinkSession *session);

/* ---- packets of data ---------------------------------------------------- */

typedef enum
{
  GST_TFRC_PREPARED, /**< the datagram is to be sealed and to leave now */
  GST_TFRC_TOO_EARLY /**< TFRC does not allow a packet yet; nothing has changed */
} GstTfrcPrepareResult;

/** Makes a filled packet ready to leave now: numbers the packet and writes the header, which has
 * packet->due_ns as the RTP time stamp.
 *
 * Two numbers count separately. TFRC counts what leaves: each prepared packet gets the next
 * transport sequence number. RTP counts the packets of the movie: a packet that has an RTP sequence
 * number from an earlier call keeps that number.
 *
 * A sealed packet is ready: the packet leaves as the same bytes, with the numbers that were sealed.
 * TFRC is not asked again. */
GstTfrcPrepareResult gst_tfrc_sink_session_prepare (
    GstTfrcSinkSession *session, GstTfrcPacket *packet, guint64 now_ns);

/** Seals a prepared packet if there is a protector; without one the packet leaves as it is.  A
 * sealed packet stays as it is.
 * @return FALSE if the protector refuses the packet, which must not leave.  The packet's numbers are
 *   not used again
 *
 * Needs no lock of the session: the function uses the packet and the protector alone. */
gboolean gst_tfrc_sink_session_seal (const GstTfrcSinkSession *session, GstTfrcPacket *packet);

/** Takes back a prepared packet that did not leave. Packets are taken back in the reverse order of
 * their preparation, before other packets are prepared.
 *
 * The numbers of a packet without protection become free for the next packet that is prepared. The
 * numbers of a sealed packet stay the packet's own: a key must not be used twice with one number.
 * If the sealed packet is dropped, its numbers are burnt. */
void gst_tfrc_sink_session_take_back (GstTfrcSinkSession *session, GstTfrcPacket *packet);

/** The queue of the own interface has dropped packets, which have been taken back: one, or a group
 * that left together. The next packet that is prepared leaves out as many transport sequence numbers,
 * as if the dropped packets had left. So the receiver sees their loss, and TFRC slows down (RFC 5348
 * section 5). The payload is not lost. */
void gst_tfrc_sink_session_on_local_drop (GstTfrcSinkSession *session, guint packets);

/** A packet of data is about to be prepared.  If the stream has said BYE, the data is another
 * stream's, which gets its SSRC now. */
void gst_tfrc_sink_session_renew (GstTfrcSinkSession *session);

guint32 gst_tfrc_sink_session_get_ssrc (const GstTfrcSinkSession *session);

/** Returns the RTP sequence number of the next packet that has none. */
guint16 gst_tfrc_sink_session_get_next_seq (const GstTfrcSinkSession *session);

/** Returns when TFRC allows the next packet; G_MAXUINT64: not before feedback. */
guint64 gst_tfrc_sink_session_next_send_ns (const GstTfrcSinkSession *session);

/* ---- RTCP --------------------------------------------------------------- */

typedef enum
{
  GST_TFRC_RTCP_USED,
  GST_TFRC_RTCP_FOREIGN, /**< not about this stream, or not to be answered */
  GST_TFRC_RTCP_MALFORMED
} GstTfrcRtcpResult;

/** Handles an RTCP packet. Feedback must name this stream's SSRC and come from the receiver's
 * address (RFC 5348 section 10: feedback is accepted from the receiver of the data alone). Feedback
 * from another address shows at most that the receiver may have moved.
 *
 * Call gst_tfrc_sink_session_write_response() after each packet. */
GstTfrcRtcpResult gst_tfrc_sink_session_on_rtcp (
    GstTfrcSinkSession *session, const GstTfrcReceivedPacket *packet);

/** Handles ICMP "port unreachable" for a packet that was sent to @a destination ("no address":
 * unknown). After this stream's BYE the receiver has left, and needs no more BYEs. */
void gst_tfrc_sink_session_on_port_unreachable (
    GstTfrcSinkSession *session, const GstTfrcAddress *destination);

/** Writes the RTCP packet that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if no packet is due */
gsize gst_tfrc_sink_session_write_rtcp (
    GstTfrcSinkSession *session, guint64 now_ns, guint8 *buffer);

/** Writes the path challenge that is due.
 * @param buffer GST_TFRC_SEND_CHALLENGE_BYTES
 * @param to set to the destination
 * @return its size; 0 if no challenge is due */
gsize gst_tfrc_sink_session_write_challenge (
    GstTfrcSinkSession *session, guint64 now_ns, guint8 *buffer, GstTfrcAddress *to);

/** Writes the response to the challenge that came last. The response goes to the receiver's address
 * and has no more bytes than the challenge.
 * @param buffer TFRC_WIRE_MIN_PATH_BYTES
 * @return its size; 0 if no challenge waits for a response */
gsize gst_tfrc_sink_session_write_response (GstTfrcSinkSession *session, guint8 *buffer);

/** Writes a BYE. After the BYE there are no more reports until data is sent. The caller may repeat
 * the BYE until the receiver has answered with its own.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if the stream has not begun, or the receiver knows of its end */
gsize gst_tfrc_sink_session_write_bye (GstTfrcSinkSession *session, guint8 *buffer);

/* ---- TTL ---------------------------------------------------------------- */

/** The application has given the socket this TTL. An adaptive TTL begins afresh. */
void gst_tfrc_sink_session_set_ttl (GstTfrcSinkSession *session, guint ttl);

/** Returns the TTL for RTCP to this address; 0: the socket's. Only RTCP to the receiver takes the
 * route that the adaptive TTL is for. */
guint8 gst_tfrc_sink_session_get_rtcp_ttl (
    const GstTfrcSinkSession *session, const GstTfrcAddress *to);

/** Handles ICMP "time to live exceeded in transit" for a packet that was sent to @a destination. A
 * message about another destination than the receiver has no effect. Any host can forge the
 * message, which does no more than gst_tfrc_adaptive_ttl_on_signal(). */
void gst_tfrc_sink_session_on_time_exceeded (
    GstTfrcSinkSession *session, const GstTfrcAddress *destination);

/** Says whether packets have left with a larger TTL than the stream began with. */
gboolean gst_tfrc_sink_session_has_raised_ttl (const GstTfrcSinkSession *session);

/** Says once for each stream that the TTL stays at the TTL with which the stream began, because the
 * stream is not protected. */
gboolean gst_tfrc_sink_session_take_ttl_warning (GstTfrcSinkSession *session);

/* ---- ECN ---------------------------------------------------------------- */

/** The own system does not let packets with ECT leave. The stream goes on without. */
void gst_tfrc_sink_session_refuse_ecn (GstTfrcSinkSession *session);

/** Tells state and problem of ECN on the path. */
void gst_tfrc_sink_session_get_ecn (
    const GstTfrcSinkSession *session, TfrcEcnState *state, TfrcEcnProblem *problem);

/* ---- time --------------------------------------------------------------- */

/** Says whether the circuit breaker has ended the stream (circuitbreaker.h). No packet can be prepared
 * any more. */
gboolean gst_tfrc_sink_session_is_broken (const GstTfrcSinkSession *session);

/** Returns when gst_tfrc_sink_session_on_time(), _write_rtcp() or _write_challenge() has something
 * to do. */
guint64 gst_tfrc_sink_session_next_ns (const GstTfrcSinkSession *session);

/** Serves the timers: no feedback, peer lost or gone, path validation. */
void gst_tfrc_sink_session_on_time (GstTfrcSinkSession *session, guint64 now_ns);

/* ---- rate --------------------------------------------------------------- */

/** Limits X, in bit/s; 0: no limit. A minimum above the maximum is taken as the maximum. A maximum
 * below TFRC's own minimum, one packet in 64 seconds, is taken as TFRC's minimum. */
void gst_tfrc_sink_session_set_rate_limits (
    GstTfrcSinkSession *session, guint64 min_bitrate, guint64 max_bitrate);

/** Returns X, the allowed transmit rate (RFC 5348 section 4), in byte/s. */
gdouble gst_tfrc_sink_session_get_rate_Bps (const GstTfrcSinkSession *session);

/** Returns the rate at which packets leave a full queue, in byte/s: X, or X_inst if that is lower
 * (RFC 5348 section 4.5). The queue guard limits X_inst, and the configured maximum limits both. */
gdouble gst_tfrc_sink_session_get_drain_rate_Bps (const GstTfrcSinkSession *session);

/** Returns that rate in bit/s once there has been feedback to estimate X from; 0 before. */
guint64 gst_tfrc_sink_session_get_bitrate (const GstTfrcSinkSession *session);

/** Returns R, the round-trip time; 0: unknown. */
guint64 gst_tfrc_sink_session_get_rtt_ns (const GstTfrcSinkSession *session);

/* ---- the receiver ------------------------------------------------------- */

/** Returns where data goes. The address is the session's and changes when the receiver moves. */
const GstTfrcAddress *gst_tfrc_sink_session_get_peer (const GstTfrcSinkSession *session);

/** Does the receiver know TFRC, as its feedback has shown? */
gboolean gst_tfrc_sink_session_knows_tfrc (const GstTfrcSinkSession *session);

GstTfrcPeerState gst_tfrc_sink_session_get_peer_state (const GstTfrcSinkSession *session);

/** Is there no receiver, as far as can be known? Before the first feedback there is none if the
 * nofeedback timer has expired, whatever reports say. After a BYE of the receiver there is none if
 * the receiver has not answered the sender report that follows. */
gboolean gst_tfrc_sink_session_is_peer_absent (const GstTfrcSinkSession *session);

/** Does the receiver know of this stream's BYE? */
gboolean gst_tfrc_sink_session_is_bye_answered (const GstTfrcSinkSession *session);

/** Does a handover event wait to be taken? */
gboolean gst_tfrc_sink_session_has_handover_event (const GstTfrcSinkSession *session);

/** Takes the oldest handover event; free it with g_free(). NULL: none. */
GstTfrcHandoverEvent *gst_tfrc_sink_session_take_handover_event (GstTfrcSinkSession *session);

/** A snapshot */
typedef struct
{
  TfrcSenderStats sender;
  GstTfrcSinkRateConfig rate; /**< as the session was started with */
  GstTfrcControl control;     /**< what the rate follows */
  GstTfrcPeerState peer_state;
  guint32 ssrc;
  GstTfrcAddress peer;             /**< where data goes */
  guint64 handover_events_dropped; /**< not taken in time, or too many */
  guint64 migrations;              /**< of the receiver, to another address */
  guint64 path_validation_failures;
  TfrcHandoverPhase handover_phase; /**< as the receiver says */
  guint64 packets_lost;             /**< as the receiver says, like the next four */
  guint64 loss_events;
  guint64 ce_marks;
  guint64 link_errors;      /**< of packets_lost; 0 if the receiver does not tell losses apart */
  gdouble loss_ratio;       /**< IPLR: packets lost of packets sent, 0..1 */
  guint64 counters_refused; /**< how often the last five could not be true */
  guint ttl;                /**< of packets that leave now; 0: unknown */
  guint hops;               /**< to the receiver, as traceroute counts; 0: unknown */
  TfrcEcnStats ecn;
} GstTfrcSinkSessionStats;

void gst_tfrc_sink_session_get_stats (
    const GstTfrcSinkSession *session, GstTfrcSinkSessionStats *stats);

G_END_DECLS
#endif
