/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's session with its one receiver: prepares the packets of data, reads and writes RTCP,
 * and follows the receiver. The session puts together what has a unit each:
 *
 *     sendmedia.h      the RTP stream, TFRC, TTL and ECN of its packets
 *     receiverview.h   is the receiver there, and what does it say?
 *     sendpaths.h      at which address is the receiver?
 *     sendhandover.h   in which phase of a handover is the receiver?
 *     responses.h      the answers to the receiver's challenges
 *
 * No socket, no lock and no clock: the flow that owns the session sends what the session writes, and
 * says what time it is. Only sender reports read the wall clock. */
#ifndef GST_TFRC_SENDSESSION_H
#define GST_TFRC_SENDSESSION_H

#include "../io/datagrams.h"
#include "flow.h"
#include "receiverview.h"
#include "sendhandover.h"
#include "sendmedia.h"
#include "sendpaths.h"

G_BEGIN_DECLS

typedef struct _GstTfrcSendSession GstTfrcSendSession;

typedef struct
{
  GstTfrcSendMediaConfig media;
  GstTfrcAddress peer; /**< that data goes to */
  GstTfrcAddress
      local; /**< of this host, that the receiver has called; "no address": the system chooses */
  GstTfrcAllowMigration allow_migration;
  GstTfrcEvents *events; /**< get those of handovers; lives longer than the session; NULL: none */
} GstTfrcSendSessionConfig;

/** Starts a stream.
 * @return NULL if TFRC refuses the configuration, or the system has no random numbers or no
 * memory */
GstTfrcSendSession *gst_tfrc_send_session_new (const GstTfrcSendSessionConfig *config);

/** Frees @a session. NULL is allowed. */
void gst_tfrc_send_session_free (GstTfrcSendSession *session);

/* ---- packets of data ---------------------------------------------------- */

/** Makes a packet ready to leave now, as gst_tfrc_send_media_prepare(); takes it back. */
GstTfrcPrepareResult gst_tfrc_send_session_prepare (
    GstTfrcSendSession *session, GstTfrcOutgoing *outgoing, guint64 now_ns);
void gst_tfrc_send_session_take_back (GstTfrcSendSession *session, GstTfrcOutgoing *outgoing);

/** A packet of data is about to be prepared.  If the stream has said BYE, the data is another
 * stream's, which gets its SSRC now. */
void gst_tfrc_send_session_renew (GstTfrcSendSession *session);

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
 */
GstTfrcRtcpResult gst_tfrc_send_session_on_rtcp (
    GstTfrcSendSession *session, const GstTfrcReceivedPacket *packet);

/** Handles ICMP "port unreachable" for a packet that was sent to @a destination ("no address":
 * unknown). After this stream's BYE the receiver has left, and needs no more BYEs. */
void gst_tfrc_send_session_on_port_unreachable (
    GstTfrcSendSession *session, const GstTfrcAddress *destination);

/** Writes the RTCP packet that is due.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if no packet is due */
gsize gst_tfrc_send_session_write_rtcp (
    GstTfrcSendSession *session, guint64 now_ns, guint8 *buffer);

/** Writes the path challenge that is due.
 * @param buffer GST_TFRC_SEND_CHALLENGE_BYTES
 * @param to set to the destination
 * @param local set to the address of this host to send from; "no address": the system chooses
 * @return its size; 0 if no challenge is due */
gsize gst_tfrc_send_session_write_challenge (GstTfrcSendSession *session, guint64 now_ns,
    guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

/** Writes the response to the oldest challenge that waits for one. The response has no more bytes
 * than the challenge.
 * @param buffer TFRC_WIRE_MIN_PATH_BYTES
 * @param to, local set to where the challenge has come from and to (RFC 9000 section 8.2.2)
 * @return its size; 0 if no challenge waits for a response */
gsize gst_tfrc_send_session_write_response (
    GstTfrcSendSession *session, guint8 *buffer, GstTfrcAddress *to, GstTfrcAddress *local);

/** Does a challenge wait for a response? */
gboolean gst_tfrc_send_session_owes_response (const GstTfrcSendSession *session);

/** Writes a BYE. After the BYE there are no more reports until data is sent. The caller may repeat
 * the BYE until the receiver has answered with its own.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if the stream has not begun, or the receiver knows of its end */
gsize gst_tfrc_send_session_write_bye (GstTfrcSendSession *session, guint8 *buffer);

/** Handles ICMP "time to live exceeded in transit" for a packet that was sent to @a destination. A
 * message about another destination than the receiver has no effect. Any host can forge the
 * message, which does no more than gst_tfrc_adaptive_ttl_on_signal(). */
void gst_tfrc_send_session_on_time_exceeded (
    GstTfrcSendSession *session, const GstTfrcAddress *destination);

/** Returns the TTL for RTCP to this address; 0: the socket's. Only RTCP to the receiver takes the
 * route that the adaptive TTL is for. */
guint8 gst_tfrc_send_session_get_rtcp_ttl (GstTfrcSendSession *session, const GstTfrcAddress *to);

/* ---- time --------------------------------------------------------------- */

/** Returns the timer that is due next: gst_tfrc_send_session_on_time(), _write_rtcp() or
 * _write_challenge() has something to do then. */
GstTfrcNextTimer gst_tfrc_send_session_next_timer (const GstTfrcSendSession *session);

/** Serves the timers: no feedback, peer lost or gone, path validation. */
void gst_tfrc_send_session_on_time (GstTfrcSendSession *session, guint64 now_ns);

/* ---- queries --------------------------------------------------------------- */

/** Return the parts of the session. */
GstTfrcSendMedia *gst_tfrc_send_session_get_media (GstTfrcSendSession *session);
const GstTfrcReceiverView *gst_tfrc_send_session_get_receiver (const GstTfrcSendSession *session);
GstTfrcSendPaths *gst_tfrc_send_session_get_paths (GstTfrcSendSession *session);
GstTfrcSendHandover *gst_tfrc_send_session_get_handover (GstTfrcSendSession *session);

/** Is there no receiver, as far as can be known? Before the first feedback there is none if the
 * nofeedback timer has expired, whatever reports say. After a BYE of the receiver there is none if
 * the receiver has not answered the sender report that follows. */
gboolean gst_tfrc_send_session_is_peer_absent (const GstTfrcSendSession *session);

G_END_DECLS
#endif
