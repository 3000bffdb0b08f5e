/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream at the sender, see sinkstream.h: the streaming thread's waiting, settings and queries. */
#include "../common/clock.h"
#include "../common/random.h"
#include "drain.h"
#include "pathrecall.h"
#include "sinkstream-private.h"

static void
reschedule (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_audience_reschedule (&stream->audience);
}

/* ---- the port's calls ----------------------------------------------------------- */

/* The circuit breaker has ended the stream, or the receiver has refused it. */
static gboolean
is_broken (const GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return gst_tfrc_send_flow_is_broken (stream->flow)
      || gst_tfrc_calling_get_refusal (stream->calling) != NULL;
}

/* Nothing more will leave: the stream is broken, or its caller has gone. */
static gboolean
is_over (const GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return stream->guest.is_dismissed || is_broken (stream);
}

/* Lets a waiting streaming thread go on: if there is room, if all packets have left, if the stream is
 * broken, or if the receiver has come or gone, for which the thread waits in another way. */
static void
wake (GstTfrcSinkStream *stream, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean is_absent = gst_tfrc_outbox_is_receiver_absent (stream->outbox);
  gboolean has_ended = is_over (stream);

  if (is_absent != stream->was_absent || has_ended != stream->was_broken
      || (gst_tfrc_streaming_thread_is_waiting (&stream->thread)
          && (gst_tfrc_outbox_is_empty (stream->outbox)
              || gst_tfrc_outbox_has_room (stream->outbox, now_ns))))
    gst_tfrc_streaming_thread_wake (&stream->thread);
  stream->was_absent = is_absent;
  stream->was_broken = has_ended;
}

/* The streaming thread of a stream that listens waits for the end alone. */
static void
wake_at_end (GstTfrcSinkStream *stream, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (gst_tfrc_streaming_thread_is_waiting (&stream->thread)
      && (gst_tfrc_audience_drains_until_ns (&stream->audience) <= now_ns
          || gst_tfrc_audience_is_goodbye_over (&stream->audience)))
    gst_tfrc_streaming_thread_wake (&stream->thread);
}

static void
flow_served (gpointer owner, GstTfrcFlow *flow, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSinkStream *stream = owner;

  if (stream->listening)
    gst_tfrc_listening_flow_served (stream->listening, flow, now_ns);
  else if (stream->guest.listening)
    gst_tfrc_listening_flow_served (stream->guest.listening, flow, now_ns);
}

static gboolean
served (gpointer owner, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSinkStream *stream = owner;
  gboolean has_news;

  if (stream->listening) {
    has_news = gst_tfrc_listening_served (stream->listening, now_ns);
    wake_at_end (stream, now_ns);
    return has_news;
  }
  wake (stream, now_ns);
  return gst_tfrc_send_flow_find_news (stream->flow, now_ns);
}

static guint64
deadline (gpointer owner) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSinkStream *stream = owner;

  return stream->listening ? gst_tfrc_listening_next_ns (stream->listening)
                           : gst_tfrc_send_flow_news_ns (stream->flow);
}

static void
emit (gpointer owner)
{
  GstTfrcSinkStream *stream = owner;

  stream->events (stream->user, stream);
}

static void
say_bye (GstTfrcSendFlow *flow, gpointer unused)
{
  gst_tfrc_send_flow_say_bye (flow);
}

/* A guest that was dismissed has nothing more to say. */
static void
leaving (gpointer owner) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSinkStream *stream = owner;

  if (!stream->guest.is_dismissed)
    gst_tfrc_audience_foreach (&stream->audience, say_bye, NULL);
  if (stream->listening)
    gst_tfrc_listening_leave (stream->listening, gst_tfrc_clock_now_ns ());
  else if (stream->guest.listening)
    gst_tfrc_listening_remove_guest (&stream->guest, gst_tfrc_clock_now_ns ());
}

/* ---- life ----------------------------------------------------------------------- */

/* Returns the port of a stream that listens, which stays until this returns. */
static GstTfrcPort *
join_port (GstTfrcSinkStream *stream, GstTfrcSinkStream *listener)
{
  gst_tfrc_port_lock (listener->port);
  gst_tfrc_port_join (listener->port, &stream->tenant);
  gst_tfrc_port_unlock (listener->port);
  return listener->port;
}

static GstTfrcPort *
open_port (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  static const GstTfrcPortOwner methods = { flow_served, served, deadline, emit, leaving };
  GstTfrcPort *port;

  gst_tfrc_tenant_init (&stream->tenant, &methods, stream);
  if (config->listener)
    return join_port (stream, config->listener);
  port = gst_tfrc_port_new (&config->socket, &stream->tenant, error);
  if (port && config->flow.rtcp_port != 0
      && !gst_tfrc_port_open_rtcp (port, &config->socket, 0, error))
    g_clear_pointer (&port, gst_tfrc_port_unref);
  return port;
}

static GstTfrcSendFlowConfig
complete_config (GstTfrcPort *port, const GstTfrcSinkStreamConfig *config)
{
  GstTfrcEndpoint *socket = gst_tfrc_port_ref_socket (port);
  GstTfrcSendFlowConfig flow = config->flow;

  flow.session.media.ttl = gst_tfrc_endpoint_get_ttl (socket);
  flow.system_has_ecn = gst_tfrc_endpoint_allows_ecn (socket);
  if (config->remember_rate)
    gst_tfrc_path_recall (socket, &flow.session.peer, &flow.session.media.rate);
  gst_tfrc_endpoint_unref (socket);
  return flow;
}

static gboolean
begin_to_send (GstTfrcSinkStream *stream, const GstTfrcSendFlowConfig *flow, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  stream->flow = gst_tfrc_send_flow_new (flow, now_ns);
  if (stream->flow == NULL)
    return FALSE;
  stream->outbox = gst_tfrc_send_flow_get_outbox (stream->flow);
  gst_tfrc_audience_add (&stream->audience, stream->flow, now_ns);
  return TRUE;
}

static void
set_refused (GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "TFRC refuses the configuration");
}

/* All that comes is for the one flow. */
static gboolean
begin_alone (GstTfrcSinkStream *stream, const GstTfrcSendFlowConfig *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (!begin_to_send (stream, flow, gst_tfrc_clock_now_ns ()))
    return FALSE;
  gst_tfrc_port_set_strangers (stream->port, gst_tfrc_send_flow_get_base (stream->flow));
  return TRUE;
}

/* The stream waits until the receiver has accepted. */
static gboolean
begin_to_call (GstTfrcSinkStream *stream, const GstTfrcSendFlowConfig *flow, const gchar *stream_id)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  if (!begin_to_send (stream, flow, now_ns))
    return FALSE;
  stream->calling = gst_tfrc_calling_new (
      stream->port, &stream->tenant, stream->flow, stream_id, now_ns);
  return stream->calling != NULL;
}

/* Takes a call that waits. */
static gboolean
begin_as_guest (GstTfrcSinkStream *stream, const GstTfrcSendFlowConfig *flow,
    GstTfrcListening *listening, guint64 id) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  if (!begin_to_send (stream, flow, now_ns))
    return FALSE;
  gst_tfrc_listening_add_guest (listening, id, &stream->guest, stream->flow, now_ns);
  return TRUE;
}

static gboolean
begin_to_listen (GstTfrcSinkStream *stream, const GstTfrcSendFlowConfig *flow, guint max_callers)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint8 secret[GST_TFRC_SECRET_BYTES];
  guint32 ssrc;

  if (!gst_tfrc_random_fill (secret, sizeof secret) || !gst_tfrc_random_fill (&ssrc, sizeof ssrc))
    return FALSE;
  stream->listening = gst_tfrc_listening_new (
      stream->port, &stream->tenant, &stream->audience, flow, max_callers, secret, ssrc);
  gst_tfrc_port_add_flow (
      stream->port, &stream->tenant, gst_tfrc_listening_get_base (stream->listening));
  gst_tfrc_port_set_strangers (stream->port, gst_tfrc_listening_get_base (stream->listening));
  return TRUE;
}

static gboolean
start_own_port (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  GstTfrcSendFlowConfig flow = complete_config (stream->port, config);
  gboolean begins;

  gst_tfrc_port_lock (stream->port);
  if (config->is_listening)
    begins = begin_to_listen (stream, &flow, config->max_callers);
  else
    begins = config->stream_id ? begin_to_call (stream, &flow, config->stream_id)
                               : begin_alone (stream, &flow);
  gst_tfrc_port_unlock (stream->port);
  if (!begins) {
    set_refused (error);
    return FALSE;
  }
  return gst_tfrc_port_start (stream->port, &stream->tenant, !config->is_listening, error);
}

/* Finds out who has called, and where, which the lock guards. */
static gboolean
find_caller (GstTfrcListening *listening, guint64 id, GstTfrcSendSessionConfig *session,
    GError **error) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (listening && gst_tfrc_listening_find_waiting (listening, id, session))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
      listening ? "no caller waits with the id %" G_GUINT64_FORMAT
                : "the sink does not listen (id %" G_GUINT64_FORMAT ")",
      id);
  return FALSE;
}

static gboolean
start_as_guest (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  GstTfrcListening *listening = config->listener->listening;
  GstTfrcSinkStreamConfig own = *config;
  gboolean waits, begins = FALSE;
  GstTfrcSendFlowConfig flow;

  gst_tfrc_port_lock (stream->port);
  stream->is_guest = TRUE;
  waits = find_caller (listening, config->caller_id, &own.flow.session, error);
  gst_tfrc_port_unlock (stream->port);
  if (!waits)
    return FALSE;
  flow = complete_config (stream->port, &own);
  gst_tfrc_port_lock (stream->port);
  waits = find_caller (listening, config->caller_id, &flow.session, error);
  if (waits && !(begins = begin_as_guest (stream, &flow, listening, config->caller_id)))
    set_refused (error);
  gst_tfrc_port_unlock (stream->port);
  return begins;
}

static gboolean
start (GstTfrcSinkStream *stream, const GstTfrcSinkStreamConfig *config, GError **error)
{
  return config->listener ? start_as_guest (stream, config, error)
                          : start_own_port (stream, config, error);
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
  gst_tfrc_streaming_thread_init (&stream->thread, stream->port);
  gst_tfrc_visitor_init (&stream->visitor);
  stream->pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_audience_init (
      &stream->audience, stream->port, &stream->tenant, &config->flow.limits, config->is_listening);
  if (!start (stream, config, error))
    g_clear_pointer (&stream, gst_tfrc_sink_stream_free);
  return stream;
}

void
gst_tfrc_sink_stream_free (GstTfrcSinkStream *stream)
{
  if (stream == NULL)
    return;
  gst_tfrc_port_leave (stream->port, &stream->tenant);
  if (stream->flow && stream->remembers_rate)
    gst_tfrc_path_remember (stream->port, stream->flow);
  gst_tfrc_port_unref (stream->port);
  gst_tfrc_audience_clear (&stream->audience);
  gst_tfrc_listening_free (stream->listening);
  gst_tfrc_calling_free (stream->calling);
  gst_tfrc_packet_pool_free (stream->pool);
  gst_tfrc_streaming_thread_clear (&stream->thread);
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

/* ---- pushing -------------------------------------------------------------------- */

/* Waits until there is room. Returns TRUE if the new packet may be queued. Otherwise the packet has
 * to be dropped, or the stream is flushing.
 * @now_ns: set to the time of the decision */
static gboolean
make_room (GstTfrcSinkStream *stream, guint64 due_ns, guint64 *now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcAdmission admission = GST_TFRC_ADMIT_LATER;

  *now_ns = gst_tfrc_clock_now_ns ();
  while (!gst_tfrc_streaming_thread_is_interrupted (&stream->thread) && !is_over (stream)
      && (admission = gst_tfrc_outbox_admit (stream->outbox, due_ns, *now_ns))
          == GST_TFRC_ADMIT_LATER) {
    gst_tfrc_streaming_thread_wait (&stream->thread, G_MAXUINT64);
    *now_ns = gst_tfrc_clock_now_ns ();
  }
  return !gst_tfrc_streaming_thread_is_interrupted (&stream->thread) && !is_over (stream)
      && admission == GST_TFRC_ADMIT;
}

/* The loop's thread drops packets, too. The result of the next push tells of them. */
static GstTfrcPushResult
push_result (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 n_dropped = gst_tfrc_outbox_get_dropped (stream->outbox);
  gboolean dropped = n_dropped > stream->told_dropped;

  if (gst_tfrc_streaming_thread_take_interruption (&stream->thread))
    return GST_TFRC_PUSH_FLUSHING;
  if (stream->guest.is_dismissed)
    return GST_TFRC_PUSH_DISMISSED;
  if (is_broken (stream))
    return GST_TFRC_PUSH_BROKEN;
  stream->told_dropped = n_dropped;
  return dropped ? GST_TFRC_PUSH_DROPPED : GST_TFRC_PUSH_OK;
}

/* No receiver makes the pipeline wait, so that the result tells of interruptions alone. */
static GstTfrcPushResult
push_to_callers (GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (gst_tfrc_streaming_thread_take_interruption (&stream->thread))
    return GST_TFRC_PUSH_FLUSHING;
  gst_tfrc_audience_push (&stream->audience, packet, due_ns, now_ns);
  return GST_TFRC_PUSH_OK;
}

/* @now_ns: set to when the wait for room was over */
static GstTfrcPushResult
push_to_receiver (GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 *now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean has_room = make_room (stream, due_ns, now_ns);
  GstTfrcPushResult result;

  if (has_room
      && gst_tfrc_outbox_push (stream->outbox, packet, GST_TFRC_RTP_MEDIA, due_ns, *now_ns))
    reschedule (stream);
  result = push_result (stream);
  if (!has_room && (result == GST_TFRC_PUSH_OK || result == GST_TFRC_PUSH_DROPPED))
    gst_tfrc_packet_unref (packet);
  return result;
}

GstTfrcPushResult
gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 *blocked_ns)
{
  guint64 start_ns = gst_tfrc_clock_now_ns (), now_ns = start_ns;
  GstTfrcPushResult result;

  gst_tfrc_port_lock (stream->port);
  result = stream->listening ? push_to_callers (stream, packet, due_ns, now_ns)
                             : push_to_receiver (stream, packet, due_ns, &now_ns);
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
  gst_tfrc_streaming_thread_set_flushing (&stream->thread, flushing);
  gst_tfrc_port_unlock (stream->port);
  if (flushing)
    gst_tfrc_turnstile_interrupt (gst_tfrc_port_get_turnstile (stream->port), &stream->visitor);
}

gboolean
gst_tfrc_sink_stream_is_flushing (GstTfrcSinkStream *stream)
{
  gboolean flushing;

  gst_tfrc_port_lock (stream->port);
  flushing = gst_tfrc_streaming_thread_is_flushing (&stream->thread);
  gst_tfrc_port_unlock (stream->port);
  return flushing;
}

void
gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream)
{
  gst_tfrc_port_lock (stream->port);
  gst_tfrc_audience_flush (&stream->audience, FALSE);
  gst_tfrc_packet_pool_trim (stream->pool);
  gst_tfrc_port_unlock (stream->port);
}

/* The caller of a guest has gone, or the receiver refuses the stream. */
static gboolean
has_nobody (gpointer user) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcSinkStream *stream = user;

  return stream->guest.is_dismissed || gst_tfrc_calling_get_refusal (stream->calling) != NULL;
}

gboolean
gst_tfrc_sink_stream_drain (GstTfrcSinkStream *stream, guint *dropped)
{
  gboolean finished;

  gst_tfrc_port_lock (stream->port);
  finished = gst_tfrc_drain (&stream->audience, &stream->thread, has_nobody, stream, dropped);
  gst_tfrc_port_unlock (stream->port);
  return finished;
}
