/* The output of tfrcsrc: packets of the stream become buffers. */
#include "gsttfrcsrccreate.h"

#include "../common/clock.h"
#include "../common/messages.h"
#include "gsttfrcsrcstats.h"

/* The name of the message that udpsrc posts, which applications know */
#define TIMEOUT_MESSAGE "GstUDPSrcTimeout"

/* The pipeline's running time at which the packet arrived */
static GstClockTime
arrival_running_time (GstTfrcSrc *self, guint64 arrival_ns)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base_time = gst_element_get_base_time (GST_ELEMENT (self));
  guint64 age_ns = gst_tfrc_clock_now_ns () - arrival_ns;
  GstClockTime now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now > base_time + age_ns ? now - base_time - age_ns : 0;
}

static GstBuffer *
finish_buffer (GstTfrcSrc *self, const GstTfrcPulled *pulled)
{
  GstBuffer *buffer = pulled->buffer;

  if (!self->rtp)
    gst_buffer_resize (buffer, pulled->header_bytes, pulled->payload_bytes);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = arrival_running_time (
      self, pulled->arrival_ns);
  if (pulled->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

void
gst_tfrc_src_drop_pulled (GstTfrcSrc *self)
{
  while (self->next_pulled < self->n_pulled)
    gst_buffer_unref (self->pulled[self->next_pulled++].buffer);
}

static void
post_timeout (GstTfrcSrc *self, guint64 timeout)
{
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new (TIMEOUT_MESSAGE, "timeout", G_TYPE_UINT64, timeout, NULL)));
}

GstFlowReturn
gst_tfrc_src_create (GstPushSrc *src, GstBuffer **buffer)
{
  GstTfrcSrc *self = GST_TFRC_SRC (src);
  guint64 timeout;
  gboolean wants_stats;

  while (self->next_pulled == self->n_pulled) {
    self->next_pulled = 0;
    GST_OBJECT_LOCK (self);
    timeout = self->settings.timeout;
    wants_stats = self->settings.stats_interval_ms > 0;
    GST_OBJECT_UNLOCK (self);
    switch (gst_tfrc_src_stream_pull (
        self->stream, timeout, self->pulled, GST_TFRC_PULL_MAX_PACKETS, &self->n_pulled)) {
      case GST_TFRC_PULL_PACKET:
        break;
      case GST_TFRC_PULL_END:
        /* the last statistics of this stream */
        if (wants_stats)
          gst_tfrc_stats_post (GST_ELEMENT (self), gst_tfrc_src_get_stats (self));
        return GST_FLOW_EOS;
      case GST_TFRC_PULL_TIMEOUT:
        post_timeout (self, timeout);
        break;
      case GST_TFRC_PULL_FLUSHING:
        return GST_FLOW_FLUSHING;
    }
  }
  *buffer = finish_buffer (self, &self->pulled[self->next_pulled++]);
  return GST_FLOW_OK;
}
