/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of tfrcsrc, see gsttfrcsrcoutput.h. */
#include "gsttfrcsrcoutput.h"

#include "../common/messages.h"

/* The name of the message that udpsrc posts, which applications know */
#define TIMEOUT_MESSAGE "GstUDPSrcTimeout"

/* The event of rtpjitterbuffer with `do-lost', which depayloaders know */
#define LOST_EVENT "GstRTPPacketLost"

/* The most events for one gap: the last one is about all packets that are left. */
#define MAX_LOST_EVENTS 100

/* The pipeline's running time of this monotonic time */
static GstClockTime
running_time_of (GstTfrcSrcOutput *self, guint64 time_ns)
{
  GstClockTimeDiff running_time;

  if (!gst_tfrc_clock_offset_read (&self->clock_offset, self->element))
    return GST_CLOCK_TIME_NONE;
  running_time = (GstClockTimeDiff) time_ns - self->clock_offset.offset_ns
      - (GstClockTimeDiff) gst_element_get_base_time (self->element);
  return (GstClockTime) MAX (running_time, 0);
}

/* The base class sends the event in front of the next buffer.  gst_element_send_event() would wait
 * for a state change, which may wait for this thread. */
static void
send_lost (GstTfrcSrcOutput *self, guint16 seq, GstClockTime time, GstClockTime duration)
{
  GstStructure *lost = gst_structure_new (LOST_EVENT, "seqnum", G_TYPE_UINT, (guint) seq,
      "timestamp", G_TYPE_UINT64, time, "duration", G_TYPE_UINT64, duration, "retry", G_TYPE_UINT,
      0u, NULL);

  GST_ELEMENT_GET_CLASS (self->element)
      ->send_event (self->element, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, lost));
}

/* The times of the missing packets lie evenly between those of their neighbours. */
static void
tell_lost (GstTfrcSrcOutput *self, const GstTfrcPulled *pulled, GstClockTime time)
{
  guint64 n = MIN (pulled->skipped, MAX_LOST_EVENTS);
  GstClockTime step = time > self->last_time ? (time - self->last_time) / (pulled->skipped + 1) : 0;

  for (guint64 i = 1; i <= n; i++) {
    guint64 packets = i == MAX_LOST_EVENTS ? pulled->skipped - i + 1 : 1;

    send_lost (self, (guint16) (pulled->seq - pulled->skipped + i - 1), self->last_time + i * step,
        packets * step);
  }
}

static GstBuffer *
finish_buffer (GstTfrcSrcOutput *self, const GstTfrcPulled *pulled)
{
  GstBuffer *buffer = pulled->buffer;
  GstClockTime time = running_time_of (self, pulled->due_ns);

  if (!self->rtp)
    gst_buffer_resize (buffer, pulled->header_bytes, pulled->payload_bytes);
  else if (pulled->skipped > 0 && GST_CLOCK_TIME_IS_VALID (time))
    tell_lost (self, pulled, time);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = self->last_time = time;
  if (pulled->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

GstBuffer *
gst_tfrc_src_output_take (GstTfrcSrcOutput *self)
{
  return self->next_pulled < self->n_pulled
      ? finish_buffer (self, &self->pulled[self->next_pulled++])
      : NULL;
}

static void
post_timeout (GstTfrcSrcOutput *self, guint64 timeout)
{
  gst_tfrc_message_post (
      self->element, gst_structure_new (TIMEOUT_MESSAGE, "timeout", G_TYPE_UINT64, timeout, NULL));
}

GstTfrcPullResult
gst_tfrc_src_output_pull (GstTfrcSrcOutput *self)
{
  GstTfrcPullResult result;
  guint64 timeout_ns;

  self->next_pulled = 0;
  result = gst_tfrc_src_stream_pull (
      self->stream, self->pulled, GST_TFRC_PULL_MAX_PACKETS, &self->n_pulled, &timeout_ns);
  if (result == GST_TFRC_PULL_TIMEOUT)
    post_timeout (self, timeout_ns);
  return result;
}

void
gst_tfrc_src_output_set_rtp (GstTfrcSrcOutput *self, gboolean rtp)
{
  self->rtp = rtp;
}

void
gst_tfrc_src_output_start (GstTfrcSrcOutput *self, GstElement *element, GstTfrcSrcStream *stream)
{
  self->element = element;
  self->stream = stream;
  self->n_pulled = self->next_pulled = 0;
}

void
gst_tfrc_src_output_stop (GstTfrcSrcOutput *self)
{
  while (self->next_pulled < self->n_pulled)
    gst_buffer_unref (self->pulled[self->next_pulled++].buffer);
  self->stream = NULL;
}
