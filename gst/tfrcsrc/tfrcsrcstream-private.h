/* What the two sides of a stream share: tfrcsrcstream.c is the I/O loop's,
 * tfrcsrcconsumer.c the pipeline's.  Not for others. */
#ifndef TFRC_SRC_STREAM_PRIVATE_H
#define TFRC_SRC_STREAM_PRIVATE_H

#include "../common/tfrcioloop.h"
#include "tfrcprobation.h"
#include "tfrcsrcsession.h"
#include "tfrcsrcstream.h"

G_BEGIN_DECLS

struct _TfrcSrcStream
{
  gint fd;
  guint16 local_port;
  TfrcIo *io;
  TfrcSrcStreamEvents events;
  gpointer user;
  guint32 ssrc;                 /* our own */
  gchar cname[24];
  gboolean keep_listening;

  GMutex lock;                  /* all below */
  GCond arrived;                /* for the consumer */
  gboolean consumer_waits;
  gboolean flushing;
  TfrcSrcSession *session;      /* NULL: nobody heard yet */
  TfrcProbation probation;      /* who may come after it */
  TfrcReorder queue;
  guint64 stats_interval_ns;
  guint64 stats_ns;             /* when the next statistics are due */
  guint64 foreign_packets, malformed_packets;
};

/* What waits in the queue */
typedef struct
{
  GstBuffer *buffer;
  gsize header_bytes, payload_bytes;
} TfrcSrcPacket;

G_END_DECLS
#endif
