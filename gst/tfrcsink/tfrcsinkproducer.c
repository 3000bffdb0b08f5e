/* The pipeline's side of a stream: what the streaming thread pushes waits for
 * room here, and the end of the stream until all has left. */
#include "tfrcsinkstream-private.h"

#include "../common/tfrcclock.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)

/* How often the end of a stream is told if nobody answers, and how far apart */
#define MAX_BYES 5
#define MIN_BYE_INTERVAL_NS (50 * MS_NS)
#define MAX_BYE_INTERVAL_NS (1000 * MS_NS)

void
tfrc_sink_stream_drop_overdue (TfrcSinkStream *stream, guint64 now_ns)
{
  stream->packets_dropped += tfrc_packet_queue_drop_overdue (&stream->queue, now_ns);
}

/* Waits until the loop says there is room, or until this time. */
static void
wait_for_room (TfrcSinkStream *stream, guint64 until_ns)
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
make_room (TfrcSinkStream *stream)
{
  while (!stream->flushing) {
    guint64 now_ns = tfrc_clock_now_ns ();

    tfrc_sink_stream_drop_overdue (stream, now_ns);
    switch (tfrc_packet_queue_admission (&stream->queue, now_ns)) {
      case TFRC_ADMIT:
        return TRUE;
      case TFRC_ADMIT_LATER:
        wait_for_room (stream, G_MAXUINT64);
        break;
      case TFRC_DROP_NEW:
        stream->packets_dropped++;
        return FALSE;
      case TFRC_DROP_OLDEST:
        tfrc_packet_free (tfrc_packet_queue_pop (&stream->queue));
        stream->packets_dropped++;
        break;
    }
  }
  return FALSE;
}

/* The loop drops packets, too, and they are told with the next one that comes. */
static TfrcPushResult
push_result (TfrcSinkStream *stream)
{
  gboolean dropped = stream->packets_dropped > stream->told_dropped;

  if (stream->flushing)
    return TFRC_PUSH_FLUSHING;
  stream->told_dropped = stream->packets_dropped;
  return dropped ? TFRC_PUSH_DROPPED : TFRC_PUSH_OK;
}

TfrcPushResult
tfrc_sink_stream_push (
    TfrcSinkStream *stream, const guint8 *data, gsize size, guint64 due_ns, guint64 *blocked_ns)
{
  guint64 start_ns = tfrc_clock_now_ns (), now_ns;
  gboolean has_room;
  TfrcPushResult result;

  if (tfrc_fork_is_inherited (stream->generation))
    return TFRC_PUSH_FLUSHING;
  g_mutex_lock (&stream->lock);
  has_room = make_room (stream);
  now_ns = tfrc_clock_now_ns ();
  if (has_room) {
    tfrc_packet_queue_push (&stream->queue, tfrc_packet_new (data, size, due_ns, now_ns));
    /* The wait for room may have made it overdue. */
    tfrc_sink_stream_drop_overdue (stream, now_ns);
    /* What waits behind others makes the smoother faster. */
    if (tfrc_packet_queue_length (&stream->queue) == 1 || stream->queue.smoother)
      tfrc_io_set_deadline (stream->io, tfrc_sink_stream_next_deadline (stream));
  }
  result = push_result (stream);
  g_mutex_unlock (&stream->lock);
  *blocked_ns += now_ns - start_ns;
  return result;
}

void
tfrc_sink_stream_set_flushing (TfrcSinkStream *stream, gboolean flushing)
{
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  stream->flushing = flushing;
  g_cond_signal (&stream->room);
  g_mutex_unlock (&stream->lock);
}

void
tfrc_sink_stream_set_live (TfrcSinkStream *stream, gboolean live)
{
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  stream->queue.live = live;
  tfrc_io_set_deadline (stream->io, tfrc_sink_stream_next_deadline (stream));
  g_mutex_unlock (&stream->lock);
}

void
tfrc_sink_stream_clear (TfrcSinkStream *stream)
{
  if (tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  tfrc_packet_queue_clear (&stream->queue);
  stream->flushes++;
  g_mutex_unlock (&stream->lock);
}

/* Says BYE until the receiver has answered, as the end of a stream often finds
 * the queues of the network full. */
static void
take_leave (TfrcSinkStream *stream)
{
  TfrcSenderStats stats;
  guint64 interval_ns, end_ns;
  guint i;

  tfrc_sender_get_stats (stream->session.sender, &stats);
  interval_ns = CLAMP (2 * stats.rtt_ns, MIN_BYE_INTERVAL_NS, MAX_BYE_INTERVAL_NS);
  tfrc_sink_stream_say_bye (stream);
  for (i = 1; i < MAX_BYES && !stream->queue.absent && stream->session.peer_state != TFRC_PEER_GONE;
       i++) {
    end_ns = tfrc_clock_now_ns () + interval_ns;
    while (!stream->flushing && !stream->session.bye_answered && tfrc_clock_now_ns () < end_ns)
      wait_for_room (stream, end_ns);
    if (stream->flushing || stream->session.bye_answered)
      return;
    tfrc_sink_stream_say_bye (stream);
  }
}

/* Without a receiver there is no reason to wait longer than packets may wait. */
static guint64
drain_end_ns (const TfrcSinkStream *stream, guint64 start_ns, guint64 timeout_ns)
{
  if (stream->queue.absent && stream->limits.max_queue_time_ns > 0)
    timeout_ns = MIN (timeout_ns, stream->limits.max_queue_time_ns);
  return start_ns + timeout_ns;
}

gboolean
tfrc_sink_stream_drain (TfrcSinkStream *stream, guint64 timeout_ns, guint *dropped)
{
  guint64 start_ns = tfrc_clock_now_ns ();
  gboolean finished;

  if (tfrc_fork_is_inherited (stream->generation))
    return FALSE;
  g_mutex_lock (&stream->lock);
  while (!stream->flushing && !tfrc_sink_stream_is_empty (stream)
      && tfrc_clock_now_ns () < drain_end_ns (stream, start_ns, timeout_ns))
    wait_for_room (stream, drain_end_ns (stream, start_ns, timeout_ns));
  finished = !stream->flushing;
  if (finished) {
    /* Nothing may follow the BYE. */
    *dropped = tfrc_packet_queue_length (&stream->queue);
    stream->packets_dropped += *dropped;
    tfrc_packet_queue_clear (&stream->queue);
    stream->flushes++;
    take_leave (stream);
  }
  g_mutex_unlock (&stream->lock);
  return finished;
}
