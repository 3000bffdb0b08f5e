/* tfrc://host:port?property=value URIs, for both elements */
#ifndef GST_TFRC_URI_H
#define GST_TFRC_URI_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TFRC_URI_SCHEME "tfrc"
#define GST_TFRC_DEFAULT_PORT 5004

/** Sets the properties of @a element that @a uri names: @a host_property and
 * "port" from its authority, and those of its query, whose keys are names of
 * properties of the element's own class.  Strings are taken as they are after
 * their escapes (RFC 3986 section 2.1) have been read; other values are written
 * as in gst-launch-1.0.  A property may be given once, in the authority or in
 * the query; the property's range holds in both places.  A port that is not
 * given is GST_TFRC_DEFAULT_PORT; a host that is not given stays.
 *
 * @return FALSE with @a error set (GST_URI_ERROR, names what is wrong) and
 *   nothing changed if any part is wrong.  Any thread. */
gboolean gst_tfrc_uri_apply (
    GstElement *element, const gchar *uri, const gchar *host_property, GError **error);

/** The setter of a property "uri": gst_tfrc_uri_apply(), with an element error
 * instead of a GError.  Any thread. */
void gst_tfrc_uri_set (GstElement *element, const gchar *uri, const gchar *host_property);

/** Tells whether the element may start.  Not if the last URI was refused: then
 * the error is posted once more.  For when it was set, nobody may have listened
 * yet (gst-launch-1.0), and another address than the one meant is worse than
 * none.  Any thread. */
gboolean gst_tfrc_uri_check (GstElement *element);

/** Returns "tfrc://host:port", with IPv6 addresses in brackets; free it with
 * g_free(). */
gchar *gst_tfrc_uri_format (const gchar *host, gint port);

G_END_DECLS
#endif
