/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes URIs (gst/common/uri.h).  Whatever the text, either it is refused with an error in
 * UTF-8 and sets nothing, or the element's host and port give a URI with the same meaning. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "initgst.h"
#include "../check/libs/uritest.h"

#define MAX_BYTES 4096

static TestElement *
new_element (void)
{
  init_gstreamer ();
  return g_object_ref_sink (g_object_new (test_element_get_type (), NULL));
}

static void
check_round_trip (TestElement *read)
{
  TestElement *again = new_element ();
  gchar *uri = gst_tfrc_uri_format (read->host, read->port, NULL);

  CHECK (read->port >= 1 && read->port <= 65535);
  CHECK (read->ttl >= -1 && read->ttl <= 255 && read->latency <= 1000);
  CHECK (read->leaky >= 0 && read->leaky <= 2);
  /* a host with a ':' is written as an IPv6 address, even if it is not one */
  if (strchr (read->host, ':') == NULL && *read->host != '\0') {
    CHECK (gst_tfrc_uri_apply (GST_ELEMENT (again), uri, NULL));
    CHECK (again->port == read->port);
  }
  g_free (uri);
  gst_object_unref (again);
}

static void
apply (const gchar *text)
{
  TestElement *made = new_element ();
  GError *error = NULL;

  if (gst_tfrc_uri_apply (GST_ELEMENT (made), text, &error)) {
    CHECK (error == NULL);
    check_round_trip (made);
  } else {
    CHECK (error != NULL && error->domain == GST_URI_ERROR);
    CHECK (g_utf8_validate (error->message, -1, NULL));
    CHECK (made->writes == 0);
    g_error_free (error);
  }
  gst_object_unref (made);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  gchar *text, *behind_scheme;

  if (size > MAX_BYTES)
    return 0;
  text = g_strndup ((const gchar *) bytes, size);
  behind_scheme = g_strconcat ("tfrc://", text, NULL);
  apply (text);
  apply (behind_scheme);
  g_free (behind_scheme);
  g_free (text);
  return 0;
}
