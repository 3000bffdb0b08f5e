/* One stream as its receiver sees it: socket, feedback, order, RTCP.  Knows
 * nothing of GStreamer's elements.
 *
 * The I/O loop's thread receives, answers and queues; the pipeline's streaming
 * thread takes from the queue.  TFRC never waits for the pipeline. */
#ifndef GST_TFRC_SRCSTREAM_H
#define GST_TFRC_SRCSTREAM_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../common/delays.h"
#include "handoverlog.h"
#include "../io/socket.h"
#include "reorder.h"
#include "srcfilter.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: all functions return at
 * once, and only its descriptors are closed with it. */
typedef struct _TfrcSrcStream GstTfrcSrcStream;

typedef struct
{
  GstTfrcSocketConfig socket;
  guint64 window_ns;        /**< how long to wait for late packets */
  guint64 max_time_ns;      /**< what may wait for the pipeline; 0: no limit */
  gboolean keep_listening;  /**< BYE does not end the stream */
  GstTfrcSrcFilter senders; /**< whose packets are taken */
  TfrcReceiverConfig receiver;
  guint64 stats_interval_ns; /**< 0: none */
} GstTfrcSrcStreamConfig;

/** Called on the I/O loop's thread, without a lock held; must not block. */
typedef struct
{
  void (*stats) (gpointer user);
  void (*sender) (gpointer user);     /**< a (new) sender owns the stream */
  void (*handover) (gpointer user);   /**< gst_tfrc_src_stream_take_handover_event() has some */
  void (*old_socket) (gpointer user); /**< gst_tfrc_src_stream_close_old_socket() is due */
} GstTfrcSrcStreamEvents;

typedef struct
{
  TfrcReceiverStats receiver;
  TfrcLossStatistics loss;
  GstTfrcDelays delays;
  gboolean has_sender;
  gboolean tfrc; /**< its packets carry what TFRC needs */
  guint32 ssrc;
  guint16 local_port; /**< that packets are received on */
  GstTfrcAddress sender;
  guint interface; /**< that its last packet came in over; 0: unknown */
  guint queue_packets;
  guint64 queue_dropped;   /**< the pipeline did not take them */
  guint64 packets_missing; /**< not delivered in time: lost, or too late */
  guint64 packets_too_late;
  guint64 foreign_packets; /**< of other streams */
  guint64 malformed_packets;
  guint64 byes_refused;     /**< forged: the sender is still there */
  guint64 messages_dropped; /**< news of handovers that was left out */
  gdouble jitter_ns;        /**< RFC 3550 section 6.4.1 */
} GstTfrcSrcStreamStats;

typedef enum
{
  GST_TFRC_PULL_PACKET,
  GST_TFRC_PULL_END,     /**< the sender has said BYE, and is gone */
  GST_TFRC_PULL_TIMEOUT, /**< nothing came in time */
  GST_TFRC_PULL_FLUSHING
} GstTfrcPullResult;

/** One packet, whole; the caller owns the buffer. */
typedef struct
{
  GstBuffer *buffer; /**< RTP header and payload */
  gsize header_bytes;
  gsize payload_bytes;
  guint64 arrival_ns; /**< monotonic */
  gboolean discont;
} GstTfrcPulled;

/** Opens the socket and starts receiving.
 * @return NULL with @a error set on failure */
GstTfrcSrcStream *gst_tfrc_src_stream_new (const GstTfrcSrcStreamConfig *config,
    const GstTfrcSrcStreamEvents *events, gpointer user, GError **error);

/** Says BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void gst_tfrc_src_stream_free (GstTfrcSrcStream *stream);

/** Waits for the next packet in order.
 * @param timeout_ns 0: for ever */
GstTfrcPullResult gst_tfrc_src_stream_pull (
    GstTfrcSrcStream *stream, guint64 timeout_ns, GstTfrcPulled *pulled);

/** While flushing, pulling returns at once. */
void gst_tfrc_src_stream_set_flushing (GstTfrcSrcStream *stream, gboolean flushing);

/** Changes the window and the limit of the queue. */
void gst_tfrc_src_stream_set_limits (
    GstTfrcSrcStream *stream, guint64 window_ns, guint64 max_time_ns, guint64 stats_interval_ns);

/** With TRUE, packets are handed out as they come, for an rtpjitterbuffer. */
void gst_tfrc_src_stream_set_arrival_order (GstTfrcSrcStream *stream, gboolean arrival_order);

void gst_tfrc_src_stream_get_stats (GstTfrcSrcStream *stream, GstTfrcSrcStreamStats *stats);

/** A change of the link over which this host receives */
typedef struct
{
  GstTfrcLink link;      /**< the new one; any: the kernel's route to the
                                 * sender */
  guint64 bandwidth_bps; /**< of it, with IP headers; 0: unknown */
  gboolean suppress_echo;
} GstTfrcSrcHandover;

/** From now on answers leave over another link, and data is expected over it.
 * Where the socket in use cannot serve it, another one is opened beside it.
 * @return FALSE with @a error set if the address is none of this host, or not of
 *   the sender's family, or the kernel knows no route
 *
 * This, the next two and gst_tfrc_src_stream_free(): one thread at a time, not the
 * I/O loop's. */
gboolean gst_tfrc_src_stream_start_handover (
    GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error);

/** Asks the kernel for the route to the sender: if it is another one than at the
 * last call, that is a handover.  Without a sender or a route nothing happens. */
void gst_tfrc_src_stream_follow_route (GstTfrcSrcStream *stream);

/** Closes the socket that a handover has left behind, if it is still of no use. */
void gst_tfrc_src_stream_close_old_socket (GstTfrcSrcStream *stream);

/** Takes the oldest news of handovers; free it with g_free(); NULL: none. */
GstTfrcHandoverEvent *gst_tfrc_src_stream_take_handover_event (GstTfrcSrcStream *stream);

/** The kernel's receive buffer as it is, which can be less than asked for. */
gint gst_tfrc_src_stream_get_receive_buffer_bytes (GstTfrcSrcStream *stream);

/** The port that the stream is received on. */
guint16 gst_tfrc_src_stream_get_local_port (GstTfrcSrcStream *stream);

G_END_DECLS
#endif
