/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notifies of changes of the kernel's routes (rtnetlink).
 *
 * One thread of the process listens to the kernel.  The first watch starts the thread, and the
 * last one ends it. */
#ifndef GST_TFRC_ROUTEWATCH_H
#define GST_TFRC_ROUTEWATCH_H

#include <gio/gio.h>

G_BEGIN_DECLS

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
