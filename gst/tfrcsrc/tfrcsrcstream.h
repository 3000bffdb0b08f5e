/* One stream as its receiver sees it: socket, feedback, order, RTCP.  Knows
 * nothing of GStreamer's elements.
 *
 * The I/O loop's thread receives, answers and queues; the pipeline's streaming
 * thread takes from the queue.  TFRC never waits for the pipeline. */
#ifndef TFRC_SRC_STREAM_H
#define TFRC_SRC_STREAM_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../common/tfrcdelays.h"
#include "../common/tfrchandover.h"
#include "../common/tfrcsocket.h"
#include "tfrcreorder.h"
#include "tfrcsrcfilter.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: all functions return at
 * once, and only its descriptors are closed with it. */
typedef struct _TfrcSrcStream TfrcSrcStream;

typedef struct
{
  TfrcSocketConfig socket;
  guint64 window_ns;       /**< how long to wait for late packets */
  guint64 max_time_ns;     /**< what may wait for the pipeline; 0: no limit */
  gboolean keep_listening; /**< BYE does not end the stream */
  TfrcSrcFilter senders;   /**< whose packets are taken */
  TfrcReceiverConfig receiver;
  guint64 stats_interval_ns; /**< 0: none */
} TfrcSrcStreamConfig;

/** Called on the I/O loop's thread, without a lock held; must not block. */
typedef struct
{
  void (*stats) (gpointer user);
  void (*sender) (gpointer user);     /**< a (new) sender owns the stream */
  void (*handover) (gpointer user);   /**< tfrc_src_stream_take_news() has some */
  void (*old_socket) (gpointer user); /**< tfrc_src_stream_close_old_socket() is due */
} TfrcSrcStreamEvents;

typedef struct
{
  TfrcReceiverStats receiver;
  TfrcLossStatistics loss;
  TfrcDelays delays;
  gboolean has_sender;
  gboolean tfrc; /**< its packets carry what TFRC needs */
  guint32 ssrc;
  guint16 local_port; /**< that packets are received on */
  TfrcAddress sender;
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
} TfrcSrcStreamStats;

typedef enum
{
  TFRC_PULL_PACKET,
  TFRC_PULL_END,     /**< the sender has said BYE, and is gone */
  TFRC_PULL_TIMEOUT, /**< nothing came in time */
  TFRC_PULL_FLUSHING
} TfrcPullResult;

/** One packet, whole; the caller owns the buffer. */
typedef struct
{
  GstBuffer *buffer; /**< RTP header and payload */
  gsize header_bytes;
  gsize payload_bytes;
  guint64 arrival_ns; /**< monotonic */
  gboolean discont;
} TfrcPulled;

/** Opens the socket and starts receiving.
 * @return NULL with @a error set on failure */
TfrcSrcStream *tfrc_src_stream_new (const TfrcSrcStreamConfig *config,
    const TfrcSrcStreamEvents *events, gpointer user, GError **error);

/** Says BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void tfrc_src_stream_free (TfrcSrcStream *stream);

/** Waits for the next packet in order.
 * @param timeout_ns 0: for ever */
TfrcPullResult tfrc_src_stream_pull (TfrcSrcStream *stream, guint64 timeout_ns, TfrcPulled *pulled);

/** While flushing, pulling returns at once. */
void tfrc_src_stream_set_flushing (TfrcSrcStream *stream, gboolean flushing);

/** Changes the window and the limit of the queue. */
void tfrc_src_stream_set_limits (
    TfrcSrcStream *stream, guint64 window_ns, guint64 max_time_ns, guint64 stats_interval_ns);

/** With TRUE, packets are handed out as they come, for an rtpjitterbuffer. */
void tfrc_src_stream_set_arrival_order (TfrcSrcStream *stream, gboolean arrival_order);

void tfrc_src_stream_get_stats (TfrcSrcStream *stream, TfrcSrcStreamStats *stats);

/** A change of the link over which this host receives */
typedef struct
{
  TfrcLink link;         /**< the new one; any: the kernel's route to the
                                 * sender */
  guint64 bandwidth_bps; /**< of it, with IP headers; 0: unknown */
  gboolean suppress_echo;
} TfrcSrcHandover;

/** From now on answers leave over another link, and data is expected over it.
 * Where the socket in use cannot serve it, another one is opened beside it.
 * @return FALSE with @a error set if the address is none of this host, or not of
 *   the sender's family, or the kernel knows no route
 *
 * This, the next two and tfrc_src_stream_free(): one thread at a time, not the
 * I/O loop's. */
gboolean tfrc_src_stream_start_handover (
    TfrcSrcStream *stream, const TfrcSrcHandover *handover, GError **error);

/** Asks the kernel for the route to the sender: if it is another one than at the
 * last call, that is a handover.  Without a sender or a route nothing happens. */
void tfrc_src_stream_follow_route (TfrcSrcStream *stream);

/** Closes the socket that a handover has left behind, if it is still of no use. */
void tfrc_src_stream_close_old_socket (TfrcSrcStream *stream);

/** Takes the oldest news of handovers; free it with g_free(); NULL: none. */
TfrcHandoverNews *tfrc_src_stream_take_news (TfrcSrcStream *stream);

/** The kernel's receive buffer as it is, which can be less than asked for. */
gint tfrc_src_stream_get_receive_buffer_bytes (TfrcSrcStream *stream);

/** The port that the stream is received on. */
guint16 tfrc_src_stream_get_local_port (TfrcSrcStream *stream);

G_END_DECLS
#endif
