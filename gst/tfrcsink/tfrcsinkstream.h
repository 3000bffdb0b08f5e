/* One stream as its sender sees it: buffer, pacing, socket, RTCP.  Knows
 * nothing of GStreamer's elements; the element feeds it and is told of what
 * happens.
 *
 * The pipeline's streaming thread pushes packets, the I/O loop's thread sends
 * them; one lock, held for neither I/O nor callbacks. */
#ifndef TFRC_SINK_STREAM_H
#define TFRC_SINK_STREAM_H

#include "../common/tfrchistogram.h"
#include "../common/tfrcsocket.h"
#include "tfrcpacketqueue.h"
#include "tfrcsinksession.h"

G_BEGIN_DECLS

/** In a child of fork(2) a stream of the parent is dead: all functions return at
 * once, and only its descriptors are closed with it. */
typedef struct _TfrcSinkStream TfrcSinkStream;

/** The part of the settings that can change while the stream runs. */
typedef struct
{
  guint64 min_bitrate; /**< bit/s; 0: none */
  guint64 max_bitrate;
  guint max_queue_packets;
  guint64 max_queue_time_ns;
  TfrcLeaky leaky;
  guint64 stats_interval_ns; /**< 0: none */
} TfrcSinkLimits;

typedef struct
{
  TfrcAddress destination;
  TfrcSocketConfig socket;
  TfrcSinkRateConfig rate;
  TfrcSinkLimits limits;
  guint64 smoothing_ns; /**< window that packets are spread over; 0: none */
  TfrcAllowMigration allow_migration;
} TfrcSinkStreamConfig;

/** Called on the I/O loop's thread, without a lock held; must not block. */
typedef struct
{
  void (*peer_state) (gpointer user, TfrcPeerState state);
  void (*bitrate) (gpointer user, guint64 bits_per_second);
  void (*stats) (gpointer user);                  /**< stats_interval_ns has passed */
  void (*send_error) (gpointer user, gint error); /**< the first of a run of failed sends */
  void (*handover) (gpointer user); /**< there is news, see tfrc_sink_stream_take_news() */
  void (*migrated) (gpointer user); /**< data goes to another address */
} TfrcSinkStreamEvents;

typedef struct
{
  TfrcSenderStats sender;
  TfrcPeerState peer_state;
  TfrcHistogram delay; /**< sender delay */
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
  TfrcAddress peer;         /**< that they are sent to */
  guint64 messages_dropped; /**< news of handovers that was left out */
  guint64 migrations;       /**< of the receiver, to another address */
  guint64 path_validation_failures;
  TfrcHandoverPhase handover_phase; /**< as the receiver says */
  guint64 packets_lost;             /**< as the receiver says, like the next ones */
  guint64 loss_events;
  guint64 ce_marks;
  gdouble loss_ratio;       /**< IPLR: lost of those it expected, 0..1 */
  guint64 counters_refused; /**< how often the last four could not be true */
} TfrcSinkStreamStats;

typedef enum
{
  TFRC_PUSH_OK,
  TFRC_PUSH_DROPPED, /**< packets were dropped since the last push: this or older ones */
  TFRC_PUSH_FLUSHING
} TfrcPushResult;

/** Opens the socket and starts sending what is pushed.
 * @return NULL with @a error set on failure */
TfrcSinkStream *tfrc_sink_stream_new (const TfrcSinkStreamConfig *config,
    const TfrcSinkStreamEvents *events, gpointer user, GError **error);

/** Says BYE and closes.  No callback runs afterwards.  NULL is allowed. */
void tfrc_sink_stream_free (TfrcSinkStream *stream);

/** Queues one payload; waits for room if the limits say so.
 * @param due_ns target transmission time, monotonic
 * @param blocked_ns increased by the time spent waiting */
TfrcPushResult tfrc_sink_stream_push (
    TfrcSinkStream *stream, const guint8 *data, gsize size, guint64 due_ns, guint64 *blocked_ns);

/** While flushing, pushing and draining return at once. */
void tfrc_sink_stream_set_flushing (TfrcSinkStream *stream, gboolean flushing);

/** Says whether the input is live: then max_queue_time_ns also bounds what waits
 * in front of a pipeline that is stopped. */
void tfrc_sink_stream_set_live (TfrcSinkStream *stream, gboolean live);

/** Forgets what is queued. */
void tfrc_sink_stream_clear (TfrcSinkStream *stream);

/** Waits until everything is sent, drops what is left after @a timeout_ns, and
 * says BYE.
 * @param dropped how many packets were left
 * @return FALSE if flushing has interrupted it; nothing is dropped then */
gboolean tfrc_sink_stream_drain (TfrcSinkStream *stream, guint64 timeout_ns, guint *dropped);

void tfrc_sink_stream_set_limits (TfrcSinkStream *stream, const TfrcSinkLimits *limits);

/** Sets the TTL or the DSCP of what is sent from now on; FALSE if the system
 * refuses. */
gboolean tfrc_sink_stream_set_ttl (TfrcSinkStream *stream, gint ttl);
gboolean tfrc_sink_stream_set_dscp (TfrcSinkStream *stream, gint dscp);

void tfrc_sink_stream_get_stats (TfrcSinkStream *stream, TfrcSinkStreamStats *stats);

/** Takes the oldest news of handovers; free it with g_free().  NULL: none. */
TfrcHandoverNews *tfrc_sink_stream_take_news (TfrcSinkStream *stream);

/** X, in bit/s */
guint64 tfrc_sink_stream_get_bitrate (TfrcSinkStream *stream);

G_END_DECLS
#endif
