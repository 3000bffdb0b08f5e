/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream at the sender, see sinkstream.h: the streaming thread's waiting, settings and queries. */
#include "sinkstream.h"

#include <string.h>

#include "../common/clock.h"
#include "../common/random.h"
#include "pathrecall.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* BYEs at the end of a stream if no receiver answers, and the time between two */
#define MAX_BYES 5
#define MIN_BYE_INTERVAL_NS (50 * MS_NS)
#define MAX_BYE_INTERVAL_NS (1000 * MS_NS)

struct _GstTfrcSinkStream
{
  GstTfrcPort *port;
  GstTfrcSendFlow *flow; /* is guarded by the port's lock, as are its parts */
  GstTfrcOutbox *outbox; /* of the flow */
  GstTfrcSinkStreamEvents events;
  gpointer user;
  gboolean remembers_rate;

  GstTfrcPacketPool *pool;
  GstTfrcVisitor visitor; /* the streaming thread, at the turnstile of the loop */

  GCond wake; /* for the streaming thread: there is room, all has left, or the stream flushes */
  gboolean is_streaming_thread_waiting GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  gboolean flushing GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  /* flushing has begun since the streaming thread was last told */
  gboolean is_interrupted GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  guint64 max_queue_time_ns GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex); /* 0: no limit */
  guint64 told_dropped GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);      /* to the streaming thread */
  gboolean was_absent GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);       /* when served last */
  gboolean was_broken GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
};

/* The flow's deadline may be another one now. */
static void
reschedule (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_port_reschedule (stream->port, gst_tfrc_send_flow_get_base (stream->flow));
}

/* ---- the port's calls ----------------------------------------------------------- */

/* Lets a waiting streaming thread go on: if there is room, if all packets have left, if the stream is
 * broken, or if the receiver has come or gone, for which the thread waits in another way. */
static void
wake (GstTfrcSinkStream *stream, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean is_absent = gst_tfrc_outbox_is_receiver_absent (stream->outbox);
  gboolean is_broken = gst_tfrc_send_flow_is_broken (stream->flow);

  if (is_absent != stream->was_absent || is_broken != stream->was_broken
      || (stream->is_streaming_thread_waiting
          && (gst_tfrc_outbox_is_empty (stream->outbox)
              || gst_tfrc_outbox_has_room (stream->outbox, now_ns)))) {
    stream->is_streaming_thread_waiting = FALSE;
    g_cond_signal (&stream->wake);
  }
  stream->was_absent = is_absent;
  stream->was_broken = is_broken;
}

static gboolean
served (gpointer owner, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSinkStream *stream = owner;

  wake (stream, now_ns);
  return gst_tfrc_send_flow_find_news (stream->flow, now_ns);
}

static guint64
deadline (gpointer owner) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return gst_tfrc_send_flow_news_ns (((GstTfrcSinkStream *) owner)->flow);
}

static void
emit (gpointer owner)
{
  GstTfrcSinkStream *stream = owner;

  stream->events (stream->user, stream);
}

/* ---- life ----------------------------------------------------------------------- */

static GstTfrcPort *
open_port (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  static const GstTfrcPortOwner methods = { served, deadline, emit };
  GstTfrcPort *port = gst_tfrc_port_new (&config->socket, &methods, stream, error);

  if (port && config->flow.rtcp_port != 0
      && !gst_tfrc_port_open_rtcp (port, &config->socket, 0, error))
    g_clear_pointer (&port, gst_tfrc_port_free);
  return port;
}

static GstTfrcSendFlow *
new_flow (GstTfrcPort *port, const GstTfrcSinkStreamConfig *config)
{
  GstTfrcEndpoint *socket = gst_tfrc_port_ref_socket (port);
  GstTfrcSendFlowConfig flow = config->flow;

  flow.session.media.ttl = gst_tfrc_endpoint_get_ttl (socket);
  flow.system_has_ecn = gst_tfrc_endpoint_allows_ecn (socket);
  if (config->remember_rate)
    gst_tfrc_path_recall (socket, &flow.session.peer, &flow.session.media.rate);
  gst_tfrc_endpoint_unref (socket);
  return gst_tfrc_send_flow_new (&flow, gst_tfrc_clock_now_ns ());
}

/* All that comes is for the one flow. */
static gboolean
start (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  stream->flow = new_flow (stream->port, config);
  if (stream->flow == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "TFRC refuses the configuration");
    return FALSE;
  }
  stream->outbox = gst_tfrc_send_flow_get_outbox (stream->flow);
  gst_tfrc_port_lock (stream->port);
  stream->max_queue_time_ns = config->flow.limits.max_queue_time_ns;
  gst_tfrc_port_add_flow (stream->port, gst_tfrc_send_flow_get_base (stream->flow));
  gst_tfrc_port_set_strangers (stream->port, gst_tfrc_send_flow_get_base (stream->flow));
  gst_tfrc_port_unlock (stream->port);
  return gst_tfrc_port_start (stream->port, TRUE, error);
}

GstTfrcSinkStream *
gst_tfrc_sink_stream_new (const GstTfrcSinkStreamConfig *config, GstTfrcSinkStreamEvents events,
    gpointer user, GError **error)
{
  GstTfrcSinkStream *stream = g_new0 (GstTfrcSinkStream, 1);

  if (!gst_tfrc_adaptive_ttl_check (&config->flow.session.media.adaptive_ttl, error)
      || !gst_tfrc_random_is_available (error)
      || (stream->port = open_port (stream, config, error)) == NULL) {
    g_free (stream);
    return NULL;
  }
  stream->events = events;
  stream->user = user;
  stream->remembers_rate = config->remember_rate;
  g_cond_init (&stream->wake);
  gst_tfrc_visitor_init (&stream->visitor);
  stream->pool = gst_tfrc_packet_pool_new ();
  if (!start (stream, config, error))
    g_clear_pointer (&stream, gst_tfrc_sink_stream_free);
  return stream;
}

void
gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream)
{
  if (stream == NULL)
    return;
  gst_tfrc_port_stop (stream->port);
  if (stream->flow) {
    if (stream->remembers_rate)
      gst_tfrc_path_remember (stream->port, stream->flow);
    gst_tfrc_send_flow_say_bye (stream->flow);
    gst_tfrc_port_flush (stream->port);
  }
  gst_tfrc_port_free (stream->port);
  gst_tfrc_send_flow_free (stream->flow);
  gst_tfrc_packet_pool_free (stream->pool);
  g_cond_clear (&stream->wake);
  gst_tfrc_visitor_clear (&stream->visitor);
  g_free (stream);
}

void
gst_tfrc_sink_stream_close_inherited (GstTfrcSinkStream *stream)
{
  gst_tfrc_port_close_inherited (stream->port);
}

GstTfrcPacketPool *
gst_tfrc_sink_stream_get_pool (GstTfrcSinkStream *stream)
{
  return stream->pool;
}

GstTfrcPort *
gst_tfrc_sink_stream_get_port (GstTfrcSinkStream *stream)
{
  return stream->port;
}

GstTfrcSendFlow *
gst_tfrc_sink_stream_get_flow (GstTfrcSinkStream *stream)
{
  return stream->flow;
}

/* ---- pushing -------------------------------------------------------------------- */

/* Waits until the loop's thread wakes this thread, or until this time. */
static void
wait_until_woken (GstTfrcSinkStream *stream, guint64 until_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  stream->is_streaming_thread_waiting = TRUE;
  gst_tfrc_port_wait (stream->port, &stream->wake, until_ns);
  stream->is_streaming_thread_waiting = FALSE;
}

static gboolean
is_interrupted (const GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return stream->flushing || stream->is_interrupted;
}

/* Returns whether the streaming thread has to return, which knows of the interruption then. */
static gboolean
take_interruption (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean interrupted = is_interrupted (stream);

  stream->is_interrupted = FALSE;
  return interrupted;
}

/* Waits until there is room. Returns TRUE if the new packet may be queued. Otherwise the packet has
 * to be dropped, or the stream is flushing.
 * @now_ns: set to the time of the decision */
static gboolean
make_room (GstTfrcSinkStream *stream, guint64 due_ns, guint64 *now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcAdmission admission = GST_TFRC_ADMIT_LATER;

  *now_ns = gst_tfrc_clock_now_ns ();
  while (!is_interrupted (stream) && !gst_tfrc_send_flow_is_broken (stream->flow)
      && (admission = gst_tfrc_outbox_admit (stream->outbox, due_ns, *now_ns))
          == GST_TFRC_ADMIT_LATER) {
    wait_until_woken (stream, G_MAXUINT64);
    *now_ns = gst_tfrc_clock_now_ns ();
  }
  return !is_interrupted (stream) && !gst_tfrc_send_flow_is_broken (stream->flow)
      && admission == GST_TFRC_ADMIT;
}

/* The loop's thread drops packets, too. The result of the next push tells of them. */
static GstTfrcPushResult
push_result (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 n_dropped = gst_tfrc_outbox_get_dropped (stream->outbox);
  gboolean dropped = n_dropped > stream->told_dropped;

  if (take_interruption (stream))
    return GST_TFRC_PUSH_FLUSHING;
  if (gst_tfrc_send_flow_is_broken (stream->flow))
    return GST_TFRC_PUSH_BROKEN;
  stream->told_dropped = n_dropped;
  return dropped ? GST_TFRC_PUSH_DROPPED : GST_TFRC_PUSH_OK;
}

GstTfrcPushResult
gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 *blocked_ns)
{
  guint64 start_ns = gst_tfrc_clock_now_ns (), now_ns;
  gboolean has_room;
  GstTfrcPushResult result;

  gst_tfrc_port_lock (stream->port);
  has_room = make_room (stream, due_ns, &now_ns);
  if (has_room && gst_tfrc_outbox_push (stream->outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, now_ns))
    reschedule (stream);
  result = push_result (stream);
  if (!has_room && (result == GST_TFRC_PUSH_OK || result == GST_TFRC_PUSH_DROPPED))
    gst_tfrc_packet_unref (packet);
  gst_tfrc_port_unlock (stream->port);
  *blocked_ns += now_ns - start_ns;
  return result;
}

void
gst_tfrc_sink_stream_pass (GstTfrcSinkStream *stream)
{
  gst_tfrc_turnstile_pass (gst_tfrc_port_get_turnstile (stream->port), &stream->visitor);
}

void
gst_tfrc_sink_stream_leave (GstTfrcSinkStream *stream)
{
  gst_tfrc_turnstile_leave (gst_tfrc_port_get_turnstile (stream->port), &stream->visitor);
}

gboolean
gst_tfrc_sink_stream_is_crowded (GstTfrcSinkStream *stream)
{
  return gst_tfrc_turnstile_is_crowded (gst_tfrc_port_get_turnstile (stream->port));
}

void
gst_tfrc_sink_stream_set_flushing (GstTfrcSinkStream *stream, gboolean flushing)
{
  gst_tfrc_port_lock (stream->port);
  stream->flushing = flushing;
  stream->is_interrupted |= flushing;
  g_cond_signal (&stream->wake);
  gst_tfrc_port_unlock (stream->port);
  if (flushing)
    gst_tfrc_turnstile_interrupt (gst_tfrc_port_get_turnstile (stream->port), &stream->visitor);
}

gboolean
gst_tfrc_sink_stream_is_flushing (GstTfrcSinkStream *stream)
{
  gboolean flushing;

  gst_tfrc_port_lock (stream->port);
  flushing = stream->flushing;
  gst_tfrc_port_unlock (stream->port);
  return flushing;
}

void
gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_outbox_flush (stream->outbox);
  gst_tfrc_packet_pool_trim (stream->pool);
  gst_tfrc_port_unlock (stream->port);
}

static void
send_bye (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_send_flow_say_bye (stream->flow);
  reschedule (stream);
}

/* Repeats the BYE until the receiver has answered, because the end of a stream often finds the
 * queues of the network full. */
static void
say_goodbye (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 interval_ns = CLAMP (
      2 * gst_tfrc_send_flow_get_rtt_ns (stream->flow), MIN_BYE_INTERVAL_NS, MAX_BYE_INTERVAL_NS);

  send_bye (stream);
  for (guint i = 1; i < MAX_BYES && !gst_tfrc_send_flow_is_goodbye_over (stream->flow); i++) {
    guint64 end_ns = gst_tfrc_clock_now_ns () + interval_ns;

    while (!is_interrupted (stream) && !gst_tfrc_send_flow_is_bye_answered (stream->flow)
        && gst_tfrc_clock_now_ns () < end_ns)
      wait_until_woken (stream, end_ns);
    if (is_interrupted (stream) || gst_tfrc_send_flow_is_bye_answered (stream->flow))
      return;
    send_bye (stream);
  }
}

/* When the wait for the last packets, and for their repairs, ends. Without a receiver that is no longer than
 * packets may wait. */
static guint64
drain_end_ns (const GstTfrcSinkStream *stream, guint64 start_ns, guint64 timeout_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (gst_tfrc_outbox_is_receiver_absent (stream->outbox) && stream->max_queue_time_ns > 0)
    timeout_ns = MIN (timeout_ns, stream->max_queue_time_ns);
  return MIN (start_ns + timeout_ns, gst_tfrc_send_flow_drains_until_ns (stream->flow));
}

gboolean
gst_tfrc_sink_stream_drain (GstTfrcSinkStream *stream, guint64 timeout_ns, guint *dropped)
{
  guint64 start_ns = gst_tfrc_clock_now_ns ();
  gboolean finished;

  gst_tfrc_port_lock (stream->port);
  while (!is_interrupted (stream) && !gst_tfrc_send_flow_is_broken (stream->flow)
      && gst_tfrc_clock_now_ns () < drain_end_ns (stream, start_ns, timeout_ns))
    wait_until_woken (stream, drain_end_ns (stream, start_ns, timeout_ns));
  finished = !take_interruption (stream);
  if (finished) {
    /* No packet may follow the BYE. */
    *dropped = gst_tfrc_outbox_flush (stream->outbox);
    gst_tfrc_outbox_count_dropped (stream->outbox, *dropped);
    say_goodbye (stream);
  }
  gst_tfrc_port_unlock (stream->port);
  return finished;
}

/* ---- settings ---------------------------------------------------------------------- */

void
gst_tfrc_sink_stream_set_timeline (GstTfrcSinkStream *stream, gint64 timeline_ns)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_outbox_set_timeline (stream->outbox, timeline_ns);
  reschedule (stream);
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_sink_stream_set_paused (GstTfrcSinkStream *stream, gboolean paused)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_outbox_set_paused (stream->outbox, paused);
  reschedule (stream);
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_outbox_set_live (stream->outbox, live);
  gst_tfrc_outbox_take_due (stream->outbox, gst_tfrc_clock_now_ns ());
  reschedule (stream);
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_sink_stream_set_timed (GstTfrcSinkStream *stream, gboolean timed)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_outbox_set_timed (stream->outbox, timed);
  gst_tfrc_port_unlock (stream->port);
}

guint64
gst_tfrc_sink_stream_get_ahead_ns (GstTfrcSinkStream *stream)
{
  guint64 ahead_ns;

  gst_tfrc_port_lock (stream->port);
  ahead_ns = gst_tfrc_outbox_get_ahead_ns (stream->outbox);
  gst_tfrc_port_unlock (stream->port);
  return ahead_ns;
}

void
gst_tfrc_sink_stream_set_limits (GstTfrcSinkStream *stream, const GstTfrcSinkLimits *limits)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_send_flow_set_limits (stream->flow, limits, gst_tfrc_clock_now_ns ());
  stream->max_queue_time_ns = limits->max_queue_time_ns;
  gst_tfrc_outbox_take_due (stream->outbox, gst_tfrc_clock_now_ns ());
  g_cond_signal (&stream->wake);
  reschedule (stream);
  gst_tfrc_port_unlock (stream->port);
}

/* Sets an option of the socket, without the lock. Returns FALSE if the system refuses.
 * @ttl: set to the TTL in force */
static gboolean
set_option (GstTfrcSinkStream *stream, gboolean (*set) (GstTfrcEndpoint *self, gint value),
    gint value, guint *ttl)
{
  GstTfrcEndpoint *socket;
  gboolean is_set;

  socket = gst_tfrc_port_ref_socket (stream->port);
  is_set = set (socket, value);
  *ttl = gst_tfrc_endpoint_get_ttl (socket);
  gst_tfrc_endpoint_unref (socket);
  return is_set;
}

gboolean
gst_tfrc_sink_stream_set_ttl (GstTfrcSinkStream *stream, gint ttl)
{
  guint in_force;

  if (!set_option (stream, gst_tfrc_endpoint_set_ttl, ttl, &in_force))
    return FALSE;
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_send_flow_set_ttl (stream->flow, in_force);
  gst_tfrc_port_unlock (stream->port);
  return TRUE;
}

gboolean
gst_tfrc_sink_stream_set_dscp (GstTfrcSinkStream *stream, gint dscp)
{
  guint unused;

  return set_option (stream, gst_tfrc_endpoint_set_dscp, dscp, &unused);
}

void
gst_tfrc_sink_stream_rekey (GstTfrcSinkStream *stream)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_send_flow_rekey (stream->flow, gst_tfrc_clock_now_ns ());
  reschedule (stream);
  gst_tfrc_port_unlock (stream->port);
}

/* ---- events and queries -------------------------------------------------------------- */

gboolean
gst_tfrc_sink_stream_take_event (GstTfrcSinkStream *stream, GstTfrcEvent *event)
{
  gboolean taken;

  gst_tfrc_port_lock (stream->port);
  taken = gst_tfrc_events_take (gst_tfrc_send_flow_get_events (stream->flow), event);
  gst_tfrc_port_unlock (stream->port);
  return taken;
}

void
gst_tfrc_sink_stream_get_stats (GstTfrcSinkStream *stream, GstTfrcSinkStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_send_flow_get_stats (stream->flow, gst_tfrc_clock_now_ns (), stats);
  stats->local_port = gst_tfrc_port_get_number (stream->port);
  gst_tfrc_port_unlock (stream->port);
}

guint64
gst_tfrc_sink_stream_get_bitrate (GstTfrcSinkStream *stream)
{
  guint64 bitrate;

  gst_tfrc_port_lock (stream->port);
  bitrate = gst_tfrc_send_flow_get_bitrate (stream->flow, gst_tfrc_clock_now_ns ());
  gst_tfrc_port_unlock (stream->port);
  return bitrate;
}
