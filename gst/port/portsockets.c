/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sockets of a port, see portsockets.h. */
#include "portsockets.h"

#include <netdb.h>

#include <string.h>

/* Packets that are under way to the old endpoint come within this time, or never. */
#define OLD_ENDPOINT_IDLE_NS (5 * G_GUINT64_CONSTANT (1000000000))

static gboolean
is_bound_to (const GstTfrcPortSocket *self, const GstTfrcAddress *local)
{
  return self->endpoint
      && gst_tfrc_address_same_host (gst_tfrc_endpoint_get_address (self->endpoint), local);
}

/* Returns whether the active endpoint receives what comes to this address. */
static gboolean
active_serves (const GstTfrcPortSockets *self, const GstTfrcAddress *local)
{
  return gst_tfrc_address_family (local) == AF_UNSPEC
      || !gst_tfrc_address_is_unicast (gst_tfrc_endpoint_get_address (self->active.endpoint))
      || is_bound_to (&self->active, local);
}

static void
swap (GstTfrcPortSockets *self)
{
  GstTfrcPortSocket active = self->active;

  self->active = self->old;
  self->old = active;
  self->old_idle_reported = FALSE;
}

void
gst_tfrc_port_sockets_init (GstTfrcPortSockets *self, GstTfrcEndpoint *endpoint, guint64 now_ns)
{
  memset (self, 0, sizeof *self);
  self->active.endpoint = endpoint;
  self->active.heard_ns = now_ns;
}

GstTfrcEndpoint *
gst_tfrc_port_sockets_get_active (const GstTfrcPortSockets *self)
{
  return self->active.endpoint;
}

GstTfrcEndpoint *
gst_tfrc_port_sockets_get_old (const GstTfrcPortSockets *self)
{
  return self->old.endpoint;
}

void
gst_tfrc_port_sockets_on_packets (
    GstTfrcPortSockets *self, const GstTfrcEndpoint *endpoint, guint64 now_ns)
{
  if (endpoint == self->active.endpoint)
    self->active.heard_ns = now_ns;
  else if (endpoint == self->old.endpoint)
    self->old.heard_ns = now_ns;
}

gboolean
gst_tfrc_port_sockets_serve (const GstTfrcPortSockets *self, const GstTfrcAddress *local)
{
  return active_serves (self, local) || is_bound_to (&self->old, local);
}

GstTfrcEndpoint *
gst_tfrc_port_sockets_migrate (
    GstTfrcPortSockets *self, const GstTfrcAddress *local, GstTfrcEndpoint *opened, guint64 now_ns)
{
  GstTfrcEndpoint *replaced = NULL;

  if (opened) {
    replaced = self->old.endpoint;
    self->old.endpoint = opened;
    self->old.heard_ns = now_ns;
  }
  if (!active_serves (self, local))
    swap (self);
  self->old.heard_ns = now_ns;
  return replaced;
}

void
gst_tfrc_port_sockets_go_back (GstTfrcPortSockets *self, const GstTfrcAddress *local)
{
  if (is_bound_to (&self->old, local))
    swap (self);
}

guint64
gst_tfrc_port_sockets_idle_ns (const GstTfrcPortSockets *self)
{
  if (self->old.endpoint == NULL || self->old_idle_reported)
    return G_MAXUINT64;
  return self->old.heard_ns + OLD_ENDPOINT_IDLE_NS;
}

void
gst_tfrc_port_sockets_set_reported (GstTfrcPortSockets *self, gboolean reported)
{
  self->old_idle_reported = reported;
}

gboolean
gst_tfrc_port_sockets_is_reported (const GstTfrcPortSockets *self)
{
  return self->old_idle_reported;
}

GstTfrcEndpoint *
gst_tfrc_port_sockets_take_old (GstTfrcPortSockets *self)
{
  return g_steal_pointer (&self->old.endpoint);
}

GstTfrcEndpoint *
gst_tfrc_port_sockets_open_at (const GstTfrcSocketConfig *config, const GstTfrcAddress *local,
    gboolean test, const GstTfrcEndpointCallbacks *callbacks, gpointer owner, GError **error)
{
  GstTfrcSocketConfig there = *config;
  gchar host[NI_MAXHOST];

  getnameinfo (&local->u.any, local->len, host, sizeof host, NULL, 0, NI_NUMERICHOST);
  there.bind_address = host;
  if (test)
    there.bind_port = 0;
  return gst_tfrc_endpoint_open (&there, callbacks, owner, error);
}

void
gst_tfrc_port_sockets_set_patient (GstTfrcPortSockets *self, gboolean patient)
{
  gst_tfrc_endpoint_set_patient (self->active.endpoint, patient);
  if (self->old.endpoint)
    gst_tfrc_endpoint_set_patient (self->old.endpoint, patient);
}

GstTfrcEndpoint *
gst_tfrc_port_sockets_open_rtcp (const GstTfrcSocketConfig *config, guint16 data_port,
    guint16 rtcp_port, const GstTfrcEndpointCallbacks *callbacks, gpointer owner, GError **error)
{
  GstTfrcSocketConfig rtcp = *config;
  GstTfrcEndpoint *endpoint = NULL;

  rtcp.bind_port = rtcp_port != 0 ? rtcp_port : (guint16) (data_port + 1);
  if (rtcp_port == 0 && config->bind_port == 0 && rtcp.bind_port != 0) {
    endpoint = gst_tfrc_endpoint_open (&rtcp, callbacks, owner, NULL);
    rtcp.bind_port = 0;
  }
  return endpoint ? endpoint : gst_tfrc_endpoint_open (&rtcp, callbacks, owner, error);
}
