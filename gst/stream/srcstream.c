/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source's stream, see srcstream.h. */
#include "srcstream.h"

#include <string.h>

#include "../common/clock.h"
#include "../common/random.h"
#include "../strangers/cookies.h"

/* A packet waits for others for this time at most, so that the pipeline wakes up for several
 * packets.  With one stream in the process wake-ups cost little, and packets leave at once. */
#define HOLD_PER_STREAM_NS G_GUINT64_CONSTANT (5000000)
#define MAX_HOLD_NS G_GUINT64_CONSTANT (100000000)

/* With this window or a longer one it does no harm if packets are read some milliseconds later. */
#define PATIENT_WINDOW_NS G_GUINT64_CONSTANT (40000000)

struct _GstTfrcSrcStream
{
  GstTfrcSrcEventsFunc events;
  gpointer user;

  GstTfrcPort *port;
  GstTfrcTenant tenant; /* of the port */ /* with the lock of the rest */
  GstTfrcReceiveFlow *flow;               /* used with the lock */
  GstTfrcIntake *intake;                  /* of the flow */
  GstTfrcEvents *to_tell;                 /* of the flow */
  GstTfrcMigration *migration;            /* locks by itself */
  GstTfrcDoor *door;                      /* NULL: none; used with the lock */

  GCond packet_ready; /* for the thread that pulls: a packet, the end, or flushing */
  /* until when that thread waits; 0: it does not.  Whoever has something for it earlier sets 0, and
   * signals once the lock is released. */
  guint64 pull_wait_ns GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  guint64 timeout_ns GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex); /* of that wait; 0: none */
  gboolean flushing GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  gboolean paused GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  gboolean has_told_news GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex); /* of callers, just now */

  guint64 stats_interval_ns GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  /* when the next statistics are due; G_MAXUINT64: never */
  guint64 stats_ns GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);

  /* of the loop's thread alone, from served() to emit() */
  gboolean must_signal, must_tell;
};

/* ---- what the port calls ----------------------------------------------------- */

static guint64
choose_hold_ns (void)
{
  return MIN ((gst_tfrc_io_count_streams () - 1) * HOLD_PER_STREAM_NS, MAX_HOLD_NS);
}

/* Returns when the thread that pulls is to be woken, as it would wait for too long; G_MAXUINT64:
 * never. */
static guint64
wake_puller_ns (const GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return gst_tfrc_receive_flow_wake_ns (stream->flow, stream->pull_wait_ns);
}

static guint64
deadline (gpointer owner) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSrcStream *stream = owner;
  guint64 next_ns = MIN (stream->stats_ns, gst_tfrc_migration_next_ns (stream->migration));

  return MIN (next_ns, wake_puller_ns (stream));
}

static gboolean
served (gpointer owner, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSrcStream *stream = owner;
  GstTfrcReception *reception = gst_tfrc_intake_get_reception (stream->intake);
  gboolean has_news = gst_tfrc_door_served (stream->door);

  gst_tfrc_reorder_set_hold_ns (gst_tfrc_intake_get_queue (stream->intake), choose_hold_ns ());
  /* The log of handovers has to see each change. */
  if (reception)
    gst_tfrc_reception_log_handover (reception, now_ns);
  if (gst_tfrc_migration_served (stream->migration, now_ns))
    gst_tfrc_events_add_kind (stream->to_tell, GST_TFRC_EVENT_OLD_SOCKET);
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->stats_interval_ns;
    gst_tfrc_events_add_kind (stream->to_tell, GST_TFRC_EVENT_STATISTICS);
  }
  stream->must_tell = stream->events && (has_news || gst_tfrc_events_are_waiting (stream->to_tell));
  stream->must_signal = now_ns >= wake_puller_ns (stream);
  if (stream->must_signal)
    stream->pull_wait_ns = 0;
  return stream->must_tell || stream->must_signal;
}

static void
emit (gpointer owner) GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  GstTfrcSrcStream *stream = owner;

  if (stream->must_signal)
    g_cond_signal (&stream->packet_ready);
  if (stream->must_tell)
    stream->events (stream->user);
}

static void
leaving (gpointer owner) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_receive_flow_say_bye (((GstTfrcSrcStream *) owner)->flow);
}

static const GstTfrcPortOwner methods = { NULL, served, deadline, emit, leaving };

/* ---- life -------------------------------------------------------------------- */

static void
set_limits (GstTfrcSrcStream *stream, const GstTfrcSrcStreamLimits *limits)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (limits->stats_interval_ns != stream->stats_interval_ns) {
    stream->stats_interval_ns = limits->stats_interval_ns;
    stream->stats_ns = limits->stats_interval_ns
        ? gst_tfrc_clock_now_ns () + limits->stats_interval_ns
        : G_MAXUINT64;
  }
  stream->timeout_ns = limits->timeout_ns;
  gst_tfrc_migration_set_patient (stream->migration, limits->window_ns >= PATIENT_WINDOW_NS);
}

static GstTfrcReceiveFlowLimits
flow_limits (const GstTfrcSrcStreamLimits *limits)
{
  return (GstTfrcReceiveFlowLimits){ limits->window_ns, limits->max_time_ns, limits->timeout_ns,
    limits->tells_window, limits->ahead_ns, limits->ahead_bytes, limits->repairs,
    limits->key_units };
}

/* The numbers that no peer may guess */
static gboolean
draw_numbers (guint32 *ssrc, guint32 *call_number, gchar *cname,
    guint8 secret[GST_TFRC_SECRET_BYTES], GError **error)
{
  if (gst_tfrc_random_is_available (error) && gst_tfrc_random_fill (secret, GST_TFRC_SECRET_BYTES)
      && gst_tfrc_random_fill (ssrc, sizeof *ssrc)
      && gst_tfrc_random_fill (call_number, sizeof *call_number) && gst_tfrc_random_cname (cname))
    return TRUE;
  if (error && *error == NULL)
    gst_tfrc_random_set_error (error);
  return FALSE;
}

static GstTfrcReceiveFlow *
new_flow (const GstTfrcSrcStreamConfig *config, GError **error)
{
  GstTfrcReceiveFlowConfig flow = { .limits = flow_limits (&config->limits),
    .keep_listening = config->keep_listening,
    .accept_udp_ts = config->accept_udp_ts,
    .senders = config->senders,
    .receiver = config->receiver,
    .security = config->security,
    .stream_id = config->stream_id,
    .wall_ns = gst_tfrc_clock_wall_ns };
  guint8 secret[GST_TFRC_SECRET_BYTES];
  gchar cname[24];

  if (!draw_numbers (&flow.ssrc, &flow.call_number, cname, secret, error))
    return NULL;
  flow.cname = cname;
  flow.secret = secret;
  return gst_tfrc_receive_flow_new (&flow, gst_tfrc_clock_now_ns ());
}

/* Returns FALSE if the system has no random numbers. */
static gboolean
set_up_door (GstTfrcSrcStream *stream, const gchar *stream_id)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint8 secret[GST_TFRC_SECRET_BYTES];
  guint32 ssrc;

  if (!gst_tfrc_random_fill (secret, sizeof secret) || !gst_tfrc_random_fill (&ssrc, sizeof ssrc))
    return FALSE;
  stream->door = gst_tfrc_door_new (
      stream->port, &stream->tenant, stream->flow, stream_id, secret, ssrc);
  return TRUE;
}

/* Joins port and flow, which no other thread knows yet. */
static gboolean
set_up (GstTfrcSrcStream *stream, const gchar *taken_stream_id, GError **error)
{
  gst_tfrc_port_assume_locked (stream->port);
  stream->intake = gst_tfrc_receive_flow_get_intake (stream->flow);
  stream->to_tell = gst_tfrc_receive_flow_get_events (stream->flow);
  stream->migration = gst_tfrc_migration_new (stream->port, stream->flow);
  stream->stats_ns = G_MAXUINT64;
  g_cond_init (&stream->packet_ready);
  gst_tfrc_port_set_strangers (stream->port, gst_tfrc_receive_flow_base (stream->flow));
  gst_tfrc_port_add_flow (stream->port, &stream->tenant, gst_tfrc_receive_flow_base (stream->flow));
  if (taken_stream_id == NULL || set_up_door (stream, taken_stream_id))
    return TRUE;
  gst_tfrc_random_set_error (error);
  return FALSE;
}

static GstTfrcPort *
open_port (GstTfrcSrcStream *stream, const GstTfrcSrcStreamConfig *config, GError **error)
{
  GstTfrcSocketConfig socket = config->socket;
  GstTfrcPort *port;

  socket.receives_groups = TRUE;
  gst_tfrc_tenant_init (&stream->tenant, &methods, stream);
  port = gst_tfrc_port_new (&socket, &stream->tenant, error);
  if (port && config->rtcp_port != 0
      && !gst_tfrc_port_open_rtcp (port, &socket, config->rtcp_port, error))
    g_clear_pointer (&port, gst_tfrc_port_unref);
  return port;
}

GstTfrcSrcStream *
gst_tfrc_src_stream_new (const GstTfrcSrcStreamConfig *config, GstTfrcSrcEventsFunc events,
    gpointer user, GError **error)
{
  GstTfrcSrcStream *stream = g_new0 (GstTfrcSrcStream, 1);

  stream->events = events;
  stream->user = user;
  stream->flow = new_flow (config, error);
  if (stream->flow)
    stream->port = open_port (stream, config, error);
  if (stream->port == NULL) {
    gst_tfrc_receive_flow_free (stream->flow);
    g_free (stream);
    return NULL;
  }
  if (!set_up (stream, config->taken_stream_id, error)
      || !gst_tfrc_port_start (stream->port, &stream->tenant, FALSE, error)) {
    gst_tfrc_src_stream_free (stream);
    return NULL;
  }
  /* The loop may have been at work already. */
  gst_tfrc_port_lock (stream->port);
  set_limits (stream, &config->limits);
  gst_tfrc_port_reschedule_owner (stream->port, &stream->tenant);
  gst_tfrc_port_unlock (stream->port);
  return stream;
}

void
gst_tfrc_src_stream_free (GstTfrcSrcStream *stream)
{
  if (stream == NULL)
    return;
  gst_tfrc_port_leave (stream->port, &stream->tenant);
  gst_tfrc_migration_free (stream->migration);
  gst_tfrc_port_unref (stream->port);
  gst_tfrc_door_free (stream->door);
  gst_tfrc_receive_flow_free (stream->flow);
  g_cond_clear (&stream->packet_ready);
  g_free (stream);
}

void
gst_tfrc_src_stream_close_inherited (GstTfrcSrcStream *stream)
{
  gst_tfrc_port_close_inherited (stream->port);
}

/* ---- settings, and what is known --------------------------------------------- */

void
gst_tfrc_src_stream_set_limits (GstTfrcSrcStream *stream, const GstTfrcSrcStreamLimits *limits)
{
  const GstTfrcReceiveFlowLimits flow = flow_limits (limits);

  gst_tfrc_port_lock (stream->port);
  gst_tfrc_receive_flow_set_limits (stream->flow, &flow);
  set_limits (stream, limits);
  g_cond_signal (&stream->packet_ready);
  gst_tfrc_port_reschedule (stream->port, gst_tfrc_receive_flow_base (stream->flow));
  gst_tfrc_port_unlock (stream->port);
}

gchar *
gst_tfrc_src_stream_dup_refusal (GstTfrcSrcStream *stream)
{
  const GstTfrcCall *call;
  gchar *reason = NULL;

  gst_tfrc_port_lock (stream->port);
  call = gst_tfrc_receive_flow_get_call (stream->flow);
  if (gst_tfrc_call_get_state (call) == GST_TFRC_CALL_REFUSED)
    reason = g_strdup (gst_tfrc_call_get_reason (call));
  gst_tfrc_port_unlock (stream->port);
  return reason;
}

void
gst_tfrc_src_stream_get_stats (GstTfrcSrcStream *stream, GstTfrcSrcStreamStats *stats)
{
  memset (stats, 0, sizeof *stats);
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_receive_flow_get_stats (stream->flow, &stats->flow);
  stats->flow.foreign_packets += gst_tfrc_door_get_dropped (stream->door);
  gst_tfrc_port_unlock (stream->port);
  stats->local_port = gst_tfrc_port_get_number (stream->port);
}

gboolean
gst_tfrc_src_stream_take_event (GstTfrcSrcStream *stream, GstTfrcEvent *event)
{
  gboolean has_news, taken;

  gst_tfrc_port_lock (stream->port);
  has_news = gst_tfrc_door_has_news (stream->door);
  /* News of callers comes first, but a flood of calls must not keep the rest from the application. */
  taken = (!has_news || stream->has_told_news) && gst_tfrc_events_take (stream->to_tell, event);
  stream->has_told_news = !taken && has_news;
  if (stream->has_told_news)
    *event = (GstTfrcEvent){ .kind = GST_TFRC_EVENT_CALLERS };
  taken |= has_news;
  gst_tfrc_port_unlock (stream->port);
  return taken;
}

GstTfrcPort *
gst_tfrc_src_stream_get_port (GstTfrcSrcStream *stream)
{
  return stream->port;
}

GstTfrcDoor *
gst_tfrc_src_stream_get_door (GstTfrcSrcStream *stream)
{
  return stream->door;
}

void
gst_tfrc_src_stream_rekey (GstTfrcSrcStream *stream)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_src_keys_rekey (gst_tfrc_receive_flow_get_keys (stream->flow));
  gst_tfrc_port_serve_soon (stream->port, gst_tfrc_receive_flow_base (stream->flow));
  gst_tfrc_port_unlock (stream->port);
}

guint64
gst_tfrc_src_stream_get_hold_ns (GstTfrcSrcStream *stream)
{
  guint64 hold_ns;

  gst_tfrc_port_lock (stream->port);
  hold_ns = gst_tfrc_reorder_get_hold_ns (gst_tfrc_intake_get_queue (stream->intake));
  gst_tfrc_port_unlock (stream->port);
  return hold_ns;
}

guint16
gst_tfrc_src_stream_get_local_port (GstTfrcSrcStream *stream)
{
  return gst_tfrc_port_get_number (stream->port);
}

gint
gst_tfrc_src_stream_get_receive_buffer_bytes (GstTfrcSrcStream *stream)
{
  GstTfrcEndpoint *endpoint;
  gint bytes;

  endpoint = gst_tfrc_port_ref_socket (stream->port);
  bytes = gst_tfrc_endpoint_get_receive_buffer_bytes (endpoint);
  gst_tfrc_endpoint_unref (endpoint);
  return bytes;
}

/* ---- migrations -------------------------------------------------------------- */

gboolean
gst_tfrc_src_stream_start_handover (
    GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error)
{
  return gst_tfrc_migration_start (stream->migration, handover, error);
}

void
gst_tfrc_src_stream_follow_route (GstTfrcSrcStream *stream)
{
  gst_tfrc_migration_follow_route (stream->migration);
}

void
gst_tfrc_src_stream_close_old_endpoint (GstTfrcSrcStream *stream)
{
  gst_tfrc_migration_close_old_socket (stream->migration);
}

/* ---- the pipeline's side ----------------------------------------------------- */

/* Waits for a packet, or until this time. */
static void
wait_for_packet (GstTfrcSrcStream *stream, guint64 until_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  stream->pull_wait_ns = until_ns;
  gst_tfrc_port_wait (stream->port, &stream->packet_ready, until_ns);
  stream->pull_wait_ns = 0;
}

static guint64
get_timeout_end_ns (const GstTfrcSrcStream *stream, guint64 begin_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return stream->timeout_ns > 0 ? begin_ns + stream->timeout_ns : G_MAXUINT64;
}

/* Takes packets, or waits for them until the timeout, which may change meanwhile.
 * Returns why there are none, if @n is 0. */
static GstTfrcPullResult
pull (GstTfrcSrcStream *stream, GstTfrcReorderItem *items, guint max, guint *n)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcReorder *queue = gst_tfrc_intake_get_queue (stream->intake);
  guint64 now_ns = gst_tfrc_clock_now_ns (), begin_ns = now_ns;

  for (;;) {
    guint64 leave_ns = G_MAXUINT64, end_ns = get_timeout_end_ns (stream, begin_ns);

    if (stream->flushing)
      return GST_TFRC_PULL_FLUSHING;
    if (!stream->paused) {
      *n = gst_tfrc_intake_pop (stream->intake, now_ns, items, max);
      if (*n > 0)
        return GST_TFRC_PULL_PACKET;
      if (gst_tfrc_receive_flow_is_at_end (stream->flow))
        return GST_TFRC_PULL_END;
      leave_ns = gst_tfrc_intake_leave_ns (stream->intake);
    }
    /* Packets have come, which wait for others or behind a gap. */
    if (now_ns >= end_ns && gst_tfrc_reorder_length (queue) > 0) {
      begin_ns = now_ns;
      end_ns = get_timeout_end_ns (stream, begin_ns);
    }
    if (now_ns >= end_ns)
      return GST_TFRC_PULL_TIMEOUT;
    wait_for_packet (stream, MIN (end_ns, leave_ns));
    now_ns = gst_tfrc_clock_now_ns ();
  }
}

static void
hand_over (const GstTfrcReorderItem *item, GstTfrcPulled *pulled)
{
  GstBuffer *buffer = item->data;

  pulled->buffer = buffer;
  pulled->header_bytes = GST_BUFFER_OFFSET (buffer);
  pulled->payload_bytes = gst_buffer_get_size (buffer) - pulled->header_bytes;
  GST_BUFFER_OFFSET (buffer) = GST_BUFFER_OFFSET_NONE;
  pulled->due_ns = item->due_ns;
  pulled->discont = item->discont;
  pulled->seq = (guint16) item->seq;
  pulled->skipped = item->skipped;
}

/* The pipeline may have gone on behind a gap. */
static void
follow_gaps (GstTfrcSrcStream *stream, const GstTfrcReorderItem *items, guint n)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  for (guint i = 0; i < n; i++) {
    if (items[i].skipped > 0) {
      gst_tfrc_port_reschedule (stream->port, gst_tfrc_receive_flow_base (stream->flow));
      return;
    }
  }
}

GstTfrcPullResult
gst_tfrc_src_stream_pull (
    GstTfrcSrcStream *stream, GstTfrcPulled *pulled, guint max, guint *n, guint64 *timeout_ns)
{
  GstTfrcReorderItem items[GST_TFRC_PULL_MAX_PACKETS];
  GstTfrcPullResult result;

  *n = 0;
  gst_tfrc_port_lock (stream->port);
  result = pull (stream, items, MIN (max, GST_TFRC_PULL_MAX_PACKETS), n);
  *timeout_ns = stream->timeout_ns;
  follow_gaps (stream, items, *n);
  gst_tfrc_port_unlock (stream->port);
  for (guint i = 0; i < *n; i++)
    hand_over (&items[i], &pulled[i]);
  return result;
}

void
gst_tfrc_src_stream_ask_for_key_unit (GstTfrcSrcStream *stream)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_picture_loss_ask (gst_tfrc_intake_get_picture_loss (stream->intake));
  gst_tfrc_port_reschedule (stream->port, gst_tfrc_receive_flow_base (stream->flow));
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_src_stream_set_flushing (GstTfrcSrcStream *stream, gboolean flushing)
{
  gst_tfrc_port_lock (stream->port);
  stream->flushing = flushing;
  g_cond_signal (&stream->packet_ready);
  gst_tfrc_port_unlock (stream->port);
}

void
gst_tfrc_src_stream_set_paused (GstTfrcSrcStream *stream, gboolean paused)
{
  gst_tfrc_port_lock (stream->port);
  stream->paused = paused;
  g_cond_signal (&stream->packet_ready);
  gst_tfrc_port_unlock (stream->port);
}
