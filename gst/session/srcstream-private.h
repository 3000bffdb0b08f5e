/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of a source's stream; not for others.  Each file calls only files further
 * down:
 *
 * srcstream.c       opens and closes a stream, its settings and statistics
 * srcmigration.c    migrates to another path
 * srcloop.c         what the I/O loop calls, and the deadline
 * srcsend.c         sends RTCP
 * srcreceive.c      receives packets
 *
 * srcpull.c, the pipeline's side, calls none of them. */
#ifndef GST_TFRC_SRCSTREAM_PRIVATE_H
#define GST_TFRC_SRCSTREAM_PRIVATE_H

#include "../common/fork.h"
#include "../common/threads.h"
#include "../io/demux.h"
#include "srcendpoints.h"
#include "../keys/srckeys.h"
#include "srcpaths.h"
#include "../strangers/selection.h"
#include "../flow/reception.h"
#include "srcstream.h"

G_BEGIN_DECLS

GST_TFRC_DECLARE_MUTEX (GstTfrcSrcStreamMutex, gst_tfrc_src_stream_mutex)

struct _GstTfrcSrcStream
{
  guint generation;                  /* of the process that it runs in */
  GstTfrcSocketConfig socket_config; /* of further endpoints, without address */
  GstTfrcSrcStreamEvents events;
  gpointer user;
  guint32 ssrc; /* our own */
  gchar cname[24];
  TfrcReceiverConfig receiver;
  GstTfrcAddressFilter senders; /* whose packets are taken */
  GstTfrcSrcKeys *keys;         /* has a lock of its own */

  GstTfrcSrcStreamMutex lock;
  GCond packet_ready; /* for the thread that pulls: a packet, the end, or flushing */
  /* until when that thread waits; 0: it does not.  Whoever has something for it earlier sets 0, and
   * signals once the lock is released. */
  guint64 pull_wait_ns GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  gboolean flushing GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  GstTfrcSrcEndpoints endpoints GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  GstTfrcSrcPaths paths GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* the sender that the kernel's route is known for ... */
  GstTfrcAddress routed_to GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* ... and that route */
  GstTfrcLocalPath route GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  GstTfrcSelection *selection GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* of the peer, or of the last one; NULL: there was none */
  GstTfrcReception *session GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* of the senders before that */
  GstTfrcReceptionStats totals GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* silence after which the sender is lost; 0: never */
  guint64 timeout_ns GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  gboolean sender_is_lost GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* has that session; counts packets of no session */
  GstTfrcDemux demux GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* of buffers with header and payload, for the pipeline; their offset is the size of the header */
  GstTfrcReorder *queue GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  gboolean is_patient GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex); /* may be served late */
  guint64 stats_interval_ns GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
  /* when the next statistics are due; G_MAXUINT64: never */
  guint64 stats_ns GST_TFRC_GUARDED_BY (gst_tfrc_src_stream_mutex);
};

/* ---- srcloop.c --------------------------------------------------------- */

/* Opens an endpoint whose packets are the stream's. */
GstTfrcEndpoint *gst_tfrc_src_stream_open_endpoint (
    GstTfrcSrcStream *stream, const GstTfrcSocketConfig *config, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex);

/* Returns when the loop has to serve the stream. */
guint64 gst_tfrc_src_stream_next_deadline (const GstTfrcSrcStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* Returns when the old endpoint is to be reported as idle; G_MAXUINT64: never. */
guint64 gst_tfrc_src_stream_old_endpoint_idle_ns (const GstTfrcSrcStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* Sets the next deadline of the loop.  With the lock, as otherwise the loop's thread could
 * set a newer deadline before this older one. */
void gst_tfrc_src_stream_update_deadline (GstTfrcSrcStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* Tells the loop how soon the stream has to be served.  With the lock, as above. */
void gst_tfrc_src_stream_update_patience (GstTfrcSrcStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* ---- srcsend.c --------------------------------------------------------- */

/* Sends all RTCP that is due.  Releases the lock meanwhile. */
void gst_tfrc_src_stream_send_rtcp (GstTfrcSrcStream *stream, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* Sends a BYE, if there is a TFRC sender.  Releases the lock meanwhile. */
void gst_tfrc_src_stream_say_bye (GstTfrcSrcStream *stream)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* ---- srcreceive.c ------------------------------------------------------ */

/* Unprotects packets that have come: copies those that may be used to @plain. Returns their
 * number. */
guint gst_tfrc_src_stream_unprotect (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packets,
    guint n, GstTfrcReceivedPacket *plain, guint64 now_ns)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex);

/* Handles a packet that has come, without its protection.
 * @new_sender: set to TRUE if the peer has changed */
void gst_tfrc_src_stream_receive (GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet,
    gboolean *new_sender) GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

/* Does what time has made due. */
void gst_tfrc_src_stream_on_time (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex);

G_END_DECLS
#endif
