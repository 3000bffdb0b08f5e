/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loop's calls for a source's stream, see srcstream-private.h.  The list of the stream's
 * deadlines is in ../io/loop.h. */
#include "srcstream-private.h"

/* A packet may wait for this time for each further stream of the process, so that the pipeline
 * wakes up for several packets.  One stream alone has few wake-ups, so its packets leave at once. */
#define HOLD_PER_STREAM_NS G_GUINT64_CONSTANT (5000000)
#define MAX_HOLD_NS G_GUINT64_CONSTANT (100000000)

/* Events that are emitted once the lock is released */
typedef struct
{
  gboolean packet_ready, stats, sender, handover, old_endpoint, security;
} PendingEvents;

static void
emit_events (GstTfrcSrcStream *stream, const PendingEvents *pending)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  if (pending->packet_ready)
    g_cond_signal (&stream->packet_ready);
  if (pending->sender)
    stream->events.sender (stream->user);
  if (pending->handover)
    stream->events.handover (stream->user);
  if (pending->old_endpoint)
    stream->events.old_endpoint (stream->user);
  if (pending->security && stream->events.security)
    stream->events.security (stream->user);
  if (pending->stats)
    stream->events.stats (stream->user);
}

/* ---- deadlines --------------------------------------------------------- */

guint64
gst_tfrc_src_stream_old_endpoint_idle_ns (const GstTfrcSrcStream *stream)
{
  if (stream->session && gst_tfrc_reception_is_in_handover (stream->session))
    return G_MAXUINT64;
  return gst_tfrc_src_endpoints_idle_ns (&stream->endpoints);
}

/* Returns when the sender counts as lost; G_MAXUINT64: never. */
static guint64
sender_lost_ns (const GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  if (stream->session == NULL || stream->timeout_ns == 0
      || gst_tfrc_reception_has_ended (stream->session))
    return G_MAXUINT64;
  return gst_tfrc_reception_get_heard_ns (stream->session) + stream->timeout_ns;
}

/* Returns whether the sender has been lost, or has been heard again, since the last call. */
static gboolean
watch_sender (GstTfrcSrcStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  gboolean is_lost = now_ns >= sender_lost_ns (stream);
  gboolean has_changed = is_lost != stream->sender_is_lost;

  stream->sender_is_lost = is_lost;
  return has_changed;
}

/* Returns when the thread that pulls is to be woken, as it would wait for too long; G_MAXUINT64:
 * never. */
static guint64
wake_puller_ns (const GstTfrcSrcStream *stream) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  guint64 leave_ns;

  if (stream->pull_wait_ns == 0)
    return G_MAXUINT64;
  /* Nothing follows after the end, but maybe another stream. */
  if (stream->session && gst_tfrc_reception_has_ended (stream->session)
      && (!gst_tfrc_selection_keeps_listening (stream->selection)
          || gst_tfrc_reorder_length (stream->queue) > 0))
    return 0;
  leave_ns = gst_tfrc_reorder_leave_ns (stream->queue);
  return leave_ns < stream->pull_wait_ns ? leave_ns : G_MAXUINT64;
}

guint64
gst_tfrc_src_stream_next_deadline (const GstTfrcSrcStream *stream)
{
  guint64 next_ns = MIN (stream->stats_ns, gst_tfrc_src_stream_old_endpoint_idle_ns (stream));

  next_ns = MIN (next_ns, wake_puller_ns (stream));
  next_ns = MIN (next_ns, gst_tfrc_selection_next_ns (stream->selection));
  next_ns = MIN (next_ns, gst_tfrc_src_keys_next_ns (stream->keys));
  if (!stream->sender_is_lost)
    next_ns = MIN (next_ns, sender_lost_ns (stream));
  if (stream->session == NULL)
    return next_ns;
  return MIN (gst_tfrc_reception_next_ns (stream->session), next_ns);
}

void
gst_tfrc_src_stream_update_deadline (GstTfrcSrcStream *stream)
{
  gst_tfrc_endpoint_set_deadline (
      stream->endpoints.active.endpoint, gst_tfrc_src_stream_next_deadline (stream));
}

void
gst_tfrc_src_stream_update_patience (GstTfrcSrcStream *stream)
{
  gboolean patient = stream->is_patient;

  gst_tfrc_endpoint_set_patient (stream->endpoints.active.endpoint, patient);
  if (stream->endpoints.old.endpoint)
    gst_tfrc_endpoint_set_patient (stream->endpoints.old.endpoint, patient);
}

/* Returns the deadline of this endpoint.  Only the active endpoint has one; its deadline
 * may have changed because of what came to another endpoint. */
static guint64
deadline_of (GstTfrcSrcStream *stream, const GstTfrcEndpoint *endpoint)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  if (endpoint == stream->endpoints.active.endpoint)
    return gst_tfrc_src_stream_next_deadline (stream);
  gst_tfrc_src_stream_update_deadline (stream);
  return GST_TFRC_IO_NEVER;
}

/* ---- callbacks --------------------------------------------------------- */

/* Returns whether the thread that pulls is to be woken now. */
static gboolean
must_wake_puller (GstTfrcSrcStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  if (now_ns < wake_puller_ns (stream))
    return FALSE;
  stream->pull_wait_ns = 0;
  return TRUE;
}

static guint64
choose_hold_ns (void)
{
  return MIN ((gst_tfrc_io_count_streams () - 1) * HOLD_PER_STREAM_NS, MAX_HOLD_NS);
}

/* Does everything that may be due. */
static void
serve (GstTfrcSrcStream *stream, guint64 now_ns, PendingEvents *pending)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  gst_tfrc_reorder_set_hold_ns (stream->queue, choose_hold_ns ());
  gst_tfrc_src_keys_on_time (stream->keys, now_ns);
  gst_tfrc_src_stream_on_time (stream, now_ns, &pending->sender);
  if (watch_sender (stream, now_ns))
    pending->sender = TRUE;
  gst_tfrc_src_stream_send_rtcp (stream, now_ns);
  if (now_ns >= stream->stats_ns) {
    stream->stats_ns = now_ns + stream->stats_interval_ns;
    pending->stats = TRUE;
  }
  if (stream->session)
    pending->handover = gst_tfrc_reception_log_handover (stream->session, now_ns);
  if (now_ns >= gst_tfrc_src_stream_old_endpoint_idle_ns (stream)) {
    gst_tfrc_src_endpoints_set_reported (&stream->endpoints, TRUE);
    pending->old_endpoint = TRUE;
  }
  pending->security = gst_tfrc_src_keys_has_event (stream->keys);
  pending->packet_ready = must_wake_puller (stream, now_ns);
}

static guint64
on_deadline (gpointer owner, GstTfrcEndpoint *endpoint, guint64 now_ns)
{
  GstTfrcSrcStream *stream = owner;
  PendingEvents pending = { 0 };
  guint64 next_ns;

  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  serve (stream, now_ns, &pending);
  next_ns = deadline_of (stream, endpoint);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  emit_events (stream, &pending);
  return next_ns;
}

static guint64
on_packets (gpointer owner, GstTfrcEndpoint *endpoint, const GstTfrcReceivedPacket *packets,
    guint n, guint64 now_ns)
{
  GstTfrcSrcStream *stream = owner;
  GstTfrcReceivedPacket plain[GST_TFRC_BATCH_PACKETS];
  PendingEvents pending = { 0 };
  guint64 next_ns;
  guint i;

  n = gst_tfrc_src_stream_unprotect (stream, packets, n, plain, now_ns);
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  gst_tfrc_src_endpoints_on_packets (&stream->endpoints, endpoint, now_ns);
  for (i = 0; i < n; i++)
    gst_tfrc_src_stream_receive (stream, &plain[i], &pending.sender);
  serve (stream, now_ns, &pending);
  next_ns = deadline_of (stream, endpoint);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  emit_events (stream, &pending);
  return next_ns;
}

static void
on_error (gpointer owner, gint error, const GstTfrcAddress *destination)
{
  /* Feedback met a closed port.  Whether the sender is gone, its data shows. */
}

GstTfrcEndpoint *
gst_tfrc_src_stream_open_endpoint (
    GstTfrcSrcStream *stream, const GstTfrcSocketConfig *config, GError **error)
{
  static const GstTfrcEndpointCallbacks callbacks = { on_packets, on_deadline, on_error };
  GstTfrcSocketConfig with_groups = *config;

  with_groups.receives_groups = TRUE;
  return gst_tfrc_endpoint_open (&with_groups, &callbacks, stream, error);
}
