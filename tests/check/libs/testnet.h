/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets for the tests. Traffic stays on the loopback interface. */
#ifndef TEST_NET_H
#define TEST_NET_H

#include <gst/check/gstcheck.h>

#include "gst/io/socket.h"

/* Opens a socket on any free port of @bind_address. */
gint test_open_socket (const gchar *bind_address, GstTfrcAddress *local);

/* As test_open_socket(), but packets of others are refused as if the port was closed. No other
 * program can open the port meanwhile. */
gint test_open_deaf_socket (const gchar *bind_address, GstTfrcAddress *local);

/* Resolves a host that is known to be valid. */
GstTfrcAddress test_address (const gchar *host, guint16 port);

/* Returns whether the host has IPv6. If not, prints that the test is skipped. */
gboolean test_host_has_ipv6 (void);

#endif
