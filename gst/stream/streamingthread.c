/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline's streaming thread as it waits in a stream, see streamingthread.h. */
#include "streamingthread.h"

void
gst_tfrc_streaming_thread_init (GstTfrcStreamingThread *self, GstTfrcPort *port)
{
  *self = (GstTfrcStreamingThread){ .port = port };
  g_cond_init (&self->wake);
}

void
gst_tfrc_streaming_thread_clear (GstTfrcStreamingThread *self)
{
  g_cond_clear (&self->wake);
}

void
gst_tfrc_streaming_thread_wait (GstTfrcStreamingThread *self, guint64 until_ns)
{
  self->is_waiting = TRUE;
  gst_tfrc_port_wait (self->port, &self->wake, until_ns);
  self->is_waiting = FALSE;
}

gboolean
gst_tfrc_streaming_thread_is_waiting (const GstTfrcStreamingThread *self)
{
  return self->is_waiting;
}

void
gst_tfrc_streaming_thread_wake (GstTfrcStreamingThread *self)
{
  self->is_waiting = FALSE;
  g_cond_signal (&self->wake);
}

void
gst_tfrc_streaming_thread_set_flushing (GstTfrcStreamingThread *self, gboolean flushing)
{
  self->flushing = flushing;
  self->is_interrupted |= flushing;
  g_cond_signal (&self->wake);
}

gboolean
gst_tfrc_streaming_thread_is_flushing (const GstTfrcStreamingThread *self)
{
  return self->flushing;
}

gboolean
gst_tfrc_streaming_thread_is_interrupted (const GstTfrcStreamingThread *self)
{
  return self->flushing || self->is_interrupted;
}

gboolean
gst_tfrc_streaming_thread_take_interruption (GstTfrcStreamingThread *self)
{
  gboolean interrupted = gst_tfrc_streaming_thread_is_interrupted (self);

  self->is_interrupted = FALSE;
  return interrupted;
}
