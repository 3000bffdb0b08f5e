/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connections of an HTTP server, see httpdoor.h */
#include "httpdoor.h"

#include <string.h>
#include <sys/socket.h>

/* Connections that the kernel keeps until they are accepted. One that finds no room is tried again
 * after a second; GLib's 10 are full as soon as a few clients come at once. */
#define BACKLOG 1024

/* Some clients read an answer only when they have sent their body. This much of what follows a
 * refused head is read and thrown away for them; the kernel has room for about as much. */
#define MAX_DISCARDED_BYTES 65536

/* Without a free descriptor a connection stays in the kernel's queue, and each further try fails at once: without a rest they
 * would take a processor. A client hardly notices a tenth of a second. */
#define REST_MS 100

struct _HttpDoor
{
  SoupServer *server;
  GSocketListener *listener;
  GCancellable *end; /* of the door */
  guint rest;        /* until the next connection is taken; 0: there is none */
  GSocketAddress *address;
  HttpDoorLimits limits;
  HttpRules rules;
  GQueue visits; /* those that were not shut down, the oldest first */
};

/* A connection, until it is freed */
typedef struct
{
  HttpDoor *door; /* NULL: was shut down */
  GSocketConnection *connection;
  guint deadline;
  GSource *input; /* NULL: libsoup has the connection */
  gboolean is_refused;
  gsize bytes; /* of the head so far; of a refused request: thrown away */
} Visit;

static GSocket *
socket_of (const Visit *visit)
{
  return g_socket_connection_get_socket (visit->connection);
}

/* ---- the end of a visit ----------------------------------------------------- */

/* Gives up what the door has of the connection. The visit is freed with it. */
static void
let_go (Visit *visit)
{
  GSource *input = g_steal_pointer (&visit->input);

  if (input == NULL)
    return;
  g_source_destroy (input);
  g_source_unref (input);
  g_object_unref (visit->connection);
}

static void
leave (Visit *visit)
{
  if (visit->deadline != 0)
    g_source_remove (visit->deadline);
  g_queue_remove (&visit->door->visits, visit);
  visit->door = NULL;
}

/* libsoup finds the end of the input and frees the connection. */
static void
shut_down (Visit *visit)
{
  leave (visit);
  g_socket_shutdown (socket_of (visit), TRUE, TRUE, NULL);
  let_go (visit);
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
  g_free (visit);
}

/* ---- its request -------------------------------------------------------------- */

/* The socket counts as readable from this number of bytes on. */
static void
expect (const Visit *visit, gsize bytes)
{
  g_socket_set_option (socket_of (visit), SOL_SOCKET, SO_RCVLOWAT, (gint) bytes, NULL);
}

/* If the connection were closed while the client sends, the kernel would reset it, and the client
 * might never see the answer (RFC 9112, 9.6). So the connection stays until the client or the
 * deadline closes it. */
static void
refuse (Visit *visit, const gchar *head, guint code, const gchar *why)
{
  gchar *answer = http_head_refuse (head, code, why);

  /* The first bytes of a connection find room in its socket. */
  g_socket_send (socket_of (visit), answer, strlen (answer), NULL, NULL);
  g_socket_shutdown (socket_of (visit), FALSE, TRUE, NULL);
  visit->is_refused = TRUE;
  visit->bytes = 0;
  g_free (answer);
}

static gboolean
throw_away (Visit *visit)
{
  gchar bytes[4096];
  gssize n = g_socket_receive (socket_of (visit), bytes, sizeof bytes, NULL, NULL);

  visit->bytes += (gsize) MAX (n, 0);
  return n > 0 && visit->bytes < MAX_DISCARDED_BYTES;
}

/* @text: HTTP_HEAD_MAX_BYTES */
static gssize
peek (const Visit *visit, gchar *text)
{
  GInputVector vector = { text, HTTP_HEAD_MAX_BYTES };
  gint flags = G_SOCKET_MSG_PEEK;

  return g_socket_receive_message (
      socket_of (visit), NULL, &vector, 1, NULL, NULL, &flags, NULL, NULL);
}

static void
hand_over (Visit *visit)
{
  GSocketAddress *local = g_socket_connection_get_local_address (visit->connection, NULL);
  GSocketAddress *remote = g_socket_connection_get_remote_address (visit->connection, NULL);

  /* A client that has left already has no address. */
  if (local != NULL && remote != NULL)
    soup_server_accept_iostream (
        visit->door->server, G_IO_STREAM (visit->connection), local, remote, NULL);
  g_clear_object (&local);
  g_clear_object (&remote);
}

/* The bytes stay in the socket, for libsoup to read.
 *
 * Returns whether more has to be read here. */
static gboolean
read_head (Visit *visit)
{
  gchar head[HTTP_HEAD_MAX_BYTES + 1] = "";
  gssize n = peek (visit, head);
  const gchar *problem = "the headers are too long";
  guint code = SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE;
  gsize length;

  /* Readable without a further byte: the input has ended. */
  if (n <= (gssize) visit->bytes)
    return FALSE;
  visit->bytes = (gsize) n;
  length = http_head_length (head, visit->bytes);
  if (length == 0 && visit->bytes < HTTP_HEAD_MAX_BYTES) {
    expect (visit, visit->bytes + 1);
    return TRUE;
  }
  expect (visit, 1);
  if (length > 0) {
    head[length] = '\0';
    problem = http_head_check (head, length, &visit->door->rules, &code);
  }
  if (problem != NULL)
    refuse (visit, head, code, problem);
  else
    hand_over (visit);
  return problem != NULL;
}

static gboolean
on_input (GSocket *socket, GIOCondition condition, gpointer data)
{
  Visit *visit = data;
  gboolean goes_on = visit->is_refused ? throw_away (visit) : read_head (visit);

  if (!goes_on)
    let_go (visit);
  return goes_on;
}

/* ---- the door ------------------------------------------------------------------ */

static void
take (HttpDoor *door, GSocketConnection *connection)
{
  Visit *visit = g_new0 (Visit, 1);

  if (door->visits.length >= door->limits.max_connections)
    shut_down (g_queue_peek_head (&door->visits));
  visit->door = door;
  visit->connection = g_object_ref (connection);
  g_object_weak_ref (G_OBJECT (connection), on_freed, visit);
  visit->deadline = g_timeout_add (door->limits.deadline_ms, on_deadline, visit);
  g_socket_set_blocking (socket_of (visit), FALSE);
  visit->input = g_socket_create_source (socket_of (visit), G_IO_IN, NULL);
  g_source_set_callback (visit->input, G_SOURCE_FUNC (on_input), visit, NULL);
  g_source_attach (visit->input, NULL);
  g_queue_push_tail (&door->visits, visit);
}

static void on_connection (GObject *listener, GAsyncResult *result, gpointer data);

static gboolean
wait_for_connection (gpointer data)
{
  HttpDoor *door = data;

  door->rest = 0;
  g_socket_listener_accept_async (door->listener, door->end, on_connection, door);
  return G_SOURCE_REMOVE;
}

static void
on_connection (GObject *listener, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  GSocketConnection *connection = g_socket_listener_accept_finish (
      G_SOCKET_LISTENER (listener), result, NULL, &error);
  HttpDoor *door = data;

  if (connection != NULL) {
    take (door, connection);
    g_object_unref (connection);
    wait_for_connection (door);
    return;
  }
  /* A wait that was cancelled is of a door that is no more. */
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    door->rest = g_timeout_add (REST_MS, wait_for_connection, door);
  g_error_free (error);
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
  ok = g_socket_listener_add_address (door->listener, wanted, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL, &door->address, error);
  g_object_unref (wanted);
  return ok;
}

HttpDoor *
http_door_new (SoupServer *server, const gchar *address, guint16 port, const HttpDoorLimits *limits,
    GError **error)
{
  HttpDoor *door = g_new0 (HttpDoor, 1);

  door->server = g_object_ref (server);
  door->limits = *limits;
  door->rules.max_body_bytes = limits->max_body_bytes;
  door->listener = g_socket_listener_new ();
  door->end = g_cancellable_new ();
  g_socket_listener_set_backlog (door->listener, BACKLOG);
  if (!listen_at (door, address, port, error)) {
    http_door_free (door);
    return NULL;
  }
  door->rules.is_local = g_inet_address_get_is_loopback (
      g_inet_socket_address_get_address (http_door_get_address (door)));
  wait_for_connection (door);
  return door;
}

GInetSocketAddress *
http_door_get_address (const HttpDoor *door)
{
  return G_INET_SOCKET_ADDRESS (door->address);
}

void
http_door_free (HttpDoor *door)
{
  g_cancellable_cancel (door->end);
  if (door->rest != 0)
    g_source_remove (door->rest);
  g_socket_listener_close (door->listener);
  while (door->visits.length > 0)
    shut_down (g_queue_peek_head (&door->visits));
  g_object_unref (door->listener);
  g_object_unref (door->end);
  g_clear_object (&door->address);
  g_object_unref (door->server);
  g_free (door);
}
