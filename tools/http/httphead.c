/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head of a request, see httphead.h */
#include "httphead.h"

#include <json-glib/json-glib.h>
#include <libsoup/soup.h>
#include <string.h>

gsize
http_head_length (const gchar *text, gsize bytes)
{
  const gchar *crlf = memmem (text, bytes, "\n\r\n", 3), *lf = memmem (text, bytes, "\n\n", 2);

  if (crlf != NULL && (lf == NULL || crlf < lf))
    return (gsize) (crlf + 3 - text);
  return lf != NULL ? (gsize) (lf + 2 - text) : 0;
}

/* libsoup keeps each name of a method for ever. */
static gboolean
is_known (const gchar *method)
{
  static const gchar *const methods[] = { "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH",
    "OPTIONS", NULL };

  return g_strv_contains (methods, method);
}

/* A page of a browser reaches a server of this host by a name that its owner lets point here (DNS
 * rebinding). HTTP/1.0 need not tell a name, and browsers do. */
static gboolean
is_other_host (SoupMessageHeaders *headers)
{
  const gchar *text = soup_message_headers_get_one (headers, "Host");
  GSocketConnectable *host = text != NULL ? g_network_address_parse (text, 80, NULL) : NULL;
  const gchar *name = host != NULL ? g_network_address_get_hostname (G_NETWORK_ADDRESS (host)) : "";
  gboolean is_other = text != NULL && g_ascii_strcasecmp (name, "localhost") != 0
      && !g_hostname_is_ip_address (name);

  g_clear_object (&host);
  return is_other;
}

/* A page of a browser may send a request to any server, and cannot read the answer. The browser tells
 * from where the page is (RFC 6454). The origin of a server's own page, or of a request that somebody
 * has written, is the server's name. */
static gboolean
is_of_other_origin (SoupMessageHeaders *headers)
{
  const gchar *origin = soup_message_headers_get_list (headers, "Origin");
  const gchar *host = soup_message_headers_get_one (headers, "Host");
  const gchar *name = origin != NULL ? strstr (origin, "://") : NULL;

  return origin != NULL
      && (name == NULL || host == NULL || g_ascii_strcasecmp (name + 3, host) != 0);
}

/* Without being asked for consent, a browser sends a page's POST only with types that a form has. */
static gboolean
is_form (const gchar *method, SoupMessageHeaders *headers)
{
  return g_str_equal (method, "POST")
      && g_strcmp0 (soup_message_headers_get_content_type (headers, NULL), "application/json") != 0;
}

static const gchar *
check_body (SoupMessageHeaders *headers, gsize max_bytes, guint *code)
{
  switch (soup_message_headers_get_encoding (headers)) {
    case SOUP_ENCODING_NONE:
      return NULL;
    case SOUP_ENCODING_CONTENT_LENGTH:
      *code = SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE;
      /* negative if the true length is above G_MAXINT64 */
      return (guint64) soup_message_headers_get_content_length (headers) > max_bytes
          ? "the body is too long"
          : NULL;
    case SOUP_ENCODING_CHUNKED:
      *code = SOUP_STATUS_LENGTH_REQUIRED;
      return "the length of the body is not given";
    default:
      *code = SOUP_STATUS_BAD_REQUEST;
      return "the headers say nothing that can be understood of the body";
  }
}

static const gchar *
check_all (const gchar *method, const gchar *path, SoupMessageHeaders *headers,
    const HttpRules *rules, guint *code)
{
  *code = SOUP_STATUS_NOT_IMPLEMENTED;
  if (!is_known (method))
    return "the method is not known";
  *code = SOUP_STATUS_BAD_REQUEST;
  if (path[0] != '/')
    return "the request is not for a path";
  *code = SOUP_STATUS_MISDIRECTED_REQUEST;
  if (rules->is_local && is_other_host (headers))
    return "this server does not have this name";
  *code = SOUP_STATUS_FORBIDDEN;
  if (is_of_other_origin (headers))
    return "the request is of a page of another server";
  *code = SOUP_STATUS_UNSUPPORTED_MEDIA_TYPE;
  if (is_form (method, headers))
    return "the type of the body is not JSON";
  return check_body (headers, rules->max_body_bytes, code);
}

const gchar *
http_head_check (const gchar *text, gsize bytes, const HttpRules *rules, guint *code)
{
  SoupMessageHeaders *headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_REQUEST);
  gchar *method = NULL, *path = NULL;
  SoupHTTPVersion version;
  const gchar *problem = "the request cannot be read";

  *code = soup_headers_parse_request (text, (int) bytes, headers, &method, &path, &version);
  if (*code == SOUP_STATUS_OK)
    problem = check_all (method, path, headers, rules, code);
  soup_message_headers_unref (headers);
  g_free (method);
  g_free (path);
  return problem;
}

gchar *
http_error_format (const gchar *why)
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

gchar *
http_head_refuse (const gchar *head, guint code, const gchar *why)
{
  gchar *body = http_error_format (why);
  gchar *answer = g_strdup_printf ("HTTP/1.1 %u %s\r\n"
                                   "Connection: close\r\n"
                                   "Cache-Control: no-store\r\n"
                                   "Content-Type: application/json\r\n"
                                   "Content-Length: %zu\r\n"
                                   "\r\n%s",
      code, soup_status_get_phrase (code), strlen (body),
      g_str_has_prefix (head, "HEAD ") ? "" : body);

  g_free (body);
  return answer;
}
