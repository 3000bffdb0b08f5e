/* What the files of a source's stream share; not for others.  Each file calls only files further
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
#include "../io/demux.h"
#include "srcendpoints.h"
#include "srcpaths.h"
#include "srcselection.h"
#include "srcsession.h"
#include "srcstream.h"

G_BEGIN_DECLS

struct _GstTfrcSrcStream
{
  guint generation;                  /* of the process that it runs in */
  GstTfrcSocketConfig socket_config; /* of further endpoints, without address */
  GstTfrcSrcStreamEvents events;
  gpointer user;
  guint32 ssrc; /* our own */
  gchar cname[24];
  TfrcReceiverConfig receiver;

  GMutex lock;        /* protects all below */
  GCond packet_ready; /* for the thread that pulls: a packet, the end, or flushing */
  gboolean puller_waits;
  gboolean flushing;
  GstTfrcSrcEndpoints endpoints;
  GstTfrcSrcPaths paths;
  GstTfrcAddress routed_to; /* the sender that the kernel's route is known for ... */
  GstTfrcLocalPath route;   /* ... and that route */
  GstTfrcSrcSelection selection;
  GstTfrcSrcSession *session; /* of the peer, or of the last one; NULL: there was none */
  GstTfrcDemux demux;         /* has that session; counts packets of no session */
  GstTfrcReorder queue;       /* of GstTfrcSrcPacket, for the pipeline */
  guint64 stats_interval_ns;
  guint64 stats_ns; /* when the next statistics are due; G_MAXUINT64: never */
};

/* A packet in the queue */
typedef struct
{
  GstBuffer *buffer;
  gsize header_bytes, payload_bytes;
} GstTfrcSrcPacket;

/* ---- srcloop.c --------------------------------------------------------- */

/* Opens an endpoint whose packets are the stream's. */
GstTfrcEndpoint *gst_tfrc_src_stream_open_endpoint (
    GstTfrcSrcStream *stream, const GstTfrcSocketConfig *config, GError **error);

/* Lock held: returns when the loop has to serve the stream. */
guint64 gst_tfrc_src_stream_next_deadline (const GstTfrcSrcStream *stream);

/* Lock held: returns when the old endpoint is to be reported as idle; G_MAXUINT64: never. */
guint64 gst_tfrc_src_stream_old_endpoint_idle_ns (const GstTfrcSrcStream *stream);

/* Lock held: tells the loop the next deadline.  With the lock, as otherwise the loop's thread could
 * set a newer deadline before this older one. */
void gst_tfrc_src_stream_update_deadline (GstTfrcSrcStream *stream);

/* ---- srcsend.c --------------------------------------------------------- */

/* Lock held, released meanwhile: sends all RTCP that is due. */
void gst_tfrc_src_stream_send_rtcp (GstTfrcSrcStream *stream, guint64 now_ns);

/* Lock held, released meanwhile: sends a BYE, if there is a TFRC sender to tell. */
void gst_tfrc_src_stream_say_bye (GstTfrcSrcStream *stream);

/* ---- srcreceive.c ------------------------------------------------------ */

/* Lock held: a packet has come.
 * @new_sender: set to TRUE if the peer has changed */
void gst_tfrc_src_stream_receive (
    GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, gboolean *new_sender);

/* Lock held: time has passed. */
void gst_tfrc_src_stream_on_time (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender);

G_END_DECLS
#endif
