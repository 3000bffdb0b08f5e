/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream at the sender: send queue, pacing, socket and RTCP. The stream knows nothing of
 * GStreamer's elements: an element pushes packets and gets callbacks.
 *
 * The pipeline's streaming thread pushes packets, the I/O loop's thread sends them. One lock guards
 * the stream; neither I/O nor callbacks happen with the lock held. */
#ifndef GST_TFRC_SINKSTREAM_H
#define GST_TFRC_SINKSTREAM_H

#include "../common/histogram.h"
#include "../io/socket.h"
#include "../keys/security.h"
#include "../queue/sendqueue.h"
#include "../flow/sendsession.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: all functions return at once, and
 * gst_tfrc_sink_stream_free() closes the descriptor alone. */
typedef struct _GstTfrcSinkStream GstTfrcSinkStream;

/** The part of the settings that can change while the stream runs. */
typedef struct
{
  guint64 min_bitrate; /**< bit/s; 0: none */
  guint64 max_bitrate;
  guint max_queue_packets;
  guint64 max_queue_time_ns;
  GstTfrcLeaky leaky;
  guint64 stats_interval_ns; /**< 0: none */
} GstTfrcSinkLimits;

typedef struct
{
  GstTfrcAddress destination;
  guint16 rtcp_port; /**< of the receiver, if its RTCP has a port of its own; 0: that of the data */
  GstTfrcSocketConfig socket;
  GstTfrcSinkRateConfig rate;
  GstTfrcSinkLimits limits;
  guint64 smoothing_ns; /**< packets are spread over this window; 0: not spread */
  GstTfrcAllowMigration allow_migration;
  GstTfrcTransportSeqUse transport_seq;
  GstTfrcAdaptiveTtlConfig adaptive_ttl;
  gboolean ecn; /**< use ECN where the system, the receiver and the path allow it */
  GstTfrcSecurityConfig security;
  GstTfrcProtector protector; /**< without credentials in security; called on the I/O loop's thread;
                                 must not block */
} GstTfrcSinkStreamConfig;

/** Called on the I/O loop's thread, without a lock held; must not block. */
typedef struct
{
  void (*peer_state) (gpointer user, GstTfrcPeerState state);
  void (*bitrate) (gpointer user, guint64 bits_per_second);
  void (*stats) (gpointer user);                  /**< stats_interval_ns has passed */
  void (*send_error) (gpointer user, gint error); /**< the first of a run of failed sends */
  /** events wait, see gst_tfrc_sink_stream_take_handover_event() */
  void (*handover) (gpointer user);
  void (*migrated) (gpointer user); /**< data goes to another address */
  /** The adaptive TTL is not raised above this, because the stream is not protected. Once in the
   * life of a stream; NULL if adaptive_ttl is not enabled. */
  void (*ttl_not_raised) (gpointer user, guint ttl);
  /** State or problem of ECN have changed. May be NULL. */
  void (*ecn) (gpointer user, TfrcEcnState state, TfrcEcnProblem problem);
  /** The circuit breaker has ended the stream. Once in the life of a stream; may be NULL. */
  void (*broken) (gpointer user);
  /** Nobody has answered since the first packet (silence.h). Once in the life of a stream; may be
   * NULL.
   * @param error errno of the last ICMP error; 0: none has come */
  void (*no_answer) (gpointer user, gint error);
  /** events wait, see gst_tfrc_sink_stream_take_security_event(); NULL without credentials */
  void (*security) (gpointer user);
} GstTfrcSinkStreamEvents;

typedef struct
{
  GstTfrcSendSessionStats session;
  GstTfrcSecurityStats security;
  GstTfrcHistogram delay;  /**< sender delay */
  guint lookahead_packets; /**< that are not due yet */
  guint queue_packets;     /**< that are due and have not left; likewise the next two */
  gsize queue_bytes;
  guint64 queue_time_ns;
  gdouble smoothing_rate_Bps; /**< the rate that the smoother allows; 0 without a smoother */
  guint64 packets_dropped;    /**< because the queue was full, or the packet overdue */
  guint64 packets_overdue;    /**< sent although they waited longer than the limit */
  guint64 send_errors;
  guint64 icmp_errors;
  guint64 foreign_packets; /**< from other hosts than the receiver */
  guint64 malformed_packets;
  guint16 local_port;       /**< that packets are sent from */
  guint64 messages_dropped; /**< handover events that nobody got */
} GstTfrcSinkStreamStats;

typedef enum
{
  GST_TFRC_PUSH_OK,
  GST_TFRC_PUSH_DROPPED, /**< packets were dropped since the last push: this packet or older ones */
  GST_TFRC_PUSH_BROKEN,  /**< the packet was not taken: the circuit breaker has ended the stream */
  GST_TFRC_PUSH_FLUSHING /**< the packet was not taken */
} GstTfrcPushResult;

/** Opens the socket and starts sending what is pushed.
 * @return NULL with @a error set on failure */
GstTfrcSinkStream *gst_tfrc_sink_stream_new (const GstTfrcSinkStreamConfig *config,
    const GstTfrcSinkStreamEvents *events, gpointer user, GError **error);

/** Says BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream);

/** Returns the pool that packets for this stream come from, the stream's. Streaming thread. */
GstTfrcPacketPool *gst_tfrc_sink_stream_get_pool (GstTfrcSinkStream *stream);

/** Queues a packet; waits for room if the limits say so. The limits are those of packets that are
 * due; max_queue_packets holds for the packets that are not due yet, too. Streaming thread.
 * @param packet filled; the stream takes over the reference unless GST_TFRC_PUSH_FLUSHING or
 *   GST_TFRC_PUSH_BROKEN is returned
 * @param due_ns target transmission time, monotonic; the packet leaves no earlier, and after the
 *   packets that were pushed before
 * @param blocked_ns increased by the time spent waiting */
GstTfrcPushResult gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 *blocked_ns);

/** Waits for the stream's next turn among the streams of its I/O loop (turnstile.h), or until flushing
 * begins. Streaming thread. */
void gst_tfrc_sink_stream_pass (GstTfrcSinkStream *stream);

/** Ends the turn of gst_tfrc_sink_stream_pass(). Streaming thread. */
void gst_tfrc_sink_stream_leave (GstTfrcSinkStream *stream);

/** Returns whether other streams of the loop wait for their turn. */
gboolean gst_tfrc_sink_stream_is_crowded (GstTfrcSinkStream *stream);

/** While flushing, pushing and draining return at once. A push or drain that waits returns even if
 * flushing ends before the streaming thread runs; without one, the next push or drain returns. */
void gst_tfrc_sink_stream_set_flushing (GstTfrcSinkStream *stream, gboolean flushing);
gboolean gst_tfrc_sink_stream_is_flushing (GstTfrcSinkStream *stream);

/** Says where the pipeline's running time 0 is on the monotonic clock, for packets that are not due
 * yet: they are due earlier or later by as much as the timeline moves. */
void gst_tfrc_sink_stream_set_timeline (GstTfrcSinkStream *stream, gint64 timeline_ns);

/** While the pipeline is paused, no packet becomes due. Packets that are due go on leaving. */
void gst_tfrc_sink_stream_set_paused (GstTfrcSinkStream *stream, gboolean paused);

/** Says whether the input is live. With live input max_queue_time_ns also bounds the wait in front
 * of a stopped pipeline. */
void gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live);

/** Drops all queued packets. */
void gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream);

/** Waits until all packets are sent, drops the rest after @a timeout_ns, and says BYE. Streaming
 * thread.
 * @param dropped set to the number of packets that were dropped
 * @return FALSE if flushing has interrupted the wait; no packet is dropped then */
gboolean gst_tfrc_sink_stream_drain (GstTfrcSinkStream *stream, guint64 timeout_ns, guint *dropped);

void gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits);

/** Sets the TTL or the DSCP of packets that leave from now on; FALSE if the system refuses. An
 * adaptive TTL begins afresh with this TTL. */
gboolean gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl);
gboolean gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp);

void gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats);

/** Takes the oldest handover event; free it with g_free(). NULL: none. */
GstTfrcHandoverEvent *gst_tfrc_sink_stream_take_handover_event (GstTfrcSinkStream *stream);

/** Takes the oldest event of the stream's protection. FALSE: none. */
gboolean gst_tfrc_sink_stream_take_security_event (
    GstTfrcSinkStream *stream, GstTfrcSecurityEvent *event);

/** Has the keys replaced, if the stream is protected and the receiver has keys. */
void gst_tfrc_sink_stream_rekey (GstTfrcSinkStream *stream);

/** Returns the rate for an encoder in bit/s of payload (rateestimate.h); 0 before the first
 * feedback. */
guint64 gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream);

G_END_DECLS
#endif
