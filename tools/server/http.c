/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests and answers, see http.h and the table of requests in docs/howto/run-a-server.md */
#include "http.h"

#include <string.h>

#include "error.h"
#include "metrics.h"
#include "page.h"
#include "qrcode.h"
#include "status.h"
#include "tools/http/httpserver.h"
#include "tools/stats/prometheus.h"

struct _Http
{
  HttpServer *server;
  Movies *movies;
  Streams *streams;
  guint16 media_port; /* 0: nobody can call */
};

/* ---- answers --------------------------------------------------------------- */

static void
answer_json (SoupServerMessage *message, guint code, gchar *body)
{
  http_answer (message, code, "application/json", body);
}

static void
refuse_with (SoupServerMessage *message, GError *error)
{
  static const guint codes[] = {
    [SERVER_ERROR_BAD_REQUEST] = SOUP_STATUS_BAD_REQUEST,
    [SERVER_ERROR_FORBIDDEN] = SOUP_STATUS_FORBIDDEN,
    [SERVER_ERROR_NOT_FOUND] = SOUP_STATUS_NOT_FOUND,
    [SERVER_ERROR_CONFLICT] = SOUP_STATUS_CONFLICT,
    [SERVER_ERROR_BUSY] = SOUP_STATUS_SERVICE_UNAVAILABLE,
    [SERVER_ERROR_FAILED] = SOUP_STATUS_UNPROCESSABLE_ENTITY,
  };

  http_refuse (message,
      error->domain == SERVER_ERROR ? codes[error->code] : SOUP_STATUS_INTERNAL_SERVER_ERROR,
      error->message);
  g_error_free (error);
}

/* ---- requests -------------------------------------------------------------- */

static void
get_page (Http *http, SoupServerMessage *message, guint64 unused)
{
  page_answer (message);
}

static void
get_qr (Http *http, SoupServerMessage *message, guint64 unused)
{
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));
  GHashTable *keys = query != NULL ? g_uri_parse_params (query, -1, "&", G_URI_PARAMS_NONE, NULL)
                                   : NULL;
  const gchar *text = keys != NULL ? g_hash_table_lookup (keys, "text") : NULL;
  gchar *svg = text != NULL ? qrcode_draw (text) : NULL;

  if (!qrcode_is_there ())
    http_refuse (message, SOUP_STATUS_NOT_FOUND, "this server was built without libqrencode");
  else if (svg == NULL)
    http_refuse (message, SOUP_STATUS_BAD_REQUEST, "text is no tfrc:// URI of at most 2048 bytes");
  else
    http_answer (message, SOUP_STATUS_OK, "image/svg+xml", g_steal_pointer (&svg));
  g_free (svg);
  g_clear_pointer (&keys, g_hash_table_unref);
}

static void
get_server (Http *http, SoupServerMessage *message, guint64 unused)
{
  answer_json (message, SOUP_STATUS_OK,
      status_server (streams_get_limit (http->streams), http->media_port, qrcode_is_there ()));
}

static void
get_movies (Http *http, SoupServerMessage *message, guint64 unused)
{
  GError *error = NULL;
  GPtrArray *movies = movies_list (http->movies, &error);
  guint i;

  if (movies == NULL) {
    refuse_with (message, error);
    return;
  }
  for (i = 0; i < movies->len; i++) {
    Movie *movie = g_ptr_array_index (movies, i);

    movie->is_protected = streams_is_protected (http->streams, movie->name);
    movie->needs_user = streams_needs_user (http->streams, movie->name);
  }
  answer_json (message, SOUP_STATUS_OK, status_movies (movies));
  g_ptr_array_unref (movies);
}

static void
get_streams (Http *http, SoupServerMessage *message, guint64 unused)
{
  GPtrArray *list = streams_list (http->streams);

  answer_json (message, SOUP_STATUS_OK, status_streams (list));
  g_ptr_array_unref (list);
}

static void
get_metrics (Http *http, SoupServerMessage *message, guint64 unused)
{
  GPtrArray *list = streams_list (http->streams);
  StreamTotals totals;

  streams_get_totals (http->streams, &totals);
  http_answer (message, SOUP_STATUS_OK, PROMETHEUS_CONTENT_TYPE,
      metrics_format (list, &totals, streams_get_limit (http->streams)));
  g_ptr_array_unref (list);
}

static void
answer_stream (SoupServerMessage *message, guint code, const StreamStatus *status)
{
  if (status != NULL)
    answer_json (message, code, status_stream (status));
  else
    http_refuse (message, SOUP_STATUS_NOT_FOUND, "there is no such stream, or no more");
}

static void
get_stream (Http *http, SoupServerMessage *message, guint64 id)
{
  answer_stream (message, SOUP_STATUS_OK, streams_find (http->streams, id));
}

static void
delete_stream (Http *http, SoupServerMessage *message, guint64 id)
{
  const StreamStatus *status = streams_stop (http->streams, id);
  gboolean has_ended = status != NULL && status->ended != NULL;

  answer_stream (message, has_ended ? SOUP_STATUS_OK : SOUP_STATUS_ACCEPTED, status);
}

static void
patch_stream (Http *http, SoupServerMessage *message, guint64 id)
{
  GBytes *bytes = soup_message_body_flatten (soup_server_message_get_request_body (message));
  const StreamStatus *status = NULL;
  GError *error = NULL;
  Change change;

  if (change_parse (&change, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error))
    status = streams_change (http->streams, id, &change, &error);
  if (status != NULL)
    answer_stream (message, SOUP_STATUS_OK, status);
  else
    refuse_with (message, error);
  g_bytes_unref (bytes);
}

static void
start_stream (Http *http, SoupServerMessage *message, Request *request)
{
  GError *error = NULL;
  const StreamStatus *status = streams_start (http->streams, request, &error);
  gchar *location;

  if (status == NULL) {
    refuse_with (message, error);
    return;
  }
  location = g_strdup_printf ("/streams/%" G_GUINT64_FORMAT, status->id);
  soup_message_headers_replace (
      soup_server_message_get_response_headers (message), "Location", location);
  g_free (location);
  answer_json (message, SOUP_STATUS_CREATED, status_stream (status));
}

static void
post_stream (Http *http, SoupServerMessage *message, guint64 unused)
{
  SoupMessageBody *body = soup_server_message_get_request_body (message);
  GBytes *bytes = soup_message_body_flatten (body);
  Request request;
  GError *error = NULL;

  if (request_parse (&request, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error)) {
    start_stream (http, message, &request);
    request_clear (&request);
  } else {
    refuse_with (message, error);
  }
  g_bytes_unref (bytes);
}

/* ---- routes ---------------------------------------------------------------- */

typedef struct
{
  const gchar *method, *path;
  gboolean has_id; /* after the path */
  void (*handle) (Http *http, SoupServerMessage *message, guint64 id);
} Route;

static const Route routes[] = {
  { "GET", "/", FALSE, get_page },
  { "GET", "/server", FALSE, get_server },
  { "GET", "/qr", FALSE, get_qr },
  { "GET", "/movies", FALSE, get_movies },
  { "GET", "/metrics", FALSE, get_metrics },
  { "GET", "/streams", FALSE, get_streams },
  { "POST", "/streams", FALSE, post_stream },
  { "GET", "/streams/", TRUE, get_stream },
  { "PATCH", "/streams/", TRUE, patch_stream },
  { "DELETE", "/streams/", TRUE, delete_stream },
};

static gboolean
is_at (const Route *route, const gchar *path, guint64 *id)
{
  if (!route->has_id)
    return g_str_equal (path, route->path);
  return g_str_has_prefix (path, route->path)
      && g_ascii_string_to_unsigned (path + strlen (route->path), 10, 1, G_MAXINT64, id, NULL);
}

static void
on_request (SoupServerMessage *message, const gchar *path, gpointer data)
{
  const gchar *method = soup_server_message_get_method (message);
  GString *allowed = g_string_new (NULL);
  guint64 id = 0;
  guint i;

  /* libsoup leaves out the body of the answer to HEAD. */
  if (g_str_equal (method, "HEAD"))
    method = "GET";
  for (i = 0; i < G_N_ELEMENTS (routes); i++) {
    if (!is_at (&routes[i], path, &id))
      continue;
    if (g_str_equal (method, routes[i].method))
      break;
    g_string_append_printf (allowed, "%s%s", allowed->len > 0 ? ", " : "", routes[i].method);
  }
  if (i < G_N_ELEMENTS (routes)) {
    routes[i].handle (data, message, id);
  } else if (allowed->len > 0) {
    http_refuse_method (message, allowed->str);
  } else {
    http_refuse (message, SOUP_STATUS_NOT_FOUND, "there is nothing at this path");
  }
  g_string_free (allowed, TRUE);
}

/* ---- the server ------------------------------------------------------------ */

Http *
http_new (Movies *movies, Streams *streams, guint16 media_port, const gchar *address, guint16 port,
    GError **error)
{
  Http *http = g_new0 (Http, 1);
  const HttpConfig config = {
    .name = "tfrc-server", .max_body_bytes = REQUEST_MAX_BYTES, .handle = on_request, .data = http
  };

  http->movies = movies;
  http->streams = streams;
  http->media_port = media_port;
  http->server = http_server_new (&config, address, port, error);
  if (http->server == NULL)
    g_clear_pointer (&http, http_free);
  return http;
}

gchar *
http_dup_uri (const Http *http)
{
  return http_server_dup_uri (http->server);
}

void
http_free (Http *http)
{
  http_server_free (http->server);
  g_free (http);
}
