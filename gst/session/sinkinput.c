/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The streaming thread's side of a stream, see sinkstream.h: packets wait for room, and the end of
 * the stream waits until all packets have left. */
#include "sinkstream-private.h"

#include "../common/clock.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* BYEs at the end of a stream if no receiver answers, and the time between two */
#define MAX_BYES 5
#define MIN_BYE_INTERVAL_NS (50 * MS_NS)
#define MAX_BYE_INTERVAL_NS (1000 * MS_NS)

/* Waits until the loop's thread wakes this thread, or until this time. */
static void
wait_until_woken (GstTfrcSinkStream *stream, guint64 until_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  stream->is_streaming_thread_waiting = TRUE;
  if (until_ns == G_MAXUINT64)
    gst_tfrc_sink_stream_mutex_wait (&stream->lock, &stream->wake);
  else
    gst_tfrc_sink_stream_mutex_wait_until (
        &stream->lock, &stream->wake, (gint64) (until_ns / 1000 + 1));
  stream->is_streaming_thread_waiting = FALSE;
}

static gboolean
is_interrupted (const GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  return stream->flushing || stream->is_interrupted;
}

/* Returns whether the streaming thread has to return, which knows of the interruption then. */
static gboolean
take_interruption (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  gboolean interrupted = is_interrupted (stream);

  stream->is_interrupted = FALSE;
  return interrupted;
}

/* Says what happens to a packet that is due now. The packet is counted if it is dropped. */
static GstTfrcAdmission
admit (GstTfrcSinkStream *stream, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcAdmission admission;

  gst_tfrc_sink_stream_drop_overdue (stream, now_ns);
  while ((admission = gst_tfrc_send_queue_admission (&stream->queue, now_ns))
      == GST_TFRC_DROP_OLDEST) {
    gst_tfrc_packet_unref (gst_tfrc_send_queue_pop (&stream->queue));
    stream->packets_dropped++;
  }
  if (admission == GST_TFRC_DROP_NEW)
    stream->packets_dropped++;
  return admission;
}

/* Takes over the packet, whose due_ns is set. */
static void
queue_packet (GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  packet->queued_ns = now_ns;
  gst_tfrc_send_queue_push (&stream->queue, packet);
  /* The wait for room may have made the packet overdue. */
  gst_tfrc_sink_stream_drop_overdue (stream, now_ns);
}

void
gst_tfrc_sink_stream_take_due (GstTfrcSinkStream *stream, guint64 now_ns)
{
  stream->is_full = FALSE;
  while (now_ns >= gst_tfrc_lookahead_due_ns (&stream->lookahead)) {
    GstTfrcAdmission admission = admit (stream, now_ns);

    if (admission == GST_TFRC_ADMIT_LATER) {
      stream->is_full = TRUE;
      return;
    }
    if (admission == GST_TFRC_ADMIT)
      queue_packet (stream, gst_tfrc_lookahead_pop (&stream->lookahead), now_ns);
    else
      gst_tfrc_packet_unref (gst_tfrc_lookahead_pop (&stream->lookahead));
  }
}

/* A packet that is due goes to the send queue, unless other packets are before it. */
static gboolean
goes_ahead (const GstTfrcSinkStream *stream, guint64 due_ns, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  return due_ns > now_ns || gst_tfrc_lookahead_length (&stream->lookahead) > 0;
}

static GstTfrcAdmission
admit_new (GstTfrcSinkStream *stream, guint64 due_ns, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  gst_tfrc_sink_stream_take_due (stream, now_ns);
  if (!goes_ahead (stream, due_ns, now_ns))
    return admit (stream, now_ns);
  return stream->is_full
          || gst_tfrc_lookahead_length (&stream->lookahead) >= stream->queue.max_packets
      ? GST_TFRC_ADMIT_LATER
      : GST_TFRC_ADMIT;
}

/* Waits until there is room. Returns TRUE if the new packet may be queued. Otherwise the packet has
 * to be dropped, or the stream is flushing.
 * @now_ns: set to the time of the decision */
static gboolean
make_room (GstTfrcSinkStream *stream, guint64 due_ns, guint64 *now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcAdmission admission = GST_TFRC_ADMIT_LATER;

  *now_ns = gst_tfrc_clock_now_ns ();
  while (!is_interrupted (stream)
      && !gst_tfrc_rate_control_is_broken (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)))
      && (admission = admit_new (stream, due_ns, *now_ns)) == GST_TFRC_ADMIT_LATER) {
    wait_until_woken (stream, G_MAXUINT64);
    *now_ns = gst_tfrc_clock_now_ns ();
  }
  return !is_interrupted (stream)
      && !gst_tfrc_rate_control_is_broken (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)))
      && admission == GST_TFRC_ADMIT;
}

/* The loop's thread drops packets, too. The result of the next push announces them. */
static GstTfrcPushResult
push_result (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  gboolean dropped = stream->packets_dropped > stream->announced_dropped;

  if (take_interruption (stream))
    return GST_TFRC_PUSH_FLUSHING;
  if (gst_tfrc_rate_control_is_broken (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session))))
    return GST_TFRC_PUSH_BROKEN;
  stream->announced_dropped = stream->packets_dropped;
  return dropped ? GST_TFRC_PUSH_DROPPED : GST_TFRC_PUSH_OK;
}

GstTfrcPacketPool *
gst_tfrc_sink_stream_get_pool (GstTfrcSinkStream *stream)
{
  return stream->pool;
}

/* Takes over the packet. */
static void
take_packet (GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  gboolean is_first;

  if (goes_ahead (stream, due_ns, now_ns)) {
    gst_tfrc_lookahead_push (&stream->lookahead, packet, due_ns);
    is_first = gst_tfrc_lookahead_length (&stream->lookahead) == 1;
  } else {
    packet->due_ns = due_ns;
    queue_packet (stream, packet, now_ns);
    /* Without a smoother a packet behind others changes no deadline. */
    is_first = gst_tfrc_send_queue_length (&stream->queue) == 1 || stream->queue.smoother;
  }
  if (is_first)
    gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
}

GstTfrcPushResult
gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, GstTfrcPacket *packet, guint64 due_ns, guint64 *blocked_ns)
{
  guint64 start_ns = gst_tfrc_clock_now_ns (), now_ns;
  gboolean has_room;
  GstTfrcPushResult result;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return GST_TFRC_PUSH_FLUSHING;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  has_room = make_room (stream, due_ns, &now_ns);
  if (has_room)
    take_packet (stream, packet, due_ns, now_ns);
  result = push_result (stream);
  if (!has_room && (result == GST_TFRC_PUSH_OK || result == GST_TFRC_PUSH_DROPPED))
    gst_tfrc_packet_unref (packet);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  *blocked_ns += now_ns - start_ns;
  return result;
}

void
gst_tfrc_sink_stream_pass (GstTfrcSinkStream *stream)
{
  if (!gst_tfrc_fork_is_inherited (stream->generation))
    gst_tfrc_turnstile_pass (gst_tfrc_endpoint_get_turnstile (stream->endpoint), &stream->visitor);
}

void
gst_tfrc_sink_stream_leave (GstTfrcSinkStream *stream)
{
  if (!gst_tfrc_fork_is_inherited (stream->generation))
    gst_tfrc_turnstile_leave (gst_tfrc_endpoint_get_turnstile (stream->endpoint), &stream->visitor);
}

gboolean
gst_tfrc_sink_stream_is_crowded (GstTfrcSinkStream *stream)
{
  return !gst_tfrc_fork_is_inherited (stream->generation)
      && gst_tfrc_turnstile_is_crowded (gst_tfrc_endpoint_get_turnstile (stream->endpoint));
}

void
gst_tfrc_sink_stream_set_timeline (GstTfrcSinkStream *stream, gint64 timeline_ns)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  gst_tfrc_lookahead_set_timeline (&stream->lookahead, timeline_ns);
  gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

void
gst_tfrc_sink_stream_set_paused (GstTfrcSinkStream *stream, gboolean paused)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  gst_tfrc_lookahead_set_stopped (&stream->lookahead, paused);
  gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

void
gst_tfrc_sink_stream_set_flushing (GstTfrcSinkStream *stream, gboolean flushing)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  stream->flushing = flushing;
  stream->is_interrupted |= flushing;
  g_cond_signal (&stream->wake);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  if (flushing)
    gst_tfrc_turnstile_interrupt (
        gst_tfrc_endpoint_get_turnstile (stream->endpoint), &stream->visitor);
}

gboolean
gst_tfrc_sink_stream_is_flushing (GstTfrcSinkStream *stream)
{
  gboolean flushing;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return TRUE;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  flushing = stream->flushing;
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  return flushing;
}

void
gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  stream->queue.live = live;
  gst_tfrc_sink_stream_take_due (stream, gst_tfrc_clock_now_ns ());
  gst_tfrc_endpoint_set_deadline (stream->endpoint, gst_tfrc_sink_stream_next_deadline (stream));
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

/* Empties both queues. Returns the number of packets. */
static guint
drop_all (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  guint n = gst_tfrc_lookahead_length (&stream->lookahead)
      + gst_tfrc_send_queue_length (&stream->queue);

  gst_tfrc_lookahead_clear (&stream->lookahead);
  gst_tfrc_send_queue_clear (&stream->queue);
  stream->is_full = FALSE;
  return n;
}

void
gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  drop_all (stream);
  gst_tfrc_packet_pool_trim (stream->pool);
  stream->flushes++;
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

/* Repeats the BYE until the receiver has answered, because the end of a stream often finds the
 * queues of the network full. */
static void
say_goodbye (GstTfrcSinkStream *stream) GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  GstTfrcSendSession *session = stream->session;
  guint64 interval_ns, end_ns;
  guint i;

  interval_ns = CLAMP (2
          * gst_tfrc_rate_control_get_rtt_ns (
              gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session))),
      MIN_BYE_INTERVAL_NS, MAX_BYE_INTERVAL_NS);
  gst_tfrc_sink_stream_send_bye (stream);
  for (i = 1; i < MAX_BYES && !stream->queue.absent
       && gst_tfrc_receiver_view_get_state (gst_tfrc_send_session_get_receiver (session))
           != GST_TFRC_PEER_GONE;
       i++) {
    end_ns = gst_tfrc_clock_now_ns () + interval_ns;
    while (!is_interrupted (stream)
        && !gst_tfrc_receiver_view_is_bye_answered (gst_tfrc_send_session_get_receiver (session))
        && gst_tfrc_clock_now_ns () < end_ns)
      wait_until_woken (stream, end_ns);
    if (is_interrupted (stream)
        || gst_tfrc_receiver_view_is_bye_answered (gst_tfrc_send_session_get_receiver (session)))
      return;
    gst_tfrc_sink_stream_send_bye (stream);
  }
}

/* Returns when the wait for the last packets ends. Without a receiver they are dropped after
 * max_queue_time_ns, so the wait ends then. */
static guint64
drain_end_ns (const GstTfrcSinkStream *stream, guint64 start_ns, guint64 timeout_ns)
    GST_TFRC_REQUIRES (gst_tfrc_sink_stream_mutex)
{
  if (stream->queue.absent && stream->limits.max_queue_time_ns > 0)
    timeout_ns = MIN (timeout_ns, stream->limits.max_queue_time_ns);
  return start_ns + timeout_ns;
}

gboolean
gst_tfrc_sink_stream_drain (GstTfrcSinkStream *stream, guint64 timeout_ns, guint *dropped)
{
  guint64 start_ns = gst_tfrc_clock_now_ns ();
  gboolean finished;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return FALSE;
  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  while (!is_interrupted (stream)
      && !gst_tfrc_rate_control_is_broken (
          gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (stream->session)))
      && !gst_tfrc_sink_stream_is_empty (stream)
      && gst_tfrc_clock_now_ns () < drain_end_ns (stream, start_ns, timeout_ns))
    wait_until_woken (stream, drain_end_ns (stream, start_ns, timeout_ns));
  finished = !take_interruption (stream);
  if (finished) {
    /* No packet may follow the BYE. */
    *dropped = drop_all (stream);
    stream->packets_dropped += *dropped;
    stream->flushes++;
    say_goodbye (stream);
  }
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
  return finished;
}
