/* The kernel's routes: over which link packets to an address leave, and news of
 * changes (rtnetlink).
 *
 * One thread for the whole process listens to the kernel; it starts with the
 * first who wants news and ends with the last. */
#ifndef TFRC_ROUTES_H
#define TFRC_ROUTES_H

#include "tfrcdatagrams.h"

G_BEGIN_DECLS

/** Asks the kernel which link a packet to @a to would leave over now: the
 * interface, and the address that it would leave from if it is known.
 * @return FALSE with @a error set (G_IO_ERROR) if there is no route, or the
 *   kernel cannot be asked
 *
 * Does not wait for anything but the kernel.  Any thread. */
gboolean tfrc_route_get (const TfrcAddress *to, TfrcLink *link, GError **error);

/** Tells whether @a to is the broadcast address of a network that this host is
 * in.  Only the kernel knows that of an address such as 10.1.2.255; if it
 * cannot be asked: FALSE.  Any thread. */
gboolean tfrc_route_is_broadcast (const TfrcAddress *to);

/** Who wants news */
typedef struct _TfrcRouteWatch TfrcRouteWatch;

/** Routes, addresses or interfaces have changed, whichever.  On a thread that
 * is neither the I/O loop's nor the application's; it may wait, but others
 * wait for it. */
typedef void (*TfrcRoutesChangedFunc) (gpointer user_data);

/** Calls @a func after every change, once for several in a row.  They are those
 * of the network namespace that the first caller is in.
 * @return to be freed with tfrc_routes_unwatch(), or NULL with @a error set
 *   (G_IO_ERROR) */
TfrcRouteWatch *tfrc_routes_watch (TfrcRoutesChangedFunc func, gpointer user_data, GError **error);

/** Waits for a call that runs; afterwards there is none.  NULL is allowed.
 * Not to be called from @a func, nor with a lock held that it takes. */
void tfrc_routes_unwatch (TfrcRouteWatch *watch);

G_END_DECLS
#endif
