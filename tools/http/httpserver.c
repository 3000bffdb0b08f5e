/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The requests of an HTTP server, see httpserver.h */
#include "httpserver.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "httpdoor.h"

/* Enough for Prometheus, a dashboard and some users, whose requests take milliseconds. What waits
 * to be sent to clients that do not read is at most this number of answers. */
#define MAX_CONNECTIONS 32

/* A request from this host or its network comes within milliseconds. Clients that are slower lose
 * nothing but their connection. */
#define DEADLINE_MS 10000

/* Twice what browsers and servers usually allow. libsoup reads at most 64 KiB before it looks. */
#define MAX_HEAD_BYTES 16384

/* Some clients read an answer only when they have sent their body. This much of a refused body is
 * read and thrown away for them; the kernel has room for about as much. */
#define MAX_DISCARDED_BYTES 65536

struct _HttpServer
{
  HttpConfig config;
  SoupServer *soup;
  HttpDoor *door;
  gboolean is_local; /* listens on a loopback address */
};

/* ---- answers --------------------------------------------------------------- */

void
http_answer (SoupServerMessage *message, guint code, const gchar *type, gchar *body)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);

  soup_message_headers_replace (headers, "Cache-Control", "no-store");
  soup_server_message_set_status (message, code, NULL);
  soup_server_message_set_response (message, type, SOUP_MEMORY_TAKE, body, strlen (body));
}

static gchar *
format_error (const gchar *why)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  gchar *text;

  json_object_set_string_member (object, "error", why);
  json_node_take_object (node, object);
  text = json_to_string (node, FALSE);
  json_node_unref (node);
  return text;
}

void
http_refuse (SoupServerMessage *message, guint code, const gchar *why)
{
  http_answer (message, code, "application/json", format_error (why));
}

/* ---- requests that are refused before their body is read -------------------- */

typedef struct
{
  GIOStream *stream;
  gsize bytes; /* read and thrown away */
} Rest;

static void
rest_free (gpointer data)
{
  Rest *rest = data;

  g_io_stream_close (rest->stream, NULL, NULL);
  g_object_unref (rest->stream);
  g_free (rest);
}

static gboolean
on_rest (GObject *input, gpointer data)
{
  Rest *rest = data;
  gchar bytes[4096];
  GError *error = NULL;
  gssize n = g_pollable_input_stream_read_nonblocking (
      G_POLLABLE_INPUT_STREAM (input), bytes, sizeof bytes, NULL, &error);
  gboolean goes_on = n > 0 || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);

  g_clear_error (&error);
  rest->bytes += (gsize) MAX (n, 0);
  return goes_on && rest->bytes < MAX_DISCARDED_BYTES;
}

/* If the connection were closed while the client sends, the kernel would reset it, and the client
 * might never see the answer (RFC 9112, 9.6). So the client closes it, or the deadline does. */
static void
close_after_rest (GIOStream *stream)
{
  GInputStream *input = g_io_stream_get_input_stream (stream);
  GSource *source = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (input), NULL);
  Rest *rest = g_new0 (Rest, 1);

  rest->stream = stream;
  g_source_set_callback (source, G_SOURCE_FUNC (on_rest), rest, rest_free);
  g_source_attach (source, NULL);
  g_source_unref (source);
}

/* libsoup would read the body, of any length, before it answers. */
static void
turn_away (const HttpServer *self, SoupServerMessage *message, guint code, const gchar *why)
{
  gboolean has_body = !g_str_equal (soup_server_message_get_method (message), "HEAD");
  gchar *body = format_error (why);
  gchar *answer = g_strdup_printf ("HTTP/1.1 %u %s\r\n"
                                   "Connection: close\r\n"
                                   "Cache-Control: no-store\r\n"
                                   "Content-Type: application/json\r\n"
                                   "Content-Length: %zu\r\n"
                                   "\r\n%s",
      code, soup_status_get_phrase (code), strlen (body), has_body ? body : "");
  GSocketAddress *remote = soup_server_message_get_remote_address (message);
  GIOStream *stream = soup_server_message_steal_connection (message);
  GOutputStream *output = g_io_stream_get_output_stream (stream);

  /* The first bytes of a connection find room in its socket. */
  g_pollable_output_stream_write_nonblocking (
      G_POLLABLE_OUTPUT_STREAM (output), answer, strlen (answer), NULL, NULL);
  http_door_end_output (self->door, remote);
  close_after_rest (stream);
  g_free (answer);
  g_free (body);
}

static gboolean
is_other_host (const HttpServer *self, SoupServerMessage *message)
{
  const gchar *host = g_uri_get_host (soup_server_message_get_uri (message));

  return self->is_local && g_strcmp0 (host, "localhost") != 0
      && (host == NULL || !g_hostname_is_ip_address (host));
}

static void
add_length (const char *name, const char *value, gpointer bytes)
{
  *(gsize *) bytes += strlen (name) + strlen (": ") + strlen (value) + strlen ("\r\n");
}

static gboolean
is_head_too_long (SoupServerMessage *message)
{
  GUri *uri = soup_server_message_get_uri (message);
  const gchar *query = g_uri_get_query (uri);
  gsize bytes = strlen (g_uri_get_path (uri)) + (query != NULL ? strlen (query) : 0);

  soup_message_headers_foreach (
      soup_server_message_get_request_headers (message), add_length, &bytes);
  return bytes > MAX_HEAD_BYTES;
}

/* libsoup's length is negative if the true one is above G_MAXINT64. */
static gboolean
is_body_too_long (const HttpServer *self, SoupMessageHeaders *headers)
{
  return soup_message_headers_get_encoding (headers) == SOUP_ENCODING_CONTENT_LENGTH
      && (guint64) soup_message_headers_get_content_length (headers) > self->config.max_body_bytes;
}

static void
on_headers (SoupServerMessage *message, gpointer data)
{
  const HttpServer *self = data;
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);

  if (!http_door_is_open (self->door, soup_server_message_get_remote_address (message))) {
    /* libsoup takes the end of the input for the end of the headers. */
    g_object_unref (soup_server_message_steal_connection (message));
  } else if (is_head_too_long (message)) {
    turn_away (self, message, SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE, "the headers are too long");
  } else if (is_other_host (self, message)) {
    turn_away (
        self, message, SOUP_STATUS_MISDIRECTED_REQUEST, "this server does not have this name");
  } else if (is_body_too_long (self, headers)) {
    turn_away (self, message, SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE, "the body is too long");
  } else if (soup_message_headers_get_encoding (headers) == SOUP_ENCODING_CHUNKED) {
    turn_away (self, message, SOUP_STATUS_LENGTH_REQUIRED, "the length of the body is not given");
  } else {
    /* libsoup would answer one part for each range, however often they overlap. */
    soup_message_headers_remove (headers, "Range");
    soup_message_headers_replace (
        soup_server_message_get_response_headers (message), "Connection", "close");
  }
}

/* An early handler would not see the requests that libsoup refuses itself, whose bodies it reads as
 * well. */
static void
on_request_started (SoupServer *server, SoupServerMessage *message, gpointer data)
{
  g_signal_connect (message, "got-headers", G_CALLBACK (on_headers), data);
}

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query,
    gpointer data)
{
  const HttpServer *self = data;

  self->config.handle (message, path, self->config.data);
}

/* ---- the server ------------------------------------------------------------ */

HttpServer *
http_server_new (const HttpConfig *config, const gchar *address, guint16 port, GError **error)
{
  HttpServer *self = g_new0 (HttpServer, 1);

  self->config = *config;
  self->soup = soup_server_new ("server-header", config->name, NULL);
  g_signal_connect (self->soup, "request-started", G_CALLBACK (on_request_started), self);
  soup_server_add_handler (self->soup, NULL, on_request, self, NULL);
  self->door = http_door_new (self->soup, address, port,
      config->max_connections != 0 ? config->max_connections : MAX_CONNECTIONS,
      config->deadline_ms != 0 ? config->deadline_ms : DEADLINE_MS, error);
  if (self->door == NULL)
    g_clear_pointer (&self, http_server_free);
  else
    self->is_local = g_inet_address_get_is_loopback (
        g_inet_socket_address_get_address (http_door_get_address (self->door)));
  return self;
}

gchar *
http_server_dup_uri (const HttpServer *server)
{
  GInetSocketAddress *address = http_door_get_address (server->door);
  gchar *host = g_inet_address_to_string (g_inet_socket_address_get_address (address));
  gchar *uri = g_uri_join (G_URI_FLAGS_NONE, "http", NULL, host,
      g_inet_socket_address_get_port (address), "", NULL, NULL);

  g_free (host);
  return uri;
}

void
http_server_free (HttpServer *server)
{
  if (server == NULL)
    return;
  if (server->door != NULL)
    http_door_free (server->door);
  soup_server_disconnect (server->soup);
  g_object_unref (server->soup);
  g_free (server);
}
