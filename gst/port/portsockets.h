/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sockets of a port, which are endpoints of its I/O loop.
 *
 * The active endpoint has the deadlines, and feedback leaves through it.  A migration to an address
 * that the active endpoint is not bound to opens another endpoint.  The old endpoint stays open
 * beside it, for packets that are still under way, until nothing has come there for 5 s.
 *
 * No clock; the lock is that of the port. */
#ifndef GST_TFRC_PORTSOCKETS_H
#define GST_TFRC_PORTSOCKETS_H

#include "../io/endpoint.h"

G_BEGIN_DECLS

typedef struct
{
  GstTfrcEndpoint *endpoint;
  guint64 heard_ns; /* when packets last came, or the endpoint was taken into use */
} GstTfrcPortSocket;

typedef struct
{
  GstTfrcPortSocket active;
  GstTfrcPortSocket old;      /* endpoint NULL: there is none */
  gboolean old_idle_reported; /* the owner has been notified of the idle old endpoint */
} GstTfrcPortSockets;

/** Begins with one endpoint. */
void gst_tfrc_port_sockets_init (
    GstTfrcPortSockets *self, GstTfrcEndpoint *endpoint, guint64 now_ns);

/** Return the endpoints; the old one may be NULL. */
GstTfrcEndpoint *gst_tfrc_port_sockets_get_active (const GstTfrcPortSockets *self);
GstTfrcEndpoint *gst_tfrc_port_sockets_get_old (const GstTfrcPortSockets *self);

/** Packets have come to this endpoint. */
void gst_tfrc_port_sockets_on_packets (
    GstTfrcPortSockets *self, const GstTfrcEndpoint *endpoint, guint64 now_ns);

/** Returns whether one of the endpoints receives what comes to this local address ("no address":
 * any). */
gboolean gst_tfrc_port_sockets_serve (const GstTfrcPortSockets *self, const GstTfrcAddress *local);

/** Makes the endpoint that receives what comes to this local address the active one.
 * @param opened NULL, or a new endpoint for this address
 * @return the endpoint that the new one has replaced, for the caller to close; NULL: none */
GstTfrcEndpoint *gst_tfrc_port_sockets_migrate (
    GstTfrcPortSockets *self, const GstTfrcAddress *local, GstTfrcEndpoint *opened, guint64 now_ns);

/** Makes the old endpoint the active one again, if it is bound to this local address. */
void gst_tfrc_port_sockets_go_back (GstTfrcPortSockets *self, const GstTfrcAddress *local);

/** Returns when the old endpoint is to be reported as idle; G_MAXUINT64: never, as there is none,
 * or it has been reported. */
guint64 gst_tfrc_port_sockets_idle_ns (const GstTfrcPortSockets *self);

/** Notes whether the old endpoint has been reported as idle. */
void gst_tfrc_port_sockets_set_reported (GstTfrcPortSockets *self, gboolean reported);

gboolean gst_tfrc_port_sockets_is_reported (const GstTfrcPortSockets *self);

/** Takes the old endpoint away; the caller closes it.  NULL: there is none. */
GstTfrcEndpoint *gst_tfrc_port_sockets_take_old (GstTfrcPortSockets *self);

/** Opens a socket for RTCP on a port of its own (RFC 3550 section 11).
 * @param config of the socket of the data
 * @param data_port that the socket of the data is bound to
 * @param rtcp_port the port; 0: the next port, or, if the system has chosen the port of the data and the
 *   next one is taken, any
 * @return NULL with @a error set */
GstTfrcEndpoint *gst_tfrc_port_sockets_open_rtcp (const GstTfrcSocketConfig *config,
    guint16 data_port, guint16 rtcp_port, const GstTfrcEndpointCallbacks *callbacks, gpointer owner,
    GError **error);

/** Opens a socket at another local address and the same port number.
 * @param config of the first socket
 * @param test any port number will do
 * @return NULL with @a error set */
GstTfrcEndpoint *gst_tfrc_port_sockets_open_at (const GstTfrcSocketConfig *config,
    const GstTfrcAddress *local, gboolean test, const GstTfrcEndpointCallbacks *callbacks,
    gpointer owner, GError **error);

/** Says whether all sockets can be served late (gst_tfrc_io_set_patient()). */
void gst_tfrc_port_sockets_set_patient (GstTfrcPortSockets *self, gboolean patient);

G_END_DECLS
#endif
