/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The requests of an HTTP server, see httpserver.h */
#include "httpserver.h"

#include <string.h>

#include "httpdoor.h"

/* Enough for Prometheus, a dashboard and some users, whose requests take milliseconds. What waits
 * to be sent to clients that do not read is at most this number of answers. */
#define MAX_CONNECTIONS 32

/* A request from this host or its network comes within milliseconds. Clients that are slower lose
 * nothing but their connection. */
#define DEADLINE_MS 10000

struct _HttpServer
{
  HttpConfig config;
  SoupServer *soup;
  HttpDoor *door;
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

void
http_refuse (SoupServerMessage *message, guint code, const gchar *why)
{
  http_answer (message, code, "application/json", http_error_format (why));
}

void
http_refuse_method (SoupServerMessage *message, const gchar *allowed)
{
  soup_message_headers_replace (
      soup_server_message_get_response_headers (message), "Allow", allowed);
  http_refuse (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "this path does not have this method");
}

/* ---- the server ------------------------------------------------------------ */

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query,
    gpointer data)
{
  const HttpServer *self = data;

  /* libsoup would answer one part for each range, however often they overlap. */
  soup_message_headers_remove (soup_server_message_get_request_headers (message), "Range");
  soup_message_headers_replace (
      soup_server_message_get_response_headers (message), "Connection", "close");
  self->config.handle (message, path, self->config.data);
}

HttpServer *
http_server_new (const HttpConfig *config, const gchar *address, guint16 port, GError **error)
{
  const HttpDoorLimits limits = { config->max_body_bytes,
    config->max_connections != 0 ? config->max_connections : MAX_CONNECTIONS,
    config->deadline_ms != 0 ? config->deadline_ms : DEADLINE_MS };
  HttpServer *self = g_new0 (HttpServer, 1);

  self->config = *config;
  self->soup = soup_server_new ("server-header", config->name, NULL);
  soup_server_add_handler (self->soup, NULL, on_request, self, NULL);
  self->door = http_door_new (self->soup, address, port, &limits, error);
  if (self->door == NULL)
    g_clear_pointer (&self, http_server_free);
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
