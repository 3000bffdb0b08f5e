/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ICMP errors that packets of a socket have met. */
#ifndef GST_TFRC_SOCKETERRORS_H
#define GST_TFRC_SOCKETERRORS_H

#include "address.h"

G_BEGIN_DECLS

/** @param error errno, for example ECONNREFUSED for "port unreachable"; ETIME for "time to live
 *   exceeded in transit", for which the kernel has no errno of its own
 * @param destination where the packet was going that met it; "no address" if
 *   unknown */
typedef void (*GstTfrcSocketErrorFunc) (
    gpointer user_data, gint error, const GstTfrcAddress *destination);

/** Takes the pending errors off the socket and hands them to @a func, a
 * bounded number: if there are more, the socket still polls POLLERR.
 * @return how many there were */
guint gst_tfrc_socket_read_errors (gint fd, GstTfrcSocketErrorFunc func, gpointer user_data);

G_END_DECLS
#endif
