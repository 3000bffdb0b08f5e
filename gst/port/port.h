/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A port: a UDP socket on an I/O loop, its lock, and the flows behind it (gst/flow/flow.h).
 *
 * The port alone locks and sends. Each time datagrams come or a deadline passes, the port takes its
 * lock, calls the flows that are concerned, and pumps each of them: poll, unlock, seal, send, lock,
 * on_sent, until the flow has nothing more that may leave. No other function releases the lock.
 *
 * A datagram goes to the flow that is bound to its address and SSRC, or else to the one that is
 * bound to its address, or else to the flow of strangers. Without a flow of strangers the datagram
 * is counted and dropped.
 *
 * The owner of a flow is what an element holds (gst/stream), and a tenant of the port (tenants.h). One opens
 * the port; others may join it, such as the streams that serve the callers of one that listens. The port
 * ends with its last tenant. Fields of an owner may be guarded by the port's lock: gst_tfrc_port_mutex is
 * the capability that clang checks. */
#ifndef GST_TFRC_PORT_H
#define GST_TFRC_PORT_H

#include "../common/threads.h"
#include "../flow/flow.h"
#include "portsockets.h"
#include "tenants.h"

G_BEGIN_DECLS

GST_TFRC_DECLARE_MUTEX (GstTfrcPortMutex, gst_tfrc_port_mutex)

typedef struct _GstTfrcPort GstTfrcPort;

/** Opens the socket. What comes waits in the socket until gst_tfrc_port_start(). Any thread.
 * @param tenant the first, which stays the caller's and in its place until gst_tfrc_port_leave()
 * @return with a reference for gst_tfrc_port_unref(); NULL with @a error set as by gst_tfrc_socket_open() */
GstTfrcPort *gst_tfrc_port_new (
    const GstTfrcSocketConfig *config, GstTfrcTenant *tenant, GError **error);

/** Opens a further socket for RTCP (gst_tfrc_port_sockets_open_rtcp()). Before gst_tfrc_port_start(), once.
 * @return FALSE with @a error set */
gboolean gst_tfrc_port_open_rtcp (
    GstTfrcPort *port, const GstTfrcSocketConfig *config, guint16 rtcp_port, GError **error);

/** Registers the sockets in an I/O loop. Calls of the flows and of the owner may come before this
 * returns.
 * @param limit_reads little should come, as to a sender (gst_tfrc_io_limit_reads())
 * @return FALSE with @a error set (G_IO_ERROR)
 * Any thread but that of a loop, without the lock. */
gboolean gst_tfrc_port_start (GstTfrcPort *port, GstTfrcTenant *tenant, gboolean limit_reads,
    GError **error) GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Adds a tenant to a port that has started, and takes a reference for gst_tfrc_port_unref(). While another
 * tenant is certain to stay. */
void gst_tfrc_port_join (GstTfrcPort *port, GstTfrcTenant *tenant)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Lets the tenant say its last words (leaving()), has them leave, removes its flows, and ends its calls: waits
 * for one that runs. The loop ends with the last tenant. The same threads as for a start; once. */
void gst_tfrc_port_leave (GstTfrcPort *port, GstTfrcTenant *tenant)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Gives up a reference, after gst_tfrc_port_leave(). The last one closes the sockets and frees the port. The
 * flows are the tenants'. NULL is allowed. */
void gst_tfrc_port_unref (GstTfrcPort *port);

/** Closes the descriptors of a port that was inherited by fork(2), once however many tenants ask. What is in
 * memory stays, as another thread of the parent may have been at work on it. NULL is allowed. */
void gst_tfrc_port_close_inherited (GstTfrcPort *port);

/* ---- the lock -------------------------------------------------------------- */

void gst_tfrc_port_lock (GstTfrcPort *port) GST_TFRC_ACQUIRE (gst_tfrc_port_mutex);
void gst_tfrc_port_unlock (GstTfrcPort *port) GST_TFRC_RELEASE (gst_tfrc_port_mutex);

/** Waits for a condition with the port's lock; @a until_ns is monotonic, G_MAXUINT64: for ever. */
void gst_tfrc_port_wait (GstTfrcPort *port, GCond *cond, guint64 until_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Tells clang that no other thread reaches what the lock guards: before a start and after a stop. */
void gst_tfrc_port_assume_locked (GstTfrcPort *port) GST_TFRC_ASSUMES (gst_tfrc_port_mutex);

/* ---- flows ------------------------------------------------------------------- */

/** Adds a flow of a tenant, which stays in its place until gst_tfrc_port_remove_flow() or
 * gst_tfrc_port_leave(), and has the flow served soon. O(log n). */
void gst_tfrc_port_add_flow (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Removes a flow, whose addresses have been unbound. O(n) in the number of flows. On the loop's thread,
 * but not within a call of this flow. */
void gst_tfrc_port_remove_flow (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Makes this flow the one for strangers: datagrams that no other flow is bound to, and those that its class
 * claims. NULL: none. */
void gst_tfrc_port_set_strangers (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Binds what comes from this address with this SSRC to the flow. What comes from the address with
 * an SSRC that nothing is bound to goes to the flow that was bound to the address first. O(1). */
void gst_tfrc_port_bind (GstTfrcPort *port, GstTfrcFlow *flow, const GstTfrcAddress *address,
    guint32 ssrc) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Takes that back, unless another flow has been bound there since. */
void gst_tfrc_port_unbind (GstTfrcPort *port, const GstTfrcFlow *flow,
    const GstTfrcAddress *address, guint32 ssrc) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has the flow not served until gst_tfrc_port_release_flow(). What comes for it is given to it meanwhile. */
void gst_tfrc_port_hold_flow (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);
void gst_tfrc_port_release_flow (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has the flow served once more, and then no more. The flow stays until it is removed. */
void gst_tfrc_port_dismiss_flow (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** A flow's deadline may be another now, as another thread has changed the flow: the loop wakes up
 * for the new one. */
void gst_tfrc_port_reschedule (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The same for one of several flows of a tenant: gst_tfrc_port_reschedule_owner() comes next, once for
 * all. */
void gst_tfrc_port_note_deadline (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The tenant's own deadline may be another now. */
void gst_tfrc_port_reschedule_owner (GstTfrcPort *port, GstTfrcTenant *tenant)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The active socket may be another now: it gets the deadline. */
void gst_tfrc_port_update_deadline (GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has the flow served soon. Its deadline() has to ask for that, too: a pump under way uses that. */
void gst_tfrc_port_serve_soon (GstTfrcPort *port, GstTfrcFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Datagrams that no flow has wanted. */
guint64 gst_tfrc_port_get_foreign (const GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/* ---- paths: sockets at further local addresses --------------------------------- */

/** Opens and starts a socket as gst_tfrc_port_sockets_open_at(), for a migration. Any thread but that of
 * a loop; only one thread at a time migrates a port.
 * @return NULL with @a error set, and for a test that succeeds, whose socket is closed at once */
GstTfrcEndpoint *gst_tfrc_port_open_beside (GstTfrcPort *port, const GstTfrcAddress *local,
    gboolean test, GError **error) GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Returns the sockets. After a migration gst_tfrc_port_update_deadline() gives the active one a deadline. */
GstTfrcPortSockets *gst_tfrc_port_get_sockets (GstTfrcPort *port)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Returns the active socket with a reference, to read and change its settings. Any thread. */
GstTfrcEndpoint *gst_tfrc_port_ref_socket (GstTfrcPort *port)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex);

/** Returns the further socket for RTCP, which lasts as long as the port; NULL: there is none. */
GstTfrcEndpoint *gst_tfrc_port_get_rtcp_socket (const GstTfrcPort *port);

/* ---- queries ----------------------------------------------------------------------- */

/** Returns the turnstile of the loop. Between start and stop; any thread. */
GstTfrcTurnstile *gst_tfrc_port_get_turnstile (GstTfrcPort *port);

/** Returns the port number that the socket is bound to. Any thread. */
guint16 gst_tfrc_port_get_number (const GstTfrcPort *port);

G_END_DECLS
#endif
