/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's stream from inside: sinkstream.c has its life and the streaming thread's waiting,
 * sinkstreamsettings.c what may be set and asked while the stream runs. */
#ifndef GST_TFRC_SINKSTREAM_PRIVATE_H
#define GST_TFRC_SINKSTREAM_PRIVATE_H

#include "calling.h"
#include "sinkstream.h"
#include "streamingthread.h"

G_BEGIN_DECLS

struct _GstTfrcSinkStream
{
  GstTfrcPort *port;
  GstTfrcTenant tenant; /* of the port */
  GstTfrcAudience
      audience;          /* is guarded by the port's lock, as are the next four and their parts */
  GstTfrcSendFlow *flow; /* the only one of the audience; NULL: the stream listens */
  GstTfrcOutbox *outbox; /* of the flow; NULL: the stream listens */
  GstTfrcListening *listening; /* NULL: it does not listen */
  GstTfrcCalling *calling;     /* NULL: it calls nobody */
  GstTfrcGuest guest;          /* at a stream that listens */
  gboolean is_guest;           /* the port is that of another stream */
  GstTfrcSinkStreamEvents events;
  gpointer user;
  gboolean remembers_rate;

  GstTfrcPacketPool *pool;
  GstTfrcVisitor visitor; /* the streaming thread, at the turnstile of the loop */

  GstTfrcStreamingThread thread; /* waits for room, or until all has left */
  guint64 told_dropped GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex); /* to the streaming thread */
  gboolean was_absent GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);  /* when served last */
  gboolean was_broken GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
};

G_END_DECLS
#endif
