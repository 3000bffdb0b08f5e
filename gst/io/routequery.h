/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks the kernel for the path of packets to an address (rtnetlink). */
#ifndef GST_TFRC_ROUTEQUERY_H
#define GST_TFRC_ROUTEQUERY_H

#include "datagrams.h"

G_BEGIN_DECLS

/** Asks the kernel over which local path a packet to @a to would leave now.
 * @param path set to the interface, and the address that the packet would leave from if that is
 *   known
 * @return FALSE with @a error set (G_IO_ERROR) if there is no route, or the kernel cannot be asked
 *
 * Does not wait for anything but the kernel.  Any thread. */
gboolean gst_tfrc_route_get (const GstTfrcAddress *to, GstTfrcLocalPath *path, GError **error);

/** Returns whether @a to is the broadcast address of a network that this host is in.  Only the
 * kernel knows that of an address such as 10.1.2.255.  FALSE also if the kernel cannot be asked.
 * Any thread. */
gboolean gst_tfrc_route_is_broadcast (const GstTfrcAddress *to);

G_END_DECLS
#endif
