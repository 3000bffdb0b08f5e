/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket to the kernel's routing tables (rtnetlink), for routequery.c and routewatch.c alone. */
#ifndef GST_TFRC_NETLINK_H
#define GST_TFRC_NETLINK_H

#include <gio/gio.h>

G_BEGIN_DECLS

/* Room for one message of the kernel, in bytes */
#define GST_TFRC_NETLINK_BYTES 8192

/* Opens a non-blocking socket, to which the kernel reports changes in these groups (RTMGRP_*; 0:
 * none).
 * @return a descriptor that the caller closes; -1 with @error set (G_IO_ERROR) */
gint gst_tfrc_netlink_open (guint32 groups, GError **error);

/* Sets @error to what failed with this errno. */
void gst_tfrc_netlink_set_error (GError **error, const gchar *what, gint error_number);

G_END_DECLS
#endif
