/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An endpoint: a UDP socket that is registered in an I/O loop (loop.h).
 *
 * An endpoint belongs to an owner, to which the loop gives packets, deadlines and errors: a port
 * (gst/port/port.h), which distinguishes its flows with a demultiplexer (demux.h).  An owner can have
 * several endpoints, which share one demultiplexer.  A flow knows neither endpoint nor socket.
 *
 * This file is in gst/io, because an endpoint needs no type of a flow.
 *
 * An endpoint is reference-counted: a thread that sends holds a reference, so that another thread
 * can close the endpoint meanwhile.  The last reference closes the socket. */
#ifndef GST_TFRC_ENDPOINT_H
#define GST_TFRC_ENDPOINT_H

#include "loop.h"
#include "socket.h"

G_BEGIN_DECLS

typedef struct _GstTfrcEndpoint GstTfrcEndpoint;

/** The events for the owner: as GstTfrcIoCallbacks, with the endpoint.  All are needed. */
typedef struct
{
  guint64 (*packets) (gpointer owner, GstTfrcEndpoint *endpoint,
      const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns);
  guint64 (*deadline) (gpointer owner, GstTfrcEndpoint *endpoint, guint64 now_ns);
  void (*error) (gpointer owner, gint error, const GstTfrcAddress *destination);
} GstTfrcEndpointCallbacks;

/** Opens the socket.  Packets that come wait in the socket until gst_tfrc_endpoint_start().
 * @param callbacks copied
 * @return an endpoint with one reference, to be given up with gst_tfrc_endpoint_close(); NULL with
 *   @a error set as gst_tfrc_socket_open() does
 *
 * Any thread. */
GstTfrcEndpoint *gst_tfrc_endpoint_open (const GstTfrcSocketConfig *config,
    const GstTfrcEndpointCallbacks *callbacks, gpointer owner, GError **error);

/** Makes an endpoint of a socket that is open already.
 * @param fd a non-blocking datagram socket, which is the endpoint's from now on
 * @param address that the socket is bound to; copied
 * @return as gst_tfrc_endpoint_open() does */
GstTfrcEndpoint *gst_tfrc_endpoint_new (gint fd, const GstTfrcAddress *address,
    const GstTfrcEndpointCallbacks *callbacks, gpointer owner);

/** Registers the endpoint in an I/O loop, without a deadline.  Callbacks may come before this returns.
 * @param beside an endpoint of the same owner, which has started and is not stopped before this
 *   returns: the callbacks of both come one after the other; NULL: this is the only endpoint
 * @return FALSE with @a error set (G_IO_ERROR)
 *
 * Any thread but that of a loop. */
gboolean gst_tfrc_endpoint_start (
    GstTfrcEndpoint *self, const GstTfrcEndpoint *beside, GError **error);

/** Ends the callbacks: waits for a callback that runs; afterwards there is none.  The endpoint can
 * still send.  Does nothing if the endpoint has not started.
 *
 * Any thread but that of a loop; without a lock held that a callback takes. */
void gst_tfrc_endpoint_stop (GstTfrcEndpoint *self);

/** Stops, and gives up the reference of gst_tfrc_endpoint_open().  NULL is allowed.  The same
 * threads and locks as for gst_tfrc_endpoint_stop(). */
void gst_tfrc_endpoint_close (GstTfrcEndpoint *self);

/** Closes this process's descriptors of an endpoint that was inherited by fork(2).  What is in
 * memory stays, as another thread of the parent may have been at work on it.  NULL is allowed. */
void gst_tfrc_endpoint_close_inherited (GstTfrcEndpoint *self);

/** Takes and gives up a reference.  Any thread. */
GstTfrcEndpoint *gst_tfrc_endpoint_ref (GstTfrcEndpoint *self);
void gst_tfrc_endpoint_unref (GstTfrcEndpoint *self);

/** Sends a batch of packets to an address over a local path, as gst_tfrc_socket_send(). */
guint gst_tfrc_endpoint_send (GstTfrcEndpoint *self, const GstTfrcAddress *to,
    const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n, gint *error);

/** Sends a batch of packets, in groups where the system takes them, as
 * gst_tfrc_socket_send_groups(). */
guint gst_tfrc_endpoint_send_groups (GstTfrcEndpoint *self, const GstTfrcAddress *to,
    const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n,
    GstTfrcSendFailure *failure);

/** Sets the deadline, as gst_tfrc_io_set_deadline().  Only between start and stop; otherwise
 * nothing happens. */
void gst_tfrc_endpoint_set_deadline (GstTfrcEndpoint *self, guint64 deadline_ns);

/** Says whether the endpoint can be served late, as gst_tfrc_io_set_patient().  Only between start and
 * stop; otherwise nothing happens. */
void gst_tfrc_endpoint_set_patient (GstTfrcEndpoint *self, gboolean patient);

/** Limits what the loop reads, as gst_tfrc_io_limit_reads().  Only between start and stop; otherwise
 * nothing happens. */
void gst_tfrc_endpoint_limit_reads (GstTfrcEndpoint *self);

/** Returns the turnstile as gst_tfrc_io_get_turnstile().  Only between start and stop. */
GstTfrcTurnstile *gst_tfrc_endpoint_get_turnstile (GstTfrcEndpoint *self);

/** Returns address and port that the socket is bound to. */
const GstTfrcAddress *gst_tfrc_endpoint_get_address (const GstTfrcEndpoint *self);

/** Returns the kernel's receive buffer in bytes, as gst_tfrc_socket_receive_buffer_bytes(). */
gint gst_tfrc_endpoint_get_receive_buffer_bytes (const GstTfrcEndpoint *self);

/** Returns the socket's TTL as gst_tfrc_socket_get_ttl(). */
guint gst_tfrc_endpoint_get_ttl (const GstTfrcEndpoint *self);

/** Returns the TOS that a packet with this ECN field (TFRC_ECN_FIELD_*) needs beside the socket's DSCP,
 * for GstTfrcSendItem. */
guint8 gst_tfrc_endpoint_get_tos (const GstTfrcEndpoint *self, guint8 ecn);

/** Returns what gst_tfrc_socket_allows_ecn() returned for the new socket: that function changes the socket, and others
 * may send from it when they ask. */
gboolean gst_tfrc_endpoint_allows_ecn (const GstTfrcEndpoint *self);

/** Set what gst_tfrc_socket_set_ttl() and gst_tfrc_socket_set_dscp() do. */
gboolean gst_tfrc_endpoint_set_ttl (GstTfrcEndpoint *self, gint ttl);
gboolean gst_tfrc_endpoint_set_dscp (GstTfrcEndpoint *self, gint dscp);

G_END_DECLS
#endif
