/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's routes: which one leads to an address, and when they change (rtnetlink). */
#ifndef GST_TFRC_ROUTES_H
#define GST_TFRC_ROUTES_H

#include <gio/gio.h>

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

/** A function that is called at changes */
typedef struct _GstTfrcRouteWatch GstTfrcRouteWatch;

/** Routes, addresses or interfaces have changed, whichever.  On a thread that
 * is neither the I/O loop's nor the application's; it may wait, but others
 * wait for it. */
typedef void (*GstTfrcRoutesChangedFunc) (gpointer user_data);

/** Calls @a func after every change, once for several in a row.  They are those
 * of the network namespace that the first caller is in.
 * @return to be freed with gst_tfrc_routes_unwatch(), or NULL with @a error set
 *   (G_IO_ERROR) */
GstTfrcRouteWatch *gst_tfrc_routes_watch (
    GstTfrcRoutesChangedFunc func, gpointer user_data, GError **error);

/** Waits for a call that runs; afterwards there is none.  NULL is allowed.
 * Not to be called from @a func, nor with a lock held that it takes. */
void gst_tfrc_routes_unwatch (GstTfrcRouteWatch *watch);

G_END_DECLS
#endif
