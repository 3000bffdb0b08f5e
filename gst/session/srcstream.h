/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source's stream: endpoints, the selection of the peer, the peer's session, and the queue for
 * the pipeline.  The stream knows nothing of GStreamer's elements.
 *
 * The I/O loop's thread receives, sends RTCP and queues; the pipeline's streaming thread pulls from
 * the queue.  TFRC never waits for the pipeline. */
#ifndef GST_TFRC_SRCSTREAM_H
#define GST_TFRC_SRCSTREAM_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../io/addressfilter.h"
#include "../io/socket.h"
#include "../flow/handoverlog.h"
#include "../queue/reorder.h"
#include "../keys/security.h"
#include "../flow/reception.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: all functions return at once, and
 * gst_tfrc_src_stream_free() only closes its descriptors. */
typedef struct _GstTfrcSrcStream GstTfrcSrcStream;

/** Settings that may change while the stream runs */
typedef struct
{
  guint64 window_ns;         /**< playout delay: how long after a packet was due it is played */
  guint64 max_time_ns;       /**< how much may wait for the pipeline; 0: no limit */
  guint64 timeout_ns;        /**< a sender that is silent for this time is lost; 0: never */
  guint64 stats_interval_ns; /**< 0: none */
} GstTfrcSrcStreamLimits;

typedef struct
{
  GstTfrcSocketConfig socket;
  GstTfrcSrcStreamLimits limits;
  gboolean keep_listening;      /**< another stream may follow when one has ended */
  GstTfrcAddressFilter senders; /**< which senders can become the peer */
  TfrcReceiverConfig receiver;
  GstTfrcSecurityConfig security;
} GstTfrcSrcStreamConfig;

/** The events for the owner, on the I/O loop's thread, without a lock held.  The functions must not
 * block. */
typedef struct
{
  void (*stats) (gpointer user);
  /** another sender is the peer; or the peer is lost, or heard again after that */
  void (*sender) (gpointer user);
  void (*handover) (gpointer user);     /**< gst_tfrc_src_stream_take_handover_event() has events */
  void (*old_endpoint) (gpointer user); /**< gst_tfrc_src_stream_close_old_endpoint() is due */
  /** gst_tfrc_src_stream_take_security_event() has events; may be NULL */
  void (*security) (gpointer user);
} GstTfrcSrcStreamEvents;

typedef struct
{
  gboolean has_sender;
  gboolean sender_has_ended;     /**< the sender has said BYE */
  gboolean sender_is_lost;       /**< nothing has come from the sender for the timeout */
  GstTfrcReceptionStats session; /**< of the sender, if there is one; counts: of all senders */
  TfrcReceiverConfig receiver;   /**< as the stream was opened with */
  GstTfrcSecurityStats security;
  guint16 local_port; /**< that packets are received on */
  guint queue_packets;
  guint64 queue_dropped;   /**< packets that the pipeline did not take in time */
  guint64 packets_missing; /**< not delivered in time: lost, or too late */
  guint64 packets_too_late;
  guint64 foreign_packets; /**< of other streams */
  guint64 malformed_packets;
  guint64 byes_refused; /**< forged BYEs: the sender is still there */
} GstTfrcSrcStreamStats;

typedef enum
{
  GST_TFRC_PULL_PACKET,
  GST_TFRC_PULL_END,     /**< the stream has ended */
  GST_TFRC_PULL_TIMEOUT, /**< nothing came in time */
  GST_TFRC_PULL_FLUSHING
} GstTfrcPullResult;

/** One packet; the caller owns the buffer. */
typedef struct
{
  GstBuffer *buffer; /**< RTP header and payload */
  gsize header_bytes;
  gsize payload_bytes;
  guint64 due_ns; /**< monotonic; at most the window before the packet could be pulled */
  gboolean discont;
  guint16 seq;     /**< RTP sequence number */
  guint64 skipped; /**< packets of its stream that are missing in front of it */
} GstTfrcPulled;

/** Opens an endpoint and starts to receive.
 * @param events copied
 * @return to be freed with gst_tfrc_src_stream_free(); NULL with @a error set on failure
 *
 * Any thread but the I/O loop's. */
GstTfrcSrcStream *gst_tfrc_src_stream_new (const GstTfrcSrcStreamConfig *config,
    const GstTfrcSrcStreamEvents *events, gpointer user, GError **error);

/** Sends a BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void gst_tfrc_src_stream_free (GstTfrcSrcStream *stream);

/** The most packets that gst_tfrc_src_stream_pull() returns at once */
#define GST_TFRC_PULL_MAX_PACKETS GST_TFRC_REORDER_GROUP_PACKETS

/** Waits for the next packets in order, which leave in groups (gst_tfrc_reorder_leave_ns()).
 * @param timeout_ns 0: for ever
 * @param pulled room for @a max packets, 1..GST_TFRC_PULL_MAX_PACKETS
 * @param n set to the number of packets: 1..max if the result is GST_TFRC_PULL_PACKET, otherwise 0 */
GstTfrcPullResult gst_tfrc_src_stream_pull (
    GstTfrcSrcStream *stream, guint64 timeout_ns, GstTfrcPulled *pulled, guint max, guint *n);

/** While flushing, pulling returns at once. */
void gst_tfrc_src_stream_set_flushing (GstTfrcSrcStream *stream, gboolean flushing);

/** Changes the limits. */
void gst_tfrc_src_stream_set_limits (
    GstTfrcSrcStream *stream, const GstTfrcSrcStreamLimits *limits);

void gst_tfrc_src_stream_get_stats (GstTfrcSrcStream *stream, GstTfrcSrcStreamStats *stats);

/** A migration of this receiver to another path, which is reported to the sender */
typedef struct
{
  GstTfrcLocalPath path;  /**< the new one; unspecified: the kernel's route to the sender */
  guint64 bandwidth_bps;  /**< of the path in bit/s, with IP headers; 0: unknown */
  gboolean suppress_echo; /**< the sender is not to mark its packets */
} GstTfrcSrcHandover;

/** Makes another path the active one: feedback leaves over it, and data is expected over it.  Opens
 * another endpoint beside the active one if the path needs that.
 * @return FALSE with @a error set if this host does not have the address, the address is not of the
 *   sender's IP version, or the kernel knows no route
 *
 * This function, the next two and gst_tfrc_src_stream_free(): one thread at a time, not the I/O
 * loop's. */
gboolean gst_tfrc_src_stream_start_handover (
    GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error);

/** Asks the kernel for the route to the sender, and migrates if that has changed since the last
 * call. Without a sender or a route nothing happens. */
void gst_tfrc_src_stream_follow_route (GstTfrcSrcStream *stream);

/** Closes the old endpoint of a migration, if nothing has come there meanwhile. */
void gst_tfrc_src_stream_close_old_endpoint (GstTfrcSrcStream *stream);

/** Takes the oldest event of handovers; free it with g_free().  NULL: there is none. */
GstTfrcHandoverEvent *gst_tfrc_src_stream_take_handover_event (GstTfrcSrcStream *stream);

/** Takes the oldest event of the protection.  FALSE: none. */
gboolean gst_tfrc_src_stream_take_security_event (
    GstTfrcSrcStream *stream, GstTfrcSecurityEvent *event);

/** Asks the sender to replace the keys, if the stream is protected. */
void gst_tfrc_src_stream_rekey (GstTfrcSrcStream *stream);

/** Returns the kernel's receive buffer in bytes, which can be less than asked for; 0 in a child of
 * fork(). */
gint gst_tfrc_src_stream_get_receive_buffer_bytes (GstTfrcSrcStream *stream);

/** The port that the stream is received on. */
guint16 gst_tfrc_src_stream_get_local_port (GstTfrcSrcStream *stream);

G_END_DECLS
#endif
