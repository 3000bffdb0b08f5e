/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source's stream migrates to another path (RFC 9000 section 9): endpoints, path IDs, the
 * kernel's route.  See srcstream.h.
 *
 * Here the receiver itself migrates, and announces that to the sender as a handover, so that TFRC
 * adapts the rate (tfrc_receiver_start_handover()). */
#include "srcstream-private.h"

#include <netdb.h>

#include "../common/clock.h"
#include "../io/routequery.h"

/* ---- endpoints --------------------------------------------------------- */

static GstTfrcEndpoint *
open_endpoint (GstTfrcSrcStream *stream, const GstTfrcAddress *local, guint16 port, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  GstTfrcSocketConfig config = stream->socket_config;
  gchar host[NI_MAXHOST];

  getnameinfo (&local->u.any, local->len, host, sizeof host, NULL, 0, NI_NUMERICHOST);
  config.bind_address = host;
  config.bind_port = port;
  return gst_tfrc_src_stream_open_endpoint (stream, &config, error);
}

static GstTfrcEndpoint *
start_endpoint (GstTfrcSrcStream *stream, const GstTfrcAddress *local,
    const GstTfrcEndpoint *beside, GError **error) GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  GstTfrcEndpoint *endpoint = open_endpoint (stream, local, stream->socket_config.bind_port, error);

  if (endpoint && !gst_tfrc_endpoint_start (endpoint, beside, error))
    g_clear_pointer (&endpoint, gst_tfrc_endpoint_close);
  return endpoint;
}

/* Returns whether this host has the address: then a socket can be bound to it. */
static gboolean
check_address (GstTfrcSrcStream *stream, const GstTfrcAddress *local, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  GstTfrcEndpoint *endpoint;

  if (gst_tfrc_address_family (local) == AF_UNSPEC)
    return TRUE;
  endpoint = open_endpoint (stream, local, 0, error);
  gst_tfrc_endpoint_close (endpoint);
  return endpoint != NULL;
}

static gboolean
get_sender (GstTfrcSrcStream *stream, GstTfrcAddress *sender)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  gboolean known;

  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  known = stream->session != NULL;
  if (known)
    *sender = *gst_tfrc_reception_get_address (stream->session);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  return known;
}

static gboolean
check_family (GstTfrcSrcStream *stream, const GstTfrcAddress *local, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  gint family = gst_tfrc_address_family (local);
  GstTfrcAddress sender;

  if (family == AF_UNSPEC || !get_sender (stream, &sender)
      || gst_tfrc_address_family (&sender) == AF_UNSPEC
      || gst_tfrc_address_family (&sender) == family)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "The address is of another IP version than the sender's");
  return FALSE;
}

void
gst_tfrc_src_stream_close_old_endpoint (GstTfrcSrcStream *stream)
{
  GstTfrcEndpoint *endpoint = NULL;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  if (stream->endpoints.old_idle_reported) {
    gst_tfrc_src_endpoints_set_reported (&stream->endpoints, FALSE);
    if (gst_tfrc_src_stream_old_endpoint_idle_ns (stream) <= gst_tfrc_clock_now_ns ())
      endpoint = gst_tfrc_src_endpoints_take_old (&stream->endpoints);
    gst_tfrc_src_stream_update_deadline (stream);
  }
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  gst_tfrc_endpoint_close (endpoint);
}

/* ---- migrating --------------------------------------------------------- */

/* @opened: NULL, or a new endpoint for the path
 * @return the endpoint that the caller closes, without the lock */
static GstTfrcEndpoint *
change_path (GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GstTfrcEndpoint *opened)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  GstTfrcEndpoint *replaced = gst_tfrc_src_endpoints_migrate (
      &stream->endpoints, &handover->path.local, opened, now_ns);

  gst_tfrc_src_paths_change (&stream->paths, &handover->path);
  if (stream->session)
    gst_tfrc_reception_start_handover (stream->session, stream->paths.id, handover->bandwidth_bps,
        handover->suppress_echo, now_ns);
  gst_tfrc_src_stream_update_patience (stream);
  gst_tfrc_src_stream_update_deadline (stream);
  return replaced;
}

/* @handover->path is known. */
static gboolean
migrate (GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  const GstTfrcAddress *local = &handover->path.local;
  GstTfrcEndpoint *opened = NULL, *active, *replaced;
  gboolean needs_another;

  if (!check_family (stream, local, error) || !check_address (stream, local, error))
    return FALSE;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  needs_another = !gst_tfrc_src_endpoints_serve (&stream->endpoints, local);
  active = stream->endpoints.active.endpoint;
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  /* No other thread closes an endpoint meanwhile (srcstream.h). */
  if (needs_another) {
    opened = start_endpoint (stream, local, active, error);
    if (opened == NULL)
      return FALSE;
  }
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  replaced = change_path (stream, handover, opened);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  gst_tfrc_endpoint_close (replaced);
  return TRUE;
}

/* ---- the kernel's route ------------------------------------------------ */

static gboolean
get_route_to_sender (GstTfrcSrcStream *stream, GstTfrcLocalPath *route, GError **error)
    GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  GstTfrcAddress sender;

  if (get_sender (stream, &sender))
    return gst_tfrc_route_get (&sender, route, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "No sender has been heard yet");
  return FALSE;
}

gboolean
gst_tfrc_src_stream_start_handover (GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover,
    GError **error) GST_TFRC_EXCLUDES (gst_tfrc_src_stream_mutex)
{
  GstTfrcSrcHandover to = *handover;

  if (gst_tfrc_fork_is_inherited (stream->generation)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The stream belongs to the parent process");
    return FALSE;
  }
  return (!gst_tfrc_src_path_is_unspecified (&to.path)
             || get_route_to_sender (stream, &to.path, error))
      && migrate (stream, &to, error);
}

/* Returns whether the kernel's route to the sender has changed, and is not over the active path. */
static gboolean
has_changed (GstTfrcSrcStream *stream, const GstTfrcAddress *sender, const GstTfrcLocalPath *route)
    GST_TFRC_REQUIRES (gst_tfrc_src_stream_mutex)
{
  const GstTfrcLocalPath *active = &stream->paths.active;

  return gst_tfrc_address_equal (&stream->routed_to, sender)
      && !gst_tfrc_src_path_matches (&stream->route, route)
      && (gst_tfrc_src_path_is_unspecified (active) || !gst_tfrc_src_path_matches (active, route));
}

void
gst_tfrc_src_stream_follow_route (GstTfrcSrcStream *stream)
{
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };
  GstTfrcAddress sender;
  gboolean changed;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  if (!get_sender (stream, &sender) || !gst_tfrc_route_get (&sender, &handover.path, NULL))
    return;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  changed = has_changed (stream, &sender, &handover.path);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  /* The route stays the one of before while its address cannot be used: the next call tries again.
   */
  if (changed && !gst_tfrc_src_stream_start_handover (stream, &handover, NULL))
    return;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  stream->routed_to = sender;
  stream->route = handover.path;
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
}

GstTfrcHandoverEvent *
gst_tfrc_src_stream_take_handover_event (GstTfrcSrcStream *stream)
{
  GstTfrcHandoverEvent *event = NULL;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return NULL;
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  if (stream->session)
    event = gst_tfrc_reception_take_handover_event (stream->session);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  return event;
}
