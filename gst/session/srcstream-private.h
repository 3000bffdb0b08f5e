/* What the files of a stream share: srcstream.c is the I/O loop's side,
 * srcinput.c what it does with packets, srcanswers.c what it sends,
 * srclinkchange.c changes of the link, srcoutput.c the pipeline's side.
 * Not for others. */
#ifndef GST_TFRC_SRCSTREAM_PRIVATE_H
#define GST_TFRC_SRCSTREAM_PRIVATE_H

#include "../common/fork.h"
#include "../io/loop.h"
#include "srclinks.h"
#include "srcownership.h"
#include "srcsession.h"
#include "srcstream.h"

G_BEGIN_DECLS

/* One that is received on */
typedef struct
{
  GstTfrcSrcStream *stream;
  gint fd;
  GstTfrcAddress address; /* that it is bound to */
  GstTfrcIo *io;
  guint refs;       /* while one sends, another may want to close it */
  guint64 heard_ns; /* when something last came, or it was opened */
} GstTfrcSrcSocket;

struct _TfrcSrcStream
{
  guint generation;                  /* of the process that it runs in */
  GstTfrcSocketConfig socket_config; /* of another socket, without address */
  GstTfrcSrcStreamEvents events;
  gpointer user;
  guint32 ssrc; /* our own */
  gchar cname[24];
  TfrcReceiverConfig receiver;

  GMutex lock;   /* all below */
  GCond arrived; /* for the consumer */
  gboolean consumer_waits;
  gboolean flushing;
  GstTfrcSrcSocket *socket;     /* answers leave through it; it has the deadlines */
  GstTfrcSrcSocket *old_socket; /* NULL, or the one that did before a handover */
  gboolean old_socket_told;     /* nobody needs it any more, and that was told */
  GstTfrcSrcLinks links;
  GstTfrcAddress routed_to;      /* the sender that the route is known for ... */
  GstTfrcLink route;             /* ... over which the kernel sends to it */
  GstTfrcSrcSession *session;    /* NULL: nobody heard yet */
  GstTfrcSrcOwnership ownership; /* whose session it is, and who may follow */
  GstTfrcReorder queue;
  guint64 stats_interval_ns;
  guint64 stats_ns; /* when the next statistics are due */
  guint64 foreign_packets, malformed_packets;
};

/* What waits in the queue */
typedef struct
{
  GstBuffer *buffer;
  gsize header_bytes, payload_bytes;
} GstTfrcSrcPacket;

/* ---- srcstream.c --------------------------------------------------- */

/* Lock held, and still held by those who pass it on to the loop: otherwise the
 * loop's thread might overtake them with an earlier one. */
guint64 gst_tfrc_src_stream_next_deadline (const GstTfrcSrcStream *stream);

/* Opens one, has packets received on it, ends that and closes it.  Closing waits
 * for the loop: no lock may be held.  NULL is allowed for it. */
GstTfrcSrcSocket *gst_tfrc_src_socket_new (
    GstTfrcSrcStream *stream, const GstTfrcSocketConfig *config, GError **error);
gboolean gst_tfrc_src_socket_start (GstTfrcSrcSocket *socket, GError **error);
void gst_tfrc_src_socket_close (GstTfrcSrcSocket *socket);

/* Lock held: one user less */
void gst_tfrc_src_socket_unref (GstTfrcSrcSocket *socket);

/* ---- srcanswers.c -------------------------------------------------- */

/* Lock held, released meanwhile: sends all that is due. */
void gst_tfrc_src_stream_answer (GstTfrcSrcStream *stream, guint64 now_ns);

/* Lock held, released meanwhile: tells the sender that nobody receives. */
void gst_tfrc_src_stream_say_bye (GstTfrcSrcStream *stream);

/* ---- srcinput.c ------------------------------------------------- */

/* Lock held: one packet has come.
 * @new_sender: set to TRUE if with it another sender is heard */
void gst_tfrc_src_stream_take (
    GstTfrcSrcStream *stream, const GstTfrcReceivedPacket *packet, gboolean *new_sender);

/* Lock held: time has passed. */
void gst_tfrc_src_stream_on_time (GstTfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender);

/* ---- srclinkchange.c ------------------------------------------------- */

/* Lock held: the link in use is the wrong one, as data comes to this address. */
void gst_tfrc_src_stream_leave_link (GstTfrcSrcStream *stream, const GstTfrcAddress *local);

/* Lock held: the socket that packets from this address leave through */
GstTfrcSrcSocket *gst_tfrc_src_stream_get_socket_at (
    const GstTfrcSrcStream *stream, const GstTfrcAddress *local);

/* Lock held: when it is to be told that nobody needs the old socket */
guint64 gst_tfrc_src_stream_old_socket_idle_ns (const GstTfrcSrcStream *stream);

G_END_DECLS
#endif
