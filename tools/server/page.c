/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of the server, see page.h */
#include "page.h"

#include <string.h>

#include "page-resource.h"
#include "tools/http/httpserver.h"

/* Returns the source of a policy for the text between two tags, of which the page has one each. */
static gchar *
dup_source (const gchar *html, const gchar *open, const gchar *close)
{
  const gchar *text = strstr (html, open) + strlen (open), *end = strstr (text, close);
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize bytes = sizeof digest;
  gchar *base64, *source;

  g_checksum_update (checksum, (const guchar *) text, end - text);
  g_checksum_get_digest (checksum, digest, &bytes);
  g_checksum_free (checksum);
  base64 = g_base64_encode (digest, bytes);
  source = g_strdup_printf ("'sha256-%s'", base64);
  g_free (base64);
  return source;
}

static gchar *
dup_policy (const gchar *html)
{
  gchar *script = dup_source (html, "<script>", "</script>");
  gchar *style = dup_source (html, "<style>", "</style>");
  gchar *policy = g_strdup_printf (
      "default-src 'none'; script-src %s; style-src %s; "
      "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'; require-trusted-types-for 'script'; "
      "trusted-types 'none'",
      script, style);

  g_free (script);
  g_free (style);
  return policy;
}

void
page_answer (SoupServerMessage *message)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  GBytes *bytes = g_resource_lookup_data (
      page_resource_get_resource (), "/tfrc-server/page.html", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gchar *html = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  gchar *policy = dup_policy (html);

  soup_message_headers_replace (headers, "Content-Security-Policy", policy);
  soup_message_headers_replace (headers, "X-Content-Type-Options", "nosniff");
  soup_message_headers_replace (headers, "Referrer-Policy", "no-referrer");
  http_answer (message, SOUP_STATUS_OK, "text/html; charset=utf-8", html);
  g_free (policy);
  g_bytes_unref (bytes);
}
