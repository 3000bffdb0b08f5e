/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connections of an HTTP server, see httpdoor.h */
#include "httpdoor.h"

/* Connections that the kernel keeps until they are accepted. One that finds no room is tried again
 * after a second; GLib's 10 are full as soon as a few clients hurry. */
#define BACKLOG 1024

struct _HttpDoor
{
  SoupServer *server;
  GSocketService *service;
  GSocketAddress *address;
  guint max_connections, deadline_ms;
  GQueue visits; /* those that were not shut down, the oldest first */
};

/* A connection, until it is freed */
typedef struct
{
  HttpDoor *door; /* NULL: was shut down */
  GSocketConnection *connection;
  GSocketAddress *remote; /* the object that libsoup has as well */
  guint deadline;
} Visit;

static void
leave (Visit *visit)
{
  if (visit->deadline != 0)
    g_source_remove (visit->deadline);
  g_queue_remove (&visit->door->visits, visit);
  visit->door = NULL;
}

/* Whoever reads from the connection finds its end and frees the connection. */
static void
shut_down (Visit *visit)
{
  leave (visit);
  g_socket_shutdown (g_socket_connection_get_socket (visit->connection), TRUE, TRUE, NULL);
}

static gboolean
on_deadline (gpointer data)
{
  Visit *visit = data;

  visit->deadline = 0;
  shut_down (visit);
  return G_SOURCE_REMOVE;
}

static void
on_freed (gpointer data, GObject *connection)
{
  Visit *visit = data;

  if (visit->door != NULL)
    leave (visit);
  g_object_unref (visit->remote);
  g_free (visit);
}

static void
let_in (HttpDoor *door, GSocketConnection *connection, GSocketAddress *remote)
{
  Visit *visit = g_new (Visit, 1);

  visit->door = door;
  visit->connection = connection;
  visit->remote = g_object_ref (remote);
  visit->deadline = g_timeout_add (door->deadline_ms, on_deadline, visit);
  g_queue_push_tail (&door->visits, visit);
  g_object_weak_ref (G_OBJECT (connection), on_freed, visit);
}

static gboolean
on_connection (
    GSocketService *service, GSocketConnection *connection, GObject *unused, gpointer data)
{
  HttpDoor *door = data;
  GSocketAddress *local = g_socket_connection_get_local_address (connection, NULL);
  GSocketAddress *remote = g_socket_connection_get_remote_address (connection, NULL);

  /* A client that has left already has no address. */
  if (local != NULL && remote != NULL) {
    if (door->visits.length >= door->max_connections)
      shut_down (g_queue_peek_head (&door->visits));
    let_in (door, connection, remote);
    soup_server_accept_iostream (door->server, G_IO_STREAM (connection), local, remote, NULL);
  }
  g_clear_object (&local);
  g_clear_object (&remote);
  return TRUE;
}

static gboolean
listen_at (HttpDoor *door, const gchar *address, guint16 port, GError **error)
{
  GSocketAddress *wanted = g_inet_socket_address_new_from_string (address, port);
  gboolean ok;

  if (wanted == NULL) {
    g_set_error (
        error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s is not a numeric address", address);
    return FALSE;
  }
  ok = g_socket_listener_add_address (G_SOCKET_LISTENER (door->service), wanted,
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &door->address, error);
  g_object_unref (wanted);
  return ok;
}

HttpDoor *
http_door_new (SoupServer *server, const gchar *address, guint16 port, guint max_connections,
    guint deadline_ms, GError **error)
{
  HttpDoor *door = g_new0 (HttpDoor, 1);

  door->server = g_object_ref (server);
  door->max_connections = max_connections;
  door->deadline_ms = deadline_ms;
  door->service = g_socket_service_new ();
  g_socket_listener_set_backlog (G_SOCKET_LISTENER (door->service), BACKLOG);
  g_signal_connect (door->service, "incoming", G_CALLBACK (on_connection), door);
  if (!listen_at (door, address, port, error))
    g_clear_pointer (&door, http_door_free);
  return door;
}

static Visit *
find (const HttpDoor *door, const GSocketAddress *remote)
{
  GList *link;

  for (link = door->visits.head; link != NULL; link = link->next)
    if (((Visit *) link->data)->remote == remote)
      return link->data;
  return NULL;
}

gboolean
http_door_is_open (const HttpDoor *door, const GSocketAddress *remote)
{
  return find (door, remote) != NULL;
}

void
http_door_end_output (const HttpDoor *door, const GSocketAddress *remote)
{
  Visit *visit = find (door, remote);

  if (visit != NULL)
    g_socket_shutdown (g_socket_connection_get_socket (visit->connection), FALSE, TRUE, NULL);
}

GInetSocketAddress *
http_door_get_address (const HttpDoor *door)
{
  return G_INET_SOCKET_ADDRESS (door->address);
}

void
http_door_free (HttpDoor *door)
{
  g_signal_handlers_disconnect_by_data (door->service, door);
  g_socket_service_stop (door->service);
  g_socket_listener_close (G_SOCKET_LISTENER (door->service));
  while (door->visits.length > 0)
    shut_down (g_queue_peek_head (&door->visits));
  g_object_unref (door->service);
  g_clear_object (&door->address);
  g_object_unref (door->server);
  g_free (door);
}
