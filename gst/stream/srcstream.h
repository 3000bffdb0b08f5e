/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source's stream: what an element holds.  A port with one receive flow (gst/flow/receiveflow.h), the
 * streaming thread's wait for packets, migrations, and the events for the application.  The stream
 * knows nothing of GStreamer's elements, and has no lock but the port's.
 *
 * The I/O loop's thread receives, sends RTCP and queues; the pipeline's streaming thread pulls from
 * the queue.  TFRC never waits for the pipeline. */
#ifndef GST_TFRC_SRCSTREAM_H
#define GST_TFRC_SRCSTREAM_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "../flow/receiveflow.h"
#include "door.h"
#include "migration.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: gst_tfrc_src_stream_close_inherited() is the
 * only function for it (gst/common/fork.h). */
typedef struct _GstTfrcSrcStream GstTfrcSrcStream;

/** Settings that may change while the stream runs */
typedef struct
{
  guint64 window_ns;         /**< playout delay: how long after a packet was due it is played */
  guint64 max_time_ns;       /**< how much may wait for the pipeline; 0: no limit */
  guint64 timeout_ns;        /**< a sender that is silent for this time is lost; 0: never */
  guint64 stats_interval_ns; /**< 0: none */
  gboolean tells_window;     /**< the sender is told the playout delay and the next two */
  guint64 ahead_ns;          /**< how long before it is due a packet may come; 0: not at all */
  guint64 ahead_bytes;       /**< that may be held for that */
  gboolean repairs;          /**< the sender is asked for what is missing */
  gboolean key_units; /**< the sender is asked for a key unit when something is missing for good */
} GstTfrcSrcStreamLimits;

typedef struct
{
  GstTfrcSocketConfig socket;
  guint16 rtcp_port; /**< for RTCP of senders that do not multiplex; 0: none */
  GstTfrcSrcStreamLimits limits;
  gboolean keep_listening;      /**< another stream may follow when one has ended */
  gboolean accept_udp_ts;       /**< as GstTfrcReceiveFlowConfig has it */
  GstTfrcAddressFilter senders; /**< which senders can become the peer */
  const gchar *stream_id;       /**< as GstTfrcReceiveFlowConfig has it; copied */
  const gchar
      *taken_stream_id; /**< senders have to call and name it, and wait for gst_tfrc_door_answer()
                        * (door.h); "": they may name any; NULL: no sender has to call. Copied */
  TfrcReceiverConfig receiver;
  GstTfrcSecurityConfig security;
} GstTfrcSrcStreamConfig;

/** There are events to take.  On the I/O loop's thread, without a lock held; must not block. */
typedef void (*GstTfrcSrcEventsFunc) (gpointer user);

typedef struct
{
  GstTfrcReceiveFlowStats flow;
  guint16 local_port; /**< that packets are received on */
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

/** Opens a socket and starts to receive.
 * @param events may be NULL
 * @return to be freed with gst_tfrc_src_stream_free(); NULL with @a error set on failure
 *
 * Any thread but the I/O loop's. */
GstTfrcSrcStream *gst_tfrc_src_stream_new (const GstTfrcSrcStreamConfig *config,
    GstTfrcSrcEventsFunc events, gpointer user, GError **error);

/** Sends a BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void gst_tfrc_src_stream_free (GstTfrcSrcStream *stream);

/** In a child of fork(2): closes the child's descriptors of a stream of the parent, and leaves its
 * memory as it is. */
void gst_tfrc_src_stream_close_inherited (GstTfrcSrcStream *stream);

/** The most packets that gst_tfrc_src_stream_pull() returns at once */
#define GST_TFRC_PULL_MAX_PACKETS GST_TFRC_REORDER_GROUP_PACKETS

/** Waits for the next packets in order, which leave in groups (gst_tfrc_reorder_leave_ns()).
 * The wait is no longer than timeout_ns of the stream's limits, and new limits count for a wait that has begun.
 * @param pulled room for @a max packets, 1..GST_TFRC_PULL_MAX_PACKETS
 * @param n set to the number of packets: 1..max if the result is GST_TFRC_PULL_PACKET, otherwise 0
 * @param timeout_ns set to that of the limits */
GstTfrcPullResult gst_tfrc_src_stream_pull (
    GstTfrcSrcStream *stream, GstTfrcPulled *pulled, guint max, guint *n, guint64 *timeout_ns);

/** Asks the sender for a key unit, as soon as the last request is old enough (gst/flow/pictureloss.h). Any thread. */
void gst_tfrc_src_stream_ask_for_key_unit (GstTfrcSrcStream *stream);

/** While flushing, pulling returns at once. */
void gst_tfrc_src_stream_set_flushing (GstTfrcSrcStream *stream, gboolean flushing);

/** While paused, pulling gives neither packets nor the end, and waits. */
void gst_tfrc_src_stream_set_paused (GstTfrcSrcStream *stream, gboolean paused);

/** Changes the limits. */
void gst_tfrc_src_stream_set_limits (
    GstTfrcSrcStream *stream, const GstTfrcSrcStreamLimits *limits);

/** Returns why the call was refused, for g_free(); NULL: it was not. */
gchar *gst_tfrc_src_stream_dup_refusal (GstTfrcSrcStream *stream);

void gst_tfrc_src_stream_get_stats (GstTfrcSrcStream *stream, GstTfrcSrcStreamStats *stats);

/** As gst_tfrc_migration_start(), gst_tfrc_migration_follow_route() and
 * gst_tfrc_migration_close_old_socket().
 *
 * These functions and gst_tfrc_src_stream_free(): one thread at a time, not the I/O loop's. */
gboolean gst_tfrc_src_stream_start_handover (
    GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error);
void gst_tfrc_src_stream_follow_route (GstTfrcSrcStream *stream);
void gst_tfrc_src_stream_close_old_endpoint (GstTfrcSrcStream *stream);

/** Takes the oldest event; news of callers come first, and stay at the door.
 * @return FALSE: there is none */
gboolean gst_tfrc_src_stream_take_event (GstTfrcSrcStream *stream, GstTfrcEvent *event);

/** Returns the port, and the door, which is used with the port's lock; NULL: no sender has to call. */
GstTfrcPort *gst_tfrc_src_stream_get_port (GstTfrcSrcStream *stream);
GstTfrcDoor *gst_tfrc_src_stream_get_door (GstTfrcSrcStream *stream);

/** Returns for how long packets wait for each other at most, so that they leave together. */
guint64 gst_tfrc_src_stream_get_hold_ns (GstTfrcSrcStream *stream);

/** Asks the sender to replace the keys, if the stream is protected. */
void gst_tfrc_src_stream_rekey (GstTfrcSrcStream *stream);

/** Returns the kernel's receive buffer in bytes, which can be less than asked for. */
gint gst_tfrc_src_stream_get_receive_buffer_bytes (GstTfrcSrcStream *stream);

/** The port that the stream is received on. */
guint16 gst_tfrc_src_stream_get_local_port (GstTfrcSrcStream *stream);

G_END_DECLS
#endif
