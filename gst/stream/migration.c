/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Migrations of a receiver, see migration.h. */
#include "migration.h"

#include "../common/clock.h"
#include "../io/routes.h"

struct _GstTfrcMigration
{
  GstTfrcPort *port;
  GstTfrcReceiveFlow *flow;
  GstTfrcIntake *intake; /* of the flow */
  gboolean is_patient GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  /* the sender that the kernel's route is known for ... */
  GstTfrcAddress routed_to GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  /* ... and that route */
  GstTfrcLocalPath route GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
};

GstTfrcMigration *
gst_tfrc_migration_new (GstTfrcPort *port, GstTfrcReceiveFlow *flow)
{
  GstTfrcMigration *self = g_new0 (GstTfrcMigration, 1);

  self->port = port;
  self->flow = flow;
  self->intake = gst_tfrc_receive_flow_get_intake (flow);
  return self;
}

void
gst_tfrc_migration_free (GstTfrcMigration *self)
{
  g_free (self);
}

void
gst_tfrc_migration_set_patient (GstTfrcMigration *self, gboolean patient)
{
  self->is_patient = patient;
  gst_tfrc_port_sockets_set_patient (gst_tfrc_port_get_sockets (self->port), patient);
}

/* ---- the address of a path ----------------------------------------------- */

/* Returns whether this host has the address: then a socket can be bound to it. */
static gboolean
check_address (GstTfrcMigration *self, const GstTfrcAddress *local, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  GError *problem = NULL;

  if (gst_tfrc_address_family (local) == AF_UNSPEC)
    return TRUE;
  gst_tfrc_port_open_beside (self->port, local, TRUE, &problem);
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}

static gboolean
get_sender (GstTfrcMigration *self, GstTfrcAddress *sender) GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  const GstTfrcReception *reception;

  gst_tfrc_port_lock (self->port);
  reception = gst_tfrc_intake_get_reception (self->intake);
  if (reception)
    *sender = *gst_tfrc_reception_get_address (reception);
  gst_tfrc_port_unlock (self->port);
  return reception != NULL;
}

static gboolean
check_family (GstTfrcMigration *self, const GstTfrcAddress *local, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  gint family = gst_tfrc_address_family (local);
  GstTfrcAddress sender;

  if (family == AF_UNSPEC || !get_sender (self, &sender)
      || gst_tfrc_address_family (&sender) == AF_UNSPEC
      || gst_tfrc_address_family (&sender) == family)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "The address is of another IP version than the sender's");
  return FALSE;
}

/* ---- the old socket ------------------------------------------------------ */

/* Packets may still come to the old socket until the handover is over. */
guint64
gst_tfrc_migration_next_ns (const GstTfrcMigration *self)
{
  const GstTfrcReception *reception = gst_tfrc_intake_get_reception (self->intake);

  if (reception && gst_tfrc_reception_is_in_handover (reception))
    return G_MAXUINT64;
  return gst_tfrc_port_sockets_idle_ns (gst_tfrc_port_get_sockets (self->port));
}

gboolean
gst_tfrc_migration_served (GstTfrcMigration *self, guint64 now_ns)
{
  GstTfrcPortSockets *sockets = gst_tfrc_port_get_sockets (self->port);
  GstTfrcAddress local;

  if (gst_tfrc_intake_take_left_path (self->intake, &local))
    gst_tfrc_port_sockets_go_back (sockets, &local);
  if (now_ns < gst_tfrc_migration_next_ns (self))
    return FALSE;
  gst_tfrc_port_sockets_set_reported (sockets, TRUE);
  return TRUE;
}

void
gst_tfrc_migration_close_old_socket (GstTfrcMigration *self)
{
  GstTfrcEndpoint *endpoint = NULL;
  GstTfrcPortSockets *sockets;

  gst_tfrc_port_lock (self->port);
  sockets = gst_tfrc_port_get_sockets (self->port);
  if (gst_tfrc_port_sockets_is_reported (sockets)) {
    gst_tfrc_port_sockets_set_reported (sockets, FALSE);
    if (gst_tfrc_migration_next_ns (self) <= gst_tfrc_clock_now_ns ())
      endpoint = gst_tfrc_port_sockets_take_old (sockets);
    gst_tfrc_port_update_deadline (self->port);
  }
  gst_tfrc_port_unlock (self->port);
  gst_tfrc_endpoint_close (endpoint);
}

/* ---- migrating --------------------------------------------------------- */

/* @opened: NULL, or a new socket for the path
 * @return the socket that the caller closes, without the lock */
static GstTfrcEndpoint *
change_path (GstTfrcMigration *self, const GstTfrcSrcHandover *handover, GstTfrcEndpoint *opened)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  GstTfrcEndpoint *replaced = gst_tfrc_port_sockets_migrate (
      gst_tfrc_port_get_sockets (self->port), &handover->path.local, opened, now_ns);

  gst_tfrc_intake_start_handover (
      self->intake, &handover->path, handover->bandwidth_bps, handover->suppress_echo, now_ns);
  gst_tfrc_migration_set_patient (self, self->is_patient);
  gst_tfrc_port_reschedule (self->port, gst_tfrc_receive_flow_base (self->flow));
  return replaced;
}

/* @handover->path is known. */
static gboolean
migrate (GstTfrcMigration *self, const GstTfrcSrcHandover *handover, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  const GstTfrcAddress *local = &handover->path.local;
  GstTfrcEndpoint *opened = NULL, *replaced;
  gboolean needs_another;

  if (!check_family (self, local, error) || !check_address (self, local, error))
    return FALSE;
  gst_tfrc_port_lock (self->port);
  needs_another = !gst_tfrc_port_sockets_serve (gst_tfrc_port_get_sockets (self->port), local);
  gst_tfrc_port_unlock (self->port);
  if (needs_another) {
    opened = gst_tfrc_port_open_beside (self->port, local, FALSE, error);
    if (opened == NULL)
      return FALSE;
  }
  gst_tfrc_port_lock (self->port);
  replaced = change_path (self, handover, opened);
  gst_tfrc_port_unlock (self->port);
  gst_tfrc_endpoint_close (replaced);
  return TRUE;
}

/* ---- the kernel's route ------------------------------------------------ */

static gboolean
get_route_to_sender (GstTfrcMigration *self, GstTfrcLocalPath *route, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_port_mutex)
{
  GstTfrcAddress sender;

  if (get_sender (self, &sender))
    return gst_tfrc_route_get (&sender, route, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "No sender has been heard yet");
  return FALSE;
}

gboolean
gst_tfrc_migration_start (
    GstTfrcMigration *self, const GstTfrcSrcHandover *handover, GError **error)
{
  GstTfrcSrcHandover to = *handover;

  return (!gst_tfrc_path_is_unspecified (&to.path) || get_route_to_sender (self, &to.path, error))
      && migrate (self, &to, error);
}

/* Returns whether the kernel's route to the sender has changed, and is not over the active path. */
static gboolean
has_changed (GstTfrcMigration *self, const GstTfrcAddress *sender, const GstTfrcLocalPath *route)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  const GstTfrcLocalPath *active = gst_tfrc_receive_paths_get_active (
      gst_tfrc_intake_get_paths (self->intake));

  return gst_tfrc_address_equal (&self->routed_to, sender)
      && !gst_tfrc_path_matches (&self->route, route)
      && (gst_tfrc_path_is_unspecified (active) || !gst_tfrc_path_matches (active, route));
}

void
gst_tfrc_migration_follow_route (GstTfrcMigration *self)
{
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };
  GstTfrcAddress sender;
  gboolean changed;

  if (!get_sender (self, &sender) || !gst_tfrc_route_get (&sender, &handover.path, NULL))
    return;
  gst_tfrc_port_lock (self->port);
  changed = has_changed (self, &sender, &handover.path);
  gst_tfrc_port_unlock (self->port);
  /* The route stays the one of before while its address cannot be used: the next call tries again.
   */
  if (changed && !gst_tfrc_migration_start (self, &handover, NULL))
    return;
  gst_tfrc_port_lock (self->port);
  self->routed_to = sender;
  self->route = handover.path;
  gst_tfrc_port_unlock (self->port);
}
