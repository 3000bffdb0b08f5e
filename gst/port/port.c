/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports, see port.h. */
#include "../common/clock.h"
#include "../common/log.h"
#include "outlets.h"
#include "port-private.h"

/* Polls of one flow in one go. A flow limits itself (GstTfrcFlowClass); one that does not is stopped. */
#define MAX_POLLS 64

/* ---- the pump -------------------------------------------------------------- */

static GstTfrcOutlets
take_outlets (const GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcOutlets outlets = { port->sockets.active.endpoint, port->sockets.old.endpoint,
    port->rtcp };

  gst_tfrc_outlets_ref (&outlets);
  return outlets;
}

void
gst_tfrc_port_pump (GstTfrcPort *port, GstTfrcFlow *flow, guint64 now_ns)
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

static gboolean
is_served_now (const GstTfrcFlow *flow)
{
  return flow->stay == GST_TFRC_FLOW_STAYS || flow->stay == GST_TFRC_FLOW_LEAVES;
}

void
gst_tfrc_port_note_deadline (GstTfrcPort *port, GstTfrcFlow *flow)
{
  guint64 deadline_ns = flow->stay == GST_TFRC_FLOW_LEAVES ? 0 : flow->klass->deadline (flow);

  gst_tfrc_deadline_queue_set (
      &port->deadlines, &flow->node, is_served_now (flow) ? deadline_ns : G_MAXUINT64);
}

/* A flow that is asked to leave meanwhile, with the lock released, is served once more. */
static void
serve (GstTfrcPort *port, GstTfrcFlow *flow, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean is_last_time = flow->stay == GST_TFRC_FLOW_LEAVES;

  flow->klass->on_time (flow, now_ns);
  gst_tfrc_port_pump (port, flow, now_ns);
  if (is_last_time)
    flow->stay = GST_TFRC_FLOW_HAS_LEFT;
  gst_tfrc_port_note_deadline (port, flow);
  gst_tfrc_tenants_flow_served (&port->tenants, flow->tenant, flow, now_ns);
}

/* Serves the flows that were marked. */
static void
serve_marked (GstTfrcPort *port, guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcFlow *flow;

  while ((flow = port->served)) {
    port->served = flow->next_served;
    flow->is_served = FALSE;
    if (is_served_now (flow))
      serve (port, flow, now_ns);
  }
}

static guint64
get_deadline (GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return MIN (gst_tfrc_deadline_queue_next_ns (&port->deadlines),
      gst_tfrc_tenants_next_ns (&port->tenants));
}

/* With the lock: otherwise the thread of the loop could set a newer deadline before this older one. */
void
gst_tfrc_port_update_deadline (GstTfrcPort *port)
{
  gst_tfrc_endpoint_set_deadline (port->sockets.active.endpoint, get_deadline (port));
}

/* Tells the application, with the lock released for each owner that has something to tell. */
static void
tell (GstTfrcPort *port) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcTenant *tenant;

  while ((tenant = gst_tfrc_tenants_begin_to_tell (&port->tenants))) {
    gst_tfrc_port_mutex_unlock (&port->lock);
    gst_tfrc_tenant_emit (tenant);
    gst_tfrc_port_mutex_lock (&port->lock);
    gst_tfrc_tenants_end_telling (&port->tenants);
  }
}

/* Ends a call of the loop. Only the active socket has a deadline, which may be another now because of
 * what has come to another socket, or of an error (NULL); that of an owner also because of served().
 * Returns the deadline of this socket. */
static guint64
finish (GstTfrcPort *port, const GstTfrcEndpoint *endpoint, guint64 now_ns)
    GST_TFRC_RELEASE (gst_tfrc_port_mutex)
{
  guint64 deadline_ns = GST_TFRC_IO_NEVER;

  gst_tfrc_tenants_served (&port->tenants, now_ns);
  tell (port);
  if (port->n_leaving > 0)
    g_cond_broadcast (&port->turned);
  if (endpoint == port->sockets.active.endpoint)
    deadline_ns = get_deadline (port);
  else
    gst_tfrc_port_update_deadline (port);
  gst_tfrc_port_mutex_unlock (&port->lock);
  return deadline_ns;
}

/* ---- which flow a datagram is for ----------------------------------------------- */

static GstTfrcFlow *
find_flow (const GstTfrcPort *port, const GstTfrcReceivedPacket *packet)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gboolean is_claimed = port->strangers && port->strangers->klass->claims
      && port->strangers->klass->claims (packet->data, packet->size);
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
  for (guint i = 0, n = is_any ? port->flows->len : flow != NULL; i < n; i++) {
    GstTfrcFlow *each = is_any ? g_ptr_array_index (port->flows, i) : flow;

    each->klass->on_error (each, error, destination, by_rtcp_port, now_ns);
    gst_tfrc_port_note_deadline (port, each);
    gst_tfrc_tenants_mark (&port->tenants, each->tenant);
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

const GstTfrcEndpointCallbacks gst_tfrc_port_callbacks = { on_packets, on_deadline, on_error };
const GstTfrcEndpointCallbacks gst_tfrc_port_rtcp_callbacks = { on_packets, on_deadline,
  on_rtcp_error };

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
gst_tfrc_port_add_flow (GstTfrcPort *port, GstTfrcTenant *tenant, GstTfrcFlow *flow)
{
  flow->tenant = tenant;
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
gst_tfrc_port_unbind (
    GstTfrcPort *port, const GstTfrcFlow *flow, const GstTfrcAddress *address, guint32 ssrc)
{
  if (gst_tfrc_demux_find (&port->demux, address, ssrc) == flow)
    gst_tfrc_demux_remove (&port->demux, address, ssrc);
}

void
gst_tfrc_port_reschedule (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_port_note_deadline (port, flow);
  gst_tfrc_port_reschedule_owner (port, flow->tenant);
}

void
gst_tfrc_port_reschedule_owner (GstTfrcPort *port, GstTfrcTenant *tenant)
{
  gst_tfrc_tenants_note_deadline (&port->tenants, tenant);
  gst_tfrc_port_update_deadline (port);
}

/* ---- leaving --------------------------------------------------------------------------- */

void
gst_tfrc_port_dismiss_flow (GstTfrcPort *port, GstTfrcFlow *flow)
{
  if (flow->stay == GST_TFRC_FLOW_WAITS)
    flow->stay = GST_TFRC_FLOW_HAS_LEFT; /* nothing has been said that a last word could end */
  if (flow->stay != GST_TFRC_FLOW_STAYS)
    return;
  flow->stay = GST_TFRC_FLOW_LEAVES;
  gst_tfrc_port_serve_soon (port, flow);
}

void
gst_tfrc_port_ask_to_leave (GstTfrcPort *port, const GstTfrcTenant *tenant)
{
  for (guint i = 0; i < port->flows->len; i++) {
    GstTfrcFlow *flow = g_ptr_array_index (port->flows, i);

    if (flow->tenant == tenant)
      gst_tfrc_port_dismiss_flow (port, flow);
  }
}

gboolean
gst_tfrc_port_has_left (GstTfrcPort *port, const GstTfrcTenant *tenant)
{
  for (guint i = 0; i < port->flows->len; i++) {
    const GstTfrcFlow *flow = g_ptr_array_index (port->flows, i);

    if (flow->tenant == tenant && flow->stay != GST_TFRC_FLOW_HAS_LEFT)
      return FALSE;
  }
  return !gst_tfrc_tenants_is_telling (&port->tenants, tenant);
}

void
gst_tfrc_port_remove_flows_of (GstTfrcPort *port, const GstTfrcTenant *tenant)
{
  for (guint i = port->flows->len; i > 0; i--) {
    GstTfrcFlow *flow = g_ptr_array_index (port->flows, i - 1);

    if (flow->tenant == tenant)
      gst_tfrc_port_remove_flow (port, flow);
  }
}

void
gst_tfrc_port_serve_soon (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_deadline_queue_set (&port->deadlines, &flow->node, 0);
  gst_tfrc_port_update_deadline (port);
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
          &port->socket_config, local, test, &gst_tfrc_port_callbacks, port, error);

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
