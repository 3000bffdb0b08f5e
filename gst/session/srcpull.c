/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline's side of a source's stream: its streaming thread pulls packets from the queue.  See
 * srcstream.h. */
#include "srcstream-private.h"

#include "../common/clock.h"

/* Waits for a packet, or until this time. */
static void
wait_for_packet (GstTfrcSrcStream *stream, guint64 until_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  stream->pull_wait_ns = until_ns;
  if (until_ns == G_MAXUINT64)
    gst_tfrc_src_stream_mutex_wait (&stream->lock, &stream->packet_ready);
  else
    gst_tfrc_src_stream_mutex_wait_until (
        &stream->lock, &stream->packet_ready, (gint64) (until_ns / 1000 + 1));
  stream->pull_wait_ns = 0;
}

/* Takes what is ready. */
static guint
take_packets (GstTfrcSrcStream *stream, guint64 now_ns, GstTfrcReorderItem *items, guint max)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  guint n = 0;

  while (n < max && gst_tfrc_reorder_pop (stream->queue, now_ns, &items[n]))
    n++;
  return n;
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

GstTfrcPullResult
gst_tfrc_src_stream_pull (
    GstTfrcSrcStream *stream, guint64 timeout_ns, GstTfrcPulled *pulled, guint max, guint *n)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  guint64 end_ns = timeout_ns ? now_ns + timeout_ns : G_MAXUINT64;
  GstTfrcPullResult result = GST_TFRC_PULL_PACKET;
  GstTfrcReorderItem items[GST_TFRC_PULL_MAX_PACKETS];

  *n = 0;
  max = MIN (max, GST_TFRC_PULL_MAX_PACKETS);
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return GST_TFRC_PULL_FLUSHING;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  for (;;) {
    gboolean ended = stream->session && gst_tfrc_reception_has_ended (stream->session);

    if (stream->flushing) {
      result = GST_TFRC_PULL_FLUSHING;
      break;
    }
    /* After the end nothing more fills a gap, and nothing follows. */
    if (ended || now_ns >= gst_tfrc_reorder_leave_ns (stream->queue))
      *n = take_packets (stream, ended ? G_MAXUINT64 : now_ns, items, max);
    if (*n > 0)
      break;
    if (ended && !gst_tfrc_selection_keeps_listening (stream->selection)) {
      result = GST_TFRC_PULL_END;
      break;
    }
    /* Packets have come, which wait for others or behind a gap. */
    if (now_ns >= end_ns && gst_tfrc_reorder_length (stream->queue) > 0)
      end_ns = now_ns + timeout_ns;
    if (now_ns >= end_ns) {
      result = GST_TFRC_PULL_TIMEOUT;
      break;
    }
    wait_for_packet (stream, MIN (end_ns, gst_tfrc_reorder_leave_ns (stream->queue)));
    now_ns = gst_tfrc_clock_now_ns ();
  }
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);

  for (guint i = 0; i < *n; i++)
    hand_over (&items[i], &pulled[i]);
  return result;
}

void
gst_tfrc_src_stream_set_flushing (GstTfrcSrcStream *stream, gboolean flushing)
{
  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  stream->flushing = flushing;
  g_cond_signal (&stream->packet_ready);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
}
