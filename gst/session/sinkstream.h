/* One stream as its sender sees it: buffer, pacing, socket, RTCP.  Knows
 * nothing of GStreamer's elements; the element feeds it and is told of what
 * happens.
 *
 * The pipeline's streaming thread pushes packets, the I/O loop's thread sends
 * them; one lock, held for neither I/O nor callbacks. */
#ifndef GST_TFRC_SINKSTREAM_H
#define GST_TFRC_SINKSTREAM_H

#include "../common/histogram.h"
#include "../io/socket.h"
#include "sendqueue.h"
#include "sinksession.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: all functions return at
 * once, and only its descriptors are closed with it. */
typedef struct _TfrcSinkStream GstTfrcSinkStream;

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
  GstTfrcSocketConfig socket;
  GstTfrcSinkRateConfig rate;
  GstTfrcSinkLimits limits;
  guint64 smoothing_ns; /**< window that packets are spread over; 0: none */
  GstTfrcAllowMigration allow_migration;
} GstTfrcSinkStreamConfig;

/** Called on the I/O loop's thread, without a lock held; must not block. */
typedef struct
{
  void (*peer_state) (gpointer user, GstTfrcPeerState state);
  void (*bitrate) (gpointer user, guint64 bits_per_second);
  void (*stats) (gpointer user);                  /**< stats_interval_ns has passed */
  void (*send_error) (gpointer user, gint error); /**< the first of a run of failed sends */
  void (*handover) (
      gpointer user); /**< there is news, see gst_tfrc_sink_stream_take_handover_event() */
  void (*migrated) (gpointer user); /**< data goes to another address */
} GstTfrcSinkStreamEvents;

typedef struct
{
  TfrcSenderStats sender;
  GstTfrcPeerState peer_state;
  GstTfrcHistogram delay; /**< sender delay */
  guint queue_packets;
  gsize queue_bytes;
  guint64 queue_time_ns;
  gdouble smoothing_rate_Bps; /**< what the smoother lets leave; 0 without one */
  guint64 packets_dropped;    /**< by a full or overdue buffer */
  guint64 packets_overdue;    /**< sent although they waited longer than the limit */
  guint64 send_errors;
  guint64 icmp_errors;
  guint64 foreign_packets; /**< from others than the receiver */
  guint64 malformed_packets;
  guint32 ssrc;
  guint16 local_port;       /**< that packets are sent from */
  GstTfrcAddress peer;      /**< that they are sent to */
  guint64 messages_dropped; /**< news of handovers that was left out */
  guint64 migrations;       /**< of the receiver, to another address */
  guint64 path_validation_failures;
  TfrcHandoverPhase handover_phase; /**< as the receiver says */
  guint64 packets_lost;             /**< as the receiver says, like the next ones */
  guint64 loss_events;
  guint64 ce_marks;
  gdouble loss_ratio;       /**< IPLR: lost of those it expected, 0..1 */
  guint64 counters_refused; /**< how often the last four could not be true */
} GstTfrcSinkStreamStats;

typedef enum
{
  GST_TFRC_PUSH_OK,
  GST_TFRC_PUSH_DROPPED, /**< packets were dropped since the last push: this or older ones */
  GST_TFRC_PUSH_FLUSHING
} GstTfrcPushResult;

/** Opens the socket and starts sending what is pushed.
 * @return NULL with @a error set on failure */
GstTfrcSinkStream *gst_tfrc_sink_stream_new (const GstTfrcSinkStreamConfig *config,
    const GstTfrcSinkStreamEvents *events, gpointer user, GError **error);

/** Says BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream);

/** Queues one payload; waits for room if the limits say so.
 * @param due_ns target transmission time, monotonic
 * @param blocked_ns increased by the time spent waiting */
GstTfrcPushResult gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, const guint8 *data, gsize size, guint64 due_ns, guint64 *blocked_ns);

/** While flushing, pushing and draining return at once. */
void gst_tfrc_sink_stream_set_flushing (GstTfrcSinkStream *stream, gboolean flushing);

/** Says whether the input is live: then max_queue_time_ns also bounds what waits
 * in front of a pipeline that is stopped. */
void gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live);

/** Forgets what is queued. */
void gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream);

/** Waits until everything is sent, drops what is left after @a timeout_ns, and
 * says BYE.
 * @param dropped how many packets were left
 * @return FALSE if flushing has interrupted it; nothing is dropped then */
gboolean gst_tfrc_sink_stream_drain (GstTfrcSinkStream *stream, guint64 timeout_ns, guint *dropped);

void gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits);

/** Sets the TTL or the DSCP of what is sent from now on; FALSE if the system
 * refuses. */
gboolean gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl);
gboolean gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp);

void gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats);

/** Takes the oldest news of handovers; free it with g_free().  NULL: none. */
GstTfrcHandoverEvent *gst_tfrc_sink_stream_take_handover_event (GstTfrcSinkStream *stream);

/** X, in bit/s */
guint64 gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream);

G_END_DECLS
#endif
