/* What the files of a stream share: tfrcsrcstream.c is the I/O loop's side,
 * tfrcsrcarrivals.c what it does with packets, tfrcsrcanswers.c what it sends,
 * tfrcsrchandover.c changes of the link, tfrcsrcconsumer.c the pipeline's side.
 * Not for others. */
#ifndef TFRC_SRC_STREAM_PRIVATE_H
#define TFRC_SRC_STREAM_PRIVATE_H

#include "../common/tfrcfork.h"
#include "../common/tfrcioloop.h"
#include "tfrcsrclinks.h"
#include "tfrcsrcownership.h"
#include "tfrcsrcsession.h"
#include "tfrcsrcstream.h"

G_BEGIN_DECLS

/* One that is received on */
typedef struct
{
  TfrcSrcStream *stream;
  gint fd;
  TfrcAddress address; /* that it is bound to */
  TfrcIo *io;
  guint refs;       /* while one sends, another may want to close it */
  guint64 heard_ns; /* when something last came, or it was opened */
} TfrcSrcSocket;

struct _TfrcSrcStream
{
  guint generation;               /* of the process that it runs in */
  TfrcSocketConfig socket_config; /* of another socket, without address */
  TfrcSrcStreamEvents events;
  gpointer user;
  guint32 ssrc; /* our own */
  gchar cname[24];
  TfrcReceiverConfig receiver;

  GMutex lock;   /* all below */
  GCond arrived; /* for the consumer */
  gboolean consumer_waits;
  gboolean flushing;
  TfrcSrcSocket *socket;     /* answers leave through it; it has the deadlines */
  TfrcSrcSocket *old_socket; /* NULL, or the one that did before a handover */
  gboolean old_socket_told;  /* nobody needs it any more, and that was told */
  TfrcSrcLinks links;
  TfrcAddress routed_to;      /* the sender that the route is known for ... */
  TfrcLink route;             /* ... over which the kernel sends to it */
  TfrcSrcSession *session;    /* NULL: nobody heard yet */
  TfrcSrcOwnership ownership; /* whose session it is, and who may follow */
  TfrcReorder queue;
  guint64 stats_interval_ns;
  guint64 stats_ns; /* when the next statistics are due */
  guint64 foreign_packets, malformed_packets;
};

/* What waits in the queue */
typedef struct
{
  GstBuffer *buffer;
  gsize header_bytes, payload_bytes;
} TfrcSrcPacket;

/* ---- tfrcsrcstream.c --------------------------------------------------- */

/* Lock held, and still held by those who pass it on to the loop: otherwise the
 * loop's thread might overtake them with an earlier one. */
guint64 tfrc_src_stream_next_deadline (const TfrcSrcStream *stream);

/* Opens one, has packets received on it, ends that and closes it.  Closing waits
 * for the loop: no lock may be held.  NULL is allowed for it. */
TfrcSrcSocket *tfrc_src_socket_new (
    TfrcSrcStream *stream, const TfrcSocketConfig *config, GError **error);
gboolean tfrc_src_socket_start (TfrcSrcSocket *socket, GError **error);
void tfrc_src_socket_close (TfrcSrcSocket *socket);

/* Lock held: one user less */
void tfrc_src_socket_unref (TfrcSrcSocket *socket);

/* ---- tfrcsrcanswers.c -------------------------------------------------- */

/* Lock held, released meanwhile: sends all that is due. */
void tfrc_src_stream_answer (TfrcSrcStream *stream, guint64 now_ns);

/* Lock held, released meanwhile: tells the sender that nobody receives. */
void tfrc_src_stream_say_bye (TfrcSrcStream *stream);

/* ---- tfrcsrcarrivals.c ------------------------------------------------- */

/* Lock held: one packet has come.
 * @new_sender: set to TRUE if with it another sender is heard */
void tfrc_src_stream_take (
    TfrcSrcStream *stream, const TfrcReceivedPacket *packet, gboolean *new_sender);

/* Lock held: time has passed. */
void tfrc_src_stream_on_time (TfrcSrcStream *stream, guint64 now_ns, gboolean *new_sender);

/* ---- tfrcsrchandover.c ------------------------------------------------- */

/* Lock held: the link in use is the wrong one, as data comes to this address. */
void tfrc_src_stream_leave_link (TfrcSrcStream *stream, const TfrcAddress *local);

/* Lock held: the socket that packets from this address leave through */
TfrcSrcSocket *tfrc_src_stream_get_socket_at (
    const TfrcSrcStream *stream, const TfrcAddress *local);

/* Lock held: when it is to be told that nobody needs the old socket */
guint64 tfrc_src_stream_old_socket_idle_ns (const TfrcSrcStream *stream);

G_END_DECLS
#endif
