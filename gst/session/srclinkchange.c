/* A stream changes the link over which it is received: sockets, numbers of
 * links, the kernel's route.  See srcstream.h. */
#include "srcstream-private.h"

#include <netdb.h>

#include "../common/clock.h"
#include "../io/routequery.h"

/* What is under way to the old socket has come in this time, or never will. */
#define OLD_SOCKET_IDLE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/* ---- sockets ----------------------------------------------------------- */

static gboolean
is_bound_to (const GstTfrcSrcSocket *socket, const GstTfrcAddress *local)
{
  return gst_tfrc_address_same_host (&socket->address, local);
}

/* Does the socket in use receive what comes to this address? */
static gboolean
serves (const GstTfrcSrcSocket *socket, const GstTfrcAddress *local)
{
  gboolean any = gst_tfrc_address_family (local) == AF_UNSPEC;

  return any || !gst_tfrc_address_is_unicast (&socket->address) || is_bound_to (socket, local);
}

GstTfrcSrcSocket *
gst_tfrc_src_stream_get_socket_at (const GstTfrcSrcStream *stream, const GstTfrcAddress *local)
{
  return stream->old_socket && is_bound_to (stream->old_socket, local) ? stream->old_socket
                                                                       : stream->socket;
}

static GstTfrcSrcSocket *
open_socket (GstTfrcSrcStream *stream, const GstTfrcAddress *local, guint16 port, GError **error)
{
  GstTfrcSocketConfig config = stream->socket_config;
  gchar host[NI_MAXHOST];
  GstTfrcSrcSocket *socket;

  getnameinfo (&local->u.any, local->len, host, sizeof host, NULL, 0, NI_NUMERICHOST);
  config.bind_address = host;
  config.bind_port = port;
  socket = gst_tfrc_src_socket_new (stream, &config, error);
  if (socket && port != 0 && !gst_tfrc_src_socket_start (socket, error)) {
    gst_tfrc_src_socket_close (socket);
    return NULL;
  }
  return socket;
}

/* An address that no socket can be bound to is none of this host. */
static gboolean
check_address (GstTfrcSrcStream *stream, const GstTfrcAddress *local, GError **error)
{
  GstTfrcSrcSocket *socket;

  if (gst_tfrc_address_family (local) == AF_UNSPEC)
    return TRUE;
  socket = open_socket (stream, local, 0, error);
  gst_tfrc_src_socket_close (socket);
  return socket != NULL;
}

static gboolean
check_family (GstTfrcSrcStream *stream, const GstTfrcAddress *local, GError **error)
{
  gint family = gst_tfrc_address_family (local), wanted = AF_UNSPEC;

  g_mutex_lock (&stream->lock);
  if (stream->session)
    wanted = gst_tfrc_address_family (&stream->session->address);
  g_mutex_unlock (&stream->lock);
  if (family == AF_UNSPEC || wanted == AF_UNSPEC || family == wanted)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "The address is of another IP version than the sender's");
  return FALSE;
}

static void
swap_sockets (GstTfrcSrcStream *stream)
{
  GstTfrcSrcSocket *socket = stream->socket;

  stream->socket = stream->old_socket;
  stream->old_socket = socket;
  stream->old_socket_told = FALSE;
}

guint64
gst_tfrc_src_stream_old_socket_idle_ns (const GstTfrcSrcStream *stream)
{
  const GstTfrcSrcSession *session = stream->session;

  if (stream->old_socket == NULL || stream->old_socket_told)
    return G_MAXUINT64;
  if (session && session->handover_log.last.phase != TFRC_HANDOVER_NORMAL)
    return G_MAXUINT64;
  return stream->old_socket->heard_ns + OLD_SOCKET_IDLE_NS;
}

void
gst_tfrc_src_stream_close_old_socket (GstTfrcSrcStream *stream)
{
  GstTfrcSrcSocket *socket = NULL;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  g_mutex_lock (&stream->lock);
  if (stream->old_socket_told) {
    stream->old_socket_told = FALSE;
    if (gst_tfrc_src_stream_old_socket_idle_ns (stream) <= gst_tfrc_clock_now_ns ()) {
      socket = stream->old_socket;
      stream->old_socket = NULL;
    }
    gst_tfrc_io_set_deadline (stream->socket->io, gst_tfrc_src_stream_next_deadline (stream));
  }
  g_mutex_unlock (&stream->lock);
  gst_tfrc_src_socket_close (socket);
}

/* ---- changing ---------------------------------------------------------- */

/* Lock held.  @return the socket that is now to be closed */
static GstTfrcSrcSocket *
change_link (GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GstTfrcSrcSocket *opened)
{
  const GstTfrcAddress *local = &handover->link.local;
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  GstTfrcSrcSocket *unused = NULL;

  if (opened) {
    unused = stream->old_socket;
    stream->old_socket = opened;
  }
  if (!serves (stream->socket, local))
    swap_sockets (stream);
  if (stream->old_socket)
    stream->old_socket->heard_ns = now_ns;
  gst_tfrc_src_links_change (&stream->links, &handover->link);
  if (stream->session)
    gst_tfrc_src_session_start_handover (stream->session, stream->links.number,
        handover->bandwidth_bps, handover->suppress_echo, now_ns);
  gst_tfrc_io_set_deadline (stream->socket->io, gst_tfrc_src_stream_next_deadline (stream));
  return unused;
}

void
gst_tfrc_src_stream_leave_link (GstTfrcSrcStream *stream, const GstTfrcAddress *local)
{
  gst_tfrc_src_links_forget (&stream->links);
  stream->session->local = *local;
  if (gst_tfrc_src_stream_get_socket_at (stream, local) != stream->socket)
    swap_sockets (stream);
}

/* @handover->link is known. */
static gboolean
change_to (GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error)
{
  const GstTfrcAddress *local = &handover->link.local;
  GstTfrcSrcSocket *opened = NULL, *unused;
  gboolean needs_another;

  if (!check_family (stream, local, error) || !check_address (stream, local, error))
    return FALSE;
  g_mutex_lock (&stream->lock);
  needs_another = !serves (stream->socket, local)
      && (stream->old_socket == NULL || !is_bound_to (stream->old_socket, local));
  g_mutex_unlock (&stream->lock);
  if (needs_another) {
    opened = open_socket (stream, local, stream->socket_config.bind_port, error);
    if (opened == NULL)
      return FALSE;
  }
  g_mutex_lock (&stream->lock);
  unused = change_link (stream, handover, opened);
  g_mutex_unlock (&stream->lock);
  gst_tfrc_src_socket_close (unused);
  return TRUE;
}

/* ---- the kernel's route ------------------------------------------------ */

static gboolean
get_sender (GstTfrcSrcStream *stream, GstTfrcAddress *sender)
{
  gboolean known;

  g_mutex_lock (&stream->lock);
  known = stream->session != NULL;
  if (known)
    *sender = stream->session->address;
  g_mutex_unlock (&stream->lock);
  return known;
}

static gboolean
get_route_to_sender (GstTfrcSrcStream *stream, GstTfrcLink *route, GError **error)
{
  GstTfrcAddress sender;

  if (get_sender (stream, &sender))
    return gst_tfrc_route_get (&sender, route, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "No sender has been heard yet");
  return FALSE;
}

gboolean
gst_tfrc_src_stream_start_handover (
    GstTfrcSrcStream *stream, const GstTfrcSrcHandover *handover, GError **error)
{
  GstTfrcSrcHandover to = *handover;

  if (gst_tfrc_fork_is_inherited (stream->generation)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The stream belongs to the parent process");
    return FALSE;
  }
  return (!gst_tfrc_src_link_is_any (&to.link) || get_route_to_sender (stream, &to.link, error))
      && change_to (stream, &to, error);
}

/* Does the kernel reach the sender over another link than before, and than the
 * one in use? */
static gboolean
is_news (GstTfrcSrcStream *stream, const GstTfrcAddress *sender, const GstTfrcLink *route)
{
  const GstTfrcLink *in_use = &stream->links.in_use;

  return gst_tfrc_address_equal (&stream->routed_to, sender)
      && !gst_tfrc_src_link_covers (&stream->route, route)
      && (gst_tfrc_src_link_is_any (in_use) || !gst_tfrc_src_link_covers (in_use, route));
}

void
gst_tfrc_src_stream_follow_route (GstTfrcSrcStream *stream)
{
  GstTfrcSrcHandover handover = { .bandwidth_bps = 0 };
  GstTfrcAddress sender;
  gboolean news;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return;
  if (!get_sender (stream, &sender) || !gst_tfrc_route_get (&sender, &handover.link, NULL))
    return;
  g_mutex_lock (&stream->lock);
  news = is_news (stream, &sender, &handover.link);
  g_mutex_unlock (&stream->lock);
  /* An address that cannot be used yet will be news again when it can. */
  if (news && !gst_tfrc_src_stream_start_handover (stream, &handover, NULL))
    return;
  g_mutex_lock (&stream->lock);
  stream->routed_to = sender;
  stream->route = handover.link;
  g_mutex_unlock (&stream->lock);
}

GstTfrcHandoverEvent *
gst_tfrc_src_stream_take_handover_event (GstTfrcSrcStream *stream)
{
  GstTfrcHandoverEvent *news = NULL;

  if (gst_tfrc_fork_is_inherited (stream->generation))
    return NULL;
  g_mutex_lock (&stream->lock);
  if (stream->session)
    news = gst_tfrc_handover_log_take (&stream->session->handover_log);
  g_mutex_unlock (&stream->lock);
  return news;
}
