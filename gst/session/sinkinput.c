/* The pipeline's side of a stream: what the streaming thread pushes waits for
 * room here, and the end of the stream until all has left. */
#include "sinkstream-private.h"

#include "../common/clock.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* How often the end of a stream is told if nobody answers, and how far apart */
#define MAX_BYES 5
#define MIN_BYE_INTERVAL_NS (50 * MS_NS)
#define MAX_BYE_INTERVAL_NS (1000 * MS_NS)

void
gst_tfrc_sink_stream_drop_overdue (GstTfrcSinkStream *stream, guint64 now_ns)
{
  stream->packets_dropped += gst_tfrc_send_queue_drop_overdue (&stream->queue, now_ns);
}

/* Waits until the loop says there is room, or until this time. */
static void
wait_for_room (GstTfrcSinkStream *stream, guint64 until_ns)
{
  stream->producer_waits = TRUE;
  if (until_ns == G_MAXUINT64)
    g_cond_wait (&stream->room, &stream->lock);
  else
    g_cond_wait_until (&stream->room, &stream->lock, (gint64) (until_ns / 1000 + 1));
  stream->producer_waits = FALSE;
}

/* Returns TRUE if the new packet may be queued; otherwise it is dropped, or the
 * stream is flushing. */
static gboolean
make_room (GstTfrcSinkStream *stream)
{
  while (!stream->flushing) {
    guint64 now_ns = gst_tfrc_clock_now_ns ();

    gst_tfrc_sink_stream_drop_overdue (stream, now_ns);
    switch (gst_tfrc_send_queue_admission (&stream->queue, now_ns)) {
      case GST_TFRC_ADMIT:
        return TRUE;
      case GST_TFRC_ADMIT_LATER:
        wait_for_room (stream, G_MAXUINT64);
        break;
      case GST_TFRC_DROP_NEW:
        stream->packets_dropped++;
        return FALSE;
      case GST_TFRC_DROP_OLDEST:
        gst_tfrc_packet_free (gst_tfrc_send_queue_pop (&stream->queue));
        stream->packets_dropped++;
        break;
    }
  }
  return FALSE;
}

/* The loop drops packets, too, and they are told with the next one that comes. */
static GstTfrcPushResult
push_result (GstTfrcSinkStream *stream)
{
  gboolean dropped = stream->packets_dropped > stream->told_dropped;

  if (stream->flushing)
    return GST_TFRC_PUSH_FLUSHING;
  stream->told_dropped = stream->packets_dropped;
  return dropped ? GST_TFRC_PUSH_DROPPED : GST_TFRC_PUSH_OK;
}

GstTfrcPushResult
gst_tfrc_sink_stream_push (
    GstTfrcSinkStream *stream, const guint8 *data, gsize size, guint64 due_ns, guint64 *blocked_ns)
{
  guint64 start_ns = gst_tfrc_clock_now_ns (), now_ns;
  gboolean has_room;
  GstTfrcPushResult result;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return GST_TFRC_PUSH_FLUSHING;
  g_mutex_lock (&stream->lock);
  has_room = make_room (stream);
  now_ns = gst_tfrc_clock_now_ns ();
  if (has_room) {
    gst_tfrc_send_queue_push (&stream->queue, gst_tfrc_packet_new (data, size, due_ns, now_ns));
    /* The wait for room may have made it overdue. */
    gst_tfrc_sink_stream_drop_overdue (stream, now_ns);
    /* What waits behind others makes the smoother faster. */
    if (gst_tfrc_send_queue_length (&stream->queue) == 1 || stream->queue.smoother)
      gst_tfrc_io_set_deadline (stream->io, gst_tfrc_sink_stream_next_deadline (stream));
  }
  result = push_result (stream);
  g_mutex_unlock (&stream->lock);
  *blocked_ns += now_ns - start_ns;
  return result;
}

void
gst_tfrc_sink_stream_set_flushing (GstTfrcSinkStream *stream, gboolean flushing)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  stream->flushing = flushing;
  g_cond_signal (&stream->room);
  g_mutex_unlock (&stream->lock);
}

void
gst_tfrc_sink_stream_set_live (GstTfrcSinkStream *stream, gboolean live)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  stream->queue.live = live;
  gst_tfrc_io_set_deadline (stream->io, gst_tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

void
gst_tfrc_sink_stream_clear (GstTfrcSinkStream *stream)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  gst_tfrc_send_queue_clear (&stream->queue);
  stream->flushes++;
  g_mutex_unlock (&stream->lock);
}

/* Says BYE until the receiver has answered, as the end of a stream often finds
 * the queues of the network full. */
static void
take_leave (GstTfrcSinkStream *stream)
{
  TfrcSenderStats stats;
  guint64 interval_ns, end_ns;
  guint i;

  tfrc_sender_get_stats (stream->session.sender, &stats);
  interval_ns = CLAMP (2 * stats.rtt_ns, MIN_BYE_INTERVAL_NS, MAX_BYE_INTERVAL_NS);
  gst_tfrc_sink_stream_say_bye (stream);
  for (i = 1;
       i < MAX_BYES && !stream->queue.absent && stream->session.peer_state != GST_TFRC_PEER_GONE;
       i++) {
    end_ns = gst_tfrc_clock_now_ns () + interval_ns;
    while (!stream->flushing && !stream->session.bye_answered && gst_tfrc_clock_now_ns () < end_ns)
      wait_for_room (stream, end_ns);
    if (stream->flushing || stream->session.bye_answered)
      return;
    gst_tfrc_sink_stream_say_bye (stream);
  }
}

/* Without a receiver there is no reason to wait longer than packets may wait. */
static guint64
drain_end_ns (const GstTfrcSinkStream *stream, guint64 start_ns, guint64 timeout_ns)
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
  g_mutex_lock (&stream->lock);
  while (!stream->flushing && !gst_tfrc_sink_stream_is_empty (stream)
      && gst_tfrc_clock_now_ns () < drain_end_ns (stream, start_ns, timeout_ns))
    wait_for_room (stream, drain_end_ns (stream, start_ns, timeout_ns));
  finished = !stream->flushing;
  if (finished) {
    /* Nothing may follow the BYE. */
    *dropped = gst_tfrc_send_queue_length (&stream->queue);
    stream->packets_dropped += *dropped;
    gst_tfrc_send_queue_clear (&stream->queue);
    stream->flushes++;
    take_leave (stream);
  }
  g_mutex_unlock (&stream->lock);
  return finished;
}
