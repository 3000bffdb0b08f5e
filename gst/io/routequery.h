/* Asks the kernel over which link packets to an address leave (rtnetlink). */
#ifndef GST_TFRC_ROUTEQUERY_H
#define GST_TFRC_ROUTEQUERY_H

#include "datagrams.h"

G_BEGIN_DECLS

/** Asks the kernel which link a packet to @a to would leave over now: the
 * interface, and the address that it would leave from if it is known.
 * @return FALSE with @a error set (G_IO_ERROR) if there is no route, or the
 *   kernel cannot be asked
 *
 * Does not wait for anything but the kernel.  Any thread. */
gboolean gst_tfrc_route_get (const GstTfrcAddress *to, GstTfrcLink *link, GError **error);

/** Tells whether @a to is the broadcast address of a network that this host is
 * in.  Only the kernel knows that of an address such as 10.1.2.255; if it
 * cannot be asked: FALSE.  Any thread. */
gboolean gst_tfrc_route_is_broadcast (const GstTfrcAddress *to);

G_END_DECLS
#endif
