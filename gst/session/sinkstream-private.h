/* The fields of a stream, for its files alone: sinkstream.c has life, the I/O loop's callbacks and
 * the events for the application; sinkinput.c has the streaming thread's side; sinkoutput.c sends
 * packets of data; sinkrtcp.c sends and receives RTCP. */
#ifndef GST_TFRC_SINKSTREAM_PRIVATE_H
#define GST_TFRC_SINKSTREAM_PRIVATE_H

#include "../common/fork.h"
#include "../io/endpoint.h"
#include "sinkstream.h"

G_BEGIN_DECLS

struct _GstTfrcSinkStream
{
  guint generation; /* of the process that it runs in */
  GstTfrcEndpoint *endpoint;
  guint16 local_port;
  GstTfrcSinkStreamEvents events;
  gpointer user;

  GstTfrcPacketPool *pool;

  GMutex lock; /* all below */
  GCond wake;  /* for the streaming thread: there is room, all has left, or the stream flushes */
  gboolean is_streaming_thread_waiting;
  gboolean flushing;
  GstTfrcSinkLimits limits;
  GstTfrcSinkSession *session;
  GstTfrcSendQueue queue;
  guint in_flight;      /* packets taken from the queue whose send has not returned */
  guint flushes;        /* packets taken before a flush do not come back to the queue */
  guint64 retry_ns;     /* no sending before, after an error */
  gboolean send_failed; /* the last send failed, and not because a buffer was full */
  guint64 stats_ns;     /* when the next statistics are due */

  /* The last values that were announced to the application, or to the streaming thread */
  guint64 announced_dropped; /* of packets_dropped, to the streaming thread */
  GstTfrcPeerState announced_peer_state;
  GstTfrcAddress announced_peer;
  guint64 announced_bitrate;
  guint64 announced_bitrate_ns; /* when */

  GstTfrcHistogram delay;
  guint64 packets_dropped, packets_overdue, send_errors, icmp_errors, foreign_packets,
      malformed_packets;
};

/* All functions below are called with the lock held. */

/* Have all packets left? */
gboolean gst_tfrc_sink_stream_is_empty (const GstTfrcSinkStream *stream);

/* Returns when the next packet may leave; G_MAXUINT64 if no packet waits. */
guint64 gst_tfrc_sink_stream_next_send (const GstTfrcSinkStream *stream);

/* Drops and counts the packets that have waited for max_queue_time_ns. */
void gst_tfrc_sink_stream_drop_overdue (GstTfrcSinkStream *stream, guint64 now_ns);

/* Sends one batch. Releases the lock meanwhile.
 * @new_error: set to the error if this is the first of a run of failed sends
 * Returns FALSE if no more can be sent now. */
gboolean gst_tfrc_sink_stream_send_batch (
    GstTfrcSinkStream *stream, guint64 now_ns, gint *new_error);

/* Lets a waiting streaming thread go on if there is room, or if all packets have left. */
void gst_tfrc_sink_stream_wake_streaming_thread (GstTfrcSinkStream *stream, guint64 now_ns);

/* Returns when the loop has to serve the stream. Who passes this deadline to the loop holds the
 * lock until then: otherwise the loop's thread could set a later deadline first. */
guint64 gst_tfrc_sink_stream_next_deadline (const GstTfrcSinkStream *stream);

/* Sends the reports and challenges that are due. Releases the lock meanwhile. */
void gst_tfrc_sink_stream_send_rtcp (GstTfrcSinkStream *stream, guint64 now_ns);

/* Handles an RTCP packet that has come, and sends a response. Releases the lock meanwhile. */
void gst_tfrc_sink_stream_on_packet (
    GstTfrcSinkStream *stream, const GstTfrcReceivedPacket *packet);

/* Sends a BYE, unless the receiver knows that the stream has ended. Releases the lock meanwhile. */
void gst_tfrc_sink_stream_send_bye (GstTfrcSinkStream *stream);

G_END_DECLS
#endif
