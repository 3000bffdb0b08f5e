/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline's streaming thread as it waits in a stream: for room, or for the end. The thread of the I/O
 * loop wakes it, and a flush interrupts it.
 *
 * All functions with the port's lock; the streaming thread waits, any thread does the rest. */
#ifndef GST_TFRC_STREAMINGTHREAD_H
#define GST_TFRC_STREAMINGTHREAD_H

#include "../port/port.h"

G_BEGIN_DECLS

/** For streamingthread.c alone */
typedef struct
{
  GstTfrcPort *port;
  GCond wake;
  gboolean is_waiting;
  gboolean flushing;
  gboolean is_interrupted; /* flushing has begun since the streaming thread was last told */
} GstTfrcStreamingThread;

/** @param port with the lock; lives longer than @a self */
void gst_tfrc_streaming_thread_init (GstTfrcStreamingThread *self, GstTfrcPort *port);
void gst_tfrc_streaming_thread_clear (GstTfrcStreamingThread *self);

/** Waits until another thread wakes this thread, or until this time. */
void gst_tfrc_streaming_thread_wait (GstTfrcStreamingThread *self, guint64 until_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Does the thread wait? */
gboolean gst_tfrc_streaming_thread_is_waiting (const GstTfrcStreamingThread *self)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Lets the thread go on, which looks again at what it waits for. */
void gst_tfrc_streaming_thread_wake (GstTfrcStreamingThread *self)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** While flushing the thread does not wait. */
void gst_tfrc_streaming_thread_set_flushing (GstTfrcStreamingThread *self, gboolean flushing)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);
gboolean gst_tfrc_streaming_thread_is_flushing (const GstTfrcStreamingThread *self)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has the thread to return, because flushing has begun, even if it has ended since? */
gboolean gst_tfrc_streaming_thread_is_interrupted (const GstTfrcStreamingThread *self)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The same; the thread knows of the interruption then. */
gboolean gst_tfrc_streaming_thread_take_interruption (GstTfrcStreamingThread *self)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

G_END_DECLS
#endif
