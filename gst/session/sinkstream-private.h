/* What the files of a stream share: sinkstream.c is the I/O loop's side,
 * sinkoutput.c what it does with packets, sinkrtcp.c what it does with
 * RTCP, sinkinput.c the pipeline's side.  Not for others. */
#ifndef GST_TFRC_SINKSTREAM_PRIVATE_H
#define GST_TFRC_SINKSTREAM_PRIVATE_H

#include "../common/fork.h"
#include "../io/loop.h"
#include "sinkstream.h"

G_BEGIN_DECLS

struct _TfrcSinkStream
{
  guint generation; /* of the process that it runs in */
  gint fd;
  guint16 local_port;
  GstTfrcIo *io;
  GstTfrcSinkStreamEvents events;
  gpointer user;

  GMutex lock; /* all below */
  GCond room;  /* for the producer: room, empty or flushing */
  gboolean producer_waits;
  gboolean flushing;
  GstTfrcSinkLimits limits;
  GstTfrcSinkSession session;
  GstTfrcSendQueue queue;
  guint in_flight;      /* taken from the queue, not yet accounted for */
  guint64 told_dropped; /* of packets_dropped, to the producer */
  guint flushes;        /* what was taken before a flush does not come back */
  guint64 retry_ns;     /* no sending before, after an error */
  gboolean send_failed; /* the last send did, not for want of room */
  GstTfrcPeerState told_peer_state;
  GstTfrcAddress told_peer;
  guint64 stats_ns; /* when the next statistics are due */
  guint64 announced_bitrate;
  guint64 announced_ns;

  GstTfrcHistogram delay;
  guint64 packets_dropped, packets_overdue, send_errors, icmp_errors, foreign_packets,
      malformed_packets;
};

/* All of these with the lock held. */

/* Has everything left? */
gboolean gst_tfrc_sink_stream_is_empty (const GstTfrcSinkStream *stream);

/* When the next packet may leave; G_MAXUINT64 if none waits. */
guint64 gst_tfrc_sink_stream_next_send (const GstTfrcSinkStream *stream);

/* Drops and counts the packets that max-queue-time lets wait no longer. */
void gst_tfrc_sink_stream_drop_overdue (GstTfrcSinkStream *stream, guint64 now_ns);

/* Sends one batch; the lock is released meanwhile.  FALSE if nothing more can
 * be sent now.  @new_error is set at the first of a run of failed sends. */
gboolean gst_tfrc_sink_stream_send_batch (
    GstTfrcSinkStream *stream, guint64 now_ns, gint *new_error);

/* Lets the producer go on if there is room, or nothing left. */
void gst_tfrc_sink_stream_wake_producer (GstTfrcSinkStream *stream, guint64 now_ns);

/* When the loop has to serve the stream. */
guint64 gst_tfrc_sink_stream_next_deadline (const GstTfrcSinkStream *stream);

/* Sends the reports and challenges that are due; the lock is released meanwhile. */
void gst_tfrc_sink_stream_send_rtcp (GstTfrcSinkStream *stream, guint64 now_ns);

/* An RTCP packet has come.  The lock is released while it is answered. */
void gst_tfrc_sink_stream_on_packet (
    GstTfrcSinkStream *stream, const GstTfrcReceivedPacket *packet);

/* Sends a BYE, if there is anybody to tell; the lock is released meanwhile. */
void gst_tfrc_sink_stream_say_bye (GstTfrcSinkStream *stream);

G_END_DECLS
#endif
