/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a port begins and ends, see port.h. */
#include "../common/clock.h"
#include "../common/log.h"
#include "port-private.h"

/* ---- the beginning -------------------------------------------------------------------- */

GstTfrcPort *
gst_tfrc_port_new (const GstTfrcSocketConfig *config, GstTfrcTenant *tenant, GError **error)
{
  GstTfrcPort *port = g_new0 (GstTfrcPort, 1);
  GstTfrcEndpoint *endpoint = gst_tfrc_endpoint_open (
      config, &gst_tfrc_port_callbacks, port, error);

  if (endpoint == NULL) {
    g_free (port);
    return NULL;
  }
  port->refs = 1;
  port->socket_config = *config;
  port->socket_config.bind_address = NULL;
  port->socket_config.bind_port = gst_tfrc_address_port (gst_tfrc_endpoint_get_address (endpoint));
  gst_tfrc_port_mutex_init (&port->lock);
  g_cond_init (&port->turned);
  gst_tfrc_port_mutex_assume (&port->lock); /* no other thread knows the port yet */
  gst_tfrc_port_sockets_init (&port->sockets, endpoint, gst_tfrc_clock_now_ns ());
  port->flows = g_ptr_array_new ();
  gst_tfrc_demux_init (&port->demux);
  gst_tfrc_deadline_queue_init (&port->deadlines);
  gst_tfrc_tenants_init (&port->tenants);
  gst_tfrc_tenants_add (&port->tenants, tenant);
  gst_tfrc_log (port, INFO, "port %u is open", port->socket_config.bind_port);
  return port;
}

gboolean
gst_tfrc_port_open_rtcp (
    GstTfrcPort *port, const GstTfrcSocketConfig *config, guint16 rtcp_port, GError **error)
{
  port->rtcp = gst_tfrc_port_sockets_open_rtcp (
      config, port->socket_config.bind_port, rtcp_port, &gst_tfrc_port_rtcp_callbacks, port, error);
  return port->rtcp != NULL;
}

GstTfrcEndpoint *
gst_tfrc_port_get_rtcp_socket (const GstTfrcPort *port)
{
  return port->rtcp;
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
gst_tfrc_port_start (GstTfrcPort *port, GstTfrcTenant *tenant, gboolean limit_reads, GError **error)
{
  GstTfrcEndpoint *endpoint;

  gst_tfrc_port_mutex_lock (&port->lock);
  endpoint = gst_tfrc_port_sockets_get_active (&port->sockets);
  gst_tfrc_port_mutex_unlock (&port->lock);
  if (!start (endpoint, NULL, limit_reads, error)
      || (port->rtcp && !start (port->rtcp, endpoint, limit_reads, error)))
    return FALSE;
  port->turnstile = gst_tfrc_endpoint_get_turnstile (endpoint);
  /* The thread of the loop may have served the port already. */
  gst_tfrc_port_mutex_lock (&port->lock);
  gst_tfrc_port_reschedule_owner (port, tenant);
  gst_tfrc_port_mutex_unlock (&port->lock);
  return TRUE;
}

void
gst_tfrc_port_join (GstTfrcPort *port, GstTfrcTenant *tenant)
{
  g_atomic_int_inc (&port->refs);
  gst_tfrc_tenants_add (&port->tenants, tenant);
}

/* ---- flows that wait ---------------------------------------------------------------------- */

void
gst_tfrc_port_hold_flow (GstTfrcPort *port, GstTfrcFlow *flow)
{
  gst_tfrc_flow_hold (flow);
  gst_tfrc_port_note_deadline (port, flow);
}

void
gst_tfrc_port_release_flow (GstTfrcPort *port, GstTfrcFlow *flow)
{
  if (gst_tfrc_flow_release (flow))
    gst_tfrc_port_serve_soon (port, flow);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void
stop_loop (GstTfrcPort *port) GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  GstTfrcEndpoint *old, *active;

  gst_tfrc_port_mutex_lock (&port->lock);
  old = gst_tfrc_port_sockets_take_old (&port->sockets);
  active = gst_tfrc_port_sockets_get_active (&port->sockets);
  gst_tfrc_port_mutex_unlock (&port->lock);
  gst_tfrc_endpoint_close (old);
  if (port->rtcp)
    gst_tfrc_endpoint_stop (port->rtcp);
  gst_tfrc_endpoint_stop (active);
}

/* The last words leave on this thread, as the loop serves the port no more. */
static void
leave_last (GstTfrcPort *port, GstTfrcTenant *tenant) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();

  gst_tfrc_tenant_say_leaving (tenant);
  for (guint i = 0; i < port->flows->len; i++)
    gst_tfrc_port_pump (port, g_ptr_array_index (port->flows, i), now_ns);
}

/* The loop goes on for the others, and sends the last words. */
static void
leave_others (GstTfrcPort *port, GstTfrcTenant *tenant) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  gst_tfrc_tenant_say_leaving (tenant);
  gst_tfrc_port_ask_to_leave (port, tenant);
  port->n_leaving++;
  while (!gst_tfrc_port_has_left (port, tenant))
    gst_tfrc_port_wait (port, &port->turned, G_MAXUINT64);
  port->n_leaving--;
}

void
gst_tfrc_port_leave (GstTfrcPort *port, GstTfrcTenant *tenant)
{
  gboolean is_alone, is_empty;

  gst_tfrc_port_mutex_lock (&port->lock);
  is_alone = gst_tfrc_tenants_get_number (&port->tenants) == 1;
  if (is_alone) {
    gst_tfrc_port_mutex_unlock (&port->lock);
    stop_loop (port);
    gst_tfrc_port_mutex_lock (&port->lock);
    leave_last (port, tenant);
  } else {
    leave_others (port, tenant);
  }
  gst_tfrc_port_remove_flows_of (port, tenant);
  gst_tfrc_tenants_remove (&port->tenants, tenant);
  is_empty = gst_tfrc_tenants_get_number (&port->tenants) == 0;
  gst_tfrc_port_mutex_unlock (&port->lock);
  /* Two that leave at once have both waited for the loop. */
  if (is_empty && !is_alone)
    stop_loop (port);
}

void
gst_tfrc_port_unref (GstTfrcPort *port)
{
  if (port == NULL || !g_atomic_int_dec_and_test (&port->refs))
    return;
  gst_tfrc_port_mutex_assume (&port->lock); /* the loop has stopped */
  gst_tfrc_endpoint_close (port->rtcp);
  gst_tfrc_endpoint_close (gst_tfrc_port_sockets_get_active (&port->sockets));
  gst_tfrc_demux_clear (&port->demux);
  gst_tfrc_deadline_queue_clear (&port->deadlines);
  gst_tfrc_tenants_clear (&port->tenants);
  g_ptr_array_unref (port->flows);
  g_cond_clear (&port->turned);
  gst_tfrc_port_mutex_clear (&port->lock);
  g_free (port);
}

void
gst_tfrc_port_close_inherited (GstTfrcPort *port)
{
  if (port == NULL || port->is_given_up)
    return;
  port->is_given_up = TRUE;
  gst_tfrc_port_mutex_assume (&port->lock);
  gst_tfrc_endpoint_close_inherited (port->rtcp);
  if (gst_tfrc_port_sockets_get_old (&port->sockets)
      != gst_tfrc_port_sockets_get_active (&port->sockets))
    gst_tfrc_endpoint_close_inherited (gst_tfrc_port_sockets_get_old (&port->sockets));
  gst_tfrc_endpoint_close_inherited (gst_tfrc_port_sockets_get_active (&port->sockets));
}
