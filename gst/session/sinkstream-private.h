/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a stream, for its files alone: sinkstream.c has life and the I/O loop's callbacks;
 * sinkannounce.c tells the application; sinkinput.c has the streaming thread's side; sinkoutput.c sends
 * packets of data; sinkrtcp.c sends and receives RTCP; sinkprotection.c protects and unprotects
 * packets and exchanges keys; sinkqueries.c tells what is known. */
#ifndef GST_TFRC_SINKSTREAM_PRIVATE_H
#define GST_TFRC_SINKSTREAM_PRIVATE_H

#include "../common/fork.h"
#include "../common/threads.h"
#include "../io/endpoint.h"
#include "../queue/lookahead.h"
#include "../flow/rateestimate.h"
#include "../flow/silence.h"
#include "../keys/sinkkeys.h"
#include "sinkstream.h"

G_BEGIN_DECLS

GST_TFRC_DECLARE_MUTEX (GstTfrcSinkStreamMutex, gst_tfrc_sink_stream_mutex)

struct _GstTfrcSinkStream
{
  guint generation; /* of the process that it runs in */
  GstTfrcEndpoint *endpoint;
  GstTfrcEndpoint *rtcp_endpoint; /* NULL: RTCP leaves from endpoint */
  guint16 rtcp_port;              /* of the receiver; 0: that of the data */
  guint16 local_port;
  GstTfrcSinkStreamEvents events;
  gpointer user;

  GstTfrcPacketPool *pool;
  GstTfrcSinkKeys *keys; /* has a lock of its own; NULL: the stream is not protected */

  GstTfrcVisitor visitor; /* the streaming thread, at the turnstile of the loop */

  GstTfrcSinkStreamMutex lock;
  GCond wake; /* for the streaming thread: there is room, all has left, or the stream flushes */
  gboolean is_streaming_thread_waiting GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  gboolean flushing GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* flushing has begun since the streaming thread was last told */
  gboolean is_interrupted GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcSinkLimits limits GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcSendSession *session GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcSilence silence GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcRateEstimate estimate GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcLookahead lookahead GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* the earliest packet of lookahead is due, and the send queue has no room for the packet */
  gboolean is_full GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcSendQueue queue GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* packets taken from the queue whose send has not returned */
  guint in_flight GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* packets taken before a flush do not come back to the queue */
  guint flushes GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* no sending before, after an error */
  guint64 retry_ns GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* the last send failed, and not because a buffer was full */
  gboolean send_failed GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* when the next statistics are due */
  guint64 stats_ns GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);

  /* The last values that were announced to the application, or to the streaming thread */
  gboolean announced_broken GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  /* of packets_dropped, to the streaming thread */
  guint64 announced_dropped GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcPeerState announced_peer_state GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  TfrcEcnState announced_ecn GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  TfrcEcnProblem announced_ecn_problem GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  GstTfrcAddress announced_peer GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);

  GstTfrcHistogram delay GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  guint64 packets_dropped GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  guint64 packets_overdue GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  guint64 send_errors GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  guint64 icmp_errors GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  guint64 foreign_packets GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
  guint64 malformed_packets GST_TFRC_GUARDED_BY (gst_tfrc_sink_stream_mutex);
};

/* The events that a callback of the loop emits after the lock is released */
typedef struct
{
  gboolean peer_changed;
  GstTfrcPeerState peer_state;
  guint64 bitrate; /* 0: unchanged */
  gboolean stats;
  gint send_error; /* 0: none */
  gboolean handover;
  gboolean migrated;
  guint ttl_not_raised; /* the TTL; 0: no event */
  gboolean security;
  gboolean ecn; /* state or problem have changed */
  TfrcEcnState ecn_state;
  TfrcEcnProblem ecn_problem;
  gboolean broken;
  gboolean no_answer;
  gint no_answer_error; /* errno of an ICMP error; 0: silence */
} GstTfrcSinkPendingEvents;

/* ---- sinkannounce.c ------------------------------------------------------ */

/* Finds out what there is to tell. */
void gst_tfrc_sink_stream_announce (GstTfrcSinkStream *stream, guint64 now_ns,
    GstTfrcSinkPendingEvents *pending) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);
void gst_tfrc_sink_stream_announce_ttl (GstTfrcSinkStream *stream,
    GstTfrcSinkPendingEvents *pending) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Tells the application. */
void gst_tfrc_sink_stream_emit (GstTfrcSinkStream *stream, const GstTfrcSinkPendingEvents *pending)
    GST_TFRC_EXCLUDES (gst_tfrc_sink_stream_mutex);

/* Tells the estimate for an encoder the rate at which packets may leave now. */
void gst_tfrc_sink_stream_update_estimate (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* ---- the other files ------------------------------------------------------- */

/* Have all packets left? */
gboolean gst_tfrc_sink_stream_is_empty (const GstTfrcSinkStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Returns when the next packet may leave; G_MAXUINT64 if no packet waits. */
guint64 gst_tfrc_sink_stream_next_send (const GstTfrcSinkStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Moves the packets that are due from the look-ahead queue to the send queue, as far as the limits
 * allow. */
void gst_tfrc_sink_stream_take_due (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Drops and counts the packets that have waited for max_queue_time_ns. */
void gst_tfrc_sink_stream_drop_overdue (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Sends one batch. Releases the lock meanwhile.
 * @new_error: set to the error if this is the first of a run of failed sends
 * Returns FALSE if no more can be sent now. */
gboolean gst_tfrc_sink_stream_send_batch (GstTfrcSinkStream *stream, guint64 now_ns,
    gint *new_error) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Lets a waiting streaming thread go on if there is room, or if all packets have left. */
void gst_tfrc_sink_stream_wake_streaming_thread (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Returns when the loop has to serve the stream. The caller keeps the lock until the
 * loop has this deadline, because otherwise the loop's thread could set a later one first. */
guint64 gst_tfrc_sink_stream_next_deadline (const GstTfrcSinkStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Sends the reports and challenges that are due. Releases the lock meanwhile. */
void gst_tfrc_sink_stream_send_rtcp (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Room for an RTCP packet and its protection, at an address that libsrtp can use */
typedef union
{
  guint8 bytes[GST_TFRC_SEND_CHALLENGE_BYTES + GST_TFRC_PACKET_TAIL_BYTES];
  guint32 words[1];
} GstTfrcRtcpBuffer;

/* ---- sinkprotection.c: none of these functions does anything without credentials --------- */

/* Returns whether data may leave: the stream is not protected, or has keys. */
gboolean gst_tfrc_sink_stream_has_keys (const GstTfrcSinkStream *stream);

/* Has all packets protected if the TTL is raised. */
void gst_tfrc_sink_stream_follow_ttl (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Seals the packets that are to leave. Returns how many of them, from the first, may leave: the
 * packets after these cannot be protected. */
guint gst_tfrc_sink_stream_seal (GstTfrcSinkStream *stream, GstTfrcSendSession *session,
    GstTfrcPacket **packets, guint n) GST_TFRC_EXCLUDES (gst_tfrc_sink_stream_mutex);

/* Protects an RTCP packet that is to leave. Returns its size; 0: the packet must not leave. */
gsize gst_tfrc_sink_stream_protect (GstTfrcSinkStream *stream, GstTfrcRtcpBuffer *packet,
    gsize size) GST_TFRC_EXCLUDES (gst_tfrc_sink_stream_mutex);

/* Unprotects packets that have come: copies those that may be used to @plain. Returns their
 * number. */
guint gst_tfrc_sink_stream_unprotect (GstTfrcSinkStream *stream,
    const GstTfrcReceivedPacket *packets, guint n, GstTfrcReceivedPacket *plain, guint64 now_ns)
    GST_TFRC_EXCLUDES (gst_tfrc_sink_stream_mutex);

/* Takes a key packet. Returns FALSE if the packet is none. */
gboolean gst_tfrc_sink_stream_on_key_packet (GstTfrcSinkStream *stream,
    const GstTfrcReceivedPacket *packet) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Begins to exchange keys once data waits, and sends the key packets that are due. Releases the lock
 * meanwhile. */
void gst_tfrc_sink_stream_serve_keys (GstTfrcSinkStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* ---- sinkrtcp.c ---------------------------------------------------------- */

/* Handles an RTCP packet that has come, and sends a response. Releases the lock meanwhile. */
void gst_tfrc_sink_stream_on_packet (GstTfrcSinkStream *stream, const GstTfrcReceivedPacket *packet)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

/* Sends a BYE, unless the receiver knows that the stream has ended. Releases the lock meanwhile. */
void gst_tfrc_sink_stream_send_bye (GstTfrcSinkStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex);

G_END_DECLS
#endif
