/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs of the form tfrc://host:port/stream?property=value, for both elements */
#ifndef GST_TFRC_URI_H
#define GST_TFRC_URI_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TFRC_URI_SCHEME "tfrc"
#define GST_TFRC_DEFAULT_PORT 5004

/** Sets the properties of @a element that @a uri names.
 *
 * The authority gives the properties "host", or "address" of an element without "host", and "port".
 * With mode=listener the host of a sink is the property "bind-address". A path is the property "streamid"
 * of an element that then calls (mode=caller) unless the query says else.
 *
 * The keys of the query are names of properties of the element's own class.  The value of a string
 * property is the text after escapes (RFC 3986 section 2.1) have been read; other values are
 * written as in gst-launch-1.0.  A URI may give a property once, in the authority or in the query,
 * within the range of the property.  Without a port in the URI the port becomes
 * GST_TFRC_DEFAULT_PORT; without a host the host stays.  What the path of the URI before has set gets its default,
 * unless this URI sets the property as well.
 *
 * @return FALSE with @a error set (GST_URI_ERROR) and no property changed if any part of the URI is
 *   wrong, or if the element is in PAUSED or PLAYING, or on its way there.  Any thread. */
gboolean gst_tfrc_uri_apply (GstElement *element, const gchar *uri, GError **error);

/** Does the same, as GstTfrcProperty.set of a property "uri", which takes NULL for its default.  A refused URI causes an
 * element error, and is remembered for gst_tfrc_uri_check().  Any thread. */
void gst_tfrc_uri_set (GstElement *element, const gchar *uri);

/** Returns whether the element may start.  If the last URI was refused, the element may not start,
 * and the error is posted again: when the URI was set, the application may not have listened to
 * the bus yet (gst-launch-1.0).  To start with other addresses than the URI has would be worse.
 * Any thread. */
gboolean gst_tfrc_uri_check (GstElement *element);

/** Returns "tfrc://host:port/stream", with IPv6 addresses in brackets.  The caller frees the string with
 * g_free().
 * @param stream_id NULL or "": without a path */
gchar *gst_tfrc_uri_format (const gchar *host, gint port, const gchar *stream_id);

G_END_DECLS
#endif
