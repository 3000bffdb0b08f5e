/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream at the sender: a port (gst/port/port.h) with one send flow (gst/flow/sendflow.h), or, if the
 * stream listens, with one for each caller (listening.h), and the streaming thread's side. A stream may also
 * be the guest of one that listens: it serves one of the callers, over the port of that stream. The stream
 * knows nothing of GStreamer's elements: an element pushes packets and gets one callback.
 *
 * The pipeline's streaming thread pushes packets, the I/O loop's thread sends them. The port's lock
 * guards the stream; neither I/O nor the callback happen with the lock held. */
#ifndef GST_TFRC_SINKSTREAM_H
#define GST_TFRC_SINKSTREAM_H

#include "../flow/sendflow.h"
#include "../io/socket.h"
#include "../port/port.h"
#include "listening.h"

G_BEGIN_DECLS

/** In a child of fork(2) only gst_tfrc_sink_stream_close_inherited() is for a stream of the parent. */
typedef struct _GstTfrcSinkStream GstTfrcSinkStream;

typedef struct
{
  GstTfrcSocketConfig socket;
  GstTfrcSinkStream *listener; /**< the stream that this one is a guest of, which stays until
                                * gst_tfrc_sink_stream_new() has returned; NULL: a port of its own. A guest has
                                * no use for socket and flow.session.peer. */
  guint64 caller_id;           /**< of a call that waits at listener */
  gboolean remember_rate;      /**< begin with, and leave, a memory of the path (pathrecall.h) */
  gboolean
      is_listening;  /**< receivers call; flow.session.peer means nothing, nor does remember_rate */
  guint max_callers; /**< of a stream that listens */
  const gchar *stream_id; /**< valid: names the stream in a call; NULL: nobody is called. Copied */
  /** A protector is called on the I/O loop's thread and must not block. The TTL of the socket and
   * system_has_ecn are found out. */
  GstTfrcSendFlowConfig flow;
} GstTfrcSinkStreamConfig;

/** Events wait to be taken with gst_tfrc_sink_stream_take_event(). On the I/O loop's thread, without a
 * lock held; must not block. */
typedef void (*GstTfrcSinkStreamEvents) (gpointer user, GstTfrcSinkStream *stream);

typedef enum
{
  GST_TFRC_PUSH_OK,
  GST_TFRC_PUSH_DROPPED, /**< packets were dropped since the last push: this packet or older ones */
  GST_TFRC_PUSH_BROKEN,  /**< the packet was not taken: the circuit breaker has ended the stream */
  GST_TFRC_PUSH_DISMISSED, /**< the packet was not taken: the caller that a guest serves has gone */
  GST_TFRC_PUSH_FLUSHING   /**< the packet was not taken */
} GstTfrcPushResult;

/** Opens the socket and starts sending what is pushed.
 * @param events called with @a user
 * @return NULL with @a error set on failure */
GstTfrcSinkStream *gst_tfrc_sink_stream_new (const GstTfrcSinkStreamConfig *config,
    GstTfrcSinkStreamEvents events, gpointer user, GError **error);

/** Says BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream);

/** In a child of fork(2): closes the child's descriptors of a stream of the parent, whose memory stays. */
void gst_tfrc_sink_stream_close_inherited (GstTfrcSinkStream *stream);

/** Returns the pool that packets for this stream come from, the stream's. Streaming thread. */
GstTfrcPacketPool *gst_tfrc_sink_stream_get_pool (GstTfrcSinkStream *stream);

/** Return the port and its flow, which the port's lock guards. The flow of a stream that listens is NULL. */
GstTfrcPort *gst_tfrc_sink_stream_get_port (GstTfrcSinkStream *stream);
GstTfrcSendFlow *gst_tfrc_sink_stream_get_flow (GstTfrcSinkStream *stream);

/** Returns who calls, which the port's lock guards; NULL: the stream does not listen. */
GstTfrcListening *gst_tfrc_sink_stream_get_listening (GstTfrcSinkStream *stream);

/** Queues a packet; waits for room if the limits say so and the stream does not listen. The limits are those of packets that are
 * due; max_queue_packets holds for the packets that are not due yet, too. Streaming thread.
 * @param packet filled; the stream takes over the reference unless GST_TFRC_PUSH_FLUSHING,
 *   GST_TFRC_PUSH_DISMISSED or GST_TFRC_PUSH_BROKEN is returned
 * @param due_ns target transmission time, monotonic; the packet leaves after the packets that were pushed
 *   before, and no earlier than gst_tfrc_sink_stream_get_ahead_ns() before that time
 * @param blocked_ns increased by the time spent waiting */
GstTfrcPushResult gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 *blocked_ns);

/** Waits for the stream's turn among those of its I/O loop (turnstile.h), or for flushing. Streaming thread. */
void gst_tfrc_sink_stream_pass (GstTfrcSinkStream *stream);

/** Ends the turn of gst_tfrc_sink_stream_pass(). Streaming thread. */
void gst_tfrc_sink_stream_leave (GstTfrcSinkStream *stream);

/** Returns whether other streams of the loop wait for their turn. */
gboolean gst_tfrc_sink_stream_is_crowded (GstTfrcSinkStream *stream);

/** While flushing, pushing and draining return at once. A push or drain that waits returns even if
 * flushing ends before the streaming thread runs; without one, the next push or drain returns. */
void gst_tfrc_sink_stream_set_flushing (GstTfrcSinkStream *stream, gboolean flushing);
gboolean gst_tfrc_sink_stream_is_flushing (GstTfrcSinkStream *stream);

/** Says where running time 0 is on the monotonic clock, as gst_tfrc_outbox_set_timeline(). */
void gst_tfrc_sink_stream_set_timeline (GstTfrcSinkStream *stream, gint64 timeline_ns);

/** While the pipeline is paused, no packet becomes due or runs ahead. Packets that are due go on leaving. */
void gst_tfrc_sink_stream_set_paused (GstTfrcSinkStream *stream, gboolean paused);

/** With live input max_queue_time_ns also bounds the wait in front of a stopped pipeline. */
void gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live);

/** Says whether packets come at their times, as they do at first (gst_tfrc_outbox_set_timed()). */
void gst_tfrc_sink_stream_set_timed (GstTfrcSinkStream *stream, gboolean timed);

/** Returns how long before they are due packets may leave now (gst_tfrc_outbox_set_ahead()). */
guint64 gst_tfrc_sink_stream_get_ahead_ns (GstTfrcSinkStream *stream);

/** Drops all queued packets. */
void gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream);

/** Waits until all packets are sent, drops the rest after drain_timeout_ns, and says BYE. Streaming thread.
 * @param dropped set to the number of packets that were dropped
 * @return FALSE if flushing has interrupted the wait; no packet is dropped then */
gboolean gst_tfrc_sink_stream_drain (GstTfrcSinkStream *stream, guint *dropped);

void gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits);
GstTfrcSinkLimits gst_tfrc_sink_stream_get_limits (GstTfrcSinkStream *stream);

/** Sets the TTL or the DSCP of packets that leave from now on; FALSE if the system refuses. An
 * adaptive TTL begins afresh with this TTL. A guest leaves those of the port as they are. */
gboolean gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl);
gboolean gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp);

/** Of a stream that listens all but the local port is 0. */
void gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats);

/** Returns why the receiver has refused the stream, for g_free(); NULL: it has not. */
gchar *gst_tfrc_sink_stream_dup_refusal (GstTfrcSinkStream *stream);

/** Takes the oldest event. FALSE: none, as always if the stream listens. */
gboolean gst_tfrc_sink_stream_take_event (GstTfrcSinkStream *stream, GstTfrcEvent *event);

/** Has the keys replaced, if the stream is protected and the receiver has keys. */
void gst_tfrc_sink_stream_rekey (GstTfrcSinkStream *stream);

/** Returns the rate for an encoder in bit/s of payload (rateestimate.h); 0 before the first
 * feedback, and if the stream listens. Says whether anybody hears it. */
guint64 gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream);
void gst_tfrc_sink_stream_set_bitrate_heard (GstTfrcSinkStream *stream, gboolean is_heard);

G_END_DECLS
#endif
