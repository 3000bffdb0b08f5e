/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports, see port.h. */
#include "port.h"

#include "../common/clock.h"
#include "../common/log.h"
#include "../io/demux.h"
#include "outlets.h"

/* Polls of one flow in one go. A flow limits itself (GstTfrcFlowClass); one that does not is stopped. */
#define MAX_POLLS 64

struct _GstTfrcPort
{
  const GstTfrcPortOwner *methods;
  gpointer owner;
  GstTfrcSocketConfig socket_config; /* of further sockets, without address */
  GstTfrcEndpoint *rtcp;             /* NULL: RTCP leaves from the socket of the data */
  GstTfrcTurnstile *turnstile;       /* of the loop; NULL: not started */

  GstTfrcPortMutex lock;
  GstTfrcPortSockets sockets GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GPtrArray *flows GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GstTfrcFlow *strangers GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  /* the flow of an address and SSRC */
  GstTfrcDemux demux GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  guint64 foreign GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex); /* datagrams of no flow */
  GstTfrcDeadlineQueue deadlines GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GstTfrcFlow *served GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
};

/* ---- the pump -------------------------------------------------------------- */

static GstTfrcOutlets
take_outlets (const GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcOutlets outlets = { port->sockets.active.endpoint, port->sockets.old.endpoint,
    port->rtcp };

  gst_tfrc_outlets_ref (&outlets);
  return outlets;
}

/* Sends all that a flow lets leave now. The one place that releases the lock in its middle. */
static void
pump (GstTfrcPort *port, GstTfrcFlow *flow, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcPolled polled;
  GstTfrcOutlets outlets;

  for (guint i = 0; i < MAX_POLLS; i++) {
    gst_tfrc_polled_init (&polled);
    flow->klass->poll (flow, now_ns, &polled);
    if (polled.n == 0)
      return;
    outlets = take_outlets (port);
    gst_tfrc_port_mutex_unlock (&port->lock);
    gst_tfrc_outlets_send (&outlets, &polled);
    gst_tfrc_outlets_unref (&outlets);
    gst_tfrc_port_mutex_lock (&port->lock);
    flow->klass->on_sent (flow, &polled, now_ns);
  }
}

/* ---- serving ----------------------------------------------------------------- */

/* Notes that a flow is to be served in this turn. */
static void
mark (GstTfrcPort *port, GstTfrcFlow *flow) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  if (flow->is_served)
    return;
  flow->is_served = TRUE;
  flow->next_served = port->served;
  port->served = flow;
}

/* Notes the flows whose deadlines have passed. */
static void
mark_due (GstTfrcPort *port, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcDeadlineNode *node;

  while ((node = gst_tfrc_deadline_queue_get_due (&port->deadlines, now_ns))) {
    gst_tfrc_deadline_queue_set (&port->deadlines, node, G_MAXUINT64);
    mark (port, (GstTfrcFlow *) ((guint8 *) node - G_STRUCT_OFFSET (GstTfrcFlow, node)));
  }
}

void
gst_tfrc_port_note_deadline (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_deadline_queue_set (&port->deadlines, &flow->node, flow->klass->deadline (flow));
}

/* Serves the flows that were marked. */
static void
serve_marked (GstTfrcPort *port, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcFlow *flow;

  while ((flow = port->served)) {
    port->served = flow->next_served;
    flow->is_served = FALSE;
    flow->klass->on_time (flow, now_ns);
    pump (port, flow, now_ns);
    if (port->methods->flow_served)
      port->methods->flow_served (port->owner, flow, now_ns);
    gst_tfrc_port_note_deadline (port, flow);
  }
}

static guint64
get_deadline (GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 owner_ns = port->methods->deadline (port->owner);

  return MIN (gst_tfrc_deadline_queue_next_ns (&port->deadlines), owner_ns);
}

/* With the lock: otherwise the thread of the loop could set a newer deadline before this older one. */
static void
update_deadline (GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_endpoint_set_deadline (port->sockets.active.endpoint, get_deadline (port));
}

/* Ends a call of the loop. Only the active socket has a deadline, which may be another now because of
 * what has come to another socket, or of an error (NULL); that of the owner also because of served().
 * Returns the deadline of this socket. */
static guint64
finish (GstTfrcPort *port, const GstTfrcEndpoint *endpoint, guint64 now_ns)
    GST_TFRC_RELEASE (gst_tfrc_port_mutex)
{
  gboolean must_emit = port->methods->served (port->owner, now_ns);
  guint64 deadline_ns = GST_TFRC_IO_NEVER;

  if (endpoint == port->sockets.active.endpoint)
    deadline_ns = get_deadline (port);
  else
    update_deadline (port);
  gst_tfrc_port_mutex_unlock (&port->lock);
  if (must_emit)
    port->methods->emit (port->owner);
  return deadline_ns;
}

/* ---- which flow a datagram is for ----------------------------------------------- */

static GstTfrcFlow *
find_flow (const GstTfrcPort *port, const GstTfrcReceivedPacket *packet)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean is_claimed = port->methods->claims && port->methods->claims (packet->data, packet->size);
  GstTfrcFlow *flow = gst_tfrc_demux_find_packet (
      &port->demux, packet->from, packet->data, packet->size);

  return flow && !is_claimed ? flow : port->strangers;
}

static void
drop (GstTfrcPort *port, guint n) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  port->foreign += n;
  gst_tfrc_log (port, DEBUG, "port %u: %" G_GUINT64_FORMAT " datagrams of no flow",
      gst_tfrc_port_get_number (port), port->foreign);
}

/* Gives datagrams to their flows, runs of them together. They may add and remove other flows, so that each
 * flow is looked up when its turn has come. */
static void
dispatch (GstTfrcPort *port, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint run;

  for (; n > 0; packets += run, n -= run) {
    GstTfrcFlow *flow = find_flow (port, packets);

    for (run = 1; run < n && find_flow (port, &packets[run]) == flow; run++)
      ;
    if (flow) {
      flow->klass->on_datagrams (flow, packets, run, now_ns);
      mark (port, flow);
    } else {
      drop (port, run);
    }
  }
}

/* ---- the loop's calls ------------------------------------------------------------ */

static guint64
on_packets (gpointer user, GstTfrcEndpoint *endpoint, const GstTfrcReceivedPacket *packets, guint n,
    guint64 now_ns)
{
  GstTfrcPort *port = user;

  gst_tfrc_port_mutex_lock (&port->lock);
  gst_tfrc_port_sockets_on_packets (&port->sockets, endpoint, now_ns);
  dispatch (port, packets, n, now_ns);
  serve_marked (port, now_ns);
  return finish (port, endpoint, now_ns);
}

static guint64
on_deadline (gpointer user, GstTfrcEndpoint *endpoint, guint64 now_ns)
{
  GstTfrcPort *port = user;

  gst_tfrc_port_mutex_lock (&port->lock);
  mark_due (port, now_ns);
  serve_marked (port, now_ns);
  return finish (port, endpoint, now_ns);
}

/* An error without a destination may be any flow's. One for an address that no flow is bound to (any more)
 * is for the strangers' flow or for nobody. */
static void
handle_error (
    GstTfrcPort *port, gint error, const GstTfrcAddress *destination, gboolean by_rtcp_port)
{
  gboolean is_any = gst_tfrc_address_family (destination) == AF_UNSPEC;
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  GstTfrcFlow *flow;

  gst_tfrc_port_mutex_lock (&port->lock);
  flow = gst_tfrc_demux_find_at (&port->demux, destination);
  flow = flow ? flow : port->strangers;
  for (guint i = 0; i < port->flows->len; i++) {
    GstTfrcFlow *each = g_ptr_array_index (port->flows, i);

    if (is_any || each == flow) {
      each->klass->on_error (each, error, destination, by_rtcp_port, now_ns);
      gst_tfrc_port_note_deadline (port, each);
    }
  }
  gst_tfrc_log (
      port, LOG, "port %u: ICMP error: %s", gst_tfrc_port_get_number (port), g_strerror (error));
  finish (port, NULL, now_ns);
}

static void
on_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  handle_error (user, error, destination, FALSE);
}

static void
on_rtcp_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  handle_error (user, error, destination, TRUE);
}

static const GstTfrcEndpointCallbacks callbacks = { on_packets, on_deadline, on_error };
static const GstTfrcEndpointCallbacks rtcp_callbacks = { on_packets, on_deadline, on_rtcp_error };

/* ---- life -------------------------------------------------------------------------- */

GstTfrcPort *
gst_tfrc_port_new (const GstTfrcSocketConfig *config, const GstTfrcPortOwner *methods,
    gpointer owner, GError **error)
{
  GstTfrcPort *port = g_new0 (GstTfrcPort, 1);
  GstTfrcEndpoint *endpoint = gst_tfrc_endpoint_open (config, &callbacks, port, error);

  if (endpoint == NULL) {
    g_free (port);
    return NULL;
  }
  port->methods = methods;
  port->owner = owner;
  port->socket_config = *config;
  port->socket_config.bind_address = NULL;
  port->socket_config.bind_port = gst_tfrc_address_port (gst_tfrc_endpoint_get_address (endpoint));
  gst_tfrc_port_mutex_init (&port->lock);
  gst_tfrc_port_mutex_assume (&port->lock); /* no other thread knows the port yet */
  gst_tfrc_port_sockets_init (&port->sockets, endpoint, gst_tfrc_clock_now_ns ());
  port->flows = g_ptr_array_new ();
  gst_tfrc_demux_init (&port->demux);
  gst_tfrc_deadline_queue_init (&port->deadlines);
  gst_tfrc_log (port, INFO, "port %u is open", port->socket_config.bind_port);
  return port;
}

gboolean
gst_tfrc_port_open_rtcp (
    GstTfrcPort *port, const GstTfrcSocketConfig *config, guint16 rtcp_port, GError **error)
{
  port->rtcp = gst_tfrc_port_sockets_open_rtcp (
      config, port->socket_config.bind_port, rtcp_port, &rtcp_callbacks, port, error);
  return port->rtcp != NULL;
}

static gboolean
start (
    GstTfrcEndpoint *endpoint, const GstTfrcEndpoint *beside, gboolean limit_reads, GError **error)
{
  if (!gst_tfrc_endpoint_start (endpoint, beside, error))
    return FALSE;
  if (limit_reads)
    gst_tfrc_endpoint_limit_reads (endpoint);
  return TRUE;
}

gboolean
gst_tfrc_port_start (GstTfrcPort *port, gboolean limit_reads, GError **error)
{
  GstTfrcEndpoint *endpoint;

  gst_tfrc_port_mutex_lock (&port->lock);
  endpoint = port->sockets.active.endpoint;
  gst_tfrc_port_mutex_unlock (&port->lock);
  if (!start (endpoint, NULL, limit_reads, error)
      || (port->rtcp && !start (port->rtcp, endpoint, limit_reads, error)))
    return FALSE;
  port->turnstile = gst_tfrc_endpoint_get_turnstile (endpoint);
  /* The thread of the loop may have served the port already. */
  gst_tfrc_port_mutex_lock (&port->lock);
  update_deadline (port);
  gst_tfrc_port_mutex_unlock (&port->lock);
  return TRUE;
}

void
gst_tfrc_port_stop (GstTfrcPort *port)
{
  GstTfrcEndpoint *old, *active;

  gst_tfrc_port_mutex_lock (&port->lock);
  old = gst_tfrc_port_sockets_take_old (&port->sockets);
  active = port->sockets.active.endpoint;
  gst_tfrc_port_mutex_unlock (&port->lock);
  gst_tfrc_endpoint_close (old);
  if (port->rtcp)
    gst_tfrc_endpoint_stop (port->rtcp);
  gst_tfrc_endpoint_stop (active);
}

void
gst_tfrc_port_flush (GstTfrcPort *port)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  gst_tfrc_port_mutex_lock (&port->lock);
  for (guint i = 0; i < port->flows->len; i++)
    pump (port, g_ptr_array_index (port->flows, i), now_ns);
  gst_tfrc_port_mutex_unlock (&port->lock);
}

void
gst_tfrc_port_free (GstTfrcPort *port)
{
  if (port == NULL)
    return;
  gst_tfrc_port_mutex_assume (&port->lock); /* the loop has stopped */
  gst_tfrc_endpoint_close (port->rtcp);
  gst_tfrc_endpoint_close (port->sockets.active.endpoint);
  gst_tfrc_demux_clear (&port->demux);
  gst_tfrc_deadline_queue_clear (&port->deadlines);
  g_ptr_array_unref (port->flows);
  gst_tfrc_port_mutex_clear (&port->lock);
  g_free (port);
}

void
gst_tfrc_port_close_inherited (GstTfrcPort *port)
{
  if (port == NULL)
    return;
  gst_tfrc_port_mutex_assume (&port->lock);
  gst_tfrc_endpoint_close_inherited (port->rtcp);
  if (port->sockets.old.endpoint != port->sockets.active.endpoint)
    gst_tfrc_endpoint_close_inherited (port->sockets.old.endpoint);
  gst_tfrc_endpoint_close_inherited (port->sockets.active.endpoint);
}

/* ---- the lock ------------------------------------------------------------------------ */

void
gst_tfrc_port_lock (GstTfrcPort *port)
{
  gst_tfrc_port_mutex_lock (&port->lock);
}

void
gst_tfrc_port_unlock (GstTfrcPort *port)
{
  gst_tfrc_port_mutex_unlock (&port->lock);
}

void
gst_tfrc_port_wait (GstTfrcPort *port, GCond *cond, guint64 until_ns)
{
  if (until_ns == G_MAXUINT64)
    gst_tfrc_port_mutex_wait (&port->lock, cond);
  else
    gst_tfrc_port_mutex_wait_until (&port->lock, cond, (gint64) (until_ns / 1000 + 1));
}

void
gst_tfrc_port_assume_locked (GstTfrcPort *port)
{
  gst_tfrc_port_mutex_assume (&port->lock);
}

/* ---- flows --------------------------------------------------------------------------- */

void
gst_tfrc_port_add_flow (GstTfrcPort *port, GstTfrcFlow *flow)
{
  g_ptr_array_add (port->flows, flow);
  /* A flow that datagrams have made is served in the same turn as they are. */
  mark (port, flow);
  gst_tfrc_port_serve_soon (port, flow);
}

static void
unmark (GstTfrcPort *port, GstTfrcFlow *flow) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  for (GstTfrcFlow **link = &port->served; *link; link = &(*link)->next_served) {
    if (*link == flow) {
      *link = flow->next_served;
      break;
    }
  }
  flow->is_served = FALSE;
}

void
gst_tfrc_port_remove_flow (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_deadline_queue_set (&port->deadlines, &flow->node, G_MAXUINT64);
  unmark (port, flow);
  g_ptr_array_remove_fast (port->flows, flow);
  if (port->strangers == flow)
    port->strangers = NULL;
}

void
gst_tfrc_port_set_strangers (GstTfrcPort *port, GstTfrcFlow *flow)
{
  port->strangers = flow;
}

void
gst_tfrc_port_bind (
    GstTfrcPort *port, GstTfrcFlow *flow, const GstTfrcAddress *address, guint32 ssrc)
{
  gst_tfrc_demux_add (&port->demux, address, ssrc, flow);
}

void
gst_tfrc_port_unbind (GstTfrcPort *port, const GstTfrcAddress *address, guint32 ssrc)
{
  gst_tfrc_demux_remove (&port->demux, address, ssrc);
}

void
gst_tfrc_port_reschedule (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_port_note_deadline (port, flow);
  update_deadline (port);
}

void
gst_tfrc_port_reschedule_owner (GstTfrcPort *port)
{
  update_deadline (port);
}

void
gst_tfrc_port_serve_soon (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_deadline_queue_set (&port->deadlines, &flow->node, 0);
  update_deadline (port);
}

guint64
gst_tfrc_port_get_foreign (const GstTfrcPort *port)
{
  return port->foreign;
}

/* ---- paths --------------------------------------------------------------------------- */

GstTfrcEndpoint *
gst_tfrc_port_open_beside (
    GstTfrcPort *port, const GstTfrcAddress *local, gboolean test, GError **error)
{
  GstTfrcEndpoint *active,
      *endpoint = gst_tfrc_port_sockets_open_at (
          &port->socket_config, local, test, &callbacks, port, error);

  if (endpoint == NULL)
    return NULL;
  gst_tfrc_port_mutex_lock (&port->lock);
  active = port->sockets.active.endpoint;
  gst_tfrc_port_mutex_unlock (&port->lock);
  /* No other thread closes a socket of the port meanwhile. */
  if (test || !gst_tfrc_endpoint_start (endpoint, active, error))
    g_clear_pointer (&endpoint, gst_tfrc_endpoint_close);
  return endpoint;
}

GstTfrcPortSockets *
gst_tfrc_port_get_sockets (GstTfrcPort *port)
{
  return &port->sockets;
}

GstTfrcEndpoint *
gst_tfrc_port_ref_socket (GstTfrcPort *port)
{
  GstTfrcEndpoint *endpoint;

  gst_tfrc_port_mutex_lock (&port->lock);
  endpoint = gst_tfrc_endpoint_ref (port->sockets.active.endpoint);
  gst_tfrc_port_mutex_unlock (&port->lock);
  return endpoint;
}

/* ---- queries --------------------------------------------------------------------------- */

GstTfrcTurnstile *
gst_tfrc_port_get_turnstile (GstTfrcPort *port)
{
  return port->turnstile;
}

guint16
gst_tfrc_port_get_number (const GstTfrcPort *port)
{
  return port->socket_config.bind_port;
}
